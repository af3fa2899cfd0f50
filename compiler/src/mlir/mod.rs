//! Upstream MLIR, through melior: the crate feature `mlir`.
//!
//! `aiec` has its own IR, parser and printer and needs no LLVM. A build with the feature links the
//! LLVM 22 of the system and can ask it: [`verify`] hands what we print to upstream's parser and
//! verifier, [`parse`] lets upstream read what our parser doesn't know, and [`core_llvm`] lowers cores
//! with upstream's passes. All code that knows upstream MLIR is in this folder.
//!
//! The rest of the driver calls the functions of this file, which call what `install` put in
//! place; the binary does that when it starts. So a test program that doesn't ask for upstream
//! isn't linked with it, and without the feature the same functions say how to get it.

#[cfg(feature = "mlir")]
mod context;
#[cfg(feature = "mlir")]
mod core_llvm;
#[cfg(feature = "mlir")]
mod core_module;
#[cfg(feature = "mlir")]
mod declared;
#[cfg(feature = "mlir")]
mod fallback;
#[cfg(feature = "mlir")]
mod irdl;
#[cfg(feature = "mlir")]
mod verify;

use std::sync::OnceLock;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Buffer, Core, Device, OpView};
use aiec_aie::text;
use aiec_diag::{Diag, Diags, FileId, Reported, SourceMap};

aiec_diag::codes! {
    /// Codes of what upstream MLIR does for us.
    pub static CODES;
    NOT_BUILT_IN = "mlir::not-built-in",
        "The option needs upstream MLIR, and this `aiec` was built without it, as it is by default. \
         Install LLVM and MLIR 22 and build with the feature `mlir`: the README has the two lines.";
    REFUSED = "mlir::refused",
        "Upstream MLIR does not accept the design: its parser or one of its verifiers says what \
         the message quotes. The design is checked twice, once as `--emit=mlir-generic` prints it, \
         once against the declarations of the `aie`, `aiex` and `aievec` operations. If nothing is \
         wrong with the design, the printer is: please report it.";
    NO_LLVM_FORM = "mlir::no-llvm-form",
        "An operation of a core can't be written as LLVM IR: it is none that upstream MLIR lowers, \
         or the core compilers have no intrinsic for it. Write what it does with operations of \
         `arith`, `math`, `scf`, `memref` and `vector`, or put it into an external function.";
    DECLARATIONS = "mlir::declarations",
        "Upstream MLIR does not take the declarations of the `aie` dialects that are made from the \
         table of operations. Nothing is wrong with the design: please report it, with the version \
         of LLVM.";
}

/// Steps that lead to a build with the feature.
const HOW_TO_GET: &str = "install LLVM and MLIR 22 (the README has the line), then \
     `cargo install --path compiler --features mlir`";

/// Services of upstream MLIR for the driver.
struct Upstream {
    verify: fn(&Module, &mut Diags),
    parse: fn(FileId, &str, &mut Diags) -> Module,
    core_programs: fn(&Module, Contents, &mut Diags) -> Result<Vec<CoreProgram>, Reported>,
}

/// Files by their names, without the design's.
pub type Parts = Vec<(String, Vec<u8>)>;

/// A core's program as LLVM IR.
#[derive(Clone, Debug)]
pub struct CoreProgram {
    /// The core's device.
    pub device: Device,
    /// The core.
    pub core: Core,
    /// The name of its files: the function's name, after the device's if there are several.
    pub name: String,
    /// The function that the core runs.
    pub function: String,
    /// The core compilers' name of the architecture.
    pub target: &'static str,
    /// The LLVM IR.
    pub text: String,
}

/// Which buffers a core's program brings the initial contents of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Those in the core's own memory.
    Own,
    /// None: they are loaded with the configuration.
    Nobodys,
}

static INSTALLED: OnceLock<Upstream> = OnceLock::new();

/// Puts upstream MLIR in place. Without it every option that needs it is refused.
#[cfg(feature = "mlir")]
pub fn install() {
    INSTALLED.get_or_init(|| Upstream {
        verify: verify::verify,
        parse: fallback::parse,
        core_programs: core_llvm::programs,
    });
}

/// Upstream MLIR, or an error that says how to get a build that has it.
fn upstream(option: &str, diags: &mut Diags) -> Result<&'static Upstream, Reported> {
    INSTALLED.get().ok_or_else(|| {
        let message = format!("`{option}` needs upstream MLIR, which this aiec was built without");
        diags.fail(Diag::error(&NOT_BUILT_IN, message).help(HOW_TO_GET))
    })
}

/// Parses a file of the map. Operations of upstream's whose custom syntax our parser doesn't know
/// are read by upstream MLIR if it is there.
pub fn parse(file: FileId, sources: &SourceMap, diags: &mut Diags) -> Module {
    match (INSTALLED.get(), sources.file(file)) {
        (Some(upstream), Some(source)) => (upstream.parse)(file, &source.text, diags),
        _ => text::parse(file, sources, diags),
    }
}

/// Whether upstream MLIR is there for an option; reports it if not.
pub fn require(option: &str, diags: &mut Diags) -> Result<(), Reported> {
    upstream(option, diags).map(|_| ())
}

/// `--emit=core-llvm`: the program of each core of a routed module as LLVM IR.
pub fn core_llvm(module: &Module, _: &SourceMap, diags: &mut Diags) -> Result<Parts, Reported> {
    let upstream = upstream("--emit=core-llvm", diags)?;
    let programs = (upstream.core_programs)(module, Contents::Own, diags)?;
    let parts = programs.into_iter();
    Ok(parts.map(|p| (p.name, p.text.into_bytes())).collect())
}

/// The programs of the cores of a routed module that have a body, device by device, for an option
/// that compiles them; the configuration loads the contents of buffers.
pub fn core_programs(
    module: &Module,
    option: &str,
    diags: &mut Diags,
) -> Result<Vec<CoreProgram>, Reported> {
    let upstream = upstream(option, diags)?;
    (upstream.core_programs)(module, Contents::Nobodys, diags)
}

/// The name of a part of a device's: with the device's name before it if there are several.
pub fn part_name(module: &Module, devices: &[Device], device: Device, part: &str) -> String {
    match (devices.len(), module.str_attr(device.op(), "sym_name")) {
        (2.., Some(device)) => format!("{device}_{part}"),
        _ => part.to_string(),
    }
}

/// `--verify-with-mlir`: hands a module to upstream's parser and verifier.
pub fn verify(module: &Module, diags: &mut Diags) -> Result<(), Reported> {
    let upstream = upstream("--verify-with-mlir", diags)?;
    (upstream.verify)(module, diags);
    diags.check()
}

/// The symbol of a buffer in a core's program.
pub fn buffer_symbol(module: &Module, buffer: Buffer) -> String {
    match buffer.sym_name(module) {
        Some(name) => name.to_string(),
        None => format!("buffer_{}", buffer.op().index()),
    }
}
