//! Writing control code files, byte for byte as the vendor's assembler does.

mod config;
mod sections;

pub use config::{Config, Kernel, KernelInstance, write_config};

use aiec_diag::Diag;
use aiec_xrt_elf::{DynamicTables, ElfBuilder, FLAGS_DATA, Section};
use object::elf;

use super::SECTION_DUMP;
use crate::debug::{self, DebugInfo};
use crate::image::Image;
use sections::add_image;

/// OS/ABI of plain files and of configuration files without a target.
const OS_ABI: u8 = 0x46;
/// ABI version of plain files.
const ABI_PLAIN: u8 = 0x02;

/// Sections of a plain file beside the code.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExtraSections<'a> {
    /// Names and source lines, in our own section.
    pub debug: Option<&'a DebugInfo>,
    /// The vendor's debug record, see [`crate::dump`].
    pub dump: Option<&'a [u8]>,
}

/// Writes a plain file.
pub fn write(image: &Image, debug: Option<&DebugInfo>) -> Result<Vec<u8>, Diag> {
    write_with(image, ExtraSections { debug, dump: None })
}

/// Writes a plain file with more than code.
pub fn write_with(image: &Image, extras: ExtraSections<'_>) -> Result<Vec<u8>, Diag> {
    let mut file = ElfBuilder::new();
    let mut dynamic = DynamicTables::default();
    add_image(&mut file, image, "", false, &mut dynamic);
    if let Some(record) = extras.dump {
        file.add_loaded(SECTION_DUMP, FLAGS_DATA, record.to_vec());
    }
    dynamic.add_sections(&mut file);
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
