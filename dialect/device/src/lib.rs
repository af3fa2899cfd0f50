//! The AI Engine array as data.
//!
//! This crate owns the vocabulary of the hardware and nothing else: which devices exist, what each
//! tile holds (memory, banks, locks, DMA channels, switch ports), which connections are legal,
//! which memory a core or a DMA sees, and the register map of every tile. It has no algorithms,
//! no files and no terminal, and depends on no other crate of the workspace.
//!
//! * [`DeviceModel`] is one device by name; [`ArchModel`] and [`TileModel`] hold the constants of
//!   a generation and of a kind of tile.
//! * [`ChannelId`] and [`LockId`] name DMA channels and locks.
//! * [`AccessPattern`] is the order in which a DMA walks memory, and knows what fits a descriptor.
//! * [`Bundle`] and [`Port`] name stream switch ports; [`switch`] knows counts, indices, legal
//!   connections and wires.
//! * [`regmap`] is the register map: the compiler packs fields with it and the simulator decodes
//!   writes with it, so that both read one table.
//! * [`events`] names hardware events and knows their numbers.
//!
//! Units: offsets and addresses are bytes, lengths and steps of DMAs are 32-bit words, unless a
//! name says otherwise. Row 0 is always the shim row.
//!
//! Sources: the manuals AM009 (AIE), AM020 and AM025 (AIE-ML), AM027 and AM029 (AIE-ML v2),
//! `mlir-aie: lib/Dialect/AIE/IR/AIETargetModel.cpp` and `aie-rt: driver/src/global`.

mod access_pattern;
mod address;
mod arch;
mod constants;
mod control;
mod devices;
pub mod events;
mod ids;
mod memory;
mod model;
mod port;
pub mod regmap;
pub mod switch;
mod wiring;

pub use access_pattern::{AccessDim, AccessPattern, Count, PatternError, WORD_BYTES};
pub use arch::{Arch, BFP16_BLOCKS, DmaDir, PerDir, TileKind};
pub use constants::{ArchModel, Banks, BdLimits, DmaModel, TileModel};
pub use control::{CORE_ACTOR_ID, CascadeSide};
pub use ids::{ChannelId, LockId};
pub use memory::{CoreWindow, MemTileWindow, Side};
pub use model::{DeviceModel, TileLoc};
pub use port::{Bundle, Port};
