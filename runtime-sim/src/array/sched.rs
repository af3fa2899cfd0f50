//! The event queue and the list of actors that were just woken.
//!
//! Actors sleep until an event comes due or another actor wakes them. Order is fixed: by cycle,
//! then by [`ActorId`], then by age; actors woken inside an event run in the order they were woken.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use aiec_device::ChannelId;

use super::actor::{ActorId, ActorKind};
use crate::jitter::Jitter;
use crate::time::Cycle;

/// An event: the actor runs at the cycle. An actor that finds nothing to do then (it was
/// reset meanwhile, or woken earlier) just sleeps on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub at: Cycle,
    pub who: ActorId,
    age: u64,
}

/// Queue and wake list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sched {
    queue: BinaryHeap<Reverse<Event>>,
    age: u64,
    woken: VecDeque<ActorId>,
    /// Random extra latencies, if the run wants them.
    pub jitter: Jitter,
    /// Actors in `woken`, a bit for each index.
    is_woken: Vec<u64>,
}

impl Sched {
    pub fn new(columns: u8) -> Sched {
        Sched {
            is_woken: vec![0; ActorId::count(columns).div_ceil(64)],
            ..Sched::default()
        }
    }

    /// Runs `who` at `at`.
    pub fn schedule(&mut self, at: Cycle, who: ActorId) {
        self.age += 1;
        self.queue.push(Reverse(Event {
            at,
            who,
            age: self.age,
        }));
    }

    /// Runs `who` within the current event.
    pub fn wake(&mut self, who: ActorId) {
        let (word, bit) = (who.index() / 64, 1u64 << (who.index() % 64));
        if let Some(flags) = self.is_woken.get_mut(word)
            && *flags & bit == 0
        {
            *flags |= bit;
            self.woken.push_back(who);
        }
    }

    /// Next woken actor.
    pub fn next_woken(&mut self) -> Option<ActorId> {
        let who = self.woken.pop_front()?;
        if let Some(flags) = self.is_woken.get_mut(who.index() / 64) {
            *flags &= !(1u64 << (who.index() % 64));
        }
        Some(who)
    }

    /// The next woken actor, if that is a DMA channel.
    pub fn next_woken_channel(&mut self) -> Option<(ActorId, ChannelId)> {
        let ActorKind::Channel(channel) = self.woken.front()?.kind() else {
            return None;
        };
        Some((self.next_woken()?, channel))
    }

    /// Cycle of the earliest event.
    pub fn next_event(&self) -> Option<Cycle> {
        self.queue.peek().map(|Reverse(event)| event.at)
    }

    /// Whether an event of `who` at a cycle would be the next to be taken.
    pub fn is_next(&self, at: Cycle, who: ActorId) -> bool {
        let first = self
            .queue
            .peek()
            .map(|Reverse(event)| (event.at, event.who));
        self.woken.is_empty() && first.is_none_or(|first| (at, who) < first)
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
    use aiec_device::{DmaDir, TileLoc};

    use super::*;

    fn actor(row: u8) -> ActorId {
        ActorId::core(TileLoc::new(0, row))
    }

    #[test]
    fn events_come_by_cycle_then_actor_then_age() {
        let mut sched = Sched::new(1);
        for (at, row) in [(5, 2), (5, 1), (4, 9), (5, 1), (6, 0)] {
            sched.schedule(at, actor(row));
        }
        let order: Vec<(u8, u64)> = std::iter::from_fn(|| sched.pop_due(5))
            .map(|event| (event.who.tile().row, event.age))
            .collect();
        assert_eq!(order, [(9, 3), (1, 2), (1, 4), (2, 1)]);
        assert_eq!(sched.next_event(), Some(6));
        sched.pop_due(6);
        assert_eq!(sched.next_event(), None);
    }

    #[test]
    fn a_channel_is_taken_where_it_is_next() {
        let channel = ChannelId::new(TileLoc::new(0, 1), DmaDir::Mm2s, 2);
        let mut sched = Sched::new(1);
        let all = [
            ActorId::channel(channel),
            actor(3),
            ActorId::channel(channel),
        ];
        all.into_iter().for_each(|who| sched.wake(who));
        assert_eq!(sched.next_woken_channel(), Some((all[0], channel)));
        assert_eq!(sched.next_woken_channel(), None);
        assert_eq!(sched.next_woken(), Some(actor(3)));
        assert_eq!(sched.next_woken_channel(), None);
    }

    #[test]
    fn an_actor_is_woken_once() {
        let mut sched = Sched::new(1);
        for row in [3, 1, 3] {
            sched.wake(actor(row));
        }
        assert_eq!(sched.next_woken(), Some(actor(3)));
        assert_eq!(sched.next_woken(), Some(actor(1)));
        assert_eq!(sched.next_woken(), None);
    }
}
