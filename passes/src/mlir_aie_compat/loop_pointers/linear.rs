//! Which values of a loop's body grow by the same amount from round to round.

use aiec_aie::ir::{AffineExpr, Attr, Module, Op, Value};
use aiec_aie::ops::OpKind;
use aiec_aie::ops::netlist::const_int;
use rustc_hash::FxHashMap;

use super::{CountedLoop, defined_before};

/// A value as a multiple of the loop's counter and what is the same in all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Growth when the counter grows by one.
    pub(super) slope: i64,
    /// Its value in the first round, if known.
    pub(super) start: Option<i64>,
}

impl Linear {
    fn constant(value: i64) -> Linear {
        Linear {
            slope: 0,
            start: Some(value),
        }
    }

    /// A sum or difference.
    fn term(self, other: Linear, operation: fn(i64, i64) -> Option<i64>) -> Option<Linear> {
        Some(Linear {
            slope: operation(self.slope, other.slope)?,
            start: both(self.start, other.start, operation)?,
        })
    }

    /// A product, if one factor is a constant or both are the same in all rounds.
    fn mul(self, other: Linear) -> Option<Linear> {
        let slope = match (self, other) {
            (a, b) if a.slope == 0 && b.slope == 0 => 0,
            (Linear { slope: 0, start }, b) => start?.checked_mul(b.slope)?,
            (a, Linear { slope: 0, start }) => start?.checked_mul(a.slope)?,
            _ => return None,
        };
        Some(Linear {
            slope,
            start: both(self.start, other.start, i64::checked_mul)?,
        })
    }

    /// An unknown value that doesn't depend on the counter, from operands that don't; `None` if one
    /// does.
    fn unknown(self, other: Linear) -> Option<Linear> {
        let same = self.slope == 0 && other.slope == 0;
        same.then_some(Linear {
            slope: 0,
            start: None,
        })
    }
}

/// An operation on two numbers of which each may be unknown; `None` if it overflows.
fn both(
    a: Option<i64>,
    b: Option<i64>,
    operation: fn(i64, i64) -> Option<i64>,
) -> Option<Option<i64>> {
    match (a, b) {
        (Some(a), Some(b)) => operation(a, b).map(Some),
        _ => Some(None),
    }
}

/// Known values of a loop's body.
pub(super) struct LinearValues<'l> {
    within: &'l CountedLoop,
    /// Values of the body that are linear; what isn't here is not.
    of: FxHashMap<Value, Linear>,
}

impl<'l> LinearValues<'l> {
    /// Looks at the operations directly in the body, from the first to the last.
    pub(super) fn of(m: &Module, within: &'l CountedLoop) -> LinearValues<'l> {
        let mut values = LinearValues {
            within,
            of: FxHashMap::default(),
        };
        let counter = Linear {
            slope: 1,
            start: const_int(m, within.lower),
        };
        values.of.insert(within.counter, counter);
        for op in m.ops_in(within.body) {
            if let (Some(result), Some(linear)) = (m.result(op, 0), values.result_of(m, op)) {
                values.of.insert(result, linear);
            }
        }
        values
    }

    /// A value that an operation of the body uses.
    pub(super) fn get(&self, m: &Module, value: Value) -> Option<Linear> {
        if let Some(linear) = self.of.get(&value) {
            return Some(*linear);
        }
        defined_before(m, value, self.within.op).then(|| Linear {
            slope: 0,
            start: const_int(m, value),
        })
    }

    fn result_of(&self, m: &Module, op: Op) -> Option<Linear> {
        let operand = |n: usize| self.get(m, m.operand(op, n)?);
        match m.kind(op) {
            OpKind::ArithConstant => const_int(m, m.result(op, 0)?).map(Linear::constant),
            OpKind::ArithAddI => operand(0)?.term(operand(1)?, i64::checked_add),
            OpKind::ArithSubI => operand(0)?.term(operand(1)?, i64::checked_sub),
            OpKind::ArithMulI => operand(0)?.mul(operand(1)?),
            OpKind::AffineApply => {
                let Some(Attr::AffineMap(map)) = m.attr(op, "map") else {
                    return None;
                };
                let operands: Option<Vec<Linear>> =
                    m.operands(op).map(|value| self.get(m, value)).collect();
                apply(map.results.first()?, map.dims as usize, &operands?)
            }
            _ => None,
        }
    }
}

/// The value of an affine expression; its depth is bounded by the parser's limit.
fn apply(expr: &AffineExpr, dims: usize, operands: &[Linear]) -> Option<Linear> {
    let of = |expr: &AffineExpr| apply(expr, dims, operands);
    match expr {
        AffineExpr::Dim(n) => operands.get(..dims)?.get(*n as usize).copied(),
        AffineExpr::Symbol(n) => operands.get(dims + *n as usize).copied(),
        AffineExpr::Const(n) => Some(Linear::constant(*n)),
        AffineExpr::Add(a, b) => of(a)?.term(of(b)?, i64::checked_add),
        AffineExpr::Mul(a, b) => of(a)?.mul(of(b)?),
        AffineExpr::Mod(a, b) | AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) => {
            of(a)?.unknown(of(b)?)
        }
    }
}
