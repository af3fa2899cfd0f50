//! Control flow that constants decide, and blocks that nothing reaches.

use aiec_aie::ir::{Block, InsertPoint, Module, Op, Region, Value};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{CfBr, OpKind, OpView, ScfFor, Traits};
use rustc_hash::FxHashSet;

use super::all_ops;

/// Simplifies everything once; how much.
pub(super) fn run(m: &mut Module) -> u64 {
    let mut changes = 0;
    for op in all_ops(m) {
        if !m.is_live(op) {
            continue;
        }
        let done = match m.kind(op) {
            OpKind::ScfIf => decided_if(m, op),
            OpKind::ScfFor => short_loop(m, op),
            OpKind::CfCondBr => decided_branch(m, op),
            _ => None,
        };
        changes += u64::from(done.is_some());
    }
    for op in all_ops(m) {
        if m.is_live(op) {
            for region in m.regions_of(op).to_vec() {
                changes += unreached_blocks(m, region);
            }
        }
    }
    changes
}

/// The operations of a block, without its terminator, take an operation's place; the values that
/// the terminator gives take the place of its results.
fn inline(m: &mut Module, op: Op, block: Block) -> Option<()> {
    let ops = m.ops_in(block);
    let (last, rest) = match ops.split_last() {
        Some((last, rest)) if m.kind(*last).has(Traits::TERMINATOR) => (Some(*last), rest),
        _ => (None, ops.as_slice()),
    };
    let yielded: Vec<Value> = last.map(|op| m.operands(op).collect()).unwrap_or_default();
    if yielded.len() != m.num_results(op) {
        return None;
    }
    for inner in rest {
        m.move_to(*inner, InsertPoint::Before(op));
    }
    for (result, value) in m.results(op).zip(yielded) {
        m.replace_all_uses(result, value);
    }
    m.erase(op);
    Some(())
}

/// Replaces each `scf.if` of a constant inside an operation by the branch that is taken; how many.
pub(crate) fn decide_ifs(m: &mut Module, inside: Op) -> usize {
    let mut decided = 0;
    for op in m.find(inside, OpKind::ScfIf) {
        // One in a branch that isn't taken went with it.
        if m.is_live(op) && decided_if(m, op).is_some() {
            decided += 1;
        }
    }
    decided
}

/// `scf.if` of a constant.
fn decided_if(m: &mut Module, op: Op) -> Option<()> {
    let yes = const_int(m, m.operand(op, 0)?)? != 0;
    let region = m.region(op, usize::from(!yes))?;
    match *m.blocks_of(region) {
        [block] => inline(m, op, block),
        // No `else`.
        [] if m.num_results(op) == 0 => {
            m.erase(op);
            Some(())
        }
        _ => None,
    }
}

/// `scf.for` that runs never or once.
fn short_loop(m: &mut Module, op: Op) -> Option<()> {
    let view = ScfFor::cast(m, op)?;
    let trips = view.trips(m)?;
    let inits: Vec<Value> = m.operands(op).skip(3).collect();
    if trips == 0 {
        for (result, init) in m.results(op).zip(inits) {
            m.replace_all_uses(result, init);
        }
        m.erase(op);
        return Some(());
    }
    if trips > 1 {
        return None;
    }
    let body = m.entry(op, 0)?;
    let args = m.block_args(body).to_vec();
    let first = view.lower(m)?;
    for (arg, value) in args.into_iter().zip(std::iter::once(first).chain(inits)) {
        m.replace_all_uses(arg, value);
    }
    inline(m, op, body)
}

/// `cf.cond_br` of a constant, or with one target.
fn decided_branch(m: &mut Module, op: Op) -> Option<()> {
    let groups = m.operand_groups(op);
    let yes = const_int(m, m.operand(op, 0)?)? != 0;
    let target = *m.successors(op).get(usize::from(!yes))?;
    let group = groups.get(if yes { 1 } else { 2 })?.clone();
    let args: Vec<Value> = m.operands(op).collect();
    let args = args.get(group)?.to_vec();
    let loc = m.loc(op);
    CfBr::build(m, loc)
        .operands(args)
        .successor(target)
        .insert(InsertPoint::Before(op));
    m.erase(op);
    Some(())
}

/// Removes the blocks that no path from the first one reaches; how many.
fn unreached_blocks(m: &mut Module, region: Region) -> u64 {
    let blocks = m.blocks_of(region).to_vec();
    let Some(entry) = blocks.first().copied().filter(|_| blocks.len() > 1) else {
        return 0;
    };
    let mut reached = FxHashSet::default();
    let mut stack = vec![entry];
    while let Some(block) = stack.pop() {
        if reached.insert(block) {
            for op in m.ops_in(block) {
                stack.extend_from_slice(m.successors(op));
            }
        }
    }
    let dead: Vec<Block> = blocks
        .into_iter()
        .filter(|b| !reached.contains(b))
        .collect();
    let ops: Vec<Op> = dead.iter().flat_map(|block| m.ops_in(*block)).collect();
    for op in ops.into_iter().rev() {
        m.erase(op);
    }
    let count = dead.len() as u64;
    for block in dead {
        m.erase_block(block);
    }
    count
}
