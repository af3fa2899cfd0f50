//! Local barriers: do as many jobs come as they wait for?
//!
//! A job runs once and has no loops, so the arrivals can be counted. With P participants, R = A/P
//! rounds are made of A arrivals; each round takes one arrival of P different jobs, so P must
//! divide A and no job may come more than R times. That is also enough.

use std::collections::BTreeMap;

use aiec_diag::Diag;

use super::codes;
use super::survey::{Event, ProgramIndex, ScopeSurvey};
use crate::finding::Finding;
use crate::isa::Op;
use crate::program::JobKind;

/// Consequence of a barrier at which some jobs never arrive.
pub(super) const WAIT_FOR_EVER: &str = "the jobs that come would wait forever";

pub(super) fn check(survey: &ProgramIndex<'_>, findings: &mut Vec<Finding>) {
    for scope in survey.groups.iter().flat_map(|group| &group.scopes) {
        for (barrier, uses) in uses(scope) {
            findings.extend(fault(scope, barrier, &uses));
        }
    }
}

/// Arrivals of jobs that run, by barrier, in text order.
pub(super) fn uses<'s, 'a>(scope: &'s ScopeSurvey<'a>) -> BTreeMap<u8, Vec<(&'s Event<'a>, u8)>> {
    let mut uses: BTreeMap<u8, Vec<_>> = BTreeMap::new();
    for event in &scope.events {
        if let Op::LocalBarrier {
            barrier,
            num_participants,
        } = event.inst.op
        {
            uses.entry(barrier.0)
                .or_default()
                .push((event, num_participants));
        }
    }
    // whether a job after a preemption runs is not known
    uses.retain(|_, uses| {
        let kind = |e: &Event<'_>| scope.jobs.get(e.job).map(|job| job.job.kind);
        !uses
            .iter()
            .any(|(e, _)| kind(e) == Some(JobKind::AfterPreemption))
    });
    for uses in uses.values_mut() {
        uses.retain(|(e, _)| scope.jobs.get(e.job).is_some_and(|job| job.runs));
    }
    uses.retain(|_, uses| !uses.is_empty());
    uses
}

fn fault(scope: &ScopeSurvey<'_>, barrier: u8, uses: &[(&Event<'_>, u8)]) -> Option<Finding> {
    let (first, participants) = *uses.first()?;
    if let Some((event, here)) = uses.iter().find(|(_, n)| *n != participants) {
        let message = format!(
            "local barrier $lb{barrier} is for {here} jobs here and for {participants} elsewhere"
        );
        let diag = Diag::error(&codes::LOCAL_BARRIER, message).help(
            "a barrier number is one group for its whole scope: give all its jobs one number",
        );
        let finding = scope.finding(event, diag);
        return Some(finding.with(first.inst.source, format!("for {participants} here")));
    }
    let mut by_job: BTreeMap<usize, usize> = BTreeMap::new();
    for (event, _) in uses {
        *by_job.entry(event.job).or_default() += 1;
    }
    let (jobs, arrivals) = (by_job.len(), uses.len());
    if participants == 0 || jobs < usize::from(participants) {
        let message = format!(
            "local barrier $lb{barrier} waits for {participants} jobs, but {jobs} of them come to it"
        );
        let diag = Diag::error(&codes::LOCAL_BARRIER, message)
            .help(
                "lower the number of participants, or let more jobs of this scope come to the \
                 barrier",
            )
            .remark(WAIT_FOR_EVER);
        let mut finding = scope.finding(first, diag);
        for (event, _) in uses.iter().skip(1).take(3) {
            let what = format!("job {} comes here", scope.job_id(event));
            finding = finding.with(event.inst.source, what);
        }
        return Some(finding);
    }
    let rounds = arrivals / usize::from(participants);
    let whole = arrivals.is_multiple_of(usize::from(participants));
    if whole && by_job.values().all(|&times| times <= rounds) {
        return None;
    }
    let message = format!(
        "local barrier $lb{barrier} lets {participants} jobs go at a time, but {arrivals} arrivals \
         don't make whole rounds"
    );
    let diag = Diag::error(&codes::LOCAL_BARRIER, message).help(
        "let every job come to the barrier equally often, or use another barrier for the rest",
    );
    let (last, _) = uses.last()?;
    let finding = scope.finding(last, diag);
    Some(finding.with(first.inst.source, "the first arrival"))
}
