//! What is known of registers' contents, and the least that sets them.
//!
//! [`resolve_masked_writes`] turns masked writes into whole ones where the other bits are known.
//! [`merge`] makes one list of a tile's set-up writes whose order doesn't matter: the last value
//! of each register, addresses ascending, neighbours joined. Small gaps are bridged where the
//! registers between keep their reset value and writing them has no effect.

use std::collections::BTreeSet;

use aiec_aie::ir::Loc;
use aiec_cert::bd::UC_BD_BYTES;
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, DmaDir, TileLoc};
use rustc_hash::FxHashMap;

use crate::analysis::register_ops::{RegAction, RegOp};
use crate::analysis::transfer::WORD_BYTES;

/// Bytes of a word.
const WORD: u32 = WORD_BYTES as u32;

/// Longest gap between registers that is written over instead of starting a new descriptor: the
/// words of a descriptor, and the burst that it saves.
pub const MAX_GAP_WORDS: u32 = UC_BD_BYTES as u32 / WORD + 2;

/// Where an operation begins to write, and the words.
fn block_of(op: &RegOp) -> (u32, &[u32]) {
    match &op.action {
        RegAction::Write { address, value } => (*address, std::slice::from_ref(value)),
        RegAction::Block { address, words } | RegAction::PatchedBd { address, words, .. } => {
            (*address, words.as_slice())
        }
        _ => (0, &[][..]),
    }
}

/// The words that an operation writes, by address.
pub fn words_of(op: &RegOp) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
    let (start, words) = block_of(op);
    let place = move |n: usize| start.wrapping_add(n as u32 * WORD);
    words
        .iter()
        .enumerate()
        .map(move |(n, word)| (place(n), *word))
}

/// The registers that an operation writes, with their addresses and the words. Blocks that lie in a
/// memory of a tile have none.
pub fn registers_of(
    model: &'static DeviceModel,
    op: &RegOp,
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
    words.filter_map(|(address, word)| {
        let (tile, what) = model.register_at(address)?;
        Some((address, tile, what, word))
    })
}

/// The tile in whose descriptors, which have a region of registers of their own, all words of an operation lie.
pub fn descriptors_of(model: &DeviceModel, op: &RegOp) -> Option<TileLoc> {
    let (start, words) = block_of(op);
    let last = start.wrapping_add(words.len().checked_sub(1)? as u32 * WORD);
    let tile_of = |address| match model.register_at(address)? {
        (tile, RegisterRef::BdWord { .. }) => Some(tile),
        _ => None,
    };
    let tile = tile_of(start)?;
    (last == start || tile_of(last) == Some(tile)).then_some(tile)
}

/// As [`registers_of`], but nothing of operations that write descriptors only.
fn registers_beside_descriptors(
    model: &'static DeviceModel,
    op: &RegOp,
) -> impl Iterator<Item = (u32, TileLoc, RegisterRef, u32)> {
    let writes = descriptors_of(model, op).is_none();
    let registers = writes.then(|| registers_of(model, op));
    registers.into_iter().flatten()
}

/// The channels of core and mem tiles that operations push tasks of.
pub fn pushed(model: &'static DeviceModel, ops: &[RegOp]) -> BTreeSet<(TileLoc, DmaDir, u8)> {
    let registers = ops
        .iter()
        .flat_map(|op| registers_beside_descriptors(model, op));
    let channels = registers.filter_map(|(_, tile, what, _)| match what {
        RegisterRef::DmaQueue { dir, channel } if tile.row != 0 => Some((tile, dir, channel)),
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
/// written before. `opaque` lists the tiles whose registers others may change.
pub fn resolve_masked_writes(
    model: &'static DeviceModel,
    ops: &mut [RegOp],
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

    fn note(&mut self, model: &'static DeviceModel, op: &RegOp) {
        for (address, _, what, word) in registers_beside_descriptors(model, op) {
            if reset_value(what).is_some() {
                self.values.insert(address, word);
            }
        }
    }
}

/// The same contents with as few and as long writes as pay. Masked writes come last: they are
/// for bytes of words that share a word with something else. A task queue takes each word that is
/// written to it, in order.
pub fn merge(model: &DeviceModel, ops: &[RegOp], known: &KnownRegisters) -> Vec<RegOp> {
    // What is written to each address, in order: a word, or the operation by its place.
    let mut writes: Vec<(u32, usize, Option<u32>)> = Vec::with_capacity(ops.len());
    let mut patched = Vec::new();
    for (place, op) in ops.iter().enumerate() {
        match op.action {
            // The patch is of this image: it can't be a part of another.
            RegAction::PatchedBd { .. } => patched.push(op.clone()),
            RegAction::Mask { address, .. } => writes.push((address, place, None)),
            _ => writes.extend(words_of(op).map(|(address, word)| (address, place, Some(word)))),
        }
    }
    // Mostly ascending already; the order of what is written to one address stays.
    writes.sort_by_key(|(address, ..)| *address);
    let mut words: Vec<(u32, u32, Loc)> = Vec::with_capacity(writes.len());
    let (mut masks, mut further_tasks) = (Vec::new(), Vec::new());
    for (address, place, word) in writes {
        let op = &ops[place];
        let before = words.last_mut().filter(|(last, ..)| *last == address);
        match (&op.action, word, before) {
            (RegAction::Mask { mask, value, .. }, _, Some((_, before, _))) => {
                *before = *before & !mask | value & mask;
            }
            (_, None, _) => masks.push(place),
            (RegAction::Write { .. }, _, Some(_)) if is_queue(model, address) => {
                further_tasks.push(place);
            }
            (_, Some(word), Some(before)) => *before = (address, word, op.loc),
            (_, Some(word), None) => words.push((address, word, op.loc)),
        }
    }
    let in_order = |mut places: Vec<usize>| {
        places.sort_unstable();
        places.into_iter().map(|place| ops[place].clone())
    };
    let mut out = Vec::new();
    let mut run = AdjacentWords::default();
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

/// Words that are written together.
#[derive(Default)]
struct AdjacentWords {
    /// Where they begin.
    start: u32,
    words: Vec<u32>,
    /// Where the first one comes from.
    loc: Loc,
}

impl AdjacentWords {
    /// Adds what lies between their end and an address, if that is nothing, or a few words that may
    /// be written with what they hold; whether it is.
    fn bridge(&mut self, model: &DeviceModel, address: u32, known: &KnownRegisters) -> bool {
        let count = self.words.len();
        let end = self.start.checked_add(count as u32 * WORD);
        let gap = end.and_then(|end| address.checked_sub(end));
        let (Some(end), Some(gap)) = (end, gap.map(|bytes| bytes / WORD)) else {
            return false;
        };
        if count == 0 || gap > MAX_GAP_WORDS {
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

    /// The operation that writes them; none are left.
    fn take(&mut self) -> Option<RegOp> {
        let op = match self.words[..] {
            [] => None,
            [value] => Some(RegOp::write(self.start, value, self.loc)),
            _ => Some(RegOp::block(self.start, self.words.clone(), self.loc)),
        };
        self.words.clear();
        op
    }
}
