//! Inputs of a join that share one shim channel (`shared_input_channel`), and tasks whose BDs are
//! packets of these inputs in turn (`interleave`)
//! (`mlir-aie: test/objectFifo-stateful-transform/packet_flow/`, tests of `shared_input_channel`).

use aiec_device::TileKind;

use super::{Context, Report, codes};
use crate::ir::{Attr, Module, Op, Type};
use crate::ops::netlist::mixed_list;
use crate::ops::{DmaBd, DmaConfigureTaskFor, ObjectFifo, ObjectFifoLink, OpKind, OpView};

/// Checks a link that says that its inputs share a channel.
pub(super) fn link(
    cx: &mut Context<'_>,
    link: ObjectFifoLink,
    ins: &[ObjectFifo],
    outs: &[ObjectFifo],
) {
    let m = cx.module;
    let op = link.op();
    if link.shared_input_channel(m) != Some(true) {
        return;
    }
    if ins.len() < 2 || outs.len() != 1 {
        let message = "only the inputs of a join can share a channel";
        let help = "leave `shared_input_channel` out";
        let text = "shared_input_channel requires a join (v1 does not support distribute)";
        return cx.shared_plain(op, &codes::LINK, (message, help), text);
    }
    let Some(first) = ins.first() else { return };
    let tile = cx.tile(first.producerTile(m));
    let kind = tile.and_then(|tile| cx.kind_at(tile));
    if kind.is_some_and(|kind| kind != TileKind::ShimNoc) {
        let message = "the inputs that share a channel come from a tile without host memory";
        let help = "let a shim tile with a DMA produce them, or leave `shared_input_channel` out";
        let text = "shared_input_channel requires a shim NOC tile producer";
        return cx.shared_plain(op, &codes::LINK, (message, help), text);
    }
    for (n, fifo) in ins.iter().enumerate() {
        let before = &ins[..n];
        let pin = fifo.prod_dma_channel(m);
        let id = fifo.packet_id(m);
        let (message, help, text) = if fifo.packet(m) != Some(true) {
            (
                "a fifo that shares a channel must be packets",
                "add `packet`",
                "must be packet-flagged to join a shared_input_channel group",
            )
        } else if cx.tile(fifo.producerTile(m)) != tile {
            (
                "fifos that share a channel must have one producer",
                "name one tile for all",
                "shared_input_channel group members must share one producer tile",
            )
        } else if pin.is_some()
            && before
                .iter()
                .any(|b| b.prod_dma_channel(m).is_some_and(|p| Some(p) != pin))
        {
            (
                "fifos that share a channel name different channels",
                "write `prod_dma_channel` for one of them only",
                "pins a prod_dma_channel that differs from another shared_input_channel group member",
            )
        } else if id.is_some() && before.iter().any(|b| b.packet_id(m) == id) {
            (
                "fifos that share a channel have one packet id",
                "give each its own, or leave `packet_id` out",
                "shared_input_channel group members must have distinct pinned packet_id values",
            )
        } else {
            continue;
        };
        cx.shared(fifo.op(), &codes::LINK, (message, help), text);
    }
}

/// Checks the tasks that interleave.
pub(super) fn tasks(cx: &mut Context<'_>) {
    cx.each(interleaved);
}

fn leaf(attr: &Attr) -> Option<&str> {
    match attr {
        Attr::Symbol(symbol) => Some(symbol.leaf()),
        _ => None,
    }
}

fn interleaved(cx: &mut Context<'_>, task: DmaConfigureTaskFor) {
    let m = cx.module;
    let op = task.op();
    let followers = task.interleave(m).unwrap_or_default();
    let (Some(leader), false) = (m.symbol_attr(op, "alloc"), followers.is_empty()) else {
        return;
    };
    let names: Option<Vec<&str>> = [Some(leader)]
        .into_iter()
        .chain(followers.iter().map(leaf))
        .collect();
    let Some(names) = names else {
        let help = "write symbols: `interleave = [@scales]`";
        let message = "`interleave` names something else";
        return cx.problem(op, &codes::SEQUENCE, message, help);
    };
    let members: Vec<Option<Op>> = names.iter().map(|name| cx.symbols.get(name)).collect();
    for (name, member) in names.iter().zip(&members).skip(1) {
        let kind = member.map(|member| m.kind(member));
        let is_channel = matches!(
            kind,
            Some(OpKind::ObjectFifo | OpKind::ShimDmaAllocation | OpKind::RouteEndpoint)
        );
        if !is_channel {
            let message = format!("`@{name}` isn't an object fifo or shim DMA allocation");
            let help = "name the other inputs of the link with `shared_input_channel`";
            let diag = cx.error(op, &codes::SYMBOL, message).help(help);
            return diag.push(cx);
        }
    }
    let bds: Vec<DmaBd> = cx.all::<DmaBd>();
    let bds: Vec<DmaBd> = bds
        .into_iter()
        .filter(|bd| m.parent_op(bd.op()) == Some(op))
        .collect();
    if bds.len() != names.len() {
        let message = format!(
            "`interleave` makes it {} fifos, and the task has {} BDs",
            names.len(),
            bds.len()
        );
        let text = format!(
            "interleave names a group of {} members but the body has {} buffer descriptors",
            names.len(),
            bds.len()
        );
        let help = "give the task a BD for each, in the order of the names";
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let fifos: Option<Vec<ObjectFifo>> = members
        .iter()
        .map(|member| ObjectFifo::cast(m, (*member)?))
        .collect();
    if fifos.is_some() && !is_group(cx, &names) {
        let message = "these fifos don't share a channel";
        let help = "name all inputs of one link with `shared_input_channel`, in its order";
        let text =
            "alloc and interleave do not name exactly one shared_input_channel group, leader first";
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    for (n, bd) in bds.iter().enumerate() {
        in_step(cx, task, *bd);
        if let Some(fifos) = &fifos {
            fits(cx, fifos[n], names[n], *bd);
        }
    }
}

/// Whether the names are those of the inputs of a link whose inputs share a channel.
fn is_group(cx: &Context<'_>, names: &[&str]) -> bool {
    cx.all::<ObjectFifoLink>().iter().any(|link| {
        let inputs = link.fifoIns(cx.module);
        link.shared_input_channel(cx.module) == Some(true)
            && inputs
                .iter()
                .map(leaf)
                .eq(names.iter().map(|name| Some(*name)))
    })
}

/// A BD that moves on from run to run of the task must do so in each run, and no longer.
fn in_step(cx: &mut Context<'_>, task: DmaConfigureTaskFor, bd: DmaBd) {
    /// Sizes of a BD of which the outermost is moved over from run to run.
    const SIZES_WITH_ITERATION: usize = 4;
    let m = cx.module;
    if m.num_operands(task.op()) > 0 {
        return;
    }
    let runs = m
        .int_attr(task.op(), "repeat_count")
        .unwrap_or(0)
        .saturating_add(1);
    let sizes = mixed_list(m, bd.op(), "static_sizes", 3).unwrap_or_default();
    let (Some(Some(outermost)), SIZES_WITH_ITERATION) = (sizes.first(), sizes.len()) else {
        return;
    };
    if *outermost != runs {
        let message = format!("the BD moves on {outermost} times in {runs} runs of its task");
        let help = "let the outermost size be repeat_count + 1, so that all BDs stay in step";
        let text = format!(
            "outermost size ({outermost}) must equal repeat_count + 1 ({runs}) to stay in lockstep"
        );
        cx.shared(bd.op(), &codes::BD, (message, help), text);
    }
}

/// A BD that moves more objects than the consumer has room for waits for the packets of the
/// others, which wait after it on the channel.
fn fits(cx: &mut Context<'_>, fifo: ObjectFifo, name: &str, bd: DmaBd) {
    let m = cx.module;
    let object = fifo.consumerElemType(m).or_else(|| fifo.elemType(m));
    let object = match &object {
        Some(Type::ObjectFifo(inner)) => inner.as_memref().and_then(|memref| memref.num_bytes()),
        Some(other) => other.as_memref().and_then(|memref| memref.num_bytes()),
        None => None,
    };
    let moved = m.int_attr(bd.op(), "static_len").and_then(|len| {
        let element = m.ty(bd.buffer(m)?).as_memref()?.elem.elem_bytes()?;
        u64::try_from(len).ok()?.checked_mul(element)
    });
    let (Some(object), Some(moved), Some(depth)) = (object, moved, consumer_depth(m, fifo)) else {
        return;
    };
    let objects = moved.checked_div(object).unwrap_or(0);
    if objects > depth {
        let message = format!(
            "the BD moves {objects} objects of `@{name}` at once, whose consumer has room for {depth}"
        );
        let help = "move fewer objects in each run of the task, or give the fifo more depth";
        let text = format!(
            "moves {objects} objects per invocation, which exceeds its shared_input_channel \
             consumer's depth ({depth})"
        );
        cx.shared(bd.op(), &codes::BD, (message, help), text);
    }
}

/// Objects that the first consumer has room for.
fn consumer_depth(m: &Module, fifo: ObjectFifo) -> Option<u64> {
    let depth = match m.attr(fifo.op(), "elemNumber")? {
        Attr::Array(depths) => depths.get(1)?.as_int()?,
        depth => depth.as_int()?,
    };
    u64::try_from(depth).ok()
}
