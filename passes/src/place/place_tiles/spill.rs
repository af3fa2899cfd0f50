//! Fifos that a core keeps to itself move to a neighbour's memory where its own is too small:
//! the placement by annealing writes `aie.objectfifo.allocate` for them.

use aiec_aie::ir::{InsertPoint, Module, Op, Type};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{Core, Device, ObjectFifo, ObjectFifoAllocate, OpView, Tile};
use aiec_device::TileLoc;
use rustc_hash::{FxHashMap, FxHashSet};

use super::demand::{TileDemand, fifo_bytes};
use crate::infra::pass::PassContext;

/// Writes the allocations; all tiles are placed.
pub(super) fn allocate(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Option<()> {
    let model = Device(device).model(module)?;
    let demand = TileDemand::read(module, device);
    let mut handles = FxHashMap::default();
    let mut used: FxHashMap<TileLoc, u64> = FxHashMap::default();
    for tile in module.children::<Tile>(device) {
        let (loc, handle) = tile.loc(module).zip(module.result(tile.op(), 0))?;
        handles.insert(loc, handle);
        *used.entry(loc).or_default() += demand.bytes(handle);
    }
    for core in module.children::<Core>(device) {
        *used.entry(core.tile_loc(module)?).or_default() += core.stack_bytes(module, model);
    }
    let moved: FxHashSet<String> = module
        .children::<ObjectFifoAllocate>(device)
        .iter()
        .map(|a| a.objFifo_name(module).to_string())
        .collect();
    for fifo in module.children::<ObjectFifo>(device) {
        let tiles = module.operands(fifo.op());
        let ends: Vec<_> = tiles.map(|t| tile_loc(module, t)).collect();
        let home = ends.first().copied().flatten()?;
        let private = ends.len() == 2 && ends[1] == Some(home);
        let name = fifo.sym_name(module).to_string();
        if !private || moved.contains(&name) {
            continue;
        }
        let capacity = |loc: TileLoc| model.tile(loc).map_or(0, |t| u64::from(t.memory_bytes));
        let bytes = fifo_bytes(module, fifo);
        let filled = |loc: &TileLoc| used.get(loc).copied().unwrap_or(0);
        if filled(&home) <= capacity(home) {
            continue;
        }
        let room = |loc: &TileLoc| {
            *loc != home
                && model.core_window_to(home, *loc).is_some()
                && filled(loc) + bytes <= capacity(*loc)
        };
        let all = model.tiles().filter(room);
        let Some(neighbour) = all.min_by_key(|loc| (filled(loc), *loc)) else {
            continue;
        };
        let loc = module.derived_loc(context.pass, fifo.op());
        let handle = match handles.get(&neighbour) {
            Some(handle) => *handle,
            None => {
                let start = InsertPoint::Start(module.entry(device, 0)?);
                let handle = Tile::build(module, loc, neighbour.col, neighbour.row)
                    .insert_value(Type::Index, start);
                handles.insert(neighbour, handle);
                handle
            }
        };
        ObjectFifoAllocate::build(module, loc, handle, name).insert(InsertPoint::After(fifo.op()));
        *used.entry(home).or_default() -= bytes;
        *used.entry(neighbour).or_default() += bytes;
        context.count("fifos moved to a neighbour", 1);
    }
    Some(())
}
