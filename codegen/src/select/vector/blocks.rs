//! Products of matrices in blocks of 8 numbers that share an exponent: the only products of matrices of floats that the array of
//! AIE2P has. A factor is converted when it is loaded, so that all products that read it share the conversion. The array multiplies
//! rows by rows: the second factor is transposed on the way.

use aiec_core::RegisterFile;

use super::super::emit::Selector;
use super::super::rows::Row;
use super::arrays::ArrayProduct;
use super::format::{Form, LaneFormat, Packed, Side};
use super::shuffles::Shuffle;
use super::{AccessPieces, VECTOR_BYTES};
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::Value;

impl Selector<'_> {
    /// Loads the rows of the first factor as f32 on the way to blocks; `false` if the address has too little alignment, or it is
    /// the second one, which has to be transposed first.
    pub(super) fn load_blocks(&mut self, home: &Packed, address: Value, offset: i32) -> bool {
        let is_aligned = self.alignment.is_multiple(address, offset, VECTOR_BYTES);
        if home.form != Form::Blocks(Side::Left) || !is_aligned {
            return false;
        }
        for register in &home.registers {
            let floats = self.register(RegisterFile::Dm);
            let halves = [RegisterFile::Cml, RegisterFile::Cmh];
            let pieces = AccessPieces {
                row: Row::LoadWidenedWhole,
                bytes: VECTOR_BYTES,
                operands: halves.map(|half| Operand::Part(floats, half)).to_vec(),
                shift: None,
            };
            self.move_outside(&pieces, address, offset);
            let operands = [*register, floats].map(Operand::Virtual);
            self.emit(Row::FloatsToBlocks, &operands);
        }
        true
    }

    /// bf16 of a matrix of 8 by 8 in blocks.
    pub(super) fn blocks_of_lanes(&mut self, lanes: &Packed, side: Side) -> Packed {
        let result = self.fresh(Form::Blocks(side), lanes.lanes);
        for (register, halves) in result.registers.iter().zip(lanes.registers.chunks(2)) {
            let [low, high] = *halves else { continue };
            let rows = match side {
                Side::Left => [low, high],
                Side::Right => self.columns([low, high]),
            };
            let floats = self.widened_halves(rows);
            let operands = [*register, floats].map(Operand::Virtual);
            self.emit(Row::FloatsToBlocks, &operands);
        }
        result
    }

    fn widened_halves(&mut self, halves: [VirtualRegister; 2]) -> VirtualRegister {
        let floats = self.register(RegisterFile::Dm);
        let parts = [RegisterFile::Cml, RegisterFile::Cmh];
        for (part, half) in parts.into_iter().zip(halves) {
            let operands = [Operand::Part(floats, part), Operand::Virtual(half)];
            self.emit(Row::FloatWidenWhole, &operands);
        }
        floats
    }

    /// The columns of a matrix of 8 by 8 one after another.
    fn columns(&mut self, halves: [VirtualRegister; 2]) -> [VirtualRegister; 2] {
        [Shuffle::FirstColumns, Shuffle::LastColumns].map(|shuffle| {
            let columns = self.register(RegisterFile::X);
            self.shuffle_into(columns, halves, shuffle, LaneFormat::Bf16.bits());
            columns
        })
    }

    /// A product of matrices in blocks, added to sums if there are any.
    pub(super) fn multiply_blocks(
        &mut self,
        array: ArrayProduct,
        to: Vector,
        [left, right]: [Vector; 2],
        sums: Option<Vector>,
    ) {
        let left = self.vector_in(left, Form::Blocks(Side::Left));
        let right = self.vector_in(right, Form::Blocks(Side::Right));
        let form = Form::Sums(array.sums);
        let sums = sums.map(|sums| self.vector_in(sums, form));
        let word = self.word(array.word);
        let target = self.target(to, form);
        let (result, left, right) = (target.registers[0], left.registers[0], right.registers[0]);
        match sums {
            Some(sums) => {
                let operands = [result, sums.registers[0], left, right, word];
                self.emit(array.add, &operands.map(Operand::Virtual));
            }
            None => {
                let operands = [result, left, right, word].map(Operand::Virtual);
                self.emit(Row::BlockProduct, &operands);
            }
        }
        self.set(to, &target);
    }
}
