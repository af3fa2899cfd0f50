//! Floats: bf16 in vector registers, f32 in accumulators, where instructions add them and products of bf16.
//!
//! The arithmetic is that of the vector unit (`llvm-aie: AIE2Schedule.td`; measured on NPU1): an operation on bf16 is computed in
//! f32 and rounded to the nearest, ties to even, as the model does; but results that would be subnormal are 0, a zero has no
//! sign, and a NaN has a payload of its own.

use aiec_core::{CONTROL_NAMES, CoreArch, Register, RegisterFile};
use aiec_vcode::{FloatFormat, Opcode};

use super::super::emit::Selector;
use super::super::rows::Row;
use super::format::{Form, LaneFormat, Packed, SPREAD_LANES, SumFormat};
use super::{AccessPieces, HALF_BYTES, VECTOR_BYTES};
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::{Action, Function, Value, VectorAction};

/// The number in `crRnd` for ties to even (`llvm-aie: aiev2_defines.h`, `rnd_conv_even`).
const ROUND_TO_EVEN: u32 = 12;

/// The configuration word for products lane by lane of bf16, and for sums of f32 (`llvm-aie: aie2p_vmult.h`).
pub(super) const BY_LANES: u32 = 0x3C;

/// Both formats of AIE2PS are bf16 (`cmode_sel_x`, `cmode_sel_y`).
const BF16_OPERANDS: u32 = 3 << 24;

/// 1 as bf16.
pub(super) const ONE: u32 = 0x3F80;

/// The sign of a bf16.
const SIGN: u32 = 0x8000;

/// An accumulator's part and the part of vector registers with the same lanes, which conversions move between.
struct FloatPiece {
    sums: Operand,
    lanes: Operand,
}

/// The number in `crSRSMode` for sums of 64 bits; 0 is for 32.
const SUMS_OF_64_BITS: u32 = 1;

/// Whether an operation needs the mode of rounding.
fn rounds(op: Opcode, number: u8) -> bool {
    match op {
        Opcode::NarrowF => number == FloatFormat::Bf16.code(),
        Opcode::FmaBf16 => true,
        _ => false,
    }
}

/// The vectors that are known to hold no NaN: one number in all lanes.
pub(super) fn constant_numbers(function: &Function) -> Vec<bool> {
    let constants = function.constants();
    let mut known = vec![true; function.vectors.len()];
    let mut is_set = vec![false; function.vectors.len()];
    for step in function.blocks.iter().flat_map(|block| &block.steps) {
        let is_number = match step.action {
            Action::Vector(VectorAction::Splat { .. }) => constants[step.args[0].index()]
                .is_some_and(|bits| !f32::from_bits(bits as u32).is_nan()),
            Action::Vector(VectorAction::Define(_)) => continue,
            _ => false,
        };
        step.vector_writes(|vector| {
            known[vector.0 as usize] &= is_number;
            is_set[vector.0 as usize] = true;
        });
    }
    known
        .iter()
        .zip(is_set)
        .map(|(known, set)| *known && set)
        .collect()
}

/// The halves of vector registers that hold the lanes of bf16.
fn float_halves(lanes: &Packed) -> Vec<Operand> {
    let half = |register: &VirtualRegister, file| Operand::Part(*register, file);
    let low = |register| half(register, RegisterFile::Wl);
    let registers = lanes.registers.iter();
    let halves: Vec<Operand> = match lanes.form {
        Form::Spread => registers.map(low).collect(),
        _ => registers
            .flat_map(|register| [low(register), half(register, RegisterFile::Wh)])
            .collect(),
    };
    let count = lanes.lanes.div_ceil(SPREAD_LANES) as usize;
    halves.into_iter().take(count).collect()
}

impl Selector<'_> {
    /// Sets the modes of conversions that the function needs: of rounding, which the core begins with at rounding down, if it rounds
    /// floats; of the sums that AIE2P makes vectors of, those of products.
    pub(in crate::select) fn set_modes(&mut self) {
        let maps = |needs: &dyn Fn(Opcode, u8) -> bool| {
            let mut steps = self.ssa.blocks.iter().flat_map(|block| &block.steps);
            steps.any(|step| match &step.action {
                Action::Vector(VectorAction::Map { op, to, number, .. }) => {
                    needs(*op, *number) && self.is_packed(*to)
                }
                _ => false,
            })
        };
        let multiplies = self.program.arch == CoreArch::Aie2p && maps(&|op, _| op == Opcode::Mul32);
        let mut steps = self.ssa.blocks.iter().flat_map(|block| &block.steps);
        let has_blocks = steps.any(|step| match &step.action {
            Action::Vector(VectorAction::Contract { product, to, .. }) => {
                product.in_blocks && self.is_packed(*to)
            }
            _ => false,
        });
        let modes = [
            (maps(&rounds) || has_blocks, "crRnd", ROUND_TO_EVEN),
            (multiplies, "crSRSMode", SUMS_OF_64_BITS),
        ];
        for (_, name, mode) in modes.into_iter().filter(|(is_needed, ..)| *is_needed) {
            let number = CONTROL_NAMES.iter().position(|known| *known == name);
            let register = Register::new(RegisterFile::Control, number.unwrap_or(0) as u8);
            let mode = self.word(mode);
            self.copy(Operand::Physical(register), Operand::Virtual(mode));
        }
    }

    fn floats(&self) -> SumFormat {
        SumFormat::floats(self.program.arch)
    }

    // ---- conversions ----

    /// The pieces of f32 and of the same lanes as bf16, and whether they are 32 lanes each, else 16.
    fn float_pieces(&self, sums: &Packed, lanes: &Packed) -> (bool, Vec<FloatPiece>) {
        let Form::Sums(format) = sums.form else {
            return (false, Vec::new());
        };
        let has_whole = self.rows.get(Row::FloatWidenWhole).is_some();
        if has_whole && sums.lanes.is_multiple_of(LaneFormat::Bf16.lanes()) {
            let pairs = sums.registers.iter().flat_map(|r| format.pairs(*r));
            let pieces = pairs.zip(&lanes.registers).map(|(sums, lanes)| FloatPiece {
                sums,
                lanes: Operand::Virtual(*lanes),
            });
            return (true, pieces.collect());
        }
        let parts = sums.registers.iter().flat_map(|r| format.parts(*r));
        let count = sums.lanes.div_ceil(SPREAD_LANES) as usize;
        let pieces = parts.take(count).zip(float_halves(lanes));
        let pieces = pieces.map(|(sums, lanes)| FloatPiece { sums, lanes });
        (false, pieces.collect())
    }

    /// bf16 as f32 in accumulators.
    pub(super) fn widened_floats(&mut self, lanes: &Packed, format: SumFormat) -> Packed {
        let sums = self.fresh(Form::Sums(format), lanes.lanes);
        self.hold_unused(&sums);
        let (is_whole, pieces) = self.float_pieces(&sums, lanes);
        let row = if is_whole {
            Row::FloatWidenWhole
        } else {
            Row::FloatWiden
        };
        for piece in pieces {
            self.emit(row, &[piece.sums, piece.lanes]);
        }
        sums
    }

    /// f32 in accumulators as the nearest bf16.
    pub(super) fn narrowed_floats(&mut self, sums: &Packed, form: Form) -> Packed {
        let lanes = self.fresh(form, sums.lanes);
        self.narrow_into(&lanes, sums);
        lanes
    }

    fn narrow_into(&mut self, lanes: &Packed, sums: &Packed) {
        self.hold_unused(lanes);
        self.clear_upper(lanes);
        let (is_whole, pieces) = self.float_pieces(sums, lanes);
        let row = if is_whole {
            Row::FloatNarrowWhole
        } else {
            Row::FloatNarrow
        };
        for piece in pieces {
            self.emit(row, &[piece.lanes, piece.sums]);
        }
    }

    /// bf16 from one form of vector registers in another.
    pub(super) fn rearranged_floats(&mut self, lanes: &Packed, form: Form) -> Packed {
        let result = self.fresh(form, lanes.lanes);
        self.hold_unused(&result);
        self.clear_upper(&result);
        for (to, from) in float_halves(&result).into_iter().zip(float_halves(lanes)) {
            self.copy(to, from);
        }
        result
    }

    /// Zeros in the upper halves of spread lanes, before the loop where nothing else writes them.
    fn clear_upper(&mut self, lanes: &Packed) {
        if lanes.form != Form::Spread {
            return;
        }
        let mut zero = None;
        for register in &lanes.registers {
            if self.clear_before_loop(*register) {
                continue;
            }
            let zero = match zero {
                Some(zero) => zero,
                None => *zero.insert(self.splat_register(LaneFormat::Bits32, 0)),
            };
            let to = Operand::Part(*register, RegisterFile::Wh);
            self.copy(to, Operand::Part(zero, RegisterFile::Wl));
        }
    }

    /// One bf16 in the lower halves of registers.
    pub(super) fn splat_spread(&mut self, to: &Packed, number: VirtualRegister) {
        let all = self.register(RegisterFile::X);
        self.emit(Row::VectorSplat16, &[all, number].map(Operand::Virtual));
        self.clear_upper(to);
        for register in &to.registers {
            let [to, from] = [*register, all].map(|of| Operand::Part(of, RegisterFile::Wl));
            self.copy(to, from);
        }
    }

    // ---- memory ----

    /// The accesses that convert between bf16 in memory and f32 in accumulators; `None` if the address has too little alignment.
    fn converting_pieces(
        &self,
        [half, whole]: [Row; 2],
        sums: &Packed,
        address: Value,
        offset: i32,
    ) -> Option<AccessPieces> {
        let Form::Sums(format) = sums.form else {
            return None;
        };
        let is_multiple = |bytes| self.alignment.is_multiple(address, offset, bytes);
        let is_whole = self.rows.get(whole).is_some()
            && sums.lanes.is_multiple_of(LaneFormat::Bf16.lanes())
            && is_multiple(VECTOR_BYTES);
        let registers = sums.registers.iter();
        if is_whole {
            return Some(AccessPieces {
                row: whole,
                bytes: VECTOR_BYTES,
                operands: registers.flat_map(|r| format.pairs(*r)).collect(),
                shift: None,
            });
        }
        let count = sums.lanes.div_ceil(SPREAD_LANES) as usize;
        let parts = registers.flat_map(|r| format.parts(*r)).take(count);
        let is_filled = sums.lanes.is_multiple_of(SPREAD_LANES);
        (is_filled && is_multiple(HALF_BYTES)).then(|| AccessPieces {
            row: half,
            bytes: HALF_BYTES,
            operands: parts.collect(),
            shift: None,
        })
    }

    /// Loads bf16 as f32 into accumulators; `false` if the address has too little alignment.
    pub(super) fn load_widened(&mut self, home: &Packed, address: Value, offset: i32) -> bool {
        let rows = [Row::LoadWidened, Row::LoadWidenedWhole];
        let Some(pieces) = self.converting_pieces(rows, home, address, offset) else {
            return false;
        };
        self.hold_unused(home);
        self.move_outside(&pieces, address, offset);
        true
    }

    /// Stores f32 of accumulators as bf16; `false` if the address has too little alignment.
    pub(super) fn store_narrowed(&mut self, home: &Packed, address: Value, offset: i32) -> bool {
        let rows = [Row::StoreNarrowed, Row::StoreNarrowedWhole];
        let Some(pieces) = self.converting_pieces(rows, home, address, offset) else {
            return false;
        };
        self.move_outside(&pieces, address, offset);
        true
    }

    /// Loads bf16 into the lower halves of registers; `false` if the address has too little alignment.
    pub(super) fn load_spread(&mut self, home: &Packed, address: Value, offset: i32) -> bool {
        let is_filled = home.lanes.is_multiple_of(SPREAD_LANES);
        if !is_filled || !self.alignment.is_multiple(address, offset, HALF_BYTES) {
            return false;
        }
        self.clear_upper(home);
        let pieces = AccessPieces {
            row: Row::LoadHalf,
            bytes: HALF_BYTES,
            operands: float_halves(home),
            shift: None,
        };
        self.move_outside(&pieces, address, offset);
        true
    }

    // ---- operations ----

    /// f32 to the nearest bf16.
    pub(super) fn narrow_floats(&mut self, to: Vector, from: Vector) {
        let sums = match self.packed(from) {
            // Nothing is to be rounded.
            Some(packed) if packed.form.as_lanes() == LaneFormat::Bf16 => {
                return self.set(to, &packed);
            }
            Some(Packed {
                form: Form::Sums(sums),
                ..
            }) if sums.bits == 32 => sums,
            _ => self.floats(),
        };
        let from = self.vector_in(from, Form::Sums(sums));
        let form = match self.packed(to).map(|packed| packed.form) {
            // Values that are only stored are rounded then.
            Some(Form::Sums(_)) => return self.set(to, &from),
            Some(Form::Spread) => Form::Spread,
            _ => Form::Lanes(LaneFormat::Bf16),
        };
        let target = self.target(to, form);
        self.narrow_into(&target, &from);
        self.set(to, &target);
    }

    /// Sums or differences of f32. What is in vector registers is added as its product with 1, which is exact: no
    /// conversion takes the port of accumulators then.
    pub(super) fn sum_floats(&mut self, row: Row, to: Vector, operands: &[Vector]) {
        let form = Form::Sums(self.floats());
        if let Some(factor) = self.factor_of_sum(row, operands) {
            let addends = self.vector_in(operands[1 - factor], form);
            let lanes = self.vector_in(operands[factor], self.factor_form());
            // Where lanes are spread, those of one factor between them are 0.
            let one = self.splat_register(LaneFormat::Bf16, ONE);
            let ones = Packed {
                registers: lanes.registers.iter().map(|_| one).collect(),
                ..lanes.clone()
            };
            let row = match row {
                Row::FloatSub => Row::FloatProductSub,
                _ => Row::FloatProductAdd,
            };
            let target = self.target(to, form);
            self.float_products(&target, [lanes, ones], Some((row, &addends)));
            return self.set(to, &target);
        }
        let [a, b] = [operands[0], operands[1]].map(|vector| self.vector_in(vector, form));
        let target = self.target(to, form);
        let word = self.word(match self.program.arch {
            CoreArch::Aie2 => 0,
            CoreArch::Aie2p | CoreArch::Aie2ps => BY_LANES,
        });
        for (n, register) in target.registers.iter().enumerate() {
            let operands = [*register, a.registers[n], b.registers[n], word];
            self.emit(row, &operands.map(Operand::Virtual));
        }
        self.set(to, &target);
    }

    /// The operand of a sum, or the one that is subtracted, that is in vector registers.
    fn factor_of_sum(&self, row: Row, operands: &[Vector]) -> Option<usize> {
        let is_in_lanes = |vector: Vector| {
            let form = self.packed(vector).map(|packed| packed.form);
            matches!(form, Some(Form::Spread | Form::Lanes(LaneFormat::Bf16)))
        };
        let places: &[usize] = if row == Row::FloatSub { &[1] } else { &[1, 0] };
        let found = places.iter().find(|place| is_in_lanes(operands[**place]));
        found.copied().filter(|_| operands[0] != operands[1])
    }

    /// The form of factors.
    fn factor_form(&self) -> Form {
        match self.program.arch {
            CoreArch::Aie2 => Form::Spread,
            CoreArch::Aie2p | CoreArch::Aie2ps => Form::Lanes(LaneFormat::Bf16),
        }
    }

    /// Two vectors as factors.
    fn factors(&mut self, [a, b]: [Vector; 2]) -> [Packed; 2] {
        let form = self.factor_form();
        let first = self.vector_in(a, form);
        let second = if a == b {
            first.clone()
        } else {
            self.vector_in(b, form)
        };
        [first, second]
    }

    /// Products of bf16 as f32, by a row added to f32 or subtracted from them if there are any.
    fn float_products(
        &mut self,
        target: &Packed,
        [a, b]: [Packed; 2],
        sums: Option<(Row, &Packed)>,
    ) {
        let word = self.word(match self.program.arch {
            CoreArch::Aie2 | CoreArch::Aie2p => BY_LANES,
            CoreArch::Aie2ps => BY_LANES | BF16_OPERANDS,
        });
        for (n, register) in target.registers.iter().enumerate() {
            let (a, b) = (a.registers[n], b.registers[n]);
            match sums {
                Some((row, sums)) => {
                    let operands = [*register, sums.registers[n], a, b, word];
                    self.emit(row, &operands.map(Operand::Virtual));
                }
                None => {
                    let operands = [*register, a, b, word].map(Operand::Virtual);
                    self.emit(Row::FloatProduct, &operands);
                }
            }
        }
    }

    pub(super) fn multiply_floats(&mut self, to: Vector, operands: &[Vector]) {
        let target = self.target(to, Form::Sums(self.floats()));
        let factors = self.factors([operands[0], operands[1]]);
        self.float_products(&target, factors, None);
        self.set(to, &target);
    }

    /// Products of bf16 and sums with a third one, rounded to bf16.
    pub(super) fn fuse_floats(&mut self, to: Vector, operands: &[Vector]) {
        let form = Form::Sums(self.floats());
        let addends = self.vector_in(operands[2], form);
        let lanes = u32::from(self.ssa.vectors[to.0 as usize]);
        let sums = self.fresh(form, lanes);
        let factors = self.factors([operands[0], operands[1]]);
        self.float_products(&sums, factors, Some((Row::FloatProductAdd, &addends)));
        match self.packed(to).map(|packed| packed.form) {
            Some(Form::Sums(_)) => self.set(to, &sums),
            Some(Form::Spread) => {
                let narrowed = self.narrowed_floats(&sums, Form::Spread);
                self.set(to, &narrowed);
            }
            _ => {
                let target = self.target(to, Form::Lanes(LaneFormat::Bf16));
                self.narrow_into(&target, &sums);
                self.set(to, &target);
            }
        }
    }

    /// The other sign: a sum with the lowest number, of which nothing but the sign is set.
    pub(super) fn negate_floats(&mut self, to: Vector, from: Vector) {
        let form = self.packed(to).map(|packed| packed.form);
        let (format, row, sign) = if form == Some(Form::Lanes(LaneFormat::F32)) {
            (LaneFormat::F32, Row::VectorAdd32, SIGN << 16)
        } else {
            (LaneFormat::Bf16, Row::VectorAdd16, SIGN)
        };
        let from = self.lanes_in(from, format);
        let signs = self.splat_register(format, sign);
        let target = self.target(to, Form::Lanes(format));
        for (to, from) in target.registers.iter().zip(&from.registers) {
            self.emit(row, &[*to, *from, signs].map(Operand::Virtual));
        }
        self.set(to, &target);
    }

    /// The greater or lesser of bf16. Instructions give the first operand if one is a NaN; `keeps_nan` says whether the result
    /// is the NaN then, else the number.
    pub(super) fn choose_floats(
        &mut self,
        (row, keeps_nan): (Row, bool),
        to: Vector,
        operands: &[Vector],
    ) {
        let is_number = |vector: Vector| self.constant_numbers[vector.0 as usize];
        let [mut first, mut second] = [operands[0], operands[1]];
        // The first is the one that the result is if either is a NaN.
        if is_number(first) == keeps_nan && is_number(second) != keeps_nan {
            (first, second) = (second, first);
        }
        let is_settled = if keeps_nan {
            is_number(second)
        } else {
            is_number(first)
        };
        let format = LaneFormat::Bf16;
        let [a, b] = [first, second].map(|vector| self.lanes_in(vector, format));
        let target = self.target(to, Form::Lanes(format));
        // In the order in which they are loaded: all write one register of masks on some architectures.
        for (n, to) in target.registers.iter().enumerate().rev() {
            let (a, b) = (a.registers[n], b.registers[n]);
            if is_settled {
                self.choice(row, *to, a, b);
                continue;
            }
            let chosen = self.register(RegisterFile::X);
            self.choice(row, chosen, a, b);
            // Lanes that are equal to themselves aren't NaNs.
            let of = if keeps_nan { b } else { a };
            let mask = self.register(RegisterFile::R);
            let operands = [mask, of, of].map(Operand::Virtual);
            self.emit(Row::VectorAtLeastBf16, &operands);
            let operands = [*to, b, chosen, mask].map(Operand::Virtual);
            self.emit(Row::VectorSelect16, &operands);
        }
        self.set(to, &target);
    }
}
