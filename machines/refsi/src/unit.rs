//! Units that make accesses. A unit id is `kind << 24 | index`.

use std::fmt;

/// Bits of the index in a unit id.
const INDEX_BITS: u32 = 16;
/// Lowest bit of the kind in a unit id.
const KIND_SHIFT: u32 = 24;

/// Who makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Any unit.
    Any,
    /// The host.
    External,
    /// The command processor.
    Cmp,
    /// A hart, counted through all cores.
    Hart(u16),
    /// A core.
    Core(u16),
}

impl Unit {
    /// Names of the kinds as they are written, with their numbers and what they are.
    pub const KINDS: [(&'static str, u64, &'static str); 5] = [
        ("any", 0, "any unit"),
        ("external", 1, "the host"),
        ("cmp", 2, "the command processor"),
        ("hart", 3, "a hart: `hart:N`"),
        ("core", 4, "a core: `core:N`"),
    ];

    /// The unit of an id; `None` for ids of no unit.
    pub fn of(id: u64) -> Option<Unit> {
        let index = (id & 0xFFFF) as u16;
        if id >> 32 != 0 || (id >> INDEX_BITS) & 0xFF != 0 {
            return None;
        }
        let unit = Unit::from_kind(id >> KIND_SHIFT, index)?;
        (unit.id() == id).then_some(unit)
    }

    /// The unit of a kind's number and an index, which the kinds without one ignore.
    pub fn from_kind(kind: u64, index: u16) -> Option<Unit> {
        Some(match kind {
            0 => Unit::Any,
            1 => Unit::External,
            2 => Unit::Cmp,
            3 => Unit::Hart(index),
            4 => Unit::Core(index),
            _ => return None,
        })
    }

    /// Its id.
    pub fn id(self) -> u64 {
        let (kind, index) = match self {
            Unit::Any => (0, 0),
            Unit::External => (1, 0),
            Unit::Cmp => (2, 0),
            Unit::Hart(index) => (3, index),
            Unit::Core(index) => (4, index),
        };
        kind << KIND_SHIFT | u64::from(index)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Any => f.write_str("any"),
            Unit::External => f.write_str("external"),
            Unit::Cmp => f.write_str("cmp"),
            Unit::Hart(index) => write!(f, "hart:{index}"),
            Unit::Core(index) => write!(f, "core:{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back() {
        for unit in [
            Unit::Any,
            Unit::External,
            Unit::Cmp,
            Unit::Hart(7),
            Unit::Core(1),
        ] {
            assert_eq!(Unit::of(unit.id()), Some(unit));
        }
        assert_eq!(Unit::of(0x300_0001), Some(Unit::Hart(1)));
        for id in [0x301_0001, 0x500_0000, 0x100_0001, 1 << 32, 1 << 16] {
            assert_eq!(Unit::of(id), None, "{id:x}");
        }
    }
}
