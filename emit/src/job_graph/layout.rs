//! Where the nodes of a job graph are drawn: columns of controllers, with a column of its own for each
//! lane that works at the same time; layers downwards, each below what it needs. Edges run in the gaps between
//! layers and columns, so that they cross no box.

use std::collections::BTreeMap;
use std::ops::Range;

use aiec_passes::jobs::graph::Graph;
use rustc_hash::FxHashMap;

use super::View;

/// Tracks for edges between two columns, and between two layers.
pub const VERTICAL_TRACKS: usize = 8;
pub const HORIZONTAL_TRACKS: usize = 4;

/// A box on the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridPlace {
    /// Its column.
    pub column: usize,
    /// Its layer.
    pub layer: usize,
}

/// Tracks of an edge, from the bottom of the box that it leaves to the side of the one that it
/// enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeTracks {
    /// Track below the layer of its start.
    pub horizontal: usize,
    /// The gap between columns that it goes down in, the one left of the column of this number.
    pub gap: usize,
    /// Track in that gap.
    pub vertical: usize,
}

/// A graph on the grid.
#[derive(Debug, Default)]
pub struct JobLayout {
    /// Of each node.
    pub places: Vec<GridPlace>,
    /// The layer of each meeting.
    pub meetings: Vec<usize>,
    /// The columns of each controller, by its number.
    pub controllers: Vec<(u32, Range<usize>)>,
    /// The nodes of each lane, in order.
    pub lanes: Vec<Vec<usize>>,
    /// Number of layers.
    pub layers: usize,
    /// Number of columns.
    pub columns: usize,
}

/// Controller and component: what is done in program order.
type Lane = (u32, usize);

impl JobLayout {
    /// Lays out a graph with its meetings.
    pub fn of(view: &View) -> JobLayout {
        let graph = &view.loaded.graph;
        let mut layout = JobLayout::default();
        layout.assign_layers(view);
        let mut lanes: BTreeMap<Lane, Vec<usize>> = BTreeMap::new();
        for (at, node) in graph.nodes.iter().enumerate() {
            lanes.entry((node.uc, node.component)).or_default().push(at);
        }
        layout.assign_columns(graph, &lanes);
        layout.lanes = lanes.into_values().collect();
        layout
    }

    fn assign_layers(&mut self, view: &View) {
        let graph = &view.loaded.graph;
        let mut edges: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.to, e.from)).collect();
        for join in &view.local_syncs {
            // Each goes on by itself.
            let pairs = join
                .from
                .iter()
                .flat_map(|from| join.to.iter().map(move |to| (*to, *from)));
            edges.extend(pairs.filter(|(to, from)| from < to));
        }
        edges.sort_unstable();
        let mut edges = edges.into_iter().peekable();
        let mut meetings = view.meetings.iter().peekable();
        let mut lanes: FxHashMap<Lane, usize> = FxHashMap::default();
        // The first layer that is free in all lanes of a controller, and the first after its last meeting.
        let mut free: BTreeMap<u32, usize> = BTreeMap::new();
        let mut behind: FxHashMap<u32, usize> = FxHashMap::default();
        // A sequence begins on a page of its own, below the configuration.
        let mut configured: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, node) in graph.nodes.iter().enumerate() {
            while let Some(meeting) = meetings.next_if(|meeting| meeting.before <= at) {
                self.meet(&meeting.parties, &mut free, &mut behind);
            }
            let lane = (node.uc, node.component);
            let configuration = configured.get(&node.uc).filter(|_| !node.configures);
            let known = [lanes.get(&lane), behind.get(&node.uc), configuration];
            let mut layer = known.into_iter().flatten().copied().max().unwrap_or(0);
            while let Some((_, from)) = edges.next_if(|(to, _)| *to <= at) {
                layer = layer.max(self.places[from].layer + 1);
            }
            self.places.push(GridPlace { column: 0, layer });
            lanes.insert(lane, layer + 1);
            if node.configures {
                let below = configured.entry(node.uc).or_default();
                *below = (*below).max(layer + 1);
            }
            let first = free.entry(node.uc).or_default();
            *first = (*first).max(layer + 1);
            self.layers = self.layers.max(layer + 1);
        }
        for meeting in meetings {
            self.meet(&meeting.parties, &mut free, &mut behind);
        }
    }

    fn meet(
        &mut self,
        parties: &[u32],
        free: &mut BTreeMap<u32, usize>,
        behind: &mut FxHashMap<u32, usize>,
    ) {
        // The bar has a layer that no controller between the parties uses.
        let (first, last) = (parties.first(), parties.last());
        let span = match (first, last) {
            (Some(first), Some(last)) => free.range(*first..=*last),
            _ => free.range(..),
        };
        let layer = span.map(|(_, layer)| *layer).max().unwrap_or(0);
        self.meetings.push(layer);
        self.layers = self.layers.max(layer + 1);
        if let (Some(first), Some(last)) = (first, last) {
            // Others don't wait there, but are drawn below.
            for (_, layer_of) in free.range_mut(*first..=*last) {
                *layer_of = layer + 1;
            }
            for uc in free.range(*first..=*last).map(|(uc, _)| *uc) {
                behind.insert(uc, layer + 1);
            }
        }
        for uc in parties {
            free.insert(*uc, layer + 1);
            behind.insert(*uc, layer + 1);
        }
    }

    /// Lanes of a controller share a column if one begins below the end of the other.
    fn assign_columns(&mut self, graph: &Graph, lanes: &BTreeMap<Lane, Vec<usize>>) {
        let lanes: Vec<(u32, &Vec<usize>)> =
            lanes.iter().map(|(key, nodes)| (key.0, nodes)).collect();
        for lanes in lanes.chunk_by(|(a, _), (b, _)| a == b) {
            let uc = lanes[0].0;
            let mut lanes: Vec<&Vec<usize>> = lanes.iter().map(|(_, nodes)| *nodes).collect();
            let first_layer = |nodes: &Vec<usize>| self.places[nodes[0]].layer;
            lanes.sort_by_key(|nodes| {
                (
                    !graph.nodes[nodes[0]].configures,
                    first_layer(nodes),
                    nodes[0],
                )
            });
            // The layers that each column has used.
            let mut used: Vec<usize> = Vec::new();
            for nodes in lanes {
                let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
                let (first, last) = (self.places[first].layer, self.places[last].layer);
                let column = used.iter().position(|end| *end <= first);
                let column = column.unwrap_or_else(|| {
                    used.push(0);
                    used.len() - 1
                });
                used[column] = last + 1;
                for node in nodes {
                    self.places[*node].column = self.columns + column;
                }
            }
            let columns = self.columns..self.columns + used.len();
            self.controllers.push((uc, columns));
            self.columns += used.len();
        }
    }

    /// The tracks of edges, in their order; none for those that go straight down.
    pub fn tracks(&self, edges: &[(usize, usize)]) -> Vec<Option<EdgeTracks>> {
        let mut vertical: FxHashMap<usize, [usize; VERTICAL_TRACKS]> = FxHashMap::default();
        let mut horizontal: FxHashMap<usize, usize> = FxHashMap::default();
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|at| (self.places[edges[*at].0].layer, edges[*at]));
        let mut tracks = vec![None; edges.len()];
        for at in order {
            let [from, to] = [edges[at].0, edges[at].1].map(|node| self.places[node]);
            if from.column == to.column && from.layer + 1 == to.layer {
                continue;
            }
            // From the left into the left side, else by the gap to the right.
            let gap = to.column + usize::from(from.column >= to.column);
            let ends = vertical.entry(gap).or_insert([0; VERTICAL_TRACKS]);
            let free =
                (0..VERTICAL_TRACKS).min_by_key(|track| (ends[*track].max(from.layer), *track));
            let track = free.unwrap_or(0);
            ends[track] = to.layer + 1;
            let row = horizontal.entry(from.layer).or_default();
            *row += 1;
            tracks[at] = Some(EdgeTracks {
                horizontal: (*row - 1) % HORIZONTAL_TRACKS,
                gap,
                vertical: track,
            });
        }
        tracks
    }
}
