//! A program of `aiec sim` for a debugger: prepared from the same command line, run as often as it takes.

use std::path::PathBuf;

use aiec_cert::elf::ControlElf;
use aiec_cert::program::SourceLoc;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported};
use aiec_sim::array::{BreakCondition, Breakpoint};
use aiec_sim::{HostBuffer, LiveRun, SimError, SimOptions};

use super::prepared::{PreparedRun, places};
use super::stops::Breakpoints;
use super::{SimulatedProgram, dumps, options, program};
use crate::args::{RunArgs, SimArgs};
use crate::inputs::kernels;
use crate::io::Io;
use crate::session::Session;

/// A program with its names and the buffers of its arguments.
#[derive(Debug)]
pub struct DebugTarget {
    program: SimulatedProgram,
    control: ControlElf,
    device: &'static DeviceModel,
    options: SimOptions,
    buffers: Vec<HostBuffer>,
}

impl DebugTarget {
    /// Reads and checks a command line, and compiles the design.
    ///
    /// # Errors
    /// Findings that refuse the run are in the session.
    pub fn prepare(
        args: &SimArgs,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<DebugTarget, Reported> {
        let input = args.input.clone().unwrap_or_default();
        let bytes = session.read(&input, io)?;
        let mut options = options(args);
        options.kernels = kernels::bind(&args.run, session)?;
        let program = program(args, &input, bytes, &mut options, session, io)?;
        let run = RunArgs {
            cores: args.core_targets(),
            ..args.run.clone()
        };
        let commands = (&args.design, &run);
        let prepared = PreparedRun::prepare(&program, commands, options, session, io)?;
        let (control, device, mut options, arguments) = prepared.into_debug_parts();
        // A debugger shows no findings about the order of accesses.
        options.races = false;
        let buffers = arguments.buffers.into_iter();
        let buffers = buffers.map(|(index, bytes)| HostBuffer { index, bytes });
        Ok(DebugTarget {
            control,
            device,
            options,
            buffers: buffers.collect(),
            program,
        })
    }

    /// A run that has not begun.
    ///
    /// # Errors
    /// The program can't be loaded.
    pub fn begin(&self) -> Result<LiveRun, SimError> {
        let buffers = self.buffers.clone();
        match &self.program {
            SimulatedProgram::ControlCode(elf) => {
                LiveRun::of_control_code(elf, buffers, &self.options)
            }
            SimulatedProgram::Npu(input, debug) => {
                LiveRun::of_npu(input, debug.clone(), buffers, &self.options)
            }
        }
    }

    /// Names and lines of the program, and its code.
    pub fn control(&self) -> &ControlElf {
        &self.control
    }

    /// Where each line of the source begins.
    pub fn lines(&self) -> Vec<(SourceLoc, BreakCondition)> {
        let debug = self.control.debug.iter();
        let mut lines: Vec<_> = debug.flat_map(BreakCondition::of_lines).collect();
        if let SimulatedProgram::Npu(input, _) = &self.program {
            let operations = input.lines.iter();
            lines.extend(operations.map(|(at, line)| (*line, BreakCondition::Operation(*at))));
        }
        lines
    }

    /// The conditions of a place of `--break`.
    ///
    /// # Errors
    /// The place doesn't exist.
    pub fn breakpoints_of(&self, place: &str) -> Result<Vec<Breakpoint>, Vec<Diag>> {
        let places = places(&self.control, self.device, &self.options);
        let mut session = Session::default();
        let read = Breakpoints::read(&[place.to_string()], &places, &mut session);
        let read = read.map(|stops| stops.breakpoints);
        read.map_err(|Reported| session.diags.into_vec())
    }

    /// The first instructions of the functions of cores with a name.
    pub fn function(&self, name: &str) -> Vec<Breakpoint> {
        let debug = self.control.debug.iter();
        let programs = debug.flat_map(|debug| &debug.programs);
        let firsts = programs.flat_map(|program| {
            let tile = TileLoc::new(program.column, program.row);
            let named = program.functions.iter().filter(|mark| mark.name == name);
            named.map(move |mark| BreakCondition::CoreInstruction(tile, program.checksum, mark.at))
        });
        firsts.map(|on| Breakpoint { on, times: 1 }).collect()
    }

    /// The text of a place of `--dump`.
    ///
    /// # Errors
    /// The place doesn't exist.
    pub fn dump(&self, place: &str, run: &mut LiveRun) -> Result<String, Vec<Diag>> {
        let places = places(&self.control, self.device, &self.options);
        let mut session = Session::default();
        let read = dumps::read(&[place.to_string()], &places, &mut session);
        let read = read.map_err(|Reported| session.diags.into_vec())?;
        let shown = read
            .iter()
            .map(|(title, dump)| dumps::show(title, dump, run));
        Ok(shown.collect())
    }
}

/// Options of `aiec sim` that a run under a debugger has no use for, with whether each is given.
pub fn useless_options(args: &SimArgs) -> impl Iterator<Item = &'static str> {
    let run = &args.run;
    let files = |list: &[(u32, PathBuf)]| !list.is_empty();
    let all = [
        ("--break", !run.breaks.is_empty()),
        ("--until", run.until.is_some()),
        ("--dump", !run.dumps.is_empty()),
        ("--trace", run.trace.is_some()),
        ("--report", run.report.is_some()),
        ("--page", run.page.is_some()),
        ("--profile", run.profile.is_some()),
        ("--out", files(&run.outs)),
        ("--expect", files(&run.expected)),
        ("--probe-body-out", files(&run.probe_bodies_out)),
        ("--watch", args.watch),
        ("--report-schema", args.report_schema),
    ];
    let given = all.into_iter().filter(|(_, given)| *given);
    given.map(|(name, _)| name)
}
