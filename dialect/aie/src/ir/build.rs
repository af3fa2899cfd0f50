//! Making operations.

use std::marker::PhantomData;

use super::{Attr, Block, Loc, Module, Op, Type, Value, ValueDef};
use crate::op_table::{AttrName, OpKind};

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

/// An operation under construction; [`OpBuilder::insert`] finishes it. `V` is its typed view, which
/// decides which attributes have setters; `()` for an operation of any kind.
pub struct OpBuilder<'m, V = ()> {
    module: &'m mut Module,
    op: Op,
    results: Vec<Type>,
    view: PhantomData<V>,
}

impl Module {
    /// Starts an operation of a kind in the table.
    pub fn build(&mut self, kind: OpKind, loc: Loc) -> OpBuilder<'_> {
        OpBuilder::new(self, kind, loc)
    }

    /// Starts an operation of any name.
    pub fn build_named(&mut self, name: &str, loc: Loc) -> OpBuilder<'_> {
        let op = self.new_op(name, loc);
        OpBuilder::edit(self, op)
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

impl<'m, V> OpBuilder<'m, V> {
    /// Starts an operation.
    pub(crate) fn new(module: &'m mut Module, kind: OpKind, loc: Loc) -> Self {
        let op = module.new_op_of(kind, kind.name(), loc);
        Self::edit(module, op)
    }

    /// Goes on with an operation that is there.
    pub(crate) fn edit(module: &'m mut Module, op: Op) -> Self {
        OpBuilder {
            module,
            op,
            results: Vec::new(),
            view: PhantomData,
        }
    }

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

    /// Sets an attribute, or removes it if there is no value.
    pub fn attr_opt(self, key: &str, value: Option<Attr>) -> Self {
        match value {
            Some(value) => self.attr(key, value),
            None => {
                self.module.remove_attr(self.op, key);
                self
            }
        }
    }

    /// Sets an attribute that the table of operations declares, or removes it if there is no value.
    pub(crate) fn declared_attr(self, attr_name: AttrName, value: Option<Attr>) -> Self {
        match value {
            Some(value) => self.module.set_declared_attr(self.op, attr_name, value),
            None => {
                self.module.remove_declared_attr(self.op, attr_name);
            }
        }
        self
    }

    /// Appends groups of operands and sets their sizes.
    pub fn operand_groups<const N: usize>(mut self, groups: [&[Value]; N]) -> Self {
        for group in groups {
            self = self.operands(group.iter().copied());
        }
        self.segment_sizes(groups.map(<[Value]>::len))
    }

    /// Sets the sizes of the operand groups.
    pub fn segment_sizes<const N: usize>(self, sizes: [usize; N]) -> Self {
        let sizes = sizes.map(|size| i32::try_from(size).unwrap_or(i32::MAX));
        self.attr("operandSegmentSizes", Attr::i32_array(sizes))
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
            ..
        } = self;
        module.set_results(op, results);
        module.move_to(op, at);
        op
    }

    /// Finishes an operation whose last region is one block that `aie.end` ends.
    pub fn insert_ended(self, at: InsertPoint) -> Op {
        let (op, loc) = (self.op, self.module.loc(self.op));
        let region = self.module.add_region(op);
        let block = self.module.add_block(region);
        let end = self.module.build(OpKind::End, loc);
        end.insert(InsertPoint::End(block));
        self.insert(at)
    }

    /// Finishes an operation with one result and returns that.
    pub fn insert_value(self, ty: Type, at: InsertPoint) -> Value {
        let value = self.module.new_value(ty, ValueDef::Result(self.op, 0));
        let data = &mut self.module.ops[self.op.index()];
        data.first_result = value.index() as u32;
        data.num_results = 1;
        self.module.move_to(self.op, at);
        value
    }
}
