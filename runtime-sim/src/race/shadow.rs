//! Who accessed each byte of a memory last: its last write, and the reads since then that no other
//! read of them comes after.
//!
//! Ranges of bytes with one history are one cell of an ordered map, so that a burst costs a look-up and not its
//! length. An access of a sender to a stream may be `rising`: its thread's time grows by one with
//! each word, as the words enter the stream one after the other.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::clock::{Clock, Thread, Time};
use crate::time::Cycle;

/// Bytes after a range that are looked at with it if nothing has accessed them.
const AHEAD: u64 = 4096;

/// Bytes of a word of a stream.
pub(super) const WORD: u64 = 4;

/// An access to a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Thread that made it.
    pub thread: Thread,
    /// When in the order of the thread: at its first byte.
    pub time: Time,
    /// The time grows by one a word.
    pub rising: bool,
    /// Position in the thread's code: see [`super::Site`].
    pub site: u32,
    /// Cycle of the access.
    pub at: Cycle,
}

impl Access {
    /// Its time `bytes` after its first byte.
    fn time_after(&self, bytes: u64) -> Time {
        if self.rising {
            self.time.saturating_add((bytes / WORD) as Time)
        } else {
            self.time
        }
    }

    /// The part of an access from a distance on.
    fn from(self, bytes: u64) -> Access {
        let time = self.time_after(bytes);
        Access { time, ..self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    end: u64,
    write: Option<Access>,
    reads: SmallVec<[Access; 1]>,
}

impl Cell {
    /// The part of the cell from a distance from its start on.
    fn rest(&self, bytes: u64) -> Cell {
        Cell {
            end: self.end,
            write: self.write.map(|access| access.from(bytes)),
            reads: self.reads.iter().map(|read| read.from(bytes)).collect(),
        }
    }
}

impl Cell {
    /// Records a read of the cell, which begins at a byte, by the thread of a clock.
    fn read(&mut self, start: u64, access: Access, clock: &Clock) {
        let length = self.end - 1 - start;
        self.reads
            .retain(|read| !clock.covers(read.thread, read.time_after(length)));
        self.reads.push(access);
    }

    /// Whether the cell that begins at a distance from its start has the same history.
    fn unites(&self, bytes: u64, next: &Cell) -> bool {
        let mut reads = self.reads.iter().zip(&next.reads);
        self.write.map(|access| access.from(bytes)) == next.write
            && self.reads.len() == next.reads.len()
            && reads.all(|(read, other)| read.from(bytes) == *other)
    }

    /// Whether a write of the bytes from its end `at` on belongs to the one that it has.
    fn goes_on_with(&self, at: u64, access: Access) -> bool {
        self.end == at && self.write == Some(access) && self.reads.is_empty() && !access.rising
    }
}

/// Finding of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessFinding {
    /// An earlier access to those bytes that no order puts before it, one of them a write.
    Unordered {
        start: u64,
        end: u64,
        earlier: Access,
        earlier_writes: bool,
    },
    /// A read of bytes that nothing has written.
    Unwritten { start: u64, end: u64 },
}

/// The history of one memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    cells: BTreeMap<u64, Cell>,
}

impl Shadow {
    /// The cells that overlap a range, with their starts.
    fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &Cell)> {
        let before = self.cells.range(..=start).next_back();
        let before = before.filter(|(_, cell)| cell.end > start);
        let first = before.map_or(start, |(&at, _)| at);
        // most ranges are within a cell
        let only = before.filter(|(_, cell)| cell.end >= end);
        let all = match only {
            Some(_) => None,
            None => Some(self.cells.range(first..end)),
        };
        let all = only.into_iter().chain(all.into_iter().flatten());
        all.map(|(&at, cell)| (at, cell))
    }

    /// Compares an access to a range with what was recorded. Returns up to where the same comparison holds for the
    /// bytes after the range; of bytes that nothing has accessed, up to `others` at most.
    pub fn compare(
        &self,
        ((start, end), others): ((u64, u64), u64),
        write: bool,
        clock: &Clock,
        mut meets: impl FnMut(AccessFinding),
    ) -> u64 {
        let (mut at, mut known) = (start, end);
        for (from, cell) in self.overlapping(start, end) {
            let (low, high) = (from.max(start), cell.end.min(end));
            if !write && (low > at || cell.write.is_none()) {
                let until = if cell.write.is_none() { high } else { low };
                meets(AccessFinding::Unwritten {
                    start: at,
                    end: until,
                });
            }
            // whether that of the bytes up to `high` is that of all bytes of the cell
            let (mut rising, mut changes, mut unordered) = (false, false, false);
            let mut check = |access: &Access, writes: bool| {
                if access.rising {
                    rising = true;
                    let last = access.time_after(cell.end - 1 - from);
                    changes |= !clock.covers(access.thread, last);
                }
                let time = access.time_after(high - 1 - from);
                if !clock.covers(access.thread, time) {
                    unordered = true;
                    meets(AccessFinding::Unordered {
                        start: low,
                        end: high,
                        earlier: *access,
                        earlier_writes: writes,
                    });
                }
            };
            if let Some(last) = &cell.write {
                check(last, true);
            }
            if write {
                cell.reads.iter().for_each(|read| check(read, false));
            }
            if high == end && !(changes || rising && unordered) {
                known = cell.end;
            }
            at = high;
        }
        if !write && at < end {
            meets(AccessFinding::Unwritten { start: at, end });
        }
        if write && at < end {
            let next = self.cells.range(end..).next();
            let next = next.map_or(u64::MAX, |(&next, _)| next);
            known = next.min(others).min(end.saturating_add(AHEAD));
        }
        known
    }

    /// Makes a cell begin at a byte, if one covers it.
    fn split(&mut self, at: u64) {
        let Some((&start, cell)) = self.cells.range_mut(..at).next_back() else {
            return;
        };
        if cell.end <= at {
            return;
        }
        let rest = cell.rest(at - start);
        cell.end = at;
        self.cells.insert(at, rest);
    }

    /// Records a write of a range: nothing before it matters any more.
    pub fn write(&mut self, (start, end): (u64, u64), access: Access) {
        if self.write_cell((start, end), access) {
            return;
        }
        self.split(start);
        self.split(end);
        let inside: SmallVec<[u64; 4]> = self.cells.range(start..end).map(|(&at, _)| at).collect();
        for at in inside {
            self.cells.remove(&at);
        }
        if let Some((_, before)) = self.cells.range_mut(..start).next_back()
            && before.goes_on_with(start, access)
        {
            before.end = end;
            return;
        }
        let cell = Cell {
            end,
            write: Some(access),
            reads: SmallVec::new(),
        };
        self.cells.insert(start, cell);
    }

    /// Records a write to those bytes of a range that have none yet.
    pub fn fill(&mut self, (start, end): (u64, u64), access: Access) {
        self.split(start);
        self.split(end);
        let mut gaps: SmallVec<[(u64, u64); 2]> = SmallVec::new();
        let mut at = start;
        for (&from, cell) in self.cells.range_mut(start..end) {
            if from > at {
                gaps.push((at, from));
            }
            cell.write.get_or_insert(access);
            at = cell.end;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (from, end) in gaps {
            self.write((from, end), access);
        }
        self.unite(start, end);
    }

    /// Records a write if its range is that of a cell which remains one by itself.
    fn write_cell(&mut self, (start, end): (u64, u64), access: Access) -> bool {
        let mut cells = self.cells.range_mut(..end);
        let Some((&at, cell)) = cells.next_back() else {
            return false;
        };
        let before = cells.next_back();
        if (at, cell.end) != (start, end)
            || before.is_some_and(|(_, before)| before.goes_on_with(start, access))
        {
            return false;
        }
        cell.write = Some(access);
        cell.reads.clear();
        true
    }

    /// Records a read if its range is that of a cell.
    fn read_cell(&mut self, (start, end): (u64, u64), access: Access, clock: &Clock) -> bool {
        let mut cells = self.cells.range_mut(..=end);
        let mut last = cells.next_back();
        let after = last.take_if(|(at, _)| **at == end);
        if after.is_some() {
            last = cells.next_back();
        }
        let Some((&at, cell)) = last else {
            return false;
        };
        if (at, cell.end) != (start, end) {
            return false;
        }
        cell.read(start, access, clock);
        let before = cells.next_back();
        let unites = after.is_some_and(|(_, after)| cell.unites(end - start, after))
            || before.is_some_and(|(&at, before)| {
                before.end == start && before.unites(start - at, cell)
            });
        if unites {
            self.unite(start, end);
        }
        true
    }

    /// Records a read of a range by the thread of a clock.
    pub fn read(&mut self, (start, end): (u64, u64), access: Access, clock: &Clock) {
        if self.read_cell((start, end), access, clock) {
            return;
        }
        self.split(start);
        self.split(end);
        let mut gaps: SmallVec<[(u64, u64); 2]> = SmallVec::new();
        let mut at = start;
        for (&from, cell) in self.cells.range_mut(start..end) {
            if from > at {
                gaps.push((at, from));
            }
            cell.read(from, access.from(from - start), clock);
            at = cell.end;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (from, end) in gaps {
            let mut reads = SmallVec::new();
            reads.push(access.from(from - start));
            let write = None;
            self.cells.insert(from, Cell { end, write, reads });
        }
        self.unite(start, end);
    }

    /// Makes one cell of those between two bytes, and the one before, that have the same history.
    fn unite(&mut self, start: u64, end: u64) {
        let before = self.cells.range(..start).next_back().map(|(&at, _)| at);
        let first = before.unwrap_or(start);
        let mut keys = self.cells.range(first..=end).map(|(&at, _)| at);
        let Some(mut last) = keys.next() else { return };
        let others: SmallVec<[u64; 4]> = keys.collect();
        for at in others {
            let (Some(left), Some(right)) = (self.cells.get(&last), self.cells.get(&at)) else {
                continue;
            };
            if left.end == at && left.unites(at - last, right) {
                let end = right.end;
                self.cells.remove(&at);
                if let Some(left) = self.cells.get_mut(&last) {
                    left.end = end;
                }
            } else {
                last = at;
            }
        }
    }

    /// The writes of a range, with their ranges.
    pub fn writes(&self) -> impl Iterator<Item = (u64, u64, &Access)> {
        let cells = self.cells.iter();
        cells.filter_map(|(&at, cell)| Some((at, cell.end, cell.write.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: usize, time: Time) -> Access {
        Access {
            thread: Thread::new(thread),
            time,
            rising: false,
            site: 0,
            at: 0,
        }
    }

    fn meetings(
        shadow: &Shadow,
        range: (u64, u64),
        write: bool,
        clock: &Clock,
    ) -> Vec<AccessFinding> {
        let mut all = Vec::new();
        shadow.compare((range, u64::MAX), write, clock, |meeting| all.push(meeting));
        all
    }

    #[test]
    fn ranges_split_and_unite() {
        let mut shadow = Shadow::default();
        let clock = Clock::new(Thread::new(2));
        shadow.write((0, 64), access(1, 1));
        shadow.read((16, 32), access(2, 1), &clock);
        assert_eq!(shadow.cells.len(), 3);
        shadow.read((0, 16), access(2, 1), &clock);
        assert_eq!(shadow.cells.len(), 2);
        shadow.read((32, 64), access(2, 1), &clock);
        assert_eq!(shadow.cells.len(), 1);
        shadow.write((8, 12), access(1, 2));
        shadow.write((12, 16), access(1, 2));
        assert_eq!(shadow.cells.len(), 3);
    }

    #[test]
    fn a_write_meets_the_write_and_the_reads_before_it() {
        let mut shadow = Shadow::default();
        shadow.write((0, 8), access(1, 1));
        shadow.read((4, 8), access(2, 1), &Clock::new(Thread::new(2)));
        let clock = Clock::new(Thread::new(3));
        let met = meetings(&shadow, (0, 8), true, &clock);
        let writes: Vec<_> = met
            .iter()
            .map(|meeting| match meeting {
                AccessFinding::Unordered {
                    start,
                    earlier_writes,
                    ..
                } => (*start, *earlier_writes),
                AccessFinding::Unwritten { start, .. } => (*start, false),
            })
            .collect();
        assert_eq!(writes, [(0, true), (4, true), (4, false)]);
        assert_eq!(meetings(&shadow, (0, 8), false, &clock).len(), 2);
    }

    #[test]
    fn an_ordered_read_stands_for_those_before_it() {
        let mut shadow = Shadow::default();
        let mut first = Clock::new(Thread::new(1));
        let mut second = Clock::new(Thread::new(2));
        shadow.write((0, 8), access(0, 0));
        shadow.read((0, 8), access(1, 1), &first);
        second.join(&first.stamp());
        shadow.read((0, 8), access(2, 1), &second);
        let mut third = Clock::new(Thread::new(3));
        assert_eq!(meetings(&shadow, (0, 8), true, &third).len(), 1);
        third.join(&second.stamp());
        assert_eq!(meetings(&shadow, (0, 8), true, &third), []);
    }

    #[test]
    fn the_times_of_a_sender_rise_with_its_words() {
        let mut shadow = Shadow::default();
        let sender = Clock::new(Thread::new(1));
        let reads = Access {
            rising: true,
            ..access(1, 10)
        };
        shadow.write((0, 64), access(0, 0));
        shadow.read((0, 64), reads, &sender);
        let mut receiver = Clock::new(Thread::new(2));
        // it has the first four words
        receiver.raise(Thread::new(1), 13);
        assert_eq!(meetings(&shadow, (0, 16), true, &receiver), []);
        assert_eq!(meetings(&shadow, (12, 20), true, &receiver).len(), 1);
        shadow.write((0, 16), access(2, 1));
        assert_eq!(meetings(&shadow, (16, 20), true, &receiver).len(), 1);
        receiver.raise(Thread::new(1), 14);
        assert_eq!(meetings(&shadow, (16, 20), true, &receiver), []);
    }

    #[test]
    fn reads_of_what_nothing_wrote_are_found() {
        let mut shadow = Shadow::default();
        let clock = Clock::new(Thread::new(1));
        shadow.write((8, 16), access(1, 1));
        let unwritten = |start, end| AccessFinding::Unwritten { start, end };
        let met = meetings(&shadow, (0, 24), false, &clock);
        assert_eq!(met, [unwritten(0, 8), unwritten(16, 24)]);
        shadow.read((0, 24), access(1, 1), &clock);
        let met = meetings(&shadow, (0, 24), false, &clock);
        assert_eq!(met, [unwritten(0, 8), unwritten(16, 24)]);
    }
}
