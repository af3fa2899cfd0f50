//! Frames and the last form before scheduling: instructions over physical registers, each of which
//! is one row of the instruction table.
//!
//! The stack of a program has three parts, each with an area for every function that lies beyond
//! those of all its callers: spilled vectors, spilled scalars below the stack pointer (the reach of
//! `[sp, #imm]` is shortest for them), and slots above it. Since no function calls itself, areas and
//! so all addresses are fixed.

use aiec_aie::ir::Op;
use aiec_core::{CoreIsa, Register, RegisterFile};
use smallvec::{SmallVec, smallvec};

use super::moves::Moves;
use super::prepare::Allocation;
use super::register::part;
use super::{
    BlockId, FrameSlot, FunctionId, MachineAccess, MachineInst, MachineOp, MachineOperand,
};

/// Alignment of vectors in memory: that of the widest access.
pub(super) const VECTOR_ALIGN: u32 = 64;
/// Bytes below which spilled registers lie among the scalars: those of a vector.
const VECTOR_BYTES: u32 = 32;

/// An operand of a physical instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A register.
    Register(Register),
    /// A number.
    Immediate(i32),
    /// The address of a block's first bundle.
    Block(BlockId),
    /// The address of a block's last bundle.
    BlockEnd(BlockId),
    /// The address of a function's first bundle.
    Function(FunctionId),
    /// The address of a slot and an offset from there.
    Slot(FrameSlot, i32),
    /// The distance of a byte of a spill slot from the stack pointer.
    Spill(FrameSlot, u32),
}

/// Memory access of an instruction that makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// Anything that the program can name.
    Any,
    /// A place that the front half knows.
    Object(MachineAccess),
    /// Bytes of a spill slot.
    Spill(FrameSlot, u32, u32),
}

impl Memory {
    /// The bytes that the instruction may access in any iteration of its loop.
    pub fn in_any_iteration(self) -> Memory {
        match self {
            Memory::Object(access) if access.walk.is_some() => Memory::Object(MachineAccess {
                walk: None,
                offset: None,
                ..access
            }),
            other => other,
        }
    }

    /// The bytes that the instruction accesses in a later iteration of its loop.
    pub fn later(self, iterations: i64) -> Memory {
        match self {
            Memory::Object(access) => Memory::Object(MachineAccess {
                walk: access.walk.map(|walk| walk.later(iterations)),
                ..access
            }),
            other => other,
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inst {
    /// Index into the instruction table.
    pub row: u16,
    pub operands: SmallVec<[Value; 5]>,
    /// Registers that it reads and writes besides those of the table.
    pub reads: SmallVec<[Register; 4]>,
    pub clobbers: SmallVec<[Register; 4]>,
    pub memory: Option<Memory>,
    pub source: Op,
}

/// A block of them. A counted branch is at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub insts: Vec<Inst>,
    /// The step of the block over virtual registers that each was made of.
    pub steps: Vec<u32>,
}

/// A function without virtual registers.
#[derive(Clone, Debug)]
pub(super) struct PhysicalFunction {
    pub blocks: Vec<Block>,
    /// Slots: bytes, alignment, and whether spill code accesses them from the stack pointer.
    pub slots: Vec<(u32, u32, bool)>,
}

/// Something that no instruction does; a defect of this crate or a row that selection shouldn't use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoRow {
    pub source: Op,
    pub registers: (Register, Register),
}

/// Writes a function with the registers that it was given.
pub(super) fn physical(
    isa: &'static CoreIsa,
    allocation: &Allocation,
    is_first: bool,
) -> Result<PhysicalFunction, NoRow> {
    let function = &allocation.function;
    let mut blocks = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let mut insts = Vec::with_capacity(block.insts.len());
        let mut steps = Vec::with_capacity(block.insts.len());
        for (step, inst) in block.insts.iter().enumerate() {
            expand(isa, &allocation.registers, inst, is_first, &mut insts)?;
            steps.resize(insts.len(), step as u32);
        }
        blocks.push(Block { insts, steps });
    }
    let slots = function.slots.iter().enumerate();
    let slots = slots.map(|(at, slot)| (slot.bytes, slot.align, at >= allocation.first_spill));
    Ok(PhysicalFunction {
        blocks,
        slots: slots.collect(),
    })
}

/// The register of an operand. Operands that are never touched have none.
fn register_of(
    isa: &CoreIsa,
    registers: &[Option<Register>],
    operand: MachineOperand,
) -> Option<Register> {
    let assigned = |register: super::VirtualRegister| registers[register.0 as usize];
    match operand {
        MachineOperand::Physical(register) => Some(register),
        MachineOperand::Virtual(register) => assigned(register),
        MachineOperand::Part(register, file) => part(isa.arch, assigned(register)?, file, 0),
        MachineOperand::Nth(register, file, index) => {
            part(isa.arch, assigned(register)?, file, index)
        }
        _ => None,
    }
}

/// Appends the instructions of a step whose virtual registers are these.
pub(super) fn expand(
    isa: &'static CoreIsa,
    registers: &[Option<Register>],
    inst: &MachineInst,
    is_first: bool,
    out: &mut Vec<Inst>,
) -> Result<(), NoRow> {
    let moves = Moves::of(isa.arch);
    let value = |operand: MachineOperand| match operand {
        MachineOperand::Immediate(value) => Value::Immediate(value),
        MachineOperand::Block(block) => Value::Block(block),
        MachineOperand::BlockEnd(block) => Value::BlockEnd(block),
        MachineOperand::Function(function) => Value::Function(function),
        operand => {
            register_of(isa, registers, operand).map_or(Value::Immediate(0), Value::Register)
        }
    };
    let plain = |row, operands| Inst {
        row,
        operands,
        reads: smallvec![],
        clobbers: smallvec![],
        memory: None,
        source: inst.source,
    };
    let first = inst
        .operands
        .first()
        .and_then(|operand| register_of(isa, registers, *operand));
    let nothing = Register::new(RegisterFile::CoreId, 0);
    let missing = |a: Option<Register>, b: Option<Register>| NoRow {
        source: inst.source,
        registers: (a.unwrap_or(nothing), b.unwrap_or(nothing)),
    };
    match inst.op {
        MachineOp::Row(row) => {
            let instruction = &isa.instructions[usize::from(row)];
            let lr = Register::new(RegisterFile::Lr, 0);
            if is_first
                && instruction.uses.contains(&lr)
                && let Some(done) = moves.done
            {
                out.push(plain(done, smallvec![]));
                return Ok(());
            }
            let touches = !isa.stages(row).is_empty() || instruction.memory.is_some();
            out.push(Inst {
                row,
                operands: inst
                    .operands
                    .iter()
                    .map(|operand| value(*operand))
                    .collect(),
                reads: inst.reads.clone(),
                clobbers: inst.clobbers.clone(),
                memory: touches.then_some(inst.access.map_or(Memory::Any, Memory::Object)),
                source: inst.source,
            });
        }
        MachineOp::Copy => {
            let from = register_of(isa, registers, inst.operands[1]);
            // A value that is never read has no register.
            let (Some(to), Some(from)) = (first, from) else {
                return Ok(());
            };
            if to == from {
                return Ok(());
            }
            let copies = moves.copy(to, from).ok_or(missing(first, Some(from)))?;
            for copy in copies {
                let operands = copy.operands.into_iter().map(Value::Register);
                out.push(plain(copy.row, operands.collect()));
            }
        }
        MachineOp::FrameAddress(slot) => {
            let offset = match inst.operands.get(1) {
                Some(MachineOperand::Immediate(offset)) => *offset,
                _ => 0,
            };
            let Some(register) = first else {
                return Ok(());
            };
            // Wide enough for every address.
            let (row, place) = moves
                .constant(register, i32::MAX)
                .ok_or(missing(first, None))?;
            let address = Value::Slot(slot, offset);
            let register = Value::Register(register);
            let operands = if place == 0 {
                smallvec![register, address]
            } else {
                smallvec![address, register]
            };
            out.push(plain(row, operands));
        }
        MachineOp::Spill(slot) | MachineOp::Reload(slot) => {
            let is_load = matches!(inst.op, MachineOp::Reload(_));
            let Some(register) = first else {
                return Ok(());
            };
            let (accesses, _) = moves.stack(register, is_load).ok_or(missing(first, None))?;
            for access in accesses {
                let register = Value::Register(access.register);
                let offset = Value::Spill(slot, access.offset);
                let operands = if access.register_operand == 0 {
                    smallvec![register, offset]
                } else {
                    smallvec![offset, register]
                };
                out.push(Inst {
                    memory: Some(Memory::Spill(slot, access.offset, access.bytes)),
                    ..plain(access.row, operands)
                });
            }
        }
        MachineOp::Hold => {}
        MachineOp::CountedBranch => {
            let rows = moves.add_immediate.zip(moves.jump_nonzero);
            let (Some(counter), Some((add, jump))) = (first, rows) else {
                return Err(missing(first, None));
            };
            let counter = MachineOperand::Physical(counter);
            let step = MachineOperand::Immediate(-1);
            let add_operands = super::prepare::ordered(isa, add, &[counter, counter, step]);
            let jump_operands = super::prepare::ordered(isa, jump, &[counter, inst.operands[1]]);
            let values =
                |operands: SmallVec<[MachineOperand; 5]>| operands.into_iter().map(value).collect();
            out.push(plain(add, values(add_operands)));
            out.push(plain(jump, values(jump_operands)));
        }
    }
    Ok(())
}

/// Where a function's areas lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FramePlace {
    /// Of each slot: its address, or for spills its distance from the stack pointer.
    slots: Vec<i64>,
}

/// The stack of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StackLayout {
    /// The stack pointer.
    pub pointer: u32,
    /// Bytes from the start of the stack.
    pub bytes: u32,
    /// Bytes of each function's own areas.
    pub own_bytes: Vec<u32>,
    frames: Vec<FramePlace>,
}

/// The sizes of the three areas: spilled vectors, spilled scalars, slots.
#[derive(Clone, Copy, Debug, Default)]
struct Areas {
    vectors: u32,
    scalars: u32,
    slots: u32,
}

impl Areas {
    fn max(self, other: Areas) -> Areas {
        Areas {
            vectors: self.vectors.max(other.vectors),
            scalars: self.scalars.max(other.scalars),
            slots: self.slots.max(other.slots),
        }
    }
}

/// Lays the stack out. `order` has callers before the functions they call; `callees` are those.
pub(super) fn lay_out(
    functions: &[PhysicalFunction],
    order: &[usize],
    callees: &[Vec<usize>],
    stack: u32,
) -> StackLayout {
    let mut begins = vec![Areas::default(); functions.len()];
    let mut ends = vec![Areas::default(); functions.len()];
    // Offsets in the areas, before it is known where those begin.
    let mut offsets: Vec<Vec<u32>> = vec![Vec::new(); functions.len()];
    let mut whole = Areas::default();
    for at in order {
        let mut end = begins[*at];
        let mut own = Vec::with_capacity(functions[*at].slots.len());
        for (bytes, align, is_spill) in &functions[*at].slots {
            let align = (*align).max(1);
            if *is_spill && *bytes < VECTOR_BYTES {
                // They grow downward: the offset is that of the end.
                end.scalars = (end.scalars + bytes).next_multiple_of(align);
                own.push(end.scalars);
                continue;
            }
            let area = if *is_spill {
                &mut end.vectors
            } else {
                &mut end.slots
            };
            let offset = area.next_multiple_of(align);
            own.push(offset);
            *area = offset + bytes;
        }
        offsets[*at] = own;
        ends[*at] = end;
        whole = whole.max(end);
        for callee in &callees[*at] {
            begins[*callee] = begins[*callee].max(end);
        }
    }
    let start = stack.next_multiple_of(VECTOR_ALIGN);
    let vectors = whole.vectors.next_multiple_of(VECTOR_ALIGN);
    let pointer = start + vectors + whole.scalars.next_multiple_of(VECTOR_ALIGN);
    let used = whole.vectors + whole.scalars + whole.slots;
    let end = if used == 0 {
        stack
    } else {
        pointer + whole.slots
    };
    let mut frames = Vec::with_capacity(functions.len());
    let mut own_bytes = Vec::with_capacity(functions.len());
    for (at, function) in functions.iter().enumerate() {
        let slots = function.slots.iter().zip(&offsets[at]);
        let slots = slots.map(|((bytes, _, is_spill), offset)| {
            let offset = i64::from(*offset);
            if !*is_spill {
                i64::from(pointer) + offset
            } else if *bytes < VECTOR_BYTES {
                -offset
            } else {
                i64::from(start) + offset - i64::from(pointer)
            }
        });
        frames.push(FramePlace {
            slots: slots.collect(),
        });
        let (begin, end) = (begins[at], ends[at]);
        own_bytes.push(
            end.vectors - begin.vectors + end.scalars - begin.scalars + end.slots - begin.slots,
        );
    }
    StackLayout {
        pointer,
        bytes: end.saturating_sub(stack),
        own_bytes,
        frames,
    }
}

impl StackLayout {
    /// The number of a value that depends on the stack.
    pub fn value(&self, function: usize, value: Value) -> Option<i64> {
        let place = |slot: FrameSlot| self.frames.get(function)?.slots.get(slot.0 as usize);
        match value {
            Value::Slot(slot, offset) => Some(place(slot)? + i64::from(offset)),
            Value::Spill(slot, offset) => Some(place(slot)? + i64::from(offset)),
            _ => None,
        }
    }
}
