//! The kinds that `--emit` accepts: those of `aiec-emit`, and those that need a tool beside the
//! driver, or the simulator.

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_emit::ctrl::ControlProgram;
use aiec_emit::npu::NpuOptions;
use aiec_emit::routings::OtherRouting;
use aiec_emit::{Emit, EmitKind, KINDS, emit_kinds};
use aiec_passes::jobs::program::ControlCodeOptions;

/// Kinds that upstream MLIR or a core compiler makes.
static DRIVER_KINDS: &[EmitKind] = emit_kinds! {
    "core-llvm" "ll" text Routed Parts(crate::mlir::core_llvm)
        "Each core's program as LLVM IR (builds with the feature mlir)";
    "core-elf" "elf" binary MachineCode Parts(crate::core_compiler::emit)
        "Each core's machine code as an executable, made here or by the compiler of --peano";
    "core-asm" "s" text Routed Parts(crate::core_compiler::core_report::listings)
        "Each core's machine code as assembly, with the lines of the design that it was made of";
    "core-report" "cores.txt" text Routed One(crate::core_compiler::core_report::text)
        "Functions and loops of each core's machine code: bundles of an iteration, their bounds, what limits them";
    "core-report-json" "cores.json" text Routed One(crate::core_compiler::core_report::json)
        "The same for programs";
    "throughput" "throughput.txt" text Routed One(crate::throughput::text)
        "The least cycles of a round and a run of the design, before any run, and what limits them";
    "throughput-json" "throughput.json" text Routed One(crate::throughput::json)
        "The same for programs";
    "throughput-json-schema" "throughput.schema.json" text Routed One(crate::throughput::schema)
        "The JSON schema of the form for programs";
};

/// All kinds; the first is the default.
pub fn all_kinds() -> impl Iterator<Item = &'static EmitKind> {
    KINDS.iter().chain(DRIVER_KINDS)
}

/// The kind of a name.
pub fn find_kind(name: &str) -> Option<&'static EmitKind> {
    all_kinds().find(|kind| kind.name == name)
}

/// Files of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmittedFiles {
    /// One.
    File(Vec<u8>),
    /// One for each part of the design, with its name.
    Parts(Vec<(String, Vec<u8>)>),
}

/// Inputs of kinds.
pub struct Emission<'a> {
    /// The design.
    pub module: &'a Module,
    /// Its control code.
    pub code: Option<&'a ControlProgram>,
    /// A design to compare routings with, and its file.
    pub other: Option<&'a (Module, String)>,
    /// Options of the division of work.
    pub choice: &'a ControlCodeOptions,
    /// Options of files for Ryzen AI.
    pub npu: &'a NpuOptions,
}

impl Emission<'_> {
    /// The files of a kind; `None` for control code where there is none.
    pub fn emit(
        &self,
        emit: &Emit,
        sources: &SourceMap,
        diags: &mut Diags,
    ) -> Result<Option<EmittedFiles>, Reported> {
        let module = self.module;
        let other = self
            .other
            .map(|(module, file)| OtherRouting { module, file });
        let file = match emit {
            Emit::Program(emit) => match self.code {
                Some(code) => emit(module, code, sources, diags)?,
                None => return Ok(None),
            },
            Emit::One(emit) => emit(module, sources, diags)?,
            Emit::Routing(emit) => emit(module, other.as_ref(), sources, diags)?,
            Emit::Work(emit) => emit(module, self.choice, diags)?,
            Emit::Npu(emit) => emit(module, self.npu, diags)?,
            Emit::Parts(emit) => {
                return Ok(Some(EmittedFiles::Parts(emit(module, sources, diags)?)));
            }
            Emit::NpuParts(emit) => {
                return Ok(Some(EmittedFiles::Parts(emit(module, self.npu, diags)?)));
            }
        };
        Ok(Some(EmittedFiles::File(file)))
    }
}
