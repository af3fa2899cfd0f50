//! Mux_Config and Demux_Config of shim tiles.

use super::field::Field;
use super::map::{RegisterMap, RegisterRef};
use crate::arch::{Arch, TileKind};
use crate::switch::{MuxDir, MuxInput, SHIM_SOUTH_IN};

/// The register of a direction through the shim mux.
const fn register(dir: MuxDir) -> RegisterRef {
    match dir {
        MuxDir::In => RegisterRef::ShimMux,
        MuxDir::Out => RegisterRef::ShimDemux,
    }
}

/// The field that switches a South port; `None` for ports that are always programmable logic.
pub fn mux_field(arch: Arch, dir: MuxDir, south: u8) -> Option<Field> {
    const NAMES: [&str; SHIM_SOUTH_IN as usize] = [
        "South0", "South1", "South2", "South3", "South4", "South5", "South6", "South7",
    ];
    let map = RegisterMap::of(arch, TileKind::ShimNoc)?;
    map.register(register(dir))?
        .0
        .field(NAMES.get(usize::from(south))?)
}

/// The bits that switch a South port to an input: (register, value, mask), for a masked write.
/// `None` if the hardware cannot.
pub fn mux_word(
    arch: Arch,
    dir: MuxDir,
    south: u8,
    input: MuxInput,
) -> Option<(RegisterRef, u32, u32)> {
    arch.mux_outer(dir, south, input)?;
    let field = mux_field(arch, dir, south)?;
    Some((register(dir), field.set(0, input as u32), field.mask()))
}
