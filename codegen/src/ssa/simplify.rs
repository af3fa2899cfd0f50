//! Simplification: parameters with one value, constants, equal steps, products as shifts, steps that loops repeat,
//! steps that nothing uses.

use aiec_vcode::Opcode;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::fold::fold;
use super::{Action, Block, Function, Graph, Step, Terminator, Value};

/// Simplifies a function until nothing changes that one more round would see; a few rounds are enough, as
/// parameters feed only what comes after them.
pub(crate) fn simplify(function: &mut Function) {
    const ROUNDS: usize = 3;
    for _ in 0..ROUNDS {
        let mut changed = drop_parameters(function);
        changed |= fold_and_number(function);
        changed |= fold_branches(function);
        changed |= drop_unreached(function);
        if !changed {
            break;
        }
    }
    add_preheaders(function);
    hoist(function);
    drop_unused(function);
    fold_and_number(function);
    drop_unused(function);
    place_blocks(function);
}

/// Replacements of values.
struct Renaming(Vec<Value>);

impl Renaming {
    fn new(function: &Function) -> Renaming {
        Renaming((0..function.values).map(Value).collect())
    }

    fn of(&self, value: Value) -> Value {
        let mut at = value;
        while let Some(&next) = self.0.get(at.index())
            && next != at
        {
            at = next;
        }
        at
    }

    fn replace(&mut self, value: Value, by: Value) {
        let by = self.of(by);
        if by != value {
            self.0[value.index()] = by;
        }
    }

    fn apply(&self, function: &mut Function) {
        for block in &mut function.blocks {
            let args = block.steps.iter_mut().flat_map(|step| &mut step.args);
            args.for_each(|arg| *arg = self.of(*arg));
            let operands = block.terminator.operands_mut().iter_mut();
            operands.for_each(|arg| *arg = self.of(*arg));
            let targets = block.terminator.targets_mut().iter_mut();
            let passed = targets.flat_map(|target| &mut target.args);
            passed.for_each(|arg| *arg = self.of(*arg));
        }
    }
}

/// Drops parameters that are always the same value, or themselves.
fn drop_parameters(function: &mut Function) -> bool {
    let mut renaming = Renaming::new(function);
    let mut passed: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    for block in &function.blocks {
        for target in block.terminator.targets() {
            let params = &function.block(target.block).params;
            for (param, arg) in params.iter().zip(&target.args) {
                passed.entry(*param).or_default().push(*arg);
            }
        }
    }
    let params: Vec<Value> = function
        .blocks
        .iter()
        .flat_map(|block| &block.params)
        .copied()
        .collect();
    let mut dropped = vec![false; function.values as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for param in &params {
            if dropped[param.index()] {
                continue;
            }
            let sources = passed.get(param).map_or(&[][..], Vec::as_slice);
            let mut others = sources
                .iter()
                .map(|value| renaming.of(*value))
                .filter(|value| value != param);
            if let Some(first) = others.next()
                && others.all(|other| other == first)
            {
                renaming.replace(*param, first);
                dropped[param.index()] = true;
                changed = true;
            }
        }
    }
    if !dropped.contains(&true) {
        return false;
    }
    let kept: Vec<Vec<bool>> = function
        .blocks
        .iter()
        .map(|block| {
            let params = block.params.iter();
            params.map(|param| !dropped[param.index()]).collect()
        })
        .collect();
    for block in &mut function.blocks {
        for target in block.terminator.targets_mut() {
            let mut keep = kept[target.block.index()].iter();
            target.args.retain(|_| keep.next().copied().unwrap_or(true));
        }
    }
    for block in &mut function.blocks {
        block.params.retain(|param| !dropped[param.index()]);
    }
    renaming.apply(function);
    true
}

/// A step by its computation.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// The number of a constant.
    bits: u64,
    op: Option<(Opcode, u8)>,
    args: SmallVec<[Value; 3]>,
}

/// Computes constants, simplifies steps, and drops those that repeat the computation of a
/// dominating step.
fn fold_and_number(function: &mut Function) -> bool {
    let graph = Graph::of(function);
    let mut renaming = Renaming::new(function);
    let mut constants = function.constants();
    let mut known: FxHashMap<Key, Vec<(Block, Value)>> = FxHashMap::default();
    let mut changed = false;
    for &block in &graph.order {
        let mut steps = std::mem::take(&mut function.blocks[block.index()].steps);
        let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
        for mut step in steps.drain(..) {
            step.args
                .iter_mut()
                .for_each(|arg| *arg = renaming.of(*arg));
            let &[result] = &step.results[..] else {
                kept.push(step);
                continue;
            };
            if let Some(same) = rewrite(function, &mut step, &mut constants, &mut kept) {
                renaming.replace(result, same);
                constants.resize(function.values as usize, None);
                changed = true;
                continue;
            }
            renaming
                .0
                .extend((renaming.0.len() as u32..function.values).map(Value));
            let key = match &step.action {
                Action::Const(bits) => {
                    constants[result.index()] = Some(*bits);
                    Key {
                        bits: *bits,
                        op: None,
                        args: smallvec![],
                    }
                }
                Action::Pure { op, number } => Key {
                    bits: 0,
                    op: Some((*op, *number)),
                    args: step.args.clone(),
                },
                _ => {
                    kept.push(step);
                    continue;
                }
            };
            let same = known.entry(key).or_default();
            let earlier = same
                .iter()
                .find(|(at, _)| graph.is_dominated(block, *at))
                .map(|(_, value)| *value);
            match earlier {
                Some(value) => {
                    renaming.replace(result, value);
                    changed = true;
                }
                None => {
                    same.push((block, result));
                    kept.push(step);
                }
            }
        }
        function.blocks[block.index()].steps = kept;
    }
    renaming.apply(function);
    changed
}

/// Simplifies a step; the value that it always has, if that is another one. Constants that it needs go to `before`.
fn rewrite(
    function: &mut Function,
    step: &mut Step,
    constants: &mut Vec<Option<u64>>,
    before: &mut Vec<Step>,
) -> Option<Value> {
    use Opcode::*;
    let Action::Pure { op, number } = step.action else {
        return None;
    };
    let constant = |value: Value| constants.get(value.index()).copied().flatten();
    let numbers: Option<Vec<u64>> = step.args.iter().map(|arg| constant(*arg)).collect();
    if let Some(bits) = numbers.and_then(|numbers| fold(op, &numbers, number)) {
        step.action = Action::Const(bits);
        step.args.clear();
        return None;
    }
    let commutes = matches!(
        op,
        Add32 | Add64 | Mul32 | Mul64 | And | Or | Xor | Eq | Ne | Mins | Maxs | Minu | Maxu
    );
    if let [first, second] = step.args[..]
        && commutes
        && (constant(first).is_some() || (constant(second).is_none() && second < first))
    {
        step.args = smallvec![second, first];
    }
    let args = step.args.clone();
    let second = args.get(1).and_then(|value| constant(*value));
    match (op, &args[..], second) {
        (Mov, [value], _) => return Some(*value),
        (Add64 | Sub64 | Or | Xor | Shl64 | Shrs | Shru, [value, _], Some(0)) => {
            return Some(*value);
        }
        (And, [value, _], Some(u64::MAX)) => return Some(*value),
        (Mul64, [value, _], Some(1)) => return Some(*value),
        (Select, [condition, yes, no], _) => {
            if yes == no {
                return Some(*yes);
            }
            match constant(*condition) {
                Some(0) => return Some(*no),
                Some(_) => return Some(*yes),
                None => {}
            }
        }
        (Mul32 | Mul64 | Divu, [value, _], Some(factor)) if factor.is_power_of_two() => {
            let shift = match op {
                Mul32 => Shl32,
                Mul64 => Shl64,
                _ => Shru,
            };
            let amount = u64::from(factor.trailing_zeros());
            if op == Mul32 && amount > 31 {
                return None;
            }
            let amount = push_constant(function, step, constants, before, amount);
            step.action = Action::Pure {
                op: shift,
                number: 0,
            };
            step.args = smallvec![*value, amount];
        }
        (Remu, [value, _], Some(divisor)) if divisor.is_power_of_two() => {
            let mask = push_constant(function, step, constants, before, divisor - 1);
            step.action = Action::Pure { op: And, number: 0 };
            step.args = smallvec![*value, mask];
        }
        (Add64, [value, _], Some(bits)) => {
            // (x + a) + b is x + (a + b).
            if let Some((inner, more)) = sum_with_constant(before, *value, constants) {
                let sum = more.wrapping_add(bits);
                let sum = push_constant(function, step, constants, before, sum);
                step.args = smallvec![inner, sum];
            }
        }
        _ => {}
    }
    None
}

/// The parts of a value that an earlier step of the same block makes by adding a constant.
fn sum_with_constant(
    steps: &[Step],
    value: Value,
    constants: &[Option<u64>],
) -> Option<(Value, u64)> {
    const WINDOW: usize = 16;
    let mut recent = steps.iter().rev().take(WINDOW);
    let step = recent.find(|step| step.results[..] == [value])?;
    match (&step.action, &step.args[..]) {
        (
            Action::Pure {
                op: Opcode::Add64, ..
            },
            [inner, more],
        ) => Some((*inner, constants.get(more.index()).copied().flatten()?)),
        _ => None,
    }
}

fn push_constant(
    function: &mut Function,
    step: &Step,
    constants: &mut Vec<Option<u64>>,
    before: &mut Vec<Step>,
    bits: u64,
) -> Value {
    let value = function.value();
    constants.resize(function.values as usize, None);
    constants[value.index()] = Some(bits);
    before.push(Step::value(Action::Const(bits), &[], value, step.source));
    value
}

/// Makes jumps of branches that always go one way.
fn fold_branches(function: &mut Function) -> bool {
    let constants = function.constants();
    let mut changed = false;
    for block in &mut function.blocks {
        let Terminator::Branch { op, args, targets } = &block.terminator else {
            continue;
        };
        let numbers: Option<Vec<u64>> = args.iter().map(|arg| constants[arg.index()]).collect();
        let decided = match numbers.and_then(|numbers| fold(*op, &numbers, 0)) {
            Some(0) => Some(1),
            Some(_) => Some(0),
            None if targets[0] == targets[1] => Some(0),
            None => None,
        };
        if let Some(taken) = decided {
            block.terminator = Terminator::Jump(targets[taken].clone());
            changed = true;
        }
    }
    changed
}

/// Drops blocks that can't be reached, and joins blocks with their only predecessors.
fn drop_unreached(function: &mut Function) -> bool {
    let graph = Graph::of(function);
    let mut changed = false;
    // Joined into: a block whose only predecessor jumps to it and nowhere else.
    let mut joined = vec![false; function.blocks.len()];
    for &block in graph.order.iter().skip(1) {
        let [before] = graph.predecessors[block.index()][..] else {
            continue;
        };
        let mut into = before;
        while joined[into.index()] {
            into = graph.dominator[into.index()];
        }
        let jumps = matches!(
            &function.blocks[into.index()].terminator,
            Terminator::Jump(target) if target.block == block
        );
        // Parameters of such blocks have one value each: they are gone already.
        if !jumps || !function.blocks[block.index()].params.is_empty() {
            continue;
        }
        let data = &mut function.blocks[block.index()];
        let steps = std::mem::take(&mut data.steps);
        let terminator = std::mem::replace(&mut data.terminator, Terminator::End);
        let source = data.source;
        let into = &mut function.blocks[into.index()];
        into.steps.extend(steps);
        into.terminator = terminator;
        into.source = source;
        joined[block.index()] = true;
        changed = true;
    }
    let kept = |block: usize| graph.is_reached(Block(block as u32)) && !joined[block];
    let mut numbers = Vec::with_capacity(function.blocks.len());
    let mut next = 0;
    for block in 0..function.blocks.len() {
        numbers.push(Block(next));
        next += u32::from(kept(block));
    }
    changed |= next as usize != function.blocks.len();
    let mut block = 0;
    function.blocks.retain(|_| {
        block += 1;
        kept(block - 1)
    });
    renumber(function, &numbers);
    changed
}

/// Gives each loop that is entered by a branch a block before it.
fn add_preheaders(function: &mut Function) {
    let graph = Graph::of(function);
    for (number, inner) in graph.loops.iter().enumerate() {
        let outside: Vec<Block> = graph.predecessors[inner.header.index()]
            .iter()
            .copied()
            .filter(|block| graph.is_reached(*block) && !graph.is_in_loop(*block, number))
            .collect();
        let [before] = outside[..] else { continue };
        let added = Block(function.blocks.len() as u32);
        let data = &mut function.blocks[before.index()];
        let source = data.source;
        if !matches!(data.terminator, Terminator::Branch { .. }) {
            continue;
        }
        let target = data
            .terminator
            .targets_mut()
            .iter_mut()
            .find(|target| target.block == inner.header);
        let Some(target) = target else { continue };
        let jump = super::Target {
            block: inner.header,
            args: std::mem::take(&mut target.args),
        };
        target.block = added;
        function.blocks.push(super::BlockData {
            params: Vec::new(),
            steps: Vec::new(),
            terminator: Terminator::Jump(jump),
            source,
        });
    }
}

/// Puts the blocks in reverse postorder, so that loops are in one piece and most jumps go to the next block.
fn place_blocks(function: &mut Function) {
    let order = Graph::of(function).order;
    let mut numbers = vec![Block(0); function.blocks.len()];
    for (number, block) in order.iter().enumerate() {
        numbers[block.index()] = Block(number as u32);
    }
    let mut blocks: Vec<Option<super::BlockData>> = function.blocks.drain(..).map(Some).collect();
    let placed = order
        .iter()
        .filter_map(|block| blocks[block.index()].take());
    function.blocks = placed.collect();
    renumber(function, &numbers);
}

/// Gives blocks other numbers where they are named.
fn renumber(function: &mut Function, numbers: &[Block]) {
    for block in &mut function.blocks {
        for target in block.terminator.targets_mut() {
            target.block = numbers[target.block.index()];
        }
    }
}

/// Moves pure steps whose arguments don't change in a loop before it. Constants stay: selection puts them where they
/// are needed.
fn hoist(function: &mut Function) {
    let graph = Graph::of(function);
    let mut home: Vec<Option<Block>> = vec![None; function.values as usize];
    for (block, data) in function.numbered_blocks() {
        let results = data.steps.iter().flat_map(|step| &step.results);
        for value in data.params.iter().chain(results) {
            home[value.index()] = Some(block);
        }
    }
    let constants = function.constants();
    for &block in &graph.order {
        let Some(number) = graph.innermost[block.index()] else {
            continue;
        };
        let steps = std::mem::take(&mut function.blocks[block.index()].steps);
        let mut kept = Vec::with_capacity(steps.len());
        for step in steps {
            let mut to = None;
            let mut outer = Some(number);
            while let Some(number) = outer {
                let free = is_hoistable(&step)
                    && step.args.iter().all(|arg| match home[arg.index()] {
                        _ if constants[arg.index()].is_some() => true,
                        Some(home) => !graph.is_in_loop(home, number),
                        None => true,
                    });
                match graph.preheader(function, number).filter(|_| free) {
                    Some(before) => to = Some(before),
                    None => break,
                }
                outer = graph.loops[number].parent;
            }
            match to {
                Some(before) => {
                    // Constants that it needs may be defined in the loop: it takes copies of them along.
                    let step = with_constants(function, step, &constants, before);
                    for value in &step.results {
                        home[value.index()] = Some(before);
                    }
                    function.blocks[before.index()].steps.push(step);
                }
                None => kept.push(step),
            }
        }
        function.blocks[block.index()].steps = kept;
        home.resize(function.values as usize, None);
    }
}

/// Steps that cost something, and can be done in vain.
fn is_hoistable(step: &Step) -> bool {
    use Opcode::*;
    match step.action {
        Action::Pure { op, .. } => !matches!(
            op,
            Divs | Rems | Divu | Remu | DivFloor | DivCeil | DivuCeil | Pows
        ),
        _ => false,
    }
}

/// A step with constants of its own, which go to the end of a block.
fn with_constants(
    function: &mut Function,
    mut step: Step,
    constants: &[Option<u64>],
    block: Block,
) -> Step {
    for arg in &mut step.args {
        let Some(bits) = constants.get(arg.index()).copied().flatten() else {
            continue;
        };
        let value = function.value();
        let constant = Step::value(Action::Const(bits), &[], value, step.source);
        function.blocks[block.index()].steps.push(constant);
        *arg = value;
    }
    step
}

/// Drops steps and parameters that nothing uses.
pub(crate) fn drop_unused(function: &mut Function) {
    let mut used = vec![false; function.values as usize];
    let mut open: Vec<Value> = Vec::new();
    // Operands of each value's definition.
    let mut needs: Vec<SmallVec<[Value; 3]>> = vec![smallvec![]; function.values as usize];
    for block in &function.blocks {
        for step in &block.steps {
            if !step.is_removable() {
                open.extend(&step.args);
            }
            for result in &step.results {
                needs[result.index()].extend(step.args.iter().copied());
            }
        }
        open.extend(block.terminator.operands());
        for target in block.terminator.targets() {
            let params = &function.block(target.block).params;
            for (param, arg) in params.iter().zip(&target.args) {
                needs[param.index()].push(*arg);
            }
        }
    }
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut used[value.index()], true) {
            open.extend(needs[value.index()].iter().copied());
        }
    }
    let kept: Vec<Vec<bool>> = function
        .blocks
        .iter()
        .map(|block| {
            block
                .params
                .iter()
                .map(|param| used[param.index()])
                .collect()
        })
        .collect();
    for block in &mut function.blocks {
        for target in block.terminator.targets_mut() {
            let mut keep = kept[target.block.index()].iter();
            target.args.retain(|_| keep.next().copied().unwrap_or(true));
        }
        block.params.retain(|param| used[param.index()]);
        block.steps.retain(|step| {
            !step.is_removable() || step.results.iter().any(|value| used[value.index()])
        });
    }
}
