//! Hazards as diagnostics: what a design does at its own risk.

use aiec_diag::{Diag, SourceMap};
use aiec_sim::SimResult;
use aiec_sim::array::Hazard;
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
    let diag = Diag::warning(&codes::HAZARD, message)
        .help("wait for the token of the first task before the second is set up or started");
    let source = hazard_source(hazard, &result.machine, result.debug.as_ref());
    match source.and_then(|source| span_of(&source, sources)) {
        Some(span) => diag.label(Some(span), "among the register writes that begin here"),
        None => diag,
    }
}
