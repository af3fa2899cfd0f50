//! Number of the random cases that tests draw, and the randomness that a seed gives.
//!
//! `AIEC_TEST_SIZE=N` draws N times as many cases as usual, `AIEC_TEST_SEED=S` others.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Number of cases of a test that usually draws `usual`.
pub fn cases(usual: u64) -> u64 {
    usual * number("AIEC_TEST_SIZE").unwrap_or(1)
}

/// The first seed; a test that draws N cases uses N seeds from it on.
pub fn first_seed() -> u64 {
    number("AIEC_TEST_SEED").unwrap_or(0)
}

/// Runs a case for each of `count` seeds on all processors; the seeds that failed, with why.
pub fn failures(count: u64, run: impl Fn(u64) -> Result<(), String> + Sync) -> Vec<(u64, String)> {
    let first = first_seed();
    in_parallel(first..first + count, run)
}

/// Runs a case for each item on all processors; the indices of those that failed, with why.
pub fn every<T: Sync>(
    items: &[T],
    run: impl Fn(usize, &T) -> Result<(), String> + Sync,
) -> Vec<(usize, String)> {
    let failed = in_parallel(0..items.len() as u64, |at| {
        run(at as usize, &items[at as usize])
    });
    let failed = failed.into_iter();
    failed.map(|(at, why)| (at as usize, why)).collect()
}

/// Runs a case for each number on all processors; the numbers that failed, with why.
pub fn in_parallel(
    numbers: Range<u64>,
    run: impl Fn(u64) -> Result<(), String> + Sync,
) -> Vec<(u64, String)> {
    let next = AtomicU64::new(numbers.start);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    if let Err(message) = run(number) {
                        let mut list = failures.lock().unwrap_or_else(PoisonError::into_inner);
                        list.push((number, message));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner();
    let mut failures = failures.unwrap_or_else(PoisonError::into_inner);
    failures.sort();
    failures
}

/// The number that an environment variable holds.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A generator whose numbers are the same on every machine and with every library: SplitMix64
/// (Steele, Lea and Flood 2014). Tables of known results are keyed by its seeds.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next `count` bytes; whole words of 64 bits are drawn.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| self.bits().to_le_bytes());
        words.take(count).collect()
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Puts a list into a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// Pseudo-random bytes of a seed.
pub fn entropy(seed: u64, bytes: usize) -> Vec<u8> {
    Random::new(seed).bytes(bytes)
}
