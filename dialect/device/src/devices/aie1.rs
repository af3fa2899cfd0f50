//! AI Engine, first generation (AM009): xcvc1902.

use crate::arch::{Arch, PerDir};
use crate::constants::{ArchModel, Banks, BdLimits, DmaModel, TileModel};
use crate::model::{DeviceModel, NocColumns};
use crate::port::Bundle::{self, *};
use crate::switch::{Channels, Rule, SwitchModel};

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
    Rule::new(Core, BUNDLES, Channels::Any),
    Rule::new(Dma, BUNDLES, Channels::Any),
    Rule::new(TileControl, BUNDLES, Channels::Any),
    Rule::new(Fifo, BUNDLES, Channels::Any),
    Rule::new(South, BUNDLES, Channels::Any),
    Rule::new(West, BUNDLES, Channels::Any),
    Rule::new(North, BUNDLES, Channels::Any),
    Rule::new(East, BUNDLES, Channels::Any),
    Rule::new(Trace, &[South], Channels::Any),
];

const SHIM_SWITCH: SwitchModel = SwitchModel {
    masters: &[
        (TileControl, 1),
        (Fifo, 2),
        (South, 6),
        (West, 4),
        (North, 6),
        (East, 4),
    ],
    slaves: &[
        (TileControl, 1),
        (Fifo, 2),
        (South, 8),
        (West, 4),
        (North, 4),
        (East, 4),
        (Trace, 1),
    ],
    rules: RULES,
};

const NO_BANKS: Banks = Banks { count: 0, bytes: 0 };

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
        dma: Some(DmaModel {
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
        }),
        switch: SwitchModel {
            masters: &[
                (Core, 2),
                (Dma, 2),
                (TileControl, 1),
                (Fifo, 2),
                (South, 4),
                (West, 4),
                (North, 6),
                (East, 4),
            ],
            slaves: &[
                (Core, 2),
                (Dma, 2),
                (TileControl, 1),
                (Fifo, 2),
                (South, 6),
                (West, 4),
                (North, 4),
                (East, 4),
                (Trace, 2),
            ],
            rules: RULES,
        },
    },
    mem: None,
    shim_noc: TileModel {
        memory_bytes: 0,
        banks: NO_BANKS,
        program_bytes: 0,
        locks: 16,
        dma: Some(DmaModel {
            bds: 16,
            channels: PerDir { s2mm: 2, mm2s: 2 },
            queue_depth: PerDir { s2mm: 4, mm2s: 4 },
            bd: BdLimits {
                dims: 1,
                step_bits: 0,
                wrap_bits: 0,
                outermost_unbounded: true,
                iteration_bits: 0,
                max_length_words: u32::MAX,
                address_bits: 48,
            },
            bd_by_parity: false,
            neighbour_channels: 0,
            padding: false,
            pad_value: false,
            bursts: &[64, 128, 256],
        }),
        switch: SHIM_SWITCH,
    },
    shim_pl: Some(TileModel {
        memory_bytes: 0,
        banks: NO_BANKS,
        program_bytes: 0,
        locks: 0,
        dma: None,
        switch: SHIM_SWITCH,
    }),
};
