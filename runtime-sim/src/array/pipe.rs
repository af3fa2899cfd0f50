//! Pipes: the words in flight between two actors of the stream network.
//!
//! A pipe is a chain of hardware FIFOs with one writer and one reader: a slave port with the
//! master port and wire before it, or a master port with what it feeds. It is a bounded ring in
//! which every word carries the tick at which the reader may take it, and every free slot the
//! tick at which it became free. Writer and reader therefore needn't run in lockstep: each may
//! work ahead of the clock, and the time stamps still come out as if all had moved word by word
//! (a word enters when its slot is free, leaves when it has arrived, and not faster than the
//! port's rate).
//!
//! Units: 32-bit words and [`Tick`]s.

use smallvec::SmallVec;

use super::actor::ActorId;
use super::port_sample::PortWatch;
use crate::time::Tick;

/// Index of a pipe in the [`Fabric`](super::fabric::Fabric).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PipeId(pub u32);

/// One place of the ring. `tick` is the arrival of the word, or since when the place is free.
#[derive(Clone, Copy, Debug, Default)]
struct PipeSlot {
    tick: Tick,
    word: u32,
    last: bool,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FifoShape {
    /// Words.
    pub depth: u32,
    pub latency: Tick,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    /// Its own hardware, without pipes merged into it.
    pub(super) own: FifoShape,
    /// With the pipes whose words enter here directly.
    pub(super) now: FifoShape,
    /// Least ticks between two words.
    pub(super) step: Tick,
    ring: Vec<PipeSlot>,
    head: usize,
    len: usize,
    /// Words entered and taken since the start.
    pub pushed: u64,
    pub popped: u64,
    /// No word enters before this tick.
    next_push: Tick,
    /// No word arrives before this tick (words don't overtake when the delay shrinks).
    last_arrival: Tick,
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
            ring: Vec::new(),
            head: 0,
            len: 0,
            pushed: 0,
            popped: 0,
            next_push: 0,
            last_arrival: 0,
            reader,
            writer: None,
            reader_sleeps: true,
            writer_sleeps: false,
            merged: SmallVec::new(),
            merged_from: 0,
            into: None,
            passed: 0,
            watch_in: None,
            watch_out: None,
            stall_reported: false,
            watched: false,
        }
    }

    /// An event selector watches the port, so that words have to pass it.
    pub fn is_watched(&self) -> bool {
        self.watch_in.is_some() || self.watch_out.is_some()
    }

    /// Words inside.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Words that fit besides those inside.
    pub fn space(&self) -> usize {
        (self.now.depth as usize).saturating_sub(self.len)
    }

    /// The word that the reader sees next.
    pub fn front(&self) -> Option<PipeHead> {
        (self.len > 0).then(|| {
            let PipeSlot { tick, word, last } = self.ring[self.head];
            PipeHead { tick, word, last }
        })
    }

    /// Earliest tick at which the next word can enter; `None` if the pipe is full.
    pub fn entry(&self) -> Option<Tick> {
        if self.space() == 0 {
            return None;
        }
        let freed = self
            .ring
            .get(self.slot(self.len))
            .map_or(0, |slot| slot.tick);
        Some(freed.max(self.next_push))
    }

    /// Enters a word at `tick`, which must not be before [`Pipe::entry`].
    pub(super) fn push(&mut self, tick: Tick, word: u32, last: bool) {
        if self.ring.is_empty() {
            self.ring = vec![PipeSlot::default(); self.now.depth as usize];
        }
        let arrival = (tick + self.now.latency).max(self.last_arrival);
        let slot = self.slot(self.len);
        self.ring[slot] = PipeSlot {
            tick: arrival,
            word,
            last,
        };
        self.len += 1;
        self.pushed += 1;
        self.next_push = tick + self.step;
        self.last_arrival = arrival;
    }

    /// Takes the word at the head at `tick`, which must not be before its arrival.
    pub(super) fn pop(&mut self, tick: Tick) {
        self.ring[self.head].tick = tick;
        self.head = self.slot(1);
        self.len -= 1;
        self.popped += 1;
    }

    fn slot(&self, ahead: usize) -> usize {
        let slot = self.head + ahead;
        if slot >= self.ring.len() {
            slot.saturating_sub(self.ring.len())
        } else {
            slot
        }
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
        let depth = (now.depth as usize).max(self.len);
        let mut ring: Vec<PipeSlot> = (0..self.len).map(|i| self.ring[self.slot(i)]).collect();
        // Free places are used in the order in which they became free.
        let free: Vec<PipeSlot> = (self.len..self.ring.len())
            .map(|i| self.ring[self.slot(i)])
            .collect();
        let places = depth - self.len;
        let fresh = places.saturating_sub(free.len());
        ring.extend(std::iter::repeat_n(PipeSlot::default(), fresh));
        ring.extend(&free[free.len() - (places - fresh)..]);
        self.ring = ring;
        self.head = 0;
    }
}
