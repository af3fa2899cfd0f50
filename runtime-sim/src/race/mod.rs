//! Races: accesses to the same bytes, one a write, that nothing but time puts in order.
//!
//! # Design
//!
//! *Order.* Each thread (a core, a DMA channel, a control port, a job, the uC-DMA chains of a job, the host) has a
//! vector clock ([`clock`]). What hands something on gives a [`Stamp`] of it, and who takes it joins the
//! stamp to its own clock. An event comes before another if the other's thread knows of its time
//! then. What hands on:
//!
//! | from | to | where |
//! | --- | --- | --- |
//! | release of a lock, register write of it | acquire | [`lock`]: units first in, first out |
//! | word sent to a stream | the word read; a full stream orders nothing | [`stream`] |
//! | transfer of a cascade | the transfer taken | `array::core_port` |
//! | push of a task | begin of the task | `array::races` |
//! | end of a task with a token | the wait that takes the token | `array::races` |
//! | register write that enables a core | its first instruction | `array::core_tile` |
//! | status that a poll saw (channel idle, core done, lock value) | the job that polled | `array::races` |
//! | end of a job, page, scope; barrier; launch; uC-DMA chain | jobs behind it | `cert` |
//! | control packet | what it writes | `array::control_packet` |
//! | end of all jobs | the host reads its buffers | `run` |
//!
//! *Accesses.* For each byte the last write and the reads since then are kept, by ranges ([`shadow`],
//! after FastTrack by Flanagan and Freund, PLDI 2009). A core's loads and stores between two
//! operations that others can see have one time, so they are collected as bits (`core::AccessLog`)
//! and recorded as ranges when the next such operation comes. The words that a channel writes are recorded as
//! one range when their run ends; those that it reads are recorded when their run begins, each with
//! the time at which it enters the stream.
//!
//! Accesses are recorded before their thread hands anything on, so whoever comes behind them finds
//! them. Two accesses without order meet whichever is recorded first, so what is found doesn't
//! depend on the timing of the run, as long as its choices don't: [`Doubt`] lists those.

mod clock;
mod lock;
mod report;
mod shadow;
mod stream;

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{LockId, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::core::AccessLog;
use crate::time::Cycle;
use lock::LockUnits;
use shadow::{Access, AccessFinding, Shadow, WORD};

pub use clock::{Clock, Stamp, Thread, Time};
pub use lock::LockBalance;
pub use report::{Doubt, LockUse, RaceAccess, RaceRecord, ReceiverName, Unwritten};
pub use stream::StreamStamps;

/// A memory that accesses go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    /// The data memory of a tile.
    Tile(TileLoc),
    /// Host memory.
    Host,
}

/// Where in what a thread executes an access is: the number of the instruction of a core's program;
/// the BD of a channel; page and byte offset in it of a job, see [`Site::of_page`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(pub u32);

impl Site {
    /// An instruction of control code.
    pub fn of_page(page: u16, offset: u16) -> Site {
        Site(u32::from(page) << 16 | u32::from(offset))
    }

    /// Page and byte offset of [`Site::of_page`].
    pub fn page(self) -> (u16, u16) {
        ((self.0 >> 16) as u16, self.0 as u16)
    }
}

/// A range of bytes that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The memory.
    pub memory: Memory,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Who writes on the register bus, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The thread.
    pub thread: Thread,
    /// The instruction.
    pub site: Site,
}

/// Writes of a thread in a row that aren't recorded yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    memory: Memory,
    start: u64,
    end: u64,
    access: Access,
    /// The bytes up to here have been compared with what was recorded.
    compared: u64,
}

/// Reads of a sender that are recorded up to a byte though they are still to come.
#[derive(Clone, Copy, Debug)]
struct ReadAhead {
    memory: Memory,
    next: u64,
    end: u64,
    time: Time,
    site: Site,
}

/// Releases of a thread that are remembered.
const RELEASES: usize = 8;

#[derive(Debug)]
struct ThreadState {
    clock: Clock,
    pending: Option<Pending>,
    ahead: Option<ReadAhead>,
    acquired: Option<LockUse>,
    /// The last releases with the times of the thread, oldest first.
    released: Vec<(Time, LockUse)>,
}

/// How bytes are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Write,
    Read,
    /// Perhaps not all of them.
    PerhapsRead,
}

/// Different races that are kept.
const MOST_RACES: usize = 256;

/// What makes two races the same: memory, and thread, site and sort of both accesses.
type RaceKey = (Memory, (Thread, u32, bool), (Thread, u32, bool));

/// Finds races.
#[derive(Debug)]
pub struct Detector {
    threads: Vec<ThreadState>,
    memories: FxHashMap<Memory, Shadow>,
    /// Threads whose writes to a memory aren't recorded yet.
    pending: FxHashMap<Memory, SmallVec<[Thread; 4]>>,
    locks: FxHashMap<LockId, LockUnits>,
    races: IndexMap<RaceKey, RaceRecord>,
    unwritten: IndexMap<(Memory, Thread, u32), Unwritten>,
    doubts: BTreeSet<Doubt>,
}

impl Default for Detector {
    fn default() -> Detector {
        let mut detector = Detector {
            threads: Vec::new(),
            memories: FxHashMap::default(),
            pending: FxHashMap::default(),
            locks: FxHashMap::default(),
            races: IndexMap::new(),
            unwritten: IndexMap::new(),
            doubts: BTreeSet::new(),
        };
        detector.begin();
        detector
    }
}

impl Detector {
    /// A new thread, which knows of nothing. The first is [`Thread::HOST`], which is there already.
    pub fn begin(&mut self) -> Thread {
        let thread = Thread::new(self.threads.len());
        self.threads.push(ThreadState {
            clock: Clock::new(thread),
            pending: None,
            ahead: None,
            acquired: None,
            released: Vec::new(),
        });
        thread
    }

    /// What a thread hands on: all that it did so far comes before who joins it.
    pub fn stamp(&mut self, thread: Thread) -> Stamp {
        self.record_pending(thread);
        let state = &mut self.threads[thread.index()];
        let stamp = state.clock.stamp();
        state.clock.tick(1);
        stamp
    }

    /// A thread comes behind what a stamp is of.
    pub fn join(&mut self, thread: Thread, stamp: &Stamp) {
        self.record_pending(thread);
        self.threads[thread.index()].clock.join(stamp);
    }

    /// A thread comes behind all that others have done.
    pub fn join_thread(&mut self, thread: Thread, other: Thread) {
        if thread != other {
            let stamp = self.stamp(other);
            self.join(thread, &stamp);
        }
    }

    /// Threads meet: each comes behind all that the others have done.
    pub fn meet(&mut self, threads: &[Thread]) {
        let stamps: Vec<Stamp> = threads.iter().map(|&thread| self.stamp(thread)).collect();
        for &thread in threads {
            stamps.iter().for_each(|stamp| self.join(thread, stamp));
        }
    }

    /// A thread comes behind everything so far.
    pub fn join_everything(&mut self, thread: Thread) {
        for other in 0..self.threads.len() {
            self.join_thread(thread, Thread::new(other));
        }
    }

    /// A thread sends words: enters its stamp for them into a pipe from a position on.
    pub fn send(
        &mut self,
        thread: Thread,
        streams: &mut StreamStamps,
        (pipe, position): (usize, u64),
        words: u32,
    ) {
        self.record_pending(thread);
        let state = &mut self.threads[thread.index()];
        streams.enter(pipe, position, Some(&state.clock.stamp()));
        state.clock.tick(words);
    }

    /// A thread takes the words of a pipe between two positions. `ordered`: their order matters to it.
    pub fn take(
        &mut self,
        thread: Thread,
        streams: &mut StreamStamps,
        pipe: usize,
        range: (u64, u64),
    ) -> bool {
        let clock = &mut self.threads[thread.index()].clock;
        streams.take(pipe, range.0, range.1, clock)
    }

    /// A lock is set by a register write.
    pub fn set_lock(&mut self, thread: Thread, lock: LockId, value: u32) {
        let stamp = self.stamp(thread);
        self.locks.entry(lock).or_default().set(value, &stamp);
    }

    /// A lock is released.
    pub fn release(&mut self, thread: Thread, lock: LockId, change: i32, at: Cycle) {
        let stamp = self.stamp(thread);
        let units = self.locks.entry(lock).or_default();
        units.release(change, &stamp);
        if units.in_doubt {
            self.doubts.insert(Doubt::Lock(lock));
        }
        let released = &mut self.threads[thread.index()].released;
        if released.len() >= RELEASES {
            released.remove(0);
        }
        released.push((stamp.time, LockUse { lock, at }));
    }

    /// A lock is acquired: so many units, or `None` for a wait for a value.
    pub fn acquire(&mut self, thread: Thread, lock: LockId, units: Option<u32>, at: Cycle) {
        self.record_pending(thread);
        let state = &mut self.threads[thread.index()];
        let known = self.locks.entry(lock).or_default();
        known.acquire(units, &mut state.clock, thread);
        state.acquired = Some(LockUse { lock, at });
        if known.in_doubt {
            self.doubts.insert(Doubt::Lock(lock));
        }
    }

    /// A thread comes behind all changes of a lock so far.
    pub fn see_lock(&mut self, thread: Thread, lock: LockId) {
        self.record_pending(thread);
        let clock = &mut self.threads[thread.index()].clock;
        self.locks
            .entry(lock)
            .or_default()
            .acquire(None, clock, thread);
    }

    /// What makes the data depend on time is met.
    pub fn doubt(&mut self, doubt: Doubt) {
        self.doubts.insert(doubt);
    }

    /// A thread writes bytes, one burst after the other.
    pub fn write(&mut self, thread: Thread, span: Span, site: Site, at: Cycle) {
        let Span {
            memory,
            start,
            bytes,
        } = span;
        let end = start + bytes;
        let pending = self.threads[thread.index()].pending;
        let goes_on = |p: &Pending| p.memory == memory && p.end == start && p.access.site == site.0;
        let mut pending = match pending.filter(goes_on) {
            Some(pending) => Pending { end, ..pending },
            None => {
                self.record_pending(thread);
                self.pending.entry(memory).or_default().push(thread);
                Pending {
                    memory,
                    start,
                    end,
                    access: self.access(thread, site, at),
                    compared: start,
                }
            }
        };
        if end > pending.compared {
            let access = Access {
                at,
                ..pending.access
            };
            let range = (pending.compared.max(pending.start), end);
            pending.compared = self.compare(memory, range, access, Sort::Write);
        }
        self.threads[thread.index()].pending = Some(pending);
    }

    fn access(&self, thread: Thread, site: Site, at: Cycle) -> Access {
        Access {
            thread,
            time: self.threads[thread.index()].clock.own(),
            rising: false,
            site: site.0,
            at,
        }
    }

    /// Records what a thread has written so far.
    pub fn record_pending(&mut self, thread: Thread) {
        let state = &mut self.threads[thread.index()];
        if let Some(pending) = state.pending.take() {
            let threads = self.pending.entry(pending.memory).or_default();
            threads.retain(|other| *other != thread);
            let range = (pending.start, pending.end);
            // what others have done since it was compared
            self.compare(pending.memory, range, pending.access, Sort::Write);
            let shadow = self.memories.entry(pending.memory).or_default();
            shadow.write(range, pending.access);
        }
    }

    /// Records what other threads have written to a range.
    fn record_others(&mut self, memory: Memory, (start, end): (u64, u64), own: Thread) {
        let Some(threads) = self.pending.get(&memory) else {
            return;
        };
        let overlaps = |thread: &Thread| {
            let pending = self.threads[thread.index()].pending;
            pending.is_some_and(|p| *thread != own && p.start < end && start < p.end)
        };
        let others: SmallVec<[Thread; 2]> = threads.iter().copied().filter(overlaps).collect();
        for thread in others {
            self.record_pending(thread);
        }
    }

    /// A thread reads bytes.
    pub fn read(&mut self, thread: Thread, span: Span, site: Site, at: Cycle) {
        self.record_pending(thread);
        let access = self.access(thread, site, at);
        self.record_read(span, access, true);
    }

    /// `sure`: all bytes are read indeed, so that one that nothing wrote is worth a report.
    fn record_read(&mut self, span: Span, access: Access, sure: bool) {
        let range = (span.start, span.start + span.bytes);
        let sort = if sure { Sort::Read } else { Sort::PerhapsRead };
        self.compare(span.memory, range, access, sort);
        let clock = &self.threads[access.thread.index()].clock;
        let shadow = self.memories.entry(span.memory).or_default();
        shadow.read(range, access, clock);
    }

    /// A thread reads words and sends each, the first with the next stamp of its own. `span` are the words of
    /// this burst, `run` the bytes from its start on that it will read in the same way.
    pub fn read_to_send(&mut self, thread: Thread, span: Span, run: u64, site: Site, at: Cycle) {
        let state = &mut self.threads[thread.index()];
        let time = state.clock.own();
        let end = span.start + span.bytes;
        let recorded = state.ahead.as_mut().filter(|ahead| {
            (ahead.memory, ahead.next, ahead.site) == (span.memory, span.start, site)
                && ahead.end >= end
                && ahead.time == time
        });
        let words = (span.bytes / WORD) as Time;
        if let Some(ahead) = recorded {
            ahead.next = end;
            ahead.time = time.saturating_add(words);
            return;
        }
        state.ahead = Some(ReadAhead {
            memory: span.memory,
            next: end,
            end: span.start + run,
            time: time.saturating_add(words),
            site,
        });
        self.record_pending(thread);
        let access = Access {
            rising: true,
            ..self.access(thread, site, at)
        };
        self.record_read(Span { bytes: run, ..span }, access, true);
    }

    /// What a core has accessed since the last call; `memories` are those behind its windows.
    pub fn core_accesses(
        &mut self,
        thread: Thread,
        log: &mut AccessLog,
        memories: &[Option<Memory>; 4],
    ) {
        for write in [false, true] {
            log.drain(write, |window, range| {
                let Some(Some(memory)) = memories.get(window) else {
                    return;
                };
                let span = Span {
                    memory: *memory,
                    start: u64::from(range.start),
                    bytes: u64::from(range.bytes),
                };
                let access = self.access(thread, Site(range.instruction), range.at);
                match write {
                    false => self.record_read(span, access, !range.perhaps),
                    true => {
                        let range = (span.start, span.start + span.bytes);
                        self.compare(span.memory, range, access, Sort::Write);
                        let shadow = self.memories.entry(span.memory).or_default();
                        shadow.write(range, access);
                    }
                }
            });
        }
    }

    /// Bytes are as if the host had written them before the run.
    pub fn given(&mut self, span: Span) {
        let access = Access {
            thread: Thread::HOST,
            time: 0,
            rising: false,
            site: 0,
            at: 0,
        };
        let shadow = self.memories.entry(span.memory).or_default();
        shadow.write((span.start, span.start + span.bytes), access);
    }

    /// The run is over: what is pending is recorded, and the host reads all of its memory that was written,
    /// at a cycle; `None`: it doesn't.
    pub fn end(&mut self, host_reads: Option<Cycle>) {
        for thread in 0..self.threads.len() {
            self.record_pending(Thread::new(thread));
        }
        let Some(at) = host_reads else { return };
        let Some(shadow) = self.memories.get(&Memory::Host) else {
            return;
        };
        let ranges: Vec<(u64, u64)> = shadow.writes().map(|(from, to, _)| (from, to)).collect();
        let access = self.access(Thread::HOST, Site(0), at);
        for range in ranges {
            self.compare(Memory::Host, range, access, Sort::Read);
        }
    }

    /// Compares an access with what was recorded, and keeps what it meets.
    fn compare(&mut self, memory: Memory, range: (u64, u64), access: Access, sort: Sort) -> u64 {
        let writes = sort == Sort::Write;
        self.record_others(memory, range, access.thread);
        let shadow = self.memories.entry(memory).or_default();
        let clock = &self.threads[access.thread.index()].clock;
        let mut met: Vec<AccessFinding> = Vec::new();
        let known = shadow.compare(range, writes, clock, |meeting| met.push(meeting));
        for meeting in met {
            if sort == Sort::PerhapsRead && matches!(meeting, AccessFinding::Unwritten { .. }) {
                continue;
            }
            self.keep(memory, access, writes, meeting);
        }
        known
    }

    #[cold]
    fn keep(&mut self, memory: Memory, access: Access, writes: bool, meeting: AccessFinding) {
        match meeting {
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
                if self.unwritten.len() < MOST_RACES || self.unwritten.contains_key(&key) {
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
                if self.races.len() >= MOST_RACES && !self.races.contains_key(&key) {
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

    fn race_access(&self, access: Access, writes: bool) -> RaceAccess {
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

    /// What threads took of locks and gave, by lock and thread.
    pub fn lock_balances(&self) -> BTreeMap<LockId, Vec<LockBalance>> {
        let locks = self.locks.iter();
        locks
            .map(|(&lock, units)| (lock, units.balances()))
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
        let of_tile = memories.filter_map(|(memory, shadow)| match memory {
            Memory::Tile(tile) => Some((*tile, shadow)),
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

    /// What makes the data depend on time.
    pub fn doubts(&self) -> impl Iterator<Item = &Doubt> {
        self.doubts.iter()
    }
}

#[cfg(test)]
mod tests;
