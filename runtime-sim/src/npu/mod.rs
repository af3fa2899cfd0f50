//! The firmware of Ryzen AI's NPUs: it loads PDIs and executes transactions.
//!
//! [`load()`] maps what a host gives (an xclbin with instructions, or an ELF) into host memory and
//! applies what the host patches; [`Firmware`] executes. What it does is read from sources of
//! compilers, drivers and tools; its times are those of CERT's table, as nothing is public about them
//! (`docs/src/fidelity.md`).

mod fault;
mod firmware;
mod load;
mod scratchpad;
mod state_table;

pub use fault::FirmwareFault;
pub(crate) use firmware::FIRMWARE_TIMING;
pub use firmware::{Firmware, FirmwareRecord, FirmwareStall, FirmwareStats, FirmwareWait};
pub use load::{CODES, LoadedNpu, NOT_TRANSACTIONS, NpuInput, NpuProgramFile, load};
pub use scratchpad::CODES as SCRATCHPAD_CODES;
