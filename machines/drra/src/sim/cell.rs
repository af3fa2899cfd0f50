//! The state of a cell: sequencer, register file with its ports, switchbox and DPU.

use std::collections::VecDeque;

use crate::fabric::{BLOCK_WORDS, REGISTER_FILE_WORDS};
use crate::{CellCode, Sequencer, WalkProgress};

use super::dpu::{DPU_INPUTS, Dpu, Signal};
use super::route::MemoryRoute;

/// A row of an SRAM, a block of a register file.
pub type Row = [i16; BLOCK_WORDS];

/// Ports of a register file: two that write, two that read.
pub const PORTS: usize = 4;
/// The first port that reads.
pub const FIRST_READ_PORT: usize = 2;
/// Inputs that a switchbox connects: two write ports and the inputs of the DPU.
pub const SWITCH_INPUTS: usize = FIRST_READ_PORT + DPU_INPUTS;

/// Where an input of a cell comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalSource {
    /// The cell, by its position in the fabric.
    pub cell: usize,
    /// The DPU's output, else the register file's read port.
    pub from_dpu: bool,
    /// Which of the two.
    pub port: usize,
}

/// A walk of a port of the register file.
#[derive(Clone, Copy, Debug)]
pub struct PortWalk {
    /// Its progress.
    pub progress: WalkProgress,
    /// Whether it walks blocks to or from DiMArch.
    pub blocks: bool,
    /// Address of its instruction.
    pub address: u8,
}

/// A walk of an SRAM.
#[derive(Clone, Copy, Debug)]
pub struct MemoryWalk {
    /// Its progress.
    pub progress: WalkProgress,
    /// Cycles that a row is under way.
    pub latency: u64,
    /// Address of its instruction.
    pub address: u8,
}

/// A row between a register file and an SRAM.
#[derive(Clone, Copy, Debug)]
pub struct RowUnderWay {
    /// The cycle in which it arrives.
    pub due: u64,
    /// The row.
    pub row: Row,
    /// The cell whose instruction sent it, by its position in the fabric.
    pub cell: usize,
    /// Address of that instruction.
    pub address: u8,
}

/// Counters of a cell's work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellTotals {
    /// Words, or blocks, that each port has read or written.
    pub port_accesses: [u64; PORTS],
    /// Rows that its SRAM instructions have read.
    pub rows_read: u64,
    /// Rows that its SRAM instructions have written.
    pub rows_written: u64,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct FabricCell {
    /// The instructions.
    pub code: CellCode,
    /// Control flow.
    pub sequencer: Sequencer,
    /// The register file.
    pub words: [i16; REGISTER_FILE_WORDS],
    /// Walks under way.
    pub ports: [Option<PortWalk>; PORTS],
    /// Words that the read ports read in this cycle.
    pub read_words: [Signal; 2],
    /// Where inputs come from.
    pub sources: [Option<SignalSource>; SWITCH_INPUTS],
    /// The DPU.
    pub dpu: Dpu,
    /// Ways that it has reserved: from an SRAM, and to one.
    pub routes: [Option<MemoryRoute>; 2],
    /// Walks of its SRAM instructions: reading, and writing.
    pub memory_walks: [Option<MemoryWalk>; 2],
    /// Rows under way to this register file, in order of their arrival.
    pub arriving: VecDeque<RowUnderWay>,
    /// Rows under way to the SRAM of this cell's route, in order of their arrival.
    pub leaving: VecDeque<RowUnderWay>,
    /// Its work so far.
    pub totals: CellTotals,
}

impl FabricCell {
    /// A cell before the first cycle.
    pub fn new(code: CellCode) -> FabricCell {
        FabricCell {
            sequencer: Sequencer::new(&code),
            code,
            words: [0; REGISTER_FILE_WORDS],
            ports: [None; PORTS],
            read_words: [Signal::default(); 2],
            sources: [None; SWITCH_INPUTS],
            dpu: Dpu::default(),
            routes: [None, None],
            memory_walks: [None; 2],
            arriving: VecDeque::new(),
            leaving: VecDeque::new(),
            totals: CellTotals::default(),
        }
    }

    /// The earliest cycle in which something of it acts by itself.
    pub fn due(&self) -> Option<u64> {
        let ports = self.ports.iter().flatten().map(|w| w.progress.due());
        let memory = self.memory_walks.iter().flatten();
        let memory = memory.map(|w| w.progress.due());
        let rows = [&self.arriving, &self.leaving];
        let rows = rows.into_iter().filter_map(|q| Some(q.front()?.due));
        ports
            .chain(memory)
            .chain(rows)
            .chain(self.sequencer.due())
            .min()
    }

    /// The block of a number, as positions of words; `None` if there is none.
    pub fn block(address: i32) -> Option<std::ops::Range<usize>> {
        let first = usize::try_from(address).ok()?.checked_mul(BLOCK_WORDS)?;
        let range = first..first + BLOCK_WORDS;
        (range.end <= REGISTER_FILE_WORDS).then_some(range)
    }
}
