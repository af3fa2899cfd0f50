//! Transfers stay inside the memory they name, and don't rewrite the BD of one that may still run.
//!
//! A BD that leaves a buffer of a tile reads or writes another's: refused. A host buffer may be
//! larger than the type of its argument says (the loader knows its address only), so that going
//! past it is a warning with both sizes.

use rustc_hash::FxHashMap;

use super::{Context, Report, codes};
use crate::ir::{BdDim, Module, Op, Type, Value};
use crate::ops::netlist::mixed_list;
use crate::ops::{
    Buffer, DmaBd, NpuDmaMemcpyNd, OpKind, OpView, RuntimeSequence, ShimDmaAllocation,
};
use aiec_diag::{Diag, Severity};

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(memcpy);
    cx.each(descriptor);
    cx.each(reused_bds);
}

fn memcpy(cx: &mut Context<'_>, copy: NpuDmaMemcpyNd) {
    let m = cx.module;
    let op = copy.op();
    let list =
        |name, group| -> Option<Vec<i64>> { mixed_list(m, op, name, group)?.into_iter().collect() };
    let (Some(offsets), Some(sizes), Some(strides)) = (
        list("static_offsets", 1),
        list("static_sizes", 2),
        list("static_strides", 3),
    ) else {
        return;
    };
    let dims = sizes.iter().zip(&strides);
    let dims: Vec<BdDim> = dims
        .map(|(size, stride)| BdDim {
            size: *size,
            stride: *stride,
        })
        .collect();
    // The offset of a dimension counts its strides; the innermost one's are elements.
    let mut start = offsets.iter().zip(&strides).rev().enumerate();
    let start = start.try_fold(0i64, |sum, (n, (offset, stride))| {
        sum.checked_add(offset.checked_mul(if n == 0 { 1 } else { *stride })?)
    });
    if let (Some(buffer), Some(needed)) = (copy.memref(m), start.and_then(|s| end(s, &dims))) {
        inside(cx, op, buffer, needed);
    }
}

fn descriptor(cx: &mut Context<'_>, bd: DmaBd) {
    let m = cx.module;
    let (Some(buffer), Some(offset)) = (bd.buffer(m), bd.offset_elems(m)) else {
        return;
    };
    let Some(mut dims) = bd.dims(m) else { return };
    if dims.is_empty() {
        let Some(len) = bd.len_elems(m) else { return };
        dims.push(BdDim {
            size: len,
            stride: 1,
        });
    }
    if let Some(iteration) = bd.iteration(m) {
        dims.push(BdDim {
            size: iteration.size,
            stride: iteration.stride,
        });
    }
    if let Some(needed) = end(offset, &dims) {
        inside(cx, bd.op(), buffer, needed);
    }
}

/// One past the last element of a pattern; `None` if it moves nothing or goes backwards, which is
/// reported elsewhere.
fn end(start: i64, dims: &[BdDim]) -> Option<i64> {
    let last = dims.iter().try_fold(start, |sum, dim| {
        if dim.size < 1 || dim.stride < 0 {
            return None;
        }
        sum.checked_add((dim.size - 1).checked_mul(dim.stride)?)
    });
    last?.checked_add(1)
}

/// Elements from the first to the last of a memref, gaps counted; a view's layout says where they are.
fn elements(m: &Module, buffer: Value) -> Option<i64> {
    let Type::MemRef(ty) = m.ty(buffer) else {
        return None;
    };
    if ty.layout.is_none() {
        return i64::try_from(ty.num_elements()?).ok();
    }
    let (strides, _) = ty.strides_and_offset()?;
    let dims = ty.shape.iter().zip(strides);
    let dims: Vec<BdDim> = dims
        .map(|(size, stride)| BdDim {
            size: *size,
            stride,
        })
        .collect();
    // Sizes and strides that are only known at run time are negative, and give `None`.
    end(0, &dims)
}

fn inside(cx: &mut Context<'_>, op: Op, buffer: Value, needed: i64) {
    let m = cx.module;
    let (Some(size), Some(memref)) = (elements(m, buffer), m.ty(buffer).as_memref()) else {
        return;
    };
    let span = m.span(op);
    // A wrong pattern was reported before, and its reach would only repeat that.
    if needed <= size || cx.diags.iter().any(|diag| diag.span() == span) {
        return;
    }
    let of_tile = Buffer::of(m, buffer).is_some();
    let bytes = |n: i64| {
        memref
            .elem
            .elem_bytes()
            .map_or(0, |b| b.saturating_mul(n as u64))
    };
    let message = format!("the transfer reaches element {} of {size}", needed - 1);
    let mut diag = cx.error(op, &codes::BD, message).label(
        m.value_span(buffer),
        format!("{size} elements ({} bytes)", bytes(size)),
    );
    if of_tile {
        diag = diag.help("keep offset, sizes and strides inside the buffer, or make it larger");
    } else if memref.layout.is_some() {
        diag.severity = Severity::Warning;
        diag = diag.help(
            "keep offset, sizes and strides inside the view, or transfer from the memref that it shows",
        );
    } else {
        diag.severity = Severity::Warning;
        diag = diag.help(format!(
            "declare at least {needed} elements ({} bytes), and give the run a buffer of that size",
            bytes(needed)
        ));
    }
    diag.push_of_whole(cx);
}

/// A BD of a shim tile that is written again although nothing was waited for since may change a
/// transfer that still runs.
fn reused_bds(cx: &mut Context<'_>, sequence: RuntimeSequence) {
    let m = cx.module;
    let mut live: FxHashMap<(Option<Value>, i64), Op> = FxHashMap::default();
    let Some(entry) = m.entry(sequence.op(), 0) else {
        return;
    };
    for op in m.block_ops(entry) {
        let Some(copy) = NpuDmaMemcpyNd::cast(m, op) else {
            if may_wait(m.kind(op)) || !m.regions_of(op).is_empty() {
                live.clear();
            }
            continue;
        };
        let Some(allocation) = cx.named::<ShimDmaAllocation>(&copy.metadata(m)) else {
            continue;
        };
        if let Some(first) = live.insert((allocation.tile(m), copy.id(m)), op) {
            let message = format!(
                "BD {} is written again while its transfer may still run",
                copy.id(m)
            );
            Diag::warning(&codes::SEQUENCE, message)
                .label(m.span(op), "written again here")
                .label(m.span(first), "used by this transfer")
                .help("choose another id, or wait (aiex.npu.dma_wait) between the two")
                .push_of_whole(cx);
        }
    }
}

/// Whether a sequence goes on only when something has happened in the array.
fn may_wait(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        NpuDmaWait
            | NpuSync
            | NpuMaskPoll
            | DmaAwaitTask
            | NpuPreempt
            | NpuLoadPdi
            | NpuWriteConfig
            | Configure
            | Unknown
    )
}
