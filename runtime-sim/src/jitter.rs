//! Random extra latencies, to show that data don't depend on time.
//!
//! A run with a seed draws its extra cycles from one small generator in the order in which parts
//! ask, so that the same seed gives the same run.

use crate::time::Cycle;

/// Source of extra cycles; gives none unless it was seeded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jitter {
    /// State of the generator (xorshift64); 0 is off.
    state: u64,
}

/// Mixed into seeds (the golden ratio in 64 bits), so that small seeds differ much.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

impl Jitter {
    pub fn seeded(seed: u64) -> Jitter {
        Jitter {
            state: seed.wrapping_add(1).wrapping_mul(MIX) | 1,
        }
    }

    /// Whether it was seeded.
    pub fn is_on(&self) -> bool {
        self.state != 0
    }

    /// Between 0 and `most` extra cycles.
    pub fn draw(&mut self, most: Cycle) -> Cycle {
        if self.state == 0 {
            return 0;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 32) % (most + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_cycles_and_no_seed_gives_none() {
        let draw = |mut jitter: Jitter| -> Vec<Cycle> { (0..50).map(|_| jitter.draw(9)).collect() };
        assert_eq!(draw(Jitter::default()), [0; 50]);
        assert_eq!(draw(Jitter::seeded(3)), draw(Jitter::seeded(3)));
        assert_ne!(draw(Jitter::seeded(3)), draw(Jitter::seeded(4)));
        let drawn = draw(Jitter::seeded(0));
        assert!(drawn.iter().all(|&c| c <= 9) && (0..=9).all(|c| drawn.contains(&c)));
    }
}
