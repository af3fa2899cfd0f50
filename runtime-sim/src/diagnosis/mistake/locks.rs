//! Rules for locks that no fifo has: taken in opposite orders, or not released as awaited.

use aiec_device::LockId;

use super::super::wait_record::NodeWaitReason;
use super::{Evidence, Mistake, MistakeKind, at_line, line};
use crate::array::{LockNeed, WaitReason};

impl Evidence<'_> {
    /// Cores wait for plain locks of each other.
    pub(super) fn lock_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let mut locks: Vec<LockId> = Vec::new();
        for wait in self.chain {
            let NodeWaitReason::Actor(WaitReason::Lock { lock, .. }) = wait.reason else {
                return None;
            };
            if !locks.contains(&lock) {
                locks.push(lock);
            }
        }
        let names: Vec<String> = locks.iter().map(|lock| self.lock_words(*lock)).collect();
        let source = self.chain.first().and_then(|wait| wait.source.clone());
        let places = self.chain.iter().filter_map(|wait| wait.source.as_deref());
        let places: Vec<String> = places.map(line).collect();
        let places = if places.is_empty() {
            String::new()
        } else {
            format!(" ({})", places.join(" and "))
        };
        Some(match &names[..] {
            [only] => Mistake {
                kind: MistakeKind::LockInitialValue,
                cause: format!(
                    "all wait for {only}{places}, and each would release it only afterwards: \
                     none has it first"
                ),
                help: format!("give {only} an initial value: `init = 1`"),
                source,
            },
            _ => Mistake {
                kind: MistakeKind::LockOrder,
                cause: format!(
                    "{} are each awaited by the one that would release the other{places}",
                    names.join(" and ")
                ),
                help:
                    "release before the acquire on one side, or give one of the locks an initial \
                       value"
                        .into(),
                source,
            },
        })
    }

    /// The chain ends at a plain lock.
    pub(super) fn lock_at_end(&self) -> Option<Mistake> {
        if self.is_cycle {
            return None;
        }
        let last = self.chain.last()?;
        let NodeWaitReason::Actor(WaitReason::Lock {
            lock, need, value, ..
        }) = last.reason
        else {
            return None;
        };
        let name = self.lock_words(lock);
        let place = at_line(last.place());
        let who = last.named();
        let given = self.array.view().lock_given(lock);
        let ended = self.array.view().ended_releasers(lock);
        let source = last.source.clone();
        let (kind, cause, help) = match (need, ended.first()) {
            (LockNeed::Equal(n), _) if given > 0 || value > 0 => (
                MistakeKind::LockCount,
                format!("{who} waits{place} until {name} is {n}, and it is {value}"),
                "wait with AcquireGreaterEqual, or release by amounts that reach the value"
                    .to_string(),
            ),
            (LockNeed::AtLeast(n), _) if value > 0 && value < n => (
                MistakeKind::LockCount,
                format!(
                    "{who} wants {n} of {name}{place}, which is {value}: released by {given} in \
                     all"
                ),
                "release as much as is acquired".to_string(),
            ),
            (_, Some(tile)) => (
                MistakeKind::LockReleaserEnded,
                format!(
                    "core {tile}, which releases {name}, has ended after it gave {given}; {who} \
                     wants it once more{place}"
                ),
                "release the lock as often as it is acquired".to_string(),
            ),
            _ => (
                MistakeKind::LockNeverReleased,
                format!("{who} waits for {name}{place}, which no program that runs releases"),
                "add the release, enable the core that has it, or give the lock an initial value"
                    .to_string(),
            ),
        };
        Some(Mistake {
            kind,
            cause,
            help,
            source,
        })
    }

    /// A lock by its name, or by number and tile.
    fn lock_words(&self, lock: LockId) -> String {
        match self.names.lock(lock) {
            Some(resource) => format!("lock '{}'", resource.name),
            None => lock.to_string(),
        }
    }
}
