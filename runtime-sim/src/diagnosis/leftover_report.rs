//! Runs that did not hang: what a completed run left unfinished, and what was going on when a run
//! was aborted.

use std::fmt;

use aiec_cert::debug::DebugInfo;

use super::names::DebugNames;
use super::{WaitRecord, all_waits, lock_balance};
use crate::array::{ActorId, ActorKind, Array, Leftover};
use crate::cert::Machine;
use crate::time::Cycle;

/// Something that a completed run left unfinished. The next run of the design, or a run with other
/// latencies, may fail because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverReport {
    /// What, in words.
    pub what: String,
    /// `file:line:column`, if known.
    pub source: Option<String>,
}

impl fmt::Display for LeftoverReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        match &self.source {
            Some(source) => write!(f, " [{source}]"),
            None => Ok(()),
        }
    }
}

/// What a completed run left unfinished: tokens that nobody awaited, tasks that have not ended,
/// undelivered data in streams, locks that don't rest, deferred jobs that nobody launched.
pub fn leftover_reports(
    machine: &Machine,
    array: &Array,
    debug: Option<&DebugInfo>,
) -> Vec<LeftoverReport> {
    let names = DebugNames { debug };
    let mut found = Vec::new();
    for (tile, actor, count) in machine.shared.unawaited() {
        let (name, source) = match array.token_sender(tile, actor) {
            Some(sender) => named(&names, ActorId::channel(sender)),
            None => (format!("actor {actor} of tile {tile}"), None),
        };
        let what = format!("{count} token(s) of {name} were never awaited");
        found.push(LeftoverReport { what, source });
    }
    let firmware = machine.firmware.iter().flat_map(|f| f.tokens_left());
    for (sender, count) in firmware {
        let (name, source) = named(&names, ActorId::channel(sender));
        let what = format!("{count} token(s) of {name} were never awaited");
        found.push(LeftoverReport { what, source });
    }
    for left in array.leftovers() {
        let (actor, what) = match left {
            Leftover::Task(actor, None) => (actor, "a task has not ended".to_string()),
            Leftover::Task(actor, Some((moved, wanted))) => {
                let what = format!("a task has not ended: {moved} of {wanted} words moved");
                (actor, what)
            }
            Leftover::Queued(actor, tasks) => (actor, format!("{tasks} task(s) wait in the queue")),
            Leftover::UndeliveredData(actor, words) => {
                let what = format!("undelivered data in the stream: {words} word(s) at its input");
                (actor, what)
            }
        };
        let (name, source) = named(&names, actor);
        let what = format!("{name}: {what}");
        found.push(LeftoverReport { what, source });
    }
    found.extend(lock_balance::unbalanced(array, &names));
    for job in &machine.shared.never_launched {
        let what = format!("deferred {job} was never launched");
        let source = None;
        found.push(LeftoverReport { what, source });
    }
    found
}

fn named(names: &DebugNames<'_>, actor: ActorId) -> (String, Option<String>) {
    let resource = names.of_actor(actor);
    let source = resource.and_then(|resource| names.show(resource.source));
    (names.with_name(actor), source)
}

/// An actor that is at work, a core with its line.
fn at_work(names: &DebugNames<'_>, array: &Array, actor: ActorId) -> String {
    let who = names.with_name(actor);
    let line = match actor.kind() {
        ActorKind::Core => names.core_line(array, actor.tile()),
        _ => None,
    };
    match line.and_then(|line| names.show(Some(line.source))) {
        Some(source) => format!("{who} at {source}"),
        None => who,
    }
}

/// What was going on when a run was aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// When a controller last did anything but look at a register.
    pub last_progress: Cycle,
    /// Actors that still computed or moved words, with their names.
    pub active: Vec<String>,
    /// All waits.
    pub waiting: Vec<WaitRecord>,
    /// The user ended the run.
    pub interrupted: bool,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Most actors that are named.
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

/// Describes a run that is aborted.
pub fn limit(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Limit {
    let names = DebugNames { debug };
    let active = array.active().into_iter();
    Limit {
        last_progress: machine.last_progress(),
        active: active.map(|actor| at_work(&names, array, actor)).collect(),
        waiting: all_waits(machine, array, &names),
        interrupted: false,
    }
}
