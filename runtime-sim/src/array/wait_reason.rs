//! Who waits for what: the raw material of a deadlock report.
//!
//! [`super::ArrayView::waits`] lists every actor that cannot go on by itself, with the reason and the
//! actors at the other end. Lock waits name who changed the lock last; stream waits name the
//! endpoints that the switches' configuration leads to. A wait-for graph follows from it.

use std::fmt;

use aiec_device::{LockId, TileLoc};

use super::actor::ActorId;
use super::lock::{LockChange, LockNeed};
use crate::time::Cycle;

/// Cause of a wait of an actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitReason {
    /// A lock.
    #[error("{lock} {} (it is {value}, {})", condition(*need), change(last.as_ref()))]
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
    #[error("stream data from {}", list(from))]
    StreamData {
        /// Where they would come from.
        from: Vec<ActorId>,
    },
    /// Free places in a stream.
    #[error("room in the stream to {}", list(to))]
    StreamSpace {
        /// Where the words would go.
        to: Vec<ActorId>,
    },
    /// The channel has no task.
    #[error("a task{}", if *pending { ", with words at its input" } else { "" })]
    Task {
        /// Words have arrived at the input.
        pending: bool,
    },
    /// The shim mux doesn't connect the channel.
    #[error("a connection by the shim mux")]
    ShimMux,
    /// The channel is paused or in reset by its control register.
    #[error("the end of its pause or reset")]
    Paused,
    /// A free place in the FIFO of the counts that software reads.
    #[error("room in its count FIFO, which isn't read")]
    CountFifo,
    /// A free place for the token of its task; the tile's control port is not emptied.
    #[error("the tile's tokens to leave through its control port")]
    TokenSpace,
    /// The channel or core stopped with a fault (see the faults).
    #[error("a reset after a fault")]
    Stopped,
    /// The core's program memory was empty when it was enabled.
    #[error("a program: its program memory was empty when it was enabled")]
    Program,
    /// The slave port is not enabled, or no enabled master takes from it.
    #[error("a connection of its stream switch")]
    NoConnection,
    /// No rule of the slave port matches the id of the packet at its head.
    #[error("a rule for packet id {id}")]
    NoRule {
        /// Packet id.
        id: u8,
    },
    /// A rule matches, but no enabled master takes packets of this arbiter and msel.
    #[error("a master port that takes arbiter {arbiter} msel {msel}")]
    NoMaster {
        /// Arbiter of the rule.
        arbiter: u8,
        /// Msel of the rule.
        msel: u8,
    },
    /// The arbiter serves another packet.
    #[error("arbiter {arbiter}{}", held(*owner, *turn))]
    Arbiter {
        /// Its number.
        arbiter: u8,
        /// The slave port whose packet it serves.
        owner: Option<ActorId>,
        /// The slave port whose packet comes next, where they come in a fixed order.
        turn: Option<ActorId>,
    },
    /// Cascade data from a neighbour.
    #[error("cascade data{}", or_else(*from, " from core ", ", but no core's cascade leads here"))]
    CascadeData {
        /// The neighbour; `None` if no core's output leads here.
        from: Option<TileLoc>,
    },
    /// A free place in the cascade to a neighbour.
    #[error("{}", or_else(*to, "room in the cascade to core ", "a cascade, but no core takes it on that side"))]
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
    /// Tasks are left in the channel's queue: their number.
    Queued(ActorId, usize),
    /// Words have arrived at the channel or port, and nothing takes them: their number.
    UndeliveredData(ActorId, usize),
}

/// An actor that waits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{who} waits since cycle {since} for {reason}")]
pub struct Wait {
    /// The waiting actor.
    pub who: ActorId,
    /// Awaited event.
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
            WaitReason::Arbiter { owner, turn, .. } => owner.or(*turn).into_iter().collect(),
            WaitReason::CascadeData { from: core } | WaitReason::CascadeSpace { to: core } => {
                core.iter().map(|core| ActorId::core(*core)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The condition of an acquire.
fn condition(need: LockNeed) -> String {
    match need {
        LockNeed::AtLeast(n) => format!("≥ {n}"),
        LockNeed::Equal(n) => format!("= {n}"),
    }
}

/// The last change of a lock.
fn change(last: Option<&LockChange>) -> String {
    last.map_or("never changed".to_string(), ToString::to_string)
}

/// Why an arbiter doesn't take a packet.
fn held(owner: Option<ActorId>, turn: Option<ActorId>) -> String {
    let next = || or_else(turn, ", which takes a packet of ", "");
    owner.map_or_else(next, |owner| format!(", which serves {owner}"))
}

/// The other end, after a text; another text if there is none.
fn or_else(end: Option<impl fmt::Display>, before: &str, otherwise: &str) -> String {
    end.map_or(otherwise.to_string(), |end| format!("{before}{end}"))
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

/// Actors one after the other.
fn list(actors: &[ActorId]) -> String {
    let names: Vec<String> = actors.iter().map(ToString::to_string).collect();
    match actors {
        [] => "nowhere".to_string(),
        _ => names.join(", "),
    }
}
