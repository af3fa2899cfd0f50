//! Observing the array from outside: notes, breakpoints, what stands in memories and registers.

use aiec_device::regmap::SwitchSlave;
use aiec_device::{Port, TileLoc};

use super::Array;
use super::event::{Happening, Observed};
use super::flow::{Flows, Stretch};
use super::lock::LockNeed;
use super::note::{Break, Log, Note, Noted};
use super::pipe::PipeId;
use super::sched::CompId;
use super::stats::PortStates;
use super::totals::Totals;
use super::waits::{LockTouch, Party};
use crate::time::{Cycle, TICKS_PER_CYCLE, cycle_at};

impl Array {
    /// Keeps all happenings from now on, for [`Array::take_observed`].
    pub fn observe(&mut self) {
        self.keep_notes(0, usize::MAX);
    }

    /// The happenings since the last call, in the order of simulation. Other notes are forgotten.
    pub fn take_observed(&mut self) -> Vec<Observed> {
        let notes = self.events.log.as_mut().map(|log| log.take());
        let happening = |noted: Noted| match noted.what {
            Note::Event(what) => Some(Observed {
                at: noted.at,
                tile: self.grid.index(noted.tile)?,
                what,
            }),
            _ => None,
        };
        notes
            .unwrap_or_default()
            .into_iter()
            .filter_map(happening)
            .collect()
    }

    /// Keeps notes of what happens from a cycle on, `room` at most, for [`Array::take_notes`].
    pub fn keep_notes(&mut self, from: Cycle, room: usize) {
        let log = self.events.log.get_or_insert_default();
        log.keep(from, room);
    }

    /// Looks at the words that pass each port from now on: cycles by state for
    /// [`Array::stats`], and notes too from a cycle on, `room` at most.
    pub fn watch_words(&mut self, from: Cycle, room: usize) {
        let flows = Flows::new(from * TICKS_PER_CYCLE, room);
        self.net.fabric.heed_all(flows);
    }

    /// Sums up what jobs do and what is waited for, for [`Array::totals`].
    pub fn keep_totals(&mut self) {
        let log = self.events.log.get_or_insert_default();
        log.totals.get_or_insert_default();
    }

    /// What jobs did and what was waited for, if that was summed up.
    pub fn totals(&self) -> Option<&Totals> {
        self.events.log.as_ref()?.totals.as_ref()
    }

    /// Stops [`Array::advance_until_news`] at the first of these.
    pub fn stop_at(&mut self, breaks: Vec<Break>) {
        let log: &mut Log = self.events.log.get_or_insert_default();
        log.stop_at(breaks);
    }

    /// The break that the run came to: which, and what happened.
    pub fn stopped(&self) -> Option<(usize, Noted)> {
        self.events.log.as_ref()?.hit
    }

    /// Whether the run came to a break.
    pub(super) fn is_stopped(&self) -> bool {
        self.events
            .log
            .as_ref()
            .is_some_and(|log| log.hit.is_some())
    }

    /// The notes since the last call, in the order of simulation, words at ports behind the
    /// others.
    pub fn take_notes(&mut self) -> Vec<Noted> {
        let mut notes = self
            .events
            .log
            .as_mut()
            .map(|log| log.take())
            .unwrap_or_default();
        let stretches = self.net.fabric.end_stretches(self.now * TICKS_PER_CYCLE);
        notes.extend(stretches.into_iter().map(|stretch| self.port_note(stretch)));
        if let Some(log) = &self.events.log {
            notes.retain(|noted| noted.at >= log.from);
        }
        notes
    }

    /// The last change of a lock, if there was one.
    pub fn lock_touch(&self, tile: TileLoc, lock: u8) -> Option<LockTouch> {
        let bank = &self.locks[self.grid.index(tile)?];
        let touch = bank.last_touch(u32::from(lock))?;
        Some(LockTouch {
            by: touch.by.map_or(Party::Bus, |by| self.party(by)),
            at: touch.at,
            change: touch.change,
        })
    }

    /// A port of a tile's switch, by index on its side.
    pub fn port(&self, tile: TileLoc, slave: bool, index: u8) -> Option<Port> {
        let switch = &self.net.switches[self.grid.index(tile)?];
        let index = usize::from(index);
        match slave {
            true => switch.slaves.get(index).map(|slave| slave.port),
            false => switch.masters.get(index).map(|master| master.port),
        }
    }

    /// What was seen of the words of a pipe, if somebody looked. Pipes that are merged into
    /// another one have none of their own.
    pub(super) fn port_states(&self, pipe: PipeId) -> Option<PortStates> {
        let fabric = &self.net.fabric;
        let totals = fabric.flows.as_ref()?.totals(fabric.end_of(pipe));
        Some(PortStates {
            busy: totals.busy / TICKS_PER_CYCLE,
            stood: totals.stood / TICKS_PER_CYCLE,
            packets: totals.packets,
        })
    }

    /// The cycle of the first note that there was no room for.
    pub fn notes_end(&self) -> Option<Cycle> {
        let log = self.events.log.as_ref().and_then(|log| log.full());
        let words = self
            .net
            .fabric
            .flows
            .as_ref()
            .and_then(|flows| flows.full());
        let words = words.map(|tick| tick / TICKS_PER_CYCLE);
        [log, words].into_iter().flatten().min()
    }

    /// Tells an observer, if there is one.
    #[inline]
    pub(crate) fn note(&mut self, tile: TileLoc, at: Cycle, what: impl FnOnce() -> Note) {
        if let Some(log) = &mut self.events.log {
            log.add(Noted {
                at,
                tile,
                what: what(),
            });
        }
    }

    /// A component that waited for a lock got it.
    pub(super) fn tell_taken(
        &mut self,
        who: CompId,
        owner: usize,
        lock: u8,
        need: LockNeed,
        at: Cycle,
    ) {
        if self.events.log.is_some() {
            let by = self.party(who);
            let value = self.locks[owner].value(u32::from(lock)) as i8;
            self.events.note(owner, at, || Note::LockTaken {
                by,
                lock,
                need,
                value,
            });
        }
        let equal = matches!(need, LockNeed::Equal(_));
        let what = Happening::Acquired(lock, equal);
        self.events
            .emit(&mut self.net.fabric.sched, owner, at, what);
    }

    fn port_note(&self, stretch: Stretch) -> Noted {
        let place = self.net.place(PipeId(stretch.pipe));
        let (slave, index) = (place.slave, place.index as u8);
        let switch = &self.net.switches[place.tile];
        let packets = match slave {
            true => switch.slaves[place.index].config == SwitchSlave::Packet,
            false => switch.masters[place.index].gives_headers(),
        };
        let until = cycle_at(stretch.until);
        let what = match stretch.words {
            0 => Note::Stood {
                slave,
                index,
                until,
            },
            words => Note::Words {
                slave,
                index,
                until,
                words,
                header: stretch.first.filter(|_| packets),
                first: stretch.first.is_some(),
                last: stretch.last,
            },
        };
        Noted {
            at: stretch.from / TICKS_PER_CYCLE,
            tile: self.grid.loc(place.tile),
            what,
        }
    }
}
