//! Routing problems by generator: whole-array designs and random distinct ports.
#![allow(dead_code)] // each user needs a part of it

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_passes::route::ends::switch_port;

use crate::netlist::{Netlist, Place};

fn dma(col: u8, row: u8, channel: u8) -> Place {
    (TileLoc::new(col, row), Port::new(Bundle::Dma, channel))
}

/// Per column: the shim feeds a mem tile, which splits to four cores and joins their results.
pub fn whole_array(name: &str, columns: u8) -> Netlist {
    let mut netlist = Netlist::new(name);
    let rows = netlist.model.core_rows();
    for col in 0..columns {
        // Where only some columns have a DMA, the others do without host data.
        let shim = |side| switch_port(netlist.model, TileLoc::new(col, 0), dma(col, 0, 0).1, side);
        if shim(PortSide::Slave).is_some() {
            netlist.flow(dma(col, 0, 0), dma(col, 1, 0));
            netlist.flow(dma(col, 1, 4), dma(col, 0, 0));
        }
        for (n, row) in (0..4).zip(rows.clone()) {
            netlist.flow(dma(col, 1, n), dma(col, row, 0));
            netlist.flow(dma(col, row, 0), dma(col, 1, n + 1));
        }
    }
    netlist
}

/// A small generator (SplitMix64): the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}

/// All DMA ports of one side, shuffled.
fn ports(netlist: &Netlist, side: PortSide, random: &mut Random) -> Vec<Place> {
    let model = netlist.model;
    let mut list = Vec::new();
    for tile in model.tiles() {
        let named = (0..6).map(|channel| Port::new(Bundle::Dma, channel));
        let exists = |port: &Port| switch_port(model, tile, *port, side).is_some();
        list.extend(named.filter(exists).map(|port| (tile, port)));
    }
    random.shuffle(&mut list);
    list
}

/// Distance of a sink from its source at most, in columns.
const REACH: u8 = 8;

/// Deals sinks to sources, none on the source's own tile, all within [`REACH`]; sources that get
/// too few are dropped.
fn deal(netlist: &Netlist, count: usize, seed: u64, fan_out: &[usize]) -> Vec<(Place, Vec<Place>)> {
    let fits = |source: &Place, sink: &Place| {
        sink.0 != source.0 && sink.0.col.abs_diff(source.0.col) <= REACH
    };
    let mut random = Random(seed);
    let sources = ports(netlist, PortSide::Slave, &mut random);
    let mut sinks = ports(netlist, PortSide::Master, &mut random);
    let mut nets = Vec::new();
    for source in sources {
        if nets.len() == count {
            break;
        }
        let want = fan_out[random.next() as usize % fan_out.len()];
        let mut mine = Vec::new();
        while mine.len() < want {
            let Some(at) = sinks.iter().rposition(|sink| fits(&source, sink)) else {
                break;
            };
            mine.push(sinks.remove(at));
        }
        if mine.len() == want {
            nets.push((source, mine));
        }
    }
    nets
}

/// Circuits between distinct random ports.
pub fn circuits(name: &str, count: usize, seed: u64) -> Netlist {
    broadcasts_of(name, count, seed, &[1])
}

/// Broadcasts to two to four random ports each.
pub fn broadcasts(name: &str, sources: usize, seed: u64) -> Netlist {
    broadcasts_of(name, sources, seed, &[2, 3, 4])
}

fn broadcasts_of(name: &str, count: usize, seed: u64, fan_out: &[usize]) -> Netlist {
    let mut netlist = Netlist::new(name);
    for (source, sinks) in deal(&netlist, count, seed, fan_out) {
        for sink in sinks {
            netlist.flow(source, sink);
        }
    }
    netlist
}

/// Two packet ids from each random source, each to a sink of its own.
pub fn packets(name: &str, sources: usize, seed: u64) -> Netlist {
    let mut netlist = Netlist::new(name);
    for (at, (source, sinks)) in deal(&netlist, sources, seed, &[2]).into_iter().enumerate() {
        for (n, sink) in sinks.into_iter().enumerate() {
            let id = (2 * at + n) % 32;
            netlist.packet_flow(id as i64, &[source], &[sink]);
        }
    }
    netlist
}
