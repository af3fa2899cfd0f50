//! Hand-written switch settings: what they take from the search, and which flows they carry
//! already.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_dialect::diag::{Diag, Diags};
use aiec_dialect::ir::{Module, Op};

use super::codes;
use super::ends::is_behind_mux;
use super::graph::{Node, SwitchGraph};
use super::packets::Amsel;
use super::requests::{End, Request};
use super::switches::{Switches, taken_amsels};
use super::trace::follow;

/// The nodes that hand-written settings use.
pub(crate) fn blocked(switches: &Switches, graph: &SwitchGraph) -> Vec<Node> {
    let mut nodes = BTreeSet::new();
    for (tile, switch) in &switches.tiles {
        let mut add = |side, port| nodes.extend(graph.node(*tile, side, port));
        for connection in &switch.connections {
            add(PortSide::Slave, connection.from);
            add(PortSide::Master, connection.to);
        }
        for master in &switch.masters {
            add(PortSide::Master, master.port);
        }
        for slave in &switch.slaves {
            add(PortSide::Slave, slave.port);
        }
    }
    nodes.into_iter().collect()
}

/// The arbiter selects that hand-written settings use.
pub(crate) fn taken(switches: &Switches) -> BTreeMap<TileLoc, BTreeSet<Amsel>> {
    let tiles = switches.tiles.iter();
    tiles
        .map(|(tile, switch)| (*tile, taken_amsels(switch).collect()))
        .collect()
}

/// The flows that hand-written settings don't carry yet. Those that they stand in the way of, or
/// carry in part, are reported.
pub(crate) fn open_requests(
    module: &Module,
    switches: &Switches,
    requests: &[Request],
    diags: &mut Diags,
) -> Vec<Request> {
    let mut open = Vec::new();
    for request in requests {
        match standing(switches, request) {
            Standing::Open => open.push(request.clone()),
            Standing::Done => {}
            Standing::Blocked { end, by, source } => {
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

enum Standing {
    Open,
    Done,
    Blocked {
        end: End,
        by: Option<Op>,
        source: bool,
    },
}

fn standing(switches: &Switches, request: &Request) -> Standing {
    let switch = |end: &End| switches.switch(end.tile);
    let driver = |end: &End| switch(end).and_then(|s| s.driver(end.port));
    let consumer = |end: &End| switch(end).and_then(|s| s.consumer(end.port));
    let carried = request.sources.iter().all(|source| {
        let ends = follow(switches, source.place(), request.kind).all_ends();
        request
            .sinks
            .iter()
            .all(|sink| ends.contains(&sink.place()))
    });
    if carried {
        return Standing::Done;
    }
    for (ends, by, source) in [
        (
            &request.sources,
            &consumer as &dyn Fn(&End) -> Option<Op>,
            true,
        ),
        (&request.sinks, &driver, false),
    ] {
        if let Some(end) = ends.iter().find(|end| by(end).is_some()) {
            let by = by(end);
            let end = *end;
            return Standing::Blocked { end, by, source };
        }
    }
    Standing::Open
}

/// Connections that the shim muxes need for the ends of flows, without those that are there.
pub(crate) type MuxLinks = BTreeMap<TileLoc, BTreeMap<(Port, Port), Op>>;

/// What to add to the shim muxes; contradictions with hand-written ones are reported.
pub(crate) fn mux_links(
    module: &Module,
    switches: &Switches,
    requests: &[Request],
    diags: &mut Diags,
) -> MuxLinks {
    let mut links = MuxLinks::new();
    for request in requests {
        let sources = request.sources.iter().map(|end| (true, end));
        let sinks = request.sinks.iter().map(|end| (false, end));
        for (source, end) in sources.chain(sinks) {
            if !is_behind_mux(switches.device, end.tile, end.named) {
                continue;
            }
            let north = Port::new(Bundle::North, end.port.channel);
            let link = match source {
                true => (end.named, north),
                false => (north, end.named),
            };
            let other = match source {
                true => switches.mux_source(end.tile, north.channel),
                false => switches.mux_sinks(end.tile, north.channel).next(),
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
