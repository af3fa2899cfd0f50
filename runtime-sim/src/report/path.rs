//! The critical path of a run as a report and as tables.

use super::columns::{rows_as_table, share};
use super::types::{CriticalPathReport, PathLinkReport, PathShareReport};
use crate::array::{ActorKind, ActorOrJob};
use crate::critical_path::CriticalPath;
use crate::diagnosis::DebugNames;
use crate::run::SimResult;
use crate::time::Cycle;

/// Links from the last one back that the table has.
const LAST_LINKS: usize = 12;

/// Report of the critical path of a run.
pub fn critical_path(result: &SimResult, path: &CriticalPath) -> CriticalPathReport {
    let names = DebugNames {
        debug: result.debug.as_ref(),
    };
    // Cores have none of their own.
    let name_of = |who: ActorOrJob| match who {
        ActorOrJob::Actor(actor) if matches!(actor.kind(), ActorKind::Channel(_)) => {
            let name = names.of_actor(actor).map(|resource| resource.name.clone());
            name.filter(|name| !name.is_empty())
        }
        _ => None,
    };
    let shares = path.shares().into_iter().map(|share| PathShareReport {
        who: share.who.to_string(),
        name: name_of(share.who),
        activity: share.activity,
        links: share.links,
        cycles: share.cycles,
    });
    let links = path.links().iter().map(|link| PathLinkReport {
        who: link.who.to_string(),
        name: name_of(link.who),
        activity: link.activity,
        begin: link.begin,
        cycles: link.cycles(),
    });
    CriticalPathReport {
        shares: shares.collect(),
        links: links.collect(),
    }
}

/// The least cycles of a run beside those that it took, in a line.
pub fn bound_line(bound: Cycle, run: Cycle) -> String {
    let percent = bound.saturating_mul(100) / run.max(1);
    format!("bound {bound} cycles, run {run} cycles ({percent} %)")
}

/// The tables of a critical path: the cycles by part, and the last links.
pub fn critical_path_table(path: &CriticalPathReport) -> String {
    let all: Cycle = path.links.iter().map(|link| link.cycles).sum();
    let with_name = |who: &str, name: &Option<String>| match name {
        Some(name) => format!("{who} '{name}'"),
        None => who.to_string(),
    };
    let shares = path.shares.iter().map(|part| {
        vec![
            with_name(&part.who, &part.name),
            part.activity.to_string(),
            share(part.cycles, all),
            part.links.to_string(),
        ]
    });
    let links = path.links.iter().rev().take(LAST_LINKS).map(|link| {
        vec![
            link.begin.to_string(),
            with_name(&link.who, &link.name),
            link.activity.to_string(),
            link.cycles.to_string(),
        ]
    });
    let heads = ["critical path", "", "cycles", "times"];
    let shares = rows_as_table(&heads, shares.collect());
    let heads = ["from cycle", "the last links, backwards", "", "cycles"];
    shares + &rows_as_table(&heads, links.collect())
}
