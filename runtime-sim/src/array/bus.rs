//! The register bus: one place where an address becomes an effect.
//!
//! The device's register map says what an address is; a write to nothing is an error, a write to
//! a register that has no effect in this model is kept (it reads back) and reported once by its
//! name.

use std::collections::BTreeMap;

use aiec_device::regmap::{
    CascadeControl, CoreControl, Module, Register, RegisterRef, RegisterRole, SwitchMaster,
    SwitchSlave, SwitchSlot,
};
use aiec_device::switch::{MuxDir, PortSide};
use aiec_device::{ChannelId, DmaDir, LockId, Port, TileLoc, WORD_BYTES};
use aiec_diag::{InternalError, internal};

use super::Array;
use super::actor::ActorId;
use super::cascade::Axis;
use super::core_port::cascade_sender;
use super::dma::counts::Count;
use super::fault::{BusFault, FaultKind, UnmodelledPart};
use super::hazard::HazardKind;
use super::hw_event::HwEvent;
use super::lock::{LOCK_MAX, LockNeed};
use super::races::Races;
use super::stream_switch::packet;
use super::trace_event::TraceEvent;
use crate::race::Memory;
use crate::time::Cycle;

/// Registers by byte offset that only keep what was written.
pub(super) type ShadowRegisters = BTreeMap<u32, u32>;

/// Registers whose usual values have no effect that a model of function and time would show.
const QUIET: [RegisterRole; 4] = [
    RegisterRole::ClockControl,
    RegisterRole::AxiAttributes,
    RegisterRole::ProcessorBus,
    RegisterRole::EccScrubbing,
];

/// Fields of registers that are modelled, but not these: who may access host memory. The other
/// attributes of accesses to it (AxCache, AxQoS, SMID, Burst_Length) are quiet, as above.
const UNMODELLED_FIELDS: [&str; 1] = ["Secure_Access"];

/// Memory_Zeroisation of Memory_Control (AM025).
const MEMORY_ZEROISATION: u32 = 1;
/// Bits of the 6-bit lock value register.
const LOCK_VALUE_MASK: u32 = LOCK_MAX as u32;

/// A word of a memory, not a register.
fn is_memory(register: RegisterRef) -> bool {
    matches!(
        register,
        RegisterRef::DataMemory { .. } | RegisterRef::ProgramMemory { .. }
    )
}

impl Array {
    /// Writes a word at a partition-relative address (`column << 25 | row << 20 | offset`) in
    /// cycle `now`. The array runs up to `now` first.
    pub fn bus_write(&mut self, now: Cycle, addr: u32, value: u32) -> Result<(), BusFault> {
        self.advance(now);
        let (tile, register, offset) = match self.decode(addr) {
            Ok(found) => found,
            Err(fault) => return self.log.unmapped_write(addr, fault),
        };
        self.write_register(tile, register, offset, value);
        self.run_until_idle();
        Ok(())
    }

    /// Reads the word at an address in cycle `now`; see [`Array::bus_write`].
    pub fn bus_read(&mut self, now: Cycle, addr: u32) -> Result<u32, BusFault> {
        self.advance(now);
        let (tile, register, offset) = match self.decode(addr) {
            Ok(found) => found,
            Err(_) if self.log.unmapped.is_some() => return Ok(0),
            Err(fault) => return Err(fault),
        };
        let value = self.read_register(tile, register, offset);
        self.run_until_idle();
        Ok(value)
    }

    /// A register as it is now, which reading doesn't change: `None` where there is none, or where reading it acts, as a request of a
    /// lock does.
    pub(crate) fn peek_register(&mut self, tile: TileLoc, offset: u32) -> Option<u32> {
        let index = self.grid.index(tile)?;
        match self.decode_local(index, offset)? {
            RegisterRef::LockRequest { .. } => None,
            RegisterRef::DataMemory { byte } => self.memory[index].word(byte),
            register => Some(self.read_register(index, register, offset)),
        }
    }

    fn decode(&self, address: u32) -> Result<(usize, RegisterRef, u32), BusFault> {
        if !address.is_multiple_of(4) {
            return Err(BusFault::Unaligned { address });
        }
        let (loc, offset) = self.device.split_address(address);
        let device = self.device.name();
        let TileLoc { col, row } = loc;
        let no_tile = BusFault::NoTile {
            address,
            col,
            row,
            device,
        };
        let tile = self.grid.index(loc).ok_or(no_tile)?;
        let map = self.device.register_map(loc);
        let register = map.and_then(|map| map.decode(offset));
        let unmapped = BusFault::Unmapped {
            address,
            tile: loc,
            offset,
        };
        Ok((tile, register.ok_or(unmapped)?, offset))
    }

    /// Where a tile-local offset leads inside its tile; for control packets.
    pub(super) fn decode_local(&self, tile: usize, offset: u32) -> Option<RegisterRef> {
        let map = self.device.register_map(self.grid.loc(tile))?;
        map.decode(offset)
    }

    pub(super) fn write_register(
        &mut self,
        tile: usize,
        register: RegisterRef,
        offset: u32,
        value: u32,
    ) {
        let now = self.now;
        if !is_memory(register) {
            let what = || TraceEvent::RegisterWritten { offset, value };
            self.events.trace(tile, now, what);
        }
        self.report_fields(tile, register, value);
        match register {
            RegisterRef::DataMemory { byte } => {
                let memory = Memory::Tile(self.grid.loc(tile));
                if let Some(races) = &mut self.races {
                    races.writes(memory, byte.into(), WORD_BYTES, now);
                }
                let bytes = WORD_BYTES as u32;
                if self.events.watches(self.grid.loc(tile), byte, bytes) {
                    self.events.trace(tile, now, || TraceEvent::WatchedAccess {
                        by: None,
                        address: byte,
                        bytes,
                        writes: true,
                    });
                }
                if !self.memory[tile].set_word(byte, value) {
                    self.broken(internal!(
                        "data memory ends before byte {byte:#x}, the map doesn't"
                    ));
                }
            }
            RegisterRef::ProgramMemory { byte } => {
                if let Some(core) = &mut self.cores[tile] {
                    core.write_program(byte, value);
                }
            }
            RegisterRef::LockValue { id } => {
                let value = (value & LOCK_VALUE_MASK) as i32;
                let lock = LockId::new(self.grid.loc(tile), id);
                let set = value as i8;
                self.trace(lock.tile, now, || TraceEvent::LockSet { lock, value: set });
                let grants = self.locks[tile].set(u32::from(id), value, now);
                if let Some(races) = &mut self.races {
                    races.lock_set(lock, value.unsigned_abs());
                    races.granted(lock, &grants);
                }
                self.grants.extend(grants);
            }
            RegisterRef::BdWord { bd, word } => {
                if self.dma[tile].bds.read(bd, word) != value {
                    self.check_bd_in_use(tile, bd);
                }
                self.dma[tile].bds.write(bd, word, value);
            }
            RegisterRef::DmaCtrl { dir, channel } => {
                self.shadow[tile].insert(offset, value);
                self.write_dma_control(tile, dir, channel, value);
            }
            RegisterRef::DmaQueue { dir, channel } => {
                let id = ChannelId::new(self.grid.loc(tile), dir, channel);
                self.push_task(tile, id, value);
            }
            RegisterRef::PadValue { channel } => {
                self.shadow[tile].insert(offset, value);
                if let Some(channel) = self.dma[tile].channel_mut(DmaDir::Mm2s, channel) {
                    channel.pad_value = value;
                }
            }
            RegisterRef::MasterConfig { .. }
            | RegisterRef::SlaveConfig { .. }
            | RegisterRef::SlaveSlot { .. } => {
                if self.write_switch(tile, register, value).is_none() {
                    let tile = self.grid.loc(tile);
                    self.broken(internal!("tile {tile} has a port in the register map only"));
                }
            }
            RegisterRef::ShimMux | RegisterRef::ShimDemux => {
                self.shadow[tile].insert(offset, value);
                let into = register == RegisterRef::ShimMux;
                self.write_shim_mux(tile, if into { MuxDir::In } else { MuxDir::Out }, value);
            }
            RegisterRef::CoreControl => {
                self.shadow[tile].insert(offset, value);
                self.control_core(tile, CoreControl::unpack(value));
            }
            RegisterRef::CascadeControl => {
                self.shadow[tile].insert(offset, value);
                let CascadeControl { from_west, to_east } = CascadeControl::unpack(value);
                let before = self.cascades[tile].input;
                self.cascades[tile].input = Axis::horizontal_if(from_west);
                self.cascades[tile].output = Axis::horizontal_if(to_east);
                if self.cascades[tile].input != before {
                    self.check_late_cascade(tile);
                }
                self.wake_cores_around(tile);
            }
            // Read only.
            RegisterRef::DmaStatus { .. } | RegisterRef::CoreStatus => {}
            RegisterRef::Known { module, .. } => self.write_known(tile, module, offset, value),
            RegisterRef::EventGenerate { module } => {
                self.emit(tile, now, HwEvent::Number(module, value as u8));
            }
            RegisterRef::TileControl
            | RegisterRef::ControllerMemory { .. }
            | RegisterRef::LockRequest { .. } => {
                self.write_unmodelled(tile, register, offset, value);
            }
        }
    }

    /// Reports fields that have no effect here, and bits that aren't any field's.
    fn report_fields(&mut self, tile: usize, register: RegisterRef, value: u32) {
        let modelled = matches!(
            register,
            RegisterRef::BdWord { .. }
                | RegisterRef::DmaCtrl { .. }
                | RegisterRef::DmaQueue { .. }
                | RegisterRef::MasterConfig { .. }
                | RegisterRef::SlaveConfig { .. }
                | RegisterRef::SlaveSlot { .. }
                | RegisterRef::ShimMux
                | RegisterRef::ShimDemux
                | RegisterRef::CoreControl
                | RegisterRef::CascadeControl
        );
        if !modelled || value == 0 {
            return;
        }
        let loc = self.grid.loc(tile);
        let map = self.device.register_map(loc);
        let Some((row, _)) = map.and_then(|map| map.register(register)) else {
            return;
        };
        let fields = row.fields();
        for field in fields {
            if field.get(value) != 0 && UNMODELLED_FIELDS.contains(&field.name) {
                let part = UnmodelledPart::Field(field.name);
                let bits = value & field.mask();
                self.log.unmodelled_part(row.template(), part, bits, loc);
            }
        }
        let known = fields.iter().fold(0, |mask, field| mask | field.mask());
        let rest = value & !known;
        // A register without fields is one number.
        if rest != 0 && !fields.is_empty() {
            let part = UnmodelledPart::Bits;
            self.log.unmodelled_part(row.template(), part, rest, loc);
        }
    }

    /// Records a hazard caused by the current writer on the register bus.
    fn note_hazard(&mut self, kind: HazardKind) {
        let writer = self.races().and_then(Races::register_writer);
        self.hazards.note(self.now, kind, writer);
    }

    /// A core's cascade input was turned: a hazard if the core that sends there runs.
    fn check_late_cascade(&mut self, tile: usize) {
        let Some(sender) = cascade_sender(&self.grid, &self.cascades, tile) else {
            return;
        };
        let core = self.cores[sender].as_ref();
        if core.is_some_and(|core| core.is_running()) {
            let kind = HazardKind::LateCascade {
                tile: self.grid.loc(tile),
                sender: self.grid.loc(sender),
            };
            self.note_hazard(kind);
        }
    }

    /// A rule of a switch input is about to be written: a hazard if words wait there and the rule replaces
    /// another, or if it isn't known whether they wait for their first rule.
    fn check_late_rule(&mut self, tile: usize, slave: usize, slot: usize, value: u32) {
        let input = &self.net.switches[tile].slaves[slave];
        let before = input.slot_raw.get(slot).copied().unwrap_or(value);
        let replaces = before != value && SwitchSlot::unpack(before).enable;
        let late = before != value && self.device.has_cert();
        if (replaces || late) && !self.net.fabric.pipe(input.pipe).is_empty() {
            let slave = input.actor;
            self.note_hazard(HazardKind::LateRule { slave });
        }
    }

    /// A BD is about to change: a hazard if an unfinished task can load it.
    fn check_bd_in_use(&mut self, tile: usize, bd: u8) {
        let dma = &self.dma[tile];
        let channels = dma.channels.iter().filter(|c| !c.is_quiescent());
        let users = channels.filter(|channel| dma.uses(channel, bd));
        let users: Vec<ChannelId> = users.map(|channel| channel.id).collect();
        let tile = self.grid.loc(tile);
        for user in users {
            self.note_hazard(HazardKind::BdInUse { tile, bd, user });
        }
    }

    /// Keeps a value that has no effect here, and reports that.
    fn write_unmodelled(&mut self, tile: usize, register: RegisterRef, offset: u32, value: u32) {
        let name = match register {
            RegisterRef::TileControl if value == 0 => None,
            RegisterRef::TileControl => Some("Tile_Control (isolation)"),
            RegisterRef::ControllerMemory { .. } => Some("uC memory"),
            _ => Some("Lock_Request (write)"),
        };
        self.keep(tile, offset, value, name);
    }

    /// Keeps a value, and reports the register if that has no effect here.
    pub(super) fn keep(
        &mut self,
        tile: usize,
        offset: u32,
        value: u32,
        unmodelled: Option<&'static str>,
    ) {
        self.shadow[tile].insert(offset, value);
        if let Some(register) = unmodelled {
            self.log.unmodelled(register, self.grid.loc(tile));
        }
    }

    /// Clears a memory; the bit that asks for it reads back as 0 when it is done, that is at once.
    fn zero_memory(&mut self, tile: usize, module: Module) {
        match (module, &mut self.cores[tile]) {
            (Module::Core, Some(core)) => core.program.zero(),
            (Module::Memory | Module::MemTile, _) => {
                self.memory[tile].zero();
                let bytes = self.memory[tile].len().into();
                if let Some(races) = &mut self.races {
                    races.writes(Memory::Tile(self.grid.loc(tile)), 0, bytes, self.now);
                }
            }
            _ => {}
        }
    }

    /// Purpose of a register that [`RegisterRef`] only names, and its row in the manual's table.
    fn role(&self, tile: usize, offset: u32) -> Option<(RegisterRole, &'static Register)> {
        let map = self.device.register_map(self.grid.loc(tile))?;
        map.role_at(offset)
    }

    fn write_known(&mut self, tile: usize, module: Module, offset: u32, value: u32) {
        let Some((role, row)) = self.role(tile, offset) else {
            return;
        };
        let unmodelled = (!QUIET.contains(&role)).then(|| row.template());
        let locks = &mut self.locks[tile];
        match role {
            RegisterRole::MemoryControl => {
                let kept = value & !MEMORY_ZEROISATION;
                self.shadow[tile].insert(offset, kept);
                if value & MEMORY_ZEROISATION != 0 {
                    self.zero_memory(tile, module);
                }
            }
            // Sticky bits, cleared by writing 1.
            RegisterRole::LocksOverflow(word) => {
                locks.overflow &= !(u64::from(value) << (32 * word))
            }
            RegisterRole::LocksUnderflow(word) => {
                locks.underflow &= !(u64::from(value) << (32 * word));
            }
            RegisterRole::DeterministicMerge(arbiter, word) => {
                self.shadow[tile].insert(offset, value);
                let arbiters = &mut self.net.switches[tile].arbiters;
                if let Some(state) = arbiters.get_mut(usize::from(arbiter)) {
                    state.merge.write(word, value);
                    let arbiter = ActorId::arbiter(self.grid.loc(tile), arbiter);
                    self.net.fabric.sched.wake(arbiter);
                }
            }
            RegisterRole::StreamSwitchReset | RegisterRole::NocModuleReset => {
                self.write_reset(tile, role, row, offset, value);
            }
            RegisterRole::Event(register) => {
                let event = (module, register);
                if !self.write_event_register(tile, event, row, offset, value) {
                    self.keep(tile, offset, value, unmodelled);
                }
            }
            _ => self.keep(tile, offset, value, unmodelled),
        }
    }

    pub(super) fn read_register(&mut self, tile: usize, register: RegisterRef, offset: u32) -> u32 {
        let now = self.now;
        match register {
            RegisterRef::DataMemory { byte } => {
                let memory = Memory::Tile(self.grid.loc(tile));
                if let Some(races) = &mut self.races {
                    races.reads(memory, byte.into(), WORD_BYTES, now);
                }
                let word = self.memory[tile].word(byte);
                self.mapped(word, tile, "data memory")
            }
            RegisterRef::ProgramMemory { byte } => {
                let core = self.cores[tile].as_ref();
                let word = core.and_then(|core| core.program.word(byte));
                self.mapped(word, tile, "program memory")
            }
            RegisterRef::LockValue { id } => self.locks[tile].value(u32::from(id)) as u32,
            RegisterRef::LockRequest { id, acquire, value } => {
                let lock = LockId::new(self.grid.loc(tile), id);
                let (id, value) = (u32::from(id), i32::from(value));
                if acquire {
                    let need = LockNeed::from_operand(value);
                    let acquired = self.locks[tile].try_acquire(id, need, now);
                    if let Some(races) = self.races.as_mut().filter(|_| acquired) {
                        races.lock_requested(lock, need, now);
                    }
                    return u32::from(acquired);
                }
                if let Some(races) = &mut self.races {
                    races.lock_released(lock, value, now);
                }
                let (grants, out_of_range) = self.locks[tile].release(id, None, value, now);
                if let Some(races) = &mut self.races {
                    races.granted(lock, &grants);
                }
                self.grants.extend(grants);
                if let Some(value) = out_of_range {
                    self.log.fault(now, FaultKind::LockRange { lock, value });
                }
                1
            }
            RegisterRef::BdWord { bd, word } => self.dma[tile].bds.read(bd, word),
            RegisterRef::DmaStatus { dir, channel } => {
                let status = self.dma_status(tile, dir, channel);
                self.mapped(status, tile, "the status of a DMA channel")
            }
            RegisterRef::MasterConfig { port } => {
                let index = self.port_index(tile, PortSide::Master, port);
                let raw = index.map(|index| self.net.switches[tile].masters[index].raw);
                self.mapped(raw, tile, "a master port")
            }
            RegisterRef::SlaveConfig { port } => {
                let index = self.port_index(tile, PortSide::Slave, port);
                let raw = index.map(|index| self.net.switches[tile].slaves[index].raw);
                self.mapped(raw, tile, "a slave port")
            }
            RegisterRef::SlaveSlot { port, slot } => {
                let index = self.port_index(tile, PortSide::Slave, port);
                let raw = index.map(|index| self.net.switches[tile].slaves[index].slot_raw);
                let raw = raw.and_then(|raw| raw.get(usize::from(slot)).copied());
                self.mapped(raw, tile, "a rule slot")
            }
            RegisterRef::CoreStatus => self.view().core_status(tile),
            RegisterRef::Known { module, .. } => {
                let read = self.read_known(tile, module, offset);
                read.unwrap_or_else(|| self.read_shadow(tile, offset))
            }
            _ => self.read_shadow(tile, offset),
        }
    }

    /// A value that the register map promises; without it a fault.
    fn mapped(&mut self, value: Option<u32>, tile: usize, what: &str) -> u32 {
        value.unwrap_or_else(|| {
            let tile = self.grid.loc(tile);
            self.broken(internal!("tile {tile} has {what} in the register map only"));
            0
        })
    }

    /// An invariant of the model doesn't hold: the run ends.
    pub(super) fn broken(&mut self, error: InternalError) {
        self.log.fault(self.now, error.into());
    }

    /// The word written last; 0 after reset.
    pub(super) fn read_shadow(&self, tile: usize, offset: u32) -> u32 {
        self.shadow[tile].get(&offset).copied().unwrap_or(0)
    }

    /// A register that doesn't keep what was written.
    fn read_known(&mut self, tile: usize, module: Module, offset: u32) -> Option<u32> {
        let (role, _) = self.role(tile, offset)?;
        let locks = &self.locks[tile];
        let dma = &mut self.dma[tile];
        match role {
            RegisterRole::Event(register) => self.read_event_register(tile, module, register),
            RegisterRole::CurrentWriteCount(channel) => {
                let channel = dma.channel_mut(DmaDir::S2mm, channel);
                Some(channel.map_or(0, |channel| channel.moved()))
            }
            RegisterRole::CountFifoPop(channel) => {
                let channel = dma.channel_mut(DmaDir::S2mm, channel)?;
                let count = channel.count_fifo.pop_front();
                // The channel may wait for the free place.
                self.net.fabric.sched.wake(channel.actor());
                Some(count.map_or(0, Count::word))
            }
            RegisterRole::LocksOverflow(word) => Some((locks.overflow >> (32 * word)) as u32),
            RegisterRole::LocksUnderflow(word) => Some((locks.underflow >> (32 * word)) as u32),
            _ => None,
        }
    }

    fn port_index(&self, tile: usize, side: PortSide, port: Port) -> Option<usize> {
        let index = self.grid.tiles[tile].model.switch.index(side, port)?;
        Some(usize::from(index))
    }

    /// Configures a port of a switch; `None` if it has no such port.
    fn write_switch(&mut self, tile: usize, register: RegisterRef, value: u32) -> Option<()> {
        match register {
            RegisterRef::MasterConfig { port } => {
                let index = self.port_index(tile, PortSide::Master, port)?;
                let master = &mut self.net.switches[tile].masters[index];
                master.raw = value;
                master.config = SwitchMaster::unpack(value);
            }
            RegisterRef::SlaveConfig { port } => {
                let index = self.port_index(tile, PortSide::Slave, port)?;
                let slave = &mut self.net.switches[tile].slaves[index];
                let before = slave.config;
                slave.raw = value;
                slave.config = SwitchSlave::unpack(value);
                if slave.config != before {
                    packet::forget(&mut self.net, tile, index);
                }
            }
            RegisterRef::SlaveSlot { port, slot } => {
                let index = self.port_index(tile, PortSide::Slave, port)?;
                self.check_late_rule(tile, index, slot.into(), value);
                let slave = &mut self.net.switches[tile].slaves[index];
                if let Some(rule) = slave.slots.get_mut(usize::from(slot)) {
                    *rule = SwitchSlot::unpack(value);
                    slave.slot_raw[usize::from(slot)] = value;
                }
            }
            _ => return None,
        }
        self.net.reconfigured(tile);
        self.last_progress = self.now;
        Some(())
    }
}
