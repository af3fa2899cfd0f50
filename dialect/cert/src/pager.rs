//! Which job and which data go to which page.
//!
//! Jobs are taken in text order. A job brings along those that must share its page (partners at
//! local barriers, jobs it launches) and the data they name; the whole goes to the page being
//! filled if it fits, else to a new one. The rules are the vendor assembler's (aiebu:
//! src/cpp/preprocessor/asm/pager.cpp), so that pages come out the same.

mod budget;
mod codes;
mod measure;
mod walk;

pub use codes::{CODES, JOB_TOO_BIG};
pub(crate) use measure::PageMeasure;

use std::collections::BTreeMap;

use aiec_diag::{Code, Diag};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::{CodePlace, Finding, UnreadCounts};
use crate::isa::Op;
use crate::page::{
    END_JOB_BYTES, EOF_BYTES, HEADER_BYTES, PAGE_BYTES, PageHeader, START_JOB_BYTES, filler_bytes,
    page_bytes,
};
use crate::program::{BodyItem, DataId, Group, Inst, Job, Program, Scope, ScopeId, SourceLoc};
use budget::JobBudget;
use walk::{DataWalk, Tables, data_bytes};

/// A job of a scope by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobRef {
    /// Index of the region.
    pub region: usize,
    /// Index in the region.
    pub index: usize,
}

/// The contents of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePlan {
    /// Scope it belongs to.
    pub scope: ScopeId,
    /// Jobs in page order.
    pub jobs: Vec<JobRef>,
    /// Data blocks in order of first use.
    pub data: Vec<DataId>,
    /// Bytes of all jobs.
    pub text_bytes: usize,
    /// Bytes of data, blocks that several jobs share counted for each.
    pub data_bytes: usize,
    /// True if it is the last page of its scope.
    pub ends_scope: bool,
    /// A page that is given by its bytes: its region, and the length in its header.
    pub raw: Option<(usize, usize)>,
}

impl PagePlan {
    /// The length field of the page header in bytes.
    pub fn length(&self) -> usize {
        if let Some((_, length)) = self.raw {
            return length;
        }
        let filler = if self.data_bytes > 0 {
            filler_bytes(self.text_bytes)
        } else {
            0
        };
        let used = HEADER_BYTES + self.text_bytes + EOF_BYTES + filler + self.data_bytes;
        used.next_multiple_of(4)
    }
}

/// The pages of a controller, in page order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupPlan {
    /// Pages.
    pub pages: Vec<PagePlan>,
}

impl GroupPlan {
    /// Numbers of the first pages of scopes 0 up to a number of them.
    pub fn first_pages(&self, scopes: usize) -> Vec<Option<usize>> {
        let mut firsts = vec![None; scopes];
        for (number, page) in self.pages.iter().enumerate() {
            if let Some(first) = firsts.get_mut(page.scope.0 as usize) {
                first.get_or_insert(number);
            }
        }
        firsts
    }
}

/// Strictness of layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayoutOptions {
    /// Accept what the vendor's assembler accepts: equal job numbers that were spelt differently.
    pub compat: bool,
}

/// Distributes the jobs and data of all controllers over pages; one plan for each group, in their
/// order. All errors are reported together; a plan with errors still shows where each job came to
/// lie.
pub fn plan(program: &Program, options: LayoutOptions) -> (Vec<GroupPlan>, Vec<Finding>) {
    let mut errors = Vec::new();
    let groups = program.groups.iter();
    let plans = groups.map(|group| plan_group(group, options, &mut errors));
    (plans.collect(), errors)
}

/// True if a finding of [`plan`] holds although parts of the text could not be read.
pub fn holds_without(finding: &Finding, unread: UnreadCounts) -> bool {
    let UnreadCounts {
        jobs,
        barriers,
        launches,
        ..
    } = unread;
    let depends = |codes: &[&Code]| codes.contains(&finding.code());
    !(jobs && depends(&[&codes::DUPLICATE_JOB, &codes::LAUNCH_MISSING])
        || (jobs || barriers) && depends(&[&codes::BARRIER_SPLIT])
        || (jobs || barriers || launches) && depends(&[&codes::JOB_ON_TWO_PAGES]))
}

/// Distributes the jobs and data of a controller over pages.
pub fn plan_group(group: &Group, options: LayoutOptions, errors: &mut Vec<Finding>) -> GroupPlan {
    let mut plan = GroupPlan::default();
    for &id in &group.scope_order {
        let Some(scope) = group.scope(id) else {
            continue;
        };
        let mut pager = Pager::new(group.uc, id, scope, options);
        pager.run(&mut plan.pages);
        errors.append(&mut pager.errors);
    }
    plan
}

/// Bytes of a job that begins at position `start` of the page (only inline `.align` depends on
/// where).
pub fn job_bytes(job: &Job, start: usize) -> usize {
    let begin = start + START_JOB_BYTES;
    let at = job.body.iter().fold(begin, |at, item| item_end(item, at));
    at + END_JOB_BYTES - start
}

/// Where an item ends that begins at a position of the page.
fn item_end(item: &BodyItem, at: usize) -> usize {
    match item {
        BodyItem::Inst(inst) => at + inst.size(),
        BodyItem::Word(_) => at + 4,
        BodyItem::Align(n) => at.next_multiple_of((*n).max(1) as usize),
    }
}

/// Jobs that must share a page.
pub(crate) struct JobGroup {
    /// In page order.
    pub jobs: Vec<JobRef>,
    /// Bytes of a page that holds them alone, header and EOF included.
    pub bytes: usize,
}

/// The jobs of a scope in the groups that must share pages, in the order in which the layout
/// takes them. Errors are for the layout to report.
pub(crate) fn closures(scope: &Scope, options: LayoutOptions) -> Vec<JobGroup> {
    let mut pager = Pager::new(0, ScopeId::MAIN, scope, options);
    let mut closures = Vec::new();
    let mut members = Vec::new();
    for i in 0..pager.entries.len() {
        if pager.entries[i].page.is_some() {
            continue;
        }
        members.clear();
        pager.closure(i, &mut members);
        members.retain(|&member| pager.entries[member].page.is_none());
        pager.walk.clear();
        for &member in &members {
            pager.walk.job(pager.entries[member].job);
            pager.entries[member].page = Some(0);
        }
        let data = data_bytes(scope, pager.walk.order());
        let text = pager.text_bytes(&members, 0);
        closures.push(JobGroup {
            jobs: members
                .iter()
                .map(|&member| pager.entries[member].at)
                .collect(),
            bytes: page_bytes(text, data),
        });
    }
    closures
}

/// A job with the facts that the pager needs.
struct Entry<'a> {
    job: &'a Job,
    at: JobRef,
    /// Local barriers it uses, in order of use.
    barriers: Vec<u8>,
    /// It launches others.
    launches: bool,
    /// Page it is on.
    page: Option<usize>,
}

/// The page being filled.
struct OpenPage {
    plan: PagePlan,
    /// Translation units of the jobs on it by their numbers.
    numbers: FxHashMap<u16, u32>,
}

struct Pager<'a> {
    uc: u32,
    id: ScopeId,
    scope: &'a Scope,
    options: LayoutOptions,
    entries: Vec<Entry<'a>>,
    /// Jobs that use a local barrier, in text order.
    barrier_users: BTreeMap<u8, Vec<usize>>,
    /// Jobs by unit, region and number.
    by_number: FxHashMap<(u32, usize, u16), usize>,
    walk: DataWalk<'a>,
    /// For each block the number of the last page it came to, plus one.
    block_pages: Vec<usize>,
    errors: Vec<Finding>,
}

impl<'a> Pager<'a> {
    fn new(uc: u32, id: ScopeId, scope: &'a Scope, options: LayoutOptions) -> Self {
        let tables = Tables::of(scope.jobs().map(|(_, job)| job));
        let mut pager = Self {
            uc,
            id,
            scope,
            options,
            entries: Vec::new(),
            barrier_users: BTreeMap::new(),
            by_number: FxHashMap::default(),
            walk: DataWalk::new(scope, tables),
            block_pages: vec![0; scope.data.len()],
            errors: Vec::new(),
        };
        for (region, jobs) in scope.regions.iter().enumerate() {
            for (index, job) in jobs.jobs.iter().enumerate() {
                pager.add_job(job, JobRef { region, index });
            }
        }
        if !options.compat {
            // the launches of barrier partners are not followed, so they are looked at here
            for at in 0..pager.entries.len() {
                pager.check_launches(at);
            }
        }
        pager
    }

    fn add_job(&mut self, job: &'a Job, at: JobRef) {
        let entry = self.entries.len();
        let (mut barriers, mut launches) = (Vec::new(), false);
        for inst in job.insts() {
            match inst.op {
                Op::LocalBarrier { barrier, .. } if !barriers.contains(&barrier.0) => {
                    barriers.push(barrier.0);
                    self.barrier_users.entry(barrier.0).or_default().push(entry);
                }
                Op::LaunchJob { .. } => launches = true,
                _ => {}
            }
        }
        let key = (job.unit, at.region, job.id);
        if *self.by_number.entry(key).or_insert(entry) != entry && !self.options.compat {
            self.report_duplicate(job);
        }
        self.entries.push(Entry {
            job,
            at,
            barriers,
            launches,
            page: None,
        });
    }

    fn report(&mut self, job: &Job, source: Option<SourceLoc>, diag: Diag) {
        let place = CodePlace::new(self.uc, self.scope, Some(job), source);
        self.errors.push(Finding::new(place, diag));
    }

    fn report_duplicate(&mut self, job: &Job) {
        let diag = Diag::error(&codes::DUPLICATE_JOB, "another job has the same number");
        self.report(
            job,
            None,
            diag.help("give each job of a page its own number"),
        );
    }

    fn run(&mut self, pages: &mut Vec<PagePlan>) {
        let first = pages.len();
        let mut filling = self.empty_page();
        let mut region = 0;
        let mut closure = Vec::new();
        for i in 0..self.entries.len() {
            if self.entries[i].page.is_some() {
                continue;
            }
            if self.entries[i].at.region != region {
                self.close(&mut filling, pages);
                let next = self.entries[i].at.region;
                self.raw_pages(region..next, pages);
                region = next;
            }
            closure.clear();
            self.closure(i, &mut closure);
            self.check_closure(i, &closure);
            self.walk.clear();
            for &member in &closure {
                self.walk.job(self.entries[member].job);
            }
            let data = data_bytes(self.scope, self.walk.order());
            let text = self.text_bytes(&closure, 0);
            let alone = page_bytes(text, data);
            if alone > PAGE_BYTES {
                let job = self.entries[i].job;
                let message = format!("text and data need {alone} bytes, a page has {PAGE_BYTES}");
                let diag = Diag::error(&codes::JOB_TOO_BIG, message)
                    .help(
                        "split the job, as `aiec asm --fix-pages` does, or move data to another job",
                    )
                    .remark(budget::table(&self.budget(&closure), alone));
                self.report(job, None, diag);
            }
            let grown =
                filling.plan.text_bytes + self.text_bytes(&closure, filling.plan.text_bytes);
            let total = grown + filler_bytes(grown) + filling.plan.data_bytes + data;
            if total + EOF_BYTES + HEADER_BYTES > PAGE_BYTES {
                self.close(&mut filling, pages);
            }
            self.append(&mut filling, pages.len(), &closure, data);
        }
        self.close(&mut filling, pages);
        self.raw_pages(region..self.scope.regions.len(), pages);
        if pages.len() > first
            && let Some(last) = pages.last_mut()
        {
            last.ends_scope = true;
        }
    }

    /// Bytes that each job of a closure takes of the page; data count for the first that names
    /// them.
    fn budget(&mut self, closure: &[usize]) -> Vec<JobBudget> {
        self.walk.clear();
        let mut at = 0;
        let mut budgets = Vec::new();
        for &member in closure {
            let job = self.entries[member].job;
            let known = self.walk.order().len();
            self.walk.job(job);
            let text = job_bytes(job, at);
            at += text;
            let new = self.walk.order().get(known..).unwrap_or_default();
            budgets.push(JobBudget {
                job: job.id,
                source: job.source,
                text,
                data: data_bytes(self.scope, new),
            });
        }
        budgets
    }

    fn empty_page(&self) -> OpenPage {
        OpenPage {
            plan: PagePlan {
                scope: self.id,
                jobs: Vec::new(),
                data: Vec::new(),
                text_bytes: 0,
                data_bytes: 0,
                ends_scope: false,
                raw: None,
            },
            numbers: FxHashMap::default(),
        }
    }

    /// Adds the pages of those regions that are given by their bytes.
    fn raw_pages(&self, regions: std::ops::Range<usize>, pages: &mut Vec<PagePlan>) {
        for region in regions {
            let raw = self.scope.regions.get(region).and_then(|r| r.raw.as_ref());
            let Some(raw) = raw else { continue };
            let header = PageHeader::parse(&raw.bytes).unwrap_or_default();
            pages.push(PagePlan {
                raw: Some((region, usize::from(header.length))),
                ..self.empty_page().plan
            });
        }
    }

    fn close(&mut self, filling: &mut OpenPage, pages: &mut Vec<PagePlan>) {
        if !filling.plan.jobs.is_empty() {
            let next = self.empty_page();
            pages.push(std::mem::replace(filling, next).plan);
        }
    }

    /// Puts a closure and the data that were walked last on a page.
    fn append(&mut self, page: &mut OpenPage, number: usize, closure: &[usize], data: usize) {
        let text = self.text_bytes(closure, page.plan.text_bytes);
        page.plan.text_bytes += text;
        page.plan.data_bytes += data;
        for &member in closure {
            let (job, at) = (self.entries[member].job, self.entries[member].at);
            if let Some(page) = self.entries[member].page {
                let message =
                    format!("is already on page {page} when another job wants it beside itself");
                let help =
                    "put a deferred job after its launcher, and barrier partners side by side";
                let diag = Diag::error(&codes::JOB_ON_TWO_PAGES, message);
                self.report(job, None, diag.help(help));
            }
            if *page.numbers.entry(job.id).or_insert(job.unit) != job.unit {
                self.report_duplicate(job);
            }
            self.entries[member].page = Some(number);
            page.plan.jobs.push(at);
        }
        for &id in self.walk.order() {
            match self.block_pages.get_mut(id.0 as usize) {
                Some(last) if *last == number + 1 => {}
                Some(last) => {
                    *last = number + 1;
                    page.plan.data.push(id);
                }
                None => page.plan.data.push(id),
            }
        }
    }

    /// Text bytes of jobs one after the other from a position of the page.
    fn text_bytes(&self, closure: &[usize], start: usize) -> usize {
        let end = closure
            .iter()
            .fold(start, |at, &i| at + job_bytes(self.entries[i].job, at));
        end - start
    }

    /// The jobs that must be on the page of job `root`: barrier partners, launched jobs, and
    /// whatever these bring along.
    fn closure(&mut self, root: usize, order: &mut Vec<usize>) {
        if self.entries[root].barriers.is_empty() && !self.entries[root].launches {
            return order.push(root);
        }
        let mut seen = FxHashSet::default();
        let mut expanded = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(job) = stack.pop() {
            if !expanded.insert(job) {
                continue;
            }
            if seen.insert(job) {
                order.push(job);
            }
            self.add_partners(job, order, &mut seen);
            let targets = self.launch_targets(job);
            for &target in &targets {
                if seen.insert(target) {
                    order.push(target);
                }
            }
            stack.extend(targets.into_iter().rev());
        }
    }

    fn add_partners(&self, job: usize, order: &mut Vec<usize>, seen: &mut FxHashSet<usize>) {
        let mut barriers = self.entries[job].barriers.clone();
        let mut next = 0;
        while let Some(&barrier) = barriers.get(next) {
            next += 1;
            for &user in self.barrier_users.get(&barrier).map_or(&[][..], |u| u) {
                if seen.insert(user) {
                    order.push(user);
                }
                for &b in &self.entries[user].barriers {
                    if !barriers.contains(&b) {
                        barriers.push(b);
                    }
                }
            }
        }
    }

    fn launch_targets(&mut self, job: usize) -> Vec<usize> {
        if self.options.compat {
            self.check_launches(job);
        }
        self.launches(job)
            .filter_map(|(_, target)| target)
            .collect()
    }

    /// The launches of a job, and the jobs they launch if there are such.
    fn launches(&self, job: usize) -> impl Iterator<Item = (&'a Inst, Option<usize>)> {
        let entry = &self.entries[job];
        let (unit, region) = (entry.job.unit, entry.at.region);
        let insts = entry.launches.then(|| entry.job.insts());
        insts.into_iter().flatten().filter_map(move |inst| {
            let Op::LaunchJob { job_id } = inst.op else {
                return None;
            };
            Some((inst, self.by_number.get(&(unit, region, job_id)).copied()))
        })
    }

    /// Reports launches of jobs that don't exist.
    fn check_launches(&mut self, job: usize) {
        let missing = self.launches(job).filter(|(_, target)| target.is_none());
        let missing: Vec<&Inst> = missing.map(|(inst, _)| inst).collect();
        for inst in missing {
            if let Op::LaunchJob { job_id: target } = inst.op {
                let entry = self.entries[job].job;
                let message = format!("launches job {target}, which this region does not have");
                let help = "add a START_JOB_DEFERRED with that number";
                let diag = Diag::error(&codes::LAUNCH_MISSING, message);
                self.report(entry, inst.source, diag.help(help));
            }
        }
    }

    /// Reports barrier partners past another page end.
    fn check_closure(&mut self, root: usize, closure: &[usize]) {
        let region = self.entries[root].at.region;
        for &member in closure {
            if self.entries[member].at.region == region {
                continue;
            }
            let barrier = self.entries[member].barriers.first().copied().unwrap_or(0);
            let other = self.entries[member].job;
            let message = format!(
                "local barrier {barrier} is also used by job {}, after another page end",
                other.id
            );
            let diag = Diag::error(&codes::BARRIER_SPLIT, message).help(
                "a local barrier number is one group for the whole scope: use another number, or \
                 keep the jobs in one .eop region",
            );
            let job = self.entries[root].job;
            let place = CodePlace::new(self.uc, self.scope, Some(job), None);
            let finding = Finding::new(place, diag).with(other.source, "the other job");
            self.errors.push(finding);
            return;
        }
    }
}
