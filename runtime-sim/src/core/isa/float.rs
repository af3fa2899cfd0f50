//! Floating point of the vector unit: conversions between bf16 and fp32, and sums of products.

use super::formats::FloatFormat;
use super::rounding::{Remainder, Rounding};

const EXPONENT: u32 = 0x7F80_0000;
const FRACTION: u32 = 0x007F_FFFF;
const SIGN: u32 = 0x8000_0000;
/// The bit of the mantissa that a number's fraction does not show.
const HIDDEN_BIT: u32 = 0x80_0000;
/// The payload that NaNs of the multiplier have.
const NAN_PAYLOAD: u32 = 1;

/// bf16 to fp32: exact, subnormals stay (256 of 256 cases on NPU1 silicon).
pub(super) fn widen(bf16: u16) -> u32 {
    u32::from(bf16) << 16
}

/// fp32 to bf16: the bit pattern is cut and rounded, so that subnormals stay and an overflow
/// becomes infinity; a NaN keeps its upper bits (960 of 960 cases on NPU1 silicon).
pub(super) fn narrow(fp32: u32, rounding: Rounding) -> u16 {
    let upper = (fp32 >> 16) as u16;
    if fp32 & EXPONENT == EXPONENT && fp32 & FRACTION != 0 {
        return match upper & 0x7F {
            0 => upper | 1,
            _ => upper,
        };
    }
    let rest = Remainder::of(fp32.into(), 16);
    let up = rounding
        .of_magnitude(fp32 & SIGN != 0)
        .rounds_up(upper & 1 != 0, false, rest);
    upper.wrapping_add(up.into())
}

/// `floor(x · 2^shift)` as a 32-bit integer, clamped to its range (beyond 24 bits, and NaN, which
/// gives 0: unconfirmed). A negative subnormal gives −1 (256 of 256 cases on NPU1 silicon).
pub(super) fn floor_to_int(bf16: u16, shift: i32) -> i32 {
    let x = f32::from_bits(widen(bf16));
    if x < 0.0 && x.is_subnormal() && shift <= 0 {
        return -1;
    }
    (f64::from(x) * f64::from(shift).exp2()).floor() as i32
}

/// Bits below the last one of a bf16 product that a term keeps when it is aligned to the greatest
/// exponent of the sum.
///
/// With this number and rounding to the nearest even all 864 results of 54 products 4x8 by 8x4
/// measured on NPU1 silicon (xdna-emu) are exact, infinities and NaNs included.
const GUARD_BITS: u32 = 9;
/// Terms further below the greatest are 0.
const FAR: i32 = 60;

/// Bits of fraction that terms have: 14 of a product of two bf16, and those below.
const FRACTION_BITS: u32 = 14 + GUARD_BITS;

/// A number `±mantissa · 2^(exponent − FRACTION_BITS − 254)`.
#[derive(Clone, Copy, Debug)]
struct Term {
    negative: bool,
    exponent: i32,
    mantissa: u64,
}

/// Sums terms as the multiplier does: all are aligned to the greatest exponent, rounded there to
/// the nearest even, added exactly, and the sum is rounded to fp32.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    terms: [Option<Term>; MAX_TERMS],
    count: usize,
    nan: bool,
    infinite: [bool; 2],
}

/// Sixteen products of a lane and two accumulators.
const MAX_TERMS: usize = 18;

impl Sum {
    fn push(&mut self, term: Term) {
        if term.mantissa != 0
            && let Some(slot) = self.terms.get_mut(self.count)
        {
            *slot = Some(term);
            self.count += 1;
        }
    }

    /// Adds `±a · b`, each a number's bits and its format.
    pub fn add_product(
        &mut self,
        (a, a_format): (u16, FloatFormat),
        (b, b_format): (u16, FloatFormat),
        negate: bool,
    ) {
        let (x, y) = (a_format.parts(a), b_format.parts(b));
        let negative = x.negative ^ y.negative ^ negate;
        if a_format.is_special(a) || b_format.is_special(b) {
            let nan = a_format.is_nan(a) || b_format.is_nan(b);
            if nan || x.mantissa == 0 || y.mantissa == 0 {
                self.nan = true;
            } else {
                self.infinite[usize::from(negative)] = true;
            }
        }
        let below = FRACTION_BITS - a_format.fraction_bits() - b_format.fraction_bits();
        self.push(Term {
            negative,
            exponent: x.exponent + y.exponent,
            mantissa: (x.mantissa * y.mantissa) << below,
        });
    }

    /// Adds `±product · 2^(exponent − 254) / 2^12`: a sum of products of block floating point, which
    /// has 2 bits of fraction less than a product of two bf16.
    pub fn add_block_product(&mut self, product: i32, exponent: i32, negate: bool) {
        self.push(Term {
            negative: (product < 0) ^ negate,
            exponent,
            mantissa: u64::from(product.unsigned_abs()) << (2 + GUARD_BITS),
        });
    }

    /// Adds a number of the accumulator, whose subnormals count.
    pub fn add_accumulator(&mut self, fp32: u32, negate: bool) {
        let negative = (fp32 & SIGN != 0) ^ negate;
        let exponent = (fp32 & EXPONENT) >> 23;
        if exponent == 0xFF {
            match fp32 & FRACTION {
                0 => self.infinite[usize::from(negative)] = true,
                _ => self.nan = true,
            }
        }
        let hidden = if exponent == 0 { 0 } else { HIDDEN_BIT };
        self.push(Term {
            negative,
            exponent: exponent.max(1) as i32 + 127,
            mantissa: u64::from(fp32 & FRACTION | hidden),
        });
    }

    /// The fp32 number.
    pub fn value(&self) -> u32 {
        let terms = || self.terms[..self.count].iter().flatten();
        let Some(greatest) = terms().map(|term| term.exponent).max() else {
            return self.special(false, None);
        };
        let mut sum = 0i64;
        for term in terms() {
            let aligned = shift_to_nearest(term.mantissa, greatest - term.exponent) as i64;
            sum += if term.negative { -aligned } else { aligned };
        }
        let negative = sum < 0;
        let magnitude = sum.unsigned_abs();
        let (mut bits, overflow) = round(magnitude, greatest - 254 - FRACTION_BITS as i32);
        if self.nan || self.infinite[0] || self.infinite[1] {
            return self.special(negative, (!overflow).then_some(bits & FRACTION));
        }
        if overflow {
            bits = EXPONENT;
        }
        bits | if negative { SIGN } else { 0 }
    }

    /// The result of sums with infinities and NaNs. A NaN has the sign of the sum in which it and
    /// infinities count as numbers, and the fraction of that sum unless it overflows.
    fn special(&self, negative: bool, fraction: Option<u32>) -> u32 {
        let sign = if negative { SIGN } else { 0 };
        match self.infinite {
            _ if self.nan => sign | EXPONENT | fraction.unwrap_or(0) | NAN_PAYLOAD,
            [true, true] => sign | EXPONENT | fraction.unwrap_or(0) | NAN_PAYLOAD,
            [true, false] => EXPONENT,
            [false, true] => SIGN | EXPONENT,
            [false, false] => 0,
        }
    }
}

/// The bits of fraction of fp32, which accumulators have, are those of terms.
const _: () = assert!(FRACTION_BITS == 23);

/// Shifts right and rounds to the nearest even.
fn shift_to_nearest(value: u64, by: i32) -> u64 {
    if by >= FAR {
        return 0;
    }
    let by = by as u32;
    let floor = value >> by;
    let up = Rounding::NearestEven.rounds_up(floor & 1 != 0, false, Remainder::of(value, by));
    floor + u64::from(up)
}

/// The fp32 number of a sum that is exact: to the nearest even; one that would be subnormal is 0 (sums on NPU1).
#[inline(always)]
pub(super) fn fp32_of_sum(sum: f64) -> u32 {
    if sum.abs() < f64::from(f32::MIN_POSITIVE) {
        // A sum that is 0 has no sign.
        return if sum < 0.0 { SIGN } else { 0 };
    }
    (sum as f32).to_bits()
}

/// `magnitude · 2^scale` to the nearest fp32, without sign, and whether that is too great.
fn round(magnitude: u64, scale: i32) -> (u32, bool) {
    if magnitude == 0 {
        return (0, false);
    }
    let bits = 64 - magnitude.leading_zeros() as i32;
    let mut exponent = bits - 1 + scale;
    // Results that would be subnormal are 0 (sums on NPU1).
    if exponent < -126 {
        return (0, false);
    }
    let cut = bits - 24;
    let mut fraction = match cut {
        1.. => shift_to_nearest(magnitude, cut),
        _ => magnitude << -cut,
    };
    if fraction >> 24 != 0 {
        fraction >>= 1;
        exponent += 1;
    }
    let fraction = fraction as u32 & FRACTION;
    if exponent > 127 {
        return (fraction, true);
    }
    (((exponent + 127) as u32) << 23 | fraction, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing() {
        let round = |bits, code| narrow(bits, Rounding::from_register(code));
        // 1 + half of the last place, both signs.
        for (code, plus, minus) in [
            (0, 0x3F80, 0xBF81),
            (1, 0x3F81, 0xBF80),
            (2, 0x3F80, 0xBF80),
            (3, 0x3F81, 0xBF81),
            (8, 0x3F80, 0xBF81),
            (9, 0x3F81, 0xBF80),
            (10, 0x3F80, 0xBF80),
            (11, 0x3F81, 0xBF81),
            (12, 0x3F80, 0xBF80),
            (13, 0x3F81, 0xBF81),
        ] {
            assert_eq!(round(0x3F80_8000, code), plus, "crRnd {code}");
            assert_eq!(round(0xBF80_8000, code), minus, "crRnd {code}");
        }
        assert_eq!(round(0x7F80_0001, 0), 0x7F81);
        assert_eq!(round(0x7F7F_FFFF, 1), 0x7F80);
    }

    #[test]
    fn floors() {
        assert_eq!(floor_to_int(0xBFC0, 0), -2);
        assert_eq!(floor_to_int(0x3FC0, 1), 3);
        assert_eq!(floor_to_int(0x8001, 0), -1);
        assert_eq!(floor_to_int(0x7F80, 0), i32::MAX);
    }

    #[test]
    fn sums_of_products() {
        let bf16 = |bits| (bits, FloatFormat::Bf16);
        let one = bf16(0x3F80);
        let mut sum = Sum::default();
        sum.add_product(one, bf16(0x4000), false);
        sum.add_product(one, one, true);
        sum.add_accumulator(0.5f32.to_bits(), false);
        assert_eq!(f32::from_bits(sum.value()), 1.5);
        sum.add_accumulator(1.5f32.to_bits(), true);
        assert_eq!(sum.value(), 0);
        sum.add_accumulator(f32::INFINITY.to_bits(), true);
        assert_eq!(f32::from_bits(sum.value()), f32::NEG_INFINITY);
        sum.add_product(bf16(0x7F80), bf16(0), false);
        assert_eq!(sum.value(), SIGN | EXPONENT | 1);
    }
}
