//! The structure of the workspace: which crate depends on which, and which modules of a crate refer
//! to which, as far as paths in the source show it.
//!
//! * [`crates`] reads the workspace from `cargo metadata`, and the arrows that the architecture page
//!   draws.
//! * [`source`] reads a crate's module tree with the paths that each module names.
//! * [`spelled`] lists the names that a source spells, to count the sources that know the rows of a
//!   table.
//! * [`graph`] resolves the paths and finds the cycles between sibling modules.

pub mod crates;
pub mod graph;
pub mod source;
pub mod spelled;
