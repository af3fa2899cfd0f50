//! The array as an acting core or channel sees it: everything but itself.

use std::collections::VecDeque;

use aiec_device::regmap::SwitchSlave;
use aiec_device::{Bundle, DeviceModel, DmaModel, LockId, TileKind, TileLoc};

use super::actor::ActorId;
use super::control_packet::Handler;
use super::event::Events;
use super::fault::{FaultKind, FaultLog};
use super::grid::Grid;
use super::hw_event::HwEvent;
use super::lock::{Grant, LOCK_MAX, LockBank, LockNeed};
use super::memory::Memory;
use super::races::Races;
use super::stream_switch::Net;
use super::timing::Timing;
use super::token::Token;
use super::trace_event::TraceEvent;
use crate::bank::Banks;
use crate::host::HostMemory;
use crate::time::Cycle;

/// The rest of the array, for the actor `me` in `tile`.
pub(crate) struct TileContext<'a> {
    pub now: Cycle,
    pub me: ActorId,
    pub tile: usize,
    pub loc: TileLoc,
    pub kind: TileKind,
    pub device: &'static DeviceModel,
    pub timing: &'a Timing,
    pub grid: &'a Grid,
    pub net: &'a mut Net,
    pub memory: &'a mut [Memory],
    pub banks: &'a mut [Banks],
    pub locks: &'a mut [LockBank],
    pub control: &'a mut [Handler],
    pub host: &'a mut HostMemory,
    pub tokens: &'a mut VecDeque<Token>,
    pub log: &'a mut FaultLog,
    pub events: &'a mut Events,
    /// Requests that were granted, to be reported to their actors.
    pub grants: &'a mut Vec<Grant>,
    /// The race detector.
    pub races: Option<&'a mut Races>,
}

impl TileContext<'_> {
    /// Lets another actor act, which is in a tile.
    #[inline]
    pub fn turn_to(&mut self, me: ActorId, tile: TileLoc) {
        self.me = me;
        self.tile = self.grid.at(tile);
        self.loc = tile;
        self.kind = self.grid.tiles[self.tile].kind;
    }

    /// Constants of the DMA of this tile.
    pub fn dma_model(&self) -> Option<&'static DmaModel> {
        self.grid.tiles[self.tile].model.dma.as_ref()
    }

    pub fn fault(&mut self, kind: FaultKind) {
        self.log.fault(self.now, kind);
    }

    /// The lock module of a tile on the grid.
    pub fn locks_of(&mut self, tile: TileLoc) -> &mut LockBank {
        &mut self.locks[self.grid.at(tile)]
    }

    /// Releases a lock and collects the grants that follow.
    pub fn release(&mut self, lock: LockId, change: i32) {
        self.lock_released(lock, change);
        let (by, now) = (self.me, self.now);
        let owner = self.grid.at(lock.tile);
        let bank = &mut self.locks[owner];
        // An observer wants it as it is before the waiting requests are granted.
        let value = match self.events.log {
            Some(_) => (bank.value(u32::from(lock.index)) + change).clamp(0, LOCK_MAX) as i8,
            None => 0,
        };
        let (grants, out_of_range) = bank.release(u32::from(lock.index), Some(by), change, now);
        self.locks_granted(lock, &grants);
        self.grants.extend_from_slice(&grants);
        self.events.trace(owner, now, || TraceEvent::LockReleased {
            by,
            lock,
            change: change as i8,
            value,
        });
        self.emit_in(owner, HwEvent::Released(lock.index), now);
        if let Some(value) = out_of_range {
            self.emit_in(owner, HwEvent::LockError, now);
            self.fault(FaultKind::LockRange { lock, value });
        }
    }

    /// A hardware event of this tile at a cycle.
    pub fn emit(&mut self, what: HwEvent, at: Cycle) {
        self.emit_in(self.tile, what, at);
    }

    /// A hardware event of a tile.
    pub fn emit_in(&mut self, tile: usize, what: HwEvent, at: Cycle) {
        self.events.emit(&mut self.net.fabric.sched, tile, at, what);
    }

    /// Emits the bank conflicts of the accesses to a memory since the last call.
    #[inline]
    pub fn report_conflicts(&mut self, owner: usize) {
        if !self.banks[owner].lost.is_empty() {
            self.report_lost(owner);
        }
    }

    #[inline(never)]
    fn report_lost(&mut self, owner: usize) {
        let mut lost = std::mem::take(&mut self.banks[owner].lost);
        // Without an observer it only counts which events have happened.
        let is_watched = self.is_observed() || self.events.tiles[owner].listening;
        let mut happened = 0u64;
        for (at, bank) in lost.drain(..) {
            let bit = 1 << bank;
            if !is_watched && happened & bit != 0 {
                continue;
            }
            happened |= bit;
            self.emit_in(owner, HwEvent::BankConflict(bank), at.max(self.now));
        }
        self.banks[owner].lost = lost;
    }

    /// A lock was acquired.
    pub fn emit_acquired(&mut self, lock: LockId, need: LockNeed, at: Cycle) {
        let value = self.locks_of(lock.tile).value(u32::from(lock.index)) as i8;
        let sched = &mut self.net.fabric.sched;
        self.events
            .emit_acquired(sched, self.grid, self.me, (lock, need, value), at);
    }

    /// Records a trace event of this tile, if there is an observer.
    #[inline]
    pub fn trace(&mut self, at: Cycle, event: impl FnOnce() -> TraceEvent) {
        self.events.trace(self.tile, at, event);
    }

    /// Whether the array is observed.
    pub fn is_observed(&self) -> bool {
        self.events.log.is_some()
    }

    /// Records that the actor requests a lock.
    pub fn trace_request(&mut self, lock: LockId, need: LockNeed) {
        let by = self.me;
        let event = || TraceEvent::LockRequested { by, lock, need };
        self.events.trace(self.grid.at(lock.tile), self.now, event);
    }

    /// Sends a token: as a packet if the switch leads the tile's control port
    /// somewhere, else straight to its column's controller.
    ///
    /// # Errors
    /// The token, if the tile has no place for it; the channel is woken when it has.
    pub fn send_token(&mut self, mut token: Token) -> Result<(), Token> {
        let switch = &self.net.switches[self.tile];
        let port = switch.slave(Bundle::TileControl, 0);
        if port.is_some_and(|port| port.config != SwitchSlave::Off) {
            self.control[self.tile].queue_token(token)?;
            self.net.fabric.token_packets += 1;
            self.net.fabric.sched.wake(ActorId::control_port(self.loc));
            return Ok(());
        }
        let sched = &mut self.net.fabric.sched;
        let at = self.now + self.timing.token + sched.jitter.draw(TOKEN_JITTER);
        sched.schedule(at, ActorId::token_path(self.loc));
        token.at = at;
        let place = self.tokens.partition_point(|other| other.at <= at);
        self.tokens.insert(place, token);
        Ok(())
    }
}

/// Most extra cycles of a token when latencies are random.
const TOKEN_JITTER: Cycle = 40;
