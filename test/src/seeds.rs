//! Numbers that the environment sets, and the randomness that a seed stands for.

/// The number that the environment variable `name` holds, or `default`.
pub fn number(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok().and_then(|v| v.parse().ok());
    value.unwrap_or(default)
}

/// Pseudo-random bytes of a seed (the output function of SplitMix64).
pub fn entropy(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let words = (0..bytes.div_ceil(8)).flat_map(|_| word().to_le_bytes());
    words.take(bytes).collect()
}
