//! Packet switching: rules at slave ports, arbiters, headers.
//!
//! A slave port in packet mode reads the header at its head, finds the first rule that matches
//! and asks that rule's arbiter. An arbiter serves one packet at a time, from header to TLAST; of the
//! slaves that ask it takes the one with the lowest port number (mlir-aie: `hw_verdicts`,
//! `stress_s30_old` and `stress_s291`, which hang on a Strix because of it). The packet goes to every
//! packet-switched master of that arbiter whose msel mask has the rule's msel (AM020). A [`Merge`]
//! gives the slaves turns instead.

use aiec_device::TileLoc;
use aiec_device::regmap::SwitchSlot;

use super::circuit::{Copy, Stop, Target, Targets};
use super::merge::Merge;
use super::{Net, Route};
use crate::array::actor::ActorId;
use crate::array::timing::Timing;
use crate::time::{Cycle, Tick, cycle_at, ticks};

/// Most extra cycles of an arbitration when latencies are random.
const JITTER: Cycle = 6;

/// A packet header word: `[4:0]` id, `[14:12]` type, `[20:16]` row, `[27:21]` column of the
/// source, `[31]` odd parity over the word (AM020).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHeader {
    /// Packet id, 0..=31.
    pub id: u8,
    /// Packet type, 0..=7.
    pub kind: u8,
    /// Source tile.
    pub source: TileLoc,
}

impl PacketHeader {
    /// A header with these fields.
    pub const fn new(id: u8, kind: u8, source: TileLoc) -> PacketHeader {
        PacketHeader { id, kind, source }
    }

    /// The header's word.
    pub fn word(&self) -> u32 {
        let word = u32::from(self.id & 0x1F)
            | u32::from(self.kind & 0x7) << 12
            | u32::from(self.source.row & 0x1F) << 16
            | u32::from(self.source.col & 0x7F) << 21;
        with_parity(word)
    }

    /// The header's word with the number of the BD that an out-of-order receiver is to use.
    pub fn naming_bd(&self, bd: u8) -> u32 {
        with_parity(self.word() & !(1 << 31) | u32::from(bd & OUT_OF_ORDER_MASK) << OUT_OF_ORDER)
    }

    /// The BD that a header names for an out-of-order receiver.
    pub fn named_bd(word: u32) -> u8 {
        (word >> OUT_OF_ORDER) as u8 & OUT_OF_ORDER_MASK
    }

    /// The fields of a word, whatever its parity.
    pub fn from_word(word: u32) -> PacketHeader {
        let field = |low: u32, bits: u32| (word >> low & ((1 << bits) - 1)) as u8;
        PacketHeader {
            id: field(0, 5),
            kind: field(12, 3),
            source: TileLoc::new(field(21, 7), field(16, 5)),
        }
    }
}

/// A word of 31 bits with the bit that makes its parity odd.
pub(crate) fn with_parity(word: u32) -> u32 {
    word | u32::from(word.count_ones().is_multiple_of(2)) << 31
}

/// Where a header names the BD of an out-of-order receiver. The manuals show zeros in the one
/// gap that is wide enough for 6 bits besides; unconfirmed.
const OUT_OF_ORDER: u32 = 5;
const OUT_OF_ORDER_MASK: u8 = 0x3F;

/// State of a packet-switched slave port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum PacketState {
    /// The next word is a header.
    #[default]
    Header,
    /// No rule matches the header at the head.
    NoRule { id: u8, since: Cycle },
    /// The rule's arbiter gives packets of its msel to no master.
    NoMaster { arbiter: u8, msel: u8, since: Cycle },
    /// Waits for the arbiter.
    Asking { arbiter: u8, msel: u8, since: Cycle },
    /// Owns the arbiter and moves words, none before the tick.
    Moving {
        arbiter: u8,
        msel: u8,
        not_before: Tick,
        header: bool,
    },
    /// The last word moved in advance; the arbiter is given back at the cycle.
    Leaving { until: Cycle },
}

/// An arbiter of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arbiter {
    /// The slave whose packet it serves.
    pub owner: Option<u8>,
    /// The owner's packet ends at this cycle.
    pub free_at: Option<Cycle>,
    /// Slaves that ask, a bit for each index.
    pub asking: u32,
    /// Whose turn it is, if slaves have turns.
    pub merge: Merge,
}

impl Arbiter {
    /// The next slave: the one whose turn it is, else the first that asks by port number. A slave with
    /// its next header at hand asks in the cycle in which its packet ends, so that it is served again
    /// before those after it.
    fn next(&self) -> Option<u8> {
        if let Some(turn) = self.merge.turn() {
            return Some(turn).filter(|turn| self.asking >> turn & 1 == 1);
        }
        (self.asking != 0).then(|| self.asking.trailing_zeros() as u8)
    }
}

/// Runs a packet-switched slave port.
pub(crate) fn run(net: &mut Net, tile: usize, index: usize, now: Cycle, timing: &Timing) {
    loop {
        let slave = &net.switches[tile].slaves[index];
        match slave.state {
            PacketState::Leaving { until } if until <= now => {
                net.switches[tile].slaves[index].state = PacketState::Header;
            }
            PacketState::Leaving { until } => return net.schedule_slave(tile, index, until),
            PacketState::Asking { .. } => return,
            PacketState::Moving { .. } => {
                if !move_words(net, tile, index, now, timing) {
                    return;
                }
            }
            PacketState::Header | PacketState::NoRule { .. } | PacketState::NoMaster { .. } => {
                return read_header(net, tile, index, now, timing);
            }
        }
    }
}

/// Looks at the header at the head and asks the arbiter of the rule that it matches.
fn read_header(net: &mut Net, tile: usize, index: usize, now: Cycle, timing: &Timing) {
    let slave = &net.switches[tile].slaves[index];
    let Some(head) = net.fabric.pipe(slave.pipe).front() else {
        return net.fabric.sleep_for_data(slave.pipe);
    };
    if cycle_at(head.tick) > now {
        return net.schedule_slave(tile, index, cycle_at(head.tick));
    }
    let id = PacketHeader::from_word(head.word).id;
    let since = match slave.state {
        PacketState::NoRule { since, .. } | PacketState::NoMaster { since, .. } => since,
        _ => now,
    };
    let state = match slave.slots.iter().find(|slot| slot.matches(id)) {
        None => PacketState::NoRule { id, since },
        Some(&SwitchSlot { arbiter, msel, .. }) => {
            let mut masters = net.switches[tile].masters.iter();
            if masters.any(|master| master.takes(arbiter, msel).is_some()) {
                ask(net, tile, index, arbiter, now, timing);
                PacketState::Asking {
                    arbiter,
                    msel,
                    since: now,
                }
            } else {
                PacketState::NoMaster {
                    arbiter,
                    msel,
                    since,
                }
            }
        }
    };
    net.switches[tile].slaves[index].state = state;
}

fn ask(net: &mut Net, tile: usize, index: usize, arbiter: u8, now: Cycle, timing: &Timing) {
    let Some(state) = net.switches[tile].arbiters.get_mut(usize::from(arbiter)) else {
        return;
    };
    state.asking |= 1 << index;
    if state.owner.is_none() {
        let tile = net.switches[tile].slaves[index].actor.tile();
        let sched = &mut net.fabric.sched;
        let at = now + timing.arbitration + sched.jitter.draw(JITTER);
        sched.schedule(at, ActorId::arbiter(tile, arbiter));
    }
}

/// Drops the state of a slave port: its configuration changed, so its next word is a header.
pub(crate) fn forget(net: &mut Net, tile: usize, index: usize) {
    let switch = &mut net.switches[tile];
    switch.slaves[index].state = PacketState::Header;
    let loc = switch.slaves[index].actor.tile();
    for (number, arbiter) in switch.arbiters.iter_mut().enumerate() {
        arbiter.asking &= !(1 << index);
        if arbiter.owner == Some(index as u8) {
            arbiter.owner = None;
            arbiter.free_at = None;
            net.fabric.sched.wake(ActorId::arbiter(loc, number as u8));
        }
    }
}

/// Runs an arbiter: ends the packet that has passed, begins the next.
pub(crate) fn run_arbiter(net: &mut Net, tile: usize, arbiter: u8, now: Cycle) {
    let Some(state) = net.switches[tile].arbiters.get_mut(usize::from(arbiter)) else {
        return;
    };
    if state.free_at.is_some_and(|at| at <= now) {
        state.owner = None;
        state.free_at = None;
    }
    if state.owner.is_some() {
        return;
    }
    let Some(winner) = state.next() else { return };
    state.asking &= !(1 << winner);
    state.owner = Some(winner);
    state.merge.advance();
    let slave = &mut net.switches[tile].slaves[usize::from(winner)];
    if let PacketState::Asking { arbiter, msel, .. } = slave.state {
        let not_before = ticks(now);
        slave.state = PacketState::Moving {
            arbiter,
            msel,
            not_before,
            header: true,
        };
        net.fabric.sched.wake(slave.actor);
    }
}

/// Moves words of the packet that the slave was granted. True when its last word moved.
fn move_words(net: &mut Net, tile: usize, index: usize, now: Cycle, timing: &Timing) -> bool {
    let switch = &net.switches[tile];
    let slave = &switch.slaves[index];
    let (source, me) = (slave.pipe, slave.actor);
    let PacketState::Moving {
        arbiter,
        msel,
        not_before,
        header,
    } = slave.state
    else {
        return false;
    };
    let masters = switch.masters.iter();
    let targets = masters.filter_map(|master| {
        let drop_header = master.takes(arbiter, msel)?;
        Some(Target {
            pipe: master.target?,
            drop_header,
        })
    });
    let mut targets: Targets = targets.collect();
    for target in &mut targets {
        target.pipe = net.route(target.pipe, &mut Route::default());
    }
    let mut copy = Copy {
        source,
        targets: &targets,
        not_before,
        header,
        packet: true,
    };
    let stop = copy.run(net, me, now, timing);
    let header_next = copy.header;
    let slave = &mut net.switches[tile].slaves[index];
    match stop {
        Stop::Tlast(tick) => {
            // The port and the arbiter are free in the cycle after the last word.
            let until = cycle_at(tick + 1);
            slave.state = PacketState::Leaving { until };
            let owner = ActorId::arbiter(me.tile(), arbiter);
            if let Some(state) = net.switches[tile].arbiters.get_mut(usize::from(arbiter)) {
                state.free_at = Some(until);
            }
            net.fabric.sched.schedule(until, owner);
            true
        }
        stop => {
            if let PacketState::Moving { header, .. } = &mut slave.state {
                *header = header_next;
            }
            if let Stop::Later(at) = stop {
                net.schedule_slave(tile, index, at);
            }
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_words_have_odd_parity() {
        let header = PacketHeader {
            id: 3,
            kind: 1,
            source: TileLoc::new(2, 4),
        };
        // 3 + 1 << 12 + 4 << 16 + 2 << 21 has five bits set.
        assert_eq!(header.word(), 0x0044_1003);
        let other = PacketHeader { id: 1, ..header };
        assert_eq!(other.word(), 0x8044_1001);
        assert_eq!(PacketHeader::from_word(other.word()), other);
    }

    #[test]
    fn lower_ports_go_first() {
        let mut arbiter = Arbiter {
            asking: 0b1001_0010,
            ..Arbiter::default()
        };
        assert_eq!(arbiter.next(), Some(1));
        arbiter.asking = 0b1001_0000;
        assert_eq!(arbiter.next(), Some(4));
        arbiter.asking = 0;
        assert_eq!(arbiter.next(), None);
    }
}
