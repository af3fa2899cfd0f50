//! Vectors.

use super::fragments::print_mixed;
use super::syntax::OwnSyntax;
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::VectorContract, Rule::vector_contract, parse_contract, print_contract),
    (OpKind::VectorShuffle, Rule::vector_shuffle, parse_shuffle, print_shuffle),
];

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

/// Numbers only.
fn numbers(p: &mut OpParser<'_, '_>) -> Result<Attr, ParseFailed> {
    let list = p.next()?;
    let mut numbers = Vec::new();
    for number in list.into_inner() {
        numbers.push(p.parser.literals().int(number)?);
    }
    Ok(Attr::i64_array(numbers))
}

fn parse_contract(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let first = p.next()?;
    p.parser.literals().trait_into(&mut p.build, first)?;
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

fn parse_shuffle(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
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
