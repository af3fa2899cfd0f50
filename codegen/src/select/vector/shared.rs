//! Vectors that can have the same registers as another one: those that are moved into it and read by nothing else, so that sums
//! of a loop stay where they are, and those that it rounds.

use aiec_vcode::Opcode;

use crate::mir::Vector;
use crate::select::vector::maps::{Operation, operation};
use crate::ssa::{Action, Function, Step, VectorAction};

/// Number of reads and writes of each vector.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    reads: u32,
    writes: u32,
}

/// The moves (to, from) of which both vectors can have the same registers.
pub(super) fn moves(function: &Function) -> Vec<(Vector, Vector)> {
    let mut uses = vec![Uses::default(); function.vectors.len()];
    for step in function.blocks.iter().flat_map(|block| &block.steps) {
        step.vector_reads(|vector| uses[vector.0 as usize].reads += 1);
        step.vector_writes(|vector| uses[vector.0 as usize].writes += 1);
    }
    let mut found = Vec::new();
    for block in &function.blocks {
        for (at, step) in block.steps.iter().enumerate() {
            let Action::Vector(VectorAction::Move(moves)) = &step.action else {
                continue;
            };
            let sources = |vector: Vector| moves.iter().filter(move |(_, from)| *from == vector);
            for (to, from) in moves {
                let Uses { reads, writes } = uses[from.0 as usize];
                let alone = (reads, writes) == (1, 1) && sources(*to).next().is_none();
                if alone && is_free(&block.steps[..at], *to, *from) {
                    found.push((*to, *from));
                }
            }
        }
    }
    found
}

/// The roundings of floats (to, from) of which both vectors can have the same registers, as stores round: each is written once, in
/// the block in which the result is read.
pub(super) fn rounded(function: &Function) -> Vec<(Vector, Vector)> {
    let mut writes = vec![0_u32; function.vectors.len()];
    let mut blocks: Vec<Option<usize>> = vec![None; function.vectors.len()];
    let mut is_apart = vec![false; function.vectors.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        for step in &block.steps {
            if matches!(step.action, Action::Vector(VectorAction::Define(_))) {
                continue;
            }
            let mut visit = |vector: Vector| {
                let known = blocks[vector.0 as usize].get_or_insert(number);
                is_apart[vector.0 as usize] |= *known != number;
            };
            step.vector_reads(&mut visit);
            step.vector_writes(&mut visit);
            step.vector_writes(|vector| writes[vector.0 as usize] += 1);
        }
    }
    let steps = function.blocks.iter().flat_map(|block| &block.steps);
    let found = steps.filter_map(|step| match &step.action {
        Action::Vector(VectorAction::Map {
            op: Opcode::NarrowF,
            to,
            operands,
            ..
        }) => Some((*to, operands[0])),
        _ => None,
    });
    found
        .filter(|(to, from)| {
            [to, from].iter().all(|vector| {
                let at = vector.0 as usize;
                writes[at] == 1 && !is_apart[at]
            })
        })
        .collect()
}

/// Whether a vector can be written where another one is: the step that writes that one is among these, writes nothing before it
/// has read everything, and nothing after it reads or writes the first one.
fn is_free(steps: &[Step], to: Vector, from: Vector) -> bool {
    for step in steps.iter().rev() {
        let (mut defines, mut touches) = (false, false);
        step.vector_writes(|vector| {
            defines |= vector == from;
            touches |= vector == to;
        });
        if defines {
            return match &step.action {
                Action::Vector(VectorAction::Load { .. } | VectorAction::Splat { .. }) => true,
                Action::Vector(VectorAction::Contract { left, right, .. }) => {
                    *left != to && *right != to
                }
                Action::Vector(VectorAction::Map { op, .. }) => {
                    matches!(operation(*op), Some(Operation::Rows(_)))
                }
                _ => false,
            };
        }
        step.vector_reads(|vector| touches |= vector == to);
        if touches {
            return false;
        }
    }
    false
}
