//! Traces: from what a design wants to see of a tile (`aie.trace`) to register writes of the
//! runtime sequence, in four passes that mlir-aie has too
//! (`mlir-aie: lib/Dialect/AIE/Transforms/{AIEInsertTraceFlows,AIETraceToConfig}.cpp`,
//! `lib/Dialect/AIEX/Transforms/AIEInlineTraceConfig.cpp`).
//!
//! * [`flows`] gives each trace a packet id and a way to a shim DMA channel, and each runtime
//!   sequence the buffer that the channel writes to ([`host`]);
//! * [`config`] says each trace as register fields ([`registers`] knows names and places);
//! * [`pack`] joins the fields of a register;
//! * [`inline`] puts the writes where the sequence starts the trace.
//!
//! A tile has one trace unit for each module: core and memory, mem tile, shim.

mod config;
mod flows;
mod host;
mod inline;
mod pack;
mod registers;

use aiec_aie::ir::{Attr, Module, Op, Value};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{OpView, Trace, TraceConfig, TracePacket};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::codes;

use registers::TraceUnit;

pub use config::PASS as TO_CONFIG;
pub use flows::PASS as INSERT_FLOWS;
pub use inline::PASS as INLINE;
pub use pack::PASS as PACK;

codes! {
    /// Codes of the trace passes.
    pub static CODES;
    EVENT = "trace::event",
        "The traced module has no event of this name. Each kind of module (core, memory module of \
         a core tile, mem tile, shim tile) has events of its own, and few differ by generation; \
         names are those of the vendor's driver, e.g. INSTR_VECTOR, LOCK_STALL, PORT_RUNNING_0.";
    INCOMPLETE = "trace::incomplete",
        "A trace needs a start and a stop (a broadcast or an event), and a runtime sequence with \
         `aie.trace.host_config`, which gives the size of the host buffer.";
    UNIT_TAKEN = "trace::unit-taken",
        "A tile has one trace unit for each module, which sends one stream of packets: two traces \
         can't share it. Record up to eight events in one trace.";
    PACKET_ID = "trace::packet-id",
        "The traces of a device share the way to the host and are distinguished by their packet ids, \
         of which there are 32: they must differ.";
    SHIM = "trace::shim",
        "Traces leave the array through a receiving DMA channel of one shim tile. The tile must \
         have a DMA, and a channel that no flow of the design uses.";
    HOST_BUFFER = "trace::host-buffer",
        "Trace data goes to a host buffer: an argument that is added to the runtime sequence, or \
         the end of the last one (`reuse_output_buffer`), whose size must be known for that.";
    ROUTES_DIFFER = "trace::routes-differ",
        "The way of trace packets belongs to the device, so all runtime sequences of a device must \
         name the same routing and shim column.";
    REGISTER = "trace::register",
        "A trace configuration names registers and fields of the traced module as the register \
         manual does (AM025, AM029).";
    ORDER = "trace::order",
        "The trace passes work on what the ones before them leave: place tiles, \
         `aie-insert-trace-flows`, `aie-trace-to-config`, `aie-trace-pack-reg-writes`, \
         `aie-inline-trace-config`.";
}

/// Kinds of trace packets, as the packet type of their headers
/// (`mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`, TracePacketType).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PacketType {
    Core = 0,
    Memory = 1,
    Shim = 2,
    MemTile = 3,
}

impl PacketType {
    fn by_value(value: i64) -> Option<PacketType> {
        use PacketType::*;
        let mut all = [Core, Memory, Shim, MemTile].into_iter();
        all.find(|kind| *kind as i64 == value)
    }
}

/// A trace with all that was decided about it.
struct TracedUnit {
    trace: Trace,
    tile: Value,
    loc: TileLoc,
    packets: PacketType,
    id: i64,
    /// The broadcasts that start and stop it.
    start: Option<i64>,
    stop: Option<i64>,
}

/// The first `aie.trace.packet` of a trace.
fn packet_of(module: &Module, trace: Trace) -> Option<TracePacket> {
    module.children::<TracePacket>(trace.op()).first().copied()
}

/// The packet type that a trace states.
fn stated_type(module: &Module, trace: Trace) -> Option<PacketType> {
    let packet = packet_of(module, trace)?;
    PacketType::by_value(module.int_attr(packet.op(), "type")?)
}

/// The name or number in an event attribute, as written between `<` and `>`, without quotes.
fn event_text(attr: &Attr) -> Option<String> {
    let text = match attr {
        Attr::Opaque(text) => text
            .trim_start_matches("#aie.trace_event")
            .trim_matches(['<', '>', '"']),
        Attr::Str(text) => text,
        Attr::Int(n, _) => return Some(n.to_string()),
        _ => return None,
    };
    Some(text.to_string())
}

/// The event attribute of an operation.
fn event_attr(module: &Module, op: Op, key: &str) -> Option<String> {
    event_text(module.attr(op, key)?)
}

/// The trace unit that a configuration is for; none if its tile isn't placed.
fn unit_of(module: &Module, model: &'static DeviceModel, config: TraceConfig) -> Option<TraceUnit> {
    let loc = tile_loc(module, config.tile(module)?)?;
    let packets = config.packet_type(module);
    let packets = packets.and_then(|n| PacketType::by_value(n.into()));
    TraceUnit::of(model, loc, packets)
}
