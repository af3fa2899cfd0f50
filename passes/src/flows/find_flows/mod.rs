//! `aie-find-flows`: recovers flows and packet flows from switch settings.
//!
//! Every input that nothing in the array drives is followed through `aie.connect`,
//! `aie.packet_rules`, `aie.masterset` and `aie.shim_mux`, over the wires of the device (not those
//! that `aie.wire` draws, which are informational). A stream that arrives at a port of a tile is
//! written as one flow for each destination, as the reference does
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEFindFlows.cpp`); its ends are named as flows name
//! them, outside of the shim mux. Switch settings stay as they are, and so do flows that are
//! in the text: a pair of ends that one of them names is not written again.
//!
//! Rules match ids under a mask, so more ids may pass than were asked for; by default the least
//! id of those that take one way is written, with `ids=all` each of them.
//!
//! [`routing`] compares what is found with what was asked for: `--verify-each` runs it after the
//! router.

pub mod routing;

use aiec_aie::ir::{Loc, Module, Op, Value};
use aiec_aie::ops::{Flow, OpView, PacketFlow, Tile};
use aiec_device::TileLoc;
use aiec_diag::Reported;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::switches::{PacketMaster, Switches};
use crate::infra::packet_flow::{self, PacketFlowMarks};
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::route::NetKind;
use crate::route::requests::{self, FlowKinds};
use crate::route::trace::{self, FoundFlow};
use routing::{FlowEnds, TilePort};

/// The mark of control streams, as the reference names it.
const CONTROL_MARK: &str = "is_ctrl_pkt_overlay";

/// The declaration of the pass.
pub static PASS: PassDef = PassDef::of_device("aie-find-flows", |module, device, context| {
    run(module, device, &context.options()?, context)
})
.summary("Recovers flows and packet flows from switchboxes and shim muxes")
.postconditions(&[
    "an aie.flow or aie.packet_flow for each pair of ends that the switch settings connect",
    "switch settings are as they were",
])
.options(<FindOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-find-flows`.
    pub(crate) struct FindOptions {
        /// Packet ids to write: `least` or `all`.
        pub(crate) ids: String = OptionDef::one_of(
        "ids",
        "least",
        &["least", "all"],
        "packet ids to write where rules let several pass: least, all",
    ),
    }
}

fn run(
    module: &mut Module,
    device: Op,
    options: &FindOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let all_ids = options.ids == "all";
    let Some(switches) = Switches::read(module, device) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let tiles = tiles(module, device);
    let mut have = in_text(module, device, &switches, context);
    let mut flows = trace::find_flows(&switches);
    flows.retain(|flow| routing::starts_at_a_port(&switches, flow));
    // By the source's place in the text, then as the reference goes on: circuits and packets of a
    // tile by port and id.
    let rank = |flow: &FoundFlow| {
        let tile = tiles.get(&flow.source.0).map_or(usize::MAX, |t| t.0);
        (tile, flow.source, flow.ids.first().copied())
    };
    flows.sort_by_key(rank);
    for flow in &flows {
        let most = if all_ids { usize::MAX } else { 1 };
        for kind in routing::kinds_of(flow).into_iter().take(most) {
            // Far destinations first, as the reference finds them.
            for sink in flow.sinks.iter().rev() {
                let ends = FlowEnds {
                    kind,
                    source: flow.source,
                    sink: *sink,
                };
                if have.insert(ends) {
                    write(module, device, &switches, &tiles, ends, context);
                }
            }
        }
    }
    Ok(())
}

/// The tile handles of a device with their numbers in the text.
fn tiles(module: &Module, device: Op) -> FxHashMap<TileLoc, (usize, Value)> {
    let mut tiles = FxHashMap::default();
    for (number, tile) in module.children::<Tile>(device).into_iter().enumerate() {
        if let (Some(loc), Some(handle)) = (tile.loc(module), module.result(tile.op(), 0)) {
            tiles.entry(loc).or_insert((number, handle));
        }
    }
    tiles
}

/// The pairs of ends that flows of the text name.
fn in_text(
    module: &Module,
    device: Op,
    switches: &Switches,
    context: &mut PassContext<'_>,
) -> FxHashSet<FlowEnds> {
    let kinds = FlowKinds {
        circuit: true,
        packet: true,
    };
    let requests = requests::read(module, device, switches.device, kinds, context.diags);
    requests.iter().flat_map(routing::ends_of).collect()
}

fn write(
    module: &mut Module,
    device: Op,
    switches: &Switches,
    tiles: &FxHashMap<TileLoc, (usize, Value)>,
    ends: FlowEnds,
    context: &mut PassContext<'_>,
) {
    // A stream goes through switchboxes, and these name their tiles.
    let handle = |place: TilePort| tiles.get(&place.0).map(|tile| tile.1);
    let (Some(source), Some(sink)) = (handle(ends.source), handle(ends.sink)) else {
        return;
    };
    let loc = made_from(module, switches, ends.source, context.pass);
    let at = packet_flow::device_end(module, device);
    let (from, to) = (ends.source.1, ends.sink.1);
    match ends.kind {
        NetKind::Circuit => {
            Flow::build(module, loc)
                .source_bundle(from.bundle)
                .source_channel(from.channel)
                .dest_bundle(to.bundle)
                .dest_channel(to.channel)
                .operands([source, sink])
                .insert(at);
            context.count("flows", 1);
        }
        NetKind::Packet(id) => {
            let master = last_master(switches, ends.sink);
            let keep = master.and_then(|master| master.keep_header);
            let control = master.is_some_and(|m| module.attr(m.op, CONTROL_MARK).is_some());
            let marks = PacketFlowMarks {
                keep_header: keep == Some(true),
                priority: control,
            };
            let source = (source, from.bundle, from.channel.into());
            let sink = (sink, to.bundle, to.channel.into());
            let flow = packet_flow::build(module, loc, id.into(), source, &[sink], marks, at);
            if keep == Some(false) {
                PacketFlow(flow).edit(module).keep_pkt_header(false);
            }
            context.count("packet flows", 1);
        }
    }
}

/// Flows are made from the switchbox (or the shim mux) at which they start.
fn made_from(
    module: &mut Module,
    switches: &Switches,
    (tile, _): TilePort,
    pass: &'static str,
) -> Loc {
    let switch = switches.switch(tile).and_then(|switch| switch.ops.first());
    match switch.copied() {
        Some(op) => module.derived_loc(pass, op),
        None => Loc::UNKNOWN,
    }
}

/// The packet output of a switch that a flow's end is, or that lies before the shim mux.
fn last_master(switches: &Switches, (tile, port): TilePort) -> Option<&PacketMaster> {
    let inner = routing::switch_output(switches, (tile, port));
    let masters = &switches.switch(tile)?.masters;
    masters.iter().find(|master| master.port == inner)
}
