//! Races and reads of unwritten memory as diagnostics.

use aiec_diag::{Diag, SourceMap};
use aiec_sim::SimResult;
use aiec_sim::diagnosis::{
    AccessReport, NotAcquiredReport, OutsideReport, RaceReport, UnwrittenReport,
};

use super::span_of;
use crate::codes;

/// Findings of a sort that are reported one by one; the report has all.
const MOST: usize = 8;

/// Whether the run has races.
pub fn any(result: &SimResult) -> bool {
    let races = result.races.as_ref();
    races.is_some_and(|found| !found.races.is_empty())
}

/// Findings about the order of accesses.
pub fn findings(result: &SimResult, sources: &SourceMap) -> Vec<Diag> {
    let Some(found) = &result.races else {
        return Vec::new();
    };
    let races = found.races.iter().map(|race| race_finding(race, sources));
    let reads = found.unwritten.iter();
    let reads = reads.map(|read| unwritten_finding(read, sources));
    let mut all = first_of(races.collect(), "races");
    all.extend(first_of(reads.collect(), "reads of unwritten memory"));
    let outside = found.outside.iter();
    let outside = outside.map(|access| outside_finding(access, sources));
    all.extend(first_of(outside.collect(), "accesses outside of buffers"));
    let others = found.not_acquired.iter();
    let others = others.map(|access| not_acquired_finding(access, sources));
    all.extend(first_of(others.collect(), "accesses to objects"));
    all
}

fn first_of(mut all: Vec<Diag>, what: &str) -> Vec<Diag> {
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if let Some(last) = all.pop_if(|_| more > 0) {
        all.push(last.remark(format!("{more} more {what}; `--report` lists all")));
    }
    all
}

/// A diagnostic with an access as label and remark.
fn with_access(diag: Diag, access: &AccessReport, sources: &SourceMap) -> Diag {
    let span = span_of(access.source.as_deref(), sources);
    let verb = if access.writes { "writes" } else { "reads" };
    diag.label(span, format!("{verb} in cycle {}", access.at))
        .remark(access.details())
}

fn race_finding(race: &RaceReport, sources: &SourceMap) -> Diag {
    let diag = Diag::warning(&codes::RACE, race.to_string()).help(race.remedy.clone());
    let accesses = race.accesses.iter();
    let diag = accesses.fold(diag, |diag, access| with_access(diag, access, sources));
    let times = match race.times {
        1 => String::new(),
        n => format!(" ({n} times)"),
    };
    diag.remark(format!("{}{times}", race.this_run))
}

fn unwritten_finding(read: &UnwrittenReport, sources: &SourceMap) -> Diag {
    let diag = Diag::warning(&codes::UNWRITTEN, read.to_string());
    with_access(diag, &read.access, sources).help("write it first, or give it an initial value")
}

fn not_acquired_finding(found: &NotAcquiredReport, sources: &SourceMap) -> Diag {
    let diag = Diag::warning(&codes::NOT_ACQUIRED, found.to_string());
    with_access(diag, &found.access, sources).help(if found.is_released {
        "release the object after its last use"
    } else {
        "acquire the object before its first use, or check the index"
    })
}

fn outside_finding(found: &OutsideReport, sources: &SourceMap) -> Diag {
    let diag = Diag::warning(&codes::OUTSIDE, found.to_string());
    with_access(diag, &found.access, sources)
        .help("check the index and the bounds of the loops around it")
}
