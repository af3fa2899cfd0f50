//! Costs of operations, in cycles.
//!
//! A real core issues several operations in a cycle and hides most latencies; a
//! core program is executed in order. The table therefore counts each scalar operation as one
//! cycle as if it were well scheduled, and charges extra where the hardware cannot hide it:
//! division and functions are sequences of instructions, a branch that is not a hardware loop
//! empties the pipeline (AM020: five delay slots), a wide access takes several turns of a 256-bit
//! port, an operation on lanes one turn for each 512 bits of 32-bit lanes.

use aiec_device::Arch;
use aiec_vcode::{ElementType, MemoryType, Opcode};

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
        Pows => FUNCTION,
        // They are the simulator's, no core executes them.
        Print | VPrint => 0,
        DivF | RemF | DivD | RemD => DIVIDE,
        MathF | MathD | Math2F | Math2D => FUNCTION,
        _ => ALU,
    }
}

/// Cycles of each operation; those over lanes and copies take more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs([u32; 256]);

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < Opcode::ALL.len() {
        let op = Opcode::ALL[at];
        table[op.code() as usize] = cost(op) as u32;
        at += 1;
    }
    table
};

impl Default for Costs {
    fn default() -> Self {
        Self(TABLE)
    }
}

impl Costs {
    /// Cycles of an operation.
    #[inline(always)]
    pub fn of(&self, op: Opcode) -> u64 {
        u64::from(self.0[usize::from(op.code())])
    }

    /// Sets the cycles of an operation; more than `u32::MAX` count as that many.
    pub fn set(&mut self, op: Opcode, cycles: u64) {
        self.0[usize::from(op.code())] = u32::try_from(cycles).unwrap_or(u32::MAX);
    }

    /// Cycles of an operation over lanes.
    pub fn over_lanes(&self, op: Opcode, lanes: usize) -> u64 {
        self.of(op) + self.lanes_extra(op, lanes)
    }

    /// Cycles of a load or store of `bytes`, by its operation.
    pub fn access(&self, op: Opcode, bytes: u32) -> u64 {
        self.of(op) + u64::from(bytes.div_ceil(PORT_BYTES)).saturating_sub(1)
    }

    /// Cycles of an operation over lanes beyond one.
    pub(super) fn lanes_extra(&self, op: Opcode, lanes: usize) -> u64 {
        let turns = (lanes as u32).div_ceil(LANES_PER_CYCLE);
        (u64::from(turns) * self.of(op)).saturating_sub(1)
    }
}

/// Cycles of a vector access beyond the first.
pub(super) const fn access_extra(kind: MemoryType, lanes: usize) -> u64 {
    (kind.bytes() * lanes as u32).div_ceil(PORT_BYTES) as u64 - 1
}

/// Cycles of a copy beyond the first: each turn loads and stores.
pub(super) const fn copy_extra(bytes: u32) -> u64 {
    2 * bytes.div_ceil(PORT_BYTES) as u64
}

// Kernels that aren't part of a program. The cycles of those of mlir-aie's library aren't
// published: these follow from the width of the vector unit, and `--core-cycles NAME=N` overrides
// them.

/// A call with its prologue and epilogue.
const KERNEL_CALL: u64 = 20;
/// An element in code for the scalar unit: load, compute, store, half of a loop's end.
const SCALAR_ELEMENT: u64 = 4;

/// Cycles of a call that does nothing.
pub(super) const fn kernel_call() -> u64 {
    KERNEL_CALL
}

/// Cycles of a part of a kernel for the scalar unit that takes `elements` elements.
pub(super) const fn kernel_part(elements: u64) -> u64 {
    elements.saturating_mul(SCALAR_ELEMENT)
}

/// Cycles of a kernel that takes elements one by one, or as many at once as the vector unit has
/// lanes.
pub(super) const fn kernel_elements(elements: u64, vector: bool) -> u64 {
    if vector {
        KERNEL_CALL + elements.div_ceil(LANES_PER_CYCLE as u64)
    } else {
        KERNEL_CALL.saturating_add(kernel_part(elements))
    }
}

/// Cycles of a product of matrices with `products` products of elements.
pub(super) fn kernel_products(
    arch: Arch,
    element: ElementType,
    products: u64,
    vector: bool,
) -> u64 {
    if vector {
        KERNEL_CALL + products.div_ceil(products_a_cycle(arch, element))
    } else {
        kernel_elements(products, false)
    }
}

/// Products that the vector unit makes in a cycle (AM020 for AIE-ML; AIE-ML v2 has twice as many
/// of 8 bits and bf16, AM027).
const fn products_a_cycle(arch: Arch, element: ElementType) -> u64 {
    let wide = matches!(arch, Arch::Aie2p | Arch::Aie2ps);
    match element {
        ElementType::Int { width: 8, .. } if wide => 512,
        ElementType::Int { width: 8, .. } => 256,
        ElementType::Bf16 if wide => 256,
        ElementType::Bf16 => 128,
        ElementType::Int { width: 16, .. } => 64,
        _ => 16,
    }
}

/// Cycles of a function of a host library, of which nothing is known but what it may touch: each
/// turn moves what a load or a store does.
pub const fn host_function(bytes: u64) -> u64 {
    KERNEL_CALL + bytes.div_ceil(PORT_BYTES as u64)
}
