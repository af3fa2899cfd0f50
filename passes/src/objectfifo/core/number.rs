//! Arithmetic on the numbers of windows: constants where they are known, else `i32` values of the
//! core.

use aiec_aie::ir::{Attr, InsertPoint, Op, Type, Value};
use aiec_aie::ops::OpKind;

use super::super::dma::{constant_at, result_of};
use super::state::Num;
use super::walk::Walker;

/// `sge` of `arith.cmpi`.
const SIGNED_AT_LEAST: i64 = 5;

impl Walker<'_, '_> {
    /// The value of a number, an `i32`.
    pub fn value(&mut self, num: Num) -> Value {
        match num {
            Num::Value(value) => value,
            Num::Const(n) => self.number(n),
            // Looking ahead never asks for values.
            Num::Some(_) => self.number(0),
        }
    }

    /// An `i32` constant at the start of the core.
    pub(super) fn number(&mut self, value: i64) -> Value {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let loc = self.loc(self.core);
        let at = match self.module.entry(self.core, 0) {
            Some(entry) => InsertPoint::Start(entry),
            None => InsertPoint::Detached,
        };
        let made = constant_at(self.module, loc, value, Type::I32, at);
        self.constants.insert(value, made);
        made
    }

    pub(super) fn binary(&mut self, kind: OpKind, a: Value, b: Value, before: Op) -> Value {
        self.binary_to(kind, a, b, Type::I32, before)
    }

    fn binary_to(&mut self, kind: OpKind, a: Value, b: Value, ty: Type, before: Op) -> Value {
        let loc = self.loc(before);
        let op = self
            .module
            .build(kind, loc)
            .operands([a, b])
            .result(ty)
            .insert(InsertPoint::Before(before));
        result_of(self.module, op)
    }

    /// `max(0, n - held)`: the objects still missing.
    pub(super) fn missing(&mut self, n: i64, held: Num, before: Op) -> Num {
        match held {
            Num::Const(held) => Num::Const((n - held).max(0)),
            _ if !self.rewriting => self.unknown(),
            held => {
                let (n, zero) = (self.number(n), self.number(0));
                let held = self.value(held);
                let missing = self.binary(OpKind::ArithSubI, n, held, before);
                Num::Value(self.binary(OpKind::ArithMaxSI, missing, zero, before))
            }
        }
    }

    /// `max(held, n)`: the objects held after acquiring those that were missing to n.
    pub(super) fn at_least(&mut self, n: i64, held: Num, missing: Num, before: Op) -> Num {
        match (held, missing) {
            (Num::Const(held), _) => Num::Const(held.max(n)),
            _ if !self.rewriting => self.unknown(),
            _ => {
                let (held, missing) = (self.value(held), self.value(missing));
                Num::Value(self.binary(OpKind::ArithAddI, held, missing, before))
            }
        }
    }

    /// `held - n`
    pub(super) fn minus(&mut self, held: Num, n: i64, before: Op) -> Num {
        match held {
            Num::Const(held) => Num::Const(held - n),
            _ if !self.rewriting => self.unknown(),
            held => {
                let n = self.number(n);
                let held = self.value(held);
                Num::Value(self.binary(OpKind::ArithSubI, held, n, before))
            }
        }
    }

    /// `(index + n) mod depth` for `0 < n <= depth`
    pub(super) fn advance(&mut self, index: Num, n: i64, depth: i64, before: Op) -> Num {
        if depth == 0 || n % depth == 0 {
            return index;
        }
        match index {
            Num::Const(index) => Num::Const((index + n) % depth),
            _ if !self.rewriting => self.unknown(),
            index => {
                let steps = n;
                let (index, n) = (self.value(index), self.number(n));
                let next = self.binary(OpKind::ArithAddI, index, n, before);
                let end = self.number(depth);
                let past = self.binary_to(OpKind::ArithCmpI, next, end, Type::I1, before);
                if let Some(op) = self.module.def_op(past) {
                    let at_least = Attr::i64(SIGNED_AT_LEAST);
                    self.module.set_attr(op, "predicate", at_least);
                }
                // The index was below the depth, so one step more than fits is the start.
                let wrapped = match steps {
                    1 => self.number(0),
                    _ => {
                        let back = self.number(steps - depth);
                        self.binary(OpKind::ArithAddI, index, back, before)
                    }
                };
                let loc = self.loc(before);
                let op = self
                    .module
                    .build(OpKind::ArithSelect, loc)
                    .operands([past, wrapped, next])
                    .result(Type::I32)
                    .insert(InsertPoint::Before(before));
                Num::Value(result_of(self.module, op))
            }
        }
    }
}
