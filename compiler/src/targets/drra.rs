//! `--target drra-v2`: DRRA with instruction set v2.

mod data;
mod places;
mod sim;

use std::path::{Path, PathBuf};

use aiec_diag::{Diags, Reported};
use aiec_drra::fabric::{
    BLOCK_WORDS, FabricShape, LOOP_SLOTS, MEMORY_CHUNKS, REGISTER_FILE_WORDS, SRAM_ROWS, WORD_BITS,
};
use aiec_drra::print::{PrintOptions, print};
use aiec_drra::{AssembleOptions, DrraProgram, assemble, check, description, elf, listing};
use aiec_isa::Set;
use clap::Args;

use super::{MachineCommand, MachineTarget, command_of, run_with};
use crate::diagnostics::Format;
use crate::io::{Exit, Io};
use crate::output::{Outputs, STANDARD_STREAM};
use crate::session::Session;

/// The machine.
pub const TARGET: MachineTarget = MachineTarget {
    name: "drra-v2",
    summary: "DRRA (SiLago): cells with register file, DPU and switchbox, instruction set v2",
    parts,
    commands: &[
        MachineCommand {
            name: "asm",
            command: || command_of::<DrraAsmArgs>("asm", "Assemble the code of a DRRA fabric"),
            run: |matches, io| run_with::<DrraAsmArgs>(matches, io, asm),
        },
        MachineCommand {
            name: "dis",
            command: || command_of::<DrraDisArgs>("dis", "Disassemble the code of a DRRA fabric"),
            run: |matches, io| run_with::<DrraDisArgs>(matches, io, dis),
        },
        MachineCommand {
            name: "sim",
            command: || command_of::<sim::DrraSimArgs>("sim", "Run a program of a DRRA fabric"),
            run: |matches, io| run_with::<sim::DrraSimArgs>(matches, io, sim::run),
        },
    ],
};

fn parts() -> Vec<(&'static str, String)> {
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

/// What all commands for this machine know.
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

/// `aiec asm -t drra-v2`
#[derive(Args, Debug)]
pub struct DrraAsmArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The ELF to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.elf", default_value = "a.elf")]
    pub output: PathBuf,
    /// Write the chunks as binary digits too, one a line
    #[arg(long, value_name = "FILE")]
    pub listing: Option<PathBuf>,
    /// The machine
    #[command(flatten)]
    pub machine: DrraArgs,
    /// How diagnostics are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

/// `aiec dis -t drra-v2`
#[derive(Args, Debug)]
pub struct DrraDisArgs {
    /// The program: an ELF or a listing; `-` is standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Say behind each instruction its address and chunks
    #[arg(long)]
    pub annotate: bool,
    /// The machine
    #[command(flatten)]
    pub machine: DrraArgs,
    /// How diagnostics are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

/// `ROWSxCOLUMNS`
fn fabric_shape(text: &str) -> Result<FabricShape, String> {
    let bad = || {
        format!("'{text}' is not ROWSxCOLUMNS, with 1 or 2 rows and 1 to {MOST_COLUMNS} columns")
    };
    let (rows, columns) = text.split_once('x').ok_or_else(bad)?;
    let rows: u8 = rows.parse().map_err(|_| bad())?;
    let columns: u8 = columns.parse().map_err(|_| bad())?;
    match (1..=2).contains(&rows) && (1..=MOST_COLUMNS).contains(&columns) {
        true => Ok(FabricShape {
            rows,
            columns,
            ..FabricShape::DEFAULT
        }),
        false => Err(bad()),
    }
}

/// Columns of a fabric at most.
const MOST_COLUMNS: u8 = 128;

/// A set of instructions: the published one, or that of the command line.
pub fn instruction_set(
    isa: Option<&Path>,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Set, Reported> {
    let Some(path) = isa else {
        return Ok(aiec_drra::published().clone());
    };
    let bytes = session.read(path, io)?;
    let file = session.add_text(path, bytes)?;
    let text = session.sources.file(file).map(|file| file.text.clone());
    description::read(&text.unwrap_or_default(), file).map_err(|diags| {
        session.diags.extend(diags);
        Reported
    })
}

/// Reads a program in any of its forms: an ELF, a listing, or text, which is checked.
pub fn read_program(
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
    let file = session.add_text(path, bytes)?;
    let text = session.sources.file(file).map(|file| file.text.clone());
    let text = text.unwrap_or_default();
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
    let result = diags.check();
    session.diags.append(diags);
    result.map(|()| program)
}

fn asm(args: &DrraAsmArgs, io: &mut Io<'_>) -> Exit {
    finish(args.diagnostics, io, |session, outputs, io| {
        let set = instruction_set(args.machine.isa.as_deref(), session, io)?;
        let program = read_program(&args.input, &set, &args.machine, session, io)?;
        let file = elf::write(&program, &set).map_err(|diag| session.diags.fail(diag))?;
        outputs.add(&args.output, file);
        if let Some(path) = &args.listing {
            outputs.add(path, listing::write(&program, &set));
        }
        Ok(Exit::Done)
    })
}

fn dis(args: &DrraDisArgs, io: &mut Io<'_>) -> Exit {
    finish(args.diagnostics, io, |session, outputs, io| {
        let set = instruction_set(args.machine.isa.as_deref(), session, io)?;
        let program = read_program(&args.input, &set, &args.machine, session, io)?;
        let options = PrintOptions {
            annotate: args.annotate,
        };
        let standard = PathBuf::from(STANDARD_STREAM);
        let output = args.output.as_ref().unwrap_or(&standard);
        outputs.add(output, print(&program, &set, options));
        Ok(Exit::Done)
    })
}

/// Runs a command, writes its results unless it failed, and says its findings.
fn finish(
    format: Format,
    io: &mut Io<'_>,
    command: impl FnOnce(&mut Session, &mut Outputs, &mut Io<'_>) -> Result<Exit, Reported>,
) -> Exit {
    let mut session = Session::new(format);
    let mut outputs = Outputs::new();
    let result = command(&mut session, &mut outputs, io);
    let result = result.and_then(|exit| match outputs.write(io.stdout) {
        Ok(()) => Ok(exit),
        Err(diag) => Err(session.diags.fail(diag)),
    });
    session.say(io);
    result.unwrap_or(Exit::BadInput)
}
