//! What an observer sees of the words in pipes: stretches in which they passed one after the
//! other, and stretches in which one stood at the head.
//!
//! A pipe that others are merged into (`stream_switch`) stands for all of them: the ports before
//! it show the words as they leave it, earlier by the delay of the way between.

use super::pipe::{Head, PipeId};
use crate::time::{Cycle, TICKS_PER_CYCLE, Tick};

/// Words that are farther apart are not of one stretch.
const GAP: Tick = 2 * TICKS_PER_CYCLE;
/// A word that stands shorter is not told.
const STANDS: Tick = 2 * TICKS_PER_CYCLE;

/// A stretch of words, or of one word that stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub pipe: u32,
    pub from: Tick,
    pub until: Tick,
    /// 0 if a word stood.
    pub words: u32,
    /// The first word, if it begins a packet or a transfer.
    pub first: Option<u32>,
    /// The last word has TLAST.
    pub last: bool,
}

/// What was seen of one pipe.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    begin: Tick,
    /// Words of the stretch in progress.
    words: u32,
    first: Option<u32>,
    /// A packet or transfer is in progress.
    inside: bool,
    /// No word leaves before this tick.
    next: Tick,
    totals: Totals,
}

/// Totals of a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Ticks in which words left.
    pub busy: Tick,
    /// Ticks in which a word stood at the head and was not taken.
    pub stood: Tick,
    /// Words with TLAST.
    pub packets: u64,
}

/// What was seen of all pipes.
#[derive(Debug)]
pub(crate) struct Flows {
    flows: Vec<Flow>,
    seen: Vec<Stretch>,
    /// Stretches that end before are not kept.
    from: Tick,
    room: usize,
    full: Option<Tick>,
}

impl Flows {
    /// Keeps so many stretches from a tick on, and totals.
    pub fn new(from: Tick, room: usize) -> Flows {
        Flows {
            flows: Vec::new(),
            seen: Vec::new(),
            from,
            room,
            full: None,
        }
    }

    /// For so many pipes.
    pub fn resize(&mut self, pipes: usize) {
        self.flows.resize(pipes, Flow::default());
    }

    /// A word leaves a pipe at a tick. `merged`: the pipes merged into it, nearest to the source
    /// first, each with the delay from it to the end.
    pub fn pop(
        &mut self,
        id: PipeId,
        head: Head,
        tick: Tick,
        step: Tick,
        merged: &[(PipeId, Tick)],
    ) {
        let flow = &mut self.flows[id.0 as usize];
        let free = head.tick.max(flow.next);
        let stood = tick.saturating_sub(free);
        flow.totals.busy += step;
        flow.totals.stood += stood;
        let breaks = stood >= STANDS || tick > flow.next + GAP;
        let ended = (breaks && flow.words > 0).then(|| flow.end(id, false));
        if flow.words == 0 {
            flow.begin = tick;
            flow.first = (!flow.inside).then_some(head.word);
            flow.inside = true;
        }
        flow.words += 1;
        flow.next = tick + step;
        flow.totals.packets += u64::from(head.last);
        let over = head.last.then(|| flow.end(id, true));
        if let Some(ended) = ended {
            self.keep(ended, merged);
        }
        if stood >= STANDS {
            self.keep(standing(id, free, tick), &[]);
        }
        if let Some(over) = over {
            self.keep(over, merged);
        }
    }

    fn keep(&mut self, stretch: Stretch, merged: &[(PipeId, Tick)]) {
        if self.room == 0 || stretch.until < self.from {
            return;
        }
        if self.seen.len() + 1 + merged.len() > self.room {
            self.full.get_or_insert(stretch.from);
            return;
        }
        for &(id, delay) in merged {
            self.seen.push(Stretch {
                pipe: id.0,
                from: stretch.from.saturating_sub(delay),
                until: stretch.until.saturating_sub(delay),
                ..stretch
            });
        }
        self.seen.push(stretch);
    }

    /// Ends all stretches at a tick; `heads` are the words that stand in pipes then.
    pub fn end(&mut self, now: Tick, heads: impl Iterator<Item = (PipeId, Tick)>) -> Vec<Stretch> {
        for index in 0..self.flows.len() {
            if self.flows[index].words > 0 {
                let stretch = self.flows[index].end(PipeId(index as u32), false);
                self.keep(stretch, &[]);
            }
        }
        for (id, arrival) in heads {
            let from = arrival.max(self.flows[id.0 as usize].next);
            if from < now {
                self.flows[id.0 as usize].totals.stood += now - from;
                self.flows[id.0 as usize].next = now;
                self.keep(standing(id, from, now), &[]);
            }
        }
        self.room = self.room.saturating_sub(self.seen.len());
        std::mem::take(&mut self.seen)
    }

    pub fn totals(&self, id: PipeId) -> Totals {
        self.flows[id.0 as usize].totals
    }

    /// The tick of the first stretch that there was no room for.
    pub fn full(&self) -> Option<Cycle> {
        self.full
    }
}

impl Flow {
    fn end(&mut self, id: PipeId, last: bool) -> Stretch {
        let stretch = Stretch {
            pipe: id.0,
            from: self.begin,
            until: self.next,
            words: std::mem::take(&mut self.words),
            first: self.first.take(),
            last,
        };
        self.inside = !last;
        stretch
    }
}

fn standing(id: PipeId, from: Tick, until: Tick) -> Stretch {
    Stretch {
        pipe: id.0,
        from,
        until,
        words: 0,
        first: None,
        last: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: PipeId = PipeId(0);

    fn head(tick: Tick, last: bool) -> Head {
        Head {
            tick,
            word: tick as u32,
            last,
        }
    }

    fn flows() -> Flows {
        let mut flows = Flows::new(0, 100);
        flows.resize(2);
        flows
    }

    #[test]
    fn words_in_a_row_are_one_stretch_that_tlast_ends() {
        let mut flows = flows();
        for tick in [10, 12, 14] {
            flows.pop(P, head(tick, tick == 14), tick, 2, &[]);
        }
        flows.pop(P, head(16, false), 16, 2, &[]);
        let seen = flows.end(20, std::iter::empty());
        let facts: Vec<_> = seen.iter().map(|s| (s.from, s.until, s.words)).collect();
        assert_eq!(facts, [(10, 16, 3), (16, 18, 1)]);
        assert_eq!((seen[0].first, seen[0].last), (Some(10), true));
        assert_eq!((seen[1].first, seen[1].last), (Some(16), false));
        assert_eq!(flows.totals(P).packets, 1);
    }

    #[test]
    fn a_word_that_is_not_taken_stands() {
        let mut flows = flows();
        flows.pop(P, head(10, false), 10, 2, &[]);
        flows.pop(P, head(11, false), 30, 2, &[]);
        let seen = flows.end(40, [(P, 32)].into_iter());
        let facts: Vec<_> = seen.iter().map(|s| (s.from, s.until, s.words)).collect();
        assert_eq!(facts, [(10, 12, 1), (12, 30, 0), (30, 32, 1), (32, 40, 0)]);
        assert_eq!(flows.totals(P).stood, 18 + 8);
        assert_eq!(flows.totals(P).busy, 4);
    }

    #[test]
    fn merged_pipes_show_the_words_earlier() {
        let mut flows = flows();
        flows.pop(P, head(10, true), 10, 2, &[(PipeId(1), 6)]);
        let seen = flows.end(20, std::iter::empty());
        let facts: Vec<_> = seen.iter().map(|s| (s.pipe, s.from, s.until)).collect();
        assert_eq!(facts, [(1, 4, 6), (0, 10, 12)]);
    }

    #[test]
    fn what_there_is_no_room_for_is_told() {
        let mut flows = Flows::new(0, 1);
        flows.resize(1);
        flows.pop(P, head(10, true), 10, 2, &[]);
        flows.pop(P, head(20, true), 20, 2, &[]);
        assert_eq!(flows.end(30, std::iter::empty()).len(), 1);
        assert_eq!(flows.full(), Some(20));
        assert_eq!(flows.totals(P).packets, 2);
    }
}
