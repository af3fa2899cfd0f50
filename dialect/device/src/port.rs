//! Names of stream switch ports.

use std::fmt;

use aiec_diag::named_enum;

named_enum! {
    /// A group of ports of a stream switch that face the same thing.
    ///
    /// The numbers are those of the dialect's `WireBundle` attribute
    /// (`mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`), which orders flows by them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Bundle {
        /// The core's stream ports.
        Core = 0 => "Core",
        /// DMA channels of the tile.
        Dma = 1 => "DMA",
        /// The switch's own FIFO.
        Fifo = 2 => "FIFO",
        /// The tile below, or the shim mux in a shim tile.
        South = 3 => "South",
        /// The tile to the left.
        West = 4 => "West",
        /// The tile above.
        North = 5 => "North",
        /// The tile to the right.
        East = 6 => "East",
        /// Programmable logic, through the shim mux.
        Plio = 7 => "PLIO",
        /// Network on chip, through the shim mux.
        Noc = 8 => "NOC",
        /// Trace units.
        Trace = 9 => "Trace",
        /// The tile's control packet handler, and the source of its task complete tokens.
        TileControl = 10 => "TileControl" | "Ctrl" | "CTRL",
        /// The stream port of the column's micro-controller (AIE2ps shim tiles).
        Controller32 = 11 => "Controller32",
    }
}

impl Bundle {
    /// The dialect's integer value.
    pub const fn value(self) -> u8 {
        self as u8
    }

    /// The bundle of this integer value.
    pub fn by_value(value: i64) -> Option<Bundle> {
        usize::try_from(value)
            .ok()
            .and_then(|at| Self::ALL.get(at).copied())
    }

    /// For the four directions, the bundle of the neighbour that faces this one.
    pub const fn opposite(self) -> Option<Bundle> {
        match self {
            Bundle::South => Some(Bundle::North),
            Bundle::North => Some(Bundle::South),
            Bundle::West => Some(Bundle::East),
            Bundle::East => Some(Bundle::West),
            _ => None,
        }
    }
}

/// One port of a stream switch: a bundle and a channel, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// Destination or source of the port.
    pub bundle: Bundle,
    /// Which of the bundle's ports.
    pub channel: u8,
}

impl Port {
    /// The port `bundle : channel`.
    pub const fn new(bundle: Bundle, channel: u8) -> Self {
        Port { bundle, channel }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}", self.bundle, self.channel)
    }
}
