//! Vectors between memory and registers: transfers, loads, stores.

use super::dict;
use super::memref::{indices, print_element};
use super::part::Syntax;
use super::vector::{element, mask_of, next_type};
use crate::ir::{AffineExpr, AffineMap, Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, Stop};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::VectorTransferRead, Rule::vector_transfer_read, parse_read, print_read),
    Syntax::own(OpKind::VectorTransferWrite, Rule::vector_transfer_write, parse_write, print_write),
    Syntax::own(OpKind::VectorLoad, Rule::vector_load, parse_load, print_load),
    Syntax::own(OpKind::VectorStore, Rule::vector_store, parse_store, print_store),
];

type Made = Result<Op, Stop>;

// ---- transfers ----

/// Attributes that a transfer doesn't print: a map that takes the innermost dimensions in order,
/// and bounds of which none is known.
fn hidden_transfer_keys(printer: &Printer<'_>, op: Op) -> Vec<&'static str> {
    let mut hidden = Vec::new();
    if let Some(Attr::AffineMap(map)) = printer.m.attr(op, "permutation_map")
        && is_minor_identity(map)
    {
        hidden.push("permutation_map");
    }
    if let Some(Attr::Array(bounds)) = printer.m.attr(op, "in_bounds")
        && bounds.iter().all(|b| *b == Attr::Bool(false))
    {
        hidden.push("in_bounds");
    }
    hidden
}

fn is_minor_identity(map: &AffineMap) -> bool {
    let Some(skip) = (map.dims as usize).checked_sub(map.results.len()) else {
        return false;
    };
    map.symbols == 0
        && map
            .results
            .iter()
            .enumerate()
            .all(|(n, e)| matches!(e, AffineExpr::Dim(d) if *d as usize == n + skip))
}

fn parse_read<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    let base = fields.next(parser)?;
    let list = fields.group(Rule::indices);
    let padding = fields.next(parser)?;
    let mask = fields.take(Rule::value);
    dict(parser, fields, &mut build)?;
    let (from, to) = two_types(parser, fields)?;
    build.operand(&base, from.clone());
    let count = list.map_or(0, |list| indices(list, &mut build));
    build.operand(&padding, element(&from));
    let mut masks = 0;
    if let Some(mask) = mask {
        build.operand(&mask, mask_of(&to));
        masks = 1;
    }
    build.segments(&[1, count, 1, masks]);
    build.results.push(to);
    build.create(parser)
}

fn two_types<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>) -> Result<(Type, Type), Stop> {
    let types = fields.next(parser)?;
    let at = types.as_str();
    let types = parser.types(Fields::of(types))?;
    parser.same_count(at, 2, types.len())?;
    match &types[..] {
        [a, b] => Ok((a.clone(), b.clone())),
        _ => Err(Stop),
    }
}

fn print_read(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    printer.text(" ");
    print_group(printer, &values, groups.first());
    printer.text("[");
    print_group(printer, &values, groups.get(1));
    printer.text("], ");
    print_group(printer, &values, groups.get(2));
    if groups.get(3).is_some_and(|g| !g.is_empty()) {
        printer.text(", ");
        print_group(printer, &values, groups.get(3));
    }
    let hidden = hidden_transfer_keys(printer, op);
    printer.dict(op, &hidden);
    printer.text(" : ");
    printer.types_of(values.get(..1).unwrap_or(&[]));
    printer.text(", ");
    printer.result_type(op, 0);
}

fn print_group(
    printer: &mut Printer<'_>,
    values: &[Value],
    range: Option<&std::ops::Range<usize>>,
) {
    let range = range.cloned().unwrap_or(0..0);
    printer.values(values.get(range).unwrap_or(&[]));
}

fn parse_write<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    let stored = fields.next(parser)?;
    let base = fields.next(parser)?;
    let list = fields.group(Rule::indices);
    let mask = fields.take(Rule::value);
    dict(parser, fields, &mut build)?;
    let (from, to) = two_types(parser, fields)?;
    build.operand(&stored, from.clone());
    build.operand(&base, to.clone());
    let count = list.map_or(0, |list| indices(list, &mut build));
    let mut masks = 0;
    if let Some(mask) = mask {
        build.operand(&mask, mask_of(&from));
        masks = 1;
    }
    build.segments(&[1, 1, count, masks]);
    if matches!(to, Type::Tensor(_)) {
        build.results.push(to);
    }
    build.create(parser)
}

fn print_write(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    printer.text(" ");
    print_group(printer, &values, groups.first());
    printer.text(", ");
    print_group(printer, &values, groups.get(1));
    printer.text("[");
    print_group(printer, &values, groups.get(2));
    printer.text("]");
    if groups.get(3).is_some_and(|g| !g.is_empty()) {
        printer.text(", ");
        print_group(printer, &values, groups.get(3));
    }
    let hidden = hidden_transfer_keys(printer, op);
    printer.dict(op, &hidden);
    printer.text(" : ");
    printer.types_of(values.get(..2).unwrap_or(&[]));
}

// ---- load, store ----

fn parse_load<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    let base = fields.next(parser)?;
    let list = fields.group(Rule::indices);
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    build.operand(&base, from);
    if let Some(list) = list {
        indices(list, &mut build);
    }
    build.results.push(to);
    build.create(parser)
}

fn print_load(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    print_element(printer, op, 0);
    printer.text(", ");
    printer.result_type(op, 0);
}

fn parse_store<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    let stored = fields.next(parser)?;
    let base = fields.next(parser)?;
    let list = fields.group(Rule::indices);
    dict(parser, fields, &mut build)?;
    let to = next_type(parser, fields)?;
    let from = next_type(parser, fields)?;
    build.operand(&stored, from);
    build.operand(&base, to);
    if let Some(list) = list {
        indices(list, &mut build);
    }
    build.create(parser)
}

fn print_store(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    print_element(printer, op, 1);
    printer.text(", ");
    if let Some(stored) = printer.m.operand(op, 0) {
        printer.types_of(&[stored]);
    }
}
