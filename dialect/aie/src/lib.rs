//! The netlist vocabulary of `aiec`: a small MLIR (arenas of operations, blocks, regions and
//! values), the declarations of the `aie` and `aiex` operations and of the upstream operations
//! that core bodies use, and the text form of it all.
//!
//! What this crate owns:
//!
//! * [`ir`]: the data structures, with no knowledge of any dialect;
//! * [`ops`]: the one table of operations ([`ops::OPS`]) and a typed view for each of ours;
//! * [`text`]: the parser and the printer, with the grammar of the custom syntax;
//! * [`verify`]: what must hold before any pass works on a netlist.
//!
//! Invariants: it opens no files and writes to no terminal; rendering of diagnostics belongs to
//! the `compiler` crate. Every operation carries a location that survives all passes.

pub mod ir;
pub mod ops;
pub mod text;
pub mod verify;
