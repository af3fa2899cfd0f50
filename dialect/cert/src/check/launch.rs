//! Deferred jobs and their launchers; scopes and the jobs that run them.

use std::collections::{HashMap, HashSet};

use aiec_diag::Diag;

use super::codes;
use super::survey::{GroupSurvey, ProgramIndex, ScopeSurvey};
use crate::finding::Finding;
use crate::isa::Op;
use crate::program::{JobKind, ScopeId};

pub(super) fn check(survey: &ProgramIndex<'_>, findings: &mut Vec<Finding>) {
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
            let message = "no job launches this deferred job";
            let diag = Diag::warning(&codes::NEVER_LAUNCHED, message)
                .help("add a LAUNCH_JOB, or begin it with START_JOB");
            findings.push(Finding::new(place, diag));
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
                    let message =
                        format!("job {job} is on page {there}, its launcher on page {here}");
                    let diag = Diag::error(&codes::LAUNCH, message).help(
                        "a launched job is pulled to its launcher's page, but not if the launcher \
                         itself is there for a barrier: put the launcher first",
                    );
                    findings.push(scope.finding(event, diag));
                }
                if let Some(&first) = launched.get(&key) {
                    let message = format!("job {job} is launched a second time");
                    let help = "a job runs once: make a second job";
                    let diag = Diag::error(&codes::LAUNCH, message).help(help);
                    let finding = scope.finding(event, diag);
                    findings.push(finding.with(first, "launched here first"));
                }
                launched.entry(key).or_insert(event.inst.source);
            }
            Some(_) => {
                let message = format!("job {job} is not a deferred one");
                let diag = Diag::error(&codes::LAUNCH, message)
                    .help("begin it with START_JOB_DEFERRED, or take the launch out");
                findings.push(scope.finding(event, diag));
            }
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
            let message = format!("no instruction runs scope '{}'", scope.scope.name);
            let diag = Diag::warning(&codes::UNUSED_SCOPE, message)
                .help("LOAD_PDI, LOAD_CORES or PREEMPT run a scope");
            findings.push(Finding::new(scope.place(Some(job.job), None), diag));
        }
    }
}
