//! Takes a design from its text to the ELF that is written or simulated.

use std::path::Path;

use aiec_aie::ir::Module;
use aiec_diag::{Diag, Reported, Severity};
use aiec_emit::ctrl::{self, ControlProgram};
use aiec_emit::npu::NpuChoice;
use aiec_passes::allocate;
use aiec_passes::infra::manager::PassStep;
use aiec_passes::jobs::program::Choice;
use aiec_passes::pipelines;
use aiec_passes::reconfigure::DEFAULT_RECONFIGURE;
use aiec_passes::reconfigure::prologue::DEFAULT_PROLOGUE;
use aiec_sim::SimOptions;

use crate::args::{CoreEngine, DesignArgs, RunArgs, SimArgs};
use crate::io::Io;
use crate::session::{ControlCodeForms, Session};
use crate::{core_compiler, kernels, mlir};

/// The pass that divides the work.
const JOBS_PASS: &str = "emit-jobs";

/// Takes a design through the passes.
pub struct Compiler<'a, 'io> {
    /// What the command line says of designs.
    pub design: &'a DesignArgs,
    /// Sources and findings.
    pub session: &'a mut Session,
    /// The streams.
    pub io: &'a mut Io<'io>,
}

impl<'a, 'io> Compiler<'a, 'io> {
    /// A compiler of designs with these options.
    pub fn new(design: &'a DesignArgs, session: &'a mut Session, io: &'a mut Io<'io>) -> Self {
        Compiler {
            design,
            session,
            io,
        }
    }

    /// Parses and verifies a design.
    pub fn parse(&mut self, path: &Path, bytes: Vec<u8>) -> Result<Module, Reported> {
        let file = self.session.add_text(path, bytes)?;
        self.session.design(file, self.design)
    }

    /// Routes a module.
    pub fn route(&mut self, module: &mut Module) -> Result<(), Reported> {
        self.session
            .run_passes(module, &routing_steps(self.design), self.design, self.io)?;
        if self.session.keeps_dataflow {
            self.session.dataflow = aiec_emit::dataflow::dataflows(module, &self.session.sources);
        }
        Ok(())
    }

    /// The control code of a routed module.
    pub fn control_code(
        &mut self,
        module: &mut Module,
        wanted: ControlCodeForms,
    ) -> Result<Option<ControlProgram>, Reported> {
        let choice = choice(self.design);
        self.session
            .run_jobs(module, &choice, wanted, self.design, self.io)
    }

    /// The ELF for the simulator of a routed module whose cores have bodies, next to one with
    /// machine code: findings that both have are reported once.
    pub fn bodies_elf(&mut self, mut bodies: Module) -> Result<Vec<u8>, Reported> {
        let design = DesignArgs {
            print_ir_after: None,
            verify_with_mlir: false,
            ..self.design.clone()
        };
        let said = std::mem::take(&mut self.session.diags);
        let timing = std::mem::replace(&mut self.session.timing, false);
        let mut quiet = Compiler::new(&design, self.session, self.io);
        let elf = quiet.elf_of_routed(&mut bodies);
        self.session.timing = timing;
        let again = std::mem::replace(&mut self.session.diags, said).into_vec();
        let errors = again.into_iter();
        let errors = errors.filter(|diag| diag.severity == Severity::Error);
        self.session.diags.extend(errors);
        let message = "the simulation runs the cores' bodies, not their machine code";
        let note = Diag::note(&core_compiler::BODIES_RUN, message)
            .help("the data are the same unless the core compiler computes otherwise");
        self.session.push(note);
        elf
    }

    /// Parses, checks and routes a design that is simulated: its cores call no other kernels than there
    /// are, and get the engine that executes them.
    pub fn routed_to_simulate(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        args: &SimArgs,
        options: &mut SimOptions,
    ) -> Result<Module, Reported> {
        let mut module = self.parse(path, bytes)?;
        kernels::check(&module, &options.kernels, &mut self.session.diags)?;
        self.route(&mut module)?;
        self.core_engine(&module, &args.run, options)?;
        Ok(module)
    }

    /// Lets the engine that the command line names execute the cores of a routed module.
    pub fn core_engine(
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
        match self.control_code(module, ControlCodeForms::PROGRAM)? {
            Some(code) => self.elf(module, &code),
            None => Err(Reported),
        }
    }

    /// The ELF of a module's control code.
    pub fn elf(&mut self, module: &Module, code: &ControlProgram) -> Result<Vec<u8>, Reported> {
        let (sources, diags) = (&self.session.sources, &mut self.session.diags);
        let elf = ctrl::elf(module, code, sources, diags)?;
        self.session.diags.check()?;
        Ok(elf)
    }
}

/// What the command line says of the division of work.
pub fn choice(design: &DesignArgs) -> Choice {
    let name = |name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        name.trim_start_matches('@').to_string()
    };
    Choice {
        jobs: design.jobs,
        reconfigure: design.reconfigure.unwrap_or(DEFAULT_RECONFIGURE),
        prologue: design.prologue.unwrap_or(DEFAULT_PROLOGUE),
        device: name(&design.main_device),
        sequence: name(&design.sequence),
    }
}

/// The device and sequence to make files for Ryzen AI of.
pub fn npu_choice(choice: &Choice) -> NpuChoice {
    NpuChoice {
        device: choice.device.clone(),
        sequence: choice.sequence.clone(),
        ..NpuChoice::default()
    }
}

/// The passes of a compilation up to the router, which is the last one.
fn routing_steps(design: &DesignArgs) -> Vec<PassStep> {
    let mut steps = pipelines::compile_steps();
    steps.retain(|step| step.pass.name != JOBS_PASS);
    if let Some(scheme) = &design.alloc_scheme {
        let name = allocate::assign_buffer_addresses::PASS.name;
        let place = |step: PassStep| match step.pass.name == name {
            true => step.with("alloc-scheme", scheme.as_str()),
            false => step,
        };
        steps = steps.into_iter().map(place).collect();
    }
    if let Some(arbiters) = &design.arbiters
        && let Some(routing) = steps.pop()
    {
        steps.push(routing.with("arbiters", arbiters.as_str()));
    }
    steps
}

/// The ELF of a design that is simulated.
pub fn to_elf(
    path: &Path,
    bytes: Vec<u8>,
    args: &SimArgs,
    options: &mut SimOptions,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    let mut compiler = Compiler::new(&args.design, session, io);
    let mut module = compiler.routed_to_simulate(path, bytes, args, options)?;
    compiler.elf_of_routed(&mut module)
}
