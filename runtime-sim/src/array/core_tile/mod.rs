//! A core: its program memory, enable and reset, and the machine that executes it.
//!
//! Enabling a core decodes its program memory. A core whose memory is empty does nothing until it is
//! enabled again, as zeros are no-ops (AIE2P): transactions of AMD enable cores before they load them. A
//! core that waits sleeps until the lock, the stream or the cascade wakes it.

mod scopes;
mod status;

use aiec_device::regmap::CoreControl;
use aiec_device::{DeviceModel, LockId, Side, TileLoc};
use aiec_vcode::DecodeError;

use super::Array;
use super::actor::ActorId;
use super::cascade::Axis;
use super::core_port::{CorePort, Windows, window_tiles};
use super::fault::FaultKind;
use super::grid::{Grid, TileInfo};
use super::hw_event::HwEvent;
use super::lock::LockNeed;
use super::memory::Memory;
use super::print::CorePrint;
use super::races::Races;
use super::stats::CoreTimes;
use super::stream_switch::Route;
use super::trace_event::{StallKind, TraceEvent};
use super::trace_log::TraceLog;
use crate::core::{
    AccessLog, CoreProfile, CoreStop, CoreWait, LoadError, MACHINE_CODE, RegisterAccess,
    RunningCore, StartedCore,
};
use crate::time::Cycle;

/// Most extra cycles of a step of a core when latencies are random.
const JITTER: Cycle = 30;

/// State of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum CoreState {
    /// In reset, or not enabled.
    #[default]
    Off,
    /// Enabled with an empty program memory: does nothing.
    Blank,
    /// Runs on at this cycle.
    Ready { at: Cycle },
    /// Waits to be woken.
    Waiting { on: CoreWait, since: Cycle },
    /// Its program has ended.
    Done,
    /// It stopped with a fault.
    Failed,
}

/// The event of a wait of the core.
fn stall_event(on: CoreWait, begins: bool) -> HwEvent {
    match stall_kind(on) {
        StallKind::Lock => HwEvent::CoreLockStall(begins),
        StallKind::Stream => HwEvent::CoreStreamStall(begins),
        StallKind::Cascade => HwEvent::CoreCascadeStall(begins),
    }
}

/// Kind of a wait of the core.
fn stall_kind(on: CoreWait) -> StallKind {
    match on {
        CoreWait::Acquire { .. } | CoreWait::Release { .. } | CoreWait::Register { .. } => {
            StallKind::Lock
        }
        CoreWait::StreamGet { .. } | CoreWait::StreamPut { .. } => StallKind::Stream,
        CoreWait::CascadeGet | CoreWait::CascadePut => StallKind::Cascade,
    }
}

/// Where a core is in its program. Instructions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorePosition {
    /// Checksum of the program.
    pub checksum: u32,
    /// The instruction that comes next, or that waits.
    pub at: u32,
    /// The calls that led to it, the innermost first.
    pub calls: Vec<u32>,
}

/// The core of one tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoreTile {
    pub program: Memory,
    control: CoreControl,
    machine: Option<Box<dyn RunningCore>>,
    /// The checksum of its program.
    checksum: u32,
    /// Cycles of the programs that it ran before, by checksum.
    profiles: Vec<(u32, CoreProfile)>,
    /// It has come to an instruction at which the run may stop, and has not said so yet.
    has_break: bool,
    /// The core's numbers of the locks that the program of the machine releases somewhere.
    releases: Vec<u8>,
    /// Locks by the core's numbers of them, when it has been enabled.
    pub locks: Box<[Option<LockId>]>,
    state: CoreState,
    /// When a lock that the core waits for was granted.
    pub granted: Option<Cycle>,
    /// The word of a register of its tile that the core accessed and has not seen yet.
    pub register_word: Option<u32>,
    /// The register of its tile that it accesses now.
    pub register_access: Option<RegisterAccess>,
    /// The lock that it waits for.
    pub waits_for: Option<LockId>,
    pub windows: Windows,
    window_bits: u32,
    pub route: Route,
    /// It was enabled since the start of the run.
    started: bool,
    /// Program memory was written since the last reset of the partition.
    loaded: bool,
    /// Cycles by state; a wait that goes on isn't counted yet.
    times: CoreTimes,
    /// Its accesses since it last did something that others can see.
    pub accesses: Box<AccessLog>,
    /// Values of the current event to show, with their cycles and instructions.
    pub prints: Vec<(Cycle, u32, String)>,
}

impl CoreTile {
    /// Stops the core for good.
    pub fn fail(&mut self) {
        self.state = CoreState::Failed;
    }

    /// It has a program that has not come to its end.
    pub fn runs_program(&self) -> bool {
        self.machine.is_some() && self.is_running()
    }

    /// The program of the core, of a tile, releases a lock somewhere.
    pub fn releases(&self, device: &DeviceModel, tile: TileLoc, lock: LockId) -> bool {
        let mut numbers = self.releases.iter();
        numbers.any(|&number| device.resolve_core_lock(tile, number) == Some(lock))
    }

    /// The core of a tile, in reset, if it has one.
    pub fn of(info: &TileInfo, grid: &Grid) -> Option<Box<CoreTile>> {
        if info.model.program_bytes == 0 {
            return None;
        }
        let owners = Side::ALL.into_iter().filter_map(|side| {
            let window = grid.device.core_window(info.loc, side)?;
            Some((grid.index(window.owner)?, side as usize))
        });
        let mut windows: Windows = owners.collect();
        windows.sort_unstable();
        Some(Box::new(CoreTile {
            program: Memory::new(info.model.program_bytes),
            control: CoreControl {
                enable: false,
                reset: true,
            },
            windows,
            window_bits: info.model.memory_bytes.trailing_zeros(),
            ..CoreTile::default()
        }))
    }

    /// Stores a word of program memory. A machine that is loaded already keeps its program.
    pub fn write_program(&mut self, byte: u32, value: u32) {
        self.loaded = true;
        // In range: the register map has checked it.
        let _ = self.program.set_word(byte, value);
    }

    /// The words of program memory.
    fn words(&self) -> Vec<u32> {
        let (words, _) = self.program.bytes().as_chunks();
        words.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// The lock that it waits for, with the condition.
    pub fn requested_lock(&self) -> Option<(LockId, LockNeed)> {
        let CoreState::Waiting {
            on: CoreWait::Acquire { operand, .. },
            ..
        } = self.state
        else {
            return None;
        };
        Some((self.waits_for?, LockNeed::from_operand(operand.into())))
    }

    /// Drops the machine, but not the cycles that it counted.
    fn unload(&mut self) {
        let machine = self.machine.take();
        let profile = machine.as_ref().and_then(|machine| machine.profile());
        let counted = profile.map(|profile| (self.checksum, profile.clone()));
        self.profiles.extend(counted);
        self.has_break = false;
    }

    /// Takes over the counters of the core from before a reset of the partition at a cycle.
    pub fn keep_records(&mut self, before: &mut CoreTile, now: Cycle) {
        if let CoreState::Waiting { on, since } = before.state {
            before.stalled(on, now.saturating_sub(since));
        }
        before.unload();
        self.started = before.started;
        self.times = before.times;
        self.profiles = std::mem::take(&mut before.profiles);
        std::mem::swap(&mut self.accesses, &mut before.accesses);
    }

    /// Cycles of the programs that it ran, with their checksums, if they were counted.
    pub fn profiles(&self) -> impl Iterator<Item = (u32, &CoreProfile)> {
        let running = self.machine.as_ref().and_then(|machine| machine.profile());
        let before = self
            .profiles
            .iter()
            .map(|(program, cycles)| (*program, cycles));
        before.chain(running.map(|profile| (self.checksum, profile)))
    }

    /// The number after that of the last instruction that program memory can hold: those of machine code are counted in bytes.
    fn instructions_end(&self) -> u32 {
        u32::try_from(self.program.bytes().len()).unwrap_or(u32::MAX)
    }

    /// Stops in front of the instructions that breakpoints are at, and watches the memory that they name, from now on.
    pub fn stop_at(&mut self, log: &TraceLog, tile: TileLoc, grid: &Grid) {
        let stops = self.observe_steps(log, tile, grid);
        if let Some(machine) = &mut self.machine {
            machine.stop_at(&stops);
        }
    }

    /// Keeps the steps that the log asks for; returns the instructions at which the core is to stop.
    fn observe_steps(&mut self, log: &TraceLog, tile: TileLoc, grid: &Grid) -> Vec<u32> {
        let watched = log.watched_ranges(&window_tiles(grid, &self.windows));
        let is_watched = !watched.is_empty();
        let traced = self.checksum == MACHINE_CODE;
        if traced || is_watched {
            let steps = self.accesses.steps.get_or_insert_default();
            (steps.traced, steps.watched) = (traced, watched);
        } else {
            self.accesses.steps = None;
        }
        log.core_stops(tile, (self.checksum, self.instructions_end()), is_watched)
    }

    /// Where it is in its program; `None` if it was never started, or its engine doesn't know.
    pub fn position(&self) -> Option<CorePosition> {
        let (at, calls) = self.machine.as_ref()?.position()?;
        Some(CorePosition {
            checksum: self.checksum,
            at,
            calls,
        })
    }

    /// The cycle that its program has come to, which may be ahead of the clock; 0 if it doesn't run.
    pub fn program_time(&self) -> Cycle {
        match self.state {
            CoreState::Ready { at } | CoreState::Waiting { since: at, .. } => at,
            CoreState::Off | CoreState::Blank | CoreState::Done | CoreState::Failed => 0,
        }
    }

    /// Whether all of its state is in it.
    pub fn can_be_copied(&self) -> bool {
        let machine = self.machine.as_ref();
        machine.is_none_or(|machine| machine.can_be_copied())
    }

    /// Its registers with their names and values, if its engine has any.
    pub fn register_values(&self) -> Vec<(String, String)> {
        let machine = self.machine.as_ref();
        machine
            .map(|machine| machine.register_values())
            .unwrap_or_default()
    }

    /// Its registers, if its engine has any.
    pub fn registers(&self) -> Option<String> {
        self.machine.as_ref()?.registers()
    }

    /// Counts a wait that is over.
    fn stalled(&mut self, on: CoreWait, cycles: Cycle) {
        *self.times.stall(stall_kind(on)) += cycles;
        if let Some(machine) = &mut self.machine {
            machine.stalled(cycles);
        }
    }

    /// Its program has come to its end.
    pub fn has_ended(&self) -> bool {
        self.state == CoreState::Done
    }

    /// Records its accesses that were not handed on yet.
    pub fn record_accesses(&mut self, grid: &Grid, tile: TileLoc, races: &mut Races) {
        let windows = window_tiles(grid, &self.windows);
        races.core_accesses(tile, &mut self.accesses, &windows);
    }

    /// Executes instructions.
    pub fn is_computing(&self) -> bool {
        matches!(self.state, CoreState::Ready { .. })
    }

    /// Executes instructions or waits to go on.
    pub fn is_running(&self) -> bool {
        self.is_computing() || matches!(self.state, CoreState::Waiting { .. })
    }
}

impl CorePort<'_, '_> {
    /// Ends the run at a later cycle, at which the next one begins.
    pub(super) fn restart(&mut self, at: Cycle) {
        self.end_accesses();
        self.core.times.busy += at - self.ctx.now;
        self.ctx.now = at;
        self.begin_accesses();
    }

    /// Prepares for the accesses of a run that begins at the current cycle.
    fn begin_accesses(&mut self) {
        if self.ctx.races.is_some() || self.core.accesses.steps.is_some() {
            self.core.accesses.begin_run(self.ctx.now);
        }
        self.reaches_memory = false;
    }

    /// Reports the bank conflicts of a run, which began at the current cycle.
    fn end_accesses(&mut self) {
        if self.reaches_memory {
            self.report_conflicts();
        }
    }

    #[inline(never)]
    fn report_conflicts(&mut self) {
        for window in 0..self.core.windows.len() {
            let (owner, _) = self.core.windows[window];
            self.ctx.report_conflicts(owner);
        }
    }

    /// Runs the machine from the current cycle on; returns the cycle at which the run ends.
    fn run(&mut self, machine: &mut dyn RunningCore, budget: u64) -> Cycle {
        self.begin_accesses();
        self.core.waits_for = None;
        self.resume = None;
        let run = machine.run(self, budget);
        self.end_accesses();
        let end = self.ctx.now + run.cycles;
        self.core.times.busy += run.cycles;
        self.core.state = if let Some(message) = self.fault.take() {
            self.report(end, message);
            CoreState::Failed
        } else {
            match run.stop {
                CoreStop::Waiting(on) => match self.resume {
                    Some(at) => {
                        let at = at + self.ctx.net.fabric.sched.jitter.draw(JITTER);
                        if at > end {
                            let kind = stall_kind(on);
                            *self.core.times.stall(kind) += at - end;
                            machine.stalled(at - end);
                            self.ctx
                                .trace(end, || TraceEvent::CoreStalled { kind, until: at });
                        }
                        CoreState::Ready { at }
                    }
                    None => {
                        self.ctx.emit(stall_event(on, true), end);
                        CoreState::Waiting { on, since: end }
                    }
                },
                CoreStop::Done => {
                    self.record_accesses();
                    self.ctx.emit(HwEvent::CoreActive(false), end);
                    CoreState::Done
                }
                CoreStop::Fault(fault) => {
                    self.report(end, fault.to_string());
                    CoreState::Failed
                }
                CoreStop::Break => {
                    self.core.has_break = true;
                    CoreState::Ready { at: end }
                }
                CoreStop::Budget => CoreState::Ready {
                    at: end.max(self.ctx.now + 1),
                },
            }
        };
        end
    }

    /// Nothing happens between the current event and a cycle, which is in the time that the array is to reach, so that the core may go
    /// on there at once. An observer wants to know of each run.
    pub(super) fn is_next(&self, at: Cycle) -> bool {
        let ctx = &*self.ctx;
        at <= self.until
            && !ctx.net.fabric.word_by_word
            && ctx.net.fabric.sched.is_next(at, ctx.me)
            && ctx.grants.is_empty()
            && ctx.net.fabric.samples.is_empty()
            && self.core.register_access.is_none()
            && ctx.events.log.is_none()
            && ctx.log.faults.is_empty()
    }
}

impl Array {
    /// An event enables or disables a core.
    pub(super) fn switch_core(&mut self, tile: usize, enable: bool) {
        if let Some(core) = &self.cores[tile] {
            let control = CoreControl {
                enable,
                ..core.control
            };
            self.control_core(tile, control);
        }
        if let Some(races) = &mut self.races {
            races.core_switched(self.grid.loc(tile));
        }
    }

    /// Takes over a value of Core_Control.
    pub(super) fn control_core(&mut self, tile: usize, control: CoreControl) {
        let loc = self.grid.loc(tile);
        let me = ActorId::core(loc);
        let at = self.now + self.timing.core_start + self.net.fabric.sched.jitter.draw(JITTER);
        let Some(core) = &mut self.cores[tile] else {
            return;
        };
        core.control = control;
        if control.reset || !control.enable {
            // The machine of a core that is only disabled goes on where it was.
            if control.reset {
                core.end_scopes(&mut self.events, tile, Some(self.now));
                core.unload();
                self.log.cores_reset(|tile| tile == loc);
                core.granted = None;
                core.register_word = None;
                self.cascades[tile].clear();
                if let Some(races) = &mut self.races {
                    races.cascade_cleared(tile);
                }
            }
            if let Some(lock) = core.waits_for.take() {
                self.locks[self.grid.at(lock.tile)].cancel(me);
            }
            if control.reset || core.is_running() || core.state == CoreState::Blank {
                core.state = CoreState::Off;
                self.emit(tile, self.now, HwEvent::CoreActive(false));
            }
            return;
        }
        if core.is_running() || core.state == CoreState::Failed {
            return;
        }
        core.started = true;
        if core.locks.is_empty() {
            let numbers = 0..self.grid.tiles[tile].model.locks.saturating_mul(4);
            let lock = |number| self.device.resolve_core_lock(loc, number);
            core.locks = numbers.map(lock).collect();
        }
        if let Some(races) = &mut self.races {
            races.core_enabled(loc);
        }
        if core.state == CoreState::Done {
            core.unload();
        }
        if core.machine.is_none() {
            let settings = &self.core_settings;
            let started = match settings.bound.get(&loc) {
                Some(bound) => {
                    let locks = self.grid.tiles[tile].model.locks.saturating_mul(4);
                    Ok(bound.start(loc, locks, &settings.costs))
                }
                None => StartedCore::start(loc, &core.words(), self.device.arch(), settings),
            };
            match started {
                Ok(started) => {
                    let mut machine = started.core;
                    self.kernels_called.extend(started.kernels);
                    core.releases = started.releases;
                    core.checksum = started.checksum;
                    let log = self.events.log.as_ref();
                    let stops = log.map(|log| core.observe_steps(log, loc, &self.grid));
                    let stops = stops.unwrap_or_default();
                    let observed = core.accesses.steps.is_some() || !stops.is_empty();
                    if self.profiled || observed {
                        let loops = log.and_then(|log| log.core_loops(loc, core.checksum));
                        machine.watch(&stops, loops);
                    }
                    core.machine = Some(machine);
                }
                Err(LoadError::Program(DecodeError::Empty)) => {
                    core.state = CoreState::Blank;
                    return;
                }
                Err(error) => {
                    core.state = CoreState::Failed;
                    let kind = match error {
                        LoadError::NoKernels(missing) => {
                            FaultKind::NoKernels { tile: loc, missing }
                        }
                        error => FaultKind::Core {
                            tile: loc,
                            message: error.to_string(),
                        },
                    };
                    self.log.fault(self.now, kind);
                    return;
                }
            }
        }
        core.state = CoreState::Ready { at };
        self.emit(tile, at, HwEvent::CoreActive(true));
        self.net.fabric.sched.schedule(at, me);
    }

    /// Runs a core as far as it gets.
    pub(super) fn run_core(&mut self, tile: usize) {
        let me = ActorId::core(self.grid.loc(tile));
        let now = self.now;
        let Some(mut core) = self.cores[tile].take() else {
            return;
        };
        match core.state {
            CoreState::Ready { at } if at <= now => self.execute(&mut core, tile),
            // Waiting for a grant, which sets `granted`.
            CoreState::Waiting {
                on: CoreWait::Acquire { .. },
                ..
            } if core.waits_for.is_some() && core.granted.is_none() => {}
            // The core decided to wait ahead of the clock.
            CoreState::Waiting { since, .. } if since > now => {
                self.net.fabric.sched.schedule(since, me);
            }
            CoreState::Waiting { on, since } => {
                self.emit(tile, now, stall_event(on, false));
                core.stalled(on, now - since);
                self.execute(&mut core, tile);
            }
            _ => {}
        }
        let access = core.register_access.take();
        self.cores[tile] = Some(core);
        if let Some(access) = access {
            self.access_register(tile, access);
        }
    }

    fn execute(&mut self, core: &mut CoreTile, tile: usize) {
        let me = ActorId::core(self.grid.loc(tile));
        if core.has_break {
            core.has_break = false;
            let position = core.position();
            let (loc, now) = (self.grid.loc(tile), self.now);
            if let Some(CorePosition { checksum, at, .. }) = position {
                self.trace(loc, now, || TraceEvent::CoreInstruction { checksum, at });
            }
            if self.is_stopped() {
                core.state = CoreState::Ready { at: now };
                self.net.fabric.sched.schedule(now, me);
                return;
            }
        }
        if self.events.log.is_some() {
            core.begin_scopes(self.now);
        }
        let Some(mut machine) = core.machine.take() else {
            return;
        };
        let budget = self.timing.lookahead.max(1);
        // Tokens that came in this event end the time in which the array runs by itself.
        let until = if self.untaken == 0 { self.until } else { 0 };
        let (_, cascades, mut ctx) = self.split(tile, me);
        let mut port = CorePort {
            ctx: &mut ctx,
            cascades,
            window_bits: core.window_bits,
            core,
            until,
            reaches_memory: false,
            resume: None,
            fault: None,
        };
        let end = loop {
            let end = port.run(&mut *machine, budget);
            match port.core.state {
                CoreState::Ready { at } if port.is_next(at) => port.ctx.now = at,
                _ => break end,
            }
        };
        self.now = port.ctx.now;
        if !core.prints.is_empty() {
            self.show_prints(core, tile);
        }
        core.machine = Some(machine);
        if self.events.log.is_some() {
            core.record_scopes_of_run(&mut self.events, tile, end);
            if core.accesses.steps.is_some() {
                let owners = window_tiles(&self.grid, &core.windows);
                core.record_steps(&mut self.events, (tile, me), &owners, end);
            }
        }
        if let CoreState::Ready { at } = core.state {
            self.net.fabric.sched.schedule(at, me);
        }
    }

    /// Shows the values that a core printed in its last run.
    #[inline(never)]
    fn show_prints(&mut self, core: &mut CoreTile, tile: usize) {
        for (at, instruction, text) in core.prints.drain(..) {
            self.prints.add(CorePrint {
                tile: self.grid.loc(tile),
                at,
                checksum: core.checksum,
                instruction,
                text,
            });
        }
    }

    /// Lets the cores around a tile look at its cascade configuration again.
    pub(super) fn wake_cores_around(&mut self, tile: usize) {
        let loc = self.grid.loc(tile);
        let mut around = vec![tile];
        for axis in [Axis::Vertical, Axis::Horizontal] {
            let neighbours = [axis.sender(loc), axis.receiver(loc)].into_iter();
            around.extend(neighbours.flatten().filter_map(|at| self.grid.index(at)));
        }
        for tile in around {
            let core = ActorId::core(self.grid.loc(tile));
            self.net.fabric.sched.wake(core);
        }
    }
}
