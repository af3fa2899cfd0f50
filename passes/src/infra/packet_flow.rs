//! Packet flows that passes make, and the packet ids that a device uses.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, Value};
use aiec_aie::ops::{self, OpKind, PacketDest, PacketFlow, PacketSource};
use aiec_device::Bundle;
use rustc_hash::FxHashSet;

/// An end of a flow: tile, bundle and channel.
pub(crate) type FlowEnd = (Value, Bundle, i32);

/// Options of a packet flow, written after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PacketFlowMarks {
    /// Whether destinations see the header.
    pub keep_header: bool,
    /// Whether the router serves it first.
    pub priority: bool,
}

/// Makes an `aie.packet_flow` from one source to several destinations.
pub(crate) fn build(
    module: &mut Module,
    loc: Loc,
    id: i64,
    source: FlowEnd,
    dests: &[FlowEnd],
    marks: PacketFlowMarks,
    at: InsertPoint,
) -> Op {
    build_from(module, loc, id, &[source], dests, marks, at)
}

/// Makes an `aie.packet_flow` from several sources.
pub(crate) fn build_from(
    module: &mut Module,
    loc: Loc,
    id: i64,
    sources: &[FlowEnd],
    dests: &[FlowEnd],
    marks: PacketFlowMarks,
    at: InsertPoint,
) -> Op {
    let flow = PacketFlow::build(module, loc, id as i8)
        .keep_pkt_header(marks.keep_header.then_some(true))
        .priority_route(marks.priority.then_some(true))
        .body()
        .insert(at);
    let Some(body) = module.entry(flow, 0) else {
        return flow;
    };
    let at = InsertPoint::End(body);
    for (tile, bundle, channel) in sources {
        PacketSource::build(module, loc, *tile, *bundle, *channel).insert(at);
    }
    for (tile, bundle, channel) in dests {
        PacketDest::build(module, loc, *tile, *bundle, *channel).insert(at);
    }
    ops::End::build(module, loc).insert(at);
    flow
}

/// The ids of all packet flows of a device.
pub(crate) fn used_ids(module: &Module, device: Op) -> FxHashSet<i64> {
    let flows = module.children::<PacketFlow>(device);
    flows.iter().map(|flow| flow.ID(module)).collect()
}

/// The point in front of the device's terminator.
pub(crate) fn device_end(module: &Module, device: Op) -> InsertPoint {
    let Some(block) = module.entry(device, 0) else {
        return InsertPoint::Detached;
    };
    match module.last_op(block) {
        Some(op) if module.kind(op) == OpKind::End => InsertPoint::Before(op),
        _ => InsertPoint::End(block),
    }
}
