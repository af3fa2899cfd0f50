//! Operations in each lane of vectors in registers.

use aiec_core::RegisterFile;
use aiec_vcode::{FloatFormat, Opcode};

use super::super::emit::Selector;
use super::super::rows::{Row, Rows};
use super::arrays::{LaneProducts, SHIFTED_16, SIGNED_FIRST, SIGNED_SECOND};
use super::format::{Form, LaneFormat, Packed, SumFormat};
use super::shuffles::Shuffle;
use super::{MAX_32, MIN_32};
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;

/// Rows that do the same in lanes of 8, 16 and 32 bits.
type ByWidth = [Row; 3];

/// An operation in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// The lanes as they are.
    Same,
    /// The lowest bits with their sign.
    SignExtend,
    /// The lowest bits, zeros above.
    ZeroExtend,
    Rows(ByWidth),
    /// One that also gives a mask of its choices.
    Choice(ByWidth),
    /// Bits of one operand only.
    Xor,
    /// Products, of which the lower bits count.
    Product,
    /// f32 to the nearest bf16.
    Narrow,
    /// A sum or a difference of floats.
    FloatSum(Row),
    FloatProduct,
    /// A product of bf16 and a sum, rounded once.
    FloatFused,
    FloatNegate,
    /// The greater or lesser of bf16, and whether a NaN is chosen before a number.
    FloatChoice(Row, bool),
}

/// The part of the operands' lanes that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// As many lower bits as are asked of the result.
    LowBits,
    /// As many lower bits as the operation's number says.
    LowestBits,
    /// A word, whatever it means.
    Words,
    /// All of them.
    Numbers,
}

/// The operation of an opcode; `None` if registers have none.
pub(super) fn operation(op: Opcode) -> Option<Operation> {
    use Operation::{Choice, Narrow, Product, Rows, Same, SignExtend, ZeroExtend};
    use Operation::{FloatChoice, FloatFused, FloatNegate, FloatSum};
    use Row::*;
    Some(match op {
        Opcode::Mov => Same,
        Opcode::Sext => SignExtend,
        Opcode::Zext => ZeroExtend,
        Opcode::Add32 => Rows([VectorAdd8, VectorAdd16, VectorAdd32]),
        Opcode::Sub32 => Rows([VectorSub8, VectorSub16, VectorSub32]),
        Opcode::And => Rows([VectorAnd; 3]),
        Opcode::Or => Rows([VectorOr; 3]),
        Opcode::Xor => Operation::Xor,
        Opcode::Mul32 => Product,
        Opcode::Maxs => Choice(MAX_32),
        Opcode::Mins => Choice(MIN_32),
        Opcode::NarrowF => Narrow,
        Opcode::AddF => FloatSum(FloatAdd),
        Opcode::SubF => FloatSum(FloatSub),
        Opcode::MulF => Operation::FloatProduct,
        Opcode::FmaBf16 => FloatFused,
        Opcode::NegF => FloatNegate,
        Opcode::MaxF => FloatChoice(VectorMaxBf16, true),
        Opcode::MinF => FloatChoice(VectorMinBf16, true),
        Opcode::MaxNumF => FloatChoice(VectorMaxBf16, false),
        Opcode::MinNumF => FloatChoice(VectorMinBf16, false),
        _ => return None,
    })
}

impl Operation {
    pub(super) fn operands(self) -> Operands {
        match self {
            Operation::SignExtend | Operation::ZeroExtend => Operands::LowestBits,
            Operation::Choice(_) => Operands::Numbers,
            Operation::Narrow => Operands::Words,
            _ if self.is_float() => Operands::Words,
            _ => Operands::LowBits,
        }
    }

    /// Whether it computes floats.
    pub(super) fn is_float(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Narrow | FloatSum(_) | FloatProduct | FloatFused | FloatNegate | FloatChoice(..)
        )
    }

    /// Whether there are instructions for the operation with this number.
    pub(super) fn takes(self, number: u8) -> bool {
        match self {
            Operation::SignExtend => matches!(number, 8 | 16 | 32),
            Operation::ZeroExtend => (1..32).contains(&number),
            // Ties to even.
            Operation::Narrow => number == FloatFormat::Bf16.code(),
            _ => true,
        }
    }

    /// Whether an architecture has the instructions.
    pub(super) fn exists(self, rows: &Rows) -> bool {
        self != Operation::Product || rows.get(Row::VectorProduct).is_some()
    }
}

impl Selector<'_> {
    /// An operation on vectors of which the result is in registers.
    pub(super) fn map_packed(
        &mut self,
        operation: Operation,
        to: Vector,
        operands: &[Vector],
        number: u8,
    ) {
        let Some(home) = self.packed(to) else {
            return;
        };
        let mut format = home.form.as_lanes();
        match operation {
            Operation::Same => {
                let from = self.vector_in(operands[0], home.form);
                return self.set(to, &from);
            }
            Operation::SignExtend if self.extend_product(to, operands[0]) => return,
            Operation::SignExtend => {
                let narrow = LaneFormat::of_bits(number).unwrap_or(format);
                let from = if narrow.bits() < format.bits() {
                    self.lanes_in(operands[0], narrow)
                } else {
                    self.lanes_in(operands[0], format)
                };
                return self.set(to, &from);
            }
            Operation::Narrow => return self.narrow_floats(to, operands[0]),
            Operation::FloatSum(row) => return self.sum_floats(row, to, operands),
            Operation::FloatProduct => return self.multiply_floats(to, operands),
            Operation::FloatFused => return self.fuse_floats(to, operands),
            Operation::FloatNegate => return self.negate_floats(to, operands[0]),
            Operation::FloatChoice(row, keeps_nan) => {
                return self.choose_floats((row, keeps_nan), to, operands);
            }
            Operation::Choice(_) => {
                // The widest of them all holds each of them.
                for vector in operands {
                    let one = match self.packed(*vector) {
                        Some(packed) => Some(packed.form.as_lanes()),
                        None => LaneFormat::of_range(self.widths.lanes[vector.0 as usize]),
                    };
                    format = one
                        .filter(|one| one.bits() > format.bits())
                        .unwrap_or(format);
                }
            }
            _ => {}
        }
        let operands: Vec<Packed> = operands
            .iter()
            .map(|vector| self.lanes_in(*vector, format))
            .collect();
        if operation == Operation::Product && self.keep_products(to, &operands) {
            return;
        }
        let target = self.target(to, Form::Lanes(format));
        // In the order in which they are loaded: results that all of them write, as masks, keep that order.
        for n in (0..target.registers.len()).rev() {
            let operand = |at: usize| operands.get(at).map(|packed| packed.registers[n]);
            let Some(a) = operand(0) else {
                continue;
            };
            self.map_register(
                (operation, number, format),
                target.registers[n],
                a,
                operand(1).unwrap_or(a),
            );
        }
        self.set(to, &target);
    }

    fn map_register(
        &mut self,
        (operation, number, format): (Operation, u8, LaneFormat),
        to: VirtualRegister,
        a: VirtualRegister,
        b: VirtualRegister,
    ) {
        let all = [to, a, b].map(Operand::Virtual);
        match operation {
            Operation::Same | Operation::SignExtend => self.copy(all[0], all[1]),
            Operation::ZeroExtend if u32::from(number) >= format.bits() => {
                self.copy(all[0], all[1]);
            }
            Operation::ZeroExtend => {
                let mask = self.splat_register(format, (1 << number) - 1);
                self.emit(Row::VectorAnd, &[all[0], all[1], Operand::Virtual(mask)]);
            }
            Operation::Rows(rows) => {
                self.emit(format.of_rows(rows), &all);
            }
            Operation::Choice(rows) => self.choice(format.of_rows(rows), to, a, b),
            Operation::Product => match format.bits() {
                8 => self.product8(to, a, b),
                16 => self.product16(to, a, b),
                _ => self.product32(to, a, b),
            },
            // The bits of either without those of both: no lane borrows.
            Operation::Xor => {
                let either = Operand::Virtual(self.register(RegisterFile::X));
                let both = Operand::Virtual(self.register(RegisterFile::X));
                self.emit(Row::VectorOr, &[either, all[1], all[2]]);
                self.emit(Row::VectorAnd, &[both, all[1], all[2]]);
                self.emit(Row::VectorSub32, &[all[0], either, both]);
            }
            // Floats have been computed whole.
            _ => {}
        }
    }

    /// The greater or lesser of two; AIE2 names the register of the mask, the others have a fixed one.
    pub(super) fn choice(
        &mut self,
        row: Row,
        to: VirtualRegister,
        a: VirtualRegister,
        b: VirtualRegister,
    ) {
        let [to, a, b] = [to, a, b].map(Operand::Virtual);
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

    // ---- products ----

    /// Products of 8 bits: those of lanes of 16 bits.
    fn product8(&mut self, to: VirtualRegister, a: VirtualRegister, b: VirtualRegister) {
        let narrow = |register: VirtualRegister| Packed {
            form: Form::Lanes(LaneFormat::Bits8),
            lanes: LaneFormat::Bits8.lanes(),
            registers: [register].into_iter().collect(),
        };
        let wide = Form::Lanes(LaneFormat::Bits16);
        let [a, b] = [a, b].map(|register| self.in_form(&narrow(register), wide));
        let products = self.fresh(wide, a.lanes);
        for n in 0..products.registers.len() {
            self.product16(products.registers[n], a.registers[n], b.registers[n]);
        }
        let result = self.in_form(&products, Form::Lanes(LaneFormat::Bits8));
        self.copy(Operand::Virtual(to), Operand::Virtual(result.registers[0]));
    }

    /// Products of 16 bits: 32 of them in lanes of 32 bits.
    fn product16(&mut self, to: VirtualRegister, a: VirtualRegister, b: VirtualRegister) {
        let products = LaneProducts::of(self.program.arch);
        let sums = self.products(None, a, b, products.word16);
        if self.rows.get(Row::VectorOfSums16).is_some() {
            return self.of_sums(Row::VectorOfSums16, to, Operand::Virtual(sums));
        }
        let sums = Packed {
            form: Form::Sums(SumFormat::whole(products.bits16, products.file, false)),
            lanes: LaneFormat::Bits16.lanes(),
            registers: [sums].into_iter().collect(),
        };
        let result = self.in_form(&sums, Form::Lanes(LaneFormat::Bits16));
        self.copy(Operand::Virtual(to), Operand::Virtual(result.registers[0]));
    }

    /// The lower 32 bits of products of 32 bits, from those of halves: (a_high * b_low + a_low * b_high) * 2^16 + a_low * b_low
    /// in lanes of 64 bits. Halves come out of shuffles with zeros, which the second product of each lane of AIE2 takes.
    fn product32(&mut self, to: VirtualRegister, a: VirtualRegister, b: VirtualRegister) {
        let zeros = self.splat_register(LaneFormat::Bits32, 0);
        let [a_low, b_low] = [a, b].map(|vector| self.shuffled(vector, zeros, Shuffle::Even));
        let [a_high, b_high] = [a, b].map(|vector| self.shuffled(vector, zeros, Shuffle::Odd));
        let products = LaneProducts::of(self.program.arch);
        let word = products.word32;
        let sums = self.products(None, a_high, b_low, word | SIGNED_FIRST);
        let sums = self.products(Some(sums), a_low, b_high, word | SIGNED_SECOND);
        let sums = self.products(Some(sums), a_low, b_low, word | SHIFTED_16);
        if self.rows.get(Row::VectorOfSums32).is_some() {
            let sums = match products.file {
                RegisterFile::Cm => Operand::Virtual(sums),
                _ => Operand::Part(sums, RegisterFile::Cml),
            };
            return self.of_sums(Row::VectorOfSums32, to, sums);
        }
        let sums = Packed {
            form: Form::Sums(SumFormat::whole(64, products.file, false)),
            lanes: LaneFormat::Bits32.lanes(),
            registers: [sums].into_iter().collect(),
        };
        let result = self.in_form(&sums, Form::Lanes(LaneFormat::Bits32));
        self.copy(Operand::Virtual(to), Operand::Virtual(result.registers[0]));
    }

    /// The lower bits of an accumulator's lanes by one instruction.
    fn of_sums(&mut self, row: Row, to: VirtualRegister, sums: Operand) {
        let shift = self.no_shift();
        self.emit(row, &[Operand::Virtual(to), sums, Operand::Virtual(shift)]);
    }

    /// Products by a configuration word, added to an accumulator if there is one.
    pub(super) fn products(
        &mut self,
        sums: Option<VirtualRegister>,
        a: VirtualRegister,
        b: VirtualRegister,
        word: u32,
    ) -> VirtualRegister {
        let to = self.register(LaneProducts::of(self.program.arch).file);
        let word = self.word(word);
        let operands = [Some(to), sums, Some(a), Some(b), Some(word)];
        let operands: Vec<Operand> = operands
            .into_iter()
            .flatten()
            .map(Operand::Virtual)
            .collect();
        let row = match sums {
            Some(_) => Row::VectorProductAdd,
            None => Row::VectorProduct,
        };
        self.emit(row, &operands);
        to
    }

    /// Elements of 16 bits of two vectors.
    fn shuffled(
        &mut self,
        a: VirtualRegister,
        b: VirtualRegister,
        shuffle: Shuffle,
    ) -> VirtualRegister {
        let to = self.register(RegisterFile::X);
        self.shuffle_into(to, [a, b], shuffle, 16);
        to
    }
}
