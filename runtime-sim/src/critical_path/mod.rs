//! The critical path of a run: from its last cycle back over what ended each wait, a chain of causes whose cycles add up
//! to the run. Who is on it makes the time; who isn't could be slower without a loss.
//!
//! The walk begins at who did the last thing. The time since a part's last wait is a link; what ended that wait, a
//! release of a lock, words or room in a stream, a push of a task, a token, says who is looked at next. Where a stream
//! didn't move though neither end waited, the stream itself is the cause.

mod history;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use aiec_device::{DmaDir, TileLoc};
use aiec_diag::named_enum;
use rustc_hash::FxHashMap;

use crate::array::{ActorId, ActorKind, ActorOrJob, JobId, JobWaitKind, StallKind, StreamEnds};
use crate::run::{SimResult, Status};
use crate::time::Cycle;
use history::{EndedWait, History, JobChange, WaitEnd};

named_enum! {
    /// Use of the time of a link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PathActivity {
        /// A core computed, a channel moved words, control code was executed.
        Work => "work",
        /// A channel loaded its BD and waited for the first words of memory.
        Setup => "setup",
        /// From the release of a lock until it was granted.
        Lock => "lock",
        /// A stream moved nothing, or slowly, though its other end didn't wait: others used its ports, or its way
        /// is long.
        Stream => "stream",
        /// A token was on its way, until the job went on that took it.
        Token => "token",
        /// Control code waited for its uC-DMA, or for a register.
        Control => "control",
    }
}

/// A link of the chain: an actor or job for some cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLink {
    /// The actor or job.
    pub who: ActorOrJob,
    /// Use of the time.
    pub activity: PathActivity,
    /// First cycle.
    pub begin: Cycle,
    /// The cycle after the last one.
    pub end: Cycle,
}

impl PathLink {
    /// Its cycles.
    pub fn cycles(&self) -> Cycle {
        self.end - self.begin
    }
}

/// The critical path of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    links: Vec<PathLink>,
}

/// All links of one part of a run with one activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathShare {
    /// The actor, or the controller of jobs.
    pub who: ActorOrJob,
    /// Use of the time.
    pub activity: PathActivity,
    /// Number of links.
    pub links: u64,
    /// Their cycles.
    pub cycles: Cycle,
}

impl CriticalPath {
    /// The links in order of time: each begins where the one before it ends, the first with the run, and the last ends
    /// with it.
    pub fn links(&self) -> &[PathLink] {
        &self.links
    }

    /// Cycles by who spent them and into what, the most first. Jobs of one controller are one.
    pub fn shares(&self) -> Vec<PathShare> {
        let mut sums: BTreeMap<(ActorOrJob, PathActivity), (u64, Cycle)> = BTreeMap::new();
        for link in &self.links {
            let who = match link.who {
                ActorOrJob::Job(job) => ActorOrJob::Actor(ActorId::controller(job.uc)),
                who => who,
            };
            let (links, cycles) = sums.entry((who, link.activity)).or_default();
            *links += 1;
            *cycles += link.cycles();
        }
        let share = |((who, activity), (links, cycles))| PathShare {
            who,
            activity,
            links,
            cycles,
        };
        let mut shares: Vec<PathShare> = sums.into_iter().map(share).collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.cycles));
        shares
    }
}

/// The critical path of a run with records of waits ([`crate::Recording::Waits`], or all of a trace); `None` of a run that
/// didn't complete, or recorded nothing.
///
/// # Errors
/// A trace in scratch files can't be read.
pub fn critical_path(result: &SimResult) -> io::Result<Option<CriticalPath>> {
    if result.status != Status::Completed {
        return Ok(None);
    }
    let history = History::read(result)?;
    let Some(last) = history.last_actor() else {
        return Ok(None);
    };
    let walk = PathWalk {
        result,
        history,
        links: Vec::new(),
        stream_ends: RefCell::default(),
    };
    let path = walk.back_from(last, result.cycles);
    debug_assert!(path.covers(result.cycles), "{path:?}");
    Ok(Some(path))
}

/// Cause of the end of an actor's or a job's last wait.
struct PathCause {
    /// When it went on.
    ended: Cycle,
    /// Who ended the wait.
    by: ActorOrJob,
    /// When, not after `ended`.
    at: Cycle,
    /// Use of the time in between.
    activity: PathActivity,
}

struct PathWalk<'a> {
    result: &'a SimResult,
    history: History,
    /// From the last to the first.
    links: Vec<PathLink>,
    /// The other ends of streams that were waited for.
    stream_ends: RefCell<FxHashMap<(ActorId, StallKind), StreamEnds>>,
}

impl PathWalk<'_> {
    fn back_from(mut self, last: ActorOrJob, end: Cycle) -> CriticalPath {
        let (mut who, mut at) = (last, end);
        // Who was looked at in this cycle: a circle of causes without time has no beginning.
        let mut met = BTreeSet::new();
        while at > 0 {
            let known = !met.insert(who);
            let cause = if known { None } else { self.cause(who, at) };
            let Some(cause) = cause else {
                // Nothing is known to have kept it: it worked from the beginning on, in a circle since what it did before.
                let begin = if known {
                    self.history.earlier(who, at)
                } else {
                    0
                };
                self.worked(who, begin, at);
                (at, met) = (begin, BTreeSet::new());
                continue;
            };
            self.worked(who, cause.ended, at);
            self.link(who, cause.activity, cause.at, cause.ended);
            if cause.at < at {
                met.clear();
            }
            (who, at) = (cause.by, cause.at);
        }
        self.links.reverse();
        CriticalPath { links: self.links }
    }

    /// Adds the work of an actor or job; of a channel its set-up too.
    fn worked(&mut self, who: ActorOrJob, begin: Cycle, end: Cycle) {
        let moved = match who {
            ActorOrJob::Actor(actor) => self.history.began_to_move(actor, begin, end),
            _ => None,
        };
        let moved = moved.unwrap_or(begin);
        self.link(who, PathActivity::Work, moved, end);
        self.link(who, PathActivity::Setup, begin, moved);
    }

    /// Adds a link before those that there are; one of no time is none, and more of the same is part of the one there.
    fn link(&mut self, who: ActorOrJob, activity: PathActivity, begin: Cycle, end: Cycle) {
        if begin == end {
            return;
        }
        match self.links.last_mut() {
            Some(last) if (last.who, last.activity) == (who, activity) => last.begin = begin,
            _ => self.links.push(PathLink {
                who,
                activity,
                begin,
                end,
            }),
        }
    }

    /// Cause of the end of the last wait of an actor or job until a cycle; `None` if nothing is known.
    fn cause(&self, who: ActorOrJob, until: Cycle) -> Option<PathCause> {
        match who {
            ActorOrJob::Actor(actor) => self.cause_of_actor(actor, until),
            ActorOrJob::Job(job) => self.cause_of_job(job, until),
            ActorOrJob::Firmware => self.cause_of_firmware(until),
        }
    }

    fn cause_of_actor(&self, who: ActorId, until: Cycle) -> Option<PathCause> {
        let wait = self.history.last_wait(who, until, 0)?;
        let ended = wait.end;
        let (by, at, activity) = match wait.by {
            WaitEnd::Release(Some(by), at) => (ActorOrJob::Actor(by), at, PathActivity::Lock),
            WaitEnd::Release(None, at) => (self.history.control(at)?, at, PathActivity::Lock),
            WaitEnd::Control(job) => {
                let by = job.map(ActorOrJob::Job);
                let by = by.or_else(|| self.history.control(ended))?;
                (by, ended, PathActivity::Work)
            }
            WaitEnd::Stream(kind) => match self.other_end(who, kind, &wait) {
                Some(by) => (ActorOrJob::Actor(by), ended, PathActivity::Stream),
                None => (ActorOrJob::Actor(who), wait.begin, PathActivity::Stream),
            },
        };
        Some(PathCause {
            ended,
            by,
            at,
            activity,
        })
    }

    /// Who at the other end of a stream ended a wait for it: a sender, who is at work when words arrive, or a receiver
    /// that had itself waited.
    fn other_end(&self, who: ActorId, kind: StallKind, wait: &EndedWait) -> Option<ActorId> {
        let mut known = self.stream_ends.borrow_mut();
        let ends = known.entry((who, kind));
        let ends = ends.or_insert_with(|| self.result.array.view().stream_ends(who, kind));
        let last = |actor: &ActorId| Some(self.history.last_wait(*actor, wait.end, 0)?.end);
        let late = |actor: &&ActorId| last(actor).is_some_and(|end| end > wait.begin);
        let waited = |list: &[ActorId]| {
            let list = list.iter().filter(late);
            list.max_by_key(|actor| last(actor)).copied()
        };
        let sends = matches!(who.kind(), ActorKind::Channel(id) if id.dir == DmaDir::Mm2s);
        waited(&ends.senders)
            .or_else(|| waited(&ends.receivers))
            .or_else(|| {
                // A sender that didn't wait is slower than its receiver.
                let moving = ends.senders.iter().filter(|actor| last(actor).is_some());
                moving
                    .max_by_key(|actor| last(actor))
                    .copied()
                    .filter(|_| !sends)
            })
    }

    fn cause_of_job(&self, job: JobId, until: Cycle) -> Option<PathCause> {
        let changes = self.history.job(job, until);
        let started = changes
            .iter()
            .rposition(|(_, change)| *change == JobChange::Started)?;
        let (ended, before) = (changes[started].0, &changes[..started]);
        let cause = |(at, by): (Cycle, ActorOrJob), activity| PathCause {
            ended,
            by,
            at,
            activity,
        };
        let other = self.history.gave_up(job, ended);
        let other = other.map(|(at, job)| (at, ActorOrJob::Job(job)));
        let blocked = before.iter().rev().find_map(|(at, change)| match change {
            JobChange::Blocked(on) => Some((*at, *on)),
            _ => None,
        });
        let Some((since, on)) = blocked else {
            return Some(cause(other?, PathActivity::Work));
        };
        let ready = before
            .iter()
            .rev()
            .find(|(_, change)| *change == JobChange::Ready);
        let ready = ready.map_or(ended, |(at, _)| *at).max(since);
        if let Some(other) = other.filter(|(at, _)| *at > ready) {
            return Some(cause(other, PathActivity::Work));
        }
        let itself = (since, ActorOrJob::Job(job));
        let since_then = |found: Option<(Cycle, JobId)>| {
            let found = found.filter(|(at, _)| *at >= since);
            found.map_or(itself, |(at, job)| (at, ActorOrJob::Job(job)))
        };
        Some(match on {
            JobWaitKind::Tokens { tile, actor, .. } => {
                match self.sender(tile, actor, since, ready) {
                    Some(sender) => cause(sender, PathActivity::Token),
                    None => cause(itself, PathActivity::Control),
                }
            }
            JobWaitKind::LocalBarrier(_)
            | JobWaitKind::RemoteBarrier(_)
            | JobWaitKind::SyncPoint => {
                let last = self.history.came_to_barrier(job, ready);
                cause(since_then(last), PathActivity::Control)
            }
            JobWaitKind::SubProgram | JobWaitKind::Controller => cause(
                since_then(self.history.gave_up(job, ready)),
                PathActivity::Work,
            ),
            JobWaitKind::UcDma | JobWaitKind::UcDmaQueue | JobWaitKind::Poll => {
                cause(itself, PathActivity::Control)
            }
        })
    }

    /// The channel whose token arrived in a span, and when it sent that.
    fn sender(
        &self,
        tile: TileLoc,
        actor: u8,
        from: Cycle,
        until: Cycle,
    ) -> Option<(Cycle, ActorOrJob)> {
        let arrived = self.history.token(tile, actor, from, until)?;
        let channel = self.result.array.token_sender(tile, actor)?;
        let sent = self.history.sent(channel, arrived)?;
        Some((sent, ActorOrJob::Actor(ActorId::channel(channel))))
    }

    /// The last operation of the firmware during which a token arrived waited for that.
    fn cause_of_firmware(&self, until: Cycle) -> Option<PathCause> {
        (0..).find_map(|skip| {
            let Some((begin, end)) = self.history.operation(until, skip) else {
                return Some(None);
            };
            let (arrived, tile, actor) = self.history.any_token(begin, end.min(until))?;
            let (at, by) = self.sender(tile, actor, begin, arrived)?;
            Some(Some(PathCause {
                ended: arrived,
                by,
                at,
                activity: PathActivity::Token,
            }))
        })?
    }
}

impl CriticalPath {
    /// Whether the links are the run without gaps, which is what the walk promises.
    fn covers(&self, cycles: Cycle) -> bool {
        let mut at = 0;
        let joined = self.links.iter().all(|link| {
            let joins = link.begin == at && link.end > link.begin;
            at = link.end;
            joins
        });
        joined && at == cycles
    }
}
