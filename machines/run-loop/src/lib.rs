//! The loop that runs a machine, and what simulators of machines share besides: the form of an outcome, records of
//! units, functions of host libraries.
//!
//! A machine says when it acts next and acts; the loop holds it against the limits and says how
//! the run ended. [`run`] is generic, so that a machine's own types are all that it costs.

pub mod library;
mod outcome;
mod recorder;

pub use outcome::{EndStatus, MachineOutcome};
pub use recorder::{
    MachineBreak, RecordStore, Recorder, UnitId, UnitRecord, UnitRecording, UnitTrace,
};

/// A point in simulated time, or a duration, in cycles of the machine's clock since the start of the run.
pub type Cycle = u64;

/// A machine that can be driven.
pub trait Drive {
    /// The cause of a failed run.
    type Fault;
    /// The event at a breakpoint.
    type Hit;

    /// The cycle that it has come to.
    fn now(&self) -> Cycle;

    /// When it acts next. `None` if nothing in it will ever act: unless it is done, that is a
    /// deadlock.
    fn next(&mut self) -> Option<Cycle>;

    /// Lets it act, at the cycle that [`Drive::next`] returned, and go on for as long as the loop
    /// has nothing to decide; not beyond `last`. What happens in cycle `last` still happens.
    fn step(&mut self, last: Cycle) -> Result<(), Halt<Self::Fault>>;

    /// Whether everything that was to be done is.
    fn is_done(&self) -> bool;

    /// A fault that is noticed between steps.
    fn fault(&self) -> Option<Self::Fault> {
        None
    }

    /// A fault that ends the run only when nothing else goes on, or all is done.
    fn last_fault(&self) -> Option<Self::Fault> {
        None
    }

    /// The breakpoint that was hit, by its number, and its event.
    fn hit(&self) -> Option<(usize, Self::Hit)>;

    /// Whether the observer of the run wants it to end here, as at its limit; asked every now and
    /// then.
    fn is_interrupted(&mut self) -> bool {
        false
    }

    /// Lets time pass in which it does nothing.
    fn advance(&mut self, to: Cycle);
}

/// Why a machine cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt<F> {
    /// Nothing will ever happen any more.
    Deadlock,
    /// It went wrong.
    Fault(F),
}

/// Limits of a run, in cycles of the machine's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// It is aborted when it isn't done after this one.
    pub max_cycles: Cycle,
    /// It stops after this one.
    pub until: Option<Cycle>,
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd<F, H> {
    /// All is done.
    Completed,
    /// It isn't done after as many cycles as are allowed.
    Limit,
    /// Who watches it ended it.
    Interrupted,
    /// Nothing will ever happen any more.
    Deadlock,
    /// A breakpoint was hit: its number, and its event.
    Breakpoint(usize, H),
    /// It came to the cycle at which it was to stop.
    Until(Cycle),
    /// It went wrong.
    Fault(F),
}

/// Cycles that a machine runs at most before progress is reported.
pub const SLICE: Cycle = 1 << 16;
/// Steps of the loop from one report of progress to the next.
const STEPS: u32 = 1 << 12;

/// Runs a machine from where it is, reporting every now and then up to which cycle it has come.
/// Limits count from there.
pub fn run<M: Drive>(
    machine: &mut M,
    limits: Limits,
    progress: &mut dyn FnMut(Cycle),
) -> RunEnd<M::Fault, M::Hit> {
    let start = machine.now();
    let max_cycles = start.saturating_add(limits.max_cycles);
    let until = limits.until.map(|until| start.saturating_add(until));
    let last = until.unwrap_or(max_cycles).min(max_cycles);
    let (mut steps, mut reported) = (0u32, start);
    loop {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STEPS) || machine.now() >= reported + SLICE {
            reported = machine.now();
            progress(reported);
            if machine.is_interrupted() {
                return RunEnd::Interrupted;
            }
        }
        if let Some(fault) = machine.fault() {
            return RunEnd::Fault(fault);
        }
        if let Some((which, hit)) = machine.hit() {
            return RunEnd::Breakpoint(which, hit);
        }
        let or_fault = |machine: &M, end| machine.last_fault().map_or(end, RunEnd::Fault);
        if machine.is_done() {
            return or_fault(machine, RunEnd::Completed);
        }
        let Some(next) = machine.next() else {
            return or_fault(machine, RunEnd::Deadlock);
        };
        if next > last {
            let Some(until) = until.filter(|until| *until <= max_cycles) else {
                return or_fault(machine, RunEnd::Limit);
            };
            machine.advance(until);
            return RunEnd::Until(until);
        }
        match machine.step(last) {
            Ok(()) => {}
            Err(Halt::Deadlock) => return or_fault(machine, RunEnd::Deadlock),
            Err(Halt::Fault(fault)) => return RunEnd::Fault(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acts every third cycle until it has acted often enough, or stops acting.
    struct Ticker {
        now: Cycle,
        left: u32,
        dies_at: Option<Cycle>,
        breaks_at: Option<Cycle>,
    }

    impl Drive for Ticker {
        type Fault = &'static str;
        type Hit = Cycle;

        fn now(&self) -> Cycle {
            self.now
        }

        fn next(&mut self) -> Option<Cycle> {
            (self.dies_at != Some(self.now)).then_some(self.now + 3)
        }

        fn step(&mut self, last: Cycle) -> Result<(), Halt<&'static str>> {
            self.now += 3;
            assert!(self.now <= last);
            self.left -= 1;
            match self.left {
                13 => Err(Halt::Fault("unlucky")),
                _ => Ok(()),
            }
        }

        fn is_done(&self) -> bool {
            self.left == 0
        }

        fn hit(&self) -> Option<(usize, Cycle)> {
            (self.breaks_at == Some(self.now)).then_some((1, self.now))
        }

        fn advance(&mut self, to: Cycle) {
            self.now = to;
        }
    }

    fn ends(left: u32, limits: Limits, change: impl Fn(&mut Ticker)) -> (String, Cycle) {
        let mut ticker = Ticker {
            now: 0,
            left,
            dies_at: None,
            breaks_at: None,
        };
        change(&mut ticker);
        let end = run(&mut ticker, limits, &mut |_| {});
        (format!("{end:?}"), ticker.now)
    }

    #[test]
    fn a_run_ends_in_one_of_six_ways() {
        let free = Limits {
            max_cycles: 1000,
            until: None,
        };
        let until = |until| Limits {
            until: Some(until),
            ..free
        };
        let short = Limits {
            max_cycles: 8,
            until: None,
        };
        let same = |_: &mut Ticker| {};
        assert_eq!(ends(4, free, same), ("Completed".into(), 12));
        assert_eq!(ends(4, short, same), ("Limit".into(), 6));
        assert_eq!(ends(4, until(6), same), ("Until(6)".into(), 6));
        assert_eq!(ends(4, until(8), same), ("Until(8)".into(), 8));
        assert_eq!(ends(4, until(12), same), ("Completed".into(), 12));
        assert_eq!(ends(14, free, same), ("Fault(\"unlucky\")".into(), 3));
        let dies = |t: &mut Ticker| t.dies_at = Some(6);
        assert_eq!(ends(4, free, dies), ("Deadlock".into(), 6));
        let breaks = |t: &mut Ticker| t.breaks_at = Some(9);
        assert_eq!(ends(4, free, breaks), ("Breakpoint(1, 9)".into(), 9));
    }
}
