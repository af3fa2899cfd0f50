//! A core: its program memory, enable and reset, and the machine that executes it.
//!
//! Enabling a core decodes its program memory; what isn't a program of this compiler (machine
//! code of a real core, an empty memory) is a fault. A core that waits sleeps until the lock, the
//! stream or the cascade wakes it.

use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{Bundle, Side};

use super::Array;
use super::cascade::{Axis, Cascade};
use super::core_port::{CorePort, Windows, cascade_receiver, cascade_sender};
use super::event::Happening;
use super::fault::FaultKind;
use super::lock::LockNeed;
use super::memory::Memory;
use super::note::{Note, Stall};
use super::sched::{CompId, Part};
use super::stats::CoreStats;
use super::stream_switch::Route;
use super::waits::{Cause, Party, Wait};
use super::world::{Grid, TileInfo, World};
use crate::core::{CoreStop, CoreWait, LoadError, LoadedProgram, RunningCore};
use crate::time::Cycle;

/// Most extra cycles of a step of a core when latencies are random.
const JITTER: Cycle = 30;

/// What a core is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// In reset, or not enabled.
    Off,
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
fn stall(on: CoreWait, begins: bool) -> Happening {
    match on {
        CoreWait::Acquire { .. } | CoreWait::Release { .. } => Happening::CoreLockStall(begins),
        CoreWait::StreamGet { .. } | CoreWait::StreamPut { .. } => {
            Happening::CoreStreamStall(begins)
        }
        CoreWait::CascadeGet | CoreWait::CascadePut => Happening::CoreCascadeStall(begins),
    }
}

/// What a wait of the core is for.
fn why(on: CoreWait) -> Stall {
    match on {
        CoreWait::Acquire { .. } | CoreWait::Release { .. } => Stall::Lock,
        CoreWait::StreamGet { .. } | CoreWait::StreamPut { .. } => Stall::Stream,
        CoreWait::CascadeGet | CoreWait::CascadePut => Stall::Cascade,
    }
}

/// Cycles by cause.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    busy: Cycle,
    lock_stall: Cycle,
    stream_stall: Cycle,
    cascade_stall: Cycle,
}

impl Counts {
    fn stall(&mut self, on: CoreWait, cycles: Cycle) {
        match on {
            CoreWait::Acquire { .. } | CoreWait::Release { .. } => self.lock_stall += cycles,
            CoreWait::StreamGet { .. } | CoreWait::StreamPut { .. } => self.stream_stall += cycles,
            CoreWait::CascadeGet | CoreWait::CascadePut => self.cascade_stall += cycles,
        }
    }
}

/// The core of one tile.
#[derive(Debug)]
pub(crate) struct CoreTile {
    program: Memory,
    control: CoreControl,
    machine: Option<Box<dyn RunningCore>>,
    /// The core's numbers of the locks that the program of the machine releases somewhere.
    releases: Vec<u8>,
    state: State,
    /// When a lock that the core waits for was granted.
    pub granted: Option<Cycle>,
    /// The lock that it waits for: tile and id.
    waits_for: Option<(usize, u8)>,
    windows: Windows,
    window_bits: u32,
    route: Route,
    /// It was enabled since the start of the run.
    started: bool,
    /// Program memory was written since the start of the run.
    loaded: bool,
    counts: Counts,
}

impl CoreTile {
    /// The core's numbers of the locks that the program it runs releases somewhere.
    pub fn released_locks(&self) -> impl Iterator<Item = u8> + '_ {
        let ended = matches!(self.state, State::Done | State::Failed | State::Off);
        let running = self.machine.is_some() && !ended;
        self.releases.iter().copied().filter(move |_| running)
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
            machine: None,
            releases: Vec::new(),
            state: State::Off,
            granted: None,
            waits_for: None,
            windows,
            window_bits: info.model.memory_bytes.trailing_zeros(),
            route: Route::default(),
            started: false,
            loaded: false,
            counts: Counts::default(),
        }))
    }

    pub fn program(&self) -> &Memory {
        &self.program
    }

    /// Stores a word of program memory. A machine that is loaded already keeps its program.
    pub fn write_program(&mut self, byte: u32, value: u32) {
        self.loaded = true;
        // In range: the register map has checked it.
        let _ = self.program.set_word(byte, value);
    }

    /// Clears program memory.
    pub fn zero_program(&mut self) {
        self.program.zero();
    }

    /// The words of program memory.
    fn words(&self) -> Vec<u32> {
        let words = self.program.bytes().chunks_exact(4);
        words
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    /// The lock that it waits for: tile, number there, condition.
    pub fn asks_for(&self) -> Option<(usize, u8, LockNeed)> {
        let State::Waiting {
            on: CoreWait::Acquire { operand, .. },
            ..
        } = self.state
        else {
            return None;
        };
        let (owner, lock) = self.waits_for?;
        Some((owner, lock, LockNeed::from_operand(operand.into())))
    }

    /// Executes instructions.
    pub fn is_computing(&self) -> bool {
        matches!(self.state, State::Ready { .. })
    }

    /// Executes instructions or waits to go on.
    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Ready { .. } | State::Waiting { .. })
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
    }

    /// Takes over a value of Core_Control.
    pub(super) fn control_core(&mut self, tile: usize, control: CoreControl) {
        let me = CompId::new(tile, Part::Core);
        let at = self.now + self.timing.core_start + self.net.fabric.sched.jitter.draw(JITTER);
        let loc = self.grid.loc(tile);
        let Some(core) = &mut self.cores[tile] else {
            return;
        };
        core.control = control;
        if control.reset || !control.enable {
            // The machine of a core that is only disabled goes on where it was.
            if control.reset {
                core.machine = None;
                core.granted = None;
                self.cascades[tile].clear();
            }
            if let Some((owner, _)) = core.waits_for.take() {
                self.locks[owner].cancel(me);
            }
            if control.reset || core.is_running() {
                core.state = State::Off;
                let sched = &mut self.net.fabric.sched;
                let off = Happening::CoreActive(false);
                self.events.emit(sched, tile, self.now, off);
            }
            return;
        }
        if core.is_running() || core.state == State::Failed {
            return;
        }
        core.started = true;
        if core.state == State::Done {
            core.machine = None;
        }
        if core.machine.is_none() {
            let settings = &self.core_settings;
            let loaded = LoadedProgram::load(&core.words(), self.device.arch(), settings);
            let started = loaded.and_then(|loaded| {
                for kernel in &loaded.kernels {
                    if !self.kernels_called.contains(kernel.name()) {
                        self.kernels_called.insert(kernel.name().to_string());
                    }
                }
                core.releases = loaded.released_locks().collect();
                settings.engine.start(loaded).map_err(LoadError::Engine)
            });
            match started {
                Ok(machine) => core.machine = Some(machine),
                Err(error) => {
                    core.state = State::Failed;
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
        core.state = State::Ready { at };
        let sched = &mut self.net.fabric.sched;
        self.events
            .emit(sched, tile, at, Happening::CoreActive(true));
        self.net.fabric.sched.schedule(at, me);
    }

    /// Runs a core as far as it gets.
    pub(super) fn run_core(&mut self, tile: usize) {
        let me = CompId::new(tile, Part::Core);
        let now = self.now;
        let Some(mut core) = self.cores[tile].take() else {
            return;
        };
        match core.state {
            State::Ready { at } if at <= now => self.execute(&mut core, me),
            // Waiting for a grant, which is told by `granted`.
            State::Waiting {
                on: CoreWait::Acquire { .. },
                ..
            } if core.waits_for.is_some() && core.granted.is_none() => {}
            // The core decided to wait ahead of the clock.
            State::Waiting { since, .. } if since > now => {
                self.net.fabric.sched.schedule(since, me);
            }
            State::Waiting { on, since } => {
                let sched = &mut self.net.fabric.sched;
                self.events.emit(sched, tile, now, stall(on, false));
                core.counts.stall(on, now - since);
                self.execute(&mut core, me);
            }
            _ => {}
        }
        self.cores[tile] = Some(core);
    }

    fn execute(&mut self, core: &mut CoreTile, me: CompId) {
        let Some(mut machine) = core.machine.take() else {
            return;
        };
        let budget = self.timing.lookahead.max(1);
        let (cascades, mut world) = self.split_core(me);
        let mut port = CorePort {
            world: &mut world,
            cascades,
            windows: &core.windows,
            window_bits: core.window_bits,
            granted: &mut core.granted,
            route: &mut core.route,
            resume: None,
            waits_for: None,
            fault: None,
        };
        let run = machine.run(&mut port, budget);
        for &(owner, _) in port.windows {
            port.world.tell_conflicts(owner);
        }
        let end = port.world.now + run.cycles;
        core.counts.busy += run.cycles;
        let mut next = None;
        core.state = match (run.stop, port.fault.take(), port.resume) {
            (_, Some(message), _) => {
                port.report(end, message);
                State::Failed
            }
            (CoreStop::Waiting(on), None, Some(at)) => {
                let at = at + port.world.net.fabric.sched.jitter.draw(JITTER);
                core.counts.stall(on, at.saturating_sub(end));
                if at > end {
                    let why = why(on);
                    port.world.note(end, || Note::CoreStands { why, until: at });
                }
                next = Some(at);
                State::Ready { at }
            }
            (CoreStop::Waiting(on), None, None) => {
                port.world.emit(stall(on, true), end);
                State::Waiting { on, since: end }
            }
            (CoreStop::Done, ..) => {
                port.world.emit(Happening::CoreActive(false), end);
                State::Done
            }
            (CoreStop::Fault(fault), ..) => {
                port.report(end, fault.to_string());
                State::Failed
            }
            (CoreStop::Budget, ..) => {
                let at = end.max(port.world.now + 1);
                next = Some(at);
                State::Ready { at }
            }
        };
        core.waits_for = port.waits_for;
        core.machine = Some(machine);
        if let Some(at) = next {
            self.net.fabric.sched.schedule(at, me);
        }
    }

    /// The cascades, and the world of a core.
    fn split_core(&mut self, me: CompId) -> (&mut [Cascade], World<'_>) {
        let (_, cascades, world) = self.split(me);
        (cascades, world)
    }

    /// Lets the cores around a tile look at its cascade configuration again.
    pub(super) fn wake_cores_around(&mut self, tile: usize) {
        let loc = self.grid.loc(tile);
        let mut around = vec![tile];
        for axis in [Axis::Vertical, Axis::Horizontal] {
            let neighbours = [axis.sender(loc), axis.receiver(loc)];
            around.extend(
                neighbours
                    .into_iter()
                    .flatten()
                    .filter_map(|at| self.grid.index(at)),
            );
        }
        for tile in around {
            self.net.fabric.sched.wake(CompId::new(tile, Part::Core));
        }
    }

    /// Core_Status.
    pub(super) fn core_status(&self, tile: usize) -> u32 {
        let Some(core) = &self.cores[tile] else {
            return 0;
        };
        let map = self.device.register_map(self.grid.loc(tile));
        let Some((row, _)) = map.and_then(|map| map.register(RegisterRef::CoreStatus)) else {
            return 0;
        };
        let mut names = Vec::new();
        if core.control.enable && core.state != State::Done {
            names.push("Enable");
        }
        if core.control.reset {
            names.push("Reset");
        }
        match core.state {
            State::Done => names.push("Core_Done"),
            State::Failed => names.push("Error_Halt"),
            State::Waiting { on, .. } => names.push(match on {
                CoreWait::Acquire { lock, .. } | CoreWait::Release { lock, .. } => {
                    let locks = self.grid.tiles[tile].model.locks.max(1);
                    let stalls = [
                        "Lock_Stall_S",
                        "Lock_Stall_W",
                        "Lock_Stall_N",
                        "Lock_Stall_E",
                    ];
                    stalls[usize::from(lock / locks) % stalls.len()]
                }
                CoreWait::StreamGet { .. } => "Stream_Stall_SS0",
                CoreWait::StreamPut { .. } => "Stream_Stall_MS0",
                CoreWait::CascadeGet => "Cascade_Stall_SCD",
                CoreWait::CascadePut => "Cascade_Stall_MCD",
            }),
            State::Off | State::Ready { .. } => {}
        }
        let fields = names.into_iter().filter_map(|name| row.field(name));
        fields.fold(0, |word, field| field.set(word, 1))
    }

    /// What the core of a tile waits for.
    pub(super) fn core_wait(&self, tile: usize) -> Option<Wait> {
        let me = CompId::new(tile, Part::Core);
        let core = self.cores[tile].as_ref()?;
        let who = Party::Core(self.grid.loc(tile));
        let (on, since) = match core.state {
            State::Off if core.loaded => (Cause::Held, self.now),
            State::Failed => (Cause::Stopped, self.now),
            State::Off | State::Done | State::Ready { .. } => return None,
            State::Waiting { on, since } => match on {
                CoreWait::Acquire { .. } | CoreWait::Release { .. } => {
                    let (owner, lock) = core.waits_for?;
                    self.lock_cause(owner, lock, me)?
                }
                CoreWait::StreamGet { channel } => {
                    let switch = &self.net.switches[tile];
                    let master = switch.master_index(Bundle::Core, channel)?;
                    let from = self.sources(switch.masters[master].target?);
                    (Cause::StreamData { from }, since)
                }
                CoreWait::StreamPut { channel } => {
                    let switch = &self.net.switches[tile];
                    let slave = switch.slave_index(Bundle::Core, channel)?;
                    (
                        Cause::StreamSpace {
                            to: self.sinks(switch.slaves[slave].pipe),
                        },
                        since,
                    )
                }
                CoreWait::CascadeGet => {
                    let from = cascade_sender(&self.grid, &self.cascades, tile);
                    (
                        Cause::CascadeData {
                            from: from.map(|at| self.grid.loc(at)),
                        },
                        since,
                    )
                }
                CoreWait::CascadePut => {
                    let to = cascade_receiver(&self.grid, &self.cascades, tile);
                    (
                        Cause::CascadeSpace {
                            to: to.map(|at| self.grid.loc(at)),
                        },
                        since,
                    )
                }
            },
        };
        Some(Wait { who, on, since })
    }

    /// Totals of the core of a tile, if it ever ran.
    pub(super) fn core_stats(&self, tile: usize) -> Option<CoreStats> {
        let core = self.cores[tile].as_ref().filter(|core| core.started)?;
        let mut counts = core.counts;
        if let State::Waiting { on, since } = core.state {
            counts.stall(on, self.now.saturating_sub(since));
        }
        let Counts {
            busy,
            lock_stall,
            stream_stall,
            cascade_stall,
        } = counts;
        let done = core.state == State::Done;
        let tile = self.grid.loc(tile);
        Some(CoreStats {
            tile,
            busy,
            lock_stall,
            stream_stall,
            cascade_stall,
            done,
        })
    }
}
