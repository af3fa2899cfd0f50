//! Operands that are sound by themselves but not beside others.

use std::collections::HashMap;

use aiec_diag::Diag;

use super::codes;
use super::survey::{GroupSurvey, ProgramIndex};
use crate::finding::Finding;
use crate::isa::Op;
use crate::names::Target;

pub(super) fn check(survey: &ProgramIndex<'_>, columns: Option<u32>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        actors(group, findings);
        if let Some(columns) = columns {
            partition(survey, group, columns, findings);
        }
    }
}

/// Only one job of a page may wait for an actor at a time; jobs that a barrier keeps apart may
/// both do so, which is why this is a warning.
fn actors(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    for scope in &group.scopes {
        let mut waits = HashMap::new();
        for event in &scope.events {
            let (Op::WaitTcts { tile, actor, .. }, Some(page)) = (event.inst.op, scope.page(event))
            else {
                continue;
            };
            let first = *waits.entry((page, tile.0, actor.0)).or_insert(event);
            if first.job != event.job {
                let message = "another job of this page waits for the same actor";
                let diag = Diag::warning(&codes::ACTOR_SHARED, message)
                    .help("only one job at a time may wait for tokens of an actor");
                let finding = scope.finding(event, diag);
                findings.push(finding.with(first.inst.source, "the other wait"));
            }
        }
    }
}

/// Controllers and tiles lie in the partition that the text declares.
fn partition(
    survey: &ProgramIndex<'_>,
    group: &GroupSurvey<'_>,
    columns: u32,
    findings: &mut Vec<Finding>,
) {
    let controllers = match survey.program.target {
        Target::Aie2ps => columns,
        Target::Aie4 => columns.saturating_mul(2),
    };
    let uc = group.group.uc;
    if uc >= controllers
        && let Some((scope, job)) = group
            .scopes
            .iter()
            .find_map(|scope| Some((scope, scope.jobs.first()?)))
    {
        let place = scope.place(Some(job.job), None);
        findings.push(Finding::new(place, outside("controller", uc, columns)));
    }
    for scope in &group.scopes {
        for event in &scope.events {
            if let Op::WaitTcts { tile, .. } = event.inst.op
                && u32::from(tile.column()) >= columns
            {
                let diag = outside("column", u32::from(tile.column()), columns);
                findings.push(scope.finding(event, diag));
            }
        }
    }
}

fn outside(what: &str, number: u32, columns: u32) -> Diag {
    let message = format!("{what} {number} is outside of the partition of {columns} columns");
    Diag::warning(&codes::OUTSIDE_PARTITION, message)
        .help("columns are counted from the partition's first: see .partition")
}
