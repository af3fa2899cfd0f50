//! Core programs: the bodies of `aie.core` become the machine code of the modelled core
//! ([`aiec_vcode`]).
//!
//! It works on a core whose object fifos are lowered and whose locks and buffers have numbers and
//! addresses. Each function that the body reaches is lowered on its own: operations to
//! instructions over virtual registers (`function` with `pure`, `arith`, `control`, `memory`,
//! `layout`, `vector`, `sync` and the dialects' own), liveness and linear scan (`allocate`),
//! instructions (`emit`).
//! Constants fold, comparisons fuse with their branches, loops use the loop instruction; there is
//! no other optimisation.
//!
//! Data that isn't a buffer of the netlist (`memref.alloca`, `memref.alloc`, `memref.global`,
//! vector constants) is placed in the core's stack at the bottom of its data memory, or in a buffer
//! of its own where the stack is too small ([`LocalData`]); initial contents come out as
//! [`DataSegment`]s beside the program.
//!
//! Units: addresses are core-local bytes, those of data segments bytes in the tile's data memory.

use std::collections::hash_map::Entry;

use aiec_aie::ir::{Module, Op};
use aiec_diag::{Diags, Reported};
use aiec_vcode::CoreProgram;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

mod bits;
mod code_blocks;
mod codes;
mod data;
mod inner_loops;
pub mod kernels;
pub mod link_functions;
mod lower;
pub mod machine;
mod machine_code;
mod mir;
mod model;
mod routines;
mod select;
mod signature;
mod ssa;
#[cfg(test)]
mod test_cores;

pub use codes::CODES;
pub use data::{DATA_BUFFER, LocalData};
pub use inner_loops::{InnerLoop, LoopForm};
pub use machine_code::{MachineCode, PlacedFunction, machine_code};
pub use select::{MachineCore, NestForm, machine_program};
pub use signature::external_signature;

/// A core's program and the data it expects in its tile's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreCode {
    /// The program as words of program memory, from its start.
    pub words: Vec<u32>,
    /// Same as [`Self::words`], for reading.
    pub program: CoreProgram,
    /// The operation that each instruction was made for; those that set a function up were made
    /// for the function.
    pub sources: Vec<Op>,
    /// The `aie.core` and the `func.func` that the program's functions were made from.
    pub functions: Vec<Op>,
    /// Initial contents of the core's stack.
    pub data: Vec<DataSegment>,
    /// Where the core's own arrays are: the byte offset in the data memory of its tile of each
    /// `memref.alloc`, `memref.alloca` and `memref.global` that the program uses.
    pub placed: IndexMap<Op, u32>,
}

/// Bytes for the data memory of the core's own tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Byte offset in the data memory, a multiple of 4.
    pub offset: u32,
    /// The bytes, a multiple of 4.
    pub bytes: Vec<u8>,
}

impl DataSegment {
    /// The bytes as words of data memory.
    pub fn words(&self) -> Vec<u32> {
        let words = self.bytes.chunks_exact(4);
        words
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    }
}

/// The programs of cores that were lowered already, of one module whose cores don't change meanwhile.
#[derive(Clone, Debug, Default)]
pub struct CorePrograms {
    codes: FxHashMap<Op, CoreCode>,
}

impl CorePrograms {
    /// The program of an `aie.core`, which is lowered if it wasn't before.
    ///
    /// # Errors
    /// As [`lower_core`].
    pub fn lower(
        &mut self,
        module: &Module,
        core: Op,
        diags: &mut Diags,
    ) -> Result<&CoreCode, Reported> {
        match self.codes.entry(core) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => Ok(free.insert(lower_core(module, core, diags)?)),
        }
    }

    /// The program of an `aie.core`, if it was lowered before.
    pub fn get(&self, core: Op) -> Option<&CoreCode> {
        self.codes.get(&core)
    }
}

/// Lowers an `aie.core`; one that does nothing has a program too: it is released like all others
/// and has to end. Findings go to `diags`; those of all operations are reported.
///
/// # Errors
/// Something in the core can't be lowered.
pub fn lower_core(module: &Module, core: Op, diags: &mut Diags) -> Result<CoreCode, Reported> {
    let lowered = lower::lower(module, core, diags)?;
    model::program(module, lowered, diags)
}
