//! The loop over bundles of the scalar unit alone.

use super::{BranchKind, MachineCodeCore};
use crate::core::bus::CoreMemory;
use crate::core::isa::address::ADDRESS_MASK;
use crate::core::isa::execute::{CONDITION, no_memory_to_store};
use crate::core::isa::pipeline::Pipeline;
use crate::core::isa::registers::{CARRY, LC, LR};
use crate::core::isa::scalar::{AluOp, alu};
use crate::core::isa::scalar_bundles::{Kind, ScalarOp, with_alu_ops};

/// Bytes of a word.
const WORD: u32 = 4;

/// The address of an access to a word whose second operand sums to `by`; its pointer walks. The low bits don't count,
/// as this isn't strict execution.
#[inline(always)]
fn address(op: &ScalarOp, pointer: u32, by: u32, pipeline: &mut Pipeline) -> u32 {
    let next = pointer.wrapping_add(by);
    let address = match op.kind {
        Kind::LoadPost | Kind::StorePost => {
            pipeline.write(op.a, next, op.walk_latency);
            pointer
        }
        _ => next & ADDRESS_MASK,
    };
    address & !(WORD - 1)
}

/// Cycles until the bank of a word is free.
#[inline(always)]
fn wait(address: u32, memory: &mut CoreMemory<'_>, elapsed: u64) -> u64 {
    if memory.conflicts.is_none() {
        return 0;
    }
    memory.wait_for_banks(address.into(), WORD, elapsed)
}

impl MachineCodeCore {
    /// Executes bundles of the scalar unit until another comes; returns whether there was any.
    #[inline(never)]
    pub(super) fn scalar_bundles(
        &mut self,
        memory: &mut CoreMemory<'_>,
        elapsed: &mut u64,
        budget: u64,
    ) -> Result<bool, String> {
        let (mut pc, mut now) = (self.pc, *elapsed);
        let mut executes = false;
        // Delay slots left of a branch under way.
        let mut left = self.branch.map_or(0, |branch| branch.left);
        let mut number = usize::MAX;
        let ended = 'bundles: loop {
            if now >= budget {
                break Ok(());
            }
            let Some(bundle) = self.code.scalar_bundle_after(&mut number, pc) else {
                break Ok(());
            };
            let pipeline = &mut self.pipeline;
            if pipeline.lands_next_in(&bundle.written) {
                break Ok(());
            }
            if bundle.accesses_memory {
                if self.issue.part_word_until > pipeline.now {
                    break Ok(());
                }
                memory.set_instruction(pc, now);
            }
            let (mut stall, mut branch) = (0, None);
            for op in self.code.scalar_ops(bundle) {
                let a = pipeline.scalar(op.a);
                let b = pipeline.scalar(op.b).wrapping_add(op.number);
                macro_rules! value {
                    ($($alu:ident)*) => {
                        match op.kind {
                            $(Kind::$alu => {
                                let carry = pipeline.scalar(CARRY) != 0;
                                let (value, carried) = alu(AluOp::$alu, a, b, carry);
                                if let Some(carried) = carried {
                                    pipeline.set(CARRY, carried.into());
                                }
                                value
                            })*
                            Kind::Move => a.wrapping_add(b),
                            Kind::SelectIfZero if pipeline.scalar(CONDITION) == 0 => a,
                            Kind::SelectIfNonZero if pipeline.scalar(CONDITION) != 0 => a,
                            Kind::SelectIfZero | Kind::SelectIfNonZero => b,
                            Kind::Load | Kind::LoadPost | Kind::Store | Kind::StorePost => {
                                match access(op, (a, b), pipeline, memory, now) {
                                    Ok(cycles) => stall = cycles.max(stall),
                                    Err(address) => {
                                        break 'bundles Err(no_memory_to_store(address));
                                    }
                                }
                                continue;
                            }
                            Kind::JumpIfZero if a != 0 => continue,
                            Kind::JumpIfNonZero if a == 0 => continue,
                            Kind::Jump | Kind::JumpIfZero | Kind::JumpIfNonZero => {
                                let kind = if op.b == LR {
                                    BranchKind::Return
                                } else {
                                    BranchKind::Jump
                                };
                                branch = Some((b, kind));
                                continue;
                            }
                            Kind::MulLater => {
                                pipeline.write(op.d, a.wrapping_mul(b), op.latency);
                                continue;
                            }
                            Kind::Later => {
                                compute_later(op, (a, b), pipeline);
                                continue;
                            }
                        }
                    };
                }
                let value = with_alu_ops!(value);
                pipeline.set_bits(op.d, value & op.bits);
            }
            executes = true;
            (self.issue.pc, self.issue.elapsed) = (pc, now);
            now += 1 + stall;
            let count = pipeline.loop_register(LC);
            let is_due = pipeline.step();
            let length = bundle.length;
            if !is_due && branch.is_none() && count == 0 && left != 1 {
                left = left.saturating_sub(1);
                pc = pc.wrapping_add(length.into());
                continue;
            }
            (self.pc, *elapsed) = (pc, now);
            if let Some(branch) = &mut self.branch {
                branch.left = left;
            }
            if is_due {
                self.finish_due(memory, now)?;
            }
            self.next_pc(length, branch, count, now)?;
            pc = self.pc;
            left = self.branch.map_or(0, |branch| branch.left);
        };
        (self.pc, *elapsed) = (pc, now);
        if let Some(branch) = &mut self.branch {
            branch.left = left;
        }
        ended.map(|()| executes)
    }
}

/// Loads or stores a word at a cycle of the run, and returns the cycles that this waits; the address of a store where the
/// core sees no memory, which has no effect.
#[inline(never)]
fn access(
    op: &ScalarOp,
    (a, b): (u32, u32),
    pipeline: &mut Pipeline,
    memory: &mut CoreMemory<'_>,
    now: u64,
) -> Result<u64, u32> {
    let address = address(op, a, b, pipeline);
    if matches!(op.kind, Kind::Load | Kind::LoadPost) {
        // A load gives 0 from addresses without memory.
        let bytes = memory.perhaps_load_array(address.into());
        let value = u32::from_le_bytes(bytes.unwrap_or_default());
        pipeline.write(op.d, value, op.latency);
    } else {
        let to = memory.array_to_store(address.into()).ok_or(address)?;
        *to = pipeline.scalar(op.d).to_le_bytes();
    }
    Ok(wait(address, memory, now))
}

/// Computes what is written some cycles later.
#[inline(never)]
fn compute_later(op: &ScalarOp, (a, b): (u32, u32), pipeline: &mut Pipeline) {
    let is_zero = pipeline.scalar(CONDITION) == 0;
    let carry = pipeline.scalar(CARRY) != 0;
    let (value, carried) = match (op.computes, op.computes.alu()) {
        (_, Some(op)) => alu(op, a, b, carry),
        (Kind::SelectIfZero, _) => (if is_zero { a } else { b }, None),
        (Kind::SelectIfNonZero, _) => (if is_zero { b } else { a }, None),
        // A move.
        _ => (a.wrapping_add(b), None),
    };
    if let Some(carried) = carried {
        pipeline.write(CARRY, carried.into(), op.latency);
    }
    pipeline.write(op.d, value, op.latency);
}
