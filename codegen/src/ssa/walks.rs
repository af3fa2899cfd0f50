//! Pointers that walk: in a loop of one block an address that grows by a constant from one iteration to the next
//! becomes a parameter of the block, which is moved at the end of the block. Machine code then has the move in the
//! access itself, and knows which accesses of later iterations touch other bytes.

use std::cmp::Reverse;

use aiec_vcode::Opcode;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::addresses::AddressSet;
use super::width::{Range, Widths};
use super::{Action, Block, Function, Graph, Step, Value, VectorAction};
use crate::machine::AccessWalk;

/// Pointers of a loop at most: cores have eight pointer registers, and code around loops needs some.
const MAX_POINTERS: usize = 6;
/// Nested sums that are looked through.
const MAX_DEPTH: usize = 12;
/// Bytes between accesses that share a pointer: offsets of accesses to memory hold them on all architectures.
const MAX_SHARED_OFFSET: i64 = 16;

/// Accesses of one buffer at distances that don't change in a loop from which on one pointer visits them in turn.
const MIN_CHAIN: usize = 3;

/// The walking pointers of a function: parameters of blocks that are used as addresses only, and what they are after each
/// of their moves, which are sums with constants.
pub(crate) type Walks = FxHashMap<Value, AccessWalk>;

/// Values with their factors.
type Terms = SmallVec<[(Value, i64); 4]>;

/// A sum of multiples of values and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct LinearSum {
    /// Values with their factors, ascending by value, none of them 0.
    pub terms: Terms,
    pub constant: i64,
}

impl LinearSum {
    fn add(&mut self, other: &LinearSum, factor: i64) {
        for (value, by) in &other.terms {
            let by = by.wrapping_mul(factor);
            match self.terms.binary_search_by_key(value, |(value, _)| *value) {
                Ok(at) => self.terms[at].1 = self.terms[at].1.wrapping_add(by),
                Err(at) => self.terms.insert(at, (*value, by)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        self.constant = self
            .constant
            .wrapping_add(other.constant.wrapping_mul(factor));
    }
}

/// A loop of one block with the parameters that grow by a constant in each iteration.
pub(super) struct SimpleLoop {
    pub block: Block,
    pub before: Block,
    /// Parameters with their initial values and increments.
    pub counters: Vec<(Value, Value, i64)>,
}

/// Reads sums out of a function.
pub(super) struct Sums<'a> {
    pub function: &'a Function,
    pub widths: &'a Widths,
    pub constants: &'a [Option<u64>],
    /// Block and place of the step that gives each value.
    pub steps: Vec<Option<(u32, u32)>>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(
        function: &'a Function,
        widths: &'a Widths,
        constants: &'a [Option<u64>],
    ) -> Sums<'a> {
        let mut steps = vec![None; function.values as usize];
        for (block, data) in function.blocks.iter().enumerate() {
            for (at, step) in data.steps.iter().enumerate() {
                for result in &step.results {
                    steps[result.index()] = Some((block as u32, at as u32));
                }
            }
        }
        Sums {
            function,
            widths,
            constants,
            steps,
        }
    }

    pub(super) fn step(&self, value: Value) -> Option<&'a Step> {
        let (block, at) = self.steps[value.index()]?;
        self.function.blocks[block as usize].steps.get(at as usize)
    }

    /// The block that gives a value as the result of a step.
    pub(super) fn block_of(&self, value: Value) -> Option<Block> {
        self.steps[value.index()].map(|(block, _)| Block(block))
    }

    fn range(&self, value: Value) -> Range {
        self.widths.ranges[value.index()]
    }

    /// The value as a sum.
    pub(super) fn of(&self, value: Value) -> LinearSum {
        self.read(value, MAX_DEPTH)
    }

    fn read(&self, value: Value, depth: usize) -> LinearSum {
        let alone = || LinearSum {
            terms: smallvec![(value, 1)],
            constant: 0,
        };
        if let Some(bits) = self.constants[value.index()] {
            return LinearSum {
                terms: SmallVec::new(),
                constant: bits as i64,
            };
        }
        let Some(step) = self.step(value).filter(|_| depth > 0) else {
            return alone();
        };
        let Action::Pure { op, number } = step.action else {
            return alone();
        };
        let arg = |at: usize| self.read(step.args[at], depth - 1);
        let factor = |at: usize| {
            let bits = self.constants[step.args.get(at)?.index()]?;
            Some(bits as i64)
        };
        // Operations of 32 bits are sums where nothing is cut off.
        let wide = match op {
            Opcode::Add32 => Some(Opcode::Add64),
            Opcode::Sub32 => Some(Opcode::Sub64),
            Opcode::Mul32 => Some(Opcode::Mul64),
            Opcode::Shl32 => Some(Opcode::Shl64),
            _ => None,
        };
        if let Some(wide) = wide {
            let args: Vec<Range> = step.args.iter().map(|arg| self.range(*arg)).collect();
            if !super::width::pure(wide, &args, number).is_in(Range::I32) {
                return alone();
            }
        }
        let mut sum = LinearSum::default();
        match wide.unwrap_or(op) {
            Opcode::Mov => return arg(0),
            Opcode::Sext if self.range(step.args[0]).is_in(Range::of_bits(number)) => {
                return arg(0);
            }
            Opcode::Zext if number >= 32 && self.range(step.args[0]).is_in(Range::U32) => {
                return arg(0);
            }
            Opcode::Add64 => {
                sum.add(&arg(0), 1);
                sum.add(&arg(1), 1);
            }
            Opcode::Sub64 => {
                sum.add(&arg(0), 1);
                sum.add(&arg(1), -1);
            }
            Opcode::Mul64 => match (factor(0), factor(1)) {
                (_, Some(factor)) => sum.add(&arg(0), factor),
                (Some(factor), None) => sum.add(&arg(1), factor),
                (None, None) => return alone(),
            },
            Opcode::Shl64 => match factor(1) {
                Some(amount @ 0..=31) => sum.add(&arg(0), 1 << amount),
                _ => return alone(),
            },
            _ => return alone(),
        }
        sum
    }

    /// The loop, if it is one block that is entered from one place.
    pub(super) fn simple_loop(&self, graph: &Graph, number: usize) -> Option<SimpleLoop> {
        let of = &graph.loops[number];
        let [block] = of.blocks[..] else { return None };
        let before = graph.preheader(self.function, number)?;
        let data = self.function.block(block);
        let mut targets = data.terminator.targets().iter();
        let back = targets.find(|target| target.block == block)?;
        if targets.any(|target| target.block == block) {
            return None;
        }
        let entry = self.function.block(before).terminator.targets().first()?;
        let mut counters = Vec::new();
        for (at, param) in data.params.iter().enumerate() {
            let sum = self.of(back.args[at]);
            if sum.terms[..] == [(*param, 1)] && sum.constant != 0 {
                counters.push((*param, entry.args[at], sum.constant));
            }
        }
        Some(SimpleLoop {
            block,
            before,
            counters,
        })
    }
}

impl SimpleLoop {
    /// Bytes that an address grows by in each iteration; `None` if it depends on the loop otherwise.
    pub(super) fn stride(&self, sums: &Sums<'_>, sum: &LinearSum) -> Option<i64> {
        let mut stride = 0_i64;
        for (value, factor) in &sum.terms {
            if let Some((.., step)) = self.counters.iter().find(|(param, ..)| param == value) {
                stride = stride.checked_add(step.checked_mul(*factor)?)?;
            } else if sums.block_of(*value) == Some(self.block)
                || sums.function.block(self.block).params.contains(value)
            {
                return None;
            }
        }
        Some(stride)
    }
}

/// The address argument of an access, with its offset and whether it stores.
pub(super) fn accessed(step: &Step) -> Option<(usize, i32, bool)> {
    match step.action {
        Action::Load { offset, .. } => Some((0, offset, false)),
        Action::Store { offset, .. } => Some((1, offset, true)),
        Action::Vector(VectorAction::Load { offset, .. }) => Some((0, offset, false)),
        Action::Vector(VectorAction::Store { offset, .. }) => Some((0, offset, true)),
        _ => None,
    }
}

fn accessed_mut(step: &mut Step) -> Option<(usize, &mut i32)> {
    match &mut step.action {
        Action::Load { offset, .. } => Some((0, offset)),
        Action::Store { offset, .. } => Some((1, offset)),
        Action::Vector(VectorAction::Load { offset, .. } | VectorAction::Store { offset, .. }) => {
            Some((0, offset))
        }
        _ => None,
    }
}

/// Accesses of a loop that share a pointer.
struct Pointer {
    sum: LinearSum,
    stride: i64,
    stores: bool,
    /// Places in the block, with the offset of each from the sum.
    accesses: Vec<(usize, i64)>,
    /// Whether the pointer is moved to each access in turn, or once in an iteration, to be where the last one is.
    is_chain: bool,
}

impl Pointer {
    /// Whether one pointer could make the accesses of both.
    fn is_along(&self, other: &Pointer) -> bool {
        (self.stores, self.stride) == (other.stores, other.stride)
            && self.sum.terms == other.sum.terms
    }
}

/// Makes walking pointers of addresses in loops. `widths` and `sets` get the facts about the new
/// values.
pub(crate) fn walk_pointers(
    function: &mut Function,
    graph: &Graph,
    widths: &mut Widths,
    sets: &mut Vec<AddressSet>,
) -> Walks {
    let mut walks = Walks::default();
    let mut bases = 0;
    let constants = function.constants();
    let sums = Sums::new(function, widths, &constants);
    // A loop's pointers change nothing that those of another one are made of.
    let loops = (0..graph.loops.len()).filter_map(|number| {
        let found = sums.simple_loop(graph, number)?;
        let pointers = pointers(&sums, &found);
        Some((found, pointers))
    });
    let loops: Vec<(SimpleLoop, Vec<Pointer>)> = loops.collect();
    for (found, pointers) in &loops {
        let mut keys: Vec<(Terms, i64)> = Vec::new();
        let mut loop_walks = Vec::new();
        for pointer in pointers {
            let key = (pointer.sum.terms.clone(), pointer.stride);
            let at = match keys.iter().position(|known| *known == key) {
                Some(at) => at,
                None => {
                    keys.push(key);
                    keys.len() - 1
                }
            };
            loop_walks.push(AccessWalk {
                base: bases + at as u32,
                offset: pointer.sum.constant,
                stride: pointer.stride,
            });
        }
        bases += keys.len() as u32;
        let mut moves = Vec::new();
        for (pointer, walk) in pointers.iter().zip(loop_walks) {
            let known = (&mut *widths, &mut *sets, &constants[..]);
            let (named, steps) = add_pointer(function, found, known, pointer);
            moves.extend(steps);
            for (value, offset) in named {
                let walk = AccessWalk {
                    offset: walk.offset + offset,
                    ..walk
                };
                walks.insert(value, walk);
            }
        }
        // From the last on, so that places stay those of the accesses.
        moves.sort_by_key(|(at, _)| Reverse(*at));
        let steps = &mut function.blocks[found.block.index()].steps;
        for (at, pair) in moves {
            steps.splice(at + 1..at + 1, pair);
        }
    }
    walks
}

/// The pointers that a loop gets.
fn pointers(sums: &Sums<'_>, found: &SimpleLoop) -> Vec<Pointer> {
    let all = accesses(sums, found);
    let mut near: Vec<Pointer> = Vec::new();
    for access in &all {
        let is_near = |pointer: &Pointer| {
            let distance = pointer.sum.constant.abs_diff(access.sum.constant);
            pointer.is_along(access) && distance <= MAX_SHARED_OFFSET as u64
        };
        match near.iter_mut().find(|pointer| is_near(pointer)) {
            Some(pointer) => {
                let offset = access.sum.constant - pointer.sum.constant;
                pointer.accesses.push((access.accesses[0].0, offset));
            }
            None => near.push(Pointer {
                sum: access.sum.clone(),
                accesses: access.accesses.clone(),
                ..*access
            }),
        }
    }
    // One that stays where it is costs a register for nothing, unless it visits many places.
    let walking = near.iter().filter(|pointer| pointer.stride != 0).count();
    let mut pointers: Vec<Pointer> = Vec::new();
    for pointer in near {
        let along = all.iter().filter(|access| access.is_along(&pointer));
        let places = along.clone().map(|access| access.sum.constant);
        let places: FxHashSet<i64> = places.collect();
        let is_chain = places.len() >= MIN_CHAIN && (pointer.stride == 0 || walking > MAX_POINTERS);
        if pointer.stride == 0 && !is_chain || pointers.len() >= MAX_POINTERS {
            continue;
        }
        if !is_chain {
            pointers.push(pointer);
        } else if !pointers
            .iter()
            .any(|known| known.is_chain && known.is_along(&pointer))
        {
            let first = pointer.sum.constant;
            let accesses = along.map(|access| (access.accesses[0].0, access.sum.constant - first));
            pointers.push(Pointer {
                accesses: accesses.collect(),
                is_chain,
                ..pointer
            });
        }
    }
    for pointer in pointers.iter_mut().filter(|pointer| !pointer.is_chain) {
        // The last access moves the pointer, which is where it accesses.
        let last = pointer.accesses.last().map_or(0, |(_, offset)| *offset);
        pointer.sum.constant += last;
        for (_, offset) in &mut pointer.accesses {
            *offset -= last;
        }
    }
    pointers
}

/// The accesses of a loop whose addresses change by a constant in each iteration, each by a pointer of its own.
fn accesses(sums: &Sums<'_>, found: &SimpleLoop) -> Vec<Pointer> {
    let steps = sums.function.block(found.block).steps.iter().enumerate();
    let alone = steps.filter_map(|(at, step)| {
        let (arg, offset, stores) = accessed(step)?;
        let mut sum = sums.of(step.args[arg]);
        let stride = found.stride(sums, &sum)?;
        i32::try_from(stride).ok()?;
        sum.constant = sum.constant.wrapping_add(offset.into());
        Some(Pointer {
            sum,
            stride,
            stores,
            accesses: vec![(at, 0)],
            is_chain: false,
        })
    });
    alone.collect()
}

/// The steps that move a pointer, with the place of the access that they follow.
type PointerMove = (usize, [Step; 2]);

/// Adds the parameter of a pointer, with its value before the loop and its sums in it. Returns the parameter and those sums that
/// accesses use, with the distance of each from the parameter; and the moves between accesses, each with the place of the access
/// that it follows.
fn add_pointer(
    function: &mut Function,
    found: &SimpleLoop,
    (widths, sets, constants): (&mut Widths, &mut Vec<AddressSet>, &[Option<u64>]),
    pointer: &Pointer,
) -> (Vec<(Value, i64)>, Vec<PointerMove>) {
    let memory = Range::new(0, i64::from(u32::MAX));
    let (Some(&(first, _)), Some(&(last, _))) = (pointer.accesses.first(), pointer.accesses.last())
    else {
        return (Vec::new(), Vec::new());
    };
    let source = function.block(found.block).steps[last].source;
    let set_of = |function: &Function, sets: &[AddressSet], at: usize| {
        let step = &function.block(found.block).steps[at];
        match accessed(step) {
            Some((arg, offset, _)) => sets[step.args[arg].index()].moved(offset.into()),
            None => AddressSet::of(memory),
        }
    };
    // Of a chain it is where the first access is.
    let at = if pointer.is_chain { first } else { last };
    let set = set_of(function, sets, at);
    let after: Vec<AddressSet> = if pointer.is_chain {
        let accesses = pointer.accesses.iter();
        accesses
            .map(|(at, _)| set_of(function, sets, *at))
            .collect()
    } else {
        Vec::new()
    };
    let mut new = |function: &mut Function, range: Range, set: AddressSet| {
        widths.ranges.push(range);
        sets.push(set);
        function.value()
    };
    // Before the loop.
    let mut steps: Vec<Step> = Vec::new();
    let mut emit = |function: &mut Function, action: Action, args: &[Value]| {
        let range = match &action {
            Action::Const(bits) => Range::of(*bits as i64),
            _ => Range::FULL,
        };
        let value = new(function, range, AddressSet::of(range));
        steps.push(Step::value(action, args, value, source));
        value
    };
    let pure = |op| Action::Pure { op, number: 0 };
    let mut constant = pointer.sum.constant;
    let mut sum: Option<Value> = None;
    for (value, factor) in &pointer.sum.terms {
        let counter = found.counters.iter().find(|(param, ..)| param == value);
        let value = counter.map_or(*value, |(_, init, _)| *init);
        if let Some(bits) = constants.get(value.index()).copied().flatten() {
            constant = constant.wrapping_add((bits as i64).wrapping_mul(*factor));
            continue;
        }
        let term = match factor {
            1 => value,
            factor if *factor > 0 && factor.count_ones() == 1 => {
                let amount = Action::Const(factor.trailing_zeros().into());
                let amount = emit(function, amount, &[]);
                emit(function, pure(Opcode::Shl64), &[value, amount])
            }
            factor => {
                let factor = emit(function, Action::Const(*factor as u64), &[]);
                emit(function, pure(Opcode::Mul64), &[value, factor])
            }
        };
        sum = Some(match sum {
            Some(sum) => emit(function, pure(Opcode::Add64), &[sum, term]),
            None => term,
        });
    }
    let first = match sum {
        Some(sum) if constant == 0 => sum,
        Some(sum) => {
            let constant = emit(function, Action::Const(constant as u64), &[]);
            emit(function, pure(Opcode::Add64), &[sum, constant])
        }
        None => emit(function, Action::Const(constant as u64), &[]),
    };
    let param = new(function, memory, set);
    let before = &mut function.blocks[found.before.index()];
    before.steps.extend(steps);
    for target in before.terminator.targets_mut() {
        target.args.push(first);
    }
    function.blocks[found.block.index()].params.push(param);
    let mut named = vec![(param, 0)];
    // Moves with the places in the block that they follow.
    let mut moves: Vec<PointerMove> = Vec::new();
    let mut place = 0;
    let mut pointer_there = param;
    let mut move_by = |function: &mut Function, from: Value, by: i64, to: (Range, AddressSet)| {
        let range = Range::of(by);
        let constant = new(function, range, AddressSet::of(range));
        let moved = new(function, to.0, to.1);
        let steps = [
            Step::value(Action::Const(by as u64), &[], constant, source),
            Step::value(pure(Opcode::Add64), &[from, constant], moved, source),
        ];
        (moved, steps)
    };
    for (n, (at, offset)) in pointer.accesses.iter().enumerate() {
        if pointer.is_chain && *offset != place {
            let by = *offset - place;
            let to = (memory, after[n].clone());
            let (moved, steps) = move_by(function, pointer_there, by, to);
            moves.push((pointer.accesses[n - 1].0, steps));
            named.push((moved, *offset));
            (pointer_there, place) = (moved, *offset);
        }
        let step = &mut function.blocks[found.block.index()].steps[*at];
        if let Some((arg, old)) = accessed_mut(step) {
            *old = (*offset - place) as i32;
            step.args[arg] = pointer_there;
        }
    }
    let to = (Range::FULL, AddressSet::of(Range::FULL));
    let (next, steps) = move_by(function, pointer_there, pointer.stride - place, to);
    let data = &mut function.blocks[found.block.index()];
    data.steps.extend(steps);
    for target in data.terminator.targets_mut() {
        if target.block == found.block {
            target.args.push(next);
        }
    }
    (named, moves)
}
