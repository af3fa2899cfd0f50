//! The switchbox graph: a node for each side of each switch port, edges for the legal connections
//! inside a switch (slave to master) and for the wires between switches (master to slave).
//!
//! The edges are consecutive lists of successors (compressed sparse rows), built once per device
//! region and never changed; what the search learns (occupancy, cost) lives in arrays indexed by
//! [`Node`]. The shim mux is not part of it: its wiring is fixed, so a DMA, NOC or PLIO end *is* a
//! South port of the shim switch (see [`super::requests`]). A switch's own FIFO isn't a way
//! through: its ports are ends only.

use std::ops::Range;

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port, TileKind, TileLoc};

/// Index of a port side in a [`SwitchGraph`].
pub(crate) type Node = u32;

/// The port side that a node represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortNode {
    /// The tile of the switch.
    pub tile: TileLoc,
    /// Slave (into the switch) or master (out of it).
    pub side: PortSide,
    /// The port.
    pub port: Port,
    /// A master with a wire to a neighbour; always false for slaves.
    pub wired: bool,
    /// The tile that a stream at this node enters or is in: the neighbour for a wired master,
    /// the own tile otherwise.
    pub at: TileLoc,
}

/// Marks a bundle without ports in [`TileEntry`].
const NO_PORTS: u8 = u8::MAX;
/// Number of bundles.
const BUNDLES: usize = Bundle::ALL.len();

/// Where the nodes of a tile are: first node of the tile plus an offset per bundle and side.
#[derive(Clone, Copy)]
struct TileEntry {
    first: Node,
    slaves: [u8; BUNDLES],
    masters: [u8; BUNDLES],
}

/// The graph of a range of columns of a device.
pub(crate) struct SwitchGraph {
    /// The device.
    pub device: &'static DeviceModel,
    columns: Range<u8>,
    nodes: Vec<PortNode>,
    tiles: Vec<TileEntry>,
    /// The successors of all nodes, by node and ascending.
    successors: Vec<Node>,
    /// Where the successors of each node begin, and their number at the end.
    starts: Vec<u32>,
}

/// The ports that a tile lacks depend on its place; tiles of equal shape share one edge list.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TileShape {
    kind: TileKind,
    west: bool,
    east: bool,
    north: bool,
}

/// The legal connections of a tile shape as (slave offset, master offset) in ascending order.
struct ShapeEdges {
    shape: TileShape,
    links: Vec<(u8, u8)>,
}

impl SwitchGraph {
    /// The graph of these columns; ports that lead out of them exist but have no wire.
    pub fn new(device: &'static DeviceModel, columns: Range<u8>) -> SwitchGraph {
        let mut graph = SwitchGraph {
            device,
            columns: columns.clone(),
            nodes: Vec::new(),
            tiles: Vec::new(),
            successors: Vec::new(),
            starts: Vec::new(),
        };
        let tiles =
            columns.flat_map(|col| (0..device.rows()).map(move |row| TileLoc::new(col, row)));
        let switches = tiles
            .clone()
            .filter_map(|tile| Some(device.tile(tile)?.switch));
        let ports = switches
            .map(|s| usize::from(s.len(PortSide::Slave)) + usize::from(s.len(PortSide::Master)));
        graph.nodes.reserve_exact(ports.sum());
        graph.starts.reserve_exact(graph.nodes.capacity() + 1);
        tiles.for_each(|tile| graph.add_tile(tile));
        graph.connect();
        graph
    }

    fn add_tile(&mut self, tile: TileLoc) {
        let mut entry = TileEntry {
            first: self.nodes.len() as Node,
            slaves: [NO_PORTS; BUNDLES],
            masters: [NO_PORTS; BUNDLES],
        };
        for side in [PortSide::Slave, PortSide::Master] {
            let offsets = match side {
                PortSide::Slave => &mut entry.slaves,
                PortSide::Master => &mut entry.masters,
            };
            for port in self.device.ports(tile, side) {
                if port.channel == 0 {
                    let offset = self.nodes.len() - entry.first as usize;
                    offsets[usize::from(port.bundle.value())] = offset as u8;
                }
                let far = match side {
                    PortSide::Master => self.device.wire_from(tile, port),
                    PortSide::Slave => None,
                };
                let far = far.filter(|(to, _)| self.columns.contains(&to.col));
                self.nodes.push(PortNode {
                    tile,
                    side,
                    port,
                    wired: far.is_some(),
                    at: far.map_or(tile, |(to, _)| to),
                });
            }
        }
        self.tiles.push(entry);
    }

    fn connect(&mut self) {
        let mut shapes: Vec<ShapeEdges> = Vec::new();
        for at in 0..self.tiles.len() {
            let first = self.tiles[at].first;
            let end = self
                .tiles
                .get(at + 1)
                .map_or(self.nodes.len(), |next| next.first as usize);
            let Some(tile) = self.nodes.get(first as usize).map(|n| n.tile) else {
                continue;
            };
            let shape = self.shape_links(&mut shapes, tile, first as usize..end);
            // Slaves come first and have links; masters have wires.
            let mut links = shapes[shape].links.as_slice();
            for (offset, node) in (0..).zip(first..end as Node) {
                self.starts.push(self.successors.len() as u32);
                let own = links.iter().take_while(|(from, _)| *from == offset);
                let (own, left) = links.split_at(own.count());
                let masters = own.iter().map(|(_, to)| first + Node::from(*to));
                self.successors.extend(masters);
                self.successors.extend(self.wire(node));
                links = left;
            }
        }
        self.starts.push(self.successors.len() as u32);
    }

    fn wire(&self, node: Node) -> Option<Node> {
        let PortNode {
            port, wired, at, ..
        } = *self.info(node);
        let facing = Port::new(port.bundle.opposite().filter(|_| wired)?, port.channel);
        self.existing_node(at, PortSide::Slave, facing)
    }

    fn shape_links(
        &self,
        shapes: &mut Vec<ShapeEdges>,
        tile: TileLoc,
        nodes: Range<usize>,
    ) -> usize {
        let has = |bundle| self.device.master_count(tile, bundle) > 0;
        let shape = TileShape {
            kind: self.device.tile_kind(tile).unwrap_or(TileKind::Core),
            west: has(Bundle::West),
            east: has(Bundle::East),
            north: has(Bundle::North),
        };
        if let Some(known) = shapes.iter().position(|s| s.shape == shape) {
            return known;
        }
        let switch = self.device.tile(tile).map(|tile| tile.switch);
        let allows = |from, to| switch.is_some_and(|switch| switch.allows(from, to));
        let ports = &self.nodes[nodes];
        // The slaves of a tile come before its masters.
        let slaves = ports.partition_point(|port| port.side == PortSide::Slave);
        let mut links = Vec::new();
        for (s, slave) in ports[..slaves].iter().enumerate() {
            for (m, master) in ports.iter().enumerate().skip(slaves) {
                if allows(slave.port, master.port) {
                    links.push((s as u8, m as u8));
                }
            }
        }
        shapes.push(ShapeEdges { shape, links });
        shapes.len() - 1
    }

    /// The columns it covers.
    pub fn columns(&self) -> Range<u8> {
        self.columns.clone()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The port side that a node represents.
    pub fn info(&self, node: Node) -> &PortNode {
        &self.nodes[node as usize]
    }

    /// The node of a port, if it exists in these columns.
    pub fn node(&self, tile: TileLoc, side: PortSide, port: Port) -> Option<Node> {
        let exists = self.columns.contains(&tile.col) && self.device.has_port(tile, side, port);
        exists
            .then(|| self.existing_node(tile, side, port))
            .flatten()
    }

    /// The node of a port that these columns have.
    fn existing_node(&self, tile: TileLoc, side: PortSide, port: Port) -> Option<Node> {
        let col = usize::from(tile.col - self.columns.start);
        let entry = self
            .tiles
            .get(col * usize::from(self.device.rows()) + usize::from(tile.row))?;
        let offsets = match side {
            PortSide::Slave => &entry.slaves,
            PortSide::Master => &entry.masters,
        };
        let offset = offsets[usize::from(port.bundle.value())];
        (offset != NO_PORTS).then(|| entry.first + Node::from(offset) + Node::from(port.channel))
    }

    /// The nodes that a stream can go to from here, in ascending order.
    pub fn next(&self, node: Node) -> &[Node] {
        let [from, to] = [0, 1].map(|n| self.starts[node as usize + n] as usize);
        &self.successors[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_the_legal_connections_and_the_wires() {
        for name in ["npu1", "npu2_2col", "xcve2302", "xcve3858"] {
            let device = DeviceModel::by_name(name).unwrap();
            let graph = SwitchGraph::new(device, 0..device.columns());
            let mut links = 0;
            for node in 0..graph.len() as Node {
                let from = graph.info(node);
                assert_eq!(graph.node(from.tile, from.side, from.port), Some(node));
                for next in graph.next(node) {
                    let to = graph.info(*next);
                    if from.side == PortSide::Slave {
                        assert!(device.legal_connection(from.tile, from.port, to.port));
                        links += 1;
                    } else {
                        assert_eq!(
                            device.wire_from(from.tile, from.port),
                            Some((to.tile, to.port))
                        );
                    }
                }
            }
            let mut legal = 0;
            for tile in device.tiles() {
                for slave in device.ports(tile, PortSide::Slave) {
                    legal += device
                        .ports(tile, PortSide::Master)
                        .filter(|master| device.legal_connection(tile, slave, *master))
                        .count();
                }
            }
            assert_eq!(links, legal, "{name}");
        }
    }

    #[test]
    fn a_region_ends_at_its_columns() {
        let device = DeviceModel::by_name("npu2").unwrap();
        let graph = SwitchGraph::new(device, 2..4);
        let east = |col| {
            let tile = TileLoc::new(col, 3);
            graph.node(tile, PortSide::Master, Port::new(Bundle::East, 1))
        };
        let inner = east(2).unwrap();
        assert_eq!(graph.next(inner).len(), 1);
        let edge = east(3).unwrap();
        assert!(!graph.info(edge).wired && graph.next(edge).is_empty());
        assert_eq!(east(4), None);
    }
}
