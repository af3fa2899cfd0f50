//! Symbols of a symbol table operation.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Attr, Module, Op};
use crate::op_table::{AttrName, OpKind};

/// The symbols defined directly in an operation's regions, in textual order. It is a snapshot:
/// build it again, or [`insert`](SymbolTable::insert), after making symbols.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    map: IndexMap<Arc<str>, Op, FxBuildHasher>,
}

impl SymbolTable {
    /// Collects the operations with a `sym_name` directly inside `table`; the first of equal names
    /// wins (duplicates are the verifier's business), but a `memref.global` loses to anything else:
    /// designs of early 2025 give the type of a shim DMA allocation by a global of its name, and older
    /// ones call the allocation of a fifo's end by the fifo's name.
    pub fn of(module: &Module, table: Op) -> SymbolTable {
        let mut symbols = SymbolTable::default();
        for region in module.regions_of(table) {
            for block in module.blocks_of(*region) {
                for op in module.block_ops(*block) {
                    let name = module.declared_attr(op, AttrName::sym_name);
                    if let Some(name) = name.and_then(Attr::as_str) {
                        let slot = symbols.map.entry(name.clone()).or_insert(op);
                        let hides = match module.kind(*slot) {
                            OpKind::MemrefGlobal => true,
                            OpKind::ShimDmaAllocation => module.kind(op) == OpKind::ObjectFifo,
                            _ => false,
                        };
                        if hides {
                            *slot = op;
                        }
                    }
                }
            }
        }
        symbols
    }

    /// The operation that defines a symbol.
    pub fn get(&self, name: &str) -> Option<Op> {
        self.map.get(name).copied()
    }

    /// Adds or replaces a symbol.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, op: Op) {
        self.map.insert(name.into(), op);
    }

    /// `base`, or `base_0`, `base_1`… whichever is free first.
    pub fn unique_name(&self, base: &str) -> String {
        if !self.map.contains_key(base) {
            return base.to_string();
        }
        let mut n = 0usize;
        loop {
            let name = format!("{base}_{n}");
            if !self.map.contains_key(name.as_str()) {
                return name;
            }
            n += 1;
        }
    }

    /// All symbols in textual order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Op)> {
        self.map.iter().map(|(name, op)| (&**name, *op))
    }
}
