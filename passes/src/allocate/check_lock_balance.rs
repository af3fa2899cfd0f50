//! `aie-check-lock-balance`: finds cores and channels that take more units of locks than they give, or fewer.
//!
//! What runs for ever, the endless loop of a core or the ring of a channel's BDs, must leave as many units in the
//! locks as it found, or the design hangs or overwrites what is still in use after some rounds, though a short run
//! may end well. Who takes units of one lock gives as many of another (the locks of an object fifo, a mutex), so the units
//! that a round takes and gives are added up over all locks. Where they differ the design may still be sound, when
//! somebody else makes up for it: then rounds of all can be found that leave each lock as it was (the balance
//! equations of synchronous dataflow, Lee and Messerschmitt, Proc. IEEE 75(9), 1987).
//!
//! Not judged: code whose lock operations depend on data, locks that control code or a core without a body sets,
//! waits for an exact value (which take nothing), and AIE1, whose locks don't count.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Block, Module, Op};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, const_int, dma_channels};
use aiec_aie::ops::{Core, Device, OpKind, OpView, ScfFor, SetLock, UseLock};
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported, codes};

use crate::analysis::budget::{dma_containers, locks_by_tile, name_of, tile_of_op};
use crate::infra::pass::{PassContext, PassDef, Run};

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-check-lock-balance",
    summary: "Warn of cores and channels that take more units of locks than they give, or fewer",
    leaves: &["the module as it was"],
    options: &[],
    run: Run::Device(run),
};

codes! {
    /// Codes of `aie-check-lock-balance`.
    pub static CODES;
    UNBALANCED = "locks::unbalanced",
        "A core or channel takes more units of locks in a round than it gives, or fewer, and no other makes up for \
         it: an acquire or a release is missing, or its count is wrong. A short run may end well; after some rounds \
         the design hangs, or what is still in use is overwritten. Take as many units as you give: an object that is acquired \
         is released, a buffer descriptor has both locks or none.";
}

/// Passes of a loop from which on it counts as endless: `0` to the largest `i32` or more.
const ENDLESS: u64 = i32::MAX as u64;
/// Operations that a warning points at.
const MOST_LABELS: usize = 6;

/// Units that are given less those that are taken, by lock.
type LockChanges = BTreeMap<Op, i64>;

/// A core, or a DMA channel of a tile.
struct LockUser {
    /// In words.
    name: String,
    /// What the finding points at: the loop, the core or the start of the channel.
    at: Op,
    /// What it is, as `loop`.
    what: &'static str,
    changes: LockChanges,
    /// Its acquires and releases.
    operations: Vec<UseLock>,
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
    let Some(outside) = set_elsewhere(module, device, model) else {
        return Ok(());
    };
    let mut users = Vec::new();
    for core in module.children::<Core>(device) {
        users.extend(core_users(module, core.op()));
    }
    for container in dma_containers(module, device) {
        let channels = dma_channels(module, container);
        users.extend(
            channels
                .iter()
                .filter_map(|c| channel_user(module, container, c)),
        );
    }
    for user in &mut users {
        user.changes.retain(|lock, _| !outside.contains(lock));
    }
    let consistent = consistent_locks(&users);
    for user in users.iter().filter(|user| user.sum() != 0) {
        if !user.changes.keys().all(|lock| consistent.contains(lock)) {
            context.report(unbalanced(module, user));
        }
    }
    Ok(())
}

/// The locks that somebody changes whose rounds aren't known: the runtime sequence, register writes, cores
/// without a body. `None`: any lock.
fn set_elsewhere(module: &Module, device: Op, model: &DeviceModel) -> Option<BTreeSet<Op>> {
    let locks = locks_by_tile(module, device);
    let mut outside = BTreeSet::new();
    let mut tiles: BTreeSet<TileLoc> = BTreeSet::new();
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
            OpKind::UseLock if !is_in_program(module, op) => {
                outside.extend(UseLock(op).lock_op(module).map(OpView::op));
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

/// Whether an operation is in the body of a core or of a DMA program of a tile.
fn is_in_program(module: &Module, op: Op) -> bool {
    let mut around = module.parent_op(op);
    while let Some(parent) = around {
        match module.kind(parent) {
            OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => return true,
            _ => around = module.parent_op(parent),
        }
    }
    false
}

fn channel_user(module: &Module, container: Op, channel: &DmaChannel) -> Option<LockUser> {
    let ring = match channel.next_of_last {
        Some(first) => channel.bds.get(first..)?,
        None => &channel.bds,
    };
    let mut user = LockUser {
        name: format!(
            "DMA {} {} of tile {}",
            channel.dir,
            channel.channel,
            tile_of_op(module, container)?
        ),
        at: channel.op,
        what: "round of its buffer descriptors",
        changes: LockChanges::new(),
        operations: Vec::new(),
    };
    for BdSlot {
        acquire, release, ..
    } in ring
    {
        let acquire = acquire.filter(|lock| lock.acq_en(module).unwrap_or(true));
        for used in [acquire, *release].into_iter().flatten() {
            add(&mut user.changes, &change(module, used)?, 1);
            user.operations.push(used);
        }
    }
    Some(user)
}

/// What a lock operation changes; `None` if that isn't known.
fn change(module: &Module, used: UseLock) -> Option<LockChanges> {
    let lock = used.lock_op(module)?.op();
    let units = used.const_value(module)?;
    match used.action(module) {
        LockAction::Release => Some(LockChanges::from([(lock, units)])),
        LockAction::AcquireGreaterEqual => Some(LockChanges::from([(lock, -units)])),
        LockAction::Acquire => None,
    }
}

fn add(sum: &mut LockChanges, changes: &LockChanges, times: i64) {
    for (lock, change) in changes {
        let units = sum.entry(*lock).or_default();
        *units = units.saturating_add(change.saturating_mul(times));
    }
}

/// The loops of a core that run for ever, and what is outside them if that is known.
fn core_users(module: &Module, core: Op) -> Vec<LockUser> {
    let (Some(tile), Some(entry)) = (tile_of_op(module, core), module.entry(core, 0)) else {
        return Vec::new();
    };
    let mut reader = CoreReader {
        module,
        name: format!("core {tile}"),
        users: Vec::new(),
    };
    let before = reader.blocks(entry);
    let endless = !reader.users.is_empty();
    // An object that is kept for ever beside an endless loop may be meant.
    if let Some(changes) = before.filter(|c| !endless || c.values().sum::<i64>() > 0) {
        reader.keep(core, "run", changes);
    }
    reader.users
}

struct CoreReader<'a> {
    module: &'a Module,
    name: String,
    /// Its endless loops.
    users: Vec<LockUser>,
}

impl CoreReader<'_> {
    fn keep(&mut self, at: Op, what: &'static str, changes: LockChanges) {
        self.users.push(LockUser {
            name: self.name.clone(),
            at,
            what,
            changes,
            operations: self.module.find_all::<UseLock>(at),
        });
    }

    /// What the blocks from one on change until the code ends; endless loops change nothing.
    fn blocks(&mut self, entry: Block) -> Option<LockChanges> {
        let mut parts: Vec<(Block, LockChanges)> = Vec::new();
        let mut starts: BTreeMap<Block, usize> = BTreeMap::new();
        let mut at = Some(entry);
        while let Some(block) = at {
            if let Some(start) = starts.insert(block, parts.len()) {
                let mut ring = LockChanges::new();
                parts
                    .drain(start..)
                    .for_each(|(_, part)| add(&mut ring, &part, 1));
                let first = *self.module.ops_in(block).first()?;
                self.keep(first, "pass of its loop", ring);
                break;
            }
            let changes = self.block(block)?;
            parts.push((block, changes));
            let last = self.module.last_op(block)?;
            at = match self.module.successors(last) {
                [] => None,
                [only] => Some(*only),
                _ => return None,
            };
        }
        let mut sum = LockChanges::new();
        parts.iter().for_each(|(_, part)| add(&mut sum, part, 1));
        Some(sum)
    }

    fn block(&mut self, block: Block) -> Option<LockChanges> {
        let mut sum = LockChanges::new();
        for op in self.module.ops_in(block) {
            if let Some(used) = UseLock::cast(self.module, op) {
                add(&mut sum, &change(self.module, used)?, 1);
            } else if !self.module.regions_of(op).is_empty()
                && !self.module.find(op, OpKind::UseLock).is_empty()
            {
                add(&mut sum, &self.structured(op)?, 1);
            }
        }
        Some(sum)
    }

    fn structured(&mut self, op: Op) -> Option<LockChanges> {
        let module = self.module;
        let region = |number| module.entry(op, number);
        match module.kind(op) {
            OpKind::ScfFor => {
                let body = self.block(region(0)?)?;
                match trips(module, ScfFor::cast(module, op)?) {
                    Some(times) if times < ENDLESS => {
                        let mut sum = LockChanges::new();
                        add(&mut sum, &body, times as i64);
                        Some(sum)
                    }
                    Some(_) => {
                        self.keep(op, "pass of its loop", body);
                        Some(LockChanges::new())
                    }
                    None => no_change(body),
                }
            }
            OpKind::ScfWhile => {
                let mut body = self.block(region(0)?)?;
                add(&mut body, &self.block(region(1)?)?, 1);
                let last = module.last_op(region(0)?)?;
                match const_int(module, module.operand(last, 0)?) {
                    Some(0) | None => no_change(body),
                    Some(_) => {
                        self.keep(op, "pass of its loop", body);
                        Some(LockChanges::new())
                    }
                }
            }
            OpKind::ScfIf => {
                let then = self.block(region(0)?)?;
                let otherwise = match region(1) {
                    Some(block) => self.block(block)?,
                    None => LockChanges::new(),
                };
                let mut difference = then.clone();
                add(&mut difference, &otherwise, -1);
                no_change(difference).map(|_| then)
            }
            OpKind::ScfExecuteRegion => self.block(region(0)?),
            _ => None,
        }
    }
}

/// Nothing, if nothing is changed; else it isn't known how often.
fn no_change(changes: LockChanges) -> Option<LockChanges> {
    let none = changes.values().all(|units| *units == 0);
    none.then(LockChanges::new)
}

/// How often a loop runs; `None` if that isn't a constant.
fn trips(module: &Module, view: ScfFor) -> Option<u64> {
    let bound = |value: Option<_>| Some(i128::from(const_int(module, value?)?));
    let (lower, upper) = (bound(view.lower(module))?, bound(view.upper(module))?);
    let step = bound(view.step(module)).filter(|step| *step > 0)?;
    let span = (upper - lower).max(0);
    Some(u64::try_from((span + step - 1) / step).unwrap_or(u64::MAX))
}

/// The locks of groups of users in which there are rounds of each that leave every lock as it was. Judged are locks
/// that one user gives to and one takes from.
fn consistent_locks(users: &[LockUser]) -> BTreeSet<Op> {
    let mut by_lock: BTreeMap<Op, Vec<(usize, i64)>> = BTreeMap::new();
    for (at, user) in users.iter().enumerate() {
        for (lock, change) in user.changes.iter().filter(|(_, change)| **change != 0) {
            by_lock.entry(*lock).or_default().push((at, *change));
        }
    }
    // Rounds of a user as a fraction of those of the first of its group.
    let mut rounds: Vec<Option<(i128, i128)>> = vec![None; users.len()];
    let mut consistent = BTreeSet::new();
    for first in 0..users.len() {
        if rounds[first].is_some() {
            continue;
        }
        rounds[first] = Some((1, 1));
        let (mut next, mut locks, mut sound) = (vec![first], BTreeSet::new(), true);
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
    match up.abs() < MOST && down < MOST {
        true => (up, down),
        false => (0, 0),
    }
}

fn unbalanced(module: &Module, user: &LockUser) -> Diag {
    let LockUser { name, what, .. } = user;
    let difference = user.sum();
    let units = match difference.unsigned_abs() {
        1 => "1 unit".to_string(),
        units => format!("{units} units"),
    };
    let more = if difference < 0 { "takes" } else { "gives" };
    let less = if difference < 0 { "gives" } else { "takes" };
    let message = format!("{name} {more} {units} of locks more than it {less} in each {what}");
    let mut diag =
        Diag::warning(&UNBALANCED, message).label(module.span(user.at), format!("this {what}"));
    for used in user.operations.iter().take(MOST_LABELS) {
        let lock = used.lock_op(module).map(|lock| name_of(module, lock.op()));
        let verb = match used.action(module) {
            LockAction::Release => "gives to",
            _ => "takes from",
        };
        let units = used.const_value(module).unwrap_or_default();
        diag = diag.label(
            module.span(used.op()),
            format!("{verb} `{}`: {units}", lock.unwrap_or_default()),
        );
    }
    diag.help(match difference < 0 {
        true => "a release is missing, or gives too few: the units of these locks run out",
        false => "an acquire is missing, or takes too few: the units of these locks pile up",
    })
}
