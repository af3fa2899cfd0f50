//! Inputs of a run: host buffers with their elements and expected results, external functions of
//! cores.

pub mod arguments;
pub mod element;
pub mod expected;
pub mod kernels;
pub mod npy;
