//! The core compiler's `clang`: its place, its command lines, and its messages.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use aiec_core::CoreArch;
use aiec_core::link::LinkOptions;
use aiec_core::object::CoreObject;
use aiec_diag::Diag;

use super::link::{self, LinkInput};
use crate::io::interrupt::Temporary;

/// Level of optimisation of the core compiler.
const OPTIMISATION: &str = "-O2";

/// Further options to compile LLVM IR. Vectors that the compiler makes of scalar code are of types
/// that the cores' instruction selection can't take (mlir-aie: tools/aiecc/CommandLineOptions.h);
/// the design's own vectors stay. The triple of the IR is the architecture alone.
const COMPILE: [&str; 6] = [
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wno-override-module",
    "-c",
];

/// Queries for the paths of the compiler's libraries, in the order in which its own link lines name
/// them (llvm-aie: clang/lib/Driver/ToolChains/AIE.cpp).
const LIBRARIES: [&str; 3] = [
    "-print-libgcc-file-name",
    "-print-file-name=libc.a",
    "-print-file-name=libm.a",
];

/// A core compiler that was found.
#[derive(Clone, Debug)]
pub struct Clang {
    program: PathBuf,
}

/// One core's program on its way to machine code.
#[derive(Clone, Debug)]
pub struct Job {
    /// Stem of its files' names.
    pub name: String,
    /// The architecture.
    pub arch: CoreArch,
    /// The program as LLVM IR.
    pub ir: String,
    /// Options of its link.
    pub link: LinkOptions,
    /// Objects, archives, LLVM IR or sources that the program is linked with.
    pub objects: Vec<PathBuf>,
}

/// Result of a job.
#[derive(Debug, Default)]
pub struct CompiledCore {
    /// The ELF; nothing if the compiler or the linker failed.
    pub elf: Option<Vec<u8>>,
    /// Messages of the compiler.
    pub said: Vec<ToolMessage>,
    /// Findings of the linker.
    pub findings: Vec<Diag>,
}

/// A finding of the compiler's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolMessage {
    /// Whether it ends the work.
    pub error: bool,
    /// The message.
    pub text: String,
    /// The lines that follow it.
    pub more: Vec<String>,
}

impl ToolMessage {
    fn error(text: impl Into<String>) -> ToolMessage {
        ToolMessage {
            error: true,
            text: text.into(),
            more: Vec::new(),
        }
    }
}

impl Clang {
    /// The compiler of an installation; otherwise the problem with the folder, and advice.
    pub fn of(folder: &Path) -> Result<Clang, (String, String)> {
        let name = format!("clang{}", std::env::consts::EXE_SUFFIX);
        let program = folder.join("bin").join(&name);
        if program.is_file() {
            // Programs run in a folder of their own.
            return Ok(Clang {
                program: fs::canonicalize(&program).unwrap_or(program),
            });
        }
        let what = match folder.is_dir() {
            true => format!("it has no {}", Path::new("bin").join(&name).display()),
            false if folder.exists() => "it isn't a folder".to_string(),
            false => "it does not exist".to_string(),
        };
        let above = folder.parent().filter(|_| folder.join(&name).is_file());
        let help = match above {
            Some(above) if !above.as_os_str().is_empty() => {
                format!("name the folder above: `--peano {}`", above.display())
            }
            _ => "DIR is where an LLVM for AI Engines (Peano, `llvm-aie`) is installed, and holds \
                  bin/clang"
                .to_string(),
        };
        Err((what, help))
    }

    /// The objects of the compiler's own libraries for an architecture: for programs that divide or
    /// copy memory.
    pub fn libraries(&self, arch: CoreArch) -> Vec<CoreObject> {
        let mut paths = Vec::new();
        for ask in LIBRARIES {
            let answer = Command::new(&self.program)
                .args([&target(arch), "-rtlib=compiler-rt", ask])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output();
            let answer = answer.map(|answer| answer.stdout).unwrap_or_default();
            let path = PathBuf::from(String::from_utf8_lossy(&answer).trim());
            // The compiler names a library that it doesn't find without a folder.
            if path.is_absolute() {
                paths.push(path);
            }
        }
        link::library_members(&link::read_libraries(paths))
    }

    /// Compiles and links a program in a folder where nothing else has its names.
    pub fn run(&self, job: &Job, libraries: &[CoreObject], folder: &Path) -> CompiledCore {
        let mut made = CompiledCore::default();
        if let Err(error) = self.try_run(job, libraries, folder, &mut made) {
            let text = format!("{}: {error}", self.program.display());
            made.said.push(ToolMessage::error(text));
        }
        made
    }

    fn try_run(
        &self,
        job: &Job,
        libraries: &[CoreObject],
        folder: &Path,
        made: &mut CompiledCore,
    ) -> io::Result<()> {
        let ir = format!("{}.ll", job.name);
        fs::write(folder.join(&ir), &job.ir)?;
        let mut inputs = Vec::new();
        inputs.extend(self.compile(job.arch, ir.as_ref(), &job.name, folder, made)?);
        for (number, path) in job.objects.iter().enumerate() {
            let bytes = fs::read(path)?;
            if link::is_source(path, &bytes) {
                let name = format!("{}.{number}", job.name);
                inputs.extend(self.compile(job.arch, path.as_ref(), &name, folder, made)?);
            } else {
                let name = path.display().to_string();
                inputs.push(LinkInput { name, bytes });
            }
        }
        if inputs.len() <= job.objects.len() {
            return Ok(()); // the compiler said why
        }
        match link::link_core(job.arch, &inputs, libraries, &job.link) {
            Ok(elf) => made.elf = Some(elf),
            Err(findings) => made.findings.extend(findings),
        }
        Ok(())
    }

    /// Compiles a file to the object `name`.o in a folder; nothing if that fails.
    fn compile(
        &self,
        arch: CoreArch,
        source: &OsStr,
        name: &str,
        folder: &Path,
        made: &mut CompiledCore,
    ) -> io::Result<Option<LinkInput>> {
        let object = format!("{name}.o");
        let target = target(arch);
        let mut args: Vec<&OsStr> = [OPTIMISATION, &target].map(OsStr::new).to_vec();
        args.extend(COMPILE.map(OsStr::new));
        args.extend([source, "-o".as_ref(), object.as_ref()]);
        if !self.call(&args, folder, &mut made.said)? {
            return Ok(None);
        }
        match fs::read(folder.join(&object)) {
            Ok(bytes) => Ok(Some(LinkInput {
                name: match source.to_str() {
                    Some(source) if source != format!("{name}.ll") => source.to_string(),
                    _ => object,
                },
                bytes,
            })),
            Err(error) => {
                let text = format!("it ended without an error, but left no object: {error}");
                made.said.push(ToolMessage::error(text));
                Ok(None)
            }
        }
    }

    /// Calls the compiler; whether it did its work.
    fn call(
        &self,
        args: &[&OsStr],
        folder: &Path,
        said: &mut Vec<ToolMessage>,
    ) -> io::Result<bool> {
        let done = Command::new(&self.program)
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&done.stderr);
        let mut found = findings(&text);
        let worked = done.status.success();
        // The driver's last word, when another gave the reason.
        let last_word = |said: &ToolMessage| said.error && said.text.contains("command failed");
        if found.iter().any(|said| said.error && !last_word(said)) {
            found.retain(|said| !last_word(said));
        }
        if !worked && !found.iter().any(|s| s.error) {
            let mut failed = ToolMessage::error(format!("clang ended with {}", done.status));
            failed.more = text.lines().map(str::to_string).collect();
            found.push(failed);
        }
        said.extend(found);
        Ok(worked)
    }
}

/// The option that names the architecture.
fn target(arch: CoreArch) -> String {
    format!("--target={arch}-none-unknown-elf")
}

/// Splits a compiler's output into messages: `clang: error: …`, `core.ll:3:4: warning: …`, each
/// with the lines that follow it.
fn findings(text: &str) -> Vec<ToolMessage> {
    let mut found: Vec<ToolMessage> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let kind = [("error: ", true), ("warning: ", false)]
            .into_iter()
            .find_map(|(word, error)| Some((line.find(word)?, word, error)));
        match kind {
            Some((at, word, error)) => {
                let who = line[..at].trim_end_matches("fatal ").trim_end();
                let who = who.trim_end_matches(':');
                // A place in a file is worth telling, the tool's name isn't.
                let place = who.contains(':').then(|| who.to_string());
                found.push(ToolMessage {
                    error,
                    text: line[at + word.len()..].to_string(),
                    more: place.into_iter().collect(),
                });
            }
            None => {
                if let Some(last) = found.last_mut() {
                    last.more.push(line.to_string());
                }
            }
        }
    }
    found
}

/// A new folder for temporary files; it is removed when the value is dropped.
#[derive(Debug)]
pub struct Scratch(pub PathBuf, Temporary);

impl Scratch {
    /// Makes it.
    ///
    /// # Errors
    /// Where it can't be made, and why.
    pub fn new() -> Result<Scratch, (PathBuf, io::Error)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("aiec-cores-{}-{count}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match fs::create_dir(&folder) {
                Ok(()) => {
                    let guard = Temporary::new(&folder);
                    return Ok(Scratch(folder, guard));
                }
                // Left by another process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err((folder, error)),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it can't be removed there is nothing better to do.
        let _ = fs::remove_dir_all(self.1.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_apart() {
        let text = "core.ll:3:4: error: expected type\n  %a = foo\n       ^\n\
                    clang: warning: unused\n\nld.lld: error: undefined symbol: f\n>>> referenced\n";
        let found = findings(text);
        let short: Vec<(bool, &str, usize)> = found
            .iter()
            .map(|said| (said.error, &*said.text, said.more.len()))
            .collect();
        assert_eq!(
            short,
            [
                (true, "expected type", 3),
                (false, "unused", 0),
                (true, "undefined symbol: f", 1)
            ]
        );
        assert_eq!(found[0].more[0], "core.ll:3:4");
    }

    #[test]
    fn scratch_folders_are_new_and_go_away() {
        let (a, b) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert_ne!(a.0, b.0);
        let path = a.0.clone();
        assert!(path.is_dir());
        drop(a);
        assert!(!path.exists());
    }
}
