//! The routing benchmark: problems by generator from fixed seeds, as netlists in JSON and MLIR,
//! and what is known of their best routings.
//!
//! The table of best known results is in `test/routing-bench/`; the program `routing-bench` runs the
//! problems and prints figures; `--files` writes them as netlists.

pub mod best;
pub mod design;
pub mod families;
pub mod generate;
pub mod json;
pub mod netlist;
pub mod run;

use std::{fs, io};

/// The problems by hand, `test/routing-bench/by-hand/*.json`, by name of the file.
pub fn by_hand() -> io::Result<Vec<Problem>> {
    let entries = fs::read_dir(best::folder().join("by-hand"))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path)?;
        json::read(&text).map_err(|e| io::Error::other(format!("{}: {e}", path.display())))
    };
    paths.iter().map(read).collect()
}

/// An end of a flow: a port of a tile, outside the shim mux in the shim row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowPort {
    /// Column.
    pub col: u8,
    /// Row.
    pub row: u8,
    /// Bundle as netlists spell it, e.g. `DMA`.
    pub bundle: String,
    /// Channel.
    pub channel: u8,
}

impl FlowPort {
    /// A DMA channel of a tile.
    pub fn dma(col: u8, row: u8, channel: u8) -> FlowPort {
        FlowPort {
            col,
            row,
            bundle: "DMA".to_string(),
            channel,
        }
    }
}

/// A flow to be routed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The packet id; `None` for a circuit.
    pub packet: Option<u8>,
    /// Where it starts; a circuit has one source.
    pub sources: Vec<FlowPort>,
    /// Where it ends; every source reaches all.
    pub sinks: Vec<FlowPort>,
}

impl Flow {
    /// A circuit.
    pub fn circuit(source: FlowPort, sinks: Vec<FlowPort>) -> Flow {
        Flow {
            packet: None,
            sources: vec![source],
            sinks,
        }
    }

    /// A packet flow.
    pub fn packet(id: u8, sources: Vec<FlowPort>, sinks: Vec<FlowPort>) -> Flow {
        Flow {
            packet: Some(id),
            sources,
            sinks,
        }
    }
}

/// A routing problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Unique: `FAMILY/SEED` of generated ones.
    pub name: String,
    /// The device's name in netlists.
    pub device: String,
    /// Flows to route.
    pub flows: Vec<Flow>,
}
