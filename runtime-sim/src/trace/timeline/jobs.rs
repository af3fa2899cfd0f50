//! Tracks of controllers, jobs and uC-DMAs; the path of each task from push to token.

use std::collections::{BTreeMap, VecDeque};

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
}

/// The tasks of a run, each on its path.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    paths: Vec<TaskPath>,
    /// Pushed by something that is not known yet, in this cycle.
    pushes: Vec<(usize, Cycle)>,
    /// In the queue of a channel.
    queued: BTreeMap<ChannelId, VecDeque<usize>>,
    /// In progress.
    current: BTreeMap<ChannelId, usize>,
    /// Tokens in flight, and those that arrived, by actor.
    sent: BTreeMap<(TileLoc, u8), VecDeque<usize>>,
    here: BTreeMap<(TileLoc, u8), VecDeque<usize>>,
    /// Jobs that wait for tokens.
    waiting: BTreeMap<JobId, (TileLoc, u8, u8)>,
}

impl Tasks {
    pub fn pushed(&mut self, channel: ChannelId, at: Cycle, text: String, by: Option<JobId>) {
        let index = self.paths.len();
        let stops = by
            .map(|job| (ActorOrJob::Job(job), at))
            .into_iter()
            .collect();
        self.paths.push(TaskPath { text, stops });
        if by.is_none() {
            self.pushes.push((index, at));
        }
        self.queued.entry(channel).or_default().push_back(index);
    }

    /// A uC-DMA wrote in a cycle: what was pushed then and by nobody else was pushed by it.
    fn wrote(&mut self, uc: u8, at: Cycle) {
        for (index, pushed) in std::mem::take(&mut self.pushes) {
            if pushed == at {
                self.paths[index]
                    .stops
                    .insert(0, (ActorOrJob::Actor(ActorId::controller_dma(uc)), at));
            }
        }
    }

    /// A channel begins its next task; what it is, in words.
    pub fn begins(&mut self, channel: ChannelId, at: Cycle) -> String {
        let next = self.queued.get_mut(&channel).and_then(VecDeque::pop_front);
        let Some(index) = next else {
            return "task".into();
        };
        self.current.insert(channel, index);
        let path = &mut self.paths[index];
        let actor = ActorId::channel(channel);
        path.stops.push((ActorOrJob::Actor(actor), at));
        path.text.clone()
    }

    /// The token of a channel's task leaves.
    pub fn sent(&mut self, channel: ChannelId, actor: u8, at: Cycle) {
        let Some(index) = self.current.remove(&channel) else {
            return;
        };
        let stop = (ActorOrJob::Actor(ActorId::channel(channel)), at);
        self.paths[index].stops.push(stop);
        self.sent
            .entry((channel.tile, actor))
            .or_default()
            .push_back(index);
    }

    /// A token reached its controller.
    pub fn arrived(&mut self, tile: TileLoc, actor: u8) {
        let sent = self.sent.get_mut(&(tile, actor));
        if let Some(index) = sent.and_then(VecDeque::pop_front) {
            self.here.entry((tile, actor)).or_default().push_back(index);
        }
    }

    /// A job takes tokens.
    fn taken(&mut self, job: JobId, at: Cycle, (tile, actor, need): (TileLoc, u8, u8)) {
        let Some(here) = self.here.get_mut(&(tile, actor)) else {
            return;
        };
        for _ in 0..need {
            let Some(index) = here.pop_front() else {
                return;
            };
            self.paths[index].stops.push((ActorOrJob::Job(job), at));
        }
    }

    /// The paths with more than one stop.
    pub fn arrows(self) -> Vec<TaskPath> {
        let paths = self.paths.into_iter();
        paths.filter(|path| path.stops.len() > 1).collect()
    }
}

impl Builder<'_> {
    pub(super) fn controller(&mut self, at: Cycle, event: TraceEvent) {
        match event {
            TraceEvent::Page { uc, page, begins } => {
                let row = self.row(ActorId::controller(uc));
                match begins {
                    true => row.open(0, at, SpanState::Run, format!("page {page}")),
                    false => row.close(0, at),
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
                row.open(STATE, at, SpanState::Run, "runs".into());
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
                let text = "waits for the controller".into();
                row.open(STATE, at, SpanState::Ready, text);
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
