//! Each use of a value is dominated by its definition and sees it.

use rustc_hash::FxHashMap;

use super::codes;
use crate::ir::{Block, Module, Op, Region, Value, ValueDef};
use crate::ops::Traits;
use aiec_diag::{Diag, Diags};

pub(super) fn check(module: &Module, diags: &mut Diags) {
    let mut order = vec![0u32; module.op_count()];
    for (n, op) in module.walk(module.top()).enumerate() {
        if let Some(slot) = order.get_mut(op.index()) {
            *slot = n as u32;
        }
    }
    let mut checker = Checker {
        module,
        order,
        regions: FxHashMap::default(),
    };
    for op in module.walk(module.top()) {
        for (n, value) in module.operands(op).enumerate() {
            if let Some(problem) = checker.problem(op, value) {
                diags.push(
                    Diag::error(&codes::DOMINANCE, format!("operand #{n} {problem}"))
                        .label(module.span(op), "used here")
                        .label(module.value_span(value), "defined here")
                        .help("move the definition before the use, into a region around both"),
                );
            }
        }
    }
}

struct Checker<'m> {
    module: &'m Module,
    /// Number of each operation in a pre-order walk.
    order: Vec<u32>,
    /// Immediate dominators of the blocks of regions with several blocks.
    regions: FxHashMap<Region, Dominators>,
}

impl Checker<'_> {
    /// The problem with a use, if any.
    fn problem(&mut self, user: Op, value: Value) -> Option<&'static str> {
        let m = self.module;
        let (def_block, def_op) = match m.def(value) {
            ValueDef::Result(op, _) => {
                if !m.is_live(op) {
                    return Some("is the result of an operation that was removed");
                }
                (m.parent_block(op), Some(op))
            }
            ValueDef::Argument(block, _) => (Some(block), None),
        };
        let Some(def_block) = def_block else {
            return Some("is the result of an operation that is nowhere");
        };
        let region = m.block_region(def_block)?;
        // Climb from the user to the operation that is in the definition's region.
        let mut at = user;
        loop {
            let block = m.parent_block(at)?;
            if m.block_region(block) == Some(region) {
                return self.order_problem(def_block, def_op, block, at);
            }
            let Some(parent) = m.block_parent(block) else {
                return Some("is defined in a region that the use isn't in");
            };
            if m.kind(parent).has(Traits::ISOLATED) {
                return Some("is defined outside of an operation that sees nothing from outside");
            }
            if m.parent_block(parent).is_none() {
                return Some("is defined in a region that the use isn't in");
            }
            at = parent;
        }
    }

    fn order_problem(
        &mut self,
        def_block: Block,
        def_op: Option<Op>,
        use_block: Block,
        user: Op,
    ) -> Option<&'static str> {
        const PROBLEM: &str = "does not dominate this use";
        if def_block == use_block {
            let before = |op: Op| self.order.get(op.index()) < self.order.get(user.index());
            return (!def_op.is_none_or(before)).then_some(PROBLEM);
        }
        let region = self.module.block_region(def_block)?;
        let module = self.module;
        let dominators = self
            .regions
            .entry(region)
            .or_insert_with(|| Dominators::of(module, region));
        (!dominators.dominates(def_block, use_block)).then_some(PROBLEM)
    }
}

/// The dominator tree of a region's blocks. A block that can't be reached is dominated by all.
struct Dominators {
    /// Position in reverse post-order; blocks that can't be reached have none.
    number: FxHashMap<Block, usize>,
    /// Immediate dominator of the n-th block in reverse post-order.
    parent: Vec<usize>,
}

impl Dominators {
    fn of(module: &Module, region: Region) -> Dominators {
        let Some(entry) = module.blocks_of(region).first().copied() else {
            return Dominators {
                number: FxHashMap::default(),
                parent: Vec::new(),
            };
        };
        let order = reverse_post_order(module, entry);
        let number: FxHashMap<Block, usize> =
            order.iter().enumerate().map(|(n, b)| (*b, n)).collect();
        let mut predecessors = vec![Vec::new(); order.len()];
        for (n, block) in order.iter().enumerate() {
            for next in successors(module, *block) {
                if let Some(list) = number.get(next).and_then(|i| predecessors.get_mut(*i)) {
                    list.push(n);
                }
            }
        }
        Dominators {
            number,
            parent: immediate(&predecessors),
        }
    }

    fn dominates(&self, a: Block, b: Block) -> bool {
        let Some(mut at) = self.number.get(&b).copied() else {
            return true;
        };
        let Some(target) = self.number.get(&a).copied() else {
            return false;
        };
        while at > target {
            at = self.parent.get(at).copied().unwrap_or(0);
        }
        at == target
    }
}

fn successors(module: &Module, block: Block) -> &[Block] {
    module
        .last_op(block)
        .map_or(&[], |op| module.successors(op))
}

fn reverse_post_order(module: &Module, entry: Block) -> Vec<Block> {
    let mut seen: rustc_hash::FxHashSet<Block> = [entry].into_iter().collect();
    let mut stack = vec![(entry, 0)];
    let mut order = Vec::new();
    while let Some((block, n)) = stack.pop() {
        match successors(module, block).get(n) {
            Some(next) => {
                stack.push((block, n + 1));
                if seen.insert(*next) {
                    stack.push((*next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

/// Immediate dominators by iteration over reverse post-order (Cooper, Harvey and Kennedy, "A
/// Simple, Fast Dominance Algorithm"); the entry is its own.
fn immediate(predecessors: &[Vec<usize>]) -> Vec<usize> {
    let mut parent: Vec<Option<usize>> = vec![None; predecessors.len()];
    if let Some(entry) = parent.first_mut() {
        *entry = Some(0);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for n in 1..predecessors.len() {
            let known = predecessors[n]
                .iter()
                .copied()
                .filter(|p| parent[*p].is_some());
            let new = known.reduce(|a, b| meet(&parent, a, b));
            if new.is_some() && new != parent[n] {
                parent[n] = new;
                changed = true;
            }
        }
    }
    parent.into_iter().map(|p| p.unwrap_or(0)).collect()
}

fn meet(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = parent[a].unwrap_or(0);
        }
        while b > a {
            b = parent[b].unwrap_or(0);
        }
    }
    a
}
