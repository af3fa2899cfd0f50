//! Surroundings of the driver: the standard streams and the properties of the terminal. The driver
//! never touches the process's own streams, so that a test (or another program) can run it
//! in-process and look at its output.

pub mod diagnostics;
pub mod interrupt;
pub mod output;
pub mod scratch;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// The standard streams of one run.
pub struct Io<'a> {
    /// Read when an input is `-`.
    pub stdin: &'a mut (dyn Read + Send),
    /// Results: what the user asked for.
    pub stdout: &'a mut dyn Write,
    /// Everything said about the results: diagnostics, notes, progress.
    pub stderr: &'a mut dyn Write,
    /// Properties of `stderr` that decide how diagnostics are drawn.
    pub terminal: Terminal,
    /// Whether the process ends with this run: what a compilation made is then left to the system, as
    /// giving it back value by value reads all of it once more.
    pub ends_process: bool,
    /// The command line, for reports of internal errors; [`run`](crate::run) sets it.
    pub command_line: Vec<OsString>,
    /// The files that the run has read, which `--watch` looks at.
    pub files_read: Vec<PathBuf>,
}

/// Amount of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors, warnings, notes and summaries.
    #[default]
    Normal,
    /// Also the time of passes and the files that were written.
    Verbose,
}

/// Properties of the error stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Whether colours are understood.
    pub colour: bool,
    /// Width in columns at which messages wrap.
    pub width: usize,
    /// Whether a person is looking at it.
    pub interactive: bool,
    /// Amount of messages.
    pub verbosity: Verbosity,
}

impl Default for Terminal {
    /// A stream that isn't a terminal: no colours, [`DEFAULT_WIDTH`] columns.
    fn default() -> Self {
        Terminal {
            colour: false,
            width: DEFAULT_WIDTH,
            interactive: false,
            verbosity: Verbosity::Normal,
        }
    }
}

/// Columns at which messages wrap when the width of the terminal is not known.
pub const DEFAULT_WIDTH: usize = 100;

/// Outcome of a run; the number is the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: the input is wrong; diagnostics have been written.
    BadInput,
    /// 2: the command line is wrong.
    BadCommandLine,
    /// 3: the simulation ended in a deadlock, a fault or at a limit.
    SimulationFailed,
}

impl Exit {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::BadInput => 1,
            Exit::BadCommandLine => 2,
            Exit::SimulationFailed => 3,
        }
    }
}

impl Io<'_> {
    /// Says what is wrong with the command line.
    pub fn refuse(&mut self, message: impl std::fmt::Display) -> Exit {
        // A closed error stream can't report its own failure.
        let _ = writeln!(self.stderr, "error: {message}");
        Exit::BadCommandLine
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
