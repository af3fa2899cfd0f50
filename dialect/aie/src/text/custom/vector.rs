//! Vectors.

use super::dma::{mixed_of, print_mixed};
use super::part::{Part::*, Syntax};
use super::scalar::{FLAG_KEYS, flags, print_flags};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, Stop};
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
fn parse_broadcast(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let value = p.next()?;
    p.dict()?;
    let first = p.next_type()?;
    let (from, to) = match p.fields.take(Rule::ty) {
        Some(to) => (first, p.parser.ty(to.as_str())?),
        None => (element(&first), first),
    };
    p.build.operand(&value, from);
    p.build.results.push(to);
    p.create()
}

/// A position of numbers and indices.
fn position(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
    let list = p.next()?;
    let (_, list) = mixed_of(p, Fields::of(list), &Type::Index)?;
    p.build.attr("static_position", list);
    Ok(())
}

fn parse_extract(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::None)?;
    position(&mut p)?;
    p.dict()?;
    let to = p.next_type()?;
    let from = p.next_type()?;
    if let Some(slot) = p.build.operands.first_mut() {
        slot.1 = from;
    }
    p.build.results.push(to);
    p.create()
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

fn parse_insert(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let stored = p.next()?;
    let into = p.next()?;
    p.build.operand(&stored, Type::None);
    p.build.operand(&into, Type::None);
    position(&mut p)?;
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    if let [a, b, ..] = &mut p.build.operands[..] {
        a.1 = from;
        b.1 = to.clone();
    }
    p.build.results.push(to);
    p.create()
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

fn parse_from_elements(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let values = p.next()?;
    p.dict()?;
    let ty = p.next_type()?;
    for value in values.into_inner() {
        p.build.operand(&value, element(&ty));
    }
    p.build.results.push(ty);
    p.create()
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

fn combining_kind(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
    let kind = p.next()?;
    let kind = Fields::of(kind).next(p.parser)?;
    let text = format!("#vector.kind<{}>", kind.as_str());
    p.build.attr("kind", Attr::Opaque(text.as_str().into()));
    Ok(())
}

fn print_kind(printer: &mut Printer<'_>, op: Op) {
    if let Some(Attr::Opaque(text)) = printer.m.attr(op, "kind") {
        printer.text(" ");
        printer.text(text.trim_start_matches("#vector.kind"));
        printer.text(", ");
    }
}

fn parse_reduction(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    combining_kind(&mut p)?;
    let vector = p.next()?;
    let acc = p.fields.take(Rule::value);
    flags(&mut p)?;
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    p.build.operand(&vector, from);
    if let Some(acc) = acc {
        p.build.operand(&acc, to.clone());
    }
    p.build.results.push(to);
    p.create()
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
fn numbers(p: &mut OpParser<'_, '_>) -> Result<Attr, Stop> {
    let list = p.next()?;
    let mut numbers = Vec::new();
    for number in list.into_inner() {
        numbers.push(p.parser.int(number)?);
    }
    Ok(Attr::i64_array(numbers))
}

fn parse_multi_reduction(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    combining_kind(&mut p)?;
    let source = p.next()?;
    let acc = p.next()?;
    let dims = numbers(&mut p)?;
    p.build.attr("reduction_dims", dims);
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    p.build.operand(&source, from);
    p.build.operand(&acc, to.clone());
    p.build.results.push(to);
    p.create()
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

fn parse_contract(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let first = p.next()?;
    p.parser.trait_into(&mut p.build, first)?;
    let values = [p.next()?, p.next()?, p.next()?];
    p.dict()?;
    for value in &values {
        let ty = p.next_type()?;
        p.build.operand(value, ty);
    }
    let result = p
        .build
        .operands
        .last()
        .map_or(Type::None, |(_, ty)| ty.clone());
    p.build.results.push(result);
    p.create()
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

fn parse_transpose(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let vector = p.next()?;
    let order = numbers(&mut p)?;
    p.build.attr("permutation", order);
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    p.build.operand(&vector, from);
    p.build.results.push(to);
    p.create()
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

fn parse_shuffle(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let values = [p.next()?, p.next()?];
    let mask = numbers(&mut p)?;
    p.dict()?;
    for value in &values {
        let ty = p.next_type()?;
        p.build.operand(value, ty);
    }
    let picked = match &mask {
        Attr::DenseArray(mask) => mask.values.len() as i64,
        _ => 0,
    };
    if let Some((_, Type::Vector(v))) = p.build.operands.first() {
        let mut shape = v.shape.clone();
        if let Some(first) = shape.first_mut() {
            *first = picked;
        } else {
            shape.push(picked);
        }
        let elem = v.elem.clone();
        p.build.results.push(Type::vector(shape, elem));
    }
    p.build.attr("mask", mask);
    p.create()
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
