//! The likely mistake that causes a deadlock, in the terms of the design: fifos, transfers, tokens,
//! locks. Rules look at the waits that explain the deadlock and at how far cores, channels and locks
//! have come; each family of rules is a file.

mod circles;
mod fifos;
mod locks;
mod transfers;

use aiec_diag::named_enum;

use super::classify::{Classification, DeadlockKind};
use super::names::DebugNames;
use super::wait_record::WaitRecord;
use crate::array::Array;
use crate::cert::Machine;

named_enum! {
    /// A likely mistake, as a word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MistakeKind {
        /// A core acquires objects of a fifo and releases none.
        FifoNeverReleased => "fifo-never-released",
        /// A fifo has too few objects for the order in which its ends work.
        FifoTooShallow => "fifo-too-shallow",
        /// Cores wait for objects of each other's fifos before they send any.
        CircularFifos => "circular-fifos",
        /// A core that produces has ended.
        ProducerEnded => "producer-ended",
        /// A core that consumes has ended.
        ConsumerEnded => "consumer-ended",
        /// A transfer moves fewer or more words than its other end wants.
        TransferLength => "transfer-length",
        /// No transfer was started on a channel that others wait for.
        TransferMissing => "transfer-missing",
        /// The sequence waits before it starts a transfer that the wait depends on.
        WaitOrder => "wait-order",
        /// A task that is waited for sends no token.
        TokenMissing => "token-missing",
        /// More tokens are awaited than tasks send.
        ExtraWait => "extra-wait",
        /// No program releases the lock.
        LockNeverReleased => "lock-never-released",
        /// The core that releases the lock has ended.
        LockReleaserEnded => "lock-releaser-ended",
        /// The lock is released, but not to the value that is awaited.
        LockCount => "lock-count",
        /// All wait for one lock that none can take first.
        LockInitialValue => "lock-initial-value",
        /// Locks are taken in an order in which each holds what the other wants.
        LockOrder => "lock-order",
        /// Packets of several flows share a way and block each other.
        PacketPathShared => "packet-path-shared",
        /// Words have no way to go.
        FlowMissing => "flow-missing",
        /// No rule takes a packet's id.
        PacketId => "packet-id",
        /// The ends of a cascade pass different numbers of transfers.
        CascadeCount => "cascade-count",
        /// Both ends wait for words before they send.
        StreamOrder => "stream-order",
        /// Fewer come to a barrier than it is for.
        BarrierCount => "barrier-count",
        /// Jobs come to barriers in contradictory orders.
        BarrierOrder => "barrier-order",
        /// A polled register never gets the value.
        Poll => "poll",
        /// Something is in reset or paused.
        NotRunning => "not-running",
        /// None of these.
        Other => "other",
    }
}

/// A likely mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// As a word.
    pub kind: MistakeKind,
    /// In one sentence.
    pub cause: String,
    /// The remedy.
    pub help: String,
    /// `file:line:column` of the operation to change, if known.
    pub source: Option<String>,
}

/// Evidence for the rules.
pub(super) struct Evidence<'a> {
    pub machine: &'a Machine,
    pub array: &'a Array,
    pub names: &'a DebugNames<'a>,
    /// The waits that explain the deadlock.
    pub chain: &'a [WaitRecord],
    pub is_cycle: bool,
}

type Rule = fn(&Evidence<'_>) -> Option<Mistake>;

/// The first rule that applies names the mistake.
const RULES: [Rule; 9] = [
    |evidence| evidence.other_cycle(),
    |evidence| evidence.token_is_held_up(),
    |evidence| evidence.fifo_never_released(),
    |evidence| evidence.tokens(),
    |evidence| evidence.end_has_no_task(),
    |evidence| evidence.fifo_cycle(),
    |evidence| evidence.core_has_ended(),
    |evidence| evidence.lock_cycle(),
    |evidence| evidence.lock_at_end(),
];

/// The likely mistake.
pub(super) fn find(evidence: &Evidence<'_>, classified: &Classification) -> Mistake {
    let found = RULES.iter().find_map(|rule| rule(evidence));
    found.unwrap_or_else(|| Mistake {
        kind: by_class(classified.kind),
        cause: classified.cause.clone(),
        help: classified.help.clone(),
        source: evidence.chain.last().and_then(|wait| wait.source.clone()),
    })
}

/// The mistake that a class of deadlocks implies by itself.
fn by_class(kind: DeadlockKind) -> MistakeKind {
    match kind {
        DeadlockKind::LockCycle => MistakeKind::LockOrder,
        DeadlockKind::NeverReleasedLock => MistakeKind::LockNeverReleased,
        DeadlockKind::FifoTooShallow => MistakeKind::FifoTooShallow,
        DeadlockKind::Arbiter => MistakeKind::PacketPathShared,
        DeadlockKind::CircularWait => MistakeKind::StreamOrder,
        DeadlockKind::MissingTransfer => MistakeKind::TransferMissing,
        DeadlockKind::UnroutedStream => MistakeKind::FlowMissing,
        DeadlockKind::UnroutedPacket => MistakeKind::PacketId,
        DeadlockKind::TokenCount => MistakeKind::ExtraWait,
        DeadlockKind::BarrierOrder => MistakeKind::BarrierOrder,
        DeadlockKind::BarrierCount => MistakeKind::BarrierCount,
        DeadlockKind::Poll => MistakeKind::Poll,
        DeadlockKind::NotRunning => MistakeKind::NotRunning,
        DeadlockKind::Cascade => MistakeKind::CascadeCount,
        DeadlockKind::Other => MistakeKind::Other,
    }
}

/// `line N`, or the whole place if it isn't one.
fn line(source: &str) -> String {
    let mut parts = source.rsplit(':').skip(1);
    match parts.next().filter(|line| line.parse::<u32>().is_ok()) {
        Some(line) => format!("line {line}"),
        None => source.to_string(),
    }
}

fn at_line(source: Option<&String>) -> String {
    source.map_or(String::new(), |source| format!(" ({})", line(source)))
}

fn objects(count: u64) -> String {
    match count {
        1 => "1 object".to_string(),
        n => format!("{n} objects"),
    }
}
