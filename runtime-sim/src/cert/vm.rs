//! One controller: its pages, jobs and scheduler.

use std::collections::VecDeque;

use aiec_cert::isa::Reg;
use aiec_cert::page::{HEADER_BYTES, PAGE_BYTES, PageHeader, PlacedOp, decode_page};
use aiec_cert::program::JobKind;

use super::fault::{CertFault, InstructionFault, InstructionSite};
use super::job::{Job, JobBlock, JobState};
use super::saved::SavedRecords;
use super::sync::{JobKey, SharedState};
use super::ucdma::UcDma;
use crate::array::{Array, ControlOrder, JobId, ThreadName};
use crate::record::counters;
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Deepest nesting of sub-programs.
const MAX_DEPTH: usize = 16;

/// Code of a controller in host memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedUc {
    /// Number of the controller.
    pub uc: u32,
    /// Host address of page 0; pages follow every 8192 bytes.
    pub base: u64,
    /// Pages.
    pub pages: u32,
}

/// A page that runs, or that waits for a sub-program.
#[derive(Clone, Debug)]
pub struct PageRun {
    /// Page number.
    pub number: u16,
    /// Header.
    pub header: PageHeader,
    /// The whole page; APPLY_OFFSET_57 may change its data.
    pub bytes: Vec<u8>,
    /// Jobs in page order.
    pub jobs: Vec<Job>,
    /// Jobs that may run, in order.
    pub ready: VecDeque<usize>,
    /// Job that has the controller.
    pub current: Option<usize>,
    /// Job of the page below that waits for this sub-program.
    pub parent: Option<usize>,
    /// When the next page will be there.
    prefetched: Option<Cycle>,
    /// Jobs before this index were started, or wait to be launched; the one at it waits for a
    /// job before it.
    pub(super) released: usize,
    /// A job that others wait for has ended: start them.
    pub(super) opened: bool,
}

/// A page that is being fetched from host memory.
#[derive(Debug, Clone, Copy)]
struct Fetch {
    page: u16,
    ready: Cycle,
    parent: Option<usize>,
}

counters! {
    /// Counters of a controller.
    pub struct VmCounts {
        /// Instructions executed.
        pub instructions: u64,
        /// Jobs that ended.
        pub jobs: u64,
        /// Pages fetched.
        pub pages: u64,
        /// Cycles in which it executed.
        #[serde(rename = "busy_cycles")]
        pub busy: Cycle,
    }
}

/// Totals of a controller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VmStats {
    /// Its counters.
    pub counts: VmCounts,
    /// Words that its uC-DMA wrote.
    pub dma_words: u64,
    /// When it was done with everything.
    pub ended: Option<Cycle>,
}

/// A controller.
#[derive(Clone, Debug)]
pub struct Vm {
    /// Number of the controller.
    pub uc: u32,
    /// Index in the machine.
    pub(super) index: usize,
    /// Address of page 0 in host memory.
    pub(super) base: u64,
    /// Pages it has.
    pages: u32,
    /// When the controller is free.
    pub(super) time: Cycle,
    pub(super) globals: [u32; (Reg::COUNT - Reg::PRIVATE) as usize],
    /// Running pages, the innermost sub-program last.
    pub(super) stack: Vec<PageRun>,
    fetch: Option<Fetch>,
    pub(super) dma: UcDma,
    /// Configuration loaded last: identifier and first page.
    pub(super) last_pdi: Option<(u32, u16)>,
    /// Core programs loaded last: identifier, and first page unless control packets brought them.
    pub(super) last_cores: Option<(u32, Option<u16>)>,
    /// The last preemption point that was checked was one at which the context was switched.
    pub(super) preempted: bool,
    /// When it last did anything but look at a register.
    pub(super) progress: Cycle,
    /// Records saved for the host.
    pub(super) saved: SavedRecords,
    pub(super) stats: VmStats,
}

impl PageRun {
    /// True if no page of its scope follows.
    pub(super) fn is_last(&self) -> bool {
        self.prefetched.is_none()
    }
}

impl Vm {
    /// A controller that begins to fetch its first page in a cycle.
    pub(super) fn new(index: usize, loaded: &LoadedUc, timing: &CertTiming, start: Cycle) -> Self {
        let first = start + timing.page_fetch(PAGE_BYTES as u64);
        Self {
            uc: loaded.uc,
            index,
            base: loaded.base,
            pages: loaded.pages,
            time: start,
            globals: [0; (Reg::COUNT - Reg::PRIVATE) as usize],
            stack: Vec::new(),
            fetch: (loaded.pages > 0).then_some(Fetch {
                page: 0,
                ready: first,
                parent: None,
            }),
            dma: UcDma::default(),
            last_pdi: None,
            last_cores: None,
            preempted: false,
            progress: start,
            saved: SavedRecords::default(),
            stats: VmStats::default(),
        }
    }

    /// Pages it has.
    pub(super) fn page_count(&self) -> u16 {
        u16::try_from(self.pages).unwrap_or(u16::MAX)
    }

    /// Totals up to now.
    pub fn stats(&self) -> VmStats {
        VmStats {
            dma_words: self.dma.words,
            ..self.stats
        }
    }

    /// True when all pages were executed and all writes are out.
    pub fn is_done(&self) -> bool {
        self.stack.is_empty() && self.fetch.is_none() && self.dma.next().is_none()
    }

    /// The pages that run: the main program's first.
    pub fn running(&self) -> &[PageRun] {
        &self.stack
    }

    /// Its registers that all jobs share, from the first after the private ones.
    pub fn shared_registers(&self) -> &[u32] {
        &self.globals
    }

    /// When the controller acts next by itself.
    pub(super) fn next(&self) -> Option<Cycle> {
        if let Some(fetch) = self.fetch {
            return Some(fetch.ready.max(self.time));
        }
        let run = self.stack.last()?;
        if run.current.is_some() || run.opened {
            return Some(self.time);
        }
        if let Some(&job) = run.ready.front() {
            let turn = self.poll_in_turn().map(|_| self.time);
            return turn.or(Some(self.time.max(run.jobs[job].since)));
        }
        if self.page_is_over(run) {
            return self.dma.next().is_none().then_some(self.time);
        }
        self.polls().map(|(_, retry)| retry.max(self.time)).min()
    }

    /// True if all it can do by itself is look at registers.
    pub(super) fn only_polls(&self) -> bool {
        let busy = |run: &PageRun| match run.current {
            Some(job) => !run.jobs[job].spinning,
            None => run.opened || !run.ready.is_empty() || self.page_is_over(run),
        };
        self.fetch.is_none() && self.dma.next().is_none() && !self.stack.last().is_some_and(busy)
    }

    /// Polling jobs of the running page and their next look.
    pub(super) fn polls(&self) -> impl Iterator<Item = (usize, Cycle)> {
        let jobs = self.stack.last().map_or(&[][..], |run| &run.jobs);
        jobs.iter()
            .enumerate()
            .filter_map(|(i, job)| match job.state {
                JobState::Blocked(JobBlock::Poll { retry, .. }) => Some((i, retry)),
                _ => None,
            })
    }

    fn page_is_over(&self, run: &PageRun) -> bool {
        run.jobs.iter().all(Job::is_over)
    }

    /// Sets a job ready.
    pub(super) fn wake(&mut self, key: JobKey, at: Cycle) {
        let Some(run) = self.stack.get_mut(key.depth) else {
            return;
        };
        let Some(job) = run.jobs.get_mut(key.job) else {
            return;
        };
        job.since = at;
        if job.leaving {
            job.state = JobState::Ended;
            run.opened = true;
            self.time = self.time.max(at);
        } else {
            job.state = JobState::Ready;
            run.ready.push_back(key.job);
        }
    }

    /// The jobs that wait for a chain.
    pub(super) fn jobs_behind(&self, chain: u32) -> Vec<JobKey> {
        let mut all = Vec::new();
        for (depth, run) in self.stack.iter().enumerate() {
            let jobs = run.jobs.iter().enumerate();
            let waiting = jobs.filter(|(_, job)| {
                job.state == JobState::Blocked(JobBlock::UcDma { handle: chain })
            });
            all.extend(waiting.map(|(job, _)| JobKey {
                vm: self.index,
                depth,
                job,
            }));
        }
        all
    }

    /// Sets ready whom a finished chain concerns.
    pub(super) fn dma_done(&mut self, done: u32, at: Cycle) {
        if self.stack.last().is_some_and(|run| self.page_is_over(run)) {
            // the page waited for its writes to be out
            self.time = self.time.max(at);
        }
        for depth in 0..self.stack.len() {
            let waiting: Vec<usize> = self.stack[depth]
                .jobs
                .iter()
                .enumerate()
                .filter(|(_, job)| match job.state {
                    JobState::Blocked(JobBlock::UcDma { handle }) => handle <= done,
                    JobState::Blocked(JobBlock::UcDmaQueue) => true,
                    _ => false,
                })
                .map(|(i, _)| i)
                .collect();
            for job in waiting {
                self.wake(
                    JobKey {
                        vm: self.index,
                        depth,
                        job,
                    },
                    at,
                );
            }
        }
    }

    /// Acts once: a page arrives or ends, a job is chosen, or an instruction is executed.
    pub(super) fn step(
        &mut self,
        array: &mut Array,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        if let Some(fetch) = self.fetch.take() {
            self.time = self.time.max(fetch.ready);
            return self.begin_page(fetch, array, shared, timing);
        }
        let Some(run) = self.stack.last() else {
            return Ok(());
        };
        if let Some(job) = run.current {
            return self.execute(job, array, shared, timing);
        }
        if run.opened {
            self.release_jobs(shared, timing);
            return Ok(());
        }
        if let Some(job) = self.poll_in_turn() {
            self.time += timing.job_switch;
            return self.look(job, array, timing);
        }
        if let Some(&job) = run.ready.front() {
            self.time = self.time.max(run.jobs[job].since) + timing.job_switch;
            if run.jobs[job].pc == 0 && shared.is_run_job(self.uc, run.number, run.jobs[job].at) {
                shared.run_began.get_or_insert(self.time);
            }
            self.trace_chosen(array, job);
            if let Some(run) = self.stack.last_mut() {
                run.ready.pop_front();
                run.current = Some(job);
                for job in &mut run.jobs {
                    if let JobState::Blocked(JobBlock::Poll { ahead, .. }) = &mut job.state {
                        *ahead = ahead.saturating_sub(1);
                    }
                }
            }
            return Ok(());
        }
        if self.page_is_over(run) {
            if self.saves_remain() {
                return self.flush_saved(array, timing);
            }
            self.trace_page(array, self.stack.last().map_or(0, |run| run.number), false);
            self.end_page(shared, timing);
            return Ok(());
        }
        // the job that looked longest ago looks again
        if let Some((job, retry)) = self.polls().min_by_key(|&(i, retry)| (retry, i)) {
            self.time = self.time.max(retry);
            return self.look(job, array, timing);
        }
        Ok(())
    }

    /// All jobs that poll or spin look at their registers now.
    pub(super) fn look_all(
        &mut self,
        array: &mut Array,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        if let Some(job) = self.stack.last().and_then(|run| run.current) {
            return self.execute(job, array, shared, timing);
        }
        for (job, _) in self.polls().collect::<Vec<_>>() {
            self.look(job, array, timing)?;
        }
        Ok(())
    }

    fn begin_page(
        &mut self,
        fetch: Fetch,
        array: &mut Array,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        let (uc, page) = (self.uc, fetch.page);
        let address = self.base + u64::from(page) * PAGE_BYTES as u64;
        let bytes = array
            .host
            .read(address, PAGE_BYTES as u64)
            .map_err(|fault| CertFault::Fetch { uc, page, fault })?
            .to_vec();
        let decoded = decode_page(&bytes).map_err(|error| {
            let why = error.message;
            CertFault::Page { uc, page, why }
        })?;
        let header = decoded.header;
        let jobs = Job::of_page(decoded, self.time);
        let mut numbers: Vec<u16> = jobs.iter().map(|job| job.id).collect();
        numbers.sort_unstable();
        if let Some(twice) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            let job = twice[0];
            return Err(CertFault::DuplicateJob { uc, page, job });
        }
        // the next page comes in meanwhile
        let prefetched = (header.next_length > 0)
            .then(|| self.time + timing.page_fetch(u64::from(header.next_length)));
        self.stats.counts.pages += 1;
        self.trace_page(array, page, true);
        self.order_page_begin(jobs.len(), fetch.parent.is_none() && page == 0, shared);
        self.stack.push(PageRun {
            number: page,
            header,
            bytes,
            jobs,
            ready: VecDeque::new(),
            current: None,
            parent: fetch.parent,
            prefetched,
            released: 0,
            opened: false,
        });
        self.release_jobs(shared, timing);
        Ok(())
    }

    /// Orders the jobs of a page after the pages before it, and the first page after the host.
    fn order_page_begin(&self, jobs: usize, first: bool, shared: &mut SharedState) {
        let (vm, depth) = (self.index, self.stack.len());
        let pages = ThreadName::Pages(vm, depth);
        if first {
            let host = ThreadName::Host;
            shared.orders.push(ControlOrder::After(pages, host));
        }
        for job in 0..jobs {
            let job = JobKey { vm, depth, job }.thread();
            shared.orders.push(ControlOrder::After(job, pages));
        }
    }

    /// Orders everything after a page after its jobs and the chains that they queued.
    fn order_page_end(&self, jobs: usize, shared: &mut SharedState) {
        let (vm, depth) = (self.index, self.stack.len());
        let pages = ThreadName::Pages(vm, depth);
        for job in 0..jobs {
            let key = JobKey { vm, depth, job };
            for thread in [key.thread(), ThreadName::Chains(key.place())] {
                shared.orders.push(ControlOrder::After(pages, thread));
            }
        }
    }

    /// Starts the jobs of the running page in order, up to the first after a job that others
    /// wait for (LOAD_PDI, LOAD_CORES, PREEMPT, a conditional job) and that is not over.
    pub(super) fn release_jobs(&mut self, shared: &mut SharedState, timing: &CertTiming) {
        let depth = self.stack.len().saturating_sub(1);
        let preempted = self.preempted;
        let now = self.time;
        while let Some(run) = self.stack.get_mut(depth) {
            run.opened = false;
            let index = run.released;
            let before = index.checked_sub(1).and_then(|i| run.jobs.get(i));
            if before.is_some_and(|job| job.gates && !job.is_over()) {
                return;
            }
            let behind = before.is_some_and(|job| job.gates);
            let Some(job) = run.jobs.get_mut(index) else {
                return;
            };
            if behind {
                let key = |job| JobKey {
                    vm: self.index,
                    depth,
                    job,
                };
                let (later, earlier) = (key(index).thread(), key(index - 1).thread());
                shared.orders.push(ControlOrder::After(later, earlier));
            }
            run.released += 1;
            if job.state != JobState::Gated {
                continue;
            }
            job.since = now;
            if job.kind == JobKind::AfterPreemption && !preempted {
                // It doesn't run, but the controllers meet where it would have ended.
                job.leaving = true;
                let key = JobKey {
                    vm: self.index,
                    depth,
                    job: index,
                };
                self.reach_sync_point(key, shared, timing);
                continue;
            }
            job.state = JobState::Ready;
            run.ready.push_back(index);
        }
    }

    /// The page has ended: on to the next of its scope, or back to the page below.
    fn end_page(&mut self, shared: &mut SharedState, timing: &CertTiming) {
        let Some(run) = self.stack.pop() else { return };
        self.order_page_end(run.jobs.len(), shared);
        let pages = ThreadName::Pages(self.index, self.stack.len());
        let left = run.jobs.iter();
        let left = left.filter(|job| job.state == JobState::Deferred);
        shared.never_launched.extend(left.map(|job| JobId {
            uc: self.uc as u8,
            page: run.number,
            job: job.id,
        }));
        if let Some(ready) = run.prefetched {
            let page = run.number.wrapping_add(1);
            if u32::from(page) < self.pages {
                self.fetch = Some(Fetch {
                    page,
                    ready,
                    parent: run.parent,
                });
                return;
            }
        }
        match run.parent {
            Some(job) => {
                let key = JobKey {
                    vm: self.index,
                    depth: self.stack.len() - 1,
                    job,
                };
                let parent = key.thread();
                shared.orders.push(ControlOrder::After(parent, pages));
                self.reach_sync_point(key, shared, timing);
            }
            None => {
                let host = ThreadName::Host;
                shared.orders.push(ControlOrder::After(host, pages));
                self.stats.ended = Some(self.time);
            }
        }
    }

    /// Begins the pages of a scope on behalf of a job.
    pub(super) fn run_scope(
        &mut self,
        job: usize,
        page: u16,
        site: InstructionSite,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        if u32::from(page) >= self.pages {
            let (uc, count) = (self.uc, self.pages);
            return Err(CertFault::PageNumber {
                uc,
                page: u32::from(page),
                count,
            });
        }
        if self.stack.len() >= MAX_DEPTH {
            let what = "sub-programs are nested too deeply";
            return Err(InstructionFault::NotExecutable(what).at(site));
        }
        self.block(job, JobBlock::SubProgram { page });
        let ready = self.time + timing.page_fetch(PAGE_BYTES as u64);
        self.fetch = Some(Fetch {
            page,
            ready,
            parent: Some(job),
        });
        Ok(())
    }

    /// A job reaches a synchronisation point of all controllers.
    pub(super) fn reach_sync_point(
        &mut self,
        key: JobKey,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) {
        let release = self.time + timing.remote_barrier;
        if shared.reach_sync_point(key, release) {
            self.wake(key, release);
        } else if let Some(job) = self
            .stack
            .get_mut(key.depth)
            .and_then(|run| run.jobs.get_mut(key.job))
        {
            job.state = JobState::Blocked(JobBlock::SyncPoint);
            job.since = self.time;
        }
    }

    /// Takes the controller from the current job, which waits from now on.
    pub(super) fn block(&mut self, job: usize, block: JobBlock) {
        let time = self.time;
        if let Some(run) = self.stack.last_mut() {
            run.current = None;
            if let Some(job) = run.jobs.get_mut(job) {
                job.state = JobState::Blocked(block);
                job.since = time;
            }
        }
    }

    /// Where an instruction of the running page is.
    pub(super) fn site(&self, op: PlacedOp) -> InstructionSite {
        InstructionSite {
            uc: self.uc,
            page: self.stack.last().map_or(0, |run| run.number),
            offset: op.at as u16,
            mnemonic: op.op.info().mnemonic,
        }
    }

    /// Byte offset in the page of a label's position.
    pub(super) fn label(position: u16) -> usize {
        usize::from(position) + HEADER_BYTES
    }
}
