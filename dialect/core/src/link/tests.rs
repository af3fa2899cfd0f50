//! The linker and ELF files: what is linked is what runs.

use aiec_diag::{FileId, Span};

use super::*;
use crate::arch::CoreArch;
use crate::asm::assemble;
use crate::elf::{read_object, read_program, write_object, write_program};
use crate::isa::CoreIsa;
use crate::object::{Binding, ObjectRelocation, Section, SectionKind, Symbol, SymbolPlace};
use crate::program::CoreProgram;

pub(super) fn object(arch: CoreArch, name: &str, text: &str) -> CoreObject {
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
        let location = program.locate(scale);
        assert_eq!(location.file.as_deref(), Some("scale.s"));
        assert_eq!(location.line, Some(5));
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
pub(super) fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
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
    let given = [("second".to_owned(), 0x100)];
    add_members(&mut objects, &members, &given);
    assert_eq!(objects.len(), 1, "an address is given to it");
    add_members(&mut objects, &members, &[]);
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["main.s", "lib.a(second.o)", "lib.a(third.o)"]);
    assert!(link(&objects, &LinkOptions::default()).is_ok());
    for length in 0..bytes.len() {
        let _ = crate::elf::read_archive("lib.a", &bytes[..length]);
    }
    assert!(crate::elf::read_archive("thin.a", b"!<thin>\n").is_err());
}

/// All findings: code and message.
pub(super) fn findings(objects: &[CoreObject], options: &LinkOptions) -> Vec<String> {
    let findings = link(objects, options).expect_err("wrong");
    assert!(findings.iter().all(|finding| finding.help.is_some()));
    let texts = findings.iter();
    let texts = texts.map(|finding| format!("{} {}", finding.code.id, finding.message));
    texts.collect()
}

/// A function that calls others, then returns.
pub(super) fn function(name: &str, calls: &[&str]) -> String {
    let delay = "nop\n".repeat(5);
    let calls: String = calls
        .iter()
        .map(|callee| format!("jl #{callee}\n{delay}"))
        .collect();
    format!(
        ".section .text.{name}\n.globl {name}\n.type {name}, @function\n{name}:\n{calls}ret lr\n{delay}"
    )
}

#[test]
fn addresses_go_where_the_assembler_puts_numbers() {
    let lines = [
        "movxm p0, #AT",
        "movxm r1, #AT",
        "jl #AT\n nop\n nop\n nop\n nop\n nop",
        "j #AT\n nop\n nop\n nop\n nop\n nop",
        "jnz r0, #AT\n nop\n nop\n nop\n nop\n nop",
        "movxm ls, #AT",
        "movxm le, #AT",
        "movxm p1, #AT; lda r0, [p2, #0]",
        "movxm p1, #AT; nopa; nopb; nops; nopv",
    ];
    for arch in CoreArch::ALL {
        for line in lines {
            for address in [0u32, 0x10, 0x3FF0, 0x7_1230, 0xF_FFF0] {
                let named = object(arch, "named.s", &line.replace("AT", "far"));
                let number = object(arch, "number.s", &line.replace("AT", &address.to_string()));
                let options = LinkOptions {
                    symbols: vec![("far".to_owned(), address)],
                    ..LinkOptions::default()
                };
                let code = |object: CoreObject| link(&[object], &options).map(|p| p.code());
                let expected = code(number).expect("linked");
                assert_eq!(code(named), Ok(expected), "{arch} {line} {address:#x}");
            }
        }
    }
}

#[test]
fn every_relocation_fits_up_to_its_range() {
    for arch in CoreArch::ALL {
        for row in &CoreIsa::of(arch).relocations {
            let mut patched = object(arch, "patched.o", ".data\n.space 16");
            patched.symbols = vec![Symbol {
                name: String::new(),
                place: SymbolPlace::Undefined,
                size: 0,
                binding: Binding::Local,
                is_function: false,
            }];
            let section = patched
                .sections
                .iter()
                .position(|section| section.size == 16)
                .expect("the data");
            let width: u32 = row
                .segments
                .iter()
                .map(|(_, _, width)| u32::from(*width))
                .sum();
            let patch_with = |addend: i64, number: u32| {
                let mut object = patched.clone();
                object.sections[section].relocations = vec![ObjectRelocation {
                    offset: 0,
                    number,
                    symbol: 0,
                    addend,
                }];
                link(&[object], &LinkOptions::default())
            };
            let place = i64::from(OWN_DATA_MEMORY + DEFAULT_STACK_BYTES);
            let start = if row.pc_relative { place } else { 0 };
            let fits = |value: i64| patch_with(start + value, row.number).is_ok();
            // the greatest number that a field with all value bits set holds
            let bits = row.segments.iter().map(|(_, lsb, width)| lsb + width).max();
            let greatest = (1i64 << bits.expect("a field")) - 1;
            assert!(fits(0), "{arch} {row:?}");
            assert!(!fits(greatest + 1) || width == 32, "{arch} {row:?}");
            assert!(!fits(-(greatest + 2)), "{arch} {row:?}");
            let program = patch_with(start, row.number).expect("linked");
            assert!(program.sections[0].bytes.iter().all(|byte| *byte == 0));
            if let Ok(program) = patch_with(start + 1, row.number) {
                let set: u32 = program.sections[0]
                    .bytes
                    .iter()
                    .map(|byte| byte.count_ones())
                    .sum();
                let has_lowest = row.segments.iter().any(|(_, lsb, _)| *lsb == 0);
                assert_eq!(set, u32::from(has_lowest), "{arch} {row:?}");
            }
        }
        let unknown = object(arch, "unknown.o", ".data\n.word far");
        let options = LinkOptions {
            symbols: vec![("far".to_owned(), 4)],
            ..LinkOptions::default()
        };
        let wrong = |change: &dyn Fn(&mut ObjectRelocation)| {
            let mut object = unknown.clone();
            let sections = object.sections.iter_mut();
            sections
                .flat_map(|section| &mut section.relocations)
                .for_each(change);
            findings(&[object], &options)
        };
        assert_eq!(
            wrong(&|relocation| relocation.number = 999),
            [format!(
                "core-link::relocation unknown.o: .data at 0x0: `far`: type 999 isn't a relocation of {arch}"
            )]
        );
        assert_eq!(
            wrong(&|relocation| relocation.offset = u32::MAX),
            [
                "core-link::relocation unknown.o: .data at 0xffffffff: `far`: the bytes to patch are outside of the section"
            ]
        );
    }
}

#[test]
fn sections_that_nothing_reaches_are_left_out() {
    for arch in CoreArch::ALL {
        let body = function("core_0_2", &["used"]);
        let kernel = [
            function("used", &["helper"]),
            function("unused", &["nowhere"]),
            function("helper", &[]),
            ".data\nkept: .word 1\n".to_owned(),
            ".section .data.other\nother: .word kept, 2\n".to_owned(),
        ];
        let objects = [
            object(arch, "core_0_2.o", &body),
            object(arch, "kernel.o", &kernel.concat()),
        ];
        let options = LinkOptions {
            main: Some("core_0_2".to_owned()),
            drop_unreached: true,
            ..LinkOptions::default()
        };
        let program = link(&objects, &options).expect("linked");
        let names: Vec<&str> = program
            .functions()
            .map(|function| &*function.name)
            .collect();
        assert_eq!(names, ["__start", "core_0_2", "used", "helper"]);
        assert!(
            program
                .sections
                .iter()
                .all(|section| section.kind == SectionKind::Code)
        );
        let call = format!("jl #{}", program.address_of("core_0_2").expect("the body"));
        assert!(listing(&program).iter().any(|line| line.ends_with(&call)));
        let last = program.address_of("helper").expect("a function");
        assert_eq!(program.locate(last).line, Some(37));

        // debug information of a symbol without an address
        let mut described = objects.clone();
        let unused = described[1].symbols.iter().position(|s| s.name == "unused");
        let mut rows = CoreIsa::of(arch).relocations.iter();
        let word = rows.find(|row| !row.is_in_bundle());
        let address = ObjectRelocation {
            offset: 4,
            number: word.expect("words").number,
            symbol: unused.expect("a symbol"),
            addend: 8,
        };
        for name in [".debug_info", ".debug_ranges"] {
            let mut section = Section::new(name, SectionKind::Unloaded);
            (section.size, section.bytes) = (8, vec![0; 8]);
            section.relocations.push(address.clone());
            described[1].sections.push(section);
        }
        let program = link(&described, &options).expect("linked");
        let words = program.sections.iter().rev().take(2);
        let words: Vec<&[u8]> = words.map(|section| &section.bytes[4..8]).collect();
        assert_eq!(words, [[0xFE, 0xFF, 0xFF, 0xFF], [0xFF; 4]]);

        // all that is there needs what `unused` calls
        let all = LinkOptions {
            drop_unreached: false,
            ..options.clone()
        };
        assert_eq!(
            findings(&objects, &all),
            ["core-link::undefined `nowhere` is not defined; kernel.o uses it"]
        );
        let without = LinkOptions {
            main: Some("core_0_3".to_owned()),
            ..options
        };
        assert!(findings(&objects, &without).contains(
            &"core-link::undefined `core_0_3` is not defined; start-up code uses it".to_owned()
        ));
    }
}

#[test]
fn findings_come_together_and_refer_to_the_design() {
    let arch = CoreArch::Aie2p;
    let span = Span::new(FileId(0), 3, 9);
    let options = LinkOptions {
        main: Some("body".to_owned()),
        drop_unreached: true,
        symbols: vec![("buffer".to_owned(), 0x7_2000)],
        symbol_spans: vec![("missing".to_owned(), span), ("buffer".to_owned(), span)],
        ..LinkOptions::default()
    };
    let objects = [
        object(arch, "body.o", &function("body", &["missing", "twice"])),
        object(arch, "a.o", &function("twice", &[])),
        object(arch, "b.o", &function("twice", &[])),
        object(arch, "c.o", ".data\n.globl buffer\nbuffer: .word 0\n"),
        object(arch, "d.o", ".section .init_array\n.word 16\n"),
    ];
    assert_eq!(
        findings(&objects, &options),
        [
            "core-link::constructors d.o has constructors, which nothing runs",
            "core-link::duplicate `twice` is defined by a.o and by b.o",
            "core-link::duplicate `buffer` is to lie at 0x72000, but c.o defines it",
            "core-link::undefined `missing` is not defined; body.o uses it",
        ]
    );
    let diags = link(&objects, &options).expect_err("wrong");
    assert_eq!((diags[2].span(), diags[3].span()), (Some(span), Some(span)));

    // weak definitions give way
    let weak = |text: String| object(arch, "weak.o", &text.replace(".globl", ".weak"));
    let objects = [
        object(arch, "body.o", &function("body", &["twice"])),
        weak(function("twice", &["body"])),
        object(arch, "strong.o", &function("twice", &[])),
        weak(function("twice", &["nowhere"])),
    ];
    let program = link(&objects, &options).expect("linked");
    assert_eq!(program.functions().filter(|f| f.name == "twice").count(), 1);
}

#[test]
fn what_does_not_fit_names_the_files_that_need_most() {
    for arch in CoreArch::ALL {
        let large = |name: &str, bytes: u32| object(arch, name, &format!(".space {bytes}"));
        let objects = [
            large("a.o", 0x1000),
            large("b.o", 0x3000),
            large("c.o", 0x20),
        ];
        let diags = link(&objects, &LinkOptions::default()).expect_err("too large");
        assert_eq!(
            diags[0].message,
            ".text needs 16416 bytes from 0x0 on, memory ends at 0x4000"
        );
        assert_eq!(
            diags[0].notes,
            [
                "b.o needs 12288 bytes of it",
                "a.o needs 4096 bytes of it",
                "c.o needs 32 bytes of it"
            ]
        );
        let data = object(arch, "data.o", ".data\n.space 0xFC01");
        let diags = link(&[data], &LinkOptions::default()).expect_err("too large");
        assert_eq!(diags[0].code.id, "core-link::no-room");
        assert_eq!(diags[0].notes, ["data.o needs 64513 bytes of it"]);
    }
}
