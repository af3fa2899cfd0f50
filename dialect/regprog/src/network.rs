//! Stream connections of a configured array, and the parts of the array that can act on one another.
//!
//! Both are read back from the register writes themselves, so that they hold for any list of
//! writes, whatever made it.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::regmap::{
    BdLayout, CascadeControl, RegisterRef, SwitchMaster, SwitchSlave, SwitchSlot,
};
use aiec_device::switch::{MuxDir, MuxInput, PortSide};
use aiec_device::{Bundle, ChannelId, DeviceModel, DmaDir, Port, TileKind, TileLoc};
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::known_values::{descriptors_of, registers_beside_descriptors, registers_of, words_of};
use crate::op::RegOp;

/// The other tiles whose memories and locks each core uses.
pub type CoreUses = BTreeMap<TileLoc, BTreeSet<TileLoc>>;

/// A part of the array that starts others or is started by them.
///
/// A core or mem tile is one part, because its channels and its core share memory and locks. The
/// channels of a shim tile share nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// A core or mem tile.
    Tile(TileLoc),
    /// A channel of a shim tile.
    Shim(ChannelId),
    /// The rest of a shim tile.
    ShimRest(TileLoc),
}

/// The streams of a configured array.
pub struct Network {
    model: &'static DeviceModel,
    /// Enabled outputs by tile.
    masters: FxHashMap<TileLoc, Vec<(Port, SwitchMaster)>>,
    slaves: FxHashMap<(TileLoc, Port), SwitchSlave>,
    slots: FxHashMap<(TileLoc, Port), Vec<SwitchSlot>>,
    cascades: FxHashMap<TileLoc, CascadeControl>,
    /// Neighbouring mem tiles that the descriptors of a mem tile name.
    mem_neighbours: BTreeMap<TileLoc, BTreeSet<TileLoc>>,
    groups: Groups,
}

/// Tiles and ends that a stream reaches.
#[derive(Default)]
pub struct StreamReach {
    /// Tiles that must be set up before a word arrives: those that route it as a packet by their
    /// rules, and those that it configures. A circuit needs none, because an input that isn't
    /// connected yet holds its words until its outputs are connected.
    pub tiles: BTreeSet<TileLoc>,
    /// Ends of the stream.
    pub ends: Vec<Endpoint>,
}

/// Path of a channel's words through the switches.
#[derive(Default)]
pub struct StreamPath {
    /// Tiles whose switches they pass.
    pub tiles: BTreeSet<TileLoc>,
    /// Ports at which they leave the switches.
    pub ends: Vec<PathEnd>,
}

/// Port at which a channel's words leave the switches.
pub struct PathEnd {
    /// The tile of the last switch.
    pub tile: TileLoc,
    /// Its output.
    pub port: Port,
    /// Whether the header of a packet comes along.
    pub header: bool,
}

impl Network {
    /// The network that a configuration sets up. Of `sequence` only the descriptors count, for the
    /// neighbouring tiles that they name.
    pub fn of<L>(
        model: &'static DeviceModel,
        ops: &[RegOp<L>],
        sequence: &[RegOp<L>],
        uses: &CoreUses,
    ) -> Network {
        let mut network = Network {
            model,
            masters: FxHashMap::default(),
            slaves: FxHashMap::default(),
            slots: FxHashMap::default(),
            cascades: FxHashMap::default(),
            mem_neighbours: BTreeMap::new(),
            groups: Groups::new(),
        };
        // Descriptors are most of the writes and connect no streams: `find_mem_neighbours` reads them.
        let ops_beside = ops.iter();
        for (_, tile, what, word) in
            ops_beside.flat_map(|op| registers_beside_descriptors(model, op))
        {
            match what {
                RegisterRef::MasterConfig { port } => {
                    let master = SwitchMaster::unpack(word);
                    if master != SwitchMaster::Off {
                        network
                            .masters
                            .entry(tile)
                            .or_default()
                            .push((port, master));
                    }
                }
                RegisterRef::SlaveConfig { port } => {
                    network
                        .slaves
                        .insert((tile, port), SwitchSlave::unpack(word));
                }
                RegisterRef::SlaveSlot { port, .. } => {
                    let slots = network.slots.entry((tile, port)).or_default();
                    slots.push(SwitchSlot::unpack(word));
                }
                RegisterRef::CascadeControl => {
                    let control = CascadeControl::unpack(word);
                    network.cascades.insert(tile, control);
                }
                _ => {}
            }
        }
        network.find_mem_neighbours(ops, sequence);
        network.group(uses);
        network
    }

    /// Finds the neighbours whose memory or locks mem tiles use. Only descriptors of mem tiles name
    /// other tiles, and each rewrite of a descriptor may name another.
    fn find_mem_neighbours<L>(&mut self, config: &[RegOp<L>], sequence: &[RegOp<L>]) {
        let model = self.model;
        let Some(layout) = BdLayout::of(model.arch(), TileKind::Mem) else {
            return;
        };
        let mut bds: FxHashMap<(TileLoc, u8), Vec<u32>> = FxHashMap::default();
        // Writes the words of an operation into the descriptors; returns which these are.
        let write = |op: &RegOp<L>, bds: &mut FxHashMap<(TileLoc, u8), Vec<u32>>| {
            let in_mem_tile = match descriptors_of(model, op) {
                Some(tile) => model.tile_kind(tile) == Some(TileKind::Mem),
                None => words_of(op).len() > 1,
            };
            let mut written = BTreeSet::new();
            let registers = in_mem_tile.then(|| registers_of(model, op));
            for (_, tile, what, word) in registers.into_iter().flatten() {
                let RegisterRef::BdWord { bd, word: at } = what else {
                    continue;
                };
                if model.tile_kind(tile) != Some(TileKind::Mem) {
                    continue;
                }
                let words = bds.entry((tile, bd)).or_default();
                words.resize(usize::from(layout.words().max(at + 1)), 0);
                words[usize::from(at)] = word;
                written.insert((tile, bd));
            }
            written
        };
        // A descriptor that the configuration writes in parts counts once, when it is complete.
        for op in config {
            write(op, &mut bds);
        }
        let mut named: Vec<((TileLoc, u8), Vec<u32>)> = bds
            .iter()
            .map(|(key, words)| (*key, words.clone()))
            .collect();
        for op in sequence {
            let written = write(op, &mut bds);
            named.extend(written.into_iter().map(|key| (key, bds[&key].clone())));
        }
        for ((tile, _), words) in &named {
            let fields = layout.unpack(words);
            let locks = [fields.acquire(), fields.release()];
            let locks = locks.into_iter().flatten();
            let owners = locks.filter_map(|(id, _)| self.model.resolve_mem_tile_lock(*tile, id));
            let owners = owners.map(|lock| lock.tile);
            let address = u32::try_from(fields.base_address).unwrap_or(u32::MAX);
            let memory = self.model.resolve_mem_tile_address(*tile, address);
            let others = owners
                .chain(memory.map(|(owner, _)| owner))
                .filter(|owner| owner != tile);
            let others: Vec<TileLoc> = others.collect();
            if !others.is_empty() {
                self.mem_neighbours.entry(*tile).or_default().extend(others);
            }
        }
    }

    /// The switch input that an MM2S channel's data enters.
    fn source_port(&self, tile: TileLoc, channel: u8) -> Option<Port> {
        match self.model.tile_kind(tile)? {
            TileKind::ShimNoc | TileKind::ShimPl => {
                let south = self.model.arch().shim_dma_south(DmaDir::Mm2s, channel)?;
                Some(Port::new(Bundle::South, south))
            }
            _ => Some(Port::new(Bundle::Dma, channel)),
        }
    }

    /// The path of an MM2S channel's data through the switches, as a circuit or as packets with the
    /// id `packet`. `None` if it isn't unique: a circuit that enters a packet-switched input, or a
    /// packet that two rules match.
    pub fn path(&self, tile: TileLoc, channel: u8, packet: Option<u8>) -> Option<StreamPath> {
        let mut path = StreamPath::default();
        let mut seen = FxHashSet::default();
        let mut list = vec![(tile, self.source_port(tile, channel)?, packet)];
        while let Some((tile, port, header)) = list.pop() {
            if !seen.insert((tile, port)) {
                return None;
            }
            path.tiles.insert(tile);
            let masters = match (self.slaves.get(&(tile, port))?, header) {
                (SwitchSlave::Circuit, _) => self.outputs(tile, port),
                (SwitchSlave::Packet, Some(id)) => self.outputs_of_packet(tile, port, id)?,
                _ => return None,
            };
            for master in masters {
                let header = header.filter(|_| !self.drops_header(tile, master));
                match self.model.wire_from(tile, master) {
                    Some((tile, port)) => list.push((tile, port, header)),
                    None => path.ends.push(PathEnd {
                        tile,
                        port: master,
                        header: header.is_some(),
                    }),
                }
            }
        }
        Some(path)
    }

    /// The outputs that a packet takes; `None` unless exactly one rule matches.
    fn outputs_of_packet(&self, tile: TileLoc, port: Port, id: u8) -> Option<Vec<Port>> {
        let slots = self.slots.get(&(tile, port))?.iter();
        let mut slots = slots.filter(|slot| slot.enable && (slot.id ^ id) & slot.mask == 0);
        let slot = slots.next()?;
        if slots.next().is_some() {
            return None;
        }
        let masters = self.masters.get(&tile)?.iter();
        let fed = masters.filter(|(_, master)| match master {
            SwitchMaster::Packet { arbiter, msels, .. } => {
                slot.arbiter == *arbiter && msels >> slot.msel & 1 == 1
            }
            _ => false,
        });
        Some(fed.map(|(port, _)| *port).collect())
    }

    fn drops_header(&self, tile: TileLoc, port: Port) -> bool {
        let masters = self.masters.get(&tile).into_iter().flatten();
        let mut masters = masters.filter(|(known, _)| *known == port);
        masters.any(|(_, master)| {
            matches!(
                master,
                SwitchMaster::Packet {
                    drop_header: true,
                    ..
                }
            )
        })
    }

    /// The reach of an MM2S channel's data.
    pub fn reach_of_channel(&self, tile: TileLoc, channel: u8) -> StreamReach {
        match self.source_port(tile, channel) {
            Some(port) => self.reach(tile, port),
            None => StreamReach::default(),
        }
    }

    /// The reach of a tile's tokens.
    pub fn reach_of_tokens(&self, tile: TileLoc) -> StreamReach {
        self.reach(tile, Port::new(Bundle::TileControl, 0))
    }

    /// The reach of a core's streams.
    pub fn reach_of_core(&self, tile: TileLoc) -> StreamReach {
        let mut all = StreamReach::default();
        let ports = self.model.ports(tile, PortSide::Slave);
        for port in ports.filter(|port| port.bundle == Bundle::Core) {
            let StreamReach { tiles, ends } = self.reach(tile, port);
            all.tiles.extend(tiles);
            all.ends.extend(ends);
        }
        all
    }

    /// The tile that a core's cascade leads to.
    pub fn cascade_of(&self, tile: TileLoc) -> Option<TileLoc> {
        let control = self.cascades.get(&tile)?;
        let next = if control.to_east {
            TileLoc::new(tile.col + 1, tile.row)
        } else {
            TileLoc::new(tile.col, tile.row.checked_sub(1)?)
        };
        self.cascades.contains_key(&next).then_some(next)
    }

    /// Neighbours whose memory or locks a mem tile's channels use.
    pub fn mem_neighbours(&self, tile: TileLoc) -> impl Iterator<Item = TileLoc> + '_ {
        self.mem_neighbours
            .get(&tile)
            .into_iter()
            .flatten()
            .copied()
    }

    /// Follows a stream from the input of a switch.
    fn reach(&self, tile: TileLoc, port: Port) -> StreamReach {
        let mut reach = StreamReach::default();
        let mut seen = FxHashSet::default();
        let mut list = vec![(tile, port)];
        while let Some((tile, port)) = list.pop() {
            if !seen.insert((tile, port)) {
                continue;
            }
            let packets = self.slaves.get(&(tile, port)) == Some(&SwitchSlave::Packet);
            for master in self.outputs(tile, port) {
                if packets || master.bundle == Bundle::TileControl {
                    reach.tiles.insert(tile);
                }
                match self.model.wire_from(tile, master) {
                    Some(next) => list.push(next),
                    None => reach.ends.push(self.end(tile, master)),
                }
            }
        }
        reach
    }

    /// The outputs that an input feeds.
    fn outputs(&self, tile: TileLoc, port: Port) -> Vec<Port> {
        let masters = self.masters.get(&tile).map_or(&[][..], Vec::as_slice);
        let index = self.model.port_index(tile, PortSide::Slave, port);
        let packets = self.slaves.get(&(tile, port)) == Some(&SwitchSlave::Packet);
        let slots = self.slots.get(&(tile, port)).filter(|_| packets);
        let feeds = |master: &SwitchMaster| match master {
            SwitchMaster::Off => false,
            SwitchMaster::Circuit { slave } => Some(*slave) == index && !packets,
            SwitchMaster::Packet { arbiter, msels, .. } => slots.is_some_and(|slots| {
                slots.iter().any(|slot| {
                    slot.enable && slot.arbiter == *arbiter && msels >> slot.msel & 1 == 1
                })
            }),
        };
        let fed = masters.iter().filter(|(_, master)| feeds(master));
        fed.map(|(port, _)| *port).collect()
    }

    fn end(&self, tile: TileLoc, master: Port) -> Endpoint {
        if tile.row != 0 {
            return Endpoint::Tile(tile);
        }
        let outer = (master.bundle == Bundle::South).then(|| {
            let arch = self.model.arch();
            arch.mux_outer(MuxDir::Out, master.channel, MuxInput::Dma)
        });
        match outer.flatten() {
            Some(dma) => Endpoint::Shim(ChannelId::new(tile, DmaDir::S2mm, dma.channel)),
            None => Endpoint::ShimRest(tile),
        }
    }

    /// Joins the parts that can act on one another.
    fn group(&mut self, uses: &CoreUses) {
        let mut groups = Groups::new();
        // In the order of tiles, because the order of joins numbers the components.
        let mut tiles: BTreeSet<TileLoc> = self.masters.keys().copied().collect();
        tiles.extend(self.slaves.keys().map(|(tile, _)| *tile));
        for tile in tiles {
            let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
            for channel in 0..dma.map_or(0, |dma| dma.channels.get(DmaDir::Mm2s)) {
                let from = self.part(ChannelId::new(tile, DmaDir::Mm2s, channel));
                for end in self.reach_of_channel(tile, channel).ends {
                    groups.join(from, end);
                }
            }
            if tile.row != 0 {
                for end in self.reach_of_core(tile).ends {
                    groups.join(Endpoint::Tile(tile), end);
                }
            }
            for end in self.reach_of_tokens(tile).ends {
                // Tokens end at a controller; responses to control packets may end in a DMA.
                if tile.row != 0 && !matches!(end, Endpoint::ShimRest(_)) {
                    groups.join(Endpoint::Tile(tile), end);
                }
            }
        }
        for (core, used) in uses {
            for tile in used {
                groups.join(Endpoint::Tile(*core), Endpoint::Tile(*tile));
            }
        }
        for (tile, used) in &self.mem_neighbours {
            for other in used {
                groups.join(Endpoint::Tile(*tile), Endpoint::Tile(*other));
            }
        }
        for tile in self.cascades.keys().copied().collect::<BTreeSet<_>>() {
            if let Some(next) = self.cascade_of(tile) {
                groups.join(Endpoint::Tile(tile), Endpoint::Tile(next));
            }
        }
        self.groups = groups;
    }

    /// The part that a channel belongs to.
    pub fn part(&self, channel: ChannelId) -> Endpoint {
        match channel.tile.row {
            0 => Endpoint::Shim(channel),
            _ => Endpoint::Tile(channel.tile),
        }
    }

    /// The component of a part: parts of two components never act on one another within the
    /// array.
    pub fn component(&mut self, part: Endpoint) -> usize {
        self.groups.find(part)
    }

    /// Whether control packets can reach a tile.
    pub fn takes_control_packets(&self, tile: TileLoc) -> bool {
        let masters = self.masters.get(&tile).map_or(&[][..], Vec::as_slice);
        let mut ports = masters.iter().map(|(port, _)| port);
        ports.any(|port| port.bundle == Bundle::TileControl)
    }
}

/// Disjoint sets of parts, each represented by the first of its parts that was seen.
struct Groups {
    index: FxHashMap<Endpoint, usize>,
    sets: UnionFind<usize>,
    /// The first part of the set that a part represents.
    first: Vec<usize>,
}

impl Groups {
    fn new() -> Groups {
        Groups {
            index: FxHashMap::default(),
            sets: UnionFind::new_empty(),
            first: Vec::new(),
        }
    }

    fn find(&mut self, part: Endpoint) -> usize {
        let at = *self.index.entry(part).or_insert_with(|| {
            self.first.push(self.first.len());
            self.sets.new_set()
        });
        self.first[self.sets.find_mut(at)]
    }

    fn join(&mut self, a: Endpoint, b: Endpoint) {
        let (a, b) = (self.find(a), self.find(b));
        self.sets.union(a, b);
        self.first[self.sets.find_mut(a)] = a.min(b);
    }
}
