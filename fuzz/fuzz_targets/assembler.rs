//! Assembly text: no text makes the assembler panic, and what it takes comes back from the
//! disassembler. The first byte chooses the family and whether quirks are taken.
#![no_main]

use aiec_cert::asm::{self, AsmOptions, NoFiles};
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::{dis, elf, image, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else {
        return;
    };
    let target = Target::ALL[usize::from(choice & 1)];
    let compat = choice & 2 != 0;
    // pads of megabytes are legal and slow
    if text.windows(7).any(|w| w.eq_ignore_ascii_case(b".setpad")) {
        return;
    }
    let assembled = asm::parse("a.asm", text, &NoFiles, AsmOptions { target, compat });
    let Ok(program) = assembled.program else {
        return;
    };
    let _ = print::print(&program);
    let Ok(image) = image::assemble(&program, LayoutOptions { compat }) else {
        return;
    };
    if image.ucs.is_empty() {
        return;
    }
    let Ok(bytes) = elf::write(&image, None) else {
        return;
    };
    let options = dis::DisOptions {
        target: Some(target),
        ..dis::DisOptions::default()
    };
    let found = dis::disassemble(&bytes, &options).expect("our own file is read");
    assert_eq!(found.findings, []);
});
