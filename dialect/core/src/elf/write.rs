//! Writing objects and executables.

use object::LittleEndian;
use object::elf;
use object::write::elf::{
    Encoder, FileHeader, FileHeaderLayout, ProgramHeader, Rel, SectionHeader, Sym,
};

use crate::arch::{CoreArch, EM_AIE};
use crate::lines;
use crate::object::{Binding, CoreObject, SectionKind, Symbol, SymbolPlace};
use crate::program::{CoreProgram, ProgramSection};

/// Alignment of tables in the file, in bytes.
const TABLE_ALIGN: usize = 4;

/// A section of the file.
struct FileSection {
    section: ProgramSection,
    relocations: Vec<Rel>,
}

/// Contents of a file.
struct Contents {
    kind: elf::FileType,
    arch: CoreArch,
    entry: u32,
    sections: Vec<FileSection>,
    /// Loaded sections: each is a segment.
    segments: Vec<(usize, elf::ProgramFlags)>,
    symbols: Vec<Symbol>,
}

/// The relocatable file of an object.
pub fn write_object(object: &CoreObject) -> Vec<u8> {
    let sections = object.sections.iter().map(|section| FileSection {
        section: ProgramSection::of(section, 0, section.align),
        relocations: section
            .relocations
            .iter()
            .map(|relocation| Rel {
                r_offset: relocation.offset.into(),
                r_sym: relocation.symbol as u32,
                r_type: elf::RelocationType(relocation.number),
                r_addend: relocation.addend,
            })
            .collect(),
    });
    write(Contents {
        kind: elf::ET_REL,
        arch: object.arch,
        entry: 0,
        sections: sections.collect(),
        segments: Vec::new(),
        symbols: object.symbols.clone(),
    })
}

/// The executable of a linked program.
pub fn write_program(program: &CoreProgram) -> Vec<u8> {
    let sections: Vec<_> = program
        .sections
        .iter()
        .map(|section| FileSection {
            section: section.clone(),
            relocations: Vec::new(),
        })
        .chain(debug_sections(program))
        .collect();
    let mut segments = Vec::new();
    for (index, FileSection { section, .. }) in sections.iter().enumerate() {
        let flags = match section.kind {
            _ if section.size == 0 => continue,
            SectionKind::Code => elf::PF_R | elf::PF_X,
            SectionKind::Constants => elf::PF_R,
            SectionKind::Data | SectionKind::Zeros => elf::PF_R | elf::PF_W,
            SectionKind::Unloaded => continue,
        };
        segments.push((index, flags));
    }
    let symbols = program.symbols.iter().map(|symbol| Symbol {
        name: symbol.name.clone(),
        place: match symbol.section {
            Some(section) => SymbolPlace::Section {
                section,
                offset: symbol.address,
            },
            None => SymbolPlace::Absolute(symbol.address),
        },
        size: symbol.size,
        binding: symbol.binding,
        is_function: symbol.is_function,
    });
    write(Contents {
        kind: elf::ET_EXEC,
        arch: program.arch,
        entry: program.entry,
        segments,
        symbols: symbols.collect(),
        sections,
    })
}

/// The sections of the program's lines, unless it has brought such sections from its objects.
fn debug_sections(program: &CoreProgram) -> Vec<FileSection> {
    let mut sections = program.sections.iter();
    if sections.any(|section| section.name.starts_with(".debug_")) {
        return Vec::new();
    }
    let sections = lines::write(program).into_iter();
    let sections = sections.map(|(name, bytes)| FileSection {
        section: ProgramSection {
            size: bytes.len() as u32,
            bytes,
            ..ProgramSection::new(name, SectionKind::Unloaded, 0, 1)
        },
        relocations: Vec::new(),
    });
    sections.collect()
}

/// A table of strings.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
}

impl Strings {
    fn new() -> Strings {
        Strings { bytes: vec![0] }
    }

    /// The offset of a new string.
    fn add(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        offset
    }
}

/// A section's header with its contents.
struct SectionData {
    header: SectionHeader,
    bytes: Vec<u8>,
}

fn type_and_flags(kind: SectionKind) -> (elf::SectionType, elf::SectionFlags) {
    match kind {
        SectionKind::Code => (elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR),
        SectionKind::Data => (elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_WRITE),
        SectionKind::Constants => (elf::SHT_PROGBITS, elf::SHF_ALLOC),
        SectionKind::Zeros => (elf::SHT_NOBITS, elf::SHF_ALLOC | elf::SHF_WRITE),
        SectionKind::Unloaded => (elf::SHT_PROGBITS, elf::SectionFlags(0)),
    }
}

fn write(contents: Contents) -> Vec<u8> {
    let encoder = Encoder::new(LittleEndian, false, elf::Machine(EM_AIE));
    let mut names = Strings::new();
    let mut strings = Strings::new();
    let count = contents.sections.len();
    // Sections are numbered from 1, as 0 means none; their relocations and tables follow.
    let (symbols, numbers, locals) = symbol_table(encoder, &contents, &mut strings);
    let relocated = contents
        .sections
        .iter()
        .filter(|section| !section.relocations.is_empty());
    let symtab_index = 1 + count + relocated.count();
    let mut placed: Vec<SectionData> = Vec::new();
    for FileSection { section, .. } in &contents.sections {
        let (sh_type, sh_flags) = type_and_flags(section.kind);
        placed.push(SectionData {
            header: SectionHeader {
                sh_name: names.add(&section.name),
                sh_type,
                sh_flags,
                sh_addr: section.address.into(),
                sh_offset: 0,
                sh_size: section.size.into(),
                sh_link: 0,
                sh_info: 0,
                sh_addralign: section.align.into(),
                sh_entsize: 0,
            },
            bytes: section.bytes.clone(),
        });
    }
    for (index, section) in contents.sections.iter().enumerate() {
        if section.relocations.is_empty() {
            continue;
        }
        let mut bytes = Vec::new();
        for relocation in &section.relocations {
            let r_sym = numbers.get(relocation.r_sym as usize).copied().unwrap_or(0);
            encoder.relocation(
                &mut bytes,
                true,
                &Rel {
                    r_sym,
                    ..*relocation
                },
            );
        }
        let mut header = encoder.relocation_section_header(true);
        header.sh_name = names.add(&format!(".rela{}", section.section.name));
        header.sh_link = symtab_index as u32;
        header.sh_info = index as u32 + 1;
        placed.push(SectionData { header, bytes });
    }
    let mut header = encoder.symtab_section_header(symtab_index as u32 + 1, locals);
    header.sh_name = names.add(".symtab");
    placed.push(SectionData {
        header,
        bytes: symbols,
    });
    let mut header = encoder.strtab_section_header();
    header.sh_name = names.add(".strtab");
    let bytes = strings.bytes;
    placed.push(SectionData { header, bytes });
    let mut header = encoder.strtab_section_header();
    header.sh_name = names.add(".shstrtab");
    let bytes = names.bytes;
    placed.push(SectionData { header, bytes });
    laid_out(encoder, &contents, placed)
}

/// The symbol table, the number of each symbol in it, and how many local ones it begins with (the
/// empty one included).
fn symbol_table(
    encoder: Encoder<LittleEndian>,
    contents: &Contents,
    strings: &mut Strings,
) -> (Vec<u8>, Vec<u32>, u32) {
    let mut bytes = Vec::new();
    encoder.null_symbol(&mut bytes);
    let mut numbers = vec![0; contents.symbols.len()];
    let mut next = 1;
    let mut locals = 1;
    for is_local in [true, false] {
        for (index, symbol) in contents.symbols.iter().enumerate() {
            if (symbol.binding == Binding::Local) != is_local {
                continue;
            }
            numbers[index] = next;
            next += 1;
            let (section, special, value) = match symbol.place {
                SymbolPlace::Undefined => (None, elf::SHN_UNDEF, 0),
                SymbolPlace::Absolute(value) => (None, elf::SHN_ABS, value),
                SymbolPlace::Section { section, offset } => {
                    (Some(section as u32 + 1), elf::SHN_UNDEF, offset)
                }
            };
            let bind = match symbol.binding {
                Binding::Local => elf::STB_LOCAL,
                Binding::Global | Binding::Common => elf::STB_GLOBAL,
                Binding::Weak => elf::STB_WEAK,
            };
            let kind = match (symbol.is_function, symbol.place) {
                (true, _) => elf::STT_FUNC,
                (false, SymbolPlace::Section { section, .. })
                    if contents.sections[section].section.kind.is_in_data_memory() =>
                {
                    elf::STT_OBJECT
                }
                (false, _) => elf::STT_NOTYPE,
            };
            encoder.symbol(
                &mut bytes,
                &Sym {
                    section,
                    st_name: strings.add(&symbol.name),
                    st_info: elf::SymbolInfo::new(bind, kind),
                    st_other: elf::SymbolOther(0),
                    st_shndx: special,
                    st_value: value.into(),
                    st_size: symbol.size.into(),
                },
            );
        }
        if is_local {
            locals = next;
        }
    }
    (bytes, numbers, locals)
}

/// The file: header, program headers, contents of sections, section headers.
fn laid_out(
    encoder: Encoder<LittleEndian>,
    contents: &Contents,
    mut placed: Vec<SectionData>,
) -> Vec<u8> {
    let headers =
        encoder.file_header_size() + contents.segments.len() as u64 * encoder.program_header_size();
    let mut offset = headers as usize;
    for section in &mut placed {
        let align = (section.header.sh_addralign as usize).max(TABLE_ALIGN);
        offset = offset.next_multiple_of(align);
        section.header.sh_offset = offset as u64;
        if section.header.sh_type != elf::SHT_NOBITS {
            section.header.sh_size = section.bytes.len() as u64;
        }
        offset += section.bytes.len();
    }
    let table = offset.next_multiple_of(TABLE_ALIGN);
    let mut file = Vec::new();
    let header = FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: contents.kind,
        e_machine: elf::Machine(EM_AIE),
        e_entry: contents.entry.into(),
        e_flags: elf::FileFlags(contents.arch.elf_flags()),
    };
    let layout = FileHeaderLayout {
        e_phoff: if contents.segments.is_empty() {
            0
        } else {
            encoder.file_header_size()
        },
        segment_num: contents.segments.len() as u32,
        e_shoff: table as u64,
        section_num: placed.len() as u32 + 1,
        shstrtab_index: placed.len() as u32,
    };
    // It fails only for more sections than a file has numbers for, which 32 bits hold.
    let _ = encoder.file_header(&mut file, &header, &layout);
    for (index, flags) in &contents.segments {
        let SectionData { header, bytes } = &placed[*index];
        encoder.program_header(
            &mut file,
            &ProgramHeader {
                p_type: elf::PT_LOAD,
                p_flags: *flags,
                p_offset: header.sh_offset,
                p_vaddr: header.sh_addr,
                p_paddr: header.sh_addr,
                p_filesz: bytes.len() as u64,
                p_memsz: header.sh_size,
                p_align: header.sh_addralign.max(1),
            },
        );
    }
    for section in &placed {
        file.resize(section.header.sh_offset as usize, 0);
        file.extend_from_slice(&section.bytes);
    }
    file.resize(table, 0);
    encoder.null_section_header(&mut file, &layout);
    for section in &placed {
        encoder.section_header(&mut file, &section.header);
    }
    file
}
