//! The table of custom syntax: one row for each operation that has one, with its grammar rule
//! and the parts of its text, which serve reading and printing alike. Operations whose text is
//! more than a row of parts have two functions side by side.

mod affine;
mod aievec;
mod array;
mod cert;
mod cf;
mod dma;
mod fifo;
mod func;
mod legacy_ops;
mod legacy_syntax;
mod linalg;
mod linalg_body;
mod memref;
pub(crate) mod part;
mod scalar;
mod scf;
mod sequence;
mod split_fifo;
pub(crate) mod stored;
mod task;
mod trace;
mod vector;
mod vector_access;
mod words;

use std::sync::OnceLock;

use crate::ir::{Attr, DYNAMIC, Module, Op, Type};
use crate::ops::{OPS, OpKind, Traits};
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, RegionStyle, Stop, unescape};
use crate::text::print::{Printer, escape};
use part::{DefaultAttr, NameHint, Part, Syntax};

pub(crate) use legacy_syntax::normalise;

/// The syntax of a kind.
pub(crate) fn syntax(kind: OpKind) -> Option<&'static Syntax> {
    static BY_KIND: OnceLock<Vec<Option<&'static Syntax>>> = OnceLock::new();
    let by_kind = BY_KIND.get_or_init(|| {
        let mut list = vec![None; OPS.len() + 1];
        let tables = [
            array::SYNTAX,
            dma::SYNTAX,
            fifo::SYNTAX,
            split_fifo::SYNTAX,
            sequence::SYNTAX,
            task::SYNTAX,
            cert::SYNTAX,
            trace::SYNTAX,
            legacy_ops::SYNTAX,
            func::SYNTAX,
            scalar::SYNTAX,
            cf::SYNTAX,
            scf::SYNTAX,
            memref::SYNTAX,
            vector::SYNTAX,
            vector_access::SYNTAX,
            affine::SYNTAX,
            linalg::SYNTAX,
            aievec::SYNTAX,
        ];
        for row in tables.into_iter().flatten() {
            if let Some(slot) = list.get_mut(row.kind as usize) {
                *slot = Some(row);
            }
        }
        list
    });
    by_kind.get(kind as usize).copied().flatten()
}

/// Short and older operation names with today's full ones.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("module", "builtin.module"),
    (
        "unrealized_conversion_cast",
        "builtin.unrealized_conversion_cast",
    ),
    ("func", "func.func"),
    ("call", "func.call"),
    ("return", "func.return"),
    ("br", "cf.br"),
    ("cond_br", "cf.cond_br"),
    ("aiex.runtime_sequence", "aie.runtime_sequence"),
    ("vector.splat", "vector.broadcast"),
];

/// Today's full name of an operation.
pub(crate) fn full_name(name: &str) -> &str {
    let other = OTHER_NAMES.iter().find(|(short, _)| *short == name);
    other.map_or(name, |(_, full)| full)
}

/// The name as printed in custom form.
pub(crate) fn printed_name(m: &Module, op: Op) -> &str {
    match m.kind(op) {
        OpKind::BuiltinModule => "module",
        OpKind::FuncReturn => "return",
        _ => m.op_name(op),
    }
}

// ---- reading ----

/// Reads an operation by its parts.
pub(crate) fn parse_parts(mut p: OpParser<'_, '_>, parts: &'static [Part]) -> Result<Op, Stop> {
    let kind = p.build.kind;
    for (n, part) in parts.iter().enumerate() {
        if matches!(part, Part::Region) {
            let op = p.create()?;
            p.parser.region(op, &[], region_style(kind))?;
            let after = parts.get(n + 1..).unwrap_or(&[]);
            if after.iter().any(|part| matches!(part, Part::Dict)) {
                p.parser.trailing_dict(op)?;
            }
            return Ok(op);
        }
        parse_part(&mut p, part)?;
    }
    p.create()
}

/// What may be left out in the regions of a kind.
pub(crate) fn region_style(kind: OpKind) -> RegionStyle {
    let implied = kind.has(Traits::IMPLICIT_END).then_some(OpKind::End);
    RegionStyle {
        implied_terminator: implied,
    }
}

fn parse_part(p: &mut OpParser<'_, '_>, part: &'static Part) -> Result<(), Stop> {
    match part {
        Part::Lit(_) | Part::Region => {}
        Part::Val(ty) => p.operand(ty.ty())?,
        Part::Typed => p.operand(Type::None)?,
        Part::MoreVals(ty) => {
            if let Some(list) = p.fields.group(Rule::values) {
                for value in list.rest() {
                    p.build.operand(&value, ty.ty());
                }
            }
        }
        Part::Ty(n) => {
            let ty = p.next_type()?;
            if let Some(slot) = p.build.operands.get_mut(*n) {
                slot.1 = ty;
            }
        }
        Part::Gives(ty) => p.build.results.push(ty.ty()),
        Part::ResultTy => {
            let ty = p.next_type()?;
            p.build.results.push(ty);
        }
        Part::Int(key, ty) => p.int(key, *ty)?,
        Part::IntOrSym(key, symbol, ty) => match p.fields.peek_rule() {
            Some(Rule::symbol) => p.symbol(symbol)?,
            _ => p.int(key, *ty)?,
        },
        Part::OptInt(_, key, ty) => {
            if p.fields.peek_rule() == Some(Rule::int) {
                p.int(key, *ty)?;
            }
        }
        Part::Bool(key) => {
            let value = p.next()?;
            p.build.attr(key, Attr::Bool(value.as_str() == "true"));
        }
        Part::Enum(key, words) => p.word(key, words)?,
        Part::SameAs(n) => {
            let ty = p.build.operands.get(*n).map(|(_, ty)| ty.clone());
            p.build.results.extend(ty);
        }
        Part::OptStr(_, key) => {
            if let Some(value) = p.fields.take(Rule::string) {
                p.build.attr(key, Attr::str(unescape(value.as_str())));
            }
        }
        Part::Event(key) | Part::OptEvent(_, key) => {
            if let Some(event) = p.fields.take(Rule::trace_event) {
                p.build.attr(key, trace_event(event.as_str()));
            }
        }
        Part::SymName => p.sym_name()?,
        Part::Sym(key) => p.symbol(key)?,
        Part::Block => {
            let label = p.next()?;
            let block = p.parser.successor(label.as_str());
            p.build.successors.push(block);
        }
        Part::Dict => p.dict()?,
    }
    Ok(())
}

// ---- printing ----

/// Writes an operation by its parts.
pub(crate) fn print_parts(printer: &mut Printer<'_>, syntax: &'static Syntax, op: Op) {
    let mut operand = 0;
    let mut result = 0;
    let mut successor = 0;
    let bound = bound_keys(syntax.parts);
    for part in syntax.parts {
        match part {
            Part::Lit(text) => printer.text(text),
            Part::Val(_) | Part::Typed => {
                printer.operand(op, operand);
                operand += 1;
            }
            Part::MoreVals(_) => {
                for n in operand..printer.m.num_operands(op) {
                    printer.text(", ");
                    printer.operand(op, n);
                }
            }
            Part::Ty(n) => {
                if let Some(value) = printer.m.operand(op, *n) {
                    let ty = printer.m.ty(value).clone();
                    printer.ty(&ty);
                }
            }
            Part::Gives(_) => result += 1,
            Part::ResultTy => {
                printer.result_type(op, result);
                result += 1;
            }
            Part::Int(key, _) => printer.int(op, key),
            Part::IntOrSym(key, symbol, _) => match printer.m.attr(op, symbol) {
                Some(attr) => printer.attr(attr),
                None => printer.int(op, key),
            },
            Part::OptInt(before, key, _) => {
                let value = printer.m.attr(op, key);
                if value.is_some_and(|v| !is_default(syntax.defaults, key, v)) {
                    printer.text(before);
                    printer.int(op, key);
                }
            }
            Part::Bool(key) => {
                let text = if printer.m.flag(op, key) {
                    "true"
                } else {
                    "false"
                };
                printer.text(text);
            }
            Part::Enum(key, words) => {
                let value = printer.m.int_attr(op, key).unwrap_or(0);
                printer.text(&words.print(value));
            }
            Part::SameAs(_) => result += 1,
            Part::OptStr(before, key) => {
                if let Some(text) = printer.m.str_attr(op, key) {
                    let text = escape(text);
                    printer.text(before);
                    printer.text(&format!("\"{text}\""));
                }
            }
            Part::Event(key) => print_event(printer, op, "", key),
            Part::OptEvent(before, key) => print_event(printer, op, before, key),
            Part::SymName => {
                let name = printer.m.str_attr(op, "sym_name").unwrap_or("");
                printer.symbol(name);
            }
            Part::Sym(key) => {
                if let Some(attr) = printer.m.attr(op, key) {
                    printer.attr(attr);
                }
            }
            Part::Block => {
                if let Some(block) = printer.m.successors(op).get(successor) {
                    printer.block_name(*block);
                }
                successor += 1;
            }
            Part::Region => {
                printer.text(" ");
                printer.region(op, 0);
            }
            Part::Dict => printer.dict(op, &bound),
        }
    }
}

/// `<"NAME">` as an attribute.
fn trace_event(text: &str) -> Attr {
    let inner = text.trim_start_matches('<').trim_end_matches('>').trim();
    Attr::Opaque(format!("#aie.trace_event<{inner}>").as_str().into())
}

fn print_event(printer: &mut Printer<'_>, op: Op, before: &str, key: &str) {
    if let Some(Attr::Opaque(text)) = printer.m.attr(op, key) {
        printer.text(before);
        printer.text(text.trim_start_matches("#aie.trace_event"));
    }
}

/// The attributes that parts say.
fn bound_keys(parts: &'static [Part]) -> Vec<&'static str> {
    parts
        .iter()
        .flat_map(|part| match part {
            Part::IntOrSym(key, symbol, _) => vec![*key, *symbol],
            Part::Int(key, _)
            | Part::OptInt(_, key, _)
            | Part::Bool(key)
            | Part::Enum(key, _)
            | Part::OptStr(_, key)
            | Part::Event(key)
            | Part::OptEvent(_, key)
            | Part::Sym(key) => vec![*key],
            Part::SymName => vec!["sym_name"],
            _ => Vec::new(),
        })
        .collect()
}

/// Whether the custom syntax can say all that an operation holds.
pub(crate) fn printable(m: &Module, syntax: &Syntax, op: Op) -> bool {
    let Some(def) = syntax.kind.def() else {
        return false;
    };
    let fits = |wanted: Option<u8>, found: usize| wanted.is_none_or(|w| usize::from(w) == found);
    let fixed = def
        .operands
        .iter()
        .filter(|o| !o.ends_with(['?', '*']))
        .count();
    let open = fixed < def.operands.len();
    let operands = m.num_operands(op);
    let required = |key: &str| {
        let defaulted = syntax.defaults.iter().any(|(k, _)| *k == key);
        defaulted || m.attr(op, key).is_some()
    };
    lists_match(m, op)
        && (operands == fixed || (open && operands >= fixed))
        && fits(def.results, m.num_results(op))
        && fits(def.regions, m.regions_of(op).len())
        && fits(def.successors, m.successors(op).len())
        && def
            .attrs
            .iter()
            .filter(|a| a.required)
            .all(|a| m.attr(op, a.name).is_some_and(|v| (a.accepts)(v)))
        && syntax.parts.iter().all(|part| match part {
            Part::Int(key, _) | Part::Bool(key) | Part::Sym(key) | Part::Event(key) => {
                required(key)
            }
            Part::SymName => required("sym_name"),
            Part::Enum(key, words) => m
                .int_attr(op, key)
                .is_some_and(|v| (words.text)(v).is_some()),
            _ => true,
        })
}

/// Whether mixed lists have a value for each of their dynamic entries.
fn lists_match(m: &Module, op: Op) -> bool {
    let mut dynamic = 0;
    let mut mixed = false;
    for (key, value) in m.attrs(op) {
        if let (true, Attr::DenseArray(list)) = (key.starts_with("static_"), value) {
            mixed = true;
            dynamic += list.values.iter().filter(|v| **v == DYNAMIC).count();
        }
    }
    if !mixed {
        return true;
    }
    let declared = m.kind(op).def().map_or(&[][..], |def| def.operands);
    let listed = declared
        .iter()
        .zip(m.operand_groups(op))
        .filter(|(name, _)| name.ends_with('*'))
        .map(|(_, group)| group.len());
    listed.sum::<usize>() == dynamic
}

/// Whether an attribute has its default value.
pub(crate) fn is_default(defaults: &[(&str, DefaultAttr)], key: &str, value: &Attr) -> bool {
    defaults
        .iter()
        .find(|(k, _)| *k == key)
        .is_some_and(|(_, default)| match default {
            DefaultAttr::Bool(b) => *value == Attr::Bool(*b),
            DefaultAttr::Int(n) => matches!(value, Attr::Int(v, _) if v == n),
            DefaultAttr::Str(s) => value.as_str().is_some_and(|v| **v == **s),
        })
}

// ---- names ----

/// The name that an operation suggests for its first result.
pub(crate) fn hint(m: &Module, op: Op) -> Option<String> {
    match syntax(m.kind(op))?.hint {
        NameHint::None => None,
        NameHint::Fixed(name) => Some(name.to_string()),
        NameHint::OnTile(prefix) => on_tile(m, op, prefix),
        NameHint::SymbolOnTile(prefix) => match m.str_attr(op, "sym_name") {
            Some(name) => Some(name.to_string()),
            None => on_tile(m, op, prefix),
        },
        NameHint::Symbol => m.str_attr(op, "sym_name").map(str::to_string),
        NameHint::Of(name) => name(m, op),
    }
}

/// `prefix_c_r` of the tile that the first operand is.
fn on_tile(m: &Module, op: Op, prefix: &str) -> Option<String> {
    let tile = m.def_op(m.operand(op, 0)?)?;
    if m.kind(tile) != OpKind::Tile {
        return None;
    }
    let (col, row) = (m.int_attr(tile, "col")?, m.int_attr(tile, "row")?);
    Some(format!("{prefix}_{col}_{row}"))
}
