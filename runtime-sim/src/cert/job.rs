//! Jobs and their waits.

use aiec_cert::isa::{RawOp, Reg};
use aiec_cert::names::TileId;
use aiec_cert::page::{DecodedPage, PlacedJob, PlacedOp};
use aiec_cert::program::JobKind;

use crate::time::Cycle;

/// A job of a page while the page runs.
#[derive(Debug, Clone)]
pub struct Job {
    /// Number.
    pub id: u16,
    /// Its start condition.
    pub kind: JobKind,
    /// Byte offset of its start in the page.
    pub at: u16,
    /// Instructions, END_JOB the last.
    pub ops: Vec<PlacedOp>,
    /// Index of the next instruction.
    pub pc: usize,
    /// Index of the instruction that was executed last.
    pub last: usize,
    /// Private registers.
    pub regs: [u32; Reg::PRIVATE as usize],
    /// It has released a lock in REL_ACQ_SYNC and waits for its acquire.
    pub spinning: bool,
    /// Progress of an instruction of several steps (PREEMPT, LOAD_LAST_PDI).
    pub step: u8,
    /// Later jobs of the page start only when it has ended.
    pub gates: bool,
    /// It only waits for the other controllers, and has ended then.
    pub leaving: bool,
    /// Its state.
    pub state: JobState,
    /// Since when it is in this state.
    pub since: Cycle,
}

/// State of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Waits to be launched.
    Deferred,
    /// Waits for the end of a job before it on the page.
    Gated,
    /// May run.
    Ready,
    /// Waits.
    Blocked(JobBlock),
    /// Has ended, or is never to run.
    Ended,
}

/// Cause of a wait of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobBlock {
    /// A chain of uC-DMA descriptors.
    UcDma {
        /// Its handle.
        handle: u32,
    },
    /// Room in the queue of the uC-DMA.
    UcDmaQueue,
    /// Tokens of an actor.
    Tokens {
        /// Tile that sends.
        tile: TileId,
        /// Actor in that tile.
        actor: u8,
        /// Number of tokens.
        need: u8,
    },
    /// Jobs of the page.
    LocalBarrier {
        /// Number of the barrier.
        barrier: u8,
        /// Number of jobs that meet.
        participants: u8,
    },
    /// Jobs of other controllers.
    RemoteBarrier {
        /// Which, as encoded.
        barrier: u8,
        /// Controllers that meet, a bit each.
        mask: u32,
    },
    /// The value of a register.
    Poll {
        /// Address of the register.
        address: u32,
        /// Bits to compare.
        mask: u32,
        /// Their value.
        value: u32,
        /// Next look, if no other job is ready.
        retry: Cycle,
        /// Ready jobs whose turn comes before that of this one, which then looks too.
        ahead: usize,
    },
    /// A lock, in REL_ACQ_SYNC: the controller spins.
    Spin {
        /// Address of the request.
        address: u32,
    },
    /// The value of a word outside the array, in UC_DMA_MASK_POLL_EXT: the controller spins.
    ExternalPoll {
        /// Address of the register.
        address: u64,
        /// Bits to compare.
        mask: u32,
        /// Their value.
        value: u32,
    },
    /// The pages of a scope that this job runs.
    SubProgram {
        /// First page.
        page: u16,
    },
    /// All controllers at a synchronisation point (after LOAD_PDI, LOAD_CORES, PREEMPT).
    SyncPoint,
}

impl Job {
    /// A job as its page begins to run in cycle `now`.
    fn new(placed: PlacedJob, now: Cycle) -> Self {
        let state = match placed.kind {
            JobKind::Immediate | JobKind::AfterPreemption => JobState::Gated,
            JobKind::Deferred => JobState::Deferred,
        };
        let special = |op: &PlacedOp| {
            matches!(
                op.op,
                RawOp::LoadPdi { .. } | RawOp::LoadCores { .. } | RawOp::Preempt { .. }
            )
        };
        Self {
            id: placed.id,
            kind: placed.kind,
            at: placed.at as u16,
            gates: placed.kind == JobKind::AfterPreemption || placed.ops.iter().any(special),
            ops: placed.ops,
            pc: 0,
            last: 0,
            regs: [0; Reg::PRIVATE as usize],
            spinning: false,
            step: 0,
            leaving: false,
            state,
            since: now,
        }
    }

    /// The jobs of a page.
    pub fn of_page(page: DecodedPage, now: Cycle) -> Vec<Self> {
        page.jobs
            .into_iter()
            .map(|placed| Self::new(placed, now))
            .collect()
    }

    /// The next instruction; END_JOB once past the end.
    pub fn op(&self) -> PlacedOp {
        let end = PlacedOp {
            at: usize::from(self.at),
            op: RawOp::EndJob {},
        };
        self.ops.get(self.pc).copied().unwrap_or(end)
    }

    /// The instruction it waits in: the one executed last.
    pub fn waiting_op(&self) -> PlacedOp {
        self.ops.get(self.last).copied().unwrap_or(self.op())
    }

    /// True if the page need not wait for it.
    pub fn is_over(&self) -> bool {
        matches!(self.state, JobState::Ended | JobState::Deferred)
    }
}
