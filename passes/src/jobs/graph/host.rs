//! Ranges of host buffers, and who used them last.
//!
//! A buffer is cut into segments at the ends of all transfers so far; each segment knows its last
//! writer and the readers since. A new transfer looks at the segments it overlaps only.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::regops::ChannelKey;

/// A task that touches host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// Its channel.
    pub(super) channel: ChannelKey,
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
}

/// All host buffers, by argument.
#[derive(Default)]
pub(super) struct HostRanges {
    arguments: FxHashMap<u32, BTreeMap<u64, Segment>>,
}

impl HostRanges {
    /// Notes an access to bytes `start..end` and answers whom it must not overtake.
    pub(super) fn access(
        &mut self,
        argument: u32,
        (start, end): (u64, u64),
        writes: bool,
        access: Access,
    ) -> Vec<Access> {
        let segments = self.arguments.entry(argument).or_default();
        cut(segments, start);
        cut(segments, end);
        fill(segments, start, end);
        let mut known = FxHashSet::default();
        let mut before = Vec::new();
        for (_, segment) in segments.range_mut(start..end) {
            let readers = segment.readers.iter().filter(|_| writes);
            for other in segment.writer.iter().chain(readers) {
                if other.channel != access.channel && known.insert((other.push, other.channel)) {
                    before.push(*other);
                }
            }
            if writes {
                segment.readers.clear();
                segment.writer = Some(access);
            } else {
                segment
                    .readers
                    .retain(|other| other.channel != access.channel);
                segment.readers.push(access);
            }
        }
        if writes {
            // One writer: one segment.
            let inside: Vec<u64> = segments.range(start..end).map(|(at, _)| *at).collect();
            for at in inside.into_iter().skip(1) {
                segments.remove(&at);
            }
            if let Some(segment) = segments.get_mut(&start) {
                segment.end = end;
            }
        }
        before
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
            channel: (TileLoc::new(column, 0), DmaDir::Mm2s, 0),
            task: 0,
            push,
        }
    }

    #[test]
    fn overlaps_are_found_and_neighbours_are_not() {
        let mut ranges = HostRanges::default();
        assert!(ranges.access(0, (0, 64), true, access(0, 1)).is_empty());
        assert!(ranges.access(0, (64, 128), true, access(1, 2)).is_empty());
        assert!(ranges.access(1, (0, 128), true, access(2, 3)).is_empty());
        // A reader of both comes behind both writers, a second reader too.
        let both = ranges.access(0, (32, 96), false, access(3, 4));
        assert_eq!(both.iter().map(|a| a.push).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(ranges.access(0, (0, 128), false, access(4, 5)).len(), 2);
        // A writer comes behind writers and readers; after it only it counts.
        let all = ranges.access(0, (0, 128), true, access(5, 6));
        assert_eq!(all.iter().map(|a| a.push).collect::<Vec<_>>(), [1, 5, 4, 2]);
        let last = ranges.access(0, (100, 101), false, access(6, 7));
        assert_eq!(last.iter().map(|a| a.push).collect::<Vec<_>>(), [6]);
    }
}
