//! What a run is given: host buffers with their elements and what is expected of them, external functions of cores.

pub mod arguments;
pub mod element;
pub mod expected;
pub mod kernels;
pub mod npy;
