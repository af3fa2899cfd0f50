//! Products of matrices of bf16 where the array has none: those of lanes, 4 rows and 8 columns at a time. Each column of the left
//! matrix has its elements in all lanes of their rows, each row of the right one is in all rows, and the products of both are added
//! to the sums one column after another, in the order in which the model adds them.

use aiec_core::RegisterFile;

use super::super::emit::Selector;
use super::arrays::ArrayProduct;
use super::format::Packed;
use super::shuffles::Shuffle;
use crate::machine::{MachineOperand as Operand, VirtualRegister};

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
        let columns: Vec<VirtualRegister> = left
            .registers
            .iter()
            .map(|rows| self.doubled(*rows, Shuffle::Columns, 16))
            .collect();
        let mut parts = vec![[None; 2]; columns.len()];
        let mut twice = None;
        for inner in 0..INNER {
            // Rows of the right matrix: two of them twice, then one four times.
            let rows = right.registers[(inner / ROWS) as usize];
            if inner % 2 == 0 {
                twice = Some(self.doubled(rows, half(inner / 2), 128));
            }
            let row = self.doubled(twice.unwrap_or(rows), half(inner), 256);
            for (n, part) in parts.iter_mut().enumerate() {
                // Elements of columns: those of four twice, of two four times, then of one.
                if inner % 4 == 0 {
                    part[0] = Some(self.doubled(columns[n], half(inner / 4), 16));
                }
                if inner % 2 == 0 {
                    part[1] = Some(self.doubled(part[0].unwrap_or(rows), half(inner / 2), 32));
                }
                let column = self.doubled(part[1].unwrap_or(rows), half(inner), 64);
                let to = target.registers[n];
                let from = if inner == 0 { sums.registers[n] } else { to };
                let operands = [to, from, column, row, word].map(Operand::Virtual);
                self.emit(array.add, &operands);
            }
        }
    }

    /// Elements of a vector shuffled with themselves.
    fn doubled(&mut self, from: VirtualRegister, shuffle: Shuffle, bits: u32) -> VirtualRegister {
        let to = self.register(RegisterFile::X);
        self.shuffle_into(to, [from, from], shuffle, bits);
        to
    }
}

/// The half in which the elements with a number are.
fn half(number: u32) -> Shuffle {
    if number % 2 == 0 {
        Shuffle::LowInTurn
    } else {
        Shuffle::HighInTurn
    }
}
