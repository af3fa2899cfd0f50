//! `aiec` as a library: designs are compiled from a text in memory and run on buffers in memory, by
//! the functions that the commands call, without streams. The Python package is made of it.
//!
//! Options are those of the command line, as it spells them.

mod host_files;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use aiec_aie::ir::Module;
use aiec_cert::debug::Argument;
use aiec_cert::elf;
use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_diag::{Diag, Reported, SourceMap, did_you_mean};
use aiec_emit::ctrl::ControlProgram;
use aiec_emit::{Emit, EmitKind, Stage};
use aiec_sim::core::Kernel;
use aiec_sim::trace::Format;
use aiec_sim::{HostBuffer, SimError, SimOptions, SimReport, SimResult, Status};
use clap::Parser;
use serde_json::Value;

use crate::args::{DesignArgs, SimArgs};
use crate::core_compiler;
use crate::design_compiler::{Compiler, choice, npu_options};
pub use crate::emit_kinds::EmittedFiles;
use crate::emit_kinds::{Emission, all_kinds, find_kind};
use crate::inputs::arguments::{KnownArguments, element_of};
use crate::inputs::kernels;
use crate::io::diagnostics;
use crate::io::{Io, Terminal};
use crate::session::{ControlCodeForms, Session};
use crate::sim;
pub use host_files::{HostFiles, XclbinContents, xclbin_contents};

/// A finding, for programs and for people.
#[derive(Clone, Debug)]
pub struct Finding {
    /// As `--diagnostics=json` writes it.
    pub value: Value,
    /// As a terminal shows it.
    pub rendered: String,
}

/// Why something could not be done.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An option is wrong.
    Options(String),
    /// The input is wrong: all findings, with at least one error.
    Findings(Vec<Finding>),
}

/// An argument of a runtime sequence.
#[derive(Clone, Debug)]
pub struct SequenceArgument {
    /// Its number.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Type of its elements in MLIR, and extents, if both are known.
    pub ty: Option<(String, Vec<u64>)>,
}

impl SequenceArgument {
    fn of(argument: &Argument) -> SequenceArgument {
        let ty = element_of(argument).map(|(ty, _)| (ty.element.clone(), ty.shape.clone()));
        SequenceArgument {
            index: argument.index,
            name: argument.name.clone(),
            bytes: argument.bytes,
            ty,
        }
    }
}

/// A compiled design.
pub struct CompiledDesign {
    options: DesignArgs,
    sources: SourceMap,
    module: Module,
    code: ControlProgram,
    elf: Vec<u8>,
    arguments: Vec<SequenceArgument>,
    findings: Vec<Finding>,
}

/// The options of a design.
#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
struct DesignOptions {
    #[command(flatten)]
    design: DesignArgs,
}

/// The options of a run.
#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
struct RunOptions {
    #[command(flatten)]
    sim: SimArgs,
}

/// Compiles a design. Diagnostics and debug information call it by its name; files that it names
/// are read from the folder of that path.
///
/// # Errors
/// An option or the design is wrong.
pub fn compile(
    name: &Path,
    text: Vec<u8>,
    options: &[OsString],
) -> Result<CompiledDesign, Failure> {
    let options = DesignOptions::try_parse_from(options).map_err(wrong_options)?;
    let mut session = Session::default();
    match compiled(name, text, &options.design, &mut session) {
        Ok((module, code, elf, arguments)) => Ok(CompiledDesign {
            options: options.design,
            findings: findings(&mut session),
            sources: session.sources,
            module,
            code,
            elf,
            arguments,
        }),
        Err(Reported) => Err(Failure::Findings(findings(&mut session))),
    }
}

type Compiled = (Module, ControlProgram, Vec<u8>, Vec<SequenceArgument>);

fn compiled(
    name: &Path,
    text: Vec<u8>,
    options: &DesignArgs,
    session: &mut Session,
) -> Result<Compiled, Reported> {
    let (module, code, elf) = silently(&mut io::sink(), |io| {
        let mut compiler = Compiler::new(options, session, io);
        let mut module = compiler.parse(name, text)?;
        compiler.route(&mut module)?;
        let code = compiler.control_code(&mut module, ControlCodeForms::PROGRAM)?;
        let code = code.ok_or(Reported)?;
        let elf = compiler.elf(&module, &code)?;
        Ok((module, code, elf))
    })?;
    let control = elf::read(&elf).map_err(|diag| session.fail(diag))?;
    let known = KnownArguments::of(&control);
    let arguments = known.declared.iter().map(SequenceArgument::of).collect();
    Ok((module, code, elf, arguments))
}

/// The kinds that [`CompiledDesign::emit`] writes, with a line on each.
pub fn emit_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    all_kinds().map(|kind| (kind.name, kind.summary))
}

/// Column and row of a device's first core tile above a shim tile with a DMA; `None` if there is no such device.
pub fn first_worker(device: &str) -> Option<(u8, u8)> {
    let model = DeviceModel::by_name(device)?;
    let has_dma = |column: u8| model.tile_kind(TileLoc::new(column, 0)) == Some(TileKind::ShimNoc);
    let mut tiles = model.tiles();
    let tile =
        tiles.find(|tile| has_dma(tile.col) && model.tile_kind(*tile) == Some(TileKind::Core))?;
    Some((tile.col, tile.row))
}

impl CompiledDesign {
    /// The control code that controllers load.
    pub fn elf(&self) -> &[u8] {
        &self.elf
    }

    /// The arguments of the runtime sequence.
    pub fn arguments(&self) -> &[SequenceArgument] {
        &self.arguments
    }

    /// Messages about a design that compiles.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Writes the design in a kind of `--emit`.
    ///
    /// # Errors
    /// There is no such kind, or the design can't be written so.
    pub fn emit(&self, kind: &str) -> Result<EmittedFiles, Failure> {
        let kind = find_kind(kind).ok_or_else(|| {
            let near = did_you_mean(kind, all_kinds().map(|kind| kind.name));
            let near = near.map(|near| format!("; did you mean '{near}'?"));
            Failure::Options(format!(
                "nothing is emitted as '{kind}'{}",
                near.unwrap_or_default()
            ))
        })?;
        let mut session = self.session();
        let operations = kind.needs == Stage::ControlCode && matches!(kind.emit, Emit::One(_));
        let emitted = self.emit_as(kind, operations, &mut session);
        let emitted = emitted.and_then(|emitted| session.diags.check().map(|()| emitted));
        let found = findings(&mut session);
        emitted.map_err(|Reported| Failure::Findings(found))
    }

    fn emit_as(
        &self,
        kind: &EmitKind,
        operations: bool,
        session: &mut Session,
    ) -> Result<EmittedFiles, Reported> {
        let changed = if operations {
            Some(self.with_operations(session)?)
        } else if kind.holds_core_programs() {
            let mut module = self.module.clone();
            core_compiler::generate(&mut module, &session.sources, &mut session.diags)?;
            Some(module)
        } else {
            None
        };
        let module = changed.as_ref().unwrap_or(&self.module);
        let (sources, diags) = (&session.sources, &mut session.diags);
        let choice = choice(&self.options);
        let wanted = Emission {
            module,
            code: Some(&self.code),
            other: None,
            npu: &npu_options(&choice),
            choice: &choice,
        };
        wanted.emit(&kind.emit, sources, diags)?.ok_or(Reported)
    }

    /// The module with its control code as operations.
    fn with_operations(&self, session: &mut Session) -> Result<Module, Reported> {
        let mut module = self.module.clone();
        silently(&mut io::sink(), |io| {
            let wanted = ControlCodeForms {
                program: false,
                operations: true,
            };
            let mut compiler = Compiler::new(&self.options, session, io);
            compiler.control_code(&mut module, wanted)
        })?;
        Ok(module)
    }

    /// Runs the design. `watch` gets the cycle every now and then and may end the run.
    ///
    /// # Errors
    /// An option is wrong, or the run cannot begin.
    pub fn run(
        &self,
        request: RunRequest,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<FinishedRun, Failure> {
        request.run(self.session(), |_, buffers, options| {
            aiec_sim::simulate_watched(&self.elf, buffers, &options, &mut |progress| {
                watch(progress.cycle)
            })
        })
    }

    /// A session on the sources of the design.
    fn session(&self) -> Session {
        Session {
            sources: self.sources.clone(),
            ..Session::default()
        }
    }
}

impl RunRequest {
    /// Runs `simulate` on its buffers with its options.
    fn run(
        self,
        mut session: Session,
        simulate: impl FnOnce(&SimArgs, Vec<HostBuffer>, SimOptions) -> Result<SimResult, SimError>,
    ) -> Result<FinishedRun, Failure> {
        let args = self.arguments()?;
        let options = self.simulation(&args, &mut session);
        let result = options.and_then(|options| {
            let result = simulate(&args, self.buffers.clone(), options);
            result.map_err(|error| session.fail(sim::cannot_run(&error)))
        });
        match result {
            Ok(result) => Ok(finished(&args, &self, &result, &mut session)),
            Err(Reported) => Err(Failure::Findings(findings(&mut session))),
        }
    }

    /// Its options, read.
    fn arguments(&self) -> Result<SimArgs, Failure> {
        let mut line = vec![OsString::from("-")];
        line.extend(self.options.iter().cloned());
        let read = RunOptions::try_parse_from(line);
        read.map(|options| options.sim).map_err(wrong_options)
    }

    /// The simulator's options, with the kernels.
    fn simulation(&self, args: &SimArgs, session: &mut Session) -> Result<SimOptions, Reported> {
        let mut options = sim::options(args);
        options.kernels = kernels::bind(&args.run, session)?;
        for (name, kernel) in &self.kernels {
            options.kernels.bind(name, kernel.clone());
        }
        sim::set_limits(&mut options, &args.run);
        let trace = !self.traces.is_empty();
        options.recording = sim::trace::recording(&args.run, trace, self.report);
        Ok(options)
    }
}

/// Inputs and options of a run.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// Contents of arguments; others start as zeros.
    pub buffers: Vec<HostBuffer>,
    /// Functions that cores call, by name.
    pub kernels: Vec<(String, Arc<dyn Kernel>)>,
    /// Options of `aiec sim`, without those that name files to write.
    pub options: Vec<OsString>,
    /// The formats in which its trace is wanted.
    pub traces: Vec<Format>,
    /// Whether its report is wanted.
    pub report: bool,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// Its outcome: `completed`, `deadlock`, `fault`, `limit` or `stopped`.
    pub status: &'static str,
    /// Cycles from the first fetch to the end.
    pub cycles: u64,
    /// Cycles until the runtime sequence began.
    pub config_cycles: u64,
    /// All arguments as they were at the end.
    pub outputs: Vec<HostBuffer>,
    /// The arguments that it read.
    pub read_arguments: Vec<u32>,
    /// Messages; the last is an error unless it completed.
    pub findings: Vec<Finding>,
    /// Text that cores printed with `aie.debug`, line by line.
    pub prints: String,
    /// The report, if it was wanted.
    pub report: Option<SimReport>,
    /// The trace in the wanted formats.
    pub traces: Vec<Vec<u8>>,
}

fn finished(
    args: &SimArgs,
    request: &RunRequest,
    result: &SimResult,
    session: &mut Session,
) -> FinishedRun {
    let mut prints = Vec::new();
    silently(&mut prints, |io| sim::print_debug_output(result, io));
    session.diags.extend(sim::remarks(result, &session.sources));
    session
        .diags
        .extend(kernels::unknown_names(result, &args.run));
    let names: BTreeSet<&String> = request.kernels.iter().map(|(name, _)| name).collect();
    let unused = names.into_iter();
    let unused = unused.filter(|name| !result.array.called_kernel(name));
    session.diags.extend(unused.map(|name| {
        kernels::never_called(format!(
            "kernel {name}: no core called an external function of that name"
        ))
    }));
    if !matches!(result.status, Status::Completed | Status::Stopped(_)) {
        session.push(sim::ending(result, &session.sources));
    }
    let traces = request.traces.iter().map(|format| {
        aiec_sim::trace::write(result, *format).unwrap_or_else(|error| {
            let error = aiec_diag::internal!("a trace in memory can't be read: {error}");
            session.push(error);
            Vec::new()
        })
    });
    let traces = traces.collect();
    let mut report = request.report.then(|| aiec_sim::report(result));
    if let Some(report) = &mut report
        && args.run.critical_path
    {
        report.critical_path = sim::trace::critical_path(result, session).ok().flatten();
    }
    FinishedRun {
        status: result.status.name(),
        cycles: result.cycles,
        config_cycles: result.config_cycles,
        outputs: result.outputs.clone(),
        read_arguments: result.read_arguments(),
        findings: findings(session),
        prints: String::from_utf8_lossy(&prints).into_owned(),
        report,
        traces,
    }
}

/// Calls a function with streams that are discarded, except for messages about results.
pub(crate) fn silently<T>(stderr: &mut dyn io::Write, call: impl FnOnce(&mut Io<'_>) -> T) -> T {
    call(&mut Io {
        stdin: &mut io::empty(),
        stdout: &mut io::sink(),
        stderr,
        terminal: Terminal::default(),
        ends_process: false,
        command_line: Vec::new(),
        files_read: Vec::new(),
    })
}

/// Takes the findings of a session.
fn findings(session: &mut Session) -> Vec<Finding> {
    let diags = std::mem::take(&mut session.diags).into_vec();
    let finding = |diag: &Diag| Finding {
        value: diagnostics::to_json(diag, &session.sources),
        rendered: diagnostics::render(diag, &session.sources, Terminal::default()),
    };
    diags.iter().map(finding).collect()
}

fn wrong_options(error: clap::Error) -> Failure {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    // The text after the message is about the use of the command.
    let message = text.split("\n\n").next().unwrap_or(text);
    Failure::Options(message.trim_end().to_string())
}
