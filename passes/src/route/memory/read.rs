//! The programs of a netlist's DMA channels and cores, as far as locks and streams go.

use std::collections::BTreeMap;

use aiec_aie::ir::{BdDim, BdPad, Module, Op};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, dma_channels};
use aiec_aie::ops::{Core, DmaBd, Lock, OpKind, OpView, UseLock};
use aiec_device::switch::PortSide;
use aiec_device::{Arch, Bundle, ChannelId, DeviceModel, DmaDir, Port, TileLoc};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ends::switch_port;
use super::super::net::NetKind;
use super::super::requests::{FlowEnd, FlowRequest, SwitchPort};
use super::core_steps::core_steps;
use super::steps::{ProcessStep, repeat};
use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::host_transfers::{HostStep, HostTransfer};
use crate::analysis::transfer::packet_of_bd;

/// Words of a packet's header (AM020, packet headers).
const HEADER_WORDS: u64 = 1;
/// Bytes of a stream word.
const WORD_BYTES: u64 = 4;

/// The part of a design that a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessOrigin {
    /// A channel that the netlist programs, by its start.
    Channel(ChannelId, Op),
    /// A channel whose transfers the runtime sequence starts, by the operation of the first one.
    HostChannel(ChannelId, Op),
    /// A core.
    Core(Op),
    /// The runtime sequence.
    Sequence,
    /// An end of the way that tokens of a tile take through the switches.
    Tokens,
}

/// A DMA channel with a program, or a core.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// The part of the design that it is.
    pub origin: ProcessOrigin,
    /// Action.
    pub steps: Vec<ProcessStep>,
    /// The streams that it receives.
    pub inputs: Vec<usize>,
}

/// A lock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LockState {
    /// The lock of the netlist; `None` for a token of the sequence.
    pub op: Option<Op>,
    /// The value at the start.
    pub init: i64,
    /// A process of unknown program gives to it: no process is taken to wait for it.
    pub free: bool,
}

/// Packets of one source and id, or a circuit.
#[derive(Clone, Debug)]
pub(crate) struct MemoryStream {
    /// Circuit, or packets with their id.
    pub kind: NetKind,
    /// Where it starts.
    pub source: SwitchPort,
    /// Where it ends.
    pub sinks: Vec<SwitchPort>,
    /// Words of a packet that its receivers get besides the sender's: its header, if that is kept.
    pub header: u64,
    /// The process that sends it; `None` if that isn't in the netlist.
    pub sender: Option<usize>,
    /// The processes that receive it, by sink.
    pub receivers: Vec<Option<usize>>,
}

impl MemoryStream {
    /// Whether it has no end in common with another one.
    pub fn is_apart_from(&self, other: &MemoryStream) -> bool {
        self.source != other.source && !self.sinks.iter().any(|sink| other.sinks.contains(sink))
    }
}

/// A channel whose transfers the runtime sequence starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostChannel {
    /// The channel.
    pub channel: ChannelId,
    /// Lock that the channel gives to after each transfer.
    pub done: usize,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    /// Whether locks count; those of AIE1 are had by one at a time.
    pub counting: bool,
    /// Locks.
    pub locks: Vec<LockState>,
    /// Channels and cores.
    pub processes: Vec<Process>,
    /// Streams.
    pub streams: Vec<MemoryStream>,
    /// Channels of the runtime sequence, if all that it moves is known.
    pub host: Vec<HostChannel>,
}

/// Reads the programs of a device; those of the host's channels if `host` has its steps.
pub(crate) fn programs(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    requests: &[FlowRequest],
    host: Option<&[HostStep]>,
) -> Programs {
    let mut reader = ProgramReader {
        module,
        model,
        locks: FxHashMap::default(),
        by_source: FxHashMap::default(),
        by_sink: FxHashMap::default(),
        out: Programs {
            counting: model.arch_model().semaphore_locks,
            ..Programs::default()
        },
    };
    reader.streams(requests);
    if let Some(steps) = host {
        reader.host(steps);
    }
    for container in dma_containers(module, device) {
        // The tasks of a channel are done one after the other.
        let mut channels: IndexMap<(DmaDir, u8), Vec<DmaChannel>, FxBuildHasher> =
            IndexMap::default();
        for task in dma_channels(module, container) {
            channels
                .entry((task.dir, task.channel))
                .or_default()
                .push(task);
        }
        for tasks in channels.values() {
            reader.channel(container, tasks);
        }
    }
    for core in module.children::<Core>(device) {
        reader.core(core.op());
    }
    reader.out
}

/// The way of a tile's tokens through the switches.
#[derive(Clone, Copy, Debug)]
struct TokenPath {
    /// Lock that a channel gives a token to.
    sent: usize,
    /// Lock that has the tokens that have arrived.
    arrived: usize,
}

struct ProgramReader<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    locks: FxHashMap<Op, usize>,
    /// The streams that begin at a port.
    by_source: FxHashMap<SwitchPort, Vec<usize>>,
    /// The streams that end at a port, with the number of the sink.
    by_sink: FxHashMap<SwitchPort, Vec<(usize, usize)>>,
    out: Programs,
}

impl ProgramReader<'_> {
    fn streams(&mut self, requests: &[FlowRequest]) {
        let mut streams: BTreeMap<(SwitchPort, NetKind), MemoryStream> = BTreeMap::new();
        for request in requests {
            for source in &request.sources {
                let key @ (source, kind) = (source.place(), request.kind);
                let stream = streams.entry(key).or_insert_with(|| MemoryStream {
                    kind,
                    source,
                    sinks: Vec::new(),
                    header: 0,
                    sender: None,
                    receivers: Vec::new(),
                });
                stream
                    .sinks
                    .extend(request.sinks.iter().map(FlowEnd::place));
                if request.keep_header == Some(true) {
                    stream.header = HEADER_WORDS;
                }
            }
        }
        let finished = |mut stream: MemoryStream| {
            stream.sinks.sort();
            stream.sinks.dedup();
            stream.receivers = vec![None; stream.sinks.len()];
            stream
        };
        self.out.streams = streams.into_values().map(finished).collect();
        for (at, stream) in self.out.streams.iter().enumerate() {
            self.by_source.entry(stream.source).or_default().push(at);
            for (number, sink) in stream.sinks.iter().enumerate() {
                self.by_sink.entry(*sink).or_default().push((at, number));
            }
        }
    }

    /// Adds the sequence and the shim channels that it starts, if all that they move is known. A
    /// channel takes a token of the sequence for each transfer and gives one back.
    fn host(&mut self, steps: &[HostStep]) {
        if !self.out.counting {
            return;
        }
        let mut channels = Vec::new();
        if channels_of(steps, &mut channels).is_none() {
            return;
        }
        let mut list = Vec::new();
        for key in &channels {
            let Some(channel) = self.host_channel(*key, steps) else {
                return;
            };
            list.push(channel);
        }
        let locks = self.out.locks.len();
        self.out
            .locks
            .resize(locks + 2 * channels.len(), LockState::default());
        let token_paths = self.token_paths(&channels);
        let tokens = |key: &ChannelId| {
            let at = channels.iter().position(|known| known == key)?;
            Some((locks + 2 * at, locks + 2 * at + 1))
        };
        for (key, place) in channels.iter().zip(list) {
            let of_channel = |step: &HostStep| match step {
                HostStep::Start(transfer) if transfer.channel == *key => {
                    let (start, done) = tokens(key)?;
                    let words = transfer.words?;
                    let mut moves = Vec::new();
                    match key.dir {
                        DmaDir::S2mm => moves.push(ProcessStep::Receive { words }),
                        DmaDir::Mm2s => {
                            let stream = self.stream_at(place, transfer.packet)?;
                            let runs = transfer.runs;
                            let words = words / runs;
                            let send = ProcessStep::Send { stream, words };
                            repeat(&mut moves, Some(runs), vec![send]);
                        }
                    }
                    let (value, equal) = (1, false);
                    let acquire = ProcessStep::Acquire {
                        lock: start,
                        value,
                        equal,
                    };
                    let mut steps = vec![acquire];
                    steps.extend(moves);
                    steps.push(ProcessStep::Release { lock: done, value });
                    if let Some(path) = token_paths.get(&key.tile).filter(|_| transfer.issues_token)
                    {
                        steps.push(ProcessStep::Release {
                            lock: path.sent,
                            value,
                        });
                    }
                    Some(steps)
                }
                _ => None,
            };
            let program = project(steps, &of_channel);
            let Some((_, done)) = tokens(key) else {
                continue;
            };
            let channel = *key;
            self.out.host.push(HostChannel { channel, done });
            if let Some(first) = first_start(steps, *key) {
                let origin = ProcessOrigin::HostChannel(*key, first);
                self.add_channel(place, key.dir, origin, program);
            }
        }
        // Controllers of AIE2PS work on parts of a sequence side by side.
        let in_order = self.model.arch() != Arch::Aie2ps;
        let of_sequence = |step: &HostStep| match step {
            HostStep::Start(transfer) => Some(vec![ProcessStep::Release {
                lock: tokens(&transfer.channel)?.0,
                value: 1,
            }]),
            HostStep::Wait(key) if in_order => {
                let done = Some(tokens(key)?.1);
                let arrived = token_paths.get(&key.tile).map(|path| path.arrived);
                let acquire = |lock| ProcessStep::Acquire {
                    lock,
                    value: 1,
                    equal: false,
                };
                Some(done.into_iter().chain(arrived).map(acquire).collect())
            }
            _ => None,
        };
        let steps = project(steps, &of_sequence);
        self.out.processes.push(Process {
            origin: ProcessOrigin::Sequence,
            steps,
            inputs: Vec::new(),
        });
    }

    /// The paths of tokens through the switches, by the tile of the channels: those of all its channels are one stream, each
    /// token a word. Whose token has arrived isn't followed: a wait for a channel takes any, once that channel is done.
    fn token_paths(&mut self, channels: &[ChannelId]) -> BTreeMap<TileLoc, TokenPath> {
        let mut paths = BTreeMap::new();
        for tile in channels.iter().map(|channel| channel.tile) {
            let port = (tile, Port::new(Bundle::TileControl, 0));
            let Some(&[stream]) = self.by_source.get(&port).map(Vec::as_slice) else {
                continue;
            };
            let &[sink] = self.out.streams[stream].sinks.as_slice() else {
                continue;
            };
            if paths.contains_key(&tile)
                || self
                    .by_sink
                    .get(&sink)
                    .is_none_or(|streams| streams.len() != 1)
            {
                continue;
            }
            let sent = self.out.locks.len();
            let path = TokenPath {
                sent,
                arrived: sent + 1,
            };
            self.out.locks.extend([LockState::default(); 2]);
            let value = 1;
            let (mut sending, mut receiving) = (Vec::new(), Vec::new());
            let acquire = ProcessStep::Acquire {
                lock: path.sent,
                value,
                equal: false,
            };
            let send = ProcessStep::Send {
                stream: Some(stream),
                words: 1,
            };
            repeat(&mut sending, None, vec![acquire, send]);
            let release = ProcessStep::Release {
                lock: path.arrived,
                value,
            };
            repeat(
                &mut receiving,
                None,
                vec![ProcessStep::Receive { words: 1 }, release],
            );
            self.add_channel(port, DmaDir::Mm2s, ProcessOrigin::Tokens, sending);
            self.add_channel(sink, DmaDir::S2mm, ProcessOrigin::Tokens, receiving);
            paths.insert(tile, path);
        }
        paths
    }

    /// The switch port of a shim channel, if all its transfers are known.
    fn host_channel(&self, key: ChannelId, steps: &[HostStep]) -> Option<SwitchPort> {
        let ChannelId {
            tile,
            dir,
            index: channel,
        } = key;
        let side = match dir {
            DmaDir::S2mm => PortSide::Master,
            DmaDir::Mm2s => PortSide::Slave,
        };
        if !self.model.tile_kind(tile)?.is_shim() {
            return None;
        }
        let port = switch_port(self.model, tile, Port::new(Bundle::Dma, channel), side)?;
        let known = |transfer: &HostTransfer| {
            let sends =
                dir == DmaDir::S2mm || self.stream_at((tile, port), transfer.packet).is_some();
            transfer.channel != key || sends && transfer.words.is_some()
        };
        all_transfers(steps, &known).then_some((tile, port))
    }

    fn channel(&mut self, container: Op, tasks: &[DmaChannel]) {
        let Some(channel) = tasks.first() else { return };
        let Some(tile) = tile_of_op(self.module, container) else {
            return;
        };
        if self.module.kind(container) == OpKind::ShimDma {
            // The host's use of its locks isn't known.
            return self.unknown(container);
        }
        let place = (tile, Port::new(Bundle::Dma, channel.channel));
        let steps = tasks.iter().map(|task| self.channel_steps(place, task));
        let Some(steps) = steps
            .collect::<Option<Vec<_>>>()
            .map(|steps| steps.concat())
        else {
            let bds = tasks.iter().flat_map(|task| &task.bds);
            let locks = bds.flat_map(|slot| slot.release);
            return locks.for_each(|lock| self.free(lock));
        };
        let id = ChannelId::new(tile, channel.dir, channel.channel);
        let origin = ProcessOrigin::Channel(id, channel.op);
        self.add_channel(place, channel.dir, origin, steps);
    }

    /// Adds the process of a channel at a switch port.
    fn add_channel(
        &mut self,
        place: SwitchPort,
        dir: DmaDir,
        origin: ProcessOrigin,
        steps: Vec<ProcessStep>,
    ) {
        let at = self.out.processes.len();
        let mut process = Process {
            origin,
            steps,
            inputs: Vec::new(),
        };
        match dir {
            DmaDir::Mm2s => {
                for stream in self.by_source.get(&place).into_iter().flatten() {
                    self.out.streams[*stream].sender = Some(at);
                }
            }
            DmaDir::S2mm => {
                for (stream, sink) in self.by_sink.get(&place).into_iter().flatten() {
                    self.out.streams[*stream].receivers[*sink] = Some(at);
                    process.inputs.push(*stream);
                }
            }
        }
        self.out.processes.push(process);
    }

    /// The chain of a channel; `None` if something of it isn't known.
    fn channel_steps(
        &mut self,
        place: SwitchPort,
        channel: &DmaChannel,
    ) -> Option<Vec<ProcessStep>> {
        let mut parts = Vec::new();
        for slot in &channel.bds {
            parts.push(self.bd(place, channel.dir, slot)?);
        }
        match channel.next_of_last {
            Some(first) => {
                let ring = parts.split_off(first.min(parts.len())).concat();
                let mut steps = parts.concat();
                repeat(&mut steps, None, ring);
                Some(steps)
            }
            None => {
                let runs = u64::try_from(channel.repeat_count).unwrap_or(0) + 1;
                let mut steps = Vec::new();
                repeat(&mut steps, Some(runs), parts.concat());
                Some(steps)
            }
        }
    }

    fn bd(&mut self, place: SwitchPort, dir: DmaDir, slot: &BdSlot) -> Option<Vec<ProcessStep>> {
        let module = self.module;
        let mut steps = Vec::new();
        let enabled = |lock: &UseLock| lock.acq_en(module).unwrap_or(true);
        if let Some(lock) = slot.acquire.filter(enabled) {
            steps.push(self.use_lock(lock)?);
        }
        let words = words(module, slot.bd)?;
        steps.push(match dir {
            DmaDir::S2mm => ProcessStep::Receive { words },
            DmaDir::Mm2s => ProcessStep::Send {
                stream: self.stream_of(place, slot)?,
                words,
            },
        });
        if let Some(lock) = slot.release {
            steps.push(self.use_lock(lock)?);
        }
        Some(steps)
    }

    /// The stream that a BD sends, `Some(None)` if it is connected to nothing.
    fn stream_of(&self, place: SwitchPort, slot: &BdSlot) -> Option<Option<usize>> {
        let packet = packet_of_bd(self.module, slot.bd, slot.block);
        let id = packet.and_then(|packet| u8::try_from(packet.pkt_id).ok());
        self.stream_at(place, id)
    }

    /// The stream from a port with this id, `Some(None)` if it is connected to nothing.
    fn stream_at(&self, place: SwitchPort, id: Option<u8>) -> Option<Option<usize>> {
        let mine = self.by_source.get(&place).map_or(&[][..], Vec::as_slice);
        match (mine, id) {
            ([], _) => Some(None),
            ([only], _) => Some(Some(*only)),
            (list, Some(id)) => {
                let of_id = |at: &&usize| self.out.streams[**at].kind == NetKind::Packet(id);
                list.iter().find(of_id).map(|at| Some(*at))
            }
            (_, None) => None,
        }
    }

    fn core(&mut self, core: Op) {
        match core_steps(self.module, core, |used, value| self.lock_step(used, value)) {
            Some(steps) if steps.is_empty() => {}
            Some(steps) => self.out.processes.push(Process {
                origin: ProcessOrigin::Core(core),
                steps,
                inputs: Vec::new(),
            }),
            None => self.unknown(core),
        }
    }

    fn use_lock(&mut self, used: UseLock) -> Option<ProcessStep> {
        let value = used.const_value(self.module)?;
        self.lock_step(used, value)
    }

    /// The step that a lock operation is with a number of units.
    fn lock_step(&mut self, used: UseLock, value: i64) -> Option<ProcessStep> {
        let module = self.module;
        let lock = self.lock(used.lock_op(module)?);
        Some(match used.action(module) {
            LockAction::Release => ProcessStep::Release { lock, value },
            action => ProcessStep::Acquire {
                lock,
                value,
                equal: action == LockAction::Acquire,
            },
        })
    }

    fn lock(&mut self, lock: Lock) -> usize {
        let locks = &mut self.out.locks;
        *self.locks.entry(lock.op()).or_insert_with(|| {
            locks.push(LockState {
                op: Some(lock.op()),
                init: lock.init(self.module).unwrap_or(0).into(),
                free: false,
            });
            locks.len() - 1
        })
    }

    /// Marks the locks that this may give to as never waited for.
    fn unknown(&mut self, op: Op) {
        for lock in self.module.find_all::<UseLock>(op) {
            self.free(lock);
        }
    }

    fn free(&mut self, used: UseLock) {
        if used.action(self.module) == LockAction::Release
            && let Some(lock) = used.lock_op(self.module)
        {
            let lock = self.lock(lock);
            self.out.locks[lock].free = true;
        }
    }
}

/// The channels whose transfers some steps start, in order of the first one; `None` if a step is
/// repeated an unknown number of times.
fn channels_of(steps: &[HostStep], channels: &mut Vec<ChannelId>) -> Option<()> {
    for step in steps {
        match step {
            HostStep::Start(transfer) if channels.contains(&transfer.channel) => {}
            HostStep::Start(transfer) => channels.push(transfer.channel),
            HostStep::Wait(_) => {}
            HostStep::Repeat(None, _) => return None,
            HostStep::Repeat(Some(_), steps) => channels_of(steps, channels)?,
        }
    }
    Some(())
}

/// The operation of the first transfer of a channel.
fn first_start(steps: &[HostStep], channel: ChannelId) -> Option<Op> {
    steps.iter().find_map(|step| match step {
        HostStep::Start(transfer) => (transfer.channel == channel).then_some(transfer.op),
        HostStep::Wait(_) => None,
        HostStep::Repeat(_, steps) => first_start(steps, channel),
    })
}

/// Whether all transfers of some steps are so.
fn all_transfers(steps: &[HostStep], so: &impl Fn(&HostTransfer) -> bool) -> bool {
    steps.iter().all(|step| match step {
        HostStep::Start(transfer) => so(transfer),
        HostStep::Wait(_) => true,
        HostStep::Repeat(_, steps) => all_transfers(steps, so),
    })
}

/// The steps of a process that has a part in those of a sequence.
fn project(
    steps: &[HostStep],
    part: &impl Fn(&HostStep) -> Option<Vec<ProcessStep>>,
) -> Vec<ProcessStep> {
    let mut list = Vec::new();
    for step in steps {
        match step {
            HostStep::Repeat(times, steps) => repeat(&mut list, *times, project(steps, part)),
            step => list.extend(part(step).into_iter().flatten()),
        }
    }
    list
}

/// Words that a BD moves, with what it pads.
fn words(module: &Module, bd: DmaBd) -> Option<u64> {
    let memref = module.ty(bd.buffer(module)?).as_memref()?;
    let mut elements = u64::try_from(bd.len_elems(module)?).ok()?;
    let pads = bd.pad_dimensions(module).unwrap_or_default();
    if !pads.is_empty() {
        let dims = bd.dims(module)?;
        let padded = dims
            .iter()
            .rev()
            .zip(pads.iter().rev().map(Some).chain(std::iter::repeat(None)));
        let size = |(dim, pad): (&BdDim, Option<&BdPad>)| {
            let more = pad.map_or(0, |pad| pad.before.saturating_add(pad.after));
            u64::try_from(dim.size.saturating_add(more)).ok()
        };
        elements = padded
            .map(size)
            .try_fold(1u64, |all, size| Some(all.saturating_mul(size?)))?;
    }
    let bytes = elements.saturating_mul(memref.elem.elem_bytes()?);
    Some(bytes.div_ceil(WORD_BYTES))
}
