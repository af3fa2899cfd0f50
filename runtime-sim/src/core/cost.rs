//! What operations cost, in cycles.
//!
//! A real core issues several operations in a cycle and hides most latencies behind others; a
//! core program is executed in order. The table therefore counts each scalar operation as one
//! cycle as if it were well scheduled, and charges extra where the hardware cannot hide it:
//! division and functions are sequences of instructions, a branch that is not a hardware loop
//! empties the pipeline (AM020: five delay slots), a wide access takes several turns of a 256-bit
//! port, an operation on lanes one turn for each 512 bits of 32-bit lanes.

use aiec_device::core_program::{MemoryType, Opcode};

const ALU: u8 = 1;
/// Divisions are sequences of instructions.
const DIVIDE: u8 = 16;
/// So are the functions of the math dialect.
const FUNCTION: u8 = 32;
/// A compare and branch, delay slots half filled.
const BRANCH: u8 = 3;
const CALL: u8 = 6;

/// Bytes that a load or store moves in a cycle (256 bits).
const PORT_BYTES: u32 = 32;
/// Lanes that an operation handles in a cycle (512 bits of 32-bit lanes).
const LANES_PER_CYCLE: u32 = 16;

const fn cost(op: Opcode) -> u8 {
    use Opcode::*;
    match op {
        Jmp | Jnz | Jz | Beq | Bne | Blts | Bles | Bltu | Bleu => BRANCH,
        Call | CallKernel | Ret => CALL,
        Divs | Rems | Divu | Remu | DivFloor | DivCeil | DivuCeil => DIVIDE,
        DivF | RemF | DivD | RemD => DIVIDE,
        MathF | MathD | Math2F | Math2D => FUNCTION,
        _ => ALU,
    }
}

/// Cycles of each operation by its code; vector operations and copies add to it.
pub(super) const COST: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < Opcode::ALL.len() {
        let op = Opcode::ALL[at];
        table[op.code() as usize] = cost(op);
        at += 1;
    }
    table
};

/// Cycles of an operation over lanes beyond the first.
pub(super) const fn lanes_extra(op: Opcode, lanes: usize) -> u64 {
    let turns = (lanes as u32).div_ceil(LANES_PER_CYCLE);
    (turns as u64) * (cost(op) as u64) - 1
}

/// Cycles of a vector access beyond the first.
pub(super) const fn access_extra(kind: MemoryType, lanes: usize) -> u64 {
    (kind.bytes() * lanes as u32).div_ceil(PORT_BYTES) as u64 - 1
}

/// Cycles of a copy beyond the first: each turn loads and stores.
pub(super) const fn copy_extra(bytes: u32) -> u64 {
    2 * bytes.div_ceil(PORT_BYTES) as u64
}
