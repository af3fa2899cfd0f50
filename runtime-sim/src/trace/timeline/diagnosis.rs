//! The end of a run: the waits that are open then, and why, in words.

use std::collections::BTreeMap;

use super::{ActorKind, ActorOrJob, Builder, DiagnosisLine, SpanState, TrackSubject};
use crate::array::WaitReason;
use crate::diagnosis::{NodeWaitReason, WaitRecord, waits};
use crate::run::{SimResult, Status};

/// Hazards of one kind that are written; of more, their number.
const MAX_HAZARDS: usize = 5;

impl Builder<'_> {
    /// Draws the waits that are open at the end of the run up to there, with their reasons.
    pub(super) fn end_in_waits(&mut self, result: &SimResult) {
        let now;
        let waits = match &result.status {
            // nothing is left to do
            Status::Completed => return,
            Status::Deadlock(deadlock) => &deadlock.all,
            Status::Limit(limit) => &limit.waiting,
            _ => {
                now = waits(&result.machine, &result.array, result.debug.as_ref());
                &now
            }
        };
        for wait in waits {
            let Some(state) = state_of(wait) else {
                continue;
            };
            let depth = match wait.who {
                ActorOrJob::Actor(actor) if matches!(actor.kind(), ActorKind::Channel(_)) => 2,
                _ => 0,
            };
            let text = self.names.wait_record(wait);
            let row = self.rows.of(wait.who.into());
            row.open_wait(depth, wait.since, state, text);
        }
    }
}

/// State as which a wait is drawn; `None` when nothing is left to do.
fn state_of(wait: &WaitRecord) -> Option<SpanState> {
    let NodeWaitReason::Actor(reason) = &wait.reason else {
        return Some(SpanState::Wait);
    };
    match reason {
        WaitReason::Task { pending: false } => None,
        WaitReason::Lock { .. } => Some(SpanState::Lock),
        WaitReason::StreamData { .. } | WaitReason::StreamSpace { .. } => Some(SpanState::Stream),
        _ => Some(SpanState::Wait),
    }
}

/// Why the run ended as it did, then its hazards.
pub(super) fn lines(
    result: &SimResult,
    tracks: &BTreeMap<TrackSubject, usize>,
) -> Vec<DiagnosisLine> {
    let mut lines = end(result, tracks);
    if let Some(found) = &result.races {
        lines.extend(first_of(found.races.iter(), "races"));
        lines.extend(first_of(found.unwritten.iter(), "reads"));
    }
    lines.extend(first_of(result.leftovers.iter(), "leftovers"));
    lines
}

fn line(text: String) -> DiagnosisLine {
    DiagnosisLine { text, track: None }
}

fn end(result: &SimResult, tracks: &BTreeMap<TrackSubject, usize>) -> Vec<DiagnosisLine> {
    match &result.status {
        Status::Completed | Status::Stopped(_) => Vec::new(),
        Status::Deadlock(deadlock) => {
            let story = deadlock.story.iter().map(|text| {
                // A line of a wait begins with the wait's number in the chain.
                let number = text.split_once(". ").and_then(|(n, _)| n.parse().ok());
                let wait = number.and_then(|n: usize| deadlock.chain.get(n.checked_sub(1)?));
                DiagnosisLine {
                    text: text.clone(),
                    track: wait.and_then(|wait| tracks.get(&wait.who.into()).copied()),
                }
            });
            story
                .chain([line(format!("help: {}", deadlock.mistake.help))])
                .collect()
        }
        Status::Fault(fault) => vec![line(fault.to_string())],
        Status::Limit(limit) => vec![line(limit.to_string())],
    }
}

/// The first of many, and how many more there are.
fn first_of<T: ToString>(all: impl ExactSizeIterator<Item = T>, what: &str) -> Vec<DiagnosisLine> {
    let more = all.len().saturating_sub(MAX_HAZARDS);
    let mut lines: Vec<_> = all
        .take(MAX_HAZARDS)
        .map(|hazard| line(hazard.to_string()))
        .collect();
    if more > 0 {
        lines.push(line(format!("{more} more {what}")));
    }
    lines
}
