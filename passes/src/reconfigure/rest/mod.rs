//! Whether a device leaves the array as it found it.
//!
//! A device whose streams are empty, whose channels stand where they stood when they were started
//! and whose locks have the values they had then needs no reset before another device with the same
//! ways takes over: only cores must start anew. Whether that is so follows from counting. Cores that
//! use locks by constants and channels with lock-guarded descriptors are a net of agents with one
//! outcome ([`net`]); what the sequence transfers is known.
//!
//! The controller must not come too early either. It has waited for all transfers of the host. What
//! must have happened for them to be over has happened ([`net::Net::forced`]); behind that, only
//! takes and gives of locks may be left, which take a few cycles, but no work of a core and no
//! words in a stream.

mod channels;
mod cores;
mod net;

use std::collections::BTreeMap;

use aiec_device::regmap::RegisterRef;
use aiec_device::switch::{MuxDir, MuxInput};
use aiec_device::{Bundle, DeviceModel, DmaDir, TileLoc};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Core, FuncFunc, OpKind, OpView};

use crate::core_elf;
use crate::jobs::graph::ChannelKey;
use crate::jobs::network::Network;
use crate::jobs::registers::words_of;
use crate::register_ops::{RegAction, RegOp};
use channels::Channels;
use net::{Agent, Net, Node, Place, Rest, Step};

/// A lock, by tile and number.
type LockKey = (TileLoc, u8);

/// What must be set so that the array is as it was when the device was started: locks that differ.
/// `None` if that isn't known to be all.
pub(super) fn at_rest(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    config: &[RegOp],
    sequence: &[RegOp],
) -> Option<Vec<(u32, u32)>> {
    let network = Network::of(model, config, &Default::default());
    if model
        .tiles()
        .any(|tile| network.takes_control_packets(tile))
    {
        return None;
    }
    let mut all = Channels::default();
    all.add(model, config, false)?;
    all.add(model, sequence, true)?;
    let mut builder = Builder {
        model,
        network,
        net: Net::default(),
        locks: BTreeMap::new(),
        inits: all.locks.clone(),
        hosts: Vec::new(),
        channels: Vec::new(),
        cores: Vec::new(),
    };
    builder.channels(&all)?;
    builder.cores(module, device)?;
    builder.compare()
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

struct Builder {
    model: &'static DeviceModel,
    network: Network,
    net: Net,
    locks: BTreeMap<LockKey, Place>,
    inits: BTreeMap<LockKey, i64>,
    /// Channels of shim tiles.
    hosts: Vec<Agent>,
    /// Channels of other tiles.
    channels: Vec<Agent>,
    cores: Vec<Agent>,
}

impl Builder {
    fn channels(&mut self, all: &Channels) -> Option<()> {
        // A stream for each end of each channel that sends.
        let mut sends: BTreeMap<ChannelKey, Vec<Place>> = BTreeMap::new();
        let mut takes: BTreeMap<ChannelKey, Place> = BTreeMap::new();
        for key in all.tasks.keys().filter(|key| key.1 == DmaDir::Mm2s) {
            let (tile, _, channel) = *key;
            for (end, port) in self.network.circuit_ends(tile, channel)? {
                let sink = self.sink(end, port.bundle, port.channel)?;
                let stream = self.net.place(0, true);
                sends.entry(*key).or_default().push(stream);
                // Two senders into one circuit can't be.
                if takes.insert(sink, stream).is_some() {
                    return None;
                }
            }
        }
        for (key, tasks) in &all.tasks {
            let (tile, dir, _) = *key;
            let streams = match dir {
                DmaDir::Mm2s => sends.get(key)?.clone(),
                DmaDir::S2mm => vec![*takes.get(key)?],
            };
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |tile: TileLoc, id: u8| lock_place(net, locks, inits, (tile, id));
            let nodes = channels::steps(tasks, dir, &streams, &mut place);
            let agent = self.net.agent(nodes)?;
            match tile.row {
                0 => self.hosts.push(agent),
                _ => self.channels.push(agent),
            }
        }
        // Words for a channel that nobody starts would stay.
        takes
            .keys()
            .all(|key| all.tasks.contains_key(key))
            .then_some(())
    }

    /// The channel at the end of a stream.
    fn sink(&self, tile: TileLoc, bundle: Bundle, channel: u8) -> Option<ChannelKey> {
        if tile.row != 0 {
            return (bundle == Bundle::Dma).then_some((tile, DmaDir::S2mm, channel));
        }
        let arch = self.model.arch();
        let dma = arch.mux_outer(MuxDir::Out, channel, MuxInput::Dma);
        let dma = dma.filter(|_| bundle == Bundle::South)?;
        Some((tile, DmaDir::S2mm, dma.channel))
    }

    fn cores(&mut self, module: &Module, device: Op) -> Option<()> {
        let locks_in_functions = module.find_all::<FuncFunc>(device).iter().any(|function| {
            let mut inside = module.walk(function.op());
            inside.any(|op| module.kind(op) == OpKind::UseLock)
        });
        if locks_in_functions {
            return None;
        }
        for core in module.children::<Core>(device) {
            if core_elf::segments(module, self.model, core).is_some() {
                return None;
            }
            let (net, locks, inits) = (&mut self.net, &mut self.locks, &self.inits);
            let mut place = |tile: TileLoc, id: u8| lock_place(net, locks, inits, (tile, id));
            let nodes: Vec<Node> = cores::steps(module, core, &mut place)?;
            let agent = self.net.agent(nodes)?;
            self.cores.push(agent);
        }
        Some(())
    }

    /// The locks that differ from what they are when only the channels have begun.
    fn compare(&self) -> Option<Vec<(u32, u32)>> {
        let begun = self.net.run(&|agent| self.channels.contains(&agent))?;
        let ended = self.net.run(&|_| true)?;
        let finite = |agent: &Agent| {
            // Transfers of the host end; else the controller waits for ever, in any case.
            self.net.agents[*agent]
                .iter()
                .all(|node| !matches!(node, Node::Loop(u64::MAX, _)))
        };
        let empty = |rest: &Rest| {
            let places = rest.tokens.iter().zip(&self.net.streams);
            places
                .into_iter()
                .all(|(tokens, stream)| !stream || *tokens == 0)
        };
        if !self.hosts.iter().all(finite) || !empty(&begun) || !empty(&ended) {
            return None;
        }
        for agent in &self.channels {
            if self.phase(*agent, begun.steps[*agent].len())
                != self.phase(*agent, ended.steps[*agent].len())
            {
                return None;
            }
        }
        let forced = self.net.forced(&ended, &self.hosts)?;
        for (agent, steps) in ended.steps.iter().enumerate() {
            let late = steps.get(forced[agent]..).unwrap_or_default();
            // What happens before the host does anything has long happened.
            let long_ago = begun.steps[agent].len();
            let late = late.iter().skip(long_ago.saturating_sub(forced[agent]));
            let harmless = |step: &Step| match step {
                Step::Take(place, _) | Step::Give(place, _) => !self.net.streams[*place],
                Step::Work => false,
            };
            if !late.into_iter().all(harmless) {
                return None;
            }
        }
        let mut list = Vec::new();
        for ((tile, id), place) in &self.locks {
            let (now, then) = (ended.tokens[*place], begun.tokens[*place]);
            if now != then {
                let what = RegisterRef::LockValue { id: *id };
                let address = self.model.register_address(*tile, what)?;
                list.push((address, u32::try_from(then).ok()?));
            }
        }
        Some(list)
    }

    /// Where an agent is after so many steps, within what it repeats.
    fn phase(&self, agent: Agent, steps: usize) -> usize {
        let mut before = 0;
        for node in &self.net.agents[agent] {
            match node {
                Node::Step(_) => before += 1,
                Node::Loop(u64::MAX, body) if steps >= before && !body.is_empty() => {
                    return before + (steps - before) % body.len();
                }
                Node::Loop(..) => return steps,
            }
        }
        steps
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
