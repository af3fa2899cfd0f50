//! DRRA, a coarse-grain reconfigurable array (SiLago), and its instruction set v2.
//!
//! * [`mod@description`]: the instruction set as data, as published; [`read_own_set`] reads a user's own;
//! * [`asm::assemble`]: text with the sections .DATA, .CODE, .RELATION and .DEPENDENCY to a
//!   [`DrraProgram`]; [`check::check`] finds what can't work, [`print::print`] makes text again;
//! * [`mod@encode`], [`mod@elf`], [`mod@listing`]: programs as bits and files;
//! * [`mod@fabric`], [`DrraOperation`], [`AddressWalk`], [`Sequencer`]: what the simulator and the
//!   checker both have to know: sizes, what instructions mean, when addresses are walked and
//!   instructions issued;
//! * [`sim`]: the fabric and its runs.

pub mod asm;
pub mod check;
pub mod codes;
pub mod description;
pub mod elf;
pub mod encode;
pub mod fabric;
mod layout;
pub mod listing;
mod meaning;
mod operation;
mod phase;
pub mod print;
mod program;
mod sequencer;
pub mod sim;
mod walk;

pub use asm::{AssembleOptions, assemble};
pub use codes::CODES;
pub use description::{published, published_word};
pub use meaning::read_own_set;
pub use operation::{
    DpuSetup, DrraOperation, LoopSetup, RaccuSetup, RefiSetup, RouteSetup, Setting, SramSetup,
    SwitchSetup, WalkSetup,
};
pub use program::{
    CellProgram, CodeItem, Dependency, DrraProgram, InstructionValues, ItemContent, MemoryKind,
    Relation, Variable,
};
pub use sequencer::{CellCode, IssuedOperation, PlacedOperation, Sequencer, SequencerFault};
pub use walk::{AddressWalk, WalkLevel, WalkProgress};
