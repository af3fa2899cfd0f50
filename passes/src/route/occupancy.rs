//! Who uses which port, and what using it costs another net.
//!
//! Costs are integers (a wire hop of an empty array costs [`HOP`]), so that a search gives the
//! same answer on every machine. Only master nodes have a base cost: a slave that is fed by a
//! wire is used exactly when the wire's master is.

use smallvec::SmallVec;

use aiec_device::switch::PortSide;

use super::graph::{Node, SwitchGraph};
use super::net::{Link, Net, NetKind, Route};
use super::rules::EXACT;
use rustc_hash::FxHashMap;

/// Cost of a free master port.
pub(crate) const HOP: u32 = 16;
/// Cost of a master port that a net with the same source or the same sink already uses: the
/// stream is limited there anyway, and sharing saves a port for others.
pub(crate) const SHARED_HOP: u32 = 8;
/// Packet streams on one port before sharing it further costs extra, as rule slots get scarce.
const COMFORTABLE_SHARERS: usize = 4;
/// Largest price of parting from other packets, in hops.
const MAX_PARTING: u32 = 8;
/// Unit of [`Occupancy::pressure`].
const PRESSURE_ONE: u32 = 16;
/// Largest pressure: an occupied port then costs a thousand hops.
const MAX_PRESSURE: u32 = 1000 * PRESSURE_ONE;
/// Price of a port's past per iteration of over-use.
const HISTORY_STEP: u32 = HOP / 2;

/// Who may not use a port because of hand-written settings: circuits in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortBlock {
    /// False only where nothing is closed.
    circuits: bool,
    /// Packet ids, as bits.
    ids: u32,
    /// Whether packets that neither begin nor end there keep off.
    passing: bool,
}

impl PortBlock {
    /// Closed to all.
    pub const ALL: PortBlock = PortBlock {
        circuits: true,
        ids: u32::MAX,
        passing: true,
    };

    /// Closed to circuits, to packets with these ids, and to packets that pass unless unrelated
    /// nets may share ports.
    pub fn to_packets(ids: u32) -> PortBlock {
        PortBlock {
            circuits: true,
            ids,
            passing: true,
        }
    }

    /// A block of everything that either of two blocks.
    pub fn and(self, other: PortBlock) -> PortBlock {
        PortBlock {
            circuits: self.circuits | other.circuits,
            ids: self.ids | other.ids,
            passing: self.passing | other.passing,
        }
    }
}

/// Users of a node up to which they are looked at one by one.
const FEW_USERS: usize = 8;

/// Users of a node by what they exclude, so that a crowd isn't looked at one by one.
#[derive(Clone, Default)]
struct UserCounts {
    circuits: u32,
    priority: u32,
    /// Packet nets by id.
    by_id: [u32; EXACT as usize + 1],
}

/// The state of all ports during a search.
pub(crate) struct Occupancy {
    users: Vec<SmallVec<[u32; 2]>>,
    counts: Vec<UserCounts>,
    /// Packet nets of a group at a node.
    by_group: FxHashMap<(Node, u32), u32>,
    /// Packet nets of a group with an id at a node.
    by_group_and_id: FxHashMap<(Node, u32, u8), u32>,
    /// Pairs of users that can't share the node.
    conflicts: Vec<u32>,
    history: Vec<u32>,
    link_history: FxHashMap<Link, u32>,
    /// Packet nets that take each connection inside a switch.
    link_users: FxHashMap<Link, u32>,
    closed: Vec<PortBlock>,
    pressure: u32,
    /// Whether packet nets of different groups may share a port.
    pub share_unrelated: bool,
    /// Whether rules of switches were found to be scarce: then packets of an input that part cost extra.
    pub scarce_rules: bool,
    total_conflicts: usize,
}

impl Occupancy {
    /// Nothing used.
    pub fn new(nodes: usize) -> Occupancy {
        Occupancy {
            users: vec![SmallVec::new(); nodes],
            counts: vec![UserCounts::default(); nodes],
            by_group: FxHashMap::default(),
            by_group_and_id: FxHashMap::default(),
            conflicts: vec![0; nodes],
            history: vec![0; nodes],
            link_history: FxHashMap::default(),
            link_users: FxHashMap::default(),
            closed: vec![PortBlock::default(); nodes],
            pressure: PRESSURE_ONE / 2,
            share_unrelated: false,
            scarce_rules: false,
            total_conflicts: 0,
        }
    }

    /// Takes a node away from nets.
    pub fn close(&mut self, node: Node, closed: PortBlock) {
        self.closed[node as usize] = closed;
    }

    /// Whether a net may not use a node; `end` if it begins or ends there.
    pub fn is_closed(&self, node: Node, kind: NetKind, end: bool) -> bool {
        let closed = self.closed[node as usize];
        match kind {
            NetKind::Circuit => closed.circuits,
            NetKind::Packet(id) => {
                closed.ids >> (id & EXACT) & 1 == 1
                    || closed.passing && !end && !self.share_unrelated
            }
        }
    }

    /// The nets at a node, in the order in which they came.
    pub fn users(&self, node: Node) -> &[u32] {
        &self.users[node as usize]
    }

    /// Whether two users of the node exclude each other.
    pub fn in_conflict(&self, node: Node) -> bool {
        self.conflicts[node as usize] > 0
    }

    /// Pairs of nets that exclude each other, summed over all nodes.
    pub fn total_conflicts(&self) -> usize {
        self.total_conflicts
    }

    /// Whether two nets may use the same port.
    pub fn compatible(&self, a: &Net, b: &Net) -> bool {
        match (a.kind, b.kind) {
            (NetKind::Packet(x), NetKind::Packet(y)) => {
                let unrelated_allowed = self.share_unrelated && !a.priority && !b.priority;
                x != y && (a.group == b.group || unrelated_allowed)
            }
            _ => false,
        }
    }

    /// Counts again after [`Self::share_unrelated`] changed.
    pub fn recount(&mut self, nets: &[Net]) {
        self.total_conflicts = 0;
        for node in 0..self.users.len() {
            let users = &self.users[node];
            let mut pairs = 0;
            for (at, a) in users.iter().enumerate() {
                pairs += users[..at]
                    .iter()
                    .filter(|b| !self.compatible(&nets[*a as usize], &nets[**b as usize]))
                    .count();
            }
            self.conflicts[node] = pairs as u32;
            self.total_conflicts += pairs;
        }
    }

    /// Number of users of a node that a net excludes; it isn't one of them itself.
    fn conflicts_with(&self, nets: &[Net], net: u32, node: Node) -> usize {
        let me = &nets[net as usize];
        let users = &self.users[node as usize];
        let counts = &self.counts[node as usize];
        if users.len() <= FEW_USERS || me.priority || counts.priority > 0 {
            return self.conflicts_one_by_one(nets, net, node);
        }
        let NetKind::Packet(id) = me.kind else {
            return users.len();
        };
        let same_id = counts.by_id[usize::from(id & EXACT)];
        let others = if self.share_unrelated {
            0
        } else {
            let packets = users.len() as u32 - counts.circuits;
            let both = self.by_group_and_id.get(&(node, me.group, id));
            packets + both.copied().unwrap_or(0) - same_id - self.of_group(node, me.group)
        };
        (counts.circuits + same_id + others) as usize
    }

    fn conflicts_one_by_one(&self, nets: &[Net], net: u32, node: Node) -> usize {
        let me = &nets[net as usize];
        self.users[node as usize]
            .iter()
            .filter(|other| **other != net && !self.compatible(me, &nets[**other as usize]))
            .count()
    }

    /// Packet nets of a group at a node.
    fn of_group(&self, node: Node, group: u32) -> u32 {
        self.by_group.get(&(node, group)).copied().unwrap_or(0)
    }

    /// Whether all users of a node, which are packets, are of a net's group.
    fn is_among_its_own(&self, nets: &[Net], net: u32, node: Node) -> bool {
        let (users, group) = (&self.users[node as usize], nets[net as usize].group);
        if users.len() <= FEW_USERS {
            return users
                .iter()
                .all(|other| nets[*other as usize].group == group);
        }
        self.of_group(node, group) as usize == users.len()
    }

    /// Counts a net at a node that it comes to or goes from.
    fn count(&mut self, nets: &[Net], net: u32, node: Node, comes: bool) {
        let net = &nets[net as usize];
        let change = |count: &mut u32| {
            *count = if comes {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
        };
        let counts = &mut self.counts[node as usize];
        if net.priority {
            change(&mut counts.priority);
        }
        match net.kind {
            NetKind::Circuit => change(&mut counts.circuits),
            NetKind::Packet(id) => {
                change(&mut counts.by_id[usize::from(id & EXACT)]);
                change(self.by_group.entry((node, net.group)).or_default());
                let both = (node, net.group, id);
                change(self.by_group_and_id.entry(both).or_default());
            }
        }
    }

    /// Lets a net use the nodes of a route.
    pub fn add(&mut self, nets: &[Net], net: u32, route: &Route) {
        for node in &route.nodes {
            let pairs = self.conflicts_with(nets, net, *node);
            self.conflicts[*node as usize] += pairs as u32;
            self.total_conflicts += pairs;
            self.users[*node as usize].push(net);
            self.count(nets, net, *node, true);
        }
        if nets[net as usize].kind != NetKind::Circuit {
            for link in &route.links {
                *self.link_users.entry(*link).or_default() += 1;
            }
        }
    }

    /// Takes a net off the nodes of its route.
    pub fn remove(&mut self, nets: &[Net], net: u32, route: &Route) {
        for node in &route.nodes {
            self.users[*node as usize].retain(|user| *user != net);
            self.count(nets, net, *node, false);
            let pairs = self.conflicts_with(nets, net, *node);
            self.conflicts[*node as usize] -= pairs as u32;
            self.total_conflicts -= pairs;
        }
        if nets[net as usize].kind != NetKind::Circuit {
            for link in &route.links {
                if let Some(users) = self.link_users.get_mut(link) {
                    *users -= 1;
                }
            }
        }
    }

    /// Cost for a net of going from one node to the next.
    pub fn cost(&self, graph: &SwitchGraph, nets: &[Net], net: u32, from: Node, to: Node) -> u32 {
        let users = &self.users[to as usize];
        let info = graph.info(to);
        if info.side == PortSide::Slave {
            return 0;
        }
        let link = if self.link_history.is_empty() {
            0
        } else {
            self.link_history.get(&(from, to)).copied().unwrap_or(0)
        };
        let history = self.history[to as usize] + link + self.parting(from, to);
        if users.is_empty() {
            return HOP + history;
        }
        let conflicts = self.conflicts_with(nets, net, to) as u32;
        if conflicts == 0 {
            let crowd = users.len().saturating_sub(COMFORTABLE_SHARERS - 1) as u32;
            let unrelated = !self.is_among_its_own(nets, net, to);
            // Unrelated nets can block each other: worth a detour, but not a failure.
            let base = if unrelated { 4 * HOP } else { SHARED_HOP };
            return base + history + crowd * HOP;
        }
        let weight = PRESSURE_ONE + self.pressure * conflicts;
        (HOP + history).saturating_mul(weight) / PRESSURE_ONE
    }

    /// Price of leaving an input by another output than packets that came in with the net: each part of
    /// them takes rules of the input.
    fn parting(&self, from: Node, to: Node) -> u32 {
        let together = self.users[from as usize].len() as u32;
        if !self.scarce_rules || together < COMFORTABLE_SHARERS as u32 {
            return 0;
        }
        let same_way = self.link_users.get(&(from, to)).copied().unwrap_or(0);
        HOP * together.saturating_sub(same_way).min(MAX_PARTING)
    }

    /// After an iteration: the prices of ports in conflict rise for good, and that of conflicts as such.
    pub fn raise(&mut self, congested: &[Node]) {
        for node in congested {
            let step = HISTORY_STEP * self.conflicts[*node as usize].min(8);
            self.history[*node as usize] += step;
        }
        self.pressure = (self.pressure + self.pressure / 2).min(MAX_PRESSURE);
    }

    /// Gives conflicts the highest price, and forgets the history of the ports.
    pub fn forbid_conflicts(&mut self) {
        self.pressure = MAX_PRESSURE;
        self.history.fill(0);
        self.link_history.clear();
    }

    /// Raises the price of a connection inside a switch for good.
    pub fn discourage(&mut self, link: Link) {
        *self.link_history.entry(link).or_default() += HOP;
    }

    /// Raises the price of a port for good.
    pub fn discourage_node(&mut self, node: Node) {
        self.history[node as usize] += HOP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of a crowd agree with a look at each of its nets, whichever nets come and go.
    #[test]
    fn crowds_are_counted_as_one_by_one() {
        let mut state = 5u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let nets: Vec<Net> = (0..200)
            .map(|at| Net {
                kind: match at % 23 {
                    0 => NetKind::Circuit,
                    _ => NetKind::Packet(random(32) as u8),
                },
                priority: at % 61 == 1,
                group: random(4),
                branches: Vec::new(),
            })
            .collect();
        let mut occupancy = Occupancy::new(2);
        let route = Route {
            links: Vec::new(),
            nodes: vec![0, 1],
        };
        let mut there: Vec<u32> = Vec::new();
        for step in 0..2_000 {
            occupancy.share_unrelated = step % 500 > 250;
            occupancy.recount(&nets);
            let net = random(nets.len() as u32);
            if let Some(at) = there.iter().position(|user| *user == net) {
                there.swap_remove(at);
                occupancy.remove(&nets, net, &route);
            } else {
                let found = occupancy.conflicts_with(&nets, net, 1);
                assert_eq!(found, occupancy.conflicts_one_by_one(&nets, net, 1));
                there.push(net);
                occupancy.add(&nets, net, &route);
            }
            let total = occupancy.total_conflicts();
            occupancy.recount(&nets);
            assert_eq!(total, occupancy.total_conflicts());
        }
    }
}
