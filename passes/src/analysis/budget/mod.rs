//! Use of a tile's resources: the table that goes with every "there is no more" finding
//! of the allocators, and the report of a compiled design.
//!
//! A budget is read from the netlist as it is, at any stage: before addresses, numbers and routes
//! are known it simply has fewer facts. The text form is in [`table`].

mod table;

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::{DmaChannel, dma_channels, tile_loc};
use aiec_aie::ops::{
    Buffer, Core, Device, Lock, ObjectFifo, OpKind, OpView, PacketFlow, ShimDmaAllocation,
};
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, DmaDir, Port, TileKind, TileLoc};

use crate::analysis::core_elf::{file_of, machine_code_data};
use crate::analysis::switches::{Switch, Switches};

/// A buffer, or what is left of the memory for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferUse {
    /// Its symbol.
    pub name: String,
    /// Size.
    pub bytes: u64,
    /// Where it starts, in bytes of the tile's memory, once that is known.
    pub address: Option<u64>,
    /// Its bank, once that is known.
    pub bank: Option<u64>,
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockUse {
    /// Its symbol.
    pub name: String,
    /// Its number, once that is known.
    pub id: Option<i32>,
}

/// A DMA channel that something uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelUse {
    /// Direction.
    pub dir: DmaDir,
    /// Number.
    pub channel: u8,
    /// Buffer descriptors of its program.
    pub bds: usize,
    /// Use: a program, or the symbol of a shim allocation.
    pub user: String,
}

/// Ports of a bundle on one side of the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortUse {
    /// Outputs or inputs.
    pub side: PortSide,
    /// The bundle.
    pub bundle: Bundle,
    /// Ports in use.
    pub used: u8,
    /// Ports there are.
    pub of: u8,
}

/// Packet rules of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotUse {
    /// The input.
    pub port: Port,
    /// Rules in use.
    pub used: usize,
}

/// Uses and limits of one tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileBudget {
    /// Where the tile is.
    pub loc: Option<TileLoc>,
    /// Kind.
    pub kind: Option<TileKind>,
    /// Its buffers, by address where they have one, then in textual order.
    pub buffers: Vec<BufferUse>,
    /// Bytes of the core's stack, from address 0; 0 without a core.
    pub stack_bytes: u64,
    /// Bytes of data memory.
    pub memory_bytes: u64,
    /// Bytes of a bank.
    pub bank_bytes: u64,
    /// Its locks, in textual order.
    pub locks: Vec<LockUse>,
    /// Number of its locks.
    pub max_locks: usize,
    /// Its DMA channels.
    pub channels: Vec<ChannelUse>,
    /// Number of its buffer descriptors.
    pub max_bds: usize,
    /// Whether even and odd channels have half of the BDs each.
    pub bds_by_parity: bool,
    /// Channels it has: S2MM, MM2S.
    pub max_channels: (u8, u8),
    /// Switch ports, of the bundles with a port in use.
    pub ports: Vec<PortUse>,
    /// Packet rules of each input that has some.
    pub slots: Vec<SlotUse>,
    /// Packet rules that an input can have.
    pub max_slots: u8,
    /// Arbiters in use.
    pub arbiters: usize,
    /// Arbiters there are.
    pub max_arbiters: u8,
}

/// The packet ids of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketIds {
    /// Ids in use, ascending.
    pub used: Vec<u8>,
    /// Ids there are.
    pub of: usize,
}

impl PacketIds {
    /// The ids that flows and rules of a device name.
    pub fn of(module: &Module, device: Op) -> Option<PacketIds> {
        let model = Device(device).model(module)?;
        let max = model.arch_model().max_packet_id;
        let switches = Switches::read(module, device)?;
        let flows = module.children::<PacketFlow>(device);
        let written = flows.iter().filter_map(|f| u8::try_from(f.ID(module)).ok());
        let slaves = switches.tiles.values().flat_map(|s| &s.slaves);
        // A rule names an id only where its mask leaves one.
        let exact = slaves.flat_map(|s| &s.rules).filter(|r| r.mask == max);
        let mut used: BTreeSet<u8> = written.chain(exact.map(|rule| rule.value)).collect();
        for info in module.find(device, OpKind::DmaBdPacket) {
            let id = module.int_attr(info, "packet_id");
            used.extend(id.and_then(|id| u8::try_from(id).ok()));
        }
        Some(PacketIds {
            used: used.into_iter().collect(),
            of: usize::from(max) + 1,
        })
    }
}

impl TileBudget {
    /// Reads the uses of a tile from the netlist as it is now.
    pub fn of(module: &Module, device: Op, loc: TileLoc) -> TileBudget {
        let mut all = read(module, device, Some(loc));
        let model = Device(device).model(module);
        all.remove(&loc)
            .unwrap_or_else(|| TileBudget::empty(model, loc))
    }

    /// The budgets of all tiles that a device uses, by place.
    pub fn all(module: &Module, device: Op) -> BTreeMap<TileLoc, TileBudget> {
        read(module, device, None)
    }

    fn empty(model: Option<&DeviceModel>, loc: TileLoc) -> TileBudget {
        let mut budget = TileBudget {
            loc: Some(loc),
            ..TileBudget::default()
        };
        let Some(model) = model else {
            return budget;
        };
        let arch = model.arch_model();
        budget.max_slots = arch.slots;
        budget.max_arbiters = arch.arbiters;
        budget.kind = model.tile_kind(loc);
        if let Some(tile) = model.tile(loc) {
            budget.memory_bytes = tile.memory_bytes.into();
            budget.bank_bytes = tile.banks.bytes.into();
            budget.max_locks = tile.locks.into();
            if let Some(dma) = &tile.dma {
                budget.max_bds = dma.bds.into();
                budget.bds_by_parity = dma.bd_by_parity;
                budget.max_channels = (dma.channels.s2mm, dma.channels.mm2s);
            }
        }
        budget
    }

    /// Whether nothing of the tile is used.
    pub fn is_unused(&self) -> bool {
        self.has_nothing() && self.ports.is_empty()
    }

    /// Whether there is nothing but the switch.
    fn has_nothing(&self) -> bool {
        self.buffers.is_empty()
            && self.stack_bytes == 0
            && self.locks.is_empty()
            && self.channels.is_empty()
    }

    /// Whether streams only pass through the tile's switch.
    pub fn is_passed_only(&self) -> bool {
        !self.ports.is_empty() && self.has_nothing()
    }

    /// Counts a channel that is given out, but has no program yet.
    pub fn claim(&mut self, dir: DmaDir, channel: u8, user: &str) {
        let known = |c: &ChannelUse| (c.dir, c.channel) == (dir, channel);
        if !self.channels.iter().any(known) {
            add_channel(self, dir, channel, 0, user.to_string());
        }
    }

    /// Bytes of buffers and stack.
    pub fn used_bytes(&self) -> u64 {
        self.stack_bytes + self.buffers.iter().map(|b| b.bytes).sum::<u64>()
    }

    /// Bytes in use of each bank, by the stack and by the buffers that have an address; empty
    /// without banks.
    pub fn banks(&self) -> Vec<u64> {
        let count = self.memory_bytes.checked_div(self.bank_bytes).unwrap_or(0);
        let buffers = self.buffers.iter();
        let placed = buffers.filter_map(|b| Some((b.address?, b.bytes)));
        let all = placed.chain([(0, self.stack_bytes)]);
        let mut banks = vec![0; count as usize];
        for (start, bytes) in all.filter(|(_, n)| *n > 0) {
            let end = start.saturating_add(bytes).min(self.memory_bytes);
            let last = end.saturating_sub(1) / self.bank_bytes;
            for bank in start / self.bank_bytes..=last {
                let from = start.max(bank * self.bank_bytes);
                if let Some(used) = banks.get_mut(bank as usize) {
                    *used += end.min((bank + 1) * self.bank_bytes).saturating_sub(from);
                }
            }
        }
        banks
    }

    /// Buffer descriptors in use by even and by odd channels.
    pub fn bds(&self) -> [usize; 2] {
        let mut halves = [0; 2];
        for channel in &self.channels {
            halves[usize::from(channel.channel % 2)] += channel.bds;
        }
        halves
    }

    fn add_switch(&mut self, model: &DeviceModel, loc: TileLoc, switch: &Switch) {
        for side in [PortSide::Master, PortSide::Slave] {
            for bundle in Bundle::ALL {
                let of = model.port_count(loc, side, bundle);
                let in_use = |channel: &u8| {
                    let port = Port::new(bundle, *channel);
                    match side {
                        PortSide::Master => switch.driver(port).is_some(),
                        PortSide::Slave => switch.uses_slave(port),
                    }
                };
                let used = (0..of).filter(in_use).count() as u8;
                if used > 0 {
                    self.ports.push(PortUse {
                        side,
                        bundle,
                        used,
                        of,
                    });
                }
            }
        }
        self.slots.extend(switch.slaves.iter().map(|slave| SlotUse {
            port: slave.port,
            used: slave.rules.len(),
        }));
        let arbiters: BTreeSet<u8> = switch.amsels.iter().map(|amsel| amsel.0).collect();
        self.arbiters = arbiters.len();
    }
}

/// One walk over the device; only the named tile if one is named.
fn read(module: &Module, device: Op, only: Option<TileLoc>) -> BTreeMap<TileLoc, TileBudget> {
    let mut tiles: BTreeMap<TileLoc, TileBudget> = BTreeMap::new();
    let Some(model) = Device(device).model(module) else {
        return tiles;
    };
    let mut tile = |loc: TileLoc, change: &mut dyn FnMut(&mut TileBudget)| {
        if only.is_none_or(|only| only == loc) {
            let new = || TileBudget::empty(Some(model), loc);
            change(tiles.entry(loc).or_insert_with(new));
        }
    };
    for op in module.walk(device) {
        let kind = module.kind(op);
        let counted = matches!(
            kind,
            OpKind::Buffer
                | OpKind::Lock
                | OpKind::Core
                | OpKind::Mem
                | OpKind::MemTileDma
                | OpKind::ShimDma
                | OpKind::ShimDmaAllocation
        );
        let here = module.operand(op, 0).filter(|_| counted);
        if let Some(loc) = here.and_then(|t| tile_loc(module, t)) {
            tile(loc, &mut |budget| count(module, model, op, budget));
        }
    }
    for core in module.children::<Core>(device) {
        let name = file_of(module, core).unwrap_or_default();
        for (loc, range) in machine_code_data(module, model, core) {
            tile(loc, &mut |budget| {
                budget.buffers.push(BufferUse {
                    name: format!("(data of {name})"),
                    bytes: range.end - range.start,
                    address: Some(range.start),
                    bank: range.start.checked_div(budget.bank_bytes),
                });
            });
        }
    }
    if let Some(switches) = Switches::read(module, device) {
        for (loc, switch) in &switches.tiles {
            tile(*loc, &mut |budget| budget.add_switch(model, *loc, switch));
        }
    }
    for budget in tiles.values_mut() {
        // Buffers without an address come last, in textual order.
        budget
            .buffers
            .sort_by_key(|b| b.address.map_or((true, 0), |address| (false, address)));
    }
    tiles
}

fn count(module: &Module, model: &DeviceModel, op: Op, budget: &mut TileBudget) {
    match module.kind(op) {
        OpKind::Buffer => {
            let buffer = Buffer(op);
            let unsigned = |v: i32| u64::try_from(v).ok();
            let address = buffer.address(module).and_then(unsigned);
            let in_bank = address.and_then(|a| a.checked_div(budget.bank_bytes));
            budget.buffers.push(BufferUse {
                name: name_of(module, op),
                bytes: buffer.bytes(module).unwrap_or(0),
                address,
                bank: buffer.mem_bank(module).and_then(unsigned).or(in_bank),
            });
        }
        OpKind::Lock => budget.locks.push(LockUse {
            name: name_of(module, op),
            id: Lock(op).lockID(module),
        }),
        OpKind::Core => budget.stack_bytes = Core(op).stack_bytes(module, model),
        OpKind::ShimDmaAllocation => {
            let allocation = ShimDmaAllocation(op);
            let channel = u8::try_from(allocation.channel_index(module)).ok();
            if let (Some(dir), Some(channel)) = (allocation.channel_dir(module), channel) {
                let user = format!("@{}", allocation.sym_name(module));
                add_channel(budget, dir, channel, 0, user);
            }
        }
        _ => {
            for channel in dma_channels(module, op) {
                let (user, bds) = (user_of(module, &channel), channel.bds.len());
                add_channel(budget, channel.dir, channel.channel, bds, user);
            }
        }
    }
}

/// A channel may have a program and an allocation.
fn add_channel(budget: &mut TileBudget, dir: DmaDir, channel: u8, bds: usize, user: String) {
    let mut channels = budget.channels.iter_mut();
    match channels.find(|c| (c.dir, c.channel) == (dir, channel)) {
        Some(known) => {
            known.bds += bds;
            known.user = user;
        }
        None => budget.channels.push(ChannelUse {
            dir,
            channel,
            bds,
            user,
        }),
    }
}

/// Purpose of a DMA channel: the object fifo that it was made from while that is still there, else
/// the owners of the buffers that it moves.
fn user_of(module: &Module, channel: &DmaChannel) -> String {
    if let Some(name) = fifo_at(module, channel.op) {
        return format!("object fifo @{name}");
    }
    let bd = channel.bds.first().map(|slot| slot.bd);
    let buffer = bd.and_then(|bd| module.def_op(bd.buffer(module)?));
    let name = buffer.map_or(module.op_name(channel.op).to_string(), |op| {
        name_of(module, op)
    });
    match name.rsplit_once("_buff_") {
        Some((end, _)) => end.to_string(),
        None => name,
    }
}

/// The fifo at whose place an operation is, while the fifos are still there.
fn fifo_at(module: &Module, op: Op) -> Option<String> {
    let span = module.span(op)?;
    let device = module.ancestor(op, OpKind::Device)?;
    let mut fifos = module.children::<ObjectFifo>(device).into_iter();
    let fifo = fifos.find(|fifo| module.span(fifo.op()) == Some(span))?;
    Some(fifo.sym_name(module).to_string())
}

/// The name a message calls a lock or buffer: its symbol, or what it is.
pub fn name_of(module: &Module, op: Op) -> String {
    let unnamed = || match module.kind(op) {
        OpKind::Lock => "(unnamed lock)",
        OpKind::Buffer => "(unnamed buffer)",
        _ => module.op_name(op),
    };
    let name = module.str_attr(op, "sym_name").unwrap_or_else(unnamed);
    name.to_string()
}

/// The tile of an operation whose first operand is a tile handle.
pub fn tile_of_op(module: &Module, op: Op) -> Option<TileLoc> {
    tile_loc(module, module.operand(op, 0)?)
}

/// The DMA programs of a device in the order in which their numbers are given out: core tiles,
/// then mem tiles, then shim tiles, each in textual order.
pub fn dma_containers(module: &Module, device: Op) -> Vec<Op> {
    let blocks = module
        .region(device, 0)
        .map_or(&[][..], |region| module.blocks_of(region));
    let mut lists = [const { Vec::new() }; 3];
    for op in blocks.iter().flat_map(|block| module.block_ops(*block)) {
        match module.kind(op) {
            OpKind::Mem => lists[0].push(op),
            OpKind::MemTileDma => lists[1].push(op),
            OpKind::ShimDma => lists[2].push(op),
            _ => {}
        }
    }
    lists.concat()
}

/// The locks of a device, at any depth (early-2025 designs declare some inside their DMA
/// programs), in textual order with their tiles; locks of handles that aren't placed
/// tiles are left out.
pub fn locks_by_tile(module: &Module, device: Op) -> Vec<(TileLoc, Lock)> {
    let locks = module.find_all::<Lock>(device).into_iter();
    locks
        .filter_map(|lock| Some((lock.tile_loc(module)?, lock)))
        .collect()
}
