//! Pipes: the words in flight between two actors of the stream network.
//!
//! A pipe is a chain of hardware FIFOs with one writer and one reader: a slave port with the
//! master port and wire before it, or a master port with what it feeds. It is a bounded ring in
//! which every word carries the tick at which the reader may take it, and every free place the
//! tick at which it became free. Writer and reader therefore needn't run in lockstep: each may
//! work ahead of the clock, and the time stamps still come out as if all had moved word by word
//! (a word enters when its place is free, leaves when it has arrived, and not faster than the
//! port's rate).
//!
//! Ticks are kept as runs of words at a steady rate ([`TickQueue`]), so that a burst costs a few
//! operations whatever its length: [`steady`] says how many words go on at one rate.
//!
//! Units: 32-bit words and [`Tick`]s.

use smallvec::SmallVec;

use super::actor::ActorId;
use super::claim::Claims;
use super::port_sample::PortWatch;
use super::tick_queue::{TickQueue, TickRun};
use crate::time::Tick;

/// Index of a pipe in the [`Fabric`](super::fabric::Fabric).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PipeId(pub u32);

/// A word in a pipe, little-endian as memories hold it.
pub(crate) type WordBytes = [u8; 4];

/// A word at the head of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PipeHead {
    /// When the reader may take it.
    pub tick: Tick,
    pub word: u32,
    /// TLAST.
    pub last: bool,
}

/// Depth and delay of a chain of FIFOs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FifoShape {
    /// Words.
    pub depth: u32,
    pub latency: Tick,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    /// Its own hardware, without pipes merged into it.
    pub(super) own: FifoShape,
    /// With the pipes whose words enter here directly.
    pub(super) now: FifoShape,
    /// Least ticks between two words.
    pub(super) step: Tick,
    /// The words inside, in a ring whose length is a power of two; empty before the first word.
    ring: Box<[WordBytes]>,
    head: usize,
    /// When the words inside arrive, the next one first.
    arrivals: TickQueue,
    /// Since when the free places are free, the one that is used next first.
    free: TickQueue,
    /// Words entered and taken since the start.
    pub pushed: u64,
    pub popped: u64,
    /// No word enters before this tick.
    next_push: Tick,
    /// No word arrives before this tick (words don't overtake when the delay shrinks).
    last_arrival: Tick,
    /// The reader is an S2MM channel, which takes words ahead only for BDs that it has loaded.
    pub(super) claims: Option<Box<Claims>>,
    /// Who takes the words; woken by a push if it sleeps.
    pub reader: Option<ActorId>,
    /// Who wrote last, or tries to: woken by a pop if it sleeps.
    pub writer: Option<ActorId>,
    pub(super) reader_sleeps: bool,
    pub(super) writer_sleeps: bool,
    /// Pipes whose words enter here directly, nearest to the source first, and the count of
    /// words that had entered when each was merged.
    pub(super) merged: SmallVec<[PipeId; 6]>,
    pub(super) merged_from: u64,
    /// The pipe that this one is merged into.
    pub(super) into: Option<PipeId>,
    /// Words that passed while this pipe was merged into another.
    pub passed: u64,
    /// Event selectors that look at words that enter (a master port) or leave (a slave port).
    pub(super) watch_in: Option<PortWatch>,
    pub(super) watch_out: Option<PortWatch>,
    /// PORT_STALLED was reported of the word at the head.
    pub(super) stall_reported: bool,
    /// Words that leave are looked at: by the event selector, or an observer of all ports.
    pub(super) watched: bool,
}

impl Pipe {
    pub fn new(own: FifoShape, step: Tick, reader: Option<ActorId>) -> Pipe {
        Pipe {
            own,
            now: own,
            step,
            reader,
            reader_sleeps: true,
            ..Pipe::default()
        }
    }

    /// A pipe whose reader is an S2MM channel; only loaded BDs get the first `reserved` of its
    /// words.
    pub fn to_channel(own: FifoShape, step: Tick, reader: Option<ActorId>, reserved: u32) -> Pipe {
        Pipe {
            claims: Some(Box::new(Claims::new(reserved))),
            ..Pipe::new(own, step, reader)
        }
    }

    /// An event selector watches the port, so that words have to pass it.
    pub fn is_watched(&self) -> bool {
        self.watch_in.is_some() || self.watch_out.is_some()
    }

    /// Words inside.
    #[inline]
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.arrivals.len() == 0
    }

    /// Whether all places are taken.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.now.depth as usize
    }

    /// Words that fit besides those inside and need no other tick than the first of them.
    #[inline]
    pub fn space(&self) -> usize {
        let places = (self.now.depth as usize).saturating_sub(self.len());
        match &self.claims {
            Some(claims) => places.min(claims.space(self.pushed, self.now.depth)),
            None => places,
        }
    }

    /// The word that the reader sees next.
    #[inline]
    pub fn front(&self) -> Option<PipeHead> {
        let run = self.arrivals.front()?;
        Some(PipeHead {
            tick: run.first,
            word: u32::from_le_bytes(self.ring[self.head]),
            last: run.last && run.count == 1,
        })
    }

    /// When the words inside arrive.
    pub fn arrivals(&self) -> &TickQueue {
        &self.arrivals
    }

    /// Since when the free places are free; empty before the first word, when all always were.
    pub fn free(&self) -> &TickQueue {
        &self.free
    }

    /// Earliest tick at which the next word can enter; `None` if the pipe is full.
    #[inline]
    pub fn entry(&self) -> Option<Tick> {
        self.entry_and_space().map(|(entry, _)| entry)
    }

    /// [`Pipe::entry`] and [`Pipe::space`]; `None` if the pipe is full.
    #[inline]
    pub fn entry_and_space(&self) -> Option<(Tick, usize)> {
        let space = self.space();
        if space == 0 {
            return None;
        }
        let freed = self.free.front().map_or(0, |run| run.first);
        let claims = self.claims.as_ref();
        let claimed = claims.map_or(0, |claims| claims.entry(self.pushed, self.now.depth));
        Some((freed.max(claimed).max(self.next_push), space))
    }

    /// Enters words at a steady rate from a tick on, at which each must be allowed to
    /// ([`Pipe::entry`]). `last`: the last of them has TLAST.
    pub(super) fn push(&mut self, first: Tick, rate: Tick, words: &[WordBytes], last: bool) {
        let count = words.len();
        if count == 0 {
            return;
        }
        if self.ring.is_empty() {
            let depth = self.now.depth as usize;
            self.ring = vec![WordBytes::default(); depth.next_power_of_two()].into();
            self.free = TickQueue::always(depth);
        }
        let at = self.slot(self.len());
        let (behind, before) = words.split_at(count.min(self.ring.len() - at));
        self.ring[at..at + behind.len()].copy_from_slice(behind);
        if !before.is_empty() {
            self.ring[..before.len()].copy_from_slice(before);
        }
        self.free.take(count);
        let tick = |at: usize| first + at as Tick * rate;
        let mut entered = 0;
        // Words don't overtake those before them when the delay has shrunk.
        while entered < count && tick(entered) + self.now.latency < self.last_arrival {
            entered += 1;
            self.arrivals
                .push(TickRun::one(self.last_arrival, last && entered == count));
        }
        if entered < count {
            self.arrivals.push(TickRun {
                first: tick(entered) + self.now.latency,
                step: rate,
                count: count - entered,
                last,
            });
            self.last_arrival = tick(count - 1) + self.now.latency;
        }
        self.pushed += count as u64;
        self.next_push = tick(count - 1) + self.step;
        if let Some(claims) = &mut self.claims {
            claims.entered(self.pushed, self.now.depth, last);
        }
    }

    /// Takes the words at the head at a steady rate from a tick on, at which each must have
    /// arrived.
    pub(super) fn pop(&mut self, first: Tick, rate: Tick, words: &mut [WordBytes]) {
        let count = words.len();
        let at = self.head;
        let (behind, before) = words.split_at_mut(count.min(self.ring.len() - at));
        behind.copy_from_slice(&self.ring[at..at + behind.len()]);
        if !before.is_empty() {
            before.copy_from_slice(&self.ring[..before.len()]);
        }
        self.head = self.slot(count);
        self.arrivals.take(count);
        self.free.push(TickRun {
            first,
            step: rate,
            count,
            last: false,
        });
        self.popped += count as u64;
        if let Some(claims) = &mut self.claims {
            claims.left(self.popped, first);
        }
    }

    /// The reader has loaded a BD of `words` words; with `to_last` it may end at an earlier TLAST.
    pub(super) fn claim(&mut self, words: u32, to_last: bool, at: Tick) {
        let Some(claims) = &mut self.claims else {
            return;
        };
        let inside = self.arrivals.up_to_last();
        let ended = to_last && self.arrivals.ends_with_last(inside) && inside > 0;
        let words = if ended {
            u64::from(words).min(inside as u64)
        } else {
            u64::from(words)
        };
        claims.load(self.popped + words, to_last && !ended, at);
    }

    /// The reader's BD has ended, perhaps before its length.
    pub(super) fn unclaim(&mut self) {
        if let Some(claims) = &mut self.claims {
            claims.end(self.popped);
        }
    }

    /// Drops the words inside at a tick. The reader's BD still needs as many as before.
    pub(super) fn clear(&mut self, tick: Tick) {
        let count = self.len();
        if count == 0 {
            return;
        }
        if let Some(claims) = &mut self.claims {
            claims.skip(count as u64);
        }
        self.pop(tick, 0, &mut vec![WordBytes::default(); count]);
    }

    #[inline]
    fn slot(&self, ahead: usize) -> usize {
        (self.head + ahead) & (self.ring.len() - 1)
    }

    /// Changes depth and delay. Words inside and the times of free places stay.
    pub(super) fn reshape(&mut self, now: FifoShape) {
        if now == self.now {
            return;
        }
        self.now = now;
        if self.ring.is_empty() {
            return;
        }
        let len = self.len();
        let depth = (now.depth as usize).max(len);
        let mut ring = vec![WordBytes::default(); depth.next_power_of_two()];
        for (at, word) in ring[..len].iter_mut().enumerate() {
            *word = self.ring[self.slot(at)];
        }
        self.ring = ring.into();
        self.head = 0;
        // Free places are used in the order in which they became free.
        let (places, known) = (depth - len, self.free.len());
        match places.checked_sub(known) {
            Some(fresh) => self.free.push_front(TickRun::always(fresh)),
            None => self.free.take(known - places),
        }
    }
}

/// Number of words, `most` at most, that follow one another at a steady rate, the first at a tick
/// at which nothing stops it any more: no two are closer than `step`, and of each queue word `i` is
/// not before entry `i`. Returns the rate and the count; an empty queue limits nothing.
#[inline(always)]
pub(super) fn steady(first: Tick, step: Tick, queues: &[&TickQueue], most: usize) -> (Tick, usize) {
    let count = fitting((first, step), queues, most);
    if count != 1 || most == 1 {
        return (step, count);
    }
    slowly_steady(first, step, queues, most)
}

/// Number of words, `most` at most, that queues let follow one another from a tick on at a rate.
#[inline(always)]
fn fitting((first, rate): (Tick, Tick), queues: &[&TickQueue], most: usize) -> usize {
    let mut count = most;
    for queue in queues {
        if queue.len() > 0 {
            count = count.min(queue.reached_by(first, rate, most));
        }
    }
    count
}

/// [`steady`] where the second word waits: perhaps for a run that goes on as slowly.
#[inline(never)]
fn slowly_steady(first: Tick, step: Tick, queues: &[&TickQueue], most: usize) -> (Tick, usize) {
    let slow = queues.iter().filter_map(|queue| queue.front());
    let slow = slow.filter(|run| run.count > 1 && run.first == first && run.step > step);
    match slow.max_by_key(|run| run.step) {
        Some(run) => {
            let count = fitting((first, run.step), queues, most);
            (run.step, count.min(run.count))
        }
        None => (step, 1),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A pipe in which each place has its own tick.
    struct PlainPipe {
        depth: usize,
        latency: Tick,
        step: Tick,
        words: VecDeque<(Tick, u32, bool)>,
        free: VecDeque<Tick>,
        next_push: Tick,
        last_arrival: Tick,
        pushed: usize,
        reserved: usize,
        /// When each word was claimed by the reader.
        claimed: Vec<Tick>,
    }

    impl PlainPipe {
        fn entry(&self) -> Option<Tick> {
            let freed = self
                .free
                .front()
                .filter(|_| self.words.len() < self.depth)?;
            let open = self.depth.saturating_sub(self.reserved);
            let claimed = match self.pushed.checked_sub(open) {
                Some(at) if self.reserved > 0 => *self.claimed.get(at)?,
                _ => 0,
            };
            Some(self.next_push.max(*freed).max(claimed))
        }

        fn push(&mut self, tick: Tick, word: u32, last: bool) {
            let arrival = (tick + self.latency).max(self.last_arrival);
            self.words.push_back((arrival, word, last));
            self.free.pop_front();
            self.pushed += 1;
            (self.next_push, self.last_arrival) = (tick + self.step, arrival);
        }

        fn pop(&mut self, tick: Tick) {
            self.words.pop_front();
            self.free.push_back(tick);
        }

        fn reshape(&mut self, shape: FifoShape) {
            (self.depth, self.latency) = (shape.depth as usize, shape.latency);
            let places = self.depth.max(self.words.len()) - self.words.len();
            while self.free.len() > places {
                self.free.pop_front();
            }
            while self.free.len() < places {
                self.free.push_front(0);
            }
        }
    }

    /// Random bursts, and the same words one by one.
    #[test]
    fn bursts_are_as_words_one_by_one() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let shape = FifoShape {
                depth: random.u32(1..40),
                latency: random.u64(1..9),
            };
            let step = random.u64(1..3);
            let reserved = random.u32(0..2) * random.u32(1..30);
            let mut pipe = match reserved {
                0 => Pipe::new(shape, step, None),
                _ => Pipe::to_channel(shape, step, None, reserved),
            };
            let mut plain = PlainPipe {
                depth: shape.depth as usize,
                latency: shape.latency,
                step,
                words: VecDeque::new(),
                free: vec![0; shape.depth as usize].into(),
                next_push: 0,
                last_arrival: 0,
                pushed: 0,
                reserved: reserved as usize,
                claimed: Vec::new(),
            };
            let (mut next_in, mut next_out) = (0, 0);
            for round in 0..300 {
                if random.u32(0..40) == 0 {
                    let shape = FifoShape {
                        depth: random.u32(1..60),
                        latency: random.u64(1..12),
                    };
                    pipe.reshape(shape);
                    plain.reshape(shape);
                }
                let writer_step = random.u64(1..4);
                let most = pipe.space().min(random.usize(1..20));
                next_in += random.u64(0..3) * random.u64(0..10);
                if let Some(entry) = pipe.entry() {
                    let first = entry.max(next_in);
                    let (rate, count) = steady(first, writer_step.max(step), &[pipe.free()], most);
                    let words = (0..count as u32).map(|at| (round * 100 + at).to_le_bytes());
                    let words: Vec<WordBytes> = words.collect();
                    let last = random.bool();
                    for (at, &word) in words.iter().enumerate() {
                        let tick = plain.entry().unwrap().max(next_in);
                        assert_eq!(tick, first + at as Tick * rate);
                        plain.push(tick, u32::from_le_bytes(word), last && at + 1 == count);
                        next_in = tick + writer_step;
                    }
                    pipe.push(first, rate, &words, last);
                }
                assert_eq!(pipe.entry(), plain.entry());
                let reader_step = random.u64(1..4);
                next_out += random.u64(0..3) * random.u64(0..10);
                let popped = pipe.popped as usize;
                if reserved > 0 && popped >= plain.claimed.len() && random.bool() {
                    let words = random.u32(1..40);
                    pipe.claim(words, false, next_out);
                    plain.claimed.resize(popped + words as usize, next_out);
                }
                let most = pipe.arrivals().up_to_last().min(random.usize(1..20));
                // Without a claim words are taken one by one, as headers are.
                let most = match plain.claimed.len().saturating_sub(popped) {
                    _ if reserved == 0 => most,
                    claimed => most.min(claimed.max(1)),
                };
                if let Some(head) = pipe.front() {
                    let first = head.tick.max(next_out);
                    let (rate, count) = steady(first, reader_step, &[pipe.arrivals()], most);
                    let mut words = vec![WordBytes::default(); count];
                    for (at, place) in words.iter_mut().enumerate() {
                        let (arrival, word, last) = plain.words[0];
                        let tick = arrival.max(next_out);
                        assert_eq!(tick, first + at as Tick * rate);
                        *place = word.to_le_bytes();
                        assert!(!last || at + 1 == count);
                        plain.pop(tick);
                        next_out = tick + reader_step;
                    }
                    let mut popped = vec![WordBytes::default(); count];
                    pipe.pop(first, rate, &mut popped);
                    assert_eq!(popped, words);
                    if pipe.popped as usize > plain.claimed.len() {
                        plain.claimed.push(first);
                    }
                }
                let head = plain.words.front();
                let head = head.map(|&(tick, word, last)| PipeHead { tick, word, last });
                assert_eq!(pipe.front(), head);
                assert_eq!(pipe.len(), plain.words.len());
            }
        }
    }
}
