//! Hazards of hand-written routings: packets that only their times keep from waiting for each other
//! through memory.
//!
//! The packets of a routing that is there are followed through its settings ([`find_flows`]); what
//! their senders and receivers do is read from the netlist and the runtime sequence ([`Memory`]). A
//! wait cycle that some hand-written rule takes part in is reported, with a schedule in which the
//! packets stop: how many of one stream have been accepted and how many of the other have passed when the
//! next of the first comes to what they share before the next of the second. A run that completes
//! doesn't disprove it, as it shows one schedule.
//!
//! Packets that are longer than what their receivers take stay where they are, and with them all that come later to an
//! arbiter or an input that they occupy: these are reported too.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, ChannelId, DmaDir, Port, TileLoc};
use aiec_diag::{Diag, Span};

use super::codes;
use super::ends::switch_port;
use super::fixed::arbiter_hop;
use super::memory::{self, Memory, Programs, WaitSchedule};
use super::net::NetKind;
use super::requests::{FlowEnd, FlowRequest, PortNet, SwitchPort};
use super::trace::{FoundFlow, Hop, find_flows};
use super::waits::{Resource, RoutedStream, WaitCycle, cycles, smallest};
use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::host_transfers::{HostStep, host_steps};
use crate::analysis::switches::Switches;
use crate::analysis::transfer::packet_of_bd;

/// Words of a packet that find room after the last arbiter, with a receiver that has no task any more (mlir-aie's hw_verdicts:
/// on an NPU2 `ovr_5_arb` passes, `ovr_6_arb` hangs).
const ROOM_AFTER_LAST_ARBITER: u64 = 5;
/// Words of a packet for which a hop has room, at most (AM020: FIFOs of ports have 2 to 4 words each).
const ROOM_OF_HOP: u64 = 8;

/// The warnings about the hand-written settings of a device whose flows are routed; `before` has
/// those settings, `after` has them with the router's.
pub(crate) fn warnings(
    module: &Module,
    device: Op,
    before: &Switches,
    after: &Switches,
) -> Vec<Diag> {
    if before.tiles.values().all(|switch| switch.slaves.is_empty()) {
        return Vec::new();
    }
    let routing = GivenRouting::read(module, device, after);
    if routing.memory.is_trivial() {
        return Vec::new();
    }
    let by_hand = |stream: &usize| {
        let mut hops = routing.streams[*stream].hops.iter();
        let id = routing.id(*stream);
        hops.any(|hop| {
            let switch = before.switch(hop.tile);
            switch.is_some_and(|switch| switch.rule(hop.slave, id).is_some())
        })
    };
    let routed = routing.routed();
    let cycles = cycles(&routed, Some(&routing.memory));
    let cycles = cycles
        .iter()
        .filter(|cycle| cycle.iter().any(|(stream, _)| by_hand(stream)));
    let waits = cycles.map(|cycle| routing.warning(cycle));
    let packets = routed.iter().filter(|stream| by_hand(&stream.name));
    let surplus = packets.filter_map(|stream| routing.surplus(stream, &routed));
    waits.chain(surplus).collect()
}

/// A stream that switch settings lead somewhere.
struct GivenStream {
    kind: NetKind,
    source: FlowEnd,
    sinks: Vec<FlowEnd>,
    hops: Vec<Hop>,
}

struct GivenRouting<'a> {
    module: &'a Module,
    switches: &'a Switches,
    streams: Vec<GivenStream>,
    memory: Memory,
}

impl<'a> GivenRouting<'a> {
    fn read(module: &'a Module, device: Op, switches: &'a Switches) -> GivenRouting<'a> {
        let model = switches.device;
        let host = host_steps(module, device, model);
        let streams = streams(module, device, switches, host.as_deref());
        let requests = requests(device, switches, &streams);
        let nets: Vec<PortNet> = streams.iter().map(port_net).collect();
        let host = host.as_deref();
        GivenRouting {
            module,
            switches,
            memory: Memory::read(module, device, model, &requests, &nets, host),
            streams,
        }
    }

    fn routed(&self) -> Vec<RoutedStream> {
        let streams = self.streams.iter().enumerate();
        let packets = streams.filter(|(_, stream)| stream.kind != NetKind::Circuit);
        packets
            .map(|(name, stream)| RoutedStream {
                name,
                hops: stream
                    .hops
                    .iter()
                    .map(|hop| arbiter_hop(self.switches, hop, self.id(name)))
                    .collect(),
            })
            .collect()
    }

    fn id(&self, stream: usize) -> u8 {
        match self.streams[stream].kind {
            NetKind::Packet(id) => id,
            NetKind::Circuit => 0,
        }
    }

    fn text(&self, stream: usize) -> String {
        let source = self.streams[stream].source.text();
        format!("packets {} from {source}", self.id(stream))
    }

    /// The rule by which a stream comes to a resource.
    fn rule(&self, stream: usize, at: Resource) -> Option<Span> {
        let id = self.id(stream);
        let rules = self.streams[stream].hops.iter().filter_map(|hop| {
            let rule = self.switches.switch(hop.tile)?.rule(hop.slave, id)?;
            let there = match at {
                Resource::Buffer(tile, port) => (hop.tile, hop.slave) == (tile, port),
                Resource::Arbiter(tile, arbiter) => (hop.tile, rule.amsel.0) == (tile, arbiter),
            };
            there.then_some(rule.op)
        });
        rules.into_iter().find_map(|op| self.module.span(op))
    }

    /// Two streams of a cycle of which the first waits through memory for the second, which waits
    /// for what the first one occupies.
    fn pair(&self, cycle: &WaitCycle) -> Option<(usize, usize, Resource, WaitSchedule)> {
        let mut users: BTreeMap<Resource, BTreeSet<usize>> = BTreeMap::new();
        for (stream, resource) in cycle {
            users.entry(*resource).or_default().insert(*stream);
        }
        users.iter().find_map(|(resource, users)| {
            let pairs = users
                .iter()
                .flat_map(|a| users.iter().map(move |b| (*a, *b)));
            let mut pairs = pairs.filter(|(a, b)| a != b);
            pairs.find_map(|(a, b)| Some((a, b, *resource, self.memory.schedule(a, b)?)))
        })
    }

    fn warning(&self, cycle: &WaitCycle) -> Diag {
        let Some((first, second, shared, schedule)) = self.pair(cycle) else {
            return self.long_cycle(cycle);
        };
        let diag = Diag::warning(
            &codes::MEMORY_WAIT,
            format!(
                "only their times keep {} and {} from stopping forever: they share {shared}, \
                 and the first can wait through memory for the second",
                self.text(first),
                self.text(second),
            ),
        )
        .label(self.rule(first, shared), "the first come here")
        .label(self.rule(second, shared), "the second come here");
        let ends: Vec<String> = self.streams[first]
            .sinks
            .iter()
            .map(FlowEnd::text)
            .collect();
        let diag = diag.remark(format!(
            "a schedule that stops: {} of the first and {} of the second have passed, and the next \
             of the first comes to {shared} before the next of the second. {} has no room for all \
             of it before that one has passed, which waits for {shared}",
            packets(schedule.accepted),
            packets(schedule.passed as u64),
            ends.join(" or "),
        ));
        diag.help(
            "let them have an arbiter (aie.amsel) and a way each, connect one as a circuit, or give \
             the buffers between them more room",
        )
    }

    /// The warning about a stream whose last packet stays for lack of a receiver where others come too.
    fn surplus(&self, stream: &RoutedStream, all: &[RoutedStream]) -> Option<Diag> {
        let words = self.memory.surplus(stream.name)?;
        // Room from the receiver back, hop by hop, until the packet's end is out of the way.
        let mut room = ROOM_AFTER_LAST_ARBITER;
        for hop in stream.hops.iter().rev() {
            if words <= room {
                return None;
            }
            room += ROOM_OF_HOP;
            let others = all
                .iter()
                .filter(|other| self.memory.are_apart(stream.name, other.name));
            let meets = |other: &&RoutedStream| {
                let mut hops = other.hops.iter();
                hops.any(|theirs| {
                    theirs.tile == hop.tile
                        && (theirs.slave == hop.slave
                            || theirs.arbiter.is_some() && theirs.arbiter == hop.arbiter)
                })
            };
            let blocked: Vec<usize> = others.filter(meets).map(|other| other.name).collect();
            if blocked.is_empty() {
                continue;
            }
            let place = match hop.arbiter {
                Some(arbiter) => Resource::Arbiter(hop.tile, arbiter),
                None => Resource::Buffer(hop.tile, hop.slave),
            };
            let names: Vec<String> = blocked.iter().map(|other| self.text(*other)).collect();
            let message = format!(
                "{} bring {words} words more than their receiver takes; the last stays in {place}, and nothing that \
                 comes there later passes: {}",
                self.text(stream.name),
                names.join(", "),
            );
            let mut diag = Diag::warning(&codes::SURPLUS, message)
                .label(self.rule(stream.name, place), "the long packets come here");
            for other in &blocked {
                diag = diag.label(self.rule(*other, place), "these too");
            }
            return Some(diag.help(
                "let the receiver's descriptors take as many words as are sent, headers that are kept among them, or give the others an arbiter \
                 (aie.amsel) and a way of their own",
            ));
        }
        None
    }

    /// A cycle of more than two, or without memory.
    fn long_cycle(&self, cycle: &WaitCycle) -> Diag {
        let streams: BTreeSet<usize> = cycle.iter().map(|(stream, _)| *stream).collect();
        let mut concerned = self.routed();
        concerned.retain(|stream| streams.contains(&stream.name));
        if let Some(example) = smallest(&concerned) {
            return self.circle(&example);
        }
        let shared: BTreeSet<Resource> = cycle.iter().map(|(_, resource)| *resource).collect();
        let shared: Vec<String> = shared.iter().map(ToString::to_string).collect();
        let diag = Diag::warning(
            &codes::MEMORY_WAIT,
            format!(
                "only their times keep packets of {} streams from stopping forever: they share {}, \
                 and some can wait through memory for others",
                streams.len(),
                shared.join(", "),
            ),
        );
        let waits = streams
            .iter()
            .flat_map(|a| streams.iter().map(move |b| (*a, *b)));
        let waits = waits.filter(|(a, b)| self.memory.waits(*a, *b));
        let waits = waits.map(|(a, b)| format!("{} wait for {}", self.text(a), self.text(b)));
        let waits: Vec<String> = waits.collect();
        let diag = streams.iter().fold(diag, |diag, stream| {
            let at = cycle.iter().find(|(of, _)| of == stream).map(|at| at.1);
            let span = at.and_then(|at| self.rule(*stream, at));
            diag.label(span, self.text(*stream))
        });
        diag.remark(format!("a schedule that stops: {}", waits.join(", and ")))
            .help(
                "let them have arbiters (aie.amsel) and ways of their own, connect some as circuits, \
                 or give the buffers between them more room",
            )
    }

    /// A cycle in which each stream occupies what it is listed with and waits for what the next one
    /// occupies, though all destinations accept what arrives.
    fn circle(&self, example: &[(usize, Resource)]) -> Diag {
        let streams: BTreeSet<usize> = example.iter().map(|(stream, _)| *stream).collect();
        let mut diag = Diag::warning(
            &codes::CIRCULAR,
            format!(
                "hand-written settings let packets of {} streams wait for each other in a cycle",
                streams.len()
            ),
        );
        let mut steps = Vec::new();
        for (at, (stream, occupied)) in example.iter().enumerate() {
            let (_, wanted) = example[(at + 1) % example.len()];
            let text = self.text(*stream);
            let does = format!("{text} can occupy {occupied} and wait for {wanted}");
            diag = diag.label(self.rule(*stream, *occupied), does);
            steps.push(format!("{text} come to {occupied}"));
        }
        diag.remark(format!(
            "a schedule that stops: {}, each before what comes next there",
            steps.join(", ")
        ))
        .help(
            "let them have arbiters (aie.amsel) and ways of their own, or connect some as circuits",
        )
    }
}

/// A number of packets, in words.
fn packets(count: u64) -> String {
    match count {
        0 => "no packet".to_string(),
        1 => "one packet".to_string(),
        _ => format!("{count} packets"),
    }
}

/// The ids that a channel sends, where that is known.
type SentIds = BTreeMap<ChannelId, BTreeSet<u8>>;

fn sent_ids(module: &Module, device: Op, host: Option<&[HostStep]>) -> SentIds {
    let mut sent = SentIds::new();
    for container in dma_containers(module, device) {
        let Some(tile) = tile_of_op(module, container) else {
            continue;
        };
        for task in dma_channels(module, container) {
            let ids = task.bds.iter().filter_map(|slot| {
                let packet = packet_of_bd(module, slot.bd, slot.block)?;
                u8::try_from(packet.pkt_id).ok()
            });
            sent.entry(ChannelId::new(tile, task.dir, task.channel))
                .or_default()
                .extend(ids);
        }
    }
    add_sent(host.unwrap_or_default(), &mut sent);
    sent
}

fn add_sent(steps: &[HostStep], sent: &mut SentIds) {
    for step in steps {
        match step {
            HostStep::Start(transfer) => {
                sent.entry(transfer.channel)
                    .or_default()
                    .extend(transfer.packet);
            }
            HostStep::Wait(_) => {}
            HostStep::Repeat(_, steps) => add_sent(steps, sent),
        }
    }
}

/// The streams of a flow, one for each id that its source sends; rules may match more ids.
fn of_flow(switches: &Switches, device: Op, sent: &SentIds, flow: FoundFlow) -> Vec<GivenStream> {
    let end = |(tile, named): (TileLoc, Port), side| FlowEnd {
        tile,
        named,
        port: switch_port(switches.device, tile, named, side).unwrap_or(named),
        op: device,
    };
    let (tile, port) = flow.source;
    let known = match port.bundle {
        Bundle::Dma => sent.get(&ChannelId::new(tile, DmaDir::Mm2s, port.channel)),
        _ => None,
    };
    let known = known.filter(|ids| !ids.is_empty());
    let kinds: Vec<NetKind> = match (flow.circuit, known) {
        (true, _) => vec![NetKind::Circuit],
        (false, None) => flow
            .ids
            .iter()
            .take(1)
            .map(|id| NetKind::Packet(*id))
            .collect(),
        (false, Some(known)) => {
            let ids = flow.ids.iter().filter(|id| known.contains(id));
            ids.map(|id| NetKind::Packet(*id)).collect()
        }
    };
    let stream = |kind| GivenStream {
        kind,
        source: end(flow.source, PortSide::Slave),
        sinks: flow
            .sinks
            .iter()
            .map(|sink| end(*sink, PortSide::Master))
            .collect(),
        hops: flow.hops.clone(),
    };
    kinds.into_iter().map(stream).collect()
}

/// The streams of a routed design.
fn streams(
    module: &Module,
    device: Op,
    switches: &Switches,
    host: Option<&[HostStep]>,
) -> Vec<GivenStream> {
    let sent = sent_ids(module, device, host);
    let flows = find_flows(switches).into_iter();
    flows
        .flat_map(|flow| of_flow(switches, device, &sent, flow))
        .collect()
}

fn requests(device: Op, switches: &Switches, streams: &[GivenStream]) -> Vec<FlowRequest> {
    let streams = streams.iter();
    streams.map(|s| request(device, switches, s)).collect()
}

/// The programs of a routed device's channels and cores, and the ways of its streams.
pub(crate) struct RoutedPrograms {
    pub programs: Programs,
    /// The hops of each stream of the programs.
    pub hops: Vec<Vec<Hop>>,
    /// Channels that give their packets to a circuit, which keeps headers.
    pub packets_on_circuits: Vec<SwitchPort>,
}

/// Reads the programs of a routed device, those of the host's channels if `host` has its steps.
pub(crate) fn routed_programs(
    module: &Module,
    device: Op,
    switches: &Switches,
    host: Option<&[HostStep]>,
) -> RoutedPrograms {
    let streams = streams(module, device, switches, host);
    let requests = requests(device, switches, &streams);
    let programs = memory::programs(module, device, switches.device, &requests, host);
    let hops = programs.streams.iter().map(|stream| {
        let mine = |given: &&GivenStream| {
            (given.source.place(), given.kind) == (stream.source, stream.kind)
        };
        let hops = streams.iter().filter(mine).flat_map(|given| &given.hops);
        hops.copied().collect()
    });
    let hops = hops.collect();
    let sent = sent_ids(module, device, host).into_iter();
    let packets_on_circuits = sent.filter(|(id, ids)| id.dir == DmaDir::Mm2s && !ids.is_empty());
    let packets_on_circuits = packets_on_circuits.filter_map(|(id, _)| {
        let port = Port::new(Bundle::Dma, id.index);
        let port = switch_port(switches.device, id.tile, port, PortSide::Slave)?;
        Some((id.tile, port))
    });
    RoutedPrograms {
        packets_on_circuits: packets_on_circuits.collect(),
        programs,
        hops,
    }
}

fn request(device: Op, switches: &Switches, stream: &GivenStream) -> FlowRequest {
    let keeps_header = |hop: &Hop| {
        let is_end = stream
            .sinks
            .iter()
            .any(|sink| sink.place() == (hop.tile, hop.master));
        let masters = switches
            .switch(hop.tile)
            .into_iter()
            .flat_map(|switch| &switch.masters);
        let mut masters = masters.filter(|master| master.port == hop.master);
        is_end && masters.any(|master| master.keep_header == Some(true))
    };
    FlowRequest {
        op: device,
        kind: stream.kind,
        priority: false,
        keep_header: Some(stream.hops.iter().any(keeps_header)),
        sources: vec![stream.source],
        sinks: stream.sinks.clone(),
    }
}

fn port_net(stream: &GivenStream) -> PortNet {
    let sinks = stream.sinks.iter().map(FlowEnd::place).collect();
    PortNet {
        kind: stream.kind,
        priority: false,
        group: 0,
        branches: vec![(stream.source.place(), sinks)],
        ops: Vec::new(),
    }
}
