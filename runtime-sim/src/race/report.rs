//! Records of findings: races, reads of memory that nothing wrote, and choices that time makes.

use aiec_device::{ChannelId, LockId, TileLoc};

use super::{Site, Span, Thread};
use crate::time::Cycle;

/// A use of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockUse {
    /// The lock.
    pub lock: LockId,
    /// Cycle of the access.
    pub at: Cycle,
}

/// An access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceAccess {
    /// Thread that made it.
    pub thread: Thread,
    /// It writes.
    pub writes: bool,
    /// Where in what the thread executes.
    pub site: Site,
    /// Cycle of the access.
    pub at: Cycle,
    /// The lock that the thread acquired last before it.
    pub acquired: Option<LockUse>,
    /// The lock that the thread released first after it, as far as it had come when the race was
    /// found.
    pub released: Option<LockUse>,
    /// The lock that the thread released last before it.
    pub released_before: Option<LockUse>,
}

/// Two accesses to the same bytes, one a write, that nothing but time puts in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceRecord {
    /// The bytes.
    pub at: Span,
    /// The access that was recorded first.
    pub first: RaceAccess,
    /// The other.
    pub second: RaceAccess,
    /// Number of times that these two met.
    pub times: u64,
}

/// A read of bytes that nothing has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The bytes.
    pub at: Span,
    /// Who reads.
    pub by: RaceAccess,
    /// Number of times.
    pub times: u64,
}

/// A choice that time makes, so that another timing may give other data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Imprecision {
    /// Who is granted a lock, or by whose release, depends on time.
    #[error("who takes {0} first, or by whose release, depends on time")]
    Lock(LockId),
    /// Words of several senders arrive in an order that depends on time.
    #[error("the order in which words of several senders come to {0} depends on time")]
    Arbitration(PartName),
    /// A channel takes packets in any order.
    #[error("{0} takes packets out of order")]
    OutOfOrder(ChannelId),
    /// A job polls a register.
    #[error("controller {0} polls a register whose value depends on time")]
    Poll(u32),
    /// A job reads a register.
    #[error("controller {0} reads a register whose value may depend on time")]
    Read(u32),
    /// Tasks of several jobs are pushed to a channel in an order that depends on time.
    #[error("the order in which tasks are pushed to {0} depends on time")]
    Tasks(ChannelId),
    /// An event starts or stops a core.
    #[error("an event starts or stops the core of tile {0}")]
    Event(TileLoc),
    /// A reset stops a writer, and nothing orders its last writes before that.
    #[error("how far {0} has come when the partition is reset depends on time")]
    Reset(PartName),
}

/// A part of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum PartName {
    /// A channel.
    #[error("{0}")]
    Channel(ChannelId),
    /// A core.
    #[error("core {0}")]
    Core(TileLoc),
    /// A control port.
    #[error("the control port of tile {0}")]
    ControlPort(TileLoc),
}
