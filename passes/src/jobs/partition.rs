//! Division of a sequence among controllers.
//!
//! Each column's controller does the work of its column, so that columns work at the same time.
//! Where they don't, as each step waits for another column, that costs more than it brings: every
//! step ends at a barrier. So the work of such stretches may go to one controller. [`partition`]
//! makes candidates, estimates each ([`super::estimate`]), and takes another one than the division
//! by columns only where it is estimated to be well below it.
//!
//! In hardware a token reaches the controller of its column. So waits are left where they are, but
//! where everything in one job is estimated to be well below all that leaves them.

use std::collections::BTreeSet;

use aiec_device::DeviceModel;
use rustc_hash::FxHashMap;

use super::Jobs;
use super::barriers::places;
use super::estimate;
use super::graph::{Graph, GraphInput, NodeKind, Reassignment};
use super::schedule::schedule;

/// The graph of some work, with the division that is estimated to take the least.
pub fn partition(model: &'static DeviceModel, work: &GraphInput<'_>, jobs: Jobs) -> Graph {
    let by_columns = Graph::of_work(model, work, jobs, &Reassignment::default());
    let clusters = clusters(&by_columns);
    if clusters.is_empty() {
        return by_columns;
    }
    let mut tried = vec![Reassignment::default()];
    let mut best = Candidate::of(model, by_columns, jobs);
    // The graph by columns, whose nodes the candidates below are about.
    let columns = best.graph.clone();
    let mut moving = Vec::new();
    for way in Grouping::ALL {
        let moved = moved(&columns, &clusters, way);
        if tried.contains(&moved) {
            continue;
        }
        tried.push(moved.clone());
        if moves_waits(&columns, &moved) {
            moving.push(moved);
            continue;
        }
        let graph = Graph::of_work(model, work, jobs, &moved);
        best = best.or(Candidate::of(model, graph, jobs));
    }
    if moving.is_empty() {
        return best.graph;
    }
    let alone = Graph::of_work(model, work, Jobs::Single, &Reassignment::default());
    let alone = Candidate::of(model, alone, Jobs::Single);
    if !estimate::well_below(alone.cycles, best.cycles) {
        return best.graph;
    }
    for moved in moving {
        let graph = Graph::of_work(model, work, jobs, &moved);
        best = best.or(Candidate::of(model, graph, jobs));
    }
    best.graph
}

/// A graph and the cycles that its plan is estimated to take.
struct Candidate {
    graph: Graph,
    cycles: u64,
}

impl Candidate {
    fn of(model: &'static DeviceModel, graph: Graph, jobs: Jobs) -> Candidate {
        let cycles = estimate::cycles(model, &schedule(model, &graph, jobs));
        Candidate { graph, cycles }
    }

    /// The other one if it is well below this.
    fn or(self, other: Candidate) -> Candidate {
        if estimate::well_below(other.cycles, self.cycles) {
            other
        } else {
            self
        }
    }
}

/// Grouping of work that is kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    /// Stretches in which one controller works at a time, as far as one controller waits in them.
    StretchesOfOneThatWaits,
    /// All such stretches.
    Stretches,
    /// Everything of controllers that need one another.
    Clusters,
}

impl Grouping {
    const ALL: [Grouping; 3] = [
        Grouping::StretchesOfOneThatWaits,
        Grouping::Stretches,
        Grouping::Clusters,
    ];
}

/// Nodes of the sequence between two places at which controllers of a cluster meet.
type Segment = Vec<usize>;

/// Controllers of which each needs what another does during the sequence: their segments in
/// program order.
fn clusters(graph: &Graph) -> Vec<Vec<Segment>> {
    let edges: Vec<(usize, usize)> = graph
        .remote_edges()
        .filter(|edge| !graph.nodes[edge.from].configures)
        .map(|edge| (edge.from, edge.to))
        .collect();
    let mut of: FxHashMap<u32, u32> = FxHashMap::default();
    for (from, to) in &edges {
        let [a, b] = [from, to].map(|node| graph.nodes[*node].uc);
        let [a, b] = [a, b].map(|uc| *of.entry(uc).or_insert(uc));
        let (low, high) = (a.min(b), a.max(b));
        // Few controllers: all of the higher number go to the lower one.
        for cluster in of.values_mut().filter(|cluster| **cluster == high) {
            *cluster = low;
        }
    }
    let party = |node: usize| graph.nodes[node].uc;
    let mut cuts: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for meeting in places(&party, &edges) {
        let cluster = meeting.parties.first().and_then(|uc| of.get(uc));
        if let Some(cluster) = cluster {
            cuts.entry(*cluster).or_default().push(meeting.before);
        }
    }
    let cut = |cluster: &u32| cuts.get(cluster).map_or(&[][..], Vec::as_slice);
    let mut clusters: Vec<Vec<Segment>> = Vec::new();
    // Backwards, as an image that may move belongs to what comes next on its controller.
    let mut next: FxHashMap<u32, usize> = FxHashMap::default();
    let first = graph.first_of_sequence();
    for (at, node) in graph.nodes.iter().enumerate().skip(first).rev() {
        let Some(cluster) = of.get(&node.uc) else {
            continue;
        };
        let cuts = cut(cluster);
        let mut segment = cuts.partition_point(|before| *before <= at);
        if node.hoistable {
            segment = next.get(&node.uc).copied().unwrap_or(segment);
        } else {
            next.insert(node.uc, segment);
        }
        let cluster = *cluster as usize;
        clusters.resize(clusters.len().max(cluster + 1), Vec::new());
        clusters[cluster].resize(cuts.len() + 1, Segment::new());
        clusters[cluster][segment].push(at);
    }
    clusters.retain(|segments| !segments.is_empty());
    for segment in clusters.iter_mut().flatten() {
        segment.reverse();
    }
    clusters
}

/// Controllers that have some of the nodes, with how many.
fn parties(graph: &Graph, nodes: &[usize]) -> FxHashMap<u32, usize> {
    let mut parties = FxHashMap::default();
    for node in nodes {
        *parties.entry(graph.nodes[*node].uc).or_insert(0) += 1;
    }
    parties
}

/// Controllers that wait for tokens in some of the nodes.
fn waiting(graph: &Graph, nodes: &[usize]) -> BTreeSet<u32> {
    let nodes = nodes.iter().map(|node| &graph.nodes[*node]);
    let waits = nodes.filter(|node| matches!(node.kind, NodeKind::Wait(_)));
    waits.map(|node| node.uc).collect()
}

fn moves_waits(graph: &Graph, moved: &Reassignment) -> bool {
    let first = graph.first_of_sequence();
    let mut moved = moved.keys();
    moved.any(|step| matches!(graph.nodes[first + step].kind, NodeKind::Wait(_)))
}

/// Operations moved to other controllers than those of their columns, if work is kept together.
fn moved(graph: &Graph, clusters: &[Vec<Segment>], way: Grouping) -> Reassignment {
    let mut moved = Reassignment::default();
    for segments in clusters {
        if way == Grouping::Clusters {
            gather(graph, &segments.concat(), &mut moved);
            continue;
        }
        let mut stretch: Vec<usize> = Vec::new();
        let mut waits: BTreeSet<u32> = BTreeSet::new();
        for segment in segments {
            let alone = parties(graph, segment).len() <= 1;
            let more = waiting(graph, segment);
            let one_waits = waits.union(&more).count() <= 1;
            if !alone || !(one_waits || way == Grouping::Stretches) {
                gather(graph, &std::mem::take(&mut stretch), &mut moved);
                waits.clear();
            }
            if alone {
                stretch.extend(segment);
                waits.extend(more);
            }
        }
        gather(graph, &stretch, &mut moved);
    }
    moved
}

/// Keeps nodes on one controller: the one that waits in them, else the one that has most of them.
fn gather(graph: &Graph, nodes: &[usize], moved: &mut Reassignment) {
    let parties = parties(graph, nodes);
    if parties.len() < 2 {
        return;
    }
    let waiting = waiting(graph, nodes);
    let most = |uc: &u32| (parties.get(uc).copied(), std::cmp::Reverse(*uc));
    let best = if waiting.is_empty() {
        parties.keys().copied().max_by_key(most)
    } else {
        waiting.iter().copied().max_by_key(most)
    };
    let first = graph.first_of_sequence();
    for node in nodes {
        if let Some(best) = best.filter(|best| graph.nodes[*node].uc != *best) {
            moved.insert(node - first, best);
        }
    }
}
