//! `cse`: one operation for each pure expression, where the first dominates the others.
//!
//! An operation sees what is before it in its block, in the blocks that lead to its block as
//! the only way (and the first block of its region), and around its region unless that is closed.

use aiec_aie::ir::{Attr, Block, Module, Op, Type, Value};
use aiec_aie::ops::{OpKind, Traits};
use aiec_diag::Reported;
use rustc_hash::FxHashMap;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("cse", run)
    .summary("Merge equal pure operations")
    .postconditions(&["no pure operation repeats one that dominates it"]);

/// Key by which operations are equal.
#[derive(PartialEq, Eq, Hash)]
struct Expression {
    name: String,
    attrs: Vec<(String, Attr)>,
    operands: Vec<Value>,
    types: Vec<Type>,
}

/// The first operation for an expression in each block.
type ExpressionTable = FxHashMap<Block, Op>;

fn run(m: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut seen: FxHashMap<Expression, ExpressionTable> = FxHashMap::default();
    let before = only_predecessors(m);
    let all: Vec<Op> = m.walk(m.top()).collect();
    for op in all {
        // A walk meets operations before what they contain, and blocks in order.
        if !m.is_live(op) || !is_expression(m, op) {
            continue;
        }
        let Some(block) = m.parent_block(op) else {
            continue;
        };
        let places = seen.entry(expression(m, op)).or_default();
        let Some(first) = dominating(m, block, places, &before) else {
            places.insert(block, op);
            continue;
        };
        for (result, value) in m.results(op).zip(m.results(first)) {
            m.replace_all_uses(result, value);
        }
        m.erase(op);
        context.count("merged", 1);
    }
    Ok(())
}

fn is_expression(m: &Module, op: Op) -> bool {
    m.kind(op).has(Traits::PURE) && m.regions_of(op).is_empty() && m.num_results(op) > 0
}

fn expression(m: &Module, op: Op) -> Expression {
    let mut operands: Vec<Value> = m.operands(op).collect();
    if m.kind(op).has(Traits::COMMUTATIVE) {
        operands.sort();
    }
    Expression {
        name: m.op_name(op).to_string(),
        attrs: m
            .attrs(op)
            .map(|(key, value)| (key.to_string(), value.clone()))
            .collect(),
        operands,
        types: m.results(op).map(|value| m.ty(value).clone()).collect(),
    }
}

/// An operation met before that dominates what is to come in a block.
fn dominating(
    m: &Module,
    block: Block,
    places: &ExpressionTable,
    before: &FxHashMap<Block, Block>,
) -> Option<Op> {
    let mut at = block;
    loop {
        if let Some(found) = places.get(&at) {
            return Some(*found);
        }
        let region = m.block_region(at)?;
        let first = m.blocks_of(region).first().copied();
        if let Some(one) = before.get(&at).filter(|_| Some(at) != first) {
            at = *one;
            continue;
        }
        if let Some(found) = first.and_then(|first| places.get(&first)) {
            return Some(*found);
        }
        let parent = m.region_parent(region)?;
        if m.kind(parent).has(Traits::ISOLATED) || m.kind(parent) == OpKind::Unknown {
            return None;
        }
        at = m.parent_block(parent)?;
    }
}

/// The blocks that have one predecessor only, which is before them in the text (so that the
/// way back along them ends).
fn only_predecessors(m: &Module) -> FxHashMap<Block, Block> {
    let mut leading: FxHashMap<Block, Option<Block>> = FxHashMap::default();
    let mut order: FxHashMap<Block, usize> = FxHashMap::default();
    for op in m.walk(m.top()) {
        for region in m.regions_of(op) {
            for (n, block) in m.blocks_of(*region).iter().enumerate() {
                order.insert(*block, n);
                for to in m
                    .last_op(*block)
                    .map(|op| m.successors(op))
                    .unwrap_or_default()
                {
                    leading
                        .entry(*to)
                        .and_modify(|one| *one = one.filter(|one| one == block))
                        .or_insert(Some(*block));
                }
            }
        }
    }
    let one = leading
        .into_iter()
        .filter_map(|(to, from)| Some((to, from?)));
    one.filter(|(to, from)| order.get(from) < order.get(to))
        .collect()
}
