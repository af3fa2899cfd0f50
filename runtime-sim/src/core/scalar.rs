//! Operations on values in registers and lanes. What a register holds is said in
//! [`aiec_vcode`].

use aiec_vcode::{
    FloatFormat, FloatPredicate, MathFunction, MathFunction2, Narrowing, Opcode, RoundingMode,
};

use super::functions::{math, math2, power, whole_power_of_float};

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The register of a computed value. IEEE 754 leaves open which NaN comes out, and machines differ
/// in its sign; here it is always the same.
fn of_f32(value: f32) -> u64 {
    if value.is_nan() {
        return FloatFormat::F32.nan();
    }
    u64::from(value.to_bits())
}

fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// [`of_f32`] of an f64.
fn of_f64(value: f64) -> u64 {
    if value.is_nan() {
        return FloatFormat::F64.nan();
    }
    value.to_bits()
}

/// Bit of the sign.
const SIGN_F: u64 = 1 << 31;
const SIGN_D: u64 = 1 << 63;

/// True is all ones.
const fn of_bool(value: bool) -> u64 {
    if value { u64::MAX } else { 0 }
}

/// Sign-extends the lower `bits` bits (1..=64).
pub(super) const fn sext(value: u64, bits: u8) -> u64 {
    let unused = 64 - bits as u32;
    (((value << unused) as i64) >> unused) as u64
}

/// Clears all but the lower `bits` bits (1..=64).
const fn zext(value: u64, bits: u8) -> u64 {
    value & (u64::MAX >> (64 - bits as u32))
}

const fn of_i32(value: i32) -> u64 {
    value as i64 as u64
}

/// Applies a pure operation to the values of its operands: `b`, `c` and `fourth` are values of
/// registers, `number` is the third operand where that is a number, `small` the immediate where
/// that is one. `None`: division by zero.
#[inline(always)]
pub(super) fn pure(op: Opcode, b: u64, c: u64, fourth: u64, number: u8, small: u8) -> Option<u64> {
    use Opcode::*;
    let (sb, sc) = (b as i64, c as i64);
    Some(match op {
        Mov => b,
        Add32 => of_i32((b as i32).wrapping_add(c as i32)),
        Sub32 => of_i32((b as i32).wrapping_sub(c as i32)),
        Mul32 => of_i32((b as i32).wrapping_mul(c as i32)),
        Shl32 => of_i32(if c < 32 { (b as i32) << c } else { 0 }),
        Add64 => b.wrapping_add(c),
        Sub64 => b.wrapping_sub(c),
        Mul64 => b.wrapping_mul(c),
        // Shifted by all bits or more, nothing is left.
        Shl64 => b.checked_shl(u32::try_from(c).unwrap_or(64)).unwrap_or(0),
        And => b & c,
        Or => b | c,
        Xor => b ^ c,
        Shrs => (sb >> c.min(63)) as u64,
        Shru => b.checked_shr(u32::try_from(c).unwrap_or(64)).unwrap_or(0),
        Divs | Rems | DivFloor | DivCeil => signed_division(op, sb, sc)?,
        Divu => b.checked_div(c)?,
        Remu => b.checked_rem(c)?,
        DivuCeil => b.checked_div(c)? + u64::from(!b.is_multiple_of(c)),
        Mins => sb.min(sc) as u64,
        Maxs => sb.max(sc) as u64,
        Minu => b.min(c),
        Maxu => b.max(c),
        Mulhs => ((i128::from(sb) * i128::from(sc)) >> 64) as u64,
        Mulhu => ((u128::from(b) * u128::from(c)) >> 64) as u64,
        Pows => power(sb, sc)? as u64,
        Eq => of_bool(b == c),
        Ne => of_bool(b != c),
        Lts => of_bool(sb < sc),
        Les => of_bool(sb <= sc),
        Ltu => of_bool(b < c),
        Leu => of_bool(b <= c),
        Select => {
            if b != 0 {
                c
            } else {
                fourth
            }
        }
        Sext => sext(b, number),
        Zext => zext(b, number),
        Shli32 => of_i32((b as i32) << (number & 31)),
        Shli64 => b << (number & 63),
        Shrsi => (sb >> (number & 63)) as u64,
        Shrui => b >> (number & 63),
        Ctlz => u64::from(zext(b, number).leading_zeros()) - (64 - u64::from(number)),
        Cttz => u64::from(zext(b, number).trailing_zeros()).min(number.into()),
        Ctpop => u64::from(zext(b, number).count_ones()),
        AddF => of_f32(f32_of(b) + f32_of(c)),
        SubF => of_f32(f32_of(b) - f32_of(c)),
        MulF => of_f32(f32_of(b) * f32_of(c)),
        DivF => of_f32(f32_of(b) / f32_of(c)),
        FmaF => of_f32(f32_of(b).mul_add(f32_of(c), f32_of(fourth))),
        NegF => b ^ SIGN_F,
        CmpF => of_bool(compare(small, f32_of(b).partial_cmp(&f32_of(c)))),
        AddD => of_f64(f64_of(b) + f64_of(c)),
        SubD => of_f64(f64_of(b) - f64_of(c)),
        MulD => of_f64(f64_of(b) * f64_of(c)),
        DivD => of_f64(f64_of(b) / f64_of(c)),
        FmaD => of_f64(f64_of(b).mul_add(f64_of(c), f64_of(fourth))),
        NegD => b ^ SIGN_D,
        CmpD => of_bool(compare(small, f64_of(b).partial_cmp(&f64_of(c)))),
        FmaBf16 => fma_of(FloatFormat::Bf16, b, c, fourth),
        FmaF16 => fma_of(FloatFormat::F16, b, c, fourth),
        _ => rare(op, b, c, number, small),
    })
}

/// Signed divisions; `None` by zero.
fn signed_division(op: Opcode, b: i64, c: i64) -> Option<u64> {
    if c == 0 {
        return None;
    }
    let (quotient, remainder) = (b.wrapping_div(c), b.wrapping_rem(c));
    let inexact = remainder != 0;
    let same_sign = (b < 0) == (c < 0);
    Some(match op {
        Opcode::Rems => remainder,
        Opcode::DivFloor => quotient - i64::from(inexact && !same_sign),
        Opcode::DivCeil => quotient + i64::from(inexact && same_sign),
        _ => quotient,
    } as u64)
}

/// Operations that need no speed.
#[inline(never)]
fn rare(op: Opcode, b: u64, c: u64, number: u8, small: u8) -> u64 {
    use Opcode::*;
    match op {
        RemF => of_f32(f32_of(b) % f32_of(c)),
        RemD => of_f64(f64_of(b) % f64_of(c)),
        MinF | MaxF | MinNumF | MaxNumF => {
            let (b, c) = (f32_of(b).into(), f32_of(c).into());
            of_f32(extreme(op, b, c) as f32)
        }
        MinD | MaxD | MinNumD | MaxNumD => of_f64(extreme(op, f64_of(b), f64_of(c))),
        // Functions of f32 are computed in f64 and rounded, so that the last bit doesn't depend
        // on the library.
        // Signs are bits of their own, those of NaNs too.
        MathF if number == MathFunction::Absf.code() => b & !SIGN_F,
        MathD if number == MathFunction::Absf.code() => b & !SIGN_D,
        Math2F if small == MathFunction2::Copysign.code() => b & !SIGN_F | c & SIGN_F,
        Math2D if small == MathFunction2::Copysign.code() => b & !SIGN_D | c & SIGN_D,
        MathF => of_f32(math(number, f32_of(b).into()) as f32),
        MathD => of_f64(math(number, f64_of(b))),
        Math2F if small == MathFunction2::Fpowi.code() => {
            of_f32(whole_power_of_float(f32_of(b).into(), c as i64) as f32)
        }
        Math2D if small == MathFunction2::Fpowi.code() => {
            of_f64(whole_power_of_float(f64_of(b), c as i64))
        }
        Math2F => of_f32(math2(small, f32_of(b).into(), f32_of(c).into()) as f32),
        Math2D => of_f64(math2(small, f64_of(b), f64_of(c))),
        Widen => quiet_d(FloatFormat::F32.to_f64_bits(b)),
        NarrowF => narrow(number, FloatFormat::F32.to_f64_bits(b)),
        NarrowD => narrow(number, b),
        SToF => float_of(number, odd_signed(b), b as i64 as f32),
        UToF => float_of(number, odd(b), b as f32),
        FToS => match format(number) {
            FloatFormat::F64 => f64_of(b) as i64 as u64,
            _ => f32_of(b) as i64 as u64,
        },
        FToU => match format(number) {
            FloatFormat::F64 => f64_of(b) as u64,
            _ => f32_of(b) as u64,
        },
        FromBits => format(number).to_register(b),
        ToBits => {
            let bits = format(number).from_register(b);
            match format(number) {
                FloatFormat::F64 => bits,
                FloatFormat::F32 => sext(bits, 32),
                FloatFormat::Bf16 | FloatFormat::F16 => sext(bits, 16),
            }
        }
        // Operations that are not pure; the decoder lets none of them get here.
        _ => 0,
    }
}

/// The decoder has checked that the code means a format.
fn format(code: u8) -> FloatFormat {
    FloatFormat::from_code(code).unwrap_or(FloatFormat::F32)
}

/// A NaN of an f64 made quiet; other values as they are.
fn quiet_d(bits: u64) -> u64 {
    if f64_of(bits).is_nan() {
        return bits | FloatFormat::F64.quiet_bit();
    }
    bits
}

/// Rounds the bits of an f64 as the third operand of a conversion says, in register form.
fn narrow(operand: u8, bits: u64) -> u64 {
    // The decoder has checked that it means something.
    let Narrowing { format, mode } = Narrowing::unpack(operand).unwrap_or(Narrowing {
        format: FloatFormat::F32,
        mode: RoundingMode::ToNearestEven,
    });
    format.to_register(format.rounded(quiet_d(bits), mode))
}

/// [`fma_narrow`] of registers.
fn fma_of(format: FloatFormat, b: u64, c: u64, addend: u64) -> u64 {
    let [b, c, addend] = [b, c, addend].map(|bits| f64::from(f32_of(bits)));
    of_f32(fma_narrow(format.code(), b, c, addend) as f32)
}

/// b * c + addend, rounded once to the narrow format with a code. The product of two fractions of at most 24
/// bits is exact in an f64; the sum is rounded to odd, which the second rounding doesn't notice.
pub fn fma_narrow(code: u8, b: f64, c: f64, addend: f64) -> f64 {
    let product = b * c;
    let sum = product + addend;
    // What the rounded sum lacks (Knuth: The Art of Computer Programming 2, 4.2.2, theorem B).
    let back = sum - product;
    let error = (product - (sum - back)) + (addend - back);
    let mut bits = of_f64(sum);
    if sum.is_finite() && error != 0.0 && bits & 1 == 0 {
        bits = if (error > 0.0) == (sum > 0.0) {
            bits + 1
        } else {
            bits - 1
        };
    }
    let format = format(code);
    f64_of(format.to_f64_bits(format.from_f64_bits(bits)))
}

/// An integer as a float, given as an f64 that rounds to narrow formats as the integer does, and
/// as an f32.
fn float_of(code: u8, (double, odd): (f64, f64), single: f32) -> u64 {
    match format(code) {
        FloatFormat::F32 => of_f32(single),
        FloatFormat::F64 => of_f64(double),
        FloatFormat::Bf16 | FloatFormat::F16 => narrow(code, odd.to_bits()),
    }
}

/// An integer as an f64: rounded to nearest, and rounded to odd, which a second rounding to fewer
/// bits doesn't notice (Boldo and Melquiond 2008).
fn odd(value: u64) -> (f64, f64) {
    let cut = (u64::BITS - f64::MANTISSA_DIGITS).saturating_sub(value.leading_zeros());
    let lost = value & ((1 << cut) - 1) != 0;
    let kept = (value >> cut) | u64::from(lost);
    // Both factors are exact.
    (value as f64, kept as f64 * (1u64 << cut) as f64)
}

/// [`odd`] of a signed integer.
fn odd_signed(value: u64) -> (f64, f64) {
    let signed = value as i64;
    let (_, odd) = odd(signed.unsigned_abs());
    (signed as f64, if signed < 0 { -odd } else { odd })
}

/// The lesser or greater of two floats; -0 is less than +0. A NaN that comes out is whatever is
/// made of it by the caller.
fn extreme(op: Opcode, b: f64, c: f64) -> f64 {
    use Opcode::*;
    if b.is_nan() || c.is_nan() {
        let propagates = matches!(op, MinF | MaxF | MinD | MaxD);
        return match (propagates, b.is_nan()) {
            (true, true) | (false, false) => b,
            (true, false) | (false, true) => c,
        };
    }
    let least = matches!(op, MinF | MinNumF | MinD | MinNumD);
    let b_first = b.total_cmp(&c).is_le();
    if least == b_first { b } else { c }
}

fn compare(predicate: u8, order: Option<std::cmp::Ordering>) -> bool {
    use FloatPredicate::*;
    let Some(predicate) = FloatPredicate::from_code(predicate) else {
        return false;
    };
    match (predicate, order) {
        (False, _) => false,
        (True, _) => true,
        (Uno | Ueq | Ugt | Uge | Ult | Ule | Une, None) => true,
        (_, None) => false,
        (Ord, Some(_)) => true,
        (Uno, Some(_)) => false,
        (Oeq | Ueq, Some(order)) => order.is_eq(),
        (One | Une, Some(order)) => order.is_ne(),
        (Ogt | Ugt, Some(order)) => order.is_gt(),
        (Oge | Uge, Some(order)) => order.is_ge(),
        (Olt | Ult, Some(order)) => order.is_lt(),
        (Ole | Ule, Some(order)) => order.is_le(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Opcode, b: i64, c: i64) -> i64 {
        pure(op, b as u64, c as u64, 0, c as u8, 0).unwrap() as i64
    }

    fn float(op: Opcode, b: f32, c: f32) -> f32 {
        f32_of(pure(op, of_f32(b), of_f32(c), 0, 0, 0).unwrap())
    }

    #[test]
    fn integers() {
        use Opcode::*;
        assert_eq!(int(Add32, i32::MAX.into(), 1), i64::from(i32::MIN));
        assert_eq!(int(Add64, i64::MAX, 1), i64::MIN);
        assert_eq!(int(Mul32, 0x1_0001, 0x1_0001), 0x2_0001);
        assert_eq!(int(Shl32, 1, 31), i64::from(i32::MIN));
        assert_eq!(int(Shl32, 1, 32), 0);
        assert_eq!(int(Shl64, 1, 64), 0);
        assert_eq!(int(Shrs, -8, 1), -4);
        assert_eq!(int(Shru, -8, 60), 15);
        for (b, c, floor, ceil, zero, rest) in [
            (7, 2, 3, 4, 3, 1),
            (-7, 2, -4, -3, -3, -1),
            (7, -2, -4, -3, -3, 1),
            (-8, -2, 4, 4, 4, 0),
        ] {
            assert_eq!(int(DivFloor, b, c), floor);
            assert_eq!(int(DivCeil, b, c), ceil);
            assert_eq!(int(Divs, b, c), zero);
            assert_eq!(int(Rems, b, c), rest);
        }
        assert_eq!(int(DivuCeil, 7, 2), 4);
        assert_eq!(pure(Divs, 1, 0, 0, 0, 0), None);
        assert_eq!(pure(Remu, 1, 0, 0, 0, 0), None);
        assert_eq!(int(Divs, i64::MIN, -1), i64::MIN);
        assert_eq!(int(Sext, 0xFF, 8), -1);
        assert_eq!(int(Zext, -1, 8), 255);
        assert_eq!(int(Lts, -1, 0), -1);
        assert_eq!(int(Ltu, -1, 0), 0);
        assert_eq!(int(Minu, -1, 5), 5);
        assert_eq!(int(Mulhs, i64::MIN, 2), -1);
        assert_eq!(int(Mulhu, -1, 2), 1);
        assert_eq!(int(Ctlz, 1, 8), 7);
        assert_eq!(int(Cttz, 0, 8), 8);
        assert_eq!(int(Ctpop, -1, 8), 8);
        assert_eq!(pure(Select, 0, 1, 2, 0, 0), Some(2));
    }

    #[test]
    fn floats() {
        use Opcode::*;
        assert_eq!(float(AddF, 1.5, 2.25), 3.75);
        assert_eq!(float(RemF, -5.5, 2.0), -1.5);
        assert!(float(MinF, f32::NAN, 1.0).is_nan());
        assert!(float(MaxF, 1.0, f32::NAN).is_nan());
        assert_eq!(float(MinNumF, f32::NAN, 1.0), 1.0);
        assert_eq!(float(MaxNumF, 1.0, f32::NAN), 1.0);
        assert!(float(MinF, 0.0, -0.0).is_sign_negative());
        assert!(float(MaxF, -0.0, 0.0).is_sign_positive());
        let compared = |predicate: FloatPredicate, b: f32, c: f32| {
            pure(CmpF, of_f32(b), of_f32(c), 0, 0, predicate.code()).unwrap() != 0
        };
        assert!(compared(FloatPredicate::Olt, 1.0, 2.0));
        assert!(!compared(FloatPredicate::Olt, f32::NAN, 2.0));
        assert!(compared(FloatPredicate::Ult, f32::NAN, 2.0));
        assert!(compared(FloatPredicate::Uno, f32::NAN, 2.0));
        assert!(!compared(FloatPredicate::Ord, f32::NAN, 2.0));
        assert!(compared(FloatPredicate::One, 1.0, 2.0));
    }

    #[test]
    fn fused_products_and_sums_of_narrow_floats_round_once() {
        let fma = |op, b: f32, c: f32, addend: f32| {
            f32_of(pure(op, of_f32(b), of_f32(c), of_f32(addend), 0, 0).unwrap())
        };
        // 2.0390625 lies between two neighbours of bf16; what is added is far below an f32, or an f64, of it.
        for exponent in [-30, -100] {
            let tiny = 2f32.powi(exponent);
            assert_eq!(fma(Opcode::FmaBf16, 1.5, 1.359_375, tiny), 2.046_875);
            assert_eq!(fma(Opcode::FmaBf16, 1.5, 1.359_375, -tiny), 2.031_25);
            assert_eq!(fma(Opcode::FmaBf16, -1.5, 1.359_375, tiny), -2.031_25);
        }
        assert_eq!(fma(Opcode::FmaBf16, 1.5, 1.359_375, 0.0), 2.031_25);
        // 1 + 2^-10 times itself, and a half of the last bit of f16
        let x = 1.0 + 2f32.powi(-10);
        assert_eq!(
            fma(Opcode::FmaF16, x, 1.0, 2f32.powi(-11)),
            1.0 + 2f32.powi(-9)
        );
        let least = 2f32.powi(-24);
        assert_eq!(fma(Opcode::FmaF16, 1.0, 1.0, least), 1.0);
        assert_eq!(
            fma(Opcode::FmaF16, x, 2f32.powi(-11), 1.0),
            1.0 + 2f32.powi(-10)
        );
        assert!(fma(Opcode::FmaBf16, f32::INFINITY, 0.0, 1.0).is_nan());
        assert_eq!(fma(Opcode::FmaBf16, 1e38, 1e38, 0.0), f32::INFINITY);
        assert_eq!(
            fma(Opcode::FmaBf16, 1e38, 1e38, f32::NEG_INFINITY),
            f32::NEG_INFINITY
        );
    }

    #[test]
    fn whole_powers_of_floats() {
        let power = |b: f32, c: i64| {
            let code = MathFunction2::Fpowi.code();
            f32_of(pure(Opcode::Math2F, of_f32(b), c as u64, 0, 0, code).unwrap())
        };
        assert_eq!(power(-1.0, (1 << 24) + 1), -1.0);
        assert_eq!(power(-1.0, i64::MAX), -1.0);
        assert_eq!(power(-1.0, i64::MIN), 1.0);
        assert_eq!(power(2.0, -2), 0.25);
        assert_eq!(power(-0.0, -1), f32::NEG_INFINITY);
        assert_eq!(power(f32::NAN, 0), 1.0);
        assert_eq!(power(f32::NEG_INFINITY, 3), f32::NEG_INFINITY);
        let step = 1.0 + f64::from(f32::EPSILON);
        let wanted = step.powf(f64::from((1 << 24) + 1)) as f32;
        assert_eq!(power(1.0 + f32::EPSILON, (1 << 24) + 1), wanted);
    }

    #[test]
    fn conversions() {
        use Opcode::*;
        let of = |op, b, format: FloatFormat| pure(op, b, 0, 0, format.code(), 0).unwrap();
        // 1 + 2^-8 lies between two neighbours of bf16 and goes to the even one.
        assert_eq!(
            f32_of(of(NarrowF, of_f32(1.003_906_2), FloatFormat::Bf16)),
            1.0
        );
        assert_eq!(
            f32_of(of(NarrowF, of_f32(1.0 / 3.0), FloatFormat::F16)),
            0.333_251_95
        );
        assert_eq!(f32_of(of(SToF, -3i64 as u64, FloatFormat::Bf16)), -3.0);
        assert_eq!(f64_of(of(UToF, u64::MAX, FloatFormat::F64)), 2f64.powi(64));
        assert_eq!(of(FToS, of_f32(-2.9), FloatFormat::F32) as i64, -2);
        assert_eq!(
            of(ToBits, of_f32(-1.0), FloatFormat::Bf16) as i64,
            0xBF80 - 0x1_0000
        );
        assert_eq!(f32_of(of(FromBits, 0x3C00, FloatFormat::F16)), 1.0);
        assert_eq!(
            of(ToBits, of_f32(-0.0), FloatFormat::F32) as i64,
            i64::from(i32::MIN)
        );
    }
}
