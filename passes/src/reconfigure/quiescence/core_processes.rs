//! Lock operations of a core, read from its body.

use aiec_aie::ir::{Block, Module, Op};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{Core, OpKind, OpView, UseLock};
use aiec_device::LockId;

use super::Unproven;
use super::marked_graph::{PlaceId, ProcessNode, TokenStep};

/// Finds the graph's place of a lock.
pub(super) type LockPlace<'a> = &'a mut dyn FnMut(LockId) -> PlaceId;

/// The steps of a core.
///
/// # Errors
/// Its use of locks depends on more than constants, or it uses streams or cascades.
pub(super) fn steps(
    module: &Module,
    core: Core,
    place: LockPlace<'_>,
) -> Result<Vec<ProcessNode>, Unproven> {
    let region = module.region(core.op(), 0).ok_or(Unproven::Branches)?;
    let [block] = module.blocks_of(region) else {
        return Err(Unproven::Branches);
    };
    body(module, *block, place)
}

fn body(module: &Module, block: Block, place: LockPlace<'_>) -> Result<Vec<ProcessNode>, Unproven> {
    use OpKind as K;
    let mut nodes = Vec::new();
    for op in module.ops_in(block) {
        match module.kind(op) {
            K::UseLock => nodes.push(ProcessNode::Step(lock(module, UseLock(op), place)?)),
            K::GetStream | K::PutStream | K::GetCascade | K::PutCascade => {
                return Err(Unproven::CoreStream);
            }
            _ if module.regions_of(op).is_empty() => {
                if takes_time(module.kind(op)) {
                    nodes.push(ProcessNode::Step(TokenStep::Work));
                }
            }
            K::ScfFor if uses_locks(module, op) => {
                let entry = module.entry(op, 0).ok_or(Unproven::Branches)?;
                let rounds = rounds(module, op).ok_or(Unproven::Branches)?;
                nodes.push(ProcessNode::Loop(rounds, body(module, entry, place)?));
            }
            _ if uses_locks(module, op) => return Err(Unproven::Branches),
            _ => nodes.push(ProcessNode::Step(TokenStep::Work)),
        }
    }
    Ok(nodes)
}

/// The locks that a core uses; `None` if that isn't known.
pub(super) fn locks(module: &Module, core: Core, place: LockPlace<'_>) -> Option<Vec<PlaceId>> {
    let used = module
        .walk(core.op())
        .filter_map(|op| UseLock::cast(module, op));
    let places = used.map(|used| {
        let lock = used.lock_op(module)?;
        Some(place(lock.place(module)?))
    });
    places.collect()
}

/// Trip count of a loop with constant bounds.
fn rounds(module: &Module, op: Op) -> Option<u64> {
    let bound = |n: usize| const_int(module, module.operand(op, n)?);
    let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
    let span = u64::try_from(upper.checked_sub(lower)?).unwrap_or(0);
    let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
    Some(span.div_ceil(step))
}

fn lock(module: &Module, used: UseLock, place: LockPlace<'_>) -> Result<TokenStep, Unproven> {
    let lock = used.lock_op(module).ok_or(Unproven::Branches)?;
    let place = place(lock.place(module).ok_or(Unproven::Branches)?);
    let value = used.const_value(module).ok_or(Unproven::Branches)?;
    match used.action(module) {
        LockAction::AcquireGreaterEqual => Ok(TokenStep::Take(place, value)),
        LockAction::Release => Ok(TokenStep::Give(place, value)),
        // Waits for an exact value: which it is depends on the order of steps.
        LockAction::Acquire => Err(Unproven::ExactLock),
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
