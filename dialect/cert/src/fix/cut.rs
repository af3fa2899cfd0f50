//! Where a job may be cut in two.
//!
//! Not everywhere: the registers `$r0` to `$r7` are lost at the end of a job; a chain that runs
//! unattended reads the page it came with; the host patches data on the page of the
//! APPLY_OFFSET_57 only; and what LOAD_CORES_CP skips is the rest of its job.

use std::collections::BTreeMap;

use crate::isa::{FieldKind, Op, Operand, Reg};
use crate::program::{
    BodyItem, DataId, DataItem, FixupValue, Inst, Job, JobKind, Scope, SourceLoc, Word,
};

/// Why jobs cannot be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCut {
    /// A register of the job is needed on both sides.
    #[error("{0} is set before and used after each place where the page could end")]
    Register(Reg),
    /// A chain may still run.
    #[error("the chain that this starts may still read the page")]
    Chain,
    /// Data that the host patches.
    #[error("the data that this patches must stay on one page with those who use them")]
    Patched,
    /// The rest of the job is skipped together.
    #[error("LOAD_CORES_CP and the code after it stay in one job")]
    CoresCp,
    /// A position in the page is kept as a number.
    #[error("this keeps a position in the page as a number")]
    Position,
    /// Words among the instructions.
    #[error("there are bare words among the instructions")]
    Words,
    /// Deferred jobs share the page of their launcher.
    #[error("a launched job shares the page of its launcher")]
    Launch,
    /// A job after a preemption meets others at its end.
    #[error("all controllers meet after a START_COND_JOB_PREEMPT, so there must not be two of it")]
    Conditional,
    /// No barrier joins all jobs of the page, or not early enough.
    #[error(
        "jobs that meet at local barriers are split where all of them meet, and no such barrier \
         comes in time"
    )]
    Barrier,
    /// Parts that use a barrier need a number for it each.
    #[error("all 16 local barriers of the scope are in use, and the parts would need more")]
    Numbers,
    /// One instruction and its data are larger than a page.
    #[error("this instruction and its data are larger than a page")]
    TooBig,
}

/// For each place between two items of a job why it may not be cut there. Place `i` is before
/// item `i`.
pub(super) struct CutPoints {
    why: Vec<Option<(NoCut, Option<SourceLoc>)>>,
}

impl CutPoints {
    pub fn of(job: &Job, scope: &Scope) -> Self {
        let mut cuts = Self {
            why: vec![None; job.body.len() + 1],
        };
        cuts.registers(job);
        cuts.chains(job);
        cuts.patched(job, scope);
        for (i, item) in job.body.iter().enumerate() {
            match item {
                BodyItem::Word(_) => cuts.forbid(0, job.body.len(), NoCut::Words, job.source),
                BodyItem::Inst(inst) if matches!(inst.op, Op::LoadCoresCp { .. }) => {
                    cuts.forbid(i, job.body.len(), NoCut::CoresCp, inst.source);
                }
                BodyItem::Inst(inst) => {
                    let position =
                        |f: &crate::program::Fixup| matches!(f.value, FixupValue::Label(_));
                    if inst.fixups.iter().any(position) {
                        cuts.forbid(i, job.body.len(), NoCut::Position, inst.source);
                    }
                }
                BodyItem::Align(_) => {}
            }
        }
        match job.kind {
            JobKind::Immediate => {}
            JobKind::Deferred => cuts.forbid(0, job.body.len(), NoCut::Launch, job.source),
            JobKind::AfterPreemption => {
                cuts.forbid(0, job.body.len(), NoCut::Conditional, job.source);
            }
        }
        cuts
    }

    /// Why not before item `i`.
    pub fn at(&self, i: usize) -> Option<(NoCut, Option<SourceLoc>)> {
        self.why.get(i).copied().flatten()
    }

    /// Forbids the places after item `first` up to the one before item `last`.
    fn forbid(&mut self, first: usize, last: usize, why: NoCut, at: Option<SourceLoc>) {
        for place in self.why.get_mut(first + 1..=last).into_iter().flatten() {
            place.get_or_insert((why, at));
        }
    }

    /// Between where a private register is set and where it is used.
    fn registers(&mut self, job: &Job) {
        let mut set = [0usize; Reg::PRIVATE as usize];
        for (i, inst) in indexed(job) {
            let (reads, writes) = registers_of(inst);
            for reg in reads.into_iter().flatten() {
                if let Some(&since) = set.get(usize::from(reg.0)) {
                    self.forbid(since, i, NoCut::Register(reg), inst.source);
                }
            }
            if let Some(since) = writes.and_then(|reg| set.get_mut(usize::from(reg.0))) {
                *since = i;
            }
        }
    }

    /// While a chain may run.
    fn chains(&mut self, job: &Job) {
        let mut running: BTreeMap<u8, (usize, Option<SourceLoc>)> = BTreeMap::new();
        for (i, inst) in indexed(job) {
            match inst.op {
                Op::UcDmaWriteDes { wait_handle, .. } => {
                    if let Some((since, at)) = running.insert(wait_handle.0, (i, inst.source)) {
                        // its handle is lost: it may run to the end
                        self.forbid(since, job.body.len(), NoCut::Chain, at);
                    }
                }
                Op::WaitUcDma { wait_handle } => {
                    if let Some((since, at)) = running.remove(&wait_handle.0) {
                        self.forbid(since, i, NoCut::Chain, at);
                    }
                }
                _ => {}
            }
        }
        for (since, at) in running.into_values() {
            self.forbid(since, job.body.len(), NoCut::Chain, at);
        }
    }

    /// From the first to the last instruction that has to do with patched data.
    fn patched(&mut self, job: &Job, scope: &Scope) {
        let mut patched: BTreeMap<DataId, (usize, usize, Option<SourceLoc>)> = BTreeMap::new();
        for (i, inst) in indexed(job) {
            for id in inst.patched_blocks() {
                patched.entry(id).or_insert((i, i, inst.source)).1 = i;
            }
        }
        if patched.is_empty() {
            return;
        }
        for (i, inst) in indexed(job) {
            for_each_block(inst, scope, |id| {
                if let Some((first, last, _)) = patched.get_mut(&id) {
                    *first = i.min(*first);
                    *last = i.max(*last);
                }
            });
        }
        for (first, last, at) in patched.into_values() {
            self.forbid(first, last, NoCut::Patched, at);
        }
    }
}

fn indexed(job: &Job) -> impl Iterator<Item = (usize, &Inst)> {
    let items = job.body.iter().enumerate();
    items.filter_map(|(i, item)| match item {
        BodyItem::Inst(inst) => Some((i, inst)),
        BodyItem::Word(_) | BodyItem::Align(_) => None,
    })
}

/// The block that an instruction names, and those that this one refers to.
fn for_each_block(inst: &Inst, scope: &Scope, mut visit: impl FnMut(DataId)) {
    inst.op.for_each_field(|field, operand| {
        let (FieldKind::Label, Operand::Label(id)) = (field.kind, operand) else {
            return;
        };
        visit(id);
        for item in scope.block(id).map_or(&[][..], |block| &block.items) {
            match item {
                DataItem::Bd(bd) => visit(bd.local),
                DataItem::Word(Word::Label(id)) => visit(*id),
                DataItem::Word(_) => {}
            }
        }
    });
}

/// Registers that an instruction reads, and the one it writes.
fn registers_of(inst: &Inst) -> ([Option<Reg>; 2], Option<Reg>) {
    match inst.op {
        Op::UcDmaWriteDes { wait_handle, .. } => ([None; 2], Some(wait_handle)),
        Op::WaitUcDma { wait_handle } => ([Some(wait_handle), None], None),
        Op::Mov { dest, .. } => ([None; 2], Some(dest)),
        Op::Add { dest, .. } => ([Some(dest), None], Some(dest)),
        Op::Read32 { value, .. } => ([None; 2], Some(value)),
        Op::Read32D { address, value } => ([Some(address), None], Some(value)),
        Op::Write32D {
            flags,
            address,
            value,
        } => {
            let reg = |bit: u8, n: u32| {
                let in_register = flags >> bit & 1 == 0;
                in_register.then(|| Reg(n.min(u32::from(u8::MAX)) as u8))
            };
            ([reg(0, address), reg(1, value)], None)
        }
        _ => ([None; 2], None),
    }
}
