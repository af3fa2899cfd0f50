//! Moving the words of a transfer: in bursts that end where the stream stops or the clock lags too
//! far.

use aiec_device::{DmaDir, WORD_BYTES};

use super::channel::Channel;
use super::target::{self, MemoryPlace};
use super::transfer::{CHUNK, WordRate};
use crate::array::actor::ActorId;
use crate::array::address::Run;
use crate::array::event::Events;
use crate::array::fault::DmaFault;
use crate::array::pipe::{WordBytes, steady};
use crate::array::tile_context::TileContext;
use crate::array::trace_event::TraceEvent;
use crate::time::{TICKS_PER_CYCLE, Tick, cycle_at, ticks};

/// Most extra ticks of a burst when latencies are random.
const JITTER: Tick = 24;
/// Shorter stalls of a stream are not recorded.
const LONG_STALL: Tick = 2 * TICKS_PER_CYCLE;

/// The words of a burst of `most` that are moved at once: one if an observer records the stall of each.
fn most_observed(observed: bool, (rate, step): (Tick, Tick), most: usize) -> usize {
    if observed && rate >= step + LONG_STALL {
        most.min(1)
    } else {
        most
    }
}

impl Channel {
    /// Ticks from one word to the next.
    pub(super) fn step(&self, ctx: &TileContext) -> Tick {
        let words = if ctx.kind.is_shim() {
            ctx.timing.host_words_per_cycle
        } else {
            ctx.timing.words_per_cycle
        };
        (TICKS_PER_CYCLE / u64::from(words.max(1))).max(1)
    }

    /// Counts words that have moved, or words of memory where the stream is compressed.
    #[inline]
    pub(super) fn count_words(&mut self, words: usize) {
        self.counts.words += words as u64;
    }

    /// Records which words of memory were accessed.
    pub(super) fn trace_access(&self, run: Run, ctx: &mut TileContext) {
        let channel = self.id;
        ctx.trace(ctx.now, || TraceEvent::MemoryAccess {
            channel,
            address: run.start.wrapping_mul(WORD_BYTES),
            words: run.count,
        });
        if ctx.events.watches_memory() {
            self.trace_watched(run, ctx);
        }
    }

    /// Records each word that a breakpoint watches.
    #[cold]
    fn trace_watched(&self, run: Run, ctx: &mut TileContext) {
        for word in 0..u64::from(run.count) {
            let at = run.start.wrapping_add(word.wrapping_mul(run.step));
            // Words that can't be accessed end the task with a fault.
            let Ok(MemoryPlace::Tile(tile, address)) = target::place(ctx, self.id.index, at) else {
                continue;
            };
            let owner = ctx.grid.loc(tile);
            let bytes = WORD_BYTES as u32;
            if ctx.events.watches(owner, address, bytes) {
                let by = Some(ActorId::channel(self.id));
                let writes = self.id.dir == DmaDir::S2mm;
                ctx.events
                    .trace_at(owner, ctx.now, || TraceEvent::WatchedAccess {
                        by,
                        address,
                        bytes,
                        writes,
                    });
            }
        }
    }

    /// The stream lets the channel wait for the next word until a tick.
    pub(super) fn stalled_until(&mut self, until: Tick, ctx: &mut TileContext) {
        self.times.stream_stall += until - self.transfer.next;
        if ctx.is_observed() && until >= self.transfer.next + LONG_STALL {
            self.trace_stall(until, ctx.events);
        }
    }

    /// Records that the stream stalled the next word until a tick.
    #[cold]
    fn trace_stall(&self, until: Tick, events: &mut Events) {
        let (channel, until) = (self.id, cycle_at(until));
        let from = cycle_at(self.transfer.next);
        events.trace_at(channel.tile, from, || TraceEvent::StreamStall {
            channel,
            until,
        });
    }

    /// MM2S: sends words until something stops it.
    pub(super) fn send(&mut self, ctx: &mut TileContext) -> Result<(), DmaFault> {
        while !self.transfer.is_done() && self.send_run(ctx)? {}
        Ok(())
    }

    /// Sends words that follow one another in memory, or a word of the header or padding; false if no more can be sent now.
    #[inline(never)]
    pub(super) fn send_run(&mut self, ctx: &mut TileContext) -> Result<bool, DmaFault> {
        let step = self.step(ctx);
        let me = ctx.me;
        let limit = ticks(ctx.now + ctx.timing.lookahead);
        let observed = ctx.is_observed();
        let records_accesses = ctx.events.records_accesses();
        let mut gathered = None;
        let end = self.output(ctx);
        let mut room = ctx.net.fabric.pipe(end).entry_and_space();
        let Some((_, space)) = room else {
            ctx.net.fabric.sleep_for_space(end, me);
            return Ok(false);
        };
        let mut word = WordBytes::default();
        let run = self
            .transfer
            .next_words(space.min(CHUNK), self.pad_value, &mut word);
        let count = run.map_or(1, |run| run.count as usize);
        let mut read = None;
        let words = match run {
            None => std::slice::from_ref(&word),
            Some(run) => {
                let first = self.near.place(ctx, self.id.index, run.start)?;
                read = Some((run, first));
                match target::neighbours(ctx.memory, ctx.host, run, first)? {
                    Some(words) => words,
                    None => {
                        let words = &mut gathered.insert([WordBytes::default(); CHUNK])[..count];
                        target::read(ctx, self.id.index, run, words)?;
                        words
                    }
                }
            }
        };
        let place = read.and_then(|(_, first)| first.in_banks(ctx));
        let ends = self.transfer.ends_with(count) && !self.bd.tlast_suppress;
        let mut sent = 0;
        let mut later = None;
        while sent < count {
            let fabric = &mut ctx.net.fabric;
            let Some((entry, space)) = room else {
                break;
            };
            if let Some(run) = run {
                self.transfer
                    .access(ctx.banks, &place, run, sent, ctx.timing);
            }
            let first = entry.max(self.transfer.next);
            if first > limit {
                later = Some(cycle_at(first));
                break;
            }
            self.times.stream_stall += first - self.transfer.next;
            if observed && first >= self.transfer.next + LONG_STALL {
                self.trace_stall(first, ctx.events);
            }
            let pipe = fabric.pipe(end);
            let most = if fabric.word_by_word || pipe.is_watched() {
                1
            } else {
                (count - sent).min(space)
            };
            let (rate, most) = steady(first, step.max(pipe.step), &[pipe.free()], most);
            let most = most_observed(observed, (rate, step), most);
            let burst = WordRate { first, rate, step };
            let most = burst.up_to(limit, most);
            let burst_words = match run {
                Some(run) => {
                    let more = (run, sent, most);
                    self.transfer
                        .access_more(ctx.banks, &place, more, burst, ctx.timing)
                }
                None => most,
            };
            if burst_words == most {
                self.transfer.next = burst.next(most);
            }
            self.times.stream_stall += burst.stall(burst_words);
            let sending = &words[sent..sent + burst_words];
            sent += burst_words;
            let last = ends && sent == count;
            fabric.push_burst(end, me, (first, rate), sending, last);
            if sent < count {
                room = fabric.pipe(end).entry_and_space();
            }
        }
        self.count_words(sent);
        if let Some((_, MemoryPlace::Host(address))) = read {
            ctx.host.count_read(address, sent as u64 * WORD_BYTES);
        }
        if let Some((tile, _)) = place {
            ctx.report_conflicts(tile);
        }
        if let Some(run) = run
            && records_accesses
            && sent > 0
        {
            let count = sent as u32;
            self.trace_access(Run { count, ..run }, ctx);
        }
        if sent > 0 {
            match read {
                Some((_, first)) => {
                    let run = (self.transfer.run_ahead(), first);
                    ctx.words_read(self.id, self.bd_id, run, sent as u32, end);
                }
                None => ctx.stamp_sent(end, sent as u32),
            }
            self.transfer.sent(sent as u32);
            // not where nothing has moved: an actor that is woken in vain would be put off each
            // time
            self.transfer.next += ctx.net.fabric.sched.jitter.draw(JITTER);
        }
        if let Some(at) = later {
            self.later(at, ctx);
            return Ok(false);
        }
        // Most bursts fill the pipe: the same would be found at the next word.
        if sent == count
            && !self.transfer.is_done()
            && self.knows_output(ctx)
            && ctx.net.fabric.pipe(end).is_full()
        {
            ctx.net.fabric.sleep_for_space(end, me);
            return Ok(false);
        }
        Ok(true)
    }

    /// S2MM: takes words until something stops it.
    pub(super) fn take(&mut self, ctx: &mut TileContext) -> Result<(), DmaFault> {
        while !self.transfer.is_done() && self.take_run(ctx)? {}
        Ok(())
    }

    /// Takes words that follow one another in memory; false if no more can be taken now.
    #[inline(never)]
    fn take_run(&mut self, ctx: &mut TileContext) -> Result<bool, DmaFault> {
        let step = self.step(ctx);
        let limit = ticks(ctx.now + ctx.timing.lookahead);
        let observed = ctx.is_observed();
        let records_accesses = ctx.events.records_accesses();
        let mut taken_words = None;
        let mut run = self.transfer.walk.run();
        let most = (run.count as usize).min(CHUNK);
        run.count = most as u32;
        let first = self.near.place(ctx, self.id.index, run.start);
        let place = first.as_ref().ok().and_then(|place| place.in_banks(ctx));
        // Words that follow one another in a data memory are taken right into it.
        let to = first.as_ref().ok();
        let to = to.and_then(|first| target::neighbours_to_write(ctx.memory, run, *first));
        let is_written = to.is_some();
        let words = match to {
            Some(words) => words,
            None => &mut taken_words.insert([WordBytes::default(); CHUNK])[..most],
        };
        let fabric = &mut ctx.net.fabric;
        let mut count = 0;
        let mut later = None;
        while count < most && !self.transfer.cut {
            let Some(head) = fabric.pipe(self.stream).front() else {
                break;
            };
            self.transfer
                .access(ctx.banks, &place, run, count, ctx.timing);
            let first = head.tick.max(self.transfer.next);
            if first > limit {
                later = Some(cycle_at(first));
                break;
            }
            self.times.stream_stall += first - self.transfer.next;
            if observed && first >= self.transfer.next + LONG_STALL {
                self.trace_stall(first, ctx.events);
            }
            let arrivals = fabric.pipe(self.stream).arrivals();
            let left = (most - count).min(arrivals.up_to_last());
            let left = fabric.burst_of(self.stream, left);
            let (rate, left) = steady(first, step, &[arrivals], left);
            let left = most_observed(observed, (rate, step), left);
            let burst = WordRate { first, rate, step };
            let left = burst.up_to(limit, left);
            let more = (run, count, left);
            let taken = self
                .transfer
                .access_more(ctx.banks, &place, more, burst, ctx.timing);
            if taken == left {
                self.transfer.next = burst.next(left);
            }
            self.times.stream_stall += burst.stall(taken);
            self.transfer.tlast = arrivals.ends_with_last(taken);
            self.transfer.cut = self.transfer.tlast && self.ends_at_tlast();
            let taking = &mut words[count..count + taken];
            fabric.pop_burst(self.stream, (first, rate), taking);
            count += taken;
        }
        self.count_words(count);
        if let Some((tile, _)) = place {
            ctx.report_conflicts(tile);
        }
        run.count = count as u32;
        if count > 0 {
            ctx.stamp_taken(self.stream, run.count);
            let run = (run, first?);
            ctx.words_accessed(self.id, self.bd_id, run);
            if let Some(words) = taken_words.as_ref().filter(|_| !is_written) {
                target::write(ctx, self.id.index, run, &words[..count])?;
            }
            self.transfer.next += ctx.net.fabric.sched.jitter.draw(JITTER);
        }
        if records_accesses && count > 0 {
            self.trace_access(run, ctx);
        }
        self.transfer.walk.advance(run.count);
        if let Some(at) = later {
            self.later(at, ctx);
            return Ok(false);
        }
        if count < most && !self.transfer.cut {
            ctx.net.fabric.sleep_for_data(self.stream);
            return Ok(false);
        }
        Ok(true)
    }
}
