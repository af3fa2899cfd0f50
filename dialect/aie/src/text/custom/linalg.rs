//! Structured operations on memrefs and tensors, and the tensors themselves.

use super::fragments::{group, print_arrow, typed_values};
use super::linalg_body::{self, product_maps};
use super::syntax::OwnSyntax;
use crate::ir::{Module, Op};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed, RegionStyle};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::LinalgGeneric, Rule::linalg_generic, parse_generic, print_generic),
    (OpKind::LinalgFill, Rule::linalg_named, parse_named, print_named),
    (OpKind::LinalgCopy, Rule::linalg_named, parse_named, print_named),
    (OpKind::LinalgMatmul, Rule::linalg_named, parse_named, print_named),
];

/// Which elements an operation takes for a point of its loops.
const MAPS: &str = "indexing_maps";

// ---- structured operations ----

/// `ins(…)` and `outs(…)`: operands in two groups.
fn ends(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    let mut counts = [0, 0];
    for (n, rule) in [Rule::linalg_ins, Rule::linalg_outs]
        .into_iter()
        .enumerate()
    {
        if let Some(mut list) = p.fields.group(rule)
            && let Some(list) = list.group(Rule::typed_values)
        {
            counts[n] = p.within(list, typed_values)?;
        }
    }
    p.build.segments(&counts);
    Ok(())
}

fn print_ends(printer: &mut Printer<'_>, op: Op) {
    for (n, word) in [" ins(", " outs("].into_iter().enumerate() {
        let list = group(printer, op, n);
        if !list.is_empty() {
            printer.text(word);
            printer.values(&list);
            printer.text(" : ");
            printer.types_of(&list);
            printer.text(")");
        }
    }
}

fn parse_generic(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let first = p.next()?;
    p.parser.literals().trait_into(&mut p.build, first)?;
    ends(&mut p)?;
    p.dict()?;
    let op = p.create()?;
    p.parser.region(op, &[], RegionStyle::default())?;
    let mut tail = p.parser.cursor.fields(Rule::linalg_results)?;
    if let Some(types) = tail.group(Rule::result_types) {
        let types = p.parser.literals().types(types)?;
        p.parser.m.set_results(op, types);
    }
    Ok(op)
}

const TRAIT_KEYS: [&str; 4] = ["doc", MAPS, "iterator_types", "library_call"];

fn print_generic(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    let others: Vec<&str> = m
        .attrs(op)
        .map(|(key, _)| key)
        .filter(|key| !TRAIT_KEYS.contains(key))
        .collect();
    printer.dict(op, &others);
    print_ends(printer, op);
    printer.dict_with(op, &TRAIT_KEYS, " attrs = ");
    printer.text(" ");
    printer.region_with(op, 0, true, false);
    print_arrow(printer, op);
}

/// The body of a named operation is implied by its name and not written.
fn parse_named(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.next()?;
    if let Some(mut maps) = p.fields.group(Rule::linalg_maps) {
        let maps = maps.next(&mut p.parser.cursor)?;
        let maps = p.parser.literals().attr(maps)?;
        p.build.attr(MAPS, maps);
    }
    p.dict()?;
    ends(&mut p)?;
    p.dict()?;
    if let Some(types) = p.fields.group(Rule::result_types) {
        p.build.results = p.parser.literals().types(types)?.into();
    }
    let op = p.create()?;
    complete(&mut p.parser.m, op);
    Ok(op)
}

/// Brings a named operation to the form in which it is kept: with its region, and without maps that
/// are the default.
pub(super) fn complete(m: &mut Module, op: Op) {
    if m.kind(op) == OpKind::LinalgMatmul && m.attr(op, MAPS) == Some(&product_maps()) {
        m.remove_attr(op, MAPS);
    }
    linalg_body::imply(m, op);
}

fn print_named(printer: &mut Printer<'_>, op: Op) {
    if let Some(maps) = printer.m.attr(op, MAPS) {
        printer.text(" indexing_maps = ");
        printer.attr(maps);
    }
    printer.dict(op, &[MAPS]);
    print_ends(printer, op);
    print_arrow(printer, op);
}
