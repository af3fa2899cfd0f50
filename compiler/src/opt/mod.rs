//! `aiec opt`: runs the named passes on a design and prints it.

pub mod pass_flags;
pub mod translate;
pub mod verify_diagnostics;

use std::path::{Path, PathBuf};

use aiec_aie::text::{self, PrintOptions};
use aiec_aie::verify::{VerifyMode, verify_as};
use aiec_diag::FileId;
use aiec_diag::{Diags, Reported};

use crate::args::DesignArgs;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::opt::pass_flags::PassFlags;
use crate::session::Session;

/// The line at which `--split-input-file` cuts.
const SPLIT_MARKER: &str = "// -----";

/// `aiec opt`
#[derive(clap::Args, Debug)]
pub struct OptArgs {
    /// The design; `-` is standard input
    #[arg(value_name = "FILE.mlir", default_value = STANDARD_STREAM)]
    pub input: PathBuf,
    /// Where to write; standard output if not given
    #[arg(help_heading = "Input and output", short, long, value_name = "FILE", default_value = STANDARD_STREAM)]
    pub output: PathBuf,
    /// Take the parts between lines `// -----` as inputs of their own
    #[arg(help_heading = "Input and output", long)]
    pub split_input_file: bool,
    /// Hold the findings against `expected-error {{…}}` comments of the input
    #[arg(help_heading = "Input and output", long)]
    pub verify_diagnostics: bool,
    /// Print in generic form
    #[arg(help_heading = "Input and output", long)]
    pub mlir_print_op_generic: bool,
    /// Print the location of each operation
    #[arg(help_heading = "Input and output", long)]
    pub mlir_print_debuginfo: bool,
    /// Do not verify the input
    #[arg(help_heading = "Input and output", long)]
    pub no_verify: bool,
    /// Print the design after each pass to standard error
    #[arg(help_heading = "Diagnosis", long)]
    pub mlir_print_ir_after_all: bool,
    /// Print the design before each pass to standard error
    #[arg(help_heading = "Diagnosis", long)]
    pub mlir_print_ir_before_all: bool,
    /// Flags of MLIR's tools that change nothing here
    #[command(flatten)]
    pub harmless: HarmlessFlags,
    /// Print how long each pass took, and its counters, to standard error
    #[arg(help_heading = "Diagnosis", long, visible_alias = "mlir-timing")]
    pub timing: bool,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
    /// The passes to run
    #[command(flatten)]
    pub passes: PassFlags,
}

/// Flags of MLIR's tools that scripts and tests use and that have nothing to change here: any
/// dialect is accepted in generic form, and there are no threads, and no bytecode.
#[derive(clap::Args, Debug)]
pub struct HarmlessFlags {
    /// Accepted: operations of unknown dialects are always kept, in generic form
    #[arg(help_heading = "Accepted for scripts of MLIR's tools", long)]
    pub allow_unregistered_dialect: bool,
    /// Accepted: there are no threads
    #[arg(help_heading = "Accepted for scripts of MLIR's tools", long)]
    pub mlir_disable_threading: bool,
    /// Accepted: findings always show the operation
    #[arg(help_heading = "Accepted for scripts of MLIR's tools", long, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    pub mlir_print_op_on_diagnostic: Option<String>,
    /// Accepted: attributes are printed in place
    #[arg(help_heading = "Accepted for scripts of MLIR's tools", long)]
    pub mlir_print_local_scope: bool,
    /// Accepted: print(parse(x)) is a fixed point
    #[arg(help_heading = "Accepted for scripts of MLIR's tools", long)]
    pub verify_roundtrip: bool,
}

/// Runs the passes; the exit code.
pub fn run(args: &OptArgs, io: &mut Io<'_>) -> Exit {
    if !args.passes.problems.is_empty() {
        for problem in &args.passes.problems {
            io.refuse(problem);
        }
        return Exit::BadCommandLine;
    }
    let mut session = Session::for_tools(&args.design, io);
    session.timing = args.timing;
    session.generic = args.mlir_print_op_generic;
    if args.verify_diagnostics {
        session.verify_mode = VerifyMode::FragmentQuiet;
    }
    let result = optimise(args, &mut session, io);
    session.flush_diagnostics(io);
    result.unwrap_or(Exit::BadInput)
}

fn optimise(args: &OptArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Exit, Reported> {
    let bytes = session.read(&args.input, io)?;
    let whole = session.add_text(&args.input, bytes)?;
    let parts = if args.split_input_file {
        split(&args.input, whole, session)?
    } else {
        vec![whole]
    };
    let mut printed = Vec::new();
    let mut exit = Exit::Done;
    for part in parts {
        let text = one_part(args, part, session, io);
        if args.verify_diagnostics {
            if !held(part, session, io) {
                exit = Exit::BadInput;
            }
            // A part whose findings were expected has nothing to print where one is an error.
            printed.extend(text);
        } else {
            session.flush_diagnostics(io);
            match text {
                Ok(text) => printed.push(text),
                Err(Reported) => exit = Exit::BadInput,
            }
        }
    }
    if exit == Exit::Done {
        let mut outputs = Outputs::new();
        outputs.add(&args.output, printed.join("\n// -----\n\n"));
        outputs.write_to(io).map_err(|diag| session.fail(diag))?;
    }
    Ok(exit)
}

/// The printed module of one input.
fn one_part(
    args: &OptArgs,
    part: FileId,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<String, Reported> {
    let mut module = if args.no_verify {
        session.parse(part, &args.design)?
    } else {
        session.design(part, &args.design)?
    };
    let mut design = args.design.clone();
    if args.mlir_print_ir_after_all {
        design.print_ir_after = Some(String::new());
    }
    if args.mlir_print_ir_before_all {
        design.print_ir_before = Some(String::new());
    }
    let steps = &args.passes.steps;
    session.run_passes(&mut module, steps, &design, io)?;
    if !steps.is_empty() && !args.no_verify {
        verify_as(&module, session.verify_mode, &mut session.diags);
        session.diags.check()?;
    }
    let options = PrintOptions {
        generic: args.mlir_print_op_generic,
    };
    Ok(if args.mlir_print_debuginfo {
        text::print_with_locations(&module, options, &session.sources)
    } else {
        text::print(&module, options)
    })
}

/// Whether the findings on a part are what its comments expect; says what is not.
fn held(part: FileId, session: &mut Session, io: &mut Io<'_>) -> bool {
    let diags: Diags = std::mem::take(&mut session.diags);
    let Some(file) = session.sources.file(part).cloned() else {
        return false;
    };
    let problems = verify_diagnostics::check(&diags.into_vec(), &session.sources, &file);
    for problem in &problems {
        // A closed error stream can't report its own failure.
        let _ = writeln!(io.stderr, "{problem}");
    }
    problems.is_empty()
}

/// The parts of a file as files of their own. Each starts with as many empty lines as there were
/// lines before it, so that positions are those of the whole file.
fn split(path: &Path, whole: FileId, session: &mut Session) -> Result<Vec<FileId>, Reported> {
    let Some(file) = session.sources.file(whole).cloned() else {
        return Ok(vec![whole]);
    };
    let mut parts = vec![String::new()];
    for (index, line) in file.text.split_inclusive('\n').enumerate() {
        if line.trim_end() == SPLIT_MARKER {
            parts.push("\n".repeat(index + 1));
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    let mut files = Vec::new();
    for part in parts {
        files.push(session.add_text(path, part.into_bytes())?);
    }
    Ok(files)
}
