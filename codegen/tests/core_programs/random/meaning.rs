//! Meaning of a program: its steps one after the other, by the texts of the dialects.

use super::{Block, Element, Id, MEMORY, Operation, Program, RESULTS, Step, Type, float};

/// A program at work: the bits of each value's lanes.
struct State<'a> {
    program: &'a Program,
    values: Vec<Vec<u64>>,
    memory: Vec<i32>,
}

/// The memory after the body, and the words of its values as [`super::text`] stores them.
pub fn run(program: &Program, memory: &[i32]) -> (Vec<i32>, Vec<i32>) {
    let mut state = State {
        program,
        values: vec![Vec::new(); program.types.len()],
        memory: memory.to_vec(),
    };
    state.block(&program.body);
    let stored = super::text::stored(program);
    let words = stored.iter().flat_map(|(id, lane)| {
        let bits = program.types[*id].element.bits();
        let value = state.values[*id][*lane];
        let low = value as u32 as i32;
        [Some(low), (bits == 64).then_some((value >> 32) as i32)]
    });
    let mut words: Vec<i32> = words.flatten().collect();
    words.truncate(RESULTS);
    (state.memory, words)
}

/// Keeps the lower bits.
fn cut(value: i128, bits: u32) -> u64 {
    (value as u64) & (u64::MAX >> (64 - bits))
}

/// The lower bits with their sign.
fn signed(value: u64, bits: u32) -> i128 {
    let unused = 64 - bits;
    i128::from((value << unused) as i64 >> unused)
}

impl State<'_> {
    fn ty(&self, id: Id) -> Type {
        self.program.types[id]
    }

    fn one(&self, id: Id) -> u64 {
        self.values[id][0]
    }

    fn pass(&mut self, from: &[Id], to: &[Id]) {
        let values: Vec<_> = from.iter().map(|id| self.values[*id].clone()).collect();
        for (to, value) in to.iter().zip(values) {
            self.values[*to] = value;
        }
    }

    /// Runs a block and passes what it yields.
    fn yielding(&mut self, block: &Block, to: &[Id]) {
        self.block(block);
        self.pass(&block.yields, to);
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute {
                result,
                operation,
                operands,
            } => self.values[*result] = self.compute(*result, operation, operands),
            Step::Store { value, at } => {
                let at = self.one(*at) as usize % MEMORY;
                self.memory[at] = self.one(*value) as u32 as i32;
            }
            Step::Write { value, at } => {
                let at = self.one(*at) as usize;
                let lanes = self.values[*value].clone();
                for (word, lane) in self.memory.iter_mut().skip(at).zip(lanes) {
                    *word = lane as u32 as i32;
                }
            }
            Step::If {
                results,
                condition,
                then,
                otherwise,
            } => match (self.one(*condition), otherwise) {
                (0, None) => {}
                (0, Some(otherwise)) => self.yielding(otherwise, results),
                _ => self.yielding(then, results),
            },
            Step::For {
                results,
                range,
                unsigned,
                counter,
                arguments,
                initial,
                body,
            } => {
                let bits = self.ty(*counter).element.bits();
                let number = |id: Id| {
                    if *unsigned {
                        i128::from(self.one(id))
                    } else {
                        signed(self.one(id), bits)
                    }
                };
                let [mut at, upper, step] = range.map(number);
                self.pass(initial, arguments);
                while at < upper {
                    self.values[*counter] = vec![cut(at, bits)];
                    self.yielding(body, arguments);
                    at += step;
                }
                self.pass(arguments, results);
            }
            Step::While {
                results,
                arguments,
                initial,
                before,
                forwarded,
                after,
            } => {
                self.pass(initial, arguments);
                loop {
                    self.block(before);
                    let (condition, values) = before.yields.split_first().unwrap();
                    if self.one(*condition) == 0 {
                        self.pass(values, results);
                        break;
                    }
                    self.pass(values, forwarded);
                    self.yielding(after, arguments);
                }
            }
            Step::Switch {
                results,
                on,
                cases,
                default,
            } => {
                let on = self.one(*on);
                let case = cases.iter().find(|(case, _)| *case == on);
                self.yielding(case.map_or(default, |(_, block)| block), results);
            }
            Step::ExecuteRegion { results, body } => self.yielding(body, results),
            Step::Call {
                results,
                function,
                operands,
            } => {
                let function = &self.program.functions[*function];
                self.pass(operands, &function.parameters);
                self.yielding(&function.body, results);
            }
        }
    }

    fn compute(&self, result: Id, operation: &Operation, operands: &[Id]) -> Vec<u64> {
        let ty = self.ty(result);
        match operation {
            Operation::Broadcast => vec![self.one(operands[0]); ty.lanes.unwrap()],
            Operation::Extract(lane) => vec![self.values[operands[0]][*lane]],
            Operation::Read => {
                let (at, padding) = (self.one(operands[0]) as usize, self.one(operands[1]));
                let words = self.memory.iter().skip(at);
                let words = words.map(|word| u64::from(*word as u32));
                let padding = std::iter::repeat(padding);
                words.chain(padding).take(ty.lanes.unwrap()).collect()
            }
            Operation::OfView { at, .. } => {
                vec![u64::from(self.memory[*at as usize] as u32)]
            }
            _ => {
                let lanes = 0..ty.lanes.unwrap_or(1);
                let compute = |lane: usize| {
                    let bits: Vec<u64> = operands
                        .iter()
                        // A condition of one bit may choose between vectors.
                        .map(|id| *self.values[*id].get(lane).unwrap_or(&self.values[*id][0]))
                        .collect();
                    let from = operands
                        .last()
                        .map_or(ty.element, |id| self.ty(*id).element);
                    self.lane(ty.element, from, operation, &bits)
                };
                lanes.map(compute).collect()
            }
        }
    }

    /// One lane: the bits of the result, given its type, that of the last operand, and the bits of
    /// all operands.
    fn lane(&self, to: Element, from: Element, operation: &Operation, bits: &[u64]) -> u64 {
        match (operation, from, to) {
            (Operation::Constant(constant), ..) => *constant,
            (Operation::Integer(name), ..) => integer(name, to.bits(), bits[0], bits[1]),
            (Operation::CompareIntegers(predicate), ..) => {
                u64::from(compare(predicate, from.bits(), bits[0], bits[1]))
            }
            (Operation::Float(name), Element::Float(format), _) => {
                float::operation(name, format, bits[0], *bits.last().unwrap())
            }
            (Operation::CompareFloats(predicate), Element::Float(format), _) => {
                u64::from(float::compare(predicate, format, bits[0], bits[1]))
            }
            (Operation::Select, ..) => bits[if bits[0] != 0 { 1 } else { 2 }],
            (Operation::Load, ..) => u64::from(self.memory[bits[0] as usize % MEMORY] as u32),
            (Operation::Convert(name), ..) => convert(name, from, to, bits[0]),
            other => panic!("{other:?} has no meaning here"),
        }
    }
}

fn integer(name: &str, bits: u32, x: u64, y: u64) -> u64 {
    let (a, b) = (signed(x, bits), signed(y, bits));
    let (ua, ub) = (i128::from(x), i128::from(y));
    let result = match name {
        "arith.addi" => a + b,
        "arith.subi" => a - b,
        "arith.muli" => a.wrapping_mul(b),
        "arith.andi" => a & b,
        "arith.ori" => a | b,
        "arith.xori" => a ^ b,
        "arith.shli" => a.wrapping_shl(y as u32),
        "arith.shrsi" => a >> y,
        "arith.shrui" => ua >> y,
        "arith.divsi" => a / b,
        "arith.divui" => ua / ub,
        "arith.remsi" => a % b,
        "arith.remui" => ua % ub,
        "arith.floordivsi" => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        "arith.ceildivsi" => -(-a).div_euclid(b),
        "arith.minsi" => a.min(b),
        "arith.maxsi" => a.max(b),
        "arith.minui" => ua.min(ub),
        "arith.maxui" => ua.max(ub),
        other => panic!("{other} has no meaning here"),
    };
    cut(result, bits)
}

fn compare(predicate: &str, bits: u32, x: u64, y: u64) -> bool {
    let (a, b) = (signed(x, bits), signed(y, bits));
    match predicate {
        "eq" => x == y,
        "ne" => x != y,
        "slt" => a < b,
        "sle" => a <= b,
        "sgt" => a > b,
        "sge" => a >= b,
        "ult" => x < y,
        "ule" => x <= y,
        "ugt" => x > y,
        "uge" => x >= y,
        other => panic!("{other} is no relation"),
    }
}

fn convert(name: &str, from: Element, to: Element, value: u64) -> u64 {
    let number = signed(value, from.bits());
    match (name, from, to) {
        ("arith.extui" | "arith.index_castui" | "arith.trunci" | "arith.bitcast", ..) => {
            cut(i128::from(value), to.bits())
        }
        ("arith.extsi" | "arith.index_cast", ..) => cut(number, to.bits()),
        ("arith.sitofp", _, Element::Float(format)) => float::of_integer(format, number),
        ("arith.uitofp", _, Element::Float(format)) => float::of_integer(format, i128::from(value)),
        ("arith.fptosi", Element::Float(format), _) => {
            cut(float::value(format, value).trunc() as i128, to.bits())
        }
        ("arith.extf" | "arith.truncf", Element::Float(from), Element::Float(to)) => {
            float::convert(from, to, value)
        }
        other => panic!("{other:?} has no meaning here"),
    }
}
