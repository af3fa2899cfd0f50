//! Rewrites that keep the meaning of a netlist: canonical forms, common subexpressions, affine
//! operations as arithmetic, switches as branches, functions that use fifos or
//! locks in their callers, declarations in front of the programs that use them.
//!
//! A compilation runs [`transform_bfp_types`], [`lower_affine`], [`lower_parallel`], [`lower_switch`], [`inline_functions`],
//! [`hoist_declarations`] and [`outer_bd_dimensions`] first, so that later passes find
//! plain arithmetic, all buffers and locks in the device, and BDs that the DMAs have. [`canonicalize`] and [`cse`] are run by
//! name, and by stages that leave constants to fold.

pub mod canonicalize;
pub mod cse;
pub mod hoist_declarations;
pub mod inline_functions;
mod loop_nest;
pub mod lower_affine;
pub mod lower_parallel;
pub mod lower_switch;
pub mod outer_bd_dimensions;
pub mod transform_bfp_types;
