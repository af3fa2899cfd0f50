//! Locks: ids, values, and which programs reach which lock and buffer.

use aiec_device::{TileKind, TileLoc};

use super::array::below_minimum;
use super::{Context, Report, codes, kind_text};
use crate::ir::Op;
use crate::ops::netlist::{const_int, tile_loc};
use crate::ops::{Lock, OpKind, OpView, Traits, UseLock, enums::LockAction};
use aiec_diag::{Diag, MlirAieReport};

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(lock_range);
    cx.each(use_lock);
    reach(cx);
}

fn lock_range(cx: &mut Context<'_>, lock: Lock) {
    let m = cx.module;
    let Some(loc) = cx.tile(lock.tile(m)) else {
        return;
    };
    let count = cx.model.tile(loc).map_or(0, |t| i32::from(t.locks));
    if count == 0 {
        let kind = cx.kind_at(loc);
        let name = kind.map_or("tile", kind_text);
        let message = format!("{loc}, a {name}, has no locks");
        let help = "put the lock on another tile";
        match kind {
            // The lowering of a fifo that ends here makes a pair that nothing uses; what matters
            // is that the tile has no DMA, which the fifo's own warning and the router say.
            Some(TileKind::ShimPl) => Diag::warning(&codes::LOCK, message)
                .label(m.span(lock.op()), "this lock")
                .help(help)
                .push_of_whole(cx),
            _ => {
                cx.refuse(lock.op(), &codes::LOCK, message, help);
            }
        }
        return;
    }
    if let Some(id) = lock.lockID(m)
        && !(0..count).contains(&id)
    {
        let message = format!(
            "lock {id} of {loc} doesn't exist (maximum is {})",
            count - 1
        );
        let help = format!("ids are 0..={}; leave it out to have one chosen", count - 1);
        let diag = cx.error(lock.op(), &codes::LOCK, message).help(help);
        let text = format!("lock assigned invalid id (maximum is {})", count - 1);
        diag.mlir_aie(if id < 0 {
            below_minimum(cx, lock.op(), "lockID", 0)
        } else {
            cx.mlir_aie(lock.op(), text)
        })
        .push(cx);
    }
    let max = i32::from(cx.model.arch_model().max_lock_value);
    if let Some(init) = lock.init(m)
        && !(0..=max).contains(&init)
    {
        let message = format!("initial value {init} of a lock is out of range");
        let help = format!("locks of {} hold 0..={max}", cx.model.name());
        cx.problem(lock.op(), &codes::LOCK, message, help);
    }
}

fn use_lock(cx: &mut Context<'_>, used: UseLock) {
    let m = cx.module;
    let op = used.op();
    let semaphores = cx.model.arch_model().semaphore_locks;
    if used.action(m) == LockAction::AcquireGreaterEqual && !semaphores {
        let help = "use Acquire with the value 0 or 1";
        let text = "AcquireGreaterEqual is not supported in AIE1.";
        cx.shared(op, &codes::LOCK, ("AIE1 has no counting locks", help), text);
    }
    let parent = m.parent_op(op).map(|p| m.kind(p));
    let in_dma = matches!(
        parent,
        Some(OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma | OpKind::Dma)
    );
    is_lock(cx, used, in_dma);
    // A release never waits.
    if used.blocking(m) == Some(NON_BLOCKING) && used.action(m) != LockAction::Release {
        let message = "NonBlocking has no effect: this acquire waits for its lock";
        let diag = Diag::warning(&codes::LOCK, message)
            .label(m.span(op), "aie.use_lock")
            .help("leave NonBlocking out: no result says whether a try was successful");
        diag.push(cx);
    }
    if used.acq_en(m) == Some(false) && !in_dma {
        let message = "acq_en = false is a field of BDs";
        let help = "remove the use, or acq_en: a core acquires what it names";
        cx.problem(op, &codes::LOCK, message, help);
    }
    let value = used.value(m).and_then(|v| const_int(m, v));
    if in_dma && value.is_none() {
        let message = "a lock value in a DMA program must be a constant";
        let text = "lock value in a DMA/BD block must be a compile-time constant (defined by an \
                 arith.constant)";
        cx.shared(op, &codes::LOCK, (message, "use an arith.constant"), text);
    }
    let max = i64::from(cx.model.arch_model().max_lock_value);
    // A release changes a counter by a signed amount (AM025: lock release value of a BD).
    let min = match used.action(m) {
        LockAction::Release if semaphores => -max - 1,
        _ => 0,
    };
    if let Some(value) = value
        && !(min..=max).contains(&value)
    {
        let message = format!("lock value {value} is out of range");
        let help = format!("values are {min}..={max}");
        cx.problem(op, &codes::LOCK, message, help);
    }
    if matches!(parent, Some(OpKind::Device | OpKind::BuiltinModule)) {
        let message = "a lock can't be used outside of a program";
        let help = "use it in an aie.core or a DMA program";
        let text = "must be used in a core or memory operation.";
        cx.shared(op, &codes::PARENT, (message, help), text);
    }
}

/// `blocking` of a use that doesn't wait (`mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`,
/// `LockBlocking`).
const NON_BLOCKING: i32 = 0;

/// The operand of a use must be a lock: one of the design, an argument in place of one, or, in a
/// core, the number of one.
fn is_lock(cx: &mut Context<'_>, used: UseLock, in_dma: bool) {
    let m = cx.module;
    let op = used.op();
    let Some(def) = used.lock(m).and_then(|lock| m.def_op(lock)) else {
        return;
    };
    // Which lock a core computes is seen when its program is lowered.
    let computed = !in_dma && m.kind(def) != OpKind::Tile && m.kind(def).has(Traits::PURE);
    if matches!(m.kind(def), OpKind::Lock | OpKind::Unknown) || computed {
        return;
    }
    cx.error(op, &codes::LOCK, "this isn't a lock")
        .label(m.span(def), "defined here")
        .help("name the result of an aie.lock")
        .push_of_whole(cx);
}

/// Where a program runs: the kind of operation that holds programs of that kind, and its tile.
type ProgramTile = (OpKind, TileLoc);

/// Buffers and locks are reachable from the programs that use them.
fn reach(cx: &mut Context<'_>) {
    let m = cx.module;
    for op in cx.of_kinds([OpKind::Lock, OpKind::Buffer]) {
        let Some(owner) = cx.tile(m.operand(op, 0)) else {
            continue;
        };
        for user in m.result(op, 0).map(|v| m.users(v)).unwrap_or_default() {
            let places = match place_of(cx, user) {
                Some(place) => vec![place],
                None => task_places(cx, user),
            };
            let bad = |place: &ProgramTile| Some((*place, unreachable(cx, *place, owner)?));
            if let Some((place, help)) = places.iter().find_map(bad) {
                let what = match m.kind(op) {
                    OpKind::Lock => "lock",
                    _ => "buffer",
                };
                let message = format!("this {what} of {owner} can't be reached from here");
                cx.error(user, &codes::REACH, message)
                    .label(m.span(op), format!("the {what} is on {owner}"))
                    .help(help)
                    .mlir_aie(unreachable_in_mlir_aie(cx, place, owner, op, user))
                    .push(cx);
            }
        }
    }
}

/// mlir-aie's tools report it at the lock or buffer, unless the core's own DMA is the user.
fn unreachable_in_mlir_aie(
    cx: &Context<'_>,
    (kind, at): ProgramTile,
    owner: TileLoc,
    used: Op,
    user: Op,
) -> MlirAieReport {
    let m = cx.module;
    let neighbour = cx.model.core_window_to(at, owner).is_some();
    match (kind, m.kind(user)) {
        (OpKind::Mem, OpKind::DmaBd) if neighbour => {
            let text = "Core tile DMAs can only access a buffer in the same tile.";
            cx.mlir_aie(user, text)
        }
        (OpKind::Mem, OpKind::UseLock) if neighbour => {
            cx.mlir_aie(user, "can only access a lock in the same tile")
        }
        _ => {
            let text = format!(
                "in Column {} and Row {} is accessed from an unreachable tile in Column {} and \
                 Row {}",
                owner.col, owner.row, at.col, at.row
            );
            cx.mlir_aie(used, text).note(m.span(user), "user")
        }
    }
}

fn place_of(cx: &Context<'_>, user: Op) -> Option<ProgramTile> {
    let m = cx.module;
    let mut at = m.parent_op(user);
    while let Some(op) = at {
        match m.kind(op) {
            kind @ (OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma) => {
                return Some((kind, tile_loc(m, m.operand(op, 0)?)?));
            }
            OpKind::Device | OpKind::RuntimeSequence => return None,
            _ => at = m.parent_op(op),
        }
    }
    None
}

/// Where the DMA tasks run that use something: the task around the use, the one that gets it as an
/// argument, or those that are made of the chain around it.
fn task_places(cx: &Context<'_>, user: Op) -> Vec<ProgramTile> {
    let m = cx.module;
    if m.kind(user) == OpKind::DmaStartBdChain {
        return task_place(cx, user).into_iter().collect();
    }
    let Some(parent) = m.parent_op(user) else {
        return Vec::new();
    };
    match m.kind(parent) {
        OpKind::DmaConfigureTask => task_place(cx, parent).into_iter().collect(),
        OpKind::BdChain => {
            let name = m.str_attr(parent, "sym_name");
            let starts = cx.of_kind(OpKind::DmaStartBdChain).into_iter();
            let of_chain = starts.filter(|op| m.symbol_attr(*op, "symbol") == name);
            of_chain.filter_map(|op| task_place(cx, op)).collect()
        }
        _ => Vec::new(),
    }
}

/// Where a task or the start of a chain runs.
fn task_place(cx: &Context<'_>, task: Op) -> Option<ProgramTile> {
    let m = cx.module;
    let tile = match m.kind(task) {
        OpKind::DmaConfigureTask => m.operand(task, 0)?,
        // After the arguments of the chain.
        _ => m.operands(task).last()?,
    };
    let loc = cx.tile(Some(tile))?;
    let kind = match cx.kind_at(loc)? {
        TileKind::Core => OpKind::Mem,
        TileKind::Mem => OpKind::MemTileDma,
        TileKind::ShimNoc | TileKind::ShimPl => OpKind::ShimDma,
    };
    Some((kind, loc))
}

/// Describes the memory that a program reaches, if that isn't the owner's.
fn unreachable(cx: &Context<'_>, (kind, tile): ProgramTile, owner: TileLoc) -> Option<String> {
    let model = cx.model;
    match kind {
        OpKind::Core => {
            if cx.kind_at(tile) != Some(TileKind::Core)
                || model.core_window_to(tile, owner).is_some()
            {
                return None;
            }
            let seen = model.core_windows(tile).map(|w| w.owner.to_string());
            let seen: Vec<String> = seen.collect();
            let seen = seen.join(", ");
            Some(format!("the core of {tile} reaches the memory of {seen}"))
        }
        OpKind::MemTileDma => model.mem_tile_window(tile, owner).is_none().then(|| {
            format!(
                "the DMA of {tile} reaches its own memory and the mem tiles west and east of it"
            )
        }),
        _ => (tile != owner).then(|| format!("the DMA of {tile} reaches its own tile only")),
    }
}
