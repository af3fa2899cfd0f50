//! `aie-assign-tile-controller-ids`: gives each tile the packet id of its control port (`mlir-aie:
//! lib/Dialect/AIE/Transforms/AIEGenerateColumnControlOverlay.cpp`).
//!
//! Ids that are written stay. By default they are those of the device model, the same in each
//! column; with `column-wise-unique-ids=false` no two tiles share one, for up to four columns.

use aiec_aie::ir::{Attr, Module, Op, PacketInfo};
use aiec_aie::ops::{Device, OpView, Tile};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};

/// The attribute of a tile.
pub(crate) const ATTRIBUTE: &str = "controller_id";

/// The pass.
pub static PASS: PassDef = PassDef::of_device(
    "aie-assign-tile-controller-ids",
    |module, device, context| run(module, device, &context.options()?, context),
)
.summary("Give each tile the packet id of its control port")
.postconditions(&["every tile has a controller_id"])
.options(<ControllerIdOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-assign-tile-controller-ids`.
    pub(crate) struct ControllerIdOptions {
        /// Whether ids repeat in each column.
        pub(crate) by_column: bool = OptionDef::flag(
        "column-wise-unique-ids",
        true,
        "ids repeat in each column; false: no two tiles share one",
    ),
    }
}

codes! {
    /// Codes of `aie-assign-tile-controller-ids`.
    pub static CODES;
    NO_ID_LEFT = "control::no-id",
        "There are 32 packet ids, so ids that are unique on the whole array exist for four columns \
         of six tiles only. Ids that repeat in each column (the default) suffice for routing \
         within columns.";
}

/// Ids by column and row where no two tiles may share one
/// (`mlir-aie: AIEGenerateColumnControlOverlay.cpp`).
const UNIQUE_IDS: [[u8; 6]; 4] = [
    [15, 26, 27, 29, 30, 31],
    [14, 21, 22, 23, 24, 25],
    [13, 11, 17, 18, 19, 20],
    [12, 28, 7, 8, 9, 10],
];

/// The id of a tile, written or by the device model.
pub(crate) fn id_of(module: &Module, model: &DeviceModel, tile: Tile) -> Option<PacketInfo> {
    match module.attr(tile.op(), ATTRIBUTE) {
        Some(Attr::Packet(info)) => Some(*info),
        _ => column_id(model, tile.loc(module)?),
    }
}

fn column_id(model: &DeviceModel, loc: TileLoc) -> Option<PacketInfo> {
    let id = model.controller_id(loc)?;
    Some(PacketInfo::of_id(id.into()))
}

fn run(
    module: &mut Module,
    device: Op,
    options: &ControllerIdOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    for tile in module.children::<Tile>(device) {
        let Some(loc) = tile.loc(module) else {
            continue;
        };
        if module.attr(tile.op(), ATTRIBUTE).is_some() {
            continue;
        }
        let unique = || {
            let column = UNIQUE_IDS.get(usize::from(loc.col))?;
            let id = column.get(usize::from(loc.row))?;
            Some(PacketInfo::of_id(i64::from(*id)))
        };
        let id = if options.by_column {
            column_id(model, loc)
        } else {
            unique()
        };
        match id {
            Some(id) => module.set_attr(tile.op(), ATTRIBUTE, Attr::Packet(id)),
            None => context.report(
                Diag::error(&NO_ID_LEFT, format!("tile {loc} gets no controller id"))
                    .label(module.span(tile.op()), "this tile")
                    .help("write controller_id on the tile, or let ids repeat in each column"),
            ),
        }
    }
    context.diags.check()
}
