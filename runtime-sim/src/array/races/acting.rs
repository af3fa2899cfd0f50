//! Reports of acting cores and channels to the race detector.

use aiec_device::{ChannelId, DmaDir, LockId, WORD_BYTES};

use crate::array::address::Run;
use crate::array::dma::target::{self, MemoryPlace};
use crate::array::lock::Grant;
use crate::array::pipe::PipeId;
use crate::array::races::{Races, part_name};
use crate::array::tile_context::TileContext;
use crate::race::{Imprecision, Memory, Site, Span, Thread};

/// The parts of `words` words of a run that are in a row each: how many, and words of each.
fn bursts_of(run: Run, words: u32) -> (u32, u32) {
    match run.step {
        1 => (1, words),
        _ => (words, 1),
    }
}

impl TileContext<'_> {
    /// The race detector, with the thread of the actor.
    #[inline]
    fn acting(&mut self) -> Option<(&mut Races, Thread)> {
        let races = self.races.as_deref_mut()?;
        let thread = races.actor(self.me);
        Some((races, thread))
    }

    /// The acting core or channel has entered words into a pipe, its last ones.
    pub fn stamp_sent(&mut self, end: PipeId, words: u32) {
        let (me, fabric) = (self.me, &mut self.net.fabric);
        if let Some(races) = &mut self.races
            && let Some(stamps) = &mut fabric.stamps
        {
            let position = fabric.pipes[end.0 as usize].pushed - u64::from(words);
            let thread = races.actor(me);
            races
                .detector
                .send(thread, stamps, (end.0 as usize, position), words);
        }
    }

    /// The acting core or channel has taken words from a pipe.
    pub fn stamp_taken(&mut self, pipe: PipeId, words: u32) {
        let (me, fabric) = (self.me, &mut self.net.fabric);
        if let Some(races) = &mut self.races
            && let Some(stamps) = &mut fabric.stamps
        {
            let to = fabric.pipes[pipe.0 as usize].popped;
            let range = (to - u64::from(words), to);
            let thread = races.actor(me);
            let merged = races
                .detector
                .receive(thread, stamps, pipe.0 as usize, range);
            if let Some(part) = part_name(me).filter(|_| merged) {
                races.detector.imprecise(Imprecision::Arbitration(part));
            }
        }
    }

    /// Where words of a run are, the first of which is at a place: `words` from the `nth` on. `None` where the
    /// channel reaches nothing.
    fn span_of(
        &self,
        channel: u8,
        (run, first): (Run, MemoryPlace),
        nth: u32,
        words: u32,
    ) -> Option<Span> {
        let place = match nth {
            0 => first,
            _ => {
                let word = run.start.wrapping_add(u64::from(nth) * run.step);
                target::place(self, channel, word).ok()?
            }
        };
        let (memory, start) = match place {
            MemoryPlace::Host(start) => (Memory::Host, start),
            MemoryPlace::Tile(tile, start) => (Memory::Tile(self.grid.loc(tile)), u64::from(start)),
        };
        Some(Span {
            memory,
            start,
            bytes: u64::from(words) * WORD_BYTES,
        })
    }

    /// Bytes of a memory from an address on.
    fn bytes_behind(&self, span: Span) -> u64 {
        match span.memory {
            Memory::Tile(tile) => {
                let memory = &self.memory[self.grid.at(tile)];
                u64::from(memory.len()).saturating_sub(span.start)
            }
            Memory::Host => self.host.bytes_behind(span.start),
        }
    }

    /// A channel has sent the first words of a run, the first of which is at a place: `sent` of them in this burst,
    /// of `run.count` that it will read in the same way.
    pub fn words_read(
        &mut self,
        channel: ChannelId,
        bd: u8,
        (run, first): (Run, MemoryPlace),
        sent: u32,
        end: PipeId,
    ) {
        let Some((_, thread)) = self.acting() else {
            return;
        };
        let site = Site(bd.into());
        let pipe = end.0 as usize;
        let mut position = self.net.fabric.pipe(end).pushed - u64::from(sent);
        let (bursts, words) = bursts_of(run, sent);
        for burst in 0..bursts {
            let Some(span) = self.span_of(channel.index, (run, first), burst, words) else {
                return;
            };
            let to = (pipe, position);
            position += u64::from(words);
            let Some(races) = &mut self.races else { return };
            if races.detector.goes_on_sending(thread, span, site, to) {
                continue;
            }
            let ahead = match run.step {
                1 => u64::from(run.count) * WORD_BYTES,
                _ => span.bytes,
            };
            let ahead = ahead.min(self.bytes_behind(span)).max(span.bytes);
            if let (Some(races), Some(stamps)) = (&mut self.races, &mut self.net.fabric.stamps) {
                let detector = &mut races.detector;
                detector.read_to_send(thread, (span, ahead), site, (stamps, to), self.now);
            }
        }
    }

    /// A channel has written (S2MM), or read without sending them as they are (MM2S), the words of a run, the first of which is
    /// at a place.
    pub fn words_accessed(&mut self, channel: ChannelId, bd: u8, (run, first): (Run, MemoryPlace)) {
        let at = self.now;
        let Some((_, thread)) = self.acting() else {
            return;
        };
        let (bursts, words) = bursts_of(run, run.count);
        for burst in 0..bursts {
            let Some(span) = self.span_of(channel.index, (run, first), burst, words) else {
                return;
            };
            let Some(races) = &mut self.races else { return };
            match channel.dir {
                DmaDir::S2mm => races.detector.write(thread, span, Site(bd.into()), at),
                DmaDir::Mm2s => races.detector.read(thread, span, Site(bd.into()), at),
            }
        }
    }

    /// A channel has moved all words of a BD.
    pub fn words_done(&mut self) {
        if let Some((races, thread)) = self.acting() {
            races.detector.record_pending(thread);
        }
    }

    /// A channel begins the task that was pushed first.
    pub fn task_begun(&mut self, channel: ChannelId, out_of_order: bool) {
        if let Some((races, thread)) = self.acting() {
            let stamp = races.tasks.entry(channel).or_default().waiting.pop_front();
            if let Some(stamp) = stamp {
                races.detector.join(thread, &stamp);
            }
            if out_of_order {
                races.detector.imprecise(Imprecision::OutOfOrder(channel));
            }
        }
    }

    /// A channel's token leaves.
    pub fn token_stamped(&mut self, channel: ChannelId, actor: u8) {
        let tile = self.loc;
        if let Some((races, thread)) = self.acting() {
            let stamp = races.detector.stamp(thread);
            races.senders.insert((tile, actor), channel);
            races.tokens.entry(channel).or_default().push_back(stamp);
        }
    }

    /// Requests for a lock were granted.
    pub fn locks_granted(&mut self, lock: LockId, grants: &[Grant]) {
        if let Some(races) = &mut self.races {
            races.granted(lock, grants);
        }
    }

    /// The acting core or channel releases a lock.
    pub fn lock_released(&mut self, lock: LockId, change: i32) {
        let now = self.now;
        if let Some((races, thread)) = self.acting() {
            races.detector.release(thread, lock, change, now);
        }
    }

    /// The acting core sends a transfer to the cascade of a tile.
    pub fn transfer_sent(&mut self, receiver: usize) {
        if let Some((races, thread)) = self.acting() {
            let stamp = races.detector.stamp(thread);
            let transfers = races.transfers.entry(receiver).or_default();
            transfers.push_back(stamp);
        }
    }

    /// The acting core takes a transfer.
    pub fn transfer_taken(&mut self) {
        let tile = self.tile;
        if let Some((races, thread)) = self.acting() {
            let transfers = races.transfers.entry(tile).or_default();
            if let Some(stamp) = transfers.pop_front() {
                races.detector.join(thread, &stamp);
            }
        }
    }
}
