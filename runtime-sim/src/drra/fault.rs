//! What ends a run of the fabric before its end.

use std::fmt;

use aiec_drra::SequencerFault;
use aiec_drra::fabric::CellId;

use super::dpu::DpuFault;

/// A fault: where, when and what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrraFault {
    /// The cell.
    pub cell: CellId,
    /// The cycle.
    pub cycle: u64,
    /// Address of the instruction that is concerned, in chunks.
    pub address: u8,
    /// What.
    pub kind: DrraFaultKind,
}

/// Names of the ports of a register file, by their numbers.
pub const PORT_NAMES: [&str; 4] = ["w0", "w1", "r0", "r1"];

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DrraFaultKind {
    /// The sequencer can't go on.
    Sequencer(SequencerFault),
    /// The DPU can't compute.
    Dpu(DpuFault),
    /// A port is given a walk while another one is under way.
    PortBusy(u8),
    /// The SRAM is given a walk while another one in the same direction is under way.
    SramBusy {
        /// Whether rows are written.
        write: bool,
    },
    /// An address of a register file that doesn't exist.
    WordAddress {
        /// The port.
        port: u8,
        /// The address, in words or blocks.
        address: i32,
        /// Whether it counts blocks.
        blocks: bool,
    },
    /// A row of an SRAM that doesn't exist.
    RowAddress(i32),
    /// A write port takes a word in a cycle in which its source has none.
    NoWord(u8),
    /// A write port has no source.
    NoSource(u8),
    /// A write port takes a row in a cycle in which none arrives.
    NoRow(u8),
    /// A row arrives in a cycle in which no port takes it.
    RowLost,
    /// The SRAM writes a row in a cycle in which none arrives.
    NoRowToWrite,
    /// Rows that a port sends come to no SRAM.
    RowUnwritten,
    /// Both write ports write a word.
    TwoWrites(u8),
    /// There is no route to an SRAM.
    NoRoute {
        /// The direction that is missing.
        write: bool,
    },
    /// A route leads to where there is no SRAM.
    RouteOutside,
    /// A route needs a link that another cell has reserved.
    LinkTaken(CellId),
    /// The hops of SRAM and of the route differ.
    Hops {
        /// Of the route.
        route: u8,
        /// Of the instruction, as its field plus 1.
        sram: u8,
    },
    /// A connection that doesn't exist.
    Switch(&'static str),
    /// Compressed data.
    Compressed,
    /// A width of data that doesn't exist.
    BadWidth(u8),
}

impl fmt::Display for DrraFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DrraFaultKind as Kind;
        let port_name = |port: &u8| PORT_NAMES.get(usize::from(*port)).unwrap_or(&"?");
        let direction = |write: bool| if write { "write" } else { "read" };
        match self {
            Kind::Sequencer(fault) => write!(f, "{fault}"),
            Kind::Dpu(fault) => write!(f, "{fault}"),
            Kind::PortBusy(port) => write!(
                f,
                "port {} gets a walk while its last one is under way",
                port_name(port)
            ),
            Kind::SramBusy { write } => write!(
                f,
                "the SRAM is to {} while its last walk in this direction is under way",
                direction(*write)
            ),
            Kind::WordAddress {
                port,
                address,
                blocks,
            } => {
                let unit = if *blocks { "block" } else { "word" };
                write!(f, "port {} walks to {unit} {address}", port_name(port))
            }
            Kind::RowAddress(row) => write!(f, "the SRAM walks to row {row}"),
            Kind::NoWord(port) => write!(
                f,
                "port {} takes a word in a cycle in which its source reads none",
                port_name(port)
            ),
            Kind::NoSource(port) => write!(f, "port {} has no source", port_name(port)),
            Kind::NoRow(port) => write!(
                f,
                "port {} takes a row in a cycle in which none arrives",
                port_name(port)
            ),
            Kind::RowLost => f.write_str("a row arrives in a cycle in which no port takes it"),
            Kind::NoRowToWrite => {
                f.write_str("the SRAM writes a row in a cycle in which none arrives")
            }
            Kind::RowUnwritten => {
                f.write_str("a row comes to the SRAM in a cycle in which it writes none")
            }
            Kind::TwoWrites(word) => write!(f, "both write ports write word {word}"),
            Kind::NoRoute { write } => {
                write!(f, "there is no route to {} an SRAM", direction(*write))
            }
            Kind::RouteOutside => f.write_str("the route leads to where there is no SRAM"),
            Kind::LinkTaken(cell) => {
                write!(f, "the route needs a link that cell {cell} has reserved")
            }
            Kind::Hops { route, sram } => write!(
                f,
                "the SRAM is {route} hops away by the route, {sram} by the instruction"
            ),
            Kind::Switch(what) => f.write_str(what),
            Kind::Compressed => f.write_str("compressed data are not modelled"),
            Kind::BadWidth(config) => write!(f, "BW config={config} is no width of data"),
        }
    }
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

impl fmt::Display for DrraFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DrraFault {
            cell,
            cycle,
            address,
            kind,
        } = self;
        write!(f, "cycle {cycle}, cell {cell}, pc {address}: {kind}")
    }
}
