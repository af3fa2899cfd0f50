//! `aiec build`: the files that a design's device loads, and the host code that launches it.

use std::fmt::Write as _;
use std::path::PathBuf;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView, RuntimeSequence, ScratchpadParameter};
use aiec_device::{Arch, DeviceModel};
use aiec_diag::{Diag, Reported};
use aiec_emit::EmitKind;
use aiec_emit::sequence_program::function_name;
use clap::Args;

use crate::args::{CompileArgs, CorePrograms, DesignArgs};
use crate::compile::{self, file_name};
use crate::emit_kinds::find_kind;
use crate::io::{Exit, Io};
use crate::session::Session;

/// `aiec build`
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// The design
    #[arg(value_name = "DESIGN.mlir")]
    pub input: PathBuf,
    /// The folder to write into [default: the current one]
    #[arg(help_heading = "Output", short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// On npu2: write an xclbin and its instructions too
    #[arg(help_heading = "Output", long)]
    pub xclbin: bool,
    /// Compile cores to machine code with the LLVM for AI Engines in this folder: DIR/bin/clang
    /// (builds with the feature `mlir` only)
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    pub peano: Option<PathBuf>,
    /// Programs of cores with bodies: machine code, which is the default, or the simulator's own
    /// programs
    #[arg(help_heading = "Output", long, value_enum, value_name = "WHAT")]
    pub core: Option<CorePrograms>,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
}

/// Kind of files that a device's hosts load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HostFlow {
    /// Control code.
    Cert,
    /// An xclbin with instructions.
    Xclbin,
    /// An xclbin, and functions that write instructions for numbers of the host.
    Functions,
    /// An ELF with configurations.
    NpuElf,
    /// Command files that boot image tools put together: the configuration alone.
    Cdo,
}

/// Command files of a device, in the order in which boot images hold them (`mlir-aie: aiecc`).
const CDO_PARTS: [&str; 3] = ["elfs", "init", "enable"];

impl HostFlow {
    /// The flow of a device: that of its own driver; the configuration where nothing on the device executes more.
    fn of(model: &DeviceModel, launch: &Launch) -> HostFlow {
        let has_firmware = model.name().starts_with("npu");
        match model.arch() {
            Arch::Aie2 | Arch::Aie2p if has_firmware && launch.function.is_some() => {
                HostFlow::Functions
            }
            Arch::Aie2 if has_firmware => HostFlow::Xclbin,
            Arch::Aie2p => HostFlow::NpuElf,
            Arch::Aie1 | Arch::Aie2 => HostFlow::Cdo,
            Arch::Aie2ps => HostFlow::Cert,
        }
    }

    fn kinds(self, xclbin: bool) -> &'static [&'static str] {
        match (self, xclbin) {
            (HostFlow::Cert, _) => &["ctrl-elf"],
            (HostFlow::Xclbin, _) => &["xclbin", "insts"],
            (HostFlow::Functions, _) => &["xclbin", "sequence-cpp", "sequence-python"],
            (HostFlow::Cdo, _) => &["cdo"],
            (HostFlow::NpuElf, false) => &["npu-elf"],
            (HostFlow::NpuElf, true) => &["npu-elf", "xclbin", "insts"],
        }
    }
}

/// Builds; the exit code.
pub fn run(args: &BuildArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::new(args.design.diagnostics.unwrap_or_default());
    let flow = flow(args, &mut session, io);
    let (bytes, flow, launch) = match flow {
        Ok(found) => found,
        Err(Reported) => {
            session.flush_diagnostics(io);
            return Exit::BadInput;
        }
    };
    let kinds: Vec<&'static EmitKind> = flow
        .kinds(args.xclbin)
        .iter()
        .filter_map(|name| find_kind(name))
        .collect();
    let folder = args.output.clone().unwrap_or_default();
    // a single kind would be written to the path itself
    let output = match kinds.as_slice() {
        [_] if flow == HostFlow::Cdo => args.output.clone(),
        [kind] => Some(folder.join(file_name(&args.input, kind))),
        _ => Some(folder.clone()),
    };
    // Standard input can't be read a second time: hand on its bytes.
    let mut again = bytes.as_slice();
    let io = &mut Io {
        stdin: &mut again,
        stdout: &mut *io.stdout,
        stderr: &mut *io.stderr,
        terminal: io.terminal,
        ends_process: io.ends_process,
        command_line: io.command_line.clone(),
        files_read: Vec::new(),
    };
    let compiled = compile::run(
        &CompileArgs {
            input: Some(args.input.clone()),
            emit: kinds.clone(),
            output,
            peano: args.peano.clone(),
            // Control code alone would hold the simulator's own programs.
            core: args.core.or(Some(CorePrograms::Machine)),
            design: args.design.clone(),
            ..CompileArgs::default()
        },
        io,
    );
    if compiled == Exit::Done {
        let parts = |device: &String| CDO_PARTS.map(|part| format!("{device}_aie_cdo_{part}.bin"));
        let names: Vec<String> = match flow {
            HostFlow::Cdo => launch.devices.iter().flat_map(parts).collect(),
            _ => kinds
                .iter()
                .map(|kind| file_name(&args.input, kind))
                .collect(),
        };
        let mut text = format!("wrote {}", names.join(", "));
        let _ = if folder.as_os_str().is_empty() {
            writeln!(text)
        } else {
            writeln!(text, " to {}", folder.display())
        };
        text += &match args.core {
            Some(CorePrograms::Model) => {
                "\nfor the simulator only: the cores hold programs that no hardware runs\n"
                    .to_string()
            }
            _ => host_code(flow, &names, &launch),
        };
        return crate::print(io, &text);
    }
    compiled
}

/// Names and counts that a host needs to launch a design.
struct Launch {
    /// Name of the device that has a sequence.
    kernel: String,
    /// Name of its first sequence.
    instance: String,
    /// Number of its arguments.
    arguments: usize,
    /// Those among them that are numbers, not buffers.
    numbers: Vec<usize>,
    /// The function that writes its transaction, if it uses numbers of the host.
    function: Option<String>,
    /// Names of all devices.
    devices: Vec<String>,
    /// Whether there is a sequence.
    has_sequence: bool,
    /// Names of the parameters of a run.
    parameters: Vec<String>,
}

impl Launch {
    fn of(module: &Module) -> Launch {
        let sequences = module.find_all::<RuntimeSequence>(module.top());
        let first = sequences.first().copied();
        let device = first.and_then(|s| Device::around(module, s.op()));
        let entry = first.and_then(|s| module.entry(s.op(), 0));
        let arguments = entry.map_or(&[][..], |block| module.block_args(block));
        let numbers = arguments.iter().enumerate();
        let numbers = numbers.filter(|(_, value)| module.ty(**value).as_memref().is_none());
        // One whose value `--scalar` gives is not used any more.
        let uses_any = numbers.clone().any(|(_, value)| module.has_uses(*value));
        let named = device.zip(first).filter(|_| uses_any);
        Launch {
            kernel: device.map_or("main".into(), |device| device.name(module)),
            instance: first.map_or("sequence".into(), |sequence| sequence.name(module)),
            arguments: arguments.len(),
            numbers: numbers.map(|(at, _)| at).collect(),
            function: named.map(|(device, sequence)| function_name(module, device, sequence)),
            devices: module
                .find_all::<Device>(module.top())
                .into_iter()
                .map(|device| device.name(module))
                .collect(),
            has_sequence: first.is_some(),
            parameters: module
                .find_all::<ScratchpadParameter>(module.top())
                .into_iter()
                .map(|parameter| parameter.sym_name(module).to_string())
                .collect(),
        }
    }
}

/// Whether a function of the host writes the transaction of a design, for numbers that are known then.
pub(crate) fn has_host_function(module: &Module) -> bool {
    let model = first_model(module);
    model.is_some_and(|model| HostFlow::of(model, &Launch::of(module)) == HostFlow::Functions)
}

/// The first device that the design is for.
fn first_model(module: &Module) -> Option<&'static DeviceModel> {
    let devices = module.find_all::<Device>(module.top());
    devices.iter().find_map(|device| device.model(module))
}

/// The design, what its device loads, and how a host launches it.
fn flow(
    args: &BuildArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<(Vec<u8>, HostFlow, Launch), Reported> {
    let bytes = session.read(&args.input, io)?;
    let file = session.add_text(&args.input, bytes.clone())?;
    let module = session.design(file, &args.design)?;
    match first_model(&module) {
        Some(model) => {
            let launch = Launch::of(&module);
            Ok((bytes, HostFlow::of(model, &launch), launch))
        }
        None => {
            let diag = Diag::error(
                &aiec_emit::ctrl::NO_DEVICE,
                "the file holds no device to build for",
            );
            Err(session.fail(diag.help("wrap the design in an `aie.device`")))
        }
    }
}

/// The lines of a host program, for XRT in C++ and Python. Sources: XRT's headers and binding
/// (`src/python/pybind11/src/pyxrt.cpp`: `elf`, `hw_context`, `ext.kernel(context, name)`, `run.set_arg`, `run.wait2`)
/// and mlir-aie's tests; not tried on hardware.
fn host_code(flow: HostFlow, names: &[String], launch: &Launch) -> String {
    let Launch {
        kernel,
        instance,
        arguments,
        numbers,
        function,
        has_sequence,
        parameters,
        ..
    } = launch;
    let list = |one: &dyn Fn(usize) -> String| {
        let each: Vec<String> = (0..*arguments).map(one).collect();
        each.join(", ")
    };
    let bo = list(&|i| format!("bo{i}"));
    let file = |extension: &str| {
        let named = names.iter().find(|name| name.ends_with(extension));
        named.cloned().unwrap_or_default()
    };
    match flow {
        HostFlow::Cert => {
            let elf = file(".elf");
            format!(
                "\n// C++ (XRT)\n\
                 xrt::elf elf(\"{elf}\");\n\
                 xrt::hw_context context(device, elf);\n\
                 xrt::ext::kernel kernel(context, xrt::module(elf), \"{kernel}\");\n\
                 kernel({bo}).wait();\n"
            )
        }
        HostFlow::Cdo => {
            let sequence = if *has_sequence {
                "Runtime sequences are not in them: nothing on this device executes one. \
                 The host program moves the data of shim tiles, with aie-rt; `aiec sim` runs all of it.\n"
            } else {
                ""
            };
            format!(
                "\nThe configuration, for the boot image: bootgen takes the files in this order.\n{sequence}"
            )
        }
        HostFlow::NpuElf => {
            let elf = file(".npu.elf");
            let set = match list(&|i| format!("run.set_arg({i}, bo{i})")) {
                set if set.is_empty() => set,
                set => set.replace(", run", "; run") + ";\n",
            };
            // mlir-aie: runtime_lib/test_lib/parameter_scratchpad.h, python/utils/hostruntime/xrtruntime/parameter_scratchpad.py
            let words = parameters.join(", ");
            let given = |lines: String| {
                if parameters.is_empty() {
                    String::new()
                } else {
                    lines
                }
            };
            let in_cpp = given(format!(
                "// words of {words}, in the places of --emit=scratchpad-parameters\n\
                 auto scratchpad = run.get_ctrl_scratchpad_bo();\n\
                 scratchpad.write(words); scratchpad.sync(XCL_BO_SYNC_BO_TO_DEVICE);\n"
            ));
            let in_python = given(format!(
                "# words of {words}, in the places of --emit=scratchpad-parameters\n\
                 scratchpad = run.get_ctrl_scratchpad_bo()\n\
                 scratchpad.write(words, 0); scratchpad.sync(pyxrt.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE)\n"
            ));
            format!(
                "\n// C++ (XRT)\n\
                 xrt::elf elf(\"{elf}\");\n\
                 xrt::hw_context context(device, elf);\n\
                 xrt::ext::kernel kernel(context, \"{kernel}:{instance}\");\n\
                 xrt::run run(kernel);\n\
                 {set}{in_cpp}\
                 run.start(); run.wait2();\n\
                 \n# Python (pyxrt)\n\
                 elf = pyxrt.elf(\"{elf}\")\n\
                 context = pyxrt.hw_context(device, elf)\n\
                 kernel = pyxrt.ext.kernel(context, \"{kernel}:{instance}\")\n\
                 run = pyxrt.run(kernel)\n\
                 {set}{in_python}\
                 run.start(); run.wait2()\n"
            )
        }
        HostFlow::Xclbin | HostFlow::Functions => {
            let xclbin = file(".xclbin");
            let (insts, in_cpp, in_python) = if let Some(function) = function {
                let given = numbers.iter().map(|at| format!("arg{at}"));
                let given = given.collect::<Vec<_>>().join(", ");
                let (header, script) = (file(".hpp"), file(".py"));
                (
                    "what the function returns".to_string(),
                    format!(
                        "#include \"{header}\"\n\
                         // no value: the array can't do it for these numbers\n\
                         auto words = {function}({given});\n"
                    ),
                    format!(
                        "# {script}; ValueError: the array can't do it for these numbers\n\
                         instructions = {function}({given})\n"
                    ),
                )
            } else {
                let insts = file(".insts.bin");
                (
                    format!("the words of {insts}"),
                    String::new(),
                    String::new(),
                )
            };
            // A number has its place among the arguments, which nothing reads.
            let bo = list(&|i| {
                if numbers.contains(&i) {
                    "0".to_string()
                } else {
                    format!("bo{i}")
                }
            });
            format!(
                "\n// C++ (XRT)\n{in_cpp}\
                 xrt::xclbin xclbin(\"{xclbin}\"); device.register_xclbin(xclbin);\n\
                 xrt::hw_context context(device, xclbin.get_uuid());\n\
                 xrt::kernel kernel(context, \"MLIR_AIE\");\n\
                 // instructions: {insts}, in a cacheable buffer of kernel.group_id(1)\n\
                 // buffer i: host only, of kernel.group_id(3 + i)\n\
                 kernel(3, bo_instructions, number_of_words, {bo}).wait();\n\
                 \n# Python (pyxrt)\n{in_python}\
                 xclbin = pyxrt.xclbin(\"{xclbin}\"); device.register_xclbin(xclbin)\n\
                 context = pyxrt.hw_context(device, xclbin.get_uuid())\n\
                 kernel = pyxrt.kernel(context, \"MLIR_AIE\")\n\
                 kernel(3, bo_instructions, number_of_words, {bo}).wait()\n"
            )
        }
    }
}
