//! A core's body as machine code: lowering, selection and the back half in one.

use std::cmp::Reverse;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_core::{CoreArch, OldRead};
use aiec_diag::{Diag, Diags, Reported};

use crate::DataSegment;
use crate::codes::{OUT_OF_STACK, SILENT, TOO_LARGE};
use crate::inner_loops::{InnerLoop, inner_loops, operation_shares, shares};
use crate::kernels::NO_FILE;
use crate::machine::{
    AssembleError, AssembledFunction, FunctionId, MachineFunction, MachineProgram, assemble,
};
use crate::select::{NestForm, machine_program};

/// The machine code of a core with the data that it expects in the data memory of its tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode {
    /// The instruction set.
    pub arch: CoreArch,
    /// The bundles, from byte 0 of program memory on, where the core starts.
    pub bytes: Vec<u8>,
    /// Functions in the order of their addresses.
    pub functions: Vec<PlacedFunction>,
    /// The operation that a bundle was made for, by the bundle's byte address, ascending; it holds up to the next.
    pub sources: Vec<(u32, Op)>,
    /// The loops that hold no other one.
    pub loops: Vec<InnerLoop>,
    /// Registers that overlapping iterations of loops read on purpose while later results are under way.
    pub old_reads: Vec<OldRead>,
    /// Initial contents of the core's own data memory.
    pub data: Vec<DataSegment>,
}

/// Where a function is in program memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFunction {
    /// Its name: the symbol of a `func.func`; the core's own is `core`.
    pub name: String,
    /// The `aie.core` or `func.func`.
    pub source: Op,
    /// Byte address in program memory.
    pub address: u32,
    /// Bytes.
    pub bytes: u32,
}

/// The machine code of an `aie.core`. Findings of all its operations go to `diags`.
///
/// # Errors
/// An operation has no machine code, or the code or its stack is too large.
pub fn machine_code(
    module: &Module,
    core: Op,
    arch: CoreArch,
    diags: &mut Diags,
) -> Result<MachineCode, Reported> {
    let mut selected = machine_program(module, core, arch, NestForm::Products, diags)?;
    let mut assembled = assemble(&selected.program);
    let is_too_large = matches!(
        assembled,
        Err(AssembleError::ProgramTooLarge { .. } | AssembleError::StackTooSmall { .. })
    );
    if is_too_large && selected.has_products {
        // The findings are known.
        let again = machine_program(module, core, arch, NestForm::Loops, &mut Diags::new());
        selected = again?;
        assembled = assemble(&selected.program);
    }
    let assembled = match assembled {
        Ok(assembled) => assembled,
        Err(error) => return Err(refuse(module, core, &selected.program, &error, diags)),
    };
    let functions = assembled.functions.iter().map(|function| {
        let FunctionId(number) = function.function;
        let of = selected.program.functions.get(number as usize);
        PlacedFunction {
            name: function.name.clone(),
            source: of.map_or(core, |of| of.source),
            address: function.address,
            bytes: function.size,
        }
    });
    note_silent(module, &selected.sources, diags);
    Ok(MachineCode {
        arch,
        functions: functions.collect(),
        bytes: assembled.bytes,
        sources: assembled.sources,
        loops: inner_loops(module, &selected.program, &assembled.loops),
        old_reads: assembled.old_reads,
        data: selected.data,
    })
}

/// Notes the operations of a core and its functions that speak in the simulator's model only.
fn note_silent(module: &Module, functions: &[Op], diags: &mut Diags) {
    for source in functions {
        let [prints, asserts] = module.find_each(*source, [OpKind::Debug, OpKind::CfAssert]);
        let prints = prints
            .into_iter()
            .map(|op| (op, "does nothing in machine code"));
        let ends = "ends the core without a message in machine code";
        for (op, what) in prints.chain(asserts.into_iter().map(|op| (op, ends))) {
            let message = format!("`{}` {what}", module.op_name(op));
            let diag = Diag::note(&SILENT, message)
                .label(module.span(op), "only the model's cores report it")
                .help("run the model to see it: `aiec sim --core=model`");
            diags.push(diag);
        }
    }
}

/// Functions that a finding about sizes lists, the largest first.
const MAX_LISTED: usize = 8;

/// Part of program memory, in bytes, from which on a loop or an operation is worth naming.
const LARGE_PART: u32 = 1024;

/// The parts of a program that take most of it, with the bytes that each takes by its share of the instructions of
/// its function; those of routines and of the library have no place in the design.
fn largest_parts(
    module: &Module,
    program: &MachineProgram,
    functions: &[AssembledFunction],
    shares: impl Fn(&MachineFunction) -> Vec<(Op, u32)>,
) -> Vec<(u32, Op)> {
    let mut parts = Vec::new();
    for function in functions {
        let FunctionId(number) = function.function;
        let code = program.functions.get(number as usize);
        let of = code.map(&shares).unwrap_or_default().into_iter();
        parts.extend(of.map(|(source, share)| (function.size * share / 1000, source)));
    }
    // Routines have the core that calls them for a place, and what belongs to no operation the function.
    let is_of_design = |source: Op| {
        let is_whole = matches!(module.kind(source), OpKind::Core | OpKind::FuncFunc);
        !is_whole && module.span(source).is_some_and(|span| span.file != NO_FILE)
    };
    parts.retain(|(bytes, source)| *bytes >= LARGE_PART && is_of_design(*source));
    parts.sort_by_key(|(bytes, source)| (Reverse(*bytes), *source));
    parts.truncate(MAX_LISTED);
    parts
}

/// Reports why a program has no bytes.
fn refuse(
    module: &Module,
    core: Op,
    program: &MachineProgram,
    error: &AssembleError,
    diags: &mut Diags,
) -> Reported {
    let largest = |mut sizes: Vec<(u32, &str)>| -> Vec<String> {
        sizes.sort_by_key(|(bytes, name)| (Reverse(*bytes), *name));
        let listed = sizes.into_iter().take(MAX_LISTED);
        listed
            .map(|(bytes, name)| format!("`{name}` takes {bytes} bytes"))
            .collect()
    };
    let span = module.span(core);
    match error {
        AssembleError::ProgramTooLarge {
            bytes,
            available,
            functions,
        } => {
            let message = format!(
                "the core's machine code takes {bytes} bytes, its program memory has {available}"
            );
            let mut diag = Diag::error(&TOO_LARGE, message)
                .label(span, "this core")
                .help("use loops instead of written-out code, or split the work over more cores");
            for line in largest(functions.iter().map(|f| (f.size, &*f.name)).collect()) {
                diag = diag.remark(line);
            }
            for (bytes, source) in largest_parts(module, program, functions, shares) {
                let about = format!("about {bytes} bytes are in this loop: unroll it less");
                diag = diag.label(module.span(source), about);
            }
            for (bytes, source) in largest_parts(module, program, functions, operation_shares) {
                let about = format!(
                    "about {bytes} bytes are this operation: use smaller vectors, in a loop"
                );
                diag = diag.label(module.span(source), about);
            }
            diags.fail(diag)
        }
        AssembleError::StackTooSmall {
            bytes,
            available,
            functions,
        } => {
            let message = format!(
                "frames of the core's functions take {bytes} bytes, its stack has {available}"
            );
            let wanted = bytes + program.stack_bytes.saturating_sub(*available);
            let mut diag = Diag::error(&OUT_OF_STACK, message)
                .label(span, "this core")
                .help(format!(
                    "give aie.core a larger stack_size: {wanted} bytes more than now are enough"
                ));
            for line in largest(functions.iter().map(|(name, _, b)| (*b, &**name)).collect()) {
                diag = diag.remark(line);
            }
            diags.fail(diag)
        }
        // The front half gives no such program: what is left are defects of the generator.
        AssembleError::OutOfRegisters { .. }
        | AssembleError::NoMove { .. }
        | AssembleError::NotEncodable { .. }
        | AssembleError::Unsound(_)
        | AssembleError::Recursion { .. } => {
            let at = error.source().unwrap_or(core);
            let error = aiec_diag::internal!("machine code of `{}`: {error}", module.op_name(at));
            diags.fail(error)
        }
    }
}
