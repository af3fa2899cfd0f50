//! Runs that did not hang: what a completed run left unfinished, and what was going on when a run
//! was aborted.
//!
//! # Locks that don't rest
//!
//! An actor takes more of a lock pair than it gives back, or less.
//!
//! Locks that the same actors use are exchanged for one another, as the two of an object fifo: an
//! actor that takes units of one gives as many of the other. A channel holds what its BD in
//! progress took; a core may hold as many as its largest acquires of object fifos ask for (of other
//! locks it isn't known). What is missing or left beyond that is a release or an acquire that was
//! forgotten: the run completed, a longer one would hang or go wrong. The same holds for a BD that
//! only acquires or only releases in a chain whose others do both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aiec_cert::debug::DebugInfo;
use aiec_device::LockId;

use super::names::DebugNames;
use super::{WaitRecord, all_waits};
use crate::array::{ActorId, ActorKind, Array, Leftover, ThreadName};
use crate::cert::Machine;
use crate::race::LockBalance;
use crate::record::record;
use crate::time::Cycle;

record! {
    /// Something that a completed run left unfinished. The next run of the design, or a run with other
    /// latencies, may fail because of it.
    #[derive(Eq)]
    pub struct LeftoverReport {
        /// The leftover, in words.
        pub what: String,
        /// `file:line:column`, if known.
        pub source: Option<String>,
    }
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

/// Work that a completed run left unfinished: tokens that weren't awaited, tasks that have not ended,
/// undelivered data in streams, locks that don't rest, deferred jobs that weren't launched.
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
    for left in array.view().leftovers() {
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
    found.extend(unbalanced_locks(array, &names));
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

/// State of a run that was aborted.
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
    let active = array.view().active().into_iter();
    Limit {
        last_progress: machine.last_progress(),
        active: active.map(|actor| at_work(&names, array, actor)).collect(),
        waiting: all_waits(machine, array, &names),
        interrupted: false,
    }
}

/// A core that lacks a release keeps at least this part of what it takes: windows keep less in the long run.
const MIN_PART: u64 = 4;

/// Units that an actor took of locks and gave.
type Balances<'a> = BTreeMap<ActorId, Vec<(LockId, &'a LockBalance)>>;

#[derive(Debug, Default, Clone, Copy)]
struct LockTotals {
    taken: u64,
    given: u64,
    /// The most units of one acquire of each lock, together.
    most: u64,
}

impl LockTotals {
    fn of<'a>(balances: impl Iterator<Item = &'a LockBalance>) -> LockTotals {
        let mut sum = LockTotals::default();
        for balance in balances {
            sum.taken += balance.taken;
            sum.given += balance.given;
            sum.most += u64::from(balance.most);
        }
        sum
    }
}

/// Who took more or less than it gave.
fn unbalanced_locks(array: &Array, names: &DebugNames<'_>) -> Vec<LeftoverReport> {
    let Some(races) = array.races() else {
        return Vec::new();
    };
    let by_lock = races.detector.lock_balances();
    let mut users: BTreeMap<LockId, BTreeSet<ActorId>> = BTreeMap::new();
    let mut balances: Balances<'_> = BTreeMap::new();
    for (&lock, uses) in &by_lock {
        for balance in uses {
            if let ThreadName::Actor(actor) = races.name(balance.thread) {
                users.entry(lock).or_default().insert(actor);
                balances.entry(actor).or_default().push((lock, balance));
            }
        }
    }
    let mut found = Vec::new();
    for (actor, balances) in balances {
        match actor.kind() {
            ActorKind::Channel(_) => {
                found.extend(channel_imbalance(array, names, actor, &balances))
            }
            ActorKind::Core => {
                let mut groups: BTreeMap<&BTreeSet<ActorId>, Vec<(LockId, &LockBalance)>> =
                    BTreeMap::new();
                for (lock, balance) in balances {
                    if let Some(users) = users.get(&lock) {
                        groups.entry(users).or_default().push((lock, balance));
                    }
                }
                let groups = groups.values();
                found.extend(groups.filter_map(|group| core_imbalance(array, names, actor, group)));
            }
            _ => {}
        }
    }
    found
}

fn channel_imbalance(
    array: &Array,
    names: &DebugNames<'_>,
    actor: ActorId,
    balances: &[(LockId, &LockBalance)],
) -> Option<LeftoverReport> {
    let sum = LockTotals::of(balances.iter().map(|(_, balance)| *balance));
    let odd = array.odd_descriptor(actor);
    let both = sum.taken > 0 && sum.given > 0;
    let leaks = both && sum.taken != sum.given + array.units_in_progress(actor);
    let what = match odd {
        Some((bd, true)) => format!("BD {bd} of its chain lacks a release"),
        Some((bd, false)) => format!("BD {bd} of its chain lacks an acquire"),
        None if leaks => "a BD of its chain lacks an acquire or a release".to_string(),
        None => return None,
    };
    Some(imbalance_report(names, actor, sum, "its locks", &what))
}

fn core_imbalance(
    array: &Array,
    names: &DebugNames<'_>,
    actor: ActorId,
    group: &[(LockId, &LockBalance)],
) -> Option<LeftoverReport> {
    let sum = LockTotals::of(group.iter().map(|(_, balance)| *balance));
    let parts = group.iter().filter_map(|(lock, _)| names.lock(*lock));
    let fifos: BTreeSet<&str> = parts
        .filter_map(|lock| Some(lock.fifo.as_ref()?.fifo.as_str()))
        .collect();
    let asked = fifos.iter();
    let asked: u64 = asked
        .map(|fifo| largest_acquire(array, names, actor, fifo))
        .sum();
    let most = sum.most.max(asked);
    let missing = sum.taken.saturating_sub(sum.given);
    let kept = asked > 0 && missing > most && missing.saturating_mul(MIN_PART) > sum.taken;
    if sum.taken == 0 || sum.given == 0 || !(kept || sum.given > sum.taken) {
        return None;
    }
    let what = if kept {
        "it lacks a release"
    } else {
        "it lacks an acquire"
    };
    let locks: Vec<String> = group
        .iter()
        .map(|(lock, _)| match names.lock(*lock) {
            Some(resource) => format!("'{}'", resource.name),
            None => lock.to_string(),
        })
        .collect();
    Some(imbalance_report(names, actor, sum, &locks.join(", "), what))
}

/// The most objects of a fifo that an acquire of a core asks for.
fn largest_acquire(array: &Array, names: &DebugNames<'_>, core: ActorId, fifo: &str) -> u64 {
    let tile = core.tile();
    let position = array.core_position(tile);
    let marks = position.and_then(|at| names.debug?.program((tile.col, tile.row), at.checksum));
    let uses = marks.map_or(&[][..], |marks| &marks.fifo_uses);
    let acquires = uses
        .iter()
        .filter(|used| used.acquires && used.fifo == fifo);
    acquires
        .map(|used| u64::from(used.count))
        .max()
        .unwrap_or(0)
}

fn imbalance_report(
    names: &DebugNames<'_>,
    actor: ActorId,
    sum: LockTotals,
    locks: &str,
    what: &str,
) -> LeftoverReport {
    let LockTotals { taken, given, .. } = sum;
    let who = names.with_name(actor);
    let source = names.of_actor(actor).and_then(|resource| resource.source);
    LeftoverReport {
        what: format!("{who} took {taken} units of {locks} and gave {given}: {what}"),
        source: names.show(source),
    }
}
