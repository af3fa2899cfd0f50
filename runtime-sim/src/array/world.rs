//! What an acting component sees of the array while it runs: everything but itself.

use std::collections::VecDeque;

use aiec_device::{DeviceModel, DmaModel, TileKind, TileLoc, TileModel};

use super::fault::{FaultKind, Log};
use super::lock::{Grant, LockBank};
use super::memory::Memory;
use super::sched::CompId;
use super::stream_switch::Net;
use super::timing::Timing;
use super::token::Token;
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
    pub locks: &'a mut [LockBank],
    pub host: &'a mut HostMemory,
    pub tokens: &'a mut VecDeque<Token>,
    pub log: &'a mut Log,
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
        let (grants, error) = bank.release(u32::from(lock), Some(self.me), change, self.now);
        self.grants.extend(grants);
        if let Some(error) = error {
            let tile = self.grid.loc(owner);
            self.fault(FaultKind::LockRange {
                tile,
                lock,
                value: error.value,
            });
        }
    }
}
