//! Executes core programs, the machine code of modelled cores.
//!
//! A [`CoreBus`] is what a core sees of its tile: memories through windows, locks, streams, the
//! cascade, events and external functions. Times are array clock cycles.

mod bus;

pub use bus::{Attempt, CASCADE_WORDS, CoreBus, CoreFault, CoreMemory, CoreStop, CoreWait};
