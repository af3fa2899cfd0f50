//! Arithmetic on the numbers of windows: constants where they are known, else `i32` values of the
//! core.

use aiec_aie::ir::{InsertPoint, Op, Type, Value};
use aiec_aie::ops::{ArithCmpI, ArithConstant, OpKind};

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
        let made = ArithConstant::int(self.module, loc, value, Type::I32, at);
        self.constants.insert(value, made);
        made
    }

    /// An operation whose result is an `i32`.
    pub(super) fn compute<const N: usize>(
        &mut self,
        kind: OpKind,
        operands: [Value; N],
        before: Op,
    ) -> Value {
        let loc = self.loc(before);
        let build = self.module.build(kind, loc).operands(operands);
        build.insert_value(Type::I32, InsertPoint::Before(before))
    }

    /// `max(0, n - held)`: the objects still missing.
    pub(super) fn missing(&mut self, n: i64, held: Num, before: Op) -> Num {
        match held {
            Num::Const(held) => Num::Const((n - held).max(0)),
            _ if !self.rewriting => self.unknown(),
            held => {
                let (n, zero) = (self.number(n), self.number(0));
                let held = self.value(held);
                let missing = self.compute(OpKind::ArithSubI, [n, held], before);
                Num::Value(self.compute(OpKind::ArithMaxSI, [missing, zero], before))
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
                Num::Value(self.compute(OpKind::ArithAddI, [held, missing], before))
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
                Num::Value(self.compute(OpKind::ArithSubI, [held, n], before))
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
                let next = self.compute(OpKind::ArithAddI, [index, n], before);
                let end = self.number(depth);
                let loc = self.loc(before);
                let past = ArithCmpI::build(self.module, loc, next, end, SIGNED_AT_LEAST)
                    .insert_value(Type::I1, InsertPoint::Before(before));
                // The index was below the depth, so one step more than fits is the start.
                let wrapped = match steps {
                    1 => self.number(0),
                    _ => {
                        let back = self.number(steps - depth);
                        self.compute(OpKind::ArithAddI, [index, back], before)
                    }
                };
                Num::Value(self.compute(OpKind::ArithSelect, [past, wrapped, next], before))
            }
        }
    }
}
