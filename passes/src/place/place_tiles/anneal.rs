//! Placement by simulated annealing (`placer=sa_placer`): minimises the length of the nets, with
//! penalties for what the hardware refuses (after `mlir-aie: lib/Dialect/AIE/Transforms/
//! AIESAPlacer.cpp`).
//!
//! * Cost: half the perimeter around each net, double for nets of more than four ends; for each
//!   DMA channel too many 20, for each KiB of memory too many 30, for each hop that a cascade or a
//!   shared buffer is too far 30.
//! * Moves: a tile goes to another place of its kind, or changes places with the one there.
//! * Same seed, same placement: the random numbers are our own, and nothing depends on hash order.
//!
//! What the result still breaks (a cascade that can't be straight) is an error.

use aiec_aie::ir::{Module, Value};
use aiec_device::{TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::{FxHashMap, FxHashSet};

use super::demand::NeighbourRole;
use super::sequential::{are_neighbours, channels_of};
use super::{Logical, NO_PLACE, Placer};
use crate::infra::pass::PassContext;

/// Cost of a DMA channel too many.
const CHANNEL_PENALTY: f64 = 20.0;
/// Cost of a KiB of memory too many.
const MEMORY_PENALTY: f64 = 30.0;
/// Cost of each hop that neighbours are too far apart.
const DISTANCE_PENALTY: f64 = 30.0;
/// Nets with more ends than this count double.
const LARGE_NET: usize = 4;
/// Below this temperature only improvements are taken.
const COLD: f64 = 0.005;
/// Moves tried at each temperature, for each tile.
const MOVES_PER_TILE: usize = 4;

/// `xorshift64*` (Vigna 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        // The generator must not start at 0; the multiplier spreads small seeds.
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `n`, which isn't 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// In `0.0..1.0`.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Annealer<'a> {
    /// The places of handles that don't move, and what tiles ask for.
    placer: &'a Placer<'a>,
    logical: &'a [Logical],
    number: FxHashMap<Value, usize>,
    /// The places that each tile may take.
    choices: Vec<Vec<TileLoc>>,
    at: Vec<TileLoc>,
    /// Who is at each place.
    there: FxHashMap<TileLoc, Vec<usize>>,
    /// Nets at each tile.
    nets_of: Vec<Vec<usize>>,
    /// Bytes of buffers and objects that each tile brings.
    bytes: Vec<u64>,
}

/// Places all logical tiles.
///
/// # Errors
/// Some found no place.
pub(super) fn place(
    module: &Module,
    placer: &mut Placer<'_>,
    logical: &[Logical],
    seed: i64,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let seed = seed.cast_unsigned();
    let choices = |tile: &Logical| -> Vec<TileLoc> {
        let has_core = |loc: &TileLoc| tile.kind == TileKind::Core && placer.cores.contains(loc);
        let all = tile.possible(placer.model);
        all.filter(|loc| !has_core(loc)).collect()
    };
    let choices: Vec<Vec<TileLoc>> = logical.iter().map(choices).collect();
    let Some(start) = first_places(module, logical, &choices, placer.merge, context) else {
        return Ok(());
    };
    let handles = logical.iter().map(|tile| tile.handle);
    let number: FxHashMap<Value, usize> = handles.clone().zip(0..).collect();
    let mut nets_of = vec![Vec::new(); logical.len()];
    for (net, ends) in placer.demand.nets.iter().enumerate() {
        for end in ends {
            if let Some(i) = number.get(end)
                && nets_of[*i].last() != Some(&net)
            {
                nets_of[*i].push(net);
            }
        }
    }
    let mut there: FxHashMap<TileLoc, Vec<usize>> = FxHashMap::default();
    for (i, loc) in start.iter().enumerate() {
        there.entry(*loc).or_default().push(i);
    }
    let mut annealer = Annealer {
        there,
        placer,
        logical,
        number,
        choices,
        at: start,
        nets_of,
        bytes: handles.map(|handle| placer.demand.bytes(handle)).collect(),
    };
    annealer.run(seed, placer.merge);
    let places = annealer.at;
    for (tile, loc) in logical.iter().zip(places) {
        if tile.kind == TileKind::Core {
            placer.cores.insert(loc);
        }
        placer.settle(tile.handle, loc);
    }
    for tile in logical {
        let loc = placer.places[&tile.handle];
        if !placer.hard_constraints_hold(tile.handle, loc) {
            let message = format!(
                "no available compute tiles for placement: the cascade or shared buffers of the \
                 core at {loc} need another neighbour"
            );
            context.report(
                Diag::error(&NO_PLACE, message)
                    .label(module.span(tile.op.0), "this tile")
                    .help("leave coordinates open, or use another sa-seed or placer"),
            );
        }
    }
    Ok(())
}

/// A place for each tile, cores on tiles of their own: those with the fewest choices first.
fn first_places(
    module: &Module,
    logical: &[Logical],
    choices: &[Vec<TileLoc>],
    merge: bool,
    context: &mut PassContext<'_>,
) -> Option<Vec<TileLoc>> {
    let mut order: Vec<usize> = (0..logical.len()).collect();
    order.sort_by_key(|i| choices[*i].len());
    let mut places = vec![TileLoc::new(0, 0); logical.len()];
    let mut taken: FxHashSet<TileLoc> = FxHashSet::default();
    let mut all = true;
    for i in order {
        let tile = &logical[i];
        let alone = tile.kind == TileKind::Core || !merge;
        let free = choices[i].iter().find(|loc| !alone || !taken.contains(loc));
        if let Some(loc) = free {
            places[i] = *loc;
            taken.insert(*loc);
            continue;
        }
        all = false;
        let problem = "no available physical tile for placement";
        let (kind, wish) = (tile.kind, tile.wish());
        let message = format!("{problem}: no {kind} is left at {wish}");
        context.report(
            Diag::error(&NO_PLACE, message)
                .label(module.span(tile.op.0), "this tile")
                .help("leave coordinates open, or use a larger device")
                .mlir_aie(MlirAieReport::plain(problem)),
        );
    }
    all.then_some(places)
}

impl Annealer<'_> {
    fn place_of(&self, handle: Value) -> Option<TileLoc> {
        match self.number.get(&handle) {
            Some(i) => Some(self.at[*i]),
            None => self.placer.places.get(&handle).copied(),
        }
    }

    fn run(&mut self, seed: u64, merge: bool) {
        let movable: Vec<usize> = (0..self.at.len())
            .filter(|i| self.choices[*i].len() > 1)
            .collect();
        if movable.is_empty() {
            return;
        }
        let mut random = Random::new(seed);
        let mut temperature = 10.0 + self.total() / self.at.len() as f64;
        let mut best = (self.total(), self.at.clone());
        let mut cost = best.0;
        while temperature > COLD / 10.0 {
            for _ in 0..MOVES_PER_TILE * movable.len() {
                let i = movable[random.below(movable.len())];
                let to = self.choices[i][random.below(self.choices[i].len())];
                let Some(moved) = self.moved(i, to, merge) else {
                    continue;
                };
                let old: Vec<TileLoc> = moved.iter().map(|(k, _)| self.at[*k]).collect();
                let mut places = old.clone();
                places.extend(moved.iter().map(|(_, loc)| *loc));
                let before = self.local(&moved, &places);
                self.apply(&moved);
                let change = self.local(&moved, &places) - before;
                let taken = change <= 0.0
                    || (temperature > COLD && random.unit() < (-change / temperature).exp());
                if taken {
                    cost += change;
                } else {
                    for ((k, _), loc) in moved.iter().zip(old) {
                        self.relocate(*k, loc);
                    }
                }
            }
            // Small sums of rounded numbers drift, so the comparison is with the exact cost.
            if cost < best.0 {
                cost = self.total();
                if cost < best.0 {
                    best = (cost, self.at.clone());
                }
            }
            // mlir-aie cools the quicker the hotter it is.
            temperature *= match temperature {
                t if t > 10.0 => 0.97,
                t if t > 1.0 => 0.98,
                t if t > 0.1 => 0.97,
                _ => 0.9,
            };
        }
        for (k, loc) in best.1.into_iter().enumerate() {
            self.relocate(k, loc);
        }
    }

    /// The tiles that change place when one goes to a place; `None` if it can't go there.
    fn moved(&self, i: usize, to: TileLoc, merge: bool) -> Option<Vec<(usize, TileLoc)>> {
        let from = self.at[i];
        if from == to {
            return None;
        }
        let alone = self.logical[i].kind == TileKind::Core || !merge;
        let there = self.there.get(&to).and_then(|list| list.first()).copied();
        let Some(other) = there.filter(|_| alone) else {
            return Some(vec![(i, to)]);
        };
        let back = self.choices[other].contains(&from);
        back.then(|| vec![(i, to), (other, from)])
    }

    fn apply(&mut self, moved: &[(usize, TileLoc)]) {
        for (k, loc) in moved {
            self.relocate(*k, *loc);
        }
    }

    fn relocate(&mut self, k: usize, to: TileLoc) {
        if let Some(list) = self.there.get_mut(&self.at[k]) {
            list.retain(|other| *other != k);
        }
        self.there.entry(to).or_default().push(k);
        self.at[k] = to;
    }

    fn total(&self) -> f64 {
        let nets: f64 = (0..self.placer.demand.nets.len())
            .map(|n| self.net(n))
            .sum();
        let tiles: f64 = (0..self.at.len())
            .map(|i| self.tile(i) + self.bonds(i))
            .sum();
        nets + tiles
    }

    /// The part of the cost that moving these tiles to or from these places can change.
    fn local(&self, moved: &[(usize, TileLoc)], places: &[TileLoc]) -> f64 {
        let at_tiles = moved.iter().flat_map(|(k, _)| &self.nets_of[*k]);
        let mut nets: Vec<usize> = at_tiles.copied().collect();
        nets.sort_unstable();
        nets.dedup();
        let lengths: f64 = nets.iter().map(|n| self.net(*n)).sum();
        let at_places = places
            .iter()
            .filter_map(|loc| self.there.get(loc))
            .flatten();
        let mut tiles: Vec<usize> = at_places.copied().collect();
        let mut bonds = 0.0;
        for (k, _) in moved {
            let peers = self.placer.demand.core_peers(self.logical[*k].handle);
            tiles.extend(peers.filter_map(|peer| self.number.get(&peer).copied()));
            bonds += 2.0 * self.bonds(*k);
        }
        tiles.sort_unstable();
        tiles.dedup();
        let loads: f64 = tiles.iter().map(|i| self.tile(*i)).sum();
        lengths + loads + bonds
    }

    /// Half the perimeter of the box around a net.
    fn net(&self, net: usize) -> f64 {
        let ends = &self.placer.demand.nets[net];
        let places: Vec<TileLoc> = ends.iter().filter_map(|end| self.place_of(*end)).collect();
        let span = |of: fn(&TileLoc) -> u8| {
            let low = places.iter().map(of).min().unwrap_or(0);
            let high = places.iter().map(of).max().unwrap_or(0);
            f64::from(high - low)
        };
        let weight = if ends.len() > LARGE_NET { 2.0 } else { 1.0 };
        weight * (span(|l| l.col) + span(|l| l.row))
    }

    /// Penalty for demands of a tile beyond the resources of its place. Tiles that share a place
    /// bear the excess together.
    fn tile(&self, i: usize) -> f64 {
        let loc = self.at[i];
        let Some(model) = self.placer.model.tile(loc) else {
            return 0.0;
        };
        let sharing = || self.there.get(&loc).into_iter().flatten().copied();
        let mut needs = [0u32; 2];
        for k in sharing() {
            let handle = self.logical[k].handle;
            let own = self.placer.demand.channels(handle);
            let far = self.far_peers(handle, loc);
            needs[0] += own[0] + far[0];
            needs[1] += own[1] + far[1];
        }
        let have = channels_of(self.placer.model, loc);
        let excess = needs[0].saturating_sub(have[0]) + needs[1].saturating_sub(have[1]);
        let bytes: u64 = sharing().map(|k| self.bytes[k]).sum();
        let over = bytes.saturating_sub(model.memory_bytes.into());
        let share = sharing().count().max(1) as f64;
        (f64::from(excess) * CHANNEL_PENALTY + over as f64 / 1024.0 * MEMORY_PENALTY) / share
    }

    /// Fifo peers of a core that share no memory with it here, from and to: each needs a channel.
    fn far_peers(&self, handle: Value, loc: TileLoc) -> [u32; 2] {
        let is_far =
            |place: TileLoc| place != loc && !are_neighbours(self.placer.model, loc, place);
        let far = |peer: &&Value| self.place_of(**peer).is_some_and(is_far);
        let peers = self.placer.demand.peer_lists(handle);
        peers.map(|list| list.iter().filter(far).count() as u32)
    }

    /// Cascades and shared buffers of a tile whose ends aren't neighbours: half of the cost, as
    /// the other end counts them too.
    fn bonds(&self, i: usize) -> f64 {
        let mut cost = 0.0;
        let here = self.at[i];
        for (role, other) in self.placer.demand.bonds(self.logical[i].handle) {
            let Some(there) = self.place_of(*other) else {
                continue;
            };
            let near = match role {
                NeighbourRole::CascadeTo => self.placer.model.cascade_sides(here, there).is_some(),
                NeighbourRole::CascadeFrom => {
                    self.placer.model.cascade_sides(there, here).is_some()
                }
                NeighbourRole::Uses => self.placer.model.core_window_to(here, there).is_some(),
                NeighbourRole::UsedBy => self.placer.model.core_window_to(there, here).is_some(),
            };
            let hops = here.col.abs_diff(there.col) + here.row.abs_diff(there.row);
            if !near {
                cost += DISTANCE_PENALTY * f64::from(hops.max(1)) / 2.0;
            }
        }
        cost
    }
}
