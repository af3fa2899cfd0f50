//! Interned names (operation names, attribute keys).

use std::borrow::Cow;
use std::sync::OnceLock;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::op_table::{ATTR_NAMES, AttrName, KINDS, OpKind};

/// An interned name of one [`Names`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(u32);

impl Name {
    /// The name of an attribute of the table of operations, in every [`Names`].
    #[inline]
    pub(super) const fn of_attr(attr: AttrName) -> Name {
        Name(KINDS.len() as u32 + attr as u32)
    }

    /// The name of the operations of a kind, in every [`Names`]; `None` for [`OpKind::Unknown`].
    #[inline]
    pub(super) fn of_kind(kind: OpKind) -> Option<Name> {
        kind.row().map(|row| Name(row as u32))
    }
}

/// The table of interned names: those of the table of operations, then others in order of first use.
#[derive(Clone, Debug)]
pub struct Names {
    set: IndexSet<Cow<'static, str>, FxBuildHasher>,
}

impl Default for Names {
    fn default() -> Names {
        static OF_THE_TABLE: OnceLock<Names> = OnceLock::new();
        let names = OF_THE_TABLE.get_or_init(|| {
            let kinds = KINDS.iter().map(|(_, name)| *name);
            let names = kinds.chain(ATTR_NAMES).map(Cow::Borrowed);
            Names {
                set: names.collect(),
            }
        });
        names.clone()
    }
}

impl Names {
    /// The name of a text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(index) = self.set.get_index_of(text) {
            return Name(index as u32);
        }
        Name(self.set.insert_full(Cow::Owned(text.into())).0 as u32)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_table_are_where_kinds_and_attributes_say() {
        let mut names = Names::default();
        for (kind, name) in KINDS {
            assert_eq!(
                Name::of_kind(*kind).map(|name| names.text(name)),
                Some(*name)
            );
        }
        for (number, name) in ATTR_NAMES.iter().enumerate() {
            let at = Name((KINDS.len() + number) as u32);
            assert_eq!(names.intern(name), at);
            assert_eq!(names.text(at), *name);
        }
        assert_eq!(names.text(Name::of_attr(AttrName::sym_name)), "sym_name");
    }
}
