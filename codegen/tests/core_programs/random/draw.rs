//! Random programs. Divisors, shifts and indices are kept in range by operations before them, so
//! that no program does what MLIR leaves undefined.

use crate::seeds::Random;
use aiec_vcode::FloatFormat;

use super::{Block, Element, Function, Id, MEMORY, Operation, Program, Step, Type};

/// Regions in regions.
const DEPTH: usize = 3;

const I1: Type = scalar(Element::Int(1));
const I8: Type = scalar(Element::Int(8));
const I32: Type = scalar(Element::Int(32));
const INDEX: Type = scalar(Element::Index);

/// All types that values have.
const TYPES: [Type; 14] = [
    I1,
    I8,
    scalar(Element::Int(16)),
    I32,
    I32,
    scalar(Element::Int(64)),
    INDEX,
    scalar(Element::Float(FloatFormat::F32)),
    scalar(Element::Float(FloatFormat::Bf16)),
    scalar(Element::Float(FloatFormat::F16)),
    scalar(Element::Float(FloatFormat::F64)),
    vector(Element::Int(32), 4),
    vector(Element::Int(16), 20),
    vector(Element::Float(FloatFormat::F32), 8),
];

const fn scalar(element: Element) -> Type {
    Type {
        element,
        lanes: None,
    }
}

const fn vector(element: Element, lanes: usize) -> Type {
    Type {
        element,
        lanes: Some(lanes),
    }
}

/// The words of the memory before the body.
pub fn memory(seed: u64) -> Vec<i32> {
    let mut random = Random::new(!seed);
    (0..MEMORY).map(|_| number(&mut random) as i32).collect()
}

/// Bits that are more often than not at the edge of something.
fn number(random: &mut Random) -> u64 {
    const EDGES: [u64; 12] = [
        0,
        1,
        2,
        3,
        7,
        0x7F,
        0x80,
        0x7FFF,
        0x8000,
        0x7FFF_FFFF,
        0x8000_0000,
        u64::MAX,
    ];
    match random.below(3) {
        0 => random.bits(),
        _ => EDGES[random.below(EDGES.len())].wrapping_sub(random.bits() & 1),
    }
}

/// Bits of a float: zeros, infinities, NaNs of both kinds and signs, small and large numbers.
fn float(random: &mut Random, format: FloatFormat) -> u64 {
    let one = format.from_f64_bits(1f64.to_bits());
    let bits = match random.below(6) {
        0 => 0,
        1 => format.nan() ^ format.quiet_bit(),
        2 => format.nan() | random.bits() & 0xF,
        3 => format.nan() ^ format.quiet_bit() | 1,
        4 => one + random.bits() % 64,
        _ => random.bits(),
    };
    let width = Element::Float(format).bits();
    let sign = (random.bits() & 1) << (width - 1);
    (bits ^ sign) & (u64::MAX >> (64 - width))
}

struct Draw {
    random: Random,
    program: Program,
    /// Values that may be used.
    visible: Vec<Id>,
    /// Inside a function, which doesn't see the buffers.
    in_function: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut draw = Draw {
        random: Random::new(seed),
        program: Program::default(),
        visible: Vec::new(),
        in_function: false,
    };
    for _ in 0..draw.random.below(3) {
        draw.function();
    }
    let mut body = Block::default();
    let steps = 6 + draw.random.below(20);
    draw.steps(&mut body, steps, DEPTH);
    body.yields = draw.visible.clone();
    draw.program.body = body;
    draw.program
}

impl Draw {
    fn value(&mut self, ty: Type) -> Id {
        self.program.types.push(ty);
        self.program.types.len() - 1
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())]
    }

    /// Adds an operation; its value is visible from now on.
    fn add(&mut self, block: &mut Block, operation: Operation, operands: &[Id], ty: Type) -> Id {
        let result = self.value(ty);
        block.steps.push(Step::Compute {
            result,
            operation,
            operands: operands.to_vec(),
        });
        self.visible.push(result);
        result
    }

    fn constant(&mut self, block: &mut Block, ty: Type, bits: u64) -> Id {
        let bits = bits & (u64::MAX >> (64 - ty.element.bits()));
        self.add(block, Operation::Constant(bits), &[], ty)
    }

    /// A visible value of a type, or a new constant.
    fn operand(&mut self, block: &mut Block, ty: Type) -> Id {
        let of_type = |id: &&Id| self.program.types[**id] == ty;
        let known: Vec<Id> = self.visible.iter().filter(of_type).copied().collect();
        if !known.is_empty() && self.random.below(8) != 0 {
            return self.pick(&known);
        }
        // Most words come from the memory, so that not everything is known to the compiler.
        if ty == I32 && !self.in_function && self.random.below(4) != 0 {
            let at = self.random.below(MEMORY) as u64;
            let at = self.constant(block, INDEX, at);
            return self.add(block, Operation::Load, &[at], I32);
        }
        let bits = match ty.element {
            Element::Float(format) => float(&mut self.random, format),
            _ => number(&mut self.random),
        };
        self.constant(block, ty, bits)
    }

    /// An index from 0 to `below` - 1, a power of two.
    fn small_index(&mut self, block: &mut Block, below: u64) -> Id {
        let mask = self.constant(block, INDEX, below - 1);
        if self.random.below(3) == 0 {
            let constant = self.random.bits() % below;
            return self.constant(block, INDEX, constant);
        }
        let word = self.operand(block, I32);
        let index = self.add(
            block,
            Operation::Convert("arith.index_cast"),
            &[word],
            INDEX,
        );
        self.add(
            block,
            Operation::Integer("arith.andi"),
            &[index, mask],
            INDEX,
        )
    }

    fn steps(&mut self, block: &mut Block, count: usize, depth: usize) {
        for _ in 0..count {
            match self.random.below(10) {
                0..=2 if depth > 0 => self.region(block, depth - 1),
                3 if !self.program.functions.is_empty() => self.call(block),
                4 if !self.in_function => self.access(block),
                _ => self.compute(block),
            }
        }
    }

    /// Something with the memory.
    fn access(&mut self, block: &mut Block) {
        // Transfers begin inside the memory or after its end.
        let twice = 2 * MEMORY as u64;
        match self.random.below(6) {
            0 => {
                let at = self.small_index(block, twice);
                let padding = self.operand(block, I32);
                let lanes = self.pick(&[4, 20]);
                let ty = vector(Element::Int(32), lanes);
                self.add(block, Operation::Read, &[at, padding], ty);
            }
            1 => {
                let at = self.small_index(block, twice);
                let value = self.operand(block, vector(Element::Int(32), 4));
                block.steps.push(Step::Write { value, at });
            }
            2 => {
                let (from, at) = (self.random.below(MEMORY - 1), self.random.below(MEMORY));
                let (from, at) = (from as u64, at as u64);
                self.add(block, Operation::OfView { from, at }, &[], I32);
            }
            _ => {
                let (value, at) = (self.operand(block, I32), self.small_index(block, 16));
                block.steps.push(Step::Store { value, at });
            }
        }
    }

    /// A block of a region: its definitions are not visible after it.
    fn inner(&mut self, steps: usize, depth: usize, arguments: &[Id], yields: &[Type]) -> Block {
        let outside = self.visible.len();
        self.visible.extend(arguments);
        let mut block = Block::default();
        let steps = self.random.below(steps + 1);
        self.steps(&mut block, steps, depth);
        block.yields = self.operands(&mut block, yields);
        self.visible.truncate(outside);
        block
    }

    fn operands(&mut self, block: &mut Block, types: &[Type]) -> Vec<Id> {
        let types = types.iter();
        types.map(|ty| self.operand(block, *ty)).collect()
    }

    /// New values of types, as results or arguments of a region.
    fn values(&mut self, types: &[Type]) -> Vec<Id> {
        types.iter().map(|ty| self.value(*ty)).collect()
    }

    fn types(&mut self, least: usize) -> Vec<Type> {
        let count = least + self.random.below(4);
        (0..count).map(|_| self.pick(&TYPES)).collect()
    }

    fn function(&mut self) {
        let types = self.types(0);
        let parameters = self.values(&types);
        let yields = self.types(1);
        self.in_function = true;
        let body = self.inner(6, 2, &parameters, &yields);
        self.in_function = false;
        self.program.functions.push(Function { parameters, body });
    }

    fn call(&mut self, block: &mut Block) {
        let function = self.random.below(self.program.functions.len());
        let callee = self.program.functions[function].clone();
        let of = |program: &Program, ids: &[Id]| -> Vec<Type> {
            ids.iter().map(|id| program.types[*id]).collect()
        };
        let parameters = of(&self.program, &callee.parameters);
        let yields = of(&self.program, &callee.body.yields);
        let operands = self.operands(block, &parameters);
        let results = self.values(&yields);
        self.visible.extend(&results);
        block.steps.push(Step::Call {
            results,
            function,
            operands,
        });
    }

    fn region(&mut self, block: &mut Block, depth: usize) {
        let types = self.types(0);
        let results = self.values(&types);
        let step = match self.random.below(5) {
            0 => {
                let condition = self.operand(block, I1);
                let then = self.inner(4, depth, &[], &types);
                let left_out = types.is_empty() && self.random.below(2) == 0;
                let otherwise = (!left_out).then(|| self.inner(4, depth, &[], &types));
                Step::If {
                    results: results.clone(),
                    condition,
                    then,
                    otherwise,
                }
            }
            1 => self.for_loop(block, depth, &types, results.clone()),
            2 => self.while_loop(block, depth, &types, results.clone()),
            3 => {
                let on = self.small_index(block, 4);
                let cases = self.random.below(4) as u64;
                let cases: Vec<_> = (0..cases)
                    .map(|case| (case, self.inner(3, depth, &[], &types)))
                    .collect();
                let default = self.inner(3, depth, &[], &types);
                Step::Switch {
                    results: results.clone(),
                    on,
                    cases,
                    default,
                }
            }
            _ => Step::ExecuteRegion {
                results: results.clone(),
                body: self.inner(4, depth, &[], &types),
            },
        };
        block.steps.push(step);
        // Results of a while begin with its counter, which isn't among `results`.
        let more = match block.steps.last() {
            Some(Step::While { results, .. }) => results.clone(),
            _ => results,
        };
        self.visible.extend(more);
    }

    fn for_loop(
        &mut self,
        block: &mut Block,
        depth: usize,
        types: &[Type],
        results: Vec<Id>,
    ) -> Step {
        let initial = self.operands(block, types);
        let unsigned = self.random.below(3) == 0;
        let ty = if unsigned {
            self.pick(&[I8, scalar(Element::Int(16)), I32, INDEX])
        } else {
            INDEX
        };
        let lower = self.small_index(block, 2);
        let upper = self.small_index(block, 4);
        let mut bounds = [lower, upper];
        if unsigned {
            // Around the sign bit, or at the greatest number.
            let most = u64::MAX >> (64 - ty.element.bits());
            let base = self.pick(&[0, most / 2 - 1, most - 3]);
            let base = self.constant(block, ty, base);
            bounds = bounds.map(|bound| {
                let cast = Operation::Convert("arith.index_cast");
                let narrow = if ty == INDEX {
                    bound
                } else {
                    self.add(block, cast, &[bound], ty)
                };
                self.add(block, Operation::Integer("arith.addi"), &[base, narrow], ty)
            });
        }
        let [lower, upper] = bounds;
        let step = self.random.below(3) as u64 + 1;
        let step = self.constant(block, ty, step);
        let counter = self.value(ty);
        let arguments = self.values(types);
        let visible: Vec<Id> = [counter].into_iter().chain(arguments.clone()).collect();
        let body = self.inner(4, depth, &visible, types);
        Step::For {
            results,
            range: [lower, upper, step],
            unsigned,
            counter,
            arguments,
            initial,
            body,
        }
    }

    /// A while with a counter in front of its values; arguments and forwarded values differ.
    fn while_loop(
        &mut self,
        block: &mut Block,
        depth: usize,
        types: &[Type],
        results: Vec<Id>,
    ) -> Step {
        let carried = self.types(0);
        let zero = self.constant(block, I32, 0);
        let mut initial = vec![zero];
        initial.extend(self.operands(block, &carried));
        let mut arguments = vec![self.value(I32)];
        arguments.extend(self.values(&carried));
        let limit = self.random.below(4) as u64;
        let outside = self.visible.len();
        let mut before = self.inner(3, depth, &arguments, &[]);
        self.visible.extend(&arguments);
        let limit = self.constant(&mut before, I32, limit);
        let less = Operation::CompareIntegers("slt");
        let condition = self.add(&mut before, less, &[arguments[0], limit], I1);
        before.yields = vec![condition, arguments[0]];
        let values = self.operands(&mut before, types);
        before.yields.extend(values);
        self.visible.truncate(outside);
        let mut forwarded = vec![self.value(I32)];
        forwarded.extend(self.values(types));
        let mut after = self.inner(3, depth, &forwarded, &carried);
        let (one, next) = (self.value(I32), self.value(I32));
        let steps = [
            (one, Operation::Constant(1), vec![]),
            (
                next,
                Operation::Integer("arith.addi"),
                vec![forwarded[0], one],
            ),
        ];
        for (result, operation, operands) in steps {
            after.steps.push(Step::Compute {
                result,
                operation,
                operands,
            });
        }
        after.yields.insert(0, next);
        let mut all = vec![self.value(I32)];
        all.extend(results);
        Step::While {
            results: all,
            arguments,
            initial,
            before,
            forwarded,
            after,
        }
    }

    fn compute(&mut self, block: &mut Block) {
        let ty = self.pick(&TYPES);
        match (self.random.below(6), ty.element) {
            (0, _) => self.convert(block),
            (1, _) => {
                let mask = match ty.lanes {
                    Some(lanes) if self.random.below(2) == 0 => vector(Element::Int(1), lanes),
                    _ => I1,
                };
                let operands = self.operands(block, &[mask, ty, ty]);
                self.add(block, Operation::Select, &operands, ty);
            }
            (2, element) => {
                let (operands, result) = (
                    self.operands(block, &[ty, ty]),
                    Type {
                        element: Element::Int(1),
                        ..ty
                    },
                );
                let operation = match element {
                    Element::Float(_) => Operation::CompareFloats(self.pick(&[
                        "oeq", "olt", "oge", "one", "ord", "uno", "ueq", "ult", "uge", "une",
                    ])),
                    _ => Operation::CompareIntegers(self.pick(&[
                        "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
                    ])),
                };
                self.add(block, operation, &operands, result);
            }
            (_, Element::Float(_)) => self.float(block, ty),
            _ => self.integer(block, ty),
        }
    }

    fn float(&mut self, block: &mut Block, ty: Type) {
        const ONE: [&str; 7] = [
            "arith.negf",
            "math.absf",
            "math.floor",
            "math.ceil",
            "math.trunc",
            "math.round",
            "math.roundeven",
        ];
        const TWO: [&str; 11] = [
            "math.copysign",
            "math.copysign",
            "arith.addf",
            "arith.subf",
            "arith.mulf",
            "arith.divf",
            "arith.remf",
            "arith.minimumf",
            "arith.maximumf",
            "arith.minnumf",
            "arith.maxnumf",
        ];
        let (name, operands) = match self.random.below(3) {
            0 => (self.pick(&ONE), self.operands(block, &[ty])),
            _ => (self.pick(&TWO), self.operands(block, &[ty, ty])),
        };
        self.add(block, Operation::Float(name), &operands, ty);
    }

    fn integer(&mut self, block: &mut Block, ty: Type) {
        const ANY: [&str; 10] = [
            "arith.addi",
            "arith.subi",
            "arith.muli",
            "arith.andi",
            "arith.ori",
            "arith.xori",
            "arith.minsi",
            "arith.maxsi",
            "arith.minui",
            "arith.maxui",
        ];
        const DIVIDE: [&str; 6] = [
            "arith.divsi",
            "arith.divui",
            "arith.remsi",
            "arith.remui",
            "arith.floordivsi",
            "arith.ceildivsi",
        ];
        const SHIFT: [&str; 3] = ["arith.shli", "arith.shrsi", "arith.shrui"];
        let [left, right] = self.operands(block, &[ty, ty])[..] else {
            return;
        };
        let bits = ty.element.bits();
        let masked = |draw: &mut Draw, block: &mut Block, mask: u64| {
            let mask = draw.constant(block, ty, mask);
            draw.add(block, Operation::Integer("arith.andi"), &[right, mask], ty)
        };
        let (name, right) = match self.random.below(4) {
            0 if bits > 1 => {
                let small = masked(self, block, 7);
                let one = self.constant(block, ty, 1);
                let odd = self.add(block, Operation::Integer("arith.ori"), &[small, one], ty);
                (self.pick(&DIVIDE), odd)
            }
            1 if bits > 1 => {
                let amount = masked(self, block, u64::from(bits - 1));
                (self.pick(&SHIFT), amount)
            }
            _ => (self.pick(&ANY), right),
        };
        self.add(block, Operation::Integer(name), &[left, right], ty);
    }

    fn convert(&mut self, block: &mut Block) {
        let (from, to) = (self.pick(&TYPES), self.pick(&TYPES));
        let of_float = |ty: Type| matches!(ty.element, Element::Float(_));
        match (from.lanes, to.lanes) {
            (Some(lanes), _) => {
                let operand = self.operand(block, from);
                let lane = self.random.below(lanes);
                let element = scalar(from.element);
                self.add(block, Operation::Extract(lane), &[operand], element);
                return;
            }
            (None, Some(_)) => {
                let operand = self.operand(block, scalar(to.element));
                self.add(block, Operation::Broadcast, &[operand], to);
                return;
            }
            _ => {}
        }
        let (narrow, wide) = (from.element.bits(), to.element.bits());
        let index = from == INDEX || to == INDEX;
        let name = match (of_float(from), of_float(to)) {
            (true, true) if narrow < wide => "arith.extf",
            (true, true) if narrow > wide => "arith.truncf",
            (true, true) => return,
            (true, false) if narrow == wide && !index => "arith.bitcast",
            (false, true) if narrow == wide && !index && self.random.below(2) == 0 => {
                "arith.bitcast"
            }
            // Larger integers are rounded twice by the interpreter.
            (false, true) if narrow <= 32 => self.pick(&["arith.sitofp", "arith.uitofp"]),
            (true, false) => {
                // A float that came of a byte is in range.
                let byte = self.operand(block, I8);
                let float = self.add(block, Operation::Convert("arith.sitofp"), &[byte], from);
                if wide > 8 && to != INDEX {
                    self.add(block, Operation::Convert("arith.fptosi"), &[float], to);
                }
                return;
            }
            (false, true) => return,
            (false, false) if from == to => return,
            (false, false) if index => self.pick(&["arith.index_cast", "arith.index_castui"]),
            (false, false) if narrow < wide => self.pick(&["arith.extsi", "arith.extui"]),
            (false, false) if narrow > wide => "arith.trunci",
            (false, false) => return,
        };
        let operand = self.operand(block, from);
        self.add(block, Operation::Convert(name), &[operand], to);
    }
}
