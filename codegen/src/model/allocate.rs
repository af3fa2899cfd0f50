//! Register assignment: liveness over basic blocks, then a linear scan over the hulls of the live
//! ranges. There is no spilling: a function may use the 256 registers and 256 granules of its
//! window, which is far more than a real core has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiec_vcode::WINDOW_REGISTERS;

use crate::code_blocks::{code_blocks, live_in};
use crate::mir::{Code, MoveOperand, Node, Scalar, Vector, Virtual, granules};

/// Registers and granules that a function needs at one time exceed its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfRegisters {
    /// Vector file, else scalar registers.
    pub vectors: bool,
}

/// Where values live.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    scalars: Vec<u8>,
    vectors: Vec<u8>,
    /// Registers used, from 0.
    pub registers: u16,
    /// Granules used, from 0.
    pub granules: u16,
}

impl Assignment {
    /// Vectors at these granules, of `granules` in all.
    #[cfg(test)]
    pub(crate) fn vectors_at(first: &[u8], granules: u16) -> Assignment {
        Assignment {
            vectors: first.to_vec(),
            granules,
            ..Assignment::default()
        }
    }

    pub(crate) fn scalar(&self, scalar: Scalar) -> u8 {
        self.scalars.get(scalar.0 as usize).copied().unwrap_or(0)
    }

    pub(crate) fn vector(&self, vector: Vector) -> u8 {
        self.vectors.get(vector.0 as usize).copied().unwrap_or(0)
    }
}

/// Where a value is live: from half step `start` to half step `end`, both included. A node at
/// position p reads at 2p and writes at 2p + 1.
#[derive(Clone, Copy, Debug)]
struct Range {
    value: Virtual,
    start: usize,
    end: usize,
}

/// Assigns registers to all values of a function.
pub(crate) fn allocate(code: &Code) -> Result<Assignment, OutOfRegisters> {
    let mut ranges = live_ranges(code);
    ranges.sort_by_key(|range| (range.start, range.end, range.value));
    let hints = hints(code);
    let mut assignment = Assignment {
        scalars: vec![0; code.scalars as usize],
        vectors: vec![0; code.vectors.len()],
        ..Assignment::default()
    };
    let mut scalar_file = File::new();
    let mut vector_file = File::new();
    for range in ranges {
        match range.value {
            Virtual::Scalar(scalar) => {
                let wish = match hints.get(scalar.0 as usize) {
                    Some(Some(RegisterHint::As(other))) => Some(assignment.scalar(*other)),
                    Some(Some(RegisterHint::At(register))) => Some(*register),
                    _ => None,
                };
                let register = scalar_file
                    .take(range, 1, wish)
                    .ok_or(OutOfRegisters { vectors: false })?;
                assignment.scalars[scalar.0 as usize] = register;
                assignment.registers = assignment.registers.max(u16::from(register) + 1);
            }
            Virtual::Vector(vector) => {
                let size = granules(code.lanes(vector));
                let granule = vector_file
                    .take(range, size, None)
                    .ok_or(OutOfRegisters { vectors: true })?;
                assignment.vectors[vector.0 as usize] = granule;
                assignment.granules = assignment.granules.max(u16::from(granule) + size);
            }
        }
    }
    Ok(assignment)
}

/// A register file during the scan.
struct File {
    /// Ranges that hold places: end, first place, size.
    active: BinaryHeap<Reverse<(usize, u16, u16)>>,
    /// Whether a place is free.
    free: [bool; WINDOW_REGISTERS],
}

impl File {
    fn new() -> File {
        File {
            active: BinaryHeap::new(),
            free: [true; WINDOW_REGISTERS],
        }
    }

    /// The lowest place with `size` free neighbours, or the wished one.
    fn take(&mut self, range: Range, size: u16, wish: Option<u8>) -> Option<u8> {
        while let Some(&Reverse((end, first, held))) = self.active.peek() {
            if end >= range.start {
                break;
            }
            self.active.pop();
            self.places(first, held).fill(true);
        }
        let fits = |first: u16| {
            let places = usize::from(first)..usize::from(first + size);
            let places = self.free.get(places);
            places.is_some_and(|places| places.iter().all(|free| *free))
        };
        let wished = wish.map(u16::from).filter(|first| fits(*first));
        let first = match wished {
            Some(first) => first,
            None => (0..WINDOW_REGISTERS as u16).find(|first| fits(*first))?,
        };
        self.places(first, size).fill(false);
        self.active.push(Reverse((range.end, first, size)));
        u8::try_from(first).ok()
    }

    /// Whether each of the neighbours from a place of the window on is free.
    fn places(&mut self, first: u16, size: u16) -> &mut [bool] {
        &mut self.free[usize::from(first)..usize::from(first + size)]
    }
}

/// A register that a scalar would like because of a move.
#[derive(Clone, Copy)]
enum RegisterHint {
    /// That of another scalar.
    As(Scalar),
    /// A fixed one.
    At(u8),
}

fn hints(code: &Code) -> Vec<Option<RegisterHint>> {
    let mut hints = vec![None; code.scalars as usize];
    for node in &code.nodes {
        let Node::Moves(moves) = node else { continue };
        for (to, from) in moves {
            let hint = match from {
                MoveOperand::Scalar(from) => RegisterHint::As(*from),
                MoveOperand::Window(register) => RegisterHint::At(*register),
                _ => continue,
            };
            if let MoveOperand::Scalar(to) = to {
                hints[to.0 as usize].get_or_insert(hint);
            }
        }
    }
    hints
}

/// The dense number of a value.
fn number(code: &Code, value: Virtual) -> usize {
    match value {
        Virtual::Scalar(scalar) => scalar.0 as usize,
        Virtual::Vector(vector) => (code.scalars + vector.0) as usize,
    }
}

fn value(code: &Code, number: usize) -> Virtual {
    match (number as u32).checked_sub(code.scalars) {
        None => Virtual::Scalar(Scalar(number as u32)),
        Some(vector) => Virtual::Vector(Vector(vector)),
    }
}

/// The hull of where each value is live.
fn live_ranges(code: &Code) -> Vec<Range> {
    let size = code.scalars as usize + code.vectors.len();
    let blocks = code_blocks(code);
    let live_in = live_in(code, &blocks, size, |value| Some(number(code, value)));
    let mut hulls: Vec<Option<(usize, usize)>> = vec![None; size];
    let mut cover = |at: usize, from: usize, to: usize| {
        let hull = hulls[at].get_or_insert((from, to));
        *hull = (hull.0.min(from), hull.1.max(to));
    };
    for (at, block) in blocks.iter().enumerate() {
        let (first, last) = (2 * block.nodes.start, 2 * block.nodes.end);
        live_in[at]
            .iter()
            .for_each(|value| cover(value, first, first));
        for next in &block.successors {
            live_in[*next]
                .iter()
                .for_each(|value| cover(value, last - 1, last - 1));
        }
        for (place, node) in code.nodes[block.nodes.clone()].iter().enumerate() {
            let step = first + 2 * place;
            // A vector is written lane by lane, so it must not share granules with operands of the
            // same node.
            node.uses(|value| {
                let until = step + usize::from(matches!(value, Virtual::Vector(_)));
                cover(number(code, value), step, until);
            });
            node.defs(|value| cover(number(code, value), step + 1, step + 1));
        }
    }
    let hulls = hulls.into_iter().enumerate();
    hulls
        .filter_map(|(at, hull)| {
            let (start, end) = hull?;
            Some(Range {
                value: value(code, at),
                start,
                end,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{Arg, Imm};
    use aiec_vcode::Opcode;

    #[test]
    fn a_value_of_before_the_loop_keeps_its_register_through_it() {
        let mut code = Code::default();
        let [base, i, tmp] = [code.scalar(), code.scalar(), code.scalar()];
        let li = |code: &mut Code, to, value| {
            code.op(
                Opcode::Li,
                [Arg::Scalar(to), Arg::None, Arg::None],
                Imm::Word(value),
            );
        };
        li(&mut code, base, 7);
        li(&mut code, i, 0);
        let head = code.label();
        code.place(head);
        let add = [Arg::Scalar(tmp), Arg::Scalar(base), Arg::Scalar(i)];
        code.op(Opcode::Add64, add, Imm::None);
        let step = [Arg::Scalar(i), Arg::Number(1), Arg::Scalar(tmp)];
        code.branch(Opcode::Loopi, step, head);
        code.op(Opcode::End, [Arg::None; 3], Imm::None);
        let assignment = allocate(&code).unwrap();
        let registers = [base, i, tmp].map(|value| assignment.scalar(value));
        assert_eq!(registers, [0, 1, 2]);
        assert_eq!(assignment.registers, 3);
    }

    #[test]
    fn values_that_never_meet_share_a_register() {
        let mut code = Code::default();
        for _ in 0..1000 {
            let [a, b] = [code.scalar(), code.scalar()];
            code.op(
                Opcode::Li,
                [Arg::Scalar(a), Arg::None, Arg::None],
                Imm::Word(0),
            );
            code.op(
                Opcode::Mov,
                [Arg::Scalar(b), Arg::Scalar(a), Arg::None],
                Imm::None,
            );
        }
        code.op(Opcode::End, [Arg::None; 3], Imm::None);
        assert_eq!(allocate(&code).unwrap().registers, 1);
    }

    #[test]
    fn too_many_values_at_once_are_refused() {
        let mut code = Code::default();
        let values: Vec<Scalar> = (0..257).map(|_| code.scalar()).collect();
        for value in &values {
            code.op(
                Opcode::Li,
                [Arg::Scalar(*value), Arg::None, Arg::None],
                Imm::Word(0),
            );
        }
        let moves = values
            .iter()
            .map(|value| (MoveOperand::Callee(0), MoveOperand::Scalar(*value)));
        code.moves(moves.collect());
        code.op(Opcode::End, [Arg::None; 3], Imm::None);
        assert_eq!(
            allocate(&code).unwrap_err(),
            OutOfRegisters { vectors: false }
        );
    }
}
