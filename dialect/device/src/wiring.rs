//! Ports of the stream switches of a device, the edge of the array considered, and the wires between
//! its tiles.

use crate::arch::TileKind;
use crate::model::{DeviceModel, TileLoc};
use crate::port::{Bundle, Port};
use crate::switch::PortSide;

impl DeviceModel {
    /// Outputs of a bundle in the switch of a tile, the edge of the array considered.
    pub fn master_count(&self, loc: TileLoc, bundle: Bundle) -> u8 {
        self.port_count(loc, PortSide::Master, bundle)
    }

    /// Ports of a bundle on one side of the switch of a tile; 0 off the grid.
    #[inline]
    pub fn port_count(&self, loc: TileLoc, side: PortSide, bundle: Bundle) -> u8 {
        let Some(kind) = self.tile_kind(loc) else {
            return 0;
        };
        let absent = match bundle {
            Bundle::West => loc.col == 0,
            Bundle::East => loc.col + 1 == self.columns(),
            Bundle::North => loc.row + 1 == self.rows() && kind != TileKind::Mem,
            Bundle::TileControl => kind == TileKind::ShimPl,
            _ => false,
        };
        match self.tile(loc) {
            Some(tile) if !absent => tile.switch.count(side, bundle),
            _ => 0,
        }
    }

    /// Whether a port exists on one side of the switch of a tile.
    #[inline]
    pub fn has_port(&self, loc: TileLoc, side: PortSide, port: Port) -> bool {
        port.channel < self.port_count(loc, side, port.bundle)
    }

    /// The ports that exist on one side of the switch of a tile, in register order.
    pub fn ports(&self, loc: TileLoc, side: PortSide) -> impl Iterator<Item = Port> + use<'_> {
        let table = self.tile(loc).map_or(&[][..], |tile| tile.switch.ports);
        table.iter().flat_map(move |&(bundle, ..)| {
            let count = self.port_count(loc, side, bundle);
            (0..count).map(move |channel| Port { bundle, channel })
        })
    }

    /// The place of an existing port in its register array.
    pub fn port_index(&self, loc: TileLoc, side: PortSide, port: Port) -> Option<u8> {
        if !self.has_port(loc, side, port) {
            return None;
        }
        self.tile(loc)?.switch.index(side, port)
    }

    /// Whether the switch of a tile may connect the slave `source` to the master `destination`.
    pub fn legal_connection(&self, loc: TileLoc, source: Port, destination: Port) -> bool {
        self.has_port(loc, PortSide::Slave, source)
            && self.has_port(loc, PortSide::Master, destination)
            && self
                .tile(loc)
                .is_some_and(|tile| tile.switch.allows(source, destination))
    }

    /// Where the wire of a master port ends: the tile and its slave port. `None` for ports that
    /// end inside the tile, at the shim mux or at the edge of the array.
    pub fn wire_from(&self, loc: TileLoc, master: Port) -> Option<(TileLoc, Port)> {
        self.wire(loc, PortSide::Master, master)
    }

    /// Where the wire of a slave port begins: the tile and its master port.
    pub fn wire_into(&self, loc: TileLoc, slave: Port) -> Option<(TileLoc, Port)> {
        self.wire(loc, PortSide::Slave, slave)
    }

    fn wire(&self, loc: TileLoc, side: PortSide, port: Port) -> Option<(TileLoc, Port)> {
        if !self.has_port(loc, side, port) {
            return None;
        }
        let other = TileLoc {
            col: match port.bundle {
                Bundle::West => loc.col.checked_sub(1)?,
                Bundle::East => loc.col.checked_add(1)?,
                _ => loc.col,
            },
            row: match port.bundle {
                Bundle::South => loc.row.checked_sub(1)?,
                Bundle::North => loc.row.checked_add(1)?,
                _ => loc.row,
            },
        };
        let facing = Port::new(port.bundle.opposite()?, port.channel);
        let far = match side {
            PortSide::Master => PortSide::Slave,
            PortSide::Slave => PortSide::Master,
        };
        self.has_port(other, far, facing).then_some((other, facing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str) -> &'static DeviceModel {
        DeviceModel::by_name(name).unwrap()
    }

    #[test]
    fn edges_have_no_ports_and_wires_meet() {
        for device in DeviceModel::all() {
            for loc in device.tiles() {
                for master in device.ports(loc, PortSide::Master) {
                    if let Some((far, slave)) = device.wire_from(loc, master) {
                        assert_eq!(device.wire_into(far, slave), Some((loc, master)));
                    } else {
                        let bundle = master.bundle;
                        let inside = bundle.opposite().is_none();
                        let mux = bundle == Bundle::South && loc.row == 0;
                        assert!(inside || mux, "{} {loc} {master}", device.name());
                    }
                }
            }
        }
        let npu = device("npu1");
        assert_eq!(npu.master_count(TileLoc::new(0, 2), Bundle::West), 0);
        assert_eq!(npu.master_count(TileLoc::new(3, 2), Bundle::East), 0);
        assert_eq!(npu.master_count(TileLoc::new(1, 5), Bundle::North), 0);
        assert_eq!(npu.master_count(TileLoc::new(1, 1), Bundle::East), 0);
        assert_eq!(npu.master_count(TileLoc::new(9, 1), Bundle::South), 0);
    }

    #[test]
    fn legal_connections_of_a_few_pairs() {
        use Bundle::*;
        let legal = |name: &str, loc, from: (Bundle, u8), to: (Bundle, u8)| {
            device(name).legal_connection(loc, Port::new(from.0, from.1), Port::new(to.0, to.1))
        };
        let core = TileLoc::new(1, 3);
        assert!(legal("npu2", core, (Dma, 0), (Dma, 0)));
        assert!(!legal("npu2", core, (Dma, 0), (Dma, 1)));
        assert!(!legal("npu2", core, (Core, 0), (Core, 0)));
        assert!(!legal("npu2", core, (TileControl, 0), (Dma, 0)));
        assert!(legal("npu2", core, (Trace, 1), (Dma, 0)));
        assert!(!legal("npu2", core, (Trace, 0), (Dma, 1)));
        let mem = TileLoc::new(1, 1);
        assert!(legal("npu2", mem, (South, 5), (North, 5)));
        assert!(!legal("npu2", mem, (South, 5), (North, 4)));
        assert!(legal("npu2", mem, (South, 2), (Dma, 5)));
        assert!(legal("npu2", mem, (TileControl, 0), (Dma, 5)));
        assert!(!legal("npu2", mem, (TileControl, 0), (Dma, 4)));
        let shim = TileLoc::new(1, 0);
        assert!(legal("npu2", shim, (South, 3), (South, 0)));
        assert!(legal("npu2", shim, (Trace, 0), (West, 0)));
        assert!(!legal("npu2", shim, (Trace, 0), (North, 0)));
        assert!(legal("xcve3858", shim, (North, 0), (Controller32, 0)));
        assert!(legal("xcve3858", shim, (Trace, 0), (North, 0)));
        assert!(!legal("npu2", shim, (North, 0), (Controller32, 0)));
        assert!(legal("xcvc1902", core, (TileControl, 0), (TileControl, 0)));
        assert!(!legal("xcvc1902", core, (Trace, 0), (West, 0)));
    }
}
