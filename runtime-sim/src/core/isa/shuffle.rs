//! Modes of the shuffle unit.
//!
//! A mode transposes a matrix of R rows and C columns of W-bit elements, row by row in the
//! registers. Names of the modes: `llvm-aie: clang/lib/Headers/aiev2/aiev2_enums.h`
//! (`T<W>_<R>x<C>_lo` and `_hi`); the order of elements is measured on NPU1 silicon (xdna-emu) for
//! modes up to 23. What modes 24 to 47 do with the second source follows from their names
//! (unconfirmed).

/// A mode: bits of an element, rows, columns, and which 512 bits of the result it gives.
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
const MODES: [Transpose; 48] = [
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
];

/// The mode that exchanges the halves of 32-bit words.
const FLIP_16: usize = 38;
/// Bits of the register that choose the mode.
const MODE_MASK: u32 = 0x3F;

/// Shuffles two vectors of 64 bytes, `low` first, by the low bits of `mode`. Modes without a name
/// leave the first byte and 0 (3 of 3 on NPU1 silicon).
pub(super) fn shuffle(low: &[u8], high: &[u8], mode: u32, d: &mut [u8]) {
    let mode = (mode & MODE_MASK) as usize;
    let Some(transpose) = MODES.get(mode) else {
        d.fill(0);
        d[..1].copy_from_slice(&low[..1]);
        return;
    };
    if mode == FLIP_16 {
        for (d, from) in d.chunks_exact_mut(4).zip(low.chunks_exact(4)) {
            d.copy_from_slice(&[from[2], from[3], from[0], from[1]]);
        }
        return;
    }
    let size = usize::from(transpose.bits) / 8;
    let (rows, columns) = (usize::from(transpose.rows), usize::from(transpose.columns));
    let elements = d.len() / size;
    let first = if transpose.high { elements } else { 0 };
    for (i, d) in d.chunks_exact_mut(size).enumerate() {
        let to = first + i;
        // Small matrices repeat, one behind the other.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mode: u32) -> [u8; 64] {
        let low: Vec<u8> = (0..64).collect();
        let high: Vec<u8> = (64..128).collect();
        let mut d = [0; 64];
        shuffle(&low, &high, mode, &mut d);
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
}
