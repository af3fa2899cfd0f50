//! The 32-bit little-endian ELF that XRT loads, as aiebu writes it (aiebu: src/cpp/elf). Control code
//! of CERT and programs of Ryzen AI's firmware differ in their sections; file layout, dynamic
//! relocations, kernel symbols, groups and notes are the same.
//!
//! * [`ElfBuilder`] takes [`Section`]s in index order and lays the file out;
//! * [`DynamicTables`] collects the places that the host patches;
//! * [`SymbolTable`] and [`KernelArgument`] make the symbols of kernels;
//! * [`read`] finds notes and kernels in a file.

mod builder;
mod layout;
pub mod read;
mod signature;
mod tables;

pub use builder::{ElfBuilder, FLAGS_DATA, FLAGS_TEXT, Section};
pub use signature::{KernelArgument, demangle, mangle};
pub use tables::{DynamicTables, HostPatch, SymbolTable};

/// ELF machine of all files for XRT (EM_M32).
pub const MACHINE: u16 = 1;
/// Alignment of loaded sections in bytes.
pub const LOAD_ALIGN: u64 = 16;
/// Most sections a file may have.
const MAX_SECTIONS: usize = 65279;
/// Note type of `.note.xrt.UID`.
const NOTE_UID: u32 = 4;
/// Note type of `.note.xrt.configuration`.
const NOTE_CONFIGURATION: u32 = 6;
const NOTE_NAME: &[u8; 4] = b"XRT\0";
/// Type of custom sections (SHT_LOUSER + 1).
pub const SHT_CUSTOM: u32 = 0x8000_0001;
/// The note with the MD5 of the loaded sections.
pub const SECTION_UID: &str = ".note.xrt.UID";
/// The note with the number of columns, in files that configure the array themselves.
pub const SECTION_CONFIGURATION: &str = ".note.xrt.configuration";

aiec_diag::codes! {
    /// Codes of the writer of files.
    pub static CODES;
    FILE_LIMIT = "asm::file-limit",
        "The ELF would have more sections or bytes than its format can count.";
}
