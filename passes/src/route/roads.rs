//! Roads: the free wires of a switch graph by the tiles they join, and trees of them.
//!
//! The wires from a tile to the next differ in their lanes only, so the complete search
//! ([`super::exact`]) looks at them together, and [`super::lanes`] tells them apart again.

use std::collections::BTreeSet;

use aiec_device::{Bundle, TileLoc};

use super::graph::{Node, SwitchGraph};

/// The free wires from one tile to a neighbour.
#[derive(Debug)]
pub(super) struct Road {
    /// Where it begins.
    pub from: TileLoc,
    /// Where it ends.
    pub to: TileLoc,
    /// The outputs that it begins at.
    pub side: Bundle,
    /// Output and input of each wire.
    pub lanes: Vec<(Node, Node)>,
}

/// The roads of a graph and what may come after each.
pub(super) struct Roads {
    /// By the tile they leave, column by column.
    pub list: Vec<Road>,
    /// For each road those that may come after it.
    pub next: Vec<Vec<u32>>,
    /// For each road those that may come before it.
    pub before: Vec<Vec<u32>>,
}

impl Roads {
    /// The roads of a graph without some nodes.
    pub fn new(graph: &SwitchGraph, blocked: &[Node]) -> Roads {
        let mut taken = vec![false; graph.len()];
        for node in blocked {
            taken[*node as usize] = true;
        }
        let mut list: Vec<Road> = Vec::new();
        for master in 0..graph.len() as Node {
            let info = *graph.info(master);
            let far = graph.next(master).first().copied().filter(|_| info.wired);
            let free = |slave: &Node| !taken[master as usize] && !taken[*slave as usize];
            let Some(slave) = far.filter(free) else {
                continue;
            };
            // The ports of a bundle follow one another.
            let side = info.port.bundle;
            match list
                .last_mut()
                .filter(|r| (r.from, r.side) == (info.tile, side))
            {
                Some(road) => road.lanes.push((master, slave)),
                None => list.push(Road {
                    from: info.tile,
                    to: info.at,
                    side,
                    lanes: vec![(master, slave)],
                }),
            }
        }
        let mut roads = Roads {
            next: vec![Vec::new(); list.len()],
            before: vec![Vec::new(); list.len()],
            list,
        };
        // Roads are sorted by the tile they leave.
        for at in 0..roads.list.len() {
            for after in roads.leaving(roads.list[at].to) {
                if roads.joined(graph, at, after) {
                    roads.next[at].push(after as u32);
                    roads.before[after].push(at as u32);
                }
            }
        }
        roads
    }

    /// The roads out of a tile.
    fn leaving(&self, tile: TileLoc) -> std::ops::Range<usize> {
        let key = |road: &Road| (road.from.col, road.from.row);
        let start = self.list.partition_point(|r| key(r) < (tile.col, tile.row));
        let end = self
            .list
            .partition_point(|r| key(r) <= (tile.col, tile.row));
        start..end
    }

    fn joined(&self, graph: &SwitchGraph, at: usize, after: usize) -> bool {
        let masters: BTreeSet<Node> = self.list[after].lanes.iter().map(|l| l.0).collect();
        let mut slaves = self.list[at].lanes.iter();
        slaves.any(|(_, slave)| graph.next(*slave).iter().any(|m| masters.contains(m)))
    }

    /// The roads that a source may be connected to.
    pub fn out_of_source(&self, graph: &SwitchGraph, source: Node) -> Vec<u32> {
        let next = graph.next(source);
        let leaving = self.leaving(graph.info(source).tile);
        let fits = |at: &usize| self.list[*at].lanes.iter().any(|l| next.contains(&l.0));
        leaving.filter(fits).map(|at| at as u32).collect()
    }

    /// The roads that may be connected to a sink.
    pub fn to_sink(&self, graph: &SwitchGraph, sink: Node) -> Vec<u32> {
        let tile = graph.info(sink).tile;
        let fits = |road: &Road| {
            let mut slaves = road.lanes.iter().map(|lane| lane.1);
            road.to == tile && slaves.any(|slave| graph.next(slave).contains(&sink))
        };
        let list = self.list.iter().enumerate();
        list.filter(|(_, road)| fits(road))
            .map(|(at, _)| at as u32)
            .collect()
    }
}

/// A tree of roads from a source.
pub(super) struct Tree {
    /// Where it begins.
    pub source: Node,
    /// Each road with the place in this list of the one before it, if it doesn't begin at the
    /// source; that one comes earlier.
    pub roads: Vec<(u32, Option<usize>)>,
    /// Each sink with the place of the road that feeds it, if the source doesn't.
    pub sinks: Vec<(Node, Option<usize>)>,
}

impl Tree {
    /// Without the roads that lead to no sink.
    pub fn pruned(self) -> Tree {
        let mut needed = vec![false; self.roads.len()];
        for (_, feeder) in &self.sinks {
            let mut at = *feeder;
            while let Some(road) = at.filter(|road| !needed[*road]) {
                needed[road] = true;
                at = self.roads[road].1;
            }
        }
        let mut place = vec![None; needed.len()];
        let mut roads = Vec::new();
        for (at, (road, before)) in self.roads.iter().enumerate() {
            if needed[at] {
                place[at] = Some(roads.len());
                roads.push((*road, before.and_then(|before| place[before])));
            }
        }
        let sinks = self.sinks.iter();
        Tree {
            source: self.source,
            sinks: sinks
                .map(|(s, at)| (*s, at.and_then(|at| place[at])))
                .collect(),
            roads,
        }
    }
}
