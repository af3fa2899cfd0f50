//! Executes an ELF of control code on a model of the array.

pub mod core;
