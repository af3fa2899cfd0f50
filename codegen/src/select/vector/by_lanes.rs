//! Products of matrices of bf16 where the array has none: those of lanes, 4 rows and 8 columns at a time. Each column of the left
//! matrix has its elements in all lanes of their rows, each row of the right one is in all rows, and the products of both are added
//! to the sums one column after another, in the order in which the model adds them. Products that follow each other share these lanes
//! where they have factors in common.

use aiec_core::{CoreIsa, Register, RegisterFile};

use super::super::emit::Selector;
use super::super::rows::Row;
use super::arrays::ArrayProduct;
use super::format::{Form, Packed};
use super::shuffles::Shuffle;
use crate::machine::{MachineOp, MachineOperand as Operand, VirtualRegister};
use crate::mir::{MatrixProduct, Vector};
use crate::ssa::{Action, Step, VectorAction};

/// Columns of the left matrix, and elements of a row of the right one.
const INNER: u32 = 8;
/// Rows of the right matrix in a vector register.
const ROWS: u32 = 4;

/// Products that are computed at the same time at most: their sums take as many accumulators.
const MAX_AT_ONCE: usize = 4;

/// A product of matrices whose operands are in registers.
struct LaneProduct {
    to: Vector,
    target: Packed,
    left: Packed,
    right: Packed,
    sums: Packed,
}

/// The product of a step, its result and the vectors that it reads.
fn contraction(step: &Step) -> Option<(&MatrixProduct, Vector, [Vector; 3])> {
    match &step.action {
        Action::Vector(VectorAction::Contract {
            product,
            to,
            left,
            right,
            sums: Some(sums),
        }) => Some((product, *to, [*left, *right, *sums])),
        _ => None,
    }
}

impl Selector<'_> {
    /// Products lane by lane of the first steps at the same time, so that they share lanes of their factors; returns how many steps
    /// these are.
    pub(in crate::select) fn multiply_at_once(&mut self, steps: &[Step]) -> usize {
        let Some((product, ..)) = steps.first().and_then(contraction) else {
            return 0;
        };
        let Some(array) = ArrayProduct::of(self.program.arch, product).filter(|it| it.is_by_lanes)
        else {
            return 0;
        };
        let (mut written, mut read) = (Vec::new(), Vec::new());
        let alike = steps.iter().take(MAX_AT_ONCE).take_while(|step| {
            let Some((other, to, from)) = contraction(step) else {
                return false;
            };
            // None computes what another one reads, or is computed where that is.
            let is_apart = !from.iter().any(|vector| written.contains(vector));
            let is_first = !written.contains(&to) && !read.contains(&to);
            written.push(to);
            read.extend(from);
            other == product && is_apart && is_first
        });
        let alike: Vec<&Step> = alike.collect();
        let form = Form::Sums(array.sums);
        let products = alike.iter().filter_map(|step| {
            let (_, to, [left, right, sums]) = contraction(step)?;
            Some(LaneProduct {
                to,
                left: self.lanes_in(left, array.left),
                right: self.lanes_in(right, array.right),
                sums: self.vector_in(sums, form),
                target: self.target(to, form),
            })
        });
        let products: Vec<LaneProduct> = products.collect();
        self.multiply_by_lanes(array, &products);
        for product in &products {
            self.set(product.to, &product.target);
        }
        alike.len()
    }

    /// Adds the products of matrices to sums.
    fn multiply_by_lanes(&mut self, array: ArrayProduct, products: &[LaneProduct]) {
        let word = self.word(array.word);
        // A column, which is there 8 times, becomes each of its elements 8 times.
        let mode = self.word(Shuffle::Rows.mode(self.program.arch, 16));
        let mode_register = Operand::Physical(Register::new(RegisterFile::R, 29));
        if !self.is_set(mode_register, mode) {
            self.copy(mode_register, Operand::Virtual(mode));
        }
        // Left matrices of four rows, with their columns one after another.
        let mut columns: Vec<(VirtualRegister, VirtualRegister)> = Vec::new();
        for from in products.iter().flat_map(|product| &product.left.registers) {
            if columns.iter().all(|(known, _)| known != from) {
                let shuffled = self.register(RegisterFile::X);
                self.shuffle_into(shuffled, [*from, *from], Shuffle::Columns, 16);
                columns.push((*from, shuffled));
            }
        }
        for inner in 0..INNER {
            let at = self.word(inner);
            let spread: Vec<(VirtualRegister, VirtualRegister)> = columns
                .iter()
                .map(|(from, columns)| {
                    let column = self.register(RegisterFile::X);
                    let operands = [column, *columns, at].map(Operand::Virtual);
                    self.emit(Row::VectorBroadcastShuffled64, &operands);
                    (*from, column)
                })
                .collect();
            let mut rows: Vec<(VirtualRegister, VirtualRegister)> = Vec::new();
            for product in products {
                let from = product.right.registers[(inner / ROWS) as usize];
                let known = rows.iter().find(|(known, _)| *known == from);
                let row = known.map(|(_, row)| *row).unwrap_or_else(|| {
                    let row = self.register(RegisterFile::X);
                    let at = Operand::Immediate((inner % ROWS) as i32);
                    let [to, of] = [row, from].map(Operand::Virtual);
                    self.emit(Row::VectorBroadcast128, &[to, of, at]);
                    rows.push((from, row));
                    row
                });
                for (n, to) in product.target.registers.iter().enumerate() {
                    let left = product.left.registers[n];
                    let column = spread.iter().find(|(from, _)| *from == left);
                    let Some((_, column)) = column else { continue };
                    let sums = if inner == 0 {
                        product.sums.registers[n]
                    } else {
                        *to
                    };
                    let operands = [*to, sums, *column, row, word].map(Operand::Virtual);
                    self.emit(array.add, &operands);
                }
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
