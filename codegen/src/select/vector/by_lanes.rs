//! Products of matrices of bf16 where the array has none: those of lanes, 4 rows and 8 columns at a time. Each column of the left
//! matrix has its elements in all lanes of their rows, each row of the right one is in all rows, and the products of both are added
//! to the sums one column after another, in the order in which the model adds them.

use aiec_core::{CoreIsa, Register, RegisterFile};

use super::super::emit::Selector;
use super::super::rows::Row;
use super::arrays::ArrayProduct;
use super::format::Packed;
use super::shuffles::Shuffle;
use crate::machine::{MachineOp, MachineOperand as Operand, VirtualRegister};

/// Columns of the left matrix, and elements of a row of the right one.
const INNER: u32 = 8;
/// Rows of the right matrix in a vector register.
const ROWS: u32 = 4;

impl Selector<'_> {
    /// Adds the products of two matrices to sums.
    pub(super) fn multiply_by_lanes(
        &mut self,
        array: ArrayProduct,
        target: &Packed,
        [left, right]: [&Packed; 2],
        sums: &Packed,
    ) {
        let word = self.word(array.word);
        // A column, which is there 8 times, becomes each of its elements 8 times.
        let mode = self.word(Shuffle::Rows.mode(self.program.arch, 16));
        let mode_register = Operand::Physical(Register::new(RegisterFile::R, 29));
        if !self.is_set(mode_register, mode) {
            self.copy(mode_register, Operand::Virtual(mode));
        }
        for (n, to) in target.registers.iter().enumerate() {
            let from = left.registers[n];
            let columns = self.register(RegisterFile::X);
            self.shuffle_into(columns, [from, from], Shuffle::Columns, 16);
            for inner in 0..INNER {
                let [column, row] = [(); 2].map(|()| self.register(RegisterFile::X));
                let at = self.word(inner);
                let operands = [column, columns, at].map(Operand::Virtual);
                self.emit(Row::VectorBroadcastShuffled64, &operands);
                let rows = Operand::Virtual(right.registers[(inner / ROWS) as usize]);
                let at = Operand::Immediate((inner % ROWS) as i32);
                self.emit(Row::VectorBroadcast128, &[Operand::Virtual(row), rows, at]);
                let sums = if inner == 0 { sums.registers[n] } else { *to };
                let operands = [*to, sums, column, row, word].map(Operand::Virtual);
                self.emit(array.add, &operands);
            }
        }
    }

    /// Whether a register was set to a value by a copy of the block, and nothing since then may have changed it.
    fn is_set(&mut self, register: Operand, value: VirtualRegister) -> bool {
        let isa = CoreIsa::of(self.program.arch);
        let set = [register, Operand::Virtual(value)];
        let mut insts = self.block_mut().insts.iter().rev();
        let last = insts.find(|inst| {
            let may_call = match inst.op {
                MachineOp::Row(row) => isa.instructions[usize::from(row)].delay_slots > 0,
                _ => false,
            };
            may_call || !inst.clobbers.is_empty() || inst.operands.contains(&register)
        });
        last.is_some_and(|inst| inst.op == MachineOp::Copy && inst.operands[..] == set)
    }
}
