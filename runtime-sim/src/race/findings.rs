//! Findings of the detector.

use std::collections::BTreeMap;

use aiec_device::{LockId, TileLoc};

use super::Detector;
use super::clock::Thread;
use super::lock::LockBalance;
use super::place::{Memory, Site, Span};
use super::report::{Imprecision, RaceAccess, RaceRecord, Unwritten};
use super::shadow::{Access, AccessFinding};

/// Different races that are kept.
const MAX_RACES: usize = 256;

/// Key under which races are one: memory, and thread, site and kind of both accesses.
pub(super) type RaceKey = (Memory, (Thread, u32, bool), (Thread, u32, bool));

impl Detector {
    #[cold]
    pub(super) fn keep(
        &mut self,
        memory: usize,
        access: Access,
        writes: bool,
        found: AccessFinding,
    ) {
        let Some((&memory, _)) = self.memories.get_index(memory) else {
            return;
        };
        match found {
            AccessFinding::Unwritten { start, end } => {
                let key = (memory, access.thread, access.site);
                let bytes = end - start;
                let found = Unwritten {
                    by: self.race_access(access, false),
                    at: Span {
                        memory,
                        start,
                        bytes,
                    },
                    times: 0,
                };
                if self.unwritten.len() < MAX_RACES || self.unwritten.contains_key(&key) {
                    self.unwritten.entry(key).or_insert(found).times += 1;
                }
            }
            AccessFinding::Unordered {
                start,
                end,
                earlier,
                earlier_writes,
            } => {
                let key = (
                    memory,
                    (earlier.thread, earlier.site, earlier_writes),
                    (access.thread, access.site, writes),
                );
                if self.races.len() >= MAX_RACES && !self.races.contains_key(&key) {
                    return;
                }
                let bytes = end - start;
                let found = RaceRecord {
                    at: Span {
                        memory,
                        start,
                        bytes,
                    },
                    first: self.race_access(earlier, earlier_writes),
                    second: self.race_access(access, writes),
                    times: 0,
                };
                self.races.entry(key).or_insert(found).times += 1;
            }
        }
    }

    pub(super) fn race_access(&self, access: Access, writes: bool) -> RaceAccess {
        let state = &self.threads[access.thread.index()];
        let mut released = state.released.iter();
        let after = released.find(|(time, _)| *time >= access.time);
        let acquired = state.acquired.filter(|lock| lock.at <= access.at);
        RaceAccess {
            thread: access.thread,
            writes,
            site: Site(access.site),
            at: access.at,
            acquired,
            released: after.map(|(_, lock)| *lock),
            released_before: state
                .released
                .iter()
                .rev()
                .find(|(time, _)| *time < access.time)
                .map(|(_, lock)| *lock),
        }
    }

    /// Units that threads took of locks and gave, by lock, in the order in which the threads began.
    pub fn lock_balances(&self) -> BTreeMap<LockId, Vec<LockBalance>> {
        let locks = self.locks.iter();
        locks
            .map(|(&lock, units)| {
                let mut balances = units.balances().to_vec();
                balances.sort_unstable_by_key(|b| self.threads[b.thread.index()].number);
                (lock, balances)
            })
            .collect()
    }

    /// A thread is reset: what it took and gave before doesn't count.
    pub fn forget_balances(&mut self, thread: Thread) {
        let locks = self.locks.values_mut();
        locks.for_each(|lock| lock.forget_balance(thread));
    }

    /// The races that were found, in the order in which they were, each with a count.
    pub fn races(&self) -> impl Iterator<Item = &RaceRecord> {
        self.races.values()
    }

    /// The reads of what nothing had written.
    pub fn unwritten(&self) -> impl Iterator<Item = &Unwritten> {
        self.unwritten.values()
    }

    /// Who wrote last to each range of the memories of tiles, in the order of addresses.
    pub fn last_writes(&self) -> Vec<(TileLoc, (u64, u64), RaceAccess)> {
        let memories = self.memories.iter();
        let of_tile = memories.filter_map(|(memory, history)| match memory {
            Memory::Tile(tile) => Some((*tile, &history.shadow)),
            Memory::Host => None,
        });
        let writes = of_tile.flat_map(|(tile, shadow)| {
            let writes = shadow.writes();
            writes.map(move |(start, end, access)| {
                (tile, (start, end), self.race_access(*access, true))
            })
        });
        let mut writes: Vec<_> = writes.collect();
        writes.sort_by_key(|(tile, range, _)| (*tile, *range));
        writes
    }

    /// Causes for which the data depend on time.
    pub fn imprecisions(&self) -> impl Iterator<Item = &Imprecision> {
        self.imprecisions.iter()
    }
}
