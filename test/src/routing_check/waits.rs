//! Whether packets can wait for each other in a cycle.
//!
//! A packet holds the buffers (switch inputs) and arbiters that its words are in, and waits for
//! those ahead. Where it is copied to several outputs all copies advance together, so a copy that
//! waits makes the others hold what they have. State (r, P) says that stream P holds r; it leads to
//! (s, Q) if P may wait for s while it holds r, and Q can have s: Q is another stream in the same
//! buffer, or one that asks the same arbiter from another input. Sinks take what arrives. A cycle
//! of states is a possible deadlock, unless all its streams have come in one order through one
//! place and gone the same ways since: then of each two one is ahead of the other everywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::Stream;
use super::read::{Netlist, Port, Tile};

/// Something that one packet at a time has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Buffer(Tile, Port),
    Arbiter(Tile, u8),
}

/// The resources of a stream: each with the input it is reached from and its place in the tree.
struct Tree {
    nodes: Vec<Resource>,
    parent: Vec<Option<usize>>,
}

impl Tree {
    fn new(stream: &Stream, wires: &BTreeMap<(Tile, Port), (Tile, Port)>) -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            parent: Vec::new(),
        };
        let mut buffers: BTreeMap<(Tile, &Port), usize> = BTreeMap::new();
        // Breadth first: an input's feeder comes before the input.
        let mut fed_by: BTreeMap<(Tile, Port), usize> = BTreeMap::new();
        for hop in &stream.hops {
            let place = (hop.tile, hop.from.clone());
            let buffer = *buffers.entry((hop.tile, &hop.from)).or_insert_with(|| {
                let parent = fed_by.get(&place).copied();
                tree.add(Resource::Buffer(hop.tile, hop.from.clone()), parent)
            });
            let arbiter = Resource::Arbiter(hop.tile, hop.arbiter.unwrap_or_default());
            let known = (0..tree.nodes.len())
                .find(|n| tree.parent[*n] == Some(buffer) && tree.nodes[*n] == arbiter);
            let arbiter = known.unwrap_or_else(|| tree.add(arbiter, Some(buffer)));
            if let Some(next) = wires.get(&(hop.tile, hop.to.clone())) {
                fed_by.insert(next.clone(), arbiter);
            }
        }
        tree
    }

    fn add(&mut self, resource: Resource, parent: Option<usize>) -> usize {
        self.nodes.push(resource);
        self.parent.push(parent);
        self.nodes.len() - 1
    }

    /// A node and all above it, upwards.
    fn up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |n| self.parent[*n])
    }

    /// Whether Q, which has a node of the same resource, can be in the way of the own node.
    fn blocked_by(&self, own: usize, other: &Tree, theirs: usize) -> bool {
        match self.nodes[own] {
            Resource::Buffer(..) => true,
            Resource::Arbiter(..) => {
                let input = |tree: &Tree, n: usize| tree.parent[n].map(|p| tree.nodes[p].clone());
                input(self, own) != input(other, theirs)
            }
        }
    }
}

type State = (usize, usize);

/// The cycles, one sentence each.
pub fn cycles(netlist: &Netlist, streams: &[Stream]) -> Vec<String> {
    let device = super::device::Device::named(&netlist.device);
    let mut wires = BTreeMap::new();
    for hop in streams.iter().flat_map(|stream| &stream.hops) {
        let end = device.and_then(|d| d.wire(hop.tile, &hop.to));
        wires.extend(end.map(|end| ((hop.tile, hop.to.clone()), end)));
    }
    let packets = streams.iter().filter(|stream| stream.packet.is_some());
    let trees: Vec<Tree> = packets.map(|stream| Tree::new(stream, &wires)).collect();
    let edges = edges(&trees);
    let mut findings = Vec::new();
    for cycle in components(&edges) {
        if !ordered(&trees, &cycle) {
            let held: BTreeSet<&Resource> =
                cycle.iter().map(|(p, n)| &trees[*p].nodes[*n]).collect();
            findings.push(format!("packets can wait in a cycle: {held:?}"));
        }
    }
    findings
}

fn edges(trees: &[Tree]) -> BTreeMap<State, Vec<State>> {
    let mut users: BTreeMap<&Resource, Vec<State>> = BTreeMap::new();
    for (p, tree) in trees.iter().enumerate() {
        for (n, resource) in tree.nodes.iter().enumerate() {
            users.entry(resource).or_default().push((p, n));
        }
    }
    let mut edges: BTreeMap<State, Vec<State>> = BTreeMap::new();
    for (p, tree) in trees.iter().enumerate() {
        for held in 0..tree.nodes.len() {
            let above: BTreeSet<usize> = tree.up(held).collect();
            let list = edges.entry((p, held)).or_default();
            for wanted in (0..tree.nodes.len()).filter(|n| !above.contains(n)) {
                for (q, theirs) in &users[&tree.nodes[wanted]] {
                    if *q != p && tree.blocked_by(wanted, &trees[*q], *theirs) {
                        list.push((*q, *theirs));
                    }
                }
            }
        }
    }
    edges
}

/// The strongly connected components with more than one state: what is reached forward and
/// backward from the least state that is left.
fn components(edges: &BTreeMap<State, Vec<State>>) -> Vec<Vec<State>> {
    let mut back: BTreeMap<State, Vec<State>> = BTreeMap::new();
    for (from, list) in edges {
        for to in list {
            back.entry(*to).or_default().push(*from);
        }
    }
    // Kosaraju: states in the order in which a walk leaves them, then back walks from the last.
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    for start in edges.keys() {
        let mut stack = vec![(*start, 0)];
        if !seen.insert(*start) {
            continue;
        }
        while let Some((state, next)) = stack.pop() {
            match edges.get(&state).and_then(|list| list.get(next)) {
                None => order.push(state),
                Some(to) => {
                    stack.push((state, next + 1));
                    if seen.insert(*to) {
                        stack.push((*to, 0));
                    }
                }
            }
        }
    }
    let mut left = seen;
    let mut list = Vec::new();
    for start in order.into_iter().rev() {
        if !left.remove(&start) {
            continue;
        }
        let mut part = vec![start];
        let mut at = 0;
        while let Some(state) = part.get(at).copied() {
            at += 1;
            for from in back.get(&state).into_iter().flatten() {
                if left.remove(from) {
                    part.push(*from);
                }
            }
        }
        if part.len() > 1 {
            list.push(part);
        }
    }
    list
}

/// Whether all streams of a cycle pass one place and go the same ways from there to what they
/// hold in the cycle.
fn ordered(trees: &[Tree], cycle: &[State]) -> bool {
    let path = |(p, n): &State| -> Vec<&Resource> {
        trees[*p].up(*n).map(|n| &trees[*p].nodes[n]).collect()
    };
    let Some(first) = cycle.first().map(path) else {
        return true;
    };
    first.iter().any(|place| {
        let mut ways: BTreeMap<&Resource, Vec<&Resource>> = BTreeMap::new();
        cycle.iter().all(|state| {
            let path = path(state);
            let Some(at) = path.iter().position(|r| r == place) else {
                return false;
            };
            let way = path[..=at].to_vec();
            *ways.entry(path[0]).or_insert_with(|| way.clone()) == way
        })
    })
}
