//! What a core does with locks, read from its body.

use aiec_device::TileLoc;
use aiec_dialect::ir::{Block, Module, Op};
use aiec_dialect::ops::enums::LockAction;
use aiec_dialect::ops::netlist::const_int;
use aiec_dialect::ops::{Core, OpKind, OpView, UseLock};

use super::net::{Node, Place, Step};

/// Finds the place of a lock.
pub(super) type LockPlace<'a> = &'a mut dyn FnMut(TileLoc, u8) -> Place;

/// The steps of a core; `None` if what it does with locks depends on more than constants, or if it
/// uses streams or cascades.
pub(super) fn steps(module: &Module, core: Core, place: LockPlace<'_>) -> Option<Vec<Node>> {
    let region = module.region(core.op(), 0)?;
    let [block] = module.blocks_of(region) else {
        return None;
    };
    body(module, *block, place)
}

fn body(module: &Module, block: Block, place: LockPlace<'_>) -> Option<Vec<Node>> {
    use OpKind as K;
    let mut nodes = Vec::new();
    for op in module.ops_in(block) {
        match module.kind(op) {
            K::UseLock => nodes.push(Node::Step(lock(module, UseLock(op), place)?)),
            K::GetStream | K::PutStream | K::GetCascade | K::PutCascade => return None,
            _ if module.regions_of(op).is_empty() => {
                if takes_time(module.kind(op)) {
                    nodes.push(Node::Step(Step::Work));
                }
            }
            K::ScfFor if uses_locks(module, op) => {
                let bound = |n: usize| const_int(module, module.operand(op, n)?);
                let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
                let span = u64::try_from(upper.checked_sub(lower)?).unwrap_or(0);
                let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
                let inner = body(module, module.entry(op, 0)?, place)?;
                nodes.push(Node::Loop(span.div_ceil(step), inner));
            }
            _ if uses_locks(module, op) => return None,
            _ => nodes.push(Node::Step(Step::Work)),
        }
    }
    Some(nodes)
}

fn lock(module: &Module, used: UseLock, place: LockPlace<'_>) -> Option<Step> {
    let lock = used.lock_op(module)?;
    let id = u8::try_from(lock.lockID(module)?).ok()?;
    let place = place(lock.tile_loc(module)?, id);
    let value = used.const_value(module)?;
    match used.action(module) {
        LockAction::AcquireGreaterEqual => Some(Step::Take(place, value)),
        LockAction::Release => Some(Step::Give(place, value)),
        // Waits for an exact value: which it is depends on the order of steps.
        LockAction::Acquire => None,
    }
}

/// Operations without a region that do more than compute a number or name memory.
fn takes_time(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(kind, K::FuncCall | K::MemrefCopy)
        || kind.name().starts_with("vector.")
        || kind.name().starts_with("aievec.")
}

/// Whether something inside, or a function that is called there, uses locks or streams.
fn uses_locks(module: &Module, op: Op) -> bool {
    use OpKind as K;
    module.walk(op).any(|op| {
        matches!(
            module.kind(op),
            K::UseLock | K::GetStream | K::PutStream | K::GetCascade | K::PutCascade
        )
    })
}
