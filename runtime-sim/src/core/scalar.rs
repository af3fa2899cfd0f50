//! Operations on values in registers and lanes. [`aiec_vcode`] says what a register holds.

use aiec_vcode::{
    FloatFormat, FloatPredicate, MathFunction, MathFunction2, Narrowing, PureOp, PureVisitor,
    RoundingMode,
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

/// Applies a pure operation to the values of its operands; see [`Operands`]. `None`: division by zero.
#[inline(always)]
pub(super) fn pure(op: PureOp, b: u64, c: u64, fourth: u64, number: u8, small: u8) -> Option<u64> {
    op.visit(&mut Operands {
        b,
        c,
        fourth,
        number,
        small,
    })
}

/// Operands of a pure operation.
#[derive(Clone, Copy)]
struct Operands {
    /// Values of registers.
    b: u64,
    c: u64,
    fourth: u64,
    /// The third operand where that is a number.
    number: u8,
    /// The immediate where that is one.
    small: u8,
}

/// Gives each pure operation its value. An operation that is missing here doesn't compile, because the trait has a method
/// for each row of the table.
macro_rules! evaluate {
    ($o:ident: $($method:ident => $value:expr;)*) => {
        impl PureVisitor for Operands {
            type Output = Option<u64>;

            $(
                // Where the caller knows the operation only its own code is left.
                #[inline(always)]
                fn $method(&mut self) -> Option<u64> {
                    let $o = *self;
                    Some($value)
                }
            )*
        }
    };
}

evaluate! { o:
    mov => o.b;
    add_i32 => of_i32((o.b as i32).wrapping_add(o.c as i32));
    sub_i32 => of_i32((o.b as i32).wrapping_sub(o.c as i32));
    mul_i32 => of_i32((o.b as i32).wrapping_mul(o.c as i32));
    shl_i32 => of_i32(if o.c < 32 { (o.b as i32) << o.c } else { 0 });
    add_i64 => o.b.wrapping_add(o.c);
    sub_i64 => o.b.wrapping_sub(o.c);
    mul_i64 => o.b.wrapping_mul(o.c);
    // Shifted by all bits or more, nothing is left.
    shl_i64 => o.b.checked_shl(u32::try_from(o.c).unwrap_or(64)).unwrap_or(0);
    and => o.b & o.c;
    or => o.b | o.c;
    xor => o.b ^ o.c;
    shrs => (o.b as i64 >> o.c.min(63)) as u64;
    shru => o.b.checked_shr(u32::try_from(o.c).unwrap_or(64)).unwrap_or(0);
    divs => signed_division(o)?.0 as u64;
    rems => signed_division(o)?.1 as u64;
    divu => o.b.checked_div(o.c)?;
    remu => o.b.checked_rem(o.c)?;
    divfloor => {
        let (quotient, remainder) = signed_division(o)?;
        (quotient - i64::from(remainder != 0 && !has_same_sign(o))) as u64
    };
    divceil => {
        let (quotient, remainder) = signed_division(o)?;
        (quotient + i64::from(remainder != 0 && has_same_sign(o))) as u64
    };
    divuceil => o.b.checked_div(o.c)? + u64::from(!o.b.is_multiple_of(o.c));
    mins => (o.b as i64).min(o.c as i64) as u64;
    maxs => (o.b as i64).max(o.c as i64) as u64;
    minu => o.b.min(o.c);
    maxu => o.b.max(o.c);
    mulhs => ((i128::from(o.b as i64) * i128::from(o.c as i64)) >> 64) as u64;
    mulhu => ((u128::from(o.b) * u128::from(o.c)) >> 64) as u64;
    eq => of_bool(o.b == o.c);
    ne => of_bool(o.b != o.c);
    lts => of_bool((o.b as i64) < o.c as i64);
    les => of_bool(o.b as i64 <= o.c as i64);
    ltu => of_bool(o.b < o.c);
    leu => of_bool(o.b <= o.c);
    sel => if o.b != 0 { o.c } else { o.fourth };
    sext => sext(o.b, o.number);
    zext => zext(o.b, o.number);
    shli_i32 => of_i32((o.b as i32) << (o.number & 31));
    shli_i64 => o.b << (o.number & 63);
    shrsi => (o.b as i64 >> (o.number & 63)) as u64;
    shrui => o.b >> (o.number & 63);
    ctlz => u64::from(zext(o.b, o.number).leading_zeros()) - (64 - u64::from(o.number));
    cttz => u64::from(zext(o.b, o.number).trailing_zeros()).min(o.number.into());
    ctpop => u64::from(zext(o.b, o.number).count_ones());
    pows => power(o.b as i64, o.c as i64)? as u64;

    add_f32 => of_f32(f32_of(o.b) + f32_of(o.c));
    sub_f32 => of_f32(f32_of(o.b) - f32_of(o.c));
    mul_f32 => of_f32(f32_of(o.b) * f32_of(o.c));
    div_f32 => of_f32(f32_of(o.b) / f32_of(o.c));
    rem_f32 => remainder_f32(o);
    min_f32 => extreme_f32(o, Extreme::Min, NanRule::Propagate);
    max_f32 => extreme_f32(o, Extreme::Max, NanRule::Propagate);
    minnum_f32 => extreme_f32(o, Extreme::Min, NanRule::Ignore);
    maxnum_f32 => extreme_f32(o, Extreme::Max, NanRule::Ignore);
    neg_f32 => o.b ^ SIGN_F;
    fma_f32 => of_f32(f32_of(o.b).mul_add(f32_of(o.c), f32_of(o.fourth)));
    cmp_f32 => of_bool(compare(o.small, f32_of(o.b).partial_cmp(&f32_of(o.c))));
    math_f32 => math_f32(o);
    math2_f32 => math2_f32(o);
    fma_bf16 => fma_of(FloatFormat::Bf16, o.b, o.c, o.fourth);
    fma_f16 => fma_of(FloatFormat::F16, o.b, o.c, o.fourth);
    add_f64 => of_f64(f64_of(o.b) + f64_of(o.c));
    sub_f64 => of_f64(f64_of(o.b) - f64_of(o.c));
    mul_f64 => of_f64(f64_of(o.b) * f64_of(o.c));
    div_f64 => of_f64(f64_of(o.b) / f64_of(o.c));
    rem_f64 => remainder_f64(o);
    min_f64 => extreme_f64(o, Extreme::Min, NanRule::Propagate);
    max_f64 => extreme_f64(o, Extreme::Max, NanRule::Propagate);
    minnum_f64 => extreme_f64(o, Extreme::Min, NanRule::Ignore);
    maxnum_f64 => extreme_f64(o, Extreme::Max, NanRule::Ignore);
    neg_f64 => o.b ^ SIGN_D;
    fma_f64 => of_f64(f64_of(o.b).mul_add(f64_of(o.c), f64_of(o.fourth)));
    cmp_f64 => of_bool(compare(o.small, f64_of(o.b).partial_cmp(&f64_of(o.c))));
    math_f64 => math_f64(o);
    math2_f64 => math2_f64(o);

    widen => quiet_d(FloatFormat::F32.to_f64_bits(o.b));
    narrow_f32 => narrow(o.number, FloatFormat::F32.to_f64_bits(o.b));
    narrow_f64 => narrow(o.number, o.b);
    stof => float_of_signed(o);
    utof => float_of_unsigned(o);
    ftos => signed_of_float(o);
    ftou => unsigned_of_float(o);
    frombits => format(o.number).to_register(o.b);
    tobits => bits_of_float(o);
}

/// Quotient, towards zero, and remainder; `None` by zero.
fn signed_division(o: Operands) -> Option<(i64, i64)> {
    let (b, c) = (o.b as i64, o.c as i64);
    (c != 0).then(|| (b.wrapping_div(c), b.wrapping_rem(c)))
}

fn has_same_sign(o: Operands) -> bool {
    ((o.b as i64) < 0) == ((o.c as i64) < 0)
}

// The functions that follow need no speed. They stay out of line, so that the loops that execute programs stay small.

#[inline(never)]
fn remainder_f32(o: Operands) -> u64 {
    of_f32(f32_of(o.b) % f32_of(o.c))
}

#[inline(never)]
fn remainder_f64(o: Operands) -> u64 {
    of_f64(f64_of(o.b) % f64_of(o.c))
}

/// Functions of f32 are computed in f64 and rounded, so that the last bit doesn't depend on the library. Signs are bits of
/// their own, those of NaNs too.
#[inline(never)]
fn math_f32(o: Operands) -> u64 {
    if o.number == MathFunction::Absf.code() {
        return o.b & !SIGN_F;
    }
    of_f32(math(o.number, f32_of(o.b).into()) as f32)
}

#[inline(never)]
fn math_f64(o: Operands) -> u64 {
    if o.number == MathFunction::Absf.code() {
        return o.b & !SIGN_D;
    }
    of_f64(math(o.number, f64_of(o.b)))
}

/// See [`math_f32`].
#[inline(never)]
fn math2_f32(o: Operands) -> u64 {
    let b = f32_of(o.b).into();
    match MathFunction2::from_code(o.small) {
        Some(MathFunction2::Copysign) => o.b & !SIGN_F | o.c & SIGN_F,
        Some(MathFunction2::Fpowi) => of_f32(whole_power_of_float(b, o.c as i64) as f32),
        _ => of_f32(math2(o.small, b, f32_of(o.c).into()) as f32),
    }
}

#[inline(never)]
fn math2_f64(o: Operands) -> u64 {
    let b = f64_of(o.b);
    match MathFunction2::from_code(o.small) {
        Some(MathFunction2::Copysign) => o.b & !SIGN_D | o.c & SIGN_D,
        Some(MathFunction2::Fpowi) => of_f64(whole_power_of_float(b, o.c as i64)),
        _ => of_f64(math2(o.small, b, f64_of(o.c))),
    }
}

#[inline(never)]
fn float_of_signed(o: Operands) -> u64 {
    float_of(o.number, round_signed_to_odd(o.b), o.b as i64 as f32)
}

#[inline(never)]
fn float_of_unsigned(o: Operands) -> u64 {
    float_of(o.number, round_to_odd(o.b), o.b as f32)
}

#[inline(never)]
fn signed_of_float(o: Operands) -> u64 {
    match format(o.number) {
        FloatFormat::F64 => f64_of(o.b) as i64 as u64,
        FloatFormat::F32 | FloatFormat::Bf16 | FloatFormat::F16 => f32_of(o.b) as i64 as u64,
    }
}

#[inline(never)]
fn unsigned_of_float(o: Operands) -> u64 {
    match format(o.number) {
        FloatFormat::F64 => f64_of(o.b) as u64,
        FloatFormat::F32 | FloatFormat::Bf16 | FloatFormat::F16 => f32_of(o.b) as u64,
    }
}

#[inline(never)]
fn bits_of_float(o: Operands) -> u64 {
    let bits = format(o.number).from_register(o.b);
    match format(o.number) {
        FloatFormat::F64 => bits,
        FloatFormat::F32 => sext(bits, 32),
        FloatFormat::Bf16 | FloatFormat::F16 => sext(bits, 16),
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
    // Error of the rounded sum (Knuth: The Art of Computer Programming 2, 4.2.2, theorem B).
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
fn round_to_odd(value: u64) -> (f64, f64) {
    let cut = (u64::BITS - f64::MANTISSA_DIGITS).saturating_sub(value.leading_zeros());
    let lost = value & ((1 << cut) - 1) != 0;
    let kept = (value >> cut) | u64::from(lost);
    // Both factors are exact.
    (value as f64, kept as f64 * (1u64 << cut) as f64)
}

/// [`round_to_odd`] of a signed integer.
fn round_signed_to_odd(value: u64) -> (f64, f64) {
    let signed = value as i64;
    let (_, odd) = round_to_odd(signed.unsigned_abs());
    (signed as f64, if signed < 0 { -odd } else { odd })
}

/// Which of two floats is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Min,
    Max,
}

/// Result where one of two floats is a NaN.
#[derive(Clone, Copy)]
enum NanRule {
    /// The NaN.
    Propagate,
    /// The other one.
    Ignore,
}

#[inline(never)]
fn extreme_f32(o: Operands, wanted: Extreme, rule: NanRule) -> u64 {
    let (b, c) = (f32_of(o.b).into(), f32_of(o.c).into());
    of_f32(fmin_fmax(b, c, wanted, rule) as f32)
}

#[inline(never)]
fn extreme_f64(o: Operands, wanted: Extreme, rule: NanRule) -> u64 {
    of_f64(fmin_fmax(f64_of(o.b), f64_of(o.c), wanted, rule))
}

/// The lesser or greater of two floats; -0 is less than +0. A NaN that comes out is whatever the caller makes of it.
fn fmin_fmax(b: f64, c: f64, wanted: Extreme, rule: NanRule) -> f64 {
    if b.is_nan() || c.is_nan() {
        return match (rule, b.is_nan()) {
            (NanRule::Propagate, true) | (NanRule::Ignore, false) => b,
            (NanRule::Propagate, false) | (NanRule::Ignore, true) => c,
        };
    }
    let b_first = b.total_cmp(&c).is_le();
    if (wanted == Extreme::Min) == b_first {
        b
    } else {
        c
    }
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

    fn int(op: PureOp, b: i64, c: i64) -> i64 {
        pure(op, b as u64, c as u64, 0, c as u8, 0).unwrap() as i64
    }

    fn float(op: PureOp, b: f32, c: f32) -> f32 {
        f32_of(pure(op, of_f32(b), of_f32(c), 0, 0, 0).unwrap())
    }

    #[test]
    fn integers() {
        use PureOp::*;
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
        use PureOp::*;
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
            assert_eq!(fma(PureOp::FmaBf16, 1.5, 1.359_375, tiny), 2.046_875);
            assert_eq!(fma(PureOp::FmaBf16, 1.5, 1.359_375, -tiny), 2.031_25);
            assert_eq!(fma(PureOp::FmaBf16, -1.5, 1.359_375, tiny), -2.031_25);
        }
        assert_eq!(fma(PureOp::FmaBf16, 1.5, 1.359_375, 0.0), 2.031_25);
        // 1 + 2^-10 times itself, and a half of the last bit of f16
        let x = 1.0 + 2f32.powi(-10);
        assert_eq!(
            fma(PureOp::FmaF16, x, 1.0, 2f32.powi(-11)),
            1.0 + 2f32.powi(-9)
        );
        let least = 2f32.powi(-24);
        assert_eq!(fma(PureOp::FmaF16, 1.0, 1.0, least), 1.0);
        assert_eq!(
            fma(PureOp::FmaF16, x, 2f32.powi(-11), 1.0),
            1.0 + 2f32.powi(-10)
        );
        assert!(fma(PureOp::FmaBf16, f32::INFINITY, 0.0, 1.0).is_nan());
        assert_eq!(fma(PureOp::FmaBf16, 1e38, 1e38, 0.0), f32::INFINITY);
        assert_eq!(
            fma(PureOp::FmaBf16, 1e38, 1e38, f32::NEG_INFINITY),
            f32::NEG_INFINITY
        );
    }

    #[test]
    fn whole_powers_of_floats() {
        let power = |b: f32, c: i64| {
            let code = MathFunction2::Fpowi.code();
            f32_of(pure(PureOp::Math2F, of_f32(b), c as u64, 0, 0, code).unwrap())
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
        use PureOp::*;
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
