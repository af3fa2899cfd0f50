//! Executes core programs, the machine code of modelled cores.
//!
//! A [`CoreMachine`] executes them for each core: it
//! holds a decoded program and the core's state. It sees its tile through a [`CoreBus`]: memories through windows, locks, streams, the cascade and events. Functions that
//! it calls but doesn't contain are [`Kernels`]. Times are array clock cycles; what an operation costs is in `cost.rs`.

mod access_log;
mod alone;
mod bound;
mod bus;
mod cost;
mod engine;
mod functions;
mod immediate;
pub mod isa;
mod kernels;
mod lanes;
mod loop_body;
mod machine;
mod memory;
mod scalar;
mod scopes;
mod start;
mod step_log;
mod strict_finding;
mod watch;

pub use access_log::{AccessLog, AccessRange};
pub use alone::{LockOperation, NotAlone, lock_operations};
pub use bound::{BoundCore, HostCoreFunction};
pub use bus::{
    Attempt, CASCADE_WORDS, CoreBanks, CoreBus, CoreFault, CoreMemory, CoreStop, CoreWait,
    MemoryTile, RegisterAccess, TakenWord,
};
pub use cost::{Costs, host_function};
pub use engine::{CoreRun, LoadError, LoadedProgram, MACHINE_CODE, RunningCore, StartedCore};
pub use functions::{math, math2, power};
pub(crate) use kernels::has_name;
pub use kernels::{
    Bound, CallOutcome, HostFunction, Kernel, KernelArguments, KernelStep, Kernels, NoKernel,
    Transfer, Unfinished, WaitingCall, builtin_names, call_kernel, plain_name,
};
pub use machine::CoreMachine;
pub use memory::FIRST_WINDOW;
pub use scalar::fma_narrow;
pub use scopes::{CoreScope, ScopeLog, ScopeSpan};
pub use start::{CoreSettings, machine_code_of};
pub use step_log::{CoreAccess, CoreStep, CoreStepKind, StepLog, WatchedRange};
pub use strict_finding::StrictFinding;
pub use watch::{CallContext, CoreProfile, InstructionCycles};

#[cfg(test)]
mod tests;
