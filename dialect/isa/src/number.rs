//! Strict numbers: decimal without leading zeros, or hexadecimal with `0x`.

use aiec_diag::{Diag, Span};

use crate::finding::{LEADING_ZERO, NOT_A_NUMBER, TOO_LARGE};
use crate::set::low_bits;

/// Why a text isn't a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// It isn't one in any notation that is taken.
    NotANumber,
    /// A decimal number with a leading zero, which some tools read as octal.
    LeadingZero,
    /// More than 64 bits.
    TooLarge,
}

impl NumberError {
    /// The finding.
    pub fn diag(self, text: &str, span: Span) -> Diag {
        let (code, message, help) = match self {
            NumberError::NotANumber => (
                &NOT_A_NUMBER,
                format!("'{text}' isn't a number"),
                "write it in decimal, or in hexadecimal with 0x".to_owned(),
            ),
            NumberError::LeadingZero => {
                let decimal = text.trim_start_matches('0');
                let decimal = if decimal.is_empty() { "0" } else { decimal };
                (
                    &LEADING_ZERO,
                    format!("'{text}' begins with 0, which some tools read as octal"),
                    format!("write {decimal}, or hexadecimal with 0x"),
                )
            }
            NumberError::TooLarge => (
                &TOO_LARGE,
                format!("{text} doesn't fit 64 bits"),
                "numbers are at most 0xffffffffffffffff".to_owned(),
            ),
        };
        Diag::error(code, message).label(span, "").help(help)
    }
}

/// The value of an unsigned number, in decimal or with `0x` in hexadecimal.
pub fn parse(text: &str) -> Result<u64, NumberError> {
    let bytes = text.as_bytes();
    let (digits, radix) = match bytes {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16u32),
        _ => (bytes, 10),
    };
    if digits.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let mut value = Some(0u64);
    for &byte in digits {
        let digit = char::from(byte).to_digit(radix);
        let digit = u64::from(digit.ok_or(NumberError::NotANumber)?);
        let shifted = value.and_then(|v| v.checked_mul(u64::from(radix)));
        value = shifted.and_then(|v| v.checked_add(digit));
    }
    if radix == 10 && digits.len() > 1 && digits.first() == Some(&b'0') {
        return Err(NumberError::LeadingZero);
    }
    value.ok_or(NumberError::TooLarge)
}

/// The two's complement of a negative number in `bits` bits; `None` if it doesn't fit.
pub fn negative(magnitude: u64, bits: u32) -> Option<u64> {
    let least = 1u64.checked_shl(bits.saturating_sub(1))?;
    (magnitude <= least).then(|| magnitude.wrapping_neg() & low_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_notations() {
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse("0xFfff"), Ok(0xFFFF));
        assert_eq!(parse("0x00ff"), Ok(0xFF));
        assert_eq!(parse("010"), Err(NumberError::LeadingZero));
        assert_eq!(parse("00"), Err(NumberError::LeadingZero));
        assert_eq!(parse("18446744073709551616"), Err(NumberError::TooLarge));
        assert_eq!(parse("0x10000000000000000"), Err(NumberError::TooLarge));
        for text in ["", "0x", "0b1", "1_000", "12q", "-1", "+1", "0o7"] {
            assert_eq!(parse(text), Err(NumberError::NotANumber), "{text}");
        }
    }

    #[test]
    fn negative_numbers_are_two_s_complements() {
        assert_eq!(negative(1, 8), Some(0xFF));
        assert_eq!(negative(128, 8), Some(0x80));
        assert_eq!(negative(129, 8), None);
        assert_eq!(negative(1, 64), Some(u64::MAX));
        assert_eq!(negative(0, 3), Some(0));
    }
}
