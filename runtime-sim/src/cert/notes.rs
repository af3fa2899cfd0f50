//! What an observer is told of controllers.

use aiec_device::TileLoc;

use super::exec::Flow;
use super::fault::Site;
use super::job::Block;
use super::vm::Vm;
use crate::array::{Array, JobSite, JobWait, Note};
use crate::time::Cycle;

impl Vm {
    /// Tells an observer, if there is one.
    #[inline]
    pub(super) fn note(&self, array: &mut Array, at: Cycle, what: impl FnOnce() -> Note) {
        array.note(TileLoc::new(self.uc as u8, 0), at, what);
    }

    pub(super) fn note_page(&self, array: &mut Array, page: u16, begins: bool) {
        let uc = self.uc as u8;
        self.note(array, self.time, || Note::Page { uc, page, begins });
    }

    /// A job of the running page, by index.
    pub(super) fn job_site(&self, job: usize) -> JobSite {
        let run = self.stack.last();
        JobSite {
            uc: self.uc as u8,
            page: run.map_or(0, |run| run.number),
            job: run
                .and_then(|run| run.jobs.get(job))
                .map_or(0, |job| job.id),
        }
    }

    /// A job gets the controller.
    pub(super) fn note_chosen(&self, array: &mut Array, job: usize) {
        let since = self.stack.last().map(|run| run.jobs[job].since);
        self.note(array, since.unwrap_or(self.time), || Note::JobWoken {
            site: self.job_site(job),
        });
        self.note(array, self.time, || Note::JobRuns {
            site: self.job_site(job),
        });
    }

    pub(super) fn note_op(&self, array: &mut Array, job: usize, op: Site) {
        self.note(array, self.time, || Note::Op {
            site: self.job_site(job),
            offset: op.offset,
            mnemonic: op.mnemonic,
        });
    }

    /// What becomes of a job behind an instruction.
    pub(super) fn note_flow(&self, array: &mut Array, job: usize, flow: &Flow) {
        let uc = self.uc as u8;
        self.note(array, self.time, || Note::OpEnds { uc });
        let on = match flow {
            Flow::Next | Flow::Spin(_) => return,
            Flow::End => {
                let what = || Note::JobEnds {
                    site: self.job_site(job),
                };
                return self.note(array, self.time, what);
            }
            Flow::Block(block) | Flow::Retry(block) => wait(*block),
            Flow::Yield => JobWait::Controller,
            Flow::Scope(_) | Flow::ScopeAgain(_) => JobWait::SubProgram,
            Flow::Meet | Flow::MeetAgain => JobWait::Meeting,
        };
        self.note(array, self.time, || Note::JobWaits {
            site: self.job_site(job),
            on,
        });
    }
}

fn wait(block: Block) -> JobWait {
    match block {
        Block::UcDma { .. } => JobWait::UcDma,
        Block::UcDmaQueue => JobWait::UcDmaQueue,
        Block::Tokens { tile, actor, need } => JobWait::Tokens {
            tile: TileLoc::new(tile.column(), tile.row()),
            actor,
            need: u8::try_from(need).unwrap_or(u8::MAX),
        },
        Block::LocalBarrier { barrier, .. } => JobWait::LocalBarrier(barrier),
        Block::RemoteBarrier { barrier, .. } => JobWait::RemoteBarrier(barrier),
        Block::Poll { .. } | Block::Spin { .. } => JobWait::Poll,
        Block::SubProgram { .. } => JobWait::SubProgram,
        Block::Meeting => JobWait::Meeting,
    }
}
