//! Reading that all such files need: descriptions of notes, and kernels by symbols and groups.

use std::collections::BTreeMap;

use aiec_diag::{Code, Diag};
use object::LittleEndian;
use object::elf::{self, FileHeader32};
use object::read::elf::FileHeader as _;
use object::read::elf::{SectionHeader, SectionTable, Sym};

use crate::NOTE_NAME;

/// The header of these files.
pub type Header = FileHeader32<LittleEndian>;

/// The header of a file's bytes.
///
/// # Errors
/// The bytes aren't a 32-bit little-endian ELF file, or are too few; with this code.
pub fn header<'data>(bytes: &'data [u8], code: &'static Code) -> Result<&'data Header, Diag> {
    const CLASS_AND_ORDER: [u8; 2] = [elf::ELFCLASS32.0, elf::ELFDATA2LSB.0];
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(Diag::error(code, "it isn't an ELF file"));
    }
    let kind = bytes.get(elf::ELFMAG.len()..elf::ELFMAG.len() + CLASS_AND_ORDER.len());
    if kind.is_some_and(|kind| kind != CLASS_AND_ORDER) {
        return Err(Diag::error(
            code,
            "it isn't a 32-bit little-endian ELF file",
        ));
    }
    Header::parse(bytes).map_err(damaged(code))
}

/// Reports the ELF reader's error for a file with ELF magic, with this code.
pub fn damaged(code: &'static Code) -> impl Fn(object::read::Error) -> Diag {
    move |error| {
        let message = format!("the ELF file is cut short or damaged: {error}");
        Diag::error(code, message)
    }
}

/// A kernel, from its symbols.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelEntry {
    /// Name with the types of its arguments, as linkers see it.
    pub mangled: String,
    /// Its instances: id, and number in the section names.
    pub instances: Vec<(String, u32)>,
}

/// Description of the first note of XRT in a section.
pub fn note_description(data: &[u8]) -> Option<&[u8]> {
    let head: &[u8; 12] = data.first_chunk()?;
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let name_end = 12usize
        .checked_add(word(0) as usize)?
        .checked_next_multiple_of(4)?;
    let name = data.get(12..name_end)?;
    let end = name_end.checked_add(word(4) as usize)?;
    if name != NOTE_NAME {
        return None;
    }
    data.get(name_end..end)
}

/// The kernels that the symbols of a file with several kernels name. Symbols of another shape are passed
/// over: the code doesn't need them.
pub fn kernels(bytes: &[u8], sections: &SectionTable<'_, Header>) -> Vec<KernelEntry> {
    let endian = LittleEndian;
    let Ok(symbols) = sections.symbols(endian, bytes, elf::SHT_SYMTAB) else {
        return Vec::new();
    };
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    for section in sections.iter() {
        let name = sections.section_name(endian, section).unwrap_or_default();
        let number = name.strip_prefix(b".group.");
        let number = number.and_then(|n| std::str::from_utf8(n).ok()?.parse().ok());
        numbers.extend(number.map(|n| (section.sh_info(endian), n)));
    }
    let mut kernels = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, symbol) in symbols.enumerate() {
        let name = symbol.name(endian, symbols.strings()).unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        match symbol.st_type() {
            elf::STT_FUNC => {
                places.insert(index.0, kernels.len());
                kernels.push(KernelEntry {
                    mangled: name,
                    instances: Vec::new(),
                });
            }
            elf::STT_OBJECT => {
                let kernel = places.get(&usize::from(symbol.st_shndx(endian).0));
                let kernel = kernel.and_then(|&at| kernels.get_mut(at));
                let number = numbers.get(&(index.0 as u32));
                if let (Some(kernel), Some(&number)) = (kernel, number) {
                    kernel.instances.push((name, number));
                }
            }
            _ => {}
        }
    }
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_bytes_from_being_such_a_file() {
        let why = |bytes: &[u8]| match header(bytes, &crate::FILE_LIMIT) {
            Ok(_) => String::new(),
            Err(diag) => diag.message,
        };
        assert_eq!(why(b""), "it isn't an ELF file");
        assert_eq!(why(b"MZ and so on"), "it isn't an ELF file");
        assert_eq!(
            why(b"\x7fELF\x02\x01\x01"),
            "it isn't a 32-bit little-endian ELF file"
        );
        for cut in [&b"\x7fELF"[..], b"\x7fELF\x01\x01\x01"] {
            let damaged = "the ELF file is cut short or damaged";
            assert!(why(cut).starts_with(damaged), "{}", why(cut));
        }
    }
}
