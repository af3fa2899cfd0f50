//! Nests of loops that are contractions: each element of a result is the sum of the products of elements of two factors over some
//! of the loops, the taps and channels of a convolution or the inner dimension of a product of matrices.
//!
//! It takes nests of loops of known length, each of which holds the next one and nothing else that touches memory but two loads, of
//! the factors, a store of the sum, and, where the sum begins with what is in memory, a load from there. Addresses are sums of
//! multiples of the counters. No two elements of the result have a byte in common, and the factors are elsewhere, so that all
//! elements can be computed in any order, and sums of integers be added up in any order.

use aiec_vcode::{MemoryType, Opcode};

use super::addresses::AddressSet;
use super::counted::{ending, turns};
use super::walks::{LinearSum, Sums};
use super::{Action, Block, Graph, Step, Target, Value};

/// Loops of a nest at most.
const MAX_LOOPS: usize = 12;

/// Bytes of an element of the result.
const RESULT_BYTES: i64 = 4;

/// The operands of a nest by their places in [`Dimension::strides`].
pub(super) const LEFT: usize = 0;
pub(super) const RIGHT: usize = 1;
pub(super) const RESULT: usize = 2;

/// A loop of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimension {
    pub trips: u64,
    /// Bytes from one iteration to the next, of the factors and of the result.
    pub strides: [i64; 3],
    /// Whether the products of its iterations are added up.
    pub is_reduced: bool,
}

/// Elements of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FactorElements {
    pub kind: MemoryType,
    pub is_signed: bool,
}

/// A nest of loops.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    /// From the outermost one to the innermost one, of which the reduced ones come last.
    pub dimensions: Vec<Dimension>,
    pub factors: [FactorElements; 2],
    /// Addresses of the first elements, of values before the nest.
    pub starts: [LinearSum; 3],
    /// Whether sums begin with what is in memory, else with 0.
    pub adds: bool,
    /// Where the nest is entered from, its blocks, and where it goes.
    pub before: Block,
    pub blocks: Vec<Block>,
    pub exit: Target,
    /// The step that stores.
    pub store: Step,
}

/// A loop that a nest may have.
struct Level {
    number: usize,
    before: Block,
    counter: Value,
    init: i64,
    step: i64,
    trips: u32,
    exit: Target,
    /// The other parameter, the sum, with the values that it begins and goes on with.
    sum: Option<[Value; 3]>,
}

/// A factor where it is loaded.
struct LoadedFactor<'a> {
    load: &'a Step,
    elements: FactorElements,
}

/// The accesses of a nest, and its sum after the last product.
struct Body<'a> {
    factors: [LoadedFactor<'a>; 2],
    sum: Value,
}

/// The nests of a function around its innermost loops.
pub(super) fn nests<'a>(
    sums: &'a Sums<'a>,
    graph: &'a Graph,
    sets: &'a [AddressSet],
) -> impl Iterator<Item = Nest> + 'a {
    (0..graph.loops.len()).filter_map(|number| nest(sums, graph, sets, number))
}

/// The largest nest around an innermost loop.
fn nest(sums: &Sums<'_>, graph: &Graph, sets: &[AddressSet], innermost: usize) -> Option<Nest> {
    if graph.loops[innermost].blocks.len() > 1 {
        return None;
    }
    let first = level(sums, graph, innermost)?;
    let body = body(sums, &first)?;
    let mut levels = vec![first];
    while let Some(outer) = around(sums, graph, &levels) {
        levels.push(outer);
    }
    // Outer loops that don't fit are left as they are.
    (2..=levels.len()).rev().find_map(|count| {
        let levels = &levels[..count];
        of_levels(sums, graph, sets, levels, &body)
    })
}

/// A loop of known length with one counter, and one other parameter at most.
fn level(sums: &Sums<'_>, graph: &Graph, number: usize) -> Option<Level> {
    let function = sums.function;
    let header = graph.loops[number].header;
    let before = graph.preheader(function, number)?;
    let latch = graph.only_latch(number)?;
    let (at, next, bound) = ending(function, header, latch)?;
    let params = &function.block(header).params;
    let entry = function.block(before).terminator.targets().first()?;
    let targets = function.block(latch).terminator.targets();
    let back = targets.iter().find(|target| target.block == header)?;
    let exit = targets.iter().find(|target| target.block != header)?;
    let counter = *params.get(at)?;
    let constant = |value: Value| sums.constants[value.index()].map(|bits| bits as i64);
    let next = sums.of(next);
    let init = constant(entry.args[at])?;
    if next.terms[..] != [(counter, 1)] || next.constant <= 0 || params.len() > 2 {
        return None;
    }
    let other = (0..params.len()).find(|place| *place != at);
    Some(Level {
        number,
        before,
        counter,
        init,
        step: next.constant,
        trips: turns(init, constant(bound)?, next.constant)?,
        exit: exit.clone(),
        sum: other.map(|at| [params[at], entry.args[at], back.args[at]]),
    })
}

/// The products of the innermost loop.
fn body<'a>(sums: &Sums<'a>, level: &Level) -> Option<Body<'a>> {
    let [param, _, next] = level.sum?;
    let other = |value: Value, op: Opcode, one: Value| {
        let args = operands(sums, value, op)?;
        match args {
            [a, b] if a == one => Some(b),
            [a, b] if b == one => Some(a),
            _ => None,
        }
    };
    let product = other(next, Opcode::Add32, param)?;
    let [left, right] = operands(sums, product, Opcode::Mul32)?;
    let (left, right) = (factor(sums, left)?, factor(sums, right)?);
    Some(Body {
        factors: [left, right],
        sum: next,
    })
}

/// The operands of a value that an operation of two gives.
fn operands(sums: &Sums<'_>, value: Value, of: Opcode) -> Option<[Value; 2]> {
    let step = sums.step(value)?;
    match (&step.action, &step.args[..]) {
        (Action::Pure { op, .. }, [a, b]) if *op == of => Some([*a, *b]),
        _ => None,
    }
}

/// A factor as it was loaded.
fn factor<'a>(sums: &Sums<'a>, value: Value) -> Option<LoadedFactor<'a>> {
    let step = sums.step(value)?;
    let (load, extended) = match &step.action {
        Action::Pure {
            op: Opcode::Zext,
            number,
        } => (sums.step(step.args[0])?, Some(*number)),
        _ => (step, None),
    };
    let Action::Load { kind, .. } = load.action else {
        return None;
    };
    let is_whole = extended.is_none_or(|bits| u32::from(bits) == 8 * kind.bytes());
    let is_narrow = matches!(kind, MemoryType::I8 | MemoryType::I16);
    (is_whole && is_narrow).then_some(LoadedFactor {
        load,
        elements: FactorElements {
            kind,
            is_signed: extended.is_none(),
        },
    })
}

/// The loop around some loops, if it goes on with their sum, or has none.
fn around(sums: &Sums<'_>, graph: &Graph, levels: &[Level]) -> Option<Level> {
    let inner = levels.last()?;
    let number = graph.loops[inner.number].parent?;
    let children = graph.loops.iter().filter(|of| of.parent == Some(number));
    let outer = level(sums, graph, number)?;
    let adds_up = match (inner.sum, outer.sum) {
        (Some([_, start, _]), Some([param, _, next])) => {
            let [.., last] = levels[0].sum?;
            start == param && next == last
        }
        (_, None) => true,
        (None, Some(_)) => false,
    };
    // Its own blocks follow one another.
    let own = graph.loops[number].blocks.iter();
    let own = own.filter(|block| graph.innermost[block.index()] == Some(number));
    let branches = own.filter(|block| {
        let targets = sums.function.block(**block).terminator.targets();
        targets.len() != 1
    });
    let fits = adds_up && children.count() == 1 && branches.count() == 1;
    (fits && levels.len() < MAX_LOOPS).then_some(outer)
}

/// The nest of some loops, from the innermost one on.
fn of_levels(
    sums: &Sums<'_>,
    graph: &Graph,
    sets: &[AddressSet],
    levels: &[Level],
    body: &Body<'_>,
) -> Option<Nest> {
    let function = sums.function;
    let outermost = levels.last()?;
    let blocks = &graph.loops[outermost.number].blocks;
    let reduced = levels.iter().take_while(|level| level.sum.is_some());
    let reduced = reduced.count();
    let summed = levels.get(reduced)?;
    let [_, start, _] = levels[reduced - 1].sum?;
    // The accesses, the store among the loops that are not reduced.
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for block in blocks {
        for step in &function.block(*block).steps {
            match step.action {
                _ if step.is_pure() => {}
                Action::Load { .. } => loads.push(step),
                Action::Store { .. } => stores.push((block, step)),
                _ => return None,
            }
        }
    }
    let [(store_block, store)] = stores[..] else {
        return None;
    };
    let Action::Store {
        kind: MemoryType::I32,
        offset: store_offset,
    } = store.action
    else {
        return None;
    };
    let is_last = store.args[0] == body.sum;
    let follows = graph.innermost[store_block.index()] == Some(summed.number);
    if !is_last || !follows {
        return None;
    }
    let result = address(sums, levels, blocks, store.args[1], store_offset)?;
    // The start of the sums.
    let first = sums.step(start);
    let adds = match first.map(|step| (&step.action, step)) {
        Some((Action::Const(0), _)) => false,
        Some((
            Action::Load {
                kind: MemoryType::I32,
                offset,
            },
            step,
        )) => {
            let is_inside = blocks.contains(&sums.block_of(start)?);
            let from = address(sums, levels, blocks, step.args[0], *offset)?;
            if !is_inside || from != result {
                return None;
            }
            true
        }
        _ => return None,
    };
    let [left, right] = &body.factors;
    let own = [Some(left.load), Some(right.load), first.filter(|_| adds)];
    let is_own = |load: &&Step| own.iter().flatten().any(|own| own.results == load.results);
    if !loads.iter().all(is_own) || loads.len() != 2 + usize::from(adds) {
        return None;
    }
    let mut places = Vec::new();
    for factor in &body.factors {
        let Action::Load { offset, kind } = factor.load.action else {
            return None;
        };
        let arg = factor.load.args[0];
        places.push(address(sums, levels, blocks, arg, offset)?);
        let touched = sets[arg.index()].touched(offset.into(), kind.bytes())?;
        let stored = sets[store.args[1].index()].touched(store_offset.into(), 4)?;
        if !touched.is_apart(&stored) {
            return None;
        }
    }
    let [left_place, right_place] = <[NestAddress; 2]>::try_from(places).ok()?;
    let dimensions = levels.iter().enumerate().map(|(at, level)| Dimension {
        trips: level.trips.into(),
        strides: [&left_place, &right_place, &result].map(|place| place.strides[at]),
        is_reduced: at < reduced,
    });
    let dimensions: Vec<Dimension> = dimensions.rev().collect();
    let nest = Nest {
        factors: [left.elements, right.elements],
        starts: [left_place.start, right_place.start, result.start],
        adds,
        before: outermost.before,
        blocks: blocks.clone(),
        exit: outermost.exit.clone(),
        store: store.clone(),
        dimensions,
    };
    (are_elements_apart(&nest.dimensions) && is_closed(sums, &nest)).then_some(nest)
}

/// An address in a nest: where it is at first, and the bytes that it is moved by in each loop, from the innermost one on.
#[derive(Debug, PartialEq, Eq)]
struct NestAddress {
    start: LinearSum,
    strides: Vec<i64>,
}

/// An address that grows with the loops' counters and nothing else of theirs.
fn address(
    sums: &Sums<'_>,
    levels: &[Level],
    blocks: &[Block],
    value: Value,
    offset: i32,
) -> Option<NestAddress> {
    let sum = sums.of(value);
    let mut start = LinearSum {
        terms: sum.terms.clone(),
        constant: sum.constant.checked_add(offset.into())?,
    };
    let mut strides = vec![0; levels.len()];
    for (level, stride) in levels.iter().zip(&mut strides) {
        let factor = sum.terms.iter().find(|(value, _)| *value == level.counter);
        let Some((_, factor)) = factor else { continue };
        *stride = factor.checked_mul(level.step)?;
        start.terms.retain(|(value, _)| *value != level.counter);
        let moved = factor.checked_mul(level.init)?;
        start.constant = start.constant.checked_add(moved)?;
    }
    let is_outside = |(value, _): &(Value, i64)| {
        let params = blocks
            .iter()
            .flat_map(|block| &sums.function.block(*block).params);
        let is_param = params.into_iter().any(|param| param == value);
        !is_param && sums.block_of(*value).is_none_or(|of| !blocks.contains(&of))
    };
    start
        .terms
        .iter()
        .all(is_outside)
        .then_some(NestAddress { start, strides })
}

/// Whether no two elements of the result have a byte in common.
fn are_elements_apart(dimensions: &[Dimension]) -> bool {
    let kept = dimensions
        .iter()
        .filter(|of| !of.is_reduced && of.trips > 1);
    let mut strides: Vec<(u64, u64)> = kept
        .map(|of| (of.strides[RESULT].unsigned_abs(), of.trips))
        .collect();
    strides.sort_unstable();
    let mut extent = RESULT_BYTES as u64;
    strides.into_iter().all(|(stride, trips)| {
        let is_apart = stride >= extent;
        extent = extent.saturating_add(stride.saturating_mul(trips - 1));
        is_apart
    })
}

/// Whether nothing after a nest reads what it computes, but constants.
fn is_closed(sums: &Sums<'_>, nest: &Nest) -> bool {
    let function = sums.function;
    let mut is_inside = vec![false; function.values as usize];
    for block in &nest.blocks {
        let data = function.block(*block);
        let results = data.steps.iter().flat_map(|step| &step.results);
        for value in results.chain(&data.params) {
            is_inside[value.index()] = sums.constants[value.index()].is_none();
        }
    }
    let is_outside = |value: &Value| !is_inside[value.index()];
    let others = function.numbered_blocks();
    let mut others = others.filter(|(block, _)| !nest.blocks.contains(block));
    nest.exit.args.iter().all(is_outside)
        && others.all(|(_, data)| {
            let targets = data.terminator.targets().iter();
            let mut passed = targets.flat_map(|target| &target.args);
            let mut args = data.steps.iter().flat_map(|step| &step.args);
            args.all(is_outside)
                && data.terminator.operands().iter().all(is_outside)
                && passed.all(is_outside)
        })
}
