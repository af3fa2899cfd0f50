//! `aiec isa`: instruction sets, as a page and for programs.

use std::path::PathBuf;
use std::sync::LazyLock;

use aiec_cert::instruction_set;
use aiec_core::CoreArch;
use aiec_diag::did_you_mean;
use aiec_isa::{Set, print, schema};
use clap::{Args, ValueEnum};

use super::core_instructions;
use crate::io::diagnostics::Format;
use crate::io::output::STANDARD_STREAM;
use crate::io::{Exit, Io};
use crate::session::run_command;
use crate::targets::{self, CERT, MACHINES};

/// `aiec isa`
#[derive(Args, Debug)]
pub struct IsaArgs {
    /// Whose instructions: cert (the controllers), aie2-core, aie2p-core, aie2ps-core, refsi-m1, drra-v2
    #[arg(short, long, value_name = "TARGET", default_value = CERT, value_parser = target)]
    pub target: &'static str,
    /// A set of your own, by its description; `--format=schema` shows the schema
    #[arg(long, value_name = "FILE.json")]
    pub isa: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: IsaFormat,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

/// Form in which the instruction set is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IsaFormat {
    /// A page of Markdown.
    #[default]
    Md,
    /// For programs; the schema says what it holds.
    Json,
    /// The JSON schema of the above.
    Schema,
}

/// Title of the page about the controllers.
const TITLE: &str = "Instructions of the controllers";

/// The instructions of the controllers.
static CERT_SET: LazyLock<Set> = LazyLock::new(instruction_set::set);

/// Reads the name of a target.
fn target(name: &str) -> Result<&'static str, String> {
    let machines = || MACHINES.iter().map(|machine| machine.name);
    let names = || {
        let own = std::iter::once(CERT).chain(core_instructions::TARGETS);
        own.chain(machines())
    };
    names().find(|known| *known == name).ok_or_else(|| {
        let all: Vec<&str> = names().collect();
        match did_you_mean(name, names()) {
            Some(near) => format!("no such target; did you mean '{near}'?"),
            None => format!("no such target; they are {}", all.join(", ")),
        }
    })
}

/// Prints a set; the exit code.
pub fn run(args: &IsaArgs, io: &mut Io<'_>) -> Exit {
    run_command(args.diagnostics, io, |session, outputs, io| {
        let core = core_instructions::arch(args.target).filter(|_| args.isa.is_none());
        if let Some(arch) = core {
            outputs.add(STANDARD_STREAM, of_core(arch, args.format));
            return Ok(Exit::Done);
        }
        let text = match &args.isa {
            None => match targets::by_name(args.target) {
                Some(machine) => shown((machine.set)(), machine.title, args.format),
                None => shown(&CERT_SET, TITLE, args.format),
            },
            Some(path) => {
                let set = targets::own_set(path, session, io)?;
                let title = format!("Instructions of {}", set.platform);
                shown(&set, &title, args.format)
            }
        };
        outputs.add(STANDARD_STREAM, text);
        Ok(Exit::Done)
    })
}

/// The instructions of a core.
fn of_core(arch: CoreArch, format: IsaFormat) -> String {
    match format {
        IsaFormat::Md => core_instructions::markdown(arch),
        IsaFormat::Json => format!("{:#}\n", core_instructions::json(arch)),
        IsaFormat::Schema => format!("{:#}\n", core_instructions::schema()),
    }
}

fn shown(set: &Set, title: &str, format: IsaFormat) -> String {
    match format {
        IsaFormat::Md => print::markdown(set, title),
        IsaFormat::Json => format!("{:#}\n", print::description(set)),
        IsaFormat::Schema => format!("{:#}\n", schema::of(set)),
    }
}
