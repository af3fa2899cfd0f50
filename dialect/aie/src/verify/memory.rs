//! Locks, buffers and cores: ranges, and who reaches what.

use aiec_device::{TileKind, TileLoc};

use super::{Context, codes, kind_text};
use crate::diag::Diag;
use crate::ir::{Attr, Op};
use crate::ops::netlist::{const_int, tile_loc};
use crate::ops::{Buffer, Core, Lock, OpKind, OpView, UseLock, enums::LockAction};

pub(super) fn check(cx: &mut Context<'_>) {
    for lock in cx.all::<Lock>() {
        lock_range(cx, lock);
    }
    for buffer in cx.all::<Buffer>() {
        buffer_range(cx, buffer);
    }
    for core in cx.all::<Core>() {
        core_attributes(cx, core);
    }
    for used in cx.all::<UseLock>() {
        use_lock(cx, used);
    }
    reach(cx);
}

fn lock_range(cx: &mut Context<'_>, lock: Lock) {
    let m = cx.module;
    let Some(loc) = cx.tile(lock.tile(m)) else {
        return;
    };
    let count = cx.model.tile(loc).map_or(0, |t| i32::from(t.locks));
    if count == 0 {
        let kind = cx.kind_at(loc).map_or("tile", kind_text);
        let message = format!("{loc}, a {kind}, has no locks");
        let diag = cx
            .error(lock.op(), &codes::LOCK, message)
            .help("put the lock on another tile");
        cx.push(diag);
        return;
    }
    if let Some(id) = lock.lockID(m)
        && !(0..count).contains(&id)
    {
        let message = format!(
            "lock {id} of {loc} doesn't exist (maximum is {})",
            count - 1
        );
        let diag = cx.error(lock.op(), &codes::LOCK, message).help(format!(
            "ids are 0..={}; leave it out to have one chosen",
            count - 1
        ));
        cx.push(diag);
    }
    let max = i32::from(cx.model.arch_model().max_lock_value);
    if let Some(init) = lock.init(m)
        && !(0..=max).contains(&init)
    {
        let message = format!("initial value {init} of a lock is out of range");
        let diag = cx
            .error(lock.op(), &codes::LOCK, message)
            .help(format!("locks of {} hold 0..={max}", cx.model.name()));
        cx.push(diag);
    }
}

fn buffer_range(cx: &mut Context<'_>, buffer: Buffer) {
    let m = cx.module;
    let Some(loc) = cx.tile(buffer.tile(m)) else {
        return;
    };
    let Some(tile) = cx.model.tile(loc) else {
        return;
    };
    let (memory, banks) = (u64::from(tile.memory_bytes), tile.banks);
    let op = buffer.op();
    if memory == 0 {
        let kind = cx.kind_at(loc).map_or("tile", kind_text);
        let message = format!("{loc}, a {kind}, has no memory for buffers");
        let diag = cx
            .error(op, &codes::TILE_KIND, message)
            .help("put the buffer on a core or mem tile; host memory is aie.external_buffer");
        cx.push(diag);
        return;
    }
    let Some(bytes) = buffer.bytes(m) else {
        let diag = cx
            .error(op, &codes::BUFFER, "the size of this buffer isn't known")
            .help("give it a memref of static shape whose elements have whole bytes");
        cx.push(diag);
        return;
    };
    let start = buffer.address(m).map(i64::from);
    let end = start.map(|a| i128::from(a) + i128::from(bytes));
    let outside = start.is_some_and(|a| a < 0) || end.is_some_and(|e| e > i128::from(memory));
    if outside || bytes > memory {
        let place = start.map_or(String::new(), |a| format!(" at address {a}"));
        let message =
            format!("a buffer of {bytes} bytes{place} does not fit the {memory} bytes of {loc}");
        let diag = cx
            .error(op, &codes::BUFFER, message)
            .help("make it smaller, give it another address, or use a mem tile");
        cx.push(diag);
    }
    if let Some(bank) = buffer.mem_bank(m)
        && u32::try_from(bank).ok().is_none_or(|b| b >= banks.count)
    {
        let message = format!("mem_bank attribute value is out of range: {loc} has no bank {bank}");
        let diag = cx.error(op, &codes::BUFFER, message).help(format!(
            "this tile has banks 0..={} of {} bytes",
            banks.count - 1,
            banks.bytes
        ));
        cx.push(diag);
    }
    if let Some(Attr::Dense(dense)) = m.attr(op, "initial_value")
        && dense.expand().is_some_and(|b| b.len() as u64 != bytes)
    {
        let message = format!("the initial value doesn't have the {bytes} bytes of the buffer");
        let diag = cx
            .error(op, &codes::BUFFER, message)
            .help("give one value for each element, or a single one for all");
        cx.push(diag);
    }
}

fn core_attributes(cx: &mut Context<'_>, core: Core) {
    let m = cx.module;
    let Some(loc) = cx.tile(core.tile(m)) else {
        return;
    };
    let memory = cx.model.tile(loc).map_or(0, |t| i64::from(t.memory_bytes));
    let op = core.op();
    if let Some(stack) = core.stack_size(m).map(i64::from)
        && (stack < 1 || stack >= memory)
    {
        let message = format!("a stack of {stack} bytes does not fit the {memory} bytes of {loc}");
        let diag = cx
            .error(op, &codes::CORE, message)
            .help("make it smaller than the memory");
        cx.push(diag);
    }
    if core.link_with(m).is_some() && core.link_files(m).is_some() {
        let diag = cx
            .error(
                op,
                &codes::CORE,
                "link_with and link_files can't both be given",
            )
            .help("move the file of link_with into link_files");
        cx.push(diag);
    }
    let body = m.entry(op, 0);
    let is_empty = body
        .and_then(|b| m.first_op(b))
        .is_none_or(|o| m.kind(o) == OpKind::End);
    if core.elf_file(m).is_some() && !is_empty {
        let diag = Diag::warning(
            &codes::CORE,
            "elf_file is ignored: the core's body is compiled",
        )
        .label(m.span(op), "this core has both")
        .help("empty the body but for aie.end to load the file, or remove elf_file");
        cx.push(diag);
    }
}

fn use_lock(cx: &mut Context<'_>, used: UseLock) {
    let m = cx.module;
    let op = used.op();
    let semaphores = cx.model.arch_model().semaphore_locks;
    if used.action(m) == LockAction::AcquireGreaterEqual && !semaphores {
        let diag = cx
            .error(op, &codes::LOCK, "AIE1 has no counting locks")
            .help("use Acquire with the value 0 or 1");
        cx.push(diag);
    }
    let parent = m.parent_op(op).map(|p| m.kind(p));
    let in_dma = matches!(
        parent,
        Some(OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma | OpKind::Dma)
    );
    let value = used.value(m).and_then(|v| const_int(m, v));
    if in_dma && value.is_none() {
        let diag = cx
            .error(
                op,
                &codes::LOCK,
                "a lock value in a DMA program must be a constant",
            )
            .help("use an arith.constant");
        cx.push(diag);
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
        let diag = cx
            .error(
                op,
                &codes::LOCK,
                format!("lock value {value} is out of range"),
            )
            .help(format!("values are {min}..={max}"));
        cx.push(diag);
    }
    if parent == Some(OpKind::Device) {
        let diag = cx
            .error(
                op,
                &codes::PARENT,
                "a lock can't be used outside of a program",
            )
            .help("use it in an aie.core or a DMA program");
        cx.push(diag);
    }
}

/// Where a program runs.
#[derive(Clone, Copy)]
enum Place {
    Core(TileLoc),
    CoreDma(TileLoc),
    MemDma(TileLoc),
    ShimDma(TileLoc),
}

/// Buffers and locks are reachable from the programs that use them.
fn reach(cx: &mut Context<'_>) {
    let m = cx.module;
    let mut values: Vec<(Op, TileLoc)> = Vec::new();
    for lock in cx.all::<Lock>() {
        values.extend(cx.tile(lock.tile(m)).map(|loc| (lock.op(), loc)));
    }
    for buffer in cx.all::<Buffer>() {
        values.extend(cx.tile(buffer.tile(m)).map(|loc| (buffer.op(), loc)));
    }
    for (op, owner) in values {
        for user in m.result(op, 0).map(|v| m.users(v)).unwrap_or_default() {
            let Some(place) = place_of(cx, user) else {
                continue;
            };
            if let Some(help) = unreachable(cx, place, owner) {
                let what = if m.kind(op) == OpKind::Lock {
                    "lock"
                } else {
                    "buffer"
                };
                let message = format!("this {what} of {owner} can't be reached from here");
                let diag = cx
                    .error(user, &codes::REACH, message)
                    .label(m.span(op), format!("the {what} is on {owner}"))
                    .help(help);
                cx.push(diag);
            }
        }
    }
}

fn place_of(cx: &Context<'_>, user: Op) -> Option<Place> {
    let m = cx.module;
    let mut at = m.parent_op(user);
    while let Some(op) = at {
        let place: Option<fn(TileLoc) -> Place> = match m.kind(op) {
            OpKind::Core => Some(Place::Core),
            OpKind::Mem => Some(Place::CoreDma),
            OpKind::MemTileDma => Some(Place::MemDma),
            OpKind::ShimDma => Some(Place::ShimDma),
            OpKind::Device | OpKind::RuntimeSequence => return None,
            _ => None,
        };
        if let Some(place) = place {
            return tile_loc(m, m.operand(op, 0)?).map(place);
        }
        at = m.parent_op(op);
    }
    None
}

fn unreachable(cx: &Context<'_>, place: Place, owner: TileLoc) -> Option<String> {
    match place {
        Place::Core(core) => {
            if cx.kind_at(core) != Some(TileKind::Core)
                || cx.model.core_window_to(core, owner).is_some()
            {
                return None;
            }
            let seen: Vec<String> = cx
                .model
                .core_windows(core)
                .map(|w| w.owner.to_string())
                .collect();
            Some(format!(
                "the core of {core} reaches the memory of {}",
                seen.join(", ")
            ))
        }
        Place::CoreDma(tile) | Place::ShimDma(tile) if tile != owner => {
            Some(format!("the DMA of {tile} reaches its own tile only"))
        }
        Place::MemDma(tile) if cx.model.mem_tile_window(tile, owner).is_none() => Some(format!(
            "the DMA of {tile} reaches its own memory and the mem tiles west and east of it"
        )),
        _ => None,
    }
}
