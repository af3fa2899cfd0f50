//! Sums of trace events: cycles of jobs by state, cycles that were waited for each lock.

use std::collections::BTreeMap;

use aiec_device::LockId;
use rustc_hash::FxHashMap;

use super::actor::{ActorId, JobId};
use super::trace_event::{TraceEvent, TraceRecord};
use crate::time::Cycle;

/// Sums up to now.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    jobs: BTreeMap<JobId, JobActivity>,
    requested: FxHashMap<ActorId, (Cycle, LockId)>,
    locks: BTreeMap<(ActorId, LockId), LockStalls>,
}

/// Cycles of a job by state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTotals {
    /// It had the controller.
    pub run: Cycle,
    /// Another job had the controller.
    pub ready: Cycle,
    /// It waited, by what for.
    pub waits: BTreeMap<&'static str, Cycle>,
}

/// Waits of a core or a channel for a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockStalls {
    /// Cycles.
    pub cycles: Cycle,
    /// Number of waits.
    pub times: u64,
}

impl LockStalls {
    fn add(&mut self, cycles: Cycle) {
        self.cycles += cycles;
        self.times += 1;
    }
}

#[derive(Clone, Debug, Default)]
struct JobActivity {
    totals: JobTotals,
    /// Its state, and since when.
    now: Option<(JobPhase, Cycle)>,
}

#[derive(Clone, Copy, Debug)]
enum JobPhase {
    Running,
    Ready,
    Waiting(&'static str),
}

impl JobTotals {
    fn slot(&mut self, phase: JobPhase) -> &mut Cycle {
        match phase {
            JobPhase::Running => &mut self.run,
            JobPhase::Ready => &mut self.ready,
            JobPhase::Waiting(name) => self.waits.entry(name).or_default(),
        }
    }
}

impl Totals {
    pub(super) fn add(&mut self, record: &TraceRecord) {
        let at = record.at;
        match record.event {
            TraceEvent::JobStarted(job) => self.enter(job, Some(JobPhase::Running), at),
            TraceEvent::JobReady(job) => self.enter(job, Some(JobPhase::Ready), at),
            TraceEvent::JobBlocked { job, on } => {
                self.enter(job, Some(JobPhase::Waiting(on.name())), at);
            }
            TraceEvent::JobEnded(job) => self.enter(job, None, at),
            TraceEvent::LockRequested { by, lock, .. } => {
                self.requested.insert(by, (at, lock));
            }
            TraceEvent::LockAcquired { by, lock, .. } => {
                if let Some((since, requested)) = self.requested.remove(&by)
                    && requested == lock
                    && at > since
                {
                    self.locks.entry((by, lock)).or_default().add(at - since);
                }
            }
            _ => {}
        }
    }

    /// Who waits for locks is reset at a cycle.
    pub(super) fn end_requests(&mut self, at: Cycle) {
        for (by, (since, lock)) in std::mem::take(&mut self.requested) {
            if at > since {
                self.locks.entry((by, lock)).or_default().add(at - since);
            }
        }
    }

    /// A job comes to another state.
    fn enter(&mut self, job: JobId, phase: Option<JobPhase>, at: Cycle) {
        let job = self.jobs.entry(job).or_default();
        if let Some((before, since)) = job.now.take() {
            *job.totals.slot(before) += at.saturating_sub(since);
        }
        job.now = phase.map(|phase| (phase, at));
    }

    /// The jobs that ran, up to a cycle.
    pub fn jobs(&self, end: Cycle) -> impl Iterator<Item = (JobId, JobTotals)> + '_ {
        self.jobs.iter().map(move |(id, job)| {
            let mut totals = job.totals.clone();
            if let Some((phase, since)) = job.now {
                *totals.slot(phase) += end.saturating_sub(since);
            }
            (*id, totals)
        })
    }

    /// Who waited for which lock, with waits that are open up to a cycle: cores first, then channels.
    pub(super) fn locks(&self, open_until: Option<Cycle>) -> Vec<(ActorId, LockId, LockStalls)> {
        let mut locks = self.locks.clone();
        for (&by, &(since, lock)) in &self.requested {
            if let Some(end) = open_until.filter(|end| *end > since) {
                locks.entry((by, lock)).or_default().add(end - since);
            }
        }
        let flat = locks.into_iter().map(|((by, lock), sum)| (by, lock, sum));
        let mut list: Vec<_> = flat.collect();
        list.sort_by_key(|(by, lock, _)| (by.report_order(), *lock));
        list
    }
}
