//! Tiles, switches, flows, packets, cascades, shim allocations.

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileKind, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Context, codes, kind_text};
use crate::ir::{Op, Value};
use crate::ops::{
    Amsel, CascadeFlow, ConfigureCascade, Connect, Core, Flow, MasterSet, Mem, MemTileDma, OpKind,
    OpView, PacketDest, PacketFlow, PacketRules, PacketSource, Rule, ShimDma, ShimDmaAllocation,
    ShimMux, Switchbox, Tile,
};

/// Ports already seen in a switch, and who used them first.
type Ports = IndexMap<Port, Op, FxBuildHasher>;

pub(super) fn check(cx: &mut Context<'_>) {
    tiles(cx);
    on_tiles(cx);
    for switch in cx.all::<Switchbox>() {
        switchbox(cx, switch);
    }
    for mux in cx.all::<ShimMux>() {
        shim_mux(cx, mux);
    }
    flows(cx);
    packet_flows(cx);
    cascades(cx);
    allocations(cx);
}

fn tiles(cx: &mut Context<'_>) {
    for tile in cx.all::<Tile>() {
        let loc = tile.loc(cx.module);
        if loc.is_some_and(|loc| cx.model.contains(loc)) {
            continue;
        }
        let (columns, rows) = (cx.model.columns(), cx.model.rows());
        let name = cx.model.name();
        let (col, row) = (tile.col(cx.module), tile.row(cx.module));
        let message = format!("tile ({col}, {row}) lies outside of {name}");
        let diag = cx
            .error(tile.op(), &codes::TILE_OUTSIDE, message)
            .label(
                cx.module.span(cx.device),
                format!("{name} is {columns} columns × {rows} rows"),
            )
            .help(format!(
                "columns are 0..={}, rows 0..={}",
                columns - 1,
                rows - 1
            ));
        cx.push(diag);
    }
}

/// Operations that stand on a tile: of the right kind, and one of each.
fn on_tiles(cx: &mut Context<'_>) {
    const SHIM: &[TileKind] = &[TileKind::ShimNoc, TileKind::ShimPl];
    check_tile::<Core>(cx, &[TileKind::Core]);
    check_tile::<Mem>(cx, &[TileKind::Core]);
    check_tile::<MemTileDma>(cx, &[TileKind::Mem]);
    check_tile::<ShimDma>(cx, &[TileKind::ShimNoc]);
    check_tile::<ShimMux>(cx, SHIM);
    check_tile::<Switchbox>(cx, &TileKind::ALL);
}

fn check_tile<V: OpView>(cx: &mut Context<'_>, kinds: &[TileKind]) {
    let mut seen: IndexMap<TileLoc, Op, FxBuildHasher> = IndexMap::default();
    for view in cx.all::<V>() {
        let op = view.op();
        let handle = cx.module.operand(op, 0);
        let Some(loc) = cx.tile(handle) else {
            needs_tile(cx, op, handle);
            continue;
        };
        let Some(kind) = cx.kind_at(loc) else {
            continue;
        };
        let name = cx.module.op_name(op).to_string();
        if !kinds.contains(&kind) {
            let wanted: Vec<&str> = kinds.iter().map(|k| kind_text(*k)).collect();
            let message = format!("`{name}` can't stand on {loc}, a {}", kind_text(kind));
            let diag = cx
                .error(op, &codes::TILE_KIND, message)
                .label(handle.and_then(|h| cx.module.value_span(h)), "this tile")
                .help(format!("put it on a {}", wanted.join(" or a ")));
            cx.push(diag);
        } else if let Some(first) = seen.insert(loc, op) {
            let message = format!("tile {loc} has two `{name}`");
            let diag = cx
                .error(op, &codes::DUPLICATE_ON_TILE, message)
                .label(cx.module.span(first), "the first one")
                .help("merge them into one");
            cx.push(diag);
        }
    }
}

/// A handle that isn't a tile of the device: reported once, at the tile, if that lies outside.
fn needs_tile(cx: &mut Context<'_>, op: Op, handle: Option<Value>) {
    let Some(handle) = handle else { return };
    let def = cx.module.def_op(handle).map(|d| cx.module.kind(d));
    if matches!(def, Some(OpKind::Tile | OpKind::LogicalTile)) {
        return;
    }
    let message = format!("`{}` needs a tile as its operand", cx.module.op_name(op));
    let diag = cx
        .error(op, &codes::TILE_KIND, message)
        .label(cx.module.value_span(handle), "this isn't a tile")
        .help("give it the result of an aie.tile");
    cx.push(diag);
}

/// Reports a port that doesn't exist; answers it if it does.
fn port(
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

fn no_such_port(
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
    let diag = cx.error(op, &codes::PORT, message).help(help);
    cx.push(diag);
}

fn claim(cx: &mut Context<'_>, ports: &mut Ports, op: Op, port: Port, what: &str, help: &str) {
    if let Some(first) = ports.get(&port).copied() {
        let message = format!("{what} {port} is used twice");
        let diag = cx
            .error(op, &codes::PORT_TAKEN, message)
            .label(cx.module.span(first), "first used here")
            .help(help.to_string());
        cx.push(diag);
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
        let from = port(
            cx,
            op,
            loc,
            PortSide::Slave,
            from,
            connect.source_channel(m),
        );
        let to = port(cx, op, loc, PortSide::Master, to, connect.dest_channel(m));
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        connection(cx, op, loc, from, to);
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
        let from = port(
            cx,
            op,
            loc,
            PortSide::Slave,
            bundle,
            rules.source_channel(m),
        );
        let Some(from) = from else { continue };
        claim(
            cx,
            &mut packet,
            op,
            from,
            "packet input",
            "put all rules of a port into one op",
        );
        if let Some(first) = circuit.get(&from).copied() {
            let message = format!("input {from} carries circuits and packets at once");
            let diag = cx
                .error(op, &codes::PORT_TAKEN, message)
                .label(cx.module.span(first), "a circuit starts here")
                .help("let one of them enter through another channel");
            cx.push(diag);
        }
        packet_rules(cx, rules, loc, from, &masters);
    }
}

fn connection(cx: &mut Context<'_>, op: Op, loc: TileLoc, from: Port, to: Port) {
    if cx.model.legal_connection(loc, from, to) {
        return;
    }
    let kind = cx.kind_at(loc).map_or("tile", kind_text);
    let message = format!("the switch of {loc}, a {kind}, can't connect {from} to {to}");
    let diag = cx
        .error(op, &codes::CONNECTION, message)
        .help("choose other channels; on mem tiles vertical routes keep their channel number");
    cx.push(diag);
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
        let diag = cx
            .error(set.op(), &codes::PACKET, message)
            .help("use selects (msel) of the same arbiter");
        cx.push(diag);
    }
}

fn amsel_range(cx: &mut Context<'_>, amsel: Amsel) {
    let model = cx.model.arch_model();
    let (arbiters, msels) = (model.arbiters, model.msels);
    let (arbiter, msel) = (amsel.arbiterID(cx.module), amsel.msel(cx.module));
    if !(0..i64::from(arbiters)).contains(&arbiter) || !(0..i64::from(msels)).contains(&msel) {
        let message = format!("arbiter {arbiter} with select {msel} doesn't exist");
        let diag = cx.error(amsel.op(), &codes::PACKET, message).help(format!(
            "arbiters are 0..={}, selects 0..={}",
            arbiters - 1,
            msels - 1
        ));
        cx.push(diag);
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
        let diag = cx
            .error(rules.op(), &codes::PACKET, message)
            .help("merge ids under a mask, or bring some packets in through another port");
        cx.push(diag);
    }
    let max = i64::from(cx.model.arch_model().max_packet_id);
    for rule in list {
        for (what, value) in [("mask", rule.mask(m)), ("value", rule.value(m))] {
            if !(0..=max).contains(&value) {
                let message = format!("{what} {value} of a packet rule is out of range");
                let diag = cx
                    .error(rule.op(), &codes::PACKET, message)
                    .help(format!("packet ids have 5 bits: 0..={max}"));
                cx.push(diag);
            }
        }
        let Some(amsel) = rule.amsel(m) else { continue };
        for (to, ..) in masters
            .iter()
            .filter(|(_, _, amsels)| amsels.contains(&amsel))
        {
            connection(cx, rule.op(), loc, from, *to);
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
            continue;
        };
        if !arch.legal_mux_connection(from, to) {
            let message = format!("the shim mux of {loc} has no wire from {from} to {to}");
            let diag = cx.error(connect.op(), &codes::CONNECTION, message).help(
                "its wires are fixed: `aiec devices NAME` lists which DMA channel sits at which \
                 port",
            );
            cx.push(diag);
        }
        claim(
            cx,
            &mut outputs,
            connect.op(),
            to,
            "output",
            "each output can be driven once",
        );
    }
}

/// The switch port at which a flow that names a port of the tile (`DMA : 0` of a shim tile is
/// behind its mux) enters or leaves; existence is checked, wiring is the router's business.
fn flow_end(
    cx: &mut Context<'_>,
    op: Op,
    handle: Option<Value>,
    bundle: Option<Bundle>,
    channel: i32,
    source: bool,
) {
    let Some(loc) = cx.tile(handle) else {
        return needs_tile(cx, op, handle);
    };
    let Some(kind) = cx.kind_at(loc) else { return };
    let Some(bundle) = bundle else { return };
    let behind_mux = matches!(bundle, Bundle::Dma | Bundle::Noc | Bundle::Plio);
    let side = if source {
        PortSide::Slave
    } else {
        PortSide::Master
    };
    if !(kind.is_shim() && behind_mux) {
        port(cx, op, loc, side, Some(bundle), channel);
        return;
    }
    let arch = cx.model.arch();
    let mut count = match source {
        true => arch.mux_source_count(bundle),
        false => arch.mux_destination_count(bundle),
    };
    if bundle == Bundle::Dma && kind == TileKind::ShimPl {
        count = 0;
    }
    if !(0..i32::from(count)).contains(&channel) {
        let way = if source { "into" } else { "out of" };
        no_such_port(cx, op, loc, bundle, channel, way, count);
    }
}

fn flows(cx: &mut Context<'_>) {
    let m = cx.module;
    for flow in cx.all::<Flow>() {
        let op = flow.op();
        flow_end(
            cx,
            op,
            flow.source(m),
            flow.source_bundle(m),
            flow.source_channel(m),
            true,
        );
        flow_end(
            cx,
            op,
            flow.dest(m),
            flow.dest_bundle(m),
            flow.dest_channel(m),
            false,
        );
    }
}

fn packet_flows(cx: &mut Context<'_>) {
    let m = cx.module;
    for flow in cx.all::<PacketFlow>() {
        // The id is kept as a signed 8-bit integer.
        let id = flow.ID(m) & 0xff;
        let max = i64::from(cx.model.arch_model().max_packet_id);
        if id > max {
            let message = format!("packet id {id} exceeds {max}");
            let diag = cx
                .error(flow.op(), &codes::PACKET, message)
                .help("ids have 5 bits");
            cx.push(diag);
        }
        let sources = m.children::<PacketSource>(flow.op());
        let dests = m.children::<PacketDest>(flow.op());
        if sources.is_empty() || dests.is_empty() {
            let (missing, op) = match sources.is_empty() {
                true => ("source", "aie.packet_source"),
                false => ("destination", "aie.packet_dest"),
            };
            let message = format!("a packet flow without {missing}");
            let diag = cx
                .error(flow.op(), &codes::PACKET, message)
                .help(format!("add an {op}"));
            cx.push(diag);
        }
        for source in sources {
            let (bundle, channel) = (source.bundle(m), source.channel(m));
            flow_end(cx, source.op(), source.tile(m), bundle, channel, true);
        }
        for dest in dests {
            let (bundle, channel) = (dest.bundle(m), dest.channel(m));
            let to_south = bundle == Some(Bundle::South);
            if !to_south {
                flow_end(cx, dest.op(), dest.tile(m), bundle, channel, false);
            }
        }
    }
}

fn cascades(cx: &mut Context<'_>) {
    let m = cx.module;
    for flow in cx.all::<CascadeFlow>() {
        let ends = (cx.tile(flow.source_tile(m)), cx.tile(flow.dest_tile(m)));
        let (Some(from), Some(to)) = ends else {
            continue;
        };
        if cx.model.cascade_sides(from, to).is_none() {
            let message = format!("no cascade leads from {from} to {to}");
            let help = match cx.model.arch_model().semaphore_locks {
                true => "a core sends to the core south or east of it",
                false => "the cascade is a fixed snake: odd rows go east, even rows west",
            };
            let diag = cx.error(flow.op(), &codes::CASCADE, message).help(help);
            cx.push(diag);
        }
    }
    for configure in cx.all::<ConfigureCascade>() {
        let sides = |side: i32| match Bundle::by_value(side.into()) {
            Some(bundle) => bundle.name(),
            None => "?",
        };
        let input = sides(configure.inputDir(m));
        let output = sides(configure.outputDir(m));
        let legal = cx.model.arch_model().semaphore_locks
            && matches!(input, "North" | "West")
            && matches!(output, "South" | "East");
        let on_core =
            cx.tile(configure.tile(m)).and_then(|l| cx.kind_at(l)) == Some(TileKind::Core);
        if !legal || !on_core {
            let message = format!("a cascade from {input} to {output} can't be configured here");
            let diag = cx.error(configure.op(), &codes::CASCADE, message).help(
                "on cores of AIE2 and later the input is North or West, the output South or East",
            );
            cx.push(diag);
        }
    }
}

fn allocations(cx: &mut Context<'_>) {
    let m = cx.module;
    for allocation in cx.all::<ShimDmaAllocation>() {
        let op = allocation.op();
        let handle = allocation.tile(m);
        let Some(loc) = cx.tile(handle) else {
            needs_tile(cx, op, handle);
            continue;
        };
        let Some(kind) = cx.kind_at(loc) else {
            continue;
        };
        if !kind.is_shim() {
            let message = format!(
                "a shim DMA can't be allocated on {loc}, a {}",
                kind_text(kind)
            );
            let diag = cx
                .error(op, &codes::TILE_KIND, message)
                .help("name a tile of row 0");
            cx.push(diag);
            continue;
        }
        let channel = allocation.channel_index(m);
        let dma = cx.model.tile(loc).and_then(|t| t.dma.as_ref());
        let Some(dir) = allocation.channel_dir(m) else {
            continue;
        };
        let count = dma.map_or(0, |d| i64::from(d.channels.get(dir)));
        let plio = allocation.plio(m).unwrap_or(false);
        if !plio && !(0..count).contains(&channel) {
            let message = format!("{dir} channel {channel} of {loc} doesn't exist");
            let diag = cx.error(op, &codes::DMA_CHANNEL, message).help(format!(
                "this tile has {count} {dir} channels, counted from 0"
            ));
            cx.push(diag);
        }
    }
}
