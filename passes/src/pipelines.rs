//! The passes by name, and the pipeline of a compilation.

use crate::infra::manager::PassStep;
use crate::infra::pass::PassDef;
use crate::objectfifo;

/// A step of a compilation.
pub struct CompileStep {
    /// The pass.
    pub pass: &'static PassDef,
    /// Options that differ from the pass's defaults.
    options: &'static [(&'static str, &'static str)],
}

const fn step(pass: &'static PassDef) -> CompileStep {
    CompileStep { pass, options: &[] }
}

impl CompileStep {
    const fn with(mut self, options: &'static [(&'static str, &'static str)]) -> CompileStep {
        self.options = options;
        self
    }
}

/// The steps of a compilation, in order: from a verified netlist to control code operations.
pub static COMPILE: &[CompileStep] = &[
    // Canonical forms first, so that every later pass knows one form of each construct.
    step(&crate::simplify::transform_bfp_types::PASS),
    step(&crate::simplify::lower_affine::PASS),
    step(&crate::simplify::lower_parallel::PASS),
    step(&crate::simplify::lower_switch::PASS),
    // Registered processes may be functions that use fifos.
    step(&crate::objectfifo::register_objectfifos::PASS),
    // Later passes look for uses of fifos and locks in cores only.
    step(&crate::simplify::inline_functions::PASS),
    // Later passes look for buffers and locks in the device only.
    step(&crate::simplify::hoist_declarations::PASS),
    step(&crate::simplify::outer_bd_dimensions::PASS),
    // All that follows needs coordinates.
    step(&crate::place::place_tiles::PASS),
    // Traces take the shim channels and packet ids that they name before fifos choose theirs.
    step(&crate::trace::INSERT_FLOWS),
    step(&crate::trace::TO_CONFIG),
    step(&crate::trace::PACK),
    step(&crate::trace::INLINE),
    // The locks and buffers that it makes get numbers and addresses as those of the text do.
    step(&crate::sequence::scratchpad_parameters::PASS),
    // A compilation lowers whole designs: what no run can do is an error, not a warning.
    step(&crate::objectfifo::PASS).with(&[(objectfifo::WHOLE_DESIGN, "true")]),
    // Fifos have their shim channels now; what looks at locks and BDs from here on sees those of chains.
    step(&crate::sequence::materialize_bd_chains::PASS),
    step(&crate::allocate::assign_lock_ids::PASS),
    step(&crate::sequence::external_buffers::PASS),
    // The check needs the locks and DMA programs that fifos became, and buffers bound to arguments.
    step(&crate::allocate::check_lock_balance::PASS),
    step(&crate::allocate::assign_bd_ids::PASS),
    // Older forms of connections become flows before anything reads flows.
    step(&crate::flows::lower_cascade_flows::PASS),
    step(&crate::flows::lower_multicast::BROADCAST),
    step(&crate::flows::lower_multicast::MULTICAST),
    // The last flows that are made: the check and the router see all of them.
    step(&crate::flows::route_tokens::PASS),
    step(&crate::flows::check_packet_headers::PASS),
    step(&crate::allocate::assign_buffer_addresses::PASS),
    step(&crate::route::PASS),
    // Needs every number, address and switch setting.
    step(&crate::jobs::PASS),
];

/// Passes that are run by name only.
pub static BY_NAME: &[&PassDef] = &[
    &crate::objectfifo::UNROLL,
    &crate::objectfifo::LIVENESS,
    &crate::mlir_aie_compat::canonicalize_device::PASS,
    &crate::mlir_aie_compat::core_link_files::PASS,
    &crate::mlir_aie_compat::localize_locks::PASS,
    &crate::mlir_aie_compat::normalize_address_spaces::PASS,
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
    &crate::mlir_aie_compat::entry_device::SPLIT,
    &crate::mlir_aie_compat::expand_load_pdi::PASS,
    &crate::mlir_aie_compat::entry_device::METHOD,
    &crate::mlir_aie_compat::aie_to_transaction::PASS,
    &crate::mlir_aie_compat::npu_to_cert::PASS,
    &crate::mlir_aie_compat::cert_pages::PASS,
];

/// Names of the passes that turn transfers and tasks of runtime sequences into register writes, in order. Sequences with loops and branches draw
/// descriptors from pools before others get fixed numbers.
pub static TO_REGISTER_WRITES: [&str; 5] = [
    "aie-substitute-shim-dma-allocations",
    "aie-lower-dynamic-bd-pool",
    "aie-assign-runtime-sequence-bd-ids",
    "aie-dma-tasks-to-npu",
    "aie-dma-to-npu",
];

/// All passes that `aiec opt` knows: those of a compilation first.
pub fn all_passes() -> impl Iterator<Item = &'static PassDef> {
    let compile = COMPILE.iter().map(|step| step.pass);
    compile.chain(BY_NAME.iter().copied())
}

/// The pass of a command-line name.
pub fn find_pass(name: &str) -> Option<&'static PassDef> {
    all_passes().find(|pass| pass.name == name)
}

/// The steps of a compilation with their options.
pub fn compile_steps() -> Vec<PassStep> {
    let step = |step: &CompileStep| {
        let with = |pass: PassStep, (name, value): &(&str, &str)| pass.with(name, value);
        step.options.iter().fold(PassStep::new(step.pass), with)
    };
    COMPILE.iter().map(step).collect()
}
