//! String, symbol and relocation tables.

use std::collections::HashMap;

use object::elf;
use object::write::elf::{Encoder, Rel, Sym};

use super::super::MACHINE;
use super::sections::File;
use crate::patch::PatchKind;

pub(super) fn encoder() -> Encoder<object::LittleEndian> {
    Encoder::new(object::LittleEndian, false, elf::Machine(MACHINE))
}

/// A string table to which names are appended, never shared.
pub(super) struct Strings {
    pub(super) bytes: Vec<u8>,
}

impl Strings {
    pub(super) fn new() -> Self {
        Self { bytes: vec![0] }
    }

    pub(super) fn add(&mut self, text: &str) -> u32 {
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        at
    }
}

/// A symbol table that begins with the null symbol.
pub(super) struct Symbols {
    pub(super) strings: Strings,
    pub(super) table: Vec<u8>,
    pub(super) count: u32,
}

impl Symbols {
    pub(super) fn new() -> Self {
        let mut table = Vec::new();
        encoder().null_symbol(&mut table);
        Self {
            strings: Strings::new(),
            table,
            count: 1,
        }
    }

    pub(super) fn add(
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

/// Relocations of all instances and the symbols they name.
#[derive(Default)]
pub(super) struct Dynamic {
    pub(super) symbols: Option<Symbols>,
    /// Symbol number by section and name.
    pub(super) known: HashMap<(u32, String), u32>,
    pub(super) relocations: Vec<u8>,
    /// Index of `.dynstr`; the other three follow it.
    pub(super) first_section: Option<usize>,
}

impl Dynamic {
    pub(super) fn relocate(&mut self, section: u32, name: &str, kind: PatchKind, offset: u32) {
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
    pub(super) fn fill(self, file: &mut File) {
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
