//! Races: accesses to the same bytes, one a write, that nothing but time puts in order.
//!
//! # Design
//!
//! *Order.* Each thread (a core, a DMA channel, a control port, a job, the uC-DMA chains of a job,
//! the host) has a vector clock ([`clock`]). A release makes a [`Stamp`] of the clock, and the
//! acquiring thread joins the stamp to its own clock. An event comes before another if the other's
//! thread knows of its time then. Releases and acquires:
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
//! | end of a job, page, scope; barrier; launch; uC-DMA chain | jobs after it | `cert` |
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
//! Accesses are recorded before their thread releases anything, so that accesses ordered after them
//! find them. Two accesses without order meet whichever is recorded first, so what is found doesn't
//! depend on the timing of the run, as long as its choices don't: [`Imprecision`] lists those.

mod boundaries;
mod clock;
mod findings;
mod lifetime;
mod lock;
mod place;
mod report;
mod shadow;
mod stream;
mod thread;

use std::collections::BTreeSet;

use aiec_device::{LockId, TileLoc};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::core::AccessLog;
use crate::time::Cycle;
use clock::BLOCK;
use findings::RaceKey;
use lifetime::Lifetimes;
use lock::LockUnits;
use shadow::{Access, AccessFinding, Shadow, WORD};
use thread::{Pending, ReadAhead, ThreadState};

pub use clock::{Clock, Stamp, Thread, Time};
pub use lifetime::{FifoEnd, NotAcquired};
pub use lock::LockBalance;
pub use place::{Memory, Site, Span, Writer};
pub use report::{Imprecision, LockUse, PartName, RaceAccess, RaceRecord, Unwritten};
pub use stream::StreamStamps;

/// Kind of access to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessKind {
    Write,
    Read,
    /// Perhaps not all of them.
    PerhapsRead,
}

/// History of the accesses to a memory.
#[derive(Clone, Debug, Default)]
struct MemoryHistory {
    shadow: Shadow,
    /// Threads whose writes to it aren't recorded yet.
    pending: SmallVec<[PendingBounds; 4]>,
}

/// Bytes that the writes of a thread that aren't recorded yet, and those that need no comparison, are within.
#[derive(Clone, Copy, Debug)]
struct PendingBounds {
    thread: Thread,
    start: u64,
    end: u64,
}

/// Finds races.
#[derive(Clone, Debug)]
pub struct Detector {
    /// By number; some haven't begun.
    threads: Vec<ThreadState>,
    /// Those that have begun.
    begun: Vec<Thread>,
    /// The last that has begun of each group.
    groups: FxHashMap<u32, Thread>,
    memories: IndexMap<Memory, MemoryHistory, FxBuildHasher>,
    locks: FxHashMap<LockId, LockUnits>,
    races: IndexMap<RaceKey, RaceRecord>,
    unwritten: IndexMap<(Memory, Thread, u32), Unwritten>,
    lifetimes: Lifetimes,
    imprecisions: BTreeSet<Imprecision>,
}

impl Default for Detector {
    fn default() -> Detector {
        let mut detector = Detector {
            threads: Vec::new(),
            begun: Vec::new(),
            groups: FxHashMap::default(),
            memories: IndexMap::default(),
            locks: FxHashMap::default(),
            races: IndexMap::new(),
            unwritten: IndexMap::new(),
            lifetimes: Lifetimes::default(),
            imprecisions: BTreeSet::new(),
        };
        detector.begin(0);
        detector
    }
}

impl Detector {
    /// A new thread, which knows of nothing. The first is [`Thread::HOST`], which is there already. Threads of a group
    /// hand much on to one another, so their times are kept together.
    pub fn begin(&mut self, group: u32) -> Thread {
        let next = self.groups.get(&group).map(|last| last.index() + 1);
        let next = next.filter(|next| next % BLOCK != 0).unwrap_or_else(|| {
            let first = self.threads.len();
            let block = (first..first + BLOCK).map(|number| ThreadState::new(Thread::new(number)));
            self.threads.extend(block);
            first
        });
        let thread = Thread::new(next);
        self.threads[next].number = self.begun.len();
        self.begun.push(thread);
        self.groups.insert(group, thread);
        thread
    }

    /// Takes a release stamp: everything that this thread did so far happens before any joiner.
    pub fn stamp(&mut self, thread: Thread) -> Stamp {
        self.record_pending(thread);
        let state = &mut self.threads[thread.index()];
        let stamp = state.clock.stamp();
        state.clock.tick(1);
        stamp
    }

    /// Orders `thread` after `stamp`.
    pub fn join(&mut self, thread: Thread, stamp: &Stamp) {
        self.record_pending(thread);
        self.threads[thread.index()].clock.join(stamp);
    }

    /// Orders a thread after everything that others have done.
    pub fn join_thread(&mut self, thread: Thread, other: Thread) {
        if thread != other {
            let stamp = self.stamp(other);
            self.join(thread, &stamp);
        }
    }

    /// Threads meet: orders each after everything that the others have done.
    pub fn join_all(&mut self, threads: &[Thread]) {
        let stamps: Vec<Stamp> = threads.iter().map(|&thread| self.stamp(thread)).collect();
        for &thread in threads {
            stamps.iter().for_each(|stamp| self.join(thread, stamp));
        }
    }

    /// Orders a thread after everything so far.
    pub fn join_everything(&mut self, thread: Thread) {
        for other in 0..self.begun.len() {
            self.join_thread(thread, self.begun[other]);
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
        streams.send(pipe, position, &mut state.clock);
        state.clock.tick(words);
    }

    /// A thread receives the words of a pipe between two positions. Returns whether their senders were merged, so that their
    /// order depends on time.
    pub fn receive(
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
        self.locks.entry(lock).or_default().set(value, stamp);
    }

    /// A lock is released.
    pub fn release(&mut self, thread: Thread, lock: LockId, change: i32, at: Cycle) {
        let stamp = self.stamp(thread);
        let time = stamp.time;
        let units = self.locks.entry(lock).or_default();
        units.release(change, stamp);
        if units.in_doubt {
            self.imprecisions.insert(Imprecision::Lock(lock));
        }
        self.threads[thread.index()].has_released(time, lock, at);
    }

    /// A lock is acquired: `units`, or `None` for a wait for a value.
    pub fn acquire(&mut self, thread: Thread, lock: LockId, units: Option<u32>, at: Cycle) {
        self.record_pending(thread);
        let state = &mut self.threads[thread.index()];
        let known = self.locks.entry(lock).or_default();
        known.acquire(units, &mut state.clock, thread);
        state.acquired = Some(LockUse { lock, at });
        if known.in_doubt {
            self.imprecisions.insert(Imprecision::Lock(lock));
        }
    }

    /// Orders a thread after all changes of a lock so far.
    pub fn see_lock(&mut self, thread: Thread, lock: LockId) {
        self.record_pending(thread);
        let clock = &mut self.threads[thread.index()].clock;
        self.locks
            .entry(lock)
            .or_default()
            .acquire(None, clock, thread);
    }

    /// A thread writes bytes, one burst after the other.
    #[inline]
    pub fn write(&mut self, thread: Thread, span: Span, site: Site, at: Cycle) {
        let end = span.start + span.bytes;
        let known = match &mut self.threads[thread.index()].pending {
            Some(pending) if pending.goes_on_with(span, site) => {
                pending.end = end;
                if end <= pending.compared {
                    return;
                }
                Some(*pending)
            }
            _ => None,
        };
        self.write_uncompared(thread, known, (span, site), at);
    }

    /// Writes bytes of which not all were compared with what was recorded; `known` are the writes that they go on with.
    fn write_uncompared(
        &mut self,
        thread: Thread,
        known: Option<Pending>,
        (span, site): (Span, Site),
        at: Cycle,
    ) {
        let end = span.start + span.bytes;
        if let Some(known) = known {
            self.set_bounds(known.index, thread, end);
        }
        let mut pending = known.unwrap_or_else(|| {
            self.record_pending(thread);
            let index = self.memory_of(thread, span.memory);
            self.memories[index].pending.push(PendingBounds {
                thread,
                start: span.start,
                end,
            });
            Pending {
                memory: span.memory,
                index,
                start: span.start,
                end,
                access: self.access(thread, site, at),
                compared: span.start,
                is_found: false,
            }
        });
        let access = Access {
            at,
            ..pending.access
        };
        let (found, compared) = self.compare(
            pending.index,
            (pending.compared.max(pending.start), end),
            access,
            AccessKind::Write,
        );
        pending.is_found |= found;
        pending.compared = compared;
        self.set_bounds(pending.index, thread, compared);
        self.threads[thread.index()].pending = Some(pending);
    }

    /// The writes of a thread to a memory that aren't recorded, and those that need no comparison, end at a byte.
    fn set_bounds(&mut self, index: usize, thread: Thread, end: u64) {
        let mut all = self.memories[index].pending.iter_mut();
        if let Some(bounds) = all.find(|bounds| bounds.thread == thread) {
            bounds.end = end;
        }
    }

    /// The index of a memory.
    fn memory(&mut self, memory: Memory) -> usize {
        let known = self.memories.get_index_of(&memory);
        known.unwrap_or_else(|| {
            let new = MemoryHistory::default();
            self.memories.insert_full(memory, new).0
        })
    }

    /// Same for a thread that accesses it.
    #[inline]
    fn memory_of(&mut self, thread: Thread, memory: Memory) -> usize {
        match self.threads[thread.index()].memory {
            Some((known, index)) if known == memory => index,
            _ => {
                let index = self.memory(memory);
                self.threads[thread.index()].memory = Some((memory, index));
                index
            }
        }
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
    #[inline]
    pub fn record_pending(&mut self, thread: Thread) {
        if let Some(pending) = self.threads[thread.index()].pending.take() {
            self.record_writes(pending);
        }
    }

    fn record_writes(&mut self, pending: Pending) {
        let Pending {
            index,
            start,
            end,
            access,
            is_found,
            ..
        } = pending;
        let threads = &mut self.memories[index].pending;
        threads.retain(|other| other.thread != access.thread);
        // Other threads that accessed these bytes since they were compared have had this recorded,
        // so only unrecorded writes of others are new. A finding counts each time.
        if self.record_others(index, (start, end), access.thread) || is_found {
            self.compare_recorded(index, (start, end), access, AccessKind::Write);
        }
        self.memories[index].shadow.write((start, end), access);
    }

    /// Records what other threads have written to a range; returns whether any has. What they write there from now on
    /// has to be compared with the access to come.
    fn record_others(&mut self, index: usize, (start, end): (u64, u64), own: Thread) -> bool {
        let mut others: SmallVec<[Thread; 2]> = SmallVec::new();
        for bounds in &mut self.memories[index].pending {
            if bounds.start >= end || start >= bounds.end || bounds.thread == own {
                continue;
            }
            let Some(pending) = &mut self.threads[bounds.thread.index()].pending else {
                continue;
            };
            if pending.start < end && start < pending.end {
                others.push(bounds.thread);
            } else if start < pending.compared {
                pending.compared = pending.end;
                bounds.end = pending.end;
            }
        }
        for &thread in &others {
            self.record_pending(thread);
        }
        !others.is_empty()
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
        let kind = if sure {
            AccessKind::Read
        } else {
            AccessKind::PerhapsRead
        };
        let index = self.memory_of(access.thread, span.memory);
        self.compare(index, range, access, kind);
        let clock = &self.threads[access.thread.index()].clock;
        self.memories[index].shadow.read(range, access, clock);
    }

    fn record_write(&mut self, span: Span, access: Access) {
        let range = (span.start, span.start + span.bytes);
        let index = self.memory_of(access.thread, span.memory);
        self.compare(index, range, access, AccessKind::Write);
        self.memories[index].shadow.write(range, access);
    }

    /// A thread reads the words of a span and sends them into a pipe from a position on. Returns whether that is known
    /// as part of what [`Detector::read_to_send`] has recorded.
    #[inline]
    pub fn goes_on_sending(
        &mut self,
        thread: Thread,
        span: Span,
        site: Site,
        pipe: (usize, u64),
    ) -> bool {
        let ThreadState { clock, ahead, .. } = &mut self.threads[thread.index()];
        let Some(ahead) = ahead else {
            return false;
        };
        let goes_on = ahead.reads_on(span, site, clock) && ahead.sends_on(pipe, clock);
        if goes_on {
            let words = span.bytes / WORD;
            clock.tick(words as Time);
            ahead.next += span.bytes;
            ahead.time = clock.own();
            ahead.pipe.1 += words;
        }
        goes_on
    }

    /// A thread reads words and sends each into a pipe from a position on, the first with its next stamp.
    /// `span` are the words of this burst, `run` the bytes from its start on that it will read in the same way.
    pub fn read_to_send(
        &mut self,
        thread: Thread,
        (span, run): (Span, u64),
        site: Site,
        (streams, (pipe, position)): (&mut StreamStamps, (usize, u64)),
        at: Cycle,
    ) {
        self.record_pending(thread);
        let ThreadState { clock, ahead, .. } = &mut self.threads[thread.index()];
        // the same run, but the thread has learned of others meanwhile, or sends elsewhere
        let known = (*ahead).filter(|ahead| ahead.reads_on(span, site, clock));
        let words = (span.bytes / WORD) as Time;
        let start = clock.own();
        *ahead = Some(ReadAhead {
            memory: span.memory,
            next: span.start + span.bytes,
            end: known.map_or(span.start + run, |known| known.end),
            time: start.saturating_add(words),
            site,
            pipe: (pipe, position + u64::from(words)),
            version: clock.version(),
        });
        if known.is_none() {
            let access = Access {
                rising: true,
                ..self.access(thread, site, at)
            };
            self.record_read(Span { bytes: run, ..span }, access, true);
        }
        self.send(thread, streams, (pipe, position), words);
    }

    /// Records the accesses of the core of a tile since the last call; `memories` are those that its windows show.
    pub fn core_accesses(
        &mut self,
        (thread, core): (Thread, TileLoc),
        log: &mut AccessLog,
        memories: &[Option<Memory>; 4],
    ) {
        for (window, start, bytes) in log.take_lent() {
            if let Some(Some(memory)) = memories.get(window) {
                self.lent(Span {
                    memory: *memory,
                    start: start.into(),
                    bytes: bytes.into(),
                });
            }
        }
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
                if !range.perhaps {
                    self.check_lifetime(core, span, access, write);
                }
                if !write {
                    self.record_read(span, access, !range.perhaps)
                } else {
                    self.record_write(span, access)
                }
            });
        }
    }

    /// Compares an access with what others have done to a memory (by index), and keeps what it meets. Returns whether
    /// that is anything, and up to where the bytes after it need no look.
    fn compare(
        &mut self,
        index: usize,
        range: (u64, u64),
        access: Access,
        kind: AccessKind,
    ) -> (bool, u64) {
        self.record_others(index, range, access.thread);
        self.compare_recorded(index, range, access, kind)
    }

    fn compare_recorded(
        &mut self,
        index: usize,
        range: (u64, u64),
        access: Access,
        kind: AccessKind,
    ) -> (bool, u64) {
        let writes = kind == AccessKind::Write;
        let MemoryHistory { shadow, pending } = &self.memories[index];
        // The comparison holds for the bytes after the range only up to the next pending write of
        // another thread: that isn't recorded, so an access to it must still be compared.
        let behind =
            |bounds: &&PendingBounds| bounds.start >= range.1 && bounds.thread != access.thread;
        let others = pending.iter().filter(behind).map(|bounds| bounds.start);
        let others = others.min().unwrap_or(u64::MAX);
        let clock = &self.threads[access.thread.index()].clock;
        let mut found: Vec<AccessFinding> = Vec::new();
        let known = shadow.compare((range, others), writes, clock, |finding| {
            found.push(finding);
        });
        let is_found = !found.is_empty();
        for finding in found {
            let unwritten = matches!(finding, AccessFinding::Unwritten { .. });
            if !(unwritten && kind == AccessKind::PerhapsRead) {
                self.keep(index, access, writes, finding);
            }
        }
        (is_found, known)
    }

    /// Records why another timing may give other data.
    pub fn imprecise(&mut self, cause: Imprecision) {
        self.imprecisions.insert(cause);
    }
}

#[cfg(test)]
mod tests;
