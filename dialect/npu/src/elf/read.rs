//! Reading partial and full files of any assembler. Total: any bytes give a value or an error.

use std::collections::BTreeMap;

use aiec_diag::Diag;
use aiec_xrt_elf::read::{Header, KernelEntry, damaged, header, kernels, note_description};
use aiec_xrt_elf::{MACHINE, SECTION_CONFIGURATION};
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SectionIndex, SymbolIndex};

use super::patch::{PatchKind, PatchSymbol};
use super::{
    ABI_FIRST, ARGUMENTS_BEFORE_BUFFERS, OS_ABI, PM_SYMBOL, SCRATCH_CONTROL, SCRATCH_MEMORY,
    SECTION_DATA, SECTION_PDI, SECTION_PM, SECTION_RESTORE, SECTION_SAVE, SECTION_TEXT,
};
use crate::codes::ELF_MALFORMED;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NpuElf {
    /// Columns of the array that the file is for; `None` in partial files, which an xclbin goes with.
    pub columns: Option<u32>,
    /// PDIs by number.
    pub pdis: BTreeMap<u32, Vec<u8>>,
    /// Control packets that load program memory, by number.
    pub program_memory: BTreeMap<u32, Vec<u8>>,
    /// Instances; partial files have one, number 0.
    pub instances: Vec<NpuInstance>,
    /// Kernels of a full file, in file order.
    pub kernels: Vec<KernelEntry>,
}

/// A program of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NpuInstance {
    /// Its number in the names of sections; 0 in partial files.
    pub number: u32,
    /// The transaction.
    pub text: Vec<u8>,
    /// Control packets.
    pub data: Vec<u8>,
    /// The program that saves the memory tiles, if there is one.
    pub save: Vec<u8>,
    /// The program that restores them.
    pub restore: Vec<u8>,
    /// Patches of the host, in file order.
    pub patches: Vec<NpuPatch>,
}

/// Which of an instance's sections a patch is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NpuPatchPlace {
    /// [`NpuInstance::text`].
    Text,
    /// [`NpuInstance::data`].
    Data,
    /// [`NpuInstance::save`].
    Save,
    /// [`NpuInstance::restore`].
    Restore,
}

/// A place that the host patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpuPatch {
    /// The section.
    pub place: NpuPatchPlace,
    /// Byte offset in it.
    pub offset: u32,
    /// Sort of address field.
    pub kind: PatchKind,
    /// Addend.
    pub symbol: PatchSymbol,
    /// The symbol's size in bytes, or a mask.
    pub size: u32,
    /// Bytes to add.
    pub addend: i64,
}

impl NpuInstance {
    /// The section that a patch is in.
    pub fn section_mut(&mut self, place: NpuPatchPlace) -> &mut Vec<u8> {
        match place {
            NpuPatchPlace::Text => &mut self.text,
            NpuPatchPlace::Data => &mut self.data,
            NpuPatchPlace::Save => &mut self.save,
            NpuPatchPlace::Restore => &mut self.restore,
        }
    }
}

fn malformed(why: impl Into<String>) -> Diag {
    Diag::error(&ELF_MALFORMED, why)
}

/// Error of the ELF reader about a file.
fn not_elf(error: object::read::Error) -> Diag {
    damaged(&ELF_MALFORMED)(error)
}

/// Role of a section of a program: its place and its instance's number.
fn place_of(name: &str) -> Option<(NpuPatchPlace, u32)> {
    let places = [
        (SECTION_TEXT, NpuPatchPlace::Text),
        (SECTION_DATA, NpuPatchPlace::Data),
        (SECTION_SAVE, NpuPatchPlace::Save),
        (SECTION_RESTORE, NpuPatchPlace::Restore),
    ];
    let found = places
        .iter()
        .find_map(|(prefix, place)| Some((name.strip_prefix(prefix)?, place)));
    let (suffix, place) = found?;
    match suffix.strip_prefix('.') {
        Some(number) => Some((*place, number.parse().ok()?)),
        None => suffix.is_empty().then_some((*place, 0)),
    }
}

/// True for a file that this reader is for: others of XRT have another OS/ABI.
pub fn is_npu_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG) && bytes.get(7) == Some(&OS_ABI)
}

/// Reads a file.
///
/// # Errors
/// The bytes aren't such a file.
pub fn read(bytes: &[u8]) -> Result<NpuElf, Diag> {
    let header = header(bytes, &ELF_MALFORMED)?;
    let endian = header.endian().map_err(not_elf)?;
    let (machine, os_abi) = (header.e_machine(endian).0, header.e_ident().os_abi.0);
    if machine != MACHINE || os_abi != OS_ABI {
        let why = format!(
            "machine {machine} and OS/ABI 0x{os_abi:X}; programs of Ryzen AI have {MACHINE} and 0x{OS_ABI:X}"
        );
        return Err(malformed(why));
    }
    let sections = header.sections(endian, bytes).map_err(not_elf)?;
    let mut file = NpuElf::default();
    let mut instances: BTreeMap<u32, NpuInstance> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (index, section) in sections.enumerate() {
        let name = sections.section_name(endian, section).map_err(not_elf)?;
        let name = String::from_utf8_lossy(name);
        let data = section.data(endian, bytes).map_err(not_elf)?;
        let numbered = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
        if name == SECTION_CONFIGURATION {
            let words = note_description(data).and_then(|d| d.first_chunk());
            file.columns = words.map(|c| u32::from_le_bytes(*c));
        } else if let Some(id) = numbered(SECTION_PDI) {
            // kernels that share PDIs give a section twice
            file.pdis.entry(id).or_insert_with(|| data.to_vec());
        } else if let Some(id) = numbered(SECTION_PM) {
            file.program_memory
                .entry(id)
                .or_insert_with(|| data.to_vec());
        } else if let Some((place, number)) = place_of(&name) {
            places.insert(index.0, (place, number));
            let instance = instances.entry(number).or_default();
            instance.number = number;
            let slot = instance.section_mut(place);
            if !slot.is_empty() {
                return Err(malformed(format!("section '{name}' occurs twice")));
            }
            slot.extend_from_slice(data);
        }
    }
    let reading = PatchReading {
        partial: file.columns.is_none(),
        packed: header.e_ident().abi_version == ABI_FIRST,
    };
    read_patches(bytes, &sections, &places, reading, &mut instances)?;
    file.kernels = kernels(bytes, &sections);
    file.instances = instances.into_values().collect();
    if let Some(empty) = file.instances.iter().find(|i| i.text.is_empty()) {
        let why = format!("instance {} has no {SECTION_TEXT}", empty.number);
        return Err(malformed(why));
    }
    if file.instances.is_empty() {
        return Err(malformed(format!("the file has no {SECTION_TEXT}")));
    }
    Ok(file)
}

fn symbol_of(name: &str, partial: bool) -> PatchSymbol {
    // other spellings of a number are other symbols
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| n.to_string() == text);
    let first = if partial { ARGUMENTS_BEFORE_BUFFERS } else { 0 };
    let argument = number(name).and_then(|n| n.checked_sub(first));
    let pdi = name.strip_prefix(SECTION_PDI).and_then(number);
    let memory = name.strip_prefix(PM_SYMBOL).and_then(number);
    match name {
        SCRATCH_MEMORY => PatchSymbol::ScratchMemory,
        SCRATCH_CONTROL => PatchSymbol::ScratchControl,
        "control-packet" => PatchSymbol::ControlPackets,
        _ => (argument.map(PatchSymbol::Argument))
            .or(pdi.map(PatchSymbol::Pdi))
            .or(memory.map(PatchSymbol::ProgramMemory))
            .unwrap_or_else(|| PatchSymbol::Other(name.to_owned())),
    }
}

/// Form of a file's patches.
#[derive(Clone, Copy)]
struct PatchReading {
    /// Symbols count the arguments before the first buffer too.
    partial: bool,
    /// Types are in the addends.
    packed: bool,
}

/// Bits of an addend of ABI version 1 with the type of the relocation; the others are the addend.
const PACKED_TYPE_BITS: u32 = 4;

fn read_patches(
    bytes: &[u8],
    sections: &SectionTable<'_, Header>,
    places: &BTreeMap<usize, (NpuPatchPlace, u32)>,
    reading: PatchReading,
    instances: &mut BTreeMap<u32, NpuInstance>,
) -> Result<(), Diag> {
    let endian = LittleEndian;
    let symbols = sections
        .symbols(endian, bytes, elf::SHT_DYNSYM)
        .map_err(not_elf)?;
    for section in sections.iter() {
        let Some((relocations, _)) = section.rela(endian, bytes).map_err(not_elf)? else {
            continue;
        };
        for (index, relocation) in relocations.iter().enumerate() {
            let error = |what: &str| malformed(format!("relocation {index} {what}"));
            let number = SymbolIndex(relocation.r_sym(endian) as usize);
            let symbol = symbols
                .symbol(number)
                .map_err(|_| error("names no symbol"))?;
            let name = symbol.name(endian, symbols.strings()).map_err(not_elf)?;
            let (place, instance) = symbols
                .symbol_section(endian, symbol, number)
                .map_err(not_elf)?
                .and_then(|SectionIndex(i)| places.get(&i))
                .ok_or_else(|| error("patches no section of a program"))?;
            let addend = relocation.r_addend(endian);
            let (number, addend) = if reading.packed {
                let packed = addend as u32;
                let number = packed & ((1 << PACKED_TYPE_BITS) - 1);
                (number, i64::from(packed >> PACKED_TYPE_BITS))
            } else {
                (relocation.r_type(endian).0, i64::from(addend))
            };
            let kind =
                PatchKind::from_number(number).ok_or_else(|| error("is of an unknown type"))?;
            instances
                .entry(*instance)
                .or_default()
                .patches
                .push(NpuPatch {
                    place: *place,
                    offset: relocation.r_offset(endian),
                    kind,
                    symbol: symbol_of(&String::from_utf8_lossy(name), reading.partial),
                    size: symbol.st_size(endian),
                    addend,
                });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::{NpuProgram, write_partial};
    use crate::txn::{self, GENERATION_NPU2, Operation, Transaction};

    /// A relocation of 32-bit files is three words: offset, symbol and type, addend.
    const RELOCATION_BYTES: usize = 12;

    #[test]
    fn the_first_version_has_types_in_addends() {
        let register = 0x1_D000;
        let operations = [
            Operation::BlockWrite {
                register,
                words: vec![0; 8],
            },
            Operation::DdrPatch {
                register: register + 4,
                argument: 1,
                plus: 0x1234,
            },
        ];
        let header = txn::Header::new(GENERATION_NPU2, 1);
        let program = NpuProgram {
            transaction: Transaction::new(header, operations).write(),
            ..NpuProgram::default()
        };
        let mut bytes = write_partial(&program).unwrap();
        let expected = read(&bytes).unwrap();
        assert_eq!(expected.instances[0].patches[0].addend, 0x1234);
        let header = Header::parse(&*bytes).unwrap();
        let sections = header.sections(LittleEndian, &*bytes).unwrap();
        let (_, section) = sections
            .section_by_name(LittleEndian, b".rela.dyn")
            .unwrap();
        let at = section.sh_offset(LittleEndian) as usize;
        let (_, relocation) = bytes.split_at_mut(at);
        let word =
            |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap());
        let (info, addend) = (word(relocation, 1), word(relocation, 2));
        let packed = addend << PACKED_TYPE_BITS | info & 0xFF;
        relocation[4] = 0;
        relocation[8..RELOCATION_BYTES].copy_from_slice(&packed.to_le_bytes());
        bytes[8] = ABI_FIRST;
        assert_eq!(read(&bytes).unwrap(), expected);
    }
}
