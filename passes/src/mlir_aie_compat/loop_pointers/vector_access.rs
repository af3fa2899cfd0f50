//! `aie-vector-to-pointer-loops`: in `scf.for`, `vector.load` and `vector.store` at an index that the loop
//! carries on and adds to use a pointer that it carries on instead, so that code generators see
//! the addition as part of the address
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEVectorToPointerLoops.cpp`).
//!
//! An index that serves several memrefs becomes a pointer for each. One that something else uses,
//! too, or whose last value is used after the loop, stays.

use std::sync::Arc;

use aiec_aie::ir::{Attr, InsertPoint, Loc, MemRefType, Module, Op, Type, Value, ValueMap};
use aiec_aie::ops::{
    ArithConstant, ArithMulI, OpKind, PtrAdd, PtrFromPtr, PtrGetMetadata, PtrToPtr, UnrealizedCast,
};
use aiec_diag::Reported;
use rustc_hash::FxHashMap;

use super::{CountedLoop, defined_before, loops};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-vector-to-pointer-loops", run)
    .summary("Carry pointers instead of indices of vectors from round to round of a loop")
    .postconditions(&[
        "no scf.for carries an index that only rank-one vector accesses and additions use",
    ]);

/// The memory space of pointers and of the memrefs that they are made from.
const GENERIC_SPACE: &str = "#ptr.generic_space";
/// A pointer into it.
const POINTER: &str = "!ptr.ptr<#ptr.generic_space>";

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    for op in loops(module, device) {
        let Some(within) = CountedLoop::of(module, op) else {
            continue;
        };
        let indices: Vec<Option<CarriedIndex>> = (0..within.carried.len())
            .map(|at| CarriedIndex::of(module, &within, at))
            .collect();
        let pointers: usize = indices
            .iter()
            .flatten()
            .map(|index| index.bases.len())
            .sum();
        if pointers == 0 {
            continue;
        }
        let mut rewrite = Rewrite {
            loc: module.loc(op),
            constants: within.constants(module),
            m: module,
            within: &within,
            bases: FxHashMap::default(),
        };
        if rewrite.all(&indices).is_some() {
            context.count("pointers", pointers as u64);
        }
    }
    Ok(())
}

/// An index that a loop carries on and that only addresses vectors.
struct CarriedIndex {
    /// The argument of the body and the sums that it becomes part of, in the order of the body,
    /// each with what is added to which of the values before.
    sums: Vec<(Value, Option<(Value, Value)>)>,
    /// Accesses with the sum that is their index.
    accesses: Vec<(Op, Value)>,
    /// The memrefs of the accesses, each once.
    bases: Vec<Value>,
}

impl CarriedIndex {
    fn of(m: &Module, within: &CountedLoop, at: usize) -> Option<CarriedIndex> {
        let argument = *within.carried.get(at)?;
        let used_behind = m.has_uses(m.result(within.op, at)?);
        if used_behind || *m.ty(argument) != Type::Index {
            return None;
        }
        let mut index = CarriedIndex {
            sums: vec![(argument, None)],
            accesses: Vec::new(),
            bases: Vec::new(),
        };
        let mut next = 0;
        let mut goes_on = false;
        while let Some((value, _)) = index.sums.get(next).copied() {
            next += 1;
            for (user, operand) in m.uses(value) {
                match m.kind(user) {
                    _ if m.parent_block(user) != Some(within.body) => return None,
                    OpKind::ScfYield if operand == at => goes_on = true,
                    OpKind::ArithAddI => {
                        let other = m.operand(user, 1 - operand)?;
                        // A sum of two of them isn't an address.
                        if index.sums.iter().any(|(sum, _)| *sum == other) {
                            return None;
                        }
                        index.sums.push((m.result(user, 0)?, Some((value, other))));
                    }
                    OpKind::VectorLoad | OpKind::VectorStore => {
                        let base = address_of(m, within, user, operand)?;
                        index.accesses.push((user, value));
                        if !index.bases.contains(&base) {
                            index.bases.push(base);
                        }
                    }
                    _ => return None,
                }
            }
        }
        // An addend mustn't be one of the sums, whichever was found first.
        let apart = |(_, from): &(Value, Option<(Value, Value)>)| {
            from.is_none_or(|(_, other)| index.sums.iter().all(|(sum, _)| *sum != other))
        };
        (goes_on && !index.bases.is_empty() && index.sums.iter().all(apart)).then_some(index)
    }
}

/// The memref of an access whose operand is its only index, if a pointer can stand for it.
fn address_of(m: &Module, within: &CountedLoop, access: Op, operand: usize) -> Option<Value> {
    let base_at = match m.kind(access) {
        OpKind::VectorLoad => 0,
        _ => 1,
    };
    let base = m.operand(access, base_at)?;
    let Type::MemRef(memref) = m.ty(base) else {
        return None;
    };
    let plain = memref.layout.is_none()
        && memref.shape.len() == 1
        && (memref.elem.is_int() || memref.elem.is_float())
        && memref.elem.bit_width().is_some_and(|bits| bits % 8 == 0);
    (plain
        && operand == base_at + 1
        && m.num_operands(access) == base_at + 2
        && defined_before(m, base, within.op))
    .then_some(base)
}

/// A memref that pointers stand for.
#[derive(Clone)]
struct Base {
    /// The memref in the generic space, and its type.
    memref: Value,
    ty: Type,
    /// The address of its first element.
    pointer: Value,
    /// Bytes of an element.
    element: i64,
}

struct Rewrite<'m> {
    m: &'m mut Module,
    within: &'m CountedLoop,
    loc: Loc,
    bases: FxHashMap<Value, Base>,
    /// Constants in front of the loop.
    constants: FxHashMap<i64, Value>,
}

impl Rewrite<'_> {
    fn all(&mut self, indices: &[Option<CarriedIndex>]) -> Option<()> {
        // Values that the new loop carries: an old value, or the pointers of an index.
        let mut initial = Vec::new();
        for (index, start) in indices.iter().zip(self.within.initial.clone()) {
            match index {
                None => initial.push(start),
                Some(index) => {
                    for base in &index.bases {
                        let base = self.base(*base)?;
                        let bytes = self.bytes(start, base.element, self.before());
                        initial.push(self.pointer_add(base.pointer, bytes, self.before()));
                    }
                }
            }
        }
        self.constant(0);
        let (new, arguments) = self.within.carrying(self.m, &initial)?;
        let mut arguments = arguments.into_iter();
        let mut results = self.m.results(new);
        let mut yielded = Vec::new();
        let old_results: Vec<Value> = self.m.results(self.within.op).collect();
        for (at, index) in indices.iter().enumerate() {
            let Some(index) = index else {
                self.m
                    .replace_all_uses(self.within.carried[at], arguments.next()?);
                self.m.replace_all_uses(old_results[at], results.next()?);
                // The replacement of the argument may itself be yielded: read it from the
                // operation.
                yielded.push(None);
                continue;
            };
            for base in &index.bases {
                let pointer = arguments.next()?;
                results.next()?;
                let next = self.use_pointer(index, *base, pointer, self.within.yielded[at])?;
                yielded.push(Some(next));
            }
        }
        self.yield_all(new, indices, &yielded)?;
        for index in indices.iter().flatten() {
            for (access, _) in &index.accesses {
                self.m.erase(*access);
            }
            for (sum, from) in index.sums.iter().rev() {
                if let (Some(_), Some(op)) = (from, self.m.def_op(*sum)) {
                    self.m.erase(op);
                }
            }
        }
        self.m.erase(self.within.op);
        Some(())
    }

    /// Makes the body yield the old values and the pointers, in the order of the arguments.
    fn yield_all(
        &mut self,
        new: Op,
        indices: &[Option<CarriedIndex>],
        yielded: &[Option<Value>],
    ) -> Option<()> {
        let end = self.m.last_op(self.m.entry(new, 0)?)?;
        let old: Vec<Value> = self.m.operands(end).collect();
        let mut kept = indices.iter().zip(old).filter(|(index, _)| index.is_none());
        let mut values = Vec::new();
        for value in yielded {
            values.push(match value {
                Some(pointer) => *pointer,
                None => kept.next()?.1,
            });
        }
        self.m.set_operands(end, &values);
        Some(())
    }

    /// Writes the sums and accesses to a memref with a pointer; the pointer of the next round.
    fn use_pointer(
        &mut self,
        index: &CarriedIndex,
        base: Value,
        pointer: Value,
        last: Value,
    ) -> Option<Value> {
        let memref = self.base(base)?;
        let mut pointers: FxHashMap<Value, Value> = FxHashMap::default();
        for (sum, from) in &index.sums {
            let value = match from {
                None => pointer,
                Some((before, added)) => {
                    let at = InsertPoint::Before(self.m.def_op(*sum)?);
                    let bytes = self.bytes(*added, memref.element, at);
                    self.pointer_add(*pointers.get(before)?, bytes, at)
                }
            };
            pointers.insert(*sum, value);
        }
        for (access, sum) in &index.accesses {
            let base_at = usize::from(self.m.kind(*access) == OpKind::VectorStore);
            if self.m.operand(*access, base_at) == Some(base) {
                self.access(*access, base_at, &memref, *pointers.get(sum)?)?;
            }
        }
        let next = *pointers.get(&last)?;
        // Sums that only accesses to other memrefs use.
        for (sum, from) in index.sums.iter().rev() {
            let value = *pointers.get(sum)?;
            if from.is_some() && value != next && !self.m.has_uses(value) {
                self.m.erase(self.m.def_op(value)?);
            }
        }
        Some(next)
    }

    /// Puts an access through a pointer in front of one with an index.
    fn access(&mut self, op: Op, base_at: usize, base: &Base, pointer: Value) -> Option<()> {
        let (at, loc) = (InsertPoint::Before(op), self.m.loc(op));
        let metadata = PtrGetMetadata::build(self.m, loc, base.memref)
            .insert_value(base.ty.ptr_metadata(), at);
        let memref = PtrFromPtr::build(self.m, loc, pointer)
            .operand(metadata)
            .insert_value(base.ty.clone(), at);
        let first = self.constant(0);
        let new = self.m.clone_op(op, &mut ValueMap::new(), at);
        let stored = self.m.operands(op).take(base_at);
        let operands: Vec<Value> = stored.chain([memref, first]).collect();
        self.m.set_operands(new, &operands);
        if let (Some(before), Some(now)) = (self.m.result(op, 0), self.m.result(new, 0)) {
            self.m.replace_all_uses(before, now);
        }
        Some(())
    }

    /// The base in front of the loop for a memref.
    fn base(&mut self, value: Value) -> Option<Base> {
        if let Some(base) = self.bases.get(&value) {
            return Some(base.clone());
        }
        let Type::MemRef(memref) = self.m.ty(value).clone() else {
            return None;
        };
        let before = self.before();
        let space = Attr::Opaque(GENERIC_SPACE.into());
        let ty = Type::MemRef(Arc::new(MemRefType {
            space: Some(space.clone()),
            ..(*memref).clone()
        }));
        let generic = if memref.space == Some(space) {
            value
        } else {
            UnrealizedCast::build(self.m, self.loc)
                .operand(value)
                .insert_value(ty.clone(), before)
        };
        let pointer = PtrToPtr::build(self.m, self.loc, generic)
            .insert_value(Type::Opaque(POINTER.into()), before);
        let base = Base {
            memref: generic,
            ty,
            pointer,
            element: i64::from(memref.elem.bit_width()? / 8),
        };
        self.bases.insert(value, base.clone());
        Some(base)
    }

    fn before(&self) -> InsertPoint {
        InsertPoint::Before(self.within.op)
    }

    /// An index in bytes.
    fn bytes(&mut self, index: Value, element: i64, at: InsertPoint) -> Value {
        if element == 1 {
            return index;
        }
        let element = self.constant(element);
        ArithMulI::build(self.m, self.loc, index, element).insert_value(Type::Index, at)
    }

    fn pointer_add(&mut self, pointer: Value, bytes: Value, at: InsertPoint) -> Value {
        PtrAdd::build(self.m, self.loc, pointer, bytes)
            .insert_value(Type::Opaque(POINTER.into()), at)
    }

    /// A constant in front of the loop, made when it is needed first.
    fn constant(&mut self, value: i64) -> Value {
        let (m, loc, at) = (&mut *self.m, self.loc, InsertPoint::Before(self.within.op));
        *self
            .constants
            .entry(value)
            .or_insert_with(|| ArithConstant::int(m, loc, value, Type::Index, at))
    }
}
