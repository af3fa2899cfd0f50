//! Conversions of sums by the accesses of memory themselves: AIE2 loads lanes of 32 bits as sums of 64, and stores these, and
//! products of 16 bits, as their lower halves (`llvm-aie: AIE2GenInstrInfo.td`, `VLDA_UPS`, `VST_SRS`).

use aiec_core::RegisterFile;
use aiec_vcode::{MemoryType, Opcode};

use super::super::emit::Selector;
use super::super::rows::Row;
use super::arrays::LaneProducts;
use super::format::{Form, LaneFormat, Packed, SumFormat};
use super::{AccessPieces, HALF_BYTES};
use crate::mir::Vector;
use crate::ssa::{Action, Value, VectorAction};

/// A vector of products that nothing but stores read.
#[derive(Clone, Debug, Default)]
pub(in crate::select) struct StoredProduct {
    /// Its sums, once they are computed.
    sums: Option<Packed>,
}

impl Selector<'_> {
    /// The products of 16 bits, as they are or extended, that are read by stores only, in the block in which they are computed, at
    /// addresses that stores of sums can have.
    pub(super) fn find_stored_products(&self) -> Vec<Option<StoredProduct>> {
        let count = self.ssa.vectors.len();
        if self.rows.get(Row::StoreOfSums16).is_none() {
            return vec![None; count];
        }
        let mut writes = vec![0_u32; count];
        let mut computed: Vec<Option<(usize, Opcode)>> = vec![None; count];
        let blocks = self.ssa.blocks.iter().enumerate();
        let steps = blocks.flat_map(|(block, data)| data.steps.iter().map(move |s| (block, s)));
        for (block, step) in steps.clone() {
            match &step.action {
                Action::Vector(VectorAction::Define(_)) => continue,
                Action::Vector(VectorAction::Map { op, to, number, .. }) => {
                    let keeps_lanes = *op == Opcode::Sext && *number >= 16;
                    if keeps_lanes || *op == Opcode::Mul32 {
                        computed[to.0 as usize] = Some((block, *op));
                    }
                }
                _ => {}
            }
            step.vector_writes(|vector| writes[vector.0 as usize] += 1);
        }
        let mut is_stored: Vec<bool> = computed
            .iter()
            .zip(&writes)
            .map(|(computed, writes)| computed.is_some() && *writes == 1)
            .collect();
        // Extensions come after what they extend.
        for (block, step) in steps.collect::<Vec<_>>().into_iter().rev() {
            let is_right = match &step.action {
                Action::Vector(VectorAction::Store { kind, offset, .. }) => {
                    *kind == MemoryType::I16
                        && self
                            .alignment
                            .is_multiple(step.args[0], *offset, HALF_BYTES)
                }
                Action::Vector(VectorAction::Map { op, to, .. }) => {
                    *op == Opcode::Sext && is_stored[to.0 as usize]
                }
                _ => false,
            };
            step.vector_reads(|vector| {
                let at = vector.0 as usize;
                is_stored[at] &= is_right && computed[at].is_some_and(|(of, _)| of == block);
            });
        }
        let products = computed.iter().zip(is_stored);
        let found = products.map(|(computed, is_stored)| {
            let is_product = computed.is_some_and(|(_, op)| op == Opcode::Mul32);
            (is_stored && is_product).then(StoredProduct::default)
        });
        found.collect()
    }

    /// Lets stores of extended products convert these; `false` if the vector is none.
    pub(super) fn extend_product(&mut self, to: Vector, from: Vector) -> bool {
        let known = self.stored_products[from.0 as usize].clone();
        let Some(product) = known.filter(|product| product.sums.is_some()) else {
            return false;
        };
        self.stored_products[to.0 as usize] = Some(product);
        true
    }

    /// Computes products whose stores convert them; `false` if others need them.
    pub(super) fn keep_products(&mut self, to: Vector, operands: &[Packed]) -> bool {
        let [a, b] = operands else {
            return false;
        };
        let lanes = Form::Lanes(LaneFormat::Bits16);
        let is_whole = a.lanes.is_multiple_of(LaneFormat::Bits16.lanes() / 2);
        let is_known = self.stored_products[to.0 as usize].is_some();
        if !is_known || !is_whole || a.form != lanes || b.form != lanes {
            return false;
        }
        let word = LaneProducts::of(self.program.arch).word16;
        let pairs: Vec<_> = a
            .registers
            .iter()
            .copied()
            .zip(b.registers.iter().copied())
            .collect();
        let mut registers: Vec<_> = pairs
            .into_iter()
            .rev()
            .map(|(a, b)| self.products(None, a, b, word))
            .collect();
        registers.reverse();
        let sums = Packed {
            form: Form::Sums(SumFormat::whole(32, RegisterFile::Cm, false)),
            lanes: a.lanes,
            registers: registers.into_iter().collect(),
        };
        self.stored_products[to.0 as usize] = Some(StoredProduct { sums: Some(sums) });
        true
    }

    /// The halves of accumulators that accesses convert, with lanes of some bytes each in memory.
    fn converted(&mut self, row: Row, packed: &Packed, bytes: u32) -> Option<AccessPieces> {
        let Form::Sums(sums) = packed.form else {
            return None;
        };
        let registers = packed.registers.iter();
        let parts = registers.flat_map(|register| sums.parts(*register));
        let count = packed.lanes * bytes / HALF_BYTES;
        Some(AccessPieces {
            row,
            bytes: HALF_BYTES,
            operands: parts.take(count as usize).collect(),
            shift: Some(self.no_shift()),
        })
    }

    /// Whether sums of 64 bits are lanes of 32 bits in memory that accesses convert.
    fn are_wide(&self, packed: &Packed, format: LaneFormat, row: Row) -> bool {
        let is_wide = matches!(packed.form, Form::Sums(sums) if sums.bits == 64);
        let is_filled = packed.lanes.is_multiple_of(8 * HALF_BYTES / 32);
        is_wide && is_filled && format == LaneFormat::Bits32 && self.rows.get(row).is_some()
    }

    /// Loads lanes as sums of twice their bits; `false` if they are of other forms, or have too little alignment.
    pub(super) fn load_sums(
        &mut self,
        home: &Packed,
        format: LaneFormat,
        address: Value,
        offset: i32,
    ) -> bool {
        let row = Row::LoadSumsOf32;
        let is_aligned = self.alignment.is_multiple(address, offset, HALF_BYTES);
        if !is_aligned || !self.are_wide(home, format, row) {
            return false;
        }
        let Some(pieces) = self.converted(row, home, 4) else {
            return false;
        };
        self.hold_unused(home);
        self.move_outside(&pieces, address, offset);
        true
    }

    /// Stores sums as lanes of half their bits; `false` if they are of other forms, or have too little alignment.
    pub(super) fn store_sums(
        &mut self,
        from: Vector,
        format: LaneFormat,
        address: Value,
        offset: i32,
    ) -> bool {
        let product = self.stored_products[from.0 as usize].clone();
        let pieces = match (product.and_then(|product| product.sums), self.packed(from)) {
            (Some(sums), _) => self.converted(Row::StoreOfSums16, &sums, 2),
            (None, Some(home)) if self.are_wide(&home, format, Row::StoreOfSums32) => {
                let is_aligned = self.alignment.is_multiple(address, offset, HALF_BYTES);
                if is_aligned {
                    self.converted(Row::StoreOfSums32, &home, 4)
                } else {
                    None
                }
            }
            _ => None,
        };
        match pieces {
            Some(pieces) => {
                self.move_outside(&pieces, address, offset);
                true
            }
            None => false,
        }
    }
}
