//! Rounding of numbers of which bits are cut off.

/// Rounding by crRnd (`llvm-aie: clang/lib/Headers/aiev2/aiev2_defines.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Floor,
    Ceil,
    TowardZero,
    AwayFromZero,
    /// To the nearest, ties to −∞.
    NearestFloor,
    /// Ties to +∞.
    NearestCeil,
    /// Ties to zero.
    NearestTowardZero,
    /// Ties away from zero.
    NearestAway,
    NearestEven,
    NearestOdd,
}

impl Rounding {
    /// From crRnd. Codes 4 to 7 and above 13 are unassigned and taken for floor (unconfirmed).
    pub fn from_register(value: u32) -> Rounding {
        match value & 0xF {
            1 => Rounding::Ceil,
            2 => Rounding::TowardZero,
            3 => Rounding::AwayFromZero,
            8 => Rounding::NearestFloor,
            9 => Rounding::NearestCeil,
            10 => Rounding::NearestTowardZero,
            11 => Rounding::NearestAway,
            12 => Rounding::NearestEven,
            13 => Rounding::NearestOdd,
            _ => Rounding::Floor,
        }
    }

    /// Rounding of the magnitude of a number: for a negative one, what rounds toward −∞ goes away
    /// from zero.
    pub fn of_magnitude(self, negative: bool) -> Rounding {
        match (self, negative) {
            (Rounding::Floor, true) | (Rounding::Ceil, false) => Rounding::Ceil,
            (Rounding::Floor, false) | (Rounding::Ceil, true) => Rounding::Floor,
            (Rounding::NearestFloor, true) | (Rounding::NearestCeil, false) => {
                Rounding::NearestCeil
            }
            (Rounding::NearestFloor, false) | (Rounding::NearestCeil, true) => {
                Rounding::NearestFloor
            }
            (other, _) => other,
        }
    }

    /// Whether one is added to the floor of a number, by its remainder compared with one half
    /// (`None` for no remainder).
    #[inline]
    pub fn rounds_up(self, floor_is_odd: bool, negative: bool, rest: Option<Remainder>) -> bool {
        let Some(rest) = rest else {
            return false;
        };
        let tie = match self {
            Rounding::Floor => return false,
            Rounding::Ceil => return true,
            Rounding::TowardZero => return negative,
            Rounding::AwayFromZero => return !negative,
            Rounding::NearestFloor => false,
            Rounding::NearestCeil => true,
            Rounding::NearestTowardZero => negative,
            Rounding::NearestAway => !negative,
            Rounding::NearestEven => floor_is_odd,
            Rounding::NearestOdd => !floor_is_odd,
        };
        match rest {
            Remainder::Below => false,
            Remainder::Half => tie,
            Remainder::Above => true,
        }
    }
}

/// A remainder against one half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remainder {
    Below,
    Half,
    Above,
}

impl Remainder {
    /// Of a number of which `bits` bits are cut off.
    #[inline]
    pub fn of(value: u64, bits: u32) -> Option<Remainder> {
        if bits == 0 {
            return None;
        }
        let rest = value << (64 - bits);
        match rest {
            0 => None,
            _ => Some(match rest.cmp(&(1 << 63)) {
                std::cmp::Ordering::Less => Remainder::Below,
                std::cmp::Ordering::Equal => Remainder::Half,
                std::cmp::Ordering::Greater => Remainder::Above,
            }),
        }
    }
}
