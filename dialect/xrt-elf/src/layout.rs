//! Headers, file offsets and the bytes of the file.

use aiec_diag::Diag;
use object::elf;
use object::write::elf::{FileHeader, FileHeaderLayout, ProgramHeader, SectionHeader};

use crate::builder::{ElfBuilder, FLAGS_TEXT, Section};
use crate::tables::{StringTable, encoder};
use crate::{FILE_LIMIT, LOAD_ALIGN, MACHINE, MAX_SECTIONS};

impl ElfBuilder {
    /// Lays the file out.
    ///
    /// # Errors
    /// The format can't count its sections or bytes, or a name holds a NUL byte.
    pub fn finish(mut self, os_abi: u8, abi_version: u8) -> Result<Vec<u8>, Diag> {
        if self.sections.len() > MAX_SECTIONS {
            let message = format!(
                "the file needs {} sections, an ELF file holds {MAX_SECTIONS}",
                self.sections.len()
            );
            return Err(Diag::error(&FILE_LIMIT, message));
        }
        let mut names = StringTable::new();
        let mut name_offsets = vec![0];
        for section in &self.sections[1..] {
            if section.name.contains('\0') {
                let message = "a name contains a NUL byte";
                return Err(Diag::error(&FILE_LIMIT, message));
            }
            name_offsets.push(names.add(&section.name));
        }
        self.sections[1].data = names.bytes;
        let layout = Layout::new(&self.sections);
        u32::try_from(layout.end)
            .map_err(|_| Diag::error(&FILE_LIMIT, "the file does not fit 32-bit offsets"))?;
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
            out.resize(layout.positions[i].offset as usize, 0);
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
                    sh_addr: layout.positions[i].address,
                    sh_offset: layout.positions[i].offset,
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
                    p_offset: layout.positions[i].offset,
                    p_vaddr: layout.positions[i].address,
                    p_paddr: 0,
                    p_filesz: section.data.len() as u64,
                    p_memsz: section.data.len() as u64,
                    p_align: LOAD_ALIGN,
                },
            );
        }
    }
}

#[derive(Clone, Copy, Default)]
struct SectionPosition {
    address: u64,
    offset: u64,
}

/// File offsets: headers, loaded sections in order, the others in order, section headers.
struct Layout {
    positions: Vec<SectionPosition>,
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
        let mut positions = vec![SectionPosition::default(); sections.len()];
        for &i in &loaded {
            let size = sections[i].data.len() as u64;
            offset = offset.next_multiple_of(LOAD_ALIGN);
            address = address.next_multiple_of(LOAD_ALIGN);
            positions[i] = SectionPosition { address, offset };
            offset += size;
            address += size;
        }
        for &i in &others {
            offset = offset.next_multiple_of(sections[i].align.max(1));
            positions[i] = SectionPosition { address: 0, offset };
            offset += sections[i].data.len() as u64;
        }
        // the vendor's writer always moves on, also from a multiple
        let section_table = (offset / LOAD_ALIGN + 1) * LOAD_ALIGN;
        let end = section_table + sections.len() as u64 * encoder.section_header_size();
        let order = loaded.into_iter().chain(others).collect();
        Self {
            positions,
            order,
            segments,
            section_table,
            end,
        }
    }
}
