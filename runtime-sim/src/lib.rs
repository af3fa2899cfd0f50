//! Executes an ELF of control code on a model of the array.
//!
//! [`array`] is the array behind its register bus, [`host`] the memory that its shims reach.

pub mod array;
pub mod core;
pub mod host;
pub mod time;
