//! Affine loops and accesses.

use std::sync::Arc;

use super::fragments::{element, group, indices};
use super::scf::{branches, carried, print_carried, print_results, results, style};
use super::syntax::OwnSyntax;
use crate::ir::{AffineExpr, AffineMap, Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{AffineNames, Fields, OpParser, ParseFailed, Parser, codes};
use crate::text::print::{Printer, write_affine};

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::AffineFor, Rule::affine_for, parse_for, print_for),
    (OpKind::AffineIf, Rule::affine_if, parse_if, print_if),
    (OpKind::AffineLoad, Rule::affine_load, parse_load, print_load),
    (OpKind::AffineStore, Rule::affine_store, parse_store, print_store),
    (OpKind::AffineVectorLoad, Rule::affine_vector_load, parse_load, print_load),
    (OpKind::AffineVectorStore, Rule::affine_vector_store, parse_store, print_store),
    (OpKind::AffineApply, Rule::affine_apply, parse_apply, print_apply),
    (OpKind::AffineMin, Rule::affine_apply, parse_apply, print_apply),
    (OpKind::AffineMax, Rule::affine_apply, parse_apply, print_apply),
];

fn map(dims: u32, symbols: u32, results: Vec<AffineExpr>) -> Attr {
    Attr::AffineMap(Arc::new(AffineMap {
        dims,
        symbols,
        results,
    }))
}

// ---- maps applied to values ----

/// The values in `(%d)[%s]`; returns how many.
fn operands(p: &mut OpParser<'_, '_>) -> Result<usize, ParseFailed> {
    let list = p.next()?;
    let mut count = 0;
    for part in list.into_inner() {
        count += indices(Fields::of(part), &mut p.build);
    }
    Ok(count)
}

fn print_operands(printer: &mut Printer<'_>, dims: usize, values: &[Value]) {
    let (dims, symbols) = values.split_at(dims.min(values.len()));
    printer.text("(");
    printer.values(dims);
    printer.text(")");
    if !symbols.is_empty() {
        printer.text("[");
        printer.values(symbols);
        printer.text("]");
    }
}

fn dims_of(attr: Option<&Attr>) -> usize {
    match attr {
        Some(Attr::AffineMap(map)) => map.dims as usize,
        Some(Attr::AffineSet(text)) => text
            .split_once(')')
            .map_or(0, |(list, _)| list.matches('d').count()),
        _ => 0,
    }
}

// ---- for ----

/// A bound as a map; returns how many operands it has.
fn bound<'s>(p: &mut OpParser<'_, 's>, key: &'static str) -> Result<usize, ParseFailed> {
    let bound = p.next()?;
    let mut parts = Fields::of(bound);
    let first = parts.next(&mut p.parser.cursor)?;
    let (attr, count) = match first.as_rule() {
        Rule::int => (
            map(
                0,
                0,
                vec![AffineExpr::Const(p.parser.literals().int(first)?)],
            ),
            0,
        ),
        Rule::value => {
            p.build.operand(&first, Type::Index);
            (map(0, 1, vec![AffineExpr::Symbol(0)]), 1)
        }
        _ => {
            let attr = affine_map(p.parser, first)?;
            (attr, p.within(parts, operands)?)
        }
    };
    p.build.attr(key, attr);
    Ok(count)
}

fn affine_map<'s>(
    parser: &mut Parser<'s>,
    pair: crate::text::parse::Pair<'s>,
) -> Result<Attr, ParseFailed> {
    let at = pair.as_str();
    match parser.literals().attr(pair)? {
        attr @ (Attr::AffineMap(_) | Attr::AffineSet(_)) => Ok(attr),
        _ => {
            let message = "expected an affine map".to_string();
            Err(parser.cursor.error(&codes::BAD_ATTRIBUTE, at, message))
        }
    }
}

fn parse_for(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let variable = p.next()?;
    let lower = bound(&mut p, "lowerBoundMap")?;
    let upper = bound(&mut p, "upperBoundMap")?;
    let step = match p.fields.take(Rule::int) {
        Some(step) => p.parser.literals().int(step)?,
        None => 1,
    };
    p.build.attr("step", Attr::Int(step, Type::Index));
    let (names, types) = carried(&mut p)?;
    p.build.segments(&[lower, upper, types.len()]);
    let mut args = vec![(variable.as_str(), Type::Index)];
    args.extend(names.into_iter().zip(types.iter().cloned()));
    let style = style(OpKind::AffineYield, types.len());
    p.build.results = types.into();
    let op = p.create()?;
    p.parser.region(op, &args, style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_bound(printer: &mut Printer<'_>, op: Op, key: &str, word: &str, values: &[Value]) {
    let Some(attr @ Attr::AffineMap(map)) = printer.m.attr(op, key) else {
        return;
    };
    match (&map.results[..], values) {
        ([AffineExpr::Const(n)], []) => return printer.text(&n.to_string()),
        ([AffineExpr::Symbol(0)], [value]) if map.dims == 0 => return printer.value(*value),
        ([_], _) => {}
        _ => {
            printer.text(word);
            printer.text(" ");
        }
    }
    printer.attr(attr);
    print_operands(printer, map.dims as usize, values);
}

fn print_for(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    let [lower, upper, inits] = [0, 1, 2].map(|n| group(printer, op, n));
    let args = m.entry(op, 0).map_or(&[][..], |b| m.block_args(b));
    printer.text(" ");
    if let Some(variable) = args.first() {
        printer.value(*variable);
    }
    printer.text(" = ");
    print_bound(printer, op, "lowerBoundMap", "max", &lower);
    printer.text(" to ");
    print_bound(printer, op, "upperBoundMap", "min", &upper);
    let step = m.int_attr(op, "step").unwrap_or(1);
    if step != 1 {
        printer.text(&format!(" step {step}"));
    }
    print_carried(printer, op, args.get(1..).unwrap_or(&[]), &inits);
    printer.text(" ");
    let implied = m.num_results(op) == 0;
    printer.region_with(op, 0, false, implied);
    printer.dict(op, &["lowerBoundMap", "upperBoundMap", "step"]);
}

// ---- if ----

fn parse_if(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let condition = p.next()?;
    let condition = affine_map(p.parser, condition)?;
    p.build.attr("condition", condition);
    operands(&mut p)?;
    let types = results(&mut p)?;
    let style = style(OpKind::AffineYield, types.len());
    p.build.results = types.into();
    branches(p, style)
}

fn print_if(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    let condition = printer.m.attr(op, "condition");
    if let Some(condition) = condition {
        printer.attr(condition);
    }
    print_operands(printer, dims_of(condition), &values);
    print_results(printer, op);
    printer.text(" ");
    let implied = printer.m.num_results(op) == 0;
    printer.region_with(op, 0, false, implied);
    if printer.m.entry(op, 1).is_some() {
        printer.text(" else ");
        printer.region_with(op, 1, false, implied);
    }
    printer.dict(op, &["condition"]);
}

// ---- load, store ----

/// Indices that are expressions of values: a map and its operands.
fn subscript(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    let list = p.next()?;
    let mut names = AffineNames::of_values();
    let mut results = Vec::new();
    for sum in list.into_inner() {
        results.push(p.parser.literals().affine_expr(sum, &mut names, 0)?);
    }
    for value in names.dims.iter().chain(&names.symbols) {
        p.build.operands.push((value, Type::Index));
    }
    let (dims, symbols) = (names.dims.len() as u32, names.symbols.len() as u32);
    p.build.attr("map", map(dims, symbols, results));
    Ok(())
}

fn print_subscript(printer: &mut Printer<'_>, op: Op, values: &[Value]) {
    let Some(Attr::AffineMap(map)) = printer.m.attr(op, "map") else {
        return;
    };
    let name = |n: usize| {
        let mut text = String::new();
        if let Some(value) = values.get(n) {
            printer.write_value(*value, &mut text);
        }
        text
    };
    let mut text = String::from("[");
    for (n, expr) in map.results.iter().enumerate() {
        if n > 0 {
            text.push_str(", ");
        }
        let dim = |d: u32| name(d as usize);
        let symbol = |s: u32| format!("symbol({})", name(map.dims as usize + s as usize));
        let _ = write_affine(&mut text, expr, false, &dim, &symbol);
    }
    text.push(']');
    printer.text(&text);
}

fn parse_load(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::None)?;
    subscript(&mut p)?;
    p.dict()?;
    let ty = p.next_type()?;
    let result = match p.fields.take(Rule::ty) {
        Some(vector) => p.parser.literals().ty(vector.as_str())?,
        None => element(&ty),
    };
    if let Some(slot) = p.build.operands.first_mut() {
        slot.1 = ty;
    }
    p.build.results.push(result);
    p.create()
}

fn print_access(printer: &mut Printer<'_>, op: Op, memref: usize) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.operand(op, memref);
    print_subscript(printer, op, values.get(memref + 1..).unwrap_or(&[]));
    printer.dict(op, &["map"]);
    printer.text(" : ");
    if let Some(memref) = values.get(memref) {
        printer.types_of(&[*memref]);
    }
}

fn print_load(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    print_access(printer, op, 0);
    if printer.m.kind(op) == OpKind::AffineVectorLoad {
        printer.text(", ");
        printer.result_type(op, 0);
    }
}

fn parse_store(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let stored = p.next()?;
    p.build.operand(&stored, Type::None);
    p.operand(Type::None)?;
    subscript(&mut p)?;
    p.dict()?;
    let ty = p.next_type()?;
    let stored = match p.fields.take(Rule::ty) {
        Some(vector) => p.parser.literals().ty(vector.as_str())?,
        None => element(&ty),
    };
    if let [a, b, ..] = &mut p.build.operands[..] {
        a.1 = stored;
        b.1 = ty;
    }
    p.create()
}

fn print_store(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    print_access(printer, op, 1);
    if printer.m.kind(op) == OpKind::AffineVectorStore
        && let Some(stored) = printer.m.operand(op, 0)
    {
        printer.text(", ");
        printer.types_of(&[stored]);
    }
}

// ---- apply, min, max ----

fn parse_apply(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.next()?;
    let attr = p.next()?;
    let attr = affine_map(p.parser, attr)?;
    p.build.attr("map", attr);
    operands(&mut p)?;
    p.dict()?;
    p.build.results.push(Type::Index);
    p.create()
}

fn print_apply(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    let attr = printer.m.attr(op, "map");
    if let Some(attr) = attr {
        printer.attr(attr);
    }
    print_operands(printer, dims_of(attr), &values);
    printer.dict(op, &["map"]);
}
