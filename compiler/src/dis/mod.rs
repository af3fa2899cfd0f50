//! `aiec dis`: a control code ELF to assembly that gives the same ELF again.

pub(crate) mod codes;
mod json;
mod machine_code;
mod remarks;
mod sidecar;

pub use codes::CODES;

use std::path::{Path, PathBuf};

use aiec_cert::binary::malformed;
use aiec_cert::dis::{self, DisOptions, Disassembly};
use aiec_cert::elf;
use aiec_cert::names::Target;
use aiec_cert::probes::ControlBody;
use aiec_core::{CoreArch, elf as core_elf};
use aiec_device::DeviceModel;
use aiec_diag::{Diag, Reported};
use aiec_npu::control_packet;
use clap::{Args, ValueEnum};

use crate::args::OutputFormat;
use crate::io::diagnostics::Format;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::npu_files::{self, NpuFileKind};
use crate::session::{Session, input_name, run_command};
use remarks::ArrayRemarks;

/// The JSON schema of `--json`.
pub const SCHEMA: &str = include_str!("schema.json");

/// Most pages that are named one by one when they are kept as words.
const NAMED_PAGES: usize = 8;

/// `aiec dis`
#[derive(Args, Debug)]
pub struct DisArgs {
    /// The control code, the machine code of a core, or a file of Ryzen AI (xclbin, PDI, CDO,
    /// transaction, ELF); `-` is standard input
    #[arg(value_name = "FILE.elf", required_unless_present = "json_schema")]
    pub input: Option<PathBuf>,
    /// Where to write; what the text needs beside it (pads, control packets, the instances of a
    /// configuration file) goes into files that begin with the same name [default: standard
    /// output]
    #[arg(short, long, value_name = "FILE.asm")]
    pub output: Option<PathBuf>,
    /// Show the effect of instructions and data on the registers of the array, in comments after
    /// them
    #[arg(long)]
    pub annotate: bool,
    /// Form of the output; `aiec schema dis` says what the JSON holds
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Same as `--format=json`
    #[arg(long, hide = true)]
    pub json: bool,
    /// Same as `aiec schema dis`
    #[arg(long, hide = true, conflicts_with_all = ["input", "annotate", "json", "format"])]
    pub json_schema: bool,
    /// Family of controllers, or what a file holds that has no head [default: what the file shows, else
    /// aie2ps]
    #[arg(short, long, value_name = "TARGET", value_enum)]
    pub target: Option<Family>,
    /// Take names of registers from this device [default: the one the file was compiled for, else
    /// one of its family]
    #[arg(long, value_name = "NAME", value_parser = crate::args::values::device)]
    pub device: Option<&'static DeviceModel>,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

impl DisArgs {
    /// Whether a listing for programs is wanted.
    fn as_json(&self) -> bool {
        self.json || self.format == OutputFormat::Json
    }
}

/// Contents of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Family {
    /// One controller for each column.
    Aie2ps,
    /// Two controllers for each column.
    Aie4,
    /// Machine code of AIE2 cores, without an ELF.
    #[value(name = "aie2-core")]
    Aie2Core,
    /// Machine code of AIE2P cores, without an ELF.
    #[value(name = "aie2p-core")]
    Aie2pCore,
    /// Machine code of AIE2PS cores, without an ELF.
    #[value(name = "aie2ps-core")]
    Aie2psCore,
    /// Control packets, which nothing in their file shows.
    #[value(name = "control-packets")]
    ControlPackets,
    /// A control body of probes, which nothing in its file shows.
    Probes,
}

impl Family {
    /// The family of controllers; `None` for machine code.
    fn target(self) -> Option<Target> {
        match self {
            Family::Aie2ps => Some(Target::Aie2ps),
            Family::Aie4 => Some(Target::Aie4),
            _ => None,
        }
    }

    /// The architecture of the cores; `None` for control code.
    fn core(self) -> Option<CoreArch> {
        match self {
            Family::Aie2Core => Some(CoreArch::Aie2),
            Family::Aie2pCore => Some(CoreArch::Aie2p),
            Family::Aie2psCore => Some(CoreArch::Aie2ps),
            _ => None,
        }
    }
}

/// Disassembles; the exit code.
pub fn run(args: &DisArgs, io: &mut Io<'_>) -> Exit {
    run_command(args.diagnostics, io, |session, outputs, io| {
        let standard = PathBuf::from(STANDARD_STREAM);
        let output = args.output.as_ref().unwrap_or(&standard);
        match &args.input {
            Some(input) => disassemble(args, input, output, outputs, session, io)?,
            None => outputs.add(output, SCHEMA),
        }
        Ok(Exit::Done)
    })
}

fn disassemble(
    args: &DisArgs,
    input: &Path,
    output: &Path,
    outputs: &mut Outputs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<(), Reported> {
    let bytes = session.read(input, io)?;
    let names_core = args.target.and_then(Family::core).is_some();
    let is_core = names_core || core_elf::is_core_file(&bytes);
    let npu_kind = NpuFileKind::of(&bytes).filter(|_| args.target.is_none());
    let is_other = matches!(args.target, Some(Family::ControlPackets | Family::Probes));
    if args.as_json() && !is_core && (npu_kind.is_some() || is_other) {
        let message = format!(
            "a listing as JSON is for control code, and {} is none",
            input_name(input)
        );
        let diag = malformed(message).help("leave --format=json out");
        return Err(session.fail(diag));
    }
    if args.target == Some(Family::ControlPackets) {
        let packets = control_packet::read(&bytes);
        let packets = packets.map_err(|diag| session.fail_in_file(input, diag))?;
        outputs.add(output, control_packet::print(&packets));
        return Ok(());
    }
    if args.target == Some(Family::Probes) {
        let body = ControlBody::read(&bytes).map_err(|diag| session.fail_in_file(input, diag))?;
        outputs.add(output, body.print());
        return Ok(());
    }
    if is_core {
        let text = machine_code::disassemble(args, &bytes, session)?;
        outputs.add(output, text);
        return Ok(());
    }
    if let Some(kind) = npu_kind {
        let text = npu_files::list(kind, &bytes, args.annotate, args.device);
        outputs.add(
            output,
            text.map_err(|diag| session.fail_in_file(input, diag))?,
        );
        return Ok(());
    }
    let file = elf::read(&bytes).map_err(|mut diag| {
        diag.message = format!("cannot disassemble {}: {}", input_name(input), diag.message);
        if let Some(why) = npu_files::why_no_transaction(&bytes) {
            diag = diag.remark(format!("it begins like a transaction, but {why}"));
        }
        let help = "it lists control code, machine code of cores, xclbin, PDI, CDO, transactions and ELF \
                    files of Ryzen AI; files without a head of their own need `--target`";
        session.fail(diag.help(help))
    })?;
    let target = args.target.and_then(Family::target);
    let target = target.or_else(|| dis::target_of(&file));
    if target.is_none() {
        let message = "nothing in the file shows its family of controllers: read as aie2ps";
        let diag = Diag::note(&codes::FAMILY_ASSUMED, message);
        session.push(diag.help("name it with --target"));
    }
    let wanted = args.annotate;
    let array = wanted.then(|| ArrayRemarks::new(args.device, target, file.debug.as_ref()));
    if let Some(array) = array.as_ref().filter(|array| !array.knows_registers()) {
        let message = format!("--annotate: {}", array.why_not());
        let help = "name a device with --device; `aiec devices` lists them";
        session.push(Diag::warning(&codes::NO_REGISTERS, message).help(help));
    }
    let to_file = output.as_os_str() != STANDARD_STREAM;
    let stem = sidecar::stem(output).filter(|_| to_file);
    let options = DisOptions {
        target,
        stem: stem.as_deref().unwrap_or_default(),
        remarks: array.as_ref().map(|array| array as &dyn dis::Remarks),
    };
    let found = dis::of_file(&bytes, file, &options);
    report(&found, session);
    if args.as_json() {
        let listing = json::listing(&found);
        outputs.add(output, format!("{listing:#}\n"));
        return Ok(());
    }
    sidecar::add(&found, output, stem.as_deref(), outputs, session);
    Ok(())
}

/// Says what does not come back, and what is kept as words.
fn report(found: &Disassembly, session: &mut Session) {
    session.diags.extend(found.findings.iter().cloned());
    let pages: Vec<String> = found
        .raw_pages()
        .map(|(_, page)| {
            let why = page.raw.as_deref().unwrap_or_default();
            format!("page {} of controller {}: {why}", page.page, page.uc)
        })
        .collect();
    if pages.is_empty() {
        return;
    }
    let message = match pages.len() {
        1 => "a page is kept as words".to_owned(),
        n => format!("{n} pages are kept as words"),
    };
    let mut diag = Diag::warning(&dis::RAW_PAGE, message);
    for page in pages.iter().take(NAMED_PAGES) {
        diag = diag.remark(page.clone());
    }
    if pages.len() > NAMED_PAGES {
        diag = diag.remark(format!("and {} more", pages.len() - NAMED_PAGES));
    }
    session.push(diag);
}
