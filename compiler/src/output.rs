//! Writes results: whole or not at all.
//!
//! Each file is first written next to its place under a temporary name; only when all of them
//! are complete they are renamed to their names. A run that fails leaves no half-written file.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use aiec_diag::Diag;

use crate::codes;
use crate::interrupt::Temporary;
use crate::io::{Io, Verbosity};

/// Name of standard input and output on the command line.
pub const STANDARD_STREAM: &str = "-";

/// Results waiting to be written.
#[derive(Debug, Default)]
pub struct Outputs {
    files: Vec<(PathBuf, Vec<u8>)>,
    standard: Vec<u8>,
}

impl Outputs {
    /// Nothing to write yet.
    pub fn new() -> Outputs {
        Outputs::default()
    }

    /// Adds a result; the path `-` is standard output.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        let path = path.into();
        if path.as_os_str() == STANDARD_STREAM {
            self.standard.extend(bytes.into());
        } else {
            self.files.push((path, bytes.into()));
        }
    }

    /// The files and their sizes in bytes, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (&Path, usize)> {
        self.files
            .iter()
            .map(|(path, bytes)| (path.as_path(), bytes.len()))
    }

    /// Writes everything, and says so where much is said.
    pub fn write_to(self, io: &mut Io<'_>) -> Result<(), Diag> {
        let mut said = String::new();
        if io.terminal.verbosity == Verbosity::Verbose {
            for (path, bytes) in self.files() {
                said += &format!("wrote {}: {bytes} bytes\n", path.display());
            }
        }
        self.write(io.stdout)?;
        // When the error stream is gone there is nobody left to report to.
        let _ = io.stderr.write_all(said.as_bytes());
        Ok(())
    }

    /// Writes everything. After an error no new file exists.
    ///
    /// A symbolic link keeps pointing where it does, its target gets the bytes. What is there but
    /// isn't a regular file (a device such as `/dev/null`, a named pipe) is written to, never
    /// replaced.
    pub fn write(self, stdout: &mut dyn Write) -> Result<(), Diag> {
        let mut written = Temporaries::default();
        let mut streams = Vec::new();
        for (path, bytes) in &self.files {
            let failed = |error: std::io::Error| cannot_write(path, &error);
            // fails where nothing is there yet, which is the usual case
            let place = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            let there = fs::metadata(&place).ok();
            match &there {
                Some(there) if there.is_dir() => {
                    return Err(failed(std::io::ErrorKind::IsADirectory.into()));
                }
                Some(there) if !there.is_file() => {
                    streams.push((path, bytes));
                    continue;
                }
                _ => {}
            }
            let temporary = temporary_name(&place);
            // listed first, so that a half-written one is removed too
            let guard = Temporary::new(&temporary);
            written.0.push((temporary.clone(), place.clone(), guard));
            if let Some(folder) = place
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
            {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            fs::write(&temporary, bytes).map_err(failed)?;
            if let Some(there) = there {
                fs::set_permissions(&temporary, there.permissions()).map_err(failed)?;
            }
        }
        for (path, bytes) in streams {
            fs::OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut stream| stream.write_all(bytes))
                .map_err(|error| cannot_write(path, &error))?;
        }
        stdout
            .write_all(&self.standard)
            .and_then(|()| stdout.flush())
            .map_err(|error| cannot_write(Path::new(STANDARD_STREAM), &error))?;
        while let Some((temporary, path, guard)) = written.0.pop() {
            if let Err(error) = fs::rename(&temporary, &path) {
                written.0.push((temporary, path.clone(), guard));
                return Err(cannot_write(&path, &error));
            }
        }
        Ok(())
    }
}

/// Temporary files and the names they are meant to get; removed if they didn't get them.
#[derive(Default)]
struct Temporaries(Vec<(PathBuf, PathBuf, Temporary)>);

impl Drop for Temporaries {
    fn drop(&mut self) {
        for (temporary, ..) in &self.0 {
            // It may not exist yet; and if it can't be removed there is nothing better to do.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Diag {
    let name = if path.as_os_str() == STANDARD_STREAM {
        "standard output".to_string()
    } else {
        path.display().to_string()
    };
    Diag::error(
        &codes::CANNOT_WRITE,
        format!("cannot write {name}: {error}"),
    )
    .help(match error.kind() {
        // A folder was to be made where a file is.
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "a part of this path is no folder; with several kinds of output -o names a folder"
        }
        ErrorKind::IsADirectory => "give the name of a file in that folder",
        _ => "check that the folder can be written and that the disk has room",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_nothing() {
        let folder = std::env::temp_dir().join(format!("aiec-output-{}", std::process::id()));
        fs::create_dir_all(folder.join("taken")).expect("a folder");
        let mut outputs = Outputs::new();
        outputs.add(folder.join("taken"), "a file cannot replace a folder");
        outputs.add(folder.join("new/b"), "b");
        outputs.add("-", "c");
        let mut stdout = Vec::new();
        assert!(outputs.write(&mut stdout).is_err());
        let names = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
        assert_eq!(names(&folder), 1, "no temporary file is left");

        let mut outputs = Outputs::new();
        outputs.add(folder.join("new/b"), "b");
        outputs.add("-", "c");
        outputs.write(&mut stdout).expect("both are written");
        assert_eq!(fs::read(folder.join("new/b")).expect("the file"), b"b");
        fs::remove_dir_all(folder).expect("the folder goes away");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_written_to_and_stays() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        let folder = std::env::temp_dir().join(format!("aiec-streams-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("target"), "old").expect("a file");
        fs::set_permissions(folder.join("target"), fs::Permissions::from_mode(0o640))
            .expect("its mode");
        symlink("target", folder.join("link")).expect("a link");
        symlink("/dev/null", folder.join("device")).expect("a link to a device");
        let mut outputs = Outputs::new();
        outputs.add(folder.join("link"), "new");
        outputs.add(folder.join("device"), "swallowed");
        outputs.write(&mut Vec::new()).expect("both are written");

        assert!(folder.join("link").is_symlink() && folder.join("device").is_symlink());
        let target = folder.join("target");
        assert_eq!(fs::read(&target).expect("the file"), b"new");
        let mode = fs::metadata(&target).expect("the file").permissions();
        assert_eq!(
            mode.mode() & 0o777,
            0o640,
            "an overwritten file keeps its mode"
        );
        let null = fs::metadata("/dev/null").expect("the device");
        assert!(null.file_type().is_char_device(), "a device stays one");
        fs::remove_dir_all(folder).expect("the folder goes away");
    }
}
