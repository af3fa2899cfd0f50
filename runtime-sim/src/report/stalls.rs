//! Jobs by state, and the longest stalls with their causes.

use super::types::{JobReport, StallCause, StallReport};
use crate::array::{ActorId, JobId, JobTotals, Stats};
use crate::diagnosis::DebugNames;
use crate::run::SimResult;
use crate::time::Cycle;

/// Cycles of each job by state; `None` if they were not recorded.
pub(super) fn jobs(result: &SimResult) -> Option<Vec<JobReport>> {
    let describe = |(id, totals): (JobId, JobTotals)| JobReport {
        uc: id.uc,
        page: id.page,
        job: id.job,
        run_cycles: totals.run,
        ready_cycles: totals.ready,
        wait_cycles: totals.waits,
    };
    let totals = result.array.totals()?;
    Some(totals.jobs(result.cycles).map(describe).collect())
}

/// Stalls of cores, channels and ports, the longest first; `None` if that was not recorded.
pub(super) fn stalls(result: &SimResult, stats: &Stats) -> Option<Vec<StallReport>> {
    use StallCause::{Cascade, Lock, NotTaken, Stream};
    let locks = result.array.lock_stalls()?;
    let names = DebugNames {
        debug: result.debug.as_ref(),
    };
    let mut all: Vec<StallReport> = Vec::new();
    let mut add = |who: &dyn ToString, name: Option<&str>, cause, on, cycles: Cycle| {
        if cycles > 0 {
            all.push(StallReport {
                who: who.to_string(),
                name: name.map(str::to_string),
                cause,
                on,
                cycles,
            });
        }
    };
    let name_of = |actor: ActorId| {
        let name = names.of_actor(actor).map(|resource| resource.name.as_str());
        name.filter(|name| !name.is_empty())
    };
    for (by, lock, stalls) in locks {
        let name = names.lock(lock).map(|r| format!(" '{}'", r.name));
        let on = format!("{lock}{}", name.unwrap_or_default());
        add(&by, name_of(by), Lock, Some(on), stalls.cycles);
    }
    for c in &stats.channels {
        let actor = ActorId::channel(c.channel);
        add(&actor, name_of(actor), Stream, None, c.times.stream_stall);
    }
    for c in &stats.cores {
        let actor = ActorId::core(c.tile);
        let name = name_of(actor);
        add(&actor, name, Stream, None, c.times.stream_stall);
        add(&actor, name, Cascade, None, c.times.cascade_stall);
    }
    for p in &stats.ports {
        let stalled = p.states.map_or(0, |states| states.stalled);
        add(&p.port, None, NotTaken, None, stalled);
    }
    // Stable, so that equal ones stay in the order of the array.
    all.sort_by_key(|stall| std::cmp::Reverse(stall.cycles));
    Some(all)
}
