//! The netlist vocabulary of `aiec`: a small MLIR (arenas of operations, blocks, regions and
//! values), the declarations of the `aie` and `aiex` operations and of the upstream operations
//! that core bodies use, and the text form of it all.
//!
//! What this crate owns:
//!
//! * `op_table`: the rows of all operations and their kinds;
//! * [`ir`]: the data structures; of an operation they know its kind, of no dialect anything else;
//! * [`ops`]: the declarations of the rows ([`ops::OPS`]) and a typed view and builder for each;
//! * [`text`]: the parser and the printer, with the grammar of the custom syntax;
//! * [`verify`]: what must hold before any pass works on a netlist.
//!
//! Invariants: it opens no files and writes to no terminal; rendering of diagnostics belongs to
//! the `compiler` crate. Every operation carries a location that survives all passes.

pub mod ir;
mod op_table;
pub mod ops;
pub mod text;
pub mod verify;
