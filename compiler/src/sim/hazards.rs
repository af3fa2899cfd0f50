//! Hazards as diagnostics: what a design does at its own risk.

use aiec_diag::{Diag, SourceMap};
use aiec_sim::SimResult;
use aiec_sim::array::{Hazard, ThreadName};
use aiec_sim::diagnosis::hazard_source;

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
    let span = source.and_then(|source| span_of(&source, sources));
    let label = match hazard.writer {
        Some((ThreadName::Chains(_), _)) => "among the register writes that begin here",
        _ => "by this register write",
    };
    Diag::warning(&codes::HAZARD, message)
        .help(hazard.kind.way_out())
        .label(span, label)
}
