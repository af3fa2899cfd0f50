//! Products of the vector unit: integer and bf16 matrix products, and sums of accumulators.
//!
//! A configuration word in a scalar register selects the product (`aiev2_compute_control` of
//! `llvm-aie: clang/lib/Headers/aiev2/aiev2_vmult.h`). Matrices lie row by row at the low end of
//! their registers: A of M×K elements in the first one, B of K×N in the second, C of M×N in the
//! accumulator.

use std::marker::PhantomData;

use aiec_core::CoreArch;

use super::block::add_products;
use super::float::Sum;
use super::formats::FloatFormat;
use super::host_vectors::{self, VectorLoop};
use super::lanes::{lane, set_lane};
use super::product_sums::{
    Addend, InRoom, MAX_ELEMENTS, MAX_LANES, Shape, SumLane, add_lanes, float_sums, integer_sums,
};

/// A configuration word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// The formats of the elements of both sources of a floating-point product of AIE2PS:
    /// cmode_sel_x and cmode_sel_y, by bmode (`llvm-aie:
    /// clang/lib/Headers/aie2ps/aie2ps_vmult.h`, `aie2psintrin.h`).
    fn aie2ps_formats(self) -> (FloatFormat, FloatFormat) {
        let (_, bmode, _) = self.shape();
        let of = |bit| match (bmode == EIGHT_BIT_FLOATS, self.bit(bit)) {
            (true, true) => FloatFormat::Bf8,
            (true, false) => FloatFormat::Fp8,
            (false, true) => FloatFormat::Bf16,
            (false, false) => FloatFormat::Fp16,
        };
        (of(24), of(25))
    }

    /// Which products are negated. The upper half has no effect (NPU1).
    fn sub_mask(self) -> u32 {
        self.0 >> 16 & 0xFF
    }
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
pub(super) struct Product {
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
fn aie2p(shape: (u8, u8, u8), first_bytes: usize) -> Option<Product> {
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
        // Published kernels widen 64 numbers of a y register by it.
        (2, 3, 1) => unknown(lanes(first_bytes as u8 / 2, 1), 16, 16),
        _ => None,
    }
}

/// The shape of (amode, bmode, variant) of AIE2PS, by the bytes of the first source (`llvm-aie:
/// clang/lib/Headers/aie2ps/aie2ps_vmult.h`): products of lanes take as many as there are, or two
/// of each result. Convolutions of channels, sparse, complex and MX shapes have no model.
fn aie2ps(shape: (u8, u8, u8), float: bool, first_bytes: usize) -> Option<Product> {
    let unknown = |shape, first, second| product(shape, first, second, Negation::Unknown);
    let (halves, sums) = (first_bytes as u8 / 2, first_bytes as u8 / 64);
    let convolution = |lanes, taps| Shape::Convolution { lanes, taps };
    match (float, shape) {
        (false, (0, 0, 0)) => unknown(matrix(8, 8, 8), 8, 8),
        (false, (0, 0, 1)) => unknown(lanes(64, sums), 8, 8),
        (false, (0, 0, 4)) => unknown(convolution(64, 8), 8, 8),
        (false, (0, 0, 6)) => unknown(matrix(4, 8, 16), 8, 8),
        (false, (0, 1, 0)) => unknown(matrix(8, 2, 8), 16, 16),
        (false, (0, 1, 1)) => unknown(lanes(halves, 1), 16, 16),
        (false, (1, 0, 0)) => unknown(matrix(4, 2, 8), 32, 16),
        (false, (1, 1, 0)) => unknown(matrix(4, 4, 8), 16, 16),
        (false, (1, 1, 2)) => unknown(lanes(32, sums), 16, 16),
        (false, (1, 1, 3)) => unknown(convolution(32, 4), 16, 16),
        (true, (2, EIGHT_BIT_FLOATS, 0)) => unknown(matrix(8, 8, 8), 8, 8),
        (true, (2, 3, 1)) => unknown(lanes(halves, 1), 16, 16),
        (true, (2, 3, 2)) => unknown(matrix(4, 8, 8), 16, 16),
        _ => None,
    }
}

/// bmode of fp8 and bf8 of AIE2PS.
const EIGHT_BIT_FLOATS: u8 = 2;
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

/// Operands of a product instruction.
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

/// Sums of integers in lanes of `N` bytes.
struct IntegerSums<'a, 'd, T, const N: usize> {
    inputs: &'a Inputs<'a>,
    product: Option<Product>,
    d: &'d mut [u8],
    lane: PhantomData<T>,
}

impl<T: SumLane<N>, const N: usize, const ELEMENTS: usize, const LANES: usize> VectorLoop
    for InRoom<IntegerSums<'_, '_, T, N>, ELEMENTS, LANES>
{
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let IntegerSums {
            inputs, product, d, ..
        } = self.0;
        let signs = inputs.signs();
        let mut sums = match (product, inputs.sources) {
            (Some(product), Some(sources)) => {
                let signed = (
                    inputs.configuration.first_signed(),
                    inputs.configuration.second_signed(),
                );
                let (shape, bits) = (product.shape, product.bits);
                integer_sums::<T, N, ELEMENTS, LANES>(shape, sources, bits, signed)
            }
            _ => [T::default(); LANES],
        };
        if signs.product {
            sums.iter_mut().for_each(|sum| *sum = sum.negated());
        }
        if let Some(first) = inputs.first() {
            let shift = inputs.configuration.first_shift();
            add_lanes(&mut sums, first, shift, signs.first);
        }
        if let Some(second) = inputs.second {
            add_lanes(&mut sums, second, 0, signs.second);
        }
        for (d, sum) in d.as_chunks_mut::<N>().0.iter_mut().zip(&sums) {
            *d = sum.to_bytes();
        }
    }
}

/// The reason why a configuration has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unconfirmed(pub &'static str);

/// Halves of registers have shapes of their own.
const TOO_SMALL: Unconfirmed =
    Unconfirmed("the shape that its configuration names, for which its registers are too small,");

impl Inputs<'_> {
    /// Bits of a lane of the result.
    fn lane_bits(&self) -> usize {
        let (amode, ..) = self.configuration.shape();
        if amode == WIDE_LANES { 64 } else { 32 }
    }

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

    pub(super) fn product(
        &self,
        arch: CoreArch,
        float: bool,
    ) -> Result<Option<Product>, Unconfirmed> {
        let Some((first, second)) = self.sources else {
            return Ok(None);
        };
        let shape = self.configuration.shape();
        let product = match (arch, float) {
            (CoreArch::Aie2, false) => aie2_integers(shape, self.sparse),
            (CoreArch::Aie2, true) => aie2_floats(shape, self.sparse),
            (CoreArch::Aie2p, _) => aie2p(shape, first.len()),
            (CoreArch::Aie2ps, _) if self.sparse => None,
            (CoreArch::Aie2ps, _) => aie2ps(shape, float, first.len()),
        };
        let Some(product) = product else {
            return Err(Unconfirmed("the shape that its configuration names"));
        };
        let (a, b) = product.shape.elements();
        let fits =
            |elements, bits: u8, source: &[u8]| elements * usize::from(bits) <= 8 * source.len();
        if !fits(a, product.bits.0, first) || !fits(b, product.bits.1, second) {
            return Err(TOO_SMALL);
        }
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

    /// The products, if they have a model; what they are computed from doesn't count.
    /// `bytes`: those of the result; `other_formats`: registers choose variants of 8-bit formats.
    pub fn check(
        &self,
        arch: CoreArch,
        float: bool,
        bytes: usize,
        other_formats: bool,
    ) -> Result<Option<Product>, Unconfirmed> {
        let product = self.product(arch, float)?;
        if product.is_some_and(|product| product.shape.lanes() * self.lane_bits() > 8 * bytes) {
            return Err(TOO_SMALL);
        }
        if product.is_some_and(|product| float && product.bits.0 == 8) && other_formats {
            return Err(Unconfirmed(
                "the format that crBF8conf or crFP8conf chooses",
            ));
        }
        if !float {
            return Ok(product);
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
        Ok(product)
    }

    /// Computes integers.
    pub fn integers(&self, product: Option<Product>, d: &mut [u8]) {
        let elements = product.map_or((0, 0), |product| product.shape.elements());
        if self.configuration.sub_mask() != 0 {
            self.integers_by_mask(product, d);
        } else if self.lane_bits() == 64 {
            self.integers_in::<i64, 8, MAX_ELEMENTS, MAX_LANES>(product, d);
        } else if elements.0.max(elements.1) <= 64 && d.len() <= 128 {
            self.integers_in::<i32, 4, 64, 32>(product, d);
        } else {
            self.integers_in::<i32, 4, MAX_ELEMENTS, MAX_LANES>(product, d);
        }
    }

    /// Computes integers in lanes of `N` bytes, without sub_mask, with room for the given numbers of elements of each source, and lanes.
    fn integers_in<T: SumLane<N>, const N: usize, const ELEMENTS: usize, const LANES: usize>(
        &self,
        product: Option<Product>,
        d: &mut [u8],
    ) {
        let sums = IntegerSums {
            inputs: self,
            product,
            d,
            lane: PhantomData::<T>,
        };
        host_vectors::run(InRoom::<_, ELEMENTS, LANES>(sums));
    }

    /// Computes integers, each product with its sign.
    pub(super) fn integers_by_mask(&self, product: Option<Product>, d: &mut [u8]) {
        let bits = self.lane_bits() as u32;
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
            return;
        };
        let (a_bits, b_bits) = (product.bits.0.into(), product.bits.1.into());
        let (a_signed, b_signed) = (
            self.configuration.first_signed(),
            self.configuration.second_signed(),
        );
        product.shape.for_each_product(|lane_number, number, i, j| {
            let term = lane(a, i, a_bits, a_signed).wrapping_mul(lane(b, j, b_bits, b_signed));
            let old = lane(d, lane_number, bits, true);
            let new = if self.negates(product, lane_number, number) {
                old.wrapping_sub(term)
            } else {
                old.wrapping_add(term)
            };
            set_lane(d, lane_number, bits, new);
        });
    }

    /// Formats of the numbers of both sources.
    pub(super) fn formats(&self, arch: CoreArch) -> (FloatFormat, FloatFormat) {
        match arch {
            CoreArch::Aie2 | CoreArch::Aie2p => (FloatFormat::Bf16, FloatFormat::Bf16),
            CoreArch::Aie2ps => self.configuration.aie2ps_formats(),
        }
    }

    /// The accumulators that floating-point products are added to.
    pub(super) fn addends(&self) -> [Option<Addend<'_>>; 2] {
        let signs = self.signs();
        // shift16 moves the bits of a floating-point number too (NPU1).
        let shift = self.configuration.first_shift();
        let first = self.first().map(|first| (first, shift, signs.first));
        [first, self.second.map(|second| (second, 0, signs.second))]
    }

    /// Computes fp32 numbers of products that have a model ([`Inputs::check`]).
    pub fn floats(&self, arch: CoreArch, product: Option<Product>, d: &mut [u8]) {
        let (formats, addends) = (self.formats(arch), self.addends());
        if self.quick_floats(product, formats, &addends, d).is_none() {
            self.floats_by_term(product, formats, &addends, d);
        }
    }

    /// Computes fp32 numbers if no mask gives products their signs, no blocks have exponents of their own, and there are no
    /// infinities and NaNs.
    pub(super) fn quick_floats(
        &self,
        product: Option<Product>,
        formats: (FloatFormat, FloatFormat),
        addends: &[Option<Addend<'_>>; 2],
        d: &mut [u8],
    ) -> Option<()> {
        if self.configuration.sub_mask() != 0 || self.exponents.is_some() {
            return None;
        }
        let products = product.map(|product| product.shape).zip(self.sources);
        float_sums(products, formats, self.signs().product, addends, d)
    }

    /// Computes fp32 numbers term by term.
    pub(super) fn floats_by_term(
        &self,
        product: Option<Product>,
        formats: (FloatFormat, FloatFormat),
        addends: &[Option<Addend<'_>>; 2],
        d: &mut [u8],
    ) {
        let mut sums = vec![Sum::default(); d.len() / 4];
        if let (Some((a, b)), Some((a_exponents, b_exponents))) = (self.sources, self.exponents) {
            let negate = self.signs().product;
            add_products((a, a_exponents), (b, b_exponents), negate, &mut sums);
        } else if let (Some(product), Some((a, b))) = (product, self.sources) {
            product.shape.for_each_product(|lane_number, number, i, j| {
                let of = |source: &[u8], at, format: FloatFormat| {
                    (lane(source, at, format.bits(), false) as u16, format)
                };
                if let Some(sum) = sums.get_mut(lane_number) {
                    let negate = self.negates(product, lane_number, number);
                    sum.add_product(of(a, i, formats.0), of(b, j, formats.1), negate);
                }
            });
        }
        for (i, (sum, d)) in sums.iter_mut().zip(d.chunks_exact_mut(4)).enumerate() {
            for (source, shift, negate) in addends.iter().flatten() {
                let bits = lane(source, i, 32, false) as u32;
                sum.add_accumulator(bits << shift, *negate);
            }
            d.copy_from_slice(&sum.value().to_le_bytes());
        }
    }
}
