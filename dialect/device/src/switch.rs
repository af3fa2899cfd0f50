//! Stream switches: ports, their places in the register arrays, legal connections; the shim mux.
//!
//! A *master* is an output of the switch (the destination of a connection), a *slave* an input
//! (the source). Ports of the two arrays are indexed bundle after bundle in the order of the
//! tables. Ports at the edge of the array do not exist, but their indices stay.
//!
//! Sources: `mlir-aie: lib/Dialect/AIE/IR/AIETargetModel.cpp`, AM025 and AM029 (register arrays),
//! `aie-rt: driver/src/global` (AIE2ps rules of Trace and Controller32).

use crate::arch::{Arch, DmaDir};
use crate::port::{Bundle, Port};

/// The stream switch of one kind of tile.
#[derive(Clone, Copy, Debug)]
pub struct SwitchModel {
    /// Bundles in register order, with their number of outputs and of inputs in an inner tile.
    pub ports: &'static [(Bundle, u8, u8)],
    /// Which input may feed which output; connections that no rule names are illegal.
    pub rules: &'static [Rule],
}

/// Destinations that the ports of one source bundle may feed.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The source bundle.
    pub from: Bundle,
    /// The destination bundles.
    pub to: &'static [Bundle],
    /// Which channels of them.
    pub channels: Channels,
}

/// A rule for [`Channels::Any`].
pub(crate) const fn any(from: Bundle, to: &'static [Bundle]) -> Rule {
    let channels = Channels::Any;
    Rule { from, to, channels }
}

/// A rule for [`Channels::Same`].
pub(crate) const fn same(from: Bundle, to: &'static [Bundle]) -> Rule {
    let channels = Channels::Same;
    Rule { from, to, channels }
}

/// A rule for [`Channels::Only`] the destination channel.
pub(crate) const fn only(channel: u8, from: Bundle, to: &'static [Bundle]) -> Rule {
    let channels = Channels::Only(channel);
    Rule { from, to, channels }
}

/// Channels between which a rule allows a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// Every source channel to every destination channel.
    Any,
    /// Equal channel numbers only.
    Same,
    /// Any source channel to this destination channel only.
    Only(u8),
}

/// One of the two port arrays of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortSide {
    /// Outputs.
    Master,
    /// Inputs.
    Slave,
}

impl SwitchModel {
    /// The bundles in register order, with their number of ports on one side.
    #[inline]
    fn ports(&self, side: PortSide) -> impl Iterator<Item = (Bundle, u8)> + use<> {
        let rows = self.ports.iter();
        rows.map(move |&(bundle, masters, slaves)| match side {
            PortSide::Master => (bundle, masters),
            PortSide::Slave => (bundle, slaves),
        })
    }

    /// Ports of a bundle in an inner tile, the edge of the array not considered.
    #[inline]
    pub fn count(&self, side: PortSide, bundle: Bundle) -> u8 {
        let row = self.ports(side).find(|(of, _)| *of == bundle);
        row.map_or(0, |(_, count)| count)
    }

    /// The place of a port in the register array of its side.
    pub fn index(&self, side: PortSide, port: Port) -> Option<u8> {
        let mut first = 0;
        for (bundle, count) in self.ports(side) {
            if bundle == port.bundle {
                return (port.channel < count).then_some(first + port.channel);
            }
            first += count;
        }
        None
    }

    /// The port at a place of a register array.
    pub fn port_at(&self, side: PortSide, index: u8) -> Option<Port> {
        let mut first = 0;
        for (bundle, count) in self.ports(side) {
            if index < first + count {
                return Some(Port::new(bundle, index - first));
            }
            first += count;
        }
        None
    }

    /// Length of the register array of a side.
    pub fn len(&self, side: PortSide) -> u8 {
        self.ports(side).map(|(_, count)| count).sum()
    }

    /// Whether the switch may connect a source to a destination that both exist.
    pub fn allows(&self, source: Port, destination: Port) -> bool {
        self.rules.iter().any(|rule| {
            rule.from == source.bundle
                && rule.to.contains(&destination.bundle)
                && match rule.channels {
                    Channels::Any => true,
                    Channels::Same => source.channel == destination.channel,
                    Channels::Only(channel) => destination.channel == channel,
                }
        })
    }
}

/// Setting of a port of the shim mux; the numbers are the register's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MuxInput {
    /// Programmable logic.
    Pl = 0,
    /// The shim's DMA.
    Dma = 1,
    /// Network on chip streams (absent on AIE2ps).
    Noc = 2,
}

/// Direction through the shim mux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MuxDir {
    /// Into the array: register Mux_Config, ports are South slaves of the switch.
    In,
    /// Out of the array: register Demux_Config, ports are South masters of the switch.
    Out,
}

/// One fixed wire of the shim mux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuxWire {
    /// Direction of the data.
    pub dir: MuxDir,
    /// The end outside the switch: a `Dma`, `Noc` or `Plio` port. MM2S channels go in, S2MM out.
    pub outer: Port,
    /// Channel of the switch's South port.
    pub south: u8,
}

const fn mux(dir: MuxDir, bundle: Bundle, channel: u8, south: u8) -> MuxWire {
    MuxWire {
        dir,
        outer: Port::new(bundle, channel),
        south,
    }
}

/// Wires of AIE1, AIE2 and AIE2p besides those of PLIO.
const MUX_WIRES: &[MuxWire] = &[
    mux(MuxDir::In, Bundle::Dma, 0, 3),
    mux(MuxDir::In, Bundle::Dma, 1, 7),
    mux(MuxDir::In, Bundle::Noc, 0, 2),
    mux(MuxDir::In, Bundle::Noc, 1, 3),
    mux(MuxDir::In, Bundle::Noc, 2, 6),
    mux(MuxDir::In, Bundle::Noc, 3, 7),
    mux(MuxDir::Out, Bundle::Dma, 0, 2),
    mux(MuxDir::Out, Bundle::Dma, 1, 3),
    mux(MuxDir::Out, Bundle::Noc, 0, 2),
    mux(MuxDir::Out, Bundle::Noc, 1, 3),
    mux(MuxDir::Out, Bundle::Noc, 2, 4),
    mux(MuxDir::Out, Bundle::Noc, 3, 5),
];

/// Wires of AIE2ps besides those of PLIO (AM029, registers Mux_Config and Demux_Config).
const MUX_WIRES_AIE2PS: &[MuxWire] = &[
    mux(MuxDir::In, Bundle::Dma, 0, 3),
    mux(MuxDir::In, Bundle::Dma, 1, 7),
    mux(MuxDir::Out, Bundle::Dma, 0, 1),
    mux(MuxDir::Out, Bundle::Dma, 1, 3),
];

/// South ports of a shim switch that lead into the array.
pub const SHIM_SOUTH_IN: u8 = 8;
/// South ports of a shim switch that lead out of the array.
pub const SHIM_SOUTH_OUT: u8 = 6;

impl Arch {
    /// The DMA and NOC wires of the shim mux. PLIO k is wired to South k in both directions.
    pub const fn mux_wires(self) -> &'static [MuxWire] {
        match self {
            Arch::Aie2ps => MUX_WIRES_AIE2PS,
            _ => MUX_WIRES,
        }
    }

    /// The South channel of the shim switch at which a shim DMA channel arrives: a slave for
    /// MM2S, a master for S2MM.
    pub fn shim_dma_south(self, dir: DmaDir, channel: u8) -> Option<u8> {
        let way = match dir {
            DmaDir::Mm2s => MuxDir::In,
            DmaDir::S2mm => MuxDir::Out,
        };
        self.mux_south(way, Port::new(Bundle::Dma, channel))
    }

    /// The South channel that a port outside the shim mux (DMA, NOC, PLIO) is wired to.
    pub fn mux_south(self, dir: MuxDir, outer: Port) -> Option<u8> {
        if outer.bundle == Bundle::Plio {
            return (outer.channel < Self::south_count(dir)).then_some(outer.channel);
        }
        let wires = self.mux_wires().iter();
        wires
            .filter(|wire| wire.dir == dir && wire.outer == outer)
            .map(|wire| wire.south)
            .next()
    }

    /// The port outside the shim mux that a South channel is switched to by a register value.
    pub fn mux_outer(self, dir: MuxDir, south: u8, input: MuxInput) -> Option<Port> {
        let bundle = match input {
            MuxInput::Pl => {
                let exists = south < Self::south_count(dir);
                return exists.then_some(Port::new(Bundle::Plio, south));
            }
            MuxInput::Dma => Bundle::Dma,
            MuxInput::Noc => Bundle::Noc,
        };
        let mut wires = self.mux_wires().iter();
        wires
            .find(|wire| wire.dir == dir && wire.south == south && wire.outer.bundle == bundle)
            .map(|wire| wire.outer)
    }

    const fn south_count(dir: MuxDir) -> u8 {
        match dir {
            MuxDir::In => SHIM_SOUTH_IN,
            MuxDir::Out => SHIM_SOUTH_OUT,
        }
    }

    /// Sources of a bundle in `aie.shim_mux`, where `North` is the side of the switch.
    pub fn mux_source_count(self, bundle: Bundle) -> u8 {
        self.mux_count(MuxDir::In, MuxDir::Out, bundle)
    }

    /// Destinations of a bundle in `aie.shim_mux`, where `North` is the side of the switch.
    pub fn mux_destination_count(self, bundle: Bundle) -> u8 {
        self.mux_count(MuxDir::Out, MuxDir::In, bundle)
    }

    fn mux_count(self, outer: MuxDir, inner: MuxDir, bundle: Bundle) -> u8 {
        match bundle {
            Bundle::North => Self::south_count(inner),
            Bundle::Plio => Self::south_count(outer),
            _ => {
                let wires = self.mux_wires().iter();
                wires
                    .filter(|wire| wire.dir == outer && wire.outer.bundle == bundle)
                    .count() as u8
            }
        }
    }

    /// Whether a connection of `aie.shim_mux` follows a wire of the hardware. `North : k` is the
    /// switch's South port k.
    pub fn legal_mux_connection(self, source: Port, destination: Port) -> bool {
        match (source.bundle, destination.bundle) {
            (Bundle::North, _) => self.mux_south(MuxDir::Out, destination) == Some(source.channel),
            (_, Bundle::North) => self.mux_south(MuxDir::In, source) == Some(destination.channel),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::TileKind;

    #[test]
    fn register_places_follow_the_manuals() {
        // (arch, kind, side, port, place) of AM025, AM029 and the AIE1 register header.
        use Bundle::*;
        use PortSide::*;
        let cases = [
            (Arch::Aie1, TileKind::Core, Master, Port::new(East, 3), 24),
            (Arch::Aie1, TileKind::Core, Slave, Port::new(Trace, 1), 26),
            (
                Arch::Aie1,
                TileKind::ShimNoc,
                Master,
                Port::new(South, 0),
                3,
            ),
            (
                Arch::Aie1,
                TileKind::ShimNoc,
                Slave,
                Port::new(Trace, 0),
                23,
            ),
            (Arch::Aie2, TileKind::Core, Master, Port::new(North, 1), 14),
            (Arch::Aie2, TileKind::Core, Slave, Port::new(Trace, 1), 24),
            (Arch::Aie2, TileKind::Mem, Master, Port::new(North, 0), 11),
            (Arch::Aie2, TileKind::Mem, Slave, Port::new(Trace, 0), 17),
            (
                Arch::Aie2p,
                TileKind::ShimNoc,
                Slave,
                Port::new(South, 3),
                5,
            ),
            (
                Arch::Aie2p,
                TileKind::ShimNoc,
                Master,
                Port::new(East, 3),
                21,
            ),
            (
                Arch::Aie2ps,
                TileKind::ShimNoc,
                Master,
                Port::new(Controller32, 0),
                22,
            ),
            (
                Arch::Aie2ps,
                TileKind::ShimNoc,
                Slave,
                Port::new(Controller32, 0),
                23,
            ),
        ];
        for (arch, kind, side, port, place) in cases {
            let switch = arch.tile(kind).unwrap().switch;
            assert_eq!(
                switch.index(side, port),
                Some(place),
                "{arch} {kind} {port}"
            );
            assert_eq!(
                switch.port_at(side, place),
                Some(port),
                "{arch} {kind} {place}"
            );
        }
    }

    #[test]
    fn shim_mux_wiring() {
        assert_eq!(Arch::Aie2.shim_dma_south(DmaDir::Mm2s, 1), Some(7));
        assert_eq!(Arch::Aie2.shim_dma_south(DmaDir::S2mm, 0), Some(2));
        assert_eq!(Arch::Aie2ps.shim_dma_south(DmaDir::S2mm, 0), Some(1));
        assert_eq!(Arch::Aie2ps.shim_dma_south(DmaDir::S2mm, 1), Some(3));
        let north = |channel| Port::new(Bundle::North, channel);
        let dma = Port::new(Bundle::Dma, 0);
        assert!(Arch::Aie2p.legal_mux_connection(dma, north(3)));
        assert!(!Arch::Aie2p.legal_mux_connection(dma, north(2)));
        assert!(Arch::Aie2p.legal_mux_connection(north(2), dma));
        assert_eq!(Arch::Aie2p.mux_destination_count(Bundle::North), 8);
        assert_eq!(Arch::Aie2p.mux_source_count(Bundle::North), 6);
        assert_eq!(Arch::Aie2p.mux_source_count(Bundle::Plio), 8);
        assert_eq!(Arch::Aie2ps.mux_source_count(Bundle::Noc), 0);
        assert_eq!(
            Arch::Aie2p.mux_outer(MuxDir::In, 3, MuxInput::Dma),
            Some(dma)
        );
    }
}
