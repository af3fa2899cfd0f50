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

mod read;
mod write;

pub use read::{ControlElf, Instance, KernelEntry, Patch, PatchPlace, PatchSymbol, UcCode, read};
pub use write::{
    CODES, Config, Extras, Kernel, KernelArgument, KernelInstance, write, write_config, write_with,
};

/// ELF machine of all control code files (EM_M32).
const MACHINE: u16 = 1;
/// Alignment of loaded sections in bytes.
const LOAD_ALIGN: u64 = 16;
/// Most sections a file may have.
const MAX_SECTIONS: usize = 65279;
/// Note type of `.note.xrt.UID`.
const NOTE_UID: u32 = 4;
/// Note type of `.note.xrt.configuration`.
const NOTE_CONFIGURATION: u32 = 6;
const NOTE_NAME: &[u8; 4] = b"XRT\0";
/// Type of custom sections (SHT_LOUSER + 1).
const SHT_CUSTOM: u32 = 0x8000_0001;
pub(crate) const SECTION_DUMP: &str = ".dump";
const SECTION_UID: &str = ".note.xrt.UID";
const SECTION_CONFIGURATION: &str = ".note.xrt.configuration";

/// ABI version from which instances are grouped.
pub(crate) const ABI_GROUPED: u8 = 0x03;
/// ABI version of files with one section for all pages of a controller.
pub(crate) const ABI_MERGED: u8 = 0x21;
