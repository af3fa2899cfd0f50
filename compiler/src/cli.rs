//! The command line, as clap reads it.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::args::general::GeneralArgs;
use crate::args::{CompileArgs, CompletionsArgs, ExampleArgs, ExplainArgs, SimArgs};
use crate::reference::version;

/// Compiles AI Engine netlists to control code, and simulates it.
#[derive(Debug, Parser)]
#[command(
    name = "aiec",
    version,
    long_version = version::long(),
    about,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_precedence_over_arg = true,
    after_help = "Exit codes: 0 done, 1 the input is wrong, 2 the command line is wrong, \
                  3 the simulation ended in a deadlock, a fault or at a limit."
)]
pub struct Cli {
    /// Command, if not to compile.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Compiling, the default.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Options of all commands.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// The command line of a compilation, which is all that [`Cli`] takes without a command.
#[derive(Debug, Parser)]
#[command(name = "aiec")]
struct CompileCli {
    #[command(flatten)]
    compile: CompileArgs,
    #[command(flatten)]
    general: GeneralArgs,
}

impl Cli {
    /// Whether the command runs again when files change.
    pub fn watches(&self) -> bool {
        match &self.command {
            None => self.compile.watch,
            Some(Command::Sim(args)) => args.watch,
            Some(Command::Check(args)) => args.watch,
            Some(_) => false,
        }
    }

    /// Reads a command line; `args` begins with the program's name.
    ///
    /// Making clap's description of all commands takes a hundredth of the time of a compilation, so that a
    /// command line without a word that may be a command is read as that of a compilation. One that isn't,
    /// or is wrong, is read again as a whole: messages and help speak of all commands.
    ///
    /// # Errors
    ///
    /// What clap finds wrong, and help and version.
    pub fn read(args: &[OsString]) -> Result<Cli, clap::Error> {
        let is_word = |arg: &OsString| arg.as_encoded_bytes().iter().all(u8::is_ascii_lowercase);
        if !args.iter().skip(1).any(is_word)
            && let Ok(CompileCli { compile, general }) = CompileCli::try_parse_from(args)
        {
            return Ok(Cli {
                command: None,
                compile,
                general,
            });
        }
        Cli::try_parse_from(args)
    }
}

/// Commands of `aiec` beside compiling.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run passes on a design and print it
    Opt(Box<crate::opt::OptArgs>),
    /// Write a design as it is in another form
    Translate(crate::opt::translate::TranslateArgs),
    /// Run a control code ELF (or a design, compiled first) on a model of the array
    Sim(Box<SimArgs>),
    /// Compile the design of an example folder, run it on its inputs and compare the outputs
    Example(ExampleArgs),
    /// Compile a design to what its device loads, and print the host code that launches it
    Build(Box<crate::build::BuildArgs>),
    /// Report all findings about designs and control code that need no run
    Check(Box<crate::check::CheckArgs>),
    /// Find the depths of object fifos with which a design is fastest in the least memory, by trying
    Tune(Box<crate::tune::TuneArgs>),
    /// Format designs: indentation, blanks, empty lines
    Fmt(crate::fmt::FmtArgs),
    /// Serve an editor: findings while typing, hover, definitions, completion (Language Server Protocol)
    Lsp(Box<crate::editor::LspArgs>),
    /// Serve a debugger: runs that stop at lines, locks and hazards, step, and go back (Debug Adapter Protocol)
    Dap(crate::debugger::DapArgs),
    /// Take the command line of mlir-aie's aiecc
    Aiecc(crate::compile::aiecc::AieccArgs),
    /// Assemble control code, or machine code of cores
    Asm(crate::asm::AsmArgs),
    /// Disassemble control code, or machine code of cores
    Dis(crate::dis::DisArgs),
    /// Describe the instructions of the controllers
    Isa(crate::reference::instruction_sets::IsaArgs),
    /// List the devices, or show one
    Devices(crate::reference::devices::DevicesArgs),
    /// Explain a diagnostic code, or list all
    Explain(ExplainArgs),
    /// Print the JSON schema of an output for programs, or list these outputs
    Schema(crate::reference::schemas::SchemaArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Write manual pages of all commands
    Man(crate::reference::man::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_compilation_is_read_alike_without_the_other_commands() {
        let lines = [
            "d.mlir",
            "d.mlir -o x.elf --emit=mlir,memory-map",
            "-q d.mlir --device=npu2 --color=never",
            "- -o -",
            "--emit ctrl-elf d.mlir",
            "d.mlir -o sim",
            "-o sim sim",
            "sim",
            "devices",
            "d.mlir sim",
            "d.mlir e.mlir",
            "--no-such-flag d.mlir",
            "--version",
            "-h",
            "--help",
            "",
        ];
        for line in lines {
            let args: Vec<OsString> = std::iter::once("aiec")
                .chain(line.split_whitespace())
                .map(OsString::from)
                .collect();
            let whole = Cli::try_parse_from(&args);
            match (Cli::read(&args), whole) {
                (Ok(read), Ok(whole)) => assert_eq!(format!("{read:?}"), format!("{whole:?}")),
                (Err(read), Err(whole)) => assert_eq!(read.to_string(), whole.to_string()),
                (read, whole) => panic!("`aiec {line}`: {read:?}, {whole:?}"),
            }
        }
    }

    #[test]
    fn a_design_needs_no_subcommand() {
        let cli = Cli::try_parse_from(["aiec", "d.mlir", "--emit=mlir,memory-map", "-o", "x"]);
        let compile = cli.expect("a good command line").compile;
        let kinds: Vec<&str> = compile.emit.iter().map(|kind| kind.name).collect();
        assert_eq!(kinds, ["mlir", "memory-map"]);
        let cli = Cli::try_parse_from(["aiec", "devices", "npu1_4col"]).expect("good");
        assert!(cli.command.is_some() && cli.compile.input.is_none());
        assert!(Cli::try_parse_from(["aiec"]).is_err());
        assert!(Cli::try_parse_from(["aiec", "sim", "x", "--arg", "a=b"]).is_err());
    }
}
