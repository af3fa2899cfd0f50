//! `aiec sim`: runs a control code ELF, or a design or assembly that is compiled first.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use aiec_cert::debug::DebugInfo;
use aiec_cert::dis;
use aiec_cert::elf::ControlElf;
use aiec_cert::names::Target;
use aiec_device::DeviceModel;
use aiec_diag::{Diag, FileId, Reported, SourceMap, Span};
use aiec_sim::array::{Fault, FaultKind};
use aiec_sim::npu::{NOT_TRANSACTIONS, NpuInput};
use aiec_sim::run::Watcher;
use aiec_sim::{
    Deadlock, HostBuffer, Progress, SimError, SimFault, SimOptions, SimReport, SimResult, Status,
};

use crate::args::{DesignArgs, RaceCheck, RunArgs, SimArgs, Timing, Unmapped};
use crate::asm::{self, ASSEMBLY};
use crate::codes;
use crate::design_compiler;
use crate::dis::codes::FAMILY_ASSUMED;
use crate::inputs::kernels;
use crate::io::interrupt::Interruptible;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::session::{ELF_MAGIC, Session, run_command};

pub mod cores;
mod cycle_bar;
pub mod debug_target;
mod dumps;
mod hazards;
pub mod npu;
pub mod places;
mod prepared;
mod probes;
pub mod races;
mod results;
mod run_facts;
pub mod smallest_depth;
mod stops;
pub mod summary;
pub mod trace;
mod unreached;

pub use cycle_bar::CycleBar;
use prepared::PreparedRun;

/// Ending of the files that get a report for people.
const TABLE: &str = "txt";

/// Whether a report is to be a table.
fn is_table(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|ending| ending == TABLE)
}

/// Simulates; the exit code.
pub fn run(args: &SimArgs, io: &mut Io<'_>) -> Exit {
    if args.report_schema {
        return crate::print(io, &format!("{:#}\n", SimReport::schema()));
    }
    let format = args.design.diagnostics.unwrap_or_default();
    run_command(format, io, |session, outputs, io| {
        load_and_run(args, outputs, session, io)
    })
}

fn load_and_run(
    args: &SimArgs,
    outputs: &mut Outputs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    let standard = PathBuf::from(STANDARD_STREAM);
    let input = args.input.as_ref().unwrap_or(&standard);
    let bytes = session.read(input, io)?;
    let mut options = options(args);
    options.kernels = kernels::bind(&args.run, session)?;
    session.keeps_dataflow = args.run.page.is_some();
    let says_bound = args.run.critical_path || args.run.report.is_some() || args.run.page.is_some();
    // The cycles of functions given for cores are unknown, so a run with them has no bound from its cores.
    session.keeps_bound = says_bound && args.core_targets().is_empty();
    let program = program(args, input, bytes, &mut options, session, io)?;
    if session.keeps_dataflow && session.dataflow.is_empty() {
        let message = "`--page` shows the dataflow of a design; this file is compiled already";
        let diag = Diag::error(&codes::PAGE_WITHOUT_DESIGN, message);
        return Err(session.fail(diag.help(
            "give the design: `aiec sim design.mlir --page run.html`; `--trace run.html` takes any file",
        )));
    }
    let run = RunArgs {
        cores: args.core_targets(),
        ..args.run.clone()
    };
    let commands = (&args.design, &run);
    simulate(&program, commands, options, outputs, session, io)
}

/// Programs that can be simulated.
#[derive(Debug)]
pub enum SimulatedProgram {
    /// An ELF of control code.
    ControlCode(Vec<u8>),
    /// Files that a driver of Ryzen AI loads, with names and source lines where it was compiled here.
    Npu(Box<NpuInput>, Option<DebugInfo>),
}

/// Takes the program from the input: a file, or a design that is compiled.
fn program(
    args: &SimArgs,
    path: &Path,
    bytes: Vec<u8>,
    options: &mut SimOptions,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<SimulatedProgram, Reported> {
    let is_npu = npu::is_npu_file(&bytes);
    let is_file = is_npu || bytes.starts_with(ELF_MAGIC);
    if is_file {
        npu::refuse_design_options(args, session)?;
        // Assembled control code doesn't say which device it is for.
        options.device = args.design.device.map(|model| model.name().to_owned());
    }
    if let Some((_, what)) = NOT_TRANSACTIONS
        .iter()
        .find(|(magic, _)| !is_npu && bytes.starts_with(magic))
    {
        let message = format!(
            "{} is {what}: a configuration without a program",
            path.display()
        );
        let diag = Diag::error(&npu::NOT_FOR_INPUT, message);
        let help = "run the xclbin or the ELF that holds it; `aiec dis` lists it";
        return Err(session.fail(diag.help(help)));
    }
    if is_npu {
        let mut input = npu::from_files((path, &bytes), args, session, io)?;
        npu::give_scratchpad(&mut input, args, session, io)?;
        return Ok(SimulatedProgram::Npu(Box::new(input), None));
    }
    if let Some(kind) = args.run_as {
        let (mut input, debug) = npu::from_design(path, bytes, (args, kind), options, session, io)?;
        npu::give_scratchpad(&mut input, args, session, io)?;
        return Ok(SimulatedProgram::Npu(Box::new(input), Some(debug)));
    }
    npu::refuse_options(args, session)?;
    if !is_file && path.extension().is_some_and(|ending| ending == ASSEMBLY) {
        npu::refuse_design_options(args, session)?;
        options.device = args.design.device.map(|model| model.name().to_owned());
        let elf = asm::assemble_to_run(path, bytes, session)?;
        return Ok(SimulatedProgram::ControlCode(elf));
    }
    Ok(SimulatedProgram::ControlCode(if is_file {
        bytes
    } else {
        design_compiler::to_elf(path, bytes, args, options, session, io)?
    }))
}

/// The options that the command line of `aiec sim` names.
pub fn options(args: &SimArgs) -> SimOptions {
    SimOptions {
        jitter: args.jitter,
        exact: args.sim_exact,
        preempt: args.preempt.clone(),
        probes: args.probes.clone(),
        core_strict: args.run.core_strict,
        report_unmapped: args.unmapped == Unmapped::Report,
        ..with_timing(args.timing)
    }
}

/// Default options with or without time.
pub fn with_timing(timing: Timing) -> SimOptions {
    SimOptions {
        timing: timing == Timing::On,
        ..SimOptions::default()
    }
}

/// Sets how long a run may take, and whether races are looked for.
pub fn set_limits(options: &mut SimOptions, run: &RunArgs) {
    options.until = run.until;
    if let Some(max_cycles) = run.max_cycles {
        options.max_cycles = max_cycles;
    }
    options.races = run.races != RaceCheck::Off;
}

impl SimulatedProgram {
    /// Whether controllers execute it.
    fn is_control_code(&self) -> bool {
        matches!(self, SimulatedProgram::ControlCode(_))
    }
}

/// Runs a program with the buffers of the command line, says how it ended and adds the results.
///
/// # Errors
/// Findings that refuse the run are in the session.
pub fn simulate(
    program: &SimulatedProgram,
    commands: (&DesignArgs, &RunArgs),
    options: SimOptions,
    outputs: &mut Outputs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    let prepared = PreparedRun::prepare(program, commands, options, session, io)?;
    let mut result = prepared.execute(session, io)?;
    prepared.present(&mut result, outputs, session, io)
}

/// Prints the text that cores gave to `aie.debug`.
pub fn print_debug_output(result: &SimResult, io: &mut Io<'_>) {
    // A report of a closed error stream would have nowhere to go.
    for print in result.array.prints() {
        let line = aiec_sim::diagnosis::describe_print(print, result.debug.as_ref());
        let _ = writeln!(io.stderr, "{line}");
    }
    let dropped = result.array.dropped_prints();
    if dropped > 0 {
        let _ = writeln!(io.stderr, "{dropped} more values were shown");
    }
}

/// Runs a program on buffers.
pub fn execute(
    program: &SimulatedProgram,
    buffers: &BTreeMap<u32, Vec<u8>>,
    options: &SimOptions,
    io: &mut Io<'_>,
) -> Result<SimResult, SimError> {
    watched(buffers, io, |buffers, watch| match program {
        SimulatedProgram::ControlCode(elf) => {
            aiec_sim::simulate_watched(elf, buffers, options, watch)
        }
        SimulatedProgram::Npu(input, debug) => {
            aiec_sim::simulate_npu(input, debug.clone(), buffers, options, watch)
        }
    })
}

/// [`execute`] of control code that was read.
pub fn execute_control(
    control: &ControlElf,
    buffers: &BTreeMap<u32, Vec<u8>>,
    options: &SimOptions,
    io: &mut Io<'_>,
) -> Result<SimResult, SimError> {
    watched(buffers, io, |buffers, watch| {
        aiec_sim::simulate_control(control.clone(), buffers, options, watch)
    })
}

/// Runs something on buffers, with a bar, until it ends or the user interrupts it.
fn watched(
    buffers: &BTreeMap<u32, Vec<u8>>,
    io: &mut Io<'_>,
    run: impl FnOnce(Vec<HostBuffer>, Watcher<'_>) -> Result<SimResult, SimError>,
) -> Result<SimResult, SimError> {
    let interruptible = Interruptible::begin();
    let buffers = buffers
        .iter()
        .map(|(index, bytes)| HostBuffer {
            index: *index,
            bytes: bytes.clone(),
        })
        .collect();
    let mut bar = CycleBar::new(io.terminal);
    let mut said_since = None;
    let result = run(buffers, &mut |progress: &Progress<'_>| {
        bar.tell(progress.cycle);
        let quiet = progress.cycle.saturating_sub(progress.quiet_since) >= QUIET_CYCLES;
        if quiet && said_since != Some(progress.quiet_since) {
            said_since = Some(progress.quiet_since);
            bar.clear();
            warn_no_progress(progress, io);
        }
        if interruptible.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    bar.end();
    result
}

/// Cycles in which nothing but cores computes, or controllers poll, that are worth a word.
const QUIET_CYCLES: u64 = 2_000_000;

/// Says that nothing but cores or polls has gone on for long.
fn warn_no_progress(progress: &Progress<'_>, io: &mut Io<'_>) {
    // A report of a closed error stream would have nowhere to go.
    let _ = writeln!(
        io.stderr,
        "cycle {}: no word has moved for {QUIET_CYCLES} cycles; {}. Ctrl-C ends the run with its report",
        progress.cycle,
        progress.activity()
    );
}

/// Findings about a run besides its outcome: hazards, and unfinished work.
pub fn remarks(result: &SimResult, sources: &SourceMap) -> Vec<Diag> {
    let mut all = hazards::findings(result, sources);
    all.extend(races::findings(result, sources));
    let mut silent = result.array.unmodelled().map(|part| {
        let (tile, times) = (part.tile, part.writes);
        format!("{part}, first in tile {tile}, written {times} times")
    });
    if let Some(first) = silent.next() {
        let message = format!("the run wrote what has no effect in this model: {first}");
        let diag = Diag::note(&codes::UNMODELLED, message);
        let diag = silent.fold(diag, Diag::remark);
        all.push(diag.help("docs/src/fidelity.md lists where the model is simpler than silicon"));
    }
    all.extend(hazards::near_miss(&result.leftovers, sources));
    all
}

/// The finding for a run that `--strict` doesn't take.
fn not_clean() -> Diag {
    Diag::error(
        &codes::STRICT,
        "the run has hazards or left something unfinished",
    )
    .help("mend what the warnings say, or leave --strict out")
}

/// The finding that says how a run ended that did not complete.
pub fn ending(result: &SimResult, sources: &SourceMap) -> Diag {
    match &result.status {
        Status::Deadlock(deadlock) => deadlock_finding(deadlock, result.cycles, sources),
        Status::Fault(SimFault::Array { fault, concerns })
            if matches!(fault.kind, FaultKind::NoKernels { .. }) =>
        {
            kernels::without_body(fault, concerns)
        }
        Status::Fault(SimFault::Array {
            fault:
                Fault {
                    kind: FaultKind::Internal(error),
                    ..
                },
            ..
        }) => error.clone().into(),
        Status::Fault(fault) => {
            // A fault of the array begins with its cycle.
            let message = match fault {
                SimFault::Array { .. } => format!("the simulation stopped at {fault}"),
                _ => format!("the simulation stopped at cycle {}: {fault}", result.cycles),
            };
            Diag::error(&codes::FAULT, message)
                .help("`--report FILE.json` tells what each part had done until then")
        }
        Status::Limit(limit) if limit.interrupted => {
            let message = format!(
                "the run was interrupted at cycle {}; {limit}",
                result.cycles
            );
            Diag::error(&codes::INTERRUPTED, message)
                .help("`--report FILE.json` and `--trace FILE` have what happened until then")
        }
        Status::Limit(limit) => Diag::error(
            &codes::LIMIT,
            format!("not done within the cycles that --max-cycles allows; {limit}"),
        )
        .help("allow more with --max-cycles N; `--report FILE.json` lists who waits"),
        Status::Completed | Status::Stopped(_) => Diag::error(&codes::LIMIT, "the run completed"),
    }
}

fn deadlock_finding(deadlock: &Deadlock, cycles: u64, sources: &SourceMap) -> Diag {
    let mistake = &deadlock.mistake;
    let message = format!("deadlock at cycle {cycles}: {}", mistake.cause);
    let mut diag = Diag::error(&codes::DEADLOCK, message).help(mistake.help.clone());
    let span = span_of(mistake.source.as_deref(), sources);
    if span.is_some() {
        diag = diag.label(span, "here");
    }
    // The last line is the message.
    let hops = deadlock
        .story
        .split_last()
        .map_or(&[][..], |(_, hops)| hops);
    diag = hops.iter().cloned().fold(diag, Diag::remark);
    match deadlock.all.len().saturating_sub(deadlock.chain.len()) {
        0 => diag,
        others => diag.remark(format!(
            "{others} more wait because of these; `--report` lists all"
        )),
    }
}

/// The rest of the line from `file:line:column` on, if that file was read in this run.
fn span_of(source: Option<&str>, sources: &SourceMap) -> Option<Span> {
    let (rest, column) = source?.rsplit_once(':')?;
    let (name, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    let files = (0..)
        .map(FileId)
        .map_while(|id| Some((id, sources.file(id)?)));
    let (id, file) = files.into_iter().find(|(_, file)| file.name == name)?;
    let start = file.offset(line, column)? as usize;
    let end = start + file.text.get(start..)?.find(['\r', '\n']).unwrap_or(0);
    Some(Span::new(id, start, end))
}

/// Finding for control code that another family's controllers may be meant to run; `None` for
/// aie2ps, or where nothing shows a family and the command line names the device.
fn family_remark(control: &ControlElf, device: &DeviceModel, names_device: bool) -> Option<Diag> {
    let name = device.name();
    match dis::target_of(control) {
        Some(Target::Aie4) => {
            let message = format!(
                "the control code is for aie4, of which no device is modelled: it runs as on {name}"
            );
            Some(Diag::warning(&codes::OTHER_FAMILY, message))
        }
        None if !names_device => {
            let message = format!(
                "nothing in the file shows its family of controllers: it runs as on {name}"
            );
            let diag = Diag::note(&FAMILY_ASSUMED, message);
            Some(diag.help("name a device with --device"))
        }
        _ => None,
    }
}

/// The warning about a run on a device of another architecture than the one that was compiled for.
fn other_device(debug: Option<&DebugInfo>, device: &DeviceModel) -> Option<Diag> {
    let compiled_for = debug.and_then(|debug| DeviceModel::by_name(debug.device.as_deref()?))?;
    if compiled_for.arch() == device.arch() {
        return None;
    }
    let (name, own) = (device.name(), compiled_for.name());
    let message =
        format!("this program was compiled for {own}: {name} has other registers and cores");
    let diag = Diag::warning(&codes::OTHER_DEVICE, message);
    Some(diag.help(format!(
        "leave --device out, or give the design: aiec sim design.mlir --device {name}"
    )))
}

pub fn not_control_code(error: &Diag) -> Diag {
    Diag::error(
        &codes::NOT_CONTROL_CODE,
        format!("the ELF cannot be run: {}", error.message),
    )
    .help("give an ELF of control code, as `aiec design.mlir -o design.elf` writes it")
}

/// The finding for a run that cannot begin.
pub fn cannot_run(error: &SimError) -> Diag {
    match error {
        SimError::Elf(error) => not_control_code(error),
        SimError::Npu(diag) => (**diag).clone(),
        SimError::Internal(error) => Diag::from(error.clone()),
        SimError::ArgumentSize { .. } => {
            Diag::error(&codes::ARGUMENT_SIZE, error.to_string()).help("give a file of that size")
        }
        SimError::UnknownDevice(_) => Diag::error(&codes::NOT_CONTROL_CODE, error.to_string())
            .help("`aiec devices` lists the devices that can be simulated"),
        SimError::NoInstance { .. } | SimError::OtherDevice { .. } | SimError::Load(_) => {
            Diag::error(&codes::CANNOT_LOAD, error.to_string())
                .help("every argument that the control code uses needs --arg, --out or --arg-size")
        }
    }
}
