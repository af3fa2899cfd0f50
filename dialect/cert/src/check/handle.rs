//! Handles of uC-DMA chains: is there one in the register that a job waits for?

use std::collections::HashMap;

use aiec_diag::Diag;

use super::codes;
use super::survey::{Event, GroupSurvey, ProgramIndex};
use crate::finding::Finding;
use crate::isa::{Op, Reg};

pub(super) fn check(survey: &ProgramIndex<'_>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        private(group, findings);
        shared(group, findings);
    }
}

/// Contents of a private register.
enum RegisterContents<'s, 'a> {
    /// A handle, and whether a wait for it was seen.
    Handle(&'s Event<'a>, bool),
    /// Something else.
    Other(&'s Event<'a>),
}

/// Registers of a job: the last instruction that set one before the wait counts.
fn private(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    for scope in &group.scopes {
        for job in &scope.jobs {
            let mut registers: [Option<RegisterContents<'_, '_>>; Reg::PRIVATE as usize] =
                Default::default();
            let events = scope.events.get(job.events.clone()).unwrap_or_default();
            let unused = |holds: Option<RegisterContents<'_, '_>>, reg: u8| match holds {
                Some(RegisterContents::Handle(start, false)) => {
                    let reg = Reg(reg);
                    let message = format!("nothing waits for the chain whose handle goes to {reg}");
                    let diag = Diag::warning(&codes::HANDLE, message)
                        .help("add WAIT_UC_DMA: the page may be replaced while the chain runs");
                    Some(scope.finding(start, diag))
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
                    RegisterUse::Start => {
                        let before = slot.replace(RegisterContents::Handle(event, false));
                        findings.extend(unused(before, reg.0));
                    }
                    RegisterUse::Set => {
                        let before = slot.replace(RegisterContents::Other(event));
                        findings.extend(unused(before, reg.0));
                    }
                    RegisterUse::Wait => match slot {
                        Some(RegisterContents::Handle(_, waited)) => *waited = true,
                        Some(RegisterContents::Other(by)) => {
                            let message = format!("{reg} holds no handle any more");
                            let help = "wait before the register is used for something else";
                            let diag = Diag::error(&codes::HANDLE, message).help(help);
                            let finding = scope.finding(event, diag);
                            findings.push(finding.with(by.inst.source, "set here"));
                        }
                        None => {
                            let message = format!(
                                "{reg} holds no handle: no UC_DMA_WRITE_DES of this job set it \
                                 before"
                            );
                            let diag = Diag::error(&codes::HANDLE, message).help(
                                "$r0 to $r7 belong to a job: start the chain in this job, or pass \
                                 the handle in a shared register ($g0 to $g15)",
                            );
                            findings.push(scope.finding(event, diag));
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
type RegisterStart<'s, 'a> = (u32, Option<usize>, &'s Event<'a>);

/// Registers of a controller: any job may set one, but not on a later page of the same scope.
fn shared(group: &GroupSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut starts: HashMap<Reg, Vec<RegisterStart<'_, '_>>> = HashMap::new();
    for scope in &group.scopes {
        for event in &scope.events {
            if let Some((reg, RegisterUse::Start)) = touch(event)
                && reg.0 >= Reg::PRIVATE
            {
                let at = (scope.id.0, scope.page(event), event);
                starts.entry(reg).or_default().push(at);
            }
        }
    }
    for scope in &group.scopes {
        for event in &scope.events {
            let Some((reg, RegisterUse::Wait)) = touch(event) else {
                continue;
            };
            if reg.0 < Reg::PRIVATE {
                continue;
            }
            let Some(starts) = starts.get(&reg) else {
                let message = format!(
                    "{reg} holds no handle: no UC_DMA_WRITE_DES of this controller sets it"
                );
                let diag = Diag::error(&codes::HANDLE, message)
                    .help("add UC_DMA_WRITE_DES, or take the wait out");
                findings.push(scope.finding(event, diag));
                continue;
            };
            // other scopes run in between
            let own = starts.iter().all(|(id, ..)| *id == scope.id.0);
            let first = starts.iter().min_by_key(|(_, page, _)| *page);
            if let (true, Some((_, Some(there), start)), Some(here)) =
                (own, first, scope.page(event))
                && *there > here
            {
                let message =
                    format!("{reg} is waited for on page {here}, but set on page {there} first");
                let diag = Diag::error(&codes::LATER_PAGE, message).help(
                    "a page ends before the next begins: put both on one page, or wait later",
                );
                let finding = scope.finding(event, diag);
                findings.push(finding.with(start.inst.source, "set here"));
            }
        }
    }
}

#[derive(Clone, Copy)]
enum RegisterUse {
    Start,
    Wait,
    Set,
}

/// The register that an instruction starts a chain with, waits for, or sets.
fn touch(event: &Event<'_>) -> Option<(Reg, RegisterUse)> {
    Some(match event.inst.op {
        Op::UcDmaWriteDes { wait_handle, .. } => (wait_handle, RegisterUse::Start),
        Op::WaitUcDma { wait_handle } => (wait_handle, RegisterUse::Wait),
        Op::Mov { dest, .. } | Op::Add { dest, .. } => (dest, RegisterUse::Set),
        Op::Read32 { value, .. } | Op::Read32D { value, .. } => (value, RegisterUse::Set),
        _ => return None,
    })
}
