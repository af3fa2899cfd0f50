//! Objects as compilers write them: common and weak symbols, a section for each function, archives with
//! an index of their symbols.

use object::LittleEndian;
use object::elf::{FileHeader32, SHN_COMMON, SHT_SYMTAB};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use super::tests::{archive, findings, function, object};
use super::*;
use crate::arch::CoreArch;
use crate::elf::{read_archive, read_object, write_object};
use crate::object::SectionKind;

/// Byte offsets in a symbol of ELF32, and its length.
const VALUE: usize = 4;
const SECTION: usize = 14;
const SYMBOL_BYTES: usize = 16;

/// The file of an object whose symbol of a name becomes a common one of an alignment.
fn with_common(mut bytes: Vec<u8>, name: &str, align: u32) -> Vec<u8> {
    let header = FileHeader32::<LittleEndian>::parse(&*bytes).unwrap();
    let sections = header.sections(LittleEndian, &*bytes).unwrap();
    let symbols = sections.symbols(LittleEndian, &*bytes, SHT_SYMTAB).unwrap();
    let (index, _) = symbols
        .enumerate()
        .find(|(_, symbol)| symbol.name(LittleEndian, symbols.strings()) == Ok(name.as_bytes()))
        .unwrap();
    let table = sections.section(symbols.section()).unwrap();
    let at = table.sh_offset(LittleEndian) as usize + SYMBOL_BYTES * index.0;
    bytes[at + VALUE..][..4].copy_from_slice(&align.to_le_bytes());
    bytes[at + SECTION..][..2].copy_from_slice(&SHN_COMMON.0.to_le_bytes());
    bytes
}

/// An object with a tentative definition, as C has it: `int name[bytes / 4];`
fn tentative(arch: CoreArch, file: &str, name: &str, bytes: u32, align: u32) -> CoreObject {
    let text = format!(
        "{}.bss\n.globl {name}\n.type {name}, @object\n.size {name}, {bytes}\n{name}: .space \
         {bytes}\n.text\nmovxm p0, #{name}\n",
        function(&format!("use_{file}"), &[])
    );
    let bytes = write_object(&object(arch, file, &text));
    read_object(file, &with_common(bytes, name, align)).unwrap()
}

fn main_calling(arch: CoreArch, callees: &[&str]) -> CoreObject {
    object(arch, "main.o", &function("main", callees))
}

#[test]
fn common_symbols_are_one_and_as_large_as_the_largest() {
    for arch in CoreArch::ALL {
        let objects = [
            main_calling(arch, &["use_a", "use_b"]),
            tentative(arch, "a", "shared", 8, 4),
            tentative(arch, "b", "shared", 40, 32),
            tentative(arch, "c", "shared", 16, 64),
        ];
        let program = link(&objects, &LinkOptions::default()).expect("linked");
        let shared = program.symbols.iter().filter(|s| s.name == "shared");
        let shared: Vec<_> = shared.collect();
        assert!(shared.iter().all(|symbol| symbol.size == 40), "{shared:?}");
        let address = program.address_of("shared").expect("an address");
        assert_eq!(address % 64, 0);
        let zeros = program.sections.iter();
        let zeros = zeros.filter(|section| section.kind == SectionKind::Zeros);
        let ends: Vec<u32> = zeros.map(|s| s.address + s.size).collect();
        assert!(ends.iter().any(|end| *end >= address + 40), "{ends:?}");
    }
}

#[test]
fn definitions_replace_common_and_weak_symbols() {
    let arch = CoreArch::Aie2;
    let defined = object(
        arch,
        "defined",
        ".data\n.globl shared\nshared: .word 7, 8\n.text\nnop\n",
    );
    let weak = object(
        arch,
        "weak",
        ".data\n.weak shared\nshared: .word 9\n.text\nnop\n",
    );
    let common = tentative(arch, "a", "shared", 8, 4);
    let main = main_calling(arch, &["use_a"]);
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let three = [&defined, &weak, &common];
        let mut objects = vec![main.clone()];
        objects.extend(order.iter().map(|at| three[*at].clone()));
        let program = link(&objects, &LinkOptions::default()).expect("linked");
        let address = program.address_of("shared").expect("an address");
        let section = program
            .sections
            .iter()
            .find(|s| s.kind == SectionKind::Data)
            .expect(".data");
        let at = (address - section.address) as usize;
        assert_eq!(section.bytes[at..at + 4], [7, 0, 0, 0], "{order:?}");
    }
    let objects = [main.clone(), common.clone(), weak.clone()];
    let program = link(&objects, &LinkOptions::default()).expect("linked");
    let shared = program.symbols.iter().find(|s| s.name == "shared");
    let section = shared.and_then(|symbol| symbol.section).expect("a section");
    assert_eq!(program.sections[section].kind, SectionKind::Zeros);
    let twice = findings(&[main, defined.clone(), defined], &LinkOptions::default());
    assert!(
        twice[0].contains("`shared` is defined by defined"),
        "{twice:?}"
    );
}

#[test]
fn common_symbols_of_impossible_sizes_are_refused() {
    let text = ".bss\n.globl huge\n.size huge, 0x7fffffff\nhuge: .space 4\n";
    let bytes = write_object(&object(CoreArch::Aie2, "huge", text));
    let huge = read_object("huge", &with_common(bytes.clone(), "huge", 4));
    assert!(
        huge.unwrap_err()
            .message
            .contains("huge has 2147483647 bytes")
    );
    let text = text.replace("0x7fffffff", "4");
    let bytes = write_object(&object(CoreArch::Aie2, "odd", &text));
    let odd = read_object("odd", &with_common(bytes, "huge", 12));
    assert!(odd.unwrap_err().message.contains("aligned to 12"));
}

#[test]
fn weak_functions_without_a_definition_are_0() {
    for arch in CoreArch::ALL {
        let text = format!(".weak hook\n{}", function("main", &["hook"]));
        let program = link(&[object(arch, "main.o", &text)], &LinkOptions::default());
        let program = program.expect("linked");
        let main = program.address_of("main").expect("main") as usize;
        let isa = crate::isa::CoreIsa::of(arch);
        let call = isa.decode(&program.code()[main..]).expect("a bundle");
        assert!(isa.bundle_text(&call).ends_with("jl #0"), "{arch}");
    }
}

#[test]
fn only_functions_in_use_stay_of_files_with_a_section_for_each() {
    for arch in CoreArch::ALL {
        let all = ["used", "unused", "through"]
            .map(|name| match name {
                "used" => function(name, &["through"]),
                _ => function(name, &[]),
            })
            .concat();
        let bytes = write_object(&object(arch, "all.o", &all));
        let compiled = read_object("all.o", &bytes).unwrap();
        let names: Vec<_> = compiled.sections.iter().map(|s| &*s.name).collect();
        assert!(names.contains(&".text.unused"), "{names:?}");
        let options = LinkOptions {
            drop_unreached: true,
            ..LinkOptions::default()
        };
        let program = link(&[main_calling(arch, &["used"]), compiled], &options).unwrap();
        let has = |name| program.address_of(name).is_some();
        assert_eq!(
            [has("used"), has("through"), has("unused")],
            [true, true, false]
        );
    }
}

/// The index of an archive's symbols, as `ranlib` makes it: offsets of members and names, most significant
/// byte first.
fn index_of(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let names: Vec<&str> = members
        .iter()
        .map(|(name, _)| name.trim_end_matches(".o"))
        .collect();
    let length = 4 + 4 * names.len() + names.iter().map(|name| name.len() + 1).sum::<usize>();
    let mut at = 8 + 60 + length.next_multiple_of(2);
    let mut index = (names.len() as u32).to_be_bytes().to_vec();
    for (_, data) in members {
        index.extend((at as u32).to_be_bytes());
        at += 60 + data.len().next_multiple_of(2);
    }
    for name in names {
        index.extend(name.as_bytes());
        index.push(0);
    }
    index
}

#[test]
fn archives_may_have_an_index_of_their_symbols() {
    let arch = CoreArch::Aie2p;
    let member = |name: &'static str, calls: &[&str]| {
        let object = object(arch, name, &function(name.trim_end_matches(".o"), calls));
        (name, write_object(&object))
    };
    let members = [
        member("first.o", &["second"]),
        member("unused.o", &[]),
        member("second.o", &[]),
    ];
    let mut indexed = vec![("", index_of(&members))];
    indexed.extend(members.iter().cloned());
    let linked = |bytes: &[u8]| {
        let members = read_archive("lib.a", bytes).expect("an archive");
        let mut objects = vec![main_calling(arch, &["first"])];
        add_members(&mut objects, &members, &[]);
        assert_eq!(objects.len(), 3);
        link(&objects, &LinkOptions::default())
            .expect("linked")
            .code()
    };
    let plain = archive(&members);
    let indexed = archive(&indexed);
    assert_eq!(indexed[8], b'/');
    assert_eq!(linked(&indexed), linked(&plain));
}
