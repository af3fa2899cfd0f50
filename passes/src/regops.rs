//! Register operations with locations of the netlist, which `configure` and `sequence` make and
//! `reconfigure` and `jobs` turn into control code.

use aiec_aie::ir::Loc;
use aiec_cert::bd::UC_BD_BYTES;
pub use aiec_regprog::{RegAction, Unsupported};

use crate::analysis::transfer::WORD_BYTES;

/// A register operation made from an operation of the netlist.
pub type RegOp = aiec_regprog::RegOp<Loc>;

/// Longest gap, in words, that control code writes over instead of starting a new descriptor: the
/// words of a uC-DMA descriptor, and the burst that it saves.
pub const MAX_GAP_WORDS: u32 = UC_BD_BYTES as u32 / WORD_BYTES as u32 + 2;
