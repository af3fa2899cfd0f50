//! A bound before a run: how fast a design can be at best, and what limits it.
//!
//! A routed design is read as channels, cores and the runtime sequence, which take and give locks and words ([`timed`]). Of these come
//! the cycle of events that limits the steady state ([`steady`], [`cycle_ratio`]), what each part has to do for a round, and the
//! earliest time at which the sequence has all that it waits for ([`earliest`]). No run is faster: each time is the least that the array
//! takes ([`ArrayTimes`], which come from the simulator's model), and what isn't known delays nothing and is listed.
//!
//! Cycles of cores are measured elsewhere, by executing their programs with all locks free, and given by [`BoundAnalysis::set_core`].

mod cycle_ratio;
mod earliest;
mod host;
mod steady;
mod timed;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{Buffer, Core, Device, Lock, OpView, ShimDmaAllocation, UseLock};
use aiec_device::{ChannelId, DeviceModel, LockId, Port, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

pub use cycle_ratio::{CriticalCycle, RatioEdge, critical_cycle};
use earliest::{EarliestTimes, NeedCause};
use host::{HostProgram, host_program};
use steady::{SteadyPart, steady_parts};
pub use timed::ArrayTimes;
use timed::TimedDesign;

use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::fixed_times::has_fixed_times;
use crate::analysis::host_transfers::HostStep;
use crate::analysis::switches::Switches;
use crate::route::given::{RoutedPrograms, routed_programs};
use crate::route::memory::{ProcessOrigin, ProcessStep, Turns};

/// Steps of the computation of a run; a longer one is bounded by its beginning and the steady state.
const MAX_RUN_STEPS: u64 = 4_000_000;
/// Rounds of a core's ring that are measured.
const MEASURED_ROUNDS: u64 = 3;
/// Lock operations of a core that are measured at most.
const MAX_LOCK_OPERATIONS: u64 = 200_000;

/// A lock operation of a core that was executed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreLockEvent {
    /// The lock.
    pub lock: LockId,
    /// It gives units; otherwise it takes them.
    pub gives: bool,
    /// Cycle from the start of the program.
    pub at: u64,
}

/// A core whose cycles are to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreToMeasure {
    /// `aie.core`.
    pub op: Op,
    /// Its tile.
    pub tile: TileLoc,
    /// Lock operations that tell its cycles.
    pub lock_operations: u64,
}

/// A part of the design that does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worker {
    /// A DMA channel, with a name of what it moves.
    Channel(ChannelId, String),
    /// A core.
    Core(TileLoc),
    /// A port of a switch that several streams go through.
    Link(TileLoc, Port),
    /// The runtime sequence.
    Sequence,
}

impl Worker {
    /// Name, as reports of runs spell it.
    pub fn name(&self) -> String {
        match self {
            Worker::Channel(id, name) => {
                format!("DMA {} {} of tile {} '{name}'", id.dir, id.index, id.tile)
            }
            Worker::Core(tile) => format!("core {tile}"),
            Worker::Link(tile, port) => format!("output {port} of tile {tile}"),
            Worker::Sequence => "the sequence".to_string(),
        }
    }
}

/// Least time that a part of the design is at work in each round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceBound {
    /// The part.
    pub worker: Worker,
    /// Its operation, for its line.
    pub op: Option<Op>,
    /// Rounds of its own in a round of the design.
    pub rounds: u64,
    /// Words of 32 bits that it moves.
    pub words: u64,
    /// Ticks.
    pub ticks: i64,
}

/// A part of the cycle that limits the design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalLink {
    /// The part.
    pub worker: Worker,
    /// Its operation, for its line.
    pub op: Option<Op>,
    /// Ticks.
    pub ticks: i64,
    /// The lock or stream for which it waits for the link before.
    pub waits_for: String,
}

/// Processes that go on together: the least time of a round of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartBound {
    /// Ticks that `rounds` rounds take at least.
    pub ticks: i64,
    /// Rounds, at least 1.
    pub rounds: i64,
    /// Those that limit it in turn, the longest first.
    pub critical: Vec<CriticalLink>,
    /// Its parts, the busiest first.
    pub resources: Vec<ResourceBound>,
}

/// The least time of a whole run of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBound {
    /// Cycles, from the first instruction of the sequence on.
    pub cycles: u64,
    /// Whether it takes the whole sequence into account; a long one is followed for its first part only.
    pub is_whole: bool,
}

/// Something that the bound doesn't take into account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its operation, for its line.
    pub op: Option<Op>,
    /// The thing that is left out, and why.
    pub reason: String,
}

/// How fast a design can be at best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesignBound {
    /// Its parts, the slowest first.
    pub parts: Vec<PartBound>,
    /// The whole run; `None` if the sequence isn't known, or waits for nothing.
    pub run: Option<RunBound>,
    /// All that is left out.
    pub left_out: Vec<LeftOut>,
}

/// A design that is being bounded.
pub struct BoundAnalysis<'a> {
    module: &'a Module,
    device: Op,
    model: &'static DeviceModel,
    routed: RoutedPrograms,
    times: ArrayTimes,
    design: TimedDesign,
    /// Tokens that the sequence waits for, by channel.
    waits: BTreeMap<ChannelId, u64>,
    left_out: Vec<LeftOut>,
    /// Names of channels whose first BD moves a buffer that has one.
    buffer_names: OnceCell<FxHashMap<ChannelId, String>>,
}

impl<'a> BoundAnalysis<'a> {
    /// Reads a routed device.
    ///
    /// # Errors
    /// Something in it may change what all others do: the reason.
    pub fn read(
        module: &'a Module,
        device: Op,
        times: ArrayTimes,
    ) -> Result<BoundAnalysis<'a>, LeftOut> {
        let unbounded = |reason: &str| LeftOut {
            op: None,
            reason: reason.to_string(),
        };
        let switches = Switches::read(module, device);
        let switches = switches.ok_or_else(|| unbounded("the device isn't known"))?;
        let model = switches.device;
        let host = host_program(module, device, model)?;
        let steps = host.as_ref().map(|host| host.steps.as_slice());
        let routed = routed_programs(module, device, &switches, steps);
        if timed::has_control_packets(&routed.programs) {
            return Err(unbounded("control packets may write any register"));
        }
        let mut waits = BTreeMap::new();
        let HostProgram { steps, locks } = host.unwrap_or_default();
        let steps = steps.as_slice();
        let counted = count_waits(steps, 1, &mut waits);
        let starts_any = starts(steps);
        if starts_any && (routed.programs.host.is_empty() || counted.is_none()) {
            return Err(unbounded(
                "not all transfers of the runtime sequence are known: their words, their number or their \
                 packets, or a channel that isn't a shim tile's",
            ));
        }
        let design = TimedDesign::new(module, device, &routed, &locks, &times);
        Ok(BoundAnalysis {
            module,
            device,
            model,
            routed,
            times,
            design,
            waits,
            left_out: Vec::new(),
            buffer_names: OnceCell::new(),
        })
    }

    /// The cores whose cycles are to be measured; others whose times depend on data are left out.
    pub fn cores(&mut self) -> Vec<CoreToMeasure> {
        let mut list = Vec::new();
        for core in self.module.children::<Core>(self.device) {
            let op = core.op();
            let process = self.process_of_core(op);
            let Some(tile) = core.tile_loc(self.module) else {
                continue;
            };
            let Some(process) = process else {
                let has_body = self.module.entry(op, 0).is_some();
                if has_body && !self.module.find_all::<UseLock>(op).is_empty() {
                    self.leave_out(
                        Some(op),
                        format!("core {tile}: its lock operations depend on data"),
                    );
                }
                continue;
            };
            if !has_fixed_times(self.module, op) {
                let reason = format!("the cycles of core {tile} depend on data");
                self.leave_out(Some(op), reason);
                continue;
            }
            let timed = &self.design.processes[process];
            let events = match timed.ring {
                Some(ring) => {
                    let before = self.design.tally(0..ring, process).events;
                    let round = self.design.round(process).map_or(0, |round| round.events);
                    before.saturating_add(round.saturating_mul(MEASURED_ROUNDS))
                }
                None => self.design.tally(0..timed.steps.len(), process).events,
            };
            list.push(CoreToMeasure {
                op,
                tile,
                lock_operations: events.min(MAX_LOCK_OPERATIONS),
            });
        }
        list
    }

    fn process_of_core(&self, core: Op) -> Option<usize> {
        let mut processes = self.design.processes.iter();
        processes.position(|process| process.origin == ProcessOrigin::Core(core))
    }

    /// Leaves something out.
    pub fn leave_out(&mut self, op: Option<Op>, reason: String) {
        self.left_out.push(LeftOut { op, reason });
    }

    /// Gives a core its cycles: the lock operations of its program from the start on, which executed them with all locks free. It is left
    /// out if they aren't those of its body.
    pub fn set_core(&mut self, core: CoreToMeasure, events: &[CoreLockEvent]) {
        let Some(process) = self.process_of_core(core.op) else {
            return;
        };
        match self.measured(process, events) {
            Some(waits) => self.design.processes[process].waits = waits,
            None => self.leave_out(
                Some(core.op),
                format!(
                    "the cycles of core {}: its program does other lock operations than its body",
                    core.tile
                ),
            ),
        }
    }

    /// The least cycles seen in front of each step of a core, in ticks.
    fn measured(&self, process: usize, events: &[CoreLockEvent]) -> Option<Vec<i64>> {
        let steps = &self.design.processes[process].steps;
        let mut least: Vec<Option<u64>> = vec![None; steps.len()];
        let mut walk = StepWalk::default();
        let mut before = 0;
        for event in events {
            let Some(at) = walk.next(steps) else { break };
            let (lock, gives) = match steps[at] {
                ProcessStep::Acquire { lock, .. } => (lock, false),
                ProcessStep::Release { lock, .. } => (lock, true),
                _ => return None,
            };
            if (self.lock_id(lock)?, gives) != (event.lock, event.gives) {
                return None;
            }
            let cycles = event.at.saturating_sub(before);
            before = event.at;
            least[at] = Some(least[at].map_or(cycles, |known| known.min(cycles)));
        }
        let ticks = |cycles: Option<u64>| {
            let cycles = i64::try_from(cycles.unwrap_or(0)).unwrap_or(0);
            cycles.saturating_mul(self.times.ticks_per_cycle)
        };
        Some(least.into_iter().map(ticks).collect())
    }

    fn lock_id(&self, lock: usize) -> Option<LockId> {
        let view = Lock::cast(self.module, self.design.locks[lock].op?)?;
        view.place(self.module)
    }

    /// The bound.
    pub fn bound(mut self) -> DesignBound {
        self.list_uncoupled();
        let mut steady = self.design.clone();
        let parts = steady_parts(&mut steady);
        let mut parts: Vec<PartBound> = parts
            .iter()
            .filter_map(|part| self.part(&steady, part))
            .collect();
        parts.sort_by(|a, b| {
            let (a, b) = (
                i128::from(a.ticks) * i128::from(b.rounds),
                i128::from(b.ticks) * i128::from(a.rounds),
            );
            b.cmp(&a)
        });
        DesignBound {
            run: self.run(),
            parts,
            left_out: self.left_out,
        }
    }

    /// Lists locks and streams that delay nothing here.
    fn list_uncoupled(&mut self) {
        let mut list = Vec::new();
        for lock in &self.design.locks {
            let Some(view) = lock.op.and_then(|op| Lock::cast(self.module, op)) else {
                continue;
            };
            if lock.is_coupled || lock.takers.is_empty() {
                continue;
            }
            let why = match (lock.takers.len(), lock.givers.len()) {
                (_, 0) => "who gives it isn't known",
                (1, 1) => "it is taken or given in a way whose order isn't known",
                _ => "several take it or give it, in an order that isn't known",
            };
            let name = self.lock_name(view);
            list.push((Some(view.op()), format!("waits for {name}: {why}")));
        }
        let streams = self
            .design
            .streams
            .iter()
            .zip(&self.routed.programs.streams);
        for (timed, stream) in streams {
            let is_received = stream.receivers.iter().any(Option::is_some);
            if is_received && timed.receivers.iter().all(Option::is_none) {
                let (tile, port) = stream.source;
                let why = "other packets arrive where they do, or their senders aren't known";
                let reason = format!("waits for words from {port} of tile {tile}: {why}");
                list.push((None, reason));
            }
        }
        for (op, reason) in list {
            self.leave_out(op, reason);
        }
    }

    fn lock_name(&self, lock: Lock) -> String {
        let tile = lock.tile_loc(self.module);
        let tile = tile.map_or(String::new(), |tile| format!(" of tile {tile}"));
        match lock.sym_name(self.module) {
            Some(name) => format!("lock '{name}'{tile}"),
            None => format!("lock {}{tile}", lock.lockID(self.module).unwrap_or(0)),
        }
    }

    fn part(&self, design: &TimedDesign, part: &SteadyPart) -> Option<PartBound> {
        let mut resources = self.resources(design, part);
        let links = self.links(design, part);
        let busiest_link = links.iter().max_by_key(|link| link.ticks).cloned();
        resources.extend(links);
        let order = |resource: &ResourceBound| std::cmp::Reverse(resource.ticks);
        resources.sort_by_key(order);
        let (mut ticks, mut rounds, mut critical) = (0, 1, Vec::new());
        if let Some(found) = &part.critical {
            (ticks, rounds) = (found.ticks, found.rounds);
            let link = |(process, cause, ticks): &(usize, NeedCause, i64)| {
                let (worker, op) = self.worker(design.processes[*process].origin);
                CriticalLink {
                    worker,
                    op,
                    ticks: *ticks,
                    waits_for: self.cause(*cause),
                }
            };
            critical = found.links.iter().map(link).collect();
        }
        // The events know nothing of ports that streams share, and of a design that is too large nothing.
        let busiest = match &part.critical {
            Some(_) => busiest_link,
            None => resources.first().cloned(),
        };
        if let Some(busiest) = busiest
            && i128::from(busiest.ticks) * i128::from(rounds) > i128::from(ticks)
        {
            (ticks, rounds) = (busiest.ticks, 1);
            critical = vec![CriticalLink {
                worker: busiest.worker,
                op: busiest.op,
                ticks,
                waits_for: String::new(),
            }];
        }
        (ticks > 0).then_some(PartBound {
            ticks,
            rounds,
            critical,
            resources,
        })
    }

    fn resources(&self, design: &TimedDesign, part: &SteadyPart) -> Vec<ResourceBound> {
        let of = |(process, rounds, tally): &(usize, u64, timed::Tally)| {
            let timed = &design.processes[*process];
            let (worker, op) = self.worker(timed.origin);
            let words = tally.sent.values().sum::<u64>() + tally.received;
            let moved = words.saturating_add(tally.headers);
            let times =
                |count: u64| i64::try_from(count.saturating_mul(*rounds)).unwrap_or(i64::MAX);
            let ticks = match timed.origin {
                ProcessOrigin::Core(_) => tally.waits.saturating_mul(times(1)),
                _ => times(moved)
                    .saturating_mul(timed.word)
                    .saturating_add(times(tally.transfers).saturating_mul(timed.switch)),
            };
            ResourceBound {
                worker,
                op,
                rounds: *rounds,
                words: words.saturating_mul(*rounds),
                ticks,
            }
        };
        part.processes.iter().map(of).collect()
    }

    /// Outputs of switches that several streams of a part go through.
    fn links(&self, design: &TimedDesign, part: &SteadyPart) -> Vec<ResourceBound> {
        let mut words: FxHashMap<usize, u64> = FxHashMap::default();
        for (process, rounds, tally) in &part.processes {
            for (stream, sent) in &tally.sent {
                words.insert(*stream, sent.saturating_mul(*rounds));
            }
            // Of what something unknown sends the receivers tell.
            if let Some((stream, _)) = design.processes[*process].input {
                words
                    .entry(stream)
                    .or_insert(tally.received.saturating_mul(*rounds));
            }
        }
        let mut by_output: BTreeMap<(TileLoc, Port), Vec<u64>> = BTreeMap::new();
        for (stream, hops) in self.routed.hops.iter().enumerate() {
            let Some(words) = words.get(&stream) else {
                continue;
            };
            let mut outputs: Vec<_> = hops.iter().map(|hop| (hop.tile, hop.master)).collect();
            outputs.sort_unstable();
            outputs.dedup();
            for output in outputs {
                by_output.entry(output).or_default().push(*words);
            }
        }
        let shared = by_output.into_iter().filter(|(_, words)| words.len() > 1);
        let bound = shared.map(|((tile, port), words)| {
            let words: u64 = words
                .iter()
                .fold(0, |sum, words| sum.saturating_add(*words));
            let ticks = i64::try_from(words / self.times.words_per_cycle.max(1));
            ResourceBound {
                worker: Worker::Link(tile, port),
                op: None,
                rounds: 1,
                words,
                ticks: ticks
                    .unwrap_or(i64::MAX)
                    .saturating_mul(self.times.ticks_per_cycle),
            }
        });
        bound.collect()
    }

    fn cause(&self, cause: NeedCause) -> String {
        match cause {
            NeedCause::Order => String::new(),
            NeedCause::Lock(lock) => {
                let op = self.design.locks[lock].op;
                let view = op.and_then(|op| Lock::cast(self.module, op));
                view.map_or(String::new(), |lock| self.lock_name(lock))
            }
            NeedCause::Stream(_) => "its stream".to_string(),
        }
    }

    fn worker(&self, origin: ProcessOrigin) -> (Worker, Option<Op>) {
        match origin {
            ProcessOrigin::Channel(id, op) => {
                (Worker::Channel(id, self.channel_name(id)), Some(op))
            }
            ProcessOrigin::HostChannel(id, op) => {
                (Worker::Channel(id, self.channel_name(id)), Some(op))
            }
            ProcessOrigin::Core(op) => {
                let tile = tile_of_op(self.module, op).unwrap_or(TileLoc { col: 0, row: 0 });
                (Worker::Core(tile), Some(op))
            }
            ProcessOrigin::Sequence | ProcessOrigin::Tokens => (Worker::Sequence, None),
        }
    }

    /// The name of a channel as the debug section of control code has it: by the buffer that its first BD moves, or the allocation.
    fn channel_name(&self, id: ChannelId) -> String {
        let module = self.module;
        let names = self.buffer_names.get_or_init(|| self.find_buffer_names());
        if let Some(name) = names.get(&id) {
            return format!("DMA of {name}");
        }
        let allocations = module.children::<ShimDmaAllocation>(self.device);
        let mine = allocations.into_iter().find(|allocation| {
            let index = u8::try_from(allocation.channel_index(module)).ok();
            (
                allocation.tile_loc(module),
                allocation.channel_dir(module),
                index,
            ) == (Some(id.tile), Some(id.dir), Some(id.index))
        });
        match mine {
            Some(allocation) => allocation.sym_name(module).to_string(),
            None => format!("{} {}", id.dir, id.index),
        }
    }

    /// The names of the buffers that the first BDs of channels move.
    fn find_buffer_names(&self) -> FxHashMap<ChannelId, String> {
        let module = self.module;
        let mut names = FxHashMap::default();
        for container in dma_containers(module, self.device) {
            let Some(tile) = tile_of_op(module, container) else {
                continue;
            };
            let mut seen = FxHashSet::default();
            for channel in dma_channels(module, container) {
                let id = ChannelId {
                    tile,
                    dir: channel.dir,
                    index: channel.channel,
                };
                if !seen.insert(id) {
                    continue;
                }
                let buffer = channel.bds.first().and_then(|bd| bd.bd.buffer(module));
                let buffer = buffer.and_then(|buffer| Buffer::of(module, buffer));
                if let Some(name) = buffer.and_then(|buffer| buffer.sym_name(module)) {
                    names.entry(id).or_insert_with(|| name.to_string());
                }
            }
        }
        names
    }

    /// The least cycles of the run of the sequence.
    fn run(&self) -> Option<RunBound> {
        let mut design = self.design.clone();
        let channels = design.processes.iter().enumerate();
        let of_host: Vec<usize> = channels
            .filter(|(_, process)| {
                process.is_sequence || matches!(process.origin, ProcessOrigin::HostChannel(..))
            })
            .map(|(at, _)| at)
            .collect();
        design.play_with(of_host.iter().copied());
        let mut wanted = Vec::new();
        for channel in &self.routed.programs.host {
            if let Some(count) = self.waits.get(&channel.channel) {
                let process = of_host.iter().find(|process| {
                    matches!(design.processes[**process].origin,
                        ProcessOrigin::HostChannel(id, _) if id == channel.channel)
                });
                wanted.push((channel.done, *process?, i64::try_from(*count).ok()?));
            }
        }
        if wanted.is_empty() {
            return None;
        }
        let mut earliest = EarliestTimes::of_run(&design);
        for (lock, _, count) in &wanted {
            earliest.want(*lock, *count);
        }
        let is_enough = |earliest: &EarliestTimes<'_>| {
            wanted
                .iter()
                .all(|(lock, ..)| earliest.reached(*lock).is_some())
        };
        earliest.run_until(MAX_RUN_STEPS, is_enough);
        let times = wanted.iter().map(|(lock, process, _)| {
            let reached = earliest.reached(*lock);
            reached.unwrap_or_else(|| earliest.time_of(*process))
        });
        let ticks = times.max().unwrap_or(0).max(0);
        let cycles = ticks / self.times.ticks_per_cycle.max(1);
        Some(RunBound {
            cycles: u64::try_from(cycles).unwrap_or(0),
            is_whole: is_enough(&earliest),
        })
    }

    /// The device.
    pub fn model(&self) -> &'static DeviceModel {
        self.model
    }
}

/// A walk over the lock operations of steps, loops run through.
#[derive(Default)]
struct StepWalk {
    at: usize,
    loops: Vec<(usize, usize, Option<u64>)>,
}

impl StepWalk {
    /// The next step that isn't a loop.
    fn next(&mut self, steps: &[ProcessStep]) -> Option<usize> {
        loop {
            while let Some((start, end, again)) = self.loops.last_mut()
                && self.at == *end
            {
                match again {
                    Some(0) => _ = self.loops.pop(),
                    again => {
                        if let Some(more) = again {
                            *more -= 1;
                        }
                        self.at = *start;
                    }
                }
            }
            let step = steps.get(self.at)?;
            self.at += 1;
            let ProcessStep::Loop { times, len } = step else {
                return Some(self.at - 1);
            };
            let again = times.map(|times| times.saturating_sub(1));
            self.loops.push((self.at, self.at + len, again));
        }
    }
}

/// Adds up the waits of a sequence by channel; `None` if their number isn't known.
fn count_waits(steps: &[HostStep], runs: u64, waits: &mut BTreeMap<ChannelId, u64>) -> Option<()> {
    for step in steps {
        match step {
            HostStep::Start(_) => {}
            HostStep::Wait(channel) => *waits.entry(*channel).or_default() += runs,
            HostStep::Repeat(times, steps) => {
                let runs = runs.checked_mul((*times)?)?;
                count_waits(steps, runs, waits)?;
            }
        }
    }
    Some(())
}

fn starts(steps: &[HostStep]) -> bool {
    steps.iter().any(|step| match step {
        HostStep::Start(_) => true,
        HostStep::Wait(_) => false,
        HostStep::Repeat(_, steps) => starts(steps),
    })
}

/// All devices of a module that can be bounded, in textual order.
pub fn devices(module: &Module) -> Vec<Op> {
    let devices = module.find_all::<Device>(module.top()).into_iter();
    let devices = devices.filter(|device| device.model(module).is_some());
    devices.map(OpView::op).collect()
}
