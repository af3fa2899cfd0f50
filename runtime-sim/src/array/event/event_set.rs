//! Sets of event numbers.

/// A set of event numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventSet([u64; 4]);

impl EventSet {
    pub fn set(&mut self, event: u8) {
        self.0[usize::from(event / 64)] |= 1 << (event % 64);
    }

    pub fn clear(&mut self, event: u8) {
        self.0[usize::from(event / 64)] &= !(1 << (event % 64));
    }

    pub fn has(&self, event: u8) -> bool {
        self.0[usize::from(event / 64)] >> (event % 64) & 1 == 1
    }

    pub fn or(self, other: EventSet) -> EventSet {
        EventSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn without(self, other: EventSet) -> EventSet {
        EventSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Word `index` of the set in words of 32 bits.
    pub fn word(&self, index: usize) -> u32 {
        let word = self.0.get(index / 2).copied().unwrap_or(0);
        (word >> (32 * (index % 2))) as u32
    }

    /// Removes the events that are set in word `index`.
    pub fn clear_word(&mut self, index: usize, bits: u32) {
        if let Some(word) = self.0.get_mut(index / 2) {
            *word &= !(u64::from(bits) << (32 * (index % 2)));
        }
    }
}
