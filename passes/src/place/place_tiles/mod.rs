//! `aie-place-tiles`: gives logical tiles their place on the array (the sequential placer of
//! `mlir-aie: lib/Dialect/AIE/Transforms/AIEPlacer.cpp`).
//!
//! Cores first: those with more written coordinates, then those whose object fifos need shared
//! memory because their tile has too few DMA channels, then in textual order; column by column,
//! upward. Cascades and buffers of other tiles are obeyed. Mem and shim tiles then go as near as
//! their DMA channels allow to the columns of what they are connected to ([`sequential`]). Unlike
//! in mlir-aie, a tile that already has a core is occupied, shim tiles without a DMA are placed
//! too, and where mem or shim tiles run out of channels in textual order those with most fifos
//! are tried first.

mod anneal;
mod demand;
mod sequential;
mod spill;

use aiec_aie::ir::{InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::enums::LogicalTileType;
use aiec_aie::ops::{Device, LogicalTile, OpView, Tile};
use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported, codes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use demand::TileDemand;
use sequential::Placer;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-place-tiles", |module, device, context| {
    run(module, device, &context.options()?, context)
})
.summary("Give logical tiles their place on the array")
.postconditions(&[
    "no aie.logical_tile is left",
    "each core has a tile of its own",
])
.options(<PlaceOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-place-tiles`.
    pub(crate) struct PlaceOptions {
        /// Name of the placer.
        pub(crate) placer: String = OptionDef::one_of(
            "placer",
            SEQUENTIAL,
            &[SEQUENTIAL, "sequential", ANNEALING],
            "sequential_placer, or sa_placer (simulated annealing)",
        ),
        /// Seed of simulated annealing.
        pub(crate) sa_seed: i64 = OptionDef::number(
            "sa-seed",
            "1",
            "seed of sa_placer; the same seed gives the same placement",
        ),
        /// Most cores of a column, -1 for all.
        pub(crate) cores_per_col: i64 = OptionDef::number(
            "cores-per-col",
            "-1",
            "use at most this many cores of a column; -1 for all",
        ),
        /// Whether logical mem and shim tiles may share a tile.
        pub(crate) merge_logical_tiles: bool = OptionDef::flag(
            "merge-logical-tiles",
            true,
            "let logical mem and shim tiles share a tile while its DMA channels suffice",
        ),
    }
}

/// Names of the placers.
const SEQUENTIAL: &str = "sequential_placer";
const ANNEALING: &str = "sa_placer";

codes! {
    /// Codes of `aie-place-tiles`.
    pub static CODES;
    NO_PLACE = "placement::no-tile",
        "No free tile of the kind satisfies what is asked for: the written coordinates, cascades \
         and buffers of neighbours, and DMA channels.";
    WRONG_KIND = "placement::wrong-kind",
        "The tile at the written coordinates is of another kind, or isn't on the device.";
    BAD_LIMIT = "placement::bad-limit",
        "The option cores-per-col is a number of cores from 1 to what a column of the device has, \
         or -1 for no limit.";
    NO_CHANNEL = "placement::too-few-channels",
        "More fifos and flows end on a tile than its DMA has channels for. Fifos between cores \
         that share a memory need none; others can be joined or split by a mem tile.";
    OCCUPIED = "placement::occupied",
        "A tile hosts one core. Two cores, or a core and a placed one, want the same tile.";
}

/// A logical tile.
#[derive(Clone, Debug)]
struct Logical {
    op: LogicalTile,
    handle: Value,
    kind: TileKind,
    col: Option<u8>,
    row: Option<u8>,
}

impl Logical {
    fn allows(&self, loc: TileLoc) -> bool {
        self.col.is_none_or(|c| c == loc.col) && self.row.is_none_or(|r| r == loc.row)
    }

    /// The tiles that are of its kind and where it is written to be.
    fn possible(&self, model: &'static DeviceModel) -> impl Iterator<Item = TileLoc> + '_ {
        let of_kind = |loc: &TileLoc| model.tile_kind(*loc) == Some(self.kind);
        model
            .tiles()
            .filter(move |loc| of_kind(loc) && self.allows(*loc))
    }

    fn written(&self) -> usize {
        usize::from(self.col.is_some()) + usize::from(self.row.is_some())
    }

    fn wish(&self) -> String {
        let text = |v: Option<u8>| v.map_or("?".to_string(), |v| v.to_string());
        format!("({}, {})", text(self.col), text(self.row))
    }
}

fn run(
    module: &mut Module,
    device: Op,
    options: &PlaceOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let logical = read(module, device, model, context);
    context.diags.check()?;
    if logical.is_empty() {
        return Ok(());
    }
    let demand = TileDemand::read(module, device);
    let cores_per_col = cores_per_col(model, options.cores_per_col, context)?;
    let mut placer = Placer {
        model,
        demand: &demand,
        places: FxHashMap::default(),
        cores: FxHashSet::default(),
        channels: FxHashMap::default(),
        merge: options.merge_logical_tiles,
        cores_per_col,
    };
    placer.take_placed(module, device);
    let annealing = options.placer == ANNEALING;
    // The first name of the other is mlir-aie's for the default.
    if annealing {
        anneal::place(module, &mut placer, &logical, options.sa_seed, context)?
    } else {
        sequential::place(module, &mut placer, &logical, context)
    }
    context.diags.check()?;
    for diag in sequential::unplaced_channels(module, &placer, &logical) {
        context.report(diag);
    }
    context.diags.check()?;
    let places = placer.places;
    write(module, device, &logical, &places, context);
    if annealing {
        spill::allocate(module, device, context);
    }
    Ok(())
}

/// The limit of cores in a column, if there is one.
fn cores_per_col(
    model: &DeviceModel,
    limit: i64,
    context: &mut PassContext<'_>,
) -> Result<Option<usize>, Reported> {
    let core_rows = model.core_rows().count();
    let problem = match limit {
        -1 => return Ok(None),
        n if (1..=core_rows as i64).contains(&n) => return Ok(Some(n as usize)),
        n if n > core_rows as i64 => format!(
            "requested cores-per-col ({n}) exceeds device capacity ({core_rows} cores per column)"
        ),
        n => format!("cores-per-col is `{n}`, not a number of cores"),
    };
    let help = format!("use 1 to {core_rows}, or -1 for no limit");
    Err(context.fail(
        Diag::error(&BAD_LIMIT, problem.clone())
            .help(help)
            .mlir_aie(MlirAieReport::plain(problem)),
    ))
}

fn read(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    context: &mut PassContext<'_>,
) -> Vec<Logical> {
    let mut list = Vec::new();
    for op in module.children::<LogicalTile>(device) {
        let kind = match LogicalTileType::of(op.tile_type(module).into()) {
            Some(LogicalTileType::MemTile) => TileKind::Mem,
            Some(LogicalTileType::ShimNOCTile) => TileKind::ShimNoc,
            Some(LogicalTileType::ShimPLTile) => TileKind::ShimPl,
            _ => TileKind::Core,
        };
        let coordinate = |v: Option<i32>| v.filter(|v| *v >= 0).map(|v| v.min(255) as u8);
        let Some(handle) = module.result(op.op(), 0) else {
            continue;
        };
        let tile = Logical {
            op,
            handle,
            kind,
            col: coordinate(op.col(module)),
            row: coordinate(op.row(module)),
        };
        if tile.possible(model).next().is_some() {
            list.push(tile);
            continue;
        }
        let there = match (tile.col, tile.row) {
            (Some(col), Some(row)) => model.tile_kind(TileLoc::new(col, row)),
            _ => None,
        };
        let message = match there {
            Some(there) => format!(
                "declared logical tile type does not match the tile type at coordinates {}: it \
                 is a {there}",
                tile.wish()
            ),
            None => format!("{} has no {kind} at {}", model.name(), tile.wish()),
        };
        context.report(
            Diag::error(&WRONG_KIND, message)
                .label(module.span(op.op()), "this tile")
                .help("leave a coordinate open with `?`, or choose a tile of that kind"),
        );
    }
    list
}

/// Creates physical tiles at the start of the device and replaces the logical ones with them.
fn write(
    module: &mut Module,
    device: Op,
    logical: &[Logical],
    places: &FxHashMap<Value, TileLoc>,
    context: &mut PassContext<'_>,
) {
    let Some(block) = module.entry(device, 0) else {
        return;
    };
    let mut tiles: FxHashMap<TileLoc, Value> = FxHashMap::default();
    for tile in module.children::<Tile>(device) {
        if let (Some(loc), Some(handle)) = (tile.loc(module), module.result(tile.op(), 0)) {
            // Written tiles may be used before the place of the logical ones.
            module.move_to(tile.op(), InsertPoint::Start(block));
            tiles.entry(loc).or_insert(handle);
        }
    }
    for tile in logical {
        let Some(loc) = places.get(&tile.handle).copied() else {
            continue;
        };
        let scheme = tile.op.allocation_scheme(module);
        let at = module.derived_loc(context.pass, tile.op.op());
        let handle = *tiles.entry(loc).or_insert_with(|| {
            Tile::build(module, at, loc.col, loc.row)
                .allocation_scheme(scheme)
                .insert_value(Type::Index, InsertPoint::Start(block))
        });
        module.replace_all_uses(tile.handle, handle);
        module.erase(tile.op.op());
    }
}
