//! DMA programs: buffer descriptors, pad values and the first task of each channel.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, const_int, dma_channels};
use aiec_aie::ops::{DmaBd, ExternalBuffer, OpView};
use aiec_device::regmap::{BdFields, BdLayout, DmaCtrl, FieldOverflow, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DmaDir, DmaModel, TileKind, TileLoc};
use aiec_diag::Diag;
use rustc_hash::FxHashSet;

use super::{BAD_LOCK, BAD_MEMORY, BAD_TRANSFER, UNASSIGNED, Writer};
use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::dma_view::{DmaView, LocalBuffer, ViewProblem};
use crate::analysis::transfer::{
    BdError, Transfer, packet_of_bd, scratchpad_term, set_burst, set_named_bd, set_packet,
};
use crate::regops::{RegAction, RegOp};
use crate::sequence::controller_write;
use crate::sequence::scratchpad::term_as_written;

/// A channel that a DMA program starts, with its tile.
pub(super) struct StartedChannel {
    loc: TileLoc,
    kind: TileKind,
    dma: &'static DmaModel,
    channel: DmaChannel,
}

/// All started channels: core tiles, mem tiles, shim tiles.
pub(super) fn channels(writer: &mut Writer<'_>) -> Vec<StartedChannel> {
    let mut list = Vec::new();
    for container in dma_containers(writer.module, writer.device) {
        let Some(loc) = tile_of_op(writer.module, container) else {
            continue;
        };
        let kind = writer.model.tile_kind(loc);
        let dma = writer.model.tile(loc).and_then(|tile| tile.dma.as_ref());
        let (Some(kind), Some(dma)) = (kind, dma) else {
            let what = RegisterRef::DmaQueue {
                dir: DmaDir::S2mm,
                channel: 0,
            };
            // Reports that the tile has no DMA.
            let _ = writer.address(loc, what, container);
            continue;
        };
        let channels = dma_channels(writer.module, container).into_iter();
        list.extend(channels.map(|channel| StartedChannel {
            loc,
            kind,
            dma,
            channel,
        }));
    }
    list
}

/// Writes the buffer descriptors.
pub(super) fn descriptors(writer: &mut Writer<'_>, channels: &[StartedChannel]) {
    let mut written: FxHashSet<Op> = FxHashSet::default();
    for started in channels {
        let bds = &started.channel.bds;
        for (at, slot) in bds.iter().enumerate() {
            if !written.insert(slot.bd.op()) {
                continue;
            }
            let around = || started.channel.next_of_last.and_then(|n| bds.get(n));
            let next = bds.get(at + 1).or_else(around);
            descriptor(writer, started, slot, next);
        }
    }
}

fn descriptor(
    writer: &mut Writer<'_>,
    started: &StartedChannel,
    slot: &BdSlot,
    next: Option<&BdSlot>,
) {
    let Some(id) = bd_id(writer, slot.bd) else {
        return;
    };
    let next = match next.map(|next| bd_id(writer, next.bd)) {
        Some(None) => return,
        next => next.flatten(),
    };
    let op = slot.bd.op();
    let mut fields = match fields(writer, started, slot) {
        Ok(fields) => fields,
        Err(diag) => return writer.diags.push(*diag),
    };
    fields.use_next = next.is_some();
    fields.next_bd = next.unwrap_or(0);
    let Some(layout) = BdLayout::of(writer.model.arch(), started.kind) else {
        return;
    };
    let words = match layout.pack(&fields) {
        Ok(words) => words,
        Err(overflow) => {
            let diag = BdError::from(overflow).diag(&BAD_TRANSFER, writer.module.span(op));
            return writer.diags.push(diag);
        }
    };
    let what = RegisterRef::BdWord { bd: id, word: 0 };
    if let Some(address) = writer.address(started.loc, what, op) {
        let action = match argument_of(writer.module, slot.bd) {
            Some(argument) => RegAction::PatchedBd {
                address,
                words,
                argument,
            },
            None => RegAction::Block { address, words },
        };
        let loc = writer.loc(op);
        writer.ops.push(RegOp { action, loc });
    }
}

fn bd_id(writer: &mut Writer<'_>, bd: DmaBd) -> Option<u8> {
    let id = bd.bd_id(writer.module).and_then(|id| u8::try_from(id).ok());
    if id.is_none() {
        let message = "this buffer descriptor has no usable number";
        let help = "run `aie-assign-bd-ids`, or write its `bd_id`";
        writer.refuse(&UNASSIGNED, message, (bd.op(), "this one"), help);
    }
    id
}

/// The fields except for the successor.
fn fields(
    writer: &Writer<'_>,
    started: &StartedChannel,
    slot: &BdSlot,
) -> Result<BdFields, Box<Diag>> {
    let module = writer.module;
    let span = module.span(slot.bd.op());
    let bd_error = |bd_error: BdError| Box::new(bd_error.diag(&BAD_TRANSFER, span));
    let view = DmaView::new(writer.model, started.loc, started.channel.channel);
    let ints = |value| const_int(module, value);
    if let Some(term) = scratchpad_term(module, slot.bd.op()) {
        let written = term_as_written(module, slot.bd.op(), term);
        return Err(bd_error(BdError::new(
            format!("`{written}` is from the scratchpad, which is added in runtime sequences only"),
            "start the transfer from a sequence: aiex.dma_configure_task_for",
        )));
    }
    let mut transfer = Transfer::of_bd(module, slot.bd, &ints).map_err(bd_error)?;
    transfer.iteration = slot.bd.iteration(module);
    let offset = transfer.address;
    transfer.address = base(writer, &view, slot.bd)
        .map_err(|problem| Box::new(problem.diag(&BAD_MEMORY, span)))?
        .saturating_add(offset);
    let mut fields = transfer.fields(started.dma).map_err(bd_error)?;
    if let Some(packet) = packet_of_bd(module, slot.bd, slot.block) {
        set_packet(&mut fields, packet).map_err(bd_error)?;
    }
    set_named_bd(&mut fields, module, slot.bd).map_err(bd_error)?;
    let burst = slot.bd.burst_length(module).unwrap_or(0);
    set_burst(&mut fields, started.dma, burst.into()).map_err(bd_error)?;
    view.set_locks(module, slot, &ints, &mut fields)
        .map_err(|(op, problem)| Box::new(problem.diag(&BAD_LOCK, module.span(op))))?;
    Ok(fields)
}

/// The argument of the sequence that is the BD's host buffer.
fn argument_of(module: &Module, bd: DmaBd) -> Option<u32> {
    let external = ExternalBuffer::of(module, bd.buffer(module)?)?;
    u32::try_from(external.argument(module)?).ok()
}

/// Where the BD's buffer begins in the DMA's view.
fn base(writer: &Writer<'_>, view: &DmaView, bd: DmaBd) -> Result<i64, ViewProblem> {
    let module = writer.module;
    let Some(memref) = bd.buffer(module) else {
        return Err(ViewProblem::new("this BD has no buffer", "name a buffer"));
    };
    if let Some(external) = ExternalBuffer::of(module, memref) {
        if !view.kind.is_some_and(TileKind::is_shim) {
            return Err(ViewProblem::new(
                format!("the DMA of tile {} can't reach host memory", view.loc),
                "use a buffer of the tile",
            ));
        }
        if argument_of(module, bd).is_some() {
            return Ok(0);
        }
        return external.address(module).ok_or_else(|| {
            ViewProblem::new(
                "this host buffer has no address",
                "write its `address`, or move the transfer into the runtime sequence",
            )
        });
    }
    view.local_address(module, LocalBuffer::of(module, memref)?)
}

/// Sets the values that MM2S channels pad with.
pub(super) fn pad_values(writer: &mut Writer<'_>, channels: &[StartedChannel]) {
    for started in channels {
        let op = started.channel.op;
        let value = started.channel.pad_value(writer.module);
        if value != 0 && started.channel.dir == DmaDir::Mm2s {
            let channel = started.channel.channel;
            let what = RegisterRef::PadValue { channel };
            writer.write(started.loc, what, value as u32, op);
        }
    }
}

/// Lets packets choose the descriptors of channels that ask for it, before anything starts.
pub(super) fn modes(writer: &mut Writer<'_>, channels: &[StartedChannel]) {
    for started in channels {
        let channel = &started.channel;
        if !channel.is_out_of_order(writer.module) {
            continue;
        }
        let control = DmaCtrl {
            out_of_order: true,
            ..DmaCtrl::default()
        };
        let what = RegisterRef::DmaCtrl {
            dir: channel.dir,
            channel: channel.channel,
        };
        let word = control.pack(writer.model.arch(), started.kind, channel.dir);
        write_packed(writer, started, what, word);
    }
}

/// Writes a packed word of a channel; reports a field that doesn't hold its value.
fn write_packed(
    writer: &mut Writer<'_>,
    started: &StartedChannel,
    what: RegisterRef,
    word: Option<Result<u32, FieldOverflow>>,
) {
    let op = started.channel.op;
    match word {
        Some(Ok(word)) => writer.write(started.loc, what, word, op),
        Some(Err(overflow)) => {
            let span = writer.module.span(op);
            let diag = BdError::from(overflow).diag(&BAD_TRANSFER, span);
            writer.diags.push(diag);
        }
        // Reports the missing channel.
        None => writer.write(started.loc, what, 0, op),
    }
}

/// Writes which controller gets the tokens of a channel.
fn receiver(writer: &mut Writer<'_>, started: &StartedChannel) {
    let channel = ChannelId {
        tile: started.loc,
        dir: started.channel.dir,
        index: started.channel.channel,
    };
    let control = controller_write(writer.module, writer.device, writer.model, channel);
    // Nothing of the register was set before.
    if let Some(RegAction::Mask { address, value, .. }) = control {
        let write = RegOp::write(address, value, writer.loc(started.channel.op));
        if !writer.ops.iter().any(|op| op.action == write.action) {
            writer.ops.push(write);
        }
    }
}

/// Pushes the first task of each channel of shim tiles, or of all other tiles.
pub(super) fn pushes(writer: &mut Writer<'_>, channels: &[StartedChannel], shim: bool) {
    for started in channels.iter().filter(|c| c.kind.is_shim() == shim) {
        let channel = &started.channel;
        let Some(first) = channel.bds.first() else {
            continue;
        };
        // Reported with the descriptor if it is missing.
        let id = first.bd.bd_id(writer.module);
        let Some(bd) = id.and_then(|id| u8::try_from(id).ok()) else {
            continue;
        };
        let Ok(repeat) = u8::try_from(channel.repeat_count) else {
            let message = format!("a repeat count of {} is out of range", channel.repeat_count);
            let diag = BdError::new(message, "repeat counts are 0 to 255 further runs")
                .diag(&BAD_TRANSFER, writer.module.span(channel.op));
            writer.diags.push(diag);
            continue;
        };
        let entry = QueueEntry {
            bd,
            repeat,
            token: shim && channel.dir == DmaDir::S2mm && !channel.is_out_of_order(writer.module),
        };
        let what = RegisterRef::DmaQueue {
            dir: channel.dir,
            channel: channel.channel,
        };
        let word = entry.pack(writer.model.arch(), started.kind, channel.dir);
        write_packed(writer, started, what, word);
        if entry.token && writer.tokens_awaited() {
            receiver(writer, started);
        }
    }
}
