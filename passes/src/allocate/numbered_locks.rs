//! Locks that cores name by the numbers in their instructions, the form that `aie-localize-locks`
//! prints: which neighbour's lock a number is, the core's windows say.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{Core, Device, Lock, OpKind, OpView, Tile, UseLock};
use aiec_device::{LockId, TileLoc};
use rustc_hash::FxHashMap;

/// Gives cores the locks themselves, declared where they aren't yet. Numbers that name no lock stay,
/// and are refused with the core.
pub(super) fn resolve(module: &mut Module, device: Op, pass: &'static str) {
    let Some(model) = Device(device).model(module) else {
        return;
    };
    let mut known: FxHashMap<(TileLoc, i32), Value> = FxHashMap::default();
    let mut tiles: FxHashMap<TileLoc, Value> = FxHashMap::default();
    let Some(entry) = module.entry(device, 0) else {
        return;
    };
    for op in module.ops_in(entry) {
        let value = module.result(op, 0);
        if let Some(lock) = Lock::cast(module, op) {
            let place = lock.tile_loc(module).zip(lock.lockID(module));
            known.extend(place.zip(value));
        } else if let Some(tile) = Tile::cast(module, op) {
            tiles.extend(tile.loc(module).zip(value));
        }
        let here = Core::cast(module, op).and_then(|core| core.tile_loc(module));
        let Some(here) = here else { continue };
        for used in module.find_all::<UseLock>(op) {
            let number = used.lock(module).and_then(|lock| const_int(module, lock));
            let lock = number.and_then(|n| model.resolve_core_lock(here, u8::try_from(n).ok()?));
            let Some(LockId {
                tile: there,
                index: id,
            }) = lock.filter(|_| used.lock_op(module).is_none())
            else {
                continue;
            };
            let loc = module.derived_loc(pass, used.op());
            let at = InsertPoint::Before(op);
            let lock = known.get(&(there, id.into())).copied().or_else(|| {
                let tile = tiles.get(&there).copied().or_else(|| {
                    let tile = module
                        .build(OpKind::Tile, loc)
                        .attr("col", Attr::i32(there.col.into()))
                        .attr("row", Attr::i32(there.row.into()))
                        .result(Type::Index)
                        .insert(at);
                    module.result(tile, 0)
                })?;
                tiles.insert(there, tile);
                let lock = module
                    .build(OpKind::Lock, loc)
                    .operand(tile)
                    .attr("lockID", Attr::i32(id.into()))
                    .result(Type::Index)
                    .insert(at);
                module.result(lock, 0)
            });
            if let Some(lock) = lock {
                known.insert((there, id.into()), lock);
                module.set_operand(used.op(), 0, lock);
            }
        }
    }
}
