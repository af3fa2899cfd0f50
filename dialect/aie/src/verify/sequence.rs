//! Runtime sequences: transfers, tasks, register operations.

use super::{Context, codes};
use crate::ir::{Op, Type};
use crate::ops::netlist::mixed_list;
use crate::ops::{
    DmaAwaitTask, DmaConfigureTask, DmaFreeTask, DmaStartTask, NpuDmaMemcpyNd, NpuPreempt,
    NpuPushQueue, NpuRtpWrite, OpKind, OpView, SetLock,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for copy in cx.all::<NpuDmaMemcpyNd>() {
        memcpy(cx, copy);
    }
    tasks(cx);
    let m = cx.module;
    for set in cx.all::<SetLock>() {
        let max = i32::from(cx.model.arch_model().max_lock_value);
        if !(0..=max).contains(&set.value(m)) {
            let message = format!("lock value {} is out of range", set.value(m));
            problem(cx, set.op(), message, format!("locks hold 0..={max}"));
        }
    }
    for preempt in cx.all::<NpuPreempt>() {
        if !(0..=3).contains(&preempt.level(m)) {
            problem(
                cx,
                preempt.op(),
                "there is no such preemption level",
                "levels are 0 to 3",
            );
        }
    }
    for push in cx.all::<NpuPushQueue>() {
        channel(cx, push);
    }
    for write in cx.all::<NpuRtpWrite>() {
        rtp(cx, write);
    }
}

fn problem(cx: &mut Context<'_>, op: Op, message: impl Into<String>, help: impl Into<String>) {
    let diag = cx.error(op, &codes::SEQUENCE, message).help(help);
    cx.push(diag);
}

fn memcpy(cx: &mut Context<'_>, copy: NpuDmaMemcpyNd) {
    let m = cx.module;
    let op = copy.op();
    let dma = cx.model.arch_model().shim_noc.dma.as_ref();
    let bds = dma.map_or(0, |d| i64::from(d.bds));
    if !(0..bds).contains(&copy.id(m)) {
        let message = format!("BD id {} doesn't exist", copy.id(m));
        problem(
            cx,
            op,
            message,
            format!("shim tiles have BDs 0..={}", bds - 1),
        );
    }
    let lists: Vec<Option<Vec<Option<i64>>>> = ["static_offsets", "static_sizes", "static_strides"]
        .iter()
        .enumerate()
        .map(|(i, name)| mixed_list(m, op, name, i + 1))
        .collect();
    let [Some(offsets), Some(sizes), Some(strides)] = lists.as_slice() else {
        return;
    };
    if [offsets, sizes, strides].iter().any(|l| l.len() != 4) {
        problem(
            cx,
            op,
            "offsets, sizes and strides need four entries each",
            "write [0, 0, 0, offset][1, 1, 1, length][0, 0, 0, 1]; the outermost comes first",
        );
        return;
    }
    let memref = copy.memref(m).map(|v| m.ty(v));
    let Some(Type::MemRef(memref)) = memref else {
        return;
    };
    let Some(elem) = memref.elem.elem_bytes().and_then(|b| i64::try_from(b).ok()) else {
        return;
    };
    let words = |n: i64| n.checked_mul(elem).is_some_and(|b| b % 4 == 0);
    for (n, (size, stride)) in sizes.iter().zip(strides).enumerate() {
        let (Some(size), Some(stride)) = (*size, *stride) else {
            continue;
        };
        let dim = 3 - n;
        if size < 1 {
            problem(
                cx,
                op,
                format!("size {dim} is {size}"),
                "sizes are at least 1",
            );
        }
        if stride < 0 || (stride == 0 && size > 1 && dim != 3) || (stride == 0 && dim == 0) {
            problem(
                cx,
                op,
                format!("stride {dim} is {stride}"),
                "strides are at least 1; only the outermost may be 0, to repeat",
            );
        }
        if dim > 0 && size > 1 && !words(stride) {
            problem(
                cx,
                op,
                format!("stride {dim} of {stride} elements isn't a whole number of 32-bit words"),
                "DMAs address whole words",
            );
        }
        if dim == 0 && !words(size) {
            problem(
                cx,
                op,
                format!("{size} elements of {elem} bytes aren't a whole number of 32-bit words"),
                "make the innermost size a multiple of 4 bytes",
            );
        }
        if dim == 0 && stride > 1 && elem < 4 && size > 1 {
            problem(
                cx,
                op,
                format!("elements of {elem} bytes can't be strided one by one"),
                "the innermost stride must be 1 unless elements have 32 bits",
            );
        }
    }
    if elem > 4 {
        problem(
            cx,
            op,
            format!("elements of {elem} bytes"),
            "elements have at most 32 bits; view the buffer as i32",
        );
    }
}

fn tasks(cx: &mut Context<'_>) {
    let m = cx.module;
    for task in cx.all::<DmaConfigureTask>() {
        let Some(loc) = cx.tile(task.tile(m)) else {
            continue;
        };
        let Some(dir) = task.direction(m) else {
            continue;
        };
        let count = cx
            .model
            .tile(loc)
            .and_then(|t| t.dma.as_ref())
            .map_or(0, |d| d.channels.get(dir));
        if !(0..i32::from(count)).contains(&task.channel(m)) {
            let message = format!("{dir} channel {} of {loc} doesn't exist", task.channel(m));
            let diag = cx
                .error(task.op(), &codes::DMA_CHANNEL, message)
                .help(format!(
                    "this tile has {count} {dir} channels, counted from 0"
                ));
            cx.push(diag);
        }
    }
    let mut users: Vec<(Op, Option<crate::ir::Value>)> = Vec::new();
    users.extend(cx.all::<DmaStartTask>().iter().map(|t| (t.op(), t.task(m))));
    users.extend(cx.all::<DmaAwaitTask>().iter().map(|t| (t.op(), t.task(m))));
    users.extend(cx.all::<DmaFreeTask>().iter().map(|t| (t.op(), t.task(m))));
    for (op, task) in users {
        // Tasks that come out of loops and conditionals are followed by the lowering.
        let Some(kind) = task.and_then(|t| m.def_op(t)).map(|d| m.kind(d)) else {
            continue;
        };
        let followed = matches!(
            kind,
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile | OpKind::Unknown
        );
        if !followed && !is_task(kind) {
            problem(
                cx,
                op,
                "this isn't a DMA task",
                "name the result of aiex.dma_configure_task or aiex.dma_start_bd_chain",
            );
        }
    }
    for awaited in cx.all::<DmaAwaitTask>() {
        let task = awaited.task(m).and_then(|t| m.def_op(t));
        let without = |t: &Op| is_task(m.kind(*t)) && !m.flag(*t, "issue_token");
        let Some(task) = task.filter(without) else {
            continue;
        };
        let diag = cx
            .error(
                awaited.op(),
                &codes::SEQUENCE,
                "this task issues no token to wait for",
            )
            .label(m.span(task), "the task")
            .help("give the task {issue_token = true}");
        cx.push(diag);
    }
}

fn is_task(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::DmaConfigureTask
            | OpKind::DmaConfigureTaskFor
            | OpKind::DmaStartBdChain
            | OpKind::DmaStartBdChainFor
    )
}

fn channel(cx: &mut Context<'_>, push: NpuPushQueue) {
    let m = cx.module;
    let place = (u8::try_from(push.column(m)), u8::try_from(push.row(m)));
    let loc = match place {
        (Ok(col), Ok(row)) => aiec_device::TileLoc::new(col, row),
        _ => return problem(cx, push.op(), "there is no such tile", "see `aiec devices`"),
    };
    let dma = cx.model.tile(loc).and_then(|t| t.dma.as_ref());
    let Some(dir) = push.direction(m) else { return };
    let count = dma.map_or(0, |d| d.channels.get(dir));
    if !(0..i32::from(count)).contains(&push.channel(m)) {
        let message = format!("{dir} channel {} of {loc} doesn't exist", push.channel(m));
        let diag = cx
            .error(push.op(), &codes::DMA_CHANNEL, message)
            .help(format!(
                "this tile has {count} {dir} channels, counted from 0"
            ));
        cx.push(diag);
    }
}

fn rtp(cx: &mut Context<'_>, write: NpuRtpWrite) {
    let m = cx.module;
    let name = write.buffer(m);
    let Some(buffer) = cx.symbols.get(&name) else {
        return;
    };
    let Some(buffer) = crate::ops::Buffer::cast(m, buffer) else {
        return;
    };
    let end = (u64::from(write.index(m)) + 1) * 4;
    if buffer.bytes(m).is_some_and(|bytes| end > bytes) {
        let message = format!("word {} lies outside of `@{name}`", write.index(m));
        let diag = cx
            .error(write.op(), &codes::SEQUENCE, message)
            .label(m.span(buffer.op()), "the buffer")
            .help("the index counts 32-bit words from 0");
        cx.push(diag);
    }
}
