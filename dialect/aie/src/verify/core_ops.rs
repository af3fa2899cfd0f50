//! Operations of core programs: streams, events, and the elements they access.

use aiec_diag::Diag;

use super::{Context, Report, VerifyMode, codes};
use crate::ir::{DYNAMIC, FloatKind, Op, Type, Value};
use crate::ops::netlist::const_int;
use crate::ops::{Event, GetStream, OpKind, OpView, ScfFor};

/// Events that a core's event instruction makes (`mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`,
/// `aie.event`).
const EVENTS: std::ops::RangeInclusive<i32> = 0..=1;

/// Widths of the integers that a core reads from a stream in one operation.
const STREAM_BITS: [u32; 2] = [32, 128];

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for event in cx.all::<Event>() {
        let n = event.val(m);
        if !EVENTS.contains(&n) {
            let text = "attribute 'val' failed to satisfy constraint: 32-bit signless integer \
                        attribute whose minimum value is 0 whose maximum value is 1";
            let message = format!("there is no event {n}");
            let help = "cores have events 0 and 1";
            cx.shared(event.op(), &codes::CORE, (message, help), text);
        }
    }
    for op in cx.of_kinds([OpKind::GetStream, OpKind::PutStream]) {
        let channel = m.operand(op, 0).map(|channel| m.ty(channel));
        if let Some(ty) = channel.filter(|ty| !ty.is_int() && **ty != Type::Index) {
            let message = format!("the channel of a stream is of type {ty}");
            cx.problem(op, &codes::CORE, message, "name it by an i32");
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
            let text = format!(
                "result #0 must be 32-bit float or 32-bit signless integer or 128-bit signless \
                 integer, but got '{ty}'"
            );
            let said = (message, "read i32, f32 or i128");
            cx.shared(get.op(), &codes::CORE, said, text);
        }
    }
    if cx.mode == VerifyMode::Design {
        divisions(cx);
    }
    for op in cx.of_kinds([
        OpKind::MemrefLoad,
        OpKind::MemrefStore,
        OpKind::VectorLoad,
        OpKind::VectorStore,
    ]) {
        indices(cx, op);
    }
}

/// Warns of quotients and remainders by 0, which have no value: the model stops, machine code goes on with another number.
fn divisions(cx: &mut Context<'_>) {
    let m = cx.module;
    let found = cx.of_kinds([
        OpKind::ArithDivSI,
        OpKind::ArithDivUI,
        OpKind::ArithCeilDivSI,
        OpKind::ArithCeilDivUI,
        OpKind::ArithFloorDivSI,
        OpKind::ArithRemSI,
        OpKind::ArithRemUI,
    ]);
    for op in found {
        let divisor = m.operand(op, 1).and_then(|value| const_int(m, value));
        if divisor == Some(0) {
            Diag::warning(&codes::CORE, "the divisor is 0")
                .label(m.span(op), m.op_name(op).to_string())
                .help("a quotient by 0 has no value: divide by another number, or only where the divisor isn't 0")
                .push(cx);
        }
    }
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
        return inside(cx, op, store);
    }
    let what = if store { "store" } else { "load" };
    let text = match m.kind(op) {
        OpKind::VectorLoad | OpKind::VectorStore => format!("requires {rank} indices"),
        _ => format!("incorrect number of indices for {what}, expected {rank} but got {count}"),
    };
    let message = format!("{count} indices into a memref of {rank} dimensions");
    let help = format!("give one index for each of the {rank} dimensions");
    cx.shared(op, &codes::OPERANDS, (message, help), text);
}

/// Indices that are known when the design is compiled lie inside the memref.
fn inside(cx: &mut Context<'_>, op: Op, store: bool) {
    let m = cx.module;
    let Some(memref) = m.operand(op, usize::from(store)) else {
        return;
    };
    let Some(shape) = m.ty(memref).as_memref().map(|ty| ty.shape.clone()) else {
        return;
    };
    // Reach of a vector access beyond its index, in the innermost dimension.
    let vector = if store {
        m.operand(op, 0)
    } else {
        m.result(op, 0)
    };
    let lanes = vector.and_then(|v| m.ty(v).as_vector()?.shape.last().copied());
    let indices = m.operand_group(op, "indices");
    for (dim, (index, size)) in indices.iter().zip(&shape).enumerate() {
        let more = if dim + 1 == shape.len() {
            lanes.map_or(0, |lanes| lanes - 1)
        } else {
            0
        };
        let Some((low, high)) = index_range(cx, op, *index).filter(|_| *size != DYNAMIC) else {
            continue;
        };
        let high = high.saturating_add(more);
        if low >= 0 && high < *size {
            continue;
        }
        let reached = if low < 0 { low } else { high };
        let message =
            format!("index {reached} lies outside of the {size} elements of dimension {dim}");
        let help = format!("indices count from 0 to {}", size.saturating_sub(1));
        cx.error(op, &codes::CORE, message)
            .label(m.value_span(memref), "this memref")
            .help(help)
            .push_of_whole(cx);
    }
}

/// Smallest and largest value of an index: a constant, or the variable of a loop with constant
/// bounds where nothing between the loop and the access depends on a condition.
fn index_range(cx: &Context<'_>, access: Op, index: Value) -> Option<(i64, i64)> {
    let m = cx.module;
    if let Some(n) = const_int(m, index) {
        return Some((n, n));
    }
    let mut at = m.parent_op(access);
    while let Some(op) = at {
        let view = ScfFor::cast(m, op)?;
        let [lower, upper, step] = [view.lower(m)?, view.upper(m)?, view.step(m)?];
        let variable = m
            .entry(op, 0)
            .and_then(|entry| m.block_args(entry).first().copied());
        let bounds = (const_int(m, lower), const_int(m, upper), const_int(m, step));
        if variable == Some(index) {
            let (Some(lower), Some(upper), Some(step)) = bounds else {
                return None;
            };
            let trips = i128::from(upper) - i128::from(lower) - 1;
            if step < 1 || trips < 0 {
                return None;
            }
            let last = i128::from(lower) + trips / i128::from(step) * i128::from(step);
            return Some((lower, i64::try_from(last).ok()?));
        }
        at = m.parent_op(op);
    }
    None
}
