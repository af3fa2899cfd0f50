//! Semantics of each instruction.

use aiec_cert::isa::{ADDRESS_IS_IMMEDIATE, ArgOffset, Barrier, RawOp, Reg, VALUE_IS_IMMEDIATE};
use aiec_cert::names::TileId;
use aiec_cert::page::PlacedOp;
use aiec_cert::patch::PatchKind;
use aiec_cert::probes::ProbePoint;
use aiec_cert::program::JobKind;

use super::context::{ExecContext, InstructionOutcome};
use super::fault::{CertFault, InstructionFault, InstructionSite};
use super::job::{JobBlock, JobState};
use super::loads::load;
use super::sync::{JobKey, Record, RecordKind, SharedState, TokenTake};
use super::ucdma::QueuedBy;
use super::vm::Vm;
use crate::array::{Array, ControlOrder, ThreadName, TraceEvent};
use crate::race::Site;
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Remote barriers as encoded. The published text of 2025 knows rb0..rb63, later ones rb0..rb7
/// (`aiebu: specification/aie2ps/isa-spec.yaml`, type barrier).
const REMOTE_BARRIERS: std::ops::RangeInclusive<u8> = 1..=Barrier::REMOTE_DOCUMENTED;
/// All bits of a register.
const ALL_BITS: u32 = u32::MAX;

impl Vm {
    /// Executes the next instruction of the job that has the controller.
    pub(super) fn execute(
        &mut self,
        job: usize,
        array: &mut Array,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        let depth = self.stack.len() - 1;
        let PlacedOp { at, op } = self.stack[depth].jobs[job].op();
        let site = self.site(PlacedOp { at, op });
        let start = self.time;
        self.trace_op(array, job, site);
        if array.stops_in_front() {
            return Ok(());
        }
        self.stats.counts.instructions += 1;
        self.time += timing.instruction.max(1) + shared.jitter.draw(timing.instruction);
        if let Some(id) = shared.probe_at(self.uc, site.page, site.offset) {
            self.time += timing.probe;
            let (uc, at, kind) = (self.uc, start, RecordKind::Probe);
            shared.records.push(Record { uc, id, at, kind });
        }
        let (page, offset) = (site.page, site.offset);
        if shared.reach(self.uc, ProbePoint::Instruction { page, offset }, start) {
            self.time += timing.probe;
        }
        let key = JobKey {
            vm: self.index,
            depth,
            job,
        };
        let place = Site::of_page(site.page, site.offset);
        array.act_as(Some((key.thread(), place)));
        let mut context = ExecContext {
            array,
            shared,
            timing,
            key,
            site,
        };
        let flow = self.execute_op(op, start, &mut context)?;
        self.trace_outcome(context.array, job, &flow);
        self.stats.counts.busy += self.time - start;
        self.apply_outcome(flow, job, site, shared, timing)
    }

    fn apply_outcome(
        &mut self,
        flow: InstructionOutcome,
        job: usize,
        site: InstructionSite,
        shared: &mut SharedState,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        let time = self.time;
        let depth = self.stack.len() - 1;
        let run = &mut self.stack[depth];
        let again = matches!(
            flow,
            InstructionOutcome::Retry(_)
                | InstructionOutcome::Spin(_)
                | InstructionOutcome::ScopeAgain(_)
                | InstructionOutcome::SyncAgain
        );
        run.jobs[job].last = run.jobs[job].pc;
        if !matches!(flow, InstructionOutcome::Spin(_)) {
            self.progress = time;
        }
        if !again {
            run.jobs[job].pc += 1;
        }
        match flow {
            InstructionOutcome::Next => {}
            InstructionOutcome::Block(block) | InstructionOutcome::Retry(block) => {
                self.block(job, block)
            }
            InstructionOutcome::Spin(until) => self.time = time.max(until),
            InstructionOutcome::Yield => {
                run.current = None;
                run.jobs[job].since = time;
                run.ready.push_back(job);
            }
            InstructionOutcome::End => {
                run.current = None;
                run.jobs[job].state = JobState::Ended;
                run.jobs[job].since = time;
                run.opened = run.released < run.jobs.len();
                self.stats.counts.jobs += 1;
                if run.jobs[job].kind == JobKind::AfterPreemption {
                    // the controllers meet after a conditional job
                    run.jobs[job].leaving = true;
                    let vm = self.index;
                    self.reach_sync_point(JobKey { vm, depth, job }, shared, timing);
                }
            }
            InstructionOutcome::Scope(page) | InstructionOutcome::ScopeAgain(page) => {
                let vm = self.index;
                let pages = ThreadName::Pages(vm, depth + 1);
                let parent = JobKey { vm, depth, job }.thread();
                shared.orders.push(ControlOrder::After(pages, parent));
                self.run_scope(job, page, site, timing)?;
            }
            InstructionOutcome::Sync | InstructionOutcome::SyncAgain => {
                run.current = None;
                self.reach_sync_point(
                    JobKey {
                        vm: self.index,
                        depth,
                        job,
                    },
                    shared,
                    timing,
                );
            }
        }
        Ok(())
    }

    fn execute_op(
        &mut self,
        op: RawOp,
        now: Cycle,
        c: &mut ExecContext<'_>,
    ) -> Result<InstructionOutcome, CertFault> {
        let site = c.site;
        match op {
            RawOp::Write32 { address, value } => self.write(c, now, address, value)?,
            RawOp::MaskWrite32 {
                address,
                mask,
                value,
            } => {
                let old = self.read(c, now, address)?;
                self.write(c, now, address, old & !mask | value & mask)?;
            }
            RawOp::Write32D {
                flags,
                address,
                value,
            } => {
                let pick = |vm: &Self, bit: u8, field: u32| match flags & bit {
                    0 => vm.register(c.key, field, site),
                    _ => Ok(field),
                };
                let address = pick(self, ADDRESS_IS_IMMEDIATE, address)?;
                let value = pick(self, VALUE_IS_IMMEDIATE, value)?;
                self.write(c, now, address, value)?;
            }
            RawOp::Read32 { value, address } => {
                let word = self.read(c, now, address)?;
                c.array.register_read(self.uc, address);
                self.set_register(c, value, word)?;
            }
            RawOp::Read32D { address, value } => {
                let address = self.register(c.key, u32::from(address.0), site)?;
                let word = self.read(c, now, address)?;
                c.array.register_read(self.uc, address);
                self.set_register(c, value, word)?;
            }
            RawOp::Add { dest, value } => {
                let old = self.register(c.key, u32::from(dest.0), site)?;
                self.set_register(c, dest, old.wrapping_add(value))?;
            }
            RawOp::Mov { dest, value } => self.set_register(c, dest, value)?,
            RawOp::UcDmaWriteDes {
                wait_handle,
                descriptor,
            } => {
                if self.dma.is_full() {
                    return Ok(InstructionOutcome::Retry(JobBlock::UcDmaQueue));
                }
                let handle = self.queue_chain(c, descriptor)?;
                self.set_register(c, wait_handle, handle)?;
            }
            RawOp::UcDmaWriteDesSync { descriptor } => {
                if self.dma.is_full() {
                    return Ok(InstructionOutcome::Retry(JobBlock::UcDmaQueue));
                }
                let handle = self.queue_chain(c, descriptor)?;
                return Ok(InstructionOutcome::Block(JobBlock::UcDma { handle }));
            }
            RawOp::WaitUcDma { wait_handle } => {
                let handle = self.register(c.key, u32::from(wait_handle.0), site)?;
                return match self.dma.is_done(handle) {
                    Some(true) => {
                        let chain = self.dma.thread_of(handle);
                        let after = |chain| ControlOrder::After(c.key.thread(), chain);
                        c.shared.orders.extend(chain.map(after));
                        Ok(InstructionOutcome::Next)
                    }
                    Some(false) => Ok(InstructionOutcome::Block(JobBlock::UcDma { handle })),
                    None => Err(InstructionFault::Handle(handle).at(site)),
                };
            }
            RawOp::WaitTcts {
                tile,
                actor,
                target_tcts,
            } => {
                return self.wait_tokens(c, tile, actor.0, target_tcts);
            }
            RawOp::LocalBarrier {
                barrier,
                num_participants,
            } => {
                return self.local_barrier(c, barrier.0, num_participants);
            }
            RawOp::RemoteBarrier {
                barrier,
                party_mask,
            } => {
                if !REMOTE_BARRIERS.contains(&barrier.0) {
                    let what = format!("{} isn't a remote barrier", barrier.0);
                    return Err(InstructionFault::Barrier(what).at(site));
                }
                let release = self.time + c.timing.remote_barrier;
                let reached = c
                    .shared
                    .reach_remote(c.key, self.uc, barrier.0, party_mask, release);
                return match reached {
                    Ok(true) => {
                        self.time = release;
                        Ok(InstructionOutcome::Next)
                    }
                    Ok(false) => {
                        let (barrier, mask) = (barrier.0, party_mask);
                        Ok(InstructionOutcome::Block(JobBlock::RemoteBarrier {
                            barrier,
                            mask,
                        }))
                    }
                    Err(fault) => Err(fault.at(site)),
                };
            }
            RawOp::Poll32 { address, value } => {
                return self.poll(c, now, address, ALL_BITS, value);
            }
            RawOp::MaskPoll32 {
                address,
                mask,
                value,
            } => {
                return self.poll(c, now, address, mask, value);
            }
            RawOp::ApplyOffset57 {
                table,
                num_entries,
                offset,
            } => {
                self.apply_offset(c, table, num_entries, offset)?;
            }
            // the loader patched the block: there is nothing that the controller adds
            RawOp::ApplyOffsetPl { .. } => {}
            RawOp::UcDmaMaskPollExt {
                address_high,
                address_low,
                mask,
                value,
            } => {
                let address = u64::from(address_high) << u32::BITS | u64::from(address_low);
                return self.poll_external(c, address, mask, value);
            }
            RawOp::LaunchJob { job_id } => self.launch(job_id, c)?,
            RawOp::Yield {} => return Ok(InstructionOutcome::Yield),
            RawOp::Nop {} => {}
            RawOp::EndJob {} => return Ok(InstructionOutcome::End),
            RawOp::Sleep { target } => {
                self.time += Cycle::from(target) * c.timing.cycles_per_microsecond;
            }
            RawOp::SaveTimestamps { unq_id } => return self.save(c, unq_id, now, None),
            RawOp::SaveRegister { address, unq_id } => {
                return self.save(c, unq_id, now, Some(address));
            }
            RawOp::RelAcqSync { release, acquire } => {
                return self.release_acquire(c, now, release, acquire);
            }
            RawOp::LoadPdi { pdi_id, scope } => {
                let loaded = self.last_pdi.replace((pdi_id, scope));
                return Ok(load(loaded, pdi_id, scope));
            }
            RawOp::LoadCores { core_elf_id, scope } => {
                let loaded = self.last_cores.replace((core_elf_id, Some(scope)));
                let loaded = loaded.map(|(id, _)| (id, scope));
                return Ok(load(loaded, core_elf_id, scope));
            }
            RawOp::LoadLastPdi {} => return self.load_last(c),
            RawOp::LoadCoresCp { core_elf_id } => return Ok(self.load_cores_inline(c, core_elf_id)),
            RawOp::Preempt { id, save, restore } => return Ok(self.preempt(c, id, save, restore)),
            RawOp::Trace { info } => {
                if c.shared.reach(self.uc, ProbePoint::Tracepoint(info), now) {
                    self.time += c.timing.probe;
                    return Ok(InstructionOutcome::Next);
                }
                let what = "a probe was put here, and the instruction that it replaced is not in \
                            the file";
                return Err(InstructionFault::NotExecutable(what).at(site));
            }
            RawOp::StartJob { .. }
            | RawOp::StartJobDeferred { .. }
            | RawOp::StartCondJobPreempt { .. }
            | RawOp::Eof {} => {
                let what = "it cannot be inside a job";
                return Err(InstructionFault::NotExecutable(what).at(site));
            }
        }
        Ok(InstructionOutcome::Next)
    }

    pub(super) fn write(
        &mut self,
        c: &mut ExecContext<'_>,
        now: Cycle,
        address: u32,
        value: u32,
    ) -> Result<(), CertFault> {
        self.time += c.timing.bus_write;
        let result = c.array.bus_write(now, address, value);
        result.map_err(|fault| InstructionFault::Bus(fault).at(c.site))
    }

    pub(super) fn read(
        &mut self,
        c: &mut ExecContext<'_>,
        now: Cycle,
        address: u32,
    ) -> Result<u32, CertFault> {
        self.time += c.timing.bus_read;
        let result = c.array.bus_read(now, address);
        result.map_err(|fault| InstructionFault::Bus(fault).at(c.site))
    }

    pub(super) fn register(
        &self,
        key: JobKey,
        register: u32,
        site: InstructionSite,
    ) -> Result<u32, CertFault> {
        let index = register as usize;
        let private = self
            .stack
            .get(key.depth)
            .and_then(|run| run.jobs.get(key.job));
        let value = match index.checked_sub(usize::from(Reg::PRIVATE)) {
            None => private.and_then(|job| job.regs.get(index)),
            Some(global) => self.globals.get(global),
        };
        value
            .copied()
            .ok_or(InstructionFault::Register(register).at(site))
    }

    fn set_register(&mut self, c: &ExecContext<'_>, reg: Reg, value: u32) -> Result<(), CertFault> {
        let private = self
            .stack
            .get_mut(c.key.depth)
            .and_then(|run| run.jobs.get_mut(c.key.job));
        let slot = match usize::from(reg.0).checked_sub(usize::from(Reg::PRIVATE)) {
            None => private.and_then(|job| job.regs.get_mut(usize::from(reg.0))),
            Some(global) => self.globals.get_mut(global),
        };
        *slot.ok_or(InstructionFault::Register(reg.0.into()).at(c.site))? = value;
        Ok(())
    }

    fn queue_chain(&mut self, c: &mut ExecContext<'_>, descriptor: u16) -> Result<u32, CertFault> {
        let page = &self.stack[c.key.depth].bytes;
        let thread = ThreadName::Chains(c.key.place());
        c.shared
            .orders
            .push(ControlOrder::After(thread, c.key.thread()));
        let queued = QueuedBy {
            thread,
            site: Site::of_page(c.site.page, c.site.offset),
        };
        let at = Self::label(descriptor);
        let handle = self.dma.push(page, at, Some(queued), self.time, c.timing);
        handle.map_err(|(at, what)| InstructionFault::Descriptor { at, what }.at(c.site))
    }

    fn wait_tokens(
        &mut self,
        c: &mut ExecContext<'_>,
        tile: TileId,
        actor: u8,
        need: u8,
    ) -> Result<InstructionOutcome, CertFault> {
        match c.shared.take_tokens(c.key, tile, actor, need.into()) {
            TokenTake::Taken => {
                let loc = aiec_device::TileLoc::new(tile.column(), tile.row());
                let job = self.job_id(c.key.job);
                self.trace(c.array, self.time, || TraceEvent::TokensTaken {
                    job,
                    tile: loc,
                    actor,
                    need,
                });
                Ok(InstructionOutcome::Next)
            }
            TokenTake::Waits => Ok(InstructionOutcome::Block(JobBlock::Tokens {
                tile,
                actor,
                need,
            })),
            TokenTake::Clash => {
                let (col, row) = (tile.column(), tile.row());
                Err(InstructionFault::TokenClash { col, row, actor }.at(c.site))
            }
        }
    }

    /// Adds argument addresses to BD images, if the controllers are to do that. By default the
    /// host has patched them when it loaded the code, and nothing is left to do.
    fn apply_offset(
        &mut self,
        c: &mut ExecContext<'_>,
        table: u16,
        entries: u16,
        offset: ArgOffset,
    ) -> Result<(), CertFault> {
        /// Bytes from one image of a table to the next.
        const IMAGE_BYTES: usize = 36;
        let Some(arguments) = &c.shared.arguments else {
            return Ok(());
        };
        let fault = |what: String| InstructionFault::Patch(what).at(c.site);
        let address = match offset.index() {
            None => self.base,
            Some(index) => *arguments
                .get(usize::from(index))
                .ok_or_else(|| fault(format!("there is no argument {index}")))?,
        };
        let bytes = &mut self.stack[c.key.depth].bytes;
        for i in 0..usize::from(entries) {
            let at = Self::label(table) + i * IMAGE_BYTES;
            PatchKind::ShimBd57
                .add(bytes, at, address)
                .map_err(|error| fault(error.message))?;
        }
        Ok(())
    }

    fn launch(&mut self, id: u16, c: &mut ExecContext<'_>) -> Result<(), CertFault> {
        let site = c.site;
        let fault = |what| InstructionFault::Launch { job: id, what }.at(site);
        let time = self.time;
        let run = &mut self.stack[c.key.depth];
        let deferred = |job: &super::Job| job.id == id && job.kind == JobKind::Deferred;
        let Some((index, job)) = run
            .jobs
            .iter_mut()
            .enumerate()
            .find(|(_, job)| deferred(job))
        else {
            return Err(fault("isn't a deferred job of this page"));
        };
        if job.state != JobState::Deferred {
            return Err(fault("was launched before"));
        }
        job.since = time;
        let launched = JobKey {
            job: index,
            ..c.key
        };
        c.shared
            .orders
            .push(ControlOrder::After(launched.thread(), c.key.thread()));
        if index >= run.released {
            // a job before it on the page has to end first
            job.state = JobState::Gated;
            return Ok(());
        }
        job.state = JobState::Ready;
        run.ready.push_front(index);
        Ok(())
    }
}
