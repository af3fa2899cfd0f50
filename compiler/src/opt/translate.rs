//! `aiec translate`: writes a design as it is in another form, without running passes: the
//! reference's translations under its flags, for scripts and tests that were written for them.

use std::path::PathBuf;

use aiec_aie::ir::Module;
use aiec_device::TileLoc;
use aiec_diag::{Diags, FileId, Reported};
use aiec_emit::linker_files::LinkedCore;
use aiec_emit::npu_binary::TransactionOptions;
use aiec_emit::sequence_program::{Language, SequenceProgramOptions};
use aiec_emit::{ctrl, device_facts, flows_json, linker_files, npu_binary, sequence_program};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use crate::args::DesignArgs;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::session::Session;

/// A translation.
#[derive(Debug)]
pub struct Translation {
    /// Its flag.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// Writes it.
    pub emit: Translate,
}

/// Writes a module in one form.
pub type Translate = fn(&Module, &Options, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Flags that some translations read.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Words instead of the hexadecimal text of transactions.
    #[arg(help = "Write words instead of hexadecimal text [transactions]",
          long = "aie-output-binary", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value = "true", default_missing_value = "true", hide_default_value = true,
          hide_possible_values = true, action = ArgAction::Set)]
    pub binary: bool,
    /// The device [transactions, linker files; default: the only one, or with such a sequence]
    #[arg(long = "aie-device-name", value_name = "NAME")]
    pub device_name: Option<String>,
    /// The runtime sequence [transactions; default: the only one]
    #[arg(long = "aie-sequence-name", value_name = "NAME")]
    pub sequence_name: Option<String>,
    /// Add the offset of host memory to patches of arguments that the firmware doesn't translate
    #[arg(long = "aie-npu-fold-ddr-addr-offset", value_name = "BOOL", num_args = 0..=1,
          require_equals = true, default_value = "true", default_missing_value = "true",
          hide_default_value = true, hide_possible_values = true, action = ArgAction::Set)]
    pub fold_host_offset: bool,
    /// The column of the core [linker files]
    #[arg(long = "tilecol", value_name = "COLUMN", default_value_t = 0)]
    pub tile_column: u8,
    /// The row of the core [linker files]
    #[arg(long = "tilerow", value_name = "ROW", default_value_t = 0)]
    pub tile_row: u8,
}

impl Options {
    /// Those of transactions.
    fn transaction(&self) -> TransactionOptions<'_> {
        TransactionOptions {
            binary: self.binary,
            device: self.device_name.as_deref(),
            sequence: self.sequence_name.as_deref(),
            fold_host_offset: self.fold_host_offset,
        }
    }

    /// Those of functions.
    fn sequence_program(&self) -> SequenceProgramOptions<'_> {
        SequenceProgramOptions {
            device: self.device_name.as_deref(),
            sequence: self.sequence_name.as_deref(),
            fold_host_offset: self.fold_host_offset,
        }
    }

    /// That of linker files.
    fn linked_core(&self) -> LinkedCore<'_> {
        LinkedCore {
            device: self.device_name.as_deref(),
            tile: TileLoc::new(self.tile_column, self.tile_row),
        }
    }
}

/// All translations.
pub static TRANSLATIONS: &[Translation] = &[
    Translation {
        name: "aie-flows-to-json",
        summary: "The routes of flows by tile, and how much of each switch they use",
        emit: |module, _, _| Ok(flows_json::routes_of(module)),
    },
    Translation {
        name: "aie-cert-to-asm",
        summary: "Control code operations as assembly",
        emit: |module, _, diags| ctrl::asm_of_operations(module, diags),
    },
    Translation {
        name: "aie-npu-to-binary",
        summary: "A runtime sequence of register writes as a transaction of the NPUs' firmware",
        emit: |module, options, diags| npu_binary::emit(module, &options.transaction(), diags),
    },
    Translation {
        name: "aie-npu-to-cpp",
        summary: "Runtime sequences of register writes as functions in C++ that write their transactions",
        emit: |module, options, diags| {
            sequence_program::emit(module, Language::Cpp, &options.sequence_program(), diags)
        },
    },
    Translation {
        name: "aie-npu-to-python",
        summary: "The same in Python",
        emit: |module, options, diags| {
            sequence_program::emit(module, Language::Python, &options.sequence_program(), diags)
        },
    },
    Translation {
        name: "aie-generate-json",
        summary: "The shim DMA channels of the design's names",
        emit: |module, _, _| Ok(device_facts::shim_allocations(module)),
    },
    Translation {
        name: "aie-generate-target-arch",
        summary: "The architecture of each device",
        emit: |module, _, _| Ok(device_facts::architectures(module)),
    },
    Translation {
        name: "aie-generate-ldscript",
        summary: "The linker script of a core's program, for Peano's linker",
        emit: |module, options, diags| linker_files::ldscript(module, options.linked_core(), diags),
    },
    Translation {
        name: "aie-generate-bcf",
        summary: "The linker file of a core's program, for Chess's bridge",
        emit: |module, options, diags| linker_files::bcf(module, options.linked_core(), diags),
    },
    Translation {
        name: "aie-generate-mmap",
        summary: "Where each core sees buffers",
        emit: |module, options, diags| {
            linker_files::mmap(module, options.device_name.as_deref(), diags)
        },
    },
];

/// `aiec translate`
#[derive(Args, Debug)]
pub struct TranslateArgs {
    /// The design; `-` is standard input
    #[arg(value_name = "FILE.mlir", default_value = STANDARD_STREAM)]
    pub input: PathBuf,
    /// Where to write
    #[arg(short, long, value_name = "FILE", default_value = STANDARD_STREAM)]
    pub output: PathBuf,
    /// Options of reading the design
    #[command(flatten)]
    pub design: DesignArgs,
    /// Kind of output
    #[command(flatten)]
    pub translation: TranslationFlag,
    /// Options of the output
    #[command(flatten)]
    pub options: Options,
}

/// The translation named on the command line.
#[derive(Clone, Copy, Debug)]
pub struct TranslationFlag(pub &'static Translation);

/// The group of all translations: one of them is named.
const GROUP: &str = "translation";

impl Args for TranslationFlag {
    fn augment_args(command: Command) -> Command {
        let flags = TRANSLATIONS.iter().map(|translation| {
            Arg::new(translation.name)
                .long(translation.name)
                .help(translation.summary)
                .help_heading("Translations")
                .action(ArgAction::SetTrue)
        });
        let names = TRANSLATIONS.iter().map(|translation| translation.name);
        let group = ArgGroup::new(GROUP).args(names).required(true);
        command.args(flags).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TranslationFlag {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut all = TRANSLATIONS.iter();
        let named = all.find(|translation| matches.get_flag(translation.name));
        // The group is required, so clap has refused a command line without one.
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingRequiredArgument);
        named.map(TranslationFlag).ok_or_else(missing)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Translates; the exit code.
pub fn run(args: &TranslateArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::for_tools(&args.design, io);
    let result = translate(args, &mut session, io);
    session.flush_diagnostics(io);
    result.map_or(Exit::BadInput, |()| Exit::Done)
}

fn translate(args: &TranslateArgs, session: &mut Session, io: &mut Io<'_>) -> Result<(), Reported> {
    let bytes = session.read(&args.input, io)?;
    let file: FileId = session.add_text(&args.input, bytes)?;
    let module = session.design(file, &args.design)?;
    let content = (args.translation.0.emit)(&module, &args.options, &mut session.diags)?;
    session.diags.check()?;
    let mut outputs = Outputs::new();
    outputs.add(&args.output, content);
    session.write(outputs, io)
}
