//! Pools, endpoints and routes of a device, as the lowering sees them.

use aiec_aie::ir::{BdDim, BdPad, Op, PacketInfo};
use aiec_aie::ops::DmaStart;
use aiec_device::Bundle;

use super::super::fifo::{Object, TileRef};

/// A part of a pool's objects.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub name: String,
    /// First element.
    pub offset: u64,
    /// Elements.
    pub size: u64,
    /// The written locks: of free places, of filled ones.
    pub locks: Option<(Op, Op)>,
}

/// A pool.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub op: Op,
    /// The name of its buffers and locks.
    pub base: String,
    pub tile: TileRef,
    pub object: Object,
    pub depth: usize,
    pub segments: Vec<Segment>,
    /// Times that each object is sent.
    pub repeat: i64,
    /// All objects lie in one buffer, which BDs go around.
    pub ring: bool,
    /// The written buffers.
    pub buffers: Option<Vec<Op>>,
    /// The written locks, one for each object (AIE1).
    pub locks: Option<Vec<Op>>,
}

/// Facts about an endpoint that its DMA needs.
#[derive(Clone, Debug)]
pub(super) struct Dma {
    pub pin: Option<i64>,
    pub iterations: Option<i64>,
    /// For each of the endpoint's segments.
    pub dims: Vec<Vec<BdDim>>,
    /// Paddings of the segments of a draining endpoint.
    pub pads: Vec<Vec<BdPad>>,
    pub pad_value: Option<i32>,
    /// The header that it writes before each BD.
    pub packet: Option<PacketInfo>,
}

impl Dma {
    /// Whether each pad has its dimension.
    pub fn pads_fit(&self) -> bool {
        self.pads.iter().enumerate().all(|(n, pads)| {
            pads.is_empty() || self.dims.get(n).is_some_and(|d| d.len() == pads.len())
        })
    }
}

/// An endpoint of a pool.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub op: Op,
    pub name: String,
    pub tile: TileRef,
    pub pool: usize,
    pub fills: bool,
    /// Segments of the pool, at least one.
    pub segments: Vec<usize>,
    /// Its DMA; `None` where a core fills or drains.
    pub dma: Option<Dma>,
}

/// An end of a stream that something else programs.
#[derive(Clone, Debug)]
pub(super) struct ForeignEnd {
    pub op: Op,
    pub name: String,
    /// The fifo that it was an end of.
    pub fifo: Option<String>,
    pub tile: TileRef,
    pub bundle: Bundle,
    pub pin: Option<i64>,
    /// The end whose channel it uses.
    pub leader: Option<String>,
}

/// Ends of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RouteEnd {
    Pool(usize),
    Foreign(usize),
}

/// A stream.
#[derive(Clone, Debug)]
pub(super) struct RouteStream {
    pub op: Op,
    pub from: Vec<RouteEnd>,
    pub to: Vec<RouteEnd>,
    /// Packet-switched, with the written id.
    pub packet: Option<Option<i64>>,
}

impl RouteStream {
    /// Its ends, with whether each is a source: these first.
    pub fn ends(&self) -> impl Iterator<Item = (RouteEnd, bool)> + '_ {
        let sources = self.from.iter().map(|end| (*end, true));
        sources.chain(self.to.iter().map(|end| (*end, false)))
    }
}

/// A task or the start of a chain of a sequence that names an end which isn't of a shim tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndTask {
    pub op: Op,
    /// Number of the end in [`DevicePieces::foreign`].
    pub end: usize,
    /// It sends.
    pub source: bool,
}

/// All of a device.
pub(super) struct DevicePieces {
    pub counting: bool,
    pub pools: Vec<Pool>,
    pub ends: Vec<Endpoint>,
    pub foreign: Vec<ForeignEnd>,
    pub ways: Vec<RouteStream>,
    /// Channels of written DMA programs that are named by an endpoint, with the number of that in
    /// `foreign`.
    pub starts: Vec<(DmaStart, usize)>,
    /// Tasks of sequences that are named by an endpoint.
    pub tasks: Vec<EndTask>,
}

impl DevicePieces {
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty() && self.ends.is_empty() && self.foreign.is_empty()
    }

    /// The operations of all pieces.
    pub fn ops(&self) -> Vec<Op> {
        let ways = self.ways.iter().map(|w| w.op);
        let ends = self.ends.iter().map(|e| e.op);
        let foreign = self.foreign.iter().map(|e| e.op);
        let pools = self.pools.iter().map(|p| p.op);
        ways.chain(ends).chain(foreign).chain(pools).collect()
    }
}
