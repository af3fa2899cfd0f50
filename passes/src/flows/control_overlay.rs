//! `aie-generate-column-control-overlay`: the packet flows by which the shim tile of a column
//! receives task complete tokens and sends control packets
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEGenerateColumnControlOverlay.cpp`).
//!
//! * Tokens: from the control port of the shim tile (or of all tiles) out of the array.
//! * Control packets (option): from a shim DMA channel to the control port of each tile of the
//!   column, used or not; the lower half of the rows by channel 0, the upper half by channel 1.
//!   Columns between used ones are covered too, because routes through them are configured.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::{Device, Flow, OpView, ShimDmaAllocation, Tile};
use aiec_device::{Arch, Bundle, DeviceModel, DmaDir, TileLoc};
use aiec_diag::{Diag, Reported, codes, named_enum};
use rustc_hash::FxHashMap;

use crate::flows::controller_ids;
use crate::infra::packet_flow::{self, PacketFlowMarks, device_end};
use crate::infra::pass::{OptionDef, OptionValue, Options, PassContext, PassDef, pass_options};

/// The pass.
pub static PASS: PassDef = PassDef::of_device(
    "aie-generate-column-control-overlay",
    |module, device, context| run(module, device, &context.options()?, context),
)
.summary("Connect the control ports of each column's tiles with its shim tile")
.postconditions(&["tokens (and control packets, if asked for) have a way in each used column"])
.options(<OverlayOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-generate-column-control-overlay`.
    pub(crate) struct OverlayOptions {
        /// Tiles whose tokens get a flow.
        pub(crate) tokens: TokenTiles = OptionDef::one_of(
            "route-shim-to-tct",
            TokenTiles::Shim.name(),
            TokenTiles::NAMES,
            "which tiles' task complete tokens get a flow: shim-only, all-tiles, disable",
        ),
        /// Whether control packets get flows.
        pub(crate) control: bool = OptionDef::flag(
            "route-shim-to-tile-ctrl",
            false,
            "make the flows of control packets, with their shim DMA allocations",
        ),
    }
}

codes! {
    /// Codes of `aie-generate-column-control-overlay`.
    pub static CODES;
    NO_SUPPORT = "control::not-supported",
        "The tiles of this device have no control ports in their stream switches.";
    CHANNEL_TAKEN = "control::channel-taken",
        "The control packets of a column need the MM2S channels of its shim tile for themselves.";
}

named_enum! {
    /// Tiles whose task complete tokens get a flow.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum TokenTiles {
        /// Shim tiles.
        Shim => "shim-only",
        /// All tiles of used columns.
        All => "all-tiles",
        /// No tiles.
        None => "disable",
    }
}

impl OptionValue for TokenTiles {
    fn parse(text: &str) -> Option<TokenTiles> {
        TokenTiles::by_name(text)
    }
}

/// Tiles by place; missing ones are made at the start of the device.
pub(crate) struct Tiles {
    device: Op,
    known: FxHashMap<TileLoc, Tile>,
    last: Option<Op>,
}

impl Tiles {
    /// The tiles that the device names.
    pub(crate) fn of(module: &Module, device: Op) -> Tiles {
        let all = module.children::<Tile>(device);
        Tiles {
            device,
            last: all.last().map(|tile| tile.op()),
            known: all
                .into_iter()
                .filter_map(|tile| Some((tile.loc(module)?, tile)))
                .collect(),
        }
    }

    fn get(&mut self, module: &mut Module, loc: TileLoc, cause: Loc) -> Option<(Tile, Value)> {
        let tile = match self.known.get(&loc) {
            Some(tile) => *tile,
            None => {
                let block = module.entry(self.device, 0)?;
                let at = self
                    .last
                    .map_or(InsertPoint::Start(block), InsertPoint::After);
                let op = Tile::build(module, cause, loc.col, loc.row)
                    .result(Type::Index)
                    .insert(at);
                self.last = Some(op);
                let tile = Tile::cast(module, op)?;
                self.known.insert(loc, tile);
                tile
            }
        };
        Some((tile, module.result(tile.op(), 0)?))
    }
}

fn run(
    module: &mut Module,
    device: Op,
    options: &OverlayOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    if model.arch() == Arch::Aie1 {
        let message = format!("{} has no control ports to route to", model.name());
        let diag = Diag::error(&NO_SUPPORT, message)
            .label(module.span(device), "this device")
            .help("leave the overlay out");
        return Err(context.fail(diag));
    }
    let all_tiles = options.tokens == TokenTiles::All;
    let tokens = options.tokens != TokenTiles::None;
    let control = options.control;
    if control {
        check_channels(module, device, context);
        context.diags.check()?;
    }
    let mut tiles = Tiles::of(module, device);
    let is_used = |loc: &TileLoc| tiles.known.contains_key(loc);
    let used: Vec<TileLoc> = model.tiles().filter(is_used).collect();
    let cause = module.derived_loc(context.pass, device);
    let (Some(first), Some(last)) = (used.first(), used.last()) else {
        return Ok(());
    };
    for col in first.col..=last.col {
        let rows = used.iter().filter(|loc| loc.col == col);
        let rows: Vec<u8> = rows.map(|loc| loc.row).collect();
        if tokens && !rows.is_empty() {
            // The shim tile sends its own tokens, whether or not the design names it.
            let inner = rows.iter().filter(|row| all_tiles && **row != 0);
            for row in std::iter::once(&0).chain(inner) {
                let from = TileLoc::new(col, *row);
                token_flow(module, model, &mut tiles, from, MARKS, cause);
                context.count("token flows", 1);
            }
        }
        if control {
            control_flows(module, model, &mut tiles, col, cause);
            context.count("columns with control packets", 1);
        }
    }
    Ok(())
}

const MARKS: PacketFlowMarks = PacketFlowMarks {
    keep_header: true,
    priority: true,
};

/// The flow of a tile's tokens to the controller of its column.
pub(crate) fn token_flow(
    module: &mut Module,
    model: &DeviceModel,
    tiles: &mut Tiles,
    from: TileLoc,
    marks: PacketFlowMarks,
    cause: Loc,
) -> Option<()> {
    let (_, shim) = tiles.get(module, TileLoc::new(from.col, 0), cause)?;
    let (tile, source) = tiles.get(module, from, cause)?;
    let id = controller_ids::id_of(module, model, tile)?.pkt_id;
    // Where a column has a micro-controller, it takes the tokens; else they leave to the south.
    let out = match model.arch() {
        Arch::Aie2ps => Bundle::Controller32,
        _ => Bundle::South,
    };
    let at = device_end(module, tiles.device);
    let source = (source, Bundle::TileControl, 0);
    packet_flow::build(module, cause, id, source, &[(shim, out, 0)], marks, at);
    Some(())
}

fn control_flows(
    module: &mut Module,
    model: &DeviceModel,
    tiles: &mut Tiles,
    col: u8,
    cause: Loc,
) -> Option<()> {
    let (_, shim) = tiles.get(module, TileLoc::new(col, 0), cause)?;
    let rows = model.rows();
    let mut announced = [false; 2];
    for row in 0..rows {
        let (tile, dest) = tiles.get(module, TileLoc::new(col, row), cause)?;
        let id = controller_ids::id_of(module, model, tile)?.pkt_id;
        let channel = packet_channel(model, row);
        let at = device_end(module, tiles.device);
        let source = (shim, Bundle::Dma, channel as i32);
        let dests = [(dest, Bundle::TileControl, 0)];
        packet_flow::build(module, cause, id, source, &dests, MARKS, at);
        if !std::mem::replace(&mut announced[channel], true) {
            let at = device_end(module, tiles.device);
            let name = format!("ctrlpkt_col{col}_mm2s_chan{channel}");
            ShimDmaAllocation::build(module, cause, shim, name, DmaDir::Mm2s, channel as i64)
                .insert(at);
        }
    }
    Some(())
}

/// The MM2S channel of a shim tile that sends control packets to a row: the lower half of the rows
/// has channel 0, the upper half channel 1.
pub(crate) fn packet_channel(model: &DeviceModel, row: u8) -> usize {
    usize::from(row >= model.rows() / 2)
}

/// Refuses the overlay where circuits of the design begin at DMA channels of shim tiles. Packets share
/// them with those of the overlay (`mlir-aie: AIEGenerateColumnControlOverlay.cpp`, getAvailableShimChans).
fn check_channels(module: &Module, device: Op, context: &mut PassContext<'_>) {
    let mut users: Vec<Op> = Vec::new();
    let shim = |tile: Option<Value>| {
        let loc = tile.and_then(|t| aiec_aie::ops::netlist::tile_loc(module, t));
        loc.is_some_and(|loc| loc.row == 0)
    };
    for flow in module.children::<Flow>(device) {
        if shim(flow.source(module)) && flow.source_bundle(module) == Some(Bundle::Dma) {
            users.push(flow.op());
        }
    }
    if users.is_empty() {
        return;
    }
    let message = "failed to generate column control overlay from shim dma to tile ctrl ports, \
                   because some shim mm2s dma channels were reserved from routing control packets.";
    let mut diag = Diag::error(&CHANNEL_TAKEN, message).label(module.span(device), "this device");
    for user in users {
        diag = diag.label(module.span(user), "uses a channel of a shim tile");
    }
    context.report(diag.help(
        "make the overlay before object fifos are lowered, and send the \
                              design's data through the columns' other channels",
    ));
}
