//! Progress of transfers, cores and locks: for reports of runs that hang, and of the work that a
//! run leaves undone.

use aiec_device::regmap::BdFields;
use aiec_device::{ChannelId, LockId, TileLoc};

use super::actor::{ActorId, ActorKind};
use super::core_tile::CoreTile;
use super::dma::channel::Channel;
use super::view::ArrayView;

/// BDs that a chain has at most.
const MAX_BDS: usize = 256;

/// Progress of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelProgress {
    /// Tasks that it has finished.
    pub tasks: u64,
    /// Tokens that it has sent.
    pub tokens: u64,
    /// Words of 32 bits that it has moved in all.
    pub words: u64,
    /// Words moved, and wanted, by the task that it is in, if that has an end.
    pub task: Option<(u64, u64)>,
}

impl<'a> ArrayView<'a> {
    /// Progress of a channel.
    pub fn channel_progress(&self, id: ChannelId) -> Option<ChannelProgress> {
        let tile = self.grid.index(id.tile)?;
        let channel = self.channel(id)?;
        let task = channel.task_words().and_then(|(first, runs, moved)| {
            let wanted = self.chain_words(tile, first)?.checked_mul(runs.into())?;
            Some((moved, wanted))
        });
        Some(ChannelProgress {
            tasks: channel.counts.tasks,
            tokens: channel.tokens,
            words: channel.counts.words,
            task,
        })
    }

    /// Words of the chain that begins with a BD; `None` if it has no end.
    pub(super) fn chain_words(&self, tile: usize, first: u8) -> Option<u64> {
        let mut words = 0;
        let chain = self.dma[tile].bds.chain(first).take(MAX_BDS);
        let counted = chain.inspect(|bd| words += u64::from(bd.length));
        let ends = counted.last().is_some_and(|last| !last.use_next);
        ends.then_some(words)
    }

    /// The BDs of a tile that were written, each with its number and its fields as they are.
    pub fn descriptors(&self, tile: TileLoc) -> Vec<(u8, BdFields)> {
        let Some(dma) = self.grid.index(tile).map(|tile| &self.dma[tile]) else {
            return Vec::new();
        };
        let all = (0..=u8::MAX).map_while(|bd| Some((bd, dma.bds.fields(bd)?)));
        all.filter(|(bd, _)| dma.bds.is_written(*bd)).collect()
    }

    /// Whether the core of a tile has come to the end of its program.
    pub fn core_has_ended(&self, tile: TileLoc) -> bool {
        let core = self
            .grid
            .index(tile)
            .and_then(|at| self.cores[at].as_deref());
        core.is_some_and(CoreTile::has_ended)
    }

    /// The cores that have come to the end of a program that releases a lock somewhere.
    pub fn ended_releasers(&self, lock: LockId) -> Vec<TileLoc> {
        let tiles = self.grid.tiles.iter().enumerate();
        let ended = tiles.filter(|(tile, info)| {
            let core = self.cores[*tile].as_ref().filter(|core| core.has_ended());
            core.is_some_and(|core| core.releases(self.device, info.loc, lock))
        });
        ended.map(|(_, info)| info.loc).collect()
    }

    /// Units that actors have added to a lock since it was written by a register write.
    pub fn lock_given(&self, lock: LockId) -> u64 {
        let bank = self.grid.index(lock.tile).map(|tile| &self.locks[tile]);
        bank.map_or(0, |bank| bank.given(lock.index.into()))
    }

    /// Whether a channel is in a task or has some queued.
    pub fn is_channel_busy(&self, id: ChannelId) -> bool {
        self.channel(id)
            .is_some_and(|channel| !channel.is_quiescent())
    }

    /// The channel of an id, if there is one.
    pub(super) fn channel(&self, id: ChannelId) -> Option<&'a Channel> {
        let dma = &self.dma[self.grid.index(id.tile)?];
        Some(&dma.channels[dma.index(id.dir, id.index)?])
    }
}

impl ActorId {
    /// The channel that the actor is, if it is one.
    pub fn as_channel(self) -> Option<ChannelId> {
        match self.kind() {
            ActorKind::Channel(id) => Some(id),
            _ => None,
        }
    }
}
