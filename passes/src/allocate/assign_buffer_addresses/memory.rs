//! The memory of a tile and the buffers to place in it.

use std::ops::Range;

use aiec_aie::ops::Buffer;
use aiec_device::TileLoc;

/// A buffer to place.
#[derive(Clone, Debug)]
pub(super) struct BufferToPlace {
    pub buffer: Buffer,
    pub bytes: u64,
    /// Written address.
    pub address: Option<u64>,
    /// Written bank.
    pub bank: Option<u64>,
    /// Start address must be a multiple of this.
    pub align: u64,
}

impl BufferToPlace {
    /// The bytes of a buffer with a written address.
    pub fn written(&self) -> Option<Range<u64>> {
        let start = self.address?;
        Some(start..start.saturating_add(self.bytes))
    }
}

/// The memory of one tile and the buffers to place in it.
#[derive(Clone, Debug)]
pub(super) struct TileMemory {
    pub loc: TileLoc,
    pub bytes: u64,
    pub banks: u64,
    pub bank_bytes: u64,
    /// Bytes from 0 that the core's stack takes.
    pub stack: u64,
    /// Data of the machine code of cores, which buffers without an address keep clear of.
    pub reserved: Vec<Range<u64>>,
    pub items: Vec<BufferToPlace>,
}

/// Where an item was put: its address and, if the scheme knows banks, its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    pub address: u64,
    pub bank: Option<u64>,
}

/// A scheme's answer: a place for each item, or the first item that found none.
pub(super) type Placements = Result<Vec<Placement>, usize>;

impl TileMemory {
    pub fn bank_range(&self, bank: u64) -> Range<u64> {
        bank * self.bank_bytes..(bank + 1) * self.bank_bytes
    }

    pub fn bank_of(&self, address: u64) -> u64 {
        address.checked_div(self.bank_bytes).unwrap_or(0)
    }

    /// Numbers of the items without a written place, by falling size; equal ones in textual order.
    pub fn free_by_size(&self) -> Vec<usize> {
        let free = |item: &BufferToPlace| item.address.is_none() && item.bank.is_none();
        self.by_falling_size((0..self.items.len()).filter(|i| free(&self.items[*i])))
    }

    /// Numbers of items, in textual order, by falling size.
    pub fn by_falling_size(&self, items: impl Iterator<Item = usize>) -> Vec<usize> {
        in_order(items.map(|i| (!self.items[i].bytes, i)).collect())
    }

    /// Numbers of the items with a written address, by address.
    pub fn fixed_by_address(&self) -> Vec<usize> {
        let items = self.items.iter().enumerate();
        in_order(
            items
                .filter_map(|(i, item)| Some((item.address?, i)))
                .collect(),
        )
    }

    /// Numbers of the items with a written bank and no address, in textual order.
    pub fn banked(&self) -> Vec<usize> {
        let banked = |item: &BufferToPlace| item.address.is_none() && item.bank.is_some();
        (0..self.items.len())
            .filter(|i| banked(&self.items[*i]))
            .collect()
    }

    /// Occupied ranges: written buffers and reserved bytes, by address, without the stack.
    pub fn standing(&self) -> Vec<Range<u64>> {
        let written = self.items.iter().filter_map(BufferToPlace::written);
        let reserved = self.reserved.iter().cloned();
        let mut all: Vec<Range<u64>> = written.chain(reserved).collect();
        all.sort_by_key(|range| (range.start, range.end));
        all
    }

    /// The free ranges between placed buffers, the stack's end and the memory's.
    pub fn gaps(&self) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut from = self.stack.min(self.bytes);
        for range in self.standing() {
            let until = range.start.min(self.bytes);
            if from < until {
                gaps.push(from..until);
            }
            from = from.max(range.end);
        }
        if from < self.bytes {
            gaps.push(from..self.bytes);
        }
        gaps
    }

    /// Bytes that stack, reserved data and buffers need together.
    pub fn needed(&self) -> u64 {
        let reserved: u64 = self.reserved.iter().map(|r| r.end - r.start).sum();
        self.stack + reserved + self.items.iter().map(|i| i.bytes).sum::<u64>()
    }
}

/// Numbers of items by a key, equal ones by number.
fn in_order(mut items: Vec<(u64, usize)>) -> Vec<usize> {
    items.sort_unstable();
    items.into_iter().map(|(_, i)| i).collect()
}
