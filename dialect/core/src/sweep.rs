//! Program memories cut into bundles from one end to the other.

use crate::arch::CoreArch;
use crate::bundle::Bundle;
use crate::isa::CoreIsa;

/// Targets of branches and functions begin at multiples of this many bytes (all 77,712 direct
/// branches of AMD's published programs for AIE2 and AIE2P).
pub const TARGET_ALIGNMENT: usize = 16;
/// Bytes that are passed over where no bundle can be read: the least that a bundle has.
const RESUME_BYTES: usize = 2;

/// A piece of a program memory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "most pieces are bundles")]
pub enum SweptPiece {
    /// A bundle.
    Bundle(Bundle),
    /// Bytes between blocks of code that no execution comes to, by count.
    Fill(usize),
    /// Bytes that do not decode as a bundle, by count.
    Unknown(usize),
}

impl SweptPiece {
    /// Bytes that it takes.
    pub fn length(&self) -> usize {
        match self {
            SweptPiece::Bundle(bundle) => bundle.length.into(),
            SweptPiece::Fill(length) | SweptPiece::Unknown(length) => *length,
        }
    }
}

/// Cuts a program memory into bundles; see [`CoreIsa::sweep`].
pub struct Sweep<'a> {
    isa: &'a CoreIsa,
    bytes: &'a [u8],
    /// The address of the first byte.
    address: usize,
    at: usize,
    /// Bundles up to the end of a block: the delay slots of the jump that ends it.
    until_end: Option<u8>,
}

/// The architecture whose bundles follow one another from the first byte of a program memory to the last
/// that is not 0; `None` if it holds nothing, or several decode it or none.
pub fn arch_of_program(program: &[u8]) -> Option<CoreArch> {
    let end = program.iter().rposition(|byte| *byte != 0)?;
    let decodes = |arch: &CoreArch| {
        let mut pieces = CoreIsa::of(*arch).sweep(program, 0);
        pieces.all(|(at, piece)| at > end || !matches!(piece, SweptPiece::Unknown(_)))
    };
    let mut archs = CoreArch::ALL.into_iter().filter(decodes);
    archs.next().filter(|_| archs.next().is_none())
}

impl CoreIsa {
    /// The pieces of a program memory whose first byte has `address`, each with its offset in
    /// `bytes`.
    ///
    /// After an unconditional jump and its delay slots the next code that executes is the target of
    /// another, at a multiple of [`TARGET_ALIGNMENT`]. What lies before it is bundles if they end
    /// there, else [`SweptPiece::Fill`].
    pub fn sweep<'a>(&'a self, bytes: &'a [u8], address: u32) -> Sweep<'a> {
        Sweep {
            isa: self,
            bytes,
            address: address as usize,
            at: 0,
            until_end: None,
        }
    }

    /// The delay slots of a bundle after which execution goes on elsewhere.
    fn slots_before_end(&self, bundle: &Bundle) -> Option<u8> {
        let rows = bundle.slots.iter();
        let rows =
            rows.map(|(_, instruction)| &self.instructions[usize::from(instruction.instruction)]);
        rows.filter(|row| matches!(row.mnemonic, "ret" | "j"))
            .map(|row| row.delay_slots)
            .next()
    }
}

impl Sweep<'_> {
    /// Bytes to the next multiple of [`TARGET_ALIGNMENT`], unless bundles end there.
    fn fill(&self) -> Option<usize> {
        let address = self.address + self.at;
        let length = address.next_multiple_of(TARGET_ALIGNMENT) - address;
        let rest = &self.bytes[self.at..];
        let rest = &rest[..length.min(rest.len())];
        let mut at = 0;
        while at < rest.len() {
            match self.isa.decode(&rest[at..]) {
                Ok(bundle) => at += usize::from(bundle.length),
                Err(_) => return Some(rest.len()),
            }
        }
        None
    }
}

impl Iterator for Sweep<'_> {
    type Item = (usize, SweptPiece);

    fn next(&mut self) -> Option<(usize, SweptPiece)> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let fill = match self.until_end {
            Some(0) => {
                self.until_end = None;
                self.fill()
            }
            _ => None,
        };
        let piece = match fill {
            Some(length) => SweptPiece::Fill(length),
            None => match self.isa.decode(rest) {
                Ok(bundle) => {
                    self.until_end = match self.until_end {
                        Some(left) => Some(left - 1),
                        None => self.isa.slots_before_end(&bundle),
                    };
                    SweptPiece::Bundle(bundle)
                }
                Err(_) => {
                    self.until_end = None;
                    SweptPiece::Unknown(RESUME_BYTES.min(rest.len()))
                }
            },
        };
        let at = self.at;
        self.at += piece.length();
        Some((at, piece))
    }
}

#[cfg(test)]
mod tests {
    use aiec_diag::FileId;

    use super::*;
    use crate::arch::CoreArch;
    use crate::asm::assemble;
    use crate::link::{LinkOptions, link};

    #[test]
    fn what_lies_after_a_jump_is_no_code() {
        let text =
            "first: ret lr\nnop\nnop\nnop\nnop\nnop\n.p2align 4\nsecond: add r0, r0, #1\nret lr\n";
        let object = assemble(CoreArch::Aie2p, "test", FileId(0), text).expect("right");
        let options = LinkOptions {
            start_code: false,
            ..LinkOptions::default()
        };
        let mut code = link(&[object], &options).expect("linked").code();
        let isa = CoreIsa::of(CoreArch::Aie2p);
        let lengths = |code: &[u8]| -> Vec<(usize, bool)> {
            let pieces = isa.sweep(code, 0);
            pieces
                .map(|(at, piece)| (at, matches!(piece, SweptPiece::Bundle(_))))
                .collect()
        };
        // `ret` has 4 bytes, each `nop` 2, then 2 bytes follow.
        let padded = lengths(&code);
        assert!(padded.iter().all(|(_, is_bundle)| *is_bundle));
        assert!(padded.contains(&(14, true)) && padded.contains(&(16, true)));
        code[14..16].copy_from_slice(&[0x19, 0x55]);
        let filled = lengths(&code);
        assert_eq!(filled[6..8], [(14, false), (16, true)]);
    }
}
