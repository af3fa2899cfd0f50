//! Loops whose bodies have no other branch and nothing of the bus: their instructions with operands resolved
//! once, executed without looking each up again.
//!
//! A round ends like one of the interpreter (`machine.rs`): what can't go on here (a fault) is left to
//! it, in front of the instruction concerned.

use aiec_vcode::{Instruction, Opcode, PureOp, WINDOW_REGISTERS};

use super::bus::CoreMemory;
use super::cost::Costs;
use super::immediate::{access_type, is_i32, offset, size};
use super::memory::NearWindow;
use super::scalar::pure;

/// The scalar registers of a function.
pub(super) type Registers = [u64; WINDOW_REGISTERS];

macro_rules! declare_kinds {
    ($($op:ident)*) => {
        /// Execution of an instruction of a body.
        #[derive(Clone, Copy, Debug)]
        enum Kind {
            /// At one register and an offset.
            LoadI32,
            /// At two registers and an offset.
            LoadI32Indexed,
            Load,
            /// At one register and an offset.
            StoreI32,
            /// At two registers and an offset.
            StoreI32Indexed,
            Store,
            Immediate,
            UpperImmediate,
            AddImmediate32,
            AddImmediate64,
            MultiplyImmediate32,
            MultiplyImmediate64,
            AndImmediate,
            OrImmediate,
            XorImmediate,
            $($op,)*
            /// Any other pure operation.
            Pure,
        }

        impl Kind {
            /// `None` for what a body can't have.
            fn of(instruction: Instruction) -> Option<Kind> {
                use Opcode::*;
                let i32 = is_i32(instruction.imm);
                Some(match instruction.op {
                    LdAbs | LdBase | LdIdx if i32 => Kind::LoadI32,
                    LdBaseIdx if i32 => Kind::LoadI32Indexed,
                    LdAbs | LdBase | LdIdx | LdBaseIdx => Kind::Load,
                    StAbs | StBase | StIdx if i32 => Kind::StoreI32,
                    StBaseIdx if i32 => Kind::StoreI32Indexed,
                    StAbs | StBase | StIdx | StBaseIdx => Kind::Store,
                    Li => Kind::Immediate,
                    Lih => Kind::UpperImmediate,
                    Addi32 => Kind::AddImmediate32,
                    Addi64 => Kind::AddImmediate64,
                    Muli32 => Kind::MultiplyImmediate32,
                    Muli64 => Kind::MultiplyImmediate64,
                    Andi => Kind::AndImmediate,
                    Ori => Kind::OrImmediate,
                    Xori => Kind::XorImmediate,
                    $($op => Kind::$op,)*
                    op => {
                        op.pure()?;
                        Kind::Pure
                    }
                })
            }
        }

        impl BodyInstruction {
            /// The value of an operation on registers; `None`: division by zero.
            #[inline(always)]
            fn value(&self, r: &Registers) -> Option<u64> {
                let (a, b, c) = (r[usize::from(self.a)], r[usize::from(self.b)], r[usize::from(self.c)]);
                let number = self.imm;
                Some(match self.kind {
                    Kind::Immediate => number as u64,
                    Kind::UpperImmediate => (number as u64) << 32 | a & 0xFFFF_FFFF,
                    Kind::AddImmediate32 => (b as i32).wrapping_add(number as i32) as i64 as u64,
                    Kind::AddImmediate64 => b.wrapping_add_signed(number),
                    Kind::MultiplyImmediate32 => {
                        (b as i32).wrapping_mul(number as i32) as i64 as u64
                    }
                    Kind::MultiplyImmediate64 => (b as i64).wrapping_mul(number) as u64,
                    Kind::AndImmediate => b & number as u64,
                    Kind::OrImmediate => b | number as u64,
                    Kind::XorImmediate => b ^ number as u64,
                    $(Kind::$op => pure(PureOp::$op, b, c, 0, self.c, 0)?,)*
                    Kind::Pure => {
                        let fourth = r[(number & 0xFF) as usize];
                        pure(self.op, b, c, fourth, self.c, number as u8)?
                    }
                    // Accesses have no value of their own: `execute` does them.
                    Kind::LoadI32
                    | Kind::LoadI32Indexed
                    | Kind::Load
                    | Kind::StoreI32
                    | Kind::StoreI32Indexed
                    | Kind::Store => return None,
                })
            }
        }
    };
}

declare_kinds!(Mov Add32 Sub32 Mul32 Add64 Sub64 Mul64 And Or Xor Shli32 Shli64 Shrsi Shrui Sext Zext
    Mins Maxs Eq Ne Lts Les AddF SubF MulF);

/// An instruction of a body.
#[derive(Clone, Copy, Debug)]
struct BodyInstruction {
    kind: Kind,
    /// The operation of [`Kind::Pure`]; a move otherwise.
    op: PureOp,
    a: u8,
    b: u8,
    c: u8,
    /// Bytes by which an access moves for each unit of its second and third operand.
    scale: [u8; 2],
    /// Its number in the program.
    at: u32,
    /// Cycles of those before it in the body, without waiting.
    before: u32,
    cost: u32,
    /// The second word, sign-extended; of an access as it is.
    imm: i64,
    /// Of an access.
    offset: i64,
}

impl BodyInstruction {
    fn new(
        instruction: Instruction,
        costs: &Costs,
        (at, before): (usize, u64),
    ) -> Option<BodyInstruction> {
        let Instruction { op, a, b, c, imm } = instruction;
        let kind = Kind::of(instruction)?;
        let bytes = size(imm) as u8;
        let scale = match op {
            Opcode::LdBase | Opcode::StBase => [1, 0],
            Opcode::LdIdx | Opcode::StIdx => [bytes, 0],
            Opcode::LdBaseIdx | Opcode::StBaseIdx => [1, bytes],
            _ => [0, 0],
        };
        Some(BodyInstruction {
            kind,
            op: op.pure().unwrap_or(PureOp::Mov),
            a,
            b,
            c,
            scale,
            at: at as u32,
            before: u32::try_from(before).ok()?,
            cost: costs.of(op) as u32,
            imm: i64::from(imm as i32),
            offset: offset(imm),
        })
    }

    /// The address of an access at one register.
    #[inline(always)]
    fn address(&self, r: &Registers) -> u64 {
        let base = r[usize::from(self.b)].wrapping_mul(self.scale[0].into());
        base.wrapping_add_signed(self.offset)
    }

    /// The address of an access at two registers, if it has as many.
    #[inline(always)]
    fn indexed_address(&self, r: &Registers) -> u64 {
        let index = r[usize::from(self.c)].wrapping_mul(self.scale[1].into());
        self.address(r).wrapping_add(index)
    }

    /// Executes it; returns the cycles that it waits for its banks. `None`: it can't go on, and has
    /// no effect. `near` is where the last access elsewhere went; the body's round began at
    /// `since`, waiting not counted.
    #[inline(always)]
    fn execute<const LOGGED: bool>(
        &self,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        near: &mut NearWindow,
        since: u64,
    ) -> Option<u64> {
        match self.kind {
            Kind::LoadI32 => self.load_i32::<LOGGED>(self.address(r), r, memory, near, since),
            Kind::LoadI32Indexed => {
                self.load_i32::<LOGGED>(self.indexed_address(r), r, memory, near, since)
            }
            Kind::StoreI32 => self.store_i32::<LOGGED>(self.address(r), r, memory, near, since),
            Kind::StoreI32Indexed => {
                self.store_i32::<LOGGED>(self.indexed_address(r), r, memory, near, since)
            }
            Kind::Load | Kind::Store => self.access(r, memory, self.now(since)),
            _ => {
                r[usize::from(self.a)] = self.value(r)?;
                Some(0)
            }
        }
    }

    /// Its number, and the cycle of the run at which it begins.
    #[inline(always)]
    fn now(&self, since: u64) -> (u32, u64) {
        (self.at, since + u64::from(self.before))
    }

    #[inline(always)]
    fn load_i32<const LOGGED: bool>(
        &self,
        address: u64,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        near: &mut NearWindow,
        since: u64,
    ) -> Option<u64> {
        let (a, now) = (usize::from(self.a), self.now(since));
        if let Some((word, wait)) = memory.word_in(*near, address, now.1) {
            r[a] = i64::from(i32::from_le_bytes(*word)) as u64;
            if LOGGED {
                memory.log_word(*near, address, false, now);
            }
            return Some(wait);
        }
        let (value, wait) = load_elsewhere(address, memory, near, now)?;
        r[a] = value;
        Some(wait)
    }

    #[inline(always)]
    fn store_i32<const LOGGED: bool>(
        &self,
        address: u64,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        near: &mut NearWindow,
        since: u64,
    ) -> Option<u64> {
        let (value, now) = (r[usize::from(self.a)], self.now(since));
        if let Some((word, wait)) = memory.word_in(*near, address, now.1) {
            *word = (value as u32).to_le_bytes();
            if LOGGED {
                memory.log_word(*near, address, true, now);
            }
            return Some(wait);
        }
        store_elsewhere(address, value, memory, near, now)
    }

    /// An access to something other than 32-bit integers.
    #[inline(never)]
    fn access(
        &self,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        now: (u32, u64),
    ) -> Option<u64> {
        let (address, kind) = (self.indexed_address(r), access_type(self.imm as u32));
        let value = &mut r[usize::from(self.a)];
        memory.set_instruction(now.0, now.1);
        match self.kind {
            Kind::Load => *value = memory.load(kind, address)?,
            _ => memory.store(kind, address, *value)?,
        }
        Some(memory.wait_for(address, kind.bytes(), now.1))
    }
}

/// Loads from a window other than the one before; the value, and the cycles that the bank lets it wait.
#[inline(never)]
fn load_elsewhere(
    address: u64,
    memory: &mut CoreMemory<'_>,
    near: &mut NearWindow,
    now: (u32, u64),
) -> Option<(u64, u64)> {
    *near = memory.window_of(address);
    memory.set_instruction(now.0, now.1);
    let value = memory.load_i32(address)?;
    Some((value, memory.wait_for(address, 4, now.1)))
}

/// Stores to a window other than the one before; the cycles that the bank lets it wait.
#[inline(never)]
fn store_elsewhere(
    address: u64,
    value: u64,
    memory: &mut CoreMemory<'_>,
    near: &mut NearWindow,
    now: (u32, u64),
) -> Option<u64> {
    *near = memory.window_of(address);
    memory.set_instruction(now.0, now.1);
    memory.store_i32(address, value)?;
    Some(memory.wait_for(address, 4, now.1))
}

/// End of the rounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopEnd {
    /// The interpreter goes on with this instruction.
    At(usize),
    /// The budget is used up in front of the first instruction.
    Budget,
}

/// A loop: the instructions from the target of its back edge to that.
#[derive(Clone, Debug)]
pub(super) struct LoopBody {
    first: usize,
    instructions: Box<[BodyInstruction]>,
    /// Cycles of the instructions and the back edge, without waiting.
    cost: u64,
    /// The back edge.
    edge: Instruction,
    edge_cost: u64,
}

impl LoopBody {
    /// The loop that an instruction closes, if it is one that can be executed here.
    pub fn new(code: &[Instruction], at: usize, costs: &Costs) -> Option<LoopBody> {
        let edge = *code.get(at)?;
        if !matches!(edge.op, Opcode::Loop | Opcode::Loopi) {
            return None;
        }
        let first = edge.imm as usize;
        let mut cost = 0;
        let body = (first..).zip(code.get(first..at)?);
        let instructions: Option<Box<[_]>> = body
            .map(|(number, instruction)| {
                let before = cost;
                cost += costs.of(instruction.op);
                BodyInstruction::new(*instruction, costs, (number, before))
            })
            .collect();
        let instructions = instructions?;
        let edge_cost = costs.of(edge.op);
        Some(LoopBody {
            first,
            instructions,
            cost: cost + edge_cost,
            edge,
            edge_cost,
        })
    }

    /// The bodies of a program, by the instruction that closes them.
    pub fn all(code: &[Instruction], costs: &Costs) -> Box<[Option<Box<LoopBody>>]> {
        let all = (0..code.len()).map(|at| LoopBody::new(code, at, costs).map(Box::new));
        all.collect()
    }

    /// Executes rounds, from the first instruction on. Adds the cycles to those of the run, and to those of each instruction
    /// and the back edge if they are counted. Returns the number of rounds that were begun after the first, too.
    pub fn run(
        &self,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        (cycles, counts): (&mut u64, Option<&mut [u64]>),
        budget: u64,
    ) -> (LoopEnd, u64) {
        match (memory.accesses.is_some(), counts) {
            (true, None) => self.rounds::<true, false>(r, memory, (cycles, &mut []), budget),
            (false, None) => self.rounds::<false, false>(r, memory, (cycles, &mut []), budget),
            (true, Some(counts)) => self.rounds::<true, true>(r, memory, (cycles, counts), budget),
            (false, Some(counts)) => {
                self.rounds::<false, true>(r, memory, (cycles, counts), budget)
            }
        }
    }

    fn rounds<const LOGGED: bool, const COUNTED: bool>(
        &self,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        (cycles, counts): (&mut u64, &mut [u64]),
        budget: u64,
    ) -> (LoopEnd, u64) {
        let (mut since, mut rounds) = (*cycles, 0);
        let mut near = memory.window_of(0);
        let Instruction { op, a, b, c, .. } = self.edge;
        let end = loop {
            for instruction in &self.instructions {
                let Some(wait) = instruction.execute::<LOGGED>(r, memory, &mut near, since) else {
                    let (at, spent) = instruction.now(since);
                    *cycles = spent;
                    return (LoopEnd::At(at as usize), rounds);
                };
                since += wait;
                if COUNTED && let Some(count) = counts.get_mut(instruction.at as usize - self.first)
                {
                    *count += u64::from(instruction.cost) + wait;
                }
            }
            let step = match op {
                Opcode::Loopi => b.into(),
                _ => r[usize::from(b)],
            };
            let (number, past_all) = (r[usize::from(a)] as i64).overflowing_add(step as i64);
            r[usize::from(a)] = number as u64;
            since += self.cost;
            if COUNTED && let Some(count) = counts.last_mut() {
                *count += self.edge_cost;
            }
            if past_all || number >= r[usize::from(c)] as i64 {
                break LoopEnd::At(self.first + self.instructions.len() + 1);
            }
            if since >= budget {
                break LoopEnd::Budget;
            }
            rounds += 1;
        };
        *cycles = since;
        (end, rounds)
    }
}
