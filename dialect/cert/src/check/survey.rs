//! The instructions that the checks look at, collected in one walk.

use std::collections::HashMap;

use aiec_diag::Diag;

use super::codes;
use crate::finding::{CodePlace, Finding};
use crate::isa::{Barrier, Op};
use crate::pager::GroupPlan;
use crate::program::{Group, Inst, Job, JobKind, Program, Scope, ScopeId, SourceLoc};

/// A program as the checks see it.
pub(super) struct ProgramIndex<'a> {
    pub program: &'a Program,
    pub groups: Vec<GroupSurvey<'a>>,
}

/// A controller.
pub(super) struct GroupSurvey<'a> {
    pub group: &'a Group,
    pub plan: &'a GroupPlan,
    /// In the order of [`Group::scopes`].
    pub scopes: Vec<ScopeSurvey<'a>>,
}

/// A scope.
pub(super) struct ScopeSurvey<'a> {
    pub uc: u32,
    pub id: ScopeId,
    pub scope: &'a Scope,
    /// Numbers of its pages.
    pub pages: Vec<usize>,
    /// In text order.
    pub jobs: Vec<JobSurvey<'a>>,
    /// In text order.
    pub events: Vec<Event<'a>>,
}

/// A job.
pub(super) struct JobSurvey<'a> {
    pub job: &'a Job,
    pub region: usize,
    /// Page it is on, if layout found one.
    pub page: Option<usize>,
    /// False for a deferred job that is never launched.
    pub runs: bool,
    /// Its events, as a range of [`ScopeSurvey::events`].
    pub events: std::ops::Range<usize>,
}

/// An instruction that has to do with other jobs, registers or data.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    /// Index of its job in [`ScopeSurvey::jobs`].
    pub job: usize,
    pub inst: &'a Inst,
}

impl<'a> ProgramIndex<'a> {
    pub fn new(
        program: &'a Program,
        plans: &'a [GroupPlan],
        findings: &mut Vec<Finding>,
    ) -> ProgramIndex<'a> {
        let groups = program.groups.iter().zip(plans);
        let groups = groups.map(|(group, plan)| GroupSurvey::new(group, plan, findings));
        ProgramIndex {
            program,
            groups: groups.collect(),
        }
    }
}

impl<'a> GroupSurvey<'a> {
    fn new(group: &'a Group, plan: &'a GroupPlan, findings: &mut Vec<Finding>) -> Self {
        let mut pages = HashMap::new();
        for (number, page) in plan.pages.iter().enumerate() {
            for at in &page.jobs {
                let key = (page.scope, at.region, at.index);
                // layout reports jobs on two pages; they count as being on none
                let page = if pages.contains_key(&key) {
                    None
                } else {
                    Some(number)
                };
                pages.insert(key, page);
            }
        }
        let scopes = group.scopes.iter().enumerate().map(|(i, scope)| {
            let id = ScopeId(i as u32);
            let page = |region, index| pages.get(&(id, region, index)).copied().flatten();
            ScopeSurvey::new(group.uc, id, scope, page, findings)
        });
        let mut scopes: Vec<ScopeSurvey<'a>> = scopes.collect();
        for (number, page) in plan.pages.iter().enumerate() {
            if let Some(scope) = scopes.get_mut(page.scope.0 as usize) {
                scope.pages.push(number);
            }
        }
        Self {
            group,
            plan,
            scopes,
        }
    }

    /// The scope of page 0, which runs by itself: the main program, if it has any jobs.
    pub fn main(&self) -> Option<&ScopeSurvey<'a>> {
        let first = self
            .plan
            .pages
            .first()
            .map_or(ScopeId::MAIN, |page| page.scope);
        self.scopes.get(first.0 as usize)
    }
}

impl<'a> ScopeSurvey<'a> {
    fn new(
        uc: u32,
        id: ScopeId,
        scope: &'a Scope,
        page: impl Fn(usize, usize) -> Option<usize>,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut survey = Self {
            uc,
            id,
            scope,
            pages: Vec::new(),
            jobs: Vec::new(),
            events: Vec::new(),
        };
        for (region, jobs) in scope.regions.iter().enumerate() {
            for (index, job) in jobs.jobs.iter().enumerate() {
                let first = survey.events.len();
                let at = survey.jobs.len();
                for inst in job.insts() {
                    survey.look(at, job, inst, findings);
                }
                survey.jobs.push(JobSurvey {
                    job,
                    region,
                    page: page(region, index),
                    runs: job.kind != JobKind::Deferred,
                    events: first..survey.events.len(),
                });
            }
        }
        survey.launch();
        survey
    }

    /// Keeps an instruction for the checks, or reports on it at once if no other instruction
    /// matters.
    fn look(&mut self, at: usize, job: &Job, inst: &'a Inst, findings: &mut Vec<Finding>) {
        let mut report = |diag| {
            findings.push(Finding::new(self.place(Some(job), inst.source), diag));
        };
        let address = match inst.op {
            Op::Write32 { address, .. }
            | Op::MaskWrite32 { address, .. }
            | Op::Poll32 { address, .. }
            | Op::MaskPoll32 { address, .. }
            | Op::Read32 { address, .. }
            | Op::SaveRegister { address, .. } => Some(address),
            _ => None,
        };
        if let Some(address) = address.filter(|address| !address.is_multiple_of(4)) {
            let message = format!("the address 0x{address:X} isn't a multiple of 4");
            let diag = Diag::warning(&codes::UNALIGNED, message);
            report(diag.help("registers are 32 bits wide"));
        }
        match inst.op {
            Op::MaskWrite32 { mask, value, .. } if value & !mask != 0 => {
                let message = format!(
                    "the value 0x{value:X} has bits outside the mask 0x{mask:X}, which are not \
                     written"
                );
                let help = "widen the mask, or take the bits out of the value";
                report(Diag::warning(&codes::MASK, message).help(help));
            }
            Op::MaskPoll32 { mask, value, .. } | Op::UcDmaMaskPollExt { mask, value, .. }
                if value & !mask != 0 =>
            {
                let message = format!(
                    "the value 0x{value:X} has bits outside the mask 0x{mask:X}: they are never \
                     equal"
                );
                let help = "compare only bits that the mask lets through";
                report(Diag::error(&codes::POLL, message).help(help));
            }
            Op::RemoteBarrier { barrier, .. } if barrier.0 > Barrier::REMOTE_DOCUMENTED => {
                let message = format!(
                    "$rb{} is beyond the remote barriers that controllers are documented to have",
                    barrier.0 - 1
                );
                let help = "use $rb0 to $rb63";
                report(Diag::warning(&codes::UNDOCUMENTED_BARRIER, message).help(help));
                self.events.push(Event { job: at, inst });
            }
            Op::Trace { .. } => {
                let message = "TRACE replaces instructions under a probe; programs don't hold it";
                report(Diag::warning(&codes::TRACE, message).help("take it out"));
            }
            Op::Write32 { .. }
            | Op::MaskWrite32 { .. }
            | Op::Poll32 { .. }
            | Op::MaskPoll32 { .. }
            | Op::UcDmaMaskPollExt { .. }
            | Op::SaveRegister { .. }
            | Op::Yield {}
            | Op::Nop {}
            | Op::Sleep { .. }
            | Op::SaveTimestamps { .. }
            | Op::Write32D { .. }
            | Op::UcDmaWriteDesSync { .. }
            | Op::RelAcqSync { .. } => {}
            _ => self.events.push(Event { job: at, inst }),
        }
    }

    /// Marks the deferred jobs that a job that runs launches.
    fn launch(&mut self) {
        let mut numbers: HashMap<(u32, usize, u16), Vec<usize>> = HashMap::new();
        for (i, job) in self.jobs.iter().enumerate() {
            if job.job.kind == JobKind::Deferred {
                let key = (job.job.unit, job.region, job.job.id);
                numbers.entry(key).or_default().push(i);
            }
        }
        if numbers.is_empty() {
            return;
        }
        let mut work: Vec<usize> = (0..self.jobs.len())
            .filter(|&i| self.jobs[i].runs)
            .collect();
        while let Some(launcher) = work.pop() {
            let (unit, region) = (self.jobs[launcher].job.unit, self.jobs[launcher].region);
            for event in self.events[self.jobs[launcher].events.clone()].iter() {
                let Op::LaunchJob { job_id } = event.inst.op else {
                    continue;
                };
                for &target in numbers.get(&(unit, region, job_id)).into_iter().flatten() {
                    if !std::mem::replace(&mut self.jobs[target].runs, true) {
                        work.push(target);
                    }
                }
            }
        }
    }

    /// A place of this scope.
    pub fn place(&self, job: Option<&Job>, source: Option<SourceLoc>) -> CodePlace {
        CodePlace::new(self.uc, self.scope, job, source)
    }

    /// A finding about an event.
    pub fn finding(&self, event: &Event<'_>, diag: Diag) -> Finding {
        let job = self.jobs.get(event.job).map(|job| job.job);
        Finding::new(self.place(job, event.inst.source), diag)
    }

    /// Number of an event's job.
    pub fn job_id(&self, event: &Event<'_>) -> u16 {
        self.jobs.get(event.job).map_or(0, |job| job.job.id)
    }

    /// Page of an event's job.
    pub fn page(&self, event: &Event<'_>) -> Option<usize> {
        self.jobs.get(event.job).and_then(|job| job.page)
    }
}
