//! Programs as files: a 32-bit little-endian ELF with a section `.text.ROW.COLUMN` for each cell, a
//! chunk in the low bits of each word, and sections `.data.rf.ROW.COLUMN` and
//! `.data.sram.ROW.COLUMN` with what memories hold at the beginning, 16 bits a word. The section
//! `.drra` has names and relations and dependencies for a scheduler, as JSON; it may be missing.

mod names;

use std::collections::BTreeMap;

use aiec_diag::{Diag, Diags, Reported, internal};
use aiec_isa::Set;
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader, SectionHeader as _};
use object::write::elf::{FileHeader as NewFileHeader, SectionHeader, Writer};
use object::{Endianness, LittleEndian};

use crate::codes;
use crate::encode::{decode, encode};
use crate::fabric::{BLOCK_WORDS, CellId, MEMORY_CHUNKS, REGISTER_FILE_WORDS, SRAM_ROWS};
use crate::program::{CellProgram, CodeItem, DrraProgram, MemoryKind, Variable};

/// Beginning of the names of sections with code.
const TEXT: &str = ".text.";
/// Beginning of the names of sections with data of register files.
const REGISTER_FILE_DATA: &str = ".data.rf.";
/// Beginning of the names of sections with data of SRAMs.
const SRAM_DATA: &str = ".data.sram.";
/// Section with names.
const NAMES: &str = ".drra";
/// Chunks of at most this number of bits are words of 4 bytes, others of 8.
const NARROW_BITS: u32 = 32;
/// Alignment of sections, in bytes.
const ALIGN: u64 = 8;

/// Bytes of a chunk in a file.
fn chunk_bytes(set: &Set) -> usize {
    if set.chunk_bits <= NARROW_BITS { 4 } else { 8 }
}

/// A section to write.
struct NewSection {
    name: String,
    flags: u64,
    bytes: Vec<u8>,
}

/// Writes a program.
pub fn write(program: &DrraProgram, set: &Set) -> Result<Vec<u8>, Diag> {
    let mut sections = Vec::new();
    for cell in &program.cells {
        let width = chunk_bytes(set);
        let chunks = encode(cell, set).into_iter();
        let bytes = chunks.flat_map(|c| c.to_le_bytes().into_iter().take(width));
        sections.push(NewSection {
            name: format!("{TEXT}{}.{}", cell.cell.row, cell.cell.column),
            flags: elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0,
            bytes: bytes.collect(),
        });
    }
    let mut memories: BTreeMap<(MemoryKind, CellId), Vec<u8>> = BTreeMap::new();
    for variable in &program.variables {
        let bytes = memories
            .entry((variable.memory, variable.cell))
            .or_default();
        bytes.extend(variable.words.iter().flat_map(|word| word.to_le_bytes()));
    }
    for ((memory, cell), bytes) in memories {
        let begin = match memory {
            MemoryKind::RegisterFile => REGISTER_FILE_DATA,
            MemoryKind::Sram => SRAM_DATA,
        };
        sections.push(NewSection {
            name: format!("{begin}{}.{}", cell.row, cell.column),
            flags: elf::SHF_ALLOC.0 | elf::SHF_WRITE.0,
            bytes,
        });
    }
    sections.push(NewSection {
        name: NAMES.to_owned(),
        flags: 0,
        bytes: names::to_bytes(program),
    });
    let written = write_sections(&sections);
    written.map_err(|error| internal!("the ELF can't be written: {error}").into())
}

fn write_sections(sections: &[NewSection]) -> Result<Vec<u8>, object::write::Error> {
    let mut out = Vec::new();
    let mut writer = Writer::new(Endianness::Little, false, &mut out);
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let mut places = Vec::new();
    for section in sections {
        let name = writer.add_section_name(section.name.as_bytes());
        writer.reserve_section_index();
        places.push((name, writer.reserve(section.bytes.len() as u64, ALIGN)));
    }
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();
    writer.write_file_header(&NewFileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: elf::EM_NONE,
        e_entry: 0,
        e_flags: elf::FileFlags(0),
    })?;
    for (section, (_, offset)) in sections.iter().zip(&places) {
        writer.pad_until(*offset);
        writer.write(&section.bytes);
    }
    writer.write_shstrtab();
    writer.write_null_section_header();
    for (section, (name, offset)) in sections.iter().zip(&places) {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(*name)),
            sh_type: elf::SHT_PROGBITS,
            sh_flags: elf::SectionFlags(section.flags),
            sh_addr: 0,
            sh_offset: *offset,
            sh_size: section.bytes.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: ALIGN,
            sh_entsize: 0,
        });
    }
    writer.write_shstrtab_section_header();
    Ok(out)
}

/// Whether a file is an ELF: only its magic is looked at, so that a damaged one gets the reader's
/// error.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

fn malformed(message: String) -> Diag {
    Diag::error(&codes::ELF, message).help("`aiec asm -t drra-v2` writes such files")
}

/// Reads a file. A chunk that doesn't decode is kept as a number, with a warning.
pub fn read(bytes: &[u8], set: &Set, diags: &mut Diags) -> Result<DrraProgram, Reported> {
    let sections = match read_sections(bytes) {
        Ok(sections) => sections,
        Err(diag) => return Err(diags.fail(diag)),
    };
    let mut program = DrraProgram::default();
    let mut names = None;
    for (name, bytes) in &sections {
        let data = [
            (REGISTER_FILE_DATA, MemoryKind::RegisterFile),
            (SRAM_DATA, MemoryKind::Sram),
        ];
        let result = if let Some(place) = name.strip_prefix(TEXT) {
            read_code(place, bytes, set, diags).map(|cell| program.cells.push(cell))
        } else if let Some((begin, memory)) = data.iter().find(|(begin, _)| name.starts_with(begin))
        {
            let place = name.get(begin.len()..).unwrap_or("");
            read_data(place, *memory, bytes).map(|variable| program.variables.push(variable))
        } else {
            if name == NAMES {
                names = Some(*bytes);
            }
            Ok(())
        };
        diags.extend(result.err());
    }
    if program.cells.is_empty() && program.variables.is_empty() {
        let message = "the ELF has no section `.text.ROW.COLUMN`: it isn't code of DRRA";
        diags.push(malformed(message.to_owned()));
    }
    program.cells.sort_by_key(|cell| cell.cell);
    let twice = program
        .cells
        .windows(2)
        .find(|pair| pair[0].cell == pair[1].cell);
    if let Some([cell, _]) = twice {
        diags.push(malformed(format!(
            "the code of cell {} is there twice",
            cell.cell
        )));
    }
    diags.check()?;
    if let Some(names) = names
        && let Err(error) = names::apply(names, &mut program)
    {
        let diag = Diag::warning(&codes::ELF, format!("section {NAMES} is left out: {error}"));
        diags.push(diag.help("labels, relations and dependencies are missing"));
    }
    Ok(program)
}

fn read_sections(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, Diag> {
    let bad = |error| {
        malformed(format!(
            "no 32-bit little-endian ELF file, or cut short: {error}"
        ))
    };
    let header = FileHeader32::<LittleEndian>::parse(bytes).map_err(bad)?;
    let endian = header.endian().map_err(bad)?;
    let table = header.sections(endian, bytes).map_err(bad)?;
    let mut sections = Vec::new();
    for section in table.iter() {
        let name = table.section_name(endian, section).map_err(bad)?;
        let name = String::from_utf8_lossy(name).into_owned();
        sections.push((name, section.data(endian, bytes).map_err(bad)?));
    }
    Ok(sections)
}

/// `ROW.COLUMN`
fn cell_of(place: &str) -> Result<CellId, Diag> {
    let parts = place.split_once('.');
    let numbers = parts.and_then(|(row, column)| Some((row.parse().ok()?, column.parse().ok()?)));
    match numbers {
        Some((row, column)) => Ok(CellId { row, column }),
        None => Err(malformed(format!("'{place}' isn't a row and column"))),
    }
}

fn read_code(place: &str, bytes: &[u8], set: &Set, diags: &mut Diags) -> Result<CellProgram, Diag> {
    let cell = cell_of(place)?;
    let width = chunk_bytes(set);
    if !bytes.len().is_multiple_of(width) {
        let message = format!("the code of cell {cell} isn't a whole number of words");
        return Err(malformed(message));
    }
    if bytes.len() / width > MEMORY_CHUNKS {
        let message = format!("the code of cell {cell} has more than {MEMORY_CHUNKS} chunks");
        return Err(malformed(message));
    }
    let chunks = bytes.chunks_exact(width).map(|word| {
        let bytes = word.iter().rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
    });
    code_of_chunks(cell, &chunks.collect::<Vec<u64>>(), set, diags)
}

/// The code of a cell from its chunks. Chunks that don't decode get a warning.
pub(crate) fn code_of_chunks(
    cell: CellId,
    chunks: &[u64],
    set: &Set,
    diags: &mut Diags,
) -> Result<CellProgram, Diag> {
    let unused = u64::MAX.checked_shl(set.chunk_bits).unwrap_or(0);
    if let Some(at) = chunks.iter().position(|chunk| chunk & unused != 0) {
        let message = format!(
            "chunk {at} of cell {cell} has more than {} bits",
            set.chunk_bits
        );
        return Err(malformed(message));
    }
    let (items, raw) = decode(chunks, set);
    for (at, reason) in raw {
        let message = format!("chunk {at} of cell {cell} is kept as it is: {reason}");
        let diag = Diag::warning(&codes::RAW_CHUNK, message);
        diags.push(diag.help("it comes back as `.word`; is the file of another instruction set?"));
    }
    let items = items.into_iter().map(|content| CodeItem {
        label: None,
        content,
        span: None,
    });
    Ok(CellProgram {
        cell,
        items: items.collect(),
    })
}

fn read_data(place: &str, memory: MemoryKind, bytes: &[u8]) -> Result<Variable, Diag> {
    let cell = cell_of(place)?;
    let (most, kind) = match memory {
        MemoryKind::RegisterFile => (REGISTER_FILE_WORDS, "rf"),
        MemoryKind::Sram => (SRAM_ROWS * BLOCK_WORDS, "sram"),
    };
    if !bytes.len().is_multiple_of(2) || bytes.len() / 2 > most {
        let message = format!("the data of {kind} {cell} aren't words, or are more than {most}");
        return Err(malformed(message));
    }
    let words = bytes
        .chunks_exact(2)
        .map(|b| i16::from_le_bytes([b[0], b[1]]));
    Ok(Variable {
        name: format!("{kind}_{}_{}", cell.row, cell.column),
        memory,
        fixed_point: false,
        cell,
        address: 0,
        words: words.collect(),
    })
}
