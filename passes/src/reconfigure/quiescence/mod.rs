//! Quiescence: in which state a device whose transfers have ended leaves the array.
//!
//! A device needs no reset before another one with the same routing if its streams are empty, its
//! channels are at the descriptor at which they were started, and its locks have the values they had
//! then: only cores are restarted. A channel that is at another descriptor is restarted alone; locks
//! whose values differ, or are unknown, are written. All this follows from counting tokens: cores that
//! use locks by constants, and channels with lock-guarded descriptors, are the processes of a marked
//! graph with one final marking ([`marked_graph`]); what the sequence transfers is known.
//!
//! The controller must not continue too early either. It has waited for the transfers of the host. The
//! steps that these imply have happened ([`marked_graph::MarkedGraph::implied_steps`]), and after those
//! lock operations with no work in between: a few cycles. What may happen later is stopped: the work of
//! a core ends with its reset, and its later effect on locks, or that of a channel on later locks, is
//! written. Where words are left in a stream or may still move, or where the outcome is unknown, that
//! component of the graph (what locks and streams connect) is reset, with the switches on its streams;
//! other components are not.

mod channel_processes;
mod core_processes;
mod marked_graph;
mod resume_plan;
mod rotation;

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, FuncFunc, OpKind, OpView};
use aiec_device::regmap::RegisterRef;
use aiec_device::switch::{MuxDir, MuxInput};
use aiec_device::{Bundle, ChannelId, DeviceModel, DmaDir, LockId, TileLoc};
use aiec_diag::named_enum;
use rustc_hash::FxHashMap;

use crate::analysis::core_elf;
use crate::regops::{RegAction, RegOp};
use aiec_regprog::known_values::words_of;
use aiec_regprog::network::Network;
use channel_processes::Channels;
use marked_graph::{MarkedGraph, PlaceId, ProcessId, ProcessNode, TokenStep};
pub(super) use resume_plan::{PhaseOffsets, QuiescentState, ResumePlan};

named_enum! {
    /// Why the state in which a device leaves the array can't be proven, and what statistics call it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Unproven {
        /// The device loaded next has another routing.
        OtherRouting => "loads with resets: other routing",
        /// Control packets may change registers.
        ControlPackets => "loads with resets: control packets",
        /// A register is written whose effect isn't followed.
        Register => "loads with resets: other registers",
        /// A channel is in a mode in which descriptors end otherwise than by their length.
        Mode => "loads with resets: modes of channels",
        /// A descriptor pads, compresses, or wasn't written.
        Descriptor => "loads with resets: descriptors",
        /// A lock must have an exact value: what happens depends on the order of steps.
        ExactLock => "loads with resets: exact values of locks",
        /// A stream whose route is ambiguous, or one without a receiver.
        Stream => "loads with resets: routes of streams",
        /// A core uses a stream or a cascade.
        CoreStream => "loads with resets: streams of cores",
        /// A core uses locks in branches, in loops without constant bounds, or in functions.
        Branches => "loads with resets: branches",
        /// A core runs machine code.
        MachineCode => "loads with resets: machine code",
        /// The graph does not become quiescent within the counted steps.
        NeverQuiescent => "loads with resets: never quiescent",
    }
}

/// The state in which a device leaves the array when its sequence has ended. `waited` says for which
/// shim channels the sequence has waited for all tasks, `offset` at which descriptor channels were when the
/// device began.
///
/// # Errors
/// The state can't be proven.
pub(super) fn quiescent_state(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    (config, sequence): (&[RegOp], &[RegOp]),
    waited: &dyn Fn(ChannelId) -> bool,
    offset: &PhaseOffsets,
) -> Result<QuiescentState, Unproven> {
    let network = Network::of(model, config, sequence, &Default::default());
    let mut tiles = model.tiles();
    if tiles.any(|tile| network.takes_control_packets(tile)) {
        return Err(Unproven::ControlPackets);
    }
    let mut all = Channels::default();
    all.add(model, config, false)?;
    all.add(model, sequence, true)?;
    let mut processes = DeviceProcesses {
        model,
        network,
        net: MarkedGraph::default(),
        locks: BTreeMap::new(),
        inits: all.locks.clone(),
        hosts: Vec::new(),
        channels: Vec::new(),
        cores: BTreeSet::new(),
        tiles: FxHashMap::default(),
        unproven: BTreeSet::new(),
    };
    processes.add_channels(&all)?;
    processes.add_cores(module, device)?;
    resume_plan::quiescent_state_of(processes, &all, waited, offset)
}

/// Whether two configurations differ in programs and memory only.
pub(super) fn same_routing(model: &DeviceModel, a: &[RegOp], b: &[RegOp]) -> bool {
    let ways = |config: &[RegOp]| {
        let mut map: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let masked = config.iter().flat_map(|op| match op.action {
            RegAction::Mask {
                address,
                mask,
                value,
            } => vec![(address, mask), (address, value)],
            _ => words_of(op).collect(),
        });
        for (address, word) in masked {
            use RegisterRef as R;
            let what = model.register_at(address).map(|(_, what)| what);
            if !matches!(what, Some(R::ProgramMemory { .. } | R::DataMemory { .. })) {
                map.entry(address).or_default().push(word);
            }
        }
        map
    };
    ways(a) == ways(b)
}

/// The processes of a device, and what they take from and give to.
struct DeviceProcesses {
    model: &'static DeviceModel,
    network: Network,
    net: MarkedGraph,
    locks: BTreeMap<LockId, PlaceId>,
    inits: FxHashMap<LockId, i64>,
    /// Channels of shim tiles, ascending.
    hosts: Vec<(ChannelId, ProcessId)>,
    /// Channels of other tiles, ascending.
    channels: Vec<(ChannelId, ProcessId)>,
    cores: BTreeSet<ProcessId>,
    /// The tiles whose switches each stream passes.
    tiles: FxHashMap<PlaceId, BTreeSet<TileLoc>>,
    /// Places that a core uses in an unknown way.
    unproven: BTreeSet<PlaceId>,
}

/// Where words go: a stream, and how many come beside a descriptor's own.
type Stream = (PlaceId, i64);

impl DeviceProcesses {
    fn add_channels(&mut self, all: &Channels) -> Result<(), Unproven> {
        // A stream for each channel that takes words.
        let mut takes: FxHashMap<ChannelId, PlaceId> = FxHashMap::default();
        let mut sends: FxHashMap<(ChannelId, Option<u8>), Vec<Stream>> = FxHashMap::default();
        for (key, tasks) in &all.tasks {
            let ChannelId {
                tile,
                dir,
                index: channel,
            } = *key;
            if dir == DmaDir::S2mm {
                continue;
            }
            for packet in tasks
                .iter()
                .flat_map(|task| &task.moves)
                .map(|m| m.packet())
            {
                if sends.contains_key(&(*key, packet)) {
                    continue;
                }
                let path = self.network.path(tile, channel, packet);
                let path = path.ok_or(Unproven::Stream)?;
                let mut streams = Vec::new();
                for end in path.ends {
                    let sink = self.sink(end.tile, end.port.bundle, end.port.channel)?;
                    let net = &mut self.net;
                    let stream = *takes.entry(sink).or_insert_with(|| net.place(0, true));
                    streams.push((stream, i64::from(end.header)));
                    self.tiles.entry(stream).or_default().extend(&path.tiles);
                }
                sends.insert((*key, packet), streams);
            }
        }
        // Words for a channel that is never started would stay in the stream.
        if takes.keys().any(|key| !all.tasks.contains_key(key)) {
            return Err(Unproven::Stream);
        }
        for (key, tasks) in &all.tasks {
            let ChannelId { tile, dir, .. } = *key;
            let own = takes.get(key).copied();
            if dir == DmaDir::S2mm && own.is_none() {
                return Err(Unproven::Stream);
            }
            let streams = |packet| match dir {
                DmaDir::Mm2s => sends.get(&(*key, packet)).cloned().unwrap_or_default(),
                DmaDir::S2mm => own.map(|stream| (stream, 0)).into_iter().collect(),
            };
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |lock: LockId| lock_place(net, locks, inits, lock);
            let (nodes, started) = channel_processes::steps(tasks, dir, &streams, &mut place);
            let (list, started) = match tile.row {
                0 => (&mut self.hosts, 0),
                _ => (&mut self.channels, started),
            };
            list.push((*key, self.net.process(nodes, started)));
        }
        Ok(())
    }

    /// The channel at the end of a stream.
    fn sink(&self, tile: TileLoc, bundle: Bundle, channel: u8) -> Result<ChannelId, Unproven> {
        if tile.row != 0 {
            let dma =
                (bundle == Bundle::Dma).then_some(ChannelId::new(tile, DmaDir::S2mm, channel));
            return dma.ok_or(Unproven::CoreStream);
        }
        let arch = self.model.arch();
        let dma = arch.mux_outer(MuxDir::Out, channel, MuxInput::Dma);
        let dma = dma.filter(|_| bundle == Bundle::South);
        let dma = dma.ok_or(Unproven::Stream)?;
        Ok(ChannelId::new(tile, DmaDir::S2mm, dma.channel))
    }

    fn add_cores(&mut self, module: &Module, device: Op) -> Result<(), Unproven> {
        let locks_in_functions = module.find_all::<FuncFunc>(device).iter().any(|function| {
            let mut inside = module.walk(function.op());
            inside.any(|op| module.kind(op) == OpKind::UseLock)
        });
        if locks_in_functions {
            return Err(Unproven::Branches);
        }
        for core in module.children::<Core>(device) {
            if core_elf::segments(module, self.model, core).is_some() {
                return Err(Unproven::MachineCode);
            }
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |lock: LockId| lock_place(net, locks, inits, lock);
            let nodes = match core_processes::steps(module, core, &mut place) {
                Err(unsure @ (Unproven::Branches | Unproven::ExactLock)) => {
                    let locks = core_processes::locks(module, core, &mut place).ok_or(unsure)?;
                    self.unproven.extend(&locks);
                    let uses = locks.into_iter().map(|lock| TokenStep::Give(lock, 0));
                    uses.map(ProcessNode::Step).collect()
                }
                nodes => nodes?,
            };
            self.cores.insert(self.net.process(nodes, 0));
        }
        Ok(())
    }
}

fn lock_place(
    net: &mut MarkedGraph,
    locks: &mut BTreeMap<LockId, PlaceId>,
    inits: &FxHashMap<LockId, i64>,
    key: LockId,
) -> PlaceId {
    let init = inits.get(&key).copied().unwrap_or(0);
    *locks.entry(key).or_insert_with(|| net.place(init, false))
}
