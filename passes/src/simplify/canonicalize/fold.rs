//! Arithmetic on constants, and identities such as `x + 0`.
//! Semantics of the operations: MLIR's `arith` dialect; what is undefined there stays as it is.

use aiec_aie::ir::{Attr, FloatKind, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, OpKind, OpView, Traits};

use super::all_ops;
use crate::analysis::integers::{self, compute, signed, unsigned};

/// Bits of `index` on the cores and in sequences.
const INDEX_BITS: u32 = 64;

/// Result of folding an operation.
enum Folded {
    Value(Value),
    Int(i128),
    Float(f64),
}

/// Folds all operations once, in order; how many.
pub(super) fn run(m: &mut Module) -> u64 {
    let mut folded = 0;
    for op in all_ops(m) {
        commute(m, op);
        let Some(result) = m.result(op, 0).filter(|_| m.num_results(op) == 1) else {
            continue;
        };
        if !m.has_uses(result) {
            continue;
        }
        let Some(found) = fold(m, op) else { continue };
        let ty = m.ty(result).clone();
        let value = match found {
            Folded::Value(value) if *m.ty(value) == ty => value,
            Folded::Value(_) => continue,
            Folded::Int(n) => constant(m, op, int_attr(n, &ty), ty),
            Folded::Float(f) => constant(m, op, Attr::Float(f.to_bits(), ty.clone()), ty),
        };
        m.replace_all_uses(result, value);
        folded += 1;
    }
    folded
}

/// Constants are on the right where the order does not matter.
fn commute(m: &mut Module, op: Op) {
    if !m.kind(op).has(Traits::COMMUTATIVE) || m.num_operands(op) != 2 {
        return;
    }
    let (Some(lhs), Some(rhs)) = (m.operand(op, 0), m.operand(op, 1)) else {
        return;
    };
    let is_constant = |m: &Module, value| {
        let def = m.def_op(value);
        def.is_some_and(|def| m.kind(def) == OpKind::ArithConstant)
    };
    if is_constant(m, lhs) && !is_constant(m, rhs) {
        m.set_operand(op, 0, rhs);
        m.set_operand(op, 1, lhs);
    }
}

fn constant(m: &mut Module, op: Op, value: Attr, ty: Type) -> Value {
    let loc = m.loc(op);
    ArithConstant::build(m, loc, value).insert_value(ty, InsertPoint::Before(op))
}

/// An integer as an attribute of its type.
fn int_attr(n: i128, ty: &Type) -> Attr {
    if *ty == Type::I1 {
        Attr::Bool(n & 1 == 1)
    } else {
        Attr::Int(n as i64, ty.clone())
    }
}

/// Bits of an integer or index type.
fn bits_of(ty: &Type) -> Option<u32> {
    match ty {
        Type::Index => Some(INDEX_BITS),
        ty if ty.is_int() => ty.bit_width().filter(|bits| (1..=64).contains(bits)),
        _ => None,
    }
}

/// The integer of a constant, read with sign.
fn int_of(m: &Module, value: Value) -> Option<i128> {
    let constant = ArithConstant::cast(m, m.def_op(value)?)?;
    let n = constant.value(m)?.as_int()?;
    Some(signed(n.into(), bits_of(m.ty(value))?))
}

/// The number of a constant of type `f32` or `f64`.
fn float_of(m: &Module, value: Value) -> Option<f64> {
    if !matches!(m.ty(value), Type::Float(FloatKind::F32 | FloatKind::F64)) {
        return None;
    }
    ArithConstant::cast(m, m.def_op(value)?)?
        .value(m)?
        .as_float()
}

fn fold(m: &Module, op: Op) -> Option<Folded> {
    use OpKind::*;
    let operand = m.operand(op, 0)?;
    match m.kind(op) {
        ArithSelect => select(m, op),
        ArithCmpI => compare(m, op),
        ArithIndexCast | ArithExtSI | ArithTruncI => {
            let bits = bits_of(m.ty(m.result(op, 0)?))?;
            Some(Folded::Int(signed(int_of(m, operand)?, bits)))
        }
        ArithIndexCastUI | ArithExtUI => {
            let (from, to) = (bits_of(m.ty(operand))?, bits_of(m.ty(m.result(op, 0)?))?);
            Some(Folded::Int(signed(unsigned(int_of(m, operand)?, from), to)))
        }
        ArithNegF => Some(Folded::Float(-float_of(m, operand)?)),
        kind if kind.has(Traits::PURE) && m.num_operands(op) == 2 => binary(m, op, kind),
        _ => None,
    }
}

fn select(m: &Module, op: Op) -> Option<Folded> {
    let (yes, no) = (m.operand(op, 1)?, m.operand(op, 2)?);
    if yes == no {
        return Some(Folded::Value(yes));
    }
    let chosen = match int_of(m, m.operand(op, 0)?)? {
        0 => no,
        _ => yes,
    };
    Some(Folded::Value(chosen))
}

/// Cases of `arith.cmpi`, by their number (`mlir: include/mlir/Dialect/Arith/IR/ArithBase.td`).
fn compare(m: &Module, op: Op) -> Option<Folded> {
    let (lhs, rhs) = (m.operand(op, 0)?, m.operand(op, 1)?);
    let predicate = m.int_attr(op, "predicate")?;
    let bits = bits_of(m.ty(lhs))?;
    let (a, b) = if lhs == rhs {
        (0, 0)
    } else {
        (int_of(m, lhs)?, int_of(m, rhs)?)
    };
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    let holds = integers::compare(predicate, a, b, ua, ub)?;
    Some(Folded::Int(holds.into()))
}

fn binary(m: &Module, op: Op, kind: OpKind) -> Option<Folded> {
    let (lhs, rhs) = (m.operand(op, 0)?, m.operand(op, 1)?);
    if let Some(bits) = bits_of(m.ty(lhs)) {
        return match (int_of(m, lhs), int_of(m, rhs)) {
            (Some(a), Some(b)) => Some(Folded::Int(signed(compute(kind, a, b, bits)?, bits))),
            (_, b) => identity(kind, lhs, rhs, b),
        };
    }
    let single = *m.ty(lhs) == Type::Float(FloatKind::F32);
    let (a, b) = (float_of(m, lhs)?, float_of(m, rhs)?);
    let exact = match kind {
        OpKind::ArithAddF => a + b,
        OpKind::ArithSubF => a - b,
        OpKind::ArithMulF => a * b,
        OpKind::ArithDivF => a / b,
        _ => return None,
    };
    if exact.is_nan() {
        // Targets differ in which NaN they give.
        return None;
    }
    // Twice the digits and two more are enough for double rounding to do no harm.
    Some(Folded::Float(if single {
        f64::from(exact as f32)
    } else {
        exact
    }))
}

/// Simplifies an operation with any left operand, given the right one.
fn identity(kind: OpKind, lhs: Value, rhs: Value, constant: Option<i128>) -> Option<Folded> {
    use OpKind::*;
    let left = Some(Folded::Value(lhs));
    match (kind, constant) {
        (ArithAddI | ArithSubI | ArithOrI | ArithXOrI, Some(0)) => left,
        (ArithShLI | ArithShRSI | ArithShRUI, Some(0)) => left,
        (ArithMulI | ArithDivSI | ArithDivUI, Some(1)) => left,
        (ArithMulI | ArithAndI, Some(0)) => Some(Folded::Int(0)),
        (ArithAndI, Some(-1)) => left,
        (ArithSubI | ArithXOrI, _) if lhs == rhs => Some(Folded::Int(0)),
        (ArithAndI | ArithOrI, _) if lhs == rhs => left,
        (ArithMinSI | ArithMinUI | ArithMaxSI | ArithMaxUI, _) if lhs == rhs => left,
        _ => None,
    }
}
