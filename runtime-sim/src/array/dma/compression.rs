//! Format of compressed streams (AM020, "Sparsity"): a mask with a bit for each byte, the bytes that
//! aren't zero, guard bytes.
//!
//! Masks and guards are those that NPU1 and NPU2 silicon produces and takes (hashes of mlir-aie:
//! programming_examples/basic/dma_compression, tests below).

use aiec_device::Arch;
use smallvec::SmallVec;

use crate::array::pipe::WordBytes;
use crate::time::Tick;

/// Bytes of a word.
const WORD: usize = size_of::<WordBytes>();
/// Most words of a mask.
const MAX_MASK_WORDS: usize = 2;
/// Bits of a byte: a mask of that many times fewer words than its unit.
const MASK_RATIO: usize = 8;
/// Most words of memory in a unit.
pub(super) const MAX_UNIT_WORDS: usize = MASK_RATIO * MAX_MASK_WORDS;

/// Words of memory of one unit.
pub(super) type Unit = SmallVec<[WordBytes; MAX_UNIT_WORDS]>;
/// Words of one unit in the stream.
type PackedUnit = SmallVec<[WordBytes; MAX_UNIT_WORDS + MAX_MASK_WORDS]>;

/// Units of a compressed stream: bit i of the mask, whose words are little-endian, is set if byte i of the unit
/// isn't zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Words of a mask. The bytes after it are filled up with zeros to a multiple of as many words.
    mask_words: usize,
}

impl Format {
    /// The format of an architecture. That AIE2PS has AIE2P's is assumed.
    pub fn of(arch: Arch) -> Format {
        let mask_words = match arch {
            Arch::Aie1 | Arch::Aie2 => 1,
            Arch::Aie2p | Arch::Aie2ps => MAX_MASK_WORDS,
        };
        Format { mask_words }
    }

    /// Words of memory of a whole unit: a byte for each bit of the mask.
    pub fn unit_words(self) -> usize {
        MASK_RATIO * self.mask_words
    }

    /// The most words in the stream for a number of words of memory, whose last unit is whole.
    pub fn most_packed(self, words: u32) -> u32 {
        let units = words.div_ceil(self.unit_words() as u32);
        let most = self.unit_words() + self.mask_words;
        units.saturating_mul(most as u32)
    }

    /// A unit in the stream. Words that a short one lacks are zero.
    pub fn pack(self, unit: &[WordBytes]) -> PackedUnit {
        let bytes = || unit.as_flattened().iter().enumerate();
        let mask = bytes().filter(|(_, byte)| **byte != 0);
        let mask = mask.fold(0u64, |mask, (at, _)| mask | 1 << at);
        let mut packed = PackedUnit::new();
        packed.extend_from_slice(&mask.to_le_bytes().as_chunks().0[..self.mask_words]);
        packed.resize(self.packed_words(mask), WordBytes::default());
        let data = packed[self.mask_words..].as_flattened_mut();
        let kept = bytes().filter(|(_, byte)| **byte != 0);
        for (to, (_, byte)) in data.iter_mut().zip(kept) {
            *to = *byte;
        }
        packed
    }

    /// Words that a unit still has in the stream after the first ones, as far as these say.
    pub fn missing(self, packed: &[WordBytes]) -> usize {
        let known = match packed.get(..self.mask_words) {
            Some(_) => self.packed_words(self.mask(packed)),
            None => self.mask_words,
        };
        known.saturating_sub(packed.len())
    }

    /// The words of memory of a unit of which no word is missing.
    pub fn unpack(self, packed: &[WordBytes]) -> Unit {
        let mask = self.mask(packed);
        let mut unit = Unit::new();
        unit.resize(self.unit_words(), WordBytes::default());
        let bytes = unit.as_flattened_mut().iter_mut().enumerate();
        let kept = bytes.filter(|(at, _)| mask >> at & 1 == 1);
        let data = packed.iter().skip(self.mask_words).flatten();
        for ((_, to), byte) in kept.zip(data) {
            *to = *byte;
        }
        unit
    }

    fn mask(self, packed: &[WordBytes]) -> u64 {
        let words = packed.iter().take(self.mask_words).enumerate();
        words.fold(0, |mask, (at, word)| {
            mask | u64::from(u32::from_le_bytes(*word)) << (at as u32 * u32::BITS)
        })
    }

    fn packed_words(self, mask: u64) -> usize {
        let guarded = WORD * self.mask_words;
        let data = (mask.count_ones() as usize).div_ceil(guarded);
        self.mask_words * (1 + data)
    }
}

/// The compressed stream of a BD in progress.
#[derive(Clone, Debug)]
pub(super) struct PackedStream {
    pub format: Format,
    /// The words of the unit in progress in the stream: all (MM2S), or those that were taken (S2MM).
    pub unit: PackedUnit,
    /// MM2S: those that were sent.
    pub sent: usize,
    /// The memory is busy with the words of the unit up to this tick.
    pub memory_until: Tick,
}

impl PackedStream {
    pub fn new(format: Format) -> PackedStream {
        PackedStream {
            format,
            unit: PackedUnit::new(),
            sent: 0,
            memory_until: 0,
        }
    }

    /// No unit is in progress.
    pub fn is_between_units(&self) -> bool {
        self.unit.is_empty()
    }

    /// The most words that a BD of a length takes from the stream.
    pub fn most_taken(&self, words: u32) -> u32 {
        self.format.most_packed(words)
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    const NPU1: Format = Format { mask_words: 1 };
    const NPU2: Format = Format { mask_words: 2 };

    fn compressed(format: Format, words: &[WordBytes]) -> Vec<WordBytes> {
        let units = words.chunks(format.unit_words());
        units.flat_map(|unit| format.pack(unit)).collect()
    }

    fn decompressed(format: Format, mut packed: &[WordBytes], words: usize) -> Vec<WordBytes> {
        let mut memory = Vec::new();
        while memory.len() < words {
            let mut count = 0;
            while format.missing(&packed[..count]) > 0 {
                count += 1;
            }
            memory.extend(format.unpack(&packed[..count]));
            packed = &packed[count..];
        }
        memory.truncate(words);
        memory
    }

    fn sha256(words: &[WordBytes]) -> String {
        let digest = Sha256::digest(words.as_flattened());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The input of mlir-aie's programming_examples/basic/dma_compression: 4096 words, the first 1024 of which pass as
    /// they are.
    fn silicon_input() -> Vec<WordBytes> {
        (0..4096u32).map(u32::to_le_bytes).collect()
    }
    const RAW: usize = 1024;
    const SENT: usize = 2944;

    #[test]
    fn compressed_words_are_those_of_silicon() {
        let golden = [
            (
                NPU1,
                "f30dcae2d175d710e81d8410be5cc980bf06e364de359b6bc6f87194012ebc7d",
            ),
            (
                NPU2,
                "f947e931d2e3c530be240f4e622d1c3757b2e1d5e23a05be5d21768332420bc5",
            ),
        ];
        for (format, hash) in golden {
            let mut words = silicon_input();
            let rest = words.split_off(RAW);
            words.extend(compressed(format, &rest));
            assert_eq!((words.len(), &*sha256(&words)), (SENT, hash), "{format:?}");
        }
    }

    /// The same words taken as compressed ones: their masks ask for all numbers of bytes, which shows the guards.
    #[test]
    fn decompressed_words_are_those_of_silicon() {
        let golden = [
            (
                NPU1,
                "865270a4c87149f42933e7f5aa037891e392812b4338829b3419f320660ea089",
            ),
            (
                NPU2,
                "1215bcd067bc6097eecdb81fb8ebf45211cb1e9ea00c95674eea4e8d476a7152",
            ),
        ];
        for (format, hash) in golden {
            let sent = &silicon_input()[..SENT];
            let mut words = sent[..RAW].to_vec();
            words.extend(decompressed(format, &sent[RAW..], 4096 - RAW));
            assert_eq!(sha256(&words), hash, "{format:?}");
        }
    }

    /// The format, bit by bit.
    #[test]
    fn a_unit_is_mask_bytes_guard() {
        let mut unit = [WordBytes::default(); 8];
        unit[0] = [0, 7, 0, 0];
        unit[7] = [0, 0, 0, 9];
        assert_eq!(*NPU1.pack(&unit), [[2, 0, 0, 0x80], [7, 9, 0, 0]]);
        // Half of a unit there.
        assert_eq!(
            *NPU2.pack(&unit),
            [[2, 0, 0, 0x80], [0; 4], [7, 9, 0, 0], [0; 4]]
        );
        assert_eq!(*NPU1.pack(&[[0; 4]; 8]), [[0; 4]]);
        assert_eq!(*NPU2.pack(&[[0; 4]; 16]), [[0; 4]; 2]);
    }

    #[test]
    fn random_words_come_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for format in [NPU1, NPU2] {
            for _ in 0..2000 {
                let density = random.u8(0..=8);
                let count = random.usize(1..100);
                let mut byte = || match random.u8(0..8) < density {
                    true => random.u8(..),
                    false => 0,
                };
                let words: Vec<WordBytes> = (0..count)
                    .map(|_| std::array::from_fn(|_| byte()))
                    .collect();
                let packed = compressed(format, &words);
                assert!(packed.len() <= format.most_packed(count as u32) as usize);
                assert_eq!(decompressed(format, &packed, count), words);
            }
        }
    }
}
