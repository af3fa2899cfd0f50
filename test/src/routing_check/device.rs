//! The verifier's own tables of devices and switches, after AM020, AM025, AM029 and `mlir-aie:
//! lib/Dialect/AIE/IR/AIETargetModel.cpp`: an error in the compiler's tables shows as a difference.

use super::read::{Port, Tile};

/// The two sides of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Into the switch.
    Input,
    /// Out of the switch.
    Output,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Generation {
    One,
    Two,
    TwoPs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shim,
    Mem,
    Core,
}

/// The shape of a device.
#[derive(Clone, Copy)]
pub struct Device {
    generation: Generation,
    columns: u8,
    rows: u8,
    mem_rows: u8,
    /// Shim columns with a DMA; empty for all.
    noc: &'static [u8],
}

const fn device(generation: Generation, columns: u8, rows: u8, mem_rows: u8) -> Device {
    Device {
        generation,
        columns,
        rows,
        mem_rows,
        noc: &[],
    }
}

impl Device {
    /// The device of a name.
    pub fn named(name: &str) -> Option<Device> {
        use Generation::*;
        let npu = |columns| Some(device(Two, columns, 6, 1));
        match name {
            "npu1" => npu(4),
            "npu2" => npu(8),
            "xcvc1902" => Some(Device {
                noc: &[2, 3, 6, 7, 10, 11, 18, 19, 26, 27, 34, 35, 42, 43, 46, 47],
                ..device(One, 50, 9, 0)
            }),
            "xcve2302" => Some(Device {
                noc: &[2, 3, 6, 7, 10, 11],
                ..device(Two, 17, 4, 1)
            }),
            "xcve2802" => Some(Device {
                noc: &[2, 3, 6, 7, 14, 15, 22, 23, 30, 31, 34, 35],
                ..device(Two, 38, 11, 2)
            }),
            "xcve3858" => Some(device(TwoPs, 36, 7, 2)),
            _ => {
                let part = name.strip_prefix("npu1_").or(name.strip_prefix("npu2_"))?;
                npu(part.strip_suffix("col")?.parse().ok()?)
            }
        }
    }

    fn kind(&self, tile: Tile) -> Option<Kind> {
        let (col, row) = tile;
        if col >= self.columns || row >= self.rows {
            return None;
        }
        Some(match row {
            0 => Kind::Shim,
            row if row <= self.mem_rows => Kind::Mem,
            _ => Kind::Core,
        })
    }

    fn has_noc(&self, tile: Tile) -> bool {
        self.noc.is_empty() || self.noc.contains(&tile.0)
    }

    /// Whether locks count; otherwise one at a time has them.
    pub fn counts_locks(&self) -> bool {
        self.generation != Generation::One
    }

    /// Whether a port exists.
    pub fn has_port(&self, tile: Tile, side: Side, port: &Port) -> bool {
        self.kind(tile)
            .is_some_and(|kind| port.channel < self.ports(tile, kind, side, &port.bundle))
    }

    /// Number of a bundle's ports.
    fn ports(&self, tile: Tile, kind: Kind, side: Side, bundle: &str) -> u8 {
        let first = self.generation == Generation::One;
        let input = side == Side::Input;
        let mem = kind == Kind::Mem;
        let shim = kind == Kind::Shim;
        match bundle {
            "West" if tile.0 == 0 || mem => 0,
            "East" if tile.0 + 1 == self.columns || mem => 0,
            "West" | "East" => 4,
            "North" if tile.1 + 1 == self.rows => 0,
            "North" => {
                if input {
                    4
                } else {
                    6
                }
            }
            "South" if shim => {
                if input {
                    8
                } else {
                    6
                }
            }
            "South" => {
                if input {
                    6
                } else {
                    4
                }
            }
            "Core" if shim || mem => 0,
            "Core" => {
                if first {
                    2
                } else {
                    1
                }
            }
            "DMA" if shim => 0,
            "DMA" => {
                if mem {
                    6
                } else {
                    2
                }
            }
            "FIFO" if mem => 0,
            "FIFO" => {
                if first {
                    2
                } else {
                    1
                }
            }
            "TileControl" => u8::from(!shim || self.has_noc(tile)),
            "Trace" if !input => 0,
            "Trace" => {
                if kind == Kind::Core {
                    2
                } else {
                    1
                }
            }
            "Controller32" => u8::from(shim && self.generation == Generation::TwoPs),
            _ => 0,
        }
    }

    /// Whether a switch may connect an input to an output that exist.
    pub fn allows(&self, tile: Tile, from: &Port, to: &Port) -> bool {
        let Some(kind) = self.kind(tile) else {
            return false;
        };
        let (f, t) = (from.bundle.as_str(), to.bundle.as_str());
        let same = from.channel == to.channel;
        if self.generation == Generation::One {
            return f != "Trace" || t == "South";
        }
        match (kind, f, t) {
            (Kind::Core, "Core", "Core") => false,
            (Kind::Core, "TileControl", "TileControl" | "DMA") => false,
            (Kind::Core, "Trace", "DMA") => to.channel == 0,
            (Kind::Core, "Trace", _) => matches!(t, "FIFO" | "South"),
            (Kind::Core, "Core" | "TileControl", _) => true,
            (Kind::Core, _, _) => f != t || same,
            (Kind::Mem, "DMA", "DMA") => same,
            (Kind::Mem, "DMA", _) => matches!(t, "TileControl" | "South" | "North"),
            (Kind::Mem, "TileControl", "DMA") => to.channel == 5,
            (Kind::Mem, "TileControl", _) => matches!(t, "South" | "North"),
            (Kind::Mem, "South" | "North", "South" | "North") => same,
            (Kind::Mem, "South" | "North", _) => matches!(t, "DMA" | "TileControl"),
            (Kind::Mem, "Trace", "DMA") => to.channel == 5,
            (Kind::Mem, "Trace", _) => t == "South",
            (Kind::Shim, "TileControl", _) => t != "TileControl",
            (Kind::Shim, "FIFO" | "South", _) => f != t || f == "South" || same,
            (Kind::Shim, "Trace", "West" | "East") => to.channel == 0,
            (Kind::Shim, "Trace", "North") => {
                self.generation == Generation::TwoPs && to.channel == 0
            }
            (Kind::Shim, "Trace", _) => matches!(t, "FIFO" | "South"),
            (Kind::Shim, _, _) => f != t || same,
            (Kind::Mem, _, _) => false,
        }
    }

    /// Where the wire of an output ends.
    pub fn wire(&self, tile: Tile, output: &Port) -> Option<(Tile, Port)> {
        let (col, row) = tile;
        let (next, facing) = match output.bundle.as_str() {
            "North" => ((col, row.checked_add(1)?), "South"),
            "South" => ((col, row.checked_sub(1)?), "North"),
            "East" => ((col.checked_add(1)?, row), "West"),
            "West" => ((col.checked_sub(1)?, row), "East"),
            _ => return None,
        };
        let port = Port {
            bundle: facing.to_string(),
            channel: output.channel,
        };
        self.has_port(next, Side::Input, &port)
            .then_some((next, port))
    }

    /// Whether a tile is in the shim row.
    pub fn is_shim(&self, tile: Tile) -> bool {
        self.kind(tile) == Some(Kind::Shim)
    }

    /// The South port of the shim switch that a port outside the mux is wired to.
    pub fn behind_mux(&self, input: bool, outer: &Port) -> Option<u8> {
        let k = outer.channel;
        match (outer.bundle.as_str(), input) {
            ("PLIO", _) => Some(k),
            ("DMA", true) => [3, 7].get(usize::from(k)).copied(),
            ("DMA", false) if self.generation == Generation::TwoPs => {
                [1, 3].get(usize::from(k)).copied()
            }
            ("DMA", false) => [2, 3].get(usize::from(k)).copied(),
            ("NOC", _) if self.generation == Generation::TwoPs => None,
            ("NOC", true) => [2, 3, 6, 7].get(usize::from(k)).copied(),
            ("NOC", false) => [2, 3, 4, 5].get(usize::from(k)).copied(),
            _ => None,
        }
    }

    /// Whether a connection of a shim mux follows a wire.
    pub fn mux_wire(&self, tile: Tile, from: &Port, to: &Port) -> bool {
        let wired = match (from.bundle.as_str(), to.bundle.as_str()) {
            ("North", _) => self.behind_mux(false, to) == Some(from.channel),
            (_, "North") => self.behind_mux(true, from) == Some(to.channel),
            _ => false,
        };
        let outside = if from.bundle == "North" { to } else { from };
        self.is_shim(tile) && wired && (outside.bundle == "PLIO" || self.has_noc(tile))
    }
}
