//! Relocations of control code by the host: their kinds and their arithmetic.
//!
//! A relocation names a place, a kind and a symbol; the host adds the symbol's device address to
//! an address field at the place. (XRT: src/runtime_src/core/common/api/elf_patcher.cpp)

use aiec_diag::Diag;

use crate::binary::malformed;

/// Sort of address field; the number is the relocation type in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatchKind {
    /// Shim BD of aie2ps: word 1, word 2 bits 15:0, word 8 bits 8:0 (57 bits).
    ShimBd57,
    /// A word that the host would fill with a scalar; no loader applies it.
    Scalar32,
    /// Shim BD with 48 bits: word 1, word 2 bits 15:0.
    ShimBd48,
    /// Shim BD of aie4: word 1, word 0 bits 24:0 (57 bits).
    ShimBd57Aie4,
    /// Control packet of aie2ps: words 2 and 3.
    CtrlPacket57,
    /// A 64-bit address in words 0 and 1.
    Address64,
    /// Control packet of aie4: word 2, word 1 bits 24:0.
    CtrlPacket57Aie4,
    /// The block that starts a kernel of programmable logic: a 64-bit address in words 8 and 9.
    PlAddress64,
}

const KINDS: [(u32, PatchKind); 8] = [
    (2, PatchKind::ShimBd57),
    (3, PatchKind::Scalar32),
    (5, PatchKind::ShimBd48),
    (6, PatchKind::ShimBd57Aie4),
    (7, PatchKind::CtrlPacket57),
    (8, PatchKind::Address64),
    (9, PatchKind::CtrlPacket57Aie4),
    (11, PatchKind::PlAddress64),
];

/// An address field that leaves the bytes; `at` is its byte offset.
pub fn outside(at: usize) -> Diag {
    malformed(format!(
        "the patched words at offset 0x{at:X} lie outside the code"
    ))
}

impl PatchKind {
    /// The relocation type of the file.
    pub fn number(self) -> u32 {
        KINDS
            .iter()
            .find(|(_, k)| *k == self)
            .map_or(0, |(n, _)| *n)
    }

    /// The kind of a relocation type.
    pub fn from_number(number: u32) -> Option<Self> {
        KINDS.iter().find(|(n, _)| *n == number).map(|(_, k)| *k)
    }

    /// 32-bit words from the place that the address field touches.
    pub const fn words(self) -> usize {
        match self {
            Self::ShimBd57 => 9,
            Self::Scalar32 => 1,
            Self::ShimBd48 | Self::CtrlPacket57Aie4 => 3,
            Self::ShimBd57Aie4 | Self::Address64 => 2,
            Self::CtrlPacket57 => 4,
            Self::PlAddress64 => 10,
        }
    }

    /// Adds `address` to the address field at byte `at`.
    pub fn add(self, bytes: &mut [u8], at: usize, address: u64) -> Result<(), Diag> {
        let field = bytes
            .get_mut(at..)
            .and_then(|rest| rest.get_mut(..self.words() * 4))
            .ok_or_else(|| outside(at))?;
        let parts: &[(usize, u32)] = match self {
            Self::Scalar32 => return Err(malformed("a scalar cannot be patched")),
            Self::ShimBd57 => &[(1, 32), (2, 16), (8, 9)],
            Self::ShimBd48 => &[(1, 32), (2, 16)],
            Self::ShimBd57Aie4 => &[(1, 32), (0, 25)],
            Self::CtrlPacket57 => &[(2, 32), (3, 16)],
            Self::Address64 => &[(0, 32), (1, 32)],
            Self::CtrlPacket57Aie4 => &[(2, 32), (1, 25)],
            Self::PlAddress64 => &[(8, 32), (9, 32)],
        };
        let mut sum = if self == Self::Address64 {
            0
        } else {
            join(parts, |i| word_at(field, i))
        };
        sum = sum.wrapping_add(address);
        if self == Self::CtrlPacket57 {
            sum &= !3;
        }
        for &(i, bits) in parts {
            let mask = (1u64 << bits) - 1;
            let value = (word_at(field, i) & !mask | sum & mask) as u32;
            field[4 * i..4 * i + 4].copy_from_slice(&value.to_le_bytes());
            sum >>= bits;
        }
        Ok(())
    }
}

fn word_at(field: &[u8], i: usize) -> u64 {
    let bytes = field.get(4 * i..).and_then(|rest| rest.first_chunk());
    u64::from(u32::from_le_bytes(bytes.copied().unwrap_or_default()))
}

/// The address that the parts hold together.
fn join(parts: &[(usize, u32)], word: impl Fn(usize) -> u64) -> u64 {
    let mut shift = 0;
    let mut value = 0;
    for &(i, bits) in parts {
        value |= (word(i) & ((1u64 << bits) - 1)) << shift;
        shift += bits;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(kind: PatchKind, words: &[u32], address: u64) -> Vec<u32> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        kind.add(&mut bytes, 0, address).unwrap();
        bytes
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn shim_bd_carries_into_the_high_fields() {
        let image = [
            0x10,
            0xFFFF_FFF0,
            0x1234_0001,
            0,
            0,
            0,
            0,
            0x8000_0000,
            0x200,
        ];
        let out = patched(PatchKind::ShimBd57, &image, 0x2020);
        assert_eq!(
            out,
            [0x10, 0x2010, 0x1234_0002, 0, 0, 0, 0, 0x8000_0000, 0x200]
        );
        let image = [0, 0xFFFF_FFFF, 0xABCD_FFFF, 0, 0, 0, 0, 0, 0xE00];
        let out = patched(PatchKind::ShimBd57, &image, 1);
        assert_eq!(out, [0, 0, 0xABCD_0000, 0, 0, 0, 0, 0, 0xE01]);
    }

    #[test]
    fn aie4_keeps_the_high_bits_of_word_0() {
        assert_eq!(
            patched(PatchKind::ShimBd57Aie4, &[0xFE00_0001, 0xFFFF_E000], 0x2000),
            [0xFE00_0002, 0]
        );
    }

    #[test]
    fn places_outside_are_refused() {
        let mut bytes = [0; 32];
        assert_eq!(PatchKind::ShimBd57.add(&mut bytes, 0, 1), Err(outside(0)));
        assert_eq!(
            PatchKind::Address64.add(&mut bytes, 40, 1),
            Err(outside(40))
        );
    }

    #[test]
    fn numbers_round_trip() {
        for n in 0..16 {
            if let Some(kind) = PatchKind::from_number(n) {
                assert_eq!(kind.number(), n);
            }
        }
    }
}
