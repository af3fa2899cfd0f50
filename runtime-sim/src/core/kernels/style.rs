//! Variants of built-in kernels.

use aiec_device::Arch;

/// Variant of a built-in kernel: what the words of its name say, and for which cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Written for the vector unit.
    pub vector: bool,
    /// The size is a height and a width.
    pub tile: bool,
    pub arch: Arch,
}
