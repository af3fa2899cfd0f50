//! The registers of every module: address, name and fields, one row for each register or array.
//!
//! A row says which generations have the register, its byte offset in the tile (with stride and
//! count for an array, whose index is at `{}` in the name), its name in the manual, and its
//! bit fields as `Name high:low`. What several modules or generations have alike is a section that
//! each of them puts at its base ([`shared`]). A register without fields is one number of 32 bits. Stream
//! switch configuration is not here: it follows from the port tables, see [`super::switch`].
//!
//! Registers that the manuals call reserved and the parts of wide core registers beyond their
//! name are left out. Sources: AM025 and AM029, `aie-rt: driver/src/global/xaie2pgbl_params.h`.

use super::field::Field;
use crate::arch::Arch;

/// Generations that share a row, as a set of bits.
pub(super) type Generations = u8;
pub(super) const AIE2: Generations = 1;
pub(super) const AIE2P: Generations = 2;
pub(super) const AIE2PS: Generations = 4;
/// AIE2 and AIE2p.
pub(super) const BEFORE_PS: Generations = AIE2 | AIE2P;
/// Those with memories of 256 bits.
pub(super) const WIDE: Generations = AIE2P | AIE2PS;
/// All that this map describes.
pub(super) const ALL: Generations = AIE2 | AIE2P | AIE2PS;

/// The bit of a generation; `None` for AIE1, whose registers are not described.
pub(super) const fn generation(arch: Arch) -> Option<Generations> {
    match arch {
        Arch::Aie1 => None,
        Arch::Aie2 => Some(AIE2),
        Arch::Aie2p => Some(AIE2P),
        Arch::Aie2ps => Some(AIE2PS),
    }
}

/// A register, or an array of them at a constant distance.
#[derive(Debug, PartialEq, Eq)]
pub struct Register {
    pub(super) generations: Generations,
    pub(super) noc: bool,
    pub(super) offset: u32,
    pub(super) stride: u32,
    pub(super) count: u16,
    pub(super) first: u16,
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
}

impl Register {
    /// The name in the manual, with `{}` where an array's index is.
    pub const fn template(&self) -> &'static str {
        self.name
    }

    /// The bit fields; none for a register that is one number.
    pub const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// Bytes from one register of the array to the next; 0 for a single register.
    pub const fn stride(&self) -> u32 {
        self.stride
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().copied().find(|field| field.name == name)
    }

    /// The name of one register of the array.
    pub fn name_of(&self, index: u16) -> String {
        self.name.replacen("{}", &index.to_string(), 1)
    }
}

/// Registers at offsets from a base.
pub(super) struct Section {
    /// The generations that have it, of those that a row names.
    pub(super) generations: Generations,
    /// Whether only shim tiles with a NoC interface have it.
    pub(super) noc: bool,
    /// Byte offset in the tile of what a row has at 0.
    pub(super) base: u32,
    /// The registers.
    pub(super) rows: &'static [Register],
}

/// Writes a table of [`Register`] rows.
macro_rules! registers {
    ($(#[$doc:meta])* $table:ident; $(
        $generations:ident $($noc:ident)? $offset:literal
        $(+ $stride:literal * $count:literal $(from $first:literal)?)?
        $name:literal $({ $($field:ident $high:literal : $low:literal),* })? $(= $bits:ident)?;
    )*) => {
        $(#[$doc])*
        pub(super) const $table: &[$crate::regmap::Register] = &[$(
            $crate::regmap::Register {
                generations: $generations,
                noc: registers!(@noc $($noc)?),
                offset: $offset,
                stride: registers!(@or 0 $(, $stride)?),
                count: registers!(@or 1 $(, $count)?),
                first: registers!(@or 0 $($(, $first)?)?),
                name: $name,
                fields: registers!(@fields $($($field $high $low)*)? $($bits)?),
            }
        ),*];
    };
    (@fields $bits:ident) => { $bits };
    (@fields $($field:ident $high:literal $low:literal)*) => {
        &[$($crate::regmap::Field::new(stringify!($field), $high, $low)),*]
    };
    (@noc noc) => { true };
    (@noc) => { false };
    (@or $default:literal) => { $default };
    (@or $default:literal, $value:literal) => { $value };
}

mod controller;
mod core;
mod mem_tile;
mod memory;
mod shared;
mod shim;

pub(super) use controller::CONTROLLER_MODULE;
pub(super) use core::CORE_MODULE;
pub(super) use mem_tile::MEM_TILE_MODULE;
pub(super) use memory::MEMORY_MODULE;
pub(super) use shim::SHIM_MODULE;
