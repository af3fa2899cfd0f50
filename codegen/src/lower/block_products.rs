//! Products of matrices of bf16 whose factors are rounded to block floating point first, where the design permits that: blocks of 8
//! numbers of 8 bits, with a sign, that share the exponent of the greatest one. Rows of the first factor and columns of the second
//! one are blocks. It is the only product of matrices of floats that the array of AIE2P has; others are as they would be without the
//! permission.
//!
//! Here are the operations for the model and for vectors in memory: numbers are rounded and multiplied as f64, in which all of
//! that is exact, and each sum of 8 products is rounded to f32 and added to the sums before it.

use aiec_aie::ir::Op;
use aiec_aie::ops::{BFP16_PRODUCTS, OpKind};
use aiec_device::Arch;
use aiec_vcode::{FloatFormat, Opcode};

use super::Lowered;
use super::contraction::{Products, places};
use super::function::Function;
use super::value::Val;

/// The exponent of an f32 in its bits, and what brings it to its place in those of an f64.
const EXPONENT: u64 = 0xFF << 23;
const TO_F64: u8 = 52 - 23;

/// The exponent of an f64 in its bits: that of 2^n.
const fn power_of_two(n: i64) -> u64 {
    ((1023 + n) as u64) << 52
}

/// Bits of an f64 with exponent 0, to which the block's exponent e (of 2^(e - 127)) is added: 1.5 · 2^52 times the last place of its
/// numbers, 2^(e - 133). A number plus that is rounded to this place, ties to even.
const ROUNDING: u64 = power_of_two(52 - 133) | 1 << 51;

/// The same for the greatest number, 127 last places.
const GREATEST: u64 = power_of_two(6 - 133) | 0x3F << 46;

impl Function<'_, '_, '_> {
    /// Whether the design permits that an operation rounds its factors to blocks, and its core does so.
    pub(super) fn permits_blocks(&self, op: Op) -> bool {
        let module = self.low.module;
        let has = |op: Op| module.attr(op, BFP16_PRODUCTS).is_some();
        let around = std::iter::successors(Some(op), |op| module.parent_op(*op));
        let mut holders = around.filter(|around| {
            *around == op || matches!(module.kind(*around), OpKind::FuncFunc | OpKind::Core)
        });
        self.low.model.arch() == Arch::Aie2p && (holders.any(has) || has(self.low.core))
    }

    /// Sums and the products of factors in blocks.
    pub(super) fn products_in_blocks(&mut self, products: &Products) -> Lowered<Val> {
        let start = vec![0; products.sizes.len()];
        let outer = places(&products.sizes, &products.kept, &start);
        let steps = places(&products.sizes, &products.reduced, &start);
        let lanes = outer.len() as u16;
        let [left, right] = [&products.left, &products.right].map(|factor| {
            let factors = steps.iter().map(|step| {
                let here: Vec<Vec<u64>> = outer
                    .iter()
                    .map(|place| place.iter().zip(step).map(|(a, b)| a + b).collect())
                    .collect();
                self.at_places(factor, &here)
            });
            factors.map(Val::Vector).collect::<Vec<Val>>()
        });
        let (left, right) = (
            self.in_blocks(lanes, &left)?,
            self.in_blocks(lanes, &right)?,
        );
        let all = Some(lanes);
        let mut product: Option<Val> = None;
        for (left, right) in left.iter().zip(&right) {
            let one = self.binary(all, Opcode::MulD, left, right)?;
            product = Some(match product {
                Some(sum) => self.binary(all, Opcode::AddD, &sum, &one)?,
                None => one,
            });
        }
        let sums = Val::Vector(products.sums);
        let Some(product) = product else {
            return Ok(sums);
        };
        let product = self.unary(all, Opcode::NarrowD, &product, FloatFormat::F32.code())?;
        self.binary(all, products.combine, &sums, &product)
    }

    /// The numbers of blocks, one number of each block in each vector, as f64 rounded to their blocks. Subnormal numbers are 0.
    fn in_blocks(&mut self, lanes: u16, numbers: &[Val]) -> Lowered<Vec<Val>> {
        let all = Some(lanes);
        let zero = self.splat(&Val::Const(0), lanes)?;
        let mask = self.splat(&Val::Const(EXPONENT), lanes)?;
        let mut exponents = Vec::new();
        for number in numbers {
            exponents.push(self.binary(all, Opcode::And, number, &mask)?);
        }
        let mut greatest = zero.clone();
        for exponent in &exponents {
            greatest = self.binary(all, Opcode::Maxu, &greatest, exponent)?;
        }
        let exponent = self.unary(all, Opcode::Shli64, &greatest, TO_F64)?;
        let mut with_exponent = |bits: u64| {
            let bits = self.splat(&Val::Const(bits), lanes)?;
            self.binary(all, Opcode::Add64, &exponent, &bits)
        };
        let (rounding, greatest) = (with_exponent(ROUNDING)?, with_exponent(GREATEST)?);
        let mut rounded = Vec::new();
        for (number, exponent) in numbers.iter().zip(&exponents) {
            let number = self.pure(all, Opcode::Select, &[exponent, number, &zero], 0, None)?;
            let number = self.unary(all, Opcode::Widen, &number, 0)?;
            let number = self.binary(all, Opcode::AddD, &number, &rounding)?;
            let number = self.binary(all, Opcode::SubD, &number, &rounding)?;
            rounded.push(self.binary(all, Opcode::MinD, &number, &greatest)?);
        }
        Ok(rounded)
    }
}
