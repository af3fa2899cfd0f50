//! Address walks: the two nested loops that register file ports and SRAMs count addresses with.

/// A walk with all its values known. Addresses are in words or in blocks, times in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressWalk {
    /// First address.
    pub first: i32,
    /// Cycles from the issue to the first address.
    pub initial_delay: u32,
    /// The inner loop.
    pub inner: WalkLevel,
    /// The outer loop.
    pub outer: WalkLevel,
}

/// One loop of an [`AddressWalk`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkLevel {
    /// Iterations, at least 1.
    pub iterations: u32,
    /// Increment of the address per iteration.
    pub step: i32,
    /// Cycles between two iterations in which nothing happens.
    pub delay: u32,
}

impl WalkLevel {
    /// A loop of one iteration.
    pub const ONCE: WalkLevel = WalkLevel {
        iterations: 1,
        step: 0,
        delay: 0,
    };
}

impl AddressWalk {
    /// The address of iteration `k` of the inner loop in repetition `r` of the outer one.
    pub fn address(&self, r: u32, k: u32) -> i64 {
        i64::from(self.first)
            + i64::from(r) * i64::from(self.outer.step)
            + i64::from(k) * i64::from(self.inner.step)
    }

    /// Cycles from the issue to that address.
    pub fn cycle(&self, r: u32, k: u32) -> u64 {
        let inner = u64::from(self.inner.iterations);
        let between = u64::from(self.inner.delay);
        let repetition = inner + inner.saturating_sub(1) * between + u64::from(self.outer.delay);
        u64::from(self.initial_delay) + u64::from(r) * repetition + u64::from(k) * (1 + between)
    }

    /// Cycles from the issue to the last address.
    pub fn last_cycle(&self) -> u64 {
        self.cycle(
            self.outer.iterations.saturating_sub(1),
            self.inner.iterations.saturating_sub(1),
        )
    }

    /// Addresses that are walked.
    pub fn length(&self) -> u64 {
        u64::from(self.inner.iterations) * u64::from(self.outer.iterations)
    }

    /// The lowest and the highest address.
    pub fn range(&self) -> (i64, i64) {
        let r = self.outer.iterations.saturating_sub(1);
        let k = self.inner.iterations.saturating_sub(1);
        let corners = [(0, 0), (0, k), (r, 0), (r, k)].map(|(r, k)| self.address(r, k));
        corners
            .into_iter()
            .fold((i64::MAX, i64::MIN), |(low, high), at| {
                (low.min(at), high.max(at))
            })
    }
}

/// An [`AddressWalk`] under way: which address is next, and when, counted clock by clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkProgress {
    walk: AddressWalk,
    address: i32,
    row_start: i32,
    due: u64,
    inner_left: u32,
    outer_left: u32,
}

impl WalkProgress {
    /// The walk, issued in a cycle.
    pub fn new(walk: AddressWalk, issued: u64) -> WalkProgress {
        WalkProgress {
            walk,
            address: walk.first,
            row_start: walk.first,
            due: issued + u64::from(walk.initial_delay),
            inner_left: walk.inner.iterations,
            outer_left: walk.outer.iterations,
        }
    }

    /// The cycle of the next address.
    pub fn due(&self) -> u64 {
        self.due
    }

    /// The next address.
    pub fn address(&self) -> i32 {
        self.address
    }

    /// Goes on to the next address; `false` after the last one.
    pub fn advance(&mut self) -> bool {
        self.inner_left = self.inner_left.saturating_sub(1);
        if self.inner_left > 0 {
            self.address = self.address.wrapping_add(self.walk.inner.step);
            self.due += 1 + u64::from(self.walk.inner.delay);
            return true;
        }
        self.outer_left = self.outer_left.saturating_sub(1);
        if self.outer_left == 0 {
            return false;
        }
        self.inner_left = self.walk.inner.iterations;
        self.row_start = self.row_start.wrapping_add(self.walk.outer.step);
        self.address = self.row_start;
        self.due += 1 + u64::from(self.walk.outer.delay);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(walk: AddressWalk) -> Vec<(i64, u64)> {
        let mut progress = WalkProgress::new(walk, 0);
        let mut all = vec![(i64::from(progress.address()), progress.due())];
        while progress.advance() {
            all.push((i64::from(progress.address()), progress.due()));
        }
        all
    }

    #[test]
    fn clock_by_clock_it_is_the_closed_formula_for_all_small_parameters() {
        let mut walks = 0;
        for packed in 0..4u32.pow(5) * 5 * 5 {
            let mut rest = packed;
            let mut next = |n: u32| {
                let value = rest % n;
                rest /= n;
                value
            };
            let inner = WalkLevel {
                iterations: next(4) + 1,
                delay: next(4),
                step: next(5) as i32 - 2,
            };
            let outer = WalkLevel {
                iterations: next(4) + 1,
                delay: next(4),
                step: next(5) as i32 - 2,
            };
            let walk = AddressWalk {
                first: 7,
                initial_delay: next(4),
                inner,
                outer,
            };
            let pairs =
                (0..outer.iterations).flat_map(|r| (0..inner.iterations).map(move |k| (r, k)));
            let formula: Vec<_> = pairs
                .map(|(r, k)| (walk.address(r, k), walk.cycle(r, k)))
                .collect();
            assert_eq!(walked(walk), formula, "{walk:?}");
            assert_eq!(Some(walk.last_cycle()), formula.last().map(|at| at.1));
            assert_eq!(walk.length(), formula.len() as u64);
            let low = formula.iter().map(|at| at.0).min();
            let high = formula.iter().map(|at| at.0).max();
            assert_eq!((low, high), (Some(walk.range().0), Some(walk.range().1)));
            walks += 1;
        }
        assert_eq!(walks, 25_600);
    }

    #[test]
    fn the_published_walks_are_one_in_six_cycles_and_four_of_six() {
        let level = |iterations, step, delay| WalkLevel {
            iterations,
            step,
            delay,
        };
        let four = AddressWalk {
            first: 0,
            initial_delay: 0,
            inner: level(4, 1, 0),
            outer: level(29, 1, 2),
        };
        assert_eq!((four.cycle(1, 0), four.address(1, 0)), (6, 1));
        assert_eq!((four.cycle(28, 3), four.address(28, 3)), (171, 31));
        let one = AddressWalk {
            inner: level(29, 1, 5),
            outer: WalkLevel::ONCE,
            ..four
        };
        assert_eq!((one.cycle(0, 28), one.address(0, 28)), (168, 28));
    }
}
