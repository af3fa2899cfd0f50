//! `aiec sim -t refsi-m1`: command buffers on a model of the platform.

use std::ffi::OsString;
use std::path::PathBuf;

use aiec_diag::{Diag, Reported, did_you_mean};
use aiec_refsi::sim::{HostKernel, MAX_CORES, Refsi, RefsiOptions, event};
use aiec_refsi::{Reading, bytes_of};
use aiec_run_loop::{EndStatus, MachineBreak};
use clap::Parser;

use super::super::{MachineRunArgs, finish, number};
use crate::args::general::GeneralArgs;
use crate::codes;
use crate::inputs::kernels::no_library;
use crate::io::output::Outputs;
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};

/// Files that end so are assembled first.
const ASSEMBLY: &str = "asm";

/// Runs command buffers on a model of RefSi M1
#[derive(Parser, Debug)]
#[command(name = "aiec sim -t refsi-m1")]
pub(super) struct RefsiSim {
    /// Command buffers, executed one after the other; those that end in .asm are assembled first.
    /// `-` is standard input
    #[arg(value_name = "FILE.cb", required = true)]
    inputs: Vec<PathBuf>,
    /// refsi-m1
    #[arg(short, long, value_name = "TARGET")]
    target: String,
    /// Load a file into memory: code of kernels
    #[arg(long = "load", value_name = "ADDR=FILE", value_parser = at_address)]
    loads: Vec<(u64, PathBuf)>,
    /// Load a file into memory: input data
    #[arg(long = "arg", value_name = "ADDR=FILE", value_parser = at_address)]
    args: Vec<(u64, PathBuf)>,
    /// Write memory to a file after completion
    #[arg(long = "out", value_name = "ADDR+BYTES=FILE", value_parser = range)]
    outs: Vec<(u64, u64, PathBuf)>,
    /// Run the kernel at an address as this function of a shared library:
    /// `void FN(const uint64_t a[8], const struct refsi_memory *)`
    #[arg(long = "kernel", value_name = "ADDR=LIB.so:FN", value_parser = host_kernel)]
    kernels: Vec<(u64, PathBuf, String)>,
    /// Cores, of 4 harts each
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CORES)))]
    cores: u32,
    /// Where the first buffer ends; each further one ends where the one before begins [default:
    /// the end of DRAM]
    #[arg(long, value_name = "ADDR", value_parser = number)]
    top: Option<u64>,
    /// Write a line for each command, as the reference driver prints them with REFSI_DEBUG=cmp
    #[arg(long, value_name = "FILE")]
    command_log: Option<PathBuf>,
    /// Behave as the reference driver does
    #[arg(long)]
    compat: bool,
    /// Options of the run
    #[command(flatten)]
    run: MachineRunArgs,
    /// Options of all commands
    #[command(flatten)]
    general: GeneralArgs,
}

/// `ADDR=FILE`
fn at_address(text: &str) -> Result<(u64, PathBuf), String> {
    match text.split_once('=') {
        Some((_, "")) => Err("the file's name is missing after '='".to_owned()),
        Some((address, path)) => Ok((number(address)?, PathBuf::from(path))),
        None => Err("expected ADDR=FILE".to_owned()),
    }
}

/// `ADDR+BYTES=FILE`
fn range(text: &str) -> Result<(u64, u64, PathBuf), String> {
    let expected = || "expected ADDR+BYTES=FILE".to_owned();
    let (place, path) = text.split_once('=').ok_or_else(expected)?;
    let (address, bytes) = place.split_once('+').ok_or_else(expected)?;
    match path {
        "" => Err("the file's name is missing after '='".to_owned()),
        path => Ok((number(address)?, number(bytes)?, PathBuf::from(path))),
    }
}

/// `ADDR=LIB.so:FN`
fn host_kernel(text: &str) -> Result<(u64, PathBuf, String), String> {
    let expected = || "expected ADDR=LIB.so:FN".to_owned();
    let (address, function) = text.split_once('=').ok_or_else(expected)?;
    let (path, name) = function.rsplit_once(':').ok_or_else(expected)?;
    match name {
        "" => Err("the function's name is missing after ':'".to_owned()),
        name => Ok((number(address)?, PathBuf::from(path), name.to_owned())),
    }
}

/// Simulates; the exit code.
pub(super) fn run(args: &[OsString], io: &mut Io<'_>) -> Result<Exit, clap::Error> {
    let args = RefsiSim::try_parse_from(args)?;
    args.general.apply(io);
    let format = args.run.diagnostics;
    Ok(run_command(format, io, |session, outputs, io| {
        simulate(&args, outputs, session, io)
    }))
}

fn simulate(
    args: &RefsiSim,
    outputs: &mut Outputs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    let mut refsi = Refsi::new(options(args, session)?);
    for (address, path) in args.loads.iter().chain(&args.args) {
        let bytes = session.read_data(path, io)?;
        if let Err(fault) = refsi.write_memory(*address, &bytes) {
            let message = format!("{} cannot be loaded: {fault}", path.display());
            let help = "memory is TCDM and DRAM; `aiec isa --target refsi-m1` lists the memory map";
            let diag = Diag::error(&codes::MACHINE_MEMORY, message).help(help);
            session.push(diag);
        }
    }
    let mut top = args.top.unwrap_or(Refsi::DRAM_END);
    for path in &args.inputs {
        let bytes = if path.extension().is_some_and(|ending| ending == ASSEMBLY) {
            bytes_of(&super::assembled(path, args.compat, false, session, io)?)
        } else {
            session.read(path, io)?
        };
        if bytes.len() % 8 != 0 {
            session.push(aiec_refsi::dis::odd_length(bytes.len()));
            continue;
        }
        match refsi.enqueue_below(top, &bytes) {
            Ok(address) => top = address,
            Err(fault) => {
                let message = format!("{} cannot be loaded: {fault}", path.display());
                let help = "--top ADDR says where the first buffer ends";
                let diag = Diag::error(&codes::MACHINE_MEMORY, message).help(help);
                session.push(diag);
            }
        }
    }
    session.diags.check()?;
    let status = refsi.run(args.run.limits(), &mut |_| {});
    let outcome = refsi.outcome(status);
    if let Some(path) = &args.command_log {
        outputs.add(path.clone(), refsi.command_log().to_owned());
    }
    if outcome.status == EndStatus::Completed {
        for (address, bytes, path) in &args.outs {
            let read = usize::try_from(*bytes).ok();
            match read.map(|bytes| refsi.read_memory(*address, bytes)) {
                Some(Ok(bytes)) => outputs.add(path.clone(), bytes),
                _ => {
                    let message =
                        format!("no {bytes} bytes of memory are at 0x{address:x} for --out");
                    let help = "memory is TCDM and DRAM; `aiec isa --target refsi-m1` lists the memory map";
                    let diag = Diag::error(&codes::MACHINE_MEMORY, message).help(help);
                    session.push(diag);
                }
            }
        }
        session.diags.check()?;
    }
    finish(&outcome, &args.run, None, outputs, session, io)
}

fn options(args: &RefsiSim, session: &mut Session) -> Result<RefsiOptions, Reported> {
    let mut host_kernels = Vec::new();
    for (address, path, name) in &args.kernels {
        match HostKernel::load(path, name) {
            Ok(function) => host_kernels.push((*address, function)),
            Err(error) => session.push(no_library(&error)),
        }
    }
    let mut breakpoints = Vec::new();
    for text in &args.run.breaks {
        match breakpoint(text) {
            Ok(point) => breakpoints.push(point),
            Err(why) => {
                let message = format!("--break {text}: {why}");
                let help =
                    "write command:CHUNK, pc:ADDRESS or instance:N; #N after it for the Nth time";
                let diag = Diag::error(&codes::PLACE, message).help(help);
                session.push(diag);
            }
        }
    }
    session.diags.check()?;
    let trace = args.run.trace_format(session)?;
    Ok(RefsiOptions {
        reading: Reading::compat(args.compat),
        cores: args.cores,
        recording: args.run.recording(&trace),
        breakpoints,
        host_kernels,
    })
}

/// Parses `command:CHUNK`, `pc:ADDRESS` or `instance:N`, each optionally followed by `#TIMES`.
fn breakpoint(text: &str) -> Result<MachineBreak, String> {
    let (place, times) = match text.split_once('#') {
        Some((place, times)) => {
            let count = times.parse().ok().filter(|n| *n > 0);
            (
                place,
                count.ok_or_else(|| format!("'{times}' isn't a count"))?,
            )
        }
        None => (text, 1),
    };
    let (name, key) = place.split_once(':').ok_or("it isn't a place to stop at")?;
    let events = [
        ("command", event::COMMAND),
        ("pc", event::PC),
        ("instance", event::INSTANCE),
    ];
    let event = events.iter().find(|(word, _)| *word == name);
    let Some((_, event)) = event else {
        let near = did_you_mean(name, events.iter().map(|(word, _)| *word));
        let near = near.map(|near| format!("; did you mean '{near}'?"));
        return Err(format!(
            "there is no place '{name}'{}",
            near.unwrap_or_default()
        ));
    };
    Ok(MachineBreak {
        event,
        unit: None,
        key: Some(number(key)?),
        times,
    })
}
