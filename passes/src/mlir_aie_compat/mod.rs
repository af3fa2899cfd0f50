//! Passes that a compilation doesn't run: they exist for users who go step by step with mlir-aie's
//! pass names (`aiec opt`), and their results are what mlir-aie's tools read and write.
//!
//! | step | passes |
//! | --- | --- |
//! | netlists | [`canonicalize_device`] |
//! | sequences | [`materialize_runtime_sequences`], [`unroll_runtime_sequence_loops`], [`substitute_shim_dma_allocations`], [`decompose_large_dma_bd`], [`lower_dynamic_bd_pool`], [`assign_runtime_sequence_bd_ids`] |
//! | register writes | [`dma_tasks_to_npu`], [`dma_to_npu`], [`expand_load_pdi`], [`entry_device`], [`aie_to_transaction`] |
//! | control code | [`npu_to_cert`], [`cert_pages`] |
//! | cores | [`core_link_files`], [`localize_locks`], [`loop_pointers`], [`normalize_address_spaces`], [`standard_lowering`] |
//!
//! They share the lowerings of the compile path (`sequence`, `configure`, `jobs`); no stage of the
//! compile path uses this folder.

pub mod aie_to_transaction;
pub mod assign_runtime_sequence_bd_ids;
pub mod canonicalize_device;
pub mod cert_pages;
pub mod core_link_files;
pub mod decompose_large_dma_bd;
pub mod dma_tasks_to_npu;
pub mod dma_to_npu;
pub mod entry_device;
pub mod expand_load_pdi;
pub mod localize_locks;
pub mod loop_pointers;
pub mod lower_dynamic_bd_pool;
pub mod lower_resets;
pub mod materialize_runtime_sequences;
pub mod normalize_address_spaces;
pub(crate) mod npu_ops;
pub mod npu_read;
pub mod npu_to_cert;
pub(crate) mod run_time;
pub mod scf_to_control_flow;
pub mod standard_lowering;
pub mod substitute_shim_dma_allocations;
pub mod unroll_runtime_sequence_loops;
pub mod verify_runtime_rearm;

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::netlist::tile_loc;
use aiec_device::{ChannelId, DmaDir};

/// The channel of an `aiex.dma_configure_task`; `None` if its tile isn't placed.
fn task_channel(module: &Module, task: Op) -> Option<ChannelId> {
    let tile = tile_loc(module, module.operand(task, 0)?)?;
    let dir = DmaDir::by_value(module.int_attr(task, "direction")?)?;
    let index = u8::try_from(module.int_attr(task, "channel")?).ok()?;
    Some(ChannelId { tile, dir, index })
}

/// Gives an operation the attributes of another.
fn copy_attrs(module: &mut Module, from: Op, to: Op) {
    let attrs = module.attrs(from);
    let attrs: Vec<(String, Attr)> = attrs
        .map(|(key, value)| (key.to_string(), value.clone()))
        .collect();
    for (key, value) in attrs {
        module.set_attr(to, &key, value);
    }
}

/// The operations of the first block of an operation.
fn body_ops(module: &Module, op: Op) -> Vec<Op> {
    let block = module.entry(op, 0);
    block.map(|block| module.ops_in(block)).unwrap_or_default()
}
