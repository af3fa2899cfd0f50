//! Structured control flow.

use super::part::Syntax;
use super::{dict, region_style, trailing_dict};
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, RegionStyle, Stop};
use crate::text::print::Printer;

pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::ScfFor, Rule::scf_for, parse_for, print_for),
    Syntax::own(OpKind::ScfIf, Rule::scf_if, parse_if, print_if),
    Syntax::own(OpKind::ScfWhile, Rule::scf_while, parse_while, print_while),
    Syntax::own(
        OpKind::ScfCondition,
        Rule::scf_condition,
        parse_condition,
        print_condition,
    ),
    Syntax::own(
        OpKind::ScfIndexSwitch,
        Rule::scf_index_switch,
        parse_switch,
        print_switch,
    ),
    Syntax::own(
        OpKind::ScfExecuteRegion,
        Rule::scf_execute_region,
        parse_execute,
        print_execute,
    ),
    Syntax::own(
        OpKind::ScfYield,
        Rule::values_and_types,
        super::func::parse_values,
        super::func::print_values,
    ),
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
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(Vec<&'s str>, Vec<Type>), Stop> {
    let Some(list) = fields.group(Rule::iter_args) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let mut names = Vec::new();
    let mut inits = Vec::new();
    for assignment in list.rest() {
        let mut parts = Fields::of(assignment);
        names.push(parts.next(parser)?.as_str());
        inits.push(parts.next(parser)?);
    }
    let types = results(parser, fields)?;
    parser.same_count(build.text, names.len(), types.len())?;
    for (init, ty) in inits.iter().zip(&types) {
        build.operand(init, ty.clone());
    }
    Ok((names, types))
}

/// ` iter_args(%a = %b) -> (T)`; nothing without carried values.
pub(super) fn print_carried(printer: &mut Printer<'_>, op: Op, args: &[Value], inits: &[Value]) {
    if args.is_empty() {
        return;
    }
    printer.text(" iter_args(");
    for (n, (arg, init)) in args.iter().zip(inits).enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        printer.value(*arg);
        printer.text(" = ");
        printer.value(*init);
    }
    printer.text(")");
    print_results(printer, op);
}

/// The types of `-> (T, U)`, if it comes next.
pub(super) fn results<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
) -> Result<Vec<Type>, Stop> {
    match fields.group(Rule::result_types) {
        Some(types) => parser.types(types),
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

fn parse_for<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    if fields.take(Rule::unsigned_cmp).is_some() {
        build.attr("unsignedCmp", Attr::Unit);
    }
    let variable = fields.next(parser)?;
    let bounds = [
        fields.next(parser)?,
        fields.next(parser)?,
        fields.next(parser)?,
    ];
    for bound in &bounds {
        build.operand(bound, Type::Index);
    }
    let (names, types) = carried(parser, fields, &mut build)?;
    let ty = match fields.take(Rule::ty) {
        Some(ty) => parser.ty(ty.as_str())?,
        None => Type::Index,
    };
    for bound in build.operands.iter_mut().take(3) {
        bound.1 = ty.clone();
    }
    let mut args = vec![(variable.as_str(), ty)];
    args.extend(names.into_iter().zip(types.iter().cloned()));
    let style = style(OpKind::ScfYield, types.len());
    build.results = types.into();
    let op = build.create(parser)?;
    parser.region(op, &args, style)?;
    trailing_dict(parser, op)?;
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

fn parse_if<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let condition = fields.next(parser)?;
    build.operand(&condition, Type::I1);
    let types = results(parser, fields)?;
    let style = style(OpKind::ScfYield, types.len());
    build.results = types.into();
    branches(parser, build, style)
}

/// The regions of an operation that may have an `else`.
pub(super) fn branches<'s>(
    parser: &mut Parser<'s>,
    build: Build<'s>,
    style: RegionStyle,
) -> Result<Op, Stop> {
    let op = build.create(parser)?;
    parser.region(op, &[], style)?;
    if parser.eat("else") {
        parser.region(op, &[], style)?;
    } else {
        parser.m.add_region(op);
    }
    trailing_dict(parser, op)?;
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

fn parse_while<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let mut carried = Vec::new();
    while let Some(mut parts) = fields.group(Rule::assignment) {
        carried.push((parts.next(parser)?, parts.next(parser)?));
    }
    let ty = fields.next(parser)?;
    let at = ty.as_str();
    let (inputs, results) = parser.fn_type(ty)?;
    parser.same_count(at, carried.len(), inputs.len())?;
    let mut args = Vec::new();
    for ((name, init), ty) in carried.iter().zip(inputs) {
        build.operand(init, ty.clone());
        args.push((name.as_str(), ty));
    }
    build.results = results.into();
    let op = build.create(parser)?;
    parser.region(op, &args, RegionStyle::default())?;
    parser.expect("do")?;
    parser.region(op, &[], RegionStyle::default())?;
    let mut tail = parser.fields(Rule::scf_attributes)?;
    if let Some(dict) = tail.take(Rule::attr_dict) {
        for entry in dict.into_inner() {
            let (key, _, value) = parser.entry(entry)?;
            parser.m.set_attr(op, key, value);
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
    let types: Vec<Type> = printer
        .m
        .results(op)
        .map(|r| printer.m.ty(r).clone())
        .collect();
    printer.arrow_types(&types);
    printer.text(" ");
    printer.region_with(op, 0, false, false);
    printer.text(" do ");
    printer.region_with(op, 1, true, false);
    printer.dict_with(op, &[], " attributes ");
}

fn parse_condition<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let condition = fields.next(parser)?;
    build.operand(&condition, Type::I1);
    dict(parser, fields, &mut build)?;
    super::func::typed_values(parser, fields, &mut build)?;
    build.create(parser)
}

fn print_condition(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.operand(op, 0);
    printer.text(")");
    printer.dict(op, &[]);
    let values: Vec<_> = printer.m.operands(op).skip(1).collect();
    if !values.is_empty() {
        printer.text(" ");
        printer.values(&values);
        printer.text(" : ");
        printer.types_of(&values);
    }
}

// ---- index_switch ----

fn parse_switch<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let index = fields.next(parser)?;
    build.operand(&index, Type::Index);
    dict(parser, fields, &mut build)?;
    let types = results(parser, fields)?;
    let style = style(OpKind::ScfYield, types.len());
    build.results = types.into();
    let op = build.create(parser)?;
    // The default region comes last in text and first in the IR.
    let default = parser.m.add_region(op);
    let mut cases = Vec::new();
    while parser.at_word("case") {
        let mut case = parser.fields(Rule::scf_switch_case)?;
        let number = case.next(parser)?;
        cases.push(parser.int(number)?);
        parser.region(op, &[], style)?;
    }
    parser.expect("default")?;
    let last = parser.region(op, &[], style)?;
    parser.m.swap_region_contents(default, last);
    parser.m.drop_last_region(op);
    parser.m.set_attr(op, "cases", Attr::i64_array(cases));
    Ok(op)
}

fn print_switch(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.dict(op, &["cases"]);
    let results: Vec<_> = printer.m.results(op).collect();
    if !results.is_empty() {
        printer.text(" -> ");
        let types: Vec<Type> = results.iter().map(|r| printer.m.ty(*r).clone()).collect();
        printer.arrow_types(&types);
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

fn parse_execute<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    if build.text.ends_with("no_inline") {
        build.attr("no_inline", Attr::Unit);
    }
    build.results = results(parser, fields)?.into();
    let style = region_style(build.kind);
    let op = build.create(parser)?;
    parser.region(op, &[], style)?;
    trailing_dict(parser, op)?;
    Ok(op)
}

fn print_execute(printer: &mut Printer<'_>, op: Op) {
    let types: Vec<Type> = printer
        .m
        .results(op)
        .map(|r| printer.m.ty(r).clone())
        .collect();
    if !types.is_empty() {
        printer.text(" -> ");
        printer.arrow_types(&types);
    }
    if printer.m.flag(op, "no_inline") {
        printer.text(" no_inline");
    }
    printer.text(" ");
    printer.region_with(op, 0, false, false);
    printer.dict(op, &["no_inline"]);
}
