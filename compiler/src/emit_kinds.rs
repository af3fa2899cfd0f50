//! What `--emit` knows: the kinds of `aiec-emit`, and those that need a tool beside the driver.

use aiec_emit::{EmitKind, KINDS, emit_kinds};

/// Kinds that upstream MLIR or a core compiler makes.
static DRIVER_KINDS: &[EmitKind] = emit_kinds! {
    "core-llvm" "ll" text Routed Parts(crate::mlir::core_llvm)
        "Each core's program as LLVM IR (builds with the feature mlir)";
    "core-elf" "elf" binary ControlCode Parts(crate::core_compiler::emit)
        "Each core's machine code, as the compiler of --peano made it";
};

/// All kinds; the first is the default.
pub fn all_kinds() -> impl Iterator<Item = &'static EmitKind> {
    KINDS.iter().chain(DRIVER_KINDS)
}

/// The kind of a name.
pub fn find_kind(name: &str) -> Option<&'static EmitKind> {
    all_kinds().find(|kind| kind.name == name)
}
