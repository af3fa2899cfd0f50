//! Array addresses: a tile and a byte offset inside it.

use crate::arch::Arch;
use crate::model::{DeviceModel, TileLoc};

impl Arch {
    /// Bytes of address space for each tile.
    pub const fn tile_bytes(self) -> u32 {
        1 << self.model().row_shift
    }

    /// The partition-relative address of a byte offset in a tile. Offsets past the tile's space
    /// are cut to it.
    #[inline]
    pub const fn tile_address(self, loc: TileLoc, offset: u32) -> u32 {
        let model = self.model();
        ((loc.col as u32) << model.column_shift)
            | ((loc.row as u32) << model.row_shift)
            | (offset & (self.tile_bytes() - 1))
    }

    /// The tile and the byte offset in it that a partition-relative address names. The tile need
    /// not exist in a given device.
    #[inline]
    pub const fn split_address(self, address: u32) -> (TileLoc, u32) {
        let model = self.model();
        let rows = (1 << (model.column_shift - model.row_shift)) - 1;
        let loc = TileLoc {
            col: ((address >> model.column_shift) & 0xFF) as u8,
            row: ((address >> model.row_shift) & rows) as u8,
        };
        (loc, address & ((1 << model.row_shift) - 1))
    }
}

impl DeviceModel {
    /// See [`Arch::tile_address`].
    #[inline]
    pub const fn tile_address(&self, loc: TileLoc, offset: u32) -> u32 {
        self.arch().tile_address(loc, offset)
    }

    /// See [`Arch::split_address`].
    #[inline]
    pub const fn split_address(&self, address: u32) -> (TileLoc, u32) {
        self.arch().split_address(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_forms() {
        // The offsets are those of `mlir-aie: test/npu-xrt`: BD 3 of the shim in column 1.
        assert_eq!(
            Arch::Aie2.tile_address(TileLoc::new(1, 0), 0x1D060),
            0x0201_D060
        );
        assert_eq!(
            Arch::Aie1.tile_address(TileLoc::new(1, 2), 0x1D000),
            0x0089_D000
        );
        for arch in Arch::ALL {
            for loc in [TileLoc::new(0, 0), TileLoc::new(49, 8), TileLoc::new(3, 5)] {
                let address = arch.tile_address(loc, 0x1D060);
                assert_eq!(arch.split_address(address), (loc, 0x1D060));
            }
        }
    }
}
