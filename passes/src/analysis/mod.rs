//! Facts about a netlist, computed without changing it, that several stages need.
//!
//! * [`budget`]: what the resources of a tile are used for;
//! * [`switches`]: switch settings as data; [`core_elf`]: machine code of cores;
//! * [`dma_view`], [`transfer`]: buffers, locks and access patterns as a DMA sees them;
//! * `host_transfers`: what a runtime sequence moves and waits for;
//! * `integers`: arithmetic of MLIR's constants; `known_integers`: execution of a core's.
//!
//! Only [`crate::infra`] is below this folder.

pub mod budget;
pub mod core_elf;
pub mod dma_view;
pub(crate) mod fixed_times;
pub(crate) mod host_transfers;
pub(crate) mod integers;
pub(crate) mod known_integers;
pub mod switches;
pub mod transfer;
