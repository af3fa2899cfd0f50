//! Emitters: pure functions from a module to the bytes or the picture that `--emit=KIND` writes. One
//! file for each format; [`KINDS`] lists those of `--emit`.
//!
//! An emitter sees the module after the passes it asks for ([`EmitKind::needs`]) and answers the
//! whole content of the file. It reads no files and writes none.

pub mod ctrl;
pub mod dataflow;
mod debug_names;
pub mod flows_json;
mod job_graph;
mod memory_map;
mod mlir;
pub mod npu;
pub mod npu_binary;
mod report;
pub mod routing_dot;
pub mod routing_html;
pub mod routing_json;
pub mod routing_svg;
mod routing_view;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::jobs::program::Choice;
use ctrl::ControlProgram;
use npu::NpuChoice;

/// How far a design must be compiled before a kind can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// All flows are switch connections and every buffer, lock and BD has its place.
    Routed,
    /// The same, and cores have machine code if a compiler for them was given.
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

/// Writes the control code of a module.
pub type ProgramEmitter =
    fn(&Module, &ControlProgram, &SourceMap, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes a module as several files: the name of each, without the design's, and its content.
pub type PartsEmitter =
    fn(&Module, &SourceMap, &mut Diags) -> Result<Vec<(String, Vec<u8>)>, Reported>;

/// Writes what a module becomes if work is divided in a way.
pub type WorkEmitter = fn(&Module, &Choice, &mut Diags) -> Result<Vec<u8>, Reported>;

/// Writes what the firmware of Ryzen AI loads.
pub type NpuEmitter = fn(&Module, &NpuChoice, &mut Diags) -> Result<Vec<u8>, Reported>;

/// The same as several files.
pub type NpuPartsEmitter =
    fn(&Module, &NpuChoice, &mut Diags) -> Result<Vec<(String, Vec<u8>)>, Reported>;

/// How many files a kind is, and what it depends on.
#[derive(Clone, Copy, Debug)]
pub enum Emit {
    /// One file.
    One(Emitter),
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
    /// Whether a micro-controller is meant to run it.
    pub for_cert: bool,
    /// The emitter.
    pub emit: Emit,
}

/// The kinds that need nothing but the module; the first is the default.
pub static KINDS: &[EmitKind] = &[
    EmitKind {
        name: "ctrl-elf",
        summary: "Control code: the ELF that the micro-controllers load",
        extension: "elf",
        needs: Stage::ControlCode,
        text: false,
        for_cert: true,
        emit: Emit::Program(ctrl::elf),
    },
    EmitKind {
        name: "ctrl-asm",
        summary: "Control code as assembly",
        extension: "asm",
        needs: Stage::ControlCode,
        text: true,
        for_cert: true,
        emit: Emit::Program(ctrl::asm),
    },
    EmitKind {
        name: "insts",
        summary: "The transaction of a runtime sequence, for Ryzen AI's firmware beside an xclbin",
        extension: "insts.bin",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::Npu(npu::instructions),
    },
    EmitKind {
        name: "insts-elf",
        summary: "The same as an ELF whose addresses the host patches",
        extension: "insts.elf",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::Npu(npu::partial_elf),
    },
    EmitKind {
        name: "xclbin",
        summary: "The configuration of a device and its kernel's signature, for npu1 and npu2",
        extension: "xclbin",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::Npu(npu::xclbin),
    },
    EmitKind {
        name: "npu-elf",
        summary: "Configurations and transactions in one ELF, for npu2",
        extension: "npu.elf",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::Npu(npu::full_elf),
    },
    EmitKind {
        name: "pdi",
        summary: "The configuration of each device as a boot image for Ryzen AI's firmware",
        extension: "pdi",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::NpuParts(npu::pdi_files),
    },
    EmitKind {
        name: "cdo",
        summary: "The configuration of each device as three command files for boot image tools",
        extension: "bin",
        needs: Stage::MachineCode,
        text: false,
        for_cert: false,
        emit: Emit::NpuParts(npu::cdo_files),
    },
    EmitKind {
        name: "mlir",
        summary: "The module after all passes",
        extension: "out.mlir",
        needs: Stage::ControlCode,
        text: true,
        for_cert: false,
        emit: Emit::One(mlir::custom),
    },
    EmitKind {
        name: "mlir-generic",
        summary: "The module after all passes, in generic form",
        extension: "generic.mlir",
        needs: Stage::ControlCode,
        text: true,
        for_cert: false,
        emit: Emit::One(mlir::generic),
    },
    EmitKind {
        name: "routing-json",
        summary: "The routed array for programs",
        extension: "routing.json",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(routing_json::emit),
    },
    EmitKind {
        name: "routing-json-schema",
        summary: "The JSON schema of routing-json, the same for every design",
        extension: "routing.schema.json",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(routing_json::schema),
    },
    EmitKind {
        name: "routing-dot",
        summary: "The routed array for Graphviz",
        extension: "routing.dot",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(routing_dot::emit),
    },
    EmitKind {
        name: "routing-svg",
        summary: "A picture of the routed array",
        extension: "routing.svg",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(routing_svg::emit),
    },
    EmitKind {
        name: "routing-html",
        summary: "The routed array as a page to look around in",
        extension: "routing.html",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(routing_html::emit),
    },
    EmitKind {
        name: "design-svg",
        summary: "A picture of the dataflow: kernels, object fifos, host buffers",
        extension: "design.svg",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(dataflow::svg),
    },
    EmitKind {
        name: "design-html",
        summary: "The dataflow as a page to look around in",
        extension: "design.html",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(dataflow::html),
    },
    EmitKind {
        name: "job-graph",
        summary: "What must stay ordered in the control code, for Graphviz",
        extension: "jobs.dot",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::Work(job_graph::dot),
    },
    EmitKind {
        name: "job-graph-svg",
        summary: "A picture of what must stay ordered in the control code",
        extension: "jobs.svg",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::Work(job_graph::svg),
    },
    EmitKind {
        name: "memory-map",
        summary: "Where each buffer lies",
        extension: "map.txt",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(memory_map::emit),
    },
    EmitKind {
        name: "report",
        summary: "What of each tile's resources is used",
        extension: "report.txt",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(report::text),
    },
    EmitKind {
        name: "report-json",
        summary: "What of each tile's resources is used, for programs",
        extension: "report.json",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(report::json),
    },
    EmitKind {
        name: "report-json-schema",
        summary: "The JSON schema of report-json, the same for every design",
        extension: "report.schema.json",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::One(report::schema),
    },
];
