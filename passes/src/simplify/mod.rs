//! Rewrites that keep the meaning of a netlist: canonical forms, common subexpressions, affine
//! operations as arithmetic, declarations in front of the programs that use them.
//!
//! A compilation runs [`lower_affine`] and [`hoist_declarations`] first, so that later passes find
//! plain arithmetic and all buffers and locks in the device. [`canonicalize`] and [`cse`] are run by
//! name, and by stages that leave constants to fold.

pub mod canonicalize;
pub mod cse;
pub mod hoist_declarations;
pub mod lower_affine;
