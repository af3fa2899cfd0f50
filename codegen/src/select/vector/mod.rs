//! Vectors in registers, for those of which every step has an instruction ([`plan()`]): lanes in vector registers, or sums and
//! f32 in accumulators. All others are in memory ([`super::lanes`]); steps between both go by way of the frame.
//!
//! An operation takes its operands in the form that it needs, which may be another one than that of the vector (`convert`).

use aiec_core::{CoreArch, RegisterFile};
use aiec_vcode::MemoryType;
use smallvec::SmallVec;

pub(super) use self::alignment::Alignment;
pub(super) use self::arrays::{ArrayProduct, product_shapes};
pub(super) use self::format::Packed;
use self::format::{Form, LaneFormat, REGISTER_BITS};
use self::maps::operation;
pub(super) use self::plan::plan;
pub(super) use self::stored_sums::StoredProduct;
use super::emit::Selector;
use super::memory::AccessPlace;
use super::rows::Row;
use crate::machine::{MachineOp, MachineOperand as Operand, VirtualRegister};
use crate::mir::{MatrixProduct, Vector};
use crate::ssa::{Step, Value, VectorAction};

mod alignment;
mod arrays;
mod blocks;
mod by_lanes;
mod convert;
mod floats;
mod format;
mod maps;
mod plan;
mod shared;
mod shuffles;
mod stored_sums;

/// Bytes of a vector register, and of half of one.
const VECTOR_BYTES: u32 = REGISTER_BITS / 8;
const HALF_BYTES: u32 = VECTOR_BYTES / 2;

/// The unit of the upper half of a vector register.
const UPPER_HALF: u32 = 0b10;

/// The greater and the lesser of signed lanes.
const MAX_32: [Row; 3] = [Row::VectorMax8, Row::VectorMax16, Row::VectorMax32];
const MIN_32: [Row; 3] = [Row::VectorMin8, Row::VectorMin16, Row::VectorMin32];

/// Operands of loads or stores of a row, one after another in memory.
struct AccessPieces {
    row: Row,
    /// Bytes of each.
    bytes: u32,
    operands: Vec<Operand>,
    /// The register of bits to shift by, where the accesses convert to or from sums.
    shift: Option<VirtualRegister>,
}

/// Rows that move vector registers, halves of them, and parts of accumulators.
struct MoveRows {
    whole: Row,
    half: Row,
    sums: Row,
}

const LOADS: MoveRows = MoveRows {
    whole: Row::LoadWhole,
    half: Row::LoadHalf,
    sums: Row::LoadSums,
};

const STORES: MoveRows = MoveRows {
    whole: Row::StoreWhole,
    half: Row::StoreHalf,
    sums: Row::StoreSums,
};

impl Selector<'_> {
    /// Gives vectors their registers.
    pub(super) fn place_packed(&mut self) {
        self.alignment = Alignment::of(self.ssa, self.memory.argument_zeros());
        self.constant_numbers = floats::constant_numbers(self.ssa);
        self.stored_products = self.find_stored_products();
        let rows = (self.rows, self.program.arch);
        let forms = plan(self.ssa, &self.widths, &self.alignment, rows);
        for (number, form) in forms.into_iter().enumerate() {
            let lanes = u32::from(self.ssa.vectors[number]);
            let packed = form.map(|form| self.fresh(form, lanes));
            self.packed.push(packed);
        }
        let rounded = shared::rounded(self.ssa);
        for (to, from) in rounded.into_iter().chain(shared::moves(self.ssa)) {
            let home = self.packed(to);
            if let (Some(home), Some(other)) = (home, self.packed(from))
                && home.form == other.form
            {
                self.packed[from.0 as usize] = Some(home);
            }
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
            Load {
                to, kind, offset, ..
            } => {
                let format = LaneFormat::of(*kind);
                let (true, Some(format)) = (self.is_packed(*to), format) else {
                    return false;
                };
                self.load_packed(*to, format, step.args[0], *offset);
            }
            Store {
                from, kind, offset, ..
            } => {
                let format = LaneFormat::of(*kind);
                let (true, Some(format)) = (self.is_packed(*from), format) else {
                    return false;
                };
                self.store_packed(*from, format, step.args[0], *offset);
            }
            Map {
                op,
                to,
                operands,
                number,
                ..
            } => {
                let (true, Some(operation)) = (self.is_packed(*to), operation(*op)) else {
                    return false;
                };
                if !operation.takes(*number) || !operation.exists(self.rows) {
                    return false;
                }
                self.map_packed(operation, *to, operands, *number);
            }
            Splat { to, .. } => {
                let Some(home) = self.packed(*to) else {
                    return false;
                };
                self.splat_packed(*to, &home, step.args[0]);
            }
            Contract {
                product,
                to,
                left,
                right,
                sums,
            } => self.contract(product, *to, [*left, *right], *sums),
            Window { to, from, lane } => self.window(*to, *from, *lane),
            _ => return false,
        }
        true
    }

    fn splat_packed(&mut self, to: Vector, home: &Packed, value: Value) {
        let format = home.form.as_lanes();
        let low = match self.constant_of(value) {
            Some(bits) if format == LaneFormat::Bf16 => self.word(bits as u32 >> 16),
            _ => {
                let number = self.number(value);
                let low = self.low(number);
                if format == LaneFormat::Bf16 {
                    self.shift_right(low, 16, false)
                } else {
                    low
                }
            }
        };
        let rows = [Row::VectorSplat8, Row::VectorSplat16, Row::VectorSplat32];
        let row = format.of_rows(rows);
        if let Form::Sums(sums) = home.form {
            let lanes = self.register(RegisterFile::X);
            self.emit(row, &[lanes, low].map(Operand::Virtual));
            self.hold_unused(home);
            for register in &home.registers {
                // The upper halves of wide lanes don't count.
                for part in sums.parts(*register) {
                    self.copy(part, Operand::Virtual(lanes));
                }
            }
            return;
        }
        let form = match home.form {
            Form::Blocks(_) => Form::Lanes(LaneFormat::Bf16),
            form => form,
        };
        let target = self.target(to, form);
        if form == Form::Spread {
            return self.splat_spread(&target, low);
        }
        for register in &target.registers {
            self.emit(row, &[*register, low].map(Operand::Virtual));
        }
        self.set(to, &target);
    }

    // ---- memory ----

    fn load_packed(&mut self, to: Vector, format: LaneFormat, address: Value, offset: i32) {
        let Some(home) = self.packed(to) else {
            return;
        };
        let is_loaded = format == LaneFormat::Bf16
            && match home.form {
                Form::Sums(sums) if sums.is_float => self.load_widened(&home, address, offset),
                Form::Spread => self.load_spread(&home, address, offset),
                Form::Blocks(_) => self.load_blocks(&home, address, offset),
                _ => false,
            };
        if is_loaded {
            return;
        }
        if self.load_sums(&home, format, address, offset) {
            return;
        }
        // Accumulators are loaded as they are where they have the same lanes.
        let form = match home.form {
            Form::Sums(sums) if sums.bits == 32 && sums.as_lanes() == format => home.form,
            _ => Form::Lanes(format),
        };
        let target = self.target(to, form);
        self.hold_unused(&target);
        match self.pieces(&LOADS, &target, address, offset) {
            Some(pieces) => self.move_outside(&pieces, address, offset),
            None if form == Form::Lanes(format) => {
                return self.load_unaligned(to, format, address, offset);
            }
            None => {
                let lanes = self.fresh(Form::Lanes(format), home.lanes);
                self.hold_unused(&lanes);
                let Some(pieces) = self.pieces(&LOADS, &lanes, address, offset) else {
                    return self.load_unaligned(to, format, address, offset);
                };
                self.move_outside(&pieces, address, offset);
                return self.set(to, &lanes);
            }
        }
        self.set(to, &target);
    }

    /// Says that the parts of registers that hold no lanes have nothing from before: instructions read them all the same.
    fn hold_unused(&mut self, packed: &Packed) {
        let unit = match (packed.form, self.program.arch) {
            (Form::Sums(_), CoreArch::Aie2p | CoreArch::Aie2ps) => REGISTER_BITS,
            _ => REGISTER_BITS / 2,
        };
        for (register, units) in packed.unused_units(unit) {
            self.hold(register, units);
        }
    }

    fn hold(&mut self, register: VirtualRegister, units: u32) {
        let operands = [Operand::Virtual(register), Operand::Immediate(units as i32)];
        let inst = self.inst(MachineOp::Hold, operands.into_iter().collect());
        self.push(inst);
    }

    fn load_unaligned(&mut self, to: Vector, format: LaneFormat, address: Value, offset: i32) {
        let source = self.walking_pointer(address, offset.into());
        let lanes = u32::from(self.ssa.vectors[to.0 as usize]);
        let loaded = self.load_elements(format, lanes, source);
        self.set(to, &loaded);
    }

    fn store_packed(&mut self, from: Vector, format: LaneFormat, address: Value, offset: i32) {
        if self.store_sums(from, format, address, offset) {
            return;
        }
        if let Some(home) = self.packed(from)
            && let Form::Sums(sums) = home.form
            && sums.bits == 32
            && sums.as_lanes() == format
            && let Some(pieces) = self.pieces(&STORES, &home, address, offset)
        {
            return self.move_outside(&pieces, address, offset);
        }
        if let Some(home) = self.packed(from)
            && let Form::Sums(sums) = home.form
            && sums.is_float
            && format == LaneFormat::Bf16
            && self.store_narrowed(&home, address, offset)
        {
            return;
        }
        let lanes = self.lanes_in(from, format);
        match self.pieces(&STORES, &lanes, address, offset) {
            Some(pieces) => self.move_outside(&pieces, address, offset),
            None => {
                let target = self.walking_pointer(address, offset.into());
                self.store_elements(&lanes, target);
            }
        }
    }

    /// The accesses that move a vector from or to an address; `None` if that has too little alignment, or the vector no whole piece.
    fn pieces(
        &self,
        rows: &MoveRows,
        vector: &Packed,
        address: Value,
        offset: i32,
    ) -> Option<AccessPieces> {
        let is_multiple = |bytes: u32| {
            vector.bytes().is_multiple_of(bytes)
                && self.alignment.is_multiple(address, offset, bytes)
        };
        let registers = vector.registers.iter();
        if let Form::Sums(sums) = vector.form {
            let (bytes, mut operands): (u32, Vec<Operand>) = match self.program.arch {
                CoreArch::Aie2 => (
                    HALF_BYTES,
                    registers.flat_map(|r| sums.quarters(*r)).collect(),
                ),
                CoreArch::Aie2p | CoreArch::Aie2ps => (
                    VECTOR_BYTES,
                    registers.flat_map(|r| sums.parts(*r)).collect(),
                ),
            };
            operands.truncate((vector.bytes() / bytes) as usize);
            return is_multiple(bytes).then_some(AccessPieces {
                row: rows.sums,
                bytes,
                operands,
                shift: None,
            });
        }
        if self.rows.get(rows.whole).is_some() && is_multiple(VECTOR_BYTES) {
            return Some(AccessPieces {
                row: rows.whole,
                bytes: VECTOR_BYTES,
                operands: registers.map(|r| Operand::Virtual(*r)).collect(),
                shift: None,
            });
        }
        is_multiple(HALF_BYTES).then(|| self.halves_of(vector, rows.half))
    }

    /// The halves of vector registers that hold lanes.
    fn halves_of(&self, vector: &Packed, row: Row) -> AccessPieces {
        let halves = |register: &VirtualRegister| {
            [RegisterFile::Wl, RegisterFile::Wh].map(|half| Operand::Part(*register, half))
        };
        let count = vector.bytes().div_ceil(HALF_BYTES) as usize;
        AccessPieces {
            row,
            bytes: HALF_BYTES,
            operands: vector
                .registers
                .iter()
                .flat_map(halves)
                .take(count)
                .collect(),
            shift: None,
        }
    }

    /// Moves pieces from or to memory outside of the frame.
    fn move_outside(&mut self, pieces: &AccessPieces, address: Value, offset: i32) {
        let first = offset;
        let count = pieces.operands.len() as i64;
        let last = i64::from(offset) + (count - 1) * i64::from(pieces.bytes);
        let mut ends = [offset.into(), last].into_iter();
        let place = if pieces.shift.is_some() { 3 } else { 2 };
        let (pointer, offset) = if ends.all(|byte| self.rows.fits(pieces.row, place, byte)) {
            (self.pointer(address), offset)
        } else {
            (self.walking_pointer(address, offset.into()), 0)
        };
        let bytes = pieces.operands.len() as u32 * pieces.bytes;
        let place = self.memory.place(address, i64::from(first), bytes);
        self.move_pieces(pieces, pointer, offset, place);
    }

    /// Moves pieces from or to memory at a pointer plus an offset.
    fn move_pieces(
        &mut self,
        pieces: &AccessPieces,
        pointer: VirtualRegister,
        offset: i32,
        place: AccessPlace,
    ) {
        // The first piece comes last: where the pointer walks, it moves it.
        for (n, piece) in pieces.operands.iter().enumerate().rev() {
            let at = n as u32 * pieces.bytes;
            let access = place.part(at.into(), pieces.bytes);
            let at = Operand::Immediate(offset + at as i32);
            let pointer = Operand::Virtual(pointer);
            match pieces.shift.map(Operand::Virtual) {
                Some(shift) => {
                    self.emit_access(pieces.row, &[*piece, shift, pointer, at], access);
                }
                None => self.emit_access(pieces.row, &[*piece, pointer, at], access),
            };
        }
    }

    /// A pointer to a lane of a copy in the frame of a vector that is in registers.
    pub(super) fn packed_lane(&mut self, vector: Vector, lane: u16) -> Option<VirtualRegister> {
        let packed = self.packed(vector)?;
        let (_, pointer) = self.in_frame(&packed, lane.into());
        Some(pointer)
    }

    /// Type of the lanes in that copy.
    pub(super) fn packed_kind(&self, vector: Vector) -> Option<MemoryType> {
        Some(self.packed(vector)?.form.as_lanes().kind())
    }

    // ---- products of matrices ----

    fn contract(
        &mut self,
        product: &MatrixProduct,
        to: Vector,
        factors: [Vector; 2],
        sums: Option<Vector>,
    ) {
        let Some(array) = ArrayProduct::of(self.program.arch, product) else {
            return self.lacks("the array multiplies no matrices of these sizes".to_owned());
        };
        if array.in_blocks {
            return self.multiply_blocks(array, to, factors, sums);
        }
        let [left, right] = factors;
        let left = self.lanes_in(left, array.left);
        let right = self.lanes_in(right, array.right);
        let form = Form::Sums(array.sums);
        let sums = sums.map(|sums| self.vector_in(sums, form));
        let right = match right.registers[..] {
            [low, high] => {
                let pair = self.register(RegisterFile::Y);
                for (n, half) in [low, high].into_iter().enumerate() {
                    let part = Operand::Nth(pair, RegisterFile::X, n as u8);
                    self.copy(part, Operand::Virtual(half));
                }
                pair
            }
            _ => right.registers[0],
        };
        let word = self.word(array.word);
        let target = self.target(to, form);
        let rows = u32::from(array.rows);
        let tile = rows * u32::from(product.inner) * array.left.bits() / 8;
        for (n, register) in target.registers.iter().enumerate() {
            let left = self.bytes_from(&left, n as u32 * tile);
            let sums = sums.as_ref().map(|sums| sums.registers[n]);
            let operands = [Some(*register), sums, Some(left), Some(right), Some(word)];
            let operands: SmallVec<[Operand; 5]> = operands
                .into_iter()
                .flatten()
                .map(Operand::Virtual)
                .collect();
            let row = sums.map_or(Row::VectorProduct, |_| array.add);
            self.emit(row, &operands);
        }
        self.set(to, &target);
    }

    /// The lanes of two vectors one after the other from a lane on.
    fn window(&mut self, to: Vector, from: [Vector; 2], lane: u16) {
        let [Some(home), Some(low), Some(high)] = [to, from[0], from[1]].map(|it| self.packed(it))
        else {
            return;
        };
        let target = self.target(to, home.form);
        let bytes = u32::from(lane) * home.form.as_lanes().bits() / 8;
        let bytes = self.word(bytes);
        let operands = [
            target.registers[0],
            low.registers[0],
            high.registers[0],
            bytes,
        ];
        self.emit(Row::VectorShift, &operands.map(Operand::Virtual));
        self.set(to, &target);
    }

    /// A register with the bytes of a vector from one on.
    fn bytes_from(&mut self, vector: &Packed, byte: u32) -> VirtualRegister {
        let register = vector.registers[(byte / VECTOR_BYTES) as usize];
        let within = byte % VECTOR_BYTES;
        if within == 0 {
            return register;
        }
        let moved = self.register(RegisterFile::X);
        if within == HALF_BYTES {
            let (to, from) = (RegisterFile::Wl, RegisterFile::Wh);
            self.hold(moved, UPPER_HALF);
            self.copy(Operand::Part(moved, to), Operand::Part(register, from));
            return moved;
        }
        let bytes = self.word(within);
        let operands = [moved, register, register, bytes];
        self.emit(Row::VectorShift, &operands.map(Operand::Virtual));
        moved
    }

    // ---- moves ----

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
            let pairs = to.registers.into_iter().zip(from.registers);
            copies.extend(pairs.filter(|(to, from)| to != from));
        }
        // Every source is read before a destination is written.
        let between: Vec<VirtualRegister> = copies
            .iter()
            .map(|(_, from)| {
                let written = copies.iter().any(|(to, _)| to == from);
                if !written {
                    return *from;
                }
                let file = self.out.registers[from.0 as usize];
                let kept = self.register(file);
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
