//! RefSi M1: `aiec asm`, `dis` and `sim` with `-t refsi-m1`.

mod sim;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aiec_diag::Reported;
use aiec_isa::Set;
use aiec_refsi::dis::DisOptions;
use aiec_refsi::memory_map::{HARTS_PER_CORE, REGIONS, WINDOWS};
use aiec_refsi::{Reading, asm, bytes_of, dis, table};
use clap::{CommandFactory, Parser};

use super::{MachineCommand, MachineRow};
use crate::args::general::GeneralArgs;
use crate::io::diagnostics::Format;
use crate::io::output::STANDARD_STREAM;
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};
use sim::RefsiSim;

/// Name of the target.
const NAME: &str = "refsi-m1";

/// The row of the table of machines.
pub static ROW: MachineRow = MachineRow {
    name: NAME,
    summary: "command processor of the RefSi M1 platform, with its RISC-V harts and DMA",
    title: "Commands of RefSi M1",
    set,
    facts,
    commands: &[
        MachineCommand::new("asm", RefsiAsm::command, assemble),
        MachineCommand::new("dis", RefsiDis::command, disassemble),
        MachineCommand::new("sim", RefsiSim::command, sim::run),
    ],
};

fn set() -> &'static Set {
    &table::SET
}

fn facts() -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("commands", table::COMMANDS.len().to_string()),
        ("harts of a core", HARTS_PER_CORE.to_string()),
        ("memory windows", WINDOWS.to_string()),
    ];
    facts.extend(REGIONS.iter().map(|region| {
        let bytes = format!("0x{:08x}, 0x{:x} bytes", region.base, region.bytes);
        (region.name, bytes)
    }));
    facts
}

/// Assembles a command buffer of RefSi M1
#[derive(Parser, Debug)]
#[command(name = "aiec asm -t refsi-m1")]
struct RefsiAsm {
    /// The commands; `-` is standard input
    #[arg(value_name = "FILE.asm")]
    input: PathBuf,
    /// The command buffer to write, chunks and nothing else; `-` is standard output
    #[arg(short, long, value_name = "FILE.cb", default_value = "a.cb")]
    output: PathBuf,
    /// refsi-m1
    #[arg(short, long, value_name = "TARGET")]
    target: String,
    /// Take what the reference driver takes, in its reading
    #[arg(long)]
    compat: bool,
    /// Assemble what can't work on the machine too: such findings are warnings
    #[arg(long)]
    lenient: bool,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    diagnostics: Format,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

/// Disassembles a command buffer of RefSi M1
#[derive(Parser, Debug)]
#[command(name = "aiec dis -t refsi-m1")]
struct RefsiDis {
    /// The command buffer; `-` is standard input
    #[arg(value_name = "FILE.cb")]
    input: PathBuf,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE.asm")]
    output: Option<PathBuf>,
    /// refsi-m1
    #[arg(short, long, value_name = "TARGET")]
    target: String,
    /// Show the offset and chunks of each command in a comment after it
    #[arg(long)]
    annotate: bool,
    /// Take what the reference driver takes, in its reading
    #[arg(long)]
    compat: bool,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    diagnostics: Format,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

fn assemble(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = RefsiAsm::try_parse_from(args)?;
    args.general.apply(io);
    Ok(run_command(args.diagnostics, io, |session, outputs, io| {
        let chunks = assembled(&args.input, args.compat, args.lenient, session, io)?;
        outputs.add(&args.output, bytes_of(&chunks));
        Ok(Exit::Done)
    }))
}

/// The chunks of a text.
pub(super) fn assembled(
    path: &Path,
    compat: bool,
    lenient: bool,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u64>, Reported> {
    let bytes = session.read(path, io)?;
    let help = "command buffers are taken as they are by `aiec dis` and `aiec sim`";
    if let Some(diag) = aiec_isa::finding::not_text(&path.display().to_string(), &bytes, help) {
        return Err(session.fail(diag));
    }
    let (file, text) = session.file_and_text(path, bytes)?;
    let reading = Reading::compat(compat);
    if !lenient {
        let assembly = asm::assemble(&text, file, reading, &mut session.diags)?;
        return Ok(assembly.chunks);
    }
    let (assembly, failed) = asm::translate(&text, file, reading, &mut session.diags);
    for finding in aiec_refsi::check::check(&assembly.chunks, reading) {
        let span = assembly.line_of(finding.chunk);
        let mut diag = finding.at_line(span);
        diag.severity = aiec_diag::Severity::Warning;
        session.push(diag);
    }
    if failed {
        Err(Reported)
    } else {
        Ok(assembly.chunks)
    }
}

fn disassemble(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = RefsiDis::try_parse_from(args)?;
    args.general.apply(io);
    Ok(run_command(args.diagnostics, io, |session, outputs, io| {
        let bytes = session.read(&args.input, io)?;
        let options = DisOptions {
            reading: Reading::compat(args.compat),
            annotate: args.annotate,
        };
        let (text, diags) = dis::disassemble(&bytes, options);
        let cut = diags.iter().any(|diag| diag.code == &aiec_refsi::LENGTH);
        // findings don't keep the text from being written, unless the buffer is cut
        session
            .diags
            .extend(diags.into_vec().into_iter().map(|mut diag| {
                if !cut {
                    diag.severity = aiec_diag::Severity::Warning;
                }
                diag
            }));
        session.diags.check()?;
        let standard = PathBuf::from(STANDARD_STREAM);
        outputs.add(args.output.as_ref().unwrap_or(&standard), text);
        Ok(Exit::Done)
    }))
}
