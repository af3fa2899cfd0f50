//! Makes what pieces don't have yet: buffers, locks, channels, flows, allocations.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, PacketInfo, Type, Value};
use aiec_aie::ops::{Flow, OpKind, ShimDmaAllocation};
use aiec_device::{Bundle, DeviceModel, DmaDir};
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::super::channels::{ChannelRequest, Channels};
use super::super::dma::free_packet_ids;
use super::super::pools::{last_tile, tiles_before_programs};
use super::super::{BAD_POOL, NO_PACKET_ID};
use super::pieces::{DevicePieces, EndKind, Pool, RouteEnd, RouteStream};
use crate::infra::packet_flow::{self, PacketFlowMarks, device_end};
use crate::infra::pass::PassContext;

/// The locks of a pool.
#[derive(Clone, Debug)]
pub(super) enum PoolLocks {
    /// For each segment: free places, and filled ones.
    Counting(Vec<(Value, Value)>),
    /// For each object: 0 is free, 1 is filled.
    PerObject(Vec<Value>),
}

/// What pieces have now.
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
    /// New pools go directly behind this operation.
    after: Option<Op>,
    made: Allocated,
}

/// Where the next operation of a pool goes.
struct InsertionCursor {
    loc: Loc,
    after: Option<Op>,
}

impl InsertionCursor {
    fn insert(
        &mut self,
        module: &mut Module,
        kind: OpKind,
        tile: Value,
        attrs: [(&str, Attr); 2],
        ty: Type,
    ) -> Option<Value> {
        let at = self.after.map_or(InsertPoint::Detached, InsertPoint::After);
        let attrs = attrs.into_iter().filter(|(_, a)| *a != Attr::Unit);
        let mut build = module.build(kind, self.loc).operand(tile).result(ty);
        for (key, attr) in attrs {
            build = build.attr(key, attr);
        }
        let op = build.insert(at);
        self.after = Some(op);
        module.result(op, 0)
    }
}

impl SplitPoolBuilder<'_, '_> {
    fn pool(&mut self, module: &mut Module, pool: &Pool) {
        let mut place = InsertionCursor {
            loc: module.derived_loc(self.context.pass, pool.op),
            after: self.after,
        };
        let buffers = match &pool.buffers {
            Some(written) => self.written(module, pool, written),
            None => {
                let mut make = |name: String, ty: Type| {
                    let attrs = [("sym_name", Attr::str(name)), ("", Attr::Unit)];
                    place.insert(module, OpKind::Buffer, pool.tile.handle, attrs, ty)
                };
                let made: Vec<Value> = match pool.ring {
                    true => make(format!("{}_buff", pool.base), pool.object.ring(pool.depth))
                        .into_iter()
                        .collect(),
                    false => (0..pool.depth)
                        .filter_map(|k| {
                            make(format!("{}_buff_{k}", pool.base), pool.object.ty.clone())
                        })
                        .collect(),
                };
                self.context.count("buffers", made.len() as u64);
                made
            }
        };
        let mut lock = |module: &mut Module, name: String, init: i64| {
            let attrs = [
                ("init", Attr::i32(i32::try_from(init).unwrap_or(i32::MAX))),
                ("sym_name", Attr::str(name)),
            ];
            place.insert(module, OpKind::Lock, pool.tile.handle, attrs, Type::Index)
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
                        let prod = lock(module, format!("{}_prod_lock_{j}", pool.base), free);
                        prod.zip(lock(module, format!("{}_cons_lock_{j}", pool.base), 0))
                    }
                };
                pairs.extend(pair);
            }
            PoolLocks::Counting(pairs)
        } else {
            PoolLocks::PerObject(match &pool.locks {
                Some(written) => self.written(module, pool, written),
                None => (0..pool.depth)
                    .filter_map(|k| lock(module, format!("{}_lock_{k}", pool.base), 0))
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
            let message = format!("pool `{}` names what is no buffer or lock", pool.base);
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
        let sources: FxHashMap<RouteEnd, bool> = self
            .pieces
            .ways
            .iter()
            .flat_map(|w| {
                let from = w.from.iter().map(|e| (*e, true));
                from.chain(w.to.iter().map(|e| (*e, false)))
            })
            .collect();
        for pinned in [true, false] {
            for (n, end) in self.pieces.ends.iter().enumerate() {
                let EndKind::Dma(dma) = &end.kind else {
                    continue;
                };
                if dma.pin.is_some() == pinned {
                    let ask = ChannelRequest {
                        tile: end.tile,
                        name: &end.name,
                        op: end.op,
                        dir: direction(!end.fills),
                        pin: dma.pin,
                        spilled: false,
                    };
                    match channels.choose(module, self.device, &ask) {
                        Ok(channel) => self.made.channels[n] = Some(channel),
                        Err(diag) => self.context.report(*diag),
                    }
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
                    let ask = ChannelRequest {
                        tile: end.tile,
                        name: &end.name,
                        op: end.op,
                        dir: direction(source),
                        pin: end.pin,
                        spilled: false,
                    };
                    match channels.choose(module, self.device, &ask) {
                        Ok(channel) => self.made.foreign[n] = Some(channel),
                        Err(diag) => self.context.report(*diag),
                    }
                }
            }
        }
    }

    /// Ends that share a channel take that of their leader, which is on their tile and goes their
    /// way.
    fn followers(&mut self, module: &Module) {
        let direction = |n: usize| {
            let end = RouteEnd::Foreign(n);
            let mut ways = self.pieces.ways.iter();
            ways.any(|way| way.from.contains(&end))
        };
        let packets = |n: usize| {
            let end = RouteEnd::Foreign(n);
            let mut ways = self.pieces.ways.iter();
            let way = ways.find(|way| way.from.contains(&end) || way.to.contains(&end));
            way.is_some_and(|way| way.packet.is_some())
        };
        for (n, end) in self.pieces.foreign.iter().enumerate() {
            let Some(leader) = &end.leader else { continue };
            let at = self.pieces.foreign.iter().position(|f| f.name == *leader);
            let channel = at.and_then(|at| self.made.foreign[at].filter(|_| at != n));
            let problem = match (at, channel) {
                (Some(at), Some(_)) => {
                    let other = &self.pieces.foreign[at];
                    let alike = other.tile.loc == end.tile.loc && other.bundle == end.bundle;
                    match alike && direction(at) == direction(n) {
                        false => Some("which isn't on its tile or goes the other way"),
                        // Circuits of one channel would be a broadcast.
                        true => (!packets(at) || !packets(n))
                            .then_some("but only packets can share a channel"),
                    }
                }
                _ => Some("which has no assigned channel"),
            };
            if let Some(problem) = problem {
                let message = format!("sharesChannel names '@{leader}', {problem}");
                self.context.report(
                    Diag::error(&BAD_POOL, message)
                        .label(module.span(end.op), "this endpoint")
                        .help("name an aie.route_endpoint of the same tile that is in a route"),
                );
            } else if end
                .pin
                .is_some_and(|pin| channel.is_none_or(|c| i64::from(c) != pin))
            {
                let message = format!("`@{}` pins another channel than '@{leader}' has", end.name);
                self.context.report(
                    Diag::error(&BAD_POOL, message)
                        .label(module.span(end.op), "this endpoint")
                        .help("leave out its channelIndex"),
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
            let dests: Vec<packet_flow::FlowEnd> = way.to.iter().map(|e| self.port(*e)).collect();
            let sources: Vec<packet_flow::FlowEnd> =
                way.from.iter().map(|e| self.port(*e)).collect();
            let at = InsertPoint::After(way.op);
            match packet {
                Some(packet) => {
                    packet_flow::build_from(
                        module,
                        loc,
                        packet.pkt_id,
                        &sources,
                        &dests,
                        PacketFlowMarks::default(),
                        at,
                    );
                    for end in &way.from {
                        if let RouteEnd::Pool(n) = end {
                            self.made.packets.insert(*n, packet);
                        }
                    }
                }
                None => {
                    for (source, dest) in sources
                        .iter()
                        .flat_map(|s| dests.iter().map(move |d| (s, d)))
                    {
                        circuit(module, loc, source, dest, at);
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
        let sources = way.from.iter().map(|e| (*e, true));
        for (end, source) in sources.chain(way.to.iter().map(|e| (*e, false))) {
            let RouteEnd::Foreign(n) = end else { continue };
            let foreign = &self.pieces.foreign[n];
            if !foreign.tile.kind.is_shim() || foreign.bundle == Bundle::Core {
                continue;
            }
            let name = format!(
                "{}_shim_alloc",
                foreign.fifo.as_ref().unwrap_or(&foreign.name)
            );
            let channel = self.made.foreign[n].unwrap_or(0);
            let plio = (foreign.bundle == Bundle::Plio).then_some(true);
            let packet = packet.filter(|_| source);
            let at = device_end(module, self.device);
            ShimDmaAllocation::build(
                module,
                loc,
                foreign.tile.handle,
                name.as_str(),
                direction(source),
                channel,
            )
            .plio(plio)
            .packet(packet)
            .insert(at);
            self.made.renamed.insert(foreign.name.clone(), name.clone());
            if let Some(fifo) = &foreign.fifo {
                self.made.renamed.insert(fifo.clone(), name);
            }
        }
    }
}

fn direction(source: bool) -> DmaDir {
    match source {
        true => DmaDir::Mm2s,
        false => DmaDir::S2mm,
    }
}

fn circuit(
    module: &mut Module,
    loc: Loc,
    source: &packet_flow::FlowEnd,
    dest: &packet_flow::FlowEnd,
    at: InsertPoint,
) {
    Flow::build(module, loc)
        .operand(source.0)
        .operand(dest.0)
        .source_bundle(source.1)
        .source_channel(source.2)
        .dest_bundle(dest.1)
        .dest_channel(dest.2)
        .insert(at);
}
