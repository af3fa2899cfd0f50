//! Pipes: the words on their way between two acting parts of the stream network.
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

use super::event::Happening;
use super::event::ports::{Sight, Watch};
use super::flow::Flows;
use super::sched::{CompId, Sched};
use crate::time::{TICKS_PER_CYCLE, Tick, cycle_at};

/// Index of a pipe in the [`Fabric`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PipeId(pub u32);

/// One place of the ring. `tick` is the arrival of the word, or since when the place is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tick: Tick,
    word: u32,
    last: bool,
}

/// A word at the head of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// When the reader may take it.
    pub tick: Tick,
    pub word: u32,
    /// TLAST.
    pub last: bool,
}

/// Depth and delay of a stretch of FIFOs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Words.
    pub depth: u32,
    pub latency: Tick,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    /// Its own hardware, without pipes merged into it.
    own: Stretch,
    /// With the pipes whose words enter here directly.
    now: Stretch,
    /// Least ticks between two words.
    step: Tick,
    ring: Vec<Slot>,
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
    pub reader: Option<CompId>,
    /// Who wrote last, or tries to: woken by a pop if it sleeps.
    pub writer: Option<CompId>,
    reader_sleeps: bool,
    writer_sleeps: bool,
    /// Pipes whose words enter here directly, nearest to the source first, and the count of
    /// words that had entered when each was merged.
    merged: SmallVec<[PipeId; 6]>,
    merged_from: u64,
    /// The pipe that this one is merged into.
    into: Option<PipeId>,
    /// Words that passed while this pipe was merged into another.
    pub passed: u64,
    /// Somebody looks at words that enter (a master port) or leave (a slave port).
    watch_in: Option<Watch>,
    watch_out: Option<Watch>,
    /// The watcher was told that a word stands at the head.
    stands: bool,
    /// Somebody looks at words that leave: the watcher, or an observer of all ports.
    heeded: bool,
}

impl Pipe {
    pub fn new(own: Stretch, step: Tick, reader: Option<CompId>) -> Pipe {
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
            stands: false,
            heeded: false,
        }
    }

    /// Somebody looks at the port, so that words have to pass it.
    pub fn is_watched(&self) -> bool {
        self.watch_in.is_some() || self.watch_out.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Words that fit besides those inside.
    pub fn space(&self) -> usize {
        (self.now.depth as usize).saturating_sub(self.len)
    }

    /// The word that the reader sees next.
    pub fn front(&self) -> Option<Head> {
        (self.len > 0).then(|| {
            let Slot { tick, word, last } = self.ring[self.head];
            Head { tick, word, last }
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
    fn push(&mut self, tick: Tick, word: u32, last: bool) {
        if self.ring.is_empty() {
            self.ring = vec![Slot::default(); self.now.depth as usize];
        }
        let arrival = (tick + self.now.latency).max(self.last_arrival);
        let slot = self.slot(self.len);
        self.ring[slot] = Slot {
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
    fn pop(&mut self, tick: Tick) {
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
    fn reshape(&mut self, now: Stretch) {
        if now == self.now {
            return;
        }
        self.now = now;
        if self.ring.is_empty() {
            return;
        }
        let depth = (now.depth as usize).max(self.len);
        let mut ring: Vec<Slot> = (0..self.len).map(|i| self.ring[self.slot(i)]).collect();
        // Free places are used in the order in which they became free.
        let free: Vec<Slot> = (self.len..self.ring.len())
            .map(|i| self.ring[self.slot(i)])
            .collect();
        let places = depth - self.len;
        let fresh = places.saturating_sub(free.len());
        ring.extend(std::iter::repeat_n(Slot::default(), fresh));
        ring.extend(&free[free.len() - (places - fresh)..]);
        self.ring = ring;
        self.head = 0;
    }
}

/// All pipes, and the scheduler that their wake-ups go to.
#[derive(Debug)]
pub(crate) struct Fabric {
    pub pipes: Vec<Pipe>,
    pub sched: Sched,
    /// What was seen at watched ports and not yet told.
    pub sights: Vec<Sight>,
    /// What an observer of all ports saw.
    pub flows: Option<Box<Flows>>,
}

impl Fabric {
    pub fn pipe(&self, id: PipeId) -> &Pipe {
        &self.pipes[id.0 as usize]
    }

    fn pipe_mut(&mut self, id: PipeId) -> &mut Pipe {
        &mut self.pipes[id.0 as usize]
    }

    pub fn entry(&self, id: PipeId) -> Option<Tick> {
        self.pipe(id).entry()
    }

    /// See [`Pipe::push`]; wakes the reader.
    pub fn push(&mut self, id: PipeId, writer: CompId, tick: Tick, word: u32, last: bool) {
        let pipe = &mut self.pipes[id.0 as usize];
        pipe.push(tick, word, last);
        if let Some(by) = pipe.watch_in {
            see(&mut self.sights, by, tick, last);
        }
        pipe.writer = Some(writer);
        if pipe.reader_sleeps
            && let Some(reader) = pipe.reader
        {
            pipe.reader_sleeps = false;
            self.sched.wake(reader);
        }
    }

    /// See [`Pipe::pop`]; wakes the writer.
    pub fn pop(&mut self, id: PipeId, tick: Tick) {
        if self.pipes[id.0 as usize].heeded {
            self.heed(id, tick);
        }
        self.pipes[id.0 as usize].pop(tick);
        self.rouse_writer(id);
    }

    /// A word that somebody looks at leaves a pipe.
    #[cold]
    fn heed(&mut self, id: PipeId, tick: Tick) {
        let pipe = &mut self.pipes[id.0 as usize];
        let Some(head) = pipe.front() else { return };
        if let Some(by) = pipe.watch_out {
            if std::mem::take(&mut pipe.stands) {
                let at = tick / TICKS_PER_CYCLE;
                let what = |port| Happening::PortStalled(port, false);
                self.sights.push(Sight { by, at, what });
            }
            see(&mut self.sights, by, tick, head.last);
        }
        if let Some(flows) = &mut self.flows {
            let pipe = &self.pipes[id.0 as usize];
            let mut delay = pipe.now.latency;
            let merged = pipe.merged.iter().map(|&id| {
                delay = delay.saturating_sub(self.pipes[id.0 as usize].own.latency);
                (id, delay)
            });
            let merged: SmallVec<[(PipeId, Tick); 6]> = merged.collect();
            flows.pop(id, head, tick, pipe.step, &merged);
        }
    }

    /// Looks at the words that leave each pipe from now on.
    pub fn heed_all(&mut self, mut flows: Flows) {
        flows.resize(self.pipes.len());
        self.flows = Some(Box::new(flows));
        for pipe in &mut self.pipes {
            pipe.heeded = true;
        }
    }

    /// What was seen of all pipes up to a tick.
    pub fn end_stretches(&mut self, now: Tick) -> Vec<super::flow::Stretch> {
        let pipes = self.pipes.iter().enumerate();
        let heads = pipes.filter_map(|(index, pipe)| {
            let head = pipe.front()?;
            Some((PipeId(index as u32), head.tick))
        });
        let flows = self.flows.as_mut();
        flows.map(|flows| flows.end(now, heads)).unwrap_or_default()
    }

    /// The word at the head of a pipe cannot go on.
    pub fn stalls(&mut self, id: PipeId) {
        let pipe = &mut self.pipes[id.0 as usize];
        if let (Some(by), Some(head), false) = (pipe.watch_out, pipe.front(), pipe.stands) {
            pipe.stands = true;
            let at = cycle_at(head.tick);
            let what = |port| Happening::PortStalled(port, true);
            self.sights.push(Sight { by, at, what });
        }
    }

    /// Lets somebody look at the words that leave (slave ports) or enter a pipe.
    pub fn watch(&mut self, id: PipeId, by: Watch, leave: bool) {
        let pipe = self.pipe_mut(id);
        match leave {
            true => {
                pipe.watch_out = Some(by);
                pipe.heeded = true;
            }
            false => pipe.watch_in = Some(by),
        }
    }

    /// Ends what [`Fabric::watch`] began.
    pub fn unwatch(&mut self, by: Watch) {
        let observed = self.flows.is_some();
        for pipe in &mut self.pipes {
            if pipe.watch_out == Some(by) {
                pipe.watch_out = None;
                pipe.heeded = observed;
            }
            if pipe.watch_in == Some(by) {
                pipe.watch_in = None;
            }
        }
    }

    /// Wakes a writer that sleeps on this pipe or on the one it is merged into.
    pub fn rouse_writer(&mut self, id: PipeId) {
        for id in [Some(id), self.pipe(id).into].into_iter().flatten() {
            let pipe = &mut self.pipes[id.0 as usize];
            if pipe.writer_sleeps
                && let Some(writer) = pipe.writer
            {
                pipe.writer_sleeps = false;
                self.sched.wake(writer);
            }
        }
    }

    /// The pipe that words meant for this one enter.
    pub fn end_of(&self, id: PipeId) -> PipeId {
        self.pipe(id).into.unwrap_or(id)
    }

    /// Words that passed a pipe, those that skipped it by a merge included.
    pub fn words(&self, id: PipeId) -> u64 {
        let pipe = self.pipe(id);
        let merged = pipe
            .into
            .map(|end| self.pipe(end))
            .map_or(0, |end| end.pushed - end.merged_from);
        pipe.pushed + pipe.passed + merged
    }

    /// The reader of the pipe goes to sleep until a word enters.
    pub fn sleep_for_data(&mut self, id: PipeId) {
        self.pipe_mut(id).reader_sleeps = true;
    }

    /// `writer` goes to sleep until a word leaves.
    pub fn sleep_for_space(&mut self, id: PipeId, writer: CompId) {
        let pipe = self.pipe_mut(id);
        pipe.writer = Some(writer);
        pipe.writer_sleeps = true;
    }

    /// Makes `chain` (nearest to the source first) enter directly into `end`.
    pub fn merge(&mut self, chain: SmallVec<[PipeId; 6]>, end: PipeId) {
        if self.pipe(end).merged == chain {
            return;
        }
        self.settle(end);
        let mut sum = self.pipe(end).own;
        for id in self.pipe(end).merged.clone() {
            self.pipe_mut(id).into = None;
        }
        for &id in &chain {
            sum.depth += self.pipe(id).own.depth;
            sum.latency += self.pipe(id).own.latency;
            self.pipe_mut(id).into = Some(end);
        }
        let pipe = self.pipe_mut(end);
        pipe.merged = chain;
        pipe.reshape(sum);
    }

    /// Credits the pipes merged into `end` with the words that passed through them.
    pub fn settle(&mut self, end: PipeId) {
        let pipe = self.pipe_mut(end);
        let words = pipe.pushed - pipe.merged_from;
        pipe.merged_from = pipe.pushed;
        for id in pipe.merged.clone() {
            self.pipe_mut(id).passed += words;
        }
    }
}

/// A word passes a watched port.
fn see(sights: &mut Vec<Sight>, by: Watch, tick: Tick, last: bool) {
    let at = tick / TICKS_PER_CYCLE;
    let what = Happening::PortRunning;
    sights.push(Sight { by, at, what });
    if last {
        let what = Happening::PortTlast;
        sights.push(Sight { by, at, what });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: PipeId = PipeId(0);
    const ME: CompId = CompId(7);

    fn fabric(depth: u32, latency: Tick) -> Fabric {
        let pipe = Pipe::new(Stretch { depth, latency }, 2, Some(CompId(1)));
        let end = Pipe::new(
            Stretch {
                depth: 2,
                latency: 2,
            },
            2,
            Some(CompId(2)),
        );
        Fabric {
            pipes: vec![pipe, end],
            sched: Sched::new(1),
            sights: Vec::new(),
            flows: None,
        }
    }

    #[test]
    fn words_enter_at_the_rate_and_arrive_after_the_delay() {
        let mut fabric = fabric(4, 6);
        for word in 0..4 {
            let tick = fabric.entry(P).unwrap().max(10);
            fabric.push(P, ME, tick, word, word == 3);
        }
        assert_eq!(fabric.entry(P), None);
        let head = fabric.pipe(P).front().unwrap();
        assert_eq!(
            head,
            Head {
                tick: 16,
                word: 0,
                last: false
            }
        );
        fabric.pop(P, 16);
        assert_eq!(fabric.pipe(P).front().map(|head| head.tick), Some(18));
    }

    #[test]
    fn a_full_pipe_takes_a_word_when_one_left() {
        let mut fabric = fabric(2, 2);
        fabric.push(P, ME, 0, 1, false);
        fabric.push(P, ME, 2, 2, false);
        fabric.sleep_for_space(P, ME);
        fabric.pop(P, 40);
        assert_eq!(fabric.entry(P), Some(40));
        assert_eq!(fabric.sched.next_woken(), Some(CompId(1)));
        assert_eq!(fabric.sched.next_woken(), Some(ME));
    }

    #[test]
    fn merging_adds_depth_and_delay_and_counts_for_both() {
        let mut fabric = fabric(3, 4);
        let end = PipeId(1);
        fabric.push(end, ME, 0, 9, false);
        fabric.pop(end, 5);
        fabric.merge(smallvec::smallvec![P], end);
        assert_eq!(fabric.pipe(end).space(), 5);
        fabric.push(end, ME, 10, 1, false);
        assert_eq!(fabric.pipe(end).front().map(|head| head.tick), Some(16));
        fabric.settle(end);
        assert_eq!(fabric.pipe(P).passed, 1);
        fabric.merge(SmallVec::new(), end);
        assert_eq!(fabric.pipe(end).space(), 1);
    }
}
