//! Resets that bring an array in an unknown state to where control code can begin.
//!
//! A partition is reset when it is handed out, and control code relies on that. Where it may begin
//! after something else (a host that keeps its partition, a run that was given up),
//! `--prologue=reset` adds the resets in front of it, for the tiles that the design uses:
//!
//! 1. Cores, all channels and the stream switch are put into reset, and so are the cores and
//!    channels around that can reach the tile's memory and locks. Words in streams are lost, and so
//!    are the transfers of a shim tile: its channels are reset with its NoC module.
//! 2. All but cores are let out of reset, and registers that may have been set before are cleared.
//!
//! All controllers have done a step before one begins the next. Memory isn't cleared, nor are locks
//! and descriptors that the design doesn't use: nothing reads them. Trace units and counters go on:
//! they change no data.

use std::collections::BTreeSet;

use aiec_aie::ir::Loc;
use aiec_device::regmap::{CoreControl, Module as Part, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::named_enum;

use super::teardown::{STREAM_SWITCH_RESET, reset, switch_reset};
use crate::regops::{MAX_GAP_WORDS, RegOp};
use aiec_regprog::known_values::merge;

named_enum! {
    /// Code in front of control code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Prologue {
        /// Nothing: the array is as after its reset.
        None => "none",
        /// Resets the parts that the design uses: the state of the array is unknown.
        Reset => "reset",
    }
}

/// The default of a compilation.
pub const DEFAULT_PROLOGUE: Prologue = Prologue::None;

/// NoC_Module_Reset of Module_Reset_Control_1 of shim tiles: it resets their DMA, which has no reset of
/// its own (AM025, AM029).
const NOC_MODULE_RESET: u32 = 1;

/// The steps that reset what control code uses.
pub fn prologue(model: &'static DeviceModel, ops: &[&[RegOp]]) -> Vec<Vec<RegOp>> {
    let used: BTreeSet<TileLoc> = ops
        .iter()
        .flat_map(|ops| ops.iter())
        .map(|op| op.action.target(model).0)
        .filter(|tile| model.tile_kind(*tile).is_some())
        .collect();
    let around = around(model, &used);
    let (mut stop, mut clear) = (Vec::new(), Vec::new());
    let write = |list: &mut Vec<RegOp>, tile: TileLoc, what: RegisterRef, value: u32| {
        let address = model.register_address(tile, what);
        list.extend(address.map(|address| RegOp::write(address, value, Loc::UNKNOWN)));
    };
    let in_reset = CoreControl::IN_RESET;
    for tile in used.union(&around) {
        write(&mut stop, *tile, RegisterRef::CoreControl, in_reset.pack());
        for key in channels(model, *tile) {
            let ChannelId {
                tile,
                dir,
                index: channel,
            } = key;
            stop.extend(reset(model, key, Loc::UNKNOWN));
            if !used.contains(&tile) && tile.row != 0 {
                write(&mut clear, tile, RegisterRef::DmaCtrl { dir, channel }, 0);
            }
        }
    }
    for tile in &used {
        if let Some(address) = switch_reset(model, *tile) {
            stop.push(RegOp::write(address, STREAM_SWITCH_RESET, Loc::UNKNOWN));
            clear.push(RegOp::write(address, 0, Loc::UNKNOWN));
        }
        let noc = RegisterRef::Known {
            module: Part::Shim,
            name: "Module_Reset_Control_1",
            index: 0,
        };
        write(&mut stop, *tile, noc, NOC_MODULE_RESET);
        write(&mut clear, *tile, noc, 0);
        let map = model.register_map(*tile);
        let registers = map.into_iter().flat_map(|map| map.registers());
        for (_, what) in registers.filter(|(_, what)| is_cleared(*what)) {
            write(&mut clear, *tile, what, 0);
        }
    }
    let known = Default::default();
    [stop, clear]
        .map(|ops| merge(model, &ops, &known, MAX_GAP_WORDS))
        .into_iter()
        .collect()
}

/// Registers that have an effect on data whatever else is written.
pub(super) fn is_cleared(what: RegisterRef) -> bool {
    matches!(
        what,
        RegisterRef::MasterConfig { .. }
            | RegisterRef::SlaveConfig { .. }
            | RegisterRef::SlaveSlot { .. }
            | RegisterRef::DmaCtrl { .. }
            | RegisterRef::PadValue { .. }
            | RegisterRef::ShimMux
            | RegisterRef::ShimDemux
            | RegisterRef::CascadeControl
    )
}

/// Tiles that aren't used and whose core or channels can reach memory or locks of one that is, up to
/// the last column that is used: those after it belong to others.
fn around(model: &'static DeviceModel, used: &BTreeSet<TileLoc>) -> BTreeSet<TileLoc> {
    let last = used.iter().map(|tile| tile.col).max().unwrap_or(0);
    let others = model
        .tiles()
        .filter(|tile| !used.contains(tile) && tile.col <= last);
    let reaches = |tile: &TileLoc| match model.tile_kind(*tile) {
        Some(TileKind::Core) => {
            let mut windows = model.core_windows(*tile);
            windows.any(|window| used.contains(&window.owner))
        }
        Some(TileKind::Mem) => {
            let sides = [tile.col.checked_sub(1), tile.col.checked_add(1)];
            let mut sides = sides.into_iter().flatten();
            sides.any(|col| {
                let owner = TileLoc::new(col, tile.row);
                used.contains(&owner) && model.mem_tile_window(*tile, owner).is_some()
            })
        }
        _ => false,
    };
    others.filter(reaches).collect()
}

fn channels(model: &'static DeviceModel, tile: TileLoc) -> impl Iterator<Item = ChannelId> {
    let dma = model.tile(tile).and_then(|tile| tile.dma.as_ref());
    let of = move |dir| {
        let count = dma.map_or(0, |dma| dma.channels.get(dir));
        (0..count).map(move |channel| ChannelId::new(tile, dir, channel))
    };
    DmaDir::ALL.into_iter().flat_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_regprog::known_values::words_of;

    /// The tiles that a step writes to.
    fn tiles(model: &DeviceModel, ops: &[RegOp]) -> BTreeSet<TileLoc> {
        ops.iter().map(|op| op.action.target(model).0).collect()
    }

    #[test]
    fn who_can_reach_a_tile_is_stopped_too() {
        let model = DeviceModel::by_name("npu2").unwrap();
        let tile = TileLoc::new(2, 3);
        let lock = model.register_address(tile, RegisterRef::LockValue { id: 0 });
        let ops = [RegOp::write(lock.unwrap(), 1, Loc::UNKNOWN)];
        let [stop, clear] = &prologue(model, &[&ops])[..] else {
            panic!("two steps");
        };
        let around = [TileLoc::new(2, 2), tile, TileLoc::new(2, 4)];
        assert!(around.iter().all(|tile| tiles(model, stop).contains(tile)));
        // Columns after the last one are another's.
        assert!(tiles(model, stop).iter().all(|tile| tile.col <= 2));
        let words: usize = clear.iter().map(|op| words_of(op).count()).sum();
        let blocks = clear.iter().filter(|op| words_of(op).count() > 16).count();
        // Outputs, inputs and packet rules are a block each.
        assert!(words > 100 && blocks == 3, "{words} words, {blocks} blocks");
    }
}
