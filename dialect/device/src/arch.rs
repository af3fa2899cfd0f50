//! Generations of the array, kinds of tiles, directions of DMA channels.

use aiec_diag::named_enum;

named_enum! {
    /// A generation of the array. The numbers are those of mlir-aie's `AIEArch` attribute.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Arch {
        /// AI Engine (AM009).
        Aie1 = 1 => "AIE1",
        /// AIE-ML (AM020, AM025): VE2302, VE2802, NPU1.
        Aie2 = 2 => "AIE2",
        /// XDNA 2 (NPU2).
        Aie2p = 3 => "AIE2p",
        /// AIE-ML v2 (AM027, AM029): VE3858, the one with micro-controllers.
        Aie2ps = 4 => "AIE2ps",
    }
}

/// The blocks of the library's products of bf16 that round their factors to block floating point: rows of A, columns of A, columns
/// of B (mlir-aie: aie_kernels/linalg/mm_aie2p.h, `AIE_API_EMULATE_BFLOAT16_MMUL_WITH_BFP16`).
pub const BFP16_BLOCKS: [u64; 3] = [8, 8, 8];

impl Arch {
    /// The blocks that the library's products of matrices work on, for elements of A and B of some bits: rows of A, columns of A,
    /// columns of B (mlir-aie: aie_kernels/linalg/mm_aie2.h, mm_aie2p.h; the library takes the latter for all
    /// architectures but AIE2). `None` if it has no such product.
    pub const fn product_blocks(self, bits: u32, float: bool) -> Option<[u64; 3]> {
        Some(match (self, bits, float) {
            (Arch::Aie1, ..) => return None,
            (Arch::Aie2, 8, false) => [4, 8, 8],
            (Arch::Aie2, 16, false) => [4, 4, 4],
            (Arch::Aie2, 16, true) => [4, 8, 4],
            (_, 8, false) => [8, 8, 8],
            (_, 16, false) => [4, 4, 8],
            (_, 16, true) => [4, 8, 8],
            _ => return None,
        })
    }
}

named_enum! {
    /// Kind of the tile at a location.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TileKind {
        /// A core with its data memory.
        Core => "core tile",
        /// A mem tile.
        Mem => "mem tile",
        /// A shim tile with DMA, facing the network on chip.
        ShimNoc => "shim NOC tile",
        /// A shim tile that faces programmable logic only: no DMA and no locks.
        ShimPl => "shim PL tile",
    }
}

impl TileKind {
    /// Whether the tile is in the shim row.
    pub const fn is_shim(self) -> bool {
        matches!(self, TileKind::ShimNoc | TileKind::ShimPl)
    }
}

named_enum! {
    /// Direction of a DMA channel. The numbers are those of the dialect's `DMAChannelDir`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum DmaDir {
        /// Stream to memory: takes from the array's stream and writes.
        S2mm = 0 => "S2MM",
        /// Memory to stream: reads and sends.
        Mm2s = 1 => "MM2S",
    }
}

impl DmaDir {
    /// The direction of the dialect's integer value.
    pub fn by_value(value: i64) -> Option<DmaDir> {
        usize::try_from(value)
            .ok()
            .and_then(|at| Self::ALL.get(at).copied())
    }
}

/// A pair of values, one for each direction of a DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerDir<T> {
    /// The value for S2MM channels.
    pub s2mm: T,
    /// The value for MM2S channels.
    pub mm2s: T,
}

impl<T: Copy> PerDir<T> {
    /// The value of one direction.
    pub fn get(&self, dir: DmaDir) -> T {
        match dir {
            DmaDir::S2mm => self.s2mm,
            DmaDir::Mm2s => self.mm2s,
        }
    }
}
