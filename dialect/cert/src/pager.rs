//! Which job and which data go to which page.
//!
//! Jobs are taken in text order. A job brings along those that must share its page (partners at
//! local barriers, jobs it launches) and the data they name; the whole goes to the page being
//! filled if it fits, else to a new one. The rules are the vendor assembler's (aiebu:
//! src/cpp/preprocessor/asm/pager.cpp), so that pages come out the same.

use std::collections::{BTreeMap, HashMap};

use crate::error::{LayoutError, Place, Problem};
use crate::isa::{Op, Operand};
use crate::page::{
    END_JOB_BYTES, EOF_BYTES, HEADER_BYTES, PAGE_BYTES, PageHeader, START_JOB_BYTES, filler_bytes,
};
use crate::program::{
    BodyItem, DataId, DataItem, FixupValue, Group, Job, Scope, ScopeId, SourceLoc, Word,
};

/// A job of a scope by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobRef {
    /// Index of the region.
    pub region: usize,
    /// Index in the region.
    pub index: usize,
}

/// What is on a page.
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
    /// Number of the first page of a scope; `None` if it has no jobs.
    pub fn first_page(&self, scope: ScopeId) -> Option<usize> {
        self.pages.iter().position(|p| p.scope == scope)
    }
}

/// How strict layout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayoutOptions {
    /// Accept what the vendor's assembler accepts: equal job numbers that were spelt differently.
    pub compat: bool,
}

/// Distributes the jobs and data of a controller over pages. All findings are reported together.
pub fn plan_group(group: &Group, options: LayoutOptions) -> Result<GroupPlan, Vec<LayoutError>> {
    let mut plan = GroupPlan::default();
    let mut errors = Vec::new();
    for &id in &group.scope_order {
        let Some(scope) = group.scope(id) else {
            continue;
        };
        let mut pager = Pager::new(group.uc, id, scope, options);
        pager.run(&mut plan.pages);
        errors.append(&mut pager.errors);
    }
    if errors.is_empty() {
        Ok(plan)
    } else {
        Err(errors)
    }
}

/// Bytes of a job that begins at position `start` of the page (only inline `.align` depends on
/// where).
pub fn job_bytes(job: &Job, start: usize) -> usize {
    let mut at = start + START_JOB_BYTES;
    for item in &job.body {
        at = match item {
            BodyItem::Inst(inst) => at + inst.op.size(),
            BodyItem::Word(_) => at + 4,
            BodyItem::Align(n) => at.next_multiple_of((*n).max(1) as usize),
        };
    }
    at + END_JOB_BYTES - start
}

/// Bytes of a page that holds only this job and its data, header and EOF included; what the
/// compiler compares with [`PAGE_BYTES`] to know where to split. Tables of BD images count as far
/// as this job names them.
pub fn lone_job_page_bytes(job: &Job, scope: &Scope) -> usize {
    let tables = tables_of(std::iter::once(job));
    let mut walk = DataWalk::new(scope, &tables);
    walk.job(job);
    let text = job_bytes(job, 0);
    HEADER_BYTES + text + EOF_BYTES + filler_bytes(text) + data_bytes(scope, &walk.order)
}

fn data_bytes(scope: &Scope, blocks: &[DataId]) -> usize {
    blocks
        .iter()
        .filter_map(|&id| scope.block(id))
        .map(|b| b.size())
        .sum()
}

/// Entries of the table that begins at a block, where an APPLY_OFFSET_57 names more than one.
fn tables_of<'a>(jobs: impl Iterator<Item = &'a Job>) -> HashMap<DataId, u16> {
    let mut tables = HashMap::new();
    for job in jobs {
        for inst in job.insts() {
            if let Op::ApplyOffset57 {
                table, num_entries, ..
            } = inst.op
                && num_entries > 1
            {
                let entries = tables.entry(table).or_insert(num_entries);
                *entries = num_entries.max(*entries);
            }
        }
    }
    tables
}

/// Collects data blocks in order of first use, depth first.
struct DataWalk<'a> {
    scope: &'a Scope,
    tables: &'a HashMap<DataId, u16>,
    seen: std::collections::HashSet<DataId>,
    order: Vec<DataId>,
}

impl<'a> DataWalk<'a> {
    fn new(scope: &'a Scope, tables: &'a HashMap<DataId, u16>) -> Self {
        Self {
            scope,
            tables,
            seen: Default::default(),
            order: Vec::new(),
        }
    }

    fn job(&mut self, job: &Job) {
        for item in &job.body {
            match item {
                BodyItem::Inst(inst) => {
                    inst.op.for_each_field(|_, operand| {
                        if let Operand::Label(id) = operand {
                            self.enter(id);
                        }
                    });
                    for fixup in &inst.fixups {
                        if let FixupValue::Label(id) = fixup.value {
                            self.enter(id);
                        }
                    }
                }
                BodyItem::Word(Word::Label(id)) => self.enter(*id),
                BodyItem::Word(_) | BodyItem::Align(_) => {}
            }
        }
    }

    /// Takes a block, the rest of its table, and what they refer to.
    fn enter(&mut self, id: DataId) {
        let mut stack: Vec<(DataId, usize)> = Vec::new();
        self.take(id, &mut stack);
        while let Some((block, item)) = stack.last_mut() {
            let items = self.scope.block(*block).map_or(&[][..], |b| &b.items);
            let Some(next) = items.get(*item) else {
                stack.pop();
                continue;
            };
            *item += 1;
            match next {
                DataItem::Bd(bd) => self.take(bd.local, &mut stack),
                DataItem::Word(Word::Label(id)) => self.take(*id, &mut stack),
                DataItem::Word(_) => {}
            }
        }
    }

    fn take(&mut self, id: DataId, stack: &mut Vec<(DataId, usize)>) {
        if !self.seen.insert(id) {
            return;
        }
        self.order.push(id);
        let entries = self.tables.get(&id).map_or(1, |&n| u32::from(n));
        let mut walk = vec![(id, 0)];
        for follower in id.0 + 1..id.0.saturating_add(entries) {
            let follower = DataId(follower);
            if self.scope.block(follower).is_some() && self.seen.insert(follower) {
                self.order.push(follower);
                walk.push((follower, 0));
            }
        }
        stack.extend(walk.into_iter().rev());
    }
}

/// A job with what the pager needs of it.
struct Entry<'a> {
    job: &'a Job,
    at: JobRef,
    barriers: Vec<u8>,
    /// Page it is on.
    page: Option<usize>,
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
    by_number: HashMap<(u32, usize, u16), usize>,
    tables: HashMap<DataId, u16>,
    errors: Vec<LayoutError>,
}

impl<'a> Pager<'a> {
    fn new(uc: u32, id: ScopeId, scope: &'a Scope, options: LayoutOptions) -> Self {
        let mut pager = Self {
            uc,
            id,
            scope,
            options,
            entries: Vec::new(),
            barrier_users: BTreeMap::new(),
            by_number: HashMap::new(),
            tables: tables_of(scope.jobs().map(|(_, job)| job)),
            errors: Vec::new(),
        };
        for (region, jobs) in scope.regions.iter().enumerate() {
            for (index, job) in jobs.jobs.iter().enumerate() {
                pager.add_job(job, JobRef { region, index });
            }
        }
        pager
    }

    fn add_job(&mut self, job: &'a Job, at: JobRef) {
        let entry = self.entries.len();
        let mut barriers = Vec::new();
        for inst in job.insts() {
            if let Op::LocalBarrier { barrier, .. } = inst.op
                && !barriers.contains(&barrier.0)
            {
                barriers.push(barrier.0);
                self.barrier_users.entry(barrier.0).or_default().push(entry);
            }
        }
        let key = (job.unit, at.region, job.id);
        if *self.by_number.entry(key).or_insert(entry) != entry && !self.options.compat {
            self.report(job, job.source, Problem::DuplicateJob);
        }
        self.entries.push(Entry {
            job,
            at,
            barriers,
            page: None,
        });
    }

    fn report(&mut self, job: &Job, source: Option<SourceLoc>, problem: Problem) {
        self.errors.push(LayoutError {
            place: Place {
                uc: self.uc,
                scope: self.scope.name.clone(),
                job: Some(job.id),
                source: source.or(job.source),
            },
            problem,
        });
    }

    fn run(&mut self, pages: &mut Vec<PagePlan>) {
        let first = pages.len();
        let mut filling = self.empty_page();
        let mut region = 0;
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
            let closure = self.closure(i);
            self.check_closure(i, &closure);
            let mut walk = DataWalk::new(self.scope, &self.tables);
            for &member in &closure {
                walk.job(self.entries[member].job);
            }
            let blocks = walk.order;
            let data = data_bytes(self.scope, &blocks);
            let text = self.text_bytes(&closure, 0);
            let alone = text + filler_bytes(text) + data + EOF_BYTES + HEADER_BYTES;
            if alone > PAGE_BYTES {
                let job = self.entries[i].job;
                let problem = Problem::JobTooBig {
                    bytes: alone,
                    limit: PAGE_BYTES,
                };
                self.report(job, None, problem);
            }
            let grown = filling.text_bytes + self.text_bytes(&closure, filling.text_bytes);
            let total = grown + filler_bytes(grown) + filling.data_bytes + data;
            if total + EOF_BYTES + HEADER_BYTES > PAGE_BYTES {
                self.close(&mut filling, pages);
            }
            self.append(&mut filling, pages.len(), &closure, &blocks, data);
        }
        self.close(&mut filling, pages);
        self.raw_pages(region..self.scope.regions.len(), pages);
        if pages.len() > first
            && let Some(last) = pages.last_mut()
        {
            last.ends_scope = true;
        }
    }

    fn empty_page(&self) -> PagePlan {
        PagePlan {
            scope: self.id,
            jobs: Vec::new(),
            data: Vec::new(),
            text_bytes: 0,
            data_bytes: 0,
            ends_scope: false,
            raw: None,
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
                ..self.empty_page()
            });
        }
    }

    fn close(&mut self, filling: &mut PagePlan, pages: &mut Vec<PagePlan>) {
        if !filling.jobs.is_empty() {
            let next = self.empty_page();
            pages.push(std::mem::replace(filling, next));
        }
    }

    fn append(
        &mut self,
        page: &mut PagePlan,
        number: usize,
        closure: &[usize],
        blocks: &[DataId],
        data: usize,
    ) {
        page.text_bytes += self.text_bytes(closure, page.text_bytes);
        page.data_bytes += data;
        for &member in closure {
            let (job, at) = (self.entries[member].job, self.entries[member].at);
            if let Some(page) = self.entries[member].page {
                self.report(job, None, Problem::JobOnTwoPages { page });
            }
            let clash = page.jobs.iter().any(|&other| {
                let other = &self.scope.regions[other.region].jobs[other.index];
                other.id == job.id && other.unit != job.unit
            });
            if clash {
                self.report(job, None, Problem::DuplicateJob);
            }
            self.entries[member].page = Some(number);
            page.jobs.push(at);
        }
        // the data of a page is small: at most 2048 blocks of a word each
        let present: std::collections::HashSet<DataId> = page.data.iter().copied().collect();
        page.data
            .extend(blocks.iter().filter(|id| !present.contains(id)));
    }

    /// Text bytes of jobs one behind the other from a position of the page.
    fn text_bytes(&self, closure: &[usize], start: usize) -> usize {
        let end = closure
            .iter()
            .fold(start, |at, &i| at + job_bytes(self.entries[i].job, at));
        end - start
    }

    /// The jobs that must be on the page of job `root`: barrier partners, launched jobs, and
    /// whatever these bring along.
    fn closure(&mut self, root: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut expanded = std::collections::HashSet::new();
        let mut stack = vec![root];
        while let Some(job) = stack.pop() {
            if !expanded.insert(job) {
                continue;
            }
            if seen.insert(job) {
                order.push(job);
            }
            self.add_partners(job, &mut order, &mut seen);
            let targets = self.launch_targets(job);
            for &target in &targets {
                if seen.insert(target) {
                    order.push(target);
                }
            }
            stack.extend(targets.into_iter().rev());
        }
        order
    }

    fn add_partners(
        &self,
        job: usize,
        order: &mut Vec<usize>,
        seen: &mut std::collections::HashSet<usize>,
    ) {
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
        let (entry, at) = (self.entries[job].job, self.entries[job].at);
        let mut targets = Vec::new();
        for inst in entry.insts() {
            if let Op::LaunchJob { job_id } = inst.op {
                match self.by_number.get(&(entry.unit, at.region, job_id)) {
                    Some(&target) => targets.push(target),
                    None => {
                        let problem = Problem::LaunchMissing { target: job_id };
                        self.report(entry, inst.source, problem);
                    }
                }
            }
        }
        targets
    }

    /// Reports barrier partners behind another page end.
    fn check_closure(&mut self, root: usize, closure: &[usize]) {
        let region = self.entries[root].at.region;
        for &member in closure {
            if self.entries[member].at.region == region {
                continue;
            }
            let barrier = self.entries[member].barriers.first().copied().unwrap_or(0);
            let problem = Problem::BarrierSplit {
                barrier,
                other: self.entries[member].job.id,
            };
            let job = self.entries[root].job;
            self.report(job, None, problem);
            return;
        }
    }
}
