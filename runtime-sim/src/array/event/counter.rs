//! Performance counters: cycles between two events, or cycles with one event.

use super::event_set::EventSet;
use crate::time::Cycle;

/// One counter. An event number of 0 means none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    pub start: u8,
    pub stop: u8,
    pub reset: u8,
    pub event_value: u32,
    value: u32,
    running: bool,
    /// Up to when `value` was counted.
    counted: Cycle,
}

impl Counter {
    /// It counts something.
    pub fn is_used(&self) -> bool {
        self.start != 0
    }

    /// Start and stop are one event: its cycles are counted.
    fn counts_cycles_of_event(&self) -> bool {
        self.start == self.stop
    }

    /// Cycles count while these events are on.
    fn counts(&self, on: &EventSet) -> bool {
        let runs = self.running || self.counts_cycles_of_event() && on.has(self.start);
        self.is_used() && runs
    }

    /// Counts up to `now` with the events that were on since the last call. True if the event
    /// value was reached on the way.
    pub fn advance(&mut self, now: Cycle, on: &EventSet) -> bool {
        let cycles = now.saturating_sub(self.counted) as u32;
        self.counted = self.counted.max(now);
        if !self.counts(on) || cycles == 0 {
            return false;
        }
        let before = self.value;
        self.value = before.wrapping_add(cycles);
        let wanted = self.event_value;
        wanted != 0 && before < wanted && wanted - before <= cycles
    }

    /// The cycle at which the event value will be reached if nothing changes.
    pub fn due(&self, now: Cycle, on: &EventSet) -> Option<Cycle> {
        let left = self.event_value.checked_sub(self.value)?;
        (self.counts(on) && left > 0).then(|| now + Cycle::from(left))
    }

    /// Events that come at `now`.
    pub fn take(&mut self, fresh: &EventSet) {
        if self.reset != 0 && fresh.has(self.reset) {
            self.value = 0;
        }
        if !self.is_used() || self.counts_cycles_of_event() {
            return;
        }
        if fresh.has(self.start) {
            self.running = true;
        } else if fresh.has(self.stop) {
            self.running = false;
        }
    }

    pub fn value(&self) -> u32 {
        self.value
    }

    pub fn set(&mut self, value: u32, now: Cycle) {
        self.value = value;
        self.counted = now;
    }
}
