//! Operations of core programs: where they may stand, and the elements they access.

use super::{Context, codes};
use crate::ir::{FloatKind, Op, Type};
use crate::ops::{Event, GetStream, OpKind, OpView};

/// Events that a core's event instruction makes (`mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`,
/// `aie.event`).
const EVENTS: std::ops::RangeInclusive<i32> = 0..=1;

/// Widths of the integers that a core reads from a stream in one operation.
const STREAM_BITS: [u32; 2] = [32, 128];

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for kind in [
        OpKind::Event,
        OpKind::GetStream,
        OpKind::PutStream,
        OpKind::GetCascade,
        OpKind::PutCascade,
    ] {
        for op in cx.of_kind(kind) {
            in_core(cx, op);
        }
    }
    for event in cx.all::<Event>() {
        let n = event.val(m);
        if !EVENTS.contains(&n) {
            let text = "attribute 'val' failed to satisfy constraint: 32-bit signless integer \
                        attribute whose minimum value is 0 whose maximum value is 1";
            let said = (
                format!("there is no event {n}"),
                "cores have events 0 and 1",
            );
            cx.shared(event.op(), &codes::CORE, said, text);
        }
    }
    for get in cx.all::<GetStream>() {
        let ty = m.result(get.op(), 0).map(|value| m.ty(value));
        let fits = ty.is_none_or(|ty| match ty {
            Type::Float(kind) => *kind == FloatKind::F32,
            ty => ty.is_int() && ty.bit_width().is_some_and(|n| STREAM_BITS.contains(&n)),
        });
        if let Some(ty) = ty.filter(|_| !fits) {
            let message = format!("a stream can't be read as {ty}");
            cx.problem(get.op(), &codes::CORE, message, "read i32, f32 or i128");
        }
    }
    for kind in [
        OpKind::MemrefLoad,
        OpKind::MemrefStore,
        OpKind::VectorLoad,
        OpKind::VectorStore,
    ] {
        for op in cx.of_kind(kind) {
            indices(cx, op);
        }
    }
}

/// Streams, cascades and events belong to a core, or to a function that one calls.
fn in_core(cx: &mut Context<'_>, op: Op) {
    let m = cx.module;
    let inside = |kind| m.ancestor(op, kind).is_some();
    if inside(OpKind::Core) || inside(OpKind::FuncFunc) || inside(OpKind::Unknown) {
        return;
    }
    let message = format!("`{}` stands outside of a core", m.op_name(op));
    cx.problem(op, &codes::PARENT, message, "put it into an aie.core");
}

/// An access names as many indices as the memref has dimensions.
fn indices(cx: &mut Context<'_>, op: Op) {
    let m = cx.module;
    let store = matches!(m.kind(op), OpKind::MemrefStore | OpKind::VectorStore);
    let memref = m.operand(op, usize::from(store)).map(|value| m.ty(value));
    let Some(rank) = memref.and_then(Type::as_memref).map(|ty| ty.shape.len()) else {
        return;
    };
    let count = m.operand_group(op, "indices").len();
    if count == rank {
        return;
    }
    let what = if store { "store" } else { "load" };
    let text = match m.kind(op) {
        OpKind::VectorLoad | OpKind::VectorStore => format!("requires {rank} indices"),
        _ => format!("incorrect number of indices for {what}, expected {rank} but got {count}"),
    };
    let said = (
        format!("{count} indices into a memref of {rank} dimensions"),
        format!("give one index for each of the {rank} dimensions"),
    );
    cx.shared(op, &codes::OPERANDS, said, text);
}
