//! Takes a design from its text to the ELF that is written or simulated.

use std::path::Path;

use aiec_aie::ir::Module;
use aiec_diag::{Diag, Reported, Severity};
use aiec_emit::ctrl::{self, ControlProgram};
use aiec_emit::npu::NpuOptions;
use aiec_passes::allocate;
use aiec_passes::flows::control_overlay;
use aiec_passes::infra::manager::PassStep;
use aiec_passes::infra::pass::PassDef;
use aiec_passes::jobs::program::ControlCodeOptions;
use aiec_passes::objectfifo;
use aiec_passes::pipelines;
use aiec_passes::place::place_tiles;
use aiec_passes::reconfigure::DEFAULT_RECONFIGURE;
use aiec_passes::reconfigure::prologue::DEFAULT_PROLOGUE;
use aiec_sim::SimOptions;
use aiec_sim::core::CoreSettings;

use crate::args::{CorePrograms, DesignArgs, SimArgs};
use crate::core_compiler;
use crate::inputs::kernels;
use crate::io::Io;
use crate::session::{ControlCodeForms, Session};
use crate::throughput;

/// The pass that divides the work.
const JOBS_PASS: &str = "emit-jobs";

/// Takes a design through the passes.
pub struct Compiler<'a, 'io> {
    /// Options about designs.
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
        self.route_observed(module, &mut |_, _| ())
    }

    /// Routes a module; `placed` gets it before the router, when all that has an address or a number has it.
    pub fn route_observed(
        &mut self,
        module: &mut Module,
        placed: &mut dyn FnMut(&Module, &mut Session),
    ) -> Result<(), Reported> {
        let mut steps = routing_steps(self.design);
        let router = steps.split_off(steps.len().saturating_sub(1));
        self.run(module, &steps)?;
        placed(module, self.session);
        self.run(module, &router)?;
        if self.session.keeps_dataflow {
            self.session.dataflow = aiec_emit::dataflow::dataflows(module, &self.session.sources);
        }
        if self.design.core_report {
            let (sources, diags) = (&self.session.sources, &mut self.session.diags);
            let text = core_compiler::core_report::text(module, sources, diags)?;
            // As for all messages: a stream that can't be written doesn't end a compilation.
            let _ = self.io.stderr.write_all(&text);
        }
        Ok(())
    }

    /// Runs passes on a module.
    pub fn run(&mut self, module: &mut Module, steps: &[PassStep]) -> Result<(), Reported> {
        self.session.run_passes(module, steps, self.design, self.io)
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
    /// are.
    pub fn routed_to_simulate(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        args: &SimArgs,
        options: &SimOptions,
    ) -> Result<Module, Reported> {
        let mut module = self.parse(path, bytes)?;
        kernels::check(&module, &options.kernels, &mut self.session.diags)?;
        self.route(&mut module)?;
        let runs_machine_code = args.core_programs() == Some(CorePrograms::Machine);
        if self.session.keeps_bound {
            // Functions of the user's own are called in the run only.
            let are_known = !runs_machine_code && args.run.kernels.is_empty();
            let cores = are_known.then(|| CoreSettings::new(options.kernels.clone()));
            self.session.bound_cycles = throughput::run_cycles(&module, cores, options.timing);
        }
        if runs_machine_code {
            self.machine_code(&mut module)?;
        }
        Ok(module)
    }

    /// Gives the cores of a routed module that have a body machine code of it.
    ///
    /// # Errors
    /// A core has an operation without machine code, or its code fits no program memory.
    pub fn machine_code(&mut self, module: &mut Module) -> Result<(), Reported> {
        let (sources, diags) = (&self.session.sources, &mut self.session.diags);
        core_compiler::generate(module, sources, diags)
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

/// Options of control code, from the command line.
pub fn choice(design: &DesignArgs) -> ControlCodeOptions {
    let name = |name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        name.trim_start_matches('@').to_string()
    };
    ControlCodeOptions {
        jobs: design.jobs,
        reconfigure: design.reconfigure.unwrap_or(DEFAULT_RECONFIGURE),
        prologue: design.prologue.unwrap_or(DEFAULT_PROLOGUE),
        device: name(&design.main_device),
        sequence: name(&design.sequence),
    }
}

/// The device and sequence to make files for Ryzen AI of.
pub fn npu_options(choice: &ControlCodeOptions) -> NpuOptions {
    NpuOptions {
        device: choice.device.clone(),
        sequence: choice.sequence.clone(),
        ..NpuOptions::default()
    }
}

/// The passes of a compilation up to the router, which is the last one.
fn routing_steps(design: &DesignArgs) -> Vec<PassStep> {
    let mut steps = pipelines::compile_steps();
    steps.retain(|step| step.pass.name != JOBS_PASS);
    let mut set = |pass: &PassDef, option: &'static str, value: Option<&str>| {
        let Some(value) = value else {
            return;
        };
        let with = |step: PassStep| {
            if step.pass.name == pass.name {
                step.with(option, value)
            } else {
                step
            }
        };
        steps = std::mem::take(&mut steps).into_iter().map(with).collect();
    };
    let scheme = design.alloc_scheme.as_deref();
    set(
        &allocate::assign_buffer_addresses::PASS,
        "alloc-scheme",
        scheme,
    );
    let packets = design.packet_fifos.then_some("true");
    set(&objectfifo::PASS, "packet-sw-objFifos", packets);
    let cores = design.cores_per_col.as_deref();
    set(&place_tiles::PASS, "cores-per-col", cores);
    if design.control_overlay {
        // Before object fifos, which then leave its channels alone.
        let first = objectfifo::register_objectfifos::PASS.name;
        let at = steps.iter().position(|step| step.pass.name == first);
        let overlay = PassStep::new(&control_overlay::PASS).with("route-shim-to-tile-ctrl", "true");
        steps.insert(at.unwrap_or(0), overlay);
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
    options: &SimOptions,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    let mut compiler = Compiler::new(&args.design, session, io);
    let mut module = compiler.routed_to_simulate(path, bytes, args, options)?;
    compiler.elf_of_routed(&mut module)
}
