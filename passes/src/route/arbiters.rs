//! Arbiter assignment for routes that are fixed: which outputs share an arbiter in the switches
//! that have more clusters of outputs than arbiters, so that no wait cycle is left.
//!
//! A satisfiability problem: each cluster has one arbiter, and the clusters of an arbiter need no
//! more msels than it has. Each wait cycle that a solution still has ([`short_cycles`]) says which
//! pairs of clusters must not all share at once, until a solution has none or there is none.

use std::collections::BTreeSet;

use aiec_device::{Port, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::deadlock::RoutedNets;
use super::memory::Memory;
use super::packets::{OutputCluster, SwitchDemand, clusters};
use super::problem::AllSettings;
use super::sat::{Answer, Lit, Solver};
use super::waits::{ShortCycle, short_cycles};

/// Solutions whose wait cycles are looked at.
const MAX_ROUNDS: usize = 40;
/// Conflicts of the solver in one search.
const MAX_CONFLICTS: u64 = 5_000;

/// The arbiter of each output, by switch.
pub(super) type ArbiterChoice = FxHashMap<TileLoc, FxHashMap<Port, u8>>;

/// A cluster of outputs in a switch with a choice of arbiters.
struct ClusterChoice {
    tile: TileLoc,
    outputs: BTreeSet<Port>,
    nets: BTreeSet<u32>,
    /// Whether it has each arbiter.
    has: Vec<Lit>,
}

struct ArbiterSearch<'a> {
    routing: RoutedNets<'a>,
    solver: Solver,
    clusters: Vec<ClusterChoice>,
    /// The clusters of each switch.
    of_tile: FxHashMap<TileLoc, Vec<usize>>,
    /// Whether two clusters share an arbiter; made true by the solver if they do.
    shared: FxHashMap<(usize, usize), Lit>,
}

/// Settings without wait cycles for some routes, beginning at settings with some; `None` if there
/// are none, or none were found within the limits. `allocate` makes settings of a choice.
pub(super) fn search(
    routing: RoutedNets<'_>,
    demands: &FxHashMap<TileLoc, SwitchDemand>,
    start: &AllSettings,
    memory: Option<&Memory>,
    allocate: impl Fn(&ArbiterChoice) -> Option<AllSettings>,
) -> Option<AllSettings> {
    let mut search = ArbiterSearch {
        routing,
        solver: Solver::new(),
        clusters: Vec::new(),
        of_tile: FxHashMap::default(),
        shared: FxHashMap::default(),
    };
    for tile in routing.problem.graph.device.tiles() {
        if let Some(demand) = demands.get(&tile) {
            search.add_switch(tile, demand, start);
        }
    }
    if search.clusters.is_empty() {
        return None;
    }
    let mut settings = start.clone();
    for _ in 0..MAX_ROUNDS {
        let cycles = short_cycles(&routing.streams(&settings), memory);
        if cycles.is_empty() {
            return Some(settings);
        }
        for cycle in &cycles {
            search.exclude(cycle, &settings)?;
        }
        let left = MAX_CONFLICTS.checked_sub(search.solver.conflicts)?;
        if search.solver.solve(&[], left) != Answer::Solved {
            return None;
        }
        settings = allocate(&search.choice())?;
    }
    None
}

impl ArbiterSearch<'_> {
    /// Adds the clusters of a switch if there are more than arbiters. Where packet settings are
    /// written by hand everything stays as it is.
    fn add_switch(&mut self, tile: TileLoc, demand: &SwitchDemand, start: &AllSettings) {
        let problem = self.routing.problem;
        let by_hand = problem.taken.get(&tile);
        let mut list = clusters(demand);
        let crowded = list.len() > usize::from(problem.arbiters);
        let Some(settings) = start.get(&tile) else {
            return;
        };
        if !crowded || by_hand.is_some_and(|taken| !taken.is_empty()) {
            return;
        }
        let arbiter = |outputs: &BTreeSet<Port>| {
            let amsels = settings.masters.get(outputs.first()?)?;
            Some(amsels.first()?.arbiter)
        };
        // Arbiters are interchangeable: the first cluster of arbiter 0 may have no other one, the
        // first one of arbiter 1 none beyond that, and so on.
        let mut seen = FxHashSet::default();
        list.sort_by_key(|cluster| arbiter(&cluster.masters));
        let is_first = |cluster: &OutputCluster<'_>| seen.insert(arbiter(&cluster.masters));
        let (mut list, others): (Vec<_>, Vec<_>) = list.into_iter().partition(is_first);
        list.extend(others);
        let msels = usize::from(problem.graph.device.arch_model().msels);
        let mut selects: Vec<Vec<Lit>> = vec![Vec::new(); problem.arbiters.into()];
        for (at, cluster) in list.into_iter().enumerate() {
            let choices = selects.len().min(at + 1);
            let has: Vec<Lit> = (0..choices).map(|_| self.solver.variable()).collect();
            self.solver.clause(has.iter().copied());
            self.solver.at_most(1, &has);
            let now = arbiter(&cluster.masters).map_or(0, usize::from);
            if let Some(lit) = has.get(now) {
                self.solver.prefer(*lit);
            }
            for (lit, selects) in has.iter().zip(&mut selects) {
                selects.extend(cluster.sets.iter().map(|_| *lit));
            }
            let known = self.of_tile.entry(tile).or_default();
            known.push(self.clusters.len());
            self.clusters.push(ClusterChoice {
                tile,
                outputs: cluster.masters,
                nets: cluster.nets,
                has,
            });
        }
        for selects in selects {
            self.solver.at_most(msels, &selects);
        }
    }

    /// The arbiters of the solver's solution.
    fn choice(&self) -> ArbiterChoice {
        let mut choice = ArbiterChoice::default();
        for cluster in &self.clusters {
            let mut arbiters = 0..cluster.has.len() as u8;
            let arbiter = arbiters.find(|a| self.solver.holds(cluster.has[usize::from(*a)]));
            let outputs = choice.entry(cluster.tile).or_default();
            outputs.extend(cluster.outputs.iter().map(|o| (*o, arbiter.unwrap_or(0))));
        }
        choice
    }

    /// Says that the clusters on which a wait cycle depends don't all share their arbiters; `None`
    /// if it depends on no choice.
    fn exclude(&mut self, cycle: &ShortCycle, settings: &AllSettings) -> Option<()> {
        let mut pairs = BTreeSet::new();
        for wait in &cycle.waits {
            let here = |net| self.on_arbiter(settings, wait.tile, wait.arbiter, net);
            let (waiting, occupying) = (here(wait.waiting), here(wait.occupying));
            for a in &waiting {
                let others = waiting.iter().chain(&occupying).filter(|b| *b != a);
                pairs.extend(others.map(|b| (*a.min(b), *a.max(b))));
            }
        }
        // A stream that passes a switch twice by one arbiter waits for itself in between.
        for net in &cycle.nets {
            for list in self.of_tile.values() {
                let mine = |at: &&usize| self.clusters[**at].nets.contains(&(*net as u32));
                let mine: Vec<usize> = list.iter().filter(mine).copied().collect();
                for (at, a) in mine.iter().enumerate() {
                    let arbiter = |c: usize| self.arbiter_of(settings, c);
                    let shares = |b: &&usize| arbiter(**b) == arbiter(*a);
                    pairs.extend(mine[at + 1..].iter().filter(shares).map(|b| (*a, *b)));
                }
            }
        }
        if pairs.is_empty() {
            return None;
        }
        let clause: Vec<Lit> = pairs.into_iter().map(|pair| !self.shares(pair)).collect();
        self.solver.clause(clause);
        Some(())
    }

    /// The clusters of a net that have an arbiter of a switch.
    fn on_arbiter(
        &self,
        settings: &AllSettings,
        tile: TileLoc,
        arbiter: u8,
        net: usize,
    ) -> Vec<usize> {
        let list = self.of_tile.get(&tile).into_iter().flatten().copied();
        list.filter(|at| self.clusters[*at].nets.contains(&(net as u32)))
            .filter(|at| self.arbiter_of(settings, *at) == Some(arbiter))
            .collect()
    }

    fn arbiter_of(&self, settings: &AllSettings, cluster: usize) -> Option<u8> {
        let cluster = &self.clusters[cluster];
        let masters = &settings.get(&cluster.tile)?.masters;
        let amsels = masters.get(cluster.outputs.first()?)?;
        Some(amsels.first()?.arbiter)
    }

    /// The literal that holds if two clusters share an arbiter.
    fn shares(&mut self, pair: (usize, usize)) -> Lit {
        if let Some(known) = self.shared.get(&pair) {
            return *known;
        }
        let both = self.solver.variable();
        let [a, b] = [pair.0, pair.1].map(|at| &self.clusters[at].has);
        for (a, b) in a.iter().zip(b) {
            self.solver.clause([!*a, !*b, both]);
        }
        self.shared.insert(pair, both);
        both
    }
}
