//! Estimate of a plan's time, so that ways to divide work can be compared.
//!
//! Controllers run their pages one after the other and the jobs of a page in turn, at the costs of
//! the one table ([`aiec_cert::timing`]). Jobs meet at barriers as the control code says; the uC-DMA of a
//! controller does one chain after the other. Of the array only the task queues are followed, as
//! far as the plan's own writes tell of them: a task is over a fixed time and a cycle for each
//! word after its push, and after the one before on its channel. What is waited for but never
//! seen (tasks of control packets, polled registers) counts as there. LOAD_PDI is one
//! instruction: plans that are compared load nothing.

use std::collections::VecDeque;

use aiec_cert::bd::UcDmaBd;
use aiec_cert::isa::{Op, SymOp};
use aiec_cert::names::{ActorId, TileId};
use aiec_cert::page::PAGE_BYTES;
use aiec_cert::program::{DataId, JobKind};
use aiec_device::regmap::{BdFields, BdLayout, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, TileLoc};
use rustc_hash::FxHashMap;

use super::cost::{self, TIMING};
use super::plan::{Page, Plan};
use crate::analysis::transfer::WORD_BYTES;

/// Percent that an estimate must be below another one to be trusted.
const MARGIN: u64 = 1;

/// Whether some cycles are fewer than others by more than estimates may be wrong.
pub fn well_below(cycles: u64, others: u64) -> bool {
    cycles.saturating_mul(100) < others.saturating_mul(100 - MARGIN)
}

/// Cycles from the start until the last controller has ended.
pub fn cycles(model: &'static DeviceModel, plan: &Plan) -> u64 {
    let controllers = plan.controllers.iter();
    let controllers = controllers.map(|c| Controller::new(plan, &c.pages));
    run(model, plan, controllers.collect())
}

/// Cycles that a controller takes for a page with data of a plan.
pub fn page_cycles(model: &'static DeviceModel, plan: &Plan, page: &Page) -> u64 {
    let pages = std::slice::from_ref(page);
    run(model, plan, vec![Controller::new(plan, pages)])
}

fn run(model: &'static DeviceModel, plan: &Plan, mut controllers: Vec<Controller<'_>>) -> u64 {
    let mut estimate = Estimate {
        plan,
        array: Array::new(model),
        barriers: FxHashMap::default(),
    };
    loop {
        let mut moved = false;
        for at in 0..controllers.len() {
            moved |= estimate.run(&mut controllers, at);
        }
        // If all controllers wait, a token comes from outside of the model: stop one wait.
        if !moved && !controllers.iter_mut().any(Controller::stop_waiting) {
            break;
        }
    }
    let ends = controllers.iter().map(|controller| controller.now);
    ends.max().unwrap_or(0)
}

/// A job of the page that runs.
struct Job {
    /// Index of its next instruction.
    at: usize,
    state: JobState,
    /// When the chain that it started last is done.
    chain: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobState {
    /// Goes on at this time.
    Ready(u64),
    /// Waits for tokens that nothing is known to send yet.
    Tokens(TileId, ActorId, u8),
    /// Waits for others at a barrier.
    Barrier,
    /// Waits to be launched.
    Deferred,
    /// Has ended.
    Over,
}

/// A controller.
struct Controller<'p> {
    /// Pages that are still to run.
    pages: std::slice::Iter<'p, Page>,
    page: Option<&'p Page>,
    jobs: Vec<Job>,
    /// Arrivals at local barriers: number, and the jobs.
    local: FxHashMap<u8, Vec<usize>>,
    now: u64,
    /// When the page that comes next is there.
    fetched: u64,
    /// When the uC-DMA has nothing more to do.
    dma_free: u64,
}

impl<'p> Controller<'p> {
    fn new(plan: &Plan, pages: &'p [Page]) -> Controller<'p> {
        let mut controller = Controller {
            pages: pages.iter(),
            page: None,
            jobs: Vec::new(),
            local: FxHashMap::default(),
            now: 0,
            // The first is fetched whole.
            fetched: TIMING.page_fetch(PAGE_BYTES as u64),
            dma_free: 0,
        };
        controller.next_page(plan);
        controller
    }

    /// Begins the next page, if all jobs of this one are over.
    fn next_page(&mut self, plan: &Plan) -> bool {
        if self.jobs.iter().any(|job| job.state != JobState::Over) {
            return false;
        }
        self.now = self.now.max(self.dma_free);
        self.page = self.pages.next();
        let Some(page) = self.page else {
            self.jobs.clear();
            return false;
        };
        self.now = self.now.max(self.fetched);
        let next = self.pages.as_slice().first();
        let fetch = next.map(|page| TIMING.page_fetch(plan.page_bytes(page) as u64));
        self.fetched = self.now + fetch.unwrap_or(0);
        self.local.clear();
        let job = |kind: JobKind| Job {
            at: 0,
            state: match kind {
                JobKind::Deferred => JobState::Deferred,
                _ => JobState::Ready(self.now),
            },
            chain: 0,
        };
        self.jobs = page.iter().map(|of| job(of.kind)).collect();
        true
    }

    /// The job that goes on first, and when.
    fn next_job(&self) -> Option<(u64, usize)> {
        let jobs = self.jobs.iter().enumerate();
        let ready = jobs.filter_map(|(at, job)| match job.state {
            JobState::Ready(time) => Some((time, at)),
            _ => None,
        });
        ready.min()
    }

    /// Lets a job go on that waits for tokens.
    fn stop_waiting(&mut self) -> bool {
        let waits = |job: &&mut Job| matches!(job.state, JobState::Tokens(..));
        let job = self.jobs.iter_mut().find(waits);
        job.is_some_and(|job| {
            job.state = JobState::Ready(self.now);
            true
        })
    }

    /// Sends a chain off; returns when it is done.
    fn send(&mut self, array: &mut Array, plan: &Plan, op: &SymOp) -> u64 {
        let mut at = self.dma_free.max(self.now) + TIMING.dma_start;
        for bd in plan.chain_of(op) {
            at += TIMING.descriptor(bd.words.into());
            array.block(plan, bd, at);
        }
        self.dma_free = at;
        at + TIMING.dma_end
    }
}

struct Estimate<'p> {
    plan: &'p Plan,
    array: Array,
    /// Arrivals at remote barriers: controller, job, when.
    barriers: FxHashMap<u8, Vec<(usize, usize, u64)>>,
}

impl Estimate<'_> {
    /// Runs a controller as far as it goes; whether it did anything.
    fn run(&mut self, controllers: &mut [Controller<'_>], at: usize) -> bool {
        let mut moved = false;
        loop {
            let controller = &mut controllers[at];
            for job in &mut controller.jobs {
                if let JobState::Tokens(tile, actor, tokens) = job.state
                    && let Some(time) = self.array.take(tile, actor, tokens)
                {
                    job.state = JobState::Ready(time);
                }
            }
            match controller.next_job() {
                Some((time, job)) => {
                    controller.now = controller.now.max(time) + TIMING.job_switch;
                    self.run_job(controllers, at, job);
                }
                None if controller.next_page(self.plan) => {}
                None => return moved,
            }
            moved = true;
        }
    }

    /// Runs a job until it waits.
    fn run_job(&mut self, controllers: &mut [Controller<'_>], at: usize, job: usize) {
        let Some(page) = controllers[at].page else {
            return;
        };
        loop {
            let controller = &mut controllers[at];
            let Some((op, _)) = page[job].code.get(controller.jobs[job].at) else {
                controller.now += cost::cycles(&Op::EndJob {});
                controller.jobs[job].state = JobState::Over;
                return;
            };
            controller.jobs[job].at += 1;
            controller.now += cost::cycles(op);
            let state = self.execute(controller, job, op);
            if let Op::RemoteBarrier {
                barrier,
                party_mask,
            } = op
            {
                self.reach(controllers, (at, job), barrier.0, *party_mask);
                return;
            }
            let controller = &mut controllers[at];
            match state {
                JobState::Ready(time) if time <= controller.now => {}
                state => {
                    controller.jobs[job].state = state;
                    return;
                }
            }
        }
    }

    /// State of a job after an instruction.
    fn execute(&mut self, controller: &mut Controller<'_>, job: usize, op: &SymOp) -> JobState {
        let now = controller.now;
        let mut until = now;
        match op {
            Op::Write32 { address, value } => {
                self.array.write(*address, *value, now);
            }
            Op::UcDmaWriteDesSync { .. } => {
                until = controller.send(&mut self.array, self.plan, op);
            }
            Op::UcDmaWriteDes { .. } => {
                let end = controller.send(&mut self.array, self.plan, op);
                controller.jobs[job].chain = end;
            }
            Op::WaitUcDma { .. } => until = controller.jobs[job].chain,
            Op::WaitTcts {
                tile,
                actor,
                target_tcts: tokens,
            } => match self.array.take(*tile, *actor, *tokens) {
                Some(time) => until = time,
                None => return JobState::Tokens(*tile, *actor, *tokens),
            },
            Op::LocalBarrier {
                barrier,
                num_participants,
            } => {
                let here = controller.local.entry(barrier.0).or_default();
                here.push(job);
                if here.len() < usize::from(*num_participants) {
                    return JobState::Barrier;
                }
                for other in std::mem::take(here) {
                    controller.jobs[other].state = JobState::Ready(now);
                }
            }
            Op::LaunchJob { job_id } => {
                let mut jobs = controller.page.into_iter().flatten();
                if let Some(at) = jobs.position(|job| job.id == *job_id) {
                    controller.jobs[at].state = JobState::Ready(now);
                }
            }
            _ => {}
        }
        JobState::Ready(until)
    }

    /// A job reaches a remote barrier; the last one frees all.
    fn reach(
        &mut self,
        controllers: &mut [Controller<'_>],
        (at, job): (usize, usize),
        id: u8,
        parties: u32,
    ) {
        let now = controllers[at].now;
        controllers[at].jobs[job].state = JobState::Barrier;
        let here = self.barriers.entry(id).or_default();
        here.push((at, job, now));
        if here.len() < parties.count_ones() as usize {
            return;
        }
        let arrived = std::mem::take(here);
        let last = arrived.iter().map(|(_, _, time)| *time).max();
        let release = last.unwrap_or(now) + TIMING.remote_barrier;
        for (controller, job, _) in arrived {
            controllers[controller].jobs[job].state = JobState::Ready(release);
        }
    }
}

/// Parts of the array that are simulated.
pub(super) struct Array {
    model: &'static DeviceModel,
    /// Words of descriptors as they were written.
    bds: FxHashMap<(TileLoc, u8), Vec<u32>>,
    /// When a channel has done all its tasks.
    free: FxHashMap<ChannelId, u64>,
    /// When tokens come, by tile and actor.
    tokens: FxHashMap<(TileId, ActorId), VecDeque<u64>>,
}

impl Array {
    /// Nothing is written yet.
    pub(super) fn new(model: &'static DeviceModel) -> Array {
        Array {
            model,
            bds: FxHashMap::default(),
            free: FxHashMap::default(),
            tokens: FxHashMap::default(),
        }
    }

    /// A descriptor of the uC-DMA is done.
    fn block(&mut self, plan: &Plan, bd: &UcDmaBd<DataId>, at: u64) {
        // A block lies in registers of one sort, or of neighbouring ones of the same channels.
        let mut address = bd.remote as u32;
        let first = self.model.register_at(address);
        let followed = matches!(
            first,
            Some((
                _,
                RegisterRef::BdWord { .. }
                    | RegisterRef::DmaQueue { .. }
                    | RegisterRef::DmaCtrl { .. }
            ))
        );
        if !followed {
            return;
        }
        for word in plan.words(bd.local).iter().take(bd.words as usize) {
            self.write(address, *word, at);
            address = address.wrapping_add(WORD_BYTES as u32);
        }
    }

    /// A register is written; the channel that gets a task by it.
    pub(super) fn write(&mut self, address: u32, value: u32, at: u64) -> Option<ChannelId> {
        match self.model.register_at(address) {
            Some((tile, RegisterRef::BdWord { bd, word })) => {
                let words = self.bds.entry((tile, bd)).or_default();
                let word = usize::from(word);
                words.resize(words.len().max(word + 1), 0);
                words[word] = value;
                None
            }
            Some((tile, RegisterRef::DmaQueue { dir, channel })) => {
                let channel = ChannelId::new(tile, dir, channel);
                self.push(channel, value, at);
                Some(channel)
            }
            _ => None,
        }
    }

    /// A task is pushed.
    fn push(&mut self, channel: ChannelId, value: u32, at: u64) {
        let ChannelId {
            tile,
            dir,
            index: number,
        } = channel;
        let arch = self.model.arch();
        let Some(kind) = self.model.tile_kind(tile) else {
            return;
        };
        let Some(entry) = QueueEntry::unpack(arch, kind, dir, value) else {
            return;
        };
        let words = self.words_of(tile, entry.bd);
        let turns = u64::from(entry.repeat) + 1;
        let begin = self.free.get(&channel).map_or(at, |free| at.max(*free));
        let end = begin + cost::TASK + words.saturating_mul(turns);
        self.free.insert(channel, end);
        if entry.token
            && let Some(actor) = arch.actor_id(kind, dir, number)
        {
            let sender = (TileId::new(tile.col, tile.row), ActorId(actor));
            self.tokens.entry(sender).or_default().push_back(end);
        }
    }

    /// Words that a chain of descriptors moves.
    fn words_of(&self, tile: TileLoc, first: u8) -> u64 {
        let kind = self.model.tile_kind(tile);
        let Some(layout) = kind.and_then(|k| BdLayout::of(self.model.arch(), k)) else {
            return 0;
        };
        let mut words = 0;
        let mut seen = Vec::new();
        let mut next = Some(first);
        while let Some(bd) = next.filter(|bd| !seen.contains(bd)) {
            seen.push(bd);
            let Some(mut image) = self.bds.get(&(tile, bd)).cloned() else {
                break;
            };
            image.resize(usize::from(layout.words()), 0);
            let fields = layout.unpack(&image);
            words += u64::from(fields.length);
            next = BdFields::next(&fields);
        }
        words
    }

    /// Consumes tokens of an actor if enough are known to arrive; returns the arrival time of the last.
    pub(super) fn take(&mut self, tile: TileId, actor: ActorId, tokens: u8) -> Option<u64> {
        let queue = self.tokens.get_mut(&(tile, actor))?;
        let last = usize::from(tokens).checked_sub(1)?;
        let time = *queue.get(last)?;
        queue.drain(..=last);
        Some(time)
    }
}
