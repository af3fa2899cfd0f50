//! Hardware events: status bits, performance counters, broadcasts, trace units.
//!
//! Actors call [`Events::emit`] with a [`HwEvent`] and its cycle. The event sets its bit in
//! Event_Status; if a unit of that tile uses events (a performance counter, a broadcast, a trace
//! unit), it is queued and taken in the order of time. Otherwise an emission costs the test of a
//! flag.
//!
//! Simplifications: group events, program counter events and watch points never
//! fire; PORT_STALLED is raised at switches only; a trace unit's buffer has no end.

pub(crate) mod broadcast;
mod counter;
mod event_set;
pub(crate) mod numbers;
mod ports;
mod registers;
mod trace_unit;
mod unit;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiec_device::regmap::Module;
use aiec_device::{Arch, LockId, TileKind, TileLoc};

use super::actor::ActorId;
use super::grid::Grid;
use super::hw_event::HwEvent;
use super::lock::LockNeed;
use super::sched::Sched;
use super::trace_event::{TraceEvent, TraceRecord};
use super::trace_log::TraceLog;
use crate::time::Cycle;
use numbers::EventNumbers;
use unit::{EventUnit, UnitOutput};

/// Change of an event's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LevelChange {
    /// For one cycle.
    Pulse,
    /// From now on.
    Rise,
    /// No more from now on.
    Fall,
}

/// A change of an event of one module, in the order in which changes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PendingChange {
    pub at: Cycle,
    pub unit: u8,
    pub event: u8,
    pub change: LevelChange,
}

/// The event units of one tile: one for each module.
#[derive(Clone, Debug)]
pub(crate) struct TileEventUnits {
    pub loc: TileLoc,
    pub units: Vec<EventUnit>,
    /// A unit of the tile uses events.
    pub listening: bool,
    pub pending: BinaryHeap<Reverse<PendingChange>>,
    /// DMA channels that feed the selected events of a mem tile: S2MM 0, 1, MM2S 0, 1.
    pub selected_channels: [u8; 4],
    /// Locks whose events are watched, by selector.
    pub selected_locks: [u8; 8],
}

/// The event units of all tiles, and the trace.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub tiles: Vec<TileEventUnits>,
    /// The trace of an observer, if there is one.
    pub log: Option<Box<TraceLog>>,
}

impl TileEventUnits {
    pub fn new(arch: Arch, kind: TileKind, loc: TileLoc) -> TileEventUnits {
        let modules: &[Module] = match kind {
            TileKind::Core => &[Module::Core, Module::Memory],
            TileKind::Mem => &[Module::MemTile],
            TileKind::ShimNoc | TileKind::ShimPl => &[Module::Shim],
        };
        let numbers = modules.iter().map(|&module| EventNumbers::of(arch, module));
        let units = numbers.zip(modules).map(|(n, m)| EventUnit::new(n, *m));
        TileEventUnits::of(loc, units.collect())
    }

    /// Units of a tile; without any, what is in their place if the tile is elsewhere.
    pub fn of(loc: TileLoc, units: Vec<EventUnit>) -> TileEventUnits {
        TileEventUnits {
            loc,
            units,
            listening: false,
            pending: BinaryHeap::new(),
            selected_channels: [0, 1, 0, 1],
            selected_locks: std::array::from_fn(|i| i as u8),
        }
    }

    /// Queues the change of an event of a unit, which is taken when its time comes.
    pub fn queue(
        &mut self,
        sched: &mut Sched,
        at: Cycle,
        (unit, event, change): (u8, u8, LevelChange),
    ) {
        self.pending.push(Reverse(PendingChange {
            at,
            unit,
            event,
            change,
        }));
        sched.schedule(at, ActorId::event_units(self.loc));
    }

    /// The unit of a module, by index.
    pub fn unit(&self, module: Module) -> Option<u8> {
        let position = self.units.iter().position(|unit| unit.module == module)?;
        Some(position as u8)
    }
}

impl Events {
    /// Records a trace event of a tile by index, if there is an observer.
    #[inline]
    pub fn trace(&mut self, tile: usize, at: Cycle, event: impl FnOnce() -> TraceEvent) {
        if self.log.is_some() {
            self.trace_at(self.tiles[tile].loc, at, event);
        }
    }

    /// Same for a tile by its location.
    #[inline]
    pub fn trace_at(&mut self, tile: TileLoc, at: Cycle, event: impl FnOnce() -> TraceEvent) {
        if let Some(log) = &mut self.log {
            let event = event();
            log.add(TraceRecord { at, tile, event });
        }
    }

    /// Whether an observer wants to know of accesses of channels to memories.
    #[inline]
    pub fn records_accesses(&self) -> bool {
        let log = self.log.as_ref();
        log.is_some_and(|log| log.records_accesses())
    }

    /// Whether a breakpoint watches memory.
    #[inline]
    pub fn watches_memory(&self) -> bool {
        let log = self.log.as_ref();
        log.is_some_and(|log| log.watches().next().is_some())
    }

    /// Whether a breakpoint watches some of the bytes of a tile's memory.
    pub fn watches(&self, tile: TileLoc, start: u32, bytes: u32) -> bool {
        let end = start.saturating_add(bytes);
        self.log.as_ref().is_some_and(|log| {
            log.watches().any(|watch| {
                let range = watch.range();
                watch.tile == tile && start < range.end && range.start < end
            })
        })
    }

    /// An actor acquires a lock, which then has a value.
    pub fn emit_acquired(
        &mut self,
        sched: &mut Sched,
        grid: &Grid,
        by: ActorId,
        (lock, need, value): (LockId, LockNeed, i8),
        at: Cycle,
    ) {
        self.trace_at(lock.tile, at, || TraceEvent::LockAcquired {
            by,
            lock,
            need,
            value,
        });
        let equal = matches!(need, LockNeed::Equal(_));
        let acquired = HwEvent::Acquired(lock.index, equal);
        self.emit(sched, grid.at(lock.tile), at, acquired);
    }

    /// A hardware event of `tile` at a cycle.
    pub fn emit(&mut self, sched: &mut Sched, tile: usize, at: Cycle, what: HwEvent) {
        self.trace(tile, at, || TraceEvent::Hw(what));
        let events = &mut self.tiles[tile];
        let Some((unit, event, change)) = numbers::hardware_event(events, what) else {
            return;
        };
        if change != LevelChange::Fall {
            events.units[usize::from(unit)].status.set(event);
        }
        if !events.listening {
            // Levels are kept for units that use them later.
            events.units[usize::from(unit)].level(event, change);
            return;
        }
        events.queue(sched, at, (unit, event, change));
    }
}
