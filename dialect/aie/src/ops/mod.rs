//! The operations: one table ([`OPS`]) from which everything else derives: the [`OpKind`] of an
//! operation, a typed view for each (`ops::Tile::cast(m, op)`, `tile.col(m)`), what the verifier
//! checks about operands, attributes, results and regions, and the reference page.
//!
//! A view's accessors answer what is in the IR: on a verified module a required attribute is
//! there; on any other a missing one reads as zero or empty. The ranges and meanings that the
//! declarations can't say are checked by the verifier.

mod def;
mod define;
pub mod enums;
pub mod kind;
pub mod netlist;
mod table;

pub use def::{AttrDef, OpDef, OpView, Traits};
pub use table::*;

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The kind of a full operation name; [`OpKind::Unknown`] when it isn't in the table.
pub fn kind_of(name: &str) -> OpKind {
    static BY_NAME: OnceLock<FxHashMap<&'static str, OpKind>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| OPS.iter().map(|def| (def.name, def.kind)).collect());
    by_name.get(name).copied().unwrap_or(OpKind::Unknown)
}

impl OpKind {
    /// The declaration; `None` for [`OpKind::Unknown`].
    pub fn def(self) -> Option<&'static OpDef> {
        // The table has one row per kind, in the order of the enumeration after `Unknown`.
        OPS.get((self as usize).checked_sub(1)?)
    }

    /// The full name; empty for [`OpKind::Unknown`].
    pub fn name(self) -> &'static str {
        self.def().map_or("", |d| d.name)
    }

    /// Whether the declaration has all of these traits.
    pub fn has(self, traits: Traits) -> bool {
        self.def().is_some_and(|d| d.traits.contains(traits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Attr, InsertPoint, Loc, Module, Type};

    #[test]
    fn each_row_stands_at_its_kind_and_names_are_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for def in OPS {
            assert_eq!(def.kind.name(), def.name);
            assert_eq!(kind_of(def.name), def.kind);
            assert!(seen.insert(def.name), "{} twice", def.name);
            assert!(
                !def.summary.trim().is_empty(),
                "{} has no summary",
                def.name
            );
        }
        assert_eq!(kind_of("no.such"), OpKind::Unknown);
    }

    #[test]
    fn views_read_what_was_built_and_uses_stay_in_order() {
        let mut m = Module::new();
        let at = InsertPoint::End(m.body());
        let tile = m
            .build(OpKind::Tile, Loc::UNKNOWN)
            .attr("col", Attr::i32(3))
            .attr("row", Attr::i32(4))
            .result(Type::Index)
            .insert(at);
        let value = m.result(tile, 0).unwrap();
        let make_lock = |m: &mut Module| {
            let build = m.build(OpKind::Lock, Loc::UNKNOWN).operand(value);
            build
                .attr("lockID", Attr::i32(1))
                .result(Type::Index)
                .insert(at)
        };
        let first = make_lock(&mut m);
        let second = make_lock(&mut m);
        assert_eq!(m.users(value), [first, second]);
        let view = m.children::<Tile>(m.top())[0];
        assert_eq!((view.col(&m), view.row(&m)), (3, 4));
        assert!(Lock::cast(&m, tile).is_none());
        m.erase(first);
        assert_eq!(m.users(value), [second]);
        assert!(!m.is_live(first));
        assert_eq!(m.children::<Lock>(m.top()).len(), 1);
    }
}
