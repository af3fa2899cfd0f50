//! The event queue and the list of components that were just woken.
//!
//! Every part that acts by itself is a *component* with a dense id. Components sleep until an
//! event comes due or another part wakes them. Order is fixed: by cycle, then by component id,
//! then by age; components woken inside an event run in the order they were woken.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::jitter::Jitter;
use crate::time::Cycle;

/// Component ids of one tile: `tile index << TILE_SHIFT | local`.
const TILE_SHIFT: u32 = 8;

/// Identity of a component; its order breaks ties between events of one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CompId(pub u32);

/// What a component is, inside its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The core.
    Core,
    /// The control packet handler.
    Control,
    /// The way of tokens from this tile to its column's micro-controller.
    Tokens,
    /// The event units.
    Events,
    /// What takes tokens at the shim.
    Sink,
    /// DMA channel, by index into the tile's channels.
    Channel(u8),
    /// Slave port of the stream switch, by physical index.
    Slave(u8),
    /// Arbiter of the stream switch.
    Arbiter(u8),
}

const CORE: u32 = 0;
const CONTROL: u32 = 1;
const TOKENS: u32 = 2;
const EVENTS: u32 = 3;
const SINK: u32 = 4;
const CHANNELS: u32 = 0x10;
const SLAVES: u32 = 0x40;
const ARBITERS: u32 = 0x80;

impl CompId {
    pub fn new(tile: usize, part: Part) -> CompId {
        let local = match part {
            Part::Core => CORE,
            Part::Control => CONTROL,
            Part::Tokens => TOKENS,
            Part::Events => EVENTS,
            Part::Sink => SINK,
            Part::Channel(i) => CHANNELS + u32::from(i),
            Part::Slave(i) => SLAVES + u32::from(i),
            Part::Arbiter(i) => ARBITERS + u32::from(i),
        };
        CompId((tile as u32) << TILE_SHIFT | local)
    }

    /// Index of the tile.
    pub fn tile(self) -> usize {
        (self.0 >> TILE_SHIFT) as usize
    }

    pub fn part(self) -> Part {
        match self.0 & ((1 << TILE_SHIFT) - 1) {
            CORE => Part::Core,
            CONTROL => Part::Control,
            TOKENS => Part::Tokens,
            EVENTS => Part::Events,
            SINK => Part::Sink,
            local if local >= ARBITERS => Part::Arbiter((local - ARBITERS) as u8),
            local if local >= SLAVES => Part::Slave((local - SLAVES) as u8),
            local => Part::Channel((local - CHANNELS) as u8),
        }
    }
}

/// An event: the component runs at the cycle. A component that finds nothing to do then (it was
/// reset meanwhile, or woken earlier) just sleeps on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub at: Cycle,
    pub who: CompId,
    age: u64,
}

/// Queue and wake list.
#[derive(Debug, Default)]
pub(crate) struct Sched {
    queue: BinaryHeap<Reverse<Event>>,
    age: u64,
    woken: VecDeque<CompId>,
    /// Random extra latencies, if the run wants them.
    pub jitter: Jitter,
    /// Components in `woken`, a bit for each id.
    is_woken: Vec<u64>,
}

impl Sched {
    pub fn new(tiles: usize) -> Sched {
        Sched {
            is_woken: vec![0; (tiles << TILE_SHIFT) / 64],
            ..Sched::default()
        }
    }

    /// Runs `who` at `at`.
    pub fn schedule(&mut self, at: Cycle, who: CompId) {
        self.age += 1;
        self.queue.push(Reverse(Event {
            at,
            who,
            age: self.age,
        }));
    }

    /// Runs `who` within the current event.
    pub fn wake(&mut self, who: CompId) {
        let (word, bit) = (who.0 as usize / 64, 1u64 << (who.0 % 64));
        if let Some(flags) = self.is_woken.get_mut(word)
            && *flags & bit == 0
        {
            *flags |= bit;
            self.woken.push_back(who);
        }
    }

    /// Next woken component.
    pub fn next_woken(&mut self) -> Option<CompId> {
        let who = self.woken.pop_front()?;
        if let Some(flags) = self.is_woken.get_mut(who.0 as usize / 64) {
            *flags &= !(1u64 << (who.0 % 64));
        }
        Some(who)
    }

    /// Cycle of the earliest event.
    pub fn next_event(&self) -> Option<Cycle> {
        self.queue.peek().map(|Reverse(event)| event.at)
    }

    /// Takes the earliest event if it is due at `now`.
    pub fn pop_due(&mut self, now: Cycle) -> Option<Event> {
        if self.next_event()? > now {
            return None;
        }
        self.queue.pop().map(|Reverse(event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_tile_and_part() {
        for part in [
            Part::Core,
            Part::Control,
            Part::Tokens,
            Part::Channel(11),
            Part::Slave(24),
            Part::Arbiter(7),
        ] {
            let id = CompId::new(251, part);
            assert_eq!((id.tile(), id.part()), (251, part));
        }
    }

    #[test]
    fn events_come_by_cycle_then_component_then_age() {
        let mut sched = Sched::new(2);
        sched.schedule(5, CompId(2));
        sched.schedule(5, CompId(1));
        sched.schedule(4, CompId(9));
        sched.schedule(5, CompId(1));
        sched.schedule(6, CompId(0));
        let order: Vec<(u32, u64)> = std::iter::from_fn(|| sched.pop_due(5))
            .map(|event| (event.who.0, event.age))
            .collect();
        assert_eq!(order, [(9, 3), (1, 2), (1, 4), (2, 1)]);
        assert_eq!(sched.next_event(), Some(6));
        sched.pop_due(6);
        assert_eq!(sched.next_event(), None);
    }

    #[test]
    fn a_component_is_woken_once() {
        let mut sched = Sched::new(1);
        sched.wake(CompId(3));
        sched.wake(CompId(1));
        sched.wake(CompId(3));
        assert_eq!(sched.next_woken(), Some(CompId(3)));
        assert_eq!(sched.next_woken(), Some(CompId(1)));
        assert_eq!(sched.next_woken(), None);
    }
}
