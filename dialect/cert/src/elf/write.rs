//! Writing control code files, byte for byte as the vendor's assembler does.

mod config;
mod layout;
mod sections;
mod tables;

pub use config::{Config, Kernel, KernelArgument, KernelInstance, write_config};

use object::elf;

use super::{MAX_SECTIONS, SECTION_DUMP};
use crate::debug::{self, DebugInfo};
use crate::image::Image;
use sections::{FLAGS_DATA, File, Section};
use tables::Dynamic;

/// OS/ABI of plain files and of configuration files without a target.
const OS_ABI: u8 = 0x46;
/// ABI version of plain files.
const ABI_PLAIN: u8 = 0x02;

/// Why a file cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElfWriteError {
    /// Too many sections.
    #[error("the file needs {needed} sections, an ELF file holds {MAX_SECTIONS}")]
    Sections {
        /// Sections needed.
        needed: usize,
    },
    /// The file would exceed 32-bit offsets.
    #[error("the file does not fit 32-bit offsets")]
    TooBig,
    /// A name holds a NUL byte.
    #[error("a name contains a NUL byte")]
    NulInName,
}

/// Sections of a plain file beside the code.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras<'a> {
    /// Names and source lines, in our own section.
    pub debug: Option<&'a DebugInfo>,
    /// The vendor's debug record, see [`crate::dump`].
    pub dump: Option<&'a [u8]>,
}

/// Writes a plain file.
pub fn write(image: &Image, debug: Option<&DebugInfo>) -> Result<Vec<u8>, ElfWriteError> {
    write_with(image, Extras { debug, dump: None })
}

/// Writes a plain file with more than code.
pub fn write_with(image: &Image, extras: Extras<'_>) -> Result<Vec<u8>, ElfWriteError> {
    let mut file = File::new();
    let mut dynamic = Dynamic::default();
    file.add_image(image, "", false, &mut dynamic);
    if let Some(record) = extras.dump {
        file.add_loaded(SECTION_DUMP.to_owned(), FLAGS_DATA, record.to_vec());
    }
    file.add_dynamic(&mut dynamic);
    dynamic.fill(&mut file);
    file.add_uid();
    if let Some(debug) = extras.debug {
        file.add(Section::plain(
            debug::SECTION,
            elf::SHT_PROGBITS,
            1,
            debug.to_bytes(),
        ));
    }
    file.finish(OS_ABI, ABI_PLAIN)
}
