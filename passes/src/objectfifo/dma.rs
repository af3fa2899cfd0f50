//! Writes flows, DMA programs and shim allocations into the netlist.

use std::collections::hash_map::Entry;

use aiec_aie::ir::{Block, InsertPoint, Loc, Module, Op, PacketInfo, Type, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::{
    self, ArithConstant, DmaBd, DmaBdPacket, DmaStart, Flow, NextBd, OpKind, OpView, PacketFlow,
    ShimDmaAllocation, UseLock,
};
use aiec_device::{Bundle, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport};
use rustc_hash::FxHashMap;

use super::FifoOptions;
use super::ends::FifoEnd;
use super::fifo::TileRef;
use super::program::{Bd, Planner, Program, out_of_bounds};
use super::{NO_PACKET_ID, REGION_FORM};
use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::infra::packet_flow::{self, FlowEnd, PacketFlowMarks, device_end};
use crate::infra::pass::PassContext;

/// The writer's state.
pub(super) struct Writer<'a, 'c> {
    pub device: Op,
    pub planner: Planner<'a>,
    pub channels: &'a [Option<u8>],
    pub context: &'a mut PassContext<'c>,
    containers: Containers,
    /// Names given to shim allocations, by fifo: the symbol that replaces the fifo's.
    pub allocations: FxHashMap<usize, String>,
    /// All fifos are packet-switched, whatever they say.
    all_packets: bool,
    /// The packet ids that are left.
    packet_ids: Vec<i64>,
    /// Packet flows made for fifos, with the fifo's name.
    made: FxHashMap<Op, String>,
}

/// A DMA program that grows.
pub(super) struct Container {
    op: Op,
    entry: Block,
    /// The channel started last, whose second successor is the end block.
    last_start: Option<Op>,
    end: Block,
    /// `i32` constants at the start of the program.
    constants: FxHashMap<i64, Value>,
}

impl<'a, 'c> Writer<'a, 'c> {
    pub fn new(
        module: &Module,
        device: Op,
        planner: Planner<'a>,
        channels: &'a [Option<u8>],
        (options, context): (&FifoOptions, &'a mut PassContext<'c>),
    ) -> Writer<'a, 'c> {
        let max = planner.netlist.model.arch_model().max_packet_id;
        let mut packet_ids = free_packet_ids(module, device, max.into());
        let fifos = planner.netlist.fifos.values();
        packet_ids.retain(|id| fifos.clone().all(|fifo| fifo.packet_id != Some(*id)));
        Writer {
            device,
            containers: Containers::new(module, device, planner.netlist.counting_locks()),
            planner,
            channels,
            all_packets: options.all_packets,
            context,
            allocations: FxHashMap::default(),
            made: FxHashMap::default(),
            packet_ids,
        }
    }

    /// Writes all that the split fifos need, fifo by fifo.
    pub fn write(&mut self, module: &mut Module) {
        for at in 0..self.planner.ends.of_fifo.len() {
            let of_fifo = &self.planner.ends.of_fifo[at];
            if of_fifo.shared {
                continue;
            }
            let (producer, consumers) = (of_fifo.producer, of_fifo.consumers.clone());
            // Nothing puts a header before what a core writes to its stream, and only DMA ports take
            // headers off: what starts or ends at a core's stream stays a circuit.
            let is_stream = |end: &usize| self.planner.ends.ends[*end].is_stream;
            let packet = if is_stream(&producer) || consumers.iter().any(is_stream) {
                None
            } else {
                self.next_packet(module, at)
            };
            self.flow(module, at, producer, &consumers, packet);
            self.end(module, producer, packet);
            for consumer in consumers {
                self.end(module, consumer, None);
            }
        }
    }

    fn next_packet(&mut self, module: &Module, fifo: usize) -> Option<PacketInfo> {
        let fifo_of = &self.planner.netlist.fifos[fifo];
        if !self.all_packets && !fifo_of.packet {
            return None;
        }
        let id = fifo_of.packet_id.or_else(|| self.packet_ids.pop());
        if id.is_none() {
            self.context.report(self.no_packet_id(module, fifo));
        }
        Some(PacketInfo::of_id(id.unwrap_or(0)))
    }

    fn no_packet_id(&self, module: &Module, fifo: usize) -> Diag {
        let max = self.planner.netlist.model.arch_model().max_packet_id;
        let op = self.planner.netlist.fifos[fifo].op.op();
        let message = format!("max number of packet IDs reached: there are {}", max + 1);
        let mut diag = Diag::error(&NO_PACKET_ID, message)
            .label(module.span(op), "no id is left for this object fifo");
        let written = module.children::<PacketFlow>(self.device).into_iter();
        let (made, by_hand): (Vec<_>, Vec<_>) =
            written.partition(|flow| self.made.contains_key(&flow.op()));
        let mut table = "packet ids of the device:".to_string();
        for flow in by_hand {
            diag = diag.label(module.span(flow.op()), "has an id");
            table += &format!("\n  {}: a written packet flow", flow.ID(module));
        }
        for flow in made {
            let name = &self.made[&flow.op()];
            table += &format!("\n  {}: object fifo @{name}", flow.ID(module));
        }
        diag.help(
            "give several of the fifos one aie.packet_flow by hand, or leave packet-sw-objFifos \
             or `packet` out: circuits need no ids",
        )
        .remark(table)
        .mlir_aie(
            MlirAieReport::op("aie.device", "max number of packet IDs reached")
                .at(module.span(self.device)),
        )
    }

    /// The DMA channel of an end.
    fn channel(&self, id: usize) -> Option<u8> {
        self.channels.get(id).copied().flatten()
    }

    /// Tile, bundle and channel of an end in the stream switch.
    fn port(&self, id: usize) -> FlowEnd {
        let end = &self.planner.ends.ends[id];
        let fifo = &self.planner.netlist.fifos[end.fifo];
        if let Some(stream) = fifo.stream.filter(|_| end.is_stream) {
            return (end.tile.handle, Bundle::Core, stream.port);
        }
        let bundle = if fifo.plio && end.tile.kind.is_shim() {
            Bundle::Plio
        } else {
            Bundle::Dma
        };
        let channel = self.channel(id).unwrap_or(0);
        (end.tile.handle, bundle, channel.into())
    }

    fn flow(
        &mut self,
        module: &mut Module,
        fifo: usize,
        producer: usize,
        consumers: &[usize],
        packet: Option<PacketInfo>,
    ) {
        let fifo = &self.planner.netlist.fifos[fifo];
        let loc = module.derived_loc(self.context.pass, fifo.op.op());
        let at = InsertPoint::After(fifo.op.op());
        let source = self.port(producer);
        if let Some(packet) = packet {
            let dests: Vec<_> = consumers.iter().rev().map(|end| self.port(*end)).collect();
            let (id, marks) = (packet.pkt_id, PacketFlowMarks::default());
            let flow = packet_flow::build(module, loc, id, source, &dests, marks, at);
            self.made.insert(flow, fifo.name.clone());
            return;
        }
        for consumer in consumers {
            circuit(module, loc, source, self.port(*consumer), at);
        }
    }

    /// The DMA side of one end.
    fn end(&mut self, module: &mut Module, id: usize, packet: Option<PacketInfo>) {
        let end = &self.planner.ends.ends[id];
        let Some(channel) = self.channel(id).filter(|_| !end.is_stream) else {
            return;
        };
        match self.planner.program(module, id) {
            Ok(Some(program)) => {
                let fifo = &self.planner.netlist.fifos[end.fifo];
                let mut bds = program.bds.iter();
                if let Some(diag) = bds.find_map(|bd| out_of_bounds(module, fifo, end, bd)) {
                    self.context.report(self.planner.netlist.of_whole(diag));
                }
                let asks = (end.tile, fifo.op.op());
                self.containers
                    .add(module, asks, channel, &program, packet, self.context);
            }
            Ok(None) => {}
            Err(diag) => self.context.report(diag),
        }
        if end.tile.kind.is_shim() {
            self.allocation(module, end, channel, packet);
        }
    }

    fn allocation(
        &mut self,
        module: &mut Module,
        end: &FifoEnd,
        channel: u8,
        packet: Option<PacketInfo>,
    ) {
        let fifo = &self.planner.netlist.fifos[end.fifo];
        let (dir, packet) = (end.role.dir(), packet.filter(|_| !end.role.fills()));
        let name = if !self.allocations.contains_key(&end.fifo) {
            format!("{}_shim_alloc", fifo.name)
        } else {
            format!("{}_shim_alloc", end.name)
        };
        let loc = module.derived_loc(self.context.pass, fifo.op.op());
        let plio = fifo.plio.then_some(true);
        let at = device_end(module, self.device);
        ShimDmaAllocation::build(module, loc, end.tile.handle, name.as_str(), dir, channel)
            .plio(plio)
            .packet(packet)
            .insert(at);
        self.allocations.entry(end.fifo).or_insert(name);
    }
}

/// The DMA programs of a device, which grow.
pub(super) struct Containers {
    device: Op,
    /// Whether lock values count objects.
    counting: bool,
    /// The first program of each tile that was there before.
    written: FxHashMap<TileLoc, Op>,
    /// The program of each tile that was opened.
    opened: FxHashMap<TileLoc, Container>,
}

impl Containers {
    pub fn new(module: &Module, device: Op, counting: bool) -> Containers {
        let mut written = FxHashMap::default();
        for op in dma_containers(module, device) {
            if let Some(tile) = tile_of_op(module, op) {
                written.entry(tile).or_insert(op);
            }
        }
        Containers {
            device,
            counting,
            written,
            opened: FxHashMap::default(),
        }
    }

    /// Adds the program of a channel to that of its tile, for the operation that asks for it.
    pub fn add(
        &mut self,
        module: &mut Module,
        (tile, asks): (TileRef, Op),
        channel: u8,
        program: &Program,
        packet: Option<PacketInfo>,
        context: &mut PassContext<'_>,
    ) {
        let loc = module.derived_loc(context.pass, asks);
        let counting = self.counting;
        match self.open(module, tile, loc, asks) {
            Ok(container) => {
                container.add_channel(module, loc, channel, program, packet, counting);
                context.count("BDs", program.bds.len() as u64);
            }
            Err(diag) => context.report(*diag),
        }
    }

    /// The program of a tile, made if it has none; `asks` needs it.
    fn open(
        &mut self,
        module: &mut Module,
        tile: TileRef,
        loc: Loc,
        asks: Op,
    ) -> Result<&mut Container, Box<Diag>> {
        let entry = match self.opened.entry(tile.loc) {
            Entry::Occupied(opened) => return Ok(opened.into_mut()),
            Entry::Vacant(entry) => entry,
        };
        let op = match self.written.get(&tile.loc).copied() {
            Some(op) => op,
            None => {
                let at = device_end(module, self.device);
                new_program(module, tile, loc, at)
            }
        };
        match Container::of(module, op) {
            Some(container) => Ok(entry.insert(container)),
            None => Err(Box::new(region_form(module, op, asks))),
        }
    }
}

/// A program that starts nothing.
fn new_program(module: &mut Module, tile: TileRef, loc: Loc, at: InsertPoint) -> Op {
    let kind = match tile.kind {
        TileKind::Core => OpKind::Mem,
        TileKind::Mem => OpKind::MemTileDma,
        TileKind::ShimNoc | TileKind::ShimPl => OpKind::ShimDma,
    };
    let program = module.build(kind, loc).operand(tile.handle);
    program.result(Type::Index).insert_ended(at)
}

fn region_form(module: &Module, container: Op, fifo: Op) -> Diag {
    let message = "an object fifo ends on a tile whose DMA program can't be extended";
    Diag::error(&REGION_FORM, message)
        .label(module.span(fifo), "this object fifo")
        .label(module.span(container), "this program")
        .help("write the program with aie.dma_start and blocks, ending in one aie.end")
}

/// The ids that no written flow has, the next one last: first those above all written ones, as
/// mlir-aie counts, then the gaps.
pub(super) fn free_packet_ids(module: &Module, device: Op, max: i64) -> Vec<i64> {
    let used = packet_flow::used_ids(module, device);
    let above = used.iter().max().map_or(0, |id| id + 1);
    let gaps = (0..above).rev().filter(|id| !used.contains(id));
    gaps.chain((above..=max).rev()).collect()
}

impl Container {
    /// A written program; `None` if it isn't made of blocks with `aie.dma_start`.
    fn of(module: &mut Module, op: Op) -> Option<Container> {
        let entry = module.entry(op, 0)?;
        if !module.find(op, OpKind::Dma).is_empty() {
            return None;
        }
        let mut block = entry;
        let mut last_start = None;
        let mut steps = module.blocks_of(module.region(op, 0)?).len();
        loop {
            let terminator = module.last_op(block)?;
            match module.kind(terminator) {
                OpKind::DmaStart if steps > 0 => {
                    steps -= 1;
                    last_start = Some(terminator);
                    block = *module.successors(terminator).get(1)?;
                }
                OpKind::End => break,
                _ => return None,
            }
        }
        let mut end = block;
        if last_start.is_none() {
            // An empty program: its end moves into a block of its own.
            let terminator = module.last_op(block)?;
            end = module.add_block(module.region(op, 0)?);
            module.move_to(terminator, InsertPoint::End(end));
        }
        Some(Container {
            op,
            entry,
            last_start,
            end,
            constants: FxHashMap::default(),
        })
    }

    fn constant(&mut self, module: &mut Module, loc: Loc, value: i64) -> Value {
        if let Some(value) = self.constants.get(&value) {
            return *value;
        }
        let start = InsertPoint::Start(self.entry);
        let made = ArithConstant::int(module, loc, value, Type::I32, start);
        self.constants.insert(value, made);
        made
    }

    /// A new block in front of the end block.
    fn new_block(&self, module: &mut Module) -> Block {
        let Some(region) = module.region(self.op, 0) else {
            return self.end;
        };
        let blocks = module.blocks_of(region);
        let at = blocks.iter().rposition(|b| *b == self.end);
        let at = at.unwrap_or(blocks.len());
        module.insert_block(region, at)
    }

    /// Adds a channel's chain.
    pub fn add_channel(
        &mut self,
        module: &mut Module,
        loc: Loc,
        channel: u8,
        program: &Program,
        packet: Option<PacketInfo>,
        counting: bool,
    ) {
        let start_block = match self.last_start {
            None => self.entry,
            Some(start) => {
                let block = self.new_block(module);
                module.set_successor(start, 1, block);
                block
            }
        };
        let blocks: Vec<Block> = program.bds.iter().map(|_| self.new_block(module)).collect();
        // A chain that ends has an end of its own, as mlir-aie writes it.
        let own_end = program.finite.then(|| {
            let block = self.new_block(module);
            ops::End::build(module, loc).insert(InsertPoint::End(block));
            block
        });
        let Some(first) = blocks.first().copied() else {
            return;
        };
        let repeat = i32::try_from(program.queue_repeat).unwrap_or(0);
        let start = DmaStart::build(module, loc, program.dir)
            .channel_index(channel)
            .repeat_count(repeat)
            .pad_value(program.pad_value)
            .result(Type::I1)
            .successor(first)
            .successor(self.end)
            .insert(InsertPoint::End(start_block));
        self.last_start = Some(start);
        let packet = packet.filter(|_| program.dir == DmaDir::Mm2s);
        for (i, (bd, block)) in program.bds.iter().zip(&blocks).enumerate() {
            let next = match blocks.get(i + 1) {
                Some(next) => *next,
                None => own_end.unwrap_or(first),
            };
            self.bd(module, loc, *block, bd, packet, counting);
            NextBd::build(module, loc)
                .successor(next)
                .insert(InsertPoint::End(*block));
        }
    }

    fn bd(
        &mut self,
        module: &mut Module,
        loc: Loc,
        block: Block,
        bd: &Bd,
        packet: Option<PacketInfo>,
        counting: bool,
    ) {
        let at = InsertPoint::End(block);
        let mut use_lock = |module: &mut Module, lock: Option<(Value, i64)>, action| {
            if let Some((lock, value)) = lock {
                let value = self.constant(module, loc, value);
                UseLock::build(module, loc, lock, value, action).insert(at);
            }
        };
        let acquire = if counting {
            LockAction::AcquireGreaterEqual
        } else {
            LockAction::Acquire
        };
        use_lock(module, bd.locks.map(|locks| locks[0]), acquire);
        if let Some(packet) = packet {
            DmaBdPacket::build(module, loc, packet.pkt_type as i32, packet.pkt_id as i32)
                .insert(at);
        }
        let dims = (!bd.dims.is_empty()).then_some(&bd.dims);
        let sizes = dims.map(|d| d.iter().map(|d| d.size).collect::<Vec<_>>());
        let strides = dims.map(|d| d.iter().map(|d| d.stride).collect::<Vec<_>>());
        let pads = (!bd.pads.is_empty()).then(|| bd.pads.clone());
        DmaBd::build(module, loc, bd.buffer)
            .static_offset(bd.offset as i32)
            .static_len(bd.len as i32)
            .static_sizes(sizes)
            .static_strides(strides)
            .pad_dimensions(pads)
            .iteration(bd.iteration)
            .segment_sizes([1, 0, 0, 0, 0])
            .insert(at);
        let release = LockAction::Release;
        use_lock(module, bd.locks.map(|locks| locks[1]), release);
    }
}

/// A circuit-switched `aie.flow`.
pub(super) fn circuit(
    module: &mut Module,
    loc: Loc,
    source: FlowEnd,
    dest: FlowEnd,
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
