//! Copying operations with all they contain.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Block, InsertPoint, Loc, Module, Op, Type, Value};

/// Copies of values and blocks by their originals. Values that aren't in it map to themselves.
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
}

impl ValueMap {
    /// The identity map.
    pub fn new() -> ValueMap {
        ValueMap::default()
    }

    /// Lets `to` stand for `from`.
    pub fn map(&mut self, from: Value, to: Value) {
        self.values.insert(from, to);
    }

    /// Lets the block `to` stand for `from`.
    pub fn map_block(&mut self, from: Block, to: Block) {
        self.blocks.insert(from, to);
    }

    /// The copy of a value.
    pub fn get(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// The copy of a block.
    pub fn get_block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }
}

impl Module {
    /// Copies an operation of another module with all it contains; `map` has the counterparts of
    /// values and blocks from outside and afterwards also holds the copies. Locations keep their
    /// source text.
    pub fn import_op(&mut self, from: &Module, op: Op, map: &mut ValueMap, at: InsertPoint) -> Op {
        let loc = match from.locs.source_span(from.loc(op)) {
            Some(span) => self.locs.span(span),
            None => Loc::UNKNOWN,
        };
        let copy = self.new_op(from.op_name(op), loc);
        for (key, value) in from.attrs(op) {
            self.set_attr(copy, key, value.clone());
        }
        for value in from.operands(op) {
            self.add_operand(copy, map.get(value));
        }
        let types = from.results(op).map(|result| from.ty(result).clone());
        self.set_results(copy, types);
        for (old, new) in from.results(op).zip(self.results(copy)) {
            map.map(old, new);
        }
        self.move_to(copy, at);
        for region in from.regions_of(op) {
            let target = self.add_region(copy);
            for block in from.blocks_of(*region) {
                let new = self.add_block(target);
                map.map_block(*block, new);
                for arg in from.block_args(*block) {
                    let to = self.add_block_arg(new, from.ty(*arg).clone());
                    map.map(*arg, to);
                }
            }
            for block in from.definition_order(from.blocks_of(*region)) {
                let new = map.get_block(block);
                for inner in from.ops_in(block) {
                    self.import_op(from, inner, map, InsertPoint::End(new));
                }
            }
        }
        for block in from.successors(op) {
            self.add_successor(copy, map.get_block(*block));
        }
        copy
    }

    /// Copies an operation with all it contains; `map` has the counterparts of values and blocks
    /// from outside and afterwards also holds the copies. Nesting is bounded by the parser's limit.
    pub fn clone_op(&mut self, op: Op, map: &mut ValueMap, at: InsertPoint) -> Op {
        let types: SmallVec<[Type; 2]> = self.results(op).map(|r| self.ty(r).clone()).collect();
        let copy = self.new_op_like(op);
        for n in 0..self.num_operands(op) {
            if let Some(value) = self.operand(op, n) {
                self.add_operand(copy, map.get(value));
            }
        }
        self.set_results(copy, types);
        for (from, to) in self.results(op).zip(self.results(copy)) {
            map.map(from, to);
        }
        self.move_to(copy, at);
        for region in self.regions_of(op).to_vec() {
            let target = self.add_region(copy);
            let blocks = self.blocks_of(region).to_vec();
            for block in &blocks {
                let new = self.add_block(target);
                map.map_block(*block, new);
                for arg in self.block_args(*block).to_vec() {
                    let ty = self.ty(arg).clone();
                    let to = self.add_block_arg(new, ty);
                    map.map(arg, to);
                }
            }
            for block in self.definition_order(&blocks) {
                let new = map.get_block(block);
                for inner in self.ops_in(block) {
                    self.clone_op(inner, map, InsertPoint::End(new));
                }
            }
        }
        for block in self.successors(op).to_vec() {
            self.add_successor(copy, map.get_block(block));
        }
        copy
    }

    /// The blocks of a region, each after those that define what its operations use: in the text
    /// a definition may come after a use that it dominates.
    pub fn definition_order(&self, blocks: &[Block]) -> Vec<Block> {
        if blocks.len() < 2 {
            return blocks.to_vec();
        }
        let region: FxHashSet<Block> = blocks.iter().copied().collect();
        let mut order = Vec::with_capacity(blocks.len());
        let mut seen = FxHashSet::default();
        // Each block twice: before what it uses, and after it.
        let mut stack: Vec<(Block, bool)> = blocks.iter().rev().map(|b| (*b, false)).collect();
        while let Some((block, is_ready)) = stack.pop() {
            if is_ready {
                order.push(block);
            } else if seen.insert(block) {
                stack.push((block, true));
                let used = self.defining_blocks(block, &region).into_iter();
                stack.extend(used.filter(|b| !seen.contains(b)).map(|b| (b, false)));
            }
        }
        order
    }

    /// The blocks of a region whose operations define what those of `block` use.
    fn defining_blocks(&self, block: Block, region: &FxHashSet<Block>) -> Vec<Block> {
        let ops = self.ops_in(block).into_iter();
        let operands = ops
            .flat_map(|op| self.walk(op))
            .flat_map(|op| self.operands(op));
        let in_region = |value| {
            let mut at = self.parent_block(self.def_op(value)?)?;
            while !region.contains(&at) {
                at = self.parent_block(self.block_parent(at)?)?;
            }
            Some(at)
        };
        operands.filter_map(in_region).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{InsertPoint, Module, ValueMap};
    use crate::ops::OpKind;
    use crate::text::{PrintOptions, parse_text, print};
    use aiec_diag::{Diags, FileId};

    /// The second block in the text comes last in the order of execution.
    const BACKWARDS: &str = "
        func.func @f(%start: i32) -> i32 {
          cf.br ^first
        ^last:
          %sum = arith.addi %made, %start : i32
          func.return %sum : i32
        ^first:
          %made = arith.muli %start, %start : i32
          cf.br ^last
        }";

    #[test]
    fn a_copy_uses_its_own_values_whatever_the_order_of_blocks() {
        let mut diags = Diags::new();
        let module = parse_text(FileId(0), BACKWARDS, &mut diags);
        assert!(!diags.has_errors());
        let function = module.find(module.top(), OpKind::FuncFunc)[0];

        let mut other = Module::new();
        let end = InsertPoint::End(other.body());
        other.import_op(&module, function, &mut ValueMap::new(), end);
        let text = |module| print(module, PrintOptions::default());
        assert_eq!(text(&other), text(&module));

        let mut twice = module.clone();
        let end = InsertPoint::End(twice.body());
        let copy = twice.clone_op(function, &mut ValueMap::new(), end);
        let values: Vec<_> = twice.walk(copy).flat_map(|op| twice.operands(op)).collect();
        let is_inside = |value| match twice.def_op(value) {
            Some(op) => twice.ancestor(op, OpKind::FuncFunc) == Some(copy),
            None => true,
        };
        assert!(values.into_iter().all(is_inside));
    }
}
