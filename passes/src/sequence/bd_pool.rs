//! Which buffer descriptors of each tile are taken while a sequence runs.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{
    DmaBd, DmaConfigureTaskFor, NpuDmaMemcpyNd, NpuWriteBd, OpKind, OpView, ShimDmaAllocation,
};
use aiec_device::{DeviceModel, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::budget::{dma_containers, tile_of_op};

/// The BDs of all tiles.
pub(crate) struct BdPools {
    model: &'static DeviceModel,
    tiles: FxHashMap<TileLoc, Vec<Option<Op>>>,
    /// Numbers that memcpys, `writebd`s and tasks of the sequence name: taken by other tasks only when no
    /// other is left.
    named: FxHashSet<(TileLoc, u8)>,
}

impl BdPools {
    /// The pools with the BDs of the device's DMA programs taken.
    pub(crate) fn of(
        module: &Module,
        device: Op,
        model: &'static DeviceModel,
        sequence: Op,
    ) -> BdPools {
        let mut pools = BdPools {
            model,
            tiles: FxHashMap::default(),
            named: named(module, device, sequence),
        };
        for container in dma_containers(module, device) {
            let Some(loc) = tile_of_op(module, container) else {
                continue;
            };
            for channel in dma_channels(module, container) {
                for slot in channel.bds {
                    let id = slot
                        .bd
                        .bd_id(module)
                        .and_then(|id| usize::try_from(id).ok());
                    let pool = pools.pool(loc);
                    if let Some(entry) = id.and_then(|id| pool.get_mut(id)) {
                        *entry = Some(slot.bd.op());
                    }
                }
            }
        }
        pools
    }

    /// Number of a tile's BDs.
    pub(crate) fn count(&self, tile: TileLoc) -> u8 {
        let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
        dma.map_or(0, |dma| dma.bds)
    }

    /// The BDs that a channel of the tile may use.
    pub(crate) fn range(&self, tile: TileLoc, channel: u8) -> std::ops::Range<u8> {
        let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
        dma.map_or(0..0, |dma| dma.bd_range(channel))
    }

    /// Who has a BD.
    pub(crate) fn owner(&self, tile: TileLoc, id: u8) -> Option<Op> {
        *self.tiles.get(&tile)?.get(usize::from(id))?
    }

    /// The lowest free BD that a channel may use.
    pub(crate) fn free(&self, tile: TileLoc, channel: u8) -> Option<u8> {
        let mut range = self.range(tile, channel);
        let free = |id: &u8| self.owner(tile, *id).is_none();
        range
            .clone()
            .find(|id| free(id) && !self.named.contains(&(tile, *id)))
            .or_else(|| range.find(free))
    }

    /// Takes a BD.
    pub(crate) fn take(&mut self, tile: TileLoc, id: u8, owner: Op) {
        if let Some(entry) = self.pool(tile).get_mut(usize::from(id)) {
            *entry = Some(owner);
        }
    }

    /// Gives a BD back.
    pub(crate) fn give_back(&mut self, tile: TileLoc, id: u8) {
        if let Some(entry) = self.pool(tile).get_mut(usize::from(id)) {
            *entry = None;
        }
    }

    fn pool(&mut self, tile: TileLoc) -> &mut Vec<Option<Op>> {
        let count = usize::from(self.count(tile));
        self.tiles.entry(tile).or_insert_with(|| vec![None; count])
    }
}

fn named(module: &Module, device: Op, sequence: Op) -> FxHashSet<(TileLoc, u8)> {
    let mut tiles: FxHashMap<String, TileLoc> = FxHashMap::default();
    for allocation in module.children::<ShimDmaAllocation>(device) {
        if let Some(loc) = allocation.tile_loc(module) {
            let name = allocation.sym_name(module);
            if let Some(fifo) = name.strip_suffix("_shim_alloc") {
                tiles.insert(fifo.to_string(), loc);
            }
            tiles.insert(name.to_string(), loc);
        }
    }
    let mut named = FxHashSet::default();
    for op in module.walk(sequence) {
        let tile = match module.kind(op) {
            OpKind::NpuDmaMemcpyNd => {
                let memcpy = NpuDmaMemcpyNd(op);
                let tile = tiles.get(&*memcpy.metadata(module));
                let id = u8::try_from(memcpy.id(module)).ok();
                named.extend(tile.copied().zip(id));
                continue;
            }
            OpKind::NpuWriteBd => {
                let bd = NpuWriteBd(op);
                let place = u8::try_from(bd.column(module)).ok();
                let place = place.zip(u8::try_from(bd.row(module)).ok());
                let tile = place.map(|(col, row)| TileLoc::new(col, row));
                named.extend(tile.zip(u8::try_from(bd.bd_id(module)).ok()));
                continue;
            }
            OpKind::DmaConfigureTask => tile_of_op(module, op),
            OpKind::DmaConfigureTaskFor => {
                let name = DmaConfigureTaskFor(op).alloc(module);
                tiles.get(&*name).copied()
            }
            _ => continue,
        };
        for bd in module.find(op, OpKind::DmaBd) {
            let id = DmaBd(bd).bd_id(module).and_then(|id| u8::try_from(id).ok());
            named.extend(tile.zip(id));
        }
    }
    named
}
