//! Sets of small numbers, for liveness.

use smallvec::{SmallVec, smallvec};

/// Bits of a word of a set.
const WORD_BITS: usize = u64::BITS as usize;

/// A set of numbers below the size that it was made for. Up to 128 of them need no allocation: most functions have fewer
/// values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(SmallVec<[u64; 2]>);

impl Bits {
    /// The empty set of numbers below `size`.
    pub(crate) fn new(size: usize) -> Bits {
        Bits(smallvec![0; size.div_ceil(WORD_BITS)])
    }

    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / WORD_BITS] |= 1 << (number % WORD_BITS);
    }

    pub(crate) fn remove(&mut self, number: usize) {
        self.0[number / WORD_BITS] &= !(1 << (number % WORD_BITS));
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / WORD_BITS] >> (number % WORD_BITS) & 1 != 0
    }

    /// Adds all of `other`; returns whether anything was new.
    pub(crate) fn merge(&mut self, other: &Bits) -> bool {
        self.extend(other.0.iter().copied())
    }

    /// Adds the numbers of `more` that are not in `except`; returns whether any was new.
    pub(crate) fn merge_except(&mut self, more: &Bits, except: &Bits) -> bool {
        let words = more.0.iter().zip(&except.0);
        self.extend(words.map(|(more, except)| more & !except))
    }

    fn extend(&mut self, more: impl Iterator<Item = u64>) -> bool {
        let mut changed = false;
        for (word, more) in self.0.iter_mut().zip(more) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// The numbers in the set, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.checked_sub(1)?;
                Some(at * WORD_BITS + bit)
            })
        })
    }
}
