//! `aie-check-packet-headers`: finds packet flows of ids that no buffer descriptor of their sources sends.
//!
//! Judged are the channels of core and mem tiles whose descriptors all ask for a header (of others the data may hold
//! it), and that neither the runtime sequence nor control packets configure.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::{dma_channels, tile_loc};
use aiec_aie::ops::{DmaConfigureTask, OpKind, OpView, PacketDest, PacketFlow, PacketSource};
use aiec_device::{Bundle, DmaDir, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::transfer::packet_of_bd;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-check-packet-headers", run)
    .summary("Warn of packet flows of ids that their sources don't send")
    .postconditions(&["the module as it was"]);

codes! {
    /// Codes of `aie-check-packet-headers`.
    pub static CODES;
    NO_HEADER = "flows::no-header",
        "The buffer descriptors of a packet flow's source send packets of other ids, so that nothing ever takes this flow, and \
         packets of an id without a flow stop the switch. Give the flow and the descriptors the same id.";
}

/// The ids that the channels of core and mem tiles send; `None` for channels that also send without a header.
type SentIds = FxHashMap<(TileLoc, i64), Option<BTreeSet<i64>>>;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let sources = dma_sources(module, device);
    if sources.is_empty() {
        return Ok(());
    }
    let Some(configured) = configured_at_run_time(module, device) else {
        return Ok(());
    };
    let mut sent = sent_ids(module, device);
    sent.retain(|(tile, _), _| !configured.contains(tile));
    for (flow, source, channel) in sources {
        let id = flow.ID(module);
        let Some(Some(ids)) = sent.get(&channel) else {
            continue;
        };
        if ids.contains(&id) {
            continue;
        }
        let (tile, channel) = channel;
        let listed: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let listed = listed.join(", ");
        let message = format!(
            "no packet has the id {id} of this flow: DMA MM2S {channel} of tile {tile} sends {listed}"
        );
        context.report(
            Diag::warning(&NO_HEADER, message)
                .label(module.span(source.op()), "this source")
                .label(module.span(flow.op()), "this flow")
                .help("give the flow and the buffer descriptors the same id"),
        );
    }
    Ok(())
}

/// The sources of packet flows that are channels of a DMA.
fn dma_sources(module: &Module, device: Op) -> Vec<(PacketFlow, PacketSource, (TileLoc, i64))> {
    let mut list = Vec::new();
    for flow in module.children::<PacketFlow>(device) {
        for source in module.children::<PacketSource>(flow.op()) {
            if let (Some(tile), Some(Bundle::Dma)) =
                (source.tile_loc(module), source.bundle(module))
            {
                let channel = (tile, i64::from(source.channel(module)));
                list.push((flow, source, channel));
            }
        }
    }
    list
}

/// The tiles whose channels the runtime sequence or control packets may give more descriptors. `None`: any tile.
fn configured_at_run_time(module: &Module, device: Op) -> Option<FxHashSet<TileLoc>> {
    let mut tiles = FxHashSet::default();
    let writes = module.find_each(
        device,
        [
            OpKind::NpuWriteBd,
            OpKind::NpuWrite32,
            OpKind::NpuMaskWrite32,
            OpKind::NpuBlockWrite,
        ],
    );
    if writes.iter().any(|ops| !ops.is_empty()) {
        return None;
    }
    for task in module.find_all::<DmaConfigureTask>(device) {
        tiles.insert(tile_loc(module, task.tile(module)?)?);
    }
    for packets in module.find_all::<PacketDest>(device) {
        if packets.bundle(module) == Some(Bundle::TileControl) {
            tiles.insert(packets.tile_loc(module)?);
        }
    }
    Some(tiles)
}

fn sent_ids(module: &Module, device: Op) -> SentIds {
    let mut sent = SentIds::default();
    for container in dma_containers(module, device) {
        let Some(tile) = tile_of_op(module, container) else {
            continue;
        };
        if module.kind(container) == OpKind::ShimDma {
            // the runtime sequence may add tasks
            continue;
        }
        for channel in dma_channels(module, container) {
            if channel.dir != DmaDir::Mm2s {
                continue;
            }
            let key = (tile, i64::from(channel.channel));
            let ids = sent.entry(key).or_insert_with(|| Some(BTreeSet::new()));
            for slot in &channel.bds {
                let packet = packet_of_bd(module, slot.bd, slot.block);
                match (packet, ids.as_mut()) {
                    (Some(packet), Some(ids)) => drop(ids.insert(packet.pkt_id)),
                    _ => *ids = None,
                }
            }
        }
    }
    sent.retain(|_, ids| ids.as_ref().is_none_or(|ids| !ids.is_empty()));
    sent
}
