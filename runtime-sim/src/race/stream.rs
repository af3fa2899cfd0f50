//! Stamps of the words in streams: the reader of a word is ordered after everything that its sender had done
//! when it was sent.
//!
//! Words are counted from the start of the run in each pipe. Words in a row of one sender, whose time
//! grows by one with each, share a segment, so that the words of a whole transfer cost one.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::clock::{Clock, Stamp, Thread, Time};

/// Words from a position up to the next segment.
#[derive(Clone, Debug)]
struct Segment {
    from: u64,
    /// The clock with the first word; `None` if the sender isn't a thread (a trace unit).
    stamp: Option<Stamp>,
    /// The reader knows all of it but the sender's time.
    joined: bool,
}

impl Segment {
    fn time_at(&self, position: u64, first: Time) -> Time {
        first.saturating_add((position - self.from) as Time)
    }

    /// Whether words from a position on with a stamp belong to it.
    fn goes_on(&self, position: u64, stamp: Option<&Stamp>) -> bool {
        match (&self.stamp, stamp) {
            (None, None) => true,
            (Some(own), Some(other)) => {
                own.knows_the_same(other) && self.time_at(position, own.time) == other.time
            }
            _ => false,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct PipeStamps {
    segments: VecDeque<Segment>,
    /// The sender of the word that was taken last, and its time.
    last: Option<(Thread, Time)>,
}

/// The stamps of all pipes, by the number of the pipe.
#[derive(Clone, Debug, Default)]
pub struct StreamStamps {
    pipes: Vec<PipeStamps>,
}

impl StreamStamps {
    /// For `pipes` pipes.
    pub fn new(pipes: usize) -> StreamStamps {
        StreamStamps {
            pipes: vec![PipeStamps::default(); pipes],
        }
    }

    /// A thread sends words into a pipe from a position on, each a time later than the one before.
    pub fn send(&mut self, pipe: usize, position: u64, clock: &mut Clock) {
        let last = self.pipes[pipe].segments.back();
        let goes_on = last.is_some_and(|segment| {
            let stamp = segment.stamp.as_ref();
            stamp.is_some_and(|stamp| clock.is_later_by(position - segment.from, stamp))
        });
        if !goes_on {
            self.enter(pipe, position, Some(&clock.stamp()));
        }
    }

    /// Words enter a pipe from a position on: the stamp of the first, each of the others a time later.
    pub fn enter(&mut self, pipe: usize, position: u64, stamp: Option<&Stamp>) {
        let segments = &mut self.pipes[pipe].segments;
        if segments.back().is_some_and(|s| s.goes_on(position, stamp)) {
            return;
        }
        if segments.is_empty() && stamp.is_none() {
            return;
        }
        segments.push_back(Segment {
            from: position,
            stamp: stamp.cloned(),
            joined: false,
        });
    }

    /// Forgets the segments before a position.
    fn forget(segments: &mut VecDeque<Segment>, position: u64) {
        while segments.get(1).is_some_and(|next| next.from <= position) {
            segments.pop_front();
        }
    }

    /// The words before a position have left a pipe for a place where their senders don't matter.
    pub fn drop_before(&mut self, pipe: usize, position: u64) {
        Self::forget(&mut self.pipes[pipe].segments, position);
    }

    /// A reader takes the words between two positions. Returns whether words of two senders came
    /// one after the other whose order nothing but time decides.
    pub fn take(&mut self, pipe: usize, from: u64, to: u64, clock: &mut Clock) -> bool {
        let PipeStamps { segments, last } = &mut self.pipes[pipe];
        Self::forget(segments, from);
        // most words have the same stamp as those before them
        if let Some(segment) = segments.front().filter(|s| s.joined && s.from < to)
            && segments.get(1).is_none_or(|next| next.from >= to)
            && let Some(stamp) = &segment.stamp
            && let Some((sender, last)) = last
            && *sender == stamp.thread
        {
            *last = segment.time_at(to - 1, stamp.time);
            clock.raise(stamp.thread, *last);
            return false;
        }
        let mut merged = false;
        for index in 0..segments.len() {
            let end = segments.get(index + 1).map_or(to, |next| next.from.min(to));
            let segment = &mut segments[index];
            if segment.from >= to {
                break;
            }
            let Some(stamp) = &segment.stamp else {
                continue;
            };
            if end <= segment.from.max(from) {
                continue;
            }
            if let Some((thread, time)) = *last {
                merged |= thread != stamp.thread && !stamp.covers(thread, time);
            }
            let time = segment.time_at(end - 1, stamp.time);
            *last = Some((stamp.thread, time));
            if !segment.joined {
                clock.join_all_but_own(stamp);
            }
            clock.raise(stamp.thread, time);
            segment.joined = true;
        }
        merged
    }

    /// A switch moves the words between two positions of a pipe to another, from a position of that on.
    pub fn forward(&mut self, source: usize, (from, to): (u64, u64), target: usize, at: u64) {
        let segments = &mut self.pipes[source].segments;
        Self::forget(segments, from);
        let mut moved: SmallVec<[(u64, Option<Stamp>); 2]> = SmallVec::new();
        for segment in segments.iter().take_while(|segment| segment.from < to) {
            let first = segment.from.max(from);
            let mut stamp = segment.stamp.clone();
            if let Some(stamp) = &mut stamp {
                stamp.time = segment.time_at(first, stamp.time);
            }
            moved.push((at + (first - from), stamp));
        }
        if moved.is_empty() && from < to {
            moved.push((at, None));
        }
        for (position, stamp) in moved {
            self.enter(target, position, stamp.as_ref());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Thread = Thread::HOST;

    fn sender() -> Clock {
        Clock::new(Thread::new(1))
    }

    #[test]
    fn the_words_of_a_transfer_are_one_segment() {
        let mut stamps = StreamStamps::new(2);
        let (mut sender, mut reader) = (sender(), Clock::new(Thread::new(2)));
        for burst in 0..4 {
            stamps.enter(0, 16 * burst, Some(&sender.stamp()));
            sender.tick(16);
        }
        assert_eq!(stamps.pipes[0].segments.len(), 1);
        assert!(!stamps.take(0, 0, 20, &mut reader));
        assert_eq!(reader.time_of(Thread::new(1)), 20);
        assert_eq!(reader.time_of(A), 0);
    }

    #[test]
    fn switches_pass_stamps_on_without_the_header() {
        let mut stamps = StreamStamps::new(2);
        let (mut sender, mut reader) = (sender(), Clock::new(Thread::new(2)));
        stamps.enter(0, 0, Some(&sender.stamp()));
        stamps.forward(0, (1, 9), 1, 0);
        stamps.take(1, 0, 8, &mut reader);
        assert_eq!(reader.time_of(Thread::new(1)), 9);
    }

    #[test]
    fn an_order_of_senders_that_only_time_decides_is_seen() {
        let mut stamps = StreamStamps::new(1);
        let (mut one, mut two) = (sender(), Clock::new(Thread::new(3)));
        let mut reader = Clock::new(Thread::new(2));
        stamps.enter(0, 0, Some(&one.stamp()));
        stamps.enter(0, 4, Some(&two.stamp()));
        assert!(stamps.take(0, 0, 8, &mut reader));
        // the first sender waited for the reader
        one.join(&reader.stamp());
        one.tick(1);
        stamps.enter(0, 8, Some(&one.stamp()));
        assert!(!stamps.take(0, 8, 9, &mut reader));
    }

    #[test]
    fn words_without_a_sender_order_nothing() {
        let mut stamps = StreamStamps::new(2);
        let (mut sender, mut reader) = (sender(), Clock::new(Thread::new(2)));
        stamps.enter(1, 0, Some(&sender.stamp()));
        stamps.forward(0, (0, 100), 1, 2);
        stamps.take(1, 0, 102, &mut reader);
        assert_eq!(reader.time_of(Thread::new(1)), 2);
    }
}
