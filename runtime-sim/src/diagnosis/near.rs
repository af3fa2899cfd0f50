//! Runs that did not hang: what a completed run left undone, and what was going on when a run was
//! given up.

use std::fmt;

use aiec_cert::debug::DebugInfo;

use super::names::Names;
use super::{Waiting, all_waits};
use crate::array::{Array, Leftover, Party};
use crate::cert::Machine;
use crate::time::Cycle;

/// Something that a completed run left undone. The next run of the design, or a run with other
/// latencies, may trip over it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// What, in words.
    pub what: String,
    /// `file:line:column`, if known.
    pub source: Option<String>,
}

impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        match &self.source {
            Some(source) => write!(f, " [{source}]"),
            None => Ok(()),
        }
    }
}

/// What a completed run left undone: tokens that nobody awaited, tasks that are not over, words in
/// streams, deferred jobs that nobody launched.
pub fn near_misses(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Vec<NearMiss> {
    let names = Names { debug };
    let mut found = Vec::new();
    for (tile, actor, count) in machine.shared.unawaited() {
        let sender = super::jobs::sender_of(array, tile, actor);
        let (name, source) = match sender {
            Some(party) => named(&names, party),
            None => (format!("actor {actor} of tile {tile}"), None),
        };
        let what = format!("{count} token(s) of {name} were never awaited");
        found.push(NearMiss { what, source });
    }
    for left in array.leftovers() {
        let (party, what) = match left {
            Leftover::Task(party) => (party, "a task is not over"),
            Leftover::Queued(party) => (party, "tasks wait in the queue"),
            Leftover::Words(party) => (party, "words stand in the stream"),
        };
        let (name, source) = named(&names, party);
        let what = format!("{name}: {what}");
        found.push(NearMiss { what, source });
    }
    for &(uc, page, job) in &machine.shared.never_launched {
        let what =
            format!("deferred job {job} of controller {uc} (page {page}) was never launched");
        let source = None;
        found.push(NearMiss { what, source });
    }
    found
}

fn named(names: &Names<'_>, party: Party) -> (String, Option<String>) {
    let resource = names.of_party(party);
    let source = resource.and_then(|resource| names.show(resource.source));
    match resource.filter(|resource| !resource.name.is_empty()) {
        Some(resource) => (format!("{party} '{}'", resource.name), source),
        None => (party.to_string(), source),
    }
}

/// What was going on when a run was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// When a controller last did anything but look at a register.
    pub last_progress: Cycle,
    /// Parts that still computed or moved words, with their names.
    pub active: Vec<String>,
    /// Everybody who waited.
    pub waiting: Vec<Waiting>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Most parts that are named.
        const MOST: usize = 4;
        let since = self.last_progress;
        if self.active.is_empty() {
            return write!(f, "the controllers have only polled since cycle {since}");
        }
        let names: Vec<&str> = self.active.iter().take(MOST).map(String::as_str).collect();
        let more = self.active.len().saturating_sub(MOST);
        write!(f, "still at work: {}", names.join(", "))?;
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        write!(f, "; the control code has not gone on since cycle {since}")
    }
}

/// Describes a run that is given up.
pub fn limit(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Limit {
    let names = Names { debug };
    let (waiting, _) = all_waits(machine, array, debug);
    let active = array.active().into_iter();
    Limit {
        last_progress: machine.last_progress(),
        active: active.map(|party| named(&names, party).0).collect(),
        waiting,
    }
}
