//! Who can release a lock: by the programs that cores have loaded and the BDs of the tasks that
//! DMA channels run. Only reports of hangs ask.

use aiec_device::TileLoc;

use super::Array;
use super::dma::channel::Channel;
use super::waits::Party;

impl Array {
    /// The cores whose program holds a release of the lock, and the channels with a BD that
    /// releases it in a task that runs or stands in the queue, in the order of tiles.
    pub(super) fn releasers(&self, owner: TileLoc, lock: u8) -> Vec<Party> {
        let mut list = Vec::new();
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            let loc = info.loc;
            if let Some(core) = &self.cores[tile] {
                let mut numbers = core.released_locks();
                let resolves = |n: u8| self.device.resolve_core_lock(loc, n) == Some((owner, lock));
                if numbers.any(resolves) {
                    list.push(Party::Core(loc));
                }
            }
            for channel in &self.dma[tile].channels {
                if self.channel_releases(tile, channel, (owner, lock)) {
                    list.push(Party::Channel {
                        tile: loc,
                        dir: channel.dir,
                        channel: channel.number,
                    });
                }
            }
        }
        list
    }

    fn channel_releases(&self, tile: usize, channel: &Channel, lock: (TileLoc, u8)) -> bool {
        let mut loaded = self.dma[tile].loaded_by(channel);
        loaded.any(|(_, bd)| {
            bd.lock_rel_value > 0 && self.dma_lock(tile, bd.lock_rel_id) == Some(lock)
        })
    }

    /// The lock that a DMA of a tile means by a number.
    fn dma_lock(&self, tile: usize, number: u8) -> Option<(TileLoc, u8)> {
        let loc = self.grid.loc(tile);
        match self.device.tile_kind(loc)? {
            aiec_device::TileKind::Mem => self.device.resolve_mem_tile_lock(loc, number),
            _ => Some((loc, number)),
        }
    }
}
