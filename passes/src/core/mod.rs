//! Programs of cores: from an `aie.core` body to what its program memory holds.
//!
//! * [`link_functions`] gives declared functions the bodies of function files;
//! * [`core_program`] compiles a body to the program format that the simulator's core model executes.
//!
//! Machine code that a core names with `elf_file` is read by [`crate::analysis::core_elf`].

pub mod core_program;
pub mod link_functions;
