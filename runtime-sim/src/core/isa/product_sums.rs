//! Shapes of products, and sums of products over arrays whose elements have the width of the sums: sources are unpacked once, and loops have
//! lengths that the compiler vectorises.
//!
//! Products whose signs a mask gives are summed one by one instead (`Inputs::integers_by_mask`, `floats_by_term` of
//! `products`), which tests compare with these.

use super::float::fp32_of_sum;
use super::formats::FloatFormat;
use super::host_vectors::{self, VectorLoop};
use super::lanes::lane;

/// Lanes of the widest result: 32 bits of 256 bytes.
pub(super) const MAX_LANES: usize = 64;
/// Elements of a source that a shape takes at most.
pub(super) const MAX_ELEMENTS: usize = 128;

/// Operands that a configuration multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A of M×K by B of K×N.
    Matrix { m: u8, k: u8, n: u8 },
    /// Lanes by lanes: products of lanes i, i + lanes, … are added.
    Lanes { lanes: u8, sums: u8 },
    /// Sums of `taps` elements from lane i on, each by its tap.
    Convolution { lanes: u8, taps: u8 },
    /// Complex lanes by complex lanes, two products each; real and imaginary parts alternate.
    ComplexLanes { lanes: u8 },
    /// Same for `channels` interleaved channels, each with its own taps.
    ChannelConvolution { lanes: u8, taps: u8, channels: u8 },
    /// A of 8×8 by B of 8×8 transposed, in block floating point.
    Blocks,
    /// A of 4×4 pairs by B of 4×8: even columns take the first, odd ones the second of a pair.
    Pairs,
    /// No products.
    Nothing,
}

impl Shape {
    /// Number of elements of the first and of the second source that it takes.
    pub(super) fn elements(self) -> (usize, usize) {
        let size = |x: u8, y: u8| usize::from(x) * usize::from(y);
        match self {
            Shape::Matrix { m, k, n } => (size(m, k), size(k, n)),
            Shape::Lanes { lanes, sums } => (size(lanes, sums), size(lanes, sums)),
            Shape::Convolution { lanes, taps } => (
                usize::from(lanes) + usize::from(taps) - 1,
                usize::from(taps),
            ),
            Shape::ChannelConvolution {
                lanes,
                taps,
                channels,
            } => (
                usize::from(lanes) + size(taps - 1, channels),
                size(taps, channels),
            ),
            Shape::ComplexLanes { lanes } => (size(lanes, 4), size(lanes, 4)),
            Shape::Blocks => (64, 64),
            Shape::Pairs => (32, 32),
            Shape::Nothing => (0, 0),
        }
    }

    /// Number of lanes that its products go to.
    pub(super) fn lanes(self) -> usize {
        match self {
            Shape::Matrix { m, n, .. } => usize::from(m) * usize::from(n),
            Shape::Lanes { lanes, .. }
            | Shape::Convolution { lanes, .. }
            | Shape::ChannelConvolution { lanes, .. } => lanes.into(),
            Shape::ComplexLanes { lanes } => 2 * usize::from(lanes),
            Shape::Blocks => 64,
            Shape::Pairs => 32,
            Shape::Nothing => 0,
        }
    }

    /// Calls with the lane, the number in it, the element of the first and that of the second
    /// source of each product.
    #[inline]
    pub(super) fn for_each_product(self, mut each: impl FnMut(usize, usize, usize, usize)) {
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

/// The sources of a product.
type Sources<'a> = (&'a [u8], &'a [u8]);

/// A lane of `N` bytes of an integer sum.
pub(super) trait SumLane<const N: usize>: Copy + Default {
    /// The low bits of a number.
    fn of(value: i64) -> Self;
    /// The lane in an accumulator.
    fn from_bytes(bytes: [u8; N]) -> Self;
    /// The product as bytes.
    fn to_bytes(self) -> [u8; N];
    /// Sum, cut to the lane.
    fn plus(self, other: Self) -> Self;
    /// Product, cut to the lane.
    fn times(self, other: Self) -> Self;
    /// The sum with a product of half words.
    fn plus_halves(self, a: i16, b: i16) -> Self;
    /// Shifted left by less than the lane's bits.
    fn shifted(self, by: u32) -> Self;
    /// Negation.
    fn negated(self) -> Self;
}

macro_rules! sum_lane {
    ($type:ty, $bytes:literal) => {
        impl SumLane<$bytes> for $type {
            #[inline(always)]
            fn of(value: i64) -> $type {
                value as $type
            }
            #[inline(always)]
            fn from_bytes(bytes: [u8; $bytes]) -> $type {
                <$type>::from_le_bytes(bytes)
            }
            #[inline(always)]
            fn to_bytes(self) -> [u8; $bytes] {
                self.to_le_bytes()
            }
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn plus_halves(self, a: i16, b: i16) -> $type {
                self.wrapping_add((i32::from(a) * i32::from(b)) as $type)
            }
            #[inline(always)]
            fn shifted(self, by: u32) -> $type {
                self.wrapping_shl(by)
            }
            #[inline(always)]
            fn negated(self) -> $type {
                self.wrapping_neg()
            }
        }
    };
}

sum_lane!(i32, 4);
sum_lane!(i64, 8);

/// An fp32 number whose last place is 1, as that of all numbers up to 2^22 above or below it: their bits differ by as much as
/// they do. A lane has 16 products of bytes at most, which is less than 2^21.
const INTEGERS: f32 = 12_582_912.0;

/// Unpacks the first elements of a source.
#[inline(always)]
fn unpack<T, const ELEMENTS: usize>(
    source: &[u8],
    (count, bits, signed): (usize, u8, bool),
    elements: &mut [T; ELEMENTS],
    of: impl Fn(i64) -> T + Copy,
) {
    let elements = &mut elements[..count];
    match (bits, signed) {
        (8, true) => {
            for (d, byte) in elements.iter_mut().zip(source) {
                *d = of((*byte as i8).into());
            }
        }
        (8, false) => {
            for (d, byte) in elements.iter_mut().zip(source) {
                *d = of((*byte).into());
            }
        }
        (16, true) => {
            for (d, bytes) in elements.iter_mut().zip(source.as_chunks().0) {
                *d = of(i16::from_le_bytes(*bytes).into());
            }
        }
        (16, false) => {
            for (d, bytes) in elements.iter_mut().zip(source.as_chunks().0) {
                *d = of(u16::from_le_bytes(*bytes).into());
            }
        }
        _ => {
            for (i, d) in elements.iter_mut().enumerate() {
                *d = of(lane(source, i, bits.into(), signed));
            }
        }
    }
}

/// Sums of the products of a shape; elements have bits and a sign in each source. There is room for the given numbers of elements of each source, and
/// lanes.
#[inline(always)]
pub(super) fn integer_sums<
    T: SumLane<N>,
    const N: usize,
    const ELEMENTS: usize,
    const LANES: usize,
>(
    shape: Shape,
    sources: Sources<'_>,
    bits: (u8, u8),
    signed: (bool, bool),
) -> [T; LANES] {
    let counts = shape.elements();
    let (first, second) = ((counts.0, bits.0, signed.0), (counts.1, bits.1, signed.1));
    let mut sums = [T::default(); LANES];
    if bits.0 <= 8 && bits.1 <= 8 && N == 4 {
        // Sums of so few products of bytes are exact in fp32, of which any host multiplies four at once.
        let (mut a, mut b) = ([0.0f32; ELEMENTS], [0.0f32; ELEMENTS]);
        unpack(sources.0, first, &mut a, |value| value as i32 as f32);
        unpack(sources.1, second, &mut b, |value| value as i32 as f32);
        let mut exact = [INTEGERS; LANES];
        shape.fold(&a, &b, &[(); LANES], &mut exact, |sum, (), a, b| {
            *sum += a * b;
        });
        for (sum, exact) in sums.iter_mut().zip(exact) {
            let value = exact.to_bits() as i32 - INTEGERS.to_bits() as i32;
            *sum = T::of(value.into());
        }
        return sums;
    }
    let is_half = |(_, bits, signed)| bits <= 8 || (bits == 16 && signed);
    if is_half(first) && is_half(second) && N == 4 {
        // Products of half words are two instructions of any host for eight of them.
        let (mut a, mut b) = ([0i16; ELEMENTS], [0i16; ELEMENTS]);
        unpack(sources.0, first, &mut a, |value| value as i16);
        unpack(sources.1, second, &mut b, |value| value as i16);
        shape.fold(&a, &b, &[(); LANES], &mut sums, |sum, (), a, b| {
            *sum = sum.plus_halves(a, b);
        });
        return sums;
    }
    let (mut a, mut b) = ([T::default(); ELEMENTS], [T::default(); ELEMENTS]);
    unpack(sources.0, first, &mut a, T::of);
    unpack(sources.1, second, &mut b, T::of);
    shape.fold(&a, &b, &[(); LANES], &mut sums, |sum, (), a, b| {
        *sum = sum.plus(a.times(b));
    });
    sums
}

/// Adds the lanes of an accumulator to sums.
#[inline(always)]
pub(super) fn add_lanes<T: SumLane<N>, const N: usize, const LANES: usize>(
    sums: &mut [T; LANES],
    accumulator: &[u8],
    shift: u32,
    negate: bool,
) {
    if shift == 0 && !negate {
        for (sum, bytes) in sums.iter_mut().zip(accumulator.as_chunks::<N>().0) {
            *sum = sum.plus(T::from_bytes(*bytes));
        }
        return;
    }
    for (sum, bytes) in sums.iter_mut().zip(accumulator.as_chunks::<N>().0) {
        let value = T::from_bytes(*bytes).shifted(shift);
        *sum = sum.plus(if negate { value.negated() } else { value });
    }
}

/// The exponent of zeros: less than that of any sum of products and accumulators that has others.
const NOTHING: i16 = -0x1000;
/// Bits of the exponent and of the fraction of fp32.
const FP32_EXPONENT: u32 = 0xFF;
const FP32_FRACTION_BITS: u32 = 23;
/// Bias of the products of two numbers over that of one.
const ONE_BIAS: i16 = 127;

/// Numbers of a source.
struct Numbers<const ELEMENTS: usize> {
    /// As they are.
    values: [f64; ELEMENTS],
    /// Exponents by which their products are aligned, with the bias of fp32.
    exponents: [i16; ELEMENTS],
}

impl<const ELEMENTS: usize> Numbers<ELEMENTS> {
    /// Room for numbers.
    #[inline(always)]
    fn new() -> Numbers<ELEMENTS> {
        Numbers {
            values: [0.0; ELEMENTS],
            exponents: [NOTHING; ELEMENTS],
        }
    }

    /// Takes the first numbers of a source; returns whether there is an infinity or a NaN.
    #[inline(always)]
    fn fill(&mut self, source: &[u8], format: FloatFormat, count: impl FnOnce() -> usize) -> bool {
        if format == FloatFormat::Bf16 {
            let mut padded = [[0; 2]; ELEMENTS];
            let numbers = first_numbers(source, &mut padded);
            self.values = numbers
                .map(|bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16).into());
            let magnitudes = numbers.map(|bytes| (u16::from_le_bytes(bytes) & 0x7FFF) as i16);
            self.exponents = magnitudes.map(|magnitude| {
                let scale = (magnitude >> 7).max(1);
                if magnitude == 0 { NOTHING } else { scale }
            });
            let greatest = magnitudes.into_iter().fold(0, i16::max);
            return greatest >= 0x7F80;
        }
        self.fill_each(source, count(), format)
    }

    /// [`Numbers::fill`] of any format.
    #[inline(always)]
    fn fill_each(&mut self, source: &[u8], count: usize, format: FloatFormat) -> bool {
        let (values, exponents) = (&mut self.values[..count], &mut self.exponents[..count]);
        let mut special = false;
        for (i, (value, exponent)) in values.iter_mut().zip(exponents).enumerate() {
            let bits = lane(source, i, format.bits(), false) as u16;
            let parts = format.parts(bits);
            special |= format.is_special(bits);
            *value = f32::from_bits(format.widen(bits)).into();
            if parts.mantissa != 0 {
                *exponent = parts.exponent as i16;
            }
        }
        special
    }
}

/// The first numbers of a source; where it ends before, those in `padded`, which are zeros. Loops over as many as the compiler knows
/// need no look at where the source lies.
#[inline(always)]
fn first_numbers<'a, const COUNT: usize>(
    source: &'a [u8],
    padded: &'a mut [[u8; 2]; COUNT],
) -> &'a [[u8; 2]; COUNT] {
    let source = source.as_chunks().0;
    match source.first_chunk() {
        Some(numbers) => numbers,
        None => {
            padded[..source.len()].copy_from_slice(source);
            padded
        }
    }
}

/// An accumulator that floating-point sums add, with the shift of its bits and whether it is negated.
pub(super) type Addend<'a> = (&'a [u8], u32, bool);

/// Sums of the products of a shape and of accumulators, as the multiplier makes them (`Sum` of `float`): terms are aligned to
/// the greatest exponent of their lane, rounded there to the nearest even, and added exactly. `None` if there are infinities
/// or NaNs.
///
/// A term is a number of fp64. Adding 1.5 · 2^52 of the last places that terms are aligned to, and subtracting it again,
/// rounds it to the nearest even of those; sums of such terms are exact.
pub(super) fn float_sums(
    products: Option<(Shape, Sources<'_>)>,
    formats: (FloatFormat, FloatFormat),
    negate: bool,
    addends: &[Option<Addend<'_>>; 2],
    d: &mut [u8],
) -> Option<()> {
    let fits = |source: &[u8], format: FloatFormat| 8 * source.len() <= 32 * format.bits() as usize;
    let is_small = d.len() <= 64
        && products.is_none_or(|(_, (a, b))| fits(a, formats.0) && fits(b, formats.1));
    let sums = FloatSums {
        products,
        formats,
        negate,
        addends,
        d,
    };
    if is_small {
        host_vectors::run(InRoom::<_, 32, 16>(sums))
    } else {
        host_vectors::run(InRoom::<_, MAX_ELEMENTS, MAX_LANES>(sums))
    }
}

/// Operands of [`float_sums`].
struct FloatSums<'a, 'd> {
    products: Option<(Shape, Sources<'a>)>,
    formats: (FloatFormat, FloatFormat),
    negate: bool,
    addends: &'a [Option<Addend<'a>>; 2],
    d: &'d mut [u8],
}

/// Sums with room for the given numbers of elements of each source, and lanes.
pub(super) struct InRoom<T, const ELEMENTS: usize, const LANES: usize>(pub T);

impl<const ELEMENTS: usize, const LANES: usize> VectorLoop
    for InRoom<FloatSums<'_, '_>, ELEMENTS, LANES>
{
    type Output = Option<()>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<()> {
        self.0.sum::<FUSED, ELEMENTS, LANES>()
    }
}

impl FloatSums<'_, '_> {
    #[inline(always)]
    fn sum<const FUSED: bool, const ELEMENTS: usize, const LANES: usize>(self) -> Option<()> {
        let FloatSums {
            products,
            formats,
            negate,
            addends,
            d,
        } = self;
        let mut greatest = [NOTHING; LANES];
        let (mut a, mut b) = (Numbers::<ELEMENTS>::new(), Numbers::<ELEMENTS>::new());
        if let Some((shape, sources)) = products {
            let (a_special, b_special) = (
                a.fill(sources.0, formats.0, || shape.elements().0),
                b.fill(sources.1, formats.1, || shape.elements().1),
            );
            if a_special | b_special {
                return None;
            }
            let (a, b) = (&a.exponents, &b.exponents);
            shape.fold(a, b, &[(); LANES], &mut greatest, |most, (), a, b| {
                *most = (*most).max(a + b);
            });
        }
        for (bytes, shift, _) in addends.iter().flatten() {
            let mut special = false;
            for (most, bytes) in greatest.iter_mut().zip(bytes.as_chunks().0) {
                let bits = u32::from_le_bytes(*bytes) << shift;
                let exponent = bits >> FP32_FRACTION_BITS & FP32_EXPONENT;
                special |= exponent == FP32_EXPONENT;
                let own = exponent.max(1) as i16 + ONE_BIAS;
                *most = (*most).max(if bits << 1 == 0 { NOTHING } else { own });
            }
            if special {
                return None;
            }
        }
        let mut magic = [0.0; LANES];
        for (magic, exponent) in magic.iter_mut().zip(&greatest) {
            // 2^52 times the last place: the bias of fp64 less that of a product and the bits of its fraction.
            let scale = (*exponent).max(0) as u64 + 1023 + 52 - 2 * 127 - 23;
            *magic = f64::from_bits(scale << 52 | 1 << 51);
        }
        let mut sums = [0.0f64; LANES];
        if let Some((shape, _)) = products {
            let (a, b) = (&a.values, &b.values);
            shape.fold(a, b, &magic, &mut sums, |sum, magic, a, b| {
                // A product of elements is exact, so that a fused sum is the same.
                let shifted = if FUSED {
                    a.mul_add(b, magic)
                } else {
                    a * b + magic
                };
                *sum += shifted - magic;
            });
        }
        if negate {
            sums.iter_mut().for_each(|sum| *sum = 0.0 - *sum);
        }
        for (bytes, shift, negate) in addends.iter().flatten() {
            let sign = u32::from(*negate) << 31;
            let lanes = sums.iter_mut().zip(&magic);
            for ((sum, magic), bytes) in lanes.zip(bytes.as_chunks().0) {
                let bits = u32::from_le_bytes(*bytes) << shift;
                let value = f64::from(f32::from_bits(bits ^ sign));
                *sum += (value + magic) - magic;
            }
        }
        for (sum, d) in sums.iter().zip(d.as_chunks_mut().0) {
            *d = fp32_of_sum(*sum).to_le_bytes();
        }
        Some(())
    }
}

impl Shape {
    /// Calls for each product with the lane of `d` and of `e` that it goes to and with its elements; the products of a lane in
    /// any order.
    #[inline(always)]
    fn fold<A: Copy, E: Copy, D: Copy, const ELEMENTS: usize, const LANES: usize>(
        self,
        a: &[A; ELEMENTS],
        b: &[A; ELEMENTS],
        e: &[E; LANES],
        d: &mut [D; LANES],
        each: impl Fn(&mut D, E, A, A) + Copy,
    ) {
        match self {
            Shape::Matrix { m, k: 2, n: 4 } => rows::<2, 4, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 2, n: 8 } => rows::<2, 8, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 4, n: 4 } => rows::<4, 4, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 4, n: 8 } => rows::<4, 8, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 8, n: 4 } => rows::<8, 4, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 8, n: 8 } => rows::<8, 8, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 8, n: 16 } => rows::<8, 16, A, E, D>(m, a, b, e, d, each),
            Shape::Matrix { m, k: 16, n: 8 } => rows::<16, 8, A, E, D>(m, a, b, e, d, each),
            Shape::Lanes { lanes, sums } => {
                let (lanes, sums) = (usize::from(lanes), usize::from(sums));
                for (a, b) in a.chunks(lanes).zip(b.chunks(lanes)).take(sums) {
                    for (((d, e), a), b) in d.iter_mut().zip(e).zip(a).zip(b) {
                        each(d, *e, *a, *b);
                    }
                }
            }
            Shape::Convolution { lanes, taps } => {
                for (tap, b) in b.iter().enumerate().take(taps.into()) {
                    let d = d.iter_mut().take(lanes.into());
                    for ((d, e), a) in d.zip(e).zip(&a[tap..]) {
                        each(d, *e, *a, *b);
                    }
                }
            }
            other => {
                other.for_each_product(|lane, _, i, j| each(&mut d[lane], e[lane], a[i], b[j]))
            }
        }
    }
}

/// [`Shape::fold`] of a matrix product of m rows of K elements with N columns.
#[inline(always)]
fn rows<const K: usize, const N: usize, A: Copy, E: Copy, D: Copy>(
    m: u8,
    a: &[A],
    b: &[A],
    e: &[E],
    d: &mut [D],
    each: impl Fn(&mut D, E, A, A) + Copy,
) {
    let Some(b) = b.as_chunks::<N>().0.first_chunk::<K>() else {
        return;
    };
    let lanes = d.as_chunks_mut::<N>().0.iter_mut();
    let lanes = lanes.zip(e.as_chunks::<N>().0).take(m.into());
    for (a, (d, e)) in a.as_chunks::<K>().0.iter().zip(lanes) {
        for k in 0..K {
            for i in 0..N {
                each(&mut d[i], e[i], a[k], b[k][i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_the_same_on_every_host() {
        let mut rng = fastrand::Rng::with_seed(42);
        let shapes = [
            Shape::Matrix { m: 4, k: 8, n: 4 },
            Shape::Lanes { lanes: 16, sums: 2 },
        ];
        for round in 0..2_000 {
            // Numbers whose products are rounded to the last place of their lane, and ties.
            let range = [2, 8, 30][round % 3];
            let mut half = || rng.u16(..) & 0x807F | (120 + rng.u16(..range)) << 7;
            let mut halves = |count: usize| -> Vec<u8> {
                (0..count).flat_map(|_| half().to_le_bytes()).collect()
            };
            let (a, b, accumulator) = (halves(32), halves(32), halves(32));
            let addends = [Some((&accumulator[..], 0, round % 2 == 0)), None];
            let (mut quick, mut plain) = ([0; 64], [0; 64]);
            let sums = |d| {
                InRoom::<_, 32, 16>(FloatSums {
                    products: Some((shapes[round / 3 % 2], (&a, &b))),
                    formats: (FloatFormat::Bf16, FloatFormat::Bf16),
                    negate: round % 5 == 0,
                    addends: &addends,
                    d,
                })
            };
            assert!(host_vectors::run(sums(&mut quick)).is_some());
            assert!(sums(&mut plain).run::<false>().is_some());
            assert_eq!(quick, plain, "round {round}");
        }
    }
}
