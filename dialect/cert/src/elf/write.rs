//! Writing control code files, byte for byte as the vendor's assembler does.

use std::collections::HashMap;

use object::elf;
use object::write::elf::{
    Encoder, FileHeader, FileHeaderLayout, ProgramHeader, Rel, SectionHeader, Sym,
};

use super::{
    ABI_GROUPED, ABI_MERGED, LOAD_ALIGN, MACHINE, MAX_SECTIONS, NOTE_CONFIGURATION, NOTE_NAME,
    NOTE_UID, SECTION_CONFIGURATION, SECTION_DUMP, SECTION_UID, SHT_CUSTOM,
};
use crate::debug::{self, DebugInfo};
use crate::image::{Image, PageImage, UcImage, ctrl_packet_symbol};
use crate::names::Target;
use crate::page::PAGE_BYTES;
use crate::patch::PatchKind;

/// OS/ABI of plain files and of configuration files without a target.
const OS_ABI: u8 = 0x46;
/// ABI version of plain files.
const ABI_PLAIN: u8 = 0x02;

const FLAGS_TEXT: u64 = elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0;
const FLAGS_DATA: u64 = elf::SHF_ALLOC.0 | elf::SHF_WRITE.0;

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

/// A configuration file: several kernels with several instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Selects OS/ABI and the merged layout: `.target` of the sources with its sub-architecture
    /// (`aie4-a`), if they had one.
    pub target: Option<String>,
    /// Columns of the partition.
    pub columns: u32,
    /// Kernels in any order.
    pub kernels: Vec<Kernel>,
    /// Extra sections: name and contents.
    pub custom: Vec<(String, Vec<u8>)>,
}

/// A kernel of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Types of its arguments.
    pub arguments: Vec<KernelArgument>,
    /// Instances in any order.
    pub instances: Instances,
}

/// Instances of a kernel: id and code.
pub type Instances = Vec<(String, Image)>;

/// Type of a kernel argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelArgument {
    /// `char *`
    CharPointer,
    /// `void *`
    VoidPointer,
    /// `int *`
    IntPointer,
    /// `scalar`
    Scalar,
    /// Any other type; it leaves no trace in the name.
    Other,
}

impl KernelArgument {
    /// The type of that spelling.
    pub fn from_name(name: &str) -> Self {
        let found = Self::SPELLINGS
            .iter()
            .find(|(spelling, _)| *spelling == name);
        found.map_or(Self::Other, |(_, kind)| *kind)
    }

    /// All types, by the spelling of the description.
    const SPELLINGS: [(&'static str, Self); 4] = [
        ("char *", Self::CharPointer),
        ("void *", Self::VoidPointer),
        ("int *", Self::IntPointer),
        ("scalar", Self::Scalar),
    ];

    /// The spelling of the description; empty for other types.
    pub fn spelling(self) -> &'static str {
        let found = Self::SPELLINGS.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    fn mangled(self) -> &'static str {
        match self {
            Self::CharPointer => "Pc",
            Self::VoidPointer => "Pv",
            Self::IntPointer => "Pi",
            Self::Scalar => "i",
            Self::Other => "",
        }
    }
}

impl Kernel {
    /// Name and arguments out of a linker's name; `None` if it is none of ours.
    pub fn demangle(mangled: &str) -> Option<(String, Vec<KernelArgument>)> {
        let rest = mangled.strip_prefix("_Z")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (length, rest) = rest.split_at_checked(digits)?;
        let (name, mut rest) = rest.split_at_checked(length.parse().ok()?)?;
        let mut arguments = Vec::new();
        while !rest.is_empty() {
            let spellings = KernelArgument::SPELLINGS.iter();
            let (kind, tail) = spellings
                .filter_map(|(_, kind)| Some((*kind, rest.strip_prefix(kind.mangled())?)))
                .next()?;
            arguments.push(kind);
            rest = tail;
        }
        Some((name.to_owned(), arguments))
    }

    fn mangled(&self) -> String {
        let arguments: String = self.arguments.iter().map(|a| a.mangled()).collect();
        format!("_Z{}{}{arguments}", self.name.len(), self.name)
    }
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

/// Writes a configuration file.
pub fn write_config(config: &Config) -> Result<Vec<u8>, ElfWriteError> {
    let (os_abi, abi_version) = match config.target.as_deref() {
        None => (OS_ABI, ABI_GROUPED),
        Some("aie4") => (0x4B, ABI_MERGED),
        Some("aie4-a") => (0x56, ABI_MERGED),
        Some("aie4-z") => (0x69, ABI_MERGED),
        Some(_) => (0x40, ABI_MERGED),
    };
    let merged = abi_version == ABI_MERGED;
    let mut file = File::new();
    let strtab = file.add(Section::plain(".strtab", elf::SHT_STRTAB, 0, Vec::new()));
    let symtab = file.add(Section {
        entsize: 16,
        link: strtab as u32,
        info: 1,
        ..Section::plain(".symtab", elf::SHT_SYMTAB, 4, Vec::new())
    });
    for (name, bytes) in &config.custom {
        file.add(Section {
            flags: FLAGS_DATA,
            ..Section::plain(
                name,
                elf::SectionType(SHT_CUSTOM),
                LOAD_ALIGN,
                bytes.clone(),
            )
        });
    }
    let mut kernels: Vec<(String, &Kernel)> =
        config.kernels.iter().map(|k| (k.mangled(), k)).collect();
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    let mut symbols = Symbols::new();
    let mut dynamic = Dynamic::default();
    let mut number = 0;
    for (mangled, kernel) in kernels {
        let kernel_symbol = symbols.add(&mangled, elf::STT_FUNC, elf::STB_WEAK, 0);
        let mut instances: Vec<&(String, Image)> = kernel.instances.iter().collect();
        instances.sort_by(|a, b| a.0.cmp(&b.0));
        for (id, image) in instances {
            let symbol = symbols.add(id, elf::STT_OBJECT, elf::STB_WEAK, kernel_symbol);
            let suffix = format!(".{number}");
            let first = file.sections.len();
            file.add_image(image, &suffix, merged, &mut dynamic);
            let members: Vec<u32> = (first..file.sections.len()).map(|i| i as u32).collect();
            file.add_dynamic(&mut dynamic);
            file.add_group(&suffix, symtab as u32, symbol, &members);
            number += 1;
        }
    }
    dynamic.fill(&mut file);
    file.sections[strtab].data = symbols.strings.bytes;
    file.sections[symtab].data = symbols.table;
    let columns = config.columns.to_le_bytes();
    file.add_note(SECTION_CONFIGURATION, NOTE_CONFIGURATION, &columns);
    file.add_uid();
    file.finish(os_abi, abi_version)
}

fn encoder() -> Encoder<object::LittleEndian> {
    Encoder::new(object::LittleEndian, false, elf::Machine(MACHINE))
}

/// A string table to which names are appended, never shared.
struct Strings {
    bytes: Vec<u8>,
}

impl Strings {
    fn new() -> Self {
        Self { bytes: vec![0] }
    }

    fn add(&mut self, text: &str) -> u32 {
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        at
    }
}

/// A symbol table that begins with the null symbol.
struct Symbols {
    strings: Strings,
    table: Vec<u8>,
    count: u32,
}

impl Symbols {
    fn new() -> Self {
        let mut table = Vec::new();
        encoder().null_symbol(&mut table);
        Self {
            strings: Strings::new(),
            table,
            count: 1,
        }
    }

    fn add(
        &mut self,
        name: &str,
        kind: elf::SymbolType,
        binding: elf::SymbolBind,
        section: u32,
    ) -> u32 {
        let symbol = Sym {
            section: Some(section),
            st_name: self.strings.add(name),
            st_info: elf::SymbolInfo::new(binding, kind),
            st_other: elf::SymbolOther(0),
            st_shndx: elf::SHN_UNDEF,
            st_value: 0,
            st_size: 0,
        };
        encoder().symbol(&mut self.table, &symbol);
        self.count += 1;
        self.count - 1
    }
}

struct Section {
    name: String,
    kind: elf::SectionType,
    flags: u64,
    align: u64,
    entsize: u64,
    link: u32,
    info: u32,
    data: Vec<u8>,
}

impl Section {
    fn plain(name: &str, kind: elf::SectionType, align: u64, data: Vec<u8>) -> Self {
        Self {
            name: name.into(),
            kind,
            flags: 0,
            align,
            entsize: 0,
            link: 0,
            info: 0,
            data,
        }
    }

    fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }
}

/// Relocations of all instances and the symbols they name.
#[derive(Default)]
struct Dynamic {
    symbols: Option<Symbols>,
    /// Symbol number by section and name.
    known: HashMap<(u32, String), u32>,
    relocations: Vec<u8>,
    /// Index of `.dynstr`; the other three follow it.
    first_section: Option<usize>,
}

impl Dynamic {
    fn relocate(&mut self, section: u32, name: &str, kind: PatchKind, offset: u32) {
        let symbols = self.symbols.get_or_insert_with(Symbols::new);
        let symbol = *self
            .known
            .entry((section, name.to_owned()))
            .or_insert_with(|| symbols.add(name, elf::STT_OBJECT, elf::STB_GLOBAL, section));
        encoder().relocation(
            &mut self.relocations,
            true,
            &Rel {
                r_offset: u64::from(offset),
                r_sym: symbol,
                r_type: elf::RelocationType(kind.number()),
                r_addend: 0,
            },
        );
    }

    /// Puts the contents into the four sections.
    fn fill(self, file: &mut File) {
        let (Some(symbols), Some(first)) = (self.symbols, self.first_section) else {
            return;
        };
        let mut dynamic = Vec::new();
        // the first entry holds a section index where an address belongs: so do the vendor's
        for (tag, value) in [
            (elf::DT_RELA, first + 2),
            (elf::DT_RELASZ, self.relocations.len()),
        ] {
            // the tags fit 32 bits, the values were counted in a 32-bit file
            let _ = encoder().dynamic(&mut dynamic, tag, value as u64);
        }
        let contents = [
            symbols.strings.bytes,
            symbols.table,
            self.relocations,
            dynamic,
        ];
        for (section, data) in file.sections[first..].iter_mut().zip(contents) {
            section.data = data;
        }
    }
}

/// Sections in index order; index 0 is the null section.
struct File {
    sections: Vec<Section>,
}

impl File {
    fn new() -> Self {
        let null = Section::plain("", elf::SHT_NULL, 0, Vec::new());
        Self {
            sections: vec![
                null,
                Section::plain(".shstrtab", elf::SHT_STRTAB, 1, Vec::new()),
            ],
        }
    }

    fn add(&mut self, section: Section) -> usize {
        self.sections.push(section);
        self.sections.len() - 1
    }

    fn add_loaded(&mut self, name: String, flags: u64, data: Vec<u8>) -> u32 {
        let section = Section::plain(&name, elf::SHT_PROGBITS, LOAD_ALIGN, data);
        self.add(Section { flags, ..section }) as u32
    }

    fn add_image(&mut self, image: &Image, suffix: &str, merged: bool, dynamic: &mut Dynamic) {
        for uc in &image.ucs {
            if merged {
                self.add_merged_pages(uc, suffix, dynamic);
            } else {
                self.add_pages(uc, suffix, dynamic);
            }
            if !uc.pad.is_empty() {
                self.add_loaded(
                    format!(".pad.{}{suffix}", uc.uc),
                    FLAGS_DATA,
                    uc.pad.clone(),
                );
            }
            for buffer in &image.ctrl_packets {
                let name = format!("{}{suffix}", ctrl_packet_symbol(buffer.id));
                let section = self.add_loaded(name, FLAGS_DATA, buffer.bytes.clone());
                let kind = match image.target {
                    Target::Aie2ps => PatchKind::CtrlPacket57,
                    Target::Aie4 => PatchKind::CtrlPacket57Aie4,
                };
                for patch in &buffer.patches {
                    let symbol = patch.argument.to_string();
                    dynamic.relocate(section, &symbol, kind, patch.offset);
                }
            }
        }
    }

    fn add_pages(&mut self, uc: &UcImage, suffix: &str, dynamic: &mut Dynamic) {
        for (number, page) in uc.pages.iter().enumerate() {
            let name = format!(".ctrltext.{}.{number}{suffix}", uc.uc);
            let section = self.add_loaded(name, FLAGS_TEXT, page.text.clone());
            let mut data = page.data.clone();
            data.resize(PAGE_BYTES.saturating_sub(page.text.len()), 0);
            if !data.is_empty() {
                let name = format!(".ctrldata.{}.{number}{suffix}", uc.uc);
                self.add_loaded(name, FLAGS_DATA, data);
            }
            relocate_page(dynamic, section, page, 0);
        }
    }

    fn add_merged_pages(&mut self, uc: &UcImage, suffix: &str, dynamic: &mut Dynamic) {
        let bytes: Vec<u8> = uc.pages.iter().flat_map(PageImage::bytes).collect();
        let section = self.add_loaded(format!(".ctrltext.{}{suffix}", uc.uc), FLAGS_TEXT, bytes);
        for (number, page) in uc.pages.iter().enumerate() {
            relocate_page(dynamic, section, page, (number * PAGE_BYTES) as u32);
        }
    }

    /// Makes the four dynamic sections, once, as soon as there is a relocation.
    fn add_dynamic(&mut self, dynamic: &mut Dynamic) {
        if dynamic.symbols.is_none() || dynamic.first_section.is_some() {
            return;
        }
        let first = self.sections.len();
        dynamic.first_section = Some(first);
        let dynstr = first as u32;
        self.add(Section::plain(".dynstr", elf::SHT_STRTAB, 0, Vec::new()));
        let table = |name, kind, link, info, entsize| Section {
            link,
            info,
            entsize,
            ..Section::plain(name, kind, 8, Vec::new())
        };
        self.add(table(".dynsym", elf::SHT_DYNSYM, dynstr, 1, 16));
        self.add(table(".rela.dyn", elf::SHT_RELA, dynstr + 1, 0, 12));
        self.add(table(".dynamic", elf::SHT_DYNAMIC, dynstr, 0, 8));
    }

    fn add_group(&mut self, suffix: &str, symtab: u32, symbol: u32, members: &[u32]) {
        let words = std::iter::once(elf::GRP_COMDAT.0).chain(members.iter().copied());
        let data = words.flat_map(u32::to_le_bytes).collect();
        self.add(Section {
            link: symtab,
            info: symbol,
            entsize: 4,
            ..Section::plain(&format!(".group{suffix}"), elf::SHT_GROUP, LOAD_ALIGN, data)
        });
    }

    fn add_note(&mut self, section: &str, kind: u32, description: &[u8]) {
        let mut data = Vec::new();
        for word in [NOTE_NAME.len() as u32, description.len() as u32, kind] {
            data.extend_from_slice(&word.to_le_bytes());
        }
        data.extend_from_slice(NOTE_NAME);
        data.extend_from_slice(description);
        self.add(Section::plain(section, elf::SHT_NOTE, 1, data));
    }

    /// The note with the MD5 over all loaded sections.
    fn add_uid(&mut self) {
        let mut context = md5::Context::new();
        for section in self.sections.iter().filter(|s| s.is_loaded()) {
            context.consume(&section.data);
        }
        let digest = context.finalize();
        self.add_note(SECTION_UID, NOTE_UID, &digest.0);
    }

    fn finish(mut self, os_abi: u8, abi_version: u8) -> Result<Vec<u8>, ElfWriteError> {
        if self.sections.len() > MAX_SECTIONS {
            return Err(ElfWriteError::Sections {
                needed: self.sections.len(),
            });
        }
        let mut names = Strings::new();
        let mut name_offsets = vec![0];
        for section in &self.sections[1..] {
            if section.name.contains('\0') {
                return Err(ElfWriteError::NulInName);
            }
            name_offsets.push(names.add(&section.name));
        }
        self.sections[1].data = names.bytes;
        let layout = Layout::new(&self.sections);
        u32::try_from(layout.end).map_err(|_| ElfWriteError::TooBig)?;
        Ok(self.emit(&layout, &name_offsets, os_abi, abi_version))
    }

    fn emit(&self, layout: &Layout, names: &[u32], os_abi: u8, abi_version: u8) -> Vec<u8> {
        let encoder = encoder();
        let mut out: Vec<u8> = Vec::with_capacity(layout.end as usize);
        let header = FileHeader {
            os_abi: elf::OsAbi(os_abi),
            abi_version,
            e_type: elf::ET_EXEC,
            e_machine: elf::Machine(MACHINE),
            e_entry: 0,
            e_flags: elf::FileFlags(0),
        };
        let header_layout = FileHeaderLayout {
            e_phoff: encoder.file_header_size(),
            segment_num: layout.segments as u32,
            e_shoff: layout.section_table,
            section_num: self.sections.len() as u32,
            shstrtab_index: 1,
        };
        // fails only when counts overflow, and sections are fewer than that
        let _ = encoder.file_header(&mut out, &header, &header_layout);
        self.emit_segments(layout, &mut out);
        for &i in &layout.order {
            out.resize(layout.places[i].offset as usize, 0);
            out.extend_from_slice(&self.sections[i].data);
        }
        out.resize(layout.section_table as usize, 0);
        encoder.null_section_header(&mut out, &header_layout);
        for (i, section) in self.sections.iter().enumerate().skip(1) {
            encoder.section_header(
                &mut out,
                &SectionHeader {
                    sh_name: names[i],
                    sh_type: section.kind,
                    sh_flags: elf::SectionFlags(section.flags),
                    sh_addr: layout.places[i].address,
                    sh_offset: layout.places[i].offset,
                    sh_size: section.data.len() as u64,
                    sh_link: section.link,
                    sh_info: section.info,
                    sh_addralign: section.align,
                    sh_entsize: section.entsize,
                },
            );
        }
        out
    }

    fn emit_segments(&self, layout: &Layout, out: &mut Vec<u8>) {
        let encoder = encoder();
        let size = layout.segments as u64 * encoder.program_header_size();
        encoder.program_header(
            out,
            &ProgramHeader {
                p_type: elf::PT_PHDR,
                p_flags: elf::PF_R,
                p_offset: encoder.file_header_size(),
                p_vaddr: 0,
                p_paddr: 0,
                p_filesz: size,
                p_memsz: size,
                p_align: 0,
            },
        );
        for (i, section) in self
            .sections
            .iter()
            .enumerate()
            .filter(|(_, s)| s.is_loaded())
        {
            let execute = section.flags == FLAGS_TEXT;
            let more = if execute { elf::PF_X } else { elf::PF_W };
            encoder.program_header(
                out,
                &ProgramHeader {
                    p_type: elf::PT_LOAD,
                    p_flags: elf::PF_R | more,
                    p_offset: layout.places[i].offset,
                    p_vaddr: layout.places[i].address,
                    p_paddr: 0,
                    p_filesz: section.data.len() as u64,
                    p_memsz: section.data.len() as u64,
                    p_align: LOAD_ALIGN,
                },
            );
        }
    }
}

fn relocate_page(dynamic: &mut Dynamic, section: u32, page: &PageImage, base: u32) {
    for reloc in &page.relocs {
        let offset = base + u32::from(reloc.position);
        dynamic.relocate(section, &reloc.symbol, reloc.kind, offset);
    }
}

#[derive(Clone, Copy, Default)]
struct SectionPlace {
    address: u64,
    offset: u64,
}

/// File offsets: headers, loaded sections in order, the others in order, section headers.
struct Layout {
    places: Vec<SectionPlace>,
    /// Sections in file order.
    order: Vec<usize>,
    segments: usize,
    section_table: u64,
    end: u64,
}

impl Layout {
    fn new(sections: &[Section]) -> Self {
        let (loaded, others): (Vec<usize>, Vec<usize>) =
            (1..sections.len()).partition(|&i| sections[i].is_loaded());
        let segments = loaded.len() + 1;
        let encoder = encoder();
        let mut offset =
            encoder.file_header_size() + segments as u64 * encoder.program_header_size();
        let mut address = 0u64;
        let mut places = vec![SectionPlace::default(); sections.len()];
        for &i in &loaded {
            let size = sections[i].data.len() as u64;
            offset = offset.next_multiple_of(LOAD_ALIGN);
            address = address.next_multiple_of(LOAD_ALIGN);
            places[i] = SectionPlace { address, offset };
            offset += size;
            address += size;
        }
        for &i in &others {
            offset = offset.next_multiple_of(sections[i].align.max(1));
            places[i] = SectionPlace { address: 0, offset };
            offset += sections[i].data.len() as u64;
        }
        // the vendor's writer always moves on, also from a multiple
        let section_table = (offset / LOAD_ALIGN + 1) * LOAD_ALIGN;
        let end = section_table + sections.len() as u64 * encoder.section_header_size();
        let order = loaded.into_iter().chain(others).collect();
        Self {
            places,
            order,
            segments,
            section_table,
            end,
        }
    }
}
