//! Float formats as bits: conversions that round to nearest even unless another mode is given, the same on every
//! machine, and that lose nothing of a NaN which the other format can hold (IEEE 754-2019, 5.4.2 and 6.2).
//!
//! Moving a value never changes its bits: a signalling NaN stays one. Operations that compute
//! give [`FloatFormat::nan`] or set the quiet bit themselves.

use super::{FloatFormat, RoundingMode};

/// Fraction bits of an f64.
const F64_FRACTION: u32 = 52;
/// Exponent field of an f64's infinity.
const F64_INFINITY: u64 = 0x7FF << F64_FRACTION;
/// Bias of an f64's exponent.
const F64_BIAS: i64 = 1023;

impl FloatFormat {
    /// Bits of the exponent and of the fraction.
    const fn fields(self) -> (u32, u32) {
        match self {
            FloatFormat::F32 => (8, 23),
            FloatFormat::F64 => (11, 52),
            FloatFormat::Bf16 => (8, 7),
            FloatFormat::F16 => (5, 10),
        }
    }

    /// The quiet NaN that computing gives, in memory form: positive, no payload.
    pub const fn nan(self) -> u64 {
        let (exponent, fraction) = self.fields();
        (((1 << exponent) - 1) << fraction) | self.quiet_bit()
    }

    /// The bit of a NaN that makes it quiet, in memory form.
    pub const fn quiet_bit(self) -> u64 {
        1 << (self.fields().1 - 1)
    }

    /// The bits of the f64 with the value of these bits of memory.
    pub const fn to_f64_bits(self, bits: u64) -> u64 {
        let (exponent, fraction) = self.fields();
        if matches!(self, FloatFormat::F64) {
            return bits;
        }
        let sign = (bits >> (exponent + fraction) & 1) << 63;
        let field = bits >> fraction & ((1 << exponent) - 1);
        let low = bits & ((1 << fraction) - 1);
        let bias = (1i64 << (exponent - 1)) - 1;
        let aligned = low << (F64_FRACTION - fraction);
        if field == (1 << exponent) - 1 {
            return sign | F64_INFINITY | aligned;
        }
        if field != 0 {
            let field = (field as i64 - bias + F64_BIAS) as u64;
            return sign | field << F64_FRACTION | aligned;
        }
        if low == 0 {
            return sign;
        }
        // A subnormal: shifted until its first one is where the hidden bit of an f64 is.
        let shift = low.leading_zeros() - (63 - F64_FRACTION);
        let exponent_of_last = 1 - bias - fraction as i64;
        let field = (exponent_of_last + F64_FRACTION as i64 - shift as i64 + F64_BIAS) as u64;
        sign | field << F64_FRACTION | (low << shift & ((1 << F64_FRACTION) - 1))
    }

    /// The bits in memory of the value nearest to that of these bits of an f64.
    pub const fn from_f64_bits(self, bits: u64) -> u64 {
        self.rounded(bits, RoundingMode::ToNearestEven)
    }

    /// The bits in memory of what these bits of an f64 are rounded to (IEEE 754-2019, 4.3).
    pub const fn rounded(self, bits: u64, mode: RoundingMode) -> u64 {
        if matches!(self, FloatFormat::F64) {
            return bits;
        }
        let (exponent, fraction) = self.fields();
        let sign = bits >> 63 << (exponent + fraction);
        let infinity = ((1u64 << exponent) - 1) << fraction;
        let magnitude = bits & !(1 << 63);
        let low = magnitude & ((1 << F64_FRACTION) - 1);
        if magnitude > F64_INFINITY {
            let payload = low >> (F64_FRACTION - fraction);
            // Without any payload left it would be an infinity.
            let payload = if payload == 0 {
                self.quiet_bit()
            } else {
                payload
            };
            return sign | infinity | payload;
        }
        if magnitude == F64_INFINITY {
            return sign | infinity;
        }
        let negative = bits >> 63 == 1;
        // Values beyond a magnitude go to the next greater one.
        let outward = match mode {
            RoundingMode::Upward => !negative,
            RoundingMode::Downward => negative,
            _ => false,
        };
        let field = (magnitude >> F64_FRACTION) as i64;
        let target = field - F64_BIAS + (1i64 << (exponent - 1)) - 1;
        let below = if target < 1 { 1 - target } else { 0 };
        let shift = (F64_FRACTION - fraction) as i64 + below;
        // Less than half of the least value; subnormals of f64 are among these.
        if field == 0 || shift > F64_FRACTION as i64 + 1 {
            return sign | (outward && magnitude > 0) as u64;
        }
        let mantissa = low | 1 << F64_FRACTION;
        let (kept, rest) = (mantissa >> shift, mantissa & ((1 << shift) - 1));
        let half = 1u64 << (shift - 1);
        let up = match mode {
            RoundingMode::ToNearestEven => rest > half || (rest == half && kept & 1 == 1),
            RoundingMode::ToNearestAway => rest >= half,
            _ => outward && rest > 0,
        };
        // The hidden bit of a normal number counts as one step of the exponent.
        let steps = if target > 1 { target - 1 } else { 0 } as u64;
        let rounded = (steps << fraction) + kept + up as u64;
        let to_nearest = matches!(
            mode,
            RoundingMode::ToNearestEven | RoundingMode::ToNearestAway
        );
        sign | if rounded < infinity {
            rounded
        } else if outward || to_nearest {
            infinity
        } else {
            infinity - 1
        }
    }

    /// Register form of these bits of memory: narrow floats are kept as an f32.
    pub const fn to_register(self, bits: u64) -> u64 {
        match self {
            FloatFormat::F64 => bits,
            FloatFormat::F32 => bits & 0xFFFF_FFFF,
            FloatFormat::Bf16 => (bits & 0xFFFF) << 16,
            FloatFormat::F16 => FloatFormat::F32.from_f64_bits(self.to_f64_bits(bits & 0xFFFF)),
        }
    }

    /// The bits in memory of what a register holds, rounded if the format can't hold it.
    pub const fn from_register(self, value: u64) -> u64 {
        match self {
            FloatFormat::F64 => value,
            FloatFormat::F32 => value & 0xFFFF_FFFF,
            FloatFormat::Bf16 if value & 0xFFFF == 0 => value >> 16 & 0xFFFF,
            FloatFormat::Bf16 | FloatFormat::F16 => {
                self.from_f64_bits(FloatFormat::F32.to_f64_bits(value & 0xFFFF_FFFF))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: [FloatFormat; 3] = [FloatFormat::F32, FloatFormat::Bf16, FloatFormat::F16];

    #[test]
    fn every_value_of_a_narrow_format_comes_back_with_all_its_bits() {
        for format in [FloatFormat::Bf16, FloatFormat::F16] {
            for bits in 0..=0xFFFFu64 {
                assert_eq!(format.from_f64_bits(format.to_f64_bits(bits)), bits);
                assert_eq!(format.from_register(format.to_register(bits)), bits);
            }
        }
        for bits in [
            0u64,
            1,
            0x8000_0000,
            0x7F80_0001,
            0xFFBF_FFFF,
            0x0080_0000,
            0x007F_FFFF,
        ] {
            assert_eq!(
                FloatFormat::F32.from_f64_bits(FloatFormat::F32.to_f64_bits(bits)),
                bits
            );
        }
    }

    #[test]
    fn single_precision_agrees_with_the_machine() {
        // A step that is coprime to 2^32 visits all exponents and many fractions.
        for step in 0..200_000u64 {
            let bits = (step.wrapping_mul(0x9E37_79B9)) as u32;
            let value = f32::from_bits(bits);
            if value.is_nan() {
                continue;
            }
            assert_eq!(
                FloatFormat::F32.to_f64_bits(bits.into()),
                f64::from(value).to_bits()
            );
            let double = f64::from_bits(step.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 2 << 1);
            let near = f64::from(value) * (1.0 + f64::EPSILON * step as f64);
            for double in [double, near] {
                let wanted = u64::from((double as f32).to_bits());
                assert_eq!(
                    FloatFormat::F32.from_f64_bits(double.to_bits()),
                    wanted,
                    "{double:e}"
                );
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_even_in_one_step() {
        let bf16 = |value: f64| FloatFormat::Bf16.from_f64_bits(value.to_bits());
        let tie = 1.0 + 2f64.powi(-8);
        assert_eq!(bf16(tie), 0x3F80);
        assert_eq!(bf16(tie + 2f64.powi(-50)), 0x3F81);
        assert_eq!(bf16(1.0 + 3.0 * 2f64.powi(-8)), 0x3F82);
        assert_eq!(bf16(f64::MAX), 0x7F80);
        let f16 = |value: f64| FloatFormat::F16.from_f64_bits(value.to_bits());
        assert_eq!(f16(65519.0), 0x7BFF);
        assert_eq!(f16(65520.0), 0x7C00);
        assert_eq!(f16(2f64.powi(-25)), 0);
        assert_eq!(f16(2f64.powi(-25) * 1.001), 1);
        assert_eq!(f16(-2f64.powi(-30)), 0x8000);
    }

    #[test]
    fn directed_rounding_goes_one_way_only() {
        use RoundingMode::*;
        let bf16 = |value: f64, mode| FloatFormat::Bf16.rounded(value.to_bits(), mode);
        let tie = 1.0 + 2f64.powi(-8);
        let modes = [ToNearestEven, Downward, Upward, TowardZero, ToNearestAway];
        assert_eq!(
            modes.map(|mode| bf16(tie, mode)),
            [0x3F80, 0x3F80, 0x3F81, 0x3F80, 0x3F81]
        );
        assert_eq!(
            modes.map(|mode| bf16(-tie, mode)),
            [0xBF80, 0xBF81, 0xBF80, 0xBF80, 0xBF81]
        );
        assert_eq!(
            modes.map(|mode| bf16(f64::MAX, mode)),
            [0x7F80, 0x7F7F, 0x7F80, 0x7F7F, 0x7F80]
        );
        assert_eq!(
            modes.map(|mode| bf16(-1e-300, mode)),
            [0x8000, 0x8001, 0x8000, 0x8000, 0x8000]
        );
        assert_eq!(modes.map(|mode| bf16(0.0, mode)), [0; 5]);
        assert_eq!(modes.map(|mode| bf16(1.5, mode)), [0x3FC0; 5]);
        assert_eq!(modes.map(|mode| bf16(f64::INFINITY, mode)), [0x7F80; 5]);
    }

    #[test]
    fn a_nan_keeps_sign_and_payload() {
        for format in NARROW {
            let quiet = format.nan();
            assert!(f64::from_bits(format.to_f64_bits(quiet)).is_nan());
            let signalling = quiet ^ format.quiet_bit() | 1;
            assert_eq!(
                format.from_f64_bits(format.to_f64_bits(signalling)),
                signalling
            );
        }
        let payload_that_bf16_lacks = 0x7FF0_0000_0000_0001;
        assert_eq!(
            FloatFormat::Bf16.from_f64_bits(payload_that_bf16_lacks),
            0x7FC0
        );
    }
}
