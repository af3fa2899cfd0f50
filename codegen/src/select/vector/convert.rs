//! Vectors from one form into another: wider and narrower lanes, accumulators, lanes in the frame.

use aiec_core::RegisterFile;
use aiec_vcode::MemoryType;

use super::super::emit::Selector;
use super::super::memory::{AccessPlace, load_rows, store_rows};
use super::super::rows::Row;
use super::format::{Form, LaneFormat, Packed, SumFormat};
use super::shuffles::Shuffle;
use super::{MAX_32, MIN_32, VECTOR_BYTES};
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;

impl Selector<'_> {
    /// New registers for a vector in a form.
    pub(super) fn fresh(&mut self, form: Form, lanes: u32) -> Packed {
        let (count, file) = form.registers(lanes);
        let registers = (0..count).map(|_| self.register(file)).collect();
        Packed {
            form,
            lanes,
            registers,
        }
    }

    /// The registers that an operation in a form writes: those of the vector if they have the form.
    pub(super) fn target(&mut self, to: Vector, form: Form) -> Packed {
        match self.packed(to) {
            Some(packed) if packed.form == form => packed,
            _ => {
                let lanes = u32::from(self.ssa.vectors[to.0 as usize]);
                self.fresh(form, lanes)
            }
        }
    }

    /// Sets a vector to the contents of registers, unless these are its own.
    pub(super) fn set(&mut self, to: Vector, from: &Packed) {
        let Some(home) = self.packed(to) else {
            self.scatter(to, from);
            return;
        };
        if home.registers == from.registers {
            return;
        }
        let from = self.in_form(from, home.form);
        for (to, from) in home.registers.iter().zip(&from.registers) {
            self.copy(Operand::Virtual(*to), Operand::Virtual(*from));
        }
    }

    /// A vector in a form.
    pub(super) fn vector_in(&mut self, vector: Vector, form: Form) -> Packed {
        match self.packed(vector) {
            Some(packed) => self.in_form(&packed, form),
            None => {
                let gathered = self.gather(vector, form.as_lanes());
                self.in_form(&gathered, form)
            }
        }
    }

    /// A vector in vector registers.
    pub(super) fn lanes_in(&mut self, vector: Vector, format: LaneFormat) -> Packed {
        self.vector_in(vector, Form::Lanes(format))
    }

    pub(super) fn in_form(&mut self, packed: &Packed, form: Form) -> Packed {
        use LaneFormat::Bf16;
        match (packed.form, form) {
            (from, to) if from == to => return packed.clone(),
            (Form::Sums(sums), Form::Lanes(Bf16) | Form::Spread) if sums.is_float => {
                return self.narrowed_floats(packed, form);
            }
            (Form::Lanes(Bf16) | Form::Spread, Form::Sums(sums)) if sums.is_float => {
                return self.widened_floats(packed, sums);
            }
            (Form::Spread, Form::Lanes(Bf16)) | (Form::Lanes(Bf16), Form::Spread) => {
                return self.rearranged_floats(packed, form);
            }
            _ => {}
        }
        let lanes = match packed.form {
            Form::Lanes(_) => packed.clone(),
            Form::Blocks(_) => {
                self.lacks("numbers that share exponents are read as single ones".to_owned());
                return self.fresh(form, packed.lanes);
            }
            // On the way to blocks.
            Form::Sums(sums) if sums.is_float && form.as_lanes() == Bf16 => {
                self.narrowed_floats(packed, Form::Lanes(Bf16))
            }
            Form::Sums(format) => self.lanes_of_sums(packed, format),
            Form::Spread => self.rearranged_floats(packed, Form::Lanes(Bf16)),
        };
        match form {
            Form::Lanes(format) => self.in_format(lanes, format),
            Form::Blocks(side) => {
                let lanes = self.in_format(lanes, Bf16);
                self.blocks_of_lanes(&lanes, side)
            }
            Form::Spread => {
                let lanes = self.in_format(lanes, Bf16);
                self.rearranged_floats(&lanes, form)
            }
            Form::Sums(format) => {
                let lanes = self.in_format(lanes, format.as_lanes());
                self.sums_of_lanes(&lanes, format)
            }
        }
    }

    fn in_format(&mut self, packed: Packed, to: LaneFormat) -> Packed {
        use LaneFormat::*;
        let Form::Lanes(from) = packed.form else {
            return packed;
        };
        let next = match (from, to) {
            _ if from == to => return packed,
            // The bits are equal.
            (Bits32, F32) | (F32, Bits32) => {
                return Packed {
                    form: Form::Lanes(to),
                    ..packed
                };
            }
            (Bits32, Bits8 | Bits16) => self.narrowed(&packed, Bits16),
            (Bits16, Bits8) => self.narrowed(&packed, Bits8),
            (Bits8, _) => self.widened(&packed, Bits16),
            (Bits16, _) => self.widened(&packed, Bits32),
            (Bf16, _) => self.widened(&packed, F32),
            (F32, Bf16) => self.upper_halves(&packed),
            (F32 | Bits32, _) => Packed {
                form: Form::Lanes(if from == F32 { Bits32 } else { F32 }),
                ..packed
            },
        };
        self.in_format(next, to)
    }

    /// The lower halves of lanes.
    fn narrowed(&mut self, packed: &Packed, to: LaneFormat) -> Packed {
        self.every_other(packed, to, Shuffle::Even)
    }

    /// The upper halves of f32 whose lower halves are 0.
    fn upper_halves(&mut self, packed: &Packed) -> Packed {
        self.every_other(packed, LaneFormat::Bf16, Shuffle::Odd)
    }

    fn every_other(&mut self, packed: &Packed, to: LaneFormat, shuffle: Shuffle) -> Packed {
        let result = self.fresh(Form::Lanes(to), packed.lanes);
        for (n, register) in result.registers.iter().enumerate() {
            let first = packed.registers[2 * n];
            let second = packed.registers.get(2 * n + 1).copied().unwrap_or(first);
            self.shuffle_into(*register, [first, second], shuffle, to.bits());
        }
        result
    }

    /// Lanes of twice the width: those of integers with their signs above, those of bf16 with zeros below.
    fn widened(&mut self, packed: &Packed, to: LaneFormat) -> Packed {
        let result = self.fresh(Form::Lanes(to), packed.lanes);
        let half = packed.form.as_lanes();
        let mut sources = Vec::new();
        for register in &packed.registers {
            sources.push(if half == LaneFormat::Bf16 {
                (self.splat_register(LaneFormat::Bits32, 0), *register)
            } else {
                (*register, self.signs(*register, half))
            });
        }
        for (n, register) in result.registers.iter().enumerate() {
            let (low, high) = sources[n / 2];
            let shuffle = if n % 2 == 0 {
                Shuffle::LowInTurn
            } else {
                Shuffle::HighInTurn
            };
            self.shuffle_into(*register, [low, high], shuffle, half.bits());
        }
        result
    }

    /// -1 in the lanes that are negative, 0 in the others.
    fn signs(&mut self, register: VirtualRegister, format: LaneFormat) -> VirtualRegister {
        let (zeros, ones) = (
            self.splat_register(format, 0),
            self.splat_register(format, u32::MAX),
        );
        let raised = self.register(RegisterFile::X);
        let signs = self.register(RegisterFile::X);
        self.choice(format.of_rows(MAX_32), raised, register, ones);
        self.choice(format.of_rows(MIN_32), signs, raised, zeros);
        signs
    }

    /// A vector register of which each lane is a number.
    pub(super) fn splat_register(&mut self, format: LaneFormat, bits: u32) -> VirtualRegister {
        let to = self.register(RegisterFile::X);
        let number = self.word(bits);
        let rows = [Row::VectorSplat8, Row::VectorSplat16, Row::VectorSplat32];
        let operands = [Operand::Virtual(to), Operand::Virtual(number)];
        self.emit(format.of_rows(rows), &operands);
        to
    }

    pub(super) fn shuffle_into(
        &mut self,
        to: VirtualRegister,
        [a, b]: [VirtualRegister; 2],
        shuffle: Shuffle,
        bits: u32,
    ) {
        let mode = self.word(shuffle.mode(self.program.arch, bits));
        self.emit(Row::VectorShuffle, &[to, a, b, mode].map(Operand::Virtual));
    }

    // ---- accumulators ----

    fn lanes_of_sums(&mut self, packed: &Packed, format: SumFormat) -> Packed {
        let result = self.fresh(Form::Lanes(format.as_lanes()), packed.lanes);
        let registers = packed.registers.iter();
        let parts: Vec<Operand> = registers.flat_map(|r| format.parts(*r)).collect();
        if format.bits == 32 {
            for (to, part) in result.registers.iter().zip(parts) {
                self.copy(Operand::Virtual(*to), part);
            }
            return result;
        }
        for (to, pair) in result.registers.iter().zip(parts.chunks(2)) {
            let halves: Vec<VirtualRegister> = pair
                .iter()
                .map(|part| {
                    let half = self.register(RegisterFile::X);
                    self.copy(Operand::Virtual(half), *part);
                    half
                })
                .collect();
            let (first, last) = (halves[0], halves[halves.len() - 1]);
            self.shuffle_into(*to, [first, last], Shuffle::Even, 32);
        }
        result
    }

    fn sums_of_lanes(&mut self, lanes: &Packed, format: SumFormat) -> Packed {
        let result = self.fresh(Form::Sums(format), lanes.lanes);
        self.hold_unused(&result);
        let registers = result.registers.iter();
        let parts: Vec<Operand> = registers.flat_map(|r| format.parts(*r)).collect();
        if format.bits == 32 {
            for (part, from) in parts.into_iter().zip(&lanes.registers) {
                self.copy(part, Operand::Virtual(*from));
            }
            return result;
        }
        for (pair, from) in parts.chunks(2).zip(&lanes.registers) {
            // Each lane twice: the upper half doesn't count.
            for (part, shuffle) in pair.iter().zip([Shuffle::LowInTurn, Shuffle::HighInTurn]) {
                let wide = self.register(RegisterFile::X);
                self.shuffle_into(wide, [*from, *from], shuffle, 32);
                self.copy(*part, Operand::Virtual(wide));
            }
        }
        result
    }

    // ---- lanes in memory ----

    /// The lanes of a vector of the frame in registers.
    fn gather(&mut self, vector: Vector, format: LaneFormat) -> Packed {
        let lanes = u32::from(self.ssa.vectors[vector.0 as usize]);
        let source = self.lane_pointer(vector, 0);
        self.gathered(format, lanes, |selector, target| {
            let number = selector.next_lane(vector, source);
            selector.store_element(format.kind(), target, number);
        })
    }

    /// Elements at a pointer, which has no alignment, in registers.
    pub(super) fn load_elements(
        &mut self,
        format: LaneFormat,
        lanes: u32,
        source: VirtualRegister,
    ) -> Packed {
        let kind = format.kind();
        self.gathered(format, lanes, |selector, target| {
            selector.copy_element(kind, source, target);
        })
    }

    fn copy_element(&mut self, kind: MemoryType, from: VirtualRegister, to: VirtualRegister) {
        let bits = self.general();
        let bytes = kind.bytes();
        self.walk(load_rows(kind), bytes, bits, from, None);
        self.walk(store_rows(kind), bytes, bits, to, None);
    }

    /// A vector that something writes into the frame lane by lane.
    fn gathered(
        &mut self,
        format: LaneFormat,
        lanes: u32,
        mut each: impl FnMut(&mut Self, VirtualRegister),
    ) -> Packed {
        let result = self.fresh(Form::Lanes(format), lanes);
        let slot = self
            .out
            .slot(result.bytes().next_multiple_of(VECTOR_BYTES), VECTOR_BYTES);
        let target = self.frame_address(slot, 0);
        self.repeat(lanes, 1, |selector, _| each(selector, target));
        let pointer = self.frame_address(slot, 0);
        self.hold_unused(&result);
        let pieces = self.halves_of(&result, Row::LoadHalf);
        self.move_pieces(&pieces, pointer, 0, AccessPlace::frame(slot));
        result
    }

    /// A copy in the frame of a vector in registers: the format of its lanes and a pointer to one of them.
    pub(super) fn in_frame(&mut self, packed: &Packed, lane: u32) -> (LaneFormat, VirtualRegister) {
        let format = packed.form.as_lanes();
        let packed = self.in_form(packed, Form::Lanes(format));
        let bytes = packed.bytes().next_multiple_of(VECTOR_BYTES);
        let slot = self.out.slot(bytes, VECTOR_BYTES);
        let pointer = self.frame_address(slot, 0);
        let pieces = self.halves_of(&packed, Row::StoreHalf);
        self.move_pieces(&pieces, pointer, 0, AccessPlace::frame(slot));
        let offset = lane * format.bits() / 8;
        (format, self.frame_address(slot, offset as i32))
    }

    /// Sets a vector of the frame to the contents of registers.
    fn scatter(&mut self, to: Vector, from: &Packed) {
        let (format, source) = self.in_frame(from, 0);
        let target = self.lane_pointer(to, 0);
        self.repeat(from.lanes, 1, |selector, _| {
            let number = selector.next_element(format.kind(), source);
            selector.set_next_lane(to, target, number);
        });
    }

    /// Stores lanes to a pointer without alignment.
    pub(super) fn store_elements(&mut self, packed: &Packed, target: VirtualRegister) {
        let (format, source) = self.in_frame(packed, 0);
        self.repeat(packed.lanes, 1, |selector, _| {
            selector.copy_element(format.kind(), source, target);
        });
    }
}
