//! Structured operations on memrefs and tensors, and the tensors themselves.

use super::func::typed_values;
use super::linalg_body::{self, product_maps};
use super::memref::indices;
use super::part::{NameHint, Part::*, Syntax, T};
use crate::ir::{Module, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, RegionStyle, Stop};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::LinalgGeneric, Rule::linalg_generic, parse_generic, print_generic),
    Syntax::own(OpKind::LinalgFill, Rule::linalg_named, parse_named, print_named),
    Syntax::own(OpKind::LinalgCopy, Rule::linalg_named, parse_named, print_named),
    Syntax::own(OpKind::LinalgMatmul, Rule::linalg_named, parse_named, print_named),
    Syntax::own(
        OpKind::LinalgYield,
        Rule::values_and_types,
        super::func::parse_values,
        super::func::print_values,
    ),
    Syntax::parts(OpKind::LinalgIndex, Rule::linalg_index, &[
        Lit(" "), Int("dim", T::I64), Dict, Lit(" : "), ResultTy,
    ]),
    Syntax::own(OpKind::TensorEmpty, Rule::tensor_empty, parse_empty, print_empty),
    Syntax::own(
        OpKind::TensorDim,
        Rule::memref_dim,
        super::memref::parse_dim,
        super::memref::print_dim,
    )
    .hint(NameHint::Fixed("dim")),
    Syntax::own(OpKind::TensorExtract, Rule::tensor_extract, parse_extract, print_extract)
        .hint(NameHint::Fixed("extracted")),
    Syntax::own(OpKind::TensorInsert, Rule::tensor_insert, parse_insert, print_insert)
        .hint(NameHint::Fixed("inserted")),
    super::scalar::cast(OpKind::TensorCast).hint(NameHint::Fixed("cast")),
    Syntax::own(
        OpKind::TensorCollapseShape,
        Rule::memref_collapse_shape,
        super::memref::parse_reshape,
        super::memref::print_reshape,
    )
    .hint(NameHint::Fixed("collapsed")),
    Syntax::own(
        OpKind::TensorExpandShape,
        Rule::memref_expand_shape,
        super::memref::parse_reshape,
        super::memref::print_reshape,
    )
    .hint(NameHint::Fixed("expanded")),
];

/// Which elements an operation takes for a point of its loops.
const MAPS: &str = "indexing_maps";

// ---- structured operations ----

/// `ins(…)` and `outs(…)`: operands in two groups.
fn ends(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
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
    let values: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    for (n, word) in [" ins(", " outs("].into_iter().enumerate() {
        let range = groups.get(n).cloned().unwrap_or(0..0);
        let list = values.get(range).unwrap_or(&[]);
        if !list.is_empty() {
            printer.text(word);
            printer.values(list);
            printer.text(" : ");
            printer.types_of(list);
            printer.text(")");
        }
    }
}

fn print_arrow(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    let types: Vec<Type> = m.results(op).map(|r| m.ty(r).clone()).collect();
    if !types.is_empty() {
        printer.text(" -> ");
        printer.arrow_types(&types);
    }
}

fn parse_generic(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let first = p.next()?;
    p.parser.trait_into(&mut p.build, first)?;
    ends(&mut p)?;
    p.dict()?;
    let op = p.create()?;
    p.parser.region(op, &[], RegionStyle::default())?;
    let mut tail = p.parser.fields(Rule::linalg_results)?;
    if let Some(types) = tail.group(Rule::result_types) {
        let types = p.parser.types(types)?;
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
fn parse_named(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    if let Some(mut maps) = p.fields.group(Rule::linalg_maps) {
        let maps = maps.next(p.parser)?;
        let maps = p.parser.attr(maps)?;
        p.build.attr(MAPS, maps);
    }
    p.dict()?;
    ends(&mut p)?;
    p.dict()?;
    if let Some(types) = p.fields.group(Rule::result_types) {
        p.build.results = p.parser.types(types)?.into();
    }
    let op = p.create()?;
    complete(&mut p.parser.m, op);
    Ok(op)
}

/// Brings a named operation to the form in which it is kept: with its region, and without maps
/// that say nothing new.
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

// ---- tensors ----

fn parse_empty(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(sizes) = p.fields.group(Rule::value_list) {
        indices(sizes, &mut p.build);
    }
    p.dict()?;
    let ty = p.next_type()?;
    p.build.results.push(ty);
    p.create()
}

fn print_empty(printer: &mut Printer<'_>, op: Op) {
    let sizes: Vec<_> = printer.m.operands(op).collect();
    printer.text("(");
    printer.values(&sizes);
    printer.text(")");
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Tensor(t) => t.elem.clone(),
        _ => Type::None,
    }
}

fn parse_extract(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::None)?;
    if let Some(list) = p.fields.group(Rule::indices) {
        indices(list, &mut p.build);
    }
    p.dict()?;
    let ty = p.next_type()?;
    p.build.results.push(element(&ty));
    if let Some(slot) = p.build.operands.first_mut() {
        slot.1 = ty;
    }
    p.create()
}

fn print_extract(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    super::memref::print_element(printer, op, 0);
}

fn parse_insert(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let scalar = p.next()?;
    let tensor = p.next()?;
    p.build.operand(&scalar, Type::None);
    p.build.operand(&tensor, Type::None);
    if let Some(list) = p.fields.group(Rule::indices) {
        indices(list, &mut p.build);
    }
    p.dict()?;
    let ty = p.next_type()?;
    if let [a, b, ..] = &mut p.build.operands[..] {
        a.1 = element(&ty);
        b.1 = ty.clone();
    }
    p.build.results.push(ty);
    p.create()
}

fn print_insert(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(" into ");
    super::memref::print_element(printer, op, 1);
}
