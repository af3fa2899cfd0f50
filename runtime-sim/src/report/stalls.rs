//! What was waited for: jobs by state, and the longest stalls with their causes.

use serde_json::{Value, json};

use crate::array::{Party, Stats};
use crate::diagnosis::Names;
use crate::run::SimResult;
use crate::time::Cycle;

/// Cycles of each job by state; null if the run was not watched.
pub(super) fn jobs(result: &SimResult) -> Value {
    let Some(totals) = result.array.totals() else {
        return Value::Null;
    };
    let describe = |(site, totals): (crate::array::JobSite, crate::array::JobTotals)| {
        json!({
            "uc": site.uc,
            "page": site.page,
            "job": site.job,
            "run_cycles": totals.run,
            "ready_cycles": totals.ready,
            "wait_cycles": totals.waits,
        })
    };
    totals.jobs(result.cycles).map(describe).collect()
}

/// Who stood still for what, the longest first; null if the run was not watched.
pub(super) fn stalls(result: &SimResult, stats: &Stats) -> Value {
    let Some(totals) = result.array.totals() else {
        return Value::Null;
    };
    let names = Names {
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
    let name_of = |party: Party| {
        let name = names.of_party(party).map(|resource| resource.name.as_str());
        name.filter(|name| !name.is_empty())
    };
    for (by, tile, lock, stalls) in totals.locks(stats.cycles) {
        let name = names.lock(tile, lock).map(|r| format!(" '{}'", r.name));
        let on = format!("lock {lock} of tile {tile}{}", name.unwrap_or_default());
        add(by.to_string(), name_of(by), "lock", Some(on), stalls.cycles);
    }
    for c in &stats.channels {
        let party = Party::Channel {
            tile: c.tile,
            dir: c.dir,
            channel: c.channel,
        };
        let who = party.to_string();
        add(who, name_of(party), "stream", None, c.stream_stall);
    }
    for c in &stats.cores {
        let party = Party::Core(c.tile);
        let name = name_of(party);
        add(party.to_string(), name, "stream", None, c.stream_stall);
        add(party.to_string(), name, "cascade", None, c.cascade_stall);
    }
    for p in &stats.ports {
        let (tile, port) = (p.tile, p.port);
        let party = match p.slave {
            true => Party::Slave { tile, port },
            false => Party::Master { tile, port },
        };
        let stood = p.states.map_or(0, |states| states.stood);
        add(party.to_string(), None, "not_taken", None, stood);
    }
    // stable, so that equal ones stay in the order of the array
    all.sort_by_key(|(cycles, _)| std::cmp::Reverse(*cycles));
    all.into_iter().map(|(_, stall)| stall).collect()
}
