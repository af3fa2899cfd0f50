//! Texts that are nearly right: tokens of good ones are deleted, duplicated and exchanged at random.

/// The number that a variable of the environment holds.
pub fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A small deterministic generator (xorshift64*).
pub struct Random(u64);

impl Random {
    /// The generator of `AIEC_SEED`, or the usual one.
    pub fn of_setting() -> Random {
        // It stands still at 0.
        Random(setting("AIEC_SEED").unwrap_or(0x5EED).max(1))
    }

    /// A number below another.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

/// Words, numbers, signs and blanks of a text.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_alphanumeric() || c == '_', c.is_whitespace());
        let len = if first.is_alphanumeric() || first == '_' || first.is_whitespace() {
            rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(len);
        list.push(token);
        rest = after;
    }
    list
}

/// Up to three tokens or runs of tokens deleted, doubled, exchanged or replaced.
pub fn mutate<'t>(tokens: &[&'t str], random: &mut Random) -> Vec<&'t str> {
    let mut list = tokens.to_vec();
    for _ in 0..=random.below(3) {
        let (a, b) = (random.below(list.len()), random.below(list.len()));
        match random.below(5) {
            0 => {
                list.remove(a);
            }
            1 => list.insert(b, list[a]),
            2 => list.swap(a, b),
            3 => list[a] = list[b],
            _ => {
                let run: Vec<&str> = list[a..(a + 12).min(list.len())].to_vec();
                list.splice(b..b, run);
            }
        }
    }
    list
}
