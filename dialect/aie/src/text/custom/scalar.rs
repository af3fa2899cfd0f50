//! Arithmetic: constants, operations of one type, comparisons, conversions.

use super::fragments::{flags, print_flags};
use super::syntax::OwnSyntax;
use super::words::{CMP_F, CMP_I};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed, codes};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::ArithConstant, Rule::arith_constant, parse_constant, print_constant),
    (OpKind::ArithCmpI, Rule::compare_op, parse_compare, print_compare),
    (OpKind::ArithCmpF, Rule::compare_op, parse_compare, print_compare),
    (OpKind::ArithAddUIExtended, Rule::arith_extended, parse_extended, print_extended),
    (OpKind::ArithMulSIExtended, Rule::arith_extended, parse_extended, print_extended),
    (OpKind::ArithMulUIExtended, Rule::arith_extended, parse_extended, print_extended),
    (OpKind::ArithSelect, Rule::arith_select, parse_select, print_select),
];

// ---- constants ----

fn parse_constant(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.dict()?;
    let value = p.next()?;
    let at = value.as_str();
    let value = p.parser.literals().attr(value)?;
    let ty = match &value {
        Attr::Int(_, ty) | Attr::WideInt(_, ty) | Attr::Float(_, ty) => ty.clone(),
        Attr::Bool(_) => Type::I1,
        Attr::Dense(dense) => dense.ty.clone(),
        Attr::DenseResource(_, ty) => ty.clone(),
        _ => {
            let message = "a constant is a number, a boolean or a dense literal".to_string();
            return Err(p.parser.cursor.error(&codes::BAD_ATTRIBUTE, at, message));
        }
    };
    p.build.attr("value", value);
    p.build.results.push(ty);
    p.create()
}

fn print_constant(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &["value"]);
    printer.text(" ");
    if let Some(value) = printer.m.attr(op, "value") {
        printer.attr(value);
    }
}

// ---- comparisons ----

fn parse_compare(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.next()?;
    let words = if p.build.kind == OpKind::ArithCmpI {
        &CMP_I
    } else {
        &CMP_F
    };
    let predicate = p.next()?;
    let predicate = p.parser.literals().enum_attr(predicate, words)?;
    p.build
        .attr("predicate", Attr::i64(predicate.as_int().unwrap_or(0)));
    let left = p.next()?;
    let right = p.next()?;
    flags(&mut p)?;
    p.dict()?;
    let ty = p.next_type()?;
    p.build.operand(&left, ty.clone());
    p.build.operand(&right, ty.clone());
    p.build.results.push(boolean_like(&ty));
    p.create()
}

/// `i1`, in the shape of a type.
fn boolean_like(ty: &Type) -> Type {
    match ty {
        Type::Vector(v) => {
            let mut v = (**v).clone();
            v.elem = Type::I1;
            Type::Vector(v.into())
        }
        Type::Tensor(t) => {
            let mut t = (**t).clone();
            t.elem = Type::I1;
            Type::Tensor(t.into())
        }
        _ => Type::I1,
    }
}

fn print_compare(printer: &mut Printer<'_>, op: Op) {
    let words = if printer.m.kind(op) == OpKind::ArithCmpI {
        &CMP_I
    } else {
        &CMP_F
    };
    let predicate = printer.m.int_attr(op, "predicate").unwrap_or(0);
    printer.text(" ");
    printer.text(&words.print(predicate));
    printer.text(", ");
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    print_flags(printer, op);
    let hidden = ["predicate", "fastmath", "overflowFlags", "isExact"];
    printer.dict(op, &hidden);
    printer.text(" : ");
    if let Some(left) = values.first() {
        printer.types_of(&[*left]);
    }
}

// ---- select ----

fn parse_select(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let condition = p.next()?;
    let values = [p.next()?, p.next()?];
    p.dict()?;
    let first = p.next_type()?;
    let (condition_type, ty) = match p.fields.take(Rule::ty) {
        Some(second) => (first, p.parser.literals().ty(second.as_str())?),
        None => (Type::I1, first),
    };
    p.build.operand(&condition, condition_type);
    for value in &values {
        p.build.operand(value, ty.clone());
    }
    p.build.results.push(ty);
    p.create()
}

fn print_select(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    printer.dict(op, &[]);
    printer.text(" : ");
    if let Some(condition) = values.first()
        && *printer.m.ty(*condition) != Type::I1
    {
        printer.types_of(&[*condition]);
        printer.text(", ");
    }
    printer.result_type(op, 0);
}

// ---- sums and products with all their bits ----

fn parse_extended(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.next()?;
    let values = [p.next()?, p.next()?];
    p.dict()?;
    let ty = p.next_type()?;
    let second = match p.fields.take(Rule::ty) {
        Some(overflow) => p.parser.literals().ty(overflow.as_str())?,
        None if p.build.kind == OpKind::ArithAddUIExtended => boolean_like(&ty),
        None => ty.clone(),
    };
    for value in &values {
        p.build.operand(value, ty.clone());
    }
    p.build.results.extend([ty, second]);
    p.create()
}

fn print_extended(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.result_type(op, 0);
    if printer.m.kind(op) == OpKind::ArithAddUIExtended {
        printer.text(", ");
        printer.result_type(op, 1);
    }
}
