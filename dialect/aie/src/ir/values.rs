//! Values and their uses.

use super::module::{UseData, ValueData};
use super::{Module, Op, Type, Use, Value, ValueDef};

impl Module {
    pub(super) fn new_value(&mut self, ty: Type, def: ValueDef) -> Value {
        let value = Value::new(self.values.len());
        self.values.push(ValueData {
            ty,
            def,
            first_use: None,
            last_use: None,
        });
        value
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> &Type {
        &self.values[value.index()].ty
    }

    /// Where a value is defined.
    #[inline]
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value.index()].def
    }

    /// The operation a value is a result of.
    #[inline]
    pub fn def_op(&self, value: Value) -> Option<Op> {
        match self.def(value) {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Argument(..) => None,
        }
    }

    /// The uses of a value, oldest first, as (operation, operand number).
    pub fn uses(&self, value: Value) -> Vec<(Op, usize)> {
        let mut list = Vec::new();
        let mut next = self.values[value.index()].first_use;
        while let Some(index) = next {
            let data = &self.uses[index.index()];
            let operands = &self.ops[data.owner.index()].operands;
            if let Some(n) = operands.iter().position(|u| *u == index) {
                list.push((data.owner, n));
            }
            next = data.next;
        }
        list
    }

    /// The operations that use a value, oldest use first; one that uses it twice appears twice.
    pub fn users(&self, value: Value) -> Vec<Op> {
        let mut list = Vec::new();
        let mut next = self.values[value.index()].first_use;
        while let Some(index) = next {
            let data = &self.uses[index.index()];
            list.push(data.owner);
            next = data.next;
        }
        list
    }

    /// Whether anything uses a value.
    pub fn has_uses(&self, value: Value) -> bool {
        self.values[value.index()].first_use.is_some()
    }

    /// Changes the type of a value.
    pub fn set_ty(&mut self, value: Value, ty: Type) {
        self.values[value.index()].ty = ty;
    }

    /// Makes all users of `old` use `new`.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        while let Some(index) = self.values[old.index()].first_use {
            self.unlink_use(index);
            self.link_use(index, new);
        }
    }

    pub(super) fn new_use(&mut self, owner: Op, value: Value) -> Use {
        let index = Use::new(self.uses.len());
        self.uses.push(UseData {
            owner,
            value,
            prev: None,
            next: None,
        });
        self.link_use(index, value);
        index
    }

    pub(super) fn link_use(&mut self, index: Use, value: Value) {
        let last = self.values[value.index()].last_use;
        let data = &mut self.uses[index.index()];
        data.value = value;
        data.prev = last;
        data.next = None;
        match last {
            Some(last) => self.uses[last.index()].next = Some(index),
            None => self.values[value.index()].first_use = Some(index),
        }
        self.values[value.index()].last_use = Some(index);
    }

    pub(super) fn unlink_use(&mut self, index: Use) {
        let UseData {
            value, prev, next, ..
        } = self.uses[index.index()];
        match prev {
            Some(prev) => self.uses[prev.index()].next = next,
            None => self.values[value.index()].first_use = next,
        }
        match next {
            Some(next) => self.uses[next.index()].prev = prev,
            None => self.values[value.index()].last_use = prev,
        }
    }
}
