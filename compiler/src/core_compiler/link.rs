//! Links a core's program: the object of its body, the objects that the design names, and the
//! needed parts of the compiler's own libraries.

use std::path::{Path, PathBuf};

use aiec_core::link::{LinkOptions, add_members, link};
use aiec_core::object::CoreObject;
use aiec_core::{CoreArch, elf};
use aiec_diag::Diag;

/// A file to link.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// Its name in messages.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The objects of the compiler's libraries, which are linked where something is missing. Members of
/// another format are left out: a symbol of theirs that a program needs is missing then.
pub fn library_members(libraries: &[LinkInput]) -> Vec<CoreObject> {
    let archives = libraries.iter();
    let members = archives.flat_map(|library| elf::read_members(&library.name, &library.bytes));
    members.filter_map(Result::ok).collect()
}

/// Links objects and archives for a core into an executable.
///
/// # Errors
/// All findings: inputs that aren't objects of the architecture, and errors of the linker.
pub fn link_core(
    arch: CoreArch,
    inputs: &[LinkInput],
    libraries: &[CoreObject],
    options: &LinkOptions,
) -> Result<Vec<u8>, Vec<Diag>> {
    let mut objects = Vec::new();
    let mut members = Vec::new();
    let mut findings = Vec::new();
    for LinkInput { name, bytes } in inputs {
        let read = if elf::is_archive(bytes) {
            elf::read_archive(name, bytes).map(|read| members.extend(read))
        } else {
            elf::read_object(name, bytes).map(|object| objects.push(object))
        };
        if let Err(mut diag) = read {
            if !diag.message.contains(name.as_str()) {
                diag.message = format!("{name}: {}", diag.message);
            }
            findings.push(diag);
        }
    }
    let others = objects.iter().filter(|object| object.arch != arch);
    findings.extend(others.map(|object| {
        let message = format!("{} is for {}, the core is {arch}", object.name, object.arch);
        let help = format!("compile the file with `--target={arch}-none-unknown-elf`");
        Diag::error(&aiec_core::link::MIXED, message).help(help)
    }));
    if !findings.is_empty() {
        return Err(findings);
    }
    add_members(&mut objects, &members, &options.symbols);
    add_members(&mut objects, libraries, &options.symbols);
    let program = link(&objects, options)?;
    Ok(elf::write_program(&program))
}

/// Endings of files that the core compiler makes objects of.
const SOURCES: [&str; 8] = ["ll", "bc", "c", "cc", "cpp", "cxx", "s", "S"];

/// Begin of LLVM's bitcode, bare and wrapped (llvm: include/llvm/Bitcode/BitcodeReader.h).
const BITCODE: [&[u8]; 2] = [b"BC\xC0\xDE", &[0xDE, 0xC0, 0x17, 0x0B]];

/// Whether a file is to be compiled before it is linked: sources and LLVM IR.
pub fn is_source(path: &Path, bytes: &[u8]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| SOURCES.contains(&ending))
        || BITCODE.iter().any(|magic| bytes.starts_with(magic))
}

/// Reads the files of the compiler's libraries; those that are not there are left out.
pub fn read_libraries(paths: Vec<PathBuf>) -> Vec<LinkInput> {
    let read = paths.into_iter().filter_map(|path| {
        let bytes = std::fs::read(&path).ok()?;
        Some(LinkInput {
            name: path.display().to_string(),
            bytes,
        })
    });
    read.collect()
}
