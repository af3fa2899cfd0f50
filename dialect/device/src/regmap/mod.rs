//! Register maps of the tiles of AIE-ML and later.
//!
//! One table of registers (`tables/`, offsets, names and bit fields as in AM025 and AM029) serves
//! both sides: the compiler packs fields with it, the simulator decodes writes with it, and
//! reports take names from it.
//!
//! * [`RegisterMap`] says what an offset in a tile is ([`RegisterRef`]) and where a register is.
//! * [`BdLayout`] packs and unpacks buffer descriptors ([`BdFields`]).
//! * [`DmaCtrl`], [`QueueEntry`], [`DmaStatus`], [`CoreControl`], [`CascadeControl`] and the
//!   words of [`switch`] are the other registers with meaning.
//!
//! * [`DeviceModel::describe`](crate::DeviceModel::describe) puts an address and a word into plain
//!   language ([`AddressInfo`]).
//!
//! * [`RegisterRole`] says what the registers without a packed form are for.
//!
//! Offsets are bytes in the tile's address space. The registers of AIE1 are not described.

mod bd;
mod bd_fields;
mod describe;
mod dma;
mod field;
mod map;
mod mux;
mod offsets;
mod role;
mod switch;
mod tables;
mod word;

pub use bd::BdLayout;
pub use bd_fields::BdFields;
pub use describe::{AddressInfo, FieldReading};
pub use dma::{DmaCtrl, DmaState, DmaStatus, QueueEntry};
pub use field::{Field, FieldLimit, FieldOverflow};
pub use map::{ControllerMemory, Module, PROGRAM_MEMORY_OFFSET, RegisterMap, RegisterRef};
pub use mux::{mux_field, mux_word};
pub use role::{BlockAccess, EventField, EventRegister, RegisterRole};
pub use switch::{SwitchMaster, SwitchSlave, SwitchSlot};
pub use tables::Register;
pub use word::{CascadeControl, CoreControl};
