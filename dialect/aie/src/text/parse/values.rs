//! Names of values: definitions, uses, and constants for literals of older syntax.

use super::scope::{Entry, Undefined, single};
use super::{ParseFailed, Parser, codes};
use crate::ir::{Attr, InsertPoint, Loc, Op, Type, Value};
use crate::ops::OpKind;
use aiec_diag::{Diag, MlirAieReport, did_you_mean};

impl<'s> Parser<'s> {
    /// Gives an operation's results their names.
    pub(super) fn bind(&mut self, names: &[(&'s str, usize)], op: Op) {
        if names.is_empty() {
            return;
        }
        let results: Vec<_> = self.m.results(op).collect();
        let wanted: usize = names.iter().map(|(_, count)| *count).sum();
        if wanted != results.len() {
            let name = self.m.op_name(op).to_string();
            let message = format!(
                "`{name}` has {} result{}, but {wanted} {} named",
                results.len(),
                if results.len() == 1 { "" } else { "s" },
                if wanted == 1 { "is" } else { "are" },
            );
            for (name, _) in names {
                self.scopes.define(name, Entry::Poisoned);
            }
            let help = match results.len() {
                0 => "remove the names and the `=`".to_string(),
                1 => "name one value: `%name = …`".to_string(),
                n => format!("name {n} values, or a pack of them: `%name:{n} = …`"),
            };
            self.cursor
                .error_help(&codes::RESULT_COUNT, names[0].0, message, help);
            return;
        }
        let mut at = 0;
        for (name, count) in names {
            let values = results[at..at + count].iter().copied().collect();
            at += count;
            self.define(name, Entry::Values(values, name));
        }
    }

    /// Defines a name, resolving earlier uses of it.
    pub(crate) fn define_value(&mut self, name: &'s str, value: Value) {
        self.define(name, single(value, name));
    }

    pub(super) fn define(&mut self, name: &'s str, entry: Entry<'s>) {
        let values = match &entry {
            Entry::Values(values, _) => values.clone(),
            _ => Default::default(),
        };
        match self.scopes.define(name, entry) {
            Some(Entry::Values(_, before)) => {
                let (here, there) = (self.cursor.span(name), self.cursor.span(before));
                self.cursor.report(
                    Diag::error(
                        &codes::REDEFINED_VALUE,
                        format!("`{name}` is defined twice"),
                    )
                    .label(here, "second definition")
                    .label(there, "first definition")
                    .help("rename one of them"),
                );
            }
            Some(Entry::Forward(uses)) => {
                for (number, stand_in, at) in uses {
                    self.resolve_forward(name, &values, number, stand_in, at);
                }
            }
            _ => {}
        }
    }

    fn resolve_forward(
        &mut self,
        name: &'s str,
        values: &[Value],
        number: u32,
        stand_in: Value,
        at: &'s str,
    ) {
        let Some(value) = values.get(number as usize).copied() else {
            self.no_such_result(name, values.len(), at);
            return;
        };
        let (expected, found) = (self.m.ty(stand_in).clone(), self.m.ty(value).clone());
        if expected != found {
            self.mismatch(at, name, &expected, &found, Some(name));
        }
        self.m.replace_all_uses(stand_in, value);
        if let Some(op) = self.m.def_op(stand_in) {
            self.m.erase(op);
        }
    }

    pub(super) fn report_undefined(&mut self, undefined: Undefined<'s>) {
        let Undefined { uses, mut names } = undefined;
        if !uses.is_empty() {
            names.sort_unstable();
        }
        for (name, stand_in, at) in uses {
            let used = self.cursor.span(at);
            // Only an isolated scope ends with open uses, so what is visible now lies outside it.
            let (outside, lock) = match self.scopes.get(name) {
                Some(Entry::Values(values, outside)) => {
                    let def = values.first().and_then(|value| self.m.def_op(*value));
                    let lock = def.filter(|def| self.m.kind(*def) == OpKind::Lock);
                    (Some(self.cursor.span(outside)), lock)
                }
                _ => (None, None),
            };
            let elsewhere = names.binary_search(&name).ok().and_then(|n| names.get(n));
            let diag = if let Some(outside) = outside {
                let message = format!("`{name}` lies outside of what can be seen from here");
                let diag = Diag::error(&codes::UNKNOWN_VALUE, message)
                    .label(used, "used here")
                    .label(outside, "defined here, outside of the function or device")
                    .help("functions and devices can't use values from outside: pass it in, or move it");
                match lock {
                    Some(_) => {
                        let text = "is accessed outside of a tile";
                        diag.mlir_aie(MlirAieReport::op("aie.lock", text).at(outside))
                    }
                    None => diag,
                }
            } else if let Some(elsewhere) = elsewhere {
                let message = format!("`{name}` is not defined in this scope");
                Diag::error(&codes::UNKNOWN_VALUE, message)
                    .label(used, "used here")
                    .label(self.cursor.span(elsewhere), "one of this name ends with its region")
                    .help("values are visible to the end of their region: define it in one around both")
            } else {
                let message = format!("`{name}` is not defined in this scope");
                let diag = Diag::error(&codes::UNKNOWN_VALUE, message).label(used, "used here");
                // the sigil isn't a letter that a name shares with another
                let bare = |name: &'s str| name.trim_start_matches('%');
                match did_you_mean(bare(name), names.iter().copied().map(bare)) {
                    Some(near) => diag.help(format!("did you mean `%{near}`?")),
                    None => diag,
                }
            };
            self.cursor.report(diag);
            // Users are dropped with it, so that no stand-in reaches the passes.
            for user in self.m.users(stand_in) {
                if self.m.num_results(user) == 0 && self.m.is_live(user) {
                    self.m.erase(user);
                }
            }
        }
    }

    /// The value of a use, which must have this type.
    pub(crate) fn operand(&mut self, text: &'s str, ty: &Type) -> Result<Value, ParseFailed> {
        let (name, number) = match text.split_once('#') {
            Some((name, n)) => (name, n.parse().unwrap_or(u32::MAX)),
            None => (text, 0),
        };
        let (value, at) = match self.scopes.get(name) {
            Some(Entry::Poisoned) => return Err(ParseFailed),
            Some(Entry::Values(values, at)) => match values.get(number as usize) {
                Some(value) => (*value, *at),
                None => {
                    let count = values.len();
                    return Err(self.no_such_result(name, count, text));
                }
            },
            Some(Entry::Forward(list)) => match list.iter().find(|(n, ..)| *n == number) {
                Some((_, value, at)) => (*value, *at),
                None => return self.stand_in(name, number, text, ty),
            },
            None => return self.stand_in(name, number, text, ty),
        };
        if self.m.ty(value) != ty {
            let found = self.m.ty(value).clone();
            return Err(self.mismatch(text, name, ty, &found, Some(at)));
        }
        Ok(value)
    }

    /// Reports a use of a result that isn't there.
    fn no_such_result(&mut self, name: &str, count: usize, at: &str) -> ParseFailed {
        let (message, help) = match count {
            1 => (
                format!("`{name}` is one value"),
                format!("write `{name}`, without a number"),
            ),
            _ => (
                format!("`{name}` has {count} results"),
                format!(
                    "they are `{name}#0` to `{name}#{}`",
                    count.saturating_sub(1)
                ),
            ),
        };
        self.cursor
            .error_help(&codes::UNKNOWN_VALUE, at, message, help)
    }

    /// A value for a name that isn't defined yet.
    fn stand_in(
        &mut self,
        name: &'s str,
        number: u32,
        at: &'s str,
        ty: &Type,
    ) -> Result<Value, ParseFailed> {
        let op = self
            .m
            .build(OpKind::UnrealizedCast, Loc::UNKNOWN)
            .result(ty.clone())
            .insert(InsertPoint::Detached);
        let value = self.m.result(op, 0).ok_or(ParseFailed)?;
        self.scopes.forward(name, number, value, at);
        Ok(value)
    }

    fn mismatch(
        &mut self,
        at: &str,
        name: &str,
        expected: &Type,
        found: &Type,
        definition: Option<&str>,
    ) -> ParseFailed {
        let message = format!("`{name}` has type {found}, but {expected} is expected here");
        let mut diag = Diag::error(&codes::TYPE_MISMATCH, message)
            .label(self.cursor.span(at), format!("expected {expected}"));
        if let Some(definition) = definition {
            diag = diag.label(self.cursor.span(definition), format!("defined as {found}"));
        }
        if let Some(help) = conversion(found, expected) {
            diag = diag.help(help);
        }
        self.cursor.report(diag)
    }

    /// A constant of type `i32` in the entry block of the enclosing core, DMA or sequence.
    pub(crate) fn i32_constant(&mut self, value: i64, at: &str) -> Result<Value, ParseFailed> {
        let block = self.constant_blocks.last().copied().unwrap_or(self.block);
        if let Some(value) = self.constants.get(&(block, value)) {
            return Ok(*value);
        }
        let span = self.cursor.span(at);
        let loc = self.m.locs.span(span);
        let place = match self.last_constant.get(&block) {
            Some(op) => InsertPoint::After(*op),
            None => InsertPoint::Start(block),
        };
        let op = self
            .m
            .build(OpKind::ArithConstant, loc)
            .attr("value", Attr::Int(value, Type::I32))
            .result(Type::I32)
            .insert(place);
        let result = self.m.result(op, 0).ok_or(ParseFailed)?;
        self.constants.insert((block, value), result);
        self.last_constant.insert(block, op);
        Ok(result)
    }
}

/// Operation that converts a value of one type to another.
fn conversion(from: &Type, to: &Type) -> Option<String> {
    let width = |ty: &Type| match ty {
        Type::Int { width, .. } => Some(*width),
        _ => None,
    };
    Some(match (from, to) {
        (Type::Index, Type::Int { .. }) | (Type::Int { .. }, Type::Index) => {
            format!("convert it: arith.index_cast %value : {from} to {to}")
        }
        (Type::Int { .. }, Type::Int { .. }) if width(from) < width(to) => {
            format!("convert it: arith.extsi %value : {from} to {to} (or arith.extui)")
        }
        (Type::Int { .. }, Type::Int { .. }) => {
            format!("convert it: arith.trunci %value : {from} to {to}")
        }
        (Type::Int { .. }, Type::Float(_)) => {
            format!("convert it: arith.sitofp %value : {from} to {to}")
        }
        (Type::Float(_), Type::Int { .. }) => {
            format!("convert it: arith.fptosi %value : {from} to {to}")
        }
        (Type::MemRef(_), Type::MemRef(_)) => format!("write the type that it has: {from}"),
        (_, Type::Index) => "this operand is an index or a handle (of a tile, lock, …)".to_string(),
        _ => return None,
    })
}
