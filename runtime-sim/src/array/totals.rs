//! Sums of notes: cycles of jobs by state, cycles that were waited for each lock.

use std::collections::BTreeMap;

use aiec_device::TileLoc;

use super::note::{JobSite, Note, Noted};
use super::waits::Party;
use crate::time::Cycle;

/// Sums up to now.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    jobs: BTreeMap<JobSite, Job>,
    asked: BTreeMap<Party, (Cycle, TileLoc, u8)>,
    locks: BTreeMap<(Party, TileLoc, u8), LockStalls>,
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

/// What a core or a channel waited for a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockStalls {
    /// Cycles.
    pub cycles: Cycle,
    /// How often.
    pub times: u64,
}

#[derive(Clone, Debug, Default)]
struct Job {
    totals: JobTotals,
    /// What it does, and since when.
    now: Option<(Doing, Cycle)>,
}

#[derive(Clone, Copy, Debug)]
enum Doing {
    Run,
    Ready,
    Wait(&'static str),
}

impl Job {
    fn turn(&mut self, doing: Option<Doing>, at: Cycle) {
        if let Some((before, since)) = self.now.take() {
            let cycles = at.saturating_sub(since);
            *self.totals.slot(before) += cycles;
        }
        self.now = doing.map(|doing| (doing, at));
    }
}

impl JobTotals {
    fn slot(&mut self, doing: Doing) -> &mut Cycle {
        match doing {
            Doing::Run => &mut self.run,
            Doing::Ready => &mut self.ready,
            Doing::Wait(name) => self.waits.entry(name).or_default(),
        }
    }
}

impl Totals {
    pub(super) fn add(&mut self, noted: &Noted) {
        let Noted { at, tile, what } = *noted;
        match what {
            Note::JobRuns { site } => self.turn(site, Some(Doing::Run), at),
            Note::JobWoken { site } => self.turn(site, Some(Doing::Ready), at),
            Note::JobWaits { site, on } => self.turn(site, Some(Doing::Wait(on.name())), at),
            Note::JobEnds { site } => self.turn(site, None, at),
            Note::LockAsked { by, lock, .. } => {
                self.asked.insert(by, (at, tile, lock));
            }
            Note::LockTaken { by, lock, .. } => {
                if let Some((since, owner, asked)) = self.asked.remove(&by)
                    && (owner, asked) == (tile, lock)
                    && at > since
                {
                    let sum = self.locks.entry((by, tile, lock)).or_default();
                    sum.cycles += at - since;
                    sum.times += 1;
                }
            }
            _ => {}
        }
    }

    fn turn(&mut self, site: JobSite, doing: Option<Doing>, at: Cycle) {
        self.jobs.entry(site).or_default().turn(doing, at);
    }

    /// The jobs that ran, up to a cycle.
    pub fn jobs(&self, end: Cycle) -> impl Iterator<Item = (JobSite, JobTotals)> + '_ {
        self.jobs.iter().map(move |(site, job)| {
            let mut totals = job.totals.clone();
            if let Some((doing, since)) = job.now {
                *totals.slot(doing) += end.saturating_sub(since);
            }
            (*site, totals)
        })
    }

    /// Who waited for which lock, up to a cycle: party, tile and number of the lock.
    pub fn locks(&self, end: Cycle) -> Vec<(Party, TileLoc, u8, LockStalls)> {
        let mut locks = self.locks.clone();
        for (&by, &(since, tile, lock)) in &self.asked {
            if end > since {
                let sum = locks.entry((by, tile, lock)).or_default();
                sum.cycles += end - since;
                sum.times += 1;
            }
        }
        let flat = locks.into_iter();
        flat.map(|((by, tile, lock), sum)| (by, tile, lock, sum))
            .collect()
    }
}
