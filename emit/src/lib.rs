//! Emitters: pure functions from a module to the bytes or the picture that `--emit=KIND` writes. One
//! file for each format; [`KINDS`] lists those of `--emit`.
//!
//! An emitter sees the module after the passes it asks for ([`EmitKind::needs`]) and returns the
//! whole content of the file. It reads no files and writes none.

pub mod ctrl;
pub mod dataflow;
mod debug_names;
pub mod device_facts;
pub mod flows_json;
mod job_graph;
pub mod linker_files;
mod memory_map;
pub mod mlir;
pub mod npu;
pub mod npu_binary;
pub mod report;
pub mod routing_dot;
pub mod routing_html;
pub mod routing_json;
mod routing_picture;
pub mod routing_svg;
mod routing_view;
pub mod routings;
mod scratchpad_parameters;
pub mod sequence_program;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::jobs::program::ControlCodeOptions;
use ctrl::ControlProgram;
use npu::NpuOptions;
use routings::OtherRouting;

/// Stage of compilation that a kind needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// All flows are switch connections and every buffer, lock and BD has its place.
    Routed,
    /// Same as the stage before, and cores have machine code if a compiler for them was given.
    MachineCode,
    /// The whole pipeline has run: there is control code.
    ControlCode,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 3] = [Stage::Routed, Stage::MachineCode, Stage::ControlCode];
}

/// Writes a module in one format.
pub type Emitter = fn(&Module, &SourceMap, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes a picture of a routed module, compared with another one where that is given.
pub type RoutingEmitter =
    fn(&Module, Option<&OtherRouting<'_>>, &SourceMap, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes the control code of a module.
pub type ProgramEmitter =
    fn(&Module, &ControlProgram, &SourceMap, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes a module as several files: the name of each, without the design's, and its content.
pub type PartsEmitter =
    fn(&Module, &SourceMap, &mut Diags) -> Result<Vec<(String, Vec<u8>)>, Reported>;

/// Writes what a module becomes if work is divided in a way.
pub type WorkEmitter = fn(&Module, &ControlCodeOptions, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes what the firmware of Ryzen AI loads.
pub type NpuEmitter = fn(&Module, &NpuOptions, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Same as [`NpuEmitter`], for several files.
pub type NpuPartsEmitter =
    fn(&Module, &NpuOptions, &mut Diags) -> Result<Vec<(String, Vec<u8>)>, Reported>;

/// Number of a kind's files, and its inputs.
#[derive(Clone, Copy, Debug)]
pub enum Emit {
    /// One file.
    One(Emitter),
    /// One file, a picture of the routing.
    Routing(RoutingEmitter),
    /// One file, of the control code.
    Program(ProgramEmitter),
    /// One file, which shows how work is divided.
    Work(WorkEmitter),
    /// One for each part of the design.
    Parts(PartsEmitter),
    /// One file for the firmware of Ryzen AI.
    Npu(NpuEmitter),
    /// Several files for the firmware of Ryzen AI.
    NpuParts(NpuPartsEmitter),
}

/// A row of [`KINDS`].
#[derive(Debug)]
pub struct EmitKind {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// The name's ending of a file of this kind, without the dot.
    pub extension: &'static str,
    /// The stage that the module must have reached.
    pub needs: Stage,
    /// Whether the content is text that can be shown on a terminal.
    pub text: bool,
    /// The emitter.
    pub emit: Emit,
}

impl EmitKind {
    /// Whether its files hold the programs of cores, which hardware runs as machine code only.
    pub fn holds_core_programs(&self) -> bool {
        let of_sequence = ["insts", "insts-elf"];
        self.needs == Stage::MachineCode && !of_sequence.contains(&self.name)
    }

    /// Whether a micro-controller is meant to run it.
    pub const fn for_cert(&self) -> bool {
        matches!(self.emit, Emit::Program(_))
    }
}

/// Declares kinds. A row is: name, ending of the file's name without the dot, text or binary, the
/// stage that is needed, the emitter, and one line for the help text.
#[macro_export]
macro_rules! emit_kinds {
    ($($name:literal $extension:literal $content:ident $needs:ident $emit:ident($emitter:path)
        $summary:literal;)*) => {
        &[$($crate::EmitKind {
            name: $name,
            summary: $summary,
            extension: $extension,
            needs: $crate::Stage::$needs,
            text: $crate::emit_kinds!(@$content),
            emit: $crate::Emit::$emit($emitter),
        }),*]
    };
    (@text) => { true };
    (@binary) => { false };
}

/// The kinds that need nothing but the module; the first is the default.
pub static KINDS: &[EmitKind] = emit_kinds! {
    "ctrl-elf" "elf" binary ControlCode Program(ctrl::elf)
        "Control code: the ELF that the micro-controllers load";
    "ctrl-asm" "asm" text ControlCode Program(ctrl::asm)
        "Control code as assembly";
    "insts" "insts.bin" binary MachineCode Npu(npu::instructions)
        "The transaction of a runtime sequence, for Ryzen AI's firmware beside an xclbin";
    "insts-elf" "insts.elf" binary MachineCode Npu(npu::partial_elf)
        "The same as an ELF whose addresses the host patches";
    "xclbin" "xclbin" binary MachineCode Npu(npu::xclbin)
        "The configuration of a device and its kernel's signature, for npu1 and npu2";
    "npu-elf" "npu.elf" binary MachineCode Npu(npu::full_elf)
        "Configurations and transactions in one ELF, for npu2";
    "sequence-cpp" "sequence.hpp" text Routed Npu(sequence_program::cpp)
        "Functions in C++ that write the transactions of runtime sequences for values of their scalar arguments";
    "sequence-python" "sequence.py" text Routed Npu(sequence_program::python)
        "The same in Python";
    "control-packets" "ctrlpkt.bin" binary Routed Npu(npu::control_packets)
        "The control packets of a runtime sequence, as the host buffer that is streamed holds them";
    "pdi" "pdi" binary MachineCode NpuParts(npu::pdi_files)
        "The configuration of each device as a boot image for Ryzen AI's firmware";
    "cdo" "bin" binary MachineCode NpuParts(npu::cdo_files)
        "The configuration of each device as three command files for boot image tools";
    "mlir" "out.mlir" text ControlCode One(mlir::custom)
        "The module after all passes";
    "mlir-generic" "generic.mlir" text ControlCode One(mlir::generic)
        "The module after all passes, in generic form";
    "routing-json" "routing.json" text Routed One(routing_json::emit)
        "The routed array for programs";
    "routing-json-schema" "routing.schema.json" text Routed One(routing_json::schema)
        "The JSON schema of routing-json, the same for every design";
    "routing-dot" "routing.dot" text Routed One(routing_dot::emit)
        "The routed array for Graphviz";
    "routing-svg" "routing.svg" text Routed Routing(routing_svg::emit)
        "A picture of the routed array";
    "routing-html" "routing.html" text Routed Routing(routing_html::emit)
        "The routed array as a page to look around in";
    "design-svg" "design.svg" text Routed One(dataflow::svg)
        "A picture of the dataflow: kernels, object fifos, host buffers";
    "design-html" "design.html" text Routed One(dataflow::html)
        "The dataflow as a page to look around in";
    "job-graph" "jobs.dot" text Routed Work(job_graph::dot)
        "What must stay ordered in the control code, for Graphviz";
    "job-graph-svg" "jobs.svg" text Routed Work(job_graph::svg)
        "A picture of what must stay ordered in the control code";
    "memory-map" "map.txt" text Routed One(memory_map::emit)
        "Where each buffer lies";
    "scratchpad-parameters" "params.txt" text Routed One(scratchpad_parameters::emit)
        "The parameters of the scratchpad, as mlir-aie's host library reads them";
    "report" "report.txt" text Routed One(report::text)
        "What of each tile's resources is used";
    "report-json" "report.json" text Routed One(report::json)
        "What of each tile's resources is used, for programs";
    "report-json-schema" "report.schema.json" text Routed One(report::schema)
        "The JSON schema of report-json, the same for every design";
};
