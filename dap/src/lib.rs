//! The debug adapter of `aiec dap`: designs, machine code of cores and control code in assembly, run on the simulator
//! (Debug Adapter Protocol, <https://microsoft.github.io/debug-adapter-protocol/specification>).
//!
//! * [`serve`] speaks the protocol; what a command line means is asked of a [`ProgramLauncher`], which the compiler is;
//! * `message` frames messages, `arguments` has those of the requests;
//! * `session` holds a run: it goes on, steps, and goes back by running again up to where it was, from one of its `checkpoints`;
//! * `interrupt` leaves a run for a request of the client;
//! * `breakpoints` are those of lines, places and data;
//! * `threads` are the clock, controllers, cores and DMA channels, with their stacks;
//! * `variables` has what is shown of each, `elements` the arrays among it.
//!
//! Invariants: no message panics; a session is a function of what the client asks for.

mod arguments;
mod breakpoints;
mod checkpoints;
mod elements;
mod interrupt;
mod message;
mod search_back;
mod server;
mod session;
mod threads;
mod variables;

use std::ffi::OsString;
use std::path::PathBuf;

use aiec_cert::debug::{ArgumentType, DebugInfo};
use aiec_cert::program::SourceLoc;
use aiec_sim::LiveRun;
use aiec_sim::array::{BreakCondition, Breakpoint};

pub use server::serve;

/// A program that can be debugged.
pub trait DebuggedProgram {
    /// A run of it that has not begun; all runs are alike.
    ///
    /// # Errors
    /// It can't be loaded.
    fn begin(&self) -> Result<LiveRun, String>;

    /// Names and source lines, if it has them.
    fn debug(&self) -> Option<&DebugInfo>;

    /// Where each line of the source begins, among instructions of controllers and cores and operations of the firmware.
    fn lines(&self) -> Vec<(SourceLoc, BreakCondition)>;

    /// The conditions of a place to stop at, as `aiec sim --break` takes it, or of a function of a core by its name.
    ///
    /// # Errors
    /// The place doesn't exist: why, and what to do.
    fn breakpoints_of(&self, place: &str) -> Result<Vec<Breakpoint>, String>;

    /// The text of a place now, as `aiec sim --dump` shows it.
    ///
    /// # Errors
    /// The place doesn't exist: why, and what to do.
    fn dump(&self, place: &str, run: &mut LiveRun) -> Result<String, String>;

    /// Bytes of an element of a type; `None` if it is none of numbers.
    fn element_bytes(&self, ty: &ArgumentType) -> Option<u64>;

    /// The values of whole elements of a type in bytes.
    fn elements(&self, ty: &ArgumentType, bytes: &[u8]) -> Vec<String>;

    /// The file that the name of a source leads to.
    fn source_path(&self, name: &str) -> PathBuf;

    /// Warnings and notes of its compilation, as text.
    fn remarks(&self) -> &str;
}

/// Makes programs of command lines.
pub trait ProgramLauncher {
    /// The program of a command line of `aiec sim`.
    ///
    /// # Errors
    /// The text of the diagnostics.
    fn launch(&self, arguments: &[OsString]) -> Result<Box<dyn DebuggedProgram>, String>;
}
