//! Instructions that wait for other jobs, for registers, and for locks.

use aiec_device::regmap::RegisterRef;

use super::context::{ExecContext, InstructionOutcome};
use super::fault::{CertFault, InstructionFault};
use super::job::{JobBlock, JobState};
use super::sync::JobKey;
use super::vm::Vm;
use crate::array::{Array, BusFault, ControlOrder};
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Local barriers of a controller (`aiebu: specification/aie2ps/isa-spec.yaml`, type barrier).
const LOCAL_BARRIERS: u8 = 16;

impl Vm {
    /// The last job to arrive sets the others ready and goes on.
    pub(super) fn local_barrier(
        &mut self,
        c: &mut ExecContext<'_>,
        barrier: u8,
        participants: u8,
    ) -> Result<InstructionOutcome, CertFault> {
        if barrier >= LOCAL_BARRIERS || participants == 0 {
            let what = match participants {
                0 => "it is for no participants".to_string(),
                _ => format!("{barrier} isn't a local barrier"),
            };
            return Err(InstructionFault::Barrier(what).at(c.site));
        }
        let run = &self.stack[c.key.depth];
        let mut waiting = Vec::new();
        for (i, job) in run.jobs.iter().enumerate() {
            if let JobState::Blocked(JobBlock::LocalBarrier {
                barrier: b,
                participants: p,
            }) = job.state
                && b == barrier
            {
                if p != participants {
                    let what = format!("job {} came for {p} participants", job.id);
                    return Err(InstructionFault::Barrier(what).at(c.site));
                }
                waiting.push(i);
            }
        }
        if waiting.len() + 1 < usize::from(participants) {
            return Ok(InstructionOutcome::Block(JobBlock::LocalBarrier {
                barrier,
                participants,
            }));
        }
        let others = waiting.iter().map(|&job| JobKey { job, ..c.key });
        let meet = others.chain([c.key]).map(JobKey::thread).collect();
        c.shared.orders.push(ControlOrder::Meet(meet));
        for job in waiting {
            self.wake(JobKey { job, ..c.key }, self.time);
        }
        Ok(InstructionOutcome::Next)
    }

    pub(super) fn poll(
        &mut self,
        c: &mut ExecContext<'_>,
        now: Cycle,
        address: u32,
        mask: u32,
        value: u32,
    ) -> Result<InstructionOutcome, CertFault> {
        c.array.act_as(None);
        if self.read(c, now, address)? & mask == value & mask {
            c.array.poll_succeeded(c.key.thread(), self.uc, address);
            return Ok(InstructionOutcome::Next);
        }
        let retry = self.time + c.timing.poll_interval.max(1);
        Ok(InstructionOutcome::Block(JobBlock::Poll {
            address,
            mask,
            value,
            retry,
            ahead: self.stack.last().map_or(0, |run| run.ready.len()),
        }))
    }

    /// The polling job whose turn it is among the ready ones: it looks each time it would be run.
    pub(super) fn poll_in_turn(&self) -> Option<usize> {
        let run = self.stack.last().filter(|run| !run.ready.is_empty())?;
        let due = self.polls().filter(|&(job, _)| {
            let state = &run.jobs[job].state;
            matches!(state, JobState::Blocked(JobBlock::Poll { ahead: 0, .. }))
        });
        due.min_by_key(|&(job, retry)| (retry, job))
            .map(|(job, _)| job)
    }

    /// A polling job looks again.
    pub(super) fn look(
        &mut self,
        job: usize,
        array: &mut Array,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        let depth = self.stack.len() - 1;
        let JobState::Blocked(JobBlock::Poll {
            address,
            mask,
            value,
            ..
        }) = self.stack[depth].jobs[job].state
        else {
            return Ok(());
        };
        let site = self.site(self.stack[depth].jobs[job].waiting_op());
        array.act_as(None);
        let found = array.bus_read(self.time, address);
        let found = found.map_err(|fault| InstructionFault::Bus(fault).at(site))?;
        self.time += timing.bus_read.max(1);
        if found & mask == value & mask {
            let key = JobKey {
                vm: self.index,
                depth,
                job,
            };
            array.poll_succeeded(key.thread(), self.uc, address);
            self.wake(key, self.time);
        } else {
            let run = &mut self.stack[depth];
            if let JobState::Blocked(JobBlock::Poll { retry, ahead, .. }) = &mut run.jobs[job].state
            {
                *retry = self.time + timing.poll_interval.max(1);
                *ahead = run.ready.len();
            }
        }
        Ok(())
    }

    /// One read releases; then the controller reads the acquire address until it is granted.
    pub(super) fn release_acquire(
        &mut self,
        c: &mut ExecContext<'_>,
        now: Cycle,
        release: u32,
        acquire: u32,
    ) -> Result<InstructionOutcome, CertFault> {
        let lock_of = |address, wanted| match c.array.device().register_at(address) {
            Some((tile, RegisterRef::LockRequest { id, acquire, .. })) if acquire == wanted => {
                Some((tile, id))
            }
            _ => None,
        };
        let lock = lock_of(release, false);
        if lock.is_none() || lock != lock_of(acquire, true) {
            let what = "its addresses must be a release and an acquire request of one lock";
            return Err(InstructionFault::NotExecutable(what).at(c.site));
        }
        let job = &mut self.stack[c.key.depth].jobs[c.key.job];
        let released = std::mem::replace(&mut job.spinning, true);
        if !released {
            self.read(c, now, release)?;
        }
        let granted = self.read(c, now, acquire)? & 1 == 1;
        Ok(self.spin(c, granted, JobBlock::Spin { address: acquire }))
    }

    /// The controller reads a word outside the array until its bits under the mask are the
    /// value's, and lets no other job run meanwhile.
    pub(super) fn poll_external(
        &mut self,
        c: &mut ExecContext<'_>,
        address: u64,
        mask: u32,
        value: u32,
    ) -> Result<InstructionOutcome, CertFault> {
        let word = c.array.host.read_word(address);
        let word = word.map_err(|fault| InstructionFault::Bus(BusFault::Host(fault)).at(c.site))?;
        self.time += c.timing.dma_start + c.timing.burst(1);
        let block = JobBlock::ExternalPoll {
            address,
            mask,
            value,
        };
        Ok(self.spin(c, word & mask == value & mask, block))
    }

    /// One look of an instruction that keeps its controller until it is `satisfied`.
    fn spin(
        &mut self,
        c: &ExecContext<'_>,
        satisfied: bool,
        block: JobBlock,
    ) -> InstructionOutcome {
        let time = self.time;
        let job = &mut self.stack[c.key.depth].jobs[c.key.job];
        if satisfied {
            (job.spinning, job.state) = (false, JobState::Ready);
            return InstructionOutcome::Next;
        }
        job.spinning = true;
        if job.state == JobState::Ready {
            (job.state, job.since) = (JobState::Blocked(block), time);
        }
        InstructionOutcome::Spin(time + c.timing.poll_interval.max(1))
    }
}
