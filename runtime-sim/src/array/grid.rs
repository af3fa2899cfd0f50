//! The tiles of a device by index.

use aiec_device::{DeviceModel, TileKind, TileLoc, TileModel};

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
        self.device.contains(loc).then(|| self.at(loc))
    }

    /// Index of a tile that is on the grid.
    pub fn at(&self, loc: TileLoc) -> usize {
        usize::from(loc.col) * self.rows + usize::from(loc.row)
    }

    /// Something for each tile.
    pub fn per_tile<T>(&self, make: impl FnMut(&TileInfo) -> T) -> Vec<T> {
        self.tiles.iter().map(make).collect()
    }

    pub fn loc(&self, tile: usize) -> TileLoc {
        self.tiles[tile].loc
    }
}
