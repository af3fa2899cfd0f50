//! The table of passes.

use crate::pass::PassDef;

/// All passes, in the order in which a compilation runs them, then those that are run by name only.
pub static PASSES: &[&PassDef] = &[
    &crate::hoist_declarations::PASS,
    &crate::place_tiles::PASS,
    &crate::register_objectfifos::PASS,
    &crate::objectfifo::PASS,
    &crate::assign_lock_ids::PASS,
    &crate::assign_bd_ids::PASS,
    &crate::lower_cascade_flows::PASS,
    &crate::assign_buffer_addresses::PASS,
    &crate::route::PASS,
    &crate::jobs::PASS,
];

/// The pass of a command-line name.
pub fn find(name: &str) -> Option<&'static PassDef> {
    PASSES.iter().copied().find(|p| p.name == name)
}
