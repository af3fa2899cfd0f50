//! Flows, packet flows and cascades: their ends.

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, TileKind};
use rustc_hash::FxHashMap;

use super::array::needs_tile;
use super::switch::{no_such_port, port};
use super::{Context, Report, codes, kind_text};
use crate::ir::{Op, Type, Value};
use crate::ops::{
    CascadeFlow, ConfigureCascade, Flow, GetCascade, OpKind, OpView, PacketDest, PacketFlow,
    PacketSource, PutCascade,
};

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(flow);
    cx.each(packet_flow);
    cascades(cx);
}

/// The switch port at which a flow that names a port of the tile (`DMA : 0` of a shim tile is
/// after its mux) enters or leaves; existence is checked, wiring is the router's business.
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
    let mut count = if source {
        arch.mux_source_count(bundle)
    } else {
        arch.mux_destination_count(bundle)
    };
    if bundle == Bundle::Dma && kind == TileKind::ShimPl {
        count = 0;
    }
    if !(0..i32::from(count)).contains(&channel) {
        let way = if source { "into" } else { "out of" };
        no_such_port(cx, op, loc, bundle, channel, way, count);
    }
}

fn flow(cx: &mut Context<'_>, flow: Flow) {
    let m = cx.module;
    let op = flow.op();
    let (bundle, channel) = (flow.source_bundle(m), flow.source_channel(m));
    flow_end(cx, op, flow.source(m), bundle, channel, true);
    let (bundle, channel) = (flow.dest_bundle(m), flow.dest_channel(m));
    flow_end(cx, op, flow.dest(m), bundle, channel, false);
}

fn packet_flow(cx: &mut Context<'_>, flow: PacketFlow) {
    let m = cx.module;
    // The id is kept as a signed 8-bit integer.
    let id = flow.ID(m) & 0xff;
    let max = i64::from(cx.model.arch_model().max_packet_id);
    if id > max {
        let message = format!("packet id {id} exceeds {max}");
        cx.problem(flow.op(), &codes::PACKET, message, "ids have 5 bits");
    }
    let sources = m.children::<PacketSource>(flow.op());
    let dests = m.children::<PacketDest>(flow.op());
    if sources.is_empty() || dests.is_empty() {
        let (missing, op) = if sources.is_empty() {
            ("source", "aie.packet_source")
        } else {
            ("destination", "aie.packet_dest")
        };
        let message = format!("a packet flow without {missing}");
        let help = format!("add an {op}");
        let text = format!("must have at least one {op}");
        cx.shared(flow.op(), &codes::PACKET, (message, help), text);
    }
    let sources = sources.iter();
    let sources = sources.map(|s| (s.op(), s.tile(m), s.bundle(m), s.channel(m)));
    let sources: Vec<PacketEnd> = sources.collect();
    let dests = dests.iter();
    let dests = dests.map(|d| (d.op(), d.tile(m), d.bundle(m), d.channel(m)));
    let dests: Vec<PacketEnd> = dests.collect();
    once(cx, &sources);
    once(cx, &dests);
    for (op, tile, bundle, channel) in sources {
        flow_end(cx, op, tile, bundle, channel, true);
    }
    for (op, tile, bundle, channel) in dests {
        if bundle != Some(Bundle::South) {
            flow_end(cx, op, tile, bundle, channel, false);
        }
    }
}

/// An end of a packet flow: its operation, tile, bundle and channel.
type PacketEnd = (Op, Option<Value>, Option<Bundle>, i32);

/// The ends of a packet flow on one side differ.
fn once(cx: &mut Context<'_>, ends: &[PacketEnd]) {
    let m = cx.module;
    let mut seen: FxHashMap<_, Op> = FxHashMap::default();
    for &(op, tile, bundle, channel) in ends {
        if let Some(first) = seen.insert((tile, bundle, channel), op) {
            let message = "this end of the packet flow is given twice";
            cx.error(op, &codes::PACKET, message)
                .label(m.span(first), "the first one")
                .help("remove one of them")
                .push_of_whole(cx);
        }
    }
}

fn cascades(cx: &mut Context<'_>) {
    let m = cx.module;
    for flow in cx.all::<CascadeFlow>() {
        let op = flow.op();
        let ends = [flow.source_tile(m), flow.dest_tile(m)];
        if ends.iter().any(|end| no_cascade_port(cx, op, *end)) {
            continue;
        }
        let (Some(from), Some(to)) = (cx.tile(ends[0]), cx.tile(ends[1])) else {
            continue;
        };
        if cx.model.cascade_sides(from, to).is_some() {
            continue;
        }
        let message = format!("no cascade leads from {from} to {to}");
        let help = if cx.model.arch_model().semaphore_locks {
            "a core sends to the core south or east of it"
        } else {
            "the cascade is a fixed snake: odd rows go east, even rows west"
        };
        let adjacent = from.col.abs_diff(to.col) + from.row.abs_diff(to.row) == 1;
        let diag = cx.error(op, &codes::CASCADE, message).help(help);
        if adjacent {
            // mlir-aie finds a wrong direction when it configures the cascade.
            diag.push_of_whole(cx);
        } else {
            diag.mlir_aie(cx.mlir_aie(op, "tiles must be adjacent"))
                .push(cx);
        }
    }
    cx.each(configure_cascade);
    for get in cx.all::<GetCascade>() {
        let width = m.result(get.op(), 0).map(|v| m.ty(v).clone());
        cascade_width(cx, get.op(), width, "must be a {}-bit type");
    }
    for put in cx.all::<PutCascade>() {
        let width = put.cascade_value(m).map(|v| m.ty(v).clone());
        let text = if cx.model.arch_model().semaphore_locks {
            "type must match architecture cascade width ({} bits in AIE2)"
        } else {
            "type must match architecture cascade width ({} bits in AIE1)"
        };
        cascade_width(cx, put.op(), width, text);
    }
}

/// Whether a tile has no cascade, which is reported.
fn no_cascade_port(cx: &mut Context<'_>, op: Op, handle: Option<Value>) -> bool {
    let row = match cx.kind_of(handle) {
        Some(TileKind::Mem) => "memTile",
        Some(TileKind::ShimNoc | TileKind::ShimPl) => "shimTile",
        _ => return false,
    };
    let place = cx.place_text(handle);
    let kind = cx.kind_of(handle).map_or("tile", kind_text);
    cx.error(op, &codes::CASCADE, format!("{place} has no cascade"))
        .label(
            handle.and_then(|h| cx.module.value_span(h)),
            format!("a {kind}"),
        )
        .help("only cores have cascades")
        .mlir_aie(cx.mlir_aie(op, format!("{row} row has no cascade stream interface")))
        .push(cx);
    true
}

fn configure_cascade(cx: &mut Context<'_>, configure: ConfigureCascade) {
    let m = cx.module;
    let op = configure.op();
    let handle = configure.tile(m);
    if no_cascade_port(cx, op, handle) {
        return;
    }
    let side = |side: i32| Bundle::by_value(side.into()).map_or("?", Bundle::name);
    let (input, output) = (side(configure.inputDir(m)), side(configure.outputDir(m)));
    let placed = handle
        .and_then(|h| m.def_op(h))
        .is_none_or(|op| m.kind(op) == OpKind::Tile);
    let text = if !placed {
        "requires a placed tile (aie.tile), not a logical tile"
    } else if !cx.model.arch_model().semaphore_locks {
        "cascade not supported in AIE1"
    } else if !matches!(input, "North" | "West") {
        "input direction of cascade must be North or West on AIE2"
    } else if !matches!(output, "South" | "East") {
        "output direction of cascade must be South or East on AIE2"
    } else {
        return;
    };
    let message = if placed {
        format!("a cascade from {input} to {output} can't be configured here")
    } else {
        "the cascade of a tile without a place can't be configured".to_string()
    };
    let help = if placed {
        "on cores of AIE2 and later the input is North or West, the output South or East"
    } else {
        "run --aie-place-tiles first, or use aie.tile"
    };
    cx.shared(op, &codes::CASCADE, (message, help), text);
}

/// Values on the cascade have its width.
fn cascade_width(cx: &mut Context<'_>, op: Op, ty: Option<Type>, in_mlir_aie: &str) {
    let bits = |ty: &Type| match ty {
        Type::Vector(vector) => {
            let lanes = vector
                .shape
                .iter()
                .try_fold(1u64, |n, dim| n.checked_mul(u64::try_from(*dim).ok()?))?;
            lanes.checked_mul(vector.elem.bit_width()?.into())
        }
        other => other.bit_width().map(u64::from),
    };
    let wide = u64::from(cx.model.arch_model().cascade_bits);
    if ty.as_ref().is_none_or(|ty| bits(ty) == Some(wide)) {
        return;
    }
    let message = format!("the cascade of {} is {wide} bits wide", cx.model.name());
    let help = format!(
        "use a type of {wide} bits, such as vector<{}xi32>",
        wide / 32
    );
    let text = in_mlir_aie.replace("{}", &wide.to_string());
    cx.shared(op, &codes::CASCADE, (message, help), text);
}
