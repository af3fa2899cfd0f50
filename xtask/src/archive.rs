//! `cargo xtask archive [TARGET]`: an archive of a release, for those who have no Rust.
//!
//! It holds `aiec`, its manual pages and completions, and the texts of the project, in a folder of the archive's name; the same files make
//! the same bytes. Its name is what `cargo binstall` looks for (`package.metadata.binstall` in the manifest of `compiler`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// Shells whose completions an archive has.
const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];
/// Texts at the root of the project that belong to a release.
const TEXTS: [&str; 3] = ["README.md", "CHANGELOG.md", "LICENSE"];
/// The rights of a program and of a text in an archive.
const PROGRAM_MODE: u32 = 0o755;
const TEXT_MODE: u32 = 0o644;

/// A file of an archive.
struct ArchivedFile {
    bytes: Vec<u8>,
    mode: u32,
}

/// Files of an archive by their path below its folder.
type ArchivedFiles = BTreeMap<String, ArchivedFile>;

/// Name of a release's archive, without its ending, and of the folder in it.
pub fn archive_name(version: &str, target: &str) -> String {
    format!("aiec-{version}-{target}")
}

/// Builds the program for a target, of the host without one, and writes its archive with a checksum to `target/archives`.
///
/// # Errors
/// A build fails, or a file can't be written.
pub fn run(root: &Path, target: Option<&str>) -> Result<(), String> {
    let host = host_target()?;
    let target = target.unwrap_or(&host);
    // Manual pages and completions are written by a program that runs here.
    let own = build(root, &host)?;
    let program = if target == host {
        own.clone()
    } else {
        build(root, target)?
    };
    let mut files = ArchivedFiles::new();
    let name = match program.extension() {
        Some(_) => "aiec.exe",
        None => "aiec",
    };
    files.insert(name.to_string(), file(&program, PROGRAM_MODE)?);
    for text in TEXTS {
        files.insert(text.to_string(), file(&root.join(text), TEXT_MODE)?);
    }
    let folder = target_folder(root).join("archives");
    let pages = folder.join("man");
    // Pages of commands that aren't there any more.
    let _ = fs::remove_dir_all(&pages);
    fs::create_dir_all(&pages).map_err(|error| format!("{}: {error}", pages.display()))?;
    output(Command::new(&own).arg("man").arg(&pages))?;
    for page in fs::read_dir(&pages).map_err(|error| format!("{}: {error}", pages.display()))? {
        let page = page.map_err(|error| format!("{}: {error}", pages.display()))?;
        let name = format!("man/man1/{}", page.file_name().to_string_lossy());
        files.insert(name, file(&page.path(), TEXT_MODE)?);
    }
    for shell in SHELLS {
        let bytes = output(Command::new(&own).args(["completions", shell]))?;
        let mode = TEXT_MODE;
        files.insert(
            format!("completions/aiec.{shell}"),
            ArchivedFile { bytes, mode },
        );
    }
    let name = archive_name(env!("CARGO_PKG_VERSION"), target);
    let bytes = packed(&name, &files).map_err(|error| format!("{name}: {error}"))?;
    let archive = folder.join(format!("{name}.tar.gz"));
    let write = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(&archive, &bytes)?;
    let line = checksum_line(&bytes, &format!("{name}.tar.gz"));
    write(
        &folder.join(format!("{name}.tar.gz.sha256")),
        line.as_bytes(),
    )?;
    println!(
        "{}: {} bytes, {} files",
        archive.display(),
        bytes.len(),
        files.len()
    );
    Ok(())
}

/// The archive of some files, the same for the same files.
fn packed(folder: &str, files: &ArchivedFiles) -> std::io::Result<Vec<u8>> {
    let gzip = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for (path, file) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(file.mode);
        archive.append_data(
            &mut header,
            format!("{folder}/{path}"),
            file.bytes.as_slice(),
        )?;
    }
    archive.into_inner()?.finish()
}

/// A line as `sha256sum -c` reads it.
fn checksum_line(bytes: &[u8], name: &str) -> String {
    let digest = Sha256::digest(bytes);
    let digits = digest.iter().map(|byte| format!("{byte:02x}"));
    format!("{}  {name}\n", digits.collect::<String>())
}

fn file(path: &Path, mode: u32) -> Result<ArchivedFile, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(ArchivedFile { bytes, mode })
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = format!("{}", command.get_program().display());
    let done = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(done.stdout)
}

/// The target that this machine's compiler makes programs for.
fn host_target() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = output(Command::new(rustc).arg("-vV"))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string)
        .ok_or_else(|| "rustc -vV names no host".to_string())
}

fn target_folder(root: &Path) -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR");
    folder.map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Builds `aiec` as users do, for a target, and returns the program.
fn build(root: &Path, target: &str) -> Result<PathBuf, String> {
    let mut command = cargo();
    command
        .current_dir(root)
        .args(["build", "--release", "--locked", "--package=aiec"]);
    let mut folder = target_folder(root);
    if target != host_target()? {
        command.arg(format!("--target={target}"));
        folder.push(target);
    }
    let status = command
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(format!("aiec isn't built for {target}"));
    }
    let ending = if target.contains("windows") {
        ".exe"
    } else {
        ""
    };
    Ok(folder.join("release").join(format!("aiec{ending}")))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn files() -> ArchivedFiles {
        let program = ArchivedFile {
            bytes: b"program".to_vec(),
            mode: PROGRAM_MODE,
        };
        let text = ArchivedFile {
            bytes: b"text".to_vec(),
            mode: TEXT_MODE,
        };
        BTreeMap::from([
            ("aiec".to_string(), program),
            ("README.md".to_string(), text),
        ])
    }

    #[test]
    fn archives_hold_their_files_and_are_the_same_each_time() {
        let bytes = packed("aiec-1.2.3-host", &files()).expect("an archive");
        assert_eq!(
            packed("aiec-1.2.3-host", &files()).expect("an archive"),
            bytes
        );
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let mut found = Vec::new();
        for entry in archive.entries().expect("entries") {
            let mut entry = entry.expect("an entry");
            let path = entry.path().expect("a path").display().to_string();
            let mode = entry.header().mode().expect("a mode");
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("text");
            found.push((path, mode, text));
        }
        let expected = [
            (
                "aiec-1.2.3-host/README.md".to_string(),
                TEXT_MODE,
                "text".to_string(),
            ),
            (
                "aiec-1.2.3-host/aiec".to_string(),
                PROGRAM_MODE,
                "program".to_string(),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let line = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  x\n";
        assert_eq!(checksum_line(b"abc", "x"), line);
    }

    /// `cargo binstall` finds the archives by the manifest.
    #[test]
    fn the_manifest_names_the_archives() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let manifest = fs::read_to_string(root.join("compiler/Cargo.toml")).expect("a manifest");
        let field = |name: &str| {
            let line = manifest.lines().find_map(|line| line.strip_prefix(name));
            let text = line.and_then(|line| line.trim().strip_prefix("= "));
            let text = text.unwrap_or_else(|| panic!("{name}")).trim_matches('"');
            text.replace("{ version }", "1.2.3")
                .replace("{ target }", "host")
                .replace("{ archive-suffix }", ".tar.gz")
                .replace("{ bin }{ binary-ext }", "aiec")
        };
        let name = archive_name("1.2.3", "host");
        assert!(field("pkg-url").ends_with(&format!("/v1.2.3/{name}.tar.gz")));
        assert_eq!(field("bin-dir"), format!("{name}/aiec"));
        assert_eq!(field("pkg-fmt"), "tgz");
    }
}
