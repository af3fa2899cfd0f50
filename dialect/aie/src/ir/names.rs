//! Interned names (operation names, attribute keys).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// An interned name of one [`Names`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(u32);

/// The table of interned names, in order of first use.
#[derive(Clone, Debug, Default)]
pub struct Names {
    set: IndexSet<Box<str>, FxBuildHasher>,
}

impl Names {
    /// The name of a text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(index) = self.set.get_index_of(text) {
            return Name(index as u32);
        }
        Name(self.set.insert_full(text.into()).0 as u32)
    }

    /// The name of a text that was interned before.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.set.get_index_of(text).map(|i| Name(i as u32))
    }

    /// The text of a name; empty for a name of another table.
    #[inline]
    pub fn text(&self, name: Name) -> &str {
        self.set.get_index(name.0 as usize).map_or("", |s| s)
    }
}
