//! Remote barriers: does every controller of the mask come?
//!
//! A barrier may be used for several rounds. What each controller does at one barrier comes in a
//! fixed order (pages in order, and on a page at most one job), so the rounds can be played: as
//! long as all controllers of a mask have that mask next, they go on. What is left over then
//! waits forever.

use std::collections::BTreeMap;

use aiec_diag::Diag;

use super::codes;
use super::local::WAIT_FOR_EVER;
use super::survey::{Event, ProgramIndex, ScopeSurvey};
use crate::finding::Finding;
use crate::isa::Op;

/// An arrival of a controller at a remote barrier.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'s, 'a> {
    /// Index of the controller in [`ProgramIndex::groups`].
    pub group: usize,
    pub event: &'s Event<'a>,
    mask: u32,
}

/// The arrivals that meet.
pub(super) type Round<'s, 'a> = Vec<Arrival<'s, 'a>>;

/// Checks all remote barriers; gives the rounds that come about.
pub(super) fn check<'s, 'a>(
    survey: &'s ProgramIndex<'a>,
    findings: &mut Vec<Finding>,
) -> Vec<Round<'s, 'a>> {
    let mut barriers: BTreeMap<u8, Vec<Vec<Arrival<'s, 'a>>>> = BTreeMap::new();
    let mut in_scopes = false;
    for (group, code) in survey.groups.iter().enumerate() {
        for scope in &code.scopes {
            for event in &scope.events {
                let Op::RemoteBarrier {
                    barrier,
                    party_mask: mask,
                } = event.inst.op
                else {
                    continue;
                };
                in_scopes |= scope.id != crate::program::ScopeId::MAIN;
                let uc = code.group.uc;
                if !has(mask, uc) {
                    let message = format!("controller {uc} is not in the party mask 0x{mask:X}");
                    let diag = Diag::error(&codes::REMOTE_BARRIER, message)
                        .help("bit N of the mask is controller N: add this controller's bit");
                    findings.push(scope.finding(event, diag));
                }
                let queues = barriers.entry(barrier.0).or_default();
                queues.resize(survey.groups.len(), Vec::new());
                if let Some(queue) = queues.get_mut(group) {
                    queue.push(Arrival { group, event, mask });
                }
            }
        }
    }
    let mut rounds = Vec::new();
    for (barrier, mut queues) in barriers {
        if in_scopes {
            // when scopes run is not followed: only which controllers come at all
            absent(survey, barrier, &queues, findings);
            continue;
        }
        if twice(survey, barrier, &queues, findings) {
            absent(survey, barrier, &queues, findings);
            continue;
        }
        for (group, queue) in queues.iter_mut().enumerate() {
            let main = survey.groups.get(group).and_then(|g| g.main());
            queue.sort_by_key(|a| main.and_then(|main| main.page(a.event)));
            queue.reverse();
        }
        play(survey, barrier, &mut queues, &mut rounds, findings);
    }
    rounds
}

fn has(mask: u32, uc: u32) -> bool {
    mask.checked_shr(uc).unwrap_or(0) & 1 != 0
}

/// `$rbN` of an encoded number.
fn shown(barrier: u8) -> u8 {
    barrier.saturating_sub(1)
}

fn scope_of<'s, 'a>(survey: &'s ProgramIndex<'a>, group: usize) -> Option<&'s ScopeSurvey<'a>> {
    survey.groups.get(group)?.main()
}

/// A controller that a barrier waits for doesn't come, or not as often.
fn never_comes(barrier: u8, absent: u32, came: bool) -> Diag {
    let absence = if came {
        "comes to it less often"
    } else {
        "never comes to it"
    };
    let message = format!(
        "remote barrier $rb{} waits for controller {absent}, which {absence}",
        shown(barrier)
    );
    Diag::error(&codes::REMOTE_BARRIER, message)
        .help("take its bit out of the mask, or add a REMOTE_BARRIER to its code")
        .remark(WAIT_FOR_EVER)
}

/// Controllers of a mask that never come.
fn absent(
    survey: &ProgramIndex<'_>,
    barrier: u8,
    queues: &[Vec<Arrival<'_, '_>>],
    findings: &mut Vec<Finding>,
) {
    let comes = |uc: u32| {
        let at = survey.groups.iter().position(|g| g.group.uc == uc);
        at.is_some_and(|at| !queues[at].is_empty())
    };
    for arrival in queues.iter().flatten() {
        if let Some(absent) = (0..u32::BITS).find(|&uc| has(arrival.mask, uc) && !comes(uc)) {
            report(
                survey,
                arrival,
                never_comes(barrier, absent, false),
                findings,
            );
        }
    }
}

fn report(
    survey: &ProgramIndex<'_>,
    arrival: &Arrival<'_, '_>,
    diag: Diag,
    findings: &mut Vec<Finding>,
) {
    // the event may be of any scope, but its place only says which controller it is
    if let Some(scope) = scope_of(survey, arrival.group) {
        let mut finding = scope.finding(arrival.event, diag);
        finding.place.source = arrival.event.inst.source;
        findings.push(finding);
    }
}

/// Two jobs of one page at one barrier: their order is not known.
fn twice(
    survey: &ProgramIndex<'_>,
    barrier: u8,
    queues: &[Vec<Arrival<'_, '_>>],
    findings: &mut Vec<Finding>,
) -> bool {
    let mut found = false;
    for (group, queue) in queues.iter().enumerate() {
        let Some(main) = scope_of(survey, group) else {
            continue;
        };
        let mut by_page = BTreeMap::new();
        for arrival in queue {
            let Some(page) = main.page(arrival.event) else {
                continue;
            };
            let first: &Arrival<'_, '_> = by_page.entry(page).or_insert(arrival);
            if first.event.job != arrival.event.job {
                let message = format!(
                    "two jobs of a page come to remote barrier $rb{}",
                    shown(barrier)
                );
                let diag = Diag::warning(&codes::REMOTE_BARRIER, message)
                    .help("one job of each controller comes to a barrier on its behalf");
                let finding = main.finding(arrival.event, diag);
                findings.push(finding.with(first.event.inst.source, "the other one"));
                found = true;
            }
        }
    }
    found
}

/// Plays the rounds; the queues are in reverse order.
fn play<'s, 'a>(
    survey: &ProgramIndex<'_>,
    barrier: u8,
    queues: &mut [Vec<Arrival<'s, 'a>>],
    rounds: &mut Vec<Round<'s, 'a>>,
    findings: &mut Vec<Finding>,
) {
    let by_uc: BTreeMap<u32, usize> = survey
        .groups
        .iter()
        .enumerate()
        .map(|(at, group)| (group.group.uc, at))
        .collect();
    let parties = |mask: u32| (0..u32::BITS).filter(move |&uc| has(mask, uc));
    let mut came = vec![false; queues.len()];
    let mut work: Vec<usize> = (0..queues.len()).rev().collect();
    while let Some(group) = work.pop() {
        let Some(&next) = queues[group].last() else {
            continue;
        };
        let members: Option<Vec<usize>> = parties(next.mask)
            .map(|uc| {
                let at = *by_uc.get(&uc)?;
                let head = queues[at].last()?;
                (head.mask == next.mask).then_some(at)
            })
            .collect();
        let Some(members) = members.filter(|m| m.contains(&group)) else {
            continue;
        };
        let mut round = Vec::new();
        for at in members {
            round.extend(queues[at].pop());
            came[at] = true;
            work.push(at);
        }
        rounds.push(round);
    }
    // controllers with meetings left wait without end: report each once
    for group in 0..queues.len() {
        let Some(&head) = queues[group].last() else {
            continue;
        };
        let uc = survey.groups[group].group.uc;
        if !has(head.mask, uc) {
            continue; // that was said
        }
        for other in parties(head.mask) {
            let at = by_uc.get(&other).copied();
            let diag = match at.and_then(|at| queues[at].last()) {
                None => never_comes(barrier, other, at.is_some_and(|at| came[at])),
                Some(there) if there.mask != head.mask => {
                    let message = format!(
                        "remote barrier $rb{} has party mask 0x{:X} here, but 0x{:X} on \
                         controller {other}",
                        shown(barrier),
                        head.mask,
                        there.mask
                    );
                    Diag::error(&codes::REMOTE_BARRIER, message)
                        .help("all controllers of a barrier name the same mask")
                }
                Some(_) => continue,
            };
            report(survey, &head, diag, findings);
            break;
        }
    }
}
