//! Why there is no routing, so that one can act on it: the flows and ports in conflict, and
//! a cut of the array that proves it where there is one.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_diag::Diag;
use rustc_hash::FxHashSet;

use super::codes;
use super::cuts::Cut;
use super::exact::{MAX_CHOICES, MAX_CONFLICTS};
use super::graph::{Node, SwitchGraph};
use super::net::{NetKind, Unreachable};
use super::packets::Overflow;
use super::problem::{CyclicWaits, InfeasibilityProof, RoutingFailure, SearchLimit};
use super::requests::PortNet;
use super::rules::EXACT;
use crate::analysis::budget::TileBudget;

/// Flows that get a label each; further ones are counted.
const MAX_LABELS: usize = 12;
/// Ports that are named in a message; further ones are counted.
const MAX_PORTS: usize = 6;
/// Groups of wires that a proof names; further ones are counted.
const MAX_CHANNELS: usize = 24;

/// Inputs of a report.
pub(crate) struct FailureReport<'a> {
    /// The netlist.
    pub module: &'a Module,
    /// The whole device's graph.
    pub graph: &'a SwitchGraph,
    /// Requested flows.
    pub nets: &'a [PortNet],
    /// Nodes that hand-written settings use.
    pub blocked: &'a [Node],
    /// Number of a switch's arbiters that were allowed.
    pub arbiters: u8,
}

impl FailureReport<'_> {
    /// The findings of a failure.
    pub fn report(&self, failure: &RoutingFailure) -> Vec<Diag> {
        match failure {
            RoutingFailure::Unreachable(list) => {
                let one = |(net, why): &(u32, Unreachable)| self.unreachable(*net, *why);
                list.iter().map(one).collect()
            }
            RoutingFailure::Cut(cut) => vec![self.cut(cut)],
            RoutingFailure::Congested(ports, _) => vec![self.congested(ports)],
            RoutingFailure::Exhausted(list) => {
                let one = |(tile, overflow, nets): &(TileLoc, Overflow, Vec<u32>)| {
                    self.exhausted(*tile, overflow, nets)
                };
                list.iter().map(one).collect()
            }
            RoutingFailure::Proved(proof) => vec![self.proved(proof)],
            RoutingFailure::GaveUp(failure, limit) => {
                let diags = self.report(failure).into_iter();
                diags.map(|diag| diag.remark(limit_text(*limit))).collect()
            }
            RoutingFailure::Cyclic(waits) => vec![self.more_arbiters(self.cyclic(waits))],
        }
    }

    fn proved(&self, proof: &InfeasibilityProof) -> Diag {
        let one = |(tile, side, wires): &(TileLoc, Bundle, usize)| {
            format!("{wires} {} of tile {tile}", side.name())
        };
        let text = listed(proof.channels.iter().map(one), MAX_CHANNELS);
        let diag = Diag::error(
            &codes::CONGESTED,
            format!(
                "{} streams can't be routed together: an exhaustive search of all routes shows it",
                proof.nets.len()
            ),
        )
        .remark(format!("the wires that are too few for them: {text}"))
        .remark(format!(
            "{} choices (a stream takes the wires from a tile to the next or not) were searched, \
             for {} streams in all; the flows that aren't named here play no part in the proof",
            proof.choices,
            self.nets.len()
        ))
        .help(self.relief(&proof.nets));
        self.with_flows(diag, &proof.nets)
    }

    fn cyclic(&self, waits: &CyclicWaits) -> Diag {
        let CyclicWaits {
            nets,
            tiles,
            example,
        } = waits;
        let mut shown: FxHashSet<usize> = example.iter().map(|(net, _)| *net).collect();
        if shown.is_empty() {
            shown.extend(nets.iter().map(|net| *net as usize));
        }
        let places = if example.is_empty() {
            format!(
                " at tiles {}",
                listed(tiles.iter().map(TileLoc::to_string), MAX_PORTS)
            )
        } else {
            String::new()
        };
        let mut diag = Diag::error(
            &codes::CIRCULAR,
            format!(
                "packets of {} streams could wait for each other in a cycle{places}, and no routes \
                 and arbiters without such a cycle were found",
                shown.len()
            ),
        )
        .help(
            "make one of them a circuit (aie.flow), split a packet flow with several \
             destinations, or end one at another channel or column",
        );
        let mut labelled = FxHashSet::default();
        for (at, (net, occupied)) in example.iter().enumerate() {
            let (_, wanted) = example[(at + 1) % example.len()];
            let op = self.nets.get(*net).and_then(|net| net.ops.first().copied());
            let Some(op) = op.filter(|_| labelled.len() < MAX_LABELS) else {
                continue;
            };
            // A flow that occupies several resources is shown with the first.
            if labelled.insert(op) {
                let text = format!("can occupy {occupied} and wait for {wanted}");
                diag = diag.label(self.module.span(op), text);
            }
        }
        if labelled.is_empty() {
            return self.with_flows(diag, nets);
        }
        match nets.len().saturating_sub(shown.len()) {
            0 => diag,
            more => diag.remark(format!(
                "cycles of {more} more streams are not shown; {} take part in all",
                nets.len()
            )),
        }
    }

    /// A finding that more arbiters might make void, with the option that allows them.
    fn more_arbiters(&self, diag: Diag) -> Diag {
        let existing = self.graph.device.arch_model().arbiters;
        if self.arbiters < existing {
            diag.remark(format!(
                "this is for arbiters 0 to {}; --arbiters={existing} allows those up to {}, \
             which mlir-aie's verifier refuses",
                self.arbiters - 1,
                existing - 1
            ))
        } else {
            diag
        }
    }

    fn place(&self, node: Node) -> String {
        let info = self.graph.info(node);
        format!("{} of tile {}", info.port, info.tile)
    }

    /// Labels the flows of some nets.
    fn with_flows(&self, mut diag: Diag, nets: &[u32]) -> Diag {
        let mut ops: Vec<Op> = nets
            .iter()
            .filter_map(|net| self.nets.get(*net as usize))
            .flat_map(|net| net.ops.iter().copied())
            .collect();
        ops.sort_unstable();
        ops.dedup();
        for op in ops.iter().take(MAX_LABELS) {
            diag = diag.label(self.module.span(*op), "takes part in the conflict");
        }
        match ops.len().checked_sub(MAX_LABELS) {
            Some(more) if more > 0 => diag.remark(format!("and {more} more flows")),
            _ => diag,
        }
    }

    fn unreachable(&self, net: u32, why: Unreachable) -> Diag {
        let (source, sink) = (self.place(why.source), self.place(why.sink));
        let open = reachable(self.graph, why.source, why.sink);
        let diag = if open && !self.blocked.is_empty() {
            Diag::error(
                &codes::FIXED,
                format!("hand-written settings occupy all paths from {source} to {sink}"),
            )
            .help("remove some of them or use another port")
        } else if open {
            Diag::error(
                &codes::GAVE_UP,
                format!("packets of one id from several sources cannot be led to {sink} apart"),
            )
            .help("give the sources different ids, or equal destinations")
        } else {
            let first = self.graph.next(why.source).iter();
            let mut bundles: Vec<Bundle> = first.map(|m| self.graph.info(*m).port.bundle).collect();
            bundles.sort();
            bundles.dedup();
            let names: Vec<&str> = bundles.into_iter().map(Bundle::name).collect();
            Diag::error(
                &codes::UNREACHABLE,
                format!("no chain of legal connections leads from {source} to {sink}"),
            )
            .help(format!(
                "{source} connects to {} only; use another port or a stop in between",
                names.join(", ")
            ))
        };
        let ops = self.nets.get(net as usize).map_or(&[][..], |net| &net.ops);
        let span = ops.first().and_then(|op| self.module.span(*op));
        diag.label(span, "this flow")
    }

    fn congested(&self, ports: &[(Node, Vec<u32>)]) -> Diag {
        let mut nets: BTreeSet<u32> = BTreeSet::new();
        let mut names = Vec::new();
        for (node, users) in ports {
            nets.extend(users);
            // A wire has two ends; naming its output is enough.
            if self.graph.info(*node).side == PortSide::Master {
                names.push(format!("{} ({} streams)", self.place(*node), users.len()));
            }
        }
        let nets: Vec<u32> = nets.into_iter().collect();
        let text = listed(names.into_iter(), MAX_PORTS);
        let diag = Diag::error(
            &codes::GAVE_UP,
            format!(
                "{} streams compete for ports and no arrangement was found; still wanted by \
                 several: {text}",
                nets.len()
            ),
        )
        .help(self.relief(&nets));
        self.with_flows(diag, &nets)
    }

    fn relief(&self, nets: &[u32]) -> &'static str {
        let kinds = nets.iter().filter_map(|n| self.nets.get(*n as usize));
        if kinds.into_iter().any(|net| net.kind == NetKind::Circuit) {
            "move some ends to another column or channel, make some flows packet flows (they \
             can share ports), or join data in a mem tile first"
        } else {
            "move some ends to another column or channel, or give flows that meet different ids"
        }
    }

    fn exhausted(&self, tile: TileLoc, overflow: &Overflow, nets: &[u32]) -> Diag {
        let arch = self.graph.device.arch_model();
        let kinds = nets.iter().filter_map(|net| self.nets.get(*net as usize));
        let kinds: FxHashSet<NetKind> = kinds.map(|net| net.kind).collect();
        let ids = (0..=EXACT).filter(|id| kinds.contains(&NetKind::Packet(*id)));
        let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        let diag = match overflow {
            Overflow::Slots { slave } => Diag::error(
                &codes::RULE_SLOTS,
                format!(
                    "packet ids {} enter tile {tile} at {slave} and part there to outputs that \
                     need more than the {} rules of a port",
                    ids.join(", "),
                    arch.slots
                ),
            )
            .help(
                "give ids that go the same way numbers in one aligned block (0-3, 4-7, …), or \
                 use a second channel",
            ),
            Overflow::Arbiters { sets, .. } => Diag::error(
                &codes::ARBITERS,
                format!(
                    "packets that pass tile {tile} go to {sets} different sets of outputs that \
                     overlap, or to more sets than its {} arbiters with {} msels each can tell \
                     apart",
                    self.arbiters, arch.msels
                ),
            )
            .help("let multicast packet flows have equal destinations, or use fewer of them"),
        };
        let diag = match overflow {
            Overflow::Slots { .. } => diag,
            Overflow::Arbiters { .. } => self.more_arbiters(diag),
        };
        self.with_flows(diag, nets)
            .remark(self.streams_at(tile, nets))
            .remark(self.budget(tile))
    }

    /// The packet streams that compete at a tile.
    fn streams_at(&self, tile: TileLoc, nets: &[u32]) -> String {
        let arch = self.graph.device.arch_model();
        let mut text = format!(
            "packet streams through tile {tile} ({} rules for each input, {} arbiters with {} \
             msels):",
            arch.slots, self.arbiters, arch.msels
        );
        for net in nets.iter().filter_map(|n| self.nets.get(*n as usize)) {
            if let NetKind::Packet(id) = net.kind {
                let place = |(tile, port): &(TileLoc, Port)| format!("{port} of tile {tile}");
                for (source, sinks) in &net.branches {
                    let sinks: Vec<String> = sinks.iter().map(place).collect();
                    let source = place(source);
                    text += &format!("\n  id {id}: {source} to {}", sinks.join(", "));
                }
            }
        }
        text
    }

    /// Resources of a tile that written and already routed settings use.
    fn budget(&self, tile: TileLoc) -> String {
        let devices = self.module.find(self.module.top(), OpKind::Device);
        let net = self.nets.iter().find_map(|net| net.ops.first());
        let device = net.and_then(|op| self.module.ancestor(*op, OpKind::Device));
        match device.or(devices.first().copied()) {
            Some(device) => TileBudget::of(self.module, device, tile).table(),
            None => String::new(),
        }
    }

    fn cut(&self, cut: &Cut) -> Diag {
        let Cut { from, to, .. } = cut;
        let region = if from == to {
            format!("tile {from}")
        } else {
            format!("the tiles from {from} to {to}")
        };
        let (verb, way) = if cut.leaving {
            ("leave", "out of")
        } else {
            ("enter", "into")
        };
        let diag = Diag::error(
            &codes::CONGESTED,
            format!(
                "{} streams must {verb} {region}, but only {} free wires lead {way} there",
                cut.demand, cut.capacity
            ),
        )
        .remark(format!("the wires: {}", border_text(&cut.ports)))
        .help(format!(
            "take {} of them elsewhere: {}",
            cut.demand - cut.capacity,
            self.relief(&cut.nets)
        ));
        self.with_flows(diag, &cut.nets)
    }
}

/// Some names; those beyond the first `most` are counted.
fn listed(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let names: Vec<String> = names.take(most).collect();
    match more {
        0 => names.join(", "),
        _ => format!("{} and {more} more", names.join(", ")),
    }
}

/// Where the complete search ended, for messages.
fn limit_text(limit: SearchLimit) -> String {
    match limit {
        SearchLimit::Choices(count) => format!(
            "no proof either: the complete search is for up to {MAX_CHOICES} choices (streams \
             times ways from a tile to the next), and here there are {count}"
        ),
        SearchLimit::Effort => {
            format!("no proof either: the complete search stopped after {MAX_CONFLICTS} conflicts")
        }
        SearchLimit::Relaxed => {
            "no proof either: the complete search shows that there are enough wires; \
                           arbiters, packet rules and circular waits are not part of it"
                .to_string()
        }
    }
}

/// The outputs at a border: those of one direction in a row or column of tiles together.
fn border_text(ports: &[(TileLoc, Bundle, usize)]) -> String {
    let mut by_side: BTreeMap<Bundle, (TileLoc, TileLoc, usize)> = BTreeMap::new();
    for (tile, bundle, count) in ports {
        let all = by_side.entry(*bundle).or_insert((*tile, *tile, 0));
        all.1 = *tile;
        all.2 += count;
    }
    let one = |(bundle, (first, last, count)): (Bundle, (TileLoc, TileLoc, usize))| {
        let tiles = if first == last {
            format!("tile {first}")
        } else {
            format!("tiles {first} to {last}")
        };
        format!("{count} {} of {tiles}", bundle.name())
    };
    if by_side.is_empty() {
        "none".to_string()
    } else {
        by_side.into_iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Whether legal connections and wires lead from one node to another.
fn reachable(graph: &SwitchGraph, from: Node, to: Node) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node as usize], true) {
            stack.extend(graph.next(node));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use aiec_aie::ops::Device;
    use aiec_aie::text::parse_text;
    use aiec_diag::Diags;
    use aiec_diag::FileId;

    use super::super::requests::{self, FlowKinds};
    use super::*;

    /// Two circuits of a one-column device.
    const FLOWS: &str = "aie.device(npu1_1col) {
        %shim = aie.tile(0, 0)
        %mem = aie.tile(0, 1)
        %core = aie.tile(0, 2)
        aie.flow(%shim, DMA : 0, %core, DMA : 0)
        aie.flow(%mem, DMA : 0, %core, DMA : 1)
    }";

    /// The finding about both flows that still want one wire when the search ended at a limit. (No
    /// netlist of the benchmark gets here: each is routed, or proved impossible.)
    fn gave_up(limit: SearchLimit) -> Diag {
        let mut diags = Diags::default();
        let module = parse_text(FileId(0), FLOWS, &mut diags);
        let device = module.find(module.top(), OpKind::Device)[0];
        let model = Device(device).model(&module).unwrap();
        let kinds = FlowKinds {
            circuit: true,
            packet: true,
        };
        let requests = requests::read(&module, device, model, kinds, &mut diags);
        diags.check().unwrap();
        let nets = requests::nets(&requests);
        let graph = SwitchGraph::new(model, 0..model.columns());
        let port = |side, bundle| (side, Port::new(bundle, 0));
        let wire = [
            (TileLoc::new(0, 1), port(PortSide::Master, Bundle::North)),
            (TileLoc::new(0, 2), port(PortSide::Slave, Bundle::South)),
        ];
        let wanted = wire.map(|(tile, (side, port))| {
            let node = graph.node(tile, side, port).unwrap();
            (node, vec![0, 1])
        });
        let congested = RoutingFailure::Congested(wanted.to_vec(), Vec::new());
        let context = FailureReport {
            module: &module,
            graph: &graph,
            nets: &nets,
            blocked: &[],
            arbiters: 6,
        };
        let found = context.report(&RoutingFailure::GaveUp(Box::new(congested), limit));
        let [diag] = <[Diag; 1]>::try_from(found).unwrap();
        diag
    }

    #[test]
    fn giving_up_names_flows_wires_and_the_limit() {
        let diag = gave_up(SearchLimit::Choices(123_456));
        assert_eq!(diag.code.id, "route::gave-up");
        assert_eq!(
            diag.message,
            "2 streams compete for ports and no arrangement was found; still wanted by several: \
             North : 0 of tile (0, 1) (2 streams)"
        );
        let lines: Vec<&str> = diag
            .labels
            .iter()
            .map(|label| label.text.as_str())
            .collect();
        assert_eq!(lines, ["takes part in the conflict"; 2]);
        assert!(
            diag.help
                .is_some_and(|help| help.starts_with("move some ends to another column"))
        );
        assert_eq!(
            diag.notes,
            [
                "no proof either: the complete search is for up to 100000 choices (streams times ways \
              from a tile to the next), and here there are 123456"
            ]
        );
    }

    #[test]
    fn each_limit_says_what_was_not_proved() {
        let notes = |limit| gave_up(limit).notes.join("");
        assert!(notes(SearchLimit::Effort).contains("stopped after 100000 conflicts"));
        assert!(
            notes(SearchLimit::Relaxed).contains("there are enough wires; arbiters, packet rules")
        );
    }
}
