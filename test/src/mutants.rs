//! Texts that are nearly right: tokens of good ones are deleted, duplicated and exchanged at random.

use fastrand::Rng;

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
pub fn mutate<'t>(tokens: &[&'t str], random: &mut Rng) -> Vec<&'t str> {
    let mut list = tokens.to_vec();
    for _ in 0..=random.usize(..3) {
        let (a, b) = (random.usize(..list.len()), random.usize(..list.len()));
        match random.usize(..5) {
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
