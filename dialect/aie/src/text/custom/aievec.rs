//! The AI Engine's vector operations. Nearly all are a list of operands, the attributes, and a
//! list of types; what the types are is the operation's *shape*.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEVec/IR/AIEVecOps.td`,
//! `include/aie/Dialect/AIEVec/AIE1/IR/AIEVecAIE1Ops.td`.

use super::memref::indices;
use super::part::Syntax;
use super::scalar::same_type;
use super::words::SHUFFLE_MODE;
use crate::ir::{Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, Stop};
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

fn parse_typed(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let values: Vec<_> = p.next()?.into_inner().collect();
    p.dict()?;
    let types = p.next()?;
    let at = types.as_str();
    let types = p.parser.types(Fields::of(types))?;
    let shape = Shape::of(p.build.kind);
    let wanted = match shape {
        Shape::EachAndResult => values.len() + 1,
        Shape::Accumulates => values.len(),
        Shape::AllAndResult => 2,
    };
    p.parser.same_count(at, wanted, types.len())?;
    for (n, value) in values.iter().enumerate() {
        let at = match shape {
            Shape::AllAndResult => 0,
            _ => n,
        };
        p.build
            .operand(value, types.get(at).cloned().unwrap_or(Type::None));
    }
    p.build.results.extend(types.last().cloned());
    p.create()
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
fn parse_matmul(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let values = [p.next()?, p.next()?, p.next()?];
    p.dict()?;
    let mut last = Type::None;
    for value in values {
        last = p.next_type()?;
        p.build.operand(&value, last.clone());
    }
    // The result is the accumulator.
    p.build.results.push(last);
    p.create()
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
fn parse_shuffle(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let first = p.next()?;
    let second = p.fields.take(Rule::value);
    p.word("mode", &SHUFFLE_MODE)?;
    p.dict()?;
    let ty = p.next_type()?;
    p.build.operand(&first, ty.clone());
    if let Some(second) = second {
        p.build.operand(&second, ty.clone());
    }
    p.build.results.push(ty);
    p.create()
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
fn parse_upd(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let source = p.next()?;
    let list = p.fields.group(Rule::indices);
    let vector = p.fields.take(Rule::value);
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    p.build.operand(&source, from);
    let count = list.map_or(0, |list| indices(list, &mut p.build));
    let mut vectors = 0;
    if let Some(vector) = vector {
        p.build.operand(&vector, to.clone());
        vectors = 1;
    }
    p.build.segments(&[1, count, vectors]);
    p.build.results.push(to);
    p.create()
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
