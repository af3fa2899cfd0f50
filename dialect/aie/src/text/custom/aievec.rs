//! The AI Engine's vector operations. Nearly all are a list of operands, the attributes, and a
//! list of types; what the types are is the operation's *shape*.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEVec/IR/AIEVecOps.td`,
//! `include/aie/Dialect/AIEVec/AIE1/IR/AIEVecAIE1Ops.td`.

use super::dict;
use super::memref::indices;
use super::part::Syntax;
use super::scalar::same_type;
use super::vector::next_type;
use super::words::SHUFFLE_MODE;
use crate::ir::{Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, Stop};
use crate::text::print::Printer;

/// Rows of one shape.
macro_rules! rows {
    ($($shape:ident: $($kind:ident)*;)*) => {
        &[$($($shape(OpKind::$kind),)*)*]
    };
}

pub(super) static SYNTAX: &[Syntax] = rows! {
    same_type: AieVecAddElem AieVecSubElem AieVecMin AieVecMax AieVecNeg AieVecExp AieVecTanh
        AieVecInv;
    typed: AieVecExt AieVecUps AieVecCast AieVecBroadcast AieVecBroadcastScalar AieVecUnpack
        AieVecPack AieVecSrs AieVecShift AieVecExtElem AieVecMulElem AieVecMacElem AieVecConcat
        AieVecAie1Mac AieVecAie1Mul AieVecAie1Select AieVecAie1Add AieVecAie1Sub;
    matmul: AieVecMatMul AieVecMatMulAie2p;
    shuffle: AieVecShuffle;
    upd: AieVecUpd;
};

const fn typed(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::aievec_typed, parse_typed, print_typed)
}

const fn matmul(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::aievec_matmul, parse_matmul, print_matmul)
}

const fn shuffle(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::aievec_shuffle, parse_shuffle, print_shuffle)
}

const fn upd(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::aievec_upd, parse_upd, print_upd)
}

type Made = Result<Op, Stop>;

/// What the types after the colon are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One for each operand, and the result's.
    EachAndResult,
    /// One for each operand; the result has that of the last one, the accumulator.
    Accumulates,
    /// One for all operands, and the result's.
    AllAndResult,
}

impl Shape {
    fn of(kind: OpKind) -> Shape {
        match kind {
            OpKind::AieVecMacElem | OpKind::AieVecAie1Mac => Shape::Accumulates,
            OpKind::AieVecConcat => Shape::AllAndResult,
            _ => Shape::EachAndResult,
        }
    }
}

fn parse_typed<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    fields.next(parser)?;
    let values: Vec<_> = fields.next(parser)?.into_inner().collect();
    dict(parser, fields, &mut build)?;
    let types = fields.next(parser)?;
    let at = types.as_str();
    let types = parser.types(Fields::of(types))?;
    let shape = Shape::of(build.kind);
    let wanted = match shape {
        Shape::EachAndResult => values.len() + 1,
        Shape::Accumulates => values.len(),
        Shape::AllAndResult => 2,
    };
    parser.same_count(at, wanted, types.len())?;
    for (n, value) in values.iter().enumerate() {
        let at = match shape {
            Shape::AllAndResult => 0,
            _ => n,
        };
        build.operand(value, types.get(at).cloned().unwrap_or(Type::None));
    }
    build.results.extend(types.last().cloned());
    build.create(parser)
}

fn print_typed(printer: &mut Printer<'_>, op: Op) {
    let values = operands(printer, op);
    printer.dict(op, &[]);
    printer.text(" : ");
    let shown = match Shape::of(printer.m.kind(op)) {
        Shape::AllAndResult => 1,
        _ => values.len(),
    };
    printer.types_of(values.get(..shown).unwrap_or(&values));
    if Shape::of(printer.m.kind(op)) != Shape::Accumulates {
        printer.text(", ");
        printer.result_type(op, 0);
    }
}

fn operands(printer: &mut Printer<'_>, op: Op) -> Vec<Value> {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    values
}

/// `%a, %b, %c : A, B into C`
fn parse_matmul<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    fields.next(parser)?;
    let values = [
        fields.next(parser)?,
        fields.next(parser)?,
        fields.next(parser)?,
    ];
    dict(parser, fields, &mut build)?;
    let mut last = Type::None;
    for value in values {
        last = next_type(parser, fields)?;
        build.operand(&value, last.clone());
    }
    // The result is the accumulator.
    build.results.push(last);
    build.create(parser)
}

fn print_matmul(printer: &mut Printer<'_>, op: Op) {
    let values = operands(printer, op);
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.types_of(values.get(..2).unwrap_or(&values));
    printer.text(" into ");
    printer.result_type(op, 0);
}

/// `%a[, %b] [mode] : T`
fn parse_shuffle<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Made {
    let first = fields.next(parser)?;
    let second = fields.take(Rule::value);
    let mode = fields.next(parser)?;
    let mode = parser.enum_attr(mode, &SHUFFLE_MODE)?;
    build.attr("mode", mode);
    dict(parser, fields, &mut build)?;
    let ty = next_type(parser, fields)?;
    build.operand(&first, ty.clone());
    if let Some(second) = second {
        build.operand(&second, ty.clone());
    }
    build.results.push(ty);
    build.create(parser)
}

fn print_shuffle(printer: &mut Printer<'_>, op: Op) {
    operands(printer, op);
    let mode = printer.m.int_attr(op, "mode").unwrap_or(0);
    printer.text(" [");
    printer.text(&SHUFFLE_MODE.print(mode));
    printer.text("]");
    printer.dict(op, &["mode"]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

/// `%memory[%i, %j][, %vector] : memref, vector`
fn parse_upd<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>, mut build: Build<'s>) -> Made {
    let source = fields.next(parser)?;
    let list = fields.group(Rule::indices);
    let vector = fields.take(Rule::value);
    dict(parser, fields, &mut build)?;
    let from = next_type(parser, fields)?;
    let to = next_type(parser, fields)?;
    build.operand(&source, from);
    let count = list.map_or(0, |list| indices(list, &mut build));
    let mut vectors = 0;
    if let Some(vector) = vector {
        build.operand(&vector, to.clone());
        vectors = 1;
    }
    build.segments(&[1, count, vectors]);
    build.results.push(to);
    build.create(parser)
}

fn print_upd(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let list = printer.m.operand_group(op, "indices");
    let vector = printer.m.operand_group(op, "vector");
    let Some(source) = values.first() else {
        return;
    };
    printer.text(" ");
    printer.value(*source);
    if !list.is_empty() {
        printer.text("[");
        printer.values(&list);
        printer.text("]");
    }
    for value in vector {
        printer.text(", ");
        printer.value(value);
    }
    printer.dict(op, &["operandSegmentSizes"]);
    printer.text(" : ");
    printer.types_of(&[*source]);
    printer.text(", ");
    printer.result_type(op, 0);
}
