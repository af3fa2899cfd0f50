//! Bit fields of 32-bit words, and the error of a value that doesn't fit one.

use std::fmt;

/// A named range of bits of a 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The manual's name.
    pub name: &'static str,
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
}

impl Field {
    pub(super) const fn new(name: &'static str, high: u8, low: u8) -> Self {
        assert!(low <= high && high < 32);
        Field { name, high, low }
    }

    /// Number of bits.
    pub const fn width(&self) -> u8 {
        self.high - self.low + 1
    }

    /// Largest stored value.
    pub const fn max(&self) -> u32 {
        u32::MAX >> (32 - self.width())
    }

    /// The bits of the word that belong to the field.
    pub const fn mask(&self) -> u32 {
        self.max() << self.low
    }

    /// The stored value of the field in a word.
    pub const fn get(&self, word: u32) -> u32 {
        (word >> self.low) & self.max()
    }

    /// The word with the field replaced; bits of `value` above the field's width are dropped.
    pub const fn set(&self, word: u32, value: u32) -> u32 {
        (word & !self.mask()) | ((value & self.max()) << self.low)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high == self.low {
            write!(f, "{} [{}]", self.name, self.low)
        } else {
            write!(f, "{} [{}:{}]", self.name, self.high, self.low)
        }
    }
}

/// A value that a register or buffer descriptor cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} of {value} is out of range: {limit}")]
pub struct FieldOverflow {
    /// Name of the value in words a user knows, e.g. `length (words)`.
    pub what: &'static str,
    /// The value.
    pub value: i64,
    /// Values that would fit.
    pub limit: FieldLimit,
}

/// Range of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldLimit {
    /// Values from the first to the second, in steps of the third.
    #[error("{0} to {1}{multiples}", multiples = in_multiples(*.2))]
    Range(i64, i64, u64),
    /// The hardware has no such field: only this value is possible.
    #[error("this tile can only do {0}")]
    Absent(i64),
}

fn in_multiples(step: u64) -> String {
    match step {
        1 => String::new(),
        step => format!(" in multiples of {step}"),
    }
}
