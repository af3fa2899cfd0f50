//! Who waits for what: the raw material of a deadlock report.
//!
//! [`super::Array::waits`] lists every part that cannot go on by itself, with what it waits for
//! and the parts at the other end. Lock waits name who touched the lock last; stream waits name
//! the endpoints that the switches' configuration leads to. A wait-for graph follows from it.

use std::fmt;

use aiec_device::{DmaDir, Port, TileLoc};

use super::lock::LockNeed;
use crate::time::Cycle;

/// A part of the array that acts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// The core of a tile.
    Core(TileLoc),
    /// A DMA channel.
    Channel {
        /// Its tile.
        tile: TileLoc,
        /// Its direction.
        dir: DmaDir,
        /// Its number.
        channel: u8,
    },
    /// A slave port of a stream switch, with the words that stand in it.
    Slave {
        /// Its tile.
        tile: TileLoc,
        /// The port.
        port: Port,
    },
    /// A master port of a stream switch that ends at something outside the model, or at nothing.
    Master {
        /// Its tile.
        tile: TileLoc,
        /// The port.
        port: Port,
    },
    /// A write to the registers from outside the array.
    Bus,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Core(tile) => write!(f, "core {tile}"),
            Party::Channel { tile, dir, channel } => {
                write!(f, "DMA {dir} {channel} of tile {tile}")
            }
            Party::Slave { tile, port } => write!(f, "slave port {port} of tile {tile}"),
            Party::Master { tile, port } => write!(f, "master port {port} of tile {tile}"),
            Party::Bus => write!(f, "a register write"),
        }
    }
}

/// The last change of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockTouch {
    /// Who.
    pub by: Party,
    /// When.
    pub at: Cycle,
    /// What was added to the value; for a register write the value written.
    pub change: i32,
}

/// What somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A lock.
    Lock {
        /// The tile that holds it.
        owner: TileLoc,
        /// Its number there.
        lock: u8,
        /// The condition.
        need: LockNeed,
        /// The value now.
        value: i32,
        /// Its last change.
        last: Option<LockTouch>,
        /// Who can release it, by what is loaded.
        releasers: Vec<Party>,
    },
    /// Words from a stream.
    StreamData {
        /// Where they would come from.
        from: Vec<Party>,
    },
    /// Room in a stream.
    StreamSpace {
        /// Where the words would go.
        to: Vec<Party>,
    },
    /// The channel has no task; words stand at its input if `pending`.
    Task {
        /// Words stand at the input.
        pending: bool,
    },
    /// The shim mux doesn't connect the channel.
    ShimMux,
    /// The channel is paused or held in reset by its control register.
    Held,
    /// Room in the FIFO of the counts that software reads.
    CountFifo,
    /// Room for the token of its task; the tile's control port is not emptied.
    TokenRoom,
    /// The channel or core stopped with a fault (see the faults).
    Stopped,
    /// The slave port is not enabled, or no enabled master takes from it.
    NoConnection,
    /// No rule of the slave port matches the id of the packet at its head.
    NoRule {
        /// Packet id.
        id: u8,
    },
    /// A rule matches, but no enabled master takes packets of this arbiter and msel.
    NoMaster {
        /// Arbiter of the rule.
        arbiter: u8,
        /// Msel of the rule.
        msel: u8,
    },
    /// The arbiter serves another packet.
    Arbiter {
        /// Its number.
        arbiter: u8,
        /// The slave whose packet it serves.
        holder: Option<Party>,
    },
    /// Cascade data from a neighbour.
    CascadeData {
        /// The neighbour; `None` if no core's output leads here.
        from: Option<TileLoc>,
    },
    /// Room in the cascade to a neighbour.
    CascadeSpace {
        /// The neighbour; `None` if its input doesn't face this core.
        to: Option<TileLoc>,
    },
}

/// Something that a part has not done when the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// The channel is in a task that has an end.
    Task(Party),
    /// Tasks stand in the channel's queue.
    Queued(Party),
    /// Words stand at the channel or port, and nothing takes them.
    Words(Party),
}

/// A part that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who.
    pub who: Party,
    /// For what.
    pub on: Cause,
    /// Since when.
    pub since: Cycle,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} waits since cycle {} for {}",
            self.who, self.since, self.on
        )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Lock {
                owner,
                lock,
                need,
                value,
                last,
                ..
            } => {
                let (sign, n) = match need {
                    LockNeed::AtLeast(n) => ("≥", n),
                    LockNeed::Equal(n) => ("=", n),
                };
                write!(f, "lock {lock} of tile {owner} {sign} {n} (it is {value}")?;
                match last {
                    None => write!(f, ", never changed)"),
                    Some(LockTouch {
                        by: Party::Bus, at, ..
                    }) => {
                        write!(f, ", set by a register write in cycle {at})")
                    }
                    Some(LockTouch { by, at, change }) => {
                        write!(f, ", last changed by {change:+} in cycle {at} by {by})")
                    }
                }
            }
            Cause::StreamData { from } => write!(f, "stream data from {}", List(from)),
            Cause::StreamSpace { to } => write!(f, "room in the stream to {}", List(to)),
            Cause::Task { pending: true } => write!(f, "a task, with words at its input"),
            Cause::Task { pending: false } => write!(f, "a task"),
            Cause::ShimMux => write!(f, "a connection by the shim mux"),
            Cause::Held => write!(f, "the end of its pause or reset"),
            Cause::CountFifo => write!(f, "room in its count FIFO, which nobody reads"),
            Cause::TokenRoom => write!(f, "the tile's tokens to leave through its control port"),
            Cause::Stopped => write!(f, "a reset after a fault"),
            Cause::NoConnection => write!(f, "a connection of its stream switch"),
            Cause::NoRule { id } => write!(f, "a rule for packet id {id}"),
            Cause::NoMaster { arbiter, msel } => {
                write!(f, "a master port that takes arbiter {arbiter} msel {msel}")
            }
            Cause::Arbiter {
                arbiter,
                holder: Some(holder),
            } => {
                write!(f, "arbiter {arbiter}, which serves {holder}")
            }
            Cause::Arbiter {
                arbiter,
                holder: None,
            } => write!(f, "arbiter {arbiter}"),
            Cause::CascadeData { from: Some(from) } => write!(f, "cascade data from core {from}"),
            Cause::CascadeData { from: None } => {
                write!(f, "cascade data, but no core's cascade leads here")
            }
            Cause::CascadeSpace { to: Some(to) } => write!(f, "room in the cascade to core {to}"),
            Cause::CascadeSpace { to: None } => {
                write!(f, "a cascade, but no core takes it on that side")
            }
        }
    }
}

struct List<'a>(&'a [Party]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "nowhere");
        }
        for (i, party) in self.0.iter().enumerate() {
            write!(f, "{}{party}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
