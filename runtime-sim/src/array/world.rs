//! What an acting component sees of the array while it runs: everything but itself.

use std::collections::VecDeque;

use aiec_device::regmap::{BdFields, SwitchSlave};
use aiec_device::{Bundle, DeviceModel, DmaDir, DmaModel, TileKind, TileLoc, TileModel};

use super::bank::Banks;
use super::control_packet::Handler;
use super::dma::address::Run;
use super::event::{Events, Happening};
use super::fault::{FaultKind, Log};
use super::hazard::Hazards;
use super::lock::{Grant, LOCK_MAX, LockBank, LockNeed};
use super::memory::Memory;
use super::note::Note;
use super::sched::{CompId, Part};
use super::stream_switch::Net;
use super::timing::Timing;
use super::token::Token;
use super::waits::Party;
use crate::host::HostMemory;
use crate::time::Cycle;

/// One tile of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileInfo {
    pub loc: TileLoc,
    pub kind: TileKind,
    pub model: &'static TileModel,
}

/// The tiles of the device, indexed column by column and upward in each.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub device: &'static DeviceModel,
    rows: usize,
    pub tiles: Vec<TileInfo>,
}

impl Grid {
    pub fn new(device: &'static DeviceModel) -> Grid {
        let info = |loc| {
            let kind = device.tile_kind(loc)?;
            Some(TileInfo {
                loc,
                kind,
                model: device.tile(loc)?,
            })
        };
        Grid {
            device,
            rows: usize::from(device.rows()),
            tiles: device.tiles().filter_map(info).collect(),
        }
    }

    /// Index of a tile.
    pub fn index(&self, loc: TileLoc) -> Option<usize> {
        let index = usize::from(loc.col) * self.rows + usize::from(loc.row);
        (usize::from(loc.row) < self.rows && index < self.tiles.len()).then_some(index)
    }

    pub fn loc(&self, tile: usize) -> TileLoc {
        self.tiles[tile].loc
    }
}

/// The rest of the array, for the component `me` in `tile`.
pub(crate) struct World<'a> {
    pub now: Cycle,
    pub me: CompId,
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
    pub log: &'a mut Log,
    pub hazards: &'a mut Hazards,
    pub events: &'a mut Events,
    /// Requests that were granted and whose components have to be told.
    pub grants: &'a mut Vec<Grant>,
}

impl World<'_> {
    /// Constants of the DMA of this tile.
    pub fn dma_model(&self) -> Option<&'static DmaModel> {
        self.grid.tiles[self.tile].model.dma.as_ref()
    }

    pub fn fault(&mut self, kind: FaultKind) {
        self.log.fault(self.now, kind);
    }

    /// Releases a lock of the tile `owner` and collects the grants that follow.
    pub fn release(&mut self, owner: usize, lock: u8, change: i32) {
        let bank = &mut self.locks[owner];
        // as it is before those who wait take their share
        let value = bank.value(u32::from(lock)) + change;
        let value = value.clamp(0, LOCK_MAX) as i8;
        let (grants, error) = bank.release(u32::from(lock), Some(self.me), change, self.now);
        self.grants.extend(grants);
        let by = self.party();
        self.events.note(owner, self.now, || Note::LockReleased {
            by,
            lock,
            change: change as i8,
            value,
        });
        self.emit_in(owner, Happening::Released(lock), self.now);
        if let Some(error) = error {
            let tile = self.grid.loc(owner);
            self.emit_in(owner, Happening::LockError, self.now);
            self.fault(FaultKind::LockRange {
                tile,
                lock,
                value: error.value,
            });
        }
    }

    /// Tells what a part of this tile does at a cycle.
    pub fn emit(&mut self, what: Happening, at: Cycle) {
        self.emit_in(self.tile, what, at);
    }

    /// Tells what happens in a tile.
    pub fn emit_in(&mut self, tile: usize, what: Happening, at: Cycle) {
        self.events.emit(&mut self.net.fabric.sched, tile, at, what);
    }

    /// Tells what the component met in the banks of a memory.
    pub fn tell_conflicts(&mut self, owner: usize) {
        if self.banks[owner].lost.is_empty() {
            return;
        }
        let mut lost = std::mem::take(&mut self.banks[owner].lost);
        for (at, bank) in lost.drain(..) {
            self.emit_in(owner, Happening::BankConflict(bank), at.max(self.now));
        }
        self.banks[owner].lost = lost;
    }

    /// A lock of the tile `owner` was acquired.
    pub fn emit_acquired(&mut self, owner: usize, lock: u8, need: LockNeed, at: Cycle) {
        let value = self.locks[owner].value(u32::from(lock)) as i8;
        let by = self.party();
        self.events.note(owner, at, || Note::LockTaken {
            by,
            lock,
            need,
            value,
        });
        let equal = matches!(need, LockNeed::Equal(_));
        self.emit_in(owner, Happening::Acquired(lock, equal), at);
    }

    /// Tells an observer what happens in this tile.
    #[inline]
    pub fn note(&mut self, at: Cycle, what: impl FnOnce() -> Note) {
        self.events.note(self.tile, at, what);
    }

    /// Whether somebody observes the array.
    pub fn is_observed(&self) -> bool {
        self.events.log.is_some()
    }

    /// Tells an observer that the component asks for a lock of the tile `owner`.
    pub fn note_asked(&mut self, owner: usize, lock: u8, need: LockNeed) {
        let by = self.party();
        let what = || Note::LockAsked { by, lock, need };
        self.events.note(owner, self.now, what);
    }

    /// The component as messages name it: a core, or a channel.
    fn party(&self) -> Party {
        let tile = self.loc;
        let s2mm = self
            .dma_model()
            .map_or(0, |dma| dma.channels.get(DmaDir::S2mm));
        match self.me.part() {
            Part::Channel(index) if index < s2mm => Party::Channel {
                tile,
                dir: DmaDir::S2mm,
                channel: index,
            },
            Part::Channel(index) => Party::Channel {
                tile,
                dir: DmaDir::Mm2s,
                channel: index - s2mm,
            },
            _ => Party::Core(tile),
        }
    }

    /// A shim channel begins a transfer of host memory.
    pub fn begin_host(&mut self, bd: &BdFields, dir: DmaDir, channel: u8) {
        let party = Party::Channel {
            tile: self.loc,
            dir,
            channel,
        };
        self.hazards.begin(self.me, party, bd, dir);
    }

    /// It moves words of host memory.
    pub fn touch_host(&mut self, run: Run) {
        self.hazards.touch(self.me, run, self.now);
    }

    /// It is done with the transfer.
    pub fn end_host(&mut self) {
        self.hazards.end(self.me);
    }

    /// Sends a token on its way: as a packet if the switch leads the tile's control port
    /// somewhere, else straight to its column's controller.
    ///
    /// # Errors
    /// The token, if the tile has no room for it; the channel is woken when it has.
    pub fn send_token(&mut self, mut token: Token) -> Result<(), Token> {
        let switch = &self.net.switches[self.tile];
        let port = switch.slave_index(Bundle::TileControl, 0);
        if port.is_some_and(|port| switch.slaves[port].config != SwitchSlave::Off) {
            self.control[self.tile].queue_token(token)?;
            let control = CompId::new(self.tile, Part::Control);
            self.net.fabric.sched.wake(control);
            return Ok(());
        }
        token.at = self.now + self.timing.token + self.net.fabric.sched.jitter.draw(TOKEN_JITTER);
        let at = token.at;
        let place = self.tokens.partition_point(|other| other.at <= at);
        self.tokens.insert(place, token);
        let me = CompId::new(self.tile, Part::Tokens);
        self.net.fabric.sched.schedule(at, me);
        Ok(())
    }
}

/// Most extra cycles of a token when latencies are random.
const TOKEN_JITTER: Cycle = 40;
