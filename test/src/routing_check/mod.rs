//! An independent verifier of routings.
//!
//! It reads the printed netlists before and after routing with a reader of its own and knows the
//! devices and the switches from tables of its own, so that it shares no mistake with the router
//! or the device model. Checked are:
//!
//! * ports exist, and connections are legal inside their kind of switch;
//! * no output is driven twice, no input is a circuit and a packet input at once;
//! * arbiters, msels and rules are within limits, an output belongs to one arbiter;
//! * each flow arrives at each of its sinks and nowhere else;
//! * no two circuits meet, and packets that meet and part again have different ids;
//! * exactly one rule matches a packet wherever one of the asked ids passes;
//! * the header is kept or dropped where a flow says so;
//! * shim mux connections follow their wires;
//! * packets can't wait for each other in a cycle ([`waits`]), nor through memory ([`memory`]).

pub mod device;
pub mod follow;
pub mod memory;
pub mod programs;
pub mod read;
pub mod waits;

use std::collections::{BTreeMap, BTreeSet};

use device::{Device, Side};
use follow::{Stream, follow};
use programs::Programs;
use read::{Netlist, Place, Port, Tile};

/// The arbiters that mlir-aie's verifier accepts.
const ARBITERS: u8 = 6;

/// All that is wrong with the routing of a netlist, one sentence each.
///
/// `flows` is the text before routing, `routed` after it; both as the printer writes them.
pub fn verify(flows: &str, routed: &str) -> Vec<String> {
    verify_within(flows, routed, ARBITERS)
}

/// As [`verify`], for switches with a number of arbiters.
pub fn verify_within(flows: &str, routed: &str, arbiters: u8) -> Vec<String> {
    let (before, after) = match (Netlist::read(flows), Netlist::read(routed)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(what), _) => return vec![format!("the flows can't be read: {what}")],
        (_, Err(what)) => return vec![format!("the routing can't be read: {what}")],
    };
    if before.len() != after.len() {
        return vec!["the number of devices differs".to_string()];
    }
    let programs = programs::programs(routed);
    let pairs = before.iter().zip(&after).zip(&programs);
    pairs
        .flat_map(|((before, after), programs)| verify_device(before, after, programs, arbiters))
        .collect()
}

fn verify_device(
    before: &Netlist,
    after: &Netlist,
    programs: &Programs,
    arbiters: u8,
) -> Vec<String> {
    let Some(device) = Device::named(&after.device) else {
        return vec![format!("device {} is unknown", after.device)];
    };
    let mut check = Check {
        device,
        after,
        arbiters,
        findings: Vec::new(),
    };
    for (tile, switch) in &after.switches {
        check.switch(*tile, switch);
    }
    check.muxes();
    let (streams, sources) = check.flows(before);
    let mut findings = check.findings;
    findings.extend(waits::cycles(after, &streams));
    if findings.is_empty() {
        findings.extend(memory::stops(
            programs,
            &streams,
            &sources,
            device.counts_locks(),
        ));
    }
    findings
}

struct Check<'a> {
    device: Device,
    after: &'a Netlist,
    arbiters: u8,
    findings: Vec<String>,
}

impl Check<'_> {
    fn report(&mut self, text: String) {
        self.findings.push(text);
    }

    fn exists(&mut self, tile: Tile, side: Side, port: &Port) {
        if !self.device.has_port(tile, side, port) {
            self.report(format!("tile {tile:?} has no {side:?} {port:?}"));
        }
    }

    fn legal(&mut self, tile: Tile, from: &Port, to: &Port) {
        if !self.device.allows(tile, from, to) {
            self.report(format!("tile {tile:?} can't connect {from:?} to {to:?}"));
        }
    }

    fn switch(&mut self, tile: Tile, switch: &read::Switch) {
        let mut driven = BTreeSet::new();
        let mut circuit_inputs = BTreeSet::new();
        for (from, to) in &switch.connects {
            self.exists(tile, Side::Input, from);
            self.exists(tile, Side::Output, to);
            self.legal(tile, from, to);
            circuit_inputs.insert(from);
            if !driven.insert(to) {
                self.report(format!("output {to:?} of tile {tile:?} is driven twice"));
            }
        }
        for (port, master) in &switch.masters {
            self.exists(tile, Side::Output, port);
            if !driven.insert(port) {
                self.report(format!("output {port:?} of tile {tile:?} is driven twice"));
            }
            let arbiters: BTreeSet<u8> = master.amsels.iter().map(|a| a.0).collect();
            if arbiters.len() != 1 {
                self.report(format!(
                    "output {port:?} of tile {tile:?} belongs to {arbiters:?}"
                ));
            }
            let most = self.arbiters;
            if master.amsels.iter().any(|a| a.0 >= most || a.1 >= 4) {
                self.report(format!(
                    "an amsel of {port:?} of tile {tile:?} doesn't exist"
                ));
            }
        }
        for (port, rules) in &switch.rules {
            self.exists(tile, Side::Input, port);
            if circuit_inputs.contains(port) {
                self.report(format!("input {port:?} of tile {tile:?} is of both kinds"));
            }
            if rules.len() > 4 {
                self.report(format!(
                    "input {port:?} of tile {tile:?} has {} rules",
                    rules.len()
                ));
            }
            for rule in rules {
                if rule.mask > 31 || rule.value > 31 {
                    self.report(format!(
                        "a rule of {port:?} of tile {tile:?} has too many bits"
                    ));
                }
                let outputs = switch.outputs(rule.amsel);
                for to in outputs {
                    self.legal(tile, port, to);
                }
            }
        }
    }

    fn muxes(&mut self) {
        for (tile, links) in &self.after.muxes {
            let mut used = BTreeSet::new();
            for (from, to) in links {
                if !self.device.mux_wire(*tile, from, to) {
                    self.report(format!(
                        "the mux of {tile:?} has no wire {from:?} to {to:?}"
                    ));
                }
                let inward = to.bundle == "North";
                if !used.insert((inward, if inward { to } else { from })) {
                    self.report(format!("the mux of {tile:?} uses {from:?} or {to:?} twice"));
                }
            }
        }
    }

    /// Holds every flow to its stream; returns the streams and where they start.
    fn flows(&mut self, before: &Netlist) -> (Vec<Stream>, Vec<Place>) {
        let mut wanted: BTreeMap<(Place, Option<u8>), BTreeSet<Place>> = BTreeMap::new();
        for flow in &before.flows {
            for source in &flow.sources {
                let sinks = wanted.entry((source.clone(), flow.packet)).or_default();
                sinks.extend(flow.sinks.iter().cloned());
            }
        }
        let mut streams = Vec::new();
        for ((source, packet), sinks) in &wanted {
            let name = format!("{packet:?} from {source:?}");
            let stream = follow(&self.device, self.after, source, *packet);
            for problem in &stream.problems {
                self.findings.push(format!("{name}: {problem}"));
            }
            for sink in sinks.difference(&stream.ends) {
                self.findings
                    .push(format!("{name} doesn't arrive at {sink:?}"));
            }
            for end in stream.ends.difference(sinks) {
                self.findings
                    .push(format!("{name} arrives at {end:?} unasked"));
            }
            streams.push(stream);
        }
        self.meetings(&streams);
        self.headers(before);
        (
            streams,
            wanted.into_keys().map(|(source, _)| source).collect(),
        )
    }

    /// Streams that share an input of a switch must be packets; those of one id that do must go
    /// the same way from there, which is so by construction, and have the same sinks left.
    fn meetings(&mut self, streams: &[Stream]) {
        let mut users: BTreeMap<(Tile, &Port), Vec<usize>> = BTreeMap::new();
        for (at, stream) in streams.iter().enumerate() {
            let inputs: BTreeSet<(Tile, &Port)> = stream
                .hops
                .iter()
                .map(|hop| (hop.tile, &hop.from))
                .collect();
            for input in inputs {
                users.entry(input).or_default().push(at);
            }
        }
        for ((tile, port), list) in users {
            let circuits = list
                .iter()
                .filter(|at| streams[**at].packet.is_none())
                .count();
            if circuits > 0 && list.len() > 1 {
                self.report(format!(
                    "a circuit isn't alone at {port:?} of tile {tile:?}"
                ));
            }
        }
    }

    fn headers(&mut self, before: &Netlist) {
        for flow in &before.flows {
            let Some(keep) = flow.keep_header else {
                continue;
            };
            for (tile, port) in &flow.sinks {
                let inner = follow::inner_sink(&self.device, *tile, port);
                let switch = self.after.switches.get(tile);
                let master = switch.and_then(|s| s.masters.get(&inner));
                if master.is_some_and(|m| m.keep_header != Some(keep)) {
                    self.report(format!(
                        "keep_pkt_header = {keep} isn't set at {port:?} of {tile:?}"
                    ));
                }
            }
        }
    }
}
