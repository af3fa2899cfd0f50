//! The words of one BD: header, data and padding of an MM2S transfer, data of an S2MM transfer; the
//! banks they come from or go to.

use aiec_device::regmap::BdFields;
use aiec_device::{ChannelId, DmaDir};

use crate::array::address::{Padding, Run, Walk};
use crate::array::bd::{base_word, dims, pads};
use crate::array::pipe::WordBytes;
use crate::array::stream_switch::packet::PacketHeader;
use crate::array::timing::Timing;
use crate::bank::Banks;
use crate::time::{Tick, cycle_at, ticks};

/// Words that are read or written at once.
pub(super) const CHUNK: usize = 64;

/// Words that follow one another at a steady rate.
#[derive(Clone, Copy)]
pub(super) struct WordRate {
    pub first: Tick,
    /// Ticks from one word to the next.
    pub rate: Tick,
    /// Ticks from one word to the next if only the channel limited it.
    pub step: Tick,
}

impl WordRate {
    fn tick(&self, index: usize) -> Tick {
        self.first + index as Tick * self.rate
    }

    /// Earliest tick for the word after the first `count` (at least 1).
    pub fn next(&self, count: usize) -> Tick {
        self.tick(count - 1) + self.step
    }

    /// Number of words, at most `most`, that are due by `limit`; the first always is.
    pub fn up_to(&self, limit: Tick, most: usize) -> usize {
        if self.tick(most.max(1) - 1) <= limit {
            return most;
        }
        // later words are, so the rate isn't 0
        most.min(((limit - self.first) / self.rate) as usize + 1)
    }

    /// Ticks that the stream lets the channel wait between `count` words (at least 1).
    pub fn stall(&self, count: usize) -> Tick {
        (count as Tick - 1) * (self.rate - self.step)
    }
}

/// The BD in progress.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(super) walk: Walk,
    padding: Option<Padding>,
    /// The header still has to be sent.
    header: Option<u32>,
    /// The next word moves at this tick or later.
    pub next: Tick,
    /// TLAST ended the transfer before its length (finish on TLAST, out of order).
    pub(super) cut: bool,
    /// The last word that was taken had TLAST.
    pub tlast: bool,
    /// The line of memory accessed last: tile and number.
    line: Option<(usize, u32)>,
}

impl Transfer {
    /// The transfer that a BD describes, for a channel. One of length 0 has no header either.
    pub fn new(bd: &BdFields, channel: ChannelId) -> Transfer {
        let (mut header, mut padding) = (None, None);
        if channel.dir == DmaDir::Mm2s && bd.length > 0 {
            header = bd.packet().map(|(id, kind)| {
                PacketHeader::new(id, kind, channel.tile).naming_bd(bd.out_of_order_id)
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

    /// The words of memory not yet moved, in the order in which they will be.
    pub fn runs_left(&self) -> impl Iterator<Item = Run> + use<> {
        let mut walk = self.walk.clone();
        std::iter::from_fn(move || {
            let run = (walk.left() > 0).then(|| walk.run())?;
            walk.advance(run.count);
            Some(run)
        })
    }

    /// Words of memory not yet moved.
    pub fn left(&self) -> u32 {
        self.walk.left()
    }

    /// The header still has to be sent.
    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }

    pub fn is_done(&self) -> bool {
        let moved = match &self.padding {
            Some(padding) => padding.is_done(),
            None => self.walk.left() == 0,
        };
        self.cut || self.header.is_none() && moved
    }

    /// Where the next words, at most `most`, are in memory; else `word` is the next one, of the header or
    /// padding.
    pub(super) fn next_words(
        &self,
        most: usize,
        pad_value: u32,
        word: &mut WordBytes,
    ) -> Option<Run> {
        let pads = self.padding.as_ref().is_some_and(Padding::pads_next);
        if self.header.is_some() || pads {
            *word = self.header.unwrap_or(pad_value).to_le_bytes();
            return None;
        }
        let mut run = self.run_ahead();
        run.count = run.count.min(most as u32);
        Some(run)
    }

    /// The words of memory that it will move one after the other from here on.
    pub(super) fn run_ahead(&self) -> Run {
        let run = self.walk.run();
        match self.padding {
            Some(_) => Run { count: 1, ..run },
            None => run,
        }
    }

    /// Whether the transfer is done after `count` of these words.
    pub(super) fn ends_with(&self, count: usize) -> bool {
        if self.padding.is_none() {
            return self.header.is_none() && self.walk.left() as usize == count;
        }
        let mut after = self.clone();
        after.sent(count as u32);
        after.is_done()
    }

    /// `count` of these words were sent.
    pub(super) fn sent(&mut self, count: u32) {
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

    /// Word `index` of a run is accessed next: waits for its bank where a new line begins.
    pub(super) fn access(
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
        let byte = byte.wrapping_add((index as u64 * run.step) as u32 * WORD);
        let line = (tile, banks.line(byte));
        if self.line != Some(line) {
            self.line = Some(line);
            self.next += late(banks, byte, self.next, timing);
        }
    }

    /// Same for the words after the first of a burst, which is word `index` of a run. Returns how
    /// many words, `count` at most, the burst has until one waits for its bank; `next` then is when
    /// that can move.
    pub(super) fn access_more(
        &mut self,
        banks: &mut [Banks],
        place: &Option<(usize, u32)>,
        (run, index, count): (Run, usize, usize),
        burst: WordRate,
        timing: &Timing,
    ) -> usize {
        let Some((tile, start)) = *place else {
            return count;
        };
        let banks = &mut banks[tile];
        if !banks.is_on() {
            return count;
        }
        let byte = |at: usize| {
            let word = ((index + at) as u64).wrapping_mul(run.step) as u32;
            start.wrapping_add(word.wrapping_mul(WORD))
        };
        let line_bytes = banks.line_bytes();
        if run.step != 1 {
            for at in 1..count {
                let line = (tile, banks.line(byte(at)));
                if self.line != Some(line) {
                    self.line = Some(line);
                    let next = burst.next(at);
                    let late = late(banks, byte(at), next, timing);
                    if late > 0 {
                        self.next = next + late;
                        return at;
                    }
                }
            }
            return count;
        }
        // Neighbours share a line up to its end.
        let left = line_bytes - byte(0) % line_bytes;
        let mut at = (left / WORD) as usize;
        if at >= count {
            return count;
        }
        let mut address = byte(0).wrapping_add(left);
        let words = (line_bytes / WORD) as usize;
        let mut next = burst.next(at);
        loop {
            if !banks.access_at(address, cycle_at(next)) {
                let late = late(banks, address, next, timing);
                if late > 0 {
                    self.line = Some((tile, banks.line(address)));
                    self.next = next + late;
                    return at;
                }
            }
            at += words;
            if at >= count {
                self.line = Some((tile, banks.line(address)));
                return count;
            }
            address = address.wrapping_add(line_bytes);
            next += words as Tick * burst.rate;
        }
    }
}

/// Ticks by which a channel that moves a word at a tick has to wait for its bank.
#[inline(always)]
fn late(banks: &mut Banks, byte: u32, tick: Tick, timing: &Timing) -> Tick {
    let wanted = cycle_at(tick);
    let granted = banks.access(byte, wanted);
    ticks(granted.saturating_sub(wanted + timing.bank_slack))
}

/// Bytes of a word.
const WORD: u32 = 4;
