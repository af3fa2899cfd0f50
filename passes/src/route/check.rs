//! The checker: does a routed netlist do what its flows asked for, and nothing else?
//!
//! It sees the flows and the switch settings only and follows connections. Checked are:
//!
//! * every connection is legal for its switch, every port exists, mux connections follow wires;
//! * no output is driven twice, no input is a circuit and a packet port at once;
//! * an output belongs to one arbiter; arbiters, msels and rules of an input are within limits;
//! * each source reaches exactly the ports that its flows name, per packet id;
//! * wherever a packet passes, exactly one rule matches its id;
//! * a packet that passes a circuit doesn't end at it, since a circuit keeps the header;
//! * the shim muxes connect the ends beyond them.

use std::collections::BTreeSet;

use aiec_device::{ArchModel, Bundle, Port, TileLoc};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::ends::is_behind_mux;
use super::net::NetKind;
use super::requests::{FlowEnd, FlowRequest};
use super::trace::{StreamTrace, follow};
use crate::analysis::switches::{Switch, Switches};

/// All that is wrong, one sentence each; empty if nothing is.
pub fn check(requests: &[FlowRequest], switches: &Switches) -> Vec<String> {
    let mut findings = Vec::new();
    for (tile, switch) in &switches.tiles {
        check_switch(switches, *tile, switch, &mut findings);
    }
    check_muxes(switches, &mut findings);
    check_flows(requests, switches, &mut findings);
    for request in requests {
        for (ends, source) in [(&request.sources, true), (&request.sinks, false)] {
            for end in ends {
                check_mux_end(switches, end, source, &mut findings);
            }
        }
    }
    findings
}

fn check_switch(switches: &Switches, tile: TileLoc, switch: &Switch, findings: &mut Vec<String>) {
    let device = switches.device;
    let mut report = |text: String| findings.push(format!("switch of tile {tile}: {text}"));
    let mut driven = FxHashSet::default();
    let masters = switch.masters.iter().map(|m| m.port);
    for port in switch.connections.iter().map(|c| c.to).chain(masters) {
        if !driven.insert(port) {
            report(format!("output {port} is driven twice"));
        }
    }
    for connection in &switch.connections {
        let (from, to) = (connection.from, connection.to);
        if !device.legal_connection(tile, from, to) {
            report(format!("{from} cannot be connected to {to}"));
        }
        if switch.slaves.iter().any(|s| s.port == from) {
            report(format!("input {from} is a circuit and a packet port"));
        }
    }
    let arch = device.arch_model();
    check_packet_outputs(arch, switch, &mut report);
    for slave in &switch.slaves {
        if slave.rules.len() > usize::from(arch.slots) {
            report(format!(
                "input {} has {} rules",
                slave.port,
                slave.rules.len()
            ));
        }
        for rule in &slave.rules {
            let selected = switch
                .masters
                .iter()
                .filter(|m| m.amsels.contains(&rule.amsel));
            for master in selected {
                if !device.legal_connection(tile, slave.port, master.port) {
                    report(format!(
                        "{} cannot be connected to {}",
                        slave.port, master.port
                    ));
                }
            }
        }
    }
}

fn check_packet_outputs(arch: &ArchModel, switch: &Switch, report: &mut dyn FnMut(String)) {
    for master in &switch.masters {
        let arbiters: FxHashSet<u8> = master.amsels.iter().map(|a| a.0).collect();
        if arbiters.len() != 1 {
            report(format!(
                "output {} belongs to {} arbiters",
                master.port,
                arbiters.len()
            ));
        }
    }
    for (arbiter, msel) in &switch.amsels {
        if *arbiter >= arch.arbiters || *msel >= arch.msels {
            report(format!("there is no msel {msel} of arbiter {arbiter}"));
        }
    }
}

fn check_muxes(switches: &Switches, findings: &mut Vec<String>) {
    for (tile, mux) in &switches.muxes {
        let mut used = FxHashSet::default();
        for connection in &mux.connections {
            let (from, to) = (connection.from, connection.to);
            if !switches.device.arch().legal_mux_connection(from, to) {
                findings.push(format!(
                    "shim mux of tile {tile}: no wire from {from} to {to}"
                ));
            }
            // Each South port of the switch is switched to one port outside, each way.
            let inward = to.bundle == Bundle::North;
            let north = if inward { to } else { from };
            if !used.insert((inward, north)) {
                findings.push(format!(
                    "shim mux of tile {tile}: {north} is connected twice"
                ));
            }
        }
    }
}

fn check_mux_end(switches: &Switches, end: &FlowEnd, source: bool, findings: &mut Vec<String>) {
    if !is_behind_mux(switches.device, end.tile, end.named) {
        return;
    }
    let connected = if source {
        let found = switches.mux_source(end.tile, end.port.channel);
        found.is_some_and(|c| c.from == end.named)
    } else {
        let mut found = switches.mux_sinks(end.tile, end.port.channel);
        found.any(|c| c.to == end.named)
    };
    if !connected {
        findings.push(format!("the shim mux doesn't connect {}", end.text()));
    }
}

type SwitchPort = (TileLoc, Port);

fn check_flows(requests: &[FlowRequest], switches: &Switches, findings: &mut Vec<String>) {
    let mut wanted: IndexMap<(SwitchPort, NetKind), BTreeSet<SwitchPort>, FxBuildHasher> =
        IndexMap::default();
    for request in requests {
        for source in &request.sources {
            let sinks = wanted.entry((source.place(), request.kind)).or_default();
            sinks.extend(request.sinks.iter().map(FlowEnd::place));
        }
    }
    for ((source, kind), sinks) in wanted {
        let walk = follow(switches, source, kind);
        let reached = reached(switches, &walk, kind, &sinks);
        let name = || match kind {
            NetKind::Circuit => format!("stream from {} of tile {}", source.1, source.0),
            NetKind::Packet(id) => {
                format!("packets {id} from {} of tile {}", source.1, source.0)
            }
        };
        for (tile, port) in sinks.difference(&reached) {
            findings.push(format!("{} don't reach {port} of tile {tile}", name()));
        }
        for (tile, port) in reached.difference(&sinks) {
            findings.push(format!("{} end in {port} of tile {tile} unasked", name()));
        }
        if let NetKind::Packet(id) = kind {
            check_rules(switches, &walk, id, findings);
            check_headers(switches, &walk, &sinks, &name(), findings);
        }
        let mut outputs = FxHashSet::default();
        if !walk
            .hops
            .iter()
            .all(|hop| outputs.insert((hop.tile, hop.master)))
        {
            findings.push(format!("{} join themselves", name()));
        }
    }
}

/// The ports at which a stream ends. A flow may end at a wire between two tiles: what hand-written
/// settings make of it after that is not its business.
fn reached(
    switches: &Switches,
    walk: &StreamTrace,
    kind: NetKind,
    sinks: &BTreeSet<SwitchPort>,
) -> BTreeSet<SwitchPort> {
    let mut ends = walk.all_ends();
    let outputs: FxHashSet<SwitchPort> =
        walk.hops.iter().map(|hop| (hop.tile, hop.master)).collect();
    let led_on = sinks
        .iter()
        .filter(|sink| outputs.contains(*sink) && !ends.contains(*sink));
    let led_on: Vec<SwitchPort> = led_on.copied().collect();
    for (tile, port) in &led_on {
        if let Some(far) = switches.device.wire_from(*tile, *port) {
            for end in follow(switches, far, kind).all_ends() {
                ends.remove(&end);
            }
        }
    }
    ends.extend(led_on);
    ends
}

/// Packets may pass circuits on their way, but not end at one: only a packet output drops the header.
fn check_headers(
    switches: &Switches,
    walk: &StreamTrace,
    sinks: &BTreeSet<SwitchPort>,
    name: &str,
    findings: &mut Vec<String>,
) {
    for hop in &walk.hops {
        let switch = switches.switch(hop.tile);
        let circuit =
            switch.is_some_and(|s| s.circuit_outputs(hop.slave).any(|to| to == hop.master));
        if circuit && sinks.contains(&(hop.tile, hop.master)) {
            findings.push(format!(
                "{name} end in {} of tile {} on a circuit, which keeps the header",
                hop.master, hop.tile
            ));
        }
    }
}

fn check_rules(switches: &Switches, walk: &StreamTrace, id: u8, findings: &mut Vec<String>) {
    let mut inputs = BTreeSet::new();
    inputs.extend(walk.hops.iter().map(|hop| (hop.tile, hop.slave)));
    for (tile, slave) in inputs {
        let Some(switch) = switches.switch(tile) else {
            continue;
        };
        let slaves = switch.slaves.iter().filter(|s| s.port == slave);
        let matching = slaves
            .flat_map(|s| &s.rules)
            .filter(|rule| rule.matches(id));
        let count = matching.count();
        if count > 1 {
            findings.push(format!(
                "{count} rules of input {slave} of tile {tile} match packet id {id}"
            ));
        }
    }
}
