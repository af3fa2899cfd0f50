//! Reproducers of internal errors: a file with the command line and the texts that were read.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use aiec_diag::{Diag, FileId, SourceFile, SourceMap};

/// Version of the project.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes the file; its path. The name follows from the content, so that the same failure leaves one
/// file however often it is tried.
pub fn write(
    command_line: &[OsString],
    error: &Diag,
    sources: &SourceMap,
    folder: &Path,
) -> io::Result<PathBuf> {
    let text = content(command_line, error, sources);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let path = folder.join(format!("aiec-internal-error-{:016x}.mlir", hasher.finish()));
    fs::write(&path, text)?;
    Ok(path)
}

fn content(command_line: &[OsString], error: &Diag, sources: &SourceMap) -> String {
    let words = command_line.iter().map(|word| word.to_string_lossy());
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    let message = error.message.replace('\n', "\n// ");
    let mut text = format!(
        "// aiec {VERSION}: {message}\n// command line: aiec {}\n",
        words.join(" ")
    );
    let mut files = texts(sources);
    match files.len() {
        // The file alone is the input.
        1 => text += &files.remove(0).text,
        _ => {
            for file in files {
                text += &format!("//--- {}\n{}", file.name, file.text);
                if !file.text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    text
}

/// The texts that were read; parts of a text that was cut are in it.
fn texts(sources: &SourceMap) -> Vec<&SourceFile> {
    let mut files: Vec<&SourceFile> = Vec::new();
    let all = (0..).map_while(|n| sources.file(FileId(n)));
    for file in all {
        if files.iter().all(|known| known.name != file.name) {
            files.push(file);
        }
    }
    files
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Io, Terminal};
    use crate::session::Session;

    #[test]
    fn an_internal_error_names_a_file_with_design_and_command_line() {
        let mut session = Session::default();
        let design = SourceFile::new("d.mlir", "aie.device(npu2) {\n}\n");
        session.sources.add(design);
        session.push(aiec_diag::internal!("tile 3 has no BD"));
        let (mut stdin, mut stdout, mut stderr) = (&b""[..], Vec::new(), Vec::new());
        let mut io = Io {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal: Terminal {
                width: 10_000,
                ..Terminal::default()
            },
            ends_process: false,
            command_line: ["opt", "d.mlir", "--pass-pipeline=a(b c)"]
                .map(OsString::from)
                .to_vec(),
            files_read: Vec::new(),
        };
        session.flush_diagnostics(&mut io);
        let said = String::from_utf8(stderr).expect("text");
        let name = said.split_whitespace().find(|word| word.ends_with(".mlir"));
        let text = fs::read_to_string(name.expect("a file's name")).expect("the file");
        assert!(
            text.contains("// command line: aiec opt d.mlir '--pass-pipeline=a(b c)'\n"),
            "{text}"
        );
        assert!(text.contains("tile 3 has no BD"), "{text}");
        assert!(text.ends_with("aie.device(npu2) {\n}\n"), "{text}");
        fs::remove_file(name.expect("its name")).expect("it goes away");
    }
}
