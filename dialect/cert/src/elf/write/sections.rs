//! The sections of a file, in index order.

use object::elf;

use super::super::{LOAD_ALIGN, NOTE_NAME, NOTE_UID, SECTION_UID};
use super::tables::Dynamic;
use crate::image::{Image, PageImage, UcImage, ctrl_packet_symbol};
use crate::names::Target;
use crate::page::PAGE_BYTES;
use crate::patch::PatchKind;

pub(super) const FLAGS_TEXT: u64 = elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0;
pub(super) const FLAGS_DATA: u64 = elf::SHF_ALLOC.0 | elf::SHF_WRITE.0;

pub(super) struct Section {
    pub(super) name: String,
    pub(super) kind: elf::SectionType,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) entsize: u64,
    pub(super) link: u32,
    pub(super) info: u32,
    pub(super) data: Vec<u8>,
}

impl Section {
    pub(super) fn plain(name: &str, kind: elf::SectionType, align: u64, data: Vec<u8>) -> Self {
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

    pub(super) fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }
}

/// Sections in index order; index 0 is the null section.
pub(super) struct File {
    pub(super) sections: Vec<Section>,
}

impl File {
    pub(super) fn new() -> Self {
        let null = Section::plain("", elf::SHT_NULL, 0, Vec::new());
        Self {
            sections: vec![
                null,
                Section::plain(".shstrtab", elf::SHT_STRTAB, 1, Vec::new()),
            ],
        }
    }

    pub(super) fn add(&mut self, section: Section) -> usize {
        self.sections.push(section);
        self.sections.len() - 1
    }

    pub(super) fn add_loaded(&mut self, name: String, flags: u64, data: Vec<u8>) -> u32 {
        let section = Section::plain(&name, elf::SHT_PROGBITS, LOAD_ALIGN, data);
        self.add(Section { flags, ..section }) as u32
    }

    pub(super) fn add_image(
        &mut self,
        image: &Image,
        suffix: &str,
        merged: bool,
        dynamic: &mut Dynamic,
    ) {
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

    pub(super) fn add_pages(&mut self, uc: &UcImage, suffix: &str, dynamic: &mut Dynamic) {
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

    pub(super) fn add_merged_pages(&mut self, uc: &UcImage, suffix: &str, dynamic: &mut Dynamic) {
        let bytes: Vec<u8> = uc.pages.iter().flat_map(PageImage::bytes).collect();
        let section = self.add_loaded(format!(".ctrltext.{}{suffix}", uc.uc), FLAGS_TEXT, bytes);
        for (number, page) in uc.pages.iter().enumerate() {
            relocate_page(dynamic, section, page, (number * PAGE_BYTES) as u32);
        }
    }

    /// Makes the four dynamic sections, once, as soon as there is a relocation.
    pub(super) fn add_dynamic(&mut self, dynamic: &mut Dynamic) {
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

    pub(super) fn add_group(&mut self, suffix: &str, symtab: u32, symbol: u32, members: &[u32]) {
        let words = std::iter::once(elf::GRP_COMDAT.0).chain(members.iter().copied());
        let data = words.flat_map(u32::to_le_bytes).collect();
        self.add(Section {
            link: symtab,
            info: symbol,
            entsize: 4,
            ..Section::plain(&format!(".group{suffix}"), elf::SHT_GROUP, LOAD_ALIGN, data)
        });
    }

    pub(super) fn add_note(&mut self, section: &str, kind: u32, description: &[u8]) {
        let mut data = Vec::new();
        for word in [NOTE_NAME.len() as u32, description.len() as u32, kind] {
            data.extend_from_slice(&word.to_le_bytes());
        }
        data.extend_from_slice(NOTE_NAME);
        data.extend_from_slice(description);
        self.add(Section::plain(section, elf::SHT_NOTE, 1, data));
    }

    /// The note with the MD5 over all loaded sections.
    pub(super) fn add_uid(&mut self) {
        let mut context = md5::Context::new();
        for section in self.sections.iter().filter(|s| s.is_loaded()) {
            context.consume(&section.data);
        }
        let digest = context.finalize();
        self.add_note(SECTION_UID, NOTE_UID, &digest.0);
    }
}

pub(super) fn relocate_page(dynamic: &mut Dynamic, section: u32, page: &PageImage, base: u32) {
    for reloc in &page.relocs {
        let offset = base + u32::from(reloc.position);
        dynamic.relocate(section, &reloc.symbol, reloc.kind, offset);
    }
}
