//! `canonicalize`: brings operations into their simplest form, as MLIR's pass of that name does:
//! constants are folded ([`fold`]), equal constants of a program become one at its start
//! ([`constants`]), branches that constants decide and blocks that nothing reaches go
//! ([`control`]), transfers over contiguous elements become linear and repeated BD chains short
//! ([`transfers`]), and operations without uses go.
//!
//! Rounds are repeated until nothing changes; each is linear in the size of the module.

mod constants;
pub(crate) mod control;
mod fold;
pub(crate) mod transfers;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpKind, Traits};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("canonicalize", run)
    .summary("Fold constants, simplify control flow and transfers, remove unused operations")
    .postconditions(&[
        "no operation that constants decide is left",
        "no pure operation without users is left",
        "contiguous transfers of shim tiles are linear",
    ]);

/// Rounds after which the pass stops, whether or not something still changes (MLIR's driver does
/// ten as well).
const MAX_ROUNDS: usize = 10;

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    for _ in 0..MAX_ROUNDS {
        let mut changes = fold::run(module);
        changes += constants::run(module);
        changes += transfers::run(module);
        changes += control::run(module);
        changes += remove_unused(module);
        context.count("changes", changes);
        if changes == 0 {
            break;
        }
    }
    Ok(())
}

/// All operations, outer ones before what they contain.
fn all_ops(m: &Module) -> Vec<Op> {
    m.walk(m.top()).collect()
}

/// Removes operations without effect and without uses; returns how many.
fn remove_unused(m: &mut Module) -> u64 {
    let mut removed = 0;
    // Users come after what they use, so that going backwards finds chains in one round.
    for op in all_ops(m).into_iter().rev() {
        if m.is_live(op) && removable(m, op) {
            m.erase(op);
            removed += 1;
        }
    }
    removed
}

/// Whether an operation has no effect but its results, and those aren't used.
fn removable(m: &Module, op: Op) -> bool {
    let only_reads = matches!(
        m.kind(op),
        OpKind::MemrefLoad
            | OpKind::MemrefAlloc
            | OpKind::MemrefAlloca
            | OpKind::AffineLoad
            | OpKind::AffineVectorLoad
            | OpKind::VectorLoad
            | OpKind::VectorTransferRead
    );
    let free = only_reads || m.kind(op).has(Traits::PURE);
    let results = m.results(op);
    free && results.len() > 0 && m.results(op).all(|value| !m.has_uses(value))
}
