//! Passes of a loop that change locks in the same way, by what the loop is or by what its first passes did.

use aiec_aie::ir::{Block, Module, Op, Value};
use aiec_aie::ops::OpKind;
use rustc_hash::FxHashSet;

use super::core_locks::LockSegment;

/// Passes repeat after as many as come so often among those that are executed.
const MIN_PERIODS: usize = 3;

/// Effect of the passes of a loop.
pub(super) struct RepeatedPasses {
    /// Passes before those that repeat.
    pub first: usize,
    /// How many passes on the changes are the same again.
    period: usize,
}

impl RepeatedPasses {
    /// Each pass changes the same.
    pub const EACH: RepeatedPasses = RepeatedPasses {
        first: 0,
        period: 1,
    };

    /// `None`: no period shows.
    pub fn of(passes: &[LockSegment]) -> Option<RepeatedPasses> {
        (1..=passes.len() / MIN_PERIODS).find_map(|period| {
            let same = |at: &usize| passes[*at].changes == passes[at + period].changes;
            let differs = (0..passes.len() - period).rfind(|at| !same(at));
            let first = differs.map_or(0, |at| at + 1);
            let found = passes.len() - first >= MIN_PERIODS * period;
            found.then_some(RepeatedPasses { first, period })
        })
    }

    /// Changes in one period, the last of those that were executed.
    pub fn changes(&self, passes: &[LockSegment]) -> LockSegment {
        let mut sum = LockSegment::default();
        let last = &passes[passes.len() - self.period..];
        last.iter().for_each(|pass| sum.append(pass, 1));
        sum
    }

    /// Adds `count` passes more than were executed.
    pub fn append_more(&self, passes: &[LockSegment], count: i64, sum: &mut LockSegment) {
        let last = &passes[passes.len() - self.period..];
        let period = last.len() as i64;
        for (at, pass) in (0..).zip(last) {
            sum.append(pass, count / period + i64::from(at < count % period));
        }
    }
}

/// Whether an operation is around lock operations.
pub(super) fn uses_locks(module: &Module, op: Op) -> bool {
    let mut inside = module.walk(op);
    !module.regions_of(op).is_empty() && inside.any(|op| module.kind(op) == OpKind::UseLock)
}

/// Whether what the lock operations of a block change may depend on values; those computed from them are added.
pub(super) fn locks_depend_on(
    module: &Module,
    block: Block,
    values: &mut FxHashSet<Value>,
) -> bool {
    module.ops_in(block).into_iter().any(|op| {
        let depends = module.operands(op).any(|operand| values.contains(&operand));
        if module.kind(op) == OpKind::UseLock {
            return depends;
        }
        if uses_locks(module, op) {
            let known = [OpKind::ScfFor, OpKind::ScfIf, OpKind::ScfExecuteRegion];
            let simple = known.contains(&module.kind(op)) && module.results(op).next().is_none();
            let regions = module.regions_of(op).iter();
            let mut blocks = regions.flat_map(|region| module.blocks_of(*region));
            return depends
                || !simple
                || blocks.any(|block| locks_depend_on(module, *block, values));
        }
        if depends {
            values.extend(module.results(op));
        }
        false
    })
}
