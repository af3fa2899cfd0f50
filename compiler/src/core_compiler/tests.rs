//! Linking of a core compiler's output. A script takes the place of the compiler.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use aiec_core::elf::{read_program, write_object};
use aiec_core::link::LinkOptions;
use aiec_core::{CoreArch, asm};
use aiec_diag::FileId;

use super::clang::{Clang, CompiledCore, Job, Scratch};
use super::for_core_compilers;

/// Outputs the object beside the compiler that has the name of the source, or the path of the
/// folder's library.
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")/..
for word in "$@"; do
  case $word in
    -print-file-name=libc.a) echo "$here/libc.a"; exit ;;
    -print-*) echo missing.a; exit ;;
    *.ll | *.bc) source=$(basename "$word") ;;
    -*) ;;
    *) out=$word ;;
  esac
done
cp "$here/$source.o" "$out"
"#;

/// A folder with a stand-in for a core compiler.
struct Installation {
    folder: Scratch,
    clang: Clang,
}

impl Installation {
    fn new() -> Installation {
        let folder = Scratch::new().expect("a folder");
        let bin = folder.0.join("bin");
        fs::create_dir(&bin).expect("a folder");
        let program = bin.join("clang");
        fs::write(&program, STAND_IN).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        let clang = Clang::of(&folder.0).expect("a compiler");
        Installation { folder, clang }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).expect("written");
        self.path(name)
    }

    /// Compiles the core at (0, 2), whose body is the object `core.ll.o`.
    fn compile(&self, arch: CoreArch, objects: Vec<PathBuf>) -> CompiledCore {
        let job = Job {
            name: "core".to_string(),
            arch,
            ir: "define void @core_0_2() {".to_string(),
            link: LinkOptions {
                main: Some("core_0_2".to_string()),
                drop_unreached: true,
                symbols: vec![("buffer".to_string(), 0x7_1000)],
                ..LinkOptions::default()
            },
            objects,
        };
        let work = Scratch::new().expect("a folder");
        let libraries = self.clang.libraries(arch);
        self.clang.run(&job, &libraries, Path::new(&work.0))
    }
}

fn object(arch: CoreArch, text: &str) -> Vec<u8> {
    let object = asm::assemble(arch, "", FileId(0), text).expect("assembled");
    write_object(&object)
}

/// A function that calls another with the address of a buffer.
fn calls(name: &str, callee: &str) -> String {
    let delay = "nop\n".repeat(5);
    format!(
        ".globl {name}\n.type {name}, @function\n{name}:\nmovxm p0, #buffer\njl #{callee}\n{delay}\
         ret lr\n{delay}"
    )
}

/// An archive with one member.
fn archive(member: &[u8]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    let header = format!(
        "{:<16}0           0     0     644     {:<10}`\n",
        "m.o/",
        member.len()
    );
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(member);
    bytes
}

#[test]
fn bodies_are_linked_with_objects_sources_and_libraries() {
    for arch in CoreArch::ALL {
        let installed = Installation::new();
        installed.write("core.ll.o", &object(arch, &calls("core_0_2", "kernel")));
        installed.write("inner.bc.o", &object(arch, &calls("inner", "divide")));
        installed.write(
            "libc.a",
            &archive(&object(arch, &calls("divide", "divide"))),
        );
        let objects = vec![
            installed.write("kernel.o", &object(arch, &calls("kernel", "inner"))),
            installed.write("inner.bc", b"BC\xC0\xDE"),
        ];
        let made = installed.compile(arch, objects);
        assert!(made.said.is_empty() && made.findings.is_empty(), "{made:?}");
        let program = read_program(&made.elf.expect("an executable")).expect("it is read");
        assert_eq!((program.arch, program.entry), (arch, 0));
        let names = program.functions().map(|function| function.name.as_str());
        let names: Vec<&str> = names.collect();
        for name in ["__start", "core_0_2", "kernel", "inner", "divide"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert_eq!(program.address_of("buffer"), Some(0x7_1000));
    }
}

#[test]
fn what_can_not_be_linked_is_found() {
    let arch = CoreArch::Aie2;
    let installed = Installation::new();
    installed.write("core.ll.o", &object(arch, &calls("core_0_2", "kernel")));
    let found = |objects: Vec<PathBuf>| {
        let made = installed.compile(arch, objects);
        assert!(made.elf.is_none());
        let texts = made
            .findings
            .iter()
            .map(|found| format!("{} {}", found.code.id, found.message));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(
        found(Vec::new()),
        ["core-link::undefined `kernel` is not defined; core.o uses it"]
    );
    let newer = installed.write(
        "newer.o",
        &object(CoreArch::Aie2p, &calls("kernel", "kernel")),
    );
    let text = installed.write("text.o", b"no object");
    let texts = found(vec![newer, text]);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("text.o: no ELF file"), "{texts:?}");
    assert!(
        texts[1].ends_with("newer.o is for aie2p, the core is aie2"),
        "{texts:?}"
    );
    // a source that the compiler refuses
    let source = installed.write("broken.ll", b"?");
    let made = installed.compile(arch, vec![source]);
    assert!(made.elf.is_none() && made.said.iter().any(|said| said.error));
}

#[test]
fn core_compilers_get_what_they_know() {
    let text =
        "define void @f() #0 {\n}\nattributes #0 = { nocallback nocreateundeforpoison nofree }\n";
    assert_eq!(
        for_core_compilers(text, 1024),
        "define void @f() #0 nounwind \"warn-stack-size\"=\"1024\" {\n}\n\
         attributes #0 = { nocallback nofree }\n"
    );
}
