//! The instruction set of CERT: one table ([`table`]), everything else derived from it.
//!
//! * [`Op`]: the instruction as a value. It is generic over how data labels and page scopes are
//!   named: [`SymOp`] before layout, [`RawOp`] as encoded.
//! * [`RawOp::encode`], [`RawOp::decode`]: bytes and back.
//! * [`OPS`]: rows for the assembler, the printer, reference pages and `aiec isa`.
//! * Overlapping fields, fields outside the instruction, misaligned fields and opcodes given
//!   twice fail the build.
//!
//! Every instruction is a multiple of 4 bytes; byte 0 is the opcode, byte 1 is zero, fields are
//! little-endian and naturally aligned (aiebu: specification/aie2ps/isa-spec.yaml).

mod define;
mod field;
mod table;

pub use field::{
    ArgOffset, Barrier, BarrierKind, BusAccess, FieldInfo, FieldKind, FieldValue, FlowClass,
    OpInfo, Operand, OptionalOperand, Reg, TargetSet,
};
pub use table::{OPS, Op};

use std::sync::LazyLock;

use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use crate::binary::malformed;

/// A data block that an instruction names before layout: index in
/// [`crate::program::Scope::data`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DataId(pub u32);

/// A scope that an instruction names before layout: index in [`crate::program::Group::scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The main program of a group.
    pub const MAIN: Self = Self(0);
}

/// An instruction whose labels and scopes are still symbolic (before layout).
pub type SymOp = Op<DataId, ScopeId>;

/// An instruction as encoded: labels are positions in the page (bytes from the end of the page
/// header), scopes are page numbers.
pub type RawOp = Op<u16, u16>;

/// Flag of WRITE_32_D: the address is a number, not that of the register that holds it.
pub const ADDRESS_IS_IMMEDIATE: u8 = 1;
/// Flag of WRITE_32_D: the value is a number, not that of the register that holds it.
pub const VALUE_IS_IMMEDIATE: u8 = 2;

/// Opcode of the byte that `.align` fills text with; the machine skips it.
/// (aiebu: src/cpp/ops/ops.cpp)
pub const FILLER: u8 = 0xA5;

/// The bytes end before the instruction at byte `at`.
fn text_ends(at: usize) -> Diag {
    malformed(format!(
        "no instruction at offset 0x{at:X}: the text ends before it"
    ))
}

/// The bytes end inside the instruction at byte `at`.
fn truncated(mnemonic: &str, at: usize, size: usize) -> Diag {
    malformed(format!(
        "{mnemonic} at offset 0x{at:X} needs {size} bytes, but the text ends before that"
    ))
}

/// No instruction has the opcode at byte `at`.
fn unknown_opcode(opcode: u8, at: usize) -> Diag {
    malformed(format!("unknown opcode 0x{opcode:02X} at offset 0x{at:X}"))
}

/// Longest mnemonic in bytes, at most.
const MAX_MNEMONIC: usize = 24;

/// Rows by mnemonic in upper case.
static BY_MNEMONIC: LazyLock<FxHashMap<&[u8], &OpInfo>> = LazyLock::new(|| {
    OPS.iter()
        .map(|row| (row.mnemonic.as_bytes(), row))
        .collect()
});

/// Finds the row of an instruction by mnemonic, in any letter case.
pub fn find_mnemonic(name: &str) -> Option<&'static OpInfo> {
    let mut folded = [0; MAX_MNEMONIC];
    let folded = folded.get_mut(..name.len())?;
    folded.copy_from_slice(name.as_bytes());
    folded.make_ascii_uppercase();
    BY_MNEMONIC.get(&*folded).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_as_the_vendor_does() {
        let cases: [(RawOp, &[u8]); 8] = [
            (
                RawOp::MaskWrite32 {
                    address: 0x0210_0004,
                    mask: 0xFF00,
                    value: 0x4200,
                },
                &[3, 0, 0, 0, 4, 0, 0x10, 2, 0, 0xFF, 0, 0, 0, 0x42, 0, 0],
            ),
            (
                RawOp::UcDmaWriteDes {
                    wait_handle: Reg(4),
                    descriptor: 0x160,
                },
                &[1, 0, 4, 0, 0x60, 1, 0, 0],
            ),
            (
                RawOp::ApplyOffset57 {
                    table: 0x19C,
                    num_entries: 1,
                    offset: ArgOffset(4),
                },
                &[0x0E, 0, 0x9C, 1, 1, 0, 4, 0],
            ),
            (
                RawOp::RemoteBarrier {
                    barrier: Barrier(6),
                    party_mask: 3,
                },
                &[0x12, 0, 6, 0, 3, 0, 0, 0],
            ),
            (
                RawOp::LocalBarrier {
                    barrier: Barrier(3),
                    num_participants: 2,
                },
                &[0x11, 0, 3, 2],
            ),
            // aiebu: specification/aie2ps/isa-spec.yaml
            (
                RawOp::UcDmaMaskPollExt {
                    address_high: 0x800,
                    address_low: 0x3_0000,
                    mask: 2,
                    value: 3,
                },
                &[
                    0x22, 0, 0, 0, 0, 8, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 3, 0, 0, 0,
                ],
            ),
            (
                RawOp::ApplyOffsetPl {
                    table: 0x40,
                    buffer_id: 49,
                },
                &[0x23, 0, 0x40, 0, 49, 0, 0, 0],
            ),
            (RawOp::Eof {}, &[0xFF, 0, 0, 0]),
        ];
        for (op, bytes) in cases {
            let mut out = Vec::new();
            op.encode(&mut out);
            assert_eq!(out, bytes, "{op:?}");
            assert_eq!(RawOp::decode(bytes, 0), Ok((op, bytes.len())));
        }
    }

    #[test]
    fn every_row_survives_a_round_trip_with_all_bits_set() {
        for row in OPS {
            let mut bytes = vec![0u8; row.size as usize];
            bytes[0] = row.opcode;
            for f in row.fields {
                let (at, n) = (f.offset as usize, f.bits as usize / 8);
                bytes[at..at + n].fill(0xFF);
            }
            let (op, size) = RawOp::decode(&bytes, 0).expect(row.mnemonic);
            assert_eq!(size, row.size as usize);
            assert_eq!(op.info().mnemonic, row.mnemonic);
            let mut out = Vec::new();
            op.encode(&mut out);
            assert_eq!(out, bytes, "{}", row.mnemonic);
        }
    }

    #[test]
    fn mnemonics_are_found_in_any_case() {
        for row in OPS {
            let found = find_mnemonic(&row.mnemonic.to_ascii_lowercase());
            assert_eq!(found.map(|f| f.opcode), Some(row.opcode));
        }
        assert!(find_mnemonic("NOPE").is_none());
        assert!(find_mnemonic(&"X".repeat(100)).is_none());
    }

    #[test]
    fn decoding_refuses_unknown_and_cut_bytes() {
        let why = |bytes: &[u8], at| RawOp::decode(bytes, at).map_err(|diag| diag.message);
        let unknown = "unknown opcode 0x0A at offset 0x0";
        assert_eq!(why(&[0x0A, 0, 0, 0], 0), Err(unknown.to_owned()));
        let cut = why(&[5, 0, 0, 0], 0).unwrap_err();
        assert!(cut.contains("at offset 0x0 needs 12 bytes"), "{cut}");
        let end = "no instruction at offset 0x4: the text ends before it";
        assert_eq!(why(&[], 4), Err(end.to_owned()));
    }
}
