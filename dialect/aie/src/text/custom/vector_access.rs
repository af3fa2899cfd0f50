//! Vectors between memory and registers: transfers, loads, stores.

use super::fragments::{element, group, indices};
use super::syntax::OwnSyntax;
use super::vector::mask_of;
use crate::ir::{AffineExpr, AffineMap, Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, ParseFailed};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::VectorTransferRead, Rule::vector_transfer_read, parse_read, print_read),
    (OpKind::VectorTransferWrite, Rule::vector_transfer_write, parse_write, print_write),
];

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

fn parse_read(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let base = p.next()?;
    let list = p.fields.group(Rule::indices);
    let padding = p.next()?;
    let mask = p.fields.take(Rule::value);
    p.dict()?;
    let (from, to) = two_types(&mut p)?;
    p.build.operand(&base, from.clone());
    let count = list.map_or(0, |list| indices(list, &mut p.build));
    p.build.operand(&padding, element(&from));
    let mut masks = 0;
    if let Some(mask) = mask {
        p.build.operand(&mask, mask_of(&to));
        masks = 1;
    }
    p.build.segments(&[1, count, 1, masks]);
    p.build.results.push(to);
    p.create()
}

fn two_types(p: &mut OpParser<'_, '_>) -> Result<(Type, Type), ParseFailed> {
    let types = p.next()?;
    let at = types.as_str();
    let types = p.parser.literals().types(Fields::of(types))?;
    p.parser.literals().same_count(at, 2, types.len())?;
    match &types[..] {
        [a, b] => Ok((a.clone(), b.clone())),
        _ => Err(ParseFailed),
    }
}

fn print_read(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let [base, indices, padding, mask] = [0, 1, 2, 3].map(|n| group(printer, op, n));
    printer.text(" ");
    printer.values(&base);
    printer.text("[");
    printer.values(&indices);
    printer.text("], ");
    printer.values(&[padding, mask].concat());
    let hidden = hidden_transfer_keys(printer, op);
    printer.dict(op, &hidden);
    printer.text(" : ");
    printer.types_of(values.get(..1).unwrap_or(&[]));
    printer.text(", ");
    printer.result_type(op, 0);
}

fn parse_write(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let stored = p.next()?;
    let base = p.next()?;
    let list = p.fields.group(Rule::indices);
    let mask = p.fields.take(Rule::value);
    p.dict()?;
    let (from, to) = two_types(&mut p)?;
    p.build.operand(&stored, from.clone());
    p.build.operand(&base, to.clone());
    let count = list.map_or(0, |list| indices(list, &mut p.build));
    let mut masks = 0;
    if let Some(mask) = mask {
        p.build.operand(&mask, mask_of(&from));
        masks = 1;
    }
    p.build.segments(&[1, 1, count, masks]);
    if matches!(to, Type::Tensor(_)) {
        p.build.results.push(to);
    }
    p.create()
}

fn print_write(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let [stored, base, indices, mask] = [0, 1, 2, 3].map(|n| group(printer, op, n));
    printer.text(" ");
    printer.values(&[stored, base].concat());
    printer.text("[");
    printer.values(&indices);
    printer.text("]");
    if !mask.is_empty() {
        printer.text(", ");
        printer.values(&mask);
    }
    let hidden = hidden_transfer_keys(printer, op);
    printer.dict(op, &hidden);
    printer.text(" : ");
    printer.types_of(values.get(..2).unwrap_or(&[]));
}
