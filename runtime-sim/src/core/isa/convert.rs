//! Between accumulators and vectors: shift-round-saturate (SRS), upshift (UPS), pack and unpack.
//!
//! Source: `llvm-aie`'s instruction simulator; shift 0 measured on NPU1 silicon (xdna-emu).

use super::lanes::{lane, set_lane};
use super::rounding::{Remainder, Rounding};

/// Saturation by a control register crSat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saturation {
    /// Keep the low bits.
    Wrap,
    /// Clamp to the range of the lane.
    Clamp,
    /// Clamp to a range that has as many negative as positive numbers.
    Symmetric,
}

impl Saturation {
    /// From crSat.
    pub fn from_register(value: u32) -> Saturation {
        match value & 3 {
            1 => Saturation::Clamp,
            3 => Saturation::Symmetric,
            _ => Saturation::Wrap,
        }
    }

    /// A value in the range of a lane.
    #[inline]
    pub fn apply(self, value: i64, bits: u32, signed: bool) -> i64 {
        let (mut low, high) = match (bits, signed) {
            (64, true) => (i64::MIN, i64::MAX),
            // A comparison of signed numbers: a 64-bit lane has no greater ones.
            (64, false) => (0, i64::MAX),
            (_, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (_, false) => (0, (1 << bits) - 1),
        };
        match self {
            Saturation::Wrap => return value,
            Saturation::Clamp => {}
            Saturation::Symmetric if signed => low = -high,
            Saturation::Symmetric => {}
        }
        value.clamp(low, high)
    }
}

/// The first of the shifts that go left: the 6 bits are −4 to 59 (lookups of aie_api shift their
/// indices by −2, so in Riallto's `color_detect`, whose data are exact with it).
const FIRST_LEFT_SHIFT: u32 = 60;
/// Codes of shifts.
const SHIFTS: u32 = 64;

/// Conversion of an accumulator to a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShiftRoundSaturate {
    /// 0 to 63; from [`FIRST_LEFT_SHIFT`] on to the left.
    pub shift: u32,
    pub rounding: Rounding,
    pub saturation: Saturation,
    /// Bits of an accumulator lane.
    pub from: u32,
    /// Bits of a vector lane.
    pub to: u32,
    /// The vector is signed.
    pub signed: bool,
}

impl ShiftRoundSaturate {
    #[inline]
    fn lane(&self, value: i64) -> i64 {
        if self.shift >= FIRST_LEFT_SHIFT {
            return self.left(value);
        }
        let floor = value >> self.shift;
        let rest = Remainder::of(value as u64, self.shift);
        let up = self.rounding.rounds_up(floor & 1 != 0, value < 0, rest);
        let rounded = floor.saturating_add(i64::from(up));
        self.saturation.apply(rounded, self.to, self.signed)
    }

    #[cold]
    fn left(&self, value: i64) -> i64 {
        let shift = SHIFTS - self.shift;
        let shifted = value << shift;
        let lost = shifted >> shift != value;
        let shifted = match self.saturation {
            Saturation::Clamp | Saturation::Symmetric if lost && value < 0 => i64::MIN,
            Saturation::Clamp | Saturation::Symmetric if lost => i64::MAX,
            _ => shifted,
        };
        self.saturation.apply(shifted, self.to, self.signed)
    }

    /// Converts all lanes of an accumulator.
    pub fn apply(&self, accumulator: &[u8], d: &mut [u8]) {
        let lanes = accumulator.len() * 8 / self.from as usize;
        for i in 0..lanes.min(d.len() * 8 / self.to as usize) {
            let value = self.lane(lane(accumulator, i, self.from, true));
            set_lane(d, i, self.to, value);
        }
    }
}

/// Extends lanes and shifts them left into accumulator lanes.
///
/// Bits that don't fit are cut off: the effect of crSat on UPS is unconfirmed.
pub(super) fn upshift(shift: u32, from: u32, to: u32, signed: bool, vector: &[u8], d: &mut [u8]) {
    for i in 0..(vector.len() * 8 / from as usize).min(d.len() * 8 / to as usize) {
        let value = lane(vector, i, from, signed) << shift.min(63);
        set_lane(d, i, to, value);
    }
}

/// Narrows lanes to half their bits.
pub(super) fn pack(to: u32, signed: bool, saturation: Saturation, vector: &[u8], d: &mut [u8]) {
    for i in 0..vector.len() * 4 / to as usize {
        let value = lane(vector, i, 2 * to, true);
        set_lane(d, i, to, saturation.apply(value, to, signed));
    }
}

/// Widens lanes to twice their bits.
pub(super) fn unpack(from: u32, signed: bool, vector: &[u8], d: &mut [u8]) {
    for i in 0..vector.len() * 8 / from as usize {
        set_lane(d, i, 2 * from, lane(vector, i, from, signed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn srs(rounding: u32, saturation: u32, shift: u32, signed: bool, value: i32) -> i64 {
        let srs = ShiftRoundSaturate {
            shift,
            rounding: Rounding::from_register(rounding),
            saturation: Saturation::from_register(saturation),
            from: 32,
            to: 8,
            signed,
        };
        let mut d = [0];
        srs.apply(&value.to_le_bytes(), &mut d);
        lane(&d, 0, 8, signed)
    }

    #[test]
    fn roundings_of_halves_and_quarters() {
        // In quarters: -1.5, -1.25, -0.5, 0.25, 0.5, 1.5, 1.75
        let values = [-6, -5, -2, 1, 2, 6, 7];
        for (code, expected) in [
            (0, [-2, -2, -1, 0, 0, 1, 1]),
            (1, [-1, -1, 0, 1, 1, 2, 2]),
            (2, [-1, -1, 0, 0, 0, 1, 1]),
            (3, [-2, -2, -1, 1, 1, 2, 2]),
            (8, [-2, -1, -1, 0, 0, 1, 2]),
            (9, [-1, -1, 0, 0, 1, 2, 2]),
            (10, [-1, -1, 0, 0, 0, 1, 2]),
            (11, [-2, -1, -1, 0, 1, 2, 2]),
            (12, [-2, -1, 0, 0, 0, 2, 2]),
            (13, [-1, -1, -1, 0, 1, 1, 2]),
        ] {
            let got = values.map(|value| srs(code, 0, 2, true, value));
            assert_eq!(got, expected, "crRnd {code}");
        }
    }

    #[test]
    fn saturations() {
        assert_eq!(srs(0, 0, 0, true, 0x180), -128);
        assert_eq!(srs(0, 1, 0, true, 0x180), 127);
        assert_eq!(srs(0, 1, 0, true, -0x180), -128);
        assert_eq!(srs(0, 3, 0, true, -0x180), -127);
        assert_eq!(srs(0, 1, 0, false, -1), 0);
        assert_eq!(srs(0, 1, 0, false, 0x180), 255);
        assert_eq!(srs(9, 1, 1, true, 255), 127);
    }

    #[test]
    fn shifts_to_the_left() {
        assert_eq!(srs(0, 0, 62, true, 5), 20);
        assert_eq!(srs(9, 0, 63, true, -3), -6);
        assert_eq!(srs(0, 0, 60, true, 7), 112);
        assert_eq!(srs(0, 0, 60, true, 9), -112);
        assert_eq!(srs(0, 1, 60, true, 9), 127);
        assert_eq!(srs(0, 3, 62, true, i32::MIN), -127);
        assert_eq!(srs(0, 0, 59, true, -1), -1);
        let wide = |saturation, value: i64| {
            let srs = ShiftRoundSaturate {
                shift: 61,
                rounding: Rounding::from_register(0),
                saturation: Saturation::from_register(saturation),
                from: 64,
                to: 32,
                signed: true,
            };
            let mut d = [0; 4];
            srs.apply(&value.to_le_bytes(), &mut d);
            i32::from_le_bytes(d)
        };
        assert_eq!(wide(1, 1 << 62), i32::MAX);
        assert_eq!(wide(1, -1 << 62), i32::MIN);
        assert_eq!((wide(0, 1 << 62), wide(1, 3)), (0, 24));
    }

    #[test]
    fn up_and_down() {
        let mut wide = [0; 8];
        upshift(4, 16, 32, true, &[0xFF, 0xFF, 1, 0], &mut wide);
        assert_eq!(
            (lane(&wide, 0, 32, true), lane(&wide, 1, 32, true)),
            (-16, 16)
        );
        let mut bytes = [0; 4];
        unpack(4, true, &[0x8F, 0x70], &mut bytes);
        assert_eq!(bytes, [0xFF, 0xF8, 0, 7]);
        let mut narrow = [0; 2];
        pack(4, true, Saturation::Wrap, &bytes, &mut narrow);
        assert_eq!(narrow, [0x8F, 0x70]);
        pack(4, true, Saturation::Clamp, &[100, 0x80, 0, 0], &mut narrow);
        assert_eq!(narrow, [0x87, 0]);
    }
}
