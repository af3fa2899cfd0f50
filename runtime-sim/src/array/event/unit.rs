//! The event unit of one module: which events are on, and what follows from it.

use aiec_device::TileLoc;
use aiec_device::regmap::Module;

use super::counter::Counter;
use super::numbers::{Numbers, TRUE};
use super::trace::Trace;
use super::{Change, Pending};
use crate::array::stream_switch::packet::PacketHeader;
use crate::time::Cycle;

/// A set of event numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits([u64; 4]);

impl Bits {
    pub fn set(&mut self, event: u8) {
        self.0[usize::from(event / 64)] |= 1 << (event % 64);
    }

    pub fn clear(&mut self, event: u8) {
        self.0[usize::from(event / 64)] &= !(1 << (event % 64));
    }

    pub fn has(&self, event: u8) -> bool {
        self.0[usize::from(event / 64)] >> (event % 64) & 1 == 1
    }

    fn or(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    fn without(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Word `index` of the set in words of 32 bits.
    pub fn word(&self, index: usize) -> u32 {
        let word = self.0.get(index / 2).copied().unwrap_or(0);
        (word >> (32 * (index % 2))) as u32
    }

    /// Removes the events that are set in word `index`.
    pub fn clear_word(&mut self, index: usize, bits: u32) {
        if let Some(word) = self.0.get_mut(index / 2) {
            *word &= !(u64::from(bits) << (32 * (index % 2)));
        }
    }
}

/// Broadcast channels of the network.
pub(crate) const CHANNELS: usize = 16;

/// Trigger of an edge event: event, on its rise, on its fall.
pub(crate) type Edge = (u8, bool, bool);

/// What a unit asks for beyond itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// Send a broadcast.
    Broadcast(u8),
    /// Enable (true) or disable the core.
    Core(bool),
    /// Look again at this cycle.
    At(Cycle),
}

/// The event unit of one module.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub module: Module,
    pub numbers: Numbers,
    level: Bits,
    pulse: Bits,
    before: Bits,
    /// Up to when everything was counted and traced.
    done: Cycle,
    pub status: Bits,
    /// Event that drives each broadcast channel.
    pub broadcast: [u8; CHANNELS],
    /// Channels that don't go south, west, north, east.
    pub block: [u16; 4],
    pub timer_reset: u8,
    pub timer_trigger: u64,
    timer_zero: Cycle,
    pub counters: Vec<Counter>,
    pub combo_inputs: [u8; 4],
    pub combo_functions: [u8; 3],
    pub edges: [Edge; 2],
    pub core_enable: u8,
    pub core_disable: u8,
    pub trace: Trace,
}

impl Unit {
    pub fn new(numbers: Numbers, module: Module) -> Unit {
        let mut level = Bits::default();
        level.set(TRUE);
        Unit {
            module,
            numbers,
            level,
            pulse: Bits::default(),
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
            trace: Trace::default(),
        }
    }

    /// A change while nobody listens.
    pub fn level(&mut self, event: u8, change: Change) {
        match change {
            Change::Pulse => {}
            Change::Rise => self.level.set(event),
            Change::Fall => self.level.clear(event),
        }
    }

    /// The timer at a cycle.
    pub fn timer(&self, now: Cycle) -> u64 {
        now.saturating_sub(self.timer_zero)
    }

    /// Starts the timer again.
    pub fn reset_timer(&mut self, now: Cycle) {
        self.timer_zero = now;
    }

    /// Counts and traces up to `now` with what has been on.
    pub fn advance(&mut self, now: Cycle) {
        let mut from = self.done;
        while from < now {
            // A pulse is on for the first cycle of the stretch.
            let on = self.level.or(self.pulse);
            let to = match self.pulse == Bits::default() {
                true => now,
                false => now.min(from + 1),
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
            self.pulse = Bits::default();
            from = to;
        }
        self.done = self.done.max(now);
    }

    /// Takes the changes of cycle `now`.
    pub fn take(&mut self, now: Cycle, changes: &[Pending], loc: TileLoc) -> Vec<Output> {
        let mut reached = Bits::default();
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
                Change::Pulse => reached.set(change.event),
                Change::Rise => self.level.set(change.event),
                Change::Fall => self.level.clear(change.event),
            }
        }
        self.pulse = self.pulse.or(reached);
        self.derive();
        let on = self.level.or(self.pulse);
        let fresh = on.without(self.before).or(self.pulse);
        self.before = self.level;
        self.status = self.status.or(on);
        let mut outputs = self.act(now, fresh, loc);
        if self.pulse != Bits::default() {
            outputs.push(Output::At(now + 1));
        }
        let due = self.counters.iter().filter_map(|c| c.due(now, &self.level));
        outputs.extend(due.map(Output::At));
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

    /// What the fresh events start.
    fn act(&mut self, now: Cycle, fresh: Bits, loc: TileLoc) -> Vec<Output> {
        let mut outputs = Vec::new();
        let fires = |event: u8| event != 0 && fresh.has(event);
        if fires(self.timer_reset) {
            self.timer_zero = now;
        }
        for counter in &mut self.counters {
            counter.take(&fresh);
        }
        if fires(self.trace.start) && !self.trace.running {
            let header = PacketHeader {
                id: self.trace.packet_id,
                kind: self.trace.packet_type,
                source: loc,
            };
            let timer = self.timer(now);
            self.trace.begin(now, timer, header);
        } else if fires(self.trace.stop) && self.trace.running {
            self.trace.end();
        }
        for (channel, &event) in self.broadcast.iter().enumerate() {
            if fires(event) {
                outputs.push(Output::Broadcast(channel as u8));
            }
        }
        if fires(self.core_enable) {
            outputs.push(Output::Core(true));
        }
        if fires(self.core_disable) {
            outputs.push(Output::Core(false));
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
