//! Modes of the shuffle unit.
//!
//! A mode transposes a matrix of R rows and C columns of W-bit elements, row by row in the
//! registers. Names of the modes: `llvm-aie: clang/lib/Headers/aiev2/aiev2_enums.h`
//! (`T<W>_<R>x<C>_lo` and `_hi`); the order of elements is measured on NPU1 silicon (xdna-emu) for
//! modes up to 23. What modes 24 to 47 do with the second source follows from their names
//! (unconfirmed). AIE2P has eight modes more, AIE2PS other numbers (`llvm-aie:
//! clang/lib/Headers/aie2p/aie2p_enums.h`, `aie2ps/aie2ps_enums.h`).

use aiec_core::CoreArch;

/// A mode: bits of an element, rows, columns, and which 512 bits of the result it gives.
#[derive(Clone, Copy)]
struct Transpose {
    bits: u16,
    rows: u16,
    columns: u16,
    high: bool,
}

const fn t(bits: u16, rows: u16, columns: u16, high: bool) -> Transpose {
    Transpose {
        bits,
        rows,
        columns,
        high,
    }
}

const LO: bool = false;
const HI: bool = true;

#[rustfmt::skip]
const MODES: [Transpose; 56] = [
    t(8, 64, 2, LO), t(8, 64, 2, HI), t(16, 32, 2, LO), t(16, 32, 2, HI),
    t(32, 16, 2, LO), t(32, 16, 2, HI), t(64, 8, 2, LO), t(64, 8, 2, HI),
    t(128, 4, 2, LO), t(128, 4, 2, HI), t(256, 2, 2, LO), t(256, 2, 2, HI),
    t(128, 2, 4, LO), t(128, 2, 4, HI), t(64, 2, 8, LO), t(64, 2, 8, HI),
    t(32, 2, 16, LO), t(32, 2, 16, HI), t(16, 2, 32, LO), t(16, 2, 32, HI),
    t(8, 2, 64, LO), t(8, 2, 64, HI), t(512, 1, 2, LO), t(512, 1, 2, HI),
    t(16, 16, 4, LO), t(16, 16, 4, HI), t(16, 4, 16, LO), t(16, 4, 16, HI),
    t(16, 8, 4, LO), t(16, 4, 8, LO), t(32, 8, 4, LO), t(32, 8, 4, HI),
    t(32, 4, 8, LO), t(32, 4, 8, HI), t(32, 4, 4, LO), t(8, 8, 8, LO),
    t(8, 16, 4, LO), t(8, 4, 16, LO), t(16, 1, 2, LO), t(16, 4, 4, LO),
    t(16, 4, 2, LO), t(16, 2, 4, LO), t(16, 8, 2, LO), t(16, 2, 8, LO),
    t(16, 16, 2, LO), t(16, 2, 16, LO), t(8, 8, 4, LO), t(8, 4, 8, LO),
    t(32, 8, 2, LO), t(32, 2, 8, LO), t(64, 4, 2, LO), t(64, 2, 4, LO),
    t(16, 8, 8, LO), t(16, 8, 8, HI), t(32, 1, 16, LO), t(8, 1, 4, LO),
];
/// Modes of AIE2: what AIE2P adds has no name there.
const AIE2_MODES: usize = 48;

/// Modes of AIE2PS that give one vector of both sources' elements or of the first one's, by their
/// code.
#[rustfmt::skip]
const AIE2PS_MODES: [(u8, Transpose); 29] = [
    (44, t(8, 2, 32, LO)), (45, t(8, 1, 4, LO)), (58, t(8, 4, 16, LO)), (59, t(16, 1, 2, LO)),
    (60, t(16, 2, 16, LO)), (61, t(8, 2, 16, LO)), (72, t(8, 8, 8, LO)), (73, t(32, 1, 16, LO)),
    (74, t(16, 4, 8, LO)), (75, t(8, 4, 8, LO)), (76, t(32, 2, 8, LO)), (77, t(16, 2, 8, LO)),
    (86, t(8, 16, 4, LO)), (87, t(16, 4, 2, LO)), (88, t(16, 8, 4, LO)), (89, t(8, 8, 4, LO)),
    (90, t(32, 4, 4, LO)), (91, t(16, 4, 4, LO)), (92, t(64, 2, 4, LO)), (93, t(32, 2, 4, LO)),
    (100, t(8, 32, 2, LO)), (101, t(16, 2, 4, LO)), (102, t(16, 16, 2, LO)), (103, t(8, 16, 2, LO)),
    (104, t(32, 8, 2, LO)), (105, t(16, 8, 2, LO)), (106, t(64, 4, 2, LO)), (107, t(32, 4, 2, LO)),
    (108, t(128, 2, 2, LO)),
];
/// T64_2x2 of 256 bits, beside the others.
const AIE2PS_LAST: (u8, Transpose) = (109, t(64, 2, 2, LO));
/// Bits of both sources.
const BOTH_BITS: u32 = 1024;

/// Bits of the register that choose the mode.
const fn mode_mask(arch: CoreArch) -> u32 {
    match arch {
        CoreArch::Aie2 | CoreArch::Aie2p => 0x3F,
        CoreArch::Aie2ps => 0x7F,
    }
}

/// The mode of a code of AIE2PS.
///
/// Matrices of both sources have the code `16·log2 columns + 2·log2 rows`, and 1 more for the
/// upper half of the result, their elements being what 1024 bits are cut into; the other codes lie
/// between.
fn aie2ps_mode(code: u8) -> Option<Transpose> {
    let mut named = AIE2PS_MODES.iter().chain([&AIE2PS_LAST]);
    if let Some((_, transpose)) = named.find(|(known, _)| *known == code) {
        return Some(*transpose);
    }
    if code <= 1 {
        return Some(t(512, 1, 2, code != 0));
    }
    let (columns, rows) = (1u32 << (code >> 4), 1u32 << (code >> 1 & 7));
    let bits = BOTH_BITS.checked_div(rows * columns)?;
    let is_matrix = columns > 1 && rows > 1 && bits >= 8 && rows * columns * bits == BOTH_BITS;
    is_matrix.then(|| t(bits as u16, rows as u16, columns as u16, code & 1 != 0))
}

/// The mode of a code.
fn mode_of(arch: CoreArch, code: usize) -> Option<Transpose> {
    let modes = match arch {
        CoreArch::Aie2 => &MODES[..AIE2_MODES],
        CoreArch::Aie2p => &MODES[..],
        CoreArch::Aie2ps => return aie2ps_mode(code as u8),
    };
    modes.get(code).copied()
}

/// Mantissas of a block in bits, for one of 8 numbers.
const BLOCK_BITS: u16 = 64;

/// Shuffles the exponents of two vectors of 8 blocks as [`shuffle`] does their mantissas; whether
/// the mode leaves blocks whole.
pub(super) fn shuffle_blocks(
    arch: CoreArch,
    mode: u32,
    [low, high]: &[[u8; 8]; 2],
    d: &mut [u8; 8],
) -> bool {
    let mode = (mode & mode_mask(arch)) as usize;
    let Some(transpose) = mode_of(arch, mode).filter(|known| known.bits >= BLOCK_BITS) else {
        return false;
    };
    let exponents = Transpose {
        bits: transpose.bits / 8,
        ..transpose
    };
    exponents.apply(low, high, d);
    true
}

/// Shuffles two vectors of 64 bytes, `low` first, by the low bits of `mode`. Modes without a name
/// leave the first byte and 0 (3 of 3 on NPU1 silicon).
pub(super) fn shuffle(arch: CoreArch, low: &[u8], high: &[u8], mode: u32, d: &mut [u8]) {
    let mode = (mode & mode_mask(arch)) as usize;
    let Some(transpose) = mode_of(arch, mode) else {
        d.fill(0);
        d[..1].copy_from_slice(&low[..1]);
        return;
    };
    if transpose.rows == 1 && transpose.bits < 512 {
        // Flips: the elements of each group in the other order.
        let size = usize::from(transpose.bits) / 8;
        let group = size * usize::from(transpose.columns);
        for (d, from) in d.chunks_exact_mut(group).zip(low.chunks_exact(group)) {
            for (d, from) in d.chunks_exact_mut(size).zip(from.chunks_exact(size).rev()) {
                d.copy_from_slice(from);
            }
        }
        return;
    }
    transpose.apply(low, high, d);
}

impl Transpose {
    /// The matrix of both sources in one of the halves of the transposed one.
    fn apply(self, low: &[u8], high: &[u8], d: &mut [u8]) {
        let size = usize::from(self.bits) / 8;
        let (rows, columns) = (usize::from(self.rows), usize::from(self.columns));
        let elements = d.len() / size;
        let first = if self.high { elements } else { 0 };
        for (i, d) in d.chunks_exact_mut(size).enumerate() {
            let to = first + i;
            // Small matrices repeat, one after the other.
            let matrix = rows * columns;
            let inside = to % matrix;
            let from = (to - inside + inside % rows * columns + inside / rows) * size;
            let source = if from < low.len() {
                &low[from..]
            } else {
                &high[from - low.len()..]
            };
            d.copy_from_slice(&source[..size]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mode: u32) -> [u8; 64] {
        of_arch(CoreArch::Aie2, mode)
    }

    fn of_arch(arch: CoreArch, mode: u32) -> [u8; 64] {
        let low: Vec<u8> = (0..64).collect();
        let high: Vec<u8> = (64..128).collect();
        let mut d = [0; 64];
        shuffle(arch, &low, &high, mode, &mut d);
        d
    }

    #[test]
    fn transposes() {
        assert_eq!(of(0)[..3], [0, 2, 4]);
        assert_eq!(of(1)[..3], [1, 3, 5]);
        assert_eq!(of(20)[..4], [0, 64, 1, 65]);
        assert_eq!(of(22)[..], (0..64).collect::<Vec<u8>>()[..]);
        assert_eq!(of(23)[0], 64);
        assert_eq!(of(35)[..9], [0, 8, 16, 24, 32, 40, 48, 56, 1]);
        assert_eq!(of(34)[..8], [0, 1, 2, 3, 16, 17, 18, 19]);
        assert_eq!(of(38)[..4], [2, 3, 0, 1]);
        assert_eq!((of(48)[0], of(63)[1]), (0, 0));
    }

    #[test]
    fn blocks_keep_their_exponents() {
        let sources = [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]];
        let shuffled = |mode| {
            let mut d = [0; 8];
            shuffle_blocks(CoreArch::Aie2p, mode, &sources, &mut d).then_some(d)
        };
        assert_eq!(shuffled(22), Some(sources[0]));
        assert_eq!(shuffled(23), Some(sources[1]));
        // 64-bit elements: as the mantissas' places are.
        for mode in [6, 7, 14, 15, 8, 12, 10] {
            let bytes = of_arch(CoreArch::Aie2p, mode);
            let blocks: Vec<u8> = bytes.iter().step_by(8).map(|byte| byte / 8).collect();
            assert_eq!(shuffled(mode).map(|d| d.to_vec()), Some(blocks), "{mode}");
        }
        assert_eq!(shuffled(35), None);
        assert_eq!(shuffled(63), None);
    }

    #[test]
    fn modes_of_the_others() {
        let of = of_arch;
        let (p, ps) = (CoreArch::Aie2p, CoreArch::Aie2ps);
        assert_eq!(of(p, 52)[..6], [0, 1, 16, 17, 32, 33]);
        assert_eq!(of(p, 53)[..4], [8, 9, 24, 25]);
        assert_eq!(of(p, 54)[..4], [60, 61, 62, 63]);
        assert_eq!(of(p, 55)[..8], [3, 2, 1, 0, 7, 6, 5, 4]);
        // The numbers of AIE2PS and of AIE2 for the same matrices.
        for (code, aie2) in [
            (0, 22),
            (1, 23),
            (18, 10),
            (19, 11),
            (20, 8),
            (22, 6),
            (24, 4),
            (26, 2),
            (28, 0),
            (29, 1),
            (34, 12),
            (38, 30),
            (39, 31),
            (40, 24),
            (50, 14),
            (52, 32),
            (66, 16),
            (68, 26),
            (82, 18),
            (98, 20),
            (99, 21),
            (59, 38),
            (72, 35),
            (86, 36),
            (58, 37),
            (88, 28),
            (74, 29),
            (90, 34),
            (91, 39),
            (89, 46),
            (75, 47),
            (87, 40),
            (101, 41),
        ] {
            assert_eq!(of(ps, code), of(CoreArch::Aie2, aie2), "mode {code}");
        }
        for (code, aie2p) in [(54, 52), (55, 53), (104, 48), (76, 49), (106, 50), (92, 51)] {
            assert_eq!(of(ps, code), of(p, aie2p), "mode {code}");
        }
        // No name: 2 and 126; codes of 7 bits.
        assert_eq!((of(ps, 2)[1], of(ps, 126)[1]), (0, 0));
        assert_eq!(of(ps, 128), of(ps, 0));
    }
}
