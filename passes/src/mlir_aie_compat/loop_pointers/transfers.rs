//! `aie-hoist-vector-transfer-pointers`: in `scf.for`, transfers of vectors whose indices grow with the
//! counter get one index into the flat memory, which the loop carries on and adds to
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEHoistVectorTransferPointers.cpp`).
//!
//! A transfer is left as it is unless its elements follow one another in memory, no mask or map
//! changes them, and all of them are inside: by `in_bounds`, or because all indices are known. So
//! what is read and written stays the same.

use std::sync::Arc;

use aiec_aie::ir::{
    AffineExpr, AffineMap, Attr, InsertPoint, Loc, MemRefType, Module, Op, Type, Value, ValueMap,
    VectorType,
};
use aiec_aie::ops::netlist::{const_int, operand_group};
use aiec_aie::ops::{AffineApply, ArithAddI, ArithConstant, ArithMulI, OpKind, VectorShapeCast};
use aiec_diag::Reported;
use rustc_hash::{FxHashMap, FxHashSet};

use super::linear::{Linear, LinearValues};
use super::{CountedLoop, defined_before, loops};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-hoist-vector-transfer-pointers", run)
    .summary("Carry the addresses of vector transfers from round to round of a loop")
    .postconditions(&[
        "transfers in scf.for whose addresses grow by a constant have one index, carried by the loop",
    ]);

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    for op in loops(module, module.top()) {
        let Some(within) = CountedLoop::of(module, op) else {
            continue;
        };
        let linear = LinearValues::of(module, &within);
        let transfers: Vec<Transfer> = module
            .ops_in(within.body)
            .into_iter()
            .filter_map(|op| Transfer::of(module, op, &within, &linear))
            .collect();
        let count = transfers.len();
        let mut rewrite = Rewrite {
            loc: module.loc(op),
            first_round: ValueMap::new(),
            cloned: FxHashSet::default(),
            constants: within.constants(module),
            m: module,
            within: &within,
            linear: &linear,
        };
        if rewrite.all(transfers).is_some() {
            context.count("transfers", count as u64);
        }
    }
    Ok(())
}

/// A transfer that can do with one index.
struct Transfer {
    op: Op,
    base: Value,
    memref: Arc<MemRefType>,
    vector: Arc<VectorType>,
    indices: Vec<Value>,
    /// Elements from each index of a dimension to the next.
    strides: Vec<i64>,
    /// Elements further when the counter grows by one; `None` if no index depends on it.
    slope: Option<i64>,
}

impl Transfer {
    fn of(m: &Module, op: Op, within: &CountedLoop, linear: &LinearValues<'_>) -> Option<Transfer> {
        let (base, vector, group) = match m.kind(op) {
            OpKind::VectorTransferRead => (m.operand(op, 0)?, m.result(op, 0)?, 1),
            OpKind::VectorTransferWrite => (m.operand(op, 1)?, m.operand(op, 0)?, 2),
            _ => return None,
        };
        let (Type::MemRef(memref), Type::Vector(vector)) = (m.ty(base), m.ty(vector)) else {
            return None;
        };
        let (memref, vector) = (memref.clone(), vector.clone());
        let masked = operand_group(m, op, 3).is_some_and(|mask| !mask.is_empty());
        if masked || !defined_before(m, base, within.op) || !in_order(m, op) {
            return None;
        }
        let strides = contiguous(&memref, &vector)?;
        let indices = operand_group(m, op, group)?;
        let known: Option<Vec<Linear>> = indices.iter().map(|i| linear.get(m, *i)).collect();
        let known = known?;
        if indices.len() != strides.len() || !is_inside(m, op, within, &memref, &vector, &known) {
            return None;
        }
        let mut slope = None;
        for (index, stride) in known.iter().zip(&strides) {
            if index.slope != 0 {
                let further = index.slope.checked_mul(*stride)?;
                slope = Some(slope.unwrap_or(0_i64).checked_add(further)?);
            }
        }
        // One that doesn't depend on the counter and has one index is done.
        (slope.is_some() || strides.len() > 1).then_some(Transfer {
            op,
            base,
            memref,
            vector,
            indices,
            strides,
            slope,
        })
    }
}

/// Whether the dimensions of the vector are the last ones of the memref, in order.
fn in_order(m: &Module, op: Op) -> bool {
    match m.attr(op, "permutation_map") {
        None => true,
        Some(Attr::AffineMap(map)) => {
            let skipped = map.dims as usize - map.results.len().min(map.dims as usize);
            map.results.iter().enumerate().all(
                |(n, expr)| matches!(expr, AffineExpr::Dim(dim) if *dim as usize == n + skipped),
            )
        }
        Some(_) => false,
    }
}

/// The strides of a memref whose elements follow one another, if those of a vector at some index
/// do so, too.
fn contiguous(memref: &MemRefType, vector: &VectorType) -> Option<Vec<i64>> {
    let elements = memref.elem == vector.elem && !vector.scalable.iter().any(|s| *s);
    if !elements || vector.shape.is_empty() || vector.shape.len() > memref.shape.len() {
        return None;
    }
    if let [_] = memref.shape[..] {
        return Some(vec![1]);
    }
    let dense = MemRefType {
        layout: None,
        ..memref.clone()
    };
    dense.num_elements()?;
    let (strides, _) = dense.strides_and_offset()?;
    if memref.strides_and_offset()?.0 != strides {
        return None;
    }
    // From inside: whole dimensions, then one in part, then single elements.
    let mut dims = vector
        .shape
        .iter()
        .zip(&memref.shape[memref.shape.len() - vector.shape.len()..])
        .rev();
    dims.by_ref().find(|(part, whole)| part != whole);
    dims.all(|(part, _)| *part == 1).then_some(strides)
}

/// Whether all elements of a transfer are inside of the memref, in all rounds.
fn is_inside(
    m: &Module,
    op: Op,
    within: &CountedLoop,
    memref: &MemRefType,
    vector: &VectorType,
    indices: &[Linear],
) -> bool {
    let asserted = match m.attr(op, "in_bounds") {
        Some(Attr::Array(bounds)) => bounds.iter().map(|b| b.as_bool() == Some(true)).collect(),
        _ => vec![false; vector.shape.len()],
    };
    let first = memref.shape.len() - vector.shape.len();
    let dims = vector.shape.iter().enumerate();
    dims.into_iter().all(|(n, extent)| {
        let known = indices.get(first + n).and_then(|index| {
            let (low, high) = range(m, within, *index)?;
            Some(low >= 0 && high.checked_add(*extent)? <= memref.shape[first + n])
        });
        asserted.get(n) == Some(&true) || known == Some(true)
    })
}

/// The smallest and the largest value in all rounds.
fn range(m: &Module, within: &CountedLoop, index: Linear) -> Option<(i64, i64)> {
    let start = index.start?;
    if index.slope == 0 {
        return Some((start, start));
    }
    let [lower, upper, step] =
        [within.lower, within.upper, within.step].map(|bound| const_int(m, bound));
    let (lower, upper, step) = (lower?, upper?, step?);
    if lower < 0 || upper < lower || step < 1 {
        return None;
    }
    let rounds = (upper - lower).checked_add(step - 1)? / step;
    let further = index.slope.checked_mul(step)?;
    let last = start.checked_add(further.checked_mul((rounds - 1).max(0))?)?;
    Some((start.min(last), start.max(last)))
}

/// The rewriting of a loop.
struct Rewrite<'m> {
    m: &'m mut Module,
    within: &'m CountedLoop,
    linear: &'m LinearValues<'m>,
    loc: Loc,
    /// The values in front of the loop for values of its first round.
    first_round: ValueMap,
    cloned: FxHashSet<Op>,
    /// Constants in front of the loop.
    constants: FxHashMap<i64, Value>,
}

impl Rewrite<'_> {
    /// Rewrites the transfers; the loop is another one if some depend on its counter.
    fn all(&mut self, transfers: Vec<Transfer>) -> Option<()> {
        let before = InsertPoint::Before(self.within.op);
        self.first_round.map(self.within.counter, self.within.lower);
        let mut carried = Vec::new();
        for transfer in transfers {
            let flat = self.flat_memref(&transfer)?;
            match transfer.slope {
                None => {
                    let indices = transfer.indices.clone();
                    let at = InsertPoint::Before(transfer.op);
                    let index = self.flat_index(&transfer, indices, at)?;
                    self.replace(&transfer, flat, index)?;
                }
                Some(slope) => {
                    let start = self.start(&transfer)?;
                    let advance = self.advance(slope, before)?;
                    carried.push((transfer, flat, start, advance));
                }
            }
        }
        if carried.is_empty() {
            return Some(());
        }
        let old = self.within.initial.len();
        let mut initial = self.within.initial.clone();
        initial.extend(carried.iter().map(|(_, _, start, _)| *start));
        let (new, arguments) = self.within.carrying(self.m, &initial)?;
        for (before, now) in self.within.carried.iter().zip(&arguments) {
            self.m.replace_all_uses(*before, *now);
        }
        let end = self.m.last_op(self.m.entry(new, 0)?)?;
        for ((transfer, flat, _, advance), pointer) in carried.into_iter().zip(&arguments[old..]) {
            let access = self.replace(&transfer, flat, *pointer)?;
            let next = ArithAddI::build(self.m, self.loc, *pointer, advance)
                .insert_value(Type::Index, InsertPoint::After(access));
            self.m.add_operand(end, next);
        }
        for (before, now) in self.m.results(self.within.op).zip(self.m.results(new)) {
            self.m.replace_all_uses(before, now);
        }
        self.m.erase(self.within.op);
        Some(())
    }

    /// The memref with one dimension, in front of the loop.
    fn flat_memref(&mut self, transfer: &Transfer) -> Option<Value> {
        let memref = &transfer.memref;
        if memref.shape.len() == 1 {
            return Some(transfer.base);
        }
        let layout = match memref.layout {
            None => None,
            Some(_) => Some(Attr::Strided {
                strides: [1].into(),
                offset: memref.strides_and_offset()?.1,
            }),
        };
        let flat = MemRefType {
            shape: vec![i64::try_from(memref.num_elements()?).ok()?],
            elem: memref.elem.clone(),
            layout,
            space: memref.space.clone(),
        };
        let dims = (0..memref.shape.len() as i64).map(Attr::i64).collect();
        let value = self
            .m
            .build(OpKind::MemrefCollapseShape, self.loc)
            .operand(transfer.base)
            .attr("reassociation", Attr::Array([Attr::Array(dims)].into()))
            .insert_value(
                Type::MemRef(Arc::new(flat)),
                InsertPoint::Before(self.within.op),
            );
        Some(value)
    }

    /// The flat index of the first round, in front of the loop.
    fn start(&mut self, transfer: &Transfer) -> Option<Value> {
        let known = transfer.indices.iter().zip(&transfer.strides);
        let known: Option<i64> = known
            .map(|(index, stride)| self.linear.get(self.m, *index)?.start?.checked_mul(*stride))
            .try_fold(0_i64, |sum, part| sum.checked_add(part?));
        if let Some(known) = known {
            return Some(self.constant(known));
        }
        let mut indices = Vec::new();
        for index in &transfer.indices {
            indices.push(self.in_first_round(*index)?);
        }
        self.flat_index(transfer, indices, InsertPoint::Before(self.within.op))
    }

    /// A value of the body as it is in the first round, in front of the loop.
    fn in_first_round(&mut self, value: Value) -> Option<Value> {
        if let Some(start) = self.linear.get(self.m, value)?.start {
            return if defined_before(self.m, value, self.within.op) {
                Some(value)
            } else {
                Some(self.constant(start))
            };
        }
        let mut needed = FxHashSet::default();
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            if let Some(op) = self.m.def_op(value)
                && self.m.parent_block(op) == Some(self.within.body)
                && !self.cloned.contains(&op)
                && needed.insert(op)
            {
                values.extend(self.m.operands(op));
            }
        }
        if !needed.is_empty() {
            for op in self.m.ops_in(self.within.body) {
                if needed.contains(&op) {
                    let before = InsertPoint::Before(self.within.op);
                    self.m.clone_op(op, &mut self.first_round, before);
                    self.cloned.insert(op);
                }
            }
        }
        Some(self.first_round.get(value))
    }

    /// The index into the flat memref.
    fn flat_index(
        &mut self,
        transfer: &Transfer,
        indices: Vec<Value>,
        at: InsertPoint,
    ) -> Option<Value> {
        if let [index] = indices[..] {
            return Some(index);
        }
        let terms = transfer.strides.iter().enumerate().map(|(dim, stride)| {
            let dim = Box::new(AffineExpr::Dim(dim as u32));
            match stride {
                1 => *dim,
                stride => AffineExpr::Mul(dim, Box::new(AffineExpr::Const(*stride))),
            }
        });
        let sum = terms.reduce(|sum, term| AffineExpr::Add(Box::new(sum), Box::new(term)))?;
        let map = AffineMap {
            dims: u32::try_from(indices.len()).ok()?,
            symbols: 0,
            results: vec![sum],
        };
        let apply = AffineApply::build(self.m, self.loc, Attr::AffineMap(Arc::new(map)));
        Some(apply.operands(indices).insert_value(Type::Index, at))
    }

    /// Distance in elements to the next round.
    fn advance(&mut self, slope: i64, before: InsertPoint) -> Option<Value> {
        if let Some(step) = const_int(self.m, self.within.step) {
            return Some(self.constant(slope.checked_mul(step)?));
        }
        let slope = self.constant(slope);
        let product = ArithMulI::build(self.m, self.loc, self.within.step, slope);
        Some(product.insert_value(Type::Index, before))
    }

    fn constant(&mut self, value: i64) -> Value {
        let (m, loc, at) = (&mut *self.m, self.loc, InsertPoint::Before(self.within.op));
        *self
            .constants
            .entry(value)
            .or_insert_with(|| ArithConstant::int(m, loc, value, Type::Index, at))
    }

    /// Puts a transfer with one index in the place of another; the new one.
    fn replace(&mut self, transfer: &Transfer, flat: Value, index: Value) -> Option<Op> {
        let op = transfer.op;
        let (loc, at) = (self.m.loc(op), InsertPoint::Before(op));
        let shape = Type::Vector(transfer.vector.clone());
        let mut sizes = transfer.vector.shape.iter();
        let lanes = sizes.try_fold(1_u64, |n, size| n.checked_mul(u64::try_from(*size).ok()?))?;
        let lanes = i64::try_from(lanes).ok()?;
        let line = Type::vector([lanes], transfer.vector.elem.clone());
        let reshape = |m: &mut Module, value: Value, ty: &Type| {
            if m.ty(value) == ty {
                value
            } else {
                VectorShapeCast::build(m, loc, value).insert_value(ty.clone(), at)
            }
        };
        let identity = AffineMap {
            dims: 1,
            symbols: 0,
            results: vec![AffineExpr::Dim(0)],
        };
        let inside = Attr::Array([Attr::Bool(true)].into());
        let access = match self.m.kind(op) {
            OpKind::VectorTransferRead => {
                let padding = operand_group(self.m, op, 2)?;
                let read = self
                    .m
                    .build(OpKind::VectorTransferRead, loc)
                    .operand_groups([&[flat], &[index], &padding, &[]])
                    .result(line)
                    .insert(at);
                let value = self.m.result(read, 0)?;
                let value = reshape(self.m, value, &shape);
                let result = self.m.result(op, 0)?;
                self.m.replace_all_uses(result, value);
                read
            }
            _ => {
                let value = self.m.operand(op, 0)?;
                let value = reshape(self.m, value, &line);
                self.m
                    .build(OpKind::VectorTransferWrite, loc)
                    .operand_groups([&[value], &[flat], &[index], &[]])
                    .insert(at)
            }
        };
        let identity = Attr::AffineMap(Arc::new(identity));
        self.m.set_attr(access, "permutation_map", identity);
        self.m.set_attr(access, "in_bounds", inside);
        self.m.erase(op);
        Some(access)
    }
}
