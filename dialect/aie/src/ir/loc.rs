//! Locations: where an operation came from.

use crate::source::Span;

/// A location of a [`LocTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Loc(u32);

impl Loc {
    /// Nobody knows.
    pub const UNKNOWN: Loc = Loc(0);
}

/// What a location says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocInfo {
    /// Nobody knows.
    Unknown,
    /// These bytes of a source file.
    Span(Span),
    /// Made by a pass from an operation at another location.
    Derived {
        /// The pass's command-line name.
        pass: &'static str,
        /// The location of the operation it was made from.
        from: Loc,
    },
}

/// All locations of a module; entry 0 is [`Loc::UNKNOWN`].
#[derive(Clone, Debug)]
pub struct LocTable {
    entries: Vec<LocInfo>,
}

impl Default for LocTable {
    fn default() -> Self {
        LocTable {
            entries: vec![LocInfo::Unknown],
        }
    }
}

impl LocTable {
    /// The location of a span; equal consecutive spans share one entry.
    pub fn span(&mut self, span: Span) -> Loc {
        self.add(LocInfo::Span(span))
    }

    /// "Made by `pass` from `from`"; equal consecutive ones share one entry.
    pub fn derived(&mut self, pass: &'static str, from: Loc) -> Loc {
        self.add(LocInfo::Derived { pass, from })
    }

    fn add(&mut self, info: LocInfo) -> Loc {
        if self.entries.last() != Some(&info) {
            self.entries.push(info);
        }
        Loc((self.entries.len() - 1) as u32)
    }

    /// What a location says.
    pub fn info(&self, loc: Loc) -> LocInfo {
        self.entries
            .get(loc.0 as usize)
            .copied()
            .unwrap_or(LocInfo::Unknown)
    }

    /// The span in the user's text, through all passes.
    pub fn source_span(&self, loc: Loc) -> Option<Span> {
        let mut info = self.info(loc);
        loop {
            match info {
                LocInfo::Unknown => return None,
                LocInfo::Span(span) => return Some(span),
                LocInfo::Derived { from, .. } => info = self.info(from),
            }
        }
    }
}
