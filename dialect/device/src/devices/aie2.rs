//! AIE-ML (AM020, AM025): xcve2302, xcve2802, and NPU1 with its partitions. AIE2p and AIE2ps
//! build on the constants here.

use crate::arch::{Arch, PerDir};
use crate::constants::{ArchModel, Banks, BdLimits, DmaModel, TileModel};
use crate::devices::npu;
use crate::model::{DeviceModel, NocColumns};
use crate::port::Bundle::*;
use crate::switch::{Rule, SwitchModel, any, only, same};

/// The devices of this generation.
pub(crate) const DEVICES: &[DeviceModel] = &[
    DeviceModel {
        name: "xcve2302",
        aliases: &[],
        value: 2,
        arch: Arch::Aie2,
        columns: 17,
        rows: 4,
        mem_rows: 1,
        noc_columns: NocColumns::These(&[2, 3, 6, 7, 10, 11]),
        npu: false,
        controllers_per_column: 0,
    },
    DeviceModel {
        name: "xcve2802",
        aliases: &[],
        value: 3,
        arch: Arch::Aie2,
        columns: 38,
        rows: 11,
        mem_rows: 2,
        noc_columns: NocColumns::These(&[2, 3, 6, 7, 14, 15, 22, 23, 30, 31, 34, 35]),
        npu: false,
        controllers_per_column: 0,
    },
    npu("npu1", &["npu1_4col", "ipu", "npu"], 4, Arch::Aie2, 4),
    npu("npu1_1col", &[], 5, Arch::Aie2, 1),
    npu("npu1_2col", &[], 6, Arch::Aie2, 2),
    npu("npu1_3col", &[], 7, Arch::Aie2, 3),
];

const CORE_RULES: &[Rule] = &[
    any(Dma, &[Core, TileControl, Fifo, South, West, North, East]),
    same(Dma, &[Dma]),
    any(Fifo, &[Core, Dma, TileControl, South, West, North, East]),
    same(Fifo, &[Fifo]),
    any(South, &[Core, Dma, TileControl, Fifo, West, North, East]),
    same(South, &[South]),
    any(West, &[Core, Dma, TileControl, Fifo, South, North, East]),
    same(West, &[West]),
    any(North, &[Core, Dma, TileControl, Fifo, South, West, East]),
    same(North, &[North]),
    any(East, &[Core, Dma, TileControl, Fifo, South, West, North]),
    same(East, &[East]),
    any(Core, &[Dma, TileControl, Fifo, South, West, North, East]),
    any(TileControl, &[Core, Fifo, South, West, North, East]),
    only(0, Trace, &[Dma]),
    any(Trace, &[Fifo, South]),
];

const MEM_RULES: &[Rule] = &[
    same(Dma, &[Dma]),
    any(Dma, &[TileControl, South, North]),
    only(5, TileControl, &[Dma]),
    any(TileControl, &[South, North]),
    any(South, &[Dma, TileControl]),
    same(South, &[South, North]),
    any(North, &[Dma, TileControl]),
    same(North, &[South, North]),
    only(5, Trace, &[Dma]),
    any(Trace, &[South]),
];

const SHIM_RULES: &[Rule] = &[
    any(TileControl, &[Fifo, South, West, North, East]),
    any(Fifo, &[TileControl, Fifo, South, West, North, East]),
    any(South, &[TileControl, Fifo, South, West, North, East]),
    any(West, &[TileControl, Fifo, South, North, East]),
    same(West, &[West]),
    any(North, &[TileControl, Fifo, South, West, East]),
    same(North, &[North]),
    any(East, &[TileControl, Fifo, South, West, North]),
    same(East, &[East]),
    any(Trace, &[Fifo, South]),
    only(0, Trace, &[West, East]),
];

/// The DMA of core tiles; those of other tiles are alike except for what they state.
const CORE_DMA: DmaModel = DmaModel {
    bds: 16,
    channels: PerDir { s2mm: 2, mm2s: 2 },
    queue_depth: PerDir { s2mm: 4, mm2s: 4 },
    bd: BdLimits {
        dims: 3,
        step_bits: 13,
        wrap_bits: 8,
        outermost_unbounded: true,
        iteration_bits: 6,
        max_length_words: (1 << 14) - 1,
        address_bits: 16,
    },
    bd_by_parity: false,
    neighbour_channels: 0,
    padding: false,
    pad_value: false,
    bursts: &[],
};

/// Core tiles, in all generations since AIE-ML.
pub(crate) const CORE: TileModel = TileModel {
    memory_bytes: 0x1_0000,
    banks: Banks {
        count: 4,
        bytes: 0x4000,
    },
    program_bytes: 0x4000,
    locks: 16,
    dma: Some(CORE_DMA),
    switch: SwitchModel {
        ports: &[
            (Core, 1, 1),
            (Dma, 2, 2),
            (TileControl, 1, 1),
            (Fifo, 1, 1),
            (South, 4, 6),
            (West, 4, 4),
            (North, 6, 4),
            (East, 4, 4),
            (Trace, 0, 2),
        ],
        rules: CORE_RULES,
    },
};

/// The DMA of mem tiles; only later generations have a pad value.
pub(crate) const MEM_DMA: DmaModel = DmaModel {
    bds: 48,
    channels: PerDir { s2mm: 6, mm2s: 6 },
    bd: BdLimits {
        dims: 4,
        step_bits: 17,
        wrap_bits: 10,
        max_length_words: (1 << 17) - 1,
        address_bits: 21,
        ..CORE_DMA.bd
    },
    bd_by_parity: true,
    neighbour_channels: 4,
    padding: true,
    ..CORE_DMA
};

/// Mem tiles.
pub(crate) const MEM: TileModel = TileModel {
    memory_bytes: 0x8_0000,
    banks: Banks {
        count: 8,
        bytes: 0x1_0000,
    },
    program_bytes: 0,
    locks: 64,
    dma: Some(MEM_DMA),
    switch: SwitchModel {
        ports: &[
            (Dma, 6, 6),
            (TileControl, 1, 1),
            (South, 4, 6),
            (North, 6, 4),
            (Trace, 0, 1),
        ],
        rules: MEM_RULES,
    },
};

/// The DMA of shim tiles; later generations add a burst length and a deeper queue.
pub(crate) const SHIM_DMA: DmaModel = DmaModel {
    bd: BdLimits {
        step_bits: 20,
        wrap_bits: 10,
        max_length_words: u32::MAX,
        address_bits: 48,
        ..CORE_DMA.bd
    },
    bursts: &[64, 128, 256],
    ..CORE_DMA
};

/// Shim tiles with DMA.
pub(crate) const SHIM_NOC: TileModel = TileModel {
    memory_bytes: 0,
    banks: Banks { count: 0, bytes: 0 },
    program_bytes: 0,
    locks: 16,
    dma: Some(SHIM_DMA),
    switch: SwitchModel {
        ports: &[
            (TileControl, 1, 1),
            (Fifo, 1, 1),
            (South, 6, 8),
            (West, 4, 4),
            (North, 6, 4),
            (East, 4, 4),
            (Trace, 0, 1),
        ],
        rules: SHIM_RULES,
    },
};

/// The constants of the generation.
pub(crate) const ARCH: ArchModel = ArchModel {
    arch: Arch::Aie2,
    column_shift: 25,
    row_shift: 20,
    max_lock_value: 63,
    semaphore_locks: true,
    load_store_bits: 256,
    stream_words_per_cycle: 1,
    cascade_bits: 512,
    default_stack_bytes: 0x400,
    max_packet_id: 31,
    max_packet_type: 7,
    arbiters: 8,
    msels: 4,
    slots: 4,
    host_address_bits: 48,
    core: CORE,
    mem: Some(MEM),
    shim_noc: SHIM_NOC,
    shim_pl: Some(TileModel {
        locks: 0,
        dma: None,
        ..SHIM_NOC
    }),
};
