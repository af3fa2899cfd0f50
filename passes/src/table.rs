//! The table of passes.

use crate::pass::PassDef;

/// All passes, in the order in which a compilation runs them, then those that are run by name only.
pub static PASSES: &[&PassDef] = &[];

/// The pass of a command-line name.
pub fn find(name: &str) -> Option<&'static PassDef> {
    PASSES.iter().copied().find(|p| p.name == name)
}
