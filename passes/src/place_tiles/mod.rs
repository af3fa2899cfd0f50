//! `aie-place-tiles`: gives logical tiles their place on the array (the sequential placer of
//! `mlir-aie: lib/Dialect/AIE/Transforms/AIEPlacer.cpp`).
//!
//! Cores first: those with more written coordinates, then those whose object fifos need shared
//! memory because their tile has too few DMA channels, then in textual order; column by column,
//! upward. Cascades and buffers of other tiles are obeyed. Mem and shim tiles then go as near as
//! their DMA channels allow to the columns of what they are connected to. Unlike in mlir-aie, a
//! tile that already has a core is occupied.

mod anneal;
mod demand;
mod spill;

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Reported};
use aiec_dialect::ir::{Attr, InsertPoint, Module, Op, Type, Value};
use aiec_dialect::ops::enums::LogicalTileType;
use aiec_dialect::ops::{Core, Device, LogicalTile, OpKind, OpView, Tile};
use rustc_hash::FxHashMap;

use crate::pass::{OptionDef, PassContext, PassDef, Run};
use demand::Demand;

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-place-tiles",
    summary: "Give logical tiles their place on the array",
    leaves: &[
        "no aie.logical_tile is left",
        "each core has a tile of its own",
    ],
    options: &[
        OptionDef {
            name: "placer",
            default: SEQUENTIAL,
            summary: "sequential_placer, or sa_placer (simulated annealing)",
        },
        OptionDef {
            name: "sa-seed",
            default: "1",
            summary: "seed of sa_placer; the same seed gives the same placement",
        },
        OptionDef {
            name: "cores-per-col",
            default: "-1",
            summary: "use at most this many cores of a column; -1 for all",
        },
        OptionDef {
            name: "merge-logical-tiles",
            default: "true",
            summary: "let logical mem and shim tiles share a tile while its DMA channels suffice",
        },
    ],
    run: Run::Device(run),
};

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
    BAD_PLACER = "placement::unknown-placer",
        "The option placer is sequential_placer or sa_placer.";
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

    fn written(&self) -> usize {
        usize::from(self.col.is_some()) + usize::from(self.row.is_some())
    }

    fn wish(&self) -> String {
        let text = |v: Option<u8>| v.map_or("?".to_string(), |v| v.to_string());
        format!("({}, {})", text(self.col), text(self.row))
    }
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let logical = read(module, device, model, context);
    context.diags.check()?;
    if logical.is_empty() {
        return Ok(());
    }
    let per_column = model.core_rows().len();
    let asked = context.option("cores-per-col").parse::<i64>().ok();
    if let Some(asked) = asked.filter(|n| usize::try_from(*n).is_ok_and(|n| n > per_column)) {
        let message = format!(
            "requested cores-per-col ({asked}) exceeds device capacity ({per_column} cores per \
             column)"
        );
        let help = format!("use 1 to {per_column}, or -1 for all");
        let diag = Diag::error(&NO_PLACE, message)
            .label(module.span(device), "this device")
            .help(help);
        return Err(context.fail(diag));
    }
    let demand = Demand::read(module, device);
    let mut placer = Placer {
        model,
        demand: &demand,
        places: BTreeMap::new(),
        cores: BTreeSet::new(),
        channels: BTreeMap::new(),
        merge: context.flag("merge-logical-tiles"),
        cores_per_col: context.option("cores-per-col").parse().ok(),
    };
    placer.take_placed(module, device);
    let annealing = context.option("placer") == ANNEALING;
    match context.option("placer") {
        ANNEALING => anneal::place(module, &mut placer, &logical, context),
        // The first name is mlir-aie's for the default.
        SEQUENTIAL | "sequential" => {
            for at in placer.core_order(&logical) {
                placer.place_core(module, &logical, at, context);
            }
            for kind in [TileKind::Mem, TileKind::ShimNoc, TileKind::ShimPl] {
                for tile in logical.iter().filter(|t| t.kind == kind) {
                    placer.place_by_column(module, tile, context);
                }
            }
        }
        other => {
            let message = format!("for the --placer option: Cannot find option named '{other}'!");
            let help = format!("use {SEQUENTIAL} or {ANNEALING}");
            return Err(context.fail(Diag::error(&BAD_PLACER, message).help(help)));
        }
    }
    context.diags.check()?;
    let places = placer.places;
    write(module, device, &logical, &places, context);
    if annealing {
        spill::allocate(module, device, context);
    }
    Ok(())
}

fn read(
    module: &Module,
    device: Op,
    model: &DeviceModel,
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
        let possible = model
            .tiles()
            .any(|loc| tile.allows(loc) && model.tile_kind(loc) == Some(kind));
        if possible {
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

struct Placer<'a> {
    model: &'static DeviceModel,
    demand: &'a Demand,
    /// Where handles are: placed tiles, and logical tiles once they are placed.
    places: BTreeMap<Value, TileLoc>,
    /// Core tiles that are taken.
    cores: BTreeSet<TileLoc>,
    /// DMA channels taken: S2MM, MM2S.
    channels: BTreeMap<TileLoc, [u32; 2]>,
    merge: bool,
    cores_per_col: Option<i64>,
}

impl Placer<'_> {
    fn take_placed(&mut self, module: &Module, device: Op) {
        for tile in module.children::<Tile>(device) {
            if let (Some(loc), Some(handle)) = (tile.loc(module), module.result(tile.op(), 0)) {
                self.places.insert(handle, loc);
                let needs = self.demand.channels(handle);
                self.take_channels(loc, needs);
            }
        }
        for core in module.children::<Core>(device) {
            self.cores.extend(core.tile_loc(module));
        }
    }

    fn take_channels(&mut self, loc: TileLoc, needs: [u32; 2]) {
        let used = self.channels.entry(loc).or_default();
        used[0] += needs[0];
        used[1] += needs[1];
    }

    /// Cores in the order of placement.
    fn core_order(&self, logical: &[Logical]) -> Vec<usize> {
        let demand_of = |handle: Value| self.demand.neighbours_needed(handle);
        let mut order: Vec<usize> = (0..logical.len())
            .filter(|i| logical[*i].kind == TileKind::Core)
            .collect();
        order.sort_by_cached_key(|i| {
            let tile = &logical[*i];
            let own = demand_of(tile.handle);
            let peers = self.demand.core_peers(tile.handle);
            let most = peers.map(demand_of).max().unwrap_or(0).max(own);
            let written = tile.written();
            (
                std::cmp::Reverse(written),
                std::cmp::Reverse(most),
                std::cmp::Reverse(own),
            )
        });
        order
    }

    fn place_core(
        &mut self,
        module: &Module,
        logical: &[Logical],
        at: usize,
        context: &mut PassContext<'_>,
    ) {
        let tile = &logical[at];
        let limit = self.cores_per_col.and_then(|n| usize::try_from(n).ok());
        let all: Vec<TileLoc> = self
            .model
            .tiles()
            .filter(|loc| self.model.tile_kind(*loc) == Some(TileKind::Core))
            .filter(|loc| tile.allows(*loc) && !self.cores.contains(loc))
            .filter(|loc| {
                let in_column = || self.cores.iter().filter(|c| c.col == loc.col).count();
                tile.written() > 0 || limit.is_none_or(|limit| in_column() < limit)
            })
            .collect();
        let legal = |loc: &&TileLoc| self.hard_constraints_hold(tile.handle, **loc);
        let roomy = |loc: &&TileLoc| self.has_room_for_peers(tile.handle, **loc, true);
        let enough = |loc: &&TileLoc| self.has_room_for_peers(tile.handle, **loc, false);
        let found = all
            .iter()
            .filter(legal)
            .find(roomy)
            .or_else(|| all.iter().filter(legal).find(enough))
            .or_else(|| all.iter().find(legal))
            .copied();
        match found {
            Some(loc) => {
                self.cores.insert(loc);
                self.places.insert(tile.handle, loc);
                let needs = self.demand.channels(tile.handle);
                self.take_channels(loc, needs);
            }
            None => context.report(self.no_core(module, tile, logical, !all.is_empty())),
        }
    }

    /// Cascades go down or right, and a core reaches the memories that it uses.
    fn hard_constraints_hold(&self, handle: Value, loc: TileLoc) -> bool {
        let below_or_right = |from: TileLoc, to: TileLoc| {
            (from.col == to.col && from.row == to.row + 1)
                || (from.row == to.row && from.col + 1 == to.col)
        };
        let place = |other: &Value| match *other == handle {
            true => Some(loc),
            false => self.places.get(other).copied(),
        };
        let cascades = self.demand.cascades.iter().all(|(from, to)| {
            let concerned = *from == handle || *to == handle;
            match (place(from), place(to)) {
                (Some(from), Some(to)) if concerned => below_or_right(from, to),
                _ => true,
            }
        });
        let memories = self.demand.memories.iter().all(|(core, memory)| {
            let concerned = *core == handle || *memory == handle;
            match (place(core), place(memory)) {
                (Some(core), Some(memory)) if concerned => {
                    self.model.core_window_to(core, memory).is_some()
                }
                _ => true,
            }
        });
        cascades && memories
    }

    /// Whether two cores share a memory.
    fn are_neighbours(&self, a: TileLoc, b: TileLoc) -> bool {
        self.model.core_window_to(a, b).is_some() || self.model.core_window_to(b, a).is_some()
    }

    /// Whether at this place enough of the core's fifo peers are or can be neighbours: all of
    /// them, or as many as it lacks DMA channels for.
    fn has_room_for_peers(&self, handle: Value, loc: TileLoc, all: bool) -> bool {
        let peers: Vec<Value> = self.demand.core_peers(handle).collect();
        let needed = self.demand.neighbours_needed(handle);
        let (mut near, mut unplaced) = (0, 0);
        for peer in &peers {
            match self.places.get(peer) {
                Some(place) if self.are_neighbours(*place, loc) => near += 1,
                Some(_) => {}
                None => unplaced += 1,
            }
        }
        let free = self.model.tiles().filter(|other| {
            *other != loc && self.are_neighbours(loc, *other) && !self.cores.contains(other)
        });
        let possible = near + unplaced.min(free.count());
        let wanted = match (needed, all) {
            (0, _) => 0,
            (_, true) => peers.len(),
            (needed, false) => needed,
        };
        // A peer that lacks channels needs its last candidates next to it.
        let peers_served = peers.iter().all(|peer| {
            let Some(place) = self.places.get(peer) else {
                return true;
            };
            let needed = self.demand.neighbours_needed(*peer);
            let (mut near, mut open) = (0, 0);
            for other in self.demand.core_peers(*peer).filter(|o| *o != handle) {
                match self.places.get(&other) {
                    Some(at) => near += usize::from(self.are_neighbours(*at, *place)),
                    None => open += 1,
                }
            }
            near + open >= needed || self.are_neighbours(*place, loc)
        });
        possible >= wanted && peers_served
    }

    fn no_core(
        &self,
        module: &Module,
        tile: &Logical,
        logical: &[Logical],
        any_free: bool,
    ) -> Diag {
        let exact = tile.col.zip(tile.row).map(|(c, r)| TileLoc::new(c, r));
        if let Some(loc) = exact.filter(|loc| self.cores.contains(loc)) {
            let other = logical
                .iter()
                .find(|t| t.op != tile.op && self.places.get(&t.handle) == Some(&loc));
            return Diag::error(&OCCUPIED, format!("tile {loc} already has a core"))
                .label(module.span(tile.op.op()), "wanted here too")
                .label(other.and_then(|t| module.span(t.op.op())), "taken by this")
                .help("each compute tile can host only one core: leave a coordinate open");
        }
        let message = match any_free {
            true => format!(
                "no available compute tiles for placement at {}: cascade adjacency or shared-L1 \
                 buffer adjacency unsatisfiable",
                tile.wish()
            ),
            false => format!(
                "no available compute tiles for placement at {}",
                tile.wish()
            ),
        };
        Diag::error(&NO_PLACE, message)
            .label(module.span(tile.op.op()), "this tile")
            .help("leave coordinates open, raise cores-per-col, or use a larger device")
    }

    /// Mem and shim tiles.
    fn place_by_column(&mut self, module: &Module, tile: &Logical, context: &mut PassContext<'_>) {
        let target = self.demand.mean_column(tile.handle, &self.places);
        let needs = self.demand.channels(tile.handle);
        let room = |loc: TileLoc| {
            let used = self.channels.get(&loc).copied().unwrap_or_default();
            let dma = self.model.tile(loc).and_then(|t| t.dma.as_ref());
            let have = |dir| dma.map_or(0, |d| u32::from(d.channels.get(dir)));
            let shared = self.merge || used == [0, 0];
            let plain = tile.kind == TileKind::ShimPl;
            plain
                || (shared
                    && used[0] + needs[0] <= have(DmaDir::S2mm)
                    && used[1] + needs[1] <= have(DmaDir::Mm2s))
        };
        let found = self
            .model
            .tiles()
            .filter(|loc| self.model.tile_kind(*loc) == Some(tile.kind) && tile.allows(*loc))
            .filter(|loc| room(*loc))
            .min_by_key(|loc| {
                let load = self.channels.get(loc).map_or(0, |u| u[0] + u[1]);
                (loc.col.abs_diff(target), load, loc.col, loc.row)
            });
        match found {
            Some(loc) => {
                self.places.insert(tile.handle, loc);
                self.take_channels(loc, needs);
            }
            None => {
                let kind = LogicalTileType::of(tile.op.tile_type(module).into())
                    .map_or(tile.kind.name(), LogicalTileType::text);
                let message = format!(
                    "no {kind} has sufficient DMA capacity for {} input/{} output channels near \
                     centroid column {target}",
                    needs[0], needs[1]
                );
                context.report(
                    Diag::error(&NO_PLACE, message)
                        .label(module.span(tile.op.op()), "this tile")
                        .help(format!(
                            "to fix, pin this {kind} to a column with free channels, spread its \
                             fifos over several logical tiles, or join them"
                        )),
                );
            }
        }
    }
}

/// Makes the tiles at the start of the device and lets them stand for the logical ones.
fn write(
    module: &mut Module,
    device: Op,
    logical: &[Logical],
    places: &BTreeMap<Value, TileLoc>,
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
        let scheme = module.attr(tile.op.op(), "allocation_scheme").cloned();
        let at = module.derived_loc(context.pass, tile.op.op());
        let handle = *tiles.entry(loc).or_insert_with(|| {
            let op = module
                .build(OpKind::Tile, at)
                .attr("col", Attr::i32(loc.col.into()))
                .attr("row", Attr::i32(loc.row.into()))
                .attr_opt("allocation_scheme", scheme)
                .result(Type::Index)
                .insert(InsertPoint::Start(block));
            module.result(op, 0).unwrap_or(tile.handle)
        });
        module.replace_all_uses(tile.handle, handle);
        module.erase(tile.op.op());
    }
}
