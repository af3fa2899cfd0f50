//! Objects of a fifo aren't used after their release, as far as straight-line code shows it.
//!
//! In a block, an acquire names the objects from the oldest that the end holds; a release gives the
//! oldest back. An object that was named in the block is followed through the releases after it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Context, Report, codes};
use crate::ir::{Block, Op, Value};
use crate::ops::enums::FifoPort;
use crate::ops::{
    ObjectFifoAcquire, ObjectFifoRelease, ObjectFifoSubviewAccess, OpKind, OpView, Traits,
};

/// An end of a fifo.
type FifoEnd = (Arc<str>, FifoPort);

/// Number of objects that an end released in a block so far, and the operation that did last.
type Released = FxHashMap<FifoEnd, (i64, Op)>;

/// Where an object counts among those that its end releases in the block.
#[derive(Clone)]
struct Object {
    end: FifoEnd,
    /// Released when the end has released more than this many.
    number: i64,
    acquire: Op,
}

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    let mut blocks: Vec<Block> = Vec::new();
    for access in cx.all::<ObjectFifoSubviewAccess>() {
        blocks.extend(m.parent_block(access.op()));
    }
    blocks.dedup();
    for block in blocks {
        straight_line(cx, block);
    }
}

fn straight_line(cx: &mut Context<'_>, block: Block) {
    let m = cx.module;
    let mut released = Released::default();
    // Objects released when each acquire was done.
    let mut acquired: FxHashMap<Op, i64> = FxHashMap::default();
    let mut objects: FxHashMap<Value, Object> = FxHashMap::default();
    for op in m.block_ops(block) {
        if let Some(acquire) = ObjectFifoAcquire::cast(m, op) {
            let end = (acquire.objFifo_name(m), acquire.port(m));
            let before = released.get(&end).map_or(0, |(count, _)| *count);
            acquired.insert(op, before);
        } else if let Some(release) = ObjectFifoRelease::cast(m, op) {
            let end = (release.objFifo_name(m), release.port(m));
            let count = released.entry(end).or_insert((0, op));
            *count = (count.0.saturating_add(release.size(m).into()), op);
        } else if let Some(access) = ObjectFifoSubviewAccess::cast(m, op) {
            let acquire = access.subview(m).and_then(|view| m.def_op(view));
            let known = acquire.and_then(|op| Some((op, *acquired.get(&op)?)));
            if let Some(((acquire, before), value)) = known.zip(m.result(op, 0)) {
                let of = ObjectFifoAcquire(acquire);
                let object = Object {
                    end: (of.objFifo_name(m), of.port(m)),
                    number: before + i64::from(access.index(m)),
                    acquire,
                };
                if !given_back(cx, op, &object, &released) {
                    objects.insert(value, object);
                }
            }
        } else {
            used(cx, op, &mut objects, &released);
        }
    }
}

/// An operation that may use objects, itself or inside; views of an object are the object.
fn used(cx: &mut Context<'_>, op: Op, objects: &mut FxHashMap<Value, Object>, released: &Released) {
    let m = cx.module;
    // Releases inside, and how often they run, aren't followed.
    if m.walk(op).any(|op| m.kind(op) == OpKind::ObjectFifoRelease) {
        objects.clear();
        return;
    }
    let mut reported = false;
    for inner in m.walk(op).collect::<Vec<_>>() {
        for operand in m.operands(inner).collect::<Vec<_>>() {
            let Some(object) = objects.get(&operand) else {
                continue;
            };
            reported = reported || given_back(cx, inner, object, released);
            let view = m.kind(inner).has(Traits::PURE);
            if let Some(result) = m.result(inner, 0).filter(|_| view) {
                let object = object.clone();
                objects.insert(result, object);
            }
        }
    }
}

/// Whether the object was released before; reports it.
fn given_back(cx: &mut Context<'_>, op: Op, object: &Object, released: &Released) -> bool {
    let m = cx.module;
    let Some((_, release)) = released
        .get(&object.end)
        .filter(|(count, _)| *count > object.number)
    else {
        return false;
    };
    let message = format!("an object of `@{}` is used after its release", object.end.0);
    cx.error(op, &codes::FIFO_USE, message)
        .label(m.span(object.acquire), "acquired here")
        .label(m.span(*release), "released here")
        .help("release it after its last use, or acquire again")
        .push_of_whole(cx);
    true
}
