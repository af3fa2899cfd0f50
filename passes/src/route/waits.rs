//! Circular waits between packets.
//!
//! A packet holds every switch input (a buffer) and every arbiter that its words are in, and waits
//! for those ahead of it. Copies of a multicast packet advance together, so a copy that waits
//! makes the others hold what they have. When packets hold and wait in a circle nothing moves any
//! more, even if all destinations take what arrives.
//!
//! The check builds the graph of waits from routes and arbiters. With *hold(r, N)* for "a packet of
//! stream N has resource r":
//!
//! * whoever holds r may wait for each resource of its stream below r, and, where the stream forks
//!   above r, for each in the other branches;
//! * whoever waits for a buffer waits for all other streams in it; whoever waits for an arbiter waits
//!   for those that ask it from another input (one input's packets come one after the other).
//!
//! A strongly connected part of this graph is a possible deadlock, unless all packets in it have
//! passed one place in some order and gone the same ways since: then of two of them one is ahead
//! of the other everywhere. The graph is linear in the routes, but for streams that share a
//! resource: it has an edge for each pair of them.
//!
//! Each source of a net is a stream of its own: two of them may join at two places and wait for
//! each other there.
//!
//! With [`Memory`] destinations don't take everything: whoever holds something may wait for the
//! streams that its destination waits for, which wait for all on their ways.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use aiec_device::{Port, TileLoc};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::memory::Memory;

/// A way of packets through a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    /// The switch.
    pub tile: TileLoc,
    /// The input.
    pub slave: Port,
    /// The arbiter that grants it.
    pub arbiter: u8,
    /// Where the wire of the output ends, if it has one.
    pub next: Option<(TileLoc, Port)>,
}

/// What packets of one source and id pass.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// Which net it is, for the answer.
    pub name: usize,
    /// Its ways, each once.
    pub ways: Vec<Way>,
}

/// Something that one packet at a time has.
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

/// Packets that can wait for each other for ever: (net, what it holds, or waits for where memory
/// is part of the circle), ascending.
pub(crate) type Circle = Vec<(usize, Resource)>;

/// The resources of a stream and their order.
#[derive(Default)]
struct Tree {
    name: usize,
    nodes: Vec<Resource>,
    parents: Vec<SmallVec<[u32; 1]>>,
    children: Vec<SmallVec<[u32; 2]>>,
}

impl Tree {
    fn new(stream: &Stream) -> Tree {
        let mut tree = Tree {
            name: stream.name,
            ..Tree::default()
        };
        let mut known: FxHashMap<Resource, u32> = FxHashMap::default();
        let inputs: BTreeSet<(TileLoc, Port)> = stream
            .ways
            .iter()
            .map(|way| (way.tile, way.slave))
            .collect();
        for way in &stream.ways {
            let buffer = tree.node(&mut known, Resource::Buffer(way.tile, way.slave));
            let arbiter = tree.node(&mut known, Resource::Arbiter(way.tile, way.arbiter));
            tree.link(buffer, arbiter);
            if let Some((tile, port)) = way.next.filter(|next| inputs.contains(next)) {
                let next = tree.node(&mut known, Resource::Buffer(tile, port));
                tree.link(arbiter, next);
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

    /// The inputs from which the stream asks an arbiter.
    fn inputs(&self, node: u32) -> impl Iterator<Item = Resource> + '_ {
        let parents = self.parents[node as usize].iter();
        parents.map(|parent| self.nodes[*parent as usize])
    }

    /// Whether another stream at the same resource can be in the way of this one.
    fn blocked_by(&self, own: u32, other: &Tree, theirs: u32) -> bool {
        match self.nodes[own as usize] {
            Resource::Buffer(..) => true,
            Resource::Arbiter(..) => self
                .inputs(own)
                .any(|mine| other.inputs(theirs).any(|input| input != mine)),
        }
    }

    /// The resources from a node upwards, as far as there is one way only.
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

/// Places from which a smallest circle is looked for, in each part of the graph.
const MAX_STARTS: usize = 64;

/// What a node of the graph of waits says of a stream and one of its resources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It has it.
    Holds,
    /// It waits for it, or for one below it.
    Waits,
    /// It has it or one below it, so that copies in other branches above may be waited for.
    Copied,
}

const ROLES: [Role; 3] = [Role::Holds, Role::Waits, Role::Copied];

/// The graph of waits among some streams.
struct Waits {
    trees: Vec<Tree>,
    /// What the first nodes of the graph stand for; those beyond are stalled destinations.
    states: Vec<(usize, u32, Role)>,
    graph: DiGraph<(), ()>,
}

impl Waits {
    fn new(streams: &[Stream], memory: Option<&Memory>) -> Waits {
        let trees: Vec<Tree> = streams.iter().map(Tree::new).collect();
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
        Waits {
            trees,
            states,
            graph,
        }
    }

    fn name(&self, (tree, node): (usize, u32)) -> (usize, Resource) {
        let tree = &self.trees[tree];
        (tree.name, tree.nodes[node as usize])
    }

    /// The tree and node of a graph node of some role.
    fn of_role(&self, index: NodeIndex, wanted: Role) -> Option<(usize, u32)> {
        let (tree, node, role) = *self.states.get(index.index())?;
        (role == wanted).then_some((tree, node))
    }

    /// What is held in a part of the graph, ascending.
    fn held(&self, part: &[NodeIndex]) -> Vec<(usize, u32)> {
        let held = part
            .iter()
            .filter_map(|index| self.of_role(*index, Role::Holds));
        let mut held: Vec<(usize, u32)> = held.collect();
        held.sort_unstable();
        held
    }

    /// Whether packets that hold these can wait for each other.
    fn is_circle(&self, held: &[(usize, u32)]) -> bool {
        held.len() > 1 && !ordered(&self.trees, held)
    }

    fn circle(&self, part: &[NodeIndex]) -> Option<Circle> {
        let held = self.held(part);
        let stalls = part.iter().any(|index| index.index() >= self.states.len());
        if !stalls && !self.is_circle(&held) {
            return None;
        }
        let mut circle: Circle = held.into_iter().map(|held| self.name(held)).collect();
        if stalls {
            // Who waits for what another one holds need not hold anything itself.
            let resources: BTreeSet<Resource> = circle.iter().map(|held| held.1).collect();
            let waiting = part
                .iter()
                .filter_map(|index| self.of_role(*index, Role::Waits));
            let waiting = waiting.map(|waits| self.name(waits));
            circle.extend(waiting.filter(|waits| resources.contains(&waits.1)));
            circle.sort_unstable();
            circle.dedup();
        }
        Some(circle)
    }

    /// What is held along a shortest way from a node back to it.
    fn way_round(&self, start: NodeIndex) -> Option<Vec<(usize, u32)>> {
        let mut from: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for next in self.graph.neighbors(node) {
                if next == start {
                    let back = |node: &NodeIndex| from.get(node).copied();
                    let way = std::iter::successors(Some(node), back);
                    let held = way.filter_map(|node| self.of_role(node, Role::Holds));
                    let mut held: Vec<(usize, u32)> = held.collect();
                    held.reverse();
                    return Some(held);
                }
                from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    node
                });
            }
        }
        None
    }
}

/// All circles among some streams; with `memory`, those in which destinations don't take what
/// arrives too.
pub(crate) fn circles(streams: &[Stream], memory: Option<&Memory>) -> Vec<Circle> {
    let waits = Waits::new(streams, memory);
    let parts = kosaraju_scc(&waits.graph)
        .into_iter()
        .filter(|p| p.len() > 1);
    let mut list: Vec<Circle> = parts.filter_map(|part| waits.circle(&part)).collect();
    list.sort();
    list
}

/// A circle of few packets, if there is one: each holds what it is listed with and waits for what
/// the next one holds, the last for what the first one holds.
pub(crate) fn smallest(streams: &[Stream]) -> Option<Vec<(usize, Resource)>> {
    let waits = Waits::new(streams, None);
    let mut best: Option<Vec<(usize, u32)>> = None;
    for part in kosaraju_scc(&waits.graph)
        .into_iter()
        .filter(|p| p.len() > 1)
    {
        let mut starts: Vec<NodeIndex> = part
            .into_iter()
            .filter(|index| waits.of_role(*index, Role::Holds).is_some())
            .collect();
        starts.sort_unstable();
        for start in starts.into_iter().take(MAX_STARTS) {
            let Some(held) = waits.way_round(start).filter(|held| waits.is_circle(held)) else {
                continue;
            };
            if best.as_ref().is_none_or(|known| held.len() < known.len()) {
                best = Some(held);
            }
        }
    }
    let best = best?;
    Some(best.into_iter().map(|held| waits.name(held)).collect())
}

/// Who uses each resource: tree and node.
type Users = BTreeMap<Resource, Vec<(usize, u32)>>;

fn users(trees: &[Tree]) -> Users {
    let mut users = Users::new();
    for (at, tree) in trees.iter().enumerate() {
        for (node, resource) in tree.nodes.iter().enumerate() {
            users.entry(*resource).or_default().push((at, node as u32));
        }
    }
    users
}

/// The node of the graph of waits for a role of a tree's node.
fn index(first: &[usize], tree: usize, node: u32, role: Role) -> NodeIndex {
    NodeIndex::new(first[tree] + ROLES.len() * node as usize + role as usize)
}

/// A node for each tree behind the others: its destination doesn't take what arrives.
fn add_stalls(
    graph: &mut DiGraph<(), ()>,
    trees: &[Tree],
    first: &[usize],
    users: &Users,
    memory: &Memory,
) {
    let stalled: Vec<NodeIndex> = trees.iter().map(|_| graph.add_node(())).collect();
    // Who shares nothing holds up nobody and isn't held up.
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
            graph.add_edge(index(first, *tree, node, Role::Holds), stalled[*tree], ());
        }
        for other in &sharing {
            if memory.waits(trees[*tree].name, trees[*other].name) {
                let roots = (0..trees[*other].nodes.len() as u32)
                    .filter(|node| trees[*other].parents[*node as usize].is_empty());
                for root in roots {
                    let waits = index(first, *other, root, Role::Waits);
                    graph.add_edge(stalled[*tree], waits, ());
                }
            }
        }
    }
}

fn graph(trees: &[Tree], first: &[usize], users: &Users, size: usize) -> DiGraph<(), ()> {
    let index = |tree, node, role| index(first, tree, node, role);
    let mut graph = DiGraph::new();
    for _ in 0..size {
        graph.add_node(());
    }
    for (at, tree) in trees.iter().enumerate() {
        for node in 0..tree.nodes.len() as u32 {
            let own = |role| index(at, node, role);
            graph.add_edge(own(Role::Holds), own(Role::Copied), ());
            for child in &tree.children[node as usize] {
                let waits = index(at, *child, Role::Waits);
                graph.add_edge(own(Role::Holds), waits, ());
                graph.add_edge(own(Role::Waits), waits, ());
            }
            for parent in &tree.parents[node as usize] {
                graph.add_edge(own(Role::Copied), index(at, *parent, Role::Copied), ());
                for sibling in &tree.children[*parent as usize] {
                    if *sibling != node {
                        graph.add_edge(own(Role::Copied), index(at, *sibling, Role::Waits), ());
                    }
                }
            }
            for (other, theirs) in &users[&tree.nodes[node as usize]] {
                if *other != at && tree.blocked_by(node, &trees[*other], *theirs) {
                    let holds = index(*other, *theirs, Role::Holds);
                    graph.add_edge(own(Role::Waits), holds, ());
                }
            }
        }
    }
    graph
}

/// Whether all packets of a circle pass one place and go the same ways from there to what they
/// hold in the circle.
fn ordered(trees: &[Tree], circle: &[(usize, u32)]) -> bool {
    let paths: Vec<Vec<Resource>> = circle.iter().map(|(t, n)| trees[*t].path(*n)).collect();
    let Some(candidates) = paths.first() else {
        return true;
    };
    candidates.iter().any(|place| {
        let mut ways: FxHashMap<Resource, &[Resource]> = FxHashMap::default();
        paths.iter().all(|path| {
            let Some(at) = path.iter().position(|resource| resource == place) else {
                return false;
            };
            let way = &path[..=at];
            *ways.entry(path[0]).or_insert(way) == way
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::Bundle;

    /// A stream through tiles of row 2, by column: input bundle, arbiter; from west to east or
    /// the other way round.
    fn stream(name: usize, columns: &[u8], arbiter: u8) -> Stream {
        let mut ways = Vec::new();
        for (at, col) in columns.iter().enumerate() {
            let entry = |from: u8, to: u8| match from < to {
                true => Port::new(Bundle::West, 0),
                false => Port::new(Bundle::East, 0),
            };
            let slave = match at.checked_sub(1) {
                None => Port::new(Bundle::Dma, name as u8),
                Some(before) => entry(columns[before], *col),
            };
            let next = columns.get(at + 1);
            ways.push(Way {
                tile: TileLoc::new(*col, 2),
                slave,
                arbiter,
                next: next.map(|to| (TileLoc::new(*to, 2), entry(*col, *to))),
            });
        }
        Stream { name, ways }
    }

    #[test]
    fn opposite_ways_over_common_arbiters_are_a_circle() {
        let streams = [stream(0, &[1, 2, 3], 0), stream(1, &[3, 2, 1], 0)];
        let circles = circles(&streams, None);
        assert_eq!(circles.len(), 1, "{circles:?}");
        let nets: BTreeSet<usize> = circles[0].iter().map(|(net, _)| *net).collect();
        assert_eq!(nets, BTreeSet::from([0, 1]));
    }

    #[test]
    fn one_way_or_arbiters_apart_are_none() {
        assert!(circles(&[stream(0, &[1, 2, 3], 0), stream(1, &[1, 2, 3], 0)], None).is_empty());
        assert!(circles(&[stream(0, &[1, 2, 3], 0), stream(1, &[3, 2, 1], 1)], None).is_empty());
    }

    #[test]
    fn copies_that_are_had_in_different_orders_are_a_circle() {
        // Two multicasts to the same two tiles, which they enter from different sides.
        let fork = |name: usize, from: u8, side: Bundle| {
            let (mid, ends) = (
                TileLoc::new(from, 2),
                [TileLoc::new(2, 2), TileLoc::new(3, 2)],
            );
            let way = |tile, slave, next| Way {
                tile,
                slave,
                arbiter: name as u8,
                next,
            };
            let source = Port::new(Bundle::Dma, name as u8);
            let into = Port::new(side, 0);
            let mut ways = Vec::new();
            for end in ends {
                ways.push(way(mid, source, Some((end, into))));
                ways.push(Way {
                    arbiter: 0,
                    ..way(end, into, None)
                });
            }
            Stream { name, ways }
        };
        let apart = [fork(0, 1, Bundle::West), fork(1, 4, Bundle::East)];
        // Either may have one of the tiles first.
        assert_eq!(circles(&apart, None).len(), 2);
        // Behind each other on the same ways they are in order.
        let behind = [fork(0, 1, Bundle::West), fork(0, 1, Bundle::West)];
        assert!(circles(&behind, None).is_empty());
    }
}
