//! Identities of DMA channels and locks.

use std::fmt;

use crate::arch::DmaDir;
use crate::model::TileLoc;
use crate::regmap::RegisterRef;

/// A DMA channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId {
    /// Its tile.
    pub tile: TileLoc,
    /// Its direction.
    pub dir: DmaDir,
    /// Its number among the tile's channels of that direction, from 0.
    pub index: u8,
}

impl ChannelId {
    /// The channel of a tile by direction and number.
    pub const fn new(tile: TileLoc, dir: DmaDir, index: u8) -> Self {
        ChannelId { tile, dir, index }
    }

    /// Its task queue.
    pub const fn queue(self) -> RegisterRef {
        RegisterRef::DmaQueue {
            dir: self.dir,
            channel: self.index,
        }
    }

    /// Its control register.
    pub const fn control(self) -> RegisterRef {
        RegisterRef::DmaCtrl {
            dir: self.dir,
            channel: self.index,
        }
    }

    /// Its status register.
    pub const fn status(self) -> RegisterRef {
        RegisterRef::DmaStatus {
            dir: self.dir,
            channel: self.index,
        }
    }
}

impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChannelId { tile, dir, index } = self;
        write!(f, "DMA {dir} {index} of tile {tile}")
    }
}

/// A lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId {
    /// The tile whose lock module holds it.
    pub tile: TileLoc,
    /// Its number there, from 0.
    pub index: u8,
}

impl LockId {
    /// The lock of a tile by number.
    pub const fn new(tile: TileLoc, index: u8) -> Self {
        LockId { tile, index }
    }
}

impl fmt::Display for LockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lock {} of tile {}", self.index, self.tile)
    }
}
