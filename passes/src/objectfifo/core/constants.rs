//! Puts the constants of a core whose uses of fifos were lowered in order: each value once, at the
//! start of the core, as mlir-aie's canonicalisation leaves them, so that texts can be compared.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type};
use aiec_aie::ops::{ArithConstant, OpKind};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::walk::ConstantUses;

/// The constants that a core is written with.
pub(super) struct WrittenConstants {
    /// In textual order, with whether anything uses them.
    constants: Vec<(Op, bool)>,
}

impl WrittenConstants {
    pub fn read(module: &Module, core: Op) -> WrittenConstants {
        let all = module.find(core, OpKind::ArithConstant).into_iter();
        let is_used = |op: &Op| module.results(*op).any(|r| module.has_uses(r));
        WrittenConstants {
            constants: all.map(|op| (op, is_used(&op))).collect(),
        }
    }

    /// These constants and the new bounds of loops. What nothing used goes, unless a bound has its
    /// value: then the bound is in its place.
    pub fn with_bounds(self, module: &mut Module, bounds: Vec<Op>) -> Vec<Op> {
        let value = |module: &Module, op: Op| ArithConstant(op).value(module);
        let of_bounds: FxHashSet<Option<Attr>> =
            bounds.iter().map(|op| value(module, *op)).collect();
        let mut kept = Vec::with_capacity(self.constants.len() + bounds.len());
        let mut values: FxHashSet<Option<Attr>> = FxHashSet::default();
        for (op, used) in self.constants {
            // Those in a loop that was unrolled altogether are gone.
            if !module.is_live(op) {
                continue;
            }
            let value = value(module, op);
            if used || of_bounds.contains(&value) {
                kept.push(op);
                values.insert(value);
            } else {
                module.erase(op);
            }
        }
        let is_new = |op: &Op| !values.contains(&value(module, *op));
        kept.extend(bounds.into_iter().filter(is_new));
        kept
    }
}

/// Unites equal constants and drops unused ones. The written ones are in reverse order; after them
/// come the numbers of the uses of fifos as they are mentioned, then the other new ones as they are
/// used. The first amount goes before all.
///
/// `written` are the constants that the core had before, and bounds of unrolled loops.
pub(super) fn unite_constants(
    module: &mut Module,
    core: Op,
    written: &[Op],
    mentioned: &ConstantUses,
) -> Option<()> {
    let entry = module.entry(core, 0)?;
    let known: FxHashSet<Op> = written.iter().copied().collect();
    let mut groups: IndexMap<Attr, Vec<Op>, FxBuildHasher> = IndexMap::default();
    let mut made = module.find(core, OpKind::ArithConstant);
    made.retain(|op| !known.contains(op));
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    for (place, number) in mentioned.numbers.iter().enumerate() {
        places.entry(*number).or_insert(place);
    }
    // Numbers of operations grow, so they stand for the order in which they were made; the sort
    // leaves others as they are in the text.
    made.sort_by_key(|op| match ArithConstant(*op).value(module) {
        Some(Attr::Int(n, Type::I32)) => {
            let place = places.get(&n).copied().unwrap_or(usize::MAX);
            (false, place, Some(*op))
        }
        _ => (true, 0, None),
    });
    let there = written.iter().rev().filter(|op| module.is_live(**op));
    for op in there.copied().chain(made) {
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
