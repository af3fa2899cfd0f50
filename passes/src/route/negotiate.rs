//! Negotiated congestion: all nets are routed as if alone but for a price on occupied ports; nets
//! that share a port they can't share are taken off and routed again while the price rises, until
//! no such port is left. Packet resources of the switches (rule slots, arbiters, msels) take part:
//! a switch that asks for too much makes its connections dearer and its nets move.
//!
//! Nets without conflicts keep their routes. Everything is ordered by net number and node number,
//! so the result depends on the input only.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{Port, TileLoc};

use super::cuts::{self, Cut, Shapes};
use super::exact::{Limit, Proof};
use super::graph::{Node, SwitchGraph};
use super::memory::Memory;
use super::net::{Link, Net, NetKind, Route, Unreachable};
use super::occupancy::{Closed, Occupancy};
use super::packets::{Demand, Offer, Overflow, Phases, Settings, allocate};
use super::search::{Scratch, Search};
use super::turns::{ORDERS, TurnOrder};
use super::untie::{AllSettings, Dealt, Tangled};
use super::waits::{Circle, Resource, Stream};
use crate::analysis::switches::Amsel;

/// Iterations in which packet streams of different groups keep apart.
const APART_ITERATIONS: usize = 40;
/// Further iterations in which they may share ports.
const SHARING_ITERATIONS: usize = 60;

/// Every so many iterations all nets are routed again: a net without conflicts may stand in the
/// way of those that have one.
const SHAKE_PERIOD: usize = 10;

/// Repairs of circular waits before a turn order is imposed.
const CIRCLE_REPAIRS: usize = 8;

/// Repairs of waits through memory before they are accepted, with a warning.
const LOOSENINGS: usize = 4;

/// Rounds without success after which all cuts are looked at.
const ROUNDS_BEFORE_PROOF: usize = 6;

/// How often the routes that were found are looked at for detours, at most.
const STRAIGHTENING_ROUNDS: usize = 3;

/// What the router was given.
pub(crate) struct Problem<'a> {
    /// The graph.
    pub graph: &'a SwitchGraph,
    /// What to route.
    pub nets: &'a [Net],
    /// Nodes that fixed settings use, and whom they keep off.
    pub closed: &'a [(Node, Closed)],
    /// Fixed packet settings.
    pub fixed: &'a BTreeMap<TileLoc, Settings>,
    /// Amsels that fixed settings use.
    pub taken: &'a BTreeMap<TileLoc, BTreeSet<Amsel>>,
    /// Packets of fixed settings; their names don't matter.
    pub fixed_streams: &'a [Stream],
    /// Waits through memory.
    pub memory: &'a Memory,
}

impl Problem<'_> {
    /// Nodes that no net may use. Hand-written packet ports are among them if there are no packets
    /// to add to them.
    pub fn blocked(&self) -> Vec<Node> {
        let packets = self.nets.iter().any(|net| net.kind != NetKind::Circuit);
        let closed = self.closed.iter();
        let all = closed.filter(|(_, closed)| !packets || *closed == Closed::ALL);
        all.map(|(node, _)| *node).collect()
    }

    /// Fails if a cut proves that there is no routing.
    fn rule_out(&self, shapes: Shapes) -> Result<(), Failure> {
        match cuts::tightest(self.graph, self.nets, &self.blocked(), shapes) {
            Some(cut) => Err(Failure::Cut(cut)),
            None => Ok(()),
        }
    }
}

/// A legal routing of all nets.
#[derive(Debug)]
pub(crate) struct Solution {
    /// One per net.
    pub routes: Vec<Route>,
    /// Packet settings of the switches that packets pass.
    pub settings: BTreeMap<TileLoc, Settings>,
    /// Rounds of the negotiation.
    pub iterations: usize,
    /// Nodes looked at by the searches.
    pub expanded: u64,
    /// Pairs of nets of different groups that share a port.
    pub strangers: BTreeSet<(u32, u32)>,
    /// Circular waits through memory: nets (a number beyond them stands for hand-written settings)
    /// and what they share.
    pub tangles: Vec<Circle>,
}

/// Why there is no routing, as far as the negotiation knows.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Sinks that no path leads to, with their net.
    Unreachable(Vec<(u32, Unreachable)>),
    /// More streams than wires across a border: proof that there is no routing.
    Cut(Cut),
    /// Ports that were still wanted by several nets when the iterations were used up, and the
    /// routes that want them.
    Congested(Vec<(Node, Vec<u32>)>, Vec<Route>),
    /// Switches that were still asked for too much, with the nets that pass there.
    Exhausted(Vec<(TileLoc, Overflow, Vec<u32>)>),
    /// Nets whose packets could wait for each other for ever.
    Circular(Circular),
    /// The complete search found that there is no routing.
    Proved(Proof),
    /// Neither a routing nor a proof: what negotiation says, and where the complete search ended.
    GaveUp(Box<Failure>, Limit),
}

/// Circular waits that are left.
#[derive(Debug)]
pub(crate) struct Circular {
    /// All nets that take part in some.
    pub nets: Vec<u32>,
    /// The switches where.
    pub tiles: Vec<TileLoc>,
    /// A circle of few: nets with what they hold, each waiting for what the next one holds.
    pub example: Vec<(usize, Resource)>,
}

/// Routes all nets, or says what is in the way.
///
/// Packet streams of different groups keep apart at first, and turn as they like. When that leads
/// nowhere, or to circular waits that a few repairs don't remove, everything is routed again under
/// one turn order after the other, and at last without one.
pub(crate) fn solve(problem: &Problem<'_>) -> Result<Solution, Failure> {
    problem.rule_out(Shapes::Bands)?;
    let first = attempt(problem, None, [APART_ITERATIONS, 0]);
    let packets = problem.nets.iter().any(|net| net.kind != NetKind::Circuit);
    let limits = match &first {
        Err(Failure::Circular(_)) => [APART_ITERATIONS, SHARING_ITERATIONS],
        Err(Failure::Congested(..) | Failure::Exhausted(_)) if packets => [0, SHARING_ITERATIONS],
        _ => return first,
    };
    let mut last = first;
    for turns in ORDERS.into_iter().map(Some).chain([None]) {
        last = attempt(problem, turns, limits);
        if matches!(last, Ok(_) | Err(Failure::Cut(_))) {
            break;
        }
    }
    last
}

/// Routes with at most so many iterations with groups apart, then with groups that share ports.
fn attempt(
    problem: &Problem<'_>,
    turns: Option<TurnOrder>,
    [apart, sharing]: [usize; 2],
) -> Result<Solution, Failure> {
    let mut negotiation = Negotiation::new(problem, turns);
    negotiation.occupancy.share_unrelated = apart == 0;
    negotiation.route_all()?;
    let result = match apart {
        0 => negotiation.resolve_masked_writes(sharing),
        _ => match negotiation.resolve_masked_writes(apart) {
            Err(Failure::Cut(cut)) => Err(Failure::Cut(cut)),
            Err(_) if sharing > 0 => {
                negotiation.occupancy.share_unrelated = true;
                negotiation.occupancy.recount(problem.nets);
                negotiation.resolve_masked_writes(sharing)
            }
            result => result,
        },
    };
    let dealt = result?;
    if negotiation.iterations > 1 {
        negotiation.straighten();
    }
    Ok(negotiation.solution(dealt))
}

/// The solution with some routes of circuits, without the detours that aren't needed.
pub(crate) fn improve(problem: &Problem<'_>, routes: Vec<Route>) -> Solution {
    let mut negotiation = Negotiation::new(problem, None);
    for (net, route) in routes.iter().enumerate() {
        negotiation.occupancy.add(problem.nets, net as u32, route);
    }
    negotiation.routes = routes;
    negotiation.straighten();
    negotiation.solution(Dealt::default())
}

/// Why routes without conflicts don't do yet.
enum Unsettled {
    /// Switches are asked for too much.
    Overflows(Vec<(TileLoc, Overflow)>),
    /// Packets could wait for each other in circles with these settings.
    Circles(Vec<Circle>, AllSettings),
}

/// A negotiation under way.
pub(super) struct Negotiation<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) occupancy: Occupancy,
    scratch: Scratch,
    pub(super) routes: Vec<Route>,
    iterations: usize,
    /// The turn order in force.
    pub(super) turns: Option<TurnOrder>,
    /// Repairs of circular waits that are left.
    pub(super) repairs: usize,
    /// Repairs of waits through memory that are left.
    pub(super) loosenings: usize,
    /// The best routing so far but for waits through memory.
    pub(super) tangled: Option<Tangled>,
}

impl<'a> Negotiation<'a> {
    fn new(problem: &'a Problem<'a>, turns: Option<TurnOrder>) -> Negotiation<'a> {
        let nodes = problem.graph.len();
        let mut occupancy = Occupancy::new(nodes);
        for (node, closed) in problem.closed {
            occupancy.close(*node, *closed);
        }
        Negotiation {
            problem,
            occupancy,
            scratch: Scratch::new(nodes),
            routes: vec![Route::default(); problem.nets.len()],
            iterations: 0,
            turns,
            repairs: CIRCLE_REPAIRS,
            loosenings: LOOSENINGS,
            tangled: None,
        }
    }

    fn route(&mut self, net: u32) -> Result<(), Unreachable> {
        let mut search = Search {
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

    fn solution(self, dealt: Dealt) -> Solution {
        Solution {
            strangers: self.strangers(),
            tangles: dealt.tangles,
            routes: self.routes,
            settings: dealt.settings,
            iterations: self.iterations,
            expanded: self.scratch.expanded,
        }
    }

    /// Takes detours out of circuits that became needless when others moved. Packets stay, as
    /// their arbiters and rules are dealt.
    fn straighten(&mut self) {
        self.occupancy.forbid_conflicts();
        let nets = self.problem.nets;
        for _ in 0..STRAIGHTENING_ROUNDS {
            let circuits =
                (0..nets.len() as u32).filter(|net| nets[*net as usize].kind == NetKind::Circuit);
            // all of them, whatever the first ones give
            let shorter = circuits.filter(|net| self.shorten(*net)).count();
            if shorter == 0 {
                break;
            }
        }
    }

    /// Routes a net again while the others stay, and keeps the shorter route; answers whether that
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

    fn route_all(&mut self) -> Result<(), Failure> {
        let nets = 0..self.problem.nets.len() as u32;
        self.route_these(nets)
    }

    fn route_these(&mut self, nets: impl IntoIterator<Item = u32>) -> Result<(), Failure> {
        let mut lost = Vec::new();
        for net in nets {
            lost.extend(self.route(net).err().map(|why| (net, why)));
        }
        match lost.is_empty() {
            true => Ok(()),
            false => Err(Failure::Unreachable(lost)),
        }
    }

    /// Repairs conflicts until none is left; answers the packet settings.
    fn resolve_masked_writes(&mut self, limit: usize) -> Result<Dealt, Failure> {
        match self.negotiate(limit) {
            Err(failure) => self
                .tangled
                .take()
                .map(|known| self.restore(known))
                .ok_or(failure),
            dealt => dealt,
        }
    }

    fn negotiate(&mut self, limit: usize) -> Result<Dealt, Failure> {
        for _ in 0..limit {
            self.iterations += 1;
            if self.occupancy.total_conflicts() > 0 {
                if self.iterations == ROUNDS_BEFORE_PROOF {
                    self.problem.rule_out(Shapes::All)?;
                }
                let congested = self.congested();
                self.occupancy.raise(&congested);
                let nets = match self.iterations % SHAKE_PERIOD {
                    0 => (0..self.problem.nets.len() as u32).collect(),
                    _ => self.losers(&congested),
                };
                self.reroute(nets)?;
                continue;
            }
            let nets = match self.allocate() {
                Ok(dealt) => match self.loosen(dealt) {
                    Ok(dealt) => return Ok(dealt),
                    Err(nets) => nets,
                },
                Err(Unsettled::Overflows(overflows)) => self.relieve(&overflows),
                Err(Unsettled::Circles(circles, settings)) => self.untie(&circles, &settings)?,
            };
            self.reroute(nets)?;
        }
        if self.occupancy.total_conflicts() > 0 {
            let users = |node: Node| (node, self.occupancy.users(node).to_vec());
            let ports = self.congested().into_iter().map(users);
            return Err(Failure::Congested(ports.collect(), self.routes.clone()));
        }
        self.allocate().map_err(|why| match why {
            Unsettled::Overflows(overflows) => {
                let describe = |(tile, overflow): (TileLoc, Overflow)| {
                    let nets = self.involved(tile, &overflow);
                    (tile, overflow, nets)
                };
                Failure::Exhausted(overflows.into_iter().map(describe).collect())
            }
            Unsettled::Circles(circles, settings) => self.circular(&circles, &settings),
        })
    }

    fn reroute(&mut self, nets: BTreeSet<u32>) -> Result<(), Failure> {
        // One after the other: each sees all others, so that pairs don't swap places for ever.
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

    /// The packets at each switch.
    fn demands(&self) -> BTreeMap<TileLoc, Demand> {
        let mut demands: BTreeMap<TileLoc, Demand> = BTreeMap::new();
        for (number, (net, route)) in self.problem.nets.iter().zip(&self.routes).enumerate() {
            let NetKind::Packet(id) = net.kind else {
                continue;
            };
            for (slave, master) in &route.links {
                let (from, to) = (
                    self.problem.graph.info(*slave),
                    self.problem.graph.info(*master),
                );
                let demand = demands.entry(from.tile).or_default();
                let stream = demand.entry((from.port, id)).or_default();
                stream.masters.insert(to.port);
                stream.priority |= net.priority;
                stream.nets.insert(number as u32);
            }
        }
        demands
    }

    /// Packet settings for the routes, under the first turn order whose phases leave no circle;
    /// if each leaves some through memory, under the one that leaves least.
    fn allocate(&self) -> Result<Dealt, Unsettled> {
        let demands = self.demands();
        let mut first = None;
        let mut least: Option<Dealt> = None;
        for order in self.orders() {
            let settings = self.deal(&demands, *order).map_err(Unsettled::Overflows)?;
            let circles = self.circles(&settings);
            if !circles.is_empty() {
                first.get_or_insert((circles, settings));
                continue;
            }
            let tangles = self.tangles(&settings);
            let dealt = Dealt { settings, tangles };
            if dealt.tangles.is_empty() {
                return Ok(dealt);
            }
            if least
                .as_ref()
                .is_none_or(|known| dealt.weight() < known.weight())
            {
                least = Some(dealt);
            }
        }
        least.ok_or_else(|| {
            let (circles, settings) = first.unwrap_or_default();
            Unsettled::Circles(circles, settings)
        })
    }

    /// Deals arbiters, msels and rules to what passes the switches.
    fn deal(
        &self,
        demands: &BTreeMap<TileLoc, Demand>,
        order: TurnOrder,
    ) -> Result<AllSettings, Vec<(TileLoc, Overflow)>> {
        let device = self.problem.graph.device;
        let (nothing, unset) = (BTreeSet::new(), Settings::default());
        let mut settings = BTreeMap::new();
        let mut overflows = Vec::new();
        for (tile, demand) in demands {
            let phases = |port: Port| match device.wire_from(*tile, port) {
                Some(_) => order.phases(port.bundle),
                None => Phases::END,
            };
            let offer = Offer {
                arch: device.arch_model(),
                taken: self.problem.taken.get(tile).unwrap_or(&nothing),
                fixed: self.problem.fixed.get(tile).unwrap_or(&unset),
                phases: &phases,
                tangles: &|nets, others| self.tangled_pairs(nets, others),
            };
            match allocate(&offer, demand) {
                Ok(found) => _ = settings.insert(*tile, found),
                Err(list) => overflows.extend(list.into_iter().map(|what| (*tile, what))),
            }
        }
        match overflows.is_empty() {
            true => Ok(settings),
            false => Err(overflows),
        }
    }

    /// The connections of packet nets inside a switch that take part in an overflow.
    fn links_of(&self, tile: TileLoc, overflow: &Overflow) -> Vec<(u32, Link)> {
        let mut list = Vec::new();
        for (net, route) in self.routes.iter().enumerate() {
            if self.problem.nets[net].kind == NetKind::Circuit {
                continue;
            }
            for (slave, master) in &route.links {
                let (from, to) = (
                    self.problem.graph.info(*slave),
                    self.problem.graph.info(*master),
                );
                let concerned = match overflow {
                    Overflow::Slots { slave } => from.port == *slave,
                    Overflow::Arbiters { masters, .. } => masters.contains(&to.port),
                };
                if from.tile == tile && concerned {
                    list.push((net as u32, (*slave, *master)));
                }
            }
        }
        list
    }

    fn involved(&self, tile: TileLoc, overflow: &Overflow) -> Vec<u32> {
        let nets: BTreeSet<u32> = self.links_of(tile, overflow).iter().map(|l| l.0).collect();
        nets.into_iter().collect()
    }

    /// Makes the connections behind overflows dearer, but for the most used one of each input;
    /// answers the nets to route again.
    fn relieve(&mut self, overflows: &[(TileLoc, Overflow)]) -> BTreeSet<u32> {
        let mut nets = BTreeSet::new();
        for (tile, overflow) in overflows {
            let links = self.links_of(*tile, overflow);
            let mut uses: BTreeMap<Link, usize> = BTreeMap::new();
            for (net, link) in &links {
                *uses.entry(*link).or_default() += 1;
                nets.insert(*net);
            }
            let mut favourite: BTreeMap<Node, (usize, Node)> = BTreeMap::new();
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
                self.discourage_wire_into(*tile, *slave);
            }
        }
        nets
    }

    /// Makes the master that feeds an input dearer, so that streams come in elsewhere.
    fn discourage_wire_into(&mut self, tile: TileLoc, slave: aiec_device::Port) {
        let graph = self.problem.graph;
        if let Some((from, master)) = graph.device.wire_into(tile, slave) {
            let side = aiec_device::switch::PortSide::Master;
            if let Some(node) = graph.node(from, side, master) {
                self.occupancy.discourage_node(node);
            }
        }
    }

    /// Pairs of nets of different groups that share a port.
    fn strangers(&self) -> BTreeSet<(u32, u32)> {
        let mut pairs = BTreeSet::new();
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
