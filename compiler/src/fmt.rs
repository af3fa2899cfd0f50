//! `aiec fmt`: formats designs, with their comments and names.

use std::path::{Path, PathBuf};

use aiec_aie::text::{self, layout};
use aiec_diag::{Diag, Diags, FileId, Reported, Severity, SourceFile, SourceMap, Span};
use clap::Args;

use crate::io::diagnostics::Format;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io, Verbosity};
use crate::session::{Session, run_command};

aiec_diag::codes! {
    /// Codes of `aiec fmt`.
    pub static CODES;
    NOT_FORMATTED = "fmt::not-formatted",
        "With `--check` a file was found that `aiec fmt` would change. The label is the first line that would differ. Run `aiec \
         fmt` without `--check`.";
}

/// `aiec fmt`
#[derive(Args, Debug)]
pub struct FmtArgs {
    /// Designs, which are rewritten; `-` is standard input, written to standard output
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write nothing; fail (exit code 1) where a file would change
    #[arg(long, conflicts_with = "stdout")]
    pub check: bool,
    /// Write the result to standard output
    #[arg(long)]
    pub stdout: bool,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

/// Formats all files; the exit code.
pub fn run(args: &FmtArgs, io: &mut Io<'_>) -> Exit {
    let mut changed = 0;
    let exit = run_command(args.diagnostics, io, |session, outputs, io| {
        let mut good = Ok(Exit::Done);
        for path in &args.inputs {
            // All files are read, so that one run reports what is wrong with each.
            match format_file(path, args, session, outputs, io) {
                Ok(false) => {}
                Ok(true) => changed += 1,
                Err(Reported) => good = Err(Reported),
            }
        }
        good
    });
    let says = io.terminal.verbosity != Verbosity::Quiet;
    if exit == Exit::Done && says && !args.check && !args.stdout && changed > 0 {
        let files = if changed == 1 { "file" } else { "files" };
        // A closed error stream stops nothing.
        let _ = writeln!(io.stderr, "formatted {changed} {files}");
    }
    exit
}

/// Formats a file; whether that changes it.
fn format_file(
    path: &Path,
    args: &FmtArgs,
    session: &mut Session,
    outputs: &mut Outputs,
    io: &mut Io<'_>,
) -> Result<bool, Reported> {
    let bytes = session.read_data(path, io)?;
    let as_read = bytes.clone();
    let file = session.add_text(path, bytes)?;
    let text = formatted(file, &session.sources, &mut session.diags)?;
    let changes = text.as_bytes() != as_read;
    if args.check {
        if changes {
            let diag = not_formatted(file, &session.sources, &text);
            return Err(session.fail(diag));
        }
    } else if args.stdout || path.as_os_str() == STANDARD_STREAM {
        outputs.add(STANDARD_STREAM, text);
    } else if changes {
        outputs.add(path, text);
    }
    Ok(changes)
}

/// The text of a design in its layout.
///
/// # Errors
/// The text can't be read; its findings are added.
pub fn formatted(file: FileId, sources: &SourceMap, diags: &mut Diags) -> Result<String, Reported> {
    let mut found = Diags::new();
    text::parse(file, sources, &mut found);
    // Remarks about old spellings are for compilations.
    let errors = found.into_vec().into_iter();
    let errors: Vec<Diag> = errors
        .filter(|diag| diag.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        diags.extend(errors);
        return Err(Reported);
    }
    let before = sources.file(file).map_or("", |file| file.text.as_str());
    let after = layout::layout(before);
    match layout::check_same(before, &after) {
        Ok(()) => Ok(after),
        Err(error) => Err(diags.fail(error)),
    }
}

/// The finding for a file that isn't formatted.
fn not_formatted(file: FileId, sources: &SourceMap, after: &str) -> Diag {
    let before = sources.file(file);
    let span = before.and_then(|before| first_difference(file, before, after));
    let name = before.map_or("", |before| before.name.as_str());
    let message = format!("{name} is not formatted");
    Diag::error(&NOT_FORMATTED, message)
        .label(span, "the first line that differs")
        .help(format!("`aiec fmt {name}` formats it"))
}

/// The first line of a file that differs from its layout.
fn first_difference(file: FileId, before: &SourceFile, after: &str) -> Option<Span> {
    let mut start = 0;
    let mut formatted = after.split_inclusive('\n');
    for line in before.text.split_inclusive('\n') {
        if formatted.next() != Some(line) {
            let end = start + line.trim_end().len();
            return Some(Span::new(file, start, end));
        }
        start += line.len();
    }
    None
}
