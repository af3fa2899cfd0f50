//! What is known of registers' contents, and the least that sets them.
//!
//! [`resolve_masked_writes`] turns masked writes into whole ones where the other bits are known.
//! [`merge`] makes one list of a tile's set-up writes whose order doesn't matter: the last value
//! of each register, addresses ascending, neighbours joined. Small gaps are bridged where the
//! registers between keep their reset value and writing them has no effect.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use aiec_aie::ir::Loc;
use aiec_cert::bd::UC_BD_BYTES;
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, DmaDir, TileLoc};
use rustc_hash::{FxBuildHasher, FxHashMap};

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
pub fn words_of(op: &RegOp) -> impl Iterator<Item = (u32, u32)> + '_ {
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

/// The channels of core and mem tiles that operations push tasks of.
pub fn pushed(model: &'static DeviceModel, ops: &[RegOp]) -> BTreeSet<(TileLoc, DmaDir, u8)> {
    let registers = ops.iter().flat_map(|op| registers_of(model, op));
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
        for (address, _, what, word) in registers_of(model, op) {
            if reset_value(what).is_some() {
                self.values.insert(address, word);
            }
        }
    }
}

/// The last word written to each address, and where it was written.
struct LatestWords {
    list: Vec<(u32, u32, Loc)>,
    /// Places in `list`, by address.
    places: FxHashMap<u32, usize>,
}

impl LatestWords {
    fn with_capacity(words: usize) -> LatestWords {
        LatestWords {
            list: Vec::with_capacity(words),
            places: FxHashMap::with_capacity_and_hasher(words, FxBuildHasher),
        }
    }

    fn get_mut(&mut self, address: u32) -> Option<&mut u32> {
        let place = *self.places.get(&address)?;
        self.list.get_mut(place).map(|(_, word, _)| word)
    }

    fn set(&mut self, address: u32, word: u32, loc: Loc) {
        match self.places.entry(address) {
            Entry::Occupied(place) => self.list[*place.get()] = (address, word, loc),
            Entry::Vacant(place) => {
                place.insert(self.list.len());
                self.list.push((address, word, loc));
            }
        }
    }

    fn by_address(mut self) -> Vec<(u32, u32, Loc)> {
        self.list.sort_unstable_by_key(|(address, ..)| *address);
        self.list
    }
}

/// The same contents with as few and as long writes as pay. Masked writes come last: they are
/// for bytes of words that share a word with something else. A task queue takes each word that is
/// written to it, in order.
pub fn merge(model: &DeviceModel, ops: Vec<RegOp>, known: &KnownRegisters) -> Vec<RegOp> {
    let mut words = LatestWords::with_capacity(ops.len());
    let mut masks = Vec::new();
    let mut further_tasks = Vec::new();
    let mut patched = Vec::new();
    for op in ops {
        match op.action {
            // The patch is of this image: it can't be a part of another.
            RegAction::PatchedBd { .. } => patched.push(op),
            RegAction::Write { address, .. }
                if words.get_mut(address).is_some() && is_queue(model, address) =>
            {
                further_tasks.push(op);
            }
            RegAction::Mask {
                address,
                mask,
                value,
            } => match words.get_mut(address) {
                Some(word) => *word = *word & !mask | value & mask,
                None => masks.push(op),
            },
            _ => {
                for (address, word) in words_of(&op) {
                    words.set(address, word, op.loc);
                }
            }
        }
    }
    let mut out = Vec::new();
    let mut run = AdjacentWords::default();
    for (address, word, loc) in words.by_address() {
        if !run.bridge(model, address, known) {
            out.extend(run.take());
            (run.start, run.loc) = (address, loc);
        }
        run.words.push(word);
    }
    out.extend(run.take());
    out.extend(patched);
    out.extend(further_tasks);
    out.extend(masks);
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
