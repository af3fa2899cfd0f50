//! Where included files are looked up.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_cert::asm::{Files, FoundFile};

/// The file system: a name is taken as it is, then beside the file that names it, then in each
/// folder of the command line, then beside the description of a configuration.
///
/// The vendor's assembler knows no "beside the file that names it" (aiebu:
/// src/cpp/common/file_utils.h), so for compatible texts that comes last.
pub struct Folders {
    folders: Vec<PathBuf>,
    save_restore: Option<PathBuf>,
    compat: bool,
}

impl Folders {
    /// With these folders after the usual places.
    pub fn new(folders: &[PathBuf], config: Option<&Path>, compat: bool) -> Folders {
        let config = config.map(folder_of);
        Folders {
            folders: folders.iter().cloned().chain(config).collect(),
            save_restore: None,
            compat,
        }
    }

    /// With a folder of save and restore programs for PREEMPT.
    pub fn with_save_restore(mut self, folder: Option<&Path>) -> Folders {
        self.save_restore = folder.map(Path::to_path_buf);
        self
    }

    /// The file that a text of the file `from` calls `name`.
    pub fn read(&self, name: &str, from: &Path) -> Option<(PathBuf, Vec<u8>)> {
        let beside = folder_of(from);
        let (first, last) = if self.compat {
            (None, Some(beside))
        } else {
            (Some(beside), None)
        };
        std::iter::once(PathBuf::new())
            .chain(first)
            .chain(self.folders.iter().cloned())
            .chain(last)
            .find_map(|folder| {
                let path = folder.join(name);
                let bytes = fs::read(&path).ok()?;
                Some((path, bytes))
            })
    }
}

/// The folder that a file is in; empty for the current one.
fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_path_buf).unwrap_or_default()
}

impl Files for Folders {
    fn find(&self, name: &str, from: &str) -> Option<FoundFile> {
        let (path, bytes) = self.read(name, Path::new(from))?;
        let path = path.display().to_string();
        Some(FoundFile { path, bytes })
    }

    fn has_save_restore(&self) -> bool {
        self.save_restore.is_some()
    }

    fn save_restore(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.save_restore.as_ref()?.join(name)).ok()
    }
}
