//! The table of operations ([`rows`]) and what the IR knows of it: the kind of an operation, which
//! is the number of its row. What the rows declare is in [`crate::ops`].

pub(crate) mod rows;

use rows::for_each_op;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

macro_rules! op_kinds {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident = $name:literal $operands:tt
            -> $results:tt, $regions:tt, $successors:tt $traits:tt $attributes:tt $($format:literal)?
    )*) => {
        /// The kind of an operation: a row of the table, or unknown.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum OpKind {
            /// Not in the table; kept as it is.
            Unknown,
            $($(#[doc = $doc])+ $kind,)*
        }

        /// Kinds with their full names, in the order of the rows.
        pub(crate) const KINDS: &[(OpKind, &str)] = &[$((OpKind::$kind, $name)),*];
    };
}

for_each_op!(op_kinds);

include!(concat!(env!("OUT_DIR"), "/attr_names.rs"));

/// The kind of a full operation name; [`OpKind::Unknown`] when it isn't in the table.
pub fn kind_of(name: &str) -> OpKind {
    static BY_NAME: OnceLock<FxHashMap<&'static str, OpKind>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| KINDS.iter().map(|(kind, name)| (*name, *kind)).collect());
    by_name.get(name).copied().unwrap_or(OpKind::Unknown)
}

impl OpKind {
    /// The number of its row; `None` for [`OpKind::Unknown`].
    pub(crate) fn row(self) -> Option<usize> {
        // Kinds are in the order of the rows, after `Unknown`.
        (self as usize).checked_sub(1)
    }

    /// The full name; empty for [`OpKind::Unknown`].
    pub fn name(self) -> &'static str {
        let row = self.row().and_then(|row| KINDS.get(row));
        row.map_or("", |(_, name)| name)
    }
}
