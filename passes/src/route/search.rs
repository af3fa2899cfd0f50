//! Routes one net: a Steiner tree grown sink by sink, each time from the whole tree so far to the
//! nearest missing sink, by A* over the switch graph.
//!
//! A packet net with several sources is routed branch by branch. A branch may join an earlier one
//! at any port from which that one reaches only sinks that the new branch still misses: from
//! there on the packets can no longer be distinguished.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiec_device::TileLoc;
use aiec_device::switch::PortSide;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::graph::{Node, SwitchGraph};
use super::net::{Branch, Net, NetKind, Route, Unreachable};
use super::occupancy::{HOP, Occupancy, SHARED_HOP};
use super::turns::TurnOrder;

/// No predecessor: the search starts here.
const ROOT: Node = Node::MAX;

/// Arrays of a search, kept from one to the next; `stamp` tells which entries are of this one.
pub(crate) struct SearchScratch {
    generation: u32,
    stamp: Vec<u32>,
    cost: Vec<u32>,
    from: Vec<Node>,
    /// Net generation in which a node was last part of the branch being grown.
    tree_stamp: Vec<u32>,
    tree_generation: u32,
    heap: BinaryHeap<Reverse<(u32, u32, Node)>>,
    /// Nodes taken from the heap since the start.
    pub expanded: u64,
}

impl SearchScratch {
    /// For a graph of this many nodes.
    pub fn new(nodes: usize) -> SearchScratch {
        SearchScratch {
            generation: 0,
            stamp: vec![0; nodes],
            cost: vec![0; nodes],
            from: vec![ROOT; nodes],
            tree_stamp: vec![0; nodes],
            tree_generation: 0,
            heap: BinaryHeap::new(),
            expanded: 0,
        }
    }
}

/// Nodes occupied by the branches routed so far, for nets with several sources.
#[derive(Default)]
struct Forest {
    /// For each node the sinks below it, sorted.
    below: FxHashMap<Node, SmallVec<[Node; 2]>>,
    /// Where packets go on from a node.
    next: FxHashMap<Node, SmallVec<[Node; 2]>>,
}

/// Goal of one search.
struct SinkSearch<'a> {
    net: u32,
    source: Node,
    target: Node,
    /// All sinks that the branch still misses, the target among them.
    missing: &'a [Node],
    forest: &'a Forest,
}

impl SinkSearch<'_> {
    /// Whether the branch may join another one at a node.
    fn join(&self, node: Node) -> JoinRule {
        match self.forest.below.get(&node) {
            None => JoinRule::Free,
            Some(below) => {
                let wanted = |sink: &Node| self.missing.contains(sink);
                let serves = below.contains(&self.target) && below.iter().all(wanted);
                if serves {
                    JoinRule::Here
                } else {
                    JoinRule::Forbidden
                }
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum JoinRule {
    Free,
    Here,
    Forbidden,
}

/// The surroundings of a search.
pub(crate) struct NetSearch<'a> {
    /// The graph.
    pub graph: &'a SwitchGraph,
    /// All nets.
    pub nets: &'a [Net],
    /// The ports' state; the net being routed must not be in it.
    pub occupancy: &'a Occupancy,
    /// The turn order that packets keep, if any.
    pub turns: Option<TurnOrder>,
    /// Work space.
    pub scratch: &'a mut SearchScratch,
}

impl NetSearch<'_> {
    /// The cheapest tree found for a net.
    pub fn route(&mut self, net: u32) -> Result<Route, Unreachable> {
        let nets = self.nets;
        let branches = &nets[net as usize].branches;
        let mut forest = Forest::default();
        let mut route = Route::default();
        for branch in branches {
            let start = route.links.len();
            self.grow(net, branch, &forest, &mut route)?;
            if branches.len() > 1 {
                self.settle(branch, &route.links[start..], &mut forest);
            }
        }
        Ok(route)
    }

    fn grow(
        &mut self,
        net: u32,
        branch: &Branch,
        forest: &Forest,
        route: &mut Route,
    ) -> Result<(), Unreachable> {
        self.scratch.tree_generation += 1;
        let mut missing = branch.sinks.clone();
        let mut tree: Vec<Node> = vec![branch.source];
        self.scratch.tree_stamp[branch.source as usize] = self.scratch.tree_generation;
        route.nodes.push(branch.source);
        // Distance from the tree to each missing sink, in tiles.
        let start = self.graph.info(branch.source).at;
        let mut near: Vec<u32> = missing.iter().map(|s| self.tiles_to(start, *s)).collect();
        while let Some(target) = nearest(&missing, &near) {
            let aim = SinkSearch {
                net,
                source: branch.source,
                target,
                missing: &missing,
                forest,
            };
            let Some(end) = self.find(&tree, &aim) else {
                let source = branch.source;
                return Err(Unreachable {
                    source,
                    sink: target,
                });
            };
            let served: SmallVec<[Node; 2]> = match forest.below.get(&end) {
                Some(below) => below.clone(),
                None => SmallVec::from_elem(end, 1),
            };
            for sink in served {
                if let Some(at) = missing.iter().position(|s| *s == sink) {
                    missing.remove(at);
                    near.remove(at);
                }
            }
            for node in self.take_path(end, forest, route) {
                let at = self.graph.info(node).at;
                if self.graph.info(node).side == PortSide::Slave {
                    tree.push(node);
                }
                for (sink, best) in missing.iter().zip(near.iter_mut()) {
                    *best = (*best).min(self.tiles_to(at, *sink));
                }
            }
        }
        Ok(())
    }

    /// Adds the path that the last search found to the route; returns its new nodes.
    fn take_path(&mut self, end: Node, forest: &Forest, route: &mut Route) -> Vec<Node> {
        let mut path = Vec::new();
        let mut at = end;
        loop {
            let from = self.scratch.from[at as usize];
            if from == ROOT {
                break;
            }
            if self.graph.info(at).side == PortSide::Master {
                route.links.push((from, at));
            }
            if !forest.below.contains_key(&at) {
                path.push(at);
            }
            at = from;
        }
        path.reverse();
        for node in &path {
            self.scratch.tree_stamp[*node as usize] = self.scratch.tree_generation;
        }
        route.nodes.extend(&path);
        path
    }

    /// Enters a routed branch into the forest that later branches may join.
    fn settle(&self, branch: &Branch, links: &[(Node, Node)], forest: &mut Forest) {
        let wire = |master: Node| self.graph.next(master).first().copied();
        for (slave, master) in links {
            forest.next.entry(*slave).or_default().push(*master);
        }
        // From the source along the links, then back: what is below a node is what is below its
        // successors.
        let mut order = vec![branch.source];
        let mut done = 0;
        while let Some(node) = order.get(done).copied() {
            done += 1;
            let successors = self.successors(forest, node, &wire);
            let fresh = |n: &Node| !forest.below.contains_key(n);
            order.extend(successors.into_iter().filter(fresh));
        }
        for node in order.into_iter().rev() {
            let mut below: SmallVec<[Node; 2]> = SmallVec::new();
            for next in self.successors(forest, node, &wire) {
                below.extend(forest.below.get(&next).into_iter().flatten().copied());
            }
            if below.is_empty() {
                below.push(node);
            }
            below.sort_unstable();
            below.dedup();
            forest.below.insert(node, below);
        }
    }

    fn successors(
        &self,
        forest: &Forest,
        node: Node,
        wire: &dyn Fn(Node) -> Option<Node>,
    ) -> SmallVec<[Node; 2]> {
        match self.graph.info(node).side {
            PortSide::Slave => forest.next.get(&node).cloned().unwrap_or_default(),
            PortSide::Master => wire(node)
                .filter(|slave| forest.next.contains_key(slave))
                .into_iter()
                .collect(),
        }
    }

    /// A* from the slaves of a tree to the target or to where the net's other branches reach it.
    fn find(&mut self, tree: &[Node], aim: &SinkSearch<'_>) -> Option<Node> {
        let goal = self.graph.info(aim.target).tile;
        // An estimate must not exceed the cheapest hop there is; with other branches to join, any
        // of their ports may be the nearest end.
        let hop = match self.nets[aim.net as usize].kind {
            _ if !aim.forest.below.is_empty() => 0,
            NetKind::Circuit => HOP,
            NetKind::Packet(_) => SHARED_HOP,
        };
        let estimate = |at: TileLoc| hop * (distance(at, goal) + 1);
        self.start(tree, estimate);
        while let Some(Reverse((_, _, node))) = self.scratch.heap.pop() {
            self.scratch.expanded += 1;
            if node == aim.target || aim.forest.below.contains_key(&node) {
                return Some(node);
            }
            let so_far = self.scratch.cost[node as usize] & !DONE;
            if self.scratch.cost[node as usize] & DONE != 0 {
                continue;
            }
            self.scratch.cost[node as usize] |= DONE;
            for next in self.graph.next(node) {
                self.reach(aim, (node, *next), so_far, &estimate);
            }
        }
        None
    }

    fn start(&mut self, tree: &[Node], estimate: impl Fn(TileLoc) -> u32) {
        let scratch = &mut *self.scratch;
        scratch.generation += 1;
        scratch.heap.clear();
        for node in tree {
            let at = self.graph.info(*node).at;
            scratch.stamp[*node as usize] = scratch.generation;
            scratch.cost[*node as usize] = 0;
            scratch.from[*node as usize] = ROOT;
            let left = estimate(at);
            scratch.heap.push(Reverse((left, left, *node)));
        }
    }

    fn reach(
        &mut self,
        aim: &SinkSearch<'_>,
        (node, next): (Node, Node),
        so_far: u32,
        estimate: &impl Fn(TileLoc) -> u32,
    ) {
        let at = next as usize;
        let info = self.graph.info(next);
        if !self.may_turn(aim, node, next) {
            return;
        }
        let scratch = &mut *self.scratch;
        let dead_end = info.side == PortSide::Master && !info.wired;
        let own = scratch.tree_stamp[at] == scratch.tree_generation;
        let kind = self.nets[aim.net as usize].kind;
        let closed = self.occupancy.is_closed(next, kind, next == aim.target);
        if own || (dead_end && next != aim.target) || closed {
            return;
        }
        let join = aim.join(next);
        if join == JoinRule::Forbidden {
            return;
        }
        let ends = next == aim.target || join == JoinRule::Here;
        let step = match join {
            JoinRule::Here => 0,
            _ => self
                .occupancy
                .cost(self.graph, self.nets, aim.net, node, next),
        };
        let cost = so_far.saturating_add(step).min(DONE - 1);
        if scratch.stamp[at] == scratch.generation && scratch.cost[at] & !DONE <= cost {
            return;
        }
        scratch.stamp[at] = scratch.generation;
        scratch.cost[at] = cost;
        scratch.from[at] = node;
        let left = if ends { 0 } else { estimate(info.at) };
        scratch
            .heap
            .push(Reverse((cost.saturating_add(left), left, next)));
    }

    /// Whether the turn order lets packets go from an input to an output. Sources and ends are no
    /// moves.
    fn may_turn(&self, aim: &SinkSearch<'_>, node: Node, next: Node) -> bool {
        let Some(order) = self.turns else {
            return true;
        };
        let (from, to) = (self.graph.info(node), self.graph.info(next));
        self.nets[aim.net as usize].kind == NetKind::Circuit
            || !to.wired
            || node == aim.source
            || order.allows(from.port.bundle, to.port.bundle)
    }

    fn tiles_to(&self, from: TileLoc, sink: Node) -> u32 {
        distance(from, self.graph.info(sink).tile)
    }
}

/// Marks the cost of a node that was taken from the heap for good.
const DONE: u32 = 1 << 31;

/// Wires between two tiles, at least.
fn distance(a: TileLoc, b: TileLoc) -> u32 {
    u32::from(a.col.abs_diff(b.col)) + u32::from(a.row.abs_diff(b.row))
}

/// The missing sink nearest to the tree; the first of equals.
fn nearest(missing: &[Node], near: &[u32]) -> Option<Node> {
    let pairs = missing.iter().zip(near);
    pairs.min_by_key(|(_, d)| **d).map(|(sink, _)| *sink)
}
