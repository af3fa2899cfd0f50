//! `aiec sim -t drra-v2`

use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

use aiec_diag::{Diag, Reported, Span};
use aiec_drra::encode::cell_code;
use aiec_drra::fabric::{CellId, FabricShape};
use aiec_drra::sim::{DrraFault, DrraOptions, Fabric};
use aiec_drra::{DrraProgram, MemoryKind};
use aiec_isa::Set;
use aiec_run_loop::EndStatus;
use clap::Parser;

use super::places::{MemoryPlace, breakpoints, memory};
use super::{DrraArgs, data, instruction_set, read_program};
use crate::args::general::GeneralArgs;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};
use crate::sim::CycleBar;
use crate::targets::{MachineRunArgs, finish};

/// Runs a program of a DRRA fabric
#[derive(Parser, Debug)]
#[command(name = "aiec sim -t drra-v2")]
pub struct DrraSim {
    /// The program: an ELF, a listing, or text, which is assembled first; `-` is standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Load a memory from a file: raw words of 16 bits, or .npy. PLACE is rf:ROW,COLUMN[:WORD[+WORDS]],
    /// sram:ROW,COLUMN[:ROW[+ROWS]] or a variable $NAME; may be repeated
    #[arg(long = "load", value_name = "PLACE=FILE", value_parser = place_and_file)]
    pub loads: Vec<(String, PathBuf)>,
    /// Write a memory to a file after completion; may be repeated
    #[arg(long = "out", value_name = "PLACE=FILE", value_parser = place_and_file)]
    pub outs: Vec<(String, PathBuf)>,
    /// Compare a memory with a file after completion; may be repeated
    #[arg(long = "expect", value_name = "PLACE=FILE", value_parser = place_and_file)]
    pub expected: Vec<(String, PathBuf)>,
    /// Print a memory as it is at the end; may be repeated
    #[arg(long = "dump", value_name = "PLACE")]
    pub dumps: Vec<String>,
    /// The machine
    #[command(flatten)]
    pub machine: DrraArgs,
    /// Options of the run
    #[command(flatten)]
    pub run: MachineRunArgs,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

/// `PLACE=FILE`
fn place_and_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((place, file)) if !place.is_empty() && !file.is_empty() => {
            Ok((place.to_owned(), PathBuf::from(file)))
        }
        _ => Err("expected PLACE=FILE".to_owned()),
    }
}

/// Simulates; the exit code.
pub fn run(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = DrraSim::try_parse_from(args)?;
    args.general.apply(io);
    let format = args.run.diagnostics;
    Ok(run_command(format, io, |session, outputs, io| {
        simulate(&args, session, outputs, io)
    }))
}

fn simulate(
    args: &DrraSim,
    session: &mut Session,
    outputs: &mut Outputs,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    let set = instruction_set(args.machine.isa.as_deref(), session, io)?;
    let program = read_program(&args.input, &set, &args.machine, session, io)?;
    let shape = args.machine.fabric;
    check_cells(&program, shape, session)?;
    let mut fabric = fabric_of(&program, &set, shape);
    let places = |flag, all: &'_ [(String, PathBuf)], session: &mut Session| {
        let read = all.iter().map(|(text, path)| {
            Ok((
                text.clone(),
                memory(flag, text, &program, shape, session)?,
                path.clone(),
            ))
        });
        read.collect::<Result<Vec<_>, Reported>>()
    };
    let loads = places("--load", &args.loads, session)?;
    let outs = places("--out", &args.outs, session)?;
    let expected = places("--expect", &args.expected, session)?;
    let mut dumps = Vec::new();
    for text in &args.dumps {
        dumps.push((text, memory("--dump", text, &program, shape, session)?));
    }
    let breakpoints = breakpoints(&args.run.breaks, &fabric, session)?;
    // a wrong format costs no run
    let trace = args.run.trace_format(session)?;
    let mut wanted = Vec::new();
    for (text, place, path) in &expected {
        let words = data::expected(text, place, path, session, io)?;
        wanted.push((text.as_str(), place, words));
    }
    for (text, place, path) in &loads {
        data::load(&mut fabric, text, place, path, session, io)?;
    }
    let options = DrraOptions {
        limits: args.run.limits(),
        breakpoints,
        trace: args.run.recording(&trace),
    };
    let mut bar = CycleBar::new(io.terminal);
    let (outcome, fault) = aiec_drra::sim::run(&mut fabric, options, &mut |cycle| bar.tell(cycle));
    bar.end();
    let place = fault.and_then(|fault| place_of(&fault, &program));
    let exit = finish(&outcome, &args.run, place, outputs, session, io)?;
    for (text, place) in &dumps {
        outputs.add(STANDARD_STREAM, dump(text, &data::get(&fabric, place)));
    }
    if outcome.status == EndStatus::Completed {
        for (_, place, path) in &outs {
            data::write(&fabric, place, path, outputs);
        }
        let mut differs = false;
        for (text, place, words) in &wanted {
            // all are compared, so that one run says all that differs
            differs |= data::compare(&fabric, (text, place), words, session).is_err();
        }
        if differs {
            return Ok(Exit::BadInput);
        }
    }
    Ok(exit)
}

/// A program may be of a larger fabric.
fn check_cells(
    program: &DrraProgram,
    shape: FabricShape,
    session: &mut Session,
) -> Result<(), Reported> {
    let outside = |cell: &CellId| shape.cell_index(*cell).is_none();
    let code = program.cells.iter().map(|cell| cell.cell);
    let srams = |memory| memory == MemoryKind::Sram;
    let (in_srams, in_files): (Vec<_>, Vec<_>) =
        program.variables.iter().partition(|v| srams(v.memory));
    let files = in_files.iter().map(|variable| variable.cell);
    let mut wrong: Vec<String> = code
        .chain(files)
        .filter(outside)
        .map(|c| c.to_string())
        .collect();
    let far = in_srams.iter().map(|variable| variable.cell);
    let far = far.filter(|sram| shape.sram_index(*sram).is_none());
    wrong.extend(far.map(|sram| format!("SRAM {sram}")));
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.dedup();
    let message = format!(
        "the program uses {}, the fabric has {shape}",
        wrong.join(", ")
    );
    let diag = Diag::error(&aiec_drra::codes::CELL, message);
    Err(session.fail(diag.help("make the fabric larger with --fabric ROWSxCOLUMNS")))
}

/// The fabric with its programs and variables.
fn fabric_of(program: &DrraProgram, set: &Set, shape: FabricShape) -> Fabric {
    let cells = program.cells.iter();
    let mut fabric = Fabric::new(shape, cells.map(|cell| (cell.cell, cell_code(cell, set))));
    for variable in &program.variables {
        let place = MemoryPlace {
            memory: variable.memory,
            cell: variable.cell,
            first: variable.address,
            words: variable.words.len(),
            is_sized: true,
        };
        data::put(&mut fabric, &place, &variable.words);
    }
    fabric
}

/// The place of a fault's instruction in the text, if the program came from one.
fn place_of(fault: &DrraFault, program: &DrraProgram) -> Option<Span> {
    let cell = program.cells.iter().find(|cell| cell.cell == fault.cell)?;
    let mut items = cell.with_addresses();
    let (_, item) = items.find(|(at, _)| *at == u32::from(fault.address))?;
    item.span
}

/// Words for people: their first address in front of each line.
fn dump(title: &str, words: &[i16]) -> String {
    /// Words on a line.
    const LINE: usize = 16;
    let mut out = format!("{title}\n");
    for (at, line) in words.chunks(LINE).enumerate() {
        let line: Vec<String> = line.iter().map(|word| format!("{word:6}")).collect();
        // writing to a string cannot fail
        let _ = writeln!(out, "{:5} {}", at * LINE, line.join(" "));
    }
    out
}
