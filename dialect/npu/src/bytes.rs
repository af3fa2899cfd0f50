//! Bounds-checked little-endian reads, with a format-specific error.

use aiec_diag::{Code, Diag};

/// Bytes of a structure, with the name of the structure for findings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    /// The bytes, from the structure's start.
    pub(crate) all: &'a [u8],
    /// Which kind of finding it is when they are malformed.
    pub(crate) code: &'static Code,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8], code: &'static Code) -> Self {
        Self { all, code }
    }

    /// A finding at a byte offset.
    pub(crate) fn malformed(&self, at: usize, why: impl AsRef<str>) -> Diag {
        Diag::error(self.code, format!("at offset 0x{at:X}: {}", why.as_ref()))
    }

    /// The `len` bytes at `at`.
    pub(crate) fn slice(&self, at: usize, len: usize) -> Result<&'a [u8], Diag> {
        let end = at.checked_add(len);
        end.and_then(|end| self.all.get(at..end)).ok_or_else(|| {
            let have = self.all.len();
            let why = format!("{len} bytes are needed here, the data end at 0x{have:X}");
            self.malformed(at, why)
        })
    }

    /// The unsigned number of `width` bytes (at most 8) at `at`.
    pub(crate) fn number(&self, at: usize, width: usize) -> Result<u64, Diag> {
        Ok(number(self.slice(at, width)?))
    }

    pub(crate) fn u8(&self, at: usize) -> Result<u8, Diag> {
        Ok(self.slice(at, 1)?[0])
    }

    pub(crate) fn u16(&self, at: usize) -> Result<u16, Diag> {
        Ok(self.number(at, 2)? as u16)
    }

    pub(crate) fn u32(&self, at: usize) -> Result<u32, Diag> {
        Ok(self.number(at, 4)? as u32)
    }

    /// The 32-bit words of the `len` bytes at `at`; the last is filled with zeros.
    pub(crate) fn words(&self, at: usize, len: usize) -> Result<Vec<u32>, Diag> {
        Ok(words(self.slice(at, len)?))
    }
}

fn number(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev();
    digits.fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// 32-bit little-endian words of bytes; the last is filled with zeros.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| number(c) as u32).collect()
}

/// Bytes of 32-bit little-endian words.
pub fn word_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Writes the low `width` bytes of a number at `at`, which must lie inside.
pub(crate) fn put(bytes: &mut [u8], at: usize, width: usize, value: u64) {
    bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
}
