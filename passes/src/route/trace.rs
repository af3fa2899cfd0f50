//! Following streams through switch settings, wire by wire, and finding the flows that a routed
//! netlist implements.
//!
//! This knows nothing of how routes were found; the checker and the routing pictures build on it.

use std::collections::BTreeSet;

use aiec_device::{Bundle, Port, TileKind, TileLoc};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::net::NetKind;
use crate::analysis::switches::Switches;

/// Largest packet id.
const MAX_ID: u8 = 31;

/// A stream's connection through one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    /// The switch.
    pub tile: TileLoc,
    /// Where the stream comes in.
    pub slave: Port,
    /// Where it goes out.
    pub master: Port,
}

/// Where a stream goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamTrace {
    /// Its hops through switches, in the order of discovery (breadth first).
    pub hops: Vec<Hop>,
    /// Outputs without a wire that it arrives at: switch ports (`South k` for a shim DMA).
    pub ends: BTreeSet<(TileLoc, Port)>,
    /// Outputs with a wire whose other end doesn't take the stream on.
    pub dangling: BTreeSet<(TileLoc, Port)>,
}

impl StreamTrace {
    /// All ports at which the stream ends.
    pub fn all_ends(&self) -> BTreeSet<(TileLoc, Port)> {
        let mut all = self.ends.clone();
        all.extend(&self.dangling);
        all
    }
}

/// Follows a stream from an input of a switch.
pub fn follow(switches: &Switches, from: (TileLoc, Port), kind: NetKind) -> StreamTrace {
    let mut walk = StreamTrace::default();
    let mut seen = FxHashSet::from_iter([from]);
    let mut queue = vec![from];
    let mut at = 0;
    while let Some((tile, slave)) = queue.get(at).copied() {
        at += 1;
        for master in outputs(switches, tile, slave, kind) {
            walk.hops.push(Hop {
                tile,
                slave,
                master,
            });
            match switches.device.wire_from(tile, master) {
                None => {
                    walk.ends.insert((tile, master));
                }
                Some(next) if outputs(switches, next.0, next.1, kind).is_empty() => {
                    walk.dangling.insert((tile, master));
                }
                Some(next) => {
                    if seen.insert(next) {
                        queue.push(next);
                    }
                }
            }
        }
    }
    walk
}

fn outputs(switches: &Switches, tile: TileLoc, slave: Port, kind: NetKind) -> Vec<Port> {
    let Some(switch) = switches.switch(tile) else {
        return Vec::new();
    };
    let mut list: Vec<Port> = switch.circuit_outputs(slave).collect();
    if let NetKind::Packet(id) = kind {
        list.extend(switch.packet_outputs(slave, id));
    }
    list
}

/// A flow that switch settings implement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFlow {
    /// Circuit or packet.
    pub circuit: bool,
    /// The packet ids that take exactly this way, ascending; empty for circuits. Rules may match
    /// more ids than the netlist uses.
    pub ids: Vec<u8>,
    /// Where it starts: a tile's own port, or the port outside the shim mux.
    pub source: (TileLoc, Port),
    /// Where it ends, likewise.
    pub sinks: Vec<(TileLoc, Port)>,
    /// Its hops through switches.
    pub hops: Vec<Hop>,
}

/// All flows of a routed device, by source and id; streams that arrive nowhere are left out.
pub fn find_flows(switches: &Switches) -> Vec<FoundFlow> {
    let mut flows = Vec::new();
    for (tile, switch) in &switches.tiles {
        let circuits = switch.connections.iter().map(|c| c.from);
        let packets = switch.slaves.iter().map(|s| s.port);
        let mut slaves = BTreeSet::new();
        slaves.extend(circuits.chain(packets));
        for slave in slaves
            .into_iter()
            .filter(|s| starts_here(switches, *tile, *s))
        {
            flows_from(switches, (*tile, slave), &mut flows);
        }
    }
    flows
}

/// Whether nothing in the array drives an input.
fn starts_here(switches: &Switches, tile: TileLoc, slave: Port) -> bool {
    let wire = switches.device.wire_into(tile, slave);
    !wire.is_some_and(|(from, master)| {
        let switch = switches.switch(from);
        switch.is_some_and(|switch| switch.driver(master).is_some())
    })
}

fn flows_from(switches: &Switches, from: (TileLoc, Port), flows: &mut Vec<FoundFlow>) {
    let Some(switch) = switches.switch(from.0) else {
        return;
    };
    let found = |walk: StreamTrace, circuit: bool, ids: Vec<u8>| FoundFlow {
        circuit,
        ids,
        source: outer_source(switches, from),
        sinks: outer_sinks(switches, &walk),
        hops: walk.hops,
    };
    let circuit = switch.circuit_outputs(from.1).next().is_some();
    if circuit {
        let walk = follow(switches, from, NetKind::Circuit);
        if !walk.ends.is_empty() {
            flows.push(found(walk, true, Vec::new()));
            return;
        }
    }
    let mut by_hops: IndexMap<Vec<Hop>, (StreamTrace, Vec<u8>), FxBuildHasher> =
        IndexMap::default();
    for id in 0..=MAX_ID {
        let walk = follow(switches, from, NetKind::Packet(id));
        // Packets may begin on a circuit that leads to rules.
        let whole = !circuit || walk.dangling.is_empty();
        if whole && !walk.ends.is_empty() {
            let entry = by_hops.entry(walk.hops.clone());
            let (_, ids) = entry.or_insert((walk, Vec::new()));
            ids.push(id);
        }
    }
    let traces = by_hops.into_values();
    flows.extend(traces.map(|(walk, ids)| found(walk, false, ids)));
}

fn is_shim(switches: &Switches, tile: TileLoc) -> bool {
    switches
        .device
        .tile_kind(tile)
        .is_some_and(TileKind::is_shim)
}

fn outer_source(switches: &Switches, (tile, port): (TileLoc, Port)) -> (TileLoc, Port) {
    if port.bundle == Bundle::South && is_shim(switches, tile) {
        let outer = switches.mux_source(tile, port.channel);
        return (tile, outer.map_or(port, |connection| connection.from));
    }
    (tile, port)
}

fn outer_sinks(switches: &Switches, walk: &StreamTrace) -> Vec<(TileLoc, Port)> {
    let mut sinks = BTreeSet::new();
    for (tile, port) in &walk.ends {
        let before = sinks.len();
        if port.bundle == Bundle::South && is_shim(switches, *tile) {
            let outer = switches.mux_sinks(*tile, port.channel);
            sinks.extend(outer.map(|connection| (*tile, connection.to)));
        }
        if sinks.len() == before {
            sinks.insert((*tile, *port));
        }
    }
    sinks.into_iter().collect()
}
