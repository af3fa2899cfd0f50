//! Rotation: channels that continue at another of their buffers than the first.
//!
//! A channel that goes round over equal buffers with the same locks may be anywhere in its round:
//! what it does next is the same, only the buffers have changed ranges. If all channels of a buffer
//! agree on that, mem tiles need nothing at all, and a core nothing but a program that finds each
//! buffer where it is now. That costs no byte, as programs are written anyway.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpView;
use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, TileKind, TileLoc};
use rustc_hash::FxHashMap;

use super::channel_processes::Task;

use crate::reconfigure::memory_use::{has_machine_code, placed_buffers};
use crate::regops::{RegAction, RegOp};
use aiec_regprog::extent;
use aiec_regprog::known_values::words_of;

/// A range of a tile's memory, in bytes.
type Range = (TileLoc, u32, u32);

/// The buffers of the device that is loaded next.
pub(super) struct Buffers {
    list: Vec<BufferRange>,
    by_tile: FxHashMap<TileLoc, Vec<usize>>,
}

struct BufferRange {
    op: Op,
    tile: TileLoc,
    start: u32,
    end: u32,
    /// Whether it may lie elsewhere: only cores that are compiled and channels use it, it has no
    /// initial value, and no other buffer lies over it.
    moves: bool,
}

impl Buffers {
    /// The buffers of a device; `sequence` is what is done while it is loaded.
    pub(super) fn of(
        module: &Module,
        device: Op,
        model: &'static DeviceModel,
        sequence: &[RegOp],
    ) -> Buffers {
        let mut list = Vec::new();
        for (buffer, tile, bytes) in placed_buffers(module, device) {
            list.push(BufferRange {
                op: buffer.op(),
                tile,
                start: bytes.start,
                end: bytes.end,
                moves: buffer.initial_value(module).is_none(),
            });
        }
        list.sort_by_key(|range| (range.tile, range.start, range.end));
        let mut by_tile: FxHashMap<TileLoc, Vec<usize>> = FxHashMap::default();
        for (at, range) in list.iter().enumerate() {
            by_tile.entry(range.tile).or_default().push(at);
        }
        let mut buffers = Buffers { list, by_tile };
        buffers.pin_overlapping();
        if has_machine_code(module, device, model) {
            buffers.pin();
        }
        for (address, count) in sequence.iter().flat_map(addressed) {
            match model.register_at(address) {
                Some((tile, RegisterRef::DataMemory { byte })) => {
                    for at in buffers.within((tile, byte, byte.saturating_add(count))) {
                        buffers.list[at].moves = false;
                    }
                }
                // Buffers that the sequence's own tasks in the array use aren't looked up, so none
                // may move.
                Some((tile, RegisterRef::BdWord { .. } | RegisterRef::DmaQueue { .. }))
                    if tile.row != 0 =>
                {
                    buffers.pin();
                }
                _ => {}
            }
        }
        buffers
    }

    /// All stay where they are.
    fn pin(&mut self) {
        for range in &mut self.list {
            range.moves = false;
        }
    }

    /// Buffers that share bytes stay where they are.
    fn pin_overlapping(&mut self) {
        for ranges in self.by_tile.values() {
            let mut last: Option<usize> = None;
            for at in ranges {
                if let Some(before) = last
                    && self.list[*at].start < self.list[before].end
                {
                    self.list[before].moves = false;
                    self.list[*at].moves = false;
                }
                let end = |at: usize| self.list[at].end;
                last = Some(last.filter(|before| end(*before) > end(*at)).unwrap_or(*at));
            }
        }
    }

    /// The buffers that have bytes in a range.
    fn within(&self, (tile, start, end): Range) -> Vec<usize> {
        let ranges = self.by_tile.get(&tile).into_iter().flatten().copied();
        let inside = |at: &usize| self.list[*at].start < end && start < self.list[*at].end;
        ranges.filter(inside).collect()
    }

    /// The buffer that a range lies in and that may lie `delta` bytes further, in the range of
    /// another one that may move and is as long.
    fn movable(&self, range: Range, delta: i64) -> Option<usize> {
        let [at] = self.within(range)[..] else {
            return None;
        };
        let from = &self.list[at];
        let whole = from.start <= range.1 && range.2 <= from.end;
        let start = u32::try_from(i64::from(from.start) + delta).ok()?;
        let end = u32::try_from(i64::from(from.end) + delta).ok()?;
        let ranges = self.by_tile.get(&from.tile).into_iter().flatten();
        let mut ranges = ranges.map(|at| &self.list[*at]);
        let to = ranges.find(|to| to.start == start && to.end == end)?;
        (whole && from.moves && to.moves).then_some(at)
    }
}

/// Addresses that an operation uses, and how many bytes from there on.
fn addressed(op: &RegOp) -> Vec<(u32, u32)> {
    let word = crate::analysis::transfer::WORD_BYTES as u32;
    match op.action {
        RegAction::Mask { address, .. }
        | RegAction::Poll { address, .. }
        | RegAction::Read { address } => vec![(address, word)],
        RegAction::Copy { from, to, .. } => vec![(from, word), (to, word)],
        RegAction::UpdateFromScratchpad { address, .. } => vec![(address, 2 * word)],
        _ => words_of(op).map(|(address, _)| (address, word)).collect(),
    }
}

/// The cycle of a channel, and how many descriptors it is ahead of its start.
#[derive(Clone, Debug)]
pub(super) struct ChannelPosition {
    pub(super) cycle: Vec<BdFields>,
    pub(super) offset: usize,
}

/// The cycle of a channel: the descriptors that its only task repeats without end.
pub(super) fn cycle(tasks: &[Task]) -> Option<Vec<BdFields>> {
    match tasks {
        [task] if task.configured && task.next == Some(0) => {
            Some(task.moves.iter().map(|one| one.image.clone()).collect())
        }
        _ => None,
    }
}

/// Whether a cycle that starts `offset` descriptors later does the same, apart from its buffers.
pub(super) fn is_rotation_invariant(cycle: &[BdFields], offset: usize) -> bool {
    let plain = |image: &BdFields| BdFields {
        base_address: 0,
        next_bd: 0,
        ..image.clone()
    };
    let turned = cycle.iter().cycle().skip(offset);
    cycle.iter().zip(turned).all(|(a, b)| plain(a) == plain(b))
}

/// The memory of a descriptor.
fn memory(model: &DeviceModel, tile: TileLoc, image: &BdFields) -> Option<Range> {
    let (start, end) = extent(image);
    let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
    if model.tile_kind(tile) != Some(TileKind::Mem) {
        return Some((tile, start, end));
    }
    let (owner, first) = model.resolve_mem_tile_address(tile, start)?;
    let (other, last) = model.resolve_mem_tile_address(tile, end.checked_sub(1)?)?;
    (owner == other).then_some((owner, first, last.checked_add(1)?))
}

/// Where the buffers of a device lie now: those whose channels all agree. Channels that disagree, or
/// whose buffers can't move, are added to those that `restart`.
pub(super) fn moved(
    model: &'static DeviceModel,
    buffers: &Buffers,
    channels: &[(ChannelId, ChannelPosition)],
    restart: &mut BTreeSet<ChannelId>,
) -> Vec<(Op, u32)> {
    loop {
        let mut deltas: FxHashMap<usize, Vec<(i64, ChannelId)>> = FxHashMap::default();
        let mut unfit: BTreeSet<ChannelId> = BTreeSet::new();
        for (key, positions) in channels {
            let offset = if restart.contains(key) {
                0
            } else {
                positions.offset
            };
            let turned = positions.cycle.iter().cycle().skip(offset);
            for (image, now) in positions.cycle.iter().zip(turned) {
                let delta = now.base_address as i64 - image.base_address as i64;
                let range = memory(model, key.tile, image);
                let fits = range.is_some_and(|range| buffers.movable(range, delta).is_some());
                if delta != 0 && !fits {
                    unfit.insert(*key);
                }
                for at in range.into_iter().flat_map(|range| buffers.within(range)) {
                    deltas.entry(at).or_default().push((delta, *key));
                }
            }
        }
        let mut ranges: FxHashMap<(TileLoc, u32), usize> = FxHashMap::default();
        let mut list = Vec::new();
        for (at, range) in buffers.list.iter().enumerate() {
            let users = deltas.get(&at).map_or(&[][..], Vec::as_slice);
            let delta = users.iter().map(|(delta, _)| *delta).min().unwrap_or(0);
            let start = (i64::from(range.start) + delta) as u32;
            let taken = ranges.insert((range.tile, start), at);
            let disagree = users.iter().any(|(other, _)| *other != delta);
            for at in taken
                .into_iter()
                .chain([at])
                .filter(|_| disagree || taken.is_some())
            {
                let users = deltas.get(&at).into_iter().flatten();
                unfit.extend(users.filter(|(delta, _)| *delta != 0).map(|(_, key)| *key));
            }
            if delta != 0 {
                list.push((range.op, start));
            }
        }
        let before = restart.len();
        restart.extend(unfit);
        if restart.len() == before {
            return list;
        }
    }
}
