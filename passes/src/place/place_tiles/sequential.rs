//! The sequential placer: cores by demand for neighbours, column by column; then mem and shim
//! tiles near what they are connected to.

use std::cmp::Reverse;

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::{Core, OpView, Tile};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::demand::{NeighbourRole, TileDemand};
use super::{Logical, failure};
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
                context.report(failure::no_core(module, placer, logical, tile, &candidates));
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
            context.report(failure::no_column(module, placer, tile));
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
