//! Hazards as diagnostics, what a design does at its own risk, and what a completed run left unfinished.

use aiec_diag::{Diag, SourceMap};
use aiec_sim::SimResult;
use aiec_sim::array::{Hazard, ThreadName};
use aiec_sim::diagnosis::{LeftoverReport, hazard_source};

use super::span_of;
use crate::codes;

/// The hazards of a run, each kind and place once. The line is that of the instruction of the control code; a chain of
/// register writes has the line of the first operation that it is for.
pub fn findings(result: &SimResult, sources: &SourceMap) -> Vec<Diag> {
    let hazards = result.array.hazards();
    hazards
        .map(|hazard| hazard_finding(hazard, result, sources))
        .collect()
}

fn hazard_finding(hazard: &Hazard, result: &SimResult, sources: &SourceMap) -> Diag {
    let times = match hazard.times {
        1 => String::new(),
        n => format!(", {n} times"),
    };
    let message = format!("{}, first in cycle {}{times}", hazard.kind, hazard.at);
    let source = hazard_source(hazard, &result.machine, result.debug.as_ref());
    let span = span_of(source.as_deref(), sources);
    let label = match hazard.writer {
        Some((ThreadName::Chains(_), _)) => "among the register writes that begin here",
        _ => "by this register write",
    };
    Diag::warning(&codes::HAZARD, message)
        .help(hazard.kind.way_out())
        .label(span, label)
}

/// The finding for what a completed run left unfinished, each at the line of what it is about.
pub fn near_miss(leftovers: &[LeftoverReport], sources: &SourceMap) -> Option<Diag> {
    let span = |left: &LeftoverReport| span_of(left.source.as_deref(), sources);
    // The place of the finding is that of what its message says.
    let placed = leftovers.iter().position(|left| span(left).is_some());
    let main = placed.unwrap_or(0);
    let first = leftovers.get(main)?;
    let others = leftovers[..main].iter().chain(&leftovers[main + 1..]);
    let message = match span(first) {
        Some(_) => format!("the run completed, but {}", first.what),
        None => format!("the run completed, but {first}"),
    };
    let mut diag = Diag::warning(&codes::NEAR_MISS, message)
        .help("await each token, and make transfers of both sides equally long")
        .label(span(first), "declared here");
    for left in others {
        diag = match span(left) {
            Some(span) if diag.labels.len() < MAX_LABELS => diag.label(span, left.what.clone()),
            _ => diag.remark(left.to_string()),
        };
    }
    Some(diag)
}

/// Things left unfinished that are shown in the text of the design; further ones are remarks.
const MAX_LABELS: usize = 8;
