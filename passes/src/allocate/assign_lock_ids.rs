//! `aie-assign-lock-ids`: gives each lock a number of its tile.
//!
//! Numbers that are written are kept; the others take the lowest free ones of the tile in textual
//! order, as mlir-aie does (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignLockIDs.cpp`). Where a
//! tile runs out, unused locks (object fifos make such a pair at shim ends) are dropped before
//! anything is refused.

use aiec_aie::ir::{LocInfo, Module, Op};
use aiec_aie::ops::{Device, Lock, OpView};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::FxHashMap;

use super::numbered_locks;
use crate::analysis::budget::{TileBudget, locks_by_tile, name_of};
use crate::infra::pass::{PassContext, PassDef};
use crate::infra::self_check::{self, Defect};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-assign-lock-ids", run)
    .summary("Number the locks of each tile")
    .postconditions(&[
        "every lock has an id that its tile has",
        "no two locks of a tile share an id",
    ]);

codes! {
    /// Codes of `aie-assign-lock-ids`.
    pub static CODES;
    SAME_LOCK = "locks::same-id",
        "Two locks of one tile have the same number, so that they are one lock in hardware. Give \
         them different numbers, or leave the number of one of them to the compiler.";
    NO_SUCH_LOCK = "locks::no-such-id",
        "The tile has no lock of that number. Core and shim tiles have 16 locks, mem tiles 64; \
         numbers start at 0.";
    BAD_INIT = "locks::bad-init",
        "A lock's counter holds 0 to 63 (AIE1: 0 or 1); a larger initial value would wrap around. \
         An object fifo asks for depth times repeat_count.";
    NO_LOCK_LEFT = "locks::none-left",
        "More locks are asked for than the tile has. An object fifo end takes two; fewer fifos \
         ending on this tile, another tile, or disable_synchronization help.";
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    numbered_locks::resolve(module, device, context.pass);
    let mut tiles: FxHashMap<TileLoc, Vec<Lock>> = FxHashMap::default();
    for (loc, lock) in locks_by_tile(module, device) {
        check_init(module, model, lock, context);
        tiles.entry(loc).or_default().push(lock);
    }
    for loc in model.tiles() {
        if let Some(locks) = tiles.get(&loc) {
            assign_tile(module, device, loc, locks, model, context);
        }
    }
    context.diags.check()?;
    self_check::verify_in_debug(context, module, || check(module, device))
}

fn check_init(module: &Module, model: &DeviceModel, lock: Lock, context: &mut PassContext<'_>) {
    let max = i32::from(model.arch_model().max_lock_value);
    let Some(init) = lock.init(module).filter(|init| !(0..=max).contains(init)) else {
        return;
    };
    let name = name_of(module, lock.op());
    let message = format!("lock `{name}` starts at {init}, but a lock counts from 0 to {max}");
    context.report(
        Diag::error(&BAD_INIT, message)
            .label(module.span(lock.op()), "this initial value")
            .help("a smaller depth or repeat_count, or the right value if it is written here"),
    );
}

fn assign_tile(
    module: &mut Module,
    device: Op,
    loc: TileLoc,
    locks: &[Lock],
    model: &DeviceModel,
    context: &mut PassContext<'_>,
) {
    let limit = model.tile(loc).map_or(0, |t| usize::from(t.locks));
    let mut taken: Vec<Option<Lock>> = vec![None; limit];
    let mut free: Vec<Lock> = Vec::new();
    for lock in locks {
        let Some(id) = lock.lockID(module) else {
            free.push(*lock);
            continue;
        };
        match usize::try_from(id).ok().and_then(|id| taken.get_mut(id)) {
            None => context.report(no_such_lock(module, *lock, id, limit)),
            Some(slot @ None) => *slot = Some(*lock),
            Some(Some(first)) => context.report(same_lock(module, *first, *lock, id)),
        }
    }
    let room = taken.iter().filter(|t| t.is_none()).count();
    if free.len() > room {
        let excess = free.len() - room;
        drop_unused(module, &mut free, excess);
    }
    let mut ids = (0..limit).filter(|id| taken[*id].is_none());
    let mut left_over = Vec::new();
    for lock in free {
        match ids.next() {
            Some(id) => drop(lock.edit(module).lockID(id as i32)),
            None => left_over.push(lock),
        }
    }
    if !left_over.is_empty() {
        context.report(none_left(module, device, loc, &left_over, limit));
    }
}

/// Erases up to `excess` locks that passes made and nothing uses, the last ones first.
fn drop_unused(module: &mut Module, free: &mut Vec<Lock>, mut excess: usize) {
    let mut kept = Vec::with_capacity(free.len());
    for lock in free.drain(..).rev() {
        let result = module.result(lock.op(), 0);
        let used = result.is_none_or(|value| module.has_uses(value));
        // A lock of the source text may be meant for the host.
        let info = module.locs.info(module.loc(lock.op()));
        let made = matches!(info, LocInfo::Derived { .. });
        if excess > 0 && !used && made {
            module.erase(lock.op());
            excess -= 1;
        } else {
            kept.push(lock);
        }
    }
    free.extend(kept.into_iter().rev());
}

fn no_such_lock(module: &Module, lock: Lock, id: i32, limit: usize) -> Diag {
    let name = name_of(module, lock.op());
    let message = format!("lock `{name}` has number {id}, but its tile has {limit} locks");
    let help = match limit {
        0 => "this kind of tile has no locks; use a lock of another tile".to_string(),
        _ => format!(
            "a number from 0 to {}, or none to let the compiler choose",
            limit - 1
        ),
    };
    Diag::error(&NO_SUCH_LOCK, message)
        .label(module.span(lock.op()), "this number")
        .help(help)
}

fn same_lock(module: &Module, first: Lock, second: Lock, id: i32) -> Diag {
    let (a, b) = (name_of(module, first.op()), name_of(module, second.op()));
    let message = format!("lock `{b}` is assigned to the same lock ({id}) as another op, `{a}`");
    let tile = second.tile(module).and_then(|tile| module.value_span(tile));
    Diag::error(&SAME_LOCK, message)
        .label(module.span(second.op()), "the second one")
        .label(tile, "tile has lock ops assigned to same lock")
        .label(module.span(first.op()), "the first one")
        .help("leave the number of one of them out")
}

fn none_left(module: &Module, device: Op, loc: TileLoc, locks: &[Lock], limit: usize) -> Diag {
    let names: Vec<String> = locks.iter().map(|l| name_of(module, l.op())).collect();
    let message = format!(
        "tile {loc} has only {limit} locks: {} not allocated a lock",
        names.join(", ")
    );
    let mut diag = Diag::error(&NO_LOCK_LEFT, message);
    for lock in locks {
        diag = diag.label(module.span(lock.op()), "no lock is left for this");
    }
    let tile = locks.first().and_then(|lock| lock.tile(module));
    let only = format!("because only {limit} locks available in this tile");
    diag = diag.label(tile.and_then(|tile| module.value_span(tile)), only);
    diag.help("let fewer object fifos end here, or move some to another tile")
        .remark(TileBudget::of(module, device, loc).table())
}

/// Whether the ids of all locks are there, in range and unique on their tile; what is wrong
/// otherwise.
pub fn check(module: &Module, device: Op) -> Result<(), Defect> {
    let model = Device(device)
        .model(module)
        .ok_or_else(|| Defect::new(device, "unknown device"))?;
    let mut seen: FxHashMap<(TileLoc, i32), Op> = FxHashMap::default();
    for (loc, lock) in locks_by_tile(module, device) {
        let name = name_of(module, lock.op());
        let defect = |problem: String| Defect::new(lock.op(), format!("{name} {problem}"));
        let id = lock.lockID(module);
        let id = id.ok_or_else(|| defect("has no id".to_string()))?;
        let limit = model.tile(loc).map_or(0, |t| i32::from(t.locks));
        if !(0..limit).contains(&id) {
            return Err(defect(format!("has id {id} of {limit}")));
        }
        if seen.insert((loc, id), lock.op()).is_some() {
            return Err(defect(format!("shares id {id} of tile {loc}")));
        }
    }
    Ok(())
}
