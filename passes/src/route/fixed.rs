//! Hand-written switch settings: what they exclude from the search, and which flows they carry
//! already.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_diag::{Diag, Diags};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes;
use super::ends::is_behind_mux;
use super::graph::{Node, SwitchGraph};
use super::net::NetKind;
use super::occupancy::PortBlock;
use super::packets::{PacketSettings, RuleEntry};
use super::requests::{FlowEnd, FlowRequest};
use super::rules::{Cube, EXACT};
use super::trace::{Hop, find_flows, follow};
use super::waits::{ArbiterHop, RoutedStream};
use crate::analysis::switches::{Amsel, PacketRule, Switch, Switches, taken_amsels};

/// The nodes that hand-written settings close, and to whom.
pub(crate) fn closed(switches: &Switches, graph: &SwitchGraph) -> Vec<(Node, PortBlock)> {
    let mut nodes: IndexMap<Node, PortBlock, FxBuildHasher> = IndexMap::default();
    for (tile, switch) in &switches.tiles {
        let mut add = |side, port, closed: PortBlock| {
            if let Some(node) = graph.node(*tile, side, port) {
                let all = nodes.entry(node).or_default();
                *all = all.and(closed);
            }
        };
        for connection in &switch.connections {
            add(PortSide::Slave, connection.from, PortBlock::ALL);
            add(PortSide::Master, connection.to, PortBlock::ALL);
        }
        let ids = |rules: &mut dyn Iterator<Item = &PacketRule>| {
            let ids = rules.map(|rule| cube(rule).ids());
            PortBlock::to_packets(ids.fold(0, |all, ids| all | ids))
        };
        for master in &switch.masters {
            let all = switch.slaves.iter().flat_map(|slave| &slave.rules);
            let mut here = all.filter(|rule| master.amsels.contains(&rule.amsel));
            add(PortSide::Master, master.port, ids(&mut here));
        }
        for slave in &switch.slaves {
            add(PortSide::Slave, slave.port, ids(&mut slave.rules.iter()));
        }
    }
    nodes.into_iter().collect()
}

fn cube(rule: &PacketRule) -> Cube {
    Cube {
        mask: rule.mask & EXACT,
        value: rule.value & rule.mask & EXACT,
    }
}

/// The packet settings that are there, by switch.
pub(crate) fn settings(switches: &Switches) -> FxHashMap<TileLoc, PacketSettings> {
    let amsel = |(arbiter, msel): (u8, u8)| Amsel { arbiter, msel };
    let of_switch = |switch: &Switch| {
        let mut settings = PacketSettings::default();
        for master in &switch.masters {
            let all = settings.masters.entry(master.port).or_default();
            all.extend(master.amsels.iter().copied().map(amsel));
        }
        for slave in &switch.slaves {
            let entry = |rule: &PacketRule| RuleEntry {
                cube: cube(rule),
                amsel: amsel(rule.amsel),
            };
            let all = settings.rules.entry(slave.port).or_default();
            all.extend(slave.rules.iter().map(entry));
        }
        settings
    };
    let tiles = switches.tiles.iter();
    tiles
        .map(|(tile, switch)| (*tile, of_switch(switch)))
        .collect()
}

/// The arbiter selects that hand-written settings use.
pub(crate) fn taken(switches: &Switches) -> FxHashMap<TileLoc, BTreeSet<Amsel>> {
    let tiles = switches.tiles.iter();
    tiles
        .map(|(tile, switch)| (*tile, taken_amsels(switch).collect()))
        .collect()
}

/// The packets that hand-written settings lead somewhere.
pub(crate) fn streams(switches: &Switches) -> Vec<RoutedStream> {
    let mut list = Vec::new();
    for flow in find_flows(switches).into_iter().filter(|f| !f.circuit) {
        let Some(id) = flow.ids.first().copied() else {
            continue;
        };
        let hops = flow.hops.iter().map(|hop| arbiter_hop(switches, hop, id));
        let hops = hops.collect();
        list.push(RoutedStream { name: 0, hops });
    }
    list
}

/// A hop of packets of an id, with its arbiter if it isn't a circuit.
pub(crate) fn arbiter_hop(switches: &Switches, hop: &Hop, id: u8) -> ArbiterHop {
    let switch = switches.switch(hop.tile);
    let rule = switch.and_then(|switch| switch.rule(hop.slave, id));
    ArbiterHop {
        tile: hop.tile,
        slave: hop.slave,
        arbiter: rule.map(|rule| rule.amsel.0),
        next: switches.device.wire_from(hop.tile, hop.master),
    }
}

/// The flows that hand-written settings don't carry yet. Those that they block, or
/// carry in part, are reported.
pub(crate) fn open_requests(
    module: &Module,
    switches: &Switches,
    requests: &[FlowRequest],
    diags: &mut Diags,
) -> Vec<FlowRequest> {
    let mut open = Vec::new();
    for request in requests {
        match coverage(switches, request) {
            Coverage::Open => open.push(request.clone()),
            Coverage::Carried => {}
            Coverage::Blocked { end, by, source } => {
                let way = if source { "starts at" } else { "ends at" };
                let mut diag = Diag::error(
                    &codes::FIXED,
                    format!(
                        "the flow {way} {}, which is used by a hand-written setting that \
                         doesn't carry it to where it should go",
                        end.text()
                    ),
                )
                .label(module.span(request.op), "this flow")
                .help(
                    "remove the setting, complete it by hand up to the flow's destination, or \
                     use another port",
                );
                if let Some(by) = by {
                    diag = diag.label(module.span(by), "uses the port");
                }
                diags.push(diag);
            }
        }
    }
    open
}

enum Coverage {
    Open,
    Carried,
    Blocked {
        end: FlowEnd,
        by: Option<Op>,
        source: bool,
    },
}

fn coverage(switches: &Switches, request: &FlowRequest) -> Coverage {
    let carried = request.sources.iter().all(|source| {
        let ends = follow(switches, source.place(), request.kind).all_ends();
        request
            .sinks
            .iter()
            .all(|sink| ends.contains(&sink.place()))
    });
    if carried {
        return Coverage::Carried;
    }
    for (ends, source) in [(&request.sources, true), (&request.sinks, false)] {
        for end in ends {
            if let Some(by) = blocking_setting(switches, end, request.kind, source) {
                let (end, by) = (*end, Some(by));
                return Coverage::Blocked { end, by, source };
            }
        }
    }
    Coverage::Open
}

/// The hand-written setting that keeps a flow from its end. Packet settings are added to, unless
/// they say already where the id goes.
fn blocking_setting(switches: &Switches, end: &FlowEnd, kind: NetKind, source: bool) -> Option<Op> {
    let switch = switches.switch(end.tile)?;
    let (by, packets) = if source {
        let rules = switch.slaves.iter().find(|s| s.port == end.port);
        (switch.consumer(end.port)?, rules.map(|rules| rules.op))
    } else {
        let set = switch.masters.iter().find(|m| m.port == end.port);
        (switch.driver(end.port)?, set.map(|set| set.op))
    };
    let NetKind::Packet(id) = kind else {
        return Some(by);
    };
    if packets != Some(by) {
        return Some(by);
    }
    if source {
        switch.rule(end.port, id).map(|rule| rule.op)
    } else {
        let inputs = switch.slaves.iter().map(|slave| slave.port);
        let mut drivers = inputs.filter_map(|input| {
            let to = switch.packet_outputs(input, id).any(|to| to == end.port);
            to.then(|| switch.rule(input, id)).flatten()
        });
        drivers.next().map(|rule| rule.op)
    }
}

/// Flows that end in a hand-written output which treats headers in another way than they ask.
pub(crate) fn check_headers(
    module: &Module,
    switches: &Switches,
    requests: &[FlowRequest],
    diags: &mut Diags,
) {
    for request in requests {
        let Some(keep) = request.keep_header else {
            continue;
        };
        for sink in &request.sinks {
            let switch = switches.switch(sink.tile);
            let masters = switch.map_or(&[][..], |switch| &switch.masters);
            let Some(master) = masters.iter().find(|m| m.port == sink.port) else {
                continue;
            };
            // Flows end where the header is dropped unless the masterset says otherwise.
            if master.keep_header.unwrap_or(false) != keep {
                let diag = Diag::error(
                    &codes::HEADER,
                    format!(
                        "the flow asks for keep_pkt_header = {keep} at {}, but the hand-written \
                         masterset there says otherwise",
                        sink.text()
                    ),
                )
                .label(module.span(request.op), "this flow")
                .label(module.span(master.op), "this masterset")
                .help("make them agree, or let the flow end in another channel");
                diags.push(diag);
            }
        }
    }
}

/// Connections that the shim muxes need for the ends of flows, without those that are there.
pub(crate) type MuxLinks = FxHashMap<TileLoc, BTreeMap<(Port, Port), Op>>;

/// Connections to add to the shim muxes; contradictions with hand-written ones are reported.
pub(crate) fn mux_links(
    module: &Module,
    switches: &Switches,
    requests: &[FlowRequest],
    diags: &mut Diags,
) -> MuxLinks {
    let mut links = MuxLinks::default();
    for request in requests {
        let sources = request.sources.iter().map(|end| (true, end));
        let sinks = request.sinks.iter().map(|end| (false, end));
        for (source, end) in sources.chain(sinks) {
            if !is_behind_mux(switches.device, end.tile, end.named) {
                continue;
            }
            let north = Port::new(Bundle::North, end.port.channel);
            let link = if source {
                (end.named, north)
            } else {
                (north, end.named)
            };
            let other = if source {
                switches.mux_source(end.tile, north.channel)
            } else {
                switches.mux_sinks(end.tile, north.channel).next()
            };
            match other {
                None => {
                    let tile = links.entry(end.tile).or_default();
                    tile.entry(link).or_insert(request.op);
                }
                Some(other) if (other.from, other.to) == link => {}
                Some(other) => diags.push(
                    Diag::error(
                        &codes::SHIM_MUX,
                        format!(
                            "{} needs {} of the switch, which the hand-written shim_mux \
                             connects to something else",
                            end.text(),
                            end.port
                        ),
                    )
                    .label(module.span(request.op), "this flow")
                    .label(module.span(other.op), "this connection")
                    .help("remove the connection or use another channel"),
                ),
            }
        }
    }
    links
}
