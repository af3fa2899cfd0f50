//! Parallel loops of `scf` and `affine`.

use std::sync::Arc;

use super::fragments::{
    group, mixed, print_arrow, print_mixed_in, result_types, static_numbers, typed_values,
};
use super::scf::{print_bound, print_results, results, style};
use super::syntax::OwnSyntax;
use crate::ir::{AffineMap, Attr, DenseElements, Op, TensorType, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{AffineNames, Fields, OpParser, ParseFailed, RegionStyle, codes};
use crate::text::print::{Printer, write_affine};

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::ScfParallel, Rule::scf_parallel, parse_parallel, print_parallel),
    (OpKind::ScfReduce, Rule::scf_reduce, parse_reduce, print_reduce),
    (OpKind::ScfForall, Rule::scf_forall, parse_forall, print_forall),
    (OpKind::ScfInParallel, Rule::scf_in_parallel, parse_in_parallel, print_in_parallel),
    (OpKind::AffineParallel, Rule::affine_parallel, parse_affine, print_affine),
];

/// Reductions of `affine.parallel` by number (`mlir: include/mlir/Dialect/Arith/IR/ArithBase.td`, AtomicRMWKind).
const REDUCTIONS: [&str; 16] = [
    "addf", "addi", "assign", "maximumf", "maxs", "maxu", "minimumf", "mins", "minu", "mulf",
    "muli", "ori", "andi", "maxnumf", "minnumf", "xori",
];

/// The names in `(%i, %j)`.
fn names<'s>(p: &mut OpParser<'_, 's>) -> Result<Vec<&'s str>, ParseFailed> {
    let list = p.next()?;
    let mut names = Vec::new();
    for values in list.into_inner() {
        names.extend(values.into_inner().map(|value| value.as_str()));
    }
    Ok(names)
}

/// The values in `(%a, %b)`, of type `index`; returns how many.
fn values(p: &mut OpParser<'_, '_>) -> Result<usize, ParseFailed> {
    let before = p.build.operands.len();
    for name in names(p)? {
        p.build.operands.push((name, Type::Index));
    }
    Ok(p.build.operands.len() - before)
}

/// Counters of the body.
fn counters(names: Vec<&str>) -> Vec<(&str, Type)> {
    names.into_iter().map(|name| (name, Type::Index)).collect()
}

fn print_names(printer: &mut Printer<'_>, values: &[Value]) {
    printer.text("(");
    printer.values(values);
    printer.text(")");
}

/// The arguments of the body.
fn arguments(printer: &Printer<'_>, op: Op) -> Vec<Value> {
    let body = printer.m.entry(op, 0);
    body.map_or_else(Vec::new, |block| printer.m.block_args(block).to_vec())
}

// ---- scf.parallel, scf.reduce ----

fn parse_parallel(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let names = names(&mut p)?;
    let bounds = [values(&mut p)?, values(&mut p)?, values(&mut p)?];
    let first = p.build.operands.len();
    let inits = match p.fields.peek_rule() {
        Some(Rule::value_list) => values(&mut p)?,
        _ => 0,
    };
    let types = results(&mut p)?;
    p.parser
        .literals()
        .same_count(p.build.text, inits, types.len())?;
    for (init, ty) in p.build.operands.iter_mut().skip(first).zip(&types) {
        init.1 = ty.clone();
    }
    p.build.segments(&[bounds[0], bounds[1], bounds[2], inits]);
    let style = style(OpKind::ScfReduce, types.len());
    p.build.results = types.into();
    let op = p.create()?;
    p.parser.region(op, &counters(names), style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_parallel(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    print_names(printer, &arguments(printer, op));
    for (n, word) in [" = ", " to ", " step "].into_iter().enumerate() {
        printer.text(word);
        print_names(printer, &group(printer, op, n));
    }
    let inits = group(printer, op, 3);
    if !inits.is_empty() {
        printer.text(" init ");
        print_names(printer, &inits);
        print_arrow(printer, op);
    }
    printer.text(" ");
    printer.region_with(op, 0, false, inits.is_empty());
    printer.dict(op, &["operandSegmentSizes"]);
}

fn parse_reduce(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let count = match p.fields.group(Rule::typed_values) {
        Some(fields) => p.within(fields, typed_values)?,
        None => 0,
    };
    let op = p.create()?;
    for n in 0..count {
        if n > 0 {
            p.parser.cursor.expect(",")?;
        }
        p.parser.region(op, &[], RegionStyle::default())?;
    }
    Ok(op)
}

fn print_reduce(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    if values.is_empty() {
        return;
    }
    printer.text("(");
    printer.values(&values);
    printer.text(" : ");
    printer.types_of(&values);
    printer.text(")");
    for n in 0..printer.m.regions_of(op).len() {
        printer.text(if n > 0 { ", " } else { " " });
        printer.region_with(op, n, true, false);
    }
}

// ---- scf.forall ----

fn parse_forall(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let mut names = counters(names(&mut p)?);
    let mut lists = Vec::new();
    let mut dynamic = Vec::new();
    while let Some(list) = p.fields.group(Rule::number_list) {
        let before = p.build.operands.len();
        lists.push(mixed(&mut p, list, &Type::Index)?);
        dynamic.push(p.build.operands.len() - before);
    }
    if lists.len() == 1 {
        // `in` gives the upper bounds: from 0, in steps of 1.
        let all = |number| Attr::i64_array(names.iter().map(|_| number));
        lists = vec![all(0), lists.remove(0), all(1)];
        dynamic = vec![0, dynamic[0], 0];
    }
    let mut outputs = Vec::new();
    if let Some(list) = p.fields.group(Rule::shared_outs) {
        for assignment in list.rest() {
            let mut parts = Fields::of(assignment);
            outputs.push((
                parts.next(&mut p.parser.cursor)?.as_str(),
                parts.next(&mut p.parser.cursor)?,
            ));
        }
    }
    let types = results(&mut p)?;
    p.parser
        .literals()
        .same_count(p.build.text, outputs.len(), types.len())?;
    for ((name, output), ty) in outputs.iter().zip(&types) {
        p.build.operand(output, ty.clone());
        names.push((*name, ty.clone()));
    }
    dynamic.push(outputs.len());
    p.build.segments(&dynamic);
    let keys = ["staticLowerBound", "staticUpperBound", "staticStep"];
    for (key, list) in keys.into_iter().zip(lists) {
        p.build.attr(key, list);
    }
    p.build.results = types.into();
    let op = p.create()?;
    let style = RegionStyle {
        implied_terminator: Some(OpKind::ScfInParallel),
    };
    p.parser.region(op, &names, style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

/// `(1, %a)`: numbers of an attribute with values.
fn print_numbers(printer: &mut Printer<'_>, op: Op, key: &str, operand: usize) -> usize {
    print_mixed_in(printer, op, key, operand, ["(", ")"])
}

fn print_forall(printer: &mut Printer<'_>, op: Op) {
    let outputs = group(printer, op, 3);
    let args = arguments(printer, op);
    let (counters, shared) = args.split_at(args.len().saturating_sub(outputs.len()));
    printer.text(" ");
    print_names(printer, counters);
    let is_all = |key, number| {
        static_numbers(printer, op, key)
            .iter()
            .all(|n| *n == number)
    };
    if is_all("staticLowerBound", 0) && is_all("staticStep", 1) {
        printer.text(" in ");
        print_numbers(printer, op, "staticUpperBound", 0);
    } else {
        printer.text(" = ");
        let next = print_numbers(printer, op, "staticLowerBound", 0);
        printer.text(" to ");
        let next = print_numbers(printer, op, "staticUpperBound", next);
        printer.text(" step ");
        print_numbers(printer, op, "staticStep", next);
    }
    if !outputs.is_empty() {
        print_bound(printer, "shared_outs", shared, &outputs);
        print_results(printer, op);
    }
    printer.text(" ");
    let last = printer
        .m
        .entry(op, 0)
        .and_then(|block| printer.m.last_op(block));
    let bare = printer.m.num_results(op) == 0 && last.is_none_or(|end| is_empty(printer, end));
    printer.region_with(op, 0, false, bare);
    let hidden = [
        "operandSegmentSizes",
        "staticLowerBound",
        "staticUpperBound",
        "staticStep",
    ];
    printer.dict(op, &hidden);
}

fn parse_in_parallel(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let op = p.create()?;
    let region = p.parser.region(op, &[], RegionStyle::default())?;
    if p.parser.m.blocks_of(region).is_empty() {
        p.parser.m.add_block(region);
    }
    Ok(op)
}

fn print_in_parallel(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.region_with(op, 0, false, false);
}

/// Whether no region of the operation holds an operation.
fn is_empty(printer: &Printer<'_>, op: Op) -> bool {
    let m = printer.m;
    m.regions_of(op)
        .iter()
        .flat_map(|region| m.blocks_of(*region))
        .all(|block| m.first_op(*block).is_none())
}

// ---- affine.parallel ----

/// Bounds of each dimension as one map, with how many results each has. The operands are added.
fn bounds(p: &mut OpParser<'_, '_>, keys: [&'static str; 2]) -> Result<(), ParseFailed> {
    let list = p.next()?;
    let mut names = AffineNames::of_values();
    let (mut sums, mut groups) = (Vec::new(), Vec::new());
    for extreme in list.into_inner() {
        let before = sums.len();
        for sum in extreme.into_inner() {
            sums.push(p.parser.literals().affine_expr(sum, &mut names, 0)?);
        }
        groups.push(sums.len() - before);
    }
    for value in names.dims.iter().chain(&names.symbols) {
        p.build.operands.push((value, Type::Index));
    }
    let map = AffineMap {
        dims: names.dims.len() as u32,
        symbols: names.symbols.len() as u32,
        results: sums,
    };
    p.build.attr(keys[0], Attr::AffineMap(Arc::new(map)));
    p.build.attr(keys[1], i32_elements(&groups));
    Ok(())
}

/// `dense<[1, 2]> : tensor<2xi32>`
fn i32_elements(numbers: &[usize]) -> Attr {
    let words = numbers
        .iter()
        .map(|n| i32::try_from(*n).unwrap_or(i32::MAX));
    let ty = Type::Tensor(Arc::new(TensorType {
        shape: vec![numbers.len() as i64],
        elem: Type::I32,
        encoding: None,
    }));
    Attr::Dense(Arc::new(DenseElements {
        ty,
        bytes: words.flat_map(i32::to_le_bytes).collect(),
        splat: false,
    }))
}

fn parse_affine(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let names = names(&mut p)?;
    bounds(&mut p, ["lowerBoundsMap", "lowerBoundsGroups"])?;
    bounds(&mut p, ["upperBoundsMap", "upperBoundsGroups"])?;
    let mut steps = vec![1; names.len()];
    if let Some(list) = p.fields.group(Rule::number_list) {
        steps.clear();
        for number in list.rest() {
            steps.push(p.parser.literals().int(number)?);
        }
    }
    let numbers = |list: Vec<i64>| Attr::Array(list.into_iter().map(Attr::i64).collect());
    p.build.attr("steps", numbers(steps));
    let mut reductions = Vec::new();
    if let Some(list) = p.fields.group(Rule::affine_reductions) {
        for word in list.rest() {
            let text = word.as_str().trim_matches('"');
            match REDUCTIONS.iter().position(|name| *name == text) {
                Some(number) => reductions.push(number as i64),
                None => {
                    let message = format!("`{text}` is not a reduction: {}", REDUCTIONS.join(", "));
                    return Err(p.parser.cursor.error(
                        &codes::BAD_ATTRIBUTE,
                        word.as_str(),
                        message,
                    ));
                }
            }
        }
    }
    p.build.attr("reductions", numbers(reductions));
    let types = results(&mut p)?;
    let style = style(OpKind::AffineYield, types.len());
    p.build.results = types.into();
    let op = p.create()?;
    p.parser.region(op, &counters(names), style)?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

/// Prints bounds; returns how many operands they have.
fn print_bounds(
    printer: &mut Printer<'_>,
    op: Op,
    [map, groups]: [&str; 2],
    word: &str,
    values: &[Value],
) -> usize {
    let (Some(Attr::AffineMap(map)), Some(Attr::Dense(groups))) =
        (printer.m.attr(op, map), printer.m.attr(op, groups))
    else {
        return 0;
    };
    let dims = map.dims as usize;
    let name = |n: usize| {
        let mut text = String::new();
        if let Some(value) = values.get(n) {
            printer.write_value(*value, &mut text);
        }
        text
    };
    let mut results = map.results.iter();
    let mut text = String::from("(");
    for (n, count) in groups
        .int_values()
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        text.push_str(if n > 0 { ", " } else { "" });
        if count != 1 {
            text.push_str(word);
            text.push('(');
        }
        for (k, expr) in results.by_ref().take(count.max(0) as usize).enumerate() {
            text.push_str(if k > 0 { ", " } else { "" });
            let dim = |d: u32| name(d as usize);
            let symbol = |s: u32| format!("symbol({})", name(dims + s as usize));
            let _ = write_affine(&mut text, expr, false, &dim, &symbol);
        }
        if count != 1 {
            text.push(')');
        }
    }
    text.push(')');
    let used = dims + map.symbols as usize;
    printer.text(&text);
    used
}

fn print_affine(printer: &mut Printer<'_>, op: Op) {
    let operands: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    print_names(printer, &arguments(printer, op));
    printer.text(" = ");
    let keys = ["lowerBoundsMap", "lowerBoundsGroups"];
    let used = print_bounds(printer, op, keys, "max", &operands);
    printer.text(" to ");
    let keys = ["upperBoundsMap", "upperBoundsGroups"];
    print_bounds(
        printer,
        op,
        keys,
        "min",
        operands.get(used..).unwrap_or(&[]),
    );
    let numbers = |key| match printer.m.attr(op, key) {
        Some(Attr::Array(list)) => list.iter().filter_map(Attr::as_int).collect(),
        _ => Vec::new(),
    };
    let steps: Vec<i64> = numbers("steps");
    if steps.iter().any(|step| *step != 1) {
        let steps: Vec<String> = steps.iter().map(i64::to_string).collect();
        printer.text(&format!(" step ({})", steps.join(", ")));
    }
    let reductions: Vec<i64> = numbers("reductions");
    if !reductions.is_empty() {
        let word = |n: &i64| {
            let name = usize::try_from(*n).ok().and_then(|n| REDUCTIONS.get(n));
            format!("\"{}\"", name.copied().unwrap_or_default())
        };
        let words: Vec<String> = reductions.iter().map(word).collect();
        printer.text(&format!(" reduce ({}) -> (", words.join(", ")));
        let types = result_types(printer, op);
        printer.types(&types);
        printer.text(")");
    }
    printer.text(" ");
    printer.region_with(op, 0, false, reductions.is_empty());
    let hidden = [
        "lowerBoundsMap",
        "lowerBoundsGroups",
        "upperBoundsMap",
        "upperBoundsGroups",
        "steps",
        "reductions",
    ];
    printer.dict(op, &hidden);
}
