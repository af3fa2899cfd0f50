//! Integer arithmetic of MLIR's `arith` dialect, for all who compute with constants.

use aiec_aie::ops::OpKind;

/// The lowest bits of a number, read with sign.
pub(crate) fn signed(n: i128, bits: u32) -> i128 {
    let unused = i128::BITS - bits;
    (n << unused) >> unused
}

/// The lowest bits of a number, read without sign.
pub(crate) fn unsigned(n: i128, bits: u32) -> i128 {
    n & ((1i128 << bits) - 1)
}

/// The result of a binary operation on integers of some width, before it wraps; both operands are read
/// with sign. `None` where MLIR defines no result, and for other operations.
pub(crate) fn compute(kind: OpKind, a: i128, b: i128, bits: u32) -> Option<i128> {
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

/// Whether an `arith.cmpi` holds: `a` and `b` are read with sign, `ua` and `ub` are the
/// same without. The predicate's numbers are those of MLIR's enumeration, others give `None`
/// (llvm-project: mlir/include/mlir/Dialect/Arith/IR/ArithBase.td).
pub(crate) fn compare<S: Ord, U: Ord>(predicate: i64, a: S, b: S, ua: U, ub: U) -> Option<bool> {
    Some(match predicate {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        5 => a >= b,
        6 => ua < ub,
        7 => ua <= ub,
        8 => ua > ub,
        9 => ua >= ub,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        let add = |a, b, bits| compute(OpKind::ArithAddI, a, b, bits).map(|n| signed(n, bits));
        assert_eq!(add(127, 1, 8), Some(-128));
        assert_eq!(add(1, 2, 32), Some(3));
        assert_eq!(compute(OpKind::ArithShRUI, -1, 28, 32), Some(15));
        assert_eq!(compute(OpKind::ArithShLI, 1, 32, 32), None);
    }

    #[test]
    fn divisions_round_as_they_say() {
        let div = |kind, a, b| compute(kind, a, b, 32);
        assert_eq!(div(OpKind::ArithDivSI, -7, 2), Some(-3));
        assert_eq!(div(OpKind::ArithFloorDivSI, -7, 2), Some(-4));
        assert_eq!(div(OpKind::ArithFloorDivSI, 6, -2), Some(-3));
        assert_eq!(div(OpKind::ArithCeilDivSI, 7, 2), Some(4));
        assert_eq!(div(OpKind::ArithCeilDivSI, -7, 2), Some(-3));
        assert_eq!(div(OpKind::ArithRemUI, -1, 16), Some(15));
        assert_eq!(div(OpKind::ArithDivSI, 1, 0), None);
    }
}
