//! Handles of uC-DMA chains: is there one in the register that a job waits for?

use std::collections::HashMap;

use super::finding::{Finding, FindingKind, Named};
use super::survey::{Event, GroupSurvey, Survey};
use crate::isa::{Op, Reg};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        private(group, findings);
        shared(group, findings);
    }
}

/// What is in a private register.
enum Holds<'s, 'a> {
    /// A handle, and whether somebody waited for it.
    Handle(&'s Event<'a>, bool),
    /// Something else.
    Other(&'s Event<'a>),
}

/// Registers of a job: the last instruction that set one before the wait counts.
fn private(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    for scope in &group.scopes {
        for job in &scope.jobs {
            let mut registers: [Option<Holds<'_, '_>>; Reg::PRIVATE as usize] = Default::default();
            let events = scope.events.get(job.events.clone()).unwrap_or_default();
            let unused = |holds: Option<Holds<'_, '_>>, reg: u8| match holds {
                Some(Holds::Handle(start, false)) => {
                    let reg = Named(Reg(reg));
                    Some(scope.finding(start, FindingKind::HandleUnused { reg }))
                }
                _ => None,
            };
            for event in events {
                let Some((reg, what)) = touch(event) else {
                    continue;
                };
                let Some(slot) = registers.get_mut(usize::from(reg.0)) else {
                    continue;
                };
                match what {
                    Touch::Start => {
                        let before = slot.replace(Holds::Handle(event, false));
                        findings.extend(unused(before, reg.0));
                    }
                    Touch::Set => {
                        let before = slot.replace(Holds::Other(event));
                        findings.extend(unused(before, reg.0));
                    }
                    Touch::Wait => match slot {
                        Some(Holds::Handle(_, waited)) => *waited = true,
                        Some(Holds::Other(by)) => {
                            let kind = FindingKind::HandleGone { reg: Named(reg) };
                            let finding = scope.finding(event, kind);
                            findings.push(finding.with(by.inst.source, "set here"));
                        }
                        None => {
                            let kind = FindingKind::HandleNever { reg: Named(reg) };
                            findings.push(scope.finding(event, kind));
                        }
                    },
                }
            }
            for (reg, holds) in registers.into_iter().enumerate() {
                findings.extend(unused(holds, reg as u8));
            }
        }
    }
}

/// Where a shared register is set: scope, page and instruction.
type Start<'s, 'a> = (u32, Option<usize>, &'s Event<'a>);

/// Registers of a controller: any job may set one, but not on a later page of the same scope.
fn shared(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut starts: HashMap<Reg, Vec<Start<'_, '_>>> = HashMap::new();
    for scope in &group.scopes {
        for event in &scope.events {
            if let Some((reg, Touch::Start)) = touch(event)
                && reg.0 >= Reg::PRIVATE
            {
                let at = (scope.id.0, scope.page(event), event);
                starts.entry(reg).or_default().push(at);
            }
        }
    }
    for scope in &group.scopes {
        for event in &scope.events {
            let Some((reg, Touch::Wait)) = touch(event) else {
                continue;
            };
            if reg.0 < Reg::PRIVATE {
                continue;
            }
            let Some(starts) = starts.get(&reg) else {
                let kind = FindingKind::HandleNowhere { reg: Named(reg) };
                findings.push(scope.finding(event, kind));
                continue;
            };
            // other scopes run in between
            let own = starts.iter().all(|(id, ..)| *id == scope.id.0);
            let first = starts.iter().min_by_key(|(_, page, _)| *page);
            if let (true, Some((_, Some(there), start)), Some(here)) =
                (own, first, scope.page(event))
                && *there > here
            {
                let kind = FindingKind::HandleLater {
                    reg: Named(reg),
                    here,
                    there: *there,
                };
                let finding = scope.finding(event, kind);
                findings.push(finding.with(start.inst.source, "set here"));
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Touch {
    Start,
    Wait,
    Set,
}

/// The register that an instruction starts a chain with, waits for, or sets.
fn touch(event: &Event<'_>) -> Option<(Reg, Touch)> {
    Some(match event.inst.op {
        Op::UcDmaWriteDes { wait_handle, .. } => (wait_handle, Touch::Start),
        Op::WaitUcDma { wait_handle } => (wait_handle, Touch::Wait),
        Op::Mov { dest, .. } | Op::Add { dest, .. } => (dest, Touch::Set),
        Op::Read32 { value, .. } | Op::Read32D { value, .. } => (value, Touch::Set),
        _ => return None,
    })
}
