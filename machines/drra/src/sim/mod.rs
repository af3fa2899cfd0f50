//! DRRA: a fabric of cells in lock step, with the memories of DiMArch.
//!
//! A cycle goes: sequencers issue; SRAMs read; read ports of register files read; DPUs compute on
//! what is at their inputs; write ports write; SRAMs write. What a DPU computes is in its output
//! registers from the next cycle on. Everything else is a wire: a word that a port reads can be
//! written elsewhere in the same cycle. Timing is the program's affair: whatever comes too early or
//! too late is a [`DrraFault`].

mod cell;
mod dpu;
mod fabric;
mod fault;
mod route;
mod run;

pub use cell::{CellTotals, FabricCell, PORTS, Row};
pub use dpu::{Dpu, DpuFault, Signal};
pub use fabric::Fabric;
pub use fault::{DrraFault, DrraFaultKind, PORT_NAMES};
pub use run::{DrraOptions, MACHINE, run};
