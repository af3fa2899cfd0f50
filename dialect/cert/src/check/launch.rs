//! Deferred jobs and their launchers; scopes and who runs them.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, FindingKind};
use super::survey::{GroupSurvey, ScopeSurvey, Survey};
use crate::isa::Op;
use crate::program::{JobKind, ScopeId};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        for scope in &group.scopes {
            launches(scope, findings);
        }
        unused_scopes(group, findings);
    }
}

fn launches(scope: &ScopeSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut numbers: HashMap<(u32, usize, u16), (JobKind, Option<usize>)> = HashMap::new();
    for job in &scope.jobs {
        let key = (job.job.unit, job.region, job.job.id);
        numbers.entry(key).or_insert((job.job.kind, job.page));
        if !job.runs {
            let place = scope.place(Some(job.job), None);
            findings.push(Finding::new(place, FindingKind::NeverLaunched));
        }
    }
    let mut launched = HashMap::new();
    for event in &scope.events {
        let (Op::LaunchJob { job_id: job }, Some(launcher)) =
            (event.inst.op, scope.jobs.get(event.job))
        else {
            continue;
        };
        let key = (launcher.job.unit, launcher.region, job);
        // a launch of no job at all is for the layout to report
        match numbers.get(&key) {
            None => {}
            Some((JobKind::Deferred, page)) => {
                if let (Some(there), Some(here)) = (*page, launcher.page)
                    && there != here
                {
                    let kind = FindingKind::LaunchPage { job, here, there };
                    findings.push(scope.finding(event, kind));
                }
                if let Some(&first) = launched.get(&key) {
                    let finding = scope.finding(event, FindingKind::LaunchTwice { job });
                    findings.push(finding.with(first, "launched here first"));
                }
                launched.entry(key).or_insert(event.inst.source);
            }
            Some(_) => findings.push(scope.finding(event, FindingKind::LaunchKind { job })),
        }
    }
}

/// Scopes that no instruction names; the main program runs by itself. What pages run that are
/// given by their bytes is not known.
fn unused_scopes(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    if group.plan.pages.iter().any(|page| page.raw.is_some()) {
        return;
    }
    let mut named: HashSet<ScopeId> = group.main().map(|main| main.id).into_iter().collect();
    for event in group.scopes.iter().flat_map(|scope| &scope.events) {
        match event.inst.op {
            Op::LoadPdi { scope, .. } | Op::LoadCores { scope, .. } => {
                named.insert(scope);
            }
            Op::Preempt { save, restore, .. } => named.extend([save, restore]),
            _ => {}
        }
    }
    for scope in group.scopes.iter().filter(|s| !named.contains(&s.id)) {
        if let Some(job) = scope.jobs.first() {
            let name = scope.scope.name.clone();
            let kind = FindingKind::ScopeUnused { scope: name };
            findings.push(Finding::new(scope.place(Some(job.job), None), kind));
        }
    }
}
