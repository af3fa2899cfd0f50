//! Instructions of one function before registers are assigned.

use std::borrow::Cow;

use aiec_aie::ir::Op;
use aiec_vcode::{GRANULE_LANES, Immediate, MemoryType, Opcode, Operand};

/// A scalar value that will get a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Scalar(pub u32);

/// A vector that will get granules of the vector file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Vector(pub u32);

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label(pub u32);

/// Something that can be read or written by a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveOperand {
    Scalar(Scalar),
    Vector(Vector),
    /// Register of this function's window: parameters and results.
    Window(u8),
    /// Granule of this function's window, with the lanes of its vector.
    WindowVector(u8, u16),
    /// Register of the window of a function that is called.
    Callee(u8),
    /// Granule of the window of a function that is called.
    CalleeVector(u8, u16),
}

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    None,
    Scalar(Scalar),
    Vector(Vector),
    Number(u8),
    /// The size of this function's frame in registers.
    Frame,
    /// The size of this function's frame in granules.
    FrameVector,
}

/// The second word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Imm {
    None,
    Word(u32),
    Target(Label),
    /// Fourth operand.
    Source(Scalar),
    /// Operation over lanes with its fourth operand.
    Map {
        op: Opcode,
        lanes: u16,
        fourth: Arg,
    },
}

/// The elements of a matrix that is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    /// Their form in memory: integers of 8 or 16 bits, or bf16.
    pub kind: MemoryType,
    /// Whether an integer has a sign.
    pub is_signed: bool,
}

/// A product of matrices: `rows` × `inner` elements times `inner` × `columns`, added to `rows` × `columns` sums of 32 bits, all
/// row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixProduct {
    pub left: Factor,
    pub right: Factor,
    pub rows: u16,
    pub inner: u16,
    pub columns: u16,
    /// Whether its factors are rounded to blocks of numbers that share an exponent.
    pub in_blocks: bool,
}

/// A contraction of vectors, for architectures that multiply matrices by one instruction, and the nodes that compute the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contraction {
    /// The product of matrices that it is, if it is one of sums of 32 bits.
    pub product: Option<MatrixProduct>,
    pub to: Vector,
    pub left: Vector,
    pub right: Vector,
    pub sums: Vector,
    /// The nodes that set `to` without such an instruction, all lanes at once.
    pub by_lanes: Vec<Node>,
    /// Those that do so one lane after another, if the others are many: none otherwise.
    pub in_loops: Vec<Node>,
}

/// One step of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Op {
        op: Opcode,
        args: [Arg; 3],
        imm: Imm,
    },
    Label(Label),
    /// All at once: every source is read before a destination is written.
    Moves(Vec<(MoveOperand, MoveOperand)>),
    /// The vector counts as written here; its lanes are set one by one.
    Define(Vector),
    Contraction(Box<Contraction>),
}

/// A register-like thing that liveness knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Virtual {
    Scalar(Scalar),
    Vector(Vector),
}

impl MoveOperand {
    pub(crate) fn as_virtual(self) -> Option<Virtual> {
        match self {
            MoveOperand::Scalar(scalar) => Some(Virtual::Scalar(scalar)),
            MoveOperand::Vector(vector) => Some(Virtual::Vector(vector)),
            _ => None,
        }
    }
}

impl Arg {
    pub(crate) fn as_virtual(self) -> Option<Virtual> {
        match self {
            Arg::Scalar(scalar) => Some(Virtual::Scalar(scalar)),
            Arg::Vector(vector) => Some(Virtual::Vector(vector)),
            _ => None,
        }
    }
}

/// Operations that write only some lanes of their vector, so that they read it as well.
fn writes_in_part(op: Opcode) -> bool {
    matches!(op, Opcode::VInsert | Opcode::VInsertAt | Opcode::VCopy)
}

impl Node {
    /// Calls `visit` with everything the node reads.
    pub(crate) fn uses(&self, mut visit: impl FnMut(Virtual)) {
        match self {
            Node::Op { op, args, imm } => {
                for (kind, arg) in op.shape().operands.into_iter().zip(args) {
                    let read = match kind {
                        Operand::Dest => false,
                        Operand::VDest => writes_in_part(*op),
                        _ => true,
                    };
                    if let (true, Some(value)) = (read, arg.as_virtual()) {
                        visit(value);
                    }
                }
                match imm {
                    Imm::Source(scalar) => visit(Virtual::Scalar(*scalar)),
                    Imm::Map { fourth, .. } => fourth.as_virtual().into_iter().for_each(visit),
                    _ => {}
                }
            }
            Node::Moves(moves) => {
                moves
                    .iter()
                    .filter_map(|(_, from)| from.as_virtual())
                    .for_each(visit);
            }
            Node::Contraction(it) => {
                for vector in [it.left, it.right, it.sums] {
                    visit(Virtual::Vector(vector));
                }
            }
            Node::Label(_) | Node::Define(_) => {}
        }
    }

    /// Calls `visit` with everything the node writes.
    pub(crate) fn defs(&self, mut visit: impl FnMut(Virtual)) {
        match self {
            Node::Op { op, args, .. } => {
                let writes = matches!(
                    op.shape().operands[0],
                    Operand::Dest | Operand::Both | Operand::VDest
                );
                if let (true, Some(value)) = (writes, args[0].as_virtual()) {
                    visit(value);
                }
            }
            Node::Moves(moves) => {
                moves
                    .iter()
                    .filter_map(|(to, _)| to.as_virtual())
                    .for_each(visit);
            }
            Node::Define(vector) => visit(Virtual::Vector(*vector)),
            Node::Contraction(it) => visit(Virtual::Vector(it.to)),
            Node::Label(_) => {}
        }
    }

    /// Where the node may go besides the next one.
    pub(crate) fn target(&self) -> Option<Label> {
        match self {
            Node::Op {
                imm: Imm::Target(label),
                ..
            } => Some(*label),
            _ => None,
        }
    }

    /// Whether the next node never follows.
    pub(crate) fn ends_block(&self) -> bool {
        matches!(self, Node::Op { op, .. } if op.ends_block())
    }
}

/// A function under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub nodes: Vec<Node>,
    /// The operation that each of the first nodes was made for; see [`Code::attribute`].
    pub sources: Vec<Op>,
    /// Number of scalars.
    pub scalars: u32,
    /// Lanes of each vector.
    pub vectors: Vec<u16>,
    labels: u32,
    /// Registers and granules that calls need after the frame.
    pub callee_registers: u8,
    pub callee_granules: u8,
}

impl Code {
    /// Says that the nodes since the last call were made for an operation.
    pub(crate) fn attribute(&mut self, op: Op) {
        self.sources.resize(self.nodes.len(), op);
    }

    pub(crate) fn scalar(&mut self) -> Scalar {
        self.scalars += 1;
        Scalar(self.scalars - 1)
    }

    pub(crate) fn vector(&mut self, lanes: u16) -> Vector {
        self.vectors.push(lanes);
        Vector((self.vectors.len() - 1) as u32)
    }

    pub(crate) fn lanes(&self, vector: Vector) -> u16 {
        self.vectors.get(vector.0 as usize).copied().unwrap_or(0)
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(crate) fn label_count(&self) -> usize {
        self.labels as usize
    }

    pub(crate) fn place(&mut self, label: Label) {
        self.nodes.push(Node::Label(label));
    }

    pub(crate) fn op(&mut self, op: Opcode, args: [Arg; 3], imm: Imm) {
        debug_assert_eq!(
            op.shape().immediate == Immediate::No,
            imm == Imm::None,
            "{op:?}"
        );
        self.nodes.push(Node::Op { op, args, imm });
    }

    /// A branch.
    pub(crate) fn branch(&mut self, op: Opcode, args: [Arg; 3], target: Label) {
        self.op(op, args, Imm::Target(target));
    }

    pub(crate) fn jump(&mut self, target: Label) {
        self.branch(Opcode::Jmp, [Arg::None; 3], target);
    }

    /// The code with nodes for contractions: `written` gives those of each, `None` for one that is kept.
    pub(crate) fn with_contractions<'c>(
        &'c self,
        written: impl Fn(&'c Contraction) -> Option<&'c [Node]>,
    ) -> Cow<'c, Code> {
        let nodes_of = |node: &'c Node| match node {
            Node::Contraction(it) => written(it),
            _ => None,
        };
        if self.nodes.iter().all(|node| nodes_of(node).is_none()) {
            return Cow::Borrowed(self);
        }
        let (mut nodes, mut sources) = (Vec::new(), Vec::new());
        for (at, node) in self.nodes.iter().enumerate() {
            match nodes_of(node) {
                Some(written) => nodes.extend_from_slice(written),
                None => nodes.push(node.clone()),
            }
            if let Some(source) = self.sources.get(at) {
                sources.resize(nodes.len(), *source);
            }
        }
        Cow::Owned(Code {
            nodes,
            sources,
            ..self.clone()
        })
    }

    pub(crate) fn moves(&mut self, moves: Vec<(MoveOperand, MoveOperand)>) {
        if !moves.is_empty() {
            self.nodes.push(Node::Moves(moves));
        }
    }
}

/// Granules of a vector.
pub(crate) fn granules(lanes: u16) -> u16 {
    lanes.div_ceil(GRANULE_LANES as u16).max(1)
}
