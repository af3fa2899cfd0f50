//! Reading objects and executables. Total: any bytes give a value or a finding.

use aiec_diag::Diag;
use object::elf::{self, FileHeader32, SectionHeader32};
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SectionIndex};

use super::codes;
use crate::arch::{CoreArch, EM_AIE};
use crate::lines;
use crate::object::{
    Binding, CoreObject, ObjectRelocation, Section, SectionKind, Symbol, SymbolPlace,
};
use crate::program::{CoreProgram, ProgramSection, ProgramSymbol};

type Header = FileHeader32<LittleEndian>;
type FileSection = SectionHeader32<LittleEndian>;

/// Greatest length of a section in bytes that a core's memories can make sense of; longer ones are
/// refused rather than filled with zeros.
const MAX_SECTION_BYTES: u64 = 1 << 24;

fn refuse(message: impl Into<String>) -> Diag {
    Diag::error(&codes::NOT_A_CORE_FILE, message)
        .help("llvm-aie's and the vendor's tools, and `aiec asm`, write such files")
}

fn malformed(error: object::read::Error) -> Diag {
    refuse(format!("the ELF file is malformed: {error}"))
}

/// Whether bytes are an object of a core.
pub fn is_object(bytes: &[u8]) -> bool {
    has_type(bytes, elf::ET_REL)
}

/// Whether bytes are an executable of a core.
pub fn is_program(bytes: &[u8]) -> bool {
    has_type(bytes, elf::ET_EXEC)
}

/// Whether bytes are an object or an executable of a core.
pub fn is_core_file(bytes: &[u8]) -> bool {
    is_object(bytes) || is_program(bytes)
}

/// Whether bytes begin as an ELF file of any machine does.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

fn has_type(bytes: &[u8], kind: elf::FileType) -> bool {
    Header::parse(bytes).is_ok_and(|header| {
        header.e_machine(LittleEndian).0 == EM_AIE && header.e_type(LittleEndian) == kind
    })
}

/// The header of a core's file and its architecture.
fn header(bytes: &[u8]) -> Result<(&Header, CoreArch), Diag> {
    let header = Header::parse(bytes).map_err(|error| refuse(format!("no ELF file: {error}")))?;
    if !header.is_little_endian() {
        return Err(refuse("the ELF file is not little-endian"));
    }
    let machine = header.e_machine(LittleEndian).0;
    if machine != EM_AIE {
        return Err(refuse(format!(
            "the ELF file is for machine {machine}, not {EM_AIE} (AIE)"
        )));
    }
    let flags = header.e_flags(LittleEndian).0;
    let arch = CoreArch::of_elf_flags(flags).ok_or_else(|| {
        refuse(format!(
            "flags {flags:#x} of the ELF file don't name an architecture that is known here"
        ))
    })?;
    Ok((header, arch))
}

fn name_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn section_name(table: &SectionTable<'_, Header>, section: &FileSection) -> String {
    name_of(
        table
            .section_name(LittleEndian, section)
            .unwrap_or_default(),
    )
}

/// Whether a section holds code or data.
fn has_contents(section: &FileSection) -> bool {
    matches!(
        section.sh_type(LittleEndian),
        elf::SHT_PROGBITS | elf::SHT_NOBITS | elf::SHT_INIT_ARRAY
    )
}

fn kind_of(name: &str, section: &FileSection) -> SectionKind {
    let flags = section.sh_flags(LittleEndian);
    let has = |flag: elf::SectionFlags| flags.0 & flag.0 != 0;
    match section.sh_type(LittleEndian) {
        _ if !has(elf::SHF_ALLOC) => SectionKind::Unloaded,
        elf::SHT_NOBITS => SectionKind::Zeros,
        _ if has(elf::SHF_EXECINSTR) => SectionKind::Code,
        _ if has(elf::SHF_WRITE) || name.starts_with(".data") => SectionKind::Data,
        _ => SectionKind::Constants,
    }
}

/// Reads an object.
///
/// # Errors
/// The file isn't an object of a core.
pub fn read_object(name: &str, bytes: &[u8]) -> Result<CoreObject, Diag> {
    let (header, arch) = header(bytes)?;
    if header.e_type(LittleEndian) != elf::ET_REL {
        let message = format!("{name} is an executable, not an object");
        let help = "name an executable with `elf_file`";
        return Err(Diag::error(&codes::WRONG_KIND, message).help(help));
    }
    let table = header.sections(LittleEndian, bytes).map_err(malformed)?;
    // the section of each index of the file, if it is one that we keep
    let mut kept = vec![None; table.len()];
    let mut sections = Vec::new();
    for (index, section) in table.enumerate() {
        let section_name = section_name(&table, section);
        let size = u64::from(section.sh_size(LittleEndian));
        if !has_contents(section) {
            continue;
        }
        if size > MAX_SECTION_BYTES {
            return Err(refuse(format!("section {section_name} has {size} bytes")));
        }
        kept[index.0] = Some(sections.len());
        sections.push(Section {
            kind: kind_of(&section_name, section),
            name: section_name,
            align: section
                .sh_addralign(LittleEndian)
                .max(1)
                .next_power_of_two(),
            bytes: section
                .data(LittleEndian, bytes)
                .map_err(malformed)?
                .to_vec(),
            size: size as u32,
            relocations: Vec::new(),
            address: None,
        });
    }
    let symbol_table = table
        .symbols(LittleEndian, bytes, elf::SHT_SYMTAB)
        .map_err(malformed)?;
    let mut symbols = Vec::new();
    for (index, symbol) in symbol_table.enumerate() {
        // relocations name symbols by their place in the table, whose first entry is empty
        symbols.resize(index.0, no_symbol());
        let section = symbol.st_shndx(LittleEndian);
        let value = symbol.st_value(LittleEndian);
        let place = match section {
            elf::SHN_ABS => SymbolPlace::Absolute(value),
            elf::SHN_COMMON => {
                let symbol_name = symbol.name(LittleEndian, symbol_table.strings());
                let symbol_name = name_of(symbol_name.unwrap_or_default());
                sections.push(common_section(&symbol_name, symbol)?);
                SymbolPlace::Section {
                    section: sections.len() - 1,
                    offset: 0,
                }
            }
            section => match kept.get(usize::from(section.0)).copied().flatten() {
                Some(section) => SymbolPlace::Section {
                    section,
                    offset: value,
                },
                None => SymbolPlace::Undefined,
            },
        };
        symbols.push(Symbol {
            name: name_of(
                symbol
                    .name(LittleEndian, symbol_table.strings())
                    .unwrap_or_default(),
            ),
            place,
            size: symbol.st_size(LittleEndian),
            binding: match section {
                elf::SHN_COMMON => Binding::Common,
                _ => binding(symbol.st_bind()),
            },
            is_function: symbol.st_type() == elf::STT_FUNC,
        });
    }
    for (_, section) in table.enumerate() {
        let relocations = section.rela(LittleEndian, bytes).map_err(malformed)?;
        let Some((relocations, _)) = relocations else {
            continue;
        };
        let target = section.info_link(LittleEndian);
        let Some(target) = kept.get(target.0).copied().flatten() else {
            continue;
        };
        for relocation in relocations {
            let symbol = relocation
                .symbol(LittleEndian, false)
                .map_or(0, |index| index.0);
            if symbol >= symbols.len() {
                return Err(refuse(format!(
                    "a relocation names symbol {symbol}, which is none"
                )));
            }
            sections[target].relocations.push(ObjectRelocation {
                offset: relocation.r_offset(LittleEndian),
                number: relocation.r_type(LittleEndian).0,
                symbol,
                addend: relocation.r_addend(LittleEndian).into(),
            });
        }
    }
    Ok(CoreObject {
        name: name.to_owned(),
        arch,
        sections,
        symbols,
        files: Vec::new(),
        lines: Vec::new(),
    })
}

/// The section of a common symbol, whose value is its alignment.
fn common_section(
    name: &str,
    symbol: &impl Sym<Endian = LittleEndian, Word = u32>,
) -> Result<Section, Diag> {
    let (size, align) = (symbol.st_size(LittleEndian), symbol.st_value(LittleEndian));
    if u64::from(size) > MAX_SECTION_BYTES || !align.max(1).is_power_of_two() {
        let message = format!("common symbol {name} has {size} bytes, aligned to {align}");
        return Err(refuse(message));
    }
    Ok(Section {
        size,
        align: align.max(1),
        ..Section::new(&format!(".bss.{name}"), SectionKind::Zeros)
    })
}

/// Placeholder for an invalid entry of a symbol table, so that the indices of the others stay.
fn no_symbol() -> Symbol {
    Symbol {
        name: String::new(),
        place: SymbolPlace::Undefined,
        size: 0,
        binding: Binding::Local,
        is_function: false,
    }
}

fn binding(bind: elf::SymbolBind) -> Binding {
    match bind {
        elf::STB_LOCAL => Binding::Local,
        elf::STB_WEAK => Binding::Weak,
        _ => Binding::Global,
    }
}

/// Reads an executable.
///
/// # Errors
/// The file isn't an executable of a core.
pub fn read_program(bytes: &[u8]) -> Result<CoreProgram, Diag> {
    let (header, arch) = header(bytes)?;
    if header.e_type(LittleEndian) != elf::ET_EXEC {
        let message = "this is an object, not an executable";
        let help = "link it: `aiec asm -t TARGET FILE.o -o core.elf`";
        return Err(Diag::error(&codes::WRONG_KIND, message).help(help));
    }
    let mut program = CoreProgram {
        arch,
        entry: header.e_entry(LittleEndian),
        sections: Vec::new(),
        symbols: Vec::new(),
        files: Vec::new(),
        lines: Vec::new(),
    };
    let table = header.sections(LittleEndian, bytes).map_err(malformed)?;
    let mut kept = vec![None; table.len()];
    for (index, section) in table.enumerate() {
        let name = section_name(&table, section);
        let size = u64::from(section.sh_size(LittleEndian));
        if !has_contents(section) || size > MAX_SECTION_BYTES {
            continue;
        }
        kept[index.0] = Some(program.sections.len());
        program.sections.push(ProgramSection {
            kind: kind_of(&name, section),
            name,
            address: section.sh_addr(LittleEndian),
            align: section.sh_addralign(LittleEndian).max(1),
            size: size as u32,
            bytes: section
                .data(LittleEndian, bytes)
                .map_err(malformed)?
                .to_vec(),
        });
    }
    add_bare_segments(header, bytes, &mut program)?;
    let symbols = table
        .symbols(LittleEndian, bytes, elf::SHT_SYMTAB)
        .map_err(malformed)?;
    for symbol in symbols.iter() {
        let name = symbol
            .name(LittleEndian, symbols.strings())
            .unwrap_or_default();
        let is_named = !name.is_empty() && symbol.st_type() != elf::STT_FILE;
        let section = symbol.st_shndx(LittleEndian);
        if !is_named || section == elf::SHN_UNDEF {
            continue;
        }
        let index = SectionIndex(section.0.into());
        program.symbols.push(ProgramSymbol {
            name: name_of(name),
            address: symbol.st_value(LittleEndian),
            size: symbol.st_size(LittleEndian),
            binding: binding(symbol.st_bind()),
            is_function: symbol.st_type() == elf::STT_FUNC,
            section: kept.get(index.0).copied().flatten(),
        });
    }
    lines::read(&mut program);
    Ok(program)
}

/// Adds the loaded pieces of a file without sections for them.
fn add_bare_segments(header: &Header, bytes: &[u8], program: &mut CoreProgram) -> Result<(), Diag> {
    let is_loaded = |section: &ProgramSection| section.kind != SectionKind::Unloaded;
    if program.sections.iter().any(is_loaded) {
        return Ok(());
    }
    for segment in header
        .program_headers(LittleEndian, bytes)
        .map_err(malformed)?
    {
        let size = segment.p_memsz(LittleEndian);
        if segment.p_type(LittleEndian) != elf::PT_LOAD || u64::from(size) > MAX_SECTION_BYTES {
            continue;
        }
        let is_code = segment.p_flags(LittleEndian).0 & elf::PF_X.0 != 0;
        let contents = segment.data(LittleEndian, bytes);
        let contents = contents.map_err(|()| refuse("a segment ends outside of the file"))?;
        program.sections.push(ProgramSection {
            name: if is_code { ".text" } else { ".data" }.to_owned(),
            kind: if is_code {
                SectionKind::Code
            } else {
                SectionKind::Data
            },
            address: segment.p_paddr(LittleEndian),
            align: 1,
            size,
            bytes: contents.to_vec(),
        });
    }
    Ok(())
}
