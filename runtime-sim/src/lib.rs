//! Executes an ELF of control code on a model of the array.
//!
//! [`simulate`] is the entry: it loads a file, runs it and reports how it ended. [`cert`] is the
//! micro-controllers, [`mod@array`] the array with its register bus, [`core`] the programs of its
//! cores, [`host`] the memory that its shims reach.

pub mod array;
mod bank;
pub mod cert;
pub mod core;
pub mod critical_path;
pub mod diagnosis;
pub mod elf_load;
pub mod external_sort;
pub mod host;
mod jitter;
pub mod npu;
pub mod race;
pub mod record;
pub mod report;
pub mod run;
pub mod time;
pub mod trace;

pub use critical_path::{CriticalPath, critical_path};
pub use diagnosis::{Deadlock, DeadlockKind, LeftoverReport, Limit};
pub use elf_load::{HostBuffer, Patching};
pub use report::{SimReport, report};
pub use run::{
    LiveRun, Pause, Progress, Recording, SimError, SimFault, SimOptions, SimResult, Status,
    StopReason, Watcher, simulate, simulate_control, simulate_npu, simulate_on, simulate_watched,
};
