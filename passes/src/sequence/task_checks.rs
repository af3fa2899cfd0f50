//! Conditions on a task's blocks and descriptors before they are lowered
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDMATasksToNPU.cpp`).

use aiec_aie::ir::{Attr, Block, DYNAMIC, Module, Op, PacketInfo, Value};
use aiec_aie::ops::netlist::{BdSlot, mixed_list};
use aiec_aie::ops::{DmaBd, DmaConfigureTaskFor, OpView};
use aiec_device::{ChannelId, DmaDir, TileKind};
use aiec_diag::{Diag, MlirAieReport};

use super::codes::BAD_TASK;
use super::values::KnownValue;
use super::{Lowering, LoweringResult, channel_name};
use crate::analysis::transfer::{BdError, Transfer, WORD_BYTES, element_bytes, packet_of_bd};

/// Reports a malformed block of a task or chain `op`, if there is one: each block has one
/// descriptor, except for a first one that is empty.
pub(crate) fn bad_block(module: &Module, op: Op, block: Block, first: bool) -> Option<(Op, Diag)> {
    let ops = module.ops_in(block);
    let last = *ops.last()?;
    let bds: Vec<Op> = ops
        .iter()
        .filter_map(|op| DmaBd::cast(module, *op))
        .map(DmaBd::op)
        .collect();
    match bds.as_slice() {
        [_] => None,
        [] if first && ops.len() == 1 => None,
        [] => {
            let text = "Block ending in this terminator does not contain a required aie.dma_bd \
                        operation.";
            let note = "Error encountered while lowering this BD configuration.";
            let diag = Diag::error(
                &BAD_TASK,
                "this task has no buffer descriptor in this block",
            )
            .label(module.span(last), "the block ends here")
            .label(module.span(op), "the task")
            .help("give the block an `aie.dma_bd`, or remove it")
            .mlir_aie(MlirAieReport::plain(text).note(module.span(op), note));
            Some((last, diag))
        }
        [_, more @ ..] => {
            let text = "This block contains multiple aie.dma_bd operations. Exactly one is \
                        required.";
            let message = format!("this block has {} buffer descriptors", bds.len());
            let mut diag = Diag::error(&BAD_TASK, message)
                .label(module.span(last), "the block ends here")
                .help("put each `aie.dma_bd` into a block of its own, with `aie.next_bd` between");
            let mut mlir_aie = MlirAieReport::op(module.op_name(last), text);
            for bd in more {
                diag = diag.label(module.span(*bd), "one too many");
                mlir_aie = mlir_aie.note(module.span(*bd), "Extra aie.dma_bd operation here.");
            }
            Some((last, diag.mlir_aie(mlir_aie)))
        }
    }
}

impl Lowering<'_> {
    /// Refuses blocks of a task that don't have one descriptor each.
    pub(super) fn task_blocks(&mut self, op: Op, entry: Option<Block>) -> LoweringResult {
        let module = self.module;
        let region = entry.and_then(|block| module.block_region(block));
        let blocks = region.map_or(&[][..], |region| module.blocks_of(region));
        let mut result = Ok(());
        for block in blocks {
            if let Some((at, diag)) = bad_block(module, op, *block, entry == Some(*block)) {
                result = self.refuse(at, diag);
            }
        }
        result
    }

    /// Findings of the reference before it looks at a pattern: padding and bursts where there are
    /// none.
    pub(super) fn task_bd_form(&self, kind: TileKind, dir: DmaDir, bd: DmaBd) -> Option<BdError> {
        let module = self.module;
        let burst = bd.burst_length(module).unwrap_or(0);
        if burst != 0 && !kind.is_shim() {
            let text = "Burst length is only supported in Shim NOC tiles that are connected to \
                        the memory-mapped NOC.";
            let help = "leave `burst_length` out";
            return Some(
                BdError::new("only shim DMAs have a burst length", help).in_mlir_aie(text),
            );
        }
        let pads = bd.pad_dimensions(module).filter(|pads| !pads.is_empty())?;
        let dims = mixed_list(module, bd.op(), "static_sizes", 3).map_or(0, |list| list.len());
        let can_pad = kind == TileKind::Mem && dir == DmaDir::Mm2s;
        let (message, help, text) = if dims == 0 && can_pad {
            (
                "padding without sizes and strides".to_string(),
                "padding needs sizes and strides, and one entry for each dimension",
                "Padding requires n-d data layouts expressed as wrap(s) and stride(s).",
            )
        } else if kind != TileKind::Mem {
            let text = match dims {
                0 => "Padding is supported only on MemTiles.",
                _ => "Padding is only supported by memtile dma bds.",
            };
            (
                "only mem tile DMAs can pad".to_string(),
                "pad in a mem tile",
                text,
            )
        } else if !can_pad {
            (
                "only channels that send can pad".to_string(),
                "pad where the data are sent",
                "supports padding only for MM2S direction on MemTiles.",
            )
        } else if pads.len() > dims {
            (
                format!("{} pads for {dims} dimensions", pads.len()),
                "padding needs sizes and strides, and one entry for each dimension",
                "Mismatch number of dimensions between padding(s) and wrap(s) and stride(s).",
            )
        } else {
            return None;
        };
        Some(BdError::new(message, help).in_mlir_aie(text))
    }

    /// The kind of a task's tile, and the header of one of its BDs: the BD's own, or the task's.
    pub(super) fn task_bd_kind(
        &mut self,
        channel: ChannelId,
        slot: &BdSlot,
        packet: Option<PacketInfo>,
    ) -> LoweringResult<(TileKind, Option<PacketInfo>)> {
        let kind = self.kind(channel.tile, slot.bd.op())?;
        let packet = packet_of_bd(self.module, slot.bd, slot.block).or(packet);
        let found = self.task_bd_form(kind, channel.dir, slot.bd);
        match found.or_else(|| self.task_packet(packet?)) {
            Some(bd_error) => self.bd_error(slot.bd.op(), bd_error),
            None => Ok((kind, packet)),
        }
    }

    /// The packet headers of the other fifos whose BDs a task sends in turn; they share its channel.
    pub(super) fn interleaved(
        &mut self,
        task: DmaConfigureTaskFor,
        channel: ChannelId,
    ) -> LoweringResult<Vec<Option<PacketInfo>>> {
        let module = self.module;
        let mut headers = Vec::new();
        for name in task.interleave(module).unwrap_or_default() {
            let Attr::Symbol(name) = name else { continue };
            let (other, allocation) = self.allocation(name.leaf(), task.op())?;
            if other != channel {
                let [other, channel] = [other, channel].map(channel_name);
                let message = format!("`@{}` is sent by {other}, not by {channel}", name.leaf());
                let diag = Diag::error(&BAD_TASK, message)
                    .label(module.span(task.op()), "interleaved here")
                    .label(module.span(allocation.op()), "this channel")
                    .help("only fifos and allocations of one shim channel can be interleaved");
                return self.refuse(task.op(), diag);
            }
            headers.push(allocation.packet(module));
        }
        Ok(headers)
    }

    /// Packet ids and types fit the fields of a header.
    pub(super) fn task_packet(&self, packet: PacketInfo) -> Option<BdError> {
        let model = self.model.arch_model();
        let (max_id, max_type) = (model.max_packet_id, model.max_packet_type);
        let help = format!("packet ids are 0 to {max_id}, packet types 0 to {max_type}");
        if !(0..=i64::from(max_id)).contains(&packet.pkt_id) {
            let message = format!("packet id {} is out of range", packet.pkt_id);
            let text = "Packet ID exceeds the maximum supported by 5 bits.";
            return Some(BdError::new(message, help).in_mlir_aie(text));
        }
        if !(0..=i64::from(max_type)).contains(&packet.pkt_type) {
            let message = format!("packet type {} is out of range", packet.pkt_type);
            let text = "Packet Type exceeds the maximum supported by 3 bits.";
            return Some(BdError::new(message, help).in_mlir_aie(text));
        }
        None
    }

    /// Whether a task was refused where it is configured, which is reported there.
    pub(super) fn was_refused(&self, handle: Value) -> bool {
        let task = self.module.def_op(handle);
        task.is_some_and(|task| {
            let mut inside = self.module.walk(task);
            inside.any(|op| self.reported.contains(&op))
        })
    }

    /// The device that the task of an operation is of, if the operation names one.
    pub(super) fn device_of_task(&self, op: Op) -> Option<Op> {
        let handle = self.module.operand(op, 0)?;
        match self.values.get(self.module, handle) {
            Some(KnownValue::Task(task)) => Some(self.tasks.get(task)?.device),
            _ => None,
        }
    }

    /// Refines an "unknown value" error when the known values are already invalid.
    pub(super) fn task_bd_unknown(
        &self,
        kind: TileKind,
        slot: &BdSlot,
        bd_error: BdError,
    ) -> BdError {
        let module = self.module;
        let op = slot.bd.op();
        if !kind.is_shim() {
            return bd_error.in_mlir_aie(
                "runtime-valued BD size/stride/len/bd_id is only supported on shim NOC tiles",
            );
        }
        let bytes = slot
            .bd
            .buffer(module)
            .and_then(|buffer| element_bytes(module.ty(buffer)));
        let strides = mixed_list(module, op, "static_strides", 4).unwrap_or_default();
        let innermost = strides.last().copied().flatten().filter(|s| *s != DYNAMIC);
        match innermost.zip(bytes) {
            Some((stride, bytes))
                if stride > 1 && !(stride as u64 * bytes).is_multiple_of(WORD_BYTES) =>
            {
                BdError::new(
                    format!(
                        "the innermost stride of {stride} is not possible for elements of {bytes} \
                         bytes"
                    ),
                    "DMAs move 32-bit words: only elements of 4 bytes can be strided innermost",
                )
                .in_mlir_aie(format!(
                    "stride 0 is {stride} elements at {bytes} bytes each, not a multiple of the \
                     4-byte address-gen granule"
                ))
            }
            _ => bd_error,
        }
    }

    /// A written length is that of the pattern: the outermost dimension of the hardware has no
    /// end of its own, so that a longer one would run on after the pattern.
    pub(super) fn task_length(&self, bd: DmaBd, transfer: &Transfer) -> Option<Diag> {
        let module = self.module;
        let written = module.int_attr(bd.op(), "static_len").is_some();
        let dims = &transfer.dims;
        if !written || dims.is_empty() || !transfer.pads.is_empty() {
            return None;
        }
        let pattern = dims
            .iter()
            .fold(1i64, |n, dim| n.saturating_mul(dim.size.max(0)));
        if pattern == transfer.length {
            return None;
        }
        Some(length_mismatch(module, bd, transfer, pattern))
    }
}

/// The finding about a length that isn't that of the pattern.
pub(super) fn length_mismatch(
    module: &Module,
    bd: DmaBd,
    transfer: &Transfer,
    pattern: i64,
) -> Diag {
    let span = module.span(bd.op());
    let bytes = |n: i64| i128::from(n) * i128::from(transfer.elem_bytes);
    let text = format!(
        "Buffer descriptor length does not match length of transfer expressed by lowest three \
         dimensions of data layout transformation strides/wraps. BD length is {} bytes. Lowest \
         three dimensions of data layout transformation would result in transfer of {} bytes. ",
        bytes(transfer.length),
        bytes(pattern)
    );
    let note = "Do not include the highest dimension size in transfer length, as this is the BD \
                repeat count.";
    let message = format!(
        "a length of {} elements doesn't match a pattern of {pattern} elements for each run",
        transfer.length
    );
    BdError::new(
        message,
        "leave `len` out, or write the product of the inner sizes",
    )
    .diag(&super::codes::BAD_TRANSFER, span)
    .mlir_aie(MlirAieReport::op(module.op_name(bd.op()), text).note(span, note))
}
