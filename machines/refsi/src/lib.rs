//! The command processor (CMP) of the RefSi M1 platform and its command buffers.
//!
//! * [`table`]: the ten commands as an [`aiec_isa::Set`]; [`command`] decodes and encodes by it;
//! * [`register`], [`dma`], [`memory_map`], [`mod@unit`]: registers by field, DMA registers,
//!   regions, units that access memory;
//! * [`asm`], [`dis`]: text to chunks and back; [`check`]: what can't work on the machine;
//! * [`sim`]: the platform and its runs.
//!
//! Two readings of the platform exist: what is published, and what the reference driver does
//! ([`Reading`]). Each difference is a row of the book's page on RefSi.
//!
//! Sources: oneAPI Construction Kit: documentation of the RefSi M1 platform, and of its command
//! processor; `refsidrv` for [`Reading::Driver`].

pub mod asm;
pub mod check;
mod codes;
pub mod command;
pub mod dis;
pub mod dma;
pub mod memory_map;
pub mod register;
pub mod sim;
pub mod table;
pub mod unit;

pub use codes::{CODES, LENGTH};

/// Bytes of a chunk.
pub const CHUNK_BYTES: u64 = 8;

/// Which of the two readings of the platform holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reading {
    /// The published text; where it is silent or command buffers can't mean it, the driver.
    #[default]
    Published,
    /// The behaviour of the reference driver.
    Driver,
}

impl Reading {
    /// The driver's reading if it is asked for.
    pub fn compat(asked: bool) -> Reading {
        if asked {
            Reading::Driver
        } else {
            Reading::Published
        }
    }

    /// Whether it is the driver's.
    pub fn is_driver(self) -> bool {
        self == Reading::Driver
    }
}

/// The chunks of a file's bytes, little-endian, and how many bytes are left over.
pub fn chunks_of(bytes: &[u8]) -> (Vec<u64>, usize) {
    let (whole, rest) = bytes.as_chunks::<8>();
    let chunks = whole.iter().map(|chunk| u64::from_le_bytes(*chunk));
    (chunks.collect(), rest.len())
}

/// The bytes of chunks, little-endian.
pub fn bytes_of(chunks: &[u64]) -> Vec<u8> {
    chunks
        .iter()
        .flat_map(|chunk| chunk.to_le_bytes())
        .collect()
}
