//! Block exponents of AIE2P and AIE2PS, whose halves move like scalars.

use super::execute::{Executor, plain};
use super::lanes::{lane, set_lane};
use super::op::{Forwarding, Word, Write};
use super::registers::WIDEST;

impl Executor<'_, '_, '_> {
    /// Reads a scalar or half of a block exponent.
    pub(super) fn word(&self, word: Word) -> u32 {
        match word {
            Word::Scalar(register) => self.pipeline.scalar(register),
            Word::Exponent { vector, high } => {
                let mut copy = [0; WIDEST];
                let bytes = self.pipeline.vector(plain(vector), &mut copy);
                lane(bytes, usize::from(high), 32, false) as u32
            }
        }
    }

    /// Writes one; bundles from the next on read it.
    pub(super) fn write_word(&mut self, word: Word, value: u32) {
        match word {
            Word::Scalar(register) => self.pipeline.write(register, value, 1),
            Word::Exponent { vector, high } => {
                let mut copy = [0; WIDEST];
                let mut bytes = self.pipeline.vector(plain(vector), &mut copy).to_vec();
                set_lane(&mut bytes, usize::from(high), 32, value.into());
                let d = Write {
                    vector,
                    latency: 1,
                    forwarding: Forwarding::None,
                };
                self.pipeline.write_vector(d, &bytes);
            }
        }
    }
}
