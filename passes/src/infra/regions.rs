//! Making operations with one region, and places in them.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op};
use aiec_aie::ops::OpKind;

/// An operation with one region, ended.
pub(crate) fn ended(
    module: &mut Module,
    kind: OpKind,
    loc: Loc,
    at: InsertPoint,
    attrs: Vec<(&str, Attr)>,
) -> Op {
    let mut builder = module.build(kind, loc).body();
    for (key, value) in attrs {
        builder = builder.attr(key, value);
    }
    let op = builder.insert(at);
    if let Some(block) = module.entry(op, 0) {
        module
            .build(OpKind::End, loc)
            .insert(InsertPoint::End(block));
    }
    op
}

/// Before the terminator of an operation's region.
pub(crate) fn inside(module: &Module, op: Op) -> InsertPoint {
    let block = module.entry(op, 0);
    match block.and_then(|block| module.last_op(block)) {
        Some(end) => InsertPoint::Before(end),
        None => InsertPoint::Detached,
    }
}
