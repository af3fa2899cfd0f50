//! Block floating point: blocks of 8 or 16 signed numbers of 8 bits that share an exponent of 8 bits.
//! A number m of a block with exponent e is m · 2^(e − 127) / 64.
//!
//! Source: `llvm-aie`'s instruction simulator and its tests (`llvm-aie-run/aie2p-conv-bfp16ebs8.s`,
//! `aie2p-mac-bfp16-matrix.s`), with crRnd 0. What other roundings do is unconfirmed: here a number is
//! rounded once, to the block's exponent, and clamped.

use super::execute::Executor;
use super::float::Sum;
use super::lanes::lane;
use super::op::{Read, ShuffleBlocks, Write};
use super::registers::{ROUNDING, Scalar, Vector};
use super::rounding::{Remainder, Rounding};
use super::shuffle::{shuffle, shuffle_blocks};

/// Numbers of a vector with block exponents.
pub(super) const NUMBERS: usize = 64;
/// Exponents that it has room for.
const EXPONENTS: usize = 8;
/// Bits of an fp32 mantissa, with the hidden one, below those of a block's number.
const CUT_BITS: u32 = 17;
/// Bits by which a number is smaller than the block's greatest from which on it is 0, or −1 if they are rounded down.
const FAR: u32 = 40;

/// Numbers of a vector and their exponents.
pub(super) type Blocks = ([u8; NUMBERS], [u8; EXPONENTS]);

/// A conversion to block floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quantize {
    pub d: Write,
    pub exponents: Scalar,
    pub source: QuantizeSource,
    /// Numbers of a block: 8 or 16.
    pub block: usize,
}

/// Sources of a conversion to block floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuantizeSource {
    /// An accumulator of 64 fp32 numbers.
    Accumulator(Vector),
    /// Blocks of 8, with their first exponents.
    Blocks(Vector, Scalar),
}

/// A mantissa of `cut` bits too many, rounded to 8 bits.
fn rounded(mantissa: i64, cut: u32, rounding: Rounding) -> i8 {
    let cut = cut.min(FAR);
    let floor = mantissa >> cut;
    let rest = Remainder::of(mantissa as u64, cut);
    let up = rounding.rounds_up(floor & 1 != 0, mantissa < 0, rest);
    (floor + i64::from(up)).clamp(i8::MIN.into(), i8::MAX.into()) as i8
}

/// 64 fp32 numbers as blocks. Subnormal numbers count as 0 (unconfirmed).
pub(super) fn quantize(fp32: &[u8], block: usize, rounding: Rounding) -> Blocks {
    let (mut numbers, mut exponents) = ([0; NUMBERS], [0; EXPONENTS]);
    for (number, d) in numbers.chunks_exact_mut(block).enumerate() {
        let bits = |i: usize| lane(fp32, number * block + i, 32, false) as u32;
        let exponent = |i: usize| bits(i) >> 23 & 0xFF;
        let greatest = (0..block).map(exponent).max().unwrap_or(0);
        exponents[number] = greatest as u8;
        for (i, d) in d.iter_mut().enumerate() {
            if exponent(i) == 0 {
                continue;
            }
            let magnitude = i64::from(bits(i) & 0x7F_FFFF | 0x80_0000);
            let mantissa = if bits(i) >> 31 != 0 {
                -magnitude
            } else {
                magnitude
            };
            *d = rounded(mantissa, CUT_BITS + greatest - exponent(i), rounding) as u8;
        }
    }
    (numbers, exponents)
}

/// Blocks of 8 as blocks of 16.
fn widened(numbers: &[u8], exponents: &[u8; EXPONENTS], rounding: Rounding) -> Blocks {
    let (mut wide, mut shared) = ([0; NUMBERS], [0; EXPONENTS]);
    for (number, pair) in exponents.chunks_exact(2).enumerate() {
        let greatest = pair[0].max(pair[1]);
        shared[number] = greatest;
        for (half, exponent) in pair.iter().enumerate() {
            let first = number * 16 + half * 8;
            for i in first..first + 8 {
                let cut = u32::from(greatest - exponent);
                wide[i] = rounded(i64::from(numbers[i] as i8), cut, rounding) as u8;
            }
        }
    }
    (wide, shared)
}

/// Adds A · Bᵀ of 8×8 numbers, a block to a row: `sums[8 i + j]` gets the product of row i of A and
/// row j of B. It is exact: its terms have one exponent.
pub(super) fn add_products(
    a: (&[u8], &[u8; EXPONENTS]),
    b: (&[u8], &[u8; EXPONENTS]),
    negate: bool,
    sums: &mut [Sum],
) {
    for (lane, sum) in sums.iter_mut().enumerate().take(NUMBERS) {
        let (i, j) = (lane / 8, lane % 8);
        let rows = a.0[8 * i..8 * i + 8].iter().zip(&b.0[8 * j..8 * j + 8]);
        let products = rows.map(|(a, b)| i32::from(*a as i8) * i32::from(*b as i8));
        let product: i32 = products.sum();
        let exponent = i32::from(a.1[i]) + i32::from(b.1[j]);
        sum.add_block_product(product, exponent, negate);
    }
}

impl Executor<'_, '_, '_> {
    /// An accumulator of fp32 numbers as blocks, rounded by crRnd as it is now (silicon reads it a
    /// bundle later).
    pub(super) fn quantized(&self, accumulator: Vector, block: usize) -> Blocks {
        let fp32 = self.pipeline.vector(Read::plain(accumulator));
        let rounding = Rounding::from_register(self.pipeline.scalar(ROUNDING));
        quantize(&fp32, block, rounding)
    }

    #[inline(never)]
    pub(super) fn quantize(&mut self, op: &Quantize) {
        let (numbers, exponents) = match op.source {
            QuantizeSource::Accumulator(accumulator) => self.quantized(accumulator, op.block),
            QuantizeSource::Blocks(vector, low) => {
                let numbers = self.pipeline.vector(Read::plain(vector));
                let exponents = self.pipeline.pair(low).to_le_bytes();
                let rounding = Rounding::from_register(self.pipeline.scalar(ROUNDING));
                widened(&numbers, &exponents, rounding)
            }
        };
        self.pipeline.write_vector(op.d, &numbers);
        self.write_exponents(op.exponents, exponents, op.d.latency);
    }

    /// Shuffles blocks of two vectors, each with its exponent: by modes whose elements are whole
    /// blocks. No public source says where the exponents of parts of blocks go.
    pub(super) fn shuffle_blocks(&mut self, op: &ShuffleBlocks) -> Result<(), String> {
        let mode = self.pipeline.source(op.mode);
        let mut mantissas = [0; 64];
        let exponents = [op.low.1, op.high.1].map(|first| self.pipeline.pair(first).to_le_bytes());
        let mut shuffled = [0; EXPONENTS];
        if !shuffle_blocks(self.issue.arch, mode, &exponents, &mut shuffled) {
            return Err(format!(
                "mode {mode} of `vshuffle` takes blocks apart, which is not simulated: unconfirmed"
            ));
        }
        let low = self.pipeline.vector(op.low.0);
        let high = self.pipeline.vector(op.high.0);
        shuffle(self.issue.arch, &low, &high, mode, &mut mantissas);
        self.pipeline.write_vector(op.d, &mantissas);
        self.write_exponents(op.exponents, shuffled, op.d.latency);
        Ok(())
    }

    /// Writes block exponents: those of the lower blocks to the lower register.
    pub(super) fn write_exponents(&mut self, low: Scalar, exponents: [u8; EXPONENTS], latency: u8) {
        for (register, word) in (low..).zip(exponents.as_chunks::<4>().0) {
            let word = u32::from_le_bytes(*word);
            self.pipeline.write(register, word, latency);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::isa::lanes::set_lane;

    fn accumulator(numbers: &[(usize, f32)]) -> [u8; 4 * NUMBERS] {
        let mut bytes = [0; 4 * NUMBERS];
        for (at, number) in numbers {
            set_lane(&mut bytes, *at, 32, i64::from(number.to_bits()));
        }
        bytes
    }

    #[test]
    fn blocks_of_eight() {
        let small = 2f32.powi(-10);
        let step = 1.0 + 2f32.powi(-7);
        let fp32 = accumulator(&[
            (0, 1.0),
            (1, -1.0),
            (2, 2.0),
            (3, 0.5),
            (4, -step),
            (5, step),
            (6, small),
            (7, -small),
            (32, 0.5),
            (33, -0.25),
        ]);
        let (numbers, exponents) = quantize(&fp32, 8, Rounding::Floor);
        assert_eq!(numbers[..8], [0x20, 0xE0, 0x40, 0x10, 0xDF, 0x20, 0, 0xFF]);
        assert_eq!(numbers[32..34], [0x40, 0xE0]);
        assert_eq!(exponents, [128, 0, 0, 0, 126, 0, 0, 0]);
        let (nearest, _) = quantize(&fp32, 8, Rounding::NearestEven);
        assert_eq!(nearest[4..8], [0xE0, 0x20, 0, 0]);
        let (wide, shared) = widened(&numbers, &exponents, Rounding::Floor);
        assert_eq!(
            (wide[..8].to_vec(), shared[..3].to_vec()),
            (numbers[..8].to_vec(), vec![128, 0, 126])
        );
        let full = accumulator(&[(0, 1.999), (1, -1.999)]);
        assert_eq!(
            quantize(&full, 16, Rounding::NearestEven).0[..2],
            [0x7F, 0x80]
        );
    }

    #[test]
    fn rows_by_rows() {
        let (mut a, mut b) = ([0; NUMBERS], [0; NUMBERS]);
        (a[3], b[43], b[29]) = (0x40, 0x60, 0x70);
        (a[8], a[9], b[16], b[17]) = (0x20, 0x40, 0x40, 0xF8);
        let a_exponents = [128, 128, 0, 0, 127, 0, 0, 0];
        let b_exponents = [0, 0, 129, 129, 0, 128, 0, 129];
        let mut sums = vec![Sum::default(); NUMBERS];
        add_products((&a, &a_exponents), (&b, &b_exponents), false, &mut sums);
        let values: Vec<f32> = sums.iter().map(|sum| f32::from_bits(sum.value())).collect();
        // 2 · 3 and 1 · 4 + 2 · −0.5.
        assert_eq!((values[5], values[10]), (6.0, 3.0));
        assert_eq!(values.iter().filter(|value| **value != 0.0).count(), 2);
    }
}
