//! Floating-point formats of 8 and 16 bits: bf16 of all architectures, fp16, fp8 and bf8 of AIE2PS.
//!
//! fp16 and bf8 are those of IEEE 754 (5 bits of exponent), fp8 has 4 bits of exponent, no infinity
//! and one NaN of each sign (OCP 8-bit floating point, E5M2 and E4M3). That AIE2PS has them so, with
//! subnormals, is unconfirmed; its registers crFP8conf and crBF8conf say which variants it takes.

use super::rounding::{Remainder, Rounding};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatFormat {
    Bf16,
    Fp16,
    /// E5M2.
    Bf8,
    /// E4M3.
    Fp8,
}

/// A number `±mantissa · 2^(exponent − 127 − fraction bits)`.
pub(super) struct Parts {
    pub negative: bool,
    /// With the bias of bf16 and fp32.
    pub exponent: i32,
    /// With its hidden bit.
    pub mantissa: u64,
}

/// Bits of fraction of fp32.
const FP32_FRACTION_BITS: u32 = 23;
/// Bias of bf16 and fp32.
const FP32_BIAS: i32 = 127;
/// The greatest exponent of fp32, as its bits.
const FP32_SPECIAL: u32 = 0x7F80_0000;

impl FloatFormat {
    /// The format of a name in mnemonics.
    pub fn of_name(name: &str) -> Option<FloatFormat> {
        Some(match name {
            "bf16" => FloatFormat::Bf16,
            "fp16" => FloatFormat::Fp16,
            "bf8" => FloatFormat::Bf8,
            "fp8" => FloatFormat::Fp8,
            _ => return None,
        })
    }

    /// Bits of a number.
    pub fn bits(self) -> u32 {
        match self {
            FloatFormat::Bf16 | FloatFormat::Fp16 => 16,
            FloatFormat::Bf8 | FloatFormat::Fp8 => 8,
        }
    }

    pub fn fraction_bits(self) -> u32 {
        match self {
            FloatFormat::Bf16 => 7,
            FloatFormat::Fp16 => 10,
            FloatFormat::Bf8 => 2,
            FloatFormat::Fp8 => 3,
        }
    }

    fn bias(self) -> i32 {
        match self {
            FloatFormat::Bf16 => FP32_BIAS,
            FloatFormat::Fp16 | FloatFormat::Bf8 => 15,
            FloatFormat::Fp8 => 7,
        }
    }

    /// The magnitude from which on numbers are infinite or no numbers.
    fn first_special(self) -> u16 {
        match self {
            FloatFormat::Bf16 => 0x7F80,
            FloatFormat::Fp16 => 0x7C00,
            FloatFormat::Bf8 => 0x7C,
            FloatFormat::Fp8 => 0x7F,
        }
    }

    fn has_infinity(self) -> bool {
        self != FloatFormat::Fp8
    }

    fn magnitude(self, number: u16) -> u16 {
        number & ((1 << (self.bits() - 1)) - 1)
    }

    /// Whether a number is infinite or none.
    pub fn is_special(self, number: u16) -> bool {
        self.magnitude(number) >= self.first_special()
    }

    pub fn is_nan(self, number: u16) -> bool {
        let first = self.first_special() + u16::from(self.has_infinity());
        self.magnitude(number) >= first
    }

    /// The parts of a number; those of infinities and NaNs as if they were numbers.
    pub fn parts(self, number: u16) -> Parts {
        let magnitude = self.magnitude(number);
        let fraction_bits = self.fraction_bits();
        let (exponent, fraction) = (
            i32::from(magnitude >> fraction_bits),
            u64::from(magnitude) & ((1 << fraction_bits) - 1),
        );
        let hidden = if exponent == 0 { 0 } else { 1 << fraction_bits };
        Parts {
            negative: number >> (self.bits() - 1) & 1 != 0,
            exponent: exponent.max(1) - self.bias() + FP32_BIAS,
            mantissa: fraction | hidden,
        }
    }

    /// The fp32 number, which is exact.
    pub fn widen(self, number: u16) -> u32 {
        let parts = self.parts(number);
        let sign = u32::from(parts.negative) << 31;
        let to_fp32 = FP32_FRACTION_BITS - self.fraction_bits();
        if self.is_special(number) {
            let fraction = u32::from(self.magnitude(number)) << to_fp32 & !FP32_SPECIAL;
            return sign
                | FP32_SPECIAL
                | if self.is_nan(number) {
                    fraction.max(1)
                } else {
                    0
                };
        }
        if parts.mantissa == 0 {
            return sign;
        }
        let above = self.fraction_bits() as i32 - parts.mantissa.ilog2() as i32;
        let exponent = parts.exponent - above;
        if exponent < 1 {
            // A subnormal of bf16 is one of fp32.
            return sign | (parts.mantissa as u32) << to_fp32;
        }
        let mantissa = (parts.mantissa as u32) << (to_fp32 as i32 + above);
        sign | (exponent as u32) << FP32_FRACTION_BITS | mantissa & 0x7F_FFFF
    }

    /// The number nearest to an fp32 number by a rounding; what is too great becomes infinite, or the
    /// greatest number if `saturates`. NaNs stay NaNs.
    pub fn narrow(self, fp32: u32, rounding: Rounding, saturates: bool) -> u16 {
        let negative = fp32 >> 31 != 0;
        let sign = u16::from(negative) << (self.bits() - 1);
        let fraction = fp32 & 0x7F_FFFF;
        let exponent = (fp32 & FP32_SPECIAL) >> FP32_FRACTION_BITS;
        let cut = FP32_FRACTION_BITS - self.fraction_bits();
        let special = self.first_special();
        let is_special = fp32 & FP32_SPECIAL == FP32_SPECIAL;
        if is_special && fraction != 0 {
            let fraction = if self.has_infinity() {
                ((fraction >> cut) as u16).max(1)
            } else {
                0
            };
            return sign | special | fraction;
        }
        let mantissa = fraction
            | if exponent == 0 {
                0
            } else {
                1 << FP32_FRACTION_BITS
            };
        let own = exponent.max(1) as i32 - FP32_BIAS + self.bias();
        // Numbers below the least normal one lose bits of their fraction.
        let cut = cut + own.min(1).abs_diff(1);
        let rest = Remainder::of(mantissa.into(), cut.min(63));
        let floor = mantissa.checked_shr(cut).unwrap_or(0);
        let up = rounding
            .of_magnitude(negative)
            .rounds_up(floor & 1 != 0, false, rest);
        // The hidden bit counts in the exponent, into which a fraction may be rounded up.
        let exponent = (own.max(1) as u32 - 1) << self.fraction_bits();
        let magnitude = exponent + floor + u32::from(up);
        if is_special || magnitude >= u32::from(special) {
            return sign | (special - u16::from(saturates));
        }
        sign | magnitude as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [FloatFormat; 4] = [
        FloatFormat::Bf16,
        FloatFormat::Fp16,
        FloatFormat::Bf8,
        FloatFormat::Fp8,
    ];

    #[test]
    fn every_number_is_itself_after_widening_and_narrowing() {
        for format in ALL {
            for number in 0..1u32 << format.bits() {
                let number = number as u16;
                let wide = format.widen(number);
                assert_eq!(f32::from_bits(wide).is_nan(), format.is_nan(number));
                for rounding in [0, 1, 12] {
                    let rounding = Rounding::from_register(rounding);
                    let again = format.narrow(wide, rounding, false);
                    assert_eq!(again, number, "{format:?} {wide:#x}");
                }
            }
        }
    }

    #[test]
    fn roundings_at_the_edges() {
        let even = Rounding::NearestEven;
        let narrow = |format: FloatFormat, value: f32| format.narrow(value.to_bits(), even, false);
        assert_eq!(narrow(FloatFormat::Fp16, 1.0), 0x3C00);
        assert_eq!(narrow(FloatFormat::Fp16, 65519.0), 0x7BFF);
        assert_eq!(narrow(FloatFormat::Fp16, 65520.0), 0x7C00);
        assert_eq!(narrow(FloatFormat::Fp16, -6.0e-8), 0x8001);
        assert_eq!(narrow(FloatFormat::Fp16, 2.0e-8), 0);
        assert_eq!(narrow(FloatFormat::Bf8, 57344.0), 0x7B);
        assert_eq!(narrow(FloatFormat::Fp8, 448.0), 0x7E);
        assert_eq!(narrow(FloatFormat::Fp8, 1.0e9), 0x7F);
        assert_eq!(narrow(FloatFormat::Fp8, -0.0), 0x80);
        let saturated = |format: FloatFormat| format.narrow(f32::INFINITY.to_bits(), even, true);
        assert_eq!(ALL.map(saturated), [0x7F7F, 0x7BFF, 0x7B, 0x7E]);
        let up = Rounding::Ceil;
        assert_eq!(FloatFormat::Fp16.narrow(1, up, false), 1);
    }
}
