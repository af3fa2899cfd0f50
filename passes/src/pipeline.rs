//! The passes of a compilation, in order.

use crate::manager::Step;

/// From a parsed and verified netlist to control code operations.
pub fn compile() -> Vec<Step> {
    crate::table::PASSES[..crate::table::COMPILATION]
        .iter()
        .map(|p| Step::new(p))
        .collect()
}
