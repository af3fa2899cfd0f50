//! Which memory a device leaves as it was loaded: buffers that it only reads.

use std::ops::Range;

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{Buffer, Core, OpKind, OpView};
use aiec_device::{DeviceModel, DmaDir, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::budget::dma_containers;
use crate::analysis::core_elf;

/// Bytes of tiles' memories that nothing writes.
#[derive(Default)]
pub(super) struct ReadOnly {
    kept: FxHashMap<TileLoc, Vec<Range<u32>>>,
    written: FxHashMap<TileLoc, Vec<Range<u32>>>,
}

impl ReadOnly {
    /// Whether nothing writes a byte.
    pub(super) fn contains(&self, tile: TileLoc, byte: u32) -> bool {
        let within = |list: &FxHashMap<TileLoc, Vec<Range<u32>>>| {
            let ranges = list.get(&tile).into_iter().flatten();
            ranges.into_iter().any(|range| range.contains(&byte))
        };
        within(&self.kept) && !within(&self.written)
    }
}

/// The memory that a device only reads. What isn't a buffer (stacks, data of cores) is taken as
/// written, and everything is if a core runs machine code.
pub(super) fn read_only(module: &Module, device: Op, model: &'static DeviceModel) -> ReadOnly {
    let mut found = ReadOnly::default();
    if has_machine_code(module, device, model) {
        return found;
    }
    let sent = sent_only(module, device);
    for (buffer, tile, bytes) in placed_buffers(module, device) {
        let list = match module.result(buffer.op(), 0) {
            Some(value) if is_read(module, value, &sent) => &mut found.kept,
            _ => &mut found.written,
        };
        list.entry(tile).or_default().push(bytes);
    }
    found
}

/// Whether any core runs opaque machine code.
pub(super) fn has_machine_code(module: &Module, device: Op, model: &'static DeviceModel) -> bool {
    let mut cores = module.children::<Core>(device).into_iter();
    cores.any(|core| core_elf::segments(module, model, core).is_some())
}

/// The buffers of a device that have a place: its tile and bytes.
pub(super) fn placed_buffers(module: &Module, device: Op) -> Vec<(Buffer, TileLoc, Range<u32>)> {
    let buffers = module.find_all::<Buffer>(device).into_iter();
    let placed = buffers.filter_map(|buffer| {
        let start = u32::try_from(buffer.address(module)?).unwrap_or(0);
        let bytes = u32::try_from(buffer.bytes(module)?).ok()?;
        let range = start..start.saturating_add(bytes);
        Some((buffer, buffer.tile_loc(module)?, range))
    });
    placed.collect()
}

/// BDs that MM2S channels of the device's DMA programs run.
fn sent_only(module: &Module, device: Op) -> FxHashSet<Op> {
    let containers = dma_containers(module, device).into_iter();
    let channels = containers.flat_map(|container| dma_channels(module, container));
    let mut sent = FxHashSet::default();
    let mut taken = FxHashSet::default();
    for channel in channels {
        let set = match channel.dir {
            DmaDir::Mm2s => &mut sent,
            DmaDir::S2mm => &mut taken,
        };
        set.extend(channel.bds.iter().map(|slot| slot.bd.op()));
    }
    sent.retain(|bd| !taken.contains(bd));
    sent
}

/// Whether all uses of a memref, and of views of it, only read.
fn is_read(module: &Module, memref: Value, sent: &FxHashSet<Op>) -> bool {
    use OpKind as K;
    let mut list = vec![memref];
    while let Some(value) = list.pop() {
        for (op, operand) in module.uses(value) {
            let reads = match module.kind(op) {
                K::MemrefLoad | K::AffineLoad | K::VectorLoad | K::VectorTransferRead => true,
                K::MemrefCopy => operand == 0,
                K::DmaBd => sent.contains(&op),
                K::MemrefAssumeAlignment
                | K::MemrefSubview
                | K::MemrefReinterpretCast
                | K::MemrefCast
                | K::MemrefCollapseShape
                | K::MemrefExpandShape
                | K::MemrefView => {
                    list.extend(module.results(op));
                    operand == 0
                }
                _ => false,
            };
            if !reads {
                return false;
            }
        }
    }
    true
}
