//! Identities of actors: cores, DMA channels, switch ports, controllers and their jobs.

use std::fmt;

use aiec_device::{Bundle, ChannelId, DmaDir, Port, TileLoc};

use crate::external_sort::{Decoder, Encoder, Field};

/// An actor: what runs by itself in a tile, moves data or waits. Four bytes.
///
/// Ids are ordered by tile (column by column, upward in each), then by kind, then by number; that
/// order breaks ties between events of one cycle. [`ActorId::index`] counts densely within a tile,
/// so that flat arrays and bit sets can hold something for each actor.
///
/// | bits | what |
/// | --- | --- |
/// | 26:19 | column |
/// | 18:15 | row |
/// | 14:8 | slot in the tile: the kind, and the number among its kind |
/// | 7:0 | bundle and channel of a switch port, so that it can be named without the device |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(u32);

/// Kinds of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorKind {
    /// The core of a tile.
    Core,
    /// The handler of control packets.
    ControlPort,
    /// The path of tokens to the controller where no stream is configured for them.
    TokenPath,
    /// The event units.
    EventUnits,
    /// The receiver of token packets at a shim tile.
    TokenSink,
    /// The micro-controller of a column.
    Controller,
    /// The uC-DMA of a micro-controller.
    ControllerDma,
    /// The host, which reads and writes its own memory.
    Host,
    /// A DMA channel.
    Channel(ChannelId),
    /// A slave port of the stream switch, by its index in the register array.
    SlavePort(u8),
    /// An arbiter of the stream switch.
    Arbiter(u8),
    /// A master port of the stream switch, by its index in the register array.
    MasterPort(u8),
}

const TILE_SHIFT: u32 = 15;
const ROW_BITS: u32 = 4;
const SLOT_SHIFT: u32 = 8;
const SLOT_BITS: u32 = TILE_SHIFT - SLOT_SHIFT;
/// Bits of the channel in the name of a port.
const PORT_CHANNEL_BITS: u32 = 4;

const CORE: u8 = 0;
const CONTROL_PORT: u8 = 1;
const TOKEN_PATH: u8 = 2;
const EVENT_UNITS: u8 = 3;
const TOKEN_SINK: u8 = 4;
const CONTROLLER: u8 = 5;
const CONTROLLER_DMA: u8 = 6;
const HOST: u8 = 7;
/// S2MM channels, then MM2S channels.
const CHANNELS: u8 = 0x10;
const CHANNELS_PER_DIRECTION: u8 = 8;
const SLAVE_PORTS: u8 = 0x20;
const ARBITERS: u8 = 0x40;
const MASTER_PORTS: u8 = 0x60;

impl ActorId {
    /// The host.
    pub const HOST: ActorId = ActorId::new(TileLoc::new(0, 0), HOST, 0);

    const fn new(tile: TileLoc, slot: u8, name: u8) -> ActorId {
        debug_assert!(tile.row < 1 << ROW_BITS && slot < 1 << SLOT_BITS);
        let tile = (tile.col as u32) << ROW_BITS | tile.row as u32;
        ActorId(tile << TILE_SHIFT | (slot as u32) << SLOT_SHIFT | name as u32)
    }

    /// The core of a tile.
    pub const fn core(tile: TileLoc) -> ActorId {
        ActorId::new(tile, CORE, 0)
    }

    /// The control packet handler of a tile.
    pub const fn control_port(tile: TileLoc) -> ActorId {
        ActorId::new(tile, CONTROL_PORT, 0)
    }

    pub(crate) const fn token_path(tile: TileLoc) -> ActorId {
        ActorId::new(tile, TOKEN_PATH, 0)
    }

    pub(crate) const fn event_units(tile: TileLoc) -> ActorId {
        ActorId::new(tile, EVENT_UNITS, 0)
    }

    pub(crate) const fn token_sink(tile: TileLoc) -> ActorId {
        ActorId::new(tile, TOKEN_SINK, 0)
    }

    /// The micro-controller of a column.
    pub const fn controller(column: u8) -> ActorId {
        ActorId::new(TileLoc::new(column, 0), CONTROLLER, 0)
    }

    /// The uC-DMA of a column's micro-controller.
    pub const fn controller_dma(column: u8) -> ActorId {
        ActorId::new(TileLoc::new(column, 0), CONTROLLER_DMA, 0)
    }

    /// A DMA channel.
    pub const fn channel(id: ChannelId) -> ActorId {
        let slot = CHANNELS + CHANNELS_PER_DIRECTION * id.dir as u8 + id.index;
        ActorId::new(id.tile, slot, 0)
    }

    /// A slave port of a tile's switch: its index in the register array, and which port that is.
    pub const fn slave_port(tile: TileLoc, index: u8, port: Port) -> ActorId {
        ActorId::new(tile, SLAVE_PORTS + index, port_name(port))
    }

    /// An arbiter of a tile's switch.
    pub const fn arbiter(tile: TileLoc, number: u8) -> ActorId {
        ActorId::new(tile, ARBITERS + number, 0)
    }

    /// A master port of a tile's switch; see [`ActorId::slave_port`].
    pub const fn master_port(tile: TileLoc, index: u8, port: Port) -> ActorId {
        ActorId::new(tile, MASTER_PORTS + index, port_name(port))
    }

    /// The tile it belongs to; the shim tile of the column for a controller.
    pub const fn tile(self) -> TileLoc {
        let tile = self.0 >> TILE_SHIFT;
        TileLoc::new(
            (tile >> ROW_BITS) as u8,
            (tile & ((1 << ROW_BITS) - 1)) as u8,
        )
    }

    const fn slot(self) -> u8 {
        (self.0 >> SLOT_SHIFT) as u8 & ((1 << SLOT_BITS) - 1)
    }

    /// Its kind.
    pub const fn kind(self) -> ActorKind {
        match self.slot() {
            CORE => ActorKind::Core,
            CONTROL_PORT => ActorKind::ControlPort,
            TOKEN_PATH => ActorKind::TokenPath,
            EVENT_UNITS => ActorKind::EventUnits,
            TOKEN_SINK => ActorKind::TokenSink,
            CONTROLLER => ActorKind::Controller,
            CONTROLLER_DMA => ActorKind::ControllerDma,
            slot if slot < CHANNELS => ActorKind::Host,
            slot if slot < SLAVE_PORTS => {
                let number = slot - CHANNELS;
                let dir = match number / CHANNELS_PER_DIRECTION {
                    0 => DmaDir::S2mm,
                    _ => DmaDir::Mm2s,
                };
                let index = number % CHANNELS_PER_DIRECTION;
                ActorKind::Channel(ChannelId::new(self.tile(), dir, index))
            }
            slot if slot < ARBITERS => ActorKind::SlavePort(slot - SLAVE_PORTS),
            slot if slot < MASTER_PORTS => ActorKind::Arbiter(slot - ARBITERS),
            slot => ActorKind::MasterPort(slot - MASTER_PORTS),
        }
    }

    /// The port, if it is one of a stream switch.
    pub fn port(self) -> Option<Port> {
        let bundle = (self.0 as u8) >> PORT_CHANNEL_BITS;
        let channel = self.0 as u8 & ((1 << PORT_CHANNEL_BITS) - 1);
        match self.kind() {
            ActorKind::SlavePort(_) | ActorKind::MasterPort(_) => {
                Bundle::by_value(bundle.into()).map(|bundle| Port::new(bundle, channel))
            }
            _ => None,
        }
    }

    /// Whether it is a slave port (an input) of a stream switch.
    pub const fn is_slave_port(self) -> bool {
        matches!(self.kind(), ActorKind::SlavePort(_))
    }

    /// The id as a number, in the same order.
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    /// Its place in a flat array of [`ActorId::count`] elements.
    pub const fn index(self) -> usize {
        (self.0 >> SLOT_SHIFT) as usize
    }

    /// Length of an array that [`ActorId::index`] of every actor of a device is in.
    pub const fn count(columns: u8) -> usize {
        (columns as usize) << (ROW_BITS + SLOT_BITS)
    }

    /// Sorts lists for people: cores, then channels, slave ports and master ports, each by tile.
    pub(crate) fn report_order(self) -> (u8, TileLoc, u8, u8) {
        let rank = match self.kind() {
            ActorKind::Core => 0,
            ActorKind::Channel(_) => 1,
            ActorKind::SlavePort(_) => 2,
            ActorKind::MasterPort(_) => 3,
            _ => 4,
        };
        (rank, self.tile(), self.0 as u8, self.slot())
    }
}

const fn port_name(port: Port) -> u8 {
    debug_assert!(port.channel < 1 << PORT_CHANNEL_BITS);
    port.bundle.value() << PORT_CHANNEL_BITS | port.channel
}

impl Field for ActorId {
    fn put(&self, out: &mut Encoder<'_>) {
        self.0.put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        u32::get(input).map(ActorId)
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tile = self.tile();
        match (self.kind(), self.port()) {
            (ActorKind::Core, _) => write!(f, "core {tile}"),
            (ActorKind::ControlPort, _) => write!(f, "control port of tile {tile}"),
            (ActorKind::TokenPath, _) => write!(f, "token path of tile {tile}"),
            (ActorKind::EventUnits, _) => write!(f, "event units of tile {tile}"),
            (ActorKind::TokenSink, _) => write!(f, "token sink of tile {tile}"),
            (ActorKind::Controller, _) => write!(f, "controller {}", tile.col),
            (ActorKind::ControllerDma, _) => write!(f, "uC-DMA of controller {}", tile.col),
            (ActorKind::Host, _) => f.write_str("the host"),
            (ActorKind::Channel(channel), _) => write!(f, "{channel}"),
            (ActorKind::Arbiter(number), _) => write!(f, "arbiter {number} of tile {tile}"),
            (ActorKind::MasterPort(_), Some(port)) => {
                write!(f, "master port {port} of tile {tile}")
            }
            (ActorKind::SlavePort(_), Some(port)) => write!(f, "slave port {port} of tile {tile}"),
            (ActorKind::MasterPort(index) | ActorKind::SlavePort(index), None) => {
                write!(f, "port {index} of tile {tile}")
            }
        }
    }
}

impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A job of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[error("job {job} of controller {uc} (page {page})")]
pub struct JobId {
    /// Number of the controller.
    pub uc: u8,
    /// Page.
    pub page: u16,
    /// Number of the job.
    pub job: u16,
}

/// Who waits, or who a trace shows: an actor of the array, or a job of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum ActorOrJob {
    /// A job of a controller.
    #[error("{0}")]
    Job(JobId),
    /// The firmware of an NPU, which executes transactions.
    #[error("firmware")]
    Firmware,
    /// An actor.
    #[error("{0}")]
    Actor(ActorId),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aiec_device::DeviceModel;
    use aiec_device::switch::PortSide;

    use super::*;

    fn actors(device: &DeviceModel, tile: TileLoc) -> Vec<(ActorId, ActorKind)> {
        let Some(model) = device.tile(tile) else {
            return Vec::new();
        };
        let mut all = vec![
            (ActorId::core(tile), ActorKind::Core),
            (ActorId::control_port(tile), ActorKind::ControlPort),
            (ActorId::token_path(tile), ActorKind::TokenPath),
            (ActorId::event_units(tile), ActorKind::EventUnits),
            (ActorId::token_sink(tile), ActorKind::TokenSink),
        ];
        if tile.row == 0 {
            all.push((ActorId::controller(tile.col), ActorKind::Controller));
            all.push((ActorId::controller_dma(tile.col), ActorKind::ControllerDma));
        }
        for dir in DmaDir::ALL {
            let count = model.dma.as_ref().map_or(0, |dma| dma.channels.get(dir));
            let ids = (0..count).map(|index| ChannelId::new(tile, dir, index));
            all.extend(ids.map(|id| (ActorId::channel(id), ActorKind::Channel(id))));
        }
        let ports = |side| {
            let indices = 0..model.switch.len(side);
            indices.filter_map(move |at| Some((at, model.switch.port_at(side, at)?)))
        };
        for (at, port) in ports(PortSide::Slave) {
            all.push((
                ActorId::slave_port(tile, at, port),
                ActorKind::SlavePort(at),
            ));
            assert_eq!(all.last().and_then(|last| last.0.port()), Some(port));
        }
        for number in 0..device.arch_model().arbiters {
            all.push((ActorId::arbiter(tile, number), ActorKind::Arbiter(number)));
        }
        for (at, port) in ports(PortSide::Master) {
            all.push((
                ActorId::master_port(tile, at, port),
                ActorKind::MasterPort(at),
            ));
            assert_eq!(all.last().and_then(|last| last.0.port()), Some(port));
        }
        all
    }

    #[test]
    fn ids_are_distinct_dense_and_in_order_on_every_device() {
        for device in DeviceModel::all() {
            let all: Vec<_> = device
                .tiles()
                .flat_map(|tile| actors(device, tile))
                .collect();
            let indices: BTreeSet<usize> = all.iter().map(|(id, _)| id.index()).collect();
            assert_eq!(indices.len(), all.len(), "{}", device.name());
            assert!(
                indices
                    .iter()
                    .all(|at| *at < ActorId::count(device.columns()))
            );
            assert!(all.is_sorted_by_key(|(id, _)| *id));
            for (id, kind) in all {
                assert_eq!(id.kind(), kind);
            }
        }
    }
}
