//! Writes to host memory that are still to come when a run has completed: nothing waited for them, so the host reads its
//! buffers before or after them, as time will have it, whether or not the first of them has come in this run.

use aiec_device::{ChannelId, DmaDir, WORD_BYTES};

use super::{Array, Site, span};
use crate::array::actor::ActorId;
use crate::array::dma::channel::State;
use crate::array::dma::transfer::Transfer;
use crate::race::Memory;
use crate::time::Cycle;

/// Runs of words of a buffer descriptor that are looked at.
const MAX_RUNS: usize = 4096;

/// Bytes that a channel will write: which channel, its BD, first byte and bytes.
type PendingWrite = (ChannelId, u8, u64, u64);

impl Array {
    /// Records what tasks that have an end are still to write to host memory, as if it came after a cycle.
    pub(super) fn record_pending_writes(&mut self, at: Cycle) {
        if self.races.is_none() {
            return;
        }
        let pending = self.pending_writes();
        let Some(races) = &mut self.races else { return };
        for (channel, bd, start, bytes) in pending {
            let thread = races.actor(ActorId::channel(channel));
            let span = span(Memory::Host, start, bytes);
            races.detector.write(thread, span, Site(bd.into()), at + 1);
        }
    }

    fn pending_writes(&self) -> Vec<PendingWrite> {
        let mut writes = Vec::new();
        let dmas = self.dma.iter().zip(&self.grid.tiles).enumerate();
        for (tile, (dma, _)) in dmas.filter(|(_, (_, info))| info.kind.is_shim()) {
            let receivers = dma.channels.iter().filter(|c| c.id.dir == DmaDir::S2mm);
            for channel in receivers {
                let mut tasks = channel.task.iter().chain(&channel.queue);
                if !tasks.all(|task| self.view().chain_ends(tile, task.bd)) {
                    continue;
                }
                for (bd, fields) in dma.loaded_by(channel) {
                    let transfer = match channel.state {
                        State::Stream if channel.bd_id == bd => channel.transfer.clone(),
                        _ => Transfer::new(&fields, channel.id),
                    };
                    for run in transfer.runs_left().take(MAX_RUNS) {
                        let (parts, words) = match run.step {
                            1 => (1, run.count),
                            _ => (run.count, 1),
                        };
                        writes.extend((0..parts).map(|part| {
                            let word = run.start.wrapping_add(u64::from(part) * run.step);
                            let bytes = u64::from(words) * WORD_BYTES;
                            (channel.id, bd, word.wrapping_mul(WORD_BYTES), bytes)
                        }));
                    }
                }
            }
        }
        // elsewhere they would be faults
        writes.retain(|(.., start, bytes)| self.host.bytes_behind(*start) >= *bytes);
        writes
    }
}
