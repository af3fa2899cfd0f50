//! Tracks of controllers, jobs and uC-DMAs; the path of each task from push to token.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aiec_device::{ChannelId, TileLoc};

use super::{ActorOrJob, Builder, SpanState};
use crate::array::{ActorId, JobId, JobWaitKind, TraceEvent};
use crate::time::Cycle;

/// Depths of a job's track.
const STATE: u8 = 0;
const OP: u8 = 1;

/// The path of a task.
#[derive(Debug)]
pub(super) struct TaskPath {
    pub text: String,
    pub stops: Vec<(ActorOrJob, Cycle)>,
    /// There are no more stops, but perhaps one before the others.
    is_over: bool,
}

/// The tasks of a run, each on its path, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// Those that may get further stops.
    paths: BTreeMap<u64, TaskPath>,
    /// Those that get none.
    finished: Vec<(u64, TaskPath)>,
    /// Number pushed.
    count: u64,
    /// Pushed in this cycle by something that is not known yet.
    pushes: BTreeSet<u64>,
    /// The cycle.
    now: Cycle,
    /// In the queue of a channel.
    queued: BTreeMap<ChannelId, VecDeque<u64>>,
    /// In progress.
    current: BTreeMap<ChannelId, u64>,
    /// Tokens in flight, and those that arrived, by actor.
    sent: BTreeMap<(TileLoc, u8), VecDeque<u64>>,
    here: BTreeMap<(TileLoc, u8), VecDeque<u64>>,
    /// Jobs that wait for tokens.
    waiting: BTreeMap<JobId, (TileLoc, u8, u8)>,
}

impl Tasks {
    /// A record of a cycle follows.
    pub fn advance(&mut self, now: Cycle) {
        if now > self.now {
            self.now = now;
            for number in std::mem::take(&mut self.pushes) {
                self.finish_if_over(number);
            }
        }
    }

    pub fn pushed(&mut self, channel: ChannelId, at: Cycle, text: String, by: Option<JobId>) {
        let number = self.count;
        self.count += 1;
        let stops = by.map(|job| (ActorOrJob::Job(job), at));
        let path = TaskPath {
            text,
            stops: stops.into_iter().collect(),
            is_over: false,
        };
        self.paths.insert(number, path);
        if by.is_none() {
            self.pushes.insert(number);
        }
        self.queued.entry(channel).or_default().push_back(number);
    }

    /// A uC-DMA wrote in a cycle: what no other actor pushed then was pushed by it.
    fn wrote(&mut self, uc: u8, at: Cycle) {
        for number in std::mem::take(&mut self.pushes) {
            if let Some(path) = self.paths.get_mut(&number) {
                let stop = (ActorOrJob::Actor(ActorId::controller_dma(uc)), at);
                path.stops.insert(0, stop);
            }
            self.finish_if_over(number);
        }
    }

    fn stop(&mut self, number: u64, who: ActorOrJob, at: Cycle) {
        if let Some(path) = self.paths.get_mut(&number) {
            path.stops.push((who, at));
        }
    }

    /// A task has had its last stop.
    fn is_over(&mut self, number: u64) {
        if let Some(path) = self.paths.get_mut(&number) {
            path.is_over = true;
        }
        if !self.pushes.contains(&number) {
            self.finish_if_over(number);
        }
    }

    fn finish_if_over(&mut self, number: u64) {
        if self.paths.get(&number).is_some_and(|path| path.is_over) {
            let path = self.paths.remove(&number);
            self.finished.extend(path.map(|path| (number, path)));
        }
    }

    /// A channel begins its next task; what it is, in words.
    pub fn begins(&mut self, channel: ChannelId, at: Cycle) -> String {
        let next = self.queued.get_mut(&channel).and_then(VecDeque::pop_front);
        let Some(number) = next else {
            return "task".into();
        };
        if let Some(before) = self.current.insert(channel, number) {
            self.is_over(before);
        }
        self.stop(number, ActorOrJob::Actor(ActorId::channel(channel)), at);
        let path = self.paths.get(&number);
        path.map_or_else(String::new, |path| path.text.clone())
    }

    /// The token of a channel's task leaves.
    pub fn sent(&mut self, channel: ChannelId, actor: u8, at: Cycle) {
        let Some(number) = self.current.remove(&channel) else {
            return;
        };
        self.stop(number, ActorOrJob::Actor(ActorId::channel(channel)), at);
        self.sent
            .entry((channel.tile, actor))
            .or_default()
            .push_back(number);
    }

    /// A token reached its controller.
    pub fn arrived(&mut self, tile: TileLoc, actor: u8) {
        let sent = self.sent.get_mut(&(tile, actor));
        if let Some(number) = sent.and_then(VecDeque::pop_front) {
            let here = self.here.entry((tile, actor)).or_default();
            here.push_back(number);
        }
    }

    /// A job takes tokens.
    fn taken(&mut self, job: JobId, at: Cycle, (tile, actor, need): (TileLoc, u8, u8)) {
        for _ in 0..need {
            let here = self.here.get_mut(&(tile, actor));
            let Some(number) = here.and_then(VecDeque::pop_front) else {
                return;
            };
            self.stop(number, ActorOrJob::Job(job), at);
            self.is_over(number);
        }
    }

    /// The paths that were finished since the last call, with their numbers; only those with more than
    /// one stop.
    pub fn take_finished(&mut self) -> impl Iterator<Item = (u64, TaskPath)> + use<> {
        let finished = std::mem::take(&mut self.finished).into_iter();
        finished.filter(|(_, path)| path.stops.len() > 1)
    }

    /// Finishes all paths with the run.
    pub fn finish(&mut self) {
        self.finished.extend(std::mem::take(&mut self.paths));
    }
}

impl Builder<'_> {
    pub(super) fn controller(&mut self, at: Cycle, event: TraceEvent) {
        match event {
            TraceEvent::Page { uc, page, begins } => {
                let row = self.row(ActorId::controller(uc));
                if begins {
                    row.open(0, at, SpanState::Run, format!("page {page}"))
                } else {
                    row.close(0, at)
                }
            }
            TraceEvent::Instruction {
                job,
                offset,
                mnemonic,
            } => {
                let source = self.names.source(job, offset);
                let text = match source {
                    Some(source) => format!("{mnemonic} ({source})"),
                    None => mnemonic.to_string(),
                };
                self.executing.insert(job.uc, job);
                self.job_row(job).open(OP, at, SpanState::Part, text);
            }
            TraceEvent::InstructionEnded { uc } => {
                if let Some(job) = self.executing.remove(&uc) {
                    self.job_row(job).close(OP, at);
                }
            }
            TraceEvent::JobStarted(job) => {
                let row = self.job_row(job);
                row.open(STATE, at, SpanState::Run, "runs");
            }
            TraceEvent::JobBlocked { job, on } => {
                let words = self.names.wait_words(on);
                let state = match on {
                    JobWaitKind::Controller => SpanState::Ready,
                    _ => SpanState::Wait,
                };
                let row = self.job_row(job);
                row.close(OP, at);
                row.open(STATE, at, state, format!("waits for {words}"));
                if let JobWaitKind::Tokens { tile, actor, need } = on {
                    self.tasks.waiting.insert(job, (tile, actor, need));
                }
            }
            TraceEvent::JobReady(job) => {
                let row = self.job_row(job);
                row.open(STATE, at, SpanState::Ready, "waits for the controller");
                if let Some(tokens) = self.tasks.waiting.remove(&job) {
                    self.tasks.taken(job, at, tokens);
                }
            }
            TraceEvent::TokensTaken {
                job,
                tile,
                actor,
                need,
            } => self.tasks.taken(job, at, (tile, actor, need)),
            TraceEvent::JobEnded(job) => {
                let row = self.job_row(job);
                row.close(OP, at);
                row.close(STATE, at);
            }
            TraceEvent::UcDma {
                uc, chain, until, ..
            } => {
                let text = format!("chain {chain}");
                let row = self.row(ActorId::controller_dma(uc));
                if !row.extend(at, until, &text) {
                    row.add(0, at, until, SpanState::Move, text);
                }
                self.tasks.wrote(uc, at);
            }
            _ => {}
        }
    }
}
