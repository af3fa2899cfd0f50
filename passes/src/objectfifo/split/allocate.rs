//! Makes what pieces don't have yet: buffers, locks, channels, flows, allocations.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, PacketInfo, Value};
use aiec_aie::ops::ShimDmaAllocation;
use aiec_device::{Bundle, DeviceModel, DmaDir};
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::super::channels::{ChannelRequest, Channels};
use super::super::dma::{circuit, free_packet_ids};
use super::super::pools::{InsertionCursor, PoolLocks, last_tile, tiles_before_programs};
use super::super::{BAD_POOL, NO_PACKET_ID};
use super::pieces::{DevicePieces, Pool, RouteEnd, RouteStream};
use crate::infra::packet_flow::{self, PacketFlowMarks, device_end};
use crate::infra::pass::PassContext;

/// Resources that pieces have.
pub(super) struct Allocated {
    /// By pool.
    pub buffers: Vec<Vec<Value>>,
    /// By pool.
    pub locks: Vec<PoolLocks>,
    /// By endpoint of a pool; `None` for cores.
    pub channels: Vec<Option<u8>>,
    /// By end that something else programs.
    pub foreign: Vec<Option<u8>>,
    /// The headers that draining endpoints write.
    pub packets: FxHashMap<usize, PacketInfo>,
    /// The headers that ends which something else programs send, by their number.
    pub headers: FxHashMap<usize, PacketInfo>,
    /// Endpoints and fifos whose name a shim allocation takes over.
    pub renamed: FxHashMap<String, String>,
}

/// Makes what is missing.
pub(super) fn allocate(
    module: &mut Module,
    device: Op,
    model: &'static DeviceModel,
    pieces: &DevicePieces,
    context: &mut PassContext<'_>,
) -> Allocated {
    tiles_before_programs(module, device);
    let mut maker = SplitPoolBuilder {
        after: last_tile(module, device),
        device,
        model,
        pieces,
        made: Allocated {
            foreign: vec![None; pieces.foreign.len()],
            buffers: Vec::new(),
            locks: Vec::new(),
            channels: vec![None; pieces.ends.len()],
            packets: FxHashMap::default(),
            headers: FxHashMap::default(),
            renamed: FxHashMap::default(),
        },
        context,
    };
    for pool in &pieces.pools {
        maker.pool(module, pool);
    }
    maker.channels(module);
    maker.followers(module);
    maker.ways(module);
    maker.made
}

struct SplitPoolBuilder<'a, 'c> {
    device: Op,
    model: &'static DeviceModel,
    pieces: &'a DevicePieces,
    context: &'a mut PassContext<'c>,
    /// New pools go directly after this operation.
    after: Option<Op>,
    made: Allocated,
}

impl SplitPoolBuilder<'_, '_> {
    fn pool(&mut self, module: &mut Module, pool: &Pool) {
        let mut place = InsertionCursor {
            loc: module.derived_loc(self.context.pass, pool.op),
            after: self.after,
        };
        let (tile, base) = (pool.tile.handle, &pool.base);
        let buffers = match &pool.buffers {
            Some(written) => self.written(module, pool, written),
            None => {
                let (names, ty) = pool.object.buffers(base, pool.depth, pool.ring);
                self.context.count("buffers", names.len() as u64);
                let names = names.into_iter();
                names
                    .map(|name| place.buffer(module, tile, name, None, ty.clone()))
                    .collect()
            }
        };
        let locks = if self.pieces.counting {
            let mut pairs = Vec::new();
            for (j, segment) in pool.segments.iter().enumerate() {
                let pair = match segment.locks {
                    Some((prod, cons)) => {
                        let values = self.written(module, pool, &[prod, cons]);
                        values.first().copied().zip(values.get(1).copied())
                    }
                    None => {
                        let free = (pool.depth as i64).saturating_mul(pool.repeat.max(1));
                        let prod = place.lock(module, tile, format!("{base}_prod_lock_{j}"), free);
                        let cons = place.lock(module, tile, format!("{base}_cons_lock_{j}"), 0);
                        Some((prod, cons))
                    }
                };
                pairs.extend(pair);
            }
            PoolLocks::Counting(pairs)
        } else {
            PoolLocks::PerObject(match &pool.locks {
                Some(written) => self.written(module, pool, written),
                None => (0..pool.depth)
                    .map(|k| place.lock(module, tile, format!("{base}_lock_{k}"), 0))
                    .collect(),
            })
        };
        self.made.buffers.push(buffers);
        self.made.locks.push(locks);
    }

    /// The values of operations that are written for a pool.
    fn written(&mut self, module: &Module, pool: &Pool, ops: &[Op]) -> Vec<Value> {
        let values: Vec<Value> = ops.iter().filter_map(|op| module.result(*op, 0)).collect();
        if values.len() != ops.len() {
            let message = format!(
                "pool `{}` names something other than a buffer or lock",
                pool.base
            );
            self.context.report(
                Diag::error(&BAD_POOL, message)
                    .label(module.span(pool.op), "this pool")
                    .help("name aie.buffer and aie.lock operations"),
            );
        }
        values
    }

    /// Written channels first, then the lowest free ones.
    fn channels(&mut self, module: &Module) {
        let mut channels = Channels::of(module, self.device, self.model);
        let mut choose = |tile, name, op, source, pin| {
            let ask = ChannelRequest {
                tile,
                name,
                op,
                dir: direction(source),
                pin,
                spilled: false,
            };
            let channel = channels.choose(module, self.device, &ask);
            channel.map_err(|diag| self.context.report(*diag)).ok()
        };
        let ends = self.pieces.ways.iter().flat_map(RouteStream::ends);
        let sources: FxHashMap<RouteEnd, bool> = ends.collect();
        for pinned in [true, false] {
            for (n, end) in self.pieces.ends.iter().enumerate() {
                if let Some(dma) = &end.dma
                    && dma.pin.is_some() == pinned
                {
                    let channel = choose(end.tile, &end.name, end.op, !end.fills, dma.pin);
                    self.made.channels[n] = channel;
                }
            }
            for (n, end) in self.pieces.foreign.iter().enumerate() {
                let source = sources.get(&RouteEnd::Foreign(n)).copied();
                if end.pin.is_some() != pinned || end.leader.is_some() {
                    continue;
                }
                if end.bundle == Bundle::Core {
                    let port = end.pin.and_then(|p| u8::try_from(p).ok());
                    self.made.foreign[n] = Some(port.unwrap_or(0));
                } else if let Some(source) = source {
                    let channel = choose(end.tile, &end.name, end.op, source, end.pin);
                    self.made.foreign[n] = channel;
                }
            }
        }
    }

    /// Ends that share a channel take that of their leader, which is on their tile and goes their
    /// way.
    fn followers(&mut self, module: &Module) {
        // The streams that an end is in, with whether it is a source.
        let streams = |n: usize| {
            let end = RouteEnd::Foreign(n);
            let all = self.pieces.ways.iter();
            let ends = all.flat_map(|way| way.ends().map(move |(end, source)| (end, source, way)));
            ends.filter(move |(other, ..)| *other == end)
        };
        let direction = |n: usize| streams(n).any(|(_, source, _)| source);
        let packets = |n: usize| {
            streams(n)
                .next()
                .is_some_and(|(.., way)| way.packet.is_some())
        };
        for (n, end) in self.pieces.foreign.iter().enumerate() {
            let Some(leader) = &end.leader else { continue };
            let at = self.pieces.foreign.iter().position(|f| f.name == *leader);
            let channel = at.and_then(|at| self.made.foreign[at].filter(|_| at != n));
            let problem = match (at, channel) {
                (Some(at), Some(_)) => {
                    let other = &self.pieces.foreign[at];
                    let alike = other.tile.loc == end.tile.loc && other.bundle == end.bundle;
                    if !(alike && direction(at) == direction(n)) {
                        Some("which isn't on its tile or goes the other way")
                    } else {
                        (!packets(at) || !packets(n))
                            .then_some("but only packets can share a channel")
                    }
                }
                _ => Some("which has no assigned channel"),
            };
            let other_pin = |pin| channel.is_none_or(|c| i64::from(c) != pin);
            let finding = match problem {
                Some(problem) => Some((
                    format!("sharesChannel names '@{leader}', {problem}"),
                    "name an aie.route_endpoint of the same tile that is in a route",
                )),
                None => end.pin.is_some_and(other_pin).then(|| {
                    let name = &end.name;
                    let message = format!("`@{name}` pins another channel than '@{leader}' has");
                    (message, "leave out its channelIndex")
                }),
            };
            if let Some((message, help)) = finding {
                self.context.report(
                    Diag::error(&BAD_POOL, message)
                        .label(module.span(end.op), "this endpoint")
                        .help(help),
                );
            }
            self.made.foreign[n] = channel;
        }
    }

    fn port(&self, end: RouteEnd) -> packet_flow::FlowEnd {
        match end {
            RouteEnd::Pool(n) => {
                let channel = self.made.channels[n].unwrap_or(0);
                (self.pieces.ends[n].tile.handle, Bundle::Dma, channel.into())
            }
            RouteEnd::Foreign(n) => {
                let end = &self.pieces.foreign[n];
                let channel = self.made.foreign[n].unwrap_or(0);
                (end.tile.handle, end.bundle, channel.into())
            }
        }
    }

    /// Flows, and allocations of the shim ends.
    fn ways(&mut self, module: &mut Module) {
        let max: i64 = self.model.arch_model().max_packet_id.into();
        let mut free = free_packet_ids(module, self.device, max);
        free.retain(|id| self.pieces.ways.iter().all(|w| w.packet != Some(Some(*id))));
        for way in &self.pieces.ways {
            let loc = module.derived_loc(self.context.pass, way.op);
            let packet = match way.packet {
                None => None,
                Some(written) => match written.or_else(|| free.pop()) {
                    Some(id) => Some(PacketInfo::of_id(id)),
                    None => {
                        let message = format!("all {} packet ids are taken", max + 1);
                        self.context.report(
                            Diag::error(&NO_PACKET_ID, message)
                                .label(module.span(way.op), "no id is left for this route")
                                .help("make some routes circuits: leave out their packet"),
                        );
                        continue;
                    }
                },
            };
            let [sources, dests] = [&way.from, &way.to]
                .map(|ends| ends.iter().map(|end| self.port(*end)).collect::<Vec<_>>());
            let at = InsertPoint::After(way.op);
            if let Some(packet) = packet {
                let (id, marks) = (packet.pkt_id, PacketFlowMarks::default());
                packet_flow::build_from(module, loc, id, &sources, &dests, marks, at);
                for end in &way.from {
                    let (headers, n) = match end {
                        RouteEnd::Pool(n) => (&mut self.made.packets, n),
                        RouteEnd::Foreign(n) => (&mut self.made.headers, n),
                    };
                    headers.insert(*n, packet);
                }
            } else {
                for source in sources {
                    for dest in &dests {
                        circuit(module, loc, source, *dest, at);
                    }
                }
            }
            self.allocations(module, way, packet, loc);
        }
    }

    fn allocations(
        &mut self,
        module: &mut Module,
        way: &RouteStream,
        packet: Option<PacketInfo>,
        loc: Loc,
    ) {
        for (end, source) in way.ends() {
            let RouteEnd::Foreign(n) = end else { continue };
            let foreign = &self.pieces.foreign[n];
            if !foreign.tile.kind.is_shim() || foreign.bundle == Bundle::Core {
                continue;
            }
            let base = foreign.fifo.as_ref().unwrap_or(&foreign.name);
            let name = format!("{base}_shim_alloc");
            let (tile, dir) = (foreign.tile.handle, direction(source));
            let channel = self.made.foreign[n].unwrap_or(0);
            let plio = (foreign.bundle == Bundle::Plio).then_some(true);
            let at = device_end(module, self.device);
            ShimDmaAllocation::build(module, loc, tile, name.as_str(), dir, channel)
                .plio(plio)
                .packet(packet.filter(|_| source))
                .insert(at);
            self.made.renamed.insert(foreign.name.clone(), name.clone());
            if let Some(fifo) = &foreign.fifo {
                self.made.renamed.insert(fifo.clone(), name);
            }
        }
    }
}

/// The direction of the DMA channel of an end.
pub(super) fn direction(source: bool) -> DmaDir {
    if source { DmaDir::Mm2s } else { DmaDir::S2mm }
}
