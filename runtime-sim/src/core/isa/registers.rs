//! The registers of a core as the engine keeps them: scalars by number, vectors and accumulators in
//! pieces of 256 bits, so that names of different width share what they share on silicon.

use aiec_core::{CONTROL_NAMES, CoreArch, FIRST_FIFO_POSITION, Register, RegisterFile};

use super::address::ADDRESS_MASK;

/// Number of a scalar register.
pub(super) type Scalar = u8;

/// General registers.
pub(super) const R: Scalar = 0;
/// Pointers.
pub(super) const P: Scalar = 32;
/// Modifiers.
pub(super) const M: Scalar = 40;
/// Dimension sizes.
pub(super) const DN: Scalar = 48;
/// Dimension jumps.
pub(super) const DJ: Scalar = 56;
/// Dimension counts.
pub(super) const DC: Scalar = 64;
/// Shift amounts.
pub(super) const S: Scalar = 72;
/// Stack pointer.
pub(super) const SP: Scalar = 76;
/// Link register.
pub(super) const LR: Scalar = 77;
/// Start of the hardware loop.
pub(super) const LS: Scalar = 78;
/// Last bundle of the hardware loop.
pub(super) const LE: Scalar = 79;
/// Count of the hardware loop.
pub(super) const LC: Scalar = 80;
const DP: Scalar = 81;
const CORE_ID: Scalar = 82;
/// Control and status registers, in the order of [`CONTROL_NAMES`].
pub(super) const CONTROL: Scalar = 83;
/// Block exponents of AIE2P and AIE2PS, each as two halves of 32 bits, the lower one first.
pub(super) const EXPONENTS: Scalar = 144;
/// Registers g of AIE2PS, the same.
pub(super) const G: Scalar = EXPONENTS + 24;
/// Registers f of AIE2PS, each as four words, the lowest one first.
pub(super) const F: Scalar = G + 24;
/// Numbers that a scalar register may have, so that none needs a check. Those of all kinds are fewer.
pub(super) const SCALARS: usize = Scalar::MAX as usize + 1;

const _: () = assert!(F as usize + 48 <= SCALARS);

const _: () = assert!(CONTROL as usize + CONTROL_NAMES.len() <= EXPONENTS as usize);

/// srCarry.
pub(super) const CARRY: Scalar = control("srCarry");
/// Rounding.
pub(super) const ROUNDING: Scalar = control("crRnd");
/// Saturation.
pub(super) const SATURATION: Scalar = control("crSat");
/// Whether conversions to floating point saturate.
pub(super) const FLOAT_SATURATION: Scalar = control("crFPConvSat");
/// Variant of bf8.
pub(super) const BF8_VARIANT: Scalar = control("crBF8conf");
/// Variant of fp8.
pub(super) const FP8_VARIANT: Scalar = control("crFP8conf");
/// A pop found too few bytes.
pub(super) const FIFO_UNDERFLOW: Scalar = control("srFifo_uf");
/// Status of sending a word.
pub(super) const SEND_STATUS: Scalar = control("srMS0");
/// Status of taking a word.
pub(super) const TAKE_STATUS: Scalar = control("srSS0");

/// The control or status register of a name, which is one of [`CONTROL_NAMES`].
pub(super) const fn control(name: &str) -> Scalar {
    let mut number = 0;
    while !equal(CONTROL_NAMES[number], name) {
        number += 1;
    }
    CONTROL + number as Scalar
}

/// Whether texts are equal, which `==` doesn't say in constants.
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

const WORD: u32 = u32::MAX;
/// Shift amounts have 6 bits.
const SHIFT_MASK: u32 = 0x3F;

/// The bits that each scalar register keeps.
pub(super) const SCALAR_BITS: [u32; SCALARS] = {
    let mut bits = [WORD; SCALARS];
    let mut at = P as usize;
    while at < S as usize {
        bits[at] = ADDRESS_MASK;
        at += 1;
    }
    while at < SP as usize {
        bits[at] = SHIFT_MASK;
        at += 1;
    }
    while at < LC as usize {
        bits[at] = ADDRESS_MASK;
        at += 1;
    }
    bits[DP as usize] = ADDRESS_MASK;
    // crRnd and crSat (8 of 8 cases on NPU1 silicon).
    bits[CONTROL as usize + 6] = 0xF;
    bits[CONTROL as usize + 9] = 3;
    bits
};

/// Bytes of a piece of the vector registers.
pub(super) const PIECE: usize = 32;
/// Pieces of x registers: 12 of 512 bits.
const ACCUMULATORS: u8 = 24;
/// Pieces of the accumulators of AIE2PS: 8 of 2048 bits; the others have fewer.
const MASKS: u8 = ACCUMULATORS + 64;
/// Pieces of the fifos after 4 masks: two load fifos of 1024 bits, the extra register, the store fifo.
const FIFOS: u8 = MASKS + 4;
/// Pieces of a fifo.
const FIFO_PIECES: u8 = 4;
/// lfe: the window of the last `popx`.
pub(super) const EXTRA_WINDOW: Vector = Vector {
    first: FIFOS + 2 * FIFO_PIECES,
    bytes: 64,
};
/// sf.
pub(super) const STORE_FIFO: Vector = Vector {
    first: EXTRA_WINDOW.first + 2,
    bytes: 128,
};
/// p2: where the store fifo's first byte goes.
pub(super) const STORE_FIFO_POINTER: Scalar = P + 2;
/// Register of the cascade's words for a product; it has no name.
pub(super) const CASCADE_WORD: Vector = Vector {
    first: STORE_FIFO.first + FIFO_PIECES,
    bytes: 64,
};
/// Pieces of all vector registers.
pub(super) const PIECES: usize = CASCADE_WORD.first as usize + 2;
/// Bytes of the widest register.
pub(super) const WIDEST: usize = 256;

/// Consecutive bytes of the vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vector {
    /// The first piece.
    pub first: u8,
    /// Bytes; a multiple of a piece except for masks, which begin one.
    pub bytes: u16,
}

impl Vector {
    /// Pieces that it is in.
    pub fn pieces(self) -> std::ops::Range<usize> {
        let first = usize::from(self.first);
        first..first + usize::from(self.bytes).div_ceil(PIECE)
    }

    /// A part of it: bytes from `from` on, both multiples of a piece.
    pub fn part(self, from: u16, bytes: u16) -> Vector {
        Vector {
            first: self.first + (from as usize / PIECE) as u8,
            bytes,
        }
    }
}

/// The scalar register of a name.
pub(super) fn scalar(register: Register) -> Option<Scalar> {
    use RegisterFile as F;
    let base = match register.file {
        F::R => R,
        F::P => P,
        F::M => M,
        F::Dn => DN,
        F::Dj => DJ,
        F::Dc => DC,
        F::S => S,
        F::Sp => SP,
        F::Lr => LR,
        F::Ls => LS,
        F::Le => LE,
        F::Lc => LC,
        F::Dp => DP,
        F::CoreId => CORE_ID,
        F::Control => CONTROL,
        F::El => EXPONENTS + register.number,
        F::Eh => EXPONENTS + register.number + 1,
        F::Gl => G + register.number,
        F::Gh => G + register.number + 1,
        _ => return None,
    };
    Some(base + register.number)
}

/// The lower scalar register of a pair or of a block exponent.
pub(super) fn pair(arch: CoreArch, register: Register) -> Option<Scalar> {
    let first = match register.file {
        // AIE2 pairs only the upper sixteen.
        RegisterFile::L if arch == CoreArch::Aie2 => R + 16,
        RegisterFile::L => R,
        RegisterFile::E if arch != CoreArch::Aie2 => EXPONENTS,
        _ => return None,
    };
    Some(first + 2 * register.number)
}

/// Files of eight addresses, with their first registers.
pub(super) const ADDRESS_FILES: [(&str, Scalar); 5] =
    [("p", P), ("m", M), ("dn", DN), ("dj", DJ), ("dc", DC)];
/// Registers that are alone.
pub(super) const SINGLE: [(&str, Scalar); 6] = [
    ("sp", SP),
    ("lr", LR),
    ("ls", LS),
    ("le", LE),
    ("lc", LC),
    ("dp", DP),
];

/// First number of the pieces of vectors where scalars and they are numbered together.
pub(super) const VECTOR_CELLS: u16 = 256;

/// Whether a scalar's number, or [`VECTOR_CELLS`] and a piece, is of an accumulator.
pub(super) fn is_accumulator(cell: u16) -> bool {
    let piece = cell.checked_sub(VECTOR_CELLS);
    piece.is_some_and(|piece| (u16::from(ACCUMULATORS)..u16::from(MASKS)).contains(&piece))
}

/// The bytes after the name of a vector, accumulator or mask.
pub(super) fn vector(register: Register) -> Option<Vector> {
    use RegisterFile as F;
    // First piece of number 0, pieces from one number to the next, bytes.
    let (base, stride, bytes) = match register.file {
        F::Wl => (0, 2, 32),
        F::Wh => (1, 2, 32),
        F::X => (0, 2, 64),
        F::Y => (0, 4, 128),
        F::Amll => (ACCUMULATORS, 4, 32),
        F::Amlh => (ACCUMULATORS + 1, 4, 32),
        F::Amhl => (ACCUMULATORS + 2, 4, 32),
        F::Amhh => (ACCUMULATORS + 3, 4, 32),
        F::Bml => (ACCUMULATORS, 4, 64),
        F::Bmh => (ACCUMULATORS + 2, 4, 64),
        F::Cm => (ACCUMULATORS, 4, 128),
        F::Bmll => (ACCUMULATORS, 8, 64),
        F::Bmlh => (ACCUMULATORS + 2, 8, 64),
        F::Bmhl => (ACCUMULATORS + 4, 8, 64),
        F::Bmhh => (ACCUMULATORS + 6, 8, 64),
        F::Cml => (ACCUMULATORS, 8, 128),
        F::Cmh => (ACCUMULATORS + 4, 8, 128),
        F::Dm => (ACCUMULATORS, 8, 256),
        F::Q => (MASKS, 1, 16),
        F::Lfl => (FIFOS, FIFO_PIECES, 64),
        F::Lfh => (FIFOS + 2, FIFO_PIECES, 64),
        F::Lfe => (EXTRA_WINDOW.first, 0, 64),
        F::Sfl => (STORE_FIFO.first, 0, 64),
        F::Sfh => (STORE_FIFO.first + 2, 0, 64),
        _ => return None,
    };
    let first = base + stride * register.number;
    let vector = Vector { first, bytes };
    (vector.pieces().end <= PIECES).then_some(vector)
}

/// A load fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoadFifo {
    pub pointer: Scalar,
    pub data: Vector,
    /// Bytes that were loaded and not popped yet.
    pub position: Scalar,
}

/// The load fifo of a register `p0, lf0, r24`.
pub(super) fn load_fifo(register: Register) -> Option<LoadFifo> {
    (register.file == RegisterFile::Plfr).then(|| LoadFifo {
        pointer: P + register.number,
        data: Vector {
            first: FIFOS + FIFO_PIECES * register.number,
            bytes: 128,
        },
        position: R + FIRST_FIFO_POSITION + register.number,
    })
}

/// A vector with block exponents: the vector and its first exponents.
pub(super) fn block_vector(register: Register) -> Option<(Vector, Scalar)> {
    let number = register.number;
    (register.file == RegisterFile::Ex).then(|| {
        let vector = Vector {
            first: 2 * number,
            bytes: 64,
        };
        (vector, EXPONENTS + 2 * number)
    })
}

/// The vectors of a register dump with their names: x registers, then parts of accumulators of 512
/// bits, then masks.
pub(super) fn shown_vectors(arch: CoreArch) -> Vec<(String, Vector)> {
    use RegisterFile as F;
    let (accumulators, parts): (u8, &[F]) = match arch {
        CoreArch::Aie2 => (9, &[F::Bml, F::Bmh]),
        CoreArch::Aie2p => (5, &[F::Bmll, F::Bmlh, F::Bmhl, F::Bmhh]),
        CoreArch::Aie2ps => (8, &[F::Bmll, F::Bmlh, F::Bmhl, F::Bmhh]),
    };
    let x = (0..12).map(|number| Register::new(F::X, number));
    let accumulators = (0..accumulators)
        .flat_map(|number| parts.iter().map(move |file| Register::new(*file, number)));
    let masks = (0..4).map(|number| Register::new(F::Q, number));
    x.chain(accumulators)
        .chain(masks)
        .filter_map(|register| Some((register.to_string(), vector(register)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Vector {
        vector(Register::of_name(name).unwrap()).unwrap()
    }

    #[test]
    fn names_share_bytes() {
        assert_eq!(of("x5").pieces(), 10..12);
        assert_eq!(of("wh5").pieces(), 11..12);
        assert_eq!(of("y2").pieces(), 8..12);
        assert_eq!(of("cm8").part(64, 64), of("bmh8"));
        assert_eq!(of("amhl3"), of("bmh3").part(0, 32));
        assert_eq!(of("dm4").part(128, 128), of("cmh4"));
        assert_eq!(of("cmh4").part(64, 64), of("bmhh4"));
        assert_eq!(of("dm7").pieces().end, usize::from(MASKS));
        assert_eq!(of("q3").pieces(), 91..92);
    }

    #[test]
    fn scalars_keep_their_bits() {
        let scalar = |name| scalar(Register::of_name(name).unwrap()).unwrap();
        assert_eq!(SCALAR_BITS[usize::from(scalar("dc7"))], ADDRESS_MASK);
        assert_eq!(SCALAR_BITS[usize::from(scalar("s0"))], 63);
        assert_eq!(SCALAR_BITS[usize::from(scalar("s3"))], 63);
        assert_eq!(SCALAR_BITS[usize::from(scalar("le"))], ADDRESS_MASK);
        assert_eq!(SCALAR_BITS[usize::from(scalar("lc"))], WORD);
        assert_eq!(SCALAR_BITS[usize::from(scalar("r31"))], WORD);
        assert_eq!(SCALAR_BITS[usize::from(scalar("crRnd"))], 0xF);
        assert_eq!(SCALAR_BITS[usize::from(scalar("crSat"))], 3);
        let l0 = Register::of_name("l0").unwrap();
        assert_eq!(pair(CoreArch::Aie2, l0), Some(16));
        assert_eq!(pair(CoreArch::Aie2p, l0), Some(0));
    }
}
