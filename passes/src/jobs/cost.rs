//! What control code costs: one table, in bytes of a page and in estimated cycles of the array's
//! clock. [`super::encode`] chooses instructions by it, [`super::estimate`] ways to divide work.
//!
//! The bytes are facts of the encoding (see [`super::size`]). The cycles are estimates, as there
//! are no public figures of the controllers: an instruction is decoded and executed in software,
//! a register access crosses the array's configuration network, and the uC-DMA moves bursts of 16
//! words from a memory of 128 bits (AM029). Only their proportions matter. The simulator's table
//! of the same things (`runtime-sim: cert/timing.rs`) has the same numbers; a test of the driver,
//! which sees both, keeps it so.

use super::plan::Instruction;
use super::size;

/// Executing any instruction.
pub const INSTRUCTION: u64 = 8;
/// A register write by an instruction, on top.
pub const REGISTER_WRITE: u64 = 12;
/// A register read by an instruction, on top.
pub const REGISTER_READ: u64 = 24;
/// Going from one job to another.
pub const JOB_SWITCH: u64 = 8;
/// From the last arrival at a remote barrier to the release: a message to each controller.
pub const REMOTE_BARRIER: u64 = 64;
/// Starting a chain of descriptors.
pub const CHAIN_START: u64 = 16;
/// From the end of a chain to the job that waits for it.
pub const CHAIN_END: u64 = 8;
/// Starting a chain of descriptors and learning of its end.
pub const CHAIN: u64 = CHAIN_START + CHAIN_END;
/// A burst of the uC-DMA.
pub const BURST: u64 = 8;
/// Words of a burst.
pub const BURST_WORDS: u64 = 16;
/// Words that a burst moves in a cycle.
pub const WORDS_PER_CYCLE: u64 = 4;
/// From the request of a page to its first bytes.
pub const PAGE_LATENCY: u64 = 200;
/// Bytes of a page that arrive in a cycle.
pub const PAGE_BYTES_PER_CYCLE: u64 = 16;
/// From the push of a task to its token, beside a cycle for each word: the way through host
/// memory and the array. A guess; it is the same in all ways to divide work.
pub const TASK: u64 = 500;

/// Bytes that are worth a cycle: what a page's fetch takes when nothing hides it, and the room
/// that one more page takes.
const BYTES_PER_CYCLE: u64 = 4;

/// Longest gap between registers that is written over instead of starting a new descriptor: the
/// words of a descriptor, and the burst that it saves.
pub const MAX_GAP_WORDS: u32 = (size::UC_DMA_BD / size::WORD) as u32 + 2;

/// Cycles that the uC-DMA takes for one descriptor.
pub const fn descriptor(words: usize) -> u64 {
    let words = words as u64;
    words.div_ceil(BURST_WORDS) * BURST + words.div_ceil(WORDS_PER_CYCLE)
}

/// Cycles that the controller takes for an instruction, without what it waits for.
pub const fn instruction(instruction: &Instruction) -> u64 {
    match instruction {
        Instruction::Write { .. } => write(),
        Instruction::Mask { .. } => INSTRUCTION + REGISTER_READ + REGISTER_WRITE,
        Instruction::Poll { .. } => INSTRUCTION + REGISTER_READ,
        // READ_32, ADD, WRITE_32_D.
        Instruction::Copy { add: 0, .. } => 2 * INSTRUCTION + REGISTER_READ + REGISTER_WRITE,
        Instruction::Copy { .. } => 3 * INSTRUCTION + REGISTER_READ + REGISTER_WRITE,
        Instruction::Patch { .. }
        | Instruction::Chain(_)
        | Instruction::StartChain { .. }
        | Instruction::WaitChain { .. }
        | Instruction::Wait { .. }
        | Instruction::LocalBarrier { .. }
        | Instruction::RemoteBarrier { .. }
        | Instruction::Launch { .. }
        | Instruction::Load { .. } => INSTRUCTION,
    }
}

/// Cycles until a page of so many bytes is there.
pub const fn page(bytes: usize) -> u64 {
    PAGE_LATENCY + (bytes as u64).div_ceil(PAGE_BYTES_PER_CYCLE)
}

/// Cycles of a WRITE_32.
pub const fn write() -> u64 {
    INSTRUCTION + REGISTER_WRITE
}

/// Both as one number: cycles and bytes weighed.
pub const fn weigh(cycles: u64, bytes: usize) -> u64 {
    cycles * BYTES_PER_CYCLE + bytes as u64
}

/// Whether so many single words are cheaper as writes than as a chain of their own.
pub const fn writes_are_cheaper(singles: usize) -> bool {
    let count = singles as u64;
    let writes = weigh(count * write(), singles * size::WRITE_32);
    let bytes = size::UC_DMA_WRITE_DES_SYNC + singles * (size::UC_DMA_BD + size::WORD);
    let chain = weigh(INSTRUCTION + CHAIN + count * descriptor(1), bytes);
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
