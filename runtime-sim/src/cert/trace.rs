//! Trace events of controllers.

use aiec_device::TileLoc;

use super::context::InstructionOutcome;
use super::fault::InstructionSite;
use super::job::JobBlock;
use super::vm::Vm;
use crate::array::{Array, JobId, JobWaitKind, TraceEvent};
use crate::time::Cycle;

impl Vm {
    /// Records a trace event, if there is an observer.
    #[inline]
    pub(super) fn trace(&self, array: &mut Array, at: Cycle, what: impl FnOnce() -> TraceEvent) {
        array.trace(TileLoc::new(self.uc as u8, 0), at, what);
    }

    pub(super) fn trace_page(&self, array: &mut Array, page: u16, begins: bool) {
        let uc = self.uc as u8;
        self.trace(array, self.time, || TraceEvent::Page { uc, page, begins });
    }

    /// The identity of a job of the running page by index.
    pub(super) fn job_id(&self, job: usize) -> JobId {
        let run = self.stack.last();
        JobId {
            uc: self.uc as u8,
            page: run.map_or(0, |run| run.number),
            job: run
                .and_then(|run| run.jobs.get(job))
                .map_or(0, |job| job.id),
        }
    }

    /// A job gets the controller.
    pub(super) fn trace_chosen(&self, array: &mut Array, job: usize) {
        let since = self.stack.last().map(|run| run.jobs[job].since);
        self.trace(array, since.unwrap_or(self.time), || {
            TraceEvent::JobReady(self.job_id(job))
        });
        self.trace(array, self.time, || {
            TraceEvent::JobStarted(self.job_id(job))
        });
    }

    pub(super) fn trace_op(&self, array: &mut Array, job: usize, op: InstructionSite) {
        self.trace(array, self.time, || TraceEvent::Instruction {
            job: self.job_id(job),
            offset: op.offset,
            mnemonic: op.mnemonic,
        });
    }

    /// Fate of a job after an instruction.
    pub(super) fn trace_outcome(&self, array: &mut Array, job: usize, flow: &InstructionOutcome) {
        let uc = self.uc as u8;
        self.trace(array, self.time, || TraceEvent::InstructionEnded { uc });
        let on = match flow {
            InstructionOutcome::Next | InstructionOutcome::Spin(_) => return,
            InstructionOutcome::End => {
                let what = || TraceEvent::JobEnded(self.job_id(job));
                return self.trace(array, self.time, what);
            }
            InstructionOutcome::Block(block) | InstructionOutcome::Retry(block) => wait(*block),
            InstructionOutcome::Yield => JobWaitKind::Controller,
            InstructionOutcome::Scope(_) | InstructionOutcome::ScopeAgain(_) => {
                JobWaitKind::SubProgram
            }
            InstructionOutcome::Sync | InstructionOutcome::SyncAgain => JobWaitKind::SyncPoint,
        };
        self.trace(array, self.time, || TraceEvent::JobBlocked {
            job: self.job_id(job),
            on,
        });
    }
}

fn wait(block: JobBlock) -> JobWaitKind {
    match block {
        JobBlock::UcDma { .. } => JobWaitKind::UcDma,
        JobBlock::UcDmaQueue => JobWaitKind::UcDmaQueue,
        JobBlock::Tokens { tile, actor, need } => JobWaitKind::Tokens {
            tile: TileLoc::new(tile.column(), tile.row()),
            actor,
            need,
        },
        JobBlock::LocalBarrier { barrier, .. } => JobWaitKind::LocalBarrier(barrier),
        JobBlock::RemoteBarrier { barrier, .. } => JobWaitKind::RemoteBarrier(barrier),
        JobBlock::Poll { .. } | JobBlock::Spin { .. } | JobBlock::ExternalPoll { .. } => {
            JobWaitKind::Poll
        }
        JobBlock::SubProgram { .. } => JobWaitKind::SubProgram,
        JobBlock::SyncPoint => JobWaitKind::SyncPoint,
    }
}
