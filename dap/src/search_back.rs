//! Going back: a run from a checkpoint, or a new one, goes up to the last stop before the present.
//!
//! A run is a function of its program, so that the same stops come again. Only its end is searched, in stretches that grow.
//! A core may have computed ahead of the clock where a stretch begins, so that stops there don't count.

use aiec_sim::array::{Breakpoint, TraceRecord};
use aiec_sim::{LiveRun, Pause};

use crate::interrupt::{Interrupt, watcher};
use crate::session::{DebugSession, StepPlan, Stop, core_line};
use crate::threads::ThreadId;

/// Cycles before the present that are searched first for a step, and by how much each further window is larger.
const FIRST_WINDOW: u64 = 256;
const GROWTH: u64 = 16;

/// A movement backwards.
#[derive(Clone, Debug)]
pub enum BackMotion {
    /// To the breakpoint before.
    Continue,
    /// To the end of the cycle before.
    Cycle,
    /// To where the thread was before.
    Step(StepPlan),
}

/// Outcome of a search.
enum SearchOutcome {
    /// The stop with this number, from 1.
    Stop(u64),
    /// There is none.
    Nothing,
    /// The client has sent a request.
    Interrupted,
}

/// The stretch of a run that is searched for stops.
struct RunStretch {
    conditions: Vec<Breakpoint>,
    /// The stops come after this cycle.
    from: u64,
    /// They come up to this one, in front of the event that is present there.
    now: u64,
    present: Option<TraceRecord>,
}

impl RunStretch {
    /// A run that has gone to the begin of the stretch; `None` if it was interrupted.
    fn begin(
        &self,
        session: &mut DebugSession,
        interrupt: Interrupt<'_>,
    ) -> Result<Option<LiveRun>, String> {
        let run = if self.from > 0 {
            session.run_at(self.from, interrupt)?
        } else {
            Some(session.program().begin()?)
        };
        Ok(run.map(|mut run| {
            run.stop_at(self.conditions.clone());
            run
        }))
    }

    /// The last stop that is wanted.
    fn last(
        &self,
        session: &mut DebugSession,
        wanted: &mut dyn FnMut(&LiveRun, u64) -> bool,
        interrupt: Interrupt<'_>,
    ) -> Result<SearchOutcome, String> {
        let Some(mut run) = self.begin(session, interrupt)? else {
            return Ok(SearchOutcome::Interrupted);
        };
        let complete_after = run.complete_after();
        let (mut count, mut last, mut in_last_cycle) = (0, None, None);
        loop {
            let pause = run.go_on(Some(self.now), false, &mut watcher(interrupt));
            match pause {
                Pause::Breakpoint(_, record) if Some(record) == self.present => {
                    // Stops of the present cycle in front of the present one.
                    last = in_last_cycle.or(last);
                    break;
                }
                Pause::Breakpoint(..) if interrupt() => return Ok(SearchOutcome::Interrupted),
                Pause::Breakpoint(..) => {
                    count += 1;
                    if wanted(&run, count) {
                        if run.cycle() < self.now {
                            last = Some((count, run.cycle()));
                        } else {
                            in_last_cycle = Some((count, run.cycle()));
                        }
                    }
                }
                Pause::Interrupted => return Ok(SearchOutcome::Interrupted),
                Pause::Hazard(_) => {}
                Pause::Until(_) | Pause::Ended(_) => break,
            }
        }
        let is_known = |at: u64| self.from == 0 || at > complete_after;
        Ok(match last {
            Some((count, at)) if is_known(at) => SearchOutcome::Stop(count),
            _ => SearchOutcome::Nothing,
        })
    }

    /// A run that has gone to the stop with a number, with its condition and event; `None` if it was interrupted.
    fn run_to(
        &self,
        count: u64,
        session: &mut DebugSession,
        interrupt: Interrupt<'_>,
    ) -> Result<Option<(LiveRun, usize, TraceRecord)>, String> {
        let Some(mut run) = self.begin(session, interrupt)? else {
            return Ok(None);
        };
        let mut left = count;
        loop {
            match run.go_on(Some(self.now), false, &mut watcher(interrupt)) {
                Pause::Breakpoint(which, record) => {
                    left -= 1;
                    if left == 0 {
                        return Ok(Some((run, which, record)));
                    }
                }
                Pause::Interrupted => return Ok(None),
                Pause::Hazard(_) => {}
                Pause::Until(_) | Pause::Ended(_) => {
                    return Err("the run went another way than before".to_string());
                }
            }
        }
    }
}

impl DebugSession {
    /// Goes back; whether it has, or was interrupted and has stayed.
    ///
    /// # Errors
    /// The program can't be loaded again.
    pub fn go_back(
        &mut self,
        motion: &BackMotion,
        interrupt: Interrupt<'_>,
    ) -> Result<bool, String> {
        let now = self.run().cycle();
        match motion {
            BackMotion::Cycle => self.back_to_cycle(now.checked_sub(1), interrupt),
            BackMotion::Continue => self.continue_back(now, interrupt),
            BackMotion::Step(plan) => self.step_back(plan, now, interrupt),
        }
    }

    /// Goes back to the breakpoint before.
    fn continue_back(&mut self, now: u64, interrupt: Interrupt<'_>) -> Result<bool, String> {
        let conditions = self.breakpoints.conditions();
        // Times are counted from the begin.
        let are_counted = conditions.iter().any(|condition| condition.times > 1);
        let mut window = 1_u64;
        let mut from = now;
        loop {
            from = if are_counted {
                0
            } else {
                self.checkpoint_before(from.min(now.saturating_sub(window)))
            };
            let stretch = RunStretch {
                conditions: conditions.clone(),
                from,
                now,
                present: self.present(),
            };
            match stretch.last(self, &mut |_, _| true, interrupt)? {
                SearchOutcome::Stop(count) => {
                    return self.back_to_stop(&stretch, count, None, interrupt);
                }
                SearchOutcome::Nothing if from == 0 => return self.back_to_cycle(None, interrupt),
                // Twice as long, so that all stretches together are a few times as long as the last one.
                SearchOutcome::Nothing => window = (now - from).saturating_mul(2),
                SearchOutcome::Interrupted => return Ok(false),
            }
        }
    }

    /// Goes back to the end of a cycle, or in front of the first one.
    fn back_to_cycle(
        &mut self,
        cycle: Option<u64>,
        interrupt: Interrupt<'_>,
    ) -> Result<bool, String> {
        let Some(cycle) = cycle else {
            let run = self.program().begin()?;
            self.replace(run, Stop::Entry, None);
            return Ok(true);
        };
        let Some(run) = self.run_at(cycle, interrupt)? else {
            return Ok(false);
        };
        self.replace(run, Stop::Step(ThreadId::CLOCK), None);
        Ok(true)
    }

    /// Goes back to a stop: at a breakpoint, or of a step of a thread.
    fn back_to_stop(
        &mut self,
        stretch: &RunStretch,
        count: u64,
        thread: Option<ThreadId>,
        interrupt: Interrupt<'_>,
    ) -> Result<bool, String> {
        let Some((run, which, record)) = stretch.run_to(count, self, interrupt)? else {
            return Ok(false);
        };
        let stop = match (thread, self.breakpoints.hit(which)) {
            (None, Some((id, sort))) => Stop::Breakpoint { id, sort, record },
            (thread, _) => Stop::Step(thread.unwrap_or(ThreadId::CLOCK)),
        };
        self.replace(run, stop, Some(record));
        Ok(true)
    }

    /// Goes back to where a thread was before: for a core the first instruction of a line.
    fn step_back(
        &mut self,
        plan: &StepPlan,
        now: u64,
        interrupt: Interrupt<'_>,
    ) -> Result<bool, String> {
        let conditions = vec![Breakpoint {
            on: plan.condition(),
            times: 1,
        }];
        let mut window = FIRST_WINDOW;
        loop {
            let stretch = RunStretch {
                conditions: conditions.clone(),
                from: now.saturating_sub(window),
                now,
                present: self.present(),
            };
            // The line before the first stop of a window is not known, unless the run begins there.
            let is_begin = stretch.from == 0;
            let mut before = None;
            let mut wanted = |run: &LiveRun, count: u64| {
                if plan.is_by_instruction(run) {
                    return true;
                }
                let place = core_line(run, plan.actor());
                if place.is_some_and(|(line, _)| line.is_none()) {
                    return false;
                }
                let moved = before != place;
                before = place;
                moved && (count > 1 || is_begin)
            };
            match stretch.last(self, &mut wanted, interrupt)? {
                SearchOutcome::Stop(count) => {
                    let thread = ThreadId::of(plan.actor());
                    return self.back_to_stop(&stretch, count, Some(thread), interrupt);
                }
                SearchOutcome::Nothing if is_begin => return self.back_to_cycle(None, interrupt),
                SearchOutcome::Nothing => window = window.saturating_mul(GROWTH),
                SearchOutcome::Interrupted => return Ok(false),
            }
        }
    }
}
