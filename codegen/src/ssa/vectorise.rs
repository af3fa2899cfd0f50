//! Vectorising: a loop of one block that does the same with one element after another does it with as many at a time
//! as a vector register holds.
//!
//! It takes loops whose parameters are counters or reductions, whose loads and stores go from element to element, or stay
//! where they are, and whose other steps are operations of numbers. Operations that follow from what was loaded
//! become operations in each lane; the others, addresses, stay as they are. A reduction has a partial result in each
//! lane, which are combined after the loop. Elements that are left over are done by the loop as it was.
//!
//! It is sound if no access touches what a store of another iteration does ([`is_sound`]): by the places
//! that addresses may be, or by the distance of two addresses with the same sum. Whether the vectors find registers is
//! for selection to say, which keeps the loop as it was otherwise.

use aiec_aie::ir::Op;
use aiec_vcode::{MemoryType, Opcode};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::addresses::AddressSet;
use super::counted::{ending, turns};
use super::walks::{LinearSum, SimpleLoop, Sums, accessed};
use super::width::Widths;
use super::{
    Action, Block, BlockData, Function, Graph, Step, Target, Terminator, Value, VectorAction,
};
use crate::mir::Vector;

/// Bytes of the vectors that loops are made of, the best ones first: two vector registers, so that two iterations'
/// values are in registers of their own, or one.
pub(crate) const VECTOR_BYTES: [u32; 2] = [128, 64];
/// Iterations that a loop of vectors has at least, if smaller vectors are possible.
const MIN_TURNS: u32 = 4;

/// The numbers that a loop's counter goes through.
struct Count {
    /// Its place among the loop's counters.
    counter: usize,
    step: i64,
    init: i64,
    trips: u32,
}

/// A parameter that combines one value of each iteration.
struct Reduction {
    /// Place among the parameters.
    at: usize,
    param: Value,
    init: Value,
    /// The step that gives the next value, and the combined value.
    next: Value,
    op: Opcode,
    number: u8,
    with: Value,
}

/// A loop that can be vectorised.
struct Plan {
    found: SimpleLoop,
    count: Count,
    reductions: Vec<Reduction>,
    lanes: u16,
    /// The values that it begins with, that each iteration gives the next one, and where it goes after the last one.
    entry: Vec<Value>,
    next: Vec<Value>,
    exit: Target,
    /// Results that follow from loaded vectors, in each lane of their own.
    data: FxHashSet<Value>,
}

/// An access of a loop.
struct LoopAccess {
    sum: LinearSum,
    stride: i64,
    bytes: u32,
    stores: bool,
    set: AddressSet,
}

/// The innermost loops that can be vectorised, by their headers; [`vectorise`] does it.
pub(crate) fn candidates(
    function: &Function,
    graph: &Graph,
    widths: &Widths,
    sets: &[AddressSet],
) -> Vec<Block> {
    let constants = function.constants();
    let sums = Sums::new(function, widths, &constants);
    let [.., least] = VECTOR_BYTES;
    (0..graph.loops.len())
        .filter(|number| plan(&sums, graph, sets, *number, least).is_some())
        .map(|number| graph.loops[number].header)
        .collect()
}

/// The function with the loop of a header vectorised by vectors of some of [`VECTOR_BYTES`]; `None` if it can't be.
pub(crate) fn vectorise(
    function: &Function,
    graph: &Graph,
    widths: &Widths,
    sets: &[AddressSet],
    header: Block,
    bytes: u32,
) -> Option<Function> {
    let constants = function.constants();
    let sums = Sums::new(function, widths, &constants);
    let number = graph.loops.iter().position(|of| of.header == header)?;
    let plan = plan(&sums, graph, sets, number, bytes)?;
    let mut changed = function.clone();
    rewrite(&mut changed, &plan);
    Some(changed)
}

/// The start of a reduction's lanes: what the operation leaves as it is, or the first value where any number of those
/// does no harm.
fn neutral(op: Opcode) -> Option<Option<u64>> {
    match op {
        Opcode::Add32 | Opcode::Or | Opcode::Xor => Some(Some(0)),
        Opcode::And => Some(Some(u64::MAX)),
        Opcode::Maxs | Opcode::Mins | Opcode::Maxu | Opcode::Minu => Some(None),
        Opcode::MaxF | Opcode::MinF | Opcode::MaxNumF | Opcode::MinNumF => Some(None),
        _ => None,
    }
}

fn plan(
    sums: &Sums<'_>,
    graph: &Graph,
    sets: &[AddressSet],
    number: usize,
    vector_bytes: u32,
) -> Option<Plan> {
    let found = sums.simple_loop(graph, number)?;
    let function = sums.function;
    let data = function.block(found.block);
    let count = count(sums, &found)?;
    let entry = function.block(found.before).terminator.targets().first()?;
    let targets = data.terminator.targets().iter();
    let back = targets
        .into_iter()
        .find(|target| target.block == found.block)?;
    let mut reductions = Vec::new();
    for (at, param) in data.params.iter().enumerate() {
        if found.counters.iter().any(|(counter, ..)| counter == param) {
            continue;
        }
        reductions.push(reduction(data, at, *param, entry.args[at], back.args[at])?);
    }
    let (accesses, mut vectors) = accesses(sums, &found, sets, data)?;
    let moves = accesses.iter().any(|access| access.stride != 0);
    if !is_sound(&accesses, vector_bytes) || !moves {
        return None;
    }
    let widest = accesses
        .iter()
        .filter(|access| access.stride != 0)
        .map(|access| access.bytes)
        .max()?;
    let lanes = (vector_bytes / widest) as u16;
    let [.., least] = VECTOR_BYTES;
    let (turns, left) = (
        count.trips / u32::from(lanes),
        count.trips % u32::from(lanes),
    );
    let leaves_more = left >= least / widest;
    if turns == 0 || vector_bytes > least && (turns < MIN_TURNS || leaves_more) {
        return None;
    }
    // Results that follow from loaded vectors; steps that stay scalar use none of them.
    // Constants are moved before the loop, whatever else uses them.
    let is_in_loop = |value: Value| {
        sums.block_of(value) == Some(found.block) && sums.constants[value.index()].is_none()
    };
    for step in &data.steps {
        let is_data = step.args.iter().any(|arg| vectors.contains(arg));
        if let (true, Action::Pure { .. }, [result]) = (is_data, &step.action, &step.results[..]) {
            vectors.insert(*result);
        }
    }
    let reduced: Vec<Value> = reductions.iter().map(|reduction| reduction.next).collect();
    for reduction in &reductions {
        if !vectors.contains(&reduction.with) || vectors.contains(&reduction.param) {
            return None;
        }
    }
    for step in &data.steps {
        let is_reduction = step
            .results
            .first()
            .is_some_and(|result| reduced.contains(result));
        for (at, arg) in step.args.iter().enumerate() {
            let is_vector = vectors.contains(arg);
            let is_param = data.params.contains(arg);
            let of_reduction = reductions.iter().any(|reduction| reduction.param == *arg);
            match &step.action {
                _ if is_reduction => {}
                // Only the step that combines reads the partial result.
                _ if of_reduction || reduced.contains(arg) => return None,
                Action::Pure { .. }
                    if step
                        .results
                        .first()
                        .is_some_and(|result| vectors.contains(result)) =>
                {
                    // Other operands are the same in all lanes.
                    let varies = !is_vector
                        && (is_param
                            || is_in_loop(*arg) && found.stride(sums, &sums.of(*arg)) != Some(0));
                    if varies && !is_invariant_load(sums, &found, data, *arg) {
                        return None;
                    }
                }
                Action::Store { .. } if at == 0 && is_vector => {}
                Action::Store { .. } if at == 0 && (is_param || is_in_loop(*arg)) => return None,
                _ if is_vector => return None,
                _ => {}
            }
        }
    }
    // Results that count after the loop.
    let exit = data
        .terminator
        .targets()
        .iter()
        .find(|target| target.block != found.block)?;
    let is_known = |value: &Value| {
        let next_of_counter =
            data.params.iter().zip(&back.args).any(|(param, next)| {
                next == value && found.counters.iter().any(|(c, ..)| c == param)
            });
        reduced.contains(value) || next_of_counter
    };
    let is_local = |value: &Value| is_in_loop(*value) || data.params.contains(value);
    if exit.args.iter().any(|arg| is_local(arg) && !is_known(arg)) {
        return None;
    }
    for (block, other) in function.numbered_blocks() {
        if block == found.block {
            continue;
        }
        let steps = other.steps.iter().flat_map(|step| &step.args);
        let targets = other.terminator.targets().iter();
        let passed = targets.flat_map(|target| &target.args);
        let mut used = steps.chain(other.terminator.operands()).chain(passed);
        if used.any(|value| is_local(value) && !is_known(value)) {
            return None;
        }
    }
    Some(Plan {
        found,
        count,
        reductions,
        lanes,
        entry: entry.args.clone(),
        next: back.args.clone(),
        exit: exit.clone(),
        data: vectors,
    })
}

/// Whether a value is loaded from a place that the loop leaves alone and that is the same in all iterations.
fn is_invariant_load(sums: &Sums<'_>, found: &SimpleLoop, data: &BlockData, value: Value) -> bool {
    data.steps.iter().any(|step| {
        step.results[..] == [value]
            && matches!(step.action, Action::Load { .. })
            && found.stride(sums, &sums.of(step.args[0])) == Some(0)
    })
}

/// The counter that ends a loop, with how often the loop is executed.
fn count(sums: &Sums<'_>, found: &SimpleLoop) -> Option<Count> {
    let (at, _, bound) = ending(sums.function, found.block, found.block)?;
    let param = *sums.function.block(found.block).params.get(at)?;
    let mut counters = found.counters.iter();
    let counter = counters.position(|(counter, ..)| *counter == param)?;
    let (_, init, step) = found.counters[counter];
    let constant = |value: Value| sums.constants[value.index()].map(|bits| bits as i64);
    let init = constant(init)?;
    if step <= 0 {
        return None;
    }
    Some(Count {
        counter,
        step,
        init,
        trips: turns(init, constant(bound)?, step)?,
    })
}

fn reduction(
    data: &BlockData,
    at: usize,
    param: Value,
    init: Value,
    next: Value,
) -> Option<Reduction> {
    let step = data.steps.iter().find(|step| step.results[..] == [next])?;
    let Action::Pure { op, number } = step.action else {
        return None;
    };
    neutral(op)?;
    let with = match step.args[..] {
        [a, b] if a == param && b != param => b,
        [a, b] if b == param && a != param => a,
        _ => return None,
    };
    Some(Reduction {
        at,
        param,
        init,
        next,
        op,
        number,
        with,
    })
}

/// The accesses of a loop, with the results of those loads that go from element to element; `None` if it does anything
/// else that can't be vectorised.
fn accesses(
    sums: &Sums<'_>,
    found: &SimpleLoop,
    sets: &[AddressSet],
    data: &BlockData,
) -> Option<(Vec<LoopAccess>, FxHashSet<Value>)> {
    let mut accesses = Vec::new();
    let mut vectors = FxHashSet::default();
    for step in &data.steps {
        let kind = match step.action {
            Action::Const(_) | Action::Pure { .. } => continue,
            Action::Load { kind, .. } | Action::Store { kind, .. } => kind,
            _ => return None,
        };
        if !is_element(kind) {
            return None;
        }
        let (arg, offset, stores) = accessed(step)?;
        let mut sum = sums.of(step.args[arg]);
        sum.constant = sum.constant.wrapping_add(offset.into());
        let stride = found.stride(sums, &sum)?;
        let moves = stride == i64::from(kind.bytes());
        if !moves && (stride != 0 || stores) {
            return None;
        }
        if moves {
            vectors.extend(step.results.iter().copied());
        }
        let set = sets[step.args[arg].index()].touched(offset.into(), kind.bytes())?;
        accesses.push(LoopAccess {
            sum,
            stride,
            bytes: kind.bytes(),
            stores,
            set,
        });
    }
    Some((accesses, vectors))
}

/// Whether elements of a kind can be lanes.
fn is_element(kind: MemoryType) -> bool {
    matches!(
        kind,
        MemoryType::I8 | MemoryType::I16 | MemoryType::I32 | MemoryType::Bf16 | MemoryType::F32
    )
}

/// Whether all iterations of a vector can be done at a time: no access comes to bytes that a store
/// of another one of them touches, except a load before the store that comes to them in a later
/// one.
fn is_sound(accesses: &[LoopAccess], vector_bytes: u32) -> bool {
    accesses.iter().enumerate().all(|(at, store)| {
        !store.stores
            || accesses.iter().enumerate().all(|(place, other)| {
                if place == at || other.set.is_apart(&store.set) {
                    return true;
                }
                let same = other.sum.terms == store.sum.terms && other.stride == store.stride;
                let distance = other.sum.constant.wrapping_sub(store.sum.constant);
                let is_far = distance.unsigned_abs() >= u64::from(vector_bytes);
                let is_ahead = !other.stores && distance > 0 && place < at;
                let is_element = distance == 0 && other.bytes == store.bytes;
                same && (is_far || is_ahead || is_element)
            })
    })
}

/// Makes the steps of the vector loop.
struct Body<'a> {
    function: &'a mut Function,
    lanes: u16,
    steps: Vec<Step>,
    /// Steps before the loop.
    before: Vec<Step>,
    /// Scalars of the vector loop for those of the loop.
    scalars: FxHashMap<Value, Value>,
    vectors: FxHashMap<Value, Vector>,
}

impl Body<'_> {
    fn scalar(&self, value: Value) -> Value {
        self.scalars.get(&value).copied().unwrap_or(value)
    }

    fn new_vector(&mut self) -> Vector {
        self.function.vectors.push(self.lanes);
        Vector((self.function.vectors.len() - 1) as u32)
    }

    /// A new vector with a scalar in all lanes, and the step that sets it.
    fn splat(&mut self, scalar: Value, source: Op) -> (Vector, Step) {
        let (to, lanes) = (self.new_vector(), self.lanes);
        let action = VectorAction::Splat { to, lanes };
        (to, Step::vector(action, &[scalar], source))
    }

    /// The vector of a value: its lanes, or the scalar in all of them.
    fn vector(&mut self, value: Value, at: &Step) -> Vector {
        if let Some(known) = self.vectors.get(&value) {
            return *known;
        }
        let (to, step) = self.splat(self.scalar(value), at.source);
        if self.scalars.contains_key(&value) {
            self.steps.push(step);
        } else {
            self.before.push(step);
        }
        self.vectors.insert(value, to);
        to
    }

    fn step(&mut self, step: &Step, plan: &Plan) {
        let lanes = self.lanes;
        let is_data = |value: &Value| plan.data.contains(value);
        let own = |body: &Self, step: &Step| -> SmallVec<[Value; 3]> {
            step.args.iter().map(|arg| body.scalar(*arg)).collect()
        };
        let vector = |action, args: &[Value]| Step::vector(action, args, step.source);
        let reduction = plan
            .reductions
            .iter()
            .find(|reduction| step.results[..] == [reduction.next]);
        if let Some(reduction) = reduction {
            let to = self.vectors[&reduction.param];
            let with = self.vector(reduction.with, step);
            let operands = step
                .args
                .iter()
                .map(|arg| if *arg == reduction.param { to } else { with });
            let action = VectorAction::Map {
                op: reduction.op,
                to,
                operands: operands.collect(),
                number: reduction.number,
                lanes,
            };
            self.steps.push(vector(action, &[]));
            return;
        }
        match &step.action {
            Action::Load { kind, offset } if step.results.iter().any(is_data) => {
                let to = self.new_vector();
                let action = VectorAction::Load {
                    to,
                    kind: *kind,
                    lanes,
                    offset: *offset,
                };
                let args = own(self, step);
                self.steps.push(vector(action, &args));
                self.vectors.insert(step.results[0], to);
            }
            Action::Store { kind, offset } => {
                let from = self.vector(step.args[0], step);
                let action = VectorAction::Store {
                    from,
                    kind: *kind,
                    lanes,
                    offset: *offset,
                };
                let address = self.scalar(step.args[1]);
                self.steps.push(vector(action, &[address]));
            }
            Action::Pure { op, number } if step.results.iter().any(is_data) => {
                let operands: SmallVec<[Vector; 3]> = step
                    .args
                    .iter()
                    .map(|arg| self.vector(*arg, step))
                    .collect();
                let to = self.new_vector();
                let action = VectorAction::Map {
                    op: *op,
                    to,
                    operands,
                    number: *number,
                    lanes,
                };
                self.steps.push(vector(action, &[]));
                self.vectors.insert(step.results[0], to);
            }
            _ => {
                let args = own(self, step);
                let results: SmallVec<[Value; 1]> = step
                    .results
                    .iter()
                    .map(|result| {
                        let value = self.function.value();
                        self.scalars.insert(*result, value);
                        value
                    })
                    .collect();
                self.steps.push(Step {
                    action: step.action.clone(),
                    args,
                    results,
                    source: step.source,
                });
            }
        }
    }

    /// A scalar step in a list.
    fn emit(&mut self, list: StepList, action: Action, args: &[Value], like: &BlockData) -> Value {
        let value = self.function.value();
        let step = Step::value(action, args, value, like.source);
        match list {
            StepList::Loop => self.steps.push(step),
            StepList::Before => self.before.push(step),
        }
        value
    }
}

#[derive(Clone, Copy)]
enum StepList {
    Loop,
    Before,
}

/// Puts the vector loop before the loop, and the loop after it if elements are left over.
fn rewrite(function: &mut Function, plan: &Plan) {
    let old = function.block(plan.found.block).clone();
    let loop_steps = &mut function.blocks[plan.found.block.index()].steps;
    loop_steps.retain(|step| !matches!(step.action, Action::Const(_)));
    let turns = plan.count.trips / u32::from(plan.lanes);
    let left = plan.count.trips % u32::from(plan.lanes);
    let vector_block = Block(function.blocks.len() as u32);
    let after = Block(function.blocks.len() as u32 + 1);
    let mut body = Body {
        lanes: plan.lanes,
        steps: Vec::new(),
        before: Vec::new(),
        scalars: FxHashMap::default(),
        vectors: FxHashMap::default(),
        function,
    };
    let mut params = Vec::new();
    let mut init = Vec::new();
    for (counter, first, _) in &plan.found.counters {
        let param = body.function.value();
        body.scalars.insert(*counter, param);
        params.push(param);
        init.push(*first);
    }
    for reduction in &plan.reductions {
        let start = match neutral(reduction.op).flatten() {
            Some(bits) => body.emit(StepList::Before, Action::Const(bits), &[], &old),
            None => reduction.init,
        };
        let (to, step) = body.splat(start, old.source);
        body.before.push(step);
        body.vectors.insert(reduction.param, to);
    }
    for step in &old.steps {
        match step.action {
            Action::Const(_) => body.before.push(step.clone()),
            _ => body.step(step, plan),
        }
    }
    let add = Action::Pure {
        op: Opcode::Add64,
        number: 0,
    };
    let mut next = Vec::new();
    for (counter, _, step) in &plan.found.counters {
        let by = Action::Const((*step * i64::from(plan.lanes)) as u64);
        let by = body.emit(StepList::Loop, by, &[], &old);
        let param = body.scalar(*counter);
        let sum = body.emit(StepList::Loop, add.clone(), &[param, by], &old);
        next.push(sum);
    }
    let distance = plan.count.step * i64::from(turns) * i64::from(plan.lanes);
    let bound = Action::Const(plan.count.init.wrapping_add(distance) as u64);
    let bound = body.emit(StepList::Loop, bound, &[], &old);
    let main = next[plan.count.counter];
    // After it: counters as they are then, reductions combined.
    let mut steps = Vec::new();
    let mut emit = |function: &mut Function, action, args: &[Value]| {
        let value = function.value();
        steps.push(Step::value(action, args, value, old.source));
        value
    };
    let mut finals = plan.entry.clone();
    for (at, param) in old.params.iter().enumerate() {
        if let Some((_, first, step)) = plan
            .found
            .counters
            .iter()
            .find(|(counter, ..)| counter == param)
        {
            let moved = step.wrapping_mul(i64::from(turns) * i64::from(plan.lanes));
            let moved = emit(body.function, Action::Const(moved as u64), &[]);
            finals[at] = emit(body.function, add.clone(), &[*first, moved]);
        }
    }
    for reduction in &plan.reductions {
        let action = Action::Vector(VectorAction::Reduce {
            op: reduction.op,
            from: body.vectors[&reduction.param],
            number: reduction.number,
            lanes: plan.lanes,
        });
        finals[reduction.at] = emit(body.function, action, &[reduction.init]);
    }
    let vector_steps = std::mem::take(&mut body.steps);
    let before_steps = std::mem::take(&mut body.before);
    let function = body.function;
    let target = |block, args| Target { block, args };
    function.blocks.push(BlockData {
        params,
        steps: vector_steps,
        terminator: Terminator::Branch {
            op: Opcode::Lts,
            args: [main, bound],
            targets: [target(vector_block, next), target(after, Vec::new())],
        },
        source: old.source,
    });
    let terminator = if left > 0 {
        Terminator::Jump(target(plan.found.block, finals))
    } else {
        // The values of the loop's last iteration are those that the next one would begin with.
        for (next, last) in plan.next.iter().zip(&finals) {
            function.replace(*next, *last);
        }
        let last_of = |value: &Value| {
            let at = plan.next.iter().position(|next| next == value);
            at.map_or(*value, |at| finals[at])
        };
        let args = plan.exit.args.iter().map(last_of).collect();
        Terminator::Jump(target(plan.exit.block, args))
    };
    function.blocks.push(BlockData {
        params: Vec::new(),
        steps,
        terminator,
        source: old.source,
    });
    let before = &mut function.blocks[plan.found.before.index()];
    before.steps.extend(before_steps);
    for entry in before.terminator.targets_mut() {
        *entry = target(vector_block, init.clone());
    }
}
