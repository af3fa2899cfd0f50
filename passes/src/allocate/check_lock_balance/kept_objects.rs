//! Cores that keep the objects of a channel longer than they use them: before their endless loop a release is missing.
//!
//! Such a core takes as many units in a pass as it gives, and ends well: each object is released one round after its
//! last use, in which the channel could have filled it. That shows only where the program says which object it
//! uses: in cores whose loops are unrolled.

use std::collections::VecDeque;

use aiec_aie::ir::{Module, Op, Type, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::BdSlot;
use aiec_aie::ops::{Core, Lock, OpView, ScfFor, UseLock};
use aiec_device::DmaDir;
use aiec_diag::{Diag, Diags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::core_locks::ENDLESS;
use super::{ChannelsOfPrograms, UNBALANCED};
use crate::analysis::budget::{name_of, tile_of_op};

/// Passes of a loop that are followed, the first of which may differ.
const PASSES: usize = 3;

/// Buffers that a channel fills in turn.
struct FilledRing {
    /// The lock that counts empty ones.
    free: Op,
    /// The lock that counts filled ones.
    filled: Op,
    buffers: Vec<Value>,
}

/// A core's use of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RingUse {
    Acquire(usize),
    Release(usize),
    /// Of a buffer, by its place in the ring.
    Access(usize),
}

/// An object that a core has acquired.
struct OwnObject {
    /// Its buffer's place in the ring.
    buffer: usize,
    /// Releases of the core before its last access.
    accessed: Option<usize>,
}

/// Reports cores that release each object of a channel a round later than they could.
pub(super) fn check(
    module: &Module,
    device: Op,
    (channels, outside): (&ChannelsOfPrograms, &FxHashSet<Op>),
    diags: &mut Diags,
) {
    let rings = rings(module, channels, outside);
    let mut users: FxHashMap<Op, Vec<Op>> = FxHashMap::default();
    let cores = module.children::<Core>(device);
    for core in &cores {
        for used in module.find_all::<UseLock>(core.op()) {
            if let Some(lock) = used.lock_op(module).map(OpView::op)
                && rings.contains_key(&lock)
            {
                let users = users.entry(lock).or_default();
                if users.last() != Some(&core.op()) {
                    users.push(core.op());
                }
            }
        }
    }
    let mut filled: Vec<Op> = users.keys().copied().collect();
    filled.sort_unstable();
    for filled in filled {
        let ring = &rings[&filled];
        if let [core] = users[&filled].as_slice()
            && let Some(endless) = keeps_longer(module, *core, ring)
            && let Some(tile) = tile_of_op(module, *core)
        {
            let name = name_of(module, filled);
            let message = format!(
                "core {tile} releases each object that it acquires from `{name}` a round after its last use"
            );
            diags.push(
                Diag::warning(&UNBALANCED, message)
                    .label(module.span(endless), "in each pass of this loop")
                    .help("a release is missing before the loop: the channel has one object less to fill"),
            );
        }
    }
}

/// The rings by their locks of filled buffers.
fn rings(
    module: &Module,
    channels: &ChannelsOfPrograms,
    outside: &FxHashSet<Op>,
) -> FxHashMap<Op, FilledRing> {
    let mut rings = FxHashMap::default();
    for (_, channels) in channels {
        for channel in channels {
            if channel.dir != DmaDir::S2mm || channel.next_of_last != Some(0) {
                continue;
            }
            let one = |used: Option<UseLock>| {
                let used = used.filter(|used| used.const_value(module) == Some(1))?;
                let counts = used.action(module) != LockAction::Acquire;
                used.lock_op(module).map(OpView::op).filter(|_| counts)
            };
            let locks = |slot: &BdSlot| one(slot.acquire).zip(one(slot.release));
            let buffers: Option<Vec<Value>> = channel
                .bds
                .iter()
                .map(|slot| slot.bd.buffer(module))
                .collect();
            let first = channel.bds.first().and_then(locks);
            let (Some((free, filled)), Some(buffers)) = (first, buffers) else {
                continue;
            };
            let distinct: FxHashSet<Value> = buffers.iter().copied().collect();
            let init = |lock: Op| Lock(lock).init(module).unwrap_or(0);
            let is_plain = channel.bds.iter().all(|slot| locks(slot) == first)
                && distinct.len() == buffers.len()
                && usize::try_from(init(free)) == Ok(buffers.len())
                && init(filled) == 0
                && ![free, filled].iter().any(|lock| outside.contains(lock));
            if is_plain {
                let ring = FilledRing {
                    free,
                    filled,
                    buffers,
                };
                rings.insert(filled, ring);
            }
        }
    }
    rings
}

/// The endless loop of a core in which it releases each object a round after its last use.
fn keeps_longer(module: &Module, core: Op, ring: &FilledRing) -> Option<Op> {
    let entry = module.entry(core, 0)?;
    let mut before = Vec::new();
    let mut endless = None;
    for op in module.ops_in(entry) {
        if is_endless(module, op) && uses_ring(module, op, ring) {
            endless = Some(op);
            break;
        }
        read_use(module, op, ring, &mut before)?;
    }
    let endless = endless?;
    let mut pass = Vec::new();
    for op in module.ops_in(module.entry(endless, 0)?) {
        read_use(module, op, ring, &mut pass)?;
    }
    let mut core = RingUser {
        depth: ring.buffers.len(),
        ..RingUser::default()
    };
    core.follow(&before)?;
    let mut late = 0;
    for number in 0..PASSES {
        let released = core.follow(&pass)?;
        if number > 0 {
            if released.is_empty() || !released.iter().all(|is_late| *is_late) {
                return None;
            }
            late += released.len();
        }
    }
    (late > 0).then_some(endless)
}

fn is_endless(module: &Module, op: Op) -> bool {
    let trips = ScfFor::cast(module, op).and_then(|view| view.trips(module));
    trips.is_some_and(|trips| i128::from(trips) >= ENDLESS)
}

fn uses_ring(module: &Module, op: Op, ring: &FilledRing) -> bool {
    let used = module.find_all::<UseLock>(op).into_iter();
    let mut locks = used.filter_map(|used| Some(used.lock_op(module)?.op()));
    locks.any(|lock| lock == ring.free || lock == ring.filled)
}

/// Adds what an operation does with a ring; `None` if that isn't known.
fn read_use(module: &Module, op: Op, ring: &FilledRing, uses: &mut Vec<RingUse>) -> Option<()> {
    if let Some(used) = UseLock::cast(module, op) {
        let lock = used.lock_op(module)?.op();
        let units = || usize::try_from(used.const_value(module)?).ok();
        match used.action(module) {
            LockAction::AcquireGreaterEqual if lock == ring.filled => {
                uses.push(RingUse::Acquire(units()?));
            }
            LockAction::Release if lock == ring.free => uses.push(RingUse::Release(units()?)),
            _ if lock == ring.filled || lock == ring.free => return None,
            _ => {}
        }
        return Some(());
    }
    if uses_ring(module, op, ring) {
        return None;
    }
    for inner in module.walk(op) {
        let accessed = module.operands(inner).filter_map(|operand| {
            let mut buffers = ring.buffers.iter();
            buffers.position(|buffer| *buffer == operand)
        });
        let accessed: Vec<usize> = accessed.collect();
        // Uses of a view aren't followed.
        let is_view = module
            .results(inner)
            .any(|result| matches!(module.ty(result), Type::MemRef(_)));
        if !accessed.is_empty() && (is_view || !module.successors(inner).is_empty()) {
            return None;
        }
        uses.extend(accessed.into_iter().map(RingUse::Access));
    }
    Some(())
}

/// A core's objects of a ring.
#[derive(Default)]
struct RingUser {
    depth: usize,
    acquired: usize,
    releases: usize,
    own: VecDeque<OwnObject>,
}

impl RingUser {
    /// For each object that is released whether its last access was before the release before; `None` for accesses to
    /// others and more objects than there are.
    fn follow(&mut self, uses: &[RingUse]) -> Option<Vec<bool>> {
        let mut released = Vec::new();
        for used in uses {
            match *used {
                RingUse::Acquire(count) => {
                    if self.own.len() + count > self.depth {
                        return None;
                    }
                    for _ in 0..count {
                        self.own.push_back(OwnObject {
                            buffer: self.acquired % self.depth,
                            accessed: None,
                        });
                        self.acquired += 1;
                    }
                }
                RingUse::Access(buffer) => {
                    let mut own = self.own.iter_mut();
                    let object = own.find(|object| object.buffer == buffer)?;
                    object.accessed = Some(self.releases);
                }
                RingUse::Release(count) => {
                    for _ in 0..count {
                        let object = self.own.pop_front()?;
                        released.push(object.accessed.is_some_and(|at| at < self.releases));
                    }
                    self.releases += 1;
                }
            }
        }
        Some(released)
    }
}
