//! The model of the array, driven by register writes and by time.
//!
//! [`Array`] owns every tile: data and program memories, locks, DMA channels, stream switches,
//! cores, and the host memory that the shims reach. The outside acts on it through one register bus
//! ([`Array::bus_write`], [`Array::bus_read`]); nothing else configures it.
//!
//! It is event driven. Actors (cores, channels, slave ports, arbiters) sleep until an event comes
//! due or another actor wakes them; the order of events is fixed
//! (`sched`), so a run is a function of the writes and their cycles. Words travel in pipes with
//! time stamps (`pipe`), which lets a burst move at once without losing its timing.
//!
//! Units: addresses and offsets in bytes, lengths in 32-bit words, time in array clock cycles.
//! Known simplifications are in the docs of the parts: [`token`], `dma::channel`,
//! `stream_switch`, [`lock`].

mod actor;
pub mod address;
mod bd;
mod breakpoint;
mod bursts;
mod bus;
mod cascade;
mod claim;
mod control_packet;
mod core_choice;
mod core_port;
mod core_registers;
mod core_tile;
mod dma;
mod event;
mod fabric;
pub mod fault;
mod firmware_operation;
mod grid;
mod hazard;
mod hw_event;
pub mod lock;
pub mod memory;
mod observe;
mod pipe;
mod port_sample;
mod print;
mod progress;
pub(crate) mod races;
mod releasers;
mod reset;
mod sched;
mod shim_mux;
mod sink;
pub mod stats;
mod stored_enum;
mod stream_switch;
mod tick_queue;
mod tile;
mod tile_context;
pub mod timing;
pub mod token;
mod totals;
mod trace_codec;
mod trace_event;
mod trace_log;
mod trace_spill;
mod view;
pub mod wait_reason;
mod wait_state;

use std::collections::{BTreeSet, VecDeque};

use aiec_device::{ChannelId, DeviceModel, LockId, TileLoc};

use crate::bank::Banks;
use crate::core::{CoreProfile, CoreSettings};
use crate::host::HostMemory;
use crate::jitter::Jitter;
use crate::time::Cycle;
use cascade::Cascade;
use core_tile::CoreTile;
use dma::Dma;
use grid::{Grid, TileInfo};
use lock::{Grant, LockBank};
use memory::Memory;
use sched::Event;
use stream_switch::{Net, packet};
use tile_context::TileContext;

pub use actor::{ActorId, ActorKind, ActorOrJob, JobId};
pub use breakpoint::{BreakCondition, Breakpoint, MemoryWatch, WatchedAccesses};
pub use core_tile::CorePosition;
pub use fault::{BusFault, DmaFault, Fault, FaultKind, Unmapped, Unmodelled, UnmodelledPart};
pub use firmware_operation::{FirmwareOperation, FirmwareProgram};
pub use hazard::{Hazard, HazardKind};
pub use hw_event::HwEvent;
pub use lock::{LockChange, LockNeed};
pub use print::CorePrint;
pub use progress::ChannelProgress;
pub use races::{ControlOrder, JobPlace, ThreadName};
pub use stats::{
    ChannelCounts, ChannelStats, ChannelTimes, CoreStats, CoreTimes, PortStates, PortStats, Stats,
};
pub use stream_switch::packet::PacketHeader;
pub use timing::Timing;
pub use token::Token;
pub use totals::{JobTotals, LockStalls, Totals};
pub use trace_event::{JobWaitKind, StallKind, TraceEvent, TraceRecord};
pub(crate) use trace_log::ProgramLoops;
pub use trace_spill::SpilledTrace;
pub use view::ArrayView;
pub use wait_reason::{Leftover, Wait, WaitReason};
pub(crate) use wait_state::StreamEnds;

/// The array of one device with its host memory.
#[derive(Clone, Debug)]
pub struct Array {
    /// Host memory, which the shim DMAs read and write.
    pub host: HostMemory,
    device: &'static DeviceModel,
    timing: Timing,
    now: Cycle,
    /// Cycle up to which it runs now; 0 between its events.
    until: Cycle,
    /// Cycle in which an actor other than a core last acted.
    last_progress: Cycle,
    grid: Grid,
    net: Net,
    /// Data memories, lock banks, DMAs, cores and cascades, by tile index.
    memory: Vec<Memory>,
    banks: Vec<Banks>,
    locks: Vec<LockBank>,
    dma: Vec<Dma>,
    cores: Vec<Option<Box<CoreTile>>>,
    core_settings: CoreSettings,
    /// Cycles of cores that start are counted by instruction.
    profiled: bool,
    /// Output of `aie.debug`.
    prints: print::Prints,
    /// The kernels that the programs of cores that started call.
    kernels_called: BTreeSet<String>,
    cascades: Vec<Cascade>,
    control: Vec<control_packet::Handler>,
    /// Registers that only keep what was written, by tile index.
    shadow: Vec<bus::ShadowRegisters>,
    /// Tokens in flight, in order of arrival.
    tokens: VecDeque<Token>,
    /// Tokens that arrived, by column.
    arrived: Vec<Vec<Token>>,
    /// Number of tokens in `arrived`.
    untaken: usize,
    log: fault::FaultLog,
    hazards: hazard::Hazards,
    events: event::Events,
    /// Packets that arrive at the shims' controllers.
    sinks: Vec<sink::Sink>,
    grants: Vec<Grant>,
    races: Option<Box<races::Races>>,
    /// The run has completed: open waits aren't stalls, because nothing is still to come.
    rests: bool,
}

/// Cycles that a part of the model works ahead of the clock at most when latencies are random.
const JITTER_LOOKAHEAD: Cycle = 8;

impl Array {
    /// The array of a device after reset, with nothing in its memories.
    pub fn new(device: &'static DeviceModel, timing: Timing) -> Array {
        let grid = Grid::new(device);
        let net = tile::build_net(device, &grid, &timing);
        let arch = device.arch();
        let switches = grid.tiles.iter().zip(&net.switches);
        let dma = switches.map(|(info, switch)| tile::build_dma(arch, info, switch));
        let bank = |info: &TileInfo| Banks::new(arch, info.kind, timing.bank_conflicts);
        let units = |info: &TileInfo| event::TileEventUnits::new(arch, info.kind, info.loc);
        Array {
            host: HostMemory::new(),
            device,
            now: 0,
            until: 0,
            last_progress: 0,
            memory: grid.per_tile(|info| Memory::new(info.model.memory_bytes)),
            banks: grid.per_tile(bank),
            locks: grid.per_tile(|info| LockBank::new(info.model.locks.into())),
            dma: dma.collect(),
            cores: grid.per_tile(|info| CoreTile::of(info, &grid)),
            core_settings: CoreSettings::default(),
            profiled: false,
            prints: print::Prints::default(),
            kernels_called: BTreeSet::new(),
            cascades: grid.per_tile(|_| Cascade::default()),
            control: grid.per_tile(|_| control_packet::Handler::default()),
            shadow: grid.per_tile(|_| bus::ShadowRegisters::default()),
            tokens: VecDeque::new(),
            arrived: vec![Vec::new(); usize::from(device.columns())],
            untaken: 0,
            log: fault::FaultLog::default(),
            hazards: hazard::Hazards::default(),
            events: event::Events {
                tiles: grid.per_tile(units),
                log: None,
            },
            sinks: grid.per_tile(|_| sink::Sink::default()),
            grants: Vec::new(),
            races: None,
            rests: false,
            timing,
            net,
            grid,
        }
    }

    /// The device.
    pub fn device(&self) -> &'static DeviceModel {
        self.device
    }

    /// The table of latencies in use.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Cycle that the array has reached.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Cycle in which an actor other than a core last acted.
    pub fn last_movement(&self) -> Cycle {
        self.last_progress
    }

    /// The cycle of the next event; `None` when nothing moves without a write from outside.
    pub fn next_event(&self) -> Option<Cycle> {
        self.net.fabric.sched.next_event()
    }

    /// Lets the array run up to and including cycle `to`.
    pub fn advance(&mut self, to: Cycle) {
        self.run_until_idle();
        self.until = to;
        while self.step(to) {}
        self.until = 0;
        self.now = self.now.max(to);
    }

    /// Lets the array run up to and including cycle `to`, but stops after the event that brings
    /// a token to a micro-controller or a fault. Unlike [`Array::advance`] it doesn't move the
    /// clock beyond the last event.
    pub fn advance_until_news(&mut self, to: Cycle) {
        let faults = self.log.faults.len();
        self.run_until_idle();
        self.until = to;
        while self.untaken == 0
            && self.log.faults.len() == faults
            && !self.is_stopped()
            && self.step(to)
        {}
        self.until = 0;
    }

    /// Runs the next event due by cycle `to`; returns false if there is none.
    fn step(&mut self, to: Cycle) -> bool {
        let event = self.net.fabric.sched.pop_due(to);
        event.map(|event| self.take_event(event)).is_some()
    }

    /// A hardware event of a tile at a cycle.
    fn emit(&mut self, tile: usize, at: Cycle, what: HwEvent) {
        self.events.emit(&mut self.net.fabric.sched, tile, at, what);
    }

    /// Runs an event, and everything that it wakes in its cycle.
    fn take_event(&mut self, event: Event) {
        self.now = self.now.max(event.at);
        self.run(event.who);
        self.run_until_idle();
    }

    /// Whether tokens reached a micro-controller and were not taken.
    pub fn has_tokens(&self) -> bool {
        self.untaken > 0
    }

    /// Tokens that reached the micro-controller of a column since the last call, in order.
    pub fn take_tokens(&mut self, col: u8) -> Vec<Token> {
        let arrived = self.arrived.get_mut(usize::from(col));
        let tokens = arrived.map(std::mem::take).unwrap_or_default();
        self.untaken -= tokens.len();
        tokens
    }

    /// Drops the tokens that arrived and those in flight.
    pub(crate) fn drop_tokens(&mut self) {
        self.tokens.clear();
        self.arrived.iter_mut().for_each(Vec::clear);
        self.untaken = 0;
    }

    /// Faults of the design so far, in order of time.
    pub fn faults(&self) -> &[Fault] {
        &self.log.faults
    }

    /// Registers, and fields of them, that were written so far and have no effect in this model,
    /// each once.
    pub fn unmodelled(&self) -> impl Iterator<Item = &Unmodelled> {
        self.log.unmodelled.values()
    }

    /// Hazards so far, each once.
    pub fn hazards(&self) -> impl Iterator<Item = &Hazard> {
        self.hazards.found.values()
    }

    /// Accesses of a tile's data memory that had to wait for a bank, by bank; empty where banks
    /// are not modelled.
    pub fn bank_conflicts(&self, tile: TileLoc) -> &[u64] {
        let index = self.grid.index(tile);
        index.map_or(&[], |index| &self.banks[index].conflicts)
    }

    /// Lets the run continue after writes to unmapped addresses, which are reported; reads from
    /// them give 0.
    pub fn allow_unmapped(&mut self) {
        self.log.unmapped.get_or_insert_default();
    }

    /// Writes to unmapped addresses so far, each address once.
    pub fn unmapped(&self) -> impl Iterator<Item = &Unmapped> {
        self.log.unmapped.iter().flat_map(|all| all.values())
    }

    /// Value of a lock; `None` if the tile has no such lock.
    pub fn lock_value(&self, lock: LockId) -> Option<i32> {
        let bank = &self.locks[self.grid.index(lock.tile)?];
        let id = u32::from(lock.index);
        (id < bank.len()).then(|| bank.value(id))
    }

    /// Data memory of a tile; empty in shim tiles, `None` off the grid.
    pub fn data_memory(&self, tile: TileLoc) -> Option<&Memory> {
        self.grid.index(tile).map(|index| &self.memory[index])
    }

    /// Program memory of a core tile; `None` for other tiles.
    pub fn program_memory(&self, tile: TileLoc) -> Option<&Memory> {
        self.core(tile).map(|core| &core.program)
    }

    /// Where the core of a tile is in its program; `None` if it was never started, or its engine
    /// knows no instructions.
    pub fn core_position(&self, tile: TileLoc) -> Option<CorePosition> {
        self.core(tile)?.position()
    }

    /// The latest cycle that the program of a core has come to, which may be ahead of the clock.
    pub(crate) fn core_time(&self) -> Cycle {
        let cores = self.cores.iter().flatten();
        cores.map(|core| core.program_time()).max().unwrap_or(0)
    }

    /// Whether a clone goes on as the array does: not where functions of the host act for cores, whose state is their own.
    pub(crate) fn can_be_copied(&self) -> bool {
        self.cores.iter().flatten().all(|core| core.can_be_copied())
    }

    /// Counts the cycles of cores that start from now on by instruction.
    pub fn profile_cores(&mut self) {
        self.profiled = true;
    }

    /// Cycles of the programs of a tile's core by instruction, with the programs' checksums, if
    /// they were counted.
    pub fn core_profiles(&self, tile: TileLoc) -> impl Iterator<Item = (u32, &CoreProfile)> {
        let core = self.core(tile).into_iter();
        core.flat_map(CoreTile::profiles)
    }

    /// The core of a tile, if it has one.
    fn core(&self, tile: TileLoc) -> Option<&CoreTile> {
        self.cores[self.grid.index(tile)?].as_deref()
    }

    /// The values that cores showed, in order of time.
    pub fn prints(&self) -> Vec<&CorePrint> {
        let mut prints: Vec<&CorePrint> = self.prints.kept.iter().collect();
        prints.sort_by_key(|print| print.at);
        prints
    }

    /// Number of values shown beyond those that are kept.
    pub fn dropped_prints(&self) -> u64 {
        self.prints.dropped
    }

    /// The registers of a core that executes machine code.
    pub fn core_registers(&self, tile: TileLoc) -> Option<String> {
        self.core(tile)?.registers()
    }

    /// Draws extra latencies from a seed from now on. The lookahead is bounded then, because accesses that act long
    /// before their time would hide races from the data.
    pub fn jitter(&mut self, seed: u64) {
        self.timing.lookahead = self.timing.lookahead.min(JITTER_LOOKAHEAD);
        self.net.fabric.sched.jitter = Jitter::seeded(seed);
    }

    /// Moves words one by one instead of in bursts from now on, executes the instructions of cores
    /// one by one instead of in loops, and each operation of cores on locks in a run of its own: slower, with the same
    /// outcome, so that the fast paths can be tested.
    pub fn disable_bursts(&mut self) {
        self.net.fabric.word_by_word = true;
        self.core_settings.no_loop_fusion = true;
    }

    /// Fills the memories of all mem tiles with a pattern: after a context switch they may hold anything.
    pub fn poison_mem_tiles(&mut self) {
        /// Byte that no design expects.
        const PATTERN: u8 = 0xA5;
        for (info, memory) in self.grid.tiles.iter().zip(&mut self.memory) {
            if info.kind == aiec_device::TileKind::Mem {
                memory.bytes_mut().fill(PATTERN);
            }
        }
    }

    /// Runs everything that was woken, until all sleep.
    fn run_until_idle(&mut self) {
        loop {
            if !self.grants.is_empty() {
                self.report_grants();
            }
            if !self.net.fabric.samples.is_empty() {
                self.report_samples();
            }
            match self.net.fabric.sched.next_woken() {
                Some(who) => self.run(who),
                None => return,
            }
        }
    }

    /// Hands locks to the actors whose requests were granted.
    fn report_grants(&mut self) {
        let mut grants = std::mem::take(&mut self.grants);
        for Grant { who, at, .. } in grants.drain(..) {
            let tile = self.grid.at(who.tile());
            let acquired = match who.kind() {
                ActorKind::Channel(id) => {
                    self.net.fabric.sched.wake(who);
                    let channel = self.dma[tile].channel_mut(id.dir, id.index);
                    channel.and_then(|channel| {
                        channel.granted = Some(at);
                        channel.requested_lock()
                    })
                }
                _ => {
                    self.net.fabric.sched.schedule(at, who);
                    self.cores[tile].as_mut().and_then(|core| {
                        core.granted = Some(at);
                        core.requested_lock()
                    })
                }
            };
            if let Some((lock, need)) = acquired {
                let value = self.locks[self.grid.at(lock.tile)].value(lock.index.into()) as i8;
                let sched = &mut self.net.fabric.sched;
                self.events
                    .emit_acquired(sched, &self.grid, who, (lock, need, value), at);
            }
        }
        // nothing was granted meanwhile
        self.grants = grants;
    }

    fn run(&mut self, who: ActorId) {
        if who.kind() != ActorKind::Core {
            self.last_progress = self.now;
        }
        let tile = self.grid.at(who.tile());
        match who.kind() {
            ActorKind::SlavePort(index) => {
                self.net
                    .run_slave(tile, usize::from(index), self.now, &self.timing);
            }
            ActorKind::Arbiter(index) => packet::run_arbiter(&mut self.net, tile, index, self.now),
            ActorKind::Channel(id) => self.run_channels(tile, id),
            ActorKind::Core => self.run_core(tile),
            ActorKind::ControlPort => self.run_control(tile),
            ActorKind::TokenPath => self.deliver_tokens(),
            ActorKind::EventUnits => self.run_events(tile),
            ActorKind::TokenSink => self.run_sink(tile),
            // these don't act in the array's events
            ActorKind::Controller
            | ActorKind::ControllerDma
            | ActorKind::Host
            | ActorKind::MasterPort(_) => {}
        }
    }

    /// Runs a channel, and those that are woken next as long as nothing else is to be done between them: channels wake one another
    /// several times in a cycle.
    fn run_channels(&mut self, tile: usize, mut id: ChannelId) {
        let (dma, _, mut ctx) = self.split(tile, ActorId::channel(id));
        loop {
            if let Some((channel, bds)) = dma[ctx.tile].channel_and_bds(id) {
                channel.run(bds, &mut ctx);
            }
            let fabric = &mut ctx.net.fabric;
            if !ctx.grants.is_empty() || !fabric.samples.is_empty() {
                return;
            }
            let Some((who, channel)) = fabric.sched.next_woken_channel() else {
                return;
            };
            id = channel;
            ctx.turn_to(who, channel.tile);
        }
    }

    fn deliver_tokens(&mut self) {
        let now = self.now;
        while self.tokens.front().is_some_and(|token| token.at <= now)
            && let Some(token) = self.tokens.pop_front()
        {
            self.deliver_token(token.tile.col, token);
        }
    }

    /// A token reaches the controller of a column.
    fn deliver_token(&mut self, column: u8, token: Token) {
        let (tile, at, actor) = (token.tile, token.at, token.actor);
        if let Some(arrived) = self.arrived.get_mut(usize::from(column)) {
            arrived.push(token);
            self.untaken += 1;
            self.trace(tile, at, || TraceEvent::TokenArrived { actor });
        }
    }

    /// All DMAs and cascades, and the context that an actor acts in: the rest of the array.
    fn split(&mut self, tile: usize, me: ActorId) -> (&mut [Dma], &mut [Cascade], TileContext<'_>) {
        let info = self.grid.tiles[tile];
        let ctx = TileContext {
            now: self.now,
            me,
            tile,
            loc: info.loc,
            kind: info.kind,
            device: self.device,
            timing: &self.timing,
            grid: &self.grid,
            net: &mut self.net,
            memory: &mut self.memory,
            banks: &mut self.banks,
            locks: &mut self.locks,
            control: &mut self.control,
            host: &mut self.host,
            tokens: &mut self.tokens,
            log: &mut self.log,
            events: &mut self.events,
            grants: &mut self.grants,
            races: self.races.as_deref_mut(),
        };
        (&mut self.dma, &mut self.cascades, ctx)
    }
}
