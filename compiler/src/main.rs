//! The `aiec` command: [`aiec::run`] on the streams of the process.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "mlir")]
    aiec::mlir::install();
    aiec::handle_interrupts();
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let interactive = stderr().is_terminal();
    let colour = interactive && std::env::var_os("NO_COLOR").is_none();
    let mut io = aiec::Io {
        stdin: &mut stdin().lock(),
        stdout: &mut stdout().lock(),
        stderr: &mut stderr().lock(),
        terminal: aiec::Terminal {
            colour,
            interactive,
            ..Default::default()
        },
        command_line: Vec::new(),
    };
    aiec::run(&args, &mut io).into()
}
