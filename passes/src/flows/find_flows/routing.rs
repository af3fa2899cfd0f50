//! Does a routing carry the flows that were asked for, and no others? This sees the flows before
//! the router ran and the switch settings after it, and compares pairs of ends.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileKind, TileLoc};
use aiec_diag::{Diag, Diags, Span};

use crate::analysis::switches::Switches;
use crate::infra::manager::PassStep;
use crate::infra::self_check::DEFECT;
use crate::route::NetKind;
use crate::route::ends::switch_port;
use crate::route::requests::{self, FlowKinds, FlowRequest};
use crate::route::trace::{self, FoundFlow, StreamTrace};

/// A port of a tile as flows name it.
pub type TilePort = (TileLoc, Port);

/// A source and one of the destinations of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowEnds {
    /// Circuit, or packet with its id.
    pub kind: NetKind,
    /// Where it starts.
    pub source: TilePort,
    /// Where it ends.
    pub sink: TilePort,
}

impl std::fmt::Display for FlowEnds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            NetKind::Circuit => write!(f, "flow")?,
            NetKind::Packet(id) => write!(f, "packet flow of id {id}")?,
        }
        let end = |(tile, port): TilePort| format!("{port} of tile {tile}");
        write!(f, " from {} to {}", end(self.source), end(self.sink))
    }
}

/// The pairs of ends of a flow.
pub fn ends_of(request: &FlowRequest) -> Vec<FlowEnds> {
    let pairs = request.sources.iter().flat_map(|source| {
        request.sinks.iter().map(|sink| FlowEnds {
            kind: request.kind,
            source: (source.tile, source.named),
            sink: (sink.tile, sink.named),
        })
    });
    pairs.collect()
}

/// The output of its tile's switch that an end of a flow is: a South port if the end is beyond the
/// shim mux.
pub fn switch_output(switches: &Switches, (tile, port): TilePort) -> Port {
    switch_port(switches.device, tile, port, PortSide::Master).unwrap_or(port)
}

/// Whether a stream starts at a port of a tile, rather than at a wire that nothing drives.
pub fn starts_at_a_port(switches: &Switches, flow: &FoundFlow) -> bool {
    let (tile, port) = flow.source;
    switches.device.wire_into(tile, port).is_none()
}

/// The flows of switch settings that start at a port.
fn connected(switches: &Switches) -> impl Iterator<Item = FoundFlow> + '_ {
    let flows = trace::find_flows(switches).into_iter();
    flows.filter(|flow| starts_at_a_port(switches, flow))
}

/// The flows that the router is asked for, by device.
#[derive(Debug, Default)]
pub struct RoutingRequest {
    devices: Vec<AskedOfDevice>,
}

#[derive(Debug)]
struct AskedOfDevice {
    device: Op,
    /// The flows to route, with where they are.
    wanted: IndexMap<FlowEnds, Option<Span>, FxBuildHasher>,
    /// Connections by settings written by hand.
    before: FxHashSet<FlowEnds>,
}

impl RoutingRequest {
    /// Reads the flows that a run of the router is about to route.
    pub fn of(module: &Module, step: &PassStep) -> RoutingRequest {
        let on = |name: &str| step.flag(name);
        let kinds = FlowKinds {
            circuit: on("route-circuit"),
            packet: on("route-packet"),
        };
        let devices = module.find(module.top(), OpKind::Device).into_iter();
        let asked = |device: Op| {
            let switches = Switches::read(module, device)?;
            // The router reports what it can't read.
            let mut unread = Diags::new();
            let requests = requests::read(module, device, switches.device, kinds, &mut unread);
            let mut wanted = IndexMap::default();
            for request in &requests {
                for ends in ends_of(request) {
                    wanted.entry(ends).or_insert(module.span(request.op));
                }
            }
            Some(AskedOfDevice {
                device,
                wanted,
                before: every_pair(&switches),
            })
        };
        RoutingRequest {
            devices: devices.filter_map(asked).collect(),
        }
    }

    /// Reports flows that the settings of a routed module lose, and flows that they add.
    pub fn check(&self, module: &Module, diags: &mut Diags) {
        for asked in &self.devices {
            if let Some(switches) = Switches::read(module, asked.device) {
                asked.check(module, &switches, diags);
            }
        }
    }
}

impl AskedOfDevice {
    fn check(&self, module: &Module, switches: &Switches, diags: &mut Diags) {
        let mut streams: IndexMap<(NetKind, TilePort), Stream, FxBuildHasher> = IndexMap::default();
        for (ends, span) in &self.wanted {
            let stream = streams.entry((ends.kind, ends.source)).or_default();
            stream.sinks.insert(ends.sink);
            stream.span = stream.span.or(*span);
        }
        let mut inputs = FxHashSet::default();
        for ((kind, source), stream) in &streams {
            let input = switch_port(switches.device, source.0, source.1, PortSide::Slave);
            let input = (source.0, input.unwrap_or(source.1));
            inputs.insert(input);
            let walk = if enters(switches, *source, input) {
                trace::follow(switches, input, *kind)
            } else {
                StreamTrace::default()
            };
            let ends = |sink: TilePort| FlowEnds {
                kind: *kind,
                source: *source,
                sink,
            };
            let found = StreamArrival::of(switches, &walk, *kind, &stream.sinks);
            for sink in stream.sinks.difference(&found.arrived) {
                let span = self.wanted.get(&ends(*sink)).copied().flatten();
                let message = format!("the routing lost a {}", ends(*sink));
                diags.push(defect(message).label(span, "this flow isn't connected"));
            }
            for sink in found.arrived.difference(&stream.sinks) {
                if !self.before.contains(&ends(*sink)) {
                    extra(module, switches, ends(*sink), diags);
                }
            }
            for (tile, port) in found.lost {
                let message = format!(
                    "the routing leads a stream from {} of tile {} out of {port} of tile {tile}, \
                     where no switch takes it",
                    source.1, source.0
                );
                diags.push(defect(message).label(stream.span, "it carries this flow"));
            }
        }
        for flow in connected(switches) {
            // Flows may go on with what settings written by hand bring to their source.
            let mut hops = flow.hops.iter();
            if hops.any(|hop| inputs.contains(&(hop.tile, hop.slave))) {
                continue;
            }
            // Rules admit ids that are never sent; one of them is checked for all.
            let Some(kind) = kinds_of(&flow).first().copied() else {
                continue;
            };
            for sink in &flow.sinks {
                let ends = FlowEnds {
                    kind,
                    source: flow.source,
                    sink: *sink,
                };
                if !self.before.contains(&ends) {
                    extra(module, switches, ends, diags);
                }
            }
        }
    }
}

/// Whether a source enters the switch: one beyond the shim mux must be connected there.
fn enters(switches: &Switches, source: TilePort, input: TilePort) -> bool {
    let mux = || switches.mux_source(input.0, input.1.channel);
    source == input || mux().is_some_and(|connection| connection.from == source.1)
}

/// Destinations that flows of one source and id ask for.
#[derive(Default)]
struct Stream {
    sinks: BTreeSet<TilePort>,
    span: Option<Span>,
}

/// Where a stream arrives.
struct StreamArrival {
    /// As flows name it.
    arrived: BTreeSet<TilePort>,
    /// Outputs with a wire that no switch takes on, and that no flow ends at.
    lost: BTreeSet<TilePort>,
}

impl StreamArrival {
    /// A flow may end at a wire between two tiles; what settings written by hand make of it after
    /// that is not its business.
    fn of(
        switches: &Switches,
        walk: &StreamTrace,
        kind: NetKind,
        wanted: &BTreeSet<TilePort>,
    ) -> StreamArrival {
        let mut found = StreamArrival {
            arrived: BTreeSet::new(),
            lost: BTreeSet::new(),
        };
        let mut beyond = BTreeSet::new();
        let outputs: FxHashSet<TilePort> =
            walk.hops.iter().map(|hop| (hop.tile, hop.master)).collect();
        for sink in wanted.iter().filter(|sink| outputs.contains(sink)) {
            if let Some(far) = switches.device.wire_from(sink.0, sink.1) {
                found.arrived.insert(*sink);
                beyond.insert(*sink);
                beyond.extend(trace::follow(switches, far, kind).all_ends());
            }
        }
        for end in walk.ends.difference(&beyond) {
            let outer: Vec<TilePort> = mux_ends(switches, *end);
            found.arrived.extend(outer);
        }
        found.lost.extend(walk.dangling.difference(&beyond));
        found
    }
}

/// An output without a wire as flows name it: outside of the shim mux, where that is connected.
fn mux_ends(switches: &Switches, (tile, port): TilePort) -> Vec<TilePort> {
    let shim = switches
        .device
        .tile_kind(tile)
        .is_some_and(TileKind::is_shim);
    if !shim || port.bundle != Bundle::South {
        return vec![(tile, port)];
    }
    let outer = switches.mux_sinks(tile, port.channel);
    let outer: Vec<TilePort> = outer.map(|connection| (tile, connection.to)).collect();
    if outer.is_empty() {
        vec![(tile, port)]
    } else {
        outer
    }
}

/// Reports a destination that no flow asked for.
fn extra(module: &Module, switches: &Switches, ends: FlowEnds, diags: &mut Diags) {
    let message = format!("the routing made a {ends} that was not asked for");
    let output = switch_output(switches, ends.sink);
    let switch = switches.switch(ends.sink.0);
    let span = switch.and_then(|switch| module.span(switch.driver(output)?));
    diags.push(defect(message).label(span, "it arrives here"));
}

fn defect(message: String) -> Diag {
    Diag::error(&DEFECT, message)
        .help("this is a defect of the router; please report it with the netlist")
}

pub(super) fn kinds_of(flow: &FoundFlow) -> Vec<NetKind> {
    if flow.circuit {
        vec![NetKind::Circuit]
    } else {
        flow.ids.iter().map(|id| NetKind::Packet(*id)).collect()
    }
}

/// The pairs of ends that switch settings connect, for every id that the rules let through.
fn every_pair(switches: &Switches) -> FxHashSet<FlowEnds> {
    let mut pairs = FxHashSet::default();
    for flow in connected(switches) {
        for kind in kinds_of(&flow) {
            pairs.extend(flow.sinks.iter().map(|sink| FlowEnds {
                kind,
                source: flow.source,
                sink: *sink,
            }));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use aiec_aie::text::parse_text;
    use aiec_diag::FileId;

    use super::*;
    use crate::infra::manager;
    use crate::route;

    /// A broadcast from a shim tile, and packets of two ids that part.
    const DESIGN: &str = "
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.flow(%s, DMA : 0, %b, DMA : 1)
  aie.packet_flow(1) { aie.packet_source<%a, DMA : 0> aie.packet_dest<%b, DMA : 0> }
  aie.packet_flow(2) { aie.packet_source<%a, DMA : 0> aie.packet_dest<%s, DMA : 0> }
}";

    /// The findings on a routing after something was done to it.
    fn findings(damage: impl Fn(&mut Module)) -> Vec<String> {
        findings_on(DESIGN, damage)
    }

    fn findings_on(design: &str, damage: impl Fn(&mut Module)) -> Vec<String> {
        let mut diags = Diags::new();
        let mut module = parse_text(FileId(0), design, &mut diags);
        let step = PassStep::new(&route::PASS);
        let asked = RoutingRequest::of(&module, &step);
        let result = manager::run(&mut module, &[step], &mut diags, &mut |_, _, _| {});
        assert!(result.is_ok() && diags.is_empty(), "{:?}", diags.into_vec());
        damage(&mut module);
        asked.check(&module, &mut diags);
        diags
            .into_vec()
            .into_iter()
            .map(|diag| diag.message)
            .collect()
    }

    fn all(module: &Module, kind: OpKind) -> Vec<Op> {
        module.find(module.top(), kind)
    }

    #[test]
    fn a_sound_routing_has_no_findings() {
        assert_eq!(findings(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn a_lost_connection_is_a_lost_flow() {
        // Whichever connection goes, a destination goes.
        let count = std::cell::Cell::new(0);
        let _ = findings(|module| count.set(all(module, OpKind::Connect).len()));
        for number in 0..count.get() {
            let found = findings(|module| {
                let op = all(module, OpKind::Connect)[number];
                module.erase(op);
            });
            let lost = found.iter().any(|text| {
                text.contains("the routing lost a flow from DMA : 0 of tile (0, 0) to DMA")
            }) || found
                .iter()
                .any(|text| text.contains("the routing lost a packet flow of id 2"));
            assert!(lost, "connection {number}: {found:?}");
        }
        assert!(count.get() >= 5);
    }

    #[test]
    fn a_flow_may_end_at_a_wire_that_is_led_on_by_hand() {
        let design = "
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 2)
  aie.flow(%m, DMA : 0, %a, East : 2)
  aie.flow(%b, North : 1, %b, DMA : 0)
  aie.switchbox(%b) { aie.connect<West : 2, DMA : 1> }
}";
        assert_eq!(findings_on(design, |_| {}), Vec::<String>::new());
    }

    #[test]
    fn a_rule_for_both_ids_is_an_extra_flow() {
        let found = findings(|module| {
            use aiec_aie::ops::OpView;
            for rule in all(module, OpKind::Rule) {
                aiec_aie::ops::Rule(rule)
                    .edit(module)
                    .mask(0_u8)
                    .value(0_u8);
            }
        });
        assert!(
            found
                .iter()
                .any(|text| text.contains("that was not asked for")),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .any(|text| text.contains("the routing lost a packet flow of id")),
            "{found:?}"
        );
    }
}
