//! Demands of the netlist on the places of tiles: connections, DMA channels, neighbourhoods.

use aiec_aie::ir::{Attr, Module, Op, Type, Value};
use aiec_aie::ops::enums::LogicalTileType;
use aiec_aie::ops::netlist::tile_of;
use aiec_aie::ops::{
    Buffer, CascadeFlow, Core, Device, Flow, LogicalTile, ObjectFifo, ObjectFifoLink, OpKind,
    OpView, PacketDest, PacketFlow, PacketSource,
};
use aiec_device::{Bundle, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

/// All that pulls tiles together.
#[derive(Debug, Default)]
pub(super) struct TileDemand {
    /// Relations that keep a tile next to others: cascades, then memories, by tile.
    bonds: FxHashMap<Value, Vec<(NeighbourRole, Value)>>,
    /// Tiles that a tile exchanges data with, other than cores by object fifo: one group for each
    /// connection, with several tiles for what it sends to several.
    connected: FxHashMap<Value, Vec<Vec<Value>>>,
    /// Fifo peers that are cores: those it takes from and those it sends to.
    peers: FxHashMap<Value, [Vec<Value>; 2]>,
    /// Fifo and flow ends at a tile that surely need a DMA channel: S2MM, MM2S.
    channels: FxHashMap<Value, [u32; 2]>,
    cores: FxHashSet<Value>,
    /// The ends of each fifo and flow.
    pub nets: Vec<Vec<Value>>,
    /// Bytes of the buffers of a tile, and of the objects that surely lie there.
    bytes: FxHashMap<Value, u64>,
}

/// Relation of a tile to another that must be its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NeighbourRole {
    /// It receives the other's cascade.
    CascadeFrom,
    /// It sends a cascade to the other.
    CascadeTo,
    /// Its core uses the other's memory.
    Uses,
    /// The other's core uses its memory.
    UsedBy,
}

/// Bytes of all objects of a fifo at one of its ends.
pub(super) fn fifo_bytes(module: &Module, fifo: ObjectFifo) -> u64 {
    let ty = fifo.elemType(module);
    let object = match &ty {
        Some(Type::ObjectFifo(inner)) => inner.as_memref().and_then(|m| m.num_bytes()),
        _ => None,
    };
    let depth = match fifo.elemNumber(module) {
        Some(Attr::Int(n, _)) => n,
        Some(Attr::Array(list)) => list.iter().filter_map(Attr::as_int).max().unwrap_or(0),
        Some(Attr::DenseArray(list)) => list.values.iter().copied().max().unwrap_or(0),
        _ => 0,
    };
    let depth = u64::try_from(depth).unwrap_or(0);
    object.unwrap_or(0).saturating_mul(depth)
}

/// DMA channels of a core tile for each direction.
const CORE_CHANNELS: usize = 2;

impl TileDemand {
    /// Reads a device.
    pub fn read(module: &Module, device: Op) -> TileDemand {
        let mut demand = TileDemand::default();
        for tile in module.children::<LogicalTile>(device) {
            let kind = LogicalTileType::of(tile.tile_type(module).into());
            if kind == Some(LogicalTileType::CoreTile) {
                demand.cores.extend(module.result(tile.op(), 0));
            }
        }
        for flow in module.children::<CascadeFlow>(device) {
            let ends = flow.source_tile(module).zip(flow.dest_tile(module));
            if let Some((from, to)) = ends {
                let roles = [NeighbourRole::CascadeTo, NeighbourRole::CascadeFrom];
                demand.bond([from, to], roles);
            }
        }
        for core in module.children::<Core>(device) {
            demand.cores.extend(core.tile(module));
            demand.read_memories(module, core);
        }
        demand.read_placed_cores(module, device);
        for fifo in module.children::<ObjectFifo>(device) {
            demand.read_fifo(module, fifo);
            let ends: Vec<Value> = module.operands(fifo.op()).collect();
            if let Some(producer) = ends.first() {
                *demand.bytes.entry(*producer).or_default() += fifo_bytes(module, fifo);
            }
            demand.nets.push(ends);
        }
        for buffer in module.find_all::<Buffer>(device) {
            if let Some(tile) = buffer.tile(module) {
                *demand.bytes.entry(tile).or_default() += buffer.bytes(module).unwrap_or(0);
            }
        }
        demand.read_links(module, device);
        demand.read_flows(module, device);
        demand
    }

    /// Notes what two tiles are to each other.
    fn bond(&mut self, [a, b]: [Value; 2], [of_a, of_b]: [NeighbourRole; 2]) {
        self.bonds.entry(a).or_default().push((of_a, b));
        self.bonds.entry(b).or_default().push((of_b, a));
    }

    /// Ties of a tile to others.
    pub fn bonds(&self, handle: Value) -> &[(NeighbourRole, Value)] {
        self.bonds.get(&handle).map_or(&[], Vec::as_slice)
    }

    /// Placed tiles in the core rows count as cores even without a body.
    fn read_placed_cores(&mut self, module: &Module, device: Op) {
        let Some(model) = Device(device).model(module) else {
            return;
        };
        for fifo in module.children::<ObjectFifo>(device) {
            for handle in module.operands(fifo.op()) {
                let loc = tile_of(module, handle).and_then(|t| t.loc(module));
                if loc.is_some_and(|l| model.core_rows().contains(&l.row)) {
                    self.cores.insert(handle);
                }
            }
        }
    }

    fn read_memories(&mut self, module: &Module, core: Core) {
        let Some(tile) = core.tile(module) else {
            return;
        };
        let mut seen = FxHashSet::default();
        for op in module.walk(core.op()) {
            for operand in module.operands(op) {
                let Some(owner) = module.def_op(operand) else {
                    continue;
                };
                let memory = match module.kind(owner) {
                    OpKind::Buffer => Buffer(owner).tile(module),
                    OpKind::Lock => module.operand(owner, 0),
                    _ => None,
                };
                if let Some(memory) = memory.filter(|m| *m != tile && seen.insert(*m)) {
                    self.bond([tile, memory], [NeighbourRole::Uses, NeighbourRole::UsedBy]);
                }
            }
        }
    }

    fn read_fifo(&mut self, module: &Module, fifo: ObjectFifo) {
        let mut tiles = module.operands(fifo.op());
        let Some(producer) = tiles.next() else {
            return;
        };
        let consumers: Vec<Value> = tiles.collect();
        let between_cores =
            |consumer: &Value| self.cores.contains(&producer) && self.cores.contains(consumer);
        // A fifo between two cores needs no channels if they become neighbours.
        if let [consumer] = consumers.as_slice()
            && between_cores(consumer)
            && !fifo.via_DMA(module).unwrap_or(false)
        {
            self.peers.entry(producer).or_default()[1].push(*consumer);
            self.peers.entry(*consumer).or_default()[0].push(producer);
            return;
        }
        self.channels.entry(producer).or_default()[1] += 1;
        for consumer in &consumers {
            self.channels.entry(*consumer).or_default()[0] += 1;
        }
        self.connect(producer, consumers);
    }

    fn connect(&mut self, from: Value, to: Vec<Value>) {
        for end in &to {
            self.connected.entry(*end).or_default().push(vec![from]);
        }
        self.connected.entry(from).or_default().push(to);
    }

    /// The far ends of a link pull too: a shim tile follows its mem tile's cores.
    fn read_links(&mut self, module: &Module, device: Op) {
        let fifos = module.children::<ObjectFifo>(device).into_iter();
        let fifos: FxHashMap<_, _> = fifos.map(|f| (f.sym_name(module), f)).collect();
        let find = |list: Vec<Attr>| -> Vec<ObjectFifo> {
            let name = |attr: &Attr| match attr {
                Attr::Symbol(s) => fifos.get(s.leaf()).copied(),
                _ => None,
            };
            list.iter().filter_map(name).collect()
        };
        for link in module.children::<ObjectFifoLink>(device) {
            for input in find(link.fifoIns(module)) {
                for output in find(link.fifoOuts(module)) {
                    let ends: Vec<Value> = module.operands(output.op()).skip(1).collect();
                    if let Some(producer) = module.operand(input.op(), 0) {
                        self.connect(producer, ends);
                    }
                }
            }
        }
    }

    fn read_flows(&mut self, module: &Module, device: Op) {
        // Tiles and channels in use, S2MM and MM2S.
        let mut used: [FxHashSet<(Value, i32)>; 2] = Default::default();
        let mut add = |dir: usize, tile: Value, bundle: Option<Bundle>, channel: i32| {
            if bundle == Some(Bundle::Dma) {
                used[dir].insert((tile, channel));
            }
        };
        for flow in module.children::<Flow>(device) {
            let Some((from, to)) = flow.source(module).zip(flow.dest(module)) else {
                continue;
            };
            self.connect(from, vec![to]);
            self.nets.push(vec![from, to]);
            add(
                1,
                from,
                flow.source_bundle(module),
                flow.source_channel(module),
            );
            add(0, to, flow.dest_bundle(module), flow.dest_channel(module));
        }
        for flow in module.children::<PacketFlow>(device) {
            let from = module.children::<PacketSource>(flow.op());
            let to = module.children::<PacketDest>(flow.op());
            for source in &from {
                let Some(tile) = source.tile(module) else {
                    continue;
                };
                add(1, tile, source.bundle(module), source.channel(module));
                let dests: Vec<Value> = to.iter().filter_map(|d| d.tile(module)).collect();
                self.nets.extend(dests.iter().map(|dest| vec![tile, *dest]));
                self.connect(tile, dests);
            }
            for dest in &to {
                if let Some(tile) = dest.tile(module) {
                    add(0, tile, dest.bundle(module), dest.channel(module));
                }
            }
        }
        for (dir, used) in used.iter().enumerate() {
            for (tile, _) in used {
                self.channels.entry(*tile).or_default()[dir] += 1;
            }
        }
    }

    /// Bytes that surely lie in a tile's memory.
    pub fn bytes(&self, handle: Value) -> u64 {
        self.bytes.get(&handle).copied().unwrap_or(0)
    }

    /// Cores that a core takes objects from, and those it sends to.
    pub fn peer_lists(&self, handle: Value) -> [&[Value]; 2] {
        match self.peers.get(&handle) {
            Some([from, to]) => [from, to],
            None => [&[], &[]],
        }
    }

    /// DMA channels that a tile surely needs: S2MM, MM2S.
    pub fn channels(&self, handle: Value) -> [u32; 2] {
        self.channels.get(&handle).copied().unwrap_or_default()
    }

    /// Cores that exchange objects with a core by a fifo of their own.
    pub fn core_peers(&self, handle: Value) -> impl Iterator<Item = Value> + '_ {
        self.peer_lists(handle).into_iter().flatten().copied()
    }

    /// Number of a core's fifo peers that must be its neighbours because it has too few channels,
    /// and number of its ends in the directions that lack some.
    pub fn neighbours_needed(&self, handle: Value) -> (usize, usize) {
        let taken = self.channels(handle);
        let peers = self.peer_lists(handle);
        let mut needed = (0, 0);
        for dir in [0, 1] {
            let ends = peers[dir].len() + taken[dir] as usize;
            let lacking = ends.saturating_sub(CORE_CHANNELS);
            if lacking > 0 {
                needed.0 += lacking;
                needed.1 += ends;
            }
        }
        needed
    }

    /// Where the other ends of each connection of a tile are: a range of columns for each, those
    /// of cores if any of them is placed.
    pub fn columns(&self, handle: Value, places: &FxHashMap<Value, TileLoc>) -> Columns {
        let groups = self.connected.get(&handle).map_or(&[][..], Vec::as_slice);
        let read = |only_cores: bool| {
            let mut columns = Columns::default();
            for group in groups {
                let counted = group
                    .iter()
                    .filter(|v| !only_cores || self.cores.contains(v));
                columns.add(counted.filter_map(|v| places.get(v)).map(|loc| loc.col));
            }
            columns
        };
        let of_cores = read(true);
        if of_cores.spans.is_empty() {
            read(false)
        } else {
            of_cores
        }
    }
}

/// The columns that a tile is connected to.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    spans: Vec<(u8, u8)>,
    sum: u32,
    count: u32,
}

impl Columns {
    fn add(&mut self, columns: impl Iterator<Item = u8>) {
        let mut span: Option<(u8, u8)> = None;
        for col in columns {
            let (low, high) = span.unwrap_or((col, col));
            span = Some((low.min(col), high.max(col)));
            self.sum += u32::from(col);
            self.count += 1;
        }
        self.spans.extend(span);
    }

    /// The nearest integer to the mean, halves rounded down; 0 for nothing.
    pub fn mean(&self) -> u8 {
        if self.count == 0 {
            return 0;
        }
        let nearest = (2 * self.sum + self.count - 1) / (2 * self.count);
        u8::try_from(nearest).unwrap_or(u8::MAX)
    }

    /// Columns of wire to a place in a column: a stream to several tiles passes all columns
    /// between them anyway.
    pub fn distance(&self, col: u8) -> u32 {
        let outside = |(low, high): &(u8, u8)| {
            u32::from(low.saturating_sub(col)) + u32::from(col.saturating_sub(*high))
        };
        self.spans.iter().map(outside).sum()
    }
}
