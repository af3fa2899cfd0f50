//! Who waits for what: the raw material of a deadlock report.
//!
//! [`super::Array::waits`] lists every actor that cannot go on by itself, with the reason and the
//! actors at the other end. Lock waits name who changed the lock last; stream waits name the
//! endpoints that the switches' configuration leads to. A wait-for graph follows from it.

use std::fmt;

use aiec_device::{LockId, TileLoc};

use super::actor::ActorId;
use super::lock::{LockChange, LockNeed};
use crate::time::Cycle;

/// What an actor waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// A lock.
    Lock {
        /// The lock.
        lock: LockId,
        /// The condition.
        need: LockNeed,
        /// The value now.
        value: i32,
        /// Its last change.
        last: Option<LockChange>,
        /// Who can release it, by what is loaded.
        releasers: Vec<ActorId>,
    },
    /// Words from a stream.
    StreamData {
        /// Where they would come from.
        from: Vec<ActorId>,
    },
    /// Free places in a stream.
    StreamSpace {
        /// Where the words would go.
        to: Vec<ActorId>,
    },
    /// The channel has no task.
    Task {
        /// Words have arrived at the input.
        pending: bool,
    },
    /// The shim mux doesn't connect the channel.
    ShimMux,
    /// The channel is paused or in reset by its control register.
    Paused,
    /// A free place in the FIFO of the counts that software reads.
    CountFifo,
    /// A free place for the token of its task; the tile's control port is not emptied.
    TokenSpace,
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
        /// The slave port whose packet it serves.
        owner: Option<ActorId>,
    },
    /// Cascade data from a neighbour.
    CascadeData {
        /// The neighbour; `None` if no core's output leads here.
        from: Option<TileLoc>,
    },
    /// A free place in the cascade to a neighbour.
    CascadeSpace {
        /// The neighbour; `None` if its input doesn't face this core.
        to: Option<TileLoc>,
    },
}

/// Something that is unfinished when the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// The channel is in a task that has an end: words of 32 bits moved, and wanted.
    Task(ActorId, Option<(u64, u64)>),
    /// The channel's queue holds so many tasks.
    Queued(ActorId, usize),
    /// So many words have arrived at the channel or port, and nothing takes them.
    UndeliveredData(ActorId, usize),
}

/// An actor that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who.
    pub who: ActorId,
    /// For what.
    pub reason: WaitReason,
    /// Since when.
    pub since: Cycle,
}

impl Wait {
    /// The actors that could end the wait.
    pub fn resolvers(&self) -> Vec<ActorId> {
        match &self.reason {
            WaitReason::Lock { releasers, .. } => {
                let others = releasers.iter().filter(|actor| **actor != self.who);
                others.copied().collect()
            }
            WaitReason::StreamData { from: actors } | WaitReason::StreamSpace { to: actors } => {
                actors.clone()
            }
            WaitReason::Arbiter { owner, .. } => owner.iter().copied().collect(),
            WaitReason::CascadeData { from: core } | WaitReason::CascadeSpace { to: core } => {
                core.iter().map(|core| ActorId::core(*core)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wait { who, reason, since } = self;
        write!(f, "{who} waits since cycle {since} for {reason}")
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitReason::Lock {
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
                write!(f, "{lock} {sign} {n} (it is {value}, ")?;
                match last {
                    None => write!(f, "never changed)"),
                    Some(change) => write!(f, "{change})"),
                }
            }
            WaitReason::StreamData { from } => write!(f, "stream data from {}", List(from)),
            WaitReason::StreamSpace { to } => {
                write!(f, "room in the stream to {}", List(to))
            }
            WaitReason::Task { pending: true } => write!(f, "a task, with words at its input"),
            WaitReason::Task { pending: false } => write!(f, "a task"),
            WaitReason::ShimMux => write!(f, "a connection by the shim mux"),
            WaitReason::Paused => write!(f, "the end of its pause or reset"),
            WaitReason::CountFifo => write!(f, "room in its count FIFO, which nobody reads"),
            WaitReason::TokenSpace => {
                write!(f, "the tile's tokens to leave through its control port")
            }
            WaitReason::Stopped => write!(f, "a reset after a fault"),
            WaitReason::NoConnection => write!(f, "a connection of its stream switch"),
            WaitReason::NoRule { id } => write!(f, "a rule for packet id {id}"),
            WaitReason::NoMaster { arbiter, msel } => {
                write!(f, "a master port that takes arbiter {arbiter} msel {msel}")
            }
            WaitReason::Arbiter {
                arbiter,
                owner: Some(owner),
            } => {
                write!(f, "arbiter {arbiter}, which serves {owner}")
            }
            WaitReason::Arbiter {
                arbiter,
                owner: None,
            } => write!(f, "arbiter {arbiter}"),
            WaitReason::CascadeData { from: Some(from) } => {
                write!(f, "cascade data from core {from}")
            }
            WaitReason::CascadeData { from: None } => {
                write!(f, "cascade data, but no core's cascade leads here")
            }
            WaitReason::CascadeSpace { to: Some(to) } => {
                write!(f, "room in the cascade to core {to}")
            }
            WaitReason::CascadeSpace { to: None } => {
                write!(f, "a cascade, but no core takes it on that side")
            }
        }
    }
}

impl fmt::Display for LockChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LockChange { by, at, change } = self;
        match by {
            None => write!(f, "set by a register write in cycle {at}"),
            Some(by) => write!(f, "last changed by {change:+} in cycle {at} by {by}"),
        }
    }
}

struct List<'a>(&'a [ActorId]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "nowhere");
        }
        for (i, actor) in self.0.iter().enumerate() {
            write!(f, "{}{actor}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
