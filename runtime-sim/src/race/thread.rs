//! Threads as the detector knows them.

use std::collections::VecDeque;

use aiec_device::LockId;

use super::clock::{Clock, Thread, Time};
use super::place::{Memory, Site, Span};
use super::report::LockUse;
use super::shadow::Access;
use crate::time::Cycle;

/// Writes of a thread in a row that aren't recorded yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub memory: Memory,
    /// That of the memory in [`super::Detector`].
    pub index: usize,
    pub start: u64,
    pub end: u64,
    pub access: Access,
    /// The bytes up to here have been compared with what was recorded.
    pub compared: u64,
    /// Something was found.
    pub is_found: bool,
}

impl Pending {
    /// Whether a write goes on where these end.
    pub fn goes_on_with(&self, span: Span, site: Site) -> bool {
        (self.memory, self.end, self.access.site) == (span.memory, span.start, site.0)
    }
}

/// Reads of a sender that are recorded up to a byte though they are still to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadAhead {
    pub memory: Memory,
    pub next: u64,
    pub end: u64,
    pub time: Time,
    pub site: Site,
    /// Pipe, and position at which the next word enters it.
    pub pipe: (usize, u64),
    /// That of the clock when the words before were sent.
    pub version: u64,
}

impl ReadAhead {
    /// Whether the next words are those of a span.
    pub fn reads_on(&self, span: Span, site: Site, clock: &Clock) -> bool {
        (self.memory, self.next, self.site) == (span.memory, span.start, site)
            && self.end >= span.start + span.bytes
            && self.time == clock.own()
    }

    /// Whether words that enter a pipe at a position share the stamp of those before.
    pub fn sends_on(&self, pipe: (usize, u64), clock: &Clock) -> bool {
        (self.pipe, self.version) == (pipe, clock.version())
    }
}

/// Releases of a thread that are remembered.
const RELEASES: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    /// Number of threads that began before.
    pub number: usize,
    pub clock: Clock,
    pub pending: Option<Pending>,
    pub ahead: Option<ReadAhead>,
    pub acquired: Option<LockUse>,
    /// The last releases with the times of the thread, oldest first.
    pub released: VecDeque<(Time, LockUse)>,
    /// The memory that it accessed last, and its index in [`super::Detector`].
    pub memory: Option<(Memory, usize)>,
}

impl ThreadState {
    pub fn new(thread: Thread) -> ThreadState {
        ThreadState {
            number: 0,
            clock: Clock::new(thread),
            pending: None,
            ahead: None,
            acquired: None,
            released: VecDeque::new(),
            memory: None,
        }
    }

    /// It has released a lock, at a time of its clock.
    pub fn has_released(&mut self, time: Time, lock: LockId, at: Cycle) {
        if self.released.len() >= RELEASES {
            self.released.pop_front();
        }
        self.released.push_back((time, LockUse { lock, at }));
    }
}
