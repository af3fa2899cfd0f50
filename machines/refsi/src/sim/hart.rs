//! A hart: registers, and the loop that executes RV64IMAFDC.

use std::collections::BTreeSet;

use crate::memory_map::COUNTERS;
use crate::unit::Unit;

use super::bus::{Access, AccessFault, Bus, Done, MemoryRange};
use super::rv64::{self, Atomic, FloatRegisters, FloatResult, Instruction, Op};

/// Lines of the cache of decoded instructions; a power of two.
const LINES: usize = 1 << 12;
/// Program counter of a line that holds nothing: it is odd, which no program counter is.
const NO_PC: u64 = u64::MAX;
/// Bits of a page in which it is remembered what a hart wrote.
const DIRTY_PAGE_BITS: u32 = 12;

/// Numbers of performance counters (oneAPI Construction Kit: RefSi M1 performance counters).
mod counter {
    pub const CYCLES: usize = 0;
    pub const RETIRED: usize = 2;
    /// Loads of 1 byte; 2, 4, and 8 bytes follow.
    pub const LOADS_BY_SIZE: usize = 3;
    pub const LOADS: usize = 8;
    /// Stores of 1 byte; 2, 4, and 8 bytes follow.
    pub const STORES_BY_SIZE: usize = 9;
    pub const STORES: usize = 14;
    pub const INTEGER: usize = 15;
    pub const FLOAT: usize = 16;
    pub const BRANCHES: usize = 17;
}

/// Why a hart stopped executing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HartStop {
    /// It came to the cycle that it was to come to.
    Time,
    /// It came to the return address.
    Returned,
    /// It called exit, with a status.
    Exit(u64),
    /// It prints the text at an address.
    Print(u64),
    /// It waits for the others at a barrier.
    Barrier(u64),
    /// It came to a breakpoint.
    Break,
    /// It went wrong: the reason, and advice.
    Trap(String, &'static str),
}

/// Execution state of a hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HartState {
    /// It runs nothing.
    Idle,
    /// It runs an instance.
    Running(u64),
    /// Its instance waits at a barrier: instance, argument.
    Barrier(u64, u64),
}

#[derive(Clone, Copy)]
struct Line {
    pc: u64,
    instruction: Instruction,
}

/// A hart.
pub struct Hart {
    /// Its number through all cores.
    pub id: u16,
    /// Registers; the first is always 0.
    pub x: [u64; 32],
    /// Program counter.
    pub pc: u64,
    /// Execution state.
    pub state: HartState,
    /// Its clock, in cycles.
    pub cycles: u64,
    /// When its instance began.
    pub began: u64,
    /// Pages that it wrote since caches were written back, by number.
    pub dirty: BTreeSet<u64>,
    last_dirty: u64,
    counts: [u64; COUNTERS as usize],
    fetches: MemoryRange,
    loads: MemoryRange,
    stores: MemoryRange,
    changes: u64,
    lines: Box<[Line]>,
    /// The breakpoint at the program counter was reported.
    at_break: bool,
    floats: FloatRegisters,
    /// The address that a load reserved. Others may write while they have their turn: it ends with the hart's own.
    reserved: Option<u64>,
}

impl std::fmt::Debug for Hart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "hart {} at 0x{:x}: {:?}", self.id, self.pc, self.state)
    }
}

impl Hart {
    /// A hart that runs nothing.
    pub fn new(id: u16) -> Hart {
        let nothing = Instruction {
            op: Op::Fence,
            rd: 0,
            rs1: 0,
            rs2: 0,
            bytes: 4,
            imm: 0,
        };
        let line = Line {
            pc: NO_PC,
            instruction: nothing,
        };
        Hart {
            id,
            x: [0; 32],
            pc: 0,
            state: HartState::Idle,
            cycles: 0,
            began: 0,
            dirty: BTreeSet::new(),
            last_dirty: u64::MAX,
            counts: [0; COUNTERS as usize],
            fetches: MemoryRange::default(),
            loads: MemoryRange::default(),
            stores: MemoryRange::default(),
            changes: u64::MAX,
            lines: vec![line; LINES].into_boxed_slice(),
            at_break: false,
            floats: FloatRegisters::default(),
            reserved: None,
        }
    }

    /// The unit that its accesses are of.
    pub fn unit(&self) -> Unit {
        Unit::Hart(self.id)
    }

    /// Drops its cached memory and windows.
    pub fn drop_caches(&mut self) {
        self.lines.iter_mut().for_each(|line| line.pc = NO_PC);
        let none = MemoryRange::default();
        (self.fetches, self.loads, self.stores) = (none, none, none);
    }

    /// Whether it wrote to a page of memory since caches were written back.
    pub fn wrote(&self, physical: u64, bytes: u64) -> bool {
        let (first, last) = (
            physical >> DIRTY_PAGE_BITS,
            (physical + bytes.max(1) - 1) >> DIRTY_PAGE_BITS,
        );
        self.dirty.range(first..=last).next().is_some()
    }

    /// Marks its writes as having reached memory.
    pub fn write_back(&mut self) {
        self.dirty.clear();
        self.last_dirty = u64::MAX;
    }

    /// Executes until something has to be done for it, not beyond a cycle of its clock.
    pub fn run(
        &mut self,
        bus: &mut Bus,
        until: u64,
        return_address: u64,
        breaks: &[u64],
    ) -> HartStop {
        if self.changes != bus.changes {
            self.drop_caches();
            self.changes = bus.changes;
        }
        self.reserved = None;
        let stop = self.execute(bus, until, return_address, breaks);
        self.flush_counts(bus);
        stop
    }

    fn flush_counts(&mut self, bus: &mut Bus) {
        self.counts[counter::CYCLES] = 0;
        if let Some(counters) = bus.counters.get_mut(usize::from(self.id)) {
            let both = counters.iter_mut().zip(&self.counts);
            both.for_each(|(sum, count)| *sum = sum.wrapping_add(*count));
            counters[counter::CYCLES] = self.cycles;
        }
        self.counts = [0; COUNTERS as usize];
    }

    fn execute(
        &mut self,
        bus: &mut Bus,
        until: u64,
        return_address: u64,
        breaks: &[u64],
    ) -> HartStop {
        while self.cycles < until {
            let pc = self.pc;
            if pc == return_address {
                return HartStop::Returned;
            }
            if !breaks.is_empty() {
                if !self.at_break && breaks.contains(&pc) {
                    self.at_break = true;
                    return HartStop::Break;
                }
                self.at_break = false;
            }
            let line = &self.lines[(pc >> 1) as usize & (LINES - 1)];
            let instruction = if line.pc == pc {
                line.instruction
            } else {
                match self.fetch(bus, pc) {
                    Ok(instruction) => instruction,
                    Err((why, help)) => return HartStop::Trap(why, help),
                }
            };
            self.cycles += 1;
            self.counts[counter::RETIRED] += 1;
            match self.step(bus, instruction) {
                Ok(None) => {}
                Ok(Some(stop)) => return stop,
                Err(fault) => {
                    let load = fault.access == Access::Read;
                    let sort = if load { "load" } else { "store" };
                    let why = format!(
                        "{sort} access fault at 0x{:x}: {}",
                        fault.address, fault.reason
                    );
                    return HartStop::Trap(
                        why,
                        "`aiec isa --target refsi-m1` lists the memory map",
                    );
                }
            }
        }
        HartStop::Time
    }

    /// Reads and decodes the instruction at the program counter.
    #[cold]
    fn fetch(&mut self, bus: &mut Bus, pc: u64) -> Result<Instruction, (String, &'static str)> {
        let fault = |f: AccessFault| {
            let why = format!(
                "instruction access fault at 0x{:x}: {}",
                f.address, f.reason
            );
            (
                why,
                "is the code loaded where ENTRY_PT_FN says, and RETURN_ADDR what the kernel returns to?",
            )
        };
        let mut half = |at: u64| -> Done<u32> {
            if self.fetches.physical(at, 2).is_none() {
                let unit = Unit::Hart(self.id);
                let range = bus.range(unit, Access::Execute, at, 2)?;
                self.fetches = range.ok_or_else(|| {
                    AccessFault::new(unit, Access::Execute, at, "registers hold no code")
                })?;
            }
            let physical = self.fetches.physical(at, 2).unwrap_or(0);
            let bytes = bus.memory.get::<2>(physical).unwrap_or_default();
            Ok(u32::from(u16::from_le_bytes(bytes)))
        };
        let low = half(pc).map_err(fault)?;
        let high = match low & 3 {
            3 => half(pc.wrapping_add(2)).map_err(fault)?,
            _ => 0,
        };
        let word = high << 16 | low;
        let instruction = rv64::decode(word).map_err(|what| {
            let why = format!("illegal instruction 0x{word:x} at 0x{pc:x}: {what}");
            (
                why,
                "kernels are RV64IMAFDC: compile them with -march=rv64gc -mabi=lp64d",
            )
        })?;
        self.lines[(pc >> 1) as usize & (LINES - 1)] = Line { pc, instruction };
        Ok(instruction)
    }

    #[inline]
    fn get(&self, register: u8) -> u64 {
        self.x[usize::from(register & 31)]
    }

    /// Executes an instruction, and moves the program counter.
    #[inline]
    fn step(&mut self, bus: &mut Bus, i: Instruction) -> Done<Option<HartStop>> {
        let (a, b) = (self.get(i.rs1), self.get(i.rs2));
        let imm = i64::from(i.imm) as u64;
        let next = self.pc.wrapping_add(u64::from(i.bytes));
        let branches = |taken: bool, pc: u64| if taken { pc.wrapping_add(imm) } else { next };
        let pc = self.pc;
        let mut to = next;
        let address = a.wrapping_add(imm);
        let value = match i.op {
            Op::Lui => imm,
            Op::Auipc => pc.wrapping_add(imm),
            Op::Jal => {
                to = pc.wrapping_add(imm);
                next
            }
            Op::Jalr => {
                to = address & !1;
                next
            }
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                let taken = match i.op {
                    Op::Beq => a == b,
                    Op::Bne => a != b,
                    Op::Blt => (a as i64) < b as i64,
                    Op::Bge => a as i64 >= b as i64,
                    Op::Bltu => a < b,
                    _ => a >= b,
                };
                self.counts[counter::BRANCHES] += 1;
                self.pc = branches(taken, pc);
                return Ok(None);
            }
            Op::Lb => i64::from(i8::from_le_bytes(self.load(bus, address, 0)?)) as u64,
            Op::Lh => i64::from(i16::from_le_bytes(self.load(bus, address, 1)?)) as u64,
            Op::Lw => i64::from(i32::from_le_bytes(self.load(bus, address, 2)?)) as u64,
            Op::Ld => u64::from_le_bytes(self.load(bus, address, 3)?),
            Op::Lbu => u64::from(u8::from_le_bytes(self.load(bus, address, 0)?)),
            Op::Lhu => u64::from(u16::from_le_bytes(self.load(bus, address, 1)?)),
            Op::Lwu => u64::from(u32::from_le_bytes(self.load(bus, address, 2)?)),
            Op::Sb | Op::Sh | Op::Sw | Op::Sd => {
                match i.op {
                    Op::Sb => self.store(bus, address, (b as u8).to_le_bytes(), 0),
                    Op::Sh => self.store(bus, address, (b as u16).to_le_bytes(), 1),
                    Op::Sw => self.store(bus, address, (b as u32).to_le_bytes(), 2),
                    _ => self.store(bus, address, b.to_le_bytes(), 3),
                }?;
                self.pc = next;
                return Ok(None);
            }
            Op::Flw | Op::Fld | Op::Fsw | Op::Fsd => {
                self.move_float(bus, i, address)?;
                return self.go_on(next);
            }
            Op::Float | Op::FloatMode => return Ok(self.float(i, a, next)),
            Op::Atomic => return self.atomic(bus, i, next),
            Op::Fence => return self.go_on(next),
            Op::FenceI => {
                self.drop_caches();
                return self.go_on(next);
            }
            Op::Ecall => {
                self.pc = next;
                return Ok(Some(self.environment_call()));
            }
            Op::Ebreak => {
                let why = format!("breakpoint trap (ebreak) at 0x{pc:x}");
                return Ok(Some(HartStop::Trap(
                    why,
                    "nothing handles it here: remove it",
                )));
            }
            Op::ReadCsr => match self.control_register(i.imm) {
                Some(value) => value,
                None => {
                    let why = format!(
                        "illegal instruction at 0x{pc:x}: control register 0x{:x}",
                        i.imm
                    );
                    let help = "mhartid, cycle, time and instret can be read";
                    return Ok(Some(HartStop::Trap(why, help)));
                }
            },
            _ => arithmetic(i.op, a, b, imm),
        };
        self.counts[counter::INTEGER] += 1;
        self.x[usize::from(i.rd & 31)] = value;
        self.x[0] = 0;
        self.pc = to;
        Ok(None)
    }

    fn go_on(&mut self, next: u64) -> Done<Option<HartStop>> {
        self.pc = next;
        Ok(None)
    }

    /// Loads and stores of float registers.
    fn move_float(&mut self, bus: &mut Bus, i: Instruction, address: u64) -> Done {
        match i.op {
            Op::Flw => {
                let bits = u32::from_le_bytes(self.load(bus, address, 2)?);
                self.floats.load(i.rd, bits.into(), false);
            }
            Op::Fld => {
                let bits = u64::from_le_bytes(self.load(bus, address, 3)?);
                self.floats.load(i.rd, bits, true);
            }
            Op::Fsw => {
                let bits = self.floats.get(i.rs2) as u32;
                self.store(bus, address, bits.to_le_bytes(), 2)?;
            }
            _ => {
                let bits = self.floats.get(i.rs2);
                self.store(bus, address, bits.to_le_bytes(), 3)?;
            }
        }
        Ok(())
    }

    /// Computes with floats, or changes their rounding mode; `a` is the integer register that is read.
    fn float(&mut self, i: Instruction, a: u64, next: u64) -> Option<HartStop> {
        let word = i.imm as u32;
        let result = if i.op == Op::Float {
            self.counts[counter::FLOAT] += 1;
            self.floats.execute(word, a)
        } else {
            // The forms with a number have it in the place of the register.
            let operand = if word >> 14 & 1 == 1 { i.rs1.into() } else { a };
            let old = self.floats.exchange_mode(word, operand);
            old.map(FloatResult::Integer).map_err(str::to_owned)
        };
        match result {
            Ok(FloatResult::Float) => {}
            Ok(FloatResult::Integer(value)) => {
                self.x[usize::from(i.rd & 31)] = value;
                self.x[0] = 0;
            }
            Err(what) => {
                let why = format!("illegal instruction 0x{word:x} at 0x{:x}: {what}", self.pc);
                let help = "keep the rounding mode that programs begin with, to nearest even";
                return Some(HartStop::Trap(why, help));
            }
        }
        self.pc = next;
        None
    }

    /// Reads a word and perhaps writes another one; no other hart comes between, as each has its turn.
    fn atomic(&mut self, bus: &mut Bus, i: Instruction, next: u64) -> Done<Option<HartStop>> {
        let word = i.imm as u32;
        let (address, register) = (self.get(i.rs1), self.get(i.rs2));
        let double = Atomic::is_double(word);
        let Ok(atomic) = Atomic::of(word) else {
            return self.go_on(next);
        };
        if !address.is_multiple_of(if double { 8 } else { 4 }) {
            let why = format!("atomic access at 0x{address:x}, which is not aligned");
            return Ok(Some(HartStop::Trap(
                why,
                "atomics take addresses of whole words",
            )));
        }
        let read = |hart: &mut Hart, bus: &mut Bus| -> Done<u64> {
            Ok(if double {
                u64::from_le_bytes(hart.load(bus, address, 3)?)
            } else {
                i64::from(i32::from_le_bytes(hart.load(bus, address, 2)?)) as u64
            })
        };
        let write = |hart: &mut Hart, bus: &mut Bus, value: u64| -> Done {
            if double {
                hart.store(bus, address, value.to_le_bytes(), 3)
            } else {
                hart.store(bus, address, (value as u32).to_le_bytes(), 2)
            }
        };
        let value = match atomic {
            Atomic::LoadReserved => {
                let old = read(self, bus)?;
                self.reserved = Some(address);
                old
            }
            Atomic::StoreConditional => {
                let fails = self.reserved.take() != Some(address);
                if !fails {
                    write(self, bus, register)?;
                }
                fails.into()
            }
            Atomic::Combine(combination) => {
                let old = read(self, bus)?;
                let register = if double {
                    register
                } else {
                    register as i32 as i64 as u64
                };
                write(self, bus, combination.apply(old, register))?;
                old
            }
        };
        self.counts[counter::INTEGER] += 1;
        self.x[usize::from(i.rd & 31)] = value;
        self.x[0] = 0;
        self.go_on(next)
    }

    fn environment_call(&self) -> HartStop {
        let (number, argument) = (self.x[17], self.x[10]);
        match number {
            0 => HartStop::Exit(argument),
            1 => HartStop::Print(argument),
            2 => HartStop::Barrier(argument),
            _ => HartStop::Trap(
                format!(
                    "unknown environment call {number} at 0x{:x}",
                    self.pc.wrapping_sub(4)
                ),
                "a7 is 0 to exit, 1 to print, 2 for a barrier",
            ),
        }
    }

    /// The control registers that kernels may read.
    fn control_register(&self, number: i32) -> Option<u64> {
        match number {
            0xC00..=0xC02 => Some(self.cycles),
            0xF14 => Some(u64::from(self.id)),
            _ => None,
        }
    }

    /// Loads `N` = 2^`size` bytes.
    #[inline]
    fn load<const N: usize>(&mut self, bus: &mut Bus, address: u64, size: usize) -> Done<[u8; N]> {
        self.counts[counter::LOADS] += 1;
        self.counts[counter::LOADS_BY_SIZE + size] += 1;
        if let Some(physical) = self.loads.physical(address, N as u64)
            && let Some(bytes) = bus.memory.get::<N>(physical)
        {
            return Ok(bytes);
        }
        self.load_slowly(bus, address)
    }

    #[cold]
    fn load_slowly<const N: usize>(&mut self, bus: &mut Bus, address: u64) -> Done<[u8; N]> {
        let unit = self.unit();
        match bus.range(unit, Access::Read, address, N as u64)? {
            Some(range) => self.loads = range,
            None => self.flush_counts(bus),
        }
        let mut bytes = [0; N];
        bus.read(unit, address, &mut bytes)?;
        Ok(bytes)
    }

    /// Stores `N` = 2^`size` bytes.
    #[inline]
    fn store<const N: usize>(
        &mut self,
        bus: &mut Bus,
        address: u64,
        bytes: [u8; N],
        size: usize,
    ) -> Done {
        self.counts[counter::STORES] += 1;
        self.counts[counter::STORES_BY_SIZE + size] += 1;
        if let Some(physical) = self.stores.physical(address, N as u64)
            && bus.memory.put::<N>(physical, bytes).is_some()
        {
            self.mark_dirty(physical);
            return Ok(());
        }
        self.store_slowly(bus, address, &bytes)
    }

    #[cold]
    fn store_slowly(&mut self, bus: &mut Bus, address: u64, bytes: &[u8]) -> Done {
        let unit = self.unit();
        match bus.range(unit, Access::Write, address, bytes.len() as u64)? {
            Some(range) => {
                self.stores = range;
                let physical = address.wrapping_add(range.distance);
                self.mark_dirty(physical);
            }
            None => self.flush_counts(bus),
        }
        self.cycles += bus.write(unit, address, bytes)?;
        Ok(())
    }

    #[inline]
    fn mark_dirty(&mut self, physical: u64) {
        let page = physical >> DIRTY_PAGE_BITS;
        if page != self.last_dirty {
            self.last_dirty = page;
            self.dirty.insert(page);
        }
    }
}

/// Extends the lower 32 bits.
fn word(value: u32) -> u64 {
    i64::from(value as i32) as u64
}

/// Instructions that only compute.
#[inline]
fn arithmetic(op: Op, a: u64, b: u64, imm: u64) -> u64 {
    let (signed_a, signed_b) = (a as i64, b as i64);
    let (a32, b32, imm32) = (a as u32, b as u32, imm as u32);
    match op {
        Op::Addi => a.wrapping_add(imm),
        Op::Slti => u64::from(signed_a < imm as i64),
        Op::Sltiu => u64::from(a < imm),
        Op::Xori => a ^ imm,
        Op::Ori => a | imm,
        Op::Andi => a & imm,
        Op::Slli => a << (imm & 63),
        Op::Srli => a >> (imm & 63),
        Op::Srai => (signed_a >> (imm & 63)) as u64,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Sll => a << (b & 63),
        Op::Slt => u64::from(signed_a < signed_b),
        Op::Sltu => u64::from(a < b),
        Op::Xor => a ^ b,
        Op::Srl => a >> (b & 63),
        Op::Sra => (signed_a >> (b & 63)) as u64,
        Op::Or => a | b,
        Op::And => a & b,
        Op::Addiw => word(a32.wrapping_add(imm32)),
        Op::Slliw => word(a32 << (imm32 & 31)),
        Op::Srliw => word(a32 >> (imm32 & 31)),
        Op::Sraiw => word(((a32 as i32) >> (imm32 & 31)) as u32),
        Op::Addw => word(a32.wrapping_add(b32)),
        Op::Subw => word(a32.wrapping_sub(b32)),
        Op::Sllw => word(a32 << (b32 & 31)),
        Op::Srlw => word(a32 >> (b32 & 31)),
        Op::Sraw => word(((a32 as i32) >> (b32 & 31)) as u32),
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => ((i128::from(signed_a) * i128::from(signed_b)) >> 64) as u64,
        Op::Mulhsu => (i128::from(signed_a).wrapping_mul(i128::from(b)) >> 64) as u64,
        Op::Mulhu => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::Div if b == 0 => u64::MAX,
        Op::Div => signed_a.wrapping_div(signed_b) as u64,
        Op::Divu => a.checked_div(b).unwrap_or(u64::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => signed_a.wrapping_rem(signed_b) as u64,
        Op::Remu => a.checked_rem(b).unwrap_or(a),
        Op::Mulw => word(a32.wrapping_mul(b32)),
        Op::Divw if b32 == 0 => u64::MAX,
        Op::Divw => word((a32 as i32).wrapping_div(b32 as i32) as u32),
        Op::Divuw => a32.checked_div(b32).map_or(u64::MAX, word),
        Op::Remw if b32 == 0 => word(a32),
        Op::Remw => word((a32 as i32).wrapping_rem(b32 as i32) as u32),
        Op::Remuw => word(a32.checked_rem(b32).unwrap_or(a32)),
        // the others are executed by `Hart::step`
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_has_the_results_of_the_specification() {
        let least = i64::MIN as u64;
        let minus = u64::MAX;
        assert_eq!(arithmetic(Op::Div, 7, 0, 0), minus);
        assert_eq!(arithmetic(Op::Div, least, minus, 0), least);
        assert_eq!(arithmetic(Op::Rem, least, minus, 0), 0);
        assert_eq!(arithmetic(Op::Rem, 7, 0, 0), 7);
        assert_eq!(arithmetic(Op::Divuw, 7, 0, 0), minus);
        assert_eq!(
            arithmetic(Op::Divw, 0x8000_0000, minus, 0),
            word(0x8000_0000)
        );
        assert_eq!(arithmetic(Op::Remw, 0x8000_0000, minus, 0), 0);
        assert_eq!(arithmetic(Op::Remuw, 0xFFFF_FFFF, 0, 0), minus);
        assert_eq!(arithmetic(Op::Mulhsu, minus, minus, 0), minus);
        assert_eq!(arithmetic(Op::Mulh, minus, minus, 0), 0);
        assert_eq!(arithmetic(Op::Mulhu, minus, minus, 0), minus - 1);
        assert_eq!(arithmetic(Op::Sraiw, 0x8000_0000, 0, 4), word(0xF800_0000));
    }
}
