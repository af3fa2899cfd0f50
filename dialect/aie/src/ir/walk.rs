//! Walking over operations.

use smallvec::SmallVec;

use super::{Block, Module, Op, Region};
use crate::op_table::OpKind;

/// Operations around the innermost that a walk remembers without allocating: module, device, core, a
/// loop.
const WALK_DEPTH: usize = 4;

/// A pre-order walk over an operation and everything inside it. It holds no borrow of the module
/// beyond the iterator's own, so collect it before changing anything.
pub struct Walk<'m> {
    module: &'m Module,
    root: Op,
    next: Option<Op>,
    /// The operation around the next one; apart from the others, as a walk looks at it at the end of each block.
    inner: Option<EnclosingOp<'m>>,
    /// Those around it, the innermost last.
    around: SmallVec<[EnclosingOp<'m>; WALK_DEPTH]>,
}

/// An operation whose regions are walked over, with what is left of them.
struct EnclosingOp<'m> {
    op: Op,
    regions: &'m [Region],
    /// Blocks of the region before `regions`.
    blocks: &'m [Block],
}

impl<'m> EnclosingOp<'m> {
    /// The first operation in what is left.
    #[inline]
    fn next_first(&mut self, module: &'m Module) -> Option<Op> {
        loop {
            if let [block, left @ ..] = self.blocks {
                self.blocks = left;
                if let Some(first) = module.first_op(*block) {
                    return Some(first);
                }
            } else if let [region, left @ ..] = self.regions {
                self.regions = left;
                self.blocks = module.blocks_of(*region);
            } else {
                return None;
            }
        }
    }
}

impl Walk<'_> {
    /// The first operation inside one, or else what follows it.
    fn inside_or_behind(&mut self, op: Op) -> Option<Op> {
        let regions = self.module.regions_of(op);
        if !regions.is_empty() {
            let mut inner = EnclosingOp {
                op,
                regions,
                blocks: &[],
            };
            if let Some(first) = inner.next_first(self.module) {
                self.around.extend(self.inner.replace(inner));
                return Some(first);
            }
        }
        self.behind(op)
    }

    /// The operation after an operation and all inside it.
    fn behind(&mut self, op: Op) -> Option<Op> {
        let mut op = op;
        // Nothing follows the root, which nothing is around.
        while let Some(inner) = &mut self.inner {
            let next = self.module.next_op(op);
            if let Some(next) = next.or_else(|| inner.next_first(self.module)) {
                return Some(next);
            }
            op = inner.op;
            self.inner = self.around.pop();
        }
        None
    }
}

impl Iterator for Walk<'_> {
    type Item = Op;

    #[inline]
    fn next(&mut self) -> Option<Op> {
        let op = self.next?;
        let data = &self.module.ops[op.index()];
        // Most operations have no regions and one after them. Nothing follows the root.
        if data.nested.is_none() && data.next.is_some() && op != self.root {
            self.next = data.next;
            return Some(op);
        }
        self.next = self.inside_or_behind(op);
        Some(op)
    }
}

impl Module {
    /// All operations inside `root` and itself, each before what it contains.
    pub fn walk(&self, root: Op) -> Walk<'_> {
        Walk {
            module: self,
            root,
            next: Some(root),
            inner: None,
            around: SmallVec::new(),
        }
    }

    /// All operations of a kind inside `root`, at any depth, in textual order.
    pub fn find(&self, root: Op, kind: OpKind) -> Vec<Op> {
        let [found] = self.find_each(root, [kind]);
        found
    }

    /// As [`Module::find`], for several different kinds in one walk. It ends with the last operation of these kinds
    /// that the module has.
    pub fn find_each<const N: usize>(&self, root: Op, kinds: [OpKind; N]) -> [Vec<Op>; N] {
        let mut found = kinds.map(|_| Vec::new());
        let mut left: usize = kinds.iter().map(|kind| self.count(*kind)).sum();
        let mut walk = self.walk(root);
        while left > 0
            && let Some(op) = walk.next()
        {
            let kind = self.kind(op);
            if let Some(n) = kinds.iter().position(|wanted| *wanted == kind) {
                found[n].push(op);
                left -= 1;
            }
        }
        found
    }
}
