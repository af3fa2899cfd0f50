//! Files of any bytes: the reader, the page decoder and the disassembler never panic.
#![no_main]

use aiec_cert::{dis, elf, page};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = elf::read(bytes) else {
        return;
    };
    for page in file
        .instances
        .iter()
        .flat_map(|i| &i.ucs)
        .flat_map(|uc| &uc.pages)
    {
        let _ = page::decode_page(page);
    }
    let _ = dis::of_file(bytes, file, &dis::DisOptions::default());
});
