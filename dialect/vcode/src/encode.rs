//! Programs to words.

use super::ops::Immediate;
use super::{CHECKSUM_WORD, CoreProgram, MAGIC, VERSION, checksum};

/// A program that the format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The words don't fit the program memory.
    #[error("the core program takes {bytes} bytes, the program memory has {limit}")]
    TooLarge {
        /// Bytes of the program.
        bytes: u32,
        /// Bytes of the program memory.
        limit: u32,
    },
    /// Too many of something.
    #[error("the core program has {count} {what}, the format allows {limit}")]
    TooMany {
        /// The part that doesn't fit.
        what: &'static str,
        /// Number in the program.
        count: usize,
        /// Number that fits.
        limit: usize,
    },
}

/// Words of the header.
pub(super) const HEADER_WORDS: usize = 5;
/// Words before those that the checksum covers.
pub(super) const CHECKED_FROM: usize = 3;

fn limited(what: &'static str, count: usize, limit: usize) -> Result<u32, EncodeError> {
    if count > limit {
        return Err(EncodeError::TooMany { what, count, limit });
    }
    Ok(count as u32)
}

impl CoreProgram {
    /// The words of the program, to be written from the start of the program memory on.
    ///
    /// # Errors
    /// The program doesn't fit `limit` bytes of program memory or the format.
    pub fn encode(&self, limit: u32) -> Result<Vec<u32>, EncodeError> {
        let half = usize::from(u16::MAX);
        let functions = limited("functions", self.functions.len(), half)?;
        let kernels = limited("external kernels", self.kernels.len(), half)?;
        let mut words = vec![MAGIC, 0, 0, functions | kernels << 16, 0];
        words[4] = limited("instructions", self.code.len(), u32::MAX as usize)?;
        for function in &self.functions {
            words.push(function.entry);
            words.push(u32::from(function.registers) | u32::from(function.granules) << 16);
        }
        for name in &self.kernels {
            words.push(limited("bytes in a kernel name", name.len(), half)?);
            words.extend(name.as_bytes().chunks(4).map(|chunk| {
                let mut bytes = [0; 4];
                bytes[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(bytes)
            }));
        }
        for instruction in &self.code {
            let bytes = [
                instruction.op.code(),
                instruction.a,
                instruction.b,
                instruction.c,
            ];
            words.push(u32::from_le_bytes(bytes));
            if instruction.op.shape().immediate != Immediate::No {
                words.push(instruction.imm);
            }
        }
        let bytes = words.len() * 4;
        if bytes > limit as usize || words.len() > half {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            return Err(EncodeError::TooLarge { bytes, limit });
        }
        words[1] = u32::from(VERSION) | (words.len() as u32) << 16;
        words[CHECKSUM_WORD] = checksum(&words[CHECKED_FROM..]);
        Ok(words)
    }
}
