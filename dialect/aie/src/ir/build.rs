//! Making operations.

use super::{Attr, Block, Loc, Module, Op, Type, Value};
use crate::ops::OpKind;

/// Where a new or moved operation goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertPoint {
    /// After the last operation of a block.
    End(Block),
    /// Before the first operation of a block.
    Start(Block),
    /// Before an operation.
    Before(Op),
    /// After an operation.
    After(Op),
    /// Nowhere yet.
    Detached,
}

/// An operation in the making; [`OpBuilder::insert`] finishes it.
pub struct OpBuilder<'m> {
    module: &'m mut Module,
    op: Op,
    results: Vec<Type>,
}

impl Module {
    /// Starts an operation of a kind in the table.
    pub fn build(&mut self, kind: OpKind, loc: Loc) -> OpBuilder<'_> {
        let op = self.new_op_of(kind, kind.name(), loc);
        OpBuilder {
            module: self,
            op,
            results: Vec::new(),
        }
    }

    /// Starts an operation of any name.
    pub fn build_named(&mut self, name: &str, loc: Loc) -> OpBuilder<'_> {
        let op = self.new_op(name, loc);
        OpBuilder {
            module: self,
            op,
            results: Vec::new(),
        }
    }

    /// Moves an operation (attached or not) to an insertion point.
    pub fn move_to(&mut self, op: Op, at: InsertPoint) {
        if at == InsertPoint::Before(op) || at == InsertPoint::After(op) {
            return;
        }
        self.detach(op);
        match at {
            InsertPoint::End(block) => self.link(op, block, None),
            InsertPoint::Start(block) => {
                let first = self.first_op(block);
                self.link(op, block, first);
            }
            InsertPoint::Before(next) => {
                if let Some(block) = self.parent_block(next) {
                    self.link(op, block, Some(next));
                }
            }
            InsertPoint::After(prev) => {
                if let Some(block) = self.parent_block(prev) {
                    let next = self.next_op(prev);
                    self.link(op, block, next);
                }
            }
            InsertPoint::Detached => {}
        }
    }
}

impl OpBuilder<'_> {
    /// Appends an operand.
    pub fn operand(self, value: Value) -> Self {
        self.module.add_operand(self.op, value);
        self
    }

    /// Appends operands.
    pub fn operands(self, values: impl IntoIterator<Item = Value>) -> Self {
        for value in values {
            self.module.add_operand(self.op, value);
        }
        self
    }

    /// Makes room for this many attributes.
    pub(crate) fn room_for_attrs(self, count: usize) -> Self {
        self.module.ops[self.op.index()].attrs.reserve_exact(count);
        self
    }

    /// Sets an attribute.
    pub fn attr(self, key: &str, value: Attr) -> Self {
        self.module.set_attr(self.op, key, value);
        self
    }

    /// Sets an attribute if there is one.
    pub fn attr_opt(self, key: &str, value: Option<Attr>) -> Self {
        match value {
            Some(value) => self.attr(key, value),
            None => self,
        }
    }

    /// Appends a result.
    pub fn result(mut self, ty: Type) -> Self {
        self.results.push(ty);
        self
    }

    /// Appends results.
    pub fn results(mut self, types: impl IntoIterator<Item = Type>) -> Self {
        self.results.extend(types);
        self
    }

    /// Appends a region without blocks.
    pub fn region(self) -> Self {
        self.module.add_region(self.op);
        self
    }

    /// Appends a region with one empty block.
    pub fn body(self) -> Self {
        let region = self.module.add_region(self.op);
        self.module.add_block(region);
        self
    }

    /// Appends a successor.
    pub fn successor(self, block: Block) -> Self {
        self.module.add_successor(self.op, block);
        self
    }

    /// Makes the results and puts the operation in its place.
    pub fn insert(self, at: InsertPoint) -> Op {
        let OpBuilder {
            module,
            op,
            results,
        } = self;
        module.set_results(op, results);
        module.move_to(op, at);
        op
    }
}
