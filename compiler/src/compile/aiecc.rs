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

use crate::args::aiecc::AieccChoice;
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

/// Effect of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Selects an output: a kind of `--emit`.
    Output(&'static str),
    /// Names the file of an output: `{0}` becomes the device's name.
    FileName(&'static str),
    /// Sets something.
    Set(Setting),
    /// Turns something on, or off.
    Turn(Switch),
    /// Changes nothing here: what it is about doesn't exist, or is always so.
    Nothing,
    /// Same as [`Self::Nothing`], with a value.
    NothingOfValue,
    /// A switch whose usual value, and no other, is what is done here.
    Always(&'static str),
    /// Not done here, and why.
    Refused(&'static str),
}

/// Targets of options with a value.
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
    TransactionName,
    ControlPacketsName,
    PacketTransfersName,
    Placer,
    CoresPerColumn,
}

/// Targets of options without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    Addresses,
    Transaction,
    ControlPackets,
    ExpandLoads,
    Fold,
    PacketFifos,
    ControlOverlay,
}

const OPTIONS: &[(&[&str], Effect)] = &[
    (
        &["get-npu-insts", "aie-generate-npu-insts"],
        Effect::Output("insts"),
    ),
    (&["get-npu-cpp"], Effect::Output("sequence-cpp")),
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
        &["get-scratchpad-parameters", "emit-scratchpad-parameters"],
        Effect::Output("scratchpad-parameters"),
    ),
    (
        &["get-ctrlpkt", "aie-generate-ctrlpkt"],
        Effect::Turn(Switch::ControlPackets),
    ),
    (&["ctrlpkt-name"], Effect::Set(Setting::ControlPacketsName)),
    (
        &["ctrlpkt-dma-seq-name"],
        Effect::Set(Setting::PacketTransfersName),
    ),
    (
        &["get-txn", "aie-generate-txn"],
        Effect::Turn(Switch::Transaction),
    ),
    (&["txn-name"], Effect::Set(Setting::TransactionName)),
    (
        &["get-input-with-addresses"],
        Effect::Turn(Switch::Addresses),
    ),
    (&["expand-load-pdis"], Effect::Turn(Switch::ExpandLoads)),
    (&["fold-ddr-addr-offset"], Effect::Turn(Switch::Fold)),
    (&["packet-sw-objFifos"], Effect::Turn(Switch::PacketFifos)),
    (
        &["generate-ctrl-pkt-overlay"],
        Effect::Turn(Switch::ControlOverlay),
    ),
    (&["placer"], Effect::Set(Setting::Placer)),
    (&["cores-per-col"], Effect::Set(Setting::CoresPerColumn)),
    (&["pdi-name"], Effect::FileName("pdi")),
    (&["npu-insts-name"], Effect::FileName("insts")),
    (&["npu-cpp-name"], Effect::FileName("sequence-cpp")),
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
        &[
            "verbose",
            "v",
            "unified",
            "no-unified",
            "progress",
            "no-progress",
            "profile",
            "disable-repeater-scripts",
        ],
        Effect::Nothing,
    ),
    (&["dynamic-objFifos"], Effect::Always("true")),
    (
        &["xchesscc", "xbridge"],
        Effect::Refused(
            "cores are compiled by Peano (--peano), or are the simulator's (--core=model), not by Chess",
        ),
    ),
    (
        &["get-aiesim", "aiesim"],
        Effect::Refused(
            "--get-aiesim requires --xchesscc and --xbridge, which aren't either; `aiec sim` simulates designs",
        ),
    ),
    (
        &["load-pdi-to-ctrl-pkt"],
        Effect::Refused(
            "loads of devices become writes (--expand-load-pdis), or stay loads, but not streams of control packets",
        ),
    ),
    (
        &["ctrlpkt-elf-name"],
        Effect::Refused(
            "packets and their transfers are files of their own: --ctrlpkt-name and --ctrlpkt-dma-seq-name",
        ),
    ),
    (
        &["get-host", "compile-host", "host-target", "sysroot"],
        Effect::Refused("hosts aren't compiled here: call the compiler of the host"),
    ),
    (
        &[
            "get",
            "g",
            "cut",
            "checkpoint",
            "resume",
            "emit-dot",
            "enable-repeater-scripts",
            "dump-intermediates",
            "n",
        ],
        Effect::Refused(
            "there is no graph of intermediate files here; `aiec opt` runs passes one by one",
        ),
    ),
    (
        &["get-locmap"],
        Effect::Refused(
            "`aiec dis insts.bin --design DESIGN.mlir` tells where operations come from",
        ),
    ),
    (
        &["get-core-elfs"],
        Effect::Refused("write them with `aiec DESIGN.mlir --peano=DIR --emit=core-elf`"),
    ),
    (
        &["sa-seed"],
        Effect::Refused("tiles are placed in order, without chance: leave it out"),
    ),
    (
        &["bf16-emulation"],
        Effect::Refused("bf16 is computed as bf16"),
    ),
    (
        &["no-materialize"],
        Effect::Refused("sequences that call others are always joined"),
    ),
    (
        &["no-measure-stack-size", "no-measure-data-size"],
        Effect::Nothing,
    ),
    (
        &[
            "tmpdir",
            "aietools",
            "nthreads",
            "opt-level",
            "xclbinutil-path",
            "repeater-output-dir",
        ],
        Effect::NothingOfValue,
    ),
];

/// Short options whose value follows without a blank, and that change nothing here.
const SHORT_WITH_VALUE: [char; 3] = ['j', 'O', 'I'];

/// The default names of files.
fn default_name(kind: &str) -> &'static str {
    match kind {
        "insts" => "insts_{0}.bin",
        "sequence-cpp" => "{0}_sequence.hpp",
        "xclbin" => "aie.xclbin",
        "npu-elf" => "aie.elf",
        "pdi" => "{0}.pdi",
        "scratchpad-parameters" => "params.txt",
        _ => "design.elf",
    }
}

/// The default names of files that no kind of `--emit` is; `{0}` is the device's name.
const ADDRESSES: &str = "input_with_addresses.mlir";
const TRANSACTION: &str = "{0}_transaction.mlir";
const CONTROL_PACKETS: &str = "{0}_ctrlpkt.bin";

/// The options by their effects.
fn help() -> String {
    let mut text = String::from("Usage: aiec aiecc [OPTION]... DESIGN.mlir\n\nOptions of aiecc:\n");
    for (names, effect) in OPTIONS {
        let what = match effect {
            Effect::Output(kind) => format!("write what --emit={kind} writes"),
            Effect::FileName(kind) => format!("the file of {kind} [{}]", default_name(kind)),
            Effect::Set(_) | Effect::Turn(_) => "as in aiecc".to_string(),
            Effect::Nothing | Effect::NothingOfValue => "changes nothing here".to_string(),
            Effect::Always(value) => format!("always {value} here"),
            Effect::Refused(_) => "refused".to_string(),
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

/// Contents of a command line.
#[derive(Default)]
struct AieccRequest {
    folder: PathBuf,
    outputs: Vec<&'static str>,
    names: Vec<(&'static str, String)>,
    /// Files that no kind of `--emit` covers.
    files: AieccFiles,
    /// All that `compile` has an option for.
    compile: CompileArgs,
}

/// Files that no kind of `--emit` is: which are wanted, and their names.
#[derive(Default)]
struct AieccFiles {
    addresses: bool,
    transaction: bool,
    transaction_name: Option<String>,
    control_packets: bool,
    control_packets_name: Option<String>,
    packet_transfers_name: Option<String>,
}

impl AieccFiles {
    /// Whether one is wanted.
    fn any(&self) -> bool {
        self.addresses || self.transaction || self.control_packets
    }

    /// Where those are written that are wanted.
    fn places(self, folder: &Path, rest: AieccChoice) -> AieccChoice {
        let place = |wanted: bool, name: Option<String>, usual: &str| {
            wanted.then(|| folder.join(name.unwrap_or_else(|| usual.to_string())))
        };
        let transfers = self.packet_transfers_name.filter(|_| self.control_packets);
        AieccChoice {
            is_aiecc: true,
            addresses: place(self.addresses, None, ADDRESSES),
            transaction: place(self.transaction, self.transaction_name, TRANSACTION),
            control_packets: place(
                self.control_packets,
                self.control_packets_name,
                CONTROL_PACKETS,
            ),
            packet_transfers: transfers.map(|name| folder.join(name)),
            ..rest
        }
    }
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
    let place = |kind: &&'static EmitKind| {
        let named = wanted.names.iter().find(|(name, _)| *name == kind.name);
        let name = named.map_or(default_name(kind.name), |(_, name)| name);
        (kind.name, wanted.folder.join(name))
    };
    // A folder is what `cdo` is written into.
    let in_folder = |kind: &&&'static EmitKind| kind.name != "cdo";
    let places = kinds.iter().filter(in_folder).map(place).collect();
    let choice = wanted.compile.aiecc.clone();
    let compile = CompileArgs {
        aiecc: wanted.files.places(&wanted.folder, choice),
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
    let mut refused = Vec::new();
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
            Effect::Turn(switch) => turn(&mut wanted, switch, is_on(name, given)?),
            Effect::Set(setting) => set(&mut wanted, setting, value()?)?,
            Effect::Always(usual) if given.is_none_or(|given| given == usual) => {}
            Effect::Always(usual) => {
                return Err(format!("--{name} is always {usual} here: leave it out"));
            }
            Effect::Refused(_) if given.is_some_and(|given| given == "false") => {}
            Effect::Refused(why) => refused.push(format!("--{name} is not done here: {why}")),
            Effect::Nothing => {}
            Effect::NothingOfValue => drop(value()?),
        }
    }
    if !refused.is_empty() {
        return Err(refused.join("\n"));
    }
    if wanted.compile.input.is_none() {
        return Err("no design: name a .mlir file".into());
    }
    let files = &wanted.files;
    if files.packet_transfers_name.is_some() && !files.control_packets {
        return Err("--ctrlpkt-dma-seq-name goes with --get-ctrlpkt".into());
    }
    let elf = wanted.outputs.contains(&"npu-elf");
    if wanted.compile.aiecc.expand_loads && !elf {
        return Err(
            "--expand-load-pdis goes with --get-full-elf: beside an xclbin nothing is loaded"
                .into(),
        );
    }
    if files.control_packets && wanted.compile.aiecc.expand_loads {
        return Err("--expand-load-pdis and --get-ctrlpkt exclude each other".into());
    }
    if files.control_packets
        && (wanted.outputs.contains(&"insts-elf") || wanted.outputs.contains(&"npu-elf"))
    {
        return Err(
            "control packets inside an ELF aren't written here: ask for --get-ctrlpkt \
                    without --get-elf and --get-full-elf"
                .into(),
        );
    }
    if wanted.outputs.is_empty() && !files.any() {
        return Err(
            "nothing to write: ask for --get-xclbin, --get-npu-insts, --get-npu-cpp, --get-full-elf, \
                    --get-elf, --get-pdi, --get-cdo, --get-txn, --get-ctrlpkt, \
                    --get-scratchpad-parameters or --get-input-with-addresses"
                .into(),
        );
    }
    Ok(wanted)
}

/// The value of a switch.
fn is_on(name: &str, given: Option<&str>) -> Result<bool, String> {
    match given {
        None | Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(other) => Err(format!("--{name} takes true or false, not '{other}'")),
    }
}

fn turn(wanted: &mut AieccRequest, switch: Switch, on: bool) {
    let compile = &mut wanted.compile;
    match switch {
        Switch::Addresses => wanted.files.addresses = on,
        Switch::Transaction => wanted.files.transaction = on,
        Switch::ControlPackets => wanted.files.control_packets = on,
        Switch::ExpandLoads => compile.aiecc.expand_loads = on,
        Switch::Fold => compile.aiecc.unfolded = !on,
        Switch::PacketFifos => compile.design.packet_fifos = on,
        Switch::ControlOverlay => compile.design.control_overlay = on,
    }
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
        Setting::TransactionName => wanted.files.transaction_name = Some(value),
        Setting::ControlPacketsName => wanted.files.control_packets_name = Some(value),
        Setting::PacketTransfersName => wanted.files.packet_transfers_name = Some(value),
        Setting::CoresPerColumn => compile.design.cores_per_col = Some(value),
        Setting::Placer if value == "sequential_placer" => {}
        Setting::Placer => {
            return Err(format!("--placer takes 'sequential_placer', not '{value}'"));
        }
    }
    Ok(())
}
