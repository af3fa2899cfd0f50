//! `aie-localize-locks`: cores name locks as their instructions do, by a number that says in which
//! neighbour the lock is (`mlir-aie: lib/Dialect/AIE/Transforms/AIELocalizeLocks.cpp`).
//!
//! The numbers are the windows of the device model: own memory module, south, west, north.

use std::collections::BTreeMap;

use aiec_aie::ir::{InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, Core, Device, Lock, OpView};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::FxHashMap;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-localize-locks", run)
    .summary("Replace the locks that cores use by the numbers in their instructions")
    .postconditions(&["cores name locks by constants"]);

codes! {
    /// Codes of `aie-localize-locks`.
    pub static CODES;
    NO_NUMBER = "locks::no-number",
        "A core's instructions name locks by number, so each lock must have its number of the \
         tile before (aie-assign-lock-ids).";
    OUT_OF_REACH = "locks::out-of-reach",
        "A core reaches the locks of its own memory module and of its neighbours' to the south, \
         west and north (on the first generation west or east by row).";
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    // Locks by handle, with their place in the text.
    let locks: FxHashMap<Value, (usize, Lock)> = module
        .find_all::<Lock>(device)
        .into_iter()
        .enumerate()
        .filter_map(|(n, lock)| Some((module.result(lock.op(), 0)?, (n, lock))))
        .collect();
    for core in module.children::<Core>(device) {
        let place = core.tile_loc(module).zip(module.entry(core.op(), 0));
        let Some((here, entry)) = place else {
            continue;
        };
        // Functions are given locks too.
        let mut uses: BTreeMap<usize, (Lock, Vec<(Op, usize)>)> = BTreeMap::new();
        for op in module.walk(core.op()) {
            for (at, operand) in module.operands(op).enumerate() {
                if let Some((n, lock)) = locks.get(&operand) {
                    let entry = uses.entry(*n).or_insert((*lock, Vec::new()));
                    entry.1.push((op, at));
                }
            }
        }
        for (lock, uses) in uses.into_values() {
            let window = lock
                .tile_loc(module)
                .and_then(|there| model.core_window_to(here, there));
            let Some((first, _)) = uses.first().copied() else {
                continue;
            };
            let (Some(id), Some(window)) = (lock.lockID(module), window) else {
                context.report(refused(module, lock, first, window.is_some()));
                continue;
            };
            let number = i64::from(window.lock_base) + i64::from(id);
            let loc = module.derived_loc(context.pass, first);
            let start = InsertPoint::Start(entry);
            let number = ArithConstant::int(module, loc, number, Type::Index, start);
            for (op, at) in uses {
                module.set_operand(op, at, number);
            }
            context.count("locks named by number", 1);
        }
    }
    context.diags.check()
}

fn refused(module: &Module, lock: Lock, user: Op, in_reach: bool) -> Diag {
    let (code, message, help) = if in_reach {
        (
            &NO_NUMBER,
            "this core uses a lock without a number",
            "run aie-assign-lock-ids first",
        )
    } else {
        (
            &OUT_OF_REACH,
            "this core can't reach the lock it uses",
            "use a lock of the core's tile or of a neighbour whose memory it sees",
        )
    };
    Diag::error(code, message)
        .label(module.span(user), "used here")
        .label(module.span(lock.op()), "this lock")
        .help(help)
}
