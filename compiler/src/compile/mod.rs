//! `aiec design.mlir`: compiles a design and writes the requested outputs.

pub mod aiecc;
pub mod aiecc_outputs;

use std::path::{Path, PathBuf};

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView};
use aiec_diag::{Diag, Reported};
use aiec_emit::npu::NpuOptions;
use aiec_emit::routings::OtherRouting;
use aiec_emit::{Emit, EmitKind, Stage};

use crate::args::{CompileArgs, CorePrograms, Timing};
use crate::codes;
use crate::core_compiler;
use crate::design_compiler::{self, Compiler, choice};
use crate::emit_kinds::{Emission, EmittedFiles};
use crate::inputs::kernels;
use crate::io::output::{KEY, Outputs, STANDARD_STREAM, template};
use crate::io::{Exit, Io};
use crate::session::{ControlCodeForms, Session};
use crate::sim::{self, SimulatedProgram};

/// Prefix of the router's codes.
const ROUTER_CODES: &str = "route::";

/// Compiles; the exit code.
pub fn run(args: &CompileArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::new(args.design.diagnostics.unwrap_or_default());
    session.timing = args.timing;
    let result = compile(args, &mut session, io);
    session.flush_diagnostics(io);
    result.unwrap_or(Exit::BadInput)
}

fn compile(args: &CompileArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Exit, Reported> {
    let input = input(args);
    let bytes = session.read(input, io)?;
    let xclbin_input = match &args.xclbin_input {
        Some(path) => Some(session.read_data(path, io)?),
        None => None,
    };
    let npu_options = npu_options(args, xclbin_input);
    let mut compiler = Compiler::new(&args.design, session, io);
    compiler.session.keeps_dataflow = args.run.page.is_some();
    let mut module = compiler.parse(input, bytes)?;
    let clang = match &args.peano {
        Some(folder) if args.aiecc.needs_peano(args, &module) => {
            Some(core_compiler::find(folder, &mut compiler.session.diags)?)
        }
        _ => None,
    };
    let mut options = sim::with_timing(Timing::On);
    if args.simulate {
        options.kernels = kernels::bind(&args.run, compiler.session)?;
        kernels::check(&module, &options.kernels, &mut compiler.session.diags)?;
    }
    let other = match &args.compare_routing {
        Some(path) => Some(routed(path, args, &mut compiler)?),
        None => None,
    };
    let mut outputs = Outputs::new();
    // Input of the simulation where it differs from the output.
    let mut bodies = None;
    let mut code = None;
    let wanted = ControlCodeForms {
        program: args.simulate || emits(args, |emit| matches!(emit, Emit::Program(_))),
        operations: emits(args, |emit| matches!(emit, Emit::One(_))),
    };
    for stage in Stage::ALL {
        let emits_nothing = args.emit.iter().all(|kind| kind.needs < stage);
        if !args.simulate && emits_nothing && !args.aiecc.needs(stage) {
            break;
        }
        if stage == Stage::MachineCode {
            if let Some(clang) = &clang {
                bodies = args.simulate.then(|| module.clone());
                let folder = input.parent().unwrap_or(Path::new(""));
                core_compiler::compile(&mut module, clang, folder, &mut compiler.session.diags)?;
            } else if machine_code(args) {
                compiler.machine_code(&mut module)?;
            }
        }
        match stage {
            Stage::Routed => {
                if let Some((other, file)) = &other {
                    compare_devices(&module, other, file, compiler.session)?;
                }
                let mut placed = |module: &Module, session: &mut Session| {
                    args.aiecc.placed(module, session, &mut outputs);
                };
                if let Err(Reported) = compiler.route_observed(&mut module, &mut placed) {
                    return picture_failure(args, &module, other.as_ref(), outputs, &mut compiler);
                }
            }
            Stage::MachineCode => {
                let extras = &args.aiecc;
                extras.with_machine_code(&module, &npu_options, &mut compiler, &mut outputs)?;
            }
            Stage::ControlCode => code = compiler.control_code(&mut module, wanted)?,
        }
        for kind in args.emit.iter().filter(|kind| kind.needs == stage) {
            let wanted = Emission {
                module: &module,
                code: code.as_ref(),
                other: other.as_ref(),
                choice: &choice(&args.design),
                npu: &npu_options,
            };
            let (sources, diags) = (&compiler.session.sources, &mut compiler.session.diags);
            match wanted.emit(&kind.emit, sources, diags)? {
                None => {}
                Some(EmittedFiles::File(content)) => {
                    let mut path = place(args, kind);
                    if path.to_string_lossy().contains(KEY) {
                        let key = aiecc_outputs::key(kind, &module, &npu_options, diags)?;
                        path = template(&path, &key);
                    }
                    outputs.add(path, content);
                }
                Some(EmittedFiles::Parts(parts)) => {
                    for (name, content) in parts {
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
    if args.emit.iter().any(|kind| kind.for_cert()) {
        note_devices_without_cert(&module, session);
    }
    if let Some(code) = code.as_ref().filter(|code| code.program.groups.is_empty()) {
        let message = "this design configures nothing and runs nothing: its control code is empty";
        session.push(
            Diag::warning(&codes::EMPTY_DESIGN, message)
                .label(module.span(code.device.op()), "")
                .help("give it cores, flows or a runtime sequence; `aiec sim` refuses empty files"),
        );
    }
    session.diags.check()?;
    let exit = match elf {
        Some(elf) => {
            let program = SimulatedProgram::ControlCode(elf);
            sim::simulate(
                &program,
                (&args.design, &args.run),
                options,
                &mut outputs,
                session,
                io,
            )?
        }
        None => Exit::Done,
    };
    let written = session.write(outputs, io);
    if io.ends_process {
        std::mem::forget((module, code));
    }
    written.map(|()| exit)
}

/// The design to compare routings with, routed, and its name.
fn routed(
    path: &Path,
    args: &CompileArgs,
    compiler: &mut Compiler<'_, '_>,
) -> Result<(Module, String), Reported> {
    if !args
        .emit
        .iter()
        .any(|kind| matches!(kind.emit, Emit::Routing(_)))
    {
        let message = "--compare-routing is for --emit=routing-svg and --emit=routing-html";
        let diag = Diag::error(&codes::NOTHING_TO_COMPARE, message);
        let diag = diag.help("add --emit=routing-html, or leave --compare-routing out");
        return Err(compiler.session.fail(diag));
    }
    let bytes = compiler.session.read(path, compiler.io)?;
    let mut module = compiler.parse(path, bytes)?;
    compiler.route(&mut module)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((module, name.to_string_lossy().into_owned()))
}

/// Refuses a design to compare with that has none of this design's devices, by name, nor a single one.
fn compare_devices(
    module: &Module,
    other: &Module,
    file: &str,
    session: &mut Session,
) -> Result<(), Reported> {
    let names = |module: &Module| {
        let devices = module.find_all::<Device>(module.top()).into_iter();
        devices
            .map(|device| device.name(module))
            .collect::<Vec<_>>()
    };
    let (names, others) = (names(module), names(other));
    if others.len() == 1 || others.iter().any(|name| names.contains(name)) {
        return Ok(());
    }
    let message = format!(
        "{file} has no device to compare with: neither a single one nor @{}",
        names.join(" nor @")
    );
    let diag = Diag::error(&codes::NOTHING_TO_COMPARE, message);
    Err(session.fail(diag.help("give its devices the names of this design's")))
}

/// Writes pictures of a routing that failed, with as many flows as fit, and lets the findings name
/// them.
fn picture_failure(
    args: &CompileArgs,
    module: &Module,
    other: Option<&(Module, String)>,
    mut outputs: Outputs,
    compiler: &mut Compiler<'_, '_>,
) -> Result<Exit, Reported> {
    let of_router = |diag: &Diag| diag.code.id.starts_with(ROUTER_CODES);
    if !compiler.session.diags.iter().any(of_router) {
        return Err(Reported);
    }
    let mut names = Vec::new();
    for kind in &args.emit {
        if let Emit::Routing(emit) = kind.emit {
            let other = other.map(|(module, file)| OtherRouting { module, file });
            let (sources, diags) = (&compiler.session.sources, &mut compiler.session.diags);
            let content = emit(module, other.as_ref(), sources, diags)?;
            let place = place(args, kind);
            names.push(if place.as_os_str() == STANDARD_STREAM {
                "on standard output".to_string()
            } else {
                format!("in {}", place.display())
            });
            outputs.add(place, content);
        }
    }
    if names.is_empty() {
        return Err(Reported);
    }
    let remark = format!("a picture of what can be routed is {}", names.join(" and "));
    let diags = std::mem::take(&mut compiler.session.diags)
        .into_vec()
        .into_iter();
    let named = diags.map(|diag| {
        if of_router(&diag) {
            diag.remark(remark.clone())
        } else {
            diag
        }
    });
    compiler.session.diags.extend(named);
    // The picture was written, and the routing has failed all the same.
    compiler.session.write(outputs, compiler.io)?;
    Err(Reported)
}

/// Options of files for Ryzen AI, from the command line.
fn npu_options(args: &CompileArgs, xclbin_input: Option<Vec<u8>>) -> NpuOptions {
    NpuOptions {
        model_cores: args.core == Some(CorePrograms::Model),
        kernel: args.kernel.clone(),
        instance: args.instance.clone(),
        kernel_id: args.kernel_id,
        unfolded: args.aiecc.unfolded,
        expand_loads: args.aiecc.expand_loads,
        xclbin_input,
        ..design_compiler::npu_options(&choice(&args.design))
    }
}

/// Whether cores with bodies get machine code: as asked, else where something is written that hardware loads or
/// that is made of it.
fn machine_code(args: &CompileArgs) -> bool {
    args.core.map_or_else(
        || {
            args.emit.iter().any(|kind| kind.holds_core_programs())
                || args.aiecc.needs(Stage::MachineCode)
        },
        |core| core == CorePrograms::Machine,
    )
}

/// Whether a kind of control code is written by such an emitter.
fn emits(args: &CompileArgs, by: impl Fn(&Emit) -> bool) -> bool {
    let mut kinds = args.emit.iter();
    kinds.any(|kind| kind.needs == Stage::ControlCode && by(&kind.emit))
}

/// The design's file; clap refuses a command line without one.
fn input(args: &CompileArgs) -> &Path {
    let standard = Path::new(STANDARD_STREAM);
    args.input.as_deref().unwrap_or(standard)
}

/// Says once that the control code of a device without micro-controllers runs in the simulator
/// only.
fn note_devices_without_cert(module: &Module, session: &mut Session) {
    let devices = module.find_all::<Device>(module.top());
    let models = devices.iter().filter_map(|device| device.model(module));
    if let Some(model) = models.into_iter().find(|model| !model.has_cert()) {
        let name = model.name();
        let message = if name.starts_with("npu") {
            format!(
                "this control code is for the simulator; `aiec build` writes what the driver of {name} loads"
            )
        } else {
            format!("this control code is for the simulator: {name} runs none")
        };
        session.push(Diag::note(&codes::NO_CERT, message));
    }
}

/// The file of a kind: the design's name and the kind's ending.
pub fn file_name(input: &Path, kind: &EmitKind) -> String {
    let stem = if input.as_os_str() == STANDARD_STREAM {
        "design".into()
    } else {
        input.file_stem().unwrap_or_default().to_string_lossy()
    };
    format!("{stem}.{}", kind.extension)
}

/// Where a part of a kind of several files is written: into the folder that `-o` names, or the
/// current one, under the part's name; to standard output if `-o` says so.
fn part_place(args: &CompileArgs, kind: &EmitKind, name: &str) -> PathBuf {
    let file = format!("{name}.{}", kind.extension);
    if let Some((_, place)) = args.places.iter().find(|(name, _)| *name == kind.name) {
        return template(place, name);
    }
    match &args.output {
        Some(path) if path.as_os_str() == STANDARD_STREAM => path.clone(),
        Some(folder) => folder.join(file),
        None => PathBuf::from(file),
    }
}

/// Where a kind is written: as `-o` says; else text to standard output and the rest into the
/// current folder under the design's name.
fn place(args: &CompileArgs, kind: &EmitKind) -> PathBuf {
    let name = file_name(input(args), kind);
    if let Some((_, place)) = args.places.iter().find(|(name, _)| *name == kind.name) {
        return place.clone();
    }
    match (&args.output, args.emit.len()) {
        (Some(path), 1) => path.clone(),
        (Some(path), _) if path.as_os_str() == STANDARD_STREAM => path.clone(),
        (Some(folder), _) => folder.join(name),
        (None, 1) if kind.text => PathBuf::from(STANDARD_STREAM),
        (None, _) => PathBuf::from(name),
    }
}
