//! The driver of `aiec`: command line, files, terminal, and the way from a design to its outputs.
//!
//! The binary is a few lines around [`run`]; tests call [`run`] in-process.
//! This crate is the only one that reads or writes files and the only one that renders
//! diagnostics; the crates below hand it values.
#![cfg_attr(not(feature = "mlir"), forbid(unsafe_code))]

mod analysis;
mod args;
mod asm;
mod build;
mod check;
mod cli;
mod codes;
mod compile;
mod core_compiler;
mod debugger;
mod design_compiler;
mod dis;
pub mod editor;
mod emit_kinds;
mod example;
pub mod explain;
mod fmt;
pub mod inputs;
pub mod io;
pub mod library;
pub mod mlir;
pub mod npu_files;
pub mod opt;
mod reference;
mod session;
mod sim;
mod targets;
mod throughput;
mod tune;
mod watch;

pub use io::interrupt::install as handle_interrupts;
pub use io::{Exit, Io, Terminal, Verbosity};

use std::ffi::OsString;
use std::path::Path;

use aiec_diag::did_you_mean;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use cli::{Cli, Command};

/// The subcommands that stand for MLIR's tools.
const TOOLS: [&str; 2] = ["opt", "translate"];

/// Runs `aiec` with the given command line (without the program's name) on the given streams.
pub fn run(args: &[OsString], io: &mut Io<'_>) -> Exit {
    let program = OsString::from("aiec");
    io.command_line = args.to_vec();
    let args =
        &args::general::command_first(args, |word| Cli::command().find_subcommand(word).is_some());
    match targets::run(args, io) {
        Some(Ok(exit)) => return exit,
        Some(Err(error)) => {
            if let Some(message) = targets::foreign_flag(args, &error, &Cli::command()) {
                return io.refuse(message);
            }
            return command_line_error(args, &error, io);
        }
        None => {}
    }
    let args = double_dashes(args);
    let line: Vec<OsString> = std::iter::once(program).chain(args.clone()).collect();
    let cli = match Cli::read(&line) {
        Ok(cli) => cli,
        Err(error) => {
            let foreign = || targets::foreign_flag(&args, &error, &Cli::command());
            let design = two_inputs(&args, &error).or_else(|| no_such_pass(&args, &error));
            if let Some(message) = design.or_else(foreign) {
                return io.refuse(message);
            }
            let exit = command_line_error(&args, &error, io);
            if let Some(message) = targets::unknown_target(&args, &error) {
                let _ = writeln!(io.stderr, "{message}");
            }
            return exit;
        }
    };
    if cli.watches() {
        return watch::run(&args, io);
    }
    cli.general.apply(io);
    let Some(command) = cli.command else {
        if let Some(message) = cli.compile.input.as_deref().and_then(nearly_a_command) {
            return io.refuse(message);
        }
        return compile::run(&cli.compile, io);
    };
    match command {
        Command::Opt(args) => opt::run(&args, io),
        Command::Translate(args) => opt::translate::run(&args, io),
        Command::Sim(args) => sim::run(&args, io),
        Command::Example(args) => example::run(&args, io),
        Command::Build(args) => build::run(&args, io),
        Command::Check(args) => check::run(&args, io),
        Command::Tune(args) => tune::run(&args, io),
        Command::Fmt(args) => fmt::run(&args, io),
        Command::Lsp(args) => editor::run(&args, io),
        Command::Dap(args) => debugger::run(&args, io),
        Command::Aiecc(args) => compile::aiecc::run(&args, io),
        Command::Asm(args) => asm::run(&args, io),
        Command::Dis(args) => dis::run(&args, io),
        Command::Isa(args) => reference::instruction_sets::run(&args, io),
        Command::Devices(args) => print(io, &reference::devices::run(&args)),
        Command::Explain(args) => match explain::run(&args) {
            Ok(text) => print(io, &text),
            Err(message) => io.refuse(message),
        },
        Command::Schema(args) => print(io, &reference::schemas::run(&args)),
        Command::Man(args) => reference::man::run(&args, Cli::command(), io),
        Command::Completions(args) => {
            let mut text = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "aiec", &mut text);
            print(io, &String::from_utf8_lossy(&text))
        }
    }
}

/// MLIR's tools take long flags with one dash too, and their tests use them: `aiec opt` and
/// `aiec translate` do the same for the flags that they have.
fn double_dashes(args: &[OsString]) -> Vec<OsString> {
    let single = |arg: &OsString| {
        let name = arg.to_str()?.strip_prefix('-')?.split('=').next()?;
        (name.len() > 1 && !name.starts_with('-')).then(|| name.to_string())
    };
    let tool = args
        .first()
        .and_then(|first| TOOLS.iter().find(|tool| first == *tool));
    // Flags are only looked up when there is one to look for: making the list takes time.
    let tool = tool.filter(|_| args.iter().any(|arg| single(arg).is_some()));
    let Some(tool) = tool else {
        return args.to_vec();
    };
    let command = Cli::command();
    let flags = command.find_subcommand(tool).into_iter();
    let flags: Vec<&str> = flags
        .flat_map(|opt| opt.get_arguments())
        .filter_map(|flag| flag.get_long_and_visible_aliases())
        .flatten()
        .collect();
    let double = |arg: &OsString| match single(arg) {
        Some(name) if flags.contains(&name.as_str()) => {
            let mut double = OsString::from("-");
            double.push(arg);
            double
        }
        _ => arg.clone(),
    };
    args.iter().map(double).collect()
}

/// The message for when the command line starts with two words of which neither is a subcommand.
fn two_inputs(args: &[OsString], error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::ArgumentConflict || is_about_flag(error) {
        return None;
    }
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let first = words.next().filter(|word| !word.starts_with('-'))?;
    let second = words.find(|word| !word.starts_with('-'))?;
    let command = Cli::command();
    let names: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
    if names.contains(&first) {
        return None;
    }
    let near = did_you_mean(first, names.iter().copied());
    // A word that starts like a command, or that one starts like.
    let near = near.or_else(|| names.iter().copied().find(|name| first.starts_with(*name)));
    let is_word = first
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_word && !Path::new(first).exists() {
        let hint = match near {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!(
                "`aiec DESIGN.mlir` compiles; the commands are {}",
                names.join(", ")
            ),
        };
        return Some(format!("there is no command '{first}'; {hint}"));
    }
    let hint = match near {
        Some(near) => format!("did you mean the command '{near}'?"),
        None => format!(
            "one run compiles one design; the commands are {}",
            names.join(", ")
        ),
    };
    Some(format!(
        "'{first}' and '{second}' cannot both be the design; {hint}"
    ))
}

/// Whether an error of the command line is about a flag, not about a file.
fn is_about_flag(error: &clap::Error) -> bool {
    let flag = error.get(ContextKind::InvalidArg);
    matches!(flag, Some(ContextValue::String(flag)) if flag.starts_with('-'))
}

/// The message about a design that isn't a file, but nearly a command.
fn nearly_a_command(design: &Path) -> Option<String> {
    let word = design.to_str().filter(|word| !word.contains('.'))?;
    let command = Cli::command();
    let near = did_you_mean(word, command.get_subcommands().map(|c| c.get_name()))?;
    let is_missing = !design.exists();
    is_missing.then(|| format!("there is no file '{word}'; did you mean the command '{near}'?"))
}

/// Passes of mlir-aie without a counterpart, and what to do instead.
pub const PASSES_OF_MLIR_AIE_ONLY: [(&str, &str); 1] = [(
    "aie-create-locks",
    "leaves `aiex.useToken` in place, which nothing lowers; write `aie.lock` and `aie.use_lock`, \
     or object fifos",
)];

/// The message about a flag of `aiec opt` that it doesn't have: most are names of passes.
fn no_such_pass(args: &[OsString], error: &clap::Error) -> Option<String> {
    let is_opt = args.first().is_some_and(|first| first == "opt");
    if !is_opt || error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = flag.strip_prefix("--")?;
    let pass = name.split('=').next()?;
    if let Some((_, instead)) = PASSES_OF_MLIR_AIE_ONLY.iter().find(|(n, _)| *n == pass) {
        return Some(format!("the pass '{pass}' of mlir-aie {instead}"));
    }
    let passes = aiec_passes::pipelines::all_passes().map(|pass| pass.name);
    Some(match did_you_mean(name, passes) {
        Some(near) => format!("there is no pass or option '{flag}'; did you mean '--{near}'?"),
        None => format!("there is no pass or option '{flag}'; `aiec opt --help` lists them"),
    })
}

/// Writes a result to standard output.
fn print(io: &mut Io<'_>, text: &str) -> Exit {
    let written = io
        .stdout
        .write_all(text.as_bytes())
        .and_then(|()| io.stdout.flush());
    match written {
        Ok(()) => Exit::Done,
        // The reader of a pipe went away: it has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            let _ = writeln!(io.stderr, "error: cannot write standard output: {error}");
            Exit::BadInput
        }
    }
}

/// Prints clap's message: help and version to standard output, errors to standard error.
fn command_line_error(args: &[OsString], error: &clap::Error, io: &mut Io<'_>) -> Exit {
    let mut text = if io.terminal.colour {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    if error.kind() == ErrorKind::DisplayHelp {
        text += &targets::flags_of(args);
    }
    if error.use_stderr() {
        let _ = io.stderr.write_all(text.as_bytes());
        Exit::BadCommandLine
    } else {
        print(io, &text)
    }
}
