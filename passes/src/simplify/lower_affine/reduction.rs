//! Reductions of `affine.parallel`: the operation that combines, and the value that changes nothing
//! (`mlir: lib/Dialect/Arith/IR/ArithOps.cpp`, getIdentityValueAttr).

use aiec_aie::ir::{Attr, Type};
use aiec_aie::ops::OpKind;

/// The operation that combines the values of a reduction.
#[derive(Clone, Copy)]
enum Neutral {
    Int(fn(u32) -> i64),
    Float(f64),
}

/// A reduction.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    operation: OpKind,
    neutral: Neutral,
}

/// The reduction with a number of MLIR's `AtomicRMWKind`; `None` for numbers of no reduction, of `assign` among them,
/// whose outcome would depend on the order of passes.
pub(super) fn of_number(number: i64) -> Option<Reduction> {
    use Neutral::{Float, Int};
    use OpKind::*;
    let greatest = |bits: u32| i64::MAX >> (64 - bits);
    let least = |bits: u32| i64::MIN >> (64 - bits);
    let (operation, neutral) = match number {
        0 => (ArithAddF, Float(0.0)),
        1 => (ArithAddI, Int(|_| 0)),
        3 => (ArithMaximumF, Float(f64::NEG_INFINITY)),
        4 => (ArithMaxSI, Int(least)),
        5 => (ArithMaxUI, Int(|_| 0)),
        6 => (ArithMinimumF, Float(f64::INFINITY)),
        7 => (ArithMinSI, Int(greatest)),
        8 => (ArithMinUI, Int(|_| -1)),
        9 => (ArithMulF, Float(1.0)),
        10 => (ArithMulI, Int(|_| 1)),
        11 => (ArithOrI, Int(|_| 0)),
        12 => (ArithAndI, Int(|_| -1)),
        // A NaN counts as missing.
        13 => (ArithMaxNumF, Float(f64::NAN)),
        14 => (ArithMinNumF, Float(f64::NAN)),
        15 => (ArithXOrI, Int(|_| 0)),
        _ => return None,
    };
    Some(Reduction { operation, neutral })
}

impl Reduction {
    /// The operation that combines two values.
    pub(super) fn operation(self) -> OpKind {
        self.operation
    }

    /// The value that changes nothing, as a constant of a type; `None` if the type doesn't fit.
    pub(super) fn neutral(self, ty: &Type) -> Option<Attr> {
        match (self.neutral, ty) {
            (Neutral::Int(of_width), Type::Index) => Some(Attr::Int(of_width(64), Type::Index)),
            (Neutral::Int(of_width), Type::Int { width, .. }) => {
                let known = (1..=64).contains(width);
                known.then(|| Attr::Int(of_width(*width), ty.clone()))
            }
            (Neutral::Float(value), ty) if ty.is_float() => {
                Some(Attr::Float(value.to_bits(), ty.clone()))
            }
            _ => None,
        }
    }
}
