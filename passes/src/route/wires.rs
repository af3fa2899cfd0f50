//! `aie.wire` operations: which switchboxes, tiles and shim muxes face each other. They are
//! informational; their order is mlir-aie's
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIECreatePathFindFlows.cpp`), but bundles that a tile
//! doesn't have (the core of a mem tile, its east and west) get none.

use aiec_aie::ir::{Attr, Loc, Module, Op, Value};
use aiec_aie::ops::{OpKind, OpView, Tile, Wire};
use aiec_device::{Bundle, TileKind, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::end_of;
use crate::analysis::switches::Switches;

type WireEnd = (Value, Bundle);

/// Adds the wires between what is there; wires that the netlist has already stay single.
pub(crate) fn emit(module: &mut Module, device: Op, pass: &'static str, switches: &Switches) {
    let Some(body) = module.entry(device, 0) else {
        return;
    };
    let have = existing(module, device);
    let wires = wanted(module, device, switches);
    for (tile, (from, to)) in wires {
        if have.contains(&(from, to)) {
            continue;
        }
        let at = end_of(module, body);
        let loc = match module.def_op(tile) {
            Some(op) => module.derived_loc(pass, op),
            None => Loc::UNKNOWN,
        };
        module
            .build(OpKind::Wire, loc)
            .operands([from.0, to.0])
            .attr("source_bundle", Attr::i32(from.1.value().into()))
            .attr("dest_bundle", Attr::i32(to.1.value().into()))
            .insert(at);
    }
}

fn existing(module: &Module, device: Op) -> FxHashSet<(WireEnd, WireEnd)> {
    let wires = module.children::<Wire>(device).into_iter();
    wires
        .filter_map(|wire| {
            let from = (wire.source(module)?, wire.source_bundle(module)?);
            Some((from, (wire.dest(module)?, wire.dest_bundle(module)?)))
        })
        .collect()
}

/// The wires with the tile that each is made for.
fn wanted(module: &Module, device: Op, switches: &Switches) -> Vec<(Value, (WireEnd, WireEnd))> {
    let mut tiles: FxHashMap<TileLoc, Value> = FxHashMap::default();
    for tile in module.children::<Tile>(device) {
        let handle = module.result(tile.op(), 0);
        if let (Some(loc), Some(handle)) = (tile.loc(module), handle) {
            tiles.entry(loc).or_insert(handle);
        }
    }
    let value = |ops: &[Op]| module.result(*ops.first()?, 0);
    let switch = |tile: TileLoc| value(&switches.switch(tile)?.ops);
    let mut wires = Vec::new();
    for loc in switches.device.tiles() {
        let (Some(handle), Some(own)) = (tiles.get(&loc).copied(), switch(loc)) else {
            continue;
        };
        let has = |bundle| switches.device.master_count(loc, bundle) > 0;
        let west = loc.col.checked_sub(1).map(|col| TileLoc::new(col, loc.row));
        let south = loc.row.checked_sub(1).map(|row| TileLoc::new(loc.col, row));
        if let Some(west) = west.and_then(switch).filter(|_| has(Bundle::West)) {
            wires.push((handle, ((west, Bundle::East), (own, Bundle::West))));
        }
        if switches
            .device
            .tile_kind(loc)
            .is_some_and(TileKind::is_shim)
        {
            let mux = switches.muxes.get(&loc).and_then(|mux| value(&mux.ops));
            if let Some(mux) = mux {
                wires.push((handle, ((mux, Bundle::North), (own, Bundle::South))));
                wires.push((handle, ((handle, Bundle::Dma), (mux, Bundle::Dma))));
            }
        } else {
            for bundle in [Bundle::Core, Bundle::Dma].into_iter().filter(|b| has(*b)) {
                wires.push((handle, ((handle, bundle), (own, bundle))));
            }
        }
        if let Some(south) = south.and_then(switch) {
            wires.push((handle, ((south, Bundle::North), (own, Bundle::South))));
        }
    }
    wires
}
