//! Instructions of a function whose registers are assigned.

use aiec_aie::ir::Op;
use aiec_device::core_program::{GRANULE_LANES, Instruction, MapImmediate, Opcode};

use super::allocate::{Assignment, OutOfRegisters, granules};
use super::mir::{Arg, Code, Imm, MoveOperand, Node};

/// A register or a run of granules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Physical {
    Register(u16),
    Lanes { granule: u16, lanes: u16 },
}

/// The code of a function with targets relative to its start, and its frame.
#[derive(Clone, Debug)]
pub(super) struct Emitted {
    pub code: Vec<Instruction>,
    /// The operation that each instruction was made for.
    pub sources: Vec<Op>,
    pub registers: u16,
    pub granules: u16,
}

/// Emits a function.
pub(super) fn emit(code: &Code, assignment: &Assignment) -> Result<Emitted, OutOfRegisters> {
    let scratch = widest_scratch(code);
    // One register behind the frame breaks cycles of moves, and so do some granules.
    let frame = assignment.registers + 1;
    let frame_granules = assignment.granules + scratch;
    if frame + u16::from(code.callee_registers) > 256 {
        return Err(OutOfRegisters { vectors: false });
    }
    if frame_granules + u16::from(code.callee_granules) > 256 {
        return Err(OutOfRegisters { vectors: true });
    }
    let mut emitter = Emitter {
        assignment,
        frame,
        frame_granules,
        code: Vec::new(),
        labels: vec![0; code.label_count()],
        lanes: &code.vectors,
    };
    let mut targets = Vec::new();
    let mut sources = Vec::new();
    for (at, node) in code.nodes.iter().enumerate() {
        if jumps_ahead(code, at) {
            continue;
        }
        match node {
            Node::Label(label) => emitter.labels[label.0 as usize] = emitter.code.len() as u32,
            Node::Moves(moves) => emitter.moves(moves),
            Node::Define(_) => {}
            Node::Op { op, args, imm } => {
                if let Imm::Target(label) = imm {
                    targets.push((emitter.code.len(), *label));
                }
                emitter.op(*op, args, *imm);
            }
        }
        if let Some(source) = code.sources.get(at) {
            sources.resize(emitter.code.len(), *source);
        }
    }
    for (at, label) in targets {
        emitter.code[at].imm = emitter.labels[label.0 as usize];
    }
    Ok(Emitted {
        code: emitter.code,
        sources,
        registers: frame,
        granules: frame_granules,
    })
}

/// Whether a node is a jump to a label right behind it.
fn jumps_ahead(code: &Code, at: usize) -> bool {
    let Some(Node::Op {
        op: Opcode::Jmp,
        imm: Imm::Target(target),
        ..
    }) = code.nodes.get(at)
    else {
        return false;
    };
    let behind = code.nodes[at + 1..].iter();
    let mut labels = behind.map_while(|node| match node {
        Node::Label(label) => Some(label),
        _ => None,
    });
    labels.any(|label| label == target)
}

/// Granules that moves of vectors may need to break a cycle.
fn widest_scratch(code: &Code) -> u16 {
    let moves = code.nodes.iter().filter_map(|node| match node {
        Node::Moves(moves) if moves.len() > 1 => Some(moves),
        _ => None,
    });
    let vectors = moves.flatten().filter_map(|(to, _)| match to {
        MoveOperand::Vector(vector) => Some(code.lanes(*vector)),
        MoveOperand::WindowVector(_, lanes) | MoveOperand::CalleeVector(_, lanes) => Some(*lanes),
        _ => None,
    });
    vectors.map(granules).max().unwrap_or(0)
}

struct Emitter<'a> {
    assignment: &'a Assignment,
    frame: u16,
    frame_granules: u16,
    code: Vec<Instruction>,
    labels: Vec<u32>,
    lanes: &'a [u16],
}

impl Emitter<'_> {
    fn arg(&self, arg: Arg) -> u8 {
        match arg {
            Arg::None => 0,
            Arg::Scalar(scalar) => self.assignment.scalar(scalar),
            Arg::Vector(vector) => self.assignment.vector(vector),
            Arg::Number(number) => number,
            Arg::Frame => self.frame as u8,
            Arg::FrameVector => self.frame_granules as u8,
        }
    }

    fn op(&mut self, op: Opcode, args: &[Arg; 3], imm: Imm) {
        let [a, b, c] = args.map(|arg| self.arg(arg));
        let imm = match imm {
            Imm::None | Imm::Target(_) => 0,
            Imm::Word(word) => word,
            Imm::Source(scalar) => self.assignment.scalar(scalar).into(),
            Imm::Map { op, lanes, fourth } => MapImmediate {
                op,
                fourth: self.arg(fourth),
                lanes,
            }
            .pack(),
        };
        self.code.push(Instruction::with(op, a, b, c, imm));
    }

    fn physical(&self, place: MoveOperand) -> Physical {
        match place {
            MoveOperand::Scalar(scalar) => {
                Physical::Register(self.assignment.scalar(scalar).into())
            }
            MoveOperand::Window(register) => Physical::Register(register.into()),
            MoveOperand::Callee(register) => Physical::Register(self.frame + u16::from(register)),
            MoveOperand::Vector(vector) => Physical::Lanes {
                granule: self.assignment.vector(vector).into(),
                lanes: self.lanes.get(vector.0 as usize).copied().unwrap_or(0),
            },
            MoveOperand::WindowVector(granule, lanes) => Physical::Lanes {
                granule: granule.into(),
                lanes,
            },
            MoveOperand::CalleeVector(granule, lanes) => Physical::Lanes {
                granule: self.frame_granules + u16::from(granule),
                lanes,
            },
        }
    }

    /// Moves that happen at once, one after the other: first those whose destination nobody reads
    /// any more, and when only cycles are left, one value goes to the scratch place.
    fn moves(&mut self, moves: &[(MoveOperand, MoveOperand)]) {
        let mut left: Vec<(Physical, Physical)> = moves
            .iter()
            .map(|(to, from)| (self.physical(*to), self.physical(*from)))
            .filter(|(to, from)| to != from)
            .collect();
        while !left.is_empty() {
            let free = left.iter().position(|(to, _)| {
                left.iter()
                    .all(|(other, from)| other == to || !overlap(*to, *from))
            });
            if let Some(at) = free {
                let (to, from) = left.remove(at);
                self.copy(to, from);
                continue;
            }
            let (to, from) = left[0];
            let scratch = match from {
                // The last register of the frame belongs to nothing else.
                Physical::Register(_) => Physical::Register(self.frame - 1),
                Physical::Lanes { lanes, .. } => {
                    let granule = self.frame_granules - granules(lanes);
                    Physical::Lanes { granule, lanes }
                }
            };
            self.copy(scratch, from);
            left.iter_mut()
                .filter(|pair| pair.1 == from)
                .for_each(|pair| pair.1 = scratch);
            left[0] = (to, scratch);
        }
    }

    fn copy(&mut self, to: Physical, from: Physical) {
        match (to, from) {
            (Physical::Register(to), Physical::Register(from)) => {
                self.code
                    .push(Instruction::new(Opcode::Mov, to as u8, from as u8, 0));
            }
            (Physical::Lanes { granule: to, lanes }, Physical::Lanes { granule: from, .. }) => {
                let mut done = 0;
                while done < lanes {
                    let some = (lanes - done).min(256);
                    let skip = done / GRANULE_LANES as u16;
                    // 256 lanes are written as 0.
                    let (a, b, c) = ((to + skip) as u8, (from + skip) as u8, some as u8);
                    self.code.push(Instruction::with(Opcode::VCopy, a, b, c, 0));
                    done += some;
                }
            }
            // Types agree, so a scalar never moves to a vector.
            _ => {}
        }
    }
}

fn overlap(a: Physical, b: Physical) -> bool {
    match (a, b) {
        (Physical::Register(a), Physical::Register(b)) => a == b,
        (
            Physical::Lanes {
                granule: a,
                lanes: a_lanes,
            },
            Physical::Lanes {
                granule: b,
                lanes: b_lanes,
            },
        ) => a < b + granules(b_lanes) && b < a + granules(a_lanes),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::mir::Scalar;
    use super::*;

    /// Registers after the moves, given those before.
    fn run(code: &[Instruction], mut registers: Vec<u32>) -> Vec<u32> {
        for instruction in code {
            assert_eq!(instruction.op, Opcode::Mov);
            registers[usize::from(instruction.a)] = registers[usize::from(instruction.b)];
        }
        registers
    }

    #[test]
    fn moves_happen_at_once() {
        type Case = (&'static [(u8, u8)], [u32; 3]);
        let cases: [Case; 4] = [
            (&[(0, 1), (1, 0)], [11, 10, 12]),
            (&[(0, 1), (1, 2), (2, 0)], [11, 12, 10]),
            (&[(1, 0), (2, 1)], [10, 10, 11]),
            (&[(0, 1), (1, 0), (2, 0)], [11, 10, 10]),
        ];
        for (moves, after) in cases {
            let mut code = Code::default();
            let places: Vec<_> = moves
                .iter()
                .map(|(to, from)| (MoveOperand::Window(*to), MoveOperand::Window(*from)))
                .collect();
            code.moves(places);
            let _: [Scalar; 3] = [code.scalar(), code.scalar(), code.scalar()];
            let mut assignment = Assignment::default();
            assignment.registers = 3;
            let emitted = emit(&code, &assignment).unwrap();
            let registers = run(&emitted.code, vec![10, 11, 12, 0]);
            assert_eq!(registers[..3], after, "{moves:?}");
        }
    }
}
