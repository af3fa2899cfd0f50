//! The DMA of a tile: buffer descriptors shared by its channels, and the channels.

pub(crate) mod burst;
pub(crate) mod channel;
mod compressed;
mod compression;
pub(crate) mod counts;
mod registers;
mod status;
pub(crate) mod target;
pub(crate) mod transfer;

use aiec_device::regmap::BdFields;
use aiec_device::{ChannelId, DmaDir};

use super::bd::BdBank;
use channel::Channel;

/// BDs and channels of one tile; empty where there is no DMA.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dma {
    pub bds: BdBank,
    /// S2MM channels by number, then MM2S channels.
    pub channels: Vec<Channel>,
    s2mm_channels: usize,
}

impl Dma {
    /// A DMA with channels in the order of [`Dma::channels`].
    pub fn new(bds: BdBank, channels: Vec<Channel>) -> Dma {
        let s2mm = channels.iter().filter(|c| c.id.dir == DmaDir::S2mm);
        Dma {
            s2mm_channels: s2mm.count(),
            bds,
            channels,
        }
    }

    /// Whether a task that the channel runs, or has in its queue, loads a BD.
    pub fn uses(&self, channel: &Channel, bd: u8) -> bool {
        self.loaded_by(channel).any(|(id, _)| id == bd)
    }

    /// The BDs that the channel's tasks load, in no order, each once.
    pub fn loaded_by(&self, channel: &Channel) -> impl Iterator<Item = (u8, BdFields)> {
        let mut next: Vec<u8> = channel.queue.iter().map(|task| task.bd).collect();
        next.extend(channel.task.as_ref().map(|task| task.bd));
        let mut seen = Vec::new();
        std::iter::from_fn(move || {
            loop {
                let id = next.pop()?;
                if seen.contains(&id) {
                    continue;
                }
                seen.push(id);
                let Some(fields) = self.bds.fields(id) else {
                    continue;
                };
                next.extend(fields.use_next.then_some(fields.next_bd));
                return Some((id, fields));
            }
        })
    }

    /// Index of a channel in `channels`.
    pub fn index(&self, dir: DmaDir, number: u8) -> Option<usize> {
        let index = match dir {
            DmaDir::S2mm => usize::from(number),
            DmaDir::Mm2s => self.s2mm_channels + usize::from(number),
        };
        let id = self.channels.get(index)?.id;
        ((id.dir, id.index) == (dir, number)).then_some(index)
    }

    /// A channel and the BDs that it shares with the others.
    pub fn channel_and_bds(&mut self, id: ChannelId) -> Option<(&mut Channel, &mut BdBank)> {
        let index = self.index(id.dir, id.index)?;
        Some((&mut self.channels[index], &mut self.bds))
    }

    /// A channel by direction and number.
    pub fn channel_mut(&mut self, dir: DmaDir, number: u8) -> Option<&mut Channel> {
        let index = self.index(dir, number)?;
        self.channels.get_mut(index)
    }
}
