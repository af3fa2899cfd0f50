//! The driver of `aiec`: command line, files, terminal, and the way from one room to the next.
//!
//! The binary is three lines around [`run`]; tests call [`run`] in-process.
//! This crate is the only one that reads or writes files and the only one that renders
//! diagnostics; the rooms below hand it values.

mod io;

pub use io::{Exit, Io, Terminal};

use std::ffi::OsString;

/// Runs `aiec` with the given command line (without the program's name) on the given streams.
pub fn run(args: &[OsString], io: &mut Io<'_>) -> Exit {
    let _ = (args, io);
    Exit::BadCommandLine
}
