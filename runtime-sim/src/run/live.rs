//! A run that stops and goes on, for debuggers: the same machines on the same clock as in [`simulate`](super::simulate), with
//! nothing recorded.
//!
//! Nothing is done ahead of the clock, but for what a core computes between two branches, and a controller stops in
//! front of the instruction at a breakpoint. A run is a function of its file and options: one that was begun again, or goes on from a
//! [`LiveRun::checkpoint`], comes to each cycle as the one before did, which is how a debugger goes back.

use std::collections::BTreeMap;
use std::rc::Rc;

use aiec_cert::debug::DebugInfo;
use aiec_device::TileLoc;
use aiec_run_loop::{self as run_loop, Drive, Halt, Limits, RunEnd};

use super::clock::{ControlledArray, RunFault, Watcher};
use super::options::SimOptions;
use super::result::{SimError, Status};
use super::{LoadedRun, load_file, load_npu, set_up, status_of};
use crate::array::{Array, Breakpoint, Hazard, TraceRecord};
use crate::cert::Machine;
use crate::elf_load::HostBuffer;
use crate::host::BufferId;
use crate::npu::NpuInput;
use crate::time::Cycle;

/// A run that stops and goes on.
#[derive(Debug)]
pub struct LiveRun {
    array: Array,
    machine: Machine,
    arguments: BTreeMap<u32, (BufferId, u64)>,
    debug: Option<Rc<DebugInfo>>,
    /// Cycles after which it is aborted.
    max_cycles: Cycle,
    start: Cycle,
    /// The cycle that it has come to: controllers act ahead of the array's clock where that has nothing to do.
    reached: Cycle,
}

/// Why a run has stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Pause {
    /// At a breakpoint: its number in the list, and what happens.
    Breakpoint(usize, TraceRecord),
    /// The design has done something at its own risk.
    Hazard(Hazard),
    /// After the cycle up to which it was to go.
    Until(Cycle),
    /// Who watches it wants something.
    Interrupted,
    /// It is over.
    Ended(Status),
}

impl LiveRun {
    /// A run of control code that has not begun.
    ///
    /// # Errors
    /// The file isn't control code, or can't be loaded.
    pub fn of_control_code(
        file: &[u8],
        arguments: Vec<HostBuffer>,
        options: &SimOptions,
    ) -> Result<LiveRun, SimError> {
        Ok(Self::new(
            load_file(None, file, arguments, options)?,
            options,
        ))
    }

    /// A run of what a driver of an NPU loads that has not begun.
    ///
    /// # Errors
    /// A part of the input is missing or malformed.
    pub fn of_npu(
        input: &NpuInput,
        debug: Option<DebugInfo>,
        arguments: Vec<HostBuffer>,
        options: &SimOptions,
    ) -> Result<LiveRun, SimError> {
        Ok(Self::new(
            load_npu(input, debug, arguments, options)?,
            options,
        ))
    }

    fn new(loaded: LoadedRun, options: &SimOptions) -> LiveRun {
        let LoadedRun {
            mut array,
            mut machine,
            arguments,
            debug,
        } = loaded;
        let start = array.now();
        set_up((&mut array, &mut machine), debug.as_ref(), options);
        array.follow_clock();
        LiveRun {
            array,
            machine,
            arguments,
            debug: debug.map(Rc::new),
            max_cycles: options.max_cycles,
            start,
            reached: start,
        }
    }

    /// A copy of the run as it is, which goes on from here as the run itself does; `None` where a core is a function of the host
    /// that is at work, as its state can't be copied.
    pub fn checkpoint(&self) -> Option<LiveRun> {
        self.array.can_be_copied().then(|| LiveRun {
            array: self.array.clone(),
            machine: self.machine.clone(),
            arguments: self.arguments.clone(),
            debug: self.debug.clone(),
            max_cycles: self.max_cycles,
            start: self.start,
            reached: self.reached,
        })
    }

    /// Stops at these from now on; `times` of each counts from now on.
    pub fn stop_at(&mut self, breakpoints: Vec<Breakpoint>) {
        self.array.stop_at(breakpoints);
    }

    /// The breakpoints, with the times that each has to be come to still.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        self.array.breakpoints()
    }

    /// Goes on, to the end of cycle `until` at most. With `at_hazards` it stops at a hazard too: after the instruction that
    /// causes it, or after what moves until then.
    pub fn go_on(&mut self, until: Option<Cycle>, at_hazards: bool, watcher: Watcher<'_>) -> Pause {
        self.array.resume();
        let known = self.array.hazards().count();
        let now = self.array.now();
        let limits = Limits {
            max_cycles: self
                .start
                .saturating_add(self.max_cycles)
                .saturating_sub(now),
            until: until.map(|until| self.start.saturating_add(until).saturating_sub(now)),
        };
        let mut driven = PausableArray {
            inner: ControlledArray {
                machine: &mut self.machine,
                array: &mut self.array,
                controllers: None,
                events: None,
                debug: self.debug.as_deref(),
                watcher,
            },
            hazards: at_hazards.then_some(known),
        };
        let end = run_loop::run(&mut driven, limits, &mut |_| {});
        let pause = match end {
            RunEnd::Breakpoint(_, PauseHit::Hazard(hazard)) => Pause::Hazard(hazard),
            RunEnd::Breakpoint(which, PauseHit::Record(record)) => Pause::Breakpoint(which, record),
            RunEnd::Until(cycle) => Pause::Until(cycle - self.start),
            RunEnd::Interrupted => Pause::Interrupted,
            RunEnd::Completed => self.ended(RunEnd::Completed),
            RunEnd::Limit => self.ended(RunEnd::Limit),
            RunEnd::Deadlock => self.ended(RunEnd::Deadlock),
            RunEnd::Fault(fault) => self.ended(RunEnd::Fault(fault)),
        };
        let at = match &pause {
            Pause::Breakpoint(_, record) => record.at,
            Pause::Hazard(hazard) => hazard.at,
            Pause::Until(cycle) => self.start + cycle,
            Pause::Interrupted => 0,
            Pause::Ended(_) => self.machine.time(),
        };
        self.reached = self.reached.max(at).max(self.array.now());
        pause
    }

    fn ended(&self, end: RunEnd<RunFault, TraceRecord>) -> Pause {
        let debug = self.debug.as_deref();
        Pause::Ended(status_of(end, (&self.machine, &self.array), debug))
    }

    /// The cycle that it has come to, since its begin.
    pub fn cycle(&self) -> Cycle {
        self.reached - self.start
    }

    /// The cycle after which all that happens is still to come: a core may have computed ahead of the clock, up to its next branch.
    pub fn complete_after(&self) -> Cycle {
        let cores = self.array.core_time().saturating_sub(self.start);
        cores.max(self.cycle())
    }

    /// Bytes of the host's buffers for the arguments, which each copy holds too.
    pub fn argument_bytes(&self) -> u64 {
        self.arguments.values().map(|(_, bytes)| bytes).sum()
    }

    /// A register of a tile as it is now: `None` where there is none, or where reading it acts.
    pub fn register(&mut self, tile: TileLoc, offset: u32) -> Option<u32> {
        self.array.peek_register(tile, offset)
    }

    /// The array as it is now.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// The controllers as they are now.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Names and source lines, if the file has them.
    pub fn debug(&self) -> Option<&DebugInfo> {
        self.debug.as_deref()
    }

    /// The contents of an argument of the runtime sequence now.
    pub fn argument(&self, index: u32) -> Option<&[u8]> {
        let (id, _) = self.arguments.get(&index)?;
        Some(self.array.host.bytes(*id))
    }

    /// The numbers of its arguments.
    pub fn arguments(&self) -> impl Iterator<Item = u32> + '_ {
        self.arguments.keys().copied()
    }
}

/// An event at which a run stops.
enum PauseHit {
    Record(TraceRecord),
    Hazard(Hazard),
}

/// Controllers and array, which stop at hazards too.
struct PausableArray<'a> {
    inner: ControlledArray<'a>,
    /// The hazards that are known, if the run is to stop at the next one.
    hazards: Option<usize>,
}

impl Drive for PausableArray<'_> {
    type Fault = RunFault;
    type Hit = PauseHit;

    fn now(&self) -> Cycle {
        self.inner.now()
    }

    fn next(&mut self) -> Option<Cycle> {
        self.inner.next()
    }

    fn step(&mut self, last: Cycle) -> Result<(), Halt<RunFault>> {
        self.inner.step(last)
    }

    fn is_done(&self) -> bool {
        self.inner.is_done()
    }

    fn fault(&self) -> Option<RunFault> {
        self.inner.fault()
    }

    fn last_fault(&self) -> Option<RunFault> {
        self.inner.last_fault()
    }

    fn hit(&self) -> Option<(usize, PauseHit)> {
        let new = self
            .hazards
            .and_then(|known| self.inner.array.hazards().nth(known));
        match (self.inner.hit(), new) {
            (Some((which, record)), _) => Some((which, PauseHit::Record(record))),
            (None, Some(hazard)) => Some((0, PauseHit::Hazard(hazard.clone()))),
            (None, None) => None,
        }
    }

    fn is_interrupted(&mut self) -> bool {
        self.inner.is_interrupted()
    }

    fn advance(&mut self, to: Cycle) {
        self.inner.advance(to);
    }
}
