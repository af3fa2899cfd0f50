//! A run under the hand of a client: it goes on, steps, and stops.

use aiec_cert::program::SourceLoc;
use aiec_device::ChannelId;
use aiec_sim::array::{
    ActorId, ActorKind, BreakCondition, Breakpoint, HwEvent, TraceEvent, TraceRecord,
};
use aiec_sim::diagnosis::describe_print;
use aiec_sim::{LiveRun, Pause, Status};

use crate::DebuggedProgram;
use crate::breakpoints::{BreakpointSort, BreakpointTable};
use crate::checkpoints::Checkpoints;
use crate::interrupt::Interrupt;
use crate::threads::{self, JobPlace, ThreadId};

/// Why a session has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// In front of the first cycle.
    Entry,
    /// At a breakpoint of the client.
    Breakpoint {
        /// Its id.
        id: u64,
        /// Its sort.
        sort: BreakpointSort,
        /// The event there.
        record: TraceRecord,
    },
    /// After a step of a thread.
    Step(ThreadId),
    /// At a hazard, in words.
    Hazard(String),
    /// As the client asked for it.
    Paused(ThreadId),
    /// The run is over.
    Ended(Box<Status>),
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Over calls, of the same job.
    Over,
    /// Into calls, to whatever job is next.
    Into,
    /// Out of the function, or of the page.
    Out,
}

/// A movement forwards.
#[derive(Clone, Debug)]
pub enum Motion {
    /// To the next breakpoint.
    Continue,
    /// To the end of a cycle.
    Cycle(u64),
    /// A step of a thread.
    Step(StepPlan),
}

/// A step: of whom, how far, and where it began.
#[derive(Clone, Debug)]
pub struct StepPlan {
    actor: ActorId,
    kind: StepKind,
    by_instruction: bool,
    from: StepOrigin,
}

/// Where a step begins.
#[derive(Clone, Debug)]
enum StepOrigin {
    /// In a core: line and number of callers; `None` where it is not started.
    Core(Option<(Option<SourceLine>, usize)>),
    /// In a job of a controller, if it has one.
    Job(Option<JobPlace>),
    /// Elsewhere.
    Other,
}

/// File and line.
type SourceLine = (u32, u32);

fn line_of(source: SourceLoc) -> SourceLine {
    (source.file, source.line)
}

/// Line and number of callers of a core.
pub fn core_line(run: &LiveRun, actor: ActorId) -> Option<(Option<SourceLine>, usize)> {
    let tile = actor.tile();
    let position = run.array().core_position(tile)?;
    let debug = run.debug();
    let marks = debug.and_then(|debug| debug.program((tile.col, tile.row), position.checksum));
    let operation = marks.and_then(|marks| marks.operation(position.at));
    let line = operation.map(|operation| line_of(operation.source));
    Some((line, position.calls.len()))
}

/// Whether lines are known of what a core runs.
fn has_lines(run: &LiveRun, actor: ActorId) -> bool {
    let tile = actor.tile();
    let position = run.array().core_position(tile);
    let marks = position.and_then(|position| {
        let debug = run.debug()?;
        debug.program((tile.col, tile.row), position.checksum)
    });
    marks.is_some_and(|marks| !marks.operations.is_empty())
}

impl StepPlan {
    /// A step of an actor from where it is.
    pub fn new(run: &LiveRun, actor: ActorId, kind: StepKind, by_instruction: bool) -> StepPlan {
        let from = match actor.kind() {
            ActorKind::Core => StepOrigin::Core(core_line(run, actor)),
            ActorKind::Controller => StepOrigin::Job(threads::first_job(run, actor)),
            _ => StepOrigin::Other,
        };
        StepPlan {
            actor,
            kind,
            by_instruction,
            from,
        }
    }

    /// The condition at which it may be over.
    pub fn condition(&self) -> BreakCondition {
        match self.actor.as_channel() {
            Some(channel) => BreakCondition::Dma(channel),
            None => BreakCondition::Step(self.actor),
        }
    }

    /// Whose step it is.
    pub fn actor(&self) -> ActorId {
        self.actor
    }

    /// Whether each instruction is an end of it.
    pub fn is_by_instruction(&self, run: &LiveRun) -> bool {
        self.by_instruction || !has_lines(run, self.actor)
    }

    /// Whether it is over at an instruction that the run has come to.
    fn is_over(&self, run: &LiveRun, record: &TraceRecord) -> bool {
        match (&self.from, record.event) {
            (StepOrigin::Core(Some((line, depth))), _) => {
                let Some((now, calls)) = core_line(run, self.actor) else {
                    return true;
                };
                let is_elsewhere = || self.is_by_instruction(run) || now.is_some() && now != *line;
                match self.kind {
                    StepKind::Into => calls != *depth || is_elsewhere(),
                    StepKind::Over => calls < *depth || calls == *depth && is_elsewhere(),
                    StepKind::Out => calls < *depth,
                }
            }
            (StepOrigin::Job(Some(from)), TraceEvent::Instruction { job, .. }) => match self.kind {
                StepKind::Into => true,
                StepKind::Over => job == from.id || !threads::is_alive(run, from),
                StepKind::Out => job.page != from.id.page,
            },
            _ => true,
        }
    }
}

/// A run with the breakpoints of a client.
pub struct DebugSession {
    program: Box<dyn DebuggedProgram>,
    run: LiveRun,
    checkpoints: Checkpoints,
    /// The breakpoints.
    pub breakpoints: BreakpointTable,
    /// Their conditions, with the times that each has to be come to still.
    conditions: Vec<Breakpoint>,
    /// It stops at deadlocks.
    pub at_deadlocks: bool,
    /// It stops at hazards.
    pub at_hazards: bool,
    stop: Stop,
    /// The event at which it has stopped, if that was one.
    present: Option<TraceRecord>,
    /// Values shown by cores that the client has seen.
    prints_seen: usize,
}

impl DebugSession {
    /// A session of a program, in front of its first cycle.
    ///
    /// # Errors
    /// It can't be loaded.
    pub fn new(program: Box<dyn DebuggedProgram>) -> Result<DebugSession, String> {
        Ok(DebugSession {
            run: program.begin()?,
            checkpoints: Checkpoints::new(),
            breakpoints: BreakpointTable::of(&*program),
            conditions: Vec::new(),
            at_deadlocks: true,
            at_hazards: false,
            stop: Stop::Entry,
            present: None,
            prints_seen: 0,
            program,
        })
    }

    /// The program.
    pub fn program(&self) -> &dyn DebuggedProgram {
        &*self.program
    }

    /// The run as it is now.
    pub fn run(&self) -> &LiveRun {
        &self.run
    }

    /// Why it has stopped last.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The event at which it has stopped, if that was one.
    pub fn present(&self) -> Option<TraceRecord> {
        self.present
    }

    /// The client has changed breakpoints: each counts from now on.
    pub fn breakpoints_changed(&mut self) {
        self.conditions = self.breakpoints.conditions();
    }

    /// Begins again.
    ///
    /// # Errors
    /// The program can't be loaded.
    pub fn restart(&mut self) -> Result<(), String> {
        let run = self.program.begin()?;
        self.breakpoints_changed();
        self.prints_seen = 0;
        self.replace(run, Stop::Entry, None);
        Ok(())
    }

    /// A run at the end of a cycle, without breakpoints; `None` if it was interrupted.
    ///
    /// # Errors
    /// The program can't be loaded.
    pub fn run_at(
        &mut self,
        cycle: u64,
        interrupt: Interrupt<'_>,
    ) -> Result<Option<LiveRun>, String> {
        let mut run = match self.checkpoints.last_up_to(cycle) {
            Some(run) => run,
            None => self.program.begin()?,
        };
        let pause = (self.checkpoints).go_on(&mut run, Some(cycle), false, interrupt);
        Ok((pause != Pause::Interrupted).then_some(run))
    }

    /// The last cycle before `cycle` from which a run can go on; 0 for the begin.
    pub fn checkpoint_before(&self, cycle: u64) -> u64 {
        self.checkpoints.cycle_before(cycle)
    }

    /// Goes on with another run, which has stopped.
    pub fn replace(&mut self, run: LiveRun, stop: Stop, present: Option<TraceRecord>) {
        self.run = run;
        self.present = present;
        self.stop = stop;
    }

    /// Has stopped as the client asked for it.
    pub fn pause(&mut self, thread: ThreadId) {
        self.present = None;
        self.stop = Stop::Paused(thread);
    }

    /// Goes on; whether it has stopped, or was interrupted.
    pub fn advance(&mut self, motion: &Motion, interrupt: Interrupt<'_>) -> bool {
        let mut conditions = self.conditions.clone();
        let mut until = None;
        match motion {
            Motion::Continue => {}
            Motion::Cycle(cycle) => until = Some(*cycle),
            Motion::Step(plan) => conditions.push(Breakpoint {
                on: plan.condition(),
                times: 1,
            }),
        }
        self.run.stop_at(conditions);
        loop {
            // Steps come to many instructions, between which no watcher is asked.
            if interrupt() {
                return false;
            }
            let pause = (self.checkpoints).go_on(&mut self.run, until, self.at_hazards, interrupt);
            let counted = self.run.breakpoints().iter();
            for (own, counted) in self.conditions.iter_mut().zip(counted) {
                own.times = counted.times;
            }
            self.present = None;
            self.stop = match pause {
                Pause::Breakpoint(which, record) => {
                    self.present = Some(record);
                    match (self.breakpoints.hit(which), motion) {
                        (Some((id, sort)), _) if which < self.conditions.len() => {
                            Stop::Breakpoint { id, sort, record }
                        }
                        (_, Motion::Step(plan)) if !plan.is_over(&self.run, &record) => continue,
                        (_, Motion::Step(plan)) => Stop::Step(ThreadId::of(plan.actor)),
                        _ => continue,
                    }
                }
                Pause::Hazard(hazard) => {
                    Stop::Hazard(format!("{}; {}", hazard.kind, hazard.kind.way_out()))
                }
                Pause::Until(_) => Stop::Step(ThreadId::CLOCK),
                Pause::Interrupted => return false,
                Pause::Ended(status) => Stop::Ended(Box::new(status)),
            };
            return true;
        }
    }

    /// The text of a place of `--dump`.
    ///
    /// # Errors
    /// The place doesn't exist.
    pub fn dump(&mut self, place: &str) -> Result<String, String> {
        self.program.dump(place, &mut self.run)
    }

    /// The values that cores have shown since the last call, a line for each.
    pub fn new_prints(&mut self) -> Vec<String> {
        let prints = self.run.array().prints();
        let new = prints.iter().skip(self.prints_seen);
        let lines = new.map(|print| describe_print(print, self.run.debug()));
        let lines = lines.collect();
        self.prints_seen = self.prints_seen.max(prints.len());
        lines
    }
}

/// The thread that an event is of.
pub fn thread_of(record: &TraceRecord) -> ThreadId {
    let channel = |channel: ChannelId| ThreadId::of(ActorId::channel(channel));
    match record.event {
        TraceEvent::CoreInstruction { .. } => ThreadId::of(ActorId::core(record.tile)),
        TraceEvent::LockAcquired { by, .. }
        | TraceEvent::LockReleased { by, .. }
        | TraceEvent::WatchedAccess { by: Some(by), .. } => ThreadId::of(by),
        TraceEvent::BdLoaded { channel: id, .. } | TraceEvent::TokenSent { channel: id, .. } => {
            channel(id)
        }
        TraceEvent::Hw(
            HwEvent::StartTask(id)
            | HwEvent::FinishedBd(id)
            | HwEvent::FinishedTask(id)
            | HwEvent::LockStall(id, _)
            | HwEvent::DmaError(id),
        ) => channel(id),
        TraceEvent::Hw(
            HwEvent::CoreActive(_)
            | HwEvent::CoreLockStall(_)
            | HwEvent::CoreStreamStall(_)
            | HwEvent::CoreCascadeStall(_),
        ) => ThreadId::of(ActorId::core(record.tile)),
        TraceEvent::Instruction { job, .. }
        | TraceEvent::JobStarted(job)
        | TraceEvent::JobBlocked { job, .. }
        | TraceEvent::JobEnded(job) => ThreadId::of(ActorId::controller(job.uc)),
        TraceEvent::Page { uc, .. } => ThreadId::of(ActorId::controller(uc)),
        TraceEvent::FirmwareOperation(_) => ThreadId::of(ActorId::HOST),
        _ => ThreadId::CLOCK,
    }
}
