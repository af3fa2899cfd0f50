//! The sections of a file, in index order.

use object::elf;

use crate::{
    LOAD_ALIGN, NOTE_CONFIGURATION, NOTE_NAME, NOTE_UID, SECTION_CONFIGURATION, SECTION_UID,
    SHT_CUSTOM,
};

/// Flags of loaded sections with code.
pub const FLAGS_TEXT: u64 = elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0;
/// Flags of loaded sections with data.
pub const FLAGS_DATA: u64 = elf::SHF_ALLOC.0 | elf::SHF_WRITE.0;

/// A section; its offset and address follow from its position.
#[derive(Debug, Clone)]
pub struct Section {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: elf::SectionType,
    /// Flags; a section with `SHF_ALLOC` is loaded.
    pub flags: u64,
    /// Alignment in bytes; 0 and 1 mean none.
    pub align: u64,
    /// Bytes of an entry of a table, else 0.
    pub entsize: u64,
    /// Index of the section that this one refers to.
    pub link: u32,
    /// Further number, by type.
    pub info: u32,
    /// Contents.
    pub data: Vec<u8>,
}

impl Section {
    /// A section that is not loaded.
    pub fn plain(name: &str, kind: elf::SectionType, align: u64, data: Vec<u8>) -> Self {
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

    /// True if the section lies in a segment.
    pub fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }
}

/// A file while its sections come in, in index order.
#[derive(Debug)]
pub struct ElfBuilder {
    /// Index 0 is the null section, index 1 the names of sections.
    pub(crate) sections: Vec<Section>,
}

impl Default for ElfBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ElfBuilder {
    /// A file without sections of its own.
    pub fn new() -> Self {
        let null = Section::plain("", elf::SHT_NULL, 0, Vec::new());
        Self {
            sections: vec![
                null,
                Section::plain(".shstrtab", elf::SHT_STRTAB, 1, Vec::new()),
            ],
        }
    }

    /// Adds a section; its index.
    pub fn add(&mut self, section: Section) -> u32 {
        self.sections.push(section);
        (self.sections.len() - 1) as u32
    }

    /// Index of the section that comes next.
    pub fn next_index(&self) -> u32 {
        self.sections.len() as u32
    }

    /// Replaces the contents of a section.
    pub fn set_data(&mut self, section: u32, data: Vec<u8>) {
        self.sections[section as usize].data = data;
    }

    /// Adds a section that is loaded; its index.
    pub fn add_loaded(&mut self, name: impl AsRef<str>, flags: u64, data: Vec<u8>) -> u32 {
        let section = Section::plain(name.as_ref(), elf::SHT_PROGBITS, LOAD_ALIGN, data);
        self.add(Section { flags, ..section })
    }

    /// Adds a section of the user's.
    pub fn add_custom(&mut self, name: &str, data: Vec<u8>) {
        let section = Section::plain(name, elf::SectionType(SHT_CUSTOM), LOAD_ALIGN, data);
        self.add(Section {
            flags: FLAGS_DATA,
            ..section
        });
    }

    /// Adds `.strtab` and `.symtab`, both still empty; the index of `.symtab`.
    pub fn add_symbol_table(&mut self) -> u32 {
        let strtab = self.add(Section::plain(".strtab", elf::SHT_STRTAB, 0, Vec::new()));
        self.add(Section {
            entsize: 16,
            link: strtab,
            info: 1,
            ..Section::plain(".symtab", elf::SHT_SYMTAB, 4, Vec::new())
        })
    }

    /// Adds the group of an instance's sections.
    pub fn add_group(&mut self, suffix: &str, symtab: u32, symbol: u32, members: &[u32]) {
        let words = std::iter::once(elf::GRP_COMDAT.0).chain(members.iter().copied());
        let data = words.flat_map(u32::to_le_bytes).collect();
        self.add(Section {
            link: symtab,
            info: symbol,
            entsize: 4,
            ..Section::plain(&format!(".group{suffix}"), elf::SHT_GROUP, LOAD_ALIGN, data)
        });
    }

    /// Adds the note with the columns of the partition.
    pub fn add_configuration(&mut self, columns: u32) {
        let bytes = columns.to_le_bytes();
        self.add_note(SECTION_CONFIGURATION, NOTE_CONFIGURATION, &bytes);
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
    pub fn add_uid(&mut self) {
        let mut context = md5::Context::new();
        for section in self.sections.iter().filter(|s| s.is_loaded()) {
            context.consume(&section.data);
        }
        let digest = context.finalize();
        self.add_note(SECTION_UID, NOTE_UID, &digest.0);
    }
}
