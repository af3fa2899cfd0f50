//! One run of the driver on one set of inputs: the sources it read and the findings so far.

mod reproducer;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aiec_aie::ir::Module;
use aiec_aie::ops::{Core, Device, OpView};
use aiec_aie::text::{self, PrintOptions};
use aiec_aie::verify::{VerifyMode, verify_as};
use aiec_codegen::link_functions::{self, Library};
use aiec_codegen::{CorePrograms, kernels};
use aiec_device::DeviceModel;
use aiec_diag::{
    BROKEN_INVARIANT, Diag, Diags, FileId, Reported, SourceFile, SourceMap, did_you_mean,
};
use aiec_emit::dataflow::graph::Dataflow;
use aiec_passes::flows::find_flows::routing::RoutingRequest;
use aiec_passes::infra::manager::{self, Observer, PassStep, StepReport};
use aiec_passes::infra::pass::PassDef;
use aiec_passes::jobs::program::ControlCodeOptions;
use aiec_passes::sequence::scalars::{self, SequenceFilter};
use aiec_passes::{jobs, route};
use indexmap::IndexMap;

use crate::args::DesignArgs;
use crate::codes;
use crate::io::diagnostics::{self, Format};
use crate::io::output::{self, Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io, Verbosity};
use crate::mlir;
use aiec_emit::ctrl::{self, ControlProgram};

/// Mark that some editors put at the start of UTF-8 texts; it is skipped.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Magic of ELF files.
pub const ELF_MAGIC: &[u8] = b"\x7fELF";

/// The bytes of a text without what some editors put in front.
pub fn without_mark(text: &[u8]) -> &[u8] {
    let mark = BYTE_ORDER_MARK.to_string();
    text.strip_prefix(mark.as_bytes()).unwrap_or(text)
}

/// Wanted forms of a module's control code.
#[derive(Clone, Copy, Debug)]
pub struct ControlCodeForms {
    /// The program.
    pub program: bool,
    /// Operations in the module.
    pub operations: bool,
}

impl ControlCodeForms {
    /// The program alone.
    pub const PROGRAM: ControlCodeForms = ControlCodeForms {
        program: true,
        operations: false,
    };
}

/// Sources and findings.
#[derive(Debug, Default)]
pub struct Session {
    /// The texts that were read.
    pub sources: SourceMap,
    /// Messages that were not written yet.
    pub diags: Diags,
    /// Form of findings.
    pub format: Format,
    /// Whether to print what each pass took.
    pub timing: bool,
    /// Strictness of the verifier.
    pub verify_mode: VerifyMode,
    /// Whether designs are printed in generic form.
    pub generic: bool,
    /// Whether the dataflow of a design is found after it is routed.
    pub keeps_dataflow: bool,
    /// That dataflow, of each device.
    pub dataflow: Vec<Dataflow>,
    /// Whether the least cycles of a run are found after a design is routed, by the costs of the run's kernels.
    pub keeps_bound: bool,
    /// These cycles, if they are known.
    pub bound_cycles: Option<u64>,
    /// The text of the first design that was read.
    pub design_file: Option<FileId>,
    /// The files that were read and that no result may replace: designs, programs, libraries.
    pub read: Vec<PathBuf>,
    /// Whether standard input was read, which can be done once.
    pub has_read_input: bool,
}

/// Runs a command in a session of its own: writes its results unless it failed, and says its findings.
pub fn run_command(
    format: Format,
    io: &mut Io<'_>,
    command: impl FnOnce(&mut Session, &mut Outputs, &mut Io<'_>) -> Result<Exit, Reported>,
) -> Exit {
    let mut session = Session::new(format);
    let mut outputs = Outputs::new();
    let result = command(&mut session, &mut outputs, io);
    let result = result.and_then(|exit| session.write(outputs, io).map(|()| exit));
    session.flush_diagnostics(io);
    result.unwrap_or(Exit::BadInput)
}

impl Session {
    /// A session that says its findings in a format.
    pub fn new(format: Format) -> Session {
        Session {
            format,
            ..Session::default()
        }
    }

    /// A session of a command that replaces one of MLIR's tools: scripts and tests that were
    /// written for those look for their form of findings, and for parts of designs.
    pub fn for_tools(args: &DesignArgs, io: &Io<'_>) -> Session {
        let format = if io.terminal.interactive {
            Format::Text
        } else {
            Format::Mlir
        };
        let mut session = Session::new(args.diagnostics.unwrap_or(format));
        session.verify_mode = VerifyMode::Fragment;
        session
    }

    /// Writes the findings so far and forgets them.
    pub fn flush_diagnostics(&mut self, io: &mut Io<'_>) {
        let mut diags = std::mem::take(&mut self.diags);
        self.keep_for_a_report(&mut diags, io);
        diagnostics::write(io.stderr, &diags, &self.sources, self.format, io.terminal);
        self.tell_files(io);
    }

    /// Adds the files that were read to those of the run.
    pub fn tell_files(&self, io: &mut Io<'_>) {
        io.files_read.extend(self.read.iter().cloned());
        let sources = (0..).map_while(|id| self.sources.file(FileId(id)));
        io.files_read
            .extend(sources.map(|file| PathBuf::from(&file.name)));
    }

    /// Lets an internal error name a file that shows it.
    fn keep_for_a_report(&self, diags: &mut Diags, io: &Io<'_>) {
        let is_internal = |diag: &Diag| diag.code.id == BROKEN_INVARIANT.id;
        let Some(error) = diags.iter().find(|diag| is_internal(diag)) else {
            return;
        };
        let folder = std::env::temp_dir();
        let remark = match reproducer::write(&io.command_line, error, &self.sources, &folder) {
            Ok(path) => format!(
                "the command line and the texts it read are in {} ; please report the error with it",
                path.display()
            ),
            Err(error) => format!("a file for a report can't be written: {error}"),
        };
        let all = std::mem::take(diags).into_vec().into_iter();
        diags.extend(all.map(|diag| {
            if is_internal(&diag) {
                diag.remark(remark.clone())
            } else {
                diag
            }
        }));
    }

    /// Writes results that replace neither each other nor a file that was read.
    pub fn write(&mut self, outputs: Outputs, io: &mut Io<'_>) -> Result<(), Reported> {
        // A run that failed has a report and a trace, too.
        let collisions = outputs.collisions(&self.read);
        if !collisions.is_empty() {
            self.diags.extend(collisions);
            return Err(Reported);
        }
        outputs.write_to(io).map_err(|diag| self.diags.fail(diag))
    }

    /// Refuses results that would replace a file that was read, or each other.
    pub fn refuse_collisions<'p>(
        &mut self,
        results: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Reported> {
        self.diags.extend(output::collisions(results, &self.read));
        self.diags.check()
    }

    /// Reads a file that no result may replace; `-` is standard input.
    pub fn read(&mut self, path: &Path, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
        self.read.push(path.to_path_buf());
        self.read_data(path, io)
    }

    /// Reads a file of data, which a result may replace; `-` is standard input.
    pub fn read_data(&mut self, path: &Path, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
        if path.as_os_str() != STANDARD_STREAM {
            io.files_read.push(path.to_path_buf());
            return self.readable(path, fs::read(path));
        }
        if self.has_read_input {
            let message = "cannot read standard input twice";
            let diag = Diag::error(&codes::CANNOT_READ, message);
            return Err(self.diags.fail(diag.help("name a file for one of the two")));
        }
        self.has_read_input = true;
        let mut bytes = Vec::new();
        let result = io.stdin.read_to_end(&mut bytes).map(|_| bytes);
        self.readable(path, result)
    }

    /// Reports why a file could not be read.
    fn readable(
        &mut self,
        path: &Path,
        result: std::io::Result<Vec<u8>>,
    ) -> Result<Vec<u8>, Reported> {
        result.map_err(|error| {
            let reason = if path.is_dir() {
                "it is a folder".to_string()
            } else {
                error.to_string()
            };
            let message = format!("cannot read {}: {reason}", input_name(path));
            let diag = Diag::error(&codes::CANNOT_READ, message);
            self.diags.fail(diag.help(instead_of(path)))
        })
    }

    /// Reports an error that ends what was asked for.
    pub fn fail(&mut self, diag: Diag) -> Reported {
        self.diags.fail(diag)
    }

    /// Reports a finding.
    pub fn push(&mut self, diag: impl Into<Diag>) {
        self.diags.push(diag);
    }

    /// Reports what is wrong with the bytes of a file that has no lines to point to: the message
    /// names the file.
    pub fn fail_in_file(&mut self, path: &Path, mut diag: Diag) -> Reported {
        diag.message = format!("{}: {}", input_name(path), diag.message);
        if diag.help.is_none() {
            diag = diag.help("is the file cut short, changed, or of another kind?");
        }
        self.diags.fail(diag)
    }

    /// Adds a text to the sources; its file, and itself without a byte order mark.
    pub fn file_and_text(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
    ) -> Result<(FileId, String), Reported> {
        let file = self.add_text(path, bytes)?;
        let text = self.sources.file(file).map(|file| file.text.clone());
        Ok((file, text.unwrap_or_default()))
    }

    /// Adds a text to the sources.
    pub fn add_text(&mut self, path: &Path, bytes: Vec<u8>) -> Result<FileId, Reported> {
        match String::from_utf8(bytes) {
            Ok(mut text) => {
                if text.starts_with(BYTE_ORDER_MARK) {
                    text.drain(..BYTE_ORDER_MARK.len_utf8());
                }
                let file = SourceFile::new(path.display().to_string(), text);
                Ok(self.sources.add(file))
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Err(self.not_text(path, error.as_bytes(), &format!("byte {at} is not UTF-8")))
            }
        }
    }

    /// Refuses bytes other than a text, which may hold other encodings in comments: ELF magic, and
    /// zero bytes unless `any_bytes`.
    pub fn require_text(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        any_bytes: bool,
    ) -> Result<Vec<u8>, Reported> {
        let zero = bytes.iter().position(|byte| *byte == 0);
        match zero.filter(|_| !any_bytes || bytes.starts_with(ELF_MAGIC)) {
            Some(at) => Err(self.not_text(path, &bytes, &format!("byte {at} is 0"))),
            None => Ok(bytes),
        }
    }

    /// Reports that a file isn't text: what else it is, or else what shows it.
    fn not_text(&mut self, path: &Path, start: &[u8], shown_by: &str) -> Reported {
        let (what, help) = if start.starts_with(ELF_MAGIC) {
            let help = "`aiec sim` runs control code ELFs, `aiec dis` lists them";
            ("it is an ELF".to_string(), help)
        } else if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            ("it is UTF-16".to_string(), "save it as UTF-8")
        } else {
            let help = "a design is text, and control code, which `aiec sim` runs, an \
                                ELF; this file is neither; files of other machines need `-t`";
            (shown_by.to_string(), help)
        };
        let message = format!("{} isn't text: {what}", input_name(path));
        let diag = Diag::error(&codes::NOT_UTF8, message);
        self.diags.fail(diag.help(help))
    }

    /// Parses a text as a design for the device that the command line wants, and verifies it.
    pub fn design(&mut self, file: FileId, args: &DesignArgs) -> Result<Module, Reported> {
        self.design_file.get_or_insert(file);
        let mut module = self.parse(file, args)?;
        verify_as(&module, self.verify_mode, &mut self.diags);
        self.diags.check()?;
        self.ask_mlir(&module, args)?;
        let which = SequenceFilter {
            device: args.main_device.as_deref(),
            sequence: args.sequence.as_deref(),
        };
        scalars::bind(&mut module, which, &args.scalars, &mut self.diags)?;
        Ok(module)
    }

    /// The text of the design, if one was read.
    pub fn design_text(&self) -> Option<&SourceFile> {
        self.sources.file(self.design_file?).map(Arc::as_ref)
    }

    /// Lets upstream MLIR verify a module, if the command line wants that.
    fn ask_mlir(&mut self, module: &Module, args: &DesignArgs) -> Result<(), Reported> {
        if args.verify_with_mlir {
            mlir::verify(module, &mut self.diags)
        } else {
            Ok(())
        }
    }

    /// Parses a text as a design for the device that the command line wants.
    pub fn parse(&mut self, file: FileId, args: &DesignArgs) -> Result<Module, Reported> {
        let mut module = mlir::parse(file, &self.sources, &mut self.diags);
        self.diags.check()?;
        if let Some(device) = args.device {
            override_device(&mut module, device);
        }
        self.read_named_files(&mut module, file);
        self.link(&mut module, args)?;
        Ok(module)
    }

    /// Gives functions that a design only declares the bodies that the files of `--link` have.
    fn link(&mut self, module: &mut Module, args: &DesignArgs) -> Result<(), Reported> {
        let mut libraries = Vec::new();
        let mut good = Ok(());
        for path in &args.link {
            // all files are tried, so that one run reports what is wrong with each
            match self.library(path) {
                Ok(library) => libraries.push(library),
                Err(Reported) => good = Err(Reported),
            }
        }
        good?;
        let products = kernels::products_in_blocks(module, &libraries, &mut self.diags)?;
        libraries.extend(products);
        if libraries.is_empty() {
            Ok(())
        } else {
            link_functions::link(module, &libraries, &mut self.diags)
        }
    }

    /// Parses and verifies a file of functions.
    fn library(&mut self, path: &Path) -> Result<Library, Reported> {
        self.read.push(path.to_path_buf());
        let bytes = self.readable(path, fs::read(path))?;
        let file = self.add_text(path, bytes)?;
        let module = text::parse(file, &self.sources, &mut self.diags);
        self.diags.check()?;
        verify_as(&module, self.verify_mode, &mut self.diags);
        self.diags.check()?;
        Ok(Library {
            name: path.display().to_string(),
            module,
        })
    }

    /// Reads the files that cores name, from the folder of the design. Whether one is missed is
    /// known where it is needed only.
    fn read_named_files(&self, module: &mut Module, design: FileId) {
        let design = self.sources.file(design).map(|file| Path::new(&file.name));
        let folder = design.and_then(Path::parent).unwrap_or(Path::new(""));
        for core in module.find_all::<Core>(module.top()) {
            if let Some(name) = core.elf_file(module) {
                let read = fs::read(folder.join(&*name));
                let file = read.map(Arc::from).map_err(|e| Arc::from(e.to_string()));
                module.files.insert(name.to_string(), file);
            }
        }
    }

    fn onlooker<'a>(&self, args: &'a DesignArgs, stderr: &'a mut dyn Write) -> PassReporter<'a> {
        PassReporter {
            args,
            stderr,
            verify_mode: self.verify_mode,
            generic: self.generic,
            asked: None,
        }
    }

    /// Runs passes, with what the command line wants to see of them.
    pub fn run_passes(
        &mut self,
        module: &mut Module,
        steps: &[PassStep],
        args: &DesignArgs,
        io: &mut Io<'_>,
    ) -> Result<(), Reported> {
        let mut onlooker = self.onlooker(args, &mut *io.stderr);
        let timing = self.timing || io.terminal.verbosity == Verbosity::Verbose;
        let result = manager::run_observed(module, steps, &mut self.diags, &mut onlooker);
        self.diags.sort_by_position();
        let reports = result?;
        if timing {
            let _ = io.stderr.write_all(timing_table(&reports).as_bytes());
        }
        if steps.is_empty() {
            Ok(())
        } else {
            self.ask_mlir(module, args)
        }
    }

    /// Makes the control code of a module, as `emit-jobs` does it, with the dumps of that pass that
    /// the command line asks for. Operations are put into the module only if an output or a dump
    /// shows them.
    pub fn run_jobs(
        &mut self,
        module: &mut Module,
        choice: &ControlCodeOptions,
        wanted: ControlCodeForms,
        args: &DesignArgs,
        io: &mut Io<'_>,
    ) -> Result<Option<ControlProgram>, Reported> {
        self.onlooker(args, &mut *io.stderr)
            .before(&PassStep::new(&jobs::PASS), module);
        let start = Instant::now();
        let mut statistics = IndexMap::new();
        let mut cores = CorePrograms::default();
        let diags = &mut self.diags;
        let codes = jobs::control_code(module, choice, &mut cores, diags, &mut statistics);
        self.diags.sort_by_position();
        let codes = codes?;
        self.diags.check()?;
        let program = if wanted.program {
            Some(ctrl::program(
                module,
                &codes,
                cores,
                &self.sources,
                &mut self.diags,
            )?)
        } else {
            None
        };
        let shown = args.print_ir_after.is_some() || args.verify_each || args.verify_with_mlir;
        if wanted.operations || shown {
            jobs::insert_operations(module, &codes);
            let mut onlooker = self.onlooker(args, &mut *io.stderr);
            onlooker.after(&jobs::PASS, module, &mut self.diags);
            self.diags.check()?;
            self.ask_mlir(module, args)?;
        }
        if self.timing || io.terminal.verbosity == Verbosity::Verbose {
            let report = StepReport {
                pass: jobs::PASS.name,
                time: start.elapsed(),
                statistics,
            };
            let _ = io.stderr.write_all(timing_table(&[report]).as_bytes());
        }
        Ok(program)
    }
}

/// Prints and verifies between passes, as the command line wants.
struct PassReporter<'a> {
    args: &'a DesignArgs,
    stderr: &'a mut dyn Write,
    verify_mode: VerifyMode,
    generic: bool,
    /// The flows before the running router.
    asked: Option<RoutingRequest>,
}

impl PassReporter<'_> {
    /// Prints the design before or after a pass, if the command line names it, or all.
    fn print(&mut self, when: &str, wanted: &Option<String>, pass: &PassDef, module: &Module) {
        let names = |wanted: &String| wanted.is_empty() || wanted == pass.name;
        if wanted.as_ref().is_some_and(names) {
            let generic = self.generic;
            let text = text::print(module, PrintOptions { generic });
            // A closed error stream can't report its own failure.
            let _ = write!(self.stderr, "// {when} {}\n{text}", pass.name);
        }
    }
}

impl Observer for PassReporter<'_> {
    fn before(&mut self, step: &PassStep, module: &Module) {
        self.print("before", &self.args.print_ir_before, step.pass, module);
        if self.args.verify_each && step.pass.name == route::PASS.name {
            self.asked = Some(RoutingRequest::of(module, step));
        }
    }

    fn after(&mut self, pass: &'static PassDef, module: &Module, diags: &mut Diags) {
        self.print("after", &self.args.print_ir_after, pass, module);
        if self.args.verify_each {
            verify_as(module, self.verify_mode, diags);
            if let Some(asked) = self.asked.take() {
                asked.check(module, diags);
            }
            if self.args.verify_with_mlir {
                // Its messages are among the findings.
                let _ = mlir::verify(module, diags);
            }
        }
    }
}

/// Name of an input in messages.
pub fn input_name(path: &Path) -> String {
    if path.as_os_str() == STANDARD_STREAM {
        "standard input".to_string()
    } else {
        path.display().to_string()
    }
}

/// The text to read instead of a file that can't be read.
fn instead_of(path: &Path) -> String {
    if path.is_dir() {
        return format!(
            "name a file in it; `aiec example {}` runs the folder of an example",
            path.display()
        );
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    match did_you_mean(&wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", path.with_file_name(near).display()),
        None => "check the path; `-` reads standard input".to_string(),
    }
}

/// Makes every device of the module the given one.
fn override_device(module: &mut Module, device: &DeviceModel) {
    for op in module.find_all::<Device>(module.top()) {
        op.edit(module).device(device.value());
    }
}

/// The table of `--timing`.
fn timing_table(reports: &[StepReport]) -> String {
    let total: Duration = reports.iter().map(|report| report.time).sum();
    let row = |time: Duration, name: &str| format!("{:>10.3} ms  {name}", time.as_secs_f64() * 1e3);
    let mut lines = Vec::new();
    for report in reports {
        let counters: Vec<String> = report
            .statistics
            .iter()
            .map(|(what, count)| format!("{what}: {count}"))
            .collect();
        let counters = if counters.is_empty() {
            String::new()
        } else {
            format!("  ({})", counters.join(", "))
        };
        lines.push(row(report.time, report.pass) + &counters);
    }
    lines.push(row(total, "all passes"));
    lines.join("\n") + "\n"
}
