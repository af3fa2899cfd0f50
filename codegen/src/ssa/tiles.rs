//! Contractions by the array: the nest of loops of one ([`super::nests`]) becomes loops over tiles, whose products are products of
//! matrices.
//!
//! A product takes some neighbours of one loop as rows, some of another one as columns, and adds products up over some of a third
//! one. The blocks that it multiplies lie one after another in memory. A body has the products of several blocks of rows with all
//! taps, as far as they are not too many: the sums of some blocks at a time, so that they stay in accumulators while those of
//! other blocks are stored. Blocks of the left factor overlap where rows are neighbours of taps, as the pixels of a convolution are:
//! these are windows of what is loaded at multiples of an access.

use std::collections::BTreeMap;

use aiec_aie::ir::Op;
use aiec_vcode::{MemoryType, Opcode};

use super::addresses::AddressSet;
use super::nests::{Dimension, LEFT, Nest, RESULT, RIGHT, nests};
use super::walks::{LinearSum, Sums};
use super::width::Widths;
use super::{
    Action, Block, BlockData, Function, Graph, Step, Target, Terminator, Value, VectorAction,
};
use crate::mir::{Factor, MatrixProduct, Vector};

/// Products of a body at most, and of all bodies of a nest.
const MAX_PRODUCTS: u64 = 160;
const MAX_WRITTEN: u64 = 480;
/// Bytes of the least access of a vector on all architectures, half a register, and of a whole one.
const ACCESS_BYTES: i64 = 32;
const REGISTER_BYTES: i64 = 64;
/// Bytes of a sum in memory.
const SUM_BYTES: i64 = 4;
/// Parts that a nest is divided into for the sake of alignment at most.
const MAX_PARTS: usize = 8;
/// Sums that take turns: one is added to while products of another one are under way.
const TURNS: usize = 2;

/// A product of matrices that an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProductShape {
    pub kinds: [MemoryType; 2],
    pub rows: u16,
    pub inner: u16,
    pub columns: u16,
    /// Accumulators for its sums.
    pub sums: u16,
}

/// A nest as products of matrices.
struct Plan {
    nest: Nest,
    product: MatrixProduct,
    /// The nest in parts, one after another, in each of which the left factor's addresses have the same alignment.
    parts: Vec<Part>,
    /// Reduced loops that are written out.
    taps: Vec<Dimension>,
    /// The loop of rows, in elements.
    rows: Dimension,
    /// Iterations of a loop that are written out, so that addresses keep their alignment.
    copies: Dimension,
    /// Blocks of rows of a body.
    blocks: u64,
    /// Blocks of rows whose sums are computed at a time.
    group: usize,
}

/// Some iterations of a nest.
#[derive(Clone)]
struct Part {
    /// Bytes from the nest's first addresses.
    starts: [i64; 3],
    /// Loops in the order in which they are made: kept ones, then reduced ones.
    loops: Vec<Dimension>,
}

/// The loops around contractions, each by the store of its sums.
pub(crate) fn contractions(
    function: &Function,
    graph: &Graph,
    widths: &Widths,
    sets: &[AddressSet],
) -> Vec<Op> {
    let constants = function.constants();
    let sums = Sums::new(function, widths, &constants);
    nests(&sums, graph, sets)
        .map(|nest| nest.store.source)
        .collect()
}

/// The function with the contraction of a store by products of these shapes; `None` if it is none of them. `zeros` are those at
/// the end of a value.
pub(crate) fn contract(
    function: &Function,
    graph: &Graph,
    widths: &Widths,
    sets: &[AddressSet],
    (store, shapes): (Op, &[ProductShape]),
    zeros: impl Fn(Value) -> u32,
) -> Option<Function> {
    let constants = function.constants();
    let sums = Sums::new(function, widths, &constants);
    let nest = nests(&sums, graph, sets).find(|nest| nest.store.source == store)?;
    let plans = shapes.iter().flat_map(|shape| {
        let swapped = swapped(&nest);
        [nest.clone(), swapped].map(|nest| plan(nest, shape, &zeros))
    });
    let best = plans.flatten().min_by_key(|plan| plan.products())?;
    let mut changed = function.clone();
    rewrite(&mut changed, &best);
    Some(changed)
}

/// The nest with its factors in the other order.
fn swapped(nest: &Nest) -> Nest {
    let mut nest = nest.clone();
    nest.factors.swap(LEFT, RIGHT);
    nest.starts.swap(LEFT, RIGHT);
    for dimension in &mut nest.dimensions {
        dimension.strides.swap(LEFT, RIGHT);
    }
    nest
}

/// A loop over a number of iterations of another one at a time.
fn blocks_of(dimension: &Dimension, size: u64) -> Dimension {
    Dimension {
        trips: dimension.trips / size,
        strides: dimension.strides.map(|stride| stride * size as i64),
        ..*dimension
    }
}

fn plan(nest: Nest, shape: &ProductShape, zeros: &impl Fn(Value) -> u32) -> Option<Plan> {
    let [left, right] = nest.factors;
    if shape.kinds != [left.kind, right.kind] {
        return None;
    }
    let [m, k, n] = [shape.rows, shape.inner, shape.columns].map(u64::from);
    let bytes = [left.kind, right.kind].map(|kind| i64::from(kind.bytes()));
    // Blocks are loaded as halves of registers or whole ones.
    let blocks = [m * k * bytes[LEFT] as u64, k * n * bytes[RIGHT] as u64];
    let is_whole = |bytes: &u64| bytes.is_multiple_of(ACCESS_BYTES as u64);
    if !blocks.iter().all(is_whole) {
        return None;
    }
    let row_bytes = [k as i64 * bytes[LEFT], 0, n as i64 * SUM_BYTES];
    let inner_bytes = [bytes[LEFT], n as i64 * bytes[RIGHT], 0];
    let column_bytes = [0, bytes[RIGHT], SUM_BYTES];
    let find = |is_reduced: bool, strides: [i64; 3], fits: &dyn Fn(u64) -> bool| {
        nest.dimensions
            .iter()
            .position(|of| of.is_reduced == is_reduced && of.strides == strides && fits(of.trips))
    };
    let columns = find(false, column_bytes, &|trips| trips.is_multiple_of(n))?;
    let inner = find(true, inner_bytes, &|trips| trips.is_multiple_of(k))?;
    let rows = find(false, row_bytes, &|trips| {
        // Each product is added once to what is in memory.
        trips >= m && (!nest.adds || trips.is_multiple_of(m))
    })?;
    let mut loops = Vec::new();
    for (at, dimension) in nest.dimensions.iter().enumerate() {
        match at {
            _ if at == rows => {}
            _ if at == columns => loops.push(blocks_of(dimension, n)),
            _ if at == inner => loops.push(blocks_of(dimension, k)),
            _ => loops.push(*dimension),
        }
    }
    loops.retain(|of| of.trips > 1);
    let (mut taps, mut kept): (Vec<_>, Vec<_>) = loops.into_iter().partition(|of| of.is_reduced);
    // Neighbours come last, so that their windows are parts of the same registers; the longest loop is the innermost one.
    taps.sort_by_key(|of| std::cmp::Reverse(of.strides[LEFT].unsigned_abs()));
    kept.sort_by_key(|of| of.trips);
    let rows = nest.dimensions[rows];
    let count = |taps: &[Dimension]| taps.iter().map(|of| of.trips).product::<u64>();
    // One more is what a sum is stored from while another one is added to.
    let group = (u64::from(shape.sums) - 1) / 2;
    let mut summed = Vec::new();
    while count(&taps) * TURNS as u64 > MAX_PRODUCTS {
        summed.push(taps.remove(0));
    }
    let group = group.min(MAX_PRODUCTS / count(&taps)).max(1);
    let rows_of = |of: &Dimension| of.trips.div_ceil(m);
    let start = &nest.starts[LEFT];
    let is_multiple = |(value, factor): &(Value, i64)| {
        zeros(*value) + factor.trailing_zeros() >= ACCESS_BYTES.trailing_zeros()
    };
    let keeps = |of: &Dimension| of.strides[LEFT] % ACCESS_BYTES == 0;
    if !start.terms.iter().all(is_multiple) {
        return None;
    }
    // Iterations of a loop over sums that are written out, so that addresses keep their alignment.
    for of in summed.iter_mut().filter(|of| !keeps(of)) {
        let turns = turns_of_alignment(of);
        if !of.trips.is_multiple_of(turns) {
            return None;
        }
        taps.insert(
            0,
            Dimension {
                trips: turns,
                ..*of
            },
        );
        *of = blocks_of(of, turns);
    }
    let mut copies = Dimension {
        trips: 1,
        strides: [0; 3],
        is_reduced: false,
    };
    let others = kept.iter().filter(|of| !keeps(of)).count();
    let place = kept.iter().position(|of| !keeps(of));
    if let (1, Some(place), true) = (others, place, summed.is_empty()) {
        let times = turns_of_alignment(&kept[place]);
        let products = times * count(&taps) * rows_of(&rows).min(group);
        if kept[place].trips.is_multiple_of(times) && products <= MAX_PRODUCTS {
            copies = Dimension {
                trips: times,
                ..kept[place]
            };
            kept[place] = blocks_of(&kept[place], times);
        }
    }
    let mut parts = vec![Part {
        starts: [0; 3],
        loops: kept.into_iter().chain(summed.iter().copied()).collect(),
    }];
    while let Some(place) = parts[0].loops.iter().position(|of| !keeps(of)) {
        parts = parts.iter().flat_map(|part| part.divided(place)).collect();
        if parts.len() > MAX_PARTS {
            return None;
        }
    }
    for part in &mut parts {
        part.loops.retain(|of| of.trips > 1);
    }
    // All sums of a body are in accumulators where a loop adds them up.
    let least = copies.trips * count(&taps);
    let all_written = MAX_WRITTEN / (parts.len() as u64 * least);
    let most = if summed.is_empty() {
        (MAX_PRODUCTS / least).max(1)
    } else {
        u64::from(shape.sums) - 1
    };
    let most = most.min(all_written);
    if most == 0 {
        return None;
    }
    let blocks = match rows_of(&rows) {
        all if all <= most => all,
        _ if most > group => most - most % group,
        _ => most,
    };
    let factor = |of: super::nests::FactorElements| Factor {
        kind: of.kind,
        is_signed: of.is_signed,
    };
    Some(Plan {
        product: MatrixProduct {
            left: factor(left),
            right: factor(right),
            rows: shape.rows,
            inner: shape.inner,
            columns: shape.columns,
            in_blocks: false,
        },
        parts,
        taps,
        rows,
        copies,
        blocks,
        group: group as usize,
        nest,
    })
}

/// Iterations of a loop after which the left factor's addresses have the same alignment again.
fn turns_of_alignment(of: &Dimension) -> u64 {
    let zeros = of.strides[LEFT].trailing_zeros();
    1 << ACCESS_BYTES.trailing_zeros().saturating_sub(zeros)
}

impl Part {
    /// The parts in which the alignment stays the same in all iterations of a loop.
    fn divided(&self, place: usize) -> Vec<Part> {
        let of = &self.loops[place];
        let turns = turns_of_alignment(of);
        let part = |first: u64| {
            let mut part = self.clone();
            for (start, stride) in part.starts.iter_mut().zip(of.strides) {
                *start += first as i64 * stride;
            }
            part.loops[place] = Dimension {
                trips: (of.trips - first).div_ceil(turns),
                strides: of.strides.map(|stride| stride * turns as i64),
                ..*of
            };
            part
        };
        (0..turns.min(of.trips)).map(part).collect()
    }
}

impl Plan {
    /// Products of matrices in all.
    fn products(&self) -> u64 {
        let blocks = self.rows.trips.div_ceil(self.product.rows.into());
        let trips = |loops: &[Dimension]| loops.iter().map(|of| of.trips).product::<u64>();
        let parts = self
            .parts
            .iter()
            .map(|part| trips(&part.loops))
            .sum::<u64>();
        blocks * self.copies.trips * trips(&self.taps) * parts
    }

    /// Blocks of rows, by their first rows, in all copies of a body.
    fn blocks_of_rows(&self, rows: &[i64]) -> Vec<BlockOfRows> {
        let copies = 0..self.copies.trips as i64;
        let places = copies.flat_map(|copy| rows.iter().map(move |row| (copy, *row)));
        let block = |(copy, row): (i64, i64)| {
            let at = |operand: usize| {
                copy * self.copies.strides[operand] + row * self.rows.strides[operand]
            };
            BlockOfRows {
                left: at(LEFT),
                result: at(RESULT),
            }
        };
        places.map(block).collect()
    }

    /// The first rows of the bodies' blocks: those of a body that is repeated, how often, and those of one after it.
    fn bodies(&self) -> (Vec<i64>, u64, Vec<i64>) {
        let m = u64::from(self.product.rows);
        let last = self.rows.trips - m;
        let all = self.rows.trips.div_ceil(m);
        // The last block may have rows in common with the one before.
        let first = |block: u64| (block * m).min(last) as i64;
        if all <= self.blocks {
            return ((0..all).map(first).collect(), 1, Vec::new());
        }
        let times = self.rows.trips / (self.blocks * m);
        let body = (0..self.blocks).map(first).collect();
        (body, times, (times * self.blocks..all).map(first).collect())
    }
}

/// Makes blocks one after another.
struct Builder<'a> {
    function: &'a mut Function,
    at: Block,
    source: Op,
}

/// A loop that is open.
struct Open {
    head: Block,
    counter: Value,
    trips: u64,
}

impl Builder<'_> {
    fn push(&mut self, step: Step) {
        self.function.blocks[self.at.index()].steps.push(step);
    }

    fn value(&mut self, action: Action, args: &[Value]) -> Value {
        let value = self.function.value();
        self.push(Step::value(action, args, value, self.source));
        value
    }

    fn constant(&mut self, number: i64) -> Value {
        self.value(Action::Const(number as u64), &[])
    }

    fn pure(&mut self, op: Opcode, args: [Value; 2]) -> Value {
        self.value(Action::Pure { op, number: 0 }, &args)
    }

    /// A value plus a multiple of another one.
    fn sum(&mut self, value: Value, (term, factor): (Value, i64)) -> Value {
        let factor = self.constant(factor);
        let product = self.pure(Opcode::Mul64, [term, factor]);
        self.pure(Opcode::Add64, [value, product])
    }

    fn address(&mut self, sum: &LinearSum) -> Value {
        let start = self.constant(sum.constant);
        let terms = sum.terms.iter();
        terms.fold(start, |value, term| self.sum(value, *term))
    }

    fn vector(&mut self, lanes: u64) -> Vector {
        self.function.vectors.push(lanes as u16);
        Vector((self.function.vectors.len() - 1) as u32)
    }

    fn action(&mut self, action: VectorAction, args: &[Value]) {
        let step = Step::vector(action, args, self.source);
        self.push(step);
    }

    fn load(&mut self, kind: MemoryType, lanes: u64, address: Value, offset: i64) -> Vector {
        let to = self.vector(lanes);
        let action = VectorAction::Load {
            to,
            kind,
            lanes: lanes as u16,
            offset: offset as i32,
        };
        self.action(action, &[address]);
        to
    }

    /// A new block, which the current one goes to.
    fn block(&mut self) -> Block {
        self.function.blocks.push(BlockData {
            params: Vec::new(),
            steps: Vec::new(),
            terminator: Terminator::End,
            source: self.source,
        });
        Block((self.function.blocks.len() - 1) as u32)
    }

    fn end(&mut self, terminator: Terminator) {
        self.function.blocks[self.at.index()].terminator = terminator;
    }

    fn open(&mut self, trips: u64) -> Open {
        let counter = self.function.value();
        let first = self.constant(0);
        let head = self.block();
        self.end(Terminator::Jump(Target {
            block: head,
            args: vec![first],
        }));
        self.function.blocks[head.index()].params.push(counter);
        self.at = head;
        Open {
            head,
            counter,
            trips,
        }
    }

    fn close(&mut self, open: &Open) {
        let one = self.constant(1);
        let next = self.pure(Opcode::Add64, [open.counter, one]);
        let bound = self.constant(open.trips as i64);
        let after = self.block();
        let target = |block, args| Target { block, args };
        self.end(Terminator::Branch {
            op: Opcode::Lts,
            args: [next, bound],
            targets: [target(open.head, vec![next]), target(after, Vec::new())],
        });
        self.at = after;
    }
}

/// Puts the loops over tiles in place of the nest.
fn rewrite(function: &mut Function, plan: &Plan) {
    // Steps after the nest read its constants.
    for block in &plan.nest.blocks {
        let steps = &function.block(*block).steps;
        let is_constant = |step: &&Step| matches!(step.action, Action::Const(_));
        let constants: Vec<Step> = steps.iter().filter(is_constant).cloned().collect();
        let steps = &mut function.blocks[block.index()].steps;
        steps.retain(|step| !matches!(step.action, Action::Const(_)));
        function.blocks[plan.nest.before.index()]
            .steps
            .extend(constants);
    }
    let mut builder = Builder {
        function,
        at: plan.nest.before,
        source: plan.nest.store.source,
    };
    let starts = [LEFT, RIGHT, RESULT].map(|at| builder.address(&plan.nest.starts[at]));
    let (first_rows, times, rest) = plan.bodies();
    let tiles = Dimension {
        trips: times,
        ..blocks_of(&plan.rows, plan.blocks * u64::from(plan.product.rows))
    };
    for part in &plan.parts {
        let mut addresses = starts;
        let first = plan.nest.starts[LEFT].constant + part.starts[LEFT];
        let misalignment = first.rem_euclid(ACCESS_BYTES);
        let [left, right, result] = part.starts;
        for (address, offset) in addresses
            .iter_mut()
            .zip([left - misalignment, right, result])
        {
            let offset = builder.constant(offset);
            *address = builder.pure(Opcode::Add64, [*address, offset]);
        }
        let mut body = Body {
            plan,
            misalignment,
            blocks: plan.blocks_of_rows(&first_rows),
        };
        let mut loops = part.loops.clone();
        let kept = loops.iter().position(|of| of.is_reduced);
        let kept = kept.unwrap_or(loops.len());
        if times > 1 {
            // The longest loop is the innermost one.
            let shorter = |of: &Dimension| of.trips <= times;
            let place = loops[..kept].iter().rposition(shorter);
            loops.insert(place.map_or(0, |at| at + 1), tiles);
        }
        body.write(&mut builder, &loops, addresses);
        if !rest.is_empty() {
            body.blocks = plan.blocks_of_rows(&rest);
            body.write(&mut builder, &part.loops, addresses);
        }
    }
    builder.end(Terminator::Jump(plan.nest.exit.clone()));
}

/// Some rows of the left factor and of the result, by their offsets in bytes from the body's addresses.
#[derive(Clone, Copy)]
struct BlockOfRows {
    left: i64,
    result: i64,
}

/// Products of each iteration of the loops over tiles.
struct Body<'a> {
    plan: &'a Plan,
    /// Bytes from the left address, a multiple of [`ACCESS_BYTES`], to the factor's.
    misalignment: i64,
    blocks: Vec<BlockOfRows>,
}

impl Body<'_> {
    /// The loops around the body.
    fn write(&self, builder: &mut Builder<'_>, loops: &[Dimension], mut addresses: [Value; 3]) {
        let enter = |builder: &mut Builder<'_>, of: &Dimension, addresses: &mut [Value; 3]| {
            let entered = builder.open(of.trips);
            for (address, stride) in addresses.iter_mut().zip(of.strides) {
                if stride != 0 {
                    *address = builder.sum(*address, (entered.counter, stride));
                }
            }
            entered
        };
        let (summed, kept): (Vec<_>, Vec<_>) = loops.iter().partition(|of| of.is_reduced);
        let mut open = Vec::new();
        for of in kept {
            open.push(enter(builder, of, &mut addresses));
        }
        if summed.is_empty() {
            for group in self.blocks.chunks(self.plan.group) {
                let sums = self.begin_sums(builder, &addresses, group, false);
                let sums = self.write_products(builder, &addresses, group, sums, None);
                self.store_sums(builder, &addresses, group, &sums);
            }
        } else {
            let (first, blocks) = (addresses, &self.blocks);
            let sums = self.begin_sums(builder, &first, blocks, true);
            let mut summing = Vec::new();
            for of in summed {
                summing.push(enter(builder, of, &mut addresses));
            }
            let homes: Vec<Vector> = sums.iter().copied().flatten().collect();
            self.write_products(builder, &addresses, blocks, sums, Some(&homes));
            for of in summing.iter().rev() {
                builder.close(of);
            }
            self.store_sums(builder, &first, blocks, &homes);
        }
        for of in open.iter().rev() {
            builder.close(of);
        }
    }

    /// The sums that products are added to: what is in memory, or zeros, in registers if a loop adds to them.
    fn begin_sums(
        &self,
        builder: &mut Builder<'_>,
        addresses: &[Value; 3],
        blocks: &[BlockOfRows],
        in_registers: bool,
    ) -> Vec<Option<Vector>> {
        let lanes = u64::from(self.plan.product.rows * self.plan.product.columns);
        let begin = |block: &BlockOfRows| {
            if self.plan.nest.adds {
                let address = addresses[RESULT];
                return Some(builder.load(MemoryType::I32, lanes, address, block.result));
            }
            in_registers.then(|| {
                let zero = builder.constant(0);
                let to = builder.vector(lanes);
                let lanes = lanes as u16;
                builder.action(VectorAction::Splat { to, lanes }, &[zero]);
                to
            })
        };
        blocks.iter().map(begin).collect()
    }

    fn store_sums(
        &self,
        builder: &mut Builder<'_>,
        addresses: &[Value; 3],
        blocks: &[BlockOfRows],
        sums: &[Vector],
    ) {
        let lanes = self.plan.product.rows * self.plan.product.columns;
        for (block, sums) in blocks.iter().zip(sums) {
            let action = VectorAction::Store {
                from: *sums,
                kind: MemoryType::I32,
                lanes,
                offset: block.result as i32,
            };
            builder.action(action, &[addresses[RESULT]]);
        }
    }

    /// The products of some blocks with all taps that are written out; returns the sums. The last sums go to `homes`, if a loop
    /// goes on with them.
    fn write_products(
        &self,
        builder: &mut Builder<'_>,
        addresses: &[Value; 3],
        blocks: &[BlockOfRows],
        mut sums: Vec<Option<Vector>>,
        homes: Option<&[Vector]>,
    ) -> Vec<Vector> {
        let product = self.plan.product;
        let lanes = u64::from(product.inner * product.columns);
        let (near, far) = match self.plan.taps.split_last() {
            Some((near, far)) => (offsets(std::slice::from_ref(near)), far),
            None => (offsets(&[]), &[][..]),
        };
        let segments = offsets(far);
        let last = segments.len();
        for (number, segment) in segments.iter().enumerate() {
            let lefts = near.iter().flat_map(|tap| {
                let first = self.misalignment + segment[LEFT] + tap[LEFT];
                blocks.iter().map(move |block| first + block.left)
            });
            let mut lefts = LeftBlocks::new(self, addresses[LEFT], lefts);
            let mut rights: Vec<Option<Vector>> = vec![None; near.len()];
            let all: Vec<usize> = (0..blocks.len()).collect();
            for turn in all.chunks(TURNS) {
                for (at, tap) in near.iter().enumerate() {
                    let is_last = number + 1 == last && at + 1 == near.len();
                    let offset = segment[RIGHT] + tap[RIGHT];
                    let load = || builder.load(product.right.kind, lanes, addresses[RIGHT], offset);
                    let right = *rights[at].get_or_insert_with(load);
                    for block in turn {
                        let offset = segment[LEFT] + tap[LEFT] + blocks[*block].left;
                        let left = lefts.at(builder, self.misalignment + offset);
                        let to = match homes {
                            Some(homes) if is_last => homes[*block],
                            _ => builder.vector(u64::from(product.rows * product.columns)),
                        };
                        let action = VectorAction::Contract {
                            product,
                            to,
                            left,
                            right,
                            sums: sums[*block],
                        };
                        builder.action(action, &[]);
                        sums[*block] = Some(to);
                    }
                }
            }
        }
        sums.into_iter().flatten().collect()
    }
}

/// The offsets in bytes of the factors in all iterations of some loops, the last one fastest.
fn offsets(loops: &[Dimension]) -> Vec<[i64; 2]> {
    loops.iter().fold(vec![[0; 2]], |starts, of| {
        let add = |start: [i64; 2]| {
            let trips = 0..of.trips as i64;
            trips.map(move |at| {
                [LEFT, RIGHT].map(|operand| start[operand] + at * of.strides[operand])
            })
        };
        starts.into_iter().flat_map(add).collect()
    })
}

fn is_aligned(offset: i64) -> bool {
    offset.rem_euclid(ACCESS_BYTES) == 0
}

/// The blocks of the left factor of some neighbouring taps: loaded, or windows of registers that are.
struct LeftBlocks<'a> {
    body: &'a Body<'a>,
    address: Value,
    /// Registers begin at multiples of [`REGISTER_BYTES`] from here.
    origin: i64,
    /// Bytes that are needed of each register, by its offset.
    needed: BTreeMap<i64, i64>,
    registers: BTreeMap<i64, Vector>,
    /// Blocks by their offsets.
    blocks: BTreeMap<i64, Vector>,
}

impl<'a> LeftBlocks<'a> {
    fn new(
        body: &'a Body<'_>,
        address: Value,
        offsets: impl Iterator<Item = i64>,
    ) -> LeftBlocks<'a> {
        let windows: Vec<i64> = offsets.filter(|offset| !is_aligned(*offset)).collect();
        let first = windows.iter().copied().min().unwrap_or(0);
        let mut blocks = LeftBlocks {
            body,
            address,
            // Before the first address there may be no memory.
            origin: (first - first.rem_euclid(ACCESS_BYTES)).min(0),
            needed: BTreeMap::new(),
            registers: BTreeMap::new(),
            blocks: BTreeMap::new(),
        };
        for first in windows {
            let end = first + blocks.bytes();
            let mut register = first - blocks.within(first);
            while register < end {
                let bytes = (end - register).min(REGISTER_BYTES);
                let needed = blocks.needed.entry(register).or_default();
                *needed = bytes.max(*needed);
                register += REGISTER_BYTES;
            }
        }
        blocks
    }

    fn element_bytes(&self) -> i64 {
        self.body.plan.product.left.kind.bytes().into()
    }

    fn lanes(&self) -> u64 {
        u64::from(self.body.plan.product.rows * self.body.plan.product.inner)
    }

    fn bytes(&self) -> i64 {
        self.lanes() as i64 * self.element_bytes()
    }

    /// Bytes from the begin of a register to an offset.
    fn within(&self, offset: i64) -> i64 {
        (offset - self.origin).rem_euclid(REGISTER_BYTES)
    }

    /// The block at an offset.
    fn at(&mut self, builder: &mut Builder<'_>, offset: i64) -> Vector {
        if let Some(known) = self.blocks.get(&offset) {
            return *known;
        }
        let kind = self.body.plan.product.left.kind;
        let block = if is_aligned(offset) {
            builder.load(kind, self.lanes(), self.address, offset)
        } else {
            let within = self.within(offset);
            let low = self.register(builder, offset - within);
            let high = if within + self.bytes() > REGISTER_BYTES {
                self.register(builder, offset - within + REGISTER_BYTES)
            } else {
                low
            };
            let to = builder.vector(self.lanes());
            let lane = (within / self.element_bytes()) as u16;
            let from = [low, high];
            builder.action(VectorAction::Window { to, from, lane }, &[]);
            to
        };
        self.blocks.insert(offset, block);
        block
    }

    /// The register with the bytes from a place on.
    fn register(&mut self, builder: &mut Builder<'_>, first: i64) -> Vector {
        if let Some(known) = self.registers.get(&first) {
            return *known;
        }
        let needed = self.needed.get(&first).copied().unwrap_or(REGISTER_BYTES);
        let bytes = if needed <= ACCESS_BYTES {
            ACCESS_BYTES
        } else {
            REGISTER_BYTES
        };
        let lanes = bytes / self.element_bytes();
        let kind = self.body.plan.product.left.kind;
        let register = builder.load(kind, lanes as u64, self.address, first);
        self.registers.insert(first, register);
        register
    }
}
