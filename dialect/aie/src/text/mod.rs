//! The text form: parsing (today's custom syntax, that of 2026-03 and of early 2025, generic
//! form of anything) and printing (today's custom syntax with the reference's SSA names, or
//! generic form).
//!
//! * `grammar/*.pest` is the grammar: MLIR's structure, and a rule for each operation that has no
//!   format in its row; `build.rs` makes tables of it and of the formats;
//! * `syntax` runs the grammar's rules, says where a text leaves them, and how an operation is
//!   written; pest's generated parser checks it in builds with debug assertions;
//! * [`parse()`] runs it item by item, so that memory is bounded by one operation's header and a
//!   mistake costs one operation, and builds the IR;
//! * `custom` reads and prints operations by the formats of their rows, and those without by two
//!   functions each;
//! * [`print()`] writes a module back;
//! * [`lexer`] has the tokens of a text as it is written, comments among them, and [`layout`] indents them.
//!
//! Invariants: positions are byte offsets throughout; older spellings are normalised while
//! parsing, so the IR only ever holds today's form; `print(parse(x))` is a fixed point.

mod custom;
mod grammar;
pub mod layout;
pub mod lexer;
pub mod parse;
pub mod print;
mod syntax;

pub use parse::{
    UnregisteredOp, UnregisteredOpExtent, UnregisteredOpReader, parse, parse_text, parse_with,
};
pub use print::{PrintOptions, print, print_op, print_with_locations, stored_attributes};

/// The attribute that keeps the properties (`<{…}>`) of an operation that isn't in the table.
const PROPERTIES: &str = "<properties>";

/// Whether an operation has a text form of its own beside the generic one.
pub fn has_own_syntax(kind: crate::ops::OpKind) -> bool {
    custom::syntax(kind).is_some()
}
