//! Walking over operations.

use super::{Module, Op, Region};
use crate::ops::{OpKind, OpView};

/// A pre-order walk over an operation and everything inside it. It holds no borrow of the module
/// beyond the iterator's own, so collect it before changing anything.
pub struct Walk<'m> {
    module: &'m Module,
    stack: Vec<Op>,
}

impl Iterator for Walk<'_> {
    type Item = Op;

    fn next(&mut self) -> Option<Op> {
        let op = self.stack.pop()?;
        let start = self.stack.len();
        for region in self.module.regions_of(op) {
            push_region(self.module, *region, &mut self.stack);
        }
        self.stack[start..].reverse();
        Some(op)
    }
}

fn push_region(module: &Module, region: Region, list: &mut Vec<Op>) {
    for block in module.blocks_of(region) {
        let mut next = module.first_op(*block);
        while let Some(op) = next {
            list.push(op);
            next = module.next_op(op);
        }
    }
}

impl Module {
    /// All operations inside `root` and itself, each before what it contains.
    pub fn walk(&self, root: Op) -> Walk<'_> {
        Walk {
            module: self,
            stack: vec![root],
        }
    }

    /// All operations of a kind inside `root`, at any depth, in textual order.
    pub fn find(&self, root: Op, kind: OpKind) -> Vec<Op> {
        self.walk(root)
            .filter(|op| self.kind(*op) == kind)
            .collect()
    }

    /// All operations with this view inside `root`, at any depth, in textual order.
    pub fn find_all<V: OpView>(&self, root: Op) -> Vec<V> {
        self.walk(root).filter_map(|op| V::cast(self, op)).collect()
    }

    /// The operations with this view directly in the first region of `op`, in textual order.
    pub fn children<V: OpView>(&self, op: Op) -> Vec<V> {
        let mut list = Vec::new();
        if let Some(region) = self.region(op, 0) {
            push_region(self, region, &mut list);
        }
        list.into_iter()
            .filter_map(|op| V::cast(self, op))
            .collect()
    }
}
