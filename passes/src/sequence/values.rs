//! Known values while a sequence is executed symbolically.

use aiec_aie::ir::{Module, Op, Type, Value};
use aiec_aie::ops::OpKind;
use aiec_aie::ops::netlist::const_int;
use rustc_hash::FxHashMap;

use super::memory::MemoryLocation;
use super::reads::{self, ArrayWord};
use crate::analysis::integers;

/// Known contents of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KnownValue {
    /// An integer, sign-extended.
    Int(i64),
    /// A view of memory.
    Memory(MemoryLocation),
    /// A task by its number.
    Task(usize),
    /// A word of the array when the sequence runs.
    Read(ArrayWord),
}

/// Known values. Values that are not in it are constants or unknown.
#[derive(Default)]
pub(super) struct Values {
    known: FxHashMap<Value, KnownValue>,
    /// What words of the array are supposed to be, by their addresses.
    supposed: Vec<(u32, i64)>,
}

impl Values {
    pub(super) fn set(&mut self, value: Value, known: KnownValue) {
        self.known.insert(value, known);
    }

    pub(super) fn forget(&mut self, value: Value) {
        self.known.remove(&value);
    }

    pub(super) fn get(&self, module: &Module, value: Value) -> Option<KnownValue> {
        match self.known.get(&value) {
            Some(known) => Some(known.clone()),
            None => const_int(module, value).map(KnownValue::Int),
        }
    }

    /// Supposes what words of the array are; their values count as known then.
    pub(super) fn suppose(&mut self, supposed: Vec<(u32, i64)>) {
        self.supposed = supposed;
    }

    pub(super) fn int(&self, module: &Module, value: Value) -> Option<i64> {
        match self.known.get(&value) {
            Some(KnownValue::Int(value)) => Some(*value),
            Some(KnownValue::Read(read)) => {
                let mut supposed = self.supposed.iter();
                let (_, word) = supposed.find(|(from, _)| *from == read.from)?;
                Some(word + i64::from(read.add as i32))
            }
            Some(_) => None,
            None => const_int(module, value),
        }
    }

    /// Computes the result of an operation of [`folds`] if its operands are known.
    pub(super) fn fold(&mut self, module: &Module, op: Op) {
        let Some(result) = module.result(op, 0) else {
            return;
        };
        let operands: Option<Vec<i64>> = module
            .operands(op)
            .map(|operand| self.int(module, operand))
            .collect();
        let width = |n: usize| {
            let value = module.operand(op, n)?;
            module.ty(value).bit_width()
        };
        let value = operands.and_then(|operands| {
            let known = compute(module, op, &operands, width(0).unwrap_or(64))?;
            Some(wrap(known, module.ty(result)))
        });
        match value {
            Some(value) => self.set(result, KnownValue::Int(value)),
            None => self.fold_read(module, op, result),
        }
    }

    /// Same as [`Values::fold`], for words that are read from the array.
    fn fold_read(&mut self, module: &Module, op: Op, result: Value) {
        let keeps = module.ty(result).bit_width().is_none_or(|bits| bits >= 32);
        let operands: Vec<Option<KnownValue>> = module
            .operands(op)
            .map(|operand| self.get(module, operand))
            .collect();
        match reads::fold(module.kind(op), &operands).filter(|_| keeps) {
            Some(read) => self.set(result, KnownValue::Read(read)),
            None => self.forget(result),
        }
    }
}

/// Whether an operation is arithmetic that can be computed.
pub(super) fn folds(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::ArithConstant
            | K::ArithAddI
            | K::ArithSubI
            | K::ArithMulI
            | K::ArithDivSI
            | K::ArithDivUI
            | K::ArithCeilDivSI
            | K::ArithCeilDivUI
            | K::ArithFloorDivSI
            | K::ArithRemSI
            | K::ArithRemUI
            | K::ArithAndI
            | K::ArithOrI
            | K::ArithXOrI
            | K::ArithShLI
            | K::ArithShRSI
            | K::ArithShRUI
            | K::ArithMinSI
            | K::ArithMinUI
            | K::ArithMaxSI
            | K::ArithMaxUI
            | K::ArithCmpI
            | K::ArithSelect
            | K::ArithExtSI
            | K::ArithExtUI
            | K::ArithTruncI
            | K::ArithIndexCast
            | K::ArithIndexCastUI
    )
}

/// Sign-extends from the width of an integer type.
fn wrap(value: i64, ty: &Type) -> i64 {
    match ty.bit_width() {
        Some(bits @ 1..64) => (value << (64 - bits)) >> (64 - bits),
        _ => value,
    }
}

fn unsigned(value: i64, width: u32) -> u64 {
    match width {
        bits @ 1..64 => value as u64 & ((1 << bits) - 1),
        _ => value as u64,
    }
}

/// `width` is that of the first operand, in bits.
fn compute(module: &Module, op: Op, operands: &[i64], width: u32) -> Option<i64> {
    use OpKind as K;
    let kind = module.kind(op);
    if kind == K::ArithConstant {
        return module.int_attr(op, "value");
    }
    let a = *operands.first()?;
    match kind {
        K::ArithExtSI | K::ArithTruncI | K::ArithIndexCast => return Some(a),
        K::ArithExtUI | K::ArithIndexCastUI => return Some(unsigned(a, width) as i64),
        _ => {}
    }
    let b = *operands.get(1)?;
    match kind {
        K::ArithCmpI => {
            let (ua, ub) = (unsigned(a, width), unsigned(b, width));
            let holds = integers::compare(module.int_attr(op, "predicate")?, a, b, ua, ub);
            holds.map(i64::from)
        }
        K::ArithSelect => Some(if a != 0 { b } else { *operands.get(2)? }),
        // The caller wraps what leaves the width.
        _ => integers::compute(kind, a.into(), b.into(), width).map(|value| value as i64),
    }
}
