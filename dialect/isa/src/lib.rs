//! The common form of instruction sets, as data: instructions of one or several chunks, fields with
//! width, position and default, words for values.
//!
//! * [`Set`], [`Instruction`], [`Field`]: the model. A set is made in code or read from a
//!   description ([`description::read`]), which is validated first;
//! * [`Set::pack`], [`Set::unpack`]: field values to chunks and back;
//! * [`text`]: lines of assembly as tokens with spans, [`number`]: strict numbers,
//!   [`finding`]: the findings that every assembler of this crate's users reports;
//! * [`print`](mod@print): a set as a page of Markdown, as JSON, and the JSON schema of that.
//!
//! This crate doesn't know any machine, so that one assembler's text layer serves all of them.

pub mod description;
pub mod finding;
pub mod json_path;
pub mod number;
mod pack;
pub mod print;
pub mod schema;
mod set;
pub mod text;

pub use finding::CODES;
pub use set::{BitOrder, Defect, Extension, Field, Instruction, Level, OperandKind, Set, Table};
