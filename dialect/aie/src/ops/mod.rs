//! The operations: the declarations of the table's rows ([`OPS`]) and what derives from them: a
//! typed view for each (`ops::Tile::cast(m, op)`, `tile.col(m)`) with its builder
//! (`ops::Tile::build(m, loc, col, row)`, `tile.edit(m).col(2)`), what the verifier checks about
//! operands, attributes, results and regions, and the reference page.
//!
//! A view's accessors answer what is in the IR: on a verified module a required attribute is
//! there; on any other a missing one reads as zero or empty. The ranges and meanings that the
//! declarations can't say are checked by the verifier.

mod branches;
mod def;
mod define;
pub mod enums;
pub mod kind;
mod lookup;
pub mod netlist;
mod views;

pub use crate::op_table::{OpKind, kind_of};
pub use def::{AttrDef, OpDef, OpView, Traits};
pub use kind::NoAttr;
pub use views::*;

/// The attribute that permits products of bf16 matrices to round their factors to block floating point, where a core has no other
/// instruction for them: of an `aie.core`, a `func.func`, a `vector.contract` or an `aievec.matmul`, for all products in it.
pub const BFP16_PRODUCTS: &str = "aie.bfp16_products";

impl OpKind {
    /// The declaration; `None` for [`OpKind::Unknown`].
    pub fn def(self) -> Option<&'static OpDef> {
        OPS.get(self.row()?)
    }

    /// Whether the declaration has all of these traits.
    pub fn has(self, traits: Traits) -> bool {
        self.def().is_some_and(|d| d.traits.contains(traits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{InsertPoint, Loc, Module, Type};

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
        let tile = Tile::build(&mut m, Loc::UNKNOWN, 3, 4);
        let value = tile.insert_value(Type::Index, at);
        let tile = m.def_op(value).unwrap();
        let make_lock = |m: &mut Module| {
            let lock = Lock::build(m, Loc::UNKNOWN, value).lockID(1);
            lock.result(Type::Index).insert(at)
        };
        let first = make_lock(&mut m);
        let second = make_lock(&mut m);
        assert_eq!(m.users(value), [first, second]);
        let view = m.children::<Tile>(m.top())[0];
        assert_eq!((view.col(&m), view.row(&m)), (3, 4));
        assert!(Lock::cast(&m, tile).is_none());
        view.edit(&mut m)
            .row(5)
            .allocation_scheme("basic-sequential");
        assert_eq!((view.row(&m), m.result(tile, 0)), (5, Some(value)));
        assert!(view.allocation_scheme(&m).is_some());
        view.edit(&mut m).allocation_scheme(NoAttr);
        assert!(view.allocation_scheme(&m).is_none());
        m.erase(first);
        assert_eq!(m.users(value), [second]);
        assert!(!m.is_live(first));
        assert_eq!(m.children::<Lock>(m.top()).len(), 1);
    }
}
