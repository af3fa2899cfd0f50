//! The event unit of one module: which events are on, and what follows from it.

use aiec_device::TileLoc;
use aiec_device::regmap::{EventField, Module};

use super::counter::Counter;
use super::event_set::EventSet;
use super::numbers::{EventNumbers, TRUE};
use super::trace_unit::TraceUnit;
use super::{LevelChange, PendingChange};
use crate::array::stream_switch::packet::PacketHeader;
use crate::time::Cycle;

/// Broadcast channels of the network.
pub(crate) const CHANNELS: usize = 16;

/// Trigger of an edge event: event, on its rise, on its fall.
pub(crate) type Edge = (u8, bool, bool);

/// Requests of a unit to the rest of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitOutput {
    /// Send a broadcast.
    Broadcast(u8),
    /// Enable (true) or disable the core.
    Core(bool),
    /// Run again at this cycle.
    At(Cycle),
}

/// The event unit of one module.
#[derive(Clone, Debug)]
pub(crate) struct EventUnit {
    pub module: Module,
    pub numbers: EventNumbers,
    level: EventSet,
    pulse: EventSet,
    before: EventSet,
    /// Up to when everything was counted and traced.
    done: Cycle,
    pub status: EventSet,
    /// Event that drives each broadcast channel.
    pub broadcast: [u8; CHANNELS],
    /// Channels that don't go south, west, north, east.
    pub block: [u16; 4],
    pub timer_reset: u8,
    pub timer_trigger: u64,
    pub timer_zero: Cycle,
    pub counters: Vec<Counter>,
    pub combo_inputs: [u8; 4],
    pub combo_functions: [u8; 3],
    pub edges: [Edge; 2],
    pub core_enable: u8,
    pub core_disable: u8,
    pub trace: TraceUnit,
}

impl EventUnit {
    pub fn new(numbers: EventNumbers, module: Module) -> EventUnit {
        let mut level = EventSet::default();
        level.set(TRUE);
        EventUnit {
            module,
            numbers,
            level,
            pulse: EventSet::default(),
            before: level,
            done: 0,
            status: level,
            broadcast: [0; CHANNELS],
            block: [0; 4],
            timer_reset: 0,
            timer_trigger: u64::MAX,
            timer_zero: 0,
            counters: vec![Counter::default(); numbers.counters.into()],
            combo_inputs: [0; 4],
            combo_functions: [0; 3],
            edges: [(0, false, false); 2],
            core_enable: 0,
            core_disable: 0,
            trace: TraceUnit::default(),
        }
    }

    /// It is as after power-up from a cycle on.
    pub fn begin_at(&mut self, now: Cycle) {
        (self.done, self.timer_zero) = (now, now);
    }

    /// A change that no unit of the tile uses.
    pub fn level(&mut self, event: u8, change: LevelChange) {
        match change {
            LevelChange::Pulse => {}
            LevelChange::Rise => self.level.set(event),
            LevelChange::Fall => self.level.clear(event),
        }
    }

    /// The timer at a cycle.
    pub fn timer(&self, now: Cycle) -> u64 {
        now.saturating_sub(self.timer_zero)
    }

    /// Takes over a field of a control register of performance counters.
    pub fn control_counter(&mut self, field: EventField, event: u8, now: Cycle) {
        let (number, slot): (u8, fn(&mut Counter) -> &mut u8) = match field {
            EventField::CounterStart(number) => (number, |counter| &mut counter.start),
            EventField::CounterStop(number) => (number, |counter| &mut counter.stop),
            EventField::CounterReset(number) => (number, |counter| &mut counter.reset),
            _ => return,
        };
        if let Some(counter) = self.counters.get_mut(usize::from(number)) {
            *slot(counter) = event;
            let value = counter.value();
            counter.set(value, now);
        }
    }

    /// Counts and traces up to `now` with what has been on.
    pub fn advance(&mut self, now: Cycle) {
        let mut from = self.done;
        while from < now {
            // A pulse is on for the first cycle only.
            let on = self.level.or(self.pulse);
            let to = if self.pulse == EventSet::default() {
                now
            } else {
                now.min(from + 1)
            };
            for counter in &mut self.counters {
                counter.advance(to, &on);
            }
            if self.trace.running {
                let slots = self.trace.slots.iter().enumerate();
                let mask = slots.filter(|(_, event)| **event != 0 && on.has(**event));
                let mask = mask.fold(0, |mask, (slot, _)| mask | 1 << slot);
                self.trace.record(mask, from, to);
            }
            self.pulse = EventSet::default();
            from = to;
        }
        self.done = self.done.max(now);
    }

    /// Takes the changes of cycle `now`.
    pub fn take(&mut self, now: Cycle, changes: &[PendingChange], loc: TileLoc) -> Vec<UnitOutput> {
        let mut reached = EventSet::default();
        let ends = self.counters.iter().map(|c| c.due(self.done, &self.level));
        let ends: Vec<bool> = ends.map(|due| due == Some(now)).collect();
        self.advance(now);
        for (i, _) in ends.iter().enumerate().filter(|(_, end)| **end) {
            reached.set(self.numbers.counter + i as u8);
        }
        if self.timer(now) == self.timer_trigger {
            reached.set(self.numbers.timer);
        }
        for change in changes {
            match change.change {
                LevelChange::Pulse => reached.set(change.event),
                level => self.level(change.event, level),
            }
        }
        self.pulse = self.pulse.or(reached);
        self.derive();
        let on = self.level.or(self.pulse);
        let fresh = on.without(self.before).or(self.pulse);
        self.before = self.level;
        self.status = self.status.or(on);
        let mut outputs = self.act(now, fresh, loc);
        if self.pulse != EventSet::default() {
            outputs.push(UnitOutput::At(now + 1));
        }
        let due = self.counters.iter().filter_map(|c| c.due(now, &self.level));
        outputs.extend(due.map(UnitOutput::At));
        outputs
    }

    /// Combination and edge events follow from the others.
    fn derive(&mut self) {
        let on = self.level.or(self.pulse);
        for (i, (event, rising, falling)) in self.edges.into_iter().enumerate() {
            let (is, was) = (on.has(event), self.before.has(event));
            if event != 0 && (rising && is && !was || falling && was && !is) {
                self.pulse.set(self.numbers.edge + i as u8);
            }
        }
        if self.combo_inputs == [0; 4] {
            return;
        }
        let [a, b, c, d] = self.combo_inputs.map(|event| on.has(event));
        let [first, second, both] = self.combo_functions;
        let (ab, cd) = (combine(first, a, b), combine(second, c, d));
        for (i, on) in [ab, cd, combine(both, ab, cd)].into_iter().enumerate() {
            if on {
                self.pulse.set(self.numbers.combo + i as u8);
            }
        }
    }

    /// Effects of the fresh events.
    fn act(&mut self, now: Cycle, fresh: EventSet, loc: TileLoc) -> Vec<UnitOutput> {
        let mut outputs = Vec::new();
        let fires = |event: u8| event != 0 && fresh.has(event);
        if fires(self.timer_reset) {
            self.timer_zero = now;
        }
        for counter in &mut self.counters {
            counter.take(&fresh);
        }
        if fires(self.trace.start) && !self.trace.running {
            let (id, kind) = (self.trace.packet_id, self.trace.packet_type);
            let header = PacketHeader::new(id, kind, loc);
            let timer = self.timer(now);
            self.trace.begin(now, timer, header);
        } else if fires(self.trace.stop) && self.trace.running {
            self.trace.end();
        }
        for (channel, &event) in self.broadcast.iter().enumerate() {
            if fires(event) {
                outputs.push(UnitOutput::Broadcast(channel as u8));
            }
        }
        if fires(self.core_enable) {
            outputs.push(UnitOutput::Core(true));
        }
        if fires(self.core_disable) {
            outputs.push(UnitOutput::Core(false));
        }
        outputs
    }
}

/// A combination of two events (`aie-rt: driver/src/events`: and, and-not, or, or-not).
fn combine(function: u8, a: bool, b: bool) -> bool {
    match function {
        0 => a && b,
        1 => a && !b,
        2 => a || b,
        _ => a || !b,
    }
}
