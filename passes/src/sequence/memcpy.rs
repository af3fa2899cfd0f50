//! `aiex.npu.dma_memcpy_nd` and `aiex.npu.dma_wait`.

use aiec_aie::ir::{BdDim, BdIteration, Op};
use aiec_aie::ops::{NpuDmaMemcpyNd, NpuDmaWait, ShimDmaAllocation};
use aiec_device::regmap::{BdFields, BdLayout, RegisterRef};
use aiec_device::{ChannelId, DmaDir, DmaModel, PatternError, TileKind, TileLoc};
use aiec_diag::Diag;

use super::codes::*;
use super::scratchpad::length_unit;
use super::values::AddressBase;
use super::{Lowering, LoweringResult, SEQUENCE_AX_CACHE};
use crate::analysis::transfer::{
    BdError, Transfer, element_bytes, mixed_ints, not_constant, set_burst, set_packet,
};
use crate::regops::RegAction;

/// Entries of each list of a memcpy.
const MEMCPY_DIMS: usize = 4;

/// Attributes that would pad; shim DMAs can't.
const PADS: [&str; 6] = [
    "d0_zero_before",
    "d1_zero_before",
    "d2_zero_before",
    "d0_zero_after",
    "d1_zero_after",
    "d2_zero_after",
];

/// Offset and dimensions (outermost first) of a memcpy, in elements.
struct MemcpyPattern {
    offset: i64,
    dims: [BdDim; MEMCPY_DIMS],
}

impl Lowering<'_> {
    /// One BD, its image and a push.
    pub(super) fn memcpy(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let memcpy = NpuDmaMemcpyNd(op);
        let name = memcpy.metadata(module);
        let (channel, allocation) = self.allocation(&name, op)?;
        let place = self.place(memcpy.memref(module), op)?;
        let AddressBase::Argument(argument) = place.base else {
            let diag = Diag::error(&BAD_MEMORY, "a memcpy moves arguments of the sequence")
                .help("configure a task (`aiex.dma_configure_task`) for buffers of the array");
            return self.refuse(op, diag);
        };
        let Some(dma) = self.model.tile(channel.tile).and_then(|t| t.dma.as_ref()) else {
            return Ok(());
        };
        self.no_pads(op)?;
        let element = memcpy
            .memref(module)
            .and_then(|memref| element_bytes(module.ty(memref)));
        let updates = self.descriptor_updates(op, channel, element)?;
        let id = self.memcpy_bd(op, memcpy.id(module), &channel)?;
        if let Some(earlier) = self.unawaited.insert((channel.tile, id), op) {
            self.bd_still_used(op, id, channel.tile, earlier);
        }
        let (words, repeat, reads) = self.words_with_reads(op, &mut |lowering| {
            lowering.memcpy_words(op, &allocation, place.offset, dma)
        })?;
        let what = RegisterRef::BdWord { bd: id, word: 0 };
        let address = self.address(channel.tile, what, op, &format!("buffer descriptor {id}"))?;
        let action = RegAction::PatchedBd {
            address,
            words,
            argument,
        };
        self.emit_action(op, action);
        self.update_descriptor(op, address, &updates);
        self.copy_fields(op, (channel, id), true, &reads)?;
        // Data that arrives in host memory is always announced.
        let token = channel.dir == DmaDir::S2mm || memcpy.issue_token(module).unwrap_or(false);
        self.enqueue(channel, id.into(), repeat, token, op)
    }

    /// The words of a memcpy's BD, and how many further runs it asks for.
    fn memcpy_words(
        &mut self,
        op: Op,
        allocation: &ShimDmaAllocation,
        start: i64,
        dma: &DmaModel,
    ) -> LoweringResult<(Vec<u32>, i64)> {
        let module = self.module;
        let memcpy = NpuDmaMemcpyNd(op);
        let pattern = self.pattern(op)?;
        let transfer = self.transfer(op, &pattern, start, dma.bd.max_iterations());
        let (transfer, repeat) = transfer.or_else(|bd_error| self.bd_error(op, bd_error))?;
        let packet = memcpy.packet(module);
        let packet = packet.or_else(|| allocation.packet(module));
        let burst = memcpy.burst_length(module).unwrap_or(0);
        let fields = match length_unit(module, op) {
            Some(unit) => {
                self.growing_length(op, transfer.length, transfer.elem_bytes)?;
                transfer.growing_fields(dma, unit)
            }
            None => transfer.fields(dma),
        };
        let fields = fields.and_then(|mut fields| {
            if let Some(packet) = packet {
                set_packet(&mut fields, packet)?;
            }
            set_burst(&mut fields, dma, burst)?;
            fields.ax_cache = SEQUENCE_AX_CACHE;
            Ok(fields)
        });
        Ok((self.bd_words(op, TileKind::ShimNoc, fields)?, repeat))
    }

    /// The words of a BD of a kind of tile.
    pub(super) fn bd_words(
        &mut self,
        op: Op,
        kind: TileKind,
        fields: Result<BdFields, BdError>,
    ) -> LoweringResult<Vec<u32>> {
        let layout = BdLayout::of(self.model.arch(), kind);
        let words = fields.and_then(|fields| match layout {
            Some(layout) => layout.pack(&fields).map_err(BdError::from),
            None => Ok(Vec::new()),
        });
        words.or_else(|bd_error| self.bd_error(op, bd_error))
    }

    /// Shim DMAs can't pad.
    pub(super) fn no_pads(&mut self, op: Op) -> LoweringResult {
        let set = |pad: &&str| self.module.int_attr(op, pad).unwrap_or(0) != 0;
        if PADS.iter().any(set) {
            let bd_error = BdError::new(
                "shim DMAs can't pad",
                "pad where a mem tile sends the data on (`padDimensions` of a fifo)",
            );
            return self.bd_error(op, bd_error);
        }
        Ok(())
    }

    fn pattern(&mut self, op: Op) -> LoweringResult<MemcpyPattern> {
        let module = self.module;
        let values = &self.values;
        let ints = |v| values.int(module, v);
        let list = |attr, group| -> Option<[i64; MEMCPY_DIMS]> {
            mixed_ints(module, op, attr, group, &ints)?.try_into().ok()
        };
        let offsets = list("static_offsets", 1);
        let sizes = list("static_sizes", 2);
        let strides = list("static_strides", 3);
        let (Some(offsets), Some(sizes), Some(strides)) = (offsets, sizes, strides) else {
            let what = "an offset, size or stride of this transfer";
            return self.bd_error(op, not_constant(what));
        };
        let terms = offsets.iter().zip(&strides);
        let offset = terms.fold(0i64, |sum, (offset, stride)| {
            sum.saturating_add(offset.saturating_mul(*stride))
        });
        let dims = std::array::from_fn(|at| BdDim::new(sizes[at], strides[at]));
        Ok(MemcpyPattern { offset, dims })
    }

    /// The number of the BD: as written, if it is free to use.
    pub(super) fn memcpy_bd(&mut self, op: Op, id: i64, channel: &ChannelId) -> LoweringResult<u8> {
        let tile = channel.tile;
        let bds = self.pools.count(tile);
        let Some(id) = u8::try_from(id).ok().filter(|id| *id < bds) else {
            let bd_error = BdError::new(
                format!("tile {tile} has no buffer descriptor {id}"),
                format!("use an `id` from 0 to {}", bds.saturating_sub(1)),
            );
            return self.bd_error(op, bd_error);
        };
        let Some(owner) = self.pools.owner(tile, id) else {
            return Ok(id);
        };
        let message = format!("buffer descriptor {id} of tile {tile} is in use");
        let diag = Diag::error(&BAD_BD_ID, message)
            .label(self.module.span(op), "this transfer")
            .label(self.module.span(owner), "used here")
            .help("choose another `id`, or await or free the task first");
        self.refuse(op, diag)
    }

    /// Warns of a BD that is written while an earlier transfer may still load it: the sequence has waited for nothing since.
    fn bd_still_used(&mut self, op: Op, id: u8, tile: TileLoc, earlier: Op) {
        if !self.reported.insert(op) {
            return;
        }
        let message = format!(
            "buffer descriptor {id} of tile {tile} is written again, and nothing waits for the transfer that uses it"
        );
        let module = self.module;
        let diag = Diag::warning(&BAD_BD_ID, message).label(module.span(op), "written here");
        let diag = if earlier == op {
            diag
        } else {
            diag.label(module.span(earlier), "the earlier transfer")
        };
        self.diags.push(diag.help(
            "choose another `id`, or wait before (`aiex.npu.dma_wait`) until the earlier transfer is over",
        ));
    }

    /// One run, and how many more.
    fn transfer(
        &self,
        op: Op,
        pattern: &MemcpyPattern,
        start: i64,
        max_iterations: u32,
    ) -> Result<(Transfer, i64), BdError> {
        let module = self.module;
        let memref = NpuDmaMemcpyNd(op).memref(module);
        let elem = memref.and_then(|m| module.ty(m).as_memref()?.elem.elem_bytes());
        let Some(elem_bytes) = elem else {
            return Err(BdError::new(
                "the buffer's element type has no size in bytes",
                "use integers or floats",
            ));
        };
        let [outer, inner @ ..] = pattern.dims;
        if outer.size < 1 {
            return Err(PatternError::Size { size: outer.size }.into());
        }
        let mut dims = inner.to_vec();
        let mut repeat = outer.size - 1;
        let mut iteration = None;
        if outer.size > 1 && outer.stride != 0 {
            if outer.size <= i64::from(max_iterations) {
                iteration = Some(BdIteration::new(outer.size, outer.stride));
            } else {
                // More runs than a BD can count: one run with one dimension more.
                dims.insert(0, outer);
                repeat = 0;
            }
        }
        let length = dims.iter().fold(1i64, |n, dim| n.saturating_mul(dim.size));
        let offset = pattern.offset.saturating_mul(elem_bytes as i64);
        let mut transfer = Transfer {
            address: start.saturating_add(offset),
            elem_bytes,
            length,
            dims,
            pads: Vec::new(),
            iteration,
        };
        if transfer.is_linear() {
            transfer.dims.clear();
        }
        // The outer dimensions of one element need no hardware dimension.
        while transfer.dims.first().is_some_and(|dim| dim.size == 1) && transfer.dims.len() > 1 {
            transfer.dims.remove(0);
        }
        Ok((transfer, repeat))
    }

    /// Waits for the token of an allocation's channel.
    pub(super) fn dma_wait(&mut self, op: Op) -> LoweringResult {
        let name = NpuDmaWait(op).symbol(self.module);
        let (channel, _) = self.allocation(&name, op)?;
        self.need_token(channel, op, true)?;
        self.wait(channel, 1, op);
        Ok(())
    }
}
