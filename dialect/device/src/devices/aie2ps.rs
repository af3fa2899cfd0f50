//! AIE-ML v2 (AM027, AM029): xcve3858, whose shim tiles hold the micro-controllers of CERT.
//!
//! Legal connections of Trace and Controller32 follow the driver
//! (`aie-rt: driver/src/global/xaie2psgbl_reginit.c`); mlir-aie's model inherits those of AIE2,
//! with which no token of a core or mem tile could reach the controller.

use crate::arch::{Arch, PerDir};
use crate::constants::{ArchModel, DmaModel, TileModel};
use crate::devices::{aie2, aie2p};
use crate::model::{DeviceModel, NocColumns};
use crate::port::Bundle::*;
use crate::switch::{Rule, SwitchModel, any, only, same};

/// The devices of this generation.
pub(crate) const DEVICES: &[DeviceModel] = &[DeviceModel {
    name: "xcve3858",
    aliases: &["xc2ve3858", "xcve3558"],
    value: 16,
    arch: Arch::Aie2ps,
    columns: 36,
    rows: 7,
    mem_rows: 2,
    noc_columns: NocColumns::All,
    npu: true,
    controllers_per_column: 1,
}];

const SHIM_RULES: &[Rule] = &[
    any(TileControl, &[Fifo, South, West, North, East, Controller32]),
    any(
        Fifo,
        &[TileControl, Fifo, South, West, North, East, Controller32],
    ),
    any(
        South,
        &[TileControl, Fifo, South, West, North, East, Controller32],
    ),
    any(West, &[TileControl, Fifo, South, North, East, Controller32]),
    same(West, &[West]),
    any(North, &[TileControl, Fifo, South, West, East, Controller32]),
    same(North, &[North]),
    any(East, &[TileControl, Fifo, South, West, North, Controller32]),
    same(East, &[East]),
    any(Controller32, &[TileControl, Fifo, South, West, North, East]),
    same(Controller32, &[Controller32]),
    any(Trace, &[Fifo, South]),
    only(0, Trace, &[West, North, East]),
];

/// The constants of the generation.
pub(crate) const ARCH: ArchModel = ArchModel {
    arch: Arch::Aie2ps,
    // Streams of 64 bits (AM027).
    stream_words_per_cycle: 2,
    host_address_bits: 57,
    shim_noc: TileModel {
        dma: Some(DmaModel {
            queue_depth: PerDir { s2mm: 4, mm2s: 16 },
            bd: crate::constants::BdLimits {
                address_bits: 57,
                ..aie2p::SHIM_DMA.bd
            },
            ..aie2p::SHIM_DMA
        }),
        switch: SwitchModel {
            ports: &[
                (TileControl, 1, 1),
                (Fifo, 1, 1),
                (South, 6, 8),
                (West, 4, 4),
                (North, 6, 4),
                (East, 4, 4),
                (Trace, 0, 1),
                (Controller32, 1, 1),
            ],
            rules: SHIM_RULES,
        },
        ..aie2::SHIM_NOC
    },
    shim_pl: None,
    ..aie2p::ARCH
};
