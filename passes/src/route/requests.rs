//! The flows of a netlist: reading them, refusing what no routing could satisfy, and grouping
//! them into nets.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Flow, OpView, PacketDest, PacketFlow, PacketSource};
use aiec_device::switch::PortSide;
use aiec_device::{DeviceModel, Port, TileLoc};
use aiec_diag::{Diag, Diags, MlirAieReport, Span};
use indexmap::IndexMap;
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes;
use super::ends::{is_behind_mux, list_ports, switch_port};
use super::net::NetKind;

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEnd {
    /// The tile.
    pub tile: TileLoc,
    /// The port as the flow names it.
    pub named: Port,
    /// The switch port that it is: differs beyond the shim mux.
    pub port: Port,
    /// The operation that names it.
    pub op: Op,
}

impl FlowEnd {
    /// The switch port with its tile.
    pub fn place(&self) -> (TileLoc, Port) {
        (self.tile, self.port)
    }

    /// The end as the netlist names it, for messages.
    pub fn text(&self) -> String {
        format!("{} of tile {}", self.named, self.tile)
    }
}

/// One `aie.flow` or `aie.packet_flow`.
#[derive(Clone, Debug)]
pub struct FlowRequest {
    /// The operation.
    pub op: Op,
    /// Circuit, or packet with its id.
    pub kind: NetKind,
    /// A control stream.
    pub priority: bool,
    /// Whether the header is kept at the destination, where the flow says so.
    pub keep_header: Option<bool>,
    /// Where it starts.
    pub sources: Vec<FlowEnd>,
    /// Where it ends; every source reaches all of them.
    pub sinks: Vec<FlowEnd>,
}

/// Which kinds of flows to read.
#[derive(Clone, Copy, Debug)]
pub struct FlowKinds {
    /// `aie.flow`.
    pub circuit: bool,
    /// `aie.packet_flow`.
    pub packet: bool,
}

/// Reads all flows of a device; those whose ends don't exist are reported and left out.
pub fn read(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    kinds: FlowKinds,
    diags: &mut Diags,
) -> Vec<FlowRequest> {
    let mut reader = FlowReader {
        module,
        model,
        diags,
    };
    let mut list = Vec::new();
    if kinds.circuit {
        let flows = module.children::<Flow>(device).into_iter();
        list.extend(flows.filter_map(|flow| reader.flow(flow)));
    }
    if kinds.packet {
        let flows = module.children::<PacketFlow>(device).into_iter();
        list.extend(flows.filter_map(|flow| reader.packet_flow(flow)));
    }
    list
}

struct FlowReader<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    diags: &'a mut Diags,
}

impl FlowReader<'_> {
    fn flow(&mut self, flow: Flow) -> Option<FlowRequest> {
        let op = flow.op();
        let from = self.end(op, flow.from(self.module), PortSide::Slave);
        let to = self.end(op, flow.to(self.module), PortSide::Master);
        Some(FlowRequest {
            op,
            kind: NetKind::Circuit,
            priority: false,
            keep_header: None,
            sources: vec![from?],
            sinks: vec![to?],
        })
    }

    fn packet_flow(&mut self, flow: PacketFlow) -> Option<FlowRequest> {
        let module = self.module;
        let op = flow.op();
        let port =
            |bundle: Option<_>, channel: i32| Some(Port::new(bundle?, u8::try_from(channel).ok()?));
        let mut sources = Vec::new();
        for source in module.children::<PacketSource>(op) {
            let at = port(source.bundle(module), source.channel(module));
            let place = source.tile_loc(module).zip(at);
            sources.push(self.end(source.op(), place, PortSide::Slave));
        }
        let mut sinks = Vec::new();
        for dest in module.children::<PacketDest>(op) {
            let at = port(dest.bundle(module), dest.channel(module));
            let place = dest.tile_loc(module).zip(at);
            sinks.push(self.end(dest.op(), place, PortSide::Master));
        }
        let id = self.packet_id(flow);
        let sources: Option<Vec<FlowEnd>> = sources.into_iter().collect();
        let sinks: Option<Vec<FlowEnd>> = sinks.into_iter().collect();
        Some(FlowRequest {
            op,
            kind: NetKind::Packet(id?),
            priority: flow.priority_route(module).unwrap_or(false),
            keep_header: flow.keep_pkt_header(module),
            sources: sources?,
            sinks: sinks?,
        })
    }

    fn packet_id(&mut self, flow: PacketFlow) -> Option<u8> {
        let id = flow.ID(self.module);
        let most = self.model.arch_model().max_packet_id;
        if let Some(id) = u8::try_from(id).ok().filter(|id| *id <= most) {
            return Some(id);
        }
        // The attribute has eight bits; those above 127 were stored as negative numbers.
        let written = if id < 0 { id + 256 } else { id };
        self.diags.push(
            Diag::error(
                &codes::PACKET_ID,
                format!("packet id {written} doesn't fit into the header: ids go up to {most}"),
            )
            .label(self.module.span(flow.op()), "this id")
            .help(format!("choose an id from 0 to {most}")),
        );
        None
    }

    fn end(&mut self, op: Op, place: Option<(TileLoc, Port)>, side: PortSide) -> Option<FlowEnd> {
        let role = match side {
            PortSide::Slave => "source",
            PortSide::Master => "destination",
        };
        let span = self.module.span(op);
        let Some((tile, named)) = place else {
            self.diags.push(
                Diag::error(
                    &codes::BAD_END,
                    format!("the {role} of the flow isn't a port of a placed tile"),
                )
                .label(span, "in this flow")
                .help("name an aie.tile, a bundle and a channel number from 0"),
            );
            return None;
        };
        if let Some(port) = switch_port(self.model, tile, named, side) {
            return Some(FlowEnd {
                tile,
                named,
                port,
                op,
            });
        }
        let device = self.model.name();
        let help = match self.model.tile_kind(tile) {
            None => format!("{device} has no tile {tile}"),
            Some(kind) => format!(
                "{role}s of a {} here: {}",
                kind.name(),
                list_ports(self.model, tile, side)
            ),
        };
        self.diags.push(
            Diag::error(
                &codes::BAD_END,
                format!("tile {tile} of {device} has no {role} port {named}"),
            )
            .label(span, format!("its {role} doesn't exist"))
            .help(help)
            .mlir_aie(MlirAieReport::plain("Unable to find a legal routing")),
        );
        None
    }
}

/// Streams between switch ports, ready to be routed.
#[derive(Clone, Debug)]
pub(crate) struct PortNet {
    /// Its kind of switching.
    pub kind: NetKind,
    /// A control stream.
    pub priority: bool,
    /// See [`super::net::Net::group`].
    pub group: u32,
    /// Each source with its sinks.
    pub branches: Vec<(SwitchPort, Vec<SwitchPort>)>,
    /// The flows that it serves, in textual order.
    pub ops: Vec<Op>,
}

/// A port of a tile's switch.
pub(crate) type SwitchPort = (TileLoc, Port);

impl PortNet {
    fn key(&self) -> (u8, Option<SwitchPort>, NetKind) {
        let rank = match (self.priority, self.kind) {
            (true, _) => 0,
            (_, NetKind::Packet(_)) => 1,
            (_, NetKind::Circuit) => 2,
        };
        (rank, self.branches.first().map(|b| b.0), self.kind)
    }
}

/// Groups flows into nets, in the order in which they are to be routed. The order of the text
/// plays no role.
pub(crate) fn nets(requests: &[FlowRequest]) -> Vec<PortNet> {
    let mut nets = circuit_nets(requests);
    nets.extend(packet_nets(requests));
    nets.sort_by_key(PortNet::key);
    group(&mut nets);
    nets
}

fn circuit_nets(requests: &[FlowRequest]) -> Vec<PortNet> {
    let mut by_source: IndexMap<SwitchPort, (Vec<SwitchPort>, Vec<Op>), FxBuildHasher> =
        IndexMap::default();
    let circuits = requests.iter().filter(|r| r.kind == NetKind::Circuit);
    for request in circuits {
        for source in &request.sources {
            let (sinks, ops) = by_source.entry(source.place()).or_default();
            sinks.extend(request.sinks.iter().map(FlowEnd::place));
            ops.push(request.op);
        }
    }
    let net = |(source, (sinks, ops))| PortNet {
        kind: NetKind::Circuit,
        priority: false,
        group: 0,
        branches: vec![(source, distinct(sinks))],
        ops,
    };
    by_source.into_iter().map(net).collect()
}

/// Ports, each once, ascending.
fn distinct(mut ports: Vec<SwitchPort>) -> Vec<SwitchPort> {
    ports.sort();
    ports.dedup();
    ports
}

/// Requests of the flows of one source and id.
#[derive(Default)]
struct PacketBranch {
    sinks: Vec<SwitchPort>,
    ops: Vec<Op>,
    priority: bool,
}

fn packet_nets(requests: &[FlowRequest]) -> Vec<PortNet> {
    let mut branches: BTreeMap<(NetKind, SwitchPort), PacketBranch> = BTreeMap::new();
    for request in requests.iter().filter(|r| r.kind != NetKind::Circuit) {
        for source in &request.sources {
            let branch = branches.entry((request.kind, source.place())).or_default();
            branch
                .sinks
                .extend(request.sinks.iter().map(FlowEnd::place));
            branch.ops.push(request.op);
            branch.priority |= request.priority;
        }
    }
    // Branches with one id and a common sink are one net.
    let branches: Vec<((NetKind, SwitchPort), PacketBranch)> = branches.into_iter().collect();
    let mut sets = UnionFind::<usize>::new(branches.len());
    let mut first: FxHashMap<(NetKind, SwitchPort), usize> = FxHashMap::default();
    for (at, ((kind, _), branch)) in branches.iter().enumerate() {
        for sink in &branch.sinks {
            sets.union(*first.entry((*kind, *sink)).or_insert(at), at);
        }
    }
    let mut nets: IndexMap<usize, PortNet, FxBuildHasher> = IndexMap::default();
    for (at, ((kind, source), branch)) in branches.into_iter().enumerate() {
        let net = nets.entry(sets.find(at)).or_insert_with(|| PortNet {
            kind,
            priority: false,
            group: 0,
            branches: Vec::new(),
            ops: Vec::new(),
        });
        net.priority |= branch.priority;
        net.branches.push((source, distinct(branch.sinks)));
        net.ops.extend(branch.ops);
    }
    for net in nets.values_mut() {
        // A branch with many sinks first: those with fewer can join it.
        net.branches
            .sort_by_key(|(_, sinks)| std::cmp::Reverse(sinks.len()));
        net.ops.sort_unstable();
        net.ops.dedup();
    }
    nets.into_values().collect()
}

/// Numbers the groups of packet nets that share a source or a sink.
fn group(nets: &mut [PortNet]) {
    let mut sets = UnionFind::<usize>::new(nets.len());
    let mut first: FxHashMap<(PortSide, SwitchPort), usize> = FxHashMap::default();
    for (at, net) in nets.iter().enumerate() {
        for (source, sinks) in &net.branches {
            let ends = sinks.iter().map(|sink| (PortSide::Master, *sink));
            for end in ends.chain([(PortSide::Slave, *source)]) {
                sets.union(*first.entry(end).or_insert(at), at);
            }
        }
    }
    for (at, net) in nets.iter_mut().enumerate() {
        net.group = sets.find(at) as u32;
    }
}

/// Refuses flows that contradict each other whatever the routing.
pub(crate) fn check(
    module: &Module,
    model: &'static DeviceModel,
    requests: &[FlowRequest],
    diags: &mut Diags,
) {
    let mut check = Contradictions {
        module,
        model,
        diags,
    };
    check.sources(requests);
    check.sinks(requests);
    check.muxes(requests);
    check.headers(requests);
}

struct Contradictions<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    diags: &'a mut Diags,
}

impl Contradictions<'_> {
    fn span(&self, op: Op) -> Option<Span> {
        self.module.span(op)
    }

    fn sources(&mut self, requests: &[FlowRequest]) {
        let mut seen: FxHashMap<SwitchPort, (bool, Op)> = FxHashMap::default();
        for request in requests {
            let circuit = request.kind == NetKind::Circuit;
            for end in &request.sources {
                let (other, op) = *seen.entry(end.place()).or_insert((circuit, end.op));
                if other != circuit {
                    let diag = Diag::error(
                        &codes::MIXED_SOURCE,
                        format!(
                            "{} starts a circuit flow and a packet flow, but a port is \
                             switched in one way only",
                            end.text()
                        ),
                    )
                    .label(self.span(end.op), "this flow")
                    .label(self.span(op), "and this one of the other kind")
                    .help("use another channel for one of them, or make both packet flows");
                    self.diags.push(diag);
                }
            }
        }
    }

    fn sinks(&mut self, requests: &[FlowRequest]) {
        // Driver of each sink: for a circuit its source, for packets none in particular.
        let mut seen: FxHashMap<SwitchPort, (Option<SwitchPort>, Op)> = FxHashMap::default();
        for request in requests {
            let circuit = request.kind == NetKind::Circuit;
            let driver = request
                .sources
                .first()
                .filter(|_| circuit)
                .map(FlowEnd::place);
            for end in &request.sinks {
                let (other, op) = *seen.entry(end.place()).or_insert((driver, end.op));
                if other != driver {
                    let message = match (other, driver) {
                        (Some(_), Some(_)) => "two circuit flows from different sources end in",
                        _ => "a circuit flow and a packet flow end in",
                    };
                    let diag = Diag::error(&codes::TAKEN_SINK, format!("{message} {}", end.text()))
                        .label(self.span(end.op), "this flow")
                        .label(self.span(op), "the port is taken by this one")
                        .help("use another channel, or packet flows with different ids");
                    self.diags.push(diag);
                }
            }
        }
    }

    fn muxes(&mut self, requests: &[FlowRequest]) {
        let mut seen: FxHashMap<(PortSide, SwitchPort), FlowEnd> = FxHashMap::default();
        for request in requests {
            let sources = request.sources.iter().map(|end| (PortSide::Slave, end));
            let sinks = request.sinks.iter().map(|end| (PortSide::Master, end));
            for (side, end) in sources.chain(sinks) {
                if !is_behind_mux(self.model, end.tile, end.named) {
                    continue;
                }
                let other = *seen.entry((side, end.place())).or_insert(*end);
                if other.named != end.named {
                    let diag = Diag::error(
                        &codes::SHIM_MUX,
                        format!(
                            "{} and {} of tile {} are both wired to {} of the switch, and the \
                             shim mux connects one of them",
                            other.named, end.named, end.tile, end.port
                        ),
                    )
                    .label(self.span(end.op), "this flow")
                    .label(self.span(other.op), "and this one")
                    .help("use another channel for one of them");
                    self.diags.push(diag);
                }
            }
        }
    }

    fn headers(&mut self, requests: &[FlowRequest]) {
        let mut seen: FxHashMap<SwitchPort, (bool, Op)> = FxHashMap::default();
        for request in requests {
            let Some(keep) = request.keep_header else {
                continue;
            };
            for end in &request.sinks {
                let (other, op) = *seen.entry(end.place()).or_insert((keep, request.op));
                if other != keep {
                    let diag = Diag::error(
                        &codes::HEADER,
                        format!(
                            "packet flows to {} disagree about keep_pkt_header, which is a \
                             setting of the port",
                            end.text()
                        ),
                    )
                    .label(self.span(request.op), format!("keep_pkt_header = {keep}"))
                    .label(self.span(op), format!("keep_pkt_header = {other}"))
                    .help("make them agree, or end one of them at another channel");
                    self.diags.push(diag);
                }
            }
        }
    }
}
