//! Arithmetic on constants, and identities such as `x + 0`.
//! Semantics of the operations: MLIR's `arith` dialect; what is undefined there stays as it is.

use aiec_dialect::ir::{Attr, FloatKind, InsertPoint, Module, Op, Type, Value};
use aiec_dialect::ops::{ArithConstant, OpKind, OpView, Traits};

use super::all_ops;
use crate::predicate;

/// Bits of `index` on the cores and in sequences.
const INDEX_BITS: u32 = 64;

/// What an operation turns out to be.
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
            Folded::Int(n) => match constant(m, op, int_attr(n, &ty), ty) {
                Some(value) => value,
                None => continue,
            },
            Folded::Float(f) => match constant(m, op, Attr::Float(f.to_bits(), ty.clone()), ty) {
                Some(value) => value,
                None => continue,
            },
        };
        m.replace_all_uses(result, value);
        folded += 1;
    }
    folded
}

/// Constants stand on the right where the order does not matter.
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

fn constant(m: &mut Module, op: Op, value: Attr, ty: Type) -> Option<Value> {
    let loc = m.loc(op);
    let build = m.build(OpKind::ArithConstant, loc);
    let made = build
        .attr("value", value)
        .result(ty)
        .insert(InsertPoint::Before(op));
    m.result(made, 0)
}

/// An integer as an attribute of its type.
fn int_attr(n: i128, ty: &Type) -> Attr {
    match *ty == Type::I1 {
        true => Attr::Bool(n & 1 == 1),
        false => Attr::Int(n as i64, ty.clone()),
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

/// The lowest bits of a number, read with sign.
fn signed(n: i128, bits: u32) -> i128 {
    let unused = i128::BITS - bits;
    (n << unused) >> unused
}

/// The lowest bits of a number, read without sign.
fn unsigned(n: i128, bits: u32) -> i128 {
    n & ((1i128 << bits) - 1)
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
    let (a, b) = match lhs == rhs {
        true => (0, 0),
        false => (int_of(m, lhs)?, int_of(m, rhs)?),
    };
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    let holds = predicate::integers(predicate, a, b, ua, ub)?;
    Some(Folded::Int(holds.into()))
}

fn binary(m: &Module, op: Op, kind: OpKind) -> Option<Folded> {
    let (lhs, rhs) = (m.operand(op, 0)?, m.operand(op, 1)?);
    if let Some(bits) = bits_of(m.ty(lhs)) {
        return match (int_of(m, lhs), int_of(m, rhs)) {
            (Some(a), Some(b)) => Some(Folded::Int(signed(integers(kind, a, b, bits)?, bits))),
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
    // Twice the digits and two more are enough for double rounding to do no harm.
    Some(Folded::Float(match single {
        true => f64::from(exact as f32),
        false => exact,
    }))
}

/// Two constants; both are read with sign.
fn integers(kind: OpKind, a: i128, b: i128, bits: u32) -> Option<i128> {
    use OpKind::*;
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    // Beyond the width a shift is undefined.
    let shift = u32::try_from(ub).ok().filter(|n| *n < bits);
    Some(match kind {
        ArithAddI => a + b,
        ArithSubI => a - b,
        ArithMulI => a.checked_mul(b)?,
        ArithDivSI => a.checked_div(b)?,
        ArithDivUI => ua.checked_div(ub)?,
        ArithCeilDivSI => -floor_div(-a, b)?,
        ArithCeilDivUI => (ua + ub - 1).checked_div(ub)?,
        ArithFloorDivSI => floor_div(a, b)?,
        ArithRemSI => a.checked_rem(b)?,
        ArithRemUI => ua.checked_rem(ub)?,
        ArithAndI => a & b,
        ArithOrI => a | b,
        ArithXOrI => a ^ b,
        ArithShLI => a << shift?,
        ArithShRSI => a >> shift?,
        ArithShRUI => ua >> shift?,
        ArithMinSI => a.min(b),
        ArithMaxSI => a.max(b),
        ArithMinUI => ua.min(ub),
        ArithMaxUI => ua.max(ub),
        _ => return None,
    })
}

/// Division towards minus infinity.
fn floor_div(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let rounded_up = a % b != 0 && (a < 0) != (b < 0);
    Some(quotient - i128::from(rounded_up))
}

/// What holds for any left operand, given the right one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        let add = |a, b, bits| integers(OpKind::ArithAddI, a, b, bits).map(|n| signed(n, bits));
        assert_eq!(add(127, 1, 8), Some(-128));
        assert_eq!(add(1, 2, 32), Some(3));
        assert_eq!(integers(OpKind::ArithShRUI, -1, 28, 32), Some(15));
        assert_eq!(integers(OpKind::ArithShLI, 1, 32, 32), None);
    }

    #[test]
    fn divisions_round_as_they_say() {
        let div = |kind, a, b| integers(kind, a, b, 32);
        assert_eq!(div(OpKind::ArithDivSI, -7, 2), Some(-3));
        assert_eq!(div(OpKind::ArithFloorDivSI, -7, 2), Some(-4));
        assert_eq!(div(OpKind::ArithFloorDivSI, 6, -2), Some(-3));
        assert_eq!(div(OpKind::ArithCeilDivSI, 7, 2), Some(4));
        assert_eq!(div(OpKind::ArithCeilDivSI, -7, 2), Some(-3));
        assert_eq!(div(OpKind::ArithRemUI, -1, 16), Some(15));
        assert_eq!(div(OpKind::ArithDivSI, 1, 0), None);
    }
}
