//! Files of any bytes: the reader, that of control bodies, the page decoder and the disassembler never panic.
#![no_main]

use aiec_cert::probes::ControlBody;
use aiec_cert::{dis, elf, page};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(body) = ControlBody::read(bytes) {
        let again = ControlBody::read(&body.to_bytes());
        assert_eq!(again.ok(), Some(body));
    }
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
