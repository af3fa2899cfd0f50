//! The form of a lowered function.
//!
//! Scalars of `mir` that are written once are values as they are. For the others, blocks where ways meet get a
//! parameter for each one that is live there; [`super::simplify()`] drops those that always have the same value.

use aiec_aie::ir::{Attr, Module, Op, Type};
use aiec_aie::ops::OpKind;
use aiec_vcode::{Immediate, MemoryImmediate, MemoryType, Opcode, Operand};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{
    Action, Block, BlockData, Callee, Function, FunctionType, PassedType, ScalarType, Step, Target,
    Terminator, Value, VectorAction,
};
use crate::bits::Bits;
use crate::code_blocks::{CodeBlock, code_blocks, live_in};
use crate::lower::value::{Elem, Shape};
use crate::mir::{Arg, Code, Imm, MoveOperand, Node, Scalar, Vector, Virtual};

/// The type of a function of a core; that of the core itself takes and gives nothing.
pub(crate) fn function_type(module: &Module, function: Op) -> FunctionType {
    if module.kind(function) != OpKind::FuncFunc {
        return FunctionType::default();
    }
    let Some(Attr::Type(Type::Function(types))) = module.attr(function, "function_type") else {
        return FunctionType::default();
    };
    FunctionType {
        arguments: passed_types(types.inputs.iter()),
        results: passed_types(types.results.iter()),
    }
}

/// Scalars first, then vectors.
fn passed_types<'t>(types: impl Iterator<Item = &'t Type>) -> Vec<PassedType> {
    let mut passed: Vec<PassedType> = types.map(passed_type).collect();
    passed.sort_by_key(|ty| matches!(ty, PassedType::Vector(_)));
    passed
}

fn passed_type(ty: &Type) -> PassedType {
    if ty.as_memref().is_some() {
        return PassedType::Scalar(ScalarType::Address);
    }
    match Shape::of(ty) {
        Some(Shape {
            lanes: Some(lanes), ..
        }) => PassedType::Vector(lanes),
        Some(Shape { elem, .. }) => PassedType::Scalar(match elem {
            Elem::Int(bits) => ScalarType::Int(bits),
            Elem::Float(aiec_vcode::FloatFormat::F64) => ScalarType::Double,
            Elem::Float(_) => ScalarType::Float,
        }),
        // Lowering refuses other types.
        None => PassedType::Scalar(ScalarType::Int(64)),
    }
}

/// Nodes that are executed one after another.
struct Range {
    block: CodeBlock,
    predecessors: usize,
    /// The scalars with several definitions that are live at its start, by their dense number.
    live: Vec<usize>,
}

/// Builds the form of a function that was lowered to `code`.
pub(crate) fn build(source: Op, ty: FunctionType, code: &Code) -> Function {
    let merged = merged_scalars(code);
    let ranges = ranges(code, &merged);
    let order = order(&ranges);
    // The first block has no predecessors: one more goes before it if there are jumps to it.
    let extra = u32::from(ranges[0].predecessors > 1);
    let mut numbers = vec![None; ranges.len()];
    let mut reached = order.clone();
    reached.sort_unstable();
    for (number, range) in reached.iter().enumerate() {
        numbers[*range] = Some(Block(number as u32 + extra));
    }
    let empty = BlockData {
        params: Vec::new(),
        steps: Vec::new(),
        terminator: Terminator::End,
        source,
    };
    let mut builder = Builder {
        code,
        function: Function {
            source,
            ty,
            arguments: Vec::new(),
            vector_arguments: Vec::new(),
            blocks: vec![empty; reached.len() + extra as usize],
            values: 0,
            vectors: code.vectors.clone(),
        },
        merged,
        singles: vec![None; code.scalars as usize],
        current: Vec::new(),
        constants: FxHashMap::default(),
        block: Block(0),
        source,
        pending: PassedOperands::default(),
        returned: PassedOperands::default(),
        results: FxHashMap::default(),
    };
    builder.arguments();
    builder.blocks(&ranges, &order, &numbers);
    if extra > 0 {
        // Nothing is written before it.
        builder.current.clear();
        let args = builder.exit_values(&ranges[0].live, Block(0));
        builder.function.blocks[0].terminator = Terminator::Jump(Target {
            block: Block(1),
            args,
        });
    }
    builder.function
}

/// The ranges of a function, with the merged scalars, which have these dense numbers, that are live at their starts.
fn ranges(code: &Code, merged: &[Option<usize>]) -> Vec<Range> {
    let blocks = code_blocks(code);
    let number = |value: Virtual| match value {
        Virtual::Scalar(scalar) => merged[scalar.0 as usize],
        Virtual::Vector(_) => None,
    };
    let live = live_in(code, &blocks, merged.iter().flatten().count(), number);
    let range = |(block, live): (CodeBlock, Bits)| Range {
        block,
        predecessors: 0,
        live: live.iter().collect(),
    };
    let mut ranges: Vec<Range> = blocks.into_iter().zip(live).map(range).collect();
    if let Some(first) = ranges.first_mut() {
        first.predecessors = 1;
    }
    for at in order(&ranges) {
        for next in ranges[at].block.successors.clone() {
            ranges[next].predecessors += 1;
        }
    }
    ranges
}

/// The ranges that can be reached, each after those that dominate it: reverse postorder.
fn order(ranges: &[Range]) -> Vec<usize> {
    let mut seen = vec![false; ranges.len()];
    let mut done = Vec::new();
    let mut open = vec![(0, 0)];
    seen[0] = true;
    while let Some((at, next)) = open.pop() {
        match ranges[at].block.successors.get(next) {
            Some(&successor) => {
                open.push((at, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    open.push((successor, 0));
                }
            }
            None => done.push(at),
        }
    }
    done.reverse();
    done
}

/// The dense numbers of the scalars that have several definitions.
fn merged_scalars(code: &Code) -> Vec<Option<usize>> {
    let mut definitions = vec![0u8; code.scalars as usize];
    for node in &code.nodes {
        node.defs(|value| {
            if let Virtual::Scalar(scalar) = value {
                let count = &mut definitions[scalar.0 as usize];
                *count = count.saturating_add(1);
            }
        });
    }
    let mut count = 0;
    let numbers = definitions.into_iter().map(|definitions| {
        (definitions > 1).then(|| {
            count += 1;
            count - 1
        })
    });
    numbers.collect()
}

/// Operands in a window, by register or granule.
#[derive(Default)]
struct PassedOperands {
    scalars: Vec<(u8, Value)>,
    vectors: Vec<(u8, Vector)>,
}

impl PassedOperands {
    /// Takes all operands, in order.
    fn take(&mut self) -> (Vec<Value>, Vec<Vector>) {
        let mut passed = std::mem::take(self);
        passed.scalars.sort_by_key(|(place, _)| *place);
        passed.vectors.sort_by_key(|(place, _)| *place);
        (
            passed.scalars.into_iter().map(|(_, value)| value).collect(),
            passed
                .vectors
                .into_iter()
                .map(|(_, vector)| vector)
                .collect(),
        )
    }
}

struct Builder<'a> {
    code: &'a Code,
    function: Function,
    /// The dense numbers of merged scalars.
    merged: Vec<Option<usize>>,
    /// The values of all other scalars.
    singles: Vec<Option<Value>>,
    /// The values of merged scalars in the current block.
    current: Vec<Option<Value>>,
    constants: FxHashMap<Value, u64>,
    block: Block,
    /// The operation that steps are made for.
    source: Op,
    /// Operands of the next call.
    pending: PassedOperands,
    /// Operands of the next return.
    returned: PassedOperands,
    /// The scalar results of the last call, by register.
    results: FxHashMap<u8, Value>,
}

impl Builder<'_> {
    fn arguments(&mut self) {
        let scalars = self.function.ty.arguments.iter();
        let count = scalars
            .filter(|ty| matches!(ty, PassedType::Scalar(_)))
            .count();
        for _ in 0..count {
            let value = self.function.value();
            self.function.arguments.push(value);
        }
    }

    fn blocks(&mut self, ranges: &[Range], order: &[usize], numbers: &[Option<Block>]) {
        let merged = self.merged.iter().flatten().count();
        let mut exits: Vec<Option<Vec<Option<Value>>>> = vec![None; ranges.len()];
        let mut entries: Vec<Option<Vec<Option<Value>>>> = vec![None; ranges.len()];
        for &at in order {
            let range = &ranges[at];
            let Some(block) = numbers[at] else { continue };
            self.block = block;
            self.current = entries[at].take().unwrap_or_else(|| vec![None; merged]);
            if range.predecessors > 1 {
                for &number in &range.live {
                    let value = self.function.value();
                    self.function.blocks[block.index()].params.push(value);
                    self.current[number] = Some(value);
                }
            }
            for node in range.block.nodes.clone() {
                self.source = self.code.sources.get(node).copied().unwrap_or(self.source);
                self.node(node);
            }
            let last = range.block.nodes.end - 1;
            let targets = range.block.successors.iter().map(|next| numbers[*next]);
            let targets: SmallVec<[Block; 2]> = targets.flatten().collect();
            let terminator = self.terminator(last, &targets);
            let block = &mut self.function.blocks[block.index()];
            block.terminator = terminator;
            block.source = self.source;
            for &next in &range.block.successors {
                if ranges[next].predecessors == 1 {
                    entries[next] = Some(self.current.clone());
                }
            }
            exits[at] = Some(std::mem::take(&mut self.current));
        }
        for &at in order {
            let (Some(block), Some(exit)) = (numbers[at], exits[at].take()) else {
                continue;
            };
            self.current = exit;
            for (place, &next) in ranges[at].block.successors.iter().enumerate() {
                if ranges[next].predecessors > 1 {
                    let args = self.exit_values(&ranges[next].live, block);
                    let terminator = &mut self.function.blocks[block.index()].terminator;
                    if let Some(target) = terminator.targets_mut().get_mut(place) {
                        target.args = args;
                    }
                }
            }
        }
    }

    /// The values of merged scalars at the end of a block.
    fn exit_values(&mut self, live: &[usize], block: Block) -> Vec<Value> {
        let mut values = Vec::new();
        for number in live {
            let known = self.current.get(*number).copied().flatten();
            values.push(known.unwrap_or_else(|| {
                self.block = block;
                self.constant(0)
            }));
        }
        values
    }

    // ---- scalars ----

    fn read(&mut self, scalar: Scalar) -> Value {
        let known = match self.merged[scalar.0 as usize] {
            Some(number) => self.current[number],
            None => self.singles[scalar.0 as usize],
        };
        // No way writes it before: any number will do.
        known.unwrap_or_else(|| self.constant(0))
    }

    fn write(&mut self, scalar: Scalar, value: Value) {
        match self.merged[scalar.0 as usize] {
            Some(number) => self.current[number] = Some(value),
            None => self.singles[scalar.0 as usize] = Some(value),
        }
    }

    fn arg(&mut self, arg: Arg) -> Option<Value> {
        match arg {
            Arg::Scalar(scalar) => Some(self.read(scalar)),
            _ => None,
        }
    }

    // ---- steps ----

    /// Adds a step with a result.
    fn step(&mut self, action: Action, args: SmallVec<[Value; 3]>) -> Value {
        let result = self.function.value();
        self.push(action, args, smallvec![result]);
        result
    }

    fn push(&mut self, action: Action, args: SmallVec<[Value; 3]>, results: SmallVec<[Value; 1]>) {
        let source = self.source;
        self.function.blocks[self.block.index()].steps.push(Step {
            action,
            args,
            results,
            source,
        });
    }

    fn constant(&mut self, bits: u64) -> Value {
        let value = self.step(Action::Const(bits), smallvec![]);
        self.constants.insert(value, bits);
        value
    }

    fn pure(&mut self, op: Opcode, args: &[Value], number: u8) -> Value {
        self.step(Action::Pure { op, number }, args.into())
    }

    fn with_constant(&mut self, op: Opcode, value: Value, bits: u64) -> Value {
        let constant = self.constant(bits);
        self.pure(op, &[value, constant], 0)
    }

    fn node(&mut self, at: usize) {
        match &self.code.nodes[at] {
            Node::Label(_) => {}
            Node::Define(vector) => {
                let action = Action::Vector(VectorAction::Define(*vector));
                self.push(action, smallvec![], smallvec![]);
            }
            Node::Moves(moves) => self.moves(moves),
            Node::Contraction(it) => {
                // All but products of matrices has been written out.
                let Some(product) = it.product else { return };
                let action = VectorAction::Contract {
                    product,
                    to: it.to,
                    left: it.left,
                    right: it.right,
                    sums: Some(it.sums),
                };
                self.push(Action::Vector(action), smallvec![], smallvec![]);
            }
            Node::Op { op, args, imm } => self.op(at, *op, *args, *imm),
        }
    }

    fn moves(&mut self, moves: &[(MoveOperand, MoveOperand)]) {
        let mut written = Vec::new();
        let mut vectors = Vec::new();
        let mut parameters = Vec::new();
        for (to, from) in moves {
            let value = match *from {
                MoveOperand::Scalar(from) => Some(self.read(from)),
                MoveOperand::Window(number) => {
                    self.function.arguments.get(usize::from(number)).copied()
                }
                MoveOperand::Callee(number) => self.results.get(&number).copied(),
                _ => None,
            };
            match (*to, value, *from) {
                (MoveOperand::Scalar(to), Some(value), _) => written.push((to, value)),
                (MoveOperand::Callee(place), Some(value), _) => {
                    self.pending.scalars.push((place, value));
                }
                (MoveOperand::Window(place), Some(value), _) => {
                    self.returned.scalars.push((place, value));
                }
                (MoveOperand::Vector(to), _, MoveOperand::Vector(from)) => vectors.push((to, from)),
                (MoveOperand::Vector(to), _, MoveOperand::WindowVector(place, _)) => {
                    parameters.push((place, to));
                }
                (MoveOperand::CalleeVector(place, _), _, MoveOperand::Vector(from)) => {
                    self.pending.vectors.push((place, from));
                }
                (MoveOperand::WindowVector(place, _), _, MoveOperand::Vector(from)) => {
                    self.returned.vectors.push((place, from));
                }
                // The results of a call that are vectors are taken where it is made.
                _ => {}
            }
        }
        for (to, value) in written {
            self.write(to, value);
        }
        parameters.sort_by_key(|(place, _)| *place);
        let parameters = parameters.into_iter().map(|(_, vector)| vector);
        self.function.vector_arguments.extend(parameters);
        if !vectors.is_empty() {
            let action = Action::Vector(VectorAction::Move(vectors));
            self.push(action, smallvec![], smallvec![]);
        }
    }

    fn call(&mut self, at: usize, callee: Callee) {
        let next = self.code.nodes.get(at + 1);
        let moves = match next {
            Some(Node::Moves(moves)) => moves.as_slice(),
            _ => &[],
        };
        self.results.clear();
        let (mut scalars, mut vectors) = (Vec::new(), Vec::new());
        for (to, from) in moves {
            match (*to, *from) {
                (MoveOperand::Scalar(_), MoveOperand::Callee(place)) => scalars.push(place),
                (MoveOperand::Vector(to), MoveOperand::CalleeVector(place, _)) => {
                    vectors.push((place, to));
                }
                _ => {}
            }
        }
        scalars.sort_unstable();
        scalars.dedup();
        let mut results = SmallVec::new();
        for place in scalars {
            let value = self.function.value();
            self.results.insert(place, value);
            results.push(value);
        }
        vectors.sort_by_key(|(place, _)| *place);
        let (args, arguments) = self.pending.take();
        let action = Action::Call {
            callee,
            arguments,
            results: vectors.into_iter().map(|(_, vector)| vector).collect(),
        };
        self.push(action, args.into(), results);
    }

    fn op(&mut self, at: usize, op: Opcode, args: [Arg; 3], imm: Imm) {
        use Opcode::*;
        let word = match imm {
            Imm::Word(word) => word,
            _ => 0,
        };
        let signed = i64::from(word as i32) as u64;
        match op {
            // The terminator is made when the block ends.
            Trap | Jmp | Jnz | Jz | Beq | Bne | Blts | Bles | Bltu | Bleu | Loop | Loopi | Ret
            | End => {}
            Call => self.call(at, Callee::Function(word)),
            CallKernel => self.call(at, Callee::External(word)),
            Li => {
                let value = self.constant(signed);
                self.define(args[0], value);
            }
            Lih => {
                let Some(low) = self.arg(args[0]) else { return };
                let high = u64::from(word) << 32;
                let value = match self.constants.get(&low) {
                    Some(bits) => self.constant(high | (bits & u64::from(u32::MAX))),
                    None => {
                        let low = self.pure(Zext, &[low], 32);
                        self.with_constant(Or, low, high)
                    }
                };
                self.define(args[0], value);
            }
            Mov => {
                if let Some(value) = self.arg(args[1]) {
                    self.define(args[0], value);
                }
            }
            Addi32 | Addi64 | Muli32 | Muli64 | Andi | Ori | Xori => {
                let Some(value) = self.arg(args[1]) else {
                    return;
                };
                let op = match op {
                    Addi32 => Add32,
                    Addi64 => Add64,
                    Muli32 => Mul32,
                    Muli64 => Mul64,
                    Andi => And,
                    Ori => Or,
                    _ => Xor,
                };
                let value = self.with_constant(op, value, signed);
                self.define(args[0], value);
            }
            Shli32 | Shli64 | Shrsi | Shrui => {
                let (Some(value), Arg::Number(amount)) = (self.arg(args[1]), args[2]) else {
                    return;
                };
                let (op, mask) = match op {
                    Shli32 => (Shl32, 31),
                    Shli64 => (Shl64, 63),
                    Shrsi => (Shrs, 63),
                    _ => (Shru, 63),
                };
                let value = self.with_constant(op, value, u64::from(amount & mask));
                self.define(args[0], value);
            }
            LdAbs | LdBase | LdIdx | LdBaseIdx => {
                let (address, kind, offset) = self.address(op, [args[1], args[2]], word);
                let value = self.step(Action::Load { kind, offset }, smallvec![address]);
                self.define(args[0], value);
            }
            StAbs | StBase | StIdx | StBaseIdx => {
                let Some(value) = self.arg(args[0]) else {
                    return;
                };
                let (address, kind, offset) = self.address(op, [args[1], args[2]], word);
                let action = Action::Store { kind, offset };
                self.push(action, smallvec![value, address], smallvec![]);
            }
            _ if op.shape().pure_scalar => self.pure_op(op, args, imm),
            _ => self.effect(op, args, imm),
        }
    }

    fn define(&mut self, to: Arg, value: Value) {
        if let Arg::Scalar(to) = to {
            self.write(to, value);
        }
    }

    fn pure_op(&mut self, op: Opcode, args: [Arg; 3], imm: Imm) {
        let mut values: SmallVec<[Value; 3]> = smallvec![];
        let mut number = 0;
        for arg in &args[1..] {
            match arg {
                Arg::Scalar(scalar) => values.push(self.read(*scalar)),
                Arg::Number(value) => number = *value,
                _ => {}
            }
        }
        match imm {
            Imm::Source(scalar) => values.push(self.read(scalar)),
            Imm::Word(word) if op.shape().immediate == Immediate::Small => number = word as u8,
            _ => {}
        }
        let value = self.step(Action::Pure { op, number }, values);
        self.define(args[0], value);
    }

    /// Address, type and offset of an access.
    fn address(
        &mut self,
        op: Opcode,
        [first, second]: [Arg; 2],
        word: u32,
    ) -> (Value, MemoryType, i32) {
        let access = MemoryImmediate::unpack(word).unwrap_or(MemoryImmediate {
            kind: MemoryType::I32,
            offset: 0,
        });
        let kind = access.kind;
        let offset = i64::from(access.offset) as u64;
        let (base, index) = match op {
            Opcode::LdBase | Opcode::StBase => (self.arg(first), None),
            Opcode::LdIdx | Opcode::StIdx => (None, self.arg(first)),
            Opcode::LdBaseIdx | Opcode::StBaseIdx => (self.arg(first), self.arg(second)),
            _ => (None, None),
        };
        let index = index.map(|index| match kind.bytes() {
            1 => index,
            bytes => {
                let amount = u64::from(bytes.trailing_zeros());
                self.with_constant(Opcode::Shl64, index, amount)
            }
        });
        match (base, index) {
            (Some(base), None) => (base, kind, access.offset),
            (Some(base), Some(index)) => {
                let sum = self.pure(Opcode::Add64, &[base, index], 0);
                (sum, kind, access.offset)
            }
            (None, Some(index)) => {
                let base = self.constant(offset);
                (self.pure(Opcode::Add64, &[base, index], 0), kind, 0)
            }
            (None, None) => (self.constant(offset), kind, 0),
        }
    }

    /// Operations that aren't pure.
    fn effect(&mut self, op: Opcode, args: [Arg; 3], imm: Imm) {
        use Opcode::*;
        let number = |at: usize| match args[at] {
            Arg::Number(value) => value,
            _ => 0,
        };
        let word = match imm {
            Imm::Word(word) => word,
            _ => 0,
        };
        match op {
            Acquire | Release => {
                let (lock, value) = (number(0), number(1) as i8);
                let action = match op {
                    Acquire => Action::Acquire { lock, value },
                    _ => Action::Release { lock, value },
                };
                self.push(action, smallvec![], smallvec![]);
            }
            StreamGet => {
                let channel = number(1);
                let value = self.step(Action::StreamGet { channel }, smallvec![]);
                self.define(args[0], value);
            }
            StreamPut => {
                let Some(value) = self.arg(args[0]) else {
                    return;
                };
                let action = Action::StreamPut {
                    channel: number(1),
                    last: number(2) != 0,
                };
                self.push(action, smallvec![value], smallvec![]);
            }
            Event => self.push(Action::Event(number(0)), smallvec![], smallvec![]),
            Print | VPrint => {
                let value = self.arg(args[0]);
                self.push(Action::Print, value.into_iter().collect(), smallvec![]);
            }
            Copy => {
                let (Some(to), Some(from)) = (self.arg(args[0]), self.arg(args[1])) else {
                    return;
                };
                let action = Action::Copy { bytes: word };
                self.push(action, smallvec![to, from], smallvec![]);
            }
            _ => self.vector_op(op, args, imm),
        }
    }

    fn vector_op(&mut self, op: Opcode, args: [Arg; 3], imm: Imm) {
        use Opcode::*;
        let vector = |at: usize| match args[at] {
            Arg::Vector(vector) => vector,
            _ => Vector(0),
        };
        let lanes = match args[2] {
            Arg::Number(0) => 256,
            Arg::Number(lanes) => u16::from(lanes),
            _ => 0,
        };
        let word = match imm {
            Imm::Word(word) => word,
            _ => 0,
        };
        let access = MemoryImmediate::unpack(word);
        let kind = match args[1] {
            Arg::Number(kind) => MemoryType::from_code(kind).unwrap_or(MemoryType::I32),
            _ => access.map_or(MemoryType::I32, |access| access.kind),
        };
        let offset = access.map_or(0, |access| access.offset);
        let scalar = |builder: &mut Self, at: usize| -> SmallVec<[Value; 3]> {
            builder.arg(args[at]).into_iter().collect()
        };
        let mut values: SmallVec<[Value; 3]> = smallvec![];
        let action = match op {
            VLd => {
                values = scalar(self, 1);
                VectorAction::Load {
                    to: vector(0),
                    kind,
                    lanes,
                    offset,
                }
            }
            VSt => {
                values = scalar(self, 1);
                VectorAction::Store {
                    from: vector(0),
                    kind,
                    lanes,
                    offset,
                }
            }
            VMap => {
                let Imm::Map { op, lanes, fourth } = imm else {
                    return;
                };
                let shape = op.shape();
                let mut number = 0;
                let mut operands = SmallVec::new();
                let mut operand = |kind: Operand, arg: Arg| match (kind, arg) {
                    (Operand::Source, Arg::Vector(vector)) => operands.push(vector),
                    (Operand::Number | Operand::Signed, Arg::Number(value)) => number = value,
                    _ => {}
                };
                operand(shape.operands[1], args[1]);
                operand(shape.operands[2], args[2]);
                match shape.immediate {
                    Immediate::Source => operand(Operand::Source, fourth),
                    Immediate::Small => operand(Operand::Number, fourth),
                    _ => {}
                }
                VectorAction::Map {
                    op,
                    to: vector(0),
                    operands,
                    number,
                    lanes,
                }
            }
            VReduce => {
                let Imm::Map { op, lanes, fourth } = imm else {
                    return;
                };
                let Some(start) = self.arg(args[2]) else {
                    return;
                };
                let number = match fourth {
                    Arg::Number(number) => number,
                    _ => 0,
                };
                let action = VectorAction::Reduce {
                    op,
                    from: vector(1),
                    number,
                    lanes,
                };
                let value = self.step(Action::Vector(action), smallvec![start]);
                return self.define(args[0], value);
            }
            VSplat => {
                values = scalar(self, 1);
                VectorAction::Splat {
                    to: vector(0),
                    lanes,
                }
            }
            VExtract => {
                let action = VectorAction::Extract {
                    from: vector(1),
                    lane: word as u16,
                };
                let value = self.step(Action::Vector(action), smallvec![]);
                return self.define(args[0], value);
            }
            VExtractAt => {
                let Some(lane) = self.arg(args[2]) else {
                    return;
                };
                let action = VectorAction::ExtractAt {
                    from: vector(1),
                    lanes: word as u16,
                };
                let value = self.step(Action::Vector(action), smallvec![lane]);
                return self.define(args[0], value);
            }
            VInsert => {
                values = scalar(self, 1);
                VectorAction::Insert {
                    to: vector(0),
                    lane: word as u16,
                }
            }
            VInsertAt => {
                let (Some(value), Some(lane)) = (self.arg(args[1]), self.arg(args[2])) else {
                    return;
                };
                values = smallvec![value, lane];
                VectorAction::InsertAt {
                    to: vector(0),
                    lanes: word as u16,
                }
            }
            VCopy => VectorAction::Copy {
                to: vector(0),
                to_lane: (word >> 16) as u16,
                from: vector(1),
                from_lane: word as u16,
                lanes,
            },
            CascadeGet => VectorAction::CascadeGet {
                to: vector(0),
                kind,
                lanes,
            },
            CascadePut => VectorAction::CascadePut {
                from: vector(0),
                kind,
                lanes,
            },
            _ => return,
        };
        self.push(Action::Vector(action), values, smallvec![]);
    }

    // ---- terminators ----

    /// The end of the block whose last node this is.
    fn terminator(&mut self, last: usize, targets: &[Block]) -> Terminator {
        use Opcode::*;
        let target = |at: usize| Target {
            block: targets.get(at).copied().unwrap_or(Block(0)),
            args: Vec::new(),
        };
        let Node::Op { op, args, .. } = &self.code.nodes[last] else {
            return Terminator::Jump(target(0));
        };
        let (op, args) = (*op, *args);
        let compared = match op {
            Jnz | Beq | Bne | Jz => Some(if matches!(op, Jz | Beq) { Eq } else { Ne }),
            Blts | Loop | Loopi => Some(Lts),
            Bles => Some(Les),
            Bltu => Some(Ltu),
            Bleu => Some(Leu),
            _ => None,
        };
        let Some(compared) = compared else {
            return match op {
                Ret => {
                    let (scalars, vectors) = self.returned.take();
                    Terminator::Return { scalars, vectors }
                }
                End => Terminator::End,
                Trap => Terminator::Trap,
                _ => Terminator::Jump(target(0)),
            };
        };
        let operands = match op {
            Jnz | Jz => self.arg(args[0]).map(|value| [value, self.constant(0)]),
            Loop | Loopi => self.counted(args),
            _ => self.arg(args[0]).zip(self.arg(args[1])).map(Into::into),
        };
        match operands {
            Some(args) => Terminator::Branch {
                op: compared,
                args,
                targets: [target(0), target(1)],
            },
            None => Terminator::Jump(target(1)),
        }
    }

    /// Adds the step of a loop to its counter: the new counter and the bound.
    fn counted(&mut self, [counter, step, bound]: [Arg; 3]) -> Option<[Value; 2]> {
        let old = self.arg(counter)?;
        let step = match step {
            Arg::Number(step) => self.constant(step.into()),
            step => self.arg(step)?,
        };
        let new = self.pure(Opcode::Add64, &[old, step], 0);
        self.define(counter, new);
        Some([new, self.arg(bound)?])
    }
}
