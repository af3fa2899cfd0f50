//! One operation of the inner loop: its effect on the window of the function, and where execution goes.

use aiec_vcode::{BusOp, Instruction, OpVisitor, PureOp, WINDOW_REGISTERS};

use super::Pause;
use crate::core::bus::{CoreFault, CoreMemory, CoreStop};
use crate::core::cost::{Costs, copy_extra};
use crate::core::immediate::{access_type, address, is_i32, offset, size};
use crate::core::lanes::{self, Lanes};
use crate::core::memory::no_memory;
use crate::core::scalar::pure;

/// Where execution goes after an operation.
pub(super) enum Flow {
    /// To the next instruction, `extra` cycles after the cost of the operation.
    Next {
        /// Cycles beyond its cost.
        extra: u64,
    },
    /// To the target of the instruction.
    Jump,
    /// To the target of the instruction, around a loop that may be one that is executed as a whole.
    Repeat,
    /// Into a function.
    Call,
    /// Back to the caller.
    Return,
    /// The loop hands over before the instruction has any effect.
    Stop(Pause),
}

/// The next instruction, without extra cycles.
const NEXT: Flow = Flow::Next { extra: 0 };

/// An operation with what it acts on. All methods are inlined into the loop, so that this never exists in memory and each
/// operation is an arm of one jump table.
pub(super) struct Step<'a, 'm> {
    pub instruction: Instruction,
    /// Scalar registers of the function.
    pub r: &'a mut [u64; WINDOW_REGISTERS],
    /// Lanes of the function.
    pub v: &'a mut Lanes,
    pub memory: &'a mut CoreMemory<'m>,
    pub costs: &'a Costs,
    /// Number of the instruction.
    pub pc: usize,
    /// Cycles of the run before the instruction.
    pub spent: u64,
}

fn fault(fault: CoreFault) -> Flow {
    Flow::Stop(Pause::Stop(CoreStop::Fault(fault)))
}

/// The number of a loop after a step, and whether the loop goes on with a bound.
#[inline(always)]
pub(super) fn next_round(number: u64, step: u64) -> (u64, impl Fn(u64) -> bool) {
    let (number, past_all) = (number as i64).overflowing_add(step as i64);
    let goes_on = move |bound: u64| !past_all && number < bound as i64;
    (number as u64, goes_on)
}

#[inline(always)]
fn jump_if(condition: bool) -> Flow {
    if condition { Flow::Jump } else { NEXT }
}

impl Step<'_, '_> {
    /// Values of the operands.
    #[inline(always)]
    fn a(&self) -> u64 {
        self.r[usize::from(self.instruction.a)]
    }

    #[inline(always)]
    fn b(&self) -> u64 {
        self.r[usize::from(self.instruction.b)]
    }

    #[inline(always)]
    fn c(&self) -> u64 {
        self.r[usize::from(self.instruction.c)]
    }

    /// The second word, sign-extended.
    #[inline(always)]
    fn imm(&self) -> i64 {
        self.instruction.imm as i32 as i64
    }

    /// Writes the first operand.
    #[inline(always)]
    fn set(&mut self, value: u64) -> Flow {
        self.r[usize::from(self.instruction.a)] = value;
        NEXT
    }

    #[inline(always)]
    fn load(&mut self, base: u64) -> Flow {
        let imm = self.instruction.imm;
        let address = address(base, imm);
        self.memory.set_instruction(self.pc as u32, self.spent);
        let value = if is_i32(imm) {
            self.memory.load_i32(address)
        } else {
            self.memory.load(access_type(imm), address)
        };
        let Some(value) = value else {
            return fault(no_memory(address));
        };
        self.set(value);
        Flow::Next {
            extra: self.memory.wait(address, imm, self.spent),
        }
    }

    #[inline(always)]
    fn store(&mut self, base: u64) -> Flow {
        let imm = self.instruction.imm;
        let address = address(base, imm);
        self.memory.set_instruction(self.pc as u32, self.spent);
        let done = if is_i32(imm) {
            self.memory.store_i32(address, self.a())
        } else {
            self.memory.store(access_type(imm), address, self.a())
        };
        if done.is_none() {
            return fault(no_memory(address));
        }
        Flow::Next {
            extra: self.memory.wait(address, imm, self.spent),
        }
    }

    /// Adds the step of a loop to its number, and goes on while that is less than the bound.
    #[inline(always)]
    fn repeat(&mut self, step: u64) -> Flow {
        let (number, goes_on) = next_round(self.a(), step);
        self.set(number);
        if goes_on(self.c()) {
            Flow::Repeat
        } else {
            NEXT
        }
    }

    /// Address of a vector in memory.
    #[inline(always)]
    fn vector_address(&mut self) -> u64 {
        self.memory.set_instruction(self.pc as u32, self.spent);
        self.b().wrapping_add_signed(offset(self.instruction.imm))
    }

    /// Continues after the access to a vector, which took `extra` cycles and may wait for its banks.
    #[inline(always)]
    fn after_vector_access(&mut self, address: u64, extra: Result<u64, CoreFault>) -> Flow {
        let Instruction { c, imm, .. } = self.instruction;
        match extra {
            Ok(extra) => {
                let bytes = access_type(imm).bytes() * lanes::count(c) as u32;
                let wait = self
                    .memory
                    .wait_for_banks(address, bytes, self.spent + extra);
                Flow::Next {
                    extra: extra + wait,
                }
            }
            Err(found) => fault(found),
        }
    }
}

impl OpVisitor for Step<'_, '_> {
    type Output = Flow;

    #[inline(always)]
    fn pure(&mut self, op: PureOp) -> Flow {
        let Instruction { c, imm, .. } = self.instruction;
        let fourth = self.r[(imm & 0xFF) as usize];
        match pure(op, self.b(), self.c(), fourth, c, imm as u8) {
            Some(value) => self.set(value),
            None => fault(CoreFault::DivisionByZero),
        }
    }

    #[inline(always)]
    fn bus(&mut self, op: BusOp) -> Flow {
        self.memory.set_instruction(self.pc as u32, self.spent);
        Flow::Stop(Pause::Bus(op, self.instruction))
    }

    #[inline(always)]
    fn trap(&mut self) -> Flow {
        fault(CoreFault::Trap {
            code: self.instruction.imm,
        })
    }

    #[inline(always)]
    fn li(&mut self) -> Flow {
        self.set(self.imm() as u64)
    }

    #[inline(always)]
    fn lih(&mut self) -> Flow {
        self.set(u64::from(self.instruction.imm) << 32 | self.a() & 0xFFFF_FFFF)
    }

    #[inline(always)]
    fn jmp(&mut self) -> Flow {
        Flow::Jump
    }

    #[inline(always)]
    fn jnz(&mut self) -> Flow {
        jump_if(self.a() != 0)
    }

    #[inline(always)]
    fn jz(&mut self) -> Flow {
        jump_if(self.a() == 0)
    }

    #[inline(always)]
    fn beq(&mut self) -> Flow {
        jump_if(self.a() == self.b())
    }

    #[inline(always)]
    fn bne(&mut self) -> Flow {
        jump_if(self.a() != self.b())
    }

    #[inline(always)]
    fn blts(&mut self) -> Flow {
        jump_if((self.a() as i64) < self.b() as i64)
    }

    #[inline(always)]
    fn bles(&mut self) -> Flow {
        jump_if(self.a() as i64 <= self.b() as i64)
    }

    #[inline(always)]
    fn bltu(&mut self) -> Flow {
        jump_if(self.a() < self.b())
    }

    #[inline(always)]
    fn bleu(&mut self) -> Flow {
        jump_if(self.a() <= self.b())
    }

    #[inline(always)]
    fn loop_by(&mut self) -> Flow {
        self.repeat(self.b())
    }

    #[inline(always)]
    fn loop_by_number(&mut self) -> Flow {
        self.repeat(self.instruction.b.into())
    }

    #[inline(always)]
    fn call(&mut self) -> Flow {
        Flow::Call
    }

    #[inline(always)]
    fn ret(&mut self) -> Flow {
        Flow::Return
    }

    #[inline(always)]
    fn end(&mut self) -> Flow {
        Flow::Stop(Pause::Stop(CoreStop::Done))
    }

    #[inline(always)]
    fn addi_i32(&mut self) -> Flow {
        self.set((self.b() as i32).wrapping_add(self.imm() as i32) as i64 as u64)
    }

    #[inline(always)]
    fn addi_i64(&mut self) -> Flow {
        self.set(self.b().wrapping_add_signed(self.imm()))
    }

    #[inline(always)]
    fn muli_i32(&mut self) -> Flow {
        self.set((self.b() as i32).wrapping_mul(self.imm() as i32) as i64 as u64)
    }

    #[inline(always)]
    fn muli_i64(&mut self) -> Flow {
        self.set((self.b() as i64).wrapping_mul(self.imm()) as u64)
    }

    #[inline(always)]
    fn andi(&mut self) -> Flow {
        self.set(self.b() & self.imm() as u64)
    }

    #[inline(always)]
    fn ori(&mut self) -> Flow {
        self.set(self.b() | self.imm() as u64)
    }

    #[inline(always)]
    fn xori(&mut self) -> Flow {
        self.set(self.b() ^ self.imm() as u64)
    }

    #[inline(always)]
    fn ld_abs(&mut self) -> Flow {
        self.load(0)
    }

    #[inline(always)]
    fn ld_base(&mut self) -> Flow {
        self.load(self.b())
    }

    #[inline(always)]
    fn ld_idx(&mut self) -> Flow {
        self.load(self.b().wrapping_mul(size(self.instruction.imm)))
    }

    #[inline(always)]
    fn ld_baseidx(&mut self) -> Flow {
        self.load(
            self.b()
                .wrapping_add(self.c().wrapping_mul(size(self.instruction.imm))),
        )
    }

    #[inline(always)]
    fn st_abs(&mut self) -> Flow {
        self.store(0)
    }

    #[inline(always)]
    fn st_base(&mut self) -> Flow {
        self.store(self.b())
    }

    #[inline(always)]
    fn st_idx(&mut self) -> Flow {
        self.store(self.b().wrapping_mul(size(self.instruction.imm)))
    }

    #[inline(always)]
    fn st_baseidx(&mut self) -> Flow {
        self.store(
            self.b()
                .wrapping_add(self.c().wrapping_mul(size(self.instruction.imm))),
        )
    }

    #[inline(always)]
    fn copy(&mut self) -> Flow {
        let (to, from, bytes) = (self.a(), self.b(), self.instruction.imm);
        self.memory.set_instruction(self.pc as u32, self.spent);
        if self.memory.copy(to, from, bytes as usize).is_none() {
            return fault(no_memory(from));
        }
        Flow::Next {
            extra: self.memory.wait_for_banks(from, bytes, self.spent) + copy_extra(bytes),
        }
    }

    #[inline(always)]
    fn vld(&mut self) -> Flow {
        let address = self.vector_address();
        let extra = lanes::load(self.instruction, address, self.memory, self.v);
        self.after_vector_access(address, extra)
    }

    #[inline(always)]
    fn vst(&mut self) -> Flow {
        let address = self.vector_address();
        let extra = lanes::store(self.instruction, address, self.memory, self.v);
        self.after_vector_access(address, extra)
    }

    #[inline(always)]
    fn vmap(&mut self) -> Flow {
        match lanes::map(self.instruction, self.v, self.costs) {
            Ok(extra) => Flow::Next { extra },
            Err(found) => fault(found),
        }
    }

    #[inline(always)]
    fn vred(&mut self) -> Flow {
        match lanes::reduce(self.instruction, self.c(), self.v, self.costs) {
            Ok((value, extra)) => {
                self.set(value);
                Flow::Next { extra }
            }
            Err(found) => fault(found),
        }
    }

    #[inline(always)]
    fn vsplat(&mut self) -> Flow {
        lanes::splat(self.instruction, self.b(), self.v);
        NEXT
    }

    #[inline(always)]
    fn vext(&mut self) -> Flow {
        self.set(lanes::extract(
            self.instruction.b,
            self.instruction.imm as usize,
            self.v,
        ))
    }

    #[inline(always)]
    fn vextat(&mut self) -> Flow {
        match lanes::checked_lane(self.c(), self.instruction.imm) {
            Ok(lane) => self.set(lanes::extract(self.instruction.b, lane, self.v)),
            Err(found) => fault(found),
        }
    }

    #[inline(always)]
    fn vins(&mut self) -> Flow {
        let Instruction { a, imm, .. } = self.instruction;
        lanes::insert(a, imm as usize, self.b(), self.v);
        NEXT
    }

    #[inline(always)]
    fn vinsat(&mut self) -> Flow {
        match lanes::checked_lane(self.c(), self.instruction.imm) {
            Ok(lane) => {
                lanes::insert(self.instruction.a, lane, self.b(), self.v);
                NEXT
            }
            Err(found) => fault(found),
        }
    }

    #[inline(always)]
    fn vcopy(&mut self) -> Flow {
        lanes::copy(self.instruction, self.v);
        NEXT
    }
}
