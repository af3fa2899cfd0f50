//! Follows one stream from its source through the settings.

use std::collections::{BTreeMap, BTreeSet};

use super::device::Device;
use super::read::{Netlist, Place, Port, Tile};

/// A way through a switch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The switch.
    pub tile: Tile,
    /// Input.
    pub from: Port,
    /// Output.
    pub to: Port,
    /// The arbiter, for packets.
    pub arbiter: Option<u8>,
}

/// Path of a source and an id through the switches.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The packet id; `None` for circuits.
    pub packet: Option<u8>,
    /// Switch ways, breadth first.
    pub hops: Vec<Hop>,
    /// Ends as flows name them.
    pub ends: BTreeSet<Place>,
    /// Faults on the way.
    pub problems: Vec<String>,
}

/// The switch input that a flow's source is.
fn inner_source(device: &Device, tile: Tile, port: &Port) -> Port {
    inner(device, true, tile, port)
}

/// The switch output that a flow's sink is.
pub fn inner_sink(device: &Device, tile: Tile, port: &Port) -> Port {
    inner(device, false, tile, port)
}

fn inner(device: &Device, input: bool, tile: Tile, port: &Port) -> Port {
    match device.behind_mux(input, port) {
        Some(channel) if device.is_shim(tile) => Port {
            bundle: "South".to_string(),
            channel,
        },
        _ => port.clone(),
    }
}

/// Whether the shim mux has a connection.
fn mux_has(netlist: &Netlist, tile: Tile, from: &Port, to: &Port) -> bool {
    let links = netlist.muxes.get(&tile).into_iter().flatten();
    links.into_iter().any(|(a, b)| (a, b) == (from, to))
}

/// Follows a stream.
pub fn follow(device: &Device, netlist: &Netlist, source: &Place, packet: Option<u8>) -> Stream {
    let mut stream = Stream {
        packet,
        hops: Vec::new(),
        ends: BTreeSet::new(),
        problems: Vec::new(),
    };
    let start = inner_source(device, source.0, &source.1);
    if start != source.1 {
        let north = Port {
            bundle: "North".to_string(),
            channel: start.channel,
        };
        if !mux_has(netlist, source.0, &source.1, &north) {
            stream
                .problems
                .push("the shim mux lets nothing in".to_string());
        }
    }
    let mut queue = vec![(source.0, start)];
    let mut driven = BTreeSet::new();
    let mut at = 0;
    while let Some((tile, from)) = queue.get(at).cloned() {
        at += 1;
        for (to, arbiter) in outputs(netlist, tile, &from, packet, &mut stream.problems) {
            if !driven.insert((tile, to.clone())) {
                stream
                    .problems
                    .push(format!("it meets itself at {to:?} of {tile:?}"));
                continue;
            }
            stream.hops.push(Hop {
                tile,
                from: from.clone(),
                to: to.clone(),
                arbiter,
            });
            match device.wire(tile, &to) {
                Some(next) if continues(netlist, &next, packet) => queue.push(next),
                _ => stream.ends.extend(outer_ends(device, netlist, tile, &to)),
            }
        }
    }
    stream
}

/// Whether anything takes a stream on at a switch input.
fn continues(netlist: &Netlist, (tile, from): &Place, packet: Option<u8>) -> bool {
    !outputs(netlist, *tile, from, packet, &mut Vec::new()).is_empty()
}

fn outputs(
    netlist: &Netlist,
    tile: Tile,
    from: &Port,
    packet: Option<u8>,
    problems: &mut Vec<String>,
) -> BTreeMap<Port, Option<u8>> {
    let mut found = BTreeMap::new();
    let Some(switch) = netlist.switches.get(&tile) else {
        return found;
    };
    for (_, to) in switch.connects.iter().filter(|(a, _)| a == from) {
        found.insert(to.clone(), None);
    }
    let (Some(id), Some(rules)) = (packet, switch.rules.get(from)) else {
        return found;
    };
    let matching: Vec<_> = rules
        .iter()
        .filter(|rule| id & rule.mask == rule.value & rule.mask)
        .collect();
    if matching.len() > 1 {
        problems.push(format!(
            "{} rules of {from:?} of {tile:?} match",
            matching.len()
        ));
    }
    if let Some(rule) = matching.first() {
        let outputs = switch.outputs(rule.amsel);
        found.extend(outputs.map(|to| (to.clone(), Some(rule.amsel.0))));
    }
    found
}

/// The ends that an output without a further wire is: beyond the shim mux those it connects.
fn outer_ends(device: &Device, netlist: &Netlist, tile: Tile, to: &Port) -> Vec<Place> {
    if to.bundle != "South" || !device.is_shim(tile) {
        return vec![(tile, to.clone())];
    }
    let north = Port {
        bundle: "North".to_string(),
        channel: to.channel,
    };
    let links = netlist.muxes.get(&tile).into_iter().flatten();
    let outer: Vec<Place> = links
        .into_iter()
        .filter(|(from, _)| *from == north)
        .map(|(_, outer)| (tile, outer.clone()))
        .collect();
    if outer.is_empty() {
        vec![(tile, to.clone())]
    } else {
        outer
    }
}
