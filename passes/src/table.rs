//! The table of passes.

use crate::pass::PassDef;

/// All passes that `aiec opt` knows: those of a compilation, then those that are run by name only.
pub static PASSES: &[&PassDef] = &[
    &crate::lower_affine::PASS,
    &crate::hoist_declarations::PASS,
    &crate::place_tiles::PASS,
    &crate::trace::INSERT_FLOWS,
    &crate::trace::TO_CONFIG,
    &crate::trace::PACK,
    &crate::trace::INLINE,
    &crate::register_objectfifos::PASS,
    &crate::objectfifo::PASS,
    &crate::assign_lock_ids::PASS,
    &crate::assign_bd_ids::PASS,
    &crate::lower_cascade_flows::PASS,
    &crate::lower_multicast::BROADCAST,
    &crate::lower_multicast::MULTICAST,
    &crate::route_tokens::PASS,
    &crate::assign_buffer_addresses::PASS,
    &crate::route::PASS,
    &crate::jobs::PASS,
    &crate::objectfifo::UNROLL,
    &crate::objectfifo::LIVENESS,
    &crate::localize_locks::PASS,
    &crate::controller_ids::PASS,
    &crate::control_overlay::PASS,
    &crate::control_packets::FROM_WRITES,
    &crate::control_packets::LEGALIZE,
    &crate::control_packets::INFER_TILES,
    &crate::control_packets::TO_DMA,
    &crate::find_flows::PASS,
    &crate::canonicalize::PASS,
    &crate::cse::PASS,
    &crate::materialize_runtime_sequences::PASS,
    &crate::unroll_runtime_sequence_loops::PASS,
    &crate::materialize_bd_chains::PASS,
    &crate::substitute_shim_dma_allocations::PASS,
    &crate::decompose_large_dma_bd::PASS,
    &crate::lower_dynamic_bd_pool::PASS,
    &crate::assign_runtime_sequence_bd_ids::PASS,
    &crate::dma_tasks_to_npu::PASS,
    &crate::dma_to_npu::PASS,
    &crate::expand_load_pdi::PASS,
    &crate::aie_to_transaction::PASS,
    &crate::npu_to_cert::PASS,
    &crate::cert_pages::PASS,
];

/// How many of [`PASSES`] a compilation runs, in that order.
pub const COMPILATION: usize = 18;

/// The pass of a command-line name.
pub fn find(name: &str) -> Option<&'static PassDef> {
    PASSES.iter().copied().find(|p| p.name == name)
}
