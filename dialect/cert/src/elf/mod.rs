//! The control code file: 32-bit little-endian ELF with pages as sections.
//!
//! | section | contents |
//! |---|---|
//! | `.ctrltext.UC.PAGE` | page header and text |
//! | `.ctrldata.UC.PAGE` | data and zeros up to 8192 bytes |
//! | `.pad.UC` | scratch pads |
//! | `.ctrlpkt-ID` | control packet buffers |
//! | `.dynstr .dynsym .rela.dyn .dynamic` | places the host patches |
//! | `.dump` (`.dump.N` in configuration files) | the vendor's debug record, see [`crate::dump`] |
//! | `.note.xrt.UID` | MD5 over the contents |
//! | `.aiec.debug` | ours, see [`crate::debug`]; not loaded |
//!
//! Configuration files append `.INSTANCE` to the names and group an instance's sections; merged
//! files have one `.ctrltext.UC` with all pages (aiebu: src/cpp/elf).

pub use aiec_xrt_elf::KernelArgument;

mod read;
mod write;

pub use read::{ControlElf, Instance, KernelEntry, Patch, PatchPlace, PatchSymbol, UcCode, read};
pub use write::{Config, ExtraSections, Kernel, KernelInstance, write, write_config, write_with};

pub(crate) const SECTION_DUMP: &str = ".dump";

/// ABI version from which instances are grouped.
pub(crate) const ABI_GROUPED: u8 = 0x03;
/// ABI version of files with one section for all pages of a controller.
pub(crate) const ABI_MERGED: u8 = 0x21;
