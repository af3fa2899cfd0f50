//! Modes of the shuffle unit (`llvm-aie: aiev2_enums.h`, `aie2p_enums.h`, `aie2ps_enums.h`).

use aiec_core::CoreArch;

/// Combination of the elements of two vectors into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shuffle {
    /// The even elements of the first one, then those of the second one.
    Even,
    /// The odd ones.
    Odd,
    /// Elements of both in turn, from the lower halves.
    LowInTurn,
    /// Same as [`Self::LowInTurn`], for the upper halves.
    HighInTurn,
    /// The columns of the first one, four rows of 8 elements of 16 bits.
    Columns,
    /// The rows of the first one, four columns of 8 such elements.
    Rows,
    /// Columns 0 to 3 of 8 rows of 8 elements of 16 bits, which fill both.
    FirstColumns,
    /// Same as [`Self::FirstColumns`], for columns 4 to 7.
    LastColumns,
}

impl Shuffle {
    /// The mode for elements of 8, 16 or 32 bits.
    pub(super) fn mode(self, arch: CoreArch, bits: u32) -> u32 {
        // AIE2 begins with the finest for even elements, and ends with it for elements in turn.
        let width = bits.trailing_zeros() - 3;
        let (apart, in_turn) = match arch {
            CoreArch::Aie2 | CoreArch::Aie2p => (2 * width, 20 - 2 * width),
            // 16 times the logarithm of the columns, twice that of the rows.
            CoreArch::Aie2ps => (28 - 2 * width, 98 - 16 * width),
        };
        match self {
            Shuffle::Columns if arch == CoreArch::Aie2ps => 74,
            Shuffle::Rows if arch == CoreArch::Aie2ps => 88,
            Shuffle::FirstColumns if arch == CoreArch::Aie2ps => 54,
            Shuffle::LastColumns if arch == CoreArch::Aie2ps => 55,
            // AIE2 has no such modes.
            Shuffle::FirstColumns => 52,
            Shuffle::LastColumns => 53,
            Shuffle::Columns => 29,
            Shuffle::Rows => 28,
            Shuffle::Even => apart,
            Shuffle::Odd => apart + 1,
            Shuffle::LowInTurn => in_turn,
            Shuffle::HighInTurn => in_turn + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_the_headers() {
        let modes = |arch, shuffle: Shuffle| [8, 16, 32].map(|bits| shuffle.mode(arch, bits));
        for arch in [CoreArch::Aie2, CoreArch::Aie2p] {
            assert_eq!(modes(arch, Shuffle::Even), [0, 2, 4]);
            assert_eq!(modes(arch, Shuffle::Odd), [1, 3, 5]);
            assert_eq!(modes(arch, Shuffle::LowInTurn), [20, 18, 16]);
            assert_eq!(modes(arch, Shuffle::HighInTurn), [21, 19, 17]);
            assert_eq!(Shuffle::Columns.mode(arch, 16), 29);
            assert_eq!(Shuffle::Rows.mode(arch, 16), 28);
        }
        assert_eq!(modes(CoreArch::Aie2ps, Shuffle::Even), [28, 26, 24]);
        assert_eq!(modes(CoreArch::Aie2ps, Shuffle::HighInTurn), [99, 83, 67]);
    }
}
