//! Nothing that is put in makes the parser, the verifier or the printer panic or hang: tokens of
//! good texts are deleted, duplicated and exchanged at random.
//!
//! `AIEC_MUTANTS` sets how many mutants are tried (2000 by default), `AIEC_SEED` which ones; a run is
//! deterministic.

use aiec_dialect::diag::Diags;
use aiec_dialect::source::FileId;
use aiec_dialect::text::{PrintOptions, parse_text, print};
use aiec_dialect::verify::verify;

const SEEDS: [&str; 3] = [
    include_str!("designs/fifos.mlir"),
    include_str!("designs/dma.mlir"),
    include_str!("designs/upstream.mlir"),
];

/// A small deterministic generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

/// Words, numbers, signs and blanks of a text.
fn tokens(text: &str) -> Vec<&str> {
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

fn mutate<'t>(tokens: &[&'t str], random: &mut Random) -> Vec<&'t str> {
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

/// Runs all of it; a module without errors must also print to something that reads back.
fn exercise(text: &str) {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    let read = !diags.has_errors();
    verify(&module, &mut diags);
    let options = PrintOptions::default();
    let printed = print(&module, options);
    let generic = print(&module, PrintOptions { generic: true });
    if read {
        let mut again = Diags::new();
        let second = parse_text(FileId(0), &printed, &mut again);
        assert!(!again.has_errors(), "{text}\n---\n{printed}\n{:?}", again);
        assert_eq!(print(&second, options), printed, "{text}");
        let mut again = Diags::new();
        parse_text(FileId(0), &generic, &mut again);
        assert!(!again.has_errors(), "{text}\n---\n{generic}\n{:?}", again);
    }
}

#[test]
fn mutants_are_refused_or_read_but_never_crash() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let count: u64 = setting("AIEC_MUTANTS").unwrap_or(2000);
    // The generator stands still at 0.
    let mut random = Random(setting("AIEC_SEED").unwrap_or(0x5EED_u64).max(1));
    let seeds: Vec<Vec<&str>> = SEEDS.iter().map(|s| tokens(s)).collect();
    for n in 0..count as usize {
        let text: String = mutate(&seeds[n % seeds.len()], &mut random).concat();
        exercise(&text);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let open = |s: &str, n: usize| s.repeat(n);
    for text in [
        open("module {\n", 5000),
        format!(
            "\"x.y\"() {{a = {}1{}}} : () -> ()",
            open("[", 5000),
            open("]", 5000)
        ),
        format!(
            "\"x.y\"() : () -> {}i32{}",
            open("tuple<", 5000),
            open(">", 5000)
        ),
        format!(
            "#m = affine_map<() -> ({}1{})>",
            open("(", 5000),
            open(")", 5000)
        ),
        format!(
            "\"x.y\"() {{a = dense<{}1{}> : tensor<1xi32>}} : () -> ()",
            open("[", 5000),
            open("]", 5000)
        ),
        format!("\"x.y\"() ({{\n{}", open("\"x.y\"() ({\n", 5000)),
        format!(
            "\"x.y\"() : {}i32{}",
            open("() -> (", 5000),
            open(")", 5000)
        ),
        format!(
            "\"x.y\"() {{a = {}}} : () -> ()",
            open("{a = ", 5000) + &open("}", 5000)
        ),
        format!(
            "\"x.y\"() {{a = #x.y{}{}}} : () -> ()",
            open("<", 5000),
            open(">", 5000)
        ),
        format!("#m = affine_map<() -> ({}1)>", open("-", 5000)),
        format!("#m = affine_map<() -> ({}1)>", open("(", 5000)),
    ] {
        let mut diags = Diags::new();
        parse_text(FileId(0), &text, &mut diags);
        let start = text.get(..40).unwrap_or("");
        let codes: Vec<_> = diags.iter().map(|d| d.code.id).collect();
        assert_eq!(codes, ["parse::nesting"], "{start}");
    }
}
