//! Stream switches: ports, their configuration, and the routes of words through them.
//!
//! Every slave port has a pipe (the FIFOs up to it) and is an actor that moves words from it
//! into the pipes of the master ports it feeds: [`circuit`] copies to every master that names the
//! slave, [`packet`] asks an arbiter first. A word moves only when *all* destinations take it.
//!
//! Stretches of circuit connections without a fork are skipped: a writer enters its words right
//! into the pipe at the end of the stretch, whose depth and delay then are those of the whole
//! (see [`Net::route`]). A write to any switch starts a new *epoch*, in which routes are looked
//! up afresh.

pub(crate) mod circuit;
mod merge;
pub(crate) mod packet;

use aiec_device::regmap::{SwitchMaster, SwitchSlave, SwitchSlot};
use aiec_device::{Bundle, Port};
use smallvec::SmallVec;

use super::actor::ActorId;
use super::fabric::Fabric;
use super::pipe::PipeId;
use super::timing::Timing;
use crate::time::Cycle;
use packet::{Arbiter, PacketState};

/// Rule slots of a slave port.
pub(crate) const SLOTS: usize = 4;
/// No route is longer than this many switches; more is a loop in the configuration.
const LONGEST_ROUTE: usize = 1024;

/// An output of a switch.
#[derive(Debug, Clone)]
pub(crate) struct Master {
    pub actor: ActorId,
    pub port: Port,
    /// The pipe it feeds: its own for a port into the tile, the neighbour's slave pipe for a
    /// wire. `None` at the edge of the array.
    pub target: Option<PipeId>,
    pub config: SwitchMaster,
    /// The last value written to its configuration register.
    pub raw: u32,
}

impl Master {
    pub fn new(actor: ActorId, port: Port, target: Option<PipeId>) -> Master {
        Master {
            actor,
            port,
            target,
            config: SwitchMaster::Off,
            raw: 0,
        }
    }

    /// Whether packets come out without their header; `None` if the port isn't packet-switched.
    pub fn drops_header(&self) -> Option<DropHeader> {
        match self.config {
            SwitchMaster::Packet { drop_header, .. } => Some(drop_header),
            _ => None,
        }
    }

    /// Whether packets that an arbiter gives with this msel go here, and if so whether without
    /// their header.
    pub fn takes(&self, arbiter: u8, msel: u8) -> Option<DropHeader> {
        match self.config {
            SwitchMaster::Packet {
                arbiter: own,
                msels,
                drop_header,
            } if own == arbiter && msels >> msel & 1 == 1 => Some(drop_header),
            _ => None,
        }
    }
}

/// Whether a master removes the header word of packets.
pub(crate) type DropHeader = bool;

/// An input of a switch.
#[derive(Debug, Clone)]
pub(crate) struct Slave {
    pub actor: ActorId,
    pub port: Port,
    pub pipe: PipeId,
    pub config: SwitchSlave,
    pub slots: [SwitchSlot; SLOTS],
    /// The last values written to the registers.
    pub raw: u32,
    pub slot_raw: [u32; SLOTS],
    pub state: PacketState,
    /// An event for this slave is queued at this cycle.
    pub event: Option<Cycle>,
}

impl Slave {
    pub fn new(actor: ActorId, port: Port, pipe: PipeId) -> Slave {
        Slave {
            actor,
            port,
            pipe,
            config: SwitchSlave::Off,
            slots: [SwitchSlot::default(); SLOTS],
            raw: 0,
            slot_raw: [0; SLOTS],
            state: PacketState::Header,
            event: None,
        }
    }

    /// Whether the words of this port, of an index, can leave by a master port, as both are configured.
    pub fn may_feed(&self, index: usize, master: &Master) -> bool {
        match (self.config, master.config) {
            (SwitchSlave::Circuit, SwitchMaster::Circuit { slave }) => usize::from(slave) == index,
            (SwitchSlave::Packet, SwitchMaster::Packet { .. }) => self
                .slots
                .iter()
                .any(|slot| slot.enable && master.takes(slot.arbiter, slot.msel).is_some()),
            _ => false,
        }
    }
}

/// The stream switch of one tile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Switch {
    pub masters: Vec<Master>,
    pub slaves: Vec<Slave>,
    pub arbiters: Vec<Arbiter>,
}

impl Switch {
    pub fn master(&self, bundle: Bundle, channel: u8) -> Option<&Master> {
        let port = Port::new(bundle, channel);
        self.masters.iter().find(|master| master.port == port)
    }

    pub fn slave(&self, bundle: Bundle, channel: u8) -> Option<&Slave> {
        let port = Port::new(bundle, channel);
        self.slaves.iter().find(|slave| slave.port == port)
    }

    /// Master ports that a circuit-switched slave feeds.
    pub fn circuit_masters(&self, slave: usize) -> impl Iterator<Item = &Master> {
        let config = SwitchMaster::Circuit { slave: slave as u8 };
        let masters = self.masters.iter();
        masters.filter(move |master| master.config == config)
    }

    fn is_circuit(&self, slave: usize) -> bool {
        let slave = self.slaves.get(slave);
        slave.is_some_and(|slave| slave.config == SwitchSlave::Circuit)
    }
}

/// Where a pipe is in the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PipeAt {
    pub tile: usize,
    /// Slave port, else master port.
    pub slave: bool,
    /// Physical index of the port.
    pub index: usize,
}

/// A remembered answer of [`Net::route`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Route {
    end: Option<PipeId>,
    epoch: u32,
}

/// All switches and the pipes between them.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub switches: Vec<Switch>,
    pub fabric: Fabric,
    /// Position of each pipe.
    pub places: Vec<PipeAt>,
    /// Counts the configurations of switches.
    pub epoch: u32,
}

impl Net {
    pub fn place(&self, pipe: PipeId) -> PipeAt {
        self.places[pipe.0 as usize]
    }

    /// The pipe that words meant for `start` enter: the end of the chain of unforked circuit
    /// connections after it. Pipes that still have words are not skipped, so that words keep their
    /// order.
    #[inline]
    pub fn route(&mut self, start: PipeId, known: &mut Route) -> PipeId {
        match known.end {
            Some(end) if known.epoch == self.epoch => end,
            _ => self.found_route(start, known),
        }
    }

    /// Whether a route is known.
    #[inline]
    pub fn knows(&self, known: &Route) -> bool {
        known.end.is_some() && known.epoch == self.epoch
    }

    /// [`Net::route`] that isn't known.
    #[inline(never)]
    fn found_route(&mut self, start: PipeId, known: &mut Route) -> PipeId {
        let mut chain: SmallVec<[PipeId; 6]> = SmallVec::new();
        let mut end = start;
        let mut held = false;
        while chain.len() < LONGEST_ROUTE {
            let Some(next) = self.only_successor(end) else {
                break;
            };
            if self.fabric.pipe(end).is_watched() {
                break;
            }
            if !self.fabric.pipe(end).is_empty() {
                held = true;
                break;
            }
            chain.push(end);
            end = next;
        }
        self.fabric.merge(chain, end);
        // While words hold the stretch up, look again at the next word.
        *known = Route {
            end: (!held).then_some(end),
            epoch: self.epoch,
        };
        end
    }

    /// The one pipe that a circuit-switched slave pipe feeds.
    fn only_successor(&self, pipe: PipeId) -> Option<PipeId> {
        let place = self.place(pipe);
        let switch = &self.switches[place.tile];
        if !place.slave || !switch.is_circuit(place.index) {
            return None;
        }
        let mut masters = switch.circuit_masters(place.index);
        match (masters.next(), masters.next()) {
            (Some(master), None) => master.target,
            _ => None,
        }
    }

    /// The configuration of a switch changed: everything that may wait for it is woken. Slave ports without words sleep
    /// until one comes, however they are configured.
    pub fn reconfigured(&mut self, tile: usize) {
        self.epoch = self.epoch.wrapping_add(1);
        let switch = &self.switches[tile];
        for slave in &switch.slaves {
            if !self.fabric.pipe(slave.pipe).is_empty() {
                self.fabric.sched.wake(slave.actor);
            }
            self.fabric.wake_writer(slave.pipe);
        }
        for pipe in switch.masters.iter().filter_map(|master| master.target) {
            self.fabric.wake_writer(pipe);
        }
    }

    /// Resets a tile's switch: its ports let go of their words, arbiters of their packets, and its
    /// registers go back to 0. Whether the registers do on silicon isn't documented.
    pub fn reset_switch(&mut self, tile: usize, now: Cycle) {
        let mut pipes: Vec<PipeId> = Vec::new();
        for slave in &mut self.switches[tile].slaves {
            let event = slave.event;
            *slave = Slave::new(slave.actor, slave.port, slave.pipe);
            slave.event = event;
            pipes.push(slave.pipe);
        }
        let local = |pipe: &PipeId| {
            let place = self.places[pipe.0 as usize];
            place.tile == tile && !place.slave
        };
        for master in &mut self.switches[tile].masters {
            *master = Master::new(master.actor, master.port, master.target);
            pipes.extend(master.target.filter(local));
        }
        for arbiter in &mut self.switches[tile].arbiters {
            *arbiter = Arbiter::default();
        }
        for pipe in pipes {
            self.fabric.clear(pipe, now);
        }
        self.reconfigured(tile);
    }

    /// Takes over the observers and records of the run from the network before a reset at a cycle.
    pub fn keep_records(&mut self, before: &mut Net, now: Cycle) {
        let Net {
            switches: _,
            fabric,
            places: _,
            epoch,
        } = before;
        self.epoch = epoch.wrapping_add(1);
        self.fabric.keep_records(fabric, now);
    }

    /// Moves the words of a slave port that can move at `now`.
    pub fn run_slave(&mut self, tile: usize, index: usize, now: Cycle, timing: &Timing) {
        let slave = &mut self.switches[tile].slaves[index];
        if slave.event.is_some_and(|at| at <= now) {
            slave.event = None;
        }
        match slave.config {
            SwitchSlave::Off => self.fabric.sleep_for_data(slave.pipe),
            SwitchSlave::Circuit => circuit::run(self, tile, index, now, timing),
            SwitchSlave::Packet => packet::run(self, tile, index, now, timing),
        }
    }

    /// Queues an event for a slave port, unless an earlier one is queued already.
    fn schedule_slave(&mut self, tile: usize, index: usize, at: Cycle) {
        let slave = &mut self.switches[tile].slaves[index];
        if slave.event.is_none_or(|queued| queued > at) {
            slave.event = Some(at);
            self.fabric.sched.schedule(at, slave.actor);
        }
    }
}
