//! `aiec design.mlir`: compiles a design and writes what was asked for.

use std::path::{Path, PathBuf};

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView};
use aiec_diag::{Diag, Reported, Severity};
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

/// The pass after which a module is routed.
const ROUTING_PASS: &str = "aie-create-pathfinder-flows";

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
    for stage in Stage::ALL {
        if !args.simulate && args.emit.iter().all(|kind| kind.needs < stage) {
            break;
        }
        if let (Stage::ControlCode, Some(clang)) = (stage, &clang) {
            bodies = args.simulate.then(|| module.clone());
            let folder = input.parent().unwrap_or(Path::new(""));
            core_compiler::compile(&mut module, clang, folder, &mut compiler.session.diags)?;
        }
        compiler.lower(&mut module, stage)?;
        if args.simulate && stage == Stage::Routed {
            compiler.core_engine(&module, &args.run, &mut options)?;
        }
        for kind in args.emit.iter().filter(|kind| kind.needs == stage) {
            let (sources, diags) = (&compiler.session.sources, &mut compiler.session.diags);
            match kind.emit {
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
    let elf = match (args.simulate, bodies) {
        (false, _) => None,
        (true, None) => Some(compiler.elf(&module)?),
        (true, Some(bodies)) => Some(compiler.bodies_elf(bodies)?),
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

    /// Takes a module from the stage before to a stage.
    pub fn lower(&mut self, module: &mut Module, stage: Stage) -> Result<(), Reported> {
        self.session
            .run_passes(module, &steps(stage, self.design), self.design, self.io)
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
        let lowered = quiet.lower(&mut bodies, Stage::ControlCode);
        let elf = lowered.and_then(|()| quiet.elf(&bodies));
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

    /// The ELF of a module that holds control code.
    pub fn elf(&mut self, module: &Module) -> Result<Vec<u8>, Reported> {
        let elf = aiec_emit::ctrl::elf(module, &self.session.sources, &mut self.session.diags)?;
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

/// The passes that take a module from the stage before to a stage.
fn steps(stage: Stage, design: &DesignArgs) -> Vec<Step> {
    let mut routed = pipelines::compile_steps();
    let routing = routed
        .iter()
        .position(|step| step.pass.name == ROUTING_PASS);
    let control_code = routed.split_off(routing.map_or(routed.len(), |at| at + 1));
    let choice = choice(design);
    let control_code = control_code
        .into_iter()
        .map(|step| match step.pass.name == JOBS_PASS {
            true => step
                .with("jobs", choice.jobs.name())
                .with("reconfigure", choice.reconfigure.name())
                .with("prologue", choice.prologue.name())
                .with("device-name", choice.device.as_str())
                .with("sequence", choice.sequence.as_str()),
            false => step,
        });
    match stage {
        Stage::Routed => routed,
        Stage::ControlCode => control_code.collect(),
    }
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
    for stage in Stage::ALL {
        compiler.lower(&mut module, stage)?;
        if stage == Stage::Routed {
            compiler.core_engine(&module, &args.run, options)?;
        }
    }
    compiler.elf(&module)
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
