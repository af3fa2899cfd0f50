//! How far transfers, cores and locks have come: for reports of runs that hang, and of what a run
//! leaves behind.

use aiec_device::{ChannelId, LockId, TileLoc};

use super::Array;
use super::actor::ActorId;
use super::dma::channel::Channel;

/// BDs that a chain has at most.
const MOST_BDS: usize = 256;

/// How far a channel has come.
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

impl Array {
    /// How far a channel has come.
    pub fn channel_progress(&self, id: ChannelId) -> Option<ChannelProgress> {
        let tile = self.grid.index(id.tile)?;
        let mut channels = self.dma[tile].channels.iter();
        let channel = channels.find(|channel| channel.id == id)?;
        let task = channel.task_words().and_then(|(first, runs, moved)| {
            let wanted = self.chain_words(tile, first)?.checked_mul(runs.into())?;
            Some((moved, wanted))
        });
        Some(ChannelProgress {
            tasks: channel.counts.tasks,
            tokens: channel.counts.tokens,
            words: channel.counts.words,
            task,
        })
    }

    /// Words of the chain that begins with a BD; `None` if it has no end.
    pub(super) fn chain_words(&self, tile: usize, first: u8) -> Option<u64> {
        let bds = &self.dma[tile].bds;
        let (mut at, mut words) = (first, 0);
        for _ in 0..MOST_BDS {
            let bd = bds.fields(at)?;
            words += u64::from(bd.length);
            match bd.use_next {
                true => at = bd.next_bd,
                false => return Some(words),
            }
        }
        None
    }

    /// Whether the core of a tile has come to the end of its program.
    pub fn core_has_ended(&self, tile: TileLoc) -> bool {
        let core = self
            .grid
            .index(tile)
            .and_then(|tile| self.cores[tile].as_ref());
        core.is_some_and(|core| core.has_ended())
    }

    /// The cores that have come to the end of a program that releases a lock somewhere.
    pub fn ended_releasers(&self, lock: LockId) -> Vec<TileLoc> {
        let tiles = self.grid.tiles.iter().enumerate();
        let ended = tiles.filter(|(tile, info)| {
            self.cores[*tile].as_ref().is_some_and(|core| {
                let mut numbers = core.releases_of_ended();
                numbers.any(|n| self.device.resolve_core_lock(info.loc, n) == Some(lock))
            })
        });
        ended.map(|(_, info)| info.loc).collect()
    }

    /// How much actors have added to a lock since it was written by a register write.
    pub fn lock_given(&self, lock: LockId) -> u64 {
        let bank = self.grid.index(lock.tile).map(|tile| &self.locks[tile]);
        bank.map_or(0, |bank| bank.given(lock.index.into()))
    }

    /// Whether a channel is in a task or has some queued.
    pub fn is_channel_busy(&self, id: ChannelId) -> bool {
        let tile = self.grid.index(id.tile);
        let channel = tile.and_then(|tile| {
            let mut channels = self.dma[tile].channels.iter();
            channels.find(|channel| channel.id == id)
        });
        channel.is_some_and(|channel: &Channel| !channel.is_quiescent())
    }

    /// The channel that an actor is.
    pub fn channel_of(actor: ActorId) -> Option<ChannelId> {
        match actor.kind() {
            super::actor::ActorKind::Channel(id) => Some(id),
            _ => None,
        }
    }
}
