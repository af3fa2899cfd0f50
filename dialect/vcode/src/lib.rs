//! Core programs: the machine code of modelled cores.
//!
//! The compiler turns the body of an `aie.core` into such a program and the control code writes
//! it into the program memory of the tile, word by word, like machine code. The simulator
//! decodes and executes it. The format is this project's own; machine code of a real core lacks
//! the [`MAGIC`] and is refused.
//!
//! # Machine
//!
//! A function has a window of 256 scalar registers of 64 bits and a file of vector lanes of
//! 64 bits in granules of [`GRANULE_LANES`]; a vector register is the number of its first
//! granule. Values in registers and lanes:
//!
//! * integers of any width up to 64, index included, are sign-extended (so true of `i1` is -1);
//! * `f32`, `bf16` and `f16` are the bits of an `f32`, zero-extended; operations on the narrow
//!   formats are done in `f32` and narrowed after each step, which rounds as if once (fused products and sums,
//!   where it wouldn't, have operations of their own); what only moves
//!   a value or its sign keeps all other bits, a NaN's too, and what computes a NaN gives
//!   [`FloatFormat::nan`];
//! * `f64` is its bits; addresses are core-local byte addresses.
//!
//! A call moves the window up by the caller's frame: arguments and results are at the start of
//! the callee's window. Branch targets and function entries are numbers of instructions.
//!
//! # Format
//!
//! Little-endian words of 32 bits: the header (magic; version and length in words; checksum of
//! all that follows; counts of functions and kernels; count of instructions), two words for each
//! function, the signatures of the external kernels, the instructions. An instruction is one word
//! (opcode and three operands of 8 bits, lowest first), and a second one where the
//! operation has an immediate.

mod decode;
mod encode;
mod float;
mod instruction;
mod kernel;
mod ops;
mod signature;
mod text;
mod trap;

pub use decode::DecodeError;
pub use encode::EncodeError;
pub use instruction::{
    FloatFormat, FloatPredicate, Instruction, MapImmediate, MathFunction, MathFunction2,
    MemoryImmediate, MemoryType, Narrowing, RoundingMode,
};
pub use kernel::{kernel_words, plain_name, product_sides};
pub use ops::{
    BusOp, BusVisitor, Immediate, OpVisitor, Opcode, Operand, PureOp, PureVisitor, Shape,
};
pub use signature::{ArgumentType, ElementType, Sign, Signature};
pub use trap::TrapReason;

/// First word of a program ("AIEc").
pub const MAGIC: u32 = u32::from_le_bytes(*b"AIEc");

/// The word of a program that is the checksum of those after it.
pub const CHECKSUM_WORD: usize = 2;

/// Version of the format.
pub const VERSION: u16 = 1;

/// Lanes of a granule of the vector file.
pub const GRANULE_LANES: usize = 16;

/// Lanes that a function can name.
pub const WINDOW_LANES: usize = 256 * GRANULE_LANES;

/// Scalar registers that a function can name.
pub const WINDOW_REGISTERS: usize = 256;

/// A function of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its first instruction.
    pub entry: u32,
    /// Scalar registers it uses, from 0.
    pub registers: u16,
    /// Granules of the vector file it uses, from 0.
    pub granules: u16,
}

/// A program for one core. Function 0 is where the core starts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CoreProgram {
    /// The functions.
    pub functions: Vec<Function>,
    /// The kernels that the program calls but doesn't contain: texts of a [`Signature`].
    pub kernels: Vec<String>,
    /// The instructions of all functions.
    pub code: Vec<Instruction>,
}

/// Checksum of a program's words after the checksum (FNV-1a over bytes, 32 bits).
fn checksum(words: &[u32]) -> u32 {
    const BASIS: u32 = 0x811C_9DC5;
    const PRIME: u32 = 0x0100_0193;
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(BASIS, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests;
