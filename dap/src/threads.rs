//! Threads of a run: its clock, the controllers or the firmware, cores and DMA channels; and their stacks.

use std::collections::{BTreeMap, BTreeSet};

use aiec_cert::debug::{Direction, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_device::{ChannelId, DmaDir, TileLoc};
use aiec_sim::LiveRun;
use aiec_sim::array::{ActorId, ActorKind, ActorOrJob, JobId, TraceEvent, TraceRecord};
use aiec_sim::cert::{Job, JobState, Vm};
use aiec_sim::core::MACHINE_CODE;
use aiec_sim::diagnosis;

/// The number of a thread in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadId(pub usize);

impl ThreadId {
    /// The clock, which steps by cycles.
    pub const CLOCK: ThreadId = ThreadId(1);
    /// Of actors the first.
    const FIRST_ACTOR: usize = 2;

    /// The thread of an actor.
    pub fn of(actor: ActorId) -> ThreadId {
        ThreadId(Self::FIRST_ACTOR + actor.index())
    }

    /// The thread of who waits.
    pub fn of_waiter(who: ActorOrJob) -> ThreadId {
        match who {
            ActorOrJob::Job(job) => Self::of(ActorId::controller(job.uc)),
            ActorOrJob::Firmware => Self::of(ActorId::HOST),
            ActorOrJob::Actor(actor) => match actor.kind() {
                ActorKind::Core | ActorKind::Channel(_) => Self::of(actor),
                _ => Self::CLOCK,
            },
        }
    }
}

/// A thread.
#[derive(Clone, Debug)]
pub struct RunThread {
    /// Its number.
    pub id: ThreadId,
    /// Who it is and what it does.
    pub name: String,
}

/// The things of the source that a program names.
pub fn resources(run: &LiveRun) -> &[Resource] {
    run.debug().map_or(&[][..], |debug| &debug.resources)
}

/// The tile of a resource.
pub fn tile_of(resource: &Resource) -> TileLoc {
    TileLoc::new(resource.column, resource.row)
}

/// The channel that a resource is.
pub fn channel_of(resource: &Resource) -> Option<ChannelId> {
    let ResourceKind::Channel { direction, channel } = resource.kind else {
        return None;
    };
    let dir = match direction {
        Direction::S2mm => DmaDir::S2mm,
        Direction::Mm2s => DmaDir::Mm2s,
    };
    Some(ChannelId::new(tile_of(resource), dir, channel))
}

/// The actor that a resource is.
fn actor_of(resource: &Resource) -> Option<ActorId> {
    match resource.kind {
        ResourceKind::Core => Some(ActorId::core(tile_of(resource))),
        _ => channel_of(resource).map(ActorId::channel),
    }
}

/// The first resource of each actor.
fn names(run: &LiveRun) -> BTreeMap<ActorId, &Resource> {
    let named = resources(run).iter().rev();
    named
        .filter_map(|resource| Some((actor_of(resource)?, resource)))
        .collect()
}

/// Who acts in a run: controllers or the firmware, cores, channels.
fn actors(run: &LiveRun, names: &BTreeMap<ActorId, &Resource>) -> Vec<ActorId> {
    let stats = run.array().view().stats();
    let machine = run.machine();
    let controllers = machine.controllers().iter();
    let controllers = controllers.map(|vm| ActorId::controller(vm.uc as u8));
    let firmware = machine.firmware.iter().map(|_| ActorId::HOST);
    let mut actors: Vec<ActorId> = controllers.chain(firmware).collect();
    let ran = stats.cores.iter().map(|core| ActorId::core(core.tile));
    let ran = ran.chain(stats.channels.iter().map(|c| ActorId::channel(c.channel)));
    let all: BTreeSet<ActorId> = names.keys().copied().chain(ran).collect();
    let is_core = |actor: &ActorId| actor.kind() == ActorKind::Core;
    actors.extend(all.iter().copied().filter(is_core));
    actors.extend(all.iter().copied().filter(|actor| !is_core(actor)));
    actors
}

/// All threads: the clock, controllers, cores, channels.
pub fn threads(run: &LiveRun) -> Vec<RunThread> {
    let names = names(run);
    let machine = run.machine();
    let now = diagnosis::limit(machine, run.array(), run.debug());
    let waits: BTreeMap<ThreadId, String> = now
        .waiting
        .iter()
        .rev()
        .map(|wait| (ThreadId::of_waiter(wait.who), wait.on()))
        .collect();
    let clock = RunThread {
        id: ThreadId::CLOCK,
        name: format!("clock: cycle {}", run.cycle()),
    };
    let actors = actors(run, &names).into_iter().map(|actor| {
        let id = ThreadId::of(actor);
        let who = match actor.kind() {
            ActorKind::Host => "firmware".to_string(),
            _ => actor.to_string(),
        };
        let name = names.get(&actor).map(|resource| &resource.name);
        let name = name.filter(|name| !name.is_empty() && **name != who);
        let name = name.map_or(String::new(), |name| format!(" '{name}'"));
        let state = match waits.get(&id) {
            Some(wait) if actor.kind() != ActorKind::Controller => format!(": waits for {wait}"),
            _ => idle_state(run, actor).map_or(String::new(), |state| format!(": {state}")),
        };
        RunThread {
            id,
            name: format!("{who}{name}{state}"),
        }
    });
    std::iter::once(clock).chain(actors).collect()
}

/// The state of who neither works nor waits.
fn idle_state(run: &LiveRun, actor: ActorId) -> Option<&'static str> {
    let view = run.array().view();
    match actor.kind() {
        ActorKind::Core if view.core_has_ended(actor.tile()) => Some("has ended"),
        ActorKind::Core if run.array().core_position(actor.tile()).is_none() => Some("not started"),
        ActorKind::Channel(id) if !view.is_channel_busy(id) => Some("idle"),
        ActorKind::Controller => {
            let is_done = controller(run, actor).is_some_and(Vm::is_done);
            is_done.then_some("done")
        }
        _ => None,
    }
}

/// The actor of the thread with a number; `None` for the clock.
///
/// # Errors
/// The thread doesn't exist.
pub fn actor(run: &LiveRun, id: usize) -> Result<Option<ActorId>, String> {
    if id == ThreadId::CLOCK.0 {
        return Ok(None);
    }
    let all = actors(run, &names(run)).into_iter();
    let mut found = all.filter(|actor| ThreadId::of(*actor).0 == id);
    found
        .next()
        .map(Some)
        .ok_or_else(|| format!("there is no thread {id}"))
}

/// The controller that an actor is.
pub fn controller(run: &LiveRun, actor: ActorId) -> Option<&Vm> {
    let uc = u32::from(actor.tile().col);
    run.machine().controllers().iter().find(|vm| vm.uc == uc)
}

/// A job of a running page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlace {
    /// The job.
    pub id: JobId,
    /// How many pages are around its page.
    depth: usize,
}

/// The jobs of a controller that are not over, of the innermost page first, the one that has the controller first of all.
fn jobs(vm: &Vm) -> Vec<(JobPlace, &Job)> {
    let mut all = Vec::new();
    for (depth, page) in vm.running().iter().enumerate().rev() {
        let rank = |index: usize| match page.current {
            Some(current) if current == index => 0,
            _ => {
                1 + page
                    .ready
                    .iter()
                    .position(|ready| *ready == index)
                    .unwrap_or(page.jobs.len())
            }
        };
        let mut order: Vec<usize> = (0..page.jobs.len()).collect();
        order.sort_by_key(|index| rank(*index));
        for index in order {
            let job = &page.jobs[index];
            if matches!(job.state, JobState::Ready | JobState::Blocked(_)) {
                let id = JobId {
                    uc: vm.uc as u8,
                    page: page.number,
                    job: job.id,
                };
                all.push((JobPlace { id, depth }, job));
            }
        }
    }
    all
}

/// The job at the top of a controller's stack.
pub fn first_job(run: &LiveRun, actor: ActorId) -> Option<JobPlace> {
    let all = jobs(controller(run, actor)?);
    all.into_iter().next().map(|(place, _)| place)
}

/// The job of a place.
pub fn job<'r>(run: &'r LiveRun, place: &JobPlace) -> Option<&'r Job> {
    let vm = controller(run, ActorId::controller(place.id.uc))?;
    let all = jobs(vm);
    let found = all.into_iter().find(|(other, _)| other == place);
    found.map(|(_, job)| job)
}

/// Whether a job is not over.
pub fn is_alive(run: &LiveRun, place: &JobPlace) -> bool {
    job(run, place).is_some()
}

/// A frame of a stack.
#[derive(Clone, Debug)]
pub struct StackFrame {
    /// The text that is shown.
    pub name: String,
    /// Where it is.
    pub source: Option<SourceLoc>,
    /// Whose it is.
    pub owner: FrameOwner,
}

/// Whose frame it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameOwner {
    /// Of the clock.
    Clock,
    /// Of a job.
    Job(JobPlace),
    /// Of the firmware.
    Firmware,
    /// Of a core.
    Core(TileLoc),
    /// Of a channel.
    Channel(ChannelId),
}

/// The stack of an actor, or of the clock, the innermost frame first; `present` is the event that the run has stopped at.
pub fn stack(
    run: &LiveRun,
    actor: Option<ActorId>,
    present: Option<TraceRecord>,
) -> Vec<StackFrame> {
    let Some(actor) = actor else {
        return vec![StackFrame {
            name: format!("cycle {}", run.cycle()),
            source: None,
            owner: FrameOwner::Clock,
        }];
    };
    match actor.kind() {
        ActorKind::Core => core_stack(run, actor.tile()),
        ActorKind::Channel(id) => vec![channel_frame(run, id)],
        ActorKind::Host => vec![firmware_frame(run, present)],
        _ => job_stack(run, actor),
    }
}

fn core_stack(run: &LiveRun, tile: TileLoc) -> Vec<StackFrame> {
    let array = run.array();
    let Some(position) = array.core_position(tile) else {
        return Vec::new();
    };
    let debug = run.debug();
    let marks = debug.and_then(|debug| debug.program((tile.col, tile.row), position.checksum));
    let addresses = std::iter::once(position.at).chain(position.calls.iter().copied());
    let frame = |at: u32| {
        let function = marks.and_then(|marks| marks.function(at));
        let operation = marks.and_then(|marks| marks.operation(at));
        let place = if position.checksum == MACHINE_CODE {
            format!("{at:#x}")
        } else {
            format!("instruction {at}")
        };
        let name = match (function, operation) {
            (Some(function), _) => format!("{}, {place}", function.name),
            (None, _) => place,
        };
        StackFrame {
            name,
            source: operation.map(|operation| operation.source),
            owner: FrameOwner::Core(tile),
        }
    };
    addresses.map(frame).collect()
}

fn job_stack(run: &LiveRun, actor: ActorId) -> Vec<StackFrame> {
    let Some(vm) = controller(run, actor) else {
        return Vec::new();
    };
    let waits = diagnosis::limit(run.machine(), run.array(), run.debug()).waiting;
    let frame = |(place, job): (JobPlace, &Job)| {
        let is_blocked = matches!(job.state, JobState::Blocked(_));
        let op = if is_blocked {
            job.waiting_op()
        } else {
            job.op()
        };
        let debug = run.debug();
        let marks = debug.and_then(|debug| debug.page(vm.uc, place.id.page));
        let mut lines = marks.map_or(&[][..], |page| &page.lines).iter();
        let line = lines.find(|line| usize::from(line.at) == op.at);
        let JobId {
            page, job: number, ..
        } = place.id;
        let mnemonic = op.op.info().mnemonic;
        let wait = waits
            .iter()
            .find(|wait| wait.who == ActorOrJob::Job(place.id));
        let state = match wait {
            Some(wait) => format!(": waits for {}", wait.on()),
            None => String::new(),
        };
        StackFrame {
            name: format!("page {page}, job {number}, {mnemonic}{state}"),
            source: line.map(|line| line.source),
            owner: FrameOwner::Job(place),
        }
    };
    jobs(vm).into_iter().map(frame).collect()
}

fn channel_frame(run: &LiveRun, id: ChannelId) -> StackFrame {
    let progress = run.array().view().channel_progress(id);
    let name = match progress {
        Some(progress) => {
            let of_task = match progress.task {
                Some((moved, wanted)) => format!("; {moved} of {wanted} words of this one"),
                None => String::new(),
            };
            format!(
                "{} tasks done, {} words{of_task}",
                progress.tasks, progress.words
            )
        }
        None => "no channel".to_string(),
    };
    let mut resources = resources(run).iter();
    let resource = resources.find(|resource| channel_of(resource) == Some(id));
    StackFrame {
        name,
        source: resource.and_then(|resource| resource.source),
        owner: FrameOwner::Channel(id),
    }
}

fn firmware_frame(run: &LiveRun, present: Option<TraceRecord>) -> StackFrame {
    let firmware = run.machine().firmware.as_ref();
    let waiting = firmware.and_then(|firmware| firmware.waiting());
    let (name, source) = match (waiting, present.map(|record| record.event)) {
        (Some((_, name, offset, _)), _) => {
            let source = firmware.and_then(|firmware| firmware.source());
            (format!("{name} at byte {offset:#x} waits"), source)
        }
        (None, Some(TraceEvent::FirmwareOperation(operation))) => {
            let name = format!("{} at byte {:#x}", operation.name, operation.offset);
            (name, operation.source)
        }
        (None, _) => ("transaction".to_string(), None),
    };
    StackFrame {
        name,
        source,
        owner: FrameOwner::Firmware,
    }
}
