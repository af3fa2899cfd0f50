//! Controllers and array on one clock, and their observers.

use std::ops::ControlFlow;

use aiec_cert::debug::DebugInfo;

use crate::array::{Array, Fault, TraceRecord};
use crate::cert::{CertFault, Machine};
use crate::diagnosis;
use crate::time::Cycle;
use aiec_run_loop::{Drive, Halt, SLICE};

/// Cycles after the last action of a controller in which the reset of a core that stopped with a fault
/// is waited for, while others go on.
const CORE_RESET_PATIENCE: Cycle = 1 << 17;

/// Progress of a run.
pub struct Progress<'a> {
    /// The cycle.
    pub cycle: Cycle,
    /// Since when cores have computed, or controllers polled, and nothing else has happened.
    pub quiet_since: Cycle,
    machine: &'a Machine,
    array: &'a Array,
    debug: Option<&'a DebugInfo>,
}

impl Progress<'_> {
    /// Who is at work, in words.
    pub fn activity(&self) -> String {
        diagnosis::limit(self.machine, self.array, self.debug).to_string()
    }
}

/// Receives the progress of a run; the run goes on, or ends as at its limit.
pub type Watcher<'w> = &'w mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>;

/// Controllers and array on one clock, as the loop of all machines drives them.
pub(super) struct ControlledArray<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) array: &'a mut Array,
    /// When a controller acts next, as [`Drive::next`] found it.
    pub(super) controllers: Option<Cycle>,
    /// When the array has its next event, as [`Drive::next`] found it.
    pub(super) events: Option<Cycle>,
    pub(super) debug: Option<&'a DebugInfo>,
    pub(super) watcher: Watcher<'a>,
}

impl ControlledArray<'_> {
    /// Whether the controllers have only configured the array: the file says which jobs are of the
    /// runtime sequence, and none has begun. The run is then the work of the array alone.
    pub(super) fn only_configures(&self) -> bool {
        let knows_jobs = self.debug.is_some_and(|debug| !debug.pages.is_empty());
        let began = self.machine.shared.run_began.is_some() || self.machine.firmware.is_some();
        knows_jobs && !began
    }
}

impl Drive for ControlledArray<'_> {
    type Fault = RunFault;
    type Hit = TraceRecord;

    fn now(&self) -> Cycle {
        self.array.now()
    }

    fn next(&mut self) -> Option<Cycle> {
        (self.controllers, self.events) = (self.machine.next(), self.array.next_event());
        match (self.controllers, self.events) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (at, None) | (None, at) => at,
        }
    }

    fn step(&mut self, last: Cycle) -> Result<(), Halt<RunFault>> {
        let (machine, array) = (&mut *self.machine, &mut *self.array);
        let stopped = |fault| Halt::Fault(RunFault::Cert(fault));
        if let Some(at) = self.events
            && self.controllers.is_none_or(|c| at <= c)
        {
            let slice = last.min(at + SLICE);
            array.advance_until_news(self.controllers.unwrap_or(slice).min(slice));
            machine.deliver(array);
            return Ok(());
        }
        if self.events.is_none() && machine.only_polls() {
            // the array is still: unless a look finds what it waits for, nothing ever will
            return match machine.look_again(array) {
                Ok(true) => Ok(()),
                Ok(false) => Err(Halt::Deadlock),
                Err(fault) => Err(stopped(fault)),
            };
        }
        machine.step(array).map_err(stopped)
    }

    fn is_done(&self) -> bool {
        let array_is_done = || !self.only_configures() || self.array.next_event().is_none();
        self.machine.is_done() && array_is_done()
    }

    fn fault(&self) -> Option<RunFault> {
        let faults = self.array.faults();
        let first = faults.first()?;
        let ends = faults.iter().any(|fault| {
            let resettable = fault.kind.stopped_core().is_some();
            let acted = self.machine.last_progress().max(fault.at);
            !resettable || self.array.now() > acted + CORE_RESET_PATIENCE
        });
        ends.then(|| RunFault::Array(first.clone()))
    }

    fn last_fault(&self) -> Option<RunFault> {
        let fault = self.array.faults().first()?;
        Some(RunFault::Array(fault.clone()))
    }

    fn hit(&self) -> Option<(usize, TraceRecord)> {
        self.array.stopped()
    }

    fn is_interrupted(&mut self) -> bool {
        let progress = Progress {
            cycle: self.array.now(),
            quiet_since: self.machine.last_progress().max(self.array.last_movement()),
            machine: self.machine,
            array: self.array,
            debug: self.debug,
        };
        (self.watcher)(&progress).is_break()
    }

    fn advance(&mut self, to: Cycle) {
        self.array.advance(to);
    }
}

/// Fault that ends a run.
pub(super) enum RunFault {
    Cert(CertFault),
    Array(Fault),
}
