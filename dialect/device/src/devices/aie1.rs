//! AI Engine, first generation (AM009): xcvc1902.

use crate::arch::{Arch, PerDir};
use crate::constants::{ArchModel, Banks, BdLimits, DmaModel, TileModel};
use crate::model::{DeviceModel, NocColumns};
use crate::port::Bundle::{self, *};
use crate::switch::{Rule, SwitchModel, any};

/// The devices of this generation.
pub(crate) const DEVICES: &[DeviceModel] = &[DeviceModel {
    name: "xcvc1902",
    aliases: &[],
    value: 1,
    arch: Arch::Aie1,
    columns: 50,
    rows: 9,
    mem_rows: 0,
    noc_columns: NocColumns::These(&[2, 3, 6, 7, 10, 11, 18, 19, 26, 27, 34, 35, 42, 43, 46, 47]),
    npu: false,
    controllers_per_column: 0,
}];

const BUNDLES: &[Bundle] = &[Core, Dma, TileControl, Fifo, South, West, North, East];

/// Everything may feed everything, except that a trace may only go south.
const RULES: &[Rule] = &[
    any(Core, BUNDLES),
    any(Dma, BUNDLES),
    any(TileControl, BUNDLES),
    any(Fifo, BUNDLES),
    any(South, BUNDLES),
    any(West, BUNDLES),
    any(North, BUNDLES),
    any(East, BUNDLES),
    any(Trace, &[South]),
];

/// The DMA of core tiles.
const CORE_DMA: DmaModel = DmaModel {
    bds: 16,
    channels: PerDir { s2mm: 2, mm2s: 2 },
    queue_depth: PerDir { s2mm: 4, mm2s: 4 },
    bd: BdLimits {
        dims: 2,
        step_bits: 13,
        wrap_bits: 8,
        outermost_unbounded: false,
        iteration_bits: 0,
        max_length_words: 1 << 13,
        address_bits: 15,
    },
    bd_by_parity: false,
    neighbour_channels: 0,
    padding: false,
    pad_value: false,
    bursts: &[],
};

/// Shim tiles with DMA.
const SHIM_NOC: TileModel = TileModel {
    memory_bytes: 0,
    banks: Banks { count: 0, bytes: 0 },
    program_bytes: 0,
    locks: 16,
    dma: Some(DmaModel {
        bd: BdLimits {
            dims: 1,
            step_bits: 0,
            wrap_bits: 0,
            outermost_unbounded: true,
            iteration_bits: 0,
            max_length_words: u32::MAX,
            address_bits: 48,
        },
        bursts: &[64, 128, 256],
        ..CORE_DMA
    }),
    switch: SwitchModel {
        ports: &[
            (TileControl, 1, 1),
            (Fifo, 2, 2),
            (South, 6, 8),
            (West, 4, 4),
            (North, 6, 4),
            (East, 4, 4),
            (Trace, 0, 1),
        ],
        rules: RULES,
    },
};

/// The constants of the generation.
pub(crate) const ARCH: ArchModel = ArchModel {
    arch: Arch::Aie1,
    column_shift: 23,
    row_shift: 18,
    max_lock_value: 1,
    semaphore_locks: false,
    load_store_bits: 128,
    stream_words_per_cycle: 1,
    cascade_bits: 384,
    default_stack_bytes: 0x400,
    max_packet_id: 31,
    max_packet_type: 7,
    arbiters: 6,
    msels: 4,
    slots: 4,
    host_address_bits: 48,
    core: TileModel {
        memory_bytes: 0x8000,
        banks: Banks {
            count: 4,
            bytes: 0x2000,
        },
        program_bytes: 0x4000,
        locks: 16,
        dma: Some(CORE_DMA),
        switch: SwitchModel {
            ports: &[
                (Core, 2, 2),
                (Dma, 2, 2),
                (TileControl, 1, 1),
                (Fifo, 2, 2),
                (South, 4, 6),
                (West, 4, 4),
                (North, 6, 4),
                (East, 4, 4),
                (Trace, 0, 2),
            ],
            rules: RULES,
        },
    },
    mem: None,
    shim_noc: SHIM_NOC,
    shim_pl: Some(TileModel {
        locks: 0,
        dma: None,
        ..SHIM_NOC
    }),
};
