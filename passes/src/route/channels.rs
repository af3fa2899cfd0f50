//! Routing channels: the free wires of a switch graph by the tiles they join, and trees of them.
//!
//! The wires from a tile to the next differ in their tracks only, so the exact search
//! ([`super::exact`]) looks at them together, and [`super::tracks`] tells them apart again.

use aiec_device::{Bundle, TileLoc};
use rustc_hash::FxHashSet;

use super::graph::{Node, SwitchGraph};

/// The free wires from one tile to a neighbour.
#[derive(Debug)]
pub(super) struct RoutingChannel {
    /// Where it begins.
    pub from: TileLoc,
    /// Where it ends.
    pub to: TileLoc,
    /// The outputs that it begins at.
    pub side: Bundle,
    /// Output and input of each wire.
    pub tracks: Vec<(Node, Node)>,
}

/// The channels of a graph and what may come after each.
pub(super) struct ChannelGraph {
    /// By the tile they leave, column by column.
    pub list: Vec<RoutingChannel>,
    /// For each channel those that may come after it.
    pub next: Vec<Vec<u32>>,
    /// For each channel those that may come before it.
    pub before: Vec<Vec<u32>>,
}

impl ChannelGraph {
    /// The channels of a graph without some nodes.
    pub fn new(graph: &SwitchGraph, blocked: &[Node]) -> ChannelGraph {
        let mut taken = vec![false; graph.len()];
        for node in blocked {
            taken[*node as usize] = true;
        }
        let mut list: Vec<RoutingChannel> = Vec::new();
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
                Some(channel) => channel.tracks.push((master, slave)),
                None => list.push(RoutingChannel {
                    from: info.tile,
                    to: info.at,
                    side,
                    tracks: vec![(master, slave)],
                }),
            }
        }
        let mut channels = ChannelGraph {
            next: vec![Vec::new(); list.len()],
            before: vec![Vec::new(); list.len()],
            list,
        };
        // Channels are sorted by the tile they leave.
        for at in 0..channels.list.len() {
            for after in channels.leaving(channels.list[at].to) {
                if channels.joined(graph, at, after) {
                    channels.next[at].push(after as u32);
                    channels.before[after].push(at as u32);
                }
            }
        }
        channels
    }

    /// The channels out of a tile.
    fn leaving(&self, tile: TileLoc) -> std::ops::Range<usize> {
        let key = |channel: &RoutingChannel| (channel.from.col, channel.from.row);
        let start = self.list.partition_point(|r| key(r) < (tile.col, tile.row));
        let end = self
            .list
            .partition_point(|r| key(r) <= (tile.col, tile.row));
        start..end
    }

    fn joined(&self, graph: &SwitchGraph, at: usize, after: usize) -> bool {
        let masters: FxHashSet<Node> = self.list[after].tracks.iter().map(|l| l.0).collect();
        let mut slaves = self.list[at].tracks.iter();
        slaves.any(|(_, slave)| graph.next(*slave).iter().any(|m| masters.contains(m)))
    }

    /// The channels that a source may be connected to.
    pub fn out_of_source(&self, graph: &SwitchGraph, source: Node) -> Vec<u32> {
        let next = graph.next(source);
        let leaving = self.leaving(graph.info(source).tile);
        let fits = |at: &usize| self.list[*at].tracks.iter().any(|l| next.contains(&l.0));
        leaving.filter(fits).map(|at| at as u32).collect()
    }

    /// The channels that may be connected to a sink.
    pub fn to_sink(&self, graph: &SwitchGraph, sink: Node) -> Vec<u32> {
        let tile = graph.info(sink).tile;
        let fits = |channel: &RoutingChannel| {
            let mut slaves = channel.tracks.iter().map(|track| track.1);
            channel.to == tile && slaves.any(|slave| graph.next(slave).contains(&sink))
        };
        let list = self.list.iter().enumerate();
        list.filter(|(_, channel)| fits(channel))
            .map(|(at, _)| at as u32)
            .collect()
    }
}

/// A tree of channels from a source.
pub(super) struct ChannelTree {
    /// Where it begins.
    pub source: Node,
    /// Each channel with the place in this list of the one before it, if it doesn't begin at the
    /// source; that one comes earlier.
    pub channels: Vec<(u32, Option<usize>)>,
    /// Each sink with the place of the channel that feeds it, if the source doesn't.
    pub sinks: Vec<(Node, Option<usize>)>,
}

impl ChannelTree {
    /// Without the channels that lead to no sink.
    pub fn pruned(self) -> ChannelTree {
        let mut needed = vec![false; self.channels.len()];
        for (_, feeder) in &self.sinks {
            let mut at = *feeder;
            while let Some(channel) = at.filter(|channel| !needed[*channel]) {
                needed[channel] = true;
                at = self.channels[channel].1;
            }
        }
        let mut place = vec![None; needed.len()];
        let mut channels = Vec::new();
        for (at, (channel, before)) in self.channels.iter().enumerate() {
            if needed[at] {
                place[at] = Some(channels.len());
                channels.push((*channel, before.and_then(|before| place[before])));
            }
        }
        let sinks = self.sinks.iter();
        ChannelTree {
            source: self.source,
            sinks: sinks
                .map(|(s, at)| (*s, at.and_then(|at| place[at])))
                .collect(),
            channels,
        }
    }
}
