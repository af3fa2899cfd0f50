//! Switches: ports exist, connections are legal, outputs are driven once, packet rules fit.

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::array::below_minimum;
use super::{Context, Report, codes, kind_text};
use crate::ir::{Op, Value};
use crate::ops::{
    Amsel, Connect, MasterSet, OpKind, OpView, PacketRules, Rule, ShimMux, ShimSwitchbox, Switchbox,
};

/// Ports already seen in a switch, and who used them first.
type Ports = IndexMap<Port, Op, FxBuildHasher>;

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(switchbox);
    cx.each(shim_mux);
    for switch in cx.all::<ShimSwitchbox>() {
        let col = switch.col(cx.module);
        let help = format!("write aie.switchbox(%tile) with %tile = aie.tile({col}, 0)");
        let message = "switches that are named by their column only aren't configured";
        cx.problem(switch.op(), &codes::CONNECTION, message, help);
    }
}

/// Reports a port that doesn't exist; returns it if it does.
pub(super) fn port(
    cx: &mut Context<'_>,
    op: Op,
    loc: TileLoc,
    side: PortSide,
    bundle: Option<Bundle>,
    channel: i32,
) -> Option<Port> {
    let bundle = bundle?;
    let exists = |channel: u8| cx.model.has_port(loc, side, Port::new(bundle, channel));
    if let Some(channel) = u8::try_from(channel).ok().filter(|c| exists(*c)) {
        return Some(Port::new(bundle, channel));
    }
    let count = cx.model.port_count(loc, side, bundle);
    let way = match side {
        PortSide::Master => "out of",
        PortSide::Slave => "into",
    };
    no_such_port(cx, op, loc, bundle, channel, way, count);
    None
}

pub(super) fn no_such_port(
    cx: &mut Context<'_>,
    op: Op,
    loc: TileLoc,
    bundle: Bundle,
    channel: i32,
    way: &str,
    count: u8,
) {
    let kind = cx.kind_at(loc).map_or("tile", kind_text);
    let help = match count {
        0 => format!("this {kind} has no {bundle} ports {way} its switch"),
        1 => format!("use {bundle} : 0, the only one {way} the switch"),
        n => format!("use {bundle} : 0 to {bundle} : {}", n - 1),
    };
    let message = format!("port {bundle} : {channel} {way} the switch of {loc} doesn't exist");
    let role = if way == "into" { "source" } else { "dest" };
    let text = match count {
        _ if channel < 0 => format!("{role} index cannot be less than zero"),
        0 => format!("{role} bundle {bundle} not supported"),
        n => format!("index {channel} for {role} bundle {bundle} must be less than {n}"),
    };
    let diag = cx.error(op, &codes::PORT, message).help(help);
    let m = cx.module;
    // mlir-aie looks at the ports of packets from the arbiter select that joins them.
    let select = match m.kind(op) {
        OpKind::Connect => {
            let diag = diag.mlir_aie(cx.mlir_aie(op, text));
            return diag.push(cx);
        }
        OpKind::MasterSet => m.operand(op, 0),
        OpKind::PacketRules => {
            let rules = m.children::<Rule>(op);
            rules.first().and_then(|rule| rule.amsel(m))
        }
        _ => None,
    };
    match select.and_then(|select| m.def_op(select)) {
        Some(select) => {
            diag.mlir_aie(cx.mlir_aie(select, "illegal stream switch connection"))
                .push(cx);
        }
        None if channel < 0 => {
            let key = match m.kind(op) {
                OpKind::PacketSource | OpKind::PacketDest => "channel".to_string(),
                _ => format!("{role}_channel"),
            };
            diag.mlir_aie(below_minimum(cx, op, &key, 0)).push(cx);
        }
        // It leaves those of flows to the router.
        None => diag.push_of_whole(cx),
    }
}

fn claim(cx: &mut Context<'_>, ports: &mut Ports, op: Op, port: Port, what: &str, help: &str) {
    if let Some(first) = ports.get(&port).copied() {
        let message = format!("{what} {port} is used twice");
        cx.error(op, &codes::PORT_TAKEN, message)
            .label(cx.module.span(first), "first used here")
            .help(help.to_string())
            .push(cx);
    } else {
        ports.insert(port, op);
    }
}

fn switchbox(cx: &mut Context<'_>, switch: Switchbox) {
    let Some(loc) = cx.tile(switch.tile(cx.module)) else {
        return;
    };
    let m = cx.module;
    let (mut outputs, mut circuit, mut packet) =
        (Ports::default(), Ports::default(), Ports::default());
    const ONCE: &str = "each output can be driven once; give one of them another channel";
    for connect in m.children::<Connect>(switch.op()) {
        let op = connect.op();
        let (from, to) = (connect.source_bundle(m), connect.dest_bundle(m));
        let channel = connect.source_channel(m);
        let from = port(cx, op, loc, PortSide::Slave, from, channel);
        let to = port(cx, op, loc, PortSide::Master, to, connect.dest_channel(m));
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        connection(cx, op, op, loc, from, to);
        claim(cx, &mut outputs, op, to, "output", ONCE);
        circuit.entry(from).or_insert(op);
    }
    let mut masters: Vec<(Port, Op, Vec<Value>)> = Vec::new();
    for set in m.children::<MasterSet>(switch.op()) {
        let op = set.op();
        let bundle = set.dest_bundle(m);
        let to = port(cx, op, loc, PortSide::Master, bundle, set.dest_channel(m));
        let Some(to) = to else { continue };
        claim(cx, &mut outputs, op, to, "output", ONCE);
        one_arbiter(cx, set);
        masters.push((to, op, m.operands(op).collect()));
    }
    for amsel in m.children::<Amsel>(switch.op()) {
        amsel_range(cx, amsel);
    }
    for rules in m.children::<PacketRules>(switch.op()) {
        let op = rules.op();
        let bundle = rules.source_bundle(m);
        let channel = rules.source_channel(m);
        let from = port(cx, op, loc, PortSide::Slave, bundle, channel);
        let Some(from) = from else { continue };
        let help = "put all rules of a port into one op";
        claim(cx, &mut packet, op, from, "packet input", help);
        if let Some(first) = circuit.get(&from).copied() {
            let message = format!("input {from} carries circuits and packets at once");
            cx.error(op, &codes::PORT_TAKEN, message)
                .label(cx.module.span(first), "a circuit starts here")
                .help("let one of them enter through another channel")
                .push(cx);
        }
        packet_rules(cx, rules, loc, from, &masters);
    }
}

/// A connection that `op` makes; mlir-aie's tools report packets at the arbiter select.
fn connection(cx: &mut Context<'_>, op: Op, in_mlir_aie: Op, loc: TileLoc, from: Port, to: Port) {
    if cx.model.legal_connection(loc, from, to) {
        return;
    }
    let kind = cx.kind_at(loc).map_or("tile", kind_text);
    let message = format!("the switch of {loc}, a {kind}, can't connect {from} to {to}");
    cx.error(op, &codes::CONNECTION, message)
        .help("choose other channels; on mem tiles vertical routes keep their channel number")
        .mlir_aie(cx.mlir_aie(in_mlir_aie, "illegal stream switch connection"))
        .push(cx);
}

fn one_arbiter(cx: &mut Context<'_>, set: MasterSet) {
    let m = cx.module;
    let arbiters = m
        .operands(set.op())
        .filter_map(|v| Amsel::cast(m, m.def_op(v)?));
    let mut ids: Vec<i64> = arbiters.map(|a| a.arbiterID(m)).collect();
    ids.dedup();
    if ids.len() > 1 {
        let message = "an output port can be tied to one arbiter only";
        let help = "use selects (msel) of the same arbiter";
        let text = "a master port can only be tied to one arbiter";
        cx.shared(set.op(), &codes::PACKET, (message, help), text);
    }
}

fn amsel_range(cx: &mut Context<'_>, amsel: Amsel) {
    let model = cx.model.arch_model();
    let (arbiters, msels) = (model.arbiters, model.msels);
    let (arbiter, msel) = (amsel.arbiterID(cx.module), amsel.msel(cx.module));
    if !(0..i64::from(arbiters)).contains(&arbiter) || !(0..i64::from(msels)).contains(&msel) {
        let message = format!("arbiter {arbiter} with select {msel} doesn't exist");
        let help = format!(
            "arbiters are 0..={}, selects 0..={}",
            arbiters - 1,
            msels - 1
        );
        cx.refuse(amsel.op(), &codes::PACKET, message, help);
    }
}

fn packet_rules(
    cx: &mut Context<'_>,
    rules: PacketRules,
    loc: TileLoc,
    from: Port,
    masters: &[(Port, Op, Vec<Value>)],
) {
    let m = cx.module;
    let list = m.children::<Rule>(rules.op());
    let slots = usize::from(cx.model.arch_model().slots);
    if list.len() > slots {
        let message = format!("{} rules on one port; the hardware has {slots}", list.len());
        let help = "merge ids under a mask, or bring some packets in through another port";
        cx.refuse(rules.op(), &codes::PACKET, message, help);
    }
    let max = i64::from(cx.model.arch_model().max_packet_id);
    for rule in list {
        for (what, value) in [("mask", rule.mask(m)), ("value", rule.value(m))] {
            if !(0..=max).contains(&value) {
                let message = format!("{what} {value} of a packet rule is out of range");
                let help = format!("packet ids have 5 bits: 0..={max}");
                cx.refuse(rule.op(), &codes::PACKET, message, help);
            }
        }
        let (mask, value) = (rule.mask(m), rule.value(m));
        if value & !mask != 0 {
            let message = format!("no packet id under the mask {mask} is {value}");
            let help = format!("the value may have bits of the mask only: {}", value & mask);
            cx.problem(rule.op(), &codes::PACKET, message, help);
        }
        let Some(amsel) = rule.amsel(m) else { continue };
        for (to, ..) in masters
            .iter()
            .filter(|(_, _, amsels)| amsels.contains(&amsel))
        {
            let select = m.def_op(amsel).unwrap_or(rule.op());
            connection(cx, rule.op(), select, loc, from, *to);
        }
    }
}

fn shim_mux(cx: &mut Context<'_>, mux: ShimMux) {
    let m = cx.module;
    let Some(loc) = cx.tile(mux.tile(m)) else {
        return;
    };
    let arch = cx.model.arch();
    let mut outputs = Ports::default();
    for connect in m.children::<Connect>(mux.op()) {
        let Some((from, to)) = connect.ports(m) else {
            let message = format!("the shim mux of {loc} has no such port");
            let help = "channels are counted from 0; `aiec devices NAME` lists its wires";
            cx.problem(connect.op(), &codes::PORT, message, help);
            continue;
        };
        if !arch.legal_mux_connection(from, to) {
            let message = format!("the shim mux of {loc} has no wire from {from} to {to}");
            let help = "its wires are fixed: `aiec devices NAME` lists which DMA channel sits at \
                        which port";
            cx.problem(connect.op(), &codes::CONNECTION, message, help);
        }
        let help = "each output can be driven once";
        claim(cx, &mut outputs, connect.op(), to, "output", help);
    }
}
