//! State that controllers share: tokens, remote barriers, synchronisation points, records.

use std::collections::{BTreeMap, BTreeSet};

use aiec_cert::names::TileId;
use aiec_cert::probes::{ControlBody, ProbePoint};
use aiec_device::TileLoc;
use rustc_hash::FxHashSet;

use super::fault::InstructionFault;
use crate::array::{ControlOrder, JobId, JobPlace, ThreadName, Token};
use crate::jitter::Jitter;
use crate::time::Cycle;

/// A job of a controller: controller by index, page by depth of sub-programs, job by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobKey {
    /// Index of the controller in the machine.
    pub vm: usize,
    /// Depth of its page in the stack of running pages.
    pub depth: usize,
    /// Index of the job in its page.
    pub job: usize,
}

impl JobKey {
    /// The job as a thread of the race detector.
    pub(crate) fn place(self) -> JobPlace {
        let JobKey { vm, depth, job } = self;
        JobPlace { vm, depth, job }
    }

    /// Same by name.
    pub(crate) fn thread(self) -> ThreadName {
        ThreadName::Job(self.place())
    }
}

/// Record of an instruction or a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Controller.
    pub uc: u32,
    /// Identifier in the instruction; the index of the probe.
    pub id: u32,
    /// When.
    pub at: Cycle,
    /// What.
    pub kind: RecordKind,
}

/// Content of a record besides its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// SAVE_TIMESTAMPS: nothing.
    Time,
    /// SAVE_REGISTER: the register's value.
    Register(u32),
    /// A probe: nothing.
    Probe,
}

/// A trace probe: each time a controller comes to the instruction, the time is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probe {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u16,
    /// Byte offset of the instruction in the page.
    pub offset: u16,
}

/// Outcome of a wait for tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenTake {
    /// They were there and are taken.
    Taken,
    /// The job waits.
    Waits,
    /// Another job waits for tokens of this actor.
    Clash,
}

/// Tokens of an actor.
#[derive(Debug, Clone, Default)]
struct TokenCount {
    available: u32,
    waiter: Option<(JobKey, u32)>,
}

/// A remote barrier that jobs have reached.
#[derive(Debug, Clone)]
struct Remote {
    mask: u32,
    arrived: Vec<(u32, JobKey)>,
}

/// State that all controllers see.
#[derive(Clone, Debug, Default)]
pub struct SharedState {
    tokens: BTreeMap<(u16, u8), TokenCount>,
    remote: BTreeMap<u8, Remote>,
    /// Meeting points reached, by controller index.
    sync_points: Vec<u64>,
    at_sync_point: Vec<(JobKey, u64)>,
    /// The records.
    pub records: Vec<Record>,
    /// Device addresses of arguments, if the controllers are to patch BD images themselves.
    pub arguments: Option<Vec<u64>>,
    /// Jobs of the runtime sequence: controller, page, offset in the page.
    pub run_jobs: FxHashSet<(u32, u16, u16)>,
    /// When the first job of the runtime sequence started.
    pub run_began: Option<Cycle>,
    /// When the last token arrived.
    pub last_token: Cycle,
    /// Preemption points at which the context is to be switched.
    pub preempt: BTreeSet<u16>,
    /// Those at which it was.
    pub switched: BTreeSet<u16>,
    /// Trace probes, in order.
    pub probes: Vec<Probe>,
    /// Control bodies of probes, by controller.
    pub probe_bodies: BTreeMap<u32, ControlBody>,
    pub(crate) jitter: Jitter,
    /// Deferred jobs of pages that have ended.
    pub never_launched: Vec<JobId>,
    /// Jobs to set ready, and when.
    pub wake: Vec<(JobKey, Cycle)>,
    /// Orderings for the race detector; taken over after each step.
    pub(crate) orders: Vec<ControlOrder>,
}

impl SharedState {
    /// For `controllers` controllers.
    pub fn new(controllers: usize) -> Self {
        Self {
            sync_points: vec![0; controllers],
            ..Self::default()
        }
    }

    /// The probe at an instruction, if one was put there.
    pub(super) fn probe_at(&self, uc: u32, page: u16, offset: u16) -> Option<u32> {
        let wanted = Probe { uc, page, offset };
        let mut probes = self.probes.iter();
        probes.position(|probe| *probe == wanted).map(|i| i as u32)
    }

    /// Performs the probe's actions in the control body of a controller at a point; returns whether
    /// it has a probe there.
    pub(super) fn reach(&mut self, uc: u32, point: ProbePoint, time: Cycle) -> bool {
        let body = self.probe_bodies.get_mut(&uc);
        body.is_some_and(|body| body.record(point, time))
    }

    /// Same for all controllers.
    pub(crate) fn reach_for_all(&mut self, point: ProbePoint, time: Cycle) {
        for body in self.probe_bodies.values_mut() {
            body.record(point, time);
        }
    }

    /// True for a job of the runtime sequence, as far as the code says.
    pub fn is_run_job(&self, uc: u32, page: u16, at: u16) -> bool {
        self.run_jobs.contains(&(uc, page, at))
    }

    /// Counts a token that arrived.
    pub fn add_token(&mut self, token: Token) {
        let tile = token.tile;
        self.last_token = self.last_token.max(token.at);
        let count = self
            .tokens
            .entry((token.tile_operand(), token.actor))
            .or_default();
        count.available += 1;
        if let Some((key, need)) = count.waiter
            && count.available >= need
        {
            count.available -= need;
            count.waiter = None;
            self.wake.push((key, token.at));
            let (job, actor) = (key.thread(), token.actor);
            self.orders
                .push(ControlOrder::TokensTaken(job, tile, actor, need));
        }
    }

    /// Takes tokens, or lets the job wait for them.
    pub fn take_tokens(&mut self, key: JobKey, tile: TileId, actor: u8, need: u32) -> TokenTake {
        let count = self.tokens.entry((tile.0, actor)).or_default();
        if count.waiter.is_some() {
            return TokenTake::Clash;
        }
        if count.available >= need {
            count.available -= need;
            let (job, tile) = (key.thread(), TileLoc::new(tile.column(), tile.row()));
            self.orders
                .push(ControlOrder::TokensTaken(job, tile, actor, need));
            return TokenTake::Taken;
        }
        count.waiter = Some((key, need));
        TokenTake::Waits
    }

    /// Tokens of an actor that arrived and weren't taken.
    pub fn tokens_left(&self, tile: TileId, actor: u8) -> u32 {
        self.tokens
            .get(&(tile.0, actor))
            .map_or(0, |count| count.available)
    }

    /// A job of controller `uc` reaches a remote barrier. When it is the last, all that waited
    /// are woken at `release` and it may go on.
    pub fn reach_remote(
        &mut self,
        key: JobKey,
        uc: u32,
        barrier: u8,
        mask: u32,
        release: Cycle,
    ) -> Result<bool, InstructionFault> {
        if mask.checked_shr(uc).unwrap_or(0) & 1 == 0 {
            let what = format!("controller {uc} is not in the party mask 0x{mask:X}");
            return Err(InstructionFault::Barrier(what));
        }
        let remote = self.remote.entry(barrier).or_insert_with(|| Remote {
            mask,
            arrived: Vec::new(),
        });
        if remote.mask != mask {
            let first = remote.mask;
            let what = format!("others came with party mask 0x{first:X}, not 0x{mask:X}");
            return Err(InstructionFault::Barrier(what));
        }
        if remote.arrived.iter().any(|(other, _)| *other == uc) {
            let what = format!("another job of controller {uc} already waits there");
            return Err(InstructionFault::Barrier(what));
        }
        remote.arrived.push((uc, key));
        if remote.arrived.len() < mask.count_ones() as usize {
            return Ok(false);
        }
        let arrived = self
            .remote
            .remove(&barrier)
            .map(|r| r.arrived)
            .unwrap_or_default();
        let meet = arrived.iter().map(|(_, key)| key.thread());
        self.orders.push(ControlOrder::Meet(meet.collect()));
        let others = arrived.into_iter().filter(|(_, other)| *other != key);
        self.wake.extend(others.map(|(_, other)| (other, release)));
        Ok(true)
    }

    /// Tokens that arrived and weren't taken: tile, actor, how many.
    pub fn unawaited(&self) -> impl Iterator<Item = (TileLoc, u8, u32)> + '_ {
        let left = self.tokens.iter().filter(|(_, count)| count.available > 0);
        left.map(|(&(tile, actor), count)| {
            let tile = TileId(tile);
            let loc = TileLoc::new(tile.column(), tile.row());
            (loc, actor, count.available)
        })
    }

    /// Controllers that have come to a remote barrier, by number.
    pub fn at_remote(&self, barrier: u8) -> Vec<u32> {
        let arrived = self.remote.get(&barrier).map_or(&[][..], |r| &r.arrived);
        arrived.iter().map(|(uc, _)| *uc).collect()
    }

    /// A job reaches its controller's next synchronisation point of all controllers. `true`: all are
    /// there.
    pub fn reach_sync_point(&mut self, key: JobKey, now: Cycle) -> bool {
        let Some(reached) = self.sync_points.get_mut(key.vm) else {
            return true;
        };
        *reached += 1;
        let round = *reached;
        let all = self.sync_points.iter().copied().min().unwrap_or(round);
        if all < round {
            self.at_sync_point.push((key, round));
        }
        let (released, waiting): (Vec<_>, Vec<_>) = self
            .at_sync_point
            .drain(..)
            .partition(|(_, round)| *round <= all);
        self.at_sync_point = waiting;
        let meet = released.iter().map(|(key, _)| key.thread());
        let own = (all >= round).then(|| key.thread());
        self.orders
            .push(ControlOrder::Meet(meet.chain(own).collect()));
        self.wake
            .extend(released.into_iter().map(|(key, _)| (key, now)));
        all >= round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(vm: usize) -> JobKey {
        JobKey {
            vm,
            depth: 0,
            job: 0,
        }
    }

    fn token(at: Cycle) -> Token {
        Token {
            tile: TileLoc::new(1, 0),
            actor: 6,
            controller: 0,
            at,
            routed: false,
            counts: Vec::new(),
        }
    }

    #[test]
    fn tokens_count_before_and_after_the_wait() {
        let mut shared = SharedState::new(1);
        let tile = TileId::new(1, 0);
        shared.add_token(token(5));
        assert_eq!(shared.take_tokens(key(0), tile, 6, 2), TokenTake::Waits);
        assert_eq!(shared.take_tokens(key(0), tile, 6, 1), TokenTake::Clash);
        assert!(shared.wake.is_empty());
        shared.add_token(token(9));
        assert_eq!(shared.wake, [(key(0), 9)]);
        assert_eq!(shared.tokens_left(tile, 6), 0);
    }

    #[test]
    fn remote_barriers_release_when_the_mask_is_full() {
        let mut shared = SharedState::new(3);
        assert_eq!(shared.reach_remote(key(0), 0, 2, 0b101, 10), Ok(false));
        assert!(shared.reach_remote(key(1), 1, 2, 0b101, 11).is_err());
        assert!(shared.reach_remote(key(2), 2, 2, 0b111, 11).is_err());
        assert_eq!(shared.at_remote(2), [0]);
        assert_eq!(shared.reach_remote(key(2), 2, 2, 0b101, 12), Ok(true));
        assert_eq!(shared.wake, [(key(0), 12)]);
    }

    #[test]
    fn sync_points_wait_for_all_controllers() {
        let mut shared = SharedState::new(2);
        assert!(!shared.reach_sync_point(key(0), 1));
        assert!(shared.reach_sync_point(key(1), 4));
        assert_eq!(shared.wake, [(key(0), 4)]);
        assert!(!shared.reach_sync_point(key(1), 5));
    }
}
