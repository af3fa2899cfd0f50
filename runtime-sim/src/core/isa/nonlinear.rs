//! Functions of the scalar unit and of the vector unit that aren't sums or products: 1/x, √x, 1/√x,
//! 2^x, tanh x.
//!
//! Names: `llvm-aie: clang/lib/Headers/aie2p/aie2p_nlf.h`, `aie2p_nlf_vector.h`, `aie2p_cnvf2f.h`.
//! Silicon computes approximations that no public source describes; here results are the exact values,
//! rounded to the nearest number of their format.

use super::float::narrow;
use super::registers::Scalar;
use super::rounding::Rounding;

/// A function of an fp32 number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// The number itself.
    Identity,
    Inverse,
    SquareRoot,
    InverseSquareRoot,
}

/// A function of a scalar register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NonLinear {
    pub function: Function,
    pub d: Scalar,
    pub a: Scalar,
    /// The operand is an integer; this register holds the number of its bits of fraction.
    pub from_integer: Option<Scalar>,
    /// So is the result.
    pub to_integer: Option<Scalar>,
    pub latency: u8,
}

/// A shift register's 6 bits as a signed number (`aie2p_cnvf2f.h`: −32 to 31).
fn signed_shift(shift: u32) -> i32 {
    (shift << 26) as i32 >> 26
}

impl Function {
    /// The bits of its value.
    pub fn of(self, x: u32) -> u32 {
        let wide = f64::from(f32::from_bits(x));
        let value = match self {
            Function::Identity => return x,
            Function::Inverse => 1.0 / wide,
            Function::SquareRoot => wide.sqrt(),
            Function::InverseSquareRoot => 1.0 / wide.sqrt(),
        };
        (value as f32).to_bits()
    }
}

/// An integer with `shift` bits of fraction as fp32.
pub(super) fn from_integer(x: u32, shift: u32) -> u32 {
    let scaled = f64::from(x as i32) * f64::from(-signed_shift(shift)).exp2();
    (scaled as f32).to_bits()
}

/// An fp32 number as an integer with `shift` bits of fraction, to the nearest even one and clamped;
/// NaN gives 0 (unconfirmed).
pub(super) fn to_integer(x: u32, shift: u32) -> u32 {
    let scaled = f64::from(f32::from_bits(x)) * f64::from(signed_shift(shift)).exp2();
    scaled.round_ties_even() as i32 as u32
}

/// 2^x as bf16.
pub(super) fn exp2(x: u32) -> u16 {
    to_bf16(f64::from(f32::from_bits(x)).exp2())
}

/// tanh x as bf16.
pub(super) fn tanh(x: u32) -> u16 {
    to_bf16(f64::from(f32::from_bits(x)).tanh())
}

fn to_bf16(value: f64) -> u16 {
    narrow((value as f32).to_bits(), Rounding::NearestEven)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_functions() {
        let of = |function: Function, x: f32| f32::from_bits(function.of(x.to_bits()));
        assert_eq!(of(Function::Inverse, 4.0), 0.25);
        assert_eq!(of(Function::SquareRoot, 2.25), 1.5);
        assert_eq!(of(Function::InverseSquareRoot, 16.0), 0.25);
        assert_eq!(from_integer(12, 2), 3f32.to_bits());
        assert_eq!(from_integer(-3i32 as u32, 63), (-6f32).to_bits());
        assert_eq!(to_integer(2.5f32.to_bits(), 0), 2);
        assert_eq!(to_integer((-1.25f32).to_bits(), 2) as i32, -5);
        assert_eq!(exp2(3f32.to_bits()), 0x4100);
        assert_eq!(exp2((-1f32).to_bits()), 0x3F00);
        assert_eq!(tanh(0), 0);
        assert_eq!(tanh(20f32.to_bits()), 0x3F80);
    }
}
