//! The comparisons of `arith.cmpi`.

/// Whether a comparison of integers holds: `a` and `b` are read with sign, `ua` and `ub` are the
/// same without. The predicate's numbers are those of MLIR's enumeration, others give `None`
/// (llvm-project: mlir/include/mlir/Dialect/Arith/IR/ArithBase.td).
pub(crate) fn integers<S: Ord, U: Ord>(predicate: i64, a: S, b: S, ua: U, ub: U) -> Option<bool> {
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
