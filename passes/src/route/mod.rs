//! The router: pass `aie-create-pathfinder-flows`.
//!
//! It turns `aie.flow` and `aie.packet_flow` into `aie.switchbox` and `aie.shim_mux` contents.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`requests`] | reads the flows, refuses contradictions, groups flows into nets |
//! | `fixed` | reserves hand-written switch settings |
//! | `graph` | the switch ports of a device, their legal connections and wires (petgraph) |
//! | `problem`, `net` | what the searches are given, and what they answer |
//! | `search` | routes one net: a Steiner tree by A* |
//! | `occupancy`, `negotiate` | port prices; negotiated congestion (PathFinder) and deadlock repair |
//! | `allocation`, `packets`, `rules` | arbiters, msels and rule slots of all switches, of one, of one input |
//! | `waits`, `deadlock` | wait cycles between packets, and those of a routing |
//! | `turns`, `arbiters` | turn orders and arbiter assignment, which prevent wait cycles |
//! | `memory` | which packets aren't accepted until others have arrived |
//! | `emit`, `wires` | the operations |
//! | [`trace`] | follows streams through settings; finds the flows of a routed netlist |
//! | [`check`](mod@check) | compares settings with flows; runs after each routing in debug builds |
//! | `cuts` | proves that there is no routing by counting wires |
//! | `exact`, `channels`, `tracks`, `sat` | the exact search for what negotiation doesn't settle |
//! | `given` | hazards of hand-written settings |
//! | `failure`, `warnings` | why there is no routing, and hazards that a routing leaves |
//! | [`partial`] | as many flows as fit where not all do, for pictures |
//!
//! No file refers to one that refers back to it: problem and facts of the switches are below the
//! searches, the searches below the findings about them.
//!
//! # Model
//!
//! A port side (input or output of a switch) belongs to one circuit net, or to packet nets of
//! different ids. Packet nets that share a source or a sink, directly or through others, form a
//! group and may share ports: they wait for each other already. Only if there is no routing
//! otherwise do unrelated nets share, with a warning. Streams of one id may join on their way if
//! both have the same sinks left to reach, and never part again.
//!
//! Hand-written settings stay as they are. Packet flows may begin and end at hand-written packet
//! ports: they add rules for their ids and selects on the arbiters that are there.
//!
//! Arbiters 0 to 5 are used, which mlir-aie's verifier accepts; those beyond only with the option
//! `arbiters=8` and if there is no routing without them.
//!
//! # Proofs
//!
//! "There is no routing" is reported only with a proof: no path in an empty array, a rectangle of
//! tiles with too few wires across its border, or an exhaustive search (`exact`) within limits
//! that count steps. Otherwise the message names the limit at which the router stopped.
//!
//! # No circular waits
//!
//! A packet occupies the switch inputs and the arbiters that its words are in until its last word
//! has passed, so packets could wait for each other in a cycle through several switches. A
//! routing is accepted only if the graph of all such waits has no cycle (`waits`), as long as the
//! destinations accept what arrives. To get there, arbiters are assigned to outputs by the phases
//! of a turn order, then by a search (`arbiters`); if a cycle remains, its nets are routed again a
//! few times; at last all packets keep to a turn order (`turns`), which has no cycles by
//! construction except for those of multicasts. Hand-written packet settings take part.
//!
//! # Determinism
//!
//! Nets are ordered by kind, source and id, whatever the order of the text; costs are integers;
//! ties are broken by node number. Same flows, same routing.

use std::collections::BTreeSet;
use std::ops::Range;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView};
use aiec_device::switch::PortSide;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported};
use rustc_hash::FxHashMap;

mod allocation;
mod arbiters;
mod channels;
pub mod check;
pub mod codes;
mod cuts;
mod deadlock;
mod emit;
pub mod ends;
mod exact;
mod failure;
mod fixed;
pub(crate) mod given;
mod graph;
pub(crate) mod memory;
mod negotiate;
mod net;
mod occupancy;
mod packets;
pub mod partial;
mod problem;
pub mod requests;
mod rules;
mod sat;
mod search;
pub mod trace;
mod tracks;
mod turns;
mod waits;
mod warnings;
mod wires;

pub use codes::CODES;
pub use net::NetKind;

use crate::analysis::switches::{Amsel, Switches};
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use graph::{Node, SwitchGraph};
use memory::Memory;
use negotiate::solve;
use net::{Branch, Net};
use packets::MLIR_AIE_ARBITERS;
use problem::{AllSettings, Routing, RoutingFailure, RoutingProblem};
use requests::{FlowKinds, FlowRequest, PortNet};

/// The declaration of the pass.
pub static PASS: PassDef =
    PassDef::of_device("aie-create-pathfinder-flows", |module, device, context| {
        run(module, device, &context.options()?, context)
    })
    .summary("Routes flows and packet flows through the stream switches")
    .postconditions(&[
        "no aie.flow and no aie.packet_flow remains (but for kinds switched off by option)",
        "switchboxes and shim muxes connect exactly the ends of the flows",
        "hand-written switch settings are as they were",
    ])
    .options(<RouteOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-create-pathfinder-flows`.
    pub(crate) struct RouteOptions {
        /// Whether to route `aie.flow`.
        pub(crate) circuit: bool = OptionDef::flag("route-circuit", true, "route aie.flow"),
        /// Whether to route `aie.packet_flow`.
        pub(crate) packet: bool = OptionDef::flag("route-packet", true, "route aie.packet_flow"),
        /// Whether routed flows stay in the text.
        pub(crate) keep_flows: bool = OptionDef::flag("keep-flows", false, "leave the routed flows in the text"),
        /// Most arbiters of a switch that packets may use.
        pub(crate) arbiters: i64 = OptionDef::one_of(
            "arbiters",
            "6",
            &["6", "8"],
            "arbiters of a switch that packets may use: 6, or 8 where 6 don't suffice",
        ),
    }
}

/// Columns around the used ones that the search may use at first.
const MARGIN_COLUMNS: u8 = 2;

fn run(
    module: &mut Module,
    device: Op,
    options: &RouteOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(before) = Switches::read(module, device) else {
        // The verifier reports unknown devices; there is nothing to route on.
        return Ok(());
    };
    let kinds = FlowKinds {
        circuit: options.circuit,
        packet: options.packet,
    };
    let model = before.device;
    let known = context.diags.len();
    let requests = requests::read(module, device, model, kinds, context.diags);
    requests::check(module, model, &requests, context.diags);
    let open = fixed::open_requests(module, &before, &requests, context.diags);
    fixed::check_headers(module, &before, &open, context.diags);
    let muxes = fixed::mux_links(module, &before, &requests, context.diags);
    if context.diags.iter().skip(known).any(is_error) {
        return Err(Reported);
    }
    let nets = requests::nets(&open);
    let memory = Memory::read(module, device, model, &requests, &nets, None);
    let limits = arbiter_limits(model, options.arbiters);
    let router = Router {
        switches: &before,
        nets: &nets,
        memory: &memory,
        fixed: fixed::settings(&before),
        taken: fixed::taken(&before),
        fixed_streams: fixed::streams(&before),
    };
    let (graph, solution) = router.route(limits).map_err(|failed| {
        let explain = failure::FailureReport {
            module,
            graph: &failed.graph,
            nets: &nets,
            blocked: &failed.blocked,
            arbiters: failed.arbiters,
        };
        for diag in explain.report(&failed.failure) {
            context.report(diag);
        }
        Reported
    })?;
    let more_arbiters = limits.1 < model.arch_model().arbiters;
    for warning in warnings::warnings(module, device, &nets, &solution, more_arbiters) {
        context.report(warning);
    }
    count(&nets, &solution, context);
    let additions = additions(&graph, &open, &nets, &solution);
    emit::emit(module, device, context.pass, &before, &additions, &muxes);
    let after = Switches::read(module, device);
    let after = after.as_ref().unwrap_or(&before);
    wires::emit(module, device, context.pass, after);
    for warning in given::warnings(module, device, &before, after) {
        context.report(warning);
    }
    if cfg!(debug_assertions) {
        // Flows that hand-written settings carry may share them with streams of the author's.
        report_check(&open, after, context)?;
    }
    if !options.keep_flows {
        erase_flows(module, device, kinds);
    }
    Ok(())
}

fn is_error(diag: &Diag) -> bool {
    diag.severity == aiec_diag::Severity::Error
}

/// Arbiters of a switch that may be used: those of mlir-aie, and at most `allowed`.
fn arbiter_limits(model: &DeviceModel, allowed: i64) -> (u8, u8) {
    let existing = model.arch_model().arbiters;
    let allowed = u8::try_from(allowed).unwrap_or(u8::MAX);
    (existing.min(MLIR_AIE_ARBITERS), existing.min(allowed))
}

/// Routing task, whatever the columns and the arbiters.
struct Router<'a> {
    switches: &'a Switches,
    nets: &'a [PortNet],
    memory: &'a Memory,
    fixed: AllSettings,
    taken: FxHashMap<TileLoc, BTreeSet<Amsel>>,
    fixed_streams: Vec<waits::RoutedStream>,
}

/// A failure with the graph that its nodes are of, the nodes that were blocked, and the number of
/// arbiters that were allowed.
struct FailedAttempt {
    graph: SwitchGraph,
    blocked: Vec<Node>,
    arbiters: u8,
    failure: RoutingFailure,
}

impl Router<'_> {
    /// Routes with the usual arbiters; if that fails, or leaves wait cycles through memory, with
    /// all that are allowed.
    fn route(
        &self,
        (usual, allowed): (u8, u8),
    ) -> Result<(SwitchGraph, Routing), Box<FailedAttempt>> {
        let first = self.route_within(usual);
        let cycles = |found: &(SwitchGraph, Routing)| found.1.memory_cycles.len();
        if allowed == usual || first.as_ref().is_ok_and(|found| cycles(found) == 0) {
            return first;
        }
        match (first, self.route_within(allowed)) {
            (Ok(first), Ok(second)) if cycles(&second) < cycles(&first) => Ok(second),
            (Ok(first), _) => Ok(first),
            (Err(_), second) => second,
        }
    }

    /// Routes in the used columns first, then in the whole device.
    fn route_within(&self, arbiters: u8) -> Result<(SwitchGraph, Routing), Box<FailedAttempt>> {
        let model = self.switches.device;
        let whole = 0..model.columns();
        let mut graph = SwitchGraph::new(model, columns(model, self.nets));
        if graph.columns() != whole {
            if let Ok(solution) = self.solve(&graph, arbiters, solve) {
                return Ok((graph, solution));
            }
            graph = SwitchGraph::new(model, whole);
        }
        let found = self.solve(&graph, arbiters, |problem| {
            solve(problem).or_else(|failure| exact::complete(problem, failure))
        });
        match found {
            Ok(solution) => Ok((graph, solution)),
            Err((failure, blocked)) => Err(Box::new(FailedAttempt {
                graph,
                blocked,
                arbiters,
                failure,
            })),
        }
    }

    /// Solves the problem on a graph; a failure comes with the blocked nodes.
    fn solve(
        &self,
        graph: &SwitchGraph,
        arbiters: u8,
        solve: impl FnOnce(&RoutingProblem<'_>) -> Result<Routing, RoutingFailure>,
    ) -> Result<Routing, (RoutingFailure, Vec<Node>)> {
        let problem = RoutingProblem {
            graph,
            nets: &numbered(graph, self.nets),
            closed: &fixed::closed(self.switches, graph),
            fixed: &self.fixed,
            taken: &self.taken,
            fixed_streams: &self.fixed_streams,
            memory: self.memory,
            arbiters,
        };
        solve(&problem).map_err(|failure| (failure, problem.blocked()))
    }
}

/// The columns of the nets' ends with some margin.
fn columns(model: &DeviceModel, nets: &[PortNet]) -> Range<u8> {
    let ends = nets.iter().flat_map(|net| &net.branches);
    let tiles = ends.flat_map(|(source, sinks)| sinks.iter().chain([source]).map(|end| end.0.col));
    let (least, most) = tiles.fold((u8::MAX, 0), |(a, b), col| (a.min(col), b.max(col)));
    let end = most.saturating_add(MARGIN_COLUMNS + 1).min(model.columns());
    least.saturating_sub(MARGIN_COLUMNS).min(end)..end
}

/// The nets with node numbers of a graph that contains them all.
fn numbered(graph: &SwitchGraph, nets: &[PortNet]) -> Vec<Net> {
    let node = |place: &requests::SwitchPort, side| graph.node(place.0, side, place.1);
    nets.iter()
        .map(|net| {
            let branches = net.branches.iter().filter_map(|(source, sinks)| {
                let mut sinks: Vec<Node> = sinks
                    .iter()
                    .filter_map(|sink| node(sink, PortSide::Master))
                    .collect();
                sinks.sort_unstable();
                let source = node(source, PortSide::Slave)?;
                Some(Branch { source, sinks })
            });
            Net {
                kind: net.kind,
                priority: net.priority,
                group: net.group,
                branches: branches.collect(),
            }
        })
        .collect()
}

fn additions(
    graph: &SwitchGraph,
    requests: &[FlowRequest],
    nets: &[PortNet],
    solution: &Routing,
) -> emit::SwitchAdditions {
    let mut additions = emit::SwitchAdditions::default();
    for (net, route) in nets.iter().zip(&solution.routes) {
        let Some(op) = net.ops.first().copied() else {
            continue;
        };
        for (slave, master) in &route.links {
            let (from, to) = (graph.info(*slave), graph.info(*master));
            let addition = additions.entry(from.tile).or_default();
            let settings = solution.settings.get(&from.tile);
            let circuit = settings.is_some_and(|found| found.circuits.contains_key(&to.port));
            if circuit || net.kind == NetKind::Circuit {
                addition.connects.insert((from.port, to.port), op);
            } else {
                addition.packet_op.get_or_insert(op);
            }
        }
    }
    for (tile, settings) in &solution.settings {
        additions.entry(*tile).or_default().settings = settings.clone();
    }
    for request in requests {
        let Some(keep) = request.keep_header else {
            continue;
        };
        for sink in &request.sinks {
            if let Some(addition) = additions.get_mut(&sink.tile) {
                addition.keep_header.insert(sink.port, keep);
            }
        }
    }
    additions
}

fn count(nets: &[PortNet], solution: &Routing, context: &mut PassContext<'_>) {
    let connections: usize = solution.routes.iter().map(|route| route.links.len()).sum();
    context.count("nets", nets.len() as u64);
    context.count("connections", connections as u64);
    context.count("iterations", solution.iterations as u64);
    context.count("nodes expanded", solution.expanded);
}

fn report_check(
    requests: &[FlowRequest],
    after: &Switches,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let findings = check::check(requests, after);
    let mut result = Ok(());
    for finding in findings {
        let diag = Diag::error(&codes::CHECK, finding)
            .help("this is a defect of the router; please report it with the netlist");
        result = Err(context.fail(diag));
    }
    result
}

fn erase_flows(module: &mut Module, device: Op, kinds: FlowKinds) {
    let [circuits, packets] = module.find_each(device, [OpKind::Flow, OpKind::PacketFlow]);
    let circuits = circuits.into_iter().filter(|_| kinds.circuit);
    let packets = packets.into_iter().filter(|_| kinds.packet);
    for op in circuits.chain(packets) {
        module.erase(op);
    }
}

/// The flows and settings of a device as the emitters show them; `None` if the device is unknown.
pub fn routing_of(module: &Module, device: Op) -> Option<(Switches, Vec<trace::FoundFlow>)> {
    let device = Device::cast(module, device)?;
    let switches = Switches::read(module, device.op())?;
    let flows = trace::find_flows(&switches);
    Some((switches, flows))
}
