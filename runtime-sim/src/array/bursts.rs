//! The words in pipes as an observer sees them: bursts in which they passed one after the
//! other, and times in which one was stalled at the head.
//!
//! A pipe that others are merged into (`stream_switch`) has the words of all of them: the ports before
//! it show the words as they leave it, earlier by the delay of the way between.

use super::pipe::{PipeHead, PipeId};
use super::stats::PortStates;
use super::tick_queue::TickQueue;
use crate::external_sort::SpilledItems;
use crate::time::{TICKS_PER_CYCLE, Tick};

/// Words that are farther apart are not of one burst.
const GAP: Tick = 2 * TICKS_PER_CYCLE;
/// Shorter stalls are not recorded.
const LONG_STALL: Tick = 2 * TICKS_PER_CYCLE;

/// A burst of words, or one word that was stalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Burst {
    pub pipe: u32,
    pub from: Tick,
    pub until: Tick,
    /// 0 if a word was stalled.
    pub words: u32,
    /// The first word, if it begins a packet or a transfer.
    pub first: Option<u32>,
    /// The last word has TLAST.
    pub last: bool,
}

/// Activity of one pipe.
#[derive(Clone, Copy, Debug, Default)]
struct PipeActivity {
    begin: Tick,
    /// Words of the burst in progress.
    words: u32,
    first: Option<u32>,
    /// A packet or transfer is in progress.
    inside: bool,
    /// No word leaves before this tick.
    next: Tick,
    /// In ticks.
    totals: PortStates,
}

/// Activity of all pipes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BurstRecorder {
    pipes: Vec<PipeActivity>,
    seen: Vec<Burst>,
    /// Where all bursts are kept instead.
    spilled: Option<SpilledItems<Burst>>,
    /// Bursts that end before are not kept.
    from: Tick,
    limit: usize,
    pub overflow: Option<Tick>,
}

impl BurstRecorder {
    /// Keeps up to `limit` bursts from a tick on, and totals.
    pub fn new(from: Tick, limit: usize) -> BurstRecorder {
        BurstRecorder {
            from,
            limit,
            ..BurstRecorder::default()
        }
    }

    /// Keeps all bursts from a tick on in scratch files, and totals.
    pub fn spilling(from: Tick, spilled: SpilledItems<Burst>) -> BurstRecorder {
        BurstRecorder {
            spilled: Some(spilled),
            ..BurstRecorder::new(from, usize::MAX)
        }
    }

    /// The bursts in scratch files; no more are kept.
    pub fn take_spilled(&mut self) -> Option<SpilledItems<Burst>> {
        let spilled = self.spilled.take()?;
        self.limit = 0;
        Some(spilled)
    }

    /// Whether bursts are kept, besides totals.
    #[inline]
    pub fn keeps_any(&self) -> bool {
        self.limit > 0
    }

    /// For `pipes` pipes.
    pub fn resize(&mut self, pipes: usize) {
        self.pipes.resize(pipes, PipeActivity::default());
    }

    /// A word leaves a pipe at a tick. `merged`: the pipes merged into it, nearest to the source
    /// first, each with the delay from it to the end.
    pub fn pop(
        &mut self,
        id: PipeId,
        head: PipeHead,
        tick: Tick,
        step: Tick,
        merged: &[(PipeId, Tick)],
    ) {
        let pipe = &mut self.pipes[id.0 as usize];
        let free = head.tick.max(pipe.next);
        let stalled = tick.saturating_sub(free);
        pipe.totals.busy += step;
        pipe.totals.stalled += stalled;
        let breaks = stalled >= LONG_STALL || tick > pipe.next + GAP;
        let ended = (breaks && pipe.words > 0).then(|| pipe.end(id, false));
        if pipe.words == 0 {
            pipe.begin = tick;
            pipe.first = (!pipe.inside).then_some(head.word);
            pipe.inside = true;
        }
        pipe.words += 1;
        pipe.next = tick + step;
        pipe.totals.packets += u64::from(head.last);
        let over = head.last.then(|| pipe.end(id, true));
        if let Some(ended) = ended {
            self.keep(ended, merged);
        }
        if stalled >= LONG_STALL {
            self.keep(stalled_burst(id, free, tick), &[]);
        }
        if let Some(over) = over {
            self.keep(over, merged);
        }
    }

    /// Words leave a pipe, the first at a tick, the others at a rate; none but the last has TLAST. `head` is the first, with
    /// which the arrivals begin.
    pub fn pop_burst(
        &mut self,
        id: PipeId,
        (head, arrivals): (PipeHead, &TickQueue),
        (first, rate, count): (Tick, Tick, usize),
        step: Tick,
        merged: &[(PipeId, Tick)],
    ) {
        self.pop(id, head, first, step, merged);
        let last = arrivals.ends_with_last(count);
        if rate == step {
            // Nothing is stalled and nothing breaks the burst: each word leaves as soon as the one before it has.
            let more = count.saturating_sub(1 + usize::from(last));
            self.go_on(id, more as u64, step);
            if last && count > 1 {
                let tick = first + (count as Tick - 1) * rate;
                let word = PipeHead { tick, last, ..head };
                self.pop(id, word, tick, step, merged);
            }
            return;
        }
        let ticks = arrivals.ticks().take(count).enumerate().skip(1);
        for (number, arrival) in ticks {
            let word = PipeHead {
                tick: arrival,
                last: last && number + 1 == count,
                ..head
            };
            self.pop(id, word, first + number as Tick * rate, step, merged);
        }
    }

    /// `words` words follow one another in the burst in progress.
    fn go_on(&mut self, id: PipeId, words: u64, step: Tick) {
        let pipe = &mut self.pipes[id.0 as usize];
        pipe.totals.busy += words * step;
        pipe.words += words as u32;
        pipe.next += words * step;
    }

    fn keep(&mut self, burst: Burst, merged: &[(PipeId, Tick)]) {
        if !self.keeps_any() || burst.until < self.from {
            return;
        }
        if self.seen.len() + 1 + merged.len() > self.limit {
            self.overflow.get_or_insert(burst.from);
            return;
        }
        let earlier = merged.iter().map(|&(id, delay)| Burst {
            pipe: id.0,
            from: burst.from.saturating_sub(delay),
            until: burst.until.saturating_sub(delay),
            ..burst
        });
        let bursts = earlier.chain([burst]);
        match &mut self.spilled {
            Some(spilled) => bursts.for_each(|burst| spilled.push(burst)),
            None => self.seen.extend(bursts),
        }
    }

    /// Ends all bursts at a tick, as all words are dropped; see [`BurstRecorder::end`].
    pub fn cut(&mut self, now: Tick, heads: impl Iterator<Item = (PipeId, Tick)>) {
        self.end_all(now, heads);
        self.pipes.iter_mut().for_each(|pipe| pipe.inside = false);
    }

    /// Ends all bursts at a tick; `heads` are the words at the heads of pipes then.
    pub fn end(&mut self, now: Tick, heads: impl Iterator<Item = (PipeId, Tick)>) -> Vec<Burst> {
        self.end_all(now, heads);
        self.limit = self.limit.saturating_sub(self.seen.len());
        std::mem::take(&mut self.seen)
    }

    fn end_all(&mut self, now: Tick, heads: impl Iterator<Item = (PipeId, Tick)>) {
        for index in 0..self.pipes.len() {
            if self.pipes[index].words > 0 {
                let burst = self.pipes[index].end(PipeId(index as u32), false);
                self.keep(burst, &[]);
            }
        }
        for (id, arrival) in heads {
            let pipe = &mut self.pipes[id.0 as usize];
            let from = arrival.max(pipe.next);
            if from < now {
                pipe.totals.stalled += now - from;
                pipe.next = now;
                self.keep(stalled_burst(id, from, now), &[]);
            }
        }
    }

    pub fn totals(&self, id: PipeId) -> PortStates {
        self.pipes[id.0 as usize].totals
    }
}

impl PipeActivity {
    fn end(&mut self, id: PipeId, last: bool) -> Burst {
        let burst = Burst {
            pipe: id.0,
            from: self.begin,
            until: self.next,
            words: std::mem::take(&mut self.words),
            first: self.first.take(),
            last,
        };
        self.inside = !last;
        burst
    }
}

fn stalled_burst(id: PipeId, from: Tick, until: Tick) -> Burst {
    Burst {
        pipe: id.0,
        from,
        until,
        ..Burst::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: PipeId = PipeId(0);

    fn head(tick: Tick, last: bool) -> PipeHead {
        PipeHead {
            tick,
            word: tick as u32,
            last,
        }
    }

    fn pipes() -> BurstRecorder {
        let mut pipes = BurstRecorder::new(0, 100);
        pipes.resize(2);
        pipes
    }

    #[test]
    fn words_in_a_row_are_one_stretch_that_tlast_ends() {
        let mut pipes = pipes();
        for tick in [10, 12, 14] {
            pipes.pop(P, head(tick, tick == 14), tick, 2, &[]);
        }
        pipes.pop(P, head(16, false), 16, 2, &[]);
        let seen = pipes.end(20, std::iter::empty());
        let facts: Vec<_> = seen.iter().map(|s| (s.from, s.until, s.words)).collect();
        assert_eq!(facts, [(10, 16, 3), (16, 18, 1)]);
        assert_eq!((seen[0].first, seen[0].last), (Some(10), true));
        assert_eq!((seen[1].first, seen[1].last), (Some(16), false));
        assert_eq!(pipes.totals(P).packets, 1);
    }

    #[test]
    fn a_word_that_is_not_taken_is_stalled() {
        let mut pipes = pipes();
        pipes.pop(P, head(10, false), 10, 2, &[]);
        pipes.pop(P, head(11, false), 30, 2, &[]);
        let seen = pipes.end(40, [(P, 32)].into_iter());
        let facts: Vec<_> = seen.iter().map(|s| (s.from, s.until, s.words)).collect();
        assert_eq!(facts, [(10, 12, 1), (12, 30, 0), (30, 32, 1), (32, 40, 0)]);
        assert_eq!(pipes.totals(P).stalled, 18 + 8);
        assert_eq!(pipes.totals(P).busy, 4);
    }

    #[test]
    fn merged_pipes_show_the_words_earlier() {
        let mut pipes = pipes();
        pipes.pop(P, head(10, true), 10, 2, &[(PipeId(1), 6)]);
        let seen = pipes.end(20, std::iter::empty());
        let facts: Vec<_> = seen.iter().map(|s| (s.pipe, s.from, s.until)).collect();
        assert_eq!(facts, [(1, 4, 6), (0, 10, 12)]);
    }

    #[test]
    fn what_there_is_no_room_for_is_told() {
        let mut pipes = BurstRecorder::new(0, 1);
        pipes.resize(1);
        pipes.pop(P, head(10, true), 10, 2, &[]);
        pipes.pop(P, head(20, true), 20, 2, &[]);
        assert_eq!(pipes.end(30, std::iter::empty()).len(), 1);
        assert_eq!(pipes.overflow, Some(20));
        assert_eq!(pipes.totals(P).packets, 2);
    }
}
