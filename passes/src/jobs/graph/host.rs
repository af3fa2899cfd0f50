//! Ranges of host buffers, and who used them last.
//!
//! A buffer is cut into segments at the ends of all transfers so far; each segment knows its last
//! writer and the readers since, and who of those before them may still be at work. A new transfer looks at the
//! segments it overlaps only.

use aiec_device::ChannelId;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

/// A task that touches host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// Its channel.
    pub(super) channel: ChannelId,
    /// Its number on that channel.
    pub(super) task: u64,
    /// Node of its push.
    pub(super) push: usize,
}

#[derive(Clone, Debug)]
struct Segment {
    end: u64,
    writer: Option<Access>,
    /// The last reader on each channel: a channel's tasks are done in order.
    readers: Vec<Access>,
    /// Those before the last writer that weren't proven done, and whether they write; the last of each channel.
    unfinished: Vec<(Access, bool)>,
}

impl Segment {
    /// A new writer takes the place of all others.
    fn write(&mut self, access: Access, is_done: &dyn Fn(&Access) -> bool) {
        let earlier = self.writer.iter().map(|writer| (*writer, true));
        let earlier: Vec<(Access, bool)> = earlier
            .chain(self.readers.iter().map(|reader| (*reader, false)))
            .collect();
        for (other, writes) in earlier {
            self.unfinished
                .retain(|(known, _)| known.channel != other.channel);
            self.unfinished.push((other, writes));
        }
        self.unfinished
            .retain(|(other, _)| other.channel != access.channel && !is_done(other));
        self.readers.clear();
        self.writer = Some(access);
    }
}

/// Whom an access meets.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    /// The last writer and the readers since: it must not overtake them.
    pub(super) before: Vec<Access>,
    /// Earlier ones that may still be at work, which these have not overtaken.
    pub(super) unfinished: Vec<Access>,
}

/// All host buffers, by argument.
#[derive(Default)]
pub(super) struct HostRanges {
    arguments: FxHashMap<u32, BTreeMap<u64, Segment>>,
}

impl HostRanges {
    /// Notes an access to bytes `start..end`; returns whose bytes they are. `is_done` says which tasks the sequence
    /// has awaited.
    pub(super) fn access(
        &mut self,
        argument: u32,
        (start, end): (u64, u64),
        writes: bool,
        access: Access,
        is_done: &dyn Fn(&Access) -> bool,
    ) -> Overlaps {
        let segments = self.arguments.entry(argument).or_default();
        cut(segments, start);
        cut(segments, end);
        fill(segments, start, end);
        let mut known = FxHashSet::default();
        let mut overlaps = Overlaps::default();
        for (_, segment) in segments.range_mut(start..end) {
            let readers = segment.readers.iter().filter(|_| writes);
            for other in segment.writer.iter().chain(readers) {
                if other.channel != access.channel && known.insert((other.push, other.channel)) {
                    overlaps.before.push(*other);
                }
            }
            for (other, wrote) in &segment.unfinished {
                let conflicts = (writes || *wrote) && other.channel != access.channel;
                if conflicts && !is_done(other) && known.insert((other.push, other.channel)) {
                    overlaps.unfinished.push(*other);
                }
            }
            if writes {
                segment.write(access, is_done);
            } else {
                segment
                    .readers
                    .retain(|other| other.channel != access.channel);
                segment.readers.push(access);
            }
        }
        let mut inside = segments.range(start..end);
        let alike = inside.all(|(_, segment)| segment.unfinished.is_empty());
        if writes && alike {
            // One writer: one segment.
            let inside: Vec<u64> = segments.range(start..end).map(|(at, _)| *at).collect();
            for at in inside.into_iter().skip(1) {
                segments.remove(&at);
            }
            if let Some(segment) = segments.get_mut(&start) {
                segment.end = end;
            }
        }
        overlaps
    }
}

/// Makes a segment begin at `at`, if one holds it inside.
fn cut(segments: &mut BTreeMap<u64, Segment>, at: u64) {
    let Some((_, segment)) = segments.range_mut(..at).next_back() else {
        return;
    };
    if segment.end > at {
        let rest = segment.clone();
        segment.end = at;
        segments.insert(at, rest);
    }
}

/// Fills the holes between two places.
fn fill(segments: &mut BTreeMap<u64, Segment>, start: u64, end: u64) {
    let mut holes = Vec::new();
    let mut at = start;
    for (begin, segment) in segments.range(start..end) {
        if *begin > at {
            holes.push((at, *begin));
        }
        at = segment.end;
    }
    if at < end {
        holes.push((at, end));
    }
    for (begin, end) in holes {
        let segment = Segment {
            end,
            writer: None,
            readers: Vec::new(),
            unfinished: Vec::new(),
        };
        segments.insert(begin, segment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::{DmaDir, TileLoc};

    fn access(column: u8, push: usize) -> Access {
        Access {
            channel: ChannelId::new(TileLoc::new(column, 0), DmaDir::Mm2s, 0),
            task: 0,
            push,
        }
    }

    fn pushes(accesses: &[Access]) -> Vec<usize> {
        accesses.iter().map(|access| access.push).collect()
    }

    #[test]
    fn overlaps_are_found_and_neighbours_are_not() {
        let mut ranges = HostRanges::default();
        let mut access = |argument, range, writes, (column, push)| {
            let done = |_: &Access| true;
            let overlaps = ranges.access(argument, range, writes, access(column, push), &done);
            assert!(overlaps.unfinished.is_empty());
            pushes(&overlaps.before)
        };
        assert!(access(0, (0, 64), true, (0, 1)).is_empty());
        assert!(access(0, (64, 128), true, (1, 2)).is_empty());
        assert!(access(1, (0, 128), true, (2, 3)).is_empty());
        // A reader of both comes after both writers, a second reader too.
        assert_eq!(access(0, (32, 96), false, (3, 4)), [1, 2]);
        assert_eq!(access(0, (0, 128), false, (4, 5)).len(), 2);
        // A writer comes after writers and readers; after it only it counts.
        assert_eq!(access(0, (0, 128), true, (5, 6)), [1, 5, 4, 2]);
        assert_eq!(access(0, (100, 101), false, (6, 7)), [6]);
    }

    #[test]
    fn who_may_still_be_at_work_is_remembered_behind_later_writers() {
        let mut ranges = HostRanges::default();
        // The tasks of columns below 2 are awaited in the end.
        let mut access = |writes, (column, push), done: bool| {
            let is_done = |other: &Access| done && other.channel.tile.col < 2;
            let overlaps = ranges.access(0, (0, 64), writes, access(column, push), &is_done);
            (pushes(&overlaps.before), pushes(&overlaps.unfinished))
        };
        assert_eq!(access(true, (0, 1), false), (vec![], vec![]));
        assert_eq!(access(false, (1, 2), false), (vec![1], vec![]));
        assert_eq!(access(true, (2, 3), false), (vec![1, 2], vec![]));
        // A reader minds earlier writers, a writer also earlier readers.
        assert_eq!(access(false, (3, 4), false), (vec![3], vec![1]));
        assert_eq!(access(true, (4, 5), false), (vec![3, 4], vec![1, 2]));
        assert_eq!(access(true, (5, 6), true), (vec![5], vec![3, 4]));
    }
}
