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
use crate::switch::{Channels, Rule, SwitchModel};

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
    Rule::new(
        TileControl,
        &[Fifo, South, West, North, East, Controller32],
        Channels::Any,
    ),
    Rule::new(
        Fifo,
        &[TileControl, Fifo, South, West, North, East, Controller32],
        Channels::Any,
    ),
    Rule::new(
        South,
        &[TileControl, Fifo, South, West, North, East, Controller32],
        Channels::Any,
    ),
    Rule::new(
        West,
        &[TileControl, Fifo, South, North, East, Controller32],
        Channels::Any,
    ),
    Rule::new(West, &[West], Channels::Same),
    Rule::new(
        North,
        &[TileControl, Fifo, South, West, East, Controller32],
        Channels::Any,
    ),
    Rule::new(North, &[North], Channels::Same),
    Rule::new(
        East,
        &[TileControl, Fifo, South, West, North, Controller32],
        Channels::Any,
    ),
    Rule::new(East, &[East], Channels::Same),
    Rule::new(
        Controller32,
        &[TileControl, Fifo, South, West, North, East],
        Channels::Any,
    ),
    Rule::new(Controller32, &[Controller32], Channels::Same),
    Rule::new(Trace, &[Fifo, South], Channels::Any),
    Rule::new(Trace, &[West, North, East], Channels::Only(0)),
];

/// The constants of the generation.
pub(crate) const ARCH: ArchModel = ArchModel {
    arch: Arch::Aie2ps,
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
            masters: &[
                (TileControl, 1),
                (Fifo, 1),
                (South, 6),
                (West, 4),
                (North, 6),
                (East, 4),
                (Controller32, 1),
            ],
            slaves: &[
                (TileControl, 1),
                (Fifo, 1),
                (South, 8),
                (West, 4),
                (North, 4),
                (East, 4),
                (Trace, 1),
                (Controller32, 1),
            ],
            rules: SHIM_RULES,
        },
        ..aie2::SHIM_NOC
    },
    shim_pl: None,
    ..aie2p::ARCH
};
