//! Events: the one place where parts tell what they do.
//!
//! A part calls [`Events::emit`] with a [`Happening`] and its cycle. The happening sets the bit of
//! its hardware event in Event_Status; if somebody listens in that tile (a performance counter, a
//! broadcast, a trace unit; or an observer of the whole array), it is queued and taken in the
//! order of time. With nobody listening an emission costs the test of a flag.
//!
//! What is simpler than silicon: group events, program counter events and watch points never
//! fire; PORT_STALLED is told at switches only; a trace unit's buffer has no end.

pub(crate) mod broadcast;
mod counter;
pub(crate) mod numbers;
pub(crate) mod ports;
mod registers;
mod trace;
mod unit;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiec_device::regmap::Module;
use aiec_device::{Arch, DmaDir, TileKind, TileLoc};

use super::note::{Log, Note, Noted};
use super::sched::{CompId, Part, Sched};
use crate::time::{Cycle, Tick, cycle_at};
use numbers::Numbers;
pub(crate) use unit::{Output, Unit};

/// What a part of the array does at some cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happening {
    /// A DMA channel begins a task.
    StartTask(DmaDir, u8),
    /// A DMA channel is done with a BD.
    FinishedBd(DmaDir, u8),
    /// A DMA channel is done with a task.
    FinishedTask(DmaDir, u8),
    /// A DMA channel begins (true) or ends to wait for a lock.
    LockStall(DmaDir, u8, bool),
    /// A DMA channel stopped with a fault.
    DmaError(DmaDir, u8),
    /// A lock of the tile was acquired, by equality (true) or greater-equal.
    Acquired(u8, bool),
    /// A lock of the tile was released.
    Released(u8),
    /// A release left the range of a lock.
    LockError,
    /// The core begins (true) or ends to run.
    CoreActive(bool),
    /// The core begins or ends to wait for a lock.
    CoreLockStall(bool),
    /// The core begins or ends to wait for a stream.
    CoreStreamStall(bool),
    /// The core begins or ends to wait for a cascade.
    CoreCascadeStall(bool),
    /// The core executes an event instruction.
    Instruction(u8),
    /// A control packet was refused.
    ControlPacketError,
    /// Words pass a watched port in this cycle.
    PortRunning(u8),
    /// A word with TLAST passes a watched port.
    PortTlast(u8),
    /// A word begins or ends to stand at a watched port.
    PortStalled(u8, bool),
    /// An access has to wait in this cycle, because others met it in the bank.
    BankConflict(u8),
    /// An event by its number: Event_Generate, or a broadcast that arrives.
    Number(Module, u8),
}

/// A happening with its place and time, as an observer gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Observed {
    /// When.
    pub at: Cycle,
    /// Index of the tile, column by column and upward in each.
    pub tile: usize,
    /// What.
    pub what: Happening,
}

/// How an event is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// For one cycle.
    Pulse,
    /// From now on.
    Rise,
    /// No more from now on.
    Fall,
}

/// A change of an event of one module, in the order in which changes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pending {
    pub at: Cycle,
    pub unit: u8,
    pub event: u8,
    pub change: Change,
}

/// The event units of one tile: one for each module.
#[derive(Debug)]
pub(crate) struct TileEvents {
    pub units: Vec<Unit>,
    /// Somebody in the tile listens.
    pub listening: bool,
    pub pending: BinaryHeap<Reverse<Pending>>,
    /// DMA channels that feed the selected events of a mem tile: S2MM 0, 1, MM2S 0, 1.
    pub selected_channels: [u8; 4],
    /// Locks whose events are watched, by selector.
    pub selected_locks: [u8; 8],
}

/// The event units of all tiles, and what an observer was told.
#[derive(Debug)]
pub(crate) struct Events {
    pub tiles: Vec<TileEvents>,
    places: Vec<TileLoc>,
    /// The notes of an observer, if there is one.
    pub log: Option<Box<Log>>,
}

impl TileEvents {
    pub fn new(arch: Arch, kind: TileKind) -> TileEvents {
        let modules: &[Module] = match kind {
            TileKind::Core => &[Module::Core, Module::Memory],
            TileKind::Mem => &[Module::MemTile],
            TileKind::ShimNoc | TileKind::ShimPl => &[Module::Shim],
        };
        let numbers = modules.iter().map(|&module| Numbers::of(arch, module));
        let units = numbers.zip(modules).map(|(n, m)| Unit::new(n, *m));
        TileEvents {
            units: units.collect(),
            listening: false,
            pending: BinaryHeap::new(),
            selected_channels: [0, 1, 0, 1],
            selected_locks: std::array::from_fn(|i| i as u8),
        }
    }

    /// The unit of a module, by index.
    pub fn unit(&self, module: Module) -> Option<u8> {
        let position = self.units.iter().position(|unit| unit.module == module)?;
        Some(position as u8)
    }
}

impl Events {
    pub fn new(tiles: Vec<TileEvents>, places: Vec<TileLoc>) -> Events {
        Events {
            tiles,
            places,
            log: None,
        }
    }

    /// Tells an observer, if there is one.
    #[inline]
    pub fn note(&mut self, tile: usize, at: Cycle, what: impl FnOnce() -> Note) {
        if let Some(log) = &mut self.log {
            let (tile, what) = (self.places[tile], what());
            log.add(Noted { at, tile, what });
        }
    }

    /// Tells an observer that a channel waited for its stream.
    #[cold]
    pub fn note_stall(&mut self, tile: usize, dir: DmaDir, channel: u8, from: Tick, until: Tick) {
        let until = cycle_at(until);
        self.note(tile, cycle_at(from), || Note::StreamStall {
            dir,
            channel,
            until,
        });
    }

    /// A part of `tile` does something at a cycle.
    pub fn emit(&mut self, sched: &mut Sched, tile: usize, at: Cycle, what: Happening) {
        self.note(tile, at, || Note::Event(what));
        let events = &mut self.tiles[tile];
        let Some((unit, event, change)) = numbers::hardware_event(events, what) else {
            return;
        };
        if change != Change::Fall {
            events.units[usize::from(unit)].status.set(event);
        }
        if !events.listening {
            // Levels are kept for who listens later.
            events.units[usize::from(unit)].level(event, change);
            return;
        }
        let pending = Pending {
            at,
            unit,
            event,
            change,
        };
        events.pending.push(Reverse(pending));
        sched.schedule(at, CompId::new(tile, Part::Events));
    }
}
