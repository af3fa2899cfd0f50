//! Whether a core's times are the same whatever its data: nothing that it branches on, counts with or hands to a function comes from memory.
//!
//! Loops and branches around lock operations are left to what follows those ([`super::known_integers`]). The variables of such
//! loops count as unknown here, as times may not depend on the round either.

use aiec_aie::ir::{Module, Op, Type, Value};
use aiec_aie::ops::{OpKind, OpView, ScfFor};
use rustc_hash::FxHashSet;

use super::known_integers::uses_locks;

/// Whether the time that a core takes between its lock operations is the same for all data, and in each round of the loops around these.
pub(crate) fn has_fixed_times(module: &Module, core: Op) -> bool {
    let mut fixed: FxHashSet<Value> = FxHashSet::default();
    module.walk(core).all(|op| is_fixed(module, op, &mut fixed))
}

/// Whether an operation's own time is fixed; its results are added if they are the same whatever the data. Operations are looked at in
/// textual order, in which values are defined before they are used; others count as unknown.
fn is_fixed(module: &Module, op: Op, fixed: &mut FxHashSet<Value>) -> bool {
    use OpKind as K;
    let known = |value: Value, fixed: &FxHashSet<Value>| fixed.contains(&value);
    let operands: Vec<Value> = module.operands(op).collect();
    let kind = module.kind(op);
    let are_known = |values: &[Value], fixed: &FxHashSet<Value>| {
        values.iter().all(|value| known(*value, fixed))
    };
    let locks = uses_locks(module, op);
    match kind {
        K::ScfFor if !locks => {
            let Some(view) = ScfFor::cast(module, op) else {
                return false;
            };
            let bounds = [view.lower(module), view.upper(module), view.step(module)];
            let bounds: Option<Vec<Value>> = bounds.into_iter().collect();
            let variable = module
                .entry(op, 0)
                .and_then(|body| module.block_args(body).first().copied());
            fixed.extend(variable);
            bounds.is_some_and(|bounds| are_known(&bounds, fixed))
        }
        K::ScfIf | K::ScfIndexSwitch | K::ScfWhile | K::CfCondBr | K::CfSwitch if !locks => {
            let condition = operands.first().copied();
            let may_loop = kind == K::ScfWhile;
            !may_loop && condition.is_some_and(|value| known(value, fixed))
        }
        K::FuncCallIndirect => false,
        K::FuncCall => operands
            .iter()
            .all(|value| matches!(module.ty(*value), Type::MemRef(_)) || known(*value, fixed)),
        K::ArithConstant => {
            fixed.extend(module.results(op));
            true
        }
        K::Core | K::ScfFor | K::ScfIf | K::ScfWhile | K::ScfIndexSwitch | K::ScfExecuteRegion => {
            true
        }
        _ if !module.regions_of(op).is_empty() => locks,
        _ => {
            let name = module.op_name(op);
            let is_arithmetic = name.starts_with("arith.") || name.starts_with("index.");
            if is_arithmetic && are_known(&operands, fixed) {
                fixed.extend(module.results(op));
            }
            true
        }
    }
}
