//! Which memory and which locks a core or a mem tile's DMA sees, and at which addresses.

use crate::arch::{Arch, TileKind};
use crate::ids::LockId;
use crate::model::{DeviceModel, TileLoc};

/// A side of a tile, in the order in which windows and lock numbers follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Below.
    South = 0,
    /// Left.
    West = 1,
    /// Above.
    North = 2,
    /// Right; on AIE2 and later the tile itself.
    East = 3,
}

impl Side {
    /// The four sides in order.
    pub const ALL: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];
}

/// A data memory as a core addresses it, with the locks beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreWindow {
    /// Which of the four windows.
    pub side: Side,
    /// The tile that holds the memory and the locks.
    pub owner: TileLoc,
    /// First core-local byte address.
    pub base: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// The core's number of the owner's lock 0.
    pub lock_base: u8,
}

/// A mem tile's memory as the DMA of that tile or of a neighbour addresses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemTileWindow {
    /// The tile that holds the memory and the locks.
    pub owner: TileLoc,
    /// First byte address in the DMA's view.
    pub base: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// The DMA's number of the owner's lock 0.
    pub lock_base: u8,
}

/// First core-local address of the south window (AIE1: AM009; later: AM020).
const fn first_window(arch: Arch) -> u32 {
    match arch {
        Arch::Aie1 => 0x2_0000,
        _ => 0x4_0000,
    }
}

impl DeviceModel {
    /// The tile whose memory a core sees on a side; the core's own tile on one of them.
    fn behind(&self, core: TileLoc, side: Side) -> Option<TileLoc> {
        let TileLoc { col, row } = core;
        let owner = match (side, self.arch()) {
            (Side::South, _) => TileLoc::new(col, row.checked_sub(1)?),
            (Side::North, _) => TileLoc::new(col, row + 1),
            // AIE1 mirrors every other row: the core's own memory is to its west in even rows
            // and to its east in odd rows (AM009).
            (Side::West, Arch::Aie1) if row % 2 == 0 => core,
            (Side::East, Arch::Aie1) if row % 2 == 0 => TileLoc::new(col + 1, row),
            (Side::East, _) => core,
            (Side::West, _) => TileLoc::new(col.checked_sub(1)?, row),
        };
        (self.tile_kind(owner)? == TileKind::Core).then_some(owner)
    }

    /// The window of a core towards a side; `None` if there is no data memory on that side.
    pub fn core_window(&self, core: TileLoc, side: Side) -> Option<CoreWindow> {
        if self.tile_kind(core)? != TileKind::Core {
            return None;
        }
        let owner = self.behind(core, side)?;
        let tile = &self.arch_model().core;
        Some(CoreWindow {
            side,
            owner,
            base: first_window(self.arch()) + side as u32 * tile.memory_bytes,
            bytes: tile.memory_bytes,
            lock_base: side as u8 * tile.locks,
        })
    }

    /// All windows of a core.
    pub fn core_windows(&self, core: TileLoc) -> impl Iterator<Item = CoreWindow> + use<'_> {
        Side::ALL
            .into_iter()
            .filter_map(move |side| self.core_window(core, side))
    }

    /// The window through which a core sees the memory and the locks of a tile ("legal memory
    /// affinity").
    pub fn core_window_to(&self, core: TileLoc, owner: TileLoc) -> Option<CoreWindow> {
        self.core_windows(core).find(|window| window.owner == owner)
    }

    /// The core-local byte address of the data memory of the core's own tile; 0 for a tile without a core.
    pub fn own_data_address(&self, core: TileLoc) -> u32 {
        let own = self.core_window_to(core, core);
        own.map_or(0, |window| window.base)
    }

    /// The tile and the byte offset in its data memory that a core-local address names.
    pub fn resolve_core_address(&self, core: TileLoc, address: u32) -> Option<(TileLoc, u32)> {
        let bytes = self.arch_model().core.memory_bytes;
        let past = address.checked_sub(first_window(self.arch()))?;
        let side = *Side::ALL.get((past / bytes) as usize)?;
        Some((self.behind(core, side)?, past % bytes))
    }

    /// The lock that a core names by a number.
    pub fn resolve_core_lock(&self, core: TileLoc, number: u8) -> Option<LockId> {
        let locks = self.arch_model().core.locks;
        let side = *Side::ALL.get(usize::from(number / locks))?;
        Some(LockId::new(self.behind(core, side)?, number % locks))
    }

    /// The window through which the DMA of a mem tile sees a mem tile: its own, or a neighbour
    /// in the same row. Only channels below [`crate::DmaModel::neighbour_channels`] see
    /// neighbours.
    pub fn mem_tile_window(&self, dma: TileLoc, owner: TileLoc) -> Option<MemTileWindow> {
        let tile = self.arch_model().mem.as_ref()?;
        let kinds = [self.tile_kind(dma)?, self.tile_kind(owner)?];
        if kinds != [TileKind::Mem, TileKind::Mem] || dma.row != owner.row {
            return None;
        }
        let place = (i16::from(owner.col) - i16::from(dma.col)) + 1;
        let place = u8::try_from(place).ok().filter(|place| *place <= 2)?;
        Some(MemTileWindow {
            owner,
            base: u32::from(place) * tile.memory_bytes,
            bytes: tile.memory_bytes,
            lock_base: place * tile.locks,
        })
    }

    /// The mem tile at a place (0 west, 1 own, 2 east) in the view of a DMA.
    fn mem_tile_at(&self, dma: TileLoc, place: u32) -> Option<TileLoc> {
        let col = match place {
            0 => dma.col.checked_sub(1)?,
            1 => dma.col,
            2 => dma.col + 1,
            _ => return None,
        };
        let owner = TileLoc::new(col, dma.row);
        (self.tile_kind(owner)? == TileKind::Mem).then_some(owner)
    }

    /// The mem tile and the byte offset in it that an address in a mem tile DMA's view names.
    pub fn resolve_mem_tile_address(&self, dma: TileLoc, address: u32) -> Option<(TileLoc, u32)> {
        let bytes = self.arch_model().mem.as_ref()?.memory_bytes;
        Some((self.mem_tile_at(dma, address / bytes)?, address % bytes))
    }

    /// The lock that a mem tile's DMA names by a number.
    pub fn resolve_mem_tile_lock(&self, dma: TileLoc, number: u8) -> Option<LockId> {
        let locks = self.arch_model().mem.as_ref()?.locks;
        let tile = self.mem_tile_at(dma, u32::from(number / locks))?;
        Some(LockId::new(tile, number % locks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_windows_of_ml_tiles() {
        let npu = DeviceModel::by_name("npu1").unwrap();
        let core = TileLoc::new(1, 3);
        let own = npu.core_window_to(core, core).unwrap();
        assert_eq!(
            (own.base, own.lock_base, own.bytes),
            (0x7_0000, 48, 0x1_0000)
        );
        let south = npu.core_window(core, Side::South).unwrap();
        assert_eq!((south.owner, south.base), (TileLoc::new(1, 2), 0x4_0000));
        let west = npu.core_window(core, Side::West).unwrap();
        assert_eq!(
            (west.owner, west.base, west.lock_base),
            (TileLoc::new(0, 3), 0x5_0000, 16)
        );
        assert_eq!(npu.core_window_to(core, TileLoc::new(2, 3)), None);
        // The row below is a mem tile, the column to the left does not exist.
        assert_eq!(npu.core_window(TileLoc::new(0, 2), Side::South), None);
        assert_eq!(npu.core_window(TileLoc::new(0, 2), Side::West), None);
        assert_eq!(
            npu.resolve_core_address(core, 0x6_0010),
            Some((TileLoc::new(1, 4), 0x10))
        );
        assert_eq!(npu.resolve_core_address(core, 0x3_FFFF), None);
        assert_eq!(npu.resolve_core_address(core, 0x8_0000), None);
        assert_eq!(npu.resolve_core_lock(core, 50), Some(LockId::new(core, 2)));
        assert_eq!(npu.resolve_core_lock(core, 64), None);
    }

    #[test]
    fn core_windows_of_the_first_generation_alternate() {
        let versal = DeviceModel::by_name("xcvc1902").unwrap();
        let even = TileLoc::new(5, 2);
        let odd = TileLoc::new(5, 3);
        assert_eq!(versal.core_window_to(even, even).unwrap().base, 0x2_8000);
        assert_eq!(versal.core_window_to(odd, odd).unwrap().base, 0x3_8000);
        assert_eq!(
            versal.core_window(even, Side::East).unwrap().owner,
            TileLoc::new(6, 2)
        );
        assert_eq!(
            versal.core_window(odd, Side::West).unwrap().owner,
            TileLoc::new(4, 3)
        );
        assert_eq!(versal.core_window(TileLoc::new(5, 1), Side::South), None);
    }

    #[test]
    fn mem_tile_windows() {
        let npu = DeviceModel::by_name("npu2").unwrap();
        let mem = TileLoc::new(1, 1);
        let own = npu.mem_tile_window(mem, mem).unwrap();
        assert_eq!((own.base, own.lock_base), (0x8_0000, 64));
        let east = npu.mem_tile_window(mem, TileLoc::new(2, 1)).unwrap();
        assert_eq!((east.base, east.lock_base), (0x10_0000, 128));
        assert_eq!(npu.mem_tile_window(mem, TileLoc::new(3, 1)), None);
        assert_eq!(npu.mem_tile_window(mem, TileLoc::new(1, 2)), None);
        assert_eq!(
            npu.resolve_mem_tile_address(mem, 0x10),
            Some((TileLoc::new(0, 1), 0x10))
        );
        assert_eq!(npu.resolve_mem_tile_address(TileLoc::new(0, 1), 0x10), None);
        assert_eq!(
            npu.resolve_mem_tile_lock(mem, 70),
            Some(LockId::new(mem, 6))
        );
        assert_eq!(npu.resolve_mem_tile_lock(mem, 192), None);
    }
}
