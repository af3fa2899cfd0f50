//! XDNA 2: NPU2 with its partitions. The tiles of AIE-ML with wider memories.

use crate::arch::Arch;
use crate::constants::{ArchModel, DmaModel, TileModel};
use crate::devices::{aie2, npu};
use crate::model::DeviceModel;

/// The devices of this generation.
pub(crate) const DEVICES: &[DeviceModel] = &[
    npu("npu2", &["npu2_8col", "npu4"], 8, Arch::Aie2p, 8),
    npu("npu2_1col", &[], 9, Arch::Aie2p, 1),
    npu("npu2_2col", &[], 10, Arch::Aie2p, 2),
    npu("npu2_3col", &[], 11, Arch::Aie2p, 3),
    npu("npu2_4col", &[], 12, Arch::Aie2p, 4),
    npu("npu2_5col", &[], 13, Arch::Aie2p, 5),
    npu("npu2_6col", &[], 14, Arch::Aie2p, 6),
    npu("npu2_7col", &[], 15, Arch::Aie2p, 7),
];

/// Mem tiles with a pad value register for each MM2S channel.
pub(crate) const MEM: TileModel = TileModel {
    dma: Some(DmaModel {
        pad_value: true,
        ..aie2::MEM_DMA
    }),
    ..aie2::MEM
};

/// Shim DMA with bursts of 512 bytes.
pub(crate) const SHIM_DMA: DmaModel = DmaModel {
    bursts: &[64, 128, 256, 512],
    ..aie2::SHIM_DMA
};

/// Shim tiles with DMA.
pub(crate) const SHIM_NOC: TileModel = TileModel {
    dma: Some(SHIM_DMA),
    ..aie2::SHIM_NOC
};

/// The constants of the generation.
pub(crate) const ARCH: ArchModel = ArchModel {
    arch: Arch::Aie2p,
    mem: Some(MEM),
    shim_noc: SHIM_NOC,
    ..aie2::ARCH
};
