//! One constant for each value and type in each program, at its start.
//!
//! Programs keep their own: cores, DMA programs, sequences and functions are taken apart later, so
//! that a constant shared across their borders would be lost.

use aiec_aie::ir::InsertPoint;
use aiec_aie::ir::{Attr, Block, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, OpKind, OpView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::all_ops;

/// The constants at the start of each program.
#[derive(Default)]
struct Pool {
    by_value: FxHashMap<(Block, Attr, Type), Value>,
    kept: FxHashSet<Op>,
}

/// Merges and moves; how many constants went.
pub(super) fn run(m: &mut Module) -> u64 {
    let mut pool = Pool::default();
    let mut merged = 0;
    for op in all_ops(m) {
        let Some(constant) = ArithConstant::cast(m, op) else {
            continue;
        };
        let (Some(value), Some(result)) = (constant.value(m), m.result(op, 0)) else {
            continue;
        };
        let Some(start) = program_start(m, op) else {
            continue;
        };
        // Discardable attributes would be lost in a merge.
        if m.attrs(op).len() > 1 {
            continue;
        }
        let key = (start, value, m.ty(result).clone());
        if let Some(first) = pool.by_value.get(&key).copied() {
            m.replace_all_uses(result, first);
            m.erase(op);
            merged += 1;
            continue;
        }
        let in_place = m.parent_block(op) == Some(start)
            && m.prev_op(op)
                .is_none_or(|before| pool.kept.contains(&before));
        if !in_place {
            m.move_to(op, InsertPoint::Start(start));
        }
        pool.by_value.insert(key, result);
        pool.kept.insert(op);
    }
    merged
}

/// The first block of the program that an operation belongs to.
fn program_start(m: &Module, op: Op) -> Option<Block> {
    let mut block = m.parent_block(op)?;
    loop {
        let region = m.block_region(block)?;
        let parent = m.region_parent(region)?;
        let keeps = matches!(
            m.kind(parent),
            OpKind::Core
                | OpKind::Mem
                | OpKind::MemTileDma
                | OpKind::ShimDma
                | OpKind::BdChain
                | OpKind::RuntimeSequence
                | OpKind::FuncFunc
                | OpKind::Device
                | OpKind::BuiltinModule
                | OpKind::Unknown
        );
        if keeps {
            return m.blocks_of(region).first().copied();
        }
        block = m.parent_block(parent)?;
    }
}
