//! DRRA, instruction set v2: `aiec asm`, `dis` and `sim` with `-t drra-v2`.

mod data;
mod places;
mod sim;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aiec_cert::asm::NO_CODE;
use aiec_diag::{Diag, Diags, Reported, Span};
use aiec_drra::fabric::{
    BLOCK_WORDS, FabricShape, LOOP_SLOTS, MEMORY_CHUNKS, REGISTER_FILE_WORDS, SRAM_ROWS, WORD_BITS,
};
use aiec_drra::print::{PrintOptions, print};
use aiec_drra::{AssembleOptions, DrraProgram, assemble, check, elf, listing};
use aiec_isa::Set;
use clap::{Args, CommandFactory, Parser};

use super::{MachineCommand, MachineRow};
use crate::args::general::GeneralArgs;
use crate::io::diagnostics::Format;
use crate::io::output::STANDARD_STREAM;
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};

/// Name of the target.
const NAME: &str = "drra-v2";

/// The row of the table of machines.
pub static ROW: MachineRow = MachineRow {
    name: NAME,
    summary: "DRRA (SiLago): cells with register file, DPU and switchbox, instruction set v2",
    title: "Instructions of DRRA, version 2",
    set: aiec_drra::published,
    facts,
    commands: &[
        MachineCommand::new("asm", DrraAsm::command, asm),
        MachineCommand::new("dis", DrraDis::command, dis),
        MachineCommand::new("sim", sim::DrraSim::command, sim::run),
    ],
};

fn facts() -> Vec<(&'static str, String)> {
    let shape = FabricShape::DEFAULT;
    vec![
        ("cells", shape.to_string()),
        (
            "register file",
            format!("{REGISTER_FILE_WORDS} words of {WORD_BITS} bits, 2 write and 2 read ports"),
        ),
        (
            "instruction memory",
            format!(
                "{MEMORY_CHUNKS} chunks of {} bits",
                aiec_drra::published().chunk_bits
            ),
        ),
        ("loop slots", LOOP_SLOTS.to_string()),
        (
            "SRAM",
            format!(
                "{} row of {}, each {SRAM_ROWS} rows of {BLOCK_WORDS} words",
                shape.sram_rows, shape.columns
            ),
        ),
    ]
}

/// Options of all commands for this machine.
#[derive(Args, Clone, Debug)]
pub struct DrraArgs {
    /// The machine: drra-v2
    #[arg(short, long, value_name = "TARGET")]
    pub target: String,
    /// The instruction set, instead of the published one: a description as `aiec isa --target
    /// drra-v2 --format=json` prints it
    #[arg(long, value_name = "FILE.json")]
    pub isa: Option<PathBuf>,
    /// Rows and columns of cells
    #[arg(long, value_name = "ROWSxCOLUMNS", value_parser = fabric_shape, default_value = "2x8")]
    pub fabric: FabricShape,
    /// Take what published programs write otherwise: an `extra` that is too small, and values of
    /// fields that can't be set; what can't work is only warned of
    #[arg(long)]
    pub compat: bool,
}

/// Assembles the code of a DRRA fabric
#[derive(Parser, Debug)]
#[command(name = "aiec asm -t drra-v2")]
struct DrraAsm {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The ELF to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.elf", default_value = "a.elf")]
    output: PathBuf,
    /// Write the chunks as binary digits too, one a line
    #[arg(long, value_name = "FILE")]
    listing: Option<PathBuf>,
    /// The machine
    #[command(flatten)]
    machine: DrraArgs,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    diagnostics: Format,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

/// Disassembles the code of a DRRA fabric
#[derive(Parser, Debug)]
#[command(name = "aiec dis -t drra-v2")]
struct DrraDis {
    /// The program: an ELF or a listing; `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show the address and chunks of each instruction in a comment after it
    #[arg(long)]
    annotate: bool,
    /// The machine
    #[command(flatten)]
    machine: DrraArgs,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    diagnostics: Format,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

/// `ROWSxCOLUMNS`
fn fabric_shape(text: &str) -> Result<FabricShape, String> {
    let bad =
        || format!("'{text}' is not ROWSxCOLUMNS, with 1 or 2 rows and 1 to {MAX_COLUMNS} columns");
    let (rows, columns) = text.split_once('x').ok_or_else(bad)?;
    let rows: u8 = rows.parse().map_err(|_| bad())?;
    let columns: u8 = columns.parse().map_err(|_| bad())?;
    if (1..=2).contains(&rows) && (1..=MAX_COLUMNS).contains(&columns) {
        Ok(FabricShape {
            rows,
            columns,
            ..FabricShape::DEFAULT
        })
    } else {
        Err(bad())
    }
}

/// Columns of a fabric at most.
const MAX_COLUMNS: u8 = 128;

/// A set of instructions: the published one, or that of the command line.
fn instruction_set(
    isa: Option<&Path>,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Set, Reported> {
    let Some(path) = isa else {
        return Ok(aiec_drra::published().clone());
    };
    super::own_set(path, session, io)
}

/// Reads a program in any of its forms: an ELF, a listing, or text, which is checked.
fn read_program(
    path: &Path,
    set: &Set,
    machine: &DrraArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<DrraProgram, Reported> {
    let bytes = session.read(path, io)?;
    if elf::is_elf(&bytes) {
        return elf::read(&bytes, set, &mut session.diags);
    }
    let (file, text) = session.file_and_text(path, bytes)?;
    if listing::is_listing(&text) {
        return listing::read(&text, file, set, &mut session.diags);
    }
    let options = AssembleOptions {
        shape: machine.fabric,
        compat: machine.compat,
    };
    let mut diags = Diags::new();
    let program = assemble(&text, file, set, options, &mut diags);
    // what is wrong with the text may be all that is wrong with its times
    if !diags.has_errors() {
        check::check(&program, set, machine.fabric, machine.compat, &mut diags);
    }
    diags.sort_by_position();
    if program.cells.is_empty() && !diags.has_errors() {
        let diag = Diag::error(&NO_CODE, "there is no code of any cell in this");
        let diag = diag.label(Span::new(file, 0, 0), "");
        diags.push(diag.help("add `.CODE`, `CELL <ROW, COLUMN>` and instructions"));
    }
    let result = diags.check();
    session.diags.append(diags);
    result.map(|()| program)
}

fn asm(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = DrraAsm::try_parse_from(args)?;
    args.general.apply(io);
    Ok(run_command(args.diagnostics, io, |session, outputs, io| {
        let set = instruction_set(args.machine.isa.as_deref(), session, io)?;
        let program = read_program(&args.input, &set, &args.machine, session, io)?;
        let file = elf::write(&program, &set).map_err(|diag| session.fail(diag))?;
        outputs.add(&args.output, file);
        if let Some(path) = &args.listing {
            outputs.add(path, listing::write(&program, &set));
        }
        Ok(Exit::Done)
    }))
}

fn dis(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = DrraDis::try_parse_from(args)?;
    args.general.apply(io);
    Ok(run_command(args.diagnostics, io, |session, outputs, io| {
        let set = instruction_set(args.machine.isa.as_deref(), session, io)?;
        let program = read_program(&args.input, &set, &args.machine, session, io)?;
        let options = PrintOptions {
            annotate: args.annotate,
        };
        let standard = PathBuf::from(STANDARD_STREAM);
        let output = args.output.as_ref().unwrap_or(&standard);
        outputs.add(output, print(&program, &set, options));
        Ok(Exit::Done)
    }))
}
