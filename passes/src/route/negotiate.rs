//! Negotiated congestion: all nets are routed as if alone except for a price on occupied ports; nets
//! that share a port they can't share are taken off and routed again while the price rises, until
//! no such port is left. Packet resources of the switches (rule slots, arbiters, msels) take part:
//! a switch whose resources are exceeded raises the price of its connections, and its nets move.
//!
//! Nets without conflicts keep their routes. Everything is ordered by net number and node number,
//! so the result depends on the input only.

use std::collections::BTreeSet;

use aiec_device::switch::PortSide;
use aiec_device::{Port, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::allocation::{AllocationFailure, ArbiterAssignment, allocate, allocate_with_circuits};
use super::cuts::CutShapes;
use super::deadlock::RoutedNets;
use super::graph::Node;
use super::net::{Link, NetKind, Route, Unreachable};
use super::occupancy::Occupancy;
use super::packets::Overflow;
use super::problem::{Routing, RoutingFailure, RoutingProblem};
use super::search::{NetSearch, SearchScratch};
use super::turns::{ORDERS, TurnOrder};
use super::waits::WaitCycle;

/// Iterations in which packet streams of different groups share no port.
const SEPARATE_ITERATIONS: usize = 40;
/// Further iterations in which they may share ports.
const SHARING_ITERATIONS: usize = 60;

/// Iterations after which all nets are routed again: a net without conflicts may block
/// those that have one.
const REROUTE_ALL_PERIOD: usize = 10;

/// Repairs of wait cycles before a turn order is imposed.
const DEADLOCK_REPAIRS: usize = 8;

/// Repairs of wait cycles through memory before they are accepted, with a warning.
const MEMORY_REPAIRS: usize = 4;

/// Rounds without success after which all cuts are examined.
const ROUNDS_BEFORE_PROOF: usize = 6;

/// Rounds in which conflicts that are many must become fewer by a tenth.
const ROUNDS_OF_PROGRESS: usize = 5;

/// Rounds in which conflicts, however few, must become fewer: all nets are routed again in one of
/// them at least.
const MAX_ROUNDS_WITHOUT_PROGRESS: usize = REROUTE_ALL_PERIOD + ROUNDS_OF_PROGRESS;

/// Rounds in which the routes are examined for detours, at most.
const DETOUR_ROUNDS: usize = 3;

/// Routes all nets, or returns why not.
///
/// Packet streams of different groups share no ports at first, and may turn everywhere. When that
/// fails, or ends in wait cycles that a few repairs don't remove, everything is routed again under
/// one turn order after the other, unless it is far from a routing without any order, too. What is
/// found without one counts if no order leads to a routing.
pub(crate) fn solve(problem: &RoutingProblem<'_>) -> Result<Routing, RoutingFailure> {
    problem.rule_out(CutShapes::Bands)?;
    let first = attempt(problem, None, [SEPARATE_ITERATIONS, 0]);
    let packets = problem.has_packets();
    let limits = match &first {
        Err(RoutingFailure::Cyclic(_)) => [SEPARATE_ITERATIONS, SHARING_ITERATIONS],
        Err(RoutingFailure::Congested(..) | RoutingFailure::Exhausted(_)) if packets => {
            [0, SHARING_ITERATIONS]
        }
        _ => return first,
    };
    let far_away = |failure: &RoutingFailure| match failure {
        RoutingFailure::Congested(..) | RoutingFailure::Cut(_) => true,
        RoutingFailure::Exhausted(overflows) => overflows.len() > many_overflows(problem),
        _ => false,
    };
    let mut without_order = None;
    for turns in ORDERS {
        let found = attempt(problem, Some(turns), limits);
        if matches!(found, Ok(_) | Err(RoutingFailure::Cut(_))) {
            return found;
        }
        let free = without_order.get_or_insert_with(|| attempt(problem, None, limits));
        if free.as_ref().is_err_and(far_away) {
            // An order of turns forbids ways and opens none.
            break;
        }
    }
    without_order.unwrap_or(first)
}

/// Overflows of switches beyond which a routing is far from one that fits.
fn many_overflows(problem: &RoutingProblem<'_>) -> usize {
    problem.nets.len() / 8
}

/// Routes with a limited number of iterations with separate groups, then with groups that share ports.
fn attempt(
    problem: &RoutingProblem<'_>,
    turns: Option<TurnOrder>,
    [separate, sharing]: [usize; 2],
) -> Result<Routing, RoutingFailure> {
    let mut negotiation = Negotiation::new(problem, turns);
    negotiation.occupancy.share_unrelated = separate == 0;
    negotiation.route_all()?;
    let result = match separate {
        0 => negotiation.settle(sharing),
        _ => match negotiation.settle(separate) {
            Err(RoutingFailure::Cut(cut)) => Err(RoutingFailure::Cut(cut)),
            Err(_) if sharing > 0 => {
                negotiation.occupancy.share_unrelated = true;
                negotiation.occupancy.recount(problem.nets);
                negotiation.settle(sharing)
            }
            result => result,
        },
    };
    let assignment = result?;
    if negotiation.iterations > 1 {
        negotiation.remove_detours();
    }
    Ok(negotiation.solution(assignment))
}

/// The solution with some routes of circuits, without the detours that aren't needed.
pub(crate) fn improve(problem: &RoutingProblem<'_>, routes: Vec<Route>) -> Routing {
    let mut negotiation = Negotiation::new(problem, None);
    for (net, route) in routes.iter().enumerate() {
        negotiation.occupancy.add(problem.nets, net as u32, route);
    }
    negotiation.routes = routes;
    negotiation.remove_detours();
    negotiation.solution(ArbiterAssignment::default())
}

/// The excess of each round of a negotiation since one without any: conflicts, or overflows of
/// switches.
#[derive(Default)]
struct Progress {
    excess: Vec<usize>,
}

impl Progress {
    /// Whether further rounds lead nowhere, after one with this excess: it is more than `many` and hardly
    /// became less, or it hasn't become less for long. Prices disperse a crowd at once unless it is too
    /// large for its ports; the last few may take a while.
    fn is_hopeless(&mut self, excess: usize, many: usize) -> bool {
        if excess == 0 {
            self.excess.clear();
            return false;
        }
        self.excess.push(excess);
        let split = |rounds| {
            self.excess
                .split_at_checked(self.excess.len().checked_sub(rounds)?)
        };
        let crowded = split(ROUNDS_OF_PROGRESS).is_some_and(|(before, _)| {
            let before = before.last().copied().unwrap_or(usize::MAX);
            excess > many && excess > before - before / 10
        });
        let stuck = split(MAX_ROUNDS_WITHOUT_PROGRESS).is_some_and(|(before, since)| {
            let least = before.iter().min();
            least.is_some() && least <= since.iter().min()
        });
        crowded || stuck
    }
}

/// A routing with wait cycles through memory.
struct CyclicRouting {
    routes: Vec<Route>,
    assignment: ArbiterAssignment,
}

/// A negotiation under way.
struct Negotiation<'a> {
    problem: &'a RoutingProblem<'a>,
    occupancy: Occupancy,
    scratch: SearchScratch,
    routes: Vec<Route>,
    iterations: usize,
    /// The turn order in force.
    turns: Option<TurnOrder>,
    /// Repairs of wait cycles that are left.
    repairs: usize,
    /// Repairs of wait cycles through memory that are left.
    memory_repairs: usize,
    /// The routing with the fewest wait cycles through memory so far.
    cyclic: Option<CyclicRouting>,
}

impl<'a> Negotiation<'a> {
    fn new(problem: &'a RoutingProblem<'a>, turns: Option<TurnOrder>) -> Negotiation<'a> {
        let nodes = problem.graph.len();
        let mut occupancy = Occupancy::new(nodes);
        for (node, closed) in problem.closed {
            occupancy.close(*node, *closed);
        }
        Negotiation {
            problem,
            occupancy,
            scratch: SearchScratch::new(nodes),
            routes: vec![Route::default(); problem.nets.len()],
            iterations: 0,
            turns,
            repairs: DEADLOCK_REPAIRS,
            memory_repairs: MEMORY_REPAIRS,
            cyclic: None,
        }
    }

    fn route(&mut self, net: u32) -> Result<(), Unreachable> {
        let mut search = NetSearch {
            graph: self.problem.graph,
            nets: self.problem.nets,
            occupancy: &self.occupancy,
            turns: self.turns,
            scratch: &mut self.scratch,
        };
        let route = search.route(net)?;
        self.occupancy.add(self.problem.nets, net, &route);
        self.routes[net as usize] = route;
        Ok(())
    }

    fn routed(&self) -> RoutedNets<'_> {
        RoutedNets {
            problem: self.problem,
            routes: &self.routes,
        }
    }

    fn solution(self, assignment: ArbiterAssignment) -> Routing {
        Routing {
            unrelated: self.unrelated_sharing(),
            memory_cycles: assignment.memory_cycles,
            routes: self.routes,
            settings: assignment.settings,
            iterations: self.iterations,
            expanded: self.scratch.expanded,
        }
    }

    /// Removes detours of circuits that became needless when others moved. Packets keep their
    /// routes, as their arbiters and rules are allocated.
    fn remove_detours(&mut self) {
        self.occupancy.forbid_conflicts();
        let nets = self.problem.nets;
        for _ in 0..DETOUR_ROUNDS {
            let circuits =
                (0..nets.len() as u32).filter(|net| nets[*net as usize].kind == NetKind::Circuit);
            // all of them, whatever the first ones give
            let shorter = circuits.filter(|net| self.shorten(*net)).count();
            if shorter == 0 {
                break;
            }
        }
    }

    /// Routes a net again while the others stay, and keeps the shorter route; returns whether that
    /// is the new one.
    fn shorten(&mut self, net: u32) -> bool {
        let nets = self.problem.nets;
        let old = std::mem::take(&mut self.routes[net as usize]);
        self.occupancy.remove(nets, net, &old);
        let before = self.occupancy.total_conflicts();
        let routed = self.route(net).is_ok();
        let new = &self.routes[net as usize];
        let fits = routed && self.occupancy.total_conflicts() == before;
        if fits && new.links.len() < old.links.len() {
            return true;
        }
        if routed {
            let new = std::mem::take(&mut self.routes[net as usize]);
            self.occupancy.remove(nets, net, &new);
        }
        self.occupancy.add(nets, net, &old);
        self.routes[net as usize] = old;
        false
    }

    fn route_all(&mut self) -> Result<(), RoutingFailure> {
        let nets = 0..self.problem.nets.len() as u32;
        self.route_these(nets)
    }

    fn route_these(&mut self, nets: impl IntoIterator<Item = u32>) -> Result<(), RoutingFailure> {
        let mut lost = Vec::new();
        for net in nets {
            lost.extend(self.route(net).err().map(|why| (net, why)));
        }
        if lost.is_empty() {
            Ok(())
        } else {
            Err(RoutingFailure::Unreachable(lost))
        }
    }

    /// Repairs conflicts until none is left; returns the packet settings.
    fn settle(&mut self, limit: usize) -> Result<ArbiterAssignment, RoutingFailure> {
        self.negotiate(limit).or_else(|failure| {
            let known = self.cyclic.take().ok_or(failure)?;
            Ok(self.restore(known))
        })
    }

    fn negotiate(&mut self, limit: usize) -> Result<ArbiterAssignment, RoutingFailure> {
        let (mut dispersal, mut relief) = (Progress::default(), Progress::default());
        for _ in 0..limit {
            self.iterations += 1;
            let conflicts = self.occupancy.total_conflicts();
            if dispersal.is_hopeless(conflicts, self.problem.nets.len()) {
                break;
            }
            if conflicts > 0 {
                if self.iterations == ROUNDS_BEFORE_PROOF {
                    self.problem.rule_out(CutShapes::All)?;
                }
                let congested = self.congested();
                self.occupancy.raise(&congested);
                let nets = match self.iterations % REROUTE_ALL_PERIOD {
                    0 => (0..self.problem.nets.len() as u32).collect(),
                    _ => self.losers(&congested),
                };
                self.reroute(nets)?;
                continue;
            }
            let allocated = allocate(self.routed(), self.orders());
            let overflows = match &allocated {
                Err(AllocationFailure::Overflows(overflows)) => overflows.len(),
                _ => 0,
            };
            if relief.is_hopeless(overflows, many_overflows(self.problem)) {
                break;
            }
            let nets = match allocated {
                Ok(assignment) => match self.repair_memory_cycles(assignment) {
                    Ok(assignment) => return Ok(assignment),
                    Err(nets) => nets,
                },
                Err(AllocationFailure::Overflows(overflows)) => self.relieve(&overflows),
                Err(AllocationFailure::Cyclic(cycles, settings)) => {
                    if self.repairs == 0 {
                        return Err(self.routed().cyclic_failure(&cycles, &settings));
                    }
                    self.repair_cycles(&cycles)
                }
            };
            self.reroute(nets)?;
        }
        if self.occupancy.total_conflicts() > 0 {
            let users = |node: Node| (node, self.occupancy.users(node).to_vec());
            let ports = self.congested().into_iter().map(users);
            return Err(RoutingFailure::Congested(
                ports.collect(),
                self.routes.clone(),
            ));
        }
        let last = allocate(self.routed(), self.orders()).or_else(|why| {
            let found = allocate_with_circuits(self.routed(), self.orders());
            found.ok_or(why)
        });
        last.map_err(|why| match why {
            AllocationFailure::Overflows(overflows) => {
                let links = self.links_by_tile();
                let describe = |(tile, overflow): (TileLoc, Overflow)| {
                    let links = links.get(&tile).into_iter().flatten();
                    let involved = links.filter(|(_, link)| self.takes_part(*link, &overflow));
                    let mut nets: Vec<u32> = involved.map(|(net, _)| *net).collect();
                    nets.dedup();
                    (tile, overflow, nets)
                };
                RoutingFailure::Exhausted(overflows.into_iter().map(describe).collect())
            }
            AllocationFailure::Cyclic(cycles, settings) => {
                self.routed().cyclic_failure(&cycles, &settings)
            }
        })
    }

    fn reroute(&mut self, nets: BTreeSet<u32>) -> Result<(), RoutingFailure> {
        // Nets are routed one by one: each sees all others, so that pairs don't swap places without
        // end.
        for net in nets {
            let route = std::mem::take(&mut self.routes[net as usize]);
            self.occupancy.remove(self.problem.nets, net, &route);
            self.route_these([net])?;
        }
        Ok(())
    }

    fn congested(&self) -> Vec<Node> {
        let nodes = 0..self.problem.graph.len() as Node;
        nodes.filter(|n| self.occupancy.in_conflict(*n)).collect()
    }

    /// The nets that must look for another way: all at a congested port, but control streams only
    /// if they are among themselves.
    fn losers(&self, congested: &[Node]) -> BTreeSet<u32> {
        let mut losers = BTreeSet::new();
        for node in congested {
            let users = self.occupancy.users(*node);
            let ordinary = |net: &u32| !self.problem.nets[*net as usize].priority;
            let some_ordinary = users.iter().any(ordinary);
            losers.extend(
                users
                    .iter()
                    .copied()
                    .filter(|n| !some_ordinary || ordinary(n)),
            );
        }
        losers
    }

    /// The turn orders by whose phases arbiters may be assigned: the one in force, else any.
    fn orders(&self) -> &[TurnOrder] {
        match &self.turns {
            Some(order) => std::slice::from_ref(order),
            None => &ORDERS,
        }
    }

    /// Raises the price of the connections that lead into wait cycles; returns the nets to route
    /// again.
    fn repair_cycles(&mut self, cycles: &[WaitCycle]) -> BTreeSet<u32> {
        self.repairs -= 1;
        for cycle in cycles {
            for (_, link) in self.routed().links_into(cycle, false) {
                self.occupancy.discourage(link);
            }
        }
        let mut nets = BTreeSet::new();
        nets.extend(cycles.iter().flat_map(|c| self.routed().nets_of(c)));
        nets
    }

    /// Accepts a routing if it has no wait cycles through memory, or if nothing is left to be done
    /// about them: then the best one. Otherwise raises the price of the connections that lead into
    /// them; returns the nets to route again.
    fn repair_memory_cycles(
        &mut self,
        assignment: ArbiterAssignment,
    ) -> Result<ArbiterAssignment, BTreeSet<u32>> {
        if assignment.memory_cycles.is_empty() {
            return Ok(assignment);
        }
        let mut nets = BTreeSet::new();
        if self.memory_repairs > 0 {
            self.memory_repairs -= 1;
            for cycle in &assignment.memory_cycles {
                for (net, link) in self.routed().links_into(cycle, true) {
                    self.occupancy.discourage(link);
                    nets.insert(net);
                }
            }
        }
        let best = match self.cyclic.take() {
            Some(known) if known.assignment.weight() <= assignment.weight() => known,
            _ => CyclicRouting {
                routes: self.routes.clone(),
                assignment,
            },
        };
        if nets.is_empty() {
            return Ok(self.restore(best));
        }
        self.cyclic = Some(best);
        Err(nets)
    }

    /// Goes back to a routing with wait cycles through memory; circuits may remove some.
    fn restore(&mut self, known: CyclicRouting) -> ArbiterAssignment {
        let nets = self.problem.nets;
        for (net, route) in self.routes.iter().enumerate() {
            self.occupancy.remove(nets, net as u32, route);
        }
        self.routes = known.routes;
        for (net, route) in self.routes.iter().enumerate() {
            self.occupancy.add(nets, net as u32, route);
        }
        let better = |found: &ArbiterAssignment| found.weight() < known.assignment.weight();
        let found = allocate_with_circuits(self.routed(), self.orders()).filter(better);
        found.unwrap_or(known.assignment)
    }

    /// The connections of packet nets inside each switch, net by net.
    fn links_by_tile(&self) -> FxHashMap<TileLoc, Vec<(u32, Link)>> {
        let mut links: FxHashMap<TileLoc, Vec<(u32, Link)>> = FxHashMap::default();
        for (net, route) in self.routes.iter().enumerate() {
            if self.problem.nets[net].kind == NetKind::Circuit {
                continue;
            }
            for link in &route.links {
                let tile = self.problem.graph.info(link.0).tile;
                links.entry(tile).or_default().push((net as u32, *link));
            }
        }
        links
    }

    /// Whether a connection inside a switch takes part in an overflow of it.
    fn takes_part(&self, (slave, master): Link, overflow: &Overflow) -> bool {
        let graph = self.problem.graph;
        match overflow {
            Overflow::Slots { slave: port } => graph.info(slave).port == *port,
            Overflow::Arbiters { masters, .. } => masters.contains(&graph.info(master).port),
        }
    }

    /// Raises the price of the connections after overflows, except for the most used one of each
    /// input; returns the nets to route again.
    fn relieve(&mut self, overflows: &[(TileLoc, Overflow)]) -> BTreeSet<u32> {
        let mut nets = BTreeSet::new();
        let links_by_tile = self.links_by_tile();
        for (tile, overflow) in overflows {
            let links = links_by_tile.get(tile).into_iter().flatten();
            let links = links.filter(|(_, link)| self.takes_part(*link, overflow));
            let links: Vec<(u32, Link)> = links.copied().collect();
            let mut uses: FxHashMap<Link, usize> = FxHashMap::default();
            for (net, link) in &links {
                *uses.entry(*link).or_default() += 1;
                nets.insert(*net);
            }
            let mut favourite: FxHashMap<Node, (usize, Node)> = FxHashMap::default();
            for ((slave, master), count) in &uses {
                let best = favourite.entry(*slave).or_default();
                *best = (*best).max((*count, *master));
            }
            for (slave, master) in uses.into_keys() {
                if favourite.get(&slave).is_some_and(|best| best.1 != master) {
                    self.occupancy.discourage((slave, master));
                }
            }
            if let Overflow::Slots { slave } = overflow {
                self.occupancy.scarce_rules = true;
                self.discourage_wire_into(*tile, *slave);
            }
        }
        nets
    }

    /// Raises the price of the master that feeds an input, so that streams come in elsewhere.
    fn discourage_wire_into(&mut self, tile: TileLoc, slave: Port) {
        let graph = self.problem.graph;
        if let Some((from, master)) = graph.device.wire_into(tile, slave)
            && let Some(node) = graph.node(from, PortSide::Master, master)
        {
            self.occupancy.discourage_node(node);
        }
    }

    /// Pairs of nets of different groups that share a port.
    fn unrelated_sharing(&self) -> FxHashSet<(u32, u32)> {
        let mut pairs = FxHashSet::default();
        for node in 0..self.problem.graph.len() as Node {
            let users = self.occupancy.users(node);
            for (at, a) in users.iter().enumerate() {
                for b in &users[..at] {
                    let group = |net: &u32| self.problem.nets[*net as usize].group;
                    if group(a) != group(b) {
                        pairs.insert((*a.min(b), *a.max(b)));
                    }
                }
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_until_hopeless(
        excess: impl IntoIterator<Item = usize>,
        many: usize,
    ) -> Option<usize> {
        let mut progress = Progress::default();
        excess
            .into_iter()
            .position(|excess| progress.is_hopeless(excess, many))
    }

    #[test]
    fn crowds_that_stay_are_given_up_soon() {
        let standing = [9_000, 8_100, 8_000, 7_990, 7_985, 7_980, 7_978];
        assert_eq!(rounds_until_hopeless(standing, 500), Some(6));
        let falling = (0..60).map(|round| 9_000 >> (round / 4));
        assert_eq!(rounds_until_hopeless(falling.take(40), 5), None);
    }

    #[test]
    fn few_conflicts_may_last_but_not_without_end() {
        let last = std::iter::repeat_n(4, 60);
        assert_eq!(
            rounds_until_hopeless(last, 500),
            Some(MAX_ROUNDS_WITHOUT_PROGRESS)
        );
        // Each time that none is left the count begins again.
        let now_and_then = (0..60).map(|round| usize::from(round % 10 > 0));
        assert_eq!(rounds_until_hopeless(now_and_then, 500), None);
        let slowly = (0..60).map(|round| 100 - round);
        assert_eq!(rounds_until_hopeless(slowly, 500), None);
    }
}
