//! The model's program ([`aiec_vcode`]) from a lowered core: liveness and linear scan (`allocate`), instructions (`emit`).

use aiec_aie::ir::{Module, Op};
use aiec_diag::{Code as DiagCode, Diag, Diags, Reported};
use aiec_vcode::{CoreProgram, EncodeError, Function, Immediate};
#[cfg(test)]
use aiec_vcode::{Instruction, Opcode};

use self::allocate::{OutOfRegisters, allocate};
use self::emit::{FunctionCode, emit};
use crate::CoreCode;
use crate::codes::{OUT_OF_REGISTERS, TOO_LARGE};
use crate::lower::LoweredCore;
use crate::mir::Code;

mod allocate;
mod emit;

/// Nodes past which a function can't fit the program memory (4096 words) and isn't analysed.
const MAX_NODES: usize = 0x4000;

/// Why a function has no code.
enum NoCode {
    OutOfRegisters(OutOfRegisters),
    TooLarge(EncodeError),
}

/// The program of a core. Findings of all its functions go to `diags`.
///
/// # Errors
/// A function needs more registers than a core has, or the program doesn't fit the program memory.
pub(crate) fn program(
    module: &Module,
    core: LoweredCore,
    diags: &mut Diags,
) -> Result<CoreCode, Reported> {
    let limit = core.model.arch_model().core.program_bytes;
    let mut program = CoreProgram::default();
    let mut sources = Vec::new();
    let mut failed = None;
    for (op, code) in &core.functions {
        match function(code, limit) {
            Ok(function) => append(&mut program, &mut sources, function),
            Err(error) => failed = Some(refuse(module, &core, *op, &error, diags)),
        }
    }
    if let Some(reported) = failed {
        return Err(reported);
    }
    program.kernels = core.kernels.clone();
    match program.encode(limit) {
        Ok(words) => Ok(CoreCode {
            words,
            program,
            sources,
            functions: core.functions.iter().map(|(op, _)| *op).collect(),
            data: core.data,
            placed: core.placed,
        }),
        Err(error) => Err(refuse(
            module,
            &core,
            core.core,
            &NoCode::TooLarge(error),
            diags,
        )),
    }
}

/// The instructions of one function and the size of its frame.
fn function(code: &Code, limit: u32) -> Result<FunctionCode, NoCode> {
    if code.nodes.len() > MAX_NODES {
        return Err(NoCode::TooLarge(EncodeError::TooLarge {
            bytes: code.nodes.len() as u32 * 4,
            limit,
        }));
    }
    let code = &*code.with_contractions(|it| Some(&it.by_lanes));
    let assignment = allocate(code).map_err(NoCode::OutOfRegisters)?;
    emit(code, &assignment).map_err(NoCode::OutOfRegisters)
}

/// Appends a function, whose branch targets count from its start.
fn append(program: &mut CoreProgram, sources: &mut Vec<Op>, function: FunctionCode) {
    let entry = program.code.len() as u32;
    sources.extend(function.sources);
    let relocated = function.code.into_iter().map(|mut instruction| {
        if instruction.op.shape().immediate == Immediate::Target {
            instruction.imm += entry;
        }
        instruction
    });
    program.code.extend(relocated);
    program.functions.push(Function {
        entry,
        registers: function.registers,
        granules: function.granules,
    });
}

/// A function of a program whose first instruction has a number, and its instructions.
#[cfg(test)]
pub(crate) fn function_code(code: &Code, entry: u32) -> (Function, Vec<Instruction>) {
    let Ok(function) = function(code, u32::MAX) else {
        panic!("a function of a test has no code");
    };
    let mut program = CoreProgram {
        code: vec![Instruction::new(Opcode::End, 0, 0, 0); entry as usize],
        ..CoreProgram::default()
    };
    append(&mut program, &mut Vec::new(), function);
    let instructions = program.code.split_off(entry as usize);
    (program.functions[0], instructions)
}

/// Reports why the function `op` of a core has no code.
fn refuse(
    module: &Module,
    core: &LoweredCore,
    op: Op,
    error: &NoCode,
    diags: &mut Diags,
) -> Reported {
    let loc = core.loc;
    let (code, at, label, message, help): (&'static DiagCode, _, _, _, _) = match error {
        NoCode::OutOfRegisters(OutOfRegisters { vectors }) => {
            let what = if *vectors { "vector lanes" } else { "values" };
            (
                &OUT_OF_REGISTERS,
                op,
                format!("{} in the core at {loc}", module.op_name(op)),
                format!("too many {what} are alive at one place of this function"),
                "keep fewer of them over loops",
            )
        }
        NoCode::TooLarge(error) => (
            &TOO_LARGE,
            core.core,
            "this core".to_owned(),
            format!("the program of the core at {loc} is too large: {error}"),
            "use loops instead of written-out code, or split the work over more cores",
        ),
    };
    let diag = Diag::error(code, message)
        .label(module.span(at), label)
        .help(help);
    diags.fail(diag)
}
