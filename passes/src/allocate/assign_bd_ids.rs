//! `aie-assign-bd-ids`: gives each buffer descriptor of a DMA program a number of its tile, and
//! each the number of its successor.
//!
//! Numbers that are written are kept; the others take the lowest free one that their channel may
//! use (mem tiles: even channels the lower half, odd channels the upper half), core tiles first,
//! then mem tiles, then shim tiles, blocks in textual order, as mlir-aie does
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBufferDescriptorIDs.cpp`). Unlike there, a
//! written number that the channel can't use, or that is twice on a tile, is refused.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, dma_channels, operand_group, tile_loc};
use aiec_aie::ops::{Device, DmaBd, ObjectFifoRearmBinding, OpKind, OpView};
use aiec_device::{ChannelId, DmaDir, DmaModel, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::FxHashMap;

use crate::analysis::budget::{TileBudget, dma_containers, tile_of_op};
use crate::infra::pass::{PassContext, PassDef};
use crate::infra::self_check::{self, Defect};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-assign-bd-ids", run)
    .summary("Number the buffer descriptors of each tile's DMA program")
    .postconditions(&[
        "every BD of a DMA program has an id that its channel may use",
        "no two BDs of a tile share an id",
        "next_bd_id names the BD that follows; chains that end have none",
    ]);

codes! {
    /// Codes of `aie-assign-bd-ids`.
    pub static CODES;
    NO_SUCH_CHANNEL = "dma::no-such-channel",
        "The tile's DMA has no channel of that number in that direction: core and shim tiles have \
         two for each direction, mem tiles six.";
    NEVER_STARTS = "dma::never-starts",
        "A channel works off its starts one after the other. One whose chain of BDs goes round \
         never ends, so that a later start of the same channel never gets its turn.";
    BAD_BD_ID = "bds::not-usable",
        "The number of a buffer descriptor is outside the tile's, or in the half of a mem tile's \
         BDs that its channel can't use: even channels use 0 to 23, odd channels 24 to 47.";
    SAME_BD_ID = "bds::same-id",
        "Two buffer descriptors of one tile have the same number, so that they would be one BD in \
         hardware. Give them different numbers, or leave the number to the compiler.";
    SHARED_BD = "bds::wrong-half",
        "A BD belongs to the chains of an even and of an odd channel of a mem tile, but each BD can \
         be used by the channels of one parity only.";
    NO_BD_LEFT = "bds::none-left",
        "More buffer descriptors are asked for than the tile (on a mem tile: the half of it that \
         the channel can use) has. A fifo end takes one for each object and repetition.";
}

/// The BDs of one tile: which id is whose.
struct TileBds {
    dma: &'static DmaModel,
    taken: Vec<Option<Op>>,
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let containers = dma_containers(module, device);
    let mut tiles: FxHashMap<TileLoc, TileBds> = FxHashMap::default();
    let mut programs: Vec<(TileLoc, Op, Vec<DmaChannel>)> = Vec::new();
    for container in containers {
        let Some(loc) = tile_of_op(module, container) else {
            continue;
        };
        let Some(dma) = model.tile(loc).and_then(|t| t.dma.as_ref()) else {
            continue;
        };
        tiles.entry(loc).or_insert_with(|| TileBds {
            dma,
            taken: vec![None; usize::from(dma.bds)],
        });
        programs.push((loc, container, dma_channels(module, container)));
    }
    for (loc, _, channels) in &programs {
        if let Some(tile) = tiles.get_mut(loc) {
            check_channels(module, tile.dma, *loc, channels, context);
            reserve(module, tile, channels, context);
        }
    }
    context.diags.check()?;
    for (loc, container, channels) in &programs {
        if let Some(tile) = tiles.get_mut(loc) {
            let unserved = number(module, tile, *container, channels);
            if let Some((bd, channel)) = unserved.first() {
                let diag = none_left(module, device, *loc, tile.dma, *bd, *channel);
                context.report(more_labels(module, diag, &unserved[1..]));
            }
        }
    }
    context.diags.check()?;
    for (_, _, channels) in &programs {
        link(module, channels);
    }
    complete_rearm_bindings(module, device, &programs);
    self_check::verify_in_debug(context, module, || check(module, device))
}

fn check_channels(
    module: &Module,
    dma: &DmaModel,
    loc: TileLoc,
    channels: &[DmaChannel],
    context: &mut PassContext<'_>,
) {
    let mut channel_of: FxHashMap<Op, (u8, Op)> = FxHashMap::default();
    let mut endless: FxHashMap<(DmaDir, u8), Op> = FxHashMap::default();
    for channel in channels {
        let key = (channel.dir, channel.channel);
        if let Some(first) = endless.get(&key) {
            context.report(never_starts(module, channel, *first));
        }
        if channel.next_of_last.is_some() {
            endless.entry(key).or_insert(channel.op);
        }
        for slot in &channel.bds {
            let bd = slot.bd.op();
            let here = (channel.channel, channel.op);
            let first = *channel_of.entry(bd).or_insert(here);
            if dma.bd_range(first.0) != dma.bd_range(channel.channel) {
                context.report(wrong_half(module, bd, first.1, channel.op));
            }
        }
        let (dir, n) = (channel.dir, channel.channel);
        let count = dma.channels.get(dir);
        if n >= count {
            let message = format!("tile {loc} has no {dir} channel {n}");
            context.report(
                Diag::error(&NO_SUCH_CHANNEL, message)
                    .label(module.span(channel.op), "this channel")
                    .help(format!("its {dir} channels are 0 to {}", count - 1)),
            );
        }
    }
}

fn never_starts(module: &Module, channel: &DmaChannel, first: Op) -> Diag {
    let (dir, n) = (channel.dir, channel.channel);
    let message = format!("{dir} channel {n} is started again after a chain that never ends");
    Diag::warning(&NEVER_STARTS, message)
        .label(module.span(channel.op), "never gets its turn")
        .label(module.span(first), "never ends")
        .help("use another channel, or let the first chain end in aie.end")
}

fn wrong_half(module: &Module, bd: Op, first: Op, second: Op) -> Diag {
    let message = "this BD is in the chains of an even and of an odd channel";
    Diag::error(&SHARED_BD, message)
        .label(module.span(bd), "this BD")
        .label(module.span(first), "one of the channels")
        .label(module.span(second), "the other one")
        .help("write the BD twice, or use channels of the same parity")
}

/// Takes the ids that are written.
fn reserve(
    module: &Module,
    tile: &mut TileBds,
    channels: &[DmaChannel],
    context: &mut PassContext<'_>,
) {
    for (channel, slot) in slots(channels) {
        let bd = slot.bd.op();
        let Some(id) = slot.bd.bd_id(module) else {
            continue;
        };
        let usable = |id: &u8| {
            channel.channel >= tile.dma.channels.get(channel.dir)
                || tile.dma.bd_usable(channel.channel, *id)
        };
        let Some(id) = u8::try_from(id).ok().filter(usable) else {
            let range = tile.dma.bd_range(channel.channel);
            let message = format!(
                "{} channel {} can't use BD {id}",
                channel.dir, channel.channel
            );
            context.report(
                Diag::error(&BAD_BD_ID, message)
                    .label(module.span(bd), "this number")
                    .label(module.span(channel.op), "the channel")
                    .help(format!("use {} to {}", range.start, range.end - 1)),
            );
            continue;
        };
        let Some(place) = tile.taken.get_mut(usize::from(id)) else {
            continue;
        };
        match *place {
            Some(other) if other != bd => context.report(
                Diag::error(&SAME_BD_ID, format!("two BDs of the tile have number {id}"))
                    .label(module.span(bd), "the second one")
                    .label(module.span(other), "the first one")
                    .help("leave the number of one of them out"),
            ),
            _ => *place = Some(bd),
        }
    }
}

/// All BDs of the channels, each with its channel.
fn slots(channels: &[DmaChannel]) -> impl Iterator<Item = (&DmaChannel, BdSlot)> {
    channels
        .iter()
        .flat_map(|channel| channel.bds.iter().map(move |slot| (channel, *slot)))
}

/// Gives ids to the BDs of a container without one, in textual order; returns those for which
/// none was left, with their channel.
fn number(
    module: &mut Module,
    tile: &mut TileBds,
    container: Op,
    channels: &[DmaChannel],
) -> Vec<(DmaBd, u8)> {
    let mut channel_of: FxHashMap<Op, u8> = FxHashMap::default();
    for (channel, slot) in slots(channels) {
        channel_of.entry(slot.bd.op()).or_insert(channel.channel);
    }
    // The lowest id that may still be free, for even and for odd channels.
    let mut cursor = [0usize; 2];
    let mut unserved = Vec::new();
    for op in module.find(container, OpKind::DmaBd) {
        // A BD that no channel reaches is treated as one of channel 0.
        let channel = channel_of.get(&op).copied().unwrap_or(0);
        if DmaBd(op).bd_id(module).is_some() {
            continue;
        }
        let range = tile.dma.bd_range(channel);
        let cursor = &mut cursor[usize::from(channel % 2)];
        let start = usize::from(range.start).max(*cursor);
        match (start..usize::from(range.end)).find(|id| tile.taken[*id].is_none()) {
            Some(id) => {
                *cursor = id + 1;
                tile.taken[id] = Some(op);
                DmaBd(op).edit(module).bd_id(id as i32);
            }
            None => {
                *cursor = usize::from(range.end);
                unserved.push((DmaBd(op), channel));
            }
        }
    }
    unserved
}

fn none_left(
    module: &Module,
    device: Op,
    loc: TileLoc,
    dma: &DmaModel,
    bd: DmaBd,
    channel: u8,
) -> Diag {
    let range = dma.bd_range(channel);
    let message = format!(
        "Allocator exhausted available BD IDs (maximum {} available for channel {channel}). Tile \
         {loc} has no BD left for it",
        range.len()
    );
    let half = if dma.bd_by_parity {
        ", or move a fifo to a channel of the other parity (prod_dma_channel, \
             cons_dma_channels)"
    } else {
        ""
    };
    Diag::error(&NO_BD_LEFT, message)
        .label(module.span(bd.op()), "no number is left for this BD")
        .help(format!("use smaller depths or repeat counts{half}"))
        .remark(TileBudget::of(module, device, loc).table())
}

fn more_labels(module: &Module, mut diag: Diag, rest: &[(DmaBd, u8)]) -> Diag {
    for (bd, _) in rest {
        let span = module.span(bd.op());
        // The BDs of one fifo share its span.
        if diag.labels.iter().all(|l| Some(l.span) != span) {
            diag = diag.label(span, "nor for this");
        }
    }
    diag
}

/// Sets `next_bd_id`.
fn link(module: &mut Module, channels: &[DmaChannel]) {
    for channel in channels {
        for (at, slot) in channel.bds.iter().enumerate() {
            let next = match channel.bds.get(at + 1) {
                Some(next) => Some(*next),
                None => channel
                    .next_of_last
                    .and_then(|n| channel.bds.get(n))
                    .copied(),
            };
            let next = next.and_then(|next| next.bd.bd_id(module));
            slot.bd.edit(module).next_bd_id(next);
        }
    }
}

/// Writes the first BD and the repeat count of each channel into the bindings that runtime
/// resets read.
fn complete_rearm_bindings(
    module: &mut Module,
    device: Op,
    programs: &[(TileLoc, Op, Vec<DmaChannel>)],
) {
    let mut by_channel: FxHashMap<ChannelId, (i32, i32)> = FxHashMap::default();
    for (loc, _, channels) in programs {
        for channel in channels {
            let head = channel.bds.first().and_then(|slot| slot.bd.bd_id(module));
            if let Some(head) = head {
                let key = ChannelId::new(*loc, channel.dir, channel.channel);
                by_channel.insert(key, (head, channel.repeat_count));
            }
        }
    }
    for binding in module.children::<ObjectFifoRearmBinding>(device) {
        let tiles = operand_group(module, binding.op(), 0).unwrap_or_default();
        let dirs = binding.channel_dirs(module);
        let indices = binding.channel_indices(module);
        let found = tiles.iter().zip(dirs).zip(indices).map(|((tile, dir), n)| {
            let key = ChannelId::new(
                tile_loc(module, *tile)?,
                DmaDir::by_value(dir)?,
                u8::try_from(n).ok()?,
            );
            by_channel.get(&key).copied()
        });
        if let Some(found) = found.collect::<Option<Vec<_>>>() {
            let (heads, repeats): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let binding = binding.edit(module).head_bd_ids(heads);
            binding.repeat_counts(repeats);
        }
    }
}

/// Whether the ids of all BDs are there, usable by their channel and unique on their tile, and
/// the successors right; what is wrong otherwise.
pub fn check(module: &Module, device: Op) -> Result<(), Defect> {
    let model = Device(device)
        .model(module)
        .ok_or_else(|| Defect::new(device, "unknown device"))?;
    let mut seen: FxHashMap<(TileLoc, i32), Op> = FxHashMap::default();
    for container in dma_containers(module, device) {
        let Some(loc) = tile_of_op(module, container) else {
            continue;
        };
        let Some(dma) = model.tile(loc).and_then(|t| t.dma.as_ref()) else {
            continue;
        };
        for channel in dma_channels(module, container) {
            for (at, slot) in channel.bds.iter().enumerate() {
                let what = format!("a BD of {} {} at {loc}", channel.dir, channel.channel);
                let defect = |problem: &str| Defect::new(slot.bd.op(), format!("{what} {problem}"));
                let id = slot.bd.bd_id(module).ok_or_else(|| defect("has no id"))?;
                let usable = u8::try_from(id).is_ok_and(|id| dma.bd_usable(channel.channel, id));
                if !usable {
                    return Err(defect(&format!("has id {id}")));
                }
                if seen
                    .insert((loc, id), slot.bd.op())
                    .is_some_and(|o| o != slot.bd.op())
                {
                    return Err(defect(&format!("shares id {id}")));
                }
                let next = channel.bds.get(at + 1).map(|s| s.bd.bd_id(module));
                let wrapped = || {
                    channel
                        .next_of_last
                        .map(|n| channel.bds[n].bd.bd_id(module))
                };
                let expected = next.or_else(wrapped).flatten();
                if slot.bd.next_bd_id(module) != expected {
                    return Err(defect("has a wrong successor"));
                }
            }
        }
    }
    Ok(())
}
