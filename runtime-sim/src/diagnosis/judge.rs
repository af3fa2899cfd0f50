//! The likely cause of a deadlock, from the end of the chain of waits or from its cycle.

use std::collections::BTreeMap;
use std::fmt;

use super::names::Names;
use super::{Fact, Node, Waiting};
use crate::array::{Cause, Party};
use crate::cert::Block;

/// Likely cause of a deadlock, as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Cores and channels hold locks crosswise.
    LockCycle,
    /// A lock that nobody who runs will release.
    NeverReleasedLock,
    /// A stream is blocked by a buffer that is only freed when the stream goes on.
    FifoTooShallow,
    /// Packets of several flows hold up each other at an arbiter.
    Arbiter,
    /// Parts wait for each other's words.
    CircularWait,
    /// Words are sent or wanted, and the transfer on the other side is missing.
    MissingTransfer,
    /// Circuit-switched words have no way to go.
    UnroutedStream,
    /// No rule of a switch takes a packet.
    UnroutedPacket,
    /// More tokens are awaited than sent.
    TokenCount,
    /// Jobs meet at barriers in contradictory order.
    BarrierOrder,
    /// Fewer come to a barrier than it is for.
    BarrierCount,
    /// A register never gets the value that is polled for.
    Poll,
    /// A core or channel is held, was never enabled, or stopped.
    NotRunning,
    /// A cascade leads nowhere, or its other end doesn't move.
    Cascade,
    /// None of these.
    Other,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 15] = [
        Kind::LockCycle,
        Kind::NeverReleasedLock,
        Kind::FifoTooShallow,
        Kind::Arbiter,
        Kind::CircularWait,
        Kind::MissingTransfer,
        Kind::UnroutedStream,
        Kind::UnroutedPacket,
        Kind::TokenCount,
        Kind::BarrierOrder,
        Kind::BarrierCount,
        Kind::Poll,
        Kind::NotRunning,
        Kind::Cascade,
        Kind::Other,
    ];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::LockCycle => "lock-cycle",
            Kind::NeverReleasedLock => "never-released-lock",
            Kind::FifoTooShallow => "fifo-too-shallow",
            Kind::Arbiter => "arbiter",
            Kind::CircularWait => "circular-wait",
            Kind::MissingTransfer => "missing-transfer",
            Kind::UnroutedStream => "unrouted-stream",
            Kind::UnroutedPacket => "unrouted-packet",
            Kind::TokenCount => "token-count",
            Kind::BarrierOrder => "barrier-order",
            Kind::BarrierCount => "barrier-count",
            Kind::Poll => "poll",
            Kind::NotRunning => "not-running",
            Kind::Cascade => "cascade",
            Kind::Other => "other",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A judgement: sort of cause, cause and way out in words.
pub(super) struct Verdict {
    pub kind: Kind,
    pub cause: String,
    pub help: String,
}

fn verdict(kind: Kind, cause: String, help: &str) -> Verdict {
    let help = help.to_string();
    Verdict { kind, cause, help }
}

/// How much a wait at the end of a chain explains.
pub(super) fn rank(fact: Option<&Fact>) -> u8 {
    match fact {
        Some(Fact::Part(cause)) => match cause {
            Cause::NoConnection
            | Cause::ShimMux
            | Cause::NoRule { .. }
            | Cause::NoMaster { .. }
            | Cause::Stopped => super::walk::CERTAIN,
            Cause::Held | Cause::TokenRoom | Cause::CountFifo => 4,
            Cause::CascadeData { .. } | Cause::CascadeSpace { .. } => 4,
            Cause::Lock { .. } | Cause::Task { pending: true } => 3,
            Cause::StreamSpace { .. } => 2,
            _ => 1,
        },
        Some(Fact::Job(Block::Poll { .. })) => 2,
        Some(Fact::Job(_)) => 3,
        None => 0,
    }
}

/// Likely cause and way out.
pub(super) fn judge(
    chain: &[Waiting],
    is_cycle: bool,
    facts: &BTreeMap<Node, Fact>,
    names: &Names<'_>,
) -> Verdict {
    let Some(last) = chain.last() else {
        let cause = "nothing waits, but not all jobs have ended".into();
        return verdict(Kind::Other, cause, "report this: the simulator lost a job");
    };
    if is_cycle {
        return judge_cycle(chain, facts);
    }
    let who = display(last);
    match facts.get(&last.who) {
        Some(Fact::Job(Block::Tokens { .. })) => judge_tokens(last),
        Some(Fact::Job(Block::LocalBarrier { participants, .. })) => verdict(
            Kind::BarrierCount,
            format!("{who}: fewer than {participants} jobs of the page come to the barrier"),
            "make the number of participants that of the jobs that use the barrier",
        ),
        Some(Fact::Job(Block::RemoteBarrier { .. })) => verdict(
            Kind::BarrierCount,
            format!("{who}: a controller of the party mask never comes to the barrier"),
            "give each controller of the mask a job with that barrier, or take it out",
        ),
        Some(Fact::Job(Block::Meeting)) => verdict(
            Kind::BarrierCount,
            format!("{who}: a controller never comes to the meeting point"),
            "give all controllers as many LOAD_PDI, LOAD_CORES, PREEMPT and conditional jobs",
        ),
        Some(Fact::Job(Block::Spin { .. })) => verdict(
            Kind::NeverReleasedLock,
            format!(
                "{who} waits for {}, which nobody else will release",
                last.on
            ),
            "let as many controllers come as the acquire wants, or clear the lock before it is \
             used again",
        ),
        Some(Fact::Job(Block::Poll { .. })) => verdict(
            Kind::Poll,
            format!("{who}: the register never gets that value"),
            "check address, mask and value",
        ),
        Some(Fact::Part(Cause::Task { pending: false })) if awaited_by_job(chain, facts) => {
            judge_tokens(&chain[chain.len() - 2])
        }
        Some(Fact::Part(cause)) => judge_part(last, cause, names),
        Some(Fact::Job(_)) | None => verdict(
            Kind::Other,
            format!("{who} waits for {}", last.on),
            "see the list of all waits",
        ),
    }
}

/// The wait before the last is a job's, for tokens.
fn awaited_by_job(chain: &[Waiting], facts: &BTreeMap<Node, Fact>) -> bool {
    let before = chain.len().checked_sub(2).map(|at| &chain[at]);
    let fact = before.and_then(|waiting| facts.get(&waiting.who));
    matches!(fact, Some(Fact::Job(Block::Tokens { .. })))
}

fn display(waiting: &Waiting) -> String {
    match &waiting.name {
        Some(name) => format!("{} '{name}'", waiting.who),
        None => waiting.who.to_string(),
    }
}

fn judge_cycle(chain: &[Waiting], facts: &BTreeMap<Node, Fact>) -> Verdict {
    let parties: Vec<String> = chain.iter().map(display).collect();
    let cause = format!("a cycle of waits: {} → {}", parties.join(" → "), parties[0]);
    let any = |test: &dyn Fn(&Cause) -> bool| {
        let part = |fact: &Fact| matches!(fact, Fact::Part(cause) if test(cause));
        chain.iter().any(|w| facts.get(&w.who).is_some_and(part))
    };
    let locks = any(&|c| matches!(c, Cause::Lock { .. }));
    let space = any(&|c| matches!(c, Cause::StreamSpace { .. }));
    let data = any(&|c| matches!(c, Cause::StreamData { .. }));
    let arbiter = any(&|c| matches!(c, Cause::Arbiter { .. }));
    let cascade = any(&|c| matches!(c, Cause::CascadeData { .. } | Cause::CascadeSpace { .. }));
    if arbiter {
        let help = "packets that share an arbiter wait for each other: give the flows ports of \
                    their own, or take every packet off the stream before it waits";
        return verdict(Kind::Arbiter, cause, help);
    }
    match (locks, space) {
        (_, true) => verdict(
            Kind::FifoTooShallow,
            cause,
            "give the fifo more depth, or let the core release what it holds before it waits: a \
             stream is blocked by a buffer that is only freed when the stream goes on",
        ),
        (true, false) => verdict(
            Kind::LockCycle,
            cause,
            "acquire the locks in the same order everywhere, give the producer's lock its initial \
             value (the depth), or use more buffers",
        ),
        (false, false) if data || cascade => verdict(
            Kind::CircularWait,
            cause,
            "let one side of the cycle send before it waits",
        ),
        (false, false) => verdict(
            Kind::BarrierOrder,
            cause,
            "let all jobs and controllers come to the barriers in one order",
        ),
    }
}

fn judge_tokens(last: &Waiting) -> Verdict {
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
    verdict(Kind::TokenCount, cause, help)
}

fn judge_part(last: &Waiting, cause: &Cause, names: &Names<'_>) -> Verdict {
    let who = display(last);
    match cause {
        Cause::Lock {
            owner,
            lock,
            value,
            last,
            ..
        } => {
            let name = names.lock(*owner, *lock).map(|r| format!(" '{}'", r.name));
            let name = name.unwrap_or_default();
            let touched = match last {
                None => "nobody has ever changed it".into(),
                Some(touch) if touch.by == Party::Bus => {
                    format!("only its initial value was written, in cycle {}", touch.at)
                }
                Some(touch) => format!("{} changed it last, in cycle {}", touch.by, touch.at),
            };
            verdict(
                Kind::NeverReleasedLock,
                format!(
                    "{who} waits for lock {lock}{name} of tile {owner}, which stays at {value}: \
                     nobody who could release it is running; {touched}"
                ),
                "check the lock's initial value, and that each acquire has its release; a core \
                 that has ended or was never enabled releases nothing",
            )
        }
        Cause::Task { pending: true } => verdict(
            Kind::MissingTransfer,
            format!("words stand at {who}, but no task was started on it"),
            "start a transfer that takes them, or send less",
        ),
        Cause::Task { pending: false } => verdict(
            Kind::MissingTransfer,
            format!("{who} has done all its tasks; whoever waits for it wants more"),
            "make the transfers of both sides equally long, or start another task",
        ),
        Cause::StreamData { from } => verdict(
            Kind::MissingTransfer,
            match from.first() {
                Some(from) => format!("{who} waits for words of {from}, which sends none"),
                None => format!("{who} waits for words that nobody sends"),
            },
            "start the sender, or make the transfers of both sides equally long",
        ),
        Cause::StreamSpace { .. } => verdict(
            Kind::MissingTransfer,
            format!("{who} cannot send: nobody takes the words"),
            "start the receiver, or make the transfers of both sides equally long",
        ),
        Cause::NoConnection | Cause::ShimMux => verdict(
            Kind::UnroutedStream,
            format!("the words of {who} have no way to go: it wants {cause}"),
            "route the flow",
        ),
        Cause::NoRule { .. } | Cause::NoMaster { .. } => verdict(
            Kind::UnroutedPacket,
            format!("the words of {who} have no way to go: it wants {cause}"),
            "route the flow of this packet id, or check packet ids and masks",
        ),
        Cause::Held | Cause::Stopped | Cause::CountFifo | Cause::TokenRoom => verdict(
            Kind::NotRunning,
            format!("{who} waits for {cause}"),
            "enable the core, release the reset or pause, read the counts, or route the tokens",
        ),
        Cause::CascadeData { .. } | Cause::CascadeSpace { .. } => verdict(
            Kind::Cascade,
            format!("{who} waits for {cause}, and the other side doesn't move"),
            "let both cores of the cascade pass the same number of transfers, and configure the \
             cascade on both sides",
        ),
        Cause::Arbiter { .. } => verdict(
            Kind::Arbiter,
            format!("{who} waits for {cause}"),
            "let the packet that holds the arbiter end (TLAST), or give the flows ports of their \
             own",
        ),
    }
}
