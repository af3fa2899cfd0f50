//! Which vectors are in registers, and with how many bits a lane.
//!
//! Vectors that are operands and result of one operation have lanes of one width: they make a group. A group is in registers
//! if loads and stores give it one width, each of its steps has an instruction, and no step needs more of a lane than its lower
//! bits where the lane may be wider (`i16` sums before they are cut).

use aiec_core::RegisterFile;
use aiec_vcode::{MemoryType, Opcode};

use super::alignment::Alignment;
use super::{has, operation};
use crate::mir::Vector;
use crate::select::rows::Rows;
use crate::ssa::width::{Range, Widths};
use crate::ssa::{Action, Function, Step, Terminator, VectorAction};

/// Registers of a vector at most: with more of them, spills eat what is won.
const MAX_REGISTERS: u32 = 2;

/// Bits of a lane in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::select) enum LaneWidth {
    Bits8,
    Bits16,
    Bits32,
}

impl LaneWidth {
    fn of(kind: MemoryType) -> Option<LaneWidth> {
        match kind {
            MemoryType::I8 => Some(LaneWidth::Bits8),
            MemoryType::I16 => Some(LaneWidth::Bits16),
            MemoryType::I32 => Some(LaneWidth::Bits32),
            _ => None,
        }
    }

    /// Bytes of a lane.
    pub(super) fn bytes(self) -> u32 {
        u32::from(self.bits()) / 8
    }

    /// How memory holds a lane.
    pub(super) fn kind(self) -> MemoryType {
        match self {
            LaneWidth::Bits8 => MemoryType::I8,
            LaneWidth::Bits16 => MemoryType::I16,
            LaneWidth::Bits32 => MemoryType::I32,
        }
    }

    fn bits(self) -> u8 {
        match self {
            LaneWidth::Bits8 => 8,
            LaneWidth::Bits16 => 16,
            LaneWidth::Bits32 => 32,
        }
    }
}

/// Vectors of one group have one root.
struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    fn root(&self, vector: Vector) -> usize {
        let mut at = vector.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at as usize
    }

    fn join(&mut self, a: Vector, b: Vector) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}

/// What is known of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing fixes a width yet.
    Open,
    Width(LaneWidth),
    /// In memory.
    Refused,
}

impl State {
    fn fix(&mut self, width: Option<LaneWidth>) {
        *self = match (*self, width) {
            (State::Open, Some(width)) => State::Width(width),
            (State::Width(known), Some(width)) if known == width => *self,
            _ => State::Refused,
        };
    }
}

/// The width of the lanes of each vector that is in registers.
pub(in crate::select) fn plan(
    function: &Function,
    widths: &Widths,
    alignment: &Alignment,
    rows: &Rows,
) -> Vec<Option<LaneWidth>> {
    let count = function.vectors.len();
    if count == 0 {
        return Vec::new();
    }
    let mut groups = Groups {
        parents: (0..count as u32).collect(),
    };
    let steps = || function.blocks.iter().flat_map(|block| &block.steps);
    for step in steps() {
        match &step.action {
            Action::Vector(VectorAction::Map { to, operands, .. }) => {
                operands
                    .iter()
                    .for_each(|operand| groups.join(*to, *operand));
            }
            Action::Vector(VectorAction::Move(moves)) => {
                moves.iter().for_each(|(to, from)| groups.join(*to, *from));
            }
            _ => {}
        }
    }
    let mut states = vec![State::Open; count];
    for vector in &function.vector_arguments {
        states[groups.root(*vector)] = State::Refused;
    }
    for block in &function.blocks {
        if let Terminator::Return { vectors, .. } = &block.terminator {
            for vector in vectors {
                states[groups.root(*vector)] = State::Refused;
            }
        }
    }
    for step in steps() {
        fix(function, &groups, alignment, step, &mut states);
    }
    for step in steps() {
        check(function, &groups, widths, rows, step, &mut states);
    }
    let width = |number: u32| match states[groups.root(Vector(number))] {
        State::Width(width) => Some(width),
        _ => None,
    };
    (0..count as u32).map(width).collect()
}

/// What a step says of its groups: a width, or that they stay in memory.
fn fix(
    function: &Function,
    groups: &Groups,
    alignment: &Alignment,
    step: &Step,
    states: &mut [State],
) {
    use VectorAction::*;
    let whole = |vector: Vector, lanes: u16| function.vectors[vector.0 as usize] == lanes;
    match &step.action {
        Action::Vector(
            Load {
                to: vector,
                kind,
                lanes,
                offset,
            }
            | Store {
                from: vector,
                kind,
                lanes,
                offset,
            },
        ) => {
            let aligned = alignment.is_multiple(step.args[0], *offset, half_bytes());
            let width = LaneWidth::of(*kind).filter(|_| aligned && whole(*vector, *lanes));
            states[groups.root(*vector)].fix(width);
        }
        Action::Vector(Map {
            op,
            to,
            operands,
            number,
            lanes,
        }) => {
            let state = &mut states[groups.root(*to)];
            let same = whole(*to, *lanes) && operands.iter().all(|vector| whole(*vector, *lanes));
            if !same || operation(*op).is_none() {
                *state = State::Refused;
            } else if *op == Opcode::Sext {
                state.fix(match number {
                    8 => Some(LaneWidth::Bits8),
                    16 => Some(LaneWidth::Bits16),
                    32 => Some(LaneWidth::Bits32),
                    _ => None,
                });
            }
        }
        Action::Vector(Splat { to, lanes }) => {
            if !whole(*to, *lanes) {
                states[groups.root(*to)] = State::Refused;
            }
        }
        Action::Vector(Move(moves)) => {
            for (to, from) in moves {
                let lanes = function.vectors[to.0 as usize];
                if !whole(*from, lanes) {
                    states[groups.root(*to)] = State::Refused;
                }
            }
        }
        // Lanes are read from a copy in the frame.
        Action::Vector(Define(_) | Reduce { .. } | Extract { .. }) => {}
        Action::Vector(Copy { to, .. }) => states[groups.root(*to)] = State::Refused,
        _ => {
            let mut refuse = |vector| states[groups.root(vector)] = State::Refused;
            step.vector_reads(&mut refuse);
            step.vector_writes(&mut refuse);
        }
    }
}

/// Refuses groups whose size is none of registers, or whose lanes are wider than registers keep them where that counts.
fn check(
    function: &Function,
    groups: &Groups,
    widths: &Widths,
    rows: &Rows,
    step: &Step,
    states: &mut [State],
) {
    let mut vectors = Vec::new();
    step.vector_reads(|vector| vectors.push(vector));
    step.vector_writes(|vector| vectors.push(vector));
    for vector in vectors {
        let state = &mut states[groups.root(vector)];
        let State::Width(width) = *state else {
            continue;
        };
        let lanes = u32::from(function.vectors[vector.0 as usize]);
        let bytes = lanes * u32::from(width.bits()) / 8;
        if bytes % half_bytes() != 0 || bytes > MAX_REGISTERS * 2 * half_bytes() {
            *state = State::Refused;
        }
    }
    let exact = |vector: &Vector, width: LaneWidth| {
        widths.lanes[vector.0 as usize].is_in(Range::of_bits(width.bits()))
    };
    let (group, fits) = match &step.action {
        Action::Vector(VectorAction::Map {
            op, to, operands, ..
        }) => {
            let ordered = matches!(op, Opcode::Mins | Opcode::Maxs);
            let State::Width(width) = states[groups.root(*to)] else {
                return;
            };
            let exact = operands.iter().all(|vector| exact(vector, width));
            (*to, has(rows, *op, width) && (exact || !ordered))
        }
        Action::Vector(
            VectorAction::Reduce { from, .. }
            | VectorAction::Extract { from, .. }
            | VectorAction::Copy { from, .. },
        ) => {
            let State::Width(width) = states[groups.root(*from)] else {
                return;
            };
            (*from, exact(from, width))
        }
        _ => return,
    };
    if !fits {
        states[groups.root(group)] = State::Refused;
    }
}

/// Bytes of half a vector register, what loads and stores of all architectures move.
pub(super) fn half_bytes() -> u32 {
    RegisterFile::Wl.bits() / 8
}
