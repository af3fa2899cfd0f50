//! Generators of routing problems. The same seed gives the same problem on every machine.

use std::collections::BTreeMap;

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port};
use aiec_passes::route::ends::switch_port;

use super::{Flow, FlowPort};
use crate::seeds::Random;

/// DMA channels that a tile may have at most.
const MAX_CHANNELS: u8 = 6;

/// All DMA channels of a device that drive (slave side) or take (master side) a stream.
fn ends(device: &DeviceModel, side: PortSide) -> Vec<FlowPort> {
    let mut list = Vec::new();
    for tile in device.tiles() {
        for channel in 0..MAX_CHANNELS {
            let port = Port::new(Bundle::Dma, channel);
            if switch_port(device, tile, port, side).is_some() {
                list.push(FlowPort::dma(tile.col, tile.row, channel));
            }
        }
    }
    list
}

/// Assignment of sinks to sources.
#[derive(Clone, Copy, Debug)]
pub struct Deal {
    /// Sources, at most: there are fewer when the sinks run out.
    pub sources: usize,
    /// Each source gets a number of sinks in this range.
    pub fan_out: (usize, usize),
    /// Columns between a source and its sinks, at most.
    pub reach: u8,
    /// Rows between a source and its sinks, at most.
    pub height: u8,
}

/// Distinct random sources, each with distinct random sinks on other tiles; no port is used
/// twice on the same side.
fn deal(device: &DeviceModel, how: Deal, seed: u64) -> Vec<(FlowPort, Vec<FlowPort>)> {
    let mut random = Random::new(seed);
    let mut sources = ends(device, PortSide::Slave);
    let mut sinks = ends(device, PortSide::Master);
    random.shuffle(&mut sources);
    random.shuffle(&mut sinks);
    let mut nets = Vec::new();
    for source in sources {
        if nets.len() == how.sources {
            break;
        }
        let (least, most) = how.fan_out;
        let want = least + random.below(most - least + 1);
        let fits = |sink: &FlowPort| {
            (sink.col, sink.row) != (source.col, source.row)
                && sink.col.abs_diff(source.col) <= how.reach
                && sink.row.abs_diff(source.row) <= how.height
        };
        let places: Vec<usize> = (0..sinks.len())
            .rev()
            .filter(|at| fits(&sinks[*at]))
            .take(want)
            .collect();
        if places.len() == want {
            let mine = places.into_iter().map(|at| sinks.remove(at)).collect();
            nets.push((source, mine));
        }
    }
    nets
}

/// Circuits; each source with several sinks is a broadcast.
pub fn circuits(device: &DeviceModel, how: Deal, seed: u64) -> Vec<Flow> {
    let nets = deal(device, how, seed).into_iter();
    nets.map(|(source, sinks)| Flow::circuit(source, sinks))
        .collect()
}

/// Two packet ids from each source, each to a sink of its own.
pub fn packets(device: &DeviceModel, sources: usize, reach: u8, seed: u64) -> Vec<Flow> {
    let how = Deal {
        sources,
        fan_out: (2, 2),
        reach,
        height: u8::MAX,
    };
    let ids = usize::from(device.arch_model().max_packet_id) + 1;
    let mut flows = Vec::new();
    for (source, sinks) in deal(device, how, seed) {
        for sink in sinks {
            let id = (flows.len() % ids) as u8;
            flows.push(Flow::packet(id, vec![source.clone()], vec![sink]));
        }
    }
    flows
}

/// Flows of one id from `count` random channels of core tiles into one random channel of a mem
/// tile.
pub fn fan_in(device: &DeviceModel, count: usize, seed: u64) -> Vec<Flow> {
    let mut random = Random::new(seed);
    let mut sources = ends(device, PortSide::Slave);
    sources.retain(|end| device.core_rows().contains(&end.row));
    random.shuffle(&mut sources);
    let mut sinks = ends(device, PortSide::Master);
    sinks.retain(|end| device.mem_rows().contains(&end.row));
    let sink = sinks[random.below(sinks.len())].clone();
    sources.truncate(count);
    let id = random.below(usize::from(device.arch_model().max_packet_id) + 1) as u8;
    let flow = |source| Flow::packet(id, vec![source], vec![sink.clone()]);
    sources.into_iter().map(flow).collect()
}

/// First column and row of the herd of [`vecmul`], and its width and height.
const HERD: (u8, u8, u8) = (7, 2, 4);

/// The flows of a vector multiply on a herd of 4 × 4 cores: each core gets two operands from one
/// shim DMA, and its result goes to the next free channel of the shim DMAs. After
/// `mlir-aie: test/create-flows/vecmul_4x4.mlir`.
pub fn vecmul(device: &DeviceModel) -> Vec<Flow> {
    let shims: Vec<u8> = ends(device, PortSide::Slave)
        .iter()
        .filter(|end| end.row == 0 && end.channel == 0)
        .map(|end| end.col)
        .collect();
    let (left, low, width) = HERD;
    let mut flows = Vec::new();
    for n in 0..usize::from(width * width) {
        let (col, row) = (left + n as u8 % width, low + n as u8 / width);
        for channel in 0..2 {
            let sink = FlowPort::dma(col, row, channel);
            flows.push(Flow::circuit(
                FlowPort::dma(shims[n], 0, channel),
                vec![sink],
            ));
        }
        let back = FlowPort::dma(shims[n / 2], 0, (n % 2) as u8);
        flows.push(Flow::circuit(FlowPort::dma(col, row, 0), vec![back]));
    }
    flows
}

/// A whole-array design: in each column the shim feeds a mem tile, which splits to the lowest
/// four cores and joins their results.
pub fn whole_array(device: &DeviceModel) -> Vec<Flow> {
    let drives: BTreeMap<(u8, u8), ()> = ends(device, PortSide::Slave)
        .iter()
        .map(|end| ((end.col, end.row), ()))
        .collect();
    let mut flows = Vec::new();
    for col in 0..device.columns() {
        if drives.contains_key(&(col, 0)) {
            flows.push(Flow::circuit(
                FlowPort::dma(col, 0, 0),
                vec![FlowPort::dma(col, 1, 0)],
            ));
            flows.push(Flow::circuit(
                FlowPort::dma(col, 1, 4),
                vec![FlowPort::dma(col, 0, 0)],
            ));
        }
        for (n, row) in (0..4).zip(device.core_rows()) {
            flows.push(Flow::circuit(
                FlowPort::dma(col, 1, n),
                vec![FlowPort::dma(col, row, 0)],
            ));
            flows.push(Flow::circuit(
                FlowPort::dma(col, row, 0),
                vec![FlowPort::dma(col, 1, n + 1)],
            ));
        }
    }
    flows
}
