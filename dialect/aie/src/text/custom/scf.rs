//! Structured control flow.

use super::fragments::{print_arrow, result_types};
use super::region_style;
use super::syntax::OwnSyntax;
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, ParseFailed, RegionStyle};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::ScfFor, Rule::scf_for, parse_for, print_for),
    (OpKind::ScfIf, Rule::scf_if, parse_if, print_if),
    (OpKind::ScfWhile, Rule::scf_while, parse_while, print_while),
    (OpKind::ScfIndexSwitch, Rule::scf_index_switch, parse_switch, print_switch),
    (OpKind::ScfExecuteRegion, Rule::scf_execute_region, parse_execute, print_execute),
];

/// Regions without results end with an unwritten terminator of this kind.
pub(super) fn style(terminator: OpKind, results: usize) -> RegionStyle {
    RegionStyle {
        implied_terminator: (results == 0).then_some(terminator),
    }
}

/// `iter_args(%a = %b, …) -> (T, …)`, if it comes next: the names inside the loop and the types;
/// the initial values become operands.
pub(super) fn carried<'s>(
    p: &mut OpParser<'_, 's>,
) -> Result<(Vec<&'s str>, Vec<Type>), ParseFailed> {
    let Some(list) = p.fields.group(Rule::iter_args) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let mut names = Vec::new();
    let mut inits = Vec::new();
    for assignment in list.rest() {
        let mut parts = Fields::of(assignment);
        names.push(parts.next(&mut p.parser.cursor)?.as_str());
        inits.push(parts.next(&mut p.parser.cursor)?);
    }
    let types = results(p)?;
    p.parser
        .literals()
        .same_count(p.build.text, names.len(), types.len())?;
    for (init, ty) in inits.iter().zip(&types) {
        p.build.operand(init, ty.clone());
    }
    Ok((names, types))
}

/// ` iter_args(%a = %b) -> (T)`; nothing without carried values.
pub(super) fn print_carried(printer: &mut Printer<'_>, op: Op, args: &[Value], inits: &[Value]) {
    if args.is_empty() {
        return;
    }
    print_bound(printer, "iter_args", args, inits);
    print_results(printer, op);
}

/// ` word(%a = %b, %c = %d)`: arguments of a region with their values.
pub(super) fn print_bound(printer: &mut Printer<'_>, word: &str, args: &[Value], inits: &[Value]) {
    printer.text(" ");
    printer.text(word);
    printer.text("(");
    for (n, (arg, init)) in args.iter().zip(inits).enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        printer.value(*arg);
        printer.text(" = ");
        printer.value(*init);
    }
    printer.text(")");
}

/// The types of `-> (T, U)`, if it comes next.
pub(super) fn results(p: &mut OpParser<'_, '_>) -> Result<Vec<Type>, ParseFailed> {
    match p.fields.group(Rule::result_types) {
        Some(types) => p.parser.literals().types(types),
        None => Ok(Vec::new()),
    }
}

pub(super) fn print_results(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.results(op).collect();
    if !values.is_empty() {
        printer.text(" -> (");
        printer.types_of(&values);
        printer.text(")");
    }
}

// ---- for ----

fn parse_for(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if p.fields.take(Rule::unsigned_cmp).is_some() {
        p.build.attr("unsignedCmp", Attr::Unit);
    }
    let variable = p.next()?;
    let bounds = [p.next()?, p.next()?, p.next()?];
    for bound in &bounds {
        p.build.operand(bound, Type::Index);
    }
    let (names, types) = carried(&mut p)?;
    let ty = match p.fields.take(Rule::ty) {
        Some(ty) => p.parser.literals().ty(ty.as_str())?,
        None => Type::Index,
    };
    for bound in p.build.operands.iter_mut().take(3) {
        bound.1 = ty.clone();
    }
    let mut args = vec![(variable.as_str(), ty)];
    args.extend(names.into_iter().zip(types.iter().cloned()));
    let style = style(OpKind::ScfYield, types.len());
    p.build.results = types.into();
    let op = p.create()?;
    p.parser.region(op, &args, style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_for(printer: &mut Printer<'_>, op: Op) {
    let args = printer
        .m
        .entry(op, 0)
        .map(|b| printer.m.block_args(b).to_vec());
    let args = args.unwrap_or_default();
    if printer.m.flag(op, "unsignedCmp") {
        printer.text(" unsigned");
    }
    printer.text(" ");
    if let Some(variable) = args.first() {
        printer.value(*variable);
    }
    for (n, word) in [" = ", " to ", " step "].into_iter().enumerate() {
        printer.text(word);
        printer.operand(op, n);
    }
    let inits: Vec<_> = printer.m.operands(op).skip(3).collect();
    print_carried(printer, op, args.get(1..).unwrap_or(&[]), &inits);
    if let Some(variable) = args.first() {
        let ty = printer.m.ty(*variable).clone();
        if ty != Type::Index {
            printer.text("  : ");
            printer.ty(&ty);
        }
    }
    printer.text(" ");
    let implied = printer.m.num_results(op) == 0;
    printer.region_with(op, 0, false, implied);
    printer.dict(op, &["unsignedCmp"]);
}

// ---- if ----

fn parse_if(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::I1)?;
    let types = results(&mut p)?;
    let style = style(OpKind::ScfYield, types.len());
    p.build.results = types.into();
    branches(p, style)
}

/// The regions of an operation that may have an `else`.
pub(super) fn branches(mut p: OpParser<'_, '_>, style: RegionStyle) -> Result<Op, ParseFailed> {
    let op = p.create()?;
    let parser = p.parser;
    parser.region(op, &[], style)?;
    if parser.cursor.eat("else") {
        parser.region(op, &[], style)?;
    } else {
        parser.m.add_region(op);
    }
    parser.trailing_dict(op)?;
    Ok(op)
}

fn print_if(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    print_results(printer, op);
    printer.text(" ");
    let implied = printer.m.num_results(op) == 0;
    printer.region_with(op, 0, false, implied);
    if printer.m.entry(op, 1).is_some() {
        printer.text(" else ");
        printer.region_with(op, 1, false, implied);
    }
    printer.dict(op, &[]);
}

// ---- while ----

fn parse_while(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let mut carried = Vec::new();
    while let Some(mut parts) = p.fields.group(Rule::assignment) {
        carried.push((
            parts.next(&mut p.parser.cursor)?,
            parts.next(&mut p.parser.cursor)?,
        ));
    }
    let ty = p.next()?;
    let at = ty.as_str();
    let (inputs, results) = p.parser.literals().fn_type(ty)?;
    p.parser
        .literals()
        .same_count(at, carried.len(), inputs.len())?;
    let mut args = Vec::new();
    for ((name, init), ty) in carried.iter().zip(inputs) {
        p.build.operand(init, ty.clone());
        args.push((name.as_str(), ty));
    }
    p.build.results = results.into();
    let op = p.create()?;
    p.parser.region(op, &args, RegionStyle::default())?;
    p.parser.cursor.expect("do")?;
    p.parser.region(op, &[], RegionStyle::default())?;
    let mut tail = p.parser.cursor.fields(Rule::scf_attributes)?;
    if let Some(dict) = tail.take(Rule::attr_dict) {
        for entry in dict.into_inner() {
            let (key, _, value) = p.parser.literals().entry(entry)?;
            p.parser.m.set_attr(op, key, value);
        }
    }
    Ok(op)
}

fn print_while(printer: &mut Printer<'_>, op: Op) {
    let args = printer
        .m
        .entry(op, 0)
        .map(|b| printer.m.block_args(b).to_vec());
    let args = args.unwrap_or_default();
    if !args.is_empty() {
        printer.text(" (");
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                printer.text(", ");
            }
            printer.value(*arg);
            printer.text(" = ");
            printer.operand(op, n);
        }
        printer.text(")");
    }
    printer.text(" : (");
    let operands: Vec<_> = printer.m.operands(op).collect();
    printer.types_of(&operands);
    printer.text(") -> ");
    let types = result_types(printer, op);
    printer.arrow_types(&types);
    printer.text(" ");
    printer.region_with(op, 0, false, false);
    printer.text(" do ");
    printer.region_with(op, 1, true, false);
    printer.dict_with(op, &[], " attributes ");
}

// ---- index_switch ----

fn parse_switch(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::Index)?;
    p.dict()?;
    let mut types = results(&mut p)?;
    if let Some(more) = p.fields.group(Rule::types) {
        types.extend(p.parser.literals().types(more)?);
    }
    let style = style(OpKind::ScfYield, types.len());
    p.build.results = types.into();
    let op = p.create()?;
    // The default region comes last in text and first in the IR.
    let default = p.parser.m.add_region(op);
    let mut cases = Vec::new();
    while p.parser.cursor.at_word("case") {
        let mut case = p.parser.cursor.fields(Rule::scf_switch_case)?;
        let number = case.next(&mut p.parser.cursor)?;
        cases.push(p.parser.literals().int(number)?);
        p.parser.region(op, &[], style)?;
    }
    p.parser.cursor.expect("default")?;
    let last = p.parser.region(op, &[], style)?;
    p.parser.m.swap_region_contents(default, last);
    p.parser.m.drop_last_region(op);
    p.parser.m.set_attr(op, "cases", Attr::i64_array(cases));
    Ok(op)
}

fn print_switch(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.dict(op, &["cases"]);
    let results: Vec<_> = printer.m.results(op).collect();
    if !results.is_empty() {
        printer.text(" -> ");
        printer.types_of(&results);
    }
    let implied = results.is_empty();
    let cases = match printer.m.attr(op, "cases") {
        Some(Attr::DenseArray(cases)) => cases.values.clone(),
        _ => Vec::new(),
    };
    for (n, case) in cases.iter().enumerate() {
        printer.newline();
        printer.text(&format!("case {case} "));
        printer.region_with(op, n + 1, false, implied);
    }
    printer.newline();
    printer.text("default ");
    printer.region_with(op, 0, false, implied);
}

// ---- execute_region ----

fn parse_execute(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if p.build.text.ends_with("no_inline") {
        p.build.attr("no_inline", Attr::Unit);
    }
    p.build.results = results(&mut p)?.into();
    let style = region_style(p.build.kind);
    let op = p.create()?;
    p.parser.region(op, &[], style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_execute(printer: &mut Printer<'_>, op: Op) {
    print_arrow(printer, op);
    if printer.m.flag(op, "no_inline") {
        printer.text(" no_inline");
    }
    printer.text(" ");
    printer.region_with(op, 0, false, false);
    printer.dict(op, &["no_inline"]);
}
