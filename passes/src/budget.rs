//! What a tile's resources are used for: the small table that goes with every "there is no more"
//! finding of the allocators.

use std::fmt::Write;

use aiec_device::{DmaDir, TileKind, TileLoc};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::netlist::{dma_channels, tile_loc};
use aiec_dialect::ops::{
    Buffer, Device, Lock, Mem, MemTileDma, OpKind, OpView, ShimDma, ShimDmaAllocation,
};

/// Uses and limits of one tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileBudget {
    /// Where the tile is.
    pub loc: Option<TileLoc>,
    /// Names and sizes in bytes of its buffers, in textual order.
    pub buffers: Vec<(String, u64)>,
    /// Bytes of data memory.
    pub memory_bytes: u64,
    /// Names of its locks, in textual order.
    pub locks: Vec<String>,
    /// How many locks it has.
    pub max_locks: usize,
    /// Its DMA channels with the number of buffer descriptors each uses.
    pub channels: Vec<(DmaDir, u8, usize)>,
    /// How many buffer descriptors it has.
    pub max_bds: usize,
    /// Channels it has: S2MM, MM2S.
    pub max_channels: (u8, u8),
}

impl TileBudget {
    /// Reads the uses of a tile from the netlist as it is now.
    pub fn of(module: &Module, device: Op, loc: TileLoc) -> TileBudget {
        let mut budget = TileBudget {
            loc: Some(loc),
            ..TileBudget::default()
        };
        let model = Device(device).model(module);
        if let Some(tile) = model.and_then(|m| m.tile(loc)) {
            budget.memory_bytes = tile.memory_bytes.into();
            budget.max_locks = tile.locks.into();
            if let Some(dma) = &tile.dma {
                budget.max_bds = dma.bds.into();
                budget.max_channels = (dma.channels.s2mm, dma.channels.mm2s);
            }
        }
        for op in module.walk(device) {
            budget.count(module, op, loc);
        }
        budget
    }

    fn count(&mut self, module: &Module, op: Op, loc: TileLoc) {
        let here = || module.operand(op, 0).and_then(|t| tile_loc(module, t)) == Some(loc);
        match module.kind(op) {
            OpKind::Buffer if here() => {
                let bytes = Buffer(op).bytes(module).unwrap_or(0);
                self.buffers.push((name_of(module, op), bytes));
            }
            OpKind::Lock if here() => self.locks.push(name_of(module, op)),
            OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma if here() => {
                for channel in dma_channels(module, op) {
                    self.channels
                        .push((channel.dir, channel.channel, channel.bds.len()));
                }
            }
            OpKind::ShimDmaAllocation if here() => {
                let allocation = ShimDmaAllocation(op);
                let channel = u8::try_from(allocation.channel_index(module)).ok();
                if let (Some(dir), Some(channel)) = (allocation.channel_dir(module), channel) {
                    self.channels.push((dir, channel, 0));
                }
            }
            _ => {}
        }
    }

    /// The table as lines of text without a final line end.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let place = self.loc.map_or(String::new(), |l| format!("{l}"));
        let _ = write!(text, "resources of tile {place}:");
        let used: u64 = self.buffers.iter().map(|(_, bytes)| bytes).sum();
        if self.memory_bytes > 0 || used > 0 {
            let total = self.memory_bytes;
            let _ = write!(text, "\n  memory   {used} of {total} bytes");
            list(
                &mut text,
                self.buffers.iter().map(|(n, b)| format!("{n} {b}")),
            );
        }
        let (locks, max) = (self.locks.len(), self.max_locks);
        let _ = write!(text, "\n  locks    {locks} of {max}");
        list(&mut text, self.locks.iter().cloned());
        let bds: usize = self.channels.iter().map(|(_, _, n)| n).sum();
        let _ = write!(text, "\n  BDs      {bds} of {}", self.max_bds);
        for dir in DmaDir::ALL {
            let max = match dir {
                DmaDir::S2mm => self.max_channels.0,
                DmaDir::Mm2s => self.max_channels.1,
            };
            let of_dir = || self.channels.iter().filter(|c| c.0 == dir);
            let _ = write!(text, "\n  {:<8} {} of {max}", dir.name(), of_dir().count());
            list(
                &mut text,
                of_dir().map(|(_, channel, bds)| format!("channel {channel} with {bds} BDs")),
            );
        }
        text
    }
}

/// Appends up to eight entries in brackets.
fn list(text: &mut String, entries: impl Iterator<Item = String>) {
    const SHOWN: usize = 8;
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        return;
    }
    let shown = entries.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    let more = match entries.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(", {n} more"),
    };
    let _ = write!(text, " ({}{more})", shown.join(", "));
}

/// The name a message calls a lock or buffer: its symbol, or what it is.
pub fn name_of(module: &Module, op: Op) -> String {
    match module.str_attr(op, "sym_name") {
        Some(name) => name.to_string(),
        None => match module.kind(op) {
            OpKind::Lock => "(unnamed lock)".to_string(),
            OpKind::Buffer => "(unnamed buffer)".to_string(),
            _ => module.op_name(op).to_string(),
        },
    }
}

/// The tile of an operation whose first operand is a tile handle.
pub fn tile_of_op(module: &Module, op: Op) -> Option<TileLoc> {
    tile_loc(module, module.operand(op, 0)?)
}

/// The kind of a tile of the device.
pub fn kind_at(module: &Module, device: Op, loc: TileLoc) -> Option<TileKind> {
    Device(device).model(module)?.tile_kind(loc)
}

/// The DMA programs of a device in the order in which their numbers are given out: core tiles,
/// then mem tiles, then shim tiles, each in textual order.
pub fn dma_containers(module: &Module, device: Op) -> Vec<Op> {
    let mem = module.children::<Mem>(device).into_iter().map(Mem::op);
    let tiles = module.children::<MemTileDma>(device).into_iter();
    let shims = module.children::<ShimDma>(device).into_iter();
    mem.chain(tiles.map(MemTileDma::op))
        .chain(shims.map(ShimDma::op))
        .collect()
}

/// The locks of a device, at any depth (early-2025 designs declare some inside their DMA
/// programs), in textual order with their tiles; locks of handles that aren't placed
/// tiles are left out.
pub fn locks_by_tile(module: &Module, device: Op) -> Vec<(TileLoc, Lock)> {
    let locks = module.find_all::<Lock>(device).into_iter();
    locks
        .filter_map(|lock| Some((lock.tile_loc(module)?, lock)))
        .collect()
}
