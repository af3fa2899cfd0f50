//! Meaning of the names and types of library kernels (mlir-aie: aie_kernels).

use super::{ElementType, Sign};

/// Words of names that tell how a kernel was compiled.
const WORDS: [&str; 5] = ["scalar", "vector", "vectorized", "aie", "size"];

/// A name without what IRON puts in front of it: `op3_` for an operation of a sequence of them (mlir-aie:
/// python/iron), eight hexadecimal digits for the flags that it was compiled with
/// (`python/iron/kernels/_common.py`).
pub fn plain_name(name: &str) -> &str {
    const DIGITS: usize = 8;
    let prefixed = name.split_once('_').filter(|(prefix, rest)| {
        let number = prefix.strip_prefix("op");
        let is_number =
            number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let is_digest = prefix.len() == DIGITS && prefix.bytes().all(hex);
        (is_number || is_digest) && !rest.is_empty()
    });
    match prefixed {
        Some((_, rest)) => plain_name(rest),
        None => name,
    }
}

/// The type that a word of a kernel's name means.
fn type_word(word: &str) -> Option<ElementType> {
    let int = |width, sign| ElementType::Int { width, sign };
    Some(match word {
        "i8" | "int8" => int(8, Sign::Signless),
        "ui8" | "uint8" => int(8, Sign::Unsigned),
        "i16" | "int16" => int(16, Sign::Signless),
        "i32" | "int32" => int(32, Sign::Signless),
        "bf16" | "bfloat16" => ElementType::Bf16,
        "f32" | "float" => ElementType::F32,
        _ => return None,
    })
}

/// Parses the rest of a kernel's name after its stem: the types in it, and whether it is the scalar
/// version. `None` if the rest belongs to another name.
pub fn kernel_words(rest: &str) -> Option<(Vec<ElementType>, bool)> {
    let words: Vec<&str> = match rest {
        "" => Vec::new(),
        _ => rest.strip_prefix('_')?.split('_').collect(),
    };
    let mut types = Vec::new();
    for word in &words {
        match type_word(word) {
            Some(ty) => types.push(ty),
            None => WORDS.contains(word).then_some(())?,
        }
    }
    Some((types, words.contains(&"scalar")))
}

/// The sides m, k and n of a product of matrices from the elements of A (m·k), B (k·n) and C (m·n).
pub fn product_sides(a: u64, b: u64, c: u64) -> Option<[u64; 3]> {
    // The square of a side is the product of the two that have it through the one that hasn't.
    let side = |x: u64, y: u64, z: u64| {
        let product = x.checked_mul(y)?;
        (z > 0 && product.is_multiple_of(z)).then_some(())?;
        let square = product / z;
        let root = square.isqrt();
        (root > 0 && root * root == square).then_some(root)
    };
    Some([side(a, c, b)?, side(a, b, c)?, side(b, c, a)?])
}
