//! What `--emit` knows: the kinds of `aiec-emit`, and those that need a tool beside the driver.

use aiec_emit::{Emit, EmitKind, KINDS, Stage};

/// Kinds that upstream MLIR or a core compiler makes.
static DRIVER_KINDS: &[EmitKind] = &[
    EmitKind {
        name: "core-llvm",
        summary: "Each core's program as LLVM IR (builds with the feature mlir)",
        extension: "ll",
        needs: Stage::Routed,
        text: true,
        for_cert: false,
        emit: Emit::Parts(crate::mlir::core_llvm),
    },
    EmitKind {
        name: "core-elf",
        summary: "Each core's machine code, as the compiler of --peano made it",
        extension: "elf",
        needs: Stage::ControlCode,
        text: false,
        for_cert: false,
        emit: Emit::Parts(crate::core_compiler::emit),
    },
];

/// All kinds; the first is the default.
pub fn all_kinds() -> impl Iterator<Item = &'static EmitKind> {
    KINDS.iter().chain(DRIVER_KINDS)
}

/// The kind of a name.
pub fn find_kind(name: &str) -> Option<&'static EmitKind> {
    all_kinds().find(|kind| kind.name == name)
}
