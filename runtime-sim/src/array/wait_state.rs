//! The wait state of the array: the waiting actors, and the actors at the other ends of streams,
//! from the state of the actors and the configuration of the switches.

use std::ops::ControlFlow;

use aiec_device::regmap::SwitchSlave;
use aiec_device::{Bundle, ChannelId, DmaDir, LockId};

use super::actor::{ActorId, ActorKind};
use super::core_port::{cascade_receiver, cascade_sender};
use super::dma::channel::{Channel, State};
use super::pipe::PipeId;
use super::stats::{PortStates, PortStats, Stats};
use super::stream_switch::packet::{PacketHeader, PacketState};
use super::stream_switch::{Master, PipeAt, Switch};
use super::tile::shim_channel;
use super::trace_event::StallKind;
use super::view::ArrayView;
use super::wait_reason::{Leftover, Wait, WaitReason};
use crate::time::{Cycle, TICKS_PER_CYCLE, cycle_at};

/// Actors at the other ends of an actor's streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamEnds {
    /// Those whose words come to it.
    pub senders: Vec<ActorId>,
    /// Those that its words go to.
    pub receivers: Vec<ActorId>,
}

impl ArrayView<'_> {
    /// Everything that cannot go on by itself now, in the order of tiles and actors.
    ///
    /// It is complete when [`Array::next_event`](super::Array::next_event) is `None`; before that, actors that are about to
    /// act are left out.
    pub fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for tile in 0..self.grid.tiles.len() {
            waits.extend(self.core_wait(tile));
            for channel in &self.dma[tile].channels {
                waits.extend(self.channel_wait(channel));
            }
            for index in 0..self.net.switches[tile].slaves.len() {
                waits.extend(self.slave_wait(tile, index));
            }
        }
        waits
    }

    /// Actors that compute or move words.
    pub fn active(&self) -> Vec<ActorId> {
        let mut active = Vec::new();
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            let core = self.cores[tile].as_ref();
            if core.is_some_and(|core| core.is_computing()) {
                active.push(ActorId::core(info.loc));
            }
            for channel in &self.dma[tile].channels {
                let idle = matches!(channel.state, State::Idle | State::Stopped);
                if !idle && self.channel_wait(channel).is_none() {
                    active.push(channel.actor());
                }
            }
        }
        active
    }

    /// The states of a pipe, if words were watched. Pipes that are merged into another one have
    /// none of their own.
    fn port_states(&self, pipe: PipeId) -> Option<PortStates> {
        let fabric = &self.net.fabric;
        let mut states = fabric.bursts.as_ref()?.totals(fabric.end_of(pipe));
        states.busy /= TICKS_PER_CYCLE;
        states.stalled /= TICKS_PER_CYCLE;
        Some(states)
    }

    /// Unfinished work, in the order of tiles: tasks whose chain of BDs has an end, tasks in
    /// queues after such, words at ports whose reader has no task.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut left = Vec::new();
        for (tile, dma) in self.dma.iter().enumerate() {
            for channel in &dma.channels {
                let actor = channel.actor();
                let task = channel.task;
                if task.is_some_and(|task| self.chain_ends(tile, task.bd)) {
                    let progress = self.channel_progress(channel.id);
                    let moved = progress.and_then(|progress| progress.task);
                    left.push(Leftover::Task(actor, moved));
                }
                if !channel.queue.is_empty() {
                    left.push(Leftover::Queued(actor, channel.queue.len()));
                }
                let stream = self.net.fabric.pipe(channel.stream);
                let reads = channel.id.dir == DmaDir::S2mm && channel.task.is_none();
                if reads && !stream.is_empty() {
                    left.push(Leftover::UndeliveredData(actor, stream.len()));
                }
            }
            for slave in &self.net.switches[tile].slaves {
                let unrouted = match slave.state {
                    PacketState::NoRule { .. } | PacketState::NoMaster { .. } => true,
                    _ => slave.config == SwitchSlave::Off,
                };
                let words = self.net.fabric.pipe(slave.pipe).len();
                if unrouted && words > 0 {
                    left.push(Leftover::UndeliveredData(slave.actor, words));
                }
            }
        }
        left
    }

    /// Whether the chain that begins with a BD comes to an end.
    pub(super) fn chain_ends(&self, tile: usize, first: u8) -> bool {
        self.dma[tile].bds.chain_ends(first)
    }

    /// Totals up to now.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            cycles: self.now,
            ..Stats::default()
        };
        for (tile, dma) in self.dma.iter().enumerate() {
            let channels = dma.channels.iter();
            let until = self.open_stalls_until();
            for mut sums in channels.filter_map(|channel| channel.totals(until)) {
                sums.times.stream_stall /= TICKS_PER_CYCLE;
                stats.channels.push(sums);
            }
            stats.cores.extend(self.core_stats(tile));
        }
        for (index, place) in self.net.places.iter().enumerate() {
            let words = self.net.fabric.words(PipeId(index as u32));
            if words > 0 {
                stats.ports.push(PortStats {
                    port: self.port_actor(*place),
                    words,
                    states: self.port_states(PipeId(index as u32)),
                });
            }
        }
        stats
    }

    /// Who sends to an actor, and who receives from it: by streams, or by cascades.
    pub(crate) fn stream_ends(&self, who: ActorId, kind: StallKind) -> StreamEnds {
        let mut ends = StreamEnds::default();
        let Some(tile) = self.grid.index(who.tile()) else {
            return ends;
        };
        match who.kind() {
            ActorKind::Core if kind == StallKind::Cascade => {
                let core = |at: Option<usize>| at.map(|at| ActorId::core(self.grid.loc(at)));
                let (grid, cascades) = (self.grid, self.cascades);
                ends.senders
                    .extend(core(cascade_sender(grid, cascades, tile)));
                ends.receivers
                    .extend(core(cascade_receiver(grid, cascades, tile)));
            }
            ActorKind::Core => {
                let switch = &self.net.switches[tile];
                let masters = switch.masters.iter();
                let inputs = masters.filter(|master| master.port.bundle == Bundle::Core);
                for pipe in inputs.filter_map(|master| master.target) {
                    ends.senders.extend(self.sources(pipe));
                }
                let slaves = switch.slaves.iter();
                for slave in slaves.filter(|slave| slave.port.bundle == Bundle::Core) {
                    ends.receivers.extend(self.sinks(slave.pipe));
                }
            }
            ActorKind::Channel(id) => {
                let channels = self.dma[tile].channels.iter();
                for channel in channels.filter(|channel| channel.id == id) {
                    match id.dir {
                        DmaDir::S2mm => ends.senders.extend(self.sources(channel.stream)),
                        DmaDir::Mm2s => ends.receivers.extend(self.sinks(channel.stream)),
                    }
                }
            }
            _ => {}
        }
        ends
    }

    /// Wait of a request on a lock.
    pub(super) fn lock_wait(&self, lock: LockId, who: ActorId) -> Option<(WaitReason, Cycle)> {
        let bank = &self.locks[self.grid.at(lock.tile)];
        let id = u32::from(lock.index);
        let mut waiters = bank.waiters();
        let (_, waiter) = waiters.find(|(at, waiter)| *at == id && waiter.who == who)?;
        let reason = WaitReason::Lock {
            lock,
            need: waiter.need,
            value: bank.value(id),
            last: bank.last_change(id),
            releasers: self.releasers(lock),
        };
        Some((reason, waiter.since))
    }

    fn channel_wait(&self, channel: &Channel) -> Option<Wait> {
        let who = channel.actor();
        let paused = channel.control.reset || channel.paused();
        let pipe = self.net.fabric.pipe(channel.stream);
        let (reason, since) = match &channel.state {
            State::Header if pipe.is_empty() => {
                (self.data_from(channel.stream), channel.idle_since)
            }
            State::CountFifo => (WaitReason::CountFifo, self.now),
            State::Token => (WaitReason::TokenSpace, self.now),
            State::Idle if paused => (WaitReason::Paused, self.now),
            State::Idle => {
                let pending = channel.id.dir == DmaDir::S2mm && !pipe.is_empty();
                if !pending && !channel.started {
                    return None;
                }
                (WaitReason::Task { pending }, channel.idle_since)
            }
            State::Acquire { lock, .. } => self.lock_wait(*lock, who)?,
            State::Stream if paused => (WaitReason::Paused, channel.stalled_since()),
            State::Stream if !channel.connected => (WaitReason::ShimMux, channel.stalled_since()),
            State::Stream => {
                let reason = match channel.id.dir {
                    DmaDir::S2mm if pipe.is_empty() => self.data_from(channel.stream),
                    DmaDir::Mm2s if self.is_full_from(channel.stream) => {
                        self.space_behind(channel.stream)
                    }
                    _ => return None,
                };
                (reason, channel.stalled_since())
            }
            State::Stopped => (WaitReason::Stopped, self.now),
            State::Load { .. } | State::Finish { .. } | State::Header => return None,
        };
        Some(Wait { who, reason, since })
    }

    /// Whether a word that enters the network at this pipe would find no room.
    fn is_full_from(&self, start: PipeId) -> bool {
        self.net.fabric.pipe(self.net.fabric.end_of(start)).space() == 0
    }

    fn slave_wait(&self, tile: usize, index: usize) -> Option<Wait> {
        let slave = &self.net.switches[tile].slaves[index];
        let who = slave.actor;
        let head = self.net.fabric.pipe(slave.pipe).front();
        let arrived = head.map(|head| cycle_at(head.tick));
        let reason = match (slave.config, &slave.state) {
            (SwitchSlave::Off, _) => WaitReason::NoConnection,
            (SwitchSlave::Circuit, _) => {
                let mut masters = self.net.switches[tile].circuit_masters(index).peekable();
                if masters.peek().is_none() || masters.any(|master| master.target.is_none()) {
                    WaitReason::NoConnection
                } else {
                    self.space_behind(slave.pipe)
                }
            }
            (_, PacketState::NoRule { id, .. }) => WaitReason::NoRule { id: *id },
            (_, &PacketState::NoMaster { arbiter, msel, .. }) => {
                WaitReason::NoMaster { arbiter, msel }
            }
            (_, &PacketState::Asking { arbiter, .. }) => {
                let switch = &self.net.switches[tile];
                let state = switch.arbiters.get(usize::from(arbiter));
                let port = |at: u8| switch.slaves.get(usize::from(at)).map(|port| port.actor);
                WaitReason::Arbiter {
                    arbiter,
                    owner: state.and_then(|arbiter| arbiter.owner).and_then(port),
                    turn: state
                        .and_then(|arbiter| arbiter.merge.turn())
                        .and_then(port),
                }
            }
            (_, PacketState::Moving { .. }) if head.is_none() => {
                let (reason, since) = (self.data_from(slave.pipe), self.now);
                return Some(Wait { who, reason, since });
            }
            (_, PacketState::Moving { .. }) => self.space_behind(slave.pipe),
            (_, PacketState::Header | PacketState::Leaving { .. }) => return None,
        };
        let since = arrived?;
        Some(Wait { who, reason, since })
    }

    /// The port of a switch that a pipe belongs to.
    pub(super) fn port_actor(&self, place: PipeAt) -> ActorId {
        let switch = &self.net.switches[place.tile];
        if place.slave {
            switch.slaves[place.index].actor
        } else {
            switch.masters[place.index].actor
        }
    }

    /// A wait for words that come out of a pipe.
    pub(super) fn data_from(&self, pipe: PipeId) -> WaitReason {
        let from = self.sources(pipe);
        WaitReason::StreamData { from }
    }

    /// A wait for room for words that enter a pipe.
    pub(super) fn space_behind(&self, pipe: PipeId) -> WaitReason {
        let to = self.sinks(pipe);
        WaitReason::StreamSpace { to }
    }

    /// The endpoints that a search from a pipe comes to, which goes on from a pipe to others; a
    /// port at which it goes nowhere new is one.
    fn endpoints(
        &self,
        start: PipeId,
        go_on: impl Fn(PipeId, PipeAt) -> ControlFlow<ActorId, Vec<PipeId>>,
    ) -> Vec<ActorId> {
        let mut found = Vec::new();
        let mut seen = vec![start];
        let mut next = 0;
        while let Some(&pipe) = seen.get(next) {
            next += 1;
            let place = self.net.place(pipe);
            match go_on(pipe, place) {
                ControlFlow::Break(endpoint) => found.push(endpoint),
                ControlFlow::Continue(mut others) => {
                    others.retain(|other| !seen.contains(other));
                    if others.is_empty() {
                        found.push(self.port_actor(place));
                    }
                    seen.extend(others);
                }
            }
        }
        found.sort_by_key(|actor| actor.report_order());
        found.dedup();
        found
    }

    /// Endpoints that words entering a pipe can reach.
    fn sinks(&self, start: PipeId) -> Vec<ActorId> {
        self.endpoints(start, |pipe, place| {
            if !place.slave {
                let takes = |kind| !matches!(kind, ActorKind::ControlPort | ActorKind::TokenSink);
                let reader = self.net.fabric.pipe(pipe).reader;
                let reader = reader.filter(|reader| takes(reader.kind()));
                return ControlFlow::Break(reader.unwrap_or_else(|| self.port_actor(place)));
            }
            if self.has_blocked_packet(place) {
                ControlFlow::Break(self.port_actor(place))
            } else {
                ControlFlow::Continue(self.successors(place).collect())
            }
        })
    }

    /// Whether the packet at a slave port waits for a rule, a master or its arbiter.
    fn has_blocked_packet(&self, place: PipeAt) -> bool {
        let slave = &self.net.switches[place.tile].slaves[place.index];
        let blocked = matches!(
            slave.state,
            PacketState::NoRule { .. } | PacketState::NoMaster { .. } | PacketState::Asking { .. }
        );
        blocked && !self.net.fabric.pipe(slave.pipe).is_empty()
    }

    /// Pipes that a slave port feeds, or can feed by any of its rules.
    fn successors(&self, place: PipeAt) -> impl Iterator<Item = PipeId> {
        let switch = &self.net.switches[place.tile];
        let slave = &switch.slaves[place.index];
        let masters = switch
            .masters
            .iter()
            .filter(move |master| match slave.state {
                PacketState::Moving { arbiter, msel, .. }
                | PacketState::Asking { arbiter, msel, .. } => {
                    master.takes(arbiter, msel).is_some()
                }
                _ => slave.may_feed(place.index, master),
            });
        masters.filter_map(|master| master.target)
    }

    /// The port on the way of a channel's token at which words wait, if tokens are on their way.
    pub fn stuck_token(&self, sender: ChannelId) -> Option<ActorId> {
        let tile = self.grid.index(sender.tile)?;
        let dma = &self.dma[tile];
        let channel = &dma.channels[dma.index(sender.dir, sender.index)?];
        let id = PacketHeader::from_word(channel.control.controller_id.into()).id;
        let port = self.net.switches[tile].slave(Bundle::TileControl, 0)?;
        let mut pipe = port.pipe;
        let on_their_way = self.net.fabric.token_packets > 0;
        // More steps than there are ports are a loop.
        for _ in self.net.places.iter().filter(|_| on_their_way) {
            let place = self.net.place(pipe);
            if !place.slave {
                return None;
            }
            let waits = || self.slave_wait(place.tile, place.index).is_some();
            if !self.net.fabric.pipe(pipe).is_empty() && waits() {
                return Some(self.port_actor(place));
            }
            let switch = &self.net.switches[place.tile];
            let slave = &switch.slaves[place.index];
            let rule = slave.slots.iter().find(|slot| slot.matches(id));
            let mut masters = switch.masters.iter();
            let master = masters.find(|master| match (slave.config, rule) {
                (SwitchSlave::Packet, Some(rule)) => {
                    master.takes(rule.arbiter, rule.msel).is_some()
                }
                (SwitchSlave::Packet, None) => false,
                _ => slave.may_feed(place.index, master),
            });
            pipe = master?.target?;
        }
        None
    }

    /// Endpoints whose words can reach a pipe.
    fn sources(&self, end: PipeId) -> Vec<ActorId> {
        self.endpoints(end, |_, place| {
            let source = Some(place).filter(|place| place.slave);
            match source.and_then(|place| self.local_source(place)) {
                Some(source) => ControlFlow::Break(source),
                None => ControlFlow::Continue(self.feeders(place)),
            }
        })
    }

    /// The part of the tile that feeds a slave port.
    fn local_source(&self, place: PipeAt) -> Option<ActorId> {
        let info = &self.grid.tiles[place.tile];
        let slave = &self.net.switches[place.tile].slaves[place.index];
        let port = slave.port;
        let sender = |index| ActorId::channel(ChannelId::new(info.loc, DmaDir::Mm2s, index));
        match port.bundle {
            Bundle::Dma => Some(sender(port.channel)),
            Bundle::Core => Some(ActorId::core(info.loc)),
            Bundle::South if info.kind.is_shim() => {
                shim_channel(self.device.arch(), info, DmaDir::Mm2s, port.channel).map(sender)
            }
            Bundle::TileControl | Bundle::Trace => Some(slave.actor),
            _ => None,
        }
    }

    /// Slave pipes that a master somewhere connects to this pipe.
    fn feeders(&self, place: PipeAt) -> Vec<PipeId> {
        let Some((switch, master)) = self.driver(place) else {
            return Vec::new();
        };
        let slaves = switch.slaves.iter().enumerate();
        let feeds = slaves.filter(|(index, slave)| slave.may_feed(*index, master));
        feeds.map(|(_, slave)| slave.pipe).collect()
    }

    /// The master port that words enter a pipe from, with its switch.
    fn driver(&self, place: PipeAt) -> Option<(&Switch, &Master)> {
        let switch = &self.net.switches[place.tile];
        if !place.slave {
            return Some((switch, &switch.masters[place.index]));
        }
        let loc = self.grid.loc(place.tile);
        let port = switch.slaves[place.index].port;
        let (loc, port) = match port.bundle {
            Bundle::Fifo => (loc, port),
            _ => self.device.wire_into(loc, port)?,
        };
        let switch = &self.net.switches[self.grid.index(loc)?];
        Some((switch, switch.master(port.bundle, port.channel)?))
    }
}
