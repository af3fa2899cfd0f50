//! Ends of flows: where the ports that flows name are in the switches.
//!
//! The shim mux has fixed wires, so a DMA, NOC or PLIO port of a shim tile is reached through one
//! South port of the switch and no other.

use aiec_device::switch::{MuxDir, PortSide};
use aiec_device::{Bundle, DeviceModel, Port, TileKind, TileLoc};

/// Switch port of a flow's end: a South port if the end is beyond the shim mux, else the end
/// itself. Returns `None` if the switch lacks that port.
pub fn switch_port(
    device: &aiec_device::DeviceModel,
    tile: TileLoc,
    port: Port,
    side: PortSide,
) -> Option<Port> {
    let kind = device.tile_kind(tile)?;
    let outer = matches!(port.bundle, Bundle::Dma | Bundle::Noc | Bundle::Plio);
    if !kind.is_shim() || !outer {
        return device.has_port(tile, side, port).then_some(port);
    }
    if kind == TileKind::ShimPl && port.bundle != Bundle::Plio {
        return None;
    }
    let dir = match side {
        PortSide::Slave => MuxDir::In,
        PortSide::Master => MuxDir::Out,
    };
    let south = device.arch().mux_south(dir, port)?;
    Some(Port::new(Bundle::South, south))
}

/// Whether an end is beyond the shim mux.
pub(crate) fn is_behind_mux(device: &DeviceModel, tile: TileLoc, port: Port) -> bool {
    device.tile_kind(tile).is_some_and(TileKind::is_shim)
        && matches!(port.bundle, Bundle::Dma | Bundle::Noc | Bundle::Plio)
}

/// The ports that flows may start (slave side) or end (master side) at in a tile, as a person
/// would list them: `DMA : 0-1, Core : 0`.
pub(crate) fn list_ports(device: &DeviceModel, tile: TileLoc, side: PortSide) -> String {
    let mut groups: Vec<(Bundle, Vec<u8>)> = Vec::new();
    for bundle in Bundle::ALL {
        let exists =
            |channel: &u8| switch_port(device, tile, Port::new(bundle, *channel), side).is_some();
        let channels: Vec<u8> = (0..=u8::MAX).take_while(exists).collect();
        if !channels.is_empty() {
            groups.push((bundle, channels));
        }
    }
    let text = |(bundle, channels): &(Bundle, Vec<u8>)| match channels[..] {
        [first, .., last] => format!("{bundle} : {first}-{last}"),
        _ => format!("{bundle} : 0"),
    };
    groups.iter().map(text).collect::<Vec<_>>().join(", ")
}
