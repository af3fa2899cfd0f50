//! Names of values: definitions, uses, and constants for literals of older syntax.

use super::scope::{Entry, single};
use super::{Parser, Stop, codes};
use crate::diag::{Diag, did_you_mean};
use crate::ir::{Attr, InsertPoint, Loc, Op, Type, Value};
use crate::ops::OpKind;

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
            self.error(&codes::RESULT_COUNT, names[0].0, message);
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
                let (here, there) = (self.span(name), self.span(before));
                self.report(
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
            let message = format!("`{name}` has {} results", values.len());
            self.error(&codes::UNKNOWN_VALUE, at, message);
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

    pub(super) fn report_undefined(&mut self, list: Vec<(&'s str, Value, &'s str)>) {
        for (name, stand_in, at) in list {
            let span = self.span(at);
            // Only an isolated scope ends with open uses, so what is visible now lies outside it.
            let diag = if let Some(Entry::Values(_, outside)) = self.scopes.get(name) {
                let outside = self.span(outside);
                Diag::error(
                    &codes::UNKNOWN_VALUE,
                    format!("`{name}` lies outside of what can be seen from here"),
                )
                .label(span, "used here")
                .label(outside, "defined here, outside of the function or device")
                .help("functions and devices can't use values from outside: pass it in, or move it")
            } else {
                let visible = self.scopes.visible();
                let message = format!("`{name}` is not defined in this scope");
                let diag = Diag::error(&codes::UNKNOWN_VALUE, message).label(span, "used here");
                match did_you_mean(name, visible) {
                    Some(near) => diag.help(format!("did you mean `{near}`?")),
                    None => diag.help("define it before, in this region or one around it"),
                }
            };
            self.report(diag);
            // Whoever uses it is dropped with it, so that no stand-in reaches the passes.
            for user in self.m.users(stand_in) {
                if self.m.num_results(user) == 0 && self.m.is_live(user) {
                    self.m.erase(user);
                }
            }
        }
    }

    /// The value of a use, which must have this type.
    pub(crate) fn operand(&mut self, text: &'s str, ty: &Type) -> Result<Value, Stop> {
        let (name, number) = match text.split_once('#') {
            Some((name, n)) => (name, n.parse().unwrap_or(u32::MAX)),
            None => (text, 0),
        };
        let (value, at) = match self.scopes.get(name) {
            Some(Entry::Poisoned) => return Err(Stop),
            Some(Entry::Values(values, at)) => match values.get(number as usize) {
                Some(value) => (*value, *at),
                None => {
                    let message = format!("`{name}` has {} results", values.len());
                    return Err(self.error(&codes::UNKNOWN_VALUE, text, message));
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

    /// A value for a name that isn't defined yet.
    fn stand_in(
        &mut self,
        name: &'s str,
        number: u32,
        at: &'s str,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let op = self
            .m
            .build(OpKind::UnrealizedCast, Loc::UNKNOWN)
            .result(ty.clone())
            .insert(InsertPoint::Detached);
        let value = self.m.result(op, 0).ok_or(Stop)?;
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
    ) -> Stop {
        let message = format!("`{name}` has type {found}, but {expected} is expected here");
        let mut diag = Diag::error(&codes::TYPE_MISMATCH, message)
            .label(self.span(at), format!("expected {expected}"));
        if let Some(definition) = definition {
            diag = diag.label(self.span(definition), format!("defined as {found}"));
        }
        self.report(diag)
    }

    /// A constant of type `i32` in the entry block of the enclosing core, DMA or sequence.
    pub(crate) fn i32_constant(&mut self, value: i64, at: &str) -> Result<Value, Stop> {
        let block = self.constant_blocks.last().copied().unwrap_or(self.block);
        if let Some(value) = self.constants.get(&(block, value)) {
            return Ok(*value);
        }
        let span = self.span(at);
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
        let result = self.m.result(op, 0).ok_or(Stop)?;
        self.constants.insert((block, value), result);
        self.last_constant.insert(block, op);
        Ok(result)
    }
}
