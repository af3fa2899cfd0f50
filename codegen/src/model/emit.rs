//! Instructions of a function whose registers are assigned.

use aiec_aie::ir::Op;
use aiec_vcode::{GRANULE_LANES, Instruction, MapImmediate, Opcode, WINDOW_LANES};

use super::allocate::{Assignment, OutOfRegisters};
use crate::mir::{Arg, Code, Imm, MoveOperand, Node, granules};

/// Granules that a function can name.
const WINDOW_GRANULES: u16 = (WINDOW_LANES / GRANULE_LANES) as u16;

/// A register or a run of granules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Physical {
    Register(u16),
    Lanes { granule: u16, lanes: u16 },
}

/// The code of a function with targets relative to its start, and its frame.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub code: Vec<Instruction>,
    /// The operation that each instruction was made for.
    pub sources: Vec<Op>,
    pub registers: u16,
    pub granules: u16,
}

/// Emits a function.
pub(crate) fn emit(code: &Code, assignment: &Assignment) -> Result<FunctionCode, OutOfRegisters> {
    let (window_registers, window_granules) = window(code);
    let own_granules = assignment.granules.max(window_granules);
    let mut emitter = Emitter {
        assignment,
        own_granules,
        // One register after the function's own breaks cycles of moves, and so do some granules.
        frame: assignment.registers.max(window_registers) + 1,
        // Beyond all others until it is known how many break cycles.
        frame_granules: own_granules + WINDOW_GRANULES,
        code: Vec::new(),
        labels: vec![0; code.label_count()],
        lanes: &code.vectors,
    };
    emitter.frame_granules = own_granules + emitter.scratch_granules(code);
    let (frame, frame_granules) = (emitter.frame, emitter.frame_granules);
    if frame + u16::from(code.callee_registers) > 256 {
        return Err(OutOfRegisters { vectors: false });
    }
    if frame_granules + u16::from(code.callee_granules) > 256 {
        return Err(OutOfRegisters { vectors: true });
    }
    let mut targets = Vec::new();
    let mut sources = Vec::new();
    for (at, node) in code.nodes.iter().enumerate() {
        if jumps_ahead(code, at) {
            continue;
        }
        match node {
            Node::Label(label) => emitter.labels[label.0 as usize] = emitter.code.len() as u32,
            Node::Moves(moves) => emitter.moves(moves),
            // Contractions are lane by lane by now.
            Node::Define(_) | Node::Contraction(_) => {}
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
    Ok(FunctionCode {
        code: emitter.code,
        sources,
        registers: frame,
        granules: frame_granules,
    })
}

/// Whether a node is a jump to a label right after it.
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

/// Registers and granules of the window that parameters and results take.
fn window(code: &Code) -> (u16, u16) {
    let mut taken = (0, 0);
    let moves = code.nodes.iter().filter_map(|node| match node {
        Node::Moves(moves) => Some(moves),
        _ => None,
    });
    for place in moves.flatten().flat_map(|(to, from)| [*to, *from]) {
        match place {
            MoveOperand::Window(register) => taken.0 = taken.0.max(u16::from(register) + 1),
            MoveOperand::WindowVector(granule, lanes) => {
                taken.1 = taken.1.max(u16::from(granule) + granules(lanes));
            }
            _ => {}
        }
    }
    taken
}

struct Emitter<'a> {
    assignment: &'a Assignment,
    /// Granules of values, parameters and results; after them come those that break cycles.
    own_granules: u16,
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

    /// Granules that the moves of vectors need to break cycles.
    fn scratch_granules(&self, code: &Code) -> u16 {
        let moves = code.nodes.iter().filter_map(|node| match node {
            Node::Moves(moves) if moves.len() > 1 => Some(moves),
            _ => None,
        });
        let needed = moves.map(|moves| {
            let widest = moves.iter().map(|(to, _)| match self.physical(*to) {
                Physical::Lanes { lanes, .. } => granules(lanes),
                Physical::Register(_) => 0,
            });
            let (_, scratch) = self.one_by_one(moves);
            widest.max().unwrap_or(0).max(scratch)
        });
        needed.max().unwrap_or(0)
    }

    /// Orders moves that happen at once: first those whose destination isn't read any more, and
    /// when only cycles are left, one value goes to a scratch place. Also returns how many granules of
    /// these there are: vectors of different sizes may need several at a time.
    fn one_by_one(&self, moves: &[(MoveOperand, MoveOperand)]) -> (Vec<(Physical, Physical)>, u16) {
        let mut left: Vec<(Physical, Physical)> = moves
            .iter()
            .map(|(to, from)| (self.physical(*to), self.physical(*from)))
            .filter(|(to, from)| to != from)
            .collect();
        // The last register of the frame belongs to nothing else.
        let spare = Physical::Register(self.frame - 1);
        let (mut order, mut spared, mut scratch) = (Vec::new(), Vec::new(), 0);
        while !left.is_empty() {
            let free = left.iter().position(|(to, _)| {
                left.iter()
                    .all(|(other, from)| other == to || !overlap(*to, *from))
            });
            if let Some(at) = free {
                order.push(left.remove(at));
                continue;
            }
            let mut sources = left.iter().map(|(_, from)| *from);
            // Nothing waits for what reads only scratch places.
            let Some(from) = sources.find(|from| !spared.contains(from)) else {
                break;
            };
            let place = match from {
                Physical::Register(_) => spare,
                Physical::Lanes { lanes, .. } => {
                    let granule = self.own_granules + scratch;
                    scratch += granules(lanes);
                    Physical::Lanes { granule, lanes }
                }
            };
            spared.push(place);
            order.push((place, from));
            left.iter_mut()
                .filter(|(_, source)| *source == from)
                .for_each(|(_, source)| *source = place);
        }
        (order, scratch)
    }

    fn moves(&mut self, moves: &[(MoveOperand, MoveOperand)]) {
        for (to, from) in self.one_by_one(moves).0 {
            self.copy(to, from);
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
    use super::*;
    use crate::mir::Scalar;

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

    #[test]
    fn vectors_of_different_sizes_and_results_beyond_the_values() {
        // Two granules at 0 and one each at 2 and 3 go to where the others are.
        let mut code = Code::default();
        let wide = code.vector(20);
        let narrow = [code.vector(8), code.vector(8)];
        code.moves(vec![
            (
                MoveOperand::WindowVector(0, 8),
                MoveOperand::Vector(narrow[0]),
            ),
            (
                MoveOperand::WindowVector(1, 8),
                MoveOperand::Vector(narrow[1]),
            ),
            (MoveOperand::WindowVector(2, 20), MoveOperand::Vector(wide)),
            (MoveOperand::WindowVector(4, 20), MoveOperand::Vector(wide)),
        ]);
        let assignment = Assignment::vectors_at(&[0, 2, 3], 4);
        let emitted = emit(&code, &assignment).unwrap();
        let mut granules: Vec<u32> = (0..u32::from(emitted.granules)).collect();
        for copy in &emitted.code {
            let count = if copy.c == 20 { 2 } else { 1 };
            let (to, from) = (usize::from(copy.a), usize::from(copy.b));
            granules.copy_within(from..from + count, to);
        }
        assert_eq!(granules[..6], [2, 3, 0, 1, 0, 1]);
    }
}
