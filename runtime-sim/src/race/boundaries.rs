//! Boundaries that order everything: the initial data, resets of all parts, the end of the run.

use std::collections::BTreeSet;

use super::clock::Thread;
use super::place::{Memory, Site, Span};
use super::shadow::Access;
use super::{AccessKind, Detector};
use crate::time::Cycle;

/// A write that comes before all else.
const BEFORE_THE_RUN: Access = Access {
    thread: Thread::HOST,
    time: 0,
    rising: false,
    site: 0,
    at: 0,
};

impl Detector {
    /// A thread resets all others and all locks: what they have done comes before. Returns those whose writes nothing
    /// had put before.
    pub fn reset_all(&mut self, thread: Thread) -> BTreeSet<Thread> {
        for at in 0..self.begun.len() {
            self.record_pending(self.begun[at]);
        }
        let clock = &self.threads[thread.index()].clock;
        let memories = self.memories.values();
        let writes = memories.flat_map(|memory| memory.shadow.writes());
        let unordered = writes.filter(|(.., write)| !clock.covers(write.thread, write.time));
        let unordered = unordered.map(|(.., write)| write.thread).collect();
        self.join_everything(thread);
        let stamp = self.stamp(thread);
        for units in self.locks.values_mut() {
            units.set(0, stamp.clone());
        }
        unordered
    }

    /// Bytes are as if the host had written them before the run.
    pub fn given(&mut self, span: Span) {
        let index = self.memory(span.memory);
        let shadow = &mut self.memories[index].shadow;
        shadow.write((span.start, span.start + span.bytes), BEFORE_THE_RUN);
    }

    /// Same for those bytes that nothing has written: they were lent, and may have been written.
    pub fn lent(&mut self, span: Span) {
        let index = self.memory(span.memory);
        let shadow = &mut self.memories[index].shadow;
        shadow.fill((span.start, span.start + span.bytes), BEFORE_THE_RUN);
    }

    /// The run is over: what is pending is recorded, and the host reads all of its memory that was written,
    /// at a cycle; `None`: it doesn't.
    pub fn end(&mut self, host_reads: Option<Cycle>) {
        for thread in 0..self.begun.len() {
            self.record_pending(self.begun[thread]);
        }
        let Some(at) = host_reads else { return };
        let index = self.memory(Memory::Host);
        let writes = self.memories[index].shadow.writes();
        let ranges: Vec<(u64, u64)> = writes.map(|(from, to, _)| (from, to)).collect();
        let access = self.access(Thread::HOST, Site(0), at);
        for range in ranges {
            self.compare(index, range, access, AccessKind::Read);
        }
    }
}
