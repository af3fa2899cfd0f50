//! All diagnostic codes of the project, for `aiec explain` and the book.

use aiec_diag::Code;

/// All codes, grouped by the crate that declares them.
pub fn all() -> impl Iterator<Item = &'static Code> {
    TABLES.iter().flat_map(|table| table.iter().copied())
}

/// The tables of all crates and stages.
static TABLES: &[&[&Code]] = &[
    crate::codes::DRIVER_CODES,
    crate::analysis::CODES,
    crate::fmt::CODES,
    crate::tune::CODES,
    aiec_diag::INTERNAL_CODES,
    aiec_emit::ctrl::CODES,
    aiec_emit::linker_files::CODES,
    aiec_emit::npu_binary::CODES,
    aiec_emit::sequence_program::CODES,
    crate::asm::CODES,
    aiec_isa::CODES,
    aiec_refsi::CODES,
    aiec_drra::CODES,
    aiec_cert::asm::CODES,
    aiec_cert::pager::CODES,
    aiec_cert::image::CODES,
    aiec_cert::fix::CODES,
    aiec_cert::check::CODES,
    aiec_xrt_elf::CODES,
    aiec_npu::codes::CODES,
    aiec_emit::npu::CODES,
    aiec_sim::npu::CODES,
    aiec_sim::npu::SCRATCHPAD_CODES,
    crate::sim::npu::CODES,
    crate::asm::npu_files::CODES,
    aiec_cert::dis::CODES,
    aiec_cert::binary::CODES,
    aiec_cert::probes::CODES,
    crate::dis::CODES,
    crate::mlir::CODES,
    crate::core_compiler::CODES,
    aiec_core::asm::CODES,
    aiec_core::elf::CODES,
    aiec_core::link::CODES,
    aiec_aie::text::parse::codes::CODES,
    aiec_aie::verify::codes::CODES,
    aiec_passes::allocate::assign_bd_ids::CODES,
    aiec_passes::allocate::assign_buffer_addresses::CODES,
    aiec_passes::allocate::assign_lock_ids::CODES,
    aiec_passes::allocate::check_lock_balance::CODES,
    aiec_passes::flows::check_packet_headers::CODES,
    aiec_passes::mlir_aie_compat::entry_device::CODES,
    aiec_passes::mlir_aie_compat::npu_read::CODES,
    aiec_passes::sequence::scratchpad_parameters::CODES,
    aiec_passes::mlir_aie_compat::npu_to_cert::CODES,
    aiec_passes::configure::CODES,
    aiec_passes::reconfigure::CODES,
    aiec_passes::analysis::core_elf::CODES,
    aiec_codegen::CODES,
    aiec_passes::jobs::CODES,
    aiec_codegen::link_functions::CODES,
    aiec_passes::simplify::inline_functions::CODES,
    aiec_passes::simplify::outer_bd_dimensions::CODES,
    aiec_passes::simplify::lower_affine::CODES,
    aiec_passes::simplify::lower_parallel::CODES,
    aiec_passes::simplify::lower_switch::CODES,
    aiec_passes::simplify::transform_bfp_types::CODES,
    aiec_passes::flows::lower_cascade_flows::CODES,
    aiec_passes::flows::lower_multicast::CODES,
    aiec_passes::mlir_aie_compat::localize_locks::CODES,
    aiec_passes::mlir_aie_compat::core_link_files::CODES,
    aiec_passes::mlir_aie_compat::verify_runtime_rearm::CODES,
    aiec_passes::mlir_aie_compat::standard_lowering::CODES,
    aiec_passes::flows::controller_ids::CODES,
    aiec_passes::flows::control_overlay::CODES,
    aiec_passes::control_packets::CODES,
    aiec_passes::objectfifo::CODES,
    aiec_passes::place::place_tiles::CODES,
    aiec_passes::objectfifo::register_objectfifos::CODES,
    aiec_passes::route::CODES,
    aiec_passes::infra::self_check::CODES,
    aiec_passes::sequence::CODES,
    aiec_passes::sequence::scalars::CODES,
    aiec_passes::trace::CODES,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        let mut seen = std::collections::BTreeSet::new();
        for code in all() {
            assert!(seen.insert(code.id), "{} is declared twice", code.id);
            assert!(code.id.contains("::"), "{} has no stage", code.id);
            assert!(!code.explanation.is_empty(), "{} is unexplained", code.id);
        }
    }
}
