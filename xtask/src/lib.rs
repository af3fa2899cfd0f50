//! Chores of the project that Cargo has no command for: `cargo xtask` lists them.

pub mod archive;
pub mod bench;
pub mod bench_compare;
pub mod keys;
pub mod structure;
