//! Building the array of a device: the tiles' memories, locks, channels, switches and the pipes
//! between them.

use aiec_device::switch::PortSide;
use aiec_device::{Arch, Bundle, ChannelId, DeviceModel, DmaDir, Port, TileKind};

use super::actor::{ActorId, ActorKind};
use super::bd::BdBank;
use super::dma::Dma;
use super::dma::channel::Channel;
use super::fabric::Fabric;
use super::grid::{Grid, TileInfo};
use super::pipe::{FifoShape, Pipe, PipeId};
use super::sched::Sched;
use super::stream_switch::packet::Arbiter;
use super::stream_switch::{Master, Net, PipeAt, Slave, Switch};
use super::timing::Timing;
use crate::time::{TICKS_PER_CYCLE, Tick, ticks};

/// Where the pipes of the tiles begin in the numbering: slave ports first, then master ports.
struct Numbering {
    first: Vec<u32>,
}

impl Numbering {
    fn new(grid: &Grid) -> Numbering {
        let mut next = 0;
        let first = grid.tiles.iter().map(|tile| {
            let first = next;
            let switch = &tile.model.switch;
            next +=
                u32::from(switch.len(PortSide::Slave)) + u32::from(switch.len(PortSide::Master));
            first
        });
        Numbering {
            first: first.collect(),
        }
    }

    fn slave(&self, tile: usize, index: u8) -> PipeId {
        PipeId(self.first[tile] + u32::from(index))
    }

    fn master(&self, tile: usize, info: &TileInfo, index: u8) -> PipeId {
        let slaves = info.model.switch.len(PortSide::Slave);
        PipeId(self.first[tile] + u32::from(slaves) + u32::from(index))
    }
}

/// All switches of the device, unconfigured, with their pipes.
pub(crate) fn build_net(device: &'static DeviceModel, grid: &Grid, timing: &Timing) -> Net {
    let numbers = Numbering::new(grid);
    let mut pipes = Vec::new();
    let mut places = Vec::new();
    let mut switches = Vec::new();
    for (tile, info) in grid.tiles.iter().enumerate() {
        let model = &info.model.switch;
        let mut switch = Switch::default();
        let arbiters = usize::from(device.arch_model().arbiters);
        switch.arbiters = vec![Arbiter::default(); arbiters];
        let mut add = |side: PortSide, index: u8, pipe: Pipe| {
            pipes.push(pipe);
            places.push(PipeAt {
                tile,
                slave: side == PortSide::Slave,
                index: usize::from(index),
            });
        };
        for index in 0..model.len(PortSide::Slave) {
            let Some(port) = model.port_at(PortSide::Slave, index) else {
                continue;
            };
            let actor = ActorId::slave_port(info.loc, index, port);
            let own = slave_fifo(info, port, timing);
            let pipe = Pipe::new(own, step(port, timing), Some(actor));
            add(PortSide::Slave, index, pipe);
            let pipe = numbers.slave(tile, index);
            switch.slaves.push(Slave::new(actor, port, pipe));
        }
        for index in 0..model.len(PortSide::Master) {
            let Some(port) = model.port_at(PortSide::Master, index) else {
                continue;
            };
            let reader = reader(device.arch(), info, port);
            let pipe = master_pipe(info, port, timing, reader);
            add(PortSide::Master, index, pipe);
            let target = target(device, grid, &numbers, tile, index, port);
            let actor = ActorId::master_port(info.loc, index, port);
            switch.masters.push(Master::new(actor, port, target));
        }
        switches.push(switch);
    }
    let fabric = Fabric {
        pipes,
        sched: Sched::new(device.columns()),
        ..Fabric::default()
    };
    Net {
        switches,
        fabric,
        places,
        epoch: 1,
    }
}

/// The pipe that a master port feeds.
fn target(
    device: &DeviceModel,
    grid: &Grid,
    numbers: &Numbering,
    tile: usize,
    index: u8,
    port: Port,
) -> Option<PipeId> {
    let info = &grid.tiles[tile];
    if port.bundle == Bundle::Fifo {
        let slave = info.model.switch.index(PortSide::Slave, port)?;
        return Some(numbers.slave(tile, slave));
    }
    if port.bundle.opposite().is_none() || leaves_array(info, port) {
        let exists = device.has_port(info.loc, PortSide::Master, port);
        return exists.then(|| numbers.master(tile, info, index));
    }
    let (loc, facing) = device.wire_from(info.loc, port)?;
    let neighbour = grid.index(loc)?;
    let switch = &grid.tiles[neighbour].model.switch;
    let slave = switch.index(PortSide::Slave, facing)?;
    Some(numbers.slave(neighbour, slave))
}

/// South ports of a shim tile lead to the shim mux.
fn leaves_array(info: &TileInfo, port: Port) -> bool {
    info.kind.is_shim() && port.bundle == Bundle::South
}

/// Who takes the words of a master port's own pipe.
fn reader(arch: Arch, info: &TileInfo, port: Port) -> Option<ActorId> {
    let receiver = |index| ActorId::channel(ChannelId::new(info.loc, DmaDir::S2mm, index));
    match port.bundle {
        Bundle::Core => Some(ActorId::core(info.loc)),
        Bundle::TileControl => Some(ActorId::control_port(info.loc)),
        Bundle::Dma => Some(receiver(port.channel)),
        Bundle::Controller32 => Some(ActorId::token_sink(info.loc)),
        Bundle::South if info.kind == TileKind::ShimNoc => {
            match shim_channel(arch, info, DmaDir::S2mm, port.channel) {
                Some(index) => Some(receiver(index)),
                // This port leads to the controller of an NPU.
                None => (port.channel == 0).then_some(ActorId::token_sink(info.loc)),
            }
        }
        _ => None,
    }
}

/// The number of the shim DMA channel whose stream is the South port `south`.
pub(crate) fn shim_channel(arch: Arch, info: &TileInfo, dir: DmaDir, south: u8) -> Option<u8> {
    let channels = info.model.dma.as_ref()?.channels.get(dir);
    (0..channels).find(|&channel| arch.shim_dma_south(dir, channel) == Some(south))
}

/// Words of a beat at a port. Some ports stay 32 bits wide on every generation (AM027).
fn beat(port: Port, timing: &Timing) -> u32 {
    match port.bundle {
        Bundle::Core | Bundle::TileControl | Bundle::Trace | Bundle::Controller32 => 1,
        _ => timing.words_per_cycle,
    }
}

/// Ticks from one word to the next at a port.
fn step(port: Port, timing: &Timing) -> Tick {
    TICKS_PER_CYCLE / u64::from(beat(port, timing))
}

fn slave_fifo(info: &TileInfo, port: Port, timing: &Timing) -> FifoShape {
    let beat = beat(port, timing);
    let mut depth = timing.slave_depth * beat;
    let mut cycles = timing.slave_latency;
    match port.bundle {
        Bundle::Dma => depth += timing.mm2s_fifo_words,
        Bundle::South if info.kind.is_shim() => depth += timing.mm2s_fifo_words,
        Bundle::Fifo => {
            depth += (timing.local_master_depth + timing.fifo_depth) * beat;
            cycles += timing.local_master_latency;
        }
        bundle if bundle.opposite().is_some() => {
            depth += timing.external_master_depth * beat;
            cycles += timing.external_master_latency;
        }
        _ => {}
    }
    let latency = ticks(cycles);
    FifoShape { depth, latency }
}

/// The pipe of a master port, with the FIFO of the S2MM channel that reads it.
fn master_pipe(info: &TileInfo, port: Port, timing: &Timing, reader: Option<ActorId>) -> Pipe {
    let fifo = timing.local_master_depth * beat(port, timing);
    let open = fifo.max(timing.s2mm_open_words);
    let step = step(port, timing);
    let shape = |depth| FifoShape {
        depth,
        latency: ticks(timing.local_master_latency),
    };
    match reader.map(ActorId::kind) {
        Some(ActorKind::Channel(_)) => {
            let depth = open.max(fifo + timing.s2mm_fifo_words);
            Pipe::to_channel(shape(depth), step, reader, depth - open)
        }
        _ if leaves_array(info, port) => Pipe::new(shape(open), step, reader),
        _ => Pipe::new(shape(fifo), step, reader),
    }
}

/// The DMA of a tile, idle.
pub(crate) fn build_dma(arch: Arch, info: &TileInfo, switch: &Switch) -> Dma {
    let Some(model) = &info.model.dma else {
        return Dma::default();
    };
    let mut channels = Vec::new();
    for dir in DmaDir::ALL {
        for number in 0..model.channels.get(dir) {
            let (bundle, channel) = if info.kind.is_shim() {
                match arch.shim_dma_south(dir, number) {
                    Some(south) => (Bundle::South, south),
                    None => continue,
                }
            } else {
                (Bundle::Dma, number)
            };
            let stream = match dir {
                DmaDir::Mm2s => switch.slave(bundle, channel).map(|slave| slave.pipe),
                DmaDir::S2mm => switch.master(bundle, channel).and_then(|m| m.target),
            };
            let Some(stream) = stream else { continue };
            let depth = model.queue_depth.get(dir);
            let id = ChannelId::new(info.loc, dir, number);
            channels.push(Channel::new(id, stream, depth, !info.kind.is_shim()));
        }
    }
    Dma::new(BdBank::new(arch, info.kind, model.bds), channels)
}
