//! The sections of control code: text and data of pages, scratch pads, control packet buffers.

use aiec_xrt_elf::{DynamicTables, ElfBuilder, FLAGS_DATA, FLAGS_TEXT, HostPatch};

use crate::image::{Image, PageImage, UcImage, ctrl_packet_symbol};
use crate::names::Target;
use crate::page::PAGE_BYTES;
use crate::patch::PatchKind;

/// Adds the sections of an image; `suffix` ends their names, `merged` puts all pages of a
/// controller into one section.
pub(super) fn add_image(
    file: &mut ElfBuilder,
    image: &Image,
    suffix: &str,
    merged: bool,
    dynamic: &mut DynamicTables,
) {
    for uc in &image.ucs {
        if merged {
            add_merged_pages(file, uc, suffix, dynamic);
        } else {
            add_pages(file, uc, suffix, dynamic);
        }
        if !uc.pad.is_empty() {
            file.add_loaded(
                format!(".pad.{}{suffix}", uc.uc),
                FLAGS_DATA,
                uc.pad.clone(),
            );
        }
        for buffer in &image.ctrl_packets {
            let name = format!("{}{suffix}", ctrl_packet_symbol(buffer.id));
            let section = file.add_loaded(name, FLAGS_DATA, buffer.bytes.clone());
            let kind = match image.target {
                Target::Aie2ps => PatchKind::CtrlPacket57,
                Target::Aie4 => PatchKind::CtrlPacket57Aie4,
            };
            for patch in &buffer.patches {
                let symbol = patch.argument.to_string();
                relocate(dynamic, section, &symbol, kind, patch.offset);
            }
        }
    }
}

fn add_pages(file: &mut ElfBuilder, uc: &UcImage, suffix: &str, dynamic: &mut DynamicTables) {
    for (number, page) in uc.pages.iter().enumerate() {
        let name = format!(".ctrltext.{}.{number}{suffix}", uc.uc);
        let section = file.add_loaded(name, FLAGS_TEXT, page.text.clone());
        let mut data = page.data.clone();
        data.resize(PAGE_BYTES.saturating_sub(page.text.len()), 0);
        if !data.is_empty() {
            let name = format!(".ctrldata.{}.{number}{suffix}", uc.uc);
            file.add_loaded(name, FLAGS_DATA, data);
        }
        relocate_page(dynamic, section, page, 0);
    }
}

fn add_merged_pages(
    file: &mut ElfBuilder,
    uc: &UcImage,
    suffix: &str,
    dynamic: &mut DynamicTables,
) {
    let bytes: Vec<u8> = uc.pages.iter().flat_map(PageImage::bytes).collect();
    let section = file.add_loaded(format!(".ctrltext.{}{suffix}", uc.uc), FLAGS_TEXT, bytes);
    for (number, page) in uc.pages.iter().enumerate() {
        relocate_page(dynamic, section, page, (number * PAGE_BYTES) as u32);
    }
}

fn relocate_page(dynamic: &mut DynamicTables, section: u32, page: &PageImage, base: u32) {
    for reloc in &page.relocs {
        let offset = base + u32::from(reloc.position);
        relocate(dynamic, section, &reloc.symbol, reloc.kind, offset);
    }
}

fn relocate(dynamic: &mut DynamicTables, section: u32, symbol: &str, kind: PatchKind, offset: u32) {
    dynamic.relocate(HostPatch {
        section,
        symbol,
        symbol_size: 0,
        kind: kind.number(),
        offset,
        addend: 0,
    });
}
