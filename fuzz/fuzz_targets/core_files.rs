//! Texts and files of machine code: the assembler, the ELF reader, the linker and the listing never
//! panic, and take no more memory than a core's program and data can.
#![no_main]

use aiec_core::link::{LinkOptions, link};
use aiec_core::{CoreArch, asm, elf, listing};
use aiec_diag::FileId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(program) = elf::read_program(bytes) {
        let _ = listing(&program);
        let _ = program.locate(program.entry);
    }
    let object = match elf::read_object("", bytes) {
        Ok(object) => Ok(object),
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            asm::assemble(CoreArch::Aie2, "", FileId(0), &text)
        }
    };
    if let Ok(object) = object
        && let Ok(program) = link(&[object], &LinkOptions::default())
    {
        let _ = elf::read_program(&elf::write_program(&program)).expect("a program");
    }
});
