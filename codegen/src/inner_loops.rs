//! The loops of a core's machine code that hold no other loop: where the time goes.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;

use crate::machine::{
    AssembledLoop, BlockId, FunctionId, LoopReport, MachineFunction, MachineOperand, MachineProgram,
};

/// A loop that holds no other loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerLoop {
    /// The name of the function that it was written in, which may be part of another one.
    pub function: String,
    /// The operation that goes back to its begin.
    pub source: Op,
    /// Its form in machine code.
    pub form: LoopForm,
}

/// The form of a loop in machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopForm {
    /// The core counts its iterations: a hardware loop.
    Hardware(LoopReport),
    /// A branch goes back to its begin.
    Branch {
        /// Its basic blocks before code is laid out.
        blocks: u32,
        /// Whether it calls functions.
        calls: bool,
    },
}

/// The blocks of a loop in the order of the code, from the first to the one that goes back to it.
#[derive(Clone, Copy, Debug)]
struct LoopBlocks {
    first: usize,
    last: usize,
}

/// The loops of a function that hold no other one. Of blocks in the order of the code an edge that doesn't lead forward
/// closes a loop.
fn loops_of(function: &MachineFunction) -> Vec<LoopBlocks> {
    let mut innermost: Vec<LoopBlocks> = Vec::new();
    for (last, block) in function.blocks.iter().enumerate() {
        let back = block.successors.iter().map(|BlockId(to)| *to as usize);
        let Some(first) = back.filter(|to| *to <= last).max() else {
            continue;
        };
        // One that ended before and began in it is inside.
        if innermost.last().is_none_or(|inner| inner.last < first) {
            innermost.push(LoopBlocks { first, last });
        }
    }
    innermost
}

/// The name of the `func.func` that an operation is in.
fn function_around(module: &Module, op: Op) -> Option<&str> {
    let mut at = Some(op);
    while let Some(op) = at {
        if module.kind(op) == OpKind::FuncFunc {
            return module.str_attr(op, "sym_name");
        }
        at = module.parent_op(op);
    }
    None
}

/// All of a program, in the order of the functions and of their blocks.
pub(crate) fn inner_loops(
    module: &Module,
    program: &MachineProgram,
    hardware: &[AssembledLoop],
) -> Vec<InnerLoop> {
    let mut found = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        let number = FunctionId(number as u32);
        for LoopBlocks { first, last } in loops_of(function) {
            let blocks = &function.blocks[first..=last];
            let back = function.blocks[last].insts.last();
            let report = hardware
                .iter()
                .find(|known| known.function == number && known.block.0 as usize == last);
            let operands = blocks.iter().flat_map(|block| &block.insts);
            let mut operands = operands.flat_map(|inst| &inst.operands);
            let source = back.map_or(function.source, |inst| inst.source);
            let name = function_around(module, source).unwrap_or(&function.name);
            found.push(InnerLoop {
                function: name.to_string(),
                source,
                form: match report {
                    Some(known) => LoopForm::Hardware(known.report),
                    None => LoopForm::Branch {
                        blocks: blocks.len() as u32,
                        calls: operands
                            .any(|operand| matches!(operand, MachineOperand::Function(_))),
                    },
                },
            });
        }
    }
    found
}

/// The share of a function's instructions that were made for each operation, in thousandths.
pub(crate) fn operation_shares(function: &MachineFunction) -> Vec<(Op, u32)> {
    let mut counts: BTreeMap<Op, usize> = BTreeMap::new();
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        *counts.entry(inst.source).or_default() += 1;
    }
    let all = counts.values().sum::<usize>().max(1);
    let shares = counts.into_iter();
    shares
        .map(|(source, count)| (source, (count * 1000 / all) as u32))
        .collect()
}

/// The share of a function's instructions that each of its loops without another one has, in thousandths, with the
/// operation that goes back to its begin.
pub(crate) fn shares(function: &MachineFunction) -> Vec<(Op, u32)> {
    let count = |from: usize, to: usize| {
        let blocks = function.blocks[from..=to].iter();
        blocks.map(|block| block.insts.len()).sum::<usize>()
    };
    let all = count(0, function.blocks.len().saturating_sub(1)).max(1);
    let loops = loops_of(function).into_iter();
    loops
        .map(|LoopBlocks { first, last }| {
            let back = function.blocks[last].insts.last();
            let source = back.map_or(function.source, |inst| inst.source);
            (source, (count(first, last) * 1000 / all) as u32)
        })
        .collect()
}
