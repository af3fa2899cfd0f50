//! Walking over operations.

use smallvec::SmallVec;

use super::{Block, Module, Op, Region};
use crate::op_table::OpKind;

/// Operations around another one that a walk remembers without allocating: module, device, core, two
/// loops.
const WALK_DEPTH: usize = 5;

/// A pre-order walk over an operation and everything inside it. It holds no borrow of the module
/// beyond the iterator's own, so collect it before changing anything.
pub struct Walk<'m> {
    module: &'m Module,
    root: Op,
    next: Option<Op>,
    /// Enclosing operations of the next one, each with its remaining contents; the innermost last.
    around: SmallVec<[EnclosingOp<'m>; WALK_DEPTH]>,
}

/// An operation whose regions are walked over.
struct EnclosingOp<'m> {
    op: Op,
    regions: &'m [Region],
    /// Blocks of the region before `regions`.
    blocks: &'m [Block],
}

impl Walk<'_> {
    /// The first operation in what is left of the innermost operation around; ends it if there is
    /// none, and returns it.
    fn go_on_inside(&mut self) -> Result<Op, Option<Op>> {
        let around = self.around.last_mut().ok_or(None)?;
        loop {
            if let [block, left @ ..] = around.blocks {
                around.blocks = left;
                if let Some(first) = self.module.first_op(*block) {
                    return Ok(first);
                }
            } else if let [region, left @ ..] = around.regions {
                around.regions = left;
                around.blocks = self.module.blocks_of(*region);
            } else {
                return Err(self.around.pop().map(|around| around.op));
            }
        }
    }

    /// The first operation inside one, or else what follows it.
    fn inside_or_behind(&mut self, op: Op) -> Option<Op> {
        let regions = self.module.regions_of(op);
        if !regions.is_empty() {
            self.around.push(EnclosingOp {
                op,
                regions,
                blocks: &[],
            });
            if let Ok(first) = self.go_on_inside() {
                return Some(first);
            }
        }
        self.behind(op)
    }

    /// The operation after an operation and all inside it.
    fn behind(&mut self, op: Op) -> Option<Op> {
        let mut op = op;
        // Nothing follows the root.
        while !self.around.is_empty() {
            if let Some(next) = self.module.next_op(op) {
                return Some(next);
            }
            match self.go_on_inside() {
                Ok(next) => return Some(next),
                Err(ended) => op = ended?,
            }
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
