//! DMA programs: channels, chains, and the shape of their blocks.

use aiec_device::{DmaDir, DmaModel, TileKind, TileLoc};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::{Context, Report, bd, codes};
use crate::ir::{Block, Op, Value};
use crate::ops::netlist::{DmaChannel, bd_slot, dma_channels};
use crate::ops::{Buffer, Dma, DmaBd, DmaStart, OpKind, OpView, UseLock, enums::LockAction};

/// Runs of one queue entry (`Repeat_Count` has 8 bits; AM025, DMA task queues).
const MAX_REPEAT: i32 = 255;

/// A DMA program, with facts about its tile.
#[derive(Clone, Copy)]
pub(super) struct Program<'a> {
    pub(super) op: Op,
    pub(super) loc: Option<TileLoc>,
    pub(super) kind: TileKind,
    pub(super) dma: &'a DmaModel,
}

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for op in cx.of_kinds([OpKind::UseLock, OpKind::DmaBdPacket]) {
        beside_bd(cx, op);
    }
    for op in cx.of_kinds([OpKind::Mem, OpKind::MemTileDma, OpKind::ShimDma]) {
        let tile = m.operand(op, 0);
        let Some((kind, dma)) = cx.dma_of(tile) else {
            continue;
        };
        let loc = cx.tile(tile);
        container(cx, Program { op, loc, kind, dma });
    }
}

impl<'a> Context<'a> {
    /// The DMA of the tile at a place.
    pub(super) fn dma_at(&self, loc: TileLoc) -> Option<&'static DmaModel> {
        self.model.tile(loc)?.dma.as_ref()
    }

    /// The DMA of the tile of a handle, placed or not.
    pub(super) fn dma_of(&self, tile: Option<Value>) -> Option<(TileKind, &'static DmaModel)> {
        let kind = self.kind_of(tile)?;
        let arch = self.model.arch_model();
        let model = match kind {
            TileKind::Core => Some(&arch.core),
            TileKind::Mem => arch.mem.as_ref(),
            TileKind::ShimNoc => Some(&arch.shim_noc),
            TileKind::ShimPl => arch.shim_pl.as_ref(),
        };
        Some((kind, model?.dma.as_ref()?))
    }
}

fn container(cx: &mut Context<'_>, program: Program<'_>) {
    let m = cx.module;
    let Program { op, kind, dma, .. } = program;
    let place = cx.place_text(m.operand(op, 0));
    let mut bd_blocks = 0usize;
    for bd in m.find_all::<DmaBd>(op) {
        let inner = bd.op();
        if cx.is_bad(inner) {
            continue;
        }
        bd_blocks += 1;
        if bd_blocks == usize::from(dma.bds) + 1 {
            let message = format!("more BDs than the {} of {place}", dma.bds);
            cx.error(inner, &codes::BD, message)
                .label(m.span(op), "in this DMA program")
                .help("share BDs by longer chains with repeats, or move a channel to another tile")
                .mlir_aie(cx.mlir_aie(op, format!("has more than {} blocks", dma.bds)))
                .push(cx);
        }
        bd::descriptor(cx, bd, kind, dma);
    }
    // One BD per block, at most one acquire and one release.
    for block in m.regions_of(op).iter().flat_map(|r| m.blocks_of(*r)) {
        block_shape(cx, op, *block);
    }
    channels(cx, program, &place);
    region_form(cx, op);
}

/// A lock or packet header in a DMA program is part of the BD in its block.
fn beside_bd(cx: &mut Context<'_>, op: Op) {
    use OpKind::*;
    let m = cx.module;
    let in_program = m.parent_op(op).is_some_and(|parent| {
        matches!(
            m.kind(parent),
            Mem | MemTileDma | ShimDma | Dma | BdChain | DmaConfigureTask | DmaConfigureTaskFor
        )
    });
    let ops = m.parent_block(op).map(|block| m.ops_in(block));
    let has_bd = |ops: Vec<Op>| ops.iter().any(|op| m.kind(*op) == DmaBd);
    if in_program && !ops.is_some_and(has_bd) {
        let message = format!("`{}` is in a block without a BD", m.op_name(op));
        let help = "a BD takes the locks and the packet header of its own block: move it there";
        cx.problem(op, &codes::DMA_PROGRAM, message, help);
    }
}

fn block_shape(cx: &mut Context<'_>, container: Op, block: Block) {
    let m = cx.module;
    let ops = m.ops_in(block);
    let is_bd = |op: &Op| m.kind(*op) == OpKind::DmaBd;
    let bds: Vec<Op> = ops.iter().copied().filter(is_bd).collect();
    terminator(cx, container, &ops);
    let Some(first) = bds.first().copied() else {
        return;
    };
    let start = ops.first().and_then(|op| m.span(*op));
    let at_most_one = |cx: &Context<'_>, what: &str, found: usize| {
        let text = format!("BD block must have at most one {what}, found {found}");
        cx.mlir_aie(container, text).note(start, "in this BD block")
    };
    if let Some(second) = bds.get(1).copied() {
        let message = "a block holds one aie.dma_bd only";
        cx.error(second, &codes::DMA_PROGRAM, message)
            .label(m.span(first), "the first one")
            .help("start a new block and lead to it with aie.next_bd")
            .mlir_aie(at_most_one(cx, "DMABDOp", bds.len()))
            .push(cx);
    }
    let locks: Vec<UseLock> = ops.iter().filter_map(|o| UseLock::cast(m, *o)).collect();
    let is_release = |l: &&UseLock| l.action(m) == LockAction::Release;
    let (releases, acquires): (Vec<&UseLock>, _) = locks.iter().partition(is_release);
    for (list, what) in [(acquires, "acquire"), (releases, "release")] {
        if let [first, second, ..] = list.as_slice() {
            let message = format!("a BD can {what} one lock only");
            cx.error(second.op(), &codes::DMA_PROGRAM, message)
                .label(m.span(first.op()), "the first one")
                .help("move the second into another BD's block")
                .mlir_aie(at_most_one(cx, &format!("{what} UseLockOp"), list.len()))
                .push(cx);
        }
    }
    one_lock(cx, &locks);
}

/// A BD of AIE1 uses one lock, for its acquire and its release.
fn one_lock(cx: &mut Context<'_>, locks: &[UseLock]) {
    let m = cx.module;
    let Some(first) = locks.first() else { return };
    if cx.model.arch_model().semaphore_locks {
        return;
    }
    for other in locks.iter().filter(|l| l.lock(m) != first.lock(m)) {
        let message = "a BD of AIE1 uses one lock only";
        cx.error(other.op(), &codes::DMA_PROGRAM, message)
            .label(m.span(first.op()), "another lock is used here")
            .help("acquire and release the same lock")
            .mlir_aie(cx.mlir_aie(other.op(), "used in a DMA block that have multiple locks."))
            .push(cx);
    }
}

/// The ends that blocks of a DMA program may have.
fn terminator(cx: &mut Context<'_>, container: Op, ops: &[Op]) {
    let m = cx.module;
    if let Some(last) = ops.last().copied() {
        let kind = m.kind(last);
        let allowed = matches!(kind, OpKind::NextBd | OpKind::DmaStart | OpKind::End);
        if !allowed && kind != OpKind::Unknown && kind.has(crate::ops::Traits::TERMINATOR) {
            let message = format!("`{}` can't end a block of a DMA program", m.op_name(last));
            let text = "is not an allowed terminator";
            cx.error(last, &codes::DMA_PROGRAM, message)
                .help("end it with aie.next_bd, aie.dma_start or aie.end")
                .mlir_aie(
                    cx.mlir_aie(last, text)
                        .note(m.span(container), "in this context"),
                )
                .push(cx);
        }
    }
}

fn channels(cx: &mut Context<'_>, program: Program<'_>, place: &str) {
    let m = cx.module;
    let (container, dma) = (program.op, program.dma);
    // A channel may be started several times: its queue takes the tasks one after the other.
    let mut seen: IndexMap<(DmaDir, u8), Vec<Op>, FxBuildHasher> = IndexMap::default();
    for op in m.walk(container) {
        let (dir, index, repeat) = match (DmaStart::cast(m, op), Dma::cast(m, op)) {
            // The channel of an endpoint is chosen when fifos are lowered.
            (Some(s), _) if s.endpoint(m).is_some() => continue,
            (Some(s), _) => {
                let index = s.channel_index(m).unwrap_or(-1);
                (s.channel_dir(m), index, s.repeat_count(m))
            }
            (_, Some(d)) => (d.channel_dir(m), d.channel_index(m), d.repeat_count(m)),
            _ => continue,
        };
        let Some(dir) = dir else { continue };
        let count = dma.channels.get(dir);
        let Some(channel) = u8::try_from(index).ok().filter(|c| *c < count) else {
            let message = format!("{dir} channel {index} of {place} doesn't exist");
            let help = format!("this tile has {count} {dir} channels, counted from 0");
            let diag = cx.error(op, &codes::DMA_CHANNEL, message).help(help);
            let way = if dir == DmaDir::S2mm {
                "input"
            } else {
                "output"
            };
            let text = format!("uses more {way} channels than available on this tile");
            diag.mlir_aie(cx.mlir_aie(container, text)).push(cx);
            continue;
        };
        let tasks = seen.entry((dir, channel)).or_default();
        tasks.push(op);
        let depth = usize::from(dma.queue_depth.get(dir));
        if tasks.len() == depth + 1 {
            let first = tasks.first().and_then(|first| m.span(*first));
            let message = format!(
                "{dir} channel {channel} of {place} is started {} times",
                depth + 1
            );
            let help = format!("its queue holds {depth} tasks; chain BDs or use a repeat_count");
            cx.error(op, &codes::DMA_CHANNEL, message)
                .label(first, "first started here")
                .help(help)
                .push_of_whole(cx);
        }
        if let Some(repeat) = repeat
            && !(0..=MAX_REPEAT).contains(&repeat)
        {
            let message = format!("repeat_count {repeat} is out of range");
            let help = format!("0 runs once; at most {MAX_REPEAT} further runs");
            cx.problem(op, &codes::DMA_CHANNEL, message, help);
        }
        pad_value(cx, op, dir, program);
    }
    let started = dma_channels(m, container);
    unreached(cx, container, &started);
    // A BD id must suit the channel (mem tiles: even channels 0..=23, odd ones 24..=47).
    for channel in started {
        chain(cx, &channel);
        next_ids(cx, &channel);
        bd_pad_values(cx, &channel, program);
        if channel.is_out_of_order(m) {
            let bds: Vec<DmaBd> = channel.bds.iter().map(|slot| slot.bd).collect();
            bd::out_of_order(cx, channel.op, channel.dir, &bds, false);
        }
        if program.kind == TileKind::Mem && channel.channel >= dma.neighbour_channels {
            own_only(cx, &channel, program);
        }
        for slot in &channel.bds {
            let Some(id) = slot.bd.bd_id(m).and_then(|id| u8::try_from(id).ok()) else {
                continue;
            };
            if id < dma.bds && !dma.bd_usable(channel.channel, id) {
                let range = dma.bd_range(channel.channel);
                let message = format!("channel {} can't use BD {id}", channel.channel);
                cx.error(slot.bd.op(), &codes::BD, message)
                    .label(m.span(channel.op), "this channel")
                    .help(format!("its BDs are {}..={}", range.start, range.end - 1))
                    .push_of_whole(cx);
            }
        }
    }
}

/// BDs that no channel comes to are never configured.
fn unreached(cx: &mut Context<'_>, container: Op, started: &[DmaChannel]) {
    let m = cx.module;
    let slots = started.iter().flat_map(|channel| &channel.bds);
    let reached: FxHashSet<Op> = slots.map(|slot| slot.bd.op()).collect();
    for bd in m.find(container, OpKind::DmaBd) {
        let block = m.parent_block(bd);
        // One of several in a block is reported there, one in aie.dma with its region.
        let first = block.and_then(|block| bd_slot(m, block));
        let alone = first.is_some_and(|slot| slot.bd.op() == bd);
        if alone && !reached.contains(&bd) && !names_endpoint(cx, container) {
            let message = "no channel leads to this BD";
            let help = "let an aie.dma_start or an aie.next_bd name its block, or remove it";
            cx.problem(bd, &codes::DMA_PROGRAM, message, help);
        }
    }
}

/// Whether a start of the program names an endpoint, whose channel isn't chosen yet.
fn names_endpoint(cx: &Context<'_>, container: Op) -> bool {
    let starts = cx.module.find_all::<DmaStart>(container);
    starts
        .iter()
        .any(|start| start.endpoint(cx.module).is_some())
}

/// Checks that `next_bd_id` agrees with `aie.next_bd`.
fn next_ids(cx: &mut Context<'_>, channel: &DmaChannel) {
    let m = cx.module;
    for (at, slot) in channel.bds.iter().enumerate() {
        let Some(written) = slot.bd.next_bd_id(m) else {
            continue;
        };
        let last = channel.next_of_last.filter(|_| at + 1 == channel.bds.len());
        let next = channel.bds.get(last.unwrap_or(at + 1)).map(|next| next.bd);
        if next.and_then(|next| next.bd_id(m)) == Some(written) {
            continue;
        }
        let message = match next.map(|next| next.bd_id(m)) {
            Some(Some(id)) => {
                format!("`next_bd_id` names BD {written}, the chain goes on with {id}")
            }
            Some(None) => format!("`next_bd_id` names BD {written}, the next one has no number"),
            None => format!("`next_bd_id` names BD {written}, but the chain ends here"),
        };
        cx.error(slot.bd.op(), &codes::BD, message)
            .label(next.and_then(|next| m.span(next.op())), "the next BD")
            .help("leave `next_bd_id` out: aie.next_bd says which BD follows")
            .push_of_whole(cx);
    }
}

/// The pad values that BDs name, as before mid-2026, are the channel's: one for all of them.
fn bd_pad_values(cx: &mut Context<'_>, channel: &DmaChannel, program: Program<'_>) {
    let m = cx.module;
    let value = channel.pad_value(m);
    for slot in &channel.bds {
        let bd = slot.bd.op();
        let Some(own) = slot.bd.pad_value(m) else {
            continue;
        };
        pad_value(cx, bd, channel.dir, program);
        if own != value {
            let message = format!("this BD pads with {own}, its channel with {value}");
            cx.error(bd, &codes::DMA_CHANNEL, message)
                .label(m.span(channel.op), "the channel")
                .help("a channel pads with one value: write `pad_value` on aie.dma_start only")
                .push_of_whole(cx);
        }
    }
}

/// A channel has at least one BD, and only what leaves a tile can be padded.
fn chain(cx: &mut Context<'_>, channel: &DmaChannel) {
    if channel.bds.is_empty() {
        let message = "this channel has no BD";
        let help = "put an aie.dma_bd into the block that it starts with";
        cx.problem(channel.op, &codes::DMA_PROGRAM, message, help);
    }
    let padded = |bd: &DmaBd| {
        let pads = bd.pad_dimensions(cx.module).unwrap_or_default();
        pads.iter().any(|pad| pad.before > 0 || pad.after > 0)
    };
    let bds = channel.bds.iter().map(|slot| slot.bd);
    let padded = bds.filter(|bd| channel.dir == DmaDir::S2mm && padded(bd));
    for bd in padded.collect::<Vec<_>>() {
        cx.error(bd.op(), &codes::BD, "an S2MM channel can't pad")
            .label(cx.module.span(channel.op), "this channel")
            .help("pad where the data leaves a mem tile")
            .push_of_whole(cx);
    }
}

/// `pad_value` needs a register of the channel.
fn pad_value(cx: &mut Context<'_>, op: Op, dir: DmaDir, program: Program<'_>) {
    let value = cx.module.int_attr(op, "pad_value");
    if value.is_none_or(|value| value == 0) {
        return;
    }
    let text = if program.kind != TileKind::Mem {
        "pad_value is only supported on memtile DMA channels"
    } else if dir != DmaDir::Mm2s {
        "pad_value is only supported on MM2S DMA channels"
    } else if !program.dma.pad_value {
        "pad_value requires the CONSTANT_PAD_VALUE register"
    } else {
        return;
    };
    let message = format!(
        "this {dir} channel of {} can't pad with a value",
        cx.model.name()
    );
    let help = "only MM2S channels of mem tiles can, on AIE2P and later; elsewhere padding is 0";
    cx.shared(op, &codes::DMA_CHANNEL, (message, help), text);
}

/// The higher channels of a mem tile reach its own buffers and locks only.
fn own_only(cx: &mut Context<'_>, channel: &DmaChannel, program: Program<'_>) {
    let m = cx.module;
    let Some(own) = program.loc else { return };
    let mut used: Vec<(Op, Op, &str, Option<TileLoc>)> = Vec::new();
    for slot in &channel.bds {
        if let Some(buffer) = slot.bd.buffer(m).and_then(|b| Buffer::of(m, b)) {
            used.push((slot.bd.op(), buffer.op(), "buffer", cx.tile(buffer.tile(m))));
        }
        let block = m.parent_block(slot.bd.op());
        let ops = block.map(|b| m.ops_in(b)).unwrap_or_default();
        for lock_use in ops.iter().filter_map(|op| UseLock::cast(m, *op)) {
            if let Some(lock) = lock_use.lock_op(m) {
                used.push((lock_use.op(), lock.op(), "lock", cx.tile(lock.tile(m))));
            }
        }
    }
    for (user, target, what, owner) in used {
        let Some(owner) = owner.filter(|owner| *owner != own) else {
            continue;
        };
        let n = channel.channel;
        let message = format!("channel {n} can't reach this {what} of {owner}");
        let text =
            format!("is reachable from DMA channel {n} and attempts to access a non-local {what}");
        let help = format!(
            "channels from {} on reach their own mem tile only",
            program.dma.neighbour_channels
        );
        cx.error(user, &codes::REACH, message)
            .label(m.span(target), format!("the {what}"))
            .label(m.span(channel.op), "the channel")
            .help(help)
            .mlir_aie(
                cx.mlir_aie(user, text)
                    .note(m.span(channel.op), "channel")
                    .note(m.span(target), what),
            )
            .push(cx);
    }
}

/// `aie.dma` regions: one block with one BD and two locks each.
fn region_form(cx: &mut Context<'_>, container: Op) {
    let m = cx.module;
    let all_in_one = m
        .regions_of(container)
        .iter()
        .all(|region| m.blocks_of(*region).len() <= 1);
    for op in m.find(container, OpKind::Dma) {
        if !all_in_one {
            let message = "aie.dma is in a program of several blocks";
            cx.error(op, &codes::DMA_PROGRAM, message)
                .label(m.span(container), "this program")
                .help("use aie.dma for all channels, without further blocks, or aie.dma_start")
                .mlir_aie(cx.mlir_aie(op, "DMAOp can only appear in single block region"))
                .push(cx);
        }
        for region in m.regions_of(op) {
            let blocks = m.blocks_of(*region);
            let ops: Vec<Op> = blocks.iter().flat_map(|b| m.ops_in(*b)).collect();
            let count = |kind| ops.iter().filter(|o| m.kind(**o) == kind).count();
            let (bds, locks) = (count(OpKind::DmaBd), count(OpKind::UseLock));
            if blocks.len() != 1 || bds != 1 || locks != 2 {
                let message = format!("a BD region with {bds} BDs and {locks} lock uses");
                let help = "each region is one block with one aie.dma_bd and two aie.use_lock";
                cx.refuse(op, &codes::DMA_PROGRAM, message, help);
            }
            for block in blocks {
                block_shape(cx, container, *block);
            }
        }
    }
}
