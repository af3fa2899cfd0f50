//! Suggestions for misspelt words.

/// The candidate closest to a misspelt word: at most a third of its letters wrong; ties go to the
/// earlier candidate. Else the only one that starts with the word.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    /// Shorter words are the start of too much.
    const SHORTEST_START: usize = 3;
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut longer: Vec<&str> = Vec::new();
    for candidate in candidates {
        if word.len() >= SHORTEST_START && candidate.starts_with(word) {
            longer.push(candidate);
        }
        let distance = strsim::osa_distance(&lower, &candidate.to_lowercase());
        let shares_a_letter = distance < lower.chars().count();
        if shares_a_letter && distance <= limit && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    match (best, &longer[..]) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word_only() {
        let words = ["aie.tile", "aie.lock", "aie.flow"];
        assert_eq!(did_you_mean("aie.tiel", words), Some("aie.tile"));
        assert_eq!(did_you_mean("aie.fow", words), Some("aie.flow"));
        assert_eq!(did_you_mean("scf.for", words), None);
        assert_eq!(did_you_mean("aie", words), None);
        assert_eq!(did_you_mean("a", ["b", "c"]), None);
        assert_eq!(did_you_mean("A", ["b", "a"]), Some("a"));
        let actions = ["Acquire", "AcquireGreaterEqual"];
        assert_eq!(
            did_you_mean("AcquireGreater", actions),
            Some("AcquireGreaterEqual")
        );
    }
}
