//! `aiec design.mlir`: compiles a design and writes what was asked for.

use std::path::{Path, PathBuf};

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView};
use aiec_diag::{Diag, Reported, Severity};
use aiec_emit::ctrl::{self, ControlProgram};
use aiec_emit::{Emit, EmitKind, Stage};
use aiec_passes::infra::manager::Step;
use aiec_passes::jobs::DEFAULT_JOBS;
use aiec_passes::jobs::program::Choice;
use aiec_passes::pipelines;
use aiec_passes::reconfigure::DEFAULT_RECONFIGURE;
use aiec_passes::reconfigure::prologue::DEFAULT_PROLOGUE;
use aiec_sim::SimOptions;

use crate::args::{CompileArgs, CoreEngine, DesignArgs, RunArgs, SimArgs, Timing};
use crate::codes;
use crate::core_compiler;
use crate::io::{Exit, Io};
use crate::kernels;
use crate::mlir;
use crate::output::{Outputs, STANDARD_STREAM};
use crate::session::Session;
use crate::sim;

/// The pass that divides the work.
const JOBS_PASS: &str = "emit-jobs";

/// Compiles; the exit code.
pub fn run(args: &CompileArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::new(args.design.diagnostics.unwrap_or_default());
    session.timing = args.timing;
    let exit = match compile(args, &mut session, io) {
        Ok(exit) => exit,
        Err(Reported) => Exit::BadInput,
    };
    session.say(io);
    exit
}

fn compile(args: &CompileArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Exit, Reported> {
    let input = input(args);
    let clang = match &args.peano {
        Some(folder) => Some(core_compiler::find(folder, &mut session.diags)?),
        None => None,
    };
    let bytes = session.read(input, io)?;
    let mut compiler = Compiler {
        design: &args.design,
        session,
        io,
    };
    let mut module = compiler.parse(input, bytes)?;
    let mut options = sim::with_timing(Timing::On);
    if args.simulate {
        options.kernels = kernels::bind(&args.run, compiler.session)?;
        kernels::check(&module, &options.kernels, &mut compiler.session.diags)?;
    }
    let mut outputs = Outputs::new();
    // What is simulated if it isn't what is written.
    let mut bodies = None;
    let mut code = None;
    let wanted = Wanted {
        program: args.simulate || emits(args, |emit| matches!(emit, Emit::Program(_))),
        operations: emits(args, |emit| matches!(emit, Emit::One(_))),
    };
    for stage in Stage::ALL {
        if !args.simulate && args.emit.iter().all(|kind| kind.needs < stage) {
            break;
        }
        if let (Stage::ControlCode, Some(clang)) = (stage, &clang) {
            bodies = args.simulate.then(|| module.clone());
            let folder = input.parent().unwrap_or(Path::new(""));
            core_compiler::compile(&mut module, clang, folder, &mut compiler.session.diags)?;
        }
        match stage {
            Stage::Routed => compiler.route(&mut module)?,
            Stage::ControlCode => code = compiler.control_code(&mut module, wanted)?,
        }
        if args.simulate && stage == Stage::Routed {
            compiler.core_engine(&module, &args.run, &mut options)?;
        }
        for kind in args.emit.iter().filter(|kind| kind.needs == stage) {
            let (sources, diags) = (&compiler.session.sources, &mut compiler.session.diags);
            match kind.emit {
                Emit::Program(emit) => {
                    if let Some(code) = &code {
                        outputs.add(place(args, kind), emit(&module, code, sources, diags)?);
                    }
                }
                Emit::One(emit) => {
                    outputs.add(place(args, kind), emit(&module, sources, diags)?);
                }
                Emit::Work(emit) => {
                    let choice = choice(&args.design);
                    outputs.add(place(args, kind), emit(&module, &choice, diags)?);
                }
                Emit::Parts(emit) => {
                    for (name, content) in emit(&module, sources, diags)? {
                        outputs.add(part_place(args, kind, &name), content);
                    }
                }
            }
        }
    }
    let elf = match (args.simulate, bodies, &code) {
        (true, Some(bodies), _) => Some(compiler.bodies_elf(bodies)?),
        (true, None, Some(code)) => Some(compiler.elf(&module, code)?),
        _ => None,
    };
    if args.emit.iter().any(|kind| kind.for_cert) {
        note_devices_without_cert(&module, session);
    }
    session.diags.check()?;
    let exit = match elf {
        Some(elf) => sim::simulate(&elf, &args.run, options, &mut outputs, session, io)?,
        None => Exit::Done,
    };
    match outputs.write(io.stdout) {
        Ok(()) => Ok(exit),
        Err(diag) => Err(session.diags.fail(diag)),
    }
}

/// Whether a kind of control code is written by such an emitter.
fn emits(args: &CompileArgs, by: impl Fn(&Emit) -> bool) -> bool {
    let mut kinds = args.emit.iter();
    kinds.any(|kind| kind.needs == Stage::ControlCode && by(&kind.emit))
}

/// What of a module's control code is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The program.
    pub program: bool,
    /// Operations in the module.
    pub operations: bool,
}

impl Wanted {
    /// The program alone.
    pub const PROGRAM: Wanted = Wanted {
        program: true,
        operations: false,
    };
}

/// The design's file; clap refuses a command line without one.
fn input(args: &CompileArgs) -> &Path {
    let standard = Path::new(STANDARD_STREAM);
    args.input.as_deref().unwrap_or(standard)
}

/// A design on its way down.
pub struct Compiler<'a, 'io> {
    /// What the command line says of designs.
    pub design: &'a DesignArgs,
    /// Sources and findings.
    pub session: &'a mut Session,
    /// The streams.
    pub io: &'a mut Io<'io>,
}

impl Compiler<'_, '_> {
    /// Parses and verifies a design.
    pub fn parse(&mut self, path: &Path, bytes: Vec<u8>) -> Result<Module, Reported> {
        let file = self.session.add_text(path, bytes)?;
        self.session.design(file, self.design)
    }

    /// Routes a module.
    pub fn route(&mut self, module: &mut Module) -> Result<(), Reported> {
        self.session
            .run_passes(module, &routing_steps(self.design), self.design, self.io)
    }

    /// The control code of a routed module.
    fn control_code(
        &mut self,
        module: &mut Module,
        wanted: Wanted,
    ) -> Result<Option<ControlProgram>, Reported> {
        let choice = choice(self.design);
        self.session
            .run_jobs(module, &choice, wanted, self.design, self.io)
    }

    /// The ELF for the simulator of a routed module whose cores have bodies, next to one with
    /// machine code: what both would say has been said.
    fn bodies_elf(&mut self, mut bodies: Module) -> Result<Vec<u8>, Reported> {
        let design = DesignArgs {
            print_ir_after: None,
            verify_with_mlir: false,
            ..self.design.clone()
        };
        let said = std::mem::take(&mut self.session.diags);
        let timing = std::mem::replace(&mut self.session.timing, false);
        let mut quiet = Compiler {
            design: &design,
            session: self.session,
            io: self.io,
        };
        let elf = quiet.elf_of_routed(&mut bodies);
        self.session.timing = timing;
        let again = std::mem::replace(&mut self.session.diags, said).into_vec();
        let errors = again.into_iter();
        let errors = errors.filter(|diag| diag.severity == Severity::Error);
        self.session.diags.extend(errors);
        let message = "the simulation runs the cores' bodies, not their machine code";
        let note = Diag::note(&core_compiler::BODIES_RUN, message)
            .help("the data are the same unless the core compiler computes otherwise");
        self.session.diags.push(note);
        elf
    }

    /// Lets the engine that the command line names execute the cores of a routed module.
    fn core_engine(
        &mut self,
        module: &Module,
        run: &RunArgs,
        options: &mut SimOptions,
    ) -> Result<(), Reported> {
        if run.core_engine == CoreEngine::Mlir {
            let diags = &mut self.session.diags;
            options.core_engine = mlir::core_engine(module, &options.kernels, diags)?;
        }
        Ok(())
    }

    /// The ELF of a routed module.
    pub fn elf_of_routed(&mut self, module: &mut Module) -> Result<Vec<u8>, Reported> {
        match self.control_code(module, Wanted::PROGRAM)? {
            Some(code) => self.elf(module, &code),
            None => Err(Reported),
        }
    }

    /// The ELF of a module's control code.
    fn elf(&mut self, module: &Module, code: &ControlProgram) -> Result<Vec<u8>, Reported> {
        let (sources, diags) = (&self.session.sources, &mut self.session.diags);
        let elf = ctrl::elf(module, code, sources, diags)?;
        self.session.diags.check()?;
        Ok(elf)
    }
}

/// What the command line says of the division of work.
fn choice(design: &DesignArgs) -> Choice {
    let name = |name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        name.trim_start_matches('@').to_string()
    };
    Choice {
        jobs: design.jobs.unwrap_or(DEFAULT_JOBS),
        reconfigure: design.reconfigure.unwrap_or(DEFAULT_RECONFIGURE),
        prologue: design.prologue.unwrap_or(DEFAULT_PROLOGUE),
        device: name(&design.main_device),
        sequence: name(&design.sequence),
    }
}

/// The passes of a compilation up to the router, which is the last one.
fn routing_steps(design: &DesignArgs) -> Vec<Step> {
    let mut steps = pipelines::compile_steps();
    steps.retain(|step| step.pass.name != JOBS_PASS);
    if let (Some(arbiters), Some(routing)) = (&design.arbiters, steps.pop()) {
        steps.push(routing.with("arbiters", arbiters.as_str()));
    }
    steps
}

/// The ELF of a design that is simulated: it is checked first that the cores call no other kernels
/// than there are, and they get the engine that executes them.
pub fn to_elf(
    path: &Path,
    bytes: Vec<u8>,
    args: &SimArgs,
    options: &mut SimOptions,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    let mut compiler = Compiler {
        design: &args.design,
        session,
        io,
    };
    let mut module = compiler.parse(path, bytes)?;
    kernels::check(&module, &options.kernels, &mut compiler.session.diags)?;
    compiler.route(&mut module)?;
    compiler.core_engine(&module, &args.run, options)?;
    compiler.elf_of_routed(&mut module)
}

/// Says once that the control code of a device without micro-controllers runs in the simulator
/// only.
fn note_devices_without_cert(module: &Module, session: &mut Session) {
    let devices = module.find_all::<Device>(module.top());
    let without = devices.iter().find_map(|device| {
        let model = device.model(module)?;
        (!model.has_cert()).then_some((model, module.span(device.op())))
    });
    if let Some((model, span)) = without {
        let message = format!(
            "{} has no CERT: its control code is for the simulator only",
            model.name()
        );
        session.diags.push(
            Diag::note(&codes::NO_CERT, message)
                .label(span, "")
                .help("xcve3858 is the device that runs control code"),
        );
    }
}

/// Where a part of a kind of several files is written: into the folder that `-o` names, or the
/// current one, under the part's name; to standard output if `-o` says so.
fn part_place(args: &CompileArgs, kind: &EmitKind, name: &str) -> PathBuf {
    let file = format!("{name}.{}", kind.extension);
    match &args.output {
        Some(path) if path.as_os_str() == STANDARD_STREAM => path.clone(),
        Some(folder) => folder.join(file),
        None => PathBuf::from(file),
    }
}

/// Where a kind is written: as `-o` says; else text to standard output and the rest into the
/// current folder under the design's name.
fn place(args: &CompileArgs, kind: &EmitKind) -> PathBuf {
    let input = input(args);
    let stem = match input.as_os_str() == STANDARD_STREAM {
        true => "design".into(),
        false => input.file_stem().unwrap_or_default().to_string_lossy(),
    };
    let name = format!("{stem}.{}", kind.extension);
    match (&args.output, args.emit.len()) {
        (Some(path), 1) => path.clone(),
        (Some(path), _) if path.as_os_str() == STANDARD_STREAM => path.clone(),
        (Some(folder), _) => folder.join(name),
        (None, 1) if kind.text => PathBuf::from(STANDARD_STREAM),
        (None, _) => PathBuf::from(name),
    }
}
