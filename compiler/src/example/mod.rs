//! `aiec example`: the main job on a folder of `examples/`. Compiles the design, runs the ELF on
//! the inputs of the folder, compares the outputs and says what it took.

mod resources;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_aie::ops::Device;
use aiec_cert::elf;
use aiec_diag::{Diag, Reported};
use aiec_emit::Emit;
use aiec_sim::{SimResult, Status};

use crate::args::{ExampleArgs, Timing};
use crate::codes;
use crate::design_compiler::Compiler;
use crate::emit_kinds::find_kind;
use crate::example::resources::Resources;
use crate::inputs::arguments::{KnownArguments, numbered_files};
use crate::inputs::element::Tolerance;
use crate::inputs::expected;
use crate::io::output::Outputs;
use crate::io::{Exit, Io};
use crate::session::Session;
use crate::sim::{self, SimulatedProgram};

/// Output beside the ELF for a person to look at.
const PICTURE: &str = "routing-svg";

/// Runs the example; the exit code.
pub fn run(args: &ExampleArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::new(args.design.diagnostics.unwrap_or_default());
    let result = try_run(args, &mut session, io);
    session.flush_diagnostics(io);
    result.unwrap_or(Exit::BadInput)
}

fn try_run(args: &ExampleArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Exit, Reported> {
    let folder = &args.folder;
    if !design(args).exists() {
        check_folder(folder, session)?;
    }
    let inputs = files(folder, "arg", session)?;
    let outputs = files(folder, "expected", session)?;
    let built = build(args, session, io)?;
    let control = elf::read(&built.elf).map_err(|diag| session.fail(diag))?;
    let known = KnownArguments::of(&control);
    let mut buffers = BTreeMap::new();
    for (index, path) in by_number(&inputs) {
        let bytes = session.read_data(path, io)?;
        buffers.insert(index, known.contents(index, path, bytes, session)?);
    }
    let expected = expected::read(by_number(&outputs), &known, session, io)?;
    for (index, bytes) in &expected {
        buffers
            .entry(*index)
            .or_insert_with(|| vec![0; bytes.len()]);
    }
    let program = SimulatedProgram::ControlCode(built.elf.clone());
    let result = sim::execute(&program, &buffers, &sim::with_timing(Timing::On), io)
        .map_err(|error| session.fail(sim::cannot_run(&error)))?;
    let wrong = match result.status {
        Status::Completed => {
            expected::report(&result, &expected, &known, Tolerance::default(), session)
        }
        _ => {
            session.push(sim::ending(&result, &session.sources));
            0
        }
    };
    let files = write(args, &built, &result, &expected, session, io)?;
    let verdict = match (&result.status, wrong) {
        (Status::Completed, 0) if expected.is_empty() => "completed".to_string(),
        (Status::Completed, 0) => "completed, all outputs as expected".to_string(),
        (Status::Completed, _) => format!("completed, {wrong} outputs are WRONG"),
        (status, _) => status.name().to_string(),
    };
    let summary = format!(
        "{} on {}: {verdict}\n{}  {:<14}{} bytes of ELF\n  {:<14}{}\n  {:<14}{files}\n",
        name(folder),
        built.device,
        built.resources.lines(),
        "control code",
        built.elf.len(),
        "cycles",
        sim::summary::cycles(&result),
        "files",
    );
    let printed = crate::print(io, &summary);
    Ok(match (&result.status, wrong) {
        (Status::Completed, 0) => printed,
        (Status::Completed, _) => Exit::BadInput,
        _ => Exit::SimulationFailed,
    })
}

/// A compiled example.
struct CompiledExample {
    device: String,
    resources: Resources,
    elf: Vec<u8>,
    picture: Option<Vec<u8>>,
}

fn build(
    args: &ExampleArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<CompiledExample, Reported> {
    let path = design(args);
    let bytes = session.read(&path, io)?;
    let mut compiler = Compiler::new(&args.design, session, io);
    let mut module = compiler.parse(&path, bytes)?;
    let devices = module.find_all::<Device>(module.top());
    let device = devices.first().and_then(|device| device.model(&module));
    let device = device.map_or("no device", |model| model.name()).to_string();
    compiler.route(&mut module)?;
    let resources = Resources::of(&module);
    let picture = match find_kind(PICTURE).map(|kind| kind.emit) {
        Some(Emit::Routing(emit)) => {
            let (sources, diags) = (&compiler.session.sources, &mut compiler.session.diags);
            Some(emit(&module, None, sources, diags)?)
        }
        _ => None,
    };
    let elf = compiler.elf_of_routed(&mut module)?;
    Ok(CompiledExample {
        device,
        resources,
        elf,
        picture,
    })
}

/// The design for the device of the command line: `design.DEVICE.mlir` if there is one.
fn design(args: &ExampleArgs) -> PathBuf {
    let own = args
        .design
        .device
        .map(|device| format!("design.{}.mlir", device.name()));
    let own = own
        .map(|name| args.folder.join(name))
        .filter(|path| path.exists());
    own.unwrap_or_else(|| args.folder.join("design.mlir"))
}

/// Refuses a folder whose examples are one below it, and the example of another machine.
fn check_folder(folder: &Path, session: &mut Session) -> Result<(), Reported> {
    let below = fs::read_dir(folder).into_iter().flatten().flatten();
    let examples = below.filter(|entry| entry.path().join("design.mlir").exists());
    let name = folder.display();
    let (message, help) = match examples.map(|entry| entry.path()).min() {
        Some(first) => (
            format!("{name} isn't an example, it holds some"),
            format!("name one of them, such as {}", first.display()),
        ),
        None if folder.join("README.md").exists() => (
            format!("{name} has no design.mlir"),
            format!(
                "it is for another machine, which `aiec sim` runs: {name}/README.md has its commands"
            ),
        ),
        None => return Ok(()),
    };
    let diag = Diag::error(&codes::CANNOT_READ, message).help(help);
    Err(session.fail(diag))
}

fn name(folder: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn files(
    folder: &Path,
    stem: &str,
    session: &mut Session,
) -> Result<BTreeMap<u32, PathBuf>, Reported> {
    numbered_files(folder, stem).map_err(|error| {
        let message = format!("cannot read {}: {error}", folder.display());
        let help = "give a folder of examples/, for example examples/scale";
        session.fail(Diag::error(&codes::CANNOT_READ, message).help(help))
    })
}

fn by_number(files: &BTreeMap<u32, PathBuf>) -> impl Iterator<Item = (u32, &PathBuf)> {
    files.iter().map(|(index, path)| (*index, path))
}

/// Writes what the run left; the names of the files, for the summary.
fn write(
    args: &ExampleArgs,
    built: &CompiledExample,
    result: &SimResult,
    expected: &BTreeMap<u32, Vec<u8>>,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<String, Reported> {
    let folder = args
        .output
        .join(format!("{}-{}", name(&args.folder), built.device));
    let mut files = vec![("design.elf".to_string(), built.elf.clone())];
    if let Some(picture) = &built.picture {
        files.push(("routing.svg".to_string(), picture.clone()));
    }
    let report = format!("{:#}\n", aiec_sim::report(result));
    files.push(("report.json".to_string(), report.into_bytes()));
    if result.status == Status::Completed {
        for index in expected.keys() {
            let bytes = result.output(*index).unwrap_or_default();
            files.push((format!("out{index}.bin"), bytes.to_vec()));
        }
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let summary = format!("{}: {}", folder.display(), names.join(", "));
    let mut outputs = Outputs::new();
    for (name, bytes) in files {
        outputs.add(folder.join(name), bytes);
    }
    outputs.write_to(io).map_err(|diag| session.fail(diag))?;
    Ok(summary)
}
