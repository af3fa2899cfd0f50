//! Loops whose bodies have no other branch and nothing of the bus: their instructions with operands resolved
//! once, executed without looking each up again.
//!
//! A round ends like one of the interpreter (`machine.rs`): what can't go on here (a fault) is left to
//! it, in front of the instruction concerned.

use aiec_vcode::{Instruction, MemoryType, Opcode, PureOp, WINDOW_REGISTERS};

use super::bus::{CoreBanks, CoreMemory};
use super::cost::Costs;
use super::immediate::{access_type, is_i32, offset, size};
use super::scalar::pure;

/// The scalar registers of a function.
pub(super) type Registers = [u64; WINDOW_REGISTERS];

/// Calls a macro with the pure operations on two registers that have a kind of their own.
macro_rules! with_usual_ops {
    ($callback:ident) => {
        $callback! {
            Mov Add32 Sub32 Mul32 Add64 Sub64 Mul64 And Or Xor Shli32 Shli64 Shrsi Shrui Sext Zext Mins Maxs Eq Ne Lts Les
            AddF SubF MulF
        }
    };
}

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
            /// The back edge, with a number as step.
            RepeatImmediate,
            /// The back edge, with a register as step.
            Repeat,
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
                    Loopi => Kind::RepeatImmediate,
                    Loop => Kind::Repeat,
                    $($op => Kind::$op,)*
                    op => {
                        op.pure()?;
                        Kind::Pure
                    }
                })
            }
        }
    };
}

with_usual_ops!(declare_kinds);

// After the list of operations, which it uses.
mod strip;

use strip::{LoopProgress, Strip};

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
    /// Type of an access.
    access: MemoryType,
    /// Its number in the program.
    at: u32,
    /// Cycles of those before it in the body, without waiting.
    before: u32,
    cost: u32,
    /// The second word, sign-extended; the offset of an access, the step of a back edge.
    number: i64,
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
            access: access_type(imm),
            cost: costs.of(op) as u32,
            number: match kind {
                _ if kind.is_access() => offset(imm),
                Kind::RepeatImmediate => b.into(),
                _ => i64::from(imm as i32),
            },
        })
    }

    #[inline(always)]
    fn a(&self, r: &Registers) -> u64 {
        r[usize::from(self.a)]
    }

    #[inline(always)]
    fn b(&self, r: &Registers) -> u64 {
        r[usize::from(self.b)]
    }

    #[inline(always)]
    fn c(&self, r: &Registers) -> u64 {
        r[usize::from(self.c)]
    }

    /// The value of [`Kind::Pure`]; `None`: division by zero.
    #[inline(never)]
    fn computed(&self, r: &Registers) -> Option<u64> {
        let fourth = r[(self.number & 0xFF) as usize];
        let small = self.number as u8;
        pure(self.op, self.b(r), self.c(r), fourth, self.c, small)
    }

    /// The address of an access at one register.
    #[inline(always)]
    fn address(&self, r: &Registers) -> u64 {
        let base = self.b(r).wrapping_mul(self.scale[0].into());
        base.wrapping_add_signed(self.number)
    }

    /// The address of an access at two registers, if it has as many.
    #[inline(always)]
    fn indexed_address(&self, r: &Registers) -> u64 {
        let index = self.c(r).wrapping_mul(self.scale[1].into());
        self.address(r).wrapping_add(index)
    }

    /// Its number, and the cycle of the run at which it begins, if the body's round began at `since`, waiting not counted.
    #[inline(always)]
    fn now(&self, since: u64) -> (u32, u64) {
        (self.at, since + u64::from(self.before))
    }

    /// An access that `NearWindow::word` doesn't do. Returns the cycles that it waits for its banks; `None`: it can't be
    /// done, and has no effect.
    #[cold]
    #[inline(never)]
    fn access(
        &self,
        address: u64,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        since: u64,
    ) -> Option<u64> {
        let (instruction, now) = self.now(since);
        let value = &mut r[usize::from(self.a)];
        memory.set_instruction(instruction, now);
        if self.kind.is_load() {
            *value = memory.load(self.access, address)?;
        } else {
            memory.store(self.access, address, *value)?;
        }
        Some(memory.wait_for(address, self.access.bytes(), now))
    }
}

impl Kind {
    fn is_store(self) -> bool {
        matches!(self, Kind::StoreI32 | Kind::StoreI32Indexed | Kind::Store)
    }

    /// Its second operand is a number.
    fn has_number(self) -> bool {
        use Kind::*;
        matches!(
            self,
            AddImmediate32
                | AddImmediate64
                | MultiplyImmediate32
                | MultiplyImmediate64
                | AndImmediate
                | OrImmediate
                | XorImmediate
        )
    }

    fn is_load(self) -> bool {
        matches!(self, Kind::LoadI32 | Kind::LoadI32Indexed | Kind::Load)
    }

    fn is_access(self) -> bool {
        self.is_store() || self.is_load()
    }
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
    /// The last one is the back edge.
    instructions: Box<[BodyInstruction]>,
    /// Cycles of the instructions and the back edge, without waiting.
    cost: u64,
    /// The instructions in another form, if rounds may be executed side by side.
    strip: Option<Strip>,
}

impl LoopBody {
    /// The loop that an instruction closes, if it is one that can be executed here.
    pub fn new(code: &[Instruction], at: usize, costs: &Costs) -> Option<LoopBody> {
        let is_edge = |op| matches!(op, Opcode::Loop | Opcode::Loopi);
        let edge = code.get(at).filter(|edge| is_edge(edge.op))?;
        let first = edge.imm as usize;
        let mut cost = 0;
        let body = (first..).zip(code.get(first..=at)?);
        let instructions: Option<Box<[_]>> = body
            .map(|(number, instruction)| {
                let before = cost;
                cost += costs.of(instruction.op);
                let body = BodyInstruction::new(*instruction, costs, (number, before))?;
                (number == at || !is_edge(instruction.op)).then_some(body)
            })
            .collect();
        let instructions = instructions?;
        Some(LoopBody {
            first,
            strip: Strip::new(&instructions, cost),
            instructions,
            cost,
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
        let counts = counts.unwrap_or_default();
        match (memory.accesses.is_some(), memory.conflicts.is_some()) {
            (false, false) => self.rounds::<false, false>(r, memory, (cycles, counts), budget),
            (false, true) => self.rounds::<false, true>(r, memory, (cycles, counts), budget),
            (true, _) => self.rounds::<true, true>(r, memory, (cycles, counts), budget),
        }
    }

    /// Cycles are counted for as many instructions as `counts` has numbers. `LOGGED`: accesses may be logged; `TIMED`: they
    /// may wait for banks.
    fn rounds<const LOGGED: bool, const TIMED: bool>(
        &self,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        (cycles, counts): (&mut u64, &mut [u64]),
        budget: u64,
    ) -> (LoopEnd, u64) {
        let banks = memory.conflicts.as_ref();
        let run_start = banks.map_or(0, CoreBanks::run_start);
        // In cycles of the array here, as banks want them.
        let mut since = run_start + *cycles;
        // Rounds that came to their end.
        let mut rounds = 0;
        let budget = run_start.saturating_add(budget);
        if let Some(strip) = &self.strip {
            let mut progress = LoopProgress {
                since,
                run_start,
                budget,
                rounds,
                taken: Vec::new(),
            };
            let end = strip.run::<LOGGED, TIMED>(self, r, memory, &mut progress, counts);
            if let Some(end) = end {
                *cycles = progress.since - run_start;
                return self.ended(counts, progress.rounds, end);
            }
        }
        let mut near = memory.near(0);
        let mut rest = self.instructions.iter();
        let end = loop {
            let Some(instruction) = rest.next() else {
                // Not reached: the back edge is the last one.
                break self.after();
            };
            // The interpreter goes on in front of the instruction.
            macro_rules! leave {
                () => {{
                    since += u64::from(instruction.before);
                    break LoopEnd::At(instruction.at as usize);
                }};
            }
            macro_rules! set {
                ($value:expr) => {{
                    r[usize::from(instruction.a)] = $value;
                    continue;
                }};
            }
            macro_rules! elsewhere {
                ($address:ident) => {{
                    let Some(wait) = instruction.access($address, r, memory, since - run_start)
                    else {
                        leave!();
                    };
                    near = memory.near($address);
                    since += wait;
                    if let Some(count) = counts.get_mut(instruction.at as usize - self.first) {
                        *count += wait;
                    }
                }};
            }
            // An access to the window of the one before; to another one, which is the near one from then on.
            macro_rules! access {
                ($address:ident, $store:literal, |$word:ident| $does:expr) => {{
                    let address = instruction.$address(r);
                    let at = since + u64::from(instruction.before);
                    if let Some($word) = near.word::<TIMED>(address, at) {
                        $does;
                        if LOGGED {
                            let now = instruction.now(since - run_start);
                            near.log_word(address, $store, now);
                        }
                        continue;
                    }
                    elsewhere!(address)
                }};
            }
            macro_rules! repeat {
                ($step:expr) => {{
                    let (number, past_all) = (instruction.a(r) as i64).overflowing_add($step);
                    r[usize::from(instruction.a)] = number as u64;
                    since += self.cost;
                    rounds += 1;
                    if past_all || number >= instruction.c(r) as i64 {
                        break self.after();
                    }
                    if since >= budget {
                        break LoopEnd::Budget;
                    }
                    rest = self.instructions.iter();
                    continue;
                }};
            }
            // Each arm reads its own operands: what all have in common would be read for each of them.
            macro_rules! execute {
                ($($op:ident)*) => {
                    match instruction.kind {
                        Kind::LoadI32 => access!(address, false, |word| {
                            r[usize::from(instruction.a)] = i64::from(i32::from_le_bytes(*word)) as u64
                        }),
                        Kind::LoadI32Indexed => access!(indexed_address, false, |word| {
                            r[usize::from(instruction.a)] = i64::from(i32::from_le_bytes(*word)) as u64
                        }),
                        Kind::StoreI32 => access!(address, true, |word| {
                            *word = (instruction.a(r) as u32).to_le_bytes()
                        }),
                        Kind::StoreI32Indexed => access!(indexed_address, true, |word| {
                            *word = (instruction.a(r) as u32).to_le_bytes()
                        }),
                        Kind::Load | Kind::Store => {
                            let address = instruction.indexed_address(r);
                            elsewhere!(address)
                        }
                        Kind::Immediate => set!(instruction.number as u64),
                        Kind::UpperImmediate => {
                            let low = instruction.a(r) & 0xFFFF_FFFF;
                            set!((instruction.number as u64) << 32 | low)
                        }
                        Kind::AddImmediate32 => {
                            let sum = (instruction.b(r) as i32).wrapping_add(instruction.number as i32);
                            set!(sum as i64 as u64)
                        }
                        Kind::AddImmediate64 => {
                            set!(instruction.b(r).wrapping_add_signed(instruction.number))
                        }
                        Kind::MultiplyImmediate32 => {
                            let product = (instruction.b(r) as i32).wrapping_mul(instruction.number as i32);
                            set!(product as i64 as u64)
                        }
                        Kind::MultiplyImmediate64 => {
                            set!((instruction.b(r) as i64).wrapping_mul(instruction.number) as u64)
                        }
                        Kind::AndImmediate => set!(instruction.b(r) & instruction.number as u64),
                        Kind::OrImmediate => set!(instruction.b(r) | instruction.number as u64),
                        Kind::XorImmediate => set!(instruction.b(r) ^ instruction.number as u64),
                        $(Kind::$op => {
                            let (b, c) = (instruction.b(r), instruction.c(r));
                            match pure(PureOp::$op, b, c, 0, instruction.c, 0) {
                                Some(value) => set!(value),
                                None => leave!(),
                            }
                        })*
                        Kind::Pure => match instruction.computed(r) {
                            Some(value) => set!(value),
                            None => leave!(),
                        },
                        Kind::RepeatImmediate => repeat!(instruction.number),
                        Kind::Repeat => repeat!(instruction.b(r) as i64),
                    }
                };
            }
            with_usual_ops!(execute);
        };
        *cycles = since - run_start;
        self.ended(counts, rounds, end)
    }

    /// Counts the cycles of instructions. Returns the end, and the number of rounds that were begun after the first.
    fn ended(&self, counts: &mut [u64], rounds: u64, end: LoopEnd) -> (LoopEnd, u64) {
        self.count(counts, rounds, end);
        let is_between = end == LoopEnd::Budget || end == self.after();
        (end, rounds - u64::from(is_between))
    }

    /// The end of the last round.
    fn after(&self) -> LoopEnd {
        LoopEnd::At(self.first + self.instructions.len())
    }

    /// Counts the cycles of rounds that came to their end, without waiting, and of one that goes on at an instruction.
    fn count(&self, counts: &mut [u64], rounds: u64, end: LoopEnd) {
        for (count, instruction) in counts.iter_mut().zip(&self.instructions) {
            let is_done = match end {
                LoopEnd::At(at) if end != self.after() => (instruction.at as usize) < at,
                _ => false,
            };
            *count += u64::from(instruction.cost) * (rounds + u64::from(is_done));
        }
    }
}
