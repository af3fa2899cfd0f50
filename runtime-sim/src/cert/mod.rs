//! The CERT machine: micro-controllers that execute pages of control code.
//!
//! Each controller ([`vm`]) runs the jobs of one page at a time, cooperatively: a job runs until
//! it blocks. Pages are fetched from host memory, the next one while this one runs. Writes reach
//! the array through its register bus, one word at a time or by the controller's uC-DMA
//! ([`ucdma`]). [`machine`] puts all controllers on one clock.
//!
//! Simplifications:
//! * a page ends when all its jobs have ended, before the next one starts;
//! * tokens go to whichever controller waits for them, not only to that of the tile's column;
//! * numbers of jobs, wait handles and physical barriers are not limited;
//! * a context switch at a preemption point destroys the contents of mem tiles, nothing else.
//!
//! Sources: aiebu: specification/aie2ps/isa-spec.yaml, AM029 (uC, uC-DMA).

mod context;
pub mod exec;
pub mod fault;
pub mod job;
mod later_starts;
mod loads;
pub mod machine;
pub mod records;
mod saved;
pub mod sync;
mod trace;
pub mod ucdma;
pub mod vm;
mod waits;

pub use fault::{CertFault, InstructionFault, InstructionSite};
pub use job::{Job, JobBlock, JobState};
pub use machine::Machine;
pub use sync::{Probe, Record, RecordKind};
pub use vm::{LoadedUc, Vm, VmCounts, VmStats};
