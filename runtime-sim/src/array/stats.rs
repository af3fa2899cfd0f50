//! Totals of a run: cycles by state for each channel and core, words for each port.

use aiec_device::{ChannelId, TileLoc};

use super::actor::ActorId;
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
    /// Tasks finished.
    pub tasks: u64,
    /// BDs finished.
    pub bds: u64,
    /// Words moved, headers and padding included.
    pub words: u64,
    /// Cycles in which it waited for a lock.
    pub lock_stall: Cycle,
    /// Cycles in which it waited for stream data (S2MM) or room (MM2S).
    pub stream_stall: Cycle,
    /// Cycles of start, BD load, memory latency and lock handling.
    pub overhead: Cycle,
}

impl ChannelStats {
    /// Adds what was counted before.
    pub(super) fn add(&mut self, before: &ChannelStats) {
        self.tasks += before.tasks;
        self.bds += before.bds;
        self.words += before.words;
        self.lock_stall += before.lock_stall;
        self.stream_stall += before.stream_stall;
        self.overhead += before.overhead;
    }

    /// Cycles in which it moved words, at the rate of its stream or of host memory.
    pub fn moving(&self, timing: &super::Timing, is_shim: bool) -> Cycle {
        let rate = if is_shim {
            timing.host_words_per_cycle
        } else {
            timing.words_per_cycle
        };
        self.words.div_ceil(rate.max(1).into())
    }
}

/// Totals of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreStats {
    /// Its tile.
    pub tile: TileLoc,
    /// Cycles in which it executed.
    pub busy: Cycle,
    /// Cycles in which it waited for a lock.
    pub lock_stall: Cycle,
    /// Cycles in which it waited for a stream.
    pub stream_stall: Cycle,
    /// Cycles in which it waited for a cascade.
    pub cascade_stall: Cycle,
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
