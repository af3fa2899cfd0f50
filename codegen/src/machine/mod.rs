//! Machine code before assembly: functions of basic blocks over virtual registers, of which
//! `assemble` makes bundles.
//!
//! Selection writes it, and the back half (allocation, scheduling, bundles, layout) reads it. It is
//! not SSA: instructions that update an operand (`padd`, `vmac`) read and write one virtual
//! register, and a virtual register may be written in several places. Every virtual register is
//! written on every path before it is read.
//!
//! Instructions of a block are in an order that computes what is meant when each is executed after
//! all results before it have landed; when they are issued in fact is the scheduler's matter.

use aiec_aie::ir::Op;
use aiec_core::{CoreArch, Register, RegisterFile};
use smallvec::SmallVec;

mod allocate;
mod alternatives;
mod around_loops;
mod assemble;
mod check;
mod check_allocation;
mod check_steps;
pub mod convention;
mod copies;
mod frame;
mod hardware_loop;
mod hoist;
mod layout;
mod liveness;
mod modulo_table;
mod modulo_windows;
mod moves;
#[cfg(test)]
mod mutations;
mod overlap;
mod pipeline;
mod post_increment;
mod prepare;
mod register;
mod schedule;
mod sums;

pub use assemble::{AssembleError, AssembledFunction, AssembledLoop, AssembledProgram, assemble};
pub use check::{Rule, Unit, Unsound};
pub use pipeline::{LoopLimit, LoopReport};
pub use register::AIE2P_ACCUMULATORS;

/// A virtual register: an index into [`MachineFunction::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualRegister(pub u32);

/// A basic block: an index into [`MachineFunction::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A function: an index into [`MachineProgram::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// An area of the stack frame: an index into [`MachineFunction::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameSlot(pub u32);

/// An operand of an instruction, in the order of [`aiec_core::Instruction::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineOperand {
    /// A virtual register as a whole. It may become one of those registers of its file that the
    /// fields of all its uses can name.
    Virtual(VirtualRegister),
    /// The part of a virtual register that belongs to a narrower file: of an `x` its `wl`, of a `cm` its `bmh`;
    /// where there are several, the lowest.
    Part(VirtualRegister, RegisterFile),
    /// Of the parts that belong to a narrower file the one with this index, the lowest being 0: of an `l` its
    /// upper `r`, of a `y` its upper `x`.
    Nth(VirtualRegister, RegisterFile, u8),
    /// This very register: arguments, results and condition registers.
    Physical(Register),
    /// A number, already multiplied by the field's scale.
    Immediate(i32),
    /// The address of a block's first bundle.
    Block(BlockId),
    /// The address of a block's last bundle: of the end of a hardware loop.
    BlockEnd(BlockId),
    /// The address of a function's first bundle.
    Function(FunctionId),
}

/// Operation of a step of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineOp {
    /// An instruction: an index into [`aiec_core::CoreIsa::instructions`].
    Row(u16),
    /// Copies the second operand to the first, which has the same width: a move, of any files.
    Copy,
    /// The first operand, a pointer, is the address of a frame slot plus the second operand, an immediate in bytes.
    FrameAddress(FrameSlot),
    /// Decrements the first operand, a general register, and goes to the second, a block, unless it is now 0: the
    /// end of a counted loop, which becomes a hardware loop where the rules of those allow it.
    CountedBranch,
    /// Stores the first operand in a frame slot. Made by allocation.
    Spill(FrameSlot),
    /// Loads the first operand from a frame slot. Made by allocation.
    Reload(FrameSlot),
    /// Nothing: the operands, pairs of a virtual register and a bit set of its units as a number, count as
    /// written from here on, as do the registers that the step clobbers. It precedes a loop whose iterations
    /// overlap.
    Hold,
}

/// Memory access of an instruction, for the order of accesses; instructions that access memory
/// without one are ordered against all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MachineAccess {
    /// Accesses of different objects never overlap: a buffer, an array, a frame slot; but [`OUTSIDE`] is all
    /// of those from [`FIRST_OUTSIDE`] on. `None`: any.
    pub object: Option<u32>,
    /// Byte offset in the object, if it is a constant.
    pub offset: Option<i64>,
    /// The pointer that it is made by, if that walks.
    pub walk: Option<AccessWalk>,
    /// Bytes.
    pub bytes: u32,
}

/// Any object from [`FIRST_OUTSIDE`] on: memory that isn't of the frame.
pub const OUTSIDE: u32 = 0;
/// The first object outside of the frame; those below are of the frame.
pub const FIRST_OUTSIDE: u32 = 1 << 31;

/// Where an access of a loop of one block is that moves by a constant from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessWalk {
    /// Accesses of a loop with the same number count their bytes from the same place.
    pub base: u32,
    /// Bytes from there in the first iteration.
    pub offset: i64,
    /// Bytes that it moves in each iteration.
    pub stride: i64,
}

impl AccessWalk {
    /// The place in a later iteration.
    pub fn later(self, iterations: i64) -> AccessWalk {
        AccessWalk {
            offset: self.offset + self.stride * iterations,
            ..self
        }
    }
}

/// One step of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineInst {
    /// Its operation.
    pub op: MachineOp,
    /// Its operands.
    pub operands: SmallVec<[MachineOperand; 5]>,
    /// Registers that it reads besides its operands and those that the instruction's row names:
    /// arguments of a call, results of a return.
    pub reads: SmallVec<[Register; 4]>,
    /// Registers that it writes or destroys besides its operands and those that the row names; a
    /// call's results and all that the callee doesn't keep.
    pub clobbers: SmallVec<[Register; 4]>,
    /// Its memory access.
    pub access: Option<MachineAccess>,
    /// The operation that it was made for.
    pub source: Op,
}

/// A basic block. Its branches are its last instructions: at most one conditional one, then at most one
/// unconditional one. Without the latter the next block in order follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineBlock {
    /// Its steps.
    pub insts: Vec<MachineInst>,
    /// The blocks that may follow.
    pub successors: SmallVec<[BlockId; 2]>,
}

/// An area of a function's stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotSize {
    /// Bytes.
    pub bytes: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

/// A function over virtual registers. Its entry is its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineFunction {
    /// Its name in listings and debug information.
    pub name: String,
    /// The `aie.core` or `func.func`.
    pub source: Op,
    /// The blocks in the order of the code.
    pub blocks: Vec<MachineBlock>,
    /// The file of each virtual register.
    pub registers: Vec<RegisterFile>,
    /// The areas of its frame besides spills.
    pub slots: Vec<SlotSize>,
    /// Registers that hold its arguments at its entry.
    pub arguments: Vec<Register>,
}

/// The functions of a core's program. The core starts with the first, which sets the stack pointer and ends
/// with `done`; the others return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineProgram {
    /// The instruction set.
    pub arch: CoreArch,
    /// The functions; none calls itself, directly or through others.
    pub functions: Vec<MachineFunction>,
    /// Bytes of the core's program memory.
    pub program_bytes: u32,
    /// Core-local byte address where the stack begins; it grows upward.
    pub stack: u32,
    /// Bytes of the stack.
    pub stack_bytes: u32,
}

impl MachineFunction {
    /// A new virtual register.
    pub fn register(&mut self, file: RegisterFile) -> VirtualRegister {
        self.registers.push(file);
        VirtualRegister((self.registers.len() - 1) as u32)
    }

    /// A new area of the frame.
    pub fn slot(&mut self, bytes: u32, align: u32) -> FrameSlot {
        self.slots.push(SlotSize { bytes, align });
        FrameSlot((self.slots.len() - 1) as u32)
    }
}
