//! Insertion points in operations with one region.

use aiec_aie::ir::{InsertPoint, Module, Op};

/// Before the terminator of an operation's region.
pub(crate) fn inside(module: &Module, op: Op) -> InsertPoint {
    let block = module.entry(op, 0);
    match block.and_then(|block| module.last_op(block)) {
        Some(end) => InsertPoint::Before(end),
        None => InsertPoint::Detached,
    }
}
