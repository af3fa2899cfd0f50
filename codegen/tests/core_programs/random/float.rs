//! Floats of all formats, computed exactly in f64 and rounded once.

use aiec_vcode::FloatFormat;

/// The value of the bits of a format.
pub fn value(format: FloatFormat, bits: u64) -> f64 {
    f64::from_bits(format.to_f64_bits(bits))
}

/// The bits of a computed value. For sums, products and quotients of f32 and narrower formats an
/// f64 has more than twice the digits, so that rounding twice does no harm (Figueroa 1995).
fn computed(format: FloatFormat, value: f64) -> u64 {
    if value.is_nan() {
        return format.nan();
    }
    format.from_f64_bits(value.to_bits())
}

/// The sign bit of a format.
fn sign(format: FloatFormat) -> u64 {
    match format {
        FloatFormat::F64 => 1 << 63,
        FloatFormat::F32 => 1 << 31,
        FloatFormat::Bf16 | FloatFormat::F16 => 1 << 15,
    }
}

/// An operation by its name; the second operand is the first again where there is one.
pub fn operation(name: &str, format: FloatFormat, x: u64, y: u64) -> u64 {
    let (a, b) = (value(format, x), value(format, y));
    let least = |a: f64, b: f64| if a.total_cmp(&b).is_lt() { a } else { b };
    let most = |a: f64, b: f64| if a.total_cmp(&b).is_lt() { b } else { a };
    let one_is_nan = a.is_nan() || b.is_nan();
    // Of a number and a NaN, the number.
    let number = if a.is_nan() { b } else { a };
    let result = match name {
        "arith.negf" => return x ^ sign(format),
        "math.absf" => return x & !sign(format),
        "math.copysign" => return x & !sign(format) | y & sign(format),
        "arith.addf" => a + b,
        "arith.subf" => a - b,
        "arith.mulf" => a * b,
        "arith.divf" => a / b,
        "arith.remf" => a % b,
        "math.floor" => a.floor(),
        "math.ceil" => a.ceil(),
        "math.trunc" => a.trunc(),
        "math.round" => a.round(),
        "math.roundeven" => a.round_ties_even(),
        "arith.minimumf" | "arith.maximumf" if one_is_nan => f64::NAN,
        "arith.minnumf" | "arith.maxnumf" if one_is_nan => number,
        "arith.minimumf" | "arith.minnumf" => least(a, b),
        "arith.maximumf" | "arith.maxnumf" => most(a, b),
        other => panic!("{other} has no meaning here"),
    };
    computed(format, result)
}

/// `arith.cmpf` with a predicate: a letter for what a NaN gives, and the relation.
pub fn compare(predicate: &str, format: FloatFormat, x: u64, y: u64) -> bool {
    let (a, b) = (value(format, x), value(format, y));
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        "ord" => return !unordered,
        "uno" => return unordered,
        _ if unordered => return predicate.starts_with('u'),
        _ => {}
    }
    match &predicate[1..] {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        other => panic!("{other} is no relation"),
    }
}

/// A conversion between formats. A NaN becomes a quiet one if the format changes the digits.
pub fn convert(from: FloatFormat, to: FloatFormat, bits: u64) -> u64 {
    let double = from.to_f64_bits(bits);
    let narrow = |format| matches!(format, FloatFormat::F16 | FloatFormat::Bf16);
    // Narrow formats are kept as f32, so nothing is done.
    let same = narrow(from) && to == FloatFormat::F32;
    let quiet = if f64::from_bits(double).is_nan() && !same {
        double | FloatFormat::F64.quiet_bit()
    } else {
        double
    };
    to.from_f64_bits(quiet)
}

/// An integer as a float, rounded once.
pub fn of_integer(format: FloatFormat, value: i128) -> u64 {
    let single = format == FloatFormat::F32;
    if single {
        return u64::from((value as f32).to_bits());
    }
    // 2^53 and below are exact.
    assert!(format == FloatFormat::F64 || value.unsigned_abs() <= 1 << 53);
    format.from_f64_bits((value as f64).to_bits())
}
