//! Functions of cores in static single assignment form, from which machine code is selected.
//!
//! It is made from [`crate::mir`] ([`build()`]), simplified ([`simplify()`]), measured ([`width`]) and handed to
//! selection. Scalars are values: each has one definition, which dominates its uses; where ways meet,
//! blocks have parameters. Vectors are variables, as in `mir`: they are written in parts, and stay in memory or in
//! registers as selection decides.
//!
//! A value has 64 bits with the meaning of [`aiec_vcode`]: integers are sign-extended, `f32`, `bf16` and `f16` are the
//! bits of an `f32` with zeros above. [`width`] finds those of which 32 bits are enough.
//!
//! Invariants, checked by [`verify()`] in debug builds:
//! * every argument is defined on all ways to its use;
//! * a jump passes as many values as the block has parameters;
//! * arguments and results fit the action;
//! * a block has predecessors, unless it is the first, which has none.

mod addresses;
mod build;
mod counted;
mod fold;
mod graph;
mod inline;
mod liveness;
mod nests;
mod print;
mod simplify;
mod tiles;
mod vectorise;
mod verify;
mod walks;
pub(crate) mod width;

use aiec_aie::ir::Op;
use aiec_vcode::{MemoryType, Opcode};
use smallvec::{SmallVec, smallvec};

pub(crate) use self::addresses::{AddressSet, MemoryObjects, address_sets};
pub(crate) use self::build::{build, function_type};
pub(crate) use self::counted::count_down;
pub(crate) use self::graph::Graph;
pub(crate) use self::inline::inline_single_calls;
pub(crate) use self::liveness::{live_values, vector_ranges};
pub(crate) use self::simplify::{drop_unused, simplify};
pub(crate) use self::tiles::{ProductShape, contract, contractions};
pub(crate) use self::vectorise::{VECTOR_BYTES, candidates, vectorise};
pub(crate) use self::verify::verify;
pub(crate) use self::walks::{Walks, walk_pointers};
use crate::mir::{MatrixProduct, Vector};

/// A scalar: one of [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Value(pub u32);

/// A basic block: an index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Block(pub u32);

impl Value {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Block {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The scalar type of an argument or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarType {
    /// An integer of some bits, sign-extended; `index` has 64.
    Int(u8),
    /// The bits of an `f32`, with zeros above.
    Float,
    /// The bits of an `f64`.
    Double,
    /// A core-local byte address.
    Address,
}

/// Type of an argument or result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassedType {
    /// A scalar.
    Scalar(ScalarType),
    /// A vector of some lanes.
    Vector(u16),
}

/// The types of a function: scalars first, then vectors, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub arguments: Vec<PassedType>,
    pub results: Vec<PassedType>,
}

/// Target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    /// A function of the core, by its number.
    Function(u32),
    /// A function that isn't part of the program, by the number of its signature.
    External(u32),
}

/// Vector action of a step. Lanes are scalars of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VectorAction {
    /// Lanes from consecutive elements at the address, its argument, plus the offset.
    Load {
        to: Vector,
        kind: MemoryType,
        lanes: u16,
        offset: i32,
    },
    /// Stores lanes to consecutive elements: the inverse of [`Self::Load`].
    Store {
        from: Vector,
        kind: MemoryType,
        lanes: u16,
        offset: i32,
    },
    /// An operation in each lane. `number` is its third operand or immediate where that is a number.
    Map {
        op: Opcode,
        to: Vector,
        operands: SmallVec<[Vector; 3]>,
        number: u8,
        lanes: u16,
    },
    /// The product of two matrices, added to sums if there are any.
    Contract {
        product: MatrixProduct,
        to: Vector,
        left: Vector,
        right: Vector,
        sums: Option<Vector>,
    },
    /// The lanes of two vectors, those of the second one after those of the first one, from a lane on.
    Window {
        to: Vector,
        from: [Vector; 2],
        lane: u16,
    },
    /// The result is the argument combined with each lane in order.
    Reduce {
        op: Opcode,
        from: Vector,
        number: u8,
        lanes: u16,
    },
    /// All lanes are the argument.
    Splat { to: Vector, lanes: u16 },
    /// The result is a lane.
    Extract { from: Vector, lane: u16 },
    /// The result is the lane that the argument names.
    ExtractAt { from: Vector, lanes: u16 },
    /// A lane is the argument.
    Insert { to: Vector, lane: u16 },
    /// The lane that the second argument names is the first.
    InsertAt { to: Vector, lanes: u16 },
    /// Lanes of one vector, from a first one on, are those of another.
    Copy {
        to: Vector,
        to_lane: u16,
        from: Vector,
        from_lane: u16,
        lanes: u16,
    },
    /// Whole vectors: every source is read before a destination is written.
    Move(Vec<(Vector, Vector)>),
    /// The vector is new from here on: each of its lanes will be set before it is read.
    Define(Vector),
    /// Lanes from the cascade.
    CascadeGet {
        to: Vector,
        kind: MemoryType,
        lanes: u16,
    },
    /// Lanes to the cascade.
    CascadePut {
        from: Vector,
        kind: MemoryType,
        lanes: u16,
    },
}

/// Action of a step. Its arguments are in [`Step::args`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The result is this number.
    Const(u64),
    /// The result is computed from the arguments. `number` is the third operand where that is a number, or the
    /// immediate where that is a small one.
    Pure { op: Opcode, number: u8 },
    /// The result is in memory at the address, the argument, plus the offset.
    Load { kind: MemoryType, offset: i32 },
    /// The first argument goes to memory at the second plus the offset.
    Store { kind: MemoryType, offset: i32 },
    /// Copies bytes from the second argument to the first.
    Copy { bytes: u32 },
    /// Acquires a lock: a negative value, at least its magnitude, taking it; else equal to it.
    Acquire { lock: u8, value: i8 },
    /// Adds a value to a lock.
    Release { lock: u8, value: i8 },
    /// The result is a word from an input stream.
    StreamGet { channel: u8 },
    /// Sends the argument to an output stream.
    StreamPut { channel: u8, last: bool },
    /// Raises an instruction event.
    Event(u8),
    /// Shows the argument, or a vector, where a simulator listens.
    Print,
    /// Calls a function. Scalars are arguments and results; vectors are passed by name.
    Call {
        callee: Callee,
        arguments: Vec<Vector>,
        results: Vec<Vector>,
    },
    /// Something with vectors.
    Vector(VectorAction),
}

/// A step of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub action: Action,
    pub args: SmallVec<[Value; 3]>,
    pub results: SmallVec<[Value; 1]>,
    /// The operation that it was made for.
    pub source: Op,
}

/// A jump: a block and the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub block: Block,
    pub args: Vec<Value>,
}

/// End of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Terminator {
    Jump(Target),
    /// Goes to the first target if the comparison holds ([`Opcode::Eq`] … [`Opcode::Leu`]), else to the second.
    Branch {
        op: Opcode,
        args: [Value; 2],
        targets: [Target; 2],
    },
    /// Returns scalars and vectors.
    Return {
        scalars: Vec<Value>,
        vectors: Vec<Vector>,
    },
    /// The core is done.
    End,
    /// The core stops with a fault.
    Trap,
}

impl Terminator {
    pub(crate) fn targets(&self) -> &[Target] {
        match self {
            Terminator::Jump(target) => std::slice::from_ref(target),
            Terminator::Branch { targets, .. } => targets,
            Terminator::Return { .. } | Terminator::End | Terminator::Trap => &[],
        }
    }

    pub(crate) fn targets_mut(&mut self) -> &mut [Target] {
        match self {
            Terminator::Jump(target) => std::slice::from_mut(target),
            Terminator::Branch { targets, .. } => targets,
            Terminator::Return { .. } | Terminator::End | Terminator::Trap => &mut [],
        }
    }

    /// The values that it reads itself, besides those that it passes on to its targets.
    pub(crate) fn operands(&self) -> &[Value] {
        match self {
            Terminator::Branch { args, .. } => args,
            Terminator::Return { scalars, .. } => scalars,
            _ => &[],
        }
    }

    pub(crate) fn operands_mut(&mut self) -> &mut [Value] {
        match self {
            Terminator::Branch { args, .. } => args,
            Terminator::Return { scalars, .. } => scalars,
            _ => &mut [],
        }
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockData {
    pub params: Vec<Value>,
    pub steps: Vec<Step>,
    pub terminator: Terminator,
    /// The operation that the terminator was made for.
    pub source: Op,
}

/// A function. Its entry is its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub source: Op,
    pub ty: FunctionType,
    /// The scalar arguments.
    pub arguments: Vec<Value>,
    /// The vectors that arguments are in.
    pub vector_arguments: Vec<Vector>,
    /// The blocks in the order of the code.
    pub blocks: Vec<BlockData>,
    /// Number of values.
    pub values: u32,
    /// Lanes of each vector.
    pub vectors: Vec<u16>,
}

impl Function {
    /// A new value.
    pub(crate) fn value(&mut self) -> Value {
        self.values += 1;
        Value(self.values - 1)
    }

    /// Puts a value in place of another one wherever that is used.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        let change = |used: &mut Value| {
            if *used == value {
                *used = by;
            }
        };
        for block in &mut self.blocks {
            let steps = block.steps.iter_mut();
            steps.flat_map(|step| &mut step.args).for_each(change);
            block.terminator.operands_mut().iter_mut().for_each(change);
            let targets = block.terminator.targets_mut().iter_mut();
            targets.flat_map(|target| &mut target.args).for_each(change);
        }
    }

    pub(crate) fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.index()]
    }

    /// The blocks with their numbers.
    pub(crate) fn numbered_blocks(&self) -> impl Iterator<Item = (Block, &BlockData)> {
        let blocks = self.blocks.iter().enumerate();
        blocks.map(|(number, block)| (Block(number as u32), block))
    }

    /// The constant that each value is, if it is one.
    pub(crate) fn constants(&self) -> Vec<Option<u64>> {
        let mut constants = vec![None; self.values as usize];
        for step in self.blocks.iter().flat_map(|block| &block.steps) {
            if let (Action::Const(bits), [result]) = (&step.action, &step.results[..]) {
                constants[result.index()] = Some(*bits);
            }
        }
        constants
    }
}

impl VectorAction {
    /// Calls `visit` with each vector that it reads, those included of which it writes a part.
    pub(crate) fn reads(&self, mut visit: impl FnMut(Vector)) {
        use VectorAction::*;
        match self {
            Store { from, .. }
            | Reduce { from, .. }
            | Extract { from, .. }
            | ExtractAt { from, .. }
            | CascadePut { from, .. } => visit(*from),
            Map { operands, .. } => operands.iter().for_each(|vector| visit(*vector)),
            Insert { to, .. } | InsertAt { to, .. } => visit(*to),
            Copy { to, from, .. } => {
                visit(*from);
                visit(*to);
            }
            Contract {
                left, right, sums, ..
            } => [*left, *right].into_iter().chain(*sums).for_each(visit),
            Window { from, .. } => from.iter().copied().for_each(visit),
            Move(moves) => moves.iter().for_each(|(_, from)| visit(*from)),
            Load { .. } | Splat { .. } | Define(_) | CascadeGet { .. } => {}
        }
    }

    /// Calls `visit` with each vector that it writes or begins.
    pub(crate) fn writes(&self, mut visit: impl FnMut(Vector)) {
        use VectorAction::*;
        match self {
            Load { to, .. }
            | Map { to, .. }
            | Splat { to, .. }
            | Contract { to, .. }
            | Window { to, .. }
            | Insert { to, .. }
            | InsertAt { to, .. }
            | Copy { to, .. }
            | CascadeGet { to, .. }
            | Define(to) => visit(*to),
            Move(moves) => moves.iter().for_each(|(to, _)| visit(*to)),
            Store { .. }
            | Reduce { .. }
            | Extract { .. }
            | ExtractAt { .. }
            | CascadePut { .. } => {}
        }
    }
}

impl Step {
    /// A step with one result.
    pub(crate) fn value(action: Action, args: &[Value], result: Value, source: Op) -> Step {
        Step {
            action,
            args: args.into(),
            results: smallvec![result],
            source,
        }
    }

    /// A step with vectors that has no scalar result.
    pub(crate) fn vector(action: VectorAction, args: &[Value], source: Op) -> Step {
        Step {
            action: Action::Vector(action),
            args: args.into(),
            results: smallvec![],
            source,
        }
    }

    /// Calls `visit` with each vector that it reads.
    pub(crate) fn vector_reads(&self, visit: impl FnMut(Vector)) {
        match &self.action {
            Action::Vector(action) => action.reads(visit),
            Action::Call { arguments, .. } => arguments.iter().copied().for_each(visit),
            _ => {}
        }
    }

    /// Calls `visit` with each vector that it writes or begins.
    pub(crate) fn vector_writes(&self, visit: impl FnMut(Vector)) {
        match &self.action {
            Action::Vector(action) => action.writes(visit),
            Action::Call { results, .. } => results.iter().copied().for_each(visit),
            _ => {}
        }
    }

    /// Calls `visit` with each vector that it names, once for each place.
    pub(crate) fn for_each_vector(&mut self, mut visit: impl FnMut(&mut Vector)) {
        use VectorAction::*;
        match &mut self.action {
            Action::Vector(action) => match action {
                Load { to, .. }
                | Splat { to, .. }
                | Insert { to, .. }
                | InsertAt { to, .. }
                | CascadeGet { to, .. }
                | Define(to) => visit(to),
                Store { from, .. }
                | Reduce { from, .. }
                | Extract { from, .. }
                | ExtractAt { from, .. }
                | CascadePut { from, .. } => visit(from),
                Map { to, operands, .. } => {
                    visit(to);
                    operands.iter_mut().for_each(visit);
                }
                Contract {
                    to,
                    left,
                    right,
                    sums,
                    ..
                } => [to, left, right].into_iter().chain(sums).for_each(visit),
                Window { to, from, .. } => {
                    visit(to);
                    from.iter_mut().for_each(visit);
                }
                Copy { to, from, .. } => [to, from].into_iter().for_each(visit),
                Move(moves) => {
                    let places = moves.iter_mut().flat_map(|(to, from)| [to, from]);
                    places.for_each(visit);
                }
            },
            Action::Call {
                arguments, results, ..
            } => arguments.iter_mut().chain(results).for_each(visit),
            _ => {}
        }
    }

    /// Whether the step can be left out if nothing uses its results, and be done once for equal arguments.
    pub(crate) fn is_pure(&self) -> bool {
        matches!(self.action, Action::Const(_) | Action::Pure { .. })
    }

    /// Whether the step can be left out if nothing uses its results.
    pub(crate) fn is_removable(&self) -> bool {
        let reads = matches!(
            self.action,
            Action::Load { .. }
                | Action::Vector(
                    VectorAction::Extract { .. }
                        | VectorAction::ExtractAt { .. }
                        | VectorAction::Reduce { .. }
                )
        );
        reads || self.is_pure()
    }
}
