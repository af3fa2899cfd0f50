//! Arrays that a core would need several of at a time. Each `memref.alloc` has one place in memory, whichever
//! pass of a loop or call of its function executes it: what a later pass or call makes must not be used
//! together with what an earlier one made.

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use rustc_hash::FxHashSet;

use super::Lowering;
use crate::codes::UNSUPPORTED_OP;

/// Operands of `scf.for` before those that it carries.
const LOOP_BOUNDS: usize = 3;

/// Where the memory of an operation goes.
enum Fate {
    /// It isn't used beyond the pass or call.
    Ends,
    /// An operation passes it on to the next pass.
    NextPass(Op),
    /// The function gives it to its caller.
    Returned,
}

impl Lowering<'_, '_> {
    /// Whether every array of the program needs one place only; reports those that need more.
    pub(crate) fn one_place_is_enough(&mut self) -> bool {
        let allocs: Vec<Op> = self.placed.keys().copied().collect();
        let mut good = true;
        for alloc in allocs {
            let kind = self.module.kind(alloc);
            if matches!(kind, OpKind::MemrefAlloc | OpKind::MemrefAlloca) {
                good &= self.one_place_for(alloc).is_ok();
            }
        }
        good
    }

    fn one_place_for(&mut self, alloc: Op) -> Result<(), Reported> {
        // Calls of a function that returns the memory are as good as the alloc itself.
        let (mut open, mut seen) = (vec![alloc], FxHashSet::default());
        while let Some(maker) = open.pop() {
            if !seen.insert(maker) {
                continue;
            }
            match fate(self.module, maker) {
                Fate::Ends => {}
                Fate::NextPass(place) => {
                    let message = "memory that is allocated in a loop is used in the next pass, \
                                   and has one place for all passes";
                    let help = "allocate it before the loop, and copy what the next pass needs";
                    return Err(self.report(&UNSUPPORTED_OP, place, message.to_string(), help));
                }
                Fate::Returned => {
                    let callers = self.callers_of(maker);
                    if let [_, second, ..] = callers[..] {
                        let message = "a second call of a function that allocates what it returns: \
                                       that has one place for all calls";
                        let help = "allocate in the caller, and pass the memref to the function";
                        return Err(self.report(
                            &UNSUPPORTED_OP,
                            second,
                            message.to_string(),
                            help,
                        ));
                    }
                    open.extend(callers);
                }
            }
        }
        Ok(())
    }

    /// The calls in the program of the function around an operation.
    fn callers_of(&self, op: Op) -> Vec<Op> {
        let function = self.module.ancestor(op, OpKind::FuncFunc);
        function
            .map(|function| self.calls_of(function))
            .unwrap_or_default()
    }
}

/// Follows the memrefs that an operation makes.
fn fate(m: &Module, maker: Op) -> Fate {
    let around: FxHashSet<Op> =
        std::iter::successors(m.parent_op(maker), |op| m.parent_op(*op)).collect();
    let repeats = in_cycle_of_blocks(m, maker);
    let is_memref = |value: &Value| m.ty(*value).as_memref().is_some();
    let mut open: Vec<Value> = m.results(maker).filter(is_memref).collect();
    let mut seen: FxHashSet<Value> = open.iter().copied().collect();
    let mut returned = false;
    while let Some(value) = open.pop() {
        for (user, n) in m.uses(value) {
            let mut next: Vec<Value> = Vec::new();
            let mut of_next_pass: Option<Value> = None;
            match m.kind(user) {
                OpKind::ScfYield => {
                    let Some(parent) = m.parent_op(user) else {
                        continue;
                    };
                    next.extend(match m.kind(parent) {
                        OpKind::ScfWhile => None,
                        _ => m.result(parent, n),
                    });
                    let carried = match m.kind(parent) {
                        OpKind::ScfFor => argument(m, parent, n + 1),
                        OpKind::ScfWhile => argument(m, parent, n),
                        _ => None,
                    };
                    if around.contains(&parent) {
                        of_next_pass = carried
                    } else {
                        next.extend(carried)
                    }
                }
                OpKind::ScfCondition => {
                    if let (Some(parent), Some(n)) = (m.parent_op(user), n.checked_sub(1)) {
                        let after = m.entry(parent, 1);
                        next.extend(after.and_then(|block| m.block_args(block).get(n).copied()));
                        next.extend(m.result(parent, n));
                    }
                }
                OpKind::ScfFor => {
                    if let Some(n) = n.checked_sub(LOOP_BOUNDS) {
                        next.extend(argument(m, user, n + 1));
                        next.extend(m.result(user, n));
                    }
                }
                OpKind::ScfWhile => next.extend(argument(m, user, n)),
                OpKind::CfBr | OpKind::CfCondBr => {
                    let passed = passed_to(m, user, n);
                    if repeats {
                        of_next_pass = passed
                    } else {
                        next.extend(passed)
                    }
                }
                OpKind::FuncReturn => returned = true,
                _ => next.extend(m.results(user)),
            }
            if of_next_pass.is_some_and(|value| m.has_uses(value)) {
                return Fate::NextPass(user);
            }
            let next = next.into_iter().filter(is_memref);
            open.extend(next.filter(|value| seen.insert(*value)));
        }
    }
    if returned { Fate::Returned } else { Fate::Ends }
}

/// An argument of an operation's first block.
fn argument(m: &Module, op: Op, n: usize) -> Option<Value> {
    m.block_args(m.entry(op, 0)?).get(n).copied()
}

/// The block argument that an operand of a branch goes to.
fn passed_to(m: &Module, branch: Op, n: usize) -> Option<Value> {
    let successors = m.successors(branch);
    let (block, n) = match m.kind(branch) {
        OpKind::CfBr => (successors.first()?, n),
        _ => {
            let groups = m.operand_groups(branch);
            // The first group is the condition.
            let group = (1..groups.len()).find(|group| groups[*group].contains(&n))?;
            (successors.get(group - 1)?, n - groups[group].start)
        }
    };
    m.block_args(*block).get(n).copied()
}

/// Whether a path of branches leads from the block of an operation, or one around it, back to it.
fn in_cycle_of_blocks(m: &Module, op: Op) -> bool {
    std::iter::successors(Some(op), |op| m.parent_op(*op)).any(|op| {
        let Some(home) = m.parent_block(op) else {
            return false;
        };
        let (mut open, mut seen) = (vec![home], FxHashSet::default());
        while let Some(block) = open.pop() {
            let last = m.last_op(block);
            for next in last.map(|op| m.successors(op)).unwrap_or_default() {
                if *next == home {
                    return true;
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    })
}
