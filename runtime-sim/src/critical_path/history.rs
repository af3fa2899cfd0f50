//! Records of a run by who made them: what each actor and job waited for, and what ended the waits.

use std::collections::BTreeMap;
use std::io;

use aiec_device::{ChannelId, LockId, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{
    ActorId, ActorKind, ActorOrJob, HwEvent, JobId, JobWaitKind, StallKind, TraceEvent, TraceRecord,
};
use crate::run::SimResult;
use crate::time::Cycle;

/// A wait of an actor of the array that something else ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndedWait {
    /// First cycle.
    pub begin: Cycle,
    /// The cycle in which the actor went on.
    pub end: Cycle,
    /// Its end's cause.
    pub by: WaitEnd,
}

/// Cause of the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// A lock was released, by whom (`None`: a register write) and when.
    Release(Option<ActorId>, Cycle),
    /// Words arrived, or left room.
    Stream(StallKind),
    /// A task was pushed, by a job's instruction if that is known; a core was enabled.
    Control(Option<JobId>),
}

/// A change of a job's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobChange {
    Started,
    Blocked(JobWaitKind),
    Ready,
    Ended,
}

/// The records of a run, each list in order of time.
#[derive(Default)]
pub(super) struct History {
    /// Waits of cores and channels, in the order of their ends.
    waits: FxHashMap<ActorId, Vec<EndedWait>>,
    /// When channels began to move the words of a BD.
    started: FxHashMap<ChannelId, Vec<Cycle>>,
    /// Changes of each job.
    jobs: FxHashMap<JobId, Vec<(Cycle, JobChange)>>,
    /// When jobs of each controller stopped to have it, and which.
    given_up: BTreeMap<u8, Vec<(Cycle, JobId)>>,
    /// Jobs whose instructions were executed, of all controllers.
    executing: Vec<(Cycle, JobId)>,
    /// Instructions that wait for other jobs or controllers, if all haven't come yet.
    barriers: Vec<(Cycle, JobId)>,
    /// Tokens that channels sent.
    sent: FxHashMap<ChannelId, Vec<Cycle>>,
    /// Tokens that arrived, by sending tile and actor.
    arrived: FxHashMap<(TileLoc, u8), Vec<Cycle>>,
    /// Begin and end of the firmware's operations.
    operations: Vec<(Cycle, Cycle)>,
    /// When each core and channel last did something.
    last: FxHashMap<ActorId, Cycle>,
}

/// State of the reading that the lists don't show.
#[derive(Default)]
struct OpenRecords {
    requests: FxHashMap<ActorId, Cycle>,
    releases: FxHashMap<LockId, (Cycle, Option<ActorId>)>,
    /// Since when channels have no task.
    idle: FxHashMap<ChannelId, Cycle>,
    /// Channels that have one.
    busy: FxHashSet<ChannelId>,
    operation: Option<Cycle>,
}

impl History {
    /// Reads the records of a run.
    ///
    /// # Errors
    /// A trace in scratch files can't be read.
    pub fn read(result: &SimResult) -> io::Result<History> {
        let (mut history, mut open) = (History::default(), OpenRecords::default());
        result.each_record(&mut |record| {
            history.add(record, &mut open);
            Ok(())
        })?;
        Ok(history)
    }

    fn wait(&mut self, who: ActorId, wait: EndedWait) {
        self.waits.entry(who).or_default().push(wait);
    }

    fn change(&mut self, job: JobId, at: Cycle, change: JobChange) {
        self.jobs.entry(job).or_default().push((at, change));
        if matches!(change, JobChange::Blocked(_) | JobChange::Ended) {
            self.given_up.entry(job.uc).or_default().push((at, job));
        }
    }

    fn add(&mut self, record: &TraceRecord, open: &mut OpenRecords) {
        let (at, tile) = (record.at, record.tile);
        match record.event {
            TraceEvent::LockRequested { by, .. } => _ = open.requests.insert(by, at),
            TraceEvent::LockReleased { by, lock, .. } => {
                open.releases.insert(lock, (at, Some(by)));
                self.last.insert(by, at);
            }
            TraceEvent::LockSet { lock, .. } => _ = open.releases.insert(lock, (at, None)),
            TraceEvent::LockAcquired { by, lock, .. } => {
                let begin = open.requests.remove(&by).filter(|begin| *begin < at);
                // Without a release since the request only the grant took its time.
                let release = open.releases.get(&lock);
                if let (Some(begin), Some((released, who))) = (begin, release)
                    && *released >= begin
                {
                    let by_whom = WaitEnd::Release(*who, *released);
                    let wait = EndedWait {
                        begin,
                        end: at,
                        by: by_whom,
                    };
                    self.wait(by, wait);
                }
            }
            TraceEvent::CoreStalled { kind, until } if kind != StallKind::Lock => {
                let wait = EndedWait {
                    begin: at,
                    end: until,
                    by: WaitEnd::Stream(kind),
                };
                self.wait(ActorId::core(tile), wait);
            }
            TraceEvent::StreamStall { channel, until } => {
                let wait = EndedWait {
                    begin: at,
                    end: until,
                    by: WaitEnd::Stream(StallKind::Stream),
                };
                self.wait(ActorId::channel(channel), wait);
            }
            TraceEvent::ChannelIdle(channel) => {
                open.busy.remove(&channel);
                open.idle.insert(channel, at);
            }
            TraceEvent::TaskPushed { channel, by, .. } if open.busy.insert(channel) => {
                let begin = open.idle.get(&channel).copied().unwrap_or(0);
                let by = WaitEnd::Control(by);
                self.wait(ActorId::channel(channel), EndedWait { begin, end: at, by });
            }
            TraceEvent::Hw(HwEvent::CoreActive(true)) => {
                let (begin, by) = (0, WaitEnd::Control(None));
                self.wait(ActorId::core(tile), EndedWait { begin, end: at, by });
            }
            TraceEvent::BdStarted { channel, .. } => {
                self.started.entry(channel).or_default().push(at);
            }
            TraceEvent::BdFinished { channel, .. } => {
                self.last.insert(ActorId::channel(channel), at);
            }
            TraceEvent::TokenSent { channel, .. } => {
                self.sent.entry(channel).or_default().push(at);
            }
            TraceEvent::TokenArrived { actor } => {
                self.arrived.entry((tile, actor)).or_default().push(at);
            }
            TraceEvent::JobStarted(job) => self.change(job, at, JobChange::Started),
            TraceEvent::JobBlocked { job, on } => self.change(job, at, JobChange::Blocked(on)),
            TraceEvent::JobReady(job) => self.change(job, at, JobChange::Ready),
            TraceEvent::JobEnded(job) => self.change(job, at, JobChange::Ended),
            TraceEvent::Instruction { job, mnemonic, .. } => {
                if self.executing.last().is_none_or(|(_, last)| *last != job) {
                    self.executing.push((at, job));
                }
                if mnemonic.ends_with("BARRIER") {
                    self.barriers.push((at, job));
                }
            }
            TraceEvent::FirmwareOperation(_) => open.operation = Some(at),
            TraceEvent::FirmwareOperationEnded => {
                self.operations
                    .extend(open.operation.take().map(|begin| (begin, at)));
            }
            _ => {}
        }
    }

    /// The last wait of an actor that ended until a cycle, `skip` of them left out.
    pub fn last_wait(&self, who: ActorId, until: Cycle, skip: usize) -> Option<EndedWait> {
        let waits = self.waits.get(&who)?;
        let count = waits.partition_point(|wait| wait.end <= until);
        waits.get(count.checked_sub(1 + skip)?).copied()
    }

    /// When a channel first began to move words of a BD in a span.
    pub fn began_to_move(&self, who: ActorId, begin: Cycle, end: Cycle) -> Option<Cycle> {
        let ActorKind::Channel(channel) = who.kind() else {
            return None;
        };
        let started = self.started.get(&channel)?;
        let first = started
            .get(started.partition_point(|at| *at < begin))
            .copied();
        first.filter(|at| *at < end)
    }

    /// The last cycle before another one in which something of an actor or job is known; 0 if there is none.
    pub fn earlier(&self, who: ActorOrJob, before: Cycle) -> Cycle {
        let found = match who {
            ActorOrJob::Actor(actor) => {
                let waits = (0..).map_while(|skip| self.last_wait(actor, before, skip));
                waits.map(|wait| wait.begin).find(|begin| *begin < before)
            }
            ActorOrJob::Job(job) => {
                let changes = self.job(job, before).iter().rev();
                changes.map(|(at, _)| *at).find(|at| *at < before)
            }
            ActorOrJob::Firmware => self.operation(before, 0).map(|(begin, _)| begin),
        };
        found.unwrap_or(0)
    }

    /// The changes of a job until a cycle.
    pub fn job(&self, job: JobId, until: Cycle) -> &[(Cycle, JobChange)] {
        let changes = self.jobs.get(&job).map_or(&[][..], Vec::as_slice);
        &changes[..changes.partition_point(|(at, _)| *at <= until)]
    }

    /// The job other than `job` that last gave up its controller until a cycle.
    pub fn gave_up(&self, job: JobId, until: Cycle) -> Option<(Cycle, JobId)> {
        let list = self.given_up.get(&job.uc)?;
        let before = &list[..list.partition_point(|(at, _)| *at <= until)];
        before
            .iter()
            .rev()
            .find(|(_, other)| *other != job)
            .copied()
    }

    /// The job other than `job` that last came to a barrier until a cycle.
    pub fn came_to_barrier(&self, job: JobId, until: Cycle) -> Option<(Cycle, JobId)> {
        let before = self.barriers.partition_point(|(at, _)| *at <= until);
        let mut before = self.barriers[..before].iter().rev();
        before.find(|(_, other)| *other != job).copied()
    }

    /// The last token of an actor that arrived until a cycle, and not before `from`.
    pub fn token(&self, tile: TileLoc, actor: u8, from: Cycle, until: Cycle) -> Option<Cycle> {
        last_until(self.arrived.get(&(tile, actor))?, until).filter(|at| *at >= from)
    }

    /// The last token of anyone that arrived in a span: when, and from where.
    pub fn any_token(&self, from: Cycle, until: Cycle) -> Option<(Cycle, TileLoc, u8)> {
        let last = self
            .arrived
            .iter()
            .filter_map(|((tile, actor), list)| Some((last_until(list, until)?, *tile, *actor)));
        last.max().filter(|(at, ..)| *at > from)
    }

    /// When a channel sent the last token until a cycle.
    pub fn sent(&self, channel: ChannelId, until: Cycle) -> Option<Cycle> {
        last_until(self.sent.get(&channel)?, until)
    }

    /// The last operation of the firmware that began before a cycle, and is not among the `skip` last.
    pub fn operation(&self, until: Cycle, skip: usize) -> Option<(Cycle, Cycle)> {
        let count = self.operations.partition_point(|(begin, _)| *begin < until);
        self.operations.get(count.checked_sub(1 + skip)?).copied()
    }

    /// Who executed control code at a cycle: the firmware of an NPU, or a job.
    pub fn control(&self, at: Cycle) -> Option<ActorOrJob> {
        if !self.operations.is_empty() {
            return Some(ActorOrJob::Firmware);
        }
        let count = self.executing.partition_point(|(begin, _)| *begin <= at);
        let (_, job) = self.executing[..count].last()?;
        Some(ActorOrJob::Job(*job))
    }

    /// Who did the last thing of a run: control code, else a core or a channel.
    pub fn last_actor(&self) -> Option<ActorOrJob> {
        let ends = self.given_up.values().filter_map(|list| list.last());
        if let Some((_, job)) = ends.max_by_key(|(at, _)| *at) {
            return Some(ActorOrJob::Job(*job));
        }
        if !self.operations.is_empty() {
            return Some(ActorOrJob::Firmware);
        }
        let last = self.last.iter().max_by_key(|(who, at)| (**at, **who));
        last.map(|(who, _)| ActorOrJob::Actor(*who))
    }
}

/// The last of ascending cycles that isn't after another one.
fn last_until(list: &[Cycle], until: Cycle) -> Option<Cycle> {
    list[..list.partition_point(|at| *at <= until)]
        .last()
        .copied()
}
