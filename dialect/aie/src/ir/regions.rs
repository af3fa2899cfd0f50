//! Regions and blocks.

use super::module::{BlockData, RegionData};
use super::{Block, Module, Op, Region, Type, Value, ValueDef};
use crate::op_table::OpKind;

impl Module {
    /// The regions of an operation.
    #[inline]
    pub fn regions_of(&self, op: Op) -> &[Region] {
        match self.ops[op.index()].nested {
            Some(nested) => &self.nested[nested.index()].regions,
            None => &[],
        }
    }

    /// The n-th region of an operation.
    #[inline]
    pub fn region(&self, op: Op, n: usize) -> Option<Region> {
        self.regions_of(op).get(n).copied()
    }

    /// Appends an empty region to an operation.
    pub fn add_region(&mut self, op: Op) -> Region {
        let region = Region::new(self.regions.len());
        self.regions.push(RegionData {
            parent: Some(op),
            blocks: Vec::new(),
        });
        self.nested_mut(op).regions.push(region);
        region
    }

    /// The operation a region belongs to.
    #[inline]
    pub fn region_parent(&self, region: Region) -> Option<Op> {
        self.regions[region.index()].parent
    }

    /// The blocks of a region, the entry first.
    #[inline]
    pub fn blocks_of(&self, region: Region) -> &[Block] {
        &self.regions[region.index()].blocks
    }

    /// Exchanges the blocks of two regions.
    pub(crate) fn swap_region_contents(&mut self, a: Region, b: Region) {
        let in_a = std::mem::take(&mut self.regions[a.index()].blocks);
        let in_b = std::mem::replace(&mut self.regions[b.index()].blocks, in_a);
        self.regions[a.index()].blocks = in_b;
        for region in [a, b] {
            for block in self.regions[region.index()].blocks.clone() {
                self.blocks[block.index()].parent = Some(region);
            }
        }
    }

    /// Takes away the last region of an operation; it must be empty.
    pub(crate) fn drop_last_region(&mut self, op: Op) {
        self.nested_mut(op).regions.pop();
    }

    /// The entry block of an operation's n-th region.
    #[inline]
    pub fn entry(&self, op: Op, n: usize) -> Option<Block> {
        self.blocks_of(self.region(op, n)?).first().copied()
    }

    /// Appends an empty block to a region.
    pub fn add_block(&mut self, region: Region) -> Block {
        let at = self.regions[region.index()].blocks.len();
        self.insert_block(region, at)
    }

    /// Inserts an empty block at a position of a region's block list.
    pub fn insert_block(&mut self, region: Region, at: usize) -> Block {
        let block = Block::new(self.blocks.len());
        self.blocks.push(BlockData {
            parent: Some(region),
            args: Vec::new(),
            first: None,
            last: None,
        });
        self.regions[region.index()].blocks.insert(at, block);
        block
    }

    /// A block that isn't in any region yet; see [`Module::attach_block`].
    pub(crate) fn new_block(&mut self) -> Block {
        let block = Block::new(self.blocks.len());
        self.blocks.push(BlockData {
            parent: None,
            args: Vec::new(),
            first: None,
            last: None,
        });
        block
    }

    /// Appends a block of [`Module::new_block`] to a region.
    pub(crate) fn attach_block(&mut self, block: Block, region: Region) {
        self.blocks[block.index()].parent = Some(region);
        self.regions[region.index()].blocks.push(block);
    }

    /// Moves a block to the end of a region's block list.
    pub fn move_block_to_end(&mut self, block: Block, region: Region) {
        if let Some(old) = self.blocks[block.index()].parent {
            self.regions[old.index()].blocks.retain(|b| *b != block);
        }
        self.blocks[block.index()].parent = Some(region);
        self.regions[region.index()].blocks.push(block);
    }

    /// Erases a block with all its operations. Nothing may use their results any more.
    pub fn erase_block(&mut self, block: Block) {
        for op in self.ops_in(block) {
            self.erase(op);
        }
        if let Some(region) = self.blocks[block.index()].parent.take() {
            self.regions[region.index()].blocks.retain(|b| *b != block);
        }
    }

    /// The region a block belongs to.
    #[inline]
    pub fn block_region(&self, block: Block) -> Option<Region> {
        self.blocks[block.index()].parent
    }

    /// The operation whose region a block belongs to.
    #[inline]
    pub fn block_parent(&self, block: Block) -> Option<Op> {
        self.block_region(block).and_then(|r| self.region_parent(r))
    }

    /// The arguments of a block.
    #[inline]
    pub fn block_args(&self, block: Block) -> &[Value] {
        &self.blocks[block.index()].args
    }

    /// Appends an argument to a block.
    pub fn add_block_arg(&mut self, block: Block, ty: Type) -> Value {
        let n = self.blocks[block.index()].args.len() as u32;
        let value = self.new_value(ty, ValueDef::Argument(block, n));
        self.blocks[block.index()].args.push(value);
        value
    }

    /// The first operation of a block.
    #[inline]
    pub fn first_op(&self, block: Block) -> Option<Op> {
        self.blocks[block.index()].first
    }

    /// The last operation of a block: its terminator, if it has one.
    #[inline]
    pub fn last_op(&self, block: Block) -> Option<Op> {
        self.blocks[block.index()].last
    }

    /// The next operation of the same block.
    #[inline]
    pub fn next_op(&self, op: Op) -> Option<Op> {
        self.ops[op.index()].next
    }

    /// The previous operation of the same block.
    #[inline]
    pub fn prev_op(&self, op: Op) -> Option<Op> {
        self.ops[op.index()].prev
    }

    /// The operations of a block in order; see [`Module::ops_in`] for changing it meanwhile.
    pub fn block_ops(&self, block: Block) -> impl Iterator<Item = Op> + Clone + '_ {
        std::iter::successors(self.first_op(block), |op| self.next_op(*op))
    }

    /// A copy of the list of operations of a block, so that it can be changed meanwhile.
    pub fn ops_in(&self, block: Block) -> Vec<Op> {
        self.block_ops(block).collect()
    }

    /// The block an operation is in.
    #[inline]
    pub fn parent_block(&self, op: Op) -> Option<Block> {
        self.ops[op.index()].parent
    }

    /// The operation that holds this one in a region.
    #[inline]
    pub fn parent_op(&self, op: Op) -> Option<Op> {
        self.parent_block(op).and_then(|b| self.block_parent(b))
    }

    /// The nearest enclosing operation of a kind.
    pub fn ancestor(&self, op: Op, kind: OpKind) -> Option<Op> {
        let mut at = self.parent_op(op);
        while let Some(op) = at {
            if self.kind(op) == kind {
                return Some(op);
            }
            at = self.parent_op(op);
        }
        None
    }
}
