//! Moving the words of one BD: header, data and padding of an MM2S transfer, data of an S2MM
//! transfer; the banks they come from or go to. Words move in bursts that end where the stream stops or the clock is too far behind.

use aiec_device::regmap::BdFields;
use aiec_device::{DmaDir, TileKind, TileLoc};

use super::address::{Padding, Run, Walk};
use super::bd::{WORD_BYTES, base_word, dims, pads};
use super::channel::Channel;
use super::target;
use crate::array::bank::Banks;
use crate::array::fault::DmaFault;
use crate::array::note::Note;
use crate::array::stream_switch::packet::PacketHeader;
use crate::array::timing::Timing;
use crate::array::world::World;
use crate::time::{TICKS_PER_CYCLE, Tick, cycle_at, ticks};

/// Words that are read or written at once.
const CHUNK: usize = 64;

/// Most extra ticks of a burst when latencies are random.
const JITTER: Tick = 24;

/// The BD in progress.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    walk: Walk,
    padding: Option<Padding>,
    /// The header still has to be sent.
    header: Option<u32>,
    /// The next word moves at this tick or later.
    pub next: Tick,
    /// TLAST ended the transfer before its length (finish on TLAST, out of order).
    cut: bool,
    /// The last word that was taken had TLAST.
    pub tlast: bool,
    /// The line of memory accessed last: tile and number.
    line: Option<(usize, u64)>,
}

impl Transfer {
    /// The transfer that a BD describes, for a channel of a tile.
    pub fn new(bd: &BdFields, dir: DmaDir, tile: TileLoc) -> Transfer {
        let (mut header, mut padding) = (None, None);
        if dir == DmaDir::Mm2s {
            header = bd.packet().map(|(id, kind)| {
                PacketHeader {
                    id,
                    kind,
                    source: tile,
                }
                .naming_bd(bd.out_of_order_id)
            });
            padding = Padding::new(pads(bd), &dims(bd), bd.length);
        }
        let walk = Walk::new(base_word(bd), bd.length, dims(bd));
        Transfer {
            walk,
            padding,
            header,
            next: 0,
            cut: false,
            tlast: false,
            line: None,
        }
    }

    /// Words of memory not yet moved.
    pub fn left(&self) -> u32 {
        self.walk.left()
    }

    pub fn is_done(&self) -> bool {
        let moved = match &self.padding {
            Some(padding) => padding.is_done(),
            None => self.walk.left() == 0,
        };
        self.cut || self.header.is_none() && moved
    }

    /// The next at most `most` words. Header and padding words are put into `words`.
    fn next_words(&self, most: usize, pad_value: u32, words: &mut [u32; CHUNK]) -> Source {
        if let Some(header) = self.header {
            words[0] = header;
            return Source::Ready(1);
        }
        let mut run = self.walk.run();
        match &self.padding {
            Some(padding) if padding.pads_next() => {
                words[0] = pad_value;
                return Source::Ready(1);
            }
            Some(_) => run.count = run.count.min(1),
            None => {}
        }
        run.count = run.count.min(most as u32);
        Source::Memory(run)
    }

    /// Whether the transfer is over after `count` of these words.
    fn ends_with(&self, count: usize) -> bool {
        if self.padding.is_none() {
            return self.header.is_none() && self.walk.left() as usize == count;
        }
        let mut after = self.clone();
        after.sent(count as u32);
        after.is_done()
    }

    /// `count` of these words were sent.
    fn sent(&mut self, count: u32) {
        if self.header.take().is_some() {
            return;
        }
        match &mut self.padding {
            None => self.walk.advance(count),
            Some(padding) => {
                if !padding.pads_next() {
                    self.walk.advance(count);
                }
                padding.advance();
            }
        }
    }
}

impl Transfer {
    /// Word `index` of a run is accessed next: waits for its bank where a new line begins.
    fn access(
        &mut self,
        banks: &mut [Banks],
        place: &Option<(usize, u32)>,
        run: Run,
        index: usize,
        timing: &Timing,
    ) {
        let Some((tile, byte)) = *place else { return };
        let banks = &mut banks[tile];
        if !banks.is_on() {
            return;
        }
        let byte = byte.wrapping_add((index as u64 * run.step) as u32 * 4);
        let line = (tile, u64::from(byte / banks.line_bytes()));
        if self.line == Some(line) {
            return;
        }
        self.line = Some(line);
        let wanted = cycle_at(self.next);
        let granted = banks.access(byte, wanted);
        let late = granted.saturating_sub(wanted + timing.bank_slack);
        self.next += ticks(late);
    }
}

/// Shorter stalls of a stream are not told to an observer.
const LONG_STALL: Tick = 2 * TICKS_PER_CYCLE;

/// Where the next words of an MM2S transfer come from.
#[derive(Clone, Copy)]
enum Source {
    /// They were filled in (a header or padding): so many.
    Ready(usize),
    Memory(Run),
}

impl Channel {
    /// Ticks from one word to the next.
    fn step(&self, world: &World) -> Tick {
        let words = match world.kind {
            TileKind::ShimNoc | TileKind::ShimPl => world.timing.host_words_per_cycle,
            _ => world.timing.words_per_cycle,
        };
        (TICKS_PER_CYCLE / u64::from(words)).max(1)
    }

    /// Tells an observer which words of memory were accessed.
    fn note_access(&self, run: Run, world: &mut World) {
        let (dir, channel) = (self.dir, self.number);
        world.note(world.now, || Note::Access {
            dir,
            channel,
            address: run.start.wrapping_mul(WORD_BYTES),
            words: run.count,
        });
    }

    /// MM2S: sends words until something stops it.
    pub(super) fn send(&mut self, world: &mut World) -> Result<(), DmaFault> {
        let step = self.step(world);
        let me = world.me;
        let limit = ticks(world.now + world.timing.lookahead);
        let observed = world.is_observed();
        let mut words = [0; CHUNK];
        while !self.transfer.is_done() {
            let end = self.output(world);
            let space = world.net.fabric.pipe(end).space().min(CHUNK);
            if space == 0 {
                world.net.fabric.sleep_for_space(end, me);
                return Ok(());
            }
            if world.net.fabric.sched.jitter.is_on() {
                self.transfer.next += world.net.fabric.sched.jitter.draw(JITTER);
            }
            let source = self.transfer.next_words(space, self.pad_value, &mut words);
            let count = match source {
                Source::Ready(count) => count,
                Source::Memory(run) => {
                    target::read(world, self.number, run, &mut words)?;
                    run.count as usize
                }
            };
            let place = match source {
                Source::Memory(run) => target::memory_of(world, self.number, run.start),
                Source::Ready(_) => None,
            };
            let ends = self.transfer.ends_with(count) && !self.bd.tlast_suppress;
            let mut sent = 0;
            let mut later = None;
            while sent < count {
                let fabric = &mut world.net.fabric;
                let Some(entry) = fabric.entry(end) else {
                    break;
                };
                if let Source::Memory(run) = source {
                    self.transfer
                        .access(world.banks, &place, run, sent, world.timing);
                }
                let tick = entry.max(self.transfer.next);
                if tick > limit {
                    later = Some(cycle_at(tick));
                    break;
                }
                self.counts.stream_stall += tick - self.transfer.next;
                if observed && tick >= self.transfer.next + LONG_STALL {
                    world.events.note_stall(
                        world.tile,
                        self.dir,
                        self.number,
                        self.transfer.next,
                        tick,
                    );
                }
                let word = words[sent];
                sent += 1;
                fabric.push(end, me, tick, word, ends && sent == count);
                self.transfer.next = tick + step;
            }
            self.counts.words += sent as u64;
            if let Some((tile, _)) = place {
                world.tell_conflicts(tile);
            }
            if let Source::Memory(run) = source
                && observed
                && sent > 0
            {
                let count = sent as u32;
                self.note_access(Run { count, ..run }, world);
            }
            if let (Source::Memory(run), true) = (source, world.kind.is_shim()) {
                world.touch_host(Run {
                    count: sent as u32,
                    ..run
                });
            }
            if sent > 0 {
                self.transfer.sent(sent as u32);
            }
            if let Some(at) = later {
                self.later(at, world);
                return Ok(());
            }
        }
        Ok(())
    }

    /// S2MM: takes words until something stops it.
    pub(super) fn take(&mut self, world: &mut World) -> Result<(), DmaFault> {
        let step = self.step(world);
        let limit = ticks(world.now + world.timing.lookahead);
        let observed = world.is_observed();
        let mut words = [0; CHUNK];
        while !self.transfer.is_done() {
            let fabric = &mut world.net.fabric;
            if fabric.sched.jitter.is_on() {
                self.transfer.next += fabric.sched.jitter.draw(JITTER);
            }
            let mut run = self.transfer.walk.run();
            let most = (run.count as usize).min(CHUNK);
            let place = target::memory_of(world, self.number, run.start);
            let fabric = &mut world.net.fabric;
            let mut count = 0;
            let mut later = None;
            while count < most && !self.transfer.cut {
                let Some(head) = fabric.pipe(self.stream).front() else {
                    break;
                };
                self.transfer
                    .access(world.banks, &place, run, count, world.timing);
                let tick = head.tick.max(self.transfer.next);
                if tick > limit {
                    later = Some(cycle_at(tick));
                    break;
                }
                fabric.pop(self.stream, tick);
                self.counts.stream_stall += tick - self.transfer.next;
                if observed && tick >= self.transfer.next + LONG_STALL {
                    world.events.note_stall(
                        world.tile,
                        self.dir,
                        self.number,
                        self.transfer.next,
                        tick,
                    );
                }
                self.transfer.next = tick + step;
                words[count] = head.word;
                count += 1;
                self.transfer.tlast = head.last;
                self.transfer.cut = head.last && self.ends_at_tlast();
            }
            self.counts.words += count as u64;
            if let Some((tile, _)) = place {
                world.tell_conflicts(tile);
            }
            run.count = count as u32;
            target::write(world, self.number, run, &words[..count])?;
            if observed && count > 0 {
                self.note_access(run, world);
            }
            if world.kind.is_shim() && count > 0 {
                world.touch_host(run);
            }
            self.transfer.walk.advance(run.count);
            if let Some(at) = later {
                self.later(at, world);
                return Ok(());
            }
            if count < most && !self.transfer.cut {
                world.net.fabric.sleep_for_data(self.stream);
                return Ok(());
            }
        }
        Ok(())
    }
}
