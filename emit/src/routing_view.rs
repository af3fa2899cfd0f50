//! What the pictures of a routing show: devices, their flows in order, colours and names.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView, Tile};
use aiec_device::{DeviceModel, Port, TileLoc};
use aiec_passes::analysis::switches::Switches;
use aiec_passes::route::routing_of;
use aiec_passes::route::trace::{FoundFlow, Hop};

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
    /// The flows that they implement, by source and id.
    pub flows: Vec<FoundFlow>,
    /// Tiles that the netlist names.
    pub tiles: BTreeSet<TileLoc>,
}

impl DeviceView {
    /// The devices of a module in textual order.
    pub fn all(module: &Module) -> Vec<DeviceView> {
        let devices = module.find(module.top(), OpKind::Device).into_iter();
        let view = |op| {
            let (switches, flows) = routing_of(module, op)?;
            let op = Device::cast(module, op)?;
            let tiles = module.children::<Tile>(op.op()).into_iter();
            Some(DeviceView {
                op,
                name: op.name(module),
                model: switches.device,
                switches,
                flows,
                tiles: tiles.filter_map(|tile| tile.loc(module)).collect(),
            })
        };
        devices.filter_map(view).collect()
    }

    /// For each way through a switch the flows that take it, by number.
    pub fn flows_by_hop(&self) -> BTreeMap<Hop, Vec<usize>> {
        let mut map: BTreeMap<Hop, Vec<usize>> = BTreeMap::new();
        for (number, flow) in self.flows.iter().enumerate() {
            for hop in &flow.hops {
                map.entry(*hop).or_default().push(number);
            }
        }
        map
    }

    /// For each wire, by the output that drives it, the flows on it, by number.
    pub fn flows_by_wire(&self) -> BTreeMap<(TileLoc, Port), Vec<usize>> {
        let mut map: BTreeMap<(TileLoc, Port), BTreeSet<usize>> = BTreeMap::new();
        for (number, flow) in self.flows.iter().enumerate() {
            for hop in &flow.hops {
                if self.model.wire_from(hop.tile, hop.master).is_some() {
                    map.entry((hop.tile, hop.master))
                        .or_default()
                        .insert(number);
                }
            }
        }
        let list =
            |(wire, flows): ((TileLoc, Port), BTreeSet<usize>)| (wire, flows.into_iter().collect());
        map.into_iter().map(list).collect()
    }
}

/// Colours that also the colour-blind can tell apart (Okabe and Ito), for the first flows.
const PALETTE: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#5b3a8e",
];
/// Degrees between the hues of further flows: the golden angle keeps neighbours apart.
const HUE_STEP: usize = 137;
/// Lightness of further flows in percent, one after the other.
const LIGHTNESS: [usize; 3] = [38, 52, 30];

/// The colour of a flow by number, as CSS and Graphviz take it (`#rrggbb`).
pub fn colour(number: usize) -> String {
    match PALETTE.get(number) {
        Some(colour) => (*colour).to_string(),
        None => {
            let hue = (number * HUE_STEP) % 360;
            hsl(hue, 70, LIGHTNESS[number % LIGHTNESS.len()])
        }
    }
}

/// `#rrggbb` of hue (degrees), saturation and lightness (percent), in integers.
fn hsl(hue: usize, saturation: usize, lightness: usize) -> String {
    let (s, l) = (saturation as i64, lightness as i64);
    let spread = s * l.min(100 - l) / 100;
    let channel = |offset: i64| {
        // Position on the hue circle in tenths of its twelve parts.
        let k = (offset * 10 + hue as i64 / 3) % 120;
        let slope = (k - 30).min(90 - k).clamp(-10, 10);
        let percent = l - spread * slope / 10;
        (percent * 255 / 100).clamp(0, 255)
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4))
}

/// An end of a flow: `(0, 2) DMA 1`.
pub fn end_text((tile, port): (TileLoc, Port)) -> String {
    format!("{tile} {} {}", port.bundle, port.channel)
}

/// A flow in words: `(0, 0) DMA 0 → (0, 2) DMA 1, (1, 2) DMA 0`, packet ids first.
pub fn flow_text(flow: &FoundFlow) -> String {
    let sinks: Vec<String> = flow.sinks.iter().map(|s| end_text(*s)).collect();
    let way = format!("{} → {}", end_text(flow.source), sinks.join(", "));
    match flow.circuit {
        true => way,
        false => format!("id {}: {way}", ranges(&flow.ids)),
    }
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
    let text = |(first, last): &(u8, u8)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
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

    #[test]
    fn colours_differ_and_are_hexadecimal() {
        let colours: BTreeSet<String> = (0..100).map(colour).collect();
        assert!(colours.len() > 95);
        assert!(colours.iter().all(|c| c.len() == 7 && c.starts_with('#')));
        assert_eq!(hsl(0, 100, 50), "#ff0000");
        assert_eq!(hsl(120, 100, 50), "#00ff00");
        assert_eq!(hsl(240, 100, 25), "#00007f");
    }
}
