//! Faults that stop a run of the fabric.

use crate::SequencerFault;
use crate::fabric::CellId;

use super::dpu::DpuFault;

/// A fault: where, when and what.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cycle {cycle}, cell {cell}, pc {address}: {kind}")]
pub struct DrraFault {
    /// The cell.
    pub cell: CellId,
    /// The cycle.
    pub cycle: u64,
    /// Address of the instruction that is concerned, in chunks.
    pub address: u8,
    /// Kind of fault.
    pub kind: DrraFaultKind,
}

/// Names of the ports of a register file, by their numbers.
pub const PORT_NAMES: [&str; 4] = ["w0", "w1", "r0", "r1"];

fn port_name(port: u8) -> &'static str {
    PORT_NAMES.get(usize::from(port)).unwrap_or(&"?")
}

fn direction(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

/// The problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrraFaultKind {
    /// The sequencer can't go on.
    #[error("{0}")]
    Sequencer(SequencerFault),
    /// The DPU can't compute.
    #[error("{0}")]
    Dpu(DpuFault),
    /// A port is given a walk while another one is under way.
    #[error("port {} gets a walk while its last one is under way", port_name(*.0))]
    PortBusy(u8),
    /// The SRAM is given a walk while another one in the same direction is under way.
    #[error("the SRAM is to {} while its last walk in this direction is under way", direction(*.write))]
    SramBusy {
        /// Whether rows are written.
        write: bool,
    },
    /// An address of a register file that doesn't exist.
    #[error("port {} walks to {} {address}", port_name(*.port), if *.blocks { "block" } else { "word" })]
    WordAddress {
        /// The port.
        port: u8,
        /// The address, in words or blocks.
        address: i32,
        /// Whether it counts blocks.
        blocks: bool,
    },
    /// A row of an SRAM that doesn't exist.
    #[error("the SRAM walks to row {0}")]
    RowAddress(i32),
    /// A write port takes a word in a cycle in which its source has none.
    #[error("port {} takes a word in a cycle in which its source reads none", port_name(*.0))]
    NoWord(u8),
    /// A write port has no source.
    #[error("port {} has no source", port_name(*.0))]
    NoSource(u8),
    /// A write port takes a row in a cycle in which none arrives.
    #[error("port {} takes a row in a cycle in which none arrives", port_name(*.0))]
    NoRow(u8),
    /// A row arrives in a cycle in which no port takes it.
    #[error("a row arrives in a cycle in which no port takes it")]
    RowLost,
    /// The SRAM writes a row in a cycle in which none arrives.
    #[error("the SRAM writes a row in a cycle in which none arrives")]
    NoRowToWrite,
    /// Rows that a port sends come to no SRAM.
    #[error("a row comes to the SRAM in a cycle in which it writes none")]
    RowUnwritten,
    /// Both write ports write a word.
    #[error("both write ports write word {0}")]
    TwoWrites(u8),
    /// There is no route to an SRAM.
    #[error("there is no route to {} an SRAM", direction(*.write))]
    NoRoute {
        /// The direction that is missing.
        write: bool,
    },
    /// A route leads to where there is no SRAM.
    #[error("the route leads to where there is no SRAM")]
    RouteOutside,
    /// A route needs a link that another cell has reserved.
    #[error("the route needs a link that cell {0} has reserved")]
    LinkTaken(CellId),
    /// The hops of SRAM and of the route differ.
    #[error("the SRAM is {route} hops away by the route, {sram} by the instruction")]
    Hops {
        /// Of the route.
        route: u8,
        /// Of the instruction, as its field plus 1.
        sram: u8,
    },
    /// A connection that doesn't exist.
    #[error("{0}")]
    Switch(&'static str),
    /// Compressed data.
    #[error("compressed data are not modelled")]
    Compressed,
    /// A width of data that doesn't exist.
    #[error("BW config={0} isn't a width of data")]
    BadWidth(u8),
}

impl DrraFaultKind {
    /// The way out.
    pub fn help(&self) -> &'static str {
        use DrraFaultKind as Kind;
        match self {
            Kind::Sequencer(SequencerFault::NoInstruction) => {
                "end the code of each cell with HALT, and let targets be addresses of instructions"
            }
            Kind::Sequencer(_) => "`aiec asm -t drra-v2` checks loops and registers",
            Kind::Dpu(_) | Kind::Compressed => {
                "docs/src/fidelity.md lists what of the DPU is modelled"
            }
            Kind::PortBusy(_) | Kind::SramBusy { .. } => {
                "issue the second walk later, with a WAIT, or shorten the first one"
            }
            Kind::WordAddress { .. } | Kind::RowAddress(_) => {
                "a register file has 64 words or 4 blocks, an SRAM 128 rows"
            }
            Kind::NoWord(_) | Kind::NoRow(_) | Kind::NoRowToWrite => {
                "delay what takes it: init_delay, or a WAIT; `--trace FILE.txt` shows who acts when"
            }
            Kind::RowLost | Kind::RowUnwritten => {
                "let the other side act in the same cycle: adjust init_delay, or the WAIT before it"
            }
            Kind::NoSource(_) => "connect it with SWB before",
            Kind::TwoWrites(_) => "let one of them write in another cycle",
            Kind::NoRoute { .. } => "reserve one with ROUTE before, in this direction",
            Kind::RouteOutside => "use vertical_dir=n, vertical_hops=1 and columns of the fabric",
            Kind::LinkTaken(_) => "let that cell route elsewhere first, or use another column",
            Kind::Hops { .. } => "hops of SRAM is the number of hops of its route, less 1",
            Kind::Switch(_) => "`aiec isa --target drra-v2` explains the fields of SWB and REFI",
            Kind::BadWidth(_) => "0 is 4 bits, 1 is 8 bits, 2 is 16 bits",
        }
    }
}
