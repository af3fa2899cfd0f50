//! `aiec asm`: control code in assembly to an ELF.

mod codes;
mod config;
mod embedded;
mod files;
mod machine_code;
pub mod npu_files;
mod patch;

pub use codes::CODES;

use std::path::{Path, PathBuf};

use aiec_cert::asm::{self, AsmOptions, Assembled};
use aiec_cert::check;
use aiec_cert::debug::DebugInfo;
use aiec_cert::finding::{Finding, UnreadCounts};
use aiec_cert::fix::{self, FixReport};
use aiec_cert::image::{self, Image};
use aiec_cert::names::Target;
use aiec_cert::pager::{self, GroupPlan, LayoutOptions};
use aiec_cert::probes::ControlBody;
use aiec_cert::program::Program;
use aiec_cert::{dump, elf};
use aiec_core::CoreArch;
use aiec_diag::{Diag, FileId, Reported, Severity, Span};
use clap::{Args, ValueEnum};

use crate::io::diagnostics::Format;
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};
use files::Folders;

/// Ending of control code in assembly.
pub const ASSEMBLY: &str = "asm";

/// `aiec asm`
#[derive(Args, Debug)]
pub struct AsmArgs {
    /// Control code or machine code; several files make one program. `-` is standard input. Machine
    /// code may be objects too
    #[arg(value_name = "FILE.asm", required_unless_present = "config")]
    pub inputs: Vec<PathBuf>,
    /// The ELF to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.elf", default_value = "a.elf")]
    pub output: PathBuf,
    /// Family of controllers, and whether to make a configuration file [default: what `.target`
    /// says, else aie2ps]
    #[arg(
        help_heading = "Control code",
        short,
        long,
        value_name = "TARGET",
        value_enum
    )]
    pub target: Option<TargetArg>,
    /// Look up included files here too
    #[arg(
        help_heading = "Control code",
        short = 'I',
        long = "include",
        value_name = "DIR"
    )]
    pub include: Vec<PathBuf>,
    /// Kernels and instances of a configuration file
    #[arg(help_heading = "Configuration files", long, value_name = "FILE.json", conflicts_with_all = ["inputs", "patch"])]
    pub config: Option<PathBuf>,
    /// Control packet buffers, and where host addresses go in them
    #[arg(help_heading = "Configuration files", long, value_name = "FILE.json")]
    pub patch: Option<PathBuf>,
    /// Add the debug record of source lines (section .dump): of instructions, or of data too
    #[arg(help_heading = "Control code", long,
        value_name = "DETAIL",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub dump: Option<DumpArg>,
    /// From 1 on, leave out APPLY_OFFSET_57 where the host patches every address: it takes no bytes,
    /// its relocations stay
    #[arg(help_heading = "Control code", short = 'O', long, value_name = "LEVEL", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=4))]
    pub opt_level: u8,
    /// Split overfull pages where that keeps the meaning
    #[arg(help_heading = "Control code", long)]
    pub fix_pages: bool,
    /// Take what the vendor's assembler takes, and give its bytes, quirks included
    #[arg(help_heading = "Control code", long)]
    pub compat: bool,
    /// Assemble what can't work on the machine too: such findings are warnings
    #[arg(help_heading = "Control code", long)]
    pub lenient: bool,
    /// PREEMPT runs the vendor's save and restore programs of this folder (aie4)
    #[arg(help_heading = "Control code", long, value_name = "DIR")]
    pub save_restore: Option<PathBuf>,
    /// Add source lines for reports of runs (section .aiec.debug)
    #[arg(help_heading = "Control code", short = 'g', long)]
    pub lines: bool,
    /// Machine code: make an object of one file instead of linking an executable
    #[arg(help_heading = "Machine code of cores", short = 'c', long)]
    pub relocatable: bool,
    /// Machine code: the address of a symbol that no file defines, as of a buffer
    #[arg(help_heading = "Machine code of cores", long = "symbol", value_name = "NAME=ADDRESS", value_parser = crate::args::values::symbol_address)]
    pub symbols: Vec<(String, u32)>,
    /// Form of diagnostics
    #[arg(
        help_heading = "Diagnosis",
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    pub diagnostics: Format,
}

/// Family and sort of file, as the vendor's assembler names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TargetArg {
    /// One controller for each column.
    Aie2ps,
    /// Two controllers for each column.
    Aie4,
    /// A configuration file for aie2ps.
    Aie2psConfig,
    /// A configuration file for aie4.
    Aie4Config,
    /// A transaction of Ryzen AI: `-o FILE.bin` and `FILE.txt` hold it alone, else an ELF.
    #[value(alias = "aie2asm")]
    Aie2txn,
    /// An ELF of PDIs and transactions of Ryzen AI.
    Aie2Config,
    /// Machine code of AIE2 cores.
    #[value(name = "aie2-core")]
    Aie2Core,
    /// Machine code of AIE2P cores.
    #[value(name = "aie2p-core")]
    Aie2pCore,
    /// Machine code of AIE2PS cores.
    #[value(name = "aie2ps-core")]
    Aie2psCore,
    /// A control body of probes: the data that a controller records at each of them.
    Probes,
}

impl TargetArg {
    /// The family of controllers; `None` for machine code.
    fn family(self) -> Option<Target> {
        match self {
            TargetArg::Aie2ps | TargetArg::Aie2psConfig => Some(Target::Aie2ps),
            TargetArg::Aie4 | TargetArg::Aie4Config => Some(Target::Aie4),
            _ => None,
        }
    }

    /// Whether it is for the firmware of Ryzen AI.
    fn is_npu(self) -> bool {
        matches!(self, TargetArg::Aie2txn | TargetArg::Aie2Config)
    }

    /// The architecture of the cores whose machine code it is; `None` for control code.
    fn core(self) -> Option<CoreArch> {
        match self {
            TargetArg::Aie2Core => Some(CoreArch::Aie2),
            TargetArg::Aie2pCore => Some(CoreArch::Aie2p),
            TargetArg::Aie2psCore => Some(CoreArch::Aie2ps),
            _ => None,
        }
    }

    fn is_config(self) -> bool {
        matches!(
            self,
            TargetArg::Aie2psConfig | TargetArg::Aie4Config | TargetArg::Aie2Config
        )
    }
}

/// Contents of the debug record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DumpArg {
    /// Instructions.
    Text,
    /// Instructions, descriptors and words.
    Full,
}

/// Assembles; the exit code.
pub fn run(args: &AsmArgs, io: &mut Io<'_>) -> Exit {
    if args.target.is_some_and(TargetArg::is_config) && args.config.is_none() {
        return io.refuse("a configuration target needs --config FILE.json");
    }
    let core = args.target.and_then(TargetArg::core);
    let unfit = match core {
        Some(_) => machine_code::unfit_asm_options(args),
        None if args.relocatable || !args.symbols.is_empty() => {
            Some("--relocatable and --symbol are for machine code (-t aie2-core)".to_owned())
        }
        None => None,
    };
    if let Some(message) = unfit {
        return io.refuse(message);
    }
    run_command(args.diagnostics, io, |session, outputs, io| {
        let bytes = match (core, args.target) {
            (Some(arch), _) => machine_code::assemble(args, arch, session, io)?,
            (None, Some(TargetArg::Probes)) => probes(args, session, io)?,
            (None, Some(target)) if target.is_npu() => npu_files::assemble(args, session, io)?,
            _ => assemble(args, session, io)?,
        };
        outputs.add(&args.output, bytes);
        Ok(Exit::Done)
    })
}

/// The control body of the probes of all inputs.
fn probes(args: &AsmArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
    let mut body = ControlBody::default();
    for path in &args.inputs {
        let bytes = session.read(path, io)?;
        let (file, text) = session.file_and_text(path, bytes)?;
        let part = ControlBody::parse(&text, file, &mut session.diags)?;
        let added = body.add(part);
        added.map_err(|diag| session.fail(diag))?;
    }
    Ok(body.to_bytes())
}

fn assemble(args: &AsmArgs, session: &mut Session, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
    let mut assembler = Assembler {
        args,
        session,
        folders: Folders::new(&args.include, args.config.as_deref(), args.compat)
            .with_save_restore(args.save_restore.as_deref()),
    };
    match &args.config {
        Some(config) => config::assemble(&mut assembler, config, io),
        None => assembler.plain(io),
    }
}

/// Assembles a text as `aiec asm` does without options, for its findings.
///
/// # Errors
/// The text can't be assembled; the findings are in the session.
pub fn check_text(path: &Path, bytes: Vec<u8>, session: &mut Session) -> Result<(), Reported> {
    image_of(path, bytes, session).map(|_| ())
}

/// Assembles a text to an ELF with its source lines, for a run.
///
/// # Errors
/// The text can't be assembled; the findings are in the session.
pub fn assemble_to_run(
    path: &Path,
    bytes: Vec<u8>,
    session: &mut Session,
) -> Result<Vec<u8>, Reported> {
    let image = image_of(path, bytes, session)?;
    let lines = source_lines(&image, session);
    elf::write(&image, Some(&lines)).map_err(|diag| session.fail(diag))
}

/// The lines of the texts that an image was assembled of.
fn source_lines(image: &Image, session: &Session) -> DebugInfo {
    let files = (0..).map_while(|file| session.sources.file(FileId(file)));
    let names = files.map(|file| file.name.clone()).collect();
    DebugInfo::of_image(image, names)
}

fn image_of(path: &Path, bytes: Vec<u8>, session: &mut Session) -> Result<Image, Reported> {
    let args = AsmArgs {
        inputs: vec![path.to_path_buf()],
        output: PathBuf::new(),
        target: None,
        include: Vec::new(),
        config: None,
        patch: None,
        dump: None,
        opt_level: 0,
        fix_pages: false,
        compat: false,
        lenient: false,
        save_restore: None,
        lines: false,
        relocatable: false,
        symbols: Vec::new(),
        diagnostics: Format::default(),
    };
    let bytes = session.require_text(path, bytes, false)?;
    let mut assembler = Assembler {
        args: &args,
        session,
        folders: Folders::new(&[], None, false),
    };
    let mut unit = assembler.parse(&[(path.display().to_string(), bytes)])?;
    assembler.layout(&mut unit)
}

/// One run on one command line.
struct Assembler<'a> {
    args: &'a AsmArgs,
    session: &'a mut Session,
    folders: Folders,
}

/// A text that has been assembled.
struct AssembledText {
    assembled: Assembled,
    program: Program,
}

impl Assembler<'_> {
    /// A plain file of all inputs.
    fn plain(&mut self, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
        let mut texts = Vec::new();
        for path in &self.args.inputs {
            let bytes = self.session.read(path, io)?;
            let bytes = self.session.require_text(path, bytes, self.args.compat)?;
            texts.push((path.display().to_string(), bytes));
        }
        let patch = match &self.args.patch {
            Some(path) => Some((path.as_path(), self.session.read(path, io)?)),
            None => None,
        };
        let mut unit = self.parse(&texts)?;
        if let Some((path, bytes)) = patch {
            self.patch(&mut unit.program, path, &bytes)?;
        }
        let image = self.layout(&mut unit)?;
        let kept = embedded::EmbeddedSections::of(&texts, &image, self.session);
        let dump = self.record(&unit, &image).or(kept.dump);
        let lines = self.args.lines.then(|| source_lines(&image, self.session));
        let extras = elf::ExtraSections {
            debug: lines.as_ref().or(kept.debug.as_ref()),
            dump: dump.as_deref(),
        };
        self.written(elf::write_with(&image, extras))
    }

    /// The debug record, if it is wanted.
    fn record(&self, unit: &AssembledText, image: &Image) -> Option<Vec<u8>> {
        let detail = match self.args.dump? {
            DumpArg::Text => dump::Detail::Text,
            DumpArg::Full => dump::Detail::Full,
        };
        Some(dump::record(&unit.assembled, image, detail).into_bytes())
    }

    /// Assembles texts (name and contents) into a program.
    fn parse(&mut self, texts: &[(String, Vec<u8>)]) -> Result<AssembledText, Reported> {
        let inputs: Vec<(&str, &[u8])> = texts
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        let options = AsmOptions {
            target: self.family(&inputs),
            compat: self.args.compat,
        };
        let sources = std::mem::take(&mut self.session.sources);
        let mut assembled = asm::parse_files(&inputs, &self.folders, options, sources);
        self.session.sources = assembled.sources.clone();
        let empty = Program::new(options.target, 0);
        match std::mem::replace(&mut assembled.program, Ok(empty)) {
            Ok(program) => Ok(AssembledText { assembled, program }),
            Err(errors) => Err(self.refuse(&assembled, errors)),
        }
    }

    /// Reports the errors of a text, and other findings about the rest of it.
    fn refuse(&mut self, assembled: &Assembled, mut errors: Vec<Diag>) -> Reported {
        if let Some((program, unread)) = &assembled.rest {
            let compat = self.args.compat;
            let (plans, mut found) = pager::plan(program, LayoutOptions { compat });
            found.retain(|finding| pager::holds_without(finding, *unread));
            found.extend(self.check(assembled, program, &plans, *unread));
            errors.extend(found.into_iter().map(|finding| assembled.diag(finding)));
        }
        // there are errors, so this fails
        let _ = self.report(errors);
        Reported
    }

    /// Warns of code that can't work on the machine, if checks are wanted.
    fn check(
        &self,
        assembled: &Assembled,
        program: &Program,
        plans: &[GroupPlan],
        unread: UnreadCounts,
    ) -> Vec<Finding> {
        let columns = assembled.declared.columns;
        let mut findings = check::check(program, plans, columns, unread);
        if self.args.compat || self.args.lenient {
            for finding in &mut findings {
                finding.diag.severity = Severity::Warning;
            }
        }
        findings
    }

    /// Reports findings by place. A finding for several pages, includes or controllers is reported
    /// once.
    fn report(&mut self, mut diags: Vec<Diag>) -> Result<(), Reported> {
        diags.sort_by_key(|diag| diag.span().map_or((1, Span::default()), |span| (0, span)));
        diags.dedup();
        let failed = diags.iter().any(|diag| diag.severity == Severity::Error);
        self.session.diags.extend(diags);
        if failed { Err(Reported) } else { Ok(()) }
    }

    /// The family that the command line names, or the first text, or the default.
    fn family(&self, inputs: &[(&str, &[u8])]) -> Target {
        let declared = || {
            let first = inputs.first()?.1;
            let mut lines = first.split(|&b| b == b'\n');
            let name = lines.find_map(|line| line.trim_ascii().strip_prefix(b".target"))?;
            let family = name.trim_ascii().split(|&b| b == b'-').next()?;
            Target::by_name(std::str::from_utf8(family).ok()?)
        };
        let given = self.args.target.and_then(TargetArg::family);
        given.or_else(declared).unwrap_or(Target::Aie2ps)
    }

    fn patch(&mut self, program: &mut Program, path: &Path, json: &[u8]) -> Result<(), Reported> {
        let compat = self.args.compat;
        patch::add_ctrl_packets(program, path, json, &self.folders, compat)
            .map_err(|diag| self.session.fail(diag))
    }

    fn layout(&mut self, unit: &mut AssembledText) -> Result<Image, Reported> {
        let compat = self.args.compat;
        let options = LayoutOptions { compat };
        if self.args.opt_level > 0 {
            unit.program.leave_offsets_to_host();
        }
        let fixes = if self.args.fix_pages {
            fix::fix_pages(&mut unit.program, options)
        } else {
            FixReport::default()
        };
        let (plans, mut findings) = pager::plan(&unit.program, options);
        let mut image = None;
        if findings.is_empty() {
            match image::encode(&unit.program, &plans, options) {
                Ok(done) => image = Some(done),
                Err(found) => findings = found,
            }
        }
        let errors = findings.into_iter().map(|finding| fixes.explain(finding));
        let checked = self.check(
            &unit.assembled,
            &unit.program,
            &plans,
            UnreadCounts::default(),
        );
        let findings = fixes.notes().chain(errors).chain(checked);
        let diags = findings.map(|finding| unit.assembled.diag(finding));
        self.report(diags.collect())?;
        image.ok_or(Reported)
    }

    fn written(&mut self, result: Result<Vec<u8>, Diag>) -> Result<Vec<u8>, Reported> {
        result.map_err(|diag| self.session.fail(diag))
    }
}
