//! The buffer descriptors of a tile: the words of their registers, decoded when a channel loads
//! one.
//!
//! Iteration_Current lives in the register: every load advances it, whichever channel loads, and
//! it persists over tasks until the word is written again.

use aiec_device::regmap::{BdFields, BdLayout, Field, RegisterMap, RegisterRef};
use aiec_device::{Arch, TileKind, WORD_BYTES};

use super::address::{Dim, MAX_DIMS, PAD_DIMS, Pad};

/// Words of the largest descriptor (AIE2ps shim).
const BD_WORDS: usize = 9;

#[derive(Debug, Clone, Default)]
struct Descriptor {
    words: [u32; BD_WORDS],
    /// Decoded words, until the next write.
    fields: Option<BdFields>,
}

/// All buffer descriptors of one tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct BdBank {
    layout: Option<&'static BdLayout>,
    /// Word and field that hold Iteration_Current.
    current: Option<(usize, Field)>,
    descriptors: Vec<Descriptor>,
}

impl BdBank {
    /// `count` descriptors of zeros.
    pub fn new(arch: Arch, kind: TileKind, count: u8) -> BdBank {
        let layout = BdLayout::of(arch, kind);
        let words = 0..layout.map_or(0, BdLayout::words);
        let current = words.into_iter().find_map(|word| {
            let register = RegisterRef::BdWord { bd: 0, word };
            let (row, _) = RegisterMap::of(arch, kind)?.register(register)?;
            Some((usize::from(word), row.field("Iteration_Current")?))
        });
        BdBank {
            layout,
            current,
            descriptors: vec![Descriptor::default(); usize::from(count)],
        }
    }

    /// Stores a word of a descriptor.
    pub fn write(&mut self, bd: u8, word: u8, value: u32) {
        if let Some(descriptor) = self.descriptors.get_mut(usize::from(bd))
            && let Some(place) = descriptor.words.get_mut(usize::from(word))
        {
            *place = value;
            descriptor.fields = None;
        }
    }

    /// A word of a descriptor as it is now.
    pub fn read(&self, bd: u8, word: u8) -> u32 {
        let descriptor = self.descriptors.get(usize::from(bd));
        let word = descriptor.and_then(|bd| bd.words.get(usize::from(word)));
        word.copied().unwrap_or(0)
    }

    /// Whether any word of a descriptor is other than zero.
    pub fn is_written(&self, bd: u8) -> bool {
        let descriptor = self.descriptors.get(usize::from(bd));
        descriptor.is_some_and(|bd| bd.words.iter().any(|word| *word != 0))
    }

    /// The fields of a descriptor as they are.
    pub fn fields(&self, bd: u8) -> Option<BdFields> {
        let descriptor = self.descriptors.get(usize::from(bd))?;
        Some(self.layout?.unpack(&descriptor.words))
    }

    /// The descriptors of a chain as they are, without end if it has none.
    pub fn chain(&self, first: u8) -> impl Iterator<Item = BdFields> {
        std::iter::successors(self.fields(first), |bd| {
            bd.use_next.then(|| self.fields(bd.next_bd)).flatten()
        })
    }

    /// Whether the chain that begins with a descriptor comes to an end.
    pub fn chain_ends(&self, first: u8) -> bool {
        let mut seen = [false; u8::MAX as usize + 1];
        let mut at = first;
        while !std::mem::replace(&mut seen[usize::from(at)], true) {
            match self.fields(at) {
                Some(bd) if bd.use_next => at = bd.next_bd,
                _ => return true,
            }
        }
        false
    }

    /// Loads a descriptor: its fields as they are, after which the iteration is advanced.
    pub fn load(&mut self, bd: u8) -> Option<BdFields> {
        let layout = self.layout?;
        let descriptor = self.descriptors.get_mut(usize::from(bd))?;
        let words = &mut descriptor.words;
        let fields = descriptor
            .fields
            .get_or_insert_with(|| layout.unpack(words));
        let loaded = fields.clone();
        let next = loaded.iteration_current + 1;
        fields.iteration_current = if next >= loaded.iteration_count {
            0
        } else {
            next
        };
        if let Some((word, field)) = self.current {
            words[word] = field.set(words[word], fields.iteration_current);
        }
        Some(loaded)
    }
}

/// Word address at which a loaded descriptor begins.
pub(crate) fn base_word(bd: &BdFields) -> u64 {
    let offset = u64::from(bd.iteration_current) * u64::from(bd.iteration_step);
    (bd.base_address / WORD_BYTES).wrapping_add(offset)
}

/// Byte address of the first word that a descriptor reads or writes.
pub(crate) fn byte_address(bd: &BdFields) -> u64 {
    base_word(bd).wrapping_mul(WORD_BYTES)
}

/// The dimensions of a descriptor.
pub(crate) fn dims(bd: &BdFields) -> [Dim; MAX_DIMS] {
    std::array::from_fn(|d| Dim {
        step: bd.steps[d],
        wrap: bd.wraps.get(d).copied().unwrap_or(0),
    })
}

/// The padding of a descriptor.
pub(crate) fn pads(bd: &BdFields) -> [Pad; PAD_DIMS] {
    std::array::from_fn(|d| Pad {
        before: bd.pad_before[d],
        after: bd.pad_after[d],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loading_advances_the_iteration_in_the_register() {
        let (arch, kind) = (Arch::Aie2, TileKind::Core);
        let mut bank = BdBank::new(arch, kind, 16);
        let fields = BdFields {
            valid: true,
            length: 4,
            base_address: 0x100,
            iteration_step: 8,
            iteration_count: 3,
            ..BdFields::default()
        };
        let words = BdLayout::of(arch, kind).unwrap().pack(&fields).unwrap();
        for (word, value) in words.iter().enumerate() {
            bank.write(5, word as u8, *value);
        }
        let bases: Vec<u64> = (0..4).map(|_| base_word(&bank.load(5).unwrap())).collect();
        assert_eq!(bases, [0x40, 0x48, 0x50, 0x40]);
        let Some((word, field)) = bank.current else {
            panic!("no iteration field")
        };
        assert_eq!(field.get(bank.read(5, word as u8)), 1);
        // Writing the word again starts over.
        bank.write(5, word as u8, words[word]);
        assert_eq!(base_word(&bank.load(5).unwrap()), 0x40);
    }
}
