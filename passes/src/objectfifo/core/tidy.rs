//! Puts the constants of a core whose uses of fifos were lowered in order: each value once, at the
//! start of the core, as mlir-aie's canonicalisation leaves them, so that texts can be compared.

use aiec_dialect::ir::{Attr, InsertPoint, Module, Op, Type};
use aiec_dialect::ops::{ArithConstant, OpKind};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::walk::Mentioned;

/// Unites equal constants and drops those that nobody uses. The written ones stand in reverse
/// order; behind them the numbers of the uses of fifos as they are mentioned, then the other new
/// ones as they were made. The first amount goes before all.
///
/// `written` are the constants that the core had before, and bounds of unrolled loops.
pub(super) fn unite_constants(
    module: &mut Module,
    core: Op,
    written: &[Op],
    mentioned: &Mentioned,
) -> Option<()> {
    let entry = module.entry(core, 0)?;
    let known: FxHashSet<Op> = written.iter().copied().collect();
    let mut groups: IndexMap<Attr, Vec<Op>, FxBuildHasher> = IndexMap::default();
    let mut made: Vec<Op> = module
        .find(core, OpKind::ArithConstant)
        .into_iter()
        .filter(|op| !known.contains(op))
        .collect();
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    for (place, number) in mentioned.numbers.iter().enumerate() {
        places.entry(*number).or_insert(place);
    }
    // Numbers of operations grow, so they stand for the order in which they were made.
    made.sort_by_cached_key(|op| match ArithConstant(*op).value(module) {
        Some(Attr::Int(n, Type::I32)) => {
            (false, places.get(&n).copied().unwrap_or(usize::MAX), *op)
        }
        _ => (true, 0, *op),
    });
    let there: Vec<Op> = written
        .iter()
        .copied()
        .filter(|op| module.is_live(*op))
        .collect();
    for op in there.into_iter().rev().chain(made) {
        let value = ArithConstant(op).value(module)?;
        groups.entry(value).or_default().push(op);
    }
    let first = mentioned.first.map(|n| Attr::Int(n, Type::I32));
    if let Some(at) = first.and_then(|first| groups.get_index_of(&first)) {
        groups.move_index(at, 0);
    }
    let mut at = InsertPoint::Start(entry);
    for ops in groups.into_values() {
        let (keep, others) = ops.split_first()?;
        let kept = module.result(*keep, 0)?;
        for op in others {
            let result = module.result(*op, 0)?;
            module.replace_all_uses(result, kept);
            module.erase(*op);
        }
        if module.has_uses(kept) {
            module.move_to(*keep, at);
            at = InsertPoint::After(*keep);
        } else {
            module.erase(*keep);
        }
    }
    Some(())
}
