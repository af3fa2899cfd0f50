//! Order of addresses of one buffer descriptor: up to four dimensions, and zero padding.
//!
//! All units are 32-bit words. `addr = base + Σ index[d]·step[d]`; dimension 0 moves fastest,
//! a wrap of 0 makes a dimension absorb everything that remains. The *length* ends a transfer,
//! not the wraps (AM020; `aie-rt: driver/src/dma`).

/// Dimensions of the largest descriptor (mem tile).
pub const MAX_DIMS: usize = 4;
/// Dimensions that can be padded (mem tile MM2S).
pub const PAD_DIMS: usize = 3;

/// One dimension, in plain numbers (not as stored in the register).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Words between neighbours.
    pub step: u32,
    /// Number of elements, 0 = no limit.
    pub wrap: u32,
}

/// Padding of one dimension, in units of that dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pad {
    /// Before the data.
    pub before: u32,
    /// After the data.
    pub after: u32,
}

/// Consecutive elements of dimension 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Word address of the first.
    pub start: u64,
    /// Words from one to the next.
    pub step: u64,
    /// Number of words.
    pub count: u32,
}

/// Walks the addresses of one transfer.
#[derive(Clone, Debug)]
pub struct Walk {
    base: u64,
    dims: [Dim; MAX_DIMS],
    index: [u32; MAX_DIMS],
    /// Address of the row that dimension 0 walks now.
    row: u64,
    /// Words not yet walked.
    left: u32,
}

impl Walk {
    /// A walk over `length` words from word address `base`.
    pub fn new(base: u64, length: u32, dims: [Dim; MAX_DIMS]) -> Walk {
        Walk {
            base,
            dims,
            index: [0; MAX_DIMS],
            row: base,
            left: length,
        }
    }

    /// Words that are still to come.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// A range of word addresses that holds all words of a walk from its start, which may end before
    /// its last dimension does.
    pub fn extent(&self) -> (u64, u64) {
        let mut rows = self.left;
        let last = self.dims.iter().fold(self.base, |last, dim| {
            let count = match dim.wrap {
                0 => std::mem::replace(&mut rows, 1),
                wrap => {
                    let count = wrap.min(rows);
                    rows = rows.div_ceil(wrap);
                    count
                }
            };
            let steps = u64::from(count.saturating_sub(1));
            last.saturating_add(steps * u64::from(dim.step))
        });
        (self.base, last.saturating_add(1))
    }

    /// The rest of the current row of dimension 0, limited by the length; count 0 at the end.
    pub fn run(&self) -> Run {
        let Dim { step, wrap } = self.dims[0];
        let in_row = if wrap == 0 {
            u32::MAX
        } else {
            wrap - self.index[0]
        };
        let start = self
            .row
            .wrapping_add(u64::from(self.index[0]) * u64::from(step));
        Run {
            start,
            step: u64::from(step),
            count: in_row.min(self.left),
        }
    }

    /// Moves `count` words on, at most to the end of the current run.
    pub fn advance(&mut self, count: u32) {
        self.left -= count;
        self.index[0] += count;
        if self.dims[0].wrap == 0 || self.index[0] < self.dims[0].wrap {
            return;
        }
        self.index[0] = 0;
        for d in 1..MAX_DIMS {
            self.index[d] += 1;
            if self.dims[d].wrap == 0 || self.index[d] < self.dims[d].wrap {
                break;
            }
            self.index[d] = 0;
        }
        self.row = (1..MAX_DIMS).fold(self.base, |addr, d| {
            addr.wrapping_add(u64::from(self.index[d]) * u64::from(self.dims[d].step))
        });
    }
}

/// Where padding words come between the data words of a walk.
///
/// `Buffer_Length` counts the padding words too: mlir-aie's designs that run on silicon give the
/// padded size as the length (mlir-aie: test/npu-xrt/add_12_i8_using_2d_dma_op_with_padding).
/// Padding rows and planes are whole ones, their own pads included.
#[derive(Clone, Debug)]
pub struct Padding {
    before: [u32; PAD_DIMS],
    /// Data elements of each dimension.
    size: [u32; PAD_DIMS],
    /// Elements with both pads.
    total: [u32; PAD_DIMS],
    at: [u32; PAD_DIMS],
    /// Words still to come, padding included.
    left: u32,
}

impl Padding {
    /// The padding of a transfer of `length` words, padding included; `None` if there is none. A
    /// dimension without wrap takes what the length leaves.
    pub fn new(pads: [Pad; PAD_DIMS], dims: &[Dim; MAX_DIMS], length: u32) -> Option<Padding> {
        if pads.iter().all(|pad| *pad == Pad::default()) {
            return None;
        }
        let before = pads.map(|pad| pad.before);
        let (mut size, mut total) = ([1; PAD_DIMS], [1; PAD_DIMS]);
        let mut inner = 1u32;
        for d in 0..PAD_DIMS {
            let pad = pads[d].before + pads[d].after;
            let rest = length.div_ceil(inner.max(1));
            size[d] = match dims[d].wrap {
                0 => rest.saturating_sub(pad).max(1),
                wrap => wrap,
            };
            total[d] = size[d] + pad;
            inner = inner.saturating_mul(total[d]);
        }
        Some(Padding {
            before,
            size,
            total,
            at: [0; PAD_DIMS],
            left: length,
        })
    }

    /// True if the next word is padding.
    pub fn pads_next(&self) -> bool {
        (0..PAD_DIMS)
            .any(|d| self.at[d] < self.before[d] || self.at[d] >= self.before[d] + self.size[d])
    }

    /// Moves one word on.
    pub fn advance(&mut self) {
        self.left = self.left.saturating_sub(1);
        for d in 0..PAD_DIMS {
            self.at[d] += 1;
            if self.at[d] < self.total[d] {
                return;
            }
            self.at[d] = 0;
        }
    }

    /// True when all words are out.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dims(pairs: &[(u32, u32)]) -> [Dim; MAX_DIMS] {
        let mut dims = [Dim { step: 1, wrap: 0 }; MAX_DIMS];
        for (dim, &(step, wrap)) in dims.iter_mut().zip(pairs) {
            *dim = Dim { step, wrap };
        }
        dims
    }

    fn all(mut walk: Walk) -> Vec<u64> {
        let mut addresses = Vec::new();
        while walk.left() > 0 {
            let run = walk.run();
            addresses.extend((0..u64::from(run.count)).map(|i| run.start + i * run.step));
            walk.advance(run.count);
        }
        addresses
    }

    #[test]
    fn linear_is_one_run() {
        let walk = Walk::new(7, 5, dims(&[(1, 0)]));
        assert_eq!(
            walk.run(),
            Run {
                start: 7,
                step: 1,
                count: 5
            }
        );
        assert_eq!(all(walk), [7, 8, 9, 10, 11]);
    }

    #[test]
    fn three_dimensions_nest_and_the_length_ends() {
        // A 2-wide tile of a 4-wide matrix, twice, cut off after 7 words.
        let walk = Walk::new(100, 7, dims(&[(1, 2), (4, 2), (2, 0)]));
        assert_eq!(all(walk), [100, 101, 104, 105, 102, 103, 106]);
    }

    #[test]
    fn the_outermost_of_four_absorbs() {
        let walk = Walk::new(0, 10, dims(&[(1, 2), (10, 2), (100, 2), (1000, 0)]));
        assert_eq!(all(walk), [0, 1, 10, 11, 100, 101, 110, 111, 1000, 1001]);
    }

    #[test]
    fn a_wrap_of_one_is_a_dimension_of_size_one() {
        let walk = Walk::new(0, 3, dims(&[(9, 1), (5, 0)]));
        assert_eq!(all(walk), [0, 5, 10]);
    }

    #[test]
    fn advancing_inside_a_run_keeps_the_place() {
        let mut walk = Walk::new(0, 8, dims(&[(1, 4), (16, 0)]));
        walk.advance(3);
        assert_eq!(
            walk.run(),
            Run {
                start: 3,
                step: 1,
                count: 1
            }
        );
        walk.advance(1);
        assert_eq!(
            walk.run(),
            Run {
                start: 16,
                step: 1,
                count: 4
            }
        );
    }

    #[test]
    fn padding_surrounds_rows_and_planes() {
        // A 2x2 block with one word left of each row, and one full row below.
        let dims = dims(&[(1, 2), (2, 2)]);
        let pads = [
            Pad {
                before: 1,
                after: 0,
            },
            Pad {
                before: 0,
                after: 1,
            },
            Pad::default(),
        ];
        let mut padding = Padding::new(pads, &dims, 9).unwrap();
        let mut picture = String::new();
        while !padding.is_done() {
            picture.push(if padding.pads_next() { '.' } else { 'x' });
            padding.advance();
        }
        assert_eq!(picture, ".xx.xx...");
        assert!(Padding::new([Pad::default(); 3], &dims, 4).is_none());
    }

    /// The range is exact for whole walks, and holds those that end early.
    #[test]
    fn the_extent_holds_every_word() {
        let dim = |step, wrap| Dim { step, wrap };
        let shapes = [
            [dim(1, 0), dim(0, 0), dim(0, 0), dim(0, 0)],
            [dim(1, 4), dim(16, 3), dim(100, 2), dim(0, 0)],
            [dim(3, 2), dim(0, 5), dim(7, 0), dim(1, 1)],
        ];
        for dims in shapes {
            for length in 1..=40 {
                let (low, high) = Walk::new(1000, length, dims).extent();
                let mut walk = Walk::new(1000, length, dims);
                while walk.left() > 0 {
                    assert!((low..high).contains(&walk.run().start), "{dims:?} {length}");
                    walk.advance(1);
                }
            }
        }
        let whole = Walk::new(8, 24, shapes[1]).extent();
        assert_eq!(whole, (8, 8 + 3 + 32 + 100 + 1));
        let longest = Walk::new(0, u32::MAX, [dim(1, 1); MAX_DIMS]);
        assert_eq!(longest.extent(), (0, 1));
    }
}
