//! Traces: their events, ports, packets, and the events that start and stop them.

use aiec_device::regmap::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Arch, DmaDir, Port, TileKind, events};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::array::below_minimum;
use super::{Context, Report, codes, kind_text};
use crate::ir::{Attr, Op, Value};
use crate::ops::{
    LogicalTile, OpKind, OpView, Trace, TraceComboEvent, TraceEdgeEvent, TraceEvent,
    TraceHostConfig, TracePacket, TracePort,
};
use aiec_diag::did_you_mean;

/// Events that a trace unit records (AM020, trace units: eight event slots).
const MAX_EVENTS: usize = 8;
/// Ports whose events a tile can watch (AM025, `Stream_Switch_Event_Port_Selection_0..1`).
const MAX_PORT_SLOT: i32 = 7;
/// The last of a tile's combination events, which can take the first two as its inputs
/// (AM025, `Combo_Event_Inputs`).
const LAST_COMBO: i32 = 2;
/// The last of a tile's edge detectors (AM025, `Edge_Detection_Event_Control`).
const LAST_EDGE: i32 = 1;

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    cx.each(check_trace);
    for packet in cx.all::<TracePacket>() {
        let max = i32::from(cx.model.arch_model().max_packet_id);
        if packet.id(m).is_some_and(|id| !(1..=max).contains(&id)) {
            let text = format!(
                "{} whose maximum value is {max}",
                minimum(cx, packet.op(), "id", 1)
            );
            let message = "the packet id of a trace is out of range";
            let help = format!("ids are 1..={max}");
            cx.shared_plain(packet.op(), &codes::TRACE, (message, help), text);
        }
    }
    for op in cx.of_kinds([OpKind::TraceStart, OpKind::TraceStop]) {
        when(cx, op);
        broadcast_channel(cx, op);
    }
    for host in cx.all::<TraceHostConfig>() {
        let op = host.op();
        if host.buffer_size(m) <= 0 {
            let said = ("the trace buffer is empty", "give buffer_size in bytes");
            cx.shared(op, &codes::TRACE, said, "buffer_size must be positive");
        }
        if host.egress_shim_col(m).is_some_and(|col| col < 0) {
            let said = ("egress_shim_col is negative", "columns count from 0");
            cx.shared(op, &codes::TRACE, said, "egress_shim_col must be >= 0");
        }
    }
}

/// Report by mlir-aie's tools of an integer attribute below its minimum, to be continued.
fn minimum(cx: &Context<'_>, op: Op, key: &str, min: i64) -> String {
    below_minimum(cx, op, key, min).text
}

/// A start or stop is either a broadcast or an event.
fn when(cx: &mut Context<'_>, op: Op) {
    let m = cx.module;
    let has = |name: &str| m.attr(op, name).is_some();
    let given = (has("broadcast"), has("event"));
    let (message, text) = match given {
        (false, false) => (
            "neither broadcast nor event is given",
            "must specify either broadcast or event",
        ),
        (true, true) => (
            "broadcast and event are given",
            "cannot specify both broadcast and event",
        ),
        _ => return,
    };
    let help = "write `broadcast = N` or `event = <\"NAME\">`";
    cx.shared(op, &codes::TRACE, (message, help), text);
}

/// Events are broadcast on sixteen channels (AM025, `Event_Broadcast0..15`).
fn broadcast_channel(cx: &mut Context<'_>, op: Op) {
    let channels = 0..=15;
    let channel = cx.module.int_attr(op, "broadcast");
    if let Some(channel) = channel.filter(|n| !channels.contains(n)) {
        let message = format!("there is no broadcast channel {channel}");
        cx.problem(op, &codes::TRACE, message, "channels are 0 to 15");
    }
}

/// A trace's packets come from a module that its tile has.
fn packet_type(cx: &mut Context<'_>, trace: Trace) {
    let m = cx.module;
    let Some(kind) = cx.kind_of(trace.tile(m)) else {
        return;
    };
    let (types, names): (&[i64], &str) = match kind {
        TileKind::Core => (&[0, 1], "core or mem"),
        TileKind::Mem => (&[3], "memtile"),
        TileKind::ShimNoc | TileKind::ShimPl => (&[2], "shimtile"),
    };
    for packet in m.children::<TracePacket>(trace.op()) {
        let given = m.int_attr(packet.op(), "type");
        if given.is_some_and(|given| !types.contains(&given)) {
            let message = format!("a {} has no trace packets of this type", kind_text(kind));
            let help = format!("write `type = {names}`");
            cx.problem(packet.op(), &codes::TRACE, message, help);
        }
    }
}

/// The name of an event: as written between `<` and `>`, without quotes.
fn event_name(attr: Option<&Attr>) -> String {
    match attr {
        Some(Attr::Opaque(text)) => text
            .trim_start_matches("#aie.trace_event")
            .trim_matches(['<', '>', '"'])
            .to_string(),
        _ => String::new(),
    }
}

fn check_trace(cx: &mut Context<'_>, trace: Trace) {
    let m = cx.module;
    let op = trace.op();
    let name = trace.sym_name(m);
    let tile = trace.tile(m);
    let events = m.children::<TraceEvent>(op);
    if events.len() > MAX_EVENTS {
        let message = format!("{} events; a trace records {MAX_EVENTS}", events.len());
        let help = "remove some, or trace the tile in two runs";
        let text = format!(
            "trace unit supports maximum {MAX_EVENTS} events, got {}",
            events.len()
        );
        cx.shared(op, &codes::TRACE, (message, help), text);
    }
    for event in events {
        event_architecture(cx, event.op(), &event_name(event.event(m).as_ref()), tile);
    }
    ports(cx, trace, &name, tile);
    packet_type(cx, trace);
    let mut combos = Slots::new("combo event slot", LAST_COMBO);
    for combo in m.children::<TraceComboEvent>(op) {
        let range = "combo event slot must be 0, 1, or 2";
        combos.take(cx, combo.op(), combo.slot(m), range);
        if combo.slot(m) == LAST_COMBO {
            let inputs = [
                ("first", combo.eventA(m), 0),
                ("second", combo.eventB(m), 1),
            ];
            for (which, event, n) in inputs {
                let found = event_name(event.as_ref());
                let wanted = format!("COMBO_EVENT_{n}");
                if found == wanted {
                    continue;
                }
                let message = format!("the {which} event of combination {LAST_COMBO} is {found}");
                let help = format!("it combines the other two: write <\"{wanted}\">");
                let text = format!(
                    "combo slot 2 {which} event must be {wanted} (hierarchical), got {found}"
                );
                cx.shared(combo.op(), &codes::TRACE, (message, help), text);
                break;
            }
        }
    }
    let mut edges = Slots::new("edge detection slot", LAST_EDGE);
    for edge in m.children::<TraceEdgeEvent>(op) {
        let range = "edge detection slot must be 0 or 1";
        edges.take(cx, edge.op(), edge.slot(m), range);
        if event_name(edge.event(m).as_ref()).starts_with("EDGE_DETECTION_EVENT") {
            let message = "an edge detector can't watch an edge detector";
            let help = "name a regular event";
            let text =
                "edge detection source should be a regular event, not another EDGE_DETECTION_EVENT";
            cx.shared(edge.op(), &codes::TRACE, (message, help), text);
        }
    }
}

/// Numbered units of a tile, each used once in a trace.
struct Slots {
    what: &'static str,
    last: i32,
    taken: IndexMap<i32, Op, FxBuildHasher>,
}

impl Slots {
    fn new(what: &'static str, last: i32) -> Slots {
        let taken = IndexMap::default();
        Slots { what, last, taken }
    }

    fn take(&mut self, cx: &mut Context<'_>, op: Op, slot: i32, range: &str) {
        let Slots { what, last, .. } = *self;
        if !(0..=last).contains(&slot) {
            let message = format!("{what} {slot} doesn't exist");
            let help = format!("they are 0..={last}");
            let text = format!("{range}, got {slot}");
            cx.shared(op, &codes::TRACE, (message, help), text);
        } else if let Some(first) = self.taken.insert(slot, op) {
            cx.error(op, &codes::TRACE, format!("{what} {slot} is used twice"))
                .label(cx.module.span(first), "first used here")
                .help("use another slot")
                .mlir_aie(cx.mlir_aie(op, format!("{what} {slot} already in use in this trace")))
                .push(cx);
        }
    }
}

fn ports(cx: &mut Context<'_>, trace: Trace, name: &str, tile: Option<Value>) {
    let m = cx.module;
    let mut taken: IndexMap<i32, Op, FxBuildHasher> = IndexMap::default();
    for port in m.children::<TracePort>(trace.op()) {
        let op = port.op();
        let slot = port.slot(m);
        if !(0..=MAX_PORT_SLOT).contains(&slot) {
            let text = format!(
                "{} whose maximum value is {MAX_PORT_SLOT}",
                minimum(cx, op, "slot", 0)
            );
            let message = format!("port slot {slot} doesn't exist");
            let help = format!("they are 0..={MAX_PORT_SLOT}");
            cx.shared_plain(op, &codes::TRACE, (message, help), text);
            continue;
        }
        if let Some(first) = taken.insert(slot, op) {
            cx.error(op, &codes::TRACE, format!("port slot {slot} is used twice"))
                .label(m.span(first), "first used here")
                .help("use another slot")
                .mlir_aie(cx.mlir_aie(first, format!("duplicate port slot {slot} in trace {name}")))
                .push(cx);
            continue;
        }
        let Some(loc) = cx.tile(tile) else { continue };
        let (Some(bundle), Some(dir)) = (port.port(m), port.direction(m)) else {
            continue;
        };
        // MM2S watches what enters the switch, S2MM what leaves it.
        let side = if dir == DmaDir::Mm2s {
            PortSide::Slave
        } else {
            PortSide::Master
        };
        let channel = port.channel(m);
        let exists = u8::try_from(channel)
            .is_ok_and(|channel| cx.model.has_port(loc, side, Port::new(bundle, channel)));
        if !exists {
            let count = cx.model.port_count(loc, side, bundle);
            let message = format!("{loc} has no port {bundle} : {channel} of that direction");
            let help = format!("it has {count} such ports");
            let text = format!("invalid stream switch port configuration for tile {loc}");
            cx.shared(op, &codes::TRACE, (message, help), text);
        }
    }
}

/// An enumeration of this generation must have the case.
fn unknown_case(cx: &mut Context<'_>, op: Op, (list, part, name): (&str, &str, &str)) {
    let part = match part {
        "Core" => Module::Core,
        "Mem" => Module::Memory,
        "MemTile" => Module::MemTile,
        "ShimTile" => Module::Shim,
        _ => return,
    };
    let arch = cx.model.arch();
    let mut names = events::events(arch, part).map(|(name, _)| name).peekable();
    if names.peek().is_none() || events::event(arch, part, name).is_some() {
        return;
    }
    let help = match did_you_mean(name, names) {
        Some(near) => format!("did you mean `{list}::{near}`?"),
        None => format!("name an event of a {part} module"),
    };
    let said = (format!("{list} has no event {name}"), help);
    let text = format!("unknown {list} value: {name}");
    cx.shared_plain(op, &codes::TRACE, said, text);
}

/// An event that names its enumeration must be of the tile's generation.
fn event_architecture(cx: &mut Context<'_>, op: Op, event: &str, tile: Option<Value>) {
    let m = cx.module;
    let Some((list, name)) = event.split_once("::") else {
        return;
    };
    let arch = match cx.model.arch() {
        Arch::Aie1 => "AIE",
        Arch::Aie2 => "AIE2",
        _ => "AIE2P",
    };
    let Some((part, of)) = list.split_once("Event") else {
        return;
    };
    if of == arch {
        return unknown_case(cx, op, (list, part, name));
    }
    let kind = cx.kind_of(tile).unwrap_or(TileKind::Core);
    let place = match (cx.tile(tile), tile.and_then(|t| m.def_op(t))) {
        (Some(loc), _) => loc.to_string(),
        (None, Some(logical)) => {
            let view = LogicalTile::cast(m, logical);
            let text = |n: Option<i32>| n.map_or("?".to_string(), |n| n.to_string());
            let (col, row) = view.map_or((None, None), |t| (t.col(m), t.row(m)));
            format!("({}, {})", text(col), text(row))
        }
        _ => "(?, ?)".to_string(),
    };
    let short = match kind {
        TileKind::Core => "core tile",
        TileKind::Mem => "mem tile",
        _ => "shim tile",
    };
    let message = format!(
        "`{event}` is an event of {of}, this {} is {arch}",
        kind_text(kind)
    );
    let help = "write the name alone, in quotes, or take it from this generation's list";
    let text = format!("event '{event}' is not valid for {short} ({arch}) at {place}");
    cx.shared(op, &codes::TRACE, (message, help), text);
}
