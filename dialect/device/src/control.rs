//! Controller ids, token actors and cascade directions.

use crate::arch::{Arch, DmaDir, TileKind};
use crate::memory::Side;
use crate::model::{DeviceModel, TileLoc};

/// Controller ids by row where the array has at most six rows: unique in a column, and below 16
/// in the shim, as its id shares four bits with the actor
/// (`mlir-aie: lib/Dialect/AIE/Transforms/AIEGenerateColumnControlOverlay.cpp`).
const COLUMN_CONTROLLER_IDS: [u8; 6] = [15, 26, 27, 29, 30, 31];

/// Actor id of the core itself in a task complete token
/// (`aiebu: src/cpp/common/disassembler_state.h`).
pub const CORE_ACTOR_ID: u8 = 15;

/// Actor id of MM2S channel 0; S2MM channels count from 0
/// (`aiebu: src/cpp/common/disassembler_state.h`, the table of aie2ps).
const FIRST_MM2S_ACTOR_ID: u8 = 6;

impl Arch {
    /// The actor id by which a task complete token, and `WAIT_TCTS`, names a DMA channel.
    ///
    /// This is the aie2ps table of the vendor's assembler. The NPUs have no CERT; control code
    /// for them is ours and runs in the simulator only, so it uses the same table.
    pub fn actor_id(self, kind: TileKind, dir: DmaDir, channel: u8) -> Option<u8> {
        let channels = self.tile(kind)?.dma?.channels.get(dir);
        let first = match dir {
            DmaDir::S2mm => 0,
            DmaDir::Mm2s => FIRST_MM2S_ACTOR_ID,
        };
        (channel < channels).then_some(first + channel)
    }

    /// The DMA channel that an actor id names; the inverse of [`Arch::actor_id`].
    pub fn actor_channel(self, kind: TileKind, actor: u8) -> Option<(DmaDir, u8)> {
        let (dir, channel) = match actor.checked_sub(FIRST_MM2S_ACTOR_ID) {
            Some(channel) => (DmaDir::Mm2s, channel),
            None => (DmaDir::S2mm, actor),
        };
        (self.actor_id(kind, dir, channel)? == actor).then_some((dir, channel))
    }
}

/// Side of a cascade connection, as `aie.configure_cascade` names it.
pub type CascadeSide = Side;

impl DeviceModel {
    /// The id that packets use to name a tile's controller, unique within its column.
    pub fn controller_id(&self, loc: TileLoc) -> Option<u8> {
        if !self.contains(loc) {
            return None;
        }
        if usize::from(self.rows()) > COLUMN_CONTROLLER_IDS.len() {
            return Some(loc.row);
        }
        COLUMN_CONTROLLER_IDS.get(usize::from(loc.row)).copied()
    }

    /// The sides of sender and receiver through which a cascade connects two cores, or `None` if
    /// the hardware has no such connection. On AIE1 the direction is fixed by the row: odd rows
    /// flow east, even rows west, and the last tile of a row feeds the tile above it.
    pub fn cascade_sides(&self, from: TileLoc, to: TileLoc) -> Option<(CascadeSide, CascadeSide)> {
        if [self.tile_kind(from)?, self.tile_kind(to)?] != [TileKind::Core, TileKind::Core] {
            return None;
        }
        let step = (
            i16::from(to.col) - i16::from(from.col),
            i16::from(to.row) - i16::from(from.row),
        );
        if self.arch() == Arch::Aie1 {
            let eastward = from.row % 2 == 1;
            let last = from.col == if eastward { self.columns() - 1 } else { 0 };
            return match step {
                (1, 0) if eastward => Some((Side::East, Side::West)),
                (-1, 0) if !eastward => Some((Side::West, Side::East)),
                (0, 1) if last => Some((Side::North, Side::South)),
                _ => None,
            };
        }
        match step {
            (1, 0) => Some((Side::East, Side::West)),
            (0, -1) => Some((Side::South, Side::North)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_follow_the_assemblers_table() {
        for arch in [Arch::Aie2, Arch::Aie2p, Arch::Aie2ps] {
            let actor = |kind, dir, channel| arch.actor_id(kind, dir, channel);
            assert_eq!(actor(TileKind::ShimNoc, DmaDir::S2mm, 1), Some(1));
            assert_eq!(actor(TileKind::ShimNoc, DmaDir::Mm2s, 1), Some(7));
            assert_eq!(actor(TileKind::Mem, DmaDir::S2mm, 5), Some(5));
            assert_eq!(actor(TileKind::Mem, DmaDir::Mm2s, 5), Some(11));
            assert_eq!(actor(TileKind::Core, DmaDir::S2mm, 2), None);
            assert_eq!(actor(TileKind::ShimPl, DmaDir::S2mm, 0), None);
            assert_eq!(
                arch.actor_channel(TileKind::Mem, 11),
                Some((DmaDir::Mm2s, 5))
            );
            assert_eq!(arch.actor_channel(TileKind::Core, 15), None);
            assert_eq!(arch.actor_channel(TileKind::Core, 2), None);
        }
    }

    #[test]
    fn controller_ids() {
        let id = |name, col, row| {
            DeviceModel::by_name(name)
                .unwrap()
                .controller_id(TileLoc::new(col, row))
        };
        assert_eq!(id("npu1", 0, 0), Some(15));
        assert_eq!(id("npu2", 7, 5), Some(31));
        assert_eq!(id("npu2", 8, 0), None);
        assert_eq!(id("xcve3858", 2, 6), Some(6));
    }

    #[test]
    fn cascades() {
        let sides = |name, from: (u8, u8), to: (u8, u8)| {
            DeviceModel::by_name(name)
                .unwrap()
                .cascade_sides(TileLoc::new(from.0, from.1), TileLoc::new(to.0, to.1))
        };
        assert_eq!(
            sides("npu2", (1, 3), (2, 3)),
            Some((Side::East, Side::West))
        );
        assert_eq!(
            sides("npu2", (1, 3), (1, 2)),
            Some((Side::South, Side::North))
        );
        assert_eq!(sides("npu2", (1, 2), (1, 1)), None);
        assert_eq!(sides("npu2", (1, 2), (1, 3)), None);
        assert_eq!(
            sides("xcvc1902", (1, 1), (2, 1)),
            Some((Side::East, Side::West))
        );
        assert_eq!(
            sides("xcvc1902", (2, 2), (1, 2)),
            Some((Side::West, Side::East))
        );
        assert_eq!(
            sides("xcvc1902", (49, 1), (49, 2)),
            Some((Side::North, Side::South))
        );
        assert_eq!(sides("xcvc1902", (1, 2), (2, 2)), None);
    }
}
