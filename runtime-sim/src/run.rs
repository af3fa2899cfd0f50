//! The top: loads a file, runs controllers and array on one clock, reports how it ended.
//!
//! The clock goes to whatever acts next: an event of the array, a controller, or a uC-DMA; the
//! array first when they tie. The run ends when all controllers are done, when nothing can act
//! any more (deadlock), at a fault, or at a limit. Same file and arguments, same result.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;

use aiec_cert::debug::DebugInfo;
use aiec_cert::elf::{self, ControlElf};
use aiec_cert::probes::{ControlBody, ProbePoint};
use aiec_cert::program::Phase;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::Diag;

use crate::array::{Array, Breakpoint, Fault, SpilledTrace, Timing, TraceRecord};
use crate::cert::{CertFault, Machine, Probe};
use crate::core::{BoundCore, CoreEngine, Interpreter, Kernels};
use crate::diagnosis::{self, Deadlock, LeftoverReport, Limit, RaceFindings};
use crate::drive::{self, Drive, Halt, Limits, RunEnd, SLICE};
use crate::elf_load::{self, HostBuffer, LoadError, Patching};
use crate::external_sort::Scratch;
use crate::host::{BufferId, BufferTraffic};
use crate::jitter::Jitter;
use crate::npu::{self, NpuInput};
use crate::race::{Memory, Span};
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Device of a file that doesn't say: the one that has controllers.
const DEFAULT_DEVICE: &str = "xcve3858";
/// Cycles after which a run is aborted by default.
const DEFAULT_MAX_CYCLES: Cycle = 4_000_000_000;

/// How to run.
#[derive(Debug, Clone)]
pub struct SimOptions {
    /// Device; by default what the file was compiled for.
    pub device: Option<String>,
    /// Model the time that things take; otherwise everything goes as fast as causes allow, with
    /// the same data.
    pub timing: bool,
    /// Cycles after which the run is aborted.
    pub max_cycles: Cycle,
    /// Who patches BD images.
    pub patching: Patching,
    /// Which instance of a configuration file, by its number.
    pub instance: u32,
    /// Adds random latencies drawn from this seed. The data of a design without races stay.
    pub jitter: Option<u64>,
    /// A write to where the device has nothing is only reported; otherwise it ends the run.
    pub report_unmapped: bool,
    /// Preemption points at which the context is switched: identifiers in PREEMPT.
    pub preempt: Vec<u16>,
    /// Instructions whose times are recorded.
    pub probes: Vec<Probe>,
    /// Control bodies of probes, by controller.
    pub probe_bodies: BTreeMap<u32, ControlBody>,
    /// What cores can call, and what their operations cost.
    pub kernels: Kernels,
    /// Who executes the programs of cores.
    pub core_engine: Rc<dyn CoreEngine>,
    /// Machine code of cores that depends on latencies, alignment or missing memory is a fault.
    pub core_strict: bool,
    /// Cores that are bound to something else than what their program memory holds.
    pub bound_cores: BTreeMap<TileLoc, BoundCore>,
    /// What is recorded of the run.
    pub recording: Recording,
    /// Where a trace goes that has no room in memory; it has no limit then.
    pub scratch: Option<Rc<dyn Scratch>>,
    /// Stop at the first of these.
    pub breakpoints: Vec<Breakpoint>,
    /// Stop after this cycle.
    pub until: Option<Cycle>,
    /// Look for races.
    pub races: bool,
    /// Move each word and execute each instruction by itself instead of in bursts and loops:
    /// slower, with the same outcome.
    pub exact: bool,
}

/// What is recorded of a run. Nothing costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recording {
    /// Totals only.
    #[default]
    Nothing,
    /// Totals, those of links and jobs by state too, and what the stalls are for.
    Totals,
    /// Every trace event from a cycle on, up to so many.
    Trace {
        /// The cycle.
        from: Cycle,
        /// Trace events that are kept at most, unless there is [`SimOptions::scratch`].
        limit: usize,
    },
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            device: None,
            timing: true,
            max_cycles: DEFAULT_MAX_CYCLES,
            patching: Patching::Host,
            instance: 0,
            jitter: None,
            report_unmapped: false,
            preempt: Vec::new(),
            probes: Vec::new(),
            probe_bodies: BTreeMap::new(),
            kernels: Kernels::default(),
            core_engine: Rc::new(Interpreter),
            core_strict: false,
            bound_cores: BTreeMap::new(),
            recording: Recording::Nothing,
            scratch: None,
            breakpoints: Vec::new(),
            until: None,
            races: true,
            exact: false,
        }
    }
}

/// Why a run cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// The file is no control code.
    #[error("{}", .0.message)]
    Elf(Box<Diag>),
    /// The device is unknown.
    #[error("there is no device '{0}'")]
    UnknownDevice(String),
    /// The instance doesn't exist.
    #[error("the file has {count} instances, number {wanted} is none of them")]
    NoInstance {
        /// Number asked for.
        wanted: u32,
        /// Instances there are.
        count: usize,
    },
    /// The array that is there is another one.
    #[error("the file is for {wanted}, the array is {left}")]
    OtherDevice {
        /// The array's device.
        left: &'static str,
        /// The file's.
        wanted: &'static str,
    },
    /// A buffer is smaller than the runtime sequence states.
    #[error("argument {index} has {given} bytes, the runtime sequence takes {wanted}")]
    ArgumentSize {
        /// Index of the argument.
        index: u32,
        /// Bytes given.
        given: u64,
        /// Bytes wanted.
        wanted: u64,
    },
    /// The files of a driver of an NPU cannot be loaded.
    #[error("{}", .0.message)]
    Npu(Box<Diag>),
    /// The code cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// All jobs ended.
    Completed,
    /// Nothing could go on.
    Deadlock(Box<Deadlock>),
    /// The array or a controller stopped.
    Fault(SimFault),
    /// It took more cycles than allowed; what was going on then.
    Limit(Box<Limit>),
    /// It came to where it was to stop.
    Stopped(Box<StopReason>),
}

/// Where a run was to stop.
#[derive(Debug, Clone, PartialEq)]
pub enum StopReason {
    /// At a breakpoint: which of [`SimOptions::breakpoints`], and what happened.
    Breakpoint(usize, TraceRecord),
    /// After [`SimOptions::until`].
    Until(Cycle),
}

impl Status {
    /// Name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Deadlock(_) => "deadlock",
            Self::Fault(_) => "fault",
            Self::Limit(_) => "limit",
            Self::Stopped(_) => "stopped",
        }
    }
}

/// A fault that ended a run.
#[derive(Debug, Clone, PartialEq)]
pub enum SimFault {
    /// Of the control code, with its source line if known.
    Cert {
        /// What.
        fault: CertFault,
        /// `file:line:column`.
        source: Option<String>,
    },
    /// Of the array.
    Array {
        /// What.
        fault: Fault,
        /// Named things of that tile that it concerns: name and source line.
        concerns: Vec<String>,
    },
}

impl std::fmt::Display for SimFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cert { fault, source } => {
                write!(f, "{fault}")?;
                source
                    .iter()
                    .try_for_each(|source| write!(f, " ({source})"))
            }
            Self::Array { fault, concerns } => {
                write!(f, "{fault}")?;
                concerns.iter().try_for_each(|name| write!(f, " ({name})"))
            }
        }
    }
}

/// What a run gave.
#[derive(Debug)]
pub struct SimResult {
    /// How it ended.
    pub status: Status,
    /// Cycles from the first fetch to the end.
    pub cycles: Cycle,
    /// Cycles until the runtime sequence began; 0 if the file doesn't mark it.
    pub config_cycles: Cycle,
    /// All arguments as they are now, by index.
    pub outputs: Vec<HostBuffer>,
    /// What was moved from and to each argument, by index.
    pub traffic: BTreeMap<u32, BufferTraffic>,
    /// The array at the end.
    pub array: Array,
    /// The controllers at the end.
    pub machine: Machine,
    /// What a completed run left unfinished.
    pub leftovers: Vec<LeftoverReport>,
    /// What was found about the order of accesses, if races were looked for.
    pub races: Option<RaceFindings>,
    /// What was recorded, in order of time, unless there was [`SimOptions::scratch`].
    pub trace: Vec<TraceRecord>,
    /// What was recorded in scratch files.
    pub spilled_trace: RefCell<Option<SpilledTrace>>,
    /// Names and source lines, if the file has them.
    pub debug: Option<DebugInfo>,
}

impl SimResult {
    /// The arguments that the run read, by index.
    pub fn read_arguments(&self) -> Vec<u32> {
        let read = self.traffic.iter();
        let read = read.filter(|(_, traffic)| traffic.bytes_read > 0);
        read.map(|(index, _)| *index).collect()
    }

    /// Cycles of the runtime sequence.
    pub fn run_cycles(&self) -> Cycle {
        self.cycles - self.config_cycles
    }

    /// Shows what was recorded, in order of time.
    ///
    /// # Errors
    /// A scratch file couldn't be written or can't be read; what a visit ended with.
    pub fn each_record(
        &self,
        visit: &mut dyn FnMut(&TraceRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut *self.spilled_trace.borrow_mut() {
            Some(spilled) => spilled.each(&self.array, visit),
            None => self.trace.iter().try_for_each(visit),
        }
    }

    /// Contents of an argument at the end.
    pub fn output(&self, index: u32) -> Option<&[u8]> {
        self.outputs
            .iter()
            .find(|b| b.index == index)
            .map(|b| b.bytes.as_slice())
    }
}

/// Runs a control code file with host buffers as arguments. Arguments that the file knows and
/// that are not given start as zeros.
pub fn simulate(
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
) -> Result<SimResult, SimError> {
    simulate_watched(file, arguments, options, &mut |_| ControlFlow::Continue(()))
}

/// How far a run has come.
pub struct Progress<'a> {
    /// The cycle.
    pub cycle: Cycle,
    /// Since when cores have computed, or controllers polled, and nothing else has happened.
    pub quiet_since: Cycle,
    machine: &'a Machine,
    array: &'a Array,
    debug: Option<&'a DebugInfo>,
}

impl Progress<'_> {
    /// Who is at work, in words.
    pub fn activity(&self) -> String {
        diagnosis::limit(self.machine, self.array, self.debug).to_string()
    }
}

/// Receives the progress of a run; the run goes on, or ends as at its limit.
pub type Watcher<'w> = &'w mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>;

/// [`simulate`], reporting every now and then how far it has come.
pub fn simulate_watched(
    file: &[u8],
    arguments: Vec<HostBuffer>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> Result<SimResult, SimError> {
    simulate_file(None, file, arguments, options, watcher)
}

/// [`simulate`] on an array that something else left: with whatever still goes on there, but for
/// the tokens that its controllers didn't take. Cycles count from now on.
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
    let ControlElf {
        instances, debug, ..
    } = elf::read(file).map_err(|diag| SimError::Elf(Box::new(diag)))?;
    let device = pick_device(options, debug.as_ref())?;
    let count = instances.len();
    let wanted = options.instance;
    let instance = instances.into_iter().find(|i| i.number == wanted);
    let instance = instance.ok_or(SimError::NoInstance { wanted, count })?;
    let arguments = complete_arguments(arguments, debug.as_ref())?;

    let (timing, cert_timing) = timings(device, options);
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
    Ok(execute(
        (array, machine),
        &loaded.arguments,
        debug,
        options,
        watcher,
    ))
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
    let refused = |diag: Diag| SimError::Npu(Box::new(diag));
    let device = match &options.device {
        Some(_) => pick_device(options, None)?,
        None => input.device().map_err(refused)?,
    };
    input.check_device(device).map_err(refused)?;
    let (timing, firmware_timing) = timings(device, options);
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
    Ok(execute(
        (array, machine),
        &loaded.arguments,
        debug,
        options,
        watcher,
    ))
}

/// Times of the array and of its controllers.
fn timings(device: &DeviceModel, options: &SimOptions) -> (Timing, CertTiming) {
    match options.timing {
        true => (Timing::of(device.arch()), CertTiming::MODEL),
        false => (Timing::fast(device.arch()), CertTiming::fast()),
    }
}

/// Runs controllers and array to the end.
fn execute(
    (mut array, mut machine): (Array, Machine),
    arguments: &BTreeMap<u32, (BufferId, u64)>,
    debug: Option<DebugInfo>,
    options: &SimOptions,
    watcher: Watcher<'_>,
) -> SimResult {
    let start = array.now();
    array.set_kernels(options.kernels.clone());
    array.set_core_engine(options.core_engine.clone());
    array.set_core_strict(options.core_strict);
    array.bind_cores(options.bound_cores.clone());
    if options.report_unmapped {
        array.only_report_unmapped();
    }
    if options.exact {
        array.move_word_by_word();
    }
    if let Some(seed) = options.jitter {
        array.jitter(seed);
        machine.shared.jitter = Jitter::seeded(!seed);
    }
    if options.races {
        array.watch_races();
        give_buffers(&mut array);
    }
    record(options, &mut array);
    machine.shared.reach_for_all(ProbePoint::Begin, start);

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
    let end = drive::run(&mut driven, limits, &mut |_| {});
    array.end_races(machine.time(), matches!(end, RunEnd::Completed));
    if matches!(end, RunEnd::Completed) {
        let end = machine.time();
        machine.shared.reach_for_all(ProbePoint::End, end);
    }
    let status = match end {
        RunEnd::Completed => Status::Completed,
        RunEnd::Breakpoint(which, record) => {
            Status::Stopped(Box::new(StopReason::Breakpoint(which, record)))
        }
        RunEnd::Until(cycle) => Status::Stopped(Box::new(StopReason::Until(cycle))),
        RunEnd::Limit | RunEnd::Interrupted => {
            let limit = diagnosis::limit(&machine, &array, debug.as_ref());
            let interrupted = matches!(end, RunEnd::Interrupted);
            Status::Limit(Box::new(Limit {
                interrupted,
                ..limit
            }))
        }
        RunEnd::Deadlock => Status::Deadlock(Box::new(diagnosis::diagnose(
            &machine,
            &array,
            debug.as_ref(),
        ))),
        RunEnd::Fault(RunFault::Cert(fault)) => {
            let source = fault
                .site()
                .and_then(|site| diagnosis::source_of(site, debug.as_ref()));
            Status::Fault(SimFault::Cert { fault, source })
        }
        RunEnd::Fault(RunFault::Array(fault)) => {
            let concerns = diagnosis::concerned(&fault, &array, debug.as_ref());
            Status::Fault(SimFault::Array { fault, concerns })
        }
    };
    let cycles = match &status {
        Status::Completed => machine.time(),
        _ => machine.time().max(array.now()),
    };
    let cycles = cycles - start;
    let run_began = match &machine.firmware {
        Some(firmware) => firmware.run_began,
        None => machine.shared.run_began.unwrap_or(start),
    };
    let config_cycles = run_began.saturating_sub(start).min(cycles);
    let outputs = outputs(arguments, &array);
    let traffic = arguments.iter();
    let traffic = traffic.map(|(index, (id, _))| (*index, array.host.traffic(*id)));
    let traffic = traffic.collect();
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

/// Lets the array record what the options ask for.
fn record(options: &SimOptions, array: &mut Array) {
    match options.recording {
        Recording::Nothing => {}
        Recording::Totals => {
            array.keep_totals();
            array.profile_cores();
            array.watch_words(0, 0);
        }
        Recording::Trace { from, limit } => {
            array.profile_cores();
            array.keep_totals();
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

/// What was recorded, in order of time.
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

/// Controllers and array on one clock, as the loop of all machines drives them.
struct ControlledArray<'a> {
    machine: &'a mut Machine,
    array: &'a mut Array,
    /// When a controller acts next, as [`Drive::next`] found it.
    controllers: Option<Cycle>,
    /// When the array has its next event, as [`Drive::next`] found it.
    events: Option<Cycle>,
    debug: Option<&'a DebugInfo>,
    watcher: Watcher<'a>,
}

impl Drive for ControlledArray<'_> {
    type Fault = RunFault;
    type Hit = TraceRecord;

    fn now(&self) -> Cycle {
        self.array.now()
    }

    fn next(&mut self) -> Option<Cycle> {
        (self.controllers, self.events) = (self.machine.next(), self.array.next_event());
        match (self.controllers, self.events) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (at, None) | (None, at) => at,
        }
    }

    fn step(&mut self, last: Cycle) -> Result<(), Halt<RunFault>> {
        let (machine, array) = (&mut *self.machine, &mut *self.array);
        let stopped = |fault| Halt::Fault(RunFault::Cert(fault));
        if let Some(at) = self.events
            && self.controllers.is_none_or(|c| at <= c)
        {
            let slice = last.min(at + SLICE);
            array.advance_until_news(self.controllers.unwrap_or(slice).min(slice));
            machine.deliver(array);
            return Ok(());
        }
        if self.events.is_none() && machine.only_polls() {
            // the array is still: unless a look finds what it waits for, nothing ever will
            return match machine.look_again(array) {
                Ok(true) => Ok(()),
                Ok(false) => Err(Halt::Deadlock),
                Err(fault) => Err(stopped(fault)),
            };
        }
        machine.step(array).map_err(stopped)
    }

    fn is_done(&self) -> bool {
        self.machine.is_done()
    }

    fn fault(&self) -> Option<RunFault> {
        self.array.faults().first().cloned().map(RunFault::Array)
    }

    fn hit(&self) -> Option<(usize, TraceRecord)> {
        self.array.stopped()
    }

    fn is_interrupted(&mut self) -> bool {
        let progress = Progress {
            cycle: self.array.now(),
            quiet_since: self.machine.last_progress().max(self.array.last_movement()),
            machine: self.machine,
            array: self.array,
            debug: self.debug,
        };
        (self.watcher)(&progress).is_break()
    }

    fn advance(&mut self, to: Cycle) {
        self.array.advance(to);
    }
}

/// What ends a run that went wrong.
enum RunFault {
    Cert(CertFault),
    Array(Fault),
}
