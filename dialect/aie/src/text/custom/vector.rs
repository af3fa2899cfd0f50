//! Vectors.

use super::dict;
use super::dma::{mixed_of, print_mixed};
use super::part::{Part::*, Syntax};
use super::scalar::{FLAG_KEYS, flags, print_flags};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, Stop};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    super::scalar::same_type(OpKind::VectorFma),
    Syntax::own(
        OpKind::VectorBroadcast,
        Rule::vector_broadcast,
        parse_broadcast,
        super::scalar::print_cast,
    ),
    Syntax::own(OpKind::VectorExtract, Rule::vector_extract, parse_extract, print_extract),
    Syntax::own(OpKind::VectorInsert, Rule::vector_insert, parse_insert, print_insert),
    Syntax::own(OpKind::VectorReduction, Rule::vector_reduction, parse_reduction, print_reduction),
    Syntax::own(
        OpKind::VectorMultiReduction,
        Rule::vector_multi_reduction,
        parse_multi_reduction,
        print_multi_reduction,
    ),
    Syntax::own(OpKind::VectorContract, Rule::vector_contract, parse_contract, print_contract),
    Syntax::own(OpKind::VectorTranspose, Rule::vector_transpose, parse_transpose, print_transpose),
    super::scalar::cast(OpKind::VectorShapeCast),
    super::scalar::cast(OpKind::VectorBitcast),
    Syntax::own(OpKind::VectorShuffle, Rule::vector_shuffle, parse_shuffle, print_shuffle),
    super::scalar::cast(OpKind::VectorExtractStridedSlice),
    Syntax::parts(OpKind::VectorInsertStridedSlice, Rule::vector_insert_strided_slice, &[
        Lit(" "), Typed, Lit(", "), Typed, Dict, Lit(" : "), Ty(0), Lit(" into "), Ty(1), SameAs(1),
    ]),
    Syntax::own(
        OpKind::VectorFromElements,
        Rule::vector_from_elements,
        parse_from_elements,
        print_from_elements,
    ),
    Syntax::parts(OpKind::VectorStep, Rule::vector_step, &[Dict, Lit(" : "), ResultTy]),
];

type Made = Result<Op, Stop>;

pub(super) fn next_type<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
) -> Result<Type, Stop> {
    let ty = fields.next(parser)?;
    parser.ty(ty.as_str())
}

/// What one element of a shaped type is; the type itself otherwise.
pub(super) fn element(ty: &Type) -> Type {
    match ty {
        Type::MemRef(m) => m.elem.clone(),
        Type::Tensor(t) => t.elem.clone(),
        Type::Vector(v) => v.elem.clone(),
        other => other.clone(),
    }
}

pub(super) fn shape(ty: &Type) -> &[i64] {
    match ty {
        Type::MemRef(m) => &m.shape,
        Type::Tensor(t) => &t.shape,
        Type::Vector(v) => &v.shape,
        _ => &[],
    }
}

/// A vector's shape with one-bit elements.
pub(super) fn mask_of(ty: &Type) -> Type {
    Type::vector(shape(ty), Type::I1)
}

// ---- elements ----

/// `%x : f32 to vector<4xf32>`; `vector.splat`, the older name, gives the vector's type alone.
fn parse_broadcast<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    fields.next(parser)?;
    let value = fields.next(parser)?;
    dict(parser, fields, &mut build)?;
    let first = next_type(parser, fields)?;
    let (from, to) = match fields.take(Rule::ty) {
        Some(to) => (first, parser.ty(to.as_str())?),
        None => (element(&first), first),
    };
    build.operand(&value, from);
    build.results.push(to);
    build.create(parser)
}

/// A position of numbers and indices.
fn position<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(), Stop> {
    let list = fields.next(parser)?;
    let (_, list) = mixed_of(parser, Fields::of(list), build, &Type::Index)?;
    build.attr("static_position", list);
    Ok(())
}

fn parse_extract<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let source = fields.next(parser)?;
    build.operand(&source, Type::None);
    position(parser, fields, &mut build)?;
    dict(parser, fields, &mut build)?;
    let to = next_type(parser, fields)?;
    let from = next_type(parser, fields)?;
    if let Some(slot) = build.operands.first_mut() {
        slot.1 = from;
    }
    build.results.push(to);
    build.create(parser)
}

fn print_extract(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    print_mixed(printer, op, "static_position", 1);
    printer.dict(op, &["static_position"]);
    printer.text(" : ");
    printer.result_type(op, 0);
    printer.text(" from ");
    if let Some(source) = printer.m.operand(op, 0) {
        printer.types_of(&[source]);
    }
}

fn parse_insert<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let stored = fields.next(parser)?;
    let into = fields.next(parser)?;
    build.operand(&stored, Type::None);
    build.operand(&into, Type::None);
    position(parser, fields, &mut build)?;
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    if let [a, b, ..] = &mut build.operands[..] {
        a.1 = from;
        b.1 = to.clone();
    }
    build.results.push(to);
    build.create(parser)
}

fn print_insert(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    printer.operand(op, 1);
    printer.text(" ");
    print_mixed(printer, op, "static_position", 2);
    printer.dict(op, &["static_position"]);
    printer.text(" : ");
    if let Some(stored) = printer.m.operand(op, 0) {
        printer.types_of(&[stored]);
    }
    printer.text(" into ");
    printer.result_type(op, 0);
}

fn parse_from_elements<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let values = fields.next(parser)?;
    dict(parser, fields, &mut build)?;
    let ty = next_type(parser, fields)?;
    for value in values.into_inner() {
        build.operand(&value, element(&ty));
    }
    build.results.push(ty);
    build.create(parser)
}

fn print_from_elements(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

// ---- combining ----

fn combining_kind<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(), Stop> {
    let kind = fields.next(parser)?;
    let kind = Fields::of(kind).next(parser)?;
    let text = format!("#vector.kind<{}>", kind.as_str());
    build.attr("kind", Attr::Opaque(text.as_str().into()));
    Ok(())
}

fn print_kind(printer: &mut Printer<'_>, op: Op) {
    if let Some(Attr::Opaque(text)) = printer.m.attr(op, "kind") {
        printer.text(" ");
        printer.text(text.trim_start_matches("#vector.kind"));
        printer.text(", ");
    }
}

fn parse_reduction<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    combining_kind(parser, fields, &mut build)?;
    let vector = fields.next(parser)?;
    let acc = fields.take(Rule::value);
    flags(parser, fields, &mut build)?;
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    build.operand(&vector, from);
    if let Some(acc) = acc {
        build.operand(&acc, to.clone());
    }
    build.results.push(to);
    build.create(parser)
}

fn print_reduction(printer: &mut Printer<'_>, op: Op) {
    print_kind(printer, op);
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    print_flags(printer, op);
    printer.dict(op, &[&FLAG_KEYS[..], &["kind"]].concat());
    printer.text(" : ");
    printer.types_of(values.get(..1).unwrap_or(&[]));
    printer.text(" into ");
    printer.result_type(op, 0);
}

/// Numbers only.
fn numbers<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>) -> Result<Attr, Stop> {
    let list = fields.next(parser)?;
    let mut numbers = Vec::new();
    for number in list.into_inner() {
        numbers.push(parser.int(number)?);
    }
    Ok(Attr::i64_array(numbers))
}

fn parse_multi_reduction<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    combining_kind(parser, fields, &mut build)?;
    let source = fields.next(parser)?;
    let acc = fields.next(parser)?;
    let dims = numbers(parser, fields)?;
    build.attr("reduction_dims", dims);
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    build.operand(&source, from);
    build.operand(&acc, to.clone());
    build.results.push(to);
    build.create(parser)
}

fn print_multi_reduction(printer: &mut Printer<'_>, op: Op) {
    print_kind(printer, op);
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    printer.text(" ");
    print_mixed(printer, op, "reduction_dims", 2);
    printer.dict(op, &["kind", "reduction_dims"]);
    printer.text(" : ");
    printer.types_of(values.get(..1).unwrap_or(&[]));
    printer.text(" to ");
    printer.result_type(op, 0);
}

fn parse_contract<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let first = fields.next(parser)?;
    parser.trait_into(&mut build, first)?;
    let values = [
        fields.next(parser)?,
        fields.next(parser)?,
        fields.next(parser)?,
    ];
    dict(parser, fields, &mut build)?;
    for value in &values {
        let ty = next_type(parser, fields)?;
        build.operand(value, ty);
    }
    let result = build
        .operands
        .last()
        .map_or(Type::None, |(_, ty)| ty.clone());
    build.results.push(result);
    build.create(parser)
}

fn print_contract(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.dict(op, &[]);
    printer.text(" ");
    printer.values(&values);
    printer.text(" : ");
    printer.types_of(values.get(..2).unwrap_or(&[]));
    printer.text(" into ");
    printer.result_type(op, 0);
}

// ---- shapes ----

fn parse_transpose<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let vector = fields.next(parser)?;
    let order = numbers(parser, fields)?;
    build.attr("permutation", order);
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    build.operand(&vector, from);
    build.results.push(to);
    build.create(parser)
}

fn print_transpose(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    print_mixed(printer, op, "permutation", 1);
    printer.dict(op, &["permutation"]);
    printer.text(" : ");
    if let Some(vector) = printer.m.operand(op, 0) {
        printer.types_of(&[vector]);
    }
    printer.text(" to ");
    printer.result_type(op, 0);
}

fn parse_shuffle<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let values = [fields.next(parser)?, fields.next(parser)?];
    let mask = numbers(parser, fields)?;
    dict(parser, fields, &mut build)?;
    for value in &values {
        let ty = next_type(parser, fields)?;
        build.operand(value, ty);
    }
    let picked = match &mask {
        Attr::DenseArray(mask) => mask.values.len() as i64,
        _ => 0,
    };
    if let Some((_, Type::Vector(v))) = build.operands.first() {
        let mut shape = v.shape.clone();
        if let Some(first) = shape.first_mut() {
            *first = picked;
        } else {
            shape.push(picked);
        }
        let elem = v.elem.clone();
        build.results.push(Type::vector(shape, elem));
    }
    build.attr("mask", mask);
    build.create(parser)
}

fn print_shuffle(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    printer.text(" ");
    print_mixed(printer, op, "mask", 2);
    printer.dict(op, &["mask"]);
    printer.text(" : ");
    printer.types_of(&values);
}
