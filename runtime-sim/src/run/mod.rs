//! The top: loads a file, runs controllers and array on one clock, reports how it ended.
//!
//! The clock goes to whatever acts next: an event of the array, a controller, or a uC-DMA; the
//! array first when they tie. The run ends when all controllers are done (and, where they only
//! configure the array, when nothing moves there any more), when nothing can act any more (deadlock), at a
//! fault, or at a limit. Same file and arguments, same result.

mod clock;
mod live;
mod options;
mod result;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use aiec_cert::debug::DebugInfo;
use aiec_cert::elf::{self, ControlElf};
use aiec_cert::probes::ProbePoint;
use aiec_cert::program::Phase;
use aiec_core::OldRead;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::Diag;

use crate::array::{Array, ProgramLoops, Timing, TraceRecord};
use crate::cert::Machine;
use crate::diagnosis::{self, Limit};
use crate::elf_load::{self, HostBuffer, Patching};
use crate::host::BufferId;
use crate::jitter::Jitter;
use crate::npu::{self, FIRMWARE_TIMING, NpuInput};
use crate::race::{Memory, Span};
use aiec_cert::timing::CertTiming;
use aiec_run_loop::{self as run_loop, Limits, RunEnd};
use clock::{ControlledArray, RunFault};
pub use clock::{Progress, Watcher};
pub use live::{LiveRun, Pause};
pub use options::{Recording, SimOptions};
pub use result::{Ending, SimError, SimFault, SimResult, Status, StopReason};

/// Device of a file that doesn't say: the one that has controllers.
const DEFAULT_DEVICE: &str = "xcve3858";

/// Runs a control code file with host buffers as arguments. Arguments that the file knows and
/// that are not given start as zeros.
pub fn simulate(
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<SimResult, SimError> {
    simulate_watched(file, arguments, options, &mut |_| ControlFlow::Continue(()))
}

/// [`simulate`], reporting every now and then how far it has come.
pub fn simulate_watched(
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> Result<SimResult, SimError> {
    simulate_file(None, file, arguments, options, watcher)
}

/// [`simulate_watched`] of a file that was read.
pub fn simulate_control(
    control: ControlElf,
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> Result<SimResult, SimError> {
    let loaded = load_control(None, control, arguments, options)?;
    Ok(execute(loaded, options, watcher))
}

/// [`simulate`] on an array that something else left: with everything that still goes on there,
/// except for the tokens that its controllers didn't take. Cycles count from now on.
pub fn simulate_on(
    array: Array,
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<SimResult, SimError> {
    let watcher: Watcher<'_> = &mut |_| ControlFlow::Continue(());
    simulate_file(Some(array), file, arguments, options, watcher)
}

fn simulate_file(
    left: Option<Array>,
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> Result<SimResult, SimError> {
    let loaded = load_file(left, file, arguments, options)?;
    Ok(execute(loaded, options, watcher))
}

/// A program in the memory of a machine that has not begun to run it.
struct LoadedRun {
    array: Array,
    machine: Machine,
    /// Buffer and address of each argument.
    arguments: BTreeMap<u32, (BufferId, u64)>,
    debug: Option<DebugInfo>,
}

/// Loads a file of control code.
fn load_file(
    left: Option<Array>,
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<LoadedRun, SimError> {
    let control = elf::read(file).map_err(|diag| SimError::Elf(Box::new(diag)))?;
    load_control(left, control, arguments, options)
}

/// Loads control code.
fn load_control(
    left: Option<Array>,
    control: ControlElf,
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<LoadedRun, SimError> {
    let ControlElf {
        instances, debug, ..
    } = control;
    let device = pick_device(options, debug.as_ref())?;
    let count = instances.len();
    let wanted = options.instance;
    let instance = instances.into_iter().find(|i| i.number == wanted);
    let instance = instance.ok_or(SimError::NoInstance { wanted, count })?;
    let arguments = complete_arguments(arguments, debug.as_ref())?;

    let (timing, cert_timing) = timings(device, options, &CertTiming::MODEL);
    let mut array = match left {
        Some(array) if array.device().name() != device.name() => {
            let left = array.device().name();
            let wanted = device.name();
            return Err(SimError::OtherDevice { left, wanted });
        }
        Some(mut array) => {
            array.drop_tokens();
            array
        }
        None => Array::new(device, timing),
    };
    let start = array.now();
    let loaded = elf_load::load(&instance, arguments, options.patching, &mut array.host)?;
    let mut machine = Machine::new(&loaded.ucs, cert_timing, start);
    if options.patching == Patching::Controllers {
        machine.shared.arguments = Some(loaded.argument_list());
    }
    machine.shared.preempt = options.preempt.iter().copied().collect();
    machine.shared.probes.clone_from(&options.probes);
    machine
        .shared
        .probe_bodies
        .clone_from(&options.probe_bodies);
    mark_run_jobs(&mut machine, debug.as_ref());
    Ok(LoadedRun {
        array,
        machine,
        arguments: loaded.arguments,
        debug,
    })
}

/// Runs what a driver of an NPU would: an xclbin with its instructions, or an ELF. The arguments are
/// the run's buffers, from 0. Names and lines of a design that was compiled here can be given.
///
/// # Errors
/// A part of the input is missing or malformed.
pub fn simulate_npu(
    input: &NpuInput,
    debug: Option<DebugInfo>,
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> Result<SimResult, SimError> {
    let loaded = load_npu(input, debug, arguments, options)?;
    Ok(execute(loaded, options, watcher))
}

/// Loads what a driver of an NPU would.
fn load_npu(
    input: &NpuInput,
    debug: Option<DebugInfo>,
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<LoadedRun, SimError> {
    let refused = |diag: Diag| SimError::Npu(Box::new(diag));
    let device = match &options.device {
        Some(_) => pick_device(options, None)?,
        None => input.device().map_err(refused)?,
    };
    input.check_device(device).map_err(refused)?;
    let (timing, firmware_timing) = timings(device, options, &FIRMWARE_TIMING);
    let mut array = Array::new(device, timing);
    let start = array.now();
    let arguments = complete_arguments(arguments, debug.as_ref())?;
    let input_loaded = npu::load(
        input,
        options.device.is_some(),
        arguments,
        firmware_timing.clone(),
        start,
        &mut array.host,
    );
    let mut loaded = input_loaded.map_err(refused)?;
    loaded.firmware.switch_at(&options.preempt);
    let machine = Machine::with_firmware(loaded.firmware, firmware_timing);
    Ok(LoadedRun {
        array,
        machine,
        arguments: loaded.arguments,
        debug,
    })
}

/// Times of the array, and of its controllers: those of the model given, unless only functions count.
fn timings(
    device: &DeviceModel,
    options: &SimOptions,
    controllers: &CertTiming,
) -> (Timing, CertTiming) {
    if options.timing {
        (Timing::of(device.arch()), controllers.clone())
    } else {
        (Timing::fast(device.arch()), CertTiming::fast())
    }
}

/// Lets a machine go as the options say.
fn set_up(
    (array, machine): (&mut Array, &mut Machine),
    debug: Option<&DebugInfo>,
    options: &SimOptions,
) {
    let start = array.now();
    array.rest(false);
    array.set_kernels(options.kernels.clone());
    array.set_core_strict(options.core_strict);
    array.allow_old_reads(old_reads(debug));
    array.bind_cores(options.bound_cores.clone());
    if options.report_unmapped {
        array.allow_unmapped();
    }
    if options.exact {
        array.disable_bursts();
    }
    if let Some(seed) = options.jitter {
        array.jitter(seed);
        machine.shared.jitter = Jitter::seeded(!seed);
    }
    if options.races {
        array.watch_races();
        array.watch_fifos(diagnosis::fifo_ends(debug));
        give_buffers(array);
    }
    machine.shared.reach_for_all(ProbePoint::Begin, start);
}

/// Runs controllers and array to the end.
fn execute(loaded: LoadedRun, options: &SimOptions, watcher: Watcher<'_>) -> SimResult {
    let LoadedRun {
        mut array,
        mut machine,
        arguments,
        debug,
    } = loaded;
    let start = array.now();
    set_up((&mut array, &mut machine), debug.as_ref(), options);
    record(options, debug.as_ref(), &mut array);

    let mut driven = ControlledArray {
        machine: &mut machine,
        array: &mut array,
        controllers: None,
        events: None,
        debug: debug.as_ref(),
        watcher,
    };
    let limits = Limits {
        max_cycles: options.max_cycles,
        until: options.until,
    };
    let end = run_loop::run(&mut driven, limits, &mut |_| {});
    // Where there is nothing but the configuration, the run begins at its end.
    let configured = driven.machine.time();
    let (end_time, begins) = if driven.only_configures() {
        (configured.max(driven.array.now()), configured)
    } else {
        (configured, start)
    };
    array.end_races(end_time, matches!(end, RunEnd::Completed));
    array.rest(matches!(end, RunEnd::Completed));
    if matches!(end, RunEnd::Completed) {
        machine.shared.reach_for_all(ProbePoint::End, end_time);
    }
    let status = status_of(end, (&machine, &array), debug.as_ref());
    let cycles = match &status {
        Status::Completed => end_time,
        _ => machine.time().max(array.now()),
    };
    let cycles = cycles - start;
    let run_began = match &machine.firmware {
        Some(firmware) => firmware.run_began,
        None => machine.shared.run_began.unwrap_or(begins),
    };
    let config_cycles = run_began.saturating_sub(start).min(cycles);
    let outputs = outputs(&arguments, &array);
    let traffic = arguments.iter();
    let traffic = traffic.map(|(index, (id, _))| (*index, array.host.traffic(*id)));
    let traffic = traffic.collect();
    array.end_core_scopes();
    let spilled_trace = array.take_spilled_trace();
    let trace = match spilled_trace {
        Some(_) => Vec::new(),
        None => trace(&mut array),
    };
    let leftovers = match status {
        Status::Completed => diagnosis::leftover_reports(&machine, &array, debug.as_ref()),
        _ => Vec::new(),
    };
    let ids: Vec<_> = arguments.iter().map(|(&i, &(id, _))| (i, id)).collect();
    let completed = status == Status::Completed;
    let races = diagnosis::findings(&machine, &array, &ids, debug.as_ref(), completed);
    SimResult {
        status,
        cycles,
        config_cycles,
        outputs,
        traffic,
        array,
        machine,
        leftovers,
        races,
        trace,
        spilled_trace: RefCell::new(spilled_trace),
        debug,
    }
}

/// End of a run, in words and with its causes.
fn status_of(
    end: RunEnd<RunFault, TraceRecord>,
    (machine, array): (&Machine, &Array),
    debug: Option<&DebugInfo>,
) -> Status {
    match end {
        RunEnd::Completed => Status::Completed,
        RunEnd::Breakpoint(which, record) => {
            Status::Stopped(Box::new(StopReason::Breakpoint(which, record)))
        }
        RunEnd::Until(cycle) => Status::Stopped(Box::new(StopReason::Until(cycle))),
        RunEnd::Limit | RunEnd::Interrupted => {
            let limit = diagnosis::limit(machine, array, debug);
            let interrupted = matches!(end, RunEnd::Interrupted);
            Status::Limit(Box::new(Limit {
                interrupted,
                ..limit
            }))
        }
        RunEnd::Deadlock => Status::Deadlock(Box::new(diagnosis::diagnose(machine, array, debug))),
        RunEnd::Fault(RunFault::Cert(fault)) => {
            let source = fault
                .site()
                .and_then(|site| diagnosis::source_of(site, debug));
            Status::Fault(SimFault::Cert { fault, source })
        }
        RunEnd::Fault(RunFault::Array(fault)) => {
            let concerns = diagnosis::concerned(&fault, array, debug);
            Status::Fault(SimFault::Array { fault, concerns })
        }
    }
}

/// Lets the array record what the options ask for.
fn record(options: &SimOptions, debug: Option<&DebugInfo>, array: &mut Array) {
    match options.recording {
        Recording::Nothing => {}
        Recording::Totals => {
            array.keep_totals();
            array.profile_cores();
            array.watch_words(0, 0);
        }
        Recording::Waits { limit } => {
            array.profile_cores();
            array.keep_totals();
            array.keep_waits(limit, options.scratch.as_ref());
        }
        Recording::Trace { from, limit } => {
            array.profile_cores();
            array.keep_totals();
            array.follow_core_scopes(loops(debug));
            match &options.scratch {
                Some(scratch) => array.spill_trace(from, scratch),
                None => {
                    array.keep_trace(from, limit);
                    array.watch_words(from, limit);
                }
            }
        }
    }
    if !options.breakpoints.is_empty() {
        array.stop_at(options.breakpoints.clone());
    }
}

/// The race detector takes all that the host has mapped as written.
fn give_buffers(array: &mut Array) {
    let buffers: Vec<Span> = array
        .host
        .buffers()
        .map(|(start, bytes)| Span {
            memory: Memory::Host,
            start,
            bytes,
        })
        .collect();
    if let Some(races) = array.races_mut() {
        buffers
            .into_iter()
            .for_each(|span| races.detector.given(span));
    }
}

/// The loops of the cores' programs.
fn loops(debug: Option<&DebugInfo>) -> Vec<ProgramLoops> {
    let programs = debug.map_or(&[][..], |debug| &debug.programs);
    let programs = programs.iter().map(|marks| ProgramLoops {
        tile: TileLoc::new(marks.column, marks.row),
        checksum: marks.checksum,
        loops: marks
            .loops
            .iter()
            .map(|mark| mark.first..mark.end)
            .collect(),
    });
    programs.collect()
}

/// The reads of old values that are meant, by the tile of the core.
fn old_reads(debug: Option<&DebugInfo>) -> BTreeMap<TileLoc, Vec<OldRead>> {
    let mut reads: BTreeMap<TileLoc, Vec<OldRead>> = BTreeMap::new();
    for marks in debug.iter().flat_map(|debug| &debug.programs) {
        let tile = TileLoc::new(marks.column, marks.row);
        let of_marks = marks.old_reads.iter().map(|mark| OldRead {
            address: mark.at,
            register: mark.register.clone(),
        });
        reads.entry(tile).or_default().extend(of_marks);
    }
    reads
}

/// Records, in order of time.
fn trace(array: &mut Array) -> Vec<TraceRecord> {
    let mut trace = array.take_trace();
    trace.sort_by_key(|record| record.at);
    trace
}

/// The device that a file runs on: the option's, or the file's, or one with controllers.
pub fn pick_device(
    options: &SimOptions,
    debug: Option<&DebugInfo>,
) -> Result<&'static DeviceModel, SimError> {
    let chosen = options
        .device
        .as_deref()
        .or(debug.and_then(|d| d.device.as_deref()));
    let name = chosen.unwrap_or(DEFAULT_DEVICE);
    DeviceModel::by_name(name).ok_or_else(|| SimError::UnknownDevice(name.to_owned()))
}

/// Checks sizes (designs of others move more than the argument's type holds, so that larger buffers
/// are taken); adds zeros for arguments that were not given.
fn complete_arguments(
    mut given: Vec<HostBuffer>,
    debug: Option<&DebugInfo>,
) -> Result<Vec<HostBuffer>, SimError> {
    for argument in debug.map_or(&[][..], |debug| &debug.arguments) {
        let (index, wanted) = (argument.index, argument.bytes);
        match given.iter().find(|buffer| buffer.index == index) {
            Some(buffer) if (buffer.bytes.len() as u64) < wanted => {
                let given = buffer.bytes.len() as u64;
                return Err(SimError::ArgumentSize {
                    index,
                    given,
                    wanted,
                });
            }
            Some(_) => {}
            None => given.push(HostBuffer {
                index,
                bytes: vec![0; wanted as usize],
            }),
        }
    }
    given.sort_by_key(|buffer| buffer.index);
    Ok(given)
}

fn mark_run_jobs(machine: &mut Machine, debug: Option<&DebugInfo>) {
    for page in debug.map_or(&[][..], |debug| &debug.pages) {
        let run = page.jobs.iter().filter(|job| job.phase == Phase::Run);
        machine
            .shared
            .run_jobs
            .extend(run.map(|job| (page.uc, page.page, job.at)));
    }
}

fn outputs(arguments: &BTreeMap<u32, (BufferId, u64)>, array: &Array) -> Vec<HostBuffer> {
    let buffer = |(&index, &(id, _)): (&u32, &(crate::host::BufferId, u64))| HostBuffer {
        index,
        bytes: array.host.bytes(id).to_vec(),
    };
    arguments.iter().map(buffer).collect()
}
