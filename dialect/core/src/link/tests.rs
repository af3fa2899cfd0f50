//! The linker and ELF files: what is linked is what runs.

use aiec_diag::FileId;

use super::*;
use crate::arch::CoreArch;
use crate::asm::assemble;
use crate::elf::{read_object, read_program, write_object, write_program};
use crate::isa::CoreIsa;
use crate::program::CoreProgram;

fn object(arch: CoreArch, name: &str, text: &str) -> CoreObject {
    match assemble(arch, name, FileId(0), text) {
        Ok(object) => object,
        Err(findings) => panic!("{:?}", findings[0].message),
    }
}

/// The text of a program's bundles with their addresses.
fn listing(program: &CoreProgram) -> Vec<String> {
    let isa = CoreIsa::of(program.arch);
    let code = program.code();
    let mut lines = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let bundle = isa.decode(&code[at..]).expect("a bundle");
        lines.push(format!("{at:#x} {}", isa.bundle_text(&bundle)));
        at += usize::from(bundle.length);
    }
    lines
}

const MAIN: &str = "
    .globl main
main:
    movxm p0, #table + 4
    lda r0, [p0, #0]
    movxm p1, #buffer
    jl #scale
    nop
    nop
    nop
    nop
    nopx
    ret lr
    nop
    nop
    nop
    nop
    nop
    .section .rodata
table: .word 7, buffer
";

const SCALE: &str = "
    .globl scale
    .type scale, @function
scale:
    ret lr
    nop
    nop
    nop
    nop
    nop
    .data
counter: .word 1
";

#[test]
fn objects_are_linked_with_start_up_code_first() {
    for arch in CoreArch::ALL {
        let objects = [object(arch, "main.s", MAIN), object(arch, "scale.s", SCALE)];
        let options = LinkOptions {
            symbols: vec![("buffer".to_owned(), 0x7_8000)],
            ..LinkOptions::default()
        };
        let program = link(&objects, &options).expect("linked");
        let lines = listing(&program);
        assert_eq!(program.entry, 0);
        assert_eq!(lines[0], format!("0x0 movxm sp, #{}", OWN_DATA_MEMORY));
        let main = program.address_of("main").expect("main");
        let scale = program.address_of("scale").expect("scale");
        assert_eq!((main % 16, scale % 16), (0, 0));
        let calls: Vec<_> = lines.iter().filter(|line| line.contains("jl #")).collect();
        assert!(calls[0].ends_with(&format!("jl #{main}")), "{calls:?}");
        assert!(calls[1].ends_with(&format!("jl #{scale}")), "{calls:?}");
        let done = lines
            .iter()
            .find(|line| line.ends_with("done"))
            .expect("done");
        assert!(
            done.starts_with("0x20 "),
            "the call returns to a multiple of 16: {done}"
        );
        let table = program.address_of("table").expect("table");
        assert!(lines.contains(&format!("{main:#x} movxm p0, #{}", table + 4)));
        let constants = &program.sections[1];
        assert_eq!(constants.address, OWN_DATA_MEMORY + DEFAULT_STACK_BYTES);
        assert_eq!(constants.bytes[4..8], 0x7_8000u32.to_le_bytes());
    }
}

#[test]
fn files_hold_what_was_written() {
    for arch in CoreArch::ALL {
        let objects = [object(arch, "main.s", MAIN), object(arch, "scale.s", SCALE)];
        let again: Vec<_> = objects
            .iter()
            .map(|object| read_object(&object.name, &write_object(object)).expect("an object"))
            .collect();
        let options = LinkOptions {
            symbols: vec![("buffer".to_owned(), 0x7_8000)],
            ..LinkOptions::default()
        };
        let program = link(&objects, &options).expect("linked");
        let from_files = link(&again, &options).expect("linked");
        assert_eq!(program.code(), from_files.code());
        let read = read_program(&write_program(&program)).expect("a program");
        assert_eq!(read.code(), program.code());
        assert_eq!(read.arch, arch);
        assert_eq!(read.address_of("scale"), program.address_of("scale"));
        let loaded = program.sections.len();
        assert_eq!(read.sections[..loaded], program.sections[..]);
    }
}

#[test]
fn addresses_have_functions_and_lines() {
    let objects = [
        object(CoreArch::Aie2, "main.s", MAIN),
        object(CoreArch::Aie2, "scale.s", SCALE),
    ];
    let options = LinkOptions {
        symbols: vec![("buffer".to_owned(), 0x7_8000)],
        ..LinkOptions::default()
    };
    let linked = link(&objects, &options).expect("linked");
    let read = read_program(&write_program(&linked)).expect("a program");
    for program in [&linked, &read] {
        let main = program.address_of("main").expect("main");
        let location = program.locate(main + 6);
        assert_eq!(location.function.as_deref(), Some("main"));
        assert_eq!(location.offset, 6);
        assert_eq!(location.file.as_deref(), Some("main.s"));
        assert_eq!(location.line, Some(5));
        let scale = program.address_of("scale").expect("scale");
        assert_eq!(program.address_of_line("scale.s", 5), Some(scale));
        assert_eq!(program.locate(2).function.as_deref(), Some("__start"));
        assert_eq!(program.locate(2).line, None);
    }
    assert_eq!(linked.lines, read.lines);
}

/// Code and message of the first finding.
fn refused(objects: &[CoreObject], options: &LinkOptions) -> String {
    let findings = link(objects, options).expect_err("wrong");
    assert!(findings[0].help.is_some());
    format!("{} {}", findings[0].code.id, findings[0].message)
}

#[test]
fn what_can_not_be_linked_is_refused() {
    let arch = CoreArch::Aie2;
    let options = LinkOptions::default();
    let main = object(arch, "main.s", MAIN);
    let scale = object(arch, "scale.s", SCALE);
    assert_eq!(
        refused(&[main.clone(), scale.clone()], &options),
        "core-link::undefined `buffer` is not defined; main.s uses it"
    );
    assert_eq!(
        refused(&[scale.clone(), scale.clone()], &options),
        "core-link::duplicate `scale` is defined by scale.s and by scale.s"
    );
    let newer = object(CoreArch::Aie2p, "newer.s", SCALE);
    assert!(refused(&[scale, newer], &options).starts_with("core-link::mixed-architectures"));
    let large = object(arch, "large.s", ".bss\n.space 0x10000");
    assert!(refused(&[large], &options).starts_with("core-link::no-room .bss needs 65536 bytes"));
    let near = object(arch, "near.s", "mova r0, #far\n.data\nfar: .word 1");
    let message = refused(&[near], &options);
    assert!(message.starts_with("core-link::relocation"), "{message}");
}

/// An archive of objects.
fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let name = format!("{name}/");
        let header = format!(
            "{name:<16}0           0     0     644     {:<10}`\n",
            data.len()
        );
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        if data.len() % 2 != 0 {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[test]
fn members_of_archives_are_linked_that_are_needed() {
    let text = |name: &str, calls: &str| {
        format!(".globl {name}\n{name}:\n jl #{calls}\n nop\n nop\n nop\n nop\n nop\n")
    };
    let member = |name: &str, calls: &str| {
        let object = object(CoreArch::Aie2, name, &text(name, calls));
        (format!("{name}.o"), write_object(&object))
    };
    let members = [
        member("third", "third"),
        member("unused", "nowhere"),
        member("second", "third"),
    ];
    let members: Vec<(&str, Vec<u8>)> = members
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.clone()))
        .collect();
    let bytes = archive(&members);
    assert!(crate::elf::is_archive(&bytes));
    let members = crate::elf::read_archive("lib.a", &bytes).unwrap();
    assert_eq!(members[1].name, "lib.a(unused.o)");
    let mut objects = vec![object(CoreArch::Aie2, "main.s", &text("main", "second"))];
    add_members(&mut objects, members);
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["main.s", "lib.a(second.o)", "lib.a(third.o)"]);
    assert!(link(&objects, &LinkOptions::default()).is_ok());
    for length in 0..bytes.len() {
        let _ = crate::elf::read_archive("lib.a", &bytes[..length]);
    }
    assert!(crate::elf::read_archive("thin.a", b"!<thin>\n").is_err());
}
