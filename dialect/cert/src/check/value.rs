//! Operands that are sound by themselves but not beside others.

use std::collections::HashMap;

use super::finding::{Finding, FindingKind};
use super::survey::{GroupSurvey, Survey};
use crate::isa::Op;
use crate::names::Target;

pub(super) fn check(survey: &Survey<'_>, columns: Option<u32>, findings: &mut Vec<Finding>) {
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
                let finding = scope.finding(event, FindingKind::ActorShared);
                findings.push(finding.with(first.inst.source, "the other wait"));
            }
        }
    }
}

/// Controllers and tiles lie in the partition that the text declares.
fn partition(
    survey: &Survey<'_>,
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
        let kind = FindingKind::Outside {
            what: "controller",
            number: uc,
            columns,
        };
        findings.push(Finding::new(scope.place(Some(job.job), None), kind));
    }
    for scope in &group.scopes {
        for event in &scope.events {
            if let Op::WaitTcts { tile, .. } = event.inst.op
                && u32::from(tile.column()) >= columns
            {
                let kind = FindingKind::Outside {
                    what: "column",
                    number: u32::from(tile.column()),
                    columns,
                };
                findings.push(scope.finding(event, kind));
            }
        }
    }
}
