//! Locks that don't rest: who takes more of a lock pair than it gives back, or less.
//!
//! Locks that the same actors use are exchanged for one another, as the two of an object fifo: who takes units of
//! one hands on as many of the other. A channel holds what its BD in progress took; a core may hold
//! as many as its largest acquires of object fifos ask for (of other locks it isn't known). What is missing or left beyond that is a release or an
//! acquire that was forgotten: the run completed, a longer one would hang or go wrong. The same holds for a
//! BD that only acquires or only releases in a chain whose others do both.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::LockId;

use super::LeftoverReport;
use super::names::DebugNames;
use crate::array::{ActorId, ActorKind, Array, ThreadName};
use crate::race::LockBalance;

/// A core that lacks a release keeps at least this part of what it takes: windows keep less in the long run.
const MIN_PART: u64 = 4;

/// What an actor took of locks and gave.
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
pub(super) fn unbalanced(array: &Array, names: &DebugNames<'_>) -> Vec<LeftoverReport> {
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
            ActorKind::Channel(_) => found.extend(of_channel(array, names, actor, &balances)),
            ActorKind::Core => {
                let mut groups: BTreeMap<&BTreeSet<ActorId>, Vec<(LockId, &LockBalance)>> =
                    BTreeMap::new();
                for (lock, balance) in balances {
                    if let Some(users) = users.get(&lock) {
                        groups.entry(users).or_default().push((lock, balance));
                    }
                }
                let groups = groups.values();
                found.extend(groups.filter_map(|group| of_core(array, names, actor, group)));
            }
            _ => {}
        }
    }
    found
}

fn of_channel(
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
    Some(report(names, actor, sum, "its locks", &what))
}

fn of_core(
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
    Some(report(names, actor, sum, &locks.join(", "), what))
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

fn report(
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
