//! Known contents of registers, and the shortest list of writes that sets them.
//!
//! [`resolve_masked_writes`] turns masked writes into whole ones where the other bits are known.
//! [`merge`] makes one list of a tile's set-up writes whose order doesn't matter: the last value
//! of each register, addresses ascending, neighbours joined. Small gaps are bridged where the
//! registers between keep their reset value and writing them has no effect.

use std::collections::BTreeSet;
use std::ops::Range;

use aiec_device::regmap::{BdLayout, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, TileLoc};
use rustc_hash::FxHashMap;

use crate::op::{RegAction, RegOp};

/// Bytes of a word.
const WORD: u32 = size_of::<u32>() as u32;

/// The address of the first word that an operation writes, and the words.
fn block_of<L>(op: &RegOp<L>) -> (u32, &[u32]) {
    match &op.action {
        RegAction::Write { address, value } => (*address, std::slice::from_ref(value)),
        RegAction::Block { address, words } | RegAction::PatchedBd { address, words, .. } => {
            (*address, words.as_slice())
        }
        _ => (0, &[][..]),
    }
}

/// The words that an operation writes, by address.
pub fn words_of<L>(op: &RegOp<L>) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
    let (start, words) = block_of(op);
    let address = move |n: usize| start.wrapping_add(n as u32 * WORD);
    words
        .iter()
        .enumerate()
        .map(move |(n, word)| (address(n), *word))
}

/// The registers that an operation writes, with their addresses and the words. Empty for blocks
/// within a tile's data or program memory, so that loading an image costs no look-up per word.
pub fn registers_of<L>(
    model: &'static DeviceModel,
    op: &RegOp<L>,
) -> impl Iterator<Item = (u32, TileLoc, RegisterRef, u32)> {
    use RegisterRef::{DataMemory, ProgramMemory};
    let (start, words) = block_of(op);
    let last = start.wrapping_add(words.len().saturating_sub(1) as u32 * WORD);
    let in_memory = words.len() > 2
        && match (model.register_at(start), model.register_at(last)) {
            (Some((a, DataMemory { .. })), Some((b, DataMemory { .. })))
            | (Some((a, ProgramMemory { .. })), Some((b, ProgramMemory { .. }))) => a == b,
            _ => false,
        };
    let words = words_of(op).filter(move |_| !in_memory);
    // The words of a descriptor are side by side: after the first one they aren't looked up.
    let mut following: Option<(TileLoc, u8, Range<u8>)> = None;
    words.filter_map(move |(address, word)| {
        if let Some((tile, bd, places)) = &mut following
            && let Some(place) = places.next()
        {
            let what = RegisterRef::BdWord {
                bd: *bd,
                word: place,
            };
            return Some((address, *tile, what, word));
        }
        let (tile, what) = model.register_at(address)?;
        if let RegisterRef::BdWord { bd, word: place } = what {
            let layout = BdLayout::of(model.arch(), model.tile_kind(tile)?);
            let places = layout.map_or(0, BdLayout::words);
            following = Some((tile, bd, place + 1..places));
        }
        Some((address, tile, what, word))
    })
}

/// The tile whose buffer descriptors an operation writes, if it writes nothing else. The descriptors
/// of a tile are one region of registers, so that the first and the last word decide.
pub fn descriptors_of<L>(model: &DeviceModel, op: &RegOp<L>) -> Option<TileLoc> {
    let (start, words) = block_of(op);
    let last = start.wrapping_add(words.len().checked_sub(1)? as u32 * WORD);
    let tile_of = |address| match model.register_at(address)? {
        (tile, RegisterRef::BdWord { .. }) => Some(tile),
        _ => None,
    };
    let tile = tile_of(start)?;
    (last == start || tile_of(last) == Some(tile)).then_some(tile)
}

/// Same as [`registers_of`], but empty for operations that write descriptors only, which are most of a configuration.
pub(crate) fn registers_beside_descriptors<L>(
    model: &'static DeviceModel,
    op: &RegOp<L>,
) -> impl Iterator<Item = (u32, TileLoc, RegisterRef, u32)> {
    let (address, words) = block_of(op);
    // A single word is looked up once.
    let single = match *words {
        [word] => match model.register_at(address) {
            None | Some((_, RegisterRef::BdWord { .. })) => None,
            Some((tile, what)) => Some((address, tile, what, word)),
        },
        _ => None,
    };
    let several = words.len() > 1 && descriptors_of(model, op).is_none();
    let registers = several.then(|| registers_of(model, op));
    single.into_iter().chain(registers.into_iter().flatten())
}

/// The channels of core and mem tiles to whose task queues operations push.
pub fn pushed<L>(model: &'static DeviceModel, ops: &[RegOp<L>]) -> BTreeSet<ChannelId> {
    let registers = ops
        .iter()
        .flat_map(|op| registers_beside_descriptors(model, op));
    let channels = registers.filter_map(|(_, tile, what, _)| match what {
        RegisterRef::DmaQueue { dir, channel } if tile.row != 0 => {
            Some(ChannelId::new(tile, dir, channel))
        }
        _ => None,
    });
    channels.collect()
}

/// The value of a register after reset, for registers that only the control code changes and
/// that may be written with it (AM025, AM029).
pub fn reset_value(what: RegisterRef) -> Option<u32> {
    match what {
        RegisterRef::MasterConfig { .. }
        | RegisterRef::SlaveConfig { .. }
        | RegisterRef::SlaveSlot { .. }
        | RegisterRef::DmaCtrl { .. }
        | RegisterRef::ShimMux
        | RegisterRef::ShimDemux => Some(0),
        _ => None,
    }
}

/// Turns masked writes into whole ones where the rest of the register is known: from reset, or
/// from an earlier write. `opaque` tells the tiles whose registers others may change.
pub fn resolve_masked_writes<L>(
    model: &'static DeviceModel,
    ops: &mut [RegOp<L>],
    known: &mut KnownRegisters,
    opaque: &dyn Fn(TileLoc) -> bool,
) {
    for op in ops {
        if let RegAction::Mask {
            address,
            mask,
            value,
        } = op.action
            && let Some(old) = known.value(model, address, opaque)
        {
            let value = old & !mask | value & mask;
            op.action = RegAction::Write { address, value };
        }
        known.note(model, op);
    }
}

/// Values of registers that only the control code changes.
#[derive(Clone, Default)]
pub struct KnownRegisters {
    values: FxHashMap<u32, u32>,
}

impl KnownRegisters {
    fn value(
        &self,
        model: &DeviceModel,
        address: u32,
        opaque: &dyn Fn(TileLoc) -> bool,
    ) -> Option<u32> {
        let (tile, what) = model.register_at(address)?;
        let reset = reset_value(what).filter(|_| !opaque(tile))?;
        Some(self.values.get(&address).copied().unwrap_or(reset))
    }

    fn note<L>(&mut self, model: &'static DeviceModel, op: &RegOp<L>) {
        for (address, _, what, word) in registers_beside_descriptors(model, op) {
            if reset_value(what).is_some() {
                self.values.insert(address, word);
            }
        }
    }
}

/// Operations with the same effect in fewer and longer writes. Masked writes come last, since they
/// are for bytes that share a word with something else. A task queue takes each word that is
/// written to it, so that these stay, in order.
///
/// `max_gap` is the number of words between two registers up to which writing known contents over
/// them is cheaper than starting another write; the form of control code decides it.
pub fn merge<L: Copy + Default>(
    model: &DeviceModel,
    ops: &[RegOp<L>],
    known: &KnownRegisters,
    max_gap: u32,
) -> Vec<RegOp<L>> {
    // Writes to each address, in order: a word, or `None` for a mask, with the operation's index.
    let mut writes: Vec<(u32, usize, Option<u32>)> = Vec::with_capacity(ops.len());
    let mut patched = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        match op.action {
            // A patch is bound to its image, which therefore can't become a part of another.
            RegAction::PatchedBd { .. } => patched.push(op.clone()),
            RegAction::Mask { address, .. } => writes.push((address, index, None)),
            _ => writes.extend(words_of(op).map(|(address, word)| (address, index, Some(word)))),
        }
    }
    // Mostly ascending already. The sort is stable: the order of writes to one address stays.
    writes.sort_by_key(|(address, ..)| *address);
    let mut words: Vec<(u32, u32, L)> = Vec::with_capacity(writes.len());
    let (mut masks, mut further_tasks) = (Vec::new(), Vec::new());
    for (address, index, word) in writes {
        let op = &ops[index];
        let before = words.last_mut().filter(|(last, ..)| *last == address);
        match (&op.action, word, before) {
            (RegAction::Mask { mask, value, .. }, _, Some((_, before, _))) => {
                *before = *before & !mask | value & mask;
            }
            (_, None, _) => masks.push(index),
            (RegAction::Write { .. }, _, Some(_)) if is_queue(model, address) => {
                further_tasks.push(index);
            }
            (_, Some(word), Some(before)) => *before = (address, word, op.loc),
            (_, Some(word), None) => words.push((address, word, op.loc)),
        }
    }
    let in_order = |mut indices: Vec<usize>| {
        indices.sort_unstable();
        indices.into_iter().map(|index| ops[index].clone())
    };
    let mut out = Vec::new();
    let mut run = AdjacentWords::new(max_gap);
    for (address, word, loc) in words {
        if !run.bridge(model, address, known) {
            out.extend(run.take());
            (run.start, run.loc) = (address, loc);
        }
        run.words.push(word);
    }
    out.extend(run.take());
    out.extend(patched);
    out.extend(in_order(further_tasks));
    out.extend(in_order(masks));
    out
}

fn is_queue(model: &DeviceModel, address: u32) -> bool {
    let register = model.register_at(address);
    matches!(register, Some((_, RegisterRef::DmaQueue { .. })))
}

/// Words that one operation writes.
struct AdjacentWords<L> {
    /// Address of the first.
    start: u32,
    words: Vec<u32>,
    /// Location of the first.
    loc: L,
    /// See [`merge`].
    max_gap: u32,
}

impl<L: Copy + Default> AdjacentWords<L> {
    fn new(max_gap: u32) -> Self {
        AdjacentWords {
            start: 0,
            words: Vec::new(),
            loc: L::default(),
            max_gap,
        }
    }

    /// Extends the words up to an address with known contents of the registers between. Returns
    /// false, with the words as before, if the gap is too long or has a register that isn't known.
    fn bridge(&mut self, model: &DeviceModel, address: u32, known: &KnownRegisters) -> bool {
        let count = self.words.len();
        let end = self.start.checked_add(count as u32 * WORD);
        let gap = end.and_then(|end| address.checked_sub(end));
        let (Some(end), Some(gap)) = (end, gap.map(|bytes| bytes / WORD)) else {
            return false;
        };
        if count == 0 || gap > self.max_gap {
            return false;
        }
        for n in 0..gap {
            let Some(word) = known.value(model, end + n * WORD, &|_| false) else {
                self.words.truncate(count);
                return false;
            };
            self.words.push(word);
        }
        true
    }

    /// Takes the words out as an operation; `None` if there are none.
    fn take(&mut self) -> Option<RegOp<L>> {
        let op = match self.words[..] {
            [] => None,
            [value] => Some(RegOp::write(self.start, value, self.loc)),
            _ => Some(RegOp::block(self.start, self.words.clone(), self.loc)),
        };
        self.words.clear();
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_descriptors_are_those_that_a_look_up_finds() {
        for name in ["npu1", "npu2", "xcve3858"] {
            let Some(model) = DeviceModel::by_name(name) else {
                continue;
            };
            for tile in [0, 1, 2].map(|row| TileLoc::new(0, row)) {
                let first = RegisterRef::BdWord { bd: 1, word: 2 };
                let Some(start) = model.register_address(tile, first) else {
                    continue;
                };
                // Into the next two descriptors, gaps between them included.
                let op = RegOp::block(start, (0..24).collect(), ());
                let looked_up = words_of(&op).filter_map(|(address, word)| {
                    let (tile, what) = model.register_at(address)?;
                    Some((address, tile, what, word))
                });
                assert!(registers_of(model, &op).eq(looked_up), "{name} {tile}");
                assert!(registers_of(model, &op).count() > 12);
            }
        }
    }

    #[test]
    fn registers_beside_descriptors_leave_whole_descriptors_out() {
        let model = DeviceModel::by_name("npu2").unwrap();
        let tile = TileLoc::new(0, 2);
        let address = |what| model.register_address(tile, what).unwrap();
        let bd = address(RegisterRef::BdWord { bd: 0, word: 0 });
        let lock = address(RegisterRef::LockValue { id: 3 });
        let count = |op: RegOp<()>| registers_beside_descriptors(model, &op).count();
        assert_eq!(count(RegOp::write(bd, 7, ())), 0);
        assert_eq!(count(RegOp::block(bd, vec![7; 6], ())), 0);
        assert_eq!(count(RegOp::write(lock, 1, ())), 1);
        assert_eq!(count(RegOp::mask(lock, 1, 1, ())), 0);
    }
}
