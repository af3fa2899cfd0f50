//! The passes by name, and the pipeline of a compilation.

use crate::infra::manager::PassStep;
use crate::infra::pass::PassDef;
use crate::objectfifo;

/// The passes of a compilation, in order: from a verified netlist to control code operations.
pub static COMPILE: &[&PassDef] = &[
    &crate::simplify::transform_bfp_types::PASS,
    &crate::simplify::lower_affine::PASS,
    &crate::simplify::lower_switch::PASS,
    &crate::simplify::inline_functions::PASS,
    &crate::simplify::hoist_declarations::PASS,
    &crate::simplify::outer_bd_dimensions::PASS,
    &crate::place::place_tiles::PASS,
    &crate::trace::INSERT_FLOWS,
    &crate::trace::TO_CONFIG,
    &crate::trace::PACK,
    &crate::trace::INLINE,
    &crate::objectfifo::register_objectfifos::PASS,
    &crate::objectfifo::PASS,
    &crate::allocate::assign_lock_ids::PASS,
    &crate::sequence::external_buffers::PASS,
    &crate::allocate::check_lock_balance::PASS,
    &crate::allocate::assign_bd_ids::PASS,
    &crate::flows::lower_cascade_flows::PASS,
    &crate::flows::lower_multicast::BROADCAST,
    &crate::flows::lower_multicast::MULTICAST,
    &crate::flows::route_tokens::PASS,
    &crate::flows::check_packet_headers::PASS,
    &crate::allocate::assign_buffer_addresses::PASS,
    &crate::route::PASS,
    &crate::jobs::PASS,
];

/// Passes that are run by name only.
pub static BY_NAME: &[&PassDef] = &[
    &crate::objectfifo::UNROLL,
    &crate::objectfifo::LIVENESS,
    &crate::mlir_aie_compat::localize_locks::PASS,
    &crate::flows::controller_ids::PASS,
    &crate::flows::control_overlay::PASS,
    &crate::control_packets::FROM_WRITES,
    &crate::control_packets::LEGALIZE,
    &crate::control_packets::INFER_TILES,
    &crate::control_packets::TO_DMA,
    &crate::flows::find_flows::PASS,
    &crate::simplify::canonicalize::PASS,
    &crate::simplify::cse::PASS,
    &crate::mlir_aie_compat::materialize_runtime_sequences::PASS,
    &crate::mlir_aie_compat::unroll_runtime_sequence_loops::PASS,
    &crate::mlir_aie_compat::materialize_bd_chains::PASS,
    &crate::mlir_aie_compat::substitute_shim_dma_allocations::PASS,
    &crate::mlir_aie_compat::decompose_large_dma_bd::PASS,
    &crate::mlir_aie_compat::lower_dynamic_bd_pool::PASS,
    &crate::mlir_aie_compat::assign_runtime_sequence_bd_ids::PASS,
    &crate::mlir_aie_compat::dma_tasks_to_npu::PASS,
    &crate::mlir_aie_compat::loop_pointers::transfers::PASS,
    &crate::mlir_aie_compat::loop_pointers::vector_access::PASS,
    &crate::mlir_aie_compat::scf_to_control_flow::PASS,
    &crate::mlir_aie_compat::standard_lowering::PASS,
    &crate::mlir_aie_compat::standard_lowering::SEQUENCES,
    &crate::mlir_aie_compat::lower_resets::CORES,
    &crate::mlir_aie_compat::lower_resets::CHANNELS,
    &crate::mlir_aie_compat::lower_resets::LOCKS,
    &crate::mlir_aie_compat::verify_runtime_rearm::PASS,
    &crate::mlir_aie_compat::dma_to_npu::PASS,
    &crate::mlir_aie_compat::expand_load_pdi::PASS,
    &crate::mlir_aie_compat::aie_to_transaction::PASS,
    &crate::mlir_aie_compat::npu_to_cert::PASS,
    &crate::mlir_aie_compat::cert_pages::PASS,
];

/// All passes that `aiec opt` knows: those of a compilation first.
pub fn all_passes() -> impl Iterator<Item = &'static PassDef> {
    COMPILE.iter().chain(BY_NAME).copied()
}

/// The pass of a command-line name.
pub fn find_pass(name: &str) -> Option<&'static PassDef> {
    all_passes().find(|pass| pass.name == name)
}

/// The passes of a compilation with default options.
pub fn compile_steps() -> Vec<PassStep> {
    let step = |pass: &&'static PassDef| {
        if pass.name == objectfifo::PASS.name {
            PassStep::new(pass).with(objectfifo::WHOLE_DESIGN, "true")
        } else {
            PassStep::new(pass)
        }
    };
    COMPILE.iter().map(step).collect()
}
