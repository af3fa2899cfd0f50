//! A routing of as many flows as fit where not all do, for pictures that show why: the others are
//! named, and the cut that proves that they don't fit where there is one.
//!
//! Flows are routed one after the other without conflicts over ports. Arbiters and rules are not
//! assigned.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_device::switch::PortSide;
use aiec_device::{Port, TileLoc};
use aiec_diag::Diags;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cuts::{self, CutShapes};
use super::fixed;
use super::graph::{Node, SwitchGraph};
use super::net::{Net, NetKind, Route};
use super::occupancy::Occupancy;
use super::requests::{self, FlowKinds, FlowRequest, PortNet, SwitchPort};
use super::search::{NetSearch, SearchScratch};
use super::trace::{FoundFlow, Hop, find_flows};
use crate::analysis::switches::Switches;

/// Part of a device that could be routed.
pub struct PartialRouting {
    /// The hand-written settings.
    pub switches: Switches,
    /// All flows; those that found no way have no hops.
    pub flows: Vec<FoundFlow>,
    /// Why not all have one.
    pub cut: Option<RoutingCut>,
}

/// A rectangle of tiles that more streams must leave, or enter, than wires lead across its border.
#[derive(Clone, Debug)]
pub struct RoutingCut {
    /// Its south-western tile.
    pub from: TileLoc,
    /// Its north-eastern tile.
    pub to: TileLoc,
    /// Whether the streams leave it, else they enter.
    pub leaving: bool,
    /// Wires that the streams need at least.
    pub demand: usize,
    /// Wires there are.
    pub capacity: usize,
}

/// Routes as many flows of a device as fit; `None` if no flow is left to be routed.
pub fn partial_routing(module: &Module, device: Op) -> Option<PartialRouting> {
    let left = [OpKind::Flow, OpKind::PacketFlow];
    if left
        .iter()
        .all(|kind| module.find(device, *kind).is_empty())
    {
        return None;
    }
    let switches = Switches::read(module, device)?;
    let kinds = FlowKinds {
        circuit: true,
        packet: true,
    };
    // The router has reported what is wrong with them.
    let mut reported = Diags::new();
    let requests = requests::read(module, device, switches.device, kinds, &mut reported);
    let open = fixed::open_requests(module, &switches, &requests, &mut reported);
    let ports = requests::nets(&open);
    let graph = SwitchGraph::new(switches.device, 0..switches.device.columns());
    let nets = super::numbered(&graph, &ports);
    let closed = fixed::closed(&switches, &graph);
    let blocked: Vec<Node> = closed.iter().map(|(node, _)| *node).collect();
    // In the order in which the router looks for them.
    let mut cuts = [CutShapes::Bands, CutShapes::All].into_iter();
    let cut = cuts.find_map(|shapes| cuts::tightest(&graph, &nets, &blocked, shapes));
    let mut occupancy = Occupancy::new(graph.len());
    for (node, block) in closed {
        occupancy.close(node, block);
    }
    occupancy.share_unrelated = true;
    occupancy.forbid_conflicts();
    let routes = routes(&graph, &nets, &mut occupancy);
    let names = outer_names(&open);
    let mut flows = find_flows(&switches);
    for (net, route) in ports.iter().zip(&routes) {
        flows.extend(found_flows(&graph, net, route.as_ref(), &names));
    }
    flows.sort_by(|a, b| (a.source, &a.ids, &a.sinks).cmp(&(b.source, &b.ids, &b.sinks)));
    Some(PartialRouting {
        switches,
        flows,
        cut: cut.map(|cut| RoutingCut {
            from: cut.from,
            to: cut.to,
            leaving: cut.leaving,
            demand: cut.demand,
            capacity: cut.capacity,
        }),
    })
}

/// The routes of the nets that find one without conflicts, in their order.
fn routes(graph: &SwitchGraph, nets: &[Net], occupancy: &mut Occupancy) -> Vec<Option<Route>> {
    let mut scratch = SearchScratch::new(graph.len());
    let mut route = |net: u32| {
        let mut search = NetSearch {
            graph,
            nets,
            occupancy,
            turns: None,
            scratch: &mut scratch,
        };
        let found = search.route(net).ok()?;
        occupancy.add(nets, net, &found);
        if occupancy.total_conflicts() == 0 {
            return Some(found);
        }
        occupancy.remove(nets, net, &found);
        None
    };
    (0..nets.len() as u32).map(&mut route).collect()
}

/// Names in flows of the switch ports at which they begin (slaves) and end (masters).
type OuterNames = FxHashMap<(PortSide, SwitchPort), Port>;

fn outer_names(requests: &[FlowRequest]) -> OuterNames {
    let ends = requests.iter().flat_map(|request| {
        let sources = request.sources.iter().map(|end| (PortSide::Slave, end));
        sources.chain(request.sinks.iter().map(|end| (PortSide::Master, end)))
    });
    ends.map(|(side, end)| ((side, end.place()), end.named))
        .collect()
}

/// The flows of a net, one for each source.
fn found_flows(
    graph: &SwitchGraph,
    net: &PortNet,
    route: Option<&Route>,
    names: &OuterNames,
) -> Vec<FoundFlow> {
    let name = |side: PortSide, place: &SwitchPort| {
        let port = names.get(&(side, *place)).copied().unwrap_or(place.1);
        (place.0, port)
    };
    let mut masters: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for (slave, master) in route.into_iter().flat_map(|route| &route.links) {
        masters.entry(*slave).or_default().push(*master);
    }
    let flow = |(source, sinks): &(SwitchPort, Vec<SwitchPort>)| {
        let mut hops = Vec::new();
        let start = graph.node(source.0, PortSide::Slave, source.1);
        let mut seen: FxHashSet<Node> = start.into_iter().collect();
        let mut queue: Vec<Node> = start.into_iter().collect();
        while let Some(slave) = queue.pop() {
            for master in masters.get(&slave).into_iter().flatten() {
                let (from, to) = (graph.info(slave), graph.info(*master));
                hops.push(Hop {
                    tile: from.tile,
                    slave: from.port,
                    master: to.port,
                });
                let next = graph.next(*master).iter().copied();
                queue.extend(next.filter(|node| seen.insert(*node)));
            }
        }
        FoundFlow {
            circuit: net.kind == NetKind::Circuit,
            ids: match net.kind {
                NetKind::Circuit => Vec::new(),
                NetKind::Packet(id) => vec![id],
            },
            source: name(PortSide::Slave, source),
            sinks: sinks
                .iter()
                .map(|sink| name(PortSide::Master, sink))
                .collect(),
            hops,
        }
    };
    net.branches.iter().map(flow).collect()
}
