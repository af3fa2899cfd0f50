//! The loop over bundles of the scalar unit alone.

use super::{BranchKind, MachineCodeCore};
use crate::core::bus::CoreMemory;
use crate::core::isa::address::ADDRESS_MASK;
use crate::core::isa::execute::{CONDITION, no_memory_to_store};
use crate::core::isa::pipeline::Pipeline;
use crate::core::isa::registers::{CARRY, LC, LR};
use crate::core::isa::scalar::{AluOp, alu};
use crate::core::isa::scalar_bundles::{Kind, ScalarOp};

/// Bytes of a word.
const WORD: u32 = 4;

/// Does something for an operation in an arm of its own, in which only the code of that operation is left.
macro_rules! each_alone {
    ($kind:ident, |$known:ident| $body:expr, $($op:ident)*) => {
        match $kind {
            $(AluOp::$op => {
                let $known = AluOp::$op;
                $body
            })*
        }
    };
}

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
        while now < budget {
            let Some((bundle, ops)) = self.code.scalar_bundle(pc) else {
                break;
            };
            let pipeline = &mut self.pipeline;
            if pipeline.lands_next_in(&bundle.written) {
                break;
            }
            if bundle.accesses_memory {
                if self.issue.part_word_until > pipeline.now {
                    break;
                }
                memory.set_instruction(pc, now);
            }
            let (mut stall, mut branch) = (0, None);
            for op in ops {
                let a = pipeline.scalar(op.a);
                let b = pipeline.scalar(op.b).wrapping_add(op.number);
                let value = match op.kind {
                    Kind::Alu(kind) => each_alone!(
                        kind,
                        |kind| {
                            let (value, carried) = alu(kind, a, b, pipeline.scalar(CARRY) != 0);
                            if let Some(carried) = carried {
                                pipeline.write_soon(CARRY, carried.into(), op.latency);
                            }
                            value
                        },
                        Add AddNoCarry Sub AddWithCarry SubWithBorrow Mul And Or Xor ShiftLogical ShiftArithmetic
                        Eq Ne Lt Ltu Ge Geu Eqz Nez Abs CountLeadingZeros CountLeadingSigns PopulationCount
                        SignExtend8 SignExtend16 ZeroExtend8 ZeroExtend16 Max MaxUnsigned Min MinUnsigned
                    ),
                    Kind::Move => a.wrapping_add(b),
                    Kind::SelectIfZero if pipeline.scalar(CONDITION) == 0 => a,
                    Kind::SelectIfNonZero if pipeline.scalar(CONDITION) != 0 => a,
                    Kind::SelectIfZero | Kind::SelectIfNonZero => b,
                    Kind::Load | Kind::LoadPost => {
                        let address = address(op, a, b, pipeline);
                        // Where there is no memory a load gives 0.
                        let bytes = memory.perhaps_load_array(address.into());
                        let value = u32::from_le_bytes(bytes.unwrap_or_default());
                        pipeline.write(op.d, value, op.latency);
                        stall = wait(address, memory, now).max(stall);
                        continue;
                    }
                    Kind::Store | Kind::StorePost => {
                        let address = address(op, a, b, pipeline);
                        let Some(to) = memory.array_to_store(address.into()) else {
                            (self.pc, *elapsed) = (pc, now);
                            return Err(no_memory_to_store(address));
                        };
                        *to = pipeline.scalar(op.d).to_le_bytes();
                        stall = wait(address, memory, now).max(stall);
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
                };
                pipeline.write_soon(op.d, value, op.latency);
            }
            executes = true;
            (self.issue.pc, self.issue.elapsed) = (pc, now);
            now += 1 + stall;
            let count = pipeline.loop_register(LC);
            let is_due = pipeline.step();
            let length = bundle.length;
            let is_plain = !is_due && branch.is_none() && count == 0;
            match &mut self.branch {
                None if is_plain => pc = pc.wrapping_add(length.into()),
                Some(pending) if is_plain && pending.left > 1 => {
                    pending.left -= 1;
                    pc = pc.wrapping_add(length.into());
                }
                _ => {
                    (self.pc, *elapsed) = (pc, now);
                    if is_due {
                        self.finish_due(memory, now)?;
                    }
                    self.next_pc(length, branch, count, now)?;
                    pc = self.pc;
                }
            }
        }
        (self.pc, *elapsed) = (pc, now);
        Ok(executes)
    }
}
