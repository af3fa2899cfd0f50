//! Arithmetic on the lanes of vector registers. Lane 0 is at the low end.
//!
//! Source: measured on NPU1 silicon (xdna-emu) for AIE2; `llvm-aie` has the same operations for
//! AIE2P.

use super::formats::FloatFormat;

/// Width and sign of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneType {
    /// Integers of `bits` bits.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Two's complement, or unsigned.
        signed: bool,
    },
    /// Floating point, ordered by sign and magnitude.
    Float(FloatFormat),
}

impl LaneType {
    /// Bits of a lane.
    pub fn bits(self) -> u32 {
        match self {
            LaneType::Int { bits, .. } => bits.into(),
            LaneType::Float(format) => format.bits(),
        }
    }
}

/// Operations on pairs of lanes. Those with a comparison give a mask too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairOp {
    Add,
    Sub,
    And,
    Or,
    /// Mask: s1 < s2.
    Lt,
    /// Mask: s1 ≥ s2.
    Ge,
    /// The greater one; mask: s1 < s2.
    MaxLt,
    /// The lesser one; mask: s1 ≥ s2.
    MinGe,
    /// s1 − s2 where s1 ≥ s2, else 0; mask: s1 < s2.
    MaxDiffLt,
    /// s1 − s2; mask: s1 ≥ s2.
    SubGe,
    /// s1 − s2; mask: s1 < s2.
    SubLt,
}

/// Operations on single lanes with a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOp {
    /// Absolute value (that of the minimum is itself); mask: x > 0.
    AbsGtz,
    /// Negation; mask: x > 0.
    NegGtz,
    /// Bitwise not; mask: x < 0.
    BnegLtz,
    /// No value; mask: x = 0.
    Eqz,
}

/// The raw bits of a lane.
#[inline(always)]
fn raw<const N: usize>(bytes: &[u8; N]) -> u64 {
    let mut word = [0; 8];
    word[..N].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[inline(always)]
fn extend(value: u64, bits: u32, signed: bool) -> i64 {
    let rest = 64 - bits;
    if signed {
        ((value << rest) as i64) >> rest
    } else {
        ((value << rest) >> rest) as i64
    }
}

/// The integer in a lane of `bits` bits.
pub(super) fn lane(bytes: &[u8], index: usize, bits: u32, signed: bool) -> i64 {
    if bits < 8 {
        let byte = u64::from(bytes[index * bits as usize / 8]);
        let shift = index * bits as usize % 8;
        return extend(byte >> shift, bits, signed);
    }
    let size = bits as usize / 8;
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[index * size..][..size]);
    extend(u64::from_le_bytes(word), bits, signed)
}

/// Writes the low bits of a value to a lane.
pub(super) fn set_lane(bytes: &mut [u8], index: usize, bits: u32, value: i64) {
    if bits < 8 {
        let shift = index * bits as usize % 8;
        let mask = ((1u32 << bits) - 1) << shift;
        let byte = &mut bytes[index * bits as usize / 8];
        *byte = (u32::from(*byte) & !mask | ((value as u32) << shift) & mask) as u8;
        return;
    }
    let size = bits as usize / 8;
    bytes[index * size..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// Orders floating-point numbers by sign and magnitude; `None` for NaN, with which nothing compares.
#[inline(always)]
fn key(format: FloatFormat, bits: u64) -> Option<i64> {
    let sign = 1 << (format.bits() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    (!format.is_nan(bits as u16)).then_some(if bits & sign != 0 {
        -magnitude - 1
    } else {
        magnitude
    })
}

#[inline(always)]
fn less(kind: LaneType, a: u64, b: u64) -> bool {
    match kind {
        LaneType::Int { bits, signed } => {
            let bits = bits.into();
            if signed {
                extend(a, bits, true) < extend(b, bits, true)
            } else {
                a < b
            }
        }
        LaneType::Float(format) => {
            matches!((key(format, a), key(format, b)), (Some(a), Some(b)) if a < b)
        }
    }
}

/// s1 ≥ s2, which of NaNs is false too.
#[inline(always)]
fn at_least(kind: LaneType, a: u64, b: u64) -> bool {
    match kind {
        LaneType::Int { .. } => !less(kind, a, b),
        LaneType::Float(format) => {
            matches!((key(format, a), key(format, b)), (Some(a), Some(b)) if a >= b)
        }
    }
}

fn pairs_of<const N: usize>(op: PairOp, kind: LaneType, a: &[u8], b: &[u8], d: &mut [u8]) -> u64 {
    let mut mask = 0;
    let lanes = a.as_chunks::<N>().0.iter().zip(b.as_chunks::<N>().0);
    for (i, ((a, b), d)) in lanes.zip(d.as_chunks_mut::<N>().0).enumerate() {
        let (a, b) = (raw(a), raw(b));
        let (value, bit) = match op {
            PairOp::Add => (a.wrapping_add(b), false),
            PairOp::Sub => (a.wrapping_sub(b), false),
            PairOp::And => (a & b, false),
            PairOp::Or => (a | b, false),
            PairOp::Lt => (0, less(kind, a, b)),
            PairOp::Ge => (0, at_least(kind, a, b)),
            PairOp::MaxLt => {
                let less = less(kind, a, b);
                (if less { b } else { a }, less)
            }
            PairOp::MinGe => {
                let more = at_least(kind, a, b);
                (if more { b } else { a }, more)
            }
            PairOp::MaxDiffLt => {
                let less = less(kind, a, b);
                (if less { 0 } else { a.wrapping_sub(b) }, less)
            }
            PairOp::SubGe => (a.wrapping_sub(b), at_least(kind, a, b)),
            PairOp::SubLt => (a.wrapping_sub(b), less(kind, a, b)),
        };
        d.copy_from_slice(&value.to_le_bytes()[..N]);
        mask |= u64::from(bit) << i;
    }
    mask
}

/// Applies an operation to the lanes of two vectors; returns the mask, bit i of lane i.
pub(super) fn pairs(op: PairOp, kind: LaneType, a: &[u8], b: &[u8], d: &mut [u8]) -> u64 {
    match kind.bits() {
        8 => pairs_of::<1>(op, kind, a, b, d),
        16 => pairs_of::<2>(op, kind, a, b, d),
        _ => pairs_of::<4>(op, kind, a, b, d),
    }
}

fn unary_of<const N: usize>(op: UnaryOp, signed: bool, a: &[u8], d: &mut [u8]) -> u64 {
    let mut mask = 0;
    let lanes = a.as_chunks::<N>().0.iter();
    for (i, (a, d)) in lanes.zip(d.as_chunks_mut::<N>().0).enumerate() {
        let raw = raw(a);
        let x = extend(raw, 8 * N as u32, true);
        let above = if signed { x > 0 } else { raw != 0 };
        let (value, bit) = match op {
            UnaryOp::AbsGtz if signed => (x.wrapping_abs() as u64, above),
            UnaryOp::AbsGtz => (raw, above),
            UnaryOp::NegGtz => (raw.wrapping_neg(), x > 0),
            UnaryOp::BnegLtz => (!raw, x < 0),
            UnaryOp::Eqz => (0, raw == 0),
        };
        d.copy_from_slice(&value.to_le_bytes()[..N]);
        mask |= u64::from(bit) << i;
    }
    mask
}

/// Applies an operation to the lanes of a vector; returns the mask, bit i of lane i.
pub(super) fn unary(op: UnaryOp, bits: u32, signed: bool, a: &[u8], d: &mut [u8]) -> u64 {
    match bits {
        8 => unary_of::<1>(op, signed, a, d),
        16 => unary_of::<2>(op, signed, a, d),
        _ => unary_of::<4>(op, signed, a, d),
    }
}

/// Lane i of `b` where bit i of the mask is set, else of `a`.
pub(super) fn select(bits: u32, a: &[u8], b: &[u8], mask: u64, d: &mut [u8]) {
    let size = bits as usize / 8;
    for (i, d) in d.chunks_exact_mut(size).enumerate() {
        let from = if mask >> i & 1 != 0 { b } else { a };
        d.copy_from_slice(&from[i * size..][..size]);
    }
}

/// `a − b` in the lanes whose bit is set, else `a + b`.
pub(super) fn add_sub(bits: u32, a: &[u8], b: &[u8], mask: u64, d: &mut [u8]) {
    for i in 0..d.len() * 8 / bits as usize {
        let (x, y) = (lane(a, i, bits, false), lane(b, i, bits, false));
        let value = match mask >> i & 1 {
            0 => x.wrapping_add(y),
            _ => x.wrapping_sub(y),
        };
        set_lane(d, i, bits, value);
    }
}

/// The low bits of a scalar in every lane.
pub(super) fn broadcast(bits: u32, value: u64, d: &mut [u8]) {
    let size = bits as usize / 8;
    for d in d.chunks_exact_mut(size) {
        d.copy_from_slice(&value.to_le_bytes()[..size]);
    }
}

/// A lane in every lane; the number counts modulo the lanes.
pub(super) fn broadcast_lane(bits: u32, a: &[u8], index: u32, d: &mut [u8]) {
    let size = bits as usize / 8;
    let from = index as usize % (a.len() / size) * size;
    for d in d.chunks_exact_mut(size) {
        d.copy_from_slice(&a[from..from + size]);
    }
}

/// The lane of a number modulo the lanes.
pub(super) fn extract(bits: u32, signed: bool, a: &[u8], index: u32) -> i64 {
    lane(
        a,
        index as usize % (a.len() * 8 / bits as usize),
        bits,
        signed,
    )
}

/// Replaces the lane of a number modulo the lanes.
pub(super) fn insert(bits: u32, a: &[u8], index: u32, value: u64, d: &mut [u8]) {
    d.copy_from_slice(a);
    let lanes = a.len() * 8 / bits as usize;
    set_lane(d, index as usize % lanes, bits, value as i64);
}

/// Lanes move down, the new one is on top.
pub(super) fn push_high(bits: u32, a: &[u8], value: u64, d: &mut [u8]) {
    let size = bits as usize / 8;
    let rest = a.len() - size;
    d[..rest].copy_from_slice(&a[size..]);
    d[rest..].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// Lanes move up, the new one is lane 0.
pub(super) fn push_low(bits: u32, a: &[u8], value: u64, d: &mut [u8]) {
    let size = bits as usize / 8;
    let rest = a.len() - size;
    d[size..].copy_from_slice(&a[..rest]);
    d[..size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// Bytes `[by, by + 64)` of two vectors in a row, `low` first; 0 beyond them.
pub(super) fn shift_bytes(low: &[u8], high: &[u8], by: u32, d: &mut [u8]) {
    let both = low.len() + high.len();
    for (i, d) in d.iter_mut().enumerate() {
        let from = (by as usize).saturating_add(i);
        *d = match from {
            _ if by as usize > both || from >= both => 0,
            from if from < low.len() => low[from],
            from => high[from - low.len()],
        };
    }
}

/// [`shift_bytes`] whose first vector takes a step of its own, which the three low bits of `step` name: 1 to 4 are
/// 4, 8, 16, 32 bytes. Bytes `[0, 64 - by)` of the result are then the first vector's after that step, whatever `by`
/// is, and the rest is the beginning of the second. `None` for other codes (source: the shift of AMD's instruction
/// simulator as xdna-emu follows it, `VectorAlu::wide_vector_shift`).
pub(super) fn shift_align(low: &[u8], high: &[u8], step: u32, by: u32, d: &mut [u8]) -> Option<()> {
    const STEP_BITS: u32 = 7;
    const STEP_BYTES: [usize; 5] = [0, 4, 8, 16, 32];
    let step = *STEP_BYTES.get((step & STEP_BITS) as usize)?;
    if step == 0 || by as usize >= low.len() {
        shift_bytes(low, high, by, d);
        return Some(());
    }
    let (first, second) = d.split_at_mut(low.len() - by as usize);
    for (d, from) in first.iter_mut().zip(step..) {
        *d = low.get(from).copied().unwrap_or(0);
    }
    second.copy_from_slice(&high[..second.len()]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const S8: LaneType = LaneType::Int {
        bits: 8,
        signed: true,
    };
    const U8: LaneType = LaneType::Int {
        bits: 8,
        signed: false,
    };

    #[test]
    fn the_first_step_of_an_aligning_shift_moves_the_first_vector_alone() {
        let low: Vec<u8> = (0..64).collect();
        let high: Vec<u8> = (100..164).collect();
        let shifted = |step, by| {
            let mut d = [0; 64];
            shift_align(&low, &high, step, by, &mut d).map(|()| d)
        };
        for by in [0, 1, 16, 63, 64, 100, 127, 128, 200] {
            let mut plain = [0; 64];
            shift_bytes(&low, &high, by, &mut plain);
            assert_eq!(shifted(0, by), Some(plain), "by {by}");
            // Only three bits count.
            assert_eq!(shifted(8, by), Some(plain), "by {by}");
        }
        for (step, bytes) in [(1, 4), (2, 8), (3, 16), (4, 32)] {
            for by in [0, 1, 16, 40, 63] {
                let mut expected: Vec<u8> = low[bytes..].to_vec();
                expected.resize(64, 0);
                expected.truncate(64 - by);
                expected.extend(&high[..by]);
                assert_eq!(
                    shifted(step, by as u32).unwrap().to_vec(),
                    expected,
                    "step {step}, by {by}"
                );
            }
            assert_eq!(shifted(step, 70), shifted(0, 70));
        }
        assert_eq!([5, 6, 7].map(|step| shifted(step, 3)), [None; 3]);
    }

    #[test]
    fn comparisons_by_sign() {
        let (a, b) = ([0x80, 1, 5, 0xFF], [1, 0x80, 5, 0]);
        let mut d = [0; 4];
        assert_eq!(pairs(PairOp::MaxLt, S8, &a, &b, &mut d), 0b1001);
        assert_eq!(d, [1, 1, 5, 0]);
        assert_eq!(pairs(PairOp::MaxLt, U8, &a, &b, &mut d), 0b0010);
        assert_eq!(d, [0x80, 0x80, 5, 0xFF]);
        assert_eq!(pairs(PairOp::MinGe, S8, &a, &b, &mut d), 0b0110);
        assert_eq!(d, [0x80, 0x80, 5, 0xFF]);
        assert_eq!(pairs(PairOp::MaxDiffLt, U8, &a, &b, &mut d), 0b0010);
        assert_eq!(d, [0x7F, 0, 0, 0xFF]);
    }

    #[test]
    fn bf16_by_sign_and_magnitude() {
        let of = |x: [u16; 4]| -> Vec<u8> { x.iter().flat_map(|x| x.to_le_bytes()).collect() };
        let (a, b) = (
            of([0xBF80, 0x3F80, 0x7FC0, 0x8000]),
            of([0xC000, 0x4000, 0, 0]),
        );
        let mut d = [0; 8];
        assert_eq!(
            pairs(
                PairOp::MaxLt,
                LaneType::Float(FloatFormat::Bf16),
                &a,
                &b,
                &mut d
            ),
            0b1010
        );
        assert_eq!(d.to_vec(), of([0xBF80, 0x4000, 0x7FC0, 0]));
        assert_eq!(
            pairs(
                PairOp::Ge,
                LaneType::Float(FloatFormat::Bf16),
                &a,
                &b,
                &mut d
            ),
            0b0001
        );
    }

    #[test]
    fn unary_operations() {
        let a = [0x80, 0xFF, 0, 5];
        let mut d = [0; 4];
        assert_eq!(unary(UnaryOp::AbsGtz, 8, true, &a, &mut d), 0b1000);
        assert_eq!(d, [0x80, 1, 0, 5]);
        assert_eq!(unary(UnaryOp::NegGtz, 8, true, &a, &mut d), 0b1000);
        assert_eq!(d, [0x80, 1, 0, 0xFB]);
        assert_eq!(unary(UnaryOp::BnegLtz, 8, true, &a, &mut d), 0b0011);
        assert_eq!(d, [0x7F, 0, 0xFF, 0xFA]);
        assert_eq!(unary(UnaryOp::Eqz, 8, true, &a, &mut d), 0b0100);
    }

    #[test]
    fn moving_lanes() {
        let a: Vec<u8> = (0..64).collect();
        let b: Vec<u8> = (64..128).collect();
        let mut d = [0; 64];
        shift_bytes(&a, &b, 60, &mut d);
        assert_eq!((d[0], d[63]), (60, 123));
        shift_bytes(&a, &b, 127, &mut d);
        assert_eq!((d[0], d[1]), (127, 0));
        shift_bytes(&a, &b, 1 << 31, &mut d);
        assert_eq!(d, [0; 64]);
        push_high(16, &a, 0xAABB, &mut d);
        assert_eq!((d[0], d[62], d[63]), (2, 0xBB, 0xAA));
        push_low(32, &a, 1, &mut d);
        assert_eq!((d[0], d[4], d[63]), (1, 0, 59));
        insert(64, &a, 9, u64::MAX, &mut d);
        assert_eq!((d[7], d[8], d[15], d[16]), (7, 255, 255, 16));
        assert_eq!(extract(8, true, &[0x80; 64], 65), -128);
        broadcast_lane(16, &a, 33, &mut d);
        assert_eq!((d[0], d[1], d[62]), (2, 3, 2));
        assert_eq!(lane(&[0xA5], 1, 4, true), -6);
        select(8, &a, &b, 0b10, &mut d);
        assert_eq!((d[0], d[1]), (0, 65));
        add_sub(8, &a, &b, 0b10, &mut d);
        assert_eq!((d[0], d[1]), (64, 192));
    }
}
