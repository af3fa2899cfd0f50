//! The records of a run: kept, up to a limit or in scratch files, summed up, and compared with breakpoints.

use std::ops::Range;

use aiec_device::TileLoc;

use super::actor::{ActorId, JobId};
use super::breakpoint::{BreakCondition, Breakpoint, MemoryWatch};
use super::totals::Totals;
use super::trace_event::{TraceEvent, TraceRecord};
use crate::core::WatchedRange;
use crate::external_sort::SpilledItems;
use crate::time::Cycle;

/// The loops of a core's program: of each the first instruction and the one after its last, outer loops first.
#[derive(Clone, Debug)]
pub(crate) struct ProgramLoops {
    pub tile: TileLoc,
    pub checksum: u32,
    pub loops: Vec<Range<u32>>,
}

/// The records of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceLog {
    records: Vec<TraceRecord>,
    /// Where they are kept instead, all of them.
    pub spilled: Option<SpilledItems<TraceRecord>>,
    /// Records that are kept at most.
    pub limit: usize,
    /// When the first was left out.
    pub overflow: Option<Cycle>,
    /// Sums of them, on request.
    pub totals: Option<Totals>,
    /// The job whose instruction is executed now.
    executing: Option<JobId>,
    /// Records of cycles before this one are left out.
    pub from: Cycle,
    /// Only records of waits are kept, and of what ends them.
    pub waits_only: bool,
    /// The run stops at the first of these.
    pub breakpoints: Vec<Breakpoint>,
    /// The loops of programs, if calls and loops of cores are recorded.
    pub loops: Option<Vec<ProgramLoops>>,
    /// The record at which a breakpoint's condition held, and which of them.
    pub hit: Option<(usize, TraceRecord)>,
    /// The record of the last hit, which the run has gone on from: the instruction there is come to again.
    pub passed: Option<TraceRecord>,
    /// Controllers stop in front of the instruction at a breakpoint.
    pub stops_in_front: bool,
}

impl TraceLog {
    /// The memory that breakpoints watch.
    pub fn watches(&self) -> impl Iterator<Item = MemoryWatch> + '_ {
        self.breakpoints.iter().filter_map(|point| match point.on {
            BreakCondition::Memory(watch) => Some(watch),
            _ => None,
        })
    }

    /// Ranges that a core, whose windows show the memories of some tiles, is to watch in these.
    pub fn watched_ranges(&self, windows: &[Option<TileLoc>; 4]) -> Vec<WatchedRange> {
        let ranges = self.watches().flat_map(|watch| {
            let shown = windows.iter().enumerate();
            let shown = shown.filter(move |(_, owner)| **owner == Some(watch.tile));
            shown.map(move |(window, _)| WatchedRange {
                window,
                bytes: watch.range(),
            })
        });
        ranges.collect()
    }

    /// The instructions at which the core of a tile is to stop in the program with a checksum, which has its numbers below
    /// `end`: all of them if it accesses memory that is `watched`, so that it goes no farther than the access.
    pub fn core_stops(
        &self,
        tile: TileLoc,
        (checksum, end): (u32, u32),
        watched: bool,
    ) -> Vec<u32> {
        let step = BreakCondition::Step(ActorId::core(tile));
        if watched || self.breakpoints.iter().any(|point| point.on == step) {
            return (0..end).collect();
        }
        let stops = self.breakpoints.iter().filter_map(|point| match point.on {
            BreakCondition::CoreInstruction(at, program, instruction) => {
                ((at, program) == (tile, checksum)).then_some(instruction)
            }
            _ => None,
        });
        stops.collect()
    }

    /// The loops of a core's program; `None` if calls and loops are not recorded.
    pub fn core_loops(&self, tile: TileLoc, checksum: u32) -> Option<&[Range<u32>]> {
        let programs = self.loops.as_ref()?;
        let mut programs = programs.iter();
        let found = programs.find(|it| (it.tile, it.checksum) == (tile, checksum));
        Some(found.map_or(&[], |program| &program.loops))
    }

    /// Takes a record.
    #[inline(always)]
    pub fn add(&mut self, record: TraceRecord) {
        // Callers know the kind of the event: what it is decides most of this where they are compiled.
        let event = &record.event;
        let is_kept = self.keeps_records() && (!self.waits_only || event.is_of_waits());
        let is_counted = event.is_summed_up() || event.is_of_execution();
        if is_kept || is_counted || !self.breakpoints.is_empty() {
            self.take_in(record);
        }
    }

    /// Whether records of accesses of channels to memories are kept, or compared with breakpoints.
    pub fn records_accesses(&self) -> bool {
        self.keeps_records() && !self.waits_only || !self.breakpoints.is_empty()
    }

    /// Whether records are kept, besides sums of them.
    #[inline]
    fn keeps_records(&self) -> bool {
        self.limit > 0 || self.spilled.is_some()
    }

    #[inline(never)]
    fn take_in(&mut self, mut record: TraceRecord) {
        match &mut record.event {
            TraceEvent::Instruction { job, .. } => self.executing = Some(*job),
            TraceEvent::InstructionEnded { .. } => self.executing = None,
            TraceEvent::TaskPushed { by, .. } => *by = self.executing,
            // Of what began before, the rest is recorded.
            TraceEvent::CoreScope { until, .. } if until.is_none_or(|until| until > self.from) => {
                record.at = record.at.max(self.from);
            }
            _ => {}
        }
        if let Some(totals) = &mut self.totals {
            totals.add(&record);
        }
        if !self.breakpoints.is_empty() && self.hit.is_none() {
            self.check(&record);
        }
        if record.at < self.from || self.waits_only && !record.event.is_of_waits() {
            return;
        }
        if let Some(spilled) = &mut self.spilled {
            spilled.push(record);
        } else if self.records.len() < self.limit {
            self.records.push(record);
        } else if self.limit > 0 {
            self.overflow.get_or_insert(record.at);
        }
    }

    fn check(&mut self, record: &TraceRecord) {
        if self.passed.is_some_and(|passed| passed == *record) {
            self.passed = None;
            return;
        }
        for (index, breakpoint) in self.breakpoints.iter_mut().enumerate() {
            if breakpoint.on.holds(record) {
                breakpoint.times = breakpoint.times.saturating_sub(1);
                if breakpoint.times == 0 {
                    self.hit = Some((index, *record));
                    return;
                }
            }
        }
    }

    /// The records so far; it goes on empty.
    pub fn take(&mut self) -> Vec<TraceRecord> {
        self.limit = self.limit.saturating_sub(self.records.len());
        std::mem::take(&mut self.records)
    }
}
