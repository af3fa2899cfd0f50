//! Costs of control code beyond [`CertTiming`]: [`super::encode`] chooses instructions by it, [`super::estimate`] ways
//! to divide work.

use aiec_cert::bd::UC_BD_BYTES;
use aiec_cert::isa::{Op, SymOp};
use aiec_cert::program::DataId;
use aiec_cert::timing::CertTiming;

use crate::analysis::transfer::WORD_BYTES;

/// Cycles of controllers and their uC-DMAs.
pub const TIMING: CertTiming = CertTiming::MODEL;

/// Cycles of starting a chain of descriptors and learning of its end.
pub const CHAIN: u64 = TIMING.dma_start + TIMING.dma_end;

/// Cycles from the push of a task to its token, beside a cycle for each word: the way through host
/// memory and the array. A guess; it is the same in all ways to divide work.
pub const TASK: u64 = 500;

/// Bytes that are worth a cycle: what a page's fetch takes when nothing hides it, and the room
/// that one more page takes.
const BYTES_PER_CYCLE: u64 = 4;

/// Cycles that the controller takes for an instruction, without what it waits for.
pub fn cycles(op: &SymOp) -> u64 {
    TIMING.instruction_cycles(op.info())
}

/// Both as one number: cycles and bytes weighed.
const fn weigh(cycles: u64, bytes: usize) -> u64 {
    cycles * BYTES_PER_CYCLE + bytes as u64
}

/// Whether `singles` WRITE32s cost less than one uC-DMA chain.
pub fn writes_are_cheaper(singles: usize) -> bool {
    let write: SymOp = Op::Write32 {
        address: 0,
        value: 0,
    };
    let send: SymOp = Op::UcDmaWriteDesSync {
        descriptor: DataId(0),
    };
    let count = singles as u64;
    let writes = weigh(count * cycles(&write), singles * write.size());
    let bytes = send.size() + singles * (UC_BD_BYTES + WORD_BYTES as usize);
    let chain = weigh(cycles(&send) + CHAIN + count * TIMING.descriptor(1), bytes);
    writes <= chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_single_words_are_written_and_many_are_sent() {
        assert!(writes_are_cheaper(1) && writes_are_cheaper(2));
        assert!(!writes_are_cheaper(8));
    }
}
