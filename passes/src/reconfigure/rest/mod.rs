//! How a device that is through with its transfers leaves the array.
//!
//! A device whose streams are empty, whose channels stand where they stood when they were started
//! and whose locks have the values they had then needs no reset before another device with the same
//! ways takes over: only cores must start anew. Where a channel stands elsewhere, it alone begins
//! anew; locks that differ, or that aren't known, are written. All that follows from counting. Cores
//! that use locks by constants and channels with lock-guarded descriptors are a net of agents with
//! one outcome ([`net`]); what the sequence transfers is known.
//!
//! The controller must not come too early either. It has waited for transfers of the host. What
//! must have happened for them to be over has happened ([`net::Net::forced`]), and behind that locks
//! that are taken and given without anything that takes its time: a few cycles. What may come later
//! is stopped: the work of a core goes with the core, and what it would have done to locks, and a
//! channel to locks behind it, is set. Where words are left in a stream or may still move, or where what
//! happens isn't known, that part of the net (what is joined by locks and streams) is reset, with the
//! switches that its streams pass; other parts aren't.

mod channels;
mod compare;
mod cores;
mod net;
mod turn;

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, FuncFunc, OpKind, OpView};
use aiec_device::regmap::RegisterRef;
use aiec_device::switch::{MuxDir, MuxInput};
use aiec_device::{Bundle, DeviceModel, DmaDir, TileLoc};

use crate::analysis::core_elf;
use crate::analysis::register_ops::{RegAction, RegOp};
use crate::jobs::graph::ChannelKey;
use crate::jobs::network::Network;
use crate::jobs::registers::words_of;
use channels::Channels;
pub(super) use compare::{AtRest, Further, Rest};
use net::{Agent, Net, Node, Place, Step};

/// A lock, by tile and number.
type LockKey = (TileLoc, u8);

/// Why it isn't known how a device leaves the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsure {
    /// The device loaded next has other ways.
    OtherWays,
    /// Control packets may change registers.
    ControlPackets,
    /// A register is written whose effect isn't followed.
    Register,
    /// A channel is in a mode in which descriptors end otherwise than by their length.
    Mode,
    /// A descriptor pads, compresses, or wasn't written.
    Descriptor,
    /// A lock must have an exact value: what happens depends on the order of steps.
    ExactLock,
    /// A stream whose way isn't clear, or one that nobody takes.
    Stream,
    /// A core uses a stream or a cascade.
    CoreStream,
    /// A core uses locks in branches, in loops without constant bounds, or in functions.
    Branches,
    /// A core runs machine code.
    MachineCode,
    /// Nothing comes to rest in the steps that are counted.
    Endless,
}

impl Unsure {
    /// What statistics call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Unsure::OtherWays => "loads with resets: other ways",
            Unsure::ControlPackets => "loads with resets: control packets",
            Unsure::Register => "loads with resets: other registers",
            Unsure::Mode => "loads with resets: modes of channels",
            Unsure::Descriptor => "loads with resets: descriptors",
            Unsure::ExactLock => "loads with resets: exact values of locks",
            Unsure::Stream => "loads with resets: ways of streams",
            Unsure::CoreStream => "loads with resets: streams of cores",
            Unsure::Branches => "loads with resets: branches",
            Unsure::MachineCode => "loads with resets: machine code",
            Unsure::Endless => "loads with resets: no rest",
        }
    }
}

/// How a device leaves the array behind when its sequence is through. `waited` tells of the channels
/// of shim tiles whose tasks the sequence has all waited for, `further` how channels stood when the
/// device began.
///
/// # Errors
/// It isn't known.
pub(super) fn at_rest(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    (config, sequence): (&[RegOp], &[RegOp]),
    waited: &dyn Fn(ChannelKey) -> bool,
    further: &Further,
) -> Result<AtRest, Unsure> {
    let network = Network::of(model, config, &Default::default());
    if model
        .tiles()
        .any(|tile| network.takes_control_packets(tile))
    {
        return Err(Unsure::ControlPackets);
    }
    let mut all = Channels::default();
    all.add(model, config, false)?;
    all.add(model, sequence, true)?;
    let mut agents = Agents {
        model,
        network,
        net: Net::default(),
        locks: BTreeMap::new(),
        inits: all.locks.clone(),
        hosts: BTreeMap::new(),
        channels: BTreeMap::new(),
        cores: BTreeSet::new(),
        tiles: BTreeMap::new(),
        bad: BTreeSet::new(),
    };
    agents.add_channels(&all)?;
    agents.add_cores(module, device)?;
    compare::compare(agents, &all, waited, further)
}

/// Whether two configurations differ in programs and memory only.
pub(super) fn same_ways(model: &DeviceModel, a: &[RegOp], b: &[RegOp]) -> bool {
    let ways = |config: &[RegOp]| {
        let mut map: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let masked = config.iter().flat_map(|op| match op.action {
            RegAction::Mask {
                address,
                mask,
                value,
            } => vec![(address, mask), (address, value)],
            _ => words_of(op).collect(),
        });
        for (address, word) in masked {
            let memory = matches!(
                model.register_at(address),
                Some((
                    _,
                    RegisterRef::ProgramMemory { .. } | RegisterRef::DataMemory { .. }
                ))
            );
            if !memory {
                map.entry(address).or_default().push(word);
            }
        }
        map
    };
    ways(a) == ways(b)
}

/// The agents of a device, and what they take from and give to.
struct Agents {
    model: &'static DeviceModel,
    network: Network,
    net: Net,
    locks: BTreeMap<LockKey, Place>,
    inits: BTreeMap<LockKey, i64>,
    /// Channels of shim tiles.
    hosts: BTreeMap<ChannelKey, Agent>,
    /// Channels of other tiles.
    channels: BTreeMap<ChannelKey, Agent>,
    cores: BTreeSet<Agent>,
    /// The tiles whose switches each stream passes.
    tiles: BTreeMap<Place, BTreeSet<TileLoc>>,
    /// Places that a core uses nobody knows how.
    bad: BTreeSet<Place>,
}

/// Where words go: a stream, and how many come beside a descriptor's own.
type Stream = (Place, i64);

impl Agents {
    fn add_channels(&mut self, all: &Channels) -> Result<(), Unsure> {
        // A stream for each channel that takes words.
        let mut takes: BTreeMap<ChannelKey, Place> = BTreeMap::new();
        let mut sends: BTreeMap<(ChannelKey, Option<u8>), Vec<Stream>> = BTreeMap::new();
        for (key, tasks) in &all.tasks {
            let (tile, dir, channel) = *key;
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
                let way = self.network.way(tile, channel, packet);
                let way = way.ok_or(Unsure::Stream)?;
                let mut streams = Vec::new();
                for end in way.ends {
                    let sink = self.sink(end.tile, end.port.bundle, end.port.channel)?;
                    let net = &mut self.net;
                    let stream = *takes.entry(sink).or_insert_with(|| net.place(0, true));
                    streams.push((stream, i64::from(end.header)));
                    self.tiles.entry(stream).or_default().extend(&way.tiles);
                }
                sends.insert((*key, packet), streams);
            }
        }
        // Words for a channel that nobody starts would stay.
        if takes.keys().any(|key| !all.tasks.contains_key(key)) {
            return Err(Unsure::Stream);
        }
        for (key, tasks) in &all.tasks {
            let (tile, dir, _) = *key;
            let own = takes.get(key).copied();
            if dir == DmaDir::S2mm && own.is_none() {
                return Err(Unsure::Stream);
            }
            let streams = |packet| match dir {
                DmaDir::Mm2s => sends.get(&(*key, packet)).cloned().unwrap_or_default(),
                DmaDir::S2mm => own.map(|stream| (stream, 0)).into_iter().collect(),
            };
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |tile: TileLoc, id: u8| lock_place(net, locks, inits, (tile, id));
            let (nodes, begun) = channels::steps(tasks, dir, &streams, &mut place);
            let (list, begun) = match tile.row {
                0 => (&mut self.hosts, 0),
                _ => (&mut self.channels, begun),
            };
            list.insert(*key, self.net.agent(nodes, begun));
        }
        Ok(())
    }

    /// The channel at the end of a stream.
    fn sink(&self, tile: TileLoc, bundle: Bundle, channel: u8) -> Result<ChannelKey, Unsure> {
        if tile.row != 0 {
            let dma = (bundle == Bundle::Dma).then_some((tile, DmaDir::S2mm, channel));
            return dma.ok_or(Unsure::CoreStream);
        }
        let arch = self.model.arch();
        let dma = arch.mux_outer(MuxDir::Out, channel, MuxInput::Dma);
        let dma = dma.filter(|_| bundle == Bundle::South);
        let dma = dma.ok_or(Unsure::Stream)?;
        Ok((tile, DmaDir::S2mm, dma.channel))
    }

    fn add_cores(&mut self, module: &Module, device: Op) -> Result<(), Unsure> {
        let locks_in_functions = module.find_all::<FuncFunc>(device).iter().any(|function| {
            let mut inside = module.walk(function.op());
            inside.any(|op| module.kind(op) == OpKind::UseLock)
        });
        if locks_in_functions {
            return Err(Unsure::Branches);
        }
        for core in module.children::<Core>(device) {
            if core_elf::segments(module, self.model, core).is_some() {
                return Err(Unsure::MachineCode);
            }
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |tile: TileLoc, id: u8| lock_place(net, locks, inits, (tile, id));
            let nodes = match cores::steps(module, core, &mut place) {
                Err(unsure @ (Unsure::Branches | Unsure::ExactLock)) => {
                    let locks = cores::locks(module, core, &mut place).ok_or(unsure)?;
                    self.bad.extend(&locks);
                    let uses = locks.into_iter().map(|lock| Step::Give(lock, 0));
                    uses.map(Node::Step).collect()
                }
                nodes => nodes?,
            };
            self.cores.insert(self.net.agent(nodes, 0));
        }
        Ok(())
    }
}

fn lock_place(
    net: &mut Net,
    locks: &mut BTreeMap<LockKey, Place>,
    inits: &BTreeMap<LockKey, i64>,
    key: LockKey,
) -> Place {
    let init = inits.get(&key).copied().unwrap_or(0);
    *locks.entry(key).or_insert_with(|| net.place(init, false))
}
