//! Problems as whole designs: every source sends words of its own, every sink stores what arrives,
//! so that a simulation shows where the data went.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Flow, FlowPort, Problem};

/// Words that each flow carries: more than the buffers on its way hold.
pub const WORDS: u32 = 256;
/// Bytes of a word.
pub const WORD_BYTES: u32 = 4;
/// Where the first buffer of a tile is; below lies the stack of a core.
const FIRST_ADDRESS: u32 = 0x1000;
/// First row of the cores.
const CORE_ROW: u8 = 2;

/// Contents of a sink at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The sink.
    pub sink: FlowPort,
    /// Its address in the memory of the tile, in bytes.
    pub address: u32,
    /// First words of the flows that arrive; their blocks may come in any order.
    pub blocks: BTreeSet<u32>,
}

/// The part of a problem whose flows begin and end in core and mem tiles.
pub fn inside(problem: &Problem) -> Problem {
    let inner = |flow: &&Flow| {
        flow.sources
            .iter()
            .chain(&flow.sinks)
            .all(|end| end.row > 0)
    };
    Problem {
        flows: problem.flows.iter().filter(inner).cloned().collect(),
        ..problem.clone()
    }
}

/// Word `at` of the block that begins with a word.
pub fn word(first: u32, at: u32) -> u32 {
    first + at
}

/// Packet or words that a source sends.
struct SentPacket {
    packet: Option<u8>,
    first: u32,
}

/// The design of a problem, and where its data must be at the end.
pub fn design(problem: &Problem) -> (String, Vec<Landing>) {
    let mut sent: BTreeMap<&FlowPort, Vec<SentPacket>> = BTreeMap::new();
    let mut blocks: BTreeMap<&FlowPort, BTreeSet<u32>> = BTreeMap::new();
    let mut number = 0;
    for flow in &problem.flows {
        for source in &flow.sources {
            let list = sent.entry(source).or_default();
            let known = list.iter().find(|sent| sent.packet == flow.packet);
            let first = known.map_or_else(
                || {
                    number += 1;
                    number << 16
                },
                |sent| sent.first,
            );
            if known.is_none() {
                let packet = flow.packet;
                list.push(SentPacket { packet, first });
            }
            for sink in &flow.sinks {
                blocks.entry(sink).or_default().insert(first);
            }
        }
    }
    let mut writer = Writer::default();
    let text = match writer.write(problem, &sent, &blocks) {
        Ok(()) => writer.text,
        // Writing to a string cannot fail.
        Err(_) => String::new(),
    };
    (text, writer.landings)
}

#[derive(Default)]
struct Writer {
    text: String,
    landings: Vec<Landing>,
}

impl Writer {
    fn write(
        &mut self,
        problem: &Problem,
        sent: &BTreeMap<&FlowPort, Vec<SentPacket>>,
        blocks: &BTreeMap<&FlowPort, BTreeSet<u32>>,
    ) -> std::fmt::Result {
        writeln!(self.text, "aie.device({}) {{", problem.device)?;
        let ends = sent.keys().chain(blocks.keys());
        let tiles: BTreeSet<(u8, u8)> = ends.map(|end| (end.col, end.row)).collect();
        for (col, row) in &tiles {
            writeln!(self.text, "  %t{col}_{row} = aie.tile({col}, {row})")?;
        }
        let netlist = super::netlist::netlist(problem);
        let mut flows: Vec<&str> = netlist.lines().skip(2).collect();
        flows.retain(|line| !line.contains("aie.tile("));
        // the last line closes the device
        for line in &flows[..flows.len().saturating_sub(1)] {
            writeln!(self.text, "{line}")?;
        }
        for tile in tiles {
            let at = |end: &&&FlowPort| (end.col, end.row) == tile;
            let sources = sent.iter().filter(|(end, _)| at(end));
            let sinks = blocks.iter().filter(|(end, _)| at(end));
            self.tile(
                tile,
                &sources.collect::<Vec<_>>(),
                &sinks.collect::<Vec<_>>(),
            )?;
        }
        writeln!(self.text, "  aie.runtime_sequence() {{\n  }}\n}}")
    }

    fn tile(
        &mut self,
        (col, row): (u8, u8),
        sources: &[(&&FlowPort, &Vec<SentPacket>)],
        sinks: &[(&&FlowPort, &BTreeSet<u32>)],
    ) -> std::fmt::Result {
        let mut address = FIRST_ADDRESS;
        let mut body = String::new();
        let mut starts = 0;
        let last = sources.len() + sinks.len();
        // Where the next channel starts, and the label of that block.
        let beyond = |starts: usize| {
            if starts == last {
                ("^end".to_string(), String::new())
            } else {
                (format!("^n{starts}"), format!("  ^n{starts}:\n"))
            }
        };
        for (end, list) in sources {
            starts += 1;
            let (on, label) = beyond(starts);
            writeln!(
                body,
                "    %s{starts} = aie.dma_start(MM2S, {}, ^c{starts}_0, {on})",
                end.channel
            )?;
            for (at, one) in list.iter().enumerate() {
                let words: Vec<String> = (0..WORDS)
                    .map(|at| word(one.first, at).to_string())
                    .collect();
                let name = format!("%b{col}_{row}_{address}");
                writeln!(
                    self.text,
                    "  {name} = aie.buffer(%t{col}_{row}) {{address = {address} : i32}} : \
                     memref<{WORDS}xi32> = dense<[{}]>",
                    words.join(", ")
                )?;
                address += WORDS * WORD_BYTES;
                let packet = one.packet.map_or(String::new(), |id| {
                    format!(" {{packet = #aie.packet_info<pkt_type = 0, pkt_id = {id}>}}")
                });
                let next = if at + 1 == list.len() {
                    "^end".to_string()
                } else {
                    format!("^c{starts}_{}", at + 1)
                };
                writeln!(
                    body,
                    "  ^c{starts}_{at}:\n    aie.dma_bd({name} : memref<{WORDS}xi32>, 0, \
                     {WORDS}){packet}\n    aie.next_bd {next}"
                )?;
            }
            body += &label;
        }
        for (end, blocks) in sinks {
            starts += 1;
            let length = WORDS * blocks.len() as u32;
            let name = format!("%b{col}_{row}_{address}");
            writeln!(
                self.text,
                "  {name} = aie.buffer(%t{col}_{row}) {{address = {address} : i32}} : \
                 memref<{length}xi32>"
            )?;
            self.landings.push(Landing {
                sink: (**end).clone(),
                address,
                blocks: (*blocks).clone(),
            });
            address += length * WORD_BYTES;
            let (on, label) = beyond(starts);
            writeln!(
                body,
                "    %s{starts} = aie.dma_start(S2MM, {}, ^c{starts}_0, {on})\n  \
                 ^c{starts}_0:\n    aie.dma_bd({name} : memref<{length}xi32>, 0, {length})\n    \
                 aie.next_bd ^end",
                end.channel
            )?;
            body += &label;
        }
        let op = if row < CORE_ROW { "memtile_dma" } else { "mem" };
        writeln!(
            self.text,
            "  %d{col}_{row} = aie.{op}(%t{col}_{row}) {{\n{body}  ^end:\n    aie.end\n  }}"
        )
    }
}
