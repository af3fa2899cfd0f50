//! Runs `aiec` in this process, as its user would on a command line.

use std::ffi::{OsStr, OsString};

/// Outcome of a run, and its output.
#[derive(Debug)]
pub struct Run {
    /// The exit.
    pub exit: aiec::Exit,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error, which is always text.
    pub stderr: String,
}

impl Run {
    /// Standard output of a run that succeeded, or what another one said.
    pub fn output(self) -> Result<Vec<u8>, String> {
        match self.exit {
            aiec::Exit::Done => Ok(self.stdout),
            _ => Err(self.stderr),
        }
    }
}

/// Runs `aiec` with these arguments and this standard input, not on a terminal.
pub fn aiec(args: impl IntoIterator<Item = impl AsRef<OsStr>>, mut stdin: &[u8]) -> Run {
    let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().into()).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = aiec::Io {
        stdin: &mut stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: aiec::Terminal::default(),
        ends_process: false,
        command_line: Vec::new(),
        files_read: Vec::new(),
    };
    let exit = aiec::run(&args, &mut io);
    Run {
        exit,
        stdout,
        stderr: String::from_utf8(stderr).expect("standard error is text"),
    }
}
