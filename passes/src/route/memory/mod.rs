//! Waits through memory: which packets stay where they are until others have passed.
//!
//! A destination accepts a packet only while it has room. An S2MM channel waits for a lock that is
//! released when something else has been done with the memory: an MM2S channel has sent it on, a
//! core has worked on it, which in turn may wait for locks and streams. So a packet that a
//! destination doesn't accept yet, and which occupies an arbiter or the buffer of a switch input,
//! can wait for packets that need just these: nothing moves any more.
//!
//! *A waits for C* if packets of A can be under way and not be accepted before further packets of C
//! have arrived. That is found by simulating the netlist: the buffer descriptor chains of the DMA
//! channels and the lock operations of the cores ([`read`]) with tokens instead of data
//! ([`simulate`]). The packets of C are blocked after 0, 1, 2, … of them, for [`PACKETS`] of them:
//! what is under way when nothing moves any more, and continues when C does, waits for C. Processes
//! that only wait for locks and streams are determinate, so one order of execution represents all;
//! and if a packet waits for one of several streams, it does so with this one alone blocked, so
//! looking at pairs is enough.
//!
//! What isn't known is assumed not to wait: channels that the runtime sequence programs and the
//! host's buffers send and accept always, unless the steps of the sequence are
//! given; so do cores whose lock operations depend on data, stream
//! and cascade accesses of cores, and locks that such a process releases. Ends that two streams have
//! in common are the netlist's own order: pairs of them are left out, as no routing changes it.
//!
//! The work is bounded by [`MAX_STEPS`]; streams beyond it count as waiting for nothing.

mod core_steps;
mod read;
mod simulate;
mod steps;
#[cfg(test)]
mod tests;
mod turns;

use std::cell::RefCell;

use aiec_aie::ir::{Module, Op};
use aiec_device::DeviceModel;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

use super::net::NetKind;
use super::requests::{FlowRequest, PortNet};
use crate::analysis::host_transfers::HostStep;
pub(crate) use read::{Process, ProcessOrigin, Programs, programs};
use simulate::TokenSimulation;
pub(crate) use steps::ProcessStep;
pub(crate) use turns::{ProcessQueue, Turns};

/// Packets of a stream after which it is blocked, at most.
const PACKETS: usize = 24;

/// Steps of a simulation between two looks at it, for each process.
const STEPS_PER_PROCESS: u64 = 400;

/// Steps of a simulation that is to come to rest, for each process.
const STEPS_TO_REST: u64 = 20_000;

/// Steps of all simulations of a routing.
const MAX_STEPS: u64 = 50_000_000;

/// Known waits through memory among the nets of a routing.
#[derive(Default)]
pub(crate) struct Memory {
    programs: Programs,
    /// Who acquires each lock.
    takers: Vec<Vec<usize>>,
    /// Which processes belong together, by process.
    part: Vec<usize>,
    parts: FxHashMap<usize, Component>,
    /// The streams of each net.
    streams: Vec<Vec<usize>>,
    /// The net of each stream.
    nets: FxHashMap<usize, usize>,
    known: RefCell<WaitCache>,
}

/// Processes that have to do with each other, directly or through others.
#[derive(Default)]
struct Component {
    processes: Vec<usize>,
    /// The packet streams that they receive.
    streams: Vec<usize>,
}

/// When packets of one stream wait for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitSchedule {
    /// Packets of the other one that have passed; it waits for the next one.
    pub passed: usize,
    /// Whole packets of its own that were accepted before.
    pub accepted: u64,
}

#[derive(Default)]
struct WaitCache {
    /// For a net those that wait for it.
    waiting: FxHashMap<usize, FxHashMap<usize, WaitSchedule>>,
    steps: u64,
}

impl Memory {
    /// Reads a device; with what the host does if `host` has the steps of its sequence.
    pub fn read(
        module: &Module,
        device: Op,
        model: &'static DeviceModel,
        requests: &[FlowRequest],
        nets: &[PortNet],
        host: Option<&[HostStep]>,
    ) -> Memory {
        let packets = nets.iter().filter(|net| net.kind != NetKind::Circuit);
        if packets.count() < 2 {
            return Memory::default();
        }
        let programs = programs(module, device, model, requests, host);
        let mut takers = vec![Vec::new(); programs.locks.len()];
        for (at, process) in programs.processes.iter().enumerate() {
            for step in &process.steps {
                if let ProcessStep::Acquire { lock, .. } = step
                    && takers[*lock].last() != Some(&at)
                {
                    takers[*lock].push(at);
                }
            }
        }
        let mut memory = Memory {
            takers,
            programs,
            ..Memory::default()
        };
        memory.divide();
        memory.name(nets);
        memory
    }

    /// Whether there are simulations to run at all.
    pub fn is_trivial(&self) -> bool {
        self.programs.processes.is_empty()
    }

    /// Whether packets of a net can stay where they are until those of another one have passed.
    pub fn waits(&self, net: usize, other: usize) -> bool {
        !self.is_trivial() && net != other && self.waiting(other, net)
    }

    /// A schedule in which packets of a net stay where they are until one of another net has passed.
    pub fn schedule(&self, net: usize, other: usize) -> Option<WaitSchedule> {
        let waits = self.waits(net, other);
        let known = self.known.borrow();
        waits.then(|| known.waiting.get(&other)?.get(&net).copied())?
    }

    /// Whether packets of one of two nets can wait for the other's, so that they better share nothing.
    pub fn interdependent(&self, a: usize, b: usize) -> bool {
        self.waits(a, b) || self.waits(b, a)
    }

    /// Whether the streams of two nets have no end in common: the order of those that have one is the netlist's own.
    pub fn are_apart(&self, net: usize, other: usize) -> bool {
        let of = |net: usize| self.streams.get(net).into_iter().flatten();
        let stream = |at: &usize| &self.programs.streams[*at];
        of(net).all(|a| of(other).all(|b| stream(a).is_apart_from(stream(b))))
    }

    /// Words of the packets of a net that its receivers never take, as their transfers end before; headers that are kept
    /// among them. `None` if a run without obstacles doesn't come to its end, or no word is left.
    pub fn surplus(&self, net: usize) -> Option<u64> {
        let &[stream] = self.streams.get(net)?.as_slice() else {
            return None;
        };
        let receivers = &self.programs.streams[stream].receivers;
        let mut receivers = receivers.iter().flatten();
        // Where several streams meet it isn't known whose words are left.
        let alone = |process: &usize| self.programs.processes[*process].inputs == [stream];
        let receiver = receivers.clone().next().filter(|_| receivers.all(alone))?;
        let part = &self.parts[&self.part[*receiver]];
        let mut known = self.known.borrow_mut();
        if known.steps >= MAX_STEPS {
            return None;
        }
        let most = STEPS_TO_REST * part.processes.len() as u64;
        let mut simulation = TokenSimulation::new(&self.programs, &self.takers, &part.processes);
        let steps = simulation.run(most);
        known.steps += steps;
        let left = simulation.left(stream).filter(|_| steps < most)?;
        (left > 0).then_some(left)
    }

    fn waiting(&self, net: usize, other: usize) -> bool {
        let mut known = self.known.borrow_mut();
        if let Some(waiting) = known.waiting.get(&net) {
            return waiting.contains_key(&other);
        }
        let mut waiting = FxHashMap::default();
        for stream in self.streams.get(net).into_iter().flatten() {
            for (waits, schedule) in self.waiting_for(*stream, &mut known.steps) {
                if let Some(net) = self.nets.get(&waits) {
                    waiting.entry(*net).or_insert(schedule);
                }
            }
        }
        let answer = waiting.contains_key(&other);
        known.waiting.insert(net, waiting);
        answer
    }

    /// Finds the parts.
    fn divide(&mut self) {
        let count = self.programs.processes.len();
        let mut sets = UnionFind::<usize>::new(count);
        let mut join = |processes: &mut dyn Iterator<Item = usize>| {
            if let Some(first) = processes.next() {
                processes.for_each(|other| _ = sets.union(first, other));
            }
        };
        let mut users = vec![Vec::new(); self.programs.locks.len()];
        for (at, process) in self.programs.processes.iter().enumerate() {
            for step in &process.steps {
                if let ProcessStep::Acquire { lock, .. } | ProcessStep::Release { lock, .. } = step
                {
                    users[*lock].push(at);
                }
            }
        }
        users
            .into_iter()
            .for_each(|users| join(&mut users.into_iter()));
        for stream in &self.programs.streams {
            let receivers = stream.receivers.iter().flatten().copied();
            join(&mut receivers.chain(stream.sender));
        }
        self.part = sets.into_labeling();
        for (process, part) in self.part.iter().enumerate() {
            self.parts.entry(*part).or_default().processes.push(process);
        }
        for (at, stream) in self.programs.streams.iter().enumerate() {
            let receiver = stream.receivers.iter().flatten().next();
            if let Some(part) =
                receiver.and_then(|process| self.parts.get_mut(&self.part[*process]))
                && stream.kind != NetKind::Circuit
            {
                part.streams.push(at);
            }
        }
    }

    fn name(&mut self, nets: &[PortNet]) {
        let streams = self.programs.streams.iter().enumerate();
        let by_source: FxHashMap<_, usize> = streams
            .map(|(at, stream)| ((stream.source, stream.kind), at))
            .collect();
        for (net, port_net) in nets.iter().enumerate() {
            let mut list = Vec::new();
            if port_net.kind != NetKind::Circuit {
                for (source, _) in &port_net.branches {
                    list.extend(by_source.get(&(*source, port_net.kind)));
                }
            }
            for stream in &list {
                self.nets.insert(*stream, net);
            }
            self.streams.push(list);
        }
    }

    /// The packet streams that wait for one, in no order, with the first schedule.
    fn waiting_for(&self, blocked: usize, steps: &mut u64) -> Vec<(usize, WaitSchedule)> {
        let stream = &self.programs.streams[blocked];
        let ends = stream.receivers.iter().flatten().chain(&stream.sender);
        let Some(players) = ends.map(|process| self.part[*process]).next() else {
            return Vec::new();
        };
        let part = &self.parts[&players];
        let others = self.others(blocked, part);
        let most = STEPS_PER_PROCESS * part.processes.len() as u64;
        let mut simulation = TokenSimulation::new(&self.programs, &self.takers, &part.processes);
        let mut limit = 0;
        // The words that were taken of what was blocked first.
        let mut still: FxHashMap<usize, (u64, WaitSchedule)> = FxHashMap::default();
        for passed in 0..=PACKETS {
            if *steps >= MAX_STEPS {
                return Vec::new();
            }
            simulation.limit(blocked, Some(limit));
            *steps += simulation.run(most);
            let before: Vec<Option<u64>> = others.iter().map(|s| simulation.taken(*s)).collect();
            // Processes unrelated to the blocked stream may move without end.
            *steps += simulation.run(most);
            for (stream, before) in others.iter().zip(before) {
                let taken = simulation.taken(*stream);
                if let Some(taken) =
                    taken.filter(|t| simulation.under_way(*stream) && before == Some(*t))
                {
                    let accepted = simulation.packets_until(*stream, taken);
                    let schedule = WaitSchedule { passed, accepted };
                    still.entry(*stream).or_insert((taken, schedule));
                }
            }
            match simulation.packet_after(blocked, limit) {
                Some(end) => limit = end,
                None => break,
            }
        }
        simulation.limit(blocked, None);
        *steps += simulation.run(2 * most);
        let moves = |(stream, (taken, _)): &(usize, (u64, WaitSchedule))| {
            simulation.taken(*stream).is_some_and(|t| t > *taken)
        };
        let still = still.into_iter().filter(moves);
        still
            .map(|(stream, (_, schedule))| (stream, schedule))
            .collect()
    }

    /// The packet streams of a part that have no end in common with one.
    fn others(&self, blocked: usize, part: &Component) -> Vec<usize> {
        let mine = &self.programs.streams[blocked];
        let streams = part.streams.iter().copied();
        streams
            .filter(|at| self.programs.streams[*at].is_apart_from(mine))
            .collect()
    }
}
