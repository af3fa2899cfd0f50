//! `aie-insert-trace-flows`: traces get packet ids and a way to one shim DMA channel (or two),
//! and runtime sequences the host's side of them ([`super::host`]).
//!
//! * Ids that are written stay; others count up in the order of the traced tiles by column and
//!   row, whatever the order of the text, past those that traces and packet flows of the design
//!   use.
//! * All traces go to the shim tile of one column: `egress_shim_col` of `aie.trace.host_config`,
//!   or with `lateral-routing` the nearest column without a core.
//! * Its channel is `shim-channel`, or the next that no flow of the design uses.
//! * A shim tile can't hear the broadcast that it sends: traces of it start and stop by the user
//!   events which make that broadcast.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::netlist::{dma_channels, tile_loc};
use aiec_aie::ops::{
    Core, Device, Flow, LogicalTile, OpKind, OpView, PacketDest, PacketFlow, ShimDma,
    ShimDmaAllocation, Tile, Trace, TracePacket,
};
use aiec_device::{Bundle, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::{FxHashMap, FxHashSet};

use super::host::{self, TraceDrain};
use super::{
    INCOMPLETE, ORDER, PACKET_ID, PacketType, SHIM, TracedUnit, UNIT_TAKEN, packet_of, stated_type,
};
use crate::infra::packet_flow::{self, PacketFlowMarks, device_end};
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};

/// The pass.
pub static PASS: PassDef =
    PassDef::of_device("aie-insert-trace-flows", |module, device, context| {
        run(module, device, &context.options()?, context)
    })
    .summary("Give traces packet ids, a way to a shim DMA channel, and a host buffer")
    .postconditions(&[
        "each aie.trace has an aie.trace.packet with an id, and an aie.packet_flow",
        "no aie.trace.host_config is left: the sequence programs the shim channel",
    ])
    .options(<TraceOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-insert-trace-flows`.
    pub(crate) struct TraceOptions {
        /// S2MM channel of the shim tile, if it is free.
        pub(crate) shim_channel: i64 = OptionDef::number(
            "shim-channel",
            "1",
            "the S2MM channel of the shim tile, if it is free",
        ),
        /// Buffer descriptor of that channel.
        pub(crate) bd: i64 = OptionDef::number(
            "default-bd-id",
            "15",
            "the buffer descriptor of that channel; a second channel takes the one before",
        ),
        /// First packet id to give.
        pub(crate) first_id: i64 = OptionDef::number("packet-id-start", "1", "the first packet id to give"),
        /// Bytes of the bursts to host memory.
        pub(crate) burst: i64 = OptionDef::number("burst-length", "64", "bytes of the bursts to host memory"),
        /// Whether traces go to two channels in turn.
        pub(crate) distribute: bool = OptionDef::flag(
            "distribute-channels",
            false,
            "send traces to two channels in turn, each with its part of the buffer",
        ),
        /// Whether traces go to the nearest column without a core.
        pub(crate) lateral: bool = OptionDef::flag(
            "lateral-routing",
            false,
            "send traces to the nearest column without a core",
        ),
        /// Column of the shim tile that traces go to; -1 for none.
        pub(crate) lateral_target: i64 = OptionDef::number(
            "lateral-target-col",
            "-1",
            "send traces to the shim tile of this column",
        ),
    }
}

fn run(
    module: &mut Module,
    device: Op,
    options: &TraceOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    for tile in module.children::<LogicalTile>(device) {
        let value = module.result(tile.op(), 0);
        unplaced(module, value, PASS.name, context);
    }
    context.diags.check()?;
    let traces = module.children::<Trace>(device);
    if traces.is_empty() {
        return Ok(());
    }
    let numbers = options;
    let sequences = host::sequences(module, device, context)?;
    let mut traced = collect(module, model, &traces, context);
    let first = numbers.first_id;
    give_ids(module, device, model, first, &mut traced, context);
    context.diags.check()?;
    let wanted = (sequences.egress, numbers, traced.len());
    let drain = drain(module, device, model, wanted, context)?;
    for trace in &mut traced {
        write_packet(module, trace, context.pass);
        if trace.loc == drain.loc {
            by_user_event(module, trace);
        }
    }
    for (n, trace) in traced.iter().enumerate() {
        let loc = module.derived_loc(context.pass, trace.trace.op());
        let port = i32::from(trace.packets == PacketType::Memory);
        let (channel, _) = drain.channels[n % drain.channels.len()];
        let source = (trace.tile, Bundle::Trace, port);
        let dests = [(drain.tile, Bundle::Dma, channel.into())];
        let marks = PacketFlowMarks {
            keep_header: true,
            priority: false,
        };
        let at = device_end(module, device);
        packet_flow::build(module, loc, trace.id, source, &dests, marks, at);
        context.count("trace flows", 1);
    }
    let drain = (&drain, numbers.burst);
    host::program(module, model, &sequences, &traced, drain, context)
}

/// Reports a trace pass that runs before tiles are placed.
pub(super) fn unplaced(
    module: &Module,
    tile: Option<Value>,
    pass: &str,
    context: &mut PassContext<'_>,
) {
    let op = tile.and_then(|tile| module.def_op(tile));
    let text = format!(
        "LogicalTileOp must be resolved to TileOp before running -{pass} (run -aie-place-tiles \
         first)"
    );
    let diag = Diag::error(&ORDER, "this tile isn't placed")
        .label(op.and_then(|op| module.span(op)), "here")
        .help("run aie-place-tiles before the trace passes")
        .mlir_aie(MlirAieReport::plain(text));
    context.report(diag);
}

/// Checks the traces one by one; those without an id have -1.
fn collect(
    module: &Module,
    model: &DeviceModel,
    traces: &[Trace],
    context: &mut PassContext<'_>,
) -> Vec<TracedUnit> {
    let mut units: FxHashMap<(TileLoc, PacketType), Trace> = FxHashMap::default();
    let mut stated: FxHashMap<i64, TracePacket> = FxHashMap::default();
    let mut traced = Vec::new();
    for &trace in traces {
        let op = trace.op();
        let Some((tile, loc, kind)) = place(module, model, trace) else {
            continue;
        };
        let packets = stated_type(module, trace).unwrap_or(match kind {
            TileKind::Core => PacketType::Core,
            TileKind::Mem => PacketType::MemTile,
            TileKind::ShimNoc | TileKind::ShimPl => PacketType::Shim,
        });
        if let Some(first) = units.insert((loc, packets), trace) {
            let text = format!(
                "tile {loc} is traced more than once on the same trace unit; each unit can have \
                 only one trace configuration"
            );
            let diag = Diag::error(&UNIT_TAKEN, format!("the trace unit of {loc} is taken"))
                .label(module.span(op), "this trace")
                .label(module.span(first.op()), "traces the same module")
                .help("list the events of both in one trace (eight fit)")
                .mlir_aie(MlirAieReport::plain(text));
            context.report(diag);
        }
        let written = packet_of(module, trace).and_then(|p| Some((p, p.id(module)?)));
        if let Some((packet, id)) = written
            && let Some(first) = stated.insert(id.into(), packet)
        {
            let text = format!(
                "trace packet id {id} is already used by another trace; explicit packet ids must \
                 be unique across the device"
            );
            let mlir_aie = MlirAieReport::plain(text).note(
                module.span(first.op()),
                format!("previous use of packet id {id}"),
            );
            let diag = Diag::error(&PACKET_ID, format!("two traces have packet id {id}"))
                .label(module.span(packet.op()), "this one")
                .label(module.span(first.op()), "and this one")
                .help("choose another id, or leave `id = …` out")
                .mlir_aie(mlir_aie);
            context.report(diag);
        }
        let when = |kind, what: &str, context: &mut PassContext<'_>| {
            let found = module.find(op, kind).first().copied();
            if found.is_none() {
                let text = format!("trace is missing 'aie.trace.{what}'");
                let diag = Diag::error(&INCOMPLETE, format!("nothing {what}s this trace"))
                    .label(module.span(op), "this trace")
                    .help(format!(
                        "write `aie.trace.{what} broadcast = N` or `aie.trace.{what} event = …`"
                    ))
                    .mlir_aie(MlirAieReport::plain(text));
                context.report(diag);
            }
            found.and_then(|op| module.int_attr(op, "broadcast"))
        };
        let start = when(OpKind::TraceStart, "start", context);
        let stop = when(OpKind::TraceStop, "stop", context);
        traced.push(TracedUnit {
            trace,
            tile,
            loc,
            packets,
            id: written.map_or(-1, |(_, id)| id.into()),
            start,
            stop,
        });
    }
    traced
}

fn place(module: &Module, model: &DeviceModel, trace: Trace) -> Option<(Value, TileLoc, TileKind)> {
    let tile = trace.tile(module)?;
    let loc = tile_loc(module, tile)?;
    Some((tile, loc, model.tile_kind(loc)?))
}

/// Ids for traces without one, in the order of columns and rows.
fn give_ids(
    module: &Module,
    device: Op,
    model: &DeviceModel,
    first: i64,
    traced: &mut [TracedUnit],
    context: &mut PassContext<'_>,
) {
    let max = i64::from(model.arch().model().max_packet_id);
    let stated: FxHashSet<i64> = traced.iter().map(|t| t.id).filter(|id| *id >= 0).collect();
    let flows = packet_flow::used_ids(module, device);
    let mut without: Vec<&mut TracedUnit> = traced.iter_mut().filter(|t| t.id < 0).collect();
    // Traces of one tile stay in the order of the text.
    without.sort_by_key(|t| t.loc);
    let count = without.len();
    let mut next = first;
    for trace in without {
        while next <= max && (stated.contains(&next) || flows.contains(&next)) {
            next += 1;
        }
        if next > max {
            let text = format!(
                "trace overlay needs {count} auto-allocated packet IDs starting at {first} (with \
                 {} id(s) reserved by explicit aie.trace.packet ops), but the hardware packet-id \
                 field is 5 bits (max {max})",
                stated.len()
            );
            let diag = Diag::error(&PACKET_ID, "no packet id is left for this trace")
                .label(module.span(trace.trace.op()), "this trace")
                .help(format!(
                    "ids {first}..={max} are all used by traces and packet flows: trace fewer \
                     tiles, or let packet-id-start be smaller"
                ))
                .mlir_aie(MlirAieReport::plain(text).at(module.span(device)));
            context.report(diag);
            return;
        }
        trace.id = next;
        next += 1;
    }
}

/// The shim tile and the channels that the traces go to.
fn drain(
    module: &mut Module,
    device: Op,
    model: &'static DeviceModel,
    (egress, numbers, traces): (i64, &TraceOptions, usize),
    context: &mut PassContext<'_>,
) -> Result<TraceDrain, Reported> {
    let noc = |col: i64| -> Option<TileLoc> {
        let loc = TileLoc::new(u8::try_from(col).ok()?, 0);
        (model.tile_kind(loc)? == TileKind::ShimNoc).then_some(loc)
    };
    let no_shim = |module: &Module, what: &str, col: i64| {
        let text = format!(
            "{what} {col} is not a valid shim NOC tile (device has {} columns)",
            model.columns()
        );
        Diag::error(&SHIM, format!("column {col} has no shim tile with a DMA"))
            .label(module.span(device), "in this device")
            .help(format!("choose another column for `{what}`"))
            .mlir_aie(MlirAieReport::plain(text))
    };
    let Some(mut target) = noc(egress) else {
        return Err(context.fail(no_shim(module, "egress_shim_col", egress)));
    };
    let used = used_channels(module, device);
    let mut busy: FxHashSet<u8> = module
        .find_all::<Core>(device)
        .into_iter()
        .filter_map(|core| Some(core.tile_loc(module)?.col))
        .collect();
    let lateral = numbers.lateral;
    let forced = numbers.lateral_target;
    let nearest = |from: TileLoc, busy: &FxHashSet<u8>| {
        let free = (0..model.columns()).filter(|col| !busy.contains(col));
        let shims = free.filter_map(|col| noc(col.into()));
        shims.min_by_key(|loc| loc.col.abs_diff(from.col))
    };
    if lateral && forced >= 0 {
        let refused = || context.fail(no_shim(module, "lateral-target-col", forced));
        target = noc(forced).ok_or_else(refused)?;
    } else if lateral && busy.contains(&target.col) {
        target = nearest(target, &busy).unwrap_or(target);
    }
    let count = |loc| {
        let dma = model.tile(loc).and_then(|tile| tile.dma.as_ref());
        dma.map_or(0, |dma| dma.channels.get(DmaDir::S2mm))
    };
    let free = |loc: TileLoc| -> Vec<u8> {
        let taken = |channel: &u8| used.contains_key(&(loc, *channel));
        (0..count(loc)).filter(|channel| !taken(channel)).collect()
    };
    let mut channels = free(target);
    if channels.is_empty() && lateral {
        let full = (0..model.columns()).filter(|col| free(TileLoc::new(*col, 0)).is_empty());
        busy.extend(full);
        if let Some(spare) = nearest(target, &busy) {
            target = spare;
            channels = free(spare);
        }
    }
    let wanted = |channel: &u8| i64::from(*channel) == numbers.shim_channel;
    let wanted = channels.iter().copied().find(wanted);
    let Some(first) = wanted.or(channels.first().copied()) else {
        let text = format!(
            "no S2MM channels available on shim tile at column {} (both channels in use by \
             existing flows); enable lateral-routing to redirect to a spare column",
            target.col
        );
        let message = format!("all S2MM channels of shim tile {target} are in use");
        let mut diag = Diag::error(&SHIM, message).label(module.span(device), "in this device");
        for channel in 0..count(target) {
            let user = used.get(&(target, channel));
            let span = user.and_then(|op| module.span(*op));
            diag = diag.label(span, format!("uses channel {channel}"));
        }
        let diag = diag
            .help("name another column in `egress_shim_col`, or run with lateral-routing")
            .mlir_aie(MlirAieReport::plain(text));
        return Err(context.fail(diag));
    };
    let bd = numbers.bd;
    let mut chosen = vec![(first, bd)];
    if numbers.distribute && traces > 1 && bd > 0 {
        let second = channels.into_iter().find(|channel| *channel != first);
        chosen.extend(second.map(|channel| (channel, bd - 1)));
    }
    let Some(tile) = shim_tile(module, device, target, context.pass) else {
        return Err(Reported);
    };
    Ok(TraceDrain {
        tile,
        loc: target,
        channels: chosen,
    })
}

/// The tile of a place, made at the start of the device if there is none.
fn shim_tile(module: &mut Module, device: Op, loc: TileLoc, pass: &'static str) -> Option<Value> {
    let tiles = module.children::<Tile>(device).into_iter();
    let mut there = tiles.filter(|tile| tile.loc(module) == Some(loc));
    let op = match there.next() {
        Some(tile) => tile.op(),
        None => {
            let cause = module.derived_loc(pass, device);
            let start = module
                .entry(device, 0)
                .map_or(InsertPoint::Detached, InsertPoint::Start);
            Tile::build(module, cause, loc.col, loc.row)
                .result(Type::Index)
                .insert(start)
        }
    };
    module.result(op, 0)
}

/// The S2MM channels of shim tiles that the design uses, with their users.
fn used_channels(module: &Module, device: Op) -> FxHashMap<(TileLoc, u8), Op> {
    let mut used = FxHashMap::default();
    let mut note = |tile: Option<Value>, channel: i64, op: Op| {
        let loc = tile.and_then(|tile| tile_loc(module, tile));
        if let (Some(loc), Ok(channel)) = (loc.filter(|loc| loc.row == 0), u8::try_from(channel)) {
            used.entry((loc, channel)).or_insert(op);
        }
    };
    for flow in module.children::<Flow>(device) {
        if flow.dest_bundle(module) == Some(Bundle::Dma) {
            let channel = flow.dest_channel(module).into();
            note(flow.dest(module), channel, flow.op());
        }
    }
    for flow in module.children::<PacketFlow>(device) {
        for dest in module.children::<PacketDest>(flow.op()) {
            if dest.bundle(module) == Some(Bundle::Dma) {
                note(dest.tile(module), dest.channel(module).into(), flow.op());
            }
        }
    }
    for named in module.children::<ShimDmaAllocation>(device) {
        if named.channel_dir(module) == Some(DmaDir::S2mm) {
            note(named.tile(module), named.channel_index(module), named.op());
        }
    }
    for program in module.children::<ShimDma>(device) {
        for channel in dma_channels(module, program.op()) {
            if channel.dir == DmaDir::S2mm {
                note(program.tile(module), channel.channel.into(), program.op());
            }
        }
    }
    used
}

/// Writes what was decided about the packets into the trace.
fn write_packet(module: &mut Module, traced: &TracedUnit, pass: &'static str) {
    let trace = traced.trace;
    let id = traced.id as i32;
    if let Some(packet) = packet_of(module, trace) {
        if packet.id(module).is_none() {
            packet.edit(module).id(id);
        }
        return;
    }
    let loc = module.derived_loc(pass, trace.op());
    if let Some(body) = module.entry(trace.op(), 0) {
        TracePacket::build(module, loc)
            .id(id)
            .attr("type", Attr::i32(traced.packets as i32))
            .insert(InsertPoint::Start(body));
    }
}

/// User events in place of the broadcasts that the tile itself sends.
fn by_user_event(module: &mut Module, traced: &mut TracedUnit) {
    let op = traced.trace.op();
    for (kind, event) in [
        (OpKind::TraceStart, host::START_EVENT),
        (OpKind::TraceStop, host::STOP_EVENT),
    ] {
        for when in module.find(op, kind) {
            if module.remove_attr(when, "broadcast").is_some() {
                let text = format!("#aie.trace_event<\"{event}\">");
                module.set_attr(when, "event", Attr::Opaque(text.as_str().into()));
            }
        }
    }
}
