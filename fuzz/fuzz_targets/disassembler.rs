//! Pages of any bytes: they come back from the disassembler's text as they were. The first byte
//! chooses the family, the second where the text section ends; every 8192 bytes are a page.
#![no_main]

use aiec_cert::names::Target;
use aiec_cert::page::{MAGIC, PAGE_BYTES};
use aiec_cert::pager::LayoutOptions;
use aiec_cert::patch::PatchKind;
use aiec_cert::program::{Program, RawPage, RawPatch};
use aiec_cert::{dis, elf, image};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&[choice, split, patch], bytes)) = input.split_first_chunk() else {
        return;
    };
    if bytes.len() > 2 * PAGE_BYTES {
        return;
    }
    let target = Target::ALL[usize::from(choice & 1)];
    let mut program = Program::new(target, 4);
    let main = program.group_mut(0).main_mut();
    for page in bytes.chunks(PAGE_BYTES) {
        let mut page = page.to_vec();
        page.resize(page.len().next_multiple_of(4).max(16), 0);
        page[..2].copy_from_slice(&MAGIC.to_le_bytes());
        let patches = PatchKind::from_number(u32::from(patch & 15)).map(|kind| RawPatch {
            position: u16::from(patch) * 4,
            kind,
            symbol: "3".to_owned(),
        });
        main.push_raw_page(RawPage {
            text_bytes: 16 + 4 * usize::from(split),
            patches: patches.into_iter().collect(),
            bytes: page,
        });
    }
    let image =
        image::assemble(&program, LayoutOptions::default()).expect("raw pages lie anywhere");
    if image.ucs.iter().all(|uc| uc.pages.is_empty()) {
        return;
    }
    let file = elf::write(&image, None).expect("the file is small");
    let options = dis::DisOptions {
        target: Some(target),
        ..dis::DisOptions::default()
    };
    let found = dis::disassemble(&file, &options).expect("our own file is read");
    assert_eq!(found.findings, []);
});
