//! Text of floats, as LLVM writes them: six digits after the point if that is exact, else as many
//! significant digits as the format needs, else the bits in hex.

use std::fmt;

use crate::ir::{FloatKind, Type};

/// The value of a float's little-endian bytes, as the bits of its f64.
pub(super) fn double_of_bytes(bytes: &[u8], kind: FloatKind) -> u64 {
    let mut wide = [0u8; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u64::from_le_bytes(wide);
    kind.format()
        .map_or(bits, |format| format.to_f64_bits(bits))
}

/// Writes the value whose double has these bits.
pub(super) fn write_float(f: &mut impl fmt::Write, bits: u64, ty: &Type) -> fmt::Result {
    let value = f64::from_bits(bits);
    let kind = match ty {
        Type::Float(kind) => *kind,
        _ => FloatKind::F64,
    };
    if !value.is_finite() {
        return f.write_str(&hex(bits, kind));
    }
    let short = scientific(value, 6);
    if reads_back(&short, value, kind) {
        return f.write_str(&short);
    }
    let digits = significant_digits(kind);
    f.write_str(&natural(value, digits))
}

/// `1.500000e+00`
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// Significant decimal digits that tell any two values apart.
fn significant_digits(kind: FloatKind) -> usize {
    let precision = match kind {
        FloatKind::F16 => 11,
        FloatKind::BF16 => 8,
        FloatKind::F32 => 24,
        _ => 53,
    };
    2 + precision * 59 / 196
}

/// Up to `digits` significant digits, plain when that needs at most three zeros for padding.
fn natural(value: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits.saturating_sub(1), value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = all.trim_end_matches('0');
    let significant = if significant.is_empty() {
        "0"
    } else {
        significant
    };
    let count = significant.len() as i32;
    let padding = if exponent >= count {
        exponent - count + 1
    } else {
        (-exponent).max(0)
    };
    if padding > 3 {
        let (head, tail) = significant.split_at(1);
        let tail = if tail.is_empty() { "0" } else { tail };
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{head}.{tail}E{mark}{}", exponent.abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{significant}");
    }
    let point = (exponent + 1) as usize;
    if significant.len() <= point {
        let zeros = "0".repeat(point - significant.len());
        return format!("{sign}{significant}{zeros}.0");
    }
    let (head, tail) = significant.split_at(point);
    format!("{sign}{head}.{tail}")
}

fn reads_back(text: &str, value: f64, kind: FloatKind) -> bool {
    let Ok(read) = text.parse::<f64>() else {
        return false;
    };
    let same = match kind {
        FloatKind::F32 => text.parse::<f32>().is_ok_and(|r| f64::from(r) == value),
        _ => {
            kind.format().map_or(read, |format| {
                f64::from_bits(format.to_f64_bits(format.from_f64_bits(read.to_bits())))
            }) == value
        }
    };
    same && read.is_sign_negative() == value.is_sign_negative()
}

/// The bits of a value that decimal digits can't say.
fn hex(double: u64, kind: FloatKind) -> String {
    let bits = kind
        .format()
        .map_or(double, |format| format.from_f64_bits(double));
    format!("0x{bits:X}")
}
