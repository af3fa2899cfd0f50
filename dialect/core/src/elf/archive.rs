//! Archives of objects (`.a`), as llvm-ar and other tools write them.

use aiec_diag::Diag;
use object::archive::{MAGIC, THIN_MAGIC};
use object::read::archive::ArchiveFile;

use super::codes;
use super::read::read_object;
use crate::object::CoreObject;

/// Whether bytes are an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&THIN_MAGIC)
}

/// Reads the objects of an archive, named `ARCHIVE(MEMBER)`.
///
/// # Errors
/// The archive is malformed or only names its members' files, or a member isn't an object of a
/// core.
pub fn read_archive(name: &str, bytes: &[u8]) -> Result<Vec<CoreObject>, Diag> {
    read_members(name, bytes).into_iter().collect()
}

/// Reads the objects of an archive, each for itself.
pub fn read_members(name: &str, bytes: &[u8]) -> Vec<Result<CoreObject, Diag>> {
    let refuse = |what: &str| {
        Diag::error(&codes::NOT_AN_ARCHIVE, format!("{name}: {what}"))
            .help("make it with `llvm-ar rcs` of objects that `-c` writes")
    };
    let malformed = |error: object::read::Error| refuse(&format!("malformed: {error}"));
    let archive = match ArchiveFile::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => return vec![Err(malformed(error))],
    };
    if archive.is_thin() {
        return vec![Err(refuse(
            "a thin archive, which does not hold its members",
        ))];
    }
    let members = archive.members().map(|member| {
        let member = member.map_err(malformed)?;
        let data = member.data(bytes).map_err(malformed)?;
        let member = String::from_utf8_lossy(member.name());
        read_object(&format!("{name}({member})"), data)
    });
    members.collect()
}
