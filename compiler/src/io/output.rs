//! Writes results: whole or not at all.
//!
//! Each file is first written next to its place under a temporary name; only when all of them
//! are complete they are renamed to their names. A run that fails leaves no half-written file and no new folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use aiec_diag::Diag;

use crate::codes;
use crate::io::interrupt::Temporary;
use crate::io::scratch::{ScratchFolder, ScratchHandle};
use crate::io::{Io, Verbosity};

/// Name of standard input and output on the command line.
pub const STANDARD_STREAM: &str = "-";

/// Placeholder, in the names of aiecc's files, for the name of a part of the design.
pub const KEY: &str = "{0}";

/// A path in which [`KEY`] is replaced.
pub fn template(path: &Path, key: &str) -> PathBuf {
    PathBuf::from(path.to_string_lossy().replace(KEY, key))
}

/// Results waiting to be written.
#[derive(Debug, Default)]
pub struct Outputs {
    files: Vec<(PathBuf, Contents)>,
    standard: Vec<Contents>,
    /// Last, so that they go when the temporary files have gone.
    folders: NewFolders,
}

#[derive(Debug)]
enum Contents {
    Bytes(Vec<u8>),
    /// A complete file under a temporary name.
    Pending(PendingFile),
    /// For what can't be renamed: standard output, a device.
    Scratch(ScratchHandle),
}

impl Outputs {
    /// Nothing to write yet.
    pub fn new() -> Outputs {
        Outputs::default()
    }

    /// Adds a result; the path `-` is standard output.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.add_contents(path.into(), Contents::Bytes(bytes.into()));
    }

    /// Adds a result that is written piece by piece to a temporary file.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn stream(
        &mut self,
        path: impl Into<PathBuf>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diag> {
        let path = path.into();
        let failed = |error: io::Error| cannot_write(&path, &error);
        let place = if path.as_os_str() == STANDARD_STREAM {
            None
        } else {
            regular_place(&path).map_err(failed)?
        };
        let buffered = |file: &mut dyn Write| {
            let mut writer = BufWriter::new(file);
            write(&mut writer)?;
            writer.flush()
        };
        let contents = match place {
            Some(place) => {
                let (pending, mut file) =
                    PendingFile::create(place, &mut self.folders).map_err(failed)?;
                buffered(&mut file).map_err(failed)?;
                Contents::Pending(pending)
            }
            None => {
                let scratch = ScratchFolder::beside(None).create();
                let mut scratch = scratch.map_err(failed)?;
                buffered(&mut scratch).map_err(failed)?;
                scratch.seek(SeekFrom::Start(0)).map_err(failed)?;
                Contents::Scratch(scratch)
            }
        };
        self.add_contents(path, contents);
        Ok(())
    }

    fn add_contents(&mut self, path: PathBuf, contents: Contents) {
        if path.as_os_str() == STANDARD_STREAM {
            self.standard.push(contents)
        } else {
            self.files.push((path, contents))
        }
    }

    /// The files and their sizes in bytes, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files
            .iter()
            .map(|(path, contents)| (path.as_path(), contents.size()))
    }

    /// Refusals of results that would replace a file that was read, or each other: the last one would
    /// be all that is left.
    pub fn collisions(&self, read: &[PathBuf]) -> Vec<Diag> {
        collisions(self.files.iter().map(|(path, _)| path.as_path()), read)
    }

    /// Writes all outputs; names each if messages are verbose.
    pub fn write_to(self, io: &mut Io<'_>) -> Result<(), Diag> {
        let mut said = String::new();
        // A file that the run itself replaces, such as an argument that it updates, asks for no further run.
        io.files_read
            .retain(|read| self.files().all(|(path, _)| path != read));
        if io.terminal.verbosity == Verbosity::Verbose {
            for (path, bytes) in self.files() {
                said += &format!("wrote {}: {bytes} bytes\n", path.display());
            }
        }
        self.write(io.stdout)?;
        // A closed error stream can't report its own failure.
        let _ = io.stderr.write_all(said.as_bytes());
        Ok(())
    }

    /// Writes everything. After an error no new file or folder exists.
    ///
    /// A symbolic link keeps pointing where it does, its target gets the bytes. What is there but
    /// isn't a regular file (a device such as `/dev/null`, a named pipe) is written to, never
    /// replaced.
    pub fn write(mut self, stdout: &mut dyn Write) -> Result<(), Diag> {
        let (mut pending, mut streams) = (Vec::new(), Vec::new());
        for (path, contents) in self.files {
            let failed = |error: io::Error| cannot_write(&path, &error);
            match contents {
                Contents::Pending(file) => pending.push((path, file)),
                Contents::Scratch(_) => streams.push((path, contents)),
                Contents::Bytes(ref bytes) => match regular_place(&path).map_err(failed)? {
                    Some(place) => {
                        let (file, mut written) =
                            PendingFile::create(place, &mut self.folders).map_err(failed)?;
                        written.write_all(bytes).map_err(failed)?;
                        pending.push((path, file));
                    }
                    None => streams.push((path, contents)),
                },
            }
        }
        for (path, contents) in streams {
            let stream = fs::OpenOptions::new().write(true).open(&path);
            stream
                .and_then(|mut stream| contents.copy_to(&mut stream))
                .map_err(|error| cannot_write(&path, &error))?;
        }
        self.standard
            .into_iter()
            .try_for_each(|contents| contents.copy_to(stdout))
            .and_then(|()| stdout.flush())
            .map_err(|error| cannot_write(Path::new(STANDARD_STREAM), &error))?;
        for (path, file) in pending {
            file.rename().map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

impl Contents {
    fn size(&self) -> u64 {
        let file = match self {
            Contents::Bytes(bytes) => return bytes.len() as u64,
            Contents::Pending(file) => fs::metadata(file.temporary.path()),
            Contents::Scratch(scratch) => scratch.metadata(),
        };
        file.map_or(0, |file| file.len())
    }

    fn copy_to(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Contents::Bytes(bytes) => out.write_all(&bytes),
            Contents::Pending(file) => {
                io::copy(&mut File::open(file.temporary.path())?, out).map(drop)
            }
            Contents::Scratch(mut scratch) => io::copy(&mut scratch, out).map(drop),
        }
    }
}

/// Where a result goes: a symbolic link's target; `None` if what is there isn't a regular file (a device
/// such as `/dev/null`, a named pipe).
fn regular_place(path: &Path) -> io::Result<Option<PathBuf>> {
    // fails where nothing is there yet, which is the usual case
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(&place) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(None),
        _ => Ok(Some(place)),
    }
}

/// A file under a temporary name; removed if it doesn't get its own.
#[derive(Debug)]
struct PendingFile {
    temporary: Temporary,
    place: PathBuf,
    is_renamed: bool,
}

impl PendingFile {
    /// An empty one, with its folder; it has the permissions of the file that it replaces.
    fn create(place: PathBuf, folders: &mut NewFolders) -> io::Result<(PendingFile, File)> {
        // listed first, so that a half-written one is removed too
        let pending = PendingFile {
            temporary: Temporary::new(&temporary_name(&place)),
            place,
            is_renamed: false,
        };
        let folder = pending.place.parent();
        if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
            folders.create(folder)?;
        }
        let file = File::create(pending.temporary.path())?;
        if let Ok(there) = fs::metadata(&pending.place) {
            file.set_permissions(there.permissions())?;
        }
        Ok((pending, file))
    }

    fn rename(mut self) -> io::Result<()> {
        fs::rename(self.temporary.path(), &self.place)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.is_renamed {
            // It may not exist yet; and if it can't be removed there is nothing better to do.
            let _ = fs::remove_file(self.temporary.path());
        }
    }
}

/// Folders that were created for results. Those without a file are removed: nothing was written there.
#[derive(Debug, Default)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn create(&mut self, folder: &Path) -> io::Result<()> {
        let ancestors = folder
            .ancestors()
            .filter(|path| !path.as_os_str().is_empty());
        let missing = ancestors.take_while(|path| !path.exists());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        missing.reverse();
        self.0.extend(missing);
        fs::create_dir_all(folder)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // fails where files are
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Refusals of results in files that were read, or of which several have one name.
pub fn collisions<'p>(results: impl IntoIterator<Item = &'p Path>, read: &[PathBuf]) -> Vec<Diag> {
    let files = read
        .iter()
        .filter(|path| path.as_os_str() != STANDARD_STREAM);
    let read: BTreeSet<PathBuf> = files.map(|path| identity(path)).collect();
    let mut results_by_place: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    let mut found = Vec::new();
    for path in results {
        let is_stream = path.as_os_str() == STANDARD_STREAM;
        let place = if is_stream {
            path.to_path_buf()
        } else {
            identity(path)
        };
        // what isn't a regular file, such as a device, is written to and not replaced
        if !is_stream && place.exists() && !place.is_file() {
            continue;
        }
        if read.contains(&place) {
            let refused = refusal(path, "the run reads this file");
            found.push(refused.help("give the result another name"));
        } else if let Some(first) = results_by_place.insert(place, path) {
            let reason = if first == path {
                "two results would go there".to_string()
            } else {
                format!("{} is the same file", first.display())
            };
            found.push(refusal(path, &reason).help("give each result a name of its own"));
        }
    }
    found
}

/// Identity of the file that a path names, whether that exists or not: two paths of one file have
/// the same.
fn identity(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) => identity(folder).join(name),
        _ => absolute,
    }
}

fn refusal(path: &Path, reason: &str) -> Diag {
    let message = format!("cannot write {}: {reason}", output_name(path));
    Diag::error(&codes::CANNOT_WRITE, message)
}

/// Name of an output in messages.
fn output_name(path: &Path) -> String {
    if path.as_os_str() == STANDARD_STREAM {
        "standard output".to_string()
    } else {
        path.display().to_string()
    }
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The finding for a file that can't be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> Diag {
    let message = format!("cannot write {}: {error}", output_name(path));
    Diag::error(&codes::CANNOT_WRITE, message).help(match error.kind() {
        // A folder was to be made where a file is.
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "a part of this path isn't a folder; with several kinds of output -o names a folder"
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
        for path in [folder.join("new/d"), "-".into()] {
            let written = outputs.stream(path, |out| out.write_all(b"d"));
            written.expect("it can be written");
        }
        outputs.write(&mut stdout).expect("all are written");
        assert_eq!(fs::read(folder.join("new/b")).expect("the file"), b"b");
        assert_eq!(fs::read(folder.join("new/d")).expect("the file"), b"d");
        assert_eq!(stdout, b"cd");

        let mut outputs = Outputs::new();
        let failed = outputs.stream(folder.join("new/e"), |out| {
            out.write_all(b"half of it")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        let written = outputs.stream(folder.join("new/f"), |out| out.write_all(b"f"));
        written.expect("it can be written");
        drop(outputs);
        assert_eq!(names(&folder.join("new")), 2, "no temporary file is left");

        let mut outputs = Outputs::new();
        outputs.add(folder.join("deep/er/a"), "a");
        outputs.add(folder.join("deep/b"), "b");
        outputs.add(folder.join("new"), "a folder is there");
        assert!(outputs.write(&mut Vec::new()).is_err());
        assert!(!folder.join("deep").exists(), "no new folder is left");
        fs::remove_dir_all(folder).expect("the folder goes away");
    }

    #[test]
    fn results_replace_neither_what_is_read_nor_each_other() {
        let folder = std::env::temp_dir().join(format!("aiec-collisions-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).expect("a folder");
        fs::write(folder.join("design.mlir"), "").expect("a file");
        let read = [folder.join("design.mlir"), PathBuf::from(STANDARD_STREAM)];
        let found = |names: &[&str]| {
            let results: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
            let found = collisions(results.iter().map(PathBuf::as_path), &read);
            found
                .into_iter()
                .map(|diag| diag.message)
                .collect::<Vec<_>>()
        };
        let same = "sub/../design.mlir";
        let reason = format!(
            "cannot write {}: the run reads this file",
            folder.join(same).display()
        );
        assert_eq!(found(&["design.elf", same]), [reason]);
        assert_eq!(found(&["new/a", "new/b", "new/../new/c"]), [""; 0]);
        assert!(found(&["new/a", "new/a"])[0].ends_with("two results would go there"));
        assert!(found(&["sub/a", "sub/../sub/a"])[0].ends_with("sub/a is the same file"));
        assert_eq!(found(&["/dev/null", "/dev/null"]), [""; 0]);
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
