//! Executes the machine code of AIE2, AIE2P and AIE2PS cores.
//!
//! [`MachineCodeCore`] is a core; `code` holds its program, each bundle decoded by `aiec-core` and
//! resolved to operations ([`resolve`]) when execution first comes to it; `pipeline` the registers
//! with results under way; `execute` what operations do, `later` what they do some bundles later;
//! `strict` refuses what hardware or compilers don't take. The arithmetic is in pure functions:
//! `scalar`, `lanes`, `shuffle`, `convert`, `rounding`, `float`, `formats`, `products`, `address`.

mod address;
mod block;
mod code;
mod convert;
mod execute;
mod fifo;
mod float;
mod formats;
mod host_vectors;
mod lanes;
mod later;
mod machine;
mod nonlinear;
mod op;
mod parts;
mod pipeline;
mod product_sums;
#[cfg(test)]
mod product_tests;
mod products;
mod registers;
mod resolve;
mod rounding;
mod scalar;
mod scalar_bundles;
mod shuffle;
#[cfg(test)]
mod silicon_tests;
mod strict;
mod walk;

pub use machine::MachineCodeCore;
pub use resolve::coverage::{UnmodelledInstruction, unmodelled};
