//! `aie-check-lock-balance`: finds cores and channels that take more units of locks than they give, or fewer.
//!
//! Endless code, the endless loop of a core or the ring of a channel's BDs, must leave as many
//! units in the locks as it found: otherwise the design hangs, or overwrites data still in use,
//! after some rounds, though a short run may end well. A user that takes units of one lock gives as
//! many of another (the locks of an object fifo, a mutex), so the units that a round takes and
//! gives are added up over all locks. Where they differ the design may still be sound, if another
//! user makes up for it: then numbers of rounds for all users exist that leave each lock as it was
//! (the balance equations of synchronous dataflow, Lee and Messerschmitt, Proc. IEEE 75(9), 1987).
//!
//! [`transfer_words`] follows the same totals from and to the transfers of the runtime sequence.
//!
//! A core may also keep an object longer than it uses it, with as many units taken as given: [`kept_objects`].
//!
//! Loops without passes and branches that are never taken are judged by themselves, as an edit of
//! the design may let them run.
//!
//! Not judged: locks of code whose lock operations depend on data or wait for an exact value (which
//! takes nothing); locks that control code, control packets or a core without a body sets; locks
//! that no endless code uses, whose units a run needs no more than once; and AIE1, whose locks
//! don't count.

mod core_locks;
mod kept_objects;
mod moved_words;
mod transfer_words;

use std::fmt;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, const_int, dma_channels};
use aiec_aie::ops::{Core, Device, OpKind, OpView, PacketDest, SetLock, UseLock};
use aiec_device::regmap::RegisterRef;
use aiec_device::{Bundle, ChannelId, DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use indexmap::IndexSet;

use crate::analysis::budget::{dma_containers, locks_by_tile, name_of, tile_of_op};
use crate::infra::pass::{PassContext, PassDef, PassScope};
use core_locks::{LockSegment, core_locks};

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-check-lock-balance",
    summary: "Warn of cores and channels that take more units of locks than they give, or fewer, \
              and of transfers that don't fit the objects of their other end",
    postconditions: &["the module as it was"],
    options: &[],
    run: PassScope::Device(run),
};

codes! {
    /// Codes of `aie-check-lock-balance`.
    pub static CODES;
    UNBALANCED = "locks::unbalanced",
        "A core or channel takes more units of locks in a round than it gives, or fewer, and no other makes up for \
         it: an acquire or a release is missing, or its count is wrong. A short run may end well; after some rounds \
         the design hangs, or what is still in use is overwritten. Take as many units as you give: an object that is acquired \
         is released, a buffer descriptor has both locks or none.";
    PARTIAL_OBJECT = "transfers::partial-object",
        "The transfers of the runtime sequence into an object fifo, or out of it, end within an object of \
         the other end. Objects are handed on when they are full: the words of an incomplete one wait forever, or \
         until the next run, whose data then begin in its middle. Move a whole number of objects.";
    OBJECT_COUNT = "transfers::object-count",
        "The transfers of the runtime sequence move more or fewer objects than the cores take or give, whose loops \
         are constant. With fewer the core waits for objects that never come; surplus ones stay where they are, and \
         the transfer may never end. A transfer out of the array that is longer than what cores produce never ends. \
         Let both be of one length, or let the core loop forever.";
}

/// Operations that a warning points at.
const MAX_LABELS: usize = 6;

/// The DMA programs of a device with what their channels run.
type ChannelsOfPrograms = Vec<(Op, Vec<DmaChannel>)>;

/// Units that are given less those that are taken, by lock.
type LockChanges = FxHashMap<Op, i64>;

/// Operations that acquire or release locks.
type LockOperations = IndexSet<Op, FxBuildHasher>;

/// The code region that a lock balance is summed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BalanceRegion {
    /// The ring of a channel's BDs.
    Ring,
    /// The BDs of a channel that comes to its end.
    Chain,
    /// An endless loop of a core.
    Loop,
    /// A core that comes to its end.
    WholeRun,
    /// Code before the first endless loop of a core.
    Before,
    /// Code after it that is never executed: passes that are left over when the loop was unrolled.
    Behind,
    /// A loop without passes, or a branch that is never taken.
    Idle,
}

impl BalanceRegion {
    fn is_endless(self) -> bool {
        matches!(self, BalanceRegion::Ring | BalanceRegion::Loop)
    }

    fn words(self) -> &'static str {
        match self {
            BalanceRegion::Ring => "in each round of its buffer descriptors",
            BalanceRegion::Chain => "from its first buffer descriptor to its last",
            BalanceRegion::Loop => "in each pass of its loop",
            BalanceRegion::WholeRun => "from its begin to its end",
            BalanceRegion::Before => "before its endless loop",
            BalanceRegion::Behind => "after its endless loop",
            BalanceRegion::Idle => "in code that is not executed",
        }
    }
}

/// Identity of a lock's user.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum LockUserId {
    Core(TileLoc),
    Channel(ChannelId),
}

impl fmt::Display for LockUserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockUserId::Core(tile) => write!(f, "core {tile}"),
            LockUserId::Channel(ChannelId { tile, dir, index }) => {
                write!(f, "DMA {dir} {index} of tile {tile}")
            }
        }
    }
}

/// A core, or a DMA channel of a tile.
struct LockUser {
    id: LockUserId,
    /// Place of the finding: the loop, the core or the start of the channel.
    at: Op,
    what: BalanceRegion,
    changes: LockChanges,
    /// Its acquires and releases.
    operations: LockOperations,
}

impl LockUser {
    fn sum(&self) -> i64 {
        self.changes.values().sum()
    }
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    if !model.arch_model().semaphore_locks {
        return Ok(());
    }
    let Some(mut outside) = externally_modified_locks(module, device, model) else {
        return Ok(());
    };
    let mut users = Vec::new();
    for core in module.children::<Core>(device) {
        users.extend(core_users(module, core.op(), &mut outside));
    }
    let containers = dma_containers(module, device).into_iter();
    let channels: ChannelsOfPrograms = containers
        .map(|container| (container, dma_channels(module, container)))
        .collect();
    for (container, channels) in &channels {
        for channel in channels {
            match channel_user(module, *container, channel) {
                Some(user) => users.push(user),
                None => outside.extend(locks_used_in(module, *container)),
            }
        }
    }
    kept_objects::check(module, device, (&channels, &outside), context.diags);
    let in_device = (&channels, users.as_slice(), &outside);
    transfer_words::check(module, device, model, in_device, context.diags);
    for user in &mut users {
        if user.what != BalanceRegion::Idle {
            user.changes.retain(|lock, _| !outside.contains(lock));
        }
    }
    let (idle, mut users): (Vec<LockUser>, Vec<LockUser>) = users
        .into_iter()
        .partition(|user| user.what == BalanceRegion::Idle);
    // The common case: all users are endless, and nothing is tolerated.
    let changes_any = |user: &LockUser| user.changes.values().any(|units| *units != 0);
    if users
        .iter()
        .any(|user| !user.what.is_endless() && changes_any(user))
    {
        drop_tolerated(module, device, &mut users);
    }
    if users.iter().chain(&idle).all(|user| user.sum() == 0) {
        return Ok(());
    }
    // A lock with unbalanced executed users tells nothing about code that isn't executed.
    let uneven = users.iter().filter(|user| user.sum() != 0);
    let uneven: FxHashSet<Op> = uneven
        .flat_map(|user| user.changes.keys().copied())
        .collect();
    for user in idle.iter().filter(|user| user.sum() != 0) {
        let judged = |lock: &Op| !outside.contains(lock) && !uneven.contains(lock);
        if user.changes.keys().all(judged) {
            context.report(unbalanced(module, user));
        }
    }
    let consistent = consistent_locks(&users);
    for user in users.iter().filter(|user| user.sum() != 0) {
        if !user.changes.keys().all(|lock| consistent.contains(lock)) {
            context.report(unbalanced(module, user));
        }
    }
    Ok(())
}

/// Leaves of users that come to an end the locks out that they needn't leave as they were.
fn drop_tolerated(module: &Module, device: Op, users: &mut [LockUser]) {
    let by_lock = users_of_locks(module, users);
    let all = module.find_all::<UseLock>(device).into_iter();
    let releases = all.filter(|used| used.action(module) == LockAction::Release);
    let given: FxHashSet<Op> = releases
        .filter_map(|used| Some(used.lock_op(module)?.op()))
        .collect();
    let endless = users.iter().filter(|user| user.what.is_endless());
    let endless = endless.flat_map(|user| user.changes.keys().copied());
    let endless: FxHashSet<Op> = endless.collect();
    for user in users.iter_mut().filter(|user| !user.what.is_endless()) {
        // A lock without a release has its units from the start, or from outside.
        let judged = |lock: &Op| given.contains(lock) && endless.contains(lock);
        user.changes.retain(|lock, _| judged(lock));
        forgive_windows(module, user, &by_lock);
    }
}

/// The cores and channels that use each lock, by number.
type UsersOfLocks = FxHashMap<Op, Vec<usize>>;

fn users_of_locks(module: &Module, users: &[LockUser]) -> UsersOfLocks {
    let mut numbers: FxHashMap<LockUserId, usize> = FxHashMap::default();
    let mut by_lock = UsersOfLocks::default();
    for user in users {
        let next = numbers.len();
        let number = *numbers.entry(user.id).or_insert(next);
        for used in user.operations.iter().map(|op| UseLock(*op)) {
            if let Some(lock) = used.lock_op(module) {
                let users = by_lock.entry(lock.op()).or_default();
                if users.last() != Some(&number) {
                    users.push(number);
                }
            }
        }
    }
    by_lock
}

/// A core may keep what is left of its last window: of locks that the same cores and channels use, fewer units than its
/// largest acquire takes; and before its endless loop also objects of which it gives none back.
fn forgive_windows(module: &Module, user: &mut LockUser, by_lock: &UsersOfLocks) {
    // Of each group of locks what is changed, the largest acquire, and whether any unit is given.
    let mut groups: FxHashMap<&[usize], (i64, i64, bool)> = FxHashMap::default();
    for (lock, change) in &user.changes {
        if let Some(users) = by_lock.get(lock) {
            groups.entry(users).or_default().0 += change;
        }
    }
    for used in user.operations.iter().map(|op| UseLock(*op)) {
        let lock = used.lock_op(module).map(OpView::op);
        let Some(group) = lock.and_then(|lock| groups.get_mut(by_lock.get(&lock)?.as_slice()))
        else {
            continue;
        };
        match used.action(module) {
            LockAction::Release => group.2 = true,
            _ => group.1 = group.1.max(used.const_value(module).unwrap_or(i64::MAX)),
        }
    }
    let before = user.what == BalanceRegion::Before;
    let kept = |lock: &Op| {
        let group = by_lock
            .get(lock)
            .and_then(|users| groups.get(users.as_slice()));
        group.is_some_and(|(sum, window, gives)| *sum < 0 && (-sum < *window || (before && !gives)))
    };
    user.changes.retain(|lock, _| !kept(lock));
}

/// Locks that change in rounds unknown to this check: by the runtime sequence, register writes, or
/// cores without a body. `None`: any lock.
fn externally_modified_locks(
    module: &Module,
    device: Op,
    model: &DeviceModel,
) -> Option<FxHashSet<Op>> {
    let locks = locks_by_tile(module, device);
    let mut outside = FxHashSet::default();
    let mut tiles: FxHashSet<TileLoc> = FxHashSet::default();
    for core in module.children::<Core>(device) {
        if core.elf_file(module).is_some()
            && let Some(tile) = tile_of_op(module, core.op())
        {
            tiles.insert(tile);
        }
    }
    for op in module.walk(device) {
        match module.kind(op) {
            OpKind::SetLock => {
                let lock = SetLock(op)
                    .lock(module)
                    .and_then(|lock| module.def_op(lock));
                outside.extend(lock);
            }
            OpKind::UseLock if program_of(module, op).is_none() => {
                outside.extend(UseLock(op).lock_op(module).map(OpView::op));
            }
            OpKind::PacketDest if PacketDest(op).bundle(module) == Some(Bundle::TileControl) => {
                let tile = tile_of_op(module, op);
                let all = locks.iter().filter(|(at, _)| Some(*at) == tile);
                outside.extend(all.map(|(_, lock)| lock.op()));
            }
            OpKind::NpuWrite32 | OpKind::NpuMaskWrite32 => {
                let address = module
                    .operand(op, 0)
                    .and_then(|value| const_int(module, value))?;
                let local = (module.int_attr(op, "column"), module.int_attr(op, "row"));
                let tile = match local {
                    (Some(column), Some(row)) => Some(TileLoc::new(column as u8, row as u8)),
                    _ => {
                        let address = u32::try_from(address).ok()?;
                        let found = model.register_at(address);
                        found
                            .filter(|(_, register)| {
                                matches!(register, RegisterRef::LockValue { .. })
                            })
                            .map(|(tile, _)| tile)
                    }
                };
                let all = locks.iter().filter(|(at, _)| Some(*at) == tile);
                outside.extend(all.map(|(_, lock)| lock.op()));
            }
            _ => {}
        }
    }
    let near = |at: TileLoc| {
        let close = |tile: &TileLoc| at.col.abs_diff(tile.col) + at.row.abs_diff(tile.row) <= 1;
        tiles.iter().any(close)
    };
    let reached = locks.iter().filter(|(at, _)| near(*at));
    outside.extend(reached.map(|(_, lock)| lock.op()));
    Some(outside)
}

/// The core or the DMA program of a tile that an operation is in.
fn program_of(module: &Module, op: Op) -> Option<Op> {
    let mut around = module.parent_op(op)?;
    loop {
        match module.kind(around) {
            OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => {
                return Some(around);
            }
            _ => around = module.parent_op(around)?,
        }
    }
}

fn channel_user(module: &Module, container: Op, channel: &DmaChannel) -> Option<LockUser> {
    let (ring, what) = match channel.next_of_last {
        Some(first) => (channel.bds.get(first..)?, BalanceRegion::Ring),
        None => (channel.bds.as_slice(), BalanceRegion::Chain),
    };
    let mut user = LockUser {
        id: LockUserId::Channel(ChannelId::new(
            tile_of_op(module, container)?,
            channel.dir,
            channel.channel,
        )),
        at: channel.op,
        what,
        changes: LockChanges::default(),
        operations: LockOperations::default(),
    };
    for BdSlot {
        acquire, release, ..
    } in ring
    {
        let acquire = acquire.filter(|lock| lock.acq_en(module).unwrap_or(true));
        for used in [acquire, *release].into_iter().flatten() {
            let (lock, units) = change(module, used)?;
            add_units(&mut user.changes, lock, units);
            user.operations.insert(used.op());
        }
    }
    Some(user)
}

/// The locks that are used in a core or a DMA program.
fn locks_used_in(module: &Module, around: Op) -> FxHashSet<Op> {
    let used = module.find_all::<UseLock>(around).into_iter();
    used.filter_map(|used| Some(used.lock_op(module)?.op()))
        .collect()
}

/// The lock that a lock operation changes, and by how many units; `None` if that isn't known.
fn change(module: &Module, used: UseLock) -> Option<(Op, i64)> {
    let lock = used.lock_op(module)?.op();
    let units = used.const_value(module)?;
    match used.action(module) {
        LockAction::Release => Some((lock, units)),
        LockAction::AcquireGreaterEqual => Some((lock, -units)),
        LockAction::Acquire => None,
    }
}

fn add(sum: &mut LockChanges, changes: &LockChanges, times: i64) {
    for (lock, change) in changes {
        add_units(sum, *lock, change.saturating_mul(times));
    }
}

fn add_units(sum: &mut LockChanges, lock: Op, change: i64) {
    let units = sum.entry(lock).or_default();
    *units = units.saturating_add(change);
}

/// The endless loops of a core, and its code outside of them. Locks that aren't fully known are
/// added to `outside`.
fn core_users(module: &Module, core: Op, outside: &mut FxHashSet<Op>) -> Vec<LockUser> {
    let Some(tile) = tile_of_op(module, core) else {
        return Vec::new();
    };
    let locks = core_locks(module, core);
    if !locks.complete {
        outside.extend(locks_used_in(module, core));
    }
    let user = |at: Op, what: BalanceRegion, segment: LockSegment| LockUser {
        id: LockUserId::Core(tile),
        at,
        what,
        changes: segment.changes,
        operations: segment.operations,
    };
    let mut users = Vec::new();
    if locks.endless.is_empty() {
        users.push(user(core, BalanceRegion::WholeRun, locks.before))
    } else {
        let sum = locks.before.sum() + locks.behind.sum();
        // what is taken before the loop may be given after it
        if locks.behind.sum() < 0 || sum > 0 {
            users.push(user(core, BalanceRegion::Behind, locks.behind));
        }
        users.push(user(core, BalanceRegion::Before, locks.before));
    }
    let endless = locks.endless.into_iter();
    users.extend(endless.map(|(at, segment)| user(at, BalanceRegion::Loop, segment)));
    let idle = locks.idle.into_iter();
    users.extend(idle.map(|(at, segment)| user(at, BalanceRegion::Idle, segment)));
    users
}

/// Locks of connected users whose balance equations have a solution. Considers locks
/// that one user gives to and one takes from.
fn consistent_locks(users: &[LockUser]) -> FxHashSet<Op> {
    let mut by_lock: FxHashMap<Op, Vec<(usize, i64)>> = FxHashMap::default();
    for (at, user) in users.iter().enumerate() {
        for (lock, change) in user.changes.iter().filter(|(_, change)| **change != 0) {
            by_lock.entry(*lock).or_default().push((at, *change));
        }
    }
    // Rounds of a user as a fraction of those of the first of its group.
    let mut rounds: Vec<Option<(i128, i128)>> = vec![None; users.len()];
    let mut consistent = FxHashSet::default();
    for first in 0..users.len() {
        if rounds[first].is_some() {
            continue;
        }
        rounds[first] = Some((1, 1));
        let (mut next, mut locks, mut sound) = (vec![first], FxHashSet::default(), true);
        while let Some(at) = next.pop() {
            let Some((up, down)) = rounds[at] else {
                continue;
            };
            for lock in users[at].changes.keys() {
                let Some(uses) = by_lock.get(lock) else {
                    locks.insert(*lock);
                    continue;
                };
                let own = uses.iter().find(|(user, _)| *user == at);
                let (Some((_, own)), [one, two]) = (own, uses.as_slice()) else {
                    sound &= own.is_none();
                    continue;
                };
                locks.insert(*lock);
                let (other, change) = if one.0 == at { two } else { one };
                let rate = reduced(up * i128::from(*own), -down * i128::from(*change));
                match rounds[*other] {
                    _ if rate.0 <= 0 => sound = false,
                    Some(known) => sound &= known == rate,
                    None => {
                        rounds[*other] = Some(rate);
                        next.push(*other);
                    }
                }
            }
        }
        if sound {
            consistent.extend(locks);
        }
    }
    consistent
}

/// A fraction in lowest terms with a positive denominator; both 0 if it is far too large.
fn reduced(up: i128, down: i128) -> (i128, i128) {
    const MOST: i128 = 1 << 62;
    let (mut a, mut b) = (up.abs(), down.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let a = a.max(1) * down.signum();
    let (up, down) = (up / a, down / a);
    if up.abs() < MOST && down < MOST {
        (up, down)
    } else {
        (0, 0)
    }
}

fn unbalanced(module: &Module, user: &LockUser) -> Diag {
    let LockUser { id, what, .. } = user;
    let difference = user.sum();
    let units = match difference.unsigned_abs() {
        1 => "1 unit".to_string(),
        units => format!("{units} units"),
    };
    let more = if difference < 0 { "takes" } else { "gives" };
    let less = if difference < 0 { "gives" } else { "takes" };
    let message = format!(
        "{id} {more} {units} of locks more than it {less} {}",
        what.words()
    );
    let mut diag = Diag::warning(&UNBALANCED, message).label(module.span(user.at), "here");
    // Operations of an unrolled loop are at one place.
    let mut labels = IndexSet::new();
    for used in user.operations.iter().map(|op| UseLock(*op)) {
        let lock = used.lock_op(module).map(|lock| name_of(module, lock.op()));
        let verb = match used.action(module) {
            LockAction::Release => "gives to",
            _ => "takes from",
        };
        let units = used.const_value(module).unwrap_or_default();
        let label = format!("{verb} `{}`: {units}", lock.unwrap_or_default());
        labels.insert((module.span(used.op()), label));
    }
    for (span, label) in labels.into_iter().take(MAX_LABELS) {
        diag = diag.label(span, label);
    }
    diag.help(if difference < 0 {
        "a release is missing, or gives too few: the units of these locks run out"
    } else {
        "an acquire is missing, or takes too few: the units of these locks pile up"
    })
}
