//! `aiec dap`: the debug adapter for runs of `aiec sim`, on the standard streams.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aiec_cert::debug::{ArgumentType, DebugInfo};
use aiec_cert::program::SourceLoc;
use aiec_dap::{DebuggedProgram, ProgramLauncher};
use aiec_diag::{Diag, Severity, SourceMap};
use aiec_sim::LiveRun;
use aiec_sim::array::{BreakCondition, Breakpoint};
use clap::{Args, Parser};

use crate::args::SimArgs;
use crate::inputs::element::ElementType;
use crate::io::output::STANDARD_STREAM;
use crate::io::{Exit, Io, diagnostics};
use crate::library::silently;
use crate::session::Session;
use crate::sim::cannot_run;
use crate::sim::debug_target::{DebugTarget, useless_options};

/// `aiec dap`
#[derive(Args, Debug)]
pub struct DapArgs {}

/// Serves a client until it is done; the exit code.
pub fn run(_: &DapArgs, io: &mut Io<'_>) -> Exit {
    match aiec_dap::serve(io.stdin, io.stdout, &SimLauncher) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // A closed error stream stops nothing.
            let _ = writeln!(io.stderr, "error: {error}");
            Exit::BadInput
        }
    }
}

/// The command line of a launch.
#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
struct LaunchOptions {
    #[command(flatten)]
    sim: SimArgs,
}

/// Launches what `aiec sim` runs.
struct SimLauncher;

impl ProgramLauncher for SimLauncher {
    fn launch(&self, arguments: &[OsString]) -> Result<Box<dyn DebuggedProgram>, String> {
        let options = LaunchOptions::try_parse_from(arguments);
        let args = options.map_err(|error| wrong_options(&error))?.sim;
        if let Some(name) = useless_options(&args).next() {
            return Err(format!("{name} has no use in a debugger: leave it out"));
        }
        if args.input.as_deref() == Some(Path::new(STANDARD_STREAM)) {
            return Err("standard input is the client: name a file as the program".to_string());
        }
        let mut session = Session::default();
        let target = silently(&mut std::io::sink(), |io| {
            DebugTarget::prepare(&args, &mut session, io)
        });
        let Session { sources, diags, .. } = session;
        let diags = diags.into_vec();
        let Ok(target) = target else {
            return Err(in_lines(&diags, &sources));
        };
        let terminal = crate::Terminal::default();
        let said = diags
            .iter()
            .map(|diag| diagnostics::render(diag, &sources, terminal));
        Ok(Box::new(SimulatedDebuggee {
            target,
            remarks: said.collect(),
        }))
    }
}

fn wrong_options(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    // Words after the message are about the use of the command.
    let message = text.split("\n\n").next().unwrap_or(text);
    message.trim_end().to_string()
}

/// The errors among findings, a line for each: where, what, and the way out.
fn in_lines(diags: &[Diag], sources: &SourceMap) -> String {
    let errors = diags.iter().filter(|diag| diag.severity == Severity::Error);
    let line = |diag: &Diag| {
        let place = diag.span().and_then(|span| {
            let file = sources.file(span.file)?;
            let (line, column) = file.line_col(span.start);
            Some(format!("{}:{line}:{column}: ", file.name))
        });
        let help = diag.help.as_ref().map(|help| format!("; {help}"));
        let (place, help) = (place.unwrap_or_default(), help.unwrap_or_default());
        format!("{place}{}{help}", diag.message)
    };
    errors.map(line).collect::<Vec<_>>().join("\n")
}

/// Errors about a place, without the flag that it would have on a command line.
fn without_flag(flag: &str, place: &str, diags: &[Diag]) -> String {
    let text = in_lines(diags, &SourceMap::new());
    let begin = format!("{flag} {place}: ");
    text.strip_prefix(&begin)
        .map_or(text.clone(), str::to_string)
}

/// A program of the simulator.
struct SimulatedDebuggee {
    target: DebugTarget,
    remarks: String,
}

impl DebuggedProgram for SimulatedDebuggee {
    fn begin(&self) -> Result<LiveRun, String> {
        let run = self.target.begin();
        run.map_err(|error| in_lines(&[cannot_run(&error)], &SourceMap::new()))
    }

    fn debug(&self) -> Option<&DebugInfo> {
        self.target.control().debug.as_ref()
    }

    fn lines(&self) -> Vec<(SourceLoc, BreakCondition)> {
        self.target.lines()
    }

    fn breakpoints_of(&self, place: &str) -> Result<Vec<Breakpoint>, String> {
        if !place.contains(':') {
            let found = self.target.function(place);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let read = self.target.breakpoints_of(place);
        read.map_err(|diags| without_flag("--break", place, &diags))
    }

    fn dump(&self, place: &str, run: &mut LiveRun) -> Result<String, String> {
        let shown = self.target.dump(place, run);
        shown.map_err(|diags| without_flag("--dump", place, &diags))
    }

    fn element_bytes(&self, ty: &ArgumentType) -> Option<u64> {
        let element = ElementType::by_name(&ty.element)?;
        Some(element.bytes as u64)
    }

    fn elements(&self, ty: &ArgumentType, bytes: &[u8]) -> Vec<String> {
        let element = ElementType::by_name(&ty.element);
        let values = element
            .into_iter()
            .flat_map(|element| element.elements(bytes));
        values.map(|value| value.to_string()).collect()
    }

    fn source_path(&self, name: &str) -> PathBuf {
        std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name))
    }

    fn remarks(&self) -> &str {
        &self.remarks
    }
}
