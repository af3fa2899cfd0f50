//! `aie-lower-multicast` and `aie-lower-broadcast-packet`: older ways to write one source and
//! several destinations become flows (`mlir-aie: lib/Dialect/AIEX/Transforms/
//! AIELowerMulticast.cpp`, `AIECreateBroadcastPacket.cpp`).
//!
//! Unlike there, an id that another packet flow from the same port has already is refused: the
//! two would be one stream of packets.

use aiec_aie::ir::{InsertPoint, Module, Op, Value};
use aiec_aie::ops::{
    BroadcastPacket, BroadcastPacketDest, BroadcastPacketId, Flow, MultiDest, Multicast, OpView,
    PacketFlow, PacketSource,
};
use aiec_device::Bundle;
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::FxHashMap;

use crate::infra::packet_flow::{self, FlowEnd, PacketFlowMarks};
use crate::infra::pass::{PassContext, PassDef};

/// `aie-lower-multicast`.
pub static MULTICAST: PassDef = PassDef::of_device("aie-lower-multicast", multicast)
    .summary("Turn aiex.multicast into one flow for each destination")
    .postconditions(&["no aiex.multicast is left"]);

/// `aie-lower-broadcast-packet`.
pub static BROADCAST: PassDef = PassDef::of_device("aie-lower-broadcast-packet", broadcast)
    .summary("Turn aiex.broadcast_packet into one packet flow for each id")
    .postconditions(&["no aiex.broadcast_packet is left"]);

codes! {
    /// Codes of `aie-lower-multicast` and `aie-lower-broadcast-packet`.
    pub static CODES;
    NO_DESTINATION = "flows::no-destination",
        "A multicast or broadcast sends to at least one destination.";
    SAME_ID = "flows::same-id",
        "Packets are distinguished by their id only: two packet flows from one port need different \
         ids.";
}

fn no_destination(module: &Module, op: Op) -> Diag {
    Diag::error(&NO_DESTINATION, "nothing receives what is sent here")
        .label(module.span(op), "no destination inside")
        .help("name at least one destination, or leave it out")
}

fn multicast(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    for op in module.children::<Multicast>(device) {
        let dests = module.children::<MultiDest>(op.op());
        let source = op.tile(module).zip(op.bundle(module));
        let (Some((source, bundle)), false) = (source, dests.is_empty()) else {
            context.report(no_destination(module, op.op()));
            continue;
        };
        let channel = op.channel(module);
        for dest in dests {
            let Some((tile, to)) = dest.tile(module).zip(dest.bundle(module)) else {
                continue;
            };
            let to_channel = dest.channel(module);
            let loc = module.derived_loc(context.pass, dest.op());
            Flow::build(module, loc)
                .operand(source)
                .operand(tile)
                .source_bundle(bundle)
                .source_channel(channel)
                .dest_bundle(to)
                .dest_channel(to_channel)
                .insert(InsertPoint::Before(op.op()));
            context.count("flows", 1);
        }
        module.erase(op.op());
    }
    context.diags.check()
}

/// Who sends packets of an id from a port.
type Senders = FxHashMap<(Value, Option<Bundle>, i32, i64), Op>;

fn broadcast(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let mut senders: Senders = FxHashMap::default();
    for flow in module.children::<PacketFlow>(device) {
        for source in module.children::<PacketSource>(flow.op()) {
            if let Some(tile) = source.tile(module) {
                let port = (source.bundle(module), source.channel(module));
                senders.insert((tile, port.0, port.1, flow.ID(module)), flow.op());
            }
        }
    }
    for op in module.children::<BroadcastPacket>(device) {
        let Some((tile, bundle)) = op.tile(module).zip(op.bundle(module)) else {
            continue;
        };
        let source: FlowEnd = (tile, bundle, op.channel(module));
        for id_op in module.children::<BroadcastPacketId>(op.op()) {
            let id = id_op.ID(module);
            let dests: Vec<FlowEnd> = module
                .children::<BroadcastPacketDest>(id_op.op())
                .into_iter()
                .filter_map(|d| Some((d.tile(module)?, d.bundle(module)?, d.channel(module))))
                .collect();
            if dests.is_empty() {
                context.report(no_destination(module, id_op.op()));
                continue;
            }
            let key = (tile, Some(bundle), source.2, id);
            if let Some(first) = senders.insert(key, id_op.op()) {
                let message = format!("packets of id {id} are sent from this port already");
                context.report(
                    Diag::error(&SAME_ID, message)
                        .label(module.span(id_op.op()), "this id")
                        .label(module.span(first), "sends them too")
                        .help("use another id of 0 to 31 for one of the two"),
                );
                continue;
            }
            // Directly after it, so that later ids are first, as in mlir-aie.
            let loc = module.derived_loc(context.pass, id_op.op());
            let at = InsertPoint::After(op.op());
            let marks = PacketFlowMarks::default();
            packet_flow::build(module, loc, id, source, &dests, marks, at);
            context.count("packet flows", 1);
        }
    }
    context.diags.check()?;
    for op in module.children::<BroadcastPacket>(device) {
        module.erase(op.op());
    }
    Ok(())
}
