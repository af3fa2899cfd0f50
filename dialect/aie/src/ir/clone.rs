//! Copying operations with all they contain.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Block, InsertPoint, Loc, Module, Op, Value};

/// What stands for what in a copy: values and blocks of the original and their copies. Values
/// that aren't in it stay themselves.
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
}

impl ValueMap {
    /// A map in which everything stands for itself.
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

    /// What stands for a value.
    pub fn get(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Whether all that the operations of a block take has a copy, or is made in the block.
    fn has_operands(&self, from: &Module, block: Block) -> bool {
        let ops = from.ops_in(block);
        let mut taken = ops.iter().flat_map(|op| from.operands(*op));
        taken.all(|value| {
            let own = from.def_op(value).and_then(|op| from.parent_block(op));
            own == Some(block) || self.values.contains_key(&value)
        })
    }

    /// What stands for a block.
    pub fn get_block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }
}

impl Module {
    /// Copies an operation of another module with all it contains; `map` says what stands for values
    /// and blocks from outside and afterwards holds the copies. Locations keep their source text.
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
            // a definition may come in the text behind a use that it dominates
            let mut waiting: VecDeque<Block> = from.blocks_of(*region).iter().copied().collect();
            while !waiting.is_empty() {
                let ready = waiting
                    .iter()
                    .position(|block| map.has_operands(from, *block));
                let Some(block) = waiting.remove(ready.unwrap_or(0)) else {
                    break;
                };
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

    /// Copies an operation with all it contains; `map` says what stands for values and blocks from
    /// outside and afterwards holds the copies. Nesting is bounded by the parser's limit.
    pub fn clone_op(&mut self, op: Op, map: &mut ValueMap, at: InsertPoint) -> Op {
        let name = self.op_name(op).to_string();
        let loc = self.loc(op);
        let types: Vec<_> = self.results(op).map(|r| self.ty(r).clone()).collect();
        let copy = self.new_op(&name, loc);
        self.ops[copy.index()].attrs = self.ops[op.index()].attrs.clone();
        for value in self.operands(op).collect::<Vec<_>>() {
            self.add_operand(copy, map.get(value));
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
            for block in blocks {
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
}
