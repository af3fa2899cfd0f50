//! Relocations by the host: their kinds and their arithmetic (XRT: `elf_patcher.cpp`).

use aiec_diag::Diag;

use crate::bytes::{Bytes, put};
use crate::codes::ELF_MALFORMED;

/// Offset at which the array sees host memory above the host's own addresses, in bytes.
pub const SHIM_HOST_OFFSET: u64 = 0x8000_0000;

/// Sort of address field; the number is the relocation type in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatchKind {
    /// Bits of one word; the symbol's size is their mask.
    Scalar,
    /// Control packet: words 2 and 3 hold 44 of the address's 48 bits.
    ControlPacket48,
    /// Shim BD: word 1, word 2 bits 15:0.
    ShimBd48,
    /// A 64-bit address in words 0 and 1.
    Address64,
}

const KINDS: [(u32, PatchKind); 4] = [
    (3, PatchKind::Scalar),
    (4, PatchKind::ControlPacket48),
    (5, PatchKind::ShimBd48),
    (8, PatchKind::Address64),
];

/// Addend of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchSymbol {
    /// Device address of a buffer of the run: its index, 0 being the first.
    Argument(u32),
    /// Device address of a PDI.
    Pdi(u32),
    /// Device address of the control packets.
    ControlPackets,
    /// Device address of control packets that load program memory.
    ProgramMemory(u32),
    /// Device address of the buffer that memory tiles are saved to.
    ScratchMemory,
    /// Device address of the state table's buffer.
    ScratchControl,
    /// Anything else.
    Other(String),
}

impl PatchKind {
    /// The relocation type of the file.
    pub fn number(self) -> u32 {
        let found = KINDS.iter().find(|(_, kind)| *kind == self);
        found.map_or(0, |(number, _)| *number)
    }

    /// The kind of a relocation type.
    pub fn from_number(number: u32) -> Option<Self> {
        let found = KINDS.iter().find(|(n, _)| *n == number);
        found.map(|(_, kind)| *kind)
    }

    /// Puts the address of a buffer, with something added, into the field at byte `at`; `size` is
    /// the symbol's, a mask for [`PatchKind::Scalar`].
    ///
    /// # Errors
    /// The field leaves the bytes.
    pub fn apply(self, all: &mut [u8], at: usize, address: u64, size: u32) -> Result<(), Diag> {
        let length = match self {
            Self::Scalar => 4,
            Self::Address64 => 8,
            Self::ShimBd48 => 12,
            Self::ControlPacket48 => 16,
        };
        Bytes::new(all, &ELF_MALFORMED).slice(at, length)?;
        let field = &mut all[at..at + length];
        let word = |field: &[u8], i: usize| {
            let bytes = [
                field[4 * i],
                field[4 * i + 1],
                field[4 * i + 2],
                field[4 * i + 3],
            ];
            u64::from(u32::from_le_bytes(bytes))
        };
        // the words with the low and the high part, and the bits that are read of the high one
        let (low, high, read) = match self {
            Self::Scalar => {
                let mask = u64::from(size);
                let value = word(field, 0) & !mask | address & mask;
                put(field, 0, 4, value);
                return Ok(());
            }
            Self::Address64 => {
                put(field, 0, 8, address);
                return Ok(());
            }
            Self::ShimBd48 => (1, 2, 0xFFFF),
            Self::ControlPacket48 => (2, 3, 0xFFF),
        };
        let base = word(field, low) | (word(field, high) & read) << 32;
        let sum = base.wrapping_add(address).wrapping_add(SHIM_HOST_OFFSET);
        put(field, 4 * low, 4, sum & 0xFFFF_FFFC);
        let kept = word(field, high) & 0xFFFF_0000;
        put(field, 4 * high, 4, kept | sum >> 32 & 0xFFFF);
        Ok(())
    }
}
