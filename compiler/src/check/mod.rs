//! `aiec check`: all findings about designs and control code that need no run.

mod sarif;

use std::path::{Path, PathBuf};

use aiec_diag::{Diags, Severity};
use clap::{Args, ValueEnum};

use crate::analysis;
use crate::args::{CorePrograms, DesignArgs};
use crate::asm::{self, ASSEMBLY};
use crate::design_compiler::Compiler;
use crate::io::diagnostics::{self, Format};
use crate::io::{Exit, Io, Verbosity};
use crate::session::Session;

/// `aiec check`
#[derive(Args, Debug)]
#[command(mut_arg("diagnostics", |arg| arg.hide(true)))]
pub struct CheckArgs {
    /// Designs, and control code in assembly (.asm); `-` is a design on standard input
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Form of findings: text to standard error, others to standard output
    #[arg(help_heading = "Diagnosis", long, value_name = "FORMAT", value_enum)]
    pub format: Option<CheckFormat>,
    /// Programs that cores with bodies must have: machine code, whose absence is an error, or the
    /// simulator's own programs [default: machine code, whose absence is a warning]
    #[arg(
        help_heading = "What to compile",
        long,
        value_enum,
        value_name = "WHAT"
    )]
    pub core: Option<CorePrograms>,
    /// Check again whenever a file changes that was read, until Ctrl-C
    #[arg(help_heading = "Diagnosis", long)]
    pub watch: bool,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
}

/// Form of the findings of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object on each line.
    Json,
    /// `FILE:LINE:COLUMN: error: …`, as MLIR's tools and compilers write.
    Mlir,
    /// SARIF 2.1.0, which code hosts and editors read.
    Sarif,
}

impl CheckFormat {
    fn of(args: &CheckArgs) -> CheckFormat {
        args.format.unwrap_or(match args.design.diagnostics {
            Some(Format::Json) => CheckFormat::Json,
            Some(Format::Mlir) => CheckFormat::Mlir,
            Some(Format::Text) | None => CheckFormat::Text,
        })
    }
}

/// Number of findings of each severity.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Counts {
    fn add(&mut self, diags: &Diags) {
        for diag in diags {
            match diag.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    /// The line at the end.
    fn summary(self, files: usize) -> String {
        let counted = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let parts: Vec<String> = counted
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| plural(count, what))
            .collect();
        let found = if parts.is_empty() {
            "nothing to say".to_string()
        } else {
            parts.join(", ")
        };
        format!("checked {}: {found}", plural(files, "file"))
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

/// Checks all files; the exit code.
pub fn run(args: &CheckArgs, io: &mut Io<'_>) -> Exit {
    let format = CheckFormat::of(args);
    let mut counts = Counts::default();
    let mut log = sarif::Log::default();
    let mut output = Vec::new();
    let mut has_read_input = false;
    for path in &args.inputs {
        let mut session = Session {
            has_read_input,
            ..Session::default()
        };
        check_file(path, args, &mut session, io);
        has_read_input = session.has_read_input;
        let mut diags = Diags::new();
        diags.extend(analysis::in_order(std::mem::take(&mut session.diags)));
        counts.add(&diags);
        let sources = &session.sources;
        match format {
            CheckFormat::Text => {
                diagnostics::write(io.stderr, &diags, sources, Format::Text, io.terminal);
            }
            CheckFormat::Json => {
                diagnostics::write(&mut output, &diags, sources, Format::Json, io.terminal);
            }
            CheckFormat::Mlir => {
                diagnostics::write(&mut output, &diags, sources, Format::Mlir, io.terminal);
            }
            CheckFormat::Sarif => log.add(&diags, sources),
        }
        session.tell_files(io);
    }
    if format == CheckFormat::Sarif {
        output = log.text().into_bytes();
    }
    let printed = if args.format.is_some() {
        crate::print(io, &String::from_utf8_lossy(&output))
    } else {
        // `--diagnostics`: where all commands write findings.
        let _ = io.stderr.write_all(&output);
        Exit::Done
    };
    if format == CheckFormat::Text && io.terminal.verbosity != Verbosity::Quiet {
        // A closed error stream stops nothing.
        let _ = writeln!(io.stderr, "{}", counts.summary(args.inputs.len()));
    }
    if counts.errors > 0 {
        Exit::BadInput
    } else {
        printed
    }
}

/// Checks a file; the findings are in the session.
fn check_file(path: &Path, args: &CheckArgs, session: &mut Session, io: &mut Io<'_>) {
    let Ok(bytes) = session.read(path, io) else {
        return;
    };
    if path.extension().is_some_and(|ending| ending == ASSEMBLY) {
        // Its findings are in the session.
        let _ = asm::check_text(path, bytes, session);
    } else {
        let mut compiler = Compiler::new(&args.design, session, io);
        analysis::design(path, bytes, args.core, &mut compiler);
    }
}
