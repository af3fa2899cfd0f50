//! Where included files are looked up.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_ctrlcode::asm::{Files, FoundFile};

/// The file system: a name is taken as it is, then beside the file that names it, then in each
/// folder of the command line.
pub struct Folders {
    folders: Vec<PathBuf>,
}

impl Folders {
    /// With these folders behind the usual places.
    pub fn new(folders: &[PathBuf]) -> Folders {
        Folders {
            folders: folders.to_vec(),
        }
    }

    /// The file that a text of the file `from` calls `name`.
    pub fn read(&self, name: &str, from: &Path) -> Option<(PathBuf, Vec<u8>)> {
        let beside = from.parent().map(Path::to_path_buf).unwrap_or_default();
        let folders = self.folders.iter().cloned();
        std::iter::once(PathBuf::new())
            .chain(std::iter::once(beside))
            .chain(folders)
            .find_map(|folder| {
                let path = folder.join(name);
                let bytes = fs::read(&path).ok()?;
                Some((path, bytes))
            })
    }
}

impl Files for Folders {
    fn find(&self, name: &str, from: &str) -> Option<FoundFile> {
        let (path, bytes) = self.read(name, Path::new(from))?;
        let path = path.display().to_string();
        Some(FoundFile { path, bytes })
    }
}
