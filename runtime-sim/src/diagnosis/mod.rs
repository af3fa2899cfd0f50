//! Diagnosis of deadlocks: the wait-for graph, the likely cause, and advice.
//!
//! Jobs, cores, DMA channels and switch ports that wait are nodes of the wait-for graph; an edge
//! leads to each node that could end the wait. A cycle of edges is a deadlock; without one, a chain
//! of waits ends at something that will never happen (a task that was not started, a route that is
//! missing), and that is the likely cause.

use std::collections::BTreeMap;

use aiec_cert::debug::DebugInfo;

use crate::array::{ActorOrJob, Array};
use crate::cert::Machine;

mod chain;
mod classify;
mod job_wait;
mod jobs;
mod leftover_report;
mod lifetimes;
mod mistake;
mod names;
mod races;
mod story;
mod wait_record;

pub use classify::DeadlockKind;
pub use job_wait::{JobWait, JobWaitReason, WaitSite};
pub use jobs::job_wait_reason;
pub use leftover_report::{LeftoverReport, Limit, leftover_reports, limit};
pub(crate) use lifetimes::fifo_ends;
pub use mistake::{Mistake, MistakeKind};
pub(crate) use names::{CoreLine, DebugNames};
pub use names::{concerned, describe_print, source_of};
pub(crate) use races::findings;
pub use races::{
    AccessReport, NotAcquiredReport, OutsideReport, RaceFindings, RaceReport, UnwrittenReport,
    hazard_source,
};
pub(crate) use story::wait_words;
pub use wait_record::{NodeWaitReason, WaitRecord};

/// Why a run hangs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The waits that explain it: a cycle, or a chain from a job to its cause.
    pub chain: Vec<WaitRecord>,
    /// The chain closes: its last wait is for its first.
    pub is_cycle: bool,
    /// Likely cause, as a word.
    pub kind: DeadlockKind,
    /// The likely mistake.
    pub mistake: Mistake,
    /// The chain in words, one wait a line, and the likely mistake: 12 lines at most.
    pub story: Vec<String>,
    /// Object fifos that are full where they are too shallow, the likely one first; empty for other mistakes.
    pub full_fifos: Vec<String>,
    /// All waits.
    pub all: Vec<WaitRecord>,
}

/// All open waits.
pub(crate) fn waits(
    machine: &Machine,
    array: &Array,
    debug: Option<&DebugInfo>,
) -> Vec<WaitRecord> {
    all_waits(machine, array, &DebugNames { debug })
}

/// Explains a run in which nothing can go on.
pub fn diagnose(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Deadlock {
    let names = DebugNames { debug };
    let all = all_waits(machine, array, &names);
    let index: BTreeMap<ActorOrJob, usize> =
        all.iter().enumerate().map(|(i, w)| (w.who, i)).collect();
    let rank = |i: usize| all.get(i).map_or(0, |wait| classify::rank(&wait.reason));
    let found = chain::explain(&all, &index, &rank);
    let chain: Vec<WaitRecord> = found.path.iter().map(|&i| all[i].clone()).collect();
    let classified = classify::classify(&chain, found.is_cycle, &names);
    let evidence = mistake::Evidence {
        machine,
        array,
        names: &names,
        chain: &chain,
        is_cycle: found.is_cycle,
    };
    let mistake = mistake::find(&evidence, &classified);
    let full_fifos = match mistake.kind {
        MistakeKind::FifoTooShallow => evidence.full_fifos(),
        _ => Vec::new(),
    };
    let story = story::tell(&chain, found.is_cycle, &mistake, &names);
    Deadlock {
        story,
        mistake,
        is_cycle: found.is_cycle,
        kind: classified.kind,
        chain,
        full_fifos,
        all,
    }
}

/// Every job and every actor of the array that waits.
fn all_waits(machine: &Machine, array: &Array, names: &DebugNames<'_>) -> Vec<WaitRecord> {
    let jobs = jobs::waits(machine, array, names);
    let firmware = machine
        .firmware
        .as_ref()
        .and_then(|f| jobs::firmware_wait(f, array, names));
    let actors = array.view().waits();
    let actors = actors
        .into_iter()
        .map(|wait| WaitRecord::of_actor(names, array, wait));
    jobs.into_iter().chain(firmware).chain(actors).collect()
}
