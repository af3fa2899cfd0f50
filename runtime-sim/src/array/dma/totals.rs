//! Totals of a channel over the configurations of a run.

use super::channel::{Channel, State};
use crate::array::stats::ChannelStats;
use crate::time::{Cycle, ticks};

impl Channel {
    /// Takes over the totals of the channel before a reset of the partition at a cycle.
    pub fn keep_records(&mut self, before: &Channel, now: Cycle) {
        self.before = before.totals(Some(now));
    }

    /// Totals of the run, with a wait that is open up to a cycle, if it ever ran a task; the stall by the stream in
    /// ticks.
    pub fn totals(&self, open_until: Option<Cycle>) -> Option<ChannelStats> {
        if !self.started {
            return self.before;
        }
        let mut sums = self.counts;
        // what it waits for now is not yet in its counts
        let open = |since| open_until.map_or(0, |until| until.saturating_sub(since));
        match self.state {
            State::Acquire { since, .. } => sums.lock_stall += open(since),
            State::Stream => sums.stream_stall += ticks(open(self.stalled_since())),
            _ => {}
        }
        if let Some(before) = &self.before {
            sums.add(before);
        }
        Some(sums)
    }
}
