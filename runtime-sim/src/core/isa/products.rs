//! Products of the vector unit: integer and bf16 matrix products, and sums of accumulators.
//!
//! A configuration word in a scalar register says what is multiplied (`aiev2_compute_control` of
//! `llvm-aie: clang/lib/Headers/aiev2/aiev2_vmult.h`). Matrices lie row by row at the low end of
//! their registers: A of M×K elements in the first one, B of K×N in the second, C of M×N in the
//! accumulator.

use aiec_core::CoreArch;

use super::block::add_products;
use super::float::Sum;
use super::lanes::{lane, set_lane};

/// A configuration word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Configuration(pub u32);

impl Configuration {
    /// The first accumulator counts as 0.
    fn zero_accumulator(self) -> bool {
        self.0 & 1 != 0
    }

    /// amode, bmode and variant: which shape.
    fn shape(self) -> (u8, u8, u8) {
        let field = |lsb: u32, bits: u32| (self.0 >> lsb & ((1 << bits) - 1)) as u8;
        (field(1, 2), field(3, 2), field(5, 3))
    }

    fn bit(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }

    fn second_signed(self) -> bool {
        self.bit(8)
    }

    fn first_signed(self) -> bool {
        self.bit(9)
    }

    /// Bits by which the first accumulator is shifted left: products of 32-bit numbers are made of
    /// 16-bit ones this way (`mul_elem_32` of `aiev2_vmult.h`; 7 of 7 sums on NPU1).
    fn first_shift(self) -> u32 {
        if self.bit(10) { 16 } else { 0 }
    }

    fn negate_product(self) -> bool {
        self.bit(11)
    }

    fn negate_first(self) -> bool {
        self.bit(12)
    }

    fn negate_second(self) -> bool {
        self.bit(13)
    }

    /// Which products are negated. The upper half has no effect (NPU1).
    fn sub_mask(self) -> u32 {
        self.0 >> 16 & 0xFF
    }
}

/// What a configuration multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A of M×K by B of K×N.
    Matrix { m: u8, k: u8, n: u8 },
    /// Lanes by lanes: products of lanes i, i + lanes, … are added.
    Lanes { lanes: u8, sums: u8 },
    /// Sums of `taps` elements from lane i on, each by its tap.
    Convolution { lanes: u8, taps: u8 },
    /// Complex lanes by complex lanes, two products each; real and imaginary parts alternate.
    ComplexLanes { lanes: u8 },
    /// The same of `channels` interleaved channels, each with its own taps.
    ChannelConvolution { lanes: u8, taps: u8, channels: u8 },
    /// A of 8×8 by B of 8×8 transposed, in block floating point.
    Blocks,
    /// A of 4×4 pairs by B of 4×8: even columns take the first, odd ones the second of a pair.
    Pairs,
    /// No products.
    Nothing,
}

/// The bit of sub_mask that negates a product, by the lane and the product's number in it.
///
/// Each row is measured on NPU1 silicon (xdna-emu's instruction tests) with at least one mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negation {
    /// Bit 4·(lane mod 2) + number mod 4.
    EvenOdd,
    /// Bit 4·(lane mod 2), whichever product.
    EvenOddLanes,
    /// Bit 4·(lane mod 2) + 2·(number mod 2) + number / 4.
    EvenOddBytes,
    /// Bit 2·(lane mod 4) + number / `each`.
    Quarters { each: u8 },
    /// Not measured.
    Unknown,
}

impl Negation {
    /// The bit of sub_mask; `None` where it is not known.
    fn bit(self, lane: usize, number: usize) -> Option<usize> {
        Some(match self {
            Negation::EvenOdd => 4 * (lane % 2) + number % 4,
            Negation::EvenOddLanes => 4 * (lane % 2),
            Negation::EvenOddBytes => 4 * (lane % 2) + 2 * (number % 2) + number / 4,
            Negation::Quarters { each } => 2 * (lane % 4) + number / usize::from(each),
            Negation::Unknown => return None,
        })
    }
}

#[derive(Clone, Copy, Debug)]
struct Product {
    shape: Shape,
    /// Bits of the elements of the first and of the second source.
    bits: (u8, u8),
    negation: Negation,
}

const fn product(shape: Shape, first: u8, second: u8, negation: Negation) -> Option<Product> {
    Some(Product {
        shape,
        bits: (first, second),
        negation,
    })
}

const fn matrix(m: u8, k: u8, n: u8) -> Shape {
    Shape::Matrix { m, k, n }
}

const fn lanes(lanes: u8, sums: u8) -> Shape {
    Shape::Lanes { lanes, sums }
}

/// The shape of (amode, bmode, variant) of AIE2 for integers.
///
/// Names in `aiev2_vmult.h`; measured on NPU1 silicon: all but (0,0,0), (0,1,4), (0,3,1), (1,0,0),
/// (1,2,0) and (1,2,1); (0,1,4) gives all 3,686,400 bytes of Riallto's edge detection. In lanes of 64 bits bmode 1 is bmode 3 there. Of the codes without a name
/// those that were measured give no products; the others are refused.
fn aie2_integers(shape: (u8, u8, u8), sparse: bool) -> Option<Product> {
    use Negation::{EvenOdd, EvenOddBytes, EvenOddLanes, Quarters, Unknown};
    let convolution = |lanes, taps| Shape::Convolution { lanes, taps };
    match shape {
        (0, 0, 0) => product(matrix(4, 16, 8), 8, 4, Unknown),
        (0, 1, 0) => product(matrix(4, 8, 8), 8, 8, EvenOddBytes),
        (0, 1, 1) => product(lanes(32, 2), 8, 8, EvenOddLanes),
        (0, 1, 4) => product(convolution(32, 8), 8, 8, Unknown),
        (0, 2, 0) => product(matrix(4, 4, 8), 16, 8, Quarters { each: 2 }),
        (0, 2, 1) => product(Shape::Pairs, 16, 8, Quarters { each: 2 }),
        (0, 3, 0) => product(matrix(4, 2, 8), 16, 16, Quarters { each: 1 }),
        (0, 3, 1) => product(lanes(32, 1), 16, 16, Unknown),
        (1, 0, 0) => product(matrix(4, 2, 4), 32, 16, Unknown),
        (1, 1 | 3, 0) => product(matrix(2, 4, 8), 16, 16, EvenOdd),
        (1, 1 | 3, 1) => product(matrix(4, 4, 4), 16, 16, EvenOdd),
        (1, 1 | 3, 2) => product(lanes(16, 2), 16, 16, EvenOdd),
        (1, 1 | 3, 3) => product(convolution(16, 4), 16, 16, EvenOdd),
        (1, 1 | 3, 4) => product(Shape::ComplexLanes { lanes: 8 }, 16, 16, EvenOdd),
        (1, 2, 0) => product(matrix(2, 8, 8), 16, 8, Unknown),
        (1, 2, 1) => product(matrix(4, 8, 4), 16, 8, Unknown),
        _ if is_without_products(shape, sparse) => product(Shape::Nothing, 8, 8, EvenOdd),
        _ => None,
    }
}

/// Whether a code was measured to give no products. Shapes of sparse sources have none for dense
/// ones.
fn is_without_products(shape: (u8, u8, u8), sparse: bool) -> bool {
    match shape {
        (0, 0, 2..=5) | (0, 1, 6..=7) | (0, 2, 5..=7) | (0, 3, 2..=5) => true,
        (1, 0, 2..=7) | (1, 1, 6..=7) | (1, 2, 4 | 7) | (1, 3, 7) => true,
        (2, 0, 4..=5) | (2, 1, 3..=6) | (2, 2, 3..=7) | (2, 3, 3..=7) => true,
        (3, 0, 3..=5) | (3, 1, 3 | 6..=7) | (3, 2, 3..=7) | (3, 3, 3..=7) => true,
        (1, 2, 2) | (1, 3, 5) | (2, 0, 2) => !sparse,
        _ => false,
    }
}

/// Whether a code with integer lanes was measured to give no products of bf16.
fn is_without_float_products(shape: (u8, u8, u8), sparse: bool) -> bool {
    match shape {
        (0, 1, 0..=1) | (1, 0, 1..=2 | 4..=5 | 7) | (1, 1, 0..=1 | 7) => true,
        (1, 2, 2 | 7) | (1, 3, 0 | 3 | 7) => true,
        (0, 1 | 2, 3) => sparse,
        (1, 3, 2) => !sparse,
        (0, ..) => is_without_products(shape, sparse),
        _ => false,
    }
}

/// The shape of (amode, bmode, variant) of AIE2 for bf16: bmode does not matter (NPU1 silicon).
fn aie2_floats(shape: (u8, u8, u8), sparse: bool) -> Option<Product> {
    let nothing = product(Shape::Nothing, 16, 16, Negation::EvenOdd);
    match shape {
        (2 | 3, _, 0) => product(matrix(4, 8, 4), 16, 16, Negation::EvenOdd),
        (2 | 3, _, 1) => product(lanes(16, 2), 16, 16, Negation::EvenOdd),
        (2 | 3, _, 3..=7) => nothing,
        (2 | 3, _, 2) if !sparse => nothing,
        _ if is_without_float_products(shape, sparse) => nothing,
        _ => None,
    }
}

/// The shape of (amode, bmode, variant) of AIE2P (`llvm-aie`'s instruction simulator; (0,1,2), which
/// it names `conv_8x8_8ch`, (0,1,4), (0,3,1) and (1,3,2) by names and operands in `aie2p_vmult.h` and
/// aie_api's `sliding_mul_ch`).
fn aie2p(shape: (u8, u8, u8)) -> Option<Product> {
    let unknown = |shape, first, second| product(shape, first, second, Negation::Unknown);
    let channels = Shape::ChannelConvolution {
        lanes: 64,
        taps: 8,
        channels: 8,
    };
    let convolution = Shape::Convolution { lanes: 64, taps: 8 };
    match shape {
        (0, 1, 0) => unknown(matrix(8, 8, 8), 8, 8),
        (0, 1, 1) => unknown(lanes(64, 1), 8, 8),
        (0, 1, 2) => unknown(channels, 8, 8),
        (0, 1, 4) => unknown(convolution, 8, 8),
        (0, 3, 1) => unknown(lanes(64, 1), 16, 16),
        (1, 3, 2) => unknown(lanes(32, 1), 16, 16),
        (2, 1, 0) => unknown(Shape::Blocks, 8, 8),
        (0, 2, 0) => unknown(matrix(8, 4, 8), 16, 8),
        (0, 3, 0) => unknown(matrix(8, 2, 8), 16, 16),
        (1, 0, 0) => unknown(matrix(4, 2, 8), 32, 16),
        (1, 2, 0) => unknown(matrix(4, 8, 8), 16, 8),
        (1, 3, 0) => unknown(matrix(4, 4, 8), 16, 16),
        (2, 3, 1) => unknown(lanes(32, 1), 16, 16),
        _ => None,
    }
}

/// amode of lanes of 64 bits; all others have lanes of 32 bits (57 of 57 sums on NPU1).
const WIDE_LANES: u8 = 1;
/// amode of fp32.
const FLOAT_LANES: u8 = 2;

/// A sum of products and accumulators, with the signs that the instruction's name gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// `−product`.
    pub product: bool,
    /// `−accumulator`, the first one.
    pub first: bool,
    /// `−accumulator`, the second one.
    pub second: bool,
}

/// What a product instruction computes with.
pub(super) struct Inputs<'a> {
    /// The two sources; none of sums of accumulators.
    pub sources: Option<(&'a [u8], &'a [u8])>,
    /// Their block exponents, if they are block floating point.
    pub exponents: Option<(&'a [u8; 8], &'a [u8; 8])>,
    /// The second source has a sparsity mask.
    pub sparse: bool,
    pub first: Option<&'a [u8]>,
    pub second: Option<&'a [u8]>,
    pub signs: Signs,
    pub configuration: Configuration,
}

/// The reason why a configuration has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unconfirmed(pub &'static str);

impl Inputs<'_> {
    fn signs(&self) -> Signs {
        let configuration = self.configuration;
        Signs {
            product: self.signs.product ^ configuration.negate_product(),
            first: self.signs.first ^ configuration.negate_first(),
            second: self.signs.second ^ configuration.negate_second(),
        }
    }

    /// The first accumulator, unless the configuration says that it is 0.
    fn first(&self) -> Option<&[u8]> {
        self.first
            .filter(|_| !self.configuration.zero_accumulator())
    }

    fn product(&self, arch: CoreArch, float: bool) -> Result<Option<Product>, Unconfirmed> {
        if self.sources.is_none() {
            return Ok(None);
        }
        let shape = self.configuration.shape();
        let product = match (arch, float) {
            (CoreArch::Aie2, false) => aie2_integers(shape, self.sparse),
            (CoreArch::Aie2, true) => aie2_floats(shape, self.sparse),
            (CoreArch::Aie2p | CoreArch::Aie2ps, _) => aie2p(shape),
        };
        let Some(product) = product else {
            return Err(Unconfirmed("the shape that its configuration names"));
        };
        if product.negation == Negation::Unknown && self.configuration.sub_mask() != 0 {
            return Err(Unconfirmed("the effect of sub_mask in its configuration"));
        }
        Ok(Some(product))
    }

    /// Whether a product is negated.
    fn negates(&self, product: Product, lane: usize, number: usize) -> bool {
        let bit = product.negation.bit(lane, number);
        let by_mask = bit.is_some_and(|bit| self.configuration.sub_mask() >> bit & 1 != 0);
        self.signs().product ^ by_mask
    }

    /// Whether a product has a model; what it is computed from doesn't count.
    pub fn check(&self, arch: CoreArch, float: bool) -> Result<(), Unconfirmed> {
        let product = self.product(arch, float)?;
        if !float {
            return Ok(());
        }
        let (amode, ..) = self.configuration.shape();
        let is_blocks = product.is_some_and(|product| product.shape == Shape::Blocks);
        if product.is_some() && is_blocks != self.exponents.is_some() {
            return Err(Unconfirmed(
                "a shape of other operands in its configuration",
            ));
        }
        let signed = self.configuration.first_signed() && self.configuration.second_signed();
        if is_blocks && !signed {
            return Err(Unconfirmed("block floating point without sign"));
        }
        if product.is_some() && arch != CoreArch::Aie2 && amode != FLOAT_LANES {
            return Err(Unconfirmed("integer lanes in a floating-point product"));
        }
        let shifts = self.first().is_some() && self.configuration.first_shift() != 0;
        if arch == CoreArch::Aie2 && amode == WIDE_LANES && shifts {
            return Err(Unconfirmed("shift16 with lanes of 64 bits"));
        }
        Ok(())
    }

    /// Computes integers.
    pub fn integers(&self, arch: CoreArch, d: &mut [u8]) -> Result<(), Unconfirmed> {
        let product = self.product(arch, false)?;
        let (amode, ..) = self.configuration.shape();
        let bits = if amode == WIDE_LANES { 64 } else { 32 };
        let signs = self.signs();
        for i in 0..d.len() * 8 / bits as usize {
            let of = |source: Option<&[u8]>, shift: u32, negate: bool| {
                let value = source.map_or(0, |source| lane(source, i, bits, true));
                let value = value << shift;
                if negate { value.wrapping_neg() } else { value }
            };
            let first = of(self.first(), self.configuration.first_shift(), signs.first);
            let sum = first.wrapping_add(of(self.second, 0, signs.second));
            set_lane(d, i, bits, sum);
        }
        let (Some(product), Some((a, b))) = (product, self.sources) else {
            return Ok(());
        };
        let (a_bits, b_bits) = (product.bits.0.into(), product.bits.1.into());
        let (a_signed, b_signed) = (
            self.configuration.first_signed(),
            self.configuration.second_signed(),
        );
        product.shape.for_each_product(|lane_number, number, i, j| {
            let term = lane(a, i, a_bits, a_signed).wrapping_mul(lane(b, j, b_bits, b_signed));
            let old = lane(d, lane_number, bits, true);
            let new = match self.negates(product, lane_number, number) {
                true => old.wrapping_sub(term),
                false => old.wrapping_add(term),
            };
            set_lane(d, lane_number, bits, new);
        });
        Ok(())
    }

    /// Computes fp32 numbers of bf16 products.
    pub fn floats(&self, arch: CoreArch, d: &mut [u8]) -> Result<(), Unconfirmed> {
        self.check(arch, true)?;
        let product = self.product(arch, true)?;
        let signs = self.signs();
        let mut sums = vec![Sum::default(); d.len() / 4];
        if let (Some((a, b)), Some((a_exponents, b_exponents))) = (self.sources, self.exponents) {
            let negate = self.signs().product;
            add_products((a, a_exponents), (b, b_exponents), negate, &mut sums);
        } else if let (Some(product), Some((a, b))) = (product, self.sources) {
            product.shape.for_each_product(|lane_number, number, i, j| {
                let of = |source: &[u8], at| lane(source, at, 16, false) as u16;
                if let Some(sum) = sums.get_mut(lane_number) {
                    let negate = self.negates(product, lane_number, number);
                    sum.add_product(of(a, i), of(b, j), negate);
                }
            });
        }
        for (i, (sum, d)) in sums.iter_mut().zip(d.chunks_exact_mut(4)).enumerate() {
            let mut add = |source: Option<&[u8]>, shift, negate| {
                if let Some(source) = source {
                    let bits = lane(source, i, 32, false) as u32;
                    sum.add_accumulator(bits << shift, negate);
                }
            };
            // shift16 moves the bits of a floating-point number too (NPU1).
            add(self.first(), self.configuration.first_shift(), signs.first);
            add(self.second, 0, signs.second);
            d.copy_from_slice(&sum.value().to_le_bytes());
        }
        Ok(())
    }
}

impl Shape {
    /// Calls with the lane, the number in it, the element of the first and that of the second
    /// source of each product.
    fn for_each_product(self, mut each: impl FnMut(usize, usize, usize, usize)) {
        match self {
            Shape::Matrix { m, k, n } => {
                let (m, k, n) = (usize::from(m), usize::from(k), usize::from(n));
                for row in 0..m {
                    for column in 0..n {
                        for i in 0..k {
                            each(row * n + column, i, row * k + i, i * n + column);
                        }
                    }
                }
            }
            Shape::Lanes { lanes, sums } => {
                for lane in 0..usize::from(lanes) {
                    for sum in 0..usize::from(sums) {
                        let element = lane + sum * usize::from(lanes);
                        each(lane, sum, element, element);
                    }
                }
            }
            Shape::Convolution { lanes, taps } => {
                for lane in 0..usize::from(lanes) {
                    for tap in 0..usize::from(taps) {
                        each(lane, tap, lane + tap, tap);
                    }
                }
            }
            Shape::ChannelConvolution {
                lanes,
                taps,
                channels,
            } => {
                let channels = usize::from(channels);
                for lane in 0..usize::from(lanes) {
                    for tap in 0..usize::from(taps) {
                        let from = lane + tap * channels;
                        each(lane, tap, from, tap * channels + lane % channels);
                    }
                }
            }
            Shape::ComplexLanes { lanes } => {
                let lanes = usize::from(lanes);
                for lane in 0..2 * lanes {
                    let (complex, imaginary) = (lane / 2, lane % 2);
                    for sum in 0..2 {
                        let real = 2 * (complex + sum * lanes);
                        each(lane, 2 * sum, real, real + imaginary);
                        each(lane, 2 * sum + 1, real + 1, real + 1 - imaginary);
                    }
                }
            }
            Shape::Pairs => {
                for lane in 0..32 {
                    let (row, column) = (lane / 8, lane % 8);
                    for i in 0..4 {
                        each(lane, i, 8 * row + 2 * i + column % 2, 8 * i + column);
                    }
                }
            }
            Shape::Nothing | Shape::Blocks => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(configuration: u32, a: &[u8], b: &[u8], first: Option<&[u8]>) -> Vec<i64> {
        let mut d = [0; 128];
        let inputs = Inputs {
            sources: Some((a, b)),
            exponents: None,
            sparse: false,
            first,
            second: None,
            signs: Signs::default(),
            configuration: Configuration(configuration),
        };
        inputs.integers(CoreArch::Aie2, &mut d).unwrap();
        (0..32).map(|i| lane(&d, i, 32, true)).collect()
    }

    #[test]
    fn bytes_4x8_by_8x8() {
        let a: Vec<u8> = (0..64).map(|i| (i * 7) as u8).collect();
        let b: Vec<u8> = (0..64).map(|i| (200 - i) as u8).collect();
        // Both signed.
        let c = integers(0x308, &a, &b, None);
        for (i, c) in c.iter().enumerate() {
            let (row, column) = (i / 8, i % 8);
            let expected: i64 = (0..8)
                .map(|k| i64::from(a[row * 8 + k] as i8) * i64::from(b[k * 8 + column] as i8))
                .sum();
            assert_eq!(*c, expected);
        }
        let first = [1; 128];
        let c = integers(0x808, &a, &b, Some(&first));
        let expected: i64 = (0..8).map(|k| i64::from(a[k]) * i64::from(b[k * 8])).sum();
        assert_eq!(c[0], 0x0101_0101 - expected);
        assert_eq!(integers(0x809, &a, &b, Some(&first))[0], -expected);
    }

    #[test]
    fn refused_configurations() {
        let inputs = |configuration| Inputs {
            sources: Some((&[0; 64], &[0; 64])),
            exponents: None,
            sparse: false,
            first: None,
            second: None,
            signs: Signs::default(),
            configuration: Configuration(configuration),
        };
        let refused = |configuration| {
            inputs(configuration)
                .integers(CoreArch::Aie2, &mut [0; 128])
                .is_err()
        };
        // i8 by i4 with a mask, a code without a name, the sparse 4x16 by 16x8.
        assert!(refused(0x1_0000) && refused(0x68) && refused(0xA8) && !refused(8));
    }

    #[test]
    fn bf16_4x8_by_8x4() {
        let of = |x: f32| ((x.to_bits() >> 16) as u16).to_le_bytes();
        let a: Vec<u8> = (0..32).flat_map(|i| of(i as f32 - 9.5)).collect();
        let b: Vec<u8> = (0..32).flat_map(|i| of(0.25 * i as f32)).collect();
        let mut d = [0; 64];
        let inputs = Inputs {
            sources: Some((&a, &b)),
            exponents: None,
            sparse: false,
            first: None,
            second: None,
            signs: Signs::default(),
            configuration: Configuration(0x1C),
        };
        inputs.floats(CoreArch::Aie2, &mut d).unwrap();
        for i in 0..16 {
            let (row, column) = (i / 4, i % 4);
            let expected: f32 = (0..8)
                .map(|k| ((row * 8 + k) as f32 - 9.5) * 0.25 * (k * 4 + column) as f32)
                .sum();
            assert_eq!(f32::from_bits(lane(&d, i, 32, false) as u32), expected);
        }
    }
}
