//! Reductions of `affine.parallel`: the operation that combines, and the value that changes nothing
//! (`mlir: lib/Dialect/Arith/IR/ArithOps.cpp`, getIdentityValueAttr).

use aiec_aie::ir::{Attr, Module, Op, Type};
use aiec_aie::ops::OpKind;
use aiec_diag::Diag;

use super::NO_OUTCOME;

/// `assign` among the numbers of MLIR's `AtomicRMWKind`.
const ASSIGN: i64 = 2;

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
/// which [`undefined`] reports.
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

/// The finding about a reduction of an `affine.parallel` that computes nothing.
pub(super) fn undefined(module: &Module, op: Op) -> Option<Diag> {
    if module.kind(op) != OpKind::AffineParallel {
        return None;
    }
    let Some(Attr::Array(kinds)) = module.attr(op, "reductions") else {
        return None;
    };
    let results = module.results(op).map(|result| module.ty(result));
    for (number, ty) in kinds.iter().filter_map(Attr::as_int).zip(results) {
        let diag = |message: String, help| {
            let diag = Diag::error(&NO_OUTCOME, message);
            diag.label(module.span(op), "this loop").help(help)
        };
        if number == ASSIGN {
            let message = "`assign` keeps what any one of the passes yields";
            let help =
                "write `affine.for` with iter_args, whose last pass is known, or another reduction";
            return Some(diag(message.to_string(), help));
        }
        if of_number(number).is_some_and(|reduction| reduction.neutral(ty).is_none()) {
            let message = format!("a reduction of this loop computes no values of {ty}");
            let help = "write addi, muli, … for integers and addf, mulf, … for floats";
            return Some(diag(message, help));
        }
    }
    None
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
