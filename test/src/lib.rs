//! The means of testing: a lit runner, a FileCheck, and what the property tests share.
//!
//! Tests are files: `dialect/`, `passes/`, `emit/`, `sim/` and `driver/` hold them, grouped as
//! the crates of the workspace are, and `cargo test -p aiec-test --test lit` runs them
//! (`-- NAME` runs those whose path contains `NAME`).

pub mod browser;
pub mod core_bench;
pub mod designs;
pub mod driver;
pub mod examples;
pub mod filecheck;
pub mod hex;
pub mod lit;
pub mod machine_code;
pub mod mutants;
pub mod op_reference;
pub mod operations;
pub mod outcome;
pub mod pages;
pub mod python_types;
pub mod refused;
pub mod routing_bench;
pub mod routing_check;
pub mod schema;
pub mod seeds;
pub mod silicon;
pub mod task_sequences;
pub mod upstream;
pub mod vcd_reader;
pub mod verdicts;
