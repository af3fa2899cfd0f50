//! Executes core programs, the machine code of modelled cores.
//!
//! A [`CoreMachine`] holds a decoded program and the state of its core. It sees its tile through a
//! [`CoreBus`]: memories through windows, locks, streams, the cascade, events and external
//! kernels. Times are array clock cycles; what an operation costs stands in `cost.rs`.

mod bus;
mod cost;
mod lanes;
mod machine;
mod memory;
mod scalar;

pub use bus::{
    Attempt, BankClock, CASCADE_WORDS, CoreBus, CoreFault, CoreMemory, CoreStop, CoreWait,
    KernelCall,
};
pub use machine::{CoreMachine, CoreRun};

#[cfg(test)]
mod tests;
