//! The likely cause of a deadlock, from the end of the chain of waits or from its cycle.

use aiec_diag::named_enum;

use super::job_wait::{JobWait, JobWaitReason};
use super::names::DebugNames;
use super::wait_record::{NodeWaitReason, WaitRecord};
use aiec_device::LockId;

use crate::array::{ActorOrJob, LockChange, WaitReason};

named_enum! {
    /// Likely cause of a deadlock, as a word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DeadlockKind {
        /// Cores and channels wait for each other's locks.
        LockCycle => "lock-cycle",
        /// A lock that no running actor will release.
        NeverReleasedLock => "never-released-lock",
        /// A stream is blocked by a buffer that is only freed when the stream goes on.
        FifoTooShallow => "fifo-too-shallow",
        /// Packets of several flows block each other at an arbiter.
        Arbiter => "arbiter",
        /// Actors wait for each other's words.
        CircularWait => "circular-wait",
        /// Words are sent or wanted, and the transfer on the other side is missing.
        MissingTransfer => "missing-transfer",
        /// Circuit-switched words have no route.
        UnroutedStream => "unrouted-stream",
        /// No rule of a switch takes a packet.
        UnroutedPacket => "unrouted-packet",
        /// More tokens are awaited than sent.
        TokenCount => "token-count",
        /// Jobs meet at barriers in contradictory order.
        BarrierOrder => "barrier-order",
        /// Fewer come to a barrier than it is for.
        BarrierCount => "barrier-count",
        /// A register never gets the value that is polled for.
        Poll => "poll",
        /// A core or channel is in reset, was never enabled, or stopped.
        NotRunning => "not-running",
        /// A cascade leads nowhere, or its other end doesn't move.
        Cascade => "cascade",
        /// None of these.
        Other => "other",
    }
}

/// The kind of a deadlock, its cause and a way out in words.
pub(super) struct Classification {
    pub kind: DeadlockKind,
    pub cause: String,
    pub help: String,
}

fn classified(kind: DeadlockKind, cause: String, help: &str) -> Classification {
    let help = help.to_string();
    Classification { kind, cause, help }
}

/// Rank of a wait at the end of a chain as an explanation.
pub(super) fn rank(reason: &NodeWaitReason) -> u8 {
    match reason {
        NodeWaitReason::Actor(reason) => match reason {
            WaitReason::NoConnection
            | WaitReason::ShimMux
            | WaitReason::NoRule { .. }
            | WaitReason::NoMaster { .. }
            | WaitReason::Program
            | WaitReason::Stopped => super::chain::CERTAIN,
            WaitReason::Paused | WaitReason::TokenSpace | WaitReason::CountFifo => 4,
            WaitReason::CascadeData { .. } | WaitReason::CascadeSpace { .. } => 4,
            WaitReason::Lock { .. } | WaitReason::Task { pending: true } => 3,
            WaitReason::StreamSpace { .. } => 2,
            _ => 1,
        },
        NodeWaitReason::Job(wait) => match wait.reason {
            JobWaitReason::Poll { .. } | JobWaitReason::ExternalPoll { .. } => 2,
            _ => 3,
        },
    }
}

/// Likely cause and way out.
pub(super) fn classify(
    chain: &[WaitRecord],
    is_cycle: bool,
    names: &DebugNames<'_>,
) -> Classification {
    let Some(last) = chain.last() else {
        let cause = "nothing waits, but not all jobs have ended".into();
        let help = "report this: the simulator lost a job";
        return classified(DeadlockKind::Other, cause, help);
    };
    if is_cycle {
        return classify_cycle(chain);
    }
    if let Some((_, port)) = held_up_token(chain) {
        let cause = format!("a token waits at {} for {}", port.who, port.on());
        let help = "give tokens a way and arbiters of their own, apart from flows that can stall";
        return classified(DeadlockKind::Arbiter, cause, help);
    }
    match &last.reason {
        NodeWaitReason::Job(JobWait { reason, .. }) => classify_job(last, reason),
        NodeWaitReason::Actor(WaitReason::Task { pending: false }) => match chain {
            [.., before, _] if waits_for_tokens(before) => classify_tokens(before),
            _ => classify_actor(last, &WaitReason::Task { pending: false }, names),
        },
        NodeWaitReason::Actor(reason) => classify_actor(last, reason, names),
    }
}

/// The wait for tokens of a chain, and the one of the port at which a token of theirs is held up by
/// other packets.
pub(super) fn held_up_token(chain: &[WaitRecord]) -> Option<(&WaitRecord, &WaitRecord)> {
    let mut pairs = chain.windows(2).map(|pair| (&pair[0], &pair[1]));
    pairs.find(|(job, port)| {
        let shared = matches!(
            port.reason,
            NodeWaitReason::Actor(WaitReason::Arbiter { .. } | WaitReason::StreamSpace { .. })
        );
        let is_port = matches!(port.who, ActorOrJob::Actor(actor) if actor.is_slave_port());
        shared && is_port && waits_for_tokens(job)
    })
}

fn waits_for_tokens(wait: &WaitRecord) -> bool {
    matches!(
        &wait.reason,
        NodeWaitReason::Job(JobWait {
            reason: JobWaitReason::Tokens { .. },
            ..
        })
    )
}

fn classify_job(last: &WaitRecord, reason: &JobWaitReason) -> Classification {
    let who = last.named();
    match reason {
        JobWaitReason::Tokens { .. } => classify_tokens(last),
        JobWaitReason::LocalBarrier { participants, .. } => classified(
            DeadlockKind::BarrierCount,
            format!("{who}: fewer than {participants} jobs of the page come to the barrier"),
            "make the number of participants that of the jobs that use the barrier",
        ),
        JobWaitReason::RemoteBarrier { .. } => classified(
            DeadlockKind::BarrierCount,
            format!("{who}: a controller of the party mask never comes to the barrier"),
            "give each controller of the mask a job with that barrier, or take it out",
        ),
        JobWaitReason::SyncPoint => classified(
            DeadlockKind::BarrierCount,
            format!("{who}: a controller never comes to the synchronisation point"),
            "give all controllers as many LOAD_PDI, LOAD_CORES, PREEMPT and conditional jobs",
        ),
        JobWaitReason::Spin { .. } => classified(
            DeadlockKind::NeverReleasedLock,
            format!(
                "{who} waits for {}, which no other controller will release",
                last.on()
            ),
            "let as many controllers come as the acquire wants, or clear the lock before it is \
             used again",
        ),
        JobWaitReason::MergedTokens { .. } => classified(
            DeadlockKind::Other,
            format!("{who} waits for {}", last.on()),
            "let as many tasks of those columns issue a token as the operation waits for",
        ),
        JobWaitReason::Poll { .. } => classified(
            DeadlockKind::Poll,
            format!("{who}: the register never gets that value"),
            "check address, mask and value",
        ),
        JobWaitReason::ExternalPoll { .. } => classified(
            DeadlockKind::Poll,
            format!("{who}: the word never gets that value"),
            "check address, mask and value, and that the transfer that writes the word is started \
             before the poll",
        ),
        JobWaitReason::UcDma | JobWaitReason::UcDmaQueue | JobWaitReason::SubProgram { .. } => {
            classified(
                DeadlockKind::Other,
                format!("{who} waits for {}", last.on()),
                "see the list of all waits",
            )
        }
    }
}

fn classify_cycle(chain: &[WaitRecord]) -> Classification {
    let nodes: Vec<String> = chain.iter().map(WaitRecord::named).collect();
    let cause = format!("a cycle of waits: {} → {}", nodes.join(" → "), nodes[0]);
    let any = |test: &dyn Fn(&WaitReason) -> bool| {
        let holds = |wait: &WaitRecord| matches!(&wait.reason, NodeWaitReason::Actor(reason) if test(reason));
        chain.iter().any(holds)
    };
    let locks = any(&|c| matches!(c, WaitReason::Lock { .. }));
    let space = any(&|c| matches!(c, WaitReason::StreamSpace { .. }));
    let data = any(&|c| matches!(c, WaitReason::StreamData { .. }));
    let arbiter = any(&|c| matches!(c, WaitReason::Arbiter { .. }));
    let cascade = any(&|c| {
        matches!(
            c,
            WaitReason::CascadeData { .. } | WaitReason::CascadeSpace { .. }
        )
    });
    if arbiter {
        let help = "packets that share an arbiter wait for each other: give the flows ports of \
                    their own, or take every packet off the stream before it waits";
        return classified(DeadlockKind::Arbiter, cause, help);
    }
    match (locks, space) {
        (_, true) => classified(
            DeadlockKind::FifoTooShallow,
            cause,
            "give the fifo more depth, or let the core release what it holds before it waits: a \
             stream is blocked by a buffer that is only freed when the stream goes on",
        ),
        (true, false) => classified(
            DeadlockKind::LockCycle,
            cause,
            "acquire the locks in the same order everywhere, give the producer's lock its initial \
             value (the depth), or use more buffers",
        ),
        (false, false) if data || cascade => classified(
            DeadlockKind::CircularWait,
            cause,
            "let one side of the cycle send before it waits",
        ),
        (false, false) => classified(
            DeadlockKind::BarrierOrder,
            cause,
            "let all jobs and controllers come to the barriers in one order",
        ),
    }
}

fn classify_tokens(last: &WaitRecord) -> Classification {
    let cause = match last.by.first() {
        Some(sender) => format!(
            "{} waits for more tokens than {sender} sends: the channel is idle and all its tasks \
             are done",
            last.who
        ),
        None => format!("{} waits for tokens of an actor that no tile has", last.who),
    };
    let help = "start the task with a token (issue_token), wait once for each task, and use the \
                actor id of this target";
    classified(DeadlockKind::TokenCount, cause, help)
}

fn classify_actor(
    last: &WaitRecord,
    reason: &WaitReason,
    names: &DebugNames<'_>,
) -> Classification {
    let who = last.named();
    match reason {
        WaitReason::Lock {
            lock, value, last, ..
        } => {
            let name = names.lock(*lock).map(|r| format!(" '{}'", r.name));
            let name = name.unwrap_or_default();
            let changed = match last {
                None => "it was never changed".into(),
                Some(LockChange { by: None, at, .. }) => {
                    format!("only its initial value was written, in cycle {at}")
                }
                Some(LockChange {
                    by: Some(by), at, ..
                }) => format!("{by} changed it last, in cycle {at}"),
            };
            let LockId { tile, index } = lock;
            classified(
                DeadlockKind::NeverReleasedLock,
                format!(
                    "{who} waits for lock {index}{name} of tile {tile}, which stays at {value}: \
                     no core or channel that could release it is running; {changed}"
                ),
                "check the lock's initial value, and that each acquire has its release; a core \
                 that has ended or was never enabled releases nothing",
            )
        }
        WaitReason::Task { pending: true } => classified(
            DeadlockKind::MissingTransfer,
            format!("words have arrived at {who}, but no task was started on it"),
            "start a transfer that takes them, or send less",
        ),
        WaitReason::Task { pending: false } => classified(
            DeadlockKind::MissingTransfer,
            format!("{who} has done all its tasks; the other end wants more"),
            "make the transfers of both sides equally long, or start another task",
        ),
        WaitReason::StreamData { from } => classified(
            DeadlockKind::MissingTransfer,
            match from.first() {
                Some(from) => format!("{who} waits for words of {from}, which sends none"),
                None => format!("{who} waits for words that are never sent"),
            },
            "start the sender, or make the transfers of both sides equally long",
        ),
        WaitReason::StreamSpace { .. } => classified(
            DeadlockKind::MissingTransfer,
            format!("{who} cannot send: the words are never taken"),
            "start the receiver, or make the transfers of both sides equally long",
        ),
        WaitReason::NoConnection | WaitReason::ShimMux => classified(
            DeadlockKind::UnroutedStream,
            format!("the words of {who} have no way to go: it wants {reason}"),
            "route the flow",
        ),
        WaitReason::NoRule { .. } | WaitReason::NoMaster { .. } => classified(
            DeadlockKind::UnroutedPacket,
            format!("the words of {who} have no way to go: it wants {reason}"),
            "route the flow of this packet id, or check packet ids and masks",
        ),
        WaitReason::Program => classified(
            DeadlockKind::NotRunning,
            format!("{who} waits for {reason}"),
            "load the program before the core is enabled, or reset and enable it afterwards",
        ),
        WaitReason::Paused
        | WaitReason::Stopped
        | WaitReason::CountFifo
        | WaitReason::TokenSpace => classified(
            DeadlockKind::NotRunning,
            format!("{who} waits for {reason}"),
            "enable the core, release the reset or pause, read the counts, or route the tokens",
        ),
        WaitReason::CascadeData { .. } | WaitReason::CascadeSpace { .. } => classified(
            DeadlockKind::Cascade,
            format!("{who} waits for {reason}, and the other side doesn't move"),
            "let both cores of the cascade pass the same number of transfers, and configure the \
             cascade on both sides",
        ),
        WaitReason::Arbiter { .. } => classified(
            DeadlockKind::Arbiter,
            format!("{who} waits for {reason}"),
            "let the packet that holds the arbiter end (TLAST), or give the flows ports of their \
             own",
        ),
    }
}
