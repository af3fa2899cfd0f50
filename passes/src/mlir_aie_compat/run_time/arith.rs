//! Numbers that are known when the design is compiled or only when the sequence runs, and
//! arithmetic on them that makes operations for the latter.

use aiec_aie::ir::{InsertPoint, Loc, Module, Type, Value};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{ArithCmpI, ArithConstant, NpuAssertBdDivisible, NpuAssertBdField, OpKind};
use aiec_device::Count;
use rustc_hash::FxHashMap;

use crate::mlir_aie_compat::npu_ops::NpuOps;

/// `arith.cmpi ugt` (`mlir: include/mlir/Dialect/Arith/IR/ArithBase.td`).
const UNSIGNED_GREATER: i64 = 8;
/// Bits of the numbers: those of a register.
const BITS: u32 = 32;

/// A number of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Num {
    /// Known now.
    Known(i64),
    /// An `i32` of the sequence.
    Value(Value),
}

impl Count for Num {
    const ONE: Num = Num::Known(1);

    fn known(self) -> Option<i64> {
        match self {
            Num::Known(n) => Some(n),
            Num::Value(_) => None,
        }
    }
}

/// Makes arithmetic at a place.
pub(crate) struct Arith<'m> {
    pub(crate) module: &'m mut Module,
    pub(crate) at: InsertPoint,
    pub(crate) loc: Loc,
    /// Values that were made `i32` here already.
    words: FxHashMap<Value, Value>,
}

impl<'m> Arith<'m> {
    pub(crate) fn new(module: &'m mut Module, at: InsertPoint, loc: Loc) -> Arith<'m> {
        Arith {
            module,
            at,
            loc,
            words: FxHashMap::default(),
        }
    }

    /// A value of integer or index type as a number. Wider ones lose their high bits, which no
    /// register holds.
    pub(crate) fn number(&mut self, value: Value) -> Num {
        if let Some(n) = const_int(self.module, value) {
            return Num::Known(n);
        }
        if let Some(word) = self.words.get(&value) {
            return Num::Value(*word);
        }
        let ty = self.module.ty(value).clone();
        let kind = match ty.bit_width() {
            _ if ty == Type::Index => OpKind::ArithIndexCast,
            Some(BITS) => return Num::Value(value),
            Some(bits) if bits > BITS => OpKind::ArithTruncI,
            _ => OpKind::ArithExtUI,
        };
        let word = self.op(kind, &[value]);
        self.words.insert(value, word);
        Num::Value(word)
    }

    /// Makes operations at the same place.
    pub(crate) fn ops(&mut self) -> NpuOps<'_> {
        NpuOps {
            module: self.module,
            at: self.at,
            loc: self.loc,
        }
    }

    /// The number as an `i32`.
    pub(crate) fn value(&mut self, n: Num) -> Value {
        match n {
            Num::Value(value) => value,
            Num::Known(n) => ArithConstant::i32(self.module, self.loc, n as i32, self.at),
        }
    }

    fn op(&mut self, kind: OpKind, operands: &[Value]) -> Value {
        let build = self.module.build(kind, self.loc);
        let build = build.operands(operands.iter().copied());
        build.insert_value(Type::I32, self.at)
    }

    fn binary(&mut self, kind: OpKind, a: Num, b: Num) -> Num {
        let pair = [self.value(a), self.value(b)];
        Num::Value(self.op(kind, &pair))
    }

    /// `a + b`.
    pub(crate) fn add(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Num::Known(a), Num::Known(b)) => Num::Known(a.wrapping_add(b)),
            (Num::Known(0), n) | (n, Num::Known(0)) => n,
            _ => self.binary(OpKind::ArithAddI, a, b),
        }
    }

    /// `a · b`.
    pub(crate) fn mul(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Num::Known(a), Num::Known(b)) => Num::Known(a.wrapping_mul(b)),
            (Num::Known(0), _) | (_, Num::Known(0)) => Num::Known(0),
            (Num::Known(1), n) | (n, Num::Known(1)) => n,
            _ => self.binary(OpKind::ArithMulI, a, b),
        }
    }

    /// `n - 1`, the form in which registers hold steps and counts.
    pub(crate) fn less_one(&mut self, n: Num) -> Num {
        match n {
            Num::Known(n) => Num::Known(n - 1),
            n => self.binary(OpKind::ArithSubI, n, Num::Known(1)),
        }
    }

    /// Elements as whole words: the bytes first, then the words.
    pub(crate) fn words(&mut self, elements: Num, elem_bytes: u64, word_bytes: u64) -> Num {
        let (elem, word) = (elem_bytes as i64, word_bytes as i64);
        match elements {
            Num::Known(n) => Num::Known(n.saturating_mul(elem) / word),
            elements => {
                let bytes = self.binary(OpKind::ArithMulI, elements, Num::Known(elem));
                self.binary(OpKind::ArithDivUI, bytes, Num::Known(word))
            }
        }
    }

    /// The lowest bits of `n`, shifted up by `low`.
    pub(crate) fn field(&mut self, n: Num, max: u32, low: u8) -> Num {
        if let Num::Known(n) = n {
            return Num::Known((i64::from(n as u32 & max)) << low);
        }
        let bits = match max {
            u32::MAX => n,
            max => self.binary(OpKind::ArithAndI, n, Num::Known(max.into())),
        };
        match low {
            0 => bits,
            low => self.binary(OpKind::ArithShLI, bits, Num::Known(low.into())),
        }
    }

    /// `a | b`, also where one of them is 0.
    pub(crate) fn or(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Num::Known(a), Num::Known(b)) => Num::Known(a | b),
            _ => self.binary(OpKind::ArithOrI, a, b),
        }
    }

    /// `yes` if `n` is above `limit` (unsigned), else `no`.
    pub(crate) fn if_above(&mut self, n: Num, limit: i64, yes: Num, no: Num) -> Num {
        if let Num::Known(n) = n {
            return if n > limit { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        let (n, limit) = (self.value(n), self.value(Num::Known(limit)));
        let holds = ArithCmpI::build(self.module, self.loc, n, limit, UNSIGNED_GREATER)
            .insert_value(Type::I1, self.at);
        let operands = [holds, self.value(yes), self.value(no)];
        Num::Value(self.op(OpKind::ArithSelect, &operands))
    }

    /// `aiex.npu.assert_bd_field`: a number that must fit its field.
    pub(crate) fn assert_fits(&mut self, n: Num, max: u32) {
        let Num::Value(value) = n else { return };
        // The attribute is signed: a field of 32 bits holds any number.
        let Ok(max) = i32::try_from(max) else { return };
        NpuAssertBdField::build(self.module, self.loc, value, max).insert(self.at);
    }

    /// `aiex.npu.assert_bd_divisible`: a number that must be a multiple, or 1 if that is allowed.
    pub(crate) fn assert_divides(&mut self, n: Num, divisor: u64, allow_unit: bool) {
        let Num::Value(value) = n else { return };
        NpuAssertBdDivisible::build(self.module, self.loc, value, divisor as i32)
            .allow_unit(allow_unit)
            .insert(self.at);
    }
}
