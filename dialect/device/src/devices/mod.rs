//! The generations and devices, one file for each generation, and how they are looked up.

pub(crate) mod aie1;
pub(crate) mod aie2;
pub(crate) mod aie2p;
pub(crate) mod aie2ps;

use crate::arch::{Arch, TileKind};
use crate::constants::{ArchModel, TileModel};
use crate::model::{DeviceModel, NocColumns, TileLoc};

/// A partition of an NPU: the same tiles, fewer columns.
const fn npu(
    name: &'static str,
    aliases: &'static [&'static str],
    value: u8,
    arch: Arch,
    columns: u8,
) -> DeviceModel {
    DeviceModel {
        name,
        aliases,
        value,
        arch,
        columns,
        rows: 6,
        mem_rows: 1,
        noc_columns: NocColumns::All,
        npu: true,
        controllers_per_column: 0,
    }
}

impl Arch {
    /// The constants of this generation.
    pub const fn model(self) -> &'static ArchModel {
        match self {
            Arch::Aie1 => &aie1::ARCH,
            Arch::Aie2 => &aie2::ARCH,
            Arch::Aie2p => &aie2p::ARCH,
            Arch::Aie2ps => &aie2ps::ARCH,
        }
    }

    /// The constants of a kind of tile; `None` where the generation has no such tile.
    pub const fn tile(self, kind: TileKind) -> Option<&'static TileModel> {
        let model = self.model();
        match kind {
            TileKind::Core => Some(&model.core),
            TileKind::Mem => model.mem.as_ref(),
            TileKind::ShimNoc => Some(&model.shim_noc),
            TileKind::ShimPl => model.shim_pl.as_ref(),
        }
    }
}

impl DeviceModel {
    /// Every device, in the order of the dialect's numbers.
    pub fn all() -> impl Iterator<Item = &'static DeviceModel> {
        let lists = [
            aie1::DEVICES,
            aie2::DEVICES,
            aie2p::DEVICES,
            aie2ps::DEVICES,
        ];
        lists.into_iter().flatten()
    }

    /// The device of this name, or of an older name of it (`npu1_4col` is `npu1`).
    pub fn by_name(name: &str) -> Option<&'static DeviceModel> {
        Self::all().find(|device| device.name == name || device.aliases.contains(&name))
    }

    /// The device of the dialect's integer value.
    pub fn by_value(value: i64) -> Option<&'static DeviceModel> {
        Self::all().find(|device| i64::from(device.value) == value)
    }

    /// The constants of the generation.
    pub const fn arch_model(&self) -> &'static ArchModel {
        self.arch.model()
    }

    /// The constants of the tile at a location; `None` off the grid.
    pub fn tile(&self, loc: TileLoc) -> Option<&'static TileModel> {
        self.tile_kind(loc).and_then(|kind| self.arch.tile(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_names_unique() {
        let values: Vec<u8> = DeviceModel::all().map(|device| device.value).collect();
        assert_eq!(values, (1..=16).collect::<Vec<u8>>());
        let mut names: Vec<&str> = DeviceModel::all()
            .flat_map(|device| device.aliases.iter().copied().chain([device.name]))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn grids() {
        let device = |name| DeviceModel::by_name(name).unwrap();
        let grid = |name| {
            let model = device(name);
            (
                model.columns(),
                model.rows(),
                model.mem_rows(),
                model.core_rows(),
            )
        };
        assert_eq!(grid("xcvc1902"), (50, 9, 1..1, 1..9));
        assert_eq!(grid("xcve2302"), (17, 4, 1..2, 2..4));
        assert_eq!(grid("xcve2802"), (38, 11, 1..3, 3..11));
        assert_eq!(grid("npu1_4col"), (4, 6, 1..2, 2..6));
        assert_eq!(grid("npu2"), (8, 6, 1..2, 2..6));
        assert_eq!(grid("npu2_7col"), (7, 6, 1..2, 2..6));
        assert_eq!(grid("xcve3858"), (36, 7, 1..3, 3..7));
        let kind = |name, col, row| device(name).tile_kind(TileLoc::new(col, row));
        assert_eq!(kind("xcve2302", 2, 0), Some(TileKind::ShimNoc));
        assert_eq!(kind("xcve2302", 4, 0), Some(TileKind::ShimPl));
        assert_eq!(kind("xcve2802", 0, 2), Some(TileKind::Mem));
        assert_eq!(kind("npu1", 4, 0), None);
        assert!(device("xcve3858").has_cert());
        assert!(!device("npu2").has_cert());
    }
}
