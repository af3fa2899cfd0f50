//! Ticks in a queue, as runs at a steady rate.

use std::collections::VecDeque;

use crate::time::Tick;

/// `count` ticks: `first`, `first + step`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TickRun {
    pub first: Tick,
    pub step: Tick,
    pub count: usize,
    /// The word of the last tick has TLAST; nothing is added after it.
    pub last: bool,
}

impl TickRun {
    /// A single tick.
    pub fn one(tick: Tick, last: bool) -> TickRun {
        TickRun {
            first: tick,
            step: 0,
            count: 1,
            last,
        }
    }

    /// Places that were free from the start.
    pub fn always(count: usize) -> TickRun {
        TickRun {
            first: 0,
            step: 0,
            count,
            last: false,
        }
    }

    /// Appends a run to this one, if both are one steady run.
    fn extend(&mut self, next: TickRun) -> bool {
        if self.last {
            return false;
        }
        let step = match self.count {
            1 if next.first < self.first => return false,
            1 => next.first - self.first,
            _ => self.step,
        };
        let follows = self.first + self.count as Tick * step == next.first;
        if !follows || next.count > 1 && next.step != step {
            return false;
        }
        self.step = step;
        self.count += next.count;
        self.last = next.last;
        true
    }
}

/// A queue of ticks.
#[derive(Clone, Debug)]
pub(crate) struct TickQueue {
    /// The first run, which mostly is the only one; of no ticks if the queue is empty.
    first: TickRun,
    /// The runs after it.
    rest: VecDeque<TickRun>,
    len: usize,
}

impl Default for TickQueue {
    fn default() -> TickQueue {
        TickQueue {
            first: TickRun::always(0),
            rest: VecDeque::new(),
            len: 0,
        }
    }
}

impl TickQueue {
    /// Places that were free from the start.
    pub fn always(count: usize) -> TickQueue {
        let mut queue = TickQueue::default();
        queue.push_front(TickRun::always(count));
        queue
    }

    /// Ticks inside.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The run of the first tick.
    #[inline]
    pub fn front(&self) -> Option<&TickRun> {
        (self.len > 0).then_some(&self.first)
    }

    /// All runs, the first of no ticks if there is none.
    fn runs(&self) -> impl Iterator<Item = &TickRun> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// All ticks.
    pub fn ticks(&self) -> impl Iterator<Item = Tick> {
        let of = |run: &TickRun| {
            let run = *run;
            (0..run.count).map(move |number| run.first + number as Tick * run.step)
        };
        self.runs().flat_map(of)
    }

    /// Ticks up to and including the first with TLAST.
    #[inline]
    pub fn up_to_last(&self) -> usize {
        if self.first.last || self.rest.is_empty() {
            return self.first.count;
        }
        let mut count = 0;
        for run in self.runs() {
            count += run.count;
            if run.last {
                break;
            }
        }
        count
    }

    /// Whether the `count`-th tick from the front carries TLAST (no earlier one does).
    #[inline]
    pub fn ends_with_last(&self, count: usize) -> bool {
        if self.first.last || self.first.count >= count {
            return self.first.last && self.first.count == count;
        }
        let mut ends = 0;
        let run = self.runs().find(|run| {
            ends += run.count;
            ends >= count || run.last
        });
        run.is_some_and(|run| run.last && ends == count)
    }

    /// Adds a run at the end.
    #[inline]
    pub fn push(&mut self, run: TickRun) {
        if run.count == 0 {
            return;
        }
        if self.len == 0 {
            self.first = run;
        } else {
            let back = self.rest.back_mut().unwrap_or(&mut self.first);
            if !back.extend(run) {
                self.rest.push_back(run);
            }
        }
        self.len += run.count;
    }

    /// Adds a run in front.
    pub fn push_front(&mut self, run: TickRun) {
        if run.count > 0 {
            if self.len > 0 {
                self.rest.push_front(self.first);
            }
            self.first = run;
            self.len += run.count;
        }
    }

    /// Removes ticks from the front, at most all.
    #[inline]
    pub fn take(&mut self, mut count: usize) {
        self.len = self.len.saturating_sub(count);
        while count >= self.first.count {
            count -= self.first.count;
            match self.rest.pop_front() {
                Some(run) => self.first = run,
                None => {
                    self.first = TickRun::always(0);
                    return;
                }
            }
        }
        self.first.first += count as Tick * self.first.step;
        self.first.count -= count;
    }

    /// Number of ticks from the front on, `most` at most, that aren't after `first`, `first +
    /// rate`, and so on. The first of them mustn't be.
    #[inline]
    pub fn reached_by(&self, first: Tick, rate: Tick, most: usize) -> usize {
        if self.first.first <= first && self.first.step <= rate && self.first.count >= most {
            return most;
        }
        self.reached_by_runs(first, rate, most)
    }

    /// [`TickQueue::reached_by`] of several runs.
    fn reached_by_runs(&self, first: Tick, rate: Tick, most: usize) -> usize {
        let mut reached = 0;
        for run in self.runs() {
            let at = first + reached as Tick * rate;
            if reached >= most || run.first > at {
                break;
            }
            if run.step > rate {
                let ahead = (at - run.first) / (run.step - rate);
                if run.count > 0 && ahead < run.count as Tick - 1 {
                    reached += ahead as usize + 1;
                    break;
                }
            }
            reached += run.count;
        }
        reached.min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: Tick, step: Tick, count: usize) -> TickRun {
        TickRun {
            first,
            step,
            count,
            last: false,
        }
    }

    fn runs(queue: &TickQueue) -> Vec<TickRun> {
        queue.runs().copied().collect()
    }

    #[test]
    fn runs_at_one_rate_are_one() {
        let mut queue = TickQueue::default();
        for tick in [10, 12, 14] {
            queue.push(TickRun::one(tick, false));
        }
        queue.push(run(16, 2, 5));
        assert_eq!(runs(&queue), [run(10, 2, 8)]);
        queue.push(TickRun::one(26, true));
        queue.push(TickRun::one(28, false));
        assert_eq!((runs(&queue).len(), queue.len()), (2, 10));
        assert_eq!(queue.up_to_last(), 9);
        queue.take(3);
        assert_eq!(queue.front().map(|run| run.first), Some(16));
        queue.take(6);
        assert_eq!(runs(&queue), [TickRun::one(28, false)]);
    }

    #[test]
    fn a_steady_rate_reaches_ticks_that_are_not_later() {
        let mut queue = TickQueue::default();
        queue.push(run(0, 0, 4));
        queue.push(run(10, 5, 3));
        assert_eq!(queue.reached_by(0, 2, 100), 4);
        assert_eq!(queue.reached_by(2, 2, 100), 5);
        assert_eq!(queue.reached_by(5, 2, 100), 6);
        assert_eq!(queue.reached_by(50, 1, 100), 7);
        assert_eq!(queue.reached_by(50, 1, 6), 6);
    }
}
