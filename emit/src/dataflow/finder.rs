//! Finds the dataflow of a device in a routed module: memories, DMA programs, cores, streams, cascades, host buffers.

use std::collections::BTreeSet;

use aiec_aie::ir::{FifoAction, Module, Op, SymbolTable, Value, ValueDef};
use aiec_aie::ops::netlist::{dma_channels, tile_loc};
use aiec_aie::ops::{
    Buffer, ConfigureCascade, Core, Device, DmaConfigureTask, Lock, Mem, MemTileDma, OpKind,
    OpView, RuntimeSequence, ShimDma, ShimDmaAllocation,
};
use aiec_device::{Bundle, ChannelId, DmaDir, Port, TileKind, TileLoc};
use aiec_diag::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Dataflow, HostArgument, Link, LinkEnd, LinkKind, TileContent};
use crate::debug_names::cores::fifo_part;
use crate::debug_names::{source_loc, written_names};
use crate::routing_view::{DeviceView, end_text, ranges};

/// Known facts about an object fifo.
#[derive(Default)]
struct FifoFacts {
    depth: [Option<u32>; 2],
    element: Option<String>,
    source: Option<String>,
    /// Tiles of cores that produce, and of those that consume.
    cores: [BTreeSet<TileLoc>; 2],
}

/// Known facts about a DMA channel.
#[derive(Clone, Default)]
struct ChannelFacts {
    fifo: Option<String>,
    name: Option<String>,
    source: Option<String>,
}

struct Finder<'a> {
    module: &'a Module,
    device: Device,
    sources: &'a SourceMap,
    fifos: FxHashMap<String, FifoFacts>,
    channels: FxHashMap<ChannelId, ChannelFacts>,
    /// Tiles whose cores put into the cascade, and whose cores get from it.
    cascade_users: [BTreeSet<TileLoc>; 2],
    flow: Dataflow,
}

impl Dataflow {
    /// The dataflow of a device whose routing is `view`.
    pub fn find(module: &Module, view: &DeviceView, sources: &SourceMap) -> Dataflow {
        let mut finder = Finder {
            module,
            device: view.op,
            sources,
            fifos: FxHashMap::default(),
            channels: FxHashMap::default(),
            cascade_users: Default::default(),
            flow: Dataflow {
                name: view.name.clone(),
                device: view.model.name(),
                tiles: Default::default(),
                arguments: Vec::new(),
                links: Vec::new(),
            },
        };
        finder.memory();
        finder.dma_programs();
        finder.cores();
        finder.shim_allocations();
        finder.streams(view);
        finder.shared_memory();
        finder.cascades(view);
        finder.host_buffers();
        let mut flow = finder.flow;
        for (loc, content) in &mut flow.tiles {
            content.kind = view.model.tile_kind(*loc).map_or("", |kind| kind.name());
        }
        // Fifos and cascades are found in any order: no two have the same name and start.
        let first = |link: &Link| link.from.first().copied();
        flow.links
            .sort_by(|a, b| (&a.name, a.kind, first(a)).cmp(&(&b.name, b.kind, first(b))));
        flow
    }
}

impl Finder<'_> {
    fn source(&self, op: Op) -> Option<String> {
        let loc = source_loc(self.module.span(op)?, self.sources)?;
        let file = self.sources.file(aiec_diag::FileId(loc.file))?;
        Some(format!("{}:{}", file.name, loc.line))
    }

    fn tile(&mut self, loc: TileLoc) -> &mut TileContent {
        self.flow.tiles.entry(loc).or_default()
    }

    fn memory(&mut self) {
        let m = self.module;
        for buffer in m.find_all::<Buffer>(self.device.op()) {
            let Some(loc) = buffer.tile_loc(m) else {
                continue;
            };
            let name = buffer
                .sym_name(m)
                .map_or("buffer".to_string(), |n| n.to_string());
            let row = (
                name,
                buffer.bytes(m).unwrap_or(0),
                buffer.address(m).map(i64::from),
            );
            self.tile(loc).buffers.push(row);
            let Some(part) = fifo_part(m, buffer.op()) else {
                continue;
            };
            let source = self.source(buffer.op());
            let element = m
                .result(buffer.op(), 0)
                .map(|value| m.ty(value).to_string());
            let facts = self.fifos.entry(part.fifo).or_default();
            facts.depth[usize::from(!part.produces)] = Some(part.depth);
            facts.element = element;
            facts.source = source;
        }
        for lock in m.find_all::<Lock>(self.device.op()) {
            if let Some(loc) = lock.tile_loc(m) {
                let name = lock
                    .sym_name(m)
                    .map_or("lock".to_string(), |n| n.to_string());
                let id = lock.lockID(m);
                self.tile(loc).locks.push((name, id));
            }
        }
    }

    fn dma_programs(&mut self) {
        let m = self.module;
        let mut programs: Vec<Op> = Vec::new();
        programs.extend(m.find_all::<Mem>(self.device.op()).iter().map(|c| c.op()));
        programs.extend(
            m.find_all::<MemTileDma>(self.device.op())
                .iter()
                .map(|c| c.op()),
        );
        programs.extend(
            m.find_all::<ShimDma>(self.device.op())
                .iter()
                .map(|c| c.op()),
        );
        for program in programs {
            let Some(loc) = m.operand(program, 0).and_then(|tile| tile_loc(m, tile)) else {
                continue;
            };
            for channel in dma_channels(m, program) {
                let buffers = channel.bds.iter().filter_map(|slot| slot.bd.buffer(m));
                let buffer = buffers.filter_map(|value| Buffer::of(m, value)).next();
                let part = buffer.and_then(|buffer| fifo_part(m, buffer.op()));
                let facts = ChannelFacts {
                    fifo: part.map(|part| part.fifo),
                    name: buffer.and_then(|b| b.sym_name(m)).map(|n| n.to_string()),
                    source: self.source(channel.op),
                };
                let bds = &mut self.tile(loc).bds;
                *bds.entry((channel.dir, channel.channel)).or_default() += channel.bds.len();
                let id = ChannelId::new(loc, channel.dir, channel.channel);
                self.channels.entry(id).or_insert(facts);
            }
        }
    }

    fn cores(&mut self) {
        let m = self.module;
        for core in m.find_all::<Core>(self.device.op()) {
            let Some(loc) = core.tile_loc(m) else {
                continue;
            };
            let source = self.source(core.op());
            let mut kernels: Vec<String> = Vec::new();
            for op in m.walk(core.op()) {
                if m.kind(op) == OpKind::FuncCall
                    && let Some(callee) = m.symbol_attr(op, "callee")
                    && !kernels.iter().any(|known| known == callee)
                {
                    kernels.push(callee.to_string());
                }
                match m.kind(op) {
                    OpKind::PutCascade => self.cascade_users[0].insert(loc),
                    OpKind::GetCascade => self.cascade_users[1].insert(loc),
                    _ => false,
                };
                let Some(used) = m.locs.fifo_use(m.loc(op)) else {
                    continue;
                };
                if matches!(used.action, FifoAction::Acquire(_) | FifoAction::Release(_)) {
                    let facts = self.fifos.entry(used.fifo.to_string()).or_default();
                    facts.cores[usize::from(!used.produces)].insert(loc);
                }
            }
            let tile = self.tile(loc);
            (tile.has_core, tile.source, tile.kernels) = (true, source, kernels);
        }
    }

    fn shim_allocations(&mut self) {
        let m = self.module;
        for allocation in m.find_all::<ShimDmaAllocation>(self.device.op()) {
            if let Some(id) = channel_of(m, allocation) {
                let facts = ChannelFacts {
                    fifo: None,
                    name: Some(allocation.sym_name(m).to_string()),
                    source: self.source(allocation.op()),
                };
                self.channels.entry(id).or_insert(facts);
            }
        }
    }

    /// The flows of switches; those of one fifo from one port are one link.
    fn streams(&mut self, view: &DeviceView) {
        for (number, flow) in view.flows.iter().enumerate() {
            // Completion tokens on their way to a controller aren't data of the design.
            if flow.source.1.bundle == Bundle::TileControl {
                continue;
            }
            let ends = |(tile, port): (TileLoc, Port), dir| LinkEnd::Port(tile, port, dir);
            let from = ends(flow.source, DmaDir::Mm2s);
            let to: Vec<LinkEnd> = flow.sinks.iter().map(|s| ends(*s, DmaDir::S2mm)).collect();
            // The buffers of a mem tile are those of the fifo that its links join or split: the
            // other end knows better.
            let is_mem = |end: &LinkEnd| {
                let kind = end.tile().and_then(|tile| view.model.tile_kind(tile));
                kind == Some(TileKind::Mem)
            };
            let mut sides: Vec<LinkEnd> = to.iter().chain([&from]).copied().collect();
            sides.sort_by_key(is_mem);
            let facts = sides.into_iter().filter_map(|end| self.channel(end));
            let facts: Vec<ChannelFacts> = facts.collect();
            let of = |pick: fn(&ChannelFacts) -> &Option<String>| {
                facts.iter().find_map(|facts| pick(facts).clone())
            };
            let fifo = of(|facts| &facts.fifo);
            let packet_ids = ranges(&flow.ids);
            let name = fifo
                .clone()
                .or_else(|| self.channel(from).and_then(|f| f.name));
            let name = name.or_else(|| {
                if flow.circuit {
                    of(|facts| &facts.name)
                } else {
                    None
                }
            });
            let name = name.unwrap_or_else(|| {
                if flow.circuit {
                    end_text(flow.source)
                } else {
                    format!("packet {packet_ids}")
                }
            });
            for end in sides_of(&from, &to) {
                if let Some(tile) = end.tile() {
                    self.tile(tile);
                }
            }
            let known = fifo.as_ref().and_then(|fifo| self.fifos.get(fifo));
            let kind = if flow.circuit {
                LinkKind::Circuit
            } else {
                LinkKind::Packet
            };
            let link = Link {
                is_fifo: fifo.is_some(),
                kind,
                packet_ids,
                element: known.and_then(|facts| facts.element.clone()),
                depth: known.map_or([None; 2], |facts| facts.depth),
                source: known.map_or_else(|| of(|f| &f.source), |facts| facts.source.clone()),
                from: vec![from],
                to,
                hops: flow.hops.len(),
                flows: vec![number],
                name,
            };
            let mut links = self.flow.links.iter_mut();
            let same = links.find(|l| l.is_fifo && l.name == link.name && l.from == link.from);
            match same {
                Some(same) if link.is_fifo => {
                    same.to.extend(link.to);
                    same.hops += link.hops;
                    same.flows.push(number);
                }
                _ => self.flow.links.push(link),
            }
        }
    }

    fn channel(&self, end: LinkEnd) -> Option<ChannelFacts> {
        match end {
            LinkEnd::Port(tile, port, dir) if port.bundle == Bundle::Dma => {
                let id = ChannelId::new(tile, dir, port.channel);
                self.channels.get(&id).cloned()
            }
            _ => None,
        }
    }

    /// Fifos without a stream, and buffers that several cores use.
    fn shared_memory(&mut self) {
        let streamed: FxHashSet<String> = self.flow.links.iter().map(|l| l.name.clone()).collect();
        for (name, facts) in &self.fifos {
            let [from, to] = [DmaDir::Mm2s, DmaDir::S2mm].map(|dir| {
                let cores = facts.cores[usize::from(dir == DmaDir::S2mm)].iter();
                cores
                    .map(|tile| LinkEnd::Named(*tile, dir))
                    .collect::<Vec<_>>()
            });
            if streamed.contains(name) || from.is_empty() || to.is_empty() {
                continue;
            }
            self.flow.links.push(Link {
                name: name.clone(),
                is_fifo: true,
                kind: LinkKind::SharedMemory,
                packet_ids: String::new(),
                element: facts.element.clone(),
                depth: facts.depth,
                source: facts.source.clone(),
                from,
                to,
                hops: 0,
                flows: Vec::new(),
            });
        }
        let m = self.module;
        for buffer in m.find_all::<Buffer>(self.device.op()) {
            let Some(value) = m.result(buffer.op(), 0) else {
                continue;
            };
            if fifo_part(m, buffer.op()).is_some() {
                continue;
            }
            // Tiles of cores that write, and of those that read.
            let mut cores: [BTreeSet<TileLoc>; 2] = Default::default();
            for user in m.users(value) {
                let Some(core) = m.ancestor(user, OpKind::Core) else {
                    continue;
                };
                if let Some(tile) = Core::cast(m, core).and_then(|core| core.tile_loc(m)) {
                    if !matches!(m.kind(user), OpKind::MemrefLoad | OpKind::VectorLoad) {
                        cores[0].insert(tile);
                    }
                    if !matches!(m.kind(user), OpKind::MemrefStore | OpKind::VectorStore) {
                        cores[1].insert(tile);
                    }
                }
            }
            if cores[0].union(&cores[1]).count() < 2 {
                continue;
            }
            let ends = |at: usize, dir| {
                let ends = cores[at].iter().map(|tile| LinkEnd::Named(*tile, dir));
                ends.collect::<Vec<_>>()
            };
            let (from, to) = (ends(0, DmaDir::Mm2s), ends(1, DmaDir::S2mm));
            let source = self.source(buffer.op());
            self.flow.links.push(Link {
                name: buffer
                    .sym_name(m)
                    .map_or("buffer".to_string(), |n| n.to_string()),
                is_fifo: false,
                kind: LinkKind::SharedMemory,
                packet_ids: String::new(),
                element: Some(m.ty(value).to_string()),
                depth: [None; 2],
                source,
                from,
                to,
                hops: 0,
                flows: Vec::new(),
            });
        }
    }

    fn cascades(&mut self, view: &DeviceView) {
        let m = self.module;
        let list = m.find_all::<ConfigureCascade>(self.device.op());
        let side = |side: i32| Bundle::by_value(side.into());
        let configured: FxHashMap<TileLoc, (Option<Bundle>, Option<Bundle>, Op)> = list
            .iter()
            .filter_map(|c| {
                let loc = tile_loc(m, c.tile(m)?)?;
                Some((loc, (side(c.inputDir(m)), side(c.outputDir(m)), c.op())))
            })
            .collect();
        let mut found = Vec::new();
        for (loc, (_, output, op)) in &configured {
            let next = match output {
                Some(Bundle::South) => loc.row.checked_sub(1).map(|row| TileLoc::new(loc.col, row)),
                Some(Bundle::East) => Some(TileLoc::new(loc.col + 1, loc.row)),
                _ => None,
            };
            let opposite = match output {
                Some(Bundle::South) => Bundle::North,
                _ => Bundle::West,
            };
            let Some(next) = next.filter(|next| view.model.tile_kind(*next).is_some()) else {
                continue;
            };
            let takes = configured
                .get(&next)
                .is_some_and(|(input, ..)| *input == Some(opposite));
            let [puts, gets] = &self.cascade_users;
            if takes && puts.contains(loc) && gets.contains(&next) {
                found.push((*loc, next, self.source(*op)));
            }
        }
        for (from, to, source) in found {
            self.flow.links.push(Link {
                name: "cascade".to_string(),
                is_fifo: false,
                kind: LinkKind::Cascade,
                packet_ids: String::new(),
                element: None,
                depth: [None; 2],
                source,
                from: vec![LinkEnd::Named(from, DmaDir::Mm2s)],
                to: vec![LinkEnd::Named(to, DmaDir::S2mm)],
                hops: 0,
                flows: Vec::new(),
            });
        }
    }

    /// The transfers of runtime sequences: by a symbol or a channel, an argument inside.
    fn host_buffers(&mut self) {
        let m = self.module;
        let symbols = SymbolTable::of(m, self.device.op());
        for sequence in m.find_all::<RuntimeSequence>(self.device.op()) {
            let Some(block) = m.entry(sequence.op(), 0) else {
                continue;
            };
            let values = m.block_args(block).to_vec();
            let names = written_names(m, sequence, values.len(), self.sources);
            let mut moved: BTreeSet<(usize, ChannelId)> = BTreeSet::new();
            for op in m.walk(sequence.op()) {
                let symbol = ["metadata", "alloc"]
                    .into_iter()
                    .find_map(|key| m.symbol_attr(op, key));
                let allocation =
                    symbol.and_then(|symbol| ShimDmaAllocation::cast(m, symbols.get(symbol)?));
                let channel = allocation.and_then(|allocation| channel_of(m, allocation));
                let channel = channel.or_else(|| task_channel(m, op));
                let Some(channel) = channel else {
                    continue;
                };
                let inside = m.walk(op).flat_map(|op| m.operands(op).collect::<Vec<_>>());
                let arguments = inside.filter_map(|value| root_argument(m, value));
                for value in arguments {
                    if let Some(index) = values.iter().position(|known| *known == value) {
                        moved.insert((index, channel));
                    }
                }
            }
            for (index, value) in values.iter().enumerate() {
                if m.ty(*value).as_memref().is_none() {
                    continue;
                }
                let written = names.as_ref().and_then(|names| names.get(index).cloned());
                let name = written.unwrap_or_else(|| format!("arg{index}"));
                let ty = m.ty(*value).to_string();
                let known = self
                    .flow
                    .arguments
                    .iter()
                    .position(|a| a.name == name && a.ty == ty);
                let at = known.unwrap_or_else(|| {
                    let argument = HostArgument {
                        name: name.clone(),
                        index,
                        ty,
                    };
                    self.flow.arguments.push(argument);
                    self.flow.arguments.len() - 1
                });
                let source = self.source(sequence.op());
                for (_, channel) in moved.iter().filter(|(of, _)| *of == index) {
                    self.host_link(at, &name, *channel, source.clone());
                }
            }
        }
    }

    fn host_link(
        &mut self,
        argument: usize,
        name: &str,
        channel: ChannelId,
        source: Option<String>,
    ) {
        self.tile(channel.tile);
        let port = Port::new(Bundle::Dma, channel.index);
        // The shim reads from the host the data that it sends into the array.
        let shim = LinkEnd::Port(channel.tile, port, channel.dir);
        let host = LinkEnd::Argument(argument);
        let (from, to) = match channel.dir {
            DmaDir::Mm2s => (host, shim),
            DmaDir::S2mm => (shim, host),
        };
        let known = |l: &Link| l.kind == LinkKind::Host && l.from == [from] && l.to == [to];
        if self.flow.links.iter().any(known) {
            return;
        }
        self.flow.links.push(Link {
            name: format!("host {name}"),
            is_fifo: false,
            kind: LinkKind::Host,
            packet_ids: String::new(),
            element: None,
            depth: [None; 2],
            source,
            from: vec![from],
            to: vec![to],
            hops: 0,
            flows: Vec::new(),
        });
    }
}

fn sides_of<'a>(from: &'a LinkEnd, to: &'a [LinkEnd]) -> impl Iterator<Item = &'a LinkEnd> {
    [from].into_iter().chain(to)
}

/// The channel of a shim allocation.
fn channel_of(module: &Module, allocation: ShimDmaAllocation) -> Option<ChannelId> {
    let index = u8::try_from(allocation.channel_index(module)).ok()?;
    let dir = allocation.channel_dir(module)?;
    Some(ChannelId::new(allocation.tile_loc(module)?, dir, index))
}

/// The channel that a task names by itself.
fn task_channel(module: &Module, op: Op) -> Option<ChannelId> {
    let task = DmaConfigureTask::cast(module, op)?;
    let index = u8::try_from(task.channel(module)).ok()?;
    let tile = tile_loc(module, task.tile(module)?)?;
    Some(ChannelId::new(tile, task.direction(module)?, index))
}

/// The argument of a sequence that a memref is, or is a view of.
fn root_argument(module: &Module, value: Value) -> Option<Value> {
    let mut value = value;
    loop {
        module.ty(value).as_memref()?;
        match module.def(value) {
            ValueDef::Argument(..) => return Some(value),
            ValueDef::Result(op, _) => value = module.operand(op, 0)?,
        }
    }
}
