//! Contents of a section, by its name.

use aiec_diag::Diag;

use crate::binary;

/// Most controllers of a file: two for each of 128 columns.
const MAX_UCS: u32 = 256;

/// Contents of a section, and the instance they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Role {
    /// Number of the instance; 0 in plain files.
    pub instance: u32,
    /// Its contents.
    pub holds: SectionContents,
}

/// Sorts of sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionContents {
    Text {
        uc: u32,
        page: u32,
    },
    Data {
        uc: u32,
        page: u32,
    },
    /// All pages of a controller.
    Merged {
        uc: u32,
    },
    Pad {
        uc: u32,
    },
    CtrlPacket {
        id: u32,
    },
    /// The vendor's debug record of an instance.
    Dump,
}

/// Prefixes of names, and how many numbers follow, that of the instance not counted.
const NAMES: [(&str, usize); 5] = [
    (".ctrltext.", 2),
    (".ctrldata.", 2),
    (".pad.", 1),
    (".ctrlpkt-", 1),
    (".dump.", 0),
];

impl Role {
    /// `Ok(None)` for sections that hold no code. In files of several instances the last number
    /// of a name is the instance.
    pub fn parse(name: &str, grouped: bool, merged: bool) -> Result<Option<Self>, Diag> {
        let split = |(prefix, count)| Some((prefix, count, name.strip_prefix(prefix)?));
        let Some((prefix, count, rest)) = NAMES.into_iter().find_map(split) else {
            return Ok(None);
        };
        let malformed = || binary::malformed(format!("the section name '{name}' is malformed"));
        let numbers = rest.split('.').map(|n| n.parse().map_err(|_| malformed()));
        let mut numbers = numbers.collect::<Result<Vec<u32>, _>>()?;
        let instance = if grouped {
            numbers.pop().ok_or_else(malformed)?
        } else {
            0
        };
        let merged = merged && prefix == ".ctrltext.";
        let holds = match (prefix, &numbers[..]) {
            _ if numbers.len() != count - usize::from(merged) => return Err(malformed()),
            (".ctrlpkt-", &[id]) => SectionContents::CtrlPacket { id },
            (_, &[uc, ..]) if uc >= MAX_UCS => return Err(malformed()),
            (".ctrltext.", &[uc]) => SectionContents::Merged { uc },
            (".ctrltext.", &[uc, page]) => SectionContents::Text { uc, page },
            (".ctrldata.", &[uc, page]) => SectionContents::Data { uc, page },
            (".pad.", &[uc]) => SectionContents::Pad { uc },
            (".dump.", []) if grouped => SectionContents::Dump,
            _ => return Err(malformed()),
        };
        Ok(Some(Self { instance, holds }))
    }
}
