//! Overfull pages are split where that keeps the meaning.
//!
//! Jobs are spread over pages by the layout; what it cannot do is divide jobs that must share a
//! page. Here such a group is cut in two or more, each on pages of its own, one after the other:
//!
//! * a job by itself, between two instructions (see [`cut`] for where);
//! * jobs that meet at local barriers, at a barrier where all of them meet: no job passes it before
//!   all have come, so it orders them as the end of a page does;
//! * a chain of descriptors that is longer than a page, when the job waits for its end anyway
//!   (see [`chain`]).
//!
//! Data follow the jobs that name them, as each page carries its own copy. A page ends before the
//! next one begins, so the parts run in the order of the text.

mod chain;
mod cut;
mod group;

pub use cut::NoCut;

use std::collections::{BTreeMap, BTreeSet};

use aiec_diag::Diag;

use crate::finding::{CodePlace, Finding};
use crate::isa::{Barrier, Op};
use crate::page::PAGE_BYTES;
use crate::pager::{self, LayoutOptions, PageMeasure};
use crate::program::{
    BodyItem, Group, Inst, Job, Program, RawPage, Region, Scope, ScopeId, SourceLoc,
};

/// Outcome of the repair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixReport {
    /// Groups of jobs that were split.
    pub splits: Vec<Split>,
    /// Groups of jobs that are too big and stay so.
    pub stuck: Vec<Stuck>,
}

/// Jobs that were split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The first of the jobs.
    pub place: CodePlace,
    /// Number of pages now, at least.
    pub parts: usize,
    /// The first instruction of each later part, where its source is known.
    pub cuts: Vec<SourceLoc>,
}

/// Jobs that cannot be split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// The first of the jobs.
    pub place: CodePlace,
    /// Why not.
    pub why: NoCut,
    /// The obstacle, if it is one place.
    pub at: Option<SourceLoc>,
}

aiec_diag::codes! {
    /// Codes of splitting pages.
    pub static CODES;
    PAGE_SPLIT = "cert::page-split",
        "`--fix-pages` gave the parts of a job, or of jobs that meet at barriers, pages of their \
         own. A page ends before the next one begins, so the parts run in the order of the text; \
         each page has its own copy of the data that it names.";
}

impl FixReport {
    /// A note for each group of jobs that was split.
    pub fn notes(&self) -> impl Iterator<Item = Finding> {
        self.splits.iter().map(|split| {
            let message = format!("split over {} pages", split.parts);
            let note = Finding::new(split.place.clone(), Diag::note(&PAGE_SPLIT, message));
            let cuts = split.cuts.iter();
            cuts.fold(note, |note, &cut| {
                note.with(Some(cut), "a page begins here")
            })
        })
    }

    /// Adds to a finding about an overfull page why it could not be split.
    pub fn explain(&self, mut finding: Finding) -> Finding {
        let mut stuck = self.stuck.iter();
        let is_big = *finding.code() == pager::JOB_TOO_BIG;
        let Some(stuck) = stuck.find(|stuck| is_big && stuck.place == finding.place) else {
            return finding;
        };
        let remark = format!("it cannot be split: {}", stuck.why);
        finding.diag = finding.diag.remark(remark);
        finding.with(stuck.at, "in the way")
    }
}

/// Splits groups that do not fit a page.
pub fn fix_pages(program: &mut Program, options: LayoutOptions) -> FixReport {
    fix_pages_to(program, options, PAGE_BYTES)
}

/// Splits groups that need more than `limit` bytes of a page, header included; `limit` is at most
/// [`PAGE_BYTES`].
pub fn fix_pages_to(program: &mut Program, options: LayoutOptions, limit: usize) -> FixReport {
    let mut report = FixReport::default();
    for group in &mut program.groups {
        for id in 0..group.scopes.len() {
            fix_scope(
                group,
                ScopeId(id as u32),
                options,
                limit.min(PAGE_BYTES),
                &mut report,
            );
        }
    }
    report
}

fn fix_scope(
    group: &mut Group,
    id: ScopeId,
    options: LayoutOptions,
    limit: usize,
    report: &mut FixReport,
) {
    let uc = group.uc;
    let Some(scope) = group.scope_mut(id) else {
        return;
    };
    let closures = pager::closures(scope, options);
    if closures.iter().all(|closure| closure.bytes <= limit) {
        return;
    }
    let mut regions = Regions {
        done: Vec::new(),
        open: Vec::new(),
    };
    let measure = PageMeasure::new(scope);
    let mut barriers: BTreeSet<u8> = scope
        .jobs()
        .flat_map(|(_, job)| job.insts())
        .filter_map(barrier_of)
        .collect();
    let mut region = 0;
    for closure in closures {
        let root = closure.jobs.first().map_or(0, |at| at.region);
        while region < root {
            regions.end(raw_of(scope, region));
            region += 1;
        }
        let job = |at: &pager::JobRef| scope.regions.get(at.region)?.jobs.get(at.index).cloned();
        let members: Vec<Job> = closure.jobs.iter().filter_map(job).collect();
        if closure.bytes <= limit {
            regions.open.extend(members);
            continue;
        }
        let place = CodePlace::new(uc, scope, members.first(), None);
        let parts = group::split(scope, &members, &measure, options, limit);
        match parts.and_then(|parts| renumber(parts, &mut barriers)) {
            Ok(parts) => {
                report.splits.push(split_of(place, &parts));
                for part in parts {
                    regions.end_if_open();
                    regions.open = part;
                }
                regions.end_if_open();
            }
            Err((why, at)) => {
                report.stuck.push(Stuck { place, why, at });
                regions.open.extend(members);
            }
        }
    }
    // page ends after the last job stay
    while region < scope.regions.len() {
        regions.end(raw_of(scope, region));
        region += 1;
    }
    scope.regions = regions.done;
}

fn barrier_of(inst: &Inst) -> Option<u8> {
    match inst.op {
        Op::LocalBarrier { barrier, .. } => Some(barrier.0),
        _ => None,
    }
}

/// Gives barriers that several parts use a number of their own in each: one number is one group
/// for its whole scope. `used` holds the numbers that the scope uses.
fn renumber(
    mut parts: Vec<Vec<Job>>,
    used: &mut BTreeSet<u8>,
) -> Result<Vec<Vec<Job>>, (NoCut, Option<SourceLoc>)> {
    let mut earlier = BTreeSet::new();
    for part in &mut parts {
        let mut numbers: BTreeMap<u8, u8> = BTreeMap::new();
        for item in part.iter_mut().flat_map(|job| &mut job.body) {
            let BodyItem::Inst(inst) = item else { continue };
            let Op::LocalBarrier { barrier, .. } = &mut inst.op else {
                continue;
            };
            let number = match numbers.get(&barrier.0) {
                Some(&number) => number,
                None if !earlier.contains(&barrier.0) => barrier.0,
                None => {
                    let free = (0..Barrier::LOCAL_COUNT).find(|n| !used.contains(n));
                    free.ok_or((NoCut::Numbers, inst.source))?
                }
            };
            used.insert(number);
            numbers.insert(barrier.0, number);
            barrier.0 = number;
        }
        earlier.extend(numbers.into_values());
    }
    Ok(parts)
}

fn split_of(place: CodePlace, parts: &[Vec<Job>]) -> Split {
    let first = |job: &Job| job.insts().find_map(|inst| inst.source);
    Split {
        place,
        parts: parts.len(),
        cuts: parts.iter().skip(1).flatten().filter_map(first).collect(),
    }
}

/// The page of a region that is given by its bytes.
fn raw_of(scope: &Scope, region: usize) -> Option<RawPage> {
    scope.regions.get(region)?.raw.clone()
}

/// The regions of a scope while they are built again.
struct Regions {
    done: Vec<Region>,
    open: Vec<Job>,
}

impl Regions {
    fn end(&mut self, raw: Option<RawPage>) {
        let jobs = std::mem::take(&mut self.open);
        self.done.push(Region { jobs, raw });
    }

    fn end_if_open(&mut self) {
        if !self.open.is_empty() {
            self.end(None);
        }
    }
}
