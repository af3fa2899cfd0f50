//! Sequences of 2023 (`*.seq`), what the firmware of npu1 took before transactions: words, mostly as
//! text. The first one counts the words of the header, which have no other meaning here; operations
//! follow (mlir-aie of 2023: `lib/Targets/AIETargetIPU.cpp`).
//!
//! | opcode | words | does |
//! |---|---|---|
//! | 0 | 1 | nothing |
//! | 2 | 3 | writes a register: column 23:16, row 15:8; byte offset in the tile; value |
//! | 3 | 2 | waits for tokens: column, row, direction 0; channel 31:24, columns 23:16, rows 15:8 |
//! | 6 | 10 | writes a descriptor of a shim tile: column 23:16, columns 15:8, argument 7:4, descriptor 3:0; a word without use; its eight words, of which the second is the offset in the argument |

use aiec_diag::Diag;

use super::{GENERATION_NPU1, Header, Operation, Transaction};
use crate::bytes::words;
use crate::codes::TXN_MALFORMED;

/// The words of the header, which the first word counts.
const HEADER_WORDS: u32 = 17;
/// Columns of npu1.
const COLUMNS: u8 = 4;
/// Descriptors of shim tiles, and the bytes from one to the next (AM025).
const SHIM_BD: u32 = 0x1_D000;
const SHIM_BD_BYTES: u32 = 0x20;

/// Whether bytes are a sequence: no transaction has such a first word.
pub fn is_sequence(bytes: &[u8]) -> bool {
    bytes.starts_with(&HEADER_WORDS.to_le_bytes())
}

/// The transaction that does the same as a sequence.
///
/// # Errors
/// The sequence ends within an operation, or has one that isn't known.
pub fn from_sequence(bytes: &[u8]) -> Result<Transaction, Diag> {
    let all = words(bytes);
    let malformed = |at: usize, why: &str| {
        Diag::error(&TXN_MALFORMED, format!("at offset 0x{:X}: {why}", 4 * at))
    };
    let mut at = HEADER_WORDS as usize;
    let mut operations = Vec::new();
    while let Some(&head) = all.get(at) {
        let byte = |shift: u32| (head >> shift) as u8;
        let opcode = byte(24);
        let length = match opcode {
            0 => 1,
            2 => 3,
            3 => 2,
            6 => 10,
            _ => {
                let why = format!("operation {opcode} of a sequence of 2023 isn't known");
                return Err(malformed(at, &why));
            }
        };
        let cut = || malformed(at, "the sequence ends within this operation");
        let operands = all.get(at + 1..at + length).ok_or_else(cut)?;
        let column = u32::from(byte(16)) << 25;
        match (opcode, operands) {
            (2, &[offset, value]) => operations.push(Operation::Write {
                register: column | u32::from(byte(8)) << 20 | offset,
                value,
            }),
            (3, &[of]) => operations.push(Operation::WaitTct {
                direction: byte(0) & 1,
                row: byte(8),
                column: byte(16),
                rows: (of >> 8) as u8,
                columns: (of >> 16) as u8,
                channel: (of >> 24) as u8,
            }),
            (6, [_, descriptor @ ..]) => {
                if byte(8) != 1 {
                    let why = "a descriptor for several columns isn't known";
                    return Err(malformed(at, why));
                }
                let register = column | (SHIM_BD + SHIM_BD_BYTES * (head & 0xF));
                let mut words = descriptor.to_vec();
                let plus = std::mem::take(&mut words[1]);
                operations.push(Operation::BlockWrite { register, words });
                operations.push(Operation::DdrPatch {
                    register: register + 4,
                    argument: head >> 4 & 0xF,
                    plus: plus.into(),
                });
            }
            _ => {}
        }
        at += length;
    }
    let header = Header::new(GENERATION_NPU1, COLUMNS);
    Ok(Transaction::new(header, operations).folded())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::word_bytes;

    #[test]
    fn a_sequence_becomes_a_transaction() {
        let mut sequence = vec![HEADER_WORDS];
        sequence.resize(HEADER_WORDS as usize, 7);
        sequence.extend([0, 0x0203_0200, 0x2C00, 5]);
        sequence.extend([0x0601_0123, 0, 64, 16, 0, 0, 0, 0, 0, 1 << 25]);
        sequence.extend([0x0301_0001, 0x0201_0100]);
        let bytes = word_bytes(&sequence);
        assert!(is_sequence(&bytes));
        let register = 1 << 25 | 0x1_D060;
        let expected = [
            Operation::Write {
                register: 3 << 25 | 2 << 20 | 0x2C00,
                value: 5,
            },
            Operation::BlockWrite {
                register,
                words: vec![64, 0, 0, 0, 0, 0, 0, 1 << 25],
            },
            Operation::DdrPatch {
                register: register + 4,
                argument: 2,
                plus: 16,
            },
            Operation::WaitTct {
                direction: 1,
                row: 0,
                column: 1,
                rows: 1,
                columns: 1,
                channel: 2,
            },
        ];
        let made = from_sequence(&bytes).unwrap();
        let operations = made.operations.into_iter().map(|made| made.operation);
        assert_eq!(operations.collect::<Vec<_>>(), expected);
        let cut = from_sequence(&bytes[..bytes.len() - 4]).unwrap_err();
        assert!(cut.message.contains("ends within"), "{}", cut.message);
        let mut unknown = sequence.clone();
        unknown[HEADER_WORDS as usize] = 0x0B00_0000;
        let error = from_sequence(&word_bytes(&unknown)).unwrap_err();
        assert!(error.message.contains("operation 11"), "{}", error.message);
    }
}
