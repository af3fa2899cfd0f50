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
    let cores = module.children::<Core>(device);
    let machine_code = |core: &Core| core_elf::segments(module, model, *core).is_some();
    if cores.iter().any(machine_code) {
        return found;
    }
    let sent = sent_only(module, device);
    for buffer in module.find_all::<Buffer>(device) {
        let place = buffer.tile_loc(module).zip(buffer.address(module));
        let bytes = buffer.bytes(module).and_then(|n| u32::try_from(n).ok());
        let (Some((tile, start)), Some(bytes)) = (place, bytes) else {
            continue;
        };
        let start = u32::try_from(start).unwrap_or(0);
        let list = match module.result(buffer.op(), 0) {
            Some(value) if is_read(module, value, &sent) => &mut found.kept,
            _ => &mut found.written,
        };
        let ranges = list.entry(tile).or_default();
        ranges.push(start..start.saturating_add(bytes));
    }
    found
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
