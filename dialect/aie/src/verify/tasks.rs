//! DMA tasks of runtime sequences: their channels, their BDs, and the waits for them.

use aiec_device::{Bundle, TileKind, TileLoc};

use super::bd::{self, too_many_dims};
use super::{Context, Report, codes};
use crate::ir::{Attr, DYNAMIC, Op, Type, Value};
use crate::ops::netlist::mixed_list;
use crate::ops::{
    BdChain, DmaAwaitTask, DmaBd, DmaBdPoolPop, DmaConfigureTask, DmaConfigureTaskFor,
    DmaStartTask, OpKind, OpView, RouteEndpoint, ShimDmaAllocation,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for task in cx.all::<DmaConfigureTask>() {
        let Some(loc) = cx.tile(task.tile(m)) else {
            continue;
        };
        let Some(dir) = task.direction(m) else {
            continue;
        };
        let count = cx.dma_at(loc).map_or(0, |d| d.channels.get(dir));
        if !(0..i32::from(count)).contains(&task.channel(m)) {
            let message = format!("{dir} channel {} of {loc} doesn't exist", task.channel(m));
            let help = format!("this tile has {count} {dir} channels, counted from 0");
            cx.problem(task.op(), &codes::DMA_CHANNEL, message, help);
        }
    }
    for task in cx.all::<DmaConfigureTask>() {
        named_bds(cx, task);
    }
    for task in cx.all::<DmaConfigureTaskFor>() {
        let name = task.alloc(m);
        let Some(end) = cx.named::<RouteEndpoint>(&name) else {
            continue;
        };
        let bundle = end.bundle(m).unwrap_or(Bundle::Dma);
        if bundle != Bundle::Dma {
            let message =
                format!("endpoint `@{name}` is a {bundle} port, which no task configures");
            let help = "name an aie.route_endpoint with the bundle DMA";
            let text = format!("@{name} names a {bundle} port, not a DMA channel");
            cx.shared(task.op(), &codes::SEQUENCE, (message, help), text);
        }
    }
    for op in cx.of_kinds([
        OpKind::DmaStartTask,
        OpKind::DmaAwaitTask,
        OpKind::DmaFreeTask,
    ]) {
        // Tasks that come out of loops and conditionals are followed by the lowering.
        let task = m.operand(op, 0).and_then(|task| m.def_op(task));
        let Some(kind) = task.map(|task| m.kind(task)) else {
            continue;
        };
        let followed = matches!(
            kind,
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile | OpKind::Unknown
        );
        if !followed && !is_task(kind) {
            cx.error(op, &codes::SEQUENCE, "this isn't a DMA task")
                .help("name the result of aiex.dma_configure_task or aiex.dma_start_bd_chain")
                .mlir_aie(cx.mlir_aie(op, "does not reference a valid configure_task operation"))
                .push_of_whole(cx);
        }
    }
    for start in cx.all::<DmaStartTask>() {
        let written = start.repeat_count(m);
        if written.is_some() && !m.operand_group(start.op(), "repeat_count_val").is_empty() {
            let said = (
                "this start has two repeat counts",
                "leave out `repeat_count` or the operand",
            );
            let text = "takes repeat_count or a runtime repeat count, not both";
            cx.shared(start.op(), &codes::SEQUENCE, said, text);
        } else if let Some(count) = written.filter(|count| *count < 0) {
            let message = format!("a task can't run {count} more times");
            let text = format!("repeat_count must be non-negative, got {count}");
            let help = "write the further runs after the first, 0 or more";
            cx.shared(start.op(), &codes::SEQUENCE, (message, help), text);
        }
    }
    for awaited in cx.all::<DmaAwaitTask>() {
        let task = awaited.task(m).and_then(|t| m.def_op(t));
        let without = |t: &Op| is_task(m.kind(*t)) && !m.flag(*t, "issue_token");
        let Some(task) = task.filter(without) else {
            continue;
        };
        let message = "this task issues no token to wait for";
        // mlir-aie finds it when it lowers the tasks.
        cx.error(awaited.op(), &codes::SEQUENCE, message)
            .label(m.span(task), "the task")
            .help("give the task {issue_token = true}")
            .push_of_whole(cx);
    }
    for chain in cx.all::<BdChain>() {
        let arguments = m.entry(chain.op(), 0).map(|entry| m.block_args(entry));
        for argument in arguments.into_iter().flatten() {
            let ty = m.ty(*argument);
            if ty.as_memref().is_none() && *ty != Type::Index {
                let message = format!("an argument of a BD chain has type {ty}");
                let help = "chains take buffers and locks: memrefs, and locks as index";
                cx.problem(chain.op(), &codes::SEQUENCE, message, help);
            }
        }
    }
    chain_locks(cx);
    task_bds(cx);
    drawn_numbers(cx);
    length_units(cx);
    for op in cx.of_kinds([OpKind::DmaBdPoolPop, OpKind::DmaBdPoolPush]) {
        pool_part(cx, op);
    }
    super::shared_channel::tasks(cx);
}

/// Descriptors that packets choose, and that they name.
fn named_bds(cx: &mut Context<'_>, task: DmaConfigureTask) {
    let m = cx.module;
    let op = task.op();
    let has_header = task.packet(m).is_some();
    let bds = m.find_all::<DmaBd>(op);
    for bd in &bds {
        bd::named_bd(cx, *bd, has_header);
    }
    if !task.out_of_order(m).unwrap_or(false) {
        return;
    }
    if task.issue_token(m).unwrap_or(false) {
        cx.error(
            op,
            &codes::SEQUENCE,
            "a task whose descriptors packets choose sends no token",
        )
        .help("leave out `issue_token`: let a core or another channel say that all has arrived")
        .mlir_aie(cx.mlir_aie(op, "out_of_order channel cannot issue a completion token"))
        .push(cx);
    }
    if let Some(dir) = task.direction(m) {
        bd::out_of_order(cx, op, dir, &bds, has_header);
    }
}

/// A pool, which a pop and a push name by the same attributes, is of some of the BDs of its tile.
fn pool_part(cx: &mut Context<'_>, op: Op) {
    let (m, pool) = (cx.module, DmaBdPoolPop(op));
    let (column, row) = (pool.column(m), pool.row(m));
    let (Some(begin), Some(end)) = (pool.partition_begin(m), pool.partition_end(m)) else {
        return;
    };
    let place = u8::try_from(column).ok().zip(u8::try_from(row).ok());
    let tile = place.map(|(column, row)| TileLoc::new(column, row));
    let Some(dma) = tile.and_then(|tile| cx.dma_at(tile)) else {
        return;
    };
    let bds = i32::from(dma.bds);
    if (0..bds).contains(&begin) && begin < end && end <= bds {
        return;
    }
    let message =
        format!("[{begin}, {end}) isn't a part of the {bds} BDs of tile ({column}, {row})");
    let help = format!("write the first number and the one after the last, within [0, {bds})");
    let text = format!(
        "partition [{begin}, {end}) is not a nonempty range of the {bds} buffer descriptors on tile ({column}, {row})"
    );
    cx.shared(op, &codes::SEQUENCE, (&message, &help), &text);
}

/// Units of lengths belong to a parameter that changes the length.
fn length_units(cx: &mut Context<'_>) {
    let m = cx.module;
    for op in cx.of_kinds([OpKind::DmaBd, OpKind::NpuDmaMemcpyNd]) {
        let has = |key: &str| m.attr(op, key).is_some();
        if has("length_parameter") || has("length_state_table_idx") {
            continue;
        }
        let written = ["length_unit", "length_core_encoded"].into_iter();
        if let Some(key) = written.into_iter().find(|key| has(key)) {
            let message = format!("`{key}` of a length that nothing changes");
            let help = "write `length_parameter = @NAME`, or leave it out";
            cx.problem(op, &codes::BD, message, help);
        }
    }
}

/// Numbers from pools are of BDs of tasks that have no other.
fn drawn_numbers(cx: &mut Context<'_>) {
    let m = cx.module;
    for bd in cx.all::<DmaBd>() {
        let op = bd.op();
        if bd.number_value(m).is_none() {
            continue;
        }
        let of_task = m
            .parent_op(op)
            .is_some_and(|parent| is_task(m.kind(parent)));
        let (message, help) = if !of_task {
            (
                "a BD of a DMA program can't have a number that a sequence finds",
                "write `bd_id`, or configure the transfer as a task of a sequence",
            )
        } else if bd.bd_id(m).is_some() {
            (
                "this BD has two numbers",
                "leave out `bd_id` or `bd_id_val`",
            )
        } else {
            continue;
        };
        cx.problem(op, &codes::BD, message.to_string(), help);
    }
}

/// Refuses indices that a start of a BD chain gives and that aren't locks: BDs acquire and release them.
fn chain_locks(cx: &mut Context<'_>) {
    let m = cx.module;
    let starts = cx.of_kinds([OpKind::DmaStartBdChain, OpKind::DmaStartBdChainFor]);
    for start in starts {
        let indices = |value: &Value| *m.ty(*value) == Type::Index;
        let mut given = m.operand_group(start, "args");
        given.retain(indices);
        let other = |value: Value| {
            let def = m.def_op(value)?;
            (!matches!(m.kind(def), OpKind::Lock | OpKind::Unknown)).then_some(def)
        };
        for def in given.into_iter().filter_map(other) {
            cx.error(
                start,
                &codes::LOCK,
                "this BD chain is given something that isn't a lock",
            )
            .label(m.span(def), "defined here")
            .help("name the result of an aie.lock")
            .push_of_whole(cx);
        }
    }
}

/// The BDs of tasks: the repetition of a task takes the iteration of its BDs.
fn task_bds(cx: &mut Context<'_>) {
    let m = cx.module;
    for bd in cx.all::<DmaBd>() {
        let op = bd.op();
        let Some(parent) = m.parent_op(op) else {
            continue;
        };
        let tile = match m.kind(parent) {
            OpKind::DmaConfigureTask => DmaConfigureTask::cast(m, parent).and_then(|t| t.tile(m)),
            OpKind::DmaConfigureTaskFor => m.symbol_attr(parent, "alloc").and_then(|name| {
                let allocation = cx.named::<ShimDmaAllocation>(name);
                let end = || cx.named::<RouteEndpoint>(name).and_then(|end| end.tile(m));
                allocation.map_or_else(end, |allocation| allocation.tile(m))
            }),
            _ => continue,
        };
        let operands = |name| m.operand_group(op, name);
        let (sizes, strides) = (
            operands("iteration_size_val"),
            operands("iteration_stride_val"),
        );
        if sizes.len() != strides.len() {
            let message = "an iteration has a size and a stride";
            let help = "write iteration_size_val and iteration_stride_val, both or none";
            cx.problem(op, &codes::BD, message.to_string(), help);
        }
        let is_written = bd.iteration(m).is_some();
        if is_written && !sizes.is_empty() {
            let message = "this BD has two iterations";
            let help = "leave out the attribute `iteration` or the operands";
            cx.problem(op, &codes::BD, message.to_string(), help);
        }
        let dims = mixed_list(m, op, "static_sizes", 3).map_or(0, |sizes| sizes.len());
        let hardware = cx.tile(tile).and_then(|tile| cx.dma_at(tile));
        let hardware = hardware.map(|dma| usize::from(dma.bd.dims));
        if let Some(hardware) = hardware.filter(|hardware| dims > *hardware)
            && (is_written || !sizes.is_empty())
        {
            let message = format!("{dims} dimensions beside an iteration");
            let help = format!(
                "this tile's BDs have {hardware} dimensions: the outermost one is an iteration by itself, so leave one out"
            );
            let text = format!(
                "Cannot give more than {hardware} dimensions for step sizes and wraps alongside the iteration attribute on \
                 this tile (got {dims} dimensions)."
            );
            cx.shared(op, &codes::BD, (message, help), text);
        }
        if bd.pad_value(m).is_some_and(|value| value != 0) {
            let message = "a BD of a task can't choose what it pads with";
            let help = "the value is the channel's: write `pad_value` on its aie.dma_start";
            cx.problem(op, &codes::BD, message, help);
        }
        if !pattern_lists(cx, op) {
            continue;
        }
        let Some((kind, dma)) = cx.dma_of(tile) else {
            continue;
        };
        // On shim and core tiles the iteration serves as a further, outermost dimension.
        let more = usize::from(kind != TileKind::Mem);
        let max = usize::from(dma.bd.dims) + more;
        let count = mixed_list(m, op, "static_sizes", 3).map_or(0, |list| list.len());
        if count > max {
            too_many_dims(cx, op, kind, count, max);
        }
    }
}

/// Whether each mark of a size or stride that is known at run time has its operand, and each size
/// its stride. Text that only the generic form can write.
fn pattern_lists(cx: &mut Context<'_>, bd: Op) -> bool {
    let m = cx.module;
    let list = |attr: &str| match m.attr(bd, attr) {
        Some(Attr::DenseArray(list)) => list.values.clone(),
        _ => Vec::new(),
    };
    let (sizes, strides) = (list("static_sizes"), list("static_strides"));
    for (what, list) in [("sizes", &sizes), ("strides", &strides)] {
        let marks = list.iter().filter(|v| **v == DYNAMIC).count();
        let operands = m.operand_group(bd, what).len();
        if marks != operands {
            let message = format!("{marks} {what} are marked as values, {operands} are given");
            let help = format!("give an operand of `{what}` for each mark");
            let text = format!("expected {marks} dynamic {what} values");
            cx.shared(bd, &codes::BD, (message, help), text);
            return false;
        }
    }
    if sizes.len() != strides.len() {
        let (n, k) = (sizes.len(), strides.len());
        let message = format!("{n} sizes with {k} strides");
        let text = format!("expected the same number of sizes ({n}) and strides ({k})");
        cx.shared(bd, &codes::BD, (message, "give each size its stride"), text);
        return false;
    }
    true
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
