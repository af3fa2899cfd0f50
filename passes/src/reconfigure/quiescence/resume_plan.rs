//! From a quiescent state to what must be written before the next device starts.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_device::regmap::RegisterRef;
use aiec_device::{ChannelId, DeviceModel, TileLoc};
use rustc_hash::FxHashMap;

use super::channel_processes::Channels;
use super::marked_graph::{MarkedGraph, Marking, PlaceId, ProcessId, ProcessNode, RunUntil};
use super::rotation::{self, Buffers, ChannelPosition};
use super::{DeviceProcesses, Unproven};
use crate::regops::RegOp;

/// Number of descriptors that each channel is ahead of where its device expects it to start.
pub(in crate::reconfigure) type PhaseOffsets = FxHashMap<ChannelId, usize>;

/// A device whose transfers are over.
pub(in crate::reconfigure) struct QuiescentState {
    model: &'static DeviceModel,
    net: MarkedGraph,
    started: Marking,
    /// Tokens of each place at the end.
    tokens: Vec<i64>,
    /// Address and place of each lock.
    locks: Vec<(u32, PlaceId)>,
    /// Places whose tokens aren't known.
    open: BTreeSet<PlaceId>,
    channels: Vec<(ChannelId, ProcessId)>,
    positions: Vec<(ChannelId, ChannelPosition)>,
    /// Channels that can't go on.
    stuck: BTreeSet<ChannelId>,
    finished: BTreeSet<ChannelId>,
    flush: BTreeSet<TileLoc>,
}

/// State to set before a device begins, beside its cores, which restart in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::reconfigure) struct ResumePlan {
    /// Address and value of each lock to set.
    pub(in crate::reconfigure) locks: Vec<(u32, u32)>,
    /// Channels of core and mem tiles that are restarted. The others continue at their descriptor.
    pub(in crate::reconfigure) restart: BTreeSet<ChannelId>,
    /// Channels of shim tiles that have finished without being waited for: what they sent was
    /// taken.
    pub(in crate::reconfigure) finished: BTreeSet<ChannelId>,
    /// Tiles whose switches may hold words.
    pub(in crate::reconfigure) flush: BTreeSet<TileLoc>,
    /// Buffers that lie elsewhere for cores, and where.
    pub(in crate::reconfigure) moved: Vec<(Op, u32)>,
    /// At which descriptor channels are when the device starts.
    pub(in crate::reconfigure) offset: PhaseOffsets,
}

/// Compares what the configuration starts with how the device ends.
pub(super) fn quiescent_state_of(
    mut processes: DeviceProcesses,
    all: &Channels,
    waited: &dyn Fn(ChannelId) -> bool,
    offset: &PhaseOffsets,
) -> Result<QuiescentState, Unproven> {
    // Transfers of the host must end: otherwise the controller never finishes in any case.
    let endless = |node: &ProcessNode| matches!(node, ProcessNode::Loop(u64::MAX, _));
    let mut hosts = processes.hosts.iter();
    if hosts.any(|(_, process)| processes.net.nodes(*process).iter().any(endless)) {
        return Err(Unproven::NeverQuiescent);
    }
    let parts = processes.net.parts();
    let places = processes.unproven.iter().chain(processes.net.shared());
    let mut unproven: BTreeSet<usize> = places.map(|place| parts.of_place(*place)).collect();
    let ends = loop {
        for process in 0..processes.net.count() {
            if parts.has(&unproven, process) {
                processes.net.disable(process);
            }
        }
        match ends(&processes, waited)? {
            Ok(ends) => break ends,
            Err(moving) => unproven.extend(moving.into_iter().map(|place| parts.of_place(place))),
        }
    };
    let is_bad = |process: &ProcessId| parts.has(&unproven, *process);
    let RunOutcome {
        started,
        ended,
        mut open,
        unfinished,
        proven,
    } = ends;
    let net = &processes.net;
    let finished = processes.hosts.iter().filter(|(_, process)| {
        // One that can't end is polled for: nothing may come after it.
        ended.finished[*process]
            && !is_bad(process)
            && proven[*process] >= ended.steps[*process].len()
    });
    let finished = finished.map(|(key, _)| *key).collect();
    let in_bad = |place| unproven.contains(&parts.of_place(place));
    let bad = processes
        .tiles
        .iter()
        .filter(|(stream, _)| in_bad(**stream));
    let flush = bad.flat_map(|(_, tiles)| tiles).copied().collect();
    open.extend(processes.locks.values().filter(|place| in_bad(**place)));

    let mut positions = Vec::new();
    let mut stuck = BTreeSet::new();
    for (key, process) in &processes.channels {
        let tasks = all.tasks.get(key).map_or(&[][..], Vec::as_slice);
        let cycle = rotation::cycle(tasks).unwrap_or_default();
        let before = offset.get(key).copied().unwrap_or(0);
        let goes_on =
            (!is_bad(process) && !unfinished.contains(process) && !all.counting.contains(key))
                .then(|| goes_on(net, *process, (&started, &ended), cycle.len()))
                .flatten()
                .map(|more| (before + more) % cycle.len().max(1))
                .filter(|offset| rotation::is_rotation_invariant(&cycle, *offset));
        if goes_on.is_none() {
            stuck.insert(*key);
        }
        // A channel that restarts keeps its buffers where they are.
        let images = tasks.iter().flat_map(|task| &task.moves);
        let offset = goes_on.unwrap_or(0);
        let cycle = images.map(|one| one.image.clone()).collect();
        positions.push((*key, ChannelPosition { cycle, offset }));
    }
    let mut locks = Vec::new();
    for (lock, place) in &processes.locks {
        let value = RegisterRef::LockValue { id: lock.index };
        let address = processes.model.register_address(lock.tile, value);
        locks.push((address.ok_or(Unproven::Register)?, *place));
    }
    Ok(QuiescentState {
        model: processes.model,
        tokens: ended.tokens,
        started,
        locks,
        open,
        channels: processes.channels,
        positions,
        stuck,
        finished,
        flush,
        net: processes.net,
    })
}

/// State of a net at the begin and the end of a run.
struct RunOutcome {
    started: Marking,
    ended: Marking,
    /// Places whose tokens aren't known.
    open: BTreeSet<PlaceId>,
    /// Processes that may still be on their way.
    unfinished: BTreeSet<ProcessId>,
    /// The steps that each process has surely done when the controller has all that it waits for.
    proven: Vec<usize>,
}

/// Runs a net; streams in which words are left or may still move if there are any.
fn ends(
    processes: &DeviceProcesses,
    waited: &dyn Fn(ChannelId) -> bool,
) -> Result<Result<RunOutcome, Vec<PlaceId>>, Unproven> {
    let net = &processes.net;
    let started = net.run(RunUntil::Started).ok_or(Unproven::NeverQuiescent)?;
    let ended = net
        .run(RunUntil::Quiescent)
        .ok_or(Unproven::NeverQuiescent)?;
    let mut moving: Vec<PlaceId> = net.words_left(&ended).collect();
    let surely = |done: &[ProcessId]| {
        let mut implied_steps = net.implied_steps(&ended, done);
        for (implied_steps, started) in implied_steps.iter_mut().zip(&started.steps) {
            // Steps before the first action of the host have happened long before.
            *implied_steps = started.len().max(*implied_steps);
        }
        implied_steps
    };
    let awaited = processes.hosts.iter().filter(|(key, _)| waited(*key));
    let awaited: Vec<ProcessId> = awaited.map(|(_, process)| *process).collect();
    let hosts = processes.hosts.iter();
    let hosts: Vec<ProcessId> = hosts.map(|(_, process)| *process).collect();
    let implied_steps = surely(&hosts);
    let soon = net
        .run(RunUntil::Soon(&implied_steps))
        .ok_or(Unproven::NeverQuiescent)?;
    let mut open: BTreeSet<PlaceId> = BTreeSet::new();
    let mut unfinished: BTreeSet<ProcessId> = BTreeSet::new();
    for (process, steps) in ended.steps.iter().enumerate() {
        let rest = steps.get(soon.steps[process].len()..).unwrap_or_default();
        let words = rest.iter().filter(|step| net.moves_words(**step));
        moving.extend(words.filter_map(|step| step.place()));
        open.extend(rest.iter().filter_map(|step| step.place()));
        unfinished.extend((!rest.is_empty()).then_some(process));
    }
    if !moving.is_empty() {
        return Ok(Err(moving));
    }
    Ok(Ok(RunOutcome {
        open,
        unfinished,
        proven: surely(&awaited),
        started,
        ended,
    }))
}

impl QuiescentState {
    /// State to restore before starting a device with identical routing that will run `sequence`.
    ///
    /// # Errors
    /// A lock would need a value that can't be written.
    pub(in crate::reconfigure) fn before(
        &self,
        module: &Module,
        device: Op,
        sequence: &[RegOp],
    ) -> Result<ResumePlan, Unproven> {
        let buffers = Buffers::of(module, device, self.model, sequence);
        let mut restart = self.stuck.clone();
        let (begin, moved) = loop {
            let count = restart.len();
            let begin = self.locks_to_begin_with(&mut restart);
            let moved = rotation::moved(self.model, &buffers, &self.positions, &mut restart);
            if restart.len() == count {
                break (begin, moved);
            }
        };
        let mut locks = Vec::new();
        for (address, place) in &self.locks {
            let then = begin[*place];
            if self.tokens[*place] != then || self.open.contains(place) {
                let then = u32::try_from(then).map_err(|_| Unproven::Register)?;
                locks.push((*address, then));
            }
        }
        let offset = self
            .positions
            .iter()
            .filter(|(key, _)| !restart.contains(key));
        let offset = offset.map(|(key, positions)| (*key, positions.offset));
        Ok(ResumePlan {
            locks,
            finished: self.finished.clone(),
            flush: self.flush.clone(),
            moved,
            offset: offset.filter(|(_, offset)| *offset != 0).collect(),
            restart,
        })
    }

    /// Values of the locks to set before channels restart: the steps of restarted channels then
    /// lead to the state that the device had come to by itself, while the other channels are there
    /// already. A channel that took what a restarted one gave it restarts too.
    fn locks_to_begin_with(&self, restart: &mut BTreeSet<ChannelId>) -> Vec<i64> {
        loop {
            let mut tokens = self.net.start();
            let steps = |process: &ProcessId| self.started.steps[*process].iter();
            let kept = || {
                let channels = self.channels.iter();
                channels.filter(|(key, _)| !restart.contains(key))
            };
            for step in kept().flat_map(|(_, process)| steps(process)) {
                step.apply(&mut tokens);
            }
            let took_too_much = kept().filter(|(_, process)| {
                let mut places = steps(process).filter_map(|step| step.place());
                places.any(|place| tokens[place] < 0)
            });
            let more: Vec<ChannelId> = took_too_much.map(|(key, _)| *key).collect();
            if more.is_empty() {
                return tokens;
            }
            restart.extend(more);
        }
    }
}

/// By how many descriptors a channel is further, if it can go on as if it had just been started: it
/// waits at the same place of its program, or at another descriptor of a round of `cycle`
/// descriptors, and had moved no words by itself when it was started. `None` if it can't.
fn goes_on(
    net: &MarkedGraph,
    process: ProcessId,
    ends: (&Marking, &Marking),
    cycle: usize,
) -> Option<usize> {
    let (then, now) = (&ends.0.steps[process], &ends.1.steps[process]);
    let nodes = net.nodes(process);
    if net.started(process) < nodes.len() {
        // The sequence gave it tasks. If it has none of its own it had nothing to do before, either.
        return (net.started(process) == 0 && ends.1.finished[process]).then_some(0);
    }
    if then.iter().any(|step| net.moves_words(*step)) {
        return None;
    }
    if let [ProcessNode::Loop(u64::MAX, body)] = nodes
        && cycle > 0
        && body.len() % cycle == 0
        && !body.is_empty()
    {
        let steps = body.len() / cycle;
        let more = now.len().checked_sub(then.len())?;
        return (more % steps == 0).then_some(more / steps % cycle);
    }
    (phase(nodes, then.len()) == phase(nodes, now.len())).then_some(0)
}

/// Position of a process after a number of steps, within the part that it repeats.
fn phase(nodes: &[ProcessNode], steps: usize) -> usize {
    let mut before = 0;
    for node in nodes {
        match node {
            ProcessNode::Step(_) => before += 1,
            ProcessNode::Loop(u64::MAX, body) if steps >= before && !body.is_empty() => {
                return before + (steps - before) % body.len();
            }
            ProcessNode::Loop(..) => return steps,
        }
    }
    steps
}
