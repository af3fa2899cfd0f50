//! Totals of a run: cycles by state for each channel and core, words for each port.
//!
//! A counter of a channel or a core is a field of the records here and the line that counts it; report, schema and sums
//! derive from the field.

use aiec_device::{ChannelId, TileLoc};

use super::actor::ActorId;
use super::trace_event::StallKind;
use crate::record::counters;
use crate::time::Cycle;

/// Totals of the array up to now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Cycles since the start.
    pub cycles: Cycle,
    /// Every DMA channel that ran a task.
    pub channels: Vec<ChannelStats>,
    /// Every core that was enabled.
    pub cores: Vec<CoreStats>,
    /// Every port that words passed.
    pub ports: Vec<PortStats>,
}

/// Totals of one DMA channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelStats {
    /// The channel.
    pub channel: ChannelId,
    /// Its counters.
    pub counts: ChannelCounts,
    /// Cycles in which it moved no words although a task was in progress.
    pub times: ChannelTimes,
}

counters! {
    /// Counters of a DMA channel.
    pub struct ChannelCounts {
        /// Tasks finished.
        pub tasks: u64,
        /// BDs finished.
        pub bds: u64,
        /// Words moved, headers and padding included.
        pub words: u64,
    }

    /// Cycles of a DMA channel's tasks in which it moved no words, by cause.
    pub struct ChannelTimes {
        /// It waited for a lock.
        #[serde(rename = "lock_stall_cycles")]
        pub lock_stall: Cycle,
        /// It waited for stream data (S2MM) or room (MM2S).
        #[serde(rename = "stream_stall_cycles")]
        pub stream_stall: Cycle,
        /// Start, BD load, memory latency and lock handling.
        #[serde(rename = "overhead_cycles")]
        pub overhead: Cycle,
    }

    /// Cycles of a core by state.
    pub struct CoreTimes {
        /// It executed.
        #[serde(rename = "busy_cycles")]
        pub busy: Cycle,
        /// It waited for a lock.
        #[serde(rename = "lock_stall_cycles")]
        pub lock_stall: Cycle,
        /// It waited for a stream.
        #[serde(rename = "stream_stall_cycles")]
        pub stream_stall: Cycle,
        /// It waited for a cascade.
        #[serde(rename = "cascade_stall_cycles")]
        pub cascade_stall: Cycle,
    }
}

impl CoreTimes {
    /// The cycles of a kind of wait.
    pub(super) fn stall(&mut self, kind: StallKind) -> &mut Cycle {
        match kind {
            StallKind::Lock => &mut self.lock_stall,
            StallKind::Stream => &mut self.stream_stall,
            StallKind::Cascade => &mut self.cascade_stall,
        }
    }
}

impl ChannelStats {
    /// Cycles in which it moved words, at the rate of its stream or of host memory.
    pub fn moving(&self, timing: &super::Timing, is_shim: bool) -> Cycle {
        let rate = if is_shim {
            timing.host_words_per_cycle
        } else {
            timing.words_per_cycle
        };
        self.counts.words.div_ceil(rate.max(1).into())
    }
}

/// Totals of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreStats {
    /// Its tile.
    pub tile: TileLoc,
    /// Cycles by state.
    pub times: CoreTimes,
    /// Whether its program ended.
    pub done: bool,
}

/// Words that passed one port of a stream switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortStats {
    /// The slave port (input) or master port into the tile.
    pub port: ActorId,
    /// Words of 32 bits.
    pub words: u64,
    /// Its states, if words were watched ([`super::Array::watch_words`]).
    pub states: Option<PortStates>,
}

/// Cycles of one port of a stream switch by state; in the others no word was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStates {
    /// Cycles in which words left it.
    pub busy: Cycle,
    /// Cycles in which a word was there and was not taken.
    pub stalled: Cycle,
    /// Words with TLAST.
    pub packets: u64,
}
