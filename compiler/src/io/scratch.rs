//! Scratch files: for records that have no room in memory while they are sorted.
//!
//! On systems where an open file can lose its name it has no name, so that it is gone with the
//! process however that ends; on others it is removed when it is dropped or the process
//! interrupted.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use aiec_sim::external_sort::{Scratch, ScratchFile};

use crate::io::interrupt::Temporary;

/// Makes scratch files in a folder.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: PathBuf,
    count: Cell<u64>,
}

impl ScratchFolder {
    /// On the disk where a file will be: in its folder, or the nearest one around it that there is. For
    /// what isn't a file the system's folder of temporary files.
    pub fn beside(path: Option<&Path>) -> ScratchFolder {
        let place = path.map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
        let place = place.filter(|place| place.is_file() || !place.exists());
        let folders = place.iter().flat_map(|place| place.ancestors().skip(1));
        let mut folders = folders.map(|folder| {
            if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            }
        });
        let folder = folders.find(|folder| folder.is_dir());
        ScratchFolder {
            folder: folder.map_or_else(std::env::temp_dir, Path::to_path_buf),
            count: Cell::new(0),
        }
    }

    /// A new file.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn create(&self) -> io::Result<ScratchHandle> {
        let number = self.count.get();
        self.count.set(number + 1);
        let name = format!(".aiec.{}.{number}.scratch.tmp", std::process::id());
        let path = self.folder.join(name);
        let guard = Temporary::new(&path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&path)?;
        let is_nameless = fs::remove_file(&path).is_ok();
        Ok(ScratchHandle {
            file,
            temporary: (!is_nameless).then_some(guard),
        })
    }
}

impl Scratch for ScratchFolder {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(self.create()?))
    }
}

/// An open scratch file.
#[derive(Debug)]
pub struct ScratchHandle {
    file: File,
    /// Its name, if it still has one.
    temporary: Option<Temporary>,
}

impl ScratchHandle {
    /// Metadata of the file system.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.metadata()
    }
}

impl Drop for ScratchHandle {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // If it can't be removed there is nothing better to do.
            let _ = fs::remove_file(temporary.path());
        }
    }
}

impl Read for ScratchHandle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for ScratchHandle {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ScratchHandle {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_file_can_be_read_again_and_is_gone_then() {
        let folder = std::env::temp_dir().join(format!("aiec-scratch-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let scratch = ScratchFolder::beside(Some(&folder.join("new/trace.txt")));
        assert_eq!(scratch.folder, folder);
        let mut files = [(); 2].map(|()| scratch.create().expect("a file"));
        for (file, text) in files.iter_mut().zip(["a", "b"]) {
            file.write_all(text.as_bytes()).expect("room");
            file.seek(SeekFrom::Start(0)).expect("a file");
        }
        let texts = files.each_mut().map(|file| io::read_to_string(file).ok());
        assert_eq!(texts, [Some("a".to_string()), Some("b".to_string())]);
        drop(files);
        let left = fs::read_dir(&folder).expect("the folder").count();
        assert_eq!(left, 0);
        fs::remove_dir_all(folder).expect("the folder goes away");
    }
}
