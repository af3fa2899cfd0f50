//! Wait cycles between packets.
//!
//! A packet occupies every switch input (a buffer) and every arbiter that its words are in, and waits
//! for those ahead of it. Copies of a multicast packet advance together, so a copy that waits
//! keeps the others where they are. When packets wait for each other in a cycle nothing moves any
//! more, even if all destinations accept what arrives.
//!
//! The check builds the graph of waits from routes and arbiters. With *occupies(r, N)* for "a packet
//! of stream N has resource r":
//!
//! * an occupant of r may wait for each resource of its stream below r, and, where the stream forks
//!   above r, for each in the other branches;
//! * a stream that waits for a buffer waits for all other streams in it; one that waits for an
//!   arbiter waits for those that request it from another input (one input's packets come one after
//!   the other).
//!
//! A strongly connected component of this graph is a possible deadlock, unless all packets in it have
//! passed one resource in some order and taken the same path since: then of two of them one is ahead
//! of the other everywhere. The graph is linear in the routes, except for streams that share a
//! resource: it has an edge for each pair of them.
//!
//! Each source of a net is a stream of its own: two of them may join at two resources and wait for
//! each other there.
//!
//! With [`Memory`] destinations don't accept everything: an occupant of any resource may wait for
//! the streams that its destination waits for, which wait for all on their paths.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use aiec_device::{Port, TileLoc};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::memory::Memory;

/// A hop of packets through a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArbiterHop {
    /// The switch.
    pub tile: TileLoc,
    /// The input.
    pub slave: Port,
    /// The arbiter that grants it; none where the input is connected as a circuit.
    pub arbiter: Option<u8>,
    /// Where the wire of the output ends, if it has one.
    pub next: Option<(TileLoc, Port)>,
}

/// Resources that packets of one source and id pass.
#[derive(Clone, Debug)]
pub(crate) struct RoutedStream {
    /// The net that it belongs to.
    pub name: usize,
    /// Its hops, each once.
    pub hops: Vec<ArbiterHop>,
}

/// Something that one packet at a time occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Resource {
    /// The buffer of a switch input.
    Buffer(TileLoc, Port),
    /// An arbiter of a switch.
    Arbiter(TileLoc, u8),
}

impl Resource {
    /// The switch it belongs to.
    pub fn tile(&self) -> TileLoc {
        match self {
            Resource::Buffer(tile, _) | Resource::Arbiter(tile, _) => *tile,
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Buffer(tile, port) => write!(f, "input {port} of tile {tile}"),
            Resource::Arbiter(tile, number) => write!(f, "arbiter {number} of tile {tile}"),
        }
    }
}

/// Packets that can wait for each other without end: (net, the resource that it occupies, or waits
/// for where memory is part of the cycle), ascending.
pub(crate) type WaitCycle = Vec<(usize, Resource)>;

/// The resources of a stream and their order.
#[derive(Default)]
struct ResourceTree {
    name: usize,
    nodes: Vec<Resource>,
    parents: Vec<SmallVec<[u32; 1]>>,
    children: Vec<SmallVec<[u32; 2]>>,
}

impl ResourceTree {
    fn new(stream: &RoutedStream) -> ResourceTree {
        let mut tree = ResourceTree {
            name: stream.name,
            ..ResourceTree::default()
        };
        let mut known: FxHashMap<Resource, u32> = FxHashMap::default();
        let inputs: FxHashSet<(TileLoc, Port)> = stream
            .hops
            .iter()
            .map(|hop| (hop.tile, hop.slave))
            .collect();
        for hop in &stream.hops {
            let buffer = tree.node(&mut known, Resource::Buffer(hop.tile, hop.slave));
            let mut last = buffer;
            if let Some(arbiter) = hop.arbiter {
                last = tree.node(&mut known, Resource::Arbiter(hop.tile, arbiter));
                tree.link(buffer, last);
            }
            if let Some((tile, port)) = hop.next.filter(|next| inputs.contains(next)) {
                let next = tree.node(&mut known, Resource::Buffer(tile, port));
                tree.link(last, next);
            }
        }
        tree
    }

    fn node(&mut self, known: &mut FxHashMap<Resource, u32>, resource: Resource) -> u32 {
        *known.entry(resource).or_insert_with(|| {
            self.nodes.push(resource);
            self.parents.push(SmallVec::new());
            self.children.push(SmallVec::new());
            self.nodes.len() as u32 - 1
        })
    }

    fn link(&mut self, from: u32, to: u32) {
        if !self.children[from as usize].contains(&to) {
            self.children[from as usize].push(to);
            self.parents[to as usize].push(from);
        }
    }

    /// The inputs from which the stream requests an arbiter.
    fn inputs(&self, node: u32) -> impl Iterator<Item = Resource> + '_ {
        let parents = self.parents[node as usize].iter();
        parents.map(|parent| self.nodes[*parent as usize])
    }

    /// Whether another stream at the same resource can block this one.
    fn blocked_by(&self, own: u32, other: &ResourceTree, theirs: u32) -> bool {
        match self.nodes[own as usize] {
            Resource::Buffer(..) => true,
            Resource::Arbiter(..) => self
                .inputs(own)
                .any(|mine| other.inputs(theirs).any(|input| input != mine)),
        }
    }

    /// The resources from a node upwards, as far as each has one parent only.
    fn path(&self, node: u32) -> Vec<Resource> {
        let mut path = vec![self.nodes[node as usize]];
        let mut at = node;
        while let [parent] = self.parents[at as usize][..] {
            path.push(self.nodes[parent as usize]);
            at = parent;
        }
        path
    }
}

/// Nodes from which short cycles are looked for, in each component of the graph.
const MAX_STARTS: usize = 64;

/// Role of a stream at one of its resources, in a node of the graph of waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitRole {
    /// It occupies the resource.
    Occupies,
    /// It waits for it, or for one below it.
    Waits,
    /// It occupies it or one below it, so that copies in other branches above may be waited for.
    Copied,
}

const ROLES: [WaitRole; 3] = [WaitRole::Occupies, WaitRole::Waits, WaitRole::Copied];

/// A stream's tree and a node of it.
type TreeNode = (usize, u32);

/// The graph of waits among some streams.
struct WaitGraph {
    trees: Vec<ResourceTree>,
    /// Meaning of the first nodes of the graph; those after them are stalled destinations.
    states: Vec<(usize, u32, WaitRole)>,
    graph: DiGraph<(), ()>,
}

impl WaitGraph {
    fn new(streams: &[RoutedStream], memory: Option<&Memory>) -> WaitGraph {
        let trees: Vec<ResourceTree> = streams.iter().map(ResourceTree::new).collect();
        let mut first = Vec::with_capacity(trees.len());
        let mut states = Vec::new();
        for (at, tree) in trees.iter().enumerate() {
            first.push(states.len());
            let nodes = 0..tree.nodes.len() as u32;
            states.extend(nodes.flat_map(|node| ROLES.map(|role| (at, node, role))));
        }
        let users = users(&trees);
        let mut graph = graph(&trees, &first, &users, states.len());
        if let Some(memory) = memory {
            add_stalls(&mut graph, &trees, &first, &users, memory);
        }
        WaitGraph {
            trees,
            states,
            graph,
        }
    }

    /// The strongly connected components of more than one node.
    fn components(&self) -> impl Iterator<Item = Vec<NodeIndex>> {
        let all = kosaraju_scc(&self.graph).into_iter();
        all.filter(|component| component.len() > 1)
    }

    /// Marks some nodes among all.
    fn marked(&self, nodes: &[NodeIndex]) -> Vec<bool> {
        let mut marks = vec![false; self.graph.node_count()];
        nodes.iter().for_each(|node| marks[node.index()] = true);
        marks
    }

    fn name(&self, (tree, node): TreeNode) -> (usize, Resource) {
        let tree = &self.trees[tree];
        (tree.name, tree.nodes[node as usize])
    }

    /// The tree and node of a graph node of some role.
    fn of_role(&self, index: NodeIndex, wanted: WaitRole) -> Option<TreeNode> {
        let (tree, node, role) = *self.states.get(index.index())?;
        (role == wanted).then_some((tree, node))
    }

    /// Occupied resources at some nodes, in their order.
    fn occupied(&self, nodes: &[NodeIndex]) -> Vec<TreeNode> {
        let occupied = nodes
            .iter()
            .filter_map(|index| self.of_role(*index, WaitRole::Occupies));
        occupied.collect()
    }

    /// Whether destinations that don't accept packets are among some nodes.
    fn has_stalls(&self, nodes: &[NodeIndex]) -> bool {
        nodes.iter().any(|index| index.index() >= self.states.len())
    }

    /// Whether packets that occupy these can wait for each other.
    fn is_cycle(&self, occupied: &[TreeNode]) -> bool {
        occupied.len() > 1 && !ordered(&self.trees, occupied)
    }

    fn cycle(&self, component: &[NodeIndex]) -> Option<WaitCycle> {
        let mut occupied = self.occupied(component);
        occupied.sort_unstable();
        let stalls = self.has_stalls(component);
        if !stalls && !self.is_cycle(&occupied) {
            return None;
        }
        let mut cycle: WaitCycle = occupied.into_iter().map(|at| self.name(at)).collect();
        if stalls {
            // Who waits for what another one occupies need not occupy anything itself.
            let resources: FxHashSet<Resource> = cycle.iter().map(|at| at.1).collect();
            let waiting = component
                .iter()
                .filter_map(|index| self.of_role(*index, WaitRole::Waits));
            let waiting = waiting.map(|waits| self.name(waits));
            cycle.extend(waiting.filter(|waits| resources.contains(&waits.1)));
            cycle.sort();
            cycle.dedup();
        }
        Some(cycle)
    }

    /// A shortest path from a node back to it, the node first, among those that `inside` marks.
    fn shortest_cycle(&self, start: NodeIndex, inside: &[bool]) -> Option<Vec<NodeIndex>> {
        let mut from: Vec<Option<NodeIndex>> = vec![None; inside.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for next in self.graph.neighbors(node) {
                if next == start {
                    let back = |node: &NodeIndex| from[node.index()];
                    let path = std::iter::successors(Some(node), back);
                    let mut path: Vec<NodeIndex> = path.collect();
                    path.reverse();
                    return Some(path);
                }
                if inside[next.index()] && from[next.index()].is_none() {
                    from[next.index()] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn short_cycle(&self, nodes: &[NodeIndex], mut waits: Vec<ArbiterWait>) -> ShortCycle {
        let states = nodes
            .iter()
            .filter_map(|node| self.states.get(node.index()));
        let mut nets: Vec<usize> = states.map(|(tree, ..)| self.trees[*tree].name).collect();
        nets.sort_unstable();
        nets.dedup();
        waits.sort();
        waits.dedup();
        ShortCycle { nets, waits }
    }

    /// The arbiters at which one stream waits for the next one on a cyclic path.
    fn arbiter_waits(&self, path: &[NodeIndex]) -> Vec<ArbiterWait> {
        let next = path.iter().cycle().skip(1);
        let wait = |(from, to): (&NodeIndex, &NodeIndex)| {
            let waiting = self.of_role(*from, WaitRole::Waits)?;
            let occupying = self.of_role(*to, WaitRole::Occupies)?;
            let (occupying, Resource::Arbiter(tile, arbiter)) = self.name(occupying) else {
                return None;
            };
            Some(ArbiterWait {
                tile,
                arbiter,
                waiting: self.name(waiting).0,
                occupying,
            })
        };
        path.iter().zip(next).filter_map(wait).collect()
    }
}

/// All cycles among some streams; with `memory`, those in which destinations don't accept what
/// arrives too.
pub(crate) fn cycles(streams: &[RoutedStream], memory: Option<&Memory>) -> Vec<WaitCycle> {
    let waits = WaitGraph::new(streams, memory);
    let components = waits.components();
    let mut list: Vec<WaitCycle> = components.filter_map(|part| waits.cycle(&part)).collect();
    list.sort();
    list
}

/// One net waits at an arbiter for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArbiterWait {
    /// The switch.
    pub tile: TileLoc,
    /// The arbiter.
    pub arbiter: u8,
    /// The net that waits for it.
    pub waiting: usize,
    /// The net that occupies it.
    pub occupying: usize,
}

/// Conditions of a wait cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ShortCycle {
    /// The nets in it, ascending.
    pub nets: Vec<usize>,
    /// Its waits at arbiters, ascending; the others are at switch inputs.
    pub waits: Vec<ArbiterWait>,
}

/// Short wait cycles, ascending: some of each component with wait cycles; the list is empty only if
/// no wait cycles exist.
pub(crate) fn short_cycles(streams: &[RoutedStream], memory: Option<&Memory>) -> Vec<ShortCycle> {
    let waits = WaitGraph::new(streams, memory);
    let mut list = BTreeSet::new();
    for component in waits.components() {
        if waits.cycle(&component).is_none() {
            continue;
        }
        let inside = waits.marked(&component);
        let mut starts = component.clone();
        let at_arbiter = |index: &NodeIndex| {
            let occupied = waits.of_role(*index, WaitRole::Occupies);
            occupied.is_some_and(|at| matches!(waits.name(at).1, Resource::Arbiter(..)))
        };
        starts.retain(at_arbiter);
        starts.sort_unstable();
        let stride = starts.len().div_ceil(MAX_STARTS).max(1);
        let before = list.len();
        for start in starts.into_iter().step_by(stride) {
            let Some(path) = waits.shortest_cycle(start, &inside) else {
                continue;
            };
            if waits.has_stalls(&path) || waits.is_cycle(&waits.occupied(&path)) {
                list.insert(waits.short_cycle(&path, waits.arbiter_waits(&path)));
            }
        }
        if list.len() == before {
            let edges = component.iter().flat_map(|from| {
                let next = waits.graph.neighbors(*from);
                next.map(|to| [*from, to]).collect::<Vec<_>>()
            });
            let all = edges.flat_map(|edge| waits.arbiter_waits(&edge)).collect();
            list.insert(waits.short_cycle(&component, all));
        }
    }
    list.into_iter().collect()
}

/// A cycle of few packets, if there is one: each occupies what it is listed with and waits for what
/// the next one occupies, the last for what the first one occupies.
pub(crate) fn smallest(streams: &[RoutedStream]) -> Option<Vec<(usize, Resource)>> {
    let waits = WaitGraph::new(streams, None);
    let mut best: Option<Vec<TreeNode>> = None;
    for component in waits.components() {
        let inside = waits.marked(&component);
        let mut starts: Vec<NodeIndex> = component
            .into_iter()
            .filter(|index| waits.of_role(*index, WaitRole::Occupies).is_some())
            .collect();
        starts.sort_unstable();
        for start in starts.into_iter().take(MAX_STARTS) {
            let path = waits.shortest_cycle(start, &inside);
            let occupied = path.map(|path| waits.occupied(&path));
            let Some(occupied) = occupied.filter(|occupied| waits.is_cycle(occupied)) else {
                continue;
            };
            if best
                .as_ref()
                .is_none_or(|known| occupied.len() < known.len())
            {
                best = Some(occupied);
            }
        }
    }
    let best = best?;
    Some(best.into_iter().map(|at| waits.name(at)).collect())
}

/// Who uses each resource: tree and node.
type Users = FxHashMap<Resource, Vec<(usize, u32)>>;

fn users(trees: &[ResourceTree]) -> Users {
    let mut users = Users::default();
    for (at, tree) in trees.iter().enumerate() {
        for (node, resource) in tree.nodes.iter().enumerate() {
            users.entry(*resource).or_default().push((at, node as u32));
        }
    }
    users
}

/// The node of the graph of waits for a role of a tree's node.
fn index(first: &[usize], tree: usize, node: u32, role: WaitRole) -> NodeIndex {
    NodeIndex::new(first[tree] + ROLES.len() * node as usize + role as usize)
}

/// A node for each tree after the others: its destination doesn't accept what arrives.
fn add_stalls(
    graph: &mut DiGraph<(), ()>,
    trees: &[ResourceTree],
    first: &[usize],
    users: &Users,
    memory: &Memory,
) {
    let stalled: Vec<NodeIndex> = trees.iter().map(|_| graph.add_node(())).collect();
    // A stream that shares nothing neither blocks others nor is blocked.
    let blocked = |tree: usize, node: u32| {
        let others = users[&trees[tree].nodes[node as usize]].iter();
        let own = &trees[tree];
        let mut others = others.filter(|(other, _)| *other != tree);
        others.any(|(other, theirs)| own.blocked_by(node, &trees[*other], *theirs))
    };
    let shares = |tree: &usize| (0..trees[*tree].nodes.len() as u32).any(|n| blocked(*tree, n));
    let sharing: Vec<usize> = (0..trees.len()).filter(shares).collect();
    for tree in &sharing {
        for node in 0..trees[*tree].nodes.len() as u32 {
            graph.add_edge(
                index(first, *tree, node, WaitRole::Occupies),
                stalled[*tree],
                (),
            );
        }
        for other in &sharing {
            if memory.waits(trees[*tree].name, trees[*other].name) {
                let roots = (0..trees[*other].nodes.len() as u32)
                    .filter(|node| trees[*other].parents[*node as usize].is_empty());
                for root in roots {
                    let waits = index(first, *other, root, WaitRole::Waits);
                    graph.add_edge(stalled[*tree], waits, ());
                }
            }
        }
    }
}

fn graph(trees: &[ResourceTree], first: &[usize], users: &Users, size: usize) -> DiGraph<(), ()> {
    let index = |tree, node, role| index(first, tree, node, role);
    let mut graph = DiGraph::new();
    for _ in 0..size {
        graph.add_node(());
    }
    for (at, tree) in trees.iter().enumerate() {
        for node in 0..tree.nodes.len() as u32 {
            let own = |role| index(at, node, role);
            graph.add_edge(own(WaitRole::Occupies), own(WaitRole::Copied), ());
            for child in &tree.children[node as usize] {
                let waits = index(at, *child, WaitRole::Waits);
                graph.add_edge(own(WaitRole::Occupies), waits, ());
                graph.add_edge(own(WaitRole::Waits), waits, ());
            }
            for parent in &tree.parents[node as usize] {
                graph.add_edge(
                    own(WaitRole::Copied),
                    index(at, *parent, WaitRole::Copied),
                    (),
                );
                for sibling in &tree.children[*parent as usize] {
                    if *sibling != node {
                        graph.add_edge(
                            own(WaitRole::Copied),
                            index(at, *sibling, WaitRole::Waits),
                            (),
                        );
                    }
                }
            }
            for (other, theirs) in &users[&tree.nodes[node as usize]] {
                if *other != at && tree.blocked_by(node, &trees[*other], *theirs) {
                    let occupies = index(*other, *theirs, WaitRole::Occupies);
                    graph.add_edge(own(WaitRole::Waits), occupies, ());
                }
            }
        }
    }
    graph
}

/// Whether all packets of a cycle pass one resource and take the same paths from there to what they
/// occupy in the cycle.
fn ordered(trees: &[ResourceTree], cycle: &[TreeNode]) -> bool {
    let paths: Vec<Vec<Resource>> = cycle.iter().map(|(t, n)| trees[*t].path(*n)).collect();
    let Some(candidates) = paths.first() else {
        return true;
    };
    candidates.iter().any(|passed| {
        let mut since: FxHashMap<Resource, &[Resource]> = FxHashMap::default();
        paths.iter().all(|path| {
            let Some(at) = path.iter().position(|resource| resource == passed) else {
                return false;
            };
            let path_since = &path[..=at];
            *since.entry(path[0]).or_insert(path_since) == path_since
        })
    })
}

#[cfg(test)]
mod tests;
