//! `aiec aiecc …`: the command line of mlir-aie's compiler driver, for build files that were written for
//! it (mlir-aie: `tools/aiecc/CommandLineOptions.h`, and the spelling of 2025).
//!
//! Each option is a row of [`OPTIONS`]: it selects an output, sets something, changes nothing here, or is
//! refused by its name.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use aiec_diag::did_you_mean;
use aiec_emit::EmitKind;
use clap::Args;

use crate::args::{CompileArgs, CorePrograms};
use crate::compile;
use crate::emit_kinds::find_kind;
use crate::io::{Exit, Io};
use crate::sim::places::split_optional;

/// `aiec aiecc`
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct AieccArgs {
    /// The command line of mlir-aie's aiecc
    #[arg(
        value_name = "OPTION",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub args: Vec<OsString>,
}

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Selects an output: a kind of `--emit`.
    Output(&'static str),
    /// Names the file of an output: `{0}` becomes the device's name.
    FileName(&'static str),
    /// Sets something.
    Set(Setting),
    /// Changes nothing here: what it is about doesn't exist, or is always so.
    Nothing,
    /// The same, with a value.
    NothingOfValue,
}

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    OutputFolder,
    Device,
    Sequence,
    Peano,
    AllocationScheme,
    KernelName,
    InstanceName,
    KernelId,
    XclbinInput,
    Cores,
}

const OPTIONS: &[(&[&str], Effect)] = &[
    (
        &["get-npu-insts", "aie-generate-npu-insts"],
        Effect::Output("insts"),
    ),
    (
        &["get-xclbin", "aie-generate-xclbin"],
        Effect::Output("xclbin"),
    ),
    (
        &["get-full-elf", "generate-full-elf"],
        Effect::Output("npu-elf"),
    ),
    (
        &["get-elf", "aie-generate-elf"],
        Effect::Output("insts-elf"),
    ),
    (&["get-pdi", "aie-generate-pdi"], Effect::Output("pdi")),
    (&["get-cdo", "aie-generate-cdo"], Effect::Output("cdo")),
    (
        &["get-ctrlpkt", "aie-generate-ctrlpkt"],
        Effect::Output("control-packets"),
    ),
    (&["ctrlpkt-name"], Effect::FileName("control-packets")),
    (&["npu-insts-name"], Effect::FileName("insts")),
    (&["xclbin-name"], Effect::FileName("xclbin")),
    (&["full-elf-name"], Effect::FileName("npu-elf")),
    (&["elf-name"], Effect::FileName("insts-elf")),
    (&["output-dir"], Effect::Set(Setting::OutputFolder)),
    (&["device-name"], Effect::Set(Setting::Device)),
    (&["sequence-name"], Effect::Set(Setting::Sequence)),
    (&["peano"], Effect::Set(Setting::Peano)),
    (&["alloc-scheme"], Effect::Set(Setting::AllocationScheme)),
    (&["xclbin-kernel-name"], Effect::Set(Setting::KernelName)),
    (
        &["xclbin-instance-name"],
        Effect::Set(Setting::InstanceName),
    ),
    (&["xclbin-kernel-id"], Effect::Set(Setting::KernelId)),
    (&["xclbin-input"], Effect::Set(Setting::XclbinInput)),
    (&["core"], Effect::Set(Setting::Cores)),
    (
        &[
            "no-compile-host",
            "no-xchesscc",
            "no-xbridge",
            "no-link",
            "no-compile",
        ],
        Effect::Nothing,
    ),
    (
        &["verbose", "v", "unified", "no-unified", "dynamic-objFifos"],
        Effect::Nothing,
    ),
    (
        &["no-measure-stack-size", "no-measure-data-size"],
        Effect::Nothing,
    ),
    (
        &["tmpdir", "aietools", "nthreads", "opt-level"],
        Effect::NothingOfValue,
    ),
];

/// Short options whose value follows without a blank, and that change nothing here.
const SHORT_WITH_VALUE: [char; 3] = ['j', 'O', 'I'];

/// The default names of files.
fn default_name(kind: &str) -> &'static str {
    match kind {
        "insts" => "insts_{0}.bin",
        "xclbin" => "aie.xclbin",
        "npu-elf" => "aie.elf",
        "control-packets" => "ctrlpkt.bin",
        _ => "design.elf",
    }
}

/// The options by what they do.
fn help() -> String {
    let mut text = String::from("Usage: aiec aiecc [OPTION]... DESIGN.mlir\n\nOptions of aiecc:\n");
    for (names, effect) in OPTIONS {
        let what = match effect {
            Effect::Output(kind) => format!("write what --emit={kind} writes"),
            Effect::FileName(kind) => format!("the file of {kind} [{}]", default_name(kind)),
            Effect::Set(_) => "as in aiecc".to_string(),
            Effect::Nothing | Effect::NothingOfValue => "changes nothing here".to_string(),
        };
        let takes = matches!(
            effect,
            Effect::FileName(_) | Effect::Set(_) | Effect::NothingOfValue
        );
        let value = if takes { "=VALUE" } else { "" };
        let names: Vec<String> = names
            .iter()
            .map(|name| format!("--{name}{value}"))
            .collect();
        let _ = writeln!(text, "  {:46} {what}", names.join(", "));
    }
    text
}

/// What was read of a command line.
#[derive(Default)]
struct AieccRequest {
    folder: PathBuf,
    outputs: Vec<&'static str>,
    names: Vec<(&'static str, String)>,
    /// All that `compile` has an option for.
    compile: CompileArgs,
}

/// Compiles as mlir-aie's driver would; the exit code.
pub fn run(args: &AieccArgs, io: &mut Io<'_>) -> Exit {
    if args.args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return crate::print(io, &help());
    }
    let wanted = match read(&args.args) {
        Ok(wanted) => wanted,
        Err(message) => return io.refuse(message),
    };
    let kinds: Vec<&'static EmitKind> = wanted
        .outputs
        .iter()
        .filter_map(|name| find_kind(name))
        .collect();
    let key = wanted
        .compile
        .design
        .main_device
        .clone()
        .unwrap_or_else(|| "main".to_string());
    let place = |kind: &&'static EmitKind| {
        let named = wanted.names.iter().find(|(name, _)| *name == kind.name);
        let name = named.map_or(default_name(kind.name), |(_, name)| name);
        (kind.name, wanted.folder.join(name.replace("{0}", &key)))
    };
    let places = kinds.iter().map(place).collect();
    let compile = CompileArgs {
        places,
        emit: kinds,
        output: Some(wanted.folder),
        ..wanted.compile
    };
    compile::run(&compile, io)
}

/// An option's name and value, if its text has one.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    Some(split_optional(name, '='))
}

fn read(args: &[OsString]) -> Result<AieccRequest, String> {
    let mut wanted = AieccRequest::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        if text == "--" {
            return Err("arguments of a host compiler: hosts aren't compiled here".into());
        }
        let Some((name, given)) = split(&text) else {
            if wanted.compile.input.replace(PathBuf::from(arg)).is_some() {
                return Err(format!(
                    "'{text}' is a second design: one is compiled at a time"
                ));
            }
            continue;
        };
        let mut letters = name.chars();
        let short = letters
            .next()
            .filter(|first| SHORT_WITH_VALUE.contains(first));
        let prefixed = !text.starts_with("--") && short.is_some();
        let row = OPTIONS.iter().find(|(names, _)| names.contains(&name));
        let Some((_, effect)) = row else {
            if prefixed {
                continue;
            }
            return Err(unknown(name));
        };
        let mut value = || {
            let next = given.map(str::to_string);
            let next = next.or_else(|| Some(rest.next()?.to_string_lossy().into_owned()));
            next.ok_or_else(|| format!("--{name} needs a value"))
        };
        match *effect {
            Effect::Output(kind) => {
                if given != Some("false") && !wanted.outputs.contains(&kind) {
                    wanted.outputs.push(kind);
                }
            }
            Effect::FileName(kind) => wanted.names.push((kind, value()?)),
            Effect::Set(setting) => set(&mut wanted, setting, value()?)?,
            Effect::Nothing => {}
            Effect::NothingOfValue => drop(value()?),
        }
    }
    if wanted.compile.input.is_none() {
        return Err("no design: name a .mlir file".into());
    }
    if wanted.outputs.is_empty() {
        return Err(
            "nothing to write: ask for --get-xclbin, --get-npu-insts, --get-full-elf, \
                    --get-elf, --get-pdi or --get-cdo"
                .into(),
        );
    }
    Ok(wanted)
}

fn unknown(name: &str) -> String {
    let names = OPTIONS.iter().flat_map(|(names, _)| names.iter().copied());
    match did_you_mean(name, names) {
        Some(near) => format!("aiec has no option --{name} of aiecc; did you mean --{near}?"),
        None => {
            format!("aiec has no option --{name} of aiecc; `aiec aiecc --help` lists those it has")
        }
    }
}

fn set(wanted: &mut AieccRequest, setting: Setting, value: String) -> Result<(), String> {
    let compile = &mut wanted.compile;
    match setting {
        Setting::OutputFolder => wanted.folder = Path::new(&value).to_path_buf(),
        Setting::Device => compile.design.main_device = Some(value),
        Setting::Sequence => compile.design.sequence = Some(value),
        Setting::Peano => compile.peano = Some(PathBuf::from(value)),
        Setting::AllocationScheme => compile.design.alloc_scheme = Some(value),
        Setting::KernelName => compile.kernel = Some(value),
        Setting::InstanceName => compile.instance = Some(value),
        Setting::KernelId => {
            let digits = value.strip_prefix("0x");
            let id = match digits {
                Some(digits) => u16::from_str_radix(digits, 16),
                None => value.parse(),
            };
            let id = id.ok().filter(|id| *id < 0x1000);
            let why = || format!("--xclbin-kernel-id takes a number below 0x1000, not '{value}'");
            compile.kernel_id = Some(id.ok_or_else(why)?);
        }
        Setting::XclbinInput => compile.xclbin_input = Some(PathBuf::from(value)),
        Setting::Cores if value == "model" => compile.core = Some(CorePrograms::Model),
        Setting::Cores => return Err(format!("--core takes 'model', not '{value}'")),
    }
    Ok(())
}
