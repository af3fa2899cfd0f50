//! Custom syntax. Most operations are read and printed by the format of their row in the table of
//! operations ([`mod@format`]); operations whose text is more than a format can say have two functions
//! side by side, and a row here.

mod affine;
mod array;
mod cf;
mod dma;
mod fifo;
mod format;
mod fragments;
mod func;
mod legacy_syntax;
mod linalg;
mod linalg_body;
mod memref;
mod parallel;
pub(crate) mod printed;
mod scalar;
mod scf;
mod sequence;
pub(crate) mod stored;
pub(crate) mod syntax;
mod vector;
mod vector_access;
pub(crate) mod words;

use std::sync::OnceLock;

use crate::ir::{Attr, DYNAMIC, Module, Op};
use crate::op_table::rows::OTHER_NAMES;
use crate::ops::{OPS, OpKind, Traits};
use crate::text::parse::RegionStyle;
use syntax::Syntax;

pub(crate) use legacy_syntax::normalise;

/// The syntax of a kind.
pub(crate) fn syntax(kind: OpKind) -> Option<Syntax> {
    static BY_KIND: OnceLock<Vec<Option<Syntax>>> = OnceLock::new();
    let by_kind = BY_KIND.get_or_init(|| {
        let mut list = vec![None; OPS.len() + 1];
        for (kind, format) in format::formats() {
            list[kind as usize] = Some(Syntax::Format(format));
        }
        let own = [
            affine::SYNTAX,
            array::SYNTAX,
            cf::SYNTAX,
            dma::SYNTAX,
            fifo::SYNTAX,
            func::SYNTAX,
            linalg::SYNTAX,
            memref::SYNTAX,
            parallel::SYNTAX,
            scalar::SYNTAX,
            scf::SYNTAX,
            sequence::SYNTAX,
            vector::SYNTAX,
            vector_access::SYNTAX,
        ];
        for (kind, rule, parse, print) in own.into_iter().flatten() {
            list[*kind as usize] = Some(Syntax::Own(*rule, *parse, *print));
        }
        list
    });
    by_kind.get(kind as usize).copied().flatten()
}

/// Today's full name of an operation.
pub(crate) fn full_name(name: &str) -> &str {
    let other = OTHER_NAMES.iter().find(|(short, _)| *short == name);
    other.map_or(name, |(_, full)| full)
}

/// The name as printed in custom form.
pub(crate) fn printed_name(m: &Module, op: Op) -> &str {
    match m.kind(op) {
        OpKind::BuiltinModule => "module",
        OpKind::FuncReturn => "return",
        // Directly in a function its dialect needs no name.
        OpKind::FuncCall
            if m.parent_op(op)
                .is_some_and(|p| m.kind(p) == OpKind::FuncFunc) =>
        {
            "call"
        }
        _ => m.op_name(op),
    }
}

/// Parts that the text may leave out in regions of a kind.
pub(crate) fn region_style(kind: OpKind) -> RegionStyle {
    let implied = kind.has(Traits::IMPLICIT_END).then_some(OpKind::End);
    RegionStyle {
        implied_terminator: implied,
    }
}

/// Whether the custom syntax can say all that an operation holds.
pub(crate) fn printable(m: &Module, syntax: Syntax, op: Op) -> bool {
    let Some(def) = m.kind(op).def() else {
        return false;
    };
    let fits = |wanted: Option<u8>, found: usize| wanted.is_none_or(|w| usize::from(w) == found);
    let fixed = def
        .operands
        .iter()
        .filter(|o| !o.ends_with(['?', '*']))
        .count();
    let open = fixed < def.operands.len();
    let operands = m.num_operands(op);
    lists_match(m, op)
        && (operands == fixed || (open && operands >= fixed))
        && fits(def.results, m.num_results(op))
        && fits(def.regions, m.regions_of(op).len())
        && fits(def.successors, m.successors(op).len())
        && def
            .attrs
            .iter()
            .filter(|a| a.required)
            .all(|a| m.attr(op, a.name).is_some_and(|v| (a.accepts)(v)))
        && syntax.fits(m, op)
}

/// Whether mixed lists have a value for each of their dynamic entries.
fn lists_match(m: &Module, op: Op) -> bool {
    let mut dynamic = 0;
    let mut mixed = false;
    for (key, value) in m.attrs(op) {
        if let (true, Attr::DenseArray(list)) = (key.starts_with("static_"), value) {
            mixed = true;
            dynamic += list.values.iter().filter(|v| **v == DYNAMIC).count();
        }
    }
    if !mixed {
        return true;
    }
    let declared = m.kind(op).def().map_or(&[][..], |def| def.operands);
    let listed = declared
        .iter()
        .zip(m.operand_groups(op))
        .filter(|(name, _)| name.ends_with('*'))
        .map(|(_, group)| group.len());
    listed.sum::<usize>() == dynamic
}
