//! Options that several commands share, and those of commands without a file of their own.

pub mod aiecc;
pub mod core_targets;
pub mod general;
pub mod values;

use std::path::PathBuf;

use aiec_device::DeviceModel;
use aiec_emit::EmitKind;
use aiec_passes::jobs::Jobs;
use aiec_passes::reconfigure::prologue::{DEFAULT_PROLOGUE, Prologue};
use aiec_passes::reconfigure::{DEFAULT_RECONFIGURE, Reconfigure};
use aiec_sim::cert::Probe;
use aiec_sim::trace::Format as TraceFormat;
use clap::{Arg, Args, ValueEnum};

use crate::args::core_targets::CoreTarget;
use crate::io::diagnostics::Format;
use aiecc::AieccChoice;
use values::{
    cycles, device, emit_kind, indexed_number, indexed_path, indexed_size, jobs, named_cycles,
    named_path, pass_name, probe, prologue, reconfigure, seed, tolerance, trace_format,
};

/// Options common to all commands that read a design.
#[derive(Args, Clone, Debug, Default)]
pub struct DesignArgs {
    /// Compile for this device instead of the one the design names; run a file on it
    #[arg(help_heading = "What to compile", long, value_name = "NAME", value_parser = device)]
    pub device: Option<&'static DeviceModel>,
    /// Compile this device of a design with several: the symbol of its `aie.device`
    #[arg(
        help_heading = "What to compile",
        long = "device-name",
        value_name = "NAME"
    )]
    pub main_device: Option<String>,
    /// Compile this runtime sequence of a device with several
    #[arg(help_heading = "What to compile", long, value_name = "NAME")]
    pub sequence: Option<String>,
    /// Compile for this value of scalar argument N of the runtime sequence; may be repeated
    #[arg(help_heading = "What to compile", long = "scalar", value_name = "N=VALUE", value_parser = indexed_number)]
    pub scalars: Vec<(u32, i128)>,
    /// Writes when a sequence loads another device
    #[arg(help_heading = "Control code", long, value_name = "WAY", value_parser = reconfigure(), help = format!(
        "Writes when a sequence loads another device: all of it, or only differences [default: {}]", DEFAULT_RECONFIGURE.name()))]
    pub reconfigure: Option<Reconfigure>,
    /// Code in front of control code
    #[arg(help_heading = "Control code", long, value_name = "WHAT", value_parser = prologue(), help = format!(
        "Code in front of control code: nothing, for an array that was reset; or resets of the parts that the design uses, \
         for one in an unknown state [default: {}]", DEFAULT_PROLOGUE.name()))]
    pub prologue: Option<Prologue>,
    /// Division of work by control code
    #[arg(help_heading = "Control code", long, value_name = "WAY", value_parser = jobs(), help =
        "Division of the work by control code: one controller, one for each column, or overlapping too [default: parallel; single \
         on devices without controllers in their columns, such as npu1 and npu2]")]
    pub jobs: Option<Jobs>,
    /// Arbiters of a stream switch that packets may use: as many as mlir-aie's verifier accepts, or
    /// as many as AIE2 and later have, for packet flows that can't be routed otherwise [default: 6]
    #[arg(help_heading = "Control code", long, value_name = "N", value_parser = ["6", "8"])]
    pub arbiters: Option<String>,
    /// Scheme by which buffers are placed, as an option of the pass names it
    #[arg(skip)]
    pub alloc_scheme: Option<String>,
    /// Most cores that are placed in a column, as the pass takes it
    #[arg(skip)]
    pub cores_per_col: Option<String>,
    /// All object fifos are packet-switched
    #[arg(skip)]
    pub packet_fifos: bool,
    /// Each tile gets a way for control packets from the shim tile of its column
    #[arg(skip)]
    pub control_overlay: bool,
    /// Functions that the design only declares get their bodies from this file; may be repeated
    #[arg(help_heading = "What to compile", long, value_name = "FILE.mlir")]
    pub link: Vec<PathBuf>,
    /// Form of diagnostics [default: text; mlir for `aiec opt` into a file or pipe]
    #[arg(help_heading = "Diagnosis", long, value_name = "FORMAT", value_enum)]
    pub diagnostics: Option<Format>,
    /// Verify the design after each pass
    #[arg(help_heading = "Diagnosis", long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value = "false", default_missing_value = "true", hide_default_value = true,
          hide_possible_values = true, action = clap::ArgAction::Set)]
    pub verify_each: bool,
    /// Let upstream MLIR verify the design, and the result (builds with the feature `mlir` only)
    #[arg(help_heading = "Diagnosis", long)]
    pub verify_with_mlir: bool,
    /// Print what functions and loops of each core's machine code take, and what limits them, to standard error
    #[arg(help_heading = "Diagnosis", long)]
    pub core_report: bool,
    /// Print the design after each pass, or after one, to standard error
    #[arg(help_heading = "Diagnosis", long, value_name = "PASS", num_args = 0..=1, require_equals = true,
          default_missing_value = "", value_parser = pass_name)]
    pub print_ir_after: Option<String>,
    /// Print the design before each pass, or before one, to standard error
    #[arg(help_heading = "Diagnosis", long, value_name = "PASS", num_args = 0..=1, require_equals = true,
          default_missing_value = "", value_parser = pass_name)]
    pub print_ir_before: Option<String>,
}

/// Headings of the options that a compilation has for `--simulate` only.
const SIMULATION_HEADINGS: [&str; 4] = [
    "Watching a run",
    "Arguments of the sequence",
    "Cores",
    "End of a run",
];

/// Lets an option for the simulation of what was compiled ask for `--simulate`.
fn needs_simulate(arg: Arg) -> Arg {
    let heading = arg.get_help_heading();
    if heading.is_some_and(|heading| SIMULATION_HEADINGS.contains(&heading)) {
        arg.requires("simulate")
    } else {
        arg
    }
}

/// `aiec design.mlir`
#[derive(Args, Debug, Default)]
#[command(mut_args(needs_simulate))]
pub struct CompileArgs {
    /// The design; `-` is standard input
    #[arg(value_name = "DESIGN.mlir", required = true)]
    pub input: Option<PathBuf>,
    /// Kind of output
    #[arg(help_heading = "Output", long, value_name = "KIND", value_parser = emit_kind(), value_delimiter = ',',
          default_value = aiec_emit::KINDS[0].name)]
    pub emit: Vec<&'static EmitKind>,
    /// Where to write: a file, a folder for several kinds, or `-`
    #[arg(help_heading = "Output", short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Another design whose routing `routing-svg` and `routing-html` compare with
    #[arg(help_heading = "Output", long, value_name = "DESIGN.mlir")]
    pub compare_routing: Option<PathBuf>,
    /// Compile cores to machine code with the LLVM for AI Engines in this folder: DIR/bin/clang
    /// (builds with the feature `mlir` only)
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    pub peano: Option<PathBuf>,
    /// Programs of cores with bodies: machine code, the default of files for hardware, or the
    /// simulator's own programs, that of control code
    #[arg(help_heading = "Output", long, value_enum, value_name = "WHAT")]
    pub core: Option<CorePrograms>,
    /// Where kinds are written that have places of their own; of those with several files `{0}` is the name of
    /// the part
    #[arg(skip)]
    pub places: Vec<(&'static str, PathBuf)>,
    /// Requests that only aiecc has options for
    #[arg(skip)]
    pub aiecc: AieccChoice,
    /// Name of the kernel in files for Ryzen AI
    #[arg(skip)]
    pub kernel: Option<String>,
    /// Name of its instance
    #[arg(skip)]
    pub instance: Option<String>,
    /// Its number
    #[arg(skip)]
    pub kernel_id: Option<u16>,
    /// An xclbin whose kernels come first in the one that is written
    #[arg(skip)]
    pub xclbin_input: Option<PathBuf>,
    /// Run the result on a model of the array
    #[arg(help_heading = "Simulation", long)]
    pub simulate: bool,
    /// Print how long each pass took, and its counters, to standard error
    #[arg(help_heading = "Diagnosis", long)]
    pub timing: bool,
    /// Compile again whenever a file changes that was read, until Ctrl-C
    #[arg(help_heading = "Output", long)]
    pub watch: bool,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
    /// Options of the simulation
    #[command(flatten)]
    pub run: RunArgs,
}

/// Treatment of races.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RaceCheck {
    /// They are reported.
    #[default]
    On,
    /// Nothing.
    Off,
    /// They let the run fail.
    Error,
}

/// Options of a simulation.
#[derive(Args, Clone, Debug, Default)]
pub struct RunArgs {
    /// Control body that controller UC records at its probes, as `aiec asm -t probes` writes it
    #[arg(help_heading = "Watching a run", long = "probe-body", value_name = "UC=FILE", value_parser = indexed_path)]
    pub probe_bodies: Vec<(u32, PathBuf)>,
    /// Write the control body of controller UC with the times that it recorded; `aiec dis -t probes` shows them
    #[arg(help_heading = "Watching a run", long = "probe-body-out", value_name = "UC=FILE", value_parser = indexed_path, requires = "probe_bodies")]
    pub probe_bodies_out: Vec<(u32, PathBuf)>,
    /// Contents of argument N of the runtime sequence: raw little-endian bytes, or .npy
    #[arg(help_heading = "Arguments of the sequence", long = "arg", value_name = "N=FILE", value_parser = indexed_path)]
    pub args: Vec<(u32, PathBuf)>,
    /// Write argument N after completion
    #[arg(help_heading = "Arguments of the sequence", long = "out", value_name = "N=FILE", value_parser = indexed_path)]
    pub outs: Vec<(u32, PathBuf)>,
    /// Compare argument N with the content of a file after completion; may be repeated
    #[arg(help_heading = "Arguments of the sequence", long = "expect", value_name = "N=FILE", value_parser = indexed_path)]
    pub expected: Vec<(u32, PathBuf)>,
    /// Tolerated difference of elements from the expected ones, in parts of these
    #[arg(help_heading = "Arguments of the sequence", long, value_name = "R", value_parser = tolerance, default_value = "0", allow_negative_numbers = true,
          hide_default_value = true, requires = "expected")]
    pub rtol: f64,
    /// Tolerated difference of elements from the expected ones
    #[arg(help_heading = "Arguments of the sequence", long, value_name = "A", value_parser = tolerance, default_value = "0", allow_negative_numbers = true,
          hide_default_value = true, requires = "expected")]
    pub atol: f64,
    /// Size of argument N in bytes, if the ELF doesn't say
    #[arg(help_heading = "Arguments of the sequence", long = "arg-size", value_name = "N=BYTES", value_parser = indexed_size)]
    pub sizes: Vec<(u32, u64)>,
    /// Run calls of this external function as the function of that name in a shared library
    #[arg(help_heading = "Cores", long = "kernel", value_name = "NAME=LIB.so", value_parser = named_path)]
    pub kernels: Vec<(String, PathBuf)>,
    /// Targets of cores
    #[arg(skip)]
    pub cores: Vec<(String, CoreTarget)>,
    /// Cycles of each call of an external function, or of each operation of cores by its name
    #[arg(help_heading = "Cores", long = "core-cycles", value_name = "NAME=N", value_parser = named_cycles)]
    pub core_cycles: Vec<(String, u64)>,
    /// Stop a core whose machine code breaks a rule of the pipeline: old values, ports, locks, loops,
    /// branch targets, undefined registers, unaligned accesses
    #[arg(help_heading = "Cores", long)]
    pub core_strict: bool,
    /// Write a report of the run: as JSON, or as a table if the name ends in .txt
    #[arg(
        help_heading = "Watching a run",
        long,
        value_name = "FILE.json|FILE.txt"
    )]
    pub report: Option<PathBuf>,
    /// Write the dataflow of the design as a page, with the results of the run: where cores stall,
    /// how much moves, which parts wait for which
    #[arg(help_heading = "Watching a run", long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Show the busiest tile, the one that stalls most, what moved from and to the host, and a sketch of
    /// the array at the end, as on a terminal
    #[arg(help_heading = "Watching a run", long)]
    pub summary: bool,
    /// Show why the run took its time: the chain of causes from its last cycle back, by part. With --report it is
    /// in the report too
    #[arg(help_heading = "Watching a run", long, conflicts_with = "trace_from")]
    pub critical_path: bool,
    /// Write the cycles of cores as folded stacks of functions, loops and lines, which flame graph
    /// tools read
    #[arg(help_heading = "Watching a run", long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Fail (exit code 3) where a completed run has hazards or leaves something unfinished
    #[arg(help_heading = "End of a run", long)]
    pub strict: bool,
    /// Look for accesses that nothing but time puts in order: report them, also let the run fail (exit
    /// code 3), or don't look
    #[arg(
        help_heading = "End of a run",
        long,
        value_name = "ON|OFF|ERROR",
        value_enum,
        default_value_t
    )]
    pub races: RaceCheck,
    /// Stop after this many array clock cycles
    #[arg(help_heading = "End of a run", long, value_name = "N", value_parser = cycles, allow_negative_numbers = true)]
    pub max_cycles: Option<u64>,
    /// Write a trace of everything that happens; the file's ending names the format
    #[arg(help_heading = "Watching a run", long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The format of the trace, whatever its file is called
    #[arg(help_heading = "Watching a run", long, value_name = "FORMAT", value_parser = trace_format(), requires = "trace")]
    pub trace_format: Option<TraceFormat>,
    /// Leave out what happens before this cycle
    #[arg(help_heading = "Watching a run", long,
        value_name = "CYCLE",
        value_parser = cycles,
        allow_negative_numbers = true,
        requires = "trace",
        default_value = "0",
        hide_default_value = true
    )]
    pub trace_from: u64,
    /// Stop when this happens, for instance lock:(2,3):1 or line:40; may be repeated
    #[arg(help_heading = "End of a run", long = "break", value_name = "PLACE")]
    pub breaks: Vec<String>,
    /// Stop after this cycle
    #[arg(help_heading = "End of a run", long, value_name = "CYCLE", value_parser = cycles, allow_negative_numbers = true)]
    pub until: Option<u64>,
    /// Print what is there at the end, for instance mem:(2,3):0x400+64 or buffer:NAME; may be
    /// repeated
    #[arg(help_heading = "Watching a run", long = "dump", value_name = "PLACE")]
    pub dumps: Vec<String>,
}

/// `aiec sim`
#[derive(Args, Debug)]
pub struct SimArgs {
    /// A control code ELF, or a design or assembly (.asm) that is compiled first; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "report_schema")]
    pub input: Option<PathBuf>,
    /// Print the JSON schema of --report
    #[arg(help_heading = "Watching a run", long)]
    pub report_schema: bool,
    /// Run again whenever a file changes that was read, until Ctrl-C
    #[arg(help_heading = "Watching a run", long)]
    pub watch: bool,
    /// Whether time is modelled; the data are the same without
    #[arg(help_heading = "The model", long, value_name = "ON|OFF", value_enum, default_value_t = Timing::default())]
    pub timing: Timing,
    /// Add random latencies drawn from this seed; the data of a sound design stay the same
    #[arg(help_heading = "The model", long, value_name = "SEED", value_parser = seed, allow_negative_numbers = true)]
    pub jitter: Option<u64>,
    /// Move each word and execute each instruction of cores by itself, not in bursts and loops: slower,
    /// with the same outcome
    #[arg(help_heading = "The model", long)]
    pub sim_exact: bool,
    /// Switch the context at this preemption point (the id in PREEMPT); may be repeated
    #[arg(help_heading = "The model", long, value_name = "ID")]
    pub preempt: Vec<u16>,
    /// Record when controller UC comes to the instruction at a byte offset of a page
    #[arg(help_heading = "Watching a run", long = "probe", value_name = "UC:PAGE:OFFSET", value_parser = probe)]
    pub probes: Vec<Probe>,
    /// Writes to addresses where the device has nothing: end the run, or only report them
    #[arg(
        help_heading = "The model",
        long,
        value_name = "FAULT|REPORT",
        value_enum,
        default_value_t
    )]
    pub unmapped: Unmapped,
    /// The instructions that go with an xclbin: insts.bin, insts.txt, insts.elf or a .seq of 2023
    #[arg(help_heading = "Files of Ryzen AI", long, value_name = "FILE")]
    pub insts: Option<PathBuf>,
    /// The kernel of an xclbin or an ELF of Ryzen AI, where there are several
    #[arg(
        help_heading = "Files of Ryzen AI",
        long,
        value_name = "NAME[:INSTANCE]"
    )]
    pub kernel_name: Option<String>,
    /// The parameters of the run that the firmware's scratchpad holds (npu2): 32-bit words, lowest byte first, in
    /// the order of --emit=scratchpad-parameters
    #[arg(help_heading = "Files of Ryzen AI", long, value_name = "FILE")]
    pub scratchpad: Option<PathBuf>,
    /// Programs of a design's cores: `machine` code made of their bodies, or the `model`'s own
    /// programs (default). CORE=LIB.so:FN runs a function of a shared library, CORE=stub nothing,
    /// instead of the contents of program memory; CORE is (COLUMN,ROW), a name or `all`; may be
    /// repeated
    #[arg(long = "core", value_name = "machine|model|CORE=LIB.so:FN|CORE=stub", value_parser = CoreOption::parse)]
    pub cores: Vec<CoreOption>,
    /// Run a design as what a driver of Ryzen AI loads, not as control code
    #[arg(
        help_heading = "Files of Ryzen AI",
        long = "as",
        value_name = "KIND",
        value_enum
    )]
    pub run_as: Option<SimulatedAs>,
    /// Options of the simulation
    #[command(flatten)]
    pub run: RunArgs,
    /// Options of the compilation, if the input is a design
    #[command(flatten)]
    pub design: DesignArgs,
}

/// A value of `aiec sim --core`.
#[derive(Clone, Debug)]
pub enum CoreOption {
    /// Programs of all cores with bodies.
    Programs(CorePrograms),
    /// Target of one core, or of all, instead of the contents of their program memory.
    Target(String, CoreTarget),
}

impl CoreOption {
    fn parse(text: &str) -> Result<CoreOption, String> {
        match CorePrograms::from_str(text, false) {
            Ok(programs) => Ok(CoreOption::Programs(programs)),
            Err(_) => {
                core_targets::parse(text).map(|(core, target)| CoreOption::Target(core, target))
            }
        }
    }
}

impl SimArgs {
    /// Programs of cores with bodies; the last that is given counts.
    pub fn core_programs(&self) -> Option<CorePrograms> {
        self.cores.iter().rev().find_map(|option| match option {
            CoreOption::Programs(programs) => Some(*programs),
            CoreOption::Target(..) => None,
        })
    }

    /// Functions that cores run instead of the contents of their program memory.
    pub fn core_targets(&self) -> Vec<(String, CoreTarget)> {
        let given = self.cores.iter().filter_map(|option| match option {
            CoreOption::Programs(_) => None,
            CoreOption::Target(core, target) => Some((core.clone(), target.clone())),
        });
        given.collect()
    }
}

/// Form in which a design is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SimulatedAs {
    /// An ELF with configurations and transactions (npu2).
    NpuElf,
    /// An xclbin with a transaction.
    Xclbin,
    /// An xclbin with a transaction in an ELF, whose addresses the host patches.
    XclbinElf,
}

/// Effect of a write to an address without a register or memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Unmapped {
    /// It ends the run.
    #[default]
    Fault,
    /// It is in the report.
    Report,
}

/// Programs that cores with bodies run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorePrograms {
    /// Machine code, made of the body.
    Machine,
    /// The simulator's own programs: the file is not for hardware.
    Model,
}

/// Whether time is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Timing {
    /// Everything takes the cycles of the model.
    #[default]
    On,
    /// Everything goes as fast as causes allow.
    Off,
}

/// `aiec example`
#[derive(Args, Debug)]
pub struct ExampleArgs {
    /// A folder with design.mlir, argN.bin (inputs) and expectedN.bin (outputs)
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
    /// Where to write the ELF, the outputs, the report and the picture of the routing
    #[arg(short, long, value_name = "FOLDER", default_value = "target/examples")]
    pub output: PathBuf,
}

/// Form of what a command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// `aiec explain`
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// The code, as a diagnostic shows it
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// Form of the text; with `json` and without a code, all codes with what they mean
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `aiec completions`
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}
