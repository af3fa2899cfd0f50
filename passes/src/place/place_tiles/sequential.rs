//! The sequential placer: cores by demand for neighbours, column by column; then mem and shim
//! tiles near what they are connected to. A tile that finds no place is reported with what keeps it from each.

use std::cmp::Reverse;

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::{Core, OpView, Tile};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport};
use rustc_hash::{FxHashMap, FxHashSet};

use super::demand::{NeighbourRole, TileDemand};
use super::{Logical, NO_CHANNEL, NO_PLACE, OCCUPIED};
use crate::infra::pass::PassContext;

/// Placement so far, and the resources that it takes.
pub(super) struct Placer<'a> {
    pub model: &'static DeviceModel,
    pub demand: &'a TileDemand,
    /// Where handles are: placed tiles, and logical tiles once they are placed.
    pub places: FxHashMap<Value, TileLoc>,
    /// Core tiles that are taken.
    pub cores: FxHashSet<TileLoc>,
    /// DMA channels taken: S2MM, MM2S.
    pub channels: FxHashMap<TileLoc, [u32; 2]>,
    pub merge: bool,
    pub cores_per_col: Option<usize>,
}

/// Places all logical tiles; what finds no place is reported.
pub(super) fn place(
    module: &Module,
    placer: &mut Placer<'_>,
    logical: &[Logical],
    context: &mut PassContext<'_>,
) {
    for at in placer.core_order(logical) {
        let tile = &logical[at];
        match placer.core_place(tile) {
            Ok(loc) => {
                placer.cores.insert(loc);
                placer.settle(tile.handle, loc);
            }
            Err(candidates) => {
                context.report(no_core(module, placer, logical, tile, &candidates));
            }
        }
    }
    for kind in [TileKind::Mem, TileKind::ShimNoc, TileKind::ShimPl] {
        let mut tiles: Vec<&Logical> = logical.iter().filter(|t| t.kind == kind).collect();
        let before = (placer.places.clone(), placer.channels.clone());
        let mut left = placer.by_column(&tiles);
        if !left.is_empty() {
            // Tiles with few fifos fill what is left between those with many.
            (placer.places, placer.channels) = before;
            let weight = |tile: &&Logical| placer.demand.channels(tile.handle).iter().sum::<u32>();
            tiles.sort_by_key(|tile| (Reverse(tile.written()), Reverse(weight(tile))));
            left = placer.by_column(&tiles);
        }
        for tile in left {
            context.report(no_column(module, placer, tile));
        }
    }
}

/// DMA channels of a tile: S2MM, MM2S.
pub(super) fn channels_of(model: &DeviceModel, loc: TileLoc) -> [u32; 2] {
    let dma = model.tile(loc).and_then(|t| t.dma.as_ref());
    DmaDir::ALL.map(|dir| dma.map_or(0, |d| d.channels.get(dir).into()))
}

/// Whether two cores share a memory.
pub(super) fn are_neighbours(model: &DeviceModel, a: TileLoc, b: TileLoc) -> bool {
    model.core_window_to(a, b).is_some() || model.core_window_to(b, a).is_some()
}

impl Placer<'_> {
    /// Takes what is placed in the input.
    pub fn take_placed(&mut self, module: &Module, device: Op) {
        for tile in module.children::<Tile>(device) {
            if let (Some(loc), Some(handle)) = (tile.loc(module), module.result(tile.op(), 0)) {
                self.settle(handle, loc);
            }
        }
        for core in module.children::<Core>(device) {
            self.cores.extend(core.tile_loc(module));
        }
    }

    /// Lets a tile have its place, whose DMA channels it takes.
    pub fn settle(&mut self, handle: Value, loc: TileLoc) {
        self.places.insert(handle, loc);
        let needs = self.demand.channels(handle);
        let used = self.channels.entry(loc).or_default();
        used[0] += needs[0];
        used[1] += needs[1];
    }

    /// Cores in the order of placement.
    fn core_order(&self, logical: &[Logical]) -> Vec<usize> {
        let demand_of = |handle: Value| self.demand.neighbours_needed(handle).0;
        let mut order: Vec<usize> = (0..logical.len())
            .filter(|i| logical[*i].kind == TileKind::Core)
            .collect();
        order.sort_by_key(|i| {
            let tile = &logical[*i];
            let own = demand_of(tile.handle);
            let peers = self.demand.core_peers(tile.handle);
            let most = peers.map(demand_of).max().unwrap_or(0).max(own);
            (Reverse(tile.written()), Reverse(most), Reverse(own))
        });
        order
    }

    /// The place of a core, or the free places that only its neighbours rule out.
    fn core_place(&self, tile: &Logical) -> Result<TileLoc, Vec<TileLoc>> {
        let mut in_column: FxHashMap<u8, usize> = FxHashMap::default();
        if self.cores_per_col.is_some() {
            for loc in &self.cores {
                *in_column.entry(loc.col).or_default() += 1;
            }
        }
        let column_has_room = |loc: &TileLoc| {
            let used = in_column.get(&loc.col).copied().unwrap_or(0);
            tile.written() > 0 || self.cores_per_col.is_none_or(|limit| used < limit)
        };
        let all: Vec<TileLoc> = tile
            .possible(self.model)
            .filter(|loc| !self.cores.contains(loc))
            .filter(column_has_room)
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
        found.ok_or(all)
    }

    /// Cascades go down or right, and a core reaches the memories that it uses.
    pub fn hard_constraints_hold(&self, handle: Value, loc: TileLoc) -> bool {
        let mut bonds = self.demand.bonds(handle).iter();
        bonds.all(|(bond, other)| match self.places.get(other) {
            Some(there) => self.bond_holds(*bond, loc, *there),
            None => true,
        })
    }

    /// Whether two places satisfy what a tile is to another.
    pub fn bond_holds(&self, bond: NeighbourRole, here: TileLoc, there: TileLoc) -> bool {
        let below_or_right = |from: TileLoc, to: TileLoc| {
            (from.col == to.col && from.row == to.row + 1)
                || (from.row == to.row && from.col + 1 == to.col)
        };
        match bond {
            NeighbourRole::CascadeTo => below_or_right(here, there),
            NeighbourRole::CascadeFrom => below_or_right(there, here),
            NeighbourRole::Uses => self.model.core_window_to(here, there).is_some(),
            NeighbourRole::UsedBy => self.model.core_window_to(there, here).is_some(),
        }
    }

    /// The core tiles that share a memory with one.
    fn neighbours(&self, loc: TileLoc) -> impl Iterator<Item = TileLoc> + '_ {
        let beside = [(0, -1), (0, 1), (-1, 0), (1, 0)].into_iter();
        let beside = beside.filter_map(move |(right, up)| {
            let col = loc.col.checked_add_signed(right)?;
            Some(TileLoc::new(col, loc.row.checked_add_signed(up)?))
        });
        let is_core = |other: &TileLoc| self.model.tile_kind(*other) == Some(TileKind::Core);
        beside.filter(move |other| is_core(other) && are_neighbours(self.model, loc, *other))
    }

    /// Whether at this place enough of the core's fifo peers are or can be neighbours: as many as
    /// it lacks DMA channels for, or (`roomy`) as many as it has ends in such a direction.
    fn has_room_for_peers(&self, handle: Value, loc: TileLoc, roomy: bool) -> bool {
        let peers: Vec<Value> = self.demand.core_peers(handle).collect();
        let (needed, ends) = self.demand.neighbours_needed(handle);
        let (mut near, mut unplaced) = (0, 0);
        for peer in &peers {
            match self.places.get(peer) {
                Some(place) if are_neighbours(self.model, *place, loc) => near += 1,
                Some(_) => {}
                None => unplaced += 1,
            }
        }
        let is_free = |other: &TileLoc| !self.cores.contains(other);
        let free = self.neighbours(loc).filter(is_free).count();
        let room = if roomy {
            near + free >= ends
        } else {
            near + unplaced.min(free) >= needed.min(peers.len())
        };
        // A peer that lacks channels needs its last candidates next to it.
        let peers_served = peers.iter().all(|peer| {
            let Some(place) = self.places.get(peer) else {
                return true;
            };
            let needed = self.demand.neighbours_needed(*peer).0;
            let (mut near, mut open) = (0, 0);
            for other in self.demand.core_peers(*peer).filter(|o| *o != handle) {
                match self.places.get(&other) {
                    Some(at) => near += usize::from(are_neighbours(self.model, *at, *place)),
                    None => open += 1,
                }
            }
            near + open >= needed || are_neighbours(self.model, *place, loc)
        });
        room && peers_served
    }

    /// Places mem or shim tiles; returns those for which no DMA has channels left.
    fn by_column<'l>(&mut self, tiles: &[&'l Logical]) -> Vec<&'l Logical> {
        let mut left = Vec::new();
        for tile in tiles {
            let columns = self.demand.columns(tile.handle, &self.places);
            let target = columns.mean();
            let with_channels = tile
                .possible(self.model)
                .filter(|loc| self.has_channels(tile, *loc));
            let found = with_channels.min_by_key(|loc| {
                let load = self.channels.get(loc).map_or(0, |u| u[0] + u[1]);
                let wire = columns.distance(loc.col);
                (wire, loc.col.abs_diff(target), load, loc.col, loc.row)
            });
            match found {
                Some(loc) => self.settle(tile.handle, loc),
                None => left.push(*tile),
            }
        }
        left
    }

    /// Whether a mem or shim tile has the channels that a logical one needs.
    fn has_channels(&self, tile: &Logical, loc: TileLoc) -> bool {
        if tile.kind == TileKind::ShimPl {
            return true;
        }
        let used = self.channels.get(&loc).copied().unwrap_or_default();
        let needs = self.demand.channels(tile.handle);
        let have = channels_of(self.model, loc);
        let shared = self.merge || used == [0, 0];
        shared && used[0] + needs[0] <= have[0] && used[1] + needs[1] <= have[1]
    }
}

/// A core for which no tile is left; `candidates` are free, but not where its neighbours need it.
pub(super) fn no_core(
    module: &Module,
    placer: &Placer<'_>,
    logical: &[Logical],
    tile: &Logical,
    candidates: &[TileLoc],
) -> Diag {
    let exact = tile.col.zip(tile.row).map(|(c, r)| TileLoc::new(c, r));
    if let Some(loc) = exact.filter(|loc| placer.cores.contains(loc)) {
        let other = logical
            .iter()
            .find(|t| t.op != tile.op && placer.places.get(&t.handle) == Some(&loc));
        return Diag::error(&OCCUPIED, format!("tile {loc} already has a core"))
            .label(module.span(tile.op.op()), "wanted here too")
            .label(other.and_then(|t| module.span(t.op.op())), "taken by this")
            .help("each compute tile can host only one core: leave a coordinate open");
    }
    let matching = match tile.written() {
        0 => String::new(),
        _ => format!(" matching {}", tile.wish()),
    };
    if candidates.is_empty() {
        let count = tile.possible(placer.model).count();
        let taken = placer.cores.iter().filter(|loc| tile.allows(**loc)).count();
        let message = match placer.cores_per_col {
            Some(limit) if taken < count => format!(
                "no available compute tiles for placement: with cores-per-col={limit} all columns \
                 are full ({taken} of {count} core tiles are taken)"
            ),
            _ => format!(
                "no available compute tiles for placement: all {count} core tiles{matching} are \
                 taken"
            ),
        };
        let help = match (tile.written(), placer.cores_per_col) {
            (0, Some(_)) => "raise cores-per-col, or use a larger device",
            (0, None) => "use fewer cores, or a larger device",
            _ => "leave a coordinate open",
        };
        let mlir_aie = match tile.written() {
            0 => "no available compute tiles for placement".to_string(),
            _ => format!(
                "no compute tile available matching constraint {}",
                tile.wish()
            ),
        };
        return Diag::error(&NO_PLACE, message)
            .label(module.span(tile.op.op()), "this core")
            .help(help)
            .mlir_aie(MlirAieReport::plain(mlir_aie));
    }
    unsatisfied(module, placer, tile, &matching, candidates)
}

/// Free tiles, but none where cascades and shared buffers want the core.
fn unsatisfied(
    module: &Module,
    placer: &Placer<'_>,
    tile: &Logical,
    matching: &str,
    candidates: &[TileLoc],
) -> Diag {
    let bonds = placer.demand.bonds(tile.handle).iter();
    let placed: Vec<(NeighbourRole, Value, TileLoc)> = bonds
        .filter_map(|(bond, other)| Some((*bond, *other, *placer.places.get(other)?)))
        .collect();
    let cascade =
        |bond: NeighbourRole| matches!(bond, NeighbourRole::CascadeFrom | NeighbourRole::CascadeTo);
    // Those that no candidate satisfies alone; else it is all of them together.
    let mut alone = placed.clone();
    alone.retain(|(bond, _, there)| {
        let mut all = candidates.iter();
        !all.any(|here| placer.bond_holds(*bond, *here, *there))
    });
    let to_blame = if alone.is_empty() { placed } else { alone };
    let kinds = [
        (true, "cascade adjacency"),
        (false, "shared-L1 buffer adjacency"),
    ];
    let what: Vec<&str> = kinds
        .into_iter()
        .filter(|(kind, _)| to_blame.iter().any(|(bond, ..)| cascade(*bond) == *kind))
        .map(|(_, name)| name)
        .collect();
    let what = what.join(" and ");
    let message = format!(
        "no available compute tiles for placement: none of the {} free core tiles{matching} \
         satisfies {what}",
        candidates.len()
    );
    let mut diag = Diag::error(&NO_PLACE, message).label(module.span(tile.op.op()), "this core");
    let mut mlir_aie = MlirAieReport::plain(match tile.written() {
        0 => format!("no available compute tiles for placement ({what} unsatisfiable)"),
        _ => format!(
            "no compute tile available matching constraint {} and {what}",
            tile.wish()
        ),
    });
    for (bond, other, there) in to_blame {
        let span = module.value_span(other);
        let (text, role) = match bond {
            NeighbourRole::CascadeFrom => (
                format!("sends it a cascade from {there}: the core must be below or to the right"),
                "cascade source",
            ),
            NeighbourRole::CascadeTo => (
                format!("takes its cascade at {there}: the core must be above or to the left"),
                "cascade destination",
            ),
            NeighbourRole::Uses => (
                format!("holds a buffer or lock that it uses, at {there}"),
                "shared-L1 buffer owner",
            ),
            NeighbourRole::UsedBy => (
                format!("uses a buffer or lock of it, at {there}"),
                "shared-L1 buffer consumer",
            ),
        };
        diag = diag.label(span, text);
        mlir_aie = mlir_aie.note(span, format!("{role} peer placed at {there}"));
    }
    diag.help("leave coordinates open, for this core or for the others named here")
        .mlir_aie(mlir_aie)
}

/// A mem or shim tile for which no DMA has channels left.
pub(super) fn no_column(module: &Module, placer: &Placer<'_>, tile: &Logical) -> Diag {
    let needs = placer.demand.channels(tile.handle);
    if let Some(diag) = never_enough(module, placer, tile) {
        return diag;
    }
    let target = placer.demand.columns(tile.handle, &placer.places).mean();
    let mut count = 0;
    let mut free = [0u32; 2];
    for loc in tile.possible(placer.model) {
        let have = channels_of(placer.model, loc);
        let used = placer.channels.get(&loc).copied().unwrap_or_default();
        count += 1;
        for dir in [0, 1] {
            free[dir] += have[dir].saturating_sub(used[dir]);
        }
    }
    let message = format!(
        "no {} has sufficient DMA capacity for {} input/{} output channels: the {count} of them \
         have {} S2MM and {} MM2S channels left together",
        tile.kind, needs[0], needs[1], free[0], free[1]
    );
    let help = if placer.merge {
        "spread its fifos over several logical tiles, or join fifos"
    } else {
        "let logical tiles share a tile (merge-logical-tiles=true), or join fifos"
    };
    let name = match tile.kind {
        TileKind::Mem => "MemTile",
        TileKind::ShimPl => "ShimPLTile",
        _ => "ShimNOCTile",
    };
    let span = module.span(tile.op.op());
    let mlir_aie = MlirAieReport::plain(format!(
        "no {name} has sufficient DMA capacity for {} input/{} output channels near centroid \
         column {target}",
        needs[0], needs[1]
    ))
    .note(
        span,
        format!("to fix, pin this {name} to a tile with free channels"),
    );
    Diag::error(&NO_PLACE, message)
        .label(span, "this tile")
        .help(help)
        .mlir_aie(mlir_aie)
}

/// Logical tiles that ended where the DMA has fewer channels than their fifos and flows need.
pub(super) fn unplaced_channels(
    module: &Module,
    placer: &Placer<'_>,
    logical: &[Logical],
) -> Vec<Diag> {
    let with_dma = logical.iter().filter(|t| t.kind != TileKind::ShimPl);
    let found = with_dma.filter_map(|tile| {
        let loc = placer.places.get(&tile.handle)?;
        too_few(module, placer, tile, *loc)
    });
    found.collect()
}

/// A mem or shim tile that needs more channels than any tile has, so that sharing is not the
/// reason.
fn never_enough(module: &Module, placer: &Placer<'_>, tile: &Logical) -> Option<Diag> {
    let loc = tile.possible(placer.model).next()?;
    too_few(module, placer, tile, loc)
}

/// A tile whose fifos and flows need more channels than there are at a place.
fn too_few(module: &Module, placer: &Placer<'_>, tile: &Logical, loc: TileLoc) -> Option<Diag> {
    let needs = placer.demand.channels(tile.handle);
    let have = channels_of(placer.model, loc);
    if needs[0] <= have[0] && needs[1] <= have[1] {
        return None;
    }
    let span = module.span(tile.op.op());
    let mut mlir_aie = MlirAieReport::plain(format!(
        "tile {loc} requires {} input/{} output DMA channels, but only {} input/{} output \
         available",
        needs[0], needs[1], have[0], have[1]
    ));
    let mut place = "this tile".to_string();
    if tile.written() < 2 {
        mlir_aie = mlir_aie.note(span, "placer selected this tile");
        place = format!("placed at {loc}");
    }
    let message = format!(
        "the fifos and flows of this tile need {} S2MM and {} MM2S channels, but a {} has {} and \
         {}",
        needs[0], needs[1], tile.kind, have[0], have[1]
    );
    let diag = Diag::error(&NO_CHANNEL, message)
        .label(span, place)
        .help("let a mem tile join or split some of them, or use packet flows")
        .mlir_aie(mlir_aie);
    Some(diag)
}
