//! String, symbol and relocation tables.

use std::collections::HashMap;

use object::elf;
use object::write::elf::{Encoder, Rel, Sym};

use crate::MACHINE;
use crate::builder::{ElfBuilder, Section};

pub(crate) fn encoder() -> Encoder<object::LittleEndian> {
    Encoder::new(object::LittleEndian, false, elf::Machine(MACHINE))
}

/// A string table to which names are appended, never shared.
#[derive(Debug)]
pub(crate) struct StringTable {
    pub(crate) bytes: Vec<u8>,
}

impl StringTable {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0] }
    }

    pub(crate) fn add(&mut self, text: &str) -> u32 {
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        at
    }
}

/// A symbol table that begins with the null symbol.
#[derive(Debug)]
pub struct SymbolTable {
    strings: StringTable,
    table: Vec<u8>,
    count: u32,
}

impl Default for SymbolTable {
    fn default() -> Self {
        Self::new()
    }
}

impl SymbolTable {
    /// A table without symbols of its own.
    pub fn new() -> Self {
        let mut table = Vec::new();
        encoder().null_symbol(&mut table);
        Self {
            strings: StringTable::new(),
            table,
            count: 1,
        }
    }

    /// Adds the weak symbol of a kernel, by its mangled name; its index.
    pub fn add_kernel(&mut self, mangled: &str) -> u32 {
        self.add(mangled, elf::STT_FUNC, elf::STB_WEAK, 0, 0)
    }

    /// Adds the weak symbol of an instance, which names its kernel's symbol as its section; its
    /// index.
    pub fn add_instance(&mut self, id: &str, kernel: u32) -> u32 {
        self.add(id, elf::STT_OBJECT, elf::STB_WEAK, kernel, 0)
    }

    fn add(
        &mut self,
        name: &str,
        kind: elf::SymbolType,
        binding: elf::SymbolBind,
        section: u32,
        size: u32,
    ) -> u32 {
        let symbol = Sym {
            section: Some(section),
            st_name: self.strings.add(name),
            st_info: elf::SymbolInfo::new(binding, kind),
            st_other: elf::SymbolOther(0),
            st_shndx: elf::SHN_UNDEF,
            st_value: 0,
            st_size: u64::from(size),
        };
        encoder().symbol(&mut self.table, &symbol);
        self.count += 1;
        self.count - 1
    }

    /// Puts the contents into `.symtab` and the `.strtab` before it.
    pub fn fill(self, file: &mut ElfBuilder, symtab: u32) {
        file.set_data(symtab - 1, self.strings.bytes);
        file.set_data(symtab, self.table);
    }
}

/// A place that the host patches before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPatch<'a> {
    /// Index of the section.
    pub section: u32,
    /// The addend: a decimal argument number or the name of a buffer.
    pub symbol: &'a str,
    /// Size of the symbol in bytes, or a mask, by type.
    pub symbol_size: u32,
    /// Relocation type: the sort of address field.
    pub kind: u32,
    /// Byte offset in the section.
    pub offset: u32,
    /// Bytes to add to the address.
    pub addend: u32,
}

/// Relocations of all instances and the symbols they name.
#[derive(Debug, Default)]
pub struct DynamicTables {
    symbols: Option<SymbolTable>,
    /// Symbol number by section, name and size.
    known: HashMap<(u32, String, u32), u32>,
    relocations: Vec<u8>,
    /// Index of `.dynstr`; the other three follow it.
    first_section: Option<usize>,
}

impl DynamicTables {
    /// Adds a relocation, and its symbol when it is new.
    pub fn relocate(&mut self, patch: HostPatch<'_>) {
        let HostPatch {
            section,
            symbol: name,
            symbol_size: size,
            ..
        } = patch;
        let symbols = self.symbols.get_or_insert_with(SymbolTable::new);
        let symbol = *self
            .known
            .entry((section, name.to_owned(), size))
            .or_insert_with(|| symbols.add(name, elf::STT_OBJECT, elf::STB_GLOBAL, section, size));
        encoder().relocation(
            &mut self.relocations,
            true,
            &Rel {
                r_offset: u64::from(patch.offset),
                r_sym: symbol,
                r_type: elf::RelocationType(patch.kind),
                r_addend: i64::from(patch.addend),
            },
        );
    }

    /// Makes the four dynamic sections, once, as soon as there is a relocation.
    pub fn add_sections(&mut self, file: &mut ElfBuilder) {
        if self.symbols.is_none() || self.first_section.is_some() {
            return;
        }
        let dynstr = file.next_index();
        self.first_section = Some(dynstr as usize);
        file.add(Section::plain(".dynstr", elf::SHT_STRTAB, 0, Vec::new()));
        let table = |name, kind, link, info, entsize| Section {
            link,
            info,
            entsize,
            ..Section::plain(name, kind, 8, Vec::new())
        };
        file.add(table(".dynsym", elf::SHT_DYNSYM, dynstr, 1, 16));
        file.add(table(".rela.dyn", elf::SHT_RELA, dynstr + 1, 0, 12));
        file.add(table(".dynamic", elf::SHT_DYNAMIC, dynstr, 0, 8));
    }

    /// Puts the contents into the four sections.
    pub fn fill(self, file: &mut ElfBuilder) {
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
