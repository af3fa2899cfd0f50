//! Executes core programs, the machine code of modelled cores.
//!
//! A [`CoreMachine`] holds a decoded program and the state of its core. It sees its tile through a
//! [`CoreBus`]: memories through windows, locks, streams, the cascade and events. Functions that
//! it calls but doesn't contain are [`Kernels`]. Times are array clock cycles; what an operation costs stands in `cost.rs`.

mod bus;
mod cost;
mod kernels;
mod lanes;
mod machine;
mod memory;
mod scalar;

pub use bus::{
    Attempt, BankClock, CASCADE_WORDS, CoreBus, CoreFault, CoreMemory, CoreStop, CoreWait,
};
pub use cost::Costs;
pub use kernels::{
    Bound, HostFunction, Kernel, KernelArguments, KernelStep, Kernels, LibraryError, NoKernel,
    Then, Transfer, Unfinished, builtin_names,
};
pub use machine::{CoreMachine, CoreRun, CoreSettings, LoadError};

#[cfg(test)]
mod tests;
