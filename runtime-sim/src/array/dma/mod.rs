//! The DMA of a tile: buffer descriptors shared by its channels, and the channels.

pub mod address;
pub(crate) mod bd;
pub(crate) mod burst;
pub(crate) mod channel;
pub(crate) mod target;

use aiec_device::DmaDir;

use bd::BdBank;
use channel::Channel;

/// BDs and channels of one tile; empty where there is no DMA.
#[derive(Debug, Default)]
pub(crate) struct Dma {
    pub bds: BdBank,
    /// S2MM channels by number, then MM2S channels.
    pub channels: Vec<Channel>,
}

impl Dma {
    /// Index of a channel in `channels`.
    pub fn index(&self, dir: DmaDir, number: u8) -> Option<usize> {
        let mut channels = self.channels.iter();
        channels.position(|channel| channel.dir == dir && channel.number == number)
    }

    /// A channel by direction and number.
    pub fn channel_mut(&mut self, dir: DmaDir, number: u8) -> Option<&mut Channel> {
        let index = self.index(dir, number)?;
        self.channels.get_mut(index)
    }
}
