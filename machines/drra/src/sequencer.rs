//! Control flow of a cell: which instruction is issued in which cycle, with the values of its
//! RACCU registers. Nothing of it depends on data but BRANCH, so that the checker and the simulator
//! share it.
//!
//! An instruction is fetched and issued in one cycle, whatever its chunks; WAIT takes its cycles;
//! the test at the end of a loop takes none. The description doesn't say so; the page of the model
//! lists it.

use crate::fabric::{LOOP_SLOTS, MEMORY_CHUNKS, RACCU_BITS, RACCU_REGISTERS, iterator_register};
use crate::operation::{
    DrraOperation, LoopSetup, RaccuSetup, RefiSetup, Setting, SramSetup, WalkSetup,
};
use crate::walk::{AddressWalk, WalkLevel};

/// The operations of a cell, by address.
#[derive(Clone, Debug, Default)]
pub struct CellCode {
    operations: Vec<PlacedOperation>,
    /// For each chunk the operation that begins there.
    at: Vec<Option<u8>>,
}

/// An operation and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedOperation {
    /// Chunks before it.
    pub address: u8,
    /// Its chunks.
    pub chunks: u8,
    /// Its effect; `None` if it is unknown.
    pub operation: Option<DrraOperation>,
}

impl CellCode {
    /// Operations one after the other, each with its chunks. What lies past the instruction
    /// memory is left out: no pc can reach it.
    pub fn new(operations: impl IntoIterator<Item = (u8, Option<DrraOperation>)>) -> CellCode {
        let mut code = CellCode {
            operations: Vec::new(),
            at: vec![None; MEMORY_CHUNKS],
        };
        let mut address = 0;
        for (chunks, operation) in operations {
            let Some(slot) = code.at.get_mut(address) else {
                break;
            };
            *slot = Some(code.operations.len() as u8);
            code.operations.push(PlacedOperation {
                address: address as u8,
                chunks,
                operation,
            });
            address += usize::from(chunks.max(1));
        }
        code
    }

    /// All operations in order.
    pub fn operations(&self) -> &[PlacedOperation] {
        &self.operations
    }

    /// The index of the operation that begins at an address.
    pub fn index_at(&self, address: u8) -> Option<usize> {
        let index = *self.at.get(usize::from(address))?;
        index.map(usize::from)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

/// Why a sequencer can't go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SequencerFault {
    /// No instruction begins at the pc.
    #[error("no instruction begins here")]
    NoInstruction,
    /// The instruction's effect is unknown.
    #[error("the meaning of this instruction isn't known")]
    Unknown,
    /// A loop of no iterations.
    #[error("the loop has no iterations")]
    NoIterations,
    /// A loop inside the body of a loop of the same slot.
    #[error("a loop in the body of a loop of the same slot, {0}")]
    SlotInUse(u8),
    /// A RACCU register that doesn't exist, or an iterator as the result.
    #[error("register {0} takes no results")]
    Register(u8),
    /// A loop slot that doesn't exist.
    #[error("there is no loop slot {0}")]
    Slot(u8),
}

/// Result of a step of a sequencer.
type Done<T = ()> = Result<T, SequencerFault>;

/// A loop that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ActiveLoop {
    /// Address of the first instruction of the body.
    body: u8,
    /// Address of the last one.
    end: u8,
    left: u32,
    step: i32,
    link: u8,
    /// When it began, to find the innermost.
    began: u64,
}

/// The operation that a sequencer issues to the units of its cell in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IssuedOperation {
    /// Its index in the cell.
    pub index: usize,
    /// The decoded instruction.
    pub operation: DrraOperation,
    /// Its walk, for REFI and SRAM.
    pub walk: Option<AddressWalk>,
}

/// The sequencer of a cell.
#[derive(Clone, Debug)]
pub struct Sequencer {
    pc: u8,
    halted: bool,
    /// The cycle of the next fetch.
    due: u64,
    loops: [Option<ActiveLoop>; LOOP_SLOTS],
    registers: [i8; RACCU_REGISTERS],
    issued: u64,
}

impl Sequencer {
    /// The sequencer before its first cycle; one without code has halted.
    pub fn new(code: &CellCode) -> Sequencer {
        Sequencer {
            pc: 0,
            halted: code.is_empty(),
            due: 0,
            loops: [None; LOOP_SLOTS],
            registers: [0; RACCU_REGISTERS],
            issued: 0,
        }
    }

    /// Whether it has stopped.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// The cycle in which it fetches again; `None` when it has stopped.
    pub fn due(&self) -> Option<u64> {
        (!self.halted).then_some(self.due)
    }

    /// Address of the next instruction, in chunks.
    pub fn pc(&self) -> u8 {
        self.pc
    }

    /// Instructions issued so far.
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// The RACCU registers and the iterators of loops.
    pub fn registers(&self) -> &[i8; RACCU_REGISTERS] {
        &self.registers
    }

    /// Everything but the cycle on which further control flow depends: pc, loops and registers.
    pub fn state(&self) -> impl Eq + std::hash::Hash + use<> {
        let loops = self.loops.map(|l| l.map(|l| (l.body, l.end, l.left)));
        (self.pc, loops, self.registers)
    }

    /// Fetches and issues the instruction at the pc. `status` is what the DPU's last comparison
    /// gave: 1 greater, 2 equal, 0 neither.
    pub fn step(&mut self, code: &CellCode, status: u8) -> Result<IssuedOperation, SequencerFault> {
        let index = code
            .index_at(self.pc)
            .ok_or(SequencerFault::NoInstruction)?;
        let placed = code.operations[index];
        let operation = placed.operation.ok_or(SequencerFault::Unknown)?;
        let following = placed.address.saturating_add(placed.chunks);
        let mut target = None;
        let mut cycles = 1;
        let mut walk = None;
        match operation {
            DrraOperation::Halt => self.halted = true,
            DrraOperation::Jump(pc) => target = Some(pc),
            DrraOperation::Branch { mode, false_pc } => {
                target = (mode & status == 0).then_some(false_pc);
            }
            DrraOperation::Wait(wait) => {
                cycles = u64::from(self.count(wait)?) + 1;
            }
            DrraOperation::Loop(setup) => self.begin(setup, placed.address, following)?,
            DrraOperation::Raccu(setup) => self.compute(setup)?,
            DrraOperation::Refi(refi) => walk = Some(self.refi_walk(refi)?),
            DrraOperation::Sram(sram) => walk = Some(self.sram_walk(sram)?),
            DrraOperation::Dpu(_)
            | DrraOperation::Swb(_)
            | DrraOperation::Bw(_)
            | DrraOperation::Route(_) => {}
        }
        self.due += cycles;
        self.issued += 1;
        self.pc = match target {
            Some(target) => target,
            None => self.after(placed.address, following),
        };
        Ok(IssuedOperation {
            index,
            operation,
            walk,
        })
    }

    /// A value as a number, with its sign.
    fn value(&self, setting: Setting) -> Done<i32> {
        match setting {
            Setting::Static(value) => Ok(value),
            Setting::Register(register) => match self.registers.get(usize::from(register)) {
                Some(value) => Ok(i32::from(*value)),
                None => Err(SequencerFault::Register(register)),
            },
        }
    }

    /// A value as a count: the bits of a register without sign.
    fn count(&self, setting: Setting) -> Done<u32> {
        let value = self.value(setting)?;
        Ok(match setting {
            Setting::Static(value) => value.unsigned_abs(),
            Setting::Register(_) => (value as u32) & ((1 << RACCU_BITS) - 1),
        })
    }

    fn begin(&mut self, setup: LoopSetup, address: u8, following: u8) -> Done {
        let slot = usize::from(setup.slot);
        let Some(active) = self.loops.get(slot) else {
            return Err(SequencerFault::Slot(setup.slot));
        };
        if active.is_some_and(|l| (l.body..=l.end).contains(&address)) {
            return Err(SequencerFault::SlotInUse(setup.slot));
        }
        let left = self.count(setup.iterations)?;
        if left == 0 {
            return Err(SequencerFault::NoIterations);
        }
        let start = self.value(setup.start)?;
        let step = self.value(setup.step)?;
        self.loops[slot] = Some(ActiveLoop {
            body: following,
            end: setup.end,
            left,
            step,
            link: setup.link,
            began: self.issued,
        });
        self.registers[usize::from(iterator_register(setup.slot))] = wrapped(start);
        Ok(())
    }

    fn compute(&mut self, setup: RaccuSetup) -> Done {
        let (a, b) = (self.value(setup.operand1)?, self.value(setup.operand2)?);
        let result = usize::from(setup.result);
        if result >= RACCU_REGISTERS - LOOP_SLOTS {
            return Err(SequencerFault::Register(setup.result));
        }
        let before = i32::from(self.registers[result]);
        let bits = (a as u32) & ((1 << RACCU_BITS) - 1);
        let amount = (b as u32) & ((1 << RACCU_BITS) - 1);
        let shifted = |value: u32| if amount < RACCU_BITS { value as i32 } else { 0 };
        let value = match setup.mode {
            1 => a.wrapping_add(b),
            2 => a.wrapping_sub(b),
            3 => shifted(bits.checked_shr(amount).unwrap_or(0)),
            4 => shifted(bits.checked_shl(amount).unwrap_or(0)),
            5 => a.wrapping_mul(b),
            6 => before.wrapping_add(a.wrapping_mul(b)),
            7 => before.wrapping_sub(a.wrapping_mul(b)),
            _ => before,
        };
        self.registers[result] = wrapped(value);
        Ok(())
    }

    /// A walk from an address on. One that was computed is all bits of its register: the walker
    /// refuses addresses that a register file or an SRAM doesn't have.
    fn walk(&self, setup: &WalkSetup, inner_step: i32) -> Done<AddressWalk> {
        Ok(AddressWalk {
            first: self.count(setup.first)? as i32,
            initial_delay: self.count(setup.initial_delay)?,
            inner: WalkLevel {
                iterations: self.count(setup.inner_iterations)? + 1,
                step: inner_step,
                delay: self.count(setup.inner_delay)?,
            },
            outer: WalkLevel {
                iterations: self.count(setup.outer_iterations)? + 1,
                step: self.value(setup.outer_step)?,
                delay: self.count(setup.outer_delay)?,
            },
        })
    }

    fn refi_walk(&self, refi: RefiSetup) -> Done<AddressWalk> {
        let step = self.value(refi.walk.inner_step)?;
        let step = if refi.negative { -step } else { step };
        self.walk(&refi.walk, step)
    }

    fn sram_walk(&self, sram: SramSetup) -> Done<AddressWalk> {
        let step = self.value(sram.walk.inner_step)?;
        self.walk(&sram.walk, step)
    }

    /// Where to go after an instruction: to the body of a loop that ends there and isn't over, or
    /// on.
    fn after(&mut self, address: u8, following: u8) -> u8 {
        let ends = |l: &&ActiveLoop| l.end == address;
        let active = self.loops.iter().enumerate();
        let innermost = active
            .filter_map(|(slot, l)| Some((slot, l.as_ref().filter(ends)?.began)))
            .max_by_key(|(_, began)| *began);
        let Some((mut slot, _)) = innermost else {
            return following;
        };
        // Each round frees a slot, so that there are at most as many as slots.
        while let Some(Some(active)) = self.loops.get_mut(slot) {
            if active.end != address {
                break;
            }
            active.left -= 1;
            if active.left > 0 {
                let register = usize::from(iterator_register(slot as u8));
                self.registers[register] =
                    wrapped(i32::from(self.registers[register]) + active.step);
                return active.body;
            }
            let link = active.link;
            self.loops[slot] = None;
            if link == 0 {
                break;
            }
            slot = link.trailing_zeros() as usize;
        }
        following
    }
}

/// A RACCU register holds the low bits of a result.
fn wrapped(value: i32) -> i8 {
    let shift = 32 - RACCU_BITS;
    (value << shift >> shift) as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use Setting::{Register, Static};

    fn run(operations: Vec<DrraOperation>) -> (Vec<(u64, usize)>, Sequencer) {
        let code = CellCode::new(operations.into_iter().map(|o| (1, Some(o))));
        let mut sequencer = Sequencer::new(&code);
        let mut issued = Vec::new();
        while let Some(due) = sequencer.due() {
            let step = sequencer.step(&code, 0).expect("no fault");
            issued.push((due, step.index));
        }
        (issued, sequencer)
    }

    fn looped(
        slot: u8,
        end: u8,
        start: i32,
        iterations: i32,
        step: i32,
        link: u8,
    ) -> DrraOperation {
        DrraOperation::Loop(LoopSetup {
            slot,
            end,
            start: Static(start),
            iterations: Static(iterations),
            step: Static(step),
            link,
        })
    }

    fn add(a: Setting, b: Setting, result: u8) -> DrraOperation {
        DrraOperation::Raccu(RaccuSetup {
            mode: 1,
            operand1: a,
            operand2: b,
            result,
        })
    }

    #[test]
    fn linked_loops_end_at_one_instruction() {
        // register 0 adds up the iterators of both loops over all iterations
        let (issued, sequencer) = run(vec![
            looped(0, 3, 0, 2, 4, 0),
            looped(1, 3, 0, 3, 2, 1),
            add(Register(14), Register(15), 1),
            add(Register(0), Register(1), 0),
            DrraOperation::Halt,
        ]);
        // 1 + 2 · (1 + 3 · 2) + 1 instructions, one in each cycle
        assert_eq!(issued.len(), 16);
        assert_eq!(issued.last(), Some(&(15, 4)));
        assert_eq!(sequencer.registers()[0], 3 * 4 + 2 * (2 + 4));
    }

    #[test]
    fn a_wait_takes_its_cycles_and_one_more() {
        let (issued, _) = run(vec![DrraOperation::Wait(Static(9)), DrraOperation::Halt]);
        assert_eq!(issued, [(0, 0), (10, 1)]);
    }

    #[test]
    fn registers_wrap_at_seven_bits() {
        let (_, sequencer) = run(vec![add(Static(63), Static(1), 3), DrraOperation::Halt]);
        assert_eq!(sequencer.registers()[3], -64);
    }

    #[test]
    fn faults_are_told_apart() {
        let fault = |operations: Vec<DrraOperation>| {
            let code = CellCode::new(operations.into_iter().map(|o| (1, Some(o))));
            let mut sequencer = Sequencer::new(&code);
            loop {
                if let Err(fault) = sequencer.step(&code, 0) {
                    return fault;
                }
            }
        };
        assert_eq!(
            fault(vec![looped(0, 2, 0, 0, 1, 0)]),
            SequencerFault::NoIterations
        );
        assert_eq!(
            fault(vec![looped(2, 2, 0, 2, 1, 0), looped(2, 2, 0, 2, 1, 0)]),
            SequencerFault::SlotInUse(2)
        );
        assert_eq!(
            fault(vec![add(Static(1), Static(1), 15)]),
            SequencerFault::Register(15)
        );
        assert_eq!(
            fault(vec![add(Static(1), Static(1), 0)]),
            SequencerFault::NoInstruction
        );
    }
}
