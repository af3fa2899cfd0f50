//! Names of stream switch ports.

use std::fmt;

/// A group of ports of a stream switch that face the same thing.
///
/// The numbers are those of the dialect's `WireBundle` attribute
/// (`mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`), which orders flows by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Bundle {
    /// The core's stream ports.
    Core = 0,
    /// DMA channels of the tile.
    Dma = 1,
    /// The switch's own FIFO.
    Fifo = 2,
    /// The tile below, or the shim mux in a shim tile.
    South = 3,
    /// The tile to the left.
    West = 4,
    /// The tile above.
    North = 5,
    /// The tile to the right.
    East = 6,
    /// Programmable logic, behind the shim mux.
    Plio = 7,
    /// Network on chip, behind the shim mux.
    Noc = 8,
    /// Trace units.
    Trace = 9,
    /// The tile's control packet handler, and the source of its task complete tokens.
    TileControl = 10,
    /// The stream port of the column's micro-controller (AIE2ps shim tiles).
    Controller32 = 11,
}

impl Bundle {
    /// All bundles in the order of their numbers.
    pub const ALL: [Bundle; 12] = [
        Bundle::Core,
        Bundle::Dma,
        Bundle::Fifo,
        Bundle::South,
        Bundle::West,
        Bundle::North,
        Bundle::East,
        Bundle::Plio,
        Bundle::Noc,
        Bundle::Trace,
        Bundle::TileControl,
        Bundle::Controller32,
    ];

    /// The spelling of the dialect's text.
    pub const fn name(self) -> &'static str {
        match self {
            Bundle::Core => "Core",
            Bundle::Dma => "DMA",
            Bundle::Fifo => "FIFO",
            Bundle::South => "South",
            Bundle::West => "West",
            Bundle::North => "North",
            Bundle::East => "East",
            Bundle::Plio => "PLIO",
            Bundle::Noc => "NOC",
            Bundle::Trace => "Trace",
            Bundle::TileControl => "TileControl",
            Bundle::Controller32 => "Controller32",
        }
    }

    /// The bundle of this spelling; `Ctrl` is the older name of `TileControl`.
    pub fn by_name(name: &str) -> Option<Bundle> {
        if name == "Ctrl" {
            return Some(Bundle::TileControl);
        }
        Self::ALL.into_iter().find(|bundle| bundle.name() == name)
    }

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

impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One port of a stream switch: a bundle and a channel, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// What the port faces.
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
