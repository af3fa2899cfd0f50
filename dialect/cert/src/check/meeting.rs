//! Points where all controllers meet: LOAD_PDI, LOAD_CORES and PREEMPT.

use std::collections::HashMap;

use aiec_diag::Diag;

use super::codes;
use super::survey::{Event, GroupSurvey, ProgramIndex, ScopeSurvey};
use crate::finding::Finding;
use crate::isa::Op;
use crate::program::ScopeId;

pub(super) fn check(survey: &ProgramIndex<'_>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        load_ids(group, findings);
        group.scopes.iter().for_each(|scope| alone(scope, findings));
    }
    let with_code: Vec<&GroupSurvey<'_>> = survey
        .groups
        .iter()
        .filter(|group| group.scopes.iter().any(|scope| !scope.jobs.is_empty()))
        .collect();
    let Some((first, others)) = with_code.split_first() else {
        return;
    };
    for other in others {
        for (what, is) in SORTS {
            compare(first, other, what, *is, findings);
        }
    }
}

type Is = fn(&Event<'_>) -> bool;

const SORTS: &[(&str, Is)] = &[
    ("LOAD_PDI", |e| matches!(e.inst.op, Op::LoadPdi { .. })),
    ("LOAD_CORES", |e| matches!(e.inst.op, Op::LoadCores { .. })),
    ("PREEMPT", |e| matches!(e.inst.op, Op::Preempt { .. })),
];

/// Compares the numbers of loads and preemption points of the main programs; scopes that they run
/// may differ.
fn compare(
    first: &GroupSurvey<'_>,
    other: &GroupSurvey<'_>,
    what: &'static str,
    is: Is,
    findings: &mut Vec<Finding>,
) {
    let (Some(main), Some(other_main)) = (first.main(), other.main()) else {
        return;
    };
    let here: Vec<_> = other_main.events.iter().filter(|e| is(e)).collect();
    let there: Vec<_> = main.events.iter().filter(|e| is(e)).collect();
    if here.len() != there.len() {
        let message = format!(
            "controller {} runs {} {what}, controller {} runs {}",
            other.group.uc,
            here.len(),
            first.group.uc,
            there.len()
        );
        let diag = Diag::error(&codes::MEETING, message)
            .help("all controllers meet there, so each needs equally many");
        // the first that has no partner
        let extra = here
            .get(there.len())
            .map(|event| other_main.finding(event, diag.clone()));
        let missing = || there.get(here.len()).map(|event| main.finding(event, diag));
        findings.extend(extra.or_else(missing));
        return;
    }
    for (number, (a, b)) in here.iter().zip(&there).enumerate() {
        if let (Op::Preempt { id: here, .. }, Op::Preempt { id: there, .. }) =
            (a.inst.op, b.inst.op)
            && here != there
        {
            let message = format!(
                "preemption point {} of controller {} has id {here}, on controller {} it is {there}",
                number + 1,
                other.group.uc,
                first.group.uc
            );
            let diag = Diag::error(&codes::MEETING, message)
                .help("all controllers meet there: give the point one id");
            let finding = other_main.finding(a, diag);
            findings.push(finding.with(b.inst.source, "the other one"));
        }
    }
}

/// LOAD_PDI and PREEMPT end all other work of the controller, so each needs a job and a page of its
/// own.
fn alone(scope: &ScopeSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut jobs_on: HashMap<usize, usize> = HashMap::new();
    for page in scope.jobs.iter().filter_map(|job| job.page) {
        *jobs_on.entry(page).or_default() += 1;
    }
    for event in &scope.events {
        let what = match event.inst.op {
            Op::LoadPdi { .. } => "LOAD_PDI",
            Op::Preempt { .. } => "PREEMPT",
            _ => continue,
        };
        let Some(job) = scope.jobs.get(event.job) else {
            continue;
        };
        let others = job.job.insts().count() - 1;
        let neighbours = job
            .page
            .and_then(|page| jobs_on.get(&page))
            .map_or(0, |n| n - 1);
        let (message, help) = match (others, neighbours) {
            (0, 0) => continue,
            (0, n) => (
                format!("{what} shares its page with {n} other job{}", plural(n)),
                "put .eop before its job and after it",
            ),
            (n, _) => (
                format!(
                    "{what} shares its job with {n} other instruction{}",
                    plural(n)
                ),
                "give it a job of its own, on a page of its own",
            ),
        };
        let diag = Diag::warning(&codes::NOT_ALONE, message).help(help);
        findings.push(scope.finding(event, diag));
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// One id must name one scope: the controller recognises by the id alone that a scope is loaded.
fn load_ids(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut known: HashMap<(bool, u32), (ScopeId, &Event<'_>)> = HashMap::new();
    for scope in &group.scopes {
        for event in &scope.events {
            let (key, target) = match event.inst.op {
                Op::LoadPdi { pdi_id, scope } => ((true, pdi_id), scope),
                Op::LoadCores { core_elf_id, scope } => ((false, core_elf_id), scope),
                _ => continue,
            };
            let (other, first) = *known.entry(key).or_insert((target, event));
            if other != target {
                let name = |id| group.group.scope(id).map_or("", |scope| &scope.name);
                let message = format!(
                    "id {} means scope '{}' here and '{}' elsewhere",
                    key.1,
                    name(target),
                    name(other)
                );
                let diag = Diag::warning(&codes::LOAD_ID, message)
                    .help("what was loaded last is distinguished by its id: use another");
                let finding = scope.finding(event, diag);
                findings.push(finding.with(first.inst.source, "the other one"));
            }
        }
    }
}
