//! Commands that print what `aiec` knows: devices, instruction sets, its manual pages, its version.

pub mod core_instructions;
pub mod devices;
pub mod instruction_sets;
pub mod man;
pub mod schemas;
pub mod version;
