//! A: atomic memory operations (RISC-V Unprivileged ISA, version 20191213, chapter 8).

use super::NONE;

/// The operation of an atomic instruction on the word in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    /// Reads it and reserves its address.
    LoadReserved,
    /// Writes it if its address is still reserved.
    StoreConditional,
    /// Writes what the old value and the register make.
    Combine(Combination),
}

/// The new value of the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Combination { Swap, Add, Xor, And, Or, Min, Max, MinUnsigned, MaxUnsigned }

impl Atomic {
    /// The operation of a word with the major opcode of atomics.
    ///
    /// # Errors
    /// It encodes none.
    pub fn of(word: u32) -> Result<Atomic, &'static str> {
        use Combination::*;
        if !matches!(word >> 12 & 7, 2 | 3) {
            return Err(NONE);
        }
        Ok(match word >> 27 {
            0x02 if word >> 20 & 31 == 0 => Atomic::LoadReserved,
            0x03 => Atomic::StoreConditional,
            0x01 => Atomic::Combine(Swap),
            0x00 => Atomic::Combine(Add),
            0x04 => Atomic::Combine(Xor),
            0x0C => Atomic::Combine(And),
            0x08 => Atomic::Combine(Or),
            0x10 => Atomic::Combine(Min),
            0x14 => Atomic::Combine(Max),
            0x18 => Atomic::Combine(MinUnsigned),
            0x1C => Atomic::Combine(MaxUnsigned),
            _ => return Err(NONE),
        })
    }

    /// Whether the word has 64 bits, else 32.
    pub fn is_double(word: u32) -> bool {
        word >> 12 & 7 == 3
    }
}

impl Combination {
    /// The new value, of two sign-extended ones. Sign extension keeps the order of unsigned numbers.
    pub fn apply(self, old: u64, register: u64) -> u64 {
        match self {
            Combination::Swap => register,
            Combination::Add => old.wrapping_add(register),
            Combination::Xor => old ^ register,
            Combination::And => old & register,
            Combination::Or => old | register,
            Combination::Min => (old as i64).min(register as i64) as u64,
            Combination::Max => (old as i64).max(register as i64) as u64,
            Combination::MinUnsigned => old.min(register),
            Combination::MaxUnsigned => old.max(register),
        }
    }
}
