//! The dataflow of a device, found in a routed module: what moves from where to where, and by what
//! name the user knows it.
//!
//! Names of object fifos come from what the fifo's buffers, locks and uses in cores were made for
//! ([`aiec_aie::ir::FifoUse`]); designs without fifos go by symbols of shim allocations, buffers
//! and packet ids.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{Bundle, DmaDir, Port, TileLoc};

/// The dataflow of one device.
#[derive(Debug)]
pub struct Dataflow {
    /// Symbol of the device operation.
    pub name: String,
    /// Name of the device.
    pub device: &'static str,
    /// Tiles with something on them, by position.
    pub tiles: BTreeMap<TileLoc, TileContent>,
    /// Host buffers of the runtime sequences.
    pub arguments: Vec<HostArgument>,
    /// Data that moves between them, by name.
    pub links: Vec<Link>,
}

/// Contents of a tile.
#[derive(Debug, Default)]
pub struct TileContent {
    /// `core`, `mem` or `shim`.
    pub kind: &'static str,
    /// Functions that the core calls.
    pub kernels: Vec<String>,
    /// Whether it has a core program.
    pub has_core: bool,
    /// File and line of the core.
    pub source: Option<String>,
    /// Buffers: name, bytes, byte address.
    pub buffers: Vec<(String, u64, Option<i64>)>,
    /// Locks: name and number.
    pub locks: Vec<(String, Option<i32>)>,
    /// BDs of each channel that the tile's DMA program runs.
    pub bds: BTreeMap<(DmaDir, u8), usize>,
}

/// A host buffer.
#[derive(Debug)]
pub struct HostArgument {
    /// Its name in the runtime sequence.
    pub name: String,
    /// Its index among the sequence's arguments.
    pub index: usize,
    /// Its type.
    pub ty: String,
}

/// Mechanism of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// Between a host buffer and a shim DMA.
    Host,
    /// Over a circuit-switched stream.
    Circuit,
    /// Over a packet-switched stream.
    Packet,
    /// By memory that both ends reach.
    SharedMemory,
    /// Over the cascade between neighbours.
    Cascade,
}

impl LinkKind {
    /// Name in data and on pages.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::Host => "host",
            LinkKind::Circuit => "circuit",
            LinkKind::Packet => "packet",
            LinkKind::SharedMemory => "shared memory",
            LinkKind::Cascade => "cascade",
        }
    }
}

/// Where a link begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkEnd {
    /// A host buffer, by its position in [`Dataflow::arguments`].
    Argument(usize),
    /// A port of a tile's own.
    Port(TileLoc, Port, DmaDir),
    /// The memory of a tile, or its cascade, under a name.
    Named(TileLoc, DmaDir),
}

impl LinkEnd {
    /// The tile; none for host buffers.
    pub fn tile(self) -> Option<TileLoc> {
        match self {
            LinkEnd::Argument(_) => None,
            LinkEnd::Port(tile, ..) | LinkEnd::Named(tile, _) => Some(tile),
        }
    }

    /// Name on its tile: `MM2S 0`.
    pub fn port_name(self) -> String {
        match self {
            LinkEnd::Argument(_) => "host buffer".to_string(),
            LinkEnd::Port(_, port, dir) if port.bundle == Bundle::Dma => {
                format!("{dir} {}", port.channel)
            }
            LinkEnd::Port(_, port, _) => format!("{} {}", port.bundle, port.channel),
            LinkEnd::Named(..) => String::new(),
        }
    }
}

/// Something that moves from one or more places to others.
#[derive(Debug)]
pub struct Link {
    /// Name of the object fifo, else the design's name for it.
    pub name: String,
    /// Whether the name is that of an object fifo.
    pub is_fifo: bool,
    /// Its mechanism.
    pub kind: LinkKind,
    /// Packet ids as text; empty for others.
    pub packet_ids: String,
    /// Type of an object.
    pub element: Option<String>,
    /// Objects on the producer's and on the consumer's side.
    pub depth: [Option<u32>; 2],
    /// File and line.
    pub source: Option<String>,
    /// Where it comes from.
    pub from: Vec<LinkEnd>,
    /// Where it goes.
    pub to: Vec<LinkEnd>,
    /// Connections through switches.
    pub hops: usize,
    /// The flows of the routing that it is, by position.
    pub flows: Vec<usize>,
}

impl Dataflow {
    /// The names of all fifos and other links but those of the host, sorted: their positions give
    /// their colours.
    pub fn names(&self) -> Vec<&str> {
        let of = |is_fifo: bool| {
            let links = self
                .links
                .iter()
                .filter(move |link| link.is_fifo == is_fifo && link.kind != LinkKind::Host);
            links
                .map(|link| link.name.as_str())
                .collect::<BTreeSet<&str>>()
        };
        let (fifos, others) = (of(true), of(false));
        let others = others.difference(&fifos);
        fifos.iter().chain(others).copied().collect()
    }
}
