//! The waits that explain a deadlock as a story: one numbered line for each.

use super::job_wait::{JobWait, JobWaitReason};
use super::mistake::Mistake;
use super::names::DebugNames;
use super::wait_record::{NodeWaitReason, WaitRecord};
use crate::array::{ActorKind, ActorOrJob, WaitReason};

/// Waits that are reported; of longer chains those in the middle are left out.
const MAX_WAITS: usize = 10;

/// The story, 12 lines at most; its last line is the likely mistake.
pub(super) fn tell(
    chain: &[WaitRecord],
    is_cycle: bool,
    mistake: &Mistake,
    names: &DebugNames<'_>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let cut = chain.len() > MAX_WAITS;
    let (head, tail) = if cut {
        (MAX_WAITS / 2, MAX_WAITS - MAX_WAITS / 2 - 1)
    } else {
        (chain.len(), 0)
    };
    for (at, wait) in chain.iter().enumerate() {
        if at == head && cut {
            let left_out = chain.len() - head - tail;
            lines.push(format!("… {left_out} more waits, one for the next"));
        }
        if at >= head && at < chain.len() - tail {
            continue;
        }
        lines.push(format!("{}. {}", at + 1, hop(wait, names)));
    }
    if is_cycle && chain.len() > 1 {
        lines.push(format!("that is {} again, number 1", chain[0].named()));
    }
    lines.push(format!("likely mistake: {}", mistake.cause));
    lines
}

/// One wait of a chain: the waiting actor, the awaited event, the actor that could end it, and
/// where.
fn hop(wait: &WaitRecord, names: &DebugNames<'_>) -> String {
    let place = wait.place();
    let place = place.map_or(String::new(), |source| format!(" [{source}]"));
    format!("{} {}{place}", wait.named(), wait_words(wait, names))
}

/// The awaited event, and the actor that could end the wait.
pub(crate) fn wait_words(wait: &WaitRecord, names: &DebugNames<'_>) -> String {
    let what = match &wait.reason {
        NodeWaitReason::Job(JobWait { reason, .. }) => match reason {
            JobWaitReason::Tokens { need, .. } => {
                let from = givers(wait, names);
                format!("for {need} token(s){from}")
            }
            reason => format!("for {reason}"),
        },
        NodeWaitReason::Actor(reason) => actor_wait(wait, reason, names),
    };
    format!("waits {what}")
}

fn actor_wait(wait: &WaitRecord, reason: &WaitReason, names: &DebugNames<'_>) -> String {
    let from = givers(wait, names);
    match reason {
        WaitReason::Lock {
            lock, need, value, ..
        } => {
            let resource = names.lock(*lock);
            let part = resource.and_then(|resource| resource.fifo.as_ref());
            let is_sender = |actor: &crate::array::ActorId| matches!(actor.kind(), ActorKind::Channel(id) if id.dir == aiec_device::DmaDir::Mm2s);
            match (part, wait.who) {
                (Some(part), ActorOrJob::Actor(actor)) => {
                    let wants_object = match &wait.operation {
                        Some(operation) => operation.contains("Consume"),
                        None => is_sender(&actor),
                    };
                    let what = if wants_object {
                        "an object of"
                    } else {
                        "room in"
                    };
                    let doing = wait.operation.as_ref();
                    let doing = doing.map_or(String::new(), |what| format!("in {what} "));
                    format!("{doing}for {what} @{}{from}", part.fifo)
                }
                _ => {
                    let (sign, n) = match need {
                        crate::array::LockNeed::AtLeast(n) => ("≥", n),
                        crate::array::LockNeed::Equal(n) => ("=", n),
                    };
                    let name = match resource {
                        Some(resource) => format!("lock '{}'", resource.name),
                        None => lock.to_string(),
                    };
                    format!("for {name} {sign} {n}, which is {value}{from}")
                }
            }
        }
        WaitReason::StreamData { .. } => format!("for words{from}"),
        WaitReason::StreamSpace { .. } => format!("for room in its stream{from}"),
        WaitReason::Task { pending: true } => {
            "for a task, with words at its input: it was given none for them".to_string()
        }
        WaitReason::Task { pending: false } => {
            "for a task: it has done all it was given".to_string()
        }
        reason => format!("for {reason}"),
    }
}

/// Who could end a wait, in words.
fn givers(wait: &WaitRecord, names: &DebugNames<'_>) -> String {
    let name = |who: &ActorOrJob| match who {
        ActorOrJob::Actor(actor) => names.with_name(*actor),
        other => other.to_string(),
    };
    match &wait.by[..] {
        [] => String::new(),
        [one] => format!(" from {}", name(one)),
        [one, rest @ ..] => format!(" from {} or {} more", name(one), rest.len()),
    }
}
