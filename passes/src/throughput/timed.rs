//! A design's channels and cores as steps with the least times between them.
//!
//! Whatever is left out delays nothing: locks that several processes take from or give to, whose order isn't known; those that something
//! unknown gives to; streams that several senders share or that arrive where others do.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Lock, OpKind, OpView, RuntimeSequence, UseLock};
use aiec_device::{Bundle, LockId, PerDir};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::route::NetKind;
use crate::route::given::RoutedPrograms;
use crate::route::memory::{Process, ProcessOrigin, ProcessStep, Programs};

/// A loop of more runs than this doesn't end while a design runs.
const ENDLESS_RUNS: u64 = 1 << 31;

/// Least times of the array, in ticks, and greatest numbers of words that are under way. They are those of the simulator's model.
#[derive(Clone, Copy, Debug)]
pub struct ArrayTimes {
    /// Ticks of a cycle.
    pub ticks_per_cycle: i64,
    /// From a word of a channel of a core's or memory tile to the next.
    pub word: i64,
    /// From a word of a shim tile's channel to the next.
    pub host_word: i64,
    /// From a transfer's end to the first word of the next one.
    pub bd_switch: i64,
    /// From a transfer's end to the release of its lock.
    pub lock_release: i64,
    /// From the start of a shim tile's channel to the first word of its first task.
    pub host_first: PerDir<i64>,
    /// From the end of a task of a shim tile's channel to the first word of the next one.
    pub host_next: PerDir<i64>,
    /// From a word sent to the same word taken, through one switch.
    pub stream_latency: i64,
    /// Words that find room in a switch on the way of a stream.
    pub words_of_hop: u64,
    /// Words that find room in a FIFO of a switch, where a stream goes through it.
    pub words_of_fifo: u64,
    /// Words that find room between memory and switches, at both ends of a stream together.
    pub words_of_ends: u64,
    /// Words of 32 bits that a port of a switch moves in a cycle.
    pub words_per_cycle: u64,
}

/// A lock.
#[derive(Clone, Debug, Default)]
pub(super) struct TimedLock {
    pub op: Option<Op>,
    pub init: i64,
    /// One process gives and one takes, so that each unit that is taken is known to be one that was given.
    pub is_coupled: bool,
    pub takers: Vec<usize>,
    pub givers: Vec<usize>,
}

/// A stream.
#[derive(Clone, Debug)]
pub(super) struct TimedStream {
    pub sender: Option<usize>,
    /// Receivers whose words are all of this stream, by sink.
    pub receivers: Vec<Option<usize>>,
    /// Words of a packet that receivers take besides the sender's data, and words that go on the way.
    pub kept_header: u64,
    pub dropped_header: u64,
    /// Words that may have been sent and not taken.
    pub room: u64,
}

/// Times of a channel's tasks that the sequence starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostTimes {
    /// Number of the channel among those of the host.
    pub channel: usize,
    /// From the start of an idle channel to the first word.
    pub first_task: i64,
    /// From the end of the task before to the first word.
    pub next_task: i64,
}

/// A channel, a core or the sequence.
#[derive(Clone, Debug)]
pub(super) struct TimedProcess {
    pub origin: ProcessOrigin,
    pub steps: Vec<ProcessStep>,
    /// Least time in front of each step.
    pub waits: Vec<i64>,
    /// From a word to the next.
    pub word: i64,
    /// From the end of a transfer to the first word of the next.
    pub switch: i64,
    pub host: Option<HostTimes>,
    /// The stream that it receives and nothing else, with the number of the sink.
    pub input: Option<(usize, usize)>,
    /// The step that is the loop that it is in, in the long run.
    pub ring: Option<usize>,
    /// It has a part in what is computed.
    pub plays: bool,
    pub is_sequence: bool,
}

/// All of it.
#[derive(Clone, Debug)]
pub(super) struct TimedDesign {
    pub locks: Vec<TimedLock>,
    pub streams: Vec<TimedStream>,
    pub processes: Vec<TimedProcess>,
    pub stream_latency: i64,
    /// Channels of the host.
    pub host_channels: usize,
}

/// Adds up what steps do: of each lock and stream its units and words.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub taken: FxHashMap<usize, i64>,
    pub given: FxHashMap<usize, i64>,
    /// Words with headers that are kept, by stream.
    pub sent: FxHashMap<usize, u64>,
    pub received: u64,
    /// Transfers, each with what it needs besides its words.
    pub transfers: u64,
    /// Headers that are dropped on the way.
    pub headers: u64,
    /// Sum of the times in front of steps.
    pub waits: i64,
    /// Events.
    pub events: u64,
}

impl TimedDesign {
    /// The design without the times of its cores, whose sequence writes the counters of some locks.
    pub fn new(
        module: &Module,
        device: Op,
        routed: &RoutedPrograms,
        written: &FxHashSet<LockId>,
        times: &ArrayTimes,
    ) -> Self {
        let programs = &routed.programs;
        let locks = locks(module, device, programs, written);
        let streams = streams(routed, times);
        let mut processes: Vec<TimedProcess> = programs
            .processes
            .iter()
            .map(|process| timed(process, times))
            .collect();
        for (at, stream) in streams.iter().enumerate() {
            for (sink, receiver) in stream.receivers.iter().enumerate() {
                if let Some(receiver) = receiver {
                    processes[*receiver].input = Some((at, sink));
                }
            }
        }
        let of_host = processes
            .iter_mut()
            .filter_map(|process| process.host.as_mut());
        let mut host_channels = 0;
        for host in of_host {
            host.channel = host_channels;
            host_channels += 1;
        }
        TimedDesign {
            host_channels,
            locks,
            streams,
            processes,
            stream_latency: times.stream_latency,
        }
    }

    /// Units and words of some steps of a process in one run.
    pub fn tally(&self, steps: std::ops::Range<usize>, process: usize) -> Tally {
        let mut tally = Tally::default();
        self.add_steps(steps, process, 1, &mut tally);
        tally
    }

    fn add_steps(
        &self,
        steps: std::ops::Range<usize>,
        process: usize,
        runs: u64,
        tally: &mut Tally,
    ) {
        let timed = &self.processes[process];
        let mut at = steps.start;
        while at < steps.end {
            let units = |value: i64| value.saturating_mul(i64::try_from(runs).unwrap_or(i64::MAX));
            tally.waits = tally.waits.saturating_add(units(timed.waits[at]));
            match timed.steps[at] {
                ProcessStep::Loop { times, len } => {
                    let inner = runs.saturating_mul(times.unwrap_or(u64::MAX));
                    self.add_steps(at + 1..at + 1 + len, process, inner, tally);
                    at += len;
                }
                ProcessStep::Acquire { lock, value, .. } => {
                    *tally.taken.entry(lock).or_default() += units(value);
                    tally.events = tally.events.saturating_add(runs);
                }
                ProcessStep::Release { lock, value } => {
                    *tally.given.entry(lock).or_default() += units(value);
                    tally.events = tally.events.saturating_add(runs);
                }
                ProcessStep::Send { stream, words } => {
                    let connected = stream.map(|stream| &self.streams[stream]);
                    let (kept, dropped) = connected
                        .map_or((0, 0), |stream| (stream.kept_header, stream.dropped_header));
                    let words = words.saturating_add(kept).saturating_mul(runs);
                    let stream = stream.unwrap_or(usize::MAX);
                    *tally.sent.entry(stream).or_default() += words;
                    tally.headers = tally.headers.saturating_add(dropped.saturating_mul(runs));
                    tally.transfers = tally.transfers.saturating_add(runs);
                    tally.events = tally.events.saturating_add(runs.saturating_mul(2));
                }
                ProcessStep::Receive { words } => {
                    tally.received = tally.received.saturating_add(words.saturating_mul(runs));
                    tally.transfers = tally.transfers.saturating_add(runs);
                    tally.events = tally.events.saturating_add(runs.saturating_mul(2));
                }
            }
            at += 1;
        }
    }

    /// Units and words of a process in a round of its ring.
    pub fn round(&self, process: usize) -> Option<Tally> {
        let timed = &self.processes[process];
        let ring = timed.ring?;
        match timed.steps[ring] {
            ProcessStep::Loop { len, .. } => Some(self.tally(ring + 1..ring + 1 + len, process)),
            _ => None,
        }
    }

    /// Lets the processes play that have to do with some, directly or through others.
    pub fn play_with(&mut self, some: impl IntoIterator<Item = usize>) {
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); self.processes.len()];
        let mut join = |a: usize, b: usize| {
            around[a].push(b);
            around[b].push(a);
        };
        for lock in self.locks.iter().filter(|lock| lock.is_coupled) {
            for taker in &lock.takers {
                lock.givers.iter().for_each(|giver| join(*taker, *giver));
            }
        }
        for stream in &self.streams {
            for receiver in stream.receivers.iter().flatten() {
                stream
                    .sender
                    .iter()
                    .for_each(|sender| join(*sender, *receiver));
            }
        }
        for process in &mut self.processes {
            process.plays = false;
        }
        let mut list: Vec<usize> = some.into_iter().collect();
        while let Some(process) = list.pop() {
            if !std::mem::replace(&mut self.processes[process].plays, true) {
                list.extend(&around[process]);
            }
        }
    }
}

fn timed(process: &Process, times: &ArrayTimes) -> TimedProcess {
    let (word, switch, host) = match process.origin {
        ProcessOrigin::Channel(..) | ProcessOrigin::Tokens => (times.word, times.bd_switch, None),
        ProcessOrigin::HostChannel(channel, _) => {
            let host = HostTimes {
                channel: 0,
                first_task: times.host_first.get(channel.dir),
                next_task: times.host_next.get(channel.dir),
            };
            (times.host_word, 0, Some(host))
        }
        ProcessOrigin::Core(_) | ProcessOrigin::Sequence => (0, 0, None),
    };
    let is_channel = matches!(process.origin, ProcessOrigin::Channel(..));
    let wait = |step: &ProcessStep| match step {
        ProcessStep::Release { .. } if is_channel => times.lock_release,
        _ => 0,
    };
    TimedProcess {
        origin: process.origin,
        waits: process.steps.iter().map(wait).collect(),
        ring: ring(&process.steps),
        steps: process.steps.clone(),
        word,
        switch,
        host,
        input: None,
        plays: true,
        is_sequence: process.origin == ProcessOrigin::Sequence,
    }
}

/// The loop that a process is in for the most time: the endless one at its end, else the only one.
fn ring(steps: &[ProcessStep]) -> Option<usize> {
    let mut loops = Vec::new();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        if let ProcessStep::Loop { times, len } = step {
            loops.push((at, times.is_none_or(|times| times >= ENDLESS_RUNS)));
            at += len;
        }
        at += 1;
    }
    match loops[..] {
        [(only, _)] => Some(only),
        _ => loops
            .iter()
            .find(|(_, is_endless)| *is_endless)
            .map(|(at, _)| *at),
    }
}

fn locks(
    module: &Module,
    device: Op,
    programs: &Programs,
    written: &FxHashSet<LockId>,
) -> Vec<TimedLock> {
    let mut locks: Vec<TimedLock> = programs
        .locks
        .iter()
        .map(|lock| TimedLock {
            op: lock.op,
            init: lock.init,
            ..TimedLock::default()
        })
        .collect();
    let mut unknown: FxHashSet<usize> = FxHashSet::default();
    for (at, process) in programs.processes.iter().enumerate() {
        for step in &process.steps {
            let (list, lock, value, equal) = match step {
                ProcessStep::Acquire { lock, value, equal } => {
                    (&mut locks[*lock].takers, lock, value, *equal)
                }
                ProcessStep::Release { lock, value } => {
                    (&mut locks[*lock].givers, lock, value, false)
                }
                _ => continue,
            };
            if list.last() != Some(&at) {
                list.push(at);
            }
            if equal || *value < 0 {
                unknown.insert(*lock);
            }
        }
    }
    // The sequence and its tasks change locks at times that nothing here knows.
    let mut of_sequence: FxHashSet<Op> = FxHashSet::default();
    for sequence in module.children::<RuntimeSequence>(device) {
        for op in module.walk(sequence.op()) {
            let lock = match module.kind(op) {
                OpKind::UseLock => UseLock(op).lock_op(module).map(OpView::op),
                OpKind::SetLock => module.operand(op, 0).and_then(|lock| module.def_op(lock)),
                _ => None,
            };
            of_sequence.extend(lock);
        }
    }
    for (at, lock) in locks.iter_mut().enumerate() {
        lock.is_coupled = programs.counting
            && lock.takers.len() == 1
            && lock.givers.len() == 1
            && !programs.locks[at].free
            && !unknown.contains(&at)
            && lock.op.is_none_or(|op| {
                let id = Lock::cast(module, op).and_then(|lock| lock.place(module));
                !of_sequence.contains(&op) && id.is_none_or(|id| !written.contains(&id))
            });
    }
    locks
}

fn streams(routed: &RoutedPrograms, times: &ArrayTimes) -> Vec<TimedStream> {
    let programs = &routed.programs;
    let mut senders: Vec<Vec<usize>> = vec![Vec::new(); programs.streams.len()];
    for (at, process) in programs.processes.iter().enumerate() {
        for step in &process.steps {
            if let ProcessStep::Send {
                stream: Some(stream),
                ..
            } = step
                && senders[*stream].last() != Some(&at)
            {
                senders[*stream].push(at);
            }
        }
    }
    // Processes at one port, such as a program of the netlist and one of the sequence, share its words.
    let mut receiving = vec![0; programs.streams.len()];
    for process in &programs.processes {
        process
            .inputs
            .iter()
            .for_each(|stream| receiving[*stream] += 1);
    }
    let streams = programs.streams.iter().enumerate().map(|(at, stream)| {
        let is_packet = stream.kind != NetKind::Circuit;
        let is_counted = senders[at].len() == 1
            && senders[at].first() == stream.sender.as_ref()
            && (is_packet || !routed.packets_on_circuits.contains(&stream.source));
        let is_counted = is_counted && receiving[at] == stream.receivers.iter().flatten().count();
        let receivers = stream.receivers.iter().map(|receiver| {
            let alone = |process: &usize| programs.processes[*process].inputs == [at];
            receiver.filter(|process| is_counted && alone(process))
        });
        let hops = routed.hops[at].iter().map(|hop| match hop.master.bundle {
            Bundle::Fifo => times.words_of_hop + times.words_of_fifo,
            _ => times.words_of_hop,
        });
        TimedStream {
            sender: stream.sender.filter(|_| is_counted),
            receivers: receivers.collect(),
            kept_header: stream.header,
            dropped_header: u64::from(is_packet && stream.header == 0),
            room: times.words_of_ends + hops.sum::<u64>(),
        }
    });
    streams.collect()
}

/// Whether packets can come to the control port of a tile, which may change anything: those of the host or a channel.
pub(super) fn has_control_packets(programs: &Programs) -> bool {
    programs.streams.iter().any(|stream| {
        let is_control = |bundle| bundle == Bundle::TileControl;
        !is_control(stream.source.1.bundle)
            && stream.sinks.iter().any(|(_, port)| is_control(port.bundle))
    })
}
