//! Verbs on the netlist: the passes that turn a design into control code operations, the router
//! and the allocators.
//!
//! * [`pass`]: what a pass is; [`table::PASSES`] lists them all; [`manager`] runs them.
//! * [`pipeline`]: the passes of a compilation, in order.
//!
//! Each pass is one file (or folder) with a `PASS` declaration that states what it leaves behind.
//! Passes know the IR and the device model; they open no files, print nothing, and know nothing of
//! the simulator. They report through [`aiec_diag::Diags`].

pub mod aie_to_transaction;
pub mod assign_bd_ids;
pub mod assign_buffer_addresses;
pub mod assign_lock_ids;
pub mod assign_runtime_sequence_bd_ids;
pub mod budget;
pub mod canonicalize;
pub mod cert_pages;
pub mod configure;
pub mod control_overlay;
pub mod control_packets;
pub mod controller_ids;
pub mod core_elf;
pub mod core_program;
pub mod cse;
pub mod decompose_large_dma_bd;
pub mod dma_tasks_to_npu;
pub mod dma_to_npu;
pub mod dma_view;
pub mod expand_load_pdi;
pub mod find_flows;
pub mod hoist_declarations;
mod integers;
pub mod jobs;
pub mod link_functions;
pub mod localize_locks;
pub mod lower_affine;
pub mod lower_cascade_flows;
pub mod lower_dynamic_bd_pool;
pub mod lower_multicast;
pub mod manager;
pub mod materialize_bd_chains;
pub mod materialize_runtime_sequences;
pub(crate) mod npu_ops;
pub mod npu_read;
pub mod npu_to_cert;
pub mod objectfifo;
pub(crate) mod packet_flow;
pub mod pass;
pub mod pipeline;
pub mod place_tiles;
pub mod reconfigure;
mod regions;
pub mod register_objectfifos;
pub mod register_ops;
pub mod route;
pub mod route_tokens;
pub(crate) mod run_time;
pub mod self_check;
pub mod sequence;
pub mod sequence_scalars;
pub mod substitute_shim_dma_allocations;
pub mod table;
pub mod trace;
pub mod transfer;
pub mod unroll_runtime_sequence_loops;
