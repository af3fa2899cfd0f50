//! Data on pages: reads of descriptors, and copies that the host patches.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use aiec_diag::Diag;

use super::codes;
use super::survey::{GroupSurvey, ProgramIndex, ScopeSurvey};
use crate::bd::UcDmaBd;
use crate::finding::Finding;
use crate::isa::Operand;
use crate::pager::PagePlan;
use crate::program::{DataId, DataItem, SourceLoc};

pub(super) fn check(survey: &ProgramIndex<'_>, findings: &mut Vec<Finding>) {
    for group in &survey.groups {
        for scope in &group.scopes {
            descriptors(group, scope, findings);
            copies(group, scope, findings);
        }
    }
}

fn pages<'g>(
    group: &'g GroupSurvey<'_>,
    scope: &'g ScopeSurvey<'_>,
) -> impl Iterator<Item = (usize, &'g PagePlan)> {
    let numbers = scope.pages.iter();
    numbers.filter_map(|&number| Some((number, group.plan.pages.get(number)?)))
}

/// Descriptors that read past the last data of their page. Reading on into the next block is
/// a known way to move several blocks at once.
fn descriptors(group: &GroupSurvey<'_>, scope: &ScopeSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut positions = vec![0usize; scope.scope.data.len()];
    let (mut reported, mut far) = (HashSet::new(), HashSet::new());
    for (_, page) in pages(group, scope) {
        let block = |id: &DataId| scope.scope.block(*id).map(|block| (*id, block));
        let mut end = 0;
        for chains in [true, false] {
            let blocks = page.data.iter().filter_map(block);
            for (id, block) in blocks.filter(|(_, b)| b.is_chain() == chains) {
                positions[id.0 as usize] = end;
                end += block.size();
            }
        }
        let chains = page.data.iter().filter_map(block);
        for (id, block) in chains.filter(|(_, b)| b.is_chain()) {
            for (item, at) in block.items.iter().zip(0u32..) {
                let DataItem::Bd(bd) = item else { continue };
                if let Some(message) = leaves_array(bd).filter(|_| far.insert((id, at))) {
                    let diag = Diag::error(&codes::FAR_ADDRESS, message)
                        .help("make the high part of the address and `external` 0");
                    findings.push(Finding::new(scope.place(None, block.source), diag));
                }
                let Some(words) = scope.scope.block(bd.local) else {
                    continue;
                };
                let begin = positions.get(bd.local.0 as usize).copied().unwrap_or(0);
                if begin + bd.words as usize * 4 > end && reported.insert((id, at)) {
                    let message = format!(
                        "a descriptor moves {} words, but '{}' has {}, and nothing follows it in \
                         the page",
                        bd.words,
                        words.name,
                        words.size() / 4
                    );
                    let diag = Diag::warning(&codes::READS_PAST, message);
                    let diag = diag.help("lower the length, or add the words");
                    let finding = Finding::new(scope.place(None, block.source), diag);
                    findings.push(finding.with(words.source, "the words"));
                }
            }
        }
    }
}

/// Why the remote address of a descriptor is none of the array.
fn leaves_array(bd: &UcDmaBd<DataId>) -> Option<String> {
    if bd.external {
        return Some("a descriptor's address is outside of the array".to_owned());
    }
    let far = u32::try_from(bd.remote).is_err();
    far.then(|| {
        format!(
            "a descriptor's address 0x{:X} has more than 32 bits",
            bd.remote
        )
    })
}

/// Images that are patched on one page and used on another, which has its own copy.
fn copies(group: &GroupSurvey<'_>, scope: &ScopeSurvey<'_>, findings: &mut Vec<Finding>) {
    let mut patched: BTreeMap<DataId, BTreeSet<usize>> = BTreeMap::new();
    for event in &scope.events {
        let Some(page) = scope.page(event) else {
            continue;
        };
        for id in event.inst.patched_blocks() {
            patched.entry(id).or_default().insert(page);
        }
    }
    if patched.is_empty() {
        return;
    }
    for (page, plan) in pages(group, scope) {
        for id in &plan.data {
            let Some(on) = patched.get(id).filter(|on| !on.contains(&page)) else {
                continue;
            };
            let (Some(&first), Some(block)) = (on.first(), scope.scope.block(*id)) else {
                continue;
            };
            let message = format!(
                "'{}' is patched on page {first} only; this uses its copy on page {page}",
                block.name
            );
            let diag = Diag::warning(&codes::UNPATCHED_COPY, message)
                .help("each page has its own copy of the data: apply the offset in this job too");
            let (job, source) = user(scope, plan, *id).unzip();
            let finding = Finding::new(scope.place(job, source.flatten()), diag);
            findings.push(finding.with(block.source, "the image"));
        }
    }
}

/// The first instruction of a page that uses a block, by itself or through a chain.
fn user<'s>(
    scope: &'s ScopeSurvey<'_>,
    page: &PagePlan,
    wanted: DataId,
) -> Option<(&'s crate::program::Job, Option<SourceLoc>)> {
    let leads = |id: DataId| {
        let items = scope.scope.block(id).map_or(&[][..], |block| &block.items);
        let named = |item: &DataItem| matches!(item, DataItem::Bd(bd) if bd.local == wanted);
        id == wanted || items.iter().any(named)
    };
    for at in &page.jobs {
        let job = scope.scope.regions.get(at.region)?.jobs.get(at.index)?;
        for inst in job.insts() {
            let mut found = false;
            inst.op.for_each_field(|_, operand| {
                found |= matches!(operand, Operand::Label(id) if leads(id));
            });
            if found {
                return Some((job, inst.source));
            }
        }
    }
    None
}
