//! Contents of the pictures of a routing: devices, their flows in order, in words.

use std::collections::BTreeSet;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView, Tile};
use aiec_device::{DeviceModel, Port, TileLoc};
use aiec_passes::analysis::switches::Switches;
use aiec_passes::route::partial::{RoutingCut, partial_routing};
use aiec_passes::route::routing_of;
use aiec_passes::route::trace::{FoundFlow, Hop};
use rustc_hash::FxHashMap;

/// One device of a netlist with its routing.
pub struct DeviceView {
    /// The device operation.
    pub op: Device,
    /// The symbol of the device operation.
    pub name: String,
    /// The device.
    pub model: &'static DeviceModel,
    /// The settings of switches and shim muxes.
    pub switches: Switches,
    /// The flows that they implement, by source and id. Where not all could be routed, as many as
    /// fit; the others have no hops.
    pub flows: Vec<FoundFlow>,
    /// Why not all could be routed.
    pub cut: Option<RoutingCut>,
    /// Tiles that the netlist names.
    pub tiles: BTreeSet<TileLoc>,
}

impl DeviceView {
    /// The devices of a module in textual order. Devices whose flows the router couldn't connect
    /// are shown with as many as fit.
    pub fn all(module: &Module) -> Vec<DeviceView> {
        let devices = module.find(module.top(), OpKind::Device).into_iter();
        let view = |op| {
            let (switches, flows, cut) = match partial_routing(module, op) {
                Some(partial) => (partial.switches, partial.flows, partial.cut),
                None => {
                    let (switches, flows) = routing_of(module, op)?;
                    (switches, flows, None)
                }
            };
            let op = Device::cast(module, op)?;
            let tiles = module.children::<Tile>(op.op()).into_iter();
            Some(DeviceView {
                op,
                name: op.name(module),
                model: switches.device,
                switches,
                flows,
                cut,
                tiles: tiles.filter_map(|tile| tile.loc(module)).collect(),
            })
        };
        devices.filter_map(view).collect()
    }

    /// For each way through a switch the flows that take it, by number.
    pub fn flows_by_hop(&self) -> FxHashMap<Hop, Vec<usize>> {
        let mut map: FxHashMap<Hop, Vec<usize>> = FxHashMap::default();
        for (number, flow) in self.flows.iter().enumerate() {
            for hop in &flow.hops {
                map.entry(*hop).or_default().push(number);
            }
        }
        map
    }

    /// For each wire, by the output that drives it, the flows on it, by number.
    pub fn flows_by_wire(&self) -> FxHashMap<(TileLoc, Port), Vec<usize>> {
        let mut map: FxHashMap<(TileLoc, Port), Vec<usize>> = FxHashMap::default();
        for (number, flow) in self.flows.iter().enumerate() {
            for hop in &flow.hops {
                if self.model.wire_from(hop.tile, hop.master).is_some() {
                    let flows = map.entry((hop.tile, hop.master)).or_default();
                    if flows.last() != Some(&number) {
                        flows.push(number);
                    }
                }
            }
        }
        map
    }
}

/// An end of a flow: `(0, 2) DMA 1`.
pub fn end_text((tile, port): (TileLoc, Port)) -> String {
    format!("{tile} {} {}", port.bundle, port.channel)
}

/// A flow in words: `(0, 0) DMA 0 → (0, 2) DMA 1, (1, 2) DMA 0`, packet ids first.
pub fn flow_text(flow: &FoundFlow) -> String {
    let sinks: Vec<String> = flow.sinks.iter().map(|s| end_text(*s)).collect();
    let way = format!("{} → {}", end_text(flow.source), sinks.join(", "));
    if flow.circuit {
        way
    } else {
        format!("id {}: {way}", ranges(&flow.ids))
    }
}

/// Whether a flow found no way.
pub fn is_unrouted(flow: &FoundFlow) -> bool {
    flow.hops.is_empty()
}

/// `1, 4-7` for ascending numbers.
pub fn ranges(ids: &[u8]) -> String {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for id in ids {
        match runs.last_mut() {
            Some(run) if run.1.checked_add(1) == Some(*id) => run.1 = *id,
            _ => runs.push((*id, *id)),
        }
    }
    let text = |(first, last): &(u8, u8)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[1, 4, 5, 6, 31]), "1, 4-6, 31");
    }
}
