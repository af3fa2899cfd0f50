//! Who can release a lock: by the programs that cores have loaded and the BDs of the tasks that
//! DMA channels run. Only reports of hangs need it.

use aiec_device::{LockId, TileKind};

use super::actor::ActorId;
use super::dma::channel::Channel;
use super::view::ArrayView;

impl ArrayView<'_> {
    /// The cores whose program has a release of the lock, and the channels with a BD that releases
    /// it in a task that runs or is queued, in the order of tiles.
    pub(super) fn releasers(&self, lock: LockId) -> Vec<ActorId> {
        let mut list = Vec::new();
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            if let Some(core) = &self.cores[tile]
                && core.runs_program()
                && core.releases(self.device, info.loc, lock)
            {
                list.push(ActorId::core(info.loc));
            }
            let channels = self.dma[tile].channels.iter();
            let releasing = channels.filter(|channel| self.channel_releases(tile, channel, lock));
            list.extend(releasing.map(Channel::actor));
        }
        list
    }

    fn channel_releases(&self, tile: usize, channel: &Channel, lock: LockId) -> bool {
        let mut loaded = self.dma[tile].loaded_by(channel);
        loaded.any(|(_, bd)| {
            bd.lock_rel_value > 0 && self.dma_lock(tile, bd.lock_rel_id) == Some(lock)
        })
    }

    /// The lock that a DMA of a tile means by a number.
    fn dma_lock(&self, tile: usize, number: u8) -> Option<LockId> {
        let info = &self.grid.tiles[tile];
        match info.kind {
            TileKind::Mem => self.device.resolve_mem_tile_lock(info.loc, number),
            _ => Some(LockId::new(info.loc, number)),
        }
    }
}
