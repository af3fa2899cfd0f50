//! Machine code of AI Engine cores (AIE2, AIE2P, AIE2PS): what a core with a C compiler runs.
//!
//! * [`CoreIsa`] is an instruction set; its tables (`tables/*.isa`) are rows with encodings, text,
//!   memory accesses and relocations, from the public sources of llvm-aie; [`CoreIsa::accesses`] says
//!   when an instruction reads, writes and holds what (`tables/*.timing`);
//! * [`Bundle`] is what a core issues in a cycle: [`CoreIsa::decode`], [`CoreIsa::encode`],
//!   [`CoreIsa::bundle_text`];
//! * [`asm`] is the assembler, [`object`] what it makes, [`link`] joins objects to a program, [`elf`]
//!   reads and writes the files of both.
//!
//! This crate opens no files and executes nothing: the engine is in `runtime-sim/src/core/isa`.

mod accesses;
mod arch;
pub mod asm;
mod bundle;
pub mod elf;
mod isa;
mod lines;
pub mod link;
mod listing;
pub mod object;
mod old_reads;
mod program;
mod register;
mod sweep;
mod table;
mod text;
mod timing;
mod timing_table;

#[cfg(test)]
mod golden_tests;

pub use arch::{CoreArch, EM_AIE, PerArch};
pub use bundle::{
    Bundle, DecodeError, EncodeError, MAX_BUNDLE_BYTES, Operand, SlotInstruction, immediate_range,
};
pub use isa::{
    AddressMode, CoreIsa, Format, ImmediateSign, Instruction, MemoryAccess, OperandField,
    OperandKind, RegisterClass, Relocation, RelocationField, Slot, SlotSet, TextPart,
};
pub use lines::CodeLocation;
pub use listing::listing;
pub use old_reads::OldRead;
pub use program::{CoreProgram, ProgramLine, ProgramSection, ProgramSymbol};
pub use register::{CONTROL_NAMES, Register, RegisterFile};
pub use sweep::{Sweep, SweptPiece, TARGET_ALIGNMENT, arch_of_program};
pub use text::FIRST_FIFO_POSITION;
pub use timing::{Access, Accesses, Bypass, PART_WORD_BUNDLES, Port, Timing};
