//! What was waited for: jobs by state, and the longest stalls with their causes.

use serde_json::{Value, json};

use crate::array::{ActorId, JobId, JobTotals, Stats};
use crate::diagnosis::DebugNames;
use crate::run::SimResult;
use crate::time::Cycle;

/// Cycles of each job by state; null if they were not recorded.
pub(super) fn jobs(result: &SimResult) -> Value {
    let Some(totals) = result.array.totals() else {
        return Value::Null;
    };
    let describe = |(id, totals): (JobId, JobTotals)| {
        json!({
            "uc": id.uc,
            "page": id.page,
            "job": id.job,
            "run_cycles": totals.run,
            "ready_cycles": totals.ready,
            "wait_cycles": totals.waits,
        })
    };
    totals.jobs(result.cycles).map(describe).collect()
}

/// Who was stalled by what, the longest first; null if that was not recorded.
pub(super) fn stalls(result: &SimResult, stats: &Stats) -> Value {
    let Some(locks) = result.array.lock_stalls() else {
        return Value::Null;
    };
    let names = DebugNames {
        debug: result.debug.as_ref(),
    };
    let mut all: Vec<(Cycle, Value)> = Vec::new();
    let mut add = |who: String, name: Option<&str>, cause: &str, on: Option<String>, cycles| {
        if cycles > 0 {
            let stall = json!({
                "who": who, "name": name, "cause": cause, "on": on, "cycles": cycles,
            });
            all.push((cycles, stall));
        }
    };
    let name_of = |actor: ActorId| {
        let name = names.of_actor(actor).map(|resource| resource.name.as_str());
        name.filter(|name| !name.is_empty())
    };
    for (by, lock, stalls) in locks {
        let name = names.lock(lock).map(|r| format!(" '{}'", r.name));
        let on = format!("{lock}{}", name.unwrap_or_default());
        add(by.to_string(), name_of(by), "lock", Some(on), stalls.cycles);
    }
    for c in &stats.channels {
        let actor = ActorId::channel(c.channel);
        add(
            actor.to_string(),
            name_of(actor),
            "stream",
            None,
            c.stream_stall,
        );
    }
    for c in &stats.cores {
        let actor = ActorId::core(c.tile);
        let name = name_of(actor);
        add(actor.to_string(), name, "stream", None, c.stream_stall);
        add(actor.to_string(), name, "cascade", None, c.cascade_stall);
    }
    for p in &stats.ports {
        let stalled = p.states.map_or(0, |states| states.stalled);
        add(p.port.to_string(), None, "not_taken", None, stalled);
    }
    // stable, so that equal ones stay in the order of the array
    all.sort_by_key(|(cycles, _)| std::cmp::Reverse(*cycles));
    all.into_iter().map(|(_, stall)| stall).collect()
}
