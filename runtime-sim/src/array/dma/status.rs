//! Observations of a channel: its status register, its wait, its progress, its totals.

use aiec_device::LockId;
use aiec_device::regmap::{DmaState, DmaStatus};

use super::channel::{BdPredecessor, Channel, State};
use crate::array::fault::DmaFault;
use crate::array::lock::LockNeed;
use crate::array::stats::ChannelStats;
use crate::time::{Cycle, cycle_at, ticks};

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
        let mut sums = ChannelStats {
            channel: self.id,
            counts: self.counts,
            times: self.times,
        };
        // what it waits for now is not yet in its counts
        let open = |since| open_until.map_or(0, |until| until.saturating_sub(since));
        match self.state {
            State::Acquire { since, .. } => sums.times.lock_stall += open(since),
            State::Stream => sums.times.stream_stall += ticks(open(self.stalled_since())),
            _ => {}
        }
        if let Some(before) = &self.before {
            sums.counts += before.counts;
            sums.times += before.times;
        }
        Some(sums)
    }

    /// Words moved since the last reset of the partition.
    pub fn words_moved(&self) -> u64 {
        self.counts.words
    }

    /// Of the task in progress the first BD, the runs of its chain, and the words it has moved.
    pub fn task_words(&self) -> Option<(u8, u32, u64)> {
        let (runs, before) = self.task_began;
        let moved = self.counts.words.saturating_sub(before);
        Some((self.task?.bd, runs, moved))
    }

    /// The lock that it waits for, with the condition.
    pub fn requested_lock(&self) -> Option<(LockId, LockNeed)> {
        match self.state {
            State::Acquire { lock, need, .. } => Some((lock, need)),
            _ => None,
        }
    }

    /// Cycles since which a streaming channel has not moved.
    pub fn stalled_since(&self) -> Cycle {
        cycle_at(self.transfer.next)
    }

    /// The status register.
    pub fn status(&self, starved: bool) -> DmaStatus {
        let streaming = matches!(self.state, State::Stream | State::Header);
        let fault = self.fault.as_ref();
        DmaStatus {
            state: match (&self.state, self.follows) {
                (State::Idle | State::Stopped, _) => DmaState::Idle,
                (State::Load { .. }, BdPredecessor::Idle) => DmaState::Starting,
                _ => DmaState::Running,
            },
            stalled_lock_acquire: matches!(self.state, State::Acquire { .. }),
            stalled_stream: streaming && starved,
            stalled_token: matches!(self.state, State::CountFifo | State::Token),
            error_lock_unavailable: matches!(fault, Some(DmaFault::LockUnavailable { .. })),
            error_memory_unavailable: matches!(fault, Some(DmaFault::MemoryUnavailable { .. })),
            error_bd_unavailable: fault == Some(&DmaFault::BdUnavailable),
            error_bd_invalid: fault == Some(&DmaFault::BdInvalid),
            error_axi_decode: matches!(fault, Some(DmaFault::Host(_))),
            queue_overflow: self.overflow,
            running: !matches!(self.state, State::Idle | State::Stopped),
            queue_size: self.queue.len() as u8,
            current_bd: self.bd_id,
            ..DmaStatus::default()
        }
    }

    /// The units of a lock that the BD in progress has taken and not given.
    pub fn units_in_progress(&self) -> u64 {
        let taken = matches!(self.state, State::Stream | State::Finish { .. });
        let operand = self.bd.acquire().map_or(0, |(_, operand)| operand);
        if taken && operand < 0 {
            u64::from(operand.unsigned_abs())
        } else {
            0
        }
    }
}
