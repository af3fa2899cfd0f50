//! Registers that are several: pairs, block exponents and the parts that MX vectors of AIE2PS have
//! beside the vector (`llvm-aie: AIE2PSRegisterInfo.td`).

use aiec_core::{CoreArch, Register, RegisterFile};

use super::execute::Executor;
use super::op::{Forwarding, Read, ScalarWrite, Source, Write};
use super::registers::{EXPONENTS, F, G, Scalar, Vector, WIDEST, pair, vector};

/// Words of the widest: g, e and f of a number.
const MAX_WORDS: usize = 8;
/// Number of registers e, f and g.
const NUMBERS: u8 = 12;
/// Bytes of a word.
const WORD_BYTES: usize = 4;

/// Scalar registers, the one at the low end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    registers: [Scalar; MAX_WORDS],
    count: u8,
}

impl Words {
    const NONE: Words = Words {
        registers: [0; MAX_WORDS],
        count: 0,
    };

    fn new(registers: &[Scalar]) -> Words {
        let mut words = Words::NONE;
        words.registers[..registers.len()].copy_from_slice(registers);
        words.count = registers.len() as u8;
        words
    }

    pub fn registers(&self) -> &[Scalar] {
        &self.registers[..usize::from(self.count)]
    }

    pub fn bytes(&self) -> u8 {
        self.count * WORD_BYTES as u8
    }
}

/// The words of a register that is only words, as they lie in memory.
pub(super) fn words(arch: CoreArch, register: Register) -> Option<Words> {
    use RegisterFile as File;
    if let Some(low) = pair(arch, register) {
        return Some(Words::new(&[low, low + 1]));
    }
    let number = register.number;
    if arch != CoreArch::Aie2ps || number >= NUMBERS {
        return None;
    }
    let (g, e, f) = (G + 2 * number, EXPONENTS + 2 * number, F + 4 * number);
    Some(match register.file {
        File::Gl => Words::new(&[g]),
        File::Gh => Words::new(&[g + 1]),
        File::G => Words::new(&[g, g + 1]),
        File::F => Words::new(&[f, f + 1, f + 2, f + 3]),
        File::Fl => Words::new(&[f, f + 1]),
        File::Fh => Words::new(&[f + 2, f + 3]),
        File::Eg => Words::new(&[g, g + 1, e, e + 1]),
        File::Egl => Words::new(&[g, e]),
        File::Egh => Words::new(&[g + 1, e + 1]),
        File::Feg => Words::new(&[g, g + 1, e, e + 1, f, f + 1, f + 2, f + 3]),
        File::Fegl => Words::new(&[g, e, f, f + 1]),
        File::Fegh => Words::new(&[g + 1, e + 1, f + 2, f + 3]),
        _ => return None,
    })
}

/// A vector and the words beside it; either may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    vector: Option<Vector>,
    words: Words,
}

impl Parts {
    pub fn vector(&self) -> Option<Vector> {
        self.vector
    }

    pub fn words(&self) -> &Words {
        &self.words
    }
}

/// The parts of a register of AIE2PS.
pub(super) fn parts(register: Register) -> Option<Parts> {
    use RegisterFile as File;
    let arch = CoreArch::Aie2ps;
    let of = |file| Register::new(file, register.number);
    let (wide, beside) = match register.file {
        File::Ewl => (File::Wl, File::Egl),
        File::Ewh => (File::Wh, File::Egh),
        File::Ex => (File::X, File::Eg),
        File::Fewl => (File::Wl, File::Fegl),
        File::Fewh => (File::Wh, File::Fegh),
        File::Fex => (File::X, File::Feg),
        _ => {
            let words = words(arch, register);
            let vector = vector(register).filter(|_| words.is_none());
            (vector.is_some() || words.is_some()).then_some(())?;
            return Some(Parts {
                vector,
                words: words.unwrap_or(Words::NONE),
            });
        }
    };
    Some(Parts {
        vector: vector(of(wide)),
        words: words(arch, of(beside))?,
    })
}

/// A move between registers of parts. Where the source is smaller the rest becomes 0 (unconfirmed:
/// a w register of which 128 bits are moved).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartsMove {
    d: Parts,
    from: Parts,
    latency: u8,
    written: Forwarding,
    read: Forwarding,
}

impl PartsMove {
    /// The move of a register into another; `None` where both are only vectors, or either is
    /// nothing that has parts.
    pub fn new(
        (d, latency, written): (Register, u8, Forwarding),
        (from, read): (Register, Forwarding),
    ) -> Option<PartsMove> {
        let (d, from) = (parts(d)?, parts(from)?);
        (d.words.count != 0 || from.words.count != 0).then_some(PartsMove {
            d,
            from,
            latency,
            written,
            read,
        })
    }
}

impl Executor<'_, '_, '_> {
    /// Moves all parts of a register.
    #[inline(never)]
    pub(super) fn move_parts(&mut self, op: &PartsMove) {
        let pipeline = &mut *self.pipeline;
        let mut bytes = [0; WIDEST];
        let mut at = 0;
        if let Some(vector) = op.from.vector {
            let source = pipeline.vector(Read::new(vector, 0, op.read));
            at = source.len();
            bytes[..at].copy_from_slice(&source);
        }
        for register in op.from.words.registers() {
            let word = pipeline.forwarded(Source::Register(*register), op.read);
            bytes[at..][..WORD_BYTES].copy_from_slice(&word.to_le_bytes());
            at += WORD_BYTES;
        }
        let mut rest = &bytes[..];
        if let Some(vector) = op.d.vector {
            let (low, high) = rest.split_at(usize::from(vector.bytes));
            pipeline.write_vector(Write::new(vector, op.latency, op.written), low);
            rest = high;
        }
        let words = rest.as_chunks::<WORD_BYTES>().0;
        for (register, word) in op.d.words.registers().iter().zip(words) {
            let write = ScalarWrite {
                register: *register,
                latency: op.latency,
                forwarding: op.written,
            };
            pipeline.write_scalar(write, u32::from_le_bytes(*word));
        }
    }
}
