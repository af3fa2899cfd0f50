//! Devices: a name, a generation and a grid.

use std::fmt;
use std::ops::Range;

use crate::arch::{Arch, TileKind};

/// A tile by column and row, both from 0; row 0 is the shim row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileLoc {
    /// Column, relative to the partition on devices that have partitions.
    pub col: u8,
    /// Row.
    pub row: u8,
}

impl TileLoc {
    /// The tile at a column and a row.
    pub const fn new(col: u8, row: u8) -> Self {
        TileLoc { col, row }
    }
}

impl fmt::Display for TileLoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.col, self.row)
    }
}

/// Which shim columns have a DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NocColumns {
    All,
    These(&'static [u8]),
}

/// One device of the dialect.
#[derive(Clone, Copy, Debug)]
pub struct DeviceModel {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// The dialect's `AIEDevice` number.
    pub(crate) value: u8,
    pub(crate) arch: Arch,
    pub(crate) columns: u8,
    pub(crate) rows: u8,
    pub(crate) mem_rows: u8,
    pub(crate) noc_columns: NocColumns,
    pub(crate) npu: bool,
    pub(crate) controllers_per_column: u8,
}

impl DeviceModel {
    /// The dialect's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Other names that the dialect used for this device.
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// The dialect's `AIEDevice` number.
    pub const fn value(&self) -> u8 {
        self.value
    }

    /// The generation.
    #[inline]
    pub const fn arch(&self) -> Arch {
        self.arch
    }

    /// Number of columns.
    pub const fn columns(&self) -> u8 {
        self.columns
    }

    /// Number of rows, the shim row included.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Rows of mem tiles; empty on AIE1.
    pub const fn mem_rows(&self) -> Range<u8> {
        1..1 + self.mem_rows
    }

    /// Rows of core tiles.
    pub const fn core_rows(&self) -> Range<u8> {
        1 + self.mem_rows..self.rows
    }

    /// Whether the device is an NPU (its shim has no programmable logic side).
    pub const fn is_npu(&self) -> bool {
        self.npu
    }

    /// Whether micro-controllers that run CERT sit in the shim row. Without them control code is
    /// for the simulator only.
    pub const fn has_cert(&self) -> bool {
        self.controllers_per_column > 0
    }

    /// Whether a location is on the grid.
    #[inline]
    pub const fn contains(&self, loc: TileLoc) -> bool {
        loc.col < self.columns && loc.row < self.rows
    }

    /// The kind of the tile at a location; `None` off the grid.
    #[inline]
    pub fn tile_kind(&self, loc: TileLoc) -> Option<TileKind> {
        if !self.contains(loc) {
            None
        } else if loc.row == 0 {
            let noc = match self.noc_columns {
                NocColumns::All => true,
                NocColumns::These(columns) => columns.contains(&loc.col),
            };
            Some(if noc {
                TileKind::ShimNoc
            } else {
                TileKind::ShimPl
            })
        } else if loc.row <= self.mem_rows {
            Some(TileKind::Mem)
        } else {
            Some(TileKind::Core)
        }
    }

    /// All locations, column by column and upward in each.
    pub fn tiles(&self) -> impl Iterator<Item = TileLoc> + use<> {
        let rows = self.rows;
        (0..self.columns).flat_map(move |col| (0..rows).map(move |row| TileLoc { col, row }))
    }
}
