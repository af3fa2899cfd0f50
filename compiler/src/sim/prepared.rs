//! A run in three steps: prepared from the command line, executed, presented.

use std::path::PathBuf;
use std::rc::Rc;

use aiec_cert::elf::{self, ControlElf, Instance};
use aiec_device::DeviceModel;
use aiec_diag::{Reported, Severity};
use aiec_sim::report::CriticalPathReport;
use aiec_sim::trace::Format;
use aiec_sim::{SimError, SimOptions, SimResult, Status};

use super::dumps::Dump;
use super::places::PlaceLookup;
use super::run_facts::RunFacts;
use super::smallest_depth::HangingRun;
use super::stops::Breakpoints;
use super::{
    SimulatedProgram, cannot_run, cores, dumps, ending, execute, execute_control, family_remark,
    is_table, not_clean, not_control_code, other_device, print_debug_output, probes, races,
    remarks, results, set_limits, summary, trace, unreached,
};
use crate::args::{DesignArgs, RaceCheck, RunArgs};
use crate::inputs::arguments::{self, Arguments, KnownArguments};
use crate::inputs::element::Tolerance;
use crate::inputs::expected::{self, Expected};
use crate::inputs::kernels;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::scratch::ScratchFolder;
use crate::io::{Exit, Io};
use crate::session::Session;

/// A run of which everything that the command line says was read and checked.
pub struct PreparedRun<'a> {
    program: &'a SimulatedProgram,
    design: &'a DesignArgs,
    run: &'a RunArgs,
    options: SimOptions,
    /// Names, and the code of instances where it is control code.
    control: ControlElf,
    device: &'static DeviceModel,
    stops: Breakpoints,
    dumps: Vec<(String, Dump)>,
    known: KnownArguments,
    arguments: Arguments,
    expected: Expected,
    trace: Option<(PathBuf, Format)>,
}

impl<'a> PreparedRun<'a> {
    /// Reads and checks the command line against the program, and the files that it names.
    ///
    /// # Errors
    /// Findings that refuse the run are in the session.
    pub fn prepare(
        program: &'a SimulatedProgram,
        (design, run): (&'a DesignArgs, &'a RunArgs),
        mut options: SimOptions,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<PreparedRun<'a>, Reported> {
        let (control, device) = names_and_device(program, &options, session)?;
        // A file that two results would have costs no run.
        session.refuse_collisions(results::files(run))?;
        results::refuse_to_replace_data(run, session)?;
        let debug = control.debug.as_ref();
        session.diags.extend(other_device(debug, device));
        if program.is_control_code()
            && let Some(remark) = family_remark(&control, device, options.device.is_some())
        {
            session.push(remark);
        }
        let places = places(&control, device, &options);
        let stops = Breakpoints::read(&run.breaks, &places, session)?;
        let dumps = dumps::read(&run.dumps, &places, session)?;
        options.breakpoints.clone_from(&stops.breakpoints);
        options.bound_cores = cores::bind(&run.cores, &places, session)?;
        let mut known = KnownArguments::of(&control);
        if let SimulatedProgram::Npu(input, _) = program {
            known.add_used(input.arguments_used());
        }
        let arguments = Arguments::read(run, &known, session, io)?;
        dumps::check_arguments(&dumps, &arguments.buffers, session)?;
        let files = run.expected.iter().map(|(index, path)| (*index, path));
        let expected = expected::read(files, &known, session, io)?;
        if !program.is_control_code() {
            session.diags.extend(known.unused(run));
        }
        set_limits(&mut options, run);
        options.probe_bodies = probes::read(run, session, io)?;
        let trace = trace::wanted(run.trace.as_ref(), run.trace_format, session)?;
        let totals = run.report.is_some() || run.profile.is_some();
        options.recording = trace::recording(run, trace.is_some(), totals);
        options.scratch = trace::scratch(&trace);
        if trace.is_none() && run.critical_path {
            options.scratch = Some(Rc::new(ScratchFolder::beside(None)));
        }
        Ok(PreparedRun {
            program,
            design,
            run,
            options,
            control,
            device,
            stops,
            dumps,
            known,
            arguments,
            expected,
            trace,
        })
    }

    /// The parts of it that a debugger needs.
    pub fn into_debug_parts(self) -> (ControlElf, &'static DeviceModel, SimOptions, Arguments) {
        (self.control, self.device, self.options, self.arguments)
    }

    /// Runs it. A deadlock because of fifos that are too shallow is run again with deeper ones, for the finding.
    ///
    /// # Errors
    /// The program can't begin.
    pub fn execute(&self, session: &mut Session, io: &mut Io<'_>) -> Result<SimResult, Reported> {
        let buffers = &self.arguments.buffers;
        let result = match self.program {
            SimulatedProgram::ControlCode(_) => {
                execute_control(&self.control, buffers, &self.options, io)
            }
            program => execute(program, buffers, &self.options, io),
        };
        let mut result = result.map_err(|error| session.fail(cannot_run(&error)))?;
        if let Status::Deadlock(deadlock) = &mut result.status
            && self.program.is_control_code()
        {
            let hanging = HangingRun {
                design: self.design,
                options: &self.options,
                buffers,
            };
            hanging.explain(deadlock, session.design_text(), io);
        }
        Ok(result)
    }

    /// Adds the results and the findings, and says how the run ended; the exit code.
    ///
    /// # Errors
    /// A trace can't be written.
    pub fn present(
        &self,
        result: &mut SimResult,
        outputs: &mut Outputs,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<Exit, Reported> {
        let path = if self.run.critical_path {
            trace::critical_path(result, session)?
        } else {
            None
        };
        self.add_reports(result, path, outputs, session);
        print_debug_output(result, io);
        self.add_trace(result, outputs, session)?;
        let is_clean = self.add_findings(result, session);
        for (title, dump) in &self.dumps {
            outputs.add(STANDARD_STREAM, dumps::show(title, dump, result));
        }
        match result.status {
            Status::Stopped(_) => {
                summary::print_outcome("stopped", result, self.run, io);
                Ok(Exit::Done)
            }
            Status::Completed => Ok(self.complete(result, is_clean, outputs, session, io)),
            Status::Deadlock(_) | Status::Fault(_) | Status::Limit(_) => {
                summary::print_summary(result, self.run, io);
                let ending = ending(result, &session.sources);
                session.push(cores::with_stubs(ending, result));
                Ok(Exit::SimulationFailed)
            }
        }
    }

    /// Adds the files that show what each part did.
    fn add_reports(
        &self,
        result: &SimResult,
        critical_path: Option<CriticalPathReport>,
        outputs: &mut Outputs,
        session: &Session,
    ) {
        let run = self.run;
        if let Some(path) = &critical_path {
            let mut text = aiec_sim::report::critical_path_table(path);
            text.extend(session.bound_cycles.map(|bound| {
                let run = result.run_cycles();
                aiec_sim::report::bound_line(bound, run) + "\n"
            }));
            outputs.add(STANDARD_STREAM, text);
        }
        if let Some(path) = &run.report {
            let mut report = aiec_sim::report(result);
            report.critical_path = critical_path;
            report.bound_cycles = session.bound_cycles;
            let text = if is_table(path) {
                aiec_sim::report::table(&report)
            } else {
                format!("{report:#}\n")
            };
            outputs.add(path.clone(), text);
        }
        probes::write(run, result, outputs);
        if let Some(path) = &run.page {
            let mut report = aiec_sim::report(result);
            report.bound_cycles = session.bound_cycles;
            let page = aiec_emit::dataflow::page(&session.dataflow, Some(&RunFacts::of(&report)));
            outputs.add(path.clone(), page);
        }
        if let Some(path) = &run.profile {
            outputs.add(path.clone(), aiec_sim::report::folded(result));
        }
    }

    fn add_trace(
        &self,
        result: &SimResult,
        outputs: &mut Outputs,
        session: &mut Session,
    ) -> Result<(), Reported> {
        let Some((path, format)) = &self.trace else {
            return Ok(());
        };
        let scratch = self.options.scratch.as_ref();
        trace::write(result, path, *format, scratch, outputs).map_err(|diag| session.fail(diag))?;
        if let Some(diag) = trace::is_full(result) {
            session.push(diag);
        }
        Ok(())
    }

    /// Adds the findings besides how the run ended; whether none of them is more than a note.
    fn add_findings(&self, result: &SimResult, session: &mut Session) -> bool {
        let run = self.run;
        let remarks = remarks(result, &session.sources);
        let is_clean = remarks.iter().all(|diag| diag.severity == Severity::Note);
        session.diags.extend(remarks);
        session.diags.extend(kernels::unknown_names(result, run));
        session.diags.extend(self.stops.say(run.until, result));
        let places = places(&self.control, self.device, &self.options);
        let never_enabled = cores::never_enabled(&run.cores, &places, result);
        session.diags.extend(never_enabled);
        is_clean
    }

    /// Adds the outputs of a run that completed, and compares them with those that are expected.
    fn complete(
        &self,
        result: &SimResult,
        is_clean: bool,
        outputs: &mut Outputs,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Exit {
        let (run, known) = (self.run, &self.known);
        let read = result.read_arguments();
        session
            .diags
            .extend(arguments::not_given(run, known, &read));
        session
            .diags
            .extend(unreached::warning(&self.options, result));
        Arguments::write(run, known, &result.outputs, outputs);
        summary::print_outcome("completed", result, run, io);
        let tolerance = Tolerance {
            relative: run.rtol,
            absolute: run.atol,
        };
        match expected::report(result, &self.expected, known, tolerance, session) {
            0 if run.races == RaceCheck::Error && races::any(result) => Exit::SimulationFailed,
            0 if run.strict && !is_clean => {
                session.push(not_clean());
                Exit::SimulationFailed
            }
            0 => Exit::Done,
            _ => Exit::BadInput,
        }
    }
}

/// The names that a program has, and the device that it is for.
fn names_and_device(
    program: &SimulatedProgram,
    options: &SimOptions,
    session: &mut Session,
) -> Result<(ControlElf, &'static DeviceModel), Reported> {
    let (control, device) = match program {
        SimulatedProgram::ControlCode(elf) => {
            let control = elf::read(elf);
            let control = control.map_err(|e| session.fail(not_control_code(&e)))?;
            let device = aiec_sim::run::pick_device(options, control.debug.as_ref());
            (control, device)
        }
        SimulatedProgram::Npu(input, debug) => {
            let device = match &options.device {
                Some(_) => aiec_sim::run::pick_device(options, None),
                None => input.device().map_err(|diag| SimError::Npu(Box::new(diag))),
            };
            let control = ControlElf {
                debug: debug.clone(),
                ..ControlElf::default()
            };
            (control, device)
        }
    };
    let device = device.map_err(|error| session.fail(cannot_run(&error)))?;
    Ok((control, device))
}

/// Look-up of places in the program that runs.
pub fn places<'c>(
    control: &'c ControlElf,
    device: &'static DeviceModel,
    options: &SimOptions,
) -> PlaceLookup<'c> {
    let is_run = |instance: &&Instance| instance.number == options.instance;
    PlaceLookup {
        debug: control.debug.as_ref(),
        device,
        code: control.instances.iter().find(is_run),
    }
}
