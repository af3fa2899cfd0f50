//! Vectors in registers, for those of which every step has an instruction ([`plan()`]): integers of 8, 16 and 32 bits
//! that are loaded, stored, added, subtracted, compared for the greater or the lesser, and combined bit by bit. All others are in
//! memory ([`super::lanes`]).

use aiec_core::RegisterFile;
use aiec_vcode::{MemoryType, Opcode};
use smallvec::SmallVec;

pub(super) use self::alignment::Alignment;
use self::plan::half_bytes;
pub(super) use self::plan::{LaneWidth, plan};
use super::emit::Selector;
use super::memory::AccessPlace;
use super::rows::{Row, Rows};
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::{Step, Value, VectorAction};

mod alignment;
mod plan;

/// Configuration words of products (`llvm-aie: aiev2_vmult.h`): i16 lane by lane in lanes of 32 bits.
const ELEMENTWISE_16: u32 = 0x338;
/// Unsigned 16 bits, two products for each lane of 64 bits.
const PAIRS_16: u32 = 0x5A;
/// The second, the first operand is signed.
const SIGNED_SECOND: u32 = 1 << 8;
const SIGNED_FIRST: u32 = 1 << 9;
/// What the accumulator has is multiplied by 2^16 first.
const SHIFTED_16: u32 = 1 << 10;

/// Modes of shuffles (`llvm-aie: aiev2_enums.h`): the even and the odd elements of 16 bits of two vectors.
const EVEN_16: u32 = 2;
const ODD_16: u32 = 3;

/// What an operation in each lane is done by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// The lanes as they are.
    Same,
    /// An instruction for each width.
    Rows([Row; 3]),
    /// One that also gives a mask of what it chose.
    Choice([Row; 3]),
    /// Bits of one operand only.
    Xor,
    /// Products, of which the lower bits count.
    Product,
}

/// The operation of an opcode; `None` if there is none.
fn operation(op: Opcode) -> Option<Operation> {
    use Operation::{Choice, Product, Rows, Same, Xor};
    use Row::*;
    Some(match op {
        Opcode::Mov | Opcode::Sext => Same,
        Opcode::Add32 => Rows([VectorAdd8, VectorAdd16, VectorAdd32]),
        Opcode::Sub32 => Rows([VectorSub8, VectorSub16, VectorSub32]),
        Opcode::And => Rows([VectorAnd; 3]),
        Opcode::Or => Rows([VectorOr; 3]),
        Opcode::Xor => Xor,
        Opcode::Mul32 => Product,
        Opcode::Maxs => Choice([VectorMax8, VectorMax16, VectorMax32]),
        Opcode::Mins => Choice([VectorMin8, VectorMin16, VectorMin32]),
        _ => return None,
    })
}

/// Whether an architecture has the instructions of an operation in lanes of a width.
fn has(rows: &Rows, op: Opcode, width: LaneWidth) -> bool {
    match operation(op) {
        Some(Operation::Product) => {
            width != LaneWidth::Bits8 && rows.get(Row::VectorProduct).is_some()
        }
        operation => operation.is_some(),
    }
}

/// A vector in registers.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    width: LaneWidth,
    registers: SmallVec<[VirtualRegister; 2]>,
    /// Halves of registers that hold lanes.
    halves: u32,
}

/// Rows that move a whole register and half of one.
#[derive(Clone, Copy)]
struct MoveRows {
    whole: Row,
    half: Row,
}

const LOADS: MoveRows = MoveRows {
    whole: Row::LoadWhole,
    half: Row::LoadHalf,
};

const STORES: MoveRows = MoveRows {
    whole: Row::StoreWhole,
    half: Row::StoreHalf,
};

impl Packed {
    fn bytes(&self) -> u32 {
        self.halves * half_bytes()
    }
}

impl LaneWidth {
    /// The one of three rows that is for this width.
    fn of_rows(self, rows: [Row; 3]) -> Row {
        rows[self as usize]
    }
}

impl Selector<'_> {
    /// Gives vectors their registers.
    pub(super) fn place_packed(&mut self) {
        self.alignment = Alignment::of(self.ssa, self.memory.argument_zeros());
        let widths = plan(self.ssa, &self.widths, &self.alignment, self.rows);
        for (number, width) in widths.into_iter().enumerate() {
            let packed = width.map(|width| {
                let lanes = u32::from(self.ssa.vectors[number]);
                let halves = lanes * width.bytes() / half_bytes();
                let registers = (0..halves.div_ceil(2)).map(|_| self.register(RegisterFile::X));
                Packed {
                    width,
                    registers: registers.collect(),
                    halves,
                }
            });
            self.packed.push(packed);
        }
    }

    /// Whether a vector is in registers.
    pub(super) fn is_packed(&self, vector: Vector) -> bool {
        matches!(self.packed.get(vector.0 as usize), Some(Some(_)))
    }

    fn packed(&self, vector: Vector) -> Option<Packed> {
        self.packed.get(vector.0 as usize)?.clone()
    }

    /// Selects a step on vectors in registers; `false` if its vectors are in memory.
    pub(super) fn packed_step(&mut self, action: &VectorAction, step: &Step) -> bool {
        use VectorAction::*;
        match action {
            Load { to, offset, .. } => {
                let Some(to) = self.packed(*to) else {
                    return false;
                };
                self.move_outside(LOADS, &to, step.args[0], *offset);
            }
            Store { from, offset, .. } => {
                let Some(from) = self.packed(*from) else {
                    return false;
                };
                self.move_outside(STORES, &from, step.args[0], *offset);
            }
            Map {
                op, to, operands, ..
            } => {
                let (Some(to), Some(operation)) = (self.packed(*to), operation(*op)) else {
                    return false;
                };
                let operands: Option<Vec<Packed>> =
                    operands.iter().map(|vector| self.packed(*vector)).collect();
                let Some(operands) = operands else {
                    return false;
                };
                self.map_packed(operation, &to, &operands);
            }
            Splat { to, .. } => {
                let Some(to) = self.packed(*to) else {
                    return false;
                };
                let number = self.number(step.args[0]);
                let low = self.low(number);
                let rows = [Row::VectorSplat8, Row::VectorSplat16, Row::VectorSplat32];
                let row = to.width.of_rows(rows);
                for register in to.registers {
                    self.emit(row, &[Operand::Virtual(register), Operand::Virtual(low)]);
                }
            }
            _ => return false,
        }
        true
    }

    /// Moves a vector from or to memory outside of the frame.
    fn move_outside(&mut self, rows: MoveRows, vector: &Packed, address: Value, offset: i32) {
        let whole = self.rows.get(rows.whole).is_some()
            && vector.halves.is_multiple_of(2)
            && self
                .alignment
                .is_multiple(address, offset, 2 * half_bytes());
        let (row, bytes) = if whole {
            (rows.whole, 2 * half_bytes())
        } else {
            (rows.half, half_bytes())
        };
        let last = i64::from(offset) + i64::from(vector.bytes() - bytes);
        let mut ends = [offset.into(), last].into_iter();
        let (pointer, offset) = if ends.all(|byte| self.rows.fits(row, 2, byte)) {
            (self.pointer(address), offset)
        } else {
            (self.walking_pointer(address, offset.into()), 0)
        };
        let place = self.memory.place(address, offset.into(), vector.bytes());
        self.move_parts(row, bytes, vector, (pointer, offset), place);
    }

    /// Moves the registers of a vector, or their halves, from or to memory at a pointer plus an offset.
    fn move_parts(
        &mut self,
        row: Row,
        bytes: u32,
        vector: &Packed,
        (pointer, offset): (VirtualRegister, i32),
        place: AccessPlace,
    ) {
        // The first part comes last: where the pointer walks, it moves it.
        for at in (0..vector.bytes()).step_by(bytes as usize).rev() {
            let half = at / half_bytes();
            let register = vector.registers[half as usize / 2];
            let part = match (bytes == half_bytes(), half % 2) {
                (false, _) => Operand::Virtual(register),
                (true, 0) => Operand::Part(register, RegisterFile::Wl),
                (true, _) => Operand::Part(register, RegisterFile::Wh),
            };
            let access = place.part(at.into(), bytes);
            let at = Operand::Immediate(offset + at as i32);
            self.emit_access(row, &[part, Operand::Virtual(pointer), at], access);
        }
    }

    /// How memory holds the lanes of a vector that is in registers.
    pub(super) fn packed_kind(&self, vector: Vector) -> Option<MemoryType> {
        Some(self.packed(vector)?.width.kind())
    }

    /// A pointer to a lane of a copy in the frame of a vector that is in registers.
    pub(super) fn packed_lane(&mut self, vector: Vector, lane: u16) -> Option<VirtualRegister> {
        let packed = self.packed(vector)?;
        let slot = self.out.slot(packed.bytes(), 2 * half_bytes());
        let pointer = self.frame_address(slot, 0);
        self.move_parts(
            Row::StoreHalf,
            half_bytes(),
            &packed,
            (pointer, 0),
            AccessPlace {
                object: Some(slot.0 + 1),
                ..AccessPlace::default()
            },
        );
        let offset = u32::from(lane) * packed.width.bytes();
        Some(self.frame_address(slot, offset as i32))
    }

    fn map_packed(&mut self, operation: Operation, to: &Packed, operands: &[Packed]) {
        for (n, register) in to.registers.iter().enumerate() {
            let target = Operand::Virtual(*register);
            let operand = |at: usize| operands.get(at).map(|packed| packed.registers[n]);
            let (Some(a), b) = (operand(0), operand(1)) else {
                continue;
            };
            let (a, b) = (Operand::Virtual(a), Operand::Virtual(b.unwrap_or(a)));
            match operation {
                Operation::Same => self.copy(target, a),
                Operation::Rows(rows) => {
                    self.emit(to.width.of_rows(rows), &[target, a, b]);
                }
                Operation::Choice(rows) => self.choice(to.width.of_rows(rows), target, a, b),
                Operation::Product if to.width == LaneWidth::Bits16 => self.product16(target, a, b),
                Operation::Product => self.product32(target, a, b),
                // The bits of either without those of both: no lane borrows.
                Operation::Xor => {
                    let either = Operand::Virtual(self.register(RegisterFile::X));
                    let both = Operand::Virtual(self.register(RegisterFile::X));
                    self.emit(Row::VectorOr, &[either, a, b]);
                    self.emit(Row::VectorAnd, &[both, a, b]);
                    self.emit(Row::VectorSub32, &[target, either, both]);
                }
            }
        }
    }

    /// Products of 16 bits: 32 of them in lanes of 32 bits.
    fn product16(&mut self, to: Operand, a: Operand, b: Operand) {
        let sums = self.products(None, a, b, ELEMENTWISE_16);
        self.of_sums(Row::VectorOfSums16, to, sums);
    }

    /// The lower 32 bits of products of 32 bits, from those of halves: (a_high * b_low + a_low * b_high) * 2^16 + a_low * b_low
    /// in lanes of 64 bits. Halves come out of shuffles with zeros, which the second product of each lane takes.
    fn product32(&mut self, to: Operand, a: Operand, b: Operand) {
        let zeros = Operand::Virtual(self.register(RegisterFile::X));
        let zero = Operand::Virtual(self.word(0));
        self.emit(Row::VectorSplat32, &[zeros, zero]);
        let [a_low, b_low] = [a, b].map(|vector| self.shuffle(vector, zeros, EVEN_16));
        let [a_high, b_high] = [a, b].map(|vector| self.shuffle(vector, zeros, ODD_16));
        let sums = self.products(None, a_high, b_low, PAIRS_16 | SIGNED_FIRST);
        let sums = self.products(Some(sums), a_low, b_high, PAIRS_16 | SIGNED_SECOND);
        let sums = self.products(Some(sums), a_low, b_low, PAIRS_16 | SHIFTED_16);
        self.of_sums(Row::VectorOfSums32, to, sums);
    }

    /// Products by a configuration word, added to an accumulator if there is one.
    fn products(&mut self, sums: Option<Operand>, a: Operand, b: Operand, word: u32) -> Operand {
        let to = Operand::Virtual(self.register(RegisterFile::Cm));
        let word = Operand::Virtual(self.word(word));
        match sums {
            Some(sums) => self.emit(Row::VectorProductAdd, &[to, sums, a, b, word]),
            None => self.emit(Row::VectorProduct, &[to, a, b, word]),
        };
        to
    }

    fn shuffle(&mut self, a: Operand, b: Operand, mode: u32) -> Operand {
        let to = Operand::Virtual(self.register(RegisterFile::X));
        let mode = Operand::Virtual(self.word(mode));
        self.emit(Row::VectorShuffle, &[to, a, b, mode]);
        to
    }

    /// The lower bits of an accumulator's lanes.
    fn of_sums(&mut self, row: Row, to: Operand, sums: Operand) {
        let zero = Operand::Virtual(self.word(0));
        let shift = Operand::Virtual(self.register(RegisterFile::S));
        self.copy(shift, zero);
        self.emit(row, &[to, sums, shift]);
    }

    /// The greater or lesser of two; AIE2 names the register of the mask, the others have a fixed one.
    fn choice(&mut self, row: Row, to: Operand, a: Operand, b: Operand) {
        if self.rows.operands(row) == 3 {
            self.emit(row, &[to, a, b]);
            return;
        }
        let wide = matches!(row, Row::VectorMax8 | Row::VectorMin8);
        let file = if wide {
            RegisterFile::L
        } else {
            RegisterFile::R
        };
        let mask = Operand::Virtual(self.register(file));
        self.emit(row, &[to, mask, a, b]);
    }

    /// The moves of vectors in registers; returns those of vectors in memory.
    pub(super) fn move_packed(&mut self, moves: &[(Vector, Vector)]) -> Vec<(Vector, Vector)> {
        let (packed, rest): (Vec<_>, Vec<_>) = moves
            .iter()
            .copied()
            .partition(|(to, _)| self.is_packed(*to));
        let mut copies = Vec::new();
        for (to, from) in &packed {
            let (Some(to), Some(from)) = (self.packed(*to), self.packed(*from)) else {
                continue;
            };
            copies.extend(to.registers.into_iter().zip(from.registers));
        }
        // Every source is read before a destination is written.
        let between: Vec<VirtualRegister> = copies
            .iter()
            .map(|(_, from)| {
                let written = copies.iter().any(|(to, _)| to == from);
                if !written {
                    return *from;
                }
                let kept = self.register(RegisterFile::X);
                self.copy(Operand::Virtual(kept), Operand::Virtual(*from));
                kept
            })
            .collect();
        for ((to, _), from) in copies.iter().zip(between) {
            self.copy(Operand::Virtual(*to), Operand::Virtual(from));
        }
        rest
    }
}
