//! Where included files are looked up.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_cert::asm::{Files, FoundFile, UnknownRegister};
use aiec_cert::names::Target;
use aiec_device::regmap::Module;
use aiec_device::{DeviceModel, TileLoc};

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

    fn register(
        &self,
        target: Target,
        (column, row): (u8, u8),
        name: &str,
    ) -> Result<u32, UnknownRegister> {
        register(target, TileLoc::new(column, row), name)
    }
}

/// The device whose registers are looked up for the family aie2ps, as all its devices have the same.
const AIE2PS_DEVICE: &str = "xcve3858";

/// The address of a register of a tile: by the manual's name, or by `MODULE.NAME` where both modules of a
/// core tile have one of the name.
fn register(target: Target, tile: TileLoc, text: &str) -> Result<u32, UnknownRegister> {
    let unknown = |why: String, help: String| UnknownRegister { why, help };
    let device = match target {
        Target::Aie2ps => DeviceModel::by_name(AIE2PS_DEVICE),
        Target::Aie4 => None,
    };
    let Some(device) = device else {
        let why = format!("names of registers of {target} aren't published");
        return Err(unknown(why, "write the address".to_owned()));
    };
    let Some(map) = device.register_map(tile) else {
        let why = format!("{device} has no tile {tile}", device = device.name());
        return Err(unknown(
            why,
            format!("`aiec devices {AIE2PS_DEVICE}` shows the rows"),
        ));
    };
    let (module, name) = match text.split_once('.') {
        Some((module, name)) => (Some(module), name),
        None => (None, text),
    };
    let wanted = |found: &(Module, u32)| {
        module.is_none_or(|module| found.0.name().eq_ignore_ascii_case(module))
    };
    let found: Vec<(Module, u32)> = map.named(name).filter(wanted).collect();
    match found[..] {
        [(_, offset)] => Ok(device.tile_address(tile, offset)),
        [] => {
            let help = match map.similar_name(name) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("`aiec devices {AIE2PS_DEVICE} --registers` lists them"),
            };
            let kind = device.tile_kind(tile).map_or("this", |kind| kind.name());
            Err(unknown(format!("a {kind} has no register {text}"), help))
        }
        _ => {
            let modules = found.iter().map(|(module, _)| format!("{module}.{name}"));
            let modules: Vec<String> = modules.collect();
            let why = format!("several modules of tile {tile} have a register {name}");
            Err(unknown(why, format!("write {}", modules.join(" or "))))
        }
    }
}
