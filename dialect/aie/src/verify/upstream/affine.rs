//! `affine`: maps take the operands that are there, and give as many numbers as are needed
//! (`mlir: lib/Dialect/Affine/IR/AffineOps.cpp`).

use super::Findings;
use crate::ir::{Attr, Type};
use crate::ops::OpKind;

/// The results that a map must have.
enum Results {
    /// As many as given, for the reason.
    Exactly(usize, &'static str),
    /// One at least.
    Some,
}

/// A map of an operation, with the operands that it takes.
struct MapUse {
    /// The attribute that holds the map.
    map: &'static str,
    /// The operands that it is applied to.
    operands: &'static str,
    /// The results that it must have.
    results: Results,
}

/// Kinds that [`check`] knows.
pub(super) fn handles(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        AffineFor
            | AffineIf
            | AffineApply
            | AffineMin
            | AffineMax
            | AffineLoad
            | AffineStore
            | AffineVectorLoad
            | AffineVectorStore
    )
}

pub(super) fn check(finding: &mut Findings<'_>, kind: OpKind) {
    use OpKind::*;
    let uses = |map, operands, results| MapUse {
        map,
        operands,
        results,
    };
    match kind {
        AffineFor => {
            map(
                finding,
                &uses("lowerBoundMap", "lowerBoundOperands", Results::Some),
            );
            map(
                finding,
                &uses("upperBoundMap", "upperBoundOperands", Results::Some),
            );
        }
        // The set is read where it is lowered, which compares the counts.
        AffineIf => finding.indices("operands"),
        AffineApply => {
            let one = Results::Exactly(1, "it computes one index");
            map(finding, &uses("map", "mapOperands", one));
            gives_index(finding);
        }
        AffineMin | AffineMax => {
            map(finding, &uses("map", "operands", Results::Some));
            gives_index(finding);
        }
        _ => {
            let memref_at = usize::from(matches!(kind, AffineStore | AffineVectorStore));
            if let Some(Type::MemRef(memref)) = finding.operand(memref_at) {
                let rank = memref.shape.len();
                let results = Results::Exactly(rank, "the map gives an index for each dimension");
                map(finding, &uses("map", "indices", results));
            }
        }
    }
}

/// A map takes one operand of type `index` for each of its dimensions and symbols.
fn map(finding: &mut Findings<'_>, uses: &MapUse) {
    let Some(Attr::AffineMap(map)) = finding.module.attr(finding.op, uses.map) else {
        return;
    };
    let given = finding.group(uses.operands).len();
    let taken = map.dims as usize + map.symbols as usize;
    let results = map.results.len();
    if given != taken {
        let message = format!("{given} operands for a map of {taken} dimensions and symbols");
        finding.of_type(message, "give one operand for each of them");
    }
    finding.indices(uses.operands);
    match uses.results {
        Results::Exactly(want, why) if results != want => {
            let message = format!("a map of {results} results where {want} are needed");
            finding.of_type(message, why);
        }
        Results::Some if results == 0 => {
            finding.of_type("a map without results".to_string(), "give it one at least");
        }
        _ => {}
    }
}

fn gives_index(finding: &mut Findings<'_>) {
    if let Some(ty) = finding.result(0).filter(|ty| **ty != Type::Index) {
        let message = format!("`{}` computes an index, not {ty}", finding.name());
        finding.of_type(message, "convert its result: arith.index_cast");
    }
}
