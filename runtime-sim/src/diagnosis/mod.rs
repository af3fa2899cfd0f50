//! Why nothing can go on: who waits for whom, and what to do about it.
//!
//! Jobs, cores, DMA channels and switch ports that wait are nodes; an edge leads to each part
//! that could end the wait. A cycle of edges is a deadlock; without one, a chain of waits ends at
//! something that nobody will ever do (a task that was not started, a route that is missing), and
//! that is the likely cause.

use std::collections::BTreeMap;
use std::fmt;

use aiec_cert::debug::DebugInfo;

use crate::array::{Array, Cause, Party};
use crate::cert::{Block, JobState, Machine};
use crate::time::Cycle;

mod jobs;
mod judge;
mod names;
mod near;
mod parts;
mod walk;

use jobs::{blocked_jobs, job_wait};
pub use judge::Kind;
pub(crate) use names::Names;
pub use names::{concerned, source_of};
pub use near::{Limit, NearMiss, limit, near_misses};
use parts::part_wait;

/// A job that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobName {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u16,
    /// Number of the job.
    pub id: u16,
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "job {} of controller {} (page {})",
            self.id, self.uc, self.page
        )
    }
}

/// Somebody who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A job of a controller.
    Job(JobName),
    /// A part of the array.
    Part(Party),
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(job) => write!(f, "{job}"),
            Self::Part(party) => write!(f, "{party}"),
        }
    }
}

/// One wait with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub who: Node,
    /// Name in the source, if known.
    pub name: Option<String>,
    /// For what, in words.
    pub on: String,
    /// `file:line:column`, if known.
    pub source: Option<String>,
    /// Since when.
    pub since: Cycle,
    /// Who could end the wait.
    pub by: Vec<Node>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.who)?;
        if let Some(name) = &self.name {
            write!(f, " '{name}'")?;
        }
        write!(f, " waits since cycle {} for {}", self.since, self.on)?;
        match &self.source {
            Some(source) => write!(f, " [{source}]"),
            None => Ok(()),
        }
    }
}

/// Why a run stands still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The waits that explain it: a cycle, or a chain from a job to its cause.
    pub chain: Vec<Waiting>,
    /// The chain closes: its last wait is for its first.
    pub is_cycle: bool,
    /// Likely cause, as a word.
    pub kind: Kind,
    /// Likely cause, in words.
    pub cause: String,
    /// A way out, in words.
    pub help: String,
    /// All waits.
    pub all: Vec<Waiting>,
}

/// Explains a run in which nothing can go on.
pub fn diagnose(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Deadlock {
    let (all, facts) = all_waits(machine, array, debug);
    let index: BTreeMap<Node, usize> = all.iter().enumerate().map(|(i, w)| (w.who, i)).collect();
    let rank = |i: usize| judge::rank(all.get(i).and_then(|w| facts.get(&w.who)));
    let found = walk::explain(&all, &index, &rank);
    let chain: Vec<Waiting> = found.path.iter().map(|&i| all[i].clone()).collect();
    let names = Names { debug };
    let verdict = judge::judge(&chain, found.is_cycle, &facts, &names);
    Deadlock {
        chain,
        is_cycle: found.is_cycle,
        kind: verdict.kind,
        cause: verdict.cause,
        help: verdict.help,
        all,
    }
}

/// Everybody who waits, in words, and what is known of them besides.
fn all_waits(
    machine: &Machine,
    array: &Array,
    debug: Option<&DebugInfo>,
) -> (Vec<Waiting>, BTreeMap<Node, Fact>) {
    let names = Names { debug };
    let waits = array.waits();
    let mut all = Vec::new();
    let mut facts: BTreeMap<Node, Fact> = BTreeMap::new();
    for (name, job, op) in blocked_jobs(machine) {
        let JobState::Blocked(block) = job.state else {
            continue;
        };
        let waiting = job_wait(machine, array, &names, name, block, job.since, op);
        facts.insert(waiting.who, Fact::Job(block));
        all.push(waiting);
    }
    for wait in &waits {
        facts.insert(Node::Part(wait.who), Fact::Part(wait.on.clone()));
        all.push(part_wait(&names, wait));
    }
    (all, facts)
}

/// What is known of a node besides its words.
enum Fact {
    Job(Block),
    Part(Cause),
}
