//! Finds who waits, and who is at the other end of a stream, from the state of the parts and the
//! configuration of the switches.

use aiec_device::regmap::{SwitchMaster, SwitchSlave};
use aiec_device::{Bundle, DmaDir, Port};

use super::Array;
use super::dma::channel::{Channel, State};
use super::pipe::PipeId;
use super::sched::{CompId, Part};
use super::stats::{PortStats, Stats};
use super::stream_switch::PipeAt;
use super::stream_switch::packet::PacketState;
use super::tile::shim_channel;
use super::waits::{Cause, Leftover, LockTouch, Party, Wait};
use crate::time::{Cycle, cycle_at};

impl Array {
    /// Everything that cannot go on by itself now, in the order of tiles and parts.
    ///
    /// It is complete when [`Array::next_event`] is `None`; before that, parts that are about to
    /// act are left out.
    pub fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for tile in 0..self.grid.tiles.len() {
            waits.extend(self.core_wait(tile));
            for channel in &self.dma[tile].channels {
                waits.extend(self.channel_wait(tile, channel));
            }
            for index in 0..self.net.switches[tile].slaves.len() {
                waits.extend(self.slave_wait(tile, index));
            }
        }
        waits
    }

    /// Parts that compute or move words.
    pub fn active(&self) -> Vec<Party> {
        let mut active = Vec::new();
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            if self.cores[tile]
                .as_ref()
                .is_some_and(|core| core.is_computing())
            {
                active.push(Party::Core(info.loc));
            }
            for channel in &self.dma[tile].channels {
                let idle = matches!(channel.state, State::Idle | State::Stopped);
                if !idle && self.channel_wait(tile, channel).is_none() {
                    active.push(self.channel_party(tile, channel));
                }
            }
        }
        active
    }

    fn channel_party(&self, tile: usize, channel: &Channel) -> Party {
        Party::Channel {
            tile: self.grid.loc(tile),
            dir: channel.dir,
            channel: channel.number,
        }
    }

    /// What is not over, in the order of tiles: tasks whose chain of BDs has an end, tasks in
    /// queues behind such, words at ports whose next taker has no task.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut left = Vec::new();
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            for channel in &self.dma[tile].channels {
                let party = self.channel_party(tile, channel);
                let ends = channel
                    .task
                    .is_some_and(|task| self.chain_ends(tile, task.bd));
                if ends {
                    left.push(Leftover::Task(party));
                }
                if !channel.queue.is_empty() {
                    left.push(Leftover::Queued(party));
                }
                let stream = self.net.fabric.pipe(channel.stream);
                let taker = channel.dir == DmaDir::S2mm && channel.task.is_none();
                if taker && !stream.is_empty() {
                    left.push(Leftover::Words(party));
                }
            }
            for slave in &self.net.switches[tile].slaves {
                let unrouted = match slave.state {
                    PacketState::NoRule { .. } | PacketState::NoMaster { .. } => true,
                    _ => slave.config == SwitchSlave::Off,
                };
                if unrouted && !self.net.fabric.pipe(slave.pipe).is_empty() {
                    let port = slave.port;
                    left.push(Leftover::Words(Party::Slave {
                        tile: info.loc,
                        port,
                    }));
                }
            }
        }
        left
    }

    /// Whether the chain that begins with a BD comes to an end.
    fn chain_ends(&self, tile: usize, first: u8) -> bool {
        let bds = &self.dma[tile].bds;
        let mut at = first;
        for _ in 0..=u8::MAX {
            match bds.fields(at) {
                Some(bd) if bd.use_next => at = bd.next_bd,
                _ => return true,
            }
        }
        false
    }

    /// Totals up to now.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            cycles: self.now,
            ..Stats::default()
        };
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            for channel in self.dma[tile]
                .channels
                .iter()
                .filter(|channel| channel.started)
            {
                let Channel {
                    dir,
                    number,
                    counts,
                    ..
                } = channel;
                let mut sums = counts.stats(info.loc, *dir, *number);
                // what it waits for now is not yet in its counts
                match channel.state {
                    State::Acquire { since, .. } => {
                        sums.lock_stall += self.now.saturating_sub(since);
                    }
                    State::Stream => {
                        sums.stream_stall += self.now.saturating_sub(channel.stalled_since());
                    }
                    _ => {}
                }
                stats.channels.push(sums);
            }
            stats.cores.extend(self.core_stats(tile));
        }
        for (index, place) in self.net.places.iter().enumerate() {
            let words = self.net.fabric.words(PipeId(index as u32));
            if words > 0 {
                let PipeAt { tile, slave, .. } = *place;
                let port = self.port_of(*place);
                stats.ports.push(PortStats {
                    tile: self.grid.loc(tile),
                    slave,
                    port,
                    words,
                    states: self.port_states(PipeId(index as u32)),
                });
            }
        }
        stats
    }

    /// The part a component is, as messages name it.
    pub(super) fn party(&self, who: CompId) -> Party {
        let tile = self.grid.loc(who.tile());
        match who.part() {
            Part::Channel(index) => match self.dma[who.tile()].channels.get(usize::from(index)) {
                Some(channel) => Party::Channel {
                    tile,
                    dir: channel.dir,
                    channel: channel.number,
                },
                None => Party::Bus,
            },
            Part::Slave(index) => {
                let slave = &self.net.switches[who.tile()].slaves[usize::from(index)];
                Party::Slave {
                    tile,
                    port: slave.port,
                }
            }
            Part::Core => Party::Core(tile),
            Part::Control | Part::Tokens | Part::Arbiter(_) | Part::Events | Part::Sink => {
                Party::Bus
            }
        }
    }

    /// What a request on a lock waits for.
    pub(super) fn lock_cause(&self, owner: usize, lock: u8, who: CompId) -> Option<(Cause, Cycle)> {
        let bank = &self.locks[owner];
        let mut waiters = bank.waiters();
        let (_, waiter) =
            waiters.find(|(id, waiter)| *id == u32::from(lock) && waiter.who == who)?;
        let last = bank.last_touch(u32::from(lock)).map(|touch| LockTouch {
            by: touch.by.map_or(Party::Bus, |by| self.party(by)),
            at: touch.at,
            change: touch.change,
        });
        let value = bank.value(u32::from(lock));
        let owner = self.grid.loc(owner);
        Some((
            Cause::Lock {
                owner,
                lock,
                need: waiter.need,
                value,
                last,
                releasers: self.releasers(owner, lock),
            },
            waiter.since,
        ))
    }

    fn channel_wait(&self, tile: usize, channel: &Channel) -> Option<Wait> {
        let loc = self.grid.loc(tile);
        let who = Party::Channel {
            tile: loc,
            dir: channel.dir,
            channel: channel.number,
        };
        let held = channel.control.reset || channel.paused();
        let pipe = self.net.fabric.pipe(channel.stream);
        let (on, since) = match &channel.state {
            State::Header if pipe.is_empty() => (
                Cause::StreamData {
                    from: self.sources(channel.stream),
                },
                channel.idle_since,
            ),
            State::CountFifo => (Cause::CountFifo, self.now),
            State::Token => (Cause::TokenRoom, self.now),
            State::Idle if held => (Cause::Held, self.now),
            State::Idle => {
                let pending = channel.dir == DmaDir::S2mm && !pipe.is_empty();
                if !pending && !channel.started {
                    return None;
                }
                (Cause::Task { pending }, channel.idle_since)
            }
            State::Acquire { owner, lock, .. } => {
                let index = self.dma[tile].index(channel.dir, channel.number)? as u8;
                self.lock_cause(*owner, *lock, CompId::new(tile, Part::Channel(index)))?
            }
            State::Stream if held => (Cause::Held, channel.stalled_since()),
            State::Stream if !channel.connected => (Cause::ShimMux, channel.stalled_since()),
            State::Stream => {
                let since = channel.stalled_since();
                match channel.dir {
                    DmaDir::S2mm if pipe.is_empty() => (
                        Cause::StreamData {
                            from: self.sources(channel.stream),
                        },
                        since,
                    ),
                    DmaDir::Mm2s if self.is_full_from(channel.stream) => (
                        Cause::StreamSpace {
                            to: self.sinks(channel.stream),
                        },
                        since,
                    ),
                    _ => return None,
                }
            }
            State::Stopped => (Cause::Stopped, self.now),
            State::Load { .. } | State::Finish { .. } | State::Header => return None,
        };
        Some(Wait { who, on, since })
    }

    /// Whether a word that enters the network at this pipe would find no room.
    fn is_full_from(&self, start: PipeId) -> bool {
        self.net.fabric.pipe(self.net.fabric.end_of(start)).space() == 0
    }

    fn slave_wait(&self, tile: usize, index: usize) -> Option<Wait> {
        let slave = &self.net.switches[tile].slaves[index];
        let loc = self.grid.loc(tile);
        let who = Party::Slave {
            tile: loc,
            port: slave.port,
        };
        let head = self.net.fabric.pipe(slave.pipe).front();
        let arrived = head.map(|head| cycle_at(head.tick));
        let on = match (slave.config, &slave.state) {
            (SwitchSlave::Off, _) => Cause::NoConnection,
            (SwitchSlave::Circuit, _) => {
                let mut masters = self.net.switches[tile].circuit_masters(index).peekable();
                if masters.peek().is_none() || masters.any(|master| master.target.is_none()) {
                    Cause::NoConnection
                } else {
                    Cause::StreamSpace {
                        to: self.sinks(slave.pipe),
                    }
                }
            }
            (_, PacketState::NoRule { id, .. }) => Cause::NoRule { id: *id },
            (_, &PacketState::NoMaster { arbiter, msel, .. }) => Cause::NoMaster { arbiter, msel },
            (_, &PacketState::Asking { arbiter, .. }) => {
                let holder = self.net.switches[tile].arbiters.get(usize::from(arbiter));
                let holder = holder.and_then(|arbiter| arbiter.owner).map(|owner| {
                    let port = self.net.switches[tile].slaves[usize::from(owner)].port;
                    Party::Slave { tile: loc, port }
                });
                Cause::Arbiter { arbiter, holder }
            }
            (_, PacketState::Moving { .. }) if head.is_none() => {
                let since = self.now;
                let from = self.sources(slave.pipe);
                return Some(Wait {
                    who,
                    on: Cause::StreamData { from },
                    since,
                });
            }
            (_, PacketState::Moving { .. }) => Cause::StreamSpace {
                to: self.sinks(slave.pipe),
            },
            (_, PacketState::Header | PacketState::Leaving { .. }) => return None,
        };
        Some(Wait {
            who,
            on,
            since: arrived?,
        })
    }

    pub(super) fn port_of(&self, place: PipeAt) -> Port {
        let switch = &self.net.switches[place.tile];
        if place.slave {
            switch.slaves[place.index].port
        } else {
            switch.masters[place.index].port
        }
    }

    /// Endpoints that words entering a pipe can reach.
    pub(super) fn sinks(&self, start: PipeId) -> Vec<Party> {
        let mut parties = Vec::new();
        let mut seen = vec![start];
        let mut next = 0;
        while let Some(&pipe) = seen.get(next) {
            next += 1;
            let place = self.net.place(pipe);
            let loc = self.grid.loc(place.tile);
            let port = self.port_of(place);
            if !place.slave {
                parties.push(match self.net.fabric.pipe(pipe).reader {
                    Some(reader) if !matches!(reader.part(), Part::Control | Part::Sink) => {
                        self.party(reader)
                    }
                    _ => Party::Master { tile: loc, port },
                });
                continue;
            }
            if self.holds_words_up(place) {
                parties.push(Party::Slave { tile: loc, port });
                continue;
            }
            let before = seen.len();
            let targets = self
                .successors(place)
                .filter(|target| !seen.contains(target));
            let targets: Vec<PipeId> = targets.collect();
            seen.extend(targets);
            if seen.len() == before {
                parties.push(Party::Slave { tile: loc, port });
            }
        }
        parties.sort();
        parties.dedup();
        parties
    }

    /// Whether a packet stands at a slave port for want of a rule, a master or its arbiter.
    fn holds_words_up(&self, place: PipeAt) -> bool {
        let slave = &self.net.switches[place.tile].slaves[place.index];
        let stands = matches!(
            slave.state,
            PacketState::NoRule { .. } | PacketState::NoMaster { .. } | PacketState::Asking { .. }
        );
        stands && !self.net.fabric.pipe(slave.pipe).is_empty()
    }

    /// Pipes that a slave port feeds, or can feed by any of its rules.
    fn successors(&self, place: PipeAt) -> impl Iterator<Item = PipeId> {
        let switch = &self.net.switches[place.tile];
        let slave = &switch.slaves[place.index];
        let masters =
            switch
                .masters
                .iter()
                .filter(move |master| match (slave.config, master.config) {
                    (SwitchSlave::Circuit, SwitchMaster::Circuit { slave }) => {
                        usize::from(slave) == place.index
                    }
                    (SwitchSlave::Packet, SwitchMaster::Packet { .. }) => match slave.state {
                        PacketState::Moving { arbiter, msel, .. }
                        | PacketState::Asking { arbiter, msel, .. } => {
                            master.takes(arbiter, msel).is_some()
                        }
                        _ => slave.slots.iter().any(|slot| {
                            slot.enable && master.takes(slot.arbiter, slot.msel).is_some()
                        }),
                    },
                    _ => false,
                });
        masters.filter_map(|master| master.target)
    }

    /// Endpoints whose words can reach a pipe.
    pub(super) fn sources(&self, end: PipeId) -> Vec<Party> {
        let mut parties = Vec::new();
        let mut seen = vec![end];
        let mut next = 0;
        while let Some(&pipe) = seen.get(next) {
            next += 1;
            let place = self.net.place(pipe);
            if place.slave
                && let Some(source) = self.local_source(place)
            {
                parties.push(source);
                continue;
            }
            let before = seen.len();
            for feeder in self.feeders(pipe) {
                if !seen.contains(&feeder) {
                    seen.push(feeder);
                }
            }
            if seen.len() == before {
                let tile = self.grid.loc(place.tile);
                let port = self.port_of(place);
                parties.push(match place.slave {
                    true => Party::Slave { tile, port },
                    false => Party::Master { tile, port },
                });
            }
        }
        parties.sort();
        parties.dedup();
        parties
    }

    /// What inside the tile feeds a slave port.
    fn local_source(&self, place: PipeAt) -> Option<Party> {
        let info = &self.grid.tiles[place.tile];
        let port = self.port_of(place);
        let tile = info.loc;
        let dir = DmaDir::Mm2s;
        match port.bundle {
            Bundle::Dma => Some(Party::Channel {
                tile,
                dir,
                channel: port.channel,
            }),
            Bundle::Core => Some(Party::Core(tile)),
            Bundle::South if info.kind.is_shim() => {
                let channel = shim_channel(self.device.arch(), info, dir, port.channel)?;
                Some(Party::Channel { tile, dir, channel })
            }
            Bundle::TileControl | Bundle::Trace => Some(Party::Slave { tile, port }),
            _ => None,
        }
    }

    /// Slave pipes that a master somewhere connects to this pipe.
    fn feeders(&self, pipe: PipeId) -> Vec<PipeId> {
        let place = self.net.place(pipe);
        let Some((tile, master)) = self.driver(place) else {
            return Vec::new();
        };
        let switch = &self.net.switches[tile];
        let feeds = switch.slaves.iter().enumerate().filter(|(index, slave)| {
            match (slave.config, switch.masters[master].config) {
                (SwitchSlave::Circuit, SwitchMaster::Circuit { slave }) => {
                    usize::from(slave) == *index
                }
                (SwitchSlave::Packet, SwitchMaster::Packet { .. }) => {
                    slave.slots.iter().any(|slot| {
                        slot.enable
                            && switch.masters[master]
                                .takes(slot.arbiter, slot.msel)
                                .is_some()
                    })
                }
                _ => false,
            }
        });
        feeds.map(|(_, slave)| slave.pipe).collect()
    }

    /// The master port that words enter a pipe from: tile and index.
    fn driver(&self, place: PipeAt) -> Option<(usize, usize)> {
        if !place.slave {
            return Some((place.tile, place.index));
        }
        let loc = self.grid.loc(place.tile);
        let port = self.port_of(place);
        let (loc, port) = match port.bundle {
            Bundle::Fifo => (loc, port),
            _ => self.device.wire_into(loc, port)?,
        };
        let tile = self.grid.index(loc)?;
        let index = self.net.switches[tile].master_index(port.bundle, port.channel)?;
        Some((tile, index))
    }
}
