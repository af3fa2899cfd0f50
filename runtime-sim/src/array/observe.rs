//! Observing the array from outside: trace events, breakpoints, lock changes.

use std::rc::Rc;

use aiec_device::regmap::SwitchSlave;
use aiec_device::{ChannelId, LockId, TileLoc};

use super::Array;
use super::actor::ActorId;
use super::breakpoint::Breakpoint;
use super::bursts::{Burst, BurstRecorder};
use super::core_tile::CoreTile;
use super::lock::LockChange;
use super::pipe::PipeId;
use super::totals::{LockStalls, Totals};
use super::trace_event::{TraceEvent, TraceRecord};
use super::trace_log::{ProgramLoops, TraceLog};
use super::trace_spill::SpilledTrace;
use crate::external_sort::{Scratch, SpilledItems};
use crate::time::{Cycle, TICKS_PER_CYCLE, cycle_at};

impl Array {
    /// Keeps trace events from a cycle on, `limit` at most, for [`Array::take_trace`].
    pub fn keep_trace(&mut self, from: Cycle, limit: usize) {
        let log = self.log();
        (log.from, log.limit) = (from, limit);
    }

    /// Keeps trace events of waits, and of what ends them: `limit` at most, or all in scratch files. Words are watched for
    /// the totals of ports only.
    pub(crate) fn keep_waits(&mut self, limit: usize, scratch: Option<&Rc<dyn Scratch>>) {
        let log = self.log();
        (log.waits_only, log.limit) = (true, limit);
        log.spilled = scratch.map(SpilledItems::new);
        let bursts = scratch.map(SpilledItems::new);
        let bursts = bursts.map(|spilled| BurstRecorder::spilling(u64::MAX, spilled));
        let bursts = bursts.unwrap_or_else(|| BurstRecorder::new(0, 0));
        self.net.fabric.watch_all(bursts);
    }

    fn log(&mut self) -> &mut TraceLog {
        self.events.log.get_or_insert_default()
    }

    /// Watches the words that pass each port from now on: cycles by state for [`super::ArrayView::stats`],
    /// and trace events too from a cycle on, `limit` at most.
    pub fn watch_words(&mut self, from: Cycle, limit: usize) {
        let bursts = BurstRecorder::new(from * TICKS_PER_CYCLE, limit);
        self.net.fabric.watch_all(bursts);
    }

    /// Keeps all trace events from a cycle on, of words that pass ports too, in scratch files for
    /// [`Array::take_spilled_trace`].
    pub(crate) fn spill_trace(&mut self, from: Cycle, scratch: &Rc<dyn Scratch>) {
        let log = self.log();
        (log.from, log.spilled) = (from, Some(SpilledItems::new(scratch)));
        let spilled = SpilledItems::new(scratch);
        let bursts = BurstRecorder::spilling(from * TICKS_PER_CYCLE, spilled);
        self.net.fabric.watch_all(bursts);
    }

    /// The trace in scratch files, if there is one; it ends here.
    pub(crate) fn take_spilled_trace(&mut self) -> Option<SpilledTrace> {
        let records = self.events.log.as_mut()?.spilled.take()?;
        self.net.fabric.end_bursts(self.now * TICKS_PER_CYCLE);
        Some(SpilledTrace {
            records,
            bursts: self.net.fabric.bursts.as_mut()?.take_spilled()?,
            from: self.events.log.as_ref().map_or(0, |log| log.from),
        })
    }

    /// Sums up the states of jobs and the reasons of waits, for [`Array::totals`].
    pub fn keep_totals(&mut self) {
        self.log().totals.get_or_insert_default();
    }

    /// Sums of jobs and of waits, if they are kept.
    pub fn totals(&self) -> Option<&Totals> {
        self.events.log.as_ref()?.totals.as_ref()
    }

    /// Records calls and loops of cores that start from now on; loops are those of these programs.
    pub(crate) fn follow_core_scopes(&mut self, programs: Vec<ProgramLoops>) {
        self.log().loops = Some(programs);
    }

    /// Records the calls and loops that cores are in when the run ends.
    pub(crate) fn end_core_scopes(&mut self) {
        for (tile, core) in self.cores.iter_mut().enumerate() {
            if let Some(core) = core {
                core.end_scopes(&mut self.events, tile, None);
            }
        }
    }

    /// Marks a run as begun, or as completed: then the open waits, as those of endless cores after
    /// their last objects, aren't stalls.
    pub(crate) fn rest(&mut self, completed: bool) {
        self.rests = completed;
    }

    /// Time that each actor waited for each lock, if it was summed up: cores first, then channels.
    pub fn lock_stalls(&self) -> Option<Vec<(ActorId, LockId, LockStalls)>> {
        let totals = self.totals()?;
        Some(totals.locks(self.view().open_stalls_until()))
    }

    /// Stops [`Array::advance_until_news`] at the first of these from now on.
    pub fn stop_at(&mut self, breakpoints: Vec<Breakpoint>) {
        self.log().breakpoints = breakpoints;
        let Some(log) = self.events.log.as_deref() else {
            return;
        };
        for (info, core) in self.grid.tiles.iter().zip(&mut self.cores) {
            if let Some(core) = core {
                core.stop_at(log, info.loc, &self.grid);
            }
        }
    }

    /// The breakpoints, with the times that each has to be come to still.
    pub(crate) fn breakpoints(&self) -> &[Breakpoint] {
        let log = self.events.log.as_ref();
        log.map_or(&[], |log| &log.breakpoints)
    }

    /// Goes on from the breakpoint that the run came to.
    pub(crate) fn resume(&mut self) {
        let log = self.log();
        log.passed = log.hit.take().map(|(_, record)| record);
    }

    /// Whether a controller, which comes to an instruction, is to leave it for now: the run has come to a breakpoint there.
    pub(crate) fn stops_in_front(&self) -> bool {
        let log = self.events.log.as_ref();
        log.is_some_and(|log| log.stops_in_front && log.hit.is_some())
    }

    /// Nothing is done ahead of the clock from now on, but for what cores compute between branches, and controllers stop in
    /// front of instructions: what a debugger shows is of one moment.
    pub(crate) fn follow_clock(&mut self) {
        self.timing.lookahead = 1;
        self.log().stops_in_front = true;
    }

    /// The breakpoint that the run came to, and its event.
    pub fn stopped(&self) -> Option<(usize, TraceRecord)> {
        self.events.log.as_ref()?.hit
    }

    /// Whether the run came to a breakpoint.
    pub(super) fn is_stopped(&self) -> bool {
        let log = self.events.log.as_ref();
        log.is_some_and(|log| log.hit.is_some())
    }

    /// The trace since the last call, in the order of simulation, words at ports after the others.
    pub fn take_trace(&mut self) -> Vec<TraceRecord> {
        let mut records = self.events.log.as_mut().map(|log| log.take());
        let bursts = self.net.fabric.end_bursts(self.now * TICKS_PER_CYCLE);
        let words = bursts.into_iter().map(|burst| self.port_record(burst));
        records.get_or_insert_default().extend(words);
        let from = self.events.log.as_ref().map_or(0, |log| log.from);
        let records = records.into_iter().flatten();
        records.filter(|record| record.at >= from).collect()
    }

    /// The registers of a core that executes machine code, with their names and values.
    pub fn core_register_values(&self, tile: TileLoc) -> Vec<(String, String)> {
        let core = self.core(tile);
        core.map(CoreTile::register_values).unwrap_or_default()
    }

    /// The last change of a lock, if there was one.
    pub fn lock_change(&self, lock: LockId) -> Option<LockChange> {
        self.locks[self.grid.index(lock.tile)?].last_change(lock.index.into())
    }

    /// The DMA channel that an actor id of tokens names.
    pub fn token_sender(&self, tile: TileLoc, actor: u8) -> Option<ChannelId> {
        let arch = self.device.arch();
        let (dir, index) = arch.actor_channel(self.device.tile_kind(tile)?, actor)?;
        Some(ChannelId::new(tile, dir, index))
    }

    /// The cycle from which on trace events are kept.
    pub fn trace_begin(&self) -> Cycle {
        self.events.log.as_ref().map_or(0, |log| log.from)
    }

    /// The cycle of the first trace event beyond the limit.
    pub fn trace_overflow(&self) -> Option<Cycle> {
        let log = self.events.log.as_ref().and_then(|log| log.overflow);
        let bursts = self.net.fabric.bursts.as_ref();
        let words = bursts.and_then(|bursts| bursts.overflow);
        let words = words.map(|tick| tick / TICKS_PER_CYCLE);
        [log, words].into_iter().flatten().min()
    }

    /// Records a trace event, if there is an observer.
    #[inline]
    pub(crate) fn trace(&mut self, tile: TileLoc, at: Cycle, event: impl FnOnce() -> TraceEvent) {
        self.events.trace_at(tile, at, event);
    }

    pub(super) fn port_record(&self, burst: Burst) -> TraceRecord {
        let place = self.net.place(PipeId(burst.pipe));
        let switch = &self.net.switches[place.tile];
        let packets = if place.slave {
            switch.slaves[place.index].config == SwitchSlave::Packet
        } else {
            switch.masters[place.index].drops_header() == Some(false)
        };
        let port = self.view().port_actor(place);
        let until = cycle_at(burst.until);
        let event = match burst.words {
            0 => TraceEvent::PortStalled { port, until },
            words => TraceEvent::PortBurst {
                port,
                until,
                words,
                header: burst.first.filter(|_| packets),
                first: burst.first.is_some(),
                last: burst.last,
            },
        };
        let (at, tile) = (burst.from / TICKS_PER_CYCLE, port.tile());
        TraceRecord { at, tile, event }
    }
}
