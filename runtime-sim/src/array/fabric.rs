//! All pipes of the array with the wake-ups that follow when words enter and leave, and what is
//! seen of words at watched ports.

use smallvec::SmallVec;

use super::actor::ActorId;
use super::bursts::{Burst, BurstRecorder};
use super::hw_event::HwEvent;
use super::pipe::{Pipe, PipeHead, PipeId, WordBytes};
use super::port_sample::{PortSample, PortWatch};
use super::sched::Sched;
use crate::race::StreamStamps;
use crate::time::{Cycle, TICKS_PER_CYCLE, Tick, cycle_at, ticks};

/// All pipes, and the scheduler that their wake-ups go to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fabric {
    pub pipes: Vec<Pipe>,
    pub sched: Sched,
    /// Samples of watched ports that aren't reported yet.
    pub samples: Vec<PortSample>,
    /// Records of an observer of all ports.
    pub bursts: Option<Box<BurstRecorder>>,
    /// Stamps of the senders for the words, if races are looked for.
    pub stamps: Option<Box<StreamStamps>>,
    /// Words move one by one instead of in bursts, with the same outcome.
    pub word_by_word: bool,
    /// Packets of tokens that were sent and have not reached a controller.
    pub token_packets: u64,
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

    /// Enters a word at a tick; wakes the reader.
    pub fn push(&mut self, id: PipeId, writer: ActorId, tick: Tick, word: u32, last: bool) {
        self.push_burst(id, writer, (tick, 0), &[word.to_le_bytes()], last);
    }

    /// See [`Pipe::push`]; wakes the reader. The burst has a first tick and a rate.
    pub fn push_burst(
        &mut self,
        id: PipeId,
        writer: ActorId,
        (first, rate): (Tick, Tick),
        words: &[WordBytes],
        last: bool,
    ) {
        let pipe = &mut self.pipes[id.0 as usize];
        pipe.push(first, rate, words, last);
        if let Some(by) = pipe.watch_in {
            for at in 0..words.len() {
                let last = last && at + 1 == words.len();
                sample(&mut self.samples, by, first + at as Tick * rate, last);
            }
        }
        pipe.writer = Some(writer);
        if pipe.reader_sleeps
            && let Some(reader) = pipe.reader
        {
            pipe.reader_sleeps = false;
            self.sched.wake(reader);
        }
    }

    /// Takes the word at the head at a tick; wakes the writer.
    pub fn pop(&mut self, id: PipeId, tick: Tick) {
        self.pop_burst(id, (tick, 0), &mut [WordBytes::default()]);
    }

    /// Takes the word at the head of a pipe if it has arrived; else an actor is woken when it does.
    pub fn take_word(&mut self, id: PipeId, me: ActorId, now: Cycle) -> Option<PipeHead> {
        let Some(head) = self.pipe(id).front() else {
            self.sleep_for_data(id);
            return None;
        };
        let at = cycle_at(head.tick);
        if at > now {
            self.sched.schedule(at, me);
            return None;
        }
        self.pop(id, ticks(now));
        Some(head)
    }

    /// See [`Pipe::pop`]; wakes the writer. The burst has a first tick and a rate; none of its words but the last has TLAST.
    /// Where an event selector looks on ([`Fabric::burst_of`]) words are taken one by one.
    pub fn pop_burst(&mut self, id: PipeId, (first, rate): (Tick, Tick), words: &mut [WordBytes]) {
        if self.pipes[id.0 as usize].watched {
            self.observe(id, first, rate, words.len());
        }
        self.pipes[id.0 as usize].pop(first, rate, words);
        self.wake_writer(id);
    }

    /// An S2MM channel has loaded a BD; see [`Pipe::claim`]. Wakes the writer.
    pub fn claim(&mut self, id: PipeId, words: u32, to_last: bool, now: Cycle) {
        self.pipe_mut(id).claim(words, to_last, ticks(now));
        self.wake_writer(id);
    }

    /// Its BD has ended, or the channel was reset.
    pub fn unclaim(&mut self, id: PipeId) {
        self.pipe_mut(id).unclaim();
    }

    /// Drops the words in a pipe; wakes the writer.
    pub fn clear(&mut self, id: PipeId, now: Cycle) {
        self.pipe_mut(id).clear(ticks(now));
        self.wake_writer(id);
    }

    /// The most words that may leave a pipe in one burst.
    pub fn burst_of(&self, id: PipeId, most: usize) -> usize {
        if self.word_by_word || self.pipe(id).watch_out.is_some() {
            most.min(1)
        } else {
            most
        }
    }

    /// A switch has moved words, the last that left a pipe, to the end of another.
    pub fn forward_stamps(&mut self, source: PipeId, target: PipeId, words: u64) {
        let (left, entered) = (self.pipe(source).popped, self.pipe(target).pushed);
        if let Some(stamps) = &mut self.stamps
            && words > 0
        {
            let range = (left - words, left);
            let (source, target) = (source.0 as usize, target.0 as usize);
            stamps.forward(source, range, target, entered - words);
        }
    }

    /// Words leave a pipe that is watched, the first at a tick, the others at a rate.
    #[cold]
    fn observe(&mut self, id: PipeId, tick: Tick, rate: Tick, count: usize) {
        let pipe = &mut self.pipes[id.0 as usize];
        let Some(head) = pipe.front() else { return };
        if let Some(by) = pipe.watch_out {
            if std::mem::take(&mut pipe.stall_reported) {
                let at = tick / TICKS_PER_CYCLE;
                let event = |port| HwEvent::PortStalled(port, false);
                self.samples.push(PortSample { by, at, event });
            }
            sample(&mut self.samples, by, tick, head.last);
        }
        if let Some(bursts) = &mut self.bursts {
            let pipe = &self.pipes[id.0 as usize];
            let mut delay = pipe.now.latency;
            let merged = pipe.merged.iter().map(|&id| {
                delay = delay.saturating_sub(self.pipes[id.0 as usize].own.latency);
                (id, delay)
            });
            let merged: SmallVec<[(PipeId, Tick); 6]> = if bursts.keeps_any() {
                merged.collect()
            } else {
                SmallVec::new()
            };
            bursts.pop_burst(
                id,
                (head, pipe.arrivals()),
                (tick, rate, count),
                pipe.step,
                &merged,
            );
        }
    }

    /// Looks at the words that leave each pipe from now on.
    pub fn watch_all(&mut self, mut bursts: BurstRecorder) {
        bursts.resize(self.pipes.len());
        self.bursts = Some(Box::new(bursts));
        for pipe in &mut self.pipes {
            pipe.watched = true;
        }
    }

    /// The words at the heads of pipes, with their ticks of arrival.
    fn heads(pipes: &[Pipe]) -> impl Iterator<Item = (PipeId, Tick)> {
        let pipes = pipes.iter().enumerate();
        pipes.filter_map(|(index, pipe)| {
            let head = pipe.front()?;
            Some((PipeId(index as u32), head.tick))
        })
    }

    /// Activity of all pipes up to a tick.
    pub fn end_bursts(&mut self, now: Tick) -> Vec<Burst> {
        let heads = Fabric::heads(&self.pipes);
        let ended = self.bursts.as_mut().map(|bursts| bursts.end(now, heads));
        ended.unwrap_or_default()
    }

    /// Takes over the observers and records of the run from the pipes before a reset at a cycle.
    pub fn keep_records(&mut self, before: &mut Fabric, now: Cycle) {
        let words: Vec<u64> = (0..before.pipes.len())
            .map(|index| before.words(PipeId(index as u32)))
            .collect();
        let Fabric {
            pipes,
            sched,
            samples,
            bursts,
            stamps,
            word_by_word,
            token_packets: _,
        } = before;
        if let Some(bursts) = bursts {
            bursts.cut(ticks(now), Fabric::heads(pipes));
        }
        for (pipe, words) in self.pipes.iter_mut().zip(words) {
            pipe.passed = words;
            pipe.watched = bursts.is_some();
        }
        self.sched.jitter = std::mem::take(&mut sched.jitter);
        self.samples = std::mem::take(samples);
        self.bursts = bursts.take();
        self.stamps = stamps
            .take()
            .map(|_| Box::new(StreamStamps::new(self.pipes.len())));
        self.word_by_word = *word_by_word;
    }

    /// The word at the head of a pipe cannot go on.
    pub fn stalls(&mut self, id: PipeId) {
        let pipe = &mut self.pipes[id.0 as usize];
        if let (Some(by), Some(head), false) = (pipe.watch_out, pipe.front(), pipe.stall_reported) {
            pipe.stall_reported = true;
            let at = cycle_at(head.tick);
            let event = |port| HwEvent::PortStalled(port, true);
            self.samples.push(PortSample { by, at, event });
        }
    }

    /// Lets an event selector look at the words that leave (slave ports) or enter a pipe.
    pub fn watch(&mut self, id: PipeId, by: PortWatch, leave: bool) {
        let pipe = self.pipe_mut(id);
        if leave {
            pipe.watch_out = Some(by);
            pipe.watched = true;
        } else {
            pipe.watch_in = Some(by)
        }
    }

    /// Ends a [`Fabric::watch`].
    pub fn unwatch(&mut self, by: PortWatch) {
        let observed = self.bursts.is_some();
        for pipe in &mut self.pipes {
            if pipe.watch_out == Some(by) {
                pipe.watch_out = None;
                pipe.watched = observed;
            }
            if pipe.watch_in == Some(by) {
                pipe.watch_in = None;
            }
        }
    }

    /// Wakes a writer that sleeps on this pipe or on the one it is merged into.
    pub fn wake_writer(&mut self, id: PipeId) {
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
        let end = pipe.into.map(|end| self.pipe(end));
        let merged = end.map_or(0, |end| end.pushed - end.merged_from);
        pipe.pushed + pipe.passed + merged
    }

    /// The reader of the pipe goes to sleep until a word enters.
    pub fn sleep_for_data(&mut self, id: PipeId) {
        self.pipe_mut(id).reader_sleeps = true;
    }

    /// `writer` goes to sleep until a word leaves.
    pub fn sleep_for_space(&mut self, id: PipeId, writer: ActorId) {
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
            self.leave_merged(id, end);
            sum.depth += self.pipe(id).own.depth;
            sum.latency += self.pipe(id).own.latency;
            self.pipe_mut(id).into = Some(end);
        }
        let pipe = self.pipe_mut(end);
        pipe.merged = chain;
        pipe.reshape(sum);
    }

    /// Credits a pipe with the words that passed through it into another end than the one that it is merged
    /// into from now on: a stretch gets longer when the next switch is connected.
    fn leave_merged(&mut self, id: PipeId, end: PipeId) {
        if let Some(before) = self.pipe(id).into.filter(|before| *before != end) {
            self.settle(before);
            self.pipe_mut(before).merged.retain(|merged| *merged != id);
        }
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
fn sample(samples: &mut Vec<PortSample>, by: PortWatch, tick: Tick, last: bool) {
    let at = tick / TICKS_PER_CYCLE;
    let event = HwEvent::PortRunning;
    samples.push(PortSample { by, at, event });
    if last {
        let event = HwEvent::PortTlast;
        samples.push(PortSample { by, at, event });
    }
}

#[cfg(test)]
mod tests {
    use aiec_device::TileLoc;

    use super::*;
    use crate::array::pipe::{FifoShape, PipeHead};

    const P: PipeId = PipeId(0);
    const ME: ActorId = ActorId::core(TileLoc::new(0, 7));

    fn reader(row: u8) -> ActorId {
        ActorId::core(TileLoc::new(0, row))
    }

    fn fabric(depth: u32, latency: Tick) -> Fabric {
        let pipe = Pipe::new(FifoShape { depth, latency }, 2, Some(reader(1)));
        let end = Pipe::new(
            FifoShape {
                depth: 2,
                latency: 2,
            },
            2,
            Some(reader(2)),
        );
        Fabric {
            pipes: vec![pipe, end],
            sched: Sched::new(1),
            samples: Vec::new(),
            bursts: None,
            stamps: None,
            word_by_word: false,
            token_packets: 0,
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
            PipeHead {
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
        assert_eq!(fabric.sched.next_woken(), Some(reader(1)));
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

    /// A stretch that gets longer keeps the words that passed its first pipe before.
    #[test]
    fn words_count_for_a_pipe_whose_stretch_gets_longer() {
        let mut fabric = fabric(3, 4);
        let shape = FifoShape {
            depth: 2,
            latency: 2,
        };
        fabric.pipes.push(Pipe::new(shape, 2, Some(reader(3))));
        let (next, last) = (PipeId(1), PipeId(2));
        fabric.merge(smallvec::smallvec![P], next);
        fabric.push(next, ME, 0, 9, false);
        fabric.pop(next, 9);
        fabric.merge(smallvec::smallvec![P, next], last);
        fabric.push(last, ME, 20, 1, false);
        assert_eq!([P, next, last].map(|pipe| fabric.words(pipe)), [2, 2, 1]);
    }
}
