//! The host's side of traces: each runtime sequence with an `aie.trace.host_config` gets a buffer,
//! lets the shim channel write to it, and starts and stops the trace units.
//!
//! Trace units that start by a broadcast start at the same time, with their timers at 0: the shim
//! tile fires USER_EVENT_1, which it broadcasts and which also resets its own timer. At the end of
//! the sequence USER_EVENT_0 stops them, by another broadcast, in the same way.

use std::collections::BTreeSet;

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::netlist::tile_of;
use aiec_aie::ops::{
    ArithConstant, NpuAddressPatch, NpuMaskWrite32, NpuWrite32, NpuWriteBd, OpKind, OpView,
    RuntimeSequence, TraceHostConfig, TraceStartConfig,
};
use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported};

use super::registers::{TraceUnit, no_registers};
use super::{HOST_BUFFER, INCOMPLETE, ROUTES_DIFFER, TracedUnit};
use crate::flows::controller_ids;
use crate::infra::pass::PassContext;

/// The event of a shim tile that starts traces.
pub(super) const START_EVENT: &str = "USER_EVENT_1";
/// The event of a shim tile that stops traces.
pub(super) const STOP_EVENT: &str = "USER_EVENT_0";

const WORD_BYTES: i64 = 4;

/// Where traces leave the array.
pub(super) struct TraceDrain {
    pub tile: Value,
    pub loc: TileLoc,
    /// S2MM channels with the buffer descriptor of each; at least one.
    pub channels: Vec<(u8, i64)>,
}

/// A runtime sequence that records traces.
pub(super) struct Recording {
    sequence: Op,
    /// Bytes for each channel.
    buffer_bytes: i64,
    /// The last argument, of which the first bytes are used otherwise.
    reused: Option<(Value, i64)>,
}

/// The sequences of a device that record traces.
pub(super) struct Sequences {
    /// Column of the shim tile.
    pub egress: i64,
    recordings: Vec<Recording>,
}

/// Finds the sequences with a host buffer, and takes their `aie.trace.host_config` away.
pub(super) fn sequences(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<Sequences, Reported> {
    let all = module.children::<RuntimeSequence>(device);
    let Some(first) = all.first() else {
        let message = "the device has traces, but no runtime sequence";
        let text = "aie.trace ops found but no runtime_sequence defined";
        let diag = Diag::error(&INCOMPLETE, message)
            .label(module.span(device), "this device")
            .help("write an `aie.runtime_sequence` with `aie.trace.host_config`")
            .mlir_aie(MlirAieReport::plain(text));
        return Err(context.fail(diag));
    };
    let configured: Vec<(Op, TraceHostConfig)> = all
        .iter()
        .filter_map(|sequence| {
            let hosts = module.children::<TraceHostConfig>(sequence.op());
            Some((sequence.op(), *hosts.first()?))
        })
        .collect();
    let Some(&(_, leader)) = configured.first() else {
        let diag = Diag::error(&INCOMPLETE, "traces have no host buffer")
            .label(module.span(first.op()), "this sequence could give one")
            .help("write `aie.trace.host_config {buffer_size = 65536 : i32}` in it (bytes)")
            .mlir_aie(MlirAieReport::plain(
                "runtime_sequence with traces requires aie.trace.host_config",
            ));
        return Err(context.fail(diag));
    };
    let way = |module: &Module, host: TraceHostConfig| {
        let routing = host.routing(module).unwrap_or(0);
        (routing, host.egress_shim_col(module).unwrap_or(0))
    };
    let mut recordings = Vec::new();
    for &(sequence, host) in &configured {
        if way(module, host) != way(module, leader) {
            let mlir_aie = MlirAieReport::plain(
                "aie.trace.host_config routes trace data differently from another \
                 runtime_sequence in this device",
            );
            let diag = Diag::error(&ROUTES_DIFFER, "traces leave the array another way here")
                .label(module.span(host.op()), "this one")
                .label(module.span(leader.op()), "unlike this one")
                .help("give all the same routing and egress_shim_col")
                .mlir_aie(
                    mlir_aie.note(module.span(leader.op()), "first aie.trace.host_config here"),
                );
            context.report(diag);
        }
        match reused(module, sequence, host) {
            Ok(reused) => recordings.push(Recording {
                sequence,
                buffer_bytes: host.buffer_size(module).into(),
                reused,
            }),
            Err(diag) => context.report(*diag),
        }
    }
    context.diags.check()?;
    let (_, egress) = way(module, leader);
    for (_, host) in configured {
        module.erase(host.op());
    }
    Ok(Sequences {
        egress: egress.into(),
        recordings,
    })
}

/// The argument whose end traces go to, with the bytes in front, if the sequence wants that.
fn reused(
    module: &Module,
    sequence: Op,
    host: TraceHostConfig,
) -> Result<Option<(Value, i64)>, Box<Diag>> {
    if !host.reuse_output_buffer(module).unwrap_or(false) {
        return Ok(None);
    }
    let refuse = |message: &str, label: &str, mlir_aie: &str| {
        let diag = Diag::error(&HOST_BUFFER, message)
            .label(module.span(sequence), label)
            .label(module.span(host.op()), "asked for here")
            .help("leave `reuse_output_buffer` out: traces get an argument of their own")
            .mlir_aie(MlirAieReport::plain(mlir_aie));
        Box::new(diag)
    };
    let block = module.entry(sequence, 0);
    let args = block.map(|block| module.block_args(block)).unwrap_or(&[]);
    let Some(&last) = args.last() else {
        return Err(refuse(
            "there is no argument whose end traces could go to",
            "has no argument",
            "trace.host_config reuse_output_buffer requires the runtime_sequence to have at \
             least one argument to reuse",
        ));
    };
    let scalar = args.iter().any(|arg| module.ty(*arg).as_memref().is_none());
    let memref = module.ty(last).as_memref();
    let bytes = memref.and_then(|memref| i64::try_from(memref.num_bytes()?).ok());
    match bytes.filter(|_| !scalar) {
        Some(bytes) => Ok(Some((last, bytes))),
        None => Err(refuse(
            "where the output ends is only known when the sequence runs",
            "has an argument whose size is not fixed",
            "trace.host_config reuse_output_buffer=true cannot be used with a dynamic \
             (runtime-sized) runtime_sequence",
        )),
    }
}

/// Writes the programs of all sequences.
pub(super) fn program(
    module: &mut Module,
    model: &'static DeviceModel,
    sequences: &Sequences,
    traced: &[TracedUnit],
    (drain, burst): (&TraceDrain, i64),
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(shim) = TraceUnit::of(model, drain.loc, None) else {
        return Err(context.fail(no_registers(model)));
    };
    if let Some(tile) = tile_of(module, drain.tile)
        && let Some(id) = controller_ids::id_of(module, model, tile)
    {
        module.set_attr(tile.op(), controller_ids::ATTRIBUTE, Attr::Packet(id));
    }
    for recording in &sequences.recordings {
        let sequence = recording.sequence;
        let Some(block) = module.entry(sequence, 0) else {
            continue;
        };
        let starts = module.children::<TraceStartConfig>(sequence);
        let anchor = starts.last().map(|start| start.op());
        let mut writer = Writer {
            model,
            shim,
            loc: module.derived_loc(context.pass, sequence),
            at: anchor.map_or(InsertPoint::Start(block), InsertPoint::After),
            module,
        };
        let buffer = writer.buffer(recording, drain);
        writer.timers(traced);
        for (n, (channel, bd)) in drain.channels.iter().enumerate() {
            let offset = buffer.1 + n as i64 * recording.buffer_bytes;
            let words = recording.buffer_bytes / WORD_BYTES;
            writer.descriptor(*bd, words, burst);
            writer.patch(*bd, buffer.0, offset);
            writer.channel(*channel, *bd, drain);
        }
        let starts: BTreeSet<i64> = traced.iter().filter_map(|t| t.start).collect();
        if !starts.is_empty() {
            writer.reset_timer(shim, START_EVENT);
            writer.broadcast(&starts, START_EVENT);
        }
        let stops: BTreeSet<i64> = traced.iter().filter_map(|t| t.stop).collect();
        if !stops.is_empty() {
            writer.at = InsertPoint::End(block);
            writer.broadcast(&stops, STOP_EVENT);
        }
    }
    Ok(())
}

/// Writes operations one after the other.
struct Writer<'m> {
    module: &'m mut Module,
    model: &'static DeviceModel,
    shim: TraceUnit,
    loc: Loc,
    at: InsertPoint,
}

impl Writer<'_> {
    /// The number of the argument that traces go to, among those that are buffers, and the first
    /// byte in it.
    fn buffer(&mut self, recording: &Recording, drain: &TraceDrain) -> (i32, i64) {
        let Some(block) = self.module.entry(recording.sequence, 0) else {
            return (0, 0);
        };
        if recording.reused.is_none() {
            let bytes = recording.buffer_bytes * drain.channels.len() as i64;
            let ty = Type::memref([bytes], Type::I8);
            self.module.add_block_arg(block, ty);
        }
        let args = self.module.block_args(block).iter();
        let buffers = args.filter(|arg| self.module.ty(**arg).as_memref().is_some());
        let index = buffers.count().saturating_sub(1) as i32;
        (index, recording.reused.map_or(0, |(_, bytes)| bytes))
    }

    /// Resets the timers of traced modules when the traces start.
    fn timers(&mut self, traced: &[TracedUnit]) {
        for trace in traced {
            let (Some(start), Some(unit)) = (
                trace.start.filter(|_| trace.loc != self.shim.loc),
                TraceUnit::of(self.model, trace.loc, Some(trace.packets)),
            ) else {
                continue;
            };
            self.reset_timer(unit, &unit.broadcast_event(start));
        }
    }

    /// Lets an event reset the timer of a module.
    fn reset_timer(&mut self, unit: TraceUnit, event: &str) {
        let register = unit.register("Timer_Control");
        let field = register.and_then(|(at, reg)| Some((at, reg.field("Reset_Event")?)));
        if let (Some((at, field)), Some(event)) = (field, unit.event(event)) {
            self.write(unit.loc, at, field.set(0, event.into()));
        }
    }

    fn descriptor(&mut self, bd: i64, words: i64, burst: i64) {
        let mut op = NpuWriteBd::build(self.module, self.loc);
        for attr in OpKind::NpuWriteBd.def().iter().flat_map(|def| def.attrs) {
            op = op.attr(attr.name, Attr::i32(0));
        }
        let op = op
            .bd_id(bd as i32)
            .buffer_length(words as i32)
            .burst_length(burst as i32)
            .column(self.shim.loc.col)
            .enable_packet(1)
            .valid_bd(1)
            .insert(self.at);
        self.at = InsertPoint::After(op);
    }

    /// The descriptor's address becomes that of the host buffer.
    fn patch(&mut self, bd: i64, argument: i32, offset: i64) {
        let layout = BdLayout::of(self.model.arch(), TileKind::ShimNoc);
        let word = RegisterRef::BdWord {
            bd: bd as u8,
            word: layout.map_or(0, BdLayout::address_word),
        };
        let address = self.model.register_address(self.shim.loc, word);
        let offset = self.constant(offset as u32);
        let op = NpuAddressPatch::build(self.module, self.loc, address.unwrap_or(0), argument)
            .operand(offset)
            .insert(self.at);
        self.at = InsertPoint::After(op);
    }

    /// Tokens of the channel go to the tile's controller; the descriptor is pushed.
    fn channel(&mut self, channel: u8, bd: i64, drain: &TraceDrain) {
        let dir = DmaDir::S2mm;
        let loc = self.shim.loc;
        let Some(map) = self.model.register_map(loc) else {
            return;
        };
        let id = tile_of(self.module, drain.tile)
            .and_then(|tile| controller_ids::id_of(self.module, self.model, tile));
        let control = RegisterRef::DmaCtrl { dir, channel };
        let field = map
            .register(control)
            .and_then(|(reg, _)| reg.field("Controller_ID"));
        if let (Some(at), Some(field), Some(id)) = (map.offset_of(control), field, id) {
            self.mask(loc, at, field.set(0, id.pkt_id as u32), field.mask());
        }
        let entry = QueueEntry {
            bd: bd as u8,
            token: true,
            ..QueueEntry::default()
        };
        let kind = self.model.tile_kind(loc);
        let word = kind.and_then(|kind| entry.pack(self.model.arch(), kind, dir));
        let at = map.offset_of(RegisterRef::DmaQueue { dir, channel });
        if let (Some(at), Some(Ok(word))) = (at, word) {
            self.write(loc, at, word);
        }
    }

    /// The shim tile fires an event and broadcasts it.
    fn broadcast(&mut self, channels: &BTreeSet<i64>, event: &str) {
        let loc = self.shim.loc;
        let Some(event) = self.shim.event(event) else {
            return;
        };
        for channel in channels {
            let register = self.shim.register(&format!("Event_Broadcast{channel}_A"));
            if let Some((at, _)) = register {
                self.write(loc, at, event.into());
            }
        }
        if let Some((at, _)) = self.shim.register("Event_Generate") {
            self.write(loc, at, event.into());
        }
    }

    fn constant(&mut self, value: u32) -> Value {
        constant(self.module, self.loc, &mut self.at, value)
    }

    fn write(&mut self, loc: TileLoc, offset: u32, value: u32) {
        write32(self.module, self.loc, &mut self.at, loc, offset, value);
    }

    fn mask(&mut self, loc: TileLoc, offset: u32, value: u32, mask: u32) {
        let [offset, value, mask] = [offset, value, mask].map(|number| self.constant(number));
        let op = NpuMaskWrite32::build(self.module, self.loc, offset, value, mask)
            .column(loc.col)
            .row(loc.row)
            .insert(self.at);
        self.at = InsertPoint::After(op);
    }
}

/// An `i32` constant with these bits; `at` goes after it.
fn constant(module: &mut Module, loc: Loc, at: &mut InsertPoint, value: u32) -> Value {
    let value = ArithConstant::i32(module, loc, value as i32, *at);
    if let Some(op) = module.def_op(value) {
        *at = InsertPoint::After(op);
    }
    value
}

/// `aiex.npu.write32` of a register of a tile, with its constants in front; `at` goes after it.
pub(super) fn write32(
    module: &mut Module,
    loc: Loc,
    at: &mut InsertPoint,
    tile: TileLoc,
    offset: u32,
    value: u32,
) {
    let offset = constant(module, loc, at, offset);
    let value = constant(module, loc, at, value);
    let op = NpuWrite32::build(module, loc, offset, value)
        .column(tile.col)
        .row(tile.row)
        .insert(*at);
    *at = InsertPoint::After(op);
}
