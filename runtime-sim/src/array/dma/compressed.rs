//! Moving the words of a BD whose channel compresses (MM2S) or decompresses (S2MM) them: unit by unit.
//!
//! Memory and stream move a word of a unit a step each, so that a unit takes the time of the side that has more of
//! them. The cycles that the first unit of a BD spends between both sides aren't modelled. Units end with their BD: the
//! last one of an MM2S BD may be short, that of an S2MM BD must not have bytes beyond it.

use aiec_device::DmaDir;

use super::channel::Channel;
use super::compression::{Format, MAX_UNIT_WORDS, PackedStream, Unit};
use super::target::{self, MemoryPlace};
use crate::array::address::Run;
use crate::array::fault::DmaFault;
use crate::array::pipe::WordBytes;
use crate::array::tile_context::TileContext;
use crate::time::{Tick, cycle_at, ticks};

/// Most extra ticks of a unit when latencies are random.
const JITTER: Tick = 24;

impl Channel {
    /// Moves units of the BD in progress until something stops it.
    #[inline(never)]
    pub(super) fn stream_packed(&mut self, ctx: &mut TileContext) -> Result<(), DmaFault> {
        let Some(mut packed) = self.packed.take() else {
            return Ok(());
        };
        let result = match self.id.dir {
            DmaDir::Mm2s => self.send_packed(&mut packed, ctx),
            DmaDir::S2mm => self.take_packed(&mut packed, ctx),
        };
        self.packed = Some(packed);
        result
    }

    /// MM2S: sends units. The header of a packet isn't part of one.
    fn send_packed(
        &mut self,
        packed: &mut PackedStream,
        ctx: &mut TileContext,
    ) -> Result<(), DmaFault> {
        while self.transfer.has_header() {
            if !self.send_run(ctx)? {
                return Ok(());
            }
        }
        loop {
            if packed.is_between_units() {
                if self.transfer.is_done() || !self.is_due(self.transfer.next, ctx) {
                    return Ok(());
                }
                let unit = self.read_unit(packed.format, ctx)?;
                // Its first words are sent as if they had been read before: only conflicts in banks put them off.
                packed.memory_until = self.transfer.next;
                self.transfer.next -= self.time_of(unit.len(), ctx);
                (packed.unit, packed.sent) = (packed.format.pack(&unit), 0);
            }
            if !self.send_unit(packed, ctx) {
                return Ok(());
            }
            packed.unit.clear();
            self.transfer.next = self.transfer.next.max(packed.memory_until);
            self.transfer.next += ctx.net.fabric.sched.jitter.draw(JITTER);
        }
    }

    /// The words of the next unit; the time goes on to when they are read.
    fn read_unit(&mut self, format: Format, ctx: &mut TileContext) -> Result<Unit, DmaFault> {
        let mut unit = Unit::new();
        let mut word = WordBytes::default();
        while unit.len() < format.unit_words() && !self.transfer.is_done() {
            let most = format.unit_words() - unit.len();
            let Some(run) = self.transfer.next_words(most, self.pad_value, &mut word) else {
                unit.push(word);
                self.transfer.next += self.time_of(1, ctx);
                self.transfer.sent(1);
                continue;
            };
            let first = self.access_run(run, ctx)?;
            match target::neighbours(ctx.memory, ctx.host, run, first)? {
                Some(words) => unit.extend_from_slice(words),
                None => {
                    let words = &mut [WordBytes::default(); MAX_UNIT_WORDS][..run.count as usize];
                    target::read(ctx, self.id.index, run, words)?;
                    unit.extend_from_slice(words);
                }
            }
            self.transfer.sent(run.count);
        }
        self.count_words(unit.len());
        Ok(unit)
    }

    /// Sends the words of a unit; false if they can't all be sent now.
    fn send_unit(&mut self, packed: &mut PackedStream, ctx: &mut TileContext) -> bool {
        let step = self.time_of(1, ctx);
        let end = self.output(ctx);
        while let Some(word) = packed.unit.get(packed.sent) {
            let Some(entry) = ctx.net.fabric.pipe(end).entry() else {
                ctx.net.fabric.sleep_for_space(end, ctx.me);
                return false;
            };
            let first = entry.max(self.transfer.next);
            if !self.is_due(first, ctx) {
                return false;
            }
            self.stalled_until(first, ctx);
            packed.sent += 1;
            let is_last = packed.sent == packed.unit.len() && self.transfer.is_done();
            let last = is_last && !self.bd.tlast_suppress;
            let word = std::slice::from_ref(word);
            let fabric = &mut ctx.net.fabric;
            fabric.push_burst(end, ctx.me, (first, step), word, last);
            ctx.stamp_sent(end, 1);
            self.transfer.next = first + step;
        }
        true
    }

    /// S2MM: takes units.
    fn take_packed(
        &mut self,
        packed: &mut PackedStream,
        ctx: &mut TileContext,
    ) -> Result<(), DmaFault> {
        while !self.transfer.is_done() {
            if !self.take_unit(packed, ctx)? {
                return Ok(());
            }
            let unit = packed.format.unpack(&packed.unit);
            packed.unit.clear();
            self.transfer.next = self.transfer.next.max(packed.memory_until);
            self.write_unit(&unit, ctx)?;
            self.transfer.cut = self.transfer.tlast && self.ends_at_tlast();
            self.transfer.next += ctx.net.fabric.sched.jitter.draw(JITTER);
        }
        Ok(())
    }

    /// Takes the words of a unit; false if they can't all be taken now.
    fn take_unit(
        &mut self,
        packed: &mut PackedStream,
        ctx: &mut TileContext,
    ) -> Result<bool, DmaFault> {
        let step = self.time_of(1, ctx);
        while packed.format.missing(&packed.unit) > 0 {
            let Some(head) = ctx.net.fabric.pipe(self.stream).front() else {
                ctx.net.fabric.sleep_for_data(self.stream);
                return Ok(false);
            };
            let first = head.tick.max(self.transfer.next);
            if !self.is_due(first, ctx) {
                return Ok(false);
            }
            self.stalled_until(first, ctx);
            if packed.is_between_units() {
                let left = self.transfer.left() as usize;
                let words = packed.format.unit_words().min(left);
                packed.memory_until = first + self.time_of(words, ctx);
            }
            let mut word = [WordBytes::default()];
            let fabric = &mut ctx.net.fabric;
            fabric.pop_burst(self.stream, (first, step), &mut word);
            ctx.stamp_taken(self.stream, 1);
            packed.unit.extend(word);
            self.transfer.next = first + step;
            self.transfer.tlast = head.last;
            if head.last && packed.format.missing(&packed.unit) > 0 {
                return Err(DmaFault::DecompressionUnderflow);
            }
        }
        Ok(true)
    }

    /// Writes the words of a unit that the BD has room for, the last of which is written in time.
    fn write_unit(&mut self, unit: &[WordBytes], ctx: &mut TileContext) -> Result<(), DmaFault> {
        let room = unit.len().min(self.transfer.left() as usize);
        let (mut inside, beyond) = unit.split_at(room);
        self.transfer.next -= self.time_of(room, ctx);
        while !inside.is_empty() {
            let mut run = self.transfer.walk.run();
            run.count = run.count.min(inside.len() as u32);
            let (words, rest) = inside.split_at(run.count as usize);
            let first = self.access_run(run, ctx)?;
            target::write(ctx, self.id.index, (run, first), words)?;
            self.transfer.walk.advance(run.count);
            inside = rest;
        }
        self.count_words(room);
        if beyond.as_flattened().iter().any(|byte| *byte != 0) {
            return Err(DmaFault::Unsupported(
                "a compressed unit that goes over the end of its BD",
            ));
        }
        Ok(())
    }

    /// Accesses the words of a run, which is part of a unit; the time goes on by theirs. Returns where the first is.
    fn access_run(&mut self, run: Run, ctx: &mut TileContext) -> Result<MemoryPlace, DmaFault> {
        let step = self.time_of(1, ctx);
        let first = self.near.place(ctx, self.id.index, run.start)?;
        let place = first.in_banks(ctx);
        for index in 0..run.count as usize {
            self.transfer
                .access(ctx.banks, &place, run, index, ctx.timing);
            self.transfer.next += step;
        }
        if let Some((tile, _)) = place {
            ctx.report_conflicts(tile);
        }
        ctx.words_accessed(self.id, self.bd_id, (run, first));
        if ctx.events.records_accesses() {
            self.trace_access(run, ctx);
        }
        Ok(first)
    }

    /// Ticks of words one after the other.
    fn time_of(&self, words: usize, ctx: &TileContext) -> Tick {
        words as Tick * self.step(ctx)
    }

    /// Whether something may be done at a tick now; else it is looked at again then.
    fn is_due(&mut self, tick: Tick, ctx: &mut TileContext) -> bool {
        let is_due = tick <= ticks(ctx.now + ctx.timing.lookahead);
        if !is_due {
            self.later(cycle_at(tick), ctx);
        }
        is_due
    }
}
