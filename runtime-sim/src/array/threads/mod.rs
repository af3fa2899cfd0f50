//! Groups of columns on threads of their own, for as long as nothing of one can reach another.
//!
//! Columns that no stream, no cascade and no written host memory connects don't notice each other until a controller
//! acts: what a design does in them is the same in whatever order their events happen. So while the next action from
//! outside is far, groups of such columns run each on a thread, and are put together before it. They stop in front
//! of the first cycle in which a token could reach a controller: each group names one that it certainly comes not before
//! (a task with a token has words left to move), all go on to the least of these, and so on.
//!
//! Violations that can't be foreseen are found when they happen: a core that accesses a memory or lock of another group, a control
//! packet, a fault. Then what the groups have done isn't what one thread would have, and the run has to be repeated with one
//! thread ([`Array::has_to_repeat`]).
//!
//! # What else would depend on order
//!
//! Draws of random latencies, records of a trace and the look for races are in one order of all columns, so with them
//! there is one thread ([`SerialReason`]).

mod barrier;
mod column;
mod groups;
mod limits;
mod worker;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use aiec_diag::named_enum;

use super::Array;
use super::dma::channel::Channel;
use crate::time::Cycle;
use barrier::{BarrierParticipant, CycleBarrier};
use groups::HostRange;
pub(crate) use limits::GroupLimits;
use worker::{ColumnGroup, ColumnWorker, GroupSession};

/// Cycles for which groups run beside each other at least, as fewer cost more than they give: about 0.3 ms of work of
/// 8 busy columns.
pub const MIN_PARALLEL_CYCLES: Cycle = 1 << 10;
/// Bytes of host memory that are copied for each cycle that groups run beside each other, at most: copies of this many take
/// a tenth of the time that 8 busy columns take for a cycle.
const COPIED_PER_CYCLE: u64 = 128;
/// Bytes that may be copied at any rate.
const COPIED: u64 = 1 << 16;
/// Words that a channel may have after its last event.
const WORDS_BEHIND: u64 = 64;

named_enum! {
    /// Why columns don't run on several threads.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum SerialReason {
        /// Random latencies are drawn.
        Jitter => "random latencies are drawn in the order of all events",
        /// Records or totals are kept, or breakpoints are set.
        Recorded => "records are kept in the order of all events",
        /// Races are looked for.
        Races => "races are looked for in the order of all events",
        /// Functions of host libraries, which may share state, compute.
        Libraries => "functions of host libraries may share state",
        /// The columns at work depend on one another.
        Dependent => "the columns at work depend on one another",
        /// Control packets, or packets that choose descriptors, may arrive.
        Packets => "packets may write registers or choose descriptors",
        /// From one action of a controller, or token that may come, to the next there are few cycles.
        Short => "from one action of a controller, or token that may come, to the next there are few cycles",
        /// The columns access too much of host memory.
        HostMemory => "the columns access too much of host memory to copy it",
        /// Columns have reached one another in a way that could not be foreseen, so that the run was repeated.
        Repeated => "columns reached one another in a way that is seen only when it happens, so that the run was repeated",
        /// The run goes on with an array that another run left.
        Continued => "the run goes on with the array of another",
        /// The system has no more threads.
        System => "the system has no more threads",
    }
}

/// How many threads a run has used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadUse {
    /// Threads at most.
    pub most: usize,
    /// Cycles for which groups of columns ran beside each other.
    pub cycles: Cycle,
    /// Why they did not for others.
    pub reasons: BTreeSet<SerialReason>,
}

/// The threads of an array.
#[derive(Debug)]
pub(crate) struct Threads {
    used: ThreadUse,
    /// Cycles for which groups run beside each other at least.
    least: Cycle,
    workers: Vec<ColumnWorker>,
    /// Not tried again before this cycle.
    next_try: Cycle,
    has_to_repeat: bool,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            used: ThreadUse::default(),
            least: MIN_PARALLEL_CYCLES,
            workers: Vec::new(),
            next_try: 0,
            has_to_repeat: false,
        }
    }
}

impl Array {
    /// Lets independent columns run on up to `most` threads, with the same outcome. See
    /// [`Array::has_to_repeat`].
    pub fn set_threads(&mut self, most: usize) {
        self.threads.used.most = most;
        self.threads.workers.clear();
        // they build their arrays while this one is loaded
        if let Err(reason) = self.begin_workers(most.saturating_sub(1)) {
            self.use_one_thread(reason);
        }
    }

    /// Lets columns run in parallel for at least `cycles`, instead of [`MIN_PARALLEL_CYCLES`].
    pub fn set_min_parallel_cycles(&mut self, cycles: Cycle) {
        self.threads.least = cycles.max(1);
    }

    /// How many threads were used so far.
    pub fn thread_use(&self) -> &ThreadUse {
        &self.threads.used
    }

    /// One thread is used for a reason that isn't the array's.
    pub(crate) fn use_one_thread(&mut self, reason: SerialReason) {
        self.threads.used.reasons.insert(reason);
    }

    /// Whether columns on several threads have reached one another, so that the outcome is wrong: the run has to be
    /// repeated with one thread.
    pub fn has_to_repeat(&self) -> bool {
        self.threads.has_to_repeat
    }

    /// Whether several threads may be used.
    pub(super) fn is_threaded(&self) -> bool {
        self.threads.used.most > 1 && !self.threads.has_to_repeat
    }

    /// Lets groups of columns run beside each other up to and including cycle `to` at most, but not up to where a token
    /// may arrive.
    pub(super) fn advance_groups(&mut self, to: Cycle) {
        let next = self.next_event();
        let Some(from) =
            next.filter(|&at| at >= self.threads.next_try && at + self.threads.least <= to)
        else {
            return;
        };
        if let Err(reason) = self.try_groups(from, to) {
            self.threads.used.reasons.insert(reason);
            self.threads.next_try = from + 2 * self.threads.least;
        }
    }

    /// Lets groups run from the next event on; why not, if they don't.
    fn try_groups(&mut self, from: Cycle, to: Cycle) -> Result<(), SerialReason> {
        self.check_order()?;
        let before_token = to.min(self.before_token(from));
        if before_token < from + self.threads.least {
            return Err(SerialReason::Short);
        }
        let ranges = self.host_ranges().ok_or(SerialReason::Packets)?;
        let mut groups = self.column_groups(self.threads.used.most, &ranges);
        if groups.len() < 2 {
            return Err(SerialReason::Dependent);
        }
        let own = groups.remove(0);
        let copied = groups.iter().map(|columns| {
            let [accessed, others] = accessed_by(columns, &ranges);
            self.host.copied_bytes(&accessed, &others)
        });
        let bytes: u64 = copied.sum();
        // a channel that moves words more slowly than it could sends its token later
        let cycles = (2 * (before_token - from)).min(to - from);
        if bytes > COPIED.max(COPIED_PER_CYCLE.saturating_mul(cycles)) {
            return Err(SerialReason::HostMemory);
        }
        self.begin_workers(groups.len())?;
        self.run_groups(&own, &groups, &ranges, (from, to));
        Ok(())
    }

    /// Whether anything depends on the order of events of different columns.
    fn check_order(&self) -> Result<(), SerialReason> {
        let settings = &self.core_settings;
        let recorded = self.events.log.is_some() || self.net.fabric.bursts.is_some();
        let takes_packets = || {
            let handlers = self.control.iter();
            handlers
                .zip(&self.net.switches)
                .any(|(handler, switch)| !handler.is_idle() || switch.takes_control_packets())
        };
        let reasons = [
            (self.net.fabric.sched.jitter.is_on(), SerialReason::Jitter),
            (recorded, SerialReason::Recorded),
            (self.races.is_some(), SerialReason::Races),
            (
                settings.kernels.has_bound() || !settings.bound.is_empty(),
                SerialReason::Libraries,
            ),
        ];
        let first = reasons.into_iter().find(|(holds, _)| *holds);
        match first {
            Some((_, reason)) => Err(reason),
            None if takes_packets() => Err(SerialReason::Packets),
            None if self.net.fabric.token_packets > 0 => Err(SerialReason::Short),
            None => Ok(()),
        }
    }

    fn begin_workers(&mut self, count: usize) -> Result<(), SerialReason> {
        while self.threads.workers.len() < count {
            let worker = ColumnWorker::begin(self.device, self.timing.clone());
            let worker = worker.ok_or(SerialReason::System)?;
            self.threads.workers.push(worker);
        }
        Ok(())
    }

    /// Runs a group here and the others on threads, and puts them together again.
    fn run_groups(
        &mut self,
        own: &[u8],
        others: &[Vec<u8>],
        ranges: &[HostRange],
        (from, to): (Cycle, Cycle),
    ) {
        let session = GroupSession {
            barrier: Arc::new(CycleBarrier::new(1 + others.len())),
            from,
            to,
            least: self.threads.least,
            epoch: self.net.epoch,
            word_by_word: self.net.fabric.word_by_word,
        };
        let printed = self.prints.kept.len();
        let workers = std::mem::take(&mut self.threads.workers);
        let mut exceeded = false;
        for (columns, worker) in others.iter().zip(&workers) {
            let group = self.take_group(columns, ranges);
            if !worker.run(session.clone(), group) {
                exceeded = true;
                session.barrier.give_up();
            }
        }
        let participant = BarrierParticipant(&session.barrier);
        let limits = GroupLimits::new(own);
        let (limits, reached) = self.run_group(limits, &session);
        drop(participant);
        exceeded |= limits.is_exceeded();
        for worker in workers.iter().take(others.len()) {
            match worker.take_back() {
                Some(group) => {
                    exceeded |= group.limits.is_exceeded();
                    exceeded |= !self.put_group(*group, ranges, printed);
                }
                None => exceeded = true,
            }
        }
        self.threads.workers = workers;
        self.threads.has_to_repeat |= exceeded;
        self.threads.used.cycles += reached - from;
        self.threads.next_try = if reached > to {
            0
        } else {
            reached + 2 * self.threads.least
        };
    }

    fn take_group(&mut self, columns: &[u8], ranges: &[HostRange]) -> ColumnGroup {
        let [accessed, others] = accessed_by(columns, ranges);
        let sched = &mut self.net.fabric.sched;
        ColumnGroup {
            limits: GroupLimits::new(columns),
            events: sched.take_events(|who| columns.contains(&who.tile().col)),
            columns: columns
                .iter()
                .map(|&column| self.take_column(column))
                .collect(),
            host: self.host.lend(&accessed, &others),
            prints: Vec::new(),
            now: self.now,
            last_progress: self.last_progress,
        }
    }

    /// Puts a group back; `printed` values were shown before. False if the order of values is not known.
    fn put_group(&mut self, group: ColumnGroup, ranges: &[HostRange], printed: usize) -> bool {
        for column in group.columns {
            self.put_column(column);
        }
        let sched = &mut self.net.fabric.sched;
        sched.put_events(group.events);
        self.now = self.now.max(group.now);
        self.last_progress = self.last_progress.max(group.last_progress);
        let own = |range: &&HostRange| group.limits.contains(range.column);
        let written = ranges.iter().filter(own).filter(|range| range.writes);
        let written = written.map(|range| (range.start, range.end));
        self.host.take_back(group.host, written);
        let shown = &self.prints.kept[printed..];
        let times: BTreeSet<Cycle> = shown.iter().map(|print| print.at).collect();
        let is_ordered = group.prints.iter().all(|print| !times.contains(&print.at));
        let prints = group.prints.into_iter();
        prints.for_each(|print| self.prints.add(print));
        is_ordered && self.prints.dropped == 0
    }

    /// Runs a group, of which the rest of this array knows nothing, beside the others of a session; returns its
    /// limits and the cycle before which all events have happened.
    fn run_group(&mut self, limits: GroupLimits, session: &GroupSession) -> (GroupLimits, Cycle) {
        let faults = self.log.len();
        let limits = Rc::new(limits);
        self.group = Some(limits.clone());
        self.narrow_cores(&limits);
        let mut reached = session.from;
        loop {
            let bound = if limits.is_exceeded() {
                0
            } else {
                self.before_token(reached)
            };
            let to = session.to.min(session.barrier.agree(bound));
            if to < session.to.min(reached + session.least) || to < reached {
                break;
            }
            self.run_until_idle();
            while let Some(event) = self.net.fabric.sched.pop_due(to) {
                self.take_event(event);
            }
            if self.log.len() > faults || self.untaken > 0 {
                limits.exceed();
            }
            reached = to + 1;
        }
        let cores = self.cores.iter_mut().flatten();
        cores.for_each(|core| core.widen());
        self.group = None;
        (Rc::unwrap_or_clone(limits), reached)
    }

    /// The cores of a group see only its memories.
    fn narrow_cores(&mut self, limits: &GroupLimits) {
        let within = |tile| limits.contains(self.grid.loc(tile).col);
        for (tile, core) in self.cores.iter_mut().enumerate() {
            if let Some(core) = core.as_mut().filter(|_| within(tile)) {
                core.narrow(within);
            }
        }
    }

    /// A cycle up to which no token arrives at a controller, seen from a cycle whose events before have happened.
    fn before_token(&self, from: Cycle) -> Cycle {
        let arrival = self.tokens.front().map(|token| token.at.saturating_sub(1));
        let timing = &self.timing;
        let rate = timing.words_per_cycle.max(timing.host_words_per_cycle);
        let mut least = arrival.unwrap_or(Cycle::MAX);
        for (tile, dma) in self.dma.iter().enumerate() {
            for channel in dma.channels.iter().filter(|channel| channel.has_token()) {
                let words = self.words_before_token(tile, channel);
                let cycles = words.saturating_sub(WORDS_BEHIND) / u64::from(rate.max(1));
                least = least.min(from.saturating_add(cycles));
            }
        }
        least
    }

    /// Words at least that a channel has yet to move before it sends a token.
    fn words_before_token(&self, tile: usize, channel: &Channel) -> u64 {
        if channel.ends_at_tlast() {
            return 0;
        }
        let (first, runs, moved) = match (channel.task_words(), channel.queue.front()) {
            (Some(task), _) => task,
            (None, Some(task)) => (task.bd, task.runs, 0),
            (None, None) => return 0,
        };
        let words = self.view().chain_words(tile, first);
        words.map_or(u64::MAX, |words| {
            words.saturating_mul(runs.into()).saturating_sub(moved)
        })
    }
}

/// Bytes of host memory that the columns of a group access, and that others do.
fn accessed_by(columns: &[u8], ranges: &[HostRange]) -> [Vec<(u64, u64)>; 2] {
    let bytes = |is_own: bool| {
        let ranges = ranges
            .iter()
            .filter(|range| columns.contains(&range.column) == is_own);
        ranges.map(|range| (range.start, range.end)).collect()
    };
    [bytes(true), bytes(false)]
}
